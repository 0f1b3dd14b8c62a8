//! One thread and its lane: sweeps, and sleep when there is nothing to do.
//!
//! ```text
//! sweep ── something moved ──> sweep
//!   │ nothing moved
//!   ├─ look again for a moment, where the others have processors of their own
//!   ├─ announce, sweep once more (see park.rs)
//!   └─ note why each block waits; if all workers sleep, the graph is stuck; sleep
//! ```

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::run::Shared;
use crate::block::{CloseAll, Context, Step};
use crate::error::{BlockError, RunError};
use crate::graph::PortVisitor;
use crate::metrics::{Counters, Publish, add};
use crate::park::Parker;
use crate::port::{AnyIn, AnyOut, PortSpec};
use crate::stage::Runnable;

/// A block on a lane.
pub(super) struct Task {
    pub block: usize,
    pub name: Arc<str>,
    pub runnable: Box<dyn Runnable>,
    pub counters: Arc<Counters>,
    /// Has no inputs at all: ends when the graph is stopped.
    pub is_source: bool,
    pub last: Step,
}

pub(super) struct Worker {
    pub lane: usize,
    pub tasks: Vec<Task>,
    pub parker: Arc<Parker>,
    pub shared: Arc<Shared>,
    /// How long to look for work before sleeping.
    pub patience: Duration,
    pub seeded: Option<Seeded>,
    /// The blocks' names, in the order of the tasks.
    names: Vec<Arc<str>>,
    sweeps: SweepTimer,
    /// How long each block took in the last timed sweep.
    durations: Vec<Duration>,
}

/// Which sweeps are timed block by block: all that are long, one in many of those that are short.
struct SweepTimer {
    untimed: u32,
    timed_one_in: u32,
}

impl SweepTimer {
    /// A sweep this long can afford the few dozen nanoseconds that timing costs per block.
    const LONG: Duration = Duration::from_micros(50);
    const RAREST: u32 = 256;

    fn is_due(&mut self) -> bool {
        self.untimed += 1;
        self.untimed >= self.timed_one_in
    }

    /// Accounts for a timed sweep; returns how many sweeps it stands for.
    fn timed(&mut self, duration: Duration) -> u64 {
        let stands_for = std::mem::take(&mut self.untimed);
        let fits = Self::LONG.as_nanos() / duration.as_nanos().max(1);
        self.timed_one_in = (fits as u32).clamp(1, Self::RAREST);
        stands_for.into()
    }
}

impl Task {
    /// Runs the block once; whether anything moved.
    #[inline(always)]
    fn turn(&mut self, context: &mut Context<'_>, stopping: bool) -> Result<bool, BlockError> {
        if self.last == Step::Done {
            return Ok(false);
        }
        let step = if stopping && self.is_source { Step::Done } else { self.runnable.run(context)? };
        match step {
            Step::Ran => {
                self.last = Step::Ran;
                return Ok(true);
            }
            Step::Done => self.end(),
            step => self.last = step,
        }
        Ok(step == Step::Done)
    }

    #[cold]
    fn end(&mut self) {
        self.last = Step::Done;
        publish(self);
        self.runnable.visit(&mut CloseAll);
    }
}

impl Worker {
    pub fn new(lane: usize, tasks: Vec<Task>, parker: Arc<Parker>, shared: Arc<Shared>) -> Self {
        Worker {
            lane,
            names: tasks.iter().map(|task| task.name.clone()).collect(),
            tasks,
            parker,
            shared,
            patience: Duration::ZERO,
            seeded: None,
            sweeps: SweepTimer { untimed: 0, timed_one_in: 1 },
            durations: Vec::new(),
        }
    }

    /// Runs the lane until all its blocks have ended.
    pub fn run(&mut self) -> Result<(), RunError> {
        self.claim()?;
        while self.tasks.iter().any(|task| task.last != Step::Done) && !self.shared.is_cancelled() {
            if !self.sweep()? && !self.look_again()? {
                self.rest()?;
            }
        }
        self.publish();
        Ok(())
    }

