//! Blocks that are written in Python.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use superhet_runtime::port::{BlockId, PortVisitor};
use superhet_runtime::tag::{Conversion, map_index};
use superhet_runtime::{
    Block, BlockError, Context, In, MsgIn, MsgOut, Out, Ratio, Readiness, Step, Tag, Value, Work,
};

use crate::io::{Done, Io, NewTag, Seen, SeenInput, SeenOutput};
use crate::item::{NumpyItem, of_item};
use crate::memory::Lent;
use crate::stream::{Input, Numpy, Output, Stream};
use crate::thread;

/// How long a source that gave nothing is left alone.
const NAP: Duration = Duration::from_millis(1);

/// How long nothing has come when nothing is waited for any more.
const NO_MORE: Duration = Duration::from_micros(20);
/// How long items wait for more at most.
const LONGEST_WAIT: Duration = Duration::from_millis(1);

/// So many looks in a row that find more items than the one before go without looking at the clock.
const LOOKS: u32 = 64;

/// A block that waits for more items.
struct Waiting {
    since: Instant,
    /// How many there were when there were last more.
    there: usize,
    /// When that was, if somebody has looked at the clock since.
    grown: Option<Instant>,
    /// How often there were more since somebody has looked at the clock.
    looks: u32,
}

/// A message input, and the messages that Python has seen and not asked for.
struct Mail {
    name: Arc<str>,
    port: MsgIn,
    waiting: Vec<Value>,
}

/// How the tags of the inputs reach the outputs.
#[derive(Clone, Copy, PartialEq)]
enum Tags {
    AllToAll,
    OneToOne,
    None,
}

/// What the graph knows of a block that is written in Python.
pub struct Declared<'py> {
    /// The object, whose method `work` is called with an [`Io`].
    pub object: Bound<'py, PyAny>,
    /// Its declaration: see `superhet.Block`.
    pub declaration: Bound<'py, PyDict>,
}

/// What does the work of a block.
#[derive(Clone)]
enum Code {
    /// A method `work` of an [`Io`].
    Work(Arc<Py<PyAny>>),
    Function(Arc<Function>),
}

/// A function of arrays, as many items as the block's ratio says.
struct Function {
    name: String,
    code: Py<PyAny>,
    /// It writes into the outputs' arrays, which it gets behind the inputs', instead of giving arrays.
    writes: bool,
}

/// A block whose work is done by a Python object.
pub struct PythonBlock {
    code: Code,
    frombuffer: Py<PyAny>,
    empty: Py<PyAny>,
    inputs: Vec<Stream<dyn Input>>,
    outputs: Vec<Stream<dyn Output>>,
    message_inputs: Vec<Mail>,
    message_outputs: Vec<(Arc<str>, MsgOut)>,
    tags: Tags,
    ratio: Ratio,
    delay: u64,
    /// What the tags of the inputs say behind it.
    conversion: Conversion,
    /// Values are given as the bytes of PMTs.
    pmt: bool,
    blocking: bool,
    /// Without mail there is nothing to do.
    only_mail: bool,
    /// While the block lets others go first, to be called with more.
    waiting: Option<Waiting>,
    /// It is called as soon as there is room, with the items that are there: it has waited, or no more will come.
    is_due: bool,
    /// The last call of `work` found nothing to do, since this one of [`Work::work`] began.
    had_nothing: bool,
    /// Nanoseconds spent waiting for Python's lock.
    waited: Arc<AtomicU64>,
}

