//! What a program around a graph uses: chains, collected items, typed parameters, channels, and a graph that is awaited.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::{Duration, Instant};

use superhet_runtime::error::{ConnectError, MessageError};
use superhet_runtime::harness::{VecSink, VecSource};
use superhet_runtime::parameter::{Declared, Parameter, no_parameter};
use superhet_runtime::{
    Adaptive, Block, BlockError, Graph, In, Options, Out, Pure, RunError, Single, Step, Value, Work, channel,
};

/// Runs a future on this thread, and says how often it was polled.
fn block_on<F: Future>(future: F) -> (F::Output, usize) {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut future = pin!(future);
    let mut polls = 0;
    loop {
        polls += 1;
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return (output, polls),
            Poll::Pending => std::thread::park(),
        }
    }
}

#[derive(Clone)]
struct Amp {
    gain: f32,
}

impl Amp {
    const GAIN: Declared<Amp, f32> = Declared::new("gain");
    const NOWHERE: Declared<Amp, u8> = Declared::new("gain");
}

impl Pure for Amp {
    type In = f32;
    type Out = f32;
    const PARAMETERS: &'static [&'static str] = &["gain"];

    fn with_parameter(&self, name: &str, value: &Value) -> Result<Self, BlockError> {
        match (name, value.as_f64()) {
            ("gain", Some(gain)) if gain >= 0.0 => Ok(Amp { gain: gain as f32 }),
            ("gain", _) => Err("expected a number from 0 on".into()),
            _ => Err(no_parameter(name, Self::PARAMETERS)),
        }
    }
    fn parameter(&self, _: &str) -> Option<Value> {
        Some(self.gain.into())
    }
    fn map(&self, x: &[f32], y: &mut [f32]) {
        y.iter_mut().zip(x).for_each(|(y, x)| *y = self.gain * x);
    }
}

/// Gives an item whenever it is asked, for ever.
#[derive(Block)]
struct Zeros {
    #[port("out")]
    output: Out<f32>,
}

impl Work for Zeros {
    fn work(&mut self, _: &mut superhet_runtime::Context<'_>) -> Result<Step, BlockError> {
        let n = self.output.room();
        self.output.reserve().fill(0.0);
        self.output.produce(n);
        Ok(if n == 0 { Step::NeedOutput } else { Step::Ran })
    }
}

/// Has two inputs, and an output.
#[derive(Block)]
struct Both {
    #[port]
    left: In<f32>,
    #[port]
    right: In<f32>,
    #[port("out")]
    output: Out<f32>,
}

impl Both {
    fn new() -> Self {
        Both { left: In::new(), right: In::new(), output: Out::new() }
    }
}

impl Work for Both {
    fn work(&mut self, _: &mut superhet_runtime::Context<'_>) -> Result<Step, BlockError> {
        let n = self.left.available().min(self.right.available()).min(self.output.room());
        for (y, (a, b)) in
            self.output.reserve().iter_mut().zip(self.left.peek().iter().zip(self.right.peek())).take(n)
        {
            *y = a + b;
        }
        self.left.consume(n);
        self.right.consume(n);
        self.output.produce(n);
        Ok(if n == 0 { Step::NeedInput } else { Step::Ran })
    }
}

fn mistakes(graph: Graph) -> Vec<String> {
    graph.check().unwrap_err().0.iter().map(ToString::to_string).collect()
}

#[test]
fn a_chain_connects_its_parts_in_order() {
    let mut graph = Graph::new();
    let known = graph.add("known", Amp { gain: 3.0 });
    let sink = VecSink::<f32>::new();
    let kept = sink.items();
    let parts =
        (("source", VecSource::new(vec![1.0f32, 2.0])), ("amp", Amp { gain: 2.0 }), &known, ("sink", sink));
    let (source, amp, ..) = graph.chain(parts);
    assert_eq!((source.name(), amp.name()), ("source", "amp"));
    let between = graph.collect(amp.output);
    graph.run().unwrap();
    assert_eq!((kept.take(), between.take()), (vec![6.0, 12.0], vec![2.0, 4.0]));
}

#[test]
fn a_chain_of_any_length_comes_from_a_list() {
    let mut graph = Graph::new();
    let amps = graph.chain((0..20).map(|n| (format!("amp{n}"), Amp { gain: 2.0 })).collect::<Vec<_>>());
    let [first, .., last] = &amps[..] else { panic!("{amps:?}") };
    graph.chain((("source", VecSource::new(vec![1.0f32])), first));
    let items = graph.collect(last.output);
    graph.run().unwrap();
    assert_eq!(items.take(), [2f32.powi(20)]);
}

