//! Graphs that are changed in every way while they run, against a model: every item, every tag and every receipt is right.
//!
//! A graph is drawn from a seed, and what is done to it while it runs: parameters set at items and at once, by calls and by
//! messages, read, blocks added, replaced and removed, new partitions, full streams, stops. `model.rs` computes from the receipts what
//! must come out, and says which receipts are right. `SUPERHET_CASES` sets how many graphs are drawn, `SUPERHET_SEED` which is
//! the first; a failure prints its seed.

#[path = "../common/mod.rs"]
mod common;
mod draw;
mod drive;
mod model;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, Ordering};

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

#[test]
fn whatever_is_done_to_a_running_graph_every_item_is_right() {
    let (first, cases) = (number("SUPERHET_SEED", 0), number("SUPERHET_CASES", 200));
    let next = AtomicU64::new(first);
    let run = || {
        let mut done = drive::Done::default();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= first.saturating_add(cases) {
                return done;
            }
            match catch_unwind(AssertUnwindSafe(|| drive::run(seed))) {
                Ok(more) => done.add(&more),
                Err(_) => panic!("SUPERHET_SEED={seed}"),
            }
        }
    };
    // Most of the time a graph waits for what is done to it.
    let all = std::thread::scope(|scope| {
        let threads = [(); 4].map(|()| scope.spawn(run));
        threads.map(|thread| thread.join())
    });
    let mut done = drive::Done::default();
    for part in all {
        match part {
            Ok(part) => done.add(&part),
            Err(problem) => resume_unwind(problem),
        }
    }
    println!("{done:?}");
}
