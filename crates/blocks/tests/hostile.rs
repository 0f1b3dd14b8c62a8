//! Every block of the library with parameters and samples that want to do harm: an error, or a block that works and ends;
//! never a panic, and never more memory than a stated bound.
//!
//! The blocks are made in a process of its own under a limit of memory, as an allocation that fails cannot be caught.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;
use std::time::Duration;

use crate::usual::usual_params;
use superhet_blocks::{ENTRIES, FUNCTIONS};
use superhet_runtime::catalog::{Kind, Param};
use superhet_runtime::harness::VecSource;
use superhet_runtime::{AnyBlock, C32, C64, Graph, Item, Options, RunError, Single, Value, graph::PortList};

/// What the process may take in all, in KiB of address space.
const MOST_KIB: usize = 1 << 20;
/// How many items a source gives.
const ITEMS: usize = 1000;
/// How many items are taken of a block that may never end by itself.
const FEW: u64 = 500;

/// Numbers that are no samples among some that are.
fn hostile<T: Item>(bad: &[T], good: T) -> VecSource<T> {
    let bad_at = |n: usize| if n % 7 < 3 || n > ITEMS / 2 { bad[n % bad.len()] } else { good };
    VecSource::new((0..ITEMS).map(bad_at).collect())
}

/// A finite source of hostile items; `None` for a type that has none here.
fn source(graph: &mut Graph, name: &str, item: &str) -> Option<()> {
    let (nan, inf, max) = (f32::NAN, f32::INFINITY, f32::MAX);
    macro_rules! whole {
        ($($type:ident)*) => {
            match item {
                $(stringify!($type) => {
                    graph.add(name, hostile(&[$type::MIN, $type::MAX, 0], 1));
                })*
                _ => return None,
            }
        };
    }
    match item {
        "f32" => {
            graph.add(name, hostile(&[nan, inf, -inf, max, -max, f32::MIN_POSITIVE / 2.0], 0.5));
        }
        "f64" => {
            graph.add(name, hostile(&[f64::NAN, f64::INFINITY, f64::MAX, -f64::MAX], 0.5));
        }
        "C32" => {
            let bad = [(nan, nan), (inf, -inf), (max, max), (0.0, nan), (-max, inf)];
            graph.add(name, hostile(&bad.map(|(re, im)| C32::new(re, im)), C32::new(0.5, -0.5)));
        }
        "C64" => {
            graph.add(name, hostile(&[C64::new(f64::NAN, f64::INFINITY)], C64::new(0.5, 0.5)));
        }
        _ => whole!(u8 i8 u16 i16 u32 i32 u64 i64),
    }
    Some(())
}

/// A block of the library, if it has one for these items.
fn library(name: &str, params: &[(&str, Value)]) -> Option<AnyBlock> {
    let entry = ENTRIES.iter().find(|entry| entry.name == name)?;
    let given = params.iter().map(|(name, value)| (name.to_string(), value.clone())).collect();
    entry.build(&given).ok()
}

/// Runs `block` between sources of hostile items and sinks until it ends, or has given as many items as `most` says.
fn run(block: AnyBlock, most: Option<u64>) -> Result<(), String> {
    let mut graph = Graph::new();
    graph.add_any("block", block);
    let ports: PortList = graph.blocks().next().map(|(_, ports)| ports.clone()).unwrap();
    // Hundreds of ports work as a few do, and take as much time as all other blocks together.
    if ports.inputs.len() + ports.outputs.len() > 64 {
        return Ok(());
    }
    for (n, (port, spec)) in ports.inputs.iter().enumerate() {
        let Some(()) = source(&mut graph, &format!("source{n}"), spec.item.name()) else { return Ok(()) };
        graph.connect_names(&format!("source{n}"), &format!("block.{port}"));
    }
    for (n, (port, spec)) in ports.outputs.iter().enumerate() {
        let item = ("item", Value::from(spec.item.name()));
        let Some(sink) = library("null_sink", std::slice::from_ref(&item)) else { return Ok(()) };
        graph.add_any(format!("sink{n}"), sink);
        // A block that gives for ever without taking anything would end with a head behind it.
        if let Some(most) = most.or(ports.inputs.is_empty().then_some(FEW)) {
            graph.add_any(format!("head{n}"), library("head", &[item, ("items", most.into())]).unwrap());
            graph.connect_names(&format!("block.{port}"), &format!("head{n}"));
            graph.connect_names(&format!("head{n}"), &format!("sink{n}"));
        } else {
            graph.connect_names(&format!("block.{port}"), &format!("sink{n}"));
        }
    }
    let Ok(graph) = graph.check() else { return Ok(()) };
    let mut running = match graph.start(&Single, &Options::default()) {
        Ok(running) => running,
        Err(error) => return unless_said(error),
    };
    // What waits for messages or for a clock goes on until it is stopped.
    let timeout = if ports.inputs.is_empty() { Duration::from_millis(5) } else { Duration::from_millis(500) };
    if let Some(ended) = running.wait_for(timeout) {
        return ended.map(drop).or_else(unless_said);
    }
    running.stop();
    match running.wait_for(Duration::from_secs(30)) {
        Some(Ok(_)) => Ok(()),
        Some(Err(error)) => unless_said(error),
        None => {
            running.cancel();
            Err("does not end".to_owned())
        }
    }
}

