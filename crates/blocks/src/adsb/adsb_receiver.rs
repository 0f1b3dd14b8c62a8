//! Finds messages of aircraft in complex samples.

use superhet_runtime::catalog::{Entry, input, output};

use super::Receiver;
use super::adsb_demod::{AdsbBlock, FRAMES, PARAMS, made};

/// Finds messages in complex samples.
pub type AdsbReceiver = AdsbBlock<Receiver>;

/// How files and the command line find [`AdsbReceiver`].
pub const ENTRY: Entry = Entry {
    name: "adsb_receiver",
    category: "adsb",
    summary: "Filters the channel, finds Mode S and ADS-B messages in it, and decodes them.",
    params: PARAMS,
    ports: &[
        input("in", "C32", "samples about 1090 MHz, full scale = 1.0"),
        FRAMES,
        output("out", "C32", "the samples, with a tag adsb where a message starts"),
    ],
    make: made::<Receiver>,
};
