//! Copies on a device: samples that go there and back at every block, or once.
//!
//! ```text
//! source -> N x copy on the device -> head -> sink that compares every item
//! ```
//!
//! | case | the copies |
//! |---|---|
//! | A | blocks of the host: each copies there from ordinary memory, waits, copies on the device, waits, copies back, waits |
//! | B | blocks of a device each: there and back for each, but from and to pinned memory, nobody waits, everything overlaps |
//! | C | blocks of one device: there and back once |
//! | D | as C, by a loop without graph, blocks or scheduler: what could be at best with one thread |
//!
//! Where the driver captures, B, C and D replay the copies of whole batches; with `--no-capture` they enqueue each. Where it
//! copies from and to the memory of the host's streams, B and C have it do so; with `--no-lending` all goes through
//! staging memory. D makes and compares the items in pinned memory where the host reaches that.

mod by_hand;
mod double_copy;
mod machine;
mod overlap;
mod pattern;
mod shared;
mod soak;
mod stamps;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use anyhow::{anyhow, bail};
use clap::{Args, ValueEnum};
use serde_json::json;
use superhet_blocks::flow::Head;
use superhet_device::blocks::Loopback;
use superhet_device::{Backend, Counters, Device, Settings as DeviceSettings, Sim};
use superhet_runtime::{
    Adaptive, Block, BlockError, C32, Context, Graph, In, Options, Out, Step, Work, port::OutRef,
};

use super::measure::Repeat;
use super::output::{Case, Figure, Output};
use super::plot::{self, Axes, Line};
use super::soak::parse_minutes;
use double_copy::DoubleCopy;
use machine::Machine;
use overlap::Overlap;
use pattern::{fill, wrong};
use shared::lock;
use stamps::Stamps;

/// `superhet bench device`
#[derive(Args, Debug)]
pub struct DeviceBench {
    /// The driver
    #[arg(long, value_enum, default_value_t = Driver::Sim)]
    backend: Driver,
    /// Copies one behind the other
    #[arg(long, value_delimiter = ',', default_value = "1,2,4,16", value_parser = clap::value_parser!(u32).range(1..=256))]
    blocks: Vec<u32>,
    /// Complex samples of a batch
    #[arg(long, value_delimiter = ',', default_value = "1024,8192,65536", value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
    batch: Vec<u32>,
    /// Which cases: A to D, see the documentation of the bench
    #[arg(long, value_delimiter = ',', default_value = "a,b,c,d")]
    cases: Vec<Way>,
    /// Batches of a stream that are on their way at most
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(2..=64))]
    depth: u32,
    /// Enqueue everything one by one, also where the driver could capture and replay it
    #[arg(long)]
    no_capture: bool,
    /// Copy through staging memory, also where the driver could copy from and to the memory of the host's streams
    #[arg(long)]
    no_lending: bool,
    /// Instead of all else, run the most blocks of case C with the largest batch for so many minutes, and compare memory
    #[arg(long, value_name = "MINUTES", value_parser = parse_minutes)]
    soak: Option<f64>,
    #[command(flatten)]
    repeat: Repeat,
    #[command(flatten)]
    output: Output,
}

/// The drivers that this program was built with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Driver {
    /// The simulated device: what is counted is real, time is not
    Sim,
    /// The first OpenCL device
    #[cfg(feature = "opencl")]
    Opencl,
    /// The first device that wgpu finds
    #[cfg(feature = "wgpu")]
    Wgpu,
    /// The first CUDA device
    #[cfg(feature = "cuda")]
    Cuda,
}

/// How the copies are done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Way {
    /// There and back in each block, waiting each time
    A,
    /// There and back for each block, without waiting
    B,
    /// There once, back once
    C,
    /// As C, by hand
    D,
}

impl Way {
    fn letter(self) -> &'static str {
        match self {
            Way::A => "A",
            Way::B => "B",
            Way::C => "C",
            Way::D => "D",
        }
    }
}

/// Fewer batches than this say little.
const LEAST_BATCHES: u64 = 24;

impl DeviceBench {
    pub fn run(self) -> anyhow::Result<()> {
        match self.backend {
            Driver::Sim => self.run_on(Sim::new().with_capture().with_lending()),
            #[cfg(feature = "opencl")]
            Driver::Opencl => self.run_on(superhet_device::opencl::OpenCl::open(0)?),
            #[cfg(feature = "wgpu")]
            Driver::Wgpu => self.run_on(superhet_device::wgpu::Wgpu::open(0)?),
            #[cfg(feature = "cuda")]
            Driver::Cuda => self.run_on(superhet_device::cuda::Cuda::open(0)?),
        }
    }

