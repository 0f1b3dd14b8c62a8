//! SIMD kernels: slices in, slices out.
//!
//! A kernel is math on slices and nothing else. Each has one folder: `mod.rs` is its contract and its table of
//! variants, `scalar.rs` its definition, and every other file its code for one instruction set. The variant is
//! chosen at run time, once, by the user's [`profile`] if there is one; `SUPERHET_KERNEL=scalar|avx2|avx512` caps the
//! choice, [`list`] shows it. With the feature `trials`, `trial` runs any op without knowing its signature.
//!
//! Common to all:
//!
//! - The output comes first, then the inputs, then the parameters.
//! - Any length, 0 too, and any alignment; lengths that do not fit together panic.
//! - **Cut anywhere, the same result**: the value of an output item depends on its own inputs only, never on where
//!   the slices start or end. Sums over a whole slice ([`dot_f32`](fn@dot_f32) and its kin) are one item each.
//! - The variants of an elementwise op give the same bits (NaNs count as the same). Sums differ between variants
//!   within their stated accuracy.
//! - Ops that are not in the library are functions of one item, [`ItemFunction`], which [`map`](fn@map) compiles for each
//!   instruction set. [`item`] has the functions of the ops, so that several of them run in one loop,
//!   and so that those without a form of their own for it run in place: [`map_in_place`](fn@map_in_place).
//! - Loops with a state, in which an item waits for the one before it, are a [`Routine`], which [`run_routine`] compiles likewise;
//!   its [`Machine`] says whether products and sums are rounded once.
//! - On aarch64 there is plain code only, compiled for NEON, which every such processor has; the tests pass there
//!   (`make test-neon`).
//! - `inverse_sqrt`, `tanh`, `log2` and `power` have a `_fast` op beside them: fewer digits, stated and tested, in about half
//!   the time or less where the processor has fused multiply-adds.
//! - Complex numbers follow the schoolbook formulas: no scaling against overflow, no repair of infinities.
//!
//! ```
//! use superhet_kernels::{C32, multiply_conjugate_c32};
//!
//! let a = [C32::new(1.0, 2.0), C32::new(0.0, 1.0)];
//! let mut power = [C32::ZERO; 2];
//! multiply_conjugate_c32(&mut power, &a, &a);
//! assert_eq!(power, [C32::new(5.0, 0.0), C32::new(1.0, 0.0)]);
//! ```

#![deny(unsafe_code)]
#![allow(clippy::needless_range_loop, reason = "several arrays share the index of a lane")]

mod dispatch;
mod elementwise;
#[cfg_attr(not(any(test, feature = "trials")), allow(dead_code, reason = "nobody makes a trial"))]
mod trial;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(test)]
mod check;

mod absolute;
mod add;
mod add_const;
mod arms;
mod binary_slicer;
mod biquads;
mod bits;
mod bitwise;
mod clamp;
mod conjugate;
mod decibel;
mod divide;
mod dot;
mod exponential;
mod extremes;
mod fir;
mod from_integers;
mod integer_parts;
mod integer_width;
mod inverse_trigonometry;
pub mod item;
mod logarithm;
mod magnitude;
mod map;
mod maximum;
mod moving_sum;
mod multiply;
mod multiply_add;
mod multiply_conjugate;
mod multiply_const;
mod parts;
mod periods;
mod polyphase;
mod power;
mod precision;
pub mod profile;
mod quadrature_demod;
mod recursion;
mod root;
mod rotate;
mod routine;
mod saxpy;
mod statistics;
mod subtract;
mod sum;
mod swap_bytes;
mod to_integers;
mod transpose;
mod trigonometry;
mod two_lines;
mod viterbi;
mod window_sum;

