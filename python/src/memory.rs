//! Memory that two languages see: with `thread.rs` the only `unsafe` code of the package.
//!
//! Python cannot be held to lifetimes. The memory of a stream is pinned while a call sees it. After the call the arrays are
//! counted. If one is still referenced, the memory stays pinned for ever instead of being freed.

use std::ffi::c_char;

use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMemoryView};
use superhet_runtime::{In, Item, Out};

/// What a memoryview may be made for, as Python's `memoryobject.h` counts it; pyo3 leaves these out of the stable part.
const READ: i32 = 0x100;
const WRITE: i32 = 0x200;

/// The memory of a stream that Python sees during one call.
pub struct Lent {
    view: Py<PyAny>,
    /// Its length in bytes.
    pub bytes: usize,
}

/// Shows Python what `port` has to read: all that is left, or its window; `most` new items at most.
pub fn lend_input<T: Item>(py: Python<'_>, port: &In<T>, rest: bool, most: usize) -> PyResult<Lent> {
    let items: &[T] = if rest { port.rest_window() } else { port.window() };
    let items = &items[..items.len().min(most.saturating_add(port.spec().history))];
    let bytes: &[u8] = bytemuck::cast_slice(items);
    port.pin_memory(true);
    // SAFETY: the bytes are initialised, lie in memory that is pinned now, and are only read.
    unsafe { Lent::new(py, bytes.as_ptr().cast_mut(), bytes.len(), READ) }
}

/// Shows Python the room that `port` has, for `most` items at most.
pub fn lend_output<T: Item>(py: Python<'_>, port: &mut Out<T>, most: usize) -> PyResult<Lent> {
    port.pin_memory(true);
    let room = port.reserve();
    let n = room.len().min(most);
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut room[..n]);
    // SAFETY: the bytes are initialised, lie in memory that is pinned now, and nobody else sees them before they are
    // produced.
    unsafe { Lent::new(py, bytes.as_mut_ptr(), bytes.len(), WRITE) }
}

impl Lent {
    /// # Safety
    /// `first` points to so many initialised bytes in pinned memory, which may be read, or read and written, as `flags`
    /// say.
    unsafe fn new(py: Python<'_>, first: *mut u8, bytes: usize, flags: i32) -> PyResult<Self> {
        // SAFETY: as the caller says.
        let view = unsafe {
            let view = pyo3::ffi::PyMemoryView_FromMemory(first.cast::<c_char>(), bytes as isize, flags);
            Bound::from_owned_ptr_or_err(py, view)?
        };
        Ok(Lent { view: view.unbind(), bytes })
    }

    /// The memory as a memoryview.
    pub fn view<'py>(&self, py: Python<'py>) -> &Bound<'py, PyAny> {
        self.view.bind(py)
    }

    /// Takes the memory back: whether nothing in Python but `array`, which was made of the view, and the view itself sees the memory. Then
    /// nothing does any more, and it can be unpinned.
    pub fn take_back(self, py: Python<'_>, array: Bound<'_, PyAny>) -> PyResult<bool> {
        if !is_alone(&array) {
            // Perhaps only garbage that refers to itself.
            py.import("gc")?.call_method0("collect")?;
        }
        let mut object = array;
        // Down to the view of the view that numpy makes.
        while is_alone(&object) && !object.is_instance_of::<PyMemoryView>() {
            let base = object.getattr(intern!(py, "base"))?;
            if base.is_none() {
                break;
            }
            drop(std::mem::replace(&mut object, base));
        }
        let was_alone = is_alone(&object);
        drop(object);
        let view = self.view(py);
        Ok(was_alone && is_alone(view) && view.call_method0(intern!(py, "release")).is_ok())
    }
}

/// Whether this is the only reference to the object.
fn is_alone(object: &Bound<'_, PyAny>) -> bool {
    // SAFETY: the pointer is that of a live object.
    (unsafe { pyo3::ffi::Py_REFCNT(object.as_ptr()) }) == 1
}

/// The items of a numpy array, read while the array may be changed by Python.
pub struct Borrowed<T> {
    /// Keeps the memory.
    _array: Py<PyAny>,
    items: *const T,
    len: usize,
}

// SAFETY: the memory belongs to the array, which Python keeps wherever it is used from.
unsafe impl<T: Item> Send for Borrowed<T> {}

