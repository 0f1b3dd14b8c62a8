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

use crate::wake::sync::{AtomicBool, Ordering};

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

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use crate::wake::sync::{AtomicU32, Mutex};
    use loom::sync::Arc;

    /// A lane, and what was brought to it.
    struct Model {
        /// How much was done.
        lane: Mutex<u32>,
        brought: AtomicU32,
        wanted: Wanted,
    }

    /// As a worker comes to a lane (`Worker::run_lane`).
    fn visit(model: &Model) {
        let lane = model.lane.try_lock().or_else(|_| {
            model.wanted.set();
            model.lane.try_lock()
        });
        let Ok(mut done) = lane else { return };
        model.wanted.take();
        *done = model.brought.load(Ordering::Acquire);
        drop(done);
        if model.wanted.take() {
            visit(model);
        }
    }

    #[test]
    fn loom_what_is_brought_to_a_lane_that_is_taken_is_done() {
        // Two that find each other's wish again and again would go on for ever; three forced switches show every order.
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(3);
        builder.check(|| {
            let new = Model { lane: Mutex::new(0), brought: AtomicU32::new(0), wanted: Wanted::new() };
            let model = Arc::new(new);
            let other = model.clone();
            let bring = |model: &Model| {
                model.brought.fetch_add(1, Ordering::Release);
                visit(model);
            };
            let worker = loom::thread::spawn(move || bring(&other));
            bring(&model);
            worker.join().unwrap();
            assert_eq!(*model.lane.lock().unwrap(), 2);
        });
    }
}