    fn run_on<B: Backend>(&self, backend: B) -> anyhow::Result<()> {
        let backend = Arc::new(backend);
        if let Some(minutes) = self.soak {
            return self.soak(&backend, minutes);
        }
        let mut cases = vec![self.machine(&*backend)?, self.overlap(&*backend)?];
        for &batch in &self.batch {
            for &blocks in &self.blocks {
                cases.extend(self.cases(&backend, batch as usize, blocks as usize)?);
            }
        }
        self.output.give("device", self.repeat.repeat, &cases, || self.draw(&cases))
    }

    /// All ways of one setting, in turns.
    fn cases<B: Backend>(&self, backend: &Arc<B>, batch: usize, blocks: usize) -> anyhow::Result<Vec<Case>> {
        let mut runs: Vec<Vec<Run>> = self.cases.iter().map(|_| Vec::new()).collect();
        let measure = |way: Way, batches: u64| self.measure(backend, way, batch, blocks, batches);
        let mut batches = Vec::new();
        for &way in &self.cases {
            let first = measure(way, LEAST_BATCHES)?;
            let wanted = self.repeat.seconds / first.seconds_per_batch.max(1e-9);
            batches.push((wanted as u64).clamp(LEAST_BATCHES, 1 << 20));
        }
        for _ in 0..self.repeat.repeat {
            for ((runs, &way), &batches) in runs.iter_mut().zip(&self.cases).zip(&batches) {
                runs.push(measure(way, batches)?);
            }
        }
        let cases = self.cases.iter().zip(&runs).map(|(way, runs)| {
            let all = |get: fn(&Run) -> f64| runs.iter().map(get).collect::<Vec<f64>>();
            let figures = vec![
                Figure::new("us_per_batch", "us", all(|run| run.seconds_per_batch * 1e6)),
                Figure::new(
                    "gb_per_s",
                    "GB/s, there and back",
                    all(|run| run.bytes_per_batch / run.seconds_per_batch * 1e-9),
                ),
                Figure::new("transfers_per_batch", "there and back", all(|run| run.transfers_per_batch)),
                Figure::new("bytes_per_batch", "bytes, there and back", all(|run| run.bytes_per_batch)),
                Figure::new("host_waits_per_batch", "", all(|run| run.host_waits_per_batch)),
                Figure::new("replays_per_batch", "", all(|run| run.replays_per_batch)),
                Figure::new("latency_p50_us", "us from source to sink", all(|run| run.latency[0] * 1e6)),
                Figure::new("latency_p99_us", "us", all(|run| run.latency[1] * 1e6)),
            ];
            let checksum_ok = runs.iter().all(|run| run.wrong == 0);
            let facts = json!({
                "case": way.letter(), "blocks": blocks, "batch": batch, "backend": backend.name(),
                "checksum_ok": checksum_ok,
            });
            Case::new(format!("{} {blocks} x {batch}", way.letter()), facts, figures)
        });
        let cases: Vec<Case> = cases.collect();
        if let Some(case) = cases.iter().find(|case| case.facts["checksum_ok"] != true) {
            bail!("{}: wrong items came through", case.label);
        }
        Ok(cases)
    }

    fn measure<B: Backend>(
        &self,
        backend: &Arc<B>,
        way: Way,
        batch: usize,
        blocks: usize,
        batches: u64,
    ) -> anyhow::Result<Run> {
        if way == Way::D {
            return self.by_hand(&**backend, batch, blocks, batches).map_err(|error| anyhow!("{error}"));
        }
        let stamps = Arc::new(Stamps::new(batch));
        let items = batches * batch as u64;
        let Chain { graph, all_counters, found, .. } = self.chain(backend, way, blocks, items, &stamps)?;
        graph.check()?.start(&Adaptive::new(), &Options::default())?.wait()?;
        let (taken, wrong) = *lock(&found);
        if taken != items {
            bail!("{taken} items came through, {items} were to");
        }
        let count = |get: fn(&Counters) -> u64| all_counters.iter().map(|c| get(c)).sum::<u64>() as f64;
        // What the source has given beyond the head's items was moved, too.
        let sent_batches =
            count(|c| c.uploaded_bytes.get()) / all_counters.len() as f64 / (8.0 * batch as f64);
        let (seconds_per_batch, latency) = stamps.evaluate();
        Ok(Run {
            seconds_per_batch,
            latency,
            wrong,
            transfers_per_batch: count(|c| c.uploads.get() + c.downloads.get()) / sent_batches,
            bytes_per_batch: count(|c| c.uploaded_bytes.get() + c.downloaded_bytes.get()) / sent_batches,
            host_waits_per_batch: count(|c| c.host_waits.get()) / sent_batches,
            replays_per_batch: count(|c| c.replays.get()) / sent_batches,
        })
    }