#[test]
fn a_block_of_two_inputs_can_begin_a_chain_and_is_fed_by_name() {
    let mut graph = Graph::new();
    let (both, amp) = graph.chain((("both", Both::new()), ("amp", Amp { gain: 10.0 })));
    let source = graph.add("source", VecSource::new(vec![1.0f32, 2.0]));
    graph.connect(source.output, both.left);
    graph.connect(source.output, both.right);
    let items = graph.collect(amp.output);
    graph.run().unwrap();
    assert_eq!(items.take(), [20.0, 40.0]);
}

#[test]
fn streams_can_be_collected_more_than_once() {
    let mut graph = Graph::new();
    let source = graph.add("source", VecSource::new(vec![7u8]));
    let (first, second) = (graph.collect(source.output), graph.collect(source.output));
    let names: Vec<String> = graph.blocks().map(|(name, _)| name.to_owned()).collect();
    assert_eq!(names, ["source", "collect/source/out", "collect/source/out/2"]);
    graph.run().unwrap();
    assert_eq!((first.len(), second.take()), (1, vec![7]));
    assert!(!first.is_empty() && second.is_empty());
}

#[test]
fn ports_of_another_graph_are_refused_by_name() {
    let (mut graph, mut other) = (Graph::new(), Graph::new());
    other.add("before", Amp { gain: 1.0 });
    let foreign = other.add("amp", Amp { gain: 1.0 });
    let (source, amp) = graph.chain((("source", VecSource::new(vec![1.0f32])), ("amp", Amp { gain: 1.0 })));
    graph.connect(source.output, foreign.input);
    graph.connect(foreign.output, amp.input);
    graph.disconnect(source.output, foreign.input);
    let nothing = graph.collect(foreign.output);
    let kept = graph.collect(amp.output);
    let found = mistakes(graph);
    let end = "(a handle fits the graph that has given it)";
    assert_eq!(
        found,
        [
            format!(
                "input 0 of block 1 is of another graph: it cannot be used in a connection with source.out {end}"
            ),
            format!(
                "output 0 of block 1 is of another graph: it cannot be used in a connection with amp.in {end}"
            ),
            format!(
                "input 0 of block 1 is of another graph: it cannot be used in a connection with source.out {end}"
            ),
            format!("output 0 of block 1 is of another graph: it cannot be used to collect its items {end}"),
        ]
    );
    assert!(nothing.is_empty() && kept.is_empty());
    let mut graph = Graph::new();
    graph.connect(source.output, foreign.input);
    let all = graph.check().unwrap_err().0;
    assert!(
        matches!(&all[..], [ConnectError::OtherGraph { .. }, ConnectError::OtherGraph { .. }]),
        "{all:?}"
    );
}

#[test]
fn connections_are_taken_away_by_their_ports() {
    let mut graph = Graph::new();
    let (source, amp) = graph.chain((("source", VecSource::new(vec![1.0f32])), ("amp", Amp { gain: 5.0 })));
    let items = graph.collect(amp.output);
    graph.disconnect(source.output, amp.input);
    let (_, between) = graph.chain((&source, ("between", Amp { gain: 7.0 })));
    graph.connect(between.output, amp.input);
    graph.run().unwrap();
    assert_eq!(items.take(), [35.0]);

    let mut graph = Graph::new();
    let source = graph.add("source", VecSource::new(vec![1.0f32]));
    let amp = graph.add("amp", Amp { gain: 5.0 });
    graph.disconnect(source.output, amp.input);
    assert_eq!(mistakes(graph)[0], "connection source.out -> amp.in does not exist");
}

#[test]
fn a_running_graph_is_changed_by_the_handles_that_it_was_built_with() {
    let mut graph = Graph::new();
    let (zeros, amp) = graph.chain((("zeros", Zeros { output: Out::new() }), ("amp", Amp { gain: 1.0 })));
    graph.collect(amp.output);
    let running = graph.check().unwrap().start(&Single, &Options::default()).unwrap();
    let changed = running.reconfigure(|edit| {
        edit.disconnect(zeros.output, amp.input);
        let (_, between) = edit.chain((&zeros, ("between", Amp { gain: 1.0 })));
        edit.connect(between.output, amp.input);
    });
    assert_eq!(changed.unwrap().1.blocks[0].0, "between");
    let report = running.stop_within(Duration::from_secs(60)).unwrap();
    assert!(report.block("between").is_some());
}

