//! Counts items and measures their rate.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use superhet_runtime::{
    Block, BlockError, Context, In, Item, MsgIn, MsgOut, Out, Step, Value, Work, declare,
    message::MessageType,
};

use crate::error::{Error, check};

/// Passes items on, with their tags, and measures their rate by the machine's clock.
///
/// Sends a message `{"items": …, "rate": …}` whenever items come `period_s` or more after the last one, and one more
/// at the end: how many items have passed in all, and how many a second since the last message. `out` may stay
/// unconnected. Who asks at `ask` gets the same at any time: the items so far, and the rate of the last message.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | any | any |
/// | out `out` | the same | that of `in` |
/// | in `ask` | requests | |
/// | out `rate` | messages | `items`: count; `rate`: items a second |
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `period_s` | s | 0.001 to 31 536 000 |
///
/// ```
/// use superhet_blocks::flow::ProbeRate;
/// use superhet_runtime::harness;
///
/// let probe = ProbeRate::<u8>::new(1.0)?;
/// let meter = probe.meter();
/// harness::run(probe, &[0; 1000]);
/// assert_eq!(meter.items(), 1000);
/// assert!(meter.rate() > 0.0);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Debug, Block)]
pub struct ProbeRate<T: Item> {
    #[port("in")]
    input: In<T>,
    #[port("out")]
    output: Out<T>,
    #[port]
    ask: MsgIn,
    #[port("rate")]
    messages: MsgOut,
    interval: Duration,
    meter: RateMeter,
    /// When the running interval began.
    since: Option<Instant>,
    items: u64,
    items_before: u64,
}

/// What a [`ProbeRate`] has measured; cheap to clone, and can be asked while the graph runs.
#[derive(Clone, Debug, Default)]
pub struct RateMeter(Arc<Measured>);

/// Written by the block only; read by anyone. The two numbers need not be of the same moment.
#[derive(Debug, Default)]
struct Measured {
    items: AtomicU64,
    /// An `f64` by its bits.
    rate: AtomicU64,
}

impl RateMeter {
    /// How many items have passed.
    pub fn items(&self) -> u64 {
        self.0.items.load(Ordering::Relaxed)
    }

    /// Items a second in the last full interval, or the last part of one at the end; 0 before.
    pub fn rate(&self) -> f64 {
        f64::from_bits(self.0.rate.load(Ordering::Relaxed))
    }
}

#[declare(
    category = "flow",
    summary = "Passes items on and measures their rate.",
    items(any),
    ports(
        input("in", "item", "x"),
        output("out", "item", "x; may stay unconnected"),
        input("ask", "messages", "requests for {items, rate}"),
        output("rate", "messages", "{items, rate}: items so far, and items a second since the last message")
    )
)]
impl<T: Item> ProbeRate<T> {
    /// Measures over intervals of `period_s` seconds.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where the interval is shorter than a millisecond or longer than a year.
    pub fn new(
        /// The time between two messages.
        #[param(formerly = "interval_s", unit = "s", range = 1e-3..=31_536_000.0, default = 1.0)]
        period_s: f64,
    ) -> Result<Self, Error> {
        check((1e-3..=31_536_000.0).contains(&period_s), "period_s", "0.001 s to a year", period_s)?;
        Ok(ProbeRate {
            input: In::new(),
            output: Out::new().optional(),
            ask: MsgIn::new().takes(MessageType::Requests).answering(),
            messages: MsgOut::new().sends(MessageType::Map),
            interval: Duration::from_secs_f64(period_s),
            meter: RateMeter::default(),
            since: None,
            items: 0,
            items_before: 0,
        })
    }

    /// A handle to the measurements, to be had before the block is added to a graph.
    pub fn meter(&self) -> RateMeter {
        self.meter.clone()
    }

    fn report(&mut self, now: Instant, elapsed: Duration) -> Result<(), BlockError> {
        // A run too short for the clock counts as one nanosecond.
        let rate = (self.items - self.items_before) as f64 / elapsed.as_secs_f64().max(1e-9);
        self.meter.0.rate.store(rate.to_bits(), Ordering::Relaxed);
        (self.since, self.items_before) = (Some(now), self.items);
        Ok(self.messages.send(Value::map([("items", Value::from(self.items)), ("rate", rate.into())]))?)
    }
}

