//! Gaps: items that a real-time source had to drop, or that never reached it.
//!
//! A gap is data. The item behind it has a tag, the graph's metrics count it, and clocks go on right:
//!
//! | tag | value | says |
//! |---|---|---|
//! | `gap` | number, or null | so many items are missing right before this one; null: nobody knows how many |
//! | `gap_filled` | number | so many items from this one on are zeros in the place of items that were lost |
//!
//! Both keys are a convention of this runtime. Behind a rate change the numbers count the items there, as `rx_rate` does.
//! [`StreamClock`](crate::clock::StreamClock) adds what a gap has cost; after one of unknown length it knows no time until the
//! next `rx_time`.
//!
//! A source reports missing items with [`Gaps`]. Its user chooses what to do about them with [`OnGap`].

use std::time::Instant;

use super::port::Out;
use crate::data::{GapError, Item, Value};

pub use crate::data::keys::{GAP, GAP_FILLED};

/// What a source does where items are missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnGap {
    /// Goes on with the next item that is there, which gets the tag `gap`.
    #[default]
    Continue,
    /// Gives zeros in the place of what is missing, the first with the tag `gap_filled`. A gap stays as it is, with the tag
    /// `gap`, if its length is unknown, or is more than [`MOST_ZEROS`] items or than [`Gaps::limit_zeros`] allows.
    Zeros,
    /// Ends the graph with an error, after all items before the gap have been used.
    Error,
}

/// Longer gaps are not filled with zeros: a sequence number that lies would fill a stream for days.
pub const MOST_ZEROS: u64 = 1 << 28;

impl OnGap {
    /// The words for a parameter `on_gap`, in the order of the variants.
    pub const WORDS: &'static [&'static str] = &["continue", "zeros", "error"];

    /// What a word of [`OnGap::WORDS`] says; of any other, the default.
    pub fn of_word(word: &str) -> Self {
        match word {
            "zeros" => OnGap::Zeros,
            "error" => OnGap::Error,
            _ => OnGap::Continue,
        }
    }
}

/// Marks in a stream what its source has lost, as the policy says.
///
/// A source calls [`lost`](Self::lost) where it notices, and [`settle`](Self::settle) before it gives the items behind the
/// gap.
///
/// ```
/// use superhet_runtime::prelude::*;
/// use superhet_runtime::{gap::{Gaps, OnGap}, harness::VecSink};
///
/// /// Gives the items 0 to 9 without those that a device has lost: 3, 4 and 5.
/// #[derive(Block)]
/// struct Device {
///     #[port]
///     output: Out<u32>,
///     gaps: Gaps,
///     next: u32,
/// }
///
/// impl Work for Device {
///     fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
///         match self.gaps.settle(&mut self.output) {
///             Ok(true) => {}
///             Ok(false) => return Ok(Step::NeedOutput),
///             Err(error) => return Ok(context.end_with(error)),
///         }
///         let room = self.output.reserve();
///         if room.is_empty() {
///             return Ok(Step::NeedOutput);
///         }
///         room[0] = self.next;
///         self.output.produce(1);
///         self.next += 1;
///         if self.next == 3 {
///             self.next = 6;
///             self.gaps.lost(3);
///         }
///         Ok(if self.next < 10 { Step::Ran } else { Step::Done })
///     }
/// }
///
/// # let mut graph = Graph::new();
/// let source = graph.add("device", Device { output: Out::new(), gaps: Gaps::new(OnGap::Zeros), next: 0 });
/// # let sink = VecSink::<u32>::new();
/// # let items = sink.items();
/// # let sink = graph.add("sink", sink);
/// # graph.connect(source.output, sink.input);
/// let report = graph.run()?;
/// assert_eq!(items.take(), [0, 1, 2, 0, 0, 0, 6, 7, 8, 9]);
/// assert_eq!((report.blocks[0].gaps, report.blocks[0].lost_items), (1, 3));
/// # Ok::<(), superhet_runtime::RunError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Gaps {
    on_gap: OnGap,
    /// What is missing before the next item and has not been marked yet.
    missing: Option<Missing>,
    /// Zeros that are still to be given.
    zeros: u64,
    /// What zeros may be made of, where they are limited.
    allowance: Option<Allowance>,
}

/// Zeros that may be made: so many a second, and the unused ones of the last while.
#[derive(Clone, Copy, Debug)]
struct Allowance {
    per_second: f64,
    left: f64,
    since: Instant,
}

impl Allowance {
    fn new(per_second: f64) -> Self {
        Allowance { per_second, left: per_second, since: Instant::now() }
    }

