//! Samples for the clients of rtl_tcp: any stream as if it came from a radio.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use superhet_runtime::catalog::{Entry, Kind, input, optional};
use superhet_runtime::{AnyBlock, Block, BlockError, Context, In, Step, Work};

use super::item::{self, FLOAT_OR_RAW, FileItem, known};
use crate::C32;
use crate::connecting::address;
use crate::error::Error;
use crate::format::SampleFormat;
use crate::rtl_tcp::PORT;
use crate::rtl_tcp::server::{Offer, Server};

/// Samples for programs that read [rtl_tcp](https://osmocom.org/projects/rtl-sdr/wiki): this block is the server, and the
/// stream stands for the radio's.
///
/// Each client gets whole samples, from the stream's position when it connects. The stream waits for nobody: of a client that
/// is 1 MiB behind, what comes then is dropped, in whole blocks, until it has taken some of it. So the stream sets the pace; put a
/// `throttle` before this block where nothing else does. There may be 64 clients. One more takes the place of another: at the
/// address with the most clients, the one that has taken nothing for longest.
///
/// The server says that it has an R820T tuner with 29 gains. Commands are read, checked and logged at the level `info`. They
/// change nothing. A rate or a frequency that the stream does not have, as the settings or its tags `rx_rate` and `rx_freq` say,
/// is a warning.
///
/// At the end the rest is sent as long as clients take it, and for 10 s more. When the graph is asked to stop, it has 300 ms.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` or `[u8; 2]` | full scale = 1.0, or as to be sent: 127.5 is 0 |
///
/// # Errors
/// At run time: [`Error::Socket`].
///
/// # Example
///
/// ```
/// use std::{io::Read, net::TcpStream};
/// use superhet_io::blocks::{RtlTcpSink, RtlTcpSinkSettings};
/// use superhet_runtime::{Graph, harness::VecSource};
///
/// let settings = RtlTcpSinkSettings { wait: true, ..RtlTcpSinkSettings::default() };
/// let server = RtlTcpSink::<[u8; 2]>::new("127.0.0.1", 0, settings)?.open()?;
/// let mut client = TcpStream::connect(server.local_addr().unwrap())?;
/// let mut graph = Graph::new();
/// let source = graph.add("source", VecSource::new(vec![[1u8, 2], [3, 4]]));
/// let server = graph.add("server", server);
/// graph.connect(source.output, server.input);
/// let reader = std::thread::spawn(move || -> std::io::Result<Vec<u8>> {
///     let mut bytes = Vec::new();
///     client.read_to_end(&mut bytes)?;
///     Ok(bytes)
/// });
/// graph.run()?;
/// assert_eq!(reader.join().expect("no panic")?, b"RTL0\0\0\0\x05\0\0\0\x1d\x01\x02\x03\x04");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct RtlTcpSink<T: FileItem> {
    #[port("in")]
    input: In<T>,
    host: String,
    port: u16,
    settings: RtlTcpSinkSettings,
    offer: Offer,
    server: Option<Server>,
    /// Whether a client has come.
    has_served: bool,
    has_dropped: bool,
    stopping: Option<Instant>,
    /// When a client has last taken something, or something was given to it.
    took: Instant,
    /// Since when clients know that nothing more comes.
    shut: Option<Instant>,
}

/// The settings of an [`RtlTcpSink`].
///
/// | setting | unit | means | default |
/// |---|---|---|---|
/// | `rate_hz` | Hz | samples a second, where no tag `rx_rate` says it | not known |
/// | `center_hz` | Hz | the centre frequency, where no tag `rx_freq` says it | not known |
/// | `wait` | | the stream waits for the first client; else what comes before it is dropped | no |
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[allow(missing_docs, reason = "the table says it")]
pub struct RtlTcpSinkSettings {
    pub rate_hz: Option<f64>,
    pub center_hz: Option<f64>,
    pub wait: bool,
}

/// How long a call waits for the first client.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// The same, while items may come, too.
const SHORT: Duration = Duration::from_millis(5);
/// How long the end waits for clients that take nothing, how long a stop does, and how long for those that have got all.
const LINGER: Duration = Duration::from_secs(10);
const LAST_WORDS: Duration = Duration::from_millis(300);
const FAREWELL: Duration = Duration::from_secs(1);
/// Samples of one block.
const AT_ONCE: usize = 1 << 14;
/// The name of the block in errors about its settings.
const NAME: &str = "rtl_tcp_sink";

impl<T: FileItem> RtlTcpSink<T> {
    /// Will listen at `host` and `port` when the graph runs.
    ///
    /// # Errors
    /// [`Error::WrongItem`] where `cu8` cannot be made of `T`.
    pub fn new(host: &str, port: u16, settings: RtlTcpSinkSettings) -> Result<Self, Error> {
        item::expect::<T>(Path::new(NAME), SampleFormat::CU8)?;
        Ok(RtlTcpSink {
            // Without any item, too: clients come.
            input: In::new().min(0),
            host: host.to_owned(),
            port,
            settings,
            offer: Offer { rate_hz: settings.rate_hz, center_hz: settings.center_hz },
            server: None,
            has_served: false,
            has_dropped: false,
            stopping: None,
            took: Instant::now(),
            shut: None,
        })
    }

    /// Listens from now on; port 0 is one that is free.
    ///
    /// # Errors
    /// [`Error::Socket`].
    pub fn open(mut self) -> Result<Self, Error> {
        self.server()?;
        Ok(self)
    }

    /// Where it listens, once it does.
    pub fn local_addr(&self) -> Option<SocketAddr> {
        self.server.as_ref()?.local_addr().ok()
    }

