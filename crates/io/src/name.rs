//! What recorders write into the names of their files: rate, centre frequency, format, time.

use std::path::Path;

use crate::format::SampleFormat;
use crate::sigmf::datetime;

/// What the name of a file says about the recording in it.
///
/// | recorder | name | read as |
/// |---|---|---|
/// | rtl_433 | `g001_433.92M_250k.cu8` | `M`, `MHz`, `kHz`, `Hz`: centre; `k`, `sps`, `ksps`, `Msps`: rate |
/// | inspectrum | `c433920000_s250000.cf32` | `c`: centre, `s`: rate |
/// | gqrx | `gqrx_20200102_030405_433920000_250000_fc.raw` | time (UTC), centre, rate, `fc` = cf32 |
/// | SDR# | `SDRSharp_20150303_122423Z_403000kHz_IQ.wav` | time, centre |
/// | SatDump | `2023-08-05_08-02-00_16000000SPS_2274000000Hz.s8` | rate, centre |
///
/// It is a guess: what the caller says, or a header says, goes before it. Nothing found is `None`, never an
/// error. SatDump's extension `s8` means complex there; the format is read as this crate reads it, real.
///
/// # Example
///
/// ```
/// use superhet_io::{NameHints, SampleFormat};
///
/// let hints = NameHints::from_path("recordings/g001_433.92M_250k.cu8");
/// assert_eq!(hints.center_hz, Some(433.92e6));
/// assert_eq!(hints.sample_rate_hz, Some(250e3));
/// assert_eq!(hints.format, Some(SampleFormat::CU8));
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NameHints {
    /// The sample format.
    pub format: Option<SampleFormat>,
    /// The sample rate in samples per second.
    pub sample_rate_hz: Option<f64>,
    /// The centre frequency in Hz.
    pub center_hz: Option<f64>,
    /// When the recording began, `YYYY-MM-DDTHH:MM:SSZ`.
    pub datetime: Option<String>,
}

impl NameHints {
    /// Reads the last part of `path`; the directories do not count.
    pub fn from_path(path: impl AsRef<Path>) -> Self {
        let path = path.as_ref();
        let mut hints = NameHints { format: SampleFormat::from_path(path).ok(), ..NameHints::default() };
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let parts: Vec<&str> = stem.split(['_', '-', ' ']).collect();
        if hints.read_gqrx(&parts) {
            return hints;
        }
        for part in &parts {
            hints.read_part(part);
        }
        for pair in parts.windows(2) {
            if let Some(time) = pair[1].strip_suffix('Z') {
                hints.datetime = hints.datetime.or_else(|| join_datetime(pair[0], time));
            }
        }
        hints
    }

    /// `gqrx_date_time_centre_rate_fc`, all of it or nothing.
    fn read_gqrx(&mut self, parts: &[&str]) -> bool {
        let ["gqrx", date, time, center, rate, "fc"] = parts else { return false };
        let (Ok(center), Ok(rate)) = (center.parse::<u64>(), rate.parse::<u64>()) else { return false };
        self.center_hz = Some(center as f64);
        self.sample_rate_hz = Some(rate as f64).filter(|&rate| rate > 0.0);
        self.datetime = join_datetime(date, time);
        true
    }

    /// One part, a number with its unit behind it or inspectrum's letter before it; the first of a kind wins.
    fn read_part(&mut self, part: &str) {
        let digits = part.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(part.len());
        let (number, unit) = part.split_at(digits);
        if let Some(value) = finite(number) {
            let center = match unit {
                "Hz" => Some(1.0),
                "kHz" => Some(1e3),
                "M" | "MHz" => Some(1e6),
                "G" | "GHz" => Some(1e9),
                _ => None,
            };
            let rate = match unit {
                "sps" | "SPS" | "Sps" => Some(1.0),
                "k" | "ksps" | "kSps" | "kSPS" => Some(1e3),
                "Msps" | "MSps" | "MSPS" => Some(1e6),
                "Gsps" => Some(1e9),
                _ => None,
            };
            set(&mut self.center_hz, center.map(|scale| scaled(value, scale)));
            set(&mut self.sample_rate_hz, rate.map(|scale| scaled(value, scale)));
        } else if let Some(number) = part.strip_prefix('c') {
            set(&mut self.center_hz, with_suffix(number));
        } else if let Some(number) = part.strip_prefix('s') {
            set(&mut self.sample_rate_hz, with_suffix(number));
        }
    }
}

