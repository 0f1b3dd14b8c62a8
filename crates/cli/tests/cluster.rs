//! Graphs on several nodes do what they do in one process, also where a node is killed and comes back.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value as Json;

use crate::common::*;

const HANG: Duration = Duration::from_secs(120);

/// A node, which ends with the test.
struct Node {
    child: Child,
    address: String,
}

impl Node {
    fn start(folder: &Path, listen: &str) -> Self {
        Node::start_with(folder, listen, &[])
    }

    fn start_with(folder: &Path, listen: &str, more: &[&str]) -> Self {
        let (token, folder) = (folder.join("token"), folder.to_str().unwrap());
        let arguments =
            ["node", "--listen", listen, "--token-file", token.to_str().unwrap(), "--folder", folder];
        let mut child = superhet(&[&arguments[..], more].concat())
            .stderr(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        lines.read_line(&mut line).unwrap();
        let address = line.trim().rsplit(' ').next().unwrap().to_owned();
        assert!(address.starts_with("127.0.0.1:"), "{line}");
        // What else it says must not fill the pipe.
        std::thread::spawn(move || std::io::copy(&mut lines, &mut std::io::sink()));
        Node { child, address }
    }

    fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.kill();
    }
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < HANG, "{what} does not happen");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A folder with a recording of aircraft so often in a row, a graph that decodes it, and a token.
fn prepare(name: &str, times: usize) -> PathBuf {
    let folder = folder(name);
    let recording = std::fs::read(recording()).unwrap();
    std::fs::write(folder.join("air.cu8"), recording.repeat(times)).unwrap();
    std::fs::write(folder.join("token"), "a secret of many bytes\n").unwrap();
    let graph = r#"
        connections = [
            "source -> pace -> channel -> demod.in",
            "channel -> preambles -> demod.marks",
            "demod -> decode -> message -> print",
        ]
        [blocks]
        source = { type = "file_source", path = "air.cu8", rate_hz = 2e6 }
        pace = { type = "throttle", rate_hz = 2e6 }
        channel = { type = "adsb_channel", rate_hz = 2e6 }
        preambles = { type = "adsb_preambles" }
        demod = { type = "adsb_channel_demod", decode = false, rate_hz = 2e6 }
        decode = { type = "adsb_decode", rate_hz = 2e6 }
        message = { type = "receiver_message", rate_hz = 2e6, protocol = "Mode S" }
        print = { type = "message_debug", path = "messages.jsonl" }
    "#;
    std::fs::write(folder.join("graph.toml"), graph).unwrap();
    folder
}

fn cluster(folder: &Path, addresses: [&str; 3], start: &str) -> String {
    let [radio, demod, messages] = addresses;
    let text = format!(
        "graph = \"graph.toml\"\ntoken_file = \"token\"\n[links]\nhold_s = 60\n\
         [hosts.radio]\naddress = \"{radio}\"\nblocks = [\"source\", \"pace\"]\n{start}\n\
         [hosts.demod]\naddress = \"{demod}\"\nblocks = [\"channel\", \"preambles\", \"demod\"]\n\
         [hosts.messages]\naddress = \"{messages}\"\nblocks = [\"*\"]\n"
    );
    let path = folder.join("cluster.toml");
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// The messages in a file: the sample of each, and its bytes.
fn messages(path: &Path) -> Vec<(u64, String)> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let lines = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    lines
        .map(|line| {
            let message: Json = serde_json::from_str(line).unwrap();
            let hex = message["hex"].as_str().unwrap_or_else(|| panic!("{line}"));
            (message["sample_index"].as_u64().unwrap(), hex.to_owned())
        })
        .collect()
}

/// The same in one process.
fn at_once(folder: &Path) -> Vec<(u64, String)> {
    let graph = folder.join("graph.toml");
    let path = folder.join("wanted.jsonl");
    let set = format!("print.path={}", path.display());
    stdout(&["run", graph.to_str().unwrap(), "--set", &set]);
    messages(&path)
}

