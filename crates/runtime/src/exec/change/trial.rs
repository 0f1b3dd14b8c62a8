//! When the blocks of a running graph are partitioned anew, and whether that was worth it.
//!
//! What the scheduler promises is reckoned from what the blocks cost, and from what it costs to hand items over on most
//! machines, for most items. So each new partition is on trial: the graph's rate before it is compared with the rate after it,
//! and where it is no better, the blocks go back to where they were.

use std::time::{Duration, Instant};

use crate::exec::shared::{Shared, Totals};
use crate::graph::CheckedGraph;
use crate::plan::Lane;
use crate::plan::policy::Load;

/// See [`Balance::lanes`].
pub(in crate::exec) struct Balance {
    before: Totals,
    next: Instant,
    /// Doubles with each new partition, so that a graph that never settles is not partitioned over and over; and up to a second
    /// while there is nothing to do better, since looking costs something too.
    interval: Duration,
    looks: u32,
    trial: Option<Trial>,
}

/// A partition that is to show that it is better than the one before.
#[derive(Clone, Debug, PartialEq)]
struct Trial {
    /// The partition before, to go back to.
    before: Vec<Lane>,
    /// The one that was asked for.
    lanes: Vec<Lane>,
    /// The rate before.
    rate: f64,
    /// How often it was looked at so far.
    looks: u32,
}

/// What becomes of a trial.
#[derive(Debug, PartialEq)]
enum Verdict {
    /// The partition is better than the one before, or somebody has changed the graph meanwhile.
    Stay,
    /// It is not.
    GoBack,
    /// It may be.
    LookAgain,
}

impl Trial {
    /// A partition on trial must raise the rate by so much.
    const WORTH: f64 = 1.1;
    /// One that gets no further than this does not have to be looked at again: half of what it had promised to gain, lost.
    const HOPELESS: f64 = 0.9;
    /// How often a partition is looked at.
    const LOOKS: u32 = 4;
    /// How long it runs before each look.
    const PAUSE: Duration = Duration::from_millis(12);

    /// What to do, where the lanes are `lanes` and the rate since the trial has begun is `rate`.
    fn verdict(&self, lanes: &[Lane], rate: f64) -> Verdict {
        let is_last = self.looks + 1 >= Self::LOOKS;
        match rate / self.rate {
            _ if lanes_alone(lanes) != self.lanes => Verdict::Stay,
            gain if gain < Self::HOPELESS => Verdict::GoBack,
            _ if !is_last => Verdict::LookAgain,
            gain if gain < Self::WORTH => Verdict::GoBack,
            _ => Verdict::Stay,
        }
    }
}

impl Balance {
    const FIRST: Duration = Duration::from_millis(50);
    const LONGEST: Duration = Duration::from_secs(60);
    const SETTLED: Duration = Duration::from_secs(1);
    /// The time until the next look grows by so much with a partition that was not worth it.
    const WARY: u32 = 4;

    pub fn new() -> Self {
        let next = Instant::now() + Self::FIRST;
        Balance { before: Totals::none(), next, interval: Self::FIRST, looks: 0, trial: None }
    }

    /// Whether the lanes in force are on trial.
    pub fn is_on_trial(&self) -> bool {
        self.trial.is_some()
    }

    /// Whether it is time to look for other lanes; looks at the clock now and then only.
    pub fn is_due(&mut self) -> bool {
        self.looks = self.looks.wrapping_add(1);
        self.looks.is_multiple_of(4) && Instant::now() >= self.next
    }

    /// The lanes that the blocks are to be put into now, if others than those in force, and how often the graph had been
    /// planned again when they were found.
    pub fn lanes(&mut self, shared: &Shared) -> Option<(Vec<Lane>, u64)> {
        let plans = shared.partition().as_ref()?.plans;
        let lanes = self.look(shared);
        self.next = Instant::now() + if self.trial.is_some() { Trial::PAUSE } else { self.interval };
        Some((lanes?, plans))
    }

