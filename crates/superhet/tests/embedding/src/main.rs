//! Blocks of its own, a parameter that changes while the graph runs, channels in both directions, a graph that is awaited, and
//! errors that are told by their kinds.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::Duration;

use superhet::channel;
use superhet::prelude::*;
use superhet::runtime::RunError;
use superhet::runtime::error::{CheckError, ConnectError, MessageError};

/// Gives whole numbers from 0 on.
#[derive(Block)]
struct Count {
    #[port("out")]
    output: Out<f32>,
    left: usize,
}

impl Work for Count {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.output.room().min(self.left);
        let first = self.output.index();
        for (item, index) in self.output.reserve()[..n].iter_mut().zip(first..) {
            *item = index as f32;
        }
        self.output.produce(n);
        self.left -= n;
        Ok(if self.left == 0 { Step::Done } else { Step::Ran })
    }
}

/// Multiplies.
#[derive(Clone)]
struct Gain {
    gain: f32,
}

#[declare(
    category = "math",
    summary = "Multiplies by a constant.",
    ports(input("in", "f32", "x"), output("out", "f32", "gain · x"))
)]
impl Gain {
    fn new(
        /// The factor.
        #[param(live, range = 0.0..=100.0, default = 1.0)]
        gain: f32,
    ) -> Self {
        Gain { gain }
    }
}

#[declare]
impl Pure for Gain {
    type In = f32;
    type Out = f32;

    fn map(&self, x: &[f32], y: &mut [f32]) {
        for (y, x) in y.iter_mut().zip(x) {
            *y = self.gain * x;
        }
    }
}

/// Fails at its first item.
#[derive(Block)]
struct Refuse {
    #[port("in")]
    input: In<f32>,
}

impl Work for Refuse {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        match self.input.available() {
            0 => Ok(Step::NeedInput),
            _ => Err("nothing pleases it".into()),
        }
    }
}

fn count(left: usize) -> Count {
    Count { output: Out::new(), left }
}

/// The smallest executor.
fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut TaskContext::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => std::thread::park(),
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A chain, and what it gives.
    let mut graph = Graph::new();
    let (_, gain) = graph.chain((("source", count(1000)), ("gain", Gain::new(2.0))));
    let items = graph.collect(gain.output);
    graph.run()?;
    assert_eq!(items.take(), (0..1000).map(|n| 2.0 * n as f32).collect::<Vec<_>>());

    // Items in and out, and a parameter that is set meanwhile.
    let (source, sender) = channel::source::<f32>(64);
    let (sink, receiver) = channel::sink::<f32>(64);
    let mut graph = Graph::new();
    let (_, gain, _) = graph.chain((("source", source), ("gain", Gain::new(1.0)), ("sink", sink)));
    let running = graph.check()?.start(&Adaptive::new(), &Options::default())?;
    running.set(gain.parameter(Gain::GAIN), 3.0)?.wait(Duration::ZERO)?;
    assert!(matches!(running.set("gain.gain", 1000), Err(MessageError::Refused { .. })));
    sender.send(&[1.0, 2.0])?;
    assert_eq!(receiver.recv(), Some(vec![3.0, 6.0]));
    assert_eq!(running.get(gain.parameter(Gain::GAIN))?, 3.0f32);
    let report = block_on(async move {
        sender.send_async(&[3.0; 1000]).await?;
        drop(sender);
        while receiver.recv_async().await.is_some() {}
        Ok::<_, Box<dyn std::error::Error>>(running.await?)
    })?;
    assert_eq!(report.block("gain").ok_or("no such block")?.outputs[0].items, 1002);

    let mut graph = Graph::new();
    graph.chain((("source", count(1)), ("refuse", Refuse { input: In::new() })));
    match graph.run() {
        Err(RunError::Block { block, error, .. }) => {
            assert_eq!((&block[..], error.to_string()), ("refuse", "nothing pleases it".to_owned()));
        }
        other => panic!("{other:?}"),
    }

    let (mut graph, mut other) = (Graph::new(), Graph::new());
    let alone = graph.add("alone", Gain::new(1.0));
    let elsewhere = other.add("elsewhere", count(1));
    graph.connect(elsewhere.output, alone.input);
    let CheckError(problems) = graph.check().unwrap_err();
    assert!(matches!(
        &problems[..],
        [
            ConnectError::OtherGraph { .. },
            ConnectError::UnconnectedInput { .. },
            ConnectError::UnconnectedOutput { .. }
        ]
    ));
    assert_eq!((ENTRY.name, ENTRY.params[0].default), ("gain", Some("1.0")));
    println!("a program that depends on superhet alone works");
    Ok(())
}
