//! Graphs that are changed in every way while they run, against a model: every item, every tag and every receipt is right.
//!
//! A graph is drawn from a seed, and what is done to it while it runs: parameters set at items and at once, by calls and by
//! messages, read, blocks added, replaced and removed, new partitions, full streams, stops. `model.rs` computes from the receipts what
//! must come out, and says which receipts are right. `SUPERHET_CASES` sets how many graphs are drawn, `SUPERHET_SEED` which is
//! the first; a failure prints its seed. With `SUPERHET_MINUTES` graphs are drawn for that long, and memory must stay flat:
//! `make soak`.

#[path = "../common/mod.rs"]
mod common;
mod draw;
mod drive;
mod memory;
mod model;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

/// For how long graphs are drawn, where that is asked for.
fn minutes() -> Option<Duration> {
    let text = std::env::var("SUPERHET_MINUTES").ok()?;
    let minutes = text.parse::<f64>().ok().filter(|minutes| (0.01..=1e4).contains(minutes));
    let minutes =
        minutes.unwrap_or_else(|| panic!("SUPERHET_MINUTES is {text:?}, not a number from 0.01 to 10000"));
    Some(Duration::from_secs_f64(60.0 * minutes))
}

#[test]
fn whatever_is_done_to_a_running_graph_every_item_is_right() {
    let length = minutes();
    let (first, cases) = (number("SUPERHET_SEED", 0), number("SUPERHET_CASES", 200));
    let end = if length.is_some() { u64::MAX } else { first.saturating_add(cases) };
    let (next, is_over) = (AtomicU64::new(first), AtomicBool::new(false));
    let run = || {
        let mut done = drive::Done::default();
        while !is_over.load(Ordering::Relaxed) {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= end {
                break;
            }
            match catch_unwind(AssertUnwindSafe(|| drive::run(seed))) {
                Ok(more) => done.add(&more),
                Err(_) => {
                    is_over.store(true, Ordering::Relaxed);
                    panic!("SUPERHET_SEED={seed}");
                }
            }
        }
        done
    };
    // Most of the time a graph waits for what is done to it.
    let (all, memory) = std::thread::scope(|scope| {
        let threads = [(); 4].map(|()| scope.spawn(run));
        let memory = length.map_or(Ok(()), |length| {
            let is_over = || is_over.load(Ordering::Relaxed);
            memory::watch(length, is_over, || format!("{} graphs", next.load(Ordering::Relaxed) - first))
        });
        if length.is_some() {
            is_over.store(true, Ordering::Relaxed);
        }
        (threads.map(|thread| thread.join()), memory)
    });
    let mut done = drive::Done::default();
    for part in all {
        match part {
            Ok(part) => done.add(&part),
            Err(problem) => resume_unwind(problem),
        }
    }
    println!("{done:?}");
    memory.expect("memory stays flat");
}
