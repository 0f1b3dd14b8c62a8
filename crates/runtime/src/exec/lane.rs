//! A lane: blocks that one worker at a time runs in order, a strip through all of them in each sweep.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::rings::Rings;
use super::seeded::Seeded;
use super::sweep::{Part, Sweep, Visit};
use super::task::Task;
use super::timing::SweepTimer;
use super::words::ports_in_words;
use crate::block::Step;
use crate::block::domain::MemberError;
use crate::data::{BlockError, RunError};
use crate::metrics::{add, clock_cost};

/// Blocks that one worker at a time runs, in order.
pub(super) struct Lane {
    pub tasks: Vec<Task>,
    /// The same blocks in parts, in order.
    parts: Vec<Part>,
    seeded: Option<Seeded>,
    /// The blocks' names, in the order of the tasks.
    names: Vec<Arc<str>>,
    timer: SweepTimer,
    /// Since when, and in how many sweeps, time has passed that no block is charged with yet.
    open: (Instant, u32),
    /// Nothing has moved since the counters were brought up to date.
    is_published: bool,
    /// Whether more may wait between its blocks than they leave there themselves.
    has_backlog: bool,
    /// The first of the blocks that take in strips what one before them gives in one piece of many.
    after_batches: Option<usize>,
    /// A block has failed or panicked: none of them runs any more. Also set during a turn.
    is_broken: bool,
}

impl Lane {
    const MANY: usize = 256;
    /// Sweeps that take a backlog away, at most: blocks that send each other messages would never come to an end.
    const MOST_SWEEPS: usize = 1000;
    /// Short sweeps, one after another, before the lane looks whether anything else is to be done.
    const SWEEPS_AT_ONCE: usize = 8;

    /// Of blocks that were in other lanes before, if `has_backlog`; those from `after_batches` on take in strips what one
    /// before them gives in one piece of many.
    pub fn new(
        mut tasks: Vec<Task>,
        seeded: Option<Seeded>,
        has_backlog: bool,
        after_batches: Option<usize>,
    ) -> Self {
        Lane {
            parts: Part::of(&mut tasks),
            names: tasks.iter().map(|task| task.name.clone()).collect(),
            timer: SweepTimer::new(tasks.len()),
            tasks,
            seeded,
            open: (Instant::now(), 0),
            is_published: false,
            has_backlog,
            after_batches,
            is_broken: false,
        }
    }

    /// Whether all blocks have ended.
    pub fn is_done(&self) -> bool {
        self.tasks.iter().all(|task| task.last == Step::Done)
    }

    /// Whether the last sweep has ended for want of room.
    pub fn needs_output(&self) -> bool {
        self.tasks.iter().any(|task| task.last == Step::NeedOutput)
    }

    /// Looks for the rings at its ends.
    pub fn find_rings(&mut self) -> Rings {
        let mut rings = Rings::default();
        for task in &mut self.tasks {
            let before = rings.read.len();
            task.runnable.visit(&mut rings);
            task.reads_ring = rings.read.len() > before;
        }
        rings
    }

    /// Sweeps while something moves, `most` times at most, and until the worker has taken its share or its time is over: whether
    /// anything moved, and whether the last sweep did it.
    #[inline]
    pub fn turn(&mut self, visit: &Visit<'_>, most: usize) -> Result<(bool, bool), RunError> {
        // The graph ends, but this worker may not know yet.
        if std::mem::replace(&mut self.is_broken, true) {
            return Ok((false, false));
        }
        self.open = (Instant::now(), 0);
        let mut moved = false;
        if std::mem::take(&mut self.has_backlog) {
            moved = self.work_off(visit, 1)?;
            self.open = (Instant::now(), 0);
        }
        let mut sweeps = 0;
        let more = loop {
            let moved = self.sweep(visit, most - sweeps)?;
            let more = moved > 0;
            if more && let Some(first) = self.after_batches {
                let start = Instant::now();
                self.work_off(visit, first)?;
                self.charge_behind(first, start.elapsed());
            }
            sweeps += moved.max(1);
            if !more
                || sweeps >= most
                || visit.is_called()
                || visit.share.is_some_and(|share| share.is_through())
                || visit.end.is_some_and(|end| Instant::now() >= end)
            {
                break more;
            }
        };
        moved |= more || sweeps > 1;
        if moved && self.open.1 > 0 {
            self.charge(Instant::now(), 0.0);
        }
        self.is_broken = false;
        Ok((moved, more))
    }

