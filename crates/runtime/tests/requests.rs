//! Requests are answered, or said to be not; message ports that can never fit are not connected.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use superhet_runtime::error::{CheckError, MessageError, RequestError};
use superhet_runtime::message::{MessageType, Request, WhenFull};
use superhet_runtime::prelude::*;
use superhet_runtime::{Adaptive, Packet, RunningGraph, Scheduler, packet::PacketBlock};

const TIMEOUT: Duration = Duration::from_secs(60);

/// Answers with the sum of the numbers that came as messages, and what it is asked in words.
#[derive(Block)]
struct Sum {
    #[port("in")]
    input: MsgIn,
    sum: i64,
    /// Requests that it neither answers nor drops.
    kept: Vec<Request>,
}

fn sum(input: MsgIn) -> Sum {
    Sum { input, sum: 0, kept: Vec::new() }
}

impl Work for Sum {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        while let Some(message) = self.input.recv() {
            match message {
                Value::Request(request) => match request.message().as_str() {
                    Some("keep") => self.kept.push(request),
                    Some("drop") => {}
                    Some("end") => return Ok(Step::Done),
                    Some("fail") => return Err("as asked".into()),
                    Some("sleep") => std::thread::sleep(Duration::from_secs(1)),
                    Some(word) => request.refuse(format!("no such thing as {word}")),
                    None => request.reply(self.sum),
                },
                number => self.sum += number.as_i64().ok_or("no number")?,
            }
        }
        Ok(Step::NeedInput)
    }
}

fn schedulers() -> [Box<dyn Scheduler>; 4] {
    [Box::new(Single), Box::new(Threads), Box::new(Pinned::workers(2)), Box::new(Adaptive::workers(2))]
}

fn start(block: Sum, scheduler: &dyn Scheduler) -> RunningGraph {
    let mut graph = Graph::new();
    graph.add("sum", block);
    graph.check().unwrap().start(scheduler, &Options::default()).unwrap()
}

#[test]
fn a_request_is_answered_after_the_messages_that_came_before_it() {
    for scheduler in schedulers() {
        let running = start(sum(MsgIn::new().answering()), &*scheduler);
        for n in 1..=100i64 {
            running.message("sum.in", n).unwrap();
            assert_eq!(running.request("sum.in", (), TIMEOUT), Ok((n * (n + 1) / 2).into()));
        }
        let error = running.request("sum.in", "zebras", TIMEOUT).unwrap_err().to_string();
        assert_eq!(error, "sum.in: no such thing as zebras");
        running.stop_within(TIMEOUT).unwrap();
    }
}

#[test]
fn a_request_that_gets_no_reply_says_why() {
    let port = || "sum.in".to_owned();
    for scheduler in schedulers() {
        let begin = Instant::now();
        let running = start(sum(MsgIn::new().answering()), &*scheduler);
        let ask = |what: &str| running.request("sum.in", what, TIMEOUT).unwrap_err();
        assert_eq!(ask("drop"), MessageError::NoReply { port: port() });
        let waited = Duration::from_millis(30);
        let late = running.request("sum.in", "keep", waited).unwrap_err();
        assert_eq!(late, MessageError::NotInTime { port: port(), waited });
        // The block ends while two wait, one of them in its hand.
        std::thread::scope(|scope| {
            let held = scope.spawn(|| running.request("sum.in", "keep", TIMEOUT));
            std::thread::sleep(Duration::from_millis(20));
            let ended = ask("end");
            assert!(matches!(ended, MessageError::Ended { .. } | MessageError::NoReply { .. }), "{ended}");
            assert_eq!(held.join().unwrap().unwrap_err(), MessageError::Ended { port: port() });
        });
        assert_eq!(ask("end"), MessageError::Ended { port: port() });
        let running = start(sum(MsgIn::new().answering()), &*scheduler);
        let failed = running.request("sum.in", "fail", TIMEOUT).unwrap_err();
        assert!(matches!(failed, MessageError::Ended { .. } | MessageError::NoReply { .. }), "{failed}");
        assert!(running.wait().is_err());
        // What still waits in the queue when the graph is cancelled hears of it.
        let running = start(sum(MsgIn::new().answering()), &*scheduler);
        std::thread::scope(|scope| {
            let asks = ["sleep", "keep", "keep"].map(|what| {
                let running = &running;
                let asks = scope.spawn(move || running.request("sum.in", what, TIMEOUT));
                std::thread::sleep(Duration::from_millis(10));
                asks
            });
            running.cancel();
            asks.into_iter().for_each(|asked| assert!(asked.join().unwrap().is_err()));
        });
        assert!(begin.elapsed() < TIMEOUT / 2, "nobody waits for a reply that cannot come");
    }
}

