//! Where a radio is, as a URI says it.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use superhet_runtime::catalog::Params;
use superhet_runtime::{AnyBlock, BlockError};

use crate::connecting::host_and_port;
use crate::error::Error;
use crate::format::SampleFormat;
use crate::link::place::{EXPECTED_MEMORY, is_name};
use crate::{rtl_tcp, spyserver};

/// The schemes of this crate, with what stands behind them and what they are.
pub const SCHEMES: &[(&str, &str)] = &[
    ("rtl_tcp://HOST[:PORT]", "a radio behind an rtl_tcp server, port 1234 if none is said"),
    ("spyserver://HOST[:PORT]", "a radio behind a SpyServer, port 5555 if none is said"),
    (
        "soapy:ARGUMENTS[?antenna=NAME&bandwidth=BANDWIDTH&channel=NUMBER]",
        "a radio that a module of SoapySDR drives, as soapy:driver=rtlsdr,serial=00000001",
    ),
    (
        "rtlsdr:[INDEX|SERIAL]",
        "an RTL-SDR at this machine's USB, without any library, in builds with the feature rtlsdr",
    ),
    (
        "file:PATH[?rate=RATE&freq=FREQUENCY&format=FORMAT&throttle&repeat]",
        "a recording: raw samples, WAV or SigMF; throttle: as fast as it was taken; repeat: raw samples over and over",
    ),
    ("tcp://HOST:PORT[?token=FILE]", "a link: the samples of a link_sink in another process"),
    ("shm://NAME[?token=FILE]", "the same on this machine, through memory that both processes share"),
    (
        "tls://HOST:PORT?authority=FILE[&token=FILE]",
        "a link that is encrypted; authority: the certificates, as PEM, of those who may have signed that of the sink",
    ),
];

/// A kind of radio that another crate brings.
#[derive(Clone, Copy, Debug)]
pub struct Scheme {
    /// What stands before the colon.
    pub name: &'static str,
    /// The whole, as `name://KEY`.
    pub form: &'static str,
    /// What it is, for lists.
    pub what: &'static str,
    /// Makes a source of `C32` out of what stands behind the colon and the parameters of the block `radio`.
    pub make: fn(&str, &Params) -> Result<AnyBlock, BlockError>,
}

impl PartialEq for Scheme {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

static MORE: Mutex<Vec<Scheme>> = Mutex::new(Vec::new());

/// Lets all of the process know another kind of radio, from now on. One whose name is known already is not found.
pub fn add_scheme(scheme: Scheme) {
    MORE.lock().unwrap_or_else(PoisonError::into_inner).push(scheme);
}

/// The schemes that there are, with what stands behind them and what they are: [`SCHEMES`] and those of other crates.
pub fn schemes() -> Vec<(&'static str, &'static str)> {
    let more = MORE.lock().unwrap_or_else(PoisonError::into_inner);
    SCHEMES.iter().copied().chain(more.iter().map(|scheme| (scheme.form, scheme.what))).collect()
}

/// Where a radio is.
#[derive(Clone, Debug, PartialEq)]
pub enum RadioUri {
    /// Behind a server of rtl_tcp.
    RtlTcp {
        /// The host of the server.
        host: String,
        /// Its port.
        port: u16,
    },
    /// Behind a SpyServer.
    SpyServer {
        /// The host of the server.
        host: String,
        /// Its port.
        port: u16,
    },
    /// An RTL-SDR at this machine's USB: its place among them, or its serial number.
    RtlSdr(String),
    /// Driven by a module of SoapySDR.
    Soapy(SoapyUri),
    /// A recording, which stands for a radio.
    File(FileUri),
    /// The sink of a link in another process: [`LinkSink`](crate::blocks::LinkSink).
    Link {
        /// The host of the sink.
        host: String,
        /// Its port.
        port: u16,
        /// A file with the secret that the sink has to know.
        token_file: Option<PathBuf>,
        /// A file with the certificates of those who may have signed that of the sink: the connection is encrypted then.
        authority_file: Option<PathBuf>,
    },
    /// One that another crate brings: [`add_scheme`].
    Other {
        /// What it is.
        scheme: Scheme,
        /// What stands behind the colon.
        rest: String,
    },
    /// The sink of a link in another process of this machine, which it shares memory with.
    SharedLink {
        /// Its name, or the path of its Unix socket.
        name: String,
        /// A file with the secret that the sink has to know.
        token_file: Option<PathBuf>,
    },
}

/// A radio that a module of SoapySDR drives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SoapyUri {
    /// What names the device, as `driver=rtlsdr`.
    pub arguments: String,
    /// The socket; empty: as the driver has it.
    pub antenna: String,
    /// The width of the filter before the converter, in hertz; none: as the driver has it.
    pub bandwidth_hz: Option<f64>,
    /// The channel.
    pub channel: usize,
}

