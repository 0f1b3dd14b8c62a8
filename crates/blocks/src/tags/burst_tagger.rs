//! Tags where bursts begin and end.

use std::sync::Arc;

use superhet_runtime::catalog::Kind;
use superhet_runtime::{
    AnyBlock, Block, BlockError, C32, Context, In, Item, Out, Step, Work, declare, tag::forward_tags,
};

use crate::error::{Error, check, check_to_one};

/// A sample that has a power: `|x|²`.
pub trait Power: Item {
    /// The power, in full scale².
    fn power(self) -> f32;
}

impl Power for f32 {
    #[inline]
    fn power(self) -> f32 {
        self * self
    }
}

impl Power for C32 {
    #[inline]
    fn power(self) -> f32 {
        self.norm_sqr()
    }
}

/// What a burst is.
///
/// A burst begins with the first item whose power is at least `threshold`, and ends before the first of `hold` items in a
/// row whose power is below `threshold_off`, or with the stream. Those shorter than `min_length` items are none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bursts {
    /// The least power of a burst's first item, in full scale²; > 0.
    pub threshold: f32,
    /// The power that a burst must fall below to end, in full scale²; > 0, at most `threshold`.
    pub threshold_off: f32,
    /// Items of the shortest burst, 1 to 2²⁴.
    pub min_length: usize,
    /// How many items in a row must be below, 1 to 2²⁴.
    pub hold: usize,
}

impl Bursts {
    /// Bursts of any length, over and under the same threshold.
    pub fn above(threshold: f32) -> Self {
        Bursts { threshold, threshold_off: threshold, min_length: 1, hold: 1 }
    }

    fn check(&self) -> Result<(), Error> {
        let positive = |x: f32| x > 0.0 && x.is_finite();
        check(positive(self.threshold), "threshold", "a number > 0", self.threshold)?;
        let fits = positive(self.threshold_off) && self.threshold_off <= self.threshold;
        check(fits, "threshold_off", "a number > 0, at most threshold", self.threshold_off)?;
        check_to_one("min_length", self.min_length)?;
        check_to_one("hold", self.hold)
    }
}

/// Tags the bursts of a stream: `key` is true on the first item of each, and false on the first behind it.
///
/// The bursts are those of the stream's power, as [`Bursts`] says; or, where `trigger` is connected, the runs of items
/// above 0 of that stream: then thresholds are not used. A burst that the stream's end cuts off ends there, with a tag
/// beyond the last item. Items wait until it is clear whether a burst begins or ends with them, `min_length` and `hold`
/// items at most.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` or `f32` | full scale = 1.0 |
/// | in `trigger` | `i16` | > 0 in a burst; may stay unconnected |
/// | out `out` | that of `in` | that of `in` |
///
/// ```
/// use superhet_blocks::{sinks::{Lines, TagDebug}, sources::VectorSource, tags::{BurstTagger, Bursts}};
/// use superhet_runtime::Graph;
///
/// let (lines, text) = Lines::memory();
/// let mut graph = Graph::new();
/// let source = graph.add("source", VectorSource::new(vec![0.0f32, 0.9, -0.8, 0.1], false)?);
/// let tagger = graph.add("tagger", BurstTagger::<f32>::new("burst", Bursts::above(0.25))?);
/// let print = graph.add("print", TagDebug::<f32>::new(lines, None));
/// graph.connect(source.output, tagger.input);
/// graph.connect(tagger.output, print.input);
/// graph.run()?;
/// assert_eq!(text.take(), "\
/// {\"index\":1,\"key\":\"burst\",\"source\":\"tagger\",\"value\":true}
/// {\"index\":3,\"key\":\"burst\",\"source\":\"tagger\",\"value\":false}
/// ");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct BurstTagger<T: Power> {
    #[port("in")]
    input: In<T>,
    #[port]
    trigger: In<i16>,
    #[port("out")]
    output: Out<T>,
    key: Arc<str>,
    bursts: Bursts,
    state: State,
    /// The index of the next item to look at: all before it are in `state`.
    looked: u64,
}

