//! Batches that go through all blocks at once, captured and replayed.

use superhet_device::blocks::Loopback;
use superhet_device::sim::Counters;
use superhet_device::{Backend, DevSlice, DevSliceMut, DeviceBlock, Queue, Repeat, conformance};

use super::*;

/// A source that gives whole pieces of these lengths, one after the other.
#[derive(Block)]
struct Pieces {
    #[port("out")]
    output: Out<u32>,
    items: Vec<u32>,
    lengths: Vec<usize>,
}

impl Pieces {
    fn new(lengths: &[usize]) -> Self {
        let longest = lengths.iter().copied().max().unwrap_or(1);
        Pieces {
            output: Out::new().min(longest).batch(longest),
            items: numbers(lengths.iter().sum()),
            lengths: lengths.iter().rev().copied().collect(),
        }
    }
}

impl Work for Pieces {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let Some(length) = self.lengths.pop() else { return Ok(Step::Done) };
        let given = self.output.index() as usize;
        self.output.reserve()[..length].copy_from_slice(&self.items[given..][..length]);
        self.output.produce(length);
        Ok(Step::Ran)
    }
}

/// Runs `pieces -> blocks on the device -> sink`, compares what comes out, and gives what the device has counted.
fn run_pieces(device: &Device<Sim>, blocks: &[WindowSum], lengths: &[usize]) -> Counters {
    let mut graph = Graph::new();
    let source = graph.add("source", Pieces::new(lengths));
    let items = add_chain(&mut graph, device, source.output, blocks);
    run(graph).unwrap();
    let (got, wanted) = (items.take(), expected(blocks, lengths.iter().sum()));
    let differs = got.iter().zip(&wanted).position(|(got, wanted)| got != wanted);
    assert!(got == wanted, "{} items of {}, first wrong one {differs:?}", got.len(), wanted.len());
    device.backend().counters()
}

const BATCH: usize = 256;

fn capturing(depth: usize) -> Device<Sim> {
    Device::with(Sim::new().with_capture(), Settings { batch: BATCH, depth })
}

#[test]
fn each_slot_is_captured_once_and_replayed_from_then_on() {
    for depth in [2, 3, 5] {
        for blocks in [vec![ONE; 16], vec![WITH_HISTORY; 4], vec![ONE, WITH_HISTORY]] {
            let device = capturing(depth);
            let counters = run_pieces(&device, &blocks, &[BATCH; 60]);
            assert_eq!(counters.uploads, 60);
            assert_eq!(counters.captures, depth as u64, "{blocks:?}");
            // The first batch of each slot is enqueued as it is; with history that of the first slot is none like it.
            let replays = 60 - depth as u64;
            assert!((replays - 1..=replays).contains(&counters.replays), "{blocks:?}: {counters:?}");
            let region = device.counters();
            assert_eq!((region.captures.get(), region.replays.get()), (depth as u64, counters.replays));
            assert_eq!(region.launches.get(), 60 * blocks.len() as u64);
            assert_eq!(counters.launches, region.launches.get());
            assert_eq!(counters.copies, region.carries.get());
            assert!(region.host_waits.get() <= 2 * 60);
        }
    }
}

#[test]
fn a_replay_costs_the_host_the_same_however_many_blocks_there_are() {
    let calls = |blocks: usize| {
        let counters = run_pieces(&capturing(2), &vec![ONE; blocks], &[BATCH; 200]);
        (counters.waits, counters.records)
    };
    let ((few_waits, few_records), (waits, records)) = (calls(1), calls(16));
    // At the end the blocks run one by one, with a wait and a record for each.
    assert!(
        waits <= few_waits + 4 * 16 && records <= few_records + 4 * 16,
        "{waits} waits, {records} records"
    );
}

#[test]
fn short_batches_are_not_captured() {
    let mut lengths = Vec::new();
    for round in 0..10 {
        lengths.extend([BATCH; 8]);
        lengths.push(10 + 7 * round);
    }
    for blocks in [vec![ONE; 3], vec![WITH_HISTORY; 3]] {
        let counters = run_pieces(&capturing(2), &blocks, &lengths);
        assert!(counters.replays >= 40, "{counters:?}");
        // All are shorter than this device would take.
        let device = Device::with(Sim::new().with_capture(), Settings { batch: 100 * BATCH, depth: 2 });
        let short = run_pieces(&device, &blocks, &[BATCH; 50]);
        assert_eq!((short.captures, short.replays), (0, 0));
    }
}

