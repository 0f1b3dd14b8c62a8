//! The chain on qsdr: `CORES KERNELS WEIGHT SECONDS CONFIG`.
//!
//! `CONFIG` is `out-KIBxBUFFERS` (each block has output buffers of its own) or `in-KIBxBUFFERS` (buffers circulate
//! through all blocks), with KIB the size of a buffer; `-spin` at the end makes idle threads poll instead of sleep;
//! `default` is `out-16x2`. A core is a thread that runs its blocks in turn, as in qsdr's own benchmarks.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use anyhow::Result;
use futures::stream::FusedStream;
use peer_common::{Args, Items, fail};
use qsdr::BlockObject;
use qsdr::buffers::CacheAlignedBuffer;
use qsdr::prelude::*;
use qsdr::scheduler::{run, sequence2, sequence3, sequence4, sequence5, sequence6, sequence7, sequence8};

type B = CacheAlignedBuffer<f32>;

/// Kernels that one core can have here.
const MAX_KERNELS: usize = 6;

/// Passes on empty buffers as if it had filled them.
#[derive(Block, Debug)]
#[work(WorkInPlace)]
struct Source<C: Channel> {
    #[port]
    input: PortSourceQ<B, Spsc>,
    #[port]
    output: PortOutQ<B, C>,
}

impl<C: Channel> WorkInPlace<Quantum<B>> for Source<C> {
    async fn work_in_place(&mut self, _: &mut Quantum<B>) -> Result<WorkStatus> {
        Ok(Run)
    }
}

/// Takes buffers without a look and counts them.
#[derive(Block, Debug)]
#[work(WorkSink)]
struct Sink {
    #[port]
    input: PortRefInQ<B, SpscRef>,
    items: Items,
}

impl WorkSink<Quantum<B>> for Sink {
    async fn work_sink(&mut self, quantum: &Quantum<B>) -> Result<BlockWorkStatus> {
        self.items.add(quantum.len());
        Ok(BlockWorkStatus::Run)
    }
}

/// Saxpy in the buffer that came in.
#[derive(Block, Debug)]
#[work(WorkInPlace)]
struct InPlace<C: Channel> {
    #[port]
    input: PortInQ<B, Spsc>,
    #[port]
    output: PortOutQ<B, C>,
    weight: u32,
}

impl<C: Channel> WorkInPlace<Quantum<B>> for InPlace<C> {
    async fn work_in_place(&mut self, quantum: &mut Quantum<B>) -> Result<WorkStatus> {
        peer_common::saxpy_in_place(quantum.as_mut_slice(), self.weight);
        Ok(Run)
    }
}

/// Saxpy into a buffer of its own.
#[derive(Block, Debug)]
#[work(WorkWithRef)]
struct OutOfPlace {
    #[port]
    input: PortRefInQ<B, SpscRef>,
    #[port]
    source: PortSourceQ<B, Spsc>,
    #[port]
    output: PortOutQ<B, SpscRef>,
    weight: u32,
}

impl WorkWithRef<Quantum<B>> for OutOfPlace {
    async fn work_with_ref(&mut self, x: &Quantum<B>, y: &mut Quantum<B>) -> Result<WorkStatus> {
        peer_common::saxpy(y.as_mut_slice(), x.as_slice(), self.weight);
        Ok(Run)
    }
}

/// How a thread waits.
#[derive(Clone, Copy)]
struct Executor {
    spin: bool,
}

impl Executor {
    fn block_on<S: FusedStream<Item = Result<()>>>(self, blocks: S) {
        if !self.spin {
            return futures::executor::block_on(run(blocks)).expect("no block fails");
        }
        let mut work = pin!(run(blocks));
        let mut context = Context::from_waker(Waker::noop());
        while let Poll::Pending = work.as_mut().poll(&mut context) {
            std::hint::spin_loop();
        }
    }
}