/// Where a stream is, by the indices of its items.
#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    Quiet,
    /// Something has begun that may be too short.
    Candidate {
        start: u64,
        below: Option<u64>,
    },
    /// In a burst; `below` is the first of the items that may be behind it.
    Burst {
        below: Option<u64>,
    },
}

/// A burst's first item, or the first behind it.
type Edge = (u64, bool);

impl State {
    /// Looks at item `index`.
    fn look(
        &mut self,
        index: u64,
        bursts: &Bursts,
        (is_on, is_off): (bool, bool),
        mut edge: impl FnMut(Edge),
    ) {
        if let (State::Quiet, true) = (&self, is_on) {
            *self = State::Candidate { start: index, below: None };
        }
        let (State::Candidate { below, .. } | State::Burst { below }) = self else { return };
        *below = if is_off { below.or(Some(index)) } else { None };
        let end = below.unwrap_or(index + 1);
        let is_over = below.is_some_and(|below| index + 1 - below >= bursts.hold as u64);
        self.confirm(end, bursts, &mut edge);
        if is_over {
            self.end(end, &mut edge);
        }
    }

    /// Takes a candidate that reaches to `end` for a burst, if it is long enough.
    fn confirm(&mut self, end: u64, bursts: &Bursts, edge: &mut impl FnMut(Edge)) {
        if let State::Candidate { start, below } = *self
            && end - start >= bursts.min_length as u64
        {
            edge((start, true));
            *self = State::Burst { below };
        }
    }

    fn end(&mut self, end: u64, edge: &mut impl FnMut(Edge)) {
        if matches!(self, State::Burst { .. }) {
            edge((end, false));
        }
        *self = State::Quiet;
    }

    /// The first item that may still get a tag, where all before `looked` were looked at.
    fn undecided(&self, looked: u64) -> u64 {
        match *self {
            State::Quiet => looked,
            State::Candidate { start, .. } => start,
            State::Burst { below } => below.unwrap_or(looked),
        }
    }
}

impl<T: Power> BurstTagger<T> {
    /// Tags bursts.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where a number of `bursts` is.
    pub fn new(key: impl Into<Arc<str>>, bursts: Bursts) -> Result<Self, Error> {
        bursts.check()?;
        // So many items may be undecided, and one more decides.
        let least = bursts.min_length + bursts.hold - 1;
        Ok(BurstTagger {
            input: In::new().min(least),
            trigger: In::new().min(least).optional(),
            output: Out::new(),
            key: key.into(),
            bursts,
            state: State::Quiet,
            looked: 0,
        })
    }

    /// Looks at the first `n` items, as far as that has not been done.
    fn look(&mut self, n: usize) {
        let from = (self.looked - self.input.index()) as usize;
        let (state, bursts, key, output) = (&mut self.state, &self.bursts, &self.key, &mut self.output);
        let next = output.index();
        let mut edge = |(index, value): Edge| output.tag((index - next) as usize, key.clone(), value);
        let x = &self.input.rest()[..n];
        let trigger = self.trigger.is_connected().then(|| &self.trigger.rest()[..n]);
        for (index, place) in (self.looked..).zip(from..n) {
            let level = match trigger {
                Some(trigger) => (trigger[place] > 0, trigger[place] <= 0),
                None => {
                    let power = x[place].power();
                    // Not a number is no burst.
                    (power >= bursts.threshold, power < bursts.threshold_off || power.is_nan())
                }
            };
            state.look(index, bursts, level, &mut edge);
        }
        self.looked += n.saturating_sub(from) as u64;
    }

