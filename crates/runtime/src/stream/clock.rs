//! When each item of a stream was taken, as its tags say.

use crate::data::keys::{CENTRE_KEY, GAP, RATE_KEY};
use crate::data::{Tag, Value};

/// A moment: whole seconds since 1970-01-01 00:00 UTC, and a fraction from 0 to below 1.
///
/// Two numbers, because one of 64 bits resolves today's seconds to a quarter of a microsecond only.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Moment {
    /// Whole seconds.
    pub seconds: i64,
    /// What is more than those, in seconds.
    pub fraction: f64,
}

impl From<Moment> for Value {
    /// A tuple of whole seconds and a fraction, as in the tag `rx_time`.
    fn from(moment: Moment) -> Self {
        let seconds = u64::try_from(moment.seconds).map_or(Value::Int(moment.seconds), Value::Uint);
        Value::Tuple([seconds, moment.fraction.into()].into())
    }
}

impl Moment {
    /// So many seconds later, or earlier.
    #[must_use]
    pub fn plus(self, seconds: f64) -> Self {
        let whole = seconds.floor();
        let fraction = self.fraction + (seconds - whole);
        let carry = fraction.floor();
        Moment { seconds: self.seconds + whole as i64 + carry as i64, fraction: fraction - carry }
    }

    /// The seconds from another moment to this one.
    pub fn since(self, other: Moment) -> f64 {
        (self.seconds - other.seconds) as f64 + (self.fraction - other.fraction)
    }

    /// The moment that a value says: a tuple of whole seconds and a fraction, as GNU Radio's `rx_time`; a number of
    /// seconds; or a text `YYYY-MM-DDTHH:MM:SS.sZ`.
    pub fn from_value(value: &Value) -> Option<Self> {
        if let Some(seconds) = value.as_f64() {
            return seconds.is_finite().then(|| Moment { seconds: 0, fraction: 0.0 }.plus(seconds));
        }
        if let Some(text) = value.as_str() {
            return Moment::from_text(text);
        }
        match &*value.as_list()? {
            [seconds, fraction] => {
                let fraction = fraction.as_f64().filter(|fraction| fraction.is_finite())?;
                Some(Moment { seconds: seconds.as_i64()?, fraction: 0.0 }.plus(fraction))
            }
            _ => None,
        }
    }

    fn from_text(text: &str) -> Option<Self> {
        let (date, time) = text.strip_suffix('Z')?.split_once('T')?;
        let number = |text: &str| text.parse::<i64>().ok();
        let mut date = date.splitn(3, '-').map(number);
        let (year, month, day) = (date.next()??, date.next()??, date.next()??);
        let mut time = time.splitn(3, ':');
        let (hour, minute) = (number(time.next()?)?, number(time.next()?)?);
        let second: f64 = time.next()?.parse().ok()?;
        let possible = (1..=12).contains(&month)
            && (1..=31).contains(&day)
            && (0..24).contains(&hour)
            && (0..60).contains(&minute)
            && (0.0..61.0).contains(&second)
            && (0..10_000).contains(&year);
        let start =
            Moment { seconds: days(year, month, day) * 86_400 + hour * 3600 + minute * 60, fraction: 0.0 };
        possible.then(|| start.plus(second))
    }
}

/// Days from 1970-01-01 in the Gregorian calendar: years that begin in March have their leap day last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let month = (month + 9) % 12;
    365 * year + year.div_euclid(4) - year.div_euclid(100)
        + year.div_euclid(400)
        + (153 * month + 2) / 5
        + day
        - 1
        - 719_468
}

/// Gives the time of any item of a stream from the tags before it; the same live and from a file.
///
/// | tag | says |
/// |---|---|
/// | `rx_time` | the time of its item; see [`Moment::from_value`] |
/// | `rx_rate` | items per second from its item on; through a rate change it becomes the rate behind it |
/// | `rx_freq` | the centre frequency in Hz from its item on |
/// | `gap` | how many items are missing before its item; where that is unknown, the time is, too, until the next `rx_time` |
///
/// After a decimator an item stands for several. Its time is that of one of them, at most one item off.
///
/// ```
/// use superhet_runtime::{Tag, Value, clock::{Moment, StreamClock}};
///
/// let tag = |index, key: &str, value: Value| Tag { index, key: key.into(), value, source: "radio".into() };
/// let mut clock = StreamClock::new();
/// clock.note(&tag(0, "rx_rate", 1e6.into()));
/// clock.note(&tag(1000, "rx_time", Value::Tuple([Value::Uint(1_700_000_000), 0.25.into()].into())));
/// assert_eq!(clock.time_of(251_000), Some(Moment { seconds: 1_700_000_000, fraction: 0.5 }));
/// ```
#[derive(Clone, Debug, Default)]
pub struct StreamClock {
    anchor: Option<Anchor>,
    rate_hz: Option<f64>,
    frequency_hz: Option<f64>,
}

/// An item whose time is known.
#[derive(Clone, Copy, Debug)]
struct Anchor {
    index: u64,
    time: Moment,
    /// Items that are missing behind it.
    missing: f64,
    /// Whether a tag has said the time of this very item.
    is_said: bool,
}

impl StreamClock {
    /// A clock that knows nothing yet.
    pub fn new() -> Self {
        StreamClock::default()
    }