/// A recording, and what it does not say of itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileUri {
    /// The file.
    pub path: PathBuf,
    /// How raw samples are stored, where the name does not say.
    pub format: Option<SampleFormat>,
    /// Samples per second, where the file does not say.
    pub rate_hz: Option<f64>,
    /// The centre frequency in hertz, where the file does not say.
    pub center_hz: Option<f64>,
    /// Whether samples come no faster than they were taken.
    pub throttle: bool,
    /// Whether raw samples begin again at the end.
    pub repeat: bool,
}

impl RadioUri {
    /// Whether text is a URI, of a known scheme or not: letters, digits, `_`, `+`, `-` and `.`, and a colon behind them.
    pub fn is_one(text: &str) -> bool {
        let is_scheme = |c: char| c.is_ascii_alphanumeric() || "_+-.".contains(c);
        text.split_once(':').is_some_and(|(scheme, _)| !scheme.is_empty() && scheme.chars().all(is_scheme))
    }

    /// Reads a URI.
    ///
    /// # Errors
    /// [`Error::Radio`], which says what is wrong with it and what was expected.
    ///
    /// ```
    /// use superhet_io::RadioUri;
    /// let uri = RadioUri::parse("file:air.cu8?rate=2.4M&throttle")?;
    /// assert!(matches!(uri, RadioUri::File(file) if file.rate_hz == Some(2.4e6) && file.throttle));
    /// assert!(RadioUri::parse("pigeon:coo").unwrap_err().to_string().contains("expected rtl_tcp://"));
    /// # Ok::<(), superhet_io::Error>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, Error> {
        let fail = |problem: String| Error::Radio { address: text.to_owned(), problem };
        let (scheme, rest) = text.split_once(':').unwrap_or(("", text));
        match scheme {
            "rtl_tcp" => {
                let (host, port) = place(rest, rtl_tcp::PORT)
                    .ok_or_else(|| fail("expected rtl_tcp://HOST[:PORT]".to_owned()))?;
                Ok(RadioUri::RtlTcp { host, port })
            }
            "spyserver" => {
                let (host, port) = place(rest, spyserver::PORT)
                    .ok_or_else(|| fail("expected spyserver://HOST[:PORT]".to_owned()))?;
                Ok(RadioUri::SpyServer { host, port })
            }
            "rtlsdr" => {
                let is_name = |c: char| c.is_ascii_graphic() || c == ' ';
                match rest.len() < 256 && rest.chars().all(is_name) {
                    true => Ok(RadioUri::RtlSdr(rest.to_owned())),
                    false => Err(fail("expected rtlsdr:, rtlsdr:INDEX or rtlsdr:SERIAL".to_owned())),
                }
            }
            "soapy" => SoapyUri::parse(rest).map(RadioUri::Soapy).map_err(fail),
            "tcp" | "tls" => link(scheme, rest).map_err(fail),
            "shm" => shared_link(rest).map_err(fail),
            "file" => FileUri::parse(rest).map(RadioUri::File).map_err(fail),
            _ => {
                let more = MORE.lock().unwrap_or_else(PoisonError::into_inner).clone();
                if let Some(known) = more.into_iter().find(|known| known.name == scheme) {
                    return Ok(RadioUri::Other { scheme: known, rest: rest.to_owned() });
                }
                let known: Vec<&str> = schemes().into_iter().map(|(scheme, _)| scheme).collect();
                Err(fail(format!("there is no such radio, expected {}", known.join(" or "))))
            }
        }
    }
}

/// What stands behind `tcp:` or `tls:`.
fn link(scheme: &str, text: &str) -> Result<RadioUri, String> {
    let (text, query) = text.split_once('?').unwrap_or((text, ""));
    let found = place(text, 0).filter(|(_, port)| *port > 0);
    let (host, port) = found.ok_or_else(|| format!("expected {scheme}://HOST:PORT"))?;
    let (mut token_file, mut authority_file) = (None, None);
    for word in query.split('&').filter(|word| !word.is_empty()) {
        match word.split_once('=').filter(|(_, file)| !file.is_empty()) {
            Some(("token", file)) => token_file = Some(PathBuf::from(file)),
            Some(("authority", file)) if scheme == "tls" => authority_file = Some(PathBuf::from(file)),
            _ if scheme == "tls" => return Err(expected(word, "authority=FILE or token=FILE")),
            _ => return Err(expected(word, "token=FILE")),
        }
    }
    match scheme == "tls" && authority_file.is_none() {
        true => Err(format!("expected {scheme}://HOST:PORT?authority=FILE")),
        false => Ok(RadioUri::Link { host, port, token_file, authority_file }),
    }
}

