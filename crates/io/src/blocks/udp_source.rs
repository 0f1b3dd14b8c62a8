//! Samples out of datagrams.

use std::net::{SocketAddr, UdpSocket};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use superhet_runtime::catalog::{COUNT, Entry, Kind, optional, output};
use superhet_runtime::gap::{Gaps, OnGap};
use superhet_runtime::{Block, BlockError, Context, Out, Step, Value, Work};

use super::datagrams::{Datagram, Lost, Next, Receiver, Shape, UdpHeader};
use super::item::{self, FLOAT_OR_RAW, FileItem, block_of_format, known};
use super::source::tag_known;
use crate::error::Error;
use crate::format::SampleFormat;
use crate::notices::Notices;

/// Samples out of datagrams, as GNU Radio's `network.udp_sink` or a [`UdpSink`](super::UdpSink) sends them.
///
/// A thread of its own receives them into a ring of [`UdpSettings::buffer_packets`]. Datagrams that come while the ring is
/// full, because the graph is too slow, are dropped. Losses on the way show where the header has numbers. Both are gaps:
/// tagged, counted, and filled or refused as [`UdpSettings::on_gap`] says; see [`gap`](superhet_runtime::gap). A datagram
/// that was counted as lost and comes late is dropped. So is one that is not of the agreed shape, which the metrics count
/// as a dropped packet.
///
/// Anybody who reaches the port can send samples: nothing in a datagram proves whose it is. A stranger cannot end the
/// source, unless [`UdpSettings::on_gap`] makes every loss an error. Nor can a stranger make it produce zeros faster than
/// twice the rate (33.5 million items a second where the rate is not known).
///
/// The first item has the tags `rx_time`, when its datagram arrived, and `rx_rate`, where the settings give it; the first
/// after a gap of unknown length has `rx_time`, too.
///
/// A datagram without a byte ends the source where the settings say so and it comes from where the last samples have come
/// from. Otherwise it goes on until it is stopped.
///
/// | port | item | unit |
/// |---|---|---|
/// | out `out` | any [`FileItem`] | as sent, or full scale = 1.0 |
///
/// # Errors
/// At run time: [`Error::Socket`]; a gap, where the settings say so.
///
/// # Example
///
/// ```
/// use std::net::UdpSocket;
/// use superhet_io::{SampleFormat, blocks::{UdpHeader, UdpSettings, UdpSource}};
/// use superhet_runtime::{Graph, harness::VecSink};
///
/// let settings = UdpSettings { header: UdpHeader::Sequence, eof: true, ..UdpSettings::default() };
/// let source = UdpSource::<i16>::new("127.0.0.1", 0, SampleFormat::S16, settings)?.bind()?;
/// let address = source.local_addr().unwrap();
///
/// let mut graph = Graph::new();
/// let source = graph.add("udp", source);
/// let sink = VecSink::<i16>::new();
/// let items = sink.items();
/// let sink = graph.add("sink", sink);
/// graph.connect(source.output, sink.input);
/// let sender = UdpSocket::bind("127.0.0.1:0")?;
/// sender.send_to(&[1, 0, 0, 0, 0, 0, 0, 0, 5, 0, 255, 255], address)?;
/// sender.send_to(&[], address)?;
/// graph.run()?;
/// assert_eq!(items.take(), [5, -1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct UdpSource<T: FileItem> {
    #[port("out")]
    output: Out<T>,
    host: String,
    port: u16,
    format: SampleFormat,
    settings: UdpSettings,
    socket: Option<UdpSocket>,
    receiver: Option<Receiver>,
    gaps: Gaps,
    /// The datagram that is being given.
    current: Option<Datagram>,
    ended: bool,
    /// Items lost since the last word about it.
    unreported: u64,
    notices: Notices,
}

