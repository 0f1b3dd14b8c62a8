//! The codes of GPS satellites.

/// Codes of this kind are numbered from 1 to this.
pub const GPS_CODES: usize = 32;
/// Chips of a code.
pub const GPS_CHIPS: usize = 1023;
/// Chips per second.
pub const GPS_CHIP_RATE_HZ: f64 = 1.023e6;

/// The two stages of the second register that each satellite's code is added of.
#[rustfmt::skip]
const STAGES: [(u32, u32); GPS_CODES] = [
    (2, 6), (3, 7), (4, 8), (5, 9), (1, 9), (2, 10), (1, 8), (2, 9), (3, 10), (2, 3), (3, 4), (5, 6), (6, 7), (7, 8), (8, 9), (9, 10),
    (1, 4), (2, 5), (3, 6), (4, 7), (5, 8), (6, 9), (1, 3), (4, 6), (5, 7), (6, 8), (7, 9), (8, 10), (1, 6), (2, 7), (3, 8), (4, 9),
];

/// The C/A code of a satellite by its number (PRN), as −1 for a one and 1 for a zero; `None` unless it is 1 to 32.
///
/// **Source**: IS-GPS-200, section 3.3.2.3 and table 3-Ia.
pub fn gps_ca_code(number: usize) -> Option<Vec<f32>> {
    let (a, b) = *STAGES.get(number.checked_sub(1)?)?;
    // Stage n of a register is its bit n − 1.
    let sum =
        |register: u32, stages: &[u32]| stages.iter().fold(0, |sum, stage| sum ^ register >> (stage - 1) & 1);
    let (mut first, mut second) = (0x3ff, 0x3ff);
    let chip = |_| {
        let chip = sum(first, &[10]) ^ sum(second, &[a, b]);
        first = (first << 1 | sum(first, &[3, 10])) & 0x3ff;
        second = (second << 1 | sum(second, &[2, 3, 6, 8, 9, 10])) & 0x3ff;
        if chip == 1 { -1.0 } else { 1.0 }
    };
    Some((0..GPS_CHIPS).map(chip).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first ten chips in octal, of table 3-Ia.
    #[test]
    fn codes_begin_as_the_table_says() {
        for (number, octal) in
            [(1, 0o1440), (2, 0o1620), (5, 0o1133), (10, 0o1504), (17, 0o1156), (26, 0o1761), (32, 0o1712)]
        {
            let code = gps_ca_code(number).unwrap();
            let bits = code[..10].iter().fold(0, |bits, chip| bits << 1 | u32::from(*chip < 0.0));
            assert_eq!(bits, octal, "{number}: {bits:o}");
        }
        assert_eq!((gps_ca_code(0), gps_ca_code(33)), (None, None));
    }
}
