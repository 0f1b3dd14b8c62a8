//! Blocks that misuse what safe code lets them reach: they get a sentence, and never reach memory or hang a graph.

mod common;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use common::*;
use superhet_runtime::harness::{VecSink, VecSource};
use superhet_runtime::prelude::*;
use superhet_runtime::{
    BlockId, CheckedGraph, ConnectError, InRef, Lane, Machine, OutRef, PortVisitor, Readiness, RunError,
    Scheduler,
};

/// Runs a graph to its end, which it must come to, and gives its error.
fn error_of(graph: Graph, scheduler: &dyn Scheduler, options: &Options) -> String {
    let result = graph.check().map_err(RunError::from).and_then(|graph| graph.start(scheduler, options));
    match result {
        Err(error) => error.to_string(),
        Ok(mut running) => match running.wait_for(Duration::from_secs(5)) {
            Some(Err(error)) => error.to_string(),
            Some(Ok(_)) => String::new(),
            None => panic!("the graph hangs"),
        },
    }
}

/// Sends its input to whoever wants it.
#[derive(Block)]
struct Leak {
    #[port("in")]
    input: In<u32>,
    to: mpsc::Sender<In<u32>>,
}

impl Work for Leak {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        self.to.send(std::mem::take(&mut self.input)).map_err(|_| "nobody wants it")?;
        Ok(Step::NeedInput)
    }
}

#[test]
fn a_port_sent_to_another_thread_panics_there() {
    let (to, from) = mpsc::channel();
    let mut graph = Graph::new();
    let source = graph.add("source", Zeros);
    let leak = graph.add("leak", Leak { input: In::new(), to });
    graph.connect(source.output, leak.input);
    let running = graph.check().unwrap().start(&Single, &Options::default()).unwrap();
    let stolen: In<u32> = from.recv().unwrap();
    let look = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| stolen.peek().len()));
    assert!(look.is_err(), "another thread sees the items");
    running.cancel();
    let _ = running.wait();
}

#[test]
fn a_block_that_asks_for_room_while_it_looks_at_its_own_output_sees_no_change() {
    #[derive(Block)]
    struct SelfLoop {
        #[port]
        back: In<u32>,
        #[port]
        output: Out<u32>,
        calls: u32,
    }
    impl Work for SelfLoop {
        fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            self.calls += 1;
            if self.calls == 3 {
                self.back.consume(7);
                let x = self.back.rest();
                let before = x.to_vec();
                self.output.poll(&mut Readiness::default());
                self.output.reserve().fill(99);
                assert_eq!(before, x, "a shared slice has changed");
                return Ok(Step::Done);
            }
            self.back.consume(self.back.available().min(6));
            let room = self.output.reserve();
            let n = room.len().min(16);
            room[..n].fill(self.calls);
            self.output.produce(n);
            Ok(Step::Ran)
        }
    }
    let mut graph = Graph::new();
    let block = graph.add("b", SelfLoop { back: In::new(), output: Out::new().preload(3), calls: 0 });
    graph.connect(block.output, block.back);
    assert_eq!(error_of(graph, &Single, &Options { strip_items: Some(16), ..Options::default() }), "");
}

#[test]
fn a_block_that_shows_another_port_than_it_was_checked_with_is_refused() {
    struct TwoFaced {
        narrow: In<u8>,
        wide: In<u64>,
        visits: u32,
    }
    impl Block for TwoFaced {
        type Ports = InRef<u8>;
        fn visit(&mut self, visitor: &mut dyn PortVisitor) {
            self.visits += 1;
            match self.visits {
                1 => visitor.input("in", &mut self.narrow),
                _ => visitor.input("in", &mut self.wide),
            }
        }
        fn poll(&self, readiness: &mut Readiness) {
            self.wide.poll(readiness);
        }
        fn ports(&self, id: BlockId) -> InRef<u8> {
            InRef::new(id, 0)
        }
    }
    impl Work for TwoFaced {
        fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            panic!("it reads {} items of 8 bytes", self.wide.peek().len());
        }
    }
    let mut graph = Graph::new();
    let source = graph.add("source", VecSource::new(vec![1u8; 5000]));
    let two = graph.add("two", TwoFaced { narrow: In::new(), wide: In::new(), visits: 0 });
    graph.connect::<InRef<u8>, OutRef<u8>>(source.output, InRef::new(two.id(), 0));
    let error = error_of(graph, &Single, &Options::default());
    assert!(error.contains("a block shows the same ports each time"), "{error}");
}

#[test]
fn sizes_that_no_memory_holds_are_mistakes_of_the_graph() {
    for preload in [usize::MAX - 3, usize::MAX - 63, 1 << 63, 1 << 50] {
        let mut graph = Graph::new();
        let packets = graph.add("packets", Packets::new(5));
        let delay = graph.add("delay", Preloaded { output: Out::new().preload(preload) });
        let sink = graph.add("sink", Drain);
        graph.connect(delay.output, packets.input);
        graph.connect(packets.output, sink.input);
        let error = error_of(graph, &Single, &Options::default());
        assert!(
            error.contains("delay.output asks for") && error.contains("more than memory can hold"),
            "{error}"
        );
    }
    #[derive(Block)]
    struct Preloaded {
        #[port]
        output: Out<u32>,
    }
    impl Work for Preloaded {
        fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            Ok(Step::Done)
        }
    }
}

