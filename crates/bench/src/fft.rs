//! Fourier transforms through the scheduler, against the same transforms in a loop; beside them, a FIR filter.

use std::time::{Duration, Instant};

use anyhow::ensure;
use clap::Args;
use serde_json::json;
use superhet_blocks::filters::FirFilter;
use superhet_blocks::sinks::NullSink;
use superhet_blocks::sources::NullSource;
use superhet_blocks::transforms::Fft;
use superhet_fft::FftPlanner;
use superhet_runtime::{Adaptive, C32, Graph, Pure};

use super::measure::{Repeat, rate_into, run_for};
use super::output::{Case, Figure, Output};
use super::plot::{self, Axes, Line};
use superhet_terminal::settings::Settings;

/// `superhet bench fft`
#[derive(Args, Debug)]
pub struct FftBench {
    /// Items of a transform
    #[arg(long, default_value_t = 2048, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    size: u32,
    #[command(flatten)]
    settings: Settings,
    #[command(flatten)]
    repeat: Repeat,
    #[command(flatten)]
    output: Output,
}

const TAPS: usize = 64;

impl FftBench {
    pub fn run(self) -> anyhow::Result<()> {
        let cases = [self.case()?];
        self.output.give("fft", self.repeat.repeat, &cases, || self.draw(&cases))
    }

    fn case(&self) -> anyhow::Result<Case> {
        // In turns, and in slices within a repetition: whatever else the machine does hits both.
        const SLICES: u32 = 5;
        let (size, slice) = (self.size as usize, self.repeat.time() / SLICES);
        let (mut bare, mut alone, mut graph, mut fir) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (mut alone_ratios, mut ratios) = (Vec::new(), Vec::new());
        for _ in 0..self.repeat.repeat {
            let (mut loops, mut alones, mut graphs) = (0.0, 0.0, 0.0);
            for _ in 0..SLICES {
                loops += bare_rate(size, slice) / f64::from(SLICES);
                alones += self.rate(Untouched, Fft::new(size)?, slice)? / f64::from(SLICES);
                graphs += self.rate(NullSource::<C32>::new(), Fft::new(size)?, slice)? / f64::from(SLICES);
            }
            bare.push(loops);
            alone.push(alones);
            graph.push(graphs);
            alone_ratios.push(alones / loops);
            ratios.push(graphs / loops);
            let filter = FirFilter::<C32, f32>::new(&[1.0 / TAPS as f32; TAPS], 1)?;
            fir.push(self.rate(NullSource::<C32>::new(), filter, slice)?);
        }
        let facts = json!({ "size": size, "workers": 1, "fir_taps": TAPS });
        let figures = vec![
            Figure::giga("bare_rate", "Gsamples/s, rustfft in a loop", bare),
            Figure::giga("unwritten_rate", "Gsamples/s, in a graph whose source writes nothing", alone),
            Figure::new("unwritten_ratio", "of the loop's rate", alone_ratios),
            Figure::giga("rate", "Gsamples/s, in a graph with a null source, which writes zeros", graph),
            Figure::new("ratio", "of the loop's rate", ratios),
            Figure::giga("fir_rate", "Gsamples/s, 64 real taps in a graph", fir),
        ];
        Ok(Case::new(format!("{size} items"), facts, figures))
    }

    /// Samples per second of `source` -> `block` -> null_sink on one worker.
    fn rate(
        &self,
        source: impl Pure<In = (), Out = C32>,
        block: impl Pure<In = C32, Out = C32>,
        time: Duration,
    ) -> anyhow::Result<f64> {
        let mut graph = Graph::new();
        let source = graph.add("source", source);
        let block = graph.add("block", block);
        let sink = graph.add("sink", NullSink::<C32>::new());
        graph.connect(source.output, block.input);
        graph.connect(block.output, sink.input);
        let report = run_for(graph, &Adaptive::workers(1), &self.settings.options(), time)?;
        let rate = rate_into(&report, "block");
        ensure!(rate > 0.0, "nothing came through in {time:?}");
        Ok(rate)
    }

    fn draw(&self, cases: &[Case]) -> anyhow::Result<String> {
        let rate = |name: &str| cases[0].figure(name).map_or(0.0, |figure| figure.shown()[0]);
        let points = vec![(0.0, rate("bare_rate")), (1.0, rate("rate"))];
        let axes = Axes { title: "Fourier transforms", x: "in a loop (0), in a graph (1)", y: "Gsamples/s" };
        plot::lines(&axes, &[Line { name: "measured", points, ideal: false }])
    }
}

/// Gives samples without writing them, as the loop transforms old content, too. So the difference is the cost of the graph.
struct Untouched;

impl Pure for Untouched {
    type In = ();
    type Out = C32;
    fn map(&self, _: (), _: &mut [C32]) {}
}

/// Samples per second of transforms in a loop, all of the same two frames: the better of in place and not.
fn bare_rate(size: usize, time: Duration) -> f64 {
    let plan = FftPlanner::new().plan_fft_forward(size);
    let (mut x, mut y) = (vec![C32::ZERO; size], vec![C32::ZERO; size]);
    let mut scratch = vec![C32::ZERO; plan.get_immutable_scratch_len().max(plan.get_inplace_scratch_len())];
    let out_of_place = rate_of_loop(size, time / 2, || {
        plan.process_immutable_with_scratch(&x, &mut y, &mut scratch);
    });
    let in_place = rate_of_loop(size, time / 2, || plan.process_with_scratch(&mut x, &mut scratch));
    out_of_place.max(in_place)
}

/// Items per second of all calls in `time`: as a graph is measured, so that what else the machine does hits both.
fn rate_of_loop(items: usize, time: Duration, mut work: impl FnMut()) -> f64 {
    let (start, mut done) = (Instant::now(), 0);
    loop {
        for _ in 0..16 {
            work();
            std::hint::black_box(());
        }
        done += 16 * items;
        let elapsed = start.elapsed();
        if elapsed >= time {
            return done as f64 / elapsed.as_secs_f64();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Arguments {
        #[command(flatten)]
        fft: FftBench,
    }

    #[test]
    fn transforms_run_in_a_loop_and_in_a_graph() {
        let arguments = ["fft", "--size", "256", "--seconds", "0.05", "--repeat", "1", "--json"];
        Arguments::try_parse_from(arguments).unwrap().fft.run().unwrap();
    }
}
