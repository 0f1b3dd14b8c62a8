//! Samples into packets of VITA 49.2 and DIFI.

use std::net::{SocketAddr, UdpSocket};
use std::time::{SystemTime, UNIX_EPOCH};

use superhet_runtime::catalog::{Entry, Kind, input, optional, required};
use superhet_runtime::clock::{Moment, StreamClock};
use superhet_runtime::{AnyBlock, Block, BlockError, Context, In, Step, Tag, Work};

use super::item::FileItem;
use super::vita49_source::{PORT, expect_format};
use crate::C32;
use crate::connecting::address;
use crate::error::Error;
use crate::format::{Number, SampleFormat};
use crate::vita49::context::{CONTEXT_CLASS, ContextFields, DATA_CLASS, VERSION_CLASS, version};
use crate::vita49::{Class, Kind as PacketKind, Packet, Stamp};

/// Samples into UDP packets of VITA 49.2. With samples of 8 or 16 bits they are those of DIFI 1.1; floats are none of DIFI's.
///
/// A context packet says the rate, the frequency, the gain and how samples are stored: first, where something changes, and
/// after every second of the stream. With it goes DIFI's version packet. The time of each packet is UTC to the picosecond,
/// counted by the samples from the tag `rx_time`, or from when the first item came. The tags `rx_rate`, `rx_freq`,
/// `rx_bandwidth` and `rx_gain` change what context says. A tag `gap` moves the time on, so that a
/// [`Vita49Source`](super::Vita49Source) finds the gap again.
///
/// Every packet is full but the last one, and those before a change or a gap. One that nobody waits for is lost; UDP does not
/// say. The stream goes as fast as it comes: put a `throttle` before this block where nothing else sets the pace.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | full scale = 1.0 |
///
/// # Errors
/// At run time: [`Error::Socket`].
///
/// **Source**: ANSI/VITA 49.2-2017, sections 5 to 9; IEEE-ISTO 4900-2021 (DIFI 1.1).
///
/// # Example
///
/// ```
/// use std::net::UdpSocket;
/// use superhet_io::{C32, SampleFormat, blocks::{Vita49Sink, Vita49SinkSettings}};
/// use superhet_runtime::{Graph, harness::VecSource};
///
/// let receiver = UdpSocket::bind("127.0.0.1:0")?;
/// let port = receiver.local_addr()?.port();
/// let mut graph = Graph::new();
/// let source = graph.add("source", VecSource::new(vec![C32::new(0.5, -0.5); 2]));
/// let sink = Vita49Sink::new("127.0.0.1", port, Vita49SinkSettings::new(SampleFormat::CS16, 48e3))?;
/// let sink = graph.add("sink", sink);
/// graph.connect(source.output, sink.input);
/// graph.run()?;
/// let mut packet = [0; 2000];
/// let lengths = [receiver.recv(&mut packet)?, receiver.recv(&mut packet)?, receiver.recv(&mut packet)?];
/// // The version, the context, and the samples behind 28 bytes of header.
/// assert_eq!(lengths, [44, 108, 36]);
/// assert_eq!(packet[28..36], [0x40, 0, 0xc0, 0, 0x40, 0, 0xc0, 0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct Vita49Sink {
    #[port("in")]
    input: In<C32>,
    host: String,
    port: u16,
    settings: Vita49SinkSettings,
    /// Samples of a full packet.
    samples: usize,
    context: ContextFields,
    /// Whether context is to be sent, and whether something has changed since it was sent last.
    is_due: bool,
    has_changed: bool,
    /// Samples since context was sent.
    since: u64,
    clock: StreamClock,
    counts: [u8; 3],
    /// The samples of the next packet, as they are sent, and the time of the first.
    body: Vec<u8>,
    time: Option<Moment>,
    datagram: Vec<u8>,
    /// Where the packets go, once the graph runs.
    socket: Option<(UdpSocket, SocketAddr)>,
}

/// The settings of a [`Vita49Sink`].
///
/// | setting | unit | range | means | default |
/// |---|---|---|---|---|
/// | `format` | | `ci8`, `ci16`, `cf32` | how samples are sent | |
/// | `rate_hz` | Hz | > 0 | samples a second, until a tag says it | |
/// | `center_hz` | Hz | | the centre frequency | 0 |
/// | `gain_db` | dB | −256 to 256 | the gain before the samples | 0 |
/// | `stream` | | | the number of the stream | 0 |
/// | `packet_bytes` | bytes | 128 to 65 504 | a full packet with its header | 1472 |
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the table says it")]
pub struct Vita49SinkSettings {
    pub format: SampleFormat,
    pub rate_hz: f64,
    pub center_hz: f64,
    pub gain_db: f64,
    pub stream: u32,
    pub packet_bytes: usize,
}

