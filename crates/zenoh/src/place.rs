//! Where a link is: its key, and how a session finds others.

use std::path::PathBuf;

use superhet_io::Error;
use superhet_runtime::catalog::{Kind, Param, Params, optional, required};
use zenoh::key_expr::KeyExpr;
use zenoh::{Config, Session, Wait};

/// Where a link is, and how those at its ends find each other.
///
/// | field | means | default |
/// |---|---|---|
/// | `key` | the key of the stream, such as `antenna/hf`; `zenoh://` may stand before it | |
/// | `listen` | where the session listens: endpoints of Zenoh, such as `tcp/0.0.0.0:7447`, with commas between them | `tcp/127.0.0.1:0` |
/// | `connect` | where it connects to, besides those that it finds | nothing |
/// | `interface` | the network interface, or its address, at which it looks for others; `auto`: all but loopback; empty: it looks for nobody | `127.0.0.1` |
/// | `config_file` | a configuration of Zenoh, in JSON5, to be changed by the three before where they are not the default | none |
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the table says it")]
pub struct Place {
    pub key: String,
    pub listen: String,
    pub connect: String,
    pub interface: String,
    pub config_file: Option<PathBuf>,
}

const LISTEN: &str = "tcp/127.0.0.1:0";
const INTERFACE: &str = "127.0.0.1";
/// The longest message that a session takes, in bytes: a frame is shorter.
const MOST_BYTES: usize = superhet_io::link::HEADER + superhet_io::link::MOST_BODY;
/// Batches of 64 KiB that wait for a connection; with Zenoh's two, whoever puts and whoever sends wait for each other most of the time.
const BATCHES: usize = 16;

impl Place {
    /// The link of that key, on this machine.
    pub fn new(key: &str) -> Self {
        Place {
            key: key.strip_prefix("zenoh://").unwrap_or(key).to_owned(),
            listen: LISTEN.to_owned(),
            connect: String::new(),
            interface: INTERFACE.to_owned(),
            config_file: None,
        }
    }

    pub(crate) fn of(params: &Params) -> Self {
        let file = params.text("config_file");
        Place {
            listen: params.text("listen").to_owned(),
            connect: params.text("connect").to_owned(),
            interface: params.text("interface").to_owned(),
            config_file: (!file.is_empty()).then(|| file.into()),
            ..Place::new(params.text("key"))
        }
    }

    /// An error where the key is none.
    pub(crate) fn check(&self, block: &'static str) -> Result<(), Error> {
        let is_plain = !self.key.contains(['*', '$', '@']);
        let problem = match KeyExpr::try_from(self.key.as_str()) {
            Ok(_) if is_plain => return Ok(()),
            Ok(_) => String::new(),
            Err(error) => format!(" ({error})"),
        };
        Err(Error::Setting {
            path: block.into(),
            parameter: "key",
            got: format!("{:?}", self.key),
            expected: format!("words with / between them, such as antenna/hf, without *, $ and @{problem}"),
        })
    }

    fn config(&self) -> zenoh::Result<Config> {
        let mut config = match &self.config_file {
            Some(path) => Config::from_file(path)?,
            None => Config::default(),
        };
        let is_own = self.config_file.is_none();
        let list = |text: &str| {
            let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
            format!("[{}]", words.map(|word| format!("{word:?}")).collect::<Vec<_>>().join(","))
        };
        if is_own || self.listen != LISTEN {
            config.insert_json5("listen/endpoints", &list(&self.listen))?;
        }
        if is_own || !self.connect.is_empty() {
            config.insert_json5("connect/endpoints", &list(&self.connect))?;
            // Whoever is not there yet is tried again.
            config.insert_json5("connect/exit_on_failure", "false")?;
        }
        if is_own || self.interface != INTERFACE {
            let looks = !self.interface.is_empty();
            config.insert_json5("scouting/multicast/enabled", &looks.to_string())?;
            if looks {
                config.insert_json5("scouting/multicast/interface", &format!("{:?}", self.interface))?;
            }
        }
        let link = "transport/link";
        config.insert_json5(&format!("{link}/rx/max_message_size"), &MOST_BYTES.to_string())?;
        config.insert_json5(&format!("{link}/tx/queue/size/data"), &BATCHES.to_string())?;
        Ok(config)
    }

