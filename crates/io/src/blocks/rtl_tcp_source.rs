//! Samples of a radio behind an rtl_tcp server.

use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use superhet_runtime::catalog::{Entry, Kind, optional, output, set_port};
use superhet_runtime::{
    AnyBlock, Block, BlockError, Context, Out, Step, Tunable, Tuned, Value, Work, gap::Gaps,
};

use super::item::{self, FLOAT_OR_RAW, FileItem};
use super::link::{Link, TIMEOUT};
use super::rtl_tcp_settings::{
    AGC, BIAS_TEE, DIRECT_SAMPLING, GAIN, MOST_HZ, OFFSET_TUNING, ON_GAP, PARAMETERS, PPM, RECONNECT,
    RtlTcpSettings,
};
use super::source::{ItemBuffer, tag_known};
use crate::C32;
use crate::connecting::address;
use crate::error::Error;
use crate::format::SampleFormat;
use crate::notices::Notices;
use crate::rtl_tcp::PORT;
use crate::rtl_tcp::arrivals::Arrivals;
use crate::rtl_tcp::client::{Broken, Connection};

/// Samples of a radio behind an [rtl_tcp](https://osmocom.org/projects/rtl-sdr/wiki) server.
///
/// The first connection must come about, or the graph ends with an error. One that is lost later is tried again after 100 ms,
/// then after twice as long each time, up to 5 s; [`RtlTcpSettings::reconnect`] says whether. What the radio took meanwhile is
/// a gap: tagged, counted, and filled or refused as [`RtlTcpSettings::on_gap`] says; see [`gap`](superhet_runtime::gap). The
/// protocol has no numbers, so the length of a gap is what the rate and the clock say, from the sample before it to the one
/// behind it. Samples may be late then, so those of the first 150 ms are held until the one that was the least late is known. A gap
/// that was still too long makes the next one shorter. It is as exact as the network's least delay is steady. A server that sends
/// nothing for 5 s counts as lost.
///
/// The first item has the tags `rx_time`, `rx_rate` and `rx_freq`; the first after a gap has `rx_time`. Where the rate or the
/// frequency is changed, the next item has the new one as a tag. Samples that were on their way then are still of the old one.
///
/// | port | item | unit |
/// |---|---|---|
/// | out `out` | `C32` or `[u8; 2]` | full scale = 1.0, or as sent: 127.5 is 0 |
/// | in `set` | messages | new values of the settings: with [`Tuned`] |
///
/// # Errors
/// At run time: [`Error::Radio`], where the first connection fails, or a later one that is not to be tried again; a gap, where
/// the settings say so.
///
/// **Source**: `rtl_tcp.c` of rtl-sdr, whose numbers and byte order are what all such programs use.
///
/// # Example
///
/// ```
/// use std::{io::{self, Write}, net::{Shutdown, TcpListener}};
/// use superhet_io::{C32, blocks::{RtlTcpSettings, RtlTcpSource}};
/// use superhet_runtime::{Graph, harness::VecSink};
///
/// let server = TcpListener::bind("127.0.0.1:0")?;
/// let settings = RtlTcpSettings { reconnect: false, ..RtlTcpSettings::default() };
/// let source = RtlTcpSource::<C32>::new("127.0.0.1", server.local_addr()?.port(), settings)?;
/// let radio = std::thread::spawn(move || -> io::Result<u64> {
///     let (mut client, _) = server.accept()?;
///     client.write_all(b"RTL0\0\0\0\x05\0\0\0\x1d")?;
///     client.write_all(&[0, 255])?;
///     client.shutdown(Shutdown::Write)?;
///     // The client's settings. A server that closes with some of them unread resets the connection.
///     io::copy(&mut client, &mut io::sink())
/// });
///
/// let mut graph = Graph::new();
/// let source = graph.add("radio", source);
/// let sink = VecSink::<C32>::new();
/// let items = sink.items();
/// let sink = graph.add("sink", sink);
/// graph.connect(source.output, sink.input);
/// graph.run()?;
/// assert_eq!(items.take(), [C32::new(-1.0, 1.0)]);
/// radio.join().expect("no panic")?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct RtlTcpSource<T: FileItem> {
    #[port("out")]
    output: Out<T>,
    host: String,
    port: u16,
    settings: RtlTcpSettings,
    link: Link<Connection>,
    items: ItemBuffer<T>,
    gaps: Gaps,
    /// Since the first samples have come.
    arrivals: Option<Arrivals>,
    /// Until when samples behind a gap are held, to tell how long it was.
    held: Option<Instant>,
    /// What is to be said at the next item.
    tags: Due,
    notices: Notices,
}

/// What the next item has as tags.
#[derive(Debug, Default)]
struct Due {
    /// When it was taken, since 1970.
    time: Option<Duration>,
    rate: bool,
    frequency: bool,
}