    /// Runs every block once, and again where that takes a few microseconds at most, `most` times at most: how often anything moved.
    #[inline]
    fn sweep(&mut self, visit: &Visit<'_>, most: usize) -> Result<usize, RunError> {
        if self.seeded.is_some() || self.timer.is_due() {
            return self.timed_sweep(visit).map(usize::from);
        }
        let looks_on = visit.share.is_some() || visit.end.is_some() || self.after_batches.is_some();
        let most = if looks_on || !self.timer.is_short() { 1 } else { Self::SWEEPS_AT_ONCE.min(most) };
        let mut sweep = Sweep::<false>::new(visit, &self.names);
        let mut sweeps = 0;
        let outcome = loop {
            match sweep.run(&mut self.tasks, &mut self.parts, 0, most - sweeps, |_| {}) {
                Ok(times) if times > 0 => sweeps += times,
                outcome => break outcome,
            }
            if sweeps >= most || visit.is_called() {
                break Ok(sweeps);
            }
        };
        self.open.1 += sweeps.max(1) as u32;
        self.note(outcome.map(|_| sweeps))?;
        Ok(sweeps)
    }

    /// Takes what waits before the blocks from `first` on through all of them, without anything new; whether anything moved.
    ///
    /// In every sweep each block takes as much as the one before gives: what once waits between them would wait for good,
    /// be cold whenever its turn comes, and leave little room to a block that gives many strips in one piece.
    #[inline(never)]
    fn work_off(&mut self, visit: &Visit<'_>, first: usize) -> Result<bool, RunError> {
        for sweeps in 0..Self::MOST_SWEEPS {
            if visit.is_called() || !self.sweep_inside(visit, first)? {
                return Ok(sweeps > 0);
            }
        }
        Ok(true)
    }

    /// Charges the blocks with the time until `now`, but for what a timed sweep in it took.
    fn charge(&mut self, now: Instant, timed: f64) {
        let (since, sweeps) = std::mem::replace(&mut self.open, (now, 0));
        let nanoseconds = ((now - since).as_nanos() as u64 as f64 - timed).max(0.0);
        if sweeps > 0 {
            for (task, part) in self.tasks.iter().zip(self.timer.split(nanoseconds, sweeps)) {
                add(&task.counters.busy_ns, part as u64);
            }
        }
    }

    /// Charges the blocks from `first` on with time that only they have taken, and that is no sweep's.
    fn charge_behind(&mut self, first: usize, time: Duration) {
        self.open.0 += time;
        let parts = || self.timer.split(1.0, 1).skip(first);
        let all: f64 = parts().sum();
        for (task, part) in self.tasks[first..].iter().zip(parts()) {
            let part = if all > 0.0 { part / all } else { 0.0 };
            add(&task.counters.busy_ns, (time.as_nanos() as f64 * part) as u64);
        }
    }

    /// Runs every block from `first` on once but sources, so that only what waits inside moves; whether anything did.
    fn sweep_inside(&mut self, visit: &Visit<'_>, first: usize) -> Result<bool, RunError> {
        let mut sweep = Sweep::<true>::new(visit, &self.names);
        let outcome = sweep.run(&mut self.tasks, &mut self.parts, first, 1, |_| {});
        self.note(outcome)
    }

    fn timed_sweep(&mut self, visit: &Visit<'_>) -> Result<bool, RunError> {
        if let Some(seeded) = &mut self.seeded {
            self.tasks.iter_mut().for_each(|task| task.runnable.visit(seeded));
        }
        let start = Instant::now();
        let mut before = start;
        let timer = &mut self.timer;
        timer.begin();
        let lap = |index| {
            let now = Instant::now();
            timer.lap(index, (now - before).saturating_sub(clock_cost()).as_nanos() as f64);
            before = now;
        };
        let mut sweep = Sweep::<false>::new(visit, &self.names);
        let outcome = sweep.run(&mut self.tasks, &mut self.parts, 0, 1, lap);
        let moved = self.note(outcome)?;
        if moved {
            for (task, nanoseconds) in self.tasks.iter().zip(self.timer.timed()) {
                add(&task.counters.busy_ns, nanoseconds as u64);
            }
        } else {
            self.timer.skip();
        }
        self.charge(before, (before - start).as_nanos() as f64);
        self.publish();
        Ok(moved)
    }

