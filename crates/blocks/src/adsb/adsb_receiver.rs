//! Finds messages of aircraft in complex samples.

use super::Receiver;
use super::adsb_demod::{AdsbBlock, Common, FRAMES};
use superhet_runtime::{BlockError, declare};

/// Finds messages in complex samples.
pub type AdsbReceiver = AdsbBlock<Receiver>;

#[declare(
    category = "adsb",
    summary = "Filters the channel, finds Mode S and ADS-B messages in it, and decodes them.",
    ports(
        input("in", "C32", "samples about 1090 MHz, full scale = 1.0"),
        FRAMES,
        output("out", "C32", "the samples, with a tag adsb where a message starts")
    )
)]
fn adsb_receiver(#[param(group)] common: Common) -> Result<AdsbReceiver, BlockError> {
    common.block()
}
