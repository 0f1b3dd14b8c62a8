//! The same message again and again.

use std::time::{Duration, Instant};

use superhet_runtime::{
    AnyBlock, Block, BlockError, Context, MsgOut, Step, Value, Work, declare, message::MessageType,
};

use crate::error::{Error, check_positive};

/// Sends one value every period; the first one period after the start.
///
/// Beats that were missed, because nobody took the messages or the machine slept, are not made up for.
///
/// | port | item | unit |
/// |---|---|---|
/// | out `out` | messages | as given |
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `message` | | any value; in a graph file, JSON says packets, too: `{"packet": [{}, {"hex": "01ff"}]}` |
/// | `period_s` | s | > 0, at most a year |
///
/// ```
/// use std::time::Duration;
/// use superhet_blocks::{sinks::{Lines, MessageDebug}, sources::MessageStrobe};
/// use superhet_runtime::Graph;
///
/// let (lines, text) = Lines::memory();
/// let mut graph = Graph::new();
/// let strobe = graph.add("strobe", MessageStrobe::new("tick", Duration::from_millis(1))?);
/// let print = graph.add("print", MessageDebug::new(lines, Some(2)));
/// graph.connect(strobe.output, print.input);
/// graph.run()?;
/// assert_eq!(text.take(), "\"tick\"\n\"tick\"\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct MessageStrobe {
    #[port("out")]
    output: MsgOut,
    message: Value,
    period: Duration,
    /// When the next message is due.
    next: Option<Instant>,
}

/// The longest period: a year.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 3600);

impl MessageStrobe {
    /// A strobe that sends `message` every `period`.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where the period is 0 or more than a year.
    pub fn new(message: impl Into<Value>, period: Duration) -> Result<Self, Error> {
        let fits = period > Duration::ZERO && period <= LONGEST;
        crate::error::check(fits, "period_s", "more than 0 s and at most a year", period.as_secs_f64())?;
        let message = message.into();
        let output = MsgOut::new().sends(MessageType::of(&message));
        Ok(MessageStrobe { output, message, period, next: None })
    }
}

/// How long the strobe sleeps between looks at its receivers.
const LOOK_EVERY: Duration = Duration::from_millis(100);

impl Work for MessageStrobe {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        let due = *self.next.get_or_insert_with(|| Instant::now() + self.period);
        // In short sleeps, so that a strobe whose last receiver has ended does not sleep out a long period.
        while Instant::now() < due {
            if self.output.is_closed() || !context.sleep_until(due.min(Instant::now() + LOOK_EVERY)) {
                return Ok(Step::Done);
            }
        }
        self.output.send(self.message.clone())?;
        self.next = Some((due + self.period).max(Instant::now()));
        Ok(Step::Ran)
    }

    fn blocking(&self) -> bool {
        true
    }
}

#[declare(
    category = "sources",
    summary = "The same message again and again.",
    ports(output("out", "messages", "the message"))
)]
fn message_strobe(
    /// The message; in files JSON, or plain text where it is not JSON.
    message: &Value,
    /// The time between two messages, > 0.
    #[param(unit = "s", range = 0.0..=31_536_000.0)]
    period_s: f64,
) -> Result<AnyBlock, BlockError> {
    let message = message.clone();
    check_positive("period_s", period_s)?;
    let period = Duration::from_secs_f64(period_s);
    Ok(superhet_runtime::AnyBlock::new(MessageStrobe::new(message, period)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sinks::{Lines, MessageDebug};
    use std::collections::BTreeMap;
    use superhet_runtime::{Graph, Options, Single};

    #[test]
    fn messages_come_one_period_apart() {
        let (lines, text) = Lines::memory();
        let mut graph = Graph::new();
        let strobe = graph.add("strobe", MessageStrobe::new(7, Duration::from_millis(20)).unwrap());
        let print = graph.add("print", MessageDebug::new(lines, Some(3)));
        graph.connect(strobe.output, print.input);
        let start = Instant::now();
        graph.run().unwrap();
        assert!(start.elapsed() >= Duration::from_millis(60));
        assert_eq!(text.take(), "7\n7\n7\n");
    }

    #[test]
    fn a_strobe_ends_soon_after_its_last_receiver() {
        let (lines, text) = Lines::memory();
        let mut graph = Graph::new();
        let strobe = graph.add("strobe", MessageStrobe::new(7, LONGEST).unwrap());
        let print = graph.add("print", MessageDebug::new(lines, Some(1)));
        graph.connect(strobe.output, print.input);
        let mut running = graph.check().unwrap().start(&Single, &Options::default()).unwrap();
        running.message("print.in", 8).unwrap();
        assert!(running.wait_for(Duration::from_secs(30)).is_some(), "it sleeps out its period");
        assert_eq!(text.take(), "8\n");
    }

    #[test]
    fn a_strobe_with_a_long_period_stops_at_once() {
        let mut graph = Graph::new();
        graph.add("strobe", MessageStrobe::new(7, LONGEST).unwrap());
        let running = graph.check().unwrap().start(&Single, &Options::default()).unwrap();
        assert!(running.stop_within(Duration::from_secs(30)).is_ok());
    }

    #[test]
    fn a_message_is_any_value_and_a_period_of_0_is_refused() {
        let given = |message: Value, period_s: f64| {
            BTreeMap::from([("message".to_owned(), message), ("period_s".to_owned(), Value::from(period_s))])
        };
        let errors = ENTRY.build(&given("{}".into(), 0.0)).unwrap_err();
        assert_eq!(errors[0].to_string(), "message_strobe: period_s = 0: expected a number > 0");
        for (message, wanted) in [("{}".into(), "\"{}\"\n"), (7.into(), "7\n")] {
            let (lines, text) = Lines::memory();
            let mut graph = Graph::new();
            graph.add_any("strobe", ENTRY.build(&given(message, 1e-3)).unwrap());
            graph.add("print", MessageDebug::new(lines, Some(1)));
            graph.connect_names("strobe", "print");
            graph.run().unwrap();
            assert_eq!(text.take(), wanted);
        }
    }
}