    /// The graph of a case, which ends after `items` items or when it is stopped.
    fn chain<B: Backend>(
        &self,
        backend: &Arc<B>,
        way: Way,
        blocks: usize,
        items: u64,
        stamps: &Arc<Stamps>,
    ) -> anyhow::Result<Chain> {
        let batch = stamps.batch;
        let settings = DeviceSettings { batch, depth: self.depth as usize };
        let mut device = Device::of(backend.clone(), settings);
        if self.no_capture {
            device = device.without_capture();
        }
        if self.no_lending {
            device = device.without_lending();
        }
        let end = Arc::new(AtomicBool::new(false));
        let mut graph = Graph::new();
        let source = Pattern {
            output: Out::new().batch(batch),
            given: 0,
            stamps: stamps.clone(),
            end: Arc::clone(&end),
        };
        let source = graph.add("source", source);
        let mut last: OutRef<C32> = source.output;
        let mut all_counters: Vec<Arc<Counters>> = Vec::new();
        for number in 0..blocks {
            let name = format!("copy{number}");
            last = match way {
                Way::A => {
                    let (block, counters) = DoubleCopy::new(backend.clone(), batch)?;
                    all_counters.push(counters);
                    let block = graph.add(name, block);
                    graph.connect(last, block.input);
                    block.output
                }
                _ => {
                    let device = if way == Way::B { device.apart() } else { device.clone() };
                    if way == Way::B || number == 0 {
                        all_counters.push(device.counters());
                    }
                    let block = graph.add(name, device.block(Loopback::<C32>::new()));
                    graph.connect(last, block.input);
                    block.output
                }
            };
        }
        let head = graph.add("head", Head::<C32>::new(items));
        let found = Arc::new(Mutex::new((0, 0)));
        let sink = graph.add(
            "sink",
            Compare {
                input: In::new().batch(batch),
                taken: 0,
                wrong: 0,
                found: found.clone(),
                stamps: stamps.clone(),
            },
        );
        graph.connect(last, head.input);
        graph.connect(head.output, sink.input);
        Ok(Chain { graph, all_counters, found, end })
    }

    /// What the machine can do: transfers of the largest batch, alone and both at once; launches and waits.
    fn machine<B: Backend>(&self, backend: &B) -> anyhow::Result<Case> {
        let bytes = self.largest_bytes();
        let runs = (0..self.repeat.repeat).map(|_| Machine::measure(backend, bytes));
        let runs = runs.collect::<Result<Vec<_>, B::Error>>().map_err(|error| anyhow!("{error}"))?;
        let all = |get: fn(&Machine) -> f64| runs.iter().map(get).collect::<Vec<f64>>();
        let mut figures = vec![
            Figure::new("upload_gb_per_s", "GB/s", all(|m| m.upload)),
            Figure::new("download_gb_per_s", "GB/s", all(|m| m.download)),
            Figure::new("both_gb_per_s", "GB/s, both ways together", all(|m| m.both)),
            Figure::new("copy_us", "us to enqueue a copy on the device", all(|m| m.enqueue)),
            Figure::new("wait_us", "us from the end of a tiny copy until the host knows", all(|m| m.wait)),
        ];
        let facts = json!({ "case": "machine", "backend": backend.name(), "device": backend.describe(), "bytes": bytes });
        if runs.iter().all(|machine| machine.node.is_some()) {
            let node = all(|m| m.node.unwrap_or_default());
            figures.push(Figure::new("node_us", "us for a tiny copy among others that are replayed", node));
        }
        Ok(Case::new(format!("{} ({bytes} bytes)", backend.name()), facts, figures))
    }

    /// Whether transfers both ways and kernels happen at once.
    fn overlap<B: Backend>(&self, backend: &B) -> anyhow::Result<Case> {
        let bytes = self.largest_bytes();
        let runs = (0..self.repeat.repeat).map(|_| Overlap::measure(backend, bytes));
        let runs = runs.collect::<Result<Vec<_>, B::Error>>().map_err(|error| anyhow!("{error}"))?;
        let all = |get: fn(&Overlap) -> f64| runs.iter().map(get).collect::<Vec<f64>>();
        let mut figures = vec![
            Figure::new("upload_us", "us for a batch", all(|o| o.upload)),
            Figure::new("kernels_us", "us for kernels that take about as long", all(|o| o.kernels)),
            Figure::new("download_us", "us for a batch", all(|o| o.download)),
            Figure::new("together_us", "us for all three in a stream each", all(|o| o.together)),
        ];
        if let Some(ratios) = runs.iter().map(Overlap::at_once).collect::<Option<Vec<_>>>() {
            figures.push(Figure::new("at_once", "of the longest's time; 1 if nothing waits", ratios));
        }
        let clock = if backend.timing().is_some() { "device" } else { "host" };
        let facts = json!({ "case": "overlap", "backend": backend.name(), "bytes": bytes, "clock": clock });
        Ok(Case::new(format!("overlap ({bytes} bytes)"), facts, figures))
    }

