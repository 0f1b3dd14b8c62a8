//! The soft bits of a message at a place that is known roughly.

use superhet_fft::Complex32;

use super::code::CODE_BITS;
use super::mode::Mode;

/// Samples of a symbol at the rate that a message is demodulated at.
pub const SYMBOL: usize = 32;

/// The tones of each symbol of a message, as complex amplitudes.
pub struct Tones {
    pub mode: Mode,
    pub amplitudes: Vec<[Complex32; 8]>,
    /// Samples from the start that was looked for, and cycles per sample from its frequency.
    pub start: isize,
    pub shift: f32,
    /// Of each synchronisation pattern the symbols whose strongest tone is the right one, most first.
    synced: Vec<usize>,
}

/// A tone's samples over a symbol, turned the other way, `shift` cycles per sample higher.
fn reference(tone: usize, shift: f32) -> [Complex32; SYMBOL] {
    std::array::from_fn(|n| {
        let cycles = (tone as f64 / SYMBOL as f64 + f64::from(shift)) * n as f64;
        let (sin, cos) = (std::f64::consts::TAU * cycles).sin_cos();
        Complex32::new(cos as f32, -sin as f32)
    })
}

fn correlate(samples: &[Complex32], start: isize, reference: &[Complex32; SYMBOL]) -> Complex32 {
    match usize::try_from(start).ok().and_then(|start| samples.get(start..start + SYMBOL)) {
        Some(samples) => samples.iter().zip(reference).map(|(sample, reference)| sample * reference).sum(),
        None => Complex32::default(),
    }
}

/// The power of the synchronisation symbols of a message that begins at a sample, with these samples of its tones: of each alone, or
/// of each pattern's symbols, added with their phases.
fn sync_power(
    mode: Mode,
    samples: &[Complex32],
    start: isize,
    shift: f32,
    references: &[[Complex32; SYMBOL]],
    is_coherent: bool,
) -> f32 {
    let mut power = 0.0;
    for (first, tones) in mode.sync() {
        let mut sum = Complex32::default();
        for (n, tone) in tones.iter().enumerate() {
            let at = start + ((first + n) * SYMBOL) as isize;
            let amplitude = correlate(samples, at, &references[usize::from(*tone)]);
            if is_coherent {
                sum += amplitude * turn(shift, n * SYMBOL);
            } else {
                power += amplitude.norm_sqr();
            }
        }
        power += sum.norm_sqr();
    }
    power
}

/// What undoes a shift by so many samples.
fn turn(shift: f32, samples: usize) -> Complex32 {
    let turns = (f64::from(shift) * samples as f64).fract();
    let (sin, cos) = (std::f64::consts::TAU * turns).sin_cos();
    Complex32::new(cos as f32, -sin as f32)
}

impl Tones {
    /// Finds the exact start and frequency near a sample and 0 Hz, and takes the tones of each symbol.
    pub fn find(mode: Mode, samples: &[Complex32], near: isize) -> Tones {
        let best = |starts: &[isize], shifts: &[f32], is_coherent: bool| {
            let mut best = (starts[0], shifts[0], -1.0);
            for &shift in shifts {
                let references: Vec<_> = (0..mode.tones()).map(|tone| reference(tone, shift)).collect();
                for &start in starts {
                    let power = sync_power(mode, samples, start, shift, &references, is_coherent);
                    if power > best.2 {
                        best = (start, shift, power);
                    }
                }
            }
            (best.0, best.1)
        };
        let starts = |around: isize, reach: isize| (around - reach..=around + reach).collect::<Vec<_>>();
        // In parts of the distance between tones.
        let shifts = |around: f32, reach: i32, parts: f32| -> Vec<f32> {
            (-reach..=reach).map(|n| around + n as f32 / (parts * SYMBOL as f32)).collect()
        };
        let (start, _) = best(&starts(near, SYMBOL as isize / 4 + 2), &[0.0], false);
        let (start, shift) = best(&starts(start, 1), &shifts(0.0, 6, 16.0), false);
        let (start, _) = best(&starts(start, 4), &[shift], false);
        let (start, shift) = best(&starts(start, 3), &shifts(shift, 4, 64.0), true);
        Tones::at(mode, samples, start, shift)
    }

