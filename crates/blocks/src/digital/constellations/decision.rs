//! Decisions about many samples: for each point in turn, of a group of samples at once.
//!
//! Loops over lanes, and no `map` nor `from_fn` of arrays: where those are compiled for any processor, they stay calls, and vectors
//! go through memory.

use superhet_kernels::{Machine, Routine, item};
use superhet_runtime::C32;

/// Samples of a group.
const GROUP: usize = 16;

/// The most bits of a symbol.
const MOST_BITS: usize = 16;

/// Real and imaginary parts of a group; those that it lacks are zeros.
#[inline(always)]
fn parts(samples: &[C32]) -> [[f32; GROUP]; 2] {
    let mut parts = [[0.0; GROUP]; 2];
    for (lane, sample) in samples.iter().take(GROUP).enumerate() {
        (parts[0][lane], parts[1][lane]) = (sample.re, sample.im);
    }
    parts
}

/// The symbol of the nearest of at most 256 points to each sample, the first of several that are.
pub(super) struct Decide<'a> {
    pub points: &'a [C32],
    pub samples: &'a [C32],
    pub symbols: &'a mut [u8],
}

impl Routine for Decide<'_> {
    type Output = ();

    #[inline(always)]
    fn run<M: Machine>(self) {
        match self.points.first_chunk::<4>() {
            // As many as are usual stay in registers.
            Some(points) if self.points.len() == 4 => decide(points, self.samples, self.symbols),
            _ => decide(self.points, self.samples, self.symbols),
        }
    }
}

#[inline(always)]
fn decide(points: &[C32], samples: &[C32], symbols: &mut [u8]) {
    for (samples, symbols) in samples.chunks(GROUP).zip(symbols.chunks_mut(GROUP)) {
        let [re, im] = parts(samples);
        let (mut least, mut nearest) = ([f32::INFINITY; GROUP], [0i32; GROUP]);
        for (symbol, point) in points.iter().enumerate() {
            for lane in 0..GROUP {
                let (x, y) = (re[lane] - point.re, im[lane] - point.im);
                let distance = x * x + y * y;
                let is_less = distance < least[lane];
                least[lane] = if is_less { distance } else { least[lane] };
                nearest[lane] = if is_less { symbol as i32 } else { nearest[lane] };
            }
        }
        let nearest = nearest.map(|symbol| symbol as u8);
        match symbols.first_chunk_mut::<GROUP>() {
            Some(symbols) => *symbols = nearest,
            None => symbols.copy_from_slice(&nearest[..symbols.len()]),
        }
    }
}

/// The soft decision for each bit of each sample, as [`soft`](super::Constellation::soft) says.
pub(super) struct Soft<'a> {
    pub points: &'a [C32],
    /// The label of each point; empty where that is its place.
    pub labels: &'a [u32],
    pub samples: &'a [C32],
    /// Bits of a sample, at most [`MOST_BITS`].
    pub width: usize,
    pub bits: &'a mut [f32],
}

impl Routine for Soft<'_> {
    type Output = ();

    #[inline(always)]
    fn run<M: Machine>(self) {
        let Soft { points, labels, samples, width, bits } = self;
        for (samples, bits) in samples.chunks(GROUP).zip(bits.chunks_mut(GROUP * width)) {
            // Of what is further away no point is the nearest, and squares stay finite.
            let [mut re, mut im] = parts(samples);
            for part in re.iter_mut().chain(&mut im) {
                *part = item::clamp_f32(*part, -1e18, 1e18);
            }
            let mut nearest = [f32::INFINITY; GROUP];
            for point in points {
                let distances = distances(&re, &im, point);
                for lane in 0..GROUP {
                    nearest[lane] =
                        if distances[lane] < nearest[lane] { distances[lane] } else { nearest[lane] };
                }
            }
            let mut sums = [[[0.0f32; GROUP]; 2]; MOST_BITS];
            for (place, point) in points.iter().enumerate() {
                let label = labels.get(place).map_or(place, |label| *label as usize);
                let mut terms = distances(&re, &im, point);
                for lane in 0..GROUP {
                    terms[lane] = item::exp(nearest[lane] - terms[lane]);
                }
                for (bit, sums) in sums[..width].iter_mut().enumerate() {
                    let sums = &mut sums[label >> (width - 1 - bit) & 1];
                    for lane in 0..GROUP {
                        sums[lane] += terms[lane];
                    }
                }
            }
            for (bit, sums) in sums[..width].iter().enumerate() {
                let mut soft = [0.0f32; GROUP];
                for lane in 0..GROUP {
                    soft[lane] = item::ln(sums[1][lane]) - item::ln(sums[0][lane]);
                }
                bits.iter_mut().skip(bit).step_by(width).zip(soft).for_each(|(y, soft)| *y = soft);
            }
        }
    }
}

/// How far a point is from each sample of a group.
#[inline(always)]
fn distances(re: &[f32; GROUP], im: &[f32; GROUP], point: &C32) -> [f32; GROUP] {
    let mut distances = [0.0; GROUP];
    for lane in 0..GROUP {
        let (x, y) = (re[lane] - point.re, im[lane] - point.im);
        distances[lane] = (x * x + y * y).sqrt();
    }
    distances
}

#[cfg(test)]
mod tests {
    use crate::digital::Constellation;
    use crate::testing::complex_noise;

    #[test]
    fn many_samples_are_decided_softly_as_the_formula_says() {
        for name in ["bpsk", "qpsk", "8psk", "16qam"] {
            let constellation = Constellation::named(name).unwrap();
            let (samples, width) = (complex_noise(100), constellation.bits_per_symbol());
            let mut bits = vec![0.0; 100 * width];
            constellation.soft_each(&samples, width, &mut bits);
            for (sample, bits) in samples.iter().zip(bits.chunks(width)) {
                for (place, bit) in bits.iter().enumerate() {
                    let mut sums = [0.0f64; 2];
                    for (label, point) in constellation.points().iter().enumerate() {
                        let distance = f64::from(sample.re - point.re).hypot(f64::from(sample.im - point.im));
                        sums[label >> (width - 1 - place) & 1] += (-distance).exp();
                    }
                    let wanted = sums[1].ln() - sums[0].ln();
                    assert!((f64::from(*bit) - wanted).abs() < 1e-5, "{name}: {bit}, wanted {wanted}");
                }
            }
        }
    }
}
