//! The signal of RDS, around 0 Hz.

use superhet_runtime::declare;

use super::BIT_RATE_HZ;
use super::rds_pulse::pulse;
use crate::error::{Error, check};
use crate::filters::{Resampled, Resampler};

/// Makes biphase symbols of the bits of RDS: differential coding, an impulse and its opposite for each symbol, a filter. A
/// [`StereoEncoder`](super::StereoEncoder) puts them on a subcarrier.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `u8` | bits, 0 or 1, at 1187.5 bits/s |
/// | out `out` | `f32` | the signal, within ±1 |
///
/// The middle of bit `n` lies `n + 4` bits behind the beginning. The rate need be no multiple of that of the bits.
///
/// # Source
/// IEC 62106, sections 4.5 to 4.7.
///
/// ```
/// use superhet_blocks::fm::RdsModulator;
/// use superhet_runtime::harness;
///
/// let signal: Vec<f32> = harness::run(RdsModulator::new(19e3)?.block(), &[0u8; 100]);
/// assert_eq!(signal.len(), 1600);
/// // Zeros are a tone of the rate of the bits: 16 samples later it is the same.
/// assert!((400..1200).all(|n| (signal[n] - signal[n + 16]).abs() < 1e-5));
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct RdsModulator {
    /// Symbols in a sample.
    step: f64,
    table: Vec<f32>,
    /// The last symbol, as a bit.
    last: u8,
    /// The symbols whose pulses are not over, ±1, the newest first, and how many there were.
    symbols: [f32; 2 * HALF],
    taken: u64,
    /// Samples so far.
    given: u64,
}

/// Symbols from the middle of a pulse to its end.
const HALF: usize = 4;
/// Places in a symbol for which the pulse is tabled; between them it is interpolated.
const PLACES: usize = 512;

#[declare(
    category = "fm",
    summary = "Makes the signal of RDS, around 0 Hz, of its bits.",
    through = RdsModulator::block,
    ports(input("in", "u8", "bits, 0 or 1, at 1187.5 bits/s"), output("out", "f32", "the signal, within ±1: about n · rate_hz / 1187.5 items for n"))
)]
impl RdsModulator {
    /// A signal at this rate.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the rate is 5 kHz to 1 GHz.
    pub fn new(
        /// The sample rate, 5 kHz or more.
        #[param(unit = "samples/s", range = 5e3..=1e9)]
        rate_hz: f64,
    ) -> Result<Self, Error> {
        check((5e3..=1e9).contains(&rate_hz), "rate_hz", "5e3 to 1e9", rate_hz)?;
        let at = |n: usize| pulse(n as f64 / PLACES as f64 - HALF as f64, HALF as f64) as f32;
        Ok(RdsModulator {
            step: BIT_RATE_HZ / rate_hz,
            table: (0..=2 * HALF * PLACES + 1).map(at).collect(),
            last: 0,
            symbols: [0.0; 2 * HALF],
            taken: 0,
            given: 0,
        })
    }

    /// The block.
    pub fn block(self) -> Resampled<Self> {
        Resampled::new(self)
    }

    /// The signal, a part of a symbol behind the beginning of the newest one.
    fn signal(&self, time: f64) -> f32 {
        let place = time * PLACES as f64;
        let whole = place as usize;
        let part = (place - whole as f64) as f32;
        let pulses =
            self.table[whole..].iter().step_by(PLACES).zip(self.table[whole + 1..].iter().step_by(PLACES));
        self.symbols
            .iter()
            .zip(pulses)
            .map(|(symbol, (left, right))| symbol * (left + part * (right - left)))
            .sum()
    }
}

impl Resampler for RdsModulator {
    type In = u8;
    type Out = f32;

    fn rate(&self) -> f64 {
        1.0 / self.step
    }

    fn resample(&mut self, x: &[u8], y: &mut [f32]) -> (usize, usize) {
        let (mut taken, mut given) = (0, 0);
        while given < y.len() {
            let time = self.given as f64 * self.step;
            if time as u64 >= self.taken {
                let Some(bit) = x.get(taken) else { break };
                self.last ^= bit & 1;
                self.symbols.rotate_right(1);
                self.symbols[0] = if self.last == 1 { 1.0 } else { -1.0 };
                (taken, self.taken) = (taken + 1, self.taken + 1);
                continue;
            }
            y[given] = self.signal(time - (self.taken - 1) as f64);
            (given, self.given) = (given + 1, self.given + 1);
        }
        (taken, given)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use superhet_runtime::harness;

    fn bits(n: usize) -> Vec<u8> {
        (0..n).map(|n| (n * n / 3 % 2) as u8).collect()
    }

    #[test]
    fn the_signal_is_a_sum_of_pulses_within_one() {
        for rate_hz in [9.5e3, 240e3 / 7.0] {
            let y: Vec<f32> = harness::run(RdsModulator::new(rate_hz).unwrap().block(), &bits(200));
            let mut level = 0;
            let symbols: Vec<f64> = bits(200)
                .into_iter()
                .map(|bit| {
                    level ^= bit;
                    2.0 * f64::from(level) - 1.0
                })
                .collect();
            for (m, y) in y.iter().enumerate() {
                let time = m as f64 * BIT_RATE_HZ / rate_hz;
                let sum: f64 = symbols
                    .iter()
                    .enumerate()
                    .map(|(n, symbol)| symbol * pulse(time - n as f64 - 4.0, 4.0))
                    .sum();
                assert!((f64::from(*y) - sum).abs() < 1e-4 && y.abs() <= 1.0, "{m}: {y}, wanted {sum}");
            }
        }
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(|| RdsModulator::new(19.3e3).unwrap().block(), &bits(100));
        assert!(RdsModulator::new(1e3).is_err() && RdsModulator::new(f64::NAN).is_err());
    }
}
