//! Samples out of packets of VITA 49.2 and DIFI.

use std::net::{SocketAddr, UdpSocket};
use std::time::Duration;

use superhet_runtime::catalog::{COUNT, Entry, Kind, optional, output};
use superhet_runtime::gap::{Gaps, OnGap};
use superhet_runtime::{AnyBlock, Block, BlockError, Context, Out, Step, Value, Work, clock::Moment};

use super::datagrams::{Datagram, Next, Receiver, Shape, UdpHeader};
use super::item::FileItem;
use super::rtl_tcp_settings::ON_GAP;
use crate::C32;
use crate::connecting::address;
use crate::error::Error;
use crate::format::{Endian, Number, SampleFormat, Shape as Numbers};
use crate::notices::Notices;
use crate::vita49::context::ContextFields;
use crate::vita49::follow::{Follow, Place};
use crate::vita49::{self, Packet, WORD};

/// Samples out of UDP packets of VITA 49.2, as converters of DIFI and many receivers send them.
///
/// A thread of its own receives them into a ring of [`Vita49Settings::buffer_packets`]. Packets that are lost on the way, or
/// because the graph is too slow, are gaps: tagged, counted, and filled or refused as [`Vita49Settings::on_gap`] says; see
/// [`gap`](superhet_runtime::gap). The packets' count tells how many are missing, but for multiples of 16, which their time tells
/// where it is there and the rate is known. A packet that was counted as missing and comes late is dropped. One that is no
/// packet of samples as they are read here is counted as a dropped packet, and said in the log.
///
/// One stream is read: that of [`Vita49Settings::stream`], or the first that comes. Samples are complex, of 8 or 16 bits or
/// floats of 32, big endian. What they are, context packets say, or [`Vita49Settings::format`]; samples before that is known are
/// dropped.
///
/// | tag | at | value |
/// |---|---|---|
/// | `rx_time` | the first item, and the first after a gap | seconds and their fraction, as the packet says; else when it came |
/// | `rx_rate`, `rx_freq`, `rx_bandwidth` | where context says something new | Hz |
/// | `rx_gain` | the same | dB, that of all stages |
///
/// Anybody who reaches the port can send samples: nothing in a packet proves whose it is.
///
/// | port | item | unit |
/// |---|---|---|
/// | out `out` | `C32` | full scale = 1.0 |
///
/// # Errors
/// At run time: [`Error::Socket`]; a gap, where the settings say so.
///
/// **Source**: ANSI/VITA 49.2-2017, sections 5 to 9; IEEE-ISTO 4900-2021 (DIFI 1.1).
#[derive(Debug, Block)]
pub struct Vita49Source {
    #[port("out")]
    output: Out<C32>,
    host: String,
    port: u16,
    settings: Vita49Settings,
    socket: Option<UdpSocket>,
    receiver: Option<Receiver>,
    stream: Option<u32>,
    /// What context has said, and what was said of it in tags.
    context: ContextFields,
    said: ContextFields,
    follow: Follow,
    gaps: Gaps,
    /// The samples that are being given, and the place of the next.
    current: Vec<C32>,
    given: usize,
    /// The time of the first of them, where a tag is to say it.
    time: Option<Moment>,
    has_begun: bool,
    notices: Notices,
}

/// The settings of a [`Vita49Source`].
///
/// | setting | means | default |
/// |---|---|---|
/// | `format` | how samples are stored: `ci8`, `ci16` or `cf32`; none: as context says | none |
/// | `stream` | the stream that is read; none: the first that comes | none |
/// | `rate_hz` | samples a second, until context says it | not known |
/// | `on_gap` | what is done about what is missing | go on |
/// | `buffer_packets` | packets that wait for the graph at most | 4096 |
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the table says it")]
pub struct Vita49Settings {
    pub format: Option<SampleFormat>,
    pub stream: Option<u32>,
    pub rate_hz: Option<f64>,
    pub on_gap: OnGap,
    pub buffer_packets: usize,
}

impl Default for Vita49Settings {
    fn default() -> Self {
        Vita49Settings {
            format: None,
            stream: None,
            rate_hz: None,
            on_gap: OnGap::Continue,
            buffer_packets: 4096,
        }
    }
}

/// How long a call waits for a packet.
const TIMEOUT: Duration = Duration::from_millis(50);
/// The longest datagram.
const MOST_BYTES: usize = 65_507 / WORD * WORD;
/// Zeros a second that may stand for losses where the rate is not known.
const MOST_ZEROS: f64 = 33_554_432.0;
/// The name of the block in errors about its settings.
const NAME: &str = "vita49_source";
/// Where packets come, if nothing else is said.
pub(super) const PORT: u16 = 4991;

/// The format that is sent big endian, of those that are read and written here.
///
/// # Errors
/// [`Error::Setting`] where it is another.
pub(super) fn expect_format(block: &str, format: SampleFormat) -> Result<SampleFormat, Error> {
    let is_known = format.is_complex() && matches!(format.number(), Number::I8 | Number::I16 | Number::F32);
    if is_known {
        return Ok(SampleFormat::new(Numbers::Complex, format.number(), Endian::Big));
    }
    let (got, expected) = (format.to_string(), "ci8, ci16 or cf32".to_owned());
    Err(Error::Setting { path: block.into(), parameter: "format", got, expected })
}