    /// The tones of each symbol of a message that begins at a sample.
    pub fn at(mode: Mode, samples: &[Complex32], start: isize, shift: f32) -> Tones {
        let references: Vec<_> = (0..mode.tones()).map(|tone| reference(tone, shift)).collect();
        let mut amplitudes = vec![[Complex32::default(); 8]; mode.symbols()];
        for (symbol, amplitudes) in amplitudes.iter_mut().enumerate() {
            let first = symbol * SYMBOL;
            // The phase goes on from symbol to symbol.
            let turn = turn(shift, first);
            for (amplitude, reference) in amplitudes.iter_mut().zip(&references) {
                *amplitude = correlate(samples, start + first as isize, reference) * turn;
            }
        }
        let is_strongest = |symbol: usize, tone: u8| {
            let powers = amplitudes[symbol].map(|amplitude| amplitude.norm_sqr());
            let strongest = (0..mode.tones()).max_by(|a, b| powers[*a].total_cmp(&powers[*b]));
            strongest == Some(usize::from(tone)) && powers[usize::from(tone)] > 0.0
        };
        let patterns = mode.sync().iter();
        let mut synced: Vec<usize> = patterns
            .map(|(first, tones)| {
                tones.iter().enumerate().filter(|&(n, &tone)| is_strongest(first + n, tone)).count()
            })
            .collect();
        synced.sort_unstable_by(|a, b| b.cmp(a));
        Tones { mode, amplitudes, start, shift, synced }
    }

    /// Synchronisation symbols whose strongest tone is the right one.
    pub fn synced(&self) -> usize {
        self.synced.iter().sum()
    }

    /// Whether this may be a message: three of seven synchronisation symbols are right, and as many of two patterns. Where a message is
    /// taken for one that begins a pattern earlier or later, one pattern is right, and half of the bits is noise that makes any message of
    /// the other half.
    pub fn may_be_message(&self) -> bool {
        let pattern = self.mode.sync()[0].1.len();
        self.synced() * 7 >= self.mode.sync_symbols() * 3 && self.synced[1] * 7 >= pattern * 3
    }

    /// Soft bits, positive for 1, from the amplitudes of so many symbols together.
    pub fn soft(&self, together: usize) -> [f32; CODE_BITS] {
        let (mode, bits) = (self.mode, self.mode.bits());
        let mut soft = Vec::with_capacity(CODE_BITS);
        let data = mode.data();
        // Runs of data between the synchronisation patterns.
        for run in data.chunk_by(|a, b| a + 1 == *b) {
            for group in run.chunks(together) {
                let amplitude =
                    |symbol: usize, value: usize| self.amplitudes[symbol][usize::from(mode.gray()[value])];
                // The sums for each value of the bits of a group, the first symbol's highest.
                let mut sums = vec![Complex32::default()];
                for &symbol in group {
                    sums = sums
                        .iter()
                        .flat_map(|sum| (0..mode.tones()).map(move |value| sum + amplitude(symbol, value)))
                        .collect();
                }
                let levels: Vec<f32> = sums.iter().map(|sum| sum.norm()).collect();
                for bit in (0..group.len() * bits).rev() {
                    let (mut zero, mut one) = (0.0f32, 0.0f32);
                    for (value, level) in levels.iter().enumerate() {
                        if value >> bit & 1 == 1 {
                            one = one.max(*level);
                        } else {
                            zero = zero.max(*level);
                        }
                    }
                    soft.push(one - zero);
                }
            }
        }
        let mut soft: [f32; CODE_BITS] = soft.try_into().expect("as many bits as a code word has");
        scale(&mut soft);
        soft
    }
}

/// Makes soft bits as large as belief propagation wants them: it works best on those of a spread of 2.8.
fn scale(soft: &mut [f32; CODE_BITS]) {
    let mean = soft.iter().map(|soft| soft * soft).sum::<f32>() / CODE_BITS as f32;
    let factor = if mean > 0.0 { 2.83 / mean.sqrt() } else { 0.0 };
    soft.iter_mut().for_each(|soft| *soft *= factor);
}
