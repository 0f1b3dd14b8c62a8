//! The clock of RDS: groups 4A. IEC 62106, section 6.1.5.6 and annex G.

/// The modified Julian day of 1 January 1970.
const FIRST_DAY: i64 = 40_587;
/// Minutes of a day.
const DAY: i64 = 24 * 60;

/// Blocks B, C and D of the group that says a minute since 1970, UTC, and the local offset in half hours.
pub(super) fn clock_blocks(minute: i64, offset: i8) -> [u16; 3] {
    let day = (FIRST_DAY + minute.div_euclid(DAY)) as u32 & 0x1_ffff;
    let (hour, minute) = (minute.rem_euclid(DAY) as u32 / 60, minute.rem_euclid(60) as u32);
    let offset = u32::from(offset.unsigned_abs()) | if offset < 0 { 32 } else { 0 };
    let low = (day & 0x7fff) << 17 | hour << 12 | minute << 6 | offset;
    [4 << 12 | (day >> 15) as u16, (low >> 16) as u16, low as u16]
}

/// The local time that such blocks say, as ISO 8601; none where they say no time.
pub(super) fn local_time([b, c, d]: [u16; 3]) -> Option<String> {
    let low = u32::from(c) << 16 | u32::from(d);
    let day = i64::from(u32::from(b & 3) << 15 | low >> 17);
    let (hour, minute) = (i64::from(low >> 12 & 31), i64::from(low >> 6 & 63));
    if hour > 23 || minute > 59 || day == 0 {
        return None;
    }
    let sign = if low & 32 == 0 { 1 } else { -1 };
    let offset = sign * 30 * i64::from(low & 31);
    let local = (day - FIRST_DAY) * DAY + hour * 60 + minute + offset;
    let (year, month, day) = date(local.div_euclid(DAY));
    let (hour, minute) = (local.rem_euclid(DAY) / 60, local.rem_euclid(60));
    let zone = match offset {
        0 => "Z".to_owned(),
        _ => {
            format!("{}{:02}:{:02}", if offset < 0 { '-' } else { '+' }, offset.abs() / 60, offset.abs() % 60)
        }
    };
    Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}{zone}"))
}

/// Year, month and day of a day since 1970, by the Gregorian calendar.
///
/// Years are counted from March on, so that the leap day is the last one.
fn date(day: i64) -> (i64, i64, i64) {
    // Days from 1 March 0000.
    let day = day + 719_468;
    let era = day.div_euclid(146_097);
    let day = day.rem_euclid(146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let (of_month, month) = (day - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    (era * 400 + year + i64::from(month <= 2), month, of_month)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minute_comes_back_as_its_date() {
        // From `date -u -d @… +%FT%R`.
        for (second, wanted) in [
            (0i64, "1970-01-01T00:00Z"),
            (951_782_340, "2000-02-28T23:59Z"),
            (951_827_640, "2000-02-29T12:34Z"),
            (1_735_689_600, "2025-01-01T00:00Z"),
            (1_795_626_900, "2026-11-25T17:15Z"),
        ] {
            assert_eq!(local_time(clock_blocks(second / 60, 0)).as_deref(), Some(wanted));
        }
        assert_eq!(local_time(clock_blocks(0, 2)).as_deref(), Some("1970-01-01T01:00+01:00"));
        assert_eq!(local_time(clock_blocks(0, -7)).as_deref(), Some("1969-12-31T20:30-03:30"));
    }

    #[test]
    fn blocks_are_those_of_the_standard_and_no_time_is_none() {
        // Annex G: 6 October 1985 is day 46 344. At 13:37, one hour ahead.
        let day = 46_344u32;
        let [b, c, d] = clock_blocks((i64::from(day) - FIRST_DAY) * DAY + 13 * 60 + 37, 2);
        assert_eq!((u32::from(b & 3) << 15 | u32::from(c >> 1), b >> 12), (day, 4));
        assert_eq!((c & 1, d >> 12, d >> 6 & 63, d & 63), (0, 13, 37, 2));
        assert_eq!(local_time([b, c, d]).as_deref(), Some("1985-10-06T14:37+01:00"));
        assert_eq!(local_time([0x4000, 0, 0]), None);
        assert_eq!(local_time([b, c | 1, d | 0xf << 12]), None, "31 o'clock");
    }
}
