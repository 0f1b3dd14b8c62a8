//! Times as SigMF writes them: RFC 3339 in UTC, `2026-11-20T14:17:00.25Z`.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use superhet_runtime::{Value, clock::Moment};

/// Returns whether `text` is `YYYY-MM-DDTHH:MM:SS[.fraction]Z` and a day that exists.
///
/// The specification allows no other offset than `Z`. A leap second (`:60`) passes.
///
/// **Source**: SigMF 1.2.5, `core:datetime`; RFC 3339, section 5.6.
///
/// # Example
///
/// ```
/// use superhet_io::sigmf::datetime::is_valid;
///
/// assert!(is_valid("1955-11-05T14:00:00.000Z"));
/// assert!(!is_valid("1955-11-05 14:00:00"));
/// assert!(!is_valid("2025-02-29T00:00:00Z"));
/// ```
pub fn is_valid(text: &str) -> bool {
    let bytes = text.as_bytes();
    let shape = b"dddd-dd-ddTdd:dd:dd";
    let fits = bytes.len() > shape.len()
        && bytes.iter().zip(shape).all(|(b, s)| if *s == b'd' { b.is_ascii_digit() } else { b == s });
    if !fits {
        return false;
    }
    let number = |at: usize| u32::from(bytes[at] - b'0') * 10 + u32::from(bytes[at + 1] - b'0');
    let year = number(0) * 100 + number(2);
    let (month, day, hour, minute, second) = (number(5), number(8), number(11), number(14), number(17));
    let tail = &bytes[shape.len()..];
    let tail_fits = match tail {
        b"Z" => true,
        [b'.', fraction @ .., b'Z'] => !fraction.is_empty() && fraction.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    (1..=12).contains(&month)
        && (1..=days_in_month(year, month)).contains(&day)
        && hour < 24
        && minute < 60
        && second <= 60
        && tail_fits
}

fn days_in_month(year: u32, month: u32) -> u32 {
    match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Writes a time with microseconds; times before 1970 become 1970, after 9999 its last second.
///
/// # Example
///
/// ```
/// use std::time::{Duration, UNIX_EPOCH};
/// use superhet_io::sigmf::datetime::format;
///
/// let time = UNIX_EPOCH + Duration::from_micros(951_782_400_250_000);
/// assert_eq!(format(time), "2000-02-29T00:00:00.250000Z");
/// ```
pub fn format(time: SystemTime) -> String {
    const LAST: Duration = Duration::new(253_402_300_799, 999_999_999);
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default().min(LAST);
    let (days, second) = (since.as_secs() / 86_400, since.as_secs() % 86_400);
    // The civil date from a day count, in eras of 400 years that begin on 1 March.
    // Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days.
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.{:06}Z",
        second / 3600,
        second / 60 % 60,
        second % 60,
        since.subsec_micros()
    )
}

/// Writes a moment with nanoseconds; `None` of one before 1970 or after 9999.
pub(crate) fn of_moment(moment: Moment) -> Option<String> {
    let nanoseconds = ((moment.fraction * 1e9).round() as u32).min(999_999_999);
    let seconds = u64::try_from(moment.seconds).ok().filter(|seconds| *seconds < 253_402_300_800)?;
    let whole = format(UNIX_EPOCH + Duration::from_secs(seconds));
    Some(format!("{}.{nanoseconds:09}Z", whole.strip_suffix(".000000Z")?))
}

/// The time so many seconds after the one that `text` is; `None` where it is none, or leaves the years 1970 to 9999.
pub(crate) fn later(text: &str, seconds: f64) -> Option<String> {
    of_moment(Moment::from_value(&Value::from(text))?.plus(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_that_do_not_exist_are_refused() {
        for good in ["2000-02-29T00:00:00Z", "2016-12-31T23:59:60Z", "2021-06-18T23:17:51.163959Z"] {
            assert!(is_valid(good), "{good}");
        }
        for bad in [
            "",
            "2021-06-18",
            "2021-06-18T23:17:51",
            "2021-06-18T23:17:51+00:00",
            "2021-06-18T23:17:51.Z",
            "2021-06-18T23:17:51.1x9Z",
            "2021-13-18T23:17:51Z",
            "1900-02-29T00:00:00Z",
            "2021-00-18T23:17:51Z",
            "2021-06-31T23:17:51Z",
            "2021-06-18T24:00:00Z",
            "2021-06-18T23:60:00Z",
            "2021-06-18t23:17:51Z",
            "2021-06-18T23:17:51ZZ",
            "2021-06-18T23:17:51é",
        ] {
            assert!(!is_valid(bad), "{bad}");
        }
    }

    #[test]
    fn every_day_of_four_centuries_is_formatted_to_the_day_after_the_last() {
        let (mut year, mut month, mut day) = (1970, 1, 1);
        for days in 0..146_097 {
            let text = format(UNIX_EPOCH + Duration::from_secs(days * 86_400));
            assert_eq!(text, format!("{year:04}-{month:02}-{day:02}T00:00:00.000000Z"));
            day += 1;
            if day > days_in_month(year, month) {
                (month, day) = (month + 1, 1);
            }
            if month > 12 {
                (year, month) = (year + 1, 1);
            }
        }
        assert!(is_valid(&format(SystemTime::now())));
    }
}
