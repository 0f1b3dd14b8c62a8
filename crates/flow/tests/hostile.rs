//! Input that wants to do harm gets errors, at once.

use std::time::{Duration, Instant};

use crate::common::*;
use proptest::prelude::*;
use superhet_flow::{Flow, Set};

/// Reads and checks the text; nothing may take long.
fn survive(text: &str) -> Vec<String> {
    let start = Instant::now();
    let reported = mistakes(text, &[]);
    assert!(start.elapsed() < Duration::from_secs(60), "took {:?}", start.elapsed());
    for mistake in &reported {
        assert!(mistake.len() < 4000, "{} bytes: {mistake}", mistake.len());
    }
    reported
}

#[test]
fn a_megabyte_of_parentheses_is_an_error() {
    let parentheses = "(".repeat(1 << 20);
    assert!(survive(&format!("[variables]\na = \"={parentheses}\""))[0].contains("at most 65536 bytes"));
    assert_eq!(survive(&format!("a = {}", "[".repeat(1 << 20))).len(), 1);
    assert!(!survive(&parentheses).is_empty());
    let wide = format!("[variables]\na = \"={}\"", "(".repeat(4000));
    assert!(survive(&wide)[0].contains("at most 64 levels of nesting"));
    assert!(parentheses.parse::<Set>().is_err());
    assert!(!mistakes("", &[&format!("a={parentheses}")]).is_empty());
}

#[test]
fn deep_nesting_is_an_error() {
    assert!(!survive(&format!("[{}a]\n", "a.".repeat(10_000))).is_empty());
    assert!(!survive(&format!("a = {}{}", "{a=".repeat(10_000), "}".repeat(10_000))).is_empty());
    let list = format!("{}1{}", "[".repeat(70), "]".repeat(70));
    assert!(!survive(&format!("blocks.a = {{ type = \"vector\", items = {list} }}")).is_empty());
}

#[test]
fn huge_numbers_are_errors_or_numbers() {
    for number in [
        "1e999",
        "-1e999",
        "9e99999999999999",
        "99999999999999999999999",
        "nan",
        "inf",
        "0x7fffffffffffffffff",
    ] {
        let reported = survive(&format!("blocks.a = {{ type = \"iq\", count = {number} }}"));
        assert_eq!(reported.len(), 1, "{number}: {reported:?}");
    }
    let digits = "9".repeat(1 << 20);
    assert!(survive(&format!("variables.a = {digits}"))[0].contains("at most 64 bits"));
    assert!(!survive(&format!("variables.a = \"=9{}\"", "9".repeat(4000))).is_empty());
}

#[test]
fn thousands_of_mistakes_are_reported_in_part() {
    let long = "x".repeat(120);
    let lines = |line: &dyn Fn(usize) -> String| (0..4000).map(line).collect::<Vec<_>>().join("\n");
    let unknown = lines(&|i| format!("blocks.b{i} = {{ type = \"{long}{i}\" }}"));
    let reported = survive(&unknown);
    assert_eq!(reported.len(), 100);
    let error = Flow::from_text(&unknown, "", &[]).unwrap().check(&registry()).unwrap_err();
    assert!(error.to_string().ends_with("and 3900 more"));
    let links: Vec<String> = (0..16_000).map(|i| format!("\"{long}{i} -> {i}{long}\"")).collect();
    survive(&format!("connections = [{}]", links.join(",")));
    survive(&lines(&|i| format!("variables.v{i} = \"=w{i}\"")));
    survive(&format!("[blocks.a]\ntype = \"gain\"\n{}", lines(&|i| format!("{long}{i} = 1"))));
    survive(&"]\n".repeat(100_000));
    survive(&"]\n".repeat(30_000));
}

