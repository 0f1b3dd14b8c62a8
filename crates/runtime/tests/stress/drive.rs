//! Runs a drawn graph and does to it what the seed says.

use std::sync::atomic::Ordering;
use std::time::Duration;

use superhet_runtime::RunningGraph;
use superhet_runtime::error::{MessageError, ReconfigureError};
use superhet_runtime::prelude::*;
use superhet_runtime::running::{Changed, Edit};

use super::common::Random;
use super::common::gates::{Kept, Limit, Tap, Valve, limit, lock};
use super::common::hash::Hash;
use super::draw::{Drawn, Kind, draw, scheduler};
use super::model::{Change, Line, Place, Stay, output, source};

const NO_LIMIT: u64 = u64::MAX;

/// How much was done, for the record.
#[derive(Clone, Copy, Debug, Default)]
pub struct Done {
    graphs: u64,
    items: u64,
    changes: u64,
    edits: u64,
    partitions: u64,
    stops: u64,
}

impl Done {
    pub fn add(&mut self, more: &Done) {
        self.graphs += more.graphs;
        self.items += more.items;
        self.changes += more.changes;
        self.edits += more.edits;
        self.partitions += more.partitions;
        self.stops += more.stops;
    }
}

struct Sink {
    may: Limit,
    kept: Kept,
    blocking: bool,
}

/// A graph under way, with what was done to it.
struct Run {
    random: Random,
    drawn: Drawn,
    running: RunningGraph,
    may: Limit,
    /// The trunk, then the branches.
    lines: Vec<Line>,
    sinks: Vec<Sink>,
    can_change: bool,
    asked: u64,
    /// Blocks so far, for their names and where they are in the graph.
    names: usize,
    done: Done,
    log: Vec<String>,
}

pub fn run(seed: u64) -> Done {
    let mut random = Random::new(seed);
    let drawn = draw(&mut random, seed);
    let scheduler = scheduler(&mut random, seed);
    let mut graph = Graph::new();
    let mut names = 0;
    let (may, mut lines, mut sinks) = (limit(0), Vec::new(), Vec::new());
    let tap = Tap::new(drawn.items, &may, drawn.blocking_source);
    let given = tap.given();
    graph.add("source", tap);
    let mut add_line = |graph: &mut Graph, kinds: &[Kind], mut last: String| {
        let mut line = Line::default();
        for kind in kinds {
            names += 1;
            let name = format!("b{names}");
            graph.add_any(&name, kind.block());
            graph.connect_names(&last, &name);
            line.0.push(Place::new(name.clone(), kind.clone(), 0, 0));
            last = name;
        }
        lines.push(line);
        last
    };
    let trunk = add_line(&mut graph, &drawn.trunk, "source".to_owned());
    for (place, (kinds, blocking)) in drawn.branches.iter().enumerate() {
        let last = add_line(&mut graph, kinds, trunk.clone());
        let may = limit(NO_LIMIT);
        let valve = Valve::new(&may, *blocking);
        sinks.push(Sink { may, kept: valve.kept(), blocking: *blocking });
        let name = format!("sink{place}");
        graph.add(&name, valve);
        graph.connect_names(&last, &name);
    }
    let graph = graph.check().unwrap();
    let can_change = scheduler.copy().is_some();
    let running = graph.start(&*scheduler, &drawn.options).unwrap();
    let (done, log) = (Done { graphs: 1, ..Done::default() }, vec![scheduler.name().to_owned()]);
    let mut run = Run { random, drawn, running, may, lines, sinks, can_change, asked: 0, names, done, log };
    let stopped = run.drive();
    // In steps: a process that is stopped for a while has not hung.
    let result = (0..30).find_map(|_| run.running.wait_for(Duration::from_secs(1)));
    let items = given.load(Ordering::Acquire);
    run.done.items = items;
    if !matches!(result, Some(Ok(_))) || (!stopped && items < run.drawn.items) {
        panic!("{items} items, {result:?}, {run:#?}");
    }
    if let Err(problem) = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run.check(items))) {
        println!("{run:#?}");
        std::panic::resume_unwind(problem);
    }
    run.done
}

impl std::fmt::Debug for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut all = f.debug_struct("Run");
        all.field("options", &self.drawn.options).field("source waits", &self.drawn.blocking_source);
        all.field("log", &self.log);
        let stay = |stay: &Stay| format!("{:?} from {} {:?}", stay.kind, stay.begin, stay.changes);
        for line in &self.lines {
            let place = |place: &Place| {
                let stays: Vec<_> = place.stays.iter().map(stay).collect();
                (place.name.clone(), stays, place.removed)
            };
            all.field("line", &line.0.iter().map(place).collect::<Vec<_>>());
        }
        all.finish()
    }
}

