//! Streams from numpy arrays and into them.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use superhet_runtime::{AnyBlock, Block, BlockError, Context, In, Out, Step, Tag, Value, Work};

use crate::item::{NumpyItem, of_item};
use crate::memory::{Borrowed, Memory};
use crate::value::{PythonTag, from_value, pmt_of, to_value, value_of_pmt};

/// Gives the items of a numpy array, once or over and over.
#[derive(Block)]
struct ArraySource<T: NumpyItem> {
    #[port("out")]
    output: Out<T>,
    items: Borrowed<T>,
    /// With the index in the array.
    tags: Vec<Tag>,
    repeat: bool,
    next: usize,
}

impl<T: NumpyItem> Work for ArraySource<T> {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        if self.next == self.items.len() {
            if !self.repeat || self.items.len() == 0 || context.is_stopping() {
                return Ok(Step::Done);
            }
            self.next = 0;
        }
        let room = self.output.reserve();
        let n = room.len().min(self.items.len() - self.next);
        self.items.copy(self.next, &mut room[..n]);
        let span = self.next as u64..(self.next + n) as u64;
        let first = self.output.index();
        for tag in self.tags.iter().filter(|tag| span.contains(&tag.index)) {
            let source = if tag.source.is_empty() { self.output.source() } else { tag.source.clone() };
            self.output.put_tag(Tag { index: first + (tag.index - span.start), source, ..tag.clone() });
        }
        self.next += n;
        self.output.produce(n);
        Ok(Step::Ran)
    }
}

/// A source that gives the items of a contiguous numpy array, as items of the type `item`.
///
/// # Errors
/// Where the array is not contiguous, or not one of whole items.
pub fn source(
    array: &Bound<'_, PyAny>,
    item: &str,
    repeat: bool,
    tags: Vec<PythonTag<'_>>,
    pmt: bool,
) -> PyResult<AnyBlock> {
    let mut known = Vec::new();
    for (index, key, value, source) in tags {
        let value = if pmt { value_of_pmt(&value)? } else { to_value(&value)? };
        known.push(Tag { index, key: key.into(), value, source: source.into() });
    }
    known.sort_by_key(|tag| tag.index);
    of_item!(item, T => {
        let (items, tags) = (Borrowed::<T>::new(array)?, known);
        let expected = if repeat { Out::new() } else { Out::new().expected_items(items.len() as u64) };
        AnyBlock::new(ArraySource { output: expected, items, tags, repeat, next: 0 })
    })
}

/// What a sink has kept.
struct Kept<T> {
    items: Vec<T>,
    tags: Vec<Tag>,
    ended: bool,
}

struct Shared<T> {
    kept: Mutex<Kept<T>>,
    changed: Condvar,
    /// At most so many items wait to be taken; the graph waits then.
    limit: usize,
}

impl<T> Shared<T> {
    fn lock(&self) -> MutexGuard<'_, Kept<T>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keeps items and tags for Python to take.
#[derive(Block)]
struct ArraySink<T: NumpyItem> {
    #[port("in")]
    input: In<T>,
    shared: Arc<Shared<T>>,
}

impl<T: NumpyItem> Work for ArraySink<T> {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.input.available();
        let mut kept = self.shared.lock();
        let n = n.min(self.shared.limit.saturating_sub(kept.items.len()));
        kept.items.extend_from_slice(&self.input.peek()[..n]);
        self.input.for_each_tag(n, |tag| kept.tags.push(tag.clone()));
        drop(kept);
        self.shared.changed.notify_all();
        self.input.consume(n);
        if n == 0 {
            // Full: Python takes when it likes.
            context.sleep_until(Instant::now() + Duration::from_millis(1));
        }
        Ok(Step::Ran)
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let mut kept = self.shared.lock();
        self.input.for_each_tag(0, |tag| kept.tags.push(tag.clone()));
        Ok(Step::Done)
    }

    fn blocking(&self) -> bool {
        self.shared.limit < usize::MAX
    }
}

impl<T: NumpyItem> Drop for ArraySink<T> {
    fn drop(&mut self) {
        self.shared.lock().ended = true;
        self.shared.changed.notify_all();
    }
}

/// A sink of any item type.
trait AnySink: Send + Sync {
    /// A block that adds to what is kept.
    fn block(&self) -> AnyBlock;
    fn take(&self) -> Memory;
    fn tags(&self) -> Vec<Tag>;
    fn len(&self) -> usize;
    /// Waits until `items` are there, the stream has ended, or the time is up; whether the stream has ended.
    fn wait(&self, items: usize, timeout: Duration) -> bool;
}

impl<T: NumpyItem> AnySink for Arc<Shared<T>> {
    fn block(&self) -> AnyBlock {
        self.lock().ended = false;
        AnyBlock::new(ArraySink { input: In::<T>::new(), shared: self.clone() })
    }

    fn take(&self) -> Memory {
        Memory::new(std::mem::take(&mut self.lock().items), T::DTYPE, T::IS_PAIR)
    }

    fn tags(&self) -> Vec<Tag> {
        std::mem::take(&mut self.lock().tags)
    }

    fn len(&self) -> usize {
        self.lock().items.len()
    }

    fn wait(&self, items: usize, timeout: Duration) -> bool {
        let waits = |kept: &mut Kept<T>| kept.items.len() < items && !kept.ended;
        let waited = self.changed.wait_timeout_while(self.lock(), timeout, waits);
        waited.unwrap_or_else(PoisonError::into_inner).0.ended
    }
}

/// Keeps the items of a stream for Python, without a copy on the way to numpy.
#[pyclass(frozen, module = "superhet._native")]
pub struct Sink(Box<dyn AnySink>);

impl Sink {
    /// A block that adds to what is kept.
    pub fn block(&self) -> AnyBlock {
        self.0.block()
    }
}

#[pymethods]
impl Sink {
    /// A sink for items of the type `item`; with a limit, the graph waits while so many items wait to be taken.
    #[new]
    #[pyo3(signature = (item, limit=None))]
    fn new(item: &str, limit: Option<usize>) -> PyResult<Self> {
        let limit = limit.unwrap_or(usize::MAX).max(1);
        of_item!(item, T => {
            let kept = Mutex::new(Kept::<T> { items: Vec::new(), tags: Vec::new(), ended: false });
            Sink(Box::new(Arc::new(Shared { kept, changed: Condvar::new(), limit })))
        })
    }

    /// Takes the items that are there.
    fn take(&self) -> Memory {
        self.0.take()
    }

    /// Takes the tags that are there: index, key, value, source.
    #[pyo3(signature = (pmt=false))]
    fn take_tags<'py>(&self, py: Python<'py>, pmt: bool) -> PyResult<Vec<PythonTag<'py>>> {
        let value = |value: &Value| if pmt { pmt_of(py, value) } else { from_value(py, value) };
        let tags = self.0.tags().into_iter();
        tags.map(|tag| Ok((tag.index, tag.key.to_string(), value(&tag.value)?, tag.source.to_string())))
            .collect()
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// Waits until so many items are there, the stream has ended, or the time is up; whether the stream has ended.
    fn wait(&self, py: Python<'_>, items: usize, timeout: f64) -> bool {
        let timeout = Duration::try_from_secs_f64(timeout).unwrap_or(Duration::ZERO);
        py.detach(|| self.0.wait(items, timeout))
    }
}
