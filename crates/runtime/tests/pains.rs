//! What users of this field suffer from, and what this runtime does instead. The numbers are those of the list that
//! the project keeps of such pains.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use common::*;
use superhet_runtime::prelude::*;
use superhet_runtime::{Bottleneck, ConnectError, MaxLatency, Outcome, Report, RunError, harness::Items};

#[test]
fn pain_2_a_packet_larger_than_any_strip_passes() {
    for length in [4097, 70_000] {
        for (name, scheduler) in schedulers() {
            for strip_items in [None, Some(1), Some(7), Some(4096)] {
                if strip_items == Some(1) && length > 5000 {
                    continue;
                }
                let make = |graph: &mut Graph| {
                    let source = counting(graph, 150_000);
                    let packets = graph.add("packets", Packets::new(length));
                    let (items, sink) = keeping(graph);
                    graph.connect(source, packets.input);
                    graph.connect(packets.output, sink);
                    items
                };
                let output = run(make, &*scheduler, &Options { strip_items, ..Options::default() }).unwrap();
                assert_eq!(output, (0..150_000).collect::<Vec<_>>(), "{name}, {length}");
            }
        }
    }
}

#[test]
fn pain_2_a_demand_that_cannot_be_met_is_an_error_that_names_the_port() {
    #[derive(Block)]
    struct Impossible {
        #[port]
        input: In<u32>,
    }
    impl Work for Impossible {
        fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            Ok(Step::Done)
        }
    }
    let mut graph = Graph::new();
    let source = counting(&mut graph, 1);
    let block = graph.add("fft", Impossible { input: In::new().min(4097).max(4096) });
    graph.connect(source, block.input);
    let error = graph.check().unwrap_err().to_string();
    assert_eq!(error, "fft.input asks for at least 4097 items in multiples of 1, but at most 4096");
}

#[test]
fn pain_3_min_max_and_multiple_are_hard_contracts() {
    /// Fails when a span breaks what the ports ask for.
    #[derive(Block)]
    struct Strict {
        #[port]
        input: In<u32>,
        #[port]
        output: Out<u32>,
    }
    impl Work for Strict {
        fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            let (x, y) = (self.input.peek(), self.output.reserve());
            for (length, side) in [(x.len(), "input"), (y.len(), "output")] {
                if !(10..=40).contains(&length) || !length.is_multiple_of(5) {
                    return Err(format!("a span of {length} items on the {side}").into());
                }
            }
            let n = x.len().min(y.len());
            y[..n].copy_from_slice(&x[..n]);
            self.input.consume(n);
            self.output.produce(n);
            Ok(Step::Ran)
        }
        fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            match self.input.rest().len() {
                0 | 5 => Ok(Step::Done),
                n => Err(format!("{n} items are left of 1000 in spans that are multiples of 5").into()),
            }
        }
    }
    for (_, scheduler) in schedulers() {
        for options in all_options() {
            let make = |graph: &mut Graph| {
                let source = counting(graph, 1_000);
                let (input, output) =
                    (In::new().min(10).max(40).multiple(5), Out::new().min(10).max(40).multiple(5));
                let strict = graph.add("strict", Strict { input, output });
                let (items, sink) = keeping(graph);
                graph.connect(source, strict.input);
                graph.connect(strict.output, sink);
                items
            };
            assert!(run(make, &*scheduler, &options).unwrap().len() >= 995);
        }
    }
}

/// `y = low · x + high`, where whoever sees a low and a high that do not belong together has seen a race.
#[derive(Clone)]
struct Pair {
    low: u32,
    high: u32,
}

impl Pure for Pair {
    type In = u32;
    type Out = u32;
    const PARAMETERS: &'static [&'static str] = &["both"];
    fn with_parameter(&self, _: &str, value: &Value) -> Result<Self, BlockError> {
        let low = value.as_u64().filter(|n| *n < 1000).ok_or("expected a number below 1000")? as u32;
        Ok(Pair { low, high: low << 16 })
    }
    fn map(&self, _: &[u32], y: &mut [u32]) {
        y.iter_mut().for_each(|y| *y = self.low | self.high);
    }
}

