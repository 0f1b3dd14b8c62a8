//! The channel of Mode S, for a demodulator that another core may run.

use superhet_runtime::{Block, BlockError, C32, Context, Conversion, In, Out, Step, Tag, Work, declare};

use super::channel::{CHANNEL_HZ, Channel};
use super::{AdsbError, Settings};

/// The channel of Mode S: samples are filtered to ±1.2 MHz, resampled to 4 MHz, and their offset, a mean over 16 ms, is taken
/// away. It is what an [`AdsbChannelDemod`](super::AdsbChannelDemod) takes.
///
/// The items do not depend on how the stream is cut, nor on the scheduler. The last ones reach up to 120 µs beyond the end of
/// the stream, which counts as 0 there.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | samples about 1090 MHz at `rate_hz`, full scale = 1.0 |
/// | out `out` | `C32` | the same at 4 MHz |
#[derive(Debug, Block)]
pub struct AdsbChannel {
    #[port("in")]
    input: In<C32>,
    #[port("out")]
    output: Out<C32>,
    channel: Channel,
    rate_hz: u64,
    /// What was made and found no room.
    made: Vec<C32>,
    given: usize,
}

#[declare(
    category = "adsb",
    summary = "The channel of Mode S at 4 MHz, filtered and without an offset, for adsb_channel_demod.",
    ports(
        input("in", "C32", "samples about 1090 MHz, full scale = 1.0"),
        output("out", "C32", "the channel at 4 MHz")
    )
)]
impl AdsbChannel {
    /// Takes samples of this rate.
    ///
    /// # Errors
    /// [`AdsbError::Rate`] unless the rate is a whole number from 2 MHz to 1 GHz.
    pub fn new(
        /// Samples per second, a whole number.
        #[param(unit = "Hz", range = 2e6..=1e9, default = 2000000)]
        rate_hz: f64,
    ) -> Result<Self, AdsbError> {
        let rate_hz = Settings { rate_hz, repair: true }.whole_rate()?;
        let channel = Channel::new(rate_hz);
        Ok(AdsbChannel {
            input: In::new().min(channel.block_samples()),
            output: Out::new().converted(Conversion::of_rate(CHANNEL_HZ as f64 / rate_hz as f64)),
            channel,
            rate_hz,
            made: Vec::new(),
            given: 0,
        })
    }
}

impl AdsbChannel {
    /// Forwards the tags of the samples that are there.
    fn pass_tags(&mut self, samples: usize) {
        let (rate_hz, given) = (self.rate_hz, self.output.index());
        let mut tags = Vec::new();
        self.input.for_each_tag(samples, |tag| tags.push(tag.clone()));
        for tag in tags {
            let index = u128::from(tag.index) * u128::from(CHANNEL_HZ) / u128::from(rate_hz);
            self.output.put_tag(Tag { index: (index as u64).max(given), ..tag });
        }
    }

    /// Takes all samples that are there.
    fn push(&mut self, is_end: bool) {
        let (index, samples) =
            (self.input.index(), if is_end { self.input.rest() } else { self.input.peek() });
        let n = samples.len();
        if n > 0 {
            // What was made before comes first.
            let room = self.output.reserve();
            let (_, given) = self.channel.push(samples, index, room, &mut self.made);
            self.pass_tags(n);
            self.output.produce(given);
            self.input.consume(n);
        }
    }

    /// Gives what was made, as far as there is room; how many items.
    fn give(&mut self) -> usize {
        let made = &self.made[self.given..];
        let room = self.output.reserve();
        let n = made.len().min(room.len());
        room[..n].copy_from_slice(&made[..n]);
        self.output.produce(n);
        self.given += n;
        if self.given == self.made.len() {
            self.given = 0;
            self.made.clear();
        }
        n
    }
}

impl Work for AdsbChannel {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        if !self.made.is_empty() {
            return Ok(if self.give() > 0 { Step::Ran } else { Step::NeedOutput });
        }
        if self.input.peek().is_empty() {
            return Ok(Step::NeedInput);
        }
        self.push(false);
        self.give();
        Ok(Step::Ran)
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        self.push(true);
        self.channel.flush(&mut self.made);
        Ok(match self.give() {
            _ if self.made.is_empty() => Step::Done,
            0 => Step::NeedOutput,
            _ => Step::Ran,
        })
    }
}
