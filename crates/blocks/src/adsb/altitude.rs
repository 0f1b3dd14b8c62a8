//! Altitude and identity codes: 12 or 13 bits, in steps of 25 ft or as a Gillham code.

/// An altitude as it is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Altitude {
    /// In feet.
    Feet(i32),
    /// Marked as metric; the standard reserves this without a coding.
    Metric,
    /// Not available, or a code without a meaning.
    Unknown,
}

impl Altitude {
    /// The altitude in feet, if that is how it is sent.
    pub fn feet(self) -> Option<i32> {
        match self {
            Altitude::Feet(feet) => Some(feet),
            Altitude::Metric | Altitude::Unknown => None,
        }
    }
}

/// The altitude in a 13-bit field `C1 A1 C2 A2 C4 A4 M B1 Q B2 D2 B4 D4`, as in DF0, 4, 16 and 20.
///
/// **Source**: ICAO Annex 10 Vol. IV, 3.1.2.6.5.4.
pub fn altitude_13(code: u32) -> Altitude {
    const METRIC: u32 = 0x40;
    const QUARTER: u32 = 0x10;
    let code = code & 0x1FFF;
    if code == 0 {
        Altitude::Unknown
    } else if code & METRIC != 0 {
        Altitude::Metric
    } else if code & QUARTER != 0 {
        // The bits around M and Q, moved together, count 25 ft.
        let count = (code & 0x1F80) >> 2 | (code & 0x20) >> 1 | code & 0xF;
        Altitude::Feet(count as i32 * 25 - 1000)
    } else {
        gillham(code).map_or(Altitude::Unknown, Altitude::Feet)
    }
}

/// The altitude in a 12-bit field, which is the 13-bit one without M, as in DF17 and DF18.
pub fn altitude_12(code: u32) -> Altitude {
    altitude_13((code & 0xFC0) << 1 | code & 0x3F)
}

/// The four octal digits in a 13-bit identity field `C1 A1 C2 A2 C4 A4 X B1 D1 B2 D2 B4 D4`, as a decimal number.
///
/// **Source**: ICAO Annex 10 Vol. IV, 3.1.2.6.7.1.
pub fn squawk(code: u32) -> u16 {
    // From each first bit (worth 1), the bits worth 2 and 4 follow two and four places to the right.
    let digit = |first: u32| {
        let bit = |place: u32| code >> place & 1;
        (bit(first) | bit(first - 2) << 1 | bit(first - 4) << 2) as u16
    };
    digit(11) * 1000 + digit(5) * 100 + digit(12) * 10 + digit(4)
}

/// Feet of a 13-bit code without M and Q, in steps of 100 ft.
///
/// `D2 D4 A1 A2 A4 B1 B2 B4` is a Gray code of 500 ft steps; `C1 C2 C4` is one of the five 100 ft steps in it,
/// which run backwards in odd steps of 500 ft.
fn gillham(code: u32) -> Option<i32> {
    let collect = |places: &[u32]| places.iter().fold(0, |value, place| value << 1 | (code >> place & 1));
    let binary = |gray: u32| (0..8).fold(0, |value, shift| value ^ gray >> shift) as i32;
    let coarse = binary(collect(&[2, 0, 11, 9, 7, 5, 3, 1]));
    let fine = match binary(collect(&[12, 10, 8])) {
        step @ 1..=4 => step,
        7 => 5,
        _ => return None,
    };
    let fine = if coarse % 2 == 0 { fine } else { 6 - fine };
    Some(coarse * 500 + fine * 100 - 1300)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_of_25_feet_are_counted_from_minus_1000() {
        assert_eq!(altitude_13(0x0010), Altitude::Feet(-1000));
        assert_eq!(altitude_12(0xC38), Altitude::Feet(38_000));
        assert_eq!(altitude_13(0), Altitude::Unknown);
        assert_eq!(altitude_13(0x0050), Altitude::Metric);
    }

    #[test]
    fn every_hundred_feet_has_one_gillham_code() {
        let mut all: Vec<i32> = (0..0x2000).filter(|code| code & 0x50 == 0).filter_map(gillham).collect();
        all.sort_unstable();
        let expected: Vec<i32> = (-12..=1267).map(|hundreds| hundreds * 100).collect();
        assert_eq!(all, expected);
    }

    #[test]
    fn neighbouring_gillham_codes_differ_in_one_bit() {
        let mut codes: Vec<(i32, u32)> = (0..0x2000u32)
            .filter(|code| code & 0x50 == 0)
            .filter_map(|code| Some((gillham(code)?, code)))
            .collect();
        codes.sort_unstable();
        assert!(codes.windows(2).all(|pair| (pair[0].1 ^ pair[1].1).count_ones() == 1));
    }

    #[test]
    fn gillham_codes_of_the_standard_are_read() {
        // C2 alone is -1000 ft; C4 alone is -1200 ft.
        assert_eq!(altitude_13(0x0400), Altitude::Feet(-1000));
        assert_eq!(altitude_13(0x0100), Altitude::Feet(-1200));
    }

    #[test]
    fn a_squawk_is_read_digit_by_digit() {
        // A = 7: A1 A2 A4; D = 4: D4.
        assert_eq!(squawk(0b0_1010_1000_0001), 7004);
        assert_eq!(squawk(0x1FFF), 7777);
        assert_eq!(squawk(0), 0);
    }
}
