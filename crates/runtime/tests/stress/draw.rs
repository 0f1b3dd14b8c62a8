//! Which graph a seed stands for, and by whom it is run.

use superhet_runtime::prelude::*;
use superhet_runtime::{AnyBlock, Scheduler, buffer::RingFlavour, running::Edit};

use super::common::gates::Pass;
use super::common::hash::{Flat, Hash, Running};
use super::common::{Random, Shared};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Level {
    Pure,
    PureInPlace,
    Sync,
    SyncInPlace,
    /// A general block that passes items on, so many at least at a time.
    Pass(usize),
}

/// What a block is.
#[derive(Clone, Debug)]
pub struct Kind {
    pub level: Level,
    pub hash: Hash,
}

impl Kind {
    pub fn has_parameters(&self) -> bool {
        !matches!(self.level, Level::Pass(_))
    }

    /// How many items it asks for at once.
    pub fn least(&self) -> usize {
        if let Level::Pass(least) = self.level { least } else { self.hash.down }
    }

    pub fn has_state(&self) -> bool {
        matches!(self.level, Level::Sync | Level::SyncInPlace)
    }

    pub fn keeps_count(&self) -> bool {
        self.hash.up == 1 && self.hash.down == 1
    }

    /// A block that the runtime adds.
    pub fn passing() -> Kind {
        Kind { level: Level::Pass(1), hash: Hash { up: 1, down: 1, history: 0, gain: 1, offset: 0 } }
    }

    /// Any block that asks for at most so many items before each.
    pub fn draw(random: &mut Random, most_history: usize) -> Kind {
        let level = match random.between(0, 9) {
            0 => Level::Sync,
            1 => Level::SyncInPlace,
            2 => Level::Pass(random.between(1, 40)),
            3..=6 => Level::Pure,
            _ => Level::PureInPlace,
        };
        let in_place = !matches!(level, Level::Pure | Level::Sync);
        let (up, down) = match random.between(0, 5) {
            _ if in_place => (1, 1),
            0..=2 => (1, 1),
            3 => (1, random.between(20, 150)),
            _ => (random.between(1, 3), random.between(1, 5)),
        };
        let history = if in_place || random.one_in(3) { 0 } else { random.between(0, most_history.min(60)) };
        let (gain, offset) = (random.next() as u32 | 1, random.next() as u32);
        Kind { level, hash: Hash { up, down, history, gain, offset } }
    }

    pub fn block(&self) -> AnyBlock {
        let hash = self.hash.clone();
        match self.level {
            Level::Pure => AnyBlock::new(hash),
            Level::PureInPlace => AnyBlock::new(Flat(hash)),
            Level::Sync => AnyBlock::new(Running::<false>::new(hash)),
            Level::SyncInPlace => AnyBlock::new(Running::<true>::new(hash)),
            Level::Pass(least) => AnyBlock::new(Pass::new(least)),
        }
    }

    /// Puts the block into the place of another.
    pub fn replace(&self, edit: &mut Edit, name: &str) {
        let hash = self.hash.clone();
        match self.level {
            Level::Pure => drop(edit.replace(name, hash)),
            Level::PureInPlace => drop(edit.replace(name, Flat(hash))),
            Level::Sync => drop(edit.replace(name, Running::<false>::new(hash))),
            Level::SyncInPlace => drop(edit.replace(name, Running::<true>::new(hash))),
            Level::Pass(least) => drop(edit.replace(name, Pass::new(least))),
        }
    }
}

/// A source, a trunk of blocks, and branches that all read what the trunk gives, each with a sink.
#[derive(Clone, Debug)]
pub struct Drawn {
    pub items: u64,
    pub blocking_source: bool,
    pub trunk: Vec<Kind>,
    pub branches: Vec<(Vec<Kind>, bool)>,
    pub options: Options,
}

pub fn draw(random: &mut Random, seed: u64) -> Drawn {
    let kinds = |random: &mut Random, least: usize, most: usize| -> Vec<Kind> {
        (0..random.between(least, most)).map(|_| Kind::draw(random, 60)).collect()
    };
    let mut trunk = kinds(random, 0, 3);
    // What the branches read is never taken out.
    let level = if random.one_in(2) { Level::Pure } else { Level::PureInPlace };
    let (gain, offset) = (random.next() as u32 | 1, random.next() as u32);
    trunk.push(Kind { level, hash: Hash { up: 1, down: 1, history: 0, gain, offset } });
    let branches = if random.one_in(3) { random.between(2, 3) } else { 1 };
    let branches = (0..branches).map(|_| (kinds(random, 0, 4), random.one_in(4))).collect();
    let options = Options {
        strip_items: [None, Some(1), Some(7), Some(64), Some(500)][random.between(0, 4)],
        seed: random.one_in(3).then_some(seed),
        in_place: !random.one_in(3),
        rings: if random.one_in(4) { RingFlavour::Single } else { RingFlavour::default() },
        ..Options::default()
    };
    Drawn {
        items: random.between(500, 8000) as u64,
        blocking_source: random.one_in(3),
        trunk,
        branches,
        options,
    }
}

/// Who runs the graph.
pub fn scheduler(random: &mut Random, seed: u64) -> Box<dyn Scheduler> {
    let workers = random.between(1, 4);
    match random.between(0, 11) {
        0 => Box::new(Single),
        1 => Box::new(Threads),
        2 => Box::new(Pinned::workers(workers.min(2))),
        3 | 4 => Box::new(Adaptive::workers(workers)),
        5 => Box::new(Shared::new(workers, 0)),
        _ => Box::new(Shared::new(workers, seed + 1)),
    }
}
