//! Signals that ask a run to end: SIGINT, SIGTERM and SIGHUP.

use std::error::Error;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use superhet_runtime::running::Control;

/// The signal that ended a run: what it has written ends early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interrupted(i32);

impl Interrupted {
    /// What shells make of a process that a signal has ended.
    pub fn exit_code(self) -> u8 {
        128 + self.0 as u8
    }

    /// The signal of an exit code, if it is one of those.
    pub fn of_exit_code(code: u8) -> Option<Self> {
        [SIGINT, SIGTERM, SIGHUP].into_iter().map(Interrupted).find(|one| one.exit_code() == code)
    }

    /// Ends the process, of that signal: bash goes on with its loop after a program that ended by itself, whatever its exit code.
    /// Nothing of stdout is lost, since lines are written when they are whole.
    pub fn end(self) -> ! {
        // Fails for signals alone that it does not know.
        let _ = signal_hook::low_level::emulate_default_handler(self.0);
        std::process::exit(self.exit_code().into())
    }
}

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.0 {
            SIGINT => "SIGINT",
            SIGTERM => "SIGTERM",
            _ => "SIGHUP",
        };
        write!(f, "stopped by {name}, so the output ends early")
    }
}

impl Error for Interrupted {}

/// Where signals go: to the graph that runs, if any.
#[derive(Clone)]
pub struct Interrupts(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    graph: Option<Control>,
    /// How often one came.
    count: u32,
    first: Option<Interrupted>,
}

impl Interrupts {
    /// Catches signals from now on. A process has one handler; the graph behind it can change. What comes as soon as there is
    /// one counts.
    pub fn catch() -> Self {
        static CAUGHT: OnceLock<Interrupts> = OnceLock::new();
        let interrupts = CAUGHT.get_or_init(|| {
            let interrupts = Interrupts(Arc::default());
            let handler = interrupts.clone();
            let caught = Signals::new([SIGINT, SIGTERM, SIGHUP]).and_then(|mut signals| {
                let wait = move || signals.forever().for_each(|signal| handler.interrupt(signal));
                std::thread::Builder::new().name("signals".to_owned()).spawn(wait)
            });
            if let Err(error) = caught {
                tracing::warn!("a signal will end the process at once: {error}");
            }
            interrupts
        });
        interrupts.clone()
    }

    /// Forgets a graph that has ended, and what was meant for it; gives the signal that came first.
    pub fn forget(&self) -> Option<Interrupted> {
        std::mem::take(&mut *self.lock()).first
    }

    /// Sends what comes, and what came since `catch`, to a graph.
    pub fn go_to(&self, control: Control) {
        let mut state = self.lock();
        if state.count > 0 {
            control.stop();
        }
        state.graph = Some(control);
    }

    /// Whether one came since `catch`.
    pub fn has_come(&self) -> bool {
        self.lock().count > 0
    }

    /// The first signal stops the graph, the second cancels it, a third ends the process.
    fn interrupt(&self, signal: i32) {
        let mut state = self.lock();
        state.count += 1;
        let interrupted = *state.first.get_or_insert(Interrupted(signal));
        match (state.count, &state.graph) {
            (1, Some(control)) => control.stop(),
            (2, Some(control)) => control.cancel(),
            (1, None) => {}
            _ => interrupted.end(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_that_comes_before_the_graph_runs_is_not_lost() {
        let interrupts = Interrupts::catch();
        interrupts.interrupt(SIGTERM);
        assert_eq!(Interrupts::catch().lock().count, 1);
        assert_eq!(interrupts.forget().map(Interrupted::exit_code), Some(143));
        assert_eq!(Interrupts::catch().lock().count, 0);
        assert_eq!(interrupts.forget(), None);
    }

    #[test]
    fn an_exit_code_says_which_signal_it_was() {
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            assert_eq!(Interrupted::of_exit_code(Interrupted(signal).exit_code()), Some(Interrupted(signal)));
        }
        assert!([0, 1, 2, 128, 137, 255].into_iter().all(|code| Interrupted::of_exit_code(code).is_none()));
    }
}
