//! An input and an output of one item type, made by a port that knows the type.

use std::fmt;

use super::{AnyIn, AnyOut};
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
    pub fn of<T: Twins + Default + 'static>() -> Self {
        MakeTwins(|| Box::new(T::default()))
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