#[test]
fn pain_6_setters_cannot_race_with_work() {
    for (name, scheduler) in schedulers() {
        let mut graph = Graph::new();
        let zeros = graph.add("zeros", Zeros);
        let pair = graph.add("pair", Pair { low: 0, high: 0 });
        let (items, sink) = keeping(&mut graph);
        graph.connect(zeros.output, pair.input);
        graph.connect(pair.output, sink);
        let running = graph.check().unwrap().start(&*scheduler, &Options::default()).unwrap();
        let controls: Vec<_> = (0..4).map(|_| running.control()).collect();
        // Four threads turn one knob while it is in use; what they get wrong is told at once.
        let receipts: Vec<_> = std::thread::scope(|scope| {
            let turn = |(thread, control): (usize, superhet_runtime::Control)| {
                scope.spawn(move || {
                    let value = |turn: usize| thread * 50 + turn;
                    assert!(control.set("pair.both", 1000).is_err());
                    let set = |turn| (value(turn), control.set("pair.both", value(turn)).unwrap());
                    (1..=50).map(set).collect::<Vec<_>>()
                })
            };
            let threads: Vec<_> = controls.into_iter().enumerate().map(turn).collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        let wait = |(value, receipt): &(usize, superhet_runtime::Receipt)| {
            (receipt.wait(Duration::from_secs(10)).unwrap().expect("it runs"), *value as u32)
        };
        let mut applied: Vec<(u64, u32)> = receipts.iter().map(wait).collect();
        running.stop_within(Duration::from_secs(10)).unwrap();
        let items = items.take();
        // From each item at which values were set to the next such item, one of them holds.
        applied.push((0, 0));
        applied.sort_unstable();
        let groups: Vec<_> = applied.chunk_by(|a, b| a.0 == b.0).collect();
        for (place, group) in groups.iter().enumerate() {
            let start = items.len().min(group[0].0 as usize);
            let end = groups.get(place + 1).map_or(items.len(), |next| items.len().min(next[0].0 as usize));
            let Some(&first) = items[start..end].first() else { continue };
            assert!(
                items[start..end].iter().all(|y| *y == first),
                "{name}: a change between {start} and {end}"
            );
            let (low, high) = (first & 0xffff, first >> 16);
            assert!(low == high && group.iter().any(|(_, value)| *value == low), "{name}: {low} and {high}");
        }
    }
}

/// Waits, deaf to everything, for as long as it is told.
#[derive(Block)]
struct Deaf {
    #[port]
    output: Out<u32>,
    released: Arc<AtomicBool>,
}

impl Work for Deaf {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        while !self.released.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(Step::Done)
    }
    fn blocking(&self) -> bool {
        true
    }
}

#[test]
fn pain_7_stop_always_returns_and_names_who_did_not_come_back() {
    let released = Arc::new(AtomicBool::new(false));
    let mut graph = Graph::new();
    let deaf = graph.add("deaf", Deaf { output: Out::new(), released: released.clone() });
    let sink = graph.add("sink", Drain);
    graph.connect(deaf.output, sink.input);
    let running = graph.check().unwrap().start(&Single, &Options::default()).unwrap();
    std::thread::sleep(Duration::from_millis(50));
    let start = Instant::now();
    let error = running.stop_within(Duration::from_millis(200)).unwrap_err();
    assert!(start.elapsed() < Duration::from_secs(1));
    assert!(matches!(&error, RunError::DidNotStop { blocks, .. } if blocks == "deaf"), "{error}");
    released.store(true, Ordering::Relaxed);
}

#[test]
fn pain_7_stop_drains_and_cancel_does_not_wait() {
    for (name, scheduler) in schedulers() {
        let start = |graph: &mut Graph| {
            let zeros = graph.add("zeros", Zeros);
            let copy = graph.add("copy", AddConst(0));
            let sink = graph.add("sink", Drain);
            graph.connect(zeros.output, copy.input);
            graph.connect(copy.output, sink.input);
        };
        let mut graph = Graph::new();
        start(&mut graph);
        let running = graph.check().unwrap().start(&*scheduler, &Options::default()).unwrap();
        std::thread::sleep(Duration::from_millis(20));
        let report = running.stop_within(Duration::from_secs(5)).unwrap();
        assert_eq!(report.outcome, Outcome::Stopped);
        let (given, taken) = (report.blocks[0].outputs[0].items, report.blocks[2].inputs[0].items);
        assert!(given > 0 && given == taken, "{name}: {given} items given, {taken} arrived");

        let mut graph = Graph::new();
        start(&mut graph);
        let running = graph.check().unwrap().start(&*scheduler, &Options::default()).unwrap();
        running.cancel();
        assert_eq!(running.wait().unwrap().outcome, Outcome::Cancelled);
    }
}

/// Fails at the given item, in one of two ways.
struct FailsAt {
    item: u64,
    seen: u64,
}

impl SyncBlock for FailsAt {
    type In = u32;
    type Out = u32;
    fn process(&mut self, x: &[u32], y: &mut [u32]) {
        y.copy_from_slice(x);
        self.seen += x.len() as u64;
        assert!(self.seen <= self.item, "this is item {}", self.item);
    }
}

/// Reports an error at once.
#[derive(Block)]
struct Reports {
    #[port]
    input: In<u32>,
    #[port]
    output: Out<u32>,
}

impl Work for Reports {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        Err("the antenna is gone".into())
    }
}

#[test]
fn pain_8_a_panic_ends_the_graph_and_the_error_names_the_block() {
    for (name, scheduler) in schedulers() {
        let mut graph = Graph::new();
        let zeros = graph.add("zeros", Zeros);
        let bad = graph.add("bad", FailsAt { item: 100_000, seen: 0 });
        let sink = graph.add("sink", Drain);
        graph.connect(zeros.output, bad.input);
        graph.connect(bad.output, sink.input);
        let mut running = graph.check().unwrap().start(&*scheduler, &Options::default()).unwrap();
        let start = Instant::now();
        let error = running.wait_for(Duration::from_secs(5)).expect("the graph ends").unwrap_err();
        assert!(start.elapsed() < Duration::from_secs(1), "{name}");
        match &error {
            RunError::Panic { block, message, ports } => {
                assert_eq!((block.as_str(), message.as_str()), ("bad", "this is item 100000"));
                assert!(ports.contains("in at item"), "{ports}");
            }
            other => panic!("{name}: {other}"),
        }
    }
}

#[test]
fn pain_8_an_error_ends_the_graph_and_names_the_block() {
    for (_, scheduler) in schedulers() {
        let mut graph = Graph::new();
        let zeros = graph.add("zeros", Zeros);
        let bad = graph.add("bad", Reports { input: In::new(), output: Out::new() });
        let sink = graph.add("sink", Drain);
        graph.connect(zeros.output, bad.input);
        graph.connect(bad.output, sink.input);
        let error = finish(graph.check().unwrap(), &*scheduler, &Options::default()).unwrap_err();
        assert!(
            error.to_string().starts_with("block bad failed: the antenna is gone (input at item 0"),
            "{error}"
        );
    }
}

/// Sends a message for each item, and one more at its end.
#[derive(Block)]
struct Announce {
    #[port]
    input: In<u32>,
    #[port]
    news: MsgOut,
}

impl Work for Announce {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.input.available();
        for item in self.input.peek().to_vec() {
            self.news.send(item)?;
        }
        self.input.consume(n);
        Ok(Step::Ran)
    }
    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        self.news.send("end")?;
        Ok(Step::Done)
    }
}

/// Counts messages; the block has message ports only.
#[derive(Block)]
struct Listen {
    #[port]
    news: MsgIn,
    heard: Arc<AtomicU64>,
    ended: Arc<AtomicBool>,
}

