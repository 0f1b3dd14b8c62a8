//! Graphs with blocks on a simulated device: what is moved when, what overlaps, what is found when it goes wrong.

mod capture;
mod edit;

use std::time::Duration;

use superhet_device::blocks::Fir;
use superhet_device::conformance::{Sum, WindowSum};
use superhet_device::sim::{Fault, Operation, Sim, Which};
use superhet_device::{Device, DeviceMap, HostCall, Settings, Source};
use superhet_runtime::Items;
use superhet_runtime::harness::{VecSink, VecSource};
use superhet_runtime::prelude::*;
use superhet_runtime::{Block, RunError, parameter::no_parameter, port::OutRef};

const ONE: WindowSum = WindowSum { ratio: Ratio::ONE, history: 0 };
const WITH_HISTORY: WindowSum = WindowSum { ratio: Ratio::ONE, history: 7 };

fn numbers(items: usize) -> Vec<u32> {
    (0..items as u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect()
}

fn add_sink(graph: &mut Graph, name: &str, from: OutRef<u32>) -> Items<u32> {
    let sink = VecSink::new();
    let items = sink.items();
    let sink = graph.add(name, sink);
    graph.connect(from, sink.input);
    items
}

/// `source -> blocks on the device -> sink`.
fn chain(device: &Device<Sim>, blocks: &[WindowSum], items: usize) -> (Graph, Items<u32>) {
    let mut graph = Graph::new();
    let source = graph.add("source", VecSource::new(numbers(items)));
    let items = add_chain(&mut graph, device, source.output, blocks);
    (graph, items)
}

/// Adds `from -> blocks on the device -> sink`.
fn add_chain(graph: &mut Graph, device: &Device<Sim>, from: OutRef<u32>, blocks: &[WindowSum]) -> Items<u32> {
    let mut last = from;
    for (number, block) in blocks.iter().enumerate() {
        let block = graph.add(format!("block{number}"), device.map(*block));
        graph.connect(last, block.input);
        last = block.output;
    }
    add_sink(graph, "sink", last)
}

fn run(graph: Graph) -> Result<superhet_runtime::Report, RunError> {
    graph.check()?.start(&Single, &Options::default())?.wait()
}

fn expected(blocks: &[WindowSum], items: usize) -> Vec<u32> {
    blocks.iter().fold(numbers(items), |x, block| block.of(&x))
}

#[test]
fn each_batch_is_moved_once_each_way_however_many_blocks_there_are() {
    for blocks in [1, 2, 4, 16] {
        let device = Device::with(Sim::new(), Settings { batch: 1024, depth: 3 });
        let (graph, items) = chain(&device, &vec![ONE; blocks], 64 * 1024);
        run(graph).unwrap();
        assert_eq!(items.take(), expected(&vec![ONE; blocks], 64 * 1024));
        let counters = device.counters();
        let batches = counters.uploads.get();
        assert_eq!(counters.downloads.get(), batches);
        assert_eq!(counters.uploaded_bytes.get(), 4 * 64 * 1024);
        assert_eq!(counters.downloaded_bytes.get(), 4 * 64 * 1024);
        assert_eq!(counters.copies.get() + counters.carries.get(), 0, "between blocks nothing is moved");
        assert_eq!(counters.launches.get(), batches * blocks as u64);
        assert!(counters.host_waits.get() <= 2 * batches, "{counters:?}");
        // What the driver was asked for, not only what the region says.
        let sim = device.backend().counters();
        assert_eq!((sim.uploads, sim.downloads, sim.copies), (batches, batches, 0));
    }
}

#[test]
fn what_streams_lend_is_not_copied_by_the_host() {
    for (sim, staged) in [(Sim::new(), true), (Sim::new().with_lending(), false)] {
        for sim in [sim.clone(), sim.with_capture()] {
            let device = Device::with(sim, Settings { batch: 1000, depth: 3 });
            let blocks = [ONE, WITH_HISTORY, ONE];
            let (graph, items) = chain(&device, &blocks, 100_000);
            run(graph).unwrap();
            assert!(items.take() == expected(&blocks, 100_000));
            let counters = device.backend().counters();
            assert!(counters.uploads >= 100 && counters.downloads >= 100, "{counters:?}");
            assert_eq!(counters.staged > 0, staged, "{counters:?}");
        }
    }
}

#[test]
fn a_stream_goes_once_to_each_device_however_many_readers_it_has_there() {
    let settings = Settings { batch: 512, depth: 2 };
    let (first, second) = (Device::with(Sim::new(), settings), Device::with(Sim::new(), settings));
    let mut graph = Graph::new();
    let source = graph.add("source", VecSource::new(numbers(20_000)));
    let mut sinks = Vec::new();
    for (number, device) in [&first, &first, &first, &second, &second].into_iter().enumerate() {
        let block = graph.add(format!("block{number}"), device.map(ONE));
        graph.connect(source.output, block.input);
        sinks.push(add_sink(&mut graph, &format!("sink{number}"), block.output));
    }
    run(graph).unwrap();
    sinks.into_iter().for_each(|items| assert!(items.take() == expected(&[ONE], 20_000)));
    for (device, readers) in [(&first, 3), (&second, 2)] {
        let counters = device.counters();
        assert_eq!(counters.downloaded_bytes.get(), readers * 4 * 20_000);
        assert_eq!(counters.uploaded_bytes.get(), 4 * 20_000, "one upload for all {readers} readers");
    }
}

/// How long a chain of so many blocks takes on a device all of whose operations take the same time: in such times, and
/// besides, how many batches were sent.
fn time_of_chain(blocks: usize) -> (f64, usize) {
    const BATCHES: usize = 60;
    const BATCH: usize = 256;
    let delay = Duration::from_micros(100);
    let device = Device::with(Sim::new().with_delay(delay), Settings { batch: BATCH, depth: 3 });
    let (graph, items) = chain(&device, &vec![ONE; blocks], BATCHES * BATCH);
    run(graph).unwrap();
    assert_eq!(items.take().len(), BATCHES * BATCH);
    let took = device.backend().elapsed().as_secs_f64() / delay.as_secs_f64();
    (took, device.counters().uploads.get() as usize)
}

#[test]
fn uploads_kernels_and_downloads_overlap() {
    for blocks in [1usize, 4, 16] {
        let stages = blocks + 2;
        // Where the source is kept from running, the device is idle in between: one run without that is enough.
        let is_overlapped = |(took, sent): (f64, usize)| {
            // The zeros before the first batch of each stream take their time, too.
            took <= 1.35 * (sent + 2 * stages) as f64 && (took < 0.6 * (sent * stages) as f64 || blocks == 1)
        };
        let mut last = (0.0, 0);
        let found = (0..20).any(|_| {
            last = time_of_chain(blocks);
            is_overlapped(last)
        });
        assert!(found, "{blocks} blocks: {} operations long for {} batches", last.0, last.1);
    }
}

/// The mistakes of a driver, or of the region that uses it: each is found, the first time, with every seed.
#[test]
fn what_is_not_ordered_is_found_whatever_the_seed() {
    let (plain, history) = ([ONE, ONE], [WITH_HISTORY, WITH_HISTORY]);
    let before = Fault::SkipWaitsBefore;
    let always = |operation| Fault::Skip(operation, Which::Every);
    let mistakes = [
        ("missing ready wait of a kernel", plain, before(Operation::Launch)),
        ("missing ready wait of a download", plain, before(Operation::Download)),
        ("missing released wait of an upload", plain, before(Operation::Upload)),
        ("missing released wait of a kernel", history, before(Operation::Copy)),
        ("staging used before its copy is done", plain, always(Operation::Synchronize)),
        ("prefix not carried", history, always(Operation::Copy)),
        ("wrong stream", plain, Fault::Misplace(Operation::Download, Which::Nth(3))),
        ("events that say nothing", plain, always(Operation::Record)),
    ];
    for (name, blocks, fault) in mistakes {
        let mut words = std::collections::BTreeSet::new();
        for seed in 0..6 {
            let device = Device::with(Sim::seeded(seed), Settings { batch: 128, depth: 2 });
            device.backend().fail(fault);
            let (graph, items) = chain(&device, &blocks, 20_000);
            match run(graph) {
                Err(error) => {
                    words.insert(error.to_string());
                    assert!(device.backend().counters().mistakes > 0, "{name}: {error}");
                }
                Ok(_) => {
                    // What was skipped was only wrong, not unordered: then the output shows it.
                    assert!(items.take() != expected(&blocks, 20_000), "{name}: not found");
                }
            }
        }
        println!("{name}: {words:?}");
    }
}

#[test]
fn an_error_of_the_device_names_the_block() {
    let faults = [
        (Fault::Refuse(Operation::Launch, Which::Nth(5)), "block"),
        (Fault::Lose { after: 40 }, ""),
        (Fault::Fail(Operation::Launch, Which::Nth(5)), ""),
    ];
    let sims = faults.iter().flat_map(|fault| [(fault, Sim::new()), (fault, Sim::new().with_lending())]);
    for ((fault, name), sim) in sims {
        let device = Device::with(sim, Settings { batch: 64, depth: 2 });
        let (graph, _) = chain(&device, &[ONE, ONE], 50_000);
        let graph = graph.check().unwrap();
        device.backend().fail(*fault);
        let error = graph.start(&Single, &Options::default()).unwrap().wait().unwrap_err();
        let RunError::Block { block, .. } = &error else { panic!("{error}") };
        assert!(block.starts_with("block") && block.starts_with(name), "{error}");
        assert!(!block.contains("sim"), "{error}");
        // Everything was freed, although work was on its way.
        let counters = device.backend().counters();
        assert_eq!((counters.live_memories, counters.live_stagings), (0, 0));
    }
}

#[test]
fn too_little_memory_is_a_mistake_that_check_finds() {
    let device = Device::with(Sim::new().with_memory(1000), Settings::default());
    let (graph, _) = chain(&device, &[ONE], 100);
    let error = graph.check().unwrap_err().to_string();
    assert!(error.contains("block0") && error.contains("no room"), "{error}");
}

/// Adds a number that can be changed.
struct Offset(u32);

impl DeviceMap for Offset {
    type In = u32;
    type Out = u32;
    const PARAMETERS: &'static [&'static str] = &["offset"];
    fn source(&self) -> Source {
        Source::new("offset").host(|call: HostCall<'_>| {
            let offset: u32 = bytemuck::pod_read_unaligned(call.constants);
            let x: &[u32] = bytemuck::cast_slice(call.inputs[0]);
            let y: &mut [u32] = bytemuck::cast_slice_mut(call.outputs[0]);
            y.iter_mut().zip(x).for_each(|(y, x)| *y = x.wrapping_add(offset));
        })
    }
    fn constants(&self) -> Vec<u8> {
        self.0.to_ne_bytes().to_vec()
    }
    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        match (name, value.as_u64()) {
            ("offset", Some(offset)) => self.0 = offset as u32,
            ("offset", None) => return Err(format!("expected a whole number, got {value}").into()),
            _ => return Err(no_parameter(name, Self::PARAMETERS)),
        }
        Ok(())
    }
}

