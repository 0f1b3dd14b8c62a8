//! What reports say: the block with the most work, and graphs that are stuck.

use std::time::{Duration, Instant};

use superhet_runtime::prelude::*;
use superhet_runtime::report::{Bottleneck, Outcome};
use superhet_runtime::{Report, Shape, tag::TagPolicy};

use crate::blocks::Tagging;
use crate::common::*;

/// Lets so much time pass for each call, without waiting.
struct Slow(Duration);

impl SyncBlock for Slow {
    type In = u32;
    type Out = u32;
    fn process(&mut self, x: &[u32], y: &mut [u32]) {
        let start = Instant::now();
        while start.elapsed() < self.0 {
            std::hint::spin_loop();
        }
        y.copy_from_slice(x);
    }
}

#[test]
fn the_block_with_the_most_work_is_the_bottleneck() {
    for (name, scheduler) in schedulers() {
        let run = |_| {
            let mut graph = Graph::new();
            let source = counting(&mut graph, 20_000);
            let before = graph.add("before", AddConst(1));
            let slow = graph.add("slow", Slow(Duration::from_millis(1)));
            let after = graph.add("after", Accumulate(0));
            let sink = graph.add("sink", Drain);
            graph.connect(source, before.input);
            graph.connect(before.output, slow.input);
            graph.connect(slow.output, after.input);
            graph.connect(after.output, sink.input);
            let graph = graph.check().unwrap();
            let options = Options { strip_items: Some(400), ..Options::default() };
            let plan = graph.plan(&*scheduler, &options).unwrap();
            (plan, graph.start(&*scheduler, &options).unwrap().wait().unwrap())
        };
        // A busy machine may keep a worker from the block for longer than the block takes.
        let is_work = |report: &Report| matches!(report.bottleneck(), Bottleneck::Work(_));
        let (plan, report) = (0..5).map(run).find(|(_, report)| is_work(report)).expect(name);
        let Bottleneck::Work(block) = report.bottleneck() else { panic!("{name}: {report}") };
        assert_eq!(block.name, "slow", "{name}: {report}");
        assert!(report.to_string().contains("busy %"), "{report}");
        let prediction = plan.explain(&report).unwrap();
        assert_eq!(prediction.bottleneck().unwrap().name, "slow", "{name}: {prediction}");
        // The JSON has enough for a later plan.
        let known = Report::from_json(&report.to_json()).unwrap();
        assert_eq!(plan.explain(&known).unwrap().bound, prediction.bound, "{name}");
    }
}

#[test]
fn tags_are_counted_where_they_leave_a_block() {
    /// Passes no tags on.
    struct Untagged;
    impl Pure for Untagged {
        type In = u32;
        type Out = u32;
        fn shape(&self) -> Shape {
            Shape { tags: TagPolicy::None, ..Shape::default() }
        }

        fn map(&self, x: &[u32], y: &mut [u32]) {
            y.copy_from_slice(x);
        }
    }
    for (name, scheduler) in schedulers() {
        let mut graph = Graph::new();
        let source = graph.add("source", Tagging { out: Out::new(), items: 20_000, every: 100 });
        let first = graph.add("first", AddConst(1));
        let second = graph.add("second", Accumulate(0));
        let untagged = graph.add("untagged", Untagged);
        let last = graph.add("last", AddConst(1));
        let sink = graph.add("sink", Drain);
        graph.connect(source.out, first.input);
        graph.connect(first.output, second.input);
        graph.connect(second.output, untagged.input);
        graph.connect(untagged.output, last.input);
        graph.connect(last.output, sink.input);
        let options = Options { strip_items: Some(300), ..Options::default() };
        let report = graph.check().unwrap().start(&*scheduler, &options).unwrap().wait().unwrap();
        let tags = ["source", "first", "second", "untagged", "last"]
            .map(|block| report.block(block).unwrap().outputs[0].tags);
        assert_eq!(tags, [202, 202, 202, 0, 0], "{name}");
    }
}

