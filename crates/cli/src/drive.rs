//! Runs a graph to its end, with a progress bar and Ctrl-C.

use std::io::IsTerminal;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use superhet_runtime::{CheckedGraph, Control, Outcome, Plan, Report, RunError};

use crate::say;
use crate::settings::Settings;

/// Runs `graph`; the first Ctrl-C stops it, the second cancels it, a third ends the process. Gives the plan by which it ran
/// and what it did.
pub fn drive(
    graph: CheckedGraph,
    settings: &Settings,
    show_progress: bool,
) -> Result<(Plan, Report), RunError> {
    let interrupts = Interrupts::catch();
    let result = drive_until(&interrupts, graph, settings, show_progress);
    interrupts.forget();
    result
}

fn drive_until(
    interrupts: &Interrupts,
    graph: CheckedGraph,
    settings: &Settings,
    show_progress: bool,
) -> Result<(Plan, Report), RunError> {
    let options = settings.options();
    let scheduler = settings.scheduler();
    let plan = graph.plan(&*scheduler, &options)?;
    let mut running = graph.start_by(&plan, &*scheduler, &options)?;
    interrupts.go_to(running.control());
    let progress = Progress::new(show_progress && std::io::stderr().is_terminal());
    loop {
        if let Some(result) = running.wait_for(Duration::from_millis(100)) {
            progress.clear();
            let report = result?;
            match report.outcome {
                Outcome::Stopped => say::line("superhet: stopped"),
                Outcome::Cancelled => say::line("superhet: cancelled"),
                _ => {}
            }
            return Ok((plan, report));
        }
        progress.show(&running.metrics());
    }
}

/// Where Ctrl-C goes: to the graph that runs, if any, and how often it came.
#[derive(Clone)]
struct Interrupts(Arc<Mutex<(Option<Control>, u32)>>);

impl Interrupts {
    /// Catches Ctrl-C from now on. A process has one handler; the graph behind it can change. What comes as soon as there is
    /// one counts.
    fn catch() -> Self {
        static CAUGHT: OnceLock<Interrupts> = OnceLock::new();
        let interrupts = CAUGHT.get_or_init(|| {
            let interrupts = Interrupts(Arc::default());
            let handler = interrupts.clone();
            if let Err(error) = ctrlc::set_handler(move || handler.interrupt()) {
                tracing::warn!("Ctrl-C will end the process at once: {error}");
            }
            interrupts
        });
        interrupts.clone()
    }

    /// Forgets a graph that has ended, and what was meant for it.
    fn forget(&self) {
        *self.lock() = (None, 0);
    }

    fn lock(&self) -> MutexGuard<'_, (Option<Control>, u32)> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Sends what comes, and what came since `catch`, to a graph.
    fn go_to(&self, control: Control) {
        let mut state = self.lock();
        if state.1 > 0 {
            control.stop();
        }
        state.0 = Some(control);
    }

    fn interrupt(&self) {
        let mut state = self.lock();
        state.1 += 1;
        match (state.1, &state.0) {
            (1, Some(control)) => control.stop(),
            (2, Some(control)) => control.cancel(),
            (1, None) => {}
            _ => std::process::exit(130),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupt_that_comes_before_the_graph_runs_is_not_lost() {
        Interrupts::catch().interrupt();
        let interrupts = Interrupts::catch();
        assert_eq!(interrupts.lock().1, 1);
        interrupts.forget();
        assert_eq!(Interrupts::catch().lock().1, 0);
    }
}
