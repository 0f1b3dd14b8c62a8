//! How a chain is taken apart, so that its blocks can be put elsewhere.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::link::Link;
use super::shared::{Progress, SharedChain};
use crate::stream::buffer::{ReadEnd, Strip, WriteEnd};

/// What is left of a chain that was taken apart.
pub(in crate::exec) struct Parts {
    pub links: Vec<Link>,
    /// Per link, what it has seen of its input, as in [`Begin`].
    pub histories: Vec<Vec<u8>>,
    /// Per link, how many items it has taken and given.
    pub before: Vec<(u64, u64)>,
    pub input: ReadEnd,
    pub output: WriteEnd,
    pub done: bool,
}

impl SharedChain {
    /// Takes the chain apart, when no worker is in it any more, and no claim was left.
    pub fn take_apart(self) -> Parts {
        let mut progress = self.progress();
        // What does not make whole steps at the end of a stream is gone already: no block may go on from there.
        if !self.is_done() && progress.claims.is_over() {
            self.end(&mut progress.claims);
        }
        drop(progress);
        let mut runs = self.runs();
        let mut links = self.take_links();
        let progress = self.progress.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        let Progress { claims, versions, .. } = progress;
        let total = (claims.committed() - self.begin.origin) as usize;
        let mut before = self.before;
        for (before, (taken, given)) in before.iter_mut().zip(self.shape.flow(total)) {
            *before = (before.0 + taken as u64, before.1 + given as u64);
        }
        let done = self.done.load(Ordering::Acquire);
        let mut histories = vec![Vec::new(); links.len()];
        let mut warm_up = claims.warm_up();
        for (place, (stage, run)) in self.stages.iter().zip(&mut runs).enumerate() {
            let first = stage.first;
            let Some(run) = run else {
                histories[first] = std::mem::take(&mut links[first].handed.taken);
                continue;
            };
            let head = stage.shape.links[0].history * stage.shape.head_bytes();
            let strip = if place == 0 {
                warm_up.strip()
            } else {
                let known = &links[first - 1].handed.given;
                histories[first] = known[known.len() - head..].to_vec();
                let start = before[first].0;
                Strip { start, items: 0, input: known, output: &mut [] }
            };
            if !done {
                // A strip without items: the warm-up alone.
                run.follow(&versions, first);
                run.run(&mut Strip { ..strip }, &AtomicUsize::new(0), &mut []);
            }
            let inside = histories[stage.blocks()].iter_mut().zip(run.histories()).skip(1);
            inside.for_each(|(history, known)| *history = known);
        }
        drop(warm_up);
        let (input, output) = claims.into_ends();
        links.iter_mut().for_each(|link| link.runnable.recall());
        Parts { links, histories, before, input, output, done }
    }
}
