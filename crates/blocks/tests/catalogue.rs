//! All entries of the catalogue.

use std::collections::BTreeSet;

use superhet_blocks::{ENTRIES, FUNCTIONS};
use superhet_runtime::catalog::{Direction, Entry, Kind};
use superhet_runtime::{Value, graph::PortList};

use crate::usual::{Given, usual_params};

/// Whether tests take all of their cases, also those that are much like others and take long: `make soak` asks for it.
fn takes_all_cases() -> bool {
    std::env::var_os("SUPERHET_ALL_CASES").is_some()
}

/// The parameters with which to build a block: once, or once for each type of its items.
fn samples(entry: &Entry) -> Vec<(Option<&'static str>, Given)> {
    let mut given = usual_params(entry.name, entry.params);
    let paths =
        entry.params.iter().filter(|param| matches!(param.kind, Kind::Path) && param.default.is_none());
    given.extend(paths.map(|param| (param.name.to_owned(), "/dev/null".into())));
    // As many as the catalogue shows ports.
    given.entry("lengths".to_owned()).and_modify(|lengths| *lengths = vec![Value::from(1), 2.into()].into());
    match entry.params.iter().find(|param| param.name == "item").map(|param| param.kind) {
        Some(Kind::Choice(items)) => items
            .iter()
            .map(|item| {
                let mut given = given.clone();
                given.insert("item".to_owned(), Value::from(*item));
                (Some(*item), given)
            })
            .collect(),
        _ => vec![(None, given)],
    }
}

#[test]
fn all_names_are_different() {
    let names: BTreeSet<_> = ENTRIES.iter().map(|entry| entry.name).collect();
    assert_eq!(names.len(), ENTRIES.len());
}

#[test]
fn every_function_has_a_name_of_its_own_and_says_what_it_is() {
    let names: BTreeSet<_> = FUNCTIONS.iter().copied().flatten().map(|function| function.name).collect();
    assert_eq!(names.len(), FUNCTIONS.iter().map(|list| list.len()).sum::<usize>());
    for function in FUNCTIONS.iter().copied().flatten() {
        assert!(function.summary.ends_with('.'), "{function:?}");
        assert!(function.params.iter().all(|param| param.doc.ends_with('.')), "{function:?}");
        let json = |text| serde_json::from_str::<serde_json::Value>(text).is_ok();
        assert!(function.params.iter().filter_map(|param| param.default).all(json), "{function:?}");
    }
}

#[test]
fn a_function_at_the_end_of_its_ranges_gives_numbers_or_an_error() {
    let sample = |name: &str| -> Value {
        match name {
            "bands" => vec![Value::from(0.0), 0.3.into(), 0.5.into(), 1.into()].into(),
            "ampl" => vec![Value::from(1), 1.into(), 0.into(), 0.into()].into(),
            "error_weight" => vec![Value::from(1), 1.into()].into(),
            "type" => "hamming".into(),
            "ntaps" | "order" => 11.into(),
            "sampling_freq" | "Fs" => 48e3.into(),
            "cutoff_freq" | "low_cutoff_freq" | "freq1" | "freq_sb1" | "freq_pb1" => 4e3.into(),
            "high_cutoff_freq" | "freq2" => 8e3.into(),
            "alpha" | "bt" => 0.5.into(),
            _ => 2e3.into(),
        }
    };
    for function in FUNCTIONS.iter().copied().flatten() {
        let required = function.params.iter().filter(|param| param.default.is_none());
        let given: Given = required.map(|param| (param.name.to_owned(), sample(param.name))).collect();
        for param in function.params {
            for mut value in extremes(param.kind) {
                // Of the most taps there are, each function computes a million; of these it takes a moment.
                if param.name == "ntaps" && !takes_all_cases() && value.as_i64() > Some(1 << 14) {
                    value = (1 << 14).into();
                }
                let mut given = given.clone();
                given.insert(param.name.to_owned(), value);
                if let Ok(value) = function.call(&given) {
                    let numbers = value.as_list().map_or(0, |list| list.len());
                    assert!(numbers <= 1 << 20, "{function:?}, {}", param.name);
                }
            }
        }
    }
}

#[test]
fn every_default_is_a_value_that_its_parameter_takes() {
    for entry in ENTRIES {
        for param in entry.params {
            let Some(default) = param.default else { continue };
            let json: serde_json::Value = serde_json::from_str(default)
                .unwrap_or_else(|error| panic!("{}.{}: {error}", entry.name, param.name));
            let mut given = samples(entry).swap_remove(0).1;
            given.insert(param.name.to_owned(), Value::from_json(&json));
            entry.build(&given).unwrap();
        }
    }
}

