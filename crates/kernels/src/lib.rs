//! SIMD kernels: slices in, slices out.
//!
//! A kernel is math on slices and nothing else. Each has one folder: `mod.rs` is its contract and its table of
//! variants, `scalar.rs` its definition, and every other file its code for one instruction set. The variant is
//! chosen at run time, once, by the user's [`profile`] if there is one; `SUPERHET_KERNEL=scalar|avx2|avx512` caps the
//! choice, [`list`] shows it. [`trial`](fn@trial) runs any op without knowing its signature.
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
//!   instruction set. [`item`] has the functions of the ops, so that several of them run in one loop.
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

#![allow(clippy::needless_range_loop, reason = "several arrays share the index of a lane")]

mod dispatch;
mod elementwise;
mod trial;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(test)]
mod check;

mod add;
mod add_const;
mod conjugate;
mod dot;
mod fir;
mod from_integers;
pub mod item;
mod magnitude;
mod map;
mod multiply;
mod multiply_conjugate;
mod multiply_const;
mod parts;
pub mod profile;
mod quadrature_demod;
mod saxpy;
mod subtract;
mod to_integers;

pub use add::*;
pub use add_const::*;
pub use conjugate::*;
pub use dispatch::{Op, Row};
pub use dot::*;
pub use fir::*;
pub use from_integers::*;
pub use magnitude::*;
pub use map::*;
pub use multiply::*;
pub use multiply_conjugate::*;
pub use multiply_const::*;
pub use parts::*;
pub use quadrature_demod::*;
pub use saxpy::*;
pub use subtract::*;
pub use to_integers::*;
pub use trial::{Group, Kind, Trial, trial};

/// A complex sample: two `f32`, real part first, full scale 1.0.
pub type C32 = num_complex::Complex<f32>;

/// A complex number in double precision.
pub type C64 = num_complex::Complex<f64>;

/// Every op, in the order of the alphabet of its folder.
static OPS: &[&dyn dispatch::Listed] = &[
    &ADD_F32,
    &ADD_F32_IN_PLACE,
    &ADD_C32,
    &ADD_C32_IN_PLACE,
    &ADD_CONST_F32,
    &ADD_CONST_F32_IN_PLACE,
    &ADD_CONST_C32,
    &ADD_CONST_C32_IN_PLACE,
    &CONJUGATE,
    &CONJUGATE_IN_PLACE,
    &DOT_F32,
    &DOT_C32_F32,
    &DOT_C32,
    &FIR_F32,
    &FIR_C32_F32,
    &FIR_C32_C32,
    &U8_TO_F32,
    &I8_TO_F32,
    &I16_TO_F32,
    &U8_TO_C32,
    &I8_TO_C32,
    &I16_TO_C32,
    &MAGNITUDE,
    &MAGNITUDE_SQUARED,
    &MULTIPLY_F32,
    &MULTIPLY_F32_IN_PLACE,
    &MULTIPLY_C32,
    &MULTIPLY_C32_IN_PLACE,
    &MULTIPLY_CONJUGATE_C32,
    &MULTIPLY_CONJUGATE_C32_IN_PLACE,
    &MULTIPLY_CONST_F32,
    &MULTIPLY_CONST_F32_IN_PLACE,
    &MULTIPLY_CONST_C32,
    &MULTIPLY_CONST_C32_IN_PLACE,
    &COMPLEX_TO_REAL,
    &COMPLEX_TO_IMAG,
    &REAL_TO_COMPLEX,
    &INTERLEAVE,
    &QUADRATURE_DEMOD,
    &SAXPY,
    &SAXPY_IN_PLACE,
    &SUBTRACT_F32,
    &SUBTRACT_F32_IN_PLACE,
    &SUBTRACT_C32,
    &SUBTRACT_C32_IN_PLACE,
    &F32_TO_U8,
    &F32_TO_I8,
    &F32_TO_I16,
    &C32_TO_U8,
    &C32_TO_I8,
    &C32_TO_I16,
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