#[test]
fn more_blocks_connections_or_files_than_are_accepted_are_one_error() {
    let blocks: String = (0..66_000).map(|i| format!("blocks.b{i}.type = \"gain\"\n")).collect();
    assert!(survive(&blocks)[0].contains("at most 65536"));
    let links = format!("connections = [{}]", "\"a -> b\",".repeat(270_000));
    assert!(survive(&links).iter().any(|mistake| mistake.contains("at most 262144")));
    let bomb: String = (0..20).map(|i| format!("blocks.b{i}.graph = \"NEXT\"\n")).collect();
    let files: Vec<(String, String)> =
        (0..20).map(|i| (format!("{i}.toml"), bomb.replace("NEXT", &format!("{}.toml", i + 1)))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let start = Instant::now();
    let flow = Flow::from_file(folder("bomb", &files).join("0.toml"), &[]);
    let reported = reported(flow.and_then(|flow| flow.check(&registry()).map(drop)));
    assert!(reported.len() == 1 && start.elapsed() < Duration::from_secs(60), "{reported:?}");
}

#[test]
fn long_names_and_texts_are_cut_short_in_messages() {
    let long = "é".repeat(30_000);
    for text in [
        format!("{long} = 1"),
        format!("\"{long}\" = 1"),
        format!("blocks.a.type = \"{long}\""),
        format!("blocks.a = {{ type = \"gain\", mode = \"{long}\" }}"),
        format!("blocks.a = {{ type = \"gain\", \"{long}\" = 1 }}"),
        format!("blocks.a = {{ type = \"gain\", gain = \"{long}\" }}"),
        format!("blocks.a = {{ graph = \"{long}\" }}"),
        format!("blocks.\"{long}\" = 1"),
        format!("variables.\"{long}\" = 1"),
        format!("variables.a = \"={long}\""),
        format!("variables.a = \"=abs({}\"", "a".repeat(4000)),
        format!("connections = [\"{long} -> a\"]"),
        format!("[[connections]]\nfrom = \"{long}\""),
        format!("ports.a = \"{long}\""),
        format!("ports.\"{long}\" = \"a.b\""),
        format!("graph.format = \"{long}\""),
    ] {
        assert!(!survive(&text).is_empty(), "{}", &text[..40]);
    }
}

#[test]
fn messages_do_not_move_the_cursor_of_a_terminal() {
    for text in
        ["\"\\u001b[2J\" = 1", "blocks.a.type = \"\\u001b[2J\"", "connections = [\"\\u001b[2J -> a\"]"]
    {
        let reported = survive(text).join("\n");
        assert!(!reported.contains('\u{1b}'), "{reported:?}");
    }
}

#[test]
fn one_value_named_by_thousands_of_blocks_does_not_fill_the_memory() {
    let blocks: String =
        (0..4000).map(|i| format!("blocks.b{i} = {{ type = \"vector\", items = \"=t\" }}\n")).collect();
    let reported = survive(&format!("variables.t = [{}]\n{blocks}", "1,".repeat(1_000_000)));
    assert!(reported.iter().any(|mistake| mistake.contains("come to more than 16777216 bytes or elements")));
    let variables: String = (0..4000).map(|i| format!("v{i} = \"=t * 2\"\n")).collect();
    let reported = survive(&format!("[variables]\nt = [{}]\n{variables}", "1,".repeat(1_000_000)));
    assert!(reported[0].contains("the variable t is a list"), "{reported:?}");
    let blocks: String = (0..40_000).map(|i| format!("blocks.a.l{i} = \"${{t}}.\"\n")).collect();
    survive(&format!("variables.t = \"{}\"\n{blocks}", "x".repeat(60_000)));
}

/// A flowgraph of variables, one behind the other.
fn grc(variables: impl IntoIterator<Item = String>) -> String {
    let block = |(n, value): (usize, String)| {
        format!("- {{name: v{n}, id: variable, parameters: {{value: '{value}'}}}}\n")
    };
    let blocks: String = variables.into_iter().enumerate().map(block).collect();
    format!("blocks:\n{blocks}connections: []\nmetadata:\n  file_format: 1\n")
}

fn grc_mistakes(text: &str) -> Vec<String> {
    let flow = Flow::from_grc_text(text, "", &[], &registry(), &superhet_flow::python::Library::new([]));
    reported(flow.and_then(|flow| flow.check(&registry()).map(drop)))
}

#[test]
fn variables_of_a_flowgraph_that_share_lists_are_one_error() {
    // Each is small in memory, and twice as long as the one before for whatever walks over it.
    let doubled = (0..26).map(|n| if n == 0 { "1".to_owned() } else { format!("[v{0}, v{0}]", n - 1) });
    let reported = grc_mistakes(&grc(doubled));
    assert_eq!(reported.len(), 1, "{reported:?}");
    assert!(reported[0].contains("expected at most 2000000 operations and elements in all"), "{reported:?}");
    // A second one makes no second error, and neither does what comes behind.
    let twice = (0..60).map(|n| match n {
        0 | 30 => "1".to_owned(),
        n => format!("[v{0}, v{0}]", n - 1),
    });
    assert_eq!(grc_mistakes(&grc(twice)).len(), 1);
    // Values that name one long list are copied out, each of them.
    let named = (0..60).map(|n| if n == 0 { "[1] * 500000".to_owned() } else { "v0".to_owned() });
    let reported = grc_mistakes(&grc(named));
    assert_eq!(reported.len(), 1, "{reported:?}");
    assert!(reported[0].contains("elements and bytes of variables and parameters"), "{reported:?}");
}

#[test]
fn the_largest_graph_that_is_accepted_is_checked_at_once() {
    const MOST: usize = 65_536;
    let blocks: String = (0..MOST).map(|i| format!("blocks.b{i}.type = \"gain\"\n")).collect();
    let links: String =
        (0..100_000).map(|i| format!("\"b{} -> b{}\",", i % MOST, (i * 7 + 1) % MOST)).collect();
    assert!(!mistakes(&format!("connections = [{links}]\n{blocks}"), &[]).is_empty());
    let links: String = (0..MOST).map(|i| format!("\"b{} -> b{}\",", i, (i + 1) % MOST)).collect();
    let reported = mistakes(&format!("connections = [{links}]\n{blocks}"), &[]);
    assert!(reported[0].contains("is a loop without delay"), "{reported:?}");
}

/// Text that looks like a graph file, more or less.
fn almost_a_file() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "[",
        "]",
        "[[",
        "]]",
        "{",
        "}",
        "=",
        "\"",
        "\"=",
        "'",
        "\n",
        " ",
        ",",
        ".",
        "->",
        "/",
        "${",
        "$${",
        "}",
        "(",
        ")",
        "*",
        "**",
        "-",
        "#",
        "blocks",
        "variables",
        "graph",
        "ports",
        "connections",
        "type",
        "from",
        "to",
        "format",
        "gain",
        "vector",
        "items",
        "a",
        "b",
        "a.in",
        "a -> b",
        "1",
        "1e999",
        "0x",
        "2M",
        "true",
        "1979-05-27",
        "é",
        "\u{0}",
        "pi",
        "min(",
        "\n[blocks.a]\ntype = \"gain\"\n",
        "\n[variables]\na = \"=b\"\n",
        "connections = [\"a -> b\"]\n",
    ]);
    prop::collection::vec(word, 0..60).prop_map(|words| words.concat())
}

proptest! {
    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        survive(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn almost_files_never_panic(text in almost_a_file()) {
        survive(&text);
    }

    #[test]
    fn random_expressions_never_panic(text in "[-+*/%().,0-9eEkMGmunab ${}=é]{0,80}") {
        let _ = superhet_flow::expression::evaluate(&text, &|_| Ok(2.0));
        survive(&format!("[variables]\na = 1\nb = '{}'", text));
    }

    #[test]
    fn random_settings_never_panic(text in any::<String>()) {
        if let Ok(set) = text.parse::<Set>() {
            let _ = Flow::from_text("variables.a = 1\nblocks.b.type = \"gain\"", "", &[set]).unwrap().check(&registry());
        }
    }

    #[test]
    fn an_expression_gives_what_it_says(a in -1e6f64..1e6, b in 1e-3f64..1e6) {
        let value = superhet_flow::expression::evaluate("(a + b) / b - a % b", &|name| Ok(if name == "a" { a } else { b }));
        prop_assert_eq!(value, Ok((a + b) / b - a % b));
    }
}
