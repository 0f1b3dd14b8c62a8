//! Random graphs of blocks of the catalogue, with random parameters, run for a short time.
//!
//! Every stream comes from a `head` of a few thousand items, every output ends in a sink. A graph that does not end by
//! itself is stopped, then cancelled; one that goes on even then has a block that does not come back. Left out are blocks
//! that speak to the network (their bytes are targets of their own) and those that print to stdout.
//!
//! With `SUPERHET_SHOW=1` the graph is written to stderr before it runs, as a file for `superhet run`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use superhet::runtime::catalog::{Entry, Kind};
use superhet::runtime::{
    Adaptive, AnyBlock, Graph, Options, Pinned, RunError, RunningGraph, Scheduler, Single, Threads, Value,
    graph::PortList,
};

use crate::draw::Draw;
use crate::files::with_folder;
use crate::toml::registry;

/// The most blocks that are drawn; sources and sinks come on top.
const MOST_BLOCKS: usize = 6;
/// The most bytes that the ports of all blocks may want to see at once: a port alone may want a GiB.
const MOST_BYTES: usize = 32 << 20;
/// The most items of a stream where it begins.
const MOST_ITEMS: usize = 4096;
/// How long a graph may run by itself, and then after it was stopped.
const RUNS: Duration = Duration::from_millis(60);
/// How long a block may take to come back once the graph is cancelled, on a machine that has other things to do.
const COMES_BACK: Duration = Duration::from_secs(30);

/// What speaks to the network, or prints.
const LEFT_OUT: &[&str] = &[
    "zmq_",
    "udp_",
    "tcp_",
    "rtl_tcp_",
    "vita49_",
    "spyserver_",
    "soapy_",
    "audio_",
    "radio",
    "socket_pdu",
    "adsb_print",
];

/// Text that parameters take, and some that they should not.
const TEXTS: &[&str] = &[
    "packet_len",
    "x",
    "",
    "1011",
    "rx_time",
    "sin",
    "f32",
    "C32",
    "hamming",
    "2026-01-02T03:04:05Z",
    "a.b",
    "=a",
    "\u{1b}[2J",
    "ünï\0",
    "{",
];

/// Values in JSON: those that parameters of any kind take.
const VALUES: &[&str] = &[
    "0",
    "1",
    "-1",
    "0.5",
    "65535",
    "1e300",
    "true",
    "null",
    "\"x\"",
    "\"qpsk\"",
    "\"bpsk\"",
    "\"hamming\"",
    "[]",
    "[1, 0]",
    "[[1, -1]]",
    "[[1, 2], [3, 4]]",
    "[[0.5, 0.5], 1]",
    "{}",
    "{\"hex\": \"00ff\"}",
    "{\"f32\": [1, 0, 0.5]}",
    "{\"packet\": [{\"snr\": 1}, {\"hex\": \"010203\"}]}",
    "[{\"index\": 0, \"key\": \"packet_len\", \"value\": 3}]",
    "{\"points\": [[1, 0], [-1, 0]], \"rotational_symmetry\": 2}",
    "{\"kind\": \"convolutional\", \"frames\": \"streaming\"}",
    "{\"kind\": \"convolutional\", \"frames\": \"terminated\", \"frame_bits\": 16}",
    "{\"kind\": \"repetition\", \"repetitions\": 3}",
    "{\"kind\": \"dummy\"}",
    "{\"pairs\": [{\"a\": 1}, {\"hex\": \"00\"}]}",
    "{\"gain\": 2, \"at\": 10}",
    "\"\\u001b\"",
];

/// Builds the graph that the bytes stand for and runs it.
pub fn run(data: &[u8]) {
    let mut draw = Draw::new(data);
    let Some(drawn) = Drawn::new(&mut draw) else { return };
    if std::env::var_os("SUPERHET_SHOW").is_some() {
        eprintln!("{}", drawn.text);
    }
    let Ok(checked) = drawn.graph.check() else { return };
    let schedulers: [&dyn Scheduler; 4] = [&Single, &Threads, &Adaptive::workers(2), &Pinned::workers(2)];
    let scheduler = *draw.one(&schedulers);
    let seed = draw.once_in(2).then(|| draw.word());
    let options = Options { seed, in_place: !draw.once_in(4), ..Options::default() };
    let Ok(plan) = checked.plan(scheduler, &options) else { return };
    let Ok(running) = checked.start_by(&plan, scheduler, &options) else { return };
    end(running, &mut draw);
}

/// Sends a running graph some changes, and makes sure that it ends.
fn end(mut running: RunningGraph, draw: &mut Draw<'_>) {
    let control = running.control();
    let parameters = control.parameters();
    for _ in 0..4 {
        if parameters.is_empty() || !draw.once_in(2) {
            break;
        }
        let name = draw.one(&parameters);
        let _ = if draw.once_in(2) {
            control.set(name, value(Kind::Value, draw))
        } else {
            control.set(name, number(draw))
        };
    }
    let mut ended = running.wait_for(RUNS);
    if ended.is_none() {
        running.stop();
        ended = running.wait_for(RUNS);
    }
    if ended.is_none() {
        running.cancel();
        ended = running.wait_for(COMES_BACK);
    }
    match ended {
        None => panic!("a block has not come back {COMES_BACK:?} after the graph was cancelled"),
        Some(Err(error @ RunError::Panic { .. })) => panic!("{error}"),
        Some(_) => {}
    }
}

