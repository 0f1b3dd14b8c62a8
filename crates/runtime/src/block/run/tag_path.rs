//! The way of tags through a pure or sync block. It knows the ends of ports and not the block, so that it is compiled once.

use crate::block::ports::{ReadEnds, WriteEnds};
use crate::block::watcher::Seen;
use crate::data::{Base, Conversion, NO_TAG, Ratio, Tag, TagPolicy, TagQueue};

/// What a block does with tags, and what it keeps for that.
pub(super) struct TagPath {
    ratio: Ratio,
    base: Base,
    /// Where the ports behind the first input and output stood when those were at `base`.
    others: (Vec<u64>, Vec<u64>),
    /// Where the block moves the centre.
    conversion: Option<Box<Conversion>>,
    seen: Seen,
    /// Empty but while tags are handed on.
    passing: TagQueue,
}

impl TagPath {
    pub fn new(ratio: Ratio, shift: Option<f64>, seen: Seen) -> Self {
        TagPath {
            ratio,
            base: Base::default(),
            others: Default::default(),
            conversion: shift.map(|shift| Box::new(Conversion::new(ratio).shifted(shift))),
            seen,
            passing: TagQueue::default(),
        }
    }

    /// Says with which items the ports begin.
    pub fn set_base(&mut self, inputs: &[u64], outputs: &[u64]) {
        let first = |ports: &[u64]| ports.first().copied().unwrap_or(0);
        let others = |ports: &[u64]| ports.get(1..).unwrap_or_default().to_vec();
        self.base = Base { input: first(inputs), output: first(outputs) };
        self.others = (others(inputs), others(outputs));
    }

    /// Says the centre behind the block anew from item `index` on, where a parameter has moved it.
    pub fn say_shift(&mut self, shift: Option<f64>, index: u64, WriteEnds(mut outputs): WriteEnds<'_>) {
        let (Some(conversion), Some(shift)) = (&mut self.conversion, shift) else { return };
        let other = Conversion::new(self.ratio).shifted(shift);
        conversion.become_other(other, index, |tag| {
            if let Some(first) = &mut outputs[0] {
                first.push_tag(tag);
            }
        });
    }

    /// Hands on the tags of the next `n` items; without `n`, what an ended input has left.
    pub fn hand_on(
        &mut self,
        n: Option<usize>,
        (policy, delay): (TagPolicy, u64),
        ReadEnds(mut inputs): ReadEnds<'_>,
        WriteEnds(mut outputs): WriteEnds<'_>,
    ) {
        let (ratio, base) = (self.ratio, self.base);
        let conversion = &mut self.conversion;
        let (other_inputs, other_outputs) = &self.others;
        let keeps_index = conversion.is_none()
            && ratio == Ratio::ONE
            && delay == 0
            && base.input == base.output
            && other_inputs.iter().all(|input| *input == base.output);
        // Untouched, as a whole: who writes a part of it and copies it all at once waits for that part.
        let is_plain = keeps_index && policy == TagPolicy::AllToAll;
        if let (true, Some(n), [Some(input), None, ..], [Some(output), None, ..]) =
            (is_plain, n, &mut inputs, &mut outputs)
        {
            input.move_tags(input.index().wrapping_add(n as u64), &mut self.passing);
            self.passing.all().for_each(|tag| self.seen.tag(tag));
            return output.push_tags(&mut self.passing);
        }
        let is_plain = is_plain && outputs[1].is_none();
        for (place, input) in inputs.iter_mut().flatten().enumerate() {
            let end = match n {
                Some(n) => input.index().wrapping_add(n as u64),
                None if input.is_finished() && input.available() < ratio.decimation => NO_TAG,
                None => continue,
            };
            let other = place.checked_sub(1).and_then(|place| other_inputs.get(place));
            let base = Base { input: *other.unwrap_or(&base.input), ..base };
            let mut put = |tag: Tag| {
                let [first, rest @ ..] = &mut outputs;
                for (output, end) in rest.iter_mut().flatten().enumerate() {
                    if let Some(mut tag) = policy.apply(tag.clone(), place, output + 1) {
                        let other = *other_outputs.get(output).unwrap_or(&base.output);
                        tag.index = tag.index.wrapping_sub(base.output).wrapping_add(other);
                        end.push_tag(tag);
                    }
                }
                if let (Some(first), Some(tag)) = (first, policy.apply(tag, place, 0)) {
                    first.push_tag(tag);
                }
            };
            while let Some(mut tag) = input.pop_tag(end) {
                self.seen.tag(&tag);
                match conversion {
                    _ if is_plain => put(tag),
                    Some(conversion) => {
                        tag.index = base.map(tag.index, ratio, delay);
                        conversion.carry(tag, &mut put);
                    }
                    None => {
                        base.carry(&mut tag, ratio, delay);
                        put(tag);
                    }
                }
            }
        }
    }
}