#[test]
fn parameters_are_set_and_read_by_their_types() {
    let mut graph = Graph::new();
    let (_, amp) = graph.chain((("zeros", Zeros { output: Out::new() }), ("amp", Amp { gain: 1.0 })));
    graph.collect(amp.output);
    let gain: Parameter<f32> = amp.parameter(Amp::GAIN);
    assert_eq!(gain.name(), "amp.gain");
    let mut graph = graph.check().unwrap();
    graph.set_at(&gain, 2.0, 0).unwrap();
    let running = graph.start(&Single, &Options::default()).unwrap();
    running.set(&gain, 3.0).unwrap().wait(Duration::from_secs(20)).unwrap();
    assert_eq!((running.get(&gain), running.get("amp.gain")), (Ok(3.0f32), Ok(Value::from(3.0))));
    running.control().set(gain.clone(), 4.5).unwrap().wait(Duration::from_secs(20)).unwrap();
    assert_eq!(running.control().get(gain.clone()), Ok(4.5));
    let refused = running.set(&gain, -1.0).unwrap_err();
    assert_eq!(refused.to_string(), "amp.gain: expected a number from 0 on");
    // A constant that says another type than the block has.
    let wrong = running.get(amp.parameter(Amp::NOWHERE)).unwrap_err();
    assert_eq!(wrong.to_string(), "amp.gain: expected a u8, the block says 4.5");
    let name = String::from("amp.gain");
    assert!(running.set(&name, 1.0).is_ok() && running.set("amp.gain", 1).is_ok());
    running.stop_within(Duration::from_secs(60)).unwrap();
    assert!(matches!(gain.name().len(), 8));
}

#[test]
fn an_awaited_graph_wakes_its_task_once() {
    let mut graph = Graph::new();
    let source = graph.add("source", VecSource::new(vec![1.0f32; 1_000_000]));
    let items = graph.collect(source.output);
    let running = graph.check().unwrap().start(&Adaptive::new(), &Options::default()).unwrap();
    let (report, polls) = block_on(running);
    assert_eq!(report.unwrap().block("source").unwrap().outputs[0].items, 1_000_000);
    assert_eq!(items.len(), 1_000_000);
    // One more where it was awaited before it had ended.
    assert!(polls <= 2, "{polls} polls");
}

#[test]
fn an_awaited_graph_is_stopped_by_its_control_and_fails_as_others_do() {
    let zeros = || {
        let mut graph = Graph::new();
        let (_, amp) = graph.chain((("zeros", Zeros { output: Out::new() }), ("amp", Amp { gain: 1.0 })));
        let null = graph.add("null", Null);
        graph.connect(amp.output, null.input);
        graph.check().unwrap().start(&Single, &Options::default()).unwrap()
    };
    let running = zeros();
    let control = running.control();
    let stop = std::thread::spawn(move || {
        while control.metrics().block("null").unwrap().inputs[0].items == 0 {
            std::thread::sleep(Duration::from_millis(5));
        }
        control.stop();
    });
    let (report, _) = block_on(running);
    assert!(report.unwrap().block("null").unwrap().inputs[0].items > 0);
    stop.join().unwrap();

    let mut graph = Graph::new();
    let (source, amp) =
        graph.chain((("source", VecSource::new(vec![1.0f32])), ("amp", Amp { gain: f32::NAN })));
    let fail = graph.add("fail", Fail);
    graph.connect(amp.output, fail.input);
    assert_eq!(source.name(), "source");
    let (result, _) = block_on(graph.check().unwrap().start(&Single, &Options::default()).unwrap());
    assert!(matches!(result, Err(RunError::Panic { block, .. }) if block == "fail"));
}

struct Null;

impl superhet_runtime::SyncBlock for Null {
    type In = f32;
    type Out = ();
    fn process(&mut self, _: &[f32], (): ()) {}
}

struct Fail;

impl superhet_runtime::SyncBlock for Fail {
    type In = f32;
    type Out = ();
    fn process(&mut self, _: &[f32], (): ()) {
        panic!("as it should");
    }
}

/// Gives for ever, and takes nothing.
#[derive(Block)]
struct Endless {
    #[port("in")]
    _input: In<f32>,
    #[port("out")]
    output: Out<f32>,
}

impl Work for Endless {
    fn work(&mut self, _: &mut superhet_runtime::Context<'_>) -> Result<Step, BlockError> {
        let n = self.output.room();
        self.output.produce(n);
        Ok(if n == 0 { Step::NeedOutput } else { Step::Ran })
    }
}