/// A graph, and the file that would be the same.
struct Drawn {
    graph: Graph,
    text: String,
    links: Vec<String>,
    /// Outputs that inputs can have, and their items.
    outputs: Vec<(String, &'static str)>,
    used: Vec<bool>,
    helpers: usize,
}

impl Drawn {
    fn new(draw: &mut Draw<'_>) -> Option<Self> {
        let mut drawn = Drawn {
            graph: Graph::new(),
            text: String::new(),
            links: Vec::new(),
            outputs: Vec::new(),
            used: Vec::new(),
            helpers: 0,
        };
        let (mut ports, mut bytes) = (Vec::new(), 0usize);
        for place in 0..=draw.below(MOST_BLOCKS) {
            let entry = draw.one(registry().entries());
            if LEFT_OUT.iter().any(|name| entry.name.starts_with(name)) {
                continue;
            }
            let name = format!("b{place}");
            let Some(list) = drawn.add(&name, entry, parameters(entry, draw)) else { continue };
            let specs = list.inputs.iter().chain(&list.outputs).map(|(_, spec)| spec);
            bytes = specs.fold(bytes, |bytes, spec| {
                let items = spec.needed().saturating_add(spec.history).saturating_add(spec.preload);
                bytes.saturating_add(items.max(spec.batch).saturating_mul(spec.item.size()))
            });
            let is_source = list.inputs.is_empty();
            for (port, spec) in &list.outputs {
                let output = format!("{name}.{port}");
                let output = if is_source { drawn.head(output, spec.item.name(), draw)? } else { output };
                drawn.outputs.push((output, spec.item.name()));
                drawn.used.push(false);
            }
            ports.push((name, list));
        }
        if ports.is_empty() || bytes > MOST_BYTES {
            return None;
        }
        for (name, list) in &ports {
            for (port, spec) in &list.inputs {
                if spec.optional && draw.once_in(2) {
                    continue;
                }
                drawn.feed(&format!("{name}.{port}"), spec.item.name(), draw)?;
            }
        }
        drawn.messages(&ports, draw);
        drawn.sinks()?;
        let links: String = drawn.links.iter().map(|link| format!("    \"{link}\",\n")).collect();
        drawn.text = format!("connections = [\n{links}]\n{}", drawn.text);
        Some(drawn)
    }

    /// Adds a block, where it takes its parameters.
    fn add(&mut self, name: &str, entry: &Entry, given: BTreeMap<String, Value>) -> Option<PortList> {
        let mut block: AnyBlock = entry.build(&given).ok()?;
        let list = PortList::of(&mut block);
        self.graph.add_any(name, block);
        // Writing to text cannot fail.
        let _ = write!(self.text, "\n[blocks.{name}]\ntype = \"{}\"\n", entry.name);
        for (param, value) in &given {
            let json = value.to_json();
            let text = match value {
                Value::Text(text) => toml::Value::String(text.replace("${", "$${")).to_string(),
                Value::Float(x) => toml::Value::Float(*x).to_string(),
                Value::Bool(_) | Value::Int(_) => json.to_string(),
                Value::List(list) if list.iter().all(|item| item.as_f64().is_some()) => {
                    let items =
                        list.iter().filter_map(Value::as_f64).map(|x| toml::Value::Float(x).to_string());
                    format!("[{}]", items.collect::<Vec<_>>().join(", "))
                }
                _ => toml::Value::String(json.to_string()).to_string(),
            };
            let _ = writeln!(self.text, "{param} = {text}");
        }
        Some(list)
    }

    fn helper(&mut self, kind: &str, given: BTreeMap<String, Value>) -> Option<String> {
        self.helpers += 1;
        let name = format!("{kind}{}", self.helpers);
        self.add(&name, registry().get(kind)?, given)?;
        Some(name)
    }

    fn link(&mut self, from: &str, to: &str) {
        self.graph.connect_names(from, to);
        self.links.push(format!("{from} -> {to}"));
    }

    /// The first items of an output.
    fn head(&mut self, output: String, item: &str, draw: &mut Draw<'_>) -> Option<String> {
        let count = 1 + draw.below(MOST_ITEMS);
        let given = [("item".to_owned(), item.into()), ("items".to_owned(), Value::Int(count as i64))];
        let head = self.helper("head", given.into())?;
        self.link(&output, &format!("{head}.in"));
        Some(format!("{head}.out"))
    }