impl Vita49Source {
    /// Will listen at `host` and `port` when the graph runs.
    ///
    /// # Errors
    /// [`Error::Setting`] where the format is none of those that are read.
    pub fn new(host: &str, port: u16, mut settings: Vita49Settings) -> Result<Self, Error> {
        settings.format = settings.format.map(|format| expect_format(NAME, format)).transpose()?;
        let zeros = settings.rate_hz.map_or(MOST_ZEROS, |rate_hz| 2.0 * rate_hz);
        Ok(Vita49Source {
            output: Out::new(),
            host: host.to_owned(),
            port,
            socket: None,
            receiver: None,
            stream: settings.stream,
            context: ContextFields { rate_hz: settings.rate_hz, ..ContextFields::default() },
            said: ContextFields::default(),
            follow: Follow::default(),
            gaps: Gaps::new(settings.on_gap).limit_zeros(zeros),
            current: Vec::new(),
            given: 0,
            time: None,
            has_begun: false,
            settings,
            notices: Notices::default(),
        })
    }

    /// Listens from now on; port 0 is one that is free. What comes before the graph runs waits in the system's buffer.
    ///
    /// # Errors
    /// [`Error::Socket`].
    pub fn bind(mut self) -> Result<Self, Error> {
        self.socket()?;
        Ok(self)
    }

    /// Where it listens, once it does.
    pub fn local_addr(&self) -> Option<SocketAddr> {
        self.socket.as_ref()?.local_addr().ok()
    }

    fn socket(&mut self) -> Result<&UdpSocket, Error> {
        let socket = match self.socket.take() {
            Some(socket) => socket,
            None => {
                UdpSocket::bind((&*self.host, self.port)).map_err(|source| self.error("listen at", source))?
            }
        };
        Ok(self.socket.insert(socket))
    }

    fn error(&self, action: &'static str, source: std::io::Error) -> Error {
        Error::Socket { address: address(&self.host, self.port), action, source }
    }

    fn start(&mut self) -> Result<(), Error> {
        if self.receiver.is_none() {
            let socket = self.socket()?.try_clone().map_err(|source| self.error("listen at", source))?;
            let shape = Shape { header: UdpHeader::None, full: MOST_BYTES, item_bytes: WORD, eof: false };
            let receiver = Receiver::start(socket, shape, self.settings.buffer_packets);
            self.receiver = Some(receiver.map_err(|source| self.error("listen at", source))?);
        }
        Ok(())
    }

    /// Takes the next packet, waiting for it if `waits`; whether there is one.
    fn fetch(&mut self, waits: bool) -> Result<bool, Error> {
        let Some(receiver) = &self.receiver else { return Ok(false) };
        let timeout = if waits { TIMEOUT } else { Duration::ZERO };
        let next = receiver.next(Vec::new(), timeout).map_err(|source| self.error("receive at", source))?;
        let (bad, problem) = receiver.take_bad();
        (0..bad).for_each(|_| self.output.count_dropped_packet());
        if let Some(problem) = problem {
            self.drop_packet(&problem, false);
        }
        let Next::Datagram(datagram) = next else { return Ok(false) };
        if let Err(problem) = self.take(&datagram) {
            self.drop_packet(&problem, true);
        }
        Ok(true)
    }

    fn drop_packet(&mut self, problem: &str, counts: bool) {
        if counts {
            self.output.count_dropped_packet();
        }
        let place = address(&self.host, self.port);
        self.notices.warn(|| format!("{place}: a packet was dropped, {problem}"));
    }

    /// Takes over what a packet says.
    fn take(&mut self, datagram: &Datagram) -> Result<(), String> {
        let packet = Packet::parse(&datagram.bytes)?;
        let is_mine = |stream: Option<u32>| stream.is_none() || packet.stream == stream;
        match packet.kind {
            vita49::Kind::Context if is_mine(self.stream) => {
                let context = ContextFields::parse(packet.body)?;
                let known = &mut self.context;
                known.bandwidth_hz = context.bandwidth_hz.or(known.bandwidth_hz);
                known.center_hz = context.center_hz.or(known.center_hz);
                known.gain_db = context.gain_db.or(known.gain_db);
                known.rate_hz = context.rate_hz.or(known.rate_hz);
                known.format = context.format.or(known.format);
                Ok(())
            }
            vita49::Kind::Data if is_mine(self.stream) => self.take_samples(&packet, datagram),
            _ => Ok(()),
        }
    }

