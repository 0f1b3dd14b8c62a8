//! What ports promise: spans, types and their mistakes.

use std::sync::Arc;

use superhet_runtime::prelude::*;
use superhet_runtime::{Items, error::ConnectError};

use crate::common::*;

#[test]
fn a_packet_larger_than_any_strip_passes() {
    for length in [4097, 70_000] {
        for (name, scheduler) in schedulers() {
            for strip_items in [None, Some(1), Some(7), Some(4096)] {
                if strip_items == Some(1) && length > 5000 {
                    continue;
                }
                let make = |graph: &mut Graph| {
                    let source = counting(graph, 150_000);
                    let packets = graph.add("packets", Packets::new(length));
                    let (items, sink) = keeping(graph);
                    graph.connect(source, packets.input);
                    graph.connect(packets.output, sink);
                    items
                };
                let output = run(make, &*scheduler, &Options { strip_items, ..Options::default() }).unwrap();
                assert_eq!(output, (0..150_000).collect::<Vec<_>>(), "{name}, {length}");
            }
        }
    }
}

#[test]
fn a_demand_that_cannot_be_met_is_an_error_that_names_the_port() {
    #[derive(Block)]
    struct Impossible {
        #[port]
        input: In<u32>,
    }
    impl Work for Impossible {
        fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            Ok(Step::Done)
        }
    }
    let mut graph = Graph::new();
    let source = counting(&mut graph, 1);
    let block = graph.add("fft", Impossible { input: In::new().min(4097).max(4096) });
    graph.connect(source, block.input);
    let error = graph.check().unwrap_err().to_string();
    assert_eq!(error, "fft.input asks for at least 4097 items in multiples of 1, but at most 4096");
}

#[test]
fn min_max_and_multiple_are_hard_contracts() {
    /// Fails when a span breaks what the ports ask for.
    #[derive(Block)]
    struct Strict {
        #[port]
        input: In<u32>,
        #[port]
        output: Out<u32>,
    }
    impl Work for Strict {
        fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            let (x, y) = (self.input.peek(), self.output.reserve());
            for (length, side) in [(x.len(), "input"), (y.len(), "output")] {
                if !(10..=40).contains(&length) || !length.is_multiple_of(5) {
                    return Err(format!("a span of {length} items on the {side}").into());
                }
            }
            let n = x.len().min(y.len());
            y[..n].copy_from_slice(&x[..n]);
            self.input.consume(n);
            self.output.produce(n);
            Ok(Step::Ran)
        }
        fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            match self.input.rest().len() {
                0 | 5 => Ok(Step::Done),
                n => Err(format!("{n} items are left of 1000 in spans that are multiples of 5").into()),
            }
        }
    }
    for (_, scheduler) in schedulers() {
        for options in all_options() {
            let make = |graph: &mut Graph| {
                let source = counting(graph, 1_000);
                let (input, output) =
                    (In::new().min(10).max(40).multiple(5), Out::new().min(10).max(40).multiple(5));
                let strict = graph.add("strict", Strict { input, output });
                let (items, sink) = keeping(graph);
                graph.connect(source, strict.input);
                graph.connect(strict.output, sink);
                items
            };
            assert!(run(make, &*scheduler, &options).unwrap().len() >= 995);
        }
    }
}

#[test]
fn a_seeded_run_cuts_the_same_spans_every_time() {
    /// Notes the length of every span.
    struct Spans(Arc<std::sync::Mutex<Vec<usize>>>);
    impl SyncBlock for Spans {
        type In = u32;
        type Out = u32;
        fn process(&mut self, x: &[u32], y: &mut [u32]) {
            y.copy_from_slice(x);
            self.0.lock().unwrap().push(x.len());
        }
    }
    let spans_of = |seed| {
        let spans = Arc::new(std::sync::Mutex::new(Vec::new()));
        let make = |graph: &mut Graph| -> Items<u32> {
            let source = counting(graph, 20_000);
            let block = graph.add("spans", Spans(spans.clone()));
            let (items, sink) = keeping(graph);
            graph.connect(source, block.input);
            graph.connect(block.output, sink);
            items
        };
        let options = Options { seed: Some(seed), strip_items: Some(500), ..Options::default() };
        assert_eq!(run(make, &Single, &options).unwrap().len(), 20_000);
        std::mem::take(&mut *spans.lock().unwrap())
    };
    assert_eq!(spans_of(1), spans_of(1));
    assert_ne!(spans_of(1), spans_of(2));
    assert!(spans_of(1).iter().any(|&n| n < 50) && spans_of(1).iter().any(|&n| n > 200));
}

#[test]
fn type_errors_are_in_the_users_names() {
    let mut graph = Graph::new();
    counting(&mut graph, 1);
    graph.add("my filter", superhet_runtime::harness::VecSink::<f32>::new());
    graph.connect_names("source", "my filter.in");
    let error = graph.check().unwrap_err();
    assert_eq!(error.to_string(), "source.out gives u32, my filter.in takes f32");
}

#[test]
fn all_mistakes_of_a_graph_are_reported_at_once() {
    let mut graph = Graph::new();
    let source = counting(&mut graph, 1);
    let other = graph.add("other", Zeros);
    let same = graph.add("other", AddConst(1));
    let add = graph.add("add", Add);
    let half = graph.add("half", MovingSum { length: 2, decimation: 2 });
    let (a, b) = (graph.add("a", AddConst(1)), graph.add("b", AddConst(1)));
    graph.connect(source, same.input);
    graph.connect(other.output, same.input);
    graph.connect(source, add.input.0);
    graph.connect(source, half.input);
    graph.connect(half.output, add.input.1);
    graph.connect_names("sorce", "add.in1");
    graph.connect(a.output, b.input);
    graph.connect(b.output, a.input);
    let mistakes = graph.check().unwrap_err().0;
    let has = |wanted: &str| assert!(mistakes.iter().any(|m| m.to_string() == wanted), "{mistakes:#?}");
    has("the name other is used by 2 blocks");
    has("other.in has 2 writers (source.out, other.out): an input takes one stream");
    has("other.out is not connected: its u32 would go nowhere (connect it to a null_sink to drop them)");
    has("block sorce does not exist; did you mean source?");
    has("b -> a -> b is a loop without delay: nothing in it could ever run first (a delay block breaks it)");
    assert!(
        mistakes
            .iter()
            .any(|m| matches!(m, ConnectError::UnconnectedOutput { port, .. } if port == "add.out"))
    );
    assert!(mistakes.iter().any(|m| matches!(m, ConnectError::RateConflict { block, .. } if block == "add")));
}