impl Work for Listen {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        while self.news.recv().is_some() {
            self.heard.fetch_add(1, Ordering::Relaxed);
        }
        Ok(Step::NeedInput)
    }
    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        self.ended.store(true, Ordering::Relaxed);
        Ok(Step::Done)
    }
}

#[test]
fn pain_9_the_end_of_the_stream_arrives_everywhere_and_nothing_is_cut() {
    for (name, scheduler) in schedulers() {
        for options in all_options() {
            let (heard, ended) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
            let mut graph = Graph::new();
            let source = counting(&mut graph, 5_003);
            let packets = graph.add("packets", Packets::new(100));
            let announce = graph.add("announce", Announce { input: In::new(), news: MsgOut::new() });
            let listen = Listen { news: MsgIn::new(), heard: heard.clone(), ended: ended.clone() };
            let listen = graph.add("listen", listen);
            let (items, sink) = keeping(&mut graph);
            graph.connect(source, packets.input);
            graph.connect(packets.output, announce.input);
            graph.connect(packets.output, sink);
            graph.connect(announce.news, listen.news);
            finish(graph.check().unwrap(), &*scheduler, &options).unwrap();
            assert_eq!(items.take().len(), 5_003, "{name}, {options:?}");
            assert_eq!(heard.load(Ordering::Relaxed), 5_004, "{name}, {options:?}");
            assert!(ended.load(Ordering::Relaxed));
        }
    }
}

#[test]
fn pain_9_a_sink_that_has_enough_ends_the_source() {
    /// Takes some items and is done.
    #[derive(Block)]
    struct Enough {
        #[port]
        input: In<u32>,
    }
    impl Work for Enough {
        fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            let n = self.input.available();
            self.input.consume(n);
            Ok(if self.input.index() > 1000 { Step::Done } else { Step::Ran })
        }
    }
    for (_, scheduler) in schedulers() {
        for options in all_options() {
            let mut graph = Graph::new();
            let zeros = graph.add("zeros", Zeros);
            let (a, b) = (graph.add("a", AddConst(0)), graph.add("b", AddConst(0)));
            let enough = graph.add("enough", Enough { input: In::new() });
            graph.connect(zeros.output, a.input);
            graph.connect(a.output, b.input);
            graph.connect(b.output, enough.input);
            finish(graph.check().unwrap(), &*scheduler, &options).unwrap();
        }
    }
}

/// CPU time of this process in clock ticks of 10 ms.
fn cpu_ticks() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}

/// Runs the other test of this name in a process of its own, so that the tests beside it do not count.
fn alone(test: &str) {
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env("SUPERHET_TEST_ALONE", "1")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn is_alone() -> bool {
    std::env::var_os("SUPERHET_TEST_ALONE").is_some()
}

/// The least CPU time of a few attempts, unless one takes no more than `enough`: other programs on the machine make work
/// dearer, never cheaper.
fn least_ticks(enough: u64, mut work: impl FnMut()) -> u64 {
    let mut least = u64::MAX;
    for _ in 0..5 {
        let before = cpu_ticks();
        work();
        least = least.min(cpu_ticks() - before);
        if least <= enough {
            break;
        }
    }
    least
}

#[test]
fn pain_11_idle_blocks_cost_nothing() {
    if !is_alone() {
        return alone("pain_11_idle_blocks_cost_nothing");
    }
    for (name, scheduler) in schedulers() {
        let heard = Arc::new(AtomicU64::new(0));
        let mut graph = Graph::new();
        for i in 0..50 {
            let listen = Listen { news: MsgIn::new(), heard: heard.clone(), ended: Arc::default() };
            graph.add(format!("listen{i}"), listen);
        }
        let released = Arc::new(AtomicBool::new(false));
        let deaf = graph.add("deaf", Deaf { output: Out::new(), released: released.clone() });
        let sink = graph.add("sink", Drain);
        graph.connect(deaf.output, sink.input);
        let running = graph.check().unwrap().start(&*scheduler, &Options::default()).unwrap();
        std::thread::sleep(Duration::from_millis(50));
        let ticks = least_ticks(5, || std::thread::sleep(Duration::from_millis(500)));
        // A worker that spins would use 50 ticks. The deaf block itself wakes 200 times a second.
        assert!(ticks <= 5, "{name}: {} ms of CPU time in 500 ms of idling", ticks * 10);
        running.message("listen7.news", 1).unwrap();
        released.store(true, Ordering::Relaxed);
        running.stop_within(Duration::from_secs(5)).unwrap();
        assert_eq!(heard.load(Ordering::Relaxed), 1, "{name}: an idle block hears a message");
    }
}

/// Gives an item for each message.
#[derive(Block)]
struct OnDemand {
    #[port]
    news: MsgIn,
    #[port("out")]
    output: Out<u32>,
}

impl Work for OnDemand {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        while self.output.room() > 0 && self.news.recv().is_some() {
            self.output.produce(1);
        }
        Ok(Step::NeedInput)
    }
}

#[test]
fn pain_11_a_thousand_idle_channels_cost_next_to_nothing() {
    if !is_alone() {
        return alone("pain_11_a_thousand_idle_channels_cost_next_to_nothing");
    }
    let mut graph = Graph::new();
    let heard = Arc::new(AtomicU64::new(0));
    for channel in 0..1000 {
        let source = OnDemand { news: MsgIn::new(), output: Out::new() };
        let source = graph.add(format!("source{channel}"), source);
        let first = graph.add(format!("first{channel}"), AddConst(1));
        let second = graph.add(format!("second{channel}"), Accumulate(0));
        let sink = graph.add(format!("sink{channel}"), Count(heard.clone()));
        graph.connect(source.output, first.input);
        graph.connect(first.output, second.input);
        graph.connect(second.output, sink.input);
    }
    let running = graph.check().unwrap().start(&Adaptive::workers(2), &Options::default()).unwrap();
    assert!(threads_of_this_process() <= 2, "{} threads", threads_of_this_process());
    // One channel is at work now and then; the others only are there.
    let work = |times: u32| {
        for _ in 0..times {
            running.message("source7.news", 1).unwrap();
            std::thread::sleep(Duration::from_millis(100));
        }
    };
    work(10);
    let mut sent = 10;
    let ticks = least_ticks(5, || {
        work(10);
        sent += 10;
    });
    assert!(ticks <= 5, "{} ms of CPU time in a second of 1000 idle channels", ticks * 10);
    running.stop_within(Duration::from_secs(5)).unwrap();
    assert_eq!(heard.load(Ordering::Relaxed), sent);
}

