//! Graphs of very many blocks. They are planned, started, changed and ended in time that grows as their number: any step that looks at
//! all blocks for each block takes minutes here.

use superhet_runtime::harness::{VecSink, VecSource};
use superhet_runtime::prelude::*;
use superhet_runtime::{Adaptive, Scheduler, Single};

use crate::common::*;

const BLOCKS: usize = 20_000;
const ITEMS: u32 = 2_000;

fn schedulers_of_many() -> [Box<dyn Scheduler>; 2] {
    [Box::new(Single), Box::new(Adaptive::workers(2))]
}

/// Adds a row of blocks, of which each `states`-th has a state, between two that are there.
fn add_row(graph: &mut Graph, from: &str, to: &str, blocks: usize, states: usize) {
    let mut last = from.to_owned();
    for place in 0..blocks {
        let name = format!("{from}{place}");
        match place % states {
            0 => drop(graph.add(&name, Accumulate(0))),
            _ => drop(graph.add(&name, AddConst(1))),
        }
        graph.connect_names(&last, &name);
        last = name;
    }
    graph.connect_names(&last, to);
}

#[test]
fn a_row_of_very_many_blocks_runs() {
    for states in [1, 100, usize::MAX] {
        let mut wanted: Vec<u32> = (0..ITEMS).collect();
        for place in 0..BLOCKS {
            let mut sum = 0u32;
            wanted.iter_mut().for_each(|item| {
                *item = if place % states == 0 { sum.wrapping_add(*item) } else { item.wrapping_add(1) };
                sum = *item;
            });
        }
        for scheduler in schedulers_of_many() {
            let mut graph = Graph::new();
            counting(&mut graph, ITEMS);
            let (items, _) = keeping(&mut graph);
            add_row(&mut graph, "source", "sink", BLOCKS, states);
            let graph = graph.check().unwrap();
            graph.start(&*scheduler, &Options::default()).unwrap().wait().unwrap();
            assert!(items.take() == wanted, "a state in {states}, {}", scheduler.name());
        }
    }
}

#[test]
fn very_many_rows_run_side_by_side() {
    for scheduler in schedulers_of_many() {
        let mut graph = Graph::new();
        let sinks: Vec<_> = (0..BLOCKS / 4)
            .map(|row| {
                let (source, sink) = (format!("source{row} "), format!("sink{row}"));
                graph.add(&source, VecSource::new((0..100).collect::<Vec<u32>>()));
                let keeping = VecSink::<u32>::new();
                let items = keeping.items();
                graph.add(&sink, keeping);
                add_row(&mut graph, &source, &sink, 2, 2);
                items
            })
            .collect();
        graph.check().unwrap().start(&*scheduler, &Options::default()).unwrap().wait().unwrap();
        let wanted: Vec<u32> = (0..100u32).map(|n| n * (n + 1) / 2 + 1).collect();
        assert!(sinks.iter().all(|items| items.take() == wanted), "{}", scheduler.name());
    }
}

#[test]
fn a_graph_of_very_many_blocks_is_changed_while_it_runs() {
    for scheduler in schedulers_of_many() {
        let mut graph = Graph::new();
        graph.add("source", Zeros);
        graph.add("sink", Drain);
        add_row(&mut graph, "source", "sink", BLOCKS, 10);
        let running = graph.check().unwrap().start(&*scheduler, &Options::default()).unwrap();
        for place in [11, BLOCKS - 1] {
            running.reconfigure(|edit| edit.replace(&format!("source{place}"), AddConst(2))).unwrap();
        }
        running.cancel();
        let report = running.wait().unwrap();
        assert_eq!(report.blocks.len(), BLOCKS + 2);
    }
}
