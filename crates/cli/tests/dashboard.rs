//! `--dashboard`: what a command runs is shown, with what its files and settings say of it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use crate::common::*;

/// A command with a dashboard, which ends with the test.
struct Shown {
    child: Child,
    address: String,
}

impl Shown {
    fn start(arguments: &[&str]) -> Self {
        let mut all = arguments.to_vec();
        all.push("--dashboard=0");
        let mut child = superhet(&all).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        lines.read_line(&mut line).unwrap();
        let address = line.trim_end().strip_prefix("superhet: the dashboard is at http://");
        let address = address.unwrap_or_else(|| panic!("{line}")).trim_end_matches('/').to_owned();
        // What else it says must not fill the pipe.
        std::thread::spawn(move || std::io::copy(&mut lines, &mut std::io::sink()));
        let shown = Shown { child, address };
        // The graph comes when it runs.
        let start = std::time::Instant::now();
        while shown.ask("GET", "/api/graphs", &Value::Null).as_array().is_none_or(Vec::is_empty) {
            assert!(start.elapsed().as_secs() < 60, "no graph");
        }
        shown
    }

    fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}",
            self.address
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (_, json) = answer.split_once("\r\n\r\n").unwrap();
        serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {answer}"))
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_graph_in_a_line_is_shown_with_parameters_and_rates() {
    let graph = "null_source -> throttle rate_hz=100k -> multiply_const constant=2 -> null_sink";
    let shown = Shown::start(&["run", "-e", graph]);
    let info = shown.ask("GET", "/api/graphs/1", &Value::Null);
    let block =
        |name: &str| info["blocks"].as_array().unwrap().iter().find(|b| b["id"] == name).unwrap().clone();
    let throttle = block("throttle");
    assert_eq!((&throttle["kind"], &throttle["waits_outside"]), (&json!("throttle"), &json!(true)));
    let rate =
        throttle["parameters"].as_array().unwrap().iter().find(|p| p["name"] == "rate_hz").unwrap().clone();
    assert_eq!(
        (&rate["unit"], &rate["live"], &rate["value"]),
        (&json!("items/s"), &json!(true), &json!(100e3))
    );
    let streams = info["streams"].as_array().unwrap();
    assert_eq!(streams.len(), 3, "{info}");
    for stream in streams.iter().filter(|stream| stream["from"]["block"] != "null_source") {
        assert_eq!(stream["rate_hz"], 100e3, "{stream}");
    }
    // Streams at a block that waits for the outside world have taps, too.
    for stream in streams {
        let tap = json!({ "graph": 1, "view": "spectrum", "stream": stream["id"] });
        let made = shown.ask("POST", "/api/taps", &tap);
        assert!(made["id"].is_u64(), "{stream}: {made}");
    }
    let set = json!({ "block": "throttle", "parameter": "rate_hz", "value": 200e3 });
    let answer = shown.ask("POST", "/api/graphs/1/set", &set);
    assert!(answer["error"].is_null(), "{answer}");
}

fn interrupt(child: &Child) {
    std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
}

/// Waits until the only graph is in that state.
fn until(shown: &Shown, state: &str) {
    let start = std::time::Instant::now();
    while shown.ask("GET", "/api/graphs", &Value::Null)[0]["state"] != state {
        assert!(start.elapsed().as_secs() < 60, "not {state}");
    }
}

#[test]
fn what_a_viewer_stops_is_started_again_and_a_signal_ends_the_command() {
    let folder = folder("dashboard-again");
    let line = format!(
        "signal_source rate_hz=48e3 -> throttle rate_hz=48e3 -> file_sink path={}",
        folder.join("tone.cf32").display()
    );
    let mut shown = Shown::start(&["run", "-e", &line]);
    for _ in 0..2 {
        let running = shown.ask("POST", "/api/graphs/1/start", &Value::Null);
        assert!(running["error"].as_str().unwrap().contains("runs already"), "{running}");
        assert_eq!(shown.ask("POST", "/api/graphs/1/stop", &Value::Null), json!({}));
        until(&shown, "ended");
        assert_eq!(shown.ask("POST", "/api/graphs/1/start", &Value::Null), json!({}));
        until(&shown, "running");
    }
    assert!(shown.child.try_wait().unwrap().is_none());
    interrupt(&shown.child);
    assert_eq!(shown.child.wait().unwrap().signal(), Some(2));
}

#[test]
fn a_dashboard_that_stays_starts_a_graph_that_has_come_to_its_end() {
    let mut shown =
        Shown::start(&["run", "-e", "null_source -> head items=10 -> null_sink", "--dashboard-stay"]);
    until(&shown, "ended");
    assert_eq!(shown.ask("POST", "/api/graphs/1/start", &Value::Null), json!({}));
    until(&shown, "ended");
    interrupt(&shown.child);
    assert_eq!(shown.child.wait().unwrap().code(), Some(0), "it has come to its end");
    let recordings = recording().display().to_string();
    let (words, code) =
        failure(&["decode", "adsb", &recordings, &recordings, "--dashboard=0", "--dashboard-stay"]);
    assert!(code == 2 && words.contains("one INPUT"), "{words}");
}

#[test]
fn a_receiver_is_shown_with_the_frequency_of_its_radio() {
    let uri = format!("file:{}?throttle&repeat", recording().display());
    let shown = Shown::start(&["decode", "adsb", "--from", &uri]);
    let tap = json!({ "graph": 1, "view": "spectrum", "stream": "index_tags.out>channel.in", "bins": 64 });
    let made = shown.ask("POST", "/api/taps", &tap);
    let spectrum = shown.ask("GET", &format!("/api/taps/{}/spectrum", made["id"]), &Value::Null);
    assert_eq!((&spectrum["rate_hz"], &spectrum["center_hz"]), (&json!(2e6), &json!(1090e6)), "{spectrum}");
    assert_eq!(spectrum["db"].as_array().unwrap().len(), 64);
    let info = shown.ask("GET", "/api/graphs/1", &Value::Null);
    let views: Vec<_> = info["views"].as_array().unwrap().iter().map(|view| &view["view"]).collect();
    assert_eq!(views, ["spectrum", "waterfall", "constellation", "map"]);
    assert_eq!(info["views"][3]["port"]["block"], "message");
}

#[test]
fn what_cannot_be_a_dashboard_is_said() {
    let (words, code) = failure(&["run", "-e", "null_source -> null_sink", "--dashboard=radio.lan:80"]);
    assert!(code == 2 && words.contains("0.0.0.0:8123"), "{words}");
    let (words, code) = failure(&["run", "-e", "null_source -> null_sink", "--record-dir", "/"]);
    assert!(code == 2 && words.contains("--dashboard"), "{words}");
    let (words, code) =
        failure(&["run", "-e", "null_source -> null_sink", "--dashboard=0", "--record-dir", "/nowhere"]);
    assert!(code == 1 && words.contains("/nowhere"), "{words}");
}
