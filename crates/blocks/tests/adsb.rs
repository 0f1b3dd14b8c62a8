//! The receiver as a graph, on the real recording: the same messages however it is run.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use superhet_blocks::adsb::{
    AdsbBlock, AdsbChannel, AdsbChannelDemod, AdsbDecode, AdsbPreambles, AdsbPrint, Aircraft, Demodulator,
    Detector, Receiver, Settings, Style,
};
use superhet_blocks::convert::{ComplexToMag, Cu8ToC32};
use superhet_runtime::harness::VecSource;
use superhet_runtime::port::{InRef, OutRef};
use superhet_runtime::prelude::*;
use superhet_runtime::{C32, RunError, Scheduler, Tag, packet::PacketBlock as _};

const RECORDING: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/adsb/modes1_2Msps.cu8");
const REFERENCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/adsb/modes1_2Msps.dump1090-raw.txt");

/// What was printed.
#[derive(Clone, Default)]
struct Text(Arc<Mutex<Vec<u8>>>);

impl Write for Text {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Connects samples to what a block takes.
trait Front: Detector {
    fn connect(graph: &mut Graph, samples: OutRef<C32>, demod: InRef<Self::Sample>);
}

impl Front for Receiver {
    fn connect(graph: &mut Graph, samples: OutRef<C32>, demod: InRef<C32>) {
        graph.connect(samples, demod);
    }
}

impl Front for Demodulator {
    fn connect(graph: &mut Graph, samples: OutRef<C32>, demod: InRef<f32>) {
        let magnitude = graph.add("magnitude", ComplexToMag);
        graph.connect(samples, magnitude.input);
        graph.connect(magnitude.output, demod);
    }
}

/// What the block for samples receives of `iq`: the printed lines and the table.
fn receive(
    iq: &[[u8; 2]],
    style: Style,
    scheduler: &dyn Scheduler,
    options: &Options,
) -> Result<(Vec<String>, Vec<Aircraft>), RunError> {
    receive_by::<Receiver>(iq, style, scheduler, options)
}

fn receive_by<D: Front>(
    iq: &[[u8; 2]],
    style: Style,
    scheduler: &dyn Scheduler,
    options: &Options,
) -> Result<(Vec<String>, Vec<Aircraft>), RunError> {
    let text = Text::default();
    let mut graph = Graph::new();
    let source = graph.add("source", VecSource::new(iq.to_vec()));
    let convert = graph.add("convert", Cu8ToC32);
    let demod = AdsbBlock::<D>::new(Settings { rate_hz: 2e6, repair: true }).unwrap();
    let table = demod.aircraft();
    let demod = graph.add("demod", demod);
    let print = AdsbPrint::new(style).with_writer("memory", text.clone());
    let count = print.count();
    let print = graph.add("print", print);
    graph.connect(source.output, convert.input);
    D::connect(&mut graph, convert.output, demod.input);
    graph.connect(demod.frames, print.frames);
    let mut running = graph.check()?.start(scheduler, options)?;
    running.wait_for(Duration::from_secs(60)).expect("the graph ends")?;
    let text = String::from_utf8(text.0.lock().unwrap().clone()).unwrap();
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    assert_eq!(lines.len() as u64, count.get());
    Ok((lines, table.snapshot()))
}

fn recording() -> Vec<[u8; 2]> {
    let bytes = std::fs::read(RECORDING).expect("the recording is part of the repository");
    bytes.chunks_exact(2).map(|iq| [iq[0], iq[1]]).collect()
}

/// What the reference decoder lists and `messages` lack, each as often as it is missing.
fn missing(messages: &[serde_json::Value]) -> BTreeMap<String, i64> {
    let text = std::fs::read_to_string(REFERENCE).expect("the reference is part of the repository");
    let mut wanted = BTreeMap::new();
    for line in text.lines() {
        *wanted.entry(line.trim_matches(['*', ';']).to_owned()).or_insert(0) += 1;
    }
    assert_eq!(wanted.values().sum::<i64>(), 217);
    for message in messages {
        if let Some(left) = wanted.get_mut(message["hex"].as_str().unwrap()) {
            *left -= 1;
        }
    }
    wanted.retain(|_, left| *left > 0);
    wanted
}

fn json(lines: &[String]) -> Vec<serde_json::Value> {
    lines.iter().map(|line| serde_json::from_str(line).expect("a JSON object a line")).collect()
}

#[test]
fn all_messages_of_the_reference_are_found_under_every_scheduler_and_in_strips_of_any_length() {
    all_are_found_however_it_is_run::<Receiver>();
}

#[test]
fn all_messages_of_the_reference_are_found_in_magnitudes_as_well() {
    all_are_found_however_it_is_run::<Demodulator>();
}

fn all_are_found_however_it_is_run<D: Front>() {
    let iq = recording();
    let (reference, aircraft) = receive_by::<D>(&iq, Style::Json, &Single, &Options::default()).unwrap();
    let messages = json(&reference);
    assert_eq!(missing(&messages), BTreeMap::new());
    assert!(messages.len() >= 335, "only {}", messages.len());
    assert!(
        messages.iter().all(|message| message["icao"] == "4d2023"),
        "there is one aircraft in the recording"
    );
    let indices: Vec<_> = messages.iter().map(|message| message["sample_index"].as_u64().unwrap()).collect();
    assert!(indices.is_sorted());
    let schedulers: [(&str, Box<dyn Scheduler>); 4] = [
        ("single", Box::new(Single)),
        ("pinned 1", Box::new(Pinned::workers(1))),
        ("pinned 2", Box::new(Pinned::workers(2))),
        ("threads", Box::new(Threads)),
    ];
    for (name, scheduler) in schedulers {
        let strips = [Some(1), Some(7), Some(4096), None];
        let mut ways = strips.map(|strip_items| Options { strip_items, ..Options::default() }).to_vec();
        ways.push(Options { seed: Some(1), strip_items: Some(500), ..Options::default() });
        for options in ways {
            let (lines, table) = receive_by::<D>(&iq, Style::Json, &*scheduler, &options).unwrap();
            assert!(lines == reference, "{name}, {options:?}: {} messages", lines.len());
            assert_eq!(table, aircraft, "{name}, {options:?}");
        }
    }
}

#[test]
fn messages_carry_what_was_decoded_and_where_it_was() {
    let (lines, table) = receive(&recording(), Style::Json, &Single, &Options::default()).unwrap();
    let messages = json(&lines);
    let placed: Vec<_> = messages.iter().filter(|message| message.get("latitude_deg").is_some()).collect();
    assert!(placed.len() > 60);
    for message in &placed {
        assert_eq!((message["kind"].as_str(), message["df"].as_u64()), (Some("airborne_position"), Some(17)));
        assert_eq!(message["duration_samples"], 240);
        let time_s = message["sample_index"].as_u64().unwrap() as f64 / 2e6;
        assert_eq!(message["time_s"].as_f64(), Some(time_s));
        assert!(message["level_dbfs"].as_f64().unwrap() < 0.0 && message["parity"] == "intact");
    }
    assert!(messages.iter().any(|message| message["callsign"] == "AMC421"));
    assert_eq!(table.len(), 1);
    assert_eq!((table[0].callsign.as_deref(), table[0].messages), (Some("AMC421"), messages.len() as u64));
    let last = placed.last().unwrap();
    let position = table[0].position.expect("a position");
    assert!((last["latitude_deg"].as_f64().unwrap() - position.latitude_deg).abs() <= 0.5e-5 + 1e-12);
}

#[test]
fn registers_agree_with_what_the_aircraft_sends_by_itself() {
    let (lines, table) = receive(&recording(), Style::Json, &Single, &Options::default()).unwrap();
    let messages = json(&lines);
    let values = |register: &str, key: &str| -> Vec<f64> {
        let messages = messages.iter().filter(|message| message["bds"] == register);
        messages.map(|message| message[key].as_f64().unwrap()).collect()
    };
    let (speed, track) = (table[0].ground_speed_kt.unwrap(), table[0].track_deg.unwrap());
    let (speeds, tracks) = (values("5,0", "ground_speed_kt"), values("5,0", "track_deg"));
    assert!(speeds.len() >= 4 && speeds.iter().all(|value| (value - speed).abs() < 20.0), "{speeds:?}");
    assert!(tracks.iter().all(|value| (value - track).abs() < 2.0), "{tracks:?}");
    let rate = f64::from(table[0].vertical_rate_fpm.unwrap());
    let rates = values("6,0", "barometric_rate_fpm");
    assert!(rates.len() >= 2 && rates.iter().all(|value| (value - rate).abs() < 400.0), "{rates:?}");
    assert!(values("4,0", "selected_altitude_ft").iter().all(|&feet| feet == 15_008.0));
}

#[test]
fn text_lines_tell_time_message_and_what_it_says() {
    let (lines, _) = receive(&recording(), Style::Text, &Single, &Options::default()).unwrap();
    assert!(lines.iter().all(|line| line.contains(" s  ") && line.contains(" 4d2023")));
    for wanted in ["DF17 4d2023, AMC421", " ft, 3", "squawk 0112", " kt, track ", "-1728 ft/min"] {
        assert!(lines.iter().any(|line| line.contains(wanted)), "{wanted}");
    }
}

#[test]
fn a_message_at_the_very_end_is_found_and_a_stream_too_short_for_any_gives_none() {
    let iq = recording();
    let (lines, _) = receive(&iq, Style::Json, &Single, &Options::default()).unwrap();
    let messages = json(&lines);
    let number = |message: &serde_json::Value, key: &str| message[key].as_u64().unwrap() as usize;
    for duration in [128, 240] {
        let last = messages.iter().rfind(|message| number(message, "duration_samples") == duration).unwrap();
        let end = number(last, "sample_index") + duration;
        for strip_items in [None, Some(1)] {
            let options = Options { strip_items, ..Options::default() };
            let (cut, _) = receive(&iq[..end], Style::Json, &Single, &options).unwrap();
            let cut = json(&cut);
            assert_eq!(cut.last().unwrap()["sample_index"], last["sample_index"]);
        }
    }
    for length in [0, 1, 100, 240] {
        assert_eq!(receive(&iq[..length], Style::Text, &Single, &Options::default()).unwrap().0.len(), 0);
    }
}

#[test]
fn the_parts_of_the_receiver_find_what_it_finds_with_any_number_of_workers() {
    // Between two stretches of noise, in which no value has to be kept for long.
    let noise = (0..20_000_u32).map(|n| {
        let random = n.wrapping_mul(2_654_435_761).rotate_left(n % 13);
        [random as u8 % 9, (random >> 8) as u8 % 9].map(|part| part + 124)
    });
    let iq: Vec<[u8; 2]> = noise.clone().chain(recording()).chain(noise).collect();
    let (whole, _) = receive(&iq, Style::Json, &Single, &Options::default()).unwrap();
    let schedulers: [&dyn Scheduler; 4] =
        [&Single, &Adaptive::workers(1), &Adaptive::workers(2), &Adaptive::workers(5)];
    for (n, scheduler) in schedulers.into_iter().enumerate() {
        for strip in [700, 1 << 14] {
            let text = Text::default();
            let mut graph = Graph::new();
            let source = graph.add("source", VecSource::new(iq.clone()));
            let convert = graph.add("convert", Cu8ToC32);
            let channel = graph.add("channel", AdsbChannel::new(2e6).unwrap());
            let preambles = graph.add("preambles", AdsbPreambles);
            let demod = AdsbChannelDemod::new(Settings { rate_hz: 2e6, repair: true }).unwrap();
            let demod = graph.add("demod", demod.undecoded());
            let decode = graph.add("decode", AdsbDecode::new(2e6).unwrap().messages());
            let print = graph.add("print", AdsbPrint::new(Style::Json).with_writer("memory", text.clone()));
            graph.connect(source.output, convert.input);
            graph.connect(convert.output, channel.input);
            graph.connect(channel.output, preambles.input);
            graph.connect(channel.output, demod.input);
            graph.connect(preambles.output, demod.marks);
            graph.connect(demod.frames, decode.input);
            graph.connect(decode.output, print.frames);
            let options = Options { strip_items: Some(strip), ..Options::default() };
            let mut running = graph.check().unwrap().start(scheduler, &options).unwrap();
            running.wait_for(Duration::from_secs(60)).expect("the graph ends").unwrap();
            let text = String::from_utf8(text.0.lock().unwrap().clone()).unwrap();
            let lines: Vec<String> = text.lines().map(str::to_owned).collect();
            let differs = lines.iter().zip(&whole).find(|(line, wanted)| line != wanted);
            assert_eq!(differs, None, "scheduler {n}, strips of {strip}");
            assert_eq!(lines.len(), whole.len(), "scheduler {n}, strips of {strip}");
        }
    }
}

/// Says its rate, and gives samples.
#[derive(Block)]
struct Radio {
    #[port("out")]
    output: Out<C32>,
    samples: Vec<C32>,
    given: usize,
}

impl Work for Radio {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        if self.given == 0 {
            self.output.tag(0, "rx_rate", 2e6);
        }
        let room = self.output.reserve();
        let n = room.len().min(self.samples.len() - self.given);
        room[..n].copy_from_slice(&self.samples[self.given..][..n]);
        self.output.produce(n);
        self.given += n;
        Ok(if self.given == self.samples.len() { Step::Done } else { Step::Ran })
    }
}

/// Keeps the tags that it gets, and their items.
#[derive(Block)]
struct Tags {
    #[port("in")]
    input: In<C32>,
    tags: Arc<Mutex<Vec<Tag>>>,
}

impl Work for Tags {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        self.tags.lock().unwrap().extend(self.input.tags());
        self.input.consume(self.input.available());
        Ok(Step::Ran)
    }
}

#[test]
fn the_channel_says_its_rate() {
    let tags = Arc::<Mutex<Vec<Tag>>>::default();
    let mut graph = Graph::new();
    let radio = graph.add("radio", Radio { output: Out::new(), samples: vec![C32::ZERO; 5000], given: 0 });
    let channel = graph.add("channel", AdsbChannel::new(2e6).unwrap());
    let keep = graph.add("keep", Tags { input: In::new(), tags: tags.clone() });
    graph.connect(radio.output, channel.input);
    graph.connect(channel.output, keep.input);
    graph.run().unwrap();
    let tags = tags.lock().unwrap();
    assert_eq!((&*tags[0].key, tags[0].value.as_f64()), ("rx_rate", Some(4e6)));
}
