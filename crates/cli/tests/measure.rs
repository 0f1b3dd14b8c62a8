//! What is measured and predicted, and the hints. No test asserts a time.

use crate::common::*;
use serde_json::Value;

/// A graph file in a folder of its own: zeros -> saxpy -> running mean -> nothing.
fn graph(name: &str) -> String {
    let path = folder(name).join("graph.toml");
    let text = r#"
connections = ["zeros -> scale -> envelope -> sink"]

[graph]
name = "measured"

[blocks.zeros]
type = "null_source"

[blocks.scale]
type = "fir_filter"
taps = [0.25, 0.5, 0.25]

[blocks.envelope]
type = "am_demod"
rate_hz = 48000

[blocks.sink]
type = "null_sink"
item = "f32"
"#;
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

fn json(arguments: &[&str]) -> Value {
    let text = stdout(arguments);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn a_measured_plan_tells_costs_bound_and_bottleneck() {
    let file = graph("plan-measure");
    let text = stdout(&["plan", &file, "--measure", "--seconds", "0.05", "--workers", "2"]);
    for word in
        ["ns per item", "share", "Mitems/s of zeros", "set by", "in one lane", "measured on one worker"]
    {
        assert!(text.contains(word), "{word}: {text}");
    }
    let object = json(&["plan", &file, "--measure", "--seconds", "0.05", "--workers", "2", "--json"]);
    let prediction = &object["prediction"];
    assert_eq!(prediction["source"], "zeros", "{object}");
    assert!(prediction["rate_hz"].as_f64() > Some(0.0), "{object}");
    let blocks = prediction["blocks"].as_array().unwrap();
    assert_eq!(blocks.len(), 4);
    let shares: f64 = blocks.iter().map(|block| block["share"].as_f64().unwrap()).sum();
    assert!((shares - 1.0).abs() < 1e-6, "{object}");
    assert!(object["lanes"].as_array().is_some() && object["machine"]["nodes"].as_array().is_some());
}

#[test]
fn a_file_that_ends_early_is_enough_to_measure() {
    let file = project("examples/adsb.toml");
    let text = stdout(&["plan", file.to_str().unwrap(), "--measure", "--seconds", "10"]);
    // Its messages come first: what the blocks print, they print.
    assert!(text.contains("\"icao\"") && text.contains("Mitems/s of source"), "{text}");
    assert!(stdout(&["plan", "--help"]).contains("What the graph's blocks write"));
}

#[test]
fn a_report_names_the_bottleneck_and_what_was_possible() {
    let file = project("examples/adsb.toml");
    let file = file.to_str().unwrap();
    let output = run(&["run", file, "--report"]);
    let text = String::from_utf8(output.stderr).unwrap();
    for word in ["busy %", "no input", "bottleneck: ", "reached ", "at the costs of this run", " % reached"] {
        assert!(text.contains(word), "{word}: {text}");
    }
}

#[test]
fn the_costs_of_one_run_are_known_to_the_next() {
    let folder = folder("costs");
    let costs = folder.join("costs.json");
    let costs = costs.to_str().unwrap();
    let file = project("examples/adsb.toml");
    let file = file.to_str().unwrap();
    stdout(&["run", file, "--workers", "1", "--report-json", costs]);
    let known: Value = serde_json::from_str(&std::fs::read_to_string(costs).unwrap()).unwrap();
    assert!(known["bottleneck"].is_string() && known["could"]["rate_hz"].as_f64() > Some(0.0), "{known}");
    let object = json(&["plan", file, "--workers", "2", "--costs", costs, "--json"]);
    assert_eq!(object["prediction"]["source"], "source");
    // One way to cost the blocks gives one plan.
    let again = json(&["plan", file, "--workers", "2", "--costs", costs, "--json"]);
    assert_eq!(object, again);
    let output = run(&["run", file, "--workers", "2", "--costs", costs, "--report"]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("predicted from the costs given"), "{text}");
    for (content, sentence) in [("{", "no JSON"), ("{}", "not what"), ("", "no JSON")] {
        let path = folder.join("bad.json");
        std::fs::write(&path, content).unwrap();
        let (text, code) = failure(&["plan", file, "--costs", path.to_str().unwrap()]);
        assert!(text.contains(sentence) && code == 2, "{text}");
    }
}

#[test]
fn hints_are_kept() {
    let file = graph("hints");
    let object = json(&["plan", &file, "--workers", "2", "--never-share", "zeros,scale", "--json"]);
    assert!(object["lanes"].as_array().unwrap().iter().all(|lane| lane["shared"] == false), "{object}");
    let names = "zeros,scale,envelope,sink";
    let object = json(&["plan", &file, "--workers", "2", "--same-lane", names, "--json"]);
    assert_eq!(object["lanes"].as_array().unwrap().len(), 1, "{object}");
    let (text, code) = failure(&["plan", &file, "--same-lane", "zeros,sink"]);
    assert!(text.contains("cannot be kept in one lane") && code == 2, "{text}");
    let (text, code) = failure(&["plan", &file, "--never-share", "scael"]);
    assert!(text.contains("did you mean scale?") && code == 2, "{text}");
    for arguments in [["--same-lane", "zeros,scale"], ["--never-share", "scale"], ["--pin", "0"]] {
        for scheduler in ["single", "threads", "pinned"] {
            let (text, code) =
                failure(&[&["plan", &file, "--scheduler", scheduler], &arguments[..]].concat());
            assert!(text.contains("is for the scheduler adaptive") && code == 2, "{text}");
        }
    }
}

#[test]
fn workers_are_bound_only_where_that_was_asked_for() {
    let file = graph("pin");
    let machine = json(&["plan", &file, "--json"]);
    let first = machine["machine"]["cpus"][0].to_string();
    assert_eq!(machine["regions"][0]["pinned_to"], serde_json::json!([]));
    let object = json(&["plan", &file, "--workers", "1", "--pin", &first, "--json"]);
    assert_eq!(object["regions"][0]["pinned_to"].to_string(), format!("[{first}]"));
    let (text, code) = failure(&["plan", &file, "--pin", "100000"]);
    assert!(text.contains("processor 100000 is none of those") && code == 2, "{text}");
}

#[test]
fn a_graph_runs_whether_or_not_it_may_be_urgent() {
    let file = project("examples/adsb.toml");
    let file = file.to_str().unwrap();
    let plain = stdout(&["run", file]);
    for argument in ["--realtime", "--realtime=1", "--realtime=99"] {
        let output = run(&["run", file, argument]);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{stderr}");
        assert_eq!(String::from_utf8(output.stdout).unwrap(), plain, "{argument}");
        assert!(stderr.is_empty() || stderr.contains("without real-time priority"), "{stderr}");
    }
    let (_, code) = failure(&["run", file, "--realtime=100"]);
    assert_eq!(code, 2);
}