    fn server(&mut self) -> Result<&mut Server, Error> {
        let server = match self.server.take() {
            Some(server) => server,
            None => {
                let failed = |action, source| Error::Socket {
                    address: address(&self.host, self.port),
                    action,
                    source,
                };
                let found = (&*self.host, self.port).to_socket_addrs();
                let addresses: Vec<SocketAddr> = found.map_err(|source| failed("look up", source))?.collect();
                Server::listen(&addresses, self.offer).map_err(|source| failed("listen at", source))?
            }
        };
        Ok(self.server.insert(server))
    }

    fn failed(&self, source: std::io::Error) -> Error {
        Error::Socket { address: address(&self.host, self.port), action: "serve at", source }
    }

    /// Waits until a client does something, but no longer than so.
    fn wait(&mut self, timeout: Duration) -> Result<(), Error> {
        self.server()?.wait(timeout).map_err(|source| self.failed(source))
    }

    /// Lets clients come, ask and take; whether there are any.
    fn turn(&mut self) -> Result<bool, Error> {
        let server = self.server()?;
        let moved = server.turn();
        let is_empty = server.is_empty();
        if moved {
            self.took = Instant::now();
        }
        self.has_served |= !is_empty;
        Ok(!is_empty)
    }

    /// Notes what the tags of the next `n` items say of the stream.
    fn note_tags(&mut self, n: usize) {
        let mut offer = self.offer;
        self.input.for_each_tag(n, |tag| match &*tag.key {
            "rx_rate" => offer.rate_hz = tag.value.as_f64().or(offer.rate_hz),
            "rx_freq" => offer.center_hz = tag.value.as_f64().or(offer.center_hz),
            _ => {}
        });
        if offer != self.offer {
            self.offer = offer;
            self.server.iter_mut().for_each(|server| server.change(offer));
        }
    }

    /// Whether the graph was asked to stop so long ago that nobody is waited for any more.
    fn is_late(&mut self, context: &Context<'_>) -> bool {
        context.is_stopping() && self.stopping.get_or_insert_with(Instant::now).elapsed() > LAST_WORDS
    }
}

impl<T: FileItem> Work for RtlTcpSink<T> {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        let has_clients = self.turn()?;
        if self.settings.wait && !self.has_served && !context.is_stopping() {
            self.wait(LOOK_EVERY)?;
            return Ok(Step::Ran);
        }
        let n = self.input.available().min(AT_ONCE);
        if n == 0 {
            if self.server()?.has_unsent() {
                self.wait(SHORT)?;
                return Ok(Step::Ran);
            }
            return Ok(Step::NeedInput);
        }
        self.note_tags(n);
        if has_clients {
            if !self.server()?.has_unsent() {
                self.took = Instant::now();
            }
            let mut bytes = Vec::new();
            T::to_bytes(SampleFormat::CU8, &self.input.peek()[..n], &mut bytes);
            self.server()?.give(&Arc::new(bytes));
        } else if !std::mem::replace(&mut self.has_dropped, true) {
            tracing::warn!("samples are dropped: there is nobody to send them to");
        }
        self.input.consume(n);
        self.turn()?;
        Ok(Step::Ran)
    }

    fn finish(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        let is_late = self.is_late(context) || self.took.elapsed() > LINGER;
        let has_clients = self.turn()?;
        if self.server()?.has_unsent() && !is_late {
            self.wait(LOOK_EVERY)?;
            return Ok(Step::Ran);
        }
        if self.server()?.has_unsent() {
            tracing::warn!("samples that nobody has taken in time were not sent");
        } else if has_clients && !is_late {
            // A connection that is closed with something unread loses what is on its way: clients close first.
            let shut = *self.shut.get_or_insert_with(Instant::now);
            self.server()?.shut();
            if shut.elapsed() < FAREWELL {
                self.wait(LOOK_EVERY)?;
                return Ok(Step::Ran);
            }
        }
        self.server = None;
        Ok(Step::Done)
    }

    fn blocking(&self) -> bool {
        true
    }
}

/// How files and the command line find [`RtlTcpSink`].
pub const ENTRY: Entry = Entry {
    name: NAME,
    category: "sinks",
    summary: "Samples for the clients of rtl_tcp, as if they came from a radio.",
    params: &[
        optional("host", Kind::Text, "", "\"127.0.0.1\"", "The name or address to listen at."),
        optional("port", Kind::Integer(0, 65535), "", "1234", "The port; 0 is one that is free."),
        optional(
            "rate_hz",
            Kind::Float(0.0, 1e12),
            "Hz",
            "0",
            "Samples a second, to compare with what clients ask for; 0: as the tag rx_rate says.",
        ),
        optional(
            "frequency_hz",
            Kind::Float(0.0, 1e12),
            "Hz",
            "0",
            "The same for the centre frequency and rx_freq.",
        )
        .formerly(&["center_hz"]),
        optional("wait", Kind::Bool, "", "false", "The stream waits for the first client."),
        optional(
            "input",
            FLOAT_OR_RAW,
            "",
            "\"float\"",
            "float: C32, full scale 1.0; raw: as to be sent, cu8.",
        ),
    ],
    ports: &[input("in", "C32 or cu8", "the samples, full scale = 1.0 or as to be sent")],
    make: |params| {
        let (host, port) = (params.text("host"), u16::try_from(params.count("port")).unwrap_or(PORT));
        let settings = RtlTcpSinkSettings {
            rate_hz: known(params.float("rate_hz")),
            center_hz: known(params.float("frequency_hz")),
            wait: params.flag("wait"),
        };
        Ok(if params.text("input") == "raw" {
            AnyBlock::new(RtlTcpSink::<[u8; 2]>::new(host, port, settings)?)
        } else {
            AnyBlock::new(RtlTcpSink::<C32>::new(host, port, settings)?)
        })
    },
};
