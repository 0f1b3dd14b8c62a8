//! How a worker runs the pure blocks of a stage: in scratch memory of its own, strip by strip.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use super::begin::Begin;
use super::space::{LEAD_STEP, Space};
use super::versions::{Changing, Versions};
use crate::block::erased::ErasedPure;
use crate::metrics::clock_cost;
use crate::plan::chain::ChainShape;
use crate::stream::buffer::{Flow, Strip};

/// Where a link finds its input.
#[derive(Clone, Copy, Debug, PartialEq)]
enum From {
    Nowhere,
    /// What the worker was given.
    Given,
    Space(usize),
}

/// Where a link's output goes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum To {
    Nowhere,
    /// What the worker is to fill.
    Wanted,
    /// On top of what it is to fill, which holds the input already.
    OnWanted,
    /// The space behind the input's.
    Next(usize),
    /// On top of the input.
    InPlace,
}

struct Stage {
    from: From,
    to: To,
    changes_rate: bool,
    history: usize,
    in_bytes: usize,
    out_bytes: usize,
    block: usize,
}

/// How a worker runs the pure blocks of a stage. What is called a chain here is the stage.
pub(crate) struct ChainRun {
    links: Vec<Arc<dyn ErasedPure>>,
    /// Those of the links that have several versions.
    changing: Vec<(usize, Arc<Changing>)>,
    /// Which state of the chain's versions `links` is.
    epoch: u64,
    stages: Vec<Stage>,
    spaces: Vec<Space>,
    /// The item of the head stream for which the spaces' histories are right.
    at: u64,
    /// Items of the head stream that go through the chain at once: whole periods.
    strip: usize,
    /// The most that the spaces have room for.
    longest: usize,
    shape: ChainShape,
    begin: Begin,
    has_history: bool,
    /// Passes through all links so far: each is one call of each block.
    pub passes: u64,
}

/// Notes how long each block takes, or nothing.
trait Clock {
    fn lap(&mut self, place: usize);
}

struct Untimed;

impl Clock for Untimed {
    #[inline(always)]
    fn lap(&mut self, _: usize) {}
}

struct Timed<'a> {
    last: Instant,
    seconds: &'a mut [f64],
}

impl Clock for Timed<'_> {
    fn lap(&mut self, place: usize) {
        let now = Instant::now();
        self.seconds[place] += (now - self.last).saturating_sub(clock_cost()).as_secs_f64();
        self.last = now;
    }
}

impl ChainRun {
    /// Makes one worker's part of a chain. `blocks` are the links' places in the graph, `strip` what goes through at
    /// once at most, in items of the head stream. `in_place` lets links work on top of their input.
    pub fn new(
        shape: &ChainShape,
        links: Vec<Arc<dyn ErasedPure>>,
        blocks: &[usize],
        strip: usize,
        in_place: bool,
        begin: Begin,
    ) -> Self {
        let strip = (strip - strip % shape.period).max(shape.period);
        let (mut stages, mut spaces) = (Vec::new(), Vec::new());
        let mut from = if shape.is_source() { From::Nowhere } else { From::Given };
        // Where the last blocks work in place, the one before them fills what is to be filled.
        let on_top = shape.links[1..].iter().rev().take_while(|link| in_place && link.in_place).count();
        let filling = shape.links.len() - 1 - on_top;
        for (place, (link, (_, given))) in shape.links.iter().zip(shape.flow(strip)).enumerate() {
            let to = match from {
                _ if place >= filling && link.out_bytes == 0 => To::Nowhere,
                _ if place == filling => To::Wanted,
                _ if place > filling => To::OnWanted,
                From::Space(_) if in_place && link.in_place => To::InPlace,
                from => {
                    let (bytes, history) = (given * link.out_bytes, shape.history_behind(place, in_place));
                    let is_free = |(index, space): (usize, &Space)| {
                        history == 0 && from != From::Space(index) && space.can_take(bytes)
                    };
                    let free = spaces.iter().enumerate().position(is_free);
                    To::Next(free.unwrap_or_else(|| {
                        let lead = LEAD_STEP * (spaces.len() % 8);
                        spaces.push(Space::new(link.out_bytes, history, given, lead));
                        spaces.len() - 1
                    }))
                }
            };
            stages.push(Stage {
                from,
                to,
                changes_rate: link.ratio.decimation > 1 || link.ratio.interpolation > 1,
                history: link.history,
                in_bytes: link.in_bytes,
                out_bytes: link.out_bytes,
                block: blocks[place],
            });
            if let To::Next(space) = to {
                from = From::Space(space);
            }
        }
        let has_history = spaces.iter().any(|space| space.history > 0);
        let mut run = ChainRun {
            links,
            changing: Vec::new(),
            epoch: 0,
            stages,
            spaces,
            at: 0,
            strip: 0,
            longest: strip,
            shape: shape.clone(),
            begin,
            has_history,
            passes: 0,
        };
        run.set_strip(strip);
        run.rewind();
        run
    }