pub use absolute::*;
pub use add::*;
pub use add_const::*;
pub use arms::*;
pub use binary_slicer::*;
pub use biquads::*;
pub use bits::*;
pub use bitwise::*;
pub use clamp::*;
pub use conjugate::*;
pub use decibel::*;
pub use dispatch::{Op, Row};
pub use divide::*;
pub use dot::*;
pub use exponential::*;
pub use extremes::*;
pub use fir::*;
pub use from_integers::*;
pub use integer_parts::*;
pub use integer_width::*;
pub use inverse_trigonometry::*;
pub use logarithm::*;
pub use magnitude::*;
pub use map::*;
pub use maximum::*;
pub use moving_sum::*;
pub use multiply::*;
pub use multiply_add::*;
pub use multiply_conjugate::*;
pub use multiply_const::*;
pub use parts::*;
pub use periods::*;
pub use polyphase::*;
pub use power::*;
pub use precision::*;
pub use quadrature_demod::*;
pub use recursion::*;
pub use root::*;
pub use rotate::*;
pub use routine::*;
pub use saxpy::*;
pub use statistics::*;
pub use subtract::*;
pub use sum::*;
pub use swap_bytes::*;
pub use to_integers::*;
pub use transpose::*;
pub use trial::{Group, Kind};
#[cfg(any(test, feature = "trials"))]
pub use trial::{Trial, trial};
pub use trigonometry::*;
pub use two_lines::*;
pub use viterbi::*;
pub use window_sum::*;

/// A complex sample: two `f32`, real part first, full scale 1.0.
pub type C32 = num_complex::Complex<f32>;

/// A complex number in double precision.
pub type C64 = num_complex::Complex<f64>;