    /// The bytes of the largest batch.
    fn largest_bytes(&self) -> usize {
        8 * self.batch.iter().copied().max().unwrap_or(1024) as usize
    }

    fn draw(&self, cases: &[Case]) -> anyhow::Result<String> {
        let batch = self.batch.iter().copied().max().unwrap_or(0);
        let names =
            ["A: there and back in each block", "B: pinned, nobody waits", "C: on the device", "D: by hand"];
        let lines = self.cases.iter().map(|way| {
            let is_of = |case: &&Case| case.facts["case"] == way.letter() && case.facts["batch"] == batch;
            let point = |case: &Case| {
                let blocks = case.facts["blocks"].as_f64().unwrap_or(0.0);
                (blocks, case.figure("us_per_batch").map_or(0.0, |figure| figure.shown()[0]))
            };
            let points = cases.iter().filter(is_of).map(point).collect();
            Line { name: names[*way as usize], points, ideal: *way == Way::D }
        });
        let title = format!("Copies on a device, batches of {batch} samples");
        let axes = Axes { title: &title, x: "blocks", y: "us for a batch" };
        plot::lines(&axes, &lines.collect::<Vec<_>>())
    }
}

/// A graph of a case, and its counters.
struct Chain {
    graph: Graph,
    /// Of each device.
    all_counters: Vec<Arc<Counters>>,
    /// Items that came, and how many of them were wrong.
    found: Arc<Mutex<(u64, u64)>>,
    /// Ends the source.
    end: Arc<AtomicBool>,
}

/// What one run has shown.
#[derive(Debug)]
struct Run {
    seconds_per_batch: f64,
    /// Seconds, median and 99 %.
    latency: [f64; 2],
    wrong: u64,
    transfers_per_batch: f64,
    bytes_per_batch: f64,
    host_waits_per_batch: f64,
    replays_per_batch: f64,
}

/// The stream that is sent.
#[derive(Block)]
struct Pattern {
    #[port("out")]
    output: Out<C32>,
    given: u64,
    stamps: Arc<Stamps>,
    end: Arc<AtomicBool>,
}

impl Work for Pattern {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let room = self.output.reserve();
        let n = room.len().min(self.stamps.batch);
        fill(self.given, &mut room[..n]);
        self.stamps.note(&self.stamps.left, self.given, self.given + n as u64);
        self.given += n as u64;
        self.output.produce(n);
        Ok(if self.end.load(Ordering::Relaxed) { Step::Done } else { Step::Ran })
    }
}

/// Compares what has come with what was sent.
#[derive(Block)]
struct Compare {
    #[port("in")]
    input: In<C32>,
    taken: u64,
    wrong: u64,
    /// Items, and how many of them were wrong.
    found: Arc<Mutex<(u64, u64)>>,
    stamps: Arc<Stamps>,
}

impl Work for Compare {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let items = self.input.peek();
        let n = items.len();
        self.wrong += wrong(self.taken, items);
        self.stamps.note(&self.stamps.came, self.taken, self.taken + n as u64);
        self.taken += n as u64;
        self.input.consume(n);
        *lock(&self.found) = (self.taken, self.wrong);
        Ok(if n == 0 { Step::NeedInput } else { Step::Ran })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    pub struct Arguments {
        #[command(flatten)]
        pub device: DeviceBench,
    }

    #[test]
    fn every_way_moves_what_it_says() {
        let arguments =
            ["device", "--batch", "256", "--blocks", "1,3", "--repeat", "1", "--seconds", "0.001"];
        let bench = Arguments::parse_from(arguments).device;
        for (blocks, lends) in [(1, false), (1, true), (3, false), (3, true)] {
            let sim = Sim::new().with_capture();
            let backend = Arc::new(if lends { sim.with_lending() } else { sim });
            let cases = bench.cases(&backend, 256, blocks).unwrap();
            let figure = |case: &Case, name| case.figure(name).unwrap().stats.median();
            let [a, b, c, d] = &cases[..] else { panic!("{} cases", cases.len()) };
            for case in [a, b, c, d] {
                assert_eq!(case.facts["checksum_ok"], true, "{case:?}");
            }
            assert_eq!(figure(d, "bytes_per_batch"), 2.0 * 8.0 * 256.0);
            // The last batches of the others may still be on their way when the sink has enough.
            for (case, times) in [(a, blocks), (b, blocks), (c, 1)] {
                let all = figure(case, "bytes_per_batch") / (2.0 * 8.0 * 256.0);
                assert!((all - times as f64).abs() < 0.5, "{all} instead of {times}");
            }
            assert!(figure(c, "host_waits_per_batch") <= 2.0);
            // All but the first batches are replayed.
            for case in [b, c, d] {
                assert!(figure(case, "replays_per_batch") > 0.5, "{case:?}");
            }
            assert_eq!(figure(a, "replays_per_batch"), 0.0);
        }
    }
}
