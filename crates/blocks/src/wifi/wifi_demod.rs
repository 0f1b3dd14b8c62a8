//! Reads frames of 802.11.

use superhet_runtime::message::{MessageType, WhenFull};
use superhet_runtime::{Block, BlockError, C32, Context, MsgIn, MsgOut, Packet, Step, Value, Work, declare};

use super::carriers::LONG_START;
use super::demodulator::{Demodulator, MARGIN, SIGNAL_SAMPLES};
use super::mac;

/// Reads the frames of 802.11a, g and p (OFDM) that [`WifiSync`](super::WifiSync) finds, at all eight rates. Those whose checksum is wrong
/// are dropped, and those that begin within one whose checksum is right.
///
/// ```text
/// long training ──> channel (smoothed where it is short) and noise
/// a symbol ──> transform ──> pilots ──> phase and clock (Kalman filters) ──> equaliser ──> soft bits by the carrier's power
/// all symbols ──> de-interleaved, punctured bits as unknown ──> Viterbi, K = 7 ──> descrambler ──> checksum
/// ```
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | packets of `C32` | as [`WifiSync`](super::WifiSync) gives them |
/// | out `out` | packets of `u8` | frames without their checksum |
///
/// | metadata | is |
/// |---|---|
/// | `evm_db` | the error vector: mean distance of points from those that are meant, by their power |
/// | others | those of the packet |
///
/// # Source
/// IEEE Std 802.11-2016: section 17.3 (training 17.3.3, SIGNAL 17.3.4, data 17.3.5, pilots 17.3.5.9), section 9.2.4.8 (checksum).
#[derive(Debug, Block)]
pub struct WifiDemod {
    #[port("in")]
    input: MsgIn,
    #[port("out")]
    output: MsgOut,
    demodulator: Demodulator,
    bytes: Vec<u8>,
    /// The item behind the last frame that was right.
    done: u64,
}

/// So many frames wait, each of up to 1 MB.
const WAITING: usize = 32;

#[declare(
    category = "wifi",
    summary = "Reads the frames of 802.11a, g and p that wifi_sync finds, and checks them.",
    ports(
        input("in", "messages", "packets of C32: frames that wifi_sync has found"),
        output("out", "messages", "packets of u8: frames whose checksum is right, without it")
    )
)]
impl WifiDemod {
    /// A block that has read nothing yet.
    pub fn new() -> Self {
        WifiDemod {
            input: MsgIn::with(WAITING, WhenFull::Block).takes(MessageType::packets_of::<C32>()),
            output: MsgOut::new().sends(MessageType::packets_of::<u8>()),
            demodulator: Demodulator::new(),
            bytes: Vec::new(),
            done: 0,
        }
    }

    /// The frame in samples, if there is one whose checksum is right.
    pub fn read(&mut self, samples: &Packet<C32>) -> Option<Packet<u8>> {
        let offset = samples.get("offset").and_then(Value::as_u64);
        if samples.len() < SIGNAL_SAMPLES || offset.is_some_and(|offset| offset < self.done) {
            return None;
        }
        let (_, quality) = self.demodulator.frame(samples.items(), &mut self.bytes)?;
        let frame = mac::checked(&self.bytes)?;
        let mut packet = samples.with_meta(frame.len());
        packet.items_mut().copy_from_slice(frame);
        packet.set("evm_db", f64::from(quality.evm_db));
        let with_preamble = (LONG_START + samples.len() - 2 * MARGIN) as u64;
        self.done = offset.map_or(0, |offset| offset.saturating_add(with_preamble));
        Some(packet)
    }
}

impl Default for WifiDemod {
    fn default() -> Self {
        WifiDemod::new()
    }
}

/// So many packets are read in one call.
const AT_ONCE: usize = 8;

impl Work for WifiDemod {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        for taken in 0..AT_ONCE {
            let Some(message) = self.input.recv() else {
                return Ok(if taken > 0 { Step::Ran } else { Step::NeedInput });
            };
            if let Some(frame) = self.read(&Packet::try_from(message)?) {
                self.output.send(frame)?;
            }
        }
        Ok(Step::Ran)
    }
}