#[test]
fn a_parameter_changes_at_exactly_its_item() {
    let device = Device::with(Sim::new(), Settings { batch: 100, depth: 2 });
    let mut graph = Graph::new();
    let source = graph.add("source", VecSource::new(vec![0u32; 1000]));
    let offset = graph.add("offset", device.map(Offset(1)));
    graph.connect(source.output, offset.input);
    let items = add_sink(&mut graph, "sink", offset.output);
    let mut graph = graph.check().unwrap();
    let receipts =
        [(2, 333), (3, 334), (4, 900)].map(|(value, at)| graph.set_at("offset.offset", value, at).unwrap());
    let refused = graph.set_at("offset.offset", "much", 500).unwrap();
    graph.start(&Single, &Options::default()).unwrap().wait().unwrap();
    let wanted: Vec<u32> =
        (0..1000).map(|i| 1 + u32::from(i >= 333) + u32::from(i >= 334) + u32::from(i >= 900)).collect();
    assert!(items.take() == wanted);
    for (receipt, at) in receipts.iter().zip([333, 334, 900]) {
        assert_eq!(receipt.wait(Duration::from_secs(30)).unwrap(), Some(at));
    }
    let refused = refused.wait(Duration::from_secs(5)).unwrap_err().to_string();
    assert!(refused.contains("offset.offset") && refused.contains("whole number"), "{refused}");
}

