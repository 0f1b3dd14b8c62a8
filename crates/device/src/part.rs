//! A device block as its region sees it: the types of its items erased.

use superhet_runtime::{
    BlockError, Ratio, Value, block::Streams, parameter::Desk, port::PortVisitor, tag::TagPolicy,
};

use crate::backend::{Backend, Launch, Place, Span, Transfer};
use crate::block::{DeviceBlock, DeviceMap, Queue, Repeat};
use crate::streams::{HostEnds, slices, slices_mut};

/// What a region knows of one of its blocks.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub ratio: Ratio,
    pub history: usize,
    pub delay: u64,
    pub tags: TagPolicy,
    pub repeat: Repeat,
}

/// A device block without its types.
pub(crate) trait Work<B: Backend>: Send {
    fn shape(&self) -> Shape;
    fn prepare(&mut self, backend: &B) -> Result<(), B::Error>;
    fn enqueue(
        &mut self,
        queue: &mut Queue<'_, B>,
        x: &[Span<'_, B>],
        y: &[Span<'_, B>],
    ) -> Result<(), B::Error>;
    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError>;
    /// The values of all parameters that the block shows.
    fn parameters(&self) -> Vec<(&'static str, Value)>;
}

/// A device block with the host's ends of its ports.
pub(crate) struct Part<B: Backend> {
    pub work: Box<dyn Work<B>>,
    pub ends: HostEnds,
    pub desk: Option<Desk>,
}

/// A [`DeviceBlock`].
struct OfBlock<D>(D);

/// A [`DeviceMap`], compiled.
struct OfMap<K, B: Backend> {
    block: K,
    program: Option<B::Program>,
    /// Each table with its size in bytes.
    tables: Vec<(B::Memory, usize)>,
    /// A parameter has changed since they were loaded.
    are_tables_old: bool,
    constants: Vec<u8>,
}

impl<B: Backend> Part<B> {
    pub fn of_block<D: DeviceBlock<B>>(block: D) -> Self {
        Part::new::<D::In, D::Out>(Box::new(OfBlock(block)), D::PARAMETERS)
    }

    pub fn of_map<K: DeviceMap>(block: K) -> Self {
        let constants = block.constants();
        let work = OfMap { block, program: None, tables: Vec::new(), are_tables_old: false, constants };
        Part::new::<K::In, K::Out>(Box::new(work), K::PARAMETERS)
    }

    fn new<I: Streams, O: Streams>(work: Box<dyn Work<B>>, parameters: &'static [&'static str]) -> Self {
        let ends = HostEnds::of::<I, O>();
        let desk = Desk::new(parameters, &[], work.shape().ratio, ends.inputs.is_empty());
        if let Some(desk) = &desk {
            desk.tell(work.parameters());
        }
        Part { work, ends, desk }
    }

    /// Shows all ports, as for a block that is not joined to others yet.
    pub fn visit(&mut self, visitor: &mut dyn PortVisitor) {
        let HostEnds { inputs, outputs, .. } = &mut self.ends;
        let (ins, outs) = (inputs.len(), outputs.len());
        for (place, port) in inputs.iter_mut().enumerate() {
            port.visit(&HostEnds::port_name("in", place, ins), visitor);
        }
        if let Some(desk) = &mut self.desk {
            desk.visit(Desk::PORT, visitor);
        }
        for (place, port) in outputs.iter_mut().enumerate() {
            port.visit(&HostEnds::port_name("out", place, outs), visitor);
        }
    }
}

impl<B: Backend, D: DeviceBlock<B>> Work<B> for OfBlock<D> {
    fn shape(&self) -> Shape {
        let OfBlock(block) = self;
        let (ratio, history, delay) = (block.ratio(), block.history(), block.delay());
        Shape { ratio, history, delay, tags: block.tags(), repeat: block.repeat() }
    }
    fn prepare(&mut self, backend: &B) -> Result<(), B::Error> {
        self.0.prepare(backend)
    }
    fn enqueue(
        &mut self,
        queue: &mut Queue<'_, B>,
        x: &[Span<'_, B>],
        y: &[Span<'_, B>],
    ) -> Result<(), B::Error> {
        self.0.enqueue(queue, slices::<D::In, B>(x), slices_mut::<D::Out, B>(y))
    }
    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        self.0.set_parameter(name, value)
    }
    fn parameters(&self) -> Vec<(&'static str, Value)> {
        D::PARAMETERS.iter().filter_map(|name| Some((*name, self.0.parameter(name)?))).collect()
    }
}

impl<B: Backend, K: DeviceMap> Work<B> for OfMap<K, B> {
    fn shape(&self) -> Shape {
        let block = &self.block;
        let (ratio, history, delay) = (block.ratio(), block.history(), block.delay());
        Shape { ratio, history, delay, tags: block.tags(), repeat: Repeat::Freely }
    }
    fn prepare(&mut self, backend: &B) -> Result<(), B::Error> {
        self.program = Some(backend.compile(&self.block.source())?);
        let mut stream = backend.stream()?;
        self.load_tables(backend, &mut stream)?;
        backend.drain(&mut stream)
    }

    fn enqueue(
        &mut self,
        queue: &mut Queue<'_, B>,
        x: &[Span<'_, B>],
        y: &[Span<'_, B>],
    ) -> Result<(), B::Error> {
        if self.are_tables_old {
            self.load_tables(queue.backend, queue.stream)?;
        }
        let tables = self.tables.iter().map(|(memory, bytes)| Span {
            place: Place { memory, at: 0 },
            items: bytes / 4,
            item_bytes: 4,
        });
        let inputs: Vec<_> = x.iter().copied().chain(tables).collect();
        let items = y.first().or(x.first()).map_or(0, |span| span.items);
        let Some(program) = &self.program else { return Ok(()) };
        let (constants, threads) = (&self.constants[..], self.block.threads(items));
        queue.launch(program, &Launch { inputs: &inputs, outputs: y, constants, threads })
    }

    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        self.block.set_parameter(name, value)?;
        self.constants = self.block.constants();
        self.are_tables_old = true;
        Ok(())
    }

    fn parameters(&self) -> Vec<(&'static str, Value)> {
        K::PARAMETERS.iter().filter_map(|name| Some((*name, self.block.parameter(name)?))).collect()
    }
}

impl<K: DeviceMap, B: Backend> OfMap<K, B> {
    /// Enqueues the upload of all tables to memory of their own: what is enqueued already may still read the old ones.
    fn load_tables(&mut self, backend: &B, stream: &mut B::Stream) -> Result<(), B::Error> {
        self.tables.clear();
        for table in self.block.tables() {
            let memory = backend.allocate(table.len().max(4))?;
            let mut staging = backend.stage(table.len().max(4), Transfer::Upload)?;
            backend.write(&mut staging, 0, &table)?;
            backend.upload(stream, &staging, &memory, 0, table.len())?;
            self.tables.push((memory, table.len()));
        }
        self.are_tables_old = false;
        Ok(())
    }
}