    /// Notes what a sweep has come to.
    #[inline]
    fn note(&mut self, outcome: Result<usize, (usize, BlockError)>) -> Result<bool, RunError> {
        match outcome {
            Ok(times) => {
                self.is_published &= times == 0;
                Ok(times > 0)
            }
            Err((index, error)) => Err(self.failed(index, error)),
        }
    }

    #[cold]
    fn failed(&mut self, index: usize, error: BlockError) -> RunError {
        let task = &mut self.tasks[index];
        let (block, error) = match error.downcast::<MemberError>() {
            Ok(of) => (of.block, of.error),
            Err(error) => (task.name.to_string(), error),
        };
        RunError::Block { block, error, ports: ports_in_words(&mut *task.runnable) }
    }

    /// Brings the counters up to date.
    pub fn publish(&mut self) {
        // What waits before a block changes without it: but to look at thousands each time costs more than it tells.
        if std::mem::replace(&mut self.is_published, true) && self.tasks.len() > Self::MANY {
            return;
        }
        self.tasks.iter_mut().filter(|task| task.last != Step::Done).for_each(Task::publish);
    }

    /// Notes that the lane had nothing to do for so long.
    pub fn slept(&self, nanoseconds: u64) {
        for task in &self.tasks {
            match task.last {
                Step::NeedInput => add(&task.counters.blocked_input_ns, nanoseconds),
                Step::NeedOutput => add(&task.counters.blocked_output_ns, nanoseconds),
                _ => {}
            }
        }
    }

    /// Ends every block that has not ended, so that the others see it.
    pub fn end(&mut self) {
        for task in &mut self.tasks {
            if task.last != Step::Done {
                task.end();
            }
        }
    }

    /// Where the ports of a block of this lane stand.
    pub fn words(&mut self, block: usize) -> Option<String> {
        let task = self.tasks.iter_mut().find(|task| task.block == block)?;
        Some(ports_in_words(&mut *task.runnable))
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use crate::block::{Context, Step, SyncBlock, Work};
    use crate::data::{BlockError, ConnectError};
    use crate::graph::{CheckedGraph, Graph};
    use crate::plan::options::Options;
    use crate::plan::policy::{Scheduler, Single};
    use crate::plan::{Lane, Machine};
    use crate::stream::port::{In, Out};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
    use std::time::{Duration, Instant};

    /// Counts, as fast as it may, up to `end`.
    #[derive(crate::Block)]
    struct Count {
        #[port]
        output: Out<u64>,
        end: u64,
    }

    impl Work for Count {
        fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            let first = self.output.index();
            let numbers = first..self.end.min(first + self.output.room() as u64);
            let n = (numbers.end - first) as usize;
            self.output.reserve().iter_mut().zip(numbers).for_each(|(item, n)| *item = n);
            self.output.produce(n);
            Ok(match n {
                _ if self.output.index() == self.end => Step::Done,
                0 => Step::NeedOutput,
                _ => Step::Ran,
            })
        }
    }

    /// Checks that it gets what `Count` gives, slowly.
    struct Check {
        next: u64,
        pause: Duration,
    }

    impl Check {
        fn pausing(microseconds: u64) -> Self {
            Check { next: 0, pause: Duration::from_micros(microseconds) }
        }
    }

    impl SyncBlock for Check {
        type In = u64;
        type Out = ();
        fn process(&mut self, x: &[u64], _: ()) {
            let end = self.next + x.len() as u64;
            assert!(x.iter().copied().eq(self.next..end), "from {}: {x:?}", self.next);
            self.next = end;
            std::thread::sleep(self.pause);
        }
    }

    /// Two lanes, and one when the graph is changed.
    #[derive(Clone, Default)]
    struct Join {
        was_asked: Arc<AtomicBool>,
    }

