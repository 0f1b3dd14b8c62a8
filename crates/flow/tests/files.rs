//! Graph files that are good, and graph files that are not.

use crate::common::*;
use superhet_flow::{Flow, Set};
use superhet_runtime::prelude::*;

#[test]
fn a_good_file_runs() {
    run(
        r#"
        connections = ["source -> double -> sink", "source -> raw"]

        [graph]
        name = "good"
        format = 1

        [variables]
        twice = "=2 * once"
        once = 1.0

        [blocks.source]
        type = "vector"
        items = [1, 2, "=once + twice"]
        [blocks.double]
        type = "gain"
        gain = "=twice"
        mode = "exact"
        [blocks.sink]
        type = "collect"
        label = "good at ${twice}"
        [blocks.raw]
        type = "collect"
        label = "good raw"
        "#,
        &[],
    );
    assert_eq!(arrived("good at 2"), [2.0, 4.0, 6.0]);
    assert_eq!(arrived("good raw"), [1.0, 2.0, 3.0]);
}

#[test]
fn what_a_file_says_can_be_asked() {
    let text = r#"
        connections = ["a -> b"]
        graph = { name = "asked", description = "For a test." }
        variables = { rate = "2.4M", half = "=2.4M / 2" }
        blocks = { b.type = "collect", a.type = "vector" }
    "#;
    let flow = Flow::from_text(text, "", &[]).unwrap();
    assert_eq!((flow.name(), flow.description()), (Some("asked"), Some("For a test.")));
    assert_eq!(flow.variables()["half"], Value::Float(1.2e6));
    assert_eq!(flow.blocks().collect::<Vec<_>>(), [("b", "collect"), ("a", "vector")]);
    assert_eq!(flow.connections().collect::<Vec<_>>(), [("a", "b")]);
}

#[test]
fn connections_as_tables_say_the_same() {
    run(
        r#"
        [blocks.source]
        type = "vector"
        items = [1, 2]
        [blocks.sum]
        type = "add"
        [blocks.sink]
        type = "collect"
        label = "tables"

        [[connections]]
        from = "source.out"
        to = "sum.in0, sum.in1"
        [[connections]]
        from = "sum"
        to = "sink"
        "#,
        &[],
    );
    assert_eq!(arrived("tables"), [2.0, 4.0]);
}

const SETTABLE: &str = r#"
connections = ["source -> double -> sink"]
[variables]
gain = 2
label = "unset"
[blocks]
source = { type = "vector", items = [1] }
double = { type = "gain", gain = "=gain" }
sink = { type = "collect", label = "=label" }
"#;

#[test]
fn settings_override_variables_and_parameters() {
    run(SETTABLE, &["gain=0.5k", "label=set variables"]);
    assert_eq!(arrived("set variables"), [500.0]);
    run(SETTABLE, &["double.gain==gain * 3", "sink.label=007", "source.items=[1, 2]"]);
    assert_eq!(arrived("007"), [6.0, 12.0]);
    let sets = [Set::new("label", "=taken as it is"), Set::new("gain", 1)];
    let graph = Flow::from_text(SETTABLE, "", &sets).unwrap().build(&registry()).unwrap();
    graph.run().unwrap();
    assert_eq!(arrived("=taken as it is"), [1.0]);
}

#[test]
fn a_setting_that_sets_nothing_suggests_the_nearest() {
    assert_eq!(
        mistakes(SETTABLE, &["gian=2", "duoble.gain=2", "double.gian=2", "double.type=add"]),
        [
            "setting double.gian=2: block double: gian: gain has no such parameter; did you mean gain?",
            "setting double.type=add: block double: type: is not a parameter, it cannot be set from outside",
            "setting duoble.gain=2: there is no block duoble; did you mean double?",
            "setting gian=2: there is no variable gian; did you mean gain?",
        ]
    );
}

