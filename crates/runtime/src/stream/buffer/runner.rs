//! Whose code a thread runs just now: what keeps a general block's ports to that block.
//!
//! The ends of a scratch share cells that are not synchronised, and what they show moves when its writer looks for room. A general
//! block may hand its ports to anybody. So each of its ports knows the block that it was connected for, and says a number of
//! its own, which the thread that runs the block says, too:
//!
//! ```text
//! thread 1   runtime | block 7 | runtime | block 9 | runtime        a port of block 7 can be used
//! thread 2   runtime     | block 12 |        runtime                where "block 7" stands, and nowhere else
//! ```
//!
//! One thread at a time runs a block, so that says which thread it is, too.

use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};

/// A general block, by a number that no other ever has; or the runtime, whose ports are out of everybody's reach: those of pure and
/// sync blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Runner(u64);

/// What is known of a thread.
struct Here {
    runner: Cell<u64>,
    /// How many ends of the block that runs have shown items since they last took some.
    shown: Cell<usize>,
}

thread_local!(static HERE: Here = const { Here { runner: Cell::new(0), shown: Cell::new(0) } });

impl Runner {
    pub const RUNTIME: Runner = Runner(0);

    /// One that no other block has.
    pub fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Runner(NEXT.fetch_add(1, Ordering::Relaxed))
    }

    /// Who runs on this thread.
    #[inline(always)]
    pub fn here() -> Self {
        Runner(HERE.with(|here| here.runner.get()))
    }

    /// Makes it the one that runs on this thread, until what this gives is dropped.
    #[inline(always)]
    pub fn enter(self) -> Entered {
        HERE.with(|here| Entered {
            runner: here.runner.replace(self.0),
            shown: here.shown.replace(0),
            on_its_thread: PhantomData,
        })
    }
}

/// Who ran before.
pub(crate) struct Entered {
    runner: u64,
    shown: usize,
    on_its_thread: PhantomData<*const ()>,
}

impl Drop for Entered {
    #[inline(always)]
    fn drop(&mut self) {
        HERE.with(|here| {
            here.runner.set(self.runner);
            here.shown.set(self.shown);
        });
    }
}

/// Whether an end of the block that runs has shown items and taken none since.
#[inline(always)]
pub(crate) fn has_shown() -> bool {
    HERE.with(|here| here.shown.get() > 0)
}

/// Counts an end that shows items, or no longer.
#[inline(always)]
pub(super) fn count_shown(shows: bool) {
    HERE.with(|here| {
        let shown = here.shown.get();
        here.shown.set(if shows { shown + 1 } else { shown.saturating_sub(1) });
    });
}
