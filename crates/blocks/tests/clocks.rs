//! What the tags say behind every block of the library: the rate, the centre frequency and the time of its output, against
//! arithmetic.

mod usual;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use superhet_blocks::ENTRIES;
use superhet_runtime::catalog::{Entry, Kind};
use superhet_runtime::{
    AnyBlock, Block, BlockError, C32, C64, Context, Graph, In, Item, Moment, Options, Out, PortList, Single, Step,
    StreamClock, Value, Work,
};
use usual::{Given, usual_params};

/// How many items go in where the clock is looked at: a multiple of what any block takes at once.
const MANY: usize = 720_720 / 10;
/// How many items go in where the end is looked at: a multiple of nothing.
const PRIME: usize = 997;
/// Items of a packet, for blocks that want packets.
const PACKET: usize = 24;
const RATE_HZ: f64 = 1e6;
const CENTRE_HZ: f64 = 100e6;
const START: Moment = Moment { seconds: 1000, fraction: 0.5 };

/// Gives items in packets, and says with the first of them their rate, their centre and their time.
#[derive(Block)]
struct Source<T: Item> {
    #[port("out")]
    output: Out<T>,
    one: T,
    items: usize,
    given: usize,
}

impl<T: Item> Source<T> {
    fn new(one: T, items: usize) -> Self {
        Source { output: Out::new(), one, items, given: 0 }
    }
}

impl<T: Item> Work for Source<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        if self.given == 0 {
            // In any order.
            self.output.tag(0, "rx_freq", CENTRE_HZ);
            self.output.tag(0, "rx_rate", RATE_HZ);
            let time = [Value::Uint(START.seconds as u64), START.fraction.into()];
            self.output.tag(0, "rx_time", Value::Tuple(time.into()));
        }
        let room = self.output.room();
        let n = room.min(self.items - self.given);
        for place in (0..n).filter(|place| (self.given + place).is_multiple_of(PACKET)) {
            self.output.tag(place, "packet_len", PACKET.min(self.items - self.given - place));
        }
        let room = self.output.reserve();
        room[..n].fill(self.one);
        self.given += n;
        self.output.produce(n);
        Ok(if self.given == self.items { Step::Done } else { Step::Ran })
    }
}

/// What came out of a port.
#[derive(Clone, Debug, Default)]
struct Seen {
    items: u64,
    clock: StreamClock,
}

/// Keeps a clock by the tags that it gets.
#[derive(Block)]
struct Sink<T: Item> {
    #[port("in")]
    input: In<T>,
    seen: Arc<Mutex<Seen>>,
}

impl<T: Item> Work for Sink<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let mut seen = self.seen.lock().unwrap();
        self.input.tags().iter().for_each(|tag| seen.clock.note(tag));
        seen.items += self.input.available() as u64;
        self.input.consume(self.input.available());
        Ok(Step::Ran)
    }
    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let mut seen = self.seen.lock().unwrap();
        self.input.tags().iter().for_each(|tag| seen.clock.note(tag));
        Ok(Step::Done)
    }
}

macro_rules! of_item {
    ($item:expr, $T:ident, $one:ident => $make:expr) => {
        of_item!(@ $item, $T, $one, $make; f32 1.0, f64 1.0, u8 1, i8 1, u16 1, i16 1, u32 1, i32 1, u64 1, i64 1)
    };
    (@ $item:expr, $T:ident, $one:ident, $make:expr; $($type:ident $value:literal),*) => {
        match $item {
            $(stringify!($type) => { type $T = $type; let $one: $type = $value; Some($make) })*
            "C32" => { type $T = C32; let $one = C32::ONE; Some($make) }
            "C64" => { type $T = C64; let $one = C64::new(1.0, 0.0); Some($make) }
            "cu8" => { type $T = [u8; 2]; let $one = [1, 1]; Some($make) }
            "cs8" => { type $T = [i8; 2]; let $one = [1, 1]; Some($make) }
            "cs16" => { type $T = [i16; 2]; let $one = [1, 1]; Some($make) }
            _ => None,
        }
    };
}

