//! `--dashboard`: a running graph in the browser.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::mpsc;
use std::time::Duration;

use anyhow::bail;
use clap::Args;
use superhet::io::NameHints;
use superhet::io::sigmf::Recording;
use superhet_flow::{Flow, Registry};
use superhet_monitor::{Monitor, Options, View, Watch};
use superhet_runtime::{CheckedGraph, RunError, Value, running::Control};

use superhet_terminal::say;
use superhet_terminal::usage::Usage;

/// How a dashboard is asked for.
#[derive(Args, Clone, Debug, Default)]
pub struct DashboardArgs {
    /// Show the running graph in the browser, and control it there. An ADDRESS other than of this machine alone, as in
    /// 0.0.0.0:8123, asks viewers for a token [default: 127.0.0.1:8123, or any other port where that is taken]
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    dashboard: Option<Address>,
    /// With --dashboard, answer to this name of a host, too; may be given several times
    #[arg(long, value_name = "NAME", requires = "dashboard")]
    dashboard_host: Vec<String>,
    /// With --dashboard, let viewers record streams into this folder
    #[arg(long, value_name = "DIR", requires = "dashboard")]
    record_dir: Option<PathBuf>,
    /// With --dashboard, stay when the graph has ended or failed, up to a signal, so that it can be started again there
    #[arg(long, requires = "dashboard")]
    dashboard_stay: bool,
}

/// Where a dashboard is; the default place, where nothing is said.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Address(Option<SocketAddr>);

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(Address(None));
        }
        Options::parse_address(text).map(|address| Address(Some(address)))
    }
}

/// A dashboard for the graphs of a command.
pub struct Dashboard {
    monitor: Monitor,
    stays: bool,
}

/// A graph in a dashboard: what is known of it, and how it is built again, where it can be.
#[derive(Clone, Copy)]
pub struct Shown<'a> {
    pub dashboard: &'a Dashboard,
    pub description: &'a Description,
    pub again: Option<&'a dyn Fn() -> anyhow::Result<CheckedGraph>>,
}

/// What viewers ask of a graph that has ended: to be started again.
pub struct Requests(mpsc::Receiver<Request>);

/// A viewer's wish to have the graph started again; it waits for what runs then.
pub struct Request(mpsc::Sender<Result<Control, String>>);

impl Requests {
    /// Whoever asks first; `None` where nobody does for so long.
    pub fn wait(&self, most: Duration) -> Option<Request> {
        self.0.recv_timeout(most).ok()
    }
}

impl Request {
    /// Says what runs now, or why nothing does.
    pub fn answer(self, started: Result<Control, String>) {
        // The viewer may have gone.
        let _ = self.0.send(started);
    }
}

impl DashboardArgs {
    /// Opens one, where it is asked for, and says where it is.
    pub fn open(&self) -> anyhow::Result<Option<Dashboard>> {
        let Some(Address(address)) = self.dashboard else { return Ok(None) };
        let mut options = Options::default().catalog(superhet::registry().entries());
        if let Some(address) = address {
            options = options.at(address);
        }
        for name in &self.dashboard_host {
            if name.is_empty() || name.contains([':', '/', ' ']) {
                return Err(Usage(format!(
                    "--dashboard-host {name:?}: expected the name of a host, without a port"
                ))
                .into());
            }
            options = options.host(name);
        }
        if let Some(folder) = &self.record_dir {
            if !folder.is_dir() {
                bail!("--record-dir {}: it is no folder", folder.display());
            }
            options = options.record_into(folder);
        }
        let monitor = Monitor::serve(options)?;
        match monitor.urls() {
            [control, view] => say::line(format_args!(
                "superhet: the dashboard is at {control}\nsuperhet: for those who only look, at {view}"
            )),
            urls => {
                urls.iter().for_each(|url| say::line(format_args!("superhet: the dashboard is at {url}")))
            }
        }
        Ok(Some(Dashboard { monitor, stays: self.dashboard_stay }))
    }
}

/// What a page can show first.
#[derive(Clone, Copy, Debug)]
pub enum Shows {
    Spectrum,
    Waterfall,
    Constellation,
    Messages,
    Map,
}

/// What is known of a graph besides what the runtime knows.
#[derive(Clone, Debug, Default)]
pub struct Description {
    name: String,
    /// The name and type of each block, and what it was made with.
    blocks: Vec<(String, String, BTreeMap<String, Value>)>,
    /// Rate and centre frequency of what the block of that name gives.
    rates: Vec<(String, Option<f64>, Option<f64>)>,
    /// Views that a page opens by itself, of what an output gives.
    views: Vec<(View, String, String)>,
}