#[test]
fn a_graph_that_keeps_up_with_its_device_has_no_block_to_blame() {
    /// Gives a few items at a time, at the pace of a device.
    #[derive(Block)]
    struct Device {
        #[port]
        output: Out<u32>,
        left: usize,
    }
    impl Work for Device {
        fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
            if self.left == 0 {
                return Ok(Step::Done);
            }
            context.sleep_until(Instant::now() + Duration::from_millis(5));
            self.left -= 1;
            let y = self.output.reserve();
            let n = y.len().min(10);
            y[..n].fill(0);
            self.output.produce(n);
            Ok(Step::Ran)
        }
        fn blocking(&self) -> bool {
            true
        }
    }
    for (name, scheduler) in schedulers() {
        let mut graph = Graph::new();
        let device = graph.add("device", Device { output: Out::new(), left: 20 });
        let add = graph.add("add", AddConst(1));
        let sink = graph.add("sink", Drain);
        graph.connect(device.output, add.input);
        graph.connect(add.output, sink.input);
        let graph = graph.check().unwrap();
        let plan = graph.plan(&*scheduler, &Options::default()).unwrap();
        let report = graph.start(&*scheduler, &Options::default()).unwrap().wait().unwrap();
        let Bottleneck::Outside(block) = report.bottleneck() else { panic!("{name}: {report}") };
        assert_eq!(block.name, "device", "{name}: {report}");
        assert_eq!(plan.explain(&report).unwrap().bound_words(), "the outside world behind device", "{name}");
    }
}

#[test]
fn a_stuck_merge_is_detected_and_named() {
    /// Passes items on only when it has a great many of them: more than the other path can hold meanwhile.
    #[derive(Block)]
    struct Hoard {
        #[port]
        input: In<u32>,
        #[port]
        output: Out<u32>,
        held: Vec<u32>,
    }
    impl Work for Hoard {
        fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            self.held.extend_from_slice(self.input.peek());
            let n = self.input.available();
            self.input.consume(n);
            Ok(if n > 0 { Step::Ran } else { Step::NeedInput })
        }
    }
    for (name, scheduler) in schedulers() {
        let mut graph = Graph::new();
        let zeros = graph.add("zeros", Zeros);
        let hoard = graph.add("hoard", Hoard { input: In::new(), output: Out::new(), held: Vec::new() });
        let merge = graph.add("merge", Add);
        let sink = graph.add("sink", Drain);
        graph.connect(zeros.output, hoard.input);
        graph.connect(zeros.output, merge.input.0);
        graph.connect(hoard.output, merge.input.1);
        graph.connect(merge.output, sink.input);
        let options = Options { strip_items: Some(64), ..Options::default() };
        let error = finish(graph.check().unwrap(), &*scheduler, &options).unwrap_err().to_string();
        assert!(
            error.starts_with("the graph is stuck: zeros has no room before merge.in0"),
            "{name}: {error}"
        );
        assert!(
            error.contains("merge waits for more items on merge.in1 (0 are there) from hoard"),
            "{name}: {error}"
        );
        assert!(error.ends_with("a larger buffer before merge.in0 would let it go on"), "{name}: {error}");
    }
}

#[test]
fn metrics_count_every_item_and_say_who_waited() {
    let mut graph = Graph::new();
    let source = counting(&mut graph, 100_000);
    let sum = graph.add("sum", MovingSum { length: 3, decimation: 2 });
    let (_items, sink) = keeping(&mut graph);
    graph.connect(source, sum.input);
    graph.connect(sum.output, sink);
    let report = graph.run().unwrap();
    assert_eq!(report.outcome, Outcome::Completed);
    let sum = report.block("sum").unwrap();
    assert_eq!((sum.inputs[0].items, sum.outputs[0].items), (100_000, 50_000));
    assert!(sum.calls > 0 && sum.busy > Duration::ZERO && sum.mean_span() > 1.0);
}