/// What comes out of each stream output of a block; an error where the block is none that has streams on both sides, or fails.
fn run(block: AnyBlock, items: usize) -> Result<Vec<(String, Seen)>, String> {
    let mut graph = Graph::new();
    graph.add_any("block", block);
    let ports: PortList = graph.blocks().next().map(|(_, ports)| ports.clone()).unwrap();
    if ports.inputs.is_empty() || ports.outputs.is_empty() {
        return Err("no streams".into());
    }
    for (n, (port, spec)) in ports.inputs.iter().enumerate() {
        let name = format!("source{n}");
        of_item!(spec.item.name(), T, one => {
            graph.add(&name, Source::<T>::new(one, items));
        })
            .ok_or_else(|| format!("no source of {}", spec.item.name()))?;
        graph.connect_names(&name, &format!("block.{port}"));
    }
    let mut seen = Vec::new();
    for (n, (port, spec)) in ports.outputs.iter().enumerate() {
        let name = format!("sink{n}");
        let kept = Arc::<Mutex<Seen>>::default();
        of_item!(spec.item.name(), T, _one => {
            graph.add(&name, Sink::<T> { input: In::new(), seen: kept.clone() });
        })
            .ok_or_else(|| format!("no sink of {}", spec.item.name()))?;
        graph.connect_names(&format!("block.{port}"), &name);
        seen.push((port.clone(), kept));
    }
    let graph = graph.check().map_err(|error| error.to_string())?;
    let mut running = graph.start(&Single, &Options::default()).map_err(|error| error.to_string())?;
    match running.wait_for(Duration::from_secs(20)) {
        Some(Ok(_)) => Ok(seen.into_iter().map(|(port, seen)| (port, seen.lock().unwrap().clone())).collect()),
        Some(Err(error)) => Err(error.to_string()),
        None => Err("does not end".into()),
    }
}


/// What comes out of a block, by its parameters.
struct Rule {
    block: &'static str,
    /// What the catalogue says of it.
    words: &'static str,
    /// How many items the first output gets for `n` of each input.
    count: fn(&Numbers, f64) -> f64,
}

/// The values of a block's parameters that are numbers.
struct Numbers<'a> {
    entry: &'a Entry,
    given: &'a Given,
}

impl Numbers<'_> {
    fn of(&self, name: &str) -> f64 {
        self.value(name).as_f64().unwrap_or_else(|| panic!("{}: {name}", self.entry.name))
    }
    fn value(&self, name: &str) -> Value {
        let default = || {
            let param = self.entry.params.iter().find(|param| param.name == name)?;
            Some(Value::from_json(&serde_json::from_str(param.default?).ok()?))
        };
        self.given.get(name).cloned().or_else(default).unwrap_or_else(|| panic!("{}: {name}", self.entry.name))
    }
    fn length(&self, name: &str) -> f64 {
        self.value(name).as_list().map_or(0, |list| list.len()) as f64
    }
}

/// `n` cut to a multiple of `of`.
fn whole(n: f64, of: f64) -> f64 {
    (n / of).floor() * of
}