struct Count(Arc<AtomicU64>);

impl SyncBlock for Count {
    type In = u32;
    type Out = ();
    fn process(&mut self, x: &[u32], _: ()) {
        self.0.fetch_add(x.len() as u64, Ordering::Relaxed);
    }
}

#[test]
fn pain_12_ten_thousand_starts_and_stops_leave_nothing_behind() {
    if !is_alone() {
        return alone("pain_12_ten_thousand_starts_and_stops_leave_nothing_behind");
    }
    let maps = || std::fs::read_to_string("/proc/self/maps").unwrap().lines().count();
    let files = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let cycle = |i: usize| {
        let mut graph = Graph::new();
        let zeros = graph.add("zeros", Zeros);
        let copy = graph.add("copy", AddConst(0));
        let sink = graph.add("sink", Drain);
        graph.connect(zeros.output, copy.input);
        graph.connect(copy.output, sink.input);
        let running = graph.check().unwrap().start(&Threads, &Options::default()).unwrap();
        match i % 3 {
            0 => drop(running),
            1 => drop(running.stop_within(Duration::from_secs(10)).unwrap()),
            _ => {
                running.cancel();
                running.wait().unwrap();
            }
        }
    };
    (0..100).for_each(cycle);
    let before = (maps(), files());
    (0..10_000).for_each(cycle);
    assert!(maps() <= before.0 + 20, "{} mappings became {}", before.0, maps());
    assert_eq!(files(), before.1);
    assert_eq!(threads_of_this_process(), 0, "no thread is left behind");
}

/// Lets so much time pass for each call, without waiting.
struct Slow(Duration);
impl SyncBlock for Slow {
    type In = u32;
    type Out = u32;
    fn process(&mut self, x: &[u32], y: &mut [u32]) {
        let start = Instant::now();
        while start.elapsed() < self.0 {
            std::hint::spin_loop();
        }
        y.copy_from_slice(x);
    }
}

#[test]
fn pain_21_the_block_with_the_most_work_is_the_bottleneck() {
    for (name, scheduler) in schedulers() {
        let mut graph = Graph::new();
        let source = counting(&mut graph, 20_000);
        let before = graph.add("before", AddConst(1));
        let slow = graph.add("slow", Slow(Duration::from_millis(1)));
        let after = graph.add("after", Accumulate(0));
        let sink = graph.add("sink", Drain);
        graph.connect(source, before.input);
        graph.connect(before.output, slow.input);
        graph.connect(slow.output, after.input);
        graph.connect(after.output, sink.input);
        let graph = graph.check().unwrap();
        let options = Options { strip_items: Some(400), ..Options::default() };
        let plan = graph.plan(&*scheduler, &options).unwrap();
        let report = graph.start(&*scheduler, &options).unwrap().wait().unwrap();
        let Bottleneck::Work(block) = report.bottleneck() else { panic!("{name}: {report}") };
        assert_eq!(block.name, "slow", "{name}: {report}");
        assert!(report.to_string().contains("busy %"), "{report}");
        let prediction = plan.explain(&report).unwrap();
        assert_eq!(prediction.bottleneck().unwrap().name, "slow", "{name}: {prediction}");
        // What JSON tells is enough for a later plan.
        let known = Report::from_json(&report.to_json()).unwrap();
        assert_eq!(plan.explain(&known).unwrap().bound, prediction.bound, "{name}");
    }
}

#[test]
fn pain_21_a_graph_that_keeps_up_with_its_device_has_no_block_to_blame() {
    /// Gives a few items at a time, at the pace of a device.
    #[derive(Block)]
    struct Device {
        #[port]
        output: Out<u32>,
        left: usize,
    }
    impl Work for Device {
        fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
            if self.left == 0 {
                return Ok(Step::Done);
            }
            context.sleep_until(Instant::now() + Duration::from_millis(5));
            self.left -= 1;
            let y = self.output.reserve();
            let n = y.len().min(10);
            y[..n].fill(0);
            self.output.produce(n);
            Ok(Step::Ran)
        }
        fn blocking(&self) -> bool {
            true
        }
    }
    for (name, scheduler) in schedulers() {
        let mut graph = Graph::new();
        let device = graph.add("device", Device { output: Out::new(), left: 20 });
        let add = graph.add("add", AddConst(1));
        let sink = graph.add("sink", Drain);
        graph.connect(device.output, add.input);
        graph.connect(add.output, sink.input);
        let graph = graph.check().unwrap();
        let plan = graph.plan(&*scheduler, &Options::default()).unwrap();
        let report = graph.start(&*scheduler, &Options::default()).unwrap().wait().unwrap();
        let Bottleneck::Outside(block) = report.bottleneck() else { panic!("{name}: {report}") };
        assert_eq!(block.name, "device", "{name}: {report}");
        assert_eq!(plan.explain(&report).unwrap().bound_words(), "the outside world behind device", "{name}");
    }
}