    /// Whether so many zeros may be made; they are then.
    fn spend(&mut self, zeros: u64, now: Instant) -> bool {
        let passed = now.saturating_duration_since(self.since).as_secs_f64();
        self.left = (self.left + passed * self.per_second).min(MOST_ZEROS as f64);
        self.since = now;
        let suffices = self.left >= zeros as f64;
        if suffices {
            self.left -= zeros as f64;
        }
        suffices
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Missing {
    Known(u64),
    Unknown,
}

impl Gaps {
    /// A stream without gaps so far.
    pub fn new(on_gap: OnGap) -> Self {
        Gaps { on_gap, ..Gaps::default() }
    }

    /// Limits the zeros that fill gaps to so many a second, and begins with those of one second. This is for sources whose
    /// reports of losses cannot be trusted. A gap that is longer is left as it is, with the tag `gap`. A real one takes
    /// time: where the limit is above the rate, its zeros are there when it ends.
    #[must_use]
    pub fn limit_zeros(mut self, per_second: f64) -> Self {
        self.allowance = Some(Allowance::new(per_second.max(0.0)));
        self
    }

    /// Notes that so many items are missing before the next one that the source will give; `None` where nobody knows how
    /// many. What is noted before it is settled counts as one gap.
    pub fn lost(&mut self, items: impl Into<Option<u64>>) {
        self.missing = match (self.missing, items.into()) {
            (missing, Some(0)) => missing,
            (None, Some(items)) => Some(Missing::Known(items)),
            (Some(Missing::Known(before)), Some(items)) => Some(Missing::Known(before.saturating_add(items))),
            (_, None) | (Some(Missing::Unknown), _) => Some(Missing::Unknown),
        };
    }

    /// Marks in `output` what is missing and fills it, as the policy says. True when the next item may be given, false when
    /// zeros are left that there was no room for.
    ///
    /// # Errors
    /// [`GapError`] where the policy is [`OnGap::Error`]; give it to [`Context::end_with`](crate::Context::end_with), so
    /// that the items before the gap are used.
    pub fn settle<T: Item>(&mut self, output: &mut Out<T>) -> Result<bool, GapError> {
        if self.zeros > 0 && !self.fill(output) {
            return Ok(false);
        }
        let Some(missing) = self.missing.take() else { return Ok(true) };
        let items = match missing {
            Missing::Known(items) => Some(items),
            Missing::Unknown => None,
        };
        output.count_gap(items.unwrap_or(0));
        match (self.on_gap, items) {
            (OnGap::Error, items) => return Err(GapError { index: output.index(), items }),
            (OnGap::Zeros, Some(items @ 1..=MOST_ZEROS)) if self.may_fill(items) => {
                output.tag(0, GAP_FILLED, items);
                self.zeros = items;
            }
            (_, Some(items)) => output.tag(0, GAP, items),
            (_, None) => output.tag(0, GAP, Value::Null),
        }
        Ok(self.fill(output))
    }

    fn may_fill(&mut self, items: u64) -> bool {
        self.allowance.as_mut().is_none_or(|allowance| allowance.spend(items, Instant::now()))
    }

    /// Gives zeros, as many as there is room for; whether none are left.
    fn fill<T: Item>(&mut self, output: &mut Out<T>) -> bool {
        while self.zeros > 0 {
            let room = output.reserve();
            let n = room.len().min(usize::try_from(self.zeros).unwrap_or(usize::MAX));
            if n == 0 {
                return false;
            }
            room[..n].fill(T::zeroed());
            output.produce(n);
            self.zeros -= n as u64;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_before_one_item_are_one_gap() {
        let mut gaps = Gaps::new(OnGap::Continue);
        gaps.lost(0);
        assert_eq!(gaps.missing, None);
        gaps.lost(3);
        gaps.lost(u64::MAX);
        assert_eq!(gaps.missing, Some(Missing::Known(u64::MAX)));
        gaps.lost(None);
        gaps.lost(5);
        assert_eq!(gaps.missing, Some(Missing::Unknown));
    }

    #[test]
    fn zeros_come_at_their_rate_whatever_a_gap_claims() {
        let mut zeros = Allowance::new(1000.0);
        let start = zeros.since;
        let at = |seconds: u64| start + std::time::Duration::from_secs(seconds);
        assert!(zeros.spend(900, at(0)));
        assert!(!zeros.spend(900, at(0)), "those of the second are used up");
        assert!(zeros.spend(100, at(0)));
        assert!(zeros.spend(10_000, at(10)), "a loss of 10 s");
        assert!(!zeros.spend(1 << 28, at(100)));
        assert!(zeros.spend(90_000, at(100)), "what was refused costs nothing");
    }

    #[test]
    fn every_policy_has_its_word() {
        let policies = [OnGap::Continue, OnGap::Zeros, OnGap::Error];
        assert_eq!(OnGap::WORDS.iter().map(|word| OnGap::of_word(word)).collect::<Vec<_>>(), policies);
    }
}
