//! The chain on FutureSDR's in-place circuits: a few buffers go round through all blocks.

use futuresdr::runtime::BlockRef;
use futuresdr::runtime::buffer::{InplaceBuffer, InplaceReader, InplaceWriter};
use futuresdr::runtime::dev::prelude::*;
use peer_common::{Args, Items};

use crate::Circuit;

/// Passes on empty buffers as if it had filled them.
#[derive(Block)]
struct Source<O = circuit::Writer<f32>>
where
    O: InplaceWriter<Item = f32>,
{
    #[output]
    output: O,
}

impl<O: InplaceWriter<Item = f32>> Source<O> {
    fn new(circuit: Circuit) -> Self {
        let mut output = O::default();
        output.inject_buffers_with_items(circuit.buffers, circuit.items);
        Source { output }
    }
}

impl<O: InplaceWriter<Item = f32>> Kernel for Source<O> {
    async fn work(&mut self, _: &mut WorkIo, _: &mut MessageOutputs, _: &BlockMeta) -> Result<()> {
        while let Some(buffer) = self.output.get_empty_buffer() {
            self.output.put_full_buffer(buffer)?;
        }
        Ok(())
    }
}

#[derive(Block)]
struct Saxpy<I = circuit::Reader<f32>, O = circuit::Writer<f32>>
where
    I: InplaceReader<Item = f32>,
    O: InplaceWriter<Item = f32, Buffer = I::Buffer>,
{
    #[input]
    input: I,
    #[output]
    output: O,
    weight: u32,
}

impl<I, O> Saxpy<I, O>
where
    I: InplaceReader<Item = f32>,
    O: InplaceWriter<Item = f32, Buffer = I::Buffer>,
{
    fn new(weight: u32) -> Self {
        Saxpy { input: I::default(), output: O::default(), weight }
    }
}

impl<I, O> Kernel for Saxpy<I, O>
where
    I: InplaceReader<Item = f32>,
    O: InplaceWriter<Item = f32, Buffer = I::Buffer>,
{
    async fn work(&mut self, _: &mut WorkIo, _: &mut MessageOutputs, _: &BlockMeta) -> Result<()> {
        while let Some(mut buffer) = self.input.get_full_buffer() {
            peer_common::saxpy_in_place(buffer.slice(), self.weight);
            self.output.put_full_buffer(buffer)?;
        }
        Ok(())
    }
}

/// Takes buffers without a look and counts them; dropped, they return to the source.
#[derive(Block)]
struct Sink<I = circuit::Reader<f32>>
where
    I: InplaceReader<Item = f32>,
{
    #[input]
    input: I,
    items: Items,
}

impl<I: InplaceReader<Item = f32>> Sink<I> {
    fn new(items: &Items) -> Self {
        Sink { input: I::default(), items: items.clone() }
    }
}

impl<I: InplaceReader<Item = f32>> Kernel for Sink<I> {
    async fn work(&mut self, _: &mut WorkIo, _: &mut MessageOutputs, _: &BlockMeta) -> Result<()> {
        while let Some(mut buffer) = self.input.get_full_buffer() {
            self.items.add(buffer.slice().len());
        }
        Ok(())
    }
}

/// Blocks that any thread may run.
struct Chain {
    source: BlockRef<Source>,
    saxpys: Vec<BlockRef<Saxpy>>,
    sink: BlockRef<Sink>,
}

impl Chain {
    fn connect(&self, graph: &mut Flowgraph) -> Result<()> {
        graph.stream(&self.source, |b| b.output(), &self.saxpys[0], |b| b.input())?;
        for pair in self.saxpys.windows(2) {
            graph.stream(&pair[0], |b| b.output(), &pair[1], |b| b.input())?;
        }
        graph.stream(&self.saxpys[self.saxpys.len() - 1], |b| b.output(), &self.sink, |b| b.input())?;
        Ok(())
    }
}

/// Adds the chain to `graph` and says which blocks each core should run.
pub fn build(
    graph: &mut Flowgraph,
    args: &Args,
    circuit: Circuit,
    items: &Items,
) -> Result<Vec<Vec<BlockId>>> {
    let source = graph.add(Source::new(circuit))?;
    let saxpys =
        (0..args.kernels).map(|_| graph.add(Saxpy::new(args.weight))).collect::<Result<Vec<_>, _>>()?;
    let sink = graph.add(Sink::new(items))?;
    let chain = Chain { source, saxpys, sink };
    chain.connect(graph)?;

    let mut ids = chain.saxpys.iter().map(BlockRef::id);
    let mut placed: Vec<Vec<BlockId>> =
        args.shares().into_iter().map(|share| ids.by_ref().take(share).collect()).collect();
    placed[0].insert(0, chain.source.id());
    placed.last_mut().expect("at least one core").push(chain.sink.id());
    Ok(placed)
}

/// Adds the chain to `graph` with a pinned local domain for each core.
pub fn build_in_domains(
    graph: &mut Flowgraph,
    args: &Args,
    circuit: Circuit,
    items: &Items,
    cores: &[usize],
) -> Result<()> {
    let domains = cores.iter().map(|&core| graph.local_domain_pinned(core)).collect::<Result<Vec<_>, _>>()?;
    let source = graph.with_local_domain(domains[0], move |domain| Ok(domain.add(Source::new(circuit))))?;
    let mut saxpys = Vec::new();
    for (&domain, share) in domains.iter().zip(args.shares()) {
        for _ in 0..share {
            let weight = args.weight;
            saxpys.push(graph.with_local_domain(domain, move |domain| Ok(domain.add(Saxpy::new(weight))))?);
        }
    }
    let items = items.clone();
    let sink = graph
        .with_local_domain(domains[domains.len() - 1], move |domain| Ok(domain.add(Sink::new(&items))))?;
    Chain { source, saxpys, sink }.connect(graph)
}

/// Adds the chain to `graph` in one pinned local domain, with buffers that cannot leave it.
pub fn build_local(
    graph: &mut Flowgraph,
    args: &Args,
    circuit: Circuit,
    items: &Items,
    core: usize,
) -> Result<()> {
    type Writer = circuit::Writer<f32, LocalBlockInbox>;
    type Reader = circuit::Reader<f32, LocalBlockInbox>;
    let (args, items) = (args.clone(), items.clone());
    let domain = graph.local_domain_pinned(core)?;
    graph.with_local_domain(domain, move |domain| {
        let source = domain.add(Source::<Writer>::new(circuit));
        let mut last = domain.add(Saxpy::<Reader, Writer>::new(args.weight));
        domain.stream_local(&source, |b| b.output(), &last, |b| b.input())?;
        for _ in 1..args.kernels {
            let next = domain.add(Saxpy::<Reader, Writer>::new(args.weight));
            domain.stream_local(&last, |b| b.output(), &next, |b| b.input())?;
            last = next;
        }
        let sink = domain.add(Sink::<Reader>::new(&items));
        domain.stream_local(&last, |b| b.output(), &sink, |b| b.input())
    })?;
    Ok(())
}
