//! Bursts through a few blocks, each of which changes every item: in a stream, or as packets.
//!
//! The graphs do the same, `source -> M x (y = x + 1, f32) -> sink`, and differ in how a burst goes from block to block:
//!
//! | transport | the bursts lie | the blocks |
//! |---|---|---|
//! | `stream` | in a stream, with a tag on the first item that says how long | pure stream blocks, which bursts pass unseen |
//! | `tagged` | the same | packet blocks, which work on each burst where it lies |
//! | `packets` | in packets that are sent as messages | the same packet blocks |

use std::sync::Arc;

use clap::{Args, ValueEnum};
use serde_json::json;
use superhet_runtime::{Graph, RunError, packet::PacketBlock};

use super::burst_blocks::{
    AddOne, Bursts as Shared, LENGTH, PacketSink, PacketSource, StreamSink, StreamSource,
};
use super::measure::{Repeat, steady_count};
use super::output::{Case, Figure, Output};
use super::plot::{self, Axes, Line};
use super::stats::Stats;
use superhet_terminal::settings::Settings;

/// `superhet bench bursts`
#[derive(Args, Debug)]
pub struct Bursts {
    /// Bytes of a burst, in whole f32 items; several numbers, separated by commas, are measured one after the other
    #[arg(
        long, value_name = "BYTES,...", value_delimiter = ',', default_value = "64,256,1024,4096,16384",
        value_parser = parse_length,
    )]
    lengths: Vec<usize>,
    /// How bursts go from block to block
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', default_value = "stream,tagged,packets")]
    transports: Vec<Transport>,
    /// Blocks between source and sink
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(0..=1000))]
    blocks: u32,
    #[command(flatten)]
    settings: Settings,
    #[command(flatten)]
    repeat: Repeat,
    #[command(flatten)]
    output: Output,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Transport {
    /// A length tag in a stream, through pure stream blocks
    Stream,
    /// A length tag in a stream, through packet blocks
    Tagged,
    /// Packets as messages, through packet blocks
    Packets,
}

impl Transport {
    fn name(self) -> &'static str {
        match self {
            Transport::Stream => "stream",
            Transport::Tagged => "tagged",
            Transport::Packets => "packets",
        }
    }
}

fn parse_length(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(bytes @ 4..=0x100_0000) if bytes % 4 == 0 => Ok(bytes),
        _ => Err("expected a multiple of 4 from 4 to 16777216".to_owned()),
    }
}

/// What the repetitions of one case came to.
#[derive(Default)]
struct Measured {
    rates: Vec<f64>,
    mean: Vec<f64>,
    p50: Vec<f64>,
    p99: Vec<f64>,
}

/// The share of the bursts one at a time, at the start, that is not counted: caches, clocks and threads warm up.
const WARM_UP: f64 = 0.1;

impl Bursts {
    pub fn run(self) -> anyhow::Result<()> {
        let mut cases = Vec::new();
        for &bytes in &self.lengths {
            let mut measured: Vec<_> = self.transports.iter().map(|_| Measured::default()).collect();
            // In turns: whatever else the machine does hits all.
            for _ in 0..self.repeat.repeat {
                for (&transport, measured) in self.transports.iter().zip(&mut measured) {
                    self.measure(transport, bytes, measured)?;
                }
            }
            let of_length = self.transports.iter().zip(measured);
            cases.extend(of_length.map(|(&transport, measured)| self.case(transport, bytes, measured)));
        }
        self.output.give("bursts", self.repeat.repeat, &cases, || self.draw(&cases))
    }

    /// Bursts as fast as they go, then one at a time.
    fn measure(&self, transport: Transport, bytes: usize, measured: &mut Measured) -> Result<(), RunError> {
        let (scheduler, options) = (self.settings.scheduler(), self.settings.options());
        for one_at_a_time in [false, true] {
            let shared = Shared::new(bytes / size_of::<f32>(), self.blocks, one_at_a_time);
            let graph = graph(transport, self.blocks, &shared);
            let (rate, _) =
                steady_count(graph, &*scheduler, &options, self.repeat.time(), |_| shared.arrived())?;
            if !one_at_a_time {
                measured.rates.push(rate);
                continue;
            }
            let mut delays = shared.take_delays_us();
            delays.drain(..(delays.len() as f64 * WARM_UP) as usize);
            let delays = Stats::new(delays);
            measured.mean.push(delays.mean());
            measured.p50.push(delays.median());
            measured.p99.push(delays.quantile(0.99));
        }
        Ok(())
    }