impl<T: Item> Borrowed<T> {
    /// The items of a contiguous array.
    ///
    /// # Errors
    /// Where it is not contiguous, or not of whole items of `T`.
    pub fn new(array: &Bound<'_, PyAny>) -> PyResult<Self> {
        let interface: Bound<'_, PyDict> = array.getattr("__array_interface__")?.cast_into()?;
        let get = |key: &str| {
            interface.get_item(key)?.ok_or_else(|| PyValueError::new_err(format!("the array has no {key}")))
        };
        let is_strided = interface.get_item("strides")?.is_some_and(|strides| !strides.is_none());
        let (address, _): (usize, bool) = get("data")?.extract()?;
        let bytes: usize = array.getattr("nbytes")?.extract()?;
        if is_strided || !bytes.is_multiple_of(size_of::<T>()) || !address.is_multiple_of(align_of::<T>()) {
            return Err(PyValueError::new_err(format!("expected a contiguous array of {} items", T::NAME)));
        }
        let (items, len) = (std::ptr::with_exposed_provenance(address), bytes / size_of::<T>());
        Ok(Borrowed { _array: array.clone().unbind(), items, len })
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Copies the items from `start` on.
    ///
    /// # Panics
    /// If `start + to.len()` is greater than the number of items.
    pub fn copy(&self, start: usize, to: &mut [T]) {
        assert!(start <= self.len && to.len() <= self.len - start);
        // SAFETY: the items lie within the array, which is kept, and any bits are an item. An array that Python writes
        // at the same time gives old or new items.
        unsafe { std::ptr::copy_nonoverlapping(self.items.add(start), to.as_mut_ptr(), to.len()) };
    }
}

/// The items of a numpy array, while Python's lock is held.
pub struct Read<'a, T> {
    items: Borrowed<T>,
    _array: &'a Bound<'a, PyAny>,
}

impl<'a, T: Item> Read<'a, T> {
    /// As [`Borrowed::new`].
    pub fn new(array: &'a Bound<'a, PyAny>) -> PyResult<Self> {
        Ok(Read { items: Borrowed::new(array)?, _array: array })
    }

    /// The items.
    pub fn items(&self) -> &[T] {
        // SAFETY: the items lie within the array, which is kept. No code writes to it while Python's lock is held, except
        // code that has released the lock while it uses the array. No numpy program may rely on that.
        unsafe { std::slice::from_raw_parts(self.items.items, self.items.len) }
    }

    /// From which address to which they lie.
    pub fn bytes(&self) -> std::ops::Range<usize> {
        let first = self.items.items.addr();
        first..first + self.items.len * size_of::<T>()
    }
}

/// The items of a numpy array, to be written while Python's lock is held.
pub struct Write<'a, T>(Read<'a, T>);

impl<'a, T: Item> Write<'a, T> {
    /// As [`Borrowed::new`], of an array that can be written and lies apart from `others`.
    pub fn new(array: &'a Bound<'a, PyAny>, others: &[std::ops::Range<usize>]) -> PyResult<Self> {
        let is_writable: bool = array.getattr("flags")?.getattr("writeable")?.extract()?;
        let own = Read::new(array)?;
        let bytes = own.bytes();
        if !is_writable || others.iter().any(|other| other.start < bytes.end && bytes.start < other.end) {
            return Err(PyValueError::new_err(
                "expected an output that can be written, apart from the inputs",
            ));
        }
        Ok(Write(own))
    }

    /// The items.
    pub fn items(&mut self) -> &mut [T] {
        // SAFETY: as for `Read`; the array can be written, and lies apart from all others of the call.
        unsafe { std::slice::from_raw_parts_mut(self.0.items.items.cast_mut(), self.0.items.len) }
    }
}

/// Items that numpy sees without a copy, by `numpy.asarray`.
#[pyclass(frozen, module = "superhet._native")]
pub struct Memory {
    bytes: Box<dyn AsBytes>,
    dtype: &'static str,
    shape: (usize, Option<usize>),
}

/// What has bytes that stay where they are.
trait AsBytes: Send + Sync {
    fn address(&self) -> usize;
}

impl<T: Item> AsBytes for Vec<T> {
    fn address(&self) -> usize {
        self.as_ptr().expose_provenance()
    }
}

impl Memory {
    /// The items, as numpy's type `dtype`; in two columns where an item is a pair.
    pub fn new<T: Item>(items: Vec<T>, dtype: &'static str, pairs: bool) -> Self {
        let shape = (items.len(), pairs.then_some(2));
        Memory { bytes: Box::new(items), dtype, shape }
    }
}

#[pymethods]
impl Memory {
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let interface = PyDict::new(py);
        match self.shape {
            (items, None) => interface.set_item("shape", (items,))?,
            (items, Some(columns)) => interface.set_item("shape", (items, columns))?,
        }
        interface.set_item("typestr", self.dtype)?;
        interface.set_item("data", (self.bytes.address(), false))?;
        interface.set_item("version", 3)?;
        Ok(interface)
    }
}