#[test]
fn every_entry_builds_and_its_block_has_the_ports_that_it_documents() {
    for entry in ENTRIES {
        for (item, given) in samples(entry) {
            let mut block = entry.build(&given).unwrap_or_else(|errors| panic!("{entry:?}: {errors:?}"));
            let ports = PortList::of(&mut block);
            let documented = |direction: Direction, of_messages: bool| -> Vec<(String, String)> {
                let ports = entry.ports.iter().filter(|port| port.direction == direction);
                ports
                    .filter(|port| (port.items == "messages") == of_messages)
                    .map(|port| {
                        let items = match port.items {
                            "item" => item.unwrap(),
                            "from" | "to" => given[port.items].as_str().unwrap(),
                            // A polar code, which takes soft bits of this type.
                            "u8" if entry.name == "fec_packet_decoder" && direction == Direction::In => "f32",
                            "out_item" if entry.name == "trellis_encoder" => "u8",
                            // The default of a filter's setting.
                            "out_item" if item == Some("f32") => "f32",
                            "out_item" => "C32",
                            items => items,
                        };
                        (port.name, items)
                    })
                    .map(|(name, items)| (name.to_owned(), items.to_owned()))
                    .collect()
            };
            let streams = |ports: &[(String, superhet_runtime::port::PortSpec)]| -> Vec<(String, String)> {
                ports.iter().map(|(name, spec)| (name.clone(), spec.item.to_string())).collect()
            };
            let messages =
                |ports: &[(String, superhet_runtime::message::MessageType)]| -> Vec<(String, String)> {
                    ports.iter().map(|(name, _)| (name.clone(), "messages".to_owned())).collect()
                };
            assert_eq!(streams(&ports.inputs), documented(Direction::In, false), "{entry:?}");
            assert_eq!(streams(&ports.outputs), documented(Direction::Out, false), "{entry:?}");
            assert_eq!(messages(&ports.message_inputs), documented(Direction::In, true), "{entry:?}");
            assert_eq!(messages(&ports.message_outputs), documented(Direction::Out, true), "{entry:?}");
        }
    }
}

/// Values at the ends of a parameter's range, and beyond what makes sense inside it.
fn extremes(kind: Kind) -> Vec<Value> {
    let within = |low: f64, high: f64, x: f64| (low..=high).contains(&x);
    match kind {
        Kind::Float(low, high) => [low, high, f64::MIN, f64::MAX, 5e-324, 1e-300, 0.0, 1e12, f64::INFINITY]
            .into_iter()
            .filter(|x| within(low, high, *x))
            .map(Value::from)
            .collect(),
        Kind::Integer(low, high) => [low, high, 0, 1, 1 << 24, 1 << 40, 1_000_000_000_000_000]
            .into_iter()
            .filter(|n| (low..=high).contains(n))
            .map(Value::Int)
            .collect(),
        Kind::Bool => vec![true.into(), false.into()],
        Kind::Text => ["", "{", "ünï/.", &"x".repeat(100_000)].map(Value::from).to_vec(),
        Kind::Path => ["", "/no/such/folder/x", "a\0b"].map(Value::from).to_vec(),
        Kind::Choice(words) => words.iter().map(|word| Value::from(*word)).collect(),
        Kind::Value => vec![true.into(), "".into(), Value::from(f64::NAN)],
        Kind::Numbers => [0.0, 1e300, f64::NAN, f64::INFINITY, 1e-320]
            .into_iter()
            .flat_map(|x| [0, 1, 100_000].map(|len| vec![Value::from(x); len].into()))
            .collect(),
    }
}

#[test]
fn a_block_at_the_end_of_its_ranges_is_an_error_or_needs_no_more_than_a_gibibyte() {
    for entry in ENTRIES {
        let mut samples = samples(entry);
        // The same constructor makes the block for each item type: the first and the last stand for those between.
        if samples.len() > 2 && !takes_all_cases() {
            samples.drain(1..samples.len() - 1);
        }
        for (_, given) in samples {
            for param in entry.params {
                for value in extremes(param.kind) {
                    let mut given = given.clone();
                    given.insert(param.name.to_owned(), value);
                    let Ok(mut block) = entry.build(&given) else { continue };
                    let ports = PortList::of(&mut block);
                    for (port, spec) in ports.inputs.iter().chain(&ports.outputs) {
                        let items = spec.needed().saturating_add(spec.history).saturating_add(spec.preload);
                        let bytes = items.saturating_mul(spec.item.size());
                        assert!(bytes <= 1 << 30, "{}.{port}, {}: {bytes} bytes", entry.name, param.name);
                    }
                }
            }
        }
    }
}

#[test]
fn every_category_is_the_folder_that_the_block_lies_in() {
    let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for entry in ENTRIES {
        // What takes packets on streams and on messages is one block with two entries.
        let names = [entry.name, entry.name.trim_end_matches("_pdu")];
        // A large topic has folders of its own.
        let topic = source.join(entry.category);
        let inside = std::fs::read_dir(&topic).unwrap().map(|entry| entry.unwrap().path());
        let mut folders = inside.filter(|path| path.is_dir()).chain([topic.clone()]);
        let is_there = |folder: &std::path::Path| {
            names.iter().any(|name| folder.join(name).with_extension("rs").exists())
        };
        assert!(folders.any(|folder| is_there(&folder)), "{entry:?}");
    }
}

#[test]
fn every_summary_is_a_sentence_and_every_parameter_says_what_it_means() {
    for entry in ENTRIES {
        assert!(entry.summary.ends_with('.'), "{entry:?}");
        assert!(entry.params.iter().all(|param| param.doc.ends_with('.')), "{entry:?}");
        assert!(entry.ports.iter().all(|port| !port.doc.is_empty()), "{entry:?}");
    }
}