    fn take_samples(&mut self, packet: &Packet<'_>, datagram: &Datagram) -> Result<(), String> {
        let format = match (self.settings.format, self.context.format) {
            (Some(format), _) | (None, Some(Ok(format))) => format,
            (None, Some(Err(word))) => {
                return Err(format!(
                    "its payload format is {word:#018x}, expected complex ci8, ci16 or cf32"
                ));
            }
            (None, None) => {
                return Err("no context has said its format yet, nor the parameter format".to_owned());
            }
        };
        if !packet.body.len().is_multiple_of(format.bytes()) {
            let length = packet.body.len();
            return Err(format!(
                "its {length} bytes are not whole {format} samples of {} bytes",
                format.bytes()
            ));
        }
        self.stream = packet.stream;
        let samples = packet.body.len() / format.bytes();
        let rate_hz = self.context.rate_hz;
        let time = packet.stamp.moment(rate_hz);
        match self.follow.place(packet.count, time, samples as u64, rate_hz) {
            Place::Late => return Ok(()),
            Place::Next(0) if self.has_begun => {}
            Place::Next(missing) => {
                self.gaps.lost(missing);
                self.time = Some(time.unwrap_or_else(|| arrival(datagram)));
            }
            Place::AfterUnknown => {
                self.gaps.lost(None);
                self.time = Some(time.unwrap_or_else(|| arrival(datagram)));
            }
        }
        self.has_begun = true;
        self.current.clear();
        self.current.resize(samples, C32::default());
        C32::from_bytes(format, packet.body, &mut self.current);
        self.given = 0;
        Ok(())
    }

    /// Puts what is new on the first item of the reserved room.
    fn tag(&mut self) {
        if let Some(time) = self.time.take() {
            self.output.tag(0, "rx_time", Value::from(time));
        }
        let (known, said) = (self.context, std::mem::replace(&mut self.said, self.context));
        let news = [
            ("rx_rate", known.rate_hz, said.rate_hz),
            ("rx_freq", known.center_hz, said.center_hz),
            ("rx_bandwidth", known.bandwidth_hz, said.bandwidth_hz),
            ("rx_gain", known.gain_db, said.gain_db),
        ];
        for (key, value, _) in news.into_iter().filter(|(_, known, said)| known != said) {
            if let Some(value) = value {
                self.output.tag(0, key, value);
            }
        }
    }
}

/// When a packet came.
fn arrival(datagram: &Datagram) -> Moment {
    let since = datagram.arrived.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let seconds = i64::try_from(since.as_secs()).unwrap_or(i64::MAX);
    Moment { seconds, fraction: f64::from(since.subsec_nanos()) / 1e9 }
}

impl Work for Vita49Source {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        self.start()?;
        let before = self.output.index();
        loop {
            match self.gaps.settle(&mut self.output) {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => return Ok(context.end_with(error)),
            }
            if context.is_stopping() || self.output.is_closed() {
                return Ok(Step::Done);
            }
            if self.output.room() == 0 {
                break;
            }
            if self.given < self.current.len() {
                self.tag();
                let rest = &self.current[self.given..];
                let room = self.output.reserve();
                let n = room.len().min(rest.len());
                room[..n].copy_from_slice(&rest[..n]);
                self.output.produce(n);
                self.given += n;
            } else {
                let has_given = self.output.index() > before;
                if !self.fetch(!has_given)? {
                    break;
                }
            }
        }
        // Also when nothing has come: it looks again.
        Ok(Step::Ran)
    }

    fn blocking(&self) -> bool {
        true
    }
}

/// How files and the command line find [`Vita49Source`].
pub const ENTRY: Entry = Entry {
    name: NAME,
    category: "sources",
    summary: "Samples out of packets of VITA 49.2 and DIFI; losses are tagged and counted.",
    params: &[
        optional("port", Kind::Integer(0, 65535), "", "4991", "The port to listen at; 0: one that is free."),
        optional(
            "host",
            Kind::Text,
            "",
            "\"127.0.0.1\"",
            "The name or address to listen at; 0.0.0.0 is every one of IPv4.",
        ),
        optional(
            "format",
            Kind::Choice(&["auto", "ci8", "ci16", "cf32"]),
            "",
            "\"auto\"",
            "How samples are sent; auto: as context packets say.",
        ),
        optional(
            "stream",
            Kind::Integer(-1, u32::MAX as i64),
            "",
            "-1",
            "The stream to read; -1: the first that comes.",
        ),
        optional(
            "rate_hz",
            Kind::Float(0.0, 1e12),
            "Hz",
            "0",
            "Samples a second, until context says it; 0: not known.",
        ),
        ON_GAP,
        optional("buffer_packets", COUNT, "packets", "4096", "How many wait for the graph at most."),
    ],
    ports: &[output("out", "C32", "the samples, full scale = 1.0")],
    make: |params| {
        let format = match params.text("format") {
            "auto" => None,
            name => Some(name.parse()?),
        };
        let settings = Vita49Settings {
            format,
            stream: u32::try_from(params.integer("stream")).ok(),
            rate_hz: super::item::known(params.float("rate_hz")),
            on_gap: OnGap::of_word(params.text("on_gap")),
            buffer_packets: params.count("buffer_packets"),
        };
        let port = u16::try_from(params.count("port")).unwrap_or(PORT);
        Ok(AnyBlock::new(Vita49Source::new(params.text("host"), port, settings)?))
    },
};
