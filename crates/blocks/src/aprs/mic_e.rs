//! Positions in the form Mic-E, half of which is the destination. APRS Protocol Reference, chapter 10.

use superhet_runtime::Value;

use super::position::{Entry, base91, degrees, shown};

/// A character of the destination: a digit, whether its bit is set, and whether it is of the standard set or a custom one.
#[derive(Clone, Copy)]
struct Letter {
    digit: u8,
    bit: Bit,
}

#[derive(Clone, Copy, PartialEq)]
enum Bit {
    Zero,
    Standard,
    Custom,
}

impl Letter {
    fn of(byte: u8) -> Option<Letter> {
        let (digit, bit) = match byte {
            b'0'..=b'9' => (byte - b'0', Bit::Zero),
            b'A'..=b'J' => (byte - b'A', Bit::Custom),
            // Digits that are withheld.
            b'K' => (0, Bit::Custom),
            b'L' => (0, Bit::Zero),
            b'P'..=b'Y' => (byte - b'P', Bit::Standard),
            b'Z' => (0, Bit::Standard),
            _ => return None,
        };
        Some(Letter { digit, bit })
    }
}

const STANDARD: [&str; 8] =
    ["emergency", "priority", "special", "committed", "returning", "in service", "en route", "off duty"];

/// What the destination's six letters and the information behind its type say.
pub(super) fn mic_e(to: &[u8], info: &[u8]) -> Option<Vec<Entry>> {
    let letters: Vec<Letter> = to.iter().map(|byte| Letter::of(*byte)).collect::<Option<_>>()?;
    let letters: [Letter; 6] = letters.try_into().ok()?;
    let digits = letters.map(|letter| f64::from(letter.digit));
    let is_set = |n: usize| letters[n].bit == Bit::Standard;
    let latitude = digits[0] * 10.0
        + digits[1]
        + (digits[2] * 10.0 + digits[3] + digits[4] / 10.0 + digits[5] / 100.0) / 60.0;
    let (numbers, rest) = info.split_at_checked(6)?;
    if numbers.iter().any(|byte| *byte < 28) {
        return None;
    }
    let numbers: Vec<u32> = numbers.iter().map(|byte| u32::from(byte - 28)).collect();
    let whole = match numbers[0] + if is_set(4) { 100 } else { 0 } {
        whole @ 180..=189 => whole - 80,
        whole @ 190..=199 => whole - 190,
        whole => whole,
    };
    let minutes = f64::from(numbers[1] % 60) + f64::from(numbers[2]) / 100.0;
    let longitude = f64::from(whole) + minutes / 60.0;
    if latitude > 90.0 || longitude > 180.0 {
        return None;
    }
    let speed = (numbers[3] * 10 + numbers[4] / 10) % 800;
    let course = (numbers[4] % 10 * 100 + numbers[5]) % 400;
    let (symbol, comment) = rest.split_at_checked(2)?;
    let mut said = vec![
        ("latitude_deg", degrees(if is_set(3) { latitude } else { -latitude })),
        ("longitude_deg", degrees(if is_set(5) { -longitude } else { longitude })),
        ("speed_kn", f64::from(speed).into()),
        ("symbol", shown(&[symbol[1], symbol[0]]).into()),
    ];
    if course > 0 {
        said.push(("course_deg", f64::from(course).into()));
    }
    let code = letters[..3].iter().fold(0, |code, letter| code << 1 | usize::from(letter.bit != Bit::Zero));
    let is_custom = letters[..3].iter().any(|letter| letter.bit == Bit::Custom);
    let status = match (code, is_custom) {
        (0, _) | (_, false) => STANDARD[code].to_owned(),
        _ => format!("custom {}", 7 - code),
    };
    said.push(("status", status.into()));
    // A letter of the device may be before it.
    let altitude = (0..2).find_map(|from| {
        let text = comment.get(from..from + 4)?;
        (text[3] == b'}').then(|| base91(&text[..3])).flatten()
    });
    said.extend(altitude.map(|altitude| ("altitude_m", Value::from(altitude - 10_000.0))));
    let comment = shown(comment);
    if !comment.is_empty() {
        said.push(("comment", comment.into()));
    }
    Some(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_that_of_the_reference() {
        let said = Value::map(mic_e(b"S32U6T", b"(_fn\"Oj/").unwrap()).to_string();
        let wanted = r#"{"course_deg":251.0,"latitude_deg":33.427333,"longitude_deg":-12.129,"speed_kn":20.0,"status":"returning","symbol":"/j"}"#;
        assert_eq!(said, wanted);
        // "4T} is 61 m.
        let said = Value::map(mic_e(b"S32U6T", b"(_fn\"Oj/\"4T}hello").unwrap());
        assert_eq!(said.get("altitude_m"), Some(&61.0.into()));
        assert_eq!(
            Value::map(mic_e(b"A32U6T", b"(_fn\"Oj/").unwrap()).get("status"),
            Some(&"custom 3".into())
        );
    }

    #[test]
    fn what_is_no_position_is_none() {
        for (to, info) in [
            (&b"S32U6"[..], &b"(_fn\"Oj/"[..]),
            (b"S32U6!", b"(_fn\"Oj/"),
            (b"S32U6T", b"(_fn\"Oj"),
            (b"S32U6T", b"\x01_fn\"Oj/"),
        ] {
            assert!(mic_e(to, info).is_none());
        }
    }
}