impl<T: Item> Work for ProbeRate<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        if self.output.is_connected() && self.output.is_closed() {
            // The messages alone must not keep the stream going.
            return Ok(Step::Done);
        }
        while let Some(message) = self.ask.recv() {
            if let Value::Request(request) = message {
                let rate = self.meter.rate();
                request.reply(Value::map([("items", Value::from(self.items)), ("rate", rate.into())]));
            }
        }
        let now = Instant::now();
        let since = *self.since.get_or_insert(now);
        let n = if self.output.is_connected() {
            super::pass(&mut self.input, &mut self.output, usize::MAX)
        } else {
            let n = self.input.available();
            self.input.consume(n);
            n
        };
        if n == 0 {
            return Ok(super::step(n, &self.input));
        }
        if now - since >= self.interval {
            self.report(now, now - since)?;
        }
        self.items += n as u64;
        self.meter.0.items.store(self.items, Ordering::Relaxed);
        Ok(Step::Ran)
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let now = Instant::now();
        let since = self.since.unwrap_or(now);
        self.report(now, now - since)?;
        Ok(super::end(&mut self.input, &mut self.output))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::{Head, Throttle};
    use crate::sinks::{Lines, MessageDebug, NullSink};
    use crate::sources::NullSource;
    use crate::testing::{assert_gives, noise, run_tags};
    use superhet_runtime::{Graph, Options, Pinned, Scheduler, Single, Threads};

    #[test]
    fn items_and_tags_pass_unchanged_wherever_the_stream_is_cut() {
        let x = noise(1000);
        assert_gives(|| ProbeRate::<f32>::new(1.0).unwrap(), &x, &x);
        let probe = ProbeRate::<u8>::new(1.0).unwrap();
        assert_eq!(run_tags::<u8, u8, _, _>(probe, vec![0; 50], &[0, 49, 60]), (vec![0, 49, 60], 50));
    }

    #[test]
    fn the_rate_is_that_of_the_stream() {
        let (lines, text) = Lines::memory();
        let mut graph = Graph::new();
        let source = graph.add("source", NullSource::<u8>::new());
        let throttle = graph.add("throttle", Throttle::new(100_000.0).unwrap());
        let head = graph.add("head", Head::new(30_000));
        let probe = ProbeRate::new(0.1).unwrap();
        let meter = probe.meter();
        let probe = graph.add("probe", probe);
        let print = graph.add("print", MessageDebug::new(lines, None));
        graph.connect(source.output, throttle.input);
        graph.connect(throttle.output, head.input);
        graph.connect(head.output, probe.input);
        graph.connect(probe.messages, print.input);
        graph.run().unwrap();
        let text = text.take();
        let messages: Vec<serde_json::Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert!((2..=4).contains(&messages.len()), "{text}");
        let first = messages[0]["rate"].as_f64().unwrap();
        assert!((30_000.0..=130_000.0).contains(&first), "{text}");
        assert_eq!(messages.last().unwrap()["items"], 30_000);
        assert_eq!(meter.items(), 30_000);
    }

    #[test]
    fn a_probe_ends_with_its_reader_although_its_messages_are_read() {
        let schedulers: [&dyn Scheduler; 3] = [&Single, &Threads, &Pinned::workers(2)];
        for scheduler in schedulers {
            let (lines, _) = Lines::memory();
            let mut graph = Graph::new();
            let source = graph.add("source", NullSource::<u8>::new());
            let probe = graph.add("probe", ProbeRate::new(1.0).unwrap());
            let head = graph.add("head", Head::new(1_000_000));
            let sink = graph.add("sink", NullSink::<u8>::new());
            let print = graph.add("print", MessageDebug::new(lines, None));
            graph.connect(source.output, probe.input);
            graph.connect(probe.output, head.input);
            graph.connect(head.output, sink.input);
            graph.connect(probe.messages, print.input);
            let mut running = graph.check().unwrap().start(scheduler, &Options::default()).unwrap();
            let ended = running.wait_for(Duration::from_secs(5));
            assert!(matches!(ended, Some(Ok(_))), "{}: {ended:?}", scheduler.name());
        }
    }
}