#[test]
fn a_block_that_looks_at_its_input_while_it_is_dropped_sees_nothing() {
    #[derive(Block)]
    struct Late {
        #[port("in")]
        input: In<u32>,
        saw: Arc<AtomicBool>,
    }
    impl Work for Late {
        fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            Ok(Step::Done)
        }
    }
    impl Drop for Late {
        fn drop(&mut self) {
            self.saw.fetch_or(
                !self.input.rest().is_empty() || !self.input.window().is_empty(),
                Ordering::Relaxed,
            );
        }
    }
    for (name, scheduler) in schedulers() {
        let saw = Arc::new(AtomicBool::new(false));
        let mut graph = Graph::new();
        let source = counting(&mut graph, 1000);
        let late = graph.add("late", Late { input: In::new().history(100), saw: saw.clone() });
        let sink = graph.add("sink", Drain);
        graph.connect(source, late.input);
        graph.connect(source, sink.input);
        assert_eq!(
            error_of(graph, &*scheduler, &Options { strip_items: Some(64), ..Options::default() }),
            ""
        );
        assert!(!saw.load(Ordering::Relaxed), "{name}");
    }
}

#[test]
fn a_panic_whose_payload_panics_ends_the_graph_all_the_same() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("the payload's own drop");
        }
    }
    struct Throws;
    impl SyncBlock for Throws {
        type In = u32;
        type Out = ();
        fn process(&mut self, _: &[u32], _: ()) {
            std::panic::panic_any(Bomb);
        }
    }
    let mut graph = Graph::new();
    let source = counting(&mut graph, 10);
    let throws = graph.add("throws", Throws);
    graph.connect(source, throws.input);
    assert!(error_of(graph, &Single, &Options::default()).starts_with("block throws panicked"));
}

#[test]
fn blocks_that_panic_while_they_are_dropped_are_named() {
    struct DropBomb;
    impl Drop for DropBomb {
        fn drop(&mut self) {
            panic!("in the drop");
        }
    }
    impl SyncBlock for DropBomb {
        type In = u32;
        type Out = ();
        fn process(&mut self, _: &[u32], _: ()) {}
    }
    let mut graph = Graph::new();
    let source = counting(&mut graph, 10);
    let (a, b) = (graph.add("a", DropBomb), graph.add("b", DropBomb));
    graph.connect(source, a.input);
    graph.connect(source, b.input);
    assert_eq!(
        error_of(graph, &Single, &Options::default()),
        "block a panicked: in the drop (while it was dropped)"
    );
}

#[test]
fn a_processor_that_does_not_exist_is_no_reason_to_hang() {
    struct Far;
    impl Scheduler for Far {
        fn name(&self) -> &'static str {
            "far"
        }
        fn lanes(&self, graph: &CheckedGraph, _: &Machine) -> Result<Vec<Lane>, ConnectError> {
            Ok(vec![Lane::new(graph.order().to_vec()).pinned_to(1_000_000)])
        }
    }
    let mut graph = Graph::new();
    let source = counting(&mut graph, 10);
    let sink = graph.add("sink", Drain);
    graph.connect(source, sink.input);
    assert_eq!(error_of(graph, &Far, &Options::default()), "");
}

#[test]
fn a_block_that_leaves_its_mail_unread_ends_with_its_stream() {
    #[derive(Block)]
    struct Gives {
        #[port("out")]
        output: Out<u32>,
        #[port]
        say: MsgOut,
    }
    impl Work for Gives {
        fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            for n in 0..5 {
                self.say.send(n)?;
            }
            self.output.produce(1);
            Ok(Step::Done)
        }
    }
    /// Looks at its mail only when it has items.
    #[derive(Block)]
    struct Lazy {
        #[port("in")]
        input: In<u32>,
        #[port]
        knob: MsgIn,
    }
    impl Work for Lazy {
        fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            if self.input.available() == 0 {
                return Ok(Step::NeedInput);
            }
            self.knob.recv();
            self.input.consume(1);
            Ok(Step::Ran)
        }
    }
    for (_, scheduler) in schedulers() {
        let mut graph = Graph::new();
        let source = graph.add("source", Gives { output: Out::new(), say: MsgOut::new() });
        let lazy = graph.add("lazy", Lazy { input: In::new(), knob: MsgIn::new() });
        graph.connect(source.output, lazy.input);
        graph.connect(source.say, lazy.knob);
        assert_eq!(error_of(graph, &*scheduler, &Options::default()), "");
    }
}

#[test]
fn a_handle_of_another_graph_is_a_mistake() {
    let mut other = Graph::new();
    other.add("x", Zeros);
    other.add("y", Zeros);
    let z = other.add("z", VecSink::<u32>::new());
    let mut graph = Graph::new();
    let source = counting(&mut graph, 1);
    graph.connect(source, z.input);
    let error = graph.check().unwrap_err().to_string();
    assert!(error.contains("its handle is of another graph"), "{error}");
}
