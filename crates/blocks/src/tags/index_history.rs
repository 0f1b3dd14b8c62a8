//! Which sample of a recording an item stands for, long after it came.

use std::collections::VecDeque;

use superhet_runtime::Tag;

use super::index_tags::INDEX_KEY;

/// What the tags of [`IndexTags`](super::IndexTags) said lately, for blocks that look back over many items. What it says of an item
/// depends on the tags up to the next mark behind it, and not on how the stream is cut.
#[derive(Clone, Debug, Default)]
pub struct IndexHistory {
    /// Items and their samples.
    marks: VecDeque<(u64, u64)>,
}

/// Marks are so many items apart, or more, and so many are kept: more than what a decoder looks back.
const APART: u64 = 512;
const KEPT: usize = 1024;

impl IndexHistory {
    /// Takes over what a tag says; tags come in the order of the stream.
    pub fn note(&mut self, tag: &Tag) {
        let Some(sample) = (&*tag.key == INDEX_KEY).then(|| tag.value.as_u64()).flatten() else { return };
        if self.marks.back().is_none_or(|last| tag.index >= last.0 + APART && sample > last.1) {
            self.marks.push_back((tag.index, sample));
            if self.marks.len() > KEPT {
                self.marks.pop_front();
            }
        }
    }

    /// The sample of an item; `None` where fewer than two marks are known.
    pub fn sample_of(&self, item: u64) -> Option<u64> {
        // Between two marks, or beyond the last two or the first.
        let next = self.marks.partition_point(|mark| mark.0 <= item).clamp(1, self.marks.len().max(2) - 1);
        let (before, behind) = (self.marks.get(next - 1)?, self.marks.get(next)?);
        let step = (behind.1 - before.1) as f64 / (behind.0 - before.0) as f64;
        let moved = (item as f64 - before.0 as f64) * step;
        Some((before.1 as f64 + moved).round().max(0.0) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_stands_for_the_sample_between_its_marks() {
        let mut history = IndexHistory::default();
        assert_eq!(history.sample_of(5), None);
        // Four samples an item, and a gap of 1000 samples before item 12,000.
        for n in 0..300 {
            let sample = 256 * n + if 64 * n >= 12_000 { 1000 } else { 0 };
            history.note(&Tag {
                index: 64 * n,
                key: INDEX_KEY.into(),
                value: sample.into(),
                source: "".into(),
            });
        }
        assert_eq!(
            [0, 1, 6000, 18_100, 25_000].map(|item| history.sample_of(item)),
            [0, 4, 24_000, 73_400, 101_000].map(Some)
        );
    }
}