    /// Connects an input to an output that is there, seldom one behind it, or to a source of its own.
    fn feed(&mut self, input: &str, item: &'static str, draw: &mut Draw<'_>) -> Option<()> {
        let block = input.split('.').next().unwrap_or_default();
        let is_before = |output: &str| {
            output.split('.').next().is_some_and(|name| name < block || !name.starts_with('b'))
        };
        let any = draw.once_in(24);
        let fits = |(place, (output, kind)): (usize, &(String, &'static str))| {
            (*kind == item && (any || is_before(output))).then_some(place)
        };
        let places: Vec<usize> = self.outputs.iter().enumerate().filter_map(fits).collect();
        if !places.is_empty() && !draw.once_in(4) {
            let place = *draw.one(&places);
            self.used[place] = true;
            let output = self.outputs[place].0.clone();
            self.link(&output, input);
            return Some(());
        }
        let values: Vec<Value> = match draw.below(8) {
            0 => (0..8).map(|_| number(draw)).collect(),
            _ => (0..32).map(|_| Value::Float(f64::from(draw.byte() & 1))).collect(),
        };
        let given = [("item", item.into()), ("values", values.into()), ("repeat", true.into())];
        let given = given.map(|(name, value): (&str, Value)| (name.to_owned(), value));
        // Some types have no source, and numbers that an item cannot be are refused.
        let source = self.helper("vector_source", given.into())?;
        let output = self.head(format!("{source}.out"), item, draw)?;
        self.link(&output, input);
        Some(())
    }

    /// Connects message ports.
    fn messages(&mut self, ports: &[(String, PortList)], draw: &mut Draw<'_>) {
        let named = |name: &str, port: &str| format!("{name}.{port}");
        let outputs: Vec<String> = ports
            .iter()
            .flat_map(|(name, list)| list.message_outputs.iter().map(|(port, _)| named(name, port)))
            .collect();
        for (name, list) in ports {
            for (port, _) in &list.message_inputs {
                if !outputs.is_empty() && draw.once_in(2) {
                    let output = draw.one(&outputs).clone();
                    self.link(&output, &named(name, port));
                }
            }
        }
    }

    fn sinks(&mut self) -> Option<()> {
        let unused = self.outputs.iter().zip(&self.used).filter(|(_, used)| !**used);
        let unused: Vec<(String, &'static str)> = unused.map(|(output, _)| output.clone()).collect();
        for (output, item) in unused {
            let sink = self.helper("null_sink", [("item".to_owned(), item.into())].into())?;
            self.link(&output, &format!("{sink}.in"));
        }
        Some(())
    }
}

fn parameters(entry: &Entry, draw: &mut Draw<'_>) -> BTreeMap<String, Value> {
    let mut given = BTreeMap::new();
    for param in entry.params {
        // Other devices than the one that is always there are not the matter here.
        let stays = param.name == "device" || (param.default.is_some() && !draw.once_in(2));
        // Without a path of its own a block prints to stdout.
        if !stays || param.kind == Kind::Path {
            given.insert(param.name.to_owned(), value(param.kind, draw));
        }
    }
    given
}

fn value(kind: Kind, draw: &mut Draw<'_>) -> Value {
    match kind {
        Kind::Float(low, high) => {
            let number = number(draw).as_f64().unwrap_or(0.0);
            Value::Float(if number.is_nan() || draw.byte() == 0 { number } else { number.clamp(low, high) })
        }
        Kind::Integer(low, high) => Value::Int(whole(draw).clamp(low, high)),
        Kind::Bool => draw.once_in(2).into(),
        Kind::Text => (*draw.one(TEXTS)).into(),
        Kind::Choice(words) => (*draw.one(words)).into(),
        Kind::Path => {
            let name = *draw.one(&["a.wav", "b.cf32", "c.sigmf-meta", "d", "no/e", "f.pcap"]);
            with_folder(|folder| folder.path(name).to_string_lossy().into_owned().into())
        }
        Kind::Numbers => {
            let length = draw.below(40);
            (0..length).map(|_| number(draw)).collect::<Vec<_>>().into()
        }
        Kind::Value => {
            let text: &&str = draw.one(VALUES);
            let json = serde_json::from_str(text);
            json.map_or(Value::Null, |json| Value::from_json(&json))
        }
    }
}

fn whole(draw: &mut Draw<'_>) -> i64 {
    match draw.below(8) {
        0 => *draw.one(&[0, -1, 1 << 12, 1 << 16, 1 << 24, 1 << 31, i64::MAX, i64::MIN]),
        1 => draw.word() as i64,
        2 | 3 => i64::from(draw.byte()),
        _ => draw.below(9) as i64,
    }
}

fn number(draw: &mut Draw<'_>) -> Value {
    let odd = [0.0, -0.0, 1e-300, 1e300, -1.0, 5e-324, f64::MAX, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    match draw.below(8) {
        0 => (*draw.one(&odd)).into(),
        1 => f64::from_bits(draw.word()).into(),
        2 => whole(draw).into(),
        3 => (48e3 * f64::from(draw.byte())).into(),
        4 => (f64::from(draw.byte()) / 256.0).into(),
        _ => f64::from(draw.below(9) as u8).into(),
    }
}