/// The settings of a [`UdpSource`]: what it expects, and how it treats losses.
///
/// | setting | means | default |
/// |---|---|---|
/// | `header` | what stands before the samples | nothing |
/// | `packet_bytes` | bytes of a full datagram with its header, as the sender has it; what is lost is counted by it | 1472 |
/// | `notify_missed` | losses are logged, once a second at most | yes |
/// | `source_zeros` | a datagram's worth of zeros, tagged `gap_filled`, whenever nothing has come for 50 ms | no |
/// | `eof` | a datagram without a byte is the end, where its sender has sent the last samples | no |
/// | `on_gap` | what is done about what is missing | go on |
/// | `buffer_packets` | datagrams that wait for the graph at most | 4096 |
/// | `rate_hz` | samples a second, for the tag `rx_rate` | not known |
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the table says it")]
pub struct UdpSettings {
    pub header: UdpHeader,
    pub packet_bytes: usize,
    pub notify_missed: bool,
    pub source_zeros: bool,
    pub eof: bool,
    pub on_gap: OnGap,
    pub buffer_packets: usize,
    pub rate_hz: Option<f64>,
}

/// Bytes of a datagram that fits into an Ethernet frame.
pub(super) const PAYLOAD: usize = 1472;

impl Default for UdpSettings {
    fn default() -> Self {
        UdpSettings {
            header: UdpHeader::None,
            packet_bytes: PAYLOAD,
            notify_missed: true,
            source_zeros: false,
            eof: false,
            on_gap: OnGap::Continue,
            buffer_packets: 4096,
            rate_hz: None,
        }
    }
}

/// How long a call waits for a datagram.
const TIMEOUT: Duration = Duration::from_millis(50);
/// Zeros a second that may stand for losses where the rate is not known: the number that shows a loss may be wrong.
const MOST_ZEROS: f64 = 33_554_432.0;

