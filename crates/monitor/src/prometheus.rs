//! What graphs have done, as Prometheus reads it: text format 0.0.4.

use std::fmt::Write as _;

use superhet_runtime::Report;
use superhet_runtime::report::{BlockReport, Outcome};

use crate::metrics::items;
use crate::shape::OWN;

/// A number that each block has.
struct Family {
    name: &'static str,
    help: &'static str,
    value: fn(&BlockReport) -> f64,
}

const FAMILIES: &[Family] = &[
    Family {
        name: "items_total",
        help: "Items that the block took (gave, of a source).",
        value: |b| items(b) as f64,
    },
    Family { name: "calls_total", help: "Calls of the block.", value: |b| b.calls as f64 },
    Family { name: "busy_seconds_total", help: "Time in the block.", value: |b| b.busy.as_secs_f64() },
    Family {
        name: "blocked_input_seconds_total",
        help: "Time in which the block waited for input.",
        value: |b| b.blocked_input.as_secs_f64(),
    },
    Family {
        name: "blocked_output_seconds_total",
        help: "Time in which the block waited for room.",
        value: |b| b.blocked_output.as_secs_f64(),
    },
    Family { name: "gaps_total", help: "Gaps in what the block gives.", value: |b| b.gaps as f64 },
    Family { name: "lost_items_total", help: "Items missing in gaps.", value: |b| b.lost_items as f64 },
    Family {
        name: "dropped_messages_total",
        help: "Messages that full queues of the block dropped.",
        value: |b| b.dropped_messages as f64,
    },
    Family {
        name: "dropped_packets_total",
        help: "Packets that the block dropped.",
        value: |b| b.dropped_packets as f64,
    },
];

/// The text for graphs by their names.
pub(crate) fn text(graphs: &[(String, Report)]) -> String {
    let mut text = String::new();
    let head = |text: &mut String, name: &str, kind: &str, help: &str| {
        let _ = writeln!(text, "# HELP superhet_{name} {help}\n# TYPE superhet_{name} {kind}");
    };
    head(&mut text, "graph_running", "gauge", "Whether the graph runs.");
    for (name, report) in graphs {
        let runs = u8::from(report.outcome == Outcome::Running);
        let _ = writeln!(text, "superhet_graph_running{{graph=\"{}\"}} {runs}", escaped(name));
    }
    head(&mut text, "graph_seconds_total", "counter", "Time since the start of the graph.");
    for (name, report) in graphs {
        let seconds = report.elapsed.as_secs_f64();
        let _ = writeln!(text, "superhet_graph_seconds_total{{graph=\"{}\"}} {seconds}", escaped(name));
    }
    for family in FAMILIES {
        head(&mut text, &format!("block_{}", family.name), "counter", family.help);
        for (name, report) in graphs {
            // Those that the runtime has taken out keep no name of their own.
            let is_own = |block: &&BlockReport| block.name.starts_with(OWN);
            for block in report.blocks.iter().filter(|block| !is_own(block)) {
                let labels = format!("graph=\"{}\",block=\"{}\"", escaped(name), escaped(&block.name));
                let _ =
                    writeln!(text, "superhet_block_{}{{{labels}}} {}", family.name, (family.value)(block));
            }
        }
    }
    text
}

/// A label's value: backslash, quote and end of line have escapes.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_escaped_and_each_family_has_its_type() {
        let report = Report {
            blocks: vec![BlockReport {
                name: "a\"b\\c".to_owned(),
                blocking: false,
                calls: 7,
                idle_calls: 0,
                busy: std::time::Duration::from_millis(1500),
                blocked_input: Default::default(),
                blocked_output: Default::default(),
                inputs: Vec::new(),
                outputs: Vec::new(),
                dropped_messages: 0,
                gaps: 2,
                lost_items: 30,
                dropped_packets: 0,
            }],
            ..Report::default()
        };
        let text = text(&[("one".to_owned(), report)]);
        assert!(text.contains("superhet_graph_running{graph=\"one\"} 1\n"), "{text}");
        assert!(
            text.contains("superhet_block_calls_total{graph=\"one\",block=\"a\\\"b\\\\c\"} 7\n"),
            "{text}"
        );
        assert!(
            text.contains("superhet_block_busy_seconds_total{graph=\"one\",block=\"a\\\"b\\\\c\"} 1.5\n")
        );
        assert!(text.contains("# TYPE superhet_block_lost_items_total counter\n"));
    }
}
