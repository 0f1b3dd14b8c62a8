//! The receivers: graph files that are built into the command.

use superhet_flow::{Flow, FlowError, Set};

use crate::usage::Usage;

/// A receiver.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    pub name: &'static str,
    /// Its graph file, which shows the ports `in` and `out` and has the variables `rate_hz` and `center_hz`.
    text: &'static str,
}

macro_rules! kinds {
    ($($name:literal),*) => {
        &[$(Kind { name: $name, text: include_str!(concat!("../../receivers/", $name, ".toml")) }),*]
    };
}

/// All receivers, in the order in which they are listed.
pub const KINDS: &[Kind] = kinds![
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
    "funcube"
];

/// What shows the bursts that `ism` decodes.
pub const ANALYZE: Kind = kinds!["ism-analyze"][0];

impl Kind {
    /// The receiver of that name.
    ///
    /// # Errors
    /// That there is none, and which there are.
    pub fn find(name: &str) -> Result<Kind, Usage> {
        let names = || KINDS.iter().map(|kind| kind.name).collect::<Vec<_>>().join(", ");
        let unknown = || Usage(format!("there is no receiver {name:?}: expected one of {}", names()));
        KINDS.iter().find(|kind| kind.name == name).copied().ok_or_else(unknown)
    }

    /// The graph, with variables set.
    pub fn flow(self, sets: &[Set]) -> Result<Flow, FlowError> {
        Flow::from_text(self.text, "", sets)
    }
}
