//! Prints messages.

use superhet_runtime::catalog::Kind;
use superhet_runtime::{AnyBlock, Block, BlockError, Context, MsgIn, Step, Value, Work, declare};

use crate::sinks::Lines;

/// Prints messages, one JSON value a line, to stdout or to a file.
///
/// Takes no more memory than its queue of 1024 messages: whoever sends more than it can write waits. With a limit it
/// ends after so many messages, as `head` does for items; it ends, too, when nobody reads its stdout any more.
///
/// A request is not printed; the answer is a map of `messages`, how many have been printed, and `last`, the last of them.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | messages | any value |
///
/// # Errors
/// At run time, where the file cannot be written.
///
/// ```
/// use superhet_blocks::sinks::{Lines, MessageDebug};
/// use superhet_runtime::{Graph, Options, Single, Value};
///
/// let (lines, text) = Lines::memory();
/// let mut graph = Graph::new();
/// graph.add("print", MessageDebug::new(lines, Some(1)));
/// let running = graph.check()?.start(&Single, &Options::default())?;
/// running.message("print.in", Value::map([("icao", "4840d6")]))?;
/// running.wait()?;
/// assert_eq!(text.take(), "{\"icao\":\"4840d6\"}\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct MessageDebug {
    #[port("in")]
    input: MsgIn,
    lines: Lines,
    /// How many more messages to print.
    left: Option<u64>,
    printed: u64,
    last: Value,
}

/// The most messages that one call prints, so that a graph can be cancelled in spite of a busy sender.
const AT_ONCE: u64 = 1024;

impl MessageDebug {
    /// Prints all messages, or the first `limit`.
    pub fn new(lines: Lines, limit: Option<u64>) -> Self {
        MessageDebug { input: MsgIn::new().answering(), lines, left: limit, printed: 0, last: Value::Null }
    }
}

impl Work for MessageDebug {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let at_once = self.left.map_or(AT_ONCE, |left| left.min(AT_ONCE));
        let mut printed = 0;
        while let Some(message) = (printed < at_once).then(|| self.input.recv()).flatten() {
            if let Value::Request(request) = message {
                let messages = Value::from(self.printed);
                request.reply(Value::map([("messages", messages), ("last", self.last.clone())]));
                continue;
            }
            if !self.lines.write(&message)? {
                return Ok(Step::Done);
            }
            printed += 1;
            self.printed += 1;
            self.last = message;
        }
        self.left = self.left.map(|left| left - printed);
        Ok(match printed {
            _ if !self.lines.flush()? || self.left == Some(0) => Step::Done,
            0 => Step::NeedInput,
            _ => Step::Ran,
        })
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        // Creates the file where no message has come.
        self.lines.flush()?;
        Ok(Step::Done)
    }
}

#[declare(
    category = "sinks",
    summary = "Prints messages, one JSON value a line.",
    ports(input("in", "messages", "any values"))
)]
fn message_debug(
    /// The file to write; stdout if empty or -.
    #[param(kind = Kind::Path, default = "")]
    path: &str,
    /// Ends after so many messages; 0 is no limit.
    #[param(unit = "messages", default = 0)]
    limit: u64,
) -> AnyBlock {
    let limit = Some(limit).filter(|limit| *limit > 0);
    AnyBlock::new(MessageDebug::new(Lines::file_or_stdout(path), limit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use superhet_runtime::{Graph, MsgOut, RunError};

    /// Sends the numbers from 0 and ends.
    #[derive(Block)]
    struct Numbers {
        #[port("out")]
        output: MsgOut,
        left: std::ops::Range<i64>,
    }

    impl Work for Numbers {
        fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            let Some(number) = self.left.next() else { return Ok(Step::Done) };
            self.output.send(number)?;
            Ok(Step::Ran)
        }
    }

    fn run(lines: Lines, limit: Option<u64>) -> Result<(), RunError> {
        let mut graph = Graph::new();
        let numbers = graph.add("numbers", Numbers { output: MsgOut::new(), left: 0..5000 });
        let print = graph.add("print", MessageDebug::new(lines, limit));
        graph.connect(numbers.output, print.input);
        graph.run().map(|_| ())
    }

    #[test]
    fn every_message_is_printed_in_order_although_the_queue_is_shorter() {
        let (lines, text) = Lines::memory();
        run(lines, None).unwrap();
        let wanted: String = (0..5000).map(|n| format!("{n}\n")).collect();
        assert_eq!(text.take(), wanted);
    }

    #[test]
    fn it_tells_who_asks_what_it_has_printed() {
        let (lines, text) = Lines::memory();
        let mut graph = Graph::new();
        graph.add("print", MessageDebug::new(lines, None));
        let running = graph.check().unwrap().start(&superhet_runtime::Single, &Default::default()).unwrap();
        let ask = || running.request("print.in", (), std::time::Duration::from_secs(10)).unwrap();
        assert_eq!(ask().to_string(), r#"{"last":null,"messages":0}"#);
        (0..3).for_each(|n| running.message("print.in", n).unwrap());
        assert_eq!(ask().to_string(), r#"{"last":2,"messages":3}"#);
        running.stop_within(std::time::Duration::from_secs(30)).unwrap();
        assert_eq!(text.take(), "0\n1\n2\n");
    }

    #[test]
    fn a_limit_ends_the_block_and_with_it_its_sender() {
        let (lines, text) = Lines::memory();
        run(lines, Some(3)).unwrap();
        assert_eq!(text.take(), "0\n1\n2\n");
    }

    #[test]
    fn a_file_that_cannot_be_made_ends_the_graph_and_is_named() {
        let error = run(Lines::file("/no/such/folder/x.jsonl"), None).unwrap_err().to_string();
        assert!(error.contains("print failed: cannot write to /no/such/folder/x.jsonl"), "{error}");
    }
}
