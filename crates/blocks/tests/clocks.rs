//! What the tags say behind every block of the library: the rate, the centre frequency and the time of its output, against
//! arithmetic.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::usual::{Given, usual_params};
use superhet_blocks::ENTRIES;
use superhet_runtime::catalog::{Entry, Kind};
use superhet_runtime::clock::{Moment, StreamClock};
use superhet_runtime::{
    Adaptive, AnyBlock, Block, BlockError, C32, C64, Context, Graph, In, Item, Options, Out, Single, Step,
    Value, Work, graph::PortList,
};

/// How many items go in where the clock is looked at: a multiple of what any block takes at once.
const MANY: usize = 720_720 / 10;
/// How many items go in where the end is looked at: a multiple of nothing.
const PRIME: usize = 997;
/// Items of a packet, for blocks that want packets.
const PACKET: usize = 24;
const RATE_HZ: f64 = 1e6;
const CENTRE_HZ: f64 = 100e6;
const START: Moment = Moment { seconds: 1000, fraction: 0.5 };

/// Gives items in packets, and says with the first of them their rate, their centre and their time. Of many, both change in the
/// middle.
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
        if self.items == MANY && (self.given..self.given + n).contains(&(MANY / 2)) {
            let place = MANY / 2 - self.given;
            self.output.tag(place, "rx_rate", 2.0 * RATE_HZ);
            self.output.tag(place, "rx_freq", CENTRE_HZ + 1e6);
        }
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

/// The error of a block that does not have streams on both sides.
const NO_STREAMS: &str = "no streams";

