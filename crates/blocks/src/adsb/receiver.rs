//! From complex samples to frames.

use superhet_runtime::C32;

use super::adsb_demod::Detector;
use super::channel::Channel;
use super::channel_demod::ChannelDemodulator;
use super::demod::Settings;
use super::error::AdsbError;
use super::frame::Frame;

/// Finds Mode S messages in a stream of complex samples.
///
/// The channel is filtered to ±1.2 MHz and resampled to 4 MHz, and its offset, a mean over 16 ms, is taken away. A
/// [`ChannelDemodulator`] finds the messages in it.
///
/// | argument | item | unit |
/// |---|---|---|
/// | `samples` | `C32` | full scale = 1.0 |
/// | emitted | [`Frame`] | as [`ChannelDemodulator`] does |
#[derive(Debug)]
pub struct Receiver {
    channel: Channel,
    demodulator: ChannelDemodulator,
    /// What the last samples have made.
    values: Vec<C32>,
}

impl Detector for Receiver {
    type Sample = C32;

    fn new(settings: Settings) -> Result<Self, AdsbError> {
        let channel = Channel::new(settings.whole_rate()?);
        Ok(Self { channel, demodulator: ChannelDemodulator::new(settings)?, values: Vec::new() })
    }

    fn lookahead(&self) -> usize {
        self.channel.block_samples()
    }

    fn process(
        &mut self,
        samples: &[C32],
        start: u64,
        end_of_stream: bool,
        emit: &mut dyn FnMut(Frame),
    ) -> usize {
        let mut at = start;
        // What a piece makes stays in the level-1 cache.
        for piece in samples.chunks(4 * self.lookahead()) {
            self.values.clear();
            let (first, _) = self.channel.push(piece, at, &mut [], &mut self.values);
            self.demodulator.push(&self.values, first, emit);
            at = at.wrapping_add(piece.len() as u64);
        }
        if end_of_stream {
            self.values.clear();
            let first = self.channel.flush(&mut self.values);
            self.demodulator.push(&self.values, first, emit);
            self.demodulator.flush(emit);
        }
        samples.len()
    }

    fn settled(&self, next: u64) -> u64 {
        self.demodulator.first_sample().map_or(next, |first| next.min(first))
    }
}
