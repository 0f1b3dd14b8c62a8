//! Finds messages of aircraft in their channel.

use superhet_runtime::{
    Block, BlockError, C32, Context, In, MsgOut, Step, Work, declare, message::MessageType,
};

use super::adsb_demod::{Common, FRAMES, Reporter};
use super::{AdsbError, ChannelDemodulator, Position, Settings};

/// Reads messages in what [`AdsbChannel`](super::AdsbChannel) gives, where [`AdsbPreambles`](super::AdsbPreambles) has marked it.
///
/// The messages do not depend on how the streams are cut, nor on the scheduler; they are those that an
/// [`AdsbReceiver`](super::AdsbReceiver) finds.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | the channel at 4 MHz, full scale = 1.0 |
/// | in `marks` | `u8` | the marks of the same channel, one for each item |
/// | out `frames` | packets | as those of [`AdsbBlock`](super::AdsbBlock) |
#[derive(Debug, Block)]
pub struct AdsbChannelDemod {
    #[port("in")]
    input: In<C32>,
    #[port]
    marks: In<u8>,
    #[port]
    frames: MsgOut,
    demodulator: ChannelDemodulator,
    reporter: Reporter,
}

impl AdsbChannelDemod {
    /// A block that has heard nobody yet, for the channel of samples at `settings.rate_hz`.
    ///
    /// # Errors
    /// [`AdsbError::Rate`] unless the rate is a whole number from 2 MHz to 1 GHz.
    pub fn new(settings: Settings) -> Result<Self, AdsbError> {
        Ok(AdsbChannelDemod {
            input: In::new(),
            marks: In::new(),
            frames: MsgOut::new().sends(MessageType::packets_of::<u8>()),
            demodulator: ChannelDemodulator::new(settings)?,
            reporter: Reporter::new(settings.rate_hz),
        })
    }

    /// As [`AdsbBlock::with_receiver`](super::AdsbBlock::with_receiver).
    #[must_use]
    pub fn with_receiver(self, place: Position) -> Self {
        self.reporter.set_receiver(place);
        self
    }

    /// As [`AdsbBlock::undecoded`](super::AdsbBlock::undecoded).
    #[must_use]
    pub fn undecoded(self) -> Self {
        AdsbChannelDemod { reporter: self.reporter.undecoded(), ..self }
    }
}

impl Work for AdsbChannelDemod {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let (values, marks) = (self.input.peek(), self.marks.peek());
        let n = values.len().min(marks.len());
        if n == 0 {
            return Ok(Step::NeedInput);
        }
        let (mut found, start) = (Vec::new(), self.input.index());
        self.demodulator.push_marked(&values[..n], &marks[..n], start.into(), &mut |frame| found.push(frame));
        self.input.consume(n);
        self.marks.consume(n);
        for frame in found {
            self.frames.send(self.reporter.packet(&frame))?;
        }
        Ok(Step::Ran)
    }

    fn finish(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        self.work(context)?;
        let mut found = Vec::new();
        self.demodulator.flush(&mut |frame| found.push(frame));
        for frame in found {
            self.frames.send(self.reporter.packet(&frame))?;
        }
        Ok(Step::Done)
    }
}

#[declare(
    category = "adsb",
    summary = "Reads Mode S and ADS-B messages in what adsb_channel gives, where adsb_preambles has marked it, and decodes them.",
    ports(
        input("in", "C32", "the channel at 4 MHz, which adsb_channel has made of samples at rate_hz"),
        input("marks", "u8", "what adsb_preambles gives for the same channel"),
        FRAMES
    )
)]
fn adsb_channel_demod(#[param(group)] common: Common) -> Result<AdsbChannelDemod, BlockError> {
    let block = AdsbChannelDemod::new(common.settings())?;
    Ok(AdsbChannelDemod { reporter: common.reporter(block.reporter)?, ..block })
}
