//! What the channel does to each carrier, from the two long training symbols.

use std::sync::LazyLock;

use superhet_kernels::{C32, C64};

use super::carriers::{CARRIERS, FFT, LONG, bin, carrier};

/// The channel of a frame.
#[derive(Clone, Debug)]
pub struct Channel {
    /// The response on each carrier.
    pub response: [C32; CARRIERS],
    /// The power of the noise on a carrier, as measured.
    pub noise: f32,
    /// The same, as soft bits have it: no less than what transmitters have anyhow.
    pub weighed_noise: f32,
    /// The mean power of what was sent, on a carrier.
    pub power: f32,
}

/// The impulse response has so many samples at most, the first of them before the window of the transform.
const TAPS: usize = 20;
const FIRST_TAP: i32 = -2;

/// Noise counts as at least so much of the signal: transmitters are no better than that, and soft bits saturate anyhow.
const LEAST_NOISE: f32 = 1e-3;

/// An orthonormal basis of what the responses of such short channels can be, on all carriers. Projecting on it leaves `TAPS` of 52
/// parts of the noise.
static BASIS: LazyLock<Vec<[C32; CARRIERS]>> = LazyLock::new(|| {
    let mut basis: Vec<[C64; CARRIERS]> = Vec::new();
    // From the middle outwards: where the last differ from the others by rounding alone they are left out.
    let mut taps: Vec<i32> = (FIRST_TAP..FIRST_TAP + TAPS as i32).collect();
    taps.sort_by_key(|tap| (2 * tap - 2 * FIRST_TAP - TAPS as i32 + 1).abs());
    for tap in taps {
        let turn = -std::f64::consts::TAU * f64::from(tap) / FFT as f64;
        let mut vector: [C64; CARRIERS] =
            std::array::from_fn(|place| C64::cis(turn * f64::from(carrier(place))));
        // Twice is enough for orthogonality (W. Kahan, quoted by B. Parlett, The Symmetric Eigenvalue Problem, section 6-9).
        for _ in 0..2 {
            for other in &basis {
                let part: C64 = other.iter().zip(&vector).map(|(a, b)| a.conj() * b).sum();
                vector.iter_mut().zip(other).for_each(|(b, a)| *b -= part * a);
            }
        }
        let norm = vector.iter().map(|value| value.norm_sqr()).sum::<f64>().sqrt();
        if norm > 1e-6 {
            basis.push(vector.map(|value| value / norm));
        }
    }
    basis.iter().map(|vector| vector.map(|value| C32::new(value.re as f32, value.im as f32))).collect()
});

impl Channel {
    /// The channel in which the two long training symbols have these transforms.
    pub fn new(first: &[C32; FFT], second: &[C32; FFT]) -> Channel {
        let raw: [C32; CARRIERS] = std::array::from_fn(|place| {
            let at = bin(place);
            (first[at] + second[at]) * (0.5 * LONG[place])
        });
        let square = |of: &dyn Fn(usize) -> f32| (0..CARRIERS).map(of).sum::<f32>() / CARRIERS as f32;
        // The difference has twice the noise.
        let noise = 0.5 * square(&|place| (first[bin(place)] - second[bin(place)]).norm_sqr());
        let smooth = smooth(&raw);
        let rest = square(&|place| (raw[place] - smooth[place]).norm_sqr());
        // What a short channel leaves is noise, of which the mean of two has half. Where there is more, the channel is longer; at twice
        // as much smoothing costs what it gains.
        let wanted = 0.5 * noise * (CARRIERS - TAPS) as f32 / CARRIERS as f32;
        let response = if rest < 2.2 * wanted { smooth } else { raw };
        let power = (square(&|place| raw[place].norm_sqr()) - 0.5 * noise).max(0.0);
        let noise = noise.max(f32::MIN_POSITIVE);
        Channel { response, noise, weighed_noise: noise.max(LEAST_NOISE * power), power }
    }

    /// Signal by noise in the whole bandwidth: the carriers have 52 of 64 parts of it.
    pub fn snr(&self) -> f32 {
        self.power * CARRIERS as f32 / (self.noise * FFT as f32)
    }
}

/// The nearest response that a short channel can have.
fn smooth(raw: &[C32; CARRIERS]) -> [C32; CARRIERS] {
    let mut smooth = [C32::ZERO; CARRIERS];
    for vector in BASIS.iter() {
        let part: C32 = vector.iter().zip(raw).map(|(a, b)| a.conj() * b).sum();
        smooth.iter_mut().zip(vector).for_each(|(y, a)| *y += part * a);
    }
    smooth
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::complex_noise;

    /// Transforms of both symbols behind a channel with these taps, with noise of this power.
    fn transforms(taps: &[(f32, C32)], noise: f32) -> [[C32; FFT]; 2] {
        let mut drawn = complex_noise(2 * FFT).into_iter();
        std::array::from_fn(|_| {
            let mut spectrum = [C32::ZERO; FFT];
            for (place, sign) in LONG.iter().enumerate() {
                let turn = -std::f32::consts::TAU * carrier(place) as f32 / FFT as f32;
                let response: C32 = taps.iter().map(|(delay, gain)| gain * C32::cis(turn * delay)).sum();
                // The parts are uniform within ±1: their power is 2/3.
                spectrum[bin(place)] = response * sign + drawn.next().unwrap() * (1.5 * noise).sqrt();
            }
            spectrum
        })
    }

    #[test]
    fn noise_is_measured_and_less_of_it_is_left_where_the_channel_is_short() {
        let taps = [(3.3, C32::ONE), (5.0, C32::new(0.2, -0.4)), (9.7, C32::new(-0.1, 0.2))];
        let clean = transforms(&taps, 0.0).map(|spectrum| Channel::new(&spectrum, &spectrum).response)[0];
        let [first, second] = transforms(&taps, 0.1);
        let channel = Channel::new(&first, &second);
        assert!((channel.noise / 0.1 - 1.0).abs() < 0.3, "{}", channel.noise);
        let error = |response: &[C32; CARRIERS]| {
            response.iter().zip(&clean).map(|(a, b)| (a - b).norm_sqr()).sum::<f32>() / CARRIERS as f32
        };
        // The mean of two symbols has 0.05, of which 20 of 52 parts are left.
        assert!(error(&channel.response) < 0.03, "{}", error(&channel.response));
    }

    #[test]
    fn a_channel_that_is_longer_is_taken_as_it_is() {
        let long = [(3.0, C32::ONE), (28.0, C32::new(0.5, 0.0))];
        let [first, second] = transforms(&long, 1e-4);
        let channel = Channel::new(&first, &second);
        for (place, response) in channel.response.iter().enumerate() {
            let raw = (first[bin(place)] + second[bin(place)]) * (0.5 * LONG[place]);
            assert_eq!(*response, raw);
        }
        assert!(BASIS.len() > 15 && BASIS.len() <= TAPS);
    }
}