/// Runs streams in turn, in the order given. qsdr's schedulers are made for a fixed number of them, at most 8.
macro_rules! in_turn {
    ($on:expr $(,)?) => { unreachable!("a core without blocks") };
    ($on:expr, $a:expr $(,)?) => { $on.block_on($a) };
    ($on:expr, $a:expr, $b:expr $(,)?) => { $on.block_on(sequence2($a, $b)) };
    ($on:expr, $a:expr, $b:expr, $c:expr $(,)?) => { $on.block_on(sequence3($a, $b, $c)) };
    ($on:expr, $a:expr, $b:expr, $c:expr, $d:expr $(,)?) => { $on.block_on(sequence4($a, $b, $c, $d)) };
    ($on:expr, $a:expr, $b:expr, $c:expr, $d:expr, $e:expr $(,)?) => { $on.block_on(sequence5($a, $b, $c, $d, $e)) };
    ($on:expr, $a:expr, $b:expr, $c:expr, $d:expr, $e:expr, $f:expr $(,)?) => {
        $on.block_on(sequence6($a, $b, $c, $d, $e, $f))
    };
    ($on:expr, $a:expr, $b:expr, $c:expr, $d:expr, $e:expr, $f:expr, $g:expr $(,)?) => {
        $on.block_on(sequence7($a, $b, $c, $d, $e, $f, $g))
    };
    ($on:expr, $a:expr, $b:expr, $c:expr, $d:expr, $e:expr, $f:expr, $g:expr, $h:expr $(,)?) => {
        $on.block_on(sequence8($a, $b, $c, $d, $e, $f, $g, $h))
    };
    ($on:expr, $a:expr, $b:expr, $($rest:expr),* $(,)?) => { in_turn!($on, sequence2($a, $b), $($rest),*) };
}

/// The same with as many streams of `$middle` as there are between those given.
macro_rules! in_turn_around {
    ($on:expr, [$($first:expr),*], $middle:expr, [$($last:expr),*]) => {{
        let count = $middle.len();
        let mut streams = $middle.into_iter().map(BlockObject::into_stream);
        let mut next = || streams.next().expect("counted");
        match count {
            0 => in_turn!($on, $($first,)* $($last,)*),
            1 => in_turn!($on, $($first,)* next(), $($last,)*),
            2 => in_turn!($on, $($first,)* next(), next(), $($last,)*),
            3 => in_turn!($on, $($first,)* next(), next(), next(), $($last,)*),
            4 => in_turn!($on, $($first,)* next(), next(), next(), next(), $($last,)*),
            5 => in_turn!($on, $($first,)* next(), next(), next(), next(), next(), $($last,)*),
            6 => in_turn!($on, $($first,)* next(), next(), next(), next(), next(), next(), $($last,)*),
            _ => unreachable!("at most {MAX_KERNELS} kernels a core"),
        }
    }};
}

/// The blocks of one core: saxpys, after the source if it is the first core, before the end if it is the last.
struct Part<S: Block, M: Block, L: Block> {
    source: Option<BlockObject<S>>,
    middle: Vec<BlockObject<M>>,
    end: Option<(BlockObject<L>, BlockObject<Sink>)>,
}

impl<S: Block, M: Block, L: Block> Part<S, M, L> {
    fn run(self, on: Executor) {
        match (self.source, self.end) {
            (Some(a), Some((y, z))) => {
                in_turn_around!(on, [a.into_stream()], self.middle, [y.into_stream(), z.into_stream()])
            }
            (Some(a), None) => in_turn_around!(on, [a.into_stream()], self.middle, []),
            (None, Some((y, z))) => in_turn_around!(on, [], self.middle, [y.into_stream(), z.into_stream()]),
            (None, None) => in_turn_around!(on, [], self.middle, []),
        }
    }
}

/// Cuts the chain and starts a pinned thread for each part.
fn start<S, M, L>(
    args: &Args,
    on: Executor,
    source: BlockObject<S>,
    mut middle: Vec<BlockObject<M>>,
    end: (BlockObject<L>, BlockObject<Sink>),
) where
    S: Block + 'static,
    M: Block + 'static,
    L: Block + 'static,
    BlockObject<S>: Send,
    BlockObject<M>: Send,
    BlockObject<L>: Send,
{
    let shares = args.shares();
    let cores = peer_common::allowed_cores();
    let (mut source, mut end) = (Some(source), Some(end));
    for (n, &share) in shares.iter().enumerate() {
        let is_last = n + 1 == shares.len();
        let rest = middle.split_off(share - usize::from(is_last));
        let part = Part {
            source: source.take(),
            middle: std::mem::replace(&mut middle, rest),
            end: if is_last { end.take() } else { None },
        };
        let core = cores[n];
        std::thread::spawn(move || {
            peer_common::pin(core);
            part.run(on);
        });
    }
}

/// The buffers of a circuit.
#[derive(Clone, Copy)]
struct Buffers {
    count: usize,
    items: usize,
}