impl Declared<'_> {
    fn field<T>(&self, name: &str, default: T) -> PyResult<T>
    where
        T: for<'a, 'b> FromPyObject<'a, 'b>,
        for<'a, 'b> <T as FromPyObject<'a, 'b>>::Error: Into<PyErr>,
    {
        match self.declaration.get_item(name)? {
            Some(value) => value.extract().map_err(Into::into),
            None => Ok(default),
        }
    }

    /// Makes the block, and gives where it counts how long it waits for Python's lock.
    pub fn make(&self) -> PyResult<(PythonBlock, Arc<AtomicU64>)> {
        let py = self.object.py();
        let numpy = py.import("numpy")?;
        let mut inputs = Vec::new();
        for port in self.field::<Vec<PortOf>>("inputs", Vec::new())? {
            let (mut made, size, dtype, is_pair): (Box<dyn Input>, _, _, _) = of_item!(&*port.item, T => {
                let made = In::<T>::new().min(port.min).multiple(port.multiple).batch(port.batch);
                let made = made.max(port.max.unwrap_or(usize::MAX)).history(port.history);
                let made = if port.optional { made.optional() } else { made };
                (Box::new(made) as Box<dyn Input>, size_of::<T>(), T::DTYPE, T::IS_PAIR)
            })?;
            problem(&port.name, made.port().spec().problem())?;
            let dtype = numpy.call_method1("dtype", (dtype,))?.unbind();
            inputs.push(Stream {
                name: port.name.into(),
                size,
                history: port.history,
                is_over: false,
                dtype,
                is_pair,
                port: made,
            });
        }
        let mut outputs = Vec::new();
        for port in self.field::<Vec<PortOf>>("outputs", Vec::new())? {
            let (mut made, size, dtype, is_pair): (Box<dyn Output>, _, _, _) = of_item!(&*port.item, T => {
                let made = Out::<T>::new().min(port.min).multiple(port.multiple).batch(port.batch);
                let made = made.max(port.max.unwrap_or(usize::MAX));
                let made = if port.optional { made.optional() } else { made };
                (Box::new(made) as Box<dyn Output>, size_of::<T>(), T::DTYPE, T::IS_PAIR)
            })?;
            problem(&port.name, made.port().spec().problem())?;
            let dtype = numpy.call_method1("dtype", (dtype,))?.unbind();
            outputs.push(Stream {
                name: port.name.into(),
                size,
                history: 0,
                is_over: false,
                dtype,
                is_pair,
                port: made,
            });
        }
        let (interpolation, decimation) = self.field("ratio", (1, 1))?;
        if interpolation == 0 || decimation == 0 {
            return Err(PyValueError::new_err("a ratio of items has no 0 in it"));
        }
        let tags = match &*self.field("tags", "all".to_owned())? {
            "all" => Tags::AllToAll,
            "one_to_one" => Tags::OneToOne,
            "none" => Tags::None,
            other => {
                let expected = format!("tags: expected all, one_to_one or none, got {other}");
                return Err(PyValueError::new_err(expected));
            }
        };
        let code = match self.declaration.get_item("function")? {
            None => Code::Work(Arc::new(self.object.getattr("work")?.unbind())),
            Some(code) => Code::Function(Arc::new(Function {
                name: self.object.getattr("kind")?.extract()?,
                code: code.unbind(),
                writes: self.field("writes", false)?,
            })),
        };
        let names = |field: &str| self.field::<Vec<String>>(field, Vec::new());
        let mail = |name: String| Mail { name: name.into(), port: MsgIn::new(), waiting: Vec::new() };
        let waited = Arc::new(AtomicU64::new(0));
        let block = PythonBlock {
            code,
            frombuffer: numpy.getattr("frombuffer")?.unbind(),
            empty: numpy.getattr("empty")?.unbind(),
            inputs,
            outputs,
            message_inputs: names("message_inputs")?.into_iter().map(mail).collect(),
            message_outputs: names("message_outputs")?
                .into_iter()
                .map(|name| (name.into(), MsgOut::new()))
                .collect(),
            tags,
            ratio: Ratio { interpolation, decimation },
            conversion: Conversion::new(Ratio { interpolation, decimation })
                .shifted(self.field("shift", 0.0)?),
            delay: self.field("delay", 0)?,
            pmt: self.field("pmt", false)?,
            blocking: self.field("blocking", false)?,
            only_mail: self.field("only_mail", false)?,
            waiting: None,
            is_due: false,
            had_nothing: false,
            waited: waited.clone(),
        };
        Ok((block, waited))
    }
}

fn problem(port: &str, problem: Option<String>) -> PyResult<()> {
    problem.map_or(Ok(()), |problem| Err(PyValueError::new_err(format!("{port} asks for {problem}"))))
}

/// What Python says of a stream port.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct PortOf {
    name: String,
    item: String,
    min: usize,
    max: Option<usize>,
    multiple: usize,
    history: usize,
    batch: usize,
    optional: bool,
}

