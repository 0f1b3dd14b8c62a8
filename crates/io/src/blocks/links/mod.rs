//! What the sinks and sources of links share: their settings, their parameters, and the connections behind each of them.

mod feed;
mod tap;

use std::path::Path;
use std::time::Duration;

use superhet_runtime::catalog::{Kind, Param, Params, optional, required};
use superhet_runtime::gap::OnGap;

use crate::error::Error;
use crate::link::place::Place;
use crate::link::{Policy, Token};
use crate::tls::{Authority, Certificate};

pub(super) use feed::{Feed, Gate};
pub(super) use tap::{Heard, Tap};

/// The settings of a sink of a link.
///
/// | setting | unit | means | default |
/// |---|---|---|---|
/// | `policy` | | waits for readers whose rings are full, or drops what they do not get | waits |
/// | `memory_bytes` | bytes | for what readers have not acknowledged, ≥ 8 MiB; one reader has a quarter | 64 MiB |
/// | `hold` | | how long a reader that is away keeps its place, and its ring what it has not acknowledged | 10 s |
/// | `readers` | | the stream begins when so many are there | 1 |
/// | `token` | | what readers have to know | none |
/// | `certificate` | | what is shown at `tls://HOST:PORT`, where everything is encrypted | none |
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the table says it")]
pub struct LinkSinkSettings {
    pub policy: Policy,
    pub memory_bytes: usize,
    pub hold: Duration,
    pub readers: usize,
    pub token: Token,
    pub certificate: Option<Certificate>,
}

/// The least memory of a sink.
const LEAST_MEMORY: usize = 1 << 23;

impl Default for LinkSinkSettings {
    fn default() -> Self {
        LinkSinkSettings {
            policy: Policy::Block,
            memory_bytes: 1 << 26,
            hold: Duration::from_secs(10),
            readers: 1,
            token: Token::default(),
            certificate: None,
        }
    }
}

impl LinkSinkSettings {
    pub(super) fn of(params: &Params) -> Result<Self, Error> {
        Ok(LinkSinkSettings {
            policy: Policy::of_word(params.text("policy")),
            memory_bytes: params.count("memory_bytes"),
            hold: Duration::from_secs_f64(params.float("hold_s")),
            readers: params.count("readers"),
            token: token(params)?,
            certificate: certificate(params)?,
        })
    }
}

/// The settings of a source of a link.
///
/// | setting | means | default |
/// |---|---|---|
/// | `name` | who it is: whoever has the name goes on where the last one who had it has stopped; empty: nobody else has it | empty |
/// | `reconnect` | it connects again, for ever; otherwise the end of a connection is an error | yes |
/// | `on_gap` | what becomes of what is missing (streams) | the tag `gap` |
/// | `from_start` | what the stream had before this reader came is missing, too, so that it can be told where it begins | no |
/// | `token` | what the sink has to know | none |
/// | `authority` | who has to have signed the certificate at `tls://HOST:PORT` | none |
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the table says it")]
pub struct LinkSourceSettings {
    pub name: String,
    pub reconnect: bool,
    pub on_gap: OnGap,
    pub from_start: bool,
    pub token: Token,
    pub authority: Option<Authority>,
}

impl Default for LinkSourceSettings {
    fn default() -> Self {
        LinkSourceSettings {
            name: String::new(),
            reconnect: true,
            on_gap: OnGap::Continue,
            from_start: false,
            token: Token::default(),
            authority: None,
        }
    }
}

impl LinkSourceSettings {
    pub(super) fn of(params: &Params) -> Result<Self, Error> {
        Ok(LinkSourceSettings {
            name: params.text("reader").to_owned(),
            reconnect: params.flag("reconnect"),
            on_gap: OnGap::Continue,
            from_start: params.flag("from_start"),
            token: token(params)?,
            authority: authority(params)?,
        })
    }
}

fn token(params: &Params) -> Result<Token, Error> {
    match params.text("token_file") {
        "" => Ok(Token::default()),
        path => Token::from_file(Path::new(path)),
    }
}