    /// Takes strips of so many items, or of as many as there is room for.
    #[inline]
    pub fn set_strip(&mut self, items: usize) {
        if self.strip != items {
            let items = items.min(self.longest);
            self.strip = (items - items % self.shape.period).max(self.shape.period);
        }
    }

    /// Back to where the chain begins.
    fn rewind(&mut self) {
        self.at = self.begin.origin;
        for (stage, known) in self.stages.iter().zip(&self.begin.histories) {
            let has_history = !matches!(stage.to, To::InPlace | To::OnWanted);
            if let (From::Space(space), true) = (stage.from, has_history) {
                self.spaces[space].set_history(known);
            }
        }
        if self.begin.histories.is_empty() {
            self.spaces.iter_mut().for_each(|space| space.set_history(&[]));
        }
    }

    /// What each link has seen of its input before the item at which this worker stands, as in [`Begin`].
    pub fn histories(&mut self) -> Vec<Vec<u8>> {
        let spaces = &mut self.spaces;
        let history = |stage: &Stage| match (stage.from, stage.to) {
            (_, To::OnWanted) | (From::Space(_), To::InPlace) | (From::Given | From::Nowhere, _) => {
                Vec::new()
            }
            (From::Space(space), _) => spaces[space].history().to_vec(),
        };
        self.stages.iter().map(history).collect()
    }

    /// Takes over the versions of the links, where they have changed; the first of them is link `first` of those.
    #[inline]
    pub fn follow(&mut self, versions: &Versions, first: usize) {
        if self.epoch != versions.epoch() {
            self.copy(versions, first);
        }
    }

    #[cold]
    fn copy(&mut self, versions: &Versions, first: usize) {
        self.epoch = versions.epoch();
        self.changing.clear();
        for (place, versions) in versions.links()[first..].iter().take(self.links.len()).enumerate() {
            match &versions[..] {
                [(_, only)] => self.links[place] = only.clone(),
                several => {
                    if let Some(changing) = Changing::new(several).map(Arc::new) {
                        self.links[place] = changing.clone();
                        self.changing.push((place, changing));
                    }
                }
            }
        }
    }

    /// Says to links with several versions which items are next: those that item `from` of the head stream leads to.
    #[cold]
    fn place(&self, from: u64) {
        let positions = self.begin.positions_at(&self.shape, from);
        self.changing.iter().for_each(|(place, changing)| changing.place(positions[*place]));
    }

    /// Takes a strip through the chain, one cache-sized part at a time. `current` is told which block runs, `seconds` gets the
    /// time of each, unless it is empty.
    pub fn run(&mut self, strip: &mut Strip<'_>, current: &AtomicUsize, seconds: &mut [f64]) {
        match seconds {
            [] => self.run_parts(strip, current, &mut Untimed),
            seconds => self.run_parts(strip, current, &mut Timed { last: Instant::now(), seconds }),
        }
    }

    /// As `run`, of a chain that works on top of what it takes: on the items from `start` on, which lie in `y`.
    pub fn run_on_top(&mut self, start: u64, y: &mut [u8], current: &AtomicUsize, seconds: &mut [f64]) {
        match seconds {
            [] => self.run_parts_on_top(start, y, current, &mut Untimed),
            seconds => self.run_parts_on_top(start, y, current, &mut Timed { last: Instant::now(), seconds }),
        }
    }

    #[inline(always)]
    fn run_parts_on_top(&mut self, start: u64, y: &mut [u8], current: &AtomicUsize, clock: &mut impl Clock) {
        let item = self.shape.head_bytes();
        let mut from = start;
        for part in y.chunks_mut(self.strip * item) {
            if !self.changing.is_empty() {
                self.place(from);
            }
            for (place, (stage, link)) in self.stages.iter().zip(&self.links).enumerate() {
                current.store(stage.block, Ordering::Relaxed);
                link.map_in_place(part);
                clock.lap(place);
            }
            self.passes += 1;
            from += (part.len() / item) as u64;
        }
    }