/// What stands behind `shm:`.
fn shared_link(text: &str) -> Result<RadioUri, String> {
    let (text, query) = text.split_once('?').unwrap_or((text, ""));
    let name = text.strip_prefix("//").filter(|name| is_name(name));
    let name = name.ok_or_else(|| format!("expected {EXPECTED_MEMORY}"))?.to_owned();
    match query.split_once('=') {
        None if query.is_empty() => Ok(RadioUri::SharedLink { name, token_file: None }),
        Some(("token", file)) if !file.is_empty() => {
            Ok(RadioUri::SharedLink { name, token_file: Some(file.into()) })
        }
        _ => Err(expected(query, "token=FILE")),
    }
}

/// What `//HOST[:PORT]` says.
fn place(text: &str, port: u16) -> Option<(String, u16)> {
    let place = text.strip_prefix("//")?;
    let place = place.strip_suffix('/').unwrap_or(place);
    host_and_port(place, "", port).filter(|(host, _)| !host.is_empty())
}

impl SoapyUri {
    /// What stands behind `soapy:`.
    fn parse(text: &str) -> Result<Self, String> {
        let (arguments, query) = text.split_once('?').unwrap_or((text, ""));
        if let Some(word) = arguments.split(',').find(|word| !word.trim().is_empty() && !word.contains('=')) {
            return Err(expected(word, "soapy:NAME=VALUE,NAME=VALUE, as soapy:driver=rtlsdr"));
        }
        let mut uri = SoapyUri { arguments: arguments.to_owned(), ..SoapyUri::default() };
        for word in query.split('&').filter(|word| !word.is_empty()) {
            let (key, value) = word.split_once('=').unwrap_or((word, ""));
            match key {
                "antenna" if !value.is_empty() => uri.antenna = value.to_owned(),
                "bandwidth" => {
                    let hz =
                        number(value, 1e-3).ok_or_else(|| expected(word, "a bandwidth, such as 2.4M"))?;
                    uri.bandwidth_hz = Some(hz);
                }
                "channel" => {
                    uri.channel = value.parse().map_err(|_| expected(word, "the number of a channel"))?;
                }
                _ => return Err(expected(word, "antenna=, bandwidth= or channel=")),
            }
        }
        Ok(uri)
    }
}

impl FileUri {
    /// What stands behind `file:`.
    fn parse(text: &str) -> Result<Self, String> {
        let (path, query) = text.rsplit_once('?').unwrap_or((text, ""));
        // `file:///tmp/x` is the file /tmp/x.
        let path = path.strip_prefix("//").filter(|path| path.starts_with('/')).unwrap_or(path);
        if path.is_empty() {
            return Err("expected the path of a file behind file:".to_owned());
        }
        let mut uri = FileUri { path: path.into(), ..FileUri::default() };
        for word in query.split('&').filter(|word| !word.is_empty()) {
            let (key, value) = word.split_once('=').unwrap_or((word, ""));
            match key {
                "rate" => {
                    uri.rate_hz =
                        Some(number(value, 1e-3).ok_or_else(|| expected(word, "a rate, such as 2.4M"))?)
                }
                "freq" => {
                    uri.center_hz = Some(
                        number(value, 0.0).ok_or_else(|| expected(word, "a frequency, such as 433.92M"))?,
                    );
                }
                "format" => uri.format = Some(value.parse().map_err(|error: Error| error.to_string())?),
                "throttle" if value.is_empty() => uri.throttle = true,
                "repeat" if value.is_empty() => uri.repeat = true,
                _ => return Err(expected(word, "rate=, freq=, format=, throttle or repeat")),
            }
        }
        Ok(uri)
    }
}

fn expected(word: &str, what: &str) -> String {
    format!("expected {what}, got {word:?}")
}