#[test]
fn decimators_whose_turns_do_not_fit_the_batch_give_the_same() {
    let down = |decimation, history| WindowSum { ratio: Ratio::decimate(decimation), history };
    let up = |interpolation| WindowSum { ratio: Ratio::interpolate(interpolation), history: 2 };
    let ratio =
        |interpolation, decimation| WindowSum { ratio: Ratio { interpolation, decimation }, history: 1 };
    let chains = [
        vec![down(7, 3), ONE],
        vec![ONE, down(7, 3), WITH_HISTORY],
        vec![ONE, down(1000, 0), ONE],
        vec![up(3), ratio(2, 3), ONE],
        vec![ONE, up(7), down(50, 1)],
        vec![down(4, 0), down(8, 5), ONE],
        vec![up(3), up(3), up(3), ONE],
    ];
    for blocks in &chains {
        for lengths in [vec![BATCH; 40], vec![100; 60], [BATCH, 33, 1, BATCH, BATCH].repeat(12)] {
            run_pieces(&capturing(2), blocks, &lengths);
            run_pieces(&capturing(3), blocks, &lengths);
        }
    }
    // Whole rounds in whole batches are captured, whatever the ratio.
    let counters = run_pieces(&capturing(2), &chains[5], &[BATCH; 60]);
    assert_eq!(counters.captures, 2, "{counters:?}");
}

/// What one of them does in a joint run must not be taken for what the other did in an earlier one.
#[test]
fn blocks_that_run_in_different_batches_are_kept_apart() {
    let down = |decimation, history| WindowSum { ratio: Ratio::decimate(decimation), history };
    // With these histories their views begin at the same item.
    let (every_second, every_third) = (down(2, 1), down(3, 0));
    for (batch, depth) in [(1, 5), (1, 2), (2, 3), (5, 5)] {
        let device = Device::with(Sim::new().with_capture(), Settings { batch, depth });
        let x = numbers(2000);
        let mut graph = Graph::new();
        let source = graph.add("source", Pieces::new(&[x.len()]));
        let a = graph.add("a", device.map(ONE));
        let b = graph.add("b", device.map(every_second));
        let c = graph.add("c", device.map(every_third));
        graph.connect(source.output, a.input);
        graph.connect(a.output, b.input);
        graph.connect(a.output, c.input);
        let (b, c) = (add_sink(&mut graph, "b's", b.output), add_sink(&mut graph, "c's", c.output));
        run(graph).unwrap();
        let a = ONE.of(&x);
        assert!(b.take() == every_second.of(&a), "batches of {batch}, {depth} slots");
        assert!(c.take() == every_third.of(&a), "batches of {batch}, {depth} slots");
    }
}

#[test]
fn a_parameter_changes_at_its_item_and_what_was_captured_before_is_not_replayed() {
    let device = capturing(2);
    let lengths = [BATCH; 60];
    let mut graph = Graph::new();
    let source = graph.add("source", Pieces::new(&lengths));
    let offset = graph.add("offset", device.map(Offset(1)));
    let after = graph.add("after", device.map(ONE));
    graph.connect(source.output, offset.input);
    graph.connect(offset.output, after.input);
    let items = add_sink(&mut graph, "sink", after.output);
    let mut graph = graph.check().unwrap();
    // In the middle of a batch, at its first item, and at its last.
    let changes = [(5, 3333), (9, 20 * BATCH as u64), (2, 30 * BATCH as u64 - 1)];
    let receipts = changes.map(|(value, at)| graph.set_at("offset.offset", value, at).unwrap());
    graph.start(&Single, &Options::default()).unwrap().wait().unwrap();
    for (receipt, (_, at)) in receipts.iter().zip(changes) {
        assert_eq!(receipt.wait(Duration::from_secs(30)).unwrap(), Some(at), "{at}");
    }
    let added = |i: u64| changes.iter().rev().find(|(_, at)| i >= *at).map_or(1, |(value, _)| *value as u32);
    let offset: Vec<u32> =
        numbers(60 * BATCH).into_iter().enumerate().map(|(i, x)| x.wrapping_add(added(i as u64))).collect();
    assert!(items.take() == ONE.of(&offset));
    let counters = device.backend().counters();
    // Once at first, and again after each change; no item is computed by what an earlier one has captured.
    assert!((4..=8).contains(&counters.captures), "{counters:?}");
    assert!(counters.replays > 30, "{counters:?}");
}

#[test]
fn a_device_without_capture_runs_blocks_one_by_one() {
    let without = capturing(2).without_capture();
    let counters = run_pieces(&without, &[ONE, ONE], &[BATCH; 20]);
    assert_eq!((counters.captures, counters.replays), (0, 0));
    assert_eq!(run_pieces(&without.apart(), &[ONE], &[BATCH; 20]).captures, 0);
    let cannot = Device::with(Sim::new(), Settings { batch: BATCH, depth: 2 });
    assert_eq!(run_pieces(&cannot, &[ONE, ONE], &[BATCH; 20]).captures, 0);
}

/// Copies, and says what may be done with a run of it.
struct Copy(Repeat);

impl<B: Backend> DeviceBlock<B> for Copy {
    type In = u32;
    type Out = u32;
    fn repeat(&self) -> Repeat {
        self.0
    }
    fn enqueue(
        &mut self,
        queue: &mut Queue<'_, B>,
        x: DevSlice<'_, u32, B>,
        y: DevSliceMut<'_, u32, B>,
    ) -> Result<(), B::Error> {
        queue.copy(x, y)
    }
}

