//! Prints messages of aircraft, a line each.

use std::io::{self, BufWriter, ErrorKind, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use superhet_runtime::catalog::Kind;
use superhet_runtime::{AnyBlock, Block, BlockError, Context, MsgIn, Step, Value, Work, declare};

use crate::error::Error;

/// Prints the messages of an [`AdsbDemod`](super::AdsbDemod), a line each, and counts them.
///
/// Ends quietly when nobody reads its stdout any more.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `frames` | messages | packets as `adsb_demod` sends them, or maps like their metadata |
///
/// # Errors
/// At run time, where the writer fails.
///
/// # Example
///
/// ```
/// use superhet_blocks::adsb::{AdsbPrint, Style, text_line};
/// use superhet_runtime::Value;
///
/// let frame = Value::map([
///     ("time_s", Value::from(0.25)),
///     ("hex", "5d4d20237a55a6".into()),
///     ("df", 11.into()),
///     ("icao", "4d2023".into()),
///     ("altitude_ft", 20025.into()),
/// ]);
/// assert_eq!(text_line(&frame), "    0.250000 s  5d4d20237a55a6                DF11 4d2023, 20025 ft");
/// let print = AdsbPrint::new(Style::Text).with_writer("memory", Vec::new());
/// # let _ = print;
/// ```
#[derive(Debug, Block)]
pub struct AdsbPrint {
    #[port]
    frames: MsgIn,
    style: Style,
    writer: Writer,
    count: MessageCount,
}

/// What a line looks like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// Time, message and the most important of what it says, for people; see [`text_line`].
    #[default]
    Text,
    /// A JSON object with all entries.
    Json,
}

/// How many messages an [`AdsbPrint`] has written; cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct MessageCount(Arc<AtomicU64>);

impl MessageCount {
    /// How many messages were written so far.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Where the lines go, by the name that errors give it.
struct Writer {
    target: String,
    inner: BufWriter<Box<dyn Write + Send>>,
}

impl std::fmt::Debug for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Writer").field(&self.target).finish()
    }
}

impl Writer {
    fn new(target: &str, inner: impl Write + Send + 'static) -> Self {
        Writer { target: target.to_owned(), inner: BufWriter::new(Box::new(inner)) }
    }

    /// Whether anybody still reads what was written.
    fn is_read(&self, written: io::Result<()>) -> Result<bool, Error> {
        match written {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
            Err(error) => Err(Error::Write { target: self.target.clone(), error }),
        }
    }
}

impl AdsbPrint {
    /// Prints to stdout.
    pub fn new(style: Style) -> Self {
        let writer = Writer::new("stdout", io::stdout());
        AdsbPrint { frames: MsgIn::new(), style, writer, count: MessageCount::default() }
    }

    /// Prints elsewhere; `target` is how errors name it.
    #[must_use]
    pub fn with_writer(self, target: &str, writer: impl Write + Send + 'static) -> Self {
        AdsbPrint { writer: Writer::new(target, writer), ..self }
    }

    /// A handle to the number of messages, to be taken before the block is added to a graph.
    pub fn count(&self) -> MessageCount {
        self.count.clone()
    }
}

