//! From magnitudes to bits, when the samples do not line up with the pulses.
//!
//! A bit is two halves of 0.5 µs, one with a pulse and one without: `10` for a one, `01` for a zero. Samples that
//! straddle two halves see part of the neighbour's pulse. Since a message has one carrier, magnitudes add up, so
//! a half is modelled as
//!
//! ```text
//! y[k] = floor + pulse · (h[k] + late · h[k-1] + early · h[k+1]),   h ∈ {0, 1}
//! ```
//!
//! Deciding each bit by `y[2i] > y[2i+1]` fails once `late` or `early` nears 1. What a sample gets from its
//! neighbours depends only on the bits before and after, so the likeliest message is the cheapest path through
//! two states (the last bit was 0 or 1), found by the Viterbi algorithm; the cost is the squared difference from
//! the model.

/// Halves of the preamble: 8 µs.
pub(super) const PREAMBLE: usize = 16;

/// Bits after which it is decided whether to go on.
const EARLY_BITS: usize = 28;

/// The cost beyond which what has been read is noise or another kind of signal.
const MAX_EARLY_COST: f32 = 0.3;

/// How much of a pulse the samples beside it get, relative to the sample in the middle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spill {
    pub early: f32,
    pub late: f32,
}

/// The levels that a message is measured against.
#[derive(Debug, Clone, Copy)]
pub(super) struct Levels {
    /// Mean magnitude where no pulse is.
    pub floor: f32,
    /// Magnitude of a pulse above the floor, in the sample it is centred on.
    pub pulse: f32,
}

/// The bits of a message and how far the samples are from them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sliced {
    /// First bit sent = most significant bit of the lowest `count`.
    bits: u128,
    /// 56 or 112.
    count: usize,
    /// Mean squared difference from the model, relative to the squared pulse.
    pub cost: f32,
}

impl Sliced {
    /// `count` bits, if that is how long messages of their format are and the cost is a number.
    pub fn of(bits: u128, count: usize, cost: f32) -> Option<Self> {
        (bits_of(bits >> (count - 5)) == Some(count) && cost.is_finite()).then_some(Self {
            bits,
            count,
            cost,
        })
    }

    /// The bits, the first one as the most significant of `count`, and `count`.
    pub fn bits(&self) -> (u128, usize) {
        (self.bits, self.count)
    }

    /// The message in the first 7 or 14 bytes.
    pub fn bytes(&self) -> ([u8; 14], usize) {
        let all = (self.bits << (128 - self.count)).to_be_bytes();
        let mut bytes = [0; 14];
        bytes.copy_from_slice(&all[..14]);
        (bytes, self.count / 8)
    }
}

/// Survivors of the search: the cheapest path that ends in each state.
#[derive(Clone, Copy)]
struct Paths {
    cost: [f32; 2],
    bits: [u128; 2],
}

/// How long a message of a downlink format is, if there is such a format.
fn bits_of(format: u128) -> Option<usize> {
    match format {
        0 | 4 | 5 | 11 => Some(56),
        16 | 17 | 18 | 20 | 21 | 24..32 => Some(112),
        _ => None,
    }
}

/// Reads the message whose preamble starts at `halves[0]` by comparing the two halves of each bit.
///
/// The cost is the part of all magnitudes that speaks for neither value. `None` if there is no such format or
/// the message is not wholly in `halves`.
pub(super) fn compare(halves: &[f32], stride: usize) -> Option<Sliced> {
    let mut bits = 0u128;
    let (mut apart, mut all) = (0.0, 0.0);
    let mut read = |from: usize, to: usize| {
        let halves = halves.get((PREAMBLE + 2 * from) * stride..(PREAMBLE + 2 * to - 1) * stride + 1)?;
        for bit in halves.chunks(2 * stride) {
            let (first, second) = (bit[0], bit[stride]);
            bits = bits << 1 | u128::from(first > second);
            apart += (first - second).abs();
            all += first + second;
        }
        Some((bits, apart, all))
    };
    let (format, ..) = read(0, 5)?;
    let count = bits_of(format)?;
    let (bits, apart, all) = read(5, count)?;
    let cost = 1.0 - apart / all;
    cost.is_finite().then_some(Sliced { bits, count, cost })
}