#[test]
fn who_takes_no_requests_or_has_no_room_says_so_at_once() {
    let running = start(sum(MsgIn::new()), &Single);
    let error = running.request("sum.in", (), TIMEOUT).unwrap_err();
    assert_eq!(error.to_string(), "sum.in takes no requests");
    let error = running.request("sum.on", (), TIMEOUT).unwrap_err();
    assert_eq!(error.to_string(), "there is no message input sum.on; did you mean sum.in?");
    running.stop_within(TIMEOUT).unwrap();

    for policy in [WhenFull::Block, WhenFull::DropOldest, WhenFull::DropNewest, WhenFull::Error] {
        let running = start(sum(MsgIn::with(2, policy).answering()), &Single);
        std::thread::scope(|scope| {
            let ask = || scope.spawn(|| running.request("sum.in", "sleep", TIMEOUT));
            let busy = ask();
            std::thread::sleep(Duration::from_millis(50));
            let waiting = [ask(), ask()];
            std::thread::sleep(Duration::from_millis(50));
            let full = running.request("sum.in", (), TIMEOUT).unwrap_err();
            assert_eq!(full, MessageError::Full { port: "sum.in".into(), capacity: 2 }, "{policy:?}");
            busy.join().unwrap().unwrap_err();
            waiting.into_iter().for_each(|asked| assert!(asked.join().unwrap().is_err()));
        });
        running.stop_within(TIMEOUT).unwrap();
    }
}

/// Asks another block a few things, and keeps the answers.
#[derive(Block)]
struct Asks {
    #[port]
    out: MsgOut,
    #[port]
    answers: MsgIn,
    questions: Vec<Value>,
    seen: Arc<Mutex<Vec<String>>>,
    open: usize,
}

impl Work for Asks {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        for question in std::mem::take(&mut self.questions) {
            match self.out.request(question, &self.answers) {
                Ok(_) => self.open += 1,
                Err(error) => self.seen.lock().unwrap().push(error.to_string()),
            }
        }
        while let Some(answer) = self.answers.recv() {
            self.seen.lock().unwrap().push(answer.to_string());
            self.open -= 1;
        }
        Ok(if self.open == 0 { Step::Done } else { Step::NeedInput })
    }
}

#[test]
fn a_block_asks_another_and_gets_an_answer_to_each_question() {
    for scheduler in schedulers() {
        let run = |input: MsgIn, connected: usize| {
            let mut graph = Graph::new();
            let (seen, questions) =
                (Arc::default(), vec![().into(), "zebras".into(), "drop".into(), "drop".into()]);
            let (out, answers) = (MsgOut::new(), MsgIn::new());
            let asks = graph.add("asks", Asks { out, answers, questions, seen: Arc::clone(&seen), open: 0 });
            let block = graph.add("sum", sum(input));
            (0..connected).for_each(|_| graph.connect(asks.out, block.input));
            let mut running = graph.check().unwrap().start(&*scheduler, &Options::default()).unwrap();
            // Without a connection nobody ends the other block.
            let timeout = if connected == 0 { Duration::from_millis(100) } else { TIMEOUT };
            match running.wait_for(timeout) {
                Some(result) => drop(result.unwrap()),
                None => running.cancel(),
            }
            let seen = seen.lock().unwrap();
            seen.clone()
        };
        assert_eq!(
            run(MsgIn::new().answering(), 1),
            [
                r#"{"reply":0,"request":0}"#,
                r#"{"error":"no such thing as zebras","request":1}"#,
                r#"{"error":"the block has ended, or gives no reply","request":2}"#,
                r#"{"error":"the block has ended, or gives no reply","request":3}"#,
            ]
        );
        assert_eq!(run(MsgIn::new(), 1), [RequestError::TakesNone.to_string().as_str(); 4]);
        assert_eq!(run(MsgIn::new().answering(), 0), [RequestError::Receivers(0).to_string().as_str(); 4]);
    }
}