#[test]
fn a_type_mismatch_an_unknown_block_and_a_bad_parameter_are_reported_at_once() {
    let text = r#"connections = ["samples -> sink", "samples -> level -> nowhere", "source -> loud -> other"]
[blocks.samples]
type = "iq"
count = 4
[blocks.sink]
type = "collect"
label = "never"
[blocks.level]
type = "magnitud"
[blocks.nowhere]
type = "collect"
label = "never"
[blocks.source]
type = "vector"
items = [1]
[blocks.loud]
type = "gain"
gain = 1001
[blocks.other]
type = "collect"
label = "never"
"#;
    assert_eq!(
        mistakes(text, &[]),
        [
            "line 1: samples.out gives C32, sink.in takes f32; convert with magnitude",
            "line 9: block level: there is no block type magnitud; did you mean magnitude?",
            "line 18: block loud: gain: expected a number from 0 to 1000, got 1001",
        ]
    );
    let error = Flow::from_text(text, "", &[]).unwrap().check(&registry()).unwrap_err();
    assert!(error.to_string().starts_with("3 mistakes:\n  - line 1: samples.out gives C32"));
    assert_eq!(Flow::from_text(text, "", &[]).unwrap().build(&registry()).unwrap_err().mistakes.len(), 2);
}

#[test]
fn every_parameter_of_every_block_is_reported() {
    let text = r#"connections = ["a -> b -> c, d"]
[blocks.a]
type = "vector"
[blocks.b]
type = "gain"
gain = "=rate"
mdoe = "fast"
mode = "fats"
[blocks.c]
type = "collect"
label = 7
[blocks.d]
type = "broken"
"#;
    assert_eq!(
        mistakes(text, &[]),
        [
            "line 2: block a: items: is missing: expected a list of numbers",
            "line 6: block b: gain: \"rate\", character 1: there is no variable rate",
            "line 7: block b: mdoe: gain has no such parameter; did you mean mode?",
            "line 8: block b: mode: expected one of fast, exact, got fats; did you mean fast?",
            "line 11: block c: label: expected a text, got 7",
            "line 12: block d: the device is not there",
        ]
    );
}

#[test]
fn every_mistake_of_syntax_is_reported_with_its_line() {
    let reported = mistakes("connections = [\n[blocks.a\ntype = = 3\n", &[]);
    assert!(reported.len() > 1, "{reported:?}");
    assert!(reported.iter().all(|mistake| mistake.starts_with("line ")), "{reported:?}");
    let reported = mistakes("[blocks.a]\ntype = \"x\"\ntype = \"y\"\n", &[]);
    assert!(reported.len() == 1 && reported[0].starts_with("line 3: duplicate key"), "{reported:?}");
}

#[test]
fn what_a_graph_file_does_not_have_is_reported() {
    let text = r#"conections = []
[graph]
nmae = "x"
format = 2
[variables]
pi = 3
"a b" = 1
huge = 99999999999999999999
[blocks.a]
[blocks.b]
type = 3
[blocks."c.d"]
type = "gain"
[blocks.e]
type = "gain"
graph = "x.toml"
"#;
    assert_eq!(
        mistakes(text, &[]),
        [
            "line 1: conections: a graph file has no such key; did you mean connections?",
            "line 3: nmae: [graph] has no such key; did you mean name?",
            "line 4: format: the known version of the format is 1, got 2",
            "line 6: pi: is a constant, a variable cannot have its name",
            "line 7: a b: the name of a variable has letters, digits and _, and begins with no digit",
            "line 8: variable huge: expected a whole number of at most 64 bits, got 99999999999999999999",
            "line 9: block a: expected type = \"…\" (or graph = \"FILE\"), which says what the block is",
            "line 11: type of block b: expected text, got a number",
            "line 12: c.d: the name of a block has letters, digits, _ and -",
            "line 14: block e: has a type and a graph: a block is either of a type or the blocks of a file",
        ]
    );
}