/// Keeps the first value, and none that is zero.
fn set(slot: &mut Option<f64>, value: Option<f64>) {
    *slot = slot.or(value.filter(|&value| value > 0.0));
}

/// `value · scale`, free of the binary dust of 433.92 · 10⁶ where the result is meant to be whole.
fn scaled(value: f64, scale: f64) -> f64 {
    let exact = value * scale;
    if (exact - exact.round()).abs() < 1e-9 * exact { exact.round() } else { exact }
}

/// A decimal number without sign and exponent, so that names like `nan` and `1e9` are left alone.
fn finite(text: &str) -> Option<f64> {
    let plain = text.starts_with(|c: char| c.is_ascii_digit());
    text.parse::<f64>().ok().filter(|value| plain && value.is_finite())
}

/// A number of inspectrum's, perhaps with k, M or G. Below 1000 it is no frequency but a count (`c1`) or a
/// format (`s16`).
fn with_suffix(text: &str) -> Option<f64> {
    let (number, scale) = match text.as_bytes().last()? {
        b'k' => (&text[..text.len() - 1], 1e3),
        b'M' => (&text[..text.len() - 1], 1e6),
        b'G' => (&text[..text.len() - 1], 1e9),
        _ => (text, 1.0),
    };
    finite(number).map(|value| scaled(value, scale)).filter(|&value| value >= 1000.0)
}

/// `20150303` and `122423` to `2015-03-03T12:24:23Z`; `None` unless that is a date and a time.
fn join_datetime(date: &str, time: &str) -> Option<String> {
    let digits = |text: &str, len| text.len() == len && text.bytes().all(|b| b.is_ascii_digit());
    if !digits(date, 8) || !digits(time, 6) {
        return None;
    }
    let text = format!(
        "{}-{}-{}T{}:{}:{}Z",
        &date[..4],
        &date[4..6],
        &date[6..],
        &time[..2],
        &time[2..4],
        &time[4..]
    );
    datetime::is_valid(&text).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn expect(path: &str, center_hz: Option<f64>, sample_rate_hz: Option<f64>, datetime: Option<&str>) {
        let hints = NameHints::from_path(path);
        assert_eq!(hints.center_hz, center_hz, "centre of {path}");
        assert_eq!(hints.sample_rate_hz, sample_rate_hz, "rate of {path}");
        assert_eq!(hints.datetime.as_deref(), datetime, "time of {path}");
    }

    #[test]
    fn names_of_rtl_433_are_read() {
        expect("g001_433.92M_250k.cu8", Some(433.92e6), Some(250e3), None);
        expect("/a_b/g001_868.3MHz_1024ksps.cs16", Some(868.3e6), Some(1024e3), None);
        expect("modes1_2Msps.cu8", None, Some(2e6), None);
    }

    #[test]
    fn names_of_inspectrum_are_read() {
        expect("c433920000_s250000.cf32", Some(433_920_000.0), Some(250_000.0), None);
        expect("gfsk-c433.92M-s1.2M.cfile", Some(433.92e6), Some(1.2e6), None);
    }

    #[test]
    fn names_of_gqrx_are_read() {
        let name = "gqrx_20200102_030405_433920000_250000_fc.raw";
        expect(name, Some(433_920_000.0), Some(250_000.0), Some("2020-01-02T03:04:05Z"));
        assert_eq!(NameHints::from_path(name).format, Some(SampleFormat::CF32));
    }

    #[test]
    fn names_of_sdrsharp_and_satdump_are_read() {
        expect("SDRSharp_20150303_122423Z_403000kHz_IQ.wav", Some(403e6), None, Some("2015-03-03T12:24:23Z"));
        expect("2023-08-05_08-02-00_16000000SPS_2274000000Hz.s8", Some(2274e6), Some(16e6), None);
    }

    #[test]
    fn names_that_tell_nothing_give_nothing() {
        for name in ["", "recording", "audio_s16.raw", "take_2.wav", "c1_s8.bin", "nan_inf.raw", "x_0k_0M"] {
            expect(name, None, None, None);
        }
        expect("SDRSharp_20151303_122423Z_1kHz.wav", Some(1000.0), None, None);
        expect("gqrx_1_2_3_x_fc.raw", None, None, None);
    }
}
