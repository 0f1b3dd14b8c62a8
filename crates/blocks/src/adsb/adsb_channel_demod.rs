//! Finds messages of aircraft in their channel.

use superhet_runtime::catalog::{Entry, input, output};

use super::ChannelDemodulator;
use super::adsb_demod::{AdsbBlock, FRAMES, PARAMS, made};

/// Finds messages in what [`AdsbChannel`](super::AdsbChannel) gives.
pub type AdsbChannelDemod = AdsbBlock<ChannelDemodulator>;

/// How files and the command line find [`AdsbChannelDemod`].
pub const ENTRY: Entry = Entry {
    name: "adsb_channel_demod",
    category: "adsb",
    summary: "Finds Mode S and ADS-B messages in what adsb_channel gives, and decodes them.",
    params: PARAMS,
    ports: &[
        input("in", "C32", "the channel at 4 MHz, which adsb_channel has made of samples at rate_hz"),
        FRAMES,
        output("out", "C32", "the channel, with a tag adsb where a message starts"),
    ],
    make: made::<ChannelDemodulator>,
};