impl<T: FileItem> UdpSource<T> {
    /// Will listen at `host` and `port` when the graph runs.
    ///
    /// # Errors
    /// [`Error::WrongItem`] where `T` does not hold samples of that format; [`Error::Setting`] where the payload size has
    /// no room for one.
    pub fn new(host: &str, port: u16, format: SampleFormat, settings: UdpSettings) -> Result<Self, Error> {
        item::expect::<T>(Path::new(NAME), format)?;
        expect_payload(NAME, settings.header, settings.packet_bytes, format)?;
        Ok(UdpSource {
            output: Out::new(),
            host: host.to_owned(),
            port,
            format,
            gaps: Gaps::new(settings.on_gap)
                .limit_zeros(settings.rate_hz.map_or(MOST_ZEROS, |rate_hz| 2.0 * rate_hz)),
            settings,
            socket: None,
            receiver: None,
            current: None,
            ended: false,
            unreported: 0,
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

    fn shape(&self) -> Shape {
        let UdpSettings { header, packet_bytes: full, eof, .. } = self.settings;
        Shape { header, full, item_bytes: self.format.bytes(), eof }
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
        Error::Socket { address: format!("{}:{}", self.host, self.port), action, source }
    }

    fn start(&mut self) -> Result<(), Error> {
        if self.receiver.is_none() {
            let socket = self.socket()?.try_clone().map_err(|source| self.error("listen at", source))?;
            let receiver = Receiver::start(socket, self.shape(), self.settings.buffer_packets);
            self.receiver = Some(receiver.map_err(|source| self.error("listen at", source))?);
        }
        Ok(())
    }

    /// Takes the next datagram, waiting for it if `waits`; whether there is one.
    fn fetch(&mut self, waits: bool) -> Result<bool, Error> {
        let used = self.current.take().map(|datagram| datagram.bytes).unwrap_or_default();
        let Some(receiver) = &self.receiver else { return Ok(false) };
        let timeout = if waits { TIMEOUT } else { Duration::ZERO };
        let next = receiver.next(used, timeout);
        let (bad, problem) = receiver.take_bad();
        (0..bad).for_each(|_| self.output.count_dropped_packet());
        if let Some(problem) = problem {
            self.notices.warn(|| format!("{}:{}: a datagram was dropped, {problem}", self.host, self.port));
        }
        let lost = match next.map_err(|source| self.error("receive at", source))? {
            Next::Nothing => return Ok(false),
            Next::End(lost) => {
                self.ended = true;
                lost
            }
            Next::Datagram(datagram) => {
                let lost = datagram.lost;
                if lost == Lost::Unknown {
                    self.tag_time(datagram.arrived);
                }
                self.current = Some(datagram);
                lost
            }
        };
        match lost {
            Lost::Nothing => {}
            Lost::Items(items) => self.gaps.lost(items),
            Lost::Unknown => self.gaps.lost(None),
        }
        self.report(lost);
        Ok(true)
    }

    /// Says when the next item was received, as GNU Radio does.
    fn tag_time(&mut self, time: SystemTime) {
        let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
        let fraction = f64::from(since.subsec_nanos()) / 1e9;
        self.output.tag(0, "rx_time", Value::Tuple([Value::Uint(since.as_secs()), fraction.into()].into()));
    }

    /// Logs what is missing, at a limited rate.
    fn report(&mut self, lost: Lost) {
        self.unreported = self.unreported.saturating_add(match lost {
            Lost::Nothing => return,
            Lost::Items(items) => items,
            Lost::Unknown => 0,
        });
        if self.settings.notify_missed {
            let (unreported, index) = (&mut self.unreported, self.output.index());
            self.notices.warn(|| match (std::mem::take(unreported), lost) {
                (_, Lost::Unknown) => {
                    format!("samples are missing before item {index}, nobody knows how many")
                }
                (items, _) => format!("{items} samples are missing, the last of them before item {index}"),
            });
        }
    }

    /// Gives samples of the current datagram, as many as there is room for.
    fn give(&mut self) {
        let Some(datagram) = &mut self.current else { return };
        let room = self.output.reserve();
        let item_bytes = self.format.bytes();
        let n = room.len().min(datagram.bytes.len().saturating_sub(datagram.start) / item_bytes);
        let end = datagram.start.saturating_add(n.saturating_mul(item_bytes));
        let bytes = datagram.bytes.get(datagram.start..end).unwrap_or_default();
        T::from_bytes(self.format, bytes, &mut room[..n]);
        datagram.start = end;
        self.output.produce(n);
    }

    fn is_given(&self) -> bool {
        self.current.as_ref().is_none_or(|datagram| datagram.start == datagram.bytes.len())
    }
}

/// The name of the block in errors about its settings.
const NAME: &str = "udp_source";

/// Checks that a datagram of `packet_bytes` bytes has room for a sample, and is not longer than its header can say.
pub(super) fn expect_payload(
    block: &str,
    header: UdpHeader,
    packet_bytes: usize,
    format: SampleFormat,
) -> Result<(), Error> {
    let (least, most) = (header.bytes() + format.bytes(), header.most());
    if (least..=most).contains(&packet_bytes) {
        return Ok(());
    }
    Err(Error::Setting {
        path: block.into(),
        parameter: "packet_bytes",
        got: packet_bytes.to_string(),
        expected: format!("{least} to {most} bytes, the header and at least one {format} sample"),
    })
}

impl<T: FileItem> Work for UdpSource<T> {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        self.start()?;
        let before = self.output.index();
        loop {
            match self.gaps.settle(&mut self.output) {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => return Ok(context.end_with(error)),
            }
            if self.ended || context.is_stopping() {
                return Ok(Step::Done);
            }
            if self.output.room() == 0 {
                break;
            }
            if !self.is_given() {
                self.give();
                continue;
            }
            let has_given = self.output.index() > before;
            if self.fetch(!has_given)? {
                if let (0, Some(first)) = (self.output.index(), &self.current) {
                    if first.lost != Lost::Unknown {
                        self.tag_time(first.arrived);
                    }
                    tag_known(&mut self.output, &[("rx_rate", self.settings.rate_hz)]);
                }
                continue;
            }
            if has_given || !self.settings.source_zeros {
                break;
            }
            let room = self.output.reserve();
            let n = room.len().min(self.settings.packet_bytes / self.format.bytes());
            room[..n].fill(T::zeroed());
            self.output.tag(0, superhet_runtime::gap::GAP_FILLED, n);
            self.output.produce(n);
        }
        // Also when nothing has come: it looks again.
        Ok(Step::Ran)
    }

    fn blocking(&self) -> bool {
        true
    }
}

/// The parameter `header`.
pub(super) const HEADER: superhet_runtime::catalog::Param = optional(
    "header",
    Kind::Choice(UdpHeader::WORDS),
    "",
    "\"none\"",
    "What stands before the samples: nothing, a number of 8 bytes, or that and the datagram's length.",
);

/// The parameter `packet_bytes`.
pub(super) const PAYLOAD_SIZE: superhet_runtime::catalog::Param = optional(
    "packet_bytes",
    Kind::Integer(1, 65_507),
    "bytes",
    "1472",
    "A full datagram with its header; the same on both sides.",
)
.formerly(&["payload_size"]);

/// The parameter `format`.
pub(super) const FORMAT: superhet_runtime::catalog::Param = optional(
    "format",
    Kind::Text,
    "",
    "\"cf32_le\"",
    "How samples are sent, such as cf32_le, ci16_le or cu8.",
);

/// How files and the command line find [`UdpSource`].
pub const ENTRY: Entry = Entry {
    name: "udp_source",
    category: "sources",
    summary: "Samples out of UDP datagrams; losses are tagged and counted.",
    params: &[
        optional("port", Kind::Integer(0, 65535), "", "1234", "The port to listen at; 0: one that is free."),
        optional(
            "host",
            Kind::Text,
            "",
            "\"127.0.0.1\"",
            "The name or address to listen at; 0.0.0.0 is every one of IPv4, :: of both.",
        ),
        FORMAT,
        optional("output", FLOAT_OR_RAW, "", "\"float\"", "float: C32 or f32, full scale 1.0; raw: as sent."),
        HEADER,
        PAYLOAD_SIZE,
        optional("notify_missed", Kind::Bool, "", "true", "Logs losses."),
        optional("source_zeros", Kind::Bool, "", "false", "Gives zeros while nothing comes."),
        optional(
            "eof",
            Kind::Bool,
            "",
            "false",
            "A datagram without a byte is the end, where its sender has sent the last samples.",
        ),
        optional(
            "on_gap",
            Kind::Choice(OnGap::WORDS),
            "",
            "\"continue\"",
            "What is done where samples are missing: go on with a tag, fill in zeros, or end with an error.",
        ),
        optional("buffer_packets", COUNT, "datagrams", "4096", "How many wait for the graph at most."),
        optional("rate_hz", Kind::Float(0.0, 1e12), "Hz", "0", "The rate for the tag rx_rate; 0: not known."),
    ],
    ports: &[output("out", "C32, f32 or as sent", "the samples, full scale = 1.0 or as sent")],
    make: |params| {
        let (host, port) = (params.text("host"), params.count("port") as u16);
        let format: SampleFormat = params.text("format").parse()?;
        let settings = UdpSettings {
            header: UdpHeader::of_word(params.text("header")),
            packet_bytes: params.count("packet_bytes"),
            notify_missed: params.flag("notify_missed"),
            source_zeros: params.flag("source_zeros"),
            eof: params.flag("eof"),
            on_gap: OnGap::of_word(params.text("on_gap")),
            buffer_packets: params.count("buffer_packets"),
            rate_hz: known(params.float("rate_hz")),
        };
        let as_stored = params.text("output") == "raw";
        let path = Path::new(NAME);
        Ok(block_of_format!(path, format, as_stored, T => UdpSource::<T>::new(host, port, format, settings)?))
    },
};
