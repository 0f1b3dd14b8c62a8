//! The receivers: graph files that are built into the command.

use std::borrow::Cow;

use superhet_flow::{Flow, FlowError, Set};

use crate::usage::Usage;

/// A receiver.
#[derive(Clone, Debug)]
pub struct Kind {
    pub name: &'static str,
    /// Its graph file, which shows the ports `in` and `out` and has the variables `rate_hz` and `center_hz`.
    text: Cow<'static, str>,
}

macro_rules! kinds {
    ($($name:literal),*) => {
        &[$(Kind { name: $name, text: Cow::Borrowed(include_str!(concat!("../../receivers/", $name, ".toml"))) }),*]
    };
}

/// All receivers, in the order in which they are listed.
pub static KINDS: &[Kind] = kinds![
    "adsb",
    "ax25",
    "ax25-9600",
    "ax25-bpsk",
    "same",
    "ism",
    "wmbus",
    "ais",
    "ft8",
    "ft4",
    "ax100",
    "u482c",
    "3cat1",
    "ccsds",
    "funcube",
    "fm",
    "wifi"
];

/// What shows the bursts that `ism` decodes.
pub static ANALYZE: &Kind = &kinds!["ism-analyze"][0];

/// Graph files that are a part of others.
static PARTS: &[(&str, &str)] = &[
    ("fm.toml", include_str!("../../receivers/fm.toml")),
    ("fm-audio.toml", include_str!("../../receivers/fm-audio.toml")),
    ("fm-play.toml", include_str!("../../receivers/fm-play.toml")),
    ("wifi.toml", include_str!("../../receivers/wifi.toml")),
];

impl Kind {
    /// The receiver of that name.
    ///
    /// # Errors
    /// That there is none, and which there are.
    pub fn find(name: &str) -> Result<Kind, Usage> {
        let names = || KINDS.iter().map(|kind| kind.name).collect::<Vec<_>>().join(", ");
        let unknown = || Usage(format!("there is no receiver {name:?}: expected one of {}", names()));
        KINDS.iter().find(|kind| kind.name == name).cloned().ok_or_else(unknown)
    }

    /// The receiver whose graph is another one.
    pub fn with_graph(self, text: String) -> Kind {
        Kind { text: text.into(), ..self }
    }

    /// The graph, with variables set.
    pub fn flow(&self, sets: &[Set]) -> Result<Flow, FlowError> {
        Flow::from_parts(&self.text, PARTS, sets)
    }
}
