//! The output of a graph depends neither on the scheduler nor on how spans are cut nor on what buffers are made of.

use crate::common::*;
use superhet_runtime::Items;
use superhet_runtime::prelude::*;

/// Runs a graph in every way and compares each output with the first.
fn assert_same_everywhere(make: impl Fn(&mut Graph) -> Items<u32>) -> Vec<u32> {
    let reference = run(&make, &Single, &Options::default()).unwrap();
    for (name, scheduler) in schedulers() {
        for options in all_options() {
            let output = run(&make, &*scheduler, &options)
                .unwrap_or_else(|error| panic!("{name}, {options:?}: {error}"));
            assert!(
                output == reference,
                "{name}, {options:?}: {} items, not {}",
                output.len(),
                reference.len()
            );
        }
    }
    reference
}

#[test]
fn a_chain_of_in_place_blocks_gives_the_same_everywhere() {
    let output = assert_same_everywhere(|graph| {
        let mut stream = counting(graph, 10_000);
        for i in 0..4 {
            let block = graph.add(format!("add{i}"), AddConst(i));
            graph.connect(stream, block.input);
            stream = block.output;
        }
        let (items, sink) = keeping(graph);
        graph.connect(stream, sink);
        items
    });
    assert_eq!(output, (0..10_000).map(|i| i + 6).collect::<Vec<_>>());
}

#[test]
fn history_decimation_and_interpolation_give_the_same_everywhere() {
    let output = assert_same_everywhere(|graph| {
        let source = counting(graph, 5_000);
        let sum = graph.add("sum", MovingSum { length: 5, decimation: 3 });
        let repeat = graph.add("repeat", Repeat(4));
        let state = graph.add("state", Accumulate(0));
        let add = graph.add("add", AddConst(1));
        let (items, sink) = keeping(graph);
        graph.connect(source, sum.input);
        graph.connect(sum.output, repeat.input);
        graph.connect(repeat.output, state.input);
        graph.connect(state.output, add.input);
        graph.connect(add.output, sink);
        items
    });
    assert_eq!(output.len(), 5_000 / 3 * 4);
    assert_eq!(output[..5], [4, 7, 10, 13, 28]);
}

#[test]
fn fan_out_and_fan_in_give_the_same_everywhere() {
    let output = assert_same_everywhere(|graph| {
        let source = counting(graph, 8_000);
        let (a, b) = (graph.add("a", AddConst(10)), graph.add("b", MovingSum { length: 9, decimation: 1 }));
        let add = graph.add("add", Add);
        let packets = graph.add("packets", Packets::new(33));
        let (items, sink) = keeping(graph);
        graph.connect(source, a.input);
        graph.connect(source, b.input);
        graph.connect(a.output, add.input.0);
        graph.connect(b.output, add.input.1);
        graph.connect(add.output, packets.input);
        graph.connect(packets.output, sink);
        items
    });
    assert_eq!(output.len(), 8_000, "packets of 33 do not divide 8000: the rest arrives too");
    assert_eq!(output[..3], [10, 12, 15]);
}

#[test]
fn a_loop_behind_a_preloaded_output_gives_the_same_everywhere() {
    /// `y[n] = x[n] + y[n-1]`, with the loop outside of the block.
    #[derive(Block)]
    struct Sum {
        #[port("in")]
        input: In<u32>,
        #[port]
        back: In<u32>,
        #[port("out")]
        output: Out<u32>,
        #[port]
        loop_out: Out<u32>,
    }
    impl Work for Sum {
        fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            let n = self
                .input
                .available()
                .min(self.back.available())
                .min(self.output.room())
                .min(self.loop_out.room());
            let sums: Vec<u32> = self.input.peek()[..n]
                .iter()
                .zip(self.back.peek())
                .map(|(x, y)| x.wrapping_add(*y))
                .collect();
            self.output.reserve()[..n].copy_from_slice(&sums);
            self.loop_out.reserve()[..n].copy_from_slice(&sums);
            self.input.consume(n);
            self.back.consume(n);
            self.output.produce(n);
            self.loop_out.produce(n);
            Ok(if n > 0 { Step::Ran } else { Step::NeedInput })
        }
    }
    let output = assert_same_everywhere(|graph| {
        let source = counting(graph, 500);
        let sum = graph.add(
            "sum",
            Sum { input: In::new(), back: In::new(), output: Out::new(), loop_out: Out::new().preload(1) },
        );
        let (items, sink) = keeping(graph);
        graph.connect(source, sum.input);
        graph.connect(sum.loop_out, sum.back);
        graph.connect(sum.output, sink);
        items
    });
    assert_eq!(output[..5], [0, 1, 3, 6, 10]);
    assert_eq!(output.len(), 500);
}