fn certificate(params: &Params) -> Result<Option<Certificate>, Error> {
    match (params.text("certificate_file"), params.text("key_file")) {
        ("", "") => Ok(None),
        (certificate, key) => Certificate::from_files(Path::new(certificate), Path::new(key)).map(Some),
    }
}

/// What the parameter [`AUTHORITY_FILE`] says.
pub(super) fn authority(params: &Params) -> Result<Option<Authority>, Error> {
    match params.text("authority_file") {
        "" => Ok(None),
        path => Authority::from_file(Path::new(path)).map(Some),
    }
}

/// The place that an address says; it is `tls://HOST:PORT` where something else says how to encrypt.
fn place(block: &'static str, text: &str, tls: Option<&'static str>) -> Result<Place, Error> {
    Place::parse(text, tls).map_err(|expected| Error::Setting {
        path: block.into(),
        parameter: "address",
        got: format!("{text:?}"),
        expected,
    })
}

/// The parameter `address` of sinks.
pub(super) const LISTENS_AT: Param = required(
    "address",
    Kind::Text,
    "",
    "Where it listens: tcp://HOST:PORT, tls://HOST:PORT with certificate_file and key_file, where port 0 is one that is free, or shm://NAME, for readers on this machine through memory.",
);
/// The parameter `address` of sources.
pub(super) const CONNECTS_TO: Param = required(
    "address",
    Kind::Text,
    "",
    "Where the sink of the link listens: tcp://HOST:PORT, tls://HOST:PORT with authority_file, or shm://NAME on this machine.",
);
/// The parameter `policy`.
pub(super) const POLICY: Param = optional(
    "policy",
    Kind::Choice(Policy::WORDS),
    "",
    "\"block\"",
    "block: waits for readers whose rings are full; drop: goes on, and they miss what comes.",
);
/// The parameter `memory_bytes`.
pub(super) const MEMORY: Param = optional(
    "memory_bytes",
    Kind::Integer(LEAST_MEMORY as i64, 1 << 40),
    "bytes",
    "67108864",
    "Memory for what readers have not acknowledged; one reader has a quarter.",
);
/// The parameter `hold_s`.
pub(super) const HOLD: Param = optional(
    "hold_s",
    Kind::Float(0.0, 86_400.0),
    "s",
    "10",
    "How long a reader that is away keeps its place, and its ring what it has not acknowledged.",
);
/// The parameter `readers`.
pub(super) const READERS: Param =
    optional("readers", Kind::Integer(0, 64), "", "1", "The stream begins when so many readers are there.");
/// The parameter `token_file`.
pub(super) const TOKEN_FILE: Param = optional(
    "token_file",
    Kind::Path,
    "",
    "\"\"",
    "A file with a secret of 16 to 1024 bytes that the other side has to know; empty: none.",
);
/// The parameter `certificate_file`.
pub(super) const CERTIFICATE_FILE: Param = optional(
    "certificate_file",
    Kind::Path,
    "",
    "\"\"",
    "PEM, the certificates that it shows, its own first: connections are encrypted then; empty: they are not.",
);
/// The parameter `key_file`.
pub(super) const KEY_FILE: Param =
    optional("key_file", Kind::Path, "", "\"\"", "PEM, the private key of its certificate.");
/// The parameter `authority_file`.
pub(super) const AUTHORITY_FILE: Param = optional(
    "authority_file",
    Kind::Path,
    "",
    "\"\"",
    "PEM, the certificates of those who may have signed that of the other side: the connection is encrypted then; empty: it is not.",
);
/// The parameter `reader`.
pub(super) const READER: Param = optional(
    "reader",
    Kind::Text,
    "",
    "\"\"",
    "Who it is: whoever has the name goes on where the last one who had it has stopped; empty: nobody else has it.",
);
/// The parameter `reconnect`.
pub(super) const RECONNECT: Param = optional(
    "reconnect",
    Kind::Bool,
    "",
    "true",
    "Connects again, for ever; otherwise the end of a connection is an error.",
);
/// The parameter `from_start`.
pub(super) const FROM_START: Param = optional(
    "from_start",
    Kind::Bool,
    "",
    "false",
    "What the stream had before this reader came counts as missing.",
);
