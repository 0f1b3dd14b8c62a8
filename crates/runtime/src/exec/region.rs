//! A region: some workers with the units that they run.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use super::unit::Unit;
use crate::plan::RegionPlan;
use crate::wake::Parker;

/// Some workers and what they run.
pub(super) struct Region {
    pub parker: Arc<Parker>,
    /// Replaced when the graph is changed, which all workers wait for; empty meanwhile.
    units: Mutex<Arc<Vec<Unit>>>,
    pub workers: usize,
    /// How many of them can run at once.
    pub processors: usize,
    /// How many take part at first, at most.
    first: usize,
    /// The first so many workers have something to do; the others sleep until the graph is planned again.
    pub on_duty: AtomicUsize,
    /// How many of those take part; the others stand aside. Found by trying (`change/worker_count.rs`).
    taking_part: AtomicUsize,
    /// How many stand aside: those, and some whose processors other programs or workers have.
    aside: AtomicUsize,
    /// Workers that have not ended.
    pub alive: AtomicUsize,
    /// How many strips a claim takes at the head of the row.
    pub strips: Arc<AtomicUsize>,
    /// How many it takes at most.
    pub claim_strips: AtomicUsize,
    /// Whether it takes part in changes of the graph: all but those of blocks that wait for the outside world.
    pub changes: bool,
}

impl Region {
    /// How long a worker stands aside at most.
    pub const LONGEST_ASIDE: Duration = Duration::from_secs(1);

    pub fn new(
        parker: Arc<Parker>,
        units: Vec<Unit>,
        plan: &RegionPlan,
        changes: bool,
        processors: usize,
        seed: Option<u64>,
    ) -> Self {
        // Tests try more workers than can run at once.
        let first = if seed.is_some() { plan.workers } else { processors };
        let (workers, alive) = (plan.workers, AtomicUsize::new(plan.workers));
        Region {
            parker,
            units: Mutex::new(Arc::new(units)),
            workers,
            processors,
            first,
            on_duty: AtomicUsize::new(plan.on_duty),
            taking_part: AtomicUsize::new(plan.on_duty.min(first)),
            aside: AtomicUsize::new(0),
            alive,
            strips: Arc::new(AtomicUsize::new(1)),
            claim_strips: AtomicUsize::new(plan.claim_strips),
            changes,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Arc<Vec<Unit>>> {
        self.units.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    pub fn units(&self) -> Arc<Vec<Unit>> {
        self.lock().clone()
    }

    /// How many workers stand aside or sleep.
    pub fn resting(&self) -> usize {
        self.aside.load(Ordering::Relaxed) + self.parker.sleepers()
    }

    /// How many do neither.
    pub fn going(&self) -> usize {
        self.on_duty().saturating_sub(self.resting())
    }

    pub fn on_duty(&self) -> usize {
        self.on_duty.load(Ordering::Relaxed)
    }

    /// How many of those on duty take part, but for those that other programs keep from it.
    pub fn taking_part(&self) -> usize {
        self.taking_part.load(Ordering::Relaxed).min(self.on_duty())
    }

    /// Has so many workers take part from now on. Those that are to come back have to be woken.
    pub fn set_taking_part(&self, workers: usize) {
        self.taking_part.store(workers, Ordering::Relaxed);
    }

    /// Has a worker stand aside where so many others stay: whether it does.
    pub fn step_aside(&self, stay: usize) -> bool {
        let on_duty = self.on_duty();
        let one_more = |aside: usize| (aside + stay < on_duty).then_some(aside + 1);
        let does = self.aside.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).is_ok();
        if does {
            // Whatever this worker was woken for, another has to see.
            self.parker.wake();
        }
        does
    }

    /// A worker that stands aside sleeps so long, and again while as many go on as take part, or can run at once. After a while it comes
    /// back all the same: those may wait for it in code of their own.
    pub fn stay_aside(&self, nap: &Parker, time: Duration, is_called: impl Fn() -> bool) {
        let start = Instant::now();
        loop {
            nap.announce();
            if is_called() {
                nap.withdraw();
                break;
            }
            nap.sleep(Some(time));
            if self.going() < self.taking_part().min(self.processors) || start.elapsed() > Self::LONGEST_ASIDE
            {
                break;
            }
        }
        self.aside.fetch_sub(1, Ordering::Relaxed);
    }

    /// Takes the units away; `None` while a worker has them.
    pub fn take_units(&self) -> Option<Vec<Unit>> {
        let mut units = self.lock();
        match Arc::try_unwrap(std::mem::take(&mut *units)) {
            Ok(units) => Some(units),
            Err(shared) => {
                *units = shared;
                None
            }
        }
    }

    /// Gives back what `take_units` has taken.
    pub fn return_units(&self, units: Vec<Unit>) {
        *self.lock() = Arc::new(units);
    }

    pub fn set_units(&self, new: Vec<Unit>, plan: Option<&RegionPlan>) {
        *self.lock() = Arc::new(new);
        self.claim_strips.store(plan.map_or(1, |plan| plan.claim_strips), Ordering::SeqCst);
        let on_duty = plan.map_or(1, |plan| plan.on_duty);
        self.on_duty.store(on_duty, Ordering::SeqCst);
        self.set_taking_part(on_duty.min(self.first));
    }
}
