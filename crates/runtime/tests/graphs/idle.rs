//! What idle blocks cost, and what a graph leaves behind.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use superhet_runtime::prelude::*;

use crate::blocks::{Deaf, Listen, Tagging};
use crate::common::*;

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
fn idle_blocks_cost_nothing() {
    if !is_alone() {
        return alone("idle::idle_blocks_cost_nothing");
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
        let ticks = least_ticks(25, || std::thread::sleep(Duration::from_millis(500)));
        // A worker that spins would use 50 ticks. The deaf block itself wakes 200 times a second.
        assert!(ticks <= 25, "{name}: {} ms of CPU time in 500 ms of idling", ticks * 10);
        running.message("listen7.news", 1).unwrap();
        released.store(true, Ordering::Relaxed);
        running.stop_within(Duration::from_secs(30)).unwrap();
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
fn a_thousand_idle_channels_cost_next_to_nothing() {
    if !is_alone() {
        return alone("idle::a_thousand_idle_channels_cost_next_to_nothing");
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
    // Channels that have nothing to do are not called, however often another one is.
    let calls_of_idle_blocks = || {
        let metrics = running.metrics();
        let idle = metrics.blocks.iter().filter(|block| !block.name.ends_with('7'));
        idle.map(|block| block.calls).sum::<u64>()
    };
    let calls = calls_of_idle_blocks();
    let mut sent = 10;
    // A worker that spins would use 100 ticks.
    let ticks = least_ticks(50, || {
        work(10);
        sent += 10;
    });
    assert_eq!(calls_of_idle_blocks(), calls);
    assert!(ticks <= 50, "{} ms of CPU time in a second of 1000 idle channels", ticks * 10);
    running.stop_within(Duration::from_secs(30)).unwrap();
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
fn ten_thousand_starts_and_stops_leave_nothing_behind() {
    if !is_alone() {
        return alone("idle::ten_thousand_starts_and_stops_leave_nothing_behind");
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
            1 => drop(running.stop_within(Duration::from_secs(30)).unwrap()),
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
    assert!(no_thread_is_left(), "a thread is left behind");
}

#[test]
fn memory_does_not_grow_with_the_tags_that_have_passed() {
    if !is_alone() {
        return alone("idle::memory_does_not_grow_with_the_tags_that_have_passed");
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
        let memory_after = |items: u64| {
            while running.metrics().block("sink").unwrap().inputs[0].items < items {
                std::thread::sleep(Duration::from_millis(5));
            }
            memory_kib()
        };
        let before = memory_after(1_000_000);
        let grown = memory_after(17_000_000).saturating_sub(before);
        running.cancel();
        running.wait().unwrap();
        // 5,300,000 tags of 64 bytes have passed: 325 MiB. As many wait for a reader as rings hold, more on a busy machine.
        assert!(grown < 64 << 10, "{name}: {grown} KiB");
    }
}