#[test]
fn the_table_of_a_kernel_changes_at_exactly_its_item() {
    let device = Device::with(Sim::new(), Settings { batch: 100, depth: 2 });
    let mut graph = Graph::new();
    let x: Vec<f32> = (0..1000).map(|i| i as f32).collect();
    let source = graph.add("source", VecSource::new(x.clone()));
    let fir = graph.add("fir", device.map(Fir::<f32, f32>::new(&[1.0, 0.0], 1).unwrap()));
    let sink = VecSink::<f32>::new();
    let items = sink.items();
    let sink = graph.add("sink", sink);
    graph.connect(source.output, fir.input);
    graph.connect(fir.output, sink.input);
    let mut graph = graph.check().unwrap();
    let taps = Value::List([Value::from(0.0), Value::from(1.0)].into());
    let receipt = graph.set_at("fir.taps", taps, 523).unwrap();
    graph.start(&Single, &Options::default()).unwrap().wait().unwrap();
    assert_eq!(receipt.wait(Duration::from_secs(30)).unwrap(), Some(523));
    let delayed = |n: usize| if n < 523 { x[n] } else { x[n - 1] };
    assert!(items.take() == (0..1000).map(delayed).collect::<Vec<_>>());
}

#[test]
fn tags_beyond_the_last_item_are_handed_on_at_the_end() {
    /// Tags an item that never comes.
    #[derive(Block)]
    struct Ahead {
        #[port("out")]
        output: Out<u32>,
    }
    impl Work for Ahead {
        fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            self.output.reserve()[..10].fill(0);
            self.output.tag(10, "late", 1);
            self.output.produce(10);
            Ok(Step::Done)
        }
    }
    #[derive(Block)]
    struct Collect {
        #[port("in")]
        input: In<u32>,
        seen: Items<u64>,
    }
    impl Work for Collect {
        fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            self.input.consume(self.input.available());
            Ok(Step::NeedInput)
        }
        fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            self.seen.give(&self.input.tags().iter().map(|tag| tag.index).collect::<Vec<_>>());
            Ok(Step::Done)
        }
    }
    let device = Device::new(Sim::new());
    let mut graph = Graph::new();
    let source = graph.add("source", Ahead { output: Out::new().min(10) });
    let block = graph.add("block", device.map(WindowSum { ratio: Ratio::interpolate(3), history: 1 }));
    let seen = Items::default();
    let sink = graph.add("sink", Collect { input: In::new(), seen: seen.clone() });
    graph.connect(source.output, block.input);
    graph.connect(block.output, sink.input);
    run(graph).unwrap();
    assert_eq!(seen.take(), [30]);
}

