//! The kernels for arrays of numpy's.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use superhet::kernels as simd;
use superhet_runtime::{C32, C64};

use crate::item::NumpyItem;
use crate::memory::{Read, Write};
use crate::value::{from_value, to_value};

/// A number that a kernel takes besides its arrays.
trait Number: Sized {
    fn of(given: &Bound<'_, PyAny>) -> PyResult<Self>;
}

impl Number for f32 {
    fn of(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        given.extract()
    }
}

impl Number for C32 {
    fn of(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        let number = to_value(given)?.as_complex();
        let number = number.ok_or_else(|| PyTypeError::new_err(format!("expected a number, got {given}")))?;
        Ok(C32::new(number.re as f32, number.im as f32))
    }
}

/// The signature of a kernel: its name, its arrays and numbers by name and type, and the type of its result.
type Row =
    (&'static str, Vec<(&'static str, &'static str, bool)>, Vec<&'static str>, &'static str, bool, bool);

/// The next of the arrays or numbers that were given; how many there are was checked in Python.
fn next<'a, 'py>(given: &mut std::slice::Iter<'a, Bound<'py, PyAny>>) -> PyResult<&'a Bound<'py, PyAny>> {
    given.next().ok_or_else(|| PyTypeError::new_err("too few arguments"))
}

fn same_length(name: &str, lengths: &[usize]) -> PyResult<()> {
    match lengths.windows(2).all(|pair| pair[0] == pair[1]) {
        true => Ok(()),
        false => {
            Err(PyValueError::new_err(format!("{name}: expected arrays of one length, got {lengths:?}")))
        }
    }
}

macro_rules! kernels {
    (maps { $($map:ident($($x:ident: $in:ty),+) -> $out:ty $(, $p:ident: $number:ty)*;)+ }
     sums { $($sum:ident($($a:ident: $of:ty),+) => $result:ty;)+ }) => {
        /// All kernels.
        #[pyfunction]
        pub fn kernel_table() -> Vec<Row> {
            vec![
                $((
                    stringify!($map),
                    vec![$((stringify!($x), <$in>::DTYPE, <$in>::IS_PAIR)),+],
                    vec![$(stringify!($p)),*],
                    <$out>::DTYPE,
                    <$out>::IS_PAIR,
                    true,
                ),)+
                $((
                    stringify!($sum),
                    vec![$((stringify!($a), <$of>::DTYPE, <$of>::IS_PAIR)),+],
                    Vec::new(),
                    "",
                    false,
                    false,
                ),)+
            ]
        }

        /// Runs a kernel that gives an array: `arrays` are contiguous and of the types that [`kernel_table`] says, `out` last.
        #[pyfunction]
        pub fn run_kernel<'py>(
            py: Python<'py>,
            name: &str,
            arrays: Vec<Bound<'py, PyAny>>,
            numbers: Vec<Bound<'py, PyAny>>,
        ) -> PyResult<Bound<'py, PyAny>> {
            let (mut arrays, mut numbers) = (arrays.iter(), numbers.iter());
            match name {
                $(stringify!($map) => {
                    $(let $x = Read::<$in>::new(next(&mut arrays)?)?;)+
                    let mut y = Write::<$out>::new(next(&mut arrays)?, &[$($x.bytes()),+])?;
                    same_length(name, &[y.items().len(), $($x.items().len()),+])?;
                    $(let $p = <$number>::of(next(&mut numbers)?)?;)*
                    let _ = &mut numbers;
                    simd::$map(y.items(), $($x.items()),+ $(, $p)*);
                    Ok(py.None().into_bound(py))
                })+
                $(stringify!($sum) => {
                    $(let $a = Read::<$of>::new(next(&mut arrays)?)?;)+
                    same_length(name, &[$($a.items().len()),+])?;
                    from_value(py, &superhet_runtime::Value::from(Wide::wide(simd::$sum($($a.items()),+))))
                })+
                other => Err(PyValueError::new_err(format!("there is no kernel {other}"))),
            }
        }
    };
}

/// A result as values hold it.
trait Wide {
    type Wide;
    fn wide(self) -> Self::Wide;
}