    /// Passes items on up to index `end`, as far as there is room; how many.
    fn pass(&mut self, end: u64) -> usize {
        let ready = (end - self.input.index()) as usize;
        let room = self.output.reserve();
        let n = ready.min(room.len());
        room[..n].copy_from_slice(&self.input.rest()[..n]);
        forward_tags(&mut self.input, &mut self.output, n);
        self.input.consume(n);
        if self.trigger.is_connected() {
            self.trigger.consume(n);
        }
        self.output.produce(n);
        n
    }

    fn waiting(&self, n: usize, of_trigger: usize) -> usize {
        if self.trigger.is_connected() { n.min(of_trigger) } else { n }
    }
}

impl<T: Power> Work for BurstTagger<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.waiting(self.input.available(), self.trigger.available());
        self.look(n);
        let end = self.state.undecided(self.looked);
        let lacks = if end > self.input.index() { Step::NeedOutput } else { Step::NeedInput };
        Ok(if self.pass(end) > 0 { Step::Ran } else { lacks })
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.waiting(self.input.rest().len(), self.trigger.rest().len());
        self.look(n);
        let end = self.input.index() + n as u64;
        if self.looked == end {
            // The end of the stream decides. Once is enough: the state is `Quiet` then.
            let (next, key, output) = (self.output.index(), &self.key, &mut self.output);
            let mut edge = |(index, value): Edge| output.tag((index - next) as usize, key.clone(), value);
            if let State::Candidate { below, .. } | State::Burst { below } = self.state {
                let last = below.unwrap_or(end);
                self.state.confirm(last, &self.bursts, &mut edge);
                self.state.end(last, &mut edge);
            }
        }
        if self.pass(end) < n {
            return Ok(Step::NeedOutput);
        }
        forward_tags(&mut self.input, &mut self.output, 0);
        Ok(Step::Done)
    }
}

/// How many items a burst or a pause has at least.
const LENGTH: Kind = Kind::Integer(1, 1 << 24);

