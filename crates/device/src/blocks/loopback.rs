//! A copy on the device.

use std::marker::PhantomData;

use superhet_runtime::Item;

use crate::backend::Backend;
use crate::block::{DeviceBlock, Queue, Repeat};
use crate::slice::{DevSlice, DevSliceMut};

/// Copies on the device: `y[n] = x[n]`, for items of any type; the least that a block can do there, for measurements.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | any | any |
/// | out `out` | the same | the same |
///
/// **Accuracy**: exact. **Languages**: none; it is the driver's copy.
///
/// ```
/// use superhet_device::{Device, Sim, blocks::Loopback};
/// use superhet_runtime::harness;
///
/// let device = Device::new(Sim::new());
/// assert_eq!(harness::run(device.block(Loopback::<u8>::new()), &[1, 2, 3]), [1, 2, 3]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Loopback<T>(PhantomData<fn() -> T>);

impl<T> Loopback<T> {
    /// A copy.
    pub fn new() -> Self {
        Loopback(PhantomData)
    }
}

impl<T> Default for Loopback<T> {
    fn default() -> Self {
        Loopback::new()
    }
}

impl<B: Backend, T: Item> DeviceBlock<B> for Loopback<T> {
    type In = T;
    type Out = T;

    fn repeat(&self) -> Repeat {
        Repeat::Freely
    }

    fn enqueue(
        &mut self,
        queue: &mut Queue<'_, B>,
        x: DevSlice<'_, T, B>,
        y: DevSliceMut<'_, T, B>,
    ) -> Result<(), B::Error> {
        queue.copy(x, y)
    }
}
