//! Reads the names of sample formats: those of SigMF, of files, of SoapySDR and of UHD.

use std::path::Path;
use std::str::FromStr;

use superhet_runtime::error::nearest;

use crate::error::Error;
use crate::format::{Endian, Number, SampleFormat, Shape};

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
    /// Finds the format in the name of a file: by its extension, else by a part of its name.
    ///
    /// A part stands between `_`, `-`, `.` or spaces. It counts only if it is a complex format (`noise_cs16.raw`), or `fc`
    /// at the end of a gqrx name; `raw`, `iq`, `bin` and `dat` say nothing.
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
