//! A delay beside a filter.

use superhet_runtime::{
    AnyBlock, Block, BlockError, C32, C64, Context, In, Out, Pure, Ratio, Shape, Step, Tag, Work, declare,
};

use super::fir_filter::check_taps;
use super::hilbert::beside;
use crate::error::Error;
use crate::flow;
use crate::item::from_numbers;

/// One stream delayed, the other filtered, as real and imaginary part: `y[n] = in0[n − d] + j · Σₖ taps[k] · in1[n − k]` with
/// `d = floor((taps − 1) / 2)`, the delay of a filter with linear phase.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in0` | `f32` | any |
/// | in `in1` | `f32` | any |
/// | out `out` | `C32` | that of the inputs |
///
/// [`FilterDelay::of_one`] takes one stream for both.
///
/// ```
/// use superhet_blocks::{filters::FilterDelay, sinks::VectorSink, sources::VectorSource};
/// use superhet_runtime::{C32, Graph};
///
/// let mut graph = Graph::new();
/// let source = graph.add("source", VectorSource::new(vec![1.0f32, 2.0, 3.0], false)?);
/// let block = graph.add("block", FilterDelay::new(&[1.0, 0.0, 0.0])?);
/// let sink = VectorSink::<C32>::new();
/// let items = sink.items();
/// let sink = graph.add("sink", sink);
/// graph.connect(source.output, block.input.0);
/// graph.connect(source.output, block.input.1);
/// graph.connect(block.output, sink.input);
/// graph.run()?;
/// assert_eq!(items.take(), [C32::new(0.0, 1.0), C32::new(1.0, 2.0), C32::new(2.0, 3.0)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct FilterDelay {
    taps_reversed: Vec<f32>,
}

/// A [`FilterDelay`] of one stream, `in0`: delayed, and what the filter makes of it.
#[derive(Debug, Block)]
pub struct FilterDelayOfOne {
    #[port("in0")]
    input: In<f32>,
    #[port("out")]
    output: Out<C32>,
    filter: FilterDelay,
}

impl FilterDelay {
    /// The delay of a filter with these taps, and the filter.
    ///
    /// # Errors
    /// [`Error::Empty`] or [`Error::Element`] where there is no tap, or one that is not finite.
    pub fn new(taps: &[f32]) -> Result<Self, Error> {
        check_taps::<f32, f32>(taps)?;
        Ok(FilterDelay { taps_reversed: taps.iter().rev().copied().collect() })
    }

    /// The same with one input for both.
    pub fn of_one(self) -> FilterDelayOfOne {
        FilterDelayOfOne { input: In::new().history(self.shape().history), output: Out::new(), filter: self }
    }
}

impl Pure for FilterDelay {
    type In = (f32, f32);
    type Out = C32;

    fn shape(&self) -> Shape {
        let history = self.taps_reversed.len() - 1;
        Shape { history, delay: (history / 2) as u64, ..Shape::default() }
    }

    fn map(&self, (x, filtered): (&[f32], &[f32]), y: &mut [C32]) {
        beside(x, filtered, &self.taps_reversed, y);
    }
}

impl FilterDelayOfOne {
    /// Hands the tags of the next `n` items on; with 0, those beyond the last.
    fn pass_tags(&mut self, n: usize) {
        let (from, to, output) = (self.input.index(), self.output.index(), &mut self.output);
        let delay = self.filter.shape().delay;
        self.input.for_each_tag(n, |tag| {
            output.put_tag(Tag { index: tag.index - from + to + delay, ..tag.clone() });
        });
    }
}

impl Work for FilterDelayOfOne {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.input.available().min(self.output.room());
        let x = &self.input.window()[..self.filter.shape().history + n];
        self.filter.map((x, x), &mut self.output.reserve()[..n]);
        self.pass_tags(n);
        self.input.consume(n);
        self.output.produce(n);
        Ok(flow::step(n, &self.input))
    }
    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        self.pass_tags(0);
        Ok(Step::Done)
    }
    fn ratio(&self) -> Option<Ratio> {
        Some(Ratio::ONE)
    }
}

#[declare(
    category = "filters",
    summary = "One stream delayed and the other filtered, as real and imaginary part.",
    ports(
        input("in0", "f32", "what is delayed"),
        input("in1", "f32", "what is filtered"),
        output("out", "C32", "both")
    )
)]
fn filter_delay(
    /// The taps of the filter; half of it is the delay.
    taps: Vec<C64>,
    /// With 1, one stream, `in0`, goes both ways.
    #[param(range = 1..=2, default = 2)]
    inputs: usize,
) -> Result<AnyBlock, BlockError> {
    let block = FilterDelay::new(&from_numbers("taps", &taps)?)?;
    Ok(if inputs == 1 { AnyBlock::new(block.of_one()) } else { AnyBlock::new(block) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{TagSink, Tagged, assert_gives_of_two, cuts, run_two};
    use std::collections::BTreeMap;
    use superhet_runtime::{Graph, Options, Single, Value};

    #[test]
    fn values_are_those_of_gnu_radio_wherever_the_streams_are_cut() {
        let x: Vec<f32> = (1..12).map(|n| n as f32).collect();
        let filtered: Vec<f32> = x.iter().map(|x| 10.0 * x).collect();
        let wanted: Vec<C32> = (1..12).map(|n| C32::new((n - 2).max(0) as f32, 10.0 * n as f32)).collect();
        let block = || FilterDelay::new(&[1.0, 0.0, 0.0, 0.0, 0.0]).unwrap();
        assert_gives_of_two(block, (&x, &filtered), &wanted);
        let y: Vec<C32> = run_two(FilterDelay::new(&[1.0; 4]).unwrap(), &x, &filtered, &Options::default());
        assert_eq!(y[1].re, 1.0);
    }

    #[test]
    fn one_stream_can_go_both_ways() {
        let x: Vec<f32> = (1..=6).map(|n| n as f32).collect();
        let given = [("taps", vec![1f32, 2.0, 3.0, 0.0, 0.0].into()), ("inputs", 1.into())];
        let given: BTreeMap<String, Value> = given.map(|(name, value)| (name.to_owned(), value)).into();
        let wanted = [(0, 1), (0, 4), (1, 10), (2, 16), (3, 22), (4, 28)];
        for options in cuts() {
            let mut graph = Graph::new();
            graph
                .add("source", Tagged::new(x.clone(), vec![(1, "t", Value::Null), (5, "late", Value::Null)]));
            graph.add_any("block", ENTRY.build(&given).unwrap());
            let sink = TagSink::<C32>::new();
            let seen = sink.seen.clone();
            graph.add("sink", sink);
            graph.connect_names("source", "block.in0");
            graph.connect_names("block", "sink");
            graph.check().unwrap().start(&Single, &options).unwrap().wait().unwrap();
            let (tags, y) = std::mem::take(&mut *seen.lock().unwrap());
            assert_eq!(y, wanted.map(|(re, im)| C32::new(re as f32, im as f32)));
            assert_eq!(tags.iter().map(|tag| tag.index).collect::<Vec<_>>(), [3, 7]);
        }
    }
}