/// Hertz as people write them: `2e6`, `2.4M`, `250k`, `1.09G`; at least so many, and at most 10¹².
fn number(text: &str, least: f64) -> Option<f64> {
    let scales = [('k', 1e3), ('M', 1e6), ('G', 1e9)];
    let scaled = scales.iter().find_map(|(letter, scale)| Some((text.strip_suffix(*letter)?, *scale)));
    let (digits, scale) = scaled.unwrap_or((text, 1.0));
    let hz: f64 = digits.parse::<f64>().ok()? * scale;
    // 433.92M is meant to be whole.
    let hz = if (hz - hz.round()).abs() < 1e-9 * hz.abs() { hz.round() } else { hz };
    (least..=1e12).contains(&hz).then_some(hz)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_say_where_a_radio_is() {
        let rtl_tcp = |host: &str, port| RadioUri::RtlTcp { host: host.to_owned(), port };
        let link = |token: Option<&str>, authority: Option<&str>| RadioUri::Link {
            host: "radio".to_owned(),
            port: 5,
            token_file: token.map(PathBuf::from),
            authority_file: authority.map(PathBuf::from),
        };
        for (text, wanted) in [
            ("rtl_tcp://radio", rtl_tcp("radio", 1234)),
            ("rtl_tcp://radio:5/", rtl_tcp("radio", 5)),
            ("rtl_tcp://[::1]:5", rtl_tcp("::1", 5)),
            ("spyserver://radio", RadioUri::SpyServer { host: "radio".to_owned(), port: 5555 }),
            ("rtlsdr:0", RadioUri::RtlSdr("0".to_owned())),
            ("soapy:", RadioUri::Soapy(SoapyUri::default())),
            (
                "soapy:driver=x,remote=tcp://a:5?antenna=TX/RX&bandwidth=2M&channel=1",
                RadioUri::Soapy(SoapyUri {
                    arguments: "driver=x,remote=tcp://a:5".to_owned(),
                    antenna: "TX/RX".to_owned(),
                    bandwidth_hz: Some(2e6),
                    channel: 1,
                }),
            ),
            ("tcp://radio:5", link(None, None)),
            ("tcp://radio:5/?token=t", link(Some("t"), None)),
            ("tls://radio:5?authority=/a.pem&token=t", link(Some("t"), Some("/a.pem"))),
            ("shm://radio", RadioUri::SharedLink { name: "radio".to_owned(), token_file: None }),
            (
                "shm:///run/radio?token=t",
                RadioUri::SharedLink { name: "/run/radio".to_owned(), token_file: Some("t".into()) },
            ),
        ] {
            assert_eq!(RadioUri::parse(text).unwrap(), wanted, "{text}");
        }
        let file = |path: &str| FileUri { path: path.into(), ..FileUri::default() };
        for (text, wanted) in [
            ("file:a.cu8", file("a.cu8")),
            ("file:///tmp/a.cu8", file("/tmp/a.cu8")),
            ("file:/tmp/what?.cu8?", file("/tmp/what?.cu8")),
            (
                "file:a?rate=250k&freq=433.92M&format=cs16&throttle&repeat",
                FileUri {
                    rate_hz: Some(250e3),
                    center_hz: Some(433.92e6),
                    format: Some(SampleFormat::CS16),
                    throttle: true,
                    repeat: true,
                    ..file("a")
                },
            ),
        ] {
            assert_eq!(RadioUri::parse(text).unwrap(), RadioUri::File(wanted), "{text}");
        }
    }

    #[test]
    fn what_is_none_says_what_was_expected() {
        for (text, problem) in [
            ("hackrf:0", "hackrf:0: there is no such radio, expected rtl_tcp://HOST[:PORT] or spyserver://"),
            ("nothing", "there is no such radio"),
            ("rtl_tcp:radio", "expected rtl_tcp://HOST[:PORT]"),
            ("rtl_tcp://", "expected rtl_tcp://HOST[:PORT]"),
            ("rtl_tcp://:1234", "expected rtl_tcp://HOST[:PORT]"),
            ("spyserver:radio", "expected spyserver://HOST[:PORT]"),
            ("rtl_tcp://a:b", "expected rtl_tcp://HOST[:PORT]"),
            ("rtlsdr:a\u{1b}b", "expected rtlsdr:, rtlsdr:INDEX"),
            ("soapy:rtlsdr", "expected soapy:NAME=VALUE"),
            ("soapy:driver=x?channel=a", "expected the number of a channel, got \"channel=a\""),
            ("soapy:driver=x?gain=1", "expected antenna=, bandwidth= or channel="),
            ("tcp://radio", "expected tcp://HOST:PORT"),
            ("tcp://radio:5?authority=a", "expected token=FILE, got \"authority=a\""),
            ("tls://radio:5", "expected tls://HOST:PORT?authority=FILE"),
            ("tls://radio:5?token=", "expected authority=FILE or token=FILE, got \"token=\""),
            ("shm:radio", "expected shm://NAME, of at most 64"),
            ("shm://a/b", "expected shm://NAME, of at most 64"),
            ("shm://a?key=b", "expected token=FILE, got \"key=b\""),
            ("file:", "expected the path of a file"),
            ("file:a?rate=x", "expected a rate, such as 2.4M, got \"rate=x\""),
            ("file:a?rate=0", "expected a rate"),
            ("file:a?freq=1T", "expected a frequency"),
            ("file:a?format=cu9", "cu8"),
            ("file:a?loop", "expected rate=, freq=, format=, throttle or repeat, got \"loop\""),
        ] {
            let error = RadioUri::parse(text).unwrap_err().to_string();
            assert!(error.contains(problem), "{error}");
        }
    }

    #[test]
    fn blocks_with_parameters_are_no_uris() {
        for (text, is_uri) in [
            ("rtl_tcp://x", true),
            ("pigeon:coo", true),
            ("null_source", false),
            ("udp_source host=a:b", false),
            (":", false),
        ] {
            assert_eq!(RadioUri::is_one(text), is_uri, "{text}");
        }
    }
}