#[test]
fn lanes_given_by_name_give_the_same() {
    let make = |graph: &mut Graph| {
        let source = counting(graph, 3_000);
        let (a, b) = (graph.add("a", AddConst(1)), graph.add("b", AddConst(2)));
        let (items, sink) = keeping(graph);
        graph.connect(source, a.input);
        graph.connect(a.output, b.input);
        graph.connect(b.output, sink);
        items
    };
    let lanes = Pinned::lanes(vec![vec!["b".into(), "source".into()], vec!["a".into(), "sink".into()]]);
    for options in all_options() {
        assert_eq!(run(make, &lanes, &options).unwrap(), (0..3_000).map(|i| i + 3).collect::<Vec<_>>());
    }
}

#[test]
fn tags_arrive_once_in_order_and_at_the_mapped_index_everywhere() {
    use std::sync::{Arc, Mutex};

    /// Tags every tenth item with its index.
    #[derive(Block)]
    struct Tagged {
        #[port]
        output: Out<u32>,
        left: u32,
    }
    impl Work for Tagged {
        fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            let n = self.output.room().min(self.left as usize);
            let first = self.output.index();
            for i in (0..n).filter(|i| (first + *i as u64).is_multiple_of(10)) {
                self.output.tag(i, "ten", first + i as u64);
            }
            self.output.reserve()[..n].fill(1);
            self.output.produce(n);
            self.left -= n as u32;
            Ok(if self.left == 0 { Step::Done } else { Step::Ran })
        }
    }
    /// Notes every tag.
    #[derive(Block)]
    struct Notes {
        #[port]
        input: In<u32>,
        seen: Arc<Mutex<Vec<(u64, u64)>>>,
    }
    impl Work for Notes {
        fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            let n = self.input.available();
            let tags = self.input.tags();
            self.seen.lock().unwrap().extend(tags.iter().map(|tag| (tag.index, tag.value.as_u64().unwrap())));
            self.input.consume(n);
            Ok(Step::Ran)
        }
    }
    for (name, scheduler) in schedulers() {
        for options in all_options() {
            let mut graph = Graph::new();
            let source = graph.add("source", Tagged { output: Out::new(), left: 1000 });
            let add = graph.add("add", AddConst(1));
            let sum = graph.add("sum", MovingSum { length: 4, decimation: 4 });
            let repeat = graph.add("repeat", Repeat(3));
            let seen = Arc::new(Mutex::new(Vec::new()));
            let notes = graph.add("notes", Notes { input: In::new(), seen: seen.clone() });
            graph.connect(source.output, add.input);
            graph.connect(add.output, sum.input);
            graph.connect(sum.output, repeat.input);
            graph.connect(repeat.output, notes.input);
            finish(graph.check().unwrap(), &*scheduler, &options).unwrap();
            let expected: Vec<(u64, u64)> = (0..100).map(|i| (10 * i / 4 * 3, 10 * i)).collect();
            assert_eq!(*seen.lock().unwrap(), expected, "{name}, {options:?}");
        }
    }
}

#[test]
fn spans_of_a_block_that_asks_for_alignment_start_or_end_on_it_and_nothing_is_withheld() {
    use std::sync::{Arc, Mutex};

    /// Notes the length of each span, and asks for whole groups of 16 items.
    struct Aligned(Arc<Mutex<Vec<usize>>>);
    impl SyncBlock for Aligned {
        type In = u32;
        type Out = u32;
        fn shape(&self) -> Shape {
            Shape { align: 16, ..Shape::default() }
        }

        fn process(&mut self, x: &[u32], y: &mut [u32]) {
            y.copy_from_slice(x);
            self.0.lock().unwrap().push(x.len());
        }
    }
    for strip in [5, 37, 100, 1000] {
        let spans = Arc::new(Mutex::new(Vec::new()));
        let make = |graph: &mut Graph| {
            let source = counting(graph, 5_003);
            let aligned = graph.add("aligned", Aligned(spans.clone()));
            let (items, sink) = keeping(graph);
            graph.connect(source, aligned.input);
            graph.connect(aligned.output, sink);
            items
        };
        let options = Options { strip_items: Some(strip), ..Options::default() };
        assert_eq!(run(make, &Single, &options).unwrap(), (0..5_003).collect::<Vec<_>>());
        let spans = spans.lock().unwrap();
        if strip >= 32 {
            let whole = spans.iter().filter(|n| n.is_multiple_of(16)).count();
            assert!(whole * 2 > spans.len(), "strips of {strip}: {spans:?}");
        }
    }
}
