//! The copies between host and device as blocks that say so.

use std::marker::PhantomData;

use superhet_runtime::Item;

use crate::backend::Backend;
use crate::block::{DeviceBlock, Queue, Repeat};
use crate::slice::{DevSlice, DevSliceMut};

macro_rules! copies {
    ($($(#[$doc:meta])+ $name:ident)+) => {$(
        $(#[$doc])+
        ///
        /// | port | item | unit |
        /// |---|---|---|
        /// | in `in` | any | any |
        /// | out `out` | the same | the same |
        ///
        /// **Accuracy**: exact. **Languages**: none; it is the driver's copy.
        #[derive(Clone, Copy, Debug)]
        pub struct $name<T>(PhantomData<fn() -> T>);

        impl<T> $name<T> {
            /// The block.
            pub fn new() -> Self {
                $name(PhantomData)
            }
        }

        impl<T> Default for $name<T> {
            fn default() -> Self {
                $name::new()
            }
        }

        impl<B: Backend, T: Item> DeviceBlock<B> for $name<T> {
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
    )+};
}

copies! {
    /// Brings a stream of the host to the device: `y[n] = x[n]`, on the device.
    ///
    /// Any block of the device does so with what it reads from the host, and moves no stream twice. This one is for where
    /// the place shall show in the graph.
    ///
    /// ```
    /// use superhet_device::{Device, Sim, blocks::{DeviceToHost, HostToDevice}};
    /// use superhet_runtime::{Graph, harness::{VecSink, VecSource}};
    ///
    /// let device = Device::new(Sim::new());
    /// let mut graph = Graph::new();
    /// let source = graph.add("source", VecSource::new(vec![1.0f32, 2.0, 3.0]));
    /// let up = graph.add("up", device.block(HostToDevice::<f32>::new()));
    /// let down = graph.add("down", device.block(DeviceToHost::<f32>::new()));
    /// let sink = VecSink::<f32>::new();
    /// let items = sink.items();
    /// let sink = graph.add("sink", sink);
    /// graph.connect(source.output, up.input);
    /// graph.connect(up.output, down.input);
    /// graph.connect(down.output, sink.input);
    /// graph.run()?;
    /// assert_eq!(items.take(), [1.0, 2.0, 3.0]);
    /// # Ok::<(), superhet_runtime::RunError>(())
    /// ```
    HostToDevice
    /// Brings a stream of the device to the host: `y[n] = x[n]`, of which the host reads `y`.
    ///
    /// Any other block of the device does so where a block of the host reads its output. This one is for where the place
    /// shall show in the graph.
    DeviceToHost
}
