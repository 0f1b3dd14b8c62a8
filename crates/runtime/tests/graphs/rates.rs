//! Tags and clocks across rate changes.

use std::sync::Arc;

use superhet_runtime::harness::{VecSink, VecSource};
use superhet_runtime::prelude::*;

use crate::blocks::{Tagging, TagsOf};
use crate::common::*;

/// The tags that come through `chain` of a stream of 1003 items with a tag on every 7th.
fn tags_through(
    scheduler: &dyn superhet_runtime::Scheduler,
    options: &Options,
    chain: impl FnOnce(&mut Graph, superhet_runtime::port::OutRef<u32>) -> superhet_runtime::port::OutRef<u32>,
) -> Vec<superhet_runtime::Tag> {
    let mut graph = Graph::new();
    let source = graph.add("source", Tagging { out: Out::new(), items: 1003, every: 7 });
    let end = chain(&mut graph, source.out);
    let tags = Arc::default();
    let sink = graph.add("sink", TagsOf { input: In::new(), tags: Arc::clone(&tags) });
    graph.connect(end, sink.input);
    finish(graph.check().unwrap(), scheduler, options).unwrap();
    let tags = tags.lock().unwrap();
    tags.clone()
}

#[test]
fn tags_cross_rate_changes_exactly_once_and_none_is_lost_at_the_end() {
    // Up by 3, down by 10 (what does not fill 10 is lost, the tags on it are not), up by 2.
    let chain = |graph: &mut Graph, stream| {
        let up = graph.add("up", Repeat(3));
        let down = graph.add("down", MovingSum { length: 4, decimation: 10 });
        let again = graph.add("again", Repeat(2));
        graph.connect(stream, up.input);
        graph.connect(up.output, down.input);
        graph.connect(down.output, again.input);
        again.output
    };
    let expected: Vec<_> = (0..1003u64).step_by(7).map(|index| (index * 3 / 10 * 2, index)).collect();
    for (name, scheduler) in schedulers() {
        for options in all_options() {
            let tags = tags_through(&*scheduler, &options, chain);
            let numbered = tags.iter().filter(|tag| &*tag.key == "n");
            let got: Vec<_> = numbered.map(|tag| (tag.index, tag.value.as_u64().unwrap())).collect();
            assert_eq!(got, expected, "{name} {options:?}");
        }
    }
}

#[test]
fn the_time_of_an_item_is_known_behind_any_rate_change() {
    let chain = |graph: &mut Graph, stream| {
        let up = graph.add("up", Repeat(2));
        let down = graph.add("down", MovingSum { length: 3, decimation: 6 });
        graph.connect(stream, up.input);
        graph.connect(up.output, down.input);
        down.output
    };
    for (name, scheduler) in schedulers() {
        let mut clock = superhet_runtime::clock::StreamClock::new();
        for tag in tags_through(&*scheduler, &Options::default(), chain) {
            clock.note(&tag);
        }
        // 6 MHz up by 2 and down by 6: 2 MHz.
        assert_eq!(clock.rate_hz(), Some(2e6), "{name}");
        let expected = superhet_runtime::clock::Moment { seconds: 101, fraction: 0.5 };
        assert_eq!(clock.time_of(3_000_000), Some(expected), "{name}");
    }
}

/// Gives the first of every two items, five at a time, and may end anywhere.
struct Half;

impl Pure for Half {
    type In = u32;
    type Out = u32;
    fn shape(&self) -> Shape {
        Shape { ratio: Ratio { interpolation: 5, decimation: 10 }, ends_anywhere: true, ..Shape::default() }
    }

    fn map(&self, x: &[u32], y: &mut [u32]) {
        y.iter_mut().zip(x.iter().step_by(2)).for_each(|(y, x)| *y = *x);
    }
}

/// Numbers items, seven at a time, and may end anywhere.
struct Number(u32);

impl SyncBlock for Number {
    type In = u32;
    type Out = u32;
    fn shape(&self) -> Shape {
        Shape { ratio: Ratio { interpolation: 7, decimation: 7 }, ends_anywhere: true, ..Shape::default() }
    }

    fn process(&mut self, x: &[u32], y: &mut [u32]) {
        for (y, x) in y.iter_mut().zip(x) {
            *y = x.wrapping_add(self.0);
            self.0 += 1;
        }
    }
}

#[test]
fn a_block_that_may_end_anywhere_loses_nothing_at_the_end() {
    for items in [1u32, 2, 3, 13, 997, 10_001] {
        let wanted: Vec<u32> = (0..items / 2).map(|n| 2 * n + 1 + 2 * n + n).collect();
        for (name, scheduler) in schedulers() {
            for options in all_options() {
                let mut graph = Graph::new();
                let source = graph.add("source", VecSource::new((0..items).collect()));
                let add = graph.add("add", AddConst(1));
                // The sum of an item and its number, then half of them, then numbers again.
                let number = graph.add("number", Number(0));
                let half = graph.add("half", Half);
                let again = graph.add("again", Number(0));
                let sink = VecSink::<u32>::new();
                let got = sink.items();
                let sink = graph.add("sink", sink);
                graph.connect(source.output, add.input);
                graph.connect(add.output, number.input);
                graph.connect(number.output, half.input);
                graph.connect(half.output, again.input);
                graph.connect(again.output, sink.input);
                finish(graph.check().unwrap(), &*scheduler, &options).unwrap();
                assert_eq!(got.take(), wanted, "{name} {options:?} {items}");
            }
        }
    }
}
