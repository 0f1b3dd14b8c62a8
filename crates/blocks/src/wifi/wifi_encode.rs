//! Makes samples of frames of 802.11.

use superhet_runtime::{BlockError, C32, Packet, declare, packet::PacketBlock};

use super::bits::MOST_BYTES;
use super::mac::{FCS_BYTES, fcs};
use super::modulator::modulate;
use super::rate::Rate;
use crate::error::{Error, check};

/// Makes the samples of frames of 802.11a, g and p (OFDM): the counterpart of [`WifiDemod`](super::WifiDemod).
///
/// It is a [`PacketBlock`]: [`messages`](PacketBlock::messages) makes a block of it.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | packets of `u8` | frames without their checksum, up to 4091 bytes |
/// | out `out` | packets of `C32` | as many samples a second as the channel is wide; their mean power is about 1 |
///
/// The entry `mbps` of a packet's metadata names another rate for it. The scrambler begins with 1, and with the next of its 127 states for
/// each packet.
///
/// # Errors
/// At run time: a packet that is empty or too long, or names no rate.
///
/// # Source
/// IEEE Std 802.11-2016, section 17.3; tests compare with its example (annex I.1).
///
/// ```
/// use superhet_blocks::wifi::WifiEncode;
/// use superhet_runtime::{Packet, packet::PacketBlock};
///
/// let samples = WifiEncode::new(54)?.packet(Packet::from_items(&[0u8; 96]))?.unwrap();
/// assert_eq!(samples.len(), 320 + 80 + 4 * 80); // preamble, SIGNAL, four symbols of 216 bits
/// # Ok::<(), superhet_runtime::BlockError>(())
/// ```
#[derive(Clone, Debug)]
pub struct WifiEncode {
    rate: &'static Rate,
    scrambler: u8,
}

/// The rate of so many Mbit/s.
///
/// # Errors
/// [`Error::OutOfRange`] where there is none.
pub(super) fn rate_of(mbps: u64) -> Result<&'static Rate, Error> {
    let rate = Rate::of_mbps(mbps);
    check(rate.is_some(), "mbps", "6, 9, 12, 18, 24, 36, 48 or 54", mbps as f64)?;
    Ok(rate.expect("it was checked"))
}

#[declare(
    category = "wifi",
    summary = "Makes samples of frames of 802.11a, g and p.",
    ports(
        input("in", "messages", "packets of u8: frames without their checksum"),
        output("out", "messages", "packets of C32: their samples")
    ),
    through = PacketBlock::messages
)]
impl WifiEncode {
    /// For frames of one rate.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where there is no such rate.
    pub fn new(
        /// The rate in a channel of 20 MHz: 6, 9, 12, 18, 24, 36, 48 or 54; half of it in 10 MHz, a quarter in 5 MHz.
        #[param(unit = "Mbit/s", range = 6..=54, default = 6)]
        mbps: u64,
    ) -> Result<Self, Error> {
        Ok(WifiEncode { rate: rate_of(mbps)?, scrambler: 0 })
    }

    /// The samples of a frame, which gets its checksum.
    pub(super) fn samples(&mut self, rate: &'static Rate, frame: &[u8]) -> Vec<C32> {
        let scrambler = self.scrambler + 1;
        self.scrambler = scrambler % 127;
        modulate(rate, &[frame, &fcs(frame)].concat(), scrambler)
    }
}

impl PacketBlock for WifiEncode {
    type In = u8;
    type Out = C32;

    fn packet(&mut self, x: Packet<u8>) -> Result<Option<Packet<C32>>, BlockError> {
        let most = MOST_BYTES - FCS_BYTES;
        if x.is_empty() || x.len() > most {
            return Err(format!("a frame of {} bytes: expected 1 to {most}", x.len()).into());
        }
        let rate = match x.get("mbps") {
            None => self.rate,
            Some(value) => {
                rate_of(value.as_u64().ok_or_else(|| format!("mbps = {value}: expected a whole number"))?)?
            }
        };
        let samples = self.samples(rate, x.items());
        let mut packet = x.with_meta(samples.len());
        packet.items_mut().copy_from_slice(&samples);
        Ok(Some(packet))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_sent_is_refused() {
        let mut block = WifiEncode::new(6).unwrap();
        assert!(
            block.packet(Packet::from_items(&[])).is_err()
                && block.packet(Packet::from_items(&[0; 4092])).is_err()
        );
        let mut packet = Packet::from_items(&[0; 10]);
        packet.set("mbps", 7);
        let error = block.packet(packet.clone()).unwrap_err().to_string();
        assert_eq!(error, "mbps = 7: expected 6, 9, 12, 18, 24, 36, 48 or 54");
        packet.set("mbps", 12);
        assert_eq!(block.packet(packet).unwrap().unwrap().len(), 400 + 3 * 80);
        assert!(WifiEncode::new(7).is_err());
    }
}
