//! Flowgraphs of GNU Radio Companion: what becomes of them, and what is said of those that are wrong.

use superhet_flow::python::Library;
use superhet_flow::{Flow, Registry, Set};
use superhet_runtime::AnyBlock;
use superhet_runtime::catalog::*;
use superhet_runtime::harness::VecSource;
use superhet_runtime::prelude::*;

const ITEM: Param = required("item", Kind::Choice(&["C32", "f32", "i32", "i16", "u8"]), "", "The items.");

/// Blocks by the names that the table has; none of them is run here.
const BLOCKS: &[Entry] = &[
    entry("null_source", &[ITEM], &[output("out", "item", "")]),
    entry("null_sink", &[ITEM], &[input("in", "item", "")]),
    entry(
        "vector_source",
        &[ITEM, required("values", Kind::Numbers, "", ""), optional("repeat", Kind::Bool, "", "false", "")],
        &[output("out", "item", "")],
    ),
    entry(
        "multiply_const",
        &[ITEM, required("constant", ANY_FLOAT, "", ""), optional("constant_imag", ANY_FLOAT, "", "0", "")],
        &[input("in", "item", ""), output("out", "item", "")],
    ),
    entry(
        "head",
        &[ITEM, required("items", NOT_NEGATIVE, "", "")],
        &[input("in", "item", ""), output("out", "item", "")],
    ),
    entry("add", &[ITEM], &[input("in0", "item", ""), input("in1", "item", ""), output("out", "item", "")]),
    entry(
        "file_sink",
        &[
            required("path", Kind::Path, "", ""),
            required("format", Kind::Text, "", ""),
            optional("input", Kind::Text, "", "\"\"", ""),
            optional("append", Kind::Bool, "", "false", ""),
        ],
        &[input("in", "as stored", "")],
    ),
    entry(
        "message_strobe",
        &[required("message", Kind::Value, "", ""), required("period_s", ANY_FLOAT, "s", "")],
        &[output("out", "messages", "")],
    ),
    entry("message_debug", &[], &[input("in", "messages", "")]),
    entry(
        "reinterpret",
        &[required("from", Kind::Text, "", ""), required("to", Kind::Text, "", "")],
        &[input("in", "from", ""), output("out", "to", "")],
    ),
];

const fn entry(name: &'static str, params: &'static [Param], ports: &'static [PortDoc]) -> Entry {
    Entry {
        name,
        category: "",
        summary: "",
        params,
        ports,
        make: |_| Ok(AnyBlock::new(VecSource::<C32>::new(vec![]))),
    }
}

const FUNCTIONS: &[Function] = &[Function {
    name: "firdes.low_pass",
    summary: "Taps.",
    params: &[
        required("gain", ANY_FLOAT, "", ""),
        required("sampling_freq", ANY_FLOAT, "", ""),
        required("cutoff_freq", ANY_FLOAT, "", ""),
        required("transition_width", ANY_FLOAT, "", ""),
        optional("window", Kind::Value, "", "\"hamming\"", ""),
        optional("param", ANY_FLOAT, "", "6.76", ""),
    ],
    call: |params| Ok(vec![Value::from(params.float("gain")), params.float("cutoff_freq").into()].into()),
}];

fn read(text: &str, sets: &[&str]) -> Result<Flow, superhet_flow::FlowError> {
    let sets: Vec<Set> = sets.iter().map(|set| set.parse().unwrap()).collect();
    Flow::from_grc_text(text, "here", &sets, &Registry::new([BLOCKS]), &Library::new([FUNCTIONS]))
}

/// A flowgraph of these blocks, a line each, and connections.
fn graph(blocks: &str, connections: &str) -> String {
    format!("blocks:\n{blocks}\nconnections:\n{connections}\nmetadata:\n  file_format: 1\n")
}

/// The graph as TOML.
fn toml(text: &str, sets: &[&str]) -> String {
    let flow = read(text, sets).unwrap();
    flow.to_toml(&Registry::new([BLOCKS]), std::path::Path::new("here"))
        .unwrap_or_else(|error| panic!("{error}"))
}

