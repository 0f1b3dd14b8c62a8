//! Finds frames of 802.11 in samples.

use superhet_runtime::{
    Block, BlockError, C32, Context, In, MsgOut, Packet, Step, Work, declare, message::MessageType,
};

use super::finder::{Finder, Found};
use crate::error::{Error, check_positive};
use crate::tags::IndexHistory;

/// Finds frames of 802.11a, g and p (OFDM), and cuts their samples out: packets for [`WifiDemod`](super::WifiDemod).
///
/// The short training symbols are found by the correlation of samples with those 16 later, by their power: 2.5 dB below the noise and
/// up. The long ones say the place and the frequency, which is brought to 0, and SIGNAL says how long the frame is. A frame that begins
/// within another is found, too. Noise costs two dot products of 16 samples for each 16 samples.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | as many samples a second as the channel is wide: 20, 10 or 5 MHz |
/// | out `out` | packets of `C32` | a frame, from 8 samples before its first long training symbol to 8 samples behind its last symbol |
///
/// | metadata | is |
/// |---|---|
/// | `sample_index`, `duration_samples` | behind [`IndexTags`](crate::tags::IndexTags): where the frame is, with its preamble |
/// | `offset` | the item that it begins with |
/// | `frequency_hz` | where it lay |
/// | `snr_db` | signal by noise in the whole channel, dB, from the long training symbols |
/// | `mbps`, `length` | what SIGNAL says: Mbit/s, and bytes with the checksum |
///
/// What is found does not depend on how the stream is cut. A frame is told 1024 samples after its end. One whose end is not there is
/// not told.
///
/// # Source
/// IEEE Std 802.11-2016, section 17.3; T. Schmidl and D. Cox, "Robust frequency and timing synchronization for OFDM", IEEE Trans.
/// Communications 45 (12), 1997, for the correlation.
#[derive(Debug, Block)]
pub struct WifiSync {
    #[port("in")]
    input: In<C32>,
    #[port("out")]
    output: MsgOut,
    rate_hz: f64,
    finder: Finder,
    history: IndexHistory,
}

/// The bandwidth of the rates as they are named.
pub(super) const FULL_HZ: f64 = 20e6;

/// So many samples are taken in one call.
const AT_ONCE: usize = 8192;

#[declare(
    category = "wifi",
    summary = "Finds frames of 802.11a, g and p (OFDM), and cuts their samples out.",
    ports(
        input("in", "C32", "as many samples a second as the channel is wide"),
        output("out", "messages", "packets of C32: frames from their long training symbols on")
    )
)]
impl WifiSync {
    /// A block that has seen nothing yet.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the rate is more than 0.
    pub fn new(
        /// The sample rate, which is the bandwidth: 20e6, 10e6 or 5e6.
        #[param(unit = "samples/s", range = 0.0..=1e12, default = 20e6)]
        rate_hz: f64,
    ) -> Result<Self, Error> {
        check_positive("rate_hz", rate_hz)?;
        Ok(WifiSync {
            input: In::new(),
            output: MsgOut::new().sends(MessageType::packets_of::<C32>()),
            rate_hz,
            finder: Finder::new(),
            history: IndexHistory::default(),
        })
    }

    fn packet(&self, found: &Found) -> Packet<C32> {
        let mut packet = Packet::from_items(&found.samples);
        let end = found.start + Found::len(found.signal) as u64;
        if let (Some(first), Some(last)) = (self.history.sample_of(found.start), self.history.sample_of(end))
        {
            packet.set_all([("sample_index", first), ("duration_samples", last.saturating_sub(first))]);
        }
        packet.set_all([
            ("frequency_hz", f64::from(found.frequency) / std::f64::consts::TAU * self.rate_hz),
            ("snr_db", found.quality.snr_db.into()),
            ("mbps", f64::from(found.signal.rate.mbps) * self.rate_hz / FULL_HZ),
        ]);
        packet.set_all([("offset", found.start), ("length", found.signal.bytes as u64)]);
        packet
    }

    fn send(&mut self, found: &[Found]) -> Result<(), BlockError> {
        found.iter().try_for_each(|found| self.output.send(self.packet(found)).map_err(Into::into))
    }
}

impl Work for WifiSync {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.input.available().min(AT_ONCE);
        if n == 0 {
            return Ok(Step::NeedInput);
        }
        let WifiSync { input, history, finder, .. } = self;
        input.for_each_tag(n, |tag| history.note(tag));
        let mut found = Vec::new();
        finder.push(&input.peek()[..n], &mut |one| found.push(one));
        input.consume(n);
        self.send(&found)?;
        Ok(Step::Ran)
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let mut found = Vec::new();
        self.finder.finish(&mut |one| found.push(one));
        self.send(&found)?;
        Ok(Step::Done)
    }
}