    /// Opens a session; and says whether it may share memory.
    pub(crate) fn open(&self) -> Result<(Session, bool), Error> {
        let config = self.config().map_err(|error| self.error("read the configuration of", error))?;
        let shares = config.get_json("transport/shared_memory/enabled").is_ok_and(|text| text == "true");
        let session = zenoh::open(config).wait().map_err(|error| self.error("open a session for", error))?;
        Ok((session, shares))
    }

    /// An error of Zenoh.
    pub(crate) fn error(&self, action: &'static str, error: impl ToString) -> Error {
        let address = format!("zenoh://{}", self.key);
        Error::Socket { address, action, source: std::io::Error::other(error.to_string()) }
    }

    /// The key of what is said beside the stream.
    pub(crate) fn beside(&self, rest: &str) -> String {
        format!("{}/@superhet/{rest}", self.key)
    }
}

/// The parameters of a place.
pub(crate) const KEY: Param =
    required("key", Kind::Text, "", "The key of the stream, such as antenna/hf, or zenoh://antenna/hf.");
pub(crate) const LISTENS_AT: Param = optional(
    "listen",
    Kind::Text,
    "",
    "\"tcp/127.0.0.1:0\"",
    "Where the session listens: endpoints of Zenoh, such as tcp/0.0.0.0:7447, with commas between them.",
);
pub(crate) const CONNECTS_TO: Param = optional(
    "connect",
    Kind::Text,
    "",
    "\"\"",
    "Where the session connects to besides those that it finds: endpoints, with commas between them.",
);
pub(crate) const LOOKS_AT: Param = optional(
    "interface",
    Kind::Text,
    "",
    "\"127.0.0.1\"",
    "The network interface, or its address, at which the session looks for others; auto: all but loopback; empty: it looks for nobody.",
);
pub(crate) const CONFIG_FILE: Param = optional(
    "config_file",
    Kind::Path,
    "",
    "\"\"",
    "A configuration of Zenoh, in JSON5; what listen, connect and interface say comes before it, where they are not the default.",
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_words_with_slashes() {
        for key in ["antenna", "zenoh://antenna/hf", "a/b/c-1.5"] {
            Place::new(key).check("zenoh_sink").unwrap();
        }
        for key in ["", "/a", "a/", "a//b", "a/*", "a/**", "a/@b", "a?b", "zenoh://"] {
            let error = Place::new(key).check("zenoh_sink").unwrap_err().to_string();
            assert!(error.contains("words with / between them"), "{key}: {error}");
        }
    }

    #[test]
    fn by_default_a_session_stays_on_this_machine() {
        let config = Place::new("a").config().unwrap();
        assert_eq!(config.get_json("listen/endpoints").unwrap(), r#"["tcp/127.0.0.1:0"]"#);
        assert_eq!(config.get_json("scouting/multicast/interface").unwrap(), r#""127.0.0.1""#);
        assert_eq!(config.get_json("connect/endpoints").unwrap(), "[]");
    }

    #[test]
    fn what_is_said_comes_before_the_file() {
        let file = std::env::temp_dir().join(format!("superhet-zenoh-{}.json5", std::process::id()));
        std::fs::write(
            &file,
            r#"{ listen: { endpoints: ["tcp/127.0.0.1:7"] }, scouting: { multicast: { enabled: false } } }"#,
        )
        .unwrap();
        let place = Place { config_file: Some(file.clone()), ..Place::new("a") };
        assert_eq!(place.config().unwrap().get_json("listen/endpoints").unwrap(), r#"["tcp/127.0.0.1:7"]"#);
        assert_eq!(place.config().unwrap().get_json("scouting/multicast/enabled").unwrap(), "false");
        let place = Place { listen: "tcp/127.0.0.1:8, tcp/[::1]:8".to_owned(), ..place };
        assert_eq!(
            place.config().unwrap().get_json("listen/endpoints").unwrap(),
            r#"["tcp/127.0.0.1:8","tcp/[::1]:8"]"#
        );
        std::fs::write(&file, "{ listen: 5 ").unwrap();
        assert!(place.open().unwrap_err().to_string().contains("cannot read the configuration of"));
        std::fs::remove_file(&file).unwrap();
    }
}