    impl Scheduler for Join {
        fn name(&self) -> &'static str {
            "join"
        }
        fn lanes(&self, graph: &CheckedGraph, _: &Machine) -> Result<Vec<Lane>, ConnectError> {
            let lane = |blocks: &[usize]| Lane::new(blocks.to_vec());
            let is_first = !self.was_asked.swap(true, Ordering::Relaxed);
            Ok(if is_first { graph.order().chunks(1).map(lane).collect() } else { vec![lane(graph.order())] })
        }
        fn workers(&self, _: &Machine) -> Option<usize> {
            Some(2)
        }
        fn copy(&self) -> Option<Box<dyn Scheduler + Send>> {
            Some(Box::new(self.clone()))
        }
    }

    #[test]
    fn what_waits_between_two_lanes_does_not_wait_in_one() {
        let mut graph = Graph::new();
        let count = graph.add("count", Count { output: Out::new(), end: u64::MAX });
        let check = graph.add("check", Check::pausing(50));
        graph.connect(count.output, check.input);
        let running = graph.check().unwrap().start(&Join::default(), &Options::default()).unwrap();
        let waiting =
            || running.metrics().block("check").map_or((0, 0), |b| (b.inputs[0].fill, b.inputs[0].capacity));
        let start = Instant::now();
        let until = |is_there: &dyn Fn(u64, u64) -> bool| {
            while !is_there(waiting().0, waiting().1) {
                assert!(start.elapsed() < Duration::from_secs(20), "{:?}", waiting());
                std::thread::sleep(Duration::from_millis(1));
            }
        };
        // The source is ahead by all that the ring holds. Then the two share a lane, and it is not any more.
        until(&|fill, capacity| capacity > 0 && fill > capacity / 2);
        let ahead = waiting().0;
        running.reconfigure(|_| ()).unwrap();
        until(&|fill, _| fill < ahead / 4);
        running.stop_within(Duration::from_secs(30)).unwrap();
    }

    #[test]
    fn a_graph_that_ends_while_lanes_are_joined_comes_to_its_end() {
        const ITEMS: u64 = 3_000;
        let mut graph = Graph::new();
        let count = graph.add("count", Count { output: Out::new(), end: ITEMS });
        let check = graph.add("check", Check::pausing(20_000));
        graph.connect(count.output, check.input);
        // Of many short strips, some wait in the ring when the source has ended.
        let options = Options { strip_items: Some(100), ..Options::default() };
        let mut running = graph.check().unwrap().start(&Join::default(), &options).unwrap();
        let given = || running.metrics().block("count").map_or(0, |count| count.outputs[0].items);
        while given() < ITEMS {
            std::thread::sleep(Duration::from_millis(1));
        }
        running.reconfigure(|_| ()).unwrap();
        let report = running.wait_for(Duration::from_secs(20)).expect("it ends").unwrap();
        assert_eq!(report.block("check").unwrap().inputs[0].items, ITEMS);
    }

    /// Hands items on, as many at once as it can get, and counts how often.
    #[derive(crate::Block)]
    struct Pass {
        #[port]
        input: In<u64>,
        #[port]
        output: Out<u64>,
        calls: Arc<AtomicU64>,
    }

    impl Work for Pass {
        fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            let n = self.input.available().min(self.output.room());
            self.output.reserve()[..n].copy_from_slice(&self.input.peek()[..n]);
            self.input.consume(n);
            self.output.produce(n);
            self.calls.fetch_add(1, Ordering::Relaxed);
            Ok(Step::Ran)
        }
    }

    #[test]
    fn a_block_that_asks_for_much_gets_it_each_time_whatever_comes_behind_it() {
        const BATCH: usize = 1 << 17;
        let calls = Arc::<AtomicU64>::default();
        let mut graph = Graph::new();
        let count = graph.add("count", Count { output: Out::new(), end: u64::MAX });
        let (input, output) = (In::new().batch(BATCH), Out::new().batch(BATCH));
        let pass = graph.add("pass", Pass { input, output, calls: calls.clone() });
        let again = graph.add("again", Check::pausing(50));
        graph.connect(count.output, pass.input);
        graph.connect(pass.output, again.input);
        let running = graph.check().unwrap().start(&Single, &Options::default()).unwrap();
        let start = Instant::now();
        while calls.load(Ordering::Relaxed) < 20 && start.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(1));
        }
        let report = running.stop_within(Duration::from_secs(30)).unwrap();
        let (items, calls) = (report.block("pass").unwrap().inputs[0].items, calls.load(Ordering::Relaxed));
        assert!(items > calls / 2 * BATCH as u64, "{items} items in {calls} calls");
        // What comes behind is charged with its own time: it sleeps in each call.
        let again = report.block("again").unwrap();
        assert!(again.busy > Duration::from_micros(25) * again.calls as u32, "{again:?}");
    }
}