/// All that is wrong, as far as it is known before blocks are made.
fn mistakes(text: &str, sets: &[&str]) -> String {
    let flow = match read(text, sets) {
        Ok(flow) => flow,
        Err(error) => return error.to_string(),
    };
    match flow.to_toml(&Registry::new([BLOCKS]), std::path::Path::new("")) {
        Ok(toml) => panic!("no mistakes in\n{toml}"),
        Err(error) => error.to_string(),
    }
}

const CHAIN: &str = "
- {name: rate, id: variable, parameters: {value: 2 * half}}
- {name: half, id: variable, parameters: {value: '1000'}}
- {name: source, id: blocks_null_source, parameters: {type: complex, vlen: '1'}}
- {name: amp, id: blocks_multiply_const_vxx, parameters: {type: complex, const: 0.5 + 2j, vlen: '1'}}
- {name: head, id: blocks_head, parameters: {type: complex, num_items: int(rate), vlen: '4'}}
- {name: sink, id: blocks_null_sink, parameters: {type: complex, vlen: '4'}}
";

#[test]
fn blocks_parameters_and_variables_in_any_order() {
    let text = graph(CHAIN, "- [source, '0', amp, '0']\n- [head, '0', sink, '0']");
    let toml = toml(&text, &[]);
    assert!(
        toml.contains(
            "[blocks.\"amp\"]\ntype = \"multiply_const\"\n\"constant\" = 0.5\n\"constant_imag\" = 2.0"
        ),
        "{toml}"
    );
    assert!(toml.contains("\"items\" = 8000"), "{toml}");
    assert!(toml.contains("\"half\" = 1000\n\"rate\" = 2000"), "{toml}");
    assert!(toml.contains("\"source.out -> amp.in\""), "{toml}");
    // What leads nowhere gets a sink.
    assert!(toml.contains("\"amp.out -> amp-0-unused\""), "{toml}");
}

#[test]
fn settings_override_variables_and_parameters() {
    let text = graph(CHAIN, "");
    assert!(toml(&text, &["half=7"]).contains("\"items\" = 56"));
    assert!(toml(&text, &["half==3 * 3"]).contains("\"items\" = 72"));
    assert!(toml(&text, &["amp.const=3"]).contains("\"constant\" = 3.0"));
    assert_eq!(mistakes(&text, &["hafl=7"]), "setting hafl=7: there is no variable hafl; did you mean half?");
    assert_eq!(
        mistakes(&text, &["amp.cosnt=7"]),
        "setting amp.cosnt=7: amp has no parameter cosnt; did you mean const?"
    );
    assert_eq!(
        mistakes(&text, &["apm.const=7"]),
        "setting apm.const=7: there is no block apm; did you mean amp?"
    );
}

#[test]
fn parameters_of_the_flowgraph_take_values_of_their_type() {
    let blocks = "
- {name: gain, id: parameter, parameters: {type: eng_float, value: '2'}}
- {name: file, id: parameter, parameters: {type: str, value: out.bin}}
- {name: source, id: blocks_null_source, parameters: {type: float}}
- {name: amp, id: blocks_multiply_const_vxx, parameters: {type: float, const: gain}}
- {name: sink, id: blocks_file_sink, parameters: {type: float, file: file}}
";
    let text = graph(blocks, "- [source, '0', amp, '0']\n- [amp, '0', sink, '0']");
    assert!(toml(&text, &[]).contains("\"path\" = \"out.bin\""));
    assert!(toml(&text, &["file=7"]).contains("\"path\" = \"7\""));
    assert!(toml(&text, &["gain=3.5"]).contains("\"constant\" = 3.5"));
    assert_eq!(mistakes(&text, &["gain=loud"]), "setting gain=loud: gain expects a real number, got 'loud'");
}

