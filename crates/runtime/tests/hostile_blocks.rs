//! Blocks that misuse what safe code lets them reach: they get a sentence, and never reach memory or hang a graph.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use crate::common::*;
use superhet_runtime::harness::{VecSink, VecSource};
use superhet_runtime::plan::{Lane, Machine};
use superhet_runtime::port::{BlockId, InRef, OutRef, PortVisitor};
use superhet_runtime::prelude::*;
use superhet_runtime::{CheckedGraph, Readiness, RunError, RunningGraph, Scheduler, error::ConnectError};

/// Runs a graph to its end, which it must come to, and gives its error.
fn error_of(graph: Graph, scheduler: &dyn Scheduler, options: &Options) -> String {
    let result = graph.check().map_err(RunError::from).and_then(|graph| graph.start(scheduler, options));
    match result {
        Err(error) => error.to_string(),
        // A panic under a sanitizer takes seconds on a busy machine.
        Ok(mut running) => match running.wait_for(Duration::from_secs(60)) {
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
        news: MsgIn,
    }
    impl Work for Lazy {
        fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            if self.input.available() == 0 {
                return Ok(Step::NeedInput);
            }
            self.news.recv();
            self.input.consume(1);
            Ok(Step::Ran)
        }
    }
    for (_, scheduler) in schedulers() {
        let mut graph = Graph::new();
        let source = graph.add("source", Gives { output: Out::new(), say: MsgOut::new() });
        let lazy = graph.add("lazy", Lazy { input: In::new(), news: MsgIn::new() });
        graph.connect(source.output, lazy.input);
        graph.connect(source.say, lazy.news);
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
    assert!(
        error.contains(
            "input 0 of block 2 is of another graph: it cannot be used in a connection with source.out"
        ),
        "{error}"
    );
}

/// Gives what lies in its room, until it is stopped.
#[derive(Block)]
struct Source<T: Item> {
    #[port]
    output: Out<T>,
}

impl<T: Item> Work for Source<T> {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        self.output.produce(self.output.room());
        std::thread::sleep(Duration::from_micros(100));
        Ok(if context.is_stopping() { Step::Done } else { Step::Ran })
    }
}

/// How a graph ends that is stopped now.
fn end_of(running: RunningGraph) -> String {
    running.stop_within(Duration::from_secs(60)).err().map_or(String::new(), |error| error.to_string())
}

type Locker = Arc<Mutex<Option<Out<u64>>>>;

/// Counts. Where it has a locker, it leaves its output there between two calls.
#[derive(Block)]
struct Lender {
    #[port]
    output: Out<u64>,
    locker: Option<Locker>,
}

impl Work for Lender {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let kept = self.locker.as_ref().and_then(|locker| locker.lock().unwrap().take());
        self.output = kept.unwrap_or(std::mem::take(&mut self.output));
        let first = self.output.index();
        let n = self.output.room();
        self.output.reserve().iter_mut().zip(first..).for_each(|(item, n)| *item = n);
        self.output.produce(n);
        if let Some(locker) = &self.locker {
            *locker.lock().unwrap() = Some(std::mem::take(&mut self.output));
        }
        Ok(Step::Ran)
    }
}

#[test]
fn a_port_lent_to_another_block_of_the_lane_panics_there() {
    #[derive(Block)]
    struct Borrower {
        #[port]
        input: In<u64>,
        locker: Locker,
    }
    impl Work for Borrower {
        fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            self.input.consume(self.input.available() / 4 * 3 + 1);
            let x = self.input.peek();
            let before = x.to_vec();
            if let Some(output) = self.locker.lock().unwrap().as_mut() {
                output.poll(&mut Readiness::default());
                output.reserve().fill(0xdead_beef);
                if before != x {
                    return Err("a shared slice has changed".into());
                }
            }
            self.input.consume(self.input.available());
            Ok(Step::Ran)
        }
    }
    let locker = Locker::default();
    let mut graph = Graph::new();
    let lender = graph.add("lender", Lender { output: Out::new(), locker: Some(locker.clone()) });
    let borrower = graph.add("borrower", Borrower { input: In::new(), locker });
    graph.connect(lender.output, borrower.input);
    let error = error_of(graph, &Single, &Options::default());
    assert!(error.contains("borrower") && error.contains("of another block"), "{error}");
}

