//! What one worker has of a chain: how it runs the blocks, how much it claims, and what it has counted.

use std::time::Duration;

use super::memory::ClaimMemory;
use super::run::ChainRun;
use super::strip::StripChoice;
use crate::plan::chain::Portions;
use crate::stream::buffer::Claim;

/// A claim on its way through a chain.
pub(super) struct Carried {
    pub claim: Claim,
    /// The stage that comes next.
    pub stage: usize,
    /// Where its items lie; a chain of one stage needs none.
    pub memory: Option<ClaimMemory>,
}

/// One worker's part of a chain.
pub(in crate::exec) struct ChainWorker {
    /// Per stage without a state, how its blocks are run.
    pub runs: Vec<Option<ChainRun>>,
    /// For the next claim.
    pub(super) memory: Option<ClaimMemory>,
    pub(super) strip: StripChoice,
    /// How much to claim: as much as takes about [`CLAIM_TIME`].
    portion: usize,
    pub(super) claims: u64,
    /// Per stage, how often its blocks were called since this was last reset.
    pub calls: Vec<u64>,
    /// Per block, nanoseconds in its code since this was last reset.
    pub busy: Vec<f64>,
    /// Per block, its share of the time.
    shares: Vec<f64>,
    /// The last claim took long: the clock costs nothing beside it.
    pub(super) is_slow: bool,
    /// Per block, what it takes and gives of the claim, and where that begins.
    pub(super) flow: Vec<(usize, usize)>,
    pub(super) starts: Vec<u64>,
    /// Per block, what it takes and gives of a strip.
    pub(super) strip_flow: Vec<(usize, usize)>,
    /// Draws the size of each claim, for tests.
    random: Option<u64>,
}

/// A claim this long makes the hand-over of a few cache lines between cores vanish (0.1 to 0.5 µs each).
const CLAIM_TIME: Duration = Duration::from_micros(30);
/// All claims are timed block by block that take longer than this.
const SLOW: Duration = Duration::from_micros(100);

impl ChainWorker {
    pub fn new(runs: Vec<Option<ChainRun>>, portions: Portions, blocks: usize, seed: Option<u64>) -> Self {
        ChainWorker {
            calls: vec![0; runs.len()],
            runs,
            memory: None,
            strip: StripChoice::new(portions.strip, portions.long),
            portion: portions.strip,
            claims: 0,
            busy: vec![0.0; blocks],
            shares: vec![1.0 / blocks as f64; blocks],
            is_slow: false,
            flow: Vec::new(),
            starts: Vec::new(),
            strip_flow: Vec::new(),
            random: seed,
        }
    }

    /// Whether claims are of random sizes.
    pub fn is_random(&self) -> bool {
        self.random.is_some()
    }

    /// How much to claim next.
    pub fn next_portion(&mut self, portions: Portions) -> usize {
        match &mut self.random {
            None => self.portion,
            Some(state) => {
                *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                1 + (*state >> 33) as usize % portions.most
            }
        }
    }

    /// Towards claims of the right length, by steps that a late return of this thread cannot spoil.
    pub(super) fn adapt(&mut self, items: usize, took: Duration, portions: Portions) {
        if items == self.portion && took < CLAIM_TIME / 2 {
            self.portion = (self.portion * 2).min(portions.most);
        } else if items == self.portion && took > CLAIM_TIME * 2 {
            self.portion = (self.portion / 2).max(portions.strip);
        }
        self.is_slow = took > SLOW;
    }

    /// Charges these blocks with the time that they took together.
    pub(super) fn charge(&mut self, blocks: std::ops::Range<usize>, took: Duration) {
        let all = self.shares[blocks.clone()].iter().sum::<f64>().max(f64::MIN_POSITIVE);
        let each = took.as_nanos() as f64 / all;
        self.busy[blocks.clone()]
            .iter_mut()
            .zip(&self.shares[blocks])
            .for_each(|(busy, share)| *busy += each * share);
    }

    /// Notes the shares of the time that the blocks have, from the seconds that a claim took in each.
    pub(super) fn note_shares(&mut self, seconds: &[f64]) {
        let total = seconds.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        self.shares.iter_mut().zip(seconds).for_each(|(share, seconds)| *share = seconds / total);
        self.busy.iter_mut().zip(seconds).for_each(|(busy, seconds)| *busy += seconds * 1e9);
    }
}