#[test]
fn pain_22_a_stuck_merge_is_detected_and_named() {
    /// Passes items on only when it has a great many of them: more than the other path can hold meanwhile.
    #[derive(Block)]
    struct Hoard {
        #[port]
        input: In<u32>,
        #[port]
        output: Out<u32>,
        held: Vec<u32>,
    }
    impl Work for Hoard {
        fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            self.held.extend_from_slice(self.input.peek());
            let n = self.input.available();
            self.input.consume(n);
            Ok(if n > 0 { Step::Ran } else { Step::NeedInput })
        }
    }
    for (name, scheduler) in schedulers() {
        let mut graph = Graph::new();
        let zeros = graph.add("zeros", Zeros);
        let hoard = graph.add("hoard", Hoard { input: In::new(), output: Out::new(), held: Vec::new() });
        let merge = graph.add("merge", Add);
        let sink = graph.add("sink", Drain);
        graph.connect(zeros.output, hoard.input);
        graph.connect(zeros.output, merge.input.0);
        graph.connect(hoard.output, merge.input.1);
        graph.connect(merge.output, sink.input);
        let options = Options { strip_items: Some(64), ..Options::default() };
        let error = finish(graph.check().unwrap(), &*scheduler, &options).unwrap_err().to_string();
        assert!(
            error.starts_with("the graph is stuck: zeros has no room before merge.in0"),
            "{name}: {error}"
        );
        assert!(
            error.contains("merge waits for more items on merge.in1 (0 are there) from hoard"),
            "{name}: {error}"
        );
        assert!(error.ends_with("a larger buffer before merge.in0 would let it go on"), "{name}: {error}");
    }
}

#[test]
fn pain_24_a_seeded_run_cuts_the_same_spans_every_time() {
    /// Notes the length of every span.
    struct Spans(Arc<std::sync::Mutex<Vec<usize>>>);
    impl SyncBlock for Spans {
        type In = u32;
        type Out = u32;
        fn process(&mut self, x: &[u32], y: &mut [u32]) {
            y.copy_from_slice(x);
            self.0.lock().unwrap().push(x.len());
        }
    }
    let spans_of = |seed| {
        let spans = Arc::new(std::sync::Mutex::new(Vec::new()));
        let make = |graph: &mut Graph| -> Items<u32> {
            let source = counting(graph, 20_000);
            let block = graph.add("spans", Spans(spans.clone()));
            let (items, sink) = keeping(graph);
            graph.connect(source, block.input);
            graph.connect(block.output, sink);
            items
        };
        let options = Options { seed: Some(seed), strip_items: Some(500), ..Options::default() };
        assert_eq!(run(make, &Single, &options).unwrap().len(), 20_000);
        std::mem::take(&mut *spans.lock().unwrap())
    };
    assert_eq!(spans_of(1), spans_of(1));
    assert_ne!(spans_of(1), spans_of(2));
    assert!(spans_of(1).iter().any(|&n| n < 50) && spans_of(1).iter().any(|&n| n > 200));
}

#[test]
fn pain_25_type_errors_are_in_the_users_names() {
    let mut graph = Graph::new();
    counting(&mut graph, 1);
    graph.add("my filter", superhet_runtime::harness::VecSink::<f32>::new());
    graph.connect_names("source", "my filter.in");
    let error = graph.check().unwrap_err();
    assert_eq!(error.to_string(), "source.out gives u32, my filter.in takes f32");
}

#[test]
fn all_mistakes_of_a_graph_are_reported_at_once() {
    let mut graph = Graph::new();
    let source = counting(&mut graph, 1);
    let other = graph.add("other", Zeros);
    let same = graph.add("other", AddConst(1));
    let add = graph.add("add", Add);
    let half = graph.add("half", MovingSum { length: 2, decimation: 2 });
    let (a, b) = (graph.add("a", AddConst(1)), graph.add("b", AddConst(1)));
    graph.connect(source, same.input);
    graph.connect(other.output, same.input);
    graph.connect(source, add.input.0);
    graph.connect(source, half.input);
    graph.connect(half.output, add.input.1);
    graph.connect_names("sorce", "add.in1");
    graph.connect(a.output, b.input);
    graph.connect(b.output, a.input);
    let mistakes = graph.check().unwrap_err().0;
    let has = |wanted: &str| assert!(mistakes.iter().any(|m| m.to_string() == wanted), "{mistakes:#?}");
    has("the name other is used by 2 blocks");
    has("other.in has 2 writers (source.out, other.out): an input takes one stream");
    has("other.out is not connected: its u32 would go nowhere (connect it to a null_sink to drop them)");
    has("block sorce does not exist; did you mean source?");
    has("b -> a -> b is a loop without delay: nothing in it could ever run first (a delay block breaks it)");
    assert!(
        mistakes
            .iter()
            .any(|m| matches!(m, ConnectError::UnconnectedOutput { port, .. } if port == "add.out"))
    );
    assert!(mistakes.iter().any(|m| matches!(m, ConnectError::RateConflict { block, .. } if block == "add")));
}

#[test]
fn metrics_count_every_item_and_say_who_waited() {
    let mut graph = Graph::new();
    let source = counting(&mut graph, 100_000);
    let sum = graph.add("sum", MovingSum { length: 3, decimation: 2 });
    let (_items, sink) = keeping(&mut graph);
    graph.connect(source, sum.input);
    graph.connect(sum.output, sink);
    let report = graph.run().unwrap();
    assert_eq!(report.outcome, Outcome::Completed);
    let sum = report.block("sum").unwrap();
    assert_eq!((sum.inputs[0].items, sum.outputs[0].items), (100_000, 50_000));
    assert!(sum.calls > 0 && sum.busy > Duration::ZERO && sum.mean_span() > 1.0);
}

/// Gives some items and breaks off with an error.
#[derive(Block)]
struct BreaksOff {
    #[port]
    output: Out<u32>,
}

impl Work for BreaksOff {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        if self.output.index() >= 10_000 {
            return Ok(context.end_with("the file ends in mid-sample"));
        }
        let n = self.output.reserve().len().min(100);
        self.output.produce(n);
        Ok(Step::Ran)
    }
}