#[test]
fn items_that_a_block_keeps_looking_at_stay_as_they_are() {
    /// Takes its input out of everybody's reach, and what it shows with it.
    #[derive(Block)]
    struct Keeper {
        #[port]
        input: In<u64>,
        kept: Option<(&'static [u64], Vec<u64>)>,
        changed: Arc<AtomicBool>,
    }
    impl Work for Keeper {
        fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            if self.kept.is_some() {
                return Ok(Step::NeedInput);
            }
            self.input.consume(self.input.available() / 4 * 3 + 1);
            let input: &'static In<u64> = Box::leak(Box::new(std::mem::take(&mut self.input)));
            // Reachable for ever, so that the leak checker does not take it for lost.
            static LEAKED: Mutex<Vec<usize>> = Mutex::new(Vec::new());
            LEAKED.lock().unwrap().push(std::ptr::from_ref(input).addr());
            let x = input.peek();
            self.kept = Some((x, x.to_vec()));
            Ok(Step::NeedInput)
        }
    }
    impl Drop for Keeper {
        fn drop(&mut self) {
            let is_as_it_was = self.kept.as_ref().is_some_and(|(now, then)| now == then && !then.is_empty());
            self.changed.store(!is_as_it_was, Ordering::Relaxed);
        }
    }
    let changed = Arc::new(AtomicBool::new(true));
    let mut graph = Graph::new();
    let lender = graph.add("source", Lender { output: Out::new(), locker: None });
    let keeper = Keeper { input: In::new(), kept: None, changed: changed.clone() };
    let keeper = graph.add("keeper", keeper);
    graph.connect(lender.output, keeper.input);
    let mut running = graph.check().unwrap().start(&Single, &Options::default()).unwrap();
    // The writer may wait for good: nobody takes what it gives.
    let _ = running.wait_for(Duration::from_millis(200));
    running.cancel();
    let _ = running.wait();
    assert!(!changed.load(Ordering::Relaxed), "a shared slice has changed");
}

#[test]
fn a_block_that_looks_at_what_it_leaves_does_not_stop_its_writer() {
    /// Takes pairs, and looks whether there is another.
    #[derive(Block)]
    struct Pairs {
        #[port]
        input: In<u32>,
        next: u32,
    }
    impl Work for Pairs {
        fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            while let [a, b, _, ..] = *self.input.peek() {
                assert_eq!([a, b], [self.next, self.next + 1]);
                self.next += 2;
                self.input.consume(2);
            }
            Ok(Step::NeedInput)
        }
    }
    for (name, scheduler) in schedulers() {
        let mut graph = Graph::new();
        let source = counting(&mut graph, 20_001);
        let pairs = graph.add("pairs", Pairs { input: In::new(), next: 0 });
        graph.connect(source, pairs.input);
        let options = Options { strip_items: Some(64), ..Options::default() };
        assert_eq!(error_of(graph, &*scheduler, &options), "", "{name}");
    }
}

#[test]
fn a_port_is_printed_without_what_others_write() {
    let (to, from) = mpsc::channel();
    let mut graph = Graph::new();
    let source = graph.add("source", Zeros);
    let leak = graph.add("leak", Leak { input: In::new(), to });
    graph.connect(source.output, leak.input);
    let running = graph.check().unwrap().start(&Single, &Options::default()).unwrap();
    let stolen: In<u32> = from.recv().unwrap();
    let text = format!("{stolen:?}");
    assert!(!text.contains("cursor") && !text.contains("Tag"), "{text}");
    running.cancel();
    let _ = running.wait();
}

/// Shows its two inputs, the other way round when asked to.
struct Swapping<A: Item, B: Item> {
    first: In<A>,
    second: In<B>,
    swap: Arc<AtomicBool>,
    /// Swaps at the visits from this one on.
    visits: AtomicU32,
}

