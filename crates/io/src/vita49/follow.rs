//! Follows the packets of a stream: which are missing, and which come late.

use superhet_runtime::clock::Moment;

/// What a packet of samples is to those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// It comes next, behind so many samples that are missing.
    Next(u64),
    /// Nobody knows how many are missing.
    AfterUnknown,
    /// It was counted as missing, or came twice.
    Late,
}

/// How many packets may come late, where only their count tells.
const LATE: u64 = 3;
/// The count goes up to 15 and begins again.
const COUNTS: u64 = 16;
/// So many that come late in a row are those of a stream that has begun anew.
const MOST_LATE: u64 = 64;
/// A longer gap is none: the stream has begun anew, or its clock was set.
const MOST_MISSING: f64 = (1u64 << 40) as f64;

/// Where a stream stands.
#[derive(Debug, Default)]
pub(crate) struct Follow {
    /// The count that comes next, the time of its first sample, and how many samples the last packet had.
    next: Option<(u8, Option<Moment>, u64)>,
    /// How many have come late in a row.
    late: u64,
}

impl Follow {
    /// Takes a packet of so many samples into account; `time` is that of the first.
    ///
    /// The count tells how many packets are missing, but for multiples of 16; the time tells those. So the number of samples is
    /// exact, as long as packets are equally long, and the time is not off by 8 packets.
    pub fn place(&mut self, count: u8, time: Option<Moment>, samples: u64, rate_hz: Option<f64>) -> Place {
        let mut place = self.look(count, time, rate_hz);
        if place == Place::Late {
            self.late = self.late.saturating_add(1);
            if self.late > MOST_LATE {
                place = Place::AfterUnknown;
            }
        }
        if place != Place::Late {
            self.late = 0;
            let seconds = rate_hz.map(|rate_hz| samples as f64 / rate_hz);
            let after = time.zip(seconds).map(|(time, seconds)| time.plus(seconds));
            self.next = Some((count.wrapping_add(1) % COUNTS as u8, after, samples));
        }
        place
    }

    fn look(&self, count: u8, time: Option<Moment>, rate_hz: Option<f64>) -> Place {
        let Some((next, due, length)) = self.next else { return Place::Next(0) };
        let ahead = u64::from(count.wrapping_sub(next)) % COUNTS;
        let since = time.zip(due).zip(rate_hz).map(|((time, due), rate_hz)| time.since(due) * rate_hz);
        let Some(since) = since else {
            return if ahead >= COUNTS - LATE { Place::Late } else { Place::Next(ahead * length) };
        };
        if since.abs() > MOST_MISSING {
            return Place::AfterUnknown;
        }
        // So many packets of that length, and of those that the count allows the nearest.
        let packets = since / length.max(1) as f64;
        let turns = ((packets - ahead as f64) / COUNTS as f64).round();
        let missing = turns * COUNTS as f64 + ahead as f64;
        if missing < 0.0 { Place::Late } else { Place::Next(missing as u64 * length) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE_HZ: Option<f64> = Some(1000.0);

    fn at(milliseconds: i64) -> Option<Moment> {
        Some(Moment { seconds: 0, fraction: 0.0 }.plus(milliseconds as f64 / 1e3))
    }

    /// A stream of packets of 10 samples, and of 10 ms; gives the place of the packet of that number.
    fn places(numbers: &[i64], has_time: bool) -> Vec<Place> {
        let mut follow = Follow::default();
        let place = |number: &i64| {
            let time = at(number * 10).filter(|_| has_time);
            follow.place(number.rem_euclid(16) as u8, time, 10, RATE_HZ)
        };
        numbers.iter().map(place).collect()
    }

    #[test]
    fn the_count_tells_what_is_missing() {
        let wanted =
            [Place::Next(0), Place::Next(0), Place::Next(20), Place::Late, Place::Next(0), Place::Next(110)];
        for has_time in [false, true] {
            assert_eq!(places(&[14, 15, 18, 17, 19, 31], has_time), wanted);
        }
    }

    #[test]
    fn the_time_tells_how_often_the_count_went_round() {
        let missing = |packets: u64| Place::Next(10 * packets);
        assert_eq!(places(&[0, 17, 1018, 1020], true), [missing(0), missing(16), missing(1000), missing(1)]);
        assert_eq!(places(&[100, 60, 101], true), [missing(0), Place::Late, missing(0)]);
        assert_eq!(places(&[0, 17, 34], false), [missing(0), missing(0), missing(0)], "nothing tells");
    }

    #[test]
    fn a_clock_that_was_set_is_no_gap_of_years() {
        let mut follow = Follow::default();
        follow.place(0, at(0), 10, RATE_HZ);
        let year = Some(Moment { seconds: 2_000_000_000, fraction: 0.0 });
        assert_eq!(follow.place(1, year, 10, RATE_HZ), Place::AfterUnknown);
        assert_eq!(follow.place(2, year.map(|time| time.plus(0.01)), 10, RATE_HZ), Place::Next(0));
    }

    #[test]
    fn a_stream_that_begins_anew_is_believed_in_the_end() {
        let numbers: Vec<i64> = [1000].into_iter().chain(0..70).collect();
        let places = places(&numbers, true);
        assert!(places[1..65].iter().all(|place| *place == Place::Late));
        assert_eq!(places[65..67], [Place::AfterUnknown, Place::Next(0)]);
    }

    #[test]
    fn a_time_that_is_a_little_off_does_no_harm() {
        let mut follow = Follow::default();
        follow.place(0, at(0), 10, RATE_HZ);
        assert_eq!(
            follow.place(1, at(75), 10, RATE_HZ),
            Place::Next(0),
            "six packets late, and none is missing"
        );
        assert_eq!(follow.place(2, at(60), 10, RATE_HZ), Place::Next(0));
    }
}
