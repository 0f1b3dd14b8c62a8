//! A delay beside a filter.

use superhet_runtime::catalog::{Entry, Kind, input, output, required};
use superhet_runtime::{AnyBlock, C32, Pure};

use super::fir_filter::check_taps;
use super::hilbert::beside;
use crate::error::Error;
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
/// Give one stream to both inputs to have it beside what the filter makes of it.
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

impl FilterDelay {
    /// The delay of a filter with these taps, and the filter.
    ///
    /// # Errors
    /// [`Error::Empty`] or [`Error::Element`] where there is no tap, or one that is not finite.
    pub fn new(taps: &[f32]) -> Result<Self, Error> {
        check_taps::<f32, f32>(taps)?;
        Ok(FilterDelay { taps_reversed: taps.iter().rev().copied().collect() })
    }
}

impl Pure for FilterDelay {
    type In = (f32, f32);
    type Out = C32;

    fn history(&self) -> usize {
        self.taps_reversed.len() - 1
    }
    fn delay(&self) -> u64 {
        (self.history() / 2) as u64
    }
    fn map(&self, (x, filtered): (&[f32], &[f32]), y: &mut [C32]) {
        beside(x, filtered, &self.taps_reversed, y);
    }
}

/// How files and the command line find [`FilterDelay`].
pub const ENTRY: Entry = Entry {
    name: "filter_delay",
    category: "filters",
    summary: "One stream delayed and the other filtered, as real and imaginary part.",
    params: &[required("taps", Kind::Numbers, "", "The taps of the filter; half of it is the delay.")],
    ports: &[
        input("in0", "f32", "what is delayed"),
        input("in1", "f32", "what is filtered"),
        output("out", "C32", "both"),
    ],
    make: |params| Ok(AnyBlock::new(FilterDelay::new(&from_numbers("taps", &params.numbers("taps"))?)?)),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_gives_of_two, run_two};
    use superhet_runtime::Options;

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
}