    fn case(&self, transport: Transport, bytes: usize, measured: Measured) -> Case {
        let facts = json!({
            "scheduler": self.settings.scheduler().name(), "workers": self.settings.workers(),
            "transport": transport.name(), "bytes": bytes, "blocks": self.blocks,
        });
        let byte_rates = measured.rates.iter().map(|rate| rate * bytes as f64).collect();
        let figures = vec![
            Figure::mega("rate", "million bursts/s", measured.rates),
            Figure::giga("byte_rate", "GB/s", byte_rates),
            Figure::new("mean_us", "us from source to sink, one burst at a time", measured.mean),
            Figure::new("p50_us", "us", measured.p50),
            Figure::new("p99_us", "us", measured.p99),
        ];
        Case::new(format!("{bytes} bytes, {}", transport.name()), facts, figures)
    }

    fn draw(&self, cases: &[Case]) -> anyhow::Result<String> {
        let rate = |case: &Case| case.figure("rate").map_or(0.0, |figure| figure.shown()[0]);
        let lines: Vec<_> = self
            .transports
            .iter()
            .enumerate()
            .map(|(index, transport)| {
                let of_line = cases.iter().skip(index).step_by(self.transports.len());
                let points = self.lengths.iter().zip(of_line);
                let mut points: Vec<_> =
                    points.map(|(&bytes, case)| ((bytes as f64).log2(), rate(case))).collect();
                plot::in_order(&mut points);
                Line { name: transport.name(), points, ideal: false }
            })
            .collect();
        let title = format!("Bursts through {} blocks", self.blocks);
        plot::lines(&Axes { title: &title, x: "log2 of a burst's bytes", y: "million bursts/s" }, &lines)
    }
}

fn graph(transport: Transport, blocks: u32, shared: &Arc<Shared>) -> Graph {
    let mut graph = Graph::new();
    let (given, released) = if transport == Transport::Packets {
        let source = graph.add("source", PacketSource::new(shared.clone()));
        let mut packets = source.output;
        for k in 0..blocks {
            let block = graph.add(format!("block{k}"), AddOne.messages());
            graph.connect(packets, block.input);
            packets = block.output;
        }
        let sink = graph.add("sink", PacketSink::new(shared.clone()));
        graph.connect(packets, sink.input);
        (source.released, sink.released)
    } else {
        let source = graph.add("source", StreamSource::new(shared.clone()));
        let mut stream = source.out;
        for k in 0..blocks {
            let name = format!("block{k}");
            if transport == Transport::Tagged {
                let block = graph.add(name, AddOne.tagged(LENGTH));
                graph.connect(stream, block.input);
                stream = block.output;
            } else {
                let block = graph.add(name, AddOne);
                graph.connect(stream, block.input);
                stream = block.output;
            }
        }
        let sink = graph.add("sink", StreamSink::new(shared.clone()));
        graph.connect(stream, sink.input);
        (source.released, sink.released)
    };
    if shared.one_at_a_time {
        graph.connect(released, given);
    }
    graph
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Arguments {
        #[command(flatten)]
        bursts: Bursts,
    }

    fn run(words: &str) -> anyhow::Result<()> {
        let words = format!("bursts --seconds 0.02 --repeat 1 --json {words}");
        Arguments::try_parse_from(words.split(' '))?.bursts.run()
    }

    #[test]
    fn every_burst_comes_as_the_blocks_should_have_made_it() {
        for scheduler in ["single", "adaptive", "threads"] {
            run(&format!("--lengths 4,64,65536 --blocks 3 --workers 2 --scheduler {scheduler}")).unwrap();
        }
    }

    #[test]
    fn bursts_are_whole_items() {
        for length in ["0", "6", "-4", "1e9", "16777220"] {
            let error = run(&format!("--lengths {length}")).unwrap_err();
            assert!(error.to_string().contains("multiple of 4") || length == "-4", "{error}");
        }
    }
}
