//! Whether it pays that spans start on cache lines: for kernels alone, and for chains whose blocks ask for it.

use std::time::Duration;

use clap::Args;
use serde_json::json;
use superhet_kernels as kernels;
use superhet_runtime::{C32, Item, Options, Pinned, RunError, Scheduler, Single, plan::Machine};

use super::blocks::chain;
use super::measure::{Repeat, rate_into, rate_of, run_for};
use super::output::{Case, Figure, Output};
use super::plot::{self, Axes};
use super::saxpys::{PureSaxpy, Saxpy};

/// `superhet bench align`
#[derive(Args, Debug)]
pub struct Align {
    /// Items of a strip in the chains; an odd number, so that strips end inside a cache line
    #[arg(long, default_value_t = 6143, value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
    strip_items: u32,
    /// Saxpy blocks in the chains
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=1000))]
    kernels: u32,
    #[command(flatten)]
    repeat: Repeat,
    #[command(flatten)]
    output: Output,
}

/// Items of 4 bytes in a cache line.
const ALIGN: usize = 16;

/// Rates with aligned spans and with others.
#[derive(Default)]
struct Pairs {
    aligned: Vec<f64>,
    other: Vec<f64>,
}

impl Pairs {
    /// The rates, and aligned over others for each repetition.
    fn figures(self) -> Vec<Figure> {
        let ratios = self.aligned.iter().zip(&self.other).map(|(aligned, other)| aligned / other).collect();
        vec![
            Figure::giga("rate_aligned", "Gitems/s", self.aligned),
            Figure::giga("rate_unaligned", "Gitems/s", self.other),
            Figure::new("ratio", "aligned / not", ratios),
        ]
    }
}

impl Align {
    pub fn run(self) -> anyhow::Result<()> {
        let mut cases = self.kernels_alone();
        cases.extend(self.chains()?);
        self.output.give("align", self.repeat.repeat, &cases, || {
            let axes = Axes { title: "Spans on cache lines, and others", x: "", y: "Gitems/s" };
            plot::bars(&axes, &cases, &["rate_aligned", "rate_unaligned"])
        })
    }

    /// Kernels on spans in one cache, all on cache lines or all one item behind.
    fn kernels_alone(&self) -> Vec<Case> {
        let machine = Machine::detect();
        let time = self.repeat.time() / 4;
        let mut cases = Vec::new();
        for (cache, bytes) in [("L1", machine.l1_bytes * 3 / 4), ("L2", machine.l2_bytes / 2)] {
            for (name, rate) in KERNELS {
                let mut pairs = Pairs::default();
                for _ in 0..self.repeat.repeat {
                    pairs.aligned.push(rate(bytes, 0, time));
                    pairs.other.push(rate(bytes, 1, time));
                }
                let facts = json!({ "case": "kernel", "kernel": name, "cache": cache });
                cases.push(Case::new(format!("{name} {cache}"), facts, pairs.figures()));
            }
        }
        cases
    }

    /// Chains with odd strips, of blocks that ask for whole cache lines or do not.
    fn chains(&self) -> Result<Vec<Case>, RunError> {
        let two = || -> Box<dyn Scheduler> { Box::new(Pinned::workers(2)) };
        let one = || -> Box<dyn Scheduler> { Box::new(Single) };
        [("in place", one(), true), ("buffers", one(), false), ("2 workers", two(), true)]
            .into_iter()
            .map(|(name, scheduler, in_place)| {
                let strip_items = Some(self.strip_items as usize);
                let options = Options { strip_items, in_place, ..Options::default() };
                let rate = |align| {
                    let graph = chain(self.kernels, || PureSaxpy::<true>(Saxpy { align, ..Saxpy::ONCE }));
                    run_for(graph, &*scheduler, &options, self.repeat.time())
                        .map(|report| rate_into(&report, "sink"))
                };
                let mut pairs = Pairs::default();
                for _ in 0..self.repeat.repeat {
                    pairs.aligned.push(rate(ALIGN)?);
                    pairs.other.push(rate(1)?);
                }
                let facts = json!({
                    "case": "chain", "scheduler": scheduler.name(), "in_place": in_place, "kernels": self.kernels,
                    "strip_items": self.strip_items,
                });
                Ok(Case::new(format!("chain, {name}"), facts, pairs.figures()))
            })
            .collect()
    }
}

/// Items per second of a kernel on spans of so many bytes together, so many items behind a cache line.
type Rate = fn(bytes: usize, behind: usize, time: Duration) -> f64;

const KERNELS: [(&str, Rate); 3] = [
    ("saxpy", |bytes, behind, time| {
        let n = bytes / 8;
        let (mut x, mut y) = (Span::<f32>::new(n, behind, 0), Span::<f32>::new(n, behind, 1));
        rate_of(n, time, || kernels::saxpy(y.get(), x.get(), Saxpy::GAIN, Saxpy::OFFSET))
    }),
    ("conj. multiply", |bytes, behind, time| {
        let n = bytes / 24;
        let [mut a, mut b, mut y] = [0, 1, 2].map(|place| Span::<C32>::new(n, behind, place));
        rate_of(n, time, || kernels::multiply_conjugate_c32(y.get(), a.get(), b.get()))
    }),
    ("f32 to i16", |bytes, behind, time| {
        let n = bytes / 6;
        let (mut x, mut y) = (Span::<f32>::new(n, behind, 0), Span::<i16>::new(n, behind, 1));
        rate_of(n, time, || kernels::f32_to_i16(y.get(), x.get()))
    }),
];

/// Items in memory that start at a known distance behind a cache line.
struct Span<T> {
    memory: Vec<T>,
    start: usize,
    items: usize,
}

impl<T: Item> Span<T> {
    /// `items` zeros, `behind` items behind a line. An output has a higher `place` than the inputs, and lies far ahead of
    /// them within its pages. Otherwise loads would wait for earlier stores to addresses with the same low bits.
    fn new(items: usize, behind: usize, place: usize) -> Self {
        const PAGE: usize = 4096;
        let per_page = PAGE / size_of::<T>();
        let memory = vec![T::zeroed(); items + 3 * per_page];
        // To the next page, then on to its place.
        let page = memory.as_ptr().align_offset(PAGE);
        let start = page + place * (PAGE / 4 * 3) / size_of::<T>() + behind;
        Span { memory, start, items }
    }

    fn get(&mut self) -> &mut [T] {
        &mut self.memory[self.start..self.start + self.items]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_start_where_they_should() {
        for behind in [0, 1] {
            for place in [0, 1, 2] {
                let mut span = Span::<f32>::new(10, behind, place);
                let address = span.get().as_ptr() as usize;
                assert_eq!(address % 64, 4 * behind);
                assert_eq!(address % 4096, [0, 3072, 2048][place] + 4 * behind);
                assert_eq!(span.get().len(), 10);
            }
        }
    }
}