impl Function {
    /// Calls the function with the arrays of the inputs, and with those of the outputs for its results.
    fn call(
        &self,
        py: Python<'_>,
        inputs: &[&Bound<'_, PyAny>],
        outputs: &[&Bound<'_, PyAny>],
    ) -> PyResult<()> {
        let (code, name) = (self.code.bind(py), &self.name);
        if self.writes {
            let given = code.call1(PyTuple::new(py, [inputs, outputs].concat())?)?;
            return if given.is_none() { Ok(()) } else { self.check_written(py, &given, outputs) };
        }
        let given = code.call1(PyTuple::new(py, inputs)?)?;
        let given = match given.cast_into::<PyTuple>() {
            Ok(several) => several.iter().collect(),
            Err(one) => vec![one.into_inner()],
        };
        if !outputs.is_empty() && given.len() != outputs.len() {
            let (got, wanted) = (given.len(), outputs.len());
            return Err(PyValueError::new_err(format!("{name} gave {got} arrays for {wanted} outputs")));
        }
        for (array, out) in given.iter().zip(outputs) {
            let wanted = out.getattr("shape")?;
            let got = match array.getattr("shape") {
                Ok(shape) if shape.eq(&wanted)? => {
                    self.write(py, out, array)?;
                    continue;
                }
                Ok(shape) => shape.str()?,
                Err(_) => array.get_type().name()?,
            };
            return Err(PyValueError::new_err(format!("{name} gave {got} for an output of {wanted}")));
        }
        Ok(())
    }
}

impl Function {
    /// Refuses an array that a function gives which is to write into those of the outputs: it would be lost. One of the outputs',
    /// as numpy gives it back, has been written.
    fn check_written(
        &self,
        py: Python<'_>,
        given: &Bound<'_, PyAny>,
        outputs: &[&Bound<'_, PyAny>],
    ) -> PyResult<()> {
        if outputs.is_empty() || outputs.iter().any(|out| out.is(given)) {
            return Ok(());
        }
        if let Ok(several) = given.cast::<PyTuple>() {
            return several.iter().try_for_each(|one| self.check_written(py, &one, outputs));
        }
        let numpy = py.import("numpy")?;
        if !given.is_instance(&numpy.getattr("ndarray")?)? {
            return Ok(());
        }
        for out in outputs {
            if numpy.call_method1("may_share_memory", (given, out))?.extract()? {
                return Ok(());
            }
        }
        let name = &self.name;
        Err(PyTypeError::new_err(format!(
            "{name} gave an array, and has arguments for its outputs, too: write into them, as in y[:] = ..., or leave those arguments out"
        )))
    }

    /// Copies what the function gave, where its numbers are of the kind of the output's: a fraction is not cut off, nor an
    /// imaginary part.
    fn write(&self, py: Python<'_>, out: &Bound<'_, PyAny>, array: &Bound<'_, PyAny>) -> PyResult<()> {
        let kinds = PyDict::new(py);
        kinds.set_item("casting", "same_kind")?;
        let numpy = py.import("numpy")?;
        let copied = numpy.call_method("copyto", (out, array), Some(&kinds));
        let fits = copied.and_then(|_| self.check_range(&numpy, out, array));
        fits.map_err(|error| {
            if !error.is_instance_of::<PyTypeError>(py) {
                return error;
            }
            let dtype = |array: &Bound<'_, PyAny>| {
                array.getattr("dtype").map_or_else(|_| "?".into(), |dtype| dtype.to_string())
            };
            let (name, got, wanted) = (&self.name, dtype(array), dtype(out));
            PyTypeError::new_err(format!(
                "{name} gave {got} for an output of {wanted}: convert it, as in y.astype({wanted:?})"
            ))
        })
    }

    /// Refuses whole numbers that the output has not: numpy wraps them without a word.
    fn check_range(
        &self,
        numpy: &Bound<'_, PyModule>,
        out: &Bound<'_, PyAny>,
        array: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let (got, wanted) = (array.getattr("dtype")?, out.getattr("dtype")?);
        let is_whole = |dtype: &Bound<'_, PyAny>| -> PyResult<bool> {
            Ok(matches!(dtype.getattr("kind")?.extract()?, 'i' | 'u'))
        };
        if got.eq(&wanted)?
            || !is_whole(&got)?
            || !is_whole(&wanted)?
            || numpy.call_method1("can_cast", (&got, &wanted))?.extract()?
            || array.getattr("size")?.eq(0)?
        {
            return Ok(());
        }
        let limits = numpy.call_method1("iinfo", (&wanted,))?;
        let (min, max) = (limits.getattr("min")?, limits.getattr("max")?);
        let (least, most) = (array.call_method0("min")?, array.call_method0("max")?);
        if least.ge(&min)? && most.le(&max)? {
            return Ok(());
        }
        let name = &self.name;
        Err(PyValueError::new_err(format!(
            "{name} gave numbers from {least} to {most} for an output of {wanted}, which has {min} to {max}"
        )))
    }
}

impl PythonBlock {
    /// One call of Python; whether anything moved.
    fn call(&mut self, py: Python<'_>, context: &Context<'_>, ending: bool) -> PyResult<Moved> {
        match self.code.clone() {
            Code::Work(work) => self.call_work(work.bind(py), context, ending),
            Code::Function(function) => self.call_function(py, &function, ending),
        }
    }

