//! Runs a graph to its end, with a progress bar, or to a signal.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use superhet_runtime::{CheckedGraph, Outcome, Plan, Report, RunError};

use crate::dashboard::{Dashboard, Description};
use crate::interrupt::{Interrupted, Interrupts};
use superhet_terminal::say;
use superhet_terminal::settings::Settings;

/// A graph that has run.
pub struct Driven {
    /// The plan by which it ran.
    pub plan: Plan,
    /// What it did.
    pub report: Report,
    interrupted: Option<Interrupted>,
}

impl Driven {
    /// Nothing, if the graph came to its end by itself.
    ///
    /// # Errors
    /// The signal that ended it, for the exit code.
    pub fn whole(&self) -> Result<(), Interrupted> {
        self.interrupted.map_or(Ok(()), Err)
    }
}

/// Runs `graph`; the first signal stops it, the second cancels it, a third ends the process.
pub fn drive(graph: CheckedGraph, settings: &Settings, show_progress: bool) -> anyhow::Result<Driven> {
    drive_shown(graph, settings, show_progress, None)
}

/// As [`drive`], and shows the graph in a dashboard, with what is known of it.
pub fn drive_shown(
    graph: CheckedGraph,
    settings: &Settings,
    show_progress: bool,
    shown: Option<(&Dashboard, &Description)>,
) -> anyhow::Result<Driven> {
    let interrupts = Interrupts::catch();
    let result = drive_until(&interrupts, graph, settings, show_progress, shown);
    let interrupted = interrupts.forget();
    match (result, interrupted) {
        (Ok((plan, report)), interrupted) => {
            let is_whole = !matches!(report.outcome, Outcome::Stopped | Outcome::Cancelled);
            Ok(Driven { plan, report, interrupted: interrupted.filter(|_| !is_whole) })
        }
        (Err(error), Some(interrupted)) => {
            say::line(format_args!("superhet: {error}"));
            Err(interrupted.into())
        }
        (Err(error), None) => Err(error.into()),
    }
}

fn drive_until(
    interrupts: &Interrupts,
    graph: CheckedGraph,
    settings: &Settings,
    show_progress: bool,
    shown: Option<(&Dashboard, &Description)>,
) -> Result<(Plan, Report), RunError> {
    let graph = match shown {
        Some((dashboard, _)) => dashboard.prepare(graph)?,
        None => graph,
    };
    let options = settings.options();
    let scheduler = settings.scheduler();
    let plan = graph.plan(&*scheduler, &options)?;
    let mut running = graph.start_by(&plan, &*scheduler, &options)?;
    interrupts.go_to(running.control());
    if let Some((dashboard, description)) = shown {
        dashboard.show(description, running.control());
    }
    let progress = Progress::new(show_progress && std::io::stderr().is_terminal());
    loop {
        if let Some(result) = running.wait_for(Duration::from_millis(100)) {
            progress.clear();
            return Ok((plan, result?));
        }
        progress.show(&running.metrics());
    }
}

/// A bar for a stream of known length, a live rate for an endless one.
struct Progress(Option<ProgressBar>);

impl Progress {
    fn new(shown: bool) -> Self {
        Progress(shown.then(ProgressBar::new_spinner))
    }

    fn show(&self, report: &Report) {
        let Some(bar) = &self.0 else { return };
        let sources = report.blocks.iter().filter(|block| block.inputs.is_empty());
        let Some(output) = sources.filter_map(|source| source.outputs.first()).max_by_key(|out| out.items)
        else {
            return;
        };
        let rate = output.items as f64 / report.elapsed.as_secs_f64() / 1e6;
        let template = match output.expected_items {
            Some(_) => "{bar:40} {percent:>3} %  {msg}  {eta} left",
            None => "{spinner} {elapsed}  {msg}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        if let Some(expected) = output.expected_items {
            bar.set_length(expected);
            bar.set_position(output.items);
        } else {
            bar.tick();
        }
        bar.set_message(format!("{rate:.1} Msamples/s"));
    }

    fn clear(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
