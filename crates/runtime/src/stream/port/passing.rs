//! How items and tags pass from an input to an output.

use super::twins::Twins;
use super::typed::{In, Out};
use super::{AnyIn, AnyOut};
use crate::data::{Conversion, Item, Tag};
use crate::stream::buffer::{ReadEnd, WriteEnd};
use crate::stream::readiness::Verdict;

/// Hands the tags of the next `n` items of `input` on to the same items of `output`, for blocks that pass items through
/// one by one and do their own `work`. Call it before `consume` and `produce`; in `finish`, with `n = 0`, it hands on the
/// tags beyond the last item.
pub fn forward_tags<A: Item, B: Item>(input: &mut In<A>, output: &mut Out<B>, n: usize) {
    let (from, to) = (input.index(), output.index());
    output.check_home();
    let end = input.end_of_tags(n);
    forward(&mut input.end, end, to.wrapping_sub(from), &mut output.end, output.conversion.as_deref_mut());
}

/// Hands on the tags before `end`, `shift` items later. It knows no item type, so that it is compiled once.
fn forward(
    input: &mut ReadEnd,
    end: u64,
    shift: u64,
    output: &mut WriteEnd,
    mut conversion: Option<&mut Conversion>,
) {
    while let Some(tag) = input.pop_tag(end) {
        let tag = Tag { index: tag.index.wrapping_add(shift), ..tag };
        put_converted(output, conversion.as_deref_mut(), tag);
    }
}

/// Puts a tag on a stream as the conversion makes it.
pub(super) fn put_converted(output: &mut WriteEnd, conversion: Option<&mut Conversion>, tag: Tag) {
    match conversion {
        Some(conversion) => conversion.carry(tag, |tag| output.push_tag(tag)),
        None => output.push_tag(tag),
    }
}

impl<T: Item> Twins for (In<T>, Out<T>) {
    fn input(&mut self) -> &mut dyn AnyIn {
        &mut self.0
    }

    fn output(&mut self) -> &mut dyn AnyOut {
        &mut self.1
    }

    fn pass(&mut self) -> Verdict {
        let (input, output) = self;
        if output.is_unread() {
            return Verdict::Unwanted;
        }
        // In place, the items lie where they shall be.
        let in_place = input.in_place().map(|(end, limit)| end.available().min(limit));
        let (waiting, room) = match in_place {
            Some(waiting) => (waiting, usize::MAX),
            None => (input.look(), output.look()),
        };
        match waiting.min(room) {
            0 if waiting == 0 && input.ends_before(1) => {
                forward_tags(input, output, 0);
                Verdict::Finish
            }
            0 if waiting == 0 => Verdict::NeedInput,
            0 => Verdict::NeedOutput,
            n => {
                if input.has_tags(n) {
                    forward_tags(input, output, n);
                }
                if in_place.is_none() {
                    output.reserve_of(n).copy_from_slice(input.window_of(n));
                }
                input.take(n);
                if in_place.is_none() {
                    output.give(n);
                }
                Verdict::Run
            }
        }
    }
}