    /// Lends the memory of the streams to arrays: so many items of each input and of each output at most.
    fn lend<'py>(&mut self, py: Python<'py>, rest: bool, most: (usize, usize)) -> PyResult<Vec<Lend<'py>>> {
        let numpy =
            Numpy { frombuffer: self.frombuffer.bind(py).clone(), empty: self.empty.bind(py).clone() };
        let mut lent = Vec::with_capacity(self.inputs.len() + self.outputs.len());
        for stream in &self.inputs {
            let memory = stream.port.lend(py, rest, most.0)?;
            let array = stream.array(&memory, &numpy)?;
            lent.push((memory, array));
        }
        for stream in &mut self.outputs {
            let memory = stream.port.lend(py, most.1)?;
            let array = stream.array(&memory, &numpy)?;
            lent.push((memory, array));
        }
        Ok(lent)
    }

    /// Takes back what was lent, after a call that gave `result`.
    fn take_back<'py, R>(&self, py: Python<'py>, lent: Vec<Lend<'py>>, result: PyResult<R>) -> PyResult<R> {
        let mut kept = None;
        let unpin = self.inputs.iter().map(|stream| (&stream.name, Place::In(&*stream.port)));
        let unpin = unpin.chain(self.outputs.iter().map(|stream| (&stream.name, Place::Out(&*stream.port))));
        for ((memory, array), (name, port)) in lent.into_iter().zip(unpin) {
            match (memory.take_back(py, array)?, port) {
                (true, Place::In(port)) => port.unpin(),
                (true, Place::Out(port)) => port.unpin(),
                (false, _) => kept = kept.or(Some(name)),
            }
        }
        let result = result?;
        match kept {
            None => Ok(result),
            Some(port) => Err(PyValueError::new_err(format!(
                "work keeps a view of {port} after the call: what is to be kept must be copied, as in x.copy()"
            ))),
        }
    }

    /// One call of a function of arrays.
    fn call_function(&mut self, py: Python<'_>, function: &Function, ending: bool) -> PyResult<Moved> {
        let Ratio { interpolation, decimation } = self.ratio;
        let there = self.inputs.iter().map(|stream| stream.port.there(ending) / decimation).min();
        let room = self.outputs.iter().map(|stream| stream.port.room() / interpolation).min();
        let steps = there.unwrap_or(usize::MAX).min(room.unwrap_or(usize::MAX));
        let steps = if steps == usize::MAX { 0 } else { steps };
        let (taken, given) = (steps * decimation, steps * interpolation);
        if steps > 0 {
            let lent = self.lend(py, ending, (taken, given))?;
            let arrays: Vec<_> = lent.iter().map(|(_, array)| array).collect();
            let (inputs, outputs) = arrays.split_at(self.inputs.len());
            let result = function.call(py, inputs, outputs);
            self.take_back(py, lent, result)?;
        }
        let consumed = vec![taken; self.inputs.len()];
        let done = Done { consumed, produced: vec![given; self.outputs.len()], ..Done::default() };
        self.apply(done, false, ending)
    }

    /// One call of a method `work`.
    fn call_work(&mut self, work: &Bound<'_, PyAny>, context: &Context<'_>, ending: bool) -> PyResult<Moved> {
        let py = work.py();
        let lent = self.lend(py, ending, (usize::MAX, usize::MAX))?;
        let mut seen = Seen { ending, stopping: context.is_stopping(), pmt: self.pmt, ..Seen::default() };
        let (inputs, outputs) = (PyList::empty(py), PyList::empty(py));
        for (stream, (memory, array)) in self.inputs.iter().zip(&lent) {
            inputs.append(array)?;
            let items = (memory.bytes / stream.size).saturating_sub(stream.history);
            let mut tags = Vec::new();
            stream.port.tags(items, &mut |tag| tags.push(tag.clone()));
            seen.inputs.push(SeenInput {
                name: stream.name.clone(),
                items,
                index: stream.port.index(),
                tags,
                finished: stream.port.is_finished(),
                // Asked first whether more can come, then whether more is there.
                last: stream.port.has_ended() && stream.port.available() == items,
            });
        }
        for (stream, (memory, array)) in self.outputs.iter().zip(&lent[self.inputs.len()..]) {
            outputs.append(array)?;
            let (room, index) = (memory.bytes / stream.size, stream.port.index());
            seen.outputs.push(SeenOutput { name: stream.name.clone(), room, index });
        }
        let mut had_mail = false;
        for mail in &mut self.message_inputs {
            let mut messages = std::mem::take(&mut mail.waiting);
            had_mail |= mail.port.has_mail();
            messages.extend(std::iter::from_fn(|| mail.port.recv()));
            seen.messages.push((mail.name.clone(), messages));
        }
        seen.message_outputs = self.message_outputs.iter().map(|(name, _)| name.clone()).collect();
        let io = Bound::new(py, Io::new(seen, inputs.clone().unbind(), outputs.clone().unbind()))?;
        let result = work.call1((&io,));
        // Whatever Python still holds of the arrays then, it holds after the call.
        io.borrow_mut().close();
        inputs.call_method0(intern!(py, "clear"))?;
        outputs.call_method0(intern!(py, "clear"))?;
        let is_done = self.take_back(py, lent, result)?.extract::<Option<i64>>().ok().flatten() == Some(-1);
        let (mut done, left) = io.borrow_mut().take();
        done.ends |= is_done;
        for (mail, messages) in self.message_inputs.iter_mut().zip(left) {
            mail.waiting = messages;
        }
        self.apply(done, had_mail, ending)
    }

    /// Accounts for what Python has done.
    fn apply(&mut self, done: Done, had_mail: bool, ending: bool) -> PyResult<Moved> {
        let mut moved = Moved { anything: had_mail, had_mail, done: done.ends };
        self.carry_tags(&done.consumed, ending);
        for NewTag { output, index, key, value, source } in done.tags {
            let output = &mut self.outputs[output].port;
            let source = source.map_or_else(|| output.source(), Arc::from);
            output.tag(Tag { index, key: key.into(), value, source });
        }
        for (stream, items) in self.inputs.iter_mut().zip(done.consumed) {
            moved.anything |= items > 0;
            stream.port.consume(items);
        }
        for (stream, items) in self.outputs.iter_mut().zip(done.produced) {
            moved.anything |= items > 0;
            stream.port.produce(items);
        }
        for (place, value) in done.sent {
            moved.anything = true;
            let (name, port) = &mut self.message_outputs[place];
            port.send(value).map_err(|error| PyValueError::new_err(format!("{name}: {error}")))?;
        }
        Ok(moved)
    }

    /// Hands the tags of the items that are consumed on, as the declaration says; at the end of a stream also those beyond
    /// its last item.
    fn carry_tags(&mut self, consumed: &[usize], ending: bool) {
        if self.tags == Tags::None || self.outputs.is_empty() {
            return;
        }
        for (place, (stream, items)) in self.inputs.iter_mut().zip(consumed).enumerate() {
            let mut tags = Vec::new();
            let is_rest = ending && *items == 0 && !std::mem::replace(&mut stream.is_over, true);
            if *items > 0 || is_rest {
                stream.port.tags(*items, &mut |tag| tags.push(tag.clone()));
            }
            for tag in tags {
                let index = map_index(tag.index, self.ratio.interpolation, self.ratio.decimation, self.delay);
                let (outputs, tags) = (&mut self.outputs, self.tags);
                self.conversion.carry(Tag { index, ..tag }, |tag| {
                    let outputs = outputs.iter_mut().enumerate();
                    for (_, output) in outputs.filter(|(to, _)| tags == Tags::AllToAll || *to == place) {
                        let index = tag.index.max(output.port.index());
                        output.port.tag(Tag { index, ..tag.clone() });
                    }
                });
            }
        }
    }

    fn has_mail(&self) -> bool {
        self.message_inputs.iter().any(|mail| mail.port.has_mail())
    }

    /// Whether a call has as much as it can get.
    fn is_full(&self) -> bool {
        self.has_mail()
            || self.inputs.iter().all(|stream| stream.port.available() >= stream.port.spec().batch)
    }

    /// Whether a block that is not full lets the others go first, so that one call gets more items. A call of Python costs
    /// as much as thousands of items. That is while more items come, up to what the ports can show at once; so an idle
    /// graph waits for nothing.
    fn can_wait(&mut self) -> bool {
        let there: usize = self.inputs.iter().map(|stream| stream.port.available()).sum();
        if let Some(waiting) = &mut self.waiting
            && there > waiting.there
            && waiting.looks < LOOKS
        {
            (waiting.there, waiting.grown) = (there, None);
            waiting.looks += 1;
            return true;
        }
        let now = Instant::now();
        let waiting = self.waiting.get_or_insert(Waiting { since: now, there, grown: Some(now), looks: 0 });
        if there > waiting.there {
            (waiting.there, waiting.grown) = (there, Some(now));
        }
        waiting.looks = 0;
        let grown = *waiting.grown.get_or_insert(now);
        let is_over = now - waiting.since > LONGEST_WAIT || now - grown > NO_MORE;
        if is_over {
            self.waiting = None;
        }
        !is_over
    }

    /// Calls Python, and counts how long its lock was waited for.
    fn run(&mut self, context: &mut Context<'_>, ending: bool) -> Result<Moved, BlockError> {
        let start = Instant::now();
        let moved = thread::attach(|py| {
            self.waited.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
            self.call(py, context, ending)
        });
        moved.map_err(|error| Box::new(error) as BlockError)
    }
}

