//! What a block makes of the rate and the centre frequency that tags say.

use super::keys::{CENTRE_KEY, GAP, GAP_FILLED, RATE_KEY};
use super::{Ratio, Tag};

/// How the rate and the centre frequency of a block's output follow from those of its input: for the tags that say them.
///
/// | tag | behind the block |
/// |---|---|
/// | `rx_rate` | times items out for an item in |
/// | `gap`, `gap_filled` | the same |
/// | `rx_freq` | plus the shift, which is a part of the input's rate |
///
/// Pure and sync blocks have theirs of their [`Shape`](crate::Shape). A general
/// block gives it to the output ([`Out::converted`](crate::Out::converted)), which all tags then go through.
///
/// As long as a stream has not said its rate, nobody knows by how many hertz the centre moves. A centre then waits for the
/// rate, and becomes known behind the block with it.
///
/// ```
/// use superhet_runtime::{Ratio, Tag, tag::Conversion};
///
/// let mut conversion = Conversion::new(Ratio::decimate(4)).shifted(0.25);
/// let mut said = Vec::new();
/// for (key, value) in [("rx_freq", 100e6), ("rx_rate", 1e6)] {
///     let tag = Tag { index: 0, key: key.into(), value: value.into(), source: "radio".into() };
///     conversion.carry(tag, |tag| said.push((tag.key.to_string(), tag.value.as_f64().unwrap_or(0.0))));
/// }
/// assert_eq!(said, [("rx_rate".to_string(), 250e3), ("rx_freq".to_string(), 100.25e6)]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Conversion {
    /// Items out for so many items in.
    ratio: (f64, f64),
    shift: f64,
    /// What the input's tags have said last.
    rate: Option<Tag>,
    centre: Option<Tag>,
}

impl Conversion {
    /// So many items out for an item in; the centre stays.
    pub fn new(ratio: Ratio) -> Self {
        Conversion {
            ratio: (ratio.interpolation as f64, ratio.decimation as f64),
            shift: 0.0,
            rate: None,
            centre: None,
        }
    }

    /// As `new`, for a rate that is no ratio of whole numbers.
    pub fn of_rate(items_out_per_item_in: f64) -> Self {
        Conversion { ratio: (items_out_per_item_in, 1.0), ..Conversion::new(Ratio::ONE) }
    }

    /// What lay at `shift` times the input's rate comes to 0 Hz. A band of samples repeats at the rate, so it is a shift by
    /// −½ to ½.
    #[must_use]
    pub fn shifted(self, shift: f64) -> Self {
        self.moved(shift - shift.round())
    }

    /// As `shifted`, by any part of the input's rate: for a block that puts a band into a wider one.
    #[must_use]
    pub fn moved(mut self, shift: f64) -> Self {
        self.shift = shift;
        self
    }

    /// The shift, as a part of the input's rate.
    pub fn shift(&self) -> f64 {
        self.shift
    }

    /// Takes a tag through: `put` gets what is said behind the block.
    pub fn carry(&mut self, tag: Tag, mut put: impl FnMut(Tag)) {
        self.carry_to(tag, &mut put);
    }

    /// As `carry`, compiled once.
    fn carry_to(&mut self, tag: Tag, put: &mut dyn FnMut(Tag)) {
        match &*tag.key {
            RATE_KEY => {
                put(self.scaled(tag.clone()));
                let index = tag.index;
                self.rate = Some(tag);
                if self.shift != 0.0 {
                    self.centre_at(index).into_iter().for_each(put);
                }
            }
            CENTRE_KEY => {
                let index = tag.index;
                self.centre = Some(tag);
                self.centre_at(index).into_iter().for_each(put);
            }
            GAP | GAP_FILLED => put(self.scaled(tag)),
            _ => put(tag),
        }
    }

    /// Becomes another from item `index` of the output on; `put` gets what changes by that.
    pub fn become_other(&mut self, other: Conversion, index: u64, mut put: impl FnMut(Tag)) {
        let before = (self.ratio, self.shift);
        (self.ratio, self.shift) = (other.ratio, other.shift);
        if let Some(rate) = self.rate.clone().filter(|_| before.0 != self.ratio) {
            put(self.scaled(Tag { index, ..rate }));
        }
        if before.1 != self.shift {
            self.centre_at(index).into_iter().for_each(put);
        }
    }

