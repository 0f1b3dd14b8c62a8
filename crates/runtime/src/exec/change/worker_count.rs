//! How many of a region's workers take part, found by trying.
//!
//! One worker more is not always worth it: where blocks have little to do, what crosses from core to core costs more than the worker
//! adds, and where there are more workers than processors they take them from each other. So a region begins with one worker for each
//! processor at most. Now and then half as many take part for a moment, or twice as many again, in turns with the usual number, and
//! the number stays that is faster. The others stand aside (`region.rs`). Where one worker at a time can run the dearest block, few
//! others have anything to do: no more than that are tried at first.

use std::time::{Duration, Instant};

use super::trial::is_bound_by_workers;
use crate::exec::region::Region;
use crate::exec::shared::{Shared, Totals};
use crate::graph::{CheckedGraph, Node};
use crate::plan::policy::Load;

/// What the first worker of a region knows of the number of those that take part.
pub(in crate::exec) struct WorkerCount {
    before: Totals,
    next: Instant,
    /// Until the next trial; twice as long after each that has changed nothing.
    interval: Duration,
    /// How often the worker has looked.
    looks: u32,
    /// Whether more workers are tried next, or fewer.
    more: bool,
    trial: Option<Trial>,
    /// Draws the number instead, for tests.
    random: Option<u64>,
}

/// A number of workers that is to show that it is better than the usual one: both take part in turns.
#[derive(Debug)]
struct Trial {
    usual: usize,
    tried: usize,
    /// What the usual number gave in the turn before, once there was one.
    rate: Option<f64>,
    /// How often the number that is tried has won.
    won: u32,
    /// How often the worker has looked in this turn.
    looks: u32,
}

/// What a turn of a trial shows.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Verdict {
    /// So many workers take part in the next turn.
    GoOn(usize),
    Stay,
    GoBack,
}

impl Trial {
    /// How long a turn is at least, and how often the worker looks in it: each time, its blocks' counters are brought up to date.
    const TURN: Duration = Duration::from_millis(6);
    const LOOKS: u32 = 8;
    /// A number must win so often, by so much each time. One win by much counts as two.
    const WINS: u32 = 3;
    const WORTH: f64 = 1.05;
    const MUCH: f64 = 1.25;

    fn new(usual: usize, tried: usize) -> Self {
        Trial { usual, tried, rate: None, won: 0, looks: 0 }
    }

    /// Notes the rate of a turn.
    fn note(&mut self, rate: f64) -> Verdict {
        self.looks = 0;
        match self.rate.take() {
            None => {
                self.rate = Some(rate);
                Verdict::GoOn(self.tried)
            }
            Some(usual) if rate < Self::WORTH * usual => Verdict::GoBack,
            Some(usual) => {
                self.won += if rate < Self::MUCH * usual { 1 } else { 2 };
                if self.won < Self::WINS { Verdict::GoOn(self.usual) } else { Verdict::Stay }
            }
        }
    }
}

impl WorkerCount {
    const FIRST: Duration = Duration::from_millis(50);
    const LONGEST: Duration = Duration::from_secs(60);

    /// With a seed, the number is drawn at random again and again.
    pub fn new(seed: Option<u64>) -> Self {
        WorkerCount {
            before: Totals::none(),
            next: Instant::now() + Self::FIRST,
            interval: Self::FIRST,
            looks: 0,
            more: false,
            trial: None,
            random: seed,
        }
    }

    /// Whether the graph's rate is not that of the usual number of workers.
    pub fn is_on_trial(&self) -> bool {
        self.trial.is_some()
    }

    /// How many workers of the region are to take part from now on, if another number.
    pub fn look(&mut self, region: &Region, shared: &Shared) -> Option<usize> {
        if let Some(state) = &mut self.random {
            *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            return (*state >> 60 == 0).then(|| 1 + (*state >> 33) as usize % region.workers);
        }
        self.looks = self.looks.wrapping_add(1);
        let is_early = match &mut self.trial {
            Some(trial) => {
                trial.looks += 1;
                trial.looks < Trial::LOOKS
            }
            // The clock costs more than to count.
            None => !self.looks.is_multiple_of(4),
        };
        if is_early {
            return None;
        }
        let now = Instant::now();
        if now < self.next {
            return None;
        }
        self.next = now + Trial::TURN;
        let load = shared.load(&mut self.before);
        let Some(mut trial) = self.trial.take() else {
            let wanted = || {
                let (partition, load) = (shared.partition(), load?);
                let graph = &partition.as_ref()?.graph;
                is_bound_by_workers(graph, &load).then(|| useful(run_by_workers(graph, &load)))
            };
            match wanted() {
                Some(useful) => self.trial = self.begin(region, useful),
                None => self.next = now + self.interval,
            }
            return None;
        };
        // The graph was changed, or the region has the usual number again, since it was planned anew.
        let is_changed = region.taking_part() != if trial.rate.is_some() { trial.tried } else { trial.usual };
        match load {
            Some(load) if !is_changed => {
                let verdict = trial.note(load.rate());
                tracing::debug!("{trial:?}, rate {:.4e}: {verdict:?}", load.rate());
                self.follow(trial, verdict, now)
            }
            _ => {
                self.next = now + self.interval;
                (!is_changed).then_some(trial.usual)
            }
        }
    }