/// An error that a block may give.
fn unless_said(error: RunError) -> Result<(), String> {
    match error {
        RunError::Panic { .. } | RunError::DidNotStop { .. } => Err(error.to_string()),
        _ => Ok(()),
    }
}

/// What no user would write.
fn hostile_values(param: &Param) -> Vec<Value> {
    let list = |x: f64, n: usize| Value::from(vec![Value::from(x); n]);
    let floats = [
        0.0,
        1.0,
        -1.0,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        1e308,
        5e-324,
        1e-300,
        2147483648.0,
        9.2e18,
    ];
    let wholes = [0, 1, -1, 1 << 16, 1 << 31, i64::MAX, i64::MIN];
    match param.kind {
        Kind::Float(low, high) => {
            let edges = [low, high].into_iter().filter(|edge| edge.is_finite());
            floats.into_iter().chain(edges).map(Value::from).collect()
        }
        Kind::Integer(low, high) => wholes.into_iter().chain([low, high]).map(Value::from).collect(),
        Kind::Numbers | Kind::Value => {
            let lists = [0.0, -1.0, f64::NAN, f64::INFINITY, 1e308, 5e-324];
            let mut values: Vec<Value> = lists.map(|x| list(x, 3)).into();
            values.extend([list(0.0, 0), list(1.0, 1), list(0.5, 5000), list(0.0, 5000)]);
            if matches!(param.kind, Kind::Value) {
                values.extend(floats.map(Value::from));
                values.extend(wholes.map(Value::from));
                values.push("[".repeat(3000).into());
                values.push(Value::map([("kind", "no")]));
            }
            values
        }
        _ => Vec::new(),
    }
}

/// What is tried, in a line that is not too long.
fn described(owner: &str, param: &Param, value: &Value) -> String {
    let mut text = format!("{owner}: {} = {value}", param.name);
    text.truncate(text.char_indices().nth(120).map_or(text.len(), |(at, _)| at));
    text
}

/// Runs the test `name` of this file again, in a process of its own with little memory.
fn alone(name: &str) {
    alone_with(name, "");
}

/// How many processes share the longest test; each tries one block of so many.
const PARTS: usize = 3;

/// As [`alone`], for one part of a test that several processes share.
fn alone_with(name: &str, part: &str) {
    if std::env::var_os("SUPERHET_TEST_ALONE").is_some() {
        return;
    }
    let command = format!("ulimit -v {MOST_KIB}; exec \"$0\" \"$@\"");
    let output = Command::new("sh")
        .args(["-c", &command])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", &format!("hostile::{name}"), "--nocapture", "--ignored", "--test-threads=1"])
        .env("SUPERHET_TEST_ALONE", part)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let last: Vec<&str> = said.lines().rev().take(40).collect();
    assert!(output.status.success(), "{}", last.into_iter().rev().collect::<Vec<_>>().join("\n"));
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"), "no test has this name: {name}");
}

#[test]
fn a_gain_that_makes_a_loop_infinite_is_refused() {
    let entry = ENTRIES.iter().find(|entry| entry.name == "symbol_sync").unwrap();
    for gain in [5e-324, 1e-300, 1e-45] {
        let given = [("samples_per_symbol", Value::from(4.0)), ("detector_gain", gain.into())];
        let given = given.map(|(name, value)| (name.to_owned(), value)).into();
        let errors = entry.build(&given).map(drop).unwrap_err();
        assert!(errors[0].problem.contains("detector_gain = "), "{gain}: {errors:?}");
    }
}

#[test]
fn no_gain_and_no_signal_makes_a_clock_stand_still() {
    let mut settings = Vec::new();
    for detector in
        ["mueller_and_muller", "gardner", "early_late", "signal_times_slope", "signum_times_slope"]
    {
        for (gain, deviation) in [(1e-37, 0.0), (1e-30, 3.99), (1e-3, 1.5), (1e6, 3.99)] {
            settings.push((
                "symbol_sync",
                vec![
                    ("detector", Value::from(detector)),
                    ("detector_gain", gain.into()),
                    ("max_deviation", deviation.into()),
                ],
            ));
        }
    }
    for gain in [-1e6, -1.0, 1.0, 1e6] {
        settings.push((
            "clock_recovery_mm",
            vec![("gain_mu", gain.into()), ("gain_omega", gain.into()), ("relative_limit", 1.0.into())],
        ));
    }
    for deviation in [1.5, 1000.0] {
        let taps: Vec<Value> = (0..64).map(|n| Value::from(f64::from(n % 9) * 1e3)).collect();
        settings.push((
            "pfb_clock_sync",
            vec![
                ("taps", taps.into()),
                ("filters", 8.into()),
                ("loop_bandwidth_rad", 6.9.into()),
                ("max_deviation", deviation.into()),
            ],
        ));
    }
    for limit in [1e3, 1e6] {
        settings.push((
            "constellation_receiver",
            vec![
                ("constellation", "qpsk".into()),
                ("loop_bandwidth_rad", 6.9.into()),
                ("min_frequency_rad", (-limit).into()),
                ("max_frequency_rad", limit.into()),
            ],
        ));
    }
    for (block, mut params) in settings {
        if block != "constellation_receiver" {
            params.push(("samples_per_symbol", 4.0.into()));
        }
        let Some(made) = library(block, &params) else { panic!("{block} {params:?}") };
        run(made, None).unwrap_or_else(|problem| panic!("{block} {params:?}: {problem}"));
    }
}