    #[inline(always)]
    fn run_parts(&mut self, strip: &mut Strip<'_>, current: &AtomicUsize, clock: &mut impl Clock) {
        let item = if self.shape.is_source() { 0 } else { self.shape.head_bytes() };
        let lead = self.shape.lead();
        let mut from = strip.start;
        if self.at != strip.start {
            from = strip.start.saturating_sub(self.shape.warm_up as u64).max(self.begin.origin);
            if from == self.begin.origin {
                self.rewind();
            }
        }
        let end = strip.start + strip.items as u64;
        let mut written = 0;
        while from < end {
            let is_warming = from < strip.start;
            let until = if is_warming { strip.start } else { end };
            let n = ((until - from) as usize).min(self.strip);
            let input = if item > 0 {
                // The window starts `lead` items before `strip.start`.
                let at = (lead as u64 + from - strip.start) as usize * item;
                let history = self.stages[0].history * item;
                &strip.input[at - history..at + n * item]
            } else {
                // A source warms up without a window.
                &[][..]
            };
            let output = if is_warming { None } else { Some(&mut strip.output[written..]) };
            if !self.changing.is_empty() {
                self.place(from);
            }
            written += self.pass(input, output, n, current, clock);
            from += n as u64;
        }
        self.at = end;
    }

    /// Takes `n` items through all links; returns how many bytes of the output they filled.
    #[inline(always)]
    fn pass(
        &mut self,
        input: &[u8],
        mut output: Option<&mut [u8]>,
        n: usize,
        current: &AtomicUsize,
        clock: &mut impl Clock,
    ) -> usize {
        let (mut items, mut filled) = (n, 0);
        let stages = self.stages.iter().zip(&self.shape.links).zip(&self.links);
        for (place, ((stage, link_shape), link)) in stages.enumerate() {
            let taken = items;
            let mut used = items;
            if stage.from != From::Nowhere && stage.changes_rate {
                (used, items) = link_shape.taken_and_given(items);
            }
            current.store(stage.block, Ordering::Relaxed);
            let given = || &input[..input.len() - (taken - used) * stage.in_bytes];
            let (history, used) = (stage.history * stage.in_bytes, used * stage.in_bytes);
            let wanted = items * stage.out_bytes;
            match (stage.from, stage.to) {
                (From::Space(space), To::InPlace) => link.map_in_place(self.spaces[space].window(0, wanted)),
                (From::Nowhere, To::Next(space)) => link.map(&[], self.spaces[space].window(0, wanted)),
                (From::Given, To::Next(space)) => link.map(given(), self.spaces[space].window(0, wanted)),
                (From::Space(from), To::Next(to)) => {
                    if let Ok([from, to]) = self.spaces.get_disjoint_mut([from, to]) {
                        link.map(from.window(history, used), to.window(0, wanted));
                    }
                }
                (from, To::Wanted) => {
                    let Some(output) = output.as_deref_mut() else { continue };
                    filled = wanted;
                    let y = &mut output[..filled];
                    match from {
                        From::Space(space) => link.map(self.spaces[space].window(history, used), y),
                        From::Given => link.map(given(), y),
                        From::Nowhere => link.map(&[], y),
                    }
                }
                (From::Space(space), To::Nowhere) => {
                    link.map(self.spaces[space].window(history, used), &mut []);
                }
                (From::Given, To::Nowhere) => link.map(given(), &mut []),
                (_, To::OnWanted) => {
                    if let Some(output) = output.as_deref_mut() {
                        link.map_in_place(&mut output[..wanted]);
                    }
                }
                (From::Given | From::Nowhere, To::InPlace) | (From::Nowhere, To::Nowhere) => {}
            }
            clock.lap(place);
        }
        self.passes += 1;
        if self.has_history {
            self.keep_histories(n);
        }
        filled
    }