#[test]
fn text_that_is_no_expression_is_text_only_where_text_may_stand() {
    let with = |file: &str, gain: &str| {
        let blocks = format!(
            "
- {{name: source, id: blocks_null_source, parameters: {{type: float}}}}
- {{name: amp, id: blocks_multiply_const_vxx, parameters: {{type: float, const: '{gain}'}}}}
- {{name: sink, id: blocks_file_sink, parameters: {{type: float, file: \"{file}\"}}}}"
        );
        graph(&blocks, "- [source, '0', amp, '0']\n- [amp, '0', sink, '0']")
    };
    assert!(toml(&with("/tmp/some file.bin", "2"), &[]).contains("\"path\" = \"/tmp/some file.bin\""));
    assert!(toml(&with("'quoted.bin'", "2"), &[]).contains("\"path\" = \"quoted.bin\""));
    let text = mistakes(&with("x", "gian"), &[]);
    assert_eq!(text, "line 4: block amp: const: \"gian\", character 1: there is no variable gian");
    let text = mistakes(&with("x", "2 +"), &[]);
    assert_eq!(text, "line 4: block amp: const: \"2 +\", character 4: expected a value, got the end");
    let text = mistakes(&with("x", ""), &[]);
    assert_eq!(
        text,
        "line 4: block amp: constant: \"\", character 1: the parameter const is missing or empty"
    );
}

#[test]
fn blocks_that_are_off_bypassed_or_virtual_are_resolved() {
    let blocks = "
- {name: source, id: blocks_null_source, parameters: {type: float}}
- {name: other, id: blocks_null_source, parameters: {type: float}, states: {state: disabled}}
- {name: amp, id: blocks_multiply_const_vxx, parameters: {type: float, const: nonsense}, states: {state: bypassed}}
- {name: vsink, id: virtual_sink, parameters: {stream_id: audio}}
- {name: vsource, id: virtual_source, parameters: {stream_id: audio}}
- {name: sink, id: blocks_null_sink, parameters: {type: float}}
- {name: remark, id: note, parameters: {note: hello}}
";
    let connections = "
- [source, '0', amp, '0']
- [other, '0', amp, '0']
- [amp, '0', vsink, '0']
- [vsource, '0', sink, '0']
";
    let toml = toml(&graph(blocks, connections), &[]);
    assert!(toml.starts_with("connections = [\n    \"source.out -> sink.in\",\n]\n"), "{toml}");
    assert!(!toml.contains("amp") && !toml.contains("other"), "{toml}");
}

#[test]
fn displays_are_left_out_and_widgets_are_variables() {
    let blocks = "
- {name: volume, id: variable_qtgui_range, parameters: {value: '0.25', rangeType: float}}
- {name: source, id: blocks_null_source, parameters: {type: float}}
- {name: amp, id: blocks_multiply_const_vxx, parameters: {type: float, const: volume}}
- {name: scope, id: qtgui_time_sink_x, parameters: {type: float}}
";
    let text = graph(blocks, "- [source, '0', amp, '0']\n- [amp, '0', scope, '0']");
    let flow = read(&text, &["volume=0.75"]).unwrap();
    let notes: Vec<String> = flow.notes().iter().map(ToString::to_string).collect();
    assert_eq!(
        notes,
        [
            "line 3: block volume: a widget is a variable here, which --set sets",
            "line 6: block scope: qtgui_time_sink_x is left out: there is no display here",
        ]
    );
    let toml = toml(&text, &["volume=0.75"]);
    assert!(toml.contains("\"amp.out -> amp-0-unused\"") && toml.contains("\"constant\" = 0.75"), "{toml}");
}

#[test]
fn items_of_one_size_are_reinterpreted_and_others_are_a_mistake() {
    let with = |kind: &str, vlen: usize| {
        let blocks = format!(
            "
- {{name: source, id: blocks_null_source, parameters: {{type: complex}}}}
- {{name: sink, id: blocks_null_sink, parameters: {{type: {kind}, vlen: '{vlen}'}}}}
- {{name: again, id: blocks_null_sink, parameters: {{type: {kind}, vlen: '{vlen}'}}}}"
        );
        graph(&blocks, "- [source, '0', sink, '0']\n- [source, '0', again, '0']")
    };
    let toml = toml(&with("float", 2), &[]);
    assert!(
        toml.contains(
            "[blocks.\"source-0-as-f32\"]\ntype = \"reinterpret\"\n\"from\" = \"C32\"\n\"to\" = \"f32\""
        ),
        "{toml}"
    );
    assert_eq!(toml.matches("reinterpret").count(), 1);
    let text = mistakes(&with("float", 1), &[]);
    assert!(text.contains("block source: gives C32 (8 bytes), and sink expects f32 (4 bytes)"), "{text}");
    let text = mistakes(&with("float", 3), &[]);
    assert!(text.contains("and sink expects vectors of 3 f32 (12 bytes)"), "{text}");
}

#[test]
fn messages_taps_and_imports() {
    let blocks = "
- {name: import_0, id: import, parameters: {imports: from math import pi}}
- {name: import_1, id: import, parameters: {imports: import numpy as num}}
- {name: taps, id: variable_low_pass_filter_taps, parameters: {gain: '2.0', samp_rate: '48000', cutoff_freq: 3e3, width: 1e3}}
- {name: x, id: variable, parameters: {value: 'num.round(100 * pi).tolist() if False else int(100 * pi)'}}
- {name: strobe, id: blocks_message_strobe, parameters: {msg: 'pmt.intern(\"7\")', period: '250'}}
- {name: debug, id: blocks_message_debug, parameters: {}}
";
    let toml = toml(&graph(blocks, "- [strobe, strobe, debug, print]"), &[]);
    assert!(toml.contains("\"strobe.out -> debug.in\""), "{toml}");
    assert!(toml.contains(r#""message" = "\"7\"""#) || toml.contains(r#""message" = '"7"'"#), "{toml}");
    assert!(toml.contains("\"period_s\" = 0.25"), "{toml}");
    assert!(toml.contains("\"taps\" = [2.0, 3000.0]") && toml.contains("\"x\" = 314"), "{toml}");
}

#[test]
fn what_is_not_understood_is_named_and_all_of_it_at_once() {
    let blocks = "
- {name: epy_block_0, id: epy_block, parameters: {_source_code: 'import os'}}
- {name: module, id: epy_module, parameters: {source_code: 'x = 1'}}
- {name: snip, id: snippet, parameters: {code: 'print(1)'}}
- {name: pad, id: pad_source, parameters: {type: complex}}
- {name: import_0, id: import, parameters: {imports: import os}}
- {name: bad, id: variable, parameters: {value: \"__import__('os').system('touch /tmp/superhet-pwned')\"}}
- {name: config, id: variable_config, parameters: {value: '0'}}
- {name: follows, id: variable, parameters: {value: bad + 1}}
- {name: what, id: blocks_nul_sink, parameters: {}}
- {name: own, id: my_module_xyz, parameters: {}}
- {name: kind, id: variable_my_kind, parameters: {value: '0'}}
- {name: tx, id: digital_ofdm_tx, parameters: {}}
";
    let text = mistakes(&graph(blocks, ""), &[]);
    let expected = "11 mistakes:
  - line 3: block epy_block_0: Python code in the flowgraph needs Python
  - line 4: block module: Python code in the flowgraph needs Python
  - line 5: block snip: Python code in the flowgraph needs Python
  - line 6: block pad: a pad is a port of a block of others, which does not run by itself
  - line 7: block import_0: `import os` needs Python: the modules that are known are math, cmath, numpy, pmt and GNU Radio's own
  - line 8: variable bad: \"__import__('os').system('touch /tmp/superhet-pwned')\", character 1: __import__ needs Python
  - line 9: block config: variable_config is an object of Python
  - line 11: block what: there is no block type blocks_nul_sink; did you mean blocks_null_sink?
  - line 12: block own: there is no block type my_module_xyz, one of GNU Radio that is not here, or of somebody else
  - line 13: block kind: there is no variable block variable_my_kind here
  - line 14: block tx: digital_ofdm_tx is made in Python";
    assert_eq!(text, expected);
    assert!(!std::path::Path::new("/tmp/superhet-pwned").exists());
}

#[test]
fn what_only_follows_from_another_mistake_is_not_reported() {
    let blocks = "
- {name: source, id: blocks_unheard_of, parameters: {type: float}}
- {name: amp, id: blocks_multiply_const_vxx, parameters: {type: float, const: '2'}}
- {name: sink, id: blocks_null_sink, parameters: {type: float}}
";
    let connections = "- [source, '0', amp, '0']\n- [amp, '0', sink, '0']";
    assert_eq!(mistakes(&graph(blocks, connections), &[]).lines().count(), 1);
    let flow = read(&graph(&blocks.replace("'2'", "two"), connections), &[]).unwrap();
    let error = flow.check(&Registry::new([BLOCKS])).unwrap_err();
    assert_eq!(error.mistakes.len(), 2, "{error}");
}

#[test]
fn of_blocks_with_one_name_one_may_be_on() {
    let blocks = "
- {name: x, id: variable, parameters: {value: '1'}, states: {state: disabled}}
- {name: x, id: variable, parameters: {value: '2'}}
- {name: a, id: blocks_null_source, parameters: {type: float}, states: {state: disabled}}
- {name: a, id: blocks_vector_source_x, parameters: {type: float, vector: '[x]'}}
- {name: a, id: blocks_null_source, parameters: {type: float}, states: {state: disabled}}
- {name: sink, id: blocks_null_sink, parameters: {type: float}}
";
    let toml = toml(&graph(blocks, "- [a, '0', sink, '0']"), &[]);
    assert!(toml.contains("\"values\" = [2]") && !toml.contains("null_source"), "{toml}");
}

#[test]
fn hostile_and_broken_files_are_one_error_each() {
    let laughs: String =
        (1..30).map(|n| format!("a{n}: &a{n} [*a{0}, *a{0}, *a{0}, *a{0}]\n", n - 1)).collect();
    let deep = format!("blocks: {}{}", "[".repeat(100_000), "]".repeat(100_000));
    let chain = graph(CHAIN, "");
    for (text, expected) in [
        ("", "line 1: expected a flowgraph, the file is empty"),
        ("hello", "line 1: the file: expected a flowgraph of GNU Radio Companion, got text"),
        ("a: b", "line 1: the file: expected metadata with file_format: 1"),
        (
            "metadata: {file_format: 2}",
            "line 1: metadata: file_format: the known version of the format is 1, got 2",
        ),
        (
            &format!("a0: &a0 [x]\n{laughs}metadata: {{file_format: 1}}"),
            "too many values: at most 400000 are accepted",
        ),
        (&deep, "expected YAML: recursion limit exceeded"),
        (&deep[..100], "too many lists within lists: at most 32 are accepted"),
        ("a: *b", "expected YAML: "),
        ("a: [1, 2\nb: 3", "expected YAML: "),
        ("a: 1\na: 2", "line 2: the key a comes twice"),
        (&chain[..chain.len() / 2], "expected"),
        (&graph("- {id: blocks_null_sink}", ""), "line 2: block: expected name: and text"),
        (&graph("- {name: x}", ""), "line 2: block: expected id: and text"),
        (&graph("- 5", ""), "line 2: blocks: expected a table for each block, got text"),
        (&graph("", "- [a, '0', b]"), "line 4: connections: expected [block, output, block, input]"),
        (&graph("", "- [a, '0', a, '0']"), "line 4: connections: there is no block a"),
        (
            &graph("- {name: x, id: variable, parameters: [1]}", ""),
            "line 2: x: parameters: expected a table, got a list",
        ),
        (
            &graph("- {name: x, id: variable, parameters: {value: x + 1}}", ""),
            "line 2: the variables x -> x need each other",
        ),
        (
            &graph(
                "- {name: x, id: variable, parameters: {value: y}}\n- {name: y, id: variable, parameters: {value: '[x]'}}",
                "",
            ),
            "line 2: the variables x -> y -> x need each other",
        ),
        (
            &graph("- {name: x, id: variable, parameters: {value: 9**9**9**9}}", ""),
            "expected a whole number of at most 127 bits",
        ),
        (
            &graph("- {name: x, id: variable, parameters: {value: '[0] * 10 ** 12'}}", ""),
            "expected at most 2000000 operations",
        ),
        (&graph("- {name: a, id: note}\n- {name: a, id: note}", ""), "line 3: block a: the name comes twice"),
        (
            &graph(
                "- {name: a, id: blocks_null_sink, parameters: {type: green}, states: {state: maybe}}",
                "",
            ),
            "line 2: a: state: expected enabled, disabled or bypassed, got maybe",
        ),
        (
            &graph("- {name: a, id: blocks_multiply_const_vxx, parameters: {type: green, const: '1'}}", ""),
            "line 2: block a: type: expected complex, float, int, short, got green",
        ),
        (
            &graph("- {name: ../../a, id: blocks_null_sink, parameters: {type: float}}", ""),
            "line 2: block ../../a: expected a name of letters, digits and _",
        ),
        (
            &graph("- {name: a, id: blocks_null_sink, parameters: {type: float, vlen: '0'}}", ""),
            "line 2: block a: sizeof_stream_item: 0 bytes are no whole number of f32",
        ),
        (
            &graph(
                "- {name: a, id: blocks_null_source, parameters: {type: float}}\n- {name: b, id: blocks_null_sink, parameters: {type: float}}",
                "- [a, '99', b, '0']\n- [a, '0', b, '0']",
            ),
            "line 5: block a: there is no output 99",
        ),
        (
            &graph(
                "- {name: a, id: blocks_message_strobe, parameters: {msg: pmt.PMT_T, period: '1'}}\n- {name: b, id: blocks_message_debug}",
                "- [a, strobe, b, prnt]",
            ),
            "line 5: block b: there is no message port prnt",
        ),
        (
            &graph(
                "- {name: a, id: virtual_source, parameters: {stream_id: s}}\n- {name: b, id: virtual_sink, parameters: {stream_id: s}}\n- {name: c, id: blocks_null_sink, parameters: {type: float}}",
                "- [a, '0', b, '0']\n- [a, '0', c, '0']",
            ),
            "block a: the connection leads back to itself, without a block in it",
        ),
        (
            &graph(
                "- {name: a, id: virtual_source, parameters: {stream_id: s}}\n- {name: c, id: blocks_null_sink, parameters: {type: float}}",
                "- [a, '0', c, '0']",
            ),
            "block a: there is no virtual sink for it, or nothing leads there",
        ),
        (
            "options: {parameters: {generate_options: hb}}\nmetadata: {file_format: 1}",
            "line 1: options: the flowgraph makes a block of others (hb)",
        ),
    ] {
        let reported = mistakes(text, &[]);
        assert!(reported.contains(expected), "{text:.200}: {reported}");
        assert!(reported.lines().count() == 1, "{text:.200}: {reported}");
    }
}

#[test]
fn a_flowgraph_cut_anywhere_is_an_error_or_a_graph() {
    let text = graph(CHAIN, "- [source, '0', amp, '0']\n- [amp, '0', head, '0']\n- [head, '0', sink, '0']");
    for end in 0..text.len() {
        if let Ok(flow) = read(&text[..end], &[]) {
            let _ = flow.check(&Registry::new([BLOCKS]));
        }
    }
}

#[test]
fn values_that_would_fill_the_memory_are_an_error() {
    let mut blocks = "- {name: big, id: variable, parameters: {value: '[1.5] * 1000000'}}\n".to_owned();
    for n in 0..200 {
        blocks += &format!(
            "- {{name: v{n}, id: blocks_vector_source_x, parameters: {{type: float, vector: big, repeat: 'True'}}}}\n"
        );
    }
    assert!(
        mistakes(&graph(&blocks, ""), &[])
            .contains("too many elements and bytes of variables and parameters")
    );
    let blocks: String = (0..200)
        .map(|n| format!("- {{name: v{n}, id: variable, parameters: {{value: '[{n}] * 1000000'}}}}\n"))
        .collect();
    assert!(mistakes(&graph(&blocks, ""), &[]).contains("operations and elements in all"));
}

proptest::proptest! {
    #[test]
    fn no_bytes_make_it_panic(text in "[ -~\\n]{0,200}") {
        let _ = read(&text, &[]);
    }

    #[test]
    fn no_change_of_a_flowgraph_makes_it_panic(place in 0usize..600, byte in 32u8..127) {
        let mut bytes = graph(CHAIN, "- [source, '0', amp, '0']").into_bytes();
        let place = place % bytes.len();
        bytes[place] = byte;
        if let Ok(text) = String::from_utf8(bytes) {
            let _ = read(&text, &[]);
        }
    }
}
