//! Runs a graph to its end, with a progress bar, or to a signal.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use superhet_runtime::{CheckedGraph, Report, RunError, RunningGraph, plan::Plan, report::Outcome};

use crate::dashboard::{Requests, Shown};
use crate::interrupt::{Interrupted, Interrupts};
use superhet_terminal::say;
use superhet_terminal::settings::Settings;

/// How often what goes on is looked at.
const TURN: Duration = Duration::from_millis(100);

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

/// As [`drive`], and shows the graph in a dashboard. Where a viewer stops it there, it waits for one who starts it again, or for a signal;
/// a dashboard that stays has it wait at every end. What is given is of the last run.
pub fn drive_shown(
    graph: CheckedGraph,
    settings: &Settings,
    show_progress: bool,
    shown: Option<Shown<'_>>,
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
    shown: Option<Shown<'_>>,
) -> Result<(Plan, Report), RunError> {
    let is_shown = show_progress && std::io::stderr().is_terminal();
    let mut started = Started::new(graph, settings, shown)?;
    interrupts.go_to(started.running.control());
    let requests = shown.and_then(|Shown { dashboard, description, again }| {
        dashboard.show(description, started.running.control(), again.is_some())
    });
    loop {
        let ended = started.end(is_shown);
        let Some((shown, requests)) = shown.zip(requests.as_ref()) else { return ended };
        let by_viewer = matches!(&ended, Ok((_, report)) if report.outcome == Outcome::Stopped);
        if interrupts.has_come() || !(by_viewer || shown.dashboard.stays()) {
            return ended;
        }
        let what = match &ended {
            Ok(_) if by_viewer => "the graph was stopped in the dashboard".to_owned(),
            Ok(_) => "the graph has ended".to_owned(),
            Err(error) => error.to_string(),
        };
        say::line(format_args!("superhet: {what}; the dashboard can start it again, Ctrl-C ends this"));
        match start_again(interrupts, settings, shown, requests) {
            Some(again) => started = again,
            None => return ended,
        }
    }
}

/// Waits for a viewer who starts the graph again, and starts it; `None` when a signal comes.
fn start_again(
    interrupts: &Interrupts,
    settings: &Settings,
    shown: Shown<'_>,
    requests: &Requests,
) -> Option<Started> {
    while !interrupts.has_come() {
        let Some(request) = requests.wait(TURN) else { continue };
        let graph = shown.again?().map_err(|error| format!("{error:#}"));
        let started = graph
            .and_then(|graph| Started::new(graph, settings, Some(shown)).map_err(|error| error.to_string()));
        match started {
            Ok(started) => {
                interrupts.go_to(started.running.control());
                request.answer(Ok(started.running.control()));
                return Some(started);
            }
            Err(sentence) => request.answer(Err(sentence)),
        }
    }
    None
}

/// A graph that runs, and the plan by which it does.
struct Started {
    plan: Plan,
    running: RunningGraph,
}

impl Started {
    fn new(graph: CheckedGraph, settings: &Settings, shown: Option<Shown<'_>>) -> Result<Self, RunError> {
        let graph = match shown {
            Some(shown) => shown.dashboard.prepare(graph)?,
            None => graph,
        };
        let options = settings.options();
        let scheduler = settings.scheduler();
        let plan = graph.plan(&*scheduler, &options)?;
        let running = graph.start_by(&plan, &*scheduler, &options)?;
        Ok(Started { plan, running })
    }

    /// Runs to the end, with a progress bar.
    fn end(self, show_progress: bool) -> Result<(Plan, Report), RunError> {
        let Started { plan, mut running } = self;
        let progress = Progress::new(show_progress);
        loop {
            if let Some(result) = running.wait_for(TURN) {
                progress.clear();
                return Ok((plan, result?));
            }
            progress.show(&running.metrics());
        }
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
