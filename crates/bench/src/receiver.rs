//! A chain of real filters, on several workers against one: FIR filter, quadrature demodulator, decimating FIR filter,
//! magnitude, on noise.

use clap::Args;
use serde_json::json;
use superhet_blocks::demod::QuadratureDemod;
use superhet_blocks::elementwise::elementwise;
use superhet_blocks::filters::FirFilter;
use superhet_blocks::sinks::NullSink;
use superhet_blocks::sources::VectorSource;
use superhet_runtime::{Adaptive, C32, Graph};

use super::measure::{Repeat, rate_into, run_for};
use super::output::{Case, Figure, Output};
use super::plot::{self, Axes, Line};
use superhet_terminal::settings::Settings;

/// `superhet bench receiver`
#[derive(Args, Debug)]
pub struct Receiver {
    #[command(flatten)]
    settings: Settings,
    #[command(flatten)]
    repeat: Repeat,
    #[command(flatten)]
    output: Output,
}

const TAPS: usize = 64;
const DECIMATION: usize = 10;

impl Receiver {
    pub fn run(self) -> anyhow::Result<()> {
        let case = self.case()?;
        let cases = [case];
        self.output.give("receiver", self.repeat.repeat, &cases, || self.draw(&cases))
    }

    fn case(&self) -> anyhow::Result<Case> {
        let options = self.settings.options();
        let workers = self.settings.workers();
        let (mut one, mut many, mut gains) = (Vec::new(), Vec::new(), Vec::new());
        // In turns: whatever else the machine does hits both.
        for _ in 0..self.repeat.repeat {
            let alone = run_for(graph()?, &Adaptive::workers(1), &options, self.repeat.time())?;
            let report = run_for(graph()?, &*self.settings.scheduler(), &options, self.repeat.time())?;
            let (alone, rate) = (rate_into(&alone, "filter"), rate_into(&report, "filter"));
            one.push(alone);
            many.push(rate);
            gains.push(rate / alone);
        }
        let facts = json!({
            "scheduler": self.settings.scheduler().name(), "workers": workers, "taps": TAPS,
            "decimation": DECIMATION,
        });
        let figures = vec![
            Figure::new("rate_one_worker", "samples/s, one worker", one),
            Figure::new("rate", "samples/s", many),
            Figure::new("gain", "times the rate of one worker", gains),
        ];
        Ok(Case::new(format!("{TAPS} taps, {workers} workers"), facts, figures))
    }

    fn draw(&self, cases: &[Case]) -> anyhow::Result<String> {
        let rate = |name: &str| cases[0].figure(name).map_or(0.0, |figure| figure.stats.median() / 1e6);
        let points = vec![(1.0, rate("rate_one_worker")), (self.settings.workers() as f64, rate("rate"))];
        let axes = Axes { title: "FIR, demodulator, FIR, magnitude", x: "workers", y: "Msamples/s" };
        plot::lines(&axes, &[Line { name: "measured", points, ideal: false }])
    }
}

fn graph() -> anyhow::Result<Graph> {
    // Noise: a demodulator is faster on zeros. A linear congruential generator (Knuth, MMIX).
    let mut state = 1u64;
    let mut noise = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    let samples: Vec<C32> = (0..1 << 14).map(|_| C32::new(noise(), noise())).collect();
    let taps = [1.0 / TAPS as f32; TAPS];
    let mut graph = Graph::new();
    let source = graph.add("source", VectorSource::new(samples, true)?);
    let filter = graph.add("filter", FirFilter::<C32, f32>::new(&taps, 1)?);
    let demod = graph.add("demod", QuadratureDemod::new(1.0));
    let decimate = graph.add("decimate", FirFilter::<f32, f32>::new(&taps, DECIMATION)?);
    let magnitude = graph.add("magnitude", elementwise(|x: f32| x.abs()));
    let sink = graph.add("sink", NullSink::<f32>::new());
    graph.connect(source.output, filter.input);
    graph.connect(filter.output, demod.input);
    graph.connect(demod.output, decimate.input);
    graph.connect(decimate.output, magnitude.input);
    graph.connect(magnitude.output, sink.input);
    Ok(graph)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Arguments {
        #[command(flatten)]
        receiver: Receiver,
    }

    #[test]
    fn the_receiver_runs_on_one_worker_and_on_two() {
        let arguments = ["receiver", "--seconds", "0.02", "--repeat", "1", "--workers", "2", "--json"];
        Arguments::try_parse_from(arguments).unwrap().receiver.run().unwrap();
    }
}