/// Reads the message whose preamble starts at `halves[0]`, one half every `stride` entries.
///
/// `None` if the message is not wholly in `halves`, if its format is none of Mode S, or if the cost is no number.
pub(super) fn likeliest(halves: &[f32], stride: usize, levels: Levels, spill: Spill) -> Option<Sliced> {
    let Levels { floor, pulse } = levels;
    let one = |yes: bool| if yes { 1.0 } else { 0.0 };
    // first[a][b]: level of the first half of a bit b after a bit a; second[a][b]: of the second half of a before b.
    let level =
        |h: f32, before: f32, after: f32| floor + pulse * (h + spill.late * before + spill.early * after);
    let mut first = [[0.0; 2]; 2];
    let mut second = [[0.0; 2]; 2];
    for a in [0, 1] {
        for b in [0, 1] {
            first[a][b] = level(one(b == 1), one(a == 0), one(b == 0));
            second[a][b] = level(one(a == 0), one(a == 1), one(b == 1));
        }
    }
    let square = |x: f32| x * x;
    let half = |k: usize| halves.get((PREAMBLE + k) * stride).copied();

    // The preamble ends without a pulse, as a one does.
    let y = half(0)?;
    let mut paths = Paths { cost: [square(y - first[1][0]), square(y - first[1][1])], bits: [0, 1] };
    let mut last = half(1)?;
    let mut done = 1;
    loop {
        let end = match done {
            ..EARLY_BITS => EARLY_BITS,
            EARLY_BITS..56 => 56,
            _ => 112,
        };
        while done < end {
            let y = half(2 * done)?;
            let mut next = paths;
            for b in [0, 1] {
                let through =
                    |a: usize| paths.cost[a] + square(last - second[a][b]) + square(y - first[a][b]);
                let (zero, one) = (through(0), through(1));
                let (cost, a) = if one < zero { (one, 1) } else { (zero, 0) };
                next.cost[b] = cost;
                next.bits[b] = paths.bits[a] << 1 | b as u128;
            }
            paths = next;
            last = half(2 * done + 1)?;
            done += 1;
        }
        let so_far = paths.cost[0].min(paths.cost[1]) / (2 * done) as f32 / square(pulse);
        if done == EARLY_BITS {
            if so_far > MAX_EARLY_COST {
                return None;
            }
            continue;
        }
        // Nothing is sent after the last bit, so no early pulse of the next bit reaches its second half.
        let ends = [0, 1].map(|a: usize| paths.cost[a] + square(last - level(one(a == 0), one(a == 1), 0.0)));
        let best = usize::from(ends[1] < ends[0]);
        let bits = paths.bits[best];
        let format = bits >> (done - 5);
        let count = bits_of(format)?;
        if done >= count {
            let cost = ends[best] / (2 * count) as f32 / square(pulse);
            // A change of mind about the format between bit 56 and 112 leaves no message of either length.
            return (done == count && cost.is_finite()).then_some(Sliced { bits, count, cost });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESSAGE: [u8; 14] =
        [0x8D, 0x48, 0x40, 0xD6, 0x20, 0x2C, 0xC3, 0x71, 0xC3, 0x2C, 0xE0, 0x57, 0x60, 0x98];

    /// A message as the model of this file has it.
    fn halves(message: &[u8], levels: Levels, spill: Spill) -> Vec<f32> {
        let mut pulses = vec![0.0; PREAMBLE + 1];
        for at in [0, 2, 7, 9] {
            pulses[at + 1] = 1.0;
        }
        for bit in message.iter().flat_map(|b| (0..8).rev().map(move |k| b >> k & 1)) {
            pulses.extend(if bit == 1 { [1.0, 0.0] } else { [0.0, 1.0] });
        }
        pulses.push(0.0);
        let level = |w: &[f32]| levels.floor + levels.pulse * (w[1] + spill.late * w[0] + spill.early * w[2]);
        pulses.windows(3).map(level).collect()
    }

    #[test]
    fn spill_into_the_neighbouring_sample_is_taken_back() {
        let levels = Levels { floor: 0.05, pulse: 0.4 };
        for (early, late) in [(0.0, 0.0), (0.0, 0.9), (0.9, 0.0), (0.3, 0.4)] {
            let spill = Spill { early, late };
            let sliced = likeliest(&halves(&MESSAGE, levels, spill), 1, levels, spill).unwrap();
            assert_eq!(sliced.bytes(), (MESSAGE, 14));
            assert!(sliced.cost < 1e-9);
        }
    }

    #[test]
    fn a_message_cut_short_is_no_message() {
        let levels = Levels { floor: 0.0, pulse: 1.0 };
        let spill = Spill { early: 0.0, late: 0.0 };
        let whole = halves(&MESSAGE, levels, spill);
        assert_eq!(whole.len(), PREAMBLE + 224);
        assert!(likeliest(&whole, 1, levels, spill).is_some());
        assert!(likeliest(&whole[..whole.len() - 1], 1, levels, spill).is_none());
    }

    #[test]
    fn samples_that_are_no_numbers_give_no_message() {
        let levels = Levels { floor: 0.0, pulse: 1.0 };
        let spill = Spill { early: 0.0, late: 0.5 };
        for value in [f32::NAN, f32::INFINITY, f32::MAX] {
            assert!(likeliest(&[value; 240], 1, levels, spill).is_none());
        }
    }
}