    /// Makes this thread the one that may use the lane's scratches, before anything runs.
    fn claim(&mut self) -> Result<(), RunError> {
        let mut claim = Claim { is_mine: true };
        for task in &mut self.tasks {
            task.runnable.visit(&mut claim);
            if !claim.is_mine {
                let error = "another thread has used its ports before the graph ran".into();
                let (block, ports) = (task.name.to_string(), "at the start".to_owned());
                return Err(RunError::Block { block, error, ports });
            }
        }
        Ok(())
    }

    /// Runs every block once; whether anything moved.
    fn sweep(&mut self) -> Result<bool, RunError> {
        if self.seeded.is_some() || self.sweeps.is_due() { self.timed_sweep() } else { self.plain_sweep() }
    }

    fn plain_sweep(&mut self) -> Result<bool, RunError> {
        let shared = &*self.shared;
        let current = &shared.current[self.lane];
        let stopping = shared.stopping.load(Ordering::Relaxed);
        let mut context = Context {
            names: &self.names,
            current: 0,
            stopping: &shared.stopping,
            parker: &self.parker,
            verdict: &shared.error,
        };
        let mut moved = false;
        let mut failed = None;
        for (index, task) in self.tasks.iter_mut().enumerate() {
            current.store(index, Ordering::Relaxed);
            context.current = index;
            match task.turn(&mut context, stopping) {
                Ok(ran) => moved |= ran,
                Err(error) => {
                    failed = Some((index, error));
                    break;
                }
            }
        }
        match failed {
            None => Ok(moved),
            Some((index, error)) => Err(self.failed(index, error)),
        }
    }

    fn timed_sweep(&mut self) -> Result<bool, RunError> {
        let shared = self.shared.clone();
        let stopping = shared.stopping.load(Ordering::Relaxed);
        let mut moved = false;
        let start = Instant::now();
        let mut before = start;
        let mut durations = std::mem::take(&mut self.durations);
        durations.clear();
        for index in 0..self.tasks.len() {
            let task = &mut self.tasks[index];
            if let Some(seeded) = &mut self.seeded {
                task.runnable.visit(seeded);
            }
            shared.current[self.lane].store(index, Ordering::Relaxed);
            let mut context = Context {
                names: &self.names,
                current: index,
                stopping: &shared.stopping,
                parker: &self.parker,
                verdict: &shared.error,
            };
            match task.turn(&mut context, stopping) {
                Ok(ran) => moved |= ran,
                Err(error) => return Err(self.failed(index, error)),
            }
            let now = Instant::now();
            durations.push(now - before);
            before = now;
        }
        let stands_for = self.sweeps.timed(before - start);
        if moved {
            for (task, duration) in self.tasks.iter().zip(&durations) {
                add(&task.counters.busy_ns, duration.as_nanos() as u64 * stands_for);
            }
        }
        self.durations = durations;
        self.publish();
        Ok(moved)
    }

    #[cold]
    fn failed(&mut self, index: usize, error: BlockError) -> RunError {
        let task = &mut self.tasks[index];
        RunError::Block { block: task.name.to_string(), error, ports: ports_in_words(&mut *task.runnable) }
    }

