//! Words for people, on stderr, and results, on stdout.
//!
//! Nothing here panics. `eprintln!` and `println!` do where the reader has gone or the disk is full. A graph that ran well
//! has not failed because its report could not be shown. And nothing that comes from a file or a peer moves the cursor of a
//! terminal or changes its title: control characters are shown as `\u{1b}`.

use std::borrow::Cow;
use std::fmt::{self, Display};
use std::io::{self, ErrorKind, Write};

use anyhow::Context;
use tracing_subscriber::fmt::MakeWriter;

/// Writes a line to stderr.
pub fn line(words: impl Display) {
    text(format_args!("{words}\n"));
}

/// Writes text that has its own ends of lines to stderr.
pub fn text(words: impl Display) {
    // An error of stderr itself is ignored: it may be closed, or its disk full.
    let _ = io::stderr().write_all(shown(&words.to_string()).as_bytes());
}

/// Writes a result to stdout. That nobody reads it any more is no error.
pub fn result(text: &str) -> anyhow::Result<()> {
    let mut stdout = io::stdout();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error).context("cannot write to stdout"),
        _ => Ok(()),
    }
}

/// The text with every control character but line feed and tab written out.
pub fn shown(text: &str) -> Cow<'_, str> {
    let moves = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    if !text.contains(moves) {
        return text.into();
    }
    let escaped = text.chars().fold(String::with_capacity(text.len()), |mut shown, c| {
        if moves(c) {
            shown.extend(c.escape_unicode())
        } else {
            shown.push(c)
        }
        shown
    });
    escaped.into()
}

/// Where log lines go.
#[derive(Clone, Copy, Debug)]
pub struct Log;

impl<'a> MakeWriter<'a> for Log {
    type Writer = Log;

    fn make_writer(&'a self) -> Log {
        Log
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        text(String::from_utf8_lossy(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// An error with its causes, except those that its own text has already.
pub struct Chain<'a>(pub &'a anyhow::Error);

impl Display for Chain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words = self.0.to_string();
        for cause in self.0.chain().skip(1).map(ToString::to_string) {
            if !words.contains(&cause) {
                words = format!("{words}: {cause}");
            }
        }
        f.write_str(&words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_written_out_and_nothing_else_is() {
        assert!(matches!(shown("a line\n\tand \u{fe0f}ünï 信号"), Cow::Borrowed(_)));
        assert_eq!(shown("\x1b]0;x\x07 \u{9b}31m \x7f\r"), r"\u{1b}]0;x\u{7} \u{9b}31m \u{7f}\u{d}");
    }

    #[test]
    fn a_cause_that_an_error_has_reported_is_not_reported_again() {
        let error = anyhow::anyhow!("no room").context("cannot write: no room").context("block x");
        assert_eq!(Chain(&error).to_string(), "block x: cannot write: no room");
    }
}
