//! What a sample looks like in a file: real or complex, the number, its byte order.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use crate::error::Error;
use superhet_runtime::nearest;

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

/// The kind of number that samples are made of, by its SigMF name in lower case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say all: kind and bits")]
pub enum Number {
    F32,
    F64,
    I32,
    I16,
    U32,
    U16,
    I8,
    U8,
}

impl Number {
    /// Every kind, in the order of the SigMF specification.
    pub const ALL: [Number; 8] = [
        Number::F32,
        Number::F64,
        Number::I32,
        Number::I16,
        Number::U32,
        Number::U16,
        Number::I8,
        Number::U8,
    ];

    /// Returns the size in bytes: 1, 2, 4 or 8.
    pub const fn bytes(self) -> usize {
        match self {
            Number::I8 | Number::U8 => 1,
            Number::I16 | Number::U16 => 2,
            Number::F32 | Number::I32 | Number::U32 => 4,
            Number::F64 => 8,
        }
    }

    /// Returns the SigMF name: `"f32"`, `"i16"`, …
    pub const fn name(self) -> &'static str {
        match self {
            Number::F32 => "f32",
            Number::F64 => "f64",
            Number::I32 => "i32",
            Number::I16 => "i16",
            Number::U32 => "u32",
            Number::U16 => "u16",
            Number::I8 => "i8",
            Number::U8 => "u8",
        }
    }
}

/// Byte order of numbers longer than a byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Endian {
    /// Least significant byte first; what nearly every recorder writes.
    Little,
    /// Most significant byte first.
    Big,
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

/// Names beyond those made by rule, each with the SigMF name it stands for.
const ALIASES: &[(&str, &str)] = &[
    ("cfile", "cf32"),
    ("fc32", "cf32"),
    ("fc64", "cf64"),
    ("sc16", "ci16"),
    ("sc8", "ci8"),
    ("complex", "cf32"),
    ("complex16u", "cu8"),
    ("complex16s", "ci8"),
    ("complex32u", "cu16"),
    ("complex32s", "ci16"),
];

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

    /// Finds the format in the name of a file: by its extension, else by a part of its name.
    ///
    /// A part is what stands between `_`, `-`, `.` or spaces, and counts only if it is a complex format
    /// (`noise_cs16.raw`), or `fc` at the end of a gqrx name; `raw`, `iq`, `bin` and `dat` say nothing.
    ///
    /// # Errors
    ///
    /// [`Error::NoFormatInName`], with the nearest known extension.
    pub fn from_path(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let extension = path.extension().unwrap_or_default().to_string_lossy().into_owned();
        if let Some(format) = parse(&extension) {
            return Ok(format);
        }
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let parts = || stem.split(['_', '-', '.', ' ']);
        if stem.starts_with("gqrx_") && parts().next_back() == Some("fc") {
            return Ok(Self::CF32);
        }
        parts().filter_map(parse).find(|format| format.is_complex()).ok_or_else(|| Error::NoFormatInName {
            path: path.to_owned(),
            suggestion: suggest(&extension),
            extension,
        })
    }
}

/// Reads a name of any family; `None` if it is unknown.
fn parse(name: &str) -> Option<SampleFormat> {
    let lower = name.to_ascii_lowercase();
    let name = ALIASES.iter().find(|(alias, _)| *alias == lower).map_or(lower.as_str(), |(_, name)| name);
    let (name, endian) = match (name.strip_suffix("_le"), name.strip_suffix("_be")) {
        (Some(name), _) => (name, Some(Endian::Little)),
        (_, Some(name)) => (name, Some(Endian::Big)),
        _ => (name, None),
    };
    let (shape, rest) = match name.as_bytes().first()? {
        b'c' => (Shape::Complex, &name[1..]),
        b'r' => (Shape::Real, &name[1..]),
        _ => (Shape::Real, name),
    };
    // Outside SigMF signed integers are `s`.
    let rest = rest.strip_prefix('s').map_or_else(|| rest.to_owned(), |bits| format!("i{bits}"));
    let number = Number::ALL.into_iter().find(|number| number.name() == rest)?;
    // `cu8_le` is allowed by the schema; there is only one way to read it.
    Some(SampleFormat::new(shape, number, endian.unwrap_or(Endian::Little)))
}