    fn look(&mut self, shared: &Shared) -> Option<Vec<Lane>> {
        if let Some(trial) = self.trial.take() {
            // All looks at a trial are at the time since it has begun.
            let load = shared.load(&mut self.before.clone())?;
            let verdict = trial.verdict(&shared.partition().as_ref()?.lanes, load.rate());
            tracing::debug!(
                "new lanes: the rate is {:.3} times that before: {verdict:?}",
                load.rate() / trial.rate
            );
            match verdict {
                Verdict::Stay => {}
                Verdict::LookAgain => {
                    self.trial = Some(Trial { looks: trial.looks + 1, ..trial });
                    return None;
                }
                Verdict::GoBack => {
                    shared.load(&mut self.before);
                    self.interval = (self.interval * Self::WARY).min(Self::LONGEST);
                    return Some(trial.before);
                }
            }
        }
        let load = shared.load(&mut self.before)?;
        let partition = shared.partition();
        let partition = partition.as_ref()?;
        let lanes =
            partition.scheduler.better(&partition.graph, &partition.lanes, &load, partition.region.workers);
        let longest = if lanes.is_some() { Self::LONGEST } else { Self::SETTLED.max(self.interval) };
        self.interval = (self.interval * 2).min(longest);
        let lanes = lanes?;
        tracing::debug!("new lanes: {:?}", lanes.iter().map(|lane| &lane.blocks).collect::<Vec<_>>());
        if is_bound_by_workers(&partition.graph, &load) {
            let (before, lanes) = (lanes_alone(&partition.lanes), lanes_alone(&lanes));
            self.trial = Some(Trial { before, lanes, rate: load.rate(), looks: 0 });
        }
        Some(lanes)
    }
}

/// Whether a better partition shows in the rate: not where the outside world sets that. A worker that hardly ever waits for it does not
/// let it.
pub(super) fn is_bound_by_workers(graph: &CheckedGraph, load: &Load) -> bool {
    let waits = graph.nodes.iter().any(|node| node.spec.blocking);
    load.is_busy(graph) && (!waits || load.workers_busy(graph) >= 0.95)
}

/// The lanes without what a plan makes of them.
fn lanes_alone(lanes: &[Lane]) -> Vec<Lane> {
    lanes.iter().map(|lane| Lane { shared: lane.shared, ..Lane::new(lane.blocks.clone()) }).collect()
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn lanes(blocks: &[&[usize]]) -> Vec<Lane> {
        blocks.iter().map(|blocks| Lane::new(blocks.to_vec())).collect()
    }

    /// Of two blocks that were in one lane, and are in two now.
    fn verdict(looks: u32, rate: f64) -> Verdict {
        let (before, after) = (lanes(&[&[0, 1]]), lanes(&[&[0], &[1]]));
        Trial { before, lanes: after.clone(), rate: 100.0, looks }.verdict(&after, rate)
    }

    #[test]
    fn a_deal_stays_that_raises_the_rate() {
        assert_eq!(verdict(0, 140.0), Verdict::LookAgain);
        assert_eq!(verdict(Trial::LOOKS - 1, 140.0), Verdict::Stay);
    }

    #[test]
    fn a_deal_that_does_not_is_taken_back() {
        assert_eq!(verdict(0, 105.0), Verdict::LookAgain);
        assert_eq!(verdict(Trial::LOOKS - 1, 105.0), Verdict::GoBack);
        for rate in [0.0, 60.0] {
            assert_eq!(verdict(0, rate), Verdict::GoBack, "{rate}");
        }
    }

    #[test]
    fn a_graph_that_was_changed_meanwhile_is_left_alone() {
        let (before, after) = (lanes(&[&[0, 1]]), lanes(&[&[0], &[1]]));
        let trial = Trial { before, lanes: after, rate: 100.0, looks: 0 };
        assert_eq!(trial.verdict(&lanes(&[&[0], &[1], &[2]]), 60.0), Verdict::Stay);
    }
}
