//! A block of its own, a parameter that changes while the graph runs, and an error that is told by its kind.

use std::sync::{Arc, Mutex};

use superhet::prelude::*;
use superhet::runtime::{BlockError, CheckError, ConnectError, MessageError, RunError};

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
struct Gain(f32);

impl Pure for Gain {
    type In = f32;
    type Out = f32;
    const PARAMETERS: &'static [&'static str] = &["gain"];

    fn with_parameter(&self, _: &str, value: &Value) -> Result<Self, BlockError> {
        Ok(Gain(value.as_f64().ok_or("expected a number")? as f32))
    }

    fn map(&self, x: &[f32], y: &mut [f32]) {
        for (y, x) in y.iter_mut().zip(x) {
            *y = self.0 * x;
        }
    }
}

/// Keeps what it gets.
struct Keep(Arc<Mutex<Vec<f32>>>);

impl SyncBlock for Keep {
    type In = f32;
    type Out = ();

    fn process(&mut self, x: &[f32], (): ()) {
        self.0.lock().unwrap().extend_from_slice(x);
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

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let kept = Arc::new(Mutex::new(Vec::new()));
    let mut graph = Graph::new();
    let source = graph.add("source", Count { output: Out::new(), left: 1000 });
    let gain = graph.add("gain", Gain(2.0));
    let sink = graph.add("sink", Keep(kept.clone()));
    graph.connect(source.output, gain.input);
    graph.connect(gain.output, sink.input);
    let running = graph.check()?.start(&Single, &Options::default())?;
    let problem = running.set("gain.gain", "loud").unwrap_err();
    assert!(matches!(problem, MessageError::Refused { .. } | MessageError::Ended { .. }), "{problem}");
    running.wait()?;
    assert_eq!(*kept.lock().unwrap(), (0..1000).map(|n| 2.0 * n as f32).collect::<Vec<_>>());

    let mut graph = Graph::new();
    let source = graph.add("source", Count { output: Out::new(), left: 1 });
    let refuse = graph.add("refuse", Refuse { input: In::new() });
    graph.connect(source.output, refuse.input);
    match graph.run() {
        Err(RunError::Block { block, error, .. }) => {
            assert_eq!((&block[..], error.to_string()), ("refuse", "nothing pleases it".to_owned()));
        }
        other => panic!("{other:?}"),
    }

    let mut graph = Graph::new();
    graph.add("alone", Gain(1.0));
    let CheckError(problems) = graph.check().unwrap_err();
    assert!(matches!(&problems[..], [ConnectError::UnconnectedInput { .. }, ConnectError::UnconnectedOutput { .. }]));
    println!("a program that depends on superhet alone works");
    Ok(())
}
