//! Stream ports of blocks that are written in Python, whatever their items are.

use std::sync::Arc;

use pyo3::intern;
use pyo3::prelude::*;
use superhet_runtime::port::{AnyIn, AnyOut, PortSpec};
use superhet_runtime::{In, Out, Readiness, Tag};

use crate::item::NumpyItem;
use crate::memory::{Lent, lend_input, lend_output};

/// An input of any item type.
pub trait Input: Send {
    fn port(&mut self) -> &mut dyn AnyIn;
    fn spec(&self) -> &PortSpec;
    fn poll(&self, readiness: &mut Readiness);
    /// Shows what there is to read: all that is left, or what the port's contract allows; `most` items at most.
    fn lend(&self, py: Python<'_>, rest: bool, most: usize) -> PyResult<Lent>;
    /// How many new items `lend` can show.
    fn there(&self, rest: bool) -> usize;
    fn available(&self) -> usize;
    fn consume(&mut self, items: usize);
    fn index(&self) -> u64;
    fn tags(&self, items: usize, look: &mut dyn FnMut(&Tag));
    fn is_finished(&self) -> bool;
    fn has_ended(&self) -> bool;
    fn unpin(&self);
}

impl<T: NumpyItem> Input for In<T> {
    fn port(&mut self) -> &mut dyn AnyIn {
        self
    }
    fn spec(&self) -> &PortSpec {
        In::spec(self)
    }
    fn poll(&self, readiness: &mut Readiness) {
        In::poll(self, readiness);
    }
    fn lend(&self, py: Python<'_>, rest: bool, most: usize) -> PyResult<Lent> {
        lend_input(py, self, rest, most)
    }
    fn there(&self, rest: bool) -> usize {
        if rest { self.rest_window().len() - In::spec(self).history } else { In::available(self) }
    }
    fn available(&self) -> usize {
        In::available(self)
    }
    fn consume(&mut self, items: usize) {
        In::consume(self, items);
    }
    fn index(&self) -> u64 {
        In::index(self)
    }
    fn tags(&self, items: usize, look: &mut dyn FnMut(&Tag)) {
        self.for_each_tag(items, look);
    }
    fn is_finished(&self) -> bool {
        In::is_finished(self)
    }
    fn has_ended(&self) -> bool {
        In::has_ended(self)
    }
    fn unpin(&self) {
        self.pin_memory(false);
    }
}

/// An output of any item type.
pub trait Output: Send {
    fn port(&mut self) -> &mut dyn AnyOut;
    fn poll(&self, readiness: &mut Readiness);
    /// Shows the room that there is, for `most` items at most.
    fn lend(&mut self, py: Python<'_>, most: usize) -> PyResult<Lent>;
    fn room(&self) -> usize;
    fn produce(&mut self, items: usize);
    fn index(&self) -> u64;
    fn tag(&mut self, tag: Tag);
    fn source(&self) -> Arc<str>;
    fn unpin(&self);
}

impl<T: NumpyItem> Output for Out<T> {
    fn port(&mut self) -> &mut dyn AnyOut {
        self
    }
    fn poll(&self, readiness: &mut Readiness) {
        Out::poll(self, readiness);
    }
    fn lend(&mut self, py: Python<'_>, most: usize) -> PyResult<Lent> {
        lend_output(py, self, most)
    }
    fn room(&self) -> usize {
        Out::room(self)
    }
    fn produce(&mut self, items: usize) {
        Out::produce(self, items);
    }
    fn index(&self) -> u64 {
        Out::index(self)
    }
    fn tag(&mut self, tag: Tag) {
        self.put_tag(tag);
    }
    fn source(&self) -> Arc<str> {
        Out::source(self)
    }
    fn unpin(&self) {
        self.pin_memory(false);
    }
}

/// A port with what Python needs to see of it.
pub struct Stream<P: ?Sized> {
    pub name: Arc<str>,
    /// The size of an item in bytes.
    pub size: usize,
    /// Items before the new ones that an input shows.
    pub history: usize,
    /// The tags beyond the last item were handed on.
    pub is_over: bool,
    /// Numpy's type, and whether an item is a pair of it.
    pub dtype: Py<PyAny>,
    pub is_pair: bool,
    pub port: Box<P>,
}

impl<P: ?Sized> Stream<P> {
    /// A numpy array over lent memory.
    pub fn array<'py>(&self, lent: &Lent, numpy: &Numpy<'py>) -> PyResult<Bound<'py, PyAny>> {
        let py = numpy.frombuffer.py();
        let array = match lent.bytes {
            0 => numpy.empty.call1((0, &self.dtype))?,
            _ => numpy.frombuffer.call1((lent.view(py), &self.dtype))?,
        };
        if self.is_pair { array.call_method1(intern!(py, "reshape"), (-1, 2)) } else { Ok(array) }
    }
}

/// The functions of numpy that make arrays.
pub struct Numpy<'py> {
    pub frombuffer: Bound<'py, PyAny>,
    pub empty: Bound<'py, PyAny>,
}
