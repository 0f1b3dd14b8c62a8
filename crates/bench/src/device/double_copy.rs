//! Case A: a block of the host that uses a device by itself.

use std::sync::Arc;

use anyhow::anyhow;
use superhet_device::{Backend, Counters, Place, Transfer};
use superhet_runtime::{Block, BlockError, C32, Context, In, Out, Step, Work};

use super::shared::{cast, cast_mut};

/// A block of the host that has its work done by a device, as a user would write it who knows nothing of domains.
#[derive(Block)]
pub(super) struct DoubleCopy<B: Backend> {
    #[port("in")]
    input: In<C32>,
    #[port("out")]
    output: Out<C32>,
    backend: Arc<B>,
    stream: B::Stream,
    to: B::Staging,
    from: B::Staging,
    x: B::Memory,
    y: B::Memory,
    counters: Arc<Counters>,
    batch: usize,
}

impl<B: Backend> DoubleCopy<B> {
    pub(super) fn new(backend: Arc<B>, batch: usize) -> anyhow::Result<(Self, Arc<Counters>)> {
        let counters = Arc::new(Counters::default());
        let make = || {
            let bytes = 8 * batch;
            Ok(DoubleCopy {
                input: In::new().batch(batch),
                output: Out::new().batch(batch),
                stream: backend.stream()?,
                to: backend.stage(bytes, Transfer::Upload)?,
                from: backend.stage(bytes, Transfer::Download)?,
                x: backend.allocate(bytes)?,
                y: backend.allocate(bytes)?,
                counters: counters.clone(),
                backend: backend.clone(),
                batch,
            })
        };
        let block = make().map_err(|error: B::Error| anyhow!("{error}"))?;
        Ok((block, counters))
    }

    fn copy(&mut self, n: usize) -> Result<(), B::Error> {
        let (backend, bytes) = (&*self.backend, 8 * n);
        let (x, y) = (Place { memory: &self.x, at: 0 }, Place { memory: &self.y, at: 0 });
        self.counters.count_round_trip(bytes as u64, 3);
        if let Some(pageable) = backend.pageable() {
            pageable.send(&mut self.stream, cast(&self.input.peek()[..n]), x)?;
            backend.copy(&mut self.stream, x, y, bytes)?;
            backend.drain(&mut self.stream)?;
            return pageable.fetch(&mut self.stream, y, cast_mut(&mut self.output.reserve()[..n]));
        }
        backend.write(&mut self.to, 0, cast(&self.input.peek()[..n]))?;
        backend.upload(&mut self.stream, &self.to, &self.x, 0, bytes)?;
        backend.drain(&mut self.stream)?;
        backend.copy(&mut self.stream, x, y, bytes)?;
        backend.drain(&mut self.stream)?;
        backend.download(&mut self.stream, &self.y, 0, &self.from, bytes)?;
        backend.drain(&mut self.stream)?;
        backend.read(&mut self.from, 0, cast_mut(&mut self.output.reserve()[..n]))
    }
}

impl<B: Backend> Work for DoubleCopy<B> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.input.available().min(self.output.room()).min(self.batch);
        if n == 0 {
            return Ok(if self.output.room() == 0 { Step::NeedOutput } else { Step::NeedInput });
        }
        self.copy(n)?;
        self.input.consume(n);
        self.output.produce(n);
        Ok(Step::Ran)
    }

    /// As GNU Radio has it, where every block has a thread.
    fn blocking(&self) -> bool {
        true
    }
}
