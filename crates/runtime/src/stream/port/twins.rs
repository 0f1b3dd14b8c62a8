//! An input and an output of one item type, made by a port that knows the type.

use std::fmt;

use super::{AnyIn, AnyOut, In, Out, forward_tags};
use crate::data::Item;
use crate::stream::readiness::Verdict;

/// An input and an output of the same items, whatever those are.
pub(crate) trait Twins: Send {
    fn input(&mut self) -> &mut dyn AnyIn;
    fn output(&mut self) -> &mut dyn AnyOut;
    /// Passes on the waiting items with their tags, as far as there is room. Says what is lacking if none can be passed on.
    fn pass(&mut self) -> Verdict;
}

/// Makes twins of the items that a port has.
#[derive(Clone, Copy)]
pub(crate) struct MakeTwins(fn() -> Box<dyn Twins>);

impl MakeTwins {
    pub fn of<T: Item>() -> Self {
        MakeTwins(|| Box::new((In::<T>::new(), Out::<T>::new())))
    }

    pub fn make(self) -> Box<dyn Twins> {
        (self.0)()
    }
}

// The item type of the port says as much.
impl PartialEq for MakeTwins {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for MakeTwins {}

impl fmt::Debug for MakeTwins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MakeTwins")
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