impl Run {
    /// Whether the graph was stopped.
    fn drive(&mut self) -> bool {
        let items = self.drawn.items;
        let mut gates: Vec<u64> =
            (0..self.random.between(2, 5)).map(|_| self.random.next() % items).collect();
        gates.sort_unstable();
        for gate in gates {
            self.act(true);
            self.may.store(gate, Ordering::Release);
            self.act(true);
            if self.random.one_in(2) {
                std::thread::sleep(Duration::from_micros(self.random.next() % 1000));
            }
        }
        self.act(true);
        let stops = self.random.one_in(4);
        if !stops {
            self.may.store(items, Ordering::Release);
            self.act(false);
        }
        self.sinks.iter().for_each(|sink| sink.may.store(NO_LIMIT, Ordering::Release));
        if stops {
            self.running.control().stop();
            self.done.stops += 1;
        }
        stops
    }

    /// Does something to the graph; edits only where its source has not ended.
    fn act(&mut self, edits: bool) {
        for _ in 0..self.random.between(0, 6) {
            match self.random.between(0, 13) {
                0..=4 => self.set(),
                5 => self.get(),
                6 | 7 => self.repartition(),
                8 | 9 if edits => self.insert(),
                10 | 11 if edits => self.replace(),
                12 if edits => self.remove(),
                13 => {
                    let sink = self.random.between(0, self.sinks.len() - 1);
                    let more = [0, self.random.next() % 300, NO_LIMIT][self.random.between(0, 2)];
                    let now = lock(&self.sinks[sink].kept).items.len() as u64;
                    self.sinks[sink].may.store(now.saturating_add(more), Ordering::Release);
                }
                _ => std::thread::sleep(Duration::from_micros(self.random.next() % 300)),
            }
        }
    }

    /// A place with a block, by line and place.
    fn any_place(&mut self, is_wanted: impl Fn(&Place) -> bool) -> Option<(usize, usize)> {
        let all = self.lines.iter().enumerate();
        let places = all.flat_map(|(l, line)| line.0.iter().enumerate().map(move |(p, place)| (l, p, place)));
        let wanted: Vec<_> = places
            .filter(|(.., place)| place.is_live() && is_wanted(place))
            .map(|(l, p, _)| (l, p))
            .collect();
        (!wanted.is_empty()).then(|| wanted[self.random.between(0, wanted.len() - 1)])
    }

    /// How many items can have come to a place until now, at most.
    fn reach(&self, (line, place): (usize, usize)) -> u64 {
        let trunk = self.lines[0].flow(self.may.load(Ordering::Relaxed).min(self.drawn.items));
        match line {
            0 => trunk[place],
            _ => self.lines[line].flow(trunk[trunk.len() - 1])[place],
        }
    }

    fn set(&mut self) {
        let Some(at) = self.any_place(|place| place.last().kind.has_parameters()) else { return };
        let reach = self.reach(at);
        let name = self.lines[at.0].0[at.1].name.clone();
        let base = self.lines[at.0].0[at.1].last().base;
        // One in four for many items in a row: some lie where a new partition finds the block.
        let many = if self.random.one_in(4) { self.random.between(5, 40) } else { 1 };
        let mut index = match self.random.between(0, 5) {
            0 => self.random.next() % (self.drawn.items + 10),
            1 => reach.saturating_sub(self.random.next() % 500),
            _ => reach + self.random.next() % 1000,
        };
        for _ in 0..many {
            let parameter = Hash::NAMES[self.random.between(0, 1)];
            let value = self.random.next() as u32;
            index = index.max(base);
            let path = format!("{name}.{parameter}");
            let by_message = index >= reach && self.random.one_in(5);
            let at_once = self.random.one_in(4);
            let (asked, receipt) = if by_message {
                let map = Value::map([(parameter, Value::from(value)), ("at", (index - base).into())]);
                (Some(index), self.running.message(&format!("{name}.set"), map).map(|()| None))
            } else if at_once {
                (None, self.running.set(&path, value).map(Some))
            } else {
                (Some(index), self.running.set_at(&path, value, index - base).map(Some))
            };
            let receipt = match receipt {
                Ok(receipt) => receipt,
                Err(MessageError::Ended { .. } | MessageError::Full { .. }) => return,
                Err(error) => panic!("{error}, {self:#?}"),
            };
            self.asked += 1;
            self.done.changes += 1;
            let change = Change { parameter, value, number: self.asked, at: asked, reach, receipt };
            self.lines[at.0].0[at.1].last_mut().changes.push(change);
            index += 1 + self.random.next() % 60;
        }
    }