fn deploy(arguments: &[&str]) -> Child {
    let all = [&["deploy"], arguments].concat();
    superhet(&all).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// What a command has printed, and said, at its end.
fn end(mut child: Child) -> (String, String, bool) {
    let (mut out, mut err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let said = std::thread::spawn(move || {
        let mut text = String::new();
        err.read_to_string(&mut text).unwrap();
        text
    });
    let printed = std::thread::spawn(move || {
        let mut text = String::new();
        out.read_to_string(&mut text).unwrap();
        text
    });
    wait_until("its end", || child.try_wait().unwrap().is_some());
    let success = child.wait().unwrap().success();
    (printed.join().unwrap(), said.join().unwrap(), success)
}

fn block<'a>(report: &'a Json, node: &str, name: &str) -> &'a Json {
    let blocks = report["nodes"][node]["report"]["blocks"].as_array().unwrap_or_else(|| panic!("{report}"));
    blocks.iter().find(|block| block["name"] == name).unwrap_or_else(|| panic!("no {name} in {report}"))
}

#[test]
fn aircraft_over_three_nodes_are_those_of_one_process() {
    let folder = prepare("cluster", 1);
    let wanted = at_once(&folder);
    assert!(wanted.len() > 300);
    let (demod, last) = (Node::start(&folder, "127.0.0.1:0"), Node::start(&folder, "127.0.0.1:0"));
    // The radio's node is started by the command.
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let words = [
        env!("CARGO_BIN_EXE_superhet"),
        "node",
        "--listen",
        &free,
        "--token-file",
        folder.join("token").to_str().unwrap(),
        "--folder",
        folder.to_str().unwrap(),
    ]
    .map(|word| format!("{word:?}"));
    let file =
        cluster(&folder, [&free, &demod.address, &last.address], &format!("start = [{}]", words.join(", ")));
    let parts = stdout(&["deploy", &file, "--dry-run"]);
    for words in ["# radio", "link_sink", "link_msg_source", "\"C32\""] {
        assert!(parts.contains(words), "{words} is not in {parts}");
    }
    let (report, said, success) = end(deploy(&[&file, "--json"]));
    assert!(success, "{said}");
    assert_eq!(messages(&folder.join("messages.jsonl")), wanted);
    let report: Json = serde_json::from_str(&report).unwrap();
    assert_eq!(block(&report, "demod", "link-1-in")["lost_items"], 0);
    assert_eq!(report["nodes"]["demod"]["state"], "done");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_node_that_is_killed_and_comes_back_costs_what_it_had_in_hand_and_says_where_it_goes_on() {
    let folder = prepare("killed", 6);
    let wanted = at_once(&folder);
    let radio = Node::start(&folder, "127.0.0.1:0");
    let mut demod = Node::start(&folder, "127.0.0.1:0");
    let last = Node::start(&folder, "127.0.0.1:0");
    let file = cluster(&folder, [&radio.address, &demod.address, &last.address], "");
    let metrics = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let running = deploy(&[&file, "--json", "--metrics", &metrics]);
    let path = folder.join("messages.jsonl");
    wait_until("some messages", || messages(&path).len() > 400);
    demod.kill();
    let page = || {
        let mut stream = TcpStream::connect(&metrics).ok()?;
        stream.write_all(b"GET /metrics HTTP/1.1\r\n\r\n").ok()?;
        let mut text = String::new();
        stream.read_to_string(&mut text).ok()?;
        Some(text)
    };
    wait_until("that its end is noticed", || {
        page().is_some_and(|page| page.contains("superhet_node_up{node=\"demod\"} 0"))
    });
    demod = Node::start(&folder, &demod.address.clone());
    let (report, said, success) = end(running);
    assert!(success, "{said}");
    assert!(said.contains("demod has gone") && said.contains("demod is back"), "{said}");
    let missing = said.lines().find_map(|line| line.strip_prefix("superhet: demod: link-1-in: "));
    let missing = missing.unwrap_or_else(|| panic!("{said}"));
    let report: Json = serde_json::from_str(&report).unwrap();
    assert_eq!(report["nodes"]["demod"]["restarts"], 1, "{report}");

    // Where it goes on is a gap before its first sample.
    let source = block(&report, "demod", "link-1-in");
    assert_eq!(source["gaps"], 1, "{source}");
    let begins = source["lost_items"].as_u64().unwrap();
    assert_eq!(missing, format!("{begins} items are missing, gaps: 1"));
    let sent = block(&report, "radio", "pace")["outputs"][0]["items"].as_u64().unwrap();
    assert_eq!(source["outputs"][0]["items"].as_u64(), Some(sent - begins), "all samples from there on");
    let got = messages(&path);
    let again = (1..got.len()).find(|n| got[*n].0 < got[n - 1].0).expect("indices begin again");
    let (before, after) = got.split_at(again);
    assert_eq!(before, &wanted[..before.len()], "before it was killed");
    // Its filters begin with zeros, and it has yet to learn the offset and which aircraft there are: some weak messages are others.
    let settled = begins + 64;
    let expected = wanted.iter().filter(|(index, _)| *index >= settled).cloned().collect::<BTreeSet<_>>();
    let shifted = after.iter().map(|(index, hex)| (index + begins, hex.clone()));
    let shifted = shifted.filter(|(index, _)| *index >= settled).collect::<BTreeSet<_>>();
    let others = shifted.symmetric_difference(&expected).collect::<Vec<_>>();
    assert!(
        others.len() * 25 <= expected.len(),
        "from {begins} on, {} of {}: {others:?}",
        others.len(),
        expected.len()
    );
    drop(demod);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[cfg(feature = "tls")]
#[test]
fn nodes_and_their_links_are_encrypted_where_they_have_certificates() {
    let folder = prepare("encrypted", 1);
    let wanted = at_once(&folder);
    let pem = |name: &str| project("crates/io/tests/data/tls").join(name).to_str().unwrap().to_owned();
    let (certificate, key, authority) = (pem("certificate.pem"), pem("key.pem"), pem("authority.pem"));
    let more = ["--certificate", &certificate, "--key", &key, "--authority", &authority];
    let nodes = [0, 1, 2].map(|_| Node::start_with(&folder, "127.0.0.1:0", &more));
    let file = cluster(&folder, [&nodes[0].address, &nodes[1].address, &nodes[2].address], "");
    let plain = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("authority_file = {authority:?}\n{plain}")).unwrap();
    assert!(stdout(&["deploy", &file, "--dry-run"]).contains("tls://127.0.0.1:"));
    let (_, said, success) = end(deploy(&[&file, "--json"]));
    assert!(success, "{said}");
    assert_eq!(messages(&folder.join("messages.jsonl")), wanted);
    std::fs::write(&file, format!("authority_file = {:?}\n{plain}", pem("stranger.pem"))).unwrap();
    assert!(failure(&["deploy", &file]).0.contains("certificate"));
    std::fs::write(&file, plain).unwrap();
    assert!(failure(&["deploy", &file]).0.contains("authority_file is needed"));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn mistakes_are_found_before_anything_runs() {
    let folder = prepare("mistakes", 1);
    let node = Node::start(&folder, "127.0.0.1:0");
    let file = cluster(&folder, [&node.address, &node.address, &node.address], "");
    let text = std::fs::read_to_string(&file).unwrap();
    let problem = |from: &str, to: &str| {
        std::fs::write(&file, text.replace(from, to)).unwrap();
        failure(&["deploy", &file]).0
    };
    assert!(problem("\"demod\"]", "\"demo\"]").contains("the graph has no block demo"));
    assert!(problem("\"*\"", "\"decode\", \"print\"").contains("block message: has no host"));
    std::fs::write(folder.join("other"), "another secret of many bytes").unwrap();
    assert!(problem("\"token\"", "\"other\"").contains("the token is another one"));
    let graph = folder.join("graph.toml");
    let wrong =
        std::fs::read_to_string(&graph).unwrap().replace("pace -> channel", "pace -> print.in, channel");
    std::fs::write(&graph, wrong.replace("channel -> demod.in\",", "channel\", \"channel -> demod.in\","))
        .unwrap();
    let problem = problem("zzz", "zzz");
    assert!(problem.contains("connection pace -> print.in"), "{problem}");
    std::fs::remove_dir_all(&folder).unwrap();
}