#[declare(
    category = "tags",
    summary = "Tags where bursts begin and end, by their power or by a trigger.",
    items(C32, f32),
    ports(
        input("in", "item", "x, full scale = 1.0"),
        input("trigger", "i16", "> 0 in a burst; may stay unconnected, then the power of x counts"),
        output("out", "item", "x, with tags")
    )
)]
fn burst_tagger<T: Power>(
    /// The key of the tags: true at the start, false at the end.
    #[param(default = "burst")]
    key: &str,
    /// The least power of a burst's first item, > 0.
    #[param(unit = "full scale²", range = 0.0..=f32::MAX, default = 0.1)]
    threshold: f32,
    /// What the power must fall below at its end; 0: threshold.
    #[param(unit = "full scale²", range = 0.0..=f32::MAX, default = 0.0)]
    threshold_off: f32,
    /// Bursts shorter than this are none.
    #[param(unit = "items", kind = LENGTH, default = 1)]
    min_length: usize,
    /// How many items in a row must be below at the end.
    #[param(unit = "items", kind = LENGTH, default = 1)]
    hold: usize,
) -> Result<AnyBlock, BlockError> {
    let off = threshold_off;
    let bursts =
        Bursts { threshold, threshold_off: if off == 0.0 { threshold } else { off }, min_length, hold };
    Ok(AnyBlock::new(BurstTagger::<T>::new(key, bursts)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{TagSink, Tagged, cuts, named, noise, run_tagged};
    use proptest::prelude::*;
    use superhet_runtime::{Graph, Options, Single, Value};

    /// The edges by their definition.
    fn edges(levels: &[f32], bursts: &Bursts) -> Vec<(u64, bool)> {
        let mut edges = Vec::new();
        let mut at = 0;
        while let Some(start) = (at..levels.len()).find(|&n| levels[n] >= bursts.threshold) {
            let is_end = |n: &usize| {
                let run = &levels[*n..(*n + bursts.hold).min(levels.len())];
                // A run that the end of the stream cuts counts, too.
                !run.is_empty() && run.iter().all(|level| *level < bursts.threshold_off)
            };
            let end = (start..levels.len()).find(is_end).unwrap_or(levels.len());
            if end - start >= bursts.min_length {
                edges.extend([(start as u64, true), (end as u64, false)]);
            }
            at = end + 1;
        }
        edges
    }

    fn seen(tags: Vec<(u64, String, Value)>) -> Vec<(u64, bool)> {
        tags.into_iter().map(|(index, _, value)| (index, value == Value::Bool(true))).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn the_tags_are_those_of_the_definition_wherever_the_stream_is_cut(
            levels in prop::collection::vec(0u8..5, 0..300),
            (min_length, hold) in (1usize..9, 1usize..9),
            (on, off) in (1u8..5, 1u8..5),
            strip in 1usize..50,
        ) {
            let square = |level: u8| f32::from(level) * f32::from(level);
            let bursts = Bursts { threshold: square(on.max(off)), threshold_off: square(on.min(off)), min_length, hold };
            let x: Vec<f32> = levels.iter().map(|level| f32::from(*level)).collect();
            let powers: Vec<f32> = levels.iter().map(|level| square(*level)).collect();
            let options = Options { strip_items: Some(strip), ..Options::default() };
            let tagger = BurstTagger::<f32>::new("burst", bursts).unwrap();
            let (items, tags) = run_tagged::<f32, f32, _, _>(tagger, x.clone(), vec![], &options);
            prop_assert_eq!(items, x);
            prop_assert_eq!(seen(tags), edges(&powers, &bursts));
        }
    }

    #[test]
    fn a_trigger_says_what_a_burst_is_and_other_tags_stay() {
        let x = noise(100);
        let trigger: Vec<i16> = (0..100).map(|n| i16::from((20..30).contains(&n) || n > 90)).collect();
        for options in cuts() {
            let mut graph = Graph::new();
            graph.add("x", Tagged::new(x.clone(), vec![(25, "old", Value::Null)]));
            graph.add("trigger", Tagged::new(trigger.clone(), vec![]));
            graph.add("tagger", BurstTagger::<f32>::new("burst", Bursts::above(1e-9)).unwrap());
            let sink = TagSink::<f32>::new();
            let seen = sink.seen.clone();
            graph.add("sink", sink);
            graph.connect_names("x", "tagger.in");
            graph.connect_names("trigger", "tagger.trigger");
            graph.connect_names("tagger", "sink");
            graph.check().unwrap().start(&Single, &options).unwrap().wait().unwrap();
            let (tags, items) = std::mem::take(&mut *seen.lock().unwrap());
            assert_eq!(items, x);
            let indices: Vec<u64> = named(tags).iter().map(|(index, ..)| *index).collect();
            assert_eq!(indices, [20, 25, 30, 91, 100]);
        }
    }

    #[test]
    fn what_is_not_a_number_is_no_burst_and_ends_one() {
        let x = vec![1.0, f32::NAN, 1.0, 0.0];
        let tagger = BurstTagger::<f32>::new("burst", Bursts::above(0.5)).unwrap();
        let (_, tags) = run_tagged::<f32, f32, _, _>(tagger, x, vec![], &Options::default());
        assert_eq!(seen(tags), [(0, true), (1, false), (2, true), (3, false)]);
    }

    #[test]
    fn thresholds_that_are_none_are_refused() {
        let error = |bursts| BurstTagger::<f32>::new("burst", bursts).unwrap_err().to_string();
        assert_eq!(error(Bursts::above(0.0)), "threshold = 0: expected a number > 0");
        let bursts = Bursts { threshold_off: 2.0, ..Bursts::above(1.0) };
        assert_eq!(error(bursts), "threshold_off = 2: expected a number > 0, at most threshold");
        assert!(BurstTagger::<f32>::new("burst", Bursts { hold: 0, ..Bursts::above(1.0) }).is_err());
    }
}
