//! A switch from one of several inputs to one of several outputs.

use crate::math::fold::PORTS;
use superhet_runtime::{Block, BlockError, Context, In, Item, Out, Step, Work, declare, tag::forward_tags};

use crate::error::{Error, check};
use crate::lockstep::{MOST_PORTS, check_ports};
use superhet_runtime::{Tunable, Tuned};

/// Passes one of several inputs to one of several outputs, with its tags.
///
/// All inputs are taken in step: what comes on the others is dropped, and the stream ends with the first that does. The
/// other outputs get nothing.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in0`, `in1`, … | any | any |
/// | out `out0`, `out1`, … | the same | that of the inputs; of several, some may stay unconnected |
/// | in `set` | messages | new values of `input_index`, `output_index`, `enabled`: with [`Tuned`] |
///
/// | parameter | range |
/// |---|---|
/// | `inputs`, `outputs` | 1 to 64 |
/// | `input_index`, `output_index` | the number of a port, from 0; can be changed while the block runs |
/// | `enabled` | false: all is dropped; can be changed while the block runs |
///
/// ```
/// use superhet_blocks::{flow::Selector, sinks::VectorSink, sources::VectorSource};
/// use superhet_runtime::Graph;
///
/// let mut graph = Graph::new();
/// let a = graph.add("a", VectorSource::new(vec![1u8, 2], false)?);
/// let b = graph.add("b", VectorSource::new(vec![11u8, 12], false)?);
/// let selector = graph.add("selector", Selector::<u8>::new(2, 1, 1, 0)?);
/// let sink = VectorSink::<u8>::new();
/// let items = sink.items();
/// let sink = graph.add("sink", sink);
/// graph.connect(a.output, selector.input[0]);
/// graph.connect(b.output, selector.input[1]);
/// graph.connect(selector.output[0], sink.input);
/// graph.run()?;
/// assert_eq!(items.take(), [11, 12]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct Selector<T: Item> {
    #[port("in")]
    input: Vec<In<T>>,
    #[port("out")]
    output: Vec<Out<T>>,
    from: usize,
    to: usize,
    enabled: bool,
}

#[declare(
    category = "flow",
    summary = "Passes one of several inputs to one of several outputs.",
    items(any),
    constructor = of,
    through = Tuned::new,
    ports(
        input("in0", "item", "a"),
        input("in1", "item", "b; more or fewer as inputs says"),
        output("out0", "item", "what passes"),
        output("out1", "item", "what passes; more or fewer as outputs says")
    )
)]
impl<T: Item> Selector<T> {
    /// A switch with so many inputs and outputs, from input `input_index` to output `output_index`.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where a parameter is.
    pub fn new(
        inputs: usize,
        outputs: usize,
        input_index: usize,
        output_index: usize,
    ) -> Result<Self, Error> {
        check_ports("inputs", inputs)?;
        check_ports("outputs", outputs)?;
        let output = || if outputs > 1 { Out::new().optional() } else { Out::new() };
        let mut selector = Selector {
            input: (0..inputs).map(|_| In::new()).collect(),
            output: (0..outputs).map(|_| output()).collect(),
            from: 0,
            to: 0,
            enabled: true,
        };
        selector.select(input_index, output_index)?;
        Ok(selector)
    }

    /// Begins with this setting: false drops everything.
    #[must_use]
    pub fn enabled(mut self, enabled: bool) -> Self {
        self.enabled = enabled;
        self
    }

    fn of(
        /// How many inputs there are: in0, in1, …; one alone passes as it is.
        #[param(kind = PORTS, default = 2)]
        inputs: usize,
        /// How many outputs there are: out0, out1, ….
        #[param(range = 1..=MOST_PORTS, default = 2)]
        outputs: usize,
        /// The number of the input that passes, from 0.
        #[param(live, set = select_input, at = from, default = 0)]
        input_index: usize,
        /// The number of the output that it passes to, from 0.
        #[param(live, set = select_output, at = to, default = 0)]
        output_index: usize,
        /// Whether it passes; else all is dropped.
        #[param(live, any, default = true)]
        enabled: bool,
    ) -> Result<Self, Error> {
        Ok(Selector::new(inputs, outputs, input_index, output_index)?.enabled(enabled))
    }

