//! Graphs with blocks of a device that are changed while they run, or between two runs; streams that end before others.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use superhet_runtime::RunningGraph;

use super::*;

/// Counts until it is stopped.
struct Until {
    next: u32,
    is_over: Arc<AtomicBool>,
}

#[derive(Block)]
struct Counter {
    #[port("out")]
    output: Out<u32>,
    until: Until,
}

impl Work for Counter {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let Until { next, is_over } = &mut self.until;
        if is_over.load(Ordering::Relaxed) {
            return Ok(Step::Done);
        }
        let room = self.output.reserve();
        let n = room.len();
        room.iter_mut().zip(*next..).for_each(|(room, x)| *room = x);
        *next += n as u32;
        self.output.produce(n);
        Ok(Step::Ran)
    }
}

/// Adds a number to each item, on the host.
struct Add(u32);

impl Pure for Add {
    type In = u32;
    type Out = u32;
    fn map(&self, x: &[u32], y: &mut [u32]) {
        y.iter_mut().zip(x).for_each(|(y, x)| *y = x.wrapping_add(self.0));
    }
}

/// `counter -> before -> a -> b -> after -> sink`, of which `a` and `b` live on a device.
fn start(device: &Device<Sim>, is_over: &Arc<AtomicBool>) -> (RunningGraph, Items<u32>) {
    let mut graph = Graph::new();
    let until = Until { next: 0, is_over: is_over.clone() };
    let counter = graph.add("counter", Counter { output: Out::new(), until });
    let before = graph.add("before", Add(0));
    let a = graph.add("a", device.map(ONE));
    let b = graph.add("b", device.map(WITH_HISTORY));
    let after = graph.add("after", Add(0));
    graph.connect(counter.output, before.input);
    graph.connect(before.output, a.input);
    graph.connect(a.output, b.input);
    graph.connect(b.output, after.input);
    let items = add_sink(&mut graph, "sink", after.output);
    (graph.check().unwrap().start(&Single, &Options::default()).unwrap(), items)
}

fn wait_for_batches(device: &Device<Sim>, more: u64) {
    let wanted = device.counters().uploads.get() + more;
    while device.counters().uploads.get() < wanted {
        std::thread::sleep(Duration::from_micros(100));
    }
}

#[test]
fn blocks_around_those_of_a_device_are_replaced_while_these_run() {
    for sim in [Sim::new(), Sim::new().with_capture()] {
        let device = Device::with(sim, Settings { batch: 256, depth: 2 });
        let is_over = Arc::default();
        let (running, items) = start(&device, &is_over);
        wait_for_batches(&device, 10);
        let (_, before) = running.reconfigure(|edit| edit.replace("before", Add(5)).id()).unwrap();
        running.reconfigure(|edit| edit.replace("after", Add(7)).id()).unwrap();
        wait_for_batches(&device, 10);
        is_over.store(true, Ordering::Relaxed);
        running.wait().unwrap();
        let got = items.take();
        let before = before.blocks[0].1 as usize;
        let x: Vec<u32> = (0..got.len()).map(|i| i as u32 + 5 * u32::from(i >= before)).collect();
        let mut wanted = WITH_HISTORY.of(&ONE.of(&x));
        // From one item on, all have the other number added.
        let after = got.iter().zip(&wanted).position(|(got, wanted)| got != wanted);
        let after = after.expect("the last block was replaced");
        wanted[after..].iter_mut().for_each(|y| *y = y.wrapping_add(7));
        let differs = got.iter().zip(&wanted).position(|(got, wanted)| got != wanted);
        let place = differs.map(|at| (at, got[at], wanted[at]));
        assert!(got == wanted, "before from {before}, after from {after}, of {} {place:?}", got.len());
    }
}

#[test]
fn blocks_of_a_device_stay_as_they_are_while_the_graph_runs_and_the_error_names_them() {
    let device = Device::with(Sim::new(), Settings { batch: 256, depth: 2 });
    let is_over = Arc::default();
    let (running, items) = start(&device, &is_over);
    wait_for_batches(&device, 3);
    let replaced = running.reconfigure(|edit| edit.replace("a", Add(1)).id()).unwrap_err().to_string();
    let removed = running.reconfigure(|edit| edit.remove("b")).unwrap_err().to_string();
    for (error, name) in [(replaced, "a"), (removed, "b")] {
        let sentence = format!(
            "{name} lives on sim: blocks of a device cannot be replaced or removed while the graph runs"
        );
        assert!(error.contains(&sentence), "{error}");
    }
    let whole = running.reconfigure(|edit| edit.remove("sim")).unwrap_err().to_string();
    assert!(whole.contains("sim waits for the outside world, and cannot be taken out"), "{whole}");
    let added = running.reconfigure(|edit| {
        edit.remove("after");
        let new = edit.add("new", device.map(ONE));
        edit.connect_names("before", "new");
        let sink = edit.add("other", VecSink::<u32>::new());
        edit.connect(new.output, sink.input);
    });
    let added = added.unwrap_err().to_string();
    let sentence = "new would live on sim#2: blocks of a device cannot be added while the graph runs";
    assert!(added.contains(sentence), "{added}");
    // The graph has gone on as it was.
    wait_for_batches(&device, 3);
    is_over.store(true, Ordering::Relaxed);
    running.wait().unwrap();
    let got = items.take();
    let x: Vec<u32> = (0..got.len() as u32).collect();
    assert!(got == WITH_HISTORY.of(&ONE.of(&x)));
}

