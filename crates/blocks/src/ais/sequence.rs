//! The likeliest bits of GMSK as AIS has it, out of one value of its frequency for each.

/// The frequency of a symbol in deviations, behind AIS's filters, by a symbol's own bit and by each of the two beside it: the means of
/// a signal of ITU-R M.1371 with BT 0.4, through the filters of the receiver `ais`.
const OWN: f32 = 0.69;
const BESIDE: f32 = 0.17;
/// By which part of an error the carrier's offset moves: in the 32 symbols before a frame it comes within a quarter of what it was off.
const OFFSET_GAIN: f32 = 0.04;
/// The largest offset, in deviations: 960 Hz, where a station may have 500.
const LARGEST_OFFSET: f32 = 0.4;
/// Larger errors are noise between bursts, or clicks.
const LARGEST_ERROR: f32 = 1.0;
/// How many symbols later a bit is told.
const DEPTH: u32 = 16;

/// A way to the two last bits.
#[derive(Clone, Copy, Debug, Default)]
struct Path {
    cost: f32,
    /// How far the carrier is off on this way.
    offset: f32,
    /// Its bits, the last lowest.
    bits: u32,
}

/// Viterbi's search through the four states that two bits are: the way with the least squared errors, each with its own offset
/// of the carrier.
///
/// # Source
/// G. D. Forney, Maximum-likelihood sequence estimation of digital sequences in the presence of intersymbol interference, IEEE
/// Transactions on Information Theory 18, 1972; R. Raheli, A. Polydoros, C. Tzou, Per-survivor processing, IEEE Transactions on
/// Communications 43, 1995.
#[derive(Clone, Debug, Default)]
pub(super) struct Sequence([Path; 4]);

impl Sequence {
    /// How many symbols before the one whose frequency was given last a bit is of.
    pub const DELAY: u32 = DEPTH - 1;

    /// Takes the frequency of a symbol, in deviations; the bit of the symbol `DELAY` before it.
    pub fn take(&mut self, frequency: f32) -> u8 {
        let frequency = if frequency.is_finite() { frequency } else { 0.0 };
        let level = |bit: usize| bit as f32 * 2.0 - 1.0;
        let mut next = [Path { cost: f32::MAX, ..Path::default() }; 4];
        for (state, path) in self.0.iter().enumerate() {
            let (before, own) = (level(state >> 1), level(state & 1));
            for bit in 0..2 {
                let expected = path.offset + OWN * own + BESIDE * (before + level(bit));
                let error = (frequency - expected).clamp(-LARGEST_ERROR, LARGEST_ERROR);
                let cost = path.cost + error * error;
                let to = &mut next[(state & 1) << 1 | bit];
                if cost < to.cost {
                    let offset = (path.offset + OFFSET_GAIN * error).clamp(-LARGEST_OFFSET, LARGEST_OFFSET);
                    *to = Path { cost, offset, bits: path.bits << 1 | bit as u32 };
                }
            }
        }
        let best = *next.iter().min_by(|a, b| a.cost.total_cmp(&b.cost)).unwrap_or(&next[0]);
        next.iter_mut().for_each(|path| path.cost -= best.cost);
        self.0 = next;
        (best.bits >> DEPTH & 1) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::noise;

    /// Bits, and what they make of the frequency with an offset and noise.
    fn frequencies(offset: f32, level: f32) -> (Vec<u8>, Vec<f32>) {
        let random: Vec<u8> = noise(400).into_iter().map(|x| u8::from(x > 0.0)).collect();
        let bits: Vec<u8> = (0..40).map(|n| (n / 2 % 2) as u8).chain(random).collect();
        let at = |n: usize| f32::from(bits[n.min(bits.len() - 1)]) * 2.0 - 1.0;
        let frequency = |n: usize| offset + OWN * at(n) + BESIDE * (at(n.saturating_sub(1)) + at(n + 1));
        let noise = noise(800).split_off(360);
        let frequencies = (0..bits.len()).map(|n| frequency(n) + level * noise[n]).collect();
        (bits, frequencies)
    }

    #[test]
    fn bits_are_right_where_a_slicer_has_them_wrong() {
        for offset in [-0.2, 0.0, 0.2] {
            let (bits, frequencies) = frequencies(offset, 0.5);
            let sliced =
                frequencies.iter().zip(&bits).filter(|(x, bit)| u8::from(**x > offset) != **bit).count();
            let mut sequence = Sequence::default();
            let got: Vec<u8> = frequencies.iter().map(|x| sequence.take(*x)).collect();
            let wrong = (40..bits.len() - Sequence::DELAY as usize)
                .filter(|n| got[n + Sequence::DELAY as usize] != bits[*n])
                .count();
            assert!(
                sliced > 5 && wrong == 0,
                "offset {offset}: {sliced} sliced wrong, {wrong} of the sequence"
            );
        }
    }

    #[test]
    fn what_is_no_number_does_no_harm() {
        let mut sequence = Sequence::default();
        for strange in [f32::NAN, f32::INFINITY, f32::MAX, f32::MIN] {
            sequence.take(strange);
        }
        let (bits, frequencies) = frequencies(0.0, 0.0);
        let got: Vec<u8> = frequencies.iter().map(|x| sequence.take(*x)).collect();
        assert_eq!(got[100..], bits[100 - Sequence::DELAY as usize..bits.len() - Sequence::DELAY as usize]);
    }
}