impl<A: Item, B: Item> Block for Swapping<A, B> {
    type Ports = ();
    fn visit(&mut self, visitor: &mut dyn PortVisitor) {
        let left = self.visits.load(Ordering::Relaxed);
        if self.swap.load(Ordering::Relaxed) && left == 0 {
            visitor.input("first", &mut self.second);
            visitor.input("second", &mut self.first);
        } else {
            if self.swap.load(Ordering::Relaxed) {
                self.visits.store(left - 1, Ordering::Relaxed);
            }
            visitor.input("first", &mut self.first);
            visitor.input("second", &mut self.second);
        }
    }
    fn poll(&self, readiness: &mut Readiness) {
        self.first.poll(readiness);
        self.second.poll(readiness);
    }
    fn ports(&self, _: BlockId) {}
}

impl<A: Item, B: Item> Work for Swapping<A, B> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let (a, b) = (self.first.rest().len(), self.second.rest().len());
        if a.max(b) > 1 << 32 {
            return Err(format!("slices of {a} and {b} items").into());
        }
        self.first.consume(a);
        self.second.consume(b);
        Ok(Step::Ran)
    }
}

/// A graph whose block `two` shows its inputs the other way round from the visit `visits` after the start of a change on: what the
/// change comes to, and how the graph ends.
fn swapped<A: Item, B: Item>(visits: u32) -> (Result<(), String>, String) {
    let swap = Arc::new(AtomicBool::new(false));
    let mut graph = Graph::new();
    graph.add("a", Source::<A> { output: Out::new() });
    graph.add("b", Source::<B> { output: Out::new() });
    let (first, second) = (In::new().history(1 << 16), In::new().history(1 << 16));
    graph.add("two", Swapping::<A, B> { first, second, swap: swap.clone(), visits: visits.into() });
    graph.connect_names("a.output", "two.first");
    graph.connect_names("b.output", "two.second");
    let running = graph.check().unwrap().start(&Single, &Options::default()).unwrap();
    std::thread::sleep(Duration::from_millis(20));
    swap.store(true, Ordering::Relaxed);
    let change = running.reconfigure(|_| ()).map(|_| ()).map_err(|error| error.to_string());
    std::thread::sleep(Duration::from_millis(20));
    (change, end_of(running))
}

#[test]
fn a_block_that_shows_other_ports_while_the_graph_changes_is_refused() {
    let refused = "two.first asks for other items or spans than when it was added";
    let (change, _) = swapped::<u64, u8>(0);
    let error = change.unwrap_err();
    assert!(error.contains(refused), "{error}");
    // Whichever visit it is that sees them, memory holds what the block sees.
    for visits in 1..12 {
        let (change, end) = swapped::<u64, u8>(visits);
        let error = change.err().unwrap_or(end);
        assert!(error.is_empty() || error.contains("block shows the same ports"), "visit {visits}: {error}");
    }
    // Ports that are alike are told apart by what is connected to them.
    let (change, _) = swapped::<u32, u32>(0);
    let error = change.unwrap_err();
    assert!(error.contains("two.first"), "{error}");
}

/// Shows its input but for one visit.
struct Hiding {
    input: In<u8>,
    is_watched: Arc<AtomicBool>,
    /// How many visits come before the one that does not see it.
    before: u32,
}

impl Block for Hiding {
    type Ports = ();
    fn visit(&mut self, visitor: &mut dyn PortVisitor) {
        if self.is_watched.load(Ordering::Relaxed) {
            self.before = self.before.wrapping_sub(1);
            if self.before == u32::MAX {
                return;
            }
        }
        visitor.input("input", &mut self.input);
    }
    fn poll(&self, readiness: &mut Readiness) {
        self.input.poll(readiness);
    }
    fn ports(&self, _: BlockId) {}
}

impl Work for Hiding {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        self.input.consume(self.input.available() / 2);
        Ok(Step::Ran)
    }
}