macro_rules! wide {
    ($($from:ty => $to:ty),+) => { $(impl Wide for $from {
        type Wide = $to;
        fn wide(self) -> $to { self.into() }
    })+ };
}

wide!(f32 => f64, i64 => i64, u64 => u64);

impl Wide for C32 {
    type Wide = C64;
    fn wide(self) -> Self::Wide {
        C64::new(self.re.into(), self.im.into())
    }
}

kernels! {
maps {
    absolute_f32(x: f32) -> f32;
    acos(x: f32) -> f32;
    add_c32(a: C32, b: C32) -> C32;
    add_const_c32(x: C32) -> C32, offset: C32;
    add_const_f32(x: f32) -> f32, offset: f32;
    add_f32(a: f32, b: f32) -> f32;
    and_u32(a: u32, b: u32) -> u32;
    and_u8(a: u8, b: u8) -> u8;
    asin(x: f32) -> f32;
    atan(x: f32) -> f32;
    atan2(a: f32, b: f32) -> f32;
    binary_slicer_i32(x: f32) -> i32;
    binary_slicer_u8(x: f32) -> u8;
    c32_to_c64(x: C32) -> C64;
    c32_to_i16(x: C32) -> [i16; 2];
    c32_to_i16_scaled(x: C32) -> [i16; 2], scale: f32;
    c32_to_i8(x: C32) -> [i8; 2];
    c32_to_i8_scaled(x: C32) -> [i8; 2], scale: f32;
    c32_to_u8(x: C32) -> [u8; 2];
    c64_to_c32(x: C64) -> C32;
    clamp_f32(x: f32) -> f32, lowest: f32, highest: f32;
    complex_to_arg(x: C32) -> f32;
    complex_to_db(x: C32) -> f32, offset_db: f32, floor_db: f32;
    complex_to_imag(x: C32) -> f32;
    complex_to_log2(x: C32) -> f32;
    complex_to_real(x: C32) -> f32;
    complex_to_real_f64(x: C32) -> f64;
    complex_to_real_i16_scaled(x: C32) -> i16, scale: f32;
    conjugate(x: C32) -> C32;
    cos(x: f32) -> f32;
    divide_c32(a: C32, b: C32) -> C32;
    divide_f32(a: f32, b: f32) -> f32;
    exp(x: f32) -> f32;
    expj(x: f32) -> C32;
    f32_to_f64(x: f32) -> f64;
    f32_to_i16(x: f32) -> i16;
    f32_to_i16_scaled(x: f32) -> i16, scale: f32;
    f32_to_i32(x: f32) -> i32;
    f32_to_i32_scaled(x: f32) -> i32, scale: f32;
    f32_to_i8(x: f32) -> i8;
    f32_to_i8_scaled(x: f32) -> i8, scale: f32;
    f32_to_u8(x: f32) -> u8;
    f32_to_u8_scaled(x: f32) -> u8, scale: f32;
    f64_to_f32(x: f64) -> f32;
    i16_to_c32(x: [i16; 2]) -> C32;
    i16_to_c32_scaled(x: [i16; 2]) -> C32, scale: f32;
    i16_to_f32(x: i16) -> f32;
    i16_to_f32_scaled(x: i16) -> f32, scale: f32;
    i16_to_i8(x: i16) -> i8;
    i32_to_f32(x: i32) -> f32;
    i32_to_f32_scaled(x: i32) -> f32, scale: f32;
    i8_to_c32(x: [i8; 2]) -> C32;
    i8_to_c32_scaled(x: [i8; 2]) -> C32, scale: f32;
    i8_to_f32(x: i8) -> f32;
    i8_to_f32_scaled(x: i8) -> f32, scale: f32;
    i8_to_i16(x: i8) -> i16;
    interleave(re: f32, im: f32) -> C32;
    interleave_i16(re: i16, im: i16) -> [i16; 2];
    interleave_i16_scaled(re: f32, im: f32) -> [i16; 2], scale: f32;
    interleave_i8(re: i8, im: i8) -> [i8; 2];
    inverse_sqrt(x: f32) -> f32;
    inverse_sqrt_fast(x: f32) -> f32;
    ln(x: f32) -> f32;
    log10(x: f32) -> f32;
    log2(x: f32) -> f32;
    log2_fast(x: f32) -> f32;
    magnitude(x: C32) -> f32;
    magnitude_i16(x: [i16; 2]) -> i16;
    magnitude_i16_to_f32_scaled(x: [i16; 2]) -> f32, scale: f32;
    magnitude_squared(x: C32) -> f32;
    magnitude_to_i16_scaled(x: C32) -> i16, scale: f32;
    maximum_f32(a: f32, b: f32) -> f32;
    minimum_f32(a: f32, b: f32) -> f32;
    multiply_add_c32_f32(a: C32, b: f32, c: C32) -> C32;
    multiply_add_f32(a: f32, b: f32, c: f32) -> f32;
    multiply_c32(a: C32, b: C32) -> C32;
    multiply_c32_f32(a: C32, b: f32) -> C32;
    multiply_conjugate_add_c32(a: C32, b: C32) -> C32, gain: C32;
    multiply_conjugate_c32(a: C32, b: C32) -> C32;
    multiply_const_c32(x: C32) -> C32, gain: C32;
    multiply_const_f32(x: f32) -> f32, gain: f32;
    multiply_f32(a: f32, b: f32) -> f32;
    or_u32(a: u32, b: u32) -> u32;
    or_u8(a: u8, b: u8) -> u8;
    popcount_u32(x: u32) -> u32;
    popcount_u64(x: u64) -> u64;
    power(a: f32, b: f32) -> f32;
    power_const(x: f32) -> f32, exponent: f32;
    power_fast(a: f32, b: f32) -> f32;
    power_to_db(x: f32) -> f32, offset_db: f32, floor_db: f32;
    quadrature_demod(x: C32) -> f32, gain: f32;
    real_i16(x: [i16; 2]) -> i16;
    real_i16_to_f32_scaled(x: [i16; 2]) -> f32, scale: f32;
    real_i16_to_i8(x: [i16; 2]) -> i8;
    real_i8(x: [i8; 2]) -> i8;
    real_i8_to_f32_scaled(x: [i8; 2]) -> f32, scale: f32;
    real_i8_to_i16(x: [i8; 2]) -> i16;
    real_to_complex(re: f32) -> C32;
    reciprocal(x: f32) -> f32;
    reverse_bits_u32(x: u32) -> u32;
    reverse_bits_u8(x: u8) -> u8;
    rotate_c32(x: C32, turns: C32) -> C32, anchor: C32;
    saxpy(x: f32) -> f32, gain: f32, offset: f32;
    sin(x: f32) -> f32;
    sqrt(x: f32) -> f32;
    subtract_c32(a: C32, b: C32) -> C32;
    subtract_f32(a: f32, b: f32) -> f32;
    swap_bytes_u16(x: u16) -> u16;
    swap_bytes_u32(x: u32) -> u32;
    swap_bytes_u64(x: u64) -> u64;
    tan(x: f32) -> f32;
    tanh(x: f32) -> f32;
    tanh_fast(x: f32) -> f32;
    u8_to_c32(x: [u8; 2]) -> C32;
    u8_to_f32(x: u8) -> f32;
    u8_to_f32_scaled(x: u8) -> f32, scale: f32;
    xor_u32(a: u32, b: u32) -> u32;
    xor_u8(a: u8, b: u8) -> u8;
}
sums {
    dot_c32(x: C32, taps: C32) => C32;
    dot_c32_f32(x: C32, taps: f32) => C32;
    dot_conjugate_c32(a: C32, b: C32) => C32;
    dot_f32(a: f32, b: f32) => f32;
    dot_i16(a: i16, b: i16) => i64;
    dot_i16_c32(x: i16, taps: C32) => C32;
    dot_i16_f32(x: i16, taps: f32) => f32;
    energy_c32(x: C32) => f32;
    energy_f32(x: f32) => f32;
    max_f32(x: f32) => f32;
    mean_c32(x: C32) => C32;
    mean_f32(x: f32) => f32;
    min_f32(x: f32) => f32;
    popcount_sum(x: u8) => u64;
    sum_c32(x: C32) => C32;
    sum_f32(x: f32) => f32;
}
}