#[test]
fn pain_9_a_stream_that_breaks_off_is_used_to_its_last_item_before_the_error_is_reported() {
    for (name, scheduler) in schedulers() {
        for options in all_options() {
            let mut graph = Graph::new();
            let source = graph.add("source", BreaksOff { output: Out::new() });
            let packets = graph.add("packets", Packets::new(33));
            let (items, sink) = keeping(&mut graph);
            graph.connect(source.output, packets.input);
            graph.connect(packets.output, sink);
            let error = finish(graph.check().unwrap(), &*scheduler, &options).unwrap_err().to_string();
            assert!(error.starts_with("block source failed: the file ends in mid-sample"), "{error}");
            assert!(items.take().len() >= 10_000, "{name}, {options:?}");
        }
    }
}

/// Gives items as fast as it may, and says how many.
struct Fast(Arc<AtomicU64>);

impl SyncBlock for Fast {
    type In = ();
    type Out = u32;
    fn process(&mut self, _: (), y: &mut [u32]) {
        self.0.fetch_add(y.len() as u64, Ordering::SeqCst);
    }
}

/// Takes a few items at a time, slowly, and notes how far the source is ahead.
#[derive(Block)]
struct Behind {
    #[port("in")]
    input: In<u32>,
    given: Arc<AtomicU64>,
    most: Arc<AtomicU64>,
}

impl Work for Behind {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        context.sleep_until(Instant::now() + Duration::from_micros(100));
        let ahead = self.given.load(Ordering::SeqCst) - self.input.index();
        self.most.fetch_max(ahead, Ordering::SeqCst);
        self.input.consume(self.input.available().min(20));
        Ok(Step::Ran)
    }
    fn blocking(&self) -> bool {
        true
    }
}

#[test]
fn pain_1_no_more_than_the_latency_allows_lies_between_a_fast_source_and_a_slow_sink() {
    const LIMIT: usize = 1000;
    for (name, scheduler) in schedulers() {
        let (given, most) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let mut graph = Graph::new();
        graph.add("source", Fast(given.clone()));
        let mut last = "source".to_owned();
        for k in 0..4 {
            graph.add(format!("copy{k}"), AddConst(0));
            graph.connect_names(&last, &format!("copy{k}"));
            last = format!("copy{k}");
        }
        graph.add("sink", Behind { input: In::new(), given, most: most.clone() });
        graph.connect_names(&last, "sink");
        let options = Options { max_latency: Some(MaxLatency::Items(LIMIT)), ..Options::default() };
        let running = graph.check().unwrap().start(&*scheduler, &options).unwrap();
        std::thread::sleep(Duration::from_millis(30));
        running.cancel();
        let _ = running.wait();
        let most = most.load(Ordering::SeqCst);
        assert!((1..=LIMIT as u64).contains(&most), "{name}: {most} items were on their way");
    }
}

/// Gives items with a tag `n` on every `every`-th, whose value is its index, and `rx_rate` on the first.
#[derive(Block)]
struct Tagging {
    #[port]
    out: Out<u32>,
    items: u64,
    every: u64,
}

impl Work for Tagging {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let first = self.out.index();
        let n = (self.items - first).min(self.out.room() as u64);
        if first == 0 {
            self.out.tag(0, "rx_rate", 6e6);
            self.out.tag(0, "rx_time", 100.0);
        }
        for index in (first.next_multiple_of(self.every)..first + n).step_by(self.every as usize) {
            self.out.tag((index - first) as usize, "n", index);
        }
        self.out.produce(n as usize);
        Ok(if first + n == self.items { Step::Done } else { Step::Ran })
    }
}

/// Keeps the tags that come, also those beyond the last item.
#[derive(Block)]
struct TagsOf {
    #[port]
    input: In<u32>,
    tags: Arc<std::sync::Mutex<Vec<superhet_runtime::Tag>>>,
}

impl Work for TagsOf {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.input.available();
        self.tags.lock().unwrap().extend(self.input.tags());
        self.input.consume(n);
        Ok(if n > 0 { Step::Ran } else { Step::NeedInput })
    }
    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        self.tags.lock().unwrap().extend(self.input.tags());
        Ok(Step::Done)
    }
}

/// The tags that come through `chain` of a stream of 1003 items with a tag on every 7th.
fn tags_through(
    scheduler: &dyn superhet_runtime::Scheduler,
    options: &Options,
    chain: impl FnOnce(&mut Graph, superhet_runtime::OutRef<u32>) -> superhet_runtime::OutRef<u32>,
) -> Vec<superhet_runtime::Tag> {
    let mut graph = Graph::new();
    let source = graph.add("source", Tagging { out: Out::new(), items: 1003, every: 7 });
    let end = chain(&mut graph, source.out);
    let tags = Arc::default();
    let sink = graph.add("sink", TagsOf { input: In::new(), tags: Arc::clone(&tags) });
    graph.connect(end, sink.input);
    finish(graph.check().unwrap(), scheduler, options).unwrap();
    let tags = tags.lock().unwrap();
    tags.clone()
}

#[test]
fn pain_4_tags_cross_rate_changes_exactly_once_and_none_is_lost_at_the_end() {
    // Up by 3, down by 10 (what does not fill 10 is lost, the tags on it are not), up by 2.
    let chain = |graph: &mut Graph, stream| {
        let up = graph.add("up", Repeat(3));
        let down = graph.add("down", MovingSum { length: 4, decimation: 10 });
        let again = graph.add("again", Repeat(2));
        graph.connect(stream, up.input);
        graph.connect(up.output, down.input);
        graph.connect(down.output, again.input);
        again.output
    };
    let expected: Vec<_> = (0..1003u64).step_by(7).map(|index| (index * 3 / 10 * 2, index)).collect();
    for (name, scheduler) in schedulers() {
        for options in all_options() {
            let tags = tags_through(&*scheduler, &options, chain);
            let numbered = tags.iter().filter(|tag| &*tag.key == "n");
            let got: Vec<_> = numbered.map(|tag| (tag.index, tag.value.as_u64().unwrap())).collect();
            assert_eq!(got, expected, "{name} {options:?}");
        }
    }
}