impl Buffers {
    fn make(self) -> std::vec::IntoIter<Quantum<B>> {
        let buffers: Vec<_> = (0..self.count).map(|_| Quantum::new(B::from_value(self.items, 1.0))).collect();
        buffers.into_iter()
    }
}

/// One circuit through all blocks.
fn in_place(args: &Args, on: Executor, sizes: Buffers, items: &Items) -> Result<()> {
    let mut graph = Flowgraph::new();
    let source = graph.add_block(Source::<Spsc> { input: Default::default(), output: Default::default() });
    let middle: Vec<_> = (1..args.kernels)
        .map(|_| {
            let (input, output) = Default::default();
            graph.add_block(InPlace::<Spsc> { input, output, weight: args.weight })
        })
        .collect();
    let (input, output) = Default::default();
    let last = graph.add_block(InPlace::<SpscRef> { input, output, weight: args.weight });
    let sink = graph.add_block(Sink { input: Default::default(), items: items.clone() });

    let mut circuit = graph.new_circuit(sizes.make());
    let mut stream = source.output();
    for saxpy in &middle {
        graph.connect(&mut circuit, stream, saxpy.input())?;
        stream = saxpy.output();
    }
    graph.connect(&mut circuit, stream, last.input())?;
    graph.connect_with_return(&mut circuit, last.output(), sink.input(), source.input())?;

    let mut graph = graph.validate()?;
    let source = graph.extract_block(source)?;
    let middle = middle.into_iter().map(|saxpy| graph.extract_block(saxpy)).collect::<Result<_>>()?;
    let end = (graph.extract_block(last)?, graph.extract_block(sink)?);
    start(args, on, source, middle, end);
    Ok(())
}

/// A circuit for each edge.
fn out_of_place(args: &Args, on: Executor, sizes: Buffers, items: &Items) -> Result<()> {
    let mut graph = Flowgraph::new();
    let source = graph.add_block(Source::<SpscRef> { input: Default::default(), output: Default::default() });
    let mut saxpys: Vec<_> = (0..args.kernels)
        .map(|_| {
            let (input, source, output) = Default::default();
            graph.add_block(OutOfPlace { input, source, output, weight: args.weight })
        })
        .collect();
    let sink = graph.add_block(Sink { input: Default::default(), items: items.clone() });

    let (mut stream, mut empty) = (source.output(), source.input());
    for saxpy in &saxpys {
        let mut circuit = graph.new_circuit(sizes.make());
        graph.connect_with_return(&mut circuit, stream, saxpy.input(), empty)?;
        (stream, empty) = (saxpy.output(), saxpy.source());
    }
    let mut circuit = graph.new_circuit(sizes.make());
    graph.connect_with_return(&mut circuit, stream, sink.input(), empty)?;

    let last = saxpys.pop().expect("at least one kernel");
    let mut graph = graph.validate()?;
    let source = graph.extract_block(source)?;
    let middle = saxpys.into_iter().map(|saxpy| graph.extract_block(saxpy)).collect::<Result<_>>()?;
    let end = (graph.extract_block(last)?, graph.extract_block(sink)?);
    start(args, on, source, middle, end);
    Ok(())
}

fn main() -> Result<()> {
    let args = Args::parse();
    if args.shares()[0] > MAX_KERNELS {
        fail(&format!("at most {MAX_KERNELS} kernels a core"));
    }
    let Some((place, buffers, on)) = config(&args.config) else {
        fail("CONFIG is in-KIBxBUFFERS or out-KIBxBUFFERS, with or without -spin");
    };
    let items = Items::default();
    match place {
        "in" => in_place(&args, on, buffers, &items)?,
        "out" => out_of_place(&args, on, buffers, &items)?,
        _ => fail("CONFIG starts with in- or out-"),
    }
    peer_common::measure("qsdr", "0.1.0", &args, &items)
}

fn config(text: &str) -> Option<(&str, Buffers, Executor)> {
    let text = if text == "default" { "out-16x2" } else { text };
    let (sizes, spin) = text.strip_suffix("-spin").map_or((text, false), |sizes| (sizes, true));
    let (place, sizes) = sizes.split_once('-')?;
    let (kib, count) = sizes.split_once('x')?;
    let buffers = Buffers { count: count.parse().ok()?, items: kib.parse::<usize>().ok()? * 256 };
    Some((place, buffers, Executor { spin }))
}