/// Memory of a stream, and the array that sees it.
type Lend<'py> = (Lent, Bound<'py, PyAny>);

/// A port whose memory was lent.
enum Place<'a> {
    In(&'a dyn Input),
    Out(&'a dyn Output),
}

/// What came of a call.
struct Moved {
    anything: bool,
    /// Messages were there.
    had_mail: bool,
    done: bool,
}

impl Block for PythonBlock {
    type Ports = BlockId;

    fn visit(&mut self, visitor: &mut dyn PortVisitor) {
        for stream in &mut self.inputs {
            visitor.input(&stream.name, stream.port.port());
        }
        for stream in &mut self.outputs {
            visitor.output(&stream.name, stream.port.port());
        }
        for mail in &mut self.message_inputs {
            visitor.message_input(&mail.name, &mut mail.port);
        }
        for (name, port) in &mut self.message_outputs {
            visitor.message_output(name, port);
        }
    }

    fn poll(&self, readiness: &mut Readiness) {
        self.inputs.iter().for_each(|stream| stream.port.poll(readiness));
        if !self.is_due && !self.is_full() {
            // Asking for room that is not used yet moves items that the readers have not taken.
            return;
        }
        self.outputs.iter().for_each(|stream| stream.port.poll(readiness));
        self.message_inputs.iter().for_each(|mail| mail.port.poll(readiness));
        self.message_outputs.iter().for_each(|(_, port)| port.poll(readiness));
    }

    fn ports(&self, id: BlockId) -> BlockId {
        id
    }
}

impl Work for PythonBlock {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        self.had_nothing = false;
        if !self.is_due && !self.is_full() {
            self.is_due = !self.can_wait();
            return Ok(Step::Later);
        }
        (self.is_due, self.waiting) = (false, None);
        let moved = self.run(context, false)?;
        self.had_nothing = !moved.anything;
        Ok(match moved {
            Moved { done: true, .. } => Step::Done,
            Moved { had_mail: true, .. } if self.only_mail && !self.has_mail() => Step::NeedInput,
            Moved { anything: true, .. } => Step::Ran,
            _ if !self.inputs.is_empty() || !self.message_inputs.is_empty() => Step::NeedInput,
            // A source that has nothing yet.
            _ => {
                context.sleep_until(Instant::now() + NAP);
                Step::Later
            }
        })
    }

    fn finish(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        // A block that has left its rest and is asked for more at once knew what room there is.
        let had_nothing = std::mem::take(&mut self.had_nothing);
        if !std::mem::replace(&mut self.is_due, true) && !had_nothing {
            return Ok(Step::Ran);
        }
        let moved = self.run(context, true)?;
        Ok(if moved.anything && !moved.done { Step::Ran } else { Step::Done })
    }

    fn blocking(&self) -> bool {
        self.blocking
    }
}
