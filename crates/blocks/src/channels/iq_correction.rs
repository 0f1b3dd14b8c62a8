//! Two branches made alike again.

use superhet_runtime::catalog::Kind;
use superhet_runtime::{C32, SyncBlock, declare};

use crate::error::{Error, check};

/// Takes away a receiver's imbalance of I and Q, which it finds by itself: of a signal without one, both parts have the same power
/// and are not correlated.
///
/// With the variances `i²` and `q²` of the parts and their covariance `iq`, the imbalance is `g = √(q² / i²)` and
/// `sin φ = −iq / √(i² · q²)`, and `y = I + j (Q / g + I sin φ) / cos φ`: see [`IqImbalance`](super::IqImbalance).
///
/// The variances are means over all samples so far, and from `length` samples on means that forget by `1 / length` with each. They
/// change every 64 samples, from the first 1024 on; 64 samples with one that is not finite do not count.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | any |
/// | out `out` | `C32` | that of `in` |
///
/// **Accuracy**: of Gaussian noise the image is about `10 log₁₀(4 · length)` dB below the signal once `length` samples have come: 54 dB
/// of 65536. Signals that are not alike at any angle, such as one of BPSK without a carrier offset, are taken for an imbalance.
///
/// Imbalances within ±12 dB and ±30° are corrected; beyond, so much of them.
///
/// **Source**: M. Valkama, M. Renfors and V. Koivunen, "Advanced methods for I/Q imbalance compensation in communication
/// receivers", IEEE Trans. Signal Processing 49 (10), 2001.
///
/// ```
/// use superhet_blocks::channels::{IqCorrection, IqImbalance};
/// use superhet_runtime::{C32, harness};
///
/// let tone: Vec<C32> = (0..8192).map(|n| C32::from_polar(1.0, 0.3 * n as f32)).collect();
/// let spoilt: Vec<C32> = harness::run(IqImbalance::new(1.0, 5.0, false)?, &tone);
/// let y: Vec<C32> = harness::run(IqCorrection::new(65536)?, &spoilt);
/// // A tone has no image once it has the same size at any angle.
/// let size = y[8191].norm();
/// assert!(y[8000..].iter().all(|y| (y.norm() / size - 1.0).abs() < 0.01));
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct IqCorrection {
    length: usize,
    /// Means of I, Q, I², Q² and I · Q, and how many samples they are of.
    means: [f64; 5],
    samples: usize,
    /// Sums over the samples since the means were changed.
    sums: [f32; 5],
    place: usize,
    /// What Q and I give to Q.
    of_q: f32,
    of_i: f32,
}

/// The means change every so many samples.
const PIECE: usize = 64;
/// Before so many samples the means are too rough.
const LEAST: usize = 1024;
/// The most that `sin φ` and `g` may be.
const MOST_SINE: f64 = 0.5;
const MOST_GAIN: f64 = 4.0;

#[declare(
    category = "channels",
    summary = "Finds the imbalance of I and Q by itself and takes it away.",
    ports(input("in", "C32", "x"), output("out", "C32", "x without its image"))
)]
impl IqCorrection {
    /// Means over this many samples.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless `length` is 1024 to 2³⁰.
    pub fn new(
        /// Over how many samples the means forget.
        #[param(unit = "samples", kind = Kind::Integer(LEAST as i64, 1 << 30), default = 65536)]
        length: usize,
    ) -> Result<Self, Error> {
        let fits = (LEAST..=1 << 30).contains(&length);
        check(fits, "length", "a whole number from 1024 to 1073741824", length as f64)?;
        Ok(IqCorrection {
            length,
            means: [0.0; 5],
            samples: 0,
            sums: [0.0; 5],
            place: 0,
            of_q: 1.0,
            of_i: 0.0,
        })
    }

    /// Adds up samples of one piece.
    fn add(&mut self, x: &[C32]) {
        let mut sums = self.sums;
        for x in x {
            sums[0] += x.re;
            sums[1] += x.im;
            sums[2] += x.re * x.re;
            sums[3] += x.im * x.im;
            sums[4] += x.re * x.im;
        }
        self.sums = sums;
        self.place += x.len();
        if self.place == PIECE {
            self.place = 0;
            self.renew();
        }
    }

