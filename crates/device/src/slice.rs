//! Typed handles of items in device memory. They have no address: only their driver can turn one into any.

use std::marker::PhantomData;

use superhet_runtime::Item;

use crate::backend::{Backend, Span};

/// Items of type `T` in the memory of a device of kind `B`, to be read.
///
/// It can be given to a kernel or a copy of the same driver, and to nothing else: host code can neither look at an item
///
/// ```compile_fail
/// fn first<B: superhet_device::Backend>(x: superhet_device::DevSlice<'_, f32, B>) -> f32 { x[0] }
/// ```
///
/// nor follow a pointer
///
/// ```compile_fail
/// fn pointer<B: superhet_device::Backend>(x: superhet_device::DevSlice<'_, f32, B>) -> *const f32 { x.as_ptr() }
/// ```
///
/// nor give it to a device of another kind:
///
/// ```compile_fail
/// use superhet_device::{Backend, DevSlice, DevSliceMut, Queue};
/// fn mix<A: Backend, B: Backend>(queue: &mut Queue<'_, A>, x: DevSlice<'_, f32, B>, y: DevSliceMut<'_, f32, A>) {
///     let _ = queue.copy(x, y);
/// }
/// ```
pub struct DevSlice<'a, T, B: Backend> {
    pub(crate) span: Span<'a, B>,
    item: PhantomData<&'a [T]>,
}

/// Items of type `T` in the memory of a device of kind `B`, to be written.
pub struct DevSliceMut<'a, T, B: Backend> {
    pub(crate) span: Span<'a, B>,
    item: PhantomData<&'a mut [T]>,
}

impl<T, B: Backend> Clone for DevSlice<'_, T, B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, B: Backend> Copy for DevSlice<'_, T, B> {}

impl<'a, T: Item, B: Backend> DevSlice<'a, T, B> {
    pub(crate) fn new(span: Span<'a, B>) -> Self {
        debug_assert_eq!(span.item_bytes, size_of::<T>());
        DevSlice { span, item: PhantomData }
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.span.items
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.span.items == 0
    }

    /// The same items as the argument of a kernel.
    pub fn arg(&self) -> Span<'a, B> {
        self.span
    }

    /// The items from `from` on.
    ///
    /// # Panics
    /// If `from` is greater than `len`.
    #[must_use]
    pub fn skip(self, from: usize) -> Self {
        let Span { mut place, items, item_bytes } = self.span;
        assert!(from <= items, "item {from} of {items}");
        place.at += from * item_bytes;
        DevSlice::new(Span { place, items: items - from, item_bytes })
    }
}

impl<'a, T: Item, B: Backend> DevSliceMut<'a, T, B> {
    pub(crate) fn new(span: Span<'a, B>) -> Self {
        debug_assert_eq!(span.item_bytes, size_of::<T>());
        DevSliceMut { span, item: PhantomData }
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.span.items
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.span.items == 0
    }

    /// The same items as the argument of a kernel.
    pub fn arg(&self) -> Span<'a, B> {
        self.span
    }
}