/// The name of the block in errors about its settings.
const NAME: &str = "rtl_tcp_source";
/// How long samples behind a gap are held, and how many bytes they may be: 160 ms at 3.2 MHz.
const HOLD: Duration = Duration::from_millis(150);
const ROOM_BYTES: usize = 1 << 20;

impl<T: FileItem> RtlTcpSource<T> {
    /// Will connect to `host` and `port` when the graph runs.
    ///
    /// # Errors
    /// [`Error::WrongItem`] where `T` does not hold `cu8`; [`Error::Setting`] where a setting is out of its range.
    pub fn new(host: &str, port: u16, settings: RtlTcpSettings) -> Result<Self, Error> {
        item::expect::<T>(Path::new(NAME), SampleFormat::CU8)?;
        settings.check(NAME)?;
        Ok(RtlTcpSource {
            output: Out::new(),
            host: host.to_owned(),
            port,
            gaps: Gaps::new(settings.on_gap),
            settings,
            link: Link::Fresh,
            items: ItemBuffer::of(ROOM_BYTES, SampleFormat::CU8),
            arrivals: None,
            held: None,
            tags: Due { time: None, rate: true, frequency: true },
            notices: Notices::default(),
        })
    }

    /// Gets on with the connection, and reads what has come, waiting a little for it.
    fn receive(&mut self, context: &mut Context<'_>) -> Result<(), Broken> {
        let connect = || Connection::to(&self.host, self.port);
        let Some((connection, attempts)) = self.link.up(context, connect)? else { return Ok(()) };
        if connection.greeting().is_none() {
            connection.open(TIMEOUT)?;
            if let Some(greeting) = connection.greeting() {
                tracing::info!("{}: {greeting}", address(&self.host, self.port));
                let commands = PARAMETERS.iter().flat_map(|name| self.settings.commands(name));
                commands.for_each(|command| connection.send(command));
                // The half of a sample that the last connection left.
                self.items.clear();
            }
            return Ok(());
        }
        let before = self.items.items();
        let n = connection.read(self.items.room(), TIMEOUT)?;
        self.items.filled(n);
        let (items, now) = ((self.items.items() - before) as u64, Instant::now());
        if items == 0 {
            return Ok(());
        }
        let is_back = std::mem::take(attempts) > 0;
        match &mut self.arrivals {
            None => {
                self.arrivals = Some(Arrivals::new(self.settings.rate_hz, now));
                self.note_time();
            }
            Some(arrivals) if is_back => {
                arrivals.lost(items, now);
                self.held = Some(now + HOLD);
            }
            Some(arrivals) => arrivals.came(items, now),
        }
        Ok(())
    }

    /// Holds what came behind a gap no longer, and says how long the gap was.
    fn release(&mut self) {
        let Some(arrivals) = self.arrivals.as_mut().filter(|_| self.held.take().is_some()) else { return };
        let missed = arrivals.missed(Instant::now());
        self.gaps.lost(missed);
        self.note_time();
        tracing::info!("{}: is back, {missed} samples are missing", address(&self.host, self.port));
    }

    /// The last of the samples that are there has just come: the first is as much older as they are long.
    fn note_time(&mut self) {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let length = Duration::try_from_secs_f64(self.items.items() as f64 / self.settings.rate_hz);
        self.tags.time = Some(since.saturating_sub(length.unwrap_or_default()));
    }

    /// Whether samples that came behind a gap are to be held still.
    fn is_holding(&mut self, context: &Context<'_>) -> bool {
        let Some(until) = self.held else { return false };
        !context.is_stopping() && Instant::now() < until && !self.items.room().is_empty()
    }

    /// Tries again later, or ends.
    fn lose(&mut self, broken: Broken, context: &mut Context<'_>) -> Result<Option<Step>, BlockError> {
        self.release();
        let place = address(&self.host, self.port);
        let has_begun = self.arrivals.is_some();
        if !has_begun || !self.settings.reconnect {
            let is_end = has_begun && matches!(broken, Broken::Closed);
            let problem = Error::Radio { address: place, problem: broken.to_string() };
            return Ok(Some(if is_end { Step::Done } else { context.end_with(problem) }));
        }
        let wait = self.link.lose();
        self.notices.warn(|| format!("{place}: {broken}; tries again in {:.1} s", wait.as_secs_f64()));
        Ok(None)
    }

    /// Puts what is known on the first item of the reserved room.
    fn tag(&mut self) {
        let Due { time, rate, frequency } = std::mem::take(&mut self.tags);
        if let Some(since) = time {
            let fraction = f64::from(since.subsec_nanos()) / 1e9;
            let time = Value::Tuple([Value::Uint(since.as_secs()), fraction.into()].into());
            self.output.tag(0, "rx_time", time);
        }
        let RtlTcpSettings { rate_hz, frequency_hz, .. } = self.settings;
        let known = [("rx_rate", rate.then_some(rate_hz)), ("rx_freq", frequency.then_some(frequency_hz))];
        tag_known(&mut self.output, &known);
    }
}