impl Description {
    /// What a graph file says of its blocks.
    pub fn of_flow(name: &str, flow: &Flow, registry: &Registry) -> Self {
        let mut description =
            Description { name: flow.name().unwrap_or(name).to_owned(), ..Description::default() };
        for ((block, kind), set) in flow.blocks().zip(flow.settings()) {
            let params = registry.get(kind).map_or(&[][..], |entry| entry.params);
            let given = params.iter().filter_map(|param| {
                let mut names = std::iter::once(&param.name).chain(param.formerly);
                let value = names.find_map(|name| set.get(name).copied())?;
                Some((param.name.to_owned(), value.clone()))
            });
            description.add(block, kind, given.collect());
        }
        description
    }

    /// The same with another name.
    pub fn named(self, name: &str) -> Self {
        Description { name: name.to_owned(), ..self }
    }

    /// Says rate and centre frequency of what a block gives.
    pub fn gives(&mut self, block: &str, rate_hz: Option<f64>, center_hz: Option<f64>) {
        self.rates.push((block.to_owned(), rate_hz, center_hz));
    }

    /// Has a page show a view first, of what the block or its port gives.
    pub fn shows(&mut self, view: Shows, output: &str) {
        let view = match view {
            Shows::Spectrum => View::Spectrum,
            Shows::Waterfall => View::Waterfall,
            Shows::Constellation => View::Constellation,
            Shows::Messages => View::Messages,
            Shows::Map => View::Map,
        };
        let (block, port) = output.split_once('.').unwrap_or((output, "out"));
        self.views.push((view, block.to_owned(), port.to_owned()));
    }

    /// Adds a block.
    pub fn add(&mut self, block: &str, kind: &str, given: BTreeMap<String, Value>) {
        let path = given.get("path").and_then(Value::as_str).unwrap_or_default();
        let known = match kind {
            "file_source" => {
                let hints = NameHints::from_path(path);
                (hints.sample_rate_hz, hints.center_hz)
            }
            "sigmf_source" => {
                let recording = Recording::open(Path::new(path)).ok();
                recording
                    .map_or((None, None), |recording| (recording.sample_rate_hz(), recording.center_hz()))
            }
            _ => (None, None),
        };
        // What was set goes before what a file's name says.
        let number = |name: &str| given.get(name).and_then(Value::as_f64).filter(|x| *x > 0.0);
        let known = (number("rate_hz").or(known.0), number("frequency_hz").or(known.1));
        if matches!(kind, "file_source" | "sigmf_source") && known != (None, None) {
            self.gives(block, known.0, known.1);
        }
        self.blocks.push((block.to_owned(), kind.to_owned(), given));
    }
}

impl Dashboard {
    /// Makes room for taps in a graph.
    pub fn prepare(&self, graph: CheckedGraph) -> Result<CheckedGraph, RunError> {
        Ok(graph.loosened()?)
    }

    /// Whether it stays when its graph has ended or failed.
    pub fn stays(&self) -> bool {
        self.stays
    }

    /// Shows a graph that runs; gives what viewers ask of it later, where it `restarts`.
    pub fn show(&self, description: &Description, control: Control, restarts: bool) -> Option<Requests> {
        let mut watch = Watch::new(description.name.as_str(), control);
        for (block, kind, given) in &description.blocks {
            watch = watch.block(block.as_str(), kind.as_str(), given.clone());
        }
        for (block, rate_hz, center_hz) in &description.rates {
            watch = watch.output(block.as_str(), "out", *rate_hz, *center_hz);
        }
        for (view, block, port) in &description.views {
            watch = watch.view(*view, block.as_str(), port.as_str());
        }
        let mut requests = None;
        if restarts {
            let (ask, asked) = mpsc::channel();
            requests = Some(Requests(asked));
            watch = watch.again(move || {
                let ended = || "the command is about to end".to_owned();
                let (reply, answer) = mpsc::channel();
                ask.send(Request(reply)).map_err(|_| ended())?;
                answer.recv().map_err(|_| ended())?
            });
        }
        self.monitor.watch(watch);
        requests
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_said_is_the_default_place() {
        assert_eq!("".parse(), Ok(Address(None)));
        assert_eq!("9000".parse(), Ok(Address("127.0.0.1:9000".parse().ok())));
    }
}