#[test]
fn a_stop_drains_the_device_and_the_graph_can_be_built_again() {
    /// Counts for ever.
    struct Count(u32);
    impl SyncBlock for Count {
        type In = ();
        type Out = u32;
        fn process(&mut self, _: (), y: &mut [u32]) {
            for y in y {
                *y = self.0;
                self.0 = self.0.wrapping_add(1);
            }
        }
    }
    let device = Device::with(Sim::new(), Settings { batch: 256, depth: 3 });
    let lending = Device::with(Sim::new().with_lending(), device.settings());
    for (device, round) in [(&device, 0), (&device, 1), (&device, 2), (&lending, 0), (&lending, 1)] {
        let mut graph = Graph::new();
        let source = graph.add("source", Count(0));
        let a = graph.add("a", device.map(ONE));
        let b = graph.add("b", device.map(WITH_HISTORY));
        graph.connect(source.output, a.input);
        graph.connect(a.output, b.input);
        let items = add_sink(&mut graph, "sink", b.output);
        let running = graph.check().unwrap().start(&Adaptive::new(), &Options::default()).unwrap();
        while device.counters().uploads.get() < 20 * (round + 1) {
            std::thread::sleep(Duration::from_millis(1));
        }
        running.stop();
        let report = running.wait().unwrap();
        let got = items.take();
        let counted: Vec<u32> = (0..got.len() as u32).collect();
        assert!(got == WITH_HISTORY.of(&ONE.of(&counted)));
        // All that the source has given has come through.
        assert_eq!(report.block("source").unwrap().outputs[0].items, got.len() as u64);
    }
    for device in [device, lending] {
        assert_eq!(device.backend().counters().live_bytes, 0);
    }
}

#[test]
fn a_region_that_feeds_itself_through_the_host_runs() {
    /// Passes items on, on the host.
    struct Pass;
    impl Pure for Pass {
        type In = u32;
        type Out = u32;
        fn map(&self, x: &[u32], y: &mut [u32]) {
            y.copy_from_slice(x);
        }
    }
    for sim in [Sim::new(), Sim::new().with_lending()] {
        let device = Device::with(sim, Settings { batch: 300, depth: 2 });
        let mut graph = Graph::new();
        let source = graph.add("source", VecSource::new(numbers(10_000)));
        let a = graph.add("a", device.map(ONE));
        let pass = graph.add("pass", Pass);
        let sum = graph.add("sum", device.map(Sum));
        graph.connect(source.output, a.input);
        graph.connect(a.output, pass.input);
        graph.connect(a.output, sum.input.0);
        graph.connect(pass.output, sum.input.1);
        let items = add_sink(&mut graph, "sink", sum.output);
        run(graph).unwrap();
        let wanted: Vec<u32> = expected(&[ONE], 10_000).iter().map(|x| x.wrapping_mul(2)).collect();
        assert!(items.take() == wanted);
    }
}

#[test]
fn a_device_block_says_in_the_plan_and_the_report_where_it_runs() {
    let device = Device::new(Sim::new());
    let (graph, _) = chain(&device, &[ONE, ONE], 1000);
    let report = run(graph).unwrap();
    let region = report.block("sim").unwrap();
    assert_eq!(region.inputs[0].name, "block0.in");
    assert_eq!(region.outputs[0].name, "block1.out");
    assert_eq!(region.outputs[0].items, 1000);
}