impl<T: FileItem> Tunable for RtlTcpSource<T> {
    const PARAMETERS: &'static [&'static str] = PARAMETERS;

    fn position(&self) -> u64 {
        self.output.index()
    }

    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        let mut settings = self.settings.clone();
        let commands = settings.set(name, value)?;
        self.settings = settings;
        // Before the greeting nothing is sent: then all of them are.
        if let Some(connection) = self.link.connection().filter(|connection| connection.greeting().is_some())
        {
            commands.into_iter().for_each(|command| connection.send(command));
        }
        match name {
            "frequency_hz" => self.tags.frequency = true,
            "rate_hz" => {
                self.tags.rate = true;
                self.release();
                if let Some(arrivals) = &mut self.arrivals {
                    *arrivals = Arrivals::new(self.settings.rate_hz, Instant::now());
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn parameter(&self, name: &str) -> Option<Value> {
        self.settings.value(name)
    }

    fn work_on(&mut self, most: usize, context: &mut Context<'_>) -> Result<Step, BlockError> {
        let is_holding = self.is_holding(context);
        if self.items.items() == 0 || is_holding {
            if context.is_stopping() || self.output.is_closed() {
                return Ok(Step::Done);
            }
            if let Err(broken) = self.receive(context)
                && let Some(step) = self.lose(broken, context)?
            {
                return Ok(step);
            }
        }
        if self.held.is_some() {
            if self.is_holding(context) {
                return Ok(Step::Ran);
            }
            self.release();
        }
        match self.gaps.settle(&mut self.output) {
            Ok(true) => {}
            Ok(false) => return Ok(Step::NeedOutput),
            Err(error) => return Ok(context.end_with(error)),
        }
        if self.items.items() == 0 {
            return Ok(Step::Ran);
        }
        if self.output.room() == 0 {
            return Ok(Step::NeedOutput);
        }
        self.tag();
        let room = self.output.reserve();
        let most = most.min(room.len());
        let n = self.items.give(&mut room[..most]);
        self.output.produce(n);
        Ok(Step::Ran)
    }
}

impl<T: FileItem> Work for RtlTcpSource<T> {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        self.work_on(usize::MAX, context)
    }

    fn blocking(&self) -> bool {
        true
    }
}

/// How files and the command line find [`RtlTcpSource`].
pub const ENTRY: Entry = Entry {
    name: NAME,
    category: "sources",
    summary: "Samples of a radio behind an rtl_tcp server; what is lost is tagged and counted.",
    params: &[
        optional("host", Kind::Text, "", "\"127.0.0.1\"", "The name or address of the server."),
        optional("port", Kind::Integer(1, 65535), "", "1234", "Its port."),
        optional("frequency_hz", Kind::Float(0.0, MOST_HZ), "Hz", "100e6", "The centre frequency."),
        optional("rate_hz", Kind::Float(1.0, MOST_HZ), "Hz", "2.048e6", "Samples a second."),
        GAIN,
        PPM,
        AGC,
        BIAS_TEE,
        DIRECT_SAMPLING,
        OFFSET_TUNING,
        optional("output", FLOAT_OR_RAW, "", "\"float\"", "float: C32, full scale 1.0; raw: as sent, cu8."),
        RECONNECT,
        ON_GAP,
    ],
    ports: &[
        output("out", "C32 or cu8", "the samples, full scale = 1.0 or as sent"),
        set_port(
            "new values of frequency_hz, rate_hz, gain_db, ppm, agc, bias_tee, direct_sampling, offset_tuning",
        ),
    ],
    make: |params| {
        let (host, port) = (params.text("host"), u16::try_from(params.count("port")).unwrap_or(PORT));
        make(host, port, RtlTcpSettings::of(params)?, params.text("output") == "raw")
    },
};

/// The source, with samples as `C32` or as they are sent.
pub(super) fn make(
    host: &str,
    port: u16,
    settings: RtlTcpSettings,
    as_sent: bool,
) -> Result<AnyBlock, BlockError> {
    Ok(if as_sent {
        AnyBlock::new(Tuned::new(RtlTcpSource::<[u8; 2]>::new(host, port, settings)?))
    } else {
        AnyBlock::new(Tuned::new(RtlTcpSource::<C32>::new(host, port, settings)?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::Gain;

    #[test]
    fn a_setting_out_of_its_range_is_an_error_of_the_constructor() {
        let settings = RtlTcpSettings { gain: Gain::Db(1e9), ..RtlTcpSettings::default() };
        let error = RtlTcpSource::<C32>::new("a", 1, settings).unwrap_err().to_string();
        assert_eq!(
            error,
            "rtl_tcp_source: gain_db is 1000000000.0, expected auto, or a number from -100 to 100"
        );
    }
}