#[test]
fn connections_below_a_table_are_found() {
    let text = r#"
[blocks.a]
type = "vector"
items = [1]
[blocks.b]
type = "collect"
label = "never"
connections = ["a -> b"]
"#;
    assert_eq!(
        mistakes(text, &[]),
        [
            "line 8: connections: stands inside of [blocks.b]: move it above the first table of the file, or write \
          [[connections]] with from and to"
        ]
    );
}

const BLOCKS: &str = r#"
[blocks]
a = { type = "vector", items = [1] }
sum = { type = "add" }
b = { type = "collect", label = "never" }
"#;

#[test]
fn names_in_connections_are_checked_without_telling_what_follows() {
    let reported = |connections: &str| mistakes(&format!("connections = {connections}{BLOCKS}"), &[]);
    assert_eq!(
        reported(r#"["a -> sum.in0, sum.in2", "a.outt -> sum.in1", "sum -> nowhere"]"#),
        [
            "line 1: input sum.in2 does not exist: sum has in0, in1",
            "line 1: output a.outt does not exist: a has out",
            "line 1: block nowhere does not exist",
            "line 5: b.in is not connected: it needs a stream of f32",
        ]
    );
    assert_eq!(
        reported(r#"["a -> sum -> b", "sum -> a"]"#),
        [
            "line 1: input sum does not exist: sum has several, name one of in0, in1",
            "line 1: input a does not exist: a has no input",
        ]
    );
    assert_eq!(
        reported(r#"["a -> sum.in0 -> b", "a ->", 3]"#),
        [
            "line 1: connection \"a -> sum.in0 -> b\": the port of sum.in0 could be an input or an output here: \
             within a chain stands a block without port, or it is cut in two there",
            "line 1: connection \"a ->\": expected a block on both sides of each -> and comma",
            "line 1: connections: expected \"a -> b\", got a number",
        ]
    );
    assert_eq!(
        reported(r#"[{ form = "a", to = "sum.in0" }]"#),
        [
            "line 1: form: a connection has from and to only; did you mean from?",
            r#"line 1: [[connections]]: expected from = "…" and to = "…""#,
        ]
    );
    assert_eq!(
        reported(r#"["a -> sum.in0, sum.in1, sum.in1", "sum -> b"]"#),
        ["line 4: sum.in1 has 2 writers (a.out, a.out): an input takes one stream"]
    );
}

#[test]
fn what_is_written_of_a_graph_says_the_same_whatever_its_text_looks_like() {
    let text = r#"
        [graph]
        name = "=name"
        description = "${description}"
        [variables]
        a = "==b$${c}"
        d = "$${e}"
        f = "$$${g}"
        h = "==${i}"
    "#;
    let flow = Flow::from_text(text, "", &[]).unwrap();
    let written = flow.to_toml(&registry(), std::path::Path::new("")).unwrap();
    let again = Flow::from_text(&written, "", &[]).unwrap();
    assert_eq!(again.variables(), flow.variables(), "{written}");
    assert_eq!((again.name(), again.description()), (flow.name(), flow.description()), "{written}");
}

#[test]
fn a_flowgraph_with_a_variable_that_no_graph_file_could_name_is_converted_without_it() {
    let text = "
blocks:
- {name: half-rate, id: variable, parameters: {value: '2'}}
- {name: rate, id: variable, parameters: {value: '4'}}
metadata: {file_format: 1}
";
    let library = superhet_flow::python::Library::new([]);
    let flow = Flow::from_grc_text(text, "", &[], &registry(), &library).unwrap();
    let written = flow.to_toml(&registry(), std::path::Path::new("")).unwrap();
    let again = Flow::from_text(&written, "", &[]).unwrap();
    assert!(again.to_toml(&registry(), std::path::Path::new("")).is_ok(), "{written}");
    assert_eq!(again.variables().keys().collect::<Vec<_>>(), ["rate"], "{written}");
}

#[test]
fn cyclic_variables_are_named() {
    let text = "[variables]\na = \"=b\"\nb = \"x ${a}\"\nc = \"=a + 1\"";
    assert_eq!(mistakes(text, &[]), ["line 2: the variables a -> b -> a need each other"]);
    assert_eq!(
        mistakes(text, &["a=1", "b==c"]),
        ["setting b==c: the variables b -> c -> b need each other"][..0]
    );
}

const PART: &str = r#"
connections = ["first -> second"]
[variables]
gain = 10
[ports]
in = "first.in"
out = "second.out"
[blocks]
first = { type = "gain", gain = "=gain" }
second = { type = "gain", gain = "=gain" }
"#;

#[test]
fn the_blocks_of_another_file_can_be_included_set_and_reached() {
    let folder = folder(
        "included",
        &[
            (
                "top.toml",
                r#"
                connections = ["source -> rx -> sink", "rx/first -> inner", "source -> loud.in", "loud.out -> other"]
                variables.gain = 3
                [blocks]
                source = { type = "vector", items = [1] }
                rx = { graph = "parts/part.toml" }
                loud = { graph = "parts/outer.toml", gain = "=gain" }
                sink = { type = "collect", label = "included" }
                inner = { type = "collect", label = "included inner" }
                other = { type = "collect", label = "included other" }
                "#,
            ),
            ("parts/part.toml", PART),
            (
                "parts/outer.toml",
                r#"
                variables.gain = 1
                ports = { in = "part.in", out = "part.out" }
                blocks.part = { graph = "part.toml", gain = "=2 * gain" }
                "#,
            ),
        ],
    );
    let flow = Flow::from_file(folder.join("top.toml"), &sets(&["rx.gain=7", "rx/second.gain=5"])).unwrap();
    let names: Vec<&str> = flow.blocks().map(|(name, _)| name).collect();
    assert!(names.contains(&"rx/first") && names.contains(&"loud/part/second"), "{names:?}");
    flow.build(&registry()).unwrap().run().unwrap();
    assert_eq!(arrived("included"), [35.0]);
    assert_eq!(arrived("included inner"), [7.0]);
    assert_eq!(arrived("included other"), [36.0]);
}

#[test]
fn mistakes_in_included_files_name_the_file() {
    let folder = folder(
        "mistaken",
        &[
            (
                "top.toml",
                r#"connections = ["source -> rx.inn", "rx -> sink", "source -> bad -> gone"]
                [blocks]
                source = { type = "vector", items = [1] }
                rx = { graph = "part.toml", gian = 3 }
                bad = { graph = "bad.toml" }
                gone = { graph = "gone.toml" }
                sink = { type = "collect", label = "never" }
                "#,
            ),
            (
                "part.toml",
                &PART.replace("second.out", "second.outt").replace("gain = 10", "gain = 10\nhalf = \"=1 +\""),
            ),
            ("bad.toml", "= 3"),
        ],
    );
    let reported = reported(
        Flow::from_file(folder.join("top.toml"), &[]).and_then(|flow| flow.check(&registry()).map(drop)),
    );
    let folder = format!("{}/", folder.display());
    let reported: Vec<String> = reported.iter().map(|mistake| mistake.replace(&folder, "")).collect();
    assert_eq!(
        reported[0], "bad.toml:1: unquoted keys cannot be empty, expected letters, numbers, `-`, `_`",
        "{reported:#?}"
    );
    assert_eq!(
        reported[1..],
        [
            "part.toml:5: variable half: \"1 +\", character 4: expected a value, got the end",
            "part.toml:8: port rx/second.outt does not exist",
            "top.toml:1: input rx.inn does not exist: rx has in",
            "top.toml:4: block rx: gian: the included file has no such variable; did you mean gain?",
            "top.toml:6: cannot read gone.toml: No such file or directory (os error 2)",
        ],
        "{reported:#?}"
    );
}

#[test]
fn a_file_that_includes_itself_is_reported_with_the_chain() {
    let file = |part: &str| format!("blocks.part = {{ graph = \"{part}\" }}");
    let folder = folder("recursive", &[("a.toml", &file("b.toml")), ("b.toml", &file("./a.toml"))]);
    let reported =
        reported(Flow::from_file(folder.join("a.toml"), &[]).and_then(|f| f.check(&registry()).map(drop)));
    let here = folder.display();
    assert_eq!(
        reported,
        [format!(
            "{here}/b.toml:1: block part/part: the file includes itself: {here}/a.toml -> {here}/b.toml -> \
             {here}/./a.toml"
        )]
    );
}

#[test]
fn paths_are_relative_to_the_file_and_those_of_settings_to_the_current_directory() {
    let folder = folder(
        "paths",
        &[(
            "top.toml",
            r#"
            connections = ["source -> a, b, c, d"]
            variables = { file = "by variable", out = "paths" }
            [blocks]
            source = { type = "vector", items = [1] }
            a = { type = "to_file", path = "written" }
            b = { type = "to_file", path = "=file" }
            c = { type = "to_file", path = "/paths/absolute" }
            d = { type = "to_file", path = "${out}/sub" }
            "#,
        )],
    );
    let run = |given: &[&str]| {
        let flow = Flow::from_file(folder.join("top.toml"), &sets(given)).unwrap();
        flow.build(&registry()).unwrap().run().unwrap();
    };
    let inside = |name: &str| arrived(&folder.join(name).display().to_string()).len();
    run(&[]);
    assert_eq!((inside("written"), inside("by variable"), inside("paths/sub")), (1, 1, 1));
    assert_eq!(arrived("/paths/absolute").len(), 1);
    run(&["file=from outside", "a.path=given", "out=out"]);
    assert_eq!((inside("written"), inside("from outside"), inside("given")), (1, 0, 0));
    assert_eq!((arrived("from outside").len(), arrived("given").len(), arrived("out/sub").len()), (1, 1, 1));
}

#[test]
fn a_file_that_cannot_be_read_is_one_clear_error() {
    let folder = folder("unreadable", &[("latin.toml", ""), ("empty.toml", "")]);
    std::fs::write(folder.join("latin.toml"), b"[graph]\nname = \"\xe9\"").unwrap();
    let reported = |name: &str| {
        let result = Flow::from_file(folder.join(name), &[]);
        reported(result.and_then(|flow| flow.check(&registry()).map(drop)))
            .join("|")
            .replace(&format!("{}/", folder.display()), "")
    };
    assert_eq!(reported("missing.toml"), "cannot read missing.toml: No such file or directory (os error 2)");
    assert_eq!(reported("latin.toml"), "latin.toml:2: expected UTF-8 text");
    assert!(reported("").starts_with("cannot read "), "{}", reported(""));
    if cfg!(target_os = "linux") {
        assert_eq!(reported("/dev/zero"), "too many bytes in /dev/zero: at most 4194304 are accepted");
    }
}

#[test]
fn the_example_in_the_documentation_is_a_graph_file() {
    let documentation = include_str!("../src/lib.rs");
    let example: String = documentation
        .lines()
        .skip_while(|line| !line.contains("```toml"))
        .skip(1)
        .take_while(|line| !line.contains("```"))
        .map(|line| format!("{}\n", line.trim_start_matches("//!")))
        .collect();
    let reported = mistakes(&example, &[]);
    // This test has other blocks and no file beside it, and that is all that is wrong.
    assert_eq!(reported.len(), 4, "{reported:#?}");
    for (mistake, expected) in
        reported.iter().zip(["block probe", "file_source", "fir_filter", "recorder.toml"])
    {
        assert!(mistake.contains(expected), "{mistake}");
    }
}

#[test]
fn shown_ports_lead_to_blocks_of_parts_and_those_without_a_block_are_left_out() {
    let text = "ports = { in = '.in', out = 'out', x = 'rx.in' }\nblocks.rx.graph = 'part.toml'";
    let flow = Flow::from_parts(text, &[("part.toml", PART)], &[]).unwrap();
    let ports: Vec<_> = flow.ports().collect();
    assert_eq!(ports, [("x", "rx/first.in")]);
}