impl Vita49SinkSettings {
    /// For samples that are sent in this format and come at this rate.
    pub fn new(format: SampleFormat, rate_hz: f64) -> Self {
        Vita49SinkSettings { format, rate_hz, center_hz: 0.0, gain_db: 0.0, stream: 0, packet_bytes: 1472 }
    }
}

/// Bytes of a header with everything.
const HEADER: usize = 28;
/// The shortest and the longest packet.
const LEAST_BYTES: usize = 128;
const MOST_BYTES: usize = 65_504;
/// The name of the block in errors about its settings.
const NAME: &str = "vita49_sink";

impl Vita49Sink {
    /// Will send to `host` and `port`.
    ///
    /// # Errors
    /// [`Error::Setting`] where a setting is out of its range.
    pub fn new(host: &str, port: u16, mut settings: Vita49SinkSettings) -> Result<Self, Error> {
        settings.format = expect_format(NAME, settings.format)?;
        let wrong = |parameter, got: String, expected: &str| {
            Err(Error::Setting { path: NAME.into(), parameter, got, expected: expected.to_owned() })
        };
        if !(LEAST_BYTES..=MOST_BYTES).contains(&settings.packet_bytes) {
            return wrong("packet_bytes", settings.packet_bytes.to_string(), "128 to 65504 bytes");
        }
        if !(settings.rate_hz > 0.0 && settings.rate_hz <= 1e12) {
            return wrong("rate_hz", settings.rate_hz.to_string(), "more than 0 and at most 10¹² Hz");
        }
        if settings.center_hz.is_nan() || settings.center_hz.abs() > 1e12 {
            return wrong("frequency_hz", settings.center_hz.to_string(), "a frequency within ±10¹² Hz");
        }
        if !(-256.0..256.0).contains(&settings.gain_db) {
            return wrong("gain_db", settings.gain_db.to_string(), "-256 to 256 dB");
        }
        // Whole words, without padding in between.
        let bytes = (settings.packet_bytes - HEADER) / 8 * 8;
        let context = ContextFields {
            bandwidth_hz: None,
            center_hz: Some(settings.center_hz),
            gain_db: Some(settings.gain_db),
            rate_hz: Some(settings.rate_hz),
            format: Some(Ok(settings.format)),
        };
        let mut clock = StreamClock::new();
        let rate = settings.rate_hz.into();
        clock.note(&Tag { index: 0, key: "rx_rate".into(), value: rate, source: NAME.into() });
        Ok(Vita49Sink {
            input: In::new(),
            host: host.to_owned(),
            port,
            samples: bytes / settings.format.bytes(),
            context,
            is_due: true,
            has_changed: true,
            since: 0,
            clock,
            counts: [0; 3],
            body: Vec::new(),
            time: None,
            datagram: Vec::new(),
            socket: None,
            settings,
        })
    }

    /// Takes over what a tag says of the items from its own on.
    fn note(&mut self, tag: &Tag) {
        let before = self.context;
        let value = tag.value.as_f64().filter(|value| value.is_finite());
        match &*tag.key {
            "rx_rate" => self.context.rate_hz = value.filter(|rate| *rate > 0.0).or(self.context.rate_hz),
            "rx_freq" => self.context.center_hz = value.or(self.context.center_hz),
            "rx_bandwidth" => self.context.bandwidth_hz = value.or(self.context.bandwidth_hz),
            "rx_gain" => self.context.gain_db = value.or(self.context.gain_db),
            _ => {}
        }
        self.clock.note(tag);
        let has_changed = self.context != before;
        self.is_due |= has_changed;
        self.has_changed |= has_changed;
    }

    /// How many samples wait for the packet to be full.
    fn waiting(&self) -> usize {
        self.body.len() / self.settings.format.bytes()
    }

    /// Sends the samples that wait, behind context where it is due.
    fn flush(&mut self) -> Result<(), Error> {
        if self.body.is_empty() {
            return Ok(());
        }
        let stamp = self.time.map(Stamp::utc).unwrap_or_default();
        let is_difi = self.settings.format.number() != Number::F32;
        let class = |class: Class| is_difi.then_some(class);
        if std::mem::take(&mut self.is_due) {
            let has_changed = std::mem::take(&mut self.has_changed);
            if is_difi {
                self.send(PacketKind::ExtensionContext, class(VERSION_CLASS), stamp, &version(has_changed))?;
            }
            self.send(PacketKind::Context, class(CONTEXT_CLASS), stamp, &self.context.difi(has_changed))?;
            self.since = 0;
        }
        self.since = self.since.saturating_add(self.waiting() as u64);
        self.is_due = self.context.rate_hz.is_some_and(|rate_hz| self.since as f64 >= rate_hz);
        let mut body = std::mem::take(&mut self.body);
        self.send(PacketKind::Data, class(DATA_CLASS), stamp, &body)?;
        body.clear();
        self.body = body;
        Ok(())
    }

