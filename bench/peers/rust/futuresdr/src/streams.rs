//! The chain on FutureSDR's default buffers: each block writes into a ring of its own.

use futuresdr::runtime::dev::prelude::*;
use peer_common::{Args, Items};

/// Gives all the room it has without writing.
#[derive(Block)]
struct Source<O = DefaultCpuWriter<f32>>
where
    O: CpuBufferWriter<Item = f32>,
{
    #[output]
    output: O,
}

impl<O: CpuBufferWriter<Item = f32>> Kernel for Source<O> {
    async fn work(&mut self, _: &mut WorkIo, _: &mut MessageOutputs, _: &BlockMeta) -> Result<()> {
        let room = self.output.slice().len();
        self.output.produce(room);
        Ok(())
    }
}

#[derive(Block)]
struct Saxpy<I = DefaultCpuReader<f32>, O = DefaultCpuWriter<f32>>
where
    I: CpuBufferReader<Item = f32>,
    O: CpuBufferWriter<Item = f32>,
{
    #[input]
    input: I,
    #[output]
    output: O,
    weight: u32,
}

impl<I: CpuBufferReader<Item = f32>, O: CpuBufferWriter<Item = f32>> Kernel for Saxpy<I, O> {
    async fn work(&mut self, _: &mut WorkIo, _: &mut MessageOutputs, _: &BlockMeta) -> Result<()> {
        let (x, y) = (self.input.slice(), self.output.slice());
        let n = x.len().min(y.len());
        if n > 0 {
            peer_common::saxpy(&mut y[..n], &x[..n], self.weight);
            self.input.consume(n);
            self.output.produce(n);
        }
        Ok(())
    }
}

/// Takes all there is without a look and counts it.
#[derive(Block)]
struct Sink<I = DefaultCpuReader<f32>>
where
    I: CpuBufferReader<Item = f32>,
{
    #[input]
    input: I,
    items: Items,
}

impl<I: CpuBufferReader<Item = f32>> Kernel for Sink<I> {
    async fn work(&mut self, _: &mut WorkIo, _: &mut MessageOutputs, _: &BlockMeta) -> Result<()> {
        let n = self.input.slice().len();
        if n > 0 {
            self.items.add(n);
            self.input.consume(n);
        }
        Ok(())
    }
}

/// Adds the chain to `graph`.
pub fn build(graph: &mut Flowgraph, args: &Args, items: &Items) -> Result<()> {
    let saxpy =
        || -> Saxpy { Saxpy { input: Default::default(), output: Default::default(), weight: args.weight } };
    let source: Source = Source { output: Default::default() };
    let source = graph.add(source)?;
    let mut last = graph.add(saxpy())?;
    graph.stream(&source, |b| b.output(), &last, |b| b.input())?;
    for _ in 1..args.kernels {
        let next = graph.add(saxpy())?;
        graph.stream(&last, |b| b.output(), &next, |b| b.input())?;
        last = next;
    }
    let sink: Sink = Sink { input: Default::default(), items: items.clone() };
    let sink = graph.add(sink)?;
    graph.stream(&last, |b| b.output(), &sink, |b| b.input())?;
    Ok(())
}
