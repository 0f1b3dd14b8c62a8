//! How fast a stream goes from one graph to another, over loopback or through shared memory, beside TCP alone, and how long chunks take.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{anyhow, bail};
use clap::{Args, ValueEnum};
use rustix::time::{ClockId, clock_gettime};
use serde_json::json;
use superhet::blocks::sinks::NullSink;
use superhet::blocks::sources::NullSource;
use superhet::io::C32;
use superhet::io::blocks::{LinkSink, LinkSinkSettings, LinkSource, LinkSourceSettings};
use superhet_runtime::{AnyBlock, CheckedGraph, Graph, Item, Threads};

use super::blocks::{PacedSource, StampingSink, Stamps};
use super::measure::Repeat;
use super::output::{Case, Figure, Output};
use super::plot::{self, Axes};
use super::stats::Stats;
use superhet_terminal::settings::Settings;
use superhet_terminal::usage::Usage;

/// `superhet bench link`
#[derive(Args, Debug)]
pub struct Link {
    /// Chunks of 64 KiB a second where their delay is measured
    #[arg(long, value_name = "CHUNKS/S", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    chunks: u32,
    /// What the link goes over; more than one as tcp,shm, by turns
    #[arg(long, value_name = "TRANSPORT", value_enum, value_delimiter = ',', default_value = "tcp")]
    transport: Vec<Transport>,
    #[command(flatten)]
    settings: Settings,
    #[command(flatten)]
    repeat: Repeat,
    #[command(flatten)]
    output: Output,
}

/// What a link goes over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Transport {
    /// TCP over loopback
    Tcp,
    /// Memory that both sides share
    Shm,
    /// Zenoh, in the command superhet-zenoh
    Zenoh,
}

impl Transport {
    /// Both ends of a link that no other uses.
    fn ends<T: Item>(self) -> anyhow::Result<(AnyBlock, AnyBlock)> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let name = format!("bench-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let place = match self {
            Transport::Tcp => "tcp://127.0.0.1:0".to_owned(),
            Transport::Shm => format!("shm://{name}"),
            Transport::Zenoh => return zenoh::<T>(&name),
        };
        let sink = LinkSink::<T>::new(&place, LinkSinkSettings::default())?.open()?;
        let place = sink.local_addr().map_or(place, |address| format!("tcp://{address}"));
        let source = LinkSource::<T>::new(&place, LinkSourceSettings::default())?;
        Ok((AnyBlock::new(sink), AnyBlock::new(source)))
    }

    fn name(self) -> &'static str {
        match self {
            Transport::Tcp => "tcp",
            Transport::Shm => "shm",
            Transport::Zenoh => "zenoh",
        }
    }
}

/// Bytes of a chunk, and of what TCP alone sends at once.
const CHUNK: usize = 1 << 16;
/// How long a graph has to end.
const END: Duration = Duration::from_secs(10);

impl Link {
    pub fn run(self) -> anyhow::Result<()> {
        let mut tcp = Measured::default();
        let mut links: Vec<(Transport, Measured)> =
            self.transport.iter().map(|transport| (*transport, Measured::default())).collect();
        // By turns, so that all of them have the same machine.
        for _ in 0..self.repeat.repeat {
            tcp.add(tcp_alone(self.repeat.time())?, &self.tcp_delays()?);
            for (transport, measured) in &mut links {
                measured.add(self.through_link(*transport)?, &self.delays(*transport)?);
            }
        }
        let mut cases = vec![tcp.case("TCP alone", json!({ "what": "tcp", "chunk_bytes": CHUNK }))];
        cases.extend(links.into_iter().map(|(transport, measured)| {
            let name = transport.name();
            let parameters =
                json!({ "what": "link", "transport": name, "item": "C32", "chunk_bytes": CHUNK });
            measured.case(&format!("link, {name}, C32"), parameters)
        }));
        self.output.give("link", self.repeat.repeat, &cases, || {
            plot::bars(&Axes { title: "From one graph to another", x: "what", y: "GB/s" }, &cases, &["rate"])
        })
    }

    fn start(&self, graph: CheckedGraph) -> anyhow::Result<superhet_runtime::RunningGraph> {
        Ok(graph.start(&Threads, &self.settings.options())?)
    }

    /// Bytes, their time, and that of the processor.
    fn through_link(&self, transport: Transport) -> anyhow::Result<(f64, f64, f64)> {
        let (sink, source) = transport.ends::<C32>()?;
        let mut graph = Graph::new();
        graph.add("zeros", NullSource::<C32>::new());
        graph.add_any("sink", sink);
        graph.connect_names("zeros", "sink");
        let sender = self.start(graph.check()?)?;
        let mut graph = Graph::new();
        graph.add_any("source", source);
        graph.add("null", NullSink::<C32>::new());
        graph.connect_names("source", "null");
        let reader = self.start(graph.check()?)?;
        let items = || reader.metrics().block("null").map_or(0, |block| block.inputs[0].items);
        let start = Instant::now();
        while items() == 0 && start.elapsed() < END {
            std::thread::sleep(Duration::from_millis(1));
        }
        let (before, start, busy) = (items(), Instant::now(), processor_time());
        std::thread::sleep(self.repeat.time());
        while items() == before && start.elapsed() < END {
            std::thread::sleep(Duration::from_millis(1));
        }
        let (bytes, seconds) =
            ((items() - before) as f64 * size_of::<C32>() as f64, start.elapsed().as_secs_f64());
        let busy = processor_time() - busy;
        reader.stop_within(END)?;
        sender.stop_within(END)?;
        Ok((bytes, seconds, busy))
    }

    /// How many chunks are sent where their delay is measured.
    fn chunks_to_time(&self) -> usize {
        (f64::from(self.chunks) * self.repeat.seconds).ceil().max(10.0) as usize
    }

