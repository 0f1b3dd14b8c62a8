//! The carriers of a symbol, and the symbols that a frame begins with.

use std::sync::{Arc, LazyLock};

use superhet_fft::{Fft, FftPlanner};
use superhet_kernels::C32;

use super::rate::DATA_CARRIERS;

/// Samples of a symbol without its guard interval, and of that.
pub const FFT: usize = 64;
pub const GUARD: usize = 16;
pub const SYMBOL: usize = FFT + GUARD;
/// Samples before the first of the two long training symbols, without their guard interval.
pub const LONG_START: usize = 192;
/// Samples before SIGNAL.
pub const PREAMBLE: usize = 320;

/// Carriers in use: 1 to 26 on both sides of the middle.
pub const CARRIERS: usize = 52;
pub const HIGHEST: i32 = 26;

/// The long training symbol on the carriers −26 to −1 and 1 to 26: equation 17-8 of IEEE Std 802.11-2016.
pub const LONG: [f32; CARRIERS] = [
    1.0, 1.0, -1.0, -1.0, 1.0, 1.0, -1.0, 1.0, -1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, 1.0, 1.0,
    -1.0, 1.0, -1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, 1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0, -1.0, -1.0,
    -1.0, -1.0, 1.0, 1.0, -1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, 1.0, 1.0, 1.0,
];

/// The carriers of the short training symbol, times (1 + j) · √(13/6): equation 17-6.
const SHORT: [(i32, f32); 12] = [
    (-24, 1.0),
    (-20, -1.0),
    (-16, 1.0),
    (-12, -1.0),
    (-8, -1.0),
    (-4, 1.0),
    (4, -1.0),
    (8, -1.0),
    (12, 1.0),
    (16, 1.0),
    (20, 1.0),
    (24, 1.0),
];

/// Pilots: the place among the carriers, the carrier and its sign (section 17.3.5.9).
pub const PILOTS: [(usize, i32, f32); 4] = [(5, -21, 1.0), (19, -7, 1.0), (32, 7, 1.0), (46, 21, -1.0)];

/// The carriers with data, by their places among the carriers.
pub const DATA: [usize; DATA_CARRIERS] = {
    let mut data = [0; DATA_CARRIERS];
    let (mut at, mut place) = (0, 0);
    while place < CARRIERS {
        if place != 5 && place != 19 && place != 32 && place != 46 {
            data[at] = place;
            at += 1;
        }
        place += 1;
    }
    data
};

/// The carrier at a place.
pub const fn carrier(place: usize) -> i32 {
    let below = place as i32 - HIGHEST;
    if below < 0 { below } else { below + 1 }
}

/// Where the transform has the carrier at a place.
pub const fn bin(place: usize) -> usize {
    ((carrier(place) + FFT as i32) as usize) % FFT
}

/// What makes samples of carriers.
static INVERSE: LazyLock<Arc<dyn Fft<f32>>> = LazyLock::new(|| FftPlanner::new().plan_fft_inverse(FFT));

/// The samples of a symbol with these carriers, without its guard interval; carriers of 1 make samples with a mean power of 1.
pub fn samples(carriers: &[C32; CARRIERS]) -> [C32; FFT] {
    let mut spectrum = [C32::ZERO; FFT];
    for (place, value) in carriers.iter().enumerate() {
        spectrum[bin(place)] = *value;
    }
    INVERSE.process(&mut spectrum);
    spectrum.map(|sample| sample / (CARRIERS as f32).sqrt())
}

/// The long training symbol, 64 samples.
pub fn long_symbol() -> [C32; FFT] {
    samples(&LONG.map(C32::from))
}

/// What a frame begins with: ten short training symbols, the guard interval and two long ones.
pub fn preamble() -> Vec<C32> {
    let mut carriers = [C32::ZERO; CARRIERS];
    for (at, sign) in SHORT {
        let place = if at < 0 { at + HIGHEST } else { at + HIGHEST - 1 };
        carriers[place as usize] = C32::new(sign, sign) * (13.0f32 / 6.0).sqrt();
    }
    let (short, long) = (samples(&carriers), long_symbol());
    let mut all: Vec<C32> = short.iter().cycle().take(160).copied().collect();
    all.extend(&long[FFT / 2..]);
    all.extend(long);
    all.extend(long);
    all
}

/// The signs of the pilots of symbol `n`, SIGNAL's being 0: the scrambler's sequence from all ones, 1 being −1.
pub fn polarity(n: usize) -> f32 {
    const SIGNS: [f32; 127] = {
        let mut signs = [1.0; 127];
        let (mut state, mut n) = (0x7fu32, 0);
        while n < 127 {
            let bit = (state >> 6 ^ state >> 3) & 1;
            state = (state << 1 | bit) & 0x7f;
            if bit == 1 {
                signs[n] = -1.0;
            }
            n += 1;
        }
        signs
    };
    SIGNS[n % 127]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_preamble_and_the_pilots_are_those_of_the_standard() {
        // Tables I-4 and I-6 of annex I, to three digits; samples have a mean power of 52/64² there.
        let scale = (CARRIERS as f32).sqrt() / FFT as f32;
        let near = |sample: C32, (re, im): (f32, f32)| (sample * scale - C32::new(re, im)).norm() < 1e-3;
        let all = preamble();
        let short = [(0.046, 0.046), (-0.132, 0.002), (-0.013, -0.079), (0.143, -0.013), (0.092, 0.0)];
        assert!(all[..5].iter().zip(short).all(|(sample, wanted)| near(*sample, wanted)), "{:?}", &all[..5]);
        let long = [(0.156, 0.0), (-0.005, -0.120), (0.040, -0.111), (0.097, 0.083), (0.021, 0.028)];
        let first = &all[LONG_START..];
        assert!(first.iter().zip(long).all(|(sample, wanted)| near(*sample, wanted)), "{:?}", &first[..5]);
        assert_eq!(all.len(), PREAMBLE);
        let signs: Vec<f32> = (0..12).map(polarity).collect();
        assert_eq!(signs, [1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, 1.0, -1.0, -1.0, -1.0, -1.0]);
        assert!(PILOTS.iter().all(|(place, at, _)| carrier(*place) == *at && !DATA.contains(place)));
    }
}