    /// Sends a packet.
    fn send(
        &mut self,
        kind: PacketKind,
        class: Option<Class>,
        stamp: Stamp,
        body: &[u8],
    ) -> Result<(), Error> {
        let counted = match kind {
            PacketKind::Data => 0,
            PacketKind::Context => 1,
            PacketKind::ExtensionContext | PacketKind::Other => 2,
        };
        let count = self.counts[counted];
        self.counts[counted] = count.wrapping_add(1) % 16;
        let packet = Packet { kind, count, stream: Some(self.settings.stream), class, stamp, body };
        self.datagram.clear();
        packet.write(&mut self.datagram);
        let fail =
            |source| Error::Socket { address: address(&self.host, self.port), action: "send to", source };
        let (socket, address) = match &mut self.socket {
            Some(open) => open,
            closed => closed.insert(super::udp_sink::open(&self.host, self.port).map_err(fail)?),
        };
        socket.send_to(&self.datagram, *address).map(|_| ()).map_err(fail)
    }
}

/// Whether a tag changes what a packet says of its samples.
fn matters(tag: &Tag) -> bool {
    matches!(&*tag.key, "gap" | "rx_time" | "rx_rate" | "rx_freq" | "rx_bandwidth" | "rx_gain")
}

/// The time by this machine's clock.
fn now() -> Moment {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let seconds = i64::try_from(since.as_secs()).unwrap_or(i64::MAX);
    Moment { seconds, fraction: f64::from(since.subsec_nanos()) / 1e9 }
}

impl Work for Vita49Sink {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        while self.input.available() > 0 {
            let first = self.input.index();
            let mut n = self.input.available().min(self.samples.saturating_sub(self.waiting()).max(1));
            let mut said = Vec::new();
            let most = n;
            self.input.for_each_tag(most, |tag| match usize::try_from(tag.index.saturating_sub(first)) {
                Ok(0) if matters(tag) => said.push(tag.clone()),
                Ok(ahead) if matters(tag) => n = n.min(ahead),
                _ => {}
            });
            if !said.is_empty() {
                self.flush()?;
                said.iter().for_each(|tag| self.note(tag));
            }
            if self.body.is_empty() {
                if self.clock.time_of(first).is_none() {
                    let time = now().into();
                    self.clock.note(&Tag {
                        index: first,
                        key: "rx_time".into(),
                        value: time,
                        source: NAME.into(),
                    });
                }
                self.time = self.clock.time_of(first);
            }
            C32::to_bytes(self.settings.format, &self.input.peek()[..n], &mut self.body);
            self.input.consume(n);
            if self.waiting() >= self.samples {
                self.flush()?;
            }
        }
        Ok(Step::NeedInput)
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        self.flush()?;
        Ok(Step::Done)
    }
}

/// How files and the command line find [`Vita49Sink`].
pub const ENTRY: Entry = Entry {
    name: NAME,
    category: "sinks",
    summary: "Samples into packets of VITA 49.2 and DIFI.",
    params: &[
        required(
            "rate_hz",
            Kind::Float(0.0, 1e12),
            "Hz",
            "Samples a second, > 0, until the tag rx_rate says it.",
        ),
        optional("host", Kind::Text, "", "\"127.0.0.1\"", "The name or address to send to."),
        optional("port", Kind::Integer(1, 65535), "", "4991", "The port to send to."),
        optional(
            "format",
            Kind::Choice(&["ci8", "ci16", "cf32"]),
            "",
            "\"ci16\"",
            "How samples are sent; those of ci8 and ci16 are DIFI's.",
        ),
        optional(
            "frequency_hz",
            Kind::Float(-1e12, 1e12),
            "Hz",
            "0",
            "The centre frequency, until the tag rx_freq says it.",
        )
        .formerly(&["center_hz"]),
        optional(
            "gain_db",
            Kind::Float(-255.0, 255.0),
            "dB",
            "0",
            "The gain before the samples, until the tag rx_gain says it.",
        ),
        optional("stream", Kind::Integer(0, u32::MAX as i64), "", "0", "The number of the stream."),
        optional(
            "packet_bytes",
            Kind::Integer(LEAST_BYTES as i64, MOST_BYTES as i64),
            "bytes",
            "1472",
            "A full packet with its header.",
        ),
    ],
    ports: &[input("in", "C32", "the samples, full scale = 1.0")],
    make: |params| {
        let settings = Vita49SinkSettings {
            format: params.text("format").parse()?,
            rate_hz: params.float("rate_hz"),
            center_hz: params.float("frequency_hz"),
            gain_db: params.float("gain_db"),
            stream: u32::try_from(params.integer("stream")).unwrap_or(0),
            packet_bytes: params.count("packet_bytes"),
        };
        let port = u16::try_from(params.count("port")).unwrap_or(PORT);
        Ok(AnyBlock::new(Vita49Sink::new(params.text("host"), port, settings)?))
    },
};
