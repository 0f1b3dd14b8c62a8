//! What all nodes have done: as JSON, and as text for Prometheus, which a small server gives out.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::Context;
use serde_json::{Value as Json, json};

use superhet_terminal::say;

/// What is known of a node.
#[derive(Clone, Debug, Default)]
pub struct Member {
    pub is_there: bool,
    /// How often its part was started again.
    pub restarts: u64,
    /// `running`, `done` or `failed`.
    pub state: String,
    /// The last report of its part.
    pub report: Json,
}

/// All nodes, by name.
#[derive(Clone, Debug, Default)]
pub struct Fleet(Arc<Mutex<BTreeMap<String, Member>>>);

/// The longest request that is read, and how long it may take.
const MOST_REQUEST: usize = 1 << 12;
const PATIENCE: Duration = Duration::from_secs(1);

impl Fleet {
    /// The nodes, to be looked at or changed.
    pub fn members(&self) -> MutexGuard<'_, BTreeMap<String, Member>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn to_json(&self) -> Json {
        let members = self.members();
        let nodes: serde_json::Map<String, Json> = members
            .iter()
            .map(|(name, member)| {
                let Member { is_there, restarts, state, report } = member;
                (
                    name.clone(),
                    json!({ "up": is_there, "restarts": restarts, "state": state, "report": report }),
                )
            })
            .collect();
        json!({ "nodes": nodes })
    }

    /// What is missing, and where: a line for each block that has missed or dropped something.
    pub fn losses(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for (name, member) in self.members().iter() {
            for block in member.report["blocks"].as_array().into_iter().flatten() {
                let count = |key: &str| block[key].as_u64().unwrap_or(0);
                let (gaps, items) = (count("gaps"), count("lost_items"));
                let mut words = Vec::new();
                if gaps > 0 {
                    words.push(format!("{items} items are missing, gaps: {gaps}"));
                }
                for (key, what) in [("dropped_packets", "packets"), ("dropped_messages", "messages")] {
                    words.extend((count(key) > 0).then(|| format!("{} {what} were dropped", count(key))));
                }
                if !words.is_empty() {
                    let block = block["name"].as_str().unwrap_or_default();
                    lines.push(format!("{name}: {block}: {}", words.join(", ")));
                }
            }
        }
        lines
    }

    /// The text format of Prometheus, version 0.0.4.
    pub fn to_prometheus(&self) -> String {
        let members = self.members();
        let mut text = String::new();
        let mut metric = |name: &str, kind: &str, help: &str, values: Vec<(String, String)>| {
            // Writing to text cannot fail.
            let _ = writeln!(text, "# HELP superhet_{name} {help}\n# TYPE superhet_{name} {kind}");
            for (labels, value) in values {
                let _ = writeln!(text, "superhet_{name}{{{labels}}} {value}");
            }
        };
        let nodes = |value: fn(&Member) -> u64| {
            members.iter().map(|(name, member)| (label("node", name), value(member).to_string())).collect()
        };
        metric("node_up", "gauge", "Whether the node is connected.", nodes(|member| member.is_there.into()));
        metric(
            "node_restarts_total",
            "counter",
            "How often its part was started again.",
            nodes(|member| member.restarts),
        );
        let blocks = |key: &str| {
            let mut values = Vec::new();
            for (name, member) in members.iter() {
                for block in member.report["blocks"].as_array().into_iter().flatten() {
                    if let (Some(of), Some(value)) = (block["name"].as_str(), block[key].as_number()) {
                        values.push((
                            format!("{},{}", label("node", name), label("block", of)),
                            value.to_string(),
                        ));
                    }
                }
            }
            values
        };
        metric("block_busy_seconds_total", "counter", "Time in which the block has run.", blocks("busy_s"));
        metric("block_gaps_total", "counter", "Gaps in what the block gives.", blocks("gaps"));
        metric("block_lost_items_total", "counter", "Items that are missing there.", blocks("lost_items"));
        metric(
            "block_dropped_packets_total",
            "counter",
            "Packets that the block has dropped.",
            blocks("dropped_packets"),
        );
        metric(
            "block_dropped_messages_total",
            "counter",
            "Messages that its inputs have dropped.",
            blocks("dropped_messages"),
        );
        let ports = |key: &str| {
            let mut values = Vec::new();
            for (name, member) in members.iter() {
                for block in member.report["blocks"].as_array().into_iter().flatten() {
                    for port in block[key].as_array().into_iter().flatten() {
                        if let (Some(of), Some(port), Some(items)) =
                            (block["name"].as_str(), port["name"].as_str(), port["items"].as_number())
                        {
                            let labels =
                                [label("node", name), label("block", of), label("port", port)].join(",");
                            values.push((labels, items.to_string()));
                        }
                    }
                }
            }
            values
        };
        metric("input_items_total", "counter", "Items that an input has taken.", ports("inputs"));
        metric("output_items_total", "counter", "Items that an output has given.", ports("outputs"));
        text
    }

    /// Serves `/metrics` and `/metrics.json` from now on; where.
    pub fn serve(&self, place: &str) -> anyhow::Result<()> {
        let listener =
            TcpListener::bind(place).with_context(|| format!("cannot serve metrics at {place}"))?;
        say::line(format_args!("superhet: metrics are at http://{}/metrics", listener.local_addr()?));
        let fleet = self.clone();
        std::thread::Builder::new().name("superhet-metrics".to_owned()).spawn(move || {
            // One after the other: whoever is slow has a second.
            for mut stream in listener.incoming().flatten() {
                let timeouts =
                    stream.set_read_timeout(Some(PATIENCE)).and(stream.set_write_timeout(Some(PATIENCE)));
                if timeouts.is_ok()
                    && let Some(path) = request(&mut stream)
                {
                    // Whoever has gone gets nothing.
                    let _ = stream.write_all(fleet.reply(&path).as_bytes());
                }
            }
        })?;
        Ok(())
    }

    fn reply(&self, path: &str) -> String {
        let (status, kind, body) = match path {
            "/metrics" => ("200 OK", "text/plain; version=0.0.4", self.to_prometheus()),
            "/metrics.json" => ("200 OK", "application/json", self.to_json().to_string()),
            _ => ("404 Not Found", "text/plain", "there is /metrics and /metrics.json\n".to_owned()),
        };
        let length = body.len();
        format!(
            "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        )
    }
}

