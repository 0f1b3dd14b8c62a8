//! The registry as text and as JSON.

use crate::common::*;
use superhet_flow::Registry;

#[test]
fn blocks_are_listed_by_category() {
    let text = registry().to_text();
    assert!(text.starts_with(
        "sources\n  vector  Gives real numbers.\n  iq      Gives 3 + 4i, as often as is asked for.\n\nmath\n"
    ));
}

#[test]
fn a_block_is_described_with_parameters_and_ports() {
    assert_eq!(
        Registry::block_text(registry().find("gain").unwrap()),
        "gain (math)\n  Multiplies.\n\n\
         parameters\n  \
           gain  number from 0 to 1000  default 1       The factor.\n  \
           mode  one of fast, exact     default \"fast\"  How.\n\n\
         ports\n  \
           in   input   f32  x\n  \
           out  output  f32  gain · x\n"
    );
}

#[test]
fn json_has_kinds_bounds_choices_and_defaults() {
    let json = Registry::block_json(registry().find("gain").unwrap());
    assert_eq!(
        json,
        serde_json::json!({
            "name": "gain", "category": "math", "summary": "Multiplies.",
            "params": [
                { "name": "gain", "kind": "number from 0 to 1000", "type": "float", "min": 0.0, "max": 1000.0,
                  "unit": "", "required": false, "default": 1, "doc": "The factor." },
                { "name": "mode", "kind": "one of fast, exact", "type": "choice", "choices": ["fast", "exact"],
                  "unit": "", "required": false, "default": "fast", "doc": "How." },
            ],
            "ports": [
                { "name": "in", "direction": "in", "items": "f32", "doc": "x" },
                { "name": "out", "direction": "out", "items": "f32", "doc": "gain · x" },
            ],
        })
    );
    assert_eq!(registry().to_json().as_array().unwrap().len(), registry().entries().len());
}

#[test]
fn a_name_in_two_lists_is_found_by_duplicates() {
    assert!(registry().duplicates().is_empty());
    assert_eq!(Registry::new([BLOCKS, &BLOCKS[2..3]]).duplicates(), ["gain"]);
}

#[test]
fn a_block_that_converts_is_found_by_its_documented_items() {
    assert_eq!(registry().converting("C32", "f32"), ["magnitude"]);
    assert!(registry().converting("f32", "f32").is_empty());
    assert!(registry().converting("f32", "C32").is_empty());
}
