//! How fast one block of the library is on noise, on one worker: for comparisons with other runtimes, block by block.
//!
//! A source copies noise from a table that fits into the level-2 cache, again and again, for each input; the block's outputs go to
//! sinks that do not look. What is counted are items into the block, all in all and in the time that the scheduler charges to it.

use std::collections::BTreeMap;

use anyhow::{Context, anyhow, ensure};
use clap::Args;
use serde_json::{Value as Json, json};
use superhet_blocks::sinks::NullSink;
use superhet_blocks::sources::VectorSource;
use superhet_runtime::catalog::Entry;
use superhet_runtime::{AnyBlock, C32, Graph, Options, Single, Value, graph::PortList, port::PortSpec};

use super::measure::{Repeat, rate_into, run_for};
use super::output::{Case, Figure, Output};
use super::plot::{self, Axes, Line};
use superhet_terminal::usage::Usage;

/// `superhet bench noise`
#[derive(Args, Debug)]
pub struct Noise {
    /// The block, as `superhet blocks` names it
    block: String,
    /// Its parameters, a JSON object
    #[arg(long, value_name = "JSON", default_value = "{}")]
    parameters: String,
    /// Integers of the input are at least 0 and less than this: 2 gives bits
    #[arg(long, default_value_t = 128, value_parser = clap::value_parser!(u8).range(1..=128))]
    below: u8,
    #[command(flatten)]
    repeat: Repeat,
    #[command(flatten)]
    output: Output,
}

/// Items into the block; of a source, out of it.
const RATE: &str = "items_per_s";
/// The same in the block's own time.
const OWN_RATE: &str = "own_items_per_s";

/// Items of the table of noise.
const TABLE: usize = 1 << 14;

impl Noise {
    pub fn run(self) -> anyhow::Result<()> {
        let cases = [self.case()?];
        self.output.give("noise", self.repeat.repeat, &cases, || {
            let median = |name: &str| cases[0].figure(name).map_or(0.0, |figure| figure.shown()[0]);
            let points = vec![(0.0, median(RATE)), (1.0, median(OWN_RATE))];
            let axes =
                Axes { title: &self.block, x: "in all (0), in the block's own time (1)", y: "Mitems/s" };
            plot::lines(&axes, &[Line { name: "measured", points, ideal: false }])
        })
    }

    fn entry(&self) -> Result<&'static Entry, Usage> {
        let found = superhet_blocks::ENTRIES.iter().find(|entry| entry.name == self.block);
        found.ok_or_else(|| {
            Usage(format!("the library has no block {:?}; superhet blocks shows all", self.block))
        })
    }

    fn build(&self) -> anyhow::Result<AnyBlock> {
        let entry = self.entry()?;
        let given: Json = serde_json::from_str(&self.parameters)
            .map_err(|error| Usage(format!("--parameters {}: {error}", self.parameters)))?;
        let given = given
            .as_object()
            .ok_or_else(|| Usage(format!("--parameters {}: expected an object", self.parameters)))?;
        let given: BTreeMap<String, Value> =
            given.iter().map(|(name, value)| (name.clone(), Value::from_json(value))).collect();
        entry.build(&given).map_err(|errors| {
            let errors: Vec<_> = errors.iter().map(ToString::to_string).collect();
            Usage(format!("{}: {}", self.block, errors.join("; "))).into()
        })
    }

    fn graph(&self) -> anyhow::Result<Graph> {
        let mut graph = Graph::new();
        let mut block = self.build()?;
        let ports = PortList::of(&mut block);
        let needed = |ports: Vec<(String, PortSpec)>| -> Vec<_> {
            // Of ports that may stay unconnected the first is what the block is there for.
            let is_needed = |place: usize, spec: &PortSpec| place == 0 || !spec.optional;
            ports.into_iter().enumerate().filter(|(place, (_, spec))| is_needed(*place, spec)).collect()
        };
        graph.add_any("block", block);
        for (place, (port, spec)) in needed(ports.inputs) {
            graph.add_any(format!("source_{port}"), source(spec.item.name(), place, self.below)?);
            graph.connect_names(&format!("source_{port}"), &format!("block.{port}"));
        }
        for (place, (port, spec)) in needed(ports.outputs) {
            let name = if place == 0 { "sink".to_owned() } else { format!("sink_{port}") };
            graph.add_any(name.clone(), sink(spec.item.name())?);
            graph.connect_names(&format!("block.{port}"), &name);
        }
        Ok(graph)
    }

    fn case(&self) -> anyhow::Result<Case> {
        let (mut all, mut own) = (Vec::new(), Vec::new());
        for _ in 0..self.repeat.repeat {
            let report = run_for(self.graph()?, &Single, &Options::default(), self.repeat.time())?;
            let block = report.block("block").context("it is in the report")?;
            let rate = rate_into(&report, if block.inputs.is_empty() { "sink" } else { "block" });
            ensure!(rate > 0.0, "nothing came through {} in {} s", self.block, self.repeat.seconds);
            all.push(rate);
            own.push(rate * report.elapsed.as_secs_f64() / block.busy.as_secs_f64());
        }
        let facts = json!({
            "block": self.block, "parameters": serde_json::from_str::<Json>(&self.parameters)?, "workers": 1,
        });
        let figures = vec![
            Figure::mega(RATE, "Mitems/s", all),
            Figure::mega(OWN_RATE, "Mitems/s in the block's own time", own),
        ];
        Ok(Case::new(self.block.clone(), facts, figures))
    }
}

/// Evenly distributed numbers from -1 to 1, the same in each run, others for each `seed`.
fn uniform(seed: usize) -> impl Iterator<Item = f32> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64.wrapping_mul(2 * seed as u64 + 1);
    std::iter::repeat_with(move || {
        // xorshift64, G. Marsaglia, Journal of Statistical Software 8, 2003.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    })
}

/// Gives noise of the type that `item` names.
fn source(item: &str, seed: usize, below: u8) -> anyhow::Result<AnyBlock> {
    let floats = || uniform(seed);
    let integers = || uniform(seed).map(move |x| ((x + 1.0) / 2.0 * f32::from(below)) as u8);
    macro_rules! table {
        ($items:expr) => {
            AnyBlock::new(VectorSource::new($items.take(TABLE).collect(), true)?)
        };
    }
    Ok(match item {
        "f32" => table!(floats()),
        "u8" => table!(integers()),
        "i8" => table!(integers().map(|x| x as i8)),
        "i16" => table!(integers().map(i16::from)),
        "i32" => table!(integers().map(i32::from)),
        "C32" => {
            let mut parts = floats();
            table!(std::iter::repeat_with(move || {
                C32::new(parts.next().unwrap_or(0.0), parts.next().unwrap_or(0.0))
            }))
        }
        _ => return Err(anyhow!("no noise is made of items {item}")),
    })
}

/// Takes items of the type that `item` names.
fn sink(item: &str) -> anyhow::Result<AnyBlock> {
    Ok(match item {
        "f32" => AnyBlock::new(NullSink::<f32>::new()),
        "u8" => AnyBlock::new(NullSink::<u8>::new()),
        "i8" => AnyBlock::new(NullSink::<i8>::new()),
        "i16" => AnyBlock::new(NullSink::<i16>::new()),
        "i32" => AnyBlock::new(NullSink::<i32>::new()),
        "C32" => AnyBlock::new(NullSink::<C32>::new()),
        _ => return Err(anyhow!("no sink takes items {item}")),
    })
}