/// The path that a request asks for.
fn request(stream: &mut impl Read) -> Option<String> {
    let (mut bytes, mut buffer) = (Vec::new(), [0; 512]);
    while !bytes.windows(4).any(|end| end == b"\r\n\r\n") {
        let n = stream.read(&mut buffer).ok().filter(|n| *n > 0)?;
        bytes.extend_from_slice(&buffer[..n]);
        if bytes.len() > MOST_REQUEST {
            return None;
        }
    }
    let line = std::str::from_utf8(&bytes).ok()?.lines().next()?;
    let mut words = line.split(' ');
    (words.next()? == "GET").then(|| words.next().map(str::to_owned)).flatten()
}

fn label(name: &str, value: &str) -> String {
    let escaped = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("{name}=\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_of_all_nodes_are_in_one_place() {
        let fleet = Fleet::default();
        let report = json!({ "blocks": [{ "name": "source", "gaps": 2, "busy_s": 0.5,
            "outputs": [{ "name": "out", "items": 7 }] }] });
        let member = Member { is_there: true, restarts: 1, state: "running".to_owned(), report };
        fleet.members().insert("a\"b".to_owned(), member);
        let text = fleet.to_prometheus();
        for line in [
            "# TYPE superhet_node_up gauge",
            "superhet_node_up{node=\"a\\\"b\"} 1",
            "superhet_node_restarts_total{node=\"a\\\"b\"} 1",
            "superhet_block_gaps_total{node=\"a\\\"b\",block=\"source\"} 2",
            "superhet_output_items_total{node=\"a\\\"b\",block=\"source\",port=\"out\"} 7",
        ] {
            assert!(text.lines().any(|one| one == line), "{line} is not in {text}");
        }
        assert!(fleet.reply("/metrics.json").ends_with(&fleet.to_json().to_string()));
        assert!(fleet.reply("/").starts_with("HTTP/1.1 404"));
    }

    #[test]
    fn what_is_missing_is_said_where_it_is() {
        let fleet = Fleet::default();
        let report = json!({ "blocks": [
            { "name": "link-1-in", "gaps": 1, "lost_items": 700 },
            { "name": "demod", "gaps": 0, "lost_items": 0, "dropped_packets": 0 },
            { "name": "print", "dropped_messages": 3 },
        ] });
        fleet.members().insert("desk".to_owned(), Member { report, ..Member::default() });
        let expected =
            ["desk: link-1-in: 700 items are missing, gaps: 1", "desk: print: 3 messages were dropped"];
        assert_eq!(fleet.losses(), expected);
    }

    #[test]
    fn requests_are_short_and_begin_with_get() {
        assert_eq!(
            request(&mut &b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"[..]).as_deref(),
            Some("/metrics")
        );
        assert_eq!(request(&mut &b"POST /metrics HTTP/1.1\r\n\r\n"[..]), None);
        assert_eq!(request(&mut &[b'x'; 10_000][..]), None);
    }
}