/// Every op, in the order of the alphabet of its folder.
static OPS: &[&dispatch::Table] = &[
    ABSOLUTE_F32.table(),
    ABSOLUTE_F32_IN_PLACE.table(),
    ADD_F32.table(),
    ADD_F32_IN_PLACE.table(),
    ADD_C32.table(),
    ADD_C32_IN_PLACE.table(),
    ADD_CONST_F32.table(),
    ADD_CONST_F32_IN_PLACE.table(),
    ADD_CONST_C32.table(),
    ADD_CONST_C32_IN_PLACE.table(),
    ARBITRARY_ARMS_F32.table(),
    ARBITRARY_ARMS_C32_F32.table(),
    PERIODS_F32.table(),
    TWO_DOTS_F32.table(),
    TWO_DOTS_C32_F32.table(),
    BINARY_SLICER_U8.table(),
    BINARY_SLICER_I32.table(),
    PACK_BITS_MSB.table(),
    PACK_BITS_LSB.table(),
    UNPACK_BITS_MSB.table(),
    UNPACK_BITS_LSB.table(),
    REVERSE_BITS_U8.table(),
    REVERSE_BITS_U8_IN_PLACE.table(),
    REVERSE_BITS_U32.table(),
    POPCOUNT_U32.table(),
    POPCOUNT_U64.table(),
    POPCOUNT_SUM.table(),
    AND_U8.table(),
    AND_U8_IN_PLACE.table(),
    AND_U32.table(),
    AND_U32_IN_PLACE.table(),
    OR_U8.table(),
    OR_U8_IN_PLACE.table(),
    OR_U32.table(),
    OR_U32_IN_PLACE.table(),
    XOR_U8.table(),
    XOR_U8_IN_PLACE.table(),
    XOR_U32.table(),
    XOR_U32_IN_PLACE.table(),
    CLAMP_F32.table(),
    CLAMP_F32_IN_PLACE.table(),
    BIQUADS_F32.table(),
    CONJUGATE.table(),
    CONJUGATE_IN_PLACE.table(),
    POWER_TO_DB.table(),
    COMPLEX_TO_DB.table(),
    COMPLEX_TO_LOG2.table(),
    DIVIDE_F32.table(),
    DIVIDE_F32_IN_PLACE.table(),
    DIVIDE_C32.table(),
    DIVIDE_C32_IN_PLACE.table(),
    RECIPROCAL.table(),
    DOT_F32.table(),
    DOT_C32_F32.table(),
    DOT_C32.table(),
    EXP.table(),
    TANH.table(),
    TANH_FAST.table(),
    DOT_CONJUGATE_C32.table(),
    DOT_I16.table(),
    DOT_I16_F32.table(),
    DOT_I16_C32.table(),
    MAX_F32.table(),
    MIN_F32.table(),
    INDEX_OF_MAX_F32.table(),
    INDEX_OF_MIN_F32.table(),
    INDEX_OF_MAX_C32.table(),
    INDEX_OF_MIN_C32.table(),
    FIR_F32.table(),
    FIR_C32_F32.table(),
    FIR_F32_C32.table(),
    FIR_C32_C32.table(),
    U8_TO_F32.table(),
    I8_TO_F32.table(),
    I16_TO_F32.table(),
    U8_TO_C32.table(),
    I8_TO_C32.table(),
    I16_TO_C32.table(),
    I32_TO_F32.table(),
    U8_TO_F32_SCALED.table(),
    I8_TO_F32_SCALED.table(),
    I16_TO_F32_SCALED.table(),
    I32_TO_F32_SCALED.table(),
    I8_TO_C32_SCALED.table(),
    I16_TO_C32_SCALED.table(),
    INTERLEAVE_I8.table(),
    INTERLEAVE_I16.table(),
    DEINTERLEAVE_I8.table(),
    DEINTERLEAVE_I16.table(),
    DEINTERLEAVE_I8_TO_I16.table(),
    DEINTERLEAVE_I8_TO_F32_SCALED.table(),
    DEINTERLEAVE_I16_TO_F32_SCALED.table(),
    REAL_I8.table(),
    REAL_I16.table(),
    REAL_I8_TO_I16.table(),
    REAL_I16_TO_I8.table(),
    REAL_I8_TO_F32_SCALED.table(),
    REAL_I16_TO_F32_SCALED.table(),
    I8_TO_I16.table(),
    I16_TO_I8.table(),
    MAGNITUDE.table(),
    MAGNITUDE_SQUARED.table(),
    MAGNITUDE_TO_I16_SCALED.table(),
    MAGNITUDE_I16.table(),
    MAGNITUDE_I16_TO_F32_SCALED.table(),
    ASIN.table(),
    ACOS.table(),
    ATAN.table(),
    ATAN2.table(),
    COMPLEX_TO_ARG.table(),
    LN.table(),
    LOG2.table(),
    LOG10.table(),
    LOG2_FAST.table(),
    MAXIMUM_F32.table(),
    MINIMUM_F32.table(),
    MULTIPLY_F32.table(),
    MULTIPLY_F32_IN_PLACE.table(),
    MULTIPLY_C32.table(),
    MULTIPLY_C32_IN_PLACE.table(),
    MULTIPLY_C32_F32.table(),
    MULTIPLY_C32_F32_IN_PLACE.table(),
    MOVING_SUM_F32.table(),
    MOVING_SUM_C32.table(),
    SUMS_BEHIND_F32.table(),
    SUMS_BEHIND_C32.table(),
    SHORT_SUM_F32.table(),
    SHORT_SUM_C32.table(),
    MULTIPLY_ADD_F32.table(),
    MULTIPLY_ADD_C32_F32.table(),
    MULTIPLY_CONJUGATE_ADD_C32.table(),
    MULTIPLY_CONJUGATE_C32.table(),
    MULTIPLY_CONJUGATE_C32_IN_PLACE.table(),
    MULTIPLY_CONST_F32.table(),
    MULTIPLY_CONST_F32_IN_PLACE.table(),
    MULTIPLY_CONST_C32.table(),
    MULTIPLY_CONST_C32_IN_PLACE.table(),
    COMPLEX_TO_REAL.table(),
    COMPLEX_TO_IMAG.table(),
    REAL_TO_COMPLEX.table(),
    INTERLEAVE.table(),
    DEINTERLEAVE.table(),
    COMPLEX_TO_REAL_F64.table(),
    DEINTERLEAVE_F64.table(),
    COMPLEX_TO_REAL_I16_SCALED.table(),
    INTERLEAVE_I16_SCALED.table(),
    F32_TO_F64.table(),
    F64_TO_F32.table(),
    C32_TO_C64.table(),
    C64_TO_C32.table(),
    POWER.table(),
    POWER_CONST.table(),
    POWER_FAST.table(),
    QUADRATURE_DEMOD.table(),
    RECURSION_F64.table(),
    SQRT.table(),
    INVERSE_SQRT.table(),
    INVERSE_SQRT_FAST.table(),
    POLYPHASE_C32_F32.table(),
    ROTATE_C32.table(),
    ROTATE_C32_IN_PLACE.table(),
    SAXPY.table(),
    SAXPY_IN_PLACE.table(),
    MOMENTS_F32.table(),
    SUBTRACT_F32.table(),
    SUBTRACT_F32_IN_PLACE.table(),
    SUBTRACT_C32.table(),
    SUBTRACT_C32_IN_PLACE.table(),
    SWAP_BYTES_U16.table(),
    SWAP_BYTES_U16_IN_PLACE.table(),
    SWAP_BYTES_U32.table(),
    SWAP_BYTES_U32_IN_PLACE.table(),
    SWAP_BYTES_U64.table(),
    SWAP_BYTES_U64_IN_PLACE.table(),
    SUM_F32.table(),
    SUM_C32.table(),
    MEAN_F32.table(),
    MEAN_C32.table(),
    ENERGY_F32.table(),
    ENERGY_C32.table(),
    F32_TO_U8.table(),
    F32_TO_I8.table(),
    F32_TO_I16.table(),
    C32_TO_U8.table(),
    C32_TO_I8.table(),
    C32_TO_I16.table(),
    F32_TO_I32.table(),
    F32_TO_U8_SCALED.table(),
    F32_TO_I8_SCALED.table(),
    F32_TO_I16_SCALED.table(),
    F32_TO_I32_SCALED.table(),
    C32_TO_I8_SCALED.table(),
    C32_TO_I16_SCALED.table(),
    SIN.table(),
    COS.table(),
    TAN.table(),
    EXPJ.table(),
    TRANSPOSE_C32.table(),
    TRANSPOSE_F32.table(),
    TWO_LINES_F32.table(),
    VITERBI_K7.table(),
    WINDOW_SUM_F32.table(),
    WINDOW_SUM_C32.table(),
];