/// Returns the known name nearest to `name`.
fn suggest(name: &str) -> Option<String> {
    let mut known: Vec<String> =
        ["cu8", "cs8", "cs16", "cf32", "u8", "s8", "s16", "f32"].map(str::to_owned).to_vec();
    known.extend(ALIASES.iter().map(|(alias, _)| (*alias).to_owned()));
    known.extend(SampleFormat::all().map(|format| format.to_string()));
    nearest(name, known.iter().map(String::as_str)).map(str::to_owned)
}

impl FromStr for SampleFormat {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        parse(name).ok_or_else(|| Error::UnknownFormat { name: name.to_owned(), suggestion: suggest(name) })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sigmf_name_reads_back_as_itself() {
        assert_eq!(SampleFormat::all().count(), 28);
        for format in SampleFormat::all() {
            assert_eq!(format.to_string().parse::<SampleFormat>().unwrap(), format);
        }
    }

    #[test]
    fn a_name_without_byte_order_is_little_endian() {
        assert_eq!("cf32".parse::<SampleFormat>().unwrap().to_string(), "cf32_le");
        assert_eq!("ri16".parse::<SampleFormat>().unwrap().to_string(), "ri16_le");
    }

    #[test]
    fn names_of_files_soapysdr_and_uhd_are_understood() {
        for (name, sigmf) in [
            ("cu8", "cu8"),
            ("cs8", "ci8"),
            ("cs16", "ci16_le"),
            ("cf32", "cf32_le"),
            ("cfile", "cf32_le"),
            ("fc32", "cf32_le"),
            ("complex", "cf32_le"),
            ("complex16u", "cu8"),
            ("f32", "rf32_le"),
            ("s16", "ri16_le"),
            ("s8", "ri8"),
            ("u8", "ru8"),
            ("CF32", "cf32_le"),
            ("CS16", "ci16_le"),
            ("CS8", "ci8"),
            ("CU8", "cu8"),
            ("CF64", "cf64_le"),
            ("sc16", "ci16_le"),
            ("cs16_be", "ci16_be"),
        ] {
            assert_eq!(name.parse::<SampleFormat>().unwrap().to_string(), sigmf, "{name}");
        }
    }

    #[test]
    fn wrong_names_are_refused_and_the_nearest_is_suggested() {
        for (name, suggestion) in [
            ("cf23", Some("cf32")),
            ("cu9", Some("cu8")),
            ("cf32-le", Some("cf32_le")),
            ("cs12", Some("cs16")),
            ("", None),
            ("c", None),
            ("cf32_le ", Some("cf32_le")),
            ("ß", None),
        ] {
            match name.parse::<SampleFormat>() {
                Err(Error::UnknownFormat { name: got, suggestion: near }) => {
                    assert_eq!((got.as_str(), near.as_deref()), (name, suggestion));
                }
                other => panic!("{name:?} gave {other:?}"),
            }
        }
    }

    #[test]
    fn the_format_is_found_in_a_path() {
        for (path, sigmf) in [
            ("data/modes1_2Msps.cu8", "cu8"),
            ("x.CFILE", "cf32_le"),
            ("gqrx_20200102_030405_433920000_250000_fc.raw", "cf32_le"),
            ("noise_cs16.raw", "ci16_le"),
            ("a.b.s16", "ri16_le"),
        ] {
            assert_eq!(SampleFormat::from_path(path).unwrap().to_string(), sigmf, "{path}");
        }
    }

    #[test]
    fn a_path_that_tells_nothing_is_an_error_that_names_it() {
        let error = SampleFormat::from_path("dir/recording.cu9").unwrap_err().to_string();
        assert!(error.contains("dir/recording.cu9") && error.contains("\"cu8\""), "{error}");
        assert!(SampleFormat::from_path("recording").is_err());
        assert!(SampleFormat::from_path("").is_err());
    }
}