#[test]
fn an_awaited_graph_that_a_block_keeps_from_its_end_is_ended() {
    let mut graph = Graph::new();
    let source = graph.add("source", VecSource::new(vec![1.0f32]));
    let endless = graph.add("endless", Endless { _input: In::new(), output: Out::new() });
    let null = graph.add("null", Null);
    graph.connect(source.output, endless.input());
    graph.connect(endless.output, null.input);
    let running = graph.check().unwrap().start(&Single, &Options::default()).unwrap();
    let start = Instant::now();
    while running.metrics().block("source").unwrap().outputs[0].items == 0 {
        assert!(start.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(1));
    }
    running.stop();
    let (result, _) = block_on(running);
    assert!(matches!(result, Err(RunError::OnlyGives { block, .. }) if block == "endless"));
}

impl EndlessPorts {
    fn input(&self) -> superhet_runtime::port::InRef<f32> {
        self._input
    }
}

/// A graph that doubles what comes through one channel into another.
fn doubling(
    capacity: usize,
) -> (superhet_runtime::RunningGraph, channel::Sender<f32>, channel::Receiver<f32>) {
    let (source, sender) = channel::source(capacity);
    let (sink, receiver) = channel::sink(capacity);
    let mut graph = Graph::new();
    graph.chain((("source", source), ("amp", Amp { gain: 2.0 }), ("sink", sink)));
    (graph.check().unwrap().start(&Adaptive::new(), &Options::default()).unwrap(), sender, receiver)
}

#[test]
fn items_go_into_a_graph_and_come_out_of_it() {
    const ITEMS: usize = 100_000;
    for capacity in [1, 7, 1000, ITEMS] {
        let count = if capacity < 100 { ITEMS / 100 } else { ITEMS };
        let (running, sender, receiver) = doubling(capacity);
        let items: Vec<f32> = (0..count).map(|n| n as f32).collect();
        let wanted: Vec<f32> = items.iter().map(|x| 2.0 * x).collect();
        let second = sender.clone();
        let feed = std::thread::spawn(move || {
            let (first, rest) = items.split_at(count / 3);
            sender.send(first).unwrap();
            drop(sender);
            rest.chunks(1234).for_each(|chunk| second.send(chunk).unwrap());
        });
        let got: Vec<f32> = receiver.flatten().collect();
        assert!(got == wanted, "{} of {count} items by {capacity}", got.len());
        feed.join().unwrap();
        running.wait().unwrap();
    }
}

#[test]
fn tasks_send_and_receive_without_a_thread_that_asks() {
    let (running, sender, receiver) = doubling(64);
    let feed = std::thread::spawn(move || {
        block_on(async move {
            let items: Vec<f32> = (0..10_000).map(|n| n as f32).collect();
            sender.send_async(&items).await
        })
    });
    let (got, polls) = block_on(async {
        let mut all = Vec::new();
        while let Some(items) = receiver.recv_async().await {
            assert!(!items.is_empty() || all.len() == 10_000);
            all.extend(items);
        }
        all
    });
    assert!(got.iter().copied().eq((0..10_000).map(|n| 2.0 * n as f32)));
    assert!(polls <= 3 * 10_000, "{polls} polls");
    feed.join().unwrap().0.unwrap();
    let (report, _) = block_on(running);
    report.unwrap();
}

#[test]
fn a_full_channel_holds_the_graph_and_its_sender_back() {
    const CAPACITY: usize = 100;
    let (running, sender, receiver) = doubling(CAPACITY);
    let mut sent = 0;
    let start = Instant::now();
    let mut last = Instant::now();
    // Until nothing fits for a while: the channels and the streams between them are full.
    while last.elapsed() < Duration::from_millis(300) && start.elapsed() < Duration::from_secs(60) {
        match sender.try_send(&[1.0; 100_000]).unwrap() {
            0 => std::thread::sleep(Duration::from_millis(1)),
            n => {
                sent += n;
                last = Instant::now();
            }
        }
    }
    let report = running.metrics();
    let block = |name: &str| report.block(name).unwrap().clone();
    let (taken, given) = (block("source").outputs[0].items, block("sink").inputs[0].items);
    assert!(given <= CAPACITY as u64 && taken + CAPACITY as u64 >= sent as u64, "{sent} {taken} {given}");
    drop(sender);
    let got = AtomicUsize::new(0);
    receiver.for_each(|items| _ = got.fetch_add(items.len(), Ordering::Relaxed));
    assert_eq!(got.into_inner(), sent);
    running.wait().unwrap();
}