    /// Asks for a value: that of the last change that was taken, or of one that is being taken.
    fn get(&mut self) {
        let Some(at) = self.any_place(|place| place.last().kind.has_parameters()) else { return };
        let parameter = Hash::NAMES[self.random.between(0, 1)];
        let place = &self.lines[at.0].0[at.1];
        let stay = place.last();
        let mut taken: Vec<(u64, &Change)> = Vec::new();
        let mut open = Vec::new();
        for change in stay.changes.iter().filter(|change| change.parameter == parameter) {
            match change.receipt.as_ref().and_then(|receipt| receipt.index()) {
                Some(from) => taken.push((from, change)),
                None => open.push(change.value),
            }
        }
        taken.sort_by_key(|(from, change)| (*from, change.number));
        let start = if parameter == "gain" { stay.kind.hash.gain } else { stay.kind.hash.offset };
        let last = taken.last().map_or(start, |(_, change)| change.value);
        let path = format!("{}.{parameter}", place.name);
        let Ok(got) = self.running.get(&path) else { return };
        let got = got.as_u64().unwrap_or(u64::MAX) as u32;
        assert!(got == last || open.contains(&got), "{path} is {got}, expected {last}: {self:#?}");
    }

    /// Changes the graph; what has come of it, unless the graph has ended.
    fn reconfigure(&mut self, what: String, change: impl FnOnce(&mut Edit)) -> Option<Changed> {
        self.log.push(what);
        match self.running.reconfigure(change) {
            Ok(((), changed)) => {
                self.log.push(format!("{changed:?}"));
                Some(changed)
            }
            Err(ReconfigureError::Ended) => None,
            Err(error) => panic!("{error}, {self:#?}"),
        }
    }

    fn repartition(&mut self) {
        if self.can_change && self.reconfigure("partition".to_owned(), |_| ()).is_some() {
            self.done.partitions += 1;
        }
    }

    /// The blocks before and behind a place that is yet to be made at `place`.
    fn neighbours(&self, line: usize, place: usize) -> (String, String) {
        let live =
            |line: usize, to: usize| self.lines[line].0[..to].iter().rev().find(|place| place.is_live());
        let of_trunk = || live(0, self.lines[0].0.len());
        let before = live(line, place).or_else(|| if line == 0 { None } else { of_trunk() });
        let mut after = self.lines[line].0[place..].iter().find(|place| place.is_live());
        if line == 0 {
            after = after.or_else(of_trunk);
        }
        (
            before.map_or("source".to_owned(), |place| place.name.clone()),
            after.map_or(format!("sink{}", line.wrapping_sub(1)), |place| place.name.clone()),
        )
    }

    /// Whether streams at these blocks can be led elsewhere: not those of blocks with threads of their own.
    fn can_rewire(&self, blocks: &[&str]) -> bool {
        let waits = |block: &str| match block.strip_prefix("sink") {
            Some(sink) => self.sinks[sink.parse::<usize>().unwrap_or(0)].blocking,
            None => block == "source" && self.drawn.blocking_source,
        };
        // A stream that one of them reads is not rewired for another either.
        let trunk_ends_there = |block: &str| self.lines[0].0.last().is_some_and(|last| last.name == block);
        let sink_reads_trunk = (1..self.lines.len())
            .any(|line| self.neighbours(line, 0).1.starts_with("sink") && self.sinks[line - 1].blocking);
        self.can_change
            && !blocks.iter().any(|block| waits(block))
            && !(blocks.iter().any(|block| trunk_ends_there(block)) && sink_reads_trunk)
    }