#[test]
fn parameters_tell_their_values() {
    struct Gain(f64);
    impl Pure for Gain {
        type In = u32;
        type Out = u32;
        const PARAMETERS: &'static [&'static str] = &["gain", "secret"];
        fn with_parameter(&self, _: &str, value: &Value) -> Result<Self, BlockError> {
            Ok(Gain(value.as_f64().ok_or("expected a number")?))
        }
        fn parameter(&self, name: &str) -> Option<Value> {
            (name == "gain").then(|| self.0.into())
        }
        fn map(&self, x: &[u32], y: &mut [u32]) {
            y.copy_from_slice(x);
        }
    }
    struct Offset(f64);
    impl SyncBlock for Offset {
        type In = u32;
        type Out = u32;
        const PARAMETERS: &'static [&'static str] = &["offset"];
        fn set_parameter(&mut self, _: &str, value: &Value) -> Result<(), BlockError> {
            self.0 = value.as_f64().ok_or("expected a number")?;
            Ok(())
        }
        fn parameter(&self, _: &str) -> Option<Value> {
            Some(self.0.into())
        }
        fn process(&mut self, x: &[u32], y: &mut [u32]) {
            y.copy_from_slice(x);
        }
    }
    struct Zeros;
    impl SyncBlock for Zeros {
        type In = ();
        type Out = u32;
        fn process(&mut self, (): (), y: &mut [u32]) {
            y.fill(0);
        }
    }
    struct Drain;
    impl SyncBlock for Drain {
        type In = u32;
        type Out = ();
        fn process(&mut self, _: &[u32], (): ()) {}
    }
    for scheduler in schedulers() {
        let mut graph = Graph::new();
        let (zeros, drain) = (graph.add("zeros", Zeros), graph.add("drain", Drain));
        let (gain, offset) = (graph.add("gain", Gain(1.0)), graph.add("offset", Offset(2.0)));
        graph.connect(zeros.output, gain.input);
        graph.connect(gain.output, offset.input);
        graph.connect(offset.output, drain.input);
        let running = graph.check().unwrap().start(&*scheduler, &Options::default()).unwrap();
        assert_eq!(running.get("offset.offset"), Ok(2.0.into()));
        for n in 0..20 {
            for name in ["gain.gain", "offset.offset"] {
                running.set(name, n).unwrap().wait(TIMEOUT).unwrap().expect("it runs");
                assert_eq!(running.get(name), Ok(f64::from(n).into()), "{name}");
            }
        }
        running.set_at("offset.offset", 99, u64::MAX / 2).unwrap();
        assert_eq!(running.request("offset.set", "offset", TIMEOUT), Ok(19.0.into()));
        assert_eq!(running.request("gain.set", (), TIMEOUT).unwrap().to_string(), r#"{"gain":19.0}"#);
        let error = |result: Result<Value, MessageError>| result.unwrap_err().to_string();
        assert_eq!(error(running.get("gain.secret")), "gain.secret: the block does not tell its value");
        let wrong = "there is no parameter gain.gian; did you mean gain.gain?";
        assert_eq!(error(running.get("gain.gian")).replace("mean gain?", "mean gain.gain?"), wrong);
        assert!(error(running.request("gain.set", 5, TIMEOUT)).contains("expected the name of a parameter"));
        running.stop_within(TIMEOUT).unwrap();
    }
}

struct Same;

impl PacketBlock for Same {
    type In = f32;
    type Out = u8;
    fn packet(&mut self, x: Packet<f32>) -> Result<Option<Packet<u8>>, BlockError> {
        Ok(Some(x.with_meta(x.len())))
    }
}

#[test]
fn message_ports_that_can_never_fit_are_not_connected() {
    let check = |sends: MessageType, takes: MessageType| -> Result<(), CheckError> {
        let mut graph = Graph::new();
        let (out, answers) = (MsgOut::new().sends(sends), MsgIn::new());
        let questions = Vec::new();
        let from = graph.add("from", Asks { out, answers, questions, seen: Arc::default(), open: 0 });
        let to = graph.add("to", sum(MsgIn::new().takes(takes)));
        graph.connect(from.out, to.input);
        graph.check().map(|_| ())
    };
    let number = check(MessageType::Number, MessageType::packets_of::<f32>());
    assert_eq!(number.unwrap_err().to_string(), "from.out gives numbers, to.in takes packets of f32");
    check(MessageType::Any, MessageType::Map).unwrap();
    check(MessageType::Map, MessageType::Any).unwrap();
    check(MessageType::Packets(None), MessageType::packets_of::<u8>()).unwrap();
    check(MessageType::Map, MessageType::Text).unwrap_err();

    let mut graph = Graph::new();
    graph.add("one", Same.messages());
    graph.add("two", Same.messages());
    graph.connect_names("one", "two");
    let error = graph.check().unwrap_err().to_string();
    assert_eq!(error, "one.out gives packets of u8, two.in takes packets of f32");
}
