//! Speech as bytes of 8 bits: the two laws of G.711.

use superhet_runtime::Pure;

/// Which of the two laws of G.711.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    /// A-law: Europe.
    A,
    /// µ-law: North America and Japan.
    Mu,
}

/// 16-bit samples to codes of G.711: a sign, a power of two, and 4 bits of what is beyond it.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `i16` | full scale = 32768 |
/// | out `out` | `u8` | code |
///
/// GNU Radio's A-law gives 896 negative samples, the last 7 of each step, the code of the next.
///
/// # Source
/// ITU-T G.711, tables 1 and 2; the steps at 16 bits as in G.191's `alaw_compress` and `ulaw_compress`.
///
/// ```
/// use superhet_blocks::convert::{G711Encode, Law};
/// use superhet_runtime::harness;
///
/// assert_eq!(harness::run(G711Encode(Law::Mu), &[0, 1000, -1000]), [0xff, 0xce, 0x4e]);
/// assert_eq!(harness::run(G711Encode(Law::A), &[0, 1000, -1000]), [0xd5, 0xfa, 0x7a]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct G711Encode(
    /// The law.
    pub Law,
);

/// Codes of G.711 to 16-bit samples: the middles of the steps.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `u8` | code |
/// | out `out` | `i16` | full scale = 32768 |
///
/// # Source
/// ITU-T G.711, tables 1 and 2.
///
/// ```
/// use superhet_blocks::convert::{G711Decode, Law};
/// use superhet_runtime::harness;
///
/// assert_eq!(harness::run(G711Decode(Law::Mu), &[0xff, 0xce, 0x4e]), [0, 988, -988]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct G711Decode(
    /// The law.
    pub Law,
);

fn encode(law: Law, x: i16) -> u8 {
    let is_negative = x < 0;
    match law {
        Law::Mu => {
            let level = u32::from(x.unsigned_abs()).min(32_635) + 132;
            let power = level.ilog2() - 7;
            let code = power << 4 | (level >> (power + 3) & 15);
            !(u8::from(is_negative) << 7 | code as u8)
        }
        Law::A => {
            let level = (if is_negative { !x } else { x }) as u32 >> 3;
            let power = (level | 16).ilog2() - 4;
            let code = power << 4 | (level >> power.max(1) & 15);
            (u8::from(!is_negative) << 7 | code as u8) ^ 0x55
        }
    }
}

fn decode(law: Law, code: u8) -> i16 {
    let parts = |code: u8| (i16::from(code >> 4 & 7), i16::from(code & 15));
    match law {
        Law::Mu => {
            let (power, rest) = parts(!code);
            let level = ((2 * rest + 33) << (power + 2)) - 132;
            if code & 0x80 == 0 { -level } else { level }
        }
        Law::A => {
            let code = code ^ 0x55;
            let (power, rest) = parts(code);
            let level = if power == 0 { 2 * rest + 1 } else { (2 * rest + 33) << (power - 1) };
            if code & 0x80 == 0 { -8 * level } else { 8 * level }
        }
    }
}

macro_rules! one_by_one {
    ($($block:ident: $in:ty => $out:ty, $f:ident;)+) => {$(
        impl Pure for $block {
            type In = $in;
            type Out = $out;

            fn map(&self, x: &[$in], y: &mut [$out]) {
                y.iter_mut().zip(x).for_each(|(y, &x)| *y = $f(self.0, x));
            }
        }
    )+};
}
one_by_one! {
    G711Encode: i16 => u8, encode;
    G711Decode: u8 => i16, decode;
}

#[cfg(test)]
mod tests {
    use super::*;
    use superhet_runtime::harness;

    #[test]
    fn every_code_comes_back_and_every_sample_nearly() {
        for law in [Law::A, Law::Mu] {
            for code in 0..=255u8 {
                // µ-law has two zeros.
                let is_minus_zero = law == Law::Mu && code == 0x7f;
                assert!(is_minus_zero || encode(law, decode(law, code)) == code, "{law:?} {code}");
            }
            let heard: Vec<i16> = (i16::MIN..=i16::MAX).map(|x| decode(law, encode(law, x))).collect();
            assert!(heard.is_sorted(), "{law:?}");
            for (x, level) in (i32::from(i16::MIN)..).zip(heard) {
                // Half a step is a 32nd of the level, or less.
                assert!((x - i32::from(level)).abs() <= (x.abs() + 132) / 32 + 8, "{law:?} {x}: {level}");
            }
        }
    }

    #[test]
    fn codes_are_those_of_gnu_radio() {
        let x = [-32768, -30774, -5, 0, 7, 130, 1000, 4000, 32767];
        assert_eq!(x.map(|x| encode(Law::Mu, x)), [0, 1, 126, 255, 254, 239, 206, 175, 128]);
        assert_eq!([0, 1, 127, 128, 200].map(|code| decode(Law::Mu, code)), [-32124, -31100, 0, 32124, 1372]);
        assert_eq!([0, 1, 85, 128, 200].map(|code| decode(Law::A, code)), [-5504, -5248, -8, 5504, 472]);
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        let x: Vec<i16> = (i16::MIN..=i16::MAX).step_by(37).collect();
        harness::assert_cut_invariant(|| G711Encode(Law::A), &x);
        harness::assert_cut_invariant(|| G711Decode(Law::Mu), &(0..=255).collect::<Vec<u8>>());
    }
}
