//! Logarithms of base 10, scaled.

use superhet_kernels as kernels;
use superhet_runtime::catalog::{ANY_FLOAT, Entry, input, optional, output, set_port};
use superhet_runtime::{AnyBlock, no_parameter};

use crate::elementwise::{Elementwise, pure_of_elementwise};
use crate::item::from_value;

/// Logarithms of base 10, scaled: `y[n] = factor · log10(x[n]) + offset`; with `factor` = 10, powers in decibels.
///
/// Below the smallest normal number, 1.2e-38, and so for 0 and what is negative, the logarithm is that of it.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `f32` | any |
/// | out `out` | `f32` | that of `offset` |
/// | in `set` | messages | new values of `factor` and `offset` |
///
/// | parameter | range |
/// |---|---|
/// | `factor`, `offset` | any; can be changed while the block runs |
///
/// ```
/// use superhet_blocks::math::Nlog10;
/// use superhet_runtime::harness;
///
/// let y: Vec<f32> = harness::run(Nlog10 { factor: 10.0, offset: 3.0 }, &[1.0f32, 100.0]);
/// assert!((y[0] - 3.0).abs() < 1e-5 && (y[1] - 23.0).abs() < 1e-4);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Nlog10 {
    /// What the logarithm is multiplied by.
    pub factor: f32,
    /// What is added.
    pub offset: f32,
}

impl Elementwise for Nlog10 {
    type In = f32;
    type Out = f32;

    #[inline(always)]
    fn apply(&self, x: f32) -> f32 {
        // Written so that NaN stays NaN.
        let x = if x < f32::MIN_POSITIVE { f32::MIN_POSITIVE } else { x };
        self.factor * kernels::item::log10(x) + self.offset
    }
    fn describe(&self) -> String {
        format!("{}({}, {})", ENTRY.name, self.factor, self.offset)
    }
}

pure_of_elementwise!(Nlog10;
    &["factor", "offset"],
    |block, name, value| match name {
        "factor" => Ok(Nlog10 { factor: from_value("factor", value)?, ..*block }),
        "offset" => Ok(Nlog10 { offset: from_value("offset", value)?, ..*block }),
        _ => Err(no_parameter(name, &["factor", "offset"])),
    },
    |block, name| match name {
        "factor" => Some(block.factor.into()),
        "offset" => Some(block.offset.into()),
        _ => None,
    }
);

/// How files and the command line find [`Nlog10`].
pub const ENTRY: Entry = Entry {
    name: "nlog10",
    category: "math",
    summary: "Logarithms of base 10, scaled: y[n] = factor · log10(x[n]) + offset.",
    params: &[
        optional("factor", ANY_FLOAT, "", "1.0", "What the logarithm is multiplied by."),
        optional("offset", ANY_FLOAT, "", "0.0", "What is added."),
    ],
    ports: &[
        input("in", "f32", "x"),
        output("out", "f32", "factor · log10(x) + offset"),
        set_port("new values of factor and offset"),
    ],
    make: |params| {
        let (factor, offset) = (params.float("factor") as f32, params.float("offset") as f32);
        Ok(AnyBlock::new(Nlog10 { factor, offset }))
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::noise;
    use superhet_runtime::harness;

    #[test]
    fn values_are_right_and_what_has_no_logarithm_is_the_smallest_number() {
        let block = Nlog10 { factor: 10.0, offset: 2.0 };
        let y: Vec<f32> = harness::run(block, &[1.0f32, 10.0, 0.0, -1.0, 1e-20, f32::NAN]);
        let wanted = [2.0, 12.0, -377.2977, -377.2977, -198.0];
        assert!(y.iter().zip(&wanted).all(|(y, wanted): (&f32, &f32)| (y - wanted).abs() < 1e-3), "{y:?}");
        assert!(y[5].is_nan());
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(|| Nlog10 { factor: 20.0, offset: -1.0 }, &noise(1000));
    }
}
