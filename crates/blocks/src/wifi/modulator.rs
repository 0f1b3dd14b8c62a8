//! Samples of a frame.

use superhet_kernels::C32;

use super::bits::{MOST_BYTES, Signal, encode, encode_data};
use super::carriers::{CARRIERS, DATA, GUARD, PILOTS, PREAMBLE, SYMBOL, polarity, preamble, samples};
use super::points::point;
use super::rate::{RATES, Rate};

/// The samples of a symbol, whose carriers have these bits: the guard interval and the symbol.
fn symbol(bits: &[u8], carrier_bits: usize, n: usize) -> impl Iterator<Item = C32> {
    let mut carriers = [C32::ZERO; CARRIERS];
    for (place, bits) in DATA.iter().zip(bits.chunks_exact(carrier_bits)) {
        carriers[*place] = point(bits);
    }
    for (place, _, sign) in PILOTS {
        carriers[place] = C32::new(sign * polarity(n), 0.0);
    }
    let samples = samples(&carriers);
    (0..SYMBOL).map(move |n| samples[(n + samples.len() - GUARD) % samples.len()])
}

/// The samples of a frame at this rate, of these bytes, checksum and all: preamble, SIGNAL and data. Their mean power is about 1.
/// The scrambler begins in the state `scrambler`, 1 to 127. Of more than [`MOST_BYTES`] the first are sent.
pub fn modulate(rate: &'static Rate, bytes: &[u8], scrambler: u8) -> Vec<C32> {
    let bytes = &bytes[..bytes.len().min(MOST_BYTES)];
    let signal = Signal { rate, bytes: bytes.len() };
    let mut all = preamble();
    all.reserve_exact((1 + signal.symbols()) * SYMBOL);
    all.extend(symbol(&encode(&RATES[0], &signal.bits()), 1, 0));
    let coded = encode_data(rate, bytes, scrambler);
    for (n, bits) in coded.chunks_exact(rate.coded_bits()).enumerate() {
        all.extend(symbol(bits, rate.carrier_bits, n + 1));
    }
    debug_assert_eq!(all.len(), PREAMBLE + (1 + signal.symbols()) * SYMBOL);
    all
}
