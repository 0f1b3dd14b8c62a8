//! Positions as text, and compressed. APRS Protocol Reference, chapters 6 to 9.

use superhet_runtime::Value;

/// An entry of what is said.
pub(super) type Entry = (&'static str, Value);

/// Degrees, rounded to what the text says at most.
pub(super) fn degrees(value: f64) -> Value {
    ((value * 1e6).round() / 1e6).into()
}

/// Characters that can be shown.
pub(super) fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>().trim().to_owned()
}

/// The number that ASCII digits say; spaces, which stand for digits that are withheld, count as 0.
fn number(bytes: &[u8]) -> Option<f64> {
    bytes.iter().try_fold(0.0, |sum, byte| match byte {
        b'0'..=b'9' => Some(10.0 * sum + f64::from(byte - b'0')),
        b' ' => Some(10.0 * sum),
        _ => None,
    })
}

/// An angle, `DDMM.mm` or `DDDMM.mm`, and the letter of its direction.
fn angle(bytes: &[u8], digits: usize, [positive, negative]: [u8; 2]) -> Option<f64> {
    let (degrees, minutes) = (bytes.get(..digits)?, bytes.get(digits..digits + 5)?);
    if minutes[2] != b'.' {
        return None;
    }
    let minutes = number(&minutes[..2])? + number(&minutes[3..])? / 100.0;
    let value = number(degrees)? + minutes / 60.0;
    match *bytes.get(digits + 5)? {
        sign if sign == positive => Some(value),
        sign if sign == negative => Some(-value),
        _ => None,
    }
}

/// A position, and what stands behind it.
pub(super) fn position(bytes: &[u8]) -> Option<(Vec<Entry>, &[u8])> {
    match bytes.first()? {
        b'0'..=b'9' | b' ' => plain(bytes),
        _ => compressed(bytes),
    }
}

/// `DDMM.mmN/DDDMM.mmW-`, the symbol's table and code among it, and what may follow of course, speed and altitude.
fn plain(bytes: &[u8]) -> Option<(Vec<Entry>, &[u8])> {
    let (text, rest) = bytes.split_at_checked(19)?;
    let latitude = angle(text, 2, [b'N', b'S']).filter(|latitude| latitude.abs() <= 90.0)?;
    let longitude = angle(&text[9..], 3, [b'E', b'W']).filter(|longitude| longitude.abs() <= 180.0)?;
    let mut said = vec![
        ("latitude_deg", degrees(latitude)),
        ("longitude_deg", degrees(longitude)),
        ("symbol", shown(&[text[8], text[18]]).into()),
    ];
    // Course and speed: `088/036`.
    let rest = match rest.split_at_checked(7) {
        Some((pair, behind))
            if pair[3] == b'/' && pair.iter().filter(|c| c.is_ascii_digit()).count() == 6 =>
        {
            said.push(("course_deg", number(&pair[..3])?.into()));
            said.push(("speed_kn", number(&pair[4..])?.into()));
            behind
        }
        _ => rest,
    };
    Some((said, rest))
}

/// The number that characters of base 91 say.
pub(super) fn base91(bytes: &[u8]) -> Option<f64> {
    bytes
        .iter()
        .try_fold(0.0, |sum, byte| (b'!'..=b'{').contains(byte).then(|| 91.0 * sum + f64::from(byte - b'!')))
}

/// `/YYYYXXXX$csT`. Chapter 9.
fn compressed(bytes: &[u8]) -> Option<(Vec<Entry>, &[u8])> {
    let (text, rest) = bytes.split_at_checked(13)?;
    let is_table = matches!(text[0], b'/' | b'\\' | b'A'..=b'Z' | b'a'..=b'j');
    if !is_table {
        return None;
    }
    let latitude = 90.0 - base91(&text[1..5])? / 380_926.0;
    let longitude = -180.0 + base91(&text[5..9])? / 190_463.0;
    let mut said = vec![
        ("latitude_deg", degrees(latitude)),
        ("longitude_deg", degrees(longitude)),
        ("symbol", shown(&[text[0], text[9]]).into()),
    ];
    let (c, s, kind) = (text[10], text[11], text[12].wrapping_sub(b'!'));
    let exponent = f64::from(s.wrapping_sub(b'!'));
    let round = |value: f64| (value * 10.0).round() / 10.0;
    match c {
        b' ' => {}
        // GGA: an altitude.
        _ if kind & 0x18 == 0x10 => {
            let feet = 1.002f64.powf(base91(&[c, s])?);
            said.push(("altitude_m", round(feet * 0.3048).into()));
        }
        b'{' => {}
        _ if (b'!'..=b'z').contains(&c) => {
            said.push(("course_deg", (f64::from(c - b'!') * 4.0).into()));
            said.push(("speed_kn", round(1.08f64.powf(exponent) - 1.0).into()));
        }
        _ => return None,
    }
    Some((said, rest))
}

/// The altitude that a comment has, `/A=001234` in feet. Chapter 6.
pub(super) fn altitude_m(comment: &[u8]) -> Option<f64> {
    let at = comment.windows(3).position(|three| three == b"/A=")? + 3;
    let feet = number(comment.get(at..at + 6)?)?;
    Some((feet * 3.048).round() / 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &[u8]) -> Option<String> {
        position(text).map(|(said, rest)| format!("{} {}", Value::map(said), shown(rest)))
    }

    #[test]
    fn positions_are_those_of_the_reference() {
        assert_eq!(
            said(b"4903.50N/07201.75W>088/036Test").as_deref(),
            Some(
                r#"{"course_deg":88.0,"latitude_deg":49.058333,"longitude_deg":-72.029167,"speed_kn":36.0,"symbol":"/>"} Test"#
            )
        );
        // Digits that are withheld.
        assert!(
            said(b"49  .  N/072  .  W-").unwrap().contains(r#""latitude_deg":49.0,"longitude_deg":-72.0"#)
        );
        // Chapter 9: 49° 30′ N, 72° 45′ W, course 88, 36.2 knots.
        assert_eq!(
            said(b"/5L!!<*e7>7P[comment").as_deref(),
            Some(
                r#"{"course_deg":88.0,"latitude_deg":49.5,"longitude_deg":-72.750004,"speed_kn":36.2,"symbol":"/>"} comment"#
            )
        );
        // The same with an altitude of 10004 feet.
        assert!(said(b"/5L!!<*e7>S]Q").unwrap().contains(r#""altitude_m":3049."#));
        assert_eq!(altitude_m(b"x/A=001234y"), Some(376.1));
    }

    #[test]
    fn what_is_no_position_is_none() {
        for wrong in [
            &b"4903.50X/07201.75W-"[..],
            b"4903.50N/07201.75",
            b"9903.50N/07201.75W-",
            b"#5L!!<*e7>7P[",
            b"",
            b"/5L!!",
        ] {
            assert_eq!(said(wrong), None, "{}", shown(wrong));
        }
    }
}
