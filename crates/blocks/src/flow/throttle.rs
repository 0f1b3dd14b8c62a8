//! Passes items on no faster than at a given rate.

use std::time::{Duration, Instant};

use superhet_runtime::{Block, BlockError, Context, In, Item, Out, Step, Work, declare};

use crate::error::{Error, check_positive};
use superhet_runtime::{Tunable, Tuned};

/// Passes items on no faster than `rate_hz` items a second by the machine's clock, with their tags.
///
/// For files that shall play in real time; a radio or a sound card sets the pace by itself. The items come in spans of
/// at most 10 ms. Where the stream stalls for more than 100 ms, the time lost is not made up for. A graph that is asked
/// to stop drains at full speed.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | any | any |
/// | out `out` | the same | that of `in` |
/// | in `set` | messages | new values of `rate_hz`: with [`Tuned`] |
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `rate_hz` | items a second | > 0; can be changed while the block runs |
///
/// ```
/// use std::time::{Duration, Instant};
/// use superhet_blocks::flow::Throttle;
/// use superhet_runtime::harness;
///
/// let start = Instant::now();
/// let throttle = Throttle::<u8>::new(10_000.0)?;
/// assert_eq!(harness::run(throttle, &[7; 400]), [7; 400]);
/// assert!(start.elapsed() >= Duration::from_millis(30));
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Debug, Block)]
pub struct Throttle<T: Item> {
    #[port("in")]
    input: In<T>,
    #[port("out")]
    output: Out<T>,
    rate_hz: f64,
    /// The moment that the pace is counted from.
    start: Option<Instant>,
    /// Items passed since then.
    passed: u64,
}

/// The longest span, in seconds.
const SPAN_S: f64 = 0.01;
/// How late the stream may be and still catch up.
const MOST_LATE: Duration = Duration::from_millis(100);

#[declare(
    category = "flow",
    summary = "Passes items on no faster than at a given rate.",
    items(any),
    through = Tuned::new,
    ports(input("in", "item", "x"), output("out", "item", "x, in time"))
)]
impl<T: Item> Throttle<T> {
    /// Passes at most `rate_hz` items a second.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the rate is a number greater than 0.
    pub fn new(
        /// The fastest pace, > 0.
        #[param(live, set = set_rate, unit = "items/s", range = 0.0..)]
        rate_hz: f64,
    ) -> Result<Self, Error> {
        check_positive("rate_hz", rate_hz)?;
        Ok(Throttle { input: In::new(), output: Out::new(), rate_hz, start: None, passed: 0 })
    }

    fn set_rate(&mut self, rate_hz: f64) -> Result<(), Error> {
        check_positive("rate_hz", rate_hz)?;
        // The new pace is counted from now.
        (self.rate_hz, self.start, self.passed) = (rate_hz, None, 0);
        Ok(())
    }

    /// When the next item may pass.
    fn due(&self, start: Instant) -> Instant {
        let since = Duration::try_from_secs_f64(self.passed as f64 / self.rate_hz).unwrap_or(Duration::MAX);
        // What no clock can show is as good as never.
        start.checked_add(since).unwrap_or(start + Duration::from_secs(1 << 30))
    }
}

#[declare]
impl<T: Item> Tunable for Throttle<T> {
    fn position(&self) -> u64 {
        self.input.index()
    }

    fn work_on(&mut self, most: usize, context: &mut Context<'_>) -> Result<Step, BlockError> {
        if self.input.available() == 0 {
            return Ok(Step::NeedInput);
        }
        let now = Instant::now();
        let start = *self.start.get_or_insert(now);
        let due = self.due(start);
        if now > due + MOST_LATE {
            (self.start, self.passed) = (Some(now), 0);
        } else {
            // Where the graph is stopping, what is left passes at once.
            context.sleep_until(due);
        }
        let span = ((self.rate_hz * SPAN_S) as usize).max(1);
        let n = super::pass(&mut self.input, &mut self.output, span.min(most));
        self.passed += n as u64;
        Ok(super::step(n, &self.input))
    }
}

impl<T: Item> Work for Throttle<T> {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        self.work_on(usize::MAX, context)
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        Ok(super::end(&mut self.input, &mut self.output))
    }

    fn blocking(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sinks::NullSink;
    use crate::sources::NullSource;
    use crate::testing::{assert_gives, noise, run_tags};
    use superhet_runtime::{Graph, Options, Single, harness};

    #[test]
    fn items_pass_unchanged_wherever_the_stream_is_cut() {
        let x = noise(1000);
        assert_gives(|| Throttle::<f32>::new(1e6).unwrap(), &x, &x);
    }

    #[test]
    fn tags_stay_on_their_items() {
        let throttle = Throttle::<u8>::new(1e6).unwrap();
        assert_eq!(run_tags::<u8, u8, _, _>(throttle, vec![0; 50], &[0, 49, 60]), (vec![0, 49, 60], 50));
    }

    #[test]
    fn the_pace_is_kept() {
        let start = Instant::now();
        harness::run(Throttle::<u8>::new(20_000.0).unwrap(), &[0; 4000]);
        let elapsed = start.elapsed();
        // The last span of 10 ms may pass as soon as its first item is due.
        assert!(elapsed >= Duration::from_millis(189), "{elapsed:?}");
        assert!(elapsed < Duration::from_secs(30), "{elapsed:?}");
    }

    #[test]
    fn a_slow_throttle_stops_at_once() {
        let mut graph = Graph::new();
        let source = graph.add("source", NullSource::<u8>::new());
        let throttle = graph.add("throttle", Throttle::<u8>::new(1e-300).unwrap());
        let sink = graph.add("sink", NullSink::<u8>::new());
        graph.connect(source.output, throttle.input);
        graph.connect(throttle.output, sink.input);
        let running = graph.check().unwrap().start(&Single, &Options::default()).unwrap();
        std::thread::sleep(Duration::from_millis(20));
        assert!(running.stop_within(Duration::from_secs(30)).is_ok());
    }

    #[test]
    fn a_rate_that_is_none_is_refused() {
        for rate_hz in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Throttle::<u8>::new(rate_hz).is_err());
        }
    }
}