    /// How long chunks take from one thread to another over TCP, in microseconds.
    fn tcp_delays(&self) -> anyhow::Result<Stats> {
        let (mut sender, reader) = tcp_pair()?;
        let (chunks, period) = (self.chunks_to_time(), Duration::from_secs(1) / self.chunks);
        let start = Instant::now();
        std::thread::scope(|scope| {
            let sent = scope.spawn(move || -> std::io::Result<Vec<Instant>> {
                let (chunk, mut sent) = (vec![0; CHUNK], Vec::with_capacity(chunks));
                for number in 0..chunks as u32 {
                    std::thread::sleep((start + period * number).saturating_duration_since(Instant::now()));
                    sent.push(Instant::now());
                    sender.write_all(&chunk)?;
                }
                Ok(sent)
            });
            // An error closes it, which ends the other thread.
            let mut reader = reader;
            let (mut chunk, mut came) = (vec![0; CHUNK], Vec::with_capacity(chunks));
            for _ in 0..chunks {
                reader.read_exact(&mut chunk)?;
                came.push(Instant::now());
            }
            let sent = sent.join().map_err(|_| anyhow!("the thread that sends has panicked"))??;
            let delays = came.iter().zip(sent).map(|(came, sent)| (*came - sent).as_secs_f64() * 1e6);
            Ok(Stats::new(delays.skip(chunks / 10).collect()))
        })
    }

    /// How long chunks take from a source in one graph to a sink in another, in microseconds.
    fn delays(&self, transport: Transport) -> anyhow::Result<Stats> {
        let items = CHUNK / size_of::<f32>();
        let chunks = self.chunks_to_time();
        let (sink, source) = transport.ends::<f32>()?;
        let stamps = Arc::new(Stamps::new(chunks, items, f64::from(self.chunks) * items as f64));
        let mut graph = Graph::new();
        graph.add_any("source", source);
        graph.add("end", StampingSink::new(stamps.clone()));
        graph.connect_names("source", "end");
        let reader = self.start(graph.check()?)?;
        let mut graph = Graph::new();
        graph.add("paced", PacedSource::new(stamps.clone(), true));
        graph.add_any("sink", sink);
        graph.connect_names("paced", "sink");
        let sender = self.start(graph.check()?)?;
        sender.wait()?;
        reader.wait()?;
        // At first, the reader has to come.
        Ok(Stats::new(stamps.delays_us().skip(chunks / 10).map(|(_, delay)| delay).collect()))
    }
}

/// Both ends of a link over Zenoh, whose blocks another crate brings.
fn zenoh<T: Item>(key: &str) -> anyhow::Result<(AnyBlock, AnyBlock)> {
    let registry = superhet::registry();
    let make = |name| {
        let Some(entry) = registry.get(name) else {
            bail!(Usage(format!("this build has no {name}, expected the command superhet-zenoh")));
        };
        let params = [("key".to_owned(), key.into()), ("item".to_owned(), T::NAME.into())];
        entry.build(&params.into()).map_err(|errors| match errors.into_iter().next() {
            Some(error) => anyhow::Error::from(error),
            None => anyhow!("{name} cannot be made"),
        })
    };
    Ok((make("zenoh_sink")?, make("zenoh_source")?))
}

/// Both ends of a connection over loopback.
fn tcp_pair() -> std::io::Result<(TcpStream, TcpStream)> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let sender = TcpStream::connect(listener.local_addr()?)?;
    sender.set_nodelay(true)?;
    Ok((sender, listener.accept()?.0))
}

/// Bytes from one thread to another for so long, their time, and that of the processor.
fn tcp_alone(time: Duration) -> anyhow::Result<(f64, f64, f64)> {
    let (mut sender, mut reader) = tcp_pair()?;
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let chunk = vec![0; CHUNK];
            // It ends with an error where the reader has gone.
            let mut has_gone = false;
            while !stop.load(Ordering::Relaxed) && !has_gone {
                has_gone = sender.write_all(&chunk).is_err();
            }
            drop(sender);
        });
        let (mut chunk, mut bytes) = (vec![0; CHUNK], 0);
        let (start, busy) = (Instant::now(), processor_time());
        while start.elapsed() < time || bytes == 0 {
            bytes += reader.read(&mut chunk)?;
        }
        let (seconds, busy) = (start.elapsed().as_secs_f64(), processor_time() - busy);
        stop.store(true, Ordering::Relaxed);
        drop(reader);
        Ok((bytes as f64, seconds, busy))
    })
}

/// Seconds that the process has kept processors busy.
fn processor_time() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// What was measured in each repetition.
#[derive(Default)]
struct Measured {
    rates: Vec<f64>,
    seconds_per_gigasample: Vec<f64>,
    p50: Vec<f64>,
    p99: Vec<f64>,
}

impl Measured {
    fn add(&mut self, (bytes, seconds, busy): (f64, f64, f64), delays: &Stats) {
        self.rates.push(bytes / seconds);
        self.seconds_per_gigasample.push(busy / (bytes / size_of::<C32>() as f64 / 1e9));
        self.p50.push(delays.median());
        self.p99.push(delays.quantile(0.99));
    }

    fn case(self, name: &str, parameters: serde_json::Value) -> Case {
        let (cost, delay) = ("s of processors for 10^9 C32", "us for a chunk of 64 KiB");
        let figures = vec![
            Figure::giga("rate", "GB/s", self.rates),
            Figure::new("cpu_s", cost, self.seconds_per_gigasample),
            Figure::new("p50_us", delay, self.p50),
            Figure::new("p99_us", delay, self.p99),
        ];
        Case::new(name, parameters, figures)
    }
}
