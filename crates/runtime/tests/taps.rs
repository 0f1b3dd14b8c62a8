//! Taps: whoever looks sees every item and tag with its index, and the graph gives what it gives without them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use crate::common::*;
use superhet_runtime::harness::VecSink;
use superhet_runtime::prelude::*;
use superhet_runtime::{AnyBlock, RunningGraph, Scheduler, Tag, block::Watcher, error::ReconfigureError};

/// Items that have a tag, which says their index.
const TAGGED: u64 = 97;

/// Counts, up to `left` or until it is stopped, with tags.
#[derive(Block)]
struct Counter {
    #[port("out")]
    output: Out<u32>,
    left: u64,
    end: Arc<AtomicBool>,
}

impl Work for Counter {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let first = self.output.index();
        let n = self.output.room().min(self.left as usize).min(1000);
        for at in (first..first + n as u64).filter(|at| at.is_multiple_of(TAGGED)) {
            self.output.tag((at - first) as usize, "at", at);
        }
        self.output.reserve()[..n].iter_mut().zip(first as u32..).for_each(|(y, n)| *y = n);
        self.output.produce(n);
        self.left -= n as u64;
        Ok(if self.left == 0 || self.end.load(Ordering::Relaxed) { Step::Done } else { Step::Ran })
    }
}

fn counter(left: u64) -> (Counter, Arc<AtomicBool>) {
    let end = Arc::new(AtomicBool::new(false));
    (Counter { output: Out::new(), left, end: end.clone() }, end)
}

/// Keeps the items of a stream, and the indices of its tags.
#[derive(Debug, Default)]
struct Seen {
    first: Option<u64>,
    items: Vec<u32>,
    tags: Vec<u64>,
    mistakes: Vec<String>,
}

#[derive(Debug, Default)]
struct Look(Mutex<Seen>);

impl Look {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Watcher for Look {
    fn items(&self, index: u64, items: &[u8]) {
        let mut seen = self.seen();
        let next = *seen.first.get_or_insert(index) + seen.items.len() as u64;
        if next != index {
            seen.mistakes.push(format!("items from {index}, not {next}"));
        }
        seen.items.extend(items.chunks_exact(4).map(|x| u32::from_ne_bytes([x[0], x[1], x[2], x[3]])));
    }

