//! The same message, many at once.

use std::time::{Duration, Instant};

use superhet_runtime::{
    AnyBlock, Block, BlockError, Context, MsgIn, MsgOut, Step, Value, Work, declare, message::MessageType,
};

use crate::error::{Error, check};

/// Sends one value `count` times at once: every period, and for each message that comes.
///
/// For tests of how blocks bear bursts. Beats that were missed are not made up for.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `trigger` | messages | any: each asks for one burst |
/// | out `out` | messages | as given |
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `message` | | any value |
/// | `count` | messages | 1 to 2²⁰; so many may wait beyond the receiver's capacity |
/// | `period` | | at most a year; without one only messages ask for bursts |
///
/// ```
/// use std::time::Duration;
/// use superhet_blocks::{sinks::{Lines, MessageDebug}, sources::MessageBurst};
/// use superhet_runtime::Graph;
///
/// let (lines, text) = Lines::memory();
/// let mut graph = Graph::new();
/// let burst = graph.add("burst", MessageBurst::new("tick", 3, Some(Duration::from_millis(1)))?);
/// let print = graph.add("print", MessageDebug::new(lines, Some(3)));
/// graph.connect(burst.output, print.input);
/// graph.run()?;
/// assert_eq!(text.take(), "\"tick\"\n\"tick\"\n\"tick\"\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct MessageBurst {
    #[port]
    trigger: MsgIn,
    #[port("out")]
    output: MsgOut,
    message: Value,
    count: usize,
    period: Option<Duration>,
    /// When the next burst is due.
    next: Option<Instant>,
}

/// The longest period, in seconds: a year.
const LONGEST_S: f64 = 31_536_000.0;
/// The most messages of a burst.
const MOST: usize = 1 << 20;
/// How long the block sleeps between looks at its messages.
const LOOK_EVERY: Duration = Duration::from_millis(10);

impl MessageBurst {
    /// Bursts of `count` times `message`, every `period`, where there is one.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where a number is.
    pub fn new(message: impl Into<Value>, count: usize, period: Option<Duration>) -> Result<Self, Error> {
        check((1..=MOST).contains(&count), "count", "a whole number from 1 to 1048576", count as f64)?;
        let period_s = period.map_or(1.0, |period| period.as_secs_f64());
        check(
            period_s > 0.0 && period_s <= LONGEST_S,
            "period_s",
            "more than 0 s and at most a year",
            period_s,
        )?;
        let message = message.into();
        let (trigger, output) = (MsgIn::new(), MsgOut::new().sends(MessageType::of(&message)));
        Ok(MessageBurst { trigger, output, message, count, period, next: None })
    }

    fn send(&mut self) -> Result<Step, BlockError> {
        for _ in 0..self.count {
            self.output.send(self.message.clone())?;
        }
        Ok(Step::Ran)
    }
}

impl Work for MessageBurst {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        let Some(period) = self.period else {
            return if self.trigger.recv().is_some() { self.send() } else { Ok(Step::NeedInput) };
        };
        let due = *self.next.get_or_insert_with(|| Instant::now() + period);
        while Instant::now() < due {
            if self.trigger.recv().is_some() {
                return self.send();
            }
            if self.output.is_closed() || !context.sleep_until(due.min(Instant::now() + LOOK_EVERY)) {
                return Ok(Step::Done);
            }
        }
        self.next = Some((due + period).max(Instant::now()));
        self.send()
    }

    fn finish(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        // No more messages ask for bursts; the clock does.
        if self.period.is_none() || context.is_stopping() { Ok(Step::Done) } else { self.work(context) }
    }

    fn blocking(&self) -> bool {
        self.period.is_some()
    }
}

#[declare(
    category = "sources",
    summary = "The same message, many at once, every period and for each message.",
    ports(
        input("trigger", "messages", "any: each asks for one burst"),
        output("out", "messages", "the message")
    )
)]
fn message_burst(
    /// The message; in files JSON, or plain text where it is not JSON.
    message: &Value,
    /// How many a burst has.
    #[param(unit = "messages", range = 1..=MOST)]
    count: usize,
    /// The time between two bursts; 0: only messages ask for them.
    #[param(unit = "s", range = 0.0..=LONGEST_S, default = 0.0)]
    period_s: f64,
) -> Result<AnyBlock, BlockError> {
    let period = (period_s > 0.0).then(|| Duration::from_secs_f64(period_s));
    let message = message.clone();
    Ok(AnyBlock::new(MessageBurst::new(message, count, period)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packets::pdu::tests::Send;
    use crate::sinks::{Lines, MessageDebug};
    use superhet_runtime::{Graph, Options, Single};

    #[test]
    fn each_message_asks_for_a_burst_and_the_clock_does_too() {
        for (period, limit) in [(None, None), (Some(Duration::from_millis(20)), Some(20_000))] {
            let (lines, text) = Lines::memory();
            let mut graph = Graph::new();
            graph.add("send", Send { output: MsgOut::new(), messages: vec![Value::Null; 3].into_iter() });
            graph.add("burst", MessageBurst::new(7, 4000, period).unwrap());
            graph.add("print", MessageDebug::new(lines, limit));
            graph.connect_names("send", "burst");
            graph.connect_names("burst", "print");
            graph.run().unwrap();
            let wanted = limit.unwrap_or(12_000) as usize;
            assert!(text.take() == "7\n".repeat(wanted), "{period:?}");
        }
    }

    #[test]
    fn one_with_a_long_period_stops_at_once() {
        let mut graph = Graph::new();
        graph.add("burst", MessageBurst::new(7, 1, Some(Duration::from_secs(1000))).unwrap());
        let running = graph.check().unwrap().start(&Single, &Options::default()).unwrap();
        assert!(running.stop_within(Duration::from_secs(30)).is_ok());
    }

    #[test]
    fn a_burst_of_nothing_is_refused() {
        assert!(MessageBurst::new(7, 0, None).is_err());
        assert!(MessageBurst::new(7, 1, Some(Duration::ZERO)).is_err());
    }
}
