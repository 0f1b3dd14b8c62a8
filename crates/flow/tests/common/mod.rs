//! A tiny library of blocks, and folders for files.
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::path::PathBuf;
use std::sync::Mutex;

use superhet_flow::{Flow, Registry, Set};
use superhet_runtime::AnyBlock;
use superhet_runtime::catalog::*;
use superhet_runtime::harness::VecSource;
use superhet_runtime::prelude::*;

/// `y = gain · x`.
struct Gain(f32);

impl Pure for Gain {
    type In = f32;
    type Out = f32;
    fn map(&self, x: &[f32], y: &mut [f32]) {
        y.iter_mut().zip(x).for_each(|(y, x)| *y = self.0 * x);
    }
}

/// `y = |x|`.
struct Magnitude;

impl Pure for Magnitude {
    type In = C32;
    type Out = f32;
    fn map(&self, x: &[C32], y: &mut [f32]) {
        y.iter_mut().zip(x).for_each(|(y, x)| *y = x.norm());
    }
}

/// `y = a + b`.
struct Add;

impl Pure for Add {
    type In = (f32, f32);
    type Out = f32;
    fn map(&self, (a, b): (&[f32], &[f32]), y: &mut [f32]) {
        y.iter_mut().zip(a.iter().zip(b)).for_each(|(y, (a, b))| *y = a + b);
    }
}

/// Keeps what arrives in [`ARRIVED`], under its label.
struct Collect {
    label: String,
}

/// What `collect` blocks have got: their label and an item. Tests use labels of their own.
pub static ARRIVED: Mutex<Vec<(String, f32)>> = Mutex::new(Vec::new());

impl SyncBlock for Collect {
    type In = f32;
    type Out = ();
    fn process(&mut self, x: &[f32], _: ()) {
        let mut arrived = ARRIVED.lock().unwrap();
        arrived.extend(x.iter().map(|x| (self.label.clone(), *x)));
    }
}

/// What has arrived with that label.
pub fn arrived(label: &str) -> Vec<f32> {
    ARRIVED.lock().unwrap().iter().filter(|(of, _)| of == label).map(|(_, x)| *x).collect()
}

const GAIN: Param = optional("gain", Kind::Float(0.0, 1000.0), "", "1", "The factor.");

/// The blocks.
pub const BLOCKS: &[Entry] = &[
    Entry {
        name: "vector",
        category: "sources",
        summary: "Gives real numbers.",
        params: &[required("items", Kind::Numbers, "", "The numbers.")],
        ports: &[output("out", "f32", "the numbers")],
        make: |params| {
            let items = params.numbers("items").iter().map(|z| z.re as f32).collect();
            Ok(AnyBlock::new(VecSource::<f32>::new(items)))
        },
    },
    Entry {
        name: "iq",
        category: "sources",
        summary: "Gives 3 + 4i, as often as is asked for.",
        params: &[required("count", COUNT, "samples", "How often.")],
        ports: &[output("out", "C32", "full scale = 1")],
        make: |params| {
            let items = vec![C32::new(3.0, 4.0); params.count("count")];
            Ok(AnyBlock::new(VecSource::new(items)))
        },
    },
    Entry {
        name: "gain",
        category: "math",
        summary: "Multiplies.",
        params: &[GAIN, optional("mode", Kind::Choice(&["fast", "exact"]), "", "\"fast\"", "How.")],
        ports: &[input("in", "f32", "x"), output("out", "f32", "gain · x")],
        make: |params| Ok(AnyBlock::new(Gain(params.float("gain") as f32))),
    },
    Entry {
        name: "magnitude",
        category: "math",
        summary: "Takes the magnitude.",
        params: &[],
        ports: &[input("in", "C32", "x"), output("out", "f32", "|x|")],
        make: |_| Ok(AnyBlock::new(Magnitude)),
    },
    Entry {
        name: "add",
        category: "math",
        summary: "Adds two streams.",
        params: &[],
        ports: &[input("in0", "f32", "a"), input("in1", "f32", "b"), output("out", "f32", "a + b")],
        make: |_| Ok(AnyBlock::new(Add)),
    },
    Entry {
        name: "collect",
        category: "sinks",
        summary: "Keeps what it gets for the test.",
        params: &[required("label", Kind::Text, "", "Whose it is.")],
        ports: &[input("in", "f32", "anything")],
        make: |params| Ok(AnyBlock::new(Collect { label: params.text("label").to_owned() })),
    },
    Entry {
        name: "to_file",
        category: "sinks",
        summary: "Keeps what it gets for the test, under its path.",
        params: &[required("path", Kind::Path, "", "Which.")],
        ports: &[input("in", "f32", "anything")],
        make: |params| Ok(AnyBlock::new(Collect { label: params.text("path").to_owned() })),
    },
    Entry {
        name: "broken",
        category: "sinks",
        summary: "Cannot be made.",
        params: &[],
        ports: &[input("in", "f32", "anything")],
        make: |_| Err("the device is not there".into()),
    },
];

pub fn registry() -> Registry {
    Registry::new([BLOCKS])
}

pub fn sets(sets: &[&str]) -> Vec<Set> {
    sets.iter().map(|set| set.parse().unwrap()).collect()
}

/// Runs the graph to its end.
pub fn run(text: &str, given: &[&str]) {
    let flow = Flow::from_text(text, "", &sets(given)).unwrap();
    let graph = flow.check(&registry()).unwrap_or_else(|error| panic!("{error}"));
    graph.start(&Single, &Options::default()).unwrap().wait().unwrap();
}

/// Everything that is wrong with the text, a line each.
pub fn mistakes(text: &str, given: &[&str]) -> Vec<String> {
    reported(Flow::from_text(text, "", &sets(given)).and_then(|flow| flow.check(&registry()).map(drop)))
}

pub fn reported(result: Result<(), superhet_flow::FlowError>) -> Vec<String> {
    match result {
        Ok(()) => Vec::new(),
        Err(error) => error.mistakes.iter().map(ToString::to_string).collect(),
    }
}

/// A folder with these files, empty before.
pub fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    for (file, text) in files {
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}