/// What comes out of each stream output of a block; an error where the block is none that has streams on both sides, or fails.
fn run(block: AnyBlock, items: usize) -> Result<Vec<(String, Seen)>, String> {
    let mut graph = Graph::new();
    graph.add_any("block", block);
    let ports: PortList = graph.blocks().next().map(|(_, ports)| ports.clone()).unwrap();
    if ports.inputs.is_empty() || ports.outputs.is_empty() {
        return Err(NO_STREAMS.into());
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
        Some(Ok(_)) => {
            Ok(seen.into_iter().map(|(port, seen)| (port, seen.lock().unwrap().clone())).collect())
        }
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
        self.given
            .get(name)
            .cloned()
            .or_else(default)
            .unwrap_or_else(|| panic!("{}: {name}", self.entry.name))
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
    Rule {
        block: "channelizer",
        words: "⌊n / channels⌋ · channels",
        count: |p, n| whole(n, p.of("channels")),
    },
    Rule { block: "fft", words: "⌊n / length⌋ · length", count: |p, n| whole(n, p.of("length")) },
    Rule { block: "goertzel", words: "⌊n / length⌋", count: |p, n| (n / p.of("length")).floor() },
    Rule {
        block: "rational_resampler",
        words: "⌈n · interpolation / decimation⌉",
        count: |p, n| (n * p.of("interpolation") / p.of("decimation")).ceil(),
    },
    Rule {
        block: "mmse_resampler",
        words: "⌈n / resamp_ratio⌉",
        count: |p, n| (n / p.of("resamp_ratio")).ceil(),
    },
    Rule {
        block: "rds_modulator",
        words: "about n · rate_hz / 1187.5",
        count: |p, n| (n * p.of("rate_hz") / 1187.5).ceil(),
    },
    Rule { block: "pfb_arb_resampler", words: "about n · rate", count: |p, n| (n * p.of("rate")).ceil() },
    Rule { block: "keep_one_in_n", words: "⌊N / n⌋", count: |p, n| (n / p.of("n")).floor() },
    Rule {
        block: "keep_m_in_n", words: "⌊N / n⌋ · m", count: |p, n| (n / p.of("n")).floor() * p.of("m")
    },
    Rule {
        block: "repeat",
        words: "⌊n / length⌋ · length · count",
        count: |p, n| whole(n, p.of("length")) * p.of("count"),
    },
    Rule {
        block: "stream_to_vector",
        words: "⌊n / length⌋ · length",
        count: |p, n| whole(n, p.of("length")),
    },
    Rule {
        block: "moving_average", words: "⌊n / length⌋ · length", count: |p, n| whole(n, p.of("length"))
    },
    Rule { block: "argmax", words: "⌊n / length⌋", count: |p, n| (n / p.of("length")).floor() },
    Rule {
        block: "min",
        words: "⌊n / length⌋ items for n with of_vector",
        count: |p, n| (n / p.of("length")).floor(),
    },
    Rule {
        block: "max",
        words: "⌊n / length⌋ items for n with of_vector",
        count: |p, n| (n / p.of("length")).floor(),
    },
    Rule { block: "stretch", words: "⌊n / length⌋ · length", count: |p, n| whole(n, p.of("length")) },
    Rule {
        block: "add_const_vector", words: "⌊n / L⌋ · L", count: |p, n| whole(n, p.length("constants"))
    },
    Rule {
        block: "multiply_const_vector",
        words: "⌊n / L⌋ · L",
        count: |p, n| whole(n, p.length("constants")),
    },
    Rule {
        block: "block_interleaver", words: "⌊n / L⌋ · L", count: |p, n| whole(n, p.length("indices"))
    },
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
    // Of the pattern 1, 0.
    Rule { block: "patterned_interleaver", words: "as many as the pattern says", count: |_, n| 2.0 * n },
    // Three values in a period of five.
    Rule {
        block: "vector_insert",
        words: "n, and the values as often as a period begins",
        count: |_, n| n + 3.0 * ((n / 2.0).floor() + 1.0),
    },
    Rule {
        block: "repack_bits", words: "⌊n · k / l⌋", count: |p, n| (n * p.of("k") / p.of("l")).floor()
    },
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
    Rule {
        block: "symbol_sync", words: "about n · outputs_per_symbol / samples_per_symbol", count: symbols
    },
    Rule {
        block: "pfb_clock_sync",
        words: "about n · outputs_per_symbol / samples_per_symbol",
        count: symbols,
    },
    Rule {
        block: "clock_recovery_mm",
        words: "about n / samples_per_symbol",
        count: |_, n| (n / 4.0).ceil(),
    },
    Rule {
        block: "linear_equalizer",
        words: "⌈n / samples_per_symbol⌉",
        count: |p, n| (n / p.of("samples_per_symbol")).ceil(),
    },
    Rule {
        block: "ofdm_cyclic_prefixer",
        words: "⌊n / fft_length⌋ · (fft_length + cp_length)",
        count: |p, n| (n / p.of("fft_length")).floor() * (p.of("fft_length") + p.of("cp_length")),
    },
    // A convolutional code of rate one half.
    Rule { block: "fec_encoder", words: "those of whole frames", count: |_, n| 2.0 * n },
    Rule { block: "fec_decoder", words: "those of whole frames", count: |_, n| (n / 2.0).floor() },
    // A table of three symbols; a machine with four, and blocks of two.
    Rule { block: "trellis_metrics", words: "⌊n / dimension⌋ · symbols", count: |_, n| 3.0 * n },
    Rule {
        block: "trellis_viterbi",
        words: "⌊n / (symbols · block_items)⌋ · block_items",
        count: |_, n| (n / 8.0).floor() * 2.0,
    },
    // The pattern 11.
    Rule { block: "puncture", words: "⌊n / length⌋ · m", count: |p, n| whole(n, p.of("length")) },
    Rule { block: "depuncture", words: "⌊n / m⌋ · length", count: |p, n| whole(n, p.of("length")) },
];

fn decimated(p: &Numbers, n: f64) -> f64 {
    (n / p.of("decimation")).floor()
}

fn symbols(p: &Numbers, n: f64) -> f64 {
    (n * p.of("outputs_per_symbol") / p.of("samples_per_symbol")).ceil()
}

/// Blocks that count, or time, something other than the items of their inputs, and why.
const OTHERS: &[(&str, &str)] = &[
    ("selector", "gives what one output was chosen for"),
    ("rds_demod", "gives bits once it knows where the symbols are"),
    ("tagged_stream_mux", "gives packets that are as long as those of all inputs together"),
    ("tagged_stream_multiply_length", "says other lengths: the test's last packet has none by half"),
    ("crc32_append", "gives longer packets"),
    ("crc16_append", "gives longer packets"),
    ("crc32", "gives longer packets"),
    ("crc32_check", "drops packets that are not right"),
    ("crc16_check", "drops packets that are not right"),
    ("packet_headergenerator", "gives a header for each packet"),
    ("header_payload_demux", "waits for messages"),
    ("correlate_access_code_ts", "gives packets that it finds"),
    ("ofdm_carrier_allocator", "gives packets with symbols of its own"),
    ("ofdm_serializer", "gives what a packet's symbols carry"),
    ("ofdm_chanest", "gives frames without their first symbols"),
    ("ofdm_frame_equalizer", "wants packets of whole symbols"),
    ("fec_packet_encoder", "gives packets of whole frames"),
    ("fec_packet_decoder", "gives packets of whole frames"),
    ("ber", "gives rates of errors"),
    ("reed_solomon_encode", "gives longer packets"),
    ("reed_solomon_decode", "gives shorter packets"),
    ("cyclic_encode", "gives packets of whole words"),
    ("cyclic_decode", "gives packets of whole words"),
    ("remove_markers", "gives what lies between the words that it finds"),
    ("fsk_demod", "gives the symbols that it finds"),
    ("afsk_demod", "gives the symbols that it finds"),
    ("adsb_channel", "gives whole blocks of 480 items: tests/adsb.rs looks at its tags"),
];

/// Outputs that get no tags of the input: what they give is about the items of another output, or marks of such.
const SILENT: &[(&str, &[&str])] = &[
    ("peak_detector", &["out"]),
    ("peak_detector2", &["average"]),
    ("plateau_detector", &["out"]),
    ("constellation_receiver", &["error", "phase", "freq", "samples"]),
    ("costas_loop", &["freq", "phase", "error"]),
    ("symbol_sync", &["error", "period", "mean_period"]),
    ("clock_recovery_mm", &["error"]),
    ("pfb_clock_sync", &["error", "rate", "phase"]),
    ("fll_band_edge", &["freq", "phase", "error"]),
    ("linear_equalizer", &["error"]),
    ("ofdm_sync_sc", &["freq", "trigger"]),
    // That is what it is for.
    ("tag_gate", &["out"]),
];

/// By what part of the input's rate the centre moves.
fn shift(block: &str, port: &str) -> f64 {
    match (block, port) {
        // By half a radian an item upwards.
        ("rotator", _) => -0.5 / std::f64::consts::TAU,
        // 300 kHz of 2 MHz.
        ("freq_xlating_fir_filter" | "freq_xlating_fft_filter", _) => 0.15,
        // Channel 3 of 4.
        ("pfb_decimator", _) | ("pfb_channelizer", "out2") => -0.25,
        ("pfb_channelizer", "out0") => 0.25,
        ("pfb_channelizer", "out1") => -0.5,
        // The first input's channel lies a quarter of the output's rate below.
        ("pfb_synthesizer", _) => 1.0,
        _ => 0.0,
    }
}

/// Parameters with which a block shows what it does to the rate and the centre.
fn telling(entry: &Entry) -> Given {
    let mut given = usual_params(entry.name, entry.params);
    let mut set = |name: &str, value: Value| given.insert(name.to_owned(), value);
    match entry.name {
        "rational_resampler" => {
            set("interpolation", 24.into());
            set("decimation", 125.into());
        }
        "argmax" | "moving_average" => _ = set("length", 3.into()),
        "min" | "max" => {
            set("length", 3.into());
            set("of_vector", true.into());
        }
        "mmse_resampler" => _ = set("resamp_ratio", 1.25.into()),
        "pfb_arb_resampler" => _ = set("rate", 0.75.into()),
        "keep_m_in_n" => {
            set("m", 2.into());
            set("n", 5.into());
        }
        "freq_xlating_fir_filter" | "freq_xlating_fft_filter" => {
            set("frequency_hz", 300e3.into());
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
        "rds_modulator" => _ = set("rate_hz", 9500.into()),
        "patterned_interleaver" => _ = set("pattern", vec![Value::from(1), 0.into()].into()),
        "linear_equalizer" => _ = set("samples_per_symbol", 2.into()),
        _ => {}
    }
    given
}

/// Every block of the library that has streams on both sides, what comes of `items` items, and its rule.
fn each(items: usize, mut look: impl FnMut(&Entry, &Numbers<'_>, Option<&Rule>, &[(String, Seen)])) {
    let mut looked = 0;
    for entry in ENTRIES {
        let is_file = |kind: Kind| matches!(kind, Kind::Path);
        let by_file = entry.params.iter().any(|param| param.default.is_none() && is_file(param.kind));
        if by_file || OTHERS.iter().any(|(name, _)| *name == entry.name) {
            continue;
        }
        let given = telling(entry);
        let block = entry.build(&given).unwrap_or_else(|errors| panic!("{}: {errors:?}", entry.name));
        let rule = RULES.iter().find(|rule| rule.block == entry.name);
        match run(block, items) {
            Ok(seen) => look(entry, &Numbers { entry, given: &given }, rule, &seen),
            Err(problem) if problem == NO_STREAMS => continue,
            Err(problem) => panic!("{}: {problem}", entry.name),
        }
        looked += 1;
    }
    assert!(looked > 130, "only {looked}");
}

/// How far off the clock of `pfb_clock_sync` may be: by `max_deviation` filters a sample, of 32.
const PFB_OFF: f64 = 1.5 / 32.0;

#[test]
fn behind_every_block_the_tags_say_the_rate_the_centre_and_the_time() {
    let mut wrong = Vec::new();
    each(MANY, |entry, numbers, rule, seen| {
        let silent = SILENT.iter().find(|(name, _)| *name == entry.name).map_or(&[][..], |(_, ports)| *ports);
        // A number of items of which every block makes whole ones.
        let ratio = match rule {
            Some(rule) if !["head", "skiphead", "delay"].contains(&entry.name) => {
                (rule.count)(numbers, 720_720.0 * 1e4) / 720_720e4
            }
            _ => 1.0,
        };
        let of_first = |port: &str| entry.name == "stream_demux" && port == "out1";
        for (port, seen) in seen.iter().filter(|(port, _)| !of_first(port)) {
            let clock = &seen.clock;
            if silent.contains(&port.as_str()) {
                if clock.rate_hz().is_some() || clock.time_of(0).is_some() {
                    wrong.push(format!("{} {port}: is not silent", entry.name));
                }
                continue;
            }
            // The head has ended before the rate changes.
            let rate_hz = if entry.name == "head" { RATE_HZ } else { 2.0 * RATE_HZ };
            let centre_hz = CENTRE_HZ + if entry.name == "head" { 0.0 } else { 1e6 };
            let wanted = (rate_hz * ratio, centre_hz + rate_hz * shift(entry.name, port));
            let near =
                |got: Option<f64>, wanted: f64| got.is_some_and(|got| (got / wanted - 1.0).abs() < 1e-7);
            if !near(clock.rate_hz(), wanted.0) || !near(clock.frequency_hz(), wanted.1) {
                let got = (clock.rate_hz(), clock.frequency_hz());
                wrong.push(format!("{} {port}: {got:?}, not {wanted:?}", entry.name));
            }
            // Behind as many items as come out of all, at the old rate and then at the new one.
            let end = ratio * MANY as f64;
            let time = clock.time_of(end as u64).map_or(f64::NAN, |time| time.since(START));
            let wanted = match entry.name {
                "head" => MANY as f64 / RATE_HZ,
                _ => MANY as f64 / 2.0 / RATE_HZ + MANY as f64 / 2.0 / (2.0 * RATE_HZ),
            };
            // Group delays, and an item of the output that stands for several. The gain control looks 1024 items ahead, and
            // marks come 256 items late.
            let items = match entry.name {
                "feedforward_agc" => 1100.0,
                "adsb_preambles" => 300.0,
                // The filter of the pilot.
                "stereo_decoder" => 600.0,
                _ => 100.0,
            };
            // The clock is off by what it gained, or lost, on its own: what comes here are no symbols.
            let loose = match entry.name {
                "pfb_clock_sync" => PFB_OFF * wanted,
                name if name.contains("clock") => 1e-3 * wanted,
                _ => 0.0,
            };
            if time.is_nan() || (time - wanted).abs() > (items + 2.0 / ratio) / RATE_HZ + loose {
                wrong.push(format!("{} {port}: item {end} at {time} s, not {wanted} s", entry.name));
            }
        }
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_block_gives_as_many_items_as_the_catalogue_says() {
    let mut wrong = Vec::new();
    for items in [PRIME, 1, 2] {
        each(items, |entry, numbers, rule, seen| {
            let Some((port, first)) = seen.first() else { return };
            let n = items as f64;
            let wanted = rule.map_or(n, |rule| (rule.count)(numbers, n)).max(0.0);
            // A clock gives no symbol whose window of eight samples is not there.
            let about = rule.is_some_and(|rule| rule.words.starts_with("about"));
            let off = match about {
                true if entry.name == "pfb_clock_sync" => 2.0 + PFB_OFF * wanted,
                true => 2.0,
                false => 0.0,
            };
            if (first.items as f64 - wanted).abs() > off {
                wrong.push(format!("{} {port}: {} for {n}, not {wanted}", entry.name, first.items));
            }
            let says = |words: &str| entry.ports.iter().any(|port| port.doc.contains(words));
            if let Some(rule) = rule.filter(|rule| !says(rule.words)) {
                wrong.push(format!("{}: the catalogue does not say {}", entry.name, rule.words));
            }
        });
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What the tags say behind a block whose parameter changes at an item: `(index, key, value)`.
fn said(block: &str, given: &[(&str, Value)], change: (&str, Value, u64)) -> Vec<(u64, String, f64)> {
    #[derive(Block)]
    struct Keep {
        #[port("in")]
        input: In<C32>,
        tags: Arc<Mutex<Vec<(u64, String, f64)>>>,
    }
    impl Work for Keep {
        fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            let number =
                |tag: superhet_runtime::Tag| Some((tag.index, tag.key.to_string(), tag.value.as_f64()?));
            self.tags.lock().unwrap().extend(self.input.tags().into_iter().filter_map(number));
            self.input.consume(self.input.available());
            Ok(Step::Ran)
        }
    }
    let entry = ENTRIES.iter().find(|entry| entry.name == block).unwrap();
    let given = given.iter().map(|(name, value)| (name.to_string(), value.clone())).collect();
    let mut said = Vec::new();
    for workers in [1, 2] {
        let mut graph = Graph::new();
        graph.add("source", Source::<C32>::new(C32::ONE, 2000));
        graph.add_any("block", entry.build(&given).unwrap());
        let tags = Arc::<Mutex<Vec<_>>>::default();
        graph.add("sink", Keep { input: In::new(), tags: tags.clone() });
        graph.connect_names("source", "block");
        graph.connect_names("block", "sink");
        let mut graph = graph.check().unwrap();
        let (name, value, at) = change.clone();
        graph.set_at(format!("block.{name}"), value, at).unwrap();
        let options = Options { strip_items: Some(64), ..Options::default() };
        graph.start(&Adaptive::workers(workers), &options).unwrap().wait().unwrap();
        let mut kept = std::mem::take(&mut *tags.lock().unwrap());
        kept.retain(|(_, key, _)| key.starts_with("rx_"));
        said.push(kept);
    }
    assert_eq!(said[0], said[1], "the workers make no difference");
    said.swap_remove(0)
}

#[test]
fn a_block_that_is_tuned_while_it_runs_says_so_at_the_item_from_which_it_holds() {
    let quarter = std::f64::consts::FRAC_PI_2;
    let start = |rate_hz: f64, centre_hz: f64| {
        vec![(0, "rx_rate".to_owned(), rate_hz), (0, "rx_freq".to_owned(), centre_hz)]
    };
    let tags = said("rotator", &[("increment_rad", 0.0.into())], ("increment_rad", quarter.into(), 700));
    let mut wanted = start(RATE_HZ, CENTRE_HZ);
    wanted.rotate_left(1);
    wanted.push((700, "rx_freq".to_owned(), CENTRE_HZ - RATE_HZ / 4.0));
    let mut tags = tags;
    tags[..2].sort_by(|a, b| a.1.cmp(&b.1));
    assert_eq!(tags, wanted);

    let given = [("decimation", Value::from(4)), ("taps", vec![Value::from(1.0)].into())];
    let mut tags = said("pfb_decimator", &given, ("channel", 3.into(), 800));
    tags[..2].sort_by(|a, b| b.1.cmp(&a.1));
    let mut wanted = start(RATE_HZ / 4.0, CENTRE_HZ);
    wanted.push((200, "rx_freq".to_owned(), CENTRE_HZ - RATE_HZ / 4.0));
    assert_eq!(tags, wanted);

    let mut tags =
        said("mmse_resampler", &[("resamp_ratio", 2.0.into())], ("resamp_ratio", 4.0.into(), 1000));
    tags[..2].sort_by(|a, b| b.1.cmp(&a.1));
    let mut wanted = start(RATE_HZ / 2.0, CENTRE_HZ);
    wanted.push((500, "rx_rate".to_owned(), RATE_HZ / 4.0));
    assert_eq!(tags, wanted);
}
