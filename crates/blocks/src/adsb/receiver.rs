//! From complex samples to frames.

use superhet_runtime::C32;

use super::adsb_demod::Detector;
use super::channel::{BLOCK, Channel, Pushed};
use super::channel_demod::ChannelDemodulator;
use super::demod::Settings;
use super::error::AdsbError;
use super::frame::Frame;

/// Values of the channel that are made at a time.
const PIECE: usize = 4 * BLOCK;

/// Finds Mode S messages in a stream of complex samples.
///
/// The channel is filtered to ±1.2 MHz and resampled to 4 MHz, and its offset, a mean over 16 ms, is taken away. A
/// [`ChannelDemodulator`] finds the messages in it. The channel is made 120 µs at a time: samples of less are presented again.
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
        let mut done = 0;
        loop {
            // What a piece makes stays in the level-1 cache.
            self.values.resize(PIECE, C32::ZERO);
            let start = start.wrapping_add(done as u64);
            let Pushed { taken, first, given } = self.channel.push(&samples[done..], start, &mut self.values);
            self.demodulator.push(&self.values[..given], first, emit);
            done += taken;
            if given == 0 {
                break;
            }
        }
        if !end_of_stream {
            return done;
        }
        self.values.clear();
        let rest = start.wrapping_add(done as u64);
        let first = self.channel.finish(&samples[done..], rest, &mut self.values);
        self.demodulator.push(&self.values, first, emit);
        self.demodulator.flush(emit);
        samples.len()
    }

    fn settled(&self, next: u64) -> u64 {
        self.demodulator.first_sample().map_or(next, |first| next.min(first))
    }
}
