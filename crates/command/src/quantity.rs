//! Rates, frequencies, times and positions as people write them: `2.4M`, `433.92MHz`, `250ksps`, `1.5s`.

/// Reads a sample rate in Hz: `2e6`, `2.4M`, `2.4Msps`, `48kHz`.
pub fn rate(text: &str) -> Result<f64, String> {
    let units = ["", "hz", "sps", "s/s", "samples/s"];
    match with_prefix(text, &units) {
        Some(rate) if (1e-3..=1e12).contains(&rate) => Ok(rate),
        Some(_) => Err("expected a rate from 0.001 Hz to 1 THz".to_owned()),
        None => Err("expected a rate, such as 2e6, 2.4M, 2.4Msps or 48kHz".to_owned()),
    }
}

/// Reads a frequency in Hz, which may be negative: `433.92M`, `-250e3`, `1.09GHz`.
pub fn frequency(text: &str) -> Result<f64, String> {
    match with_prefix(text, &["", "hz"]) {
        Some(frequency) if frequency.abs() <= 1e12 => Ok(frequency),
        Some(_) => Err("expected a frequency within ±1 THz".to_owned()),
        None => Err("expected a frequency, such as 433.92M, -250e3 or 1.09GHz".to_owned()),
    }
}

/// Reads a time in seconds: `10`, `1.5s`, `20ms`, `5min`.
pub fn seconds(text: &str) -> Result<f64, String> {
    let (number, unit) = split(text).ok_or_else(expected_time)?;
    let scale = if unit.is_empty() { 1.0 } else { time_unit(unit).ok_or_else(expected_time)? };
    match number * scale {
        seconds if seconds > 0.0 && seconds <= 1e9 => Ok(seconds),
        _ => Err("expected a time of more than 0 and at most 10⁹ seconds".to_owned()),
    }
}

fn expected_time() -> String {
    "expected a time, such as 10, 1.5s, 20ms or 5min".to_owned()
}

/// A place in a recording.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Position {
    /// So many samples from the first.
    Samples(u64),
    /// So many seconds from the first sample.
    Seconds(f64),
}

impl Position {
    /// The sample there: the first at or behind that time.
    pub fn sample(self, rate_hz: Option<f64>) -> Result<u64, String> {
        match (self, rate_hz) {
            (Position::Samples(samples), _) => Ok(samples),
            // A time such as 0.1 s need not be a whole number of samples by as much as a float is wrong.
            (Position::Seconds(seconds), Some(rate_hz)) => {
                Ok((seconds * rate_hz - 1e-6).ceil().max(0.0) as u64)
            }
            (Position::Seconds(seconds), None) => {
                Err(format!("{seconds} s need a sample rate: say it, as in --rate 2e6"))
            }
        }
    }
}

/// Reads a position: a time with its unit, or a number of samples, such as `1.5s`, `20ms`, `4096` or `2M`.
pub fn position(text: &str) -> Result<Position, String> {
    let wrong =
        || format!("expected a time or a number of samples, such as 1.5s, 20ms, 4096 or 2M, not {text:?}");
    let (number, unit) = split(text).ok_or_else(wrong)?;
    if let Some(scale) = time_unit(unit) {
        let seconds = number * scale;
        return if (0.0..=1e9).contains(&seconds) { Ok(Position::Seconds(seconds)) } else { Err(wrong()) };
    }
    let samples = with_prefix(text, &["", "samples"]).ok_or_else(wrong)?;
    match samples {
        samples if samples.fract() != 0.0 => {
            Err(format!("{text} is no whole number of samples; a time has a unit, as in {text}s"))
        }
        samples if (0.0..9e15).contains(&samples) => Ok(Position::Samples(samples as u64)),
        _ => Err(wrong()),
    }
}

/// Reads a number of samples, at least 1: `4096`, `2M`.
pub fn samples(text: &str) -> Result<u64, String> {
    match with_prefix(text, &["", "samples"]) {
        Some(n) if n.fract() == 0.0 && (1.0..9e15).contains(&n) => Ok(n as u64),
        _ => Err("expected a whole number of samples, such as 4096 or 2M".to_owned()),
    }
}

fn time_unit(unit: &str) -> Option<f64> {
    Some(match unit {
        "s" => 1.0,
        "ms" => 1e-3,
        "us" | "µs" | "μs" => 1e-6,
        "ns" => 1e-9,
        "min" => 60.0,
        "h" => 3600.0,
        _ => return None,
    })
}

/// A number with k, M, G or T and one of these units behind it.
fn with_prefix(text: &str, units: &[&str]) -> Option<f64> {
    let (number, rest) = split(text)?;
    let is_unit = |unit: &str| units.contains(&unit.to_ascii_lowercase().as_str());
    if is_unit(rest) {
        return Some(number);
    }
    let mut chars = rest.chars();
    let scale = match chars.next()? {
        'k' | 'K' => 1e3,
        'M' => 1e6,
        'G' => 1e9,
        'T' => 1e12,
        _ => return None,
    };
    is_unit(chars.as_str()).then(|| scaled(number, scale))
}

/// `number · scale`, without what is only a float's: 433.92 · 10⁶ is meant to be whole.
fn scaled(number: f64, scale: f64) -> f64 {
    let product = number * scale;
    if (product - product.round()).abs() < 1e-9 * product.abs() { product.round() } else { product }
}

/// A decimal number and what stands behind it.
fn split(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut end = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    end += digits(end);
    if bytes.get(end) == Some(&b'.') {
        end += 1;
        end += digits(end);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits((end + 1 + sign).min(bytes.len()));
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    let number = text[..end].parse::<f64>().ok().filter(|number| number.is_finite())?;
    Some((number, text[end..].trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_and_frequencies_have_prefixes_and_units() {
        for (text, hz) in [
            ("2e6", 2e6),
            ("2.4M", 2.4e6),
            ("2.4Msps", 2.4e6),
            ("2.4 MS/s", 2.4e6),
            ("48k", 48e3),
            ("48000Hz", 48e3),
            (".5", 0.5),
        ] {
            assert_eq!(rate(text), Ok(hz), "{text}");
        }
        for (text, hz) in [("433.92M", 433_920_000.0), ("-250e3", -250e3), ("1.09GHz", 1.09e9), ("0", 0.0)] {
            assert_eq!(frequency(text), Ok(hz), "{text}");
        }
        for wrong in ["", "M", "2x", "2m", "2Mbps", "nan", "inf", "-1", "0", "1e13", "2e6e"] {
            assert!(rate(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn times_have_units_and_positions_are_times_or_samples() {
        for (text, time) in [("10", 10.0), ("1.5s", 1.5), ("20ms", 0.02), ("2min", 120.0), ("5e-6s", 5e-6)] {
            assert_eq!(seconds(text), Ok(time), "{text}");
        }
        assert_eq!(position("1.5s"), Ok(Position::Seconds(1.5)));
        assert_eq!(position("2M"), Ok(Position::Samples(2_000_000)));
        assert_eq!(position("0"), Ok(Position::Samples(0)));
        assert!(position("1.5").unwrap_err().contains("1.5s"));
        for wrong in ["", "-1", "-1s", "1x", "s", "1e30"] {
            assert!(position(wrong).is_err(), "{wrong}");
        }
        assert_eq!(Position::Seconds(0.1).sample(Some(2e6)), Ok(200_000));
        assert_eq!(Position::Seconds(0.25).sample(Some(10.0)), Ok(3));
        assert!(Position::Seconds(1.0).sample(None).unwrap_err().contains("--rate"));
    }
}
