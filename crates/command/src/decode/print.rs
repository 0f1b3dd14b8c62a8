//! Prints the messages of receivers, a line each, and hands them on to whoever annotates a recording.

use std::io::{self, BufWriter, ErrorKind, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Context as _;
use superhet_runtime::{Block, BlockError, Context, MsgIn, MsgOut, Step, Value, Work};

use superhet_terminal::say;

/// Prints messages of receivers, counts them, and sends each on with a label and a comment.
#[derive(Block)]
pub struct Print {
    #[port("in")]
    input: MsgIn,
    #[port("out")]
    output: MsgOut,
    stdout: BufWriter<Box<dyn Write + Send>>,
    json: bool,
    /// The input that messages are from, where there are several.
    from: Option<String>,
    count: Arc<AtomicU64>,
}

impl Print {
    /// Prints to stdout. Where `from` is given, each message names it.
    pub fn new(json: bool, from: Option<String>) -> Self {
        Print {
            input: MsgIn::new(),
            output: MsgOut::new(),
            stdout: BufWriter::new(Box::new(io::stdout())),
            json,
            from,
            count: Arc::default(),
        }
    }

    /// How many messages were printed, to be taken before the block is added to a graph.
    pub fn count(&self) -> Arc<AtomicU64> {
        self.count.clone()
    }

    /// Whether anybody still reads what was written.
    fn is_read(written: io::Result<()>) -> anyhow::Result<bool> {
        match written {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
            written => written.map(|()| true).context("cannot write to stdout"),
        }
    }

    fn line(&self, message: &Value) -> String {
        match (self.json, &self.from) {
            (true, None) => message.to_string(),
            (true, Some(from)) => with(message, [("input", from.as_str().into())]).to_string(),
            (false, None) => text_line(message),
            (false, Some(from)) => format!("{from}: {}", text_line(message)),
        }
    }
}

/// A map with more entries.
pub fn with<const N: usize>(map: &Value, more: [(&'static str, Value); N]) -> Value {
    let mut entries: Vec<(String, Value)> = more.map(|(key, value)| (key.to_owned(), value)).into();
    if let Value::Map(map) = map {
        entries.extend(map.iter().map(|(key, value)| (key.to_string(), value.clone())));
    }
    Value::map(entries)
}

/// What the fields of a message say: `key value, key value`.
fn words(message: &Value) -> String {
    let Some(Value::Map(fields)) = message.get("fields") else { return String::new() };
    let word = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let words: Vec<String> =
        fields.iter().map(|(key, value)| format!("{} {}", &**key, word(value))).collect();
    words.join(", ")
}

/// Where a message was, and how strong, where both are known; of several receivers also where only the former is.
fn strength(message: &Value) -> String {
    let number = |key| message.get(key).and_then(Value::as_f64);
    let is_of_several = message.get("kind").is_some();
    match (number("frequency_hz"), number("snr_db")) {
        (Some(hz), Some(snr_db)) if hz.abs() < 1e5 => format!("{hz:>9.1} Hz {snr_db:>4.0} dB  "),
        (Some(hz), Some(snr_db)) => format!("{:>11.6} MHz {snr_db:>4.0} dB  ", hz / 1e6),
        (Some(hz), None) if is_of_several => format!("{:>11.6} MHz {:7}  ", hz / 1e6, ""),
        _ => String::new(),
    }
}

/// The line for people: time, the receiver's kind where there are several, protocol, frequency and strength, what it says.
fn text_line(message: &Value) -> String {
    let time = message.get("time_s").and_then(Value::as_f64);
    let time = time.map_or_else(|| " ".repeat(14), |time_s| format!("{time_s:>12.6} s"));
    let protocol = message.get("protocol").and_then(Value::as_str).unwrap_or_default();
    let kind = message.get("kind").and_then(Value::as_str).map(|kind| format!("{kind:<9}  "));
    let kind = kind.unwrap_or_default();
    let line = format!("{time}  {kind}{protocol:<22}  {}{}", strength(message), words(message));
    // What strangers send moves no cursor, and makes no second line.
    say::shown(&line).replace(['\n', '\t'], " ")
}

impl Work for Print {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        while let Some(message) = self.input.recv() {
            let line = self.line(&message);
            if !Print::is_read(writeln!(self.stdout, "{line}"))? {
                return Ok(Step::Done);
            }
            self.count.fetch_add(1, Ordering::Relaxed);
            let protocol = message.get("protocol").cloned().unwrap_or(Value::Null);
            self.output.send(with(&message, [("label", protocol), ("comment", words(&message).into())]))?;
        }
        Ok(if Print::is_read(self.stdout.flush())? { Step::NeedInput } else { Step::Done })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_for_people_is_one_line_without_control_characters() {
        let fields = Value::map([("id", Value::from(5)), ("text", "a\nb\u{1b}".into())]);
        let message = Value::map([("time_s", 0.25.into()), ("protocol", "X".into()), ("fields", fields)]);
        assert_eq!(text_line(&message), "    0.250000 s  X                       id 5, text a b\\u{1b}");
    }

    #[test]
    fn a_line_says_where_and_how_strong_a_message_was_where_both_are_known() {
        let message = |hz: f64| Value::map([("frequency_hz", Value::from(hz)), ("snr_db", (-12.0).into())]);
        assert_eq!(strength(&message(1500.25)), "   1500.2 Hz  -12 dB  ");
        assert_eq!(strength(&message(14_075_291.0)), "  14.075291 MHz  -12 dB  ");
        assert_eq!(strength(&Value::map([("snr_db", 3.0)])), "");
        let of_several = Value::map([("frequency_hz", Value::from(162e6)), ("kind", "ais".into())]);
        assert_eq!(text_line(&of_several).trim(), "ais                                 162.000000 MHz");
    }

    #[test]
    fn a_message_names_its_input_where_there_are_several() {
        let message = Value::map([("protocol", "X")]);
        let print = Print::new(true, Some("a.cu8".to_owned()));
        assert_eq!(print.line(&message), r#"{"input":"a.cu8","protocol":"X"}"#);
        assert_eq!(Print::new(true, None).line(&message), r#"{"protocol":"X"}"#);
    }
}