#[test]
fn a_block_that_may_not_be_repeated_keeps_its_region_from_being_captured() {
    for (repeat, captures) in [(Repeat::Never, 0), (Repeat::InOrder, 2), (Repeat::Freely, 2)] {
        let device = capturing(2);
        let mut graph = Graph::new();
        let source = graph.add("source", Pieces::new(&[BATCH; 20]));
        let copy = graph.add("copy", device.block(Copy(repeat)));
        let loopback = graph.add("loopback", device.block(Loopback::<u32>::new()));
        graph.connect(source.output, copy.input);
        graph.connect(copy.output, loopback.input);
        let items = add_sink(&mut graph, "sink", loopback.output);
        run(graph).unwrap();
        assert!(items.take() == numbers(20 * BATCH));
        assert_eq!(device.backend().counters().captures, captures, "{repeat:?}");
    }
}

#[test]
fn turns_of_blocks_without_memory_overlap() {
    let delay = Duration::from_micros(100);
    let took = |blocks: &[WindowSum]| {
        let sim = Sim::new().with_capture().with_delay(delay);
        let device = Device::with(sim, Settings { batch: BATCH, depth: 4 });
        run_pieces(&device, blocks, &[BATCH; 60]);
        device.backend().elapsed().as_secs_f64() / delay.as_secs_f64()
    };
    // Of 60 batches through 8 kernels each, four are worked on at once. History puts them in order, and takes a copy more.
    let (apart, in_order) = (took(&[ONE; 8]), took(&[WITH_HISTORY; 8]));
    assert!(apart < 1.5 * (60 * 8) as f64 / 4.0, "{apart}");
    assert!(in_order >= (60 * 8) as f64, "{in_order}");
}

#[test]
fn every_case_of_the_suite_passes_on_a_device_that_captures() {
    let extent = conformance::Extent { items: 5_000, every: 5 };
    let passed = conformance::run(&extent, &|seed| Sim::seeded(seed).with_capture()).unwrap();
    assert!(passed > 80, "{passed} cases");
}

#[test]
fn a_device_that_runs_one_kernel_after_the_other_has_its_batches_go_through_all_blocks_at_once() {
    let extent = conformance::Extent { items: 5_000, every: 7 };
    conformance::run(&extent, &|seed| Sim::seeded(seed).without_overlap()).unwrap();
    let calls = |sim: Sim| {
        let device = Device::with(sim, Settings { batch: BATCH, depth: 2 });
        run_pieces(&device, &[ONE; 16], &[BATCH; 100])
    };
    let (apart, together) = (calls(Sim::new()), calls(Sim::new().without_overlap()));
    assert_eq!((together.captures, together.replays), (0, 0));
    assert_eq!(together.launches, apart.launches);
    assert!(4 * together.records < apart.records && 4 * together.waits < apart.waits, "{together:?}");
}

#[test]
fn mistakes_around_replays_are_found_whatever_the_seed() {
    let before = Fault::SkipWaitsBefore;
    let mistakes = [
        ("a joint run does not wait for its upload", ONE, before(Operation::Launch)),
        ("a download does not wait for its joint run", ONE, before(Operation::Download)),
        ("an upload does not wait for the joint run", ONE, before(Operation::Upload)),
        ("a carry is forgotten", WITH_HISTORY, Fault::Skip(Operation::Copy, Which::Nth(40))),
        ("a replay is lost", ONE, Fault::Skip(Operation::Launch, Which::Nth(40))),
    ];
    for (name, block, fault) in mistakes {
        for seed in 0..6 {
            let device = Device::with(Sim::seeded(seed).with_capture(), Settings { batch: BATCH, depth: 2 });
            device.backend().fail(fault);
            let mut graph = Graph::new();
            let source = graph.add("source", Pieces::new(&[BATCH; 60]));
            let items = add_chain(&mut graph, &device, source.output, &[block, block]);
            match run(graph) {
                Err(error) => assert!(device.backend().counters().mistakes > 0, "{name}: {error}"),
                Ok(_) => assert!(items.take() != expected(&[block; 2], 60 * BATCH), "{name}: not found"),
            }
        }
    }
}

#[test]
fn an_error_of_a_replay_names_a_block() {
    for fault in [
        Fault::Refuse(Operation::Capture, Which::Nth(2)),
        Fault::Refuse(Operation::Replay, Which::Nth(5)),
        Fault::Fail(Operation::Launch, Which::Nth(50)),
    ] {
        let device = capturing(2);
        device.backend().fail(fault);
        let (graph, _) = chain(&device, &[ONE, ONE], 60 * BATCH);
        let error = run(graph).unwrap_err();
        let RunError::Block { block, .. } = &error else { panic!("{error}") };
        assert!(block.starts_with("block"), "{error}");
        let counters = device.backend().counters();
        assert_eq!((counters.live_memories, counters.live_stagings), (0, 0));
    }
}