/// All ops with their variants and the one that calls go to on this machine.
///
/// ```
/// let rows = superhet_kernels::list();
/// let saxpy = rows.iter().find(|row| row.name == "saxpy").unwrap();
/// assert!(saxpy.variants.contains(&saxpy.chosen));
/// ```
pub fn list() -> Vec<Row> {
    OPS.iter().map(|op| op.row()).collect()
}

/// The parts of complex samples in order: `re, im, re, im, …`.
fn floats(x: &[C32]) -> &[f32] {
    bytemuck::cast_slice(x)
}

/// As [`floats`], to write to.
fn floats_mut(x: &mut [C32]) -> &mut [f32] {
    bytemuck::cast_slice_mut(x)
}

/// As [`floats`], in double precision.
fn doubles(x: &[C64]) -> &[f64] {
    bytemuck::cast_slice(x)
}

/// As [`doubles`], to write to.
fn doubles_mut(x: &mut [C64]) -> &mut [f64] {
    bytemuck::cast_slice_mut(x)
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_op_is_listed_once() {
        let mut names: Vec<_> = super::list().into_iter().map(|row| row.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), super::OPS.len());

        let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let contracts = std::fs::read_dir(source)
            .unwrap()
            .filter_map(|folder| std::fs::read_to_string(folder.unwrap().path().join("mod.rs")).ok());
        let defined: usize = contracts.map(|text| text.matches("kernel! {").count()).sum();
        assert_eq!(defined, super::OPS.len());
    }

    #[test]
    fn every_op_has_a_scalar_variant_and_it_comes_last() {
        for row in super::list() {
            assert_eq!(row.variants.last(), Some(&"scalar"), "{}", row.name);
        }
    }
}