/// Blocks that give another number of items than they take of each input. All others give as many.
const RULES: &[Rule] = &[
    Rule { block: "head", words: "min(n, items)", count: |p, n| n.min(p.of("items")) },
    Rule { block: "skiphead", words: "max(0, n − items)", count: |p, n| n - p.of("items") },
    Rule { block: "delay", words: "n + delay_samples", count: |p, n| n + p.of("delay_samples") },
    Rule {
        block: "integrate",
        words: "⌊n / (count · length)⌋ · length",
        count: |p, n| (n / (p.of("count") * p.of("length"))).floor() * p.of("length"),
    },
    Rule { block: "complex_to_interleaved_char", words: "2 · n", count: |_, n| 2.0 * n },
    Rule { block: "complex_to_interleaved_short", words: "2 · n", count: |_, n| 2.0 * n },
    Rule { block: "interleaved_char_to_complex", words: "⌊n / 2⌋", count: |_, n| (n / 2.0).floor() },
    Rule { block: "interleaved_short_to_complex", words: "⌊n / 2⌋", count: |_, n| (n / 2.0).floor() },
    Rule { block: "fir_filter", words: "⌊n / decimation⌋", count: decimated },
    Rule { block: "low_pass_filter", words: "⌊n / decimation⌋", count: decimated },
    Rule { block: "fft_filter", words: "⌊n / decimation⌋", count: decimated },
    Rule { block: "freq_xlating_fir_filter", words: "⌊n / decimation⌋", count: decimated },
    Rule { block: "freq_xlating_fft_filter", words: "⌊n / decimation⌋", count: decimated },
    Rule { block: "pfb_decimator", words: "⌊n / decimation⌋", count: decimated },
    Rule { block: "interp_fir_filter", words: "n · interpolation", count: |p, n| n * p.of("interpolation") },
    Rule {
        block: "pfb_channelizer",
        words: "⌊n · oversample_rate / channels⌋",
        count: |p, n| (n * p.of("oversample_rate") / p.of("channels")).floor(),
    },
    Rule { block: "pfb_synthesizer", words: "n · channels", count: |p, n| n * p.of("channels") },
    Rule { block: "channelizer", words: "⌊n / channels⌋ · channels", count: |p, n| whole(n, p.of("channels")) },
    Rule { block: "fft", words: "⌊n / size⌋ · size", count: |p, n| whole(n, p.of("size")) },
    Rule { block: "goertzel", words: "⌊n / len⌋", count: |p, n| (n / p.of("len")).floor() },
    Rule {
        block: "rational_resampler",
        words: "⌈n · interpolation / decimation⌉",
        count: |p, n| (n * p.of("interpolation") / p.of("decimation")).ceil(),
    },
    Rule { block: "mmse_resampler", words: "⌈n / resamp_ratio⌉", count: |p, n| (n / p.of("resamp_ratio")).ceil() },
    Rule { block: "pfb_arb_resampler", words: "⌈n · rate⌉", count: |p, n| (n * p.of("rate")).ceil() },
    Rule { block: "keep_one_in_n", words: "⌊N / n⌋", count: |p, n| (n / p.of("n")).floor() },
    Rule { block: "keep_m_in_n", words: "⌊N / n⌋ · m", count: |p, n| (n / p.of("n")).floor() * p.of("m") },
    Rule {
        block: "repeat",
        words: "⌊n / length⌋ · length · count",
        count: |p, n| whole(n, p.of("length")) * p.of("count"),
    },
    Rule { block: "stream_to_vector", words: "⌊n / length⌋ · length", count: |p, n| whole(n, p.of("length")) },
    Rule { block: "stretch", words: "⌊n / length⌋ · length", count: |p, n| whole(n, p.of("length")) },
    Rule {
        block: "add_const_vector",
        words: "⌊n / L⌋ · L",
        count: |p, n| whole(n, p.length("constants")),
    },
    Rule {
        block: "multiply_const_vector",
        words: "⌊n / L⌋ · L",
        count: |p, n| whole(n, p.length("constants")),
    },
    Rule { block: "block_interleaver", words: "⌊n / L⌋ · L", count: |p, n| whole(n, p.length("indices")) },
    Rule {
        block: "interleave",
        words: "⌊n / length⌋ · length · inputs",
        count: |p, n| whole(n, p.of("length")) * p.of("inputs"),
    },
    Rule {
        block: "deinterleave",
        words: "⌊n / (length · outputs)⌋ · length",
        count: |p, n| (n / (p.of("length") * p.of("outputs"))).floor() * p.of("length"),
    },
    // Of the lengths 1, 0 and 1.
    Rule { block: "stream_mux", words: "as many as the lengths say", count: |_, n| 2.0 * n },
    Rule { block: "stream_demux", words: "as many as the lengths say", count: |_, n| (n / 2.0).ceil() },
    // Of the pattern 1, 0, 1: the second input is needed twice in a turn.
    Rule {
        block: "patterned_interleaver",
        words: "as many as the pattern says",
        count: |_, n| (n / 2.0).floor() + n + n % 2.0,
    },
    // Three values in a period of five.
    Rule {
        block: "vector_insert",
        words: "n, and the values as often as a period begins",
        count: |_, n| n + 3.0 * ((n / 2.0).floor() + 1.0),
    },
    Rule { block: "repack_bits", words: "⌊n · k / l⌋", count: |p, n| (n * p.of("k") / p.of("l")).floor() },
    Rule { block: "pack_k_bits", words: "⌊n / k⌋", count: |p, n| (n / p.of("k")).floor() },
    Rule { block: "unpack_k_bits", words: "n · k", count: |p, n| n * p.of("k") },
    Rule {
        block: "packed_to_unpacked",
        words: "⌊n · bits of an item / bits⌋",
        count: |p, n| (n * 8.0 / p.of("bits")).floor(),
    },
    Rule {
        block: "unpacked_to_packed",
        words: "⌊n · bits / bits of an item⌋",
        count: |p, n| (n * p.of("bits") / 8.0).floor(),
    },
    Rule { block: "cpfsk", words: "n · samples_per_symbol", count: |p, n| n * p.of("samples_per_symbol") },
    // QPSK.
    Rule { block: "constellation_soft_decoder", words: "n · bits of a symbol", count: |_, n| 2.0 * n },
    Rule { block: "symbol_sync", words: "about n · outputs_per_symbol / samples_per_symbol", count: symbols },
    Rule { block: "pfb_clock_sync", words: "about n · outputs_per_symbol / samples_per_symbol", count: symbols },
    Rule { block: "clock_recovery_mm", words: "about n / samples_per_symbol", count: |_, n| (n / 4.0).ceil() },
    Rule {
        block: "linear_equalizer",
        words: "⌈n / samples_per_symbol⌉",
        count: |p, n| (n / p.of("samples_per_symbol")).ceil(),
    },
    Rule {
        block: "ofdm_cyclic_prefixer",
        words: "⌊n / fft_len⌋ · (fft_len + cp_len)",
        count: |p, n| (n / p.of("fft_len")).floor() * (p.of("fft_len") + p.of("cp_len")),
    },
    // A convolutional code of rate one half.
    Rule { block: "fec_encoder", words: "those of whole frames", count: |_, n| 2.0 * n },
    Rule { block: "fec_decoder", words: "those of whole frames", count: |_, n| (n / 2.0).floor() },
    // The pattern 11.
    Rule { block: "puncture", words: "⌊n / size⌋ · m", count: |p, n| whole(n, p.of("size")) },
    Rule { block: "depuncture", words: "⌊n / m⌋ · size", count: |p, n| whole(n, p.of("size")) },
];