#[test]
fn the_ends_of_a_channel_hear_when_the_other_has_gone() {
    // The receiver goes: the sink ends, and the source with it.
    let (running, sender, receiver) = doubling(10);
    drop(receiver);
    let closed = (0..1_000_000).find_map(|_| sender.send(&[1.0; 100]).err()).expect("the graph has ended");
    assert!(closed.taken <= 100 && closed.given == 100 && sender.is_closed(), "{closed:?}");
    running.wait().unwrap();
    // The graph is cancelled: both ends hear it while it lies there.
    let (running, sender, receiver) = doubling(10);
    sender.send(&[1.0; 10]).unwrap();
    running.cancel();
    let start = Instant::now();
    while receiver.recv().is_some() {}
    assert!((0..1_000_000).any(|_| sender.send(&[1.0; 100]).is_err()));
    assert!(start.elapsed() < Duration::from_secs(60));
    running.wait().unwrap();
    // It is stopped: what the source has taken before still comes out.
    let (running, sender, receiver) = doubling(1000);
    sender.send(&[1.0; 1000]).unwrap();
    while running.metrics().block("source").unwrap().outputs[0].items < 1000 {
        assert!(start.elapsed() < Duration::from_secs(40));
        std::thread::sleep(Duration::from_millis(1));
    }
    running.stop();
    assert_eq!(receiver.flatten().count(), 1000);
    running.wait().unwrap();
    assert!(matches!(sender.try_send(&[1.0]), Err(channel::ChannelClosed { taken: 0, given: 1 })));
}

#[test]
fn a_parameter_that_has_gone_with_its_block_says_so() {
    let mut graph = Graph::new();
    let (_, amp) = graph.chain((("source", VecSource::new(vec![1.0f32])), ("amp", Amp { gain: 1.0 })));
    graph.collect(amp.output);
    let gain = amp.parameter(Amp::GAIN);
    let running = graph.check().unwrap().start(&Single, &Options::default()).unwrap();
    let control = running.control();
    running.wait().unwrap();
    assert!(matches!(control.set(&gain, 1.0), Err(MessageError::Ended { .. })));
}

/// Says that it ran, and does nothing.
#[derive(Block)]
struct Busy {
    #[port("in")]
    input: In<f32>,
}

impl Work for Busy {
    fn work(&mut self, _: &mut superhet_runtime::Context<'_>) -> Result<Step, BlockError> {
        Ok(if self.input.available() == 0 { Step::NeedInput } else { Step::Ran })
    }
}

/// Keeps the text of every warning.
#[derive(Default)]
struct Warnings(std::sync::Mutex<Vec<String>>);

impl tracing::Subscriber for &'static Warnings {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        *metadata.level() == tracing::Level::WARN
    }
    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }
    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn event(&self, event: &tracing::Event<'_>) {
        struct Text<'a>(&'a mut Vec<String>);
        impl tracing::field::Visit for Text<'_> {
            fn record_debug(&mut self, _: &tracing::field::Field, value: &dyn std::fmt::Debug) {
                self.0.push(format!("{value:?}"));
            }
        }
        event.record(&mut Text(&mut self.0.lock().unwrap()));
    }
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
}

#[test]
fn a_block_that_runs_without_doing_anything_is_named() {
    static WARNINGS: Warnings = Warnings(std::sync::Mutex::new(Vec::new()));
    tracing::subscriber::set_global_default(&WARNINGS).unwrap();
    let mut graph = Graph::new();
    let (_, amp, _) = graph.chain((
        ("zeros", Zeros { output: Out::new() }),
        ("amp", Amp { gain: 1.0 }),
        ("busy", Busy { input: In::new() }),
    ));
    let null = graph.add("null", Null);
    graph.connect(amp.output, null.input);
    let running = graph.check().unwrap().start(&Single, &Options::default()).unwrap();
    let start = Instant::now();
    let named = || {
        let warnings = WARNINGS.0.lock().unwrap();
        let idle = warnings.iter().filter(|text| text.contains("keeps a processor busy"));
        idle.cloned().collect::<Vec<_>>()
    };
    while named().is_empty() {
        assert!(start.elapsed() < Duration::from_secs(60), "{}", running.metrics());
        std::thread::sleep(Duration::from_millis(10));
    }
    running.cancel();
    let report = running.wait().unwrap();
    assert!(
        named().len() == 1 && named()[0].starts_with("block busy keeps a processor busy: "),
        "{:?}",
        named()
    );
    assert!(report.block("busy").unwrap().idle_calls >= 1 << 15);
    assert_eq!(report.block("zeros").unwrap().idle_calls, 0);
}