#[test]
fn a_block_gets_no_items_of_another_type_from_the_one_whose_place_it_takes() {
    #[derive(Block)]
    struct Wide {
        #[port]
        input: In<u64>,
        saw: Arc<AtomicU32>,
    }
    impl Work for Wide {
        fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            if self.input.is_connected() {
                self.saw.store(1, Ordering::Relaxed);
                self.saw.fetch_add(self.input.rest().len() as u32, Ordering::Relaxed);
            }
            Ok(Step::Done)
        }
    }
    // How many visits come before the change begins differs each time. Once one that matters was found, some more are tried.
    let (mut refused, mut more) = (0, 8);
    for round in 0..1000 {
        let before = round % 20;
        let (is_watched, saw) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU32::new(0)));
        let mut graph = Graph::new();
        graph.add("source", Source::<u8> { output: Out::new().batch(1 << 16) });
        let input = In::new().batch(1 << 16);
        graph.add("old", Hiding { input, is_watched: is_watched.clone(), before });
        graph.connect_names("source.output", "old.input");
        let running = graph.check().unwrap().start(&Single, &Options::default()).unwrap();
        std::thread::sleep(Duration::from_millis(3));
        let change = running.reconfigure(|edit| {
            edit.disconnect_names("source.output", "old.input");
            edit.replace("old", Wide { input: In::new().optional(), saw: saw.clone() });
            edit.add("drain", VecSink::<u8>::new());
            edit.connect_names("source.output", "drain.in");
            is_watched.store(true, Ordering::Relaxed);
        });
        if let Err(error) = change {
            let error = error.to_string();
            assert!(error.contains("old") && error.contains("shows the same ports"), "{error}");
            refused += 1;
        }
        end_of(running);
        assert_eq!(saw.load(Ordering::Relaxed), 0, "hidden in visit {before}: it is connected to something");
        more -= i32::from(refused > 0);
        if more == 0 {
            break;
        }
    }
    assert!(refused > 0, "no visit that matters was among them");
}

#[test]
fn whoever_waits_for_the_longest_time_there_is_waits_for_ever() {
    let run = || {
        let mut graph = Graph::new();
        let source = counting(&mut graph, 1000);
        let sink = graph.add("sink", Drain);
        graph.connect(source, sink.input);
        graph.check().unwrap().start(&Single, &Options::default()).unwrap()
    };
    assert!(run().wait_for(Duration::MAX).expect("it ends").is_ok());
    assert!(run().stop_within(Duration::MAX).is_ok());
}

#[test]
fn a_graph_in_which_items_are_lent_is_not_changed_and_goes_on() {
    /// Lends what it gets, and takes it back on request.
    #[derive(Block)]
    struct Lends {
        #[port]
        input: In<u32>,
        lent: Option<superhet_runtime::buffer::LentItems>,
        keeps: Arc<AtomicBool>,
    }
    impl Work for Lends {
        fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            if let Some(items) = self.lent.take_if(|_| !self.keeps.load(Ordering::Relaxed)) {
                self.input.take_back(items);
            }
            if self.lent.is_none() && self.input.lendable() >= 10 {
                self.lent = self.input.lend(10);
            }
            std::thread::sleep(Duration::from_micros(100));
            Ok(Step::Ran)
        }
        fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            self.lent = None;
            Ok(Step::Done)
        }
    }
    let keeps = Arc::new(AtomicBool::new(true));
    let mut graph = Graph::new();
    let source = graph.add("source", Zeros);
    let lends = graph.add("lends", Lends { input: In::new(), lent: None, keeps: keeps.clone() });
    graph.connect(source.output, lends.input);
    let running = graph.check().unwrap().start(&Apart, &Options::default()).unwrap();
    let start = std::time::Instant::now();
    let error = loop {
        assert!(start.elapsed() < Duration::from_secs(30), "it lends nothing");
        match running.reconfigure(|_| ()) {
            Ok(_) => std::thread::sleep(Duration::from_millis(1)),
            Err(error) => break error.to_string(),
        }
    };
    assert!(error.contains("what lends.input has lent has not come back"), "{error}");
    keeps.store(false, Ordering::Relaxed);
    let taken = || running.metrics().block("lends").map_or(0, |lends| lends.inputs[0].items);
    let before = taken();
    while taken() < before + 100 {
        assert!(start.elapsed() < Duration::from_secs(60), "it does not go on");
        std::thread::sleep(Duration::from_millis(1));
    }
    running.cancel();
    let _ = running.wait();
}