fn decimated(p: &Numbers, n: f64) -> f64 {
    (n / p.of("decimation")).floor()
}

fn symbols(p: &Numbers, n: f64) -> f64 {
    (n * p.of("outputs_per_symbol") / p.of("samples_per_symbol")).ceil()
}

/// Outputs whose tags say nothing, and why.
const SILENT: &[&str] = &["?"];

/// Parameters with which a block shows what it does to the rate and the centre.
fn telling(entry: &Entry) -> Given {
    let mut given = usual_params(entry.name, entry.params);
    let mut set = |name: &str, value: Value| given.insert(name.to_owned(), value);
    match entry.name {
        "rational_resampler" => {
            set("interpolation", 24.into());
            set("decimation", 125.into());
        }
        "mmse_resampler" => _ = set("resamp_ratio", 1.25.into()),
        "pfb_arb_resampler" => _ = set("rate", 0.75.into()),
        "keep_m_in_n" => {
            set("m", 2.into());
            set("n", 5.into());
        }
        "freq_xlating_fir_filter" | "freq_xlating_fft_filter" => {
            set("center_freq_hz", 300e3.into());
            set("decimation", 4.into());
        }
        "fir_filter" | "fft_filter" | "low_pass_filter" => _ = set("decimation", 3.into()),
        "pfb_decimator" => {
            set("decimation", 4.into());
            set("channel", 3.into());
        }
        "pfb_channelizer" => {
            set("channels", 4.into());
            set("channel_map", vec![Value::from(1), 2.into(), 3.into()].into());
        }
        "pfb_synthesizer" => {
            set("channels", 4.into());
            set("channel_map", vec![Value::from(3), 1.into()].into());
        }
        "linear_equalizer" => _ = set("samples_per_symbol", 2.into()),
        _ => {}
    }
    given
}

#[test]
fn survey() {
    for entry in ENTRIES {
        let is_file = |param: &superhet_runtime::catalog::Param| param.default.is_none() && matches!(param.kind, Kind::Path);
        if entry.params.iter().any(is_file) { continue; }
        let given = telling(entry);
        for items in [PRIME, MANY] {
        let block = match entry.build(&given) { Ok(block) => block, Err(e) => { println!("{} UNMADE {e:?}", entry.name); break } };
        let numbers = Numbers { entry, given: &given };
        let rule = RULES.iter().find(|rule| rule.block == entry.name);
        let count = rule.map_or(items as f64, |rule| (rule.count)(&numbers, items as f64));
        if let Some(rule) = rule && !entry.ports.iter().any(|port| port.doc.contains(rule.words)) { println!("{} WORDS {}", entry.name, rule.words); }
        match run(block, items) {
            Ok(seen) => for (port, seen) in seen {
                println!("{} {port} items {} of {items} wanted {count} {} rate {:?} centre {:?} time {:?}", entry.name, seen.items, if seen.items as f64 == count { "" } else { "DIFFERS" }, seen.clock.rate_hz(), seen.clock.frequency_hz(), seen.clock.time_of(0));
            },
            Err(e) if e == "no streams" => {}
            Err(e) => println!("{} ERROR {e}", entry.name),
        }
        }
    }
    let _ = SILENT;
}