    fn tag(&self, tag: &Tag) {
        let mut seen = self.seen();
        seen.tags.push(tag.index);
    }
}

fn tap() -> (AnyBlock, Arc<Look>) {
    let look = Arc::new(Look::default());
    (AnyBlock::tap::<u32>(look.clone()), look)
}

#[test]
fn a_tap_sees_every_item_and_tag_and_the_output_is_the_same_everywhere() {
    const ITEMS: u64 = 20_000;
    for (name, scheduler) in schedulers() {
        for options in all_options() {
            let mut graph = Graph::new();
            graph.add("source", counter(ITEMS).0);
            graph.add("one", AddConst(1));
            graph.add("state", Accumulate(0));
            graph.add("sum", MovingSum { length: 5, decimation: 3 });
            let looks = ["source tap", "one tap", "state tap", "sum tap"].map(|name| {
                let (block, look) = tap();
                graph.add_any(name, block);
                look
            });
            let (items, _) = keeping(&mut graph);
            let names =
                ["source", "source tap", "one", "one tap", "state", "state tap", "sum", "sum tap", "sink"];
            names.windows(2).for_each(|pair| graph.connect_names(pair[0], pair[1]));
            finish(graph.check().unwrap(), &*scheduler, &options)
                .unwrap_or_else(|error| panic!("{name}, {options:?}: {error}"));
            let counted: Vec<u32> = (0..ITEMS as u32).collect();
            let one: Vec<u32> = counted.iter().map(|x| x + 1).collect();
            let state: Vec<u32> = one
                .iter()
                .scan(0u32, |sum, x| {
                    *sum = sum.wrapping_add(*x);
                    Some(*sum)
                })
                .collect();
            let zeros = [&[0; 4], &state[..]].concat();
            let window = |n: usize| zeros[3 * n + 2..3 * n + 7].iter().copied().fold(0, u32::wrapping_add);
            let sum: Vec<u32> = (0..ITEMS as usize / 3).map(window).collect();
            for (look, wanted) in looks.iter().zip([&counted, &one, &state, &sum]) {
                let seen = look.seen();
                assert!(seen.mistakes.is_empty(), "{name}, {options:?}: {:?}", seen.mistakes);
                assert!(seen.items == *wanted, "{name}, {options:?}: {} items", seen.items.len());
                let down = ITEMS as usize / wanted.len();
                let tags = (0..ITEMS).step_by(TAGGED as usize).map(|at| at / down as u64);
                assert!(seen.tags.iter().copied().eq(tags), "{name}, {options:?}: {:?}", seen.tags);
            }
            assert!(items.take() == sum, "{name}, {options:?}: the output");
        }
    }
}

/// Source, three blocks and a sink that run until `end` is set.
fn endless(scheduler: &dyn Scheduler, options: &Options) -> (RunningGraph, Items, Arc<AtomicBool>) {
    let mut graph = Graph::new();
    let (source, end) = counter(u64::MAX);
    graph.add("source", source);
    (0..3).for_each(|n| _ = graph.add(format!("b{n}"), AddConst(0)));
    let sink = VecSink::<u32>::new();
    let items = sink.items();
    graph.add("sink", sink);
    ["source", "b0", "b1", "b2", "sink"].windows(2).for_each(|pair| graph.connect_names(pair[0], pair[1]));
    (graph.check().unwrap().start(scheduler, options).unwrap(), items, end)
}

type Items = superhet_runtime::Items<u32>;

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn taps_that_come_and_go_see_their_part_of_the_stream_and_nothing_is_lost() {
    for round in 0..40 {
        let mut random = Random::new(round);
        let schedulers = schedulers();
        let can_change: Vec<_> = schedulers.iter().filter(|(_, s)| s.copy().is_some()).collect();
        let (name, scheduler) = can_change[random.between(0, can_change.len() - 1)];
        let options = Options {
            strip_items: random.one_in(2).then(|| random.between(1, 3000)),
            seed: random.one_in(3).then(|| random.next()),
            in_place: !random.one_in(4),
            ..Options::default()
        };
        let (mut running, items, end) = endless(&**scheduler, &options);
        let context = format!("round {round}, {name}, {options:?}");
        // What each tap has to have seen: from where to where.
        let mut known: Vec<(String, Arc<Look>, u64, u64)> = Vec::new();
        let mut there: Vec<usize> = Vec::new();
        let index = |changed: &[(String, u64)], name: &str| {
            changed.iter().find(|(block, _)| block == name).map(|(_, index)| *index).unwrap()
        };
        for step in 0..12 {
            if there.len() < 4 && random.one_in(2) {
                let (block, look) = tap();
                let (added, at) = (format!("tap {step}"), ["source", "b0.out", "b1", "b2.out"][step % 4]);
                let (_, changed) =
                    running.reconfigure(|edit| edit.insert(added.as_str(), block, at)).unwrap();
                there.push(known.len());
                known.push((added.clone(), look, index(&changed.blocks, &added), u64::MAX));
            } else if !there.is_empty() {
                let place = there.swap_remove(random.between(0, there.len() - 1));
                let name = known[place].0.clone();
                let (_, changed) = running.reconfigure(|edit| edit.remove(&name)).unwrap();
                known[place].3 = index(&changed.removed, &name);
            }
            let taken = || running.metrics().block("sink").map_or(0, |sink| sink.inputs[0].items);
            let before = taken();
            wait_until(&context, || taken() > before);
        }
        end.store(true, Ordering::Relaxed);
        running.wait_for(Duration::from_secs(60)).unwrap_or_else(|| panic!("hangs: {context}")).unwrap();
        let items = items.take();
        assert!(items.iter().copied().eq(0..items.len() as u32), "{context}");
        for (tap, look, first, end) in &known {
            let (seen, end) = (look.seen(), (*end).min(items.len() as u64));
            assert!(seen.mistakes.is_empty(), "{tap}, {context}: {:?}", seen.mistakes);
            let from = seen.first.unwrap_or(*first);
            assert_eq!((from, from + seen.items.len() as u64), (*first, end), "{tap}, {context}");
            assert!(seen.items.iter().copied().eq(*first as u32..end as u32), "{tap}, {context}");
            let tags = (*first..end).filter(|at| at.is_multiple_of(TAGGED));
            assert!(seen.tags.iter().copied().eq(tags), "{tap}, {context}: {:?}", seen.tags);
        }
    }
}

#[test]
fn a_tap_keeps_no_source_at_work_whose_readers_have_ended() {
    for (name, scheduler) in schedulers() {
        let mut graph = Graph::new();
        graph.add("source", counter(u64::MAX).0);
        let (block, look) = tap();
        graph.add_any("tap", block);
        graph.add("head", Head { input: In::new(), left: 5000 });
        graph.connect_names("source", "tap");
        graph.connect_names("tap", "head");
        finish(graph.check().unwrap(), &*scheduler, &Options::default()).unwrap();
        assert!(look.seen().items.len() >= 5000, "{name}");
    }
}

/// Ends when it has got so many items.
#[derive(Block)]
struct Head {
    #[port("in")]
    input: In<u32>,
    left: usize,
}

impl Work for Head {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.input.available().min(self.left);
        self.input.consume(n);
        self.left -= n;
        Ok(if self.left == 0 { Step::Done } else { Step::Ran })
    }
}