    /// The next trial, if another number of workers can take part; no more than `useful`, where fewer do.
    fn begin(&mut self, region: &Region, useful: usize) -> Option<Trial> {
        let usual = region.taking_part();
        let fewer = (usual / 2).min(useful).max(1);
        let more = (2 * usual).min(region.on_duty()).min(region.processors);
        let tried = if self.more { more } else { fewer };
        if tried == usual {
            self.more = !self.more;
            self.next += self.interval;
            return None;
        }
        Some(Trial::new(usual, tried))
    }

    fn follow(&mut self, trial: Trial, verdict: Verdict, now: Instant) -> Option<usize> {
        match verdict {
            Verdict::GoOn(workers) => {
                self.trial = Some(trial);
                Some(workers)
            }
            Verdict::Stay => {
                self.interval = Self::FIRST;
                None
            }
            Verdict::GoBack => {
                self.next = now + self.interval;
                self.interval = (2 * self.interval).min(Self::LONGEST);
                self.more = !self.more;
                Some(trial.usual)
            }
        }
    }
}

/// Of each block that workers run: how long it was busy, and whether it has a state.
fn run_by_workers(graph: &CheckedGraph, load: &Load) -> impl Iterator<Item = (f64, bool)> {
    let has_state = |node: &Node| node.shape.as_ref().is_none_or(|shape| shape.has_state);
    let nodes = graph.nodes.iter().zip(&load.busy).filter(|(node, _)| !node.spec.blocking);
    nodes.map(move |(node, &busy)| (busy, has_state(node)))
}

/// How many workers have something to do while one of them runs the dearest block with a state, and one more for when one is late.
fn useful(blocks: impl Iterator<Item = (f64, bool)>) -> usize {
    let (mut all, mut dearest) = (0.0, 0f64);
    for (busy, has_state) in blocks {
        all += busy;
        dearest = if has_state { dearest.max(busy) } else { dearest };
    }
    // Where no block has a state, the quotient is infinite, and the number the greatest.
    ((all / dearest).ceil() as usize).saturating_add(1)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn the_dearest_block_with_a_state_says_how_many_workers_are_useful() {
        assert_eq!(useful([(3.5, false), (1.0, true)].into_iter()), 6);
        assert_eq!(useful([(0.5, false), (1.0, true), (0.5, true)].into_iter()), 3);
        assert_eq!(useful([(1.0, false)].into_iter()), usize::MAX);
    }

    /// What becomes of a trial of two workers where four are usual, with these rates in turns.
    fn verdicts(rates: &[f64]) -> Vec<Verdict> {
        let mut trial = Trial::new(4, 2);
        rates.iter().map(|rate| trial.note(*rate)).collect()
    }

    #[test]
    fn a_number_that_wins_each_time_stays() {
        let go_on = [2, 4, 2, 4, 2].map(Verdict::GoOn);
        assert_eq!(verdicts(&[1.0, 1.1, 1.0, 1.2, 0.9, 1.0]), [&go_on[..], &[Verdict::Stay]].concat());
        let go_on = [2, 4, 2].map(Verdict::GoOn);
        assert_eq!(verdicts(&[1.0, 1.3, 1.0, 1.1]), [&go_on[..], &[Verdict::Stay]].concat());
    }

    #[test]
    fn a_number_that_loses_once_goes() {
        assert_eq!(verdicts(&[1.0, 1.04]), [Verdict::GoOn(2), Verdict::GoBack]);
        let go_on = [2, 4, 2].map(Verdict::GoOn);
        assert_eq!(verdicts(&[1.0, 1.2, 1.6, 0.8]), [&go_on[..], &[Verdict::GoBack]].concat());
    }
}