    fn select_input(&mut self, from: usize) -> Result<(), Error> {
        self.select(from, self.to)
    }

    fn select_output(&mut self, to: usize) -> Result<(), Error> {
        self.select(self.from, to)
    }

    fn select(&mut self, from: usize, to: usize) -> Result<(), Error> {
        check(from < self.input.len(), "input_index", "the number of an input, from 0", from as f64)?;
        check(to < self.output.len(), "output_index", "the number of an output, from 0", to as f64)?;
        (self.from, self.to) = (from, to);
        Ok(())
    }
}

#[declare]
impl<T: Item> Tunable for Selector<T> {
    fn position(&self) -> u64 {
        self.input.first().map_or(0, In::index)
    }

    fn work_on(&mut self, most: usize, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let available = self.input.iter().map(In::available).min().unwrap_or(0);
        let output = &mut self.output[self.to];
        let passes = self.enabled && output.is_connected();
        let room = if passes { output.room() } else { usize::MAX };
        let n = available.min(room).min(most);
        if n == 0 {
            return Ok(if available == 0 { Step::NeedInput } else { Step::NeedOutput });
        }
        if passes {
            let input = &mut self.input[self.from];
            output.reserve()[..n].copy_from_slice(&input.peek()[..n]);
            forward_tags(input, output, n);
            output.produce(n);
        }
        self.input.iter_mut().for_each(|input| input.consume(n));
        Ok(Step::Ran)
    }
}

impl<T: Item> Work for Selector<T> {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        self.work_on(usize::MAX, context)
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let output = &mut self.output[self.to];
        if self.enabled && output.is_connected() {
            forward_tags(&mut self.input[self.from], output, 0);
        }
        Ok(Step::Done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::cuts;
    use superhet_runtime::Value;
    use superhet_runtime::harness::{VecSink, VecSource};
    use superhet_runtime::{Graph, Options, Single};

    /// What the two outputs give where settings change at item 500.
    fn run(selector: Selector<i32>, changes: &[(&str, Value)], options: &Options) -> [Vec<i32>; 2] {
        let mut graph = Graph::new();
        graph.add("a", VecSource::new((0..1000).collect::<Vec<i32>>()));
        graph.add("b", VecSource::new((5000..6100).collect::<Vec<i32>>()));
        graph.add("selector", Tuned::new(selector));
        graph.connect_names("a", "selector.in0");
        graph.connect_names("b", "selector.in1");
        let items = [0, 1].map(|place| {
            let sink = VecSink::<i32>::new();
            let items = sink.items();
            graph.add(format!("sink{place}"), sink);
            graph.connect_names(&format!("selector.out{place}"), &format!("sink{place}"));
            items
        });
        let mut graph = graph.check().unwrap();
        for (name, value) in changes {
            graph.set_at(format!("selector.{name}"), value.clone(), 500).unwrap();
        }
        graph.start(&Single, options).unwrap().wait().unwrap();
        items.map(|items| items.take())
    }

    #[test]
    fn a_change_takes_effect_at_its_item_wherever_the_streams_are_cut() {
        for options in cuts() {
            let selector = || Selector::<i32>::new(2, 2, 1, 0).unwrap();
            let b: Vec<i32> = (5000..6000).collect();
            assert_eq!(run(selector(), &[], &options), [b.clone(), vec![]]);
            let both = [("input_index", Value::from(0)), ("output_index", 1.into())];
            assert_eq!(run(selector(), &both, &options), [b[..500].to_vec(), (500..1000).collect()]);
            assert_eq!(run(selector(), &[("enabled", false.into())], &options), [b[..500].to_vec(), vec![]]);
        }
    }

    #[test]
    fn a_port_that_there_is_not_is_refused() {
        let error = Selector::<u8>::new(2, 1, 2, 0).map(|_| ()).unwrap_err().to_string();
        assert_eq!(error, "input_index = 2: expected the number of an input, from 0");
        let mut selector = Selector::<u8>::new(2, 2, 0, 0).unwrap();
        assert!(
            selector.set_parameter("output_index", &2.into()).is_err()
                && selector.set_parameter("output_index", &(-1).into()).is_err()
        );
        assert!(selector.set_parameter("output_index", &1.into()).is_ok());
    }
}