    #[inline(never)]
    fn keep_histories(&mut self, n: usize) {
        let mut items = n;
        for (stage, link) in self.stages.iter().zip(&self.shape.links) {
            if stage.from != From::Nowhere {
                (_, items) = link.taken_and_given(items);
            }
            // Who works on top of a space gives as many items as lie in it.
            if let To::Next(space) = stage.to {
                self.spaces[space].keep_history(items);
            }
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::block::erased::link_of;
    use crate::block::{Pure, Shape};
    use crate::{InPlace, Ratio};
    use std::sync::Arc;

    /// `y[n] = Σ taps[i] · x[n·D + D - 1 - i]` over `taps` items, then held `I` times.
    struct Fir {
        taps: usize,
        up: usize,
        down: usize,
    }

    impl Pure for Fir {
        type In = u32;
        type Out = u32;
        fn shape(&self) -> Shape {
            Shape {
                ratio: Ratio { interpolation: self.up, decimation: self.down },
                history: self.taps.saturating_sub(self.down),
                ..Shape::default()
            }
        }

        fn map(&self, x: &[u32], y: &mut [u32]) {
            for (turn, y) in y.chunks_mut(self.up).enumerate() {
                let end = self.shape().history + (turn + 1) * self.down;
                let window = &x[end - self.taps.max(self.down)..end];
                let sum = window
                    .iter()
                    .enumerate()
                    .fold(1u32, |sum, (i, x)| sum.wrapping_mul(3).wrapping_add(x.wrapping_mul(i as u32 + 1)));
                y.iter_mut().enumerate().for_each(|(i, y)| *y = sum.wrapping_add(i as u32));
            }
        }
    }

    struct Plus(u32);

    impl Pure for Plus {
        type In = u32;
        type Out = u32;
        const IN_PLACE: Option<InPlace<Self>> =
            Some(|block, y| y.iter_mut().for_each(|y| *y = y.wrapping_add(block.0)));
        fn map(&self, x: &[u32], y: &mut [u32]) {
            y.iter_mut().zip(x).for_each(|(y, x)| *y = x.wrapping_add(self.0));
        }
    }

    fn fir(taps: usize, up: usize, down: usize) -> Arc<dyn ErasedPure> {
        link_of(Arc::new(Fir { taps, up, down })).unwrap()
    }

    fn plus(n: u32) -> Arc<dyn ErasedPure> {
        link_of(Arc::new(Plus(n))).unwrap()
    }

    /// Runs `links` on items `[start, start + items)` of `x`.
    fn run(run: &mut ChainRun, shape: &ChainShape, x: &[u32], start: usize, items: usize) -> Vec<u32> {
        let lead = shape.lead();
        let mut padded = vec![0u32; lead];
        padded.extend_from_slice(x);
        let mut y = vec![0u32; shape.given(items)];
        run.run(
            &mut Strip {
                start: start as u64,
                items,
                input: bytemuck::cast_slice(&padded[start..start + lead + items]),
                output: bytemuck::cast_slice_mut(&mut y),
            },
            &AtomicUsize::new(0),
            &mut [],
        );
        y
    }

    #[test]
    fn any_order_of_claims_gives_what_one_run_gives() {
        let cases: [Vec<Arc<dyn ErasedPure>>; 6] = [
            vec![plus(1), plus(2), plus(3)],
            vec![fir(5, 1, 1), plus(7), fir(9, 1, 3), plus(1), fir(4, 2, 1)],
            vec![plus(3), fir(17, 3, 2), fir(6, 1, 5)],
            vec![fir(64, 1, 10), fir(3, 1, 4)],
            vec![fir(2, 7, 1), fir(30, 1, 3), plus(9)],
            vec![fir(1, 1, 6)],
        ];
        let x: Vec<u32> = (0..3000u32).map(|i| i.wrapping_mul(2654435761)).collect();
        for links in cases {
            let shape = ChainShape::new(links.iter().map(|link| link.link_shape()).collect()).unwrap();
            let blocks: Vec<usize> = (0..links.len()).collect();
            for (strip, in_place) in [(1, true), (60, false), (240, true)] {
                let mut whole =
                    ChainRun::new(&shape, links.clone(), &blocks, 1 << 20, in_place, Begin::default());
                let expected = run(&mut whole, &shape, &x, 0, x.len());
                let mut workers: Vec<_> = (0..3)
                    .map(|_| ChainRun::new(&shape, links.clone(), &blocks, strip, in_place, Begin::default()))
                    .collect();
                let mut got = Vec::new();
                let (mut start, mut turn) = (0, 0);
                while start < x.len() {
                    turn += 1;
                    let n = (shape.period * (1 + turn * 7 % 5)).min(x.len() - start);
                    got.extend(run(&mut workers[turn * turn % 3], &shape, &x, start, n));
                    start += n;
                }
                assert_eq!(got, expected, "{:?} strips of {strip}", shape.links);
            }
        }
    }

    #[test]
    fn the_numbers_of_a_chain_follow_from_its_blocks() {
        let shape =
            |links: &[Arc<dyn ErasedPure>]| ChainShape::new(links.iter().map(|l| l.link_shape()).collect());
        assert_eq!(shape(&[plus(1)]).map(|s| (s.period, s.warm_up)), Some((1, 0)));
        // The first block's history is there to be read; the second's 9 items take 3 of its own each.
        assert_eq!(shape(&[fir(64, 1, 3), fir(10, 1, 1)]).map(|s| (s.period, s.warm_up)), Some((3, 27)));
        assert_eq!(shape(&[fir(1, 3, 2), fir(1, 1, 7)]).map(|s| s.period), Some(14));
        assert_eq!(shape(&[fir(1, 1, 1009), fir(1, 1, 1013)]), None);
    }
}