#[test]
fn pain_16_the_time_of_an_item_is_known_behind_any_rate_change() {
    let chain = |graph: &mut Graph, stream| {
        let up = graph.add("up", Repeat(2));
        let down = graph.add("down", MovingSum { length: 3, decimation: 6 });
        graph.connect(stream, up.input);
        graph.connect(up.output, down.input);
        down.output
    };
    for (name, scheduler) in schedulers() {
        let mut clock = superhet_runtime::StreamClock::new();
        for tag in tags_through(&*scheduler, &Options::default(), chain) {
            clock.note(&tag);
        }
        // 6 MHz up by 2 and down by 6: 2 MHz.
        assert_eq!(clock.rate_hz(), Some(2e6), "{name}");
        let expected = superhet_runtime::Moment { seconds: 101, fraction: 0.5 };
        assert_eq!(clock.time_of(3_000_000), Some(expected), "{name}");
    }
}

/// Gives the numbers of the samples that a radio took, one a microsecond from second 100 on, without those of `lost`.
#[derive(Block)]
struct Lossy {
    #[port]
    out: Out<u32>,
    gaps: superhet_runtime::Gaps,
    /// The first sample of each loss and how many were lost; `None`: nobody has counted them.
    lost: Vec<(u32, u32, Option<u64>)>,
    next: u32,
}

impl Lossy {
    const SAMPLES: u32 = 1000;
    const LOST: [(u32, u32, Option<u64>); 3] = [(0, 4, Some(4)), (300, 101, Some(101)), (700, 6, None)];

    fn new(on_gap: superhet_runtime::OnGap) -> Self {
        let lost = Self::LOST.into_iter().rev().collect();
        Lossy { out: Out::new(), gaps: superhet_runtime::Gaps::new(on_gap), lost, next: 0 }
    }
}

impl Work for Lossy {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        if self.next == 0 {
            self.out.tag(0, "rx_rate", 1e6);
            self.out.tag(0, "rx_time", 100);
        }
        while let Some((first, samples, counted)) = self.lost.pop_if(|(first, ..)| *first == self.next) {
            self.next = first + samples;
            self.gaps.lost(counted);
        }
        match self.gaps.settle(&mut self.out) {
            Ok(true) => {}
            Ok(false) => return Ok(Step::NeedOutput),
            Err(error) => return Ok(context.end_with(error)),
        }
        let until = self.lost.last().map_or(Self::SAMPLES, |(first, ..)| *first);
        let room = self.out.reserve();
        let n = room.len().min((until - self.next) as usize);
        room[..n].iter_mut().zip(self.next..).for_each(|(y, x)| *y = x);
        self.out.produce(n);
        self.next += n as u32;
        Ok(match n {
            _ if self.next == Self::SAMPLES => Step::Done,
            0 => Step::NeedOutput,
            _ => Step::Ran,
        })
    }
}

/// Checks that a clock knows the microsecond in which each item was taken, as far as anybody can; keeps items and tags.
#[derive(Block)]
struct Timed {
    #[port]
    input: In<u32>,
    clock: superhet_runtime::StreamClock,
    seen: SeenTags,
}

/// Items and the indices, keys and values of tags.
type SeenTags = Arc<std::sync::Mutex<(Vec<u32>, Vec<(u64, String, Value)>)>>;

impl Work for Timed {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let (mut tags, first) = (self.input.tags().into_iter().peekable(), self.input.index());
        let mut seen = self.seen.lock().unwrap();
        for (index, &item) in (first..).zip(self.input.peek()) {
            while let Some(tag) = tags.next_if(|tag| tag.index == index) {
                self.clock.note(&tag);
                seen.1.push((index, tag.key.to_string(), tag.value));
            }
            let time = self.clock.time_of(index).map(|time| (time.fraction * 1e6).round());
            let is_filled = item == 0;
            let expected = (item < 700).then_some(f64::from(item));
            if !is_filled && time != expected {
                return Err(format!("sample {item} at {time:?} us").into());
            }
            seen.0.push(item);
        }
        self.input.consume(self.input.available());
        Ok(Step::Ran)
    }
}

#[test]
fn pain_13_a_gap_is_tagged_at_its_sample_counted_and_the_time_behind_it_is_right() {
    use superhet_runtime::OnGap;
    let run = |on_gap, scheduler: &dyn superhet_runtime::Scheduler, options: &Options| {
        let mut graph = Graph::new();
        let radio = graph.add("radio", Lossy::new(on_gap));
        let pass = graph.add("pass", AddConst(0));
        let seen = SeenTags::default();
        let clock = superhet_runtime::StreamClock::new();
        let sink = graph.add("sink", Timed { input: In::new(), clock, seen: seen.clone() });
        graph.connect(radio.out, pass.input);
        graph.connect(pass.output, sink.input);
        let mut running = graph.check().unwrap().start(scheduler, options).unwrap();
        let result = running.wait_for(Duration::from_secs(20)).expect("it ends");
        let seen = std::mem::take(&mut *seen.lock().unwrap());
        (result, seen)
    };
    let samples = |from: u32, to: u32| from..to;
    for (name, scheduler) in schedulers() {
        for options in all_options() {
            let words = format!("{name} {options:?}");
            let (result, (items, tags)) = run(OnGap::Zeros, &*scheduler, &options);
            let report = result.unwrap_or_else(|error| panic!("{words}: {error}"));
            let zeros = |n| std::iter::repeat_n(0u32, n);
            let expected = zeros(4).chain(samples(4, 300)).chain(zeros(101)).chain(samples(401, 700));
            assert_eq!(items, expected.chain(samples(706, 1000)).collect::<Vec<_>>(), "{words}");
            let expected: [(u64, &str, Value); 5] = [
                (0, "rx_rate", 1e6.into()),
                (0, "rx_time", 100.into()),
                (0, "gap_filled", 4u64.into()),
                (300, "gap_filled", 101u64.into()),
                (700, "gap", Value::Null),
            ];
            let expected = expected.map(|(index, key, value)| (index, key.to_owned(), value));
            assert_eq!(tags, expected, "{words}");
            let radio = report.block("radio").unwrap();
            assert_eq!((radio.gaps, radio.lost_items), (3, 105), "{words}");

            let (result, (items, _)) = run(OnGap::Error, &*scheduler, &options);
            let error = result.unwrap_err().to_string();
            assert_eq!(error, "block radio failed: 4 items were lost before item 0", "{words}");
            assert!(items.is_empty(), "{words}");
        }
    }
}