    fn scaled(&self, mut tag: Tag) -> Tag {
        self.scale(&mut tag);
        tag
    }

    /// Makes a number of items, or a rate, one of the output.
    pub(super) fn scale(&self, tag: &mut Tag) {
        if let Some(items) = tag.value.as_f64().filter(|_| self.ratio.0 != self.ratio.1) {
            tag.value = (items * self.ratio.0 / self.ratio.1).into();
        }
    }

    /// The tag that says the centre behind the block, if that is known.
    fn centre_at(&self, index: u64) -> Option<Tag> {
        let mut tag = Tag { index, ..self.centre.clone()? };
        if self.shift != 0.0 {
            let (centre_hz, rate_hz) = (tag.value.as_f64()?, self.rate.as_ref()?.value.as_f64()?);
            tag.value = (centre_hz + self.shift * rate_hz).into();
        }
        Some(tag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Value;

    fn tag(index: u64, key: &str, value: impl Into<Value>) -> Tag {
        Tag { index, key: key.into(), value: value.into(), source: "radio".into() }
    }

    fn carried(conversion: &mut Conversion, tag: Tag) -> Vec<(u64, String, Value)> {
        let mut said = Vec::new();
        conversion.carry(tag, |tag| said.push((tag.index, tag.key.to_string(), tag.value)));
        said
    }

    #[test]
    fn a_shift_is_a_part_of_the_rate_that_the_stream_says() {
        let mut conversion = Conversion::new(Ratio::ONE).shifted(-0.1);
        assert_eq!(carried(&mut conversion, tag(0, "rx_freq", 1e6)), [], "by how much is not known yet");
        let wanted =
            [(5, "rx_rate".to_owned(), Value::from(1e3)), (5, "rx_freq".to_owned(), 999_900.0.into())];
        assert_eq!(carried(&mut conversion, tag(5, "rx_rate", 1e3)), wanted);
        let wanted =
            [(7, "rx_rate".to_owned(), Value::from(2e3)), (7, "rx_freq".to_owned(), 999_800.0.into())];
        assert_eq!(carried(&mut conversion, tag(7, "rx_rate", 2e3)), wanted);
        assert_eq!(
            carried(&mut conversion, tag(9, "rx_freq", 0.0)),
            [(9, "rx_freq".to_owned(), (-200.0).into())]
        );
        let mut said = Vec::new();
        let other = Conversion::new(Ratio::decimate(2)).shifted(0.25);
        conversion.become_other(other, 12, |tag| said.push((tag.index, tag.key.to_string(), tag.value)));
        let wanted = [(12, "rx_rate".to_owned(), Value::from(1e3)), (12, "rx_freq".to_owned(), 500.0.into())];
        assert_eq!(said, wanted);
    }

    #[test]
    fn a_shift_by_more_than_half_of_the_rate_is_one_the_other_way() {
        for (shift, wanted) in [(0.75, -0.25), (-0.9, 0.1), (0.25, 0.25), (3.0, 0.0)] {
            let got = Conversion::new(Ratio::ONE).shifted(shift).shift();
            assert!((got - wanted).abs() < 1e-12, "{shift}: {got}");
        }
    }

    #[test]
    fn what_is_no_number_passes_as_it_is_and_what_counts_items_is_scaled() {
        let mut conversion = Conversion::of_rate(1.5);
        assert_eq!(
            carried(&mut conversion, tag(1, "gap", Value::Null)),
            [(1, "gap".to_owned(), Value::Null)]
        );
        assert_eq!(carried(&mut conversion, tag(2, "gap", 10)), [(2, "gap".to_owned(), Value::from(15.0))]);
        assert_eq!(carried(&mut conversion, tag(3, "burst", 10)), [(3, "burst".to_owned(), Value::from(10))]);
        assert_eq!(
            carried(&mut conversion, tag(3, "rx_freq", 10)),
            [(3, "rx_freq".to_owned(), Value::from(10))]
        );
    }
}
