//! The JSON of the interface. `PROTOCOL.md` says what it is for; `web/src/api.ts` has the same types.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// A graph in the list of all.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct GraphSummary {
    pub id: u32,
    pub name: String,
    pub state: State,
    pub error: Option<String>,
    /// Time since the start, in seconds.
    pub seconds: f64,
    /// Whether it can be started anew once it has ended.
    pub restarts: bool,
}

/// What has become of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum State {
    Running,
    Ended,
    Failed,
}

/// What a graph is made of.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct GraphInfo {
    pub id: u32,
    pub name: String,
    pub blocks: Vec<Block>,
    pub streams: Vec<Stream>,
    pub messages: Vec<MessageLink>,
    /// Workers of all regions.
    pub workers: usize,
    /// What a page shows first.
    pub views: Vec<Panel>,
}

/// A block.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Block {
    /// Its name: it is unique in the graph.
    pub id: String,
    pub name: String,
    /// What it is called in graph files; empty where that is not known.
    pub kind: String,
    pub doc: Option<String>,
    pub region: usize,
    /// It waits for the outside world on a thread of its own: that is part of its busy time.
    pub waits_outside: bool,
    pub parameters: Vec<Parameter>,
    pub inputs: Vec<Port>,
    pub outputs: Vec<Port>,
}

/// A parameter of a block.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Parameter {
    pub name: String,
    #[serde(rename = "type")]
    pub kind: ParameterType,
    pub value: Json,
    pub unit: Option<String>,
    pub min: Option<f64>,
    pub max: Option<f64>,
    /// The words that it can be, where it is one of a few.
    pub choices: Option<Vec<&'static str>>,
    /// Whether it can be set while the graph runs.
    pub live: bool,
    pub doc: String,
}

/// How a parameter is shown and set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ParameterType {
    Number,
    Text,
    Switch,
    List,
}

/// A port of a block.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Port {
    pub name: String,
    pub item: String,
    pub message: bool,
}

/// A port, by the names of its block and of itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PortRef {
    pub block: String,
    pub port: String,
}

/// A stream from an output to one of the inputs that read it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Stream {
    /// `block.port>block.port`.
    pub id: String,
    pub from: PortRef,
    pub to: PortRef,
    pub item: String,
    pub rate_hz: Option<f64>,
}

/// A connection for messages.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct MessageLink {
    pub from: PortRef,
    pub to: PortRef,
}

/// What a graph does: rates are those since the metrics before.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Metrics {
    /// Time since the start of the graph.
    pub seconds: f64,
    pub blocks: Vec<BlockMetrics>,
    pub streams: Vec<StreamMetrics>,
    pub bottleneck: Option<BottleneckMetrics>,
    pub process: ProcessMetrics,
}

/// What a block does.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct BlockMetrics {
    pub id: String,
    /// Items taken from its first input (given to its first output, of a source), since the start.
    pub items: u64,
    pub items_per_s: f64,
    pub calls_per_s: f64,
    pub ns_per_item: f64,
    /// Share of a worker; more than 1 where several run it.
    pub busy: f64,
    /// Share of the time in which its worker had nothing to do and the block waited for input.
    pub blocked_input: f64,
    /// The same for room.
    pub blocked_output: f64,
    pub gaps: u64,
    pub lost_items: u64,
    /// Messages and packets dropped.
    pub dropped: u64,
}

/// What a stream does.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct StreamMetrics {
    pub id: String,
    pub items_per_s: f64,
    /// Items in the buffer.
    pub fill: u64,
    /// What the buffer holds, in items; 0 where it is a piece of a strip.
    pub capacity: u64,
    /// Who waits for the other side.
    pub waits: Option<Waits>,
    /// Tags that came by.
    pub tags_per_s: f64,
}

/// Which side of a stream waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Waits {
    Reader,
    Writer,
}

/// What keeps a graph from going faster.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct BottleneckMetrics {
    pub block: String,
    /// Items of the block a second, if all of its workers did nothing else.
    pub bound_items_per_s: f64,
}

/// What the process takes.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct ProcessMetrics {
    /// Processors kept busy.
    pub cpu: f64,
    pub memory_bytes: u64,
}

/// What a viewer wants to see.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tap {
    pub graph: u32,
    pub view: View,
    #[serde(default)]
    pub stream: Option<String>,
    #[serde(default)]
    pub port: Option<PortRef>,
    /// Bins of a spectrum or histogram.
    #[serde(default)]
    pub bins: Option<usize>,
    /// Rows or frames a second.
    #[serde(default)]
    pub rate: Option<f64>,
    /// Spectra averaged for a row.
    #[serde(default)]
    pub average: Option<f64>,
    #[serde(default)]
    pub window: Option<String>,
    #[serde(default)]
    pub zoom: Option<Zoom>,
    #[serde(default)]
    pub trigger: Option<Trigger>,
    /// Points of a constellation, pixels across a view of time, traces of an eye.
    #[serde(default)]
    pub points: Option<usize>,
    /// Samples that a frame of the view of time spans.
    #[serde(default)]
    pub samples: Option<usize>,
    /// Samples of a symbol, for an eye.
    #[serde(default)]
    pub symbol_samples: Option<f64>,
}