    fn insert(&mut self) {
        let line = self.random.between(0, self.lines.len() - 1);
        // Never behind what the branches read.
        let most = if line == 0 { self.lines[0].0.len() - 1 } else { self.lines[line].0.len() };
        let place = self.random.between(0, most);
        let (before, after) = self.neighbours(line, place);
        if !self.can_rewire(&[&before, &after]) {
            return;
        }
        // Beside other readers of a stream, a new one may see what they have seen.
        let is_beside =
            line > 0 && self.lines.len() > 2 && !self.lines[line].0[..place].iter().any(Place::is_live);
        // Mostly one, at times some at once.
        let blocks = if self.random.one_in(3) { self.random.between(2, 4) } else { 1 };
        let kinds: Vec<(String, Kind)> = (0..blocks)
            .map(|at| {
                self.names += 1;
                let most_history = if is_beside && at == 0 { 0 } else { 60 };
                (format!("b{}", self.names), Kind::draw(&mut self.random, most_history))
            })
            .collect();
        let changed = self.reconfigure(format!("{kinds:?} between {before} and {after}"), |edit| {
            edit.disconnect_names(&before, &after);
            let mut last = &before;
            for (name, kind) in &kinds {
                edit.add_any(name, kind.block());
                edit.connect_names(last, name);
                last = name;
            }
            edit.connect_names(last, &after);
        });
        let Some(changed) = changed else { return };
        // The first reads what the one behind has read until now.
        let counts_from = self.base_of(&after);
        for (at, (name, kind)) in kinds.into_iter().enumerate() {
            let begin =
                changed.blocks.iter().find(|(block, _)| *block == name).map_or(0, |(_, begin)| *begin);
            // Until then, items pass all of them.
            let base = if at == 0 { counts_from } else { self.lines[line].0[place].stays[0].begin };
            self.lines[line].0.insert(place + at, Place::new(name, kind, base, begin));
        }
        self.done.edits += 1;
    }

    /// From where on what a block reads is counted, or a sink.
    fn base_of(&self, block: &str) -> u64 {
        let mut places = self.lines.iter().flat_map(|line| &line.0);
        places.find(|place| place.name == block).map_or(0, |place| place.last().base)
    }

    fn replace(&mut self) {
        let Some(at) = self.any_place(|_| true).filter(|_| self.can_change) else { return };
        let place = &self.lines[at.0].0[at.1];
        let (name, history) = (place.name.clone(), place.last().kind.hash.history);
        let old = place.last().kind.clone();
        let kind = Kind::draw(&mut self.random, history);
        // A stream that stays as it is may not do for longer steps.
        let is_longer =
            kind.hash.down > old.hash.down || kind.hash.up > old.hash.up || kind.least() > old.least();
        let (before, after) = (self.neighbours(at.0, at.1).0, self.neighbours(at.0, at.1 + 1).1);
        if is_longer && !self.can_rewire(&[&before, &after]) {
            return;
        }
        let changed =
            self.reconfigure(format!("{name} replaced: {kind:?}"), |edit| kind.replace(edit, &name));
        if let Some(changed) = changed {
            let base = self.lines[at.0].0[at.1].last().base;
            let begin = base + changed.blocks[0].1;
            self.lines[at.0].0[at.1].stays.push(Stay { kind, begin, base, changes: Vec::new() });
            self.done.edits += 1;
        }
    }

    fn remove(&mut self) {
        // The counts go on.
        let keeps_count = |place: &Place| place.stays.iter().all(|stay| stay.kind.keeps_count());
        let Some(at) = self.any_place(keeps_count) else { return };
        if at == (0, self.lines[0].0.len() - 1) {
            return;
        }
        let name = self.lines[at.0].0[at.1].name.clone();
        let (before, after) = (self.neighbours(at.0, at.1).0, self.neighbours(at.0, at.1 + 1).1);
        // Else the one behind would count from elsewhere.
        let counts_on = self.base_of(&name) == self.base_of(&after);
        if !counts_on || !self.can_rewire(&[&before, &name, &after]) {
            return;
        }
        if let Some(changed) = self.reconfigure(format!("{name} removed"), |edit| edit.remove(&name)) {
            let base = self.lines[at.0].0[at.1].last().base;
            self.lines[at.0].0[at.1].removed = Some(base + changed.removed[0].1);
            self.done.edits += 1;
            // Beside other readers of a stream, a block comes to its place that passes items on.
            if let Some((name, begin)) = changed.blocks.into_iter().next() {
                self.lines[at.0].0.insert(at.1 + 1, Place::new(name, Kind::passing(), base, begin));
            }
        }
    }

    /// Compares what came with what had to come of so many items.
    fn check(&self, items: u64) {
        let trunk = output(&self.lines[0], source(items));
        for (place, sink) in self.sinks.iter().enumerate() {
            let (wanted, tags) = output(&self.lines[place + 1], trunk.clone());
            let got = lock(&sink.kept);
            let differs = got.items.iter().zip(&wanted).position(|(a, b)| a != b);
            let lengths = (got.items.len(), wanted.len());
            assert!(
                got.items == wanted,
                "sink{place}: {lengths:?} items, the first that differs is {differs:?}"
            );
            let differs = got.tags.iter().zip(&tags).find(|(a, b)| a != b);
            let lengths = (got.tags.len(), tags.len());
            assert!(got.tags == tags, "sink{place}: {lengths:?} tags, the first that differs is {differs:?}");
        }
    }
}
