//! Encodes bits.

use superhet_runtime::{Ratio, Shape, SyncBlock, declare};

use super::code::Code;
use super::code::encode::Encoder;

/// Encodes bits by a [`Code`], frame by frame.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `u8` | a bit each, the lowest |
/// | out `out` | `u8` | 0 or 1 |
///
/// # Source
/// CCSDS 131.0-B, section 3, for the convolutional code.
///
/// ```
/// use superhet_blocks::fec::{Code, FecEncoder};
/// use superhet_runtime::harness;
///
/// let encoder = FecEncoder::new(Code::repetition(3, 0.5)?);
/// assert_eq!(harness::run(encoder, &[1, 0]), [1, 1, 1, 0, 0, 0]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct FecEncoder {
    code: Code,
    encoder: Encoder,
}

impl FecEncoder {
    /// Encodes by this code.
    pub fn new(code: Code) -> Self {
        FecEncoder { code, encoder: Encoder::default() }
    }
}

impl SyncBlock for FecEncoder {
    type In = u8;
    type Out = u8;

    fn shape(&self) -> Shape {
        Shape {
            ratio: {
                let [decimation, interpolation] = self.code.sizes();
                Ratio { interpolation, decimation }
            },
            ..Shape::default()
        }
    }

    fn process(&mut self, x: &[u8], y: &mut [u8]) {
        self.encoder.encode(&self.code, x, y);
    }
}

#[declare(
    category = "fec",
    summary = "Encodes bits by a code, frame by frame.",
    ports(
        input("in", "u8", "a bit each, the lowest"),
        output("out", "u8", "0 or 1: those of whole frames of the code")
    )
)]
fn fec_encoder(#[param(group)] code: Code) -> FecEncoder {
    FecEncoder::new(code)
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::Frames;
    use super::*;
    use superhet_runtime::harness;

    pub const KINDS: [Frames; 4] =
        [Frames::Streaming, Frames::Terminated, Frames::Truncated, Frames::Tailbiting];

    fn encoded(frames: Frames, polynomials: [i64; 2], bits: &[u8]) -> String {
        let code = Code::convolutional(frames, 16, polynomials).unwrap();
        let bits: Vec<u8> = harness::run(FecEncoder::new(code), bits);
        bits.iter().map(|bit| char::from(b'0' + bit)).collect()
    }

    #[test]
    fn the_bits_are_those_of_gnu_radio() {
        let x = [1, 0, 1, 1, 0, 0, 1, 0, 1, 1, 1, 0, 0, 1, 0, 1];
        let frame = "11010001101011110110011111100001";
        assert_eq!(encoded(Frames::Truncated, [109, 79], &x.repeat(2)), frame.repeat(2));
        assert_eq!(encoded(Frames::Terminated, [109, 79], &x), format!("{frame}011101111011"));
        let tail = "10100110000111110110011111100001";
        assert_eq!(encoded(Frames::Streaming, [109, 79], &x.repeat(2)), format!("{frame}{tail}"));
        assert_eq!(encoded(Frames::Tailbiting, [109, 79], &x), tail);
        assert_eq!(encoded(Frames::Streaming, [79, -109], &x), "10110111000010101100111010000111");
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        let x: Vec<u8> = (0..960u32).map(|n| (n * n / 5 % 2) as u8).collect();
        for frames in KINDS {
            let code = Code::convolutional(frames, 48, [79, 109]).unwrap();
            harness::assert_cut_invariant(|| FecEncoder::new(code.clone()), &x);
        }
    }
}