    /// Takes over what a tag says; tags come in the order of the stream.
    pub fn note(&mut self, tag: &Tag) {
        match &*tag.key {
            "rx_time" => {
                if let Some(time) = Moment::from_value(&tag.value) {
                    self.anchor = Some(Anchor { index: tag.index, time, missing: 0.0, is_said: true });
                }
            }
            RATE_KEY => {
                // What came before goes at the rate from before.
                if let (Some(time), Some(_)) = (self.time_of(tag.index), self.rate_hz) {
                    let is_said = self.is_said(tag.index);
                    self.anchor = Some(Anchor { index: tag.index, time, missing: 0.0, is_said });
                }
                self.rate_hz =
                    tag.value.as_f64().filter(|rate| rate.is_finite() && *rate > 0.0).or(self.rate_hz);
            }
            // What is missing before an item does not change a time that was said of the item itself.
            GAP if self.is_said(tag.index) => {}
            GAP => match (tag.value.as_f64(), &mut self.anchor) {
                (Some(items), Some(anchor)) => anchor.missing += items,
                (Some(_), None) => {}
                (None, anchor) => *anchor = None,
            },
            CENTRE_KEY => self.frequency_hz = tag.value.as_f64().or(self.frequency_hz),
            _ => {}
        }
    }

    /// When the item `index` was taken; `None` as long as the tags have not said a time and a rate.
    pub fn time_of(&self, index: u64) -> Option<Moment> {
        let Anchor { index: from, time, missing, .. } = self.anchor?;
        let items = (i128::from(index) - i128::from(from)) as f64 + missing;
        if items == 0.0 {
            return Some(time);
        }
        Some(time.plus(items / self.rate_hz?))
    }

    fn is_said(&self, index: u64) -> bool {
        self.anchor.is_some_and(|anchor| anchor.is_said && anchor.index == index)
    }

    /// What the tags of the item `index` would have to say of all that is known, as keys and values: for a block that drops
    /// the items whose tags have said it.
    pub fn said_at(&self, index: u64) -> Vec<(&'static str, Value)> {
        let rate = self.rate_hz.map(|rate| (RATE_KEY, rate.into()));
        let centre = self.frequency_hz.map(|frequency| (CENTRE_KEY, frequency.into()));
        let time = self.time_of(index).map(|time| ("rx_time", time.into()));
        [rate, centre, time].into_iter().flatten().collect()
    }

    /// Items per second, as far as is known.
    pub fn rate_hz(&self) -> Option<f64> {
        self.rate_hz
    }

    /// The centre frequency in Hz, as far as is known.
    pub fn frequency_hz(&self) -> Option<f64> {
        self.frequency_hz
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_says_the_same_as_its_seconds() {
        for (text, seconds, fraction) in [
            ("1970-01-01T00:00:00Z", 0, 0.0),
            ("2000-02-29T12:00:00.5Z", 951_825_600, 0.5),
            ("2024-12-31T23:59:59.25Z", 1_735_689_599, 0.25),
        ] {
            assert_eq!(Moment::from_value(&text.into()), Some(Moment { seconds, fraction }), "{text}");
        }
        for text in ["2024-13-01T00:00:00Z", "2024-01-01", "x", "2024-01-01T25:00:00Z", "2024-01-01T00:00:00"]
        {
            assert_eq!(Moment::from_value(&text.into()), None, "{text}");
        }
        assert_eq!(Moment::from_value(&Value::Float(-0.25)), Some(Moment { seconds: -1, fraction: 0.75 }));
    }

    #[test]
    fn a_rate_that_changes_holds_from_its_item_on() {
        let tag = |index, key: &str, value: f64| Tag {
            index,
            key: key.into(),
            value: value.into(),
            source: "radio".into(),
        };
        let mut clock = StreamClock::new();
        assert_eq!(clock.time_of(0), None);
        clock.note(&tag(0, "rx_time", 10.0));
        clock.note(&tag(0, "rx_rate", 100.0));
        clock.note(&tag(200, "rx_rate", 50.0));
        assert_eq!(clock.time_of(300), Some(Moment { seconds: 14, fraction: 0.0 }));
        assert_eq!((clock.rate_hz(), clock.frequency_hz()), (Some(50.0), None));
    }

    #[test]
    fn what_is_missing_counts_as_time() {
        let tag =
            |index, key: &str, value: Value| Tag { index, key: key.into(), value, source: "radio".into() };
        let at = |seconds| Some(Moment { seconds, fraction: 0.0 });
        let mut clock = StreamClock::new();
        clock.note(&tag(0, "rx_time", 10.into()));
        clock.note(&tag(100, GAP, 200.into()));
        // The rate becomes known behind the gap, and changes right at the next one.
        clock.note(&tag(100, "rx_rate", 100.into()));
        assert_eq!(clock.time_of(200), at(14));
        clock.note(&tag(300, "rx_rate", 10.into()));
        clock.note(&tag(300, GAP, 10.into()));
        assert_eq!(clock.time_of(310), at(17));
        // A time that is said of the item behind a gap has the gap in it.
        clock.note(&tag(400, "rx_time", 50.into()));
        clock.note(&tag(400, GAP, 7.into()));
        assert_eq!(clock.time_of(410), at(51));
        clock.note(&tag(500, GAP, Value::Null));
        assert_eq!(clock.time_of(500), None);
        clock.note(&tag(600, "rx_time", 60.into()));
        assert_eq!(clock.time_of(610), at(61));
    }
}