    /// A piece is whole: the means take it.
    fn renew(&mut self) {
        let sums = std::mem::take(&mut self.sums).map(f64::from);
        if !sums.iter().all(|sum| sum.is_finite()) {
            return;
        }
        self.samples = (self.samples + PIECE).min(self.length);
        let share = PIECE as f64 / self.samples as f64;
        for (mean, sum) in self.means.iter_mut().zip(sums) {
            *mean += share.min(1.0) * (sum / PIECE as f64 - *mean);
        }
        let [i, q, ii, qq, iq] = self.means;
        let (ii, qq, iq) = (ii - i * i, qq - q * q, iq - i * q);
        if self.samples < LEAST || !(ii > 0.0 && qq > 0.0) {
            return;
        }
        let gain = (qq / ii).sqrt().clamp(1.0 / MOST_GAIN, MOST_GAIN);
        let sine = (-iq / (ii * qq).sqrt()).clamp(-MOST_SINE, MOST_SINE);
        let cosine = (1.0 - sine * sine).sqrt();
        (self.of_q, self.of_i) = ((1.0 / (gain * cosine)) as f32, (sine / cosine) as f32);
    }
}

impl SyncBlock for IqCorrection {
    type In = C32;
    type Out = C32;

    fn process(&mut self, mut x: &[C32], mut y: &mut [C32]) {
        while !x.is_empty() {
            let n = x.len().min(PIECE - self.place);
            let (piece, given) = (&x[..n], &mut y[..n]);
            let (of_q, of_i) = (self.of_q, self.of_i);
            piece.iter().zip(given).for_each(|(x, y)| *y = C32::new(x.re, of_q * x.im + of_i * x.re));
            self.add(piece);
            (x, y) = (&x[n..], &mut y[n..]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channels::IqImbalance;
    use crate::sources::Noise;
    use crate::sources::noise_source::NoiseItem;
    use crate::sources::random::Random;
    use crate::testing::complex_noise;
    use superhet_runtime::harness;

    /// By how many dB the image lies below the signal: the part of `y` along `x*` beside that along `x`.
    fn rejection_db(x: &[C32], y: &[C32]) -> f64 {
        let part = |conjugated: bool| {
            let sum = |with: fn(C32) -> C32| -> superhet_runtime::C64 {
                let product = |(x, y): (&C32, &C32)| y * with(*x).conj();
                x.iter()
                    .zip(y)
                    .map(product)
                    .map(|p| superhet_runtime::C64::new(p.re.into(), p.im.into()))
                    .sum()
            };
            if conjugated { sum(|x| x.conj()) } else { sum(|x| x) }.norm()
        };
        20.0 * (part(false) / part(true)).log10()
    }

    #[test]
    fn the_image_is_more_than_40_db_down_at_any_imbalance() {
        // Symbols of QPSK, whose own image is none, in noise and with a constant part.
        let mut random = Random::new(4);
        let signal: Vec<C32> = (0..400_000)
            .map(|_| {
                let quarter = random.below(4) as f32;
                let symbol = C32::from_polar(1.0, std::f32::consts::FRAC_PI_2 * (quarter + 0.5));
                symbol + C32::draw(Noise::Gaussian, 0.1, &mut random)
            })
            .collect();
        let own = rejection_db(&signal[200_000..], &signal[200_000..]);
        for (magnitude, phase) in [(0.5, 2.0), (-3.0, 10.0), (1.0, -20.0), (0.0, 0.0), (8.0, 1.0)] {
            let mut spoilt: Vec<C32> =
                harness::run(IqImbalance::new(magnitude, phase, false).unwrap(), &signal);
            let before = rejection_db(&signal[200_000..], &spoilt[200_000..]);
            spoilt.iter_mut().for_each(|x| *x += C32::new(0.1, -0.2));
            let y: Vec<C32> = harness::run(IqCorrection::new(65536).unwrap(), &spoilt);
            // The constant part is none of the image.
            let constant = y.iter().sum::<C32>() / y.len() as f32;
            let y: Vec<C32> = y.iter().map(|y| y - constant).collect();
            let after = rejection_db(&signal[200_000..], &y[200_000..]);
            assert!(
                after > 40.0,
                "{magnitude} dB, {phase}°: {after} dB, {before} dB before, {own} dB itself"
            );
        }
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(|| IqCorrection::new(1024).unwrap(), &complex_noise(3000));
        assert!(IqCorrection::new(1023).is_err());
    }

    #[test]
    fn what_is_not_finite_and_what_has_one_part_alone_leave_it_sane() {
        let mut x = complex_noise(8000);
        (x[100], x[4000]) = (C32::new(f32::NAN, 1.0), C32::new(f32::INFINITY, 1.0));
        let y: Vec<C32> = harness::run(IqCorrection::new(1024).unwrap(), &x);
        assert!(y[4001..].iter().all(|y| y.is_finite()));
        let real = vec![C32::ONE; 5000];
        assert_eq!(harness::run(IqCorrection::new(1024).unwrap(), &real), real);
    }
}
