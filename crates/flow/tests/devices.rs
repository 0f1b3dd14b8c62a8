//! Devices that files name.

use crate::common::*;
use superhet_flow::{Flow, FlowError, Registry};
use superhet_runtime::catalog::*;
use superhet_runtime::{AnyBlock, BlockError};

/// A block of a device: it fails, and says with what it was made.
const PLACED: &[Entry] = &[Entry {
    name: "placed",
    category: "device",
    summary: "Says where it lives.",
    params: &[
        optional("device", Kind::Text, "", "\"sim\"", "Where it lives."),
        optional("batch", Kind::Integer(1, 1 << 28), "items", "65536", "Items at once."),
        optional("depth", Kind::Integer(2, 64), "", "3", "Batches on their way."),
    ],
    ports: &[output("out", "f32", "nothing")],
    make: |params| {
        let (device, batch) = (params.text("device"), params.count("batch"));
        Err::<AnyBlock, BlockError>(format!("{device} {batch} {}", params.count("depth")).into())
    },
}];

/// All that blocks and mistakes say.
fn said(flow: Result<Flow, FlowError>) -> Vec<String> {
    reported(flow.and_then(|flow| flow.check(&Registry::new([BLOCKS, PLACED])).map(drop)))
}

fn said_of(text: &str, given: &[&str]) -> Vec<String> {
    said(Flow::from_text(text, "", &sets(given)))
}

const FILE: &str = r#"
    [variables]
    driver = "opencl"

    [devices.fast]
    backend = "=driver"
    number = 1
    batch = "=2 * 64"
    depth = 5

    [devices.plain]
    backend = "sim"

    [blocks]
    a = { type = "placed", device = "fast" }
    b = { type = "placed", device = "fast", batch = 7 }
    c = { type = "placed", device = "plain" }
    d = { type = "placed", device = "cuda:2" }
    e = { type = "placed" }
"#;

#[test]
fn a_block_takes_over_what_its_device_says_and_what_it_says_itself_wins() {
    assert_eq!(
        said_of(FILE, &[]),
        [
            "line 15: block a: opencl:1 128 5",
            "line 16: block b: opencl:1 7 5",
            "line 17: block c: sim:0 65536 3",
            "line 18: block d: cuda:2 65536 3",
            "line 19: block e: sim 65536 3",
        ]
    );
    let given = said_of(FILE, &["driver=wgpu", "a.device=plain", "c.depth=9"]);
    assert_eq!(
        given[..3],
        [
            "line 15: block a: sim:0 65536 3",
            "line 16: block b: wgpu:1 7 5",
            "line 17: block c: sim:0 65536 9",
        ]
    );
}

#[test]
fn included_files_know_the_devices_around_them_and_keep_their_own() {
    let inner = r#"
        [devices.own]
        backend = "cuda"
        [blocks]
        x = { type = "placed", device = "own" }
        y = { type = "placed", device = "outer" }
    "#;
    let outer = r#"
        [devices.outer]
        backend = "wgpu"
        number = 3
        [blocks]
        inside.graph = "inner.toml"
        z = { type = "placed", device = "own" }
    "#;
    let folder = folder("devices", &[("outer.toml", outer), ("inner.toml", inner)]);
    let said = said(Flow::from_file(folder.join("outer.toml"), &[]));
    let has = |text: &str| assert!(said.iter().any(|said| said.ends_with(text)), "{text}: {said:?}");
    has("block inside/x: cuda:0 65536 3");
    has("block inside/y: wgpu:3 65536 3");
    // What is no device of this file is left to the block.
    has("block z: own 65536 3");
}

#[test]
fn wrong_devices_are_reported_with_their_lines() {
    let text = r#"
        [devices]
        "a b".backend = "sim"
        none = {}
        text = "sim"
        [devices.wrong]
        backend = 5
        number = -1
        bach = 7
        depth = "=1 +"
        [devices.range]
        backend = "sim"
        depth = 1
        [blocks]
        a = { type = "placed", device = "wrong" }
        b = { type = "placed", device = "range" }
    "#;
    let said = said_of(text, &[]);
    let wanted = [
        "the name of a device has letters, digits, _ and -",
        r#"line 4: [devices.none]: expected backend = "…", which says what drives it"#,
        "line 5: [devices.text]: expected a table, got text",
        "line 7: [devices.wrong]: backend: expected text, got 5",
        "line 8: [devices.wrong]: number: expected a whole number from 0, got -1",
        "line 9: bach: a device has no such key; did you mean batch?",
        "line 10: device wrong: depth",
        "line 13: block b: depth",
    ];
    for wanted in wanted {
        assert!(said.iter().any(|said| said.contains(wanted)), "{wanted} is not in {said:#?}");
    }
    assert_eq!(said.len(), wanted.len(), "{said:#?}");
}
