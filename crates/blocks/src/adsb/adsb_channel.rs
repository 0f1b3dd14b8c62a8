//! The channel of Mode S, for a demodulator that another core may run.

use superhet_runtime::{Block, BlockError, C32, Context, In, Out, Step, Tag, Work, declare, tag::Conversion};

use super::channel::{BLOCK, CHANNEL_HZ, Channel, Pushed};
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
    /// What the end of the stream has made, and how much of it was given.
    last: Option<Vec<C32>>,
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
            output: Out::new().min(BLOCK).converted(Conversion::of_rate(CHANNEL_HZ as f64 / rate_hz as f64)),
            channel,
            rate_hz,
            last: None,
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

    /// Goes past samples, and hands their tags on.
    fn take(&mut self, samples: usize) {
        self.pass_tags(samples);
        self.input.consume(samples);
    }
}

impl Work for AdsbChannel {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let (samples, index) = (self.input.peek(), self.input.index());
        let Pushed { taken, given, .. } = self.channel.push(samples, index, self.output.reserve());
        self.take(taken);
        self.output.produce(given);
        Ok(if given > 0 { Step::Ran } else { Step::NeedInput })
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        if self.last.is_none() {
            let (samples, mut last) = (self.input.rest(), Vec::new());
            self.channel.finish(samples, self.input.index(), &mut last);
            self.take(samples.len());
            self.last = Some(last);
        }
        let (room, last) = (self.output.reserve(), self.last.get_or_insert_default());
        let n = room.len().min(last.len() - self.given);
        room[..n].copy_from_slice(&last[self.given..][..n]);
        self.given += n;
        let is_end = self.given == last.len();
        self.output.produce(n);
        Ok(match n {
            _ if is_end => Step::Done,
            0 => Step::NeedOutput,
            _ => Step::Ran,
        })
    }
}
