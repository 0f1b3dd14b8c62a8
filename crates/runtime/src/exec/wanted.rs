//! Whether somebody has found a lane taken: who does, and who gives the lane up, cannot miss each other.
//!
//! ```text
//! one who comes:  try the lane: taken        the one who has it:  unlock the lane
//!                 wanted: set                                     wanted: taken back
//!                 try the lane again                              it was set: look at the lane again
//! ```
//!
//! Both change `wanted` by a read-modify-write, so one of the two comes first, and the second sees its value and, by release and
//! acquire, all that came before it. Either the one who comes is second: then the unlocking came before its second try, which
//! finds the lane free, or with somebody who has taken it since and of whom the same is true. Or it is first: then the one who
//! gives up sees that the lane is wanted, and whatever the other was woken for.

use std::sync::atomic::{AtomicBool, Ordering};

/// See the head of this file. Set by who finds the lane taken, taken back by who has it or had it.
#[derive(Debug)]
pub(super) struct Wanted(AtomicBool);

impl Wanted {
    pub fn new() -> Self {
        Wanted(AtomicBool::new(false))
    }

    /// Says that the lane was found taken. The caller tries once more after this.
    pub fn set(&self) {
        self.0.swap(true, Ordering::AcqRel);
    }

    /// Whether somebody has found the lane taken since the last call. The caller has the lane, or has just given it up.
    pub fn take(&self) -> bool {
        self.0.swap(false, Ordering::AcqRel)
    }
}
