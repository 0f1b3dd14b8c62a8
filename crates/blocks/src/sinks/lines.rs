//! Where the debug blocks write: JSON, one value a line.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use superhet_runtime::Value;

use crate::error::Error;

/// JSON values, one a line, to stdout, to a file or into memory.
///
/// A file is created when the graph starts, not before, and one that exists is written over.
pub struct Lines {
    target: Target,
    writer: Option<Writer>,
}

type Writer = BufWriter<Box<dyn Write + Send>>;

impl std::fmt::Debug for Lines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Lines({})", self.target.name())
    }
}

enum Target {
    Stdout,
    File(PathBuf),
    Memory(Text),
}

/// What [`Lines`] has written into memory; cheap to clone, and can be read while the graph runs.
#[derive(Clone, Debug, Default)]
pub struct Text(Arc<Mutex<Vec<u8>>>);

impl Text {
    /// Takes what was written so far; while the graph runs, the last line may still lack its end.
    pub fn take(&self) -> String {
        let bytes = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Write for Text {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Lines {
    /// Writes to stdout.
    pub fn stdout() -> Self {
        Lines { target: Target::Stdout, writer: None }
    }

    /// Writes to the file at `path`.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Lines { target: Target::File(path.into()), writer: None }
    }

    /// Writes into memory, to be taken from the handle.
    pub fn memory() -> (Self, Text) {
        let text = Text::default();
        (Lines { target: Target::Memory(text.clone()), writer: None }, text)
    }

    /// Writes to the file at `path`, or to stdout where that is empty or `-`.
    pub(crate) fn file_or_stdout(path: &str) -> Self {
        if matches!(path, "" | "-") { Lines::stdout() } else { Lines::file(path) }
    }

    /// Writes one line; false where nobody reads any more.
    pub(crate) fn write(&mut self, value: &Value) -> Result<bool, Error> {
        let text = value.to_string();
        self.with_writer(|writer| writeln!(writer, "{}", without_controls(&text)))
    }

    /// Flushes what was written; false where nobody reads any more. Creates the file if nothing has yet.
    pub(crate) fn flush(&mut self) -> Result<bool, Error> {
        self.with_writer(Write::flush)
    }

    fn with_writer(&mut self, act: impl FnOnce(&mut Writer) -> io::Result<()>) -> Result<bool, Error> {
        let opened = match self.writer.take() {
            Some(writer) => Ok(writer),
            None => self.target.open(),
        };
        match opened.and_then(|writer| act(self.writer.insert(writer))) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
            Err(error) => Err(Error::Write { target: self.target.name(), error }),
        }
    }
}

/// JSON with the control characters escaped that it may have as they are, so that what a peer has sent does not move the
/// cursor of a terminal. They stand in texts only, and mean the same there.
fn without_controls(json: &str) -> Cow<'_, str> {
    if !json.contains(char::is_control) {
        return json.into();
    }
    let escaped = json.chars().fold(String::with_capacity(json.len()), |mut text, c| {
        if c.is_control() {
            text += &format!("\\u{:04x}", u32::from(c))
        } else {
            text.push(c)
        }
        text
    });
    escaped.into()
}

impl Target {
    fn open(&self) -> io::Result<Writer> {
        let writer: Box<dyn Write + Send> = match self {
            Target::Stdout => Box::new(io::stdout()),
            Target::File(path) => Box::new(File::create(path)?),
            Target::Memory(text) => Box::new(text.clone()),
        };
        Ok(BufWriter::new(writer))
    }

    fn name(&self) -> String {
        match self {
            Target::Stdout => "stdout".to_owned(),
            Target::File(path) => path.display().to_string(),
            Target::Memory(_) => "memory".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_and_a_dash_are_stdout() {
        assert!(["", "-"].iter().all(|path| Lines::file_or_stdout(path).target.name() == "stdout"));
        assert_eq!(Lines::file_or_stdout("./-").target.name(), "./-");
    }

    #[test]
    fn control_characters_that_json_may_have_as_they_are_are_escaped_and_mean_the_same() {
        let (mut lines, text) = Lines::memory();
        let value = Value::map([("\u{9b}31m", "\u{7f}\u{1b}\u{85} ü")]);
        lines.write(&value).unwrap();
        lines.flush().unwrap();
        let text = text.take();
        assert_eq!(text, "{\"\\u009b31m\":\"\\u007f\\u001b\\u0085 ü\"}\n");
        assert_eq!(Value::from_json(&serde_json::from_str(&text).unwrap()), value);
    }

    #[test]
    fn a_file_is_created_by_the_first_flush_and_holds_a_value_a_line() {
        let path = std::env::temp_dir().join(format!("superhet-lines-{}.jsonl", std::process::id()));
        let mut lines = Lines::file(&path);
        assert!(!path.exists());
        assert!(lines.flush().unwrap());
        assert!(path.exists());
        assert!(lines.write(&Value::map([("a", 1)])).unwrap() && lines.write(&"x".into()).unwrap());
        drop(lines);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"a\":1}\n\"x\"\n");
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_file_that_cannot_be_made_is_named() {
        let error = Lines::file("/no/such/folder/x.jsonl").flush().unwrap_err();
        assert!(error.to_string().starts_with("cannot write to /no/such/folder/x.jsonl: "), "{error}");
    }
}
