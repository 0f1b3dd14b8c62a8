//! What a sample looks like in a file: real or complex, the number, its byte order. `format_names.rs` reads its names.

use std::fmt;

pub use superhet_numbers::{Endian, Number};

/// Real or complex.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shape {
    /// One number a sample.
    Real,
    /// Two numbers a sample, I then Q.
    Complex,
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Shape::Real => "real",
            Shape::Complex => "complex",
        })
    }
}

/// How a sample is stored: any of the SigMF data types.
///
/// It is written as its SigMF name and read from several families of names, in upper or lower case:
///
/// | family | examples |
/// |---|---|
/// | SigMF, `(c\|r)(f32\|f64\|i32\|i16\|u32\|u16\|i8\|u8)(_le\|_be)?` | `cf32_le`, `ri16_be`, `cu8` |
/// | file extensions, complex | `cu8` `cs8` `cs16` `cf32` `cfile` `fc32` `complex` `complex16u` |
/// | file extensions, real | `u8` `s8` `s16` `f32` `f64` |
/// | SoapySDR and UHD | `CF32` `CS16` `CS8` `CU8`, `fc32` `sc16` `sc8` |
///
/// Without `_le` or `_be` the bytes are little endian. 8-bit formats have no byte order.
///
/// **Source**: SigMF 1.2.5, `core:datatype`; rtl_433 `docs/IQ_FORMATS.md`; SoapySDR `Formats.h`.
///
/// # Example
///
/// ```
/// use superhet_io::SampleFormat;
///
/// let format: SampleFormat = "CS16".parse()?;
/// assert_eq!(format.to_string(), "ci16_le");
/// assert_eq!(format.bytes(), 4);
/// assert_eq!(SampleFormat::from_path("modes1_2Msps.cu8")?, SampleFormat::CU8);
///
/// let error = "cu9".parse::<SampleFormat>().unwrap_err();
/// assert_eq!(error.to_string(), "unknown sample format \"cu9\", did you mean \"cu8\"?");
/// # Ok::<(), superhet_io::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SampleFormat {
    shape: Shape,
    number: Number,
    endian: Endian,
}

impl SampleFormat {
    /// Complex unsigned bytes, as RTL-SDR sticks send: centre 127.5.
    pub const CU8: Self = Self::new(Shape::Complex, Number::U8, Endian::Little);
    /// Complex signed bytes, as HackRF sends.
    pub const CS8: Self = Self::new(Shape::Complex, Number::I8, Endian::Little);
    /// Complex 16-bit integers, little endian.
    pub const CS16: Self = Self::new(Shape::Complex, Number::I16, Endian::Little);
    /// Complex 32-bit floats, little endian; what GNU Radio writes.
    pub const CF32: Self = Self::new(Shape::Complex, Number::F32, Endian::Little);
    /// Real 32-bit floats, little endian.
    pub const F32: Self = Self::new(Shape::Real, Number::F32, Endian::Little);
    /// Real 16-bit integers, little endian.
    pub const S16: Self = Self::new(Shape::Real, Number::I16, Endian::Little);
    /// Real signed bytes.
    pub const S8: Self = Self::new(Shape::Real, Number::I8, Endian::Little);
    /// Real unsigned bytes, centre 127.5.
    pub const U8: Self = Self::new(Shape::Real, Number::U8, Endian::Little);

    /// Makes a format. The byte order of 8-bit numbers is ignored, so that equal formats compare equal.
    pub const fn new(shape: Shape, number: Number, endian: Endian) -> Self {
        let endian = if number.bytes() == 1 { Endian::Little } else { endian };
        Self { shape, number, endian }
    }

    /// Every format there is: 28.
    pub fn all() -> impl Iterator<Item = SampleFormat> {
        [Shape::Complex, Shape::Real].into_iter().flat_map(|shape| {
            Number::ALL.into_iter().flat_map(move |number| {
                let orders: &[Endian] =
                    if number.bytes() == 1 { &[Endian::Little] } else { &[Endian::Little, Endian::Big] };
                orders.iter().map(move |&endian| Self::new(shape, number, endian))
            })
        })
    }

    /// Returns whether a sample is real or complex.
    pub const fn shape(self) -> Shape {
        self.shape
    }

    /// Returns the kind of number.
    pub const fn number(self) -> Number {
        self.number
    }

    /// Returns the byte order; [`Endian::Little`] for 8-bit numbers.
    pub const fn endian(self) -> Endian {
        self.endian
    }

    /// Returns true for IQ.
    pub const fn is_complex(self) -> bool {
        matches!(self.shape, Shape::Complex)
    }

    /// Returns how many numbers make a sample: 1 or 2.
    pub const fn numbers(self) -> usize {
        if self.is_complex() { 2 } else { 1 }
    }

    /// Returns the size of a sample in bytes: 1 to 16.
    pub const fn bytes(self) -> usize {
        self.number.bytes() * self.numbers()
    }
}

impl fmt::Display for SampleFormat {
    /// Writes the SigMF name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shape = if self.is_complex() { 'c' } else { 'r' };
        let endian = match self.endian {
            _ if self.number.bytes() == 1 => "",
            Endian::Little => "_le",
            Endian::Big => "_be",
        };
        f.pad(&format!("{shape}{}{endian}", self.number.name()))
    }
}