#[test]
fn a_graph_that_has_ended_is_built_otherwise_on_the_same_device() {
    let device = Device::with(Sim::new().with_capture(), Settings { batch: 64, depth: 2 });
    let add = |graph: &mut Graph, blocks: &[WindowSum], name: &str, from: OutRef<u32>| {
        let last = blocks.iter().enumerate().fold(from, |last, (number, block)| {
            let block = graph.add(format!("{name}{number}"), device.map(*block));
            graph.connect(last, block.input);
            block.output
        });
        add_sink(graph, &format!("{name} sink"), last)
    };
    // Two chains on one stream; then one of them alone, with another block; then the other way round.
    let rounds: [&[&[WindowSum]]; 4] = [
        &[&[ONE, ONE], &[WITH_HISTORY]],
        &[&[ONE, WITH_HISTORY]],
        &[&[WITH_HISTORY], &[ONE, ONE]],
        &[&[ONE]],
    ];
    for chains in rounds {
        let mut graph = Graph::new();
        let source = graph.add("source", VecSource::new(numbers(10_000)));
        let names = ["first", "second"];
        let sinks: Vec<_> = chains
            .iter()
            .zip(names)
            .map(|(blocks, name)| add(&mut graph, blocks, name, source.output))
            .collect();
        run(graph).unwrap();
        for (blocks, items) in chains.iter().zip(sinks) {
            assert!(items.take() == expected(blocks, 10_000), "{blocks:?}");
        }
        assert_eq!(device.backend().counters().live_bytes, 0);
    }
}

/// Gives few items at once.
#[derive(Block)]
struct Trickle {
    #[port("out")]
    output: Out<u32>,
    items: u32,
}

impl Work for Trickle {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let given = self.output.index() as u32;
        let n = self.output.reserve().len().min(5).min((self.items - given) as usize);
        let room = self.output.reserve()[..n].iter_mut();
        room.zip(given..).for_each(|(room, x)| *room = x);
        self.output.produce(n);
        Ok(if given + n as u32 == self.items { Step::Done } else { Step::Ran })
    }
}

/// The last upload of a stream that has ended may hold items that nobody takes: it still has to be heard that it is over,
/// as short batches of other streams wait until the device is idle.
#[test]
fn uploads_of_a_stream_that_has_ended_hold_nobody_up() {
    let thousand = WindowSum { ratio: Ratio::decimate(1000), history: 0 };
    for seed in 0..10 {
        for sim in [Sim::seeded(seed), Sim::seeded(seed).with_capture()] {
            let device = Device::with(sim, Settings { batch: 1000, depth: 2 });
            let mut graph = Graph::new();
            let short = graph.add("short", VecSource::new(numbers(1010)));
            let long = graph.add("long", Trickle { output: Out::new(), items: 4_000 });
            let down = graph.add("down", device.map(thousand));
            let pass = graph.add("pass", device.map(ONE));
            // It brings both streams into one region.
            let sum = graph.add("sum", device.map(Sum));
            graph.connect(short.output, down.input);
            graph.connect(long.output, pass.input);
            graph.connect(down.output, sum.input.0);
            graph.connect(pass.output, sum.input.1);
            let summed = add_sink(&mut graph, "sums", sum.output);
            let passed = add_sink(&mut graph, "passed", pass.output);
            let mut running = graph.check().unwrap().start(&Single, &Options::default()).unwrap();
            let ended = running.wait_for(Duration::from_secs(60)).expect("it comes to its end");
            ended.unwrap();
            let x: Vec<u32> = (0..4_000).collect();
            assert!(passed.take() == ONE.of(&x), "seed {seed}");
            assert_eq!(summed.take(), [thousand.of(&numbers(1000))[0].wrapping_add(ONE.of(&x)[0])]);
        }
    }
}