#[test]
fn hostile_parameters_are_errors_or_make_blocks_that_work() {
    std::thread::scope(|scope| {
        for part in 0..PARTS {
            scope.spawn(move || {
                alone_with("each_parameter_of_each_block_with_each_hostile_value", &part.to_string());
            });
        }
    });
}

#[test]
fn hostile_arguments_of_functions_are_errors_or_values() {
    alone("each_argument_of_each_function_with_each_hostile_value");
}

#[test]
fn samples_that_are_no_numbers_keep_no_block_from_ending() {
    alone("each_block_with_samples_that_are_no_numbers");
}

#[test]
#[ignore = "runs in a process of its own"]
fn each_parameter_of_each_block_with_each_hostile_value() {
    let part = std::env::var("SUPERHET_TEST_ALONE").ok().and_then(|part| part.parse::<usize>().ok());
    let (from, step) = part.map_or((0, 1), |part| (part, PARTS));
    let (mut tried, mut made, mut wrong) = (0, 0, Vec::new());
    for entry in ENTRIES.iter().skip(from).step_by(step) {
        for param in entry.params {
            for value in hostile_values(param) {
                // Of one item sixteen millions: it ends, after seconds.
                if (entry.name, value.as_i64()) == ("repeat", Some(1 << 24)) {
                    continue;
                }
                let mut params = usual_params(entry.name, entry.params);
                params.insert(param.name.to_owned(), value.clone());
                let text = described(entry.name, param, &value);
                // The last line says what was tried where the process is killed.
                eprintln!("{text}");
                tried += 1;
                let outcome = catch_unwind(AssertUnwindSafe(|| match entry.build(&params) {
                    Ok(block) => {
                        made += 1;
                        run(block, Some(FEW))
                    }
                    Err(_) => Ok(()),
                }));
                match outcome {
                    Ok(Ok(())) => {}
                    Ok(Err(problem)) => wrong.push(format!("{text}: {problem}")),
                    Err(_) => wrong.push(format!("{text}: panics")),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {tried}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(made > 1000 / step, "only {made} of {tried} were made");
}

#[test]
#[ignore = "runs in a process of its own"]
fn each_argument_of_each_function_with_each_hostile_value() {
    let mut wrong = Vec::new();
    for function in FUNCTIONS.iter().copied().flatten() {
        for param in function.params {
            for value in hostile_values(param) {
                let mut params = usual_params(function.name, function.params);
                let text = described(function.name, param, &value);
                params.insert(param.name.to_owned(), value);
                eprintln!("{text}");
                if catch_unwind(AssertUnwindSafe(|| function.call(&params).is_ok())).is_err() {
                    wrong.push(text);
                }
            }
        }
    }
    assert!(wrong.is_empty(), "panics:\n{}", wrong.join("\n"));
}

#[test]
#[ignore = "runs in a process of its own"]
fn each_block_with_samples_that_are_no_numbers() {
    let (mut unmade, mut wrong) = (Vec::new(), Vec::new());
    // Those of files are tried with files.
    let is_file = |param: &Param| param.default.is_none() && matches!(param.kind, Kind::Path);
    for entry in ENTRIES.iter().filter(|entry| !entry.params.iter().any(is_file)) {
        let items = entry.params.iter().find_map(|param| match param.kind {
            Kind::Choice(words) if param.name == "item" => Some(words),
            _ => None,
        });
        for item in items.unwrap_or(&[""]) {
            let mut params = usual_params(entry.name, entry.params);
            if !item.is_empty() {
                params.insert("item".to_owned(), (*item).into());
            }
            eprintln!("{} {item}", entry.name);
            match entry.build(&params) {
                Ok(block) => match run(block, None) {
                    Ok(()) => {}
                    Err(problem) => wrong.push(format!("{} {item}: {problem}", entry.name)),
                },
                Err(errors) => unmade.push(format!("{} {item}: {errors:?}", entry.name)),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(unmade.is_empty(), "{}", unmade.join("\n"));
}