#[test]
fn a_block_goes_into_a_stream_before_all_that_read_it_and_mistakes_are_named() {
    let (source, end) = counter(u64::MAX);
    let mut graph = Graph::new();
    graph.add("source", source);
    let sinks = ["one", "two"].map(|name| {
        let sink = VecSink::<u32>::new();
        let items = sink.items();
        graph.add(name, sink);
        graph.connect_names("source", name);
        items
    });
    let mut running = graph.check().unwrap().start(&Adaptive::workers(2), &Options::default()).unwrap();
    let insert = |block: AnyBlock, at: &str| running.reconfigure(|edit| edit.insert("added", block, at));
    for (block, at, wanted) in [
        (AnyBlock::new(AddConst(1)), "nobody.out", "nobody"),
        (AnyBlock::new(AddConst(1)), "source.other", "source has out"),
        (
            AnyBlock::new(Zeros),
            "source",
            "added cannot be put behind source: expected a block with one input",
        ),
        (
            AnyBlock::tap::<f32>(Arc::new(Look::default())),
            "source",
            "source.out gives u32, added.in takes f32",
        ),
    ] {
        let error = insert(block, at).unwrap_err();
        assert!(matches!(error, ReconfigureError::Check(_)), "{error}");
        assert!(error.to_string().contains(wanted), "{error}");
    }
    let (_, changed) = insert(AnyBlock::new(AddConst(1)), "source").unwrap();
    assert_eq!(changed.blocks.len(), 1);
    let at = changed.blocks[0].1;
    let taken = |name| running.metrics().block(name).map_or(0, |sink| sink.inputs[0].items);
    wait_until("items come behind it", || taken("one") > at && taken("two") > at);
    let (_, changed) = running.reconfigure(|edit| edit.remove("added")).unwrap();
    let until = changed.removed[0].1;
    end.store(true, Ordering::Relaxed);
    running.wait_for(Duration::from_secs(60)).expect("it ends").unwrap();
    for items in sinks {
        let items = items.take();
        let wanted = (0..items.len() as u64).map(|n| n as u32 + u32::from((at..until).contains(&n)));
        assert!(items.iter().copied().eq(wanted), "{at} to {until}");
    }
}
