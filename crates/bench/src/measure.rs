//! How benches measure: how often, for how long, and a graph or a function at work in the meantime.

use std::time::{Duration, Instant};

use clap::Args;
use superhet_runtime::{Graph, Options, Report, RunError, Scheduler};

use super::stats::Stats;
use superhet_terminal::settings::parse_seconds;

/// How often and how long something is measured.
#[derive(Args, Clone, Copy, Debug)]
pub struct Repeat {
    /// Repetitions; the median is reported
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub repeat: u32,
    /// Seconds for each repetition
    #[arg(long, default_value_t = 0.3, value_parser = parse_seconds)]
    pub seconds: f64,
}

impl Repeat {
    /// The time for each repetition.
    pub fn time(&self) -> Duration {
        Duration::from_secs_f64(self.seconds)
    }
}

/// Runs a graph for so long, and at least until every block with inputs has had items, then stops it.
pub fn run_for(
    graph: Graph,
    scheduler: &dyn Scheduler,
    options: &Options,
    time: Duration,
) -> Result<Report, RunError> {
    run_until(graph, scheduler, options, time, || true)
}

/// As [`run_for`], and at least until `has_run`.
pub fn run_until(
    graph: Graph,
    scheduler: &dyn Scheduler,
    options: &Options,
    time: Duration,
    has_run: impl Fn() -> bool,
) -> Result<Report, RunError> {
    let running = graph.check()?.start(scheduler, options)?;
    std::thread::sleep(time);
    // On a busy machine the workers may not have had their turn yet.
    let have_items =
        |report: Report| report.blocks.iter().flat_map(|block| &block.inputs).all(|input| input.items > 0);
    let start = Instant::now();
    while !(has_run() && have_items(running.metrics())) && start.elapsed() < Duration::from_secs(5) {
        std::thread::sleep(Duration::from_millis(1));
    }
    running.stop_within(Duration::from_secs(10))
}

/// Runs a graph, and measures the rate into a block from when it has come to its first items until `time` later.
pub fn steady_rate(
    graph: Graph,
    scheduler: &dyn Scheduler,
    options: &Options,
    time: Duration,
    block: &str,
) -> Result<(f64, Report), RunError> {
    let items = |report: &Report| report.block(block).map_or(0, |block| block.inputs[0].items);
    steady_count(graph, scheduler, options, time, items)
}

/// As `steady_rate`, of whatever `count` counts.
pub fn steady_count(
    graph: Graph,
    scheduler: &dyn Scheduler,
    options: &Options,
    time: Duration,
    count: impl Fn(&Report) -> u64,
) -> Result<(f64, Report), RunError> {
    let running = graph.check()?.start(scheduler, options)?;
    let measure = || {
        let report = running.metrics();
        (count(&report), report.elapsed)
    };
    // On a busy machine a short time may pass without an item.
    let wait_for_more_than = |items: u64| {
        let start = Instant::now();
        while measure().0 <= items && start.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(1));
        }
    };
    wait_for_more_than(0);
    // Caches and clocks warm up.
    std::thread::sleep(time / 10);
    let before = measure();
    std::thread::sleep(time);
    wait_for_more_than(before.0);
    let after = measure();
    let rate = (after.0 - before.0) as f64 / (after.1 - before.1).as_secs_f64();
    Ok((rate, running.stop_within(Duration::from_secs(10))?))
}

/// Items that went into the first input of a block, per second.
pub fn rate_into(report: &Report, block: &str) -> f64 {
    let items = report.block(block).map_or(0, |block| block.inputs[0].items);
    items as f64 / report.elapsed.as_secs_f64()
}

/// Items per second of a function that works on so many at a time. It is the best of all groups of calls in `time`, since
/// it is a limit.
pub fn rate_of(items: usize, time: Duration, mut work: impl FnMut()) -> f64 {
    let groups = seconds_of_groups(time, |calls| {
        for _ in 0..calls {
            work();
            std::hint::black_box(());
        }
    });
    items as f64 / groups.into_iter().fold(f64::MAX, f64::min)
}

/// Seconds for one call, the median of all groups of calls in `time`. `work` makes as many calls as its argument says.
///
/// The best group is no measure to compare two functions. A processor's second cache now and then runs the same loop a
/// third faster than usual, and it is chance which of two short measurements has such a moment.
pub fn seconds_of_call(time: Duration, work: impl FnMut(usize)) -> f64 {
    Stats::new(seconds_of_groups(time, work)).median()
}

/// Seconds of a call in each group of calls, which are long enough for the clock.
fn seconds_of_groups(time: Duration, mut work: impl FnMut(usize)) -> Vec<f64> {
    const GROUP: Duration = Duration::from_micros(20);
    let mut timed = |calls: usize| {
        let before = Instant::now();
        work(calls);
        before.elapsed()
    };
    let start = Instant::now();
    let one = timed(4) / 4;
    let calls = (GROUP.as_nanos() / one.as_nanos().max(1)).clamp(1, 1 << 16) as usize;
    let mut groups = Vec::new();
    loop {
        groups.push(timed(calls).as_secs_f64() / calls as f64);
        if start.elapsed() >= time {
            return groups;
        }
    }
}