/// What a viewer looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum View {
    /// Power over frequency, of a stream.
    Spectrum,
    /// The spectrum over time, of a stream.
    Waterfall,
    /// Samples of a stream, with a trigger.
    Time,
    /// Q over I of a complex stream.
    Constellation,
    /// Pieces of two symbols of a stream on each other.
    Eye,
    /// How often each value comes in a stream.
    Histogram,
    /// A raster of the bits of a stream.
    Bits,
    /// The tags of a stream.
    Tags,
    /// The messages of an output.
    Messages,
    /// The packets of an output, as hex.
    Packets,
    /// The sound of a real stream.
    Audio,
    /// Where the messages of an output say that something is.
    Map,
}

/// A view that a page opens by itself.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Panel {
    pub view: View,
    pub stream: Option<String>,
    pub port: Option<PortRef>,
}

/// A part of a spectrum.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Zoom {
    pub center_hz: f64,
    pub span_hz: f64,
}

/// Where a view of time begins.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Trigger {
    pub level: f32,
    #[serde(default)]
    pub edge: Edge,
}

/// Which way the signal crosses the level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Edge {
    #[default]
    Rising,
    Falling,
}

/// `POST /api/graphs/G/set`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Set {
    pub block: String,
    pub parameter: String,
    pub value: Json,
    /// The first item of the block's input that it is to hold for.
    #[serde(default)]
    pub at: Option<u64>,
}

/// `POST /api/graphs/G/replace`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Replace {
    pub block: String,
    pub kind: String,
    #[serde(default)]
    pub parameters: serde_json::Map<String, Json>,
}

/// `POST /api/graphs/G/record`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Record {
    pub stream: String,
    pub file: String,
    #[serde(default)]
    pub seconds: Option<f64>,
    /// The output whose messages become annotations.
    #[serde(default)]
    pub annotations: Option<PortRef>,
}

/// What a viewer says.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub(crate) enum Said {
    Watch {
        graph: u32,
    },
    Unwatch {
        graph: u32,
    },
    Tap {
        tap: Box<Tap>,
        #[serde(default, rename = "ref")]
        reference: Option<Json>,
    },
    Untap {
        id: u16,
    },
    /// The fields of the tap that are to be others.
    Change {
        id: u16,
        #[serde(flatten)]
        fields: serde_json::Map<String, Json>,
    },
    Pause,
    Resume,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// The fields of an interface of the page's types.
    fn fields(types: &str, interface: &str) -> Vec<String> {
        let start = types
            .find(&format!("export interface {interface} {{"))
            .unwrap_or_else(|| panic!("no {interface}"));
        let body = types[start..].split_once('{').unwrap().1.split_once("\n}").unwrap().0;
        let lines = body
            .lines()
            .filter_map(|line| line.strip_prefix("  "))
            .filter(|line| !line.starts_with(['/', ' ']));
        lines.filter_map(|line| Some(line.split_once(':')?.0.trim_end_matches('?').to_owned())).collect()
    }

    #[test]
    fn the_page_has_the_same_types() {
        // Where the crate lies alone, there is no page to compare with.
        let Ok(types) = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/src/api.ts"))
        else {
            return;
        };
        let port = PortRef { block: String::new(), port: String::new() };
        let block_metrics = json!(BlockMetrics::default());
        let block = Block {
            id: String::new(),
            name: String::new(),
            kind: String::new(),
            doc: None,
            region: 0,
            waits_outside: false,
            parameters: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
        };
        let parameter = Parameter {
            name: String::new(),
            kind: ParameterType::Number,
            value: Json::Null,
            unit: None,
            min: None,
            max: None,
            choices: None,
            live: false,
            doc: String::new(),
        };
        let stream = Stream {
            id: String::new(),
            from: port.clone(),
            to: port.clone(),
            item: String::new(),
            rate_hz: None,
        };
        let summary = GraphSummary {
            id: 1,
            name: String::new(),
            state: State::Failed,
            error: None,
            seconds: 0.0,
            restarts: false,
        };
        let info = GraphInfo {
            id: 1,
            name: String::new(),
            blocks: Vec::new(),
            streams: Vec::new(),
            messages: Vec::new(),
            workers: 0,
            views: Vec::new(),
        };
        let panel = Panel { view: View::Map, stream: None, port: None };
        for (interface, given) in [
            ("GraphSummary", json!(summary)),
            ("GraphInfo", json!(info)),
            ("Block", json!(block)),
            ("Parameter", json!(parameter)),
            ("Port", json!(Port { name: String::new(), item: String::new(), message: false })),
            ("PortRef", json!(port)),
            ("Stream", json!(stream)),
            ("PanelSpec", json!(panel)),
            ("Metrics", json!(Metrics::default())),
            ("BlockMetrics", block_metrics),
            ("StreamMetrics", json!(StreamMetrics::default())),
        ] {
            let wanted = fields(&types, interface);
            assert!(!wanted.is_empty(), "{interface}");
            for field in wanted {
                assert!(given.get(&field).is_some(), "{interface}.{field} is not given");
            }
        }
        let known = [
            "graph",
            "view",
            "stream",
            "port",
            "bins",
            "rate",
            "average",
            "window",
            "zoom",
            "trigger",
            "points",
            "samples",
            "symbol_samples",
        ];
        for field in fields(&types, "Tap") {
            assert!(known.contains(&field.as_str()), "Tap.{field} is not known");
        }
        let all: serde_json::Map<String, Json> =
            known.into_iter().map(|field| (field.to_owned(), Json::Null)).collect();
        let mut all = Json::Object(all);
        (all["graph"], all["view"]) = (json!(1), json!("time"));
        serde_json::from_value::<Tap>(all).unwrap();
    }
}
