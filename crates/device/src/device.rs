//! A device: a driver, how it is used, and the blocks that live there.

use std::any::Any;
use std::marker::PhantomData;
use std::sync::Arc;

use superhet_runtime::block::{IntoBlock, StreamPorts, Streams};
use superhet_runtime::domain::{Domain, Member, Resident};
use superhet_runtime::port::{BlockId, PortVisitor};
use superhet_runtime::{AnyBlock, BlockError, Ratio};

use crate::backend::Backend;
use crate::block::{DeviceBlock, DeviceMap};
use crate::counters::Counters;
use crate::part::Part;
use crate::region::Region;
use crate::settings::{Settings, Ways};

/// A device whose blocks can be put into graphs. Blocks of one `Device` and its clones share samples on the device;
/// between two of them samples go through the host, even if the driver is the same.
///
/// See [`DeviceMap`] for an example.
pub struct Device<B: Backend>(Arc<Inner<B>>);

struct Inner<B> {
    backend: Arc<B>,
    settings: Settings,
    ways: Ways,
    counters: Arc<Counters>,
}

impl<B: Backend> Clone for Device<B> {
    fn clone(&self) -> Self {
        Device(self.0.clone())
    }
}

impl<B: Backend> Device<B> {
    /// The device of this driver, used as [`Settings::default`] says.
    pub fn new(backend: B) -> Self {
        Device::with(backend, Settings::default())
    }

    /// The device of this driver, used in this way. Too small settings count as the smallest that are allowed.
    pub fn with(backend: B, settings: Settings) -> Self {
        Device::of(Arc::new(backend), settings)
    }

    /// As [`with`](Self::with), of a driver that others use, too.
    pub fn of(backend: Arc<B>, settings: Settings) -> Self {
        let settings = Settings { batch: settings.batch.max(1), depth: settings.depth.max(2) };
        let ways = Ways { may_capture: true, may_lend: true };
        Device(Arc::new(Inner { backend, settings, ways, counters: Arc::default() }))
    }

    /// The same device as a domain of its own, for comparison: its blocks run one by one even where the driver could
    /// capture and replay a batch.
    #[must_use]
    pub fn without_capture(&self) -> Self {
        self.with_ways(Ways { may_capture: false, ..self.0.ways })
    }

    /// The same device as a domain of its own, for comparison: its samples go through staging memory even where the driver
    /// could copy between the device and the host's streams directly.
    #[must_use]
    pub fn without_lending(&self) -> Self {
        self.with_ways(Ways { may_lend: false, ..self.0.ways })
    }

    /// The same device as a domain of its own: its blocks share no samples with those of this one.
    #[must_use]
    pub fn apart(&self) -> Self {
        self.with_ways(self.0.ways)
    }

    fn with_ways(&self, ways: Ways) -> Self {
        let Inner { backend, settings, .. } = &*self.0;
        let (backend, counters) = (backend.clone(), Arc::default());
        Device(Arc::new(Inner { backend, settings: *settings, ways, counters }))
    }

    /// The driver.
    pub fn backend(&self) -> &B {
        &self.0.backend
    }

    /// How the device is used.
    pub fn settings(&self) -> Settings {
        self.0.settings
    }

    /// What the device's blocks have done so far, in all graphs.
    pub fn counters(&self) -> Arc<Counters> {
        self.0.counters.clone()
    }

    /// A block of this device, for [`Graph::add`](superhet_runtime::Graph::add).
    pub fn block<D: DeviceBlock<B>>(&self, block: D) -> OnDevice<B, D::In, D::Out> {
        OnDevice { device: self.clone(), part: Part::of_block(block), streams: PhantomData }
    }

    /// A block of this device whose work is one kernel, for [`Graph::add`](superhet_runtime::Graph::add).
    pub fn map<K: DeviceMap>(&self, block: K) -> OnDevice<B, K::In, K::Out> {
        OnDevice { device: self.clone(), part: Part::of_map(block), streams: PhantomData }
    }
}

/// A block together with the device that it lives on.
pub struct OnDevice<B: Backend, I, O> {
    device: Device<B>,
    part: Part<B>,
    streams: PhantomData<fn() -> (I, O)>,
}

/// Marks blocks of devices in [`IntoBlock`].
#[derive(Debug)]
pub enum DeviceLevel {}

impl<B: Backend, I: Streams, O: Streams> IntoBlock<DeviceLevel> for OnDevice<B, I, O> {
    type Ports = StreamPorts<I, O>;
    fn into_block(self) -> AnyBlock {
        AnyBlock::resident(self)
    }
    fn ports(&self, id: BlockId) -> Self::Ports {
        StreamPorts::new(id)
    }
}

impl<B: Backend, I: Streams, O: Streams> Resident for OnDevice<B, I, O> {
    fn domain(&self) -> Arc<dyn Domain> {
        self.device.0.clone()
    }
    fn ratio(&self) -> Ratio {
        self.part.work.shape().ratio
    }
    fn visit(&mut self, visitor: &mut dyn PortVisitor) {
        self.part.visit(visitor);
    }
    fn into_any(self: Box<Self>) -> Box<dyn Any + Send> {
        Box::new(self.part)
    }
}

impl<B: Backend> Domain for Inner<B> {
    fn name(&self) -> String {
        self.backend.name()
    }

    fn join(&self, members: Vec<Member>) -> Result<AnyBlock, BlockError> {
        let region =
            Region::new(self.backend.clone(), self.settings, self.ways, self.counters.clone(), members)?;
        Ok(AnyBlock::new(region))
    }
}