#[test]
fn pain_13_a_gap_goes_through_a_rate_change_with_the_time_that_it_cost() {
    use superhet_runtime::OnGap;
    for (name, scheduler) in schedulers() {
        let mut graph = Graph::new();
        let mut lossy = Lossy::new(OnGap::Continue);
        lossy.lost = vec![(300, 101, Some(101))];
        let radio = graph.add("radio", lossy);
        let (up, down) =
            (graph.add("up", Repeat(2)), graph.add("down", MovingSum { length: 1, decimation: 4 }));
        let tags = Arc::default();
        let sink = graph.add("sink", TagsOf { input: In::new(), tags: Arc::clone(&tags) });
        graph.connect(radio.out, up.input);
        graph.connect(up.output, down.input);
        graph.connect(down.output, sink.input);
        finish(graph.check().unwrap(), &*scheduler, &Options::default()).unwrap();
        let tags = tags.lock().unwrap();
        let gap = tags.iter().find(|tag| &*tag.key == "gap").unwrap();
        assert_eq!((gap.index, &gap.value), (150, &Value::from(50.5)), "{name}");
        let mut clock = superhet_runtime::StreamClock::new();
        tags.iter().for_each(|tag| clock.note(tag));
        // Item 200 is the radio's sample 400 + 101.
        let time = clock.time_of(200).unwrap();
        assert!((time.fraction - 501e-6).abs() < 1e-12, "{name}: {time:?}");
    }
}

/// Sends numbers without end, several in each call.
#[derive(Block)]
struct Flooding {
    #[port]
    out: MsgOut,
    sent: u64,
}

impl Work for Flooding {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        for _ in 0..10 {
            self.out.send(self.sent)?;
            self.sent += 1;
        }
        Ok(Step::Ran)
    }
}

/// Reads a message a millisecond.
#[derive(Block)]
struct SlowReader {
    #[port]
    input: MsgIn,
    read: Arc<std::sync::Mutex<Vec<u64>>>,
}

impl Work for SlowReader {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let Some(message) = self.input.recv() else { return Ok(Step::NeedInput) };
        self.read.lock().unwrap().push(message.as_u64().unwrap());
        std::thread::sleep(Duration::from_millis(1));
        Ok(Step::Ran)
    }
}

#[test]
fn pain_10_message_queues_are_bounded_and_what_is_dropped_is_counted() {
    use superhet_runtime::WhenFull;
    for policy in [WhenFull::Block, WhenFull::DropOldest, WhenFull::DropNewest] {
        let mut graph = Graph::new();
        let flood = graph.add("flood", Flooding { out: MsgOut::new(), sent: 0 });
        let read = Arc::default();
        let slow = graph.add("slow", SlowReader { input: MsgIn::with(4, policy), read: Arc::clone(&read) });
        graph.connect(flood.out, slow.input);
        let running = graph.check().unwrap().start(&Threads, &Options::default()).unwrap();
        std::thread::sleep(Duration::from_millis(100));
        let dropped = running.metrics().block("slow").unwrap().dropped_messages;
        running.cancel();
        running.wait().unwrap();
        let read = read.lock().unwrap();
        assert!(read.is_sorted(), "{policy:?}");
        let gaps = read.windows(2).filter(|pair| pair[1] > pair[0] + 1).count();
        if policy == WhenFull::Block {
            assert_eq!((dropped, gaps), (0, 0), "nothing is dropped, the sender waits");
        } else {
            assert!(dropped > 0 && gaps > 0, "{policy:?} drops, and says so: {dropped}, {gaps} gaps");
        }
    }
}

#[test]
fn pain_27_memory_does_not_grow_with_the_tags_that_have_passed() {
    if !is_alone() {
        return alone("pain_27_memory_does_not_grow_with_the_tags_that_have_passed");
    }
    let memory_kib = || {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap().to_owned();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap()
    };
    for (name, scheduler) in schedulers() {
        let mut graph = Graph::new();
        let source = graph.add("source", Tagging { out: Out::new(), items: u64::MAX / 2, every: 3 });
        let copy = graph.add("copy", AddConst(1));
        let sum = graph.add("sum", Accumulate(0));
        let sink = graph.add("sink", Drain);
        graph.connect(source.out, copy.input);
        graph.connect(copy.output, sum.input);
        graph.connect(sum.output, sink.input);
        let running = graph.check().unwrap().start(&*scheduler, &Options::default()).unwrap();
        std::thread::sleep(Duration::from_millis(150));
        let before = (memory_kib(), running.metrics().block("sink").unwrap().inputs[0].items);
        std::thread::sleep(Duration::from_millis(300));
        let after = (memory_kib(), running.metrics().block("sink").unwrap().inputs[0].items);
        running.cancel();
        running.wait().unwrap();
        let tags = (after.1 - before.1) / 3;
        // A tag takes 64 bytes.
        let grown = after.0.saturating_sub(before.0);
        assert!(grown < 8192 || grown < tags * 64 / 1024 / 4, "{name}: {grown} KiB in {tags} tags");
        assert!(tags > 10_000, "{name}: {tags} tags");
    }
}
