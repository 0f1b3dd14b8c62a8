//! The receivers: graph files that are built into the command.

use std::borrow::Cow;

use anyhow::Context;
use superhet_flow::{Flow, FlowError, Set};
use superhet_runtime::Value;

use superhet_terminal::usage::Usage;

/// A receiver.
#[derive(Clone, Debug)]
pub struct Kind {
    pub name: &'static str,
    /// The name of that file, where it is a part of others.
    pub file: &'static str,
    /// Its graph file, which shows the ports `in` and `out` and has the variables `rate_hz` and `center_hz`.
    text: Cow<'static, str>,
}

macro_rules! kinds {
    ($($name:literal),*) => {
        &[$(Kind {
            name: $name,
            file: concat!($name, ".toml"),
            text: Cow::Borrowed(include_str!(concat!("../../receivers/", $name, ".toml"))),
        }),*]
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
    "aausat4",
    "ccsds",
    "funcube",
    "fm",
    "wifi"
];

/// What shows the bursts that `ism` decodes.
pub static ANALYZE: &Kind = &kinds!["ism-analyze"][0];

/// Graph files that are a part of others, besides those of [`KINDS`].
static PARTS: &[(&str, &str)] = &[
    ("fm-audio.toml", include_str!("../../receivers/fm-audio.toml")),
    ("fm-play.toml", include_str!("../../receivers/fm-play.toml")),
];

/// Where a receiver's channels are, and what it needs to receive one.
#[derive(Clone, Debug, PartialEq)]
pub struct Channels {
    /// The frequencies of its channels; none where it is received on many.
    pub own_hz: Vec<f64>,
    /// Of broadcasters the first and the last frequency, and how far they are apart.
    pub stations_hz: Option<[f64; 3]>,
    /// How much of the spectrum a channel takes.
    pub width_hz: f64,
    /// The least sample rate.
    pub least_rate_hz: f64,
    /// The only sample rate, where others are not taken.
    pub exact_rate_hz: Option<f64>,
}

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
        graph(&self.text, sets)
    }

    /// Where its channels are, as its graph file says.
    pub fn channels(&self) -> anyhow::Result<Channels> {
        let flow = self.flow(&[])?;
        let variable = |name: &str| flow.variables().get(name);
        let number = |name: &str| variable(name).and_then(Value::as_f64);
        let needed = |name: &str| {
            number(name).with_context(|| format!("the receiver {} has no variable {name}", self.name))
        };
        let numbers = |name: &str| -> Vec<f64> {
            let list = variable(name).and_then(Value::as_list);
            list.map_or_else(Vec::new, |list| list.iter().filter_map(Value::as_f64).collect())
        };
        Ok(Channels {
            own_hz: numbers("channels_hz"),
            stations_hz: numbers("stations_hz").try_into().ok(),
            width_hz: needed("channel_width_hz")?,
            least_rate_hz: needed("least_rate_hz")?,
            exact_rate_hz: number("exact_rate_hz"),
        })
    }
}

/// A graph file of which receivers are parts.
pub fn graph(text: &str, sets: &[Set]) -> Result<Flow, FlowError> {
    let receivers = KINDS.iter().map(|kind| (kind.file, &*kind.text));
    let parts: Vec<(&str, &str)> = receivers.chain(PARTS.iter().copied()).collect();
    Flow::from_parts(text, &parts, sets)
}
