//! A bar for what takes a known number of steps.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressStyle};

/// How far a command is, on stderr; nothing is shown where that is no terminal.
pub struct Bar(ProgressBar);

impl Bar {
    /// A bar of so many steps, none of which has begun.
    pub fn new(steps: usize) -> Self {
        if !std::io::stderr().is_terminal() {
            return Bar(ProgressBar::hidden());
        }
        let bar = ProgressBar::new(steps as u64);
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len}, {eta} left: {msg}");
        if let Ok(style) = style {
            bar.set_style(style);
        }
        Bar(bar)
    }

    /// The next step begins.
    pub fn step(&self, what: &str) {
        self.0.set_message(what.to_owned());
        self.0.inc(1);
    }

    /// Takes the bar off the screen.
    pub fn clear(&self) {
        self.0.finish_and_clear();
    }
}