    /// Sweeps for as long as patience lasts; whether anything moved.
    fn look_again(&mut self) -> Result<bool, RunError> {
        if self.patience.is_zero() {
            return Ok(false);
        }
        let start = Instant::now();
        while start.elapsed() < self.patience {
            std::hint::spin_loop();
            if self.plain_sweep()? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Sleeps until somebody has something for this lane.
    fn rest(&mut self) -> Result<(), RunError> {
        self.parker.announce();
        if self.plain_sweep()? {
            self.parker.withdraw();
            return Ok(());
        }
        self.publish();
        self.shared.current[self.lane].store(usize::MAX, Ordering::Relaxed);
        if let Some(stuck) = self.shared.goes_to_sleep(self.lane, &self.tasks) {
            return Err(stuck);
        }
        let start = Instant::now();
        self.parker.sleep(None);
        self.shared.wakes_up(self.lane);
        let slept = start.elapsed().as_nanos() as u64;
        for task in &self.tasks {
            match task.last {
                Step::NeedInput => add(&task.counters.blocked_input_ns, slept),
                Step::NeedOutput => add(&task.counters.blocked_output_ns, slept),
                _ => {}
            }
        }
        Ok(())
    }

    fn publish(&mut self) {
        self.tasks.iter_mut().filter(|task| task.last != Step::Done).for_each(publish);
    }

    /// Ends every block that has not ended, so that the others see it.
    pub fn close(&mut self) {
        for task in &mut self.tasks {
            if task.last != Step::Done {
                publish(task);
                task.runnable.visit(&mut CloseAll);
            }
        }
    }

    /// What to report when the block that is being run has panicked.
    pub fn panicked(&mut self, message: String) -> RunError {
        let current = self.shared.current[self.lane].load(Ordering::Relaxed);
        let Some(task) = self.tasks.get_mut(current) else {
            let (block, ports) = ("the runtime".to_owned(), format!("between blocks of lane {}", self.lane));
            return RunError::Panic { block, message, ports };
        };
        RunError::Panic { block: task.name.to_string(), message, ports: ports_in_words(&mut *task.runnable) }
    }
}

/// See [`Worker::claim`].
struct Claim {
    is_mine: bool,
}

impl PortVisitor for Claim {
    fn input(&mut self, _: &str, port: &mut dyn AnyIn) {
        self.is_mine &= port.raw().end.is_mine();
    }
    fn output(&mut self, _: &str, port: &mut dyn AnyOut) {
        self.is_mine &= port.raw().end.is_mine();
    }
}

fn publish(task: &mut Task) {
    let counters = task.counters.clone();
    counters.calls.store(task.runnable.calls(), Ordering::Relaxed);
    task.runnable.visit(&mut Publish { counters: &counters, input: 0, output: 0 });
}

/// Where the stream ports of a block stand.
fn ports_in_words(runnable: &mut dyn Runnable) -> String {
    struct Words(Vec<String>);
    impl PortVisitor for Words {
        fn input(&mut self, name: &str, port: &mut dyn AnyIn) {
            let end = port.raw().end;
            if end.is_mine() {
                self.0.push(format!("{name} at item {} with {} waiting", end.index(), end.fill().0));
            }
        }
        fn output(&mut self, name: &str, port: &mut dyn AnyOut) {
            let end = port.raw().end;
            if end.is_mine() {
                self.0.push(format!("{name} at item {}", end.index()));
            }
        }
    }
    let mut words = Words(Vec::new());
    runnable.visit(&mut words);
    words.0.join(", ")
}

/// Draws the limits of all spans at random; the same seed gives the same limits.
pub(super) struct Seeded {
    state: u64,
    strip: usize,
}

impl Seeded {
    pub fn new(seed: u64, strip: usize) -> Self {
        Seeded { state: seed, strip }
    }

    /// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
    fn draw(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A limit between the least that the port needs and the longest that it may get.
    fn limit(&mut self, spec: &PortSpec) -> usize {
        let (least, most) = (spec.limit(1), spec.limit(self.strip));
        least + (self.draw() % (most - least + 1) as u64) as usize
    }
}

impl PortVisitor for Seeded {
    fn input(&mut self, _: &str, port: &mut dyn AnyIn) {
        *port.raw().limit = self.limit(&port.spec().clone());
    }
    fn output(&mut self, _: &str, port: &mut dyn AnyOut) {
        *port.raw().limit = self.limit(&port.spec().clone());
    }
}