/// The line that [`Style::Text`] makes of a message; what the message does not have is left out.
pub fn text_line(frame: &Value) -> String {
    let number = |key: &str| frame.get(key).filter(|value| value.as_f64().is_some());
    let text = |key: &str| frame.get(key).and_then(Value::as_str);
    let time_s = frame.get("time_s").and_then(Value::as_f64).unwrap_or(0.0);
    let mut line = format!("{time_s:>12.6} s  {:<28}", text("hex").unwrap_or_default());
    if let Some(df) = number("df") {
        line += &format!("  DF{df}");
    }
    if let Some(icao) = text("icao") {
        line += &format!(" {icao}");
    }
    let mut say = |words: Option<String>| {
        if let Some(words) = words {
            line += &format!(", {words}");
        }
    };
    say(text("bds").map(|register| format!("BDS {register}")));
    say(text("callsign").map(str::to_owned));
    say(text("squawk").map(|squawk| format!("squawk {squawk}")));
    say(number("altitude_ft").map(|feet| format!("{feet} ft")));
    say(number("latitude_deg")
        .zip(number("longitude_deg"))
        .map(|(latitude, longitude)| format!("{latitude}° {longitude}°")));
    say(number("ground_speed_kt").map(|knots| format!("{knots} kt")));
    say(number("track_deg").map(|degrees| format!("track {degrees}°")));
    say(number("heading_deg").map(|degrees| format!("heading {degrees}°")));
    say(number("vertical_rate_fpm").map(|rate| format!("{rate} ft/min")));
    say((frame.get("on_ground") == Some(&Value::Bool(true))).then(|| "on the ground".to_owned()));
    say(number("repaired_bit").map(|bit| format!("bit {bit} repaired")));
    line
}

impl Work for AdsbPrint {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        while let Some(message) = self.frames.recv() {
            let frame = message.into_meta();
            let written = match self.style {
                Style::Text => writeln!(self.writer.inner, "{}", text_line(&frame)),
                Style::Json => writeln!(self.writer.inner, "{frame}"),
            };
            if !self.writer.is_read(written)? {
                return Ok(Step::Done);
            }
            self.count.0.fetch_add(1, Ordering::Relaxed);
        }
        let flushed = self.writer.inner.flush();
        Ok(if self.writer.is_read(flushed)? { Step::NeedInput } else { Step::Done })
    }
}

#[declare(
    category = "adsb",
    summary = "Prints messages of aircraft to stdout, a line each.",
    ports(input("frames", "messages", "maps as adsb_demod sends them"))
)]
fn adsb_print(
    /// text: time, message and the most important of what it says; json: an object with everything.
    #[param(kind = Kind::Choice(&["text", "json"]), default = "text")]
    style: &str,
) -> AnyBlock {
    let style = if style == "json" { Style::Json } else { Style::Text };
    AnyBlock::new(AdsbPrint::new(style))
}

#[cfg(test)]
mod tests {
    use super::*;
    use superhet_runtime::{Graph, MsgOut, RunError};

    /// Sends a number of messages and ends.
    #[derive(Block)]
    struct Send {
        #[port("out")]
        output: MsgOut,
        left: u32,
    }

    impl Work for Send {
        fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            if self.left == 0 {
                return Ok(Step::Done);
            }
            self.left -= 1;
            self.output.send(Value::map([("hex", "5d4d20237a55a6")]))?;
            Ok(Step::Ran)
        }
    }

    /// Takes some bytes and then fails in a given way.
    struct Fails(usize, ErrorKind);

    impl Write for Fails {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let n = bytes.len().min(self.0);
            self.0 -= n;
            if n == 0 { Err(self.1.into()) } else { Ok(n) }
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn run(writer: impl Write + std::marker::Send + 'static) -> (Result<(), RunError>, u64) {
        let mut graph = Graph::new();
        let send = graph.add("send", Send { output: MsgOut::new(), left: 100_000 });
        let print = AdsbPrint::new(Style::Json).with_writer("the printer", writer);
        let count = print.count();
        let print = graph.add("print", print);
        graph.connect(send.output, print.frames);
        (graph.run().map(|_| ()), count.get())
    }

    #[test]
    fn a_reader_that_goes_away_ends_the_graph_quietly() {
        let (result, count) = run(Fails(100_000, ErrorKind::BrokenPipe));
        result.unwrap();
        assert!(count < 100_000);
    }

    #[test]
    fn a_writer_that_fails_is_named() {
        let (result, _) = run(Fails(0, ErrorKind::StorageFull));
        let error = result.unwrap_err().to_string();
        assert!(error.contains("print failed: cannot write to the printer: "), "{error}");
    }

    #[test]
    fn every_message_is_a_line_and_counted() {
        let (result, count) = run(io::sink());
        result.unwrap();
        assert_eq!(count, 100_000);
    }
}
