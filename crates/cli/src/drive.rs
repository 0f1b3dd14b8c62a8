//! Runs a graph to its end, with a progress bar and Ctrl-C.

use std::io::IsTerminal;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use superhet_runtime::{CheckedGraph, Control, Outcome, Report, RunError};

use crate::settings::Settings;

/// Runs `graph`; the first Ctrl-C stops it, the second cancels it, a third ends the process.
pub fn drive(graph: CheckedGraph, settings: &Settings, show_progress: bool) -> Result<Report, RunError> {
    let mut running = graph.start(&*settings.scheduler(), &settings.options())?;
    on_interrupt(running.control());
    let progress = Progress::new(show_progress && std::io::stderr().is_terminal());
    loop {
        if let Some(result) = running.wait_for(Duration::from_millis(100)) {
            progress.clear();
            let report = result?;
            match report.outcome {
                Outcome::Stopped => eprintln!("superhet: stopped"),
                Outcome::Cancelled => eprintln!("superhet: cancelled"),
                _ => {}
            }
            return Ok(report);
        }
        progress.show(&running.metrics());
    }
}

/// Sets what Ctrl-C does from now on. The handler can be set once in a process; the graph can change.
fn on_interrupt(control: Control) {
    static CURRENT: OnceLock<Arc<Mutex<(Control, u32)>>> = OnceLock::new();
    let mut is_new = false;
    let current = CURRENT.get_or_init(|| {
        is_new = true;
        Arc::new(Mutex::new((control.clone(), 0)))
    });
    *current.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = (control, 0);
    if !is_new {
        return;
    }
    let current = current.clone();
    let handler = move || {
        let mut current = current.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        current.1 += 1;
        match current.1 {
            1 => current.0.stop(),
            2 => current.0.cancel(),
            _ => std::process::exit(130),
        }
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        tracing::warn!("Ctrl-C will end the process at once: {error}");
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
