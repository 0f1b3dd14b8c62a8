//! What a graph has done, as its user sees it.

use std::fmt;
use std::time::Duration;

/// What one block has done.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockReport {
    /// The block's name.
    pub name: String,
    /// Whether it waits for the outside world: that is part of its busy time.
    pub blocking: bool,
    /// How often its code was called.
    pub calls: u64,
    /// Calls in which it said that it ran, and has neither taken nor given anything: what they cost is lost.
    pub idle_calls: u64,
    /// Time in its code; extrapolated from a part of the calls where they are short.
    pub busy: Duration,
    /// Time in which its worker had nothing to do and the block waited for input.
    pub blocked_input: Duration,
    /// Time in which its worker had nothing to do and the block waited for room.
    pub blocked_output: Duration,
    /// Per stream input.
    pub inputs: Vec<InputReport>,
    /// Per stream output.
    pub outputs: Vec<OutputReport>,
    /// Messages that full queues of this block's inputs dropped.
    pub dropped_messages: u64,
    /// Gaps in the streams that it gives: see [`gap`](crate::gap).
    pub gaps: u64,
    /// Items missing in those gaps, where the number is known.
    pub lost_items: u64,
    /// Packets that it took and gave nothing for, such as those with a wrong checksum.
    pub dropped_packets: u64,
}

/// What one stream input has seen.
#[derive(Clone, Debug, PartialEq)]
pub struct InputReport {
    /// The port's name.
    pub name: String,
    /// Items consumed.
    pub items: u64,
    /// Items in the buffer, not consumed yet.
    pub fill: u64,
    /// What the buffer holds, in items.
    pub capacity: u64,
}

/// What one stream output has given.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputReport {
    /// The port's name.
    pub name: String,
    /// Items produced.
    pub items: u64,
    /// Tags given, its own and those that it passes on.
    pub tags: u64,
    /// How many there will be, where the block knows.
    pub expected_items: Option<u64>,
}

impl BlockReport {
    /// Items given to the first output.
    fn items_out(&self) -> u64 {
        self.outputs.first().map_or(0, |output| output.items)
    }

    /// Mean number of items a call took from its first input (gave to its first output, for a source).
    pub fn mean_span(&self) -> f64 {
        let items = self.inputs.first().map(|i| i.items).or(self.outputs.first().map(|o| o.items));
        items.unwrap_or(0) as f64 / self.calls.max(1) as f64
    }
}

/// What keeps a graph from going faster.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bottleneck<'a> {
    /// The work of this block: it took the most time, and its worker hardly ever had to wait.
    Work(&'a BlockReport),
    /// The outside world behind this block: a device, a file, a clock. All others keep up with it.
    Outside(&'a BlockReport),
    /// Nothing: all blocks waited, for instance for messages.
    Nothing,
}

impl fmt::Display for Bottleneck<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bottleneck::Work(block) => write!(f, "{} has the most work", block.name),
            Bottleneck::Outside(block) => {
                write!(f, "nothing: the graph keeps up, and waits for the outside world in {}", block.name)
            }
            Bottleneck::Nothing => f.write_str("nothing: all blocks waited"),
        }
    }
}

/// A block whose worker had nothing to do for a larger share of the time does not hold the graph up.
const MOST_WAITING: f64 = 0.25;

/// How a run ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outcome {
    /// It has not.
    #[default]
    Running,
    /// All sources came to their end.
    Completed,
    /// It was stopped, and drained.
    Stopped,
    /// It was cancelled at once.
    Cancelled,
}

/// What a graph has done so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Time since the start.
    pub elapsed: Duration,
    /// How it ended.
    pub outcome: Outcome,
    /// Per block, in the order in which they were added.
    pub blocks: Vec<BlockReport>,
}

impl Report {
    /// The block of that name.
    pub fn block(&self, name: &str) -> Option<&BlockReport> {
        self.blocks.iter().find(|block| block.name == name)
    }

    /// What keeps the graph from going faster.
    ///
    /// A graph that is fed at the pace of a device and keeps up has no block to blame: then it is the outside world.
    pub fn bottleneck(&self) -> Bottleneck<'_> {
        let busiest = |blocking: bool| {
            let blocks = self.blocks.iter().filter(move |block| block.blocking == blocking);
            blocks.filter(|block| !block.busy.is_zero()).max_by_key(|block| block.busy)
        };
        // Waiting is noted when a worker wakes up; a block that was busy all the time did not wait, whatever that says.
        let waited = |block: &BlockReport| {
            let known = block.blocked_input + block.blocked_output;
            known.min(self.elapsed.saturating_sub(block.busy)) > self.elapsed.mul_f64(MOST_WAITING)
        };
        match (busiest(false), busiest(true)) {
            (Some(block), _) if !waited(block) => Bottleneck::Work(block),
            (_, Some(block)) if !waited(block) => Bottleneck::Outside(block),
            _ => Bottleneck::Nothing,
        }
    }

    /// How many processors the code of `block` kept busy: its busy time over the time that has passed. A block that several
    /// workers share can keep several busy.
    pub fn utilisation(&self, block: &BlockReport) -> f64 {
        block.busy.as_secs_f64() / self.elapsed.as_secs_f64().max(f64::MIN_POSITIVE)
    }

    /// The block without stream inputs that gives the most items. Rates count its items.
    pub fn source(&self) -> Option<&BlockReport> {
        let sources = self.blocks.iter().filter(|block| block.inputs.is_empty());
        sources.max_by_key(|block| block.items_out()).filter(|block| block.items_out() > 0)
    }

    /// Items a second that the source gave, on the mean; see [`Report::source`].
    pub fn rate_hz(&self) -> f64 {
        let items = self.source().map_or(0, BlockReport::items_out);
        items as f64 / self.elapsed.as_secs_f64().max(f64::MIN_POSITIVE)
    }

    /// The report as JSON: durations in seconds.
    pub fn to_json(&self) -> serde_json::Value {
        use serde_json::json;
        let blocks: Vec<_> = self
            .blocks
            .iter()
            .map(|b| {
                json!({
                    "name": b.name, "blocking": b.blocking, "calls": b.calls, "idle_calls": b.idle_calls, "mean_span_items": b.mean_span(),
                    "busy_s": b.busy.as_secs_f64(),
                    "blocked_input_s": b.blocked_input.as_secs_f64(),
                    "blocked_output_s": b.blocked_output.as_secs_f64(),
                    "inputs": b.inputs.iter().map(|i| json!({
                        "name": i.name, "items": i.items, "fill_items": i.fill, "capacity_items": i.capacity,
                    })).collect::<Vec<_>>(),
                    "outputs": b.outputs.iter().map(|o| json!({ "name": o.name, "items": o.items, "tags": o.tags })).collect::<Vec<_>>(),
                    "dropped_messages": b.dropped_messages,
                    "gaps": b.gaps,
                    "lost_items": b.lost_items,
                    "dropped_packets": b.dropped_packets,
                })
            })
            .collect();
        json!({ "elapsed_s": self.elapsed.as_secs_f64(), "outcome": format!("{:?}", self.outcome), "blocks": blocks })
    }
}

impl Report {
    /// The report that [`Report::to_json`] wrote; `None` where it is none.
    ///
    /// The outcome and how many items were expected do not come back: JSON has them for people.
    pub fn from_json(json: &serde_json::Value) -> Option<Self> {
        let seconds = |value: &serde_json::Value| Duration::try_from_secs_f64(value.as_f64()?).ok();
        let text = |value: &serde_json::Value| value.as_str().map(str::to_owned);
        let input = |json: &serde_json::Value| {
            Some(InputReport {
                name: text(&json["name"])?,
                items: json["items"].as_u64()?,
                fill: json["fill_items"].as_u64()?,
                capacity: json["capacity_items"].as_u64()?,
            })
        };
        let output = |json: &serde_json::Value| {
            let (name, items) = (text(&json["name"])?, json["items"].as_u64()?);
            Some(OutputReport { name, items, tags: json["tags"].as_u64().unwrap_or(0), expected_items: None })
        };
        let block = |json: &serde_json::Value| {
            Some(BlockReport {
                name: text(&json["name"])?,
                blocking: json["blocking"].as_bool()?,
                calls: json["calls"].as_u64()?,
                idle_calls: json["idle_calls"].as_u64().unwrap_or(0),
                busy: seconds(&json["busy_s"])?,
                blocked_input: seconds(&json["blocked_input_s"])?,
                blocked_output: seconds(&json["blocked_output_s"])?,
                inputs: json["inputs"].as_array()?.iter().map(input).collect::<Option<_>>()?,
                outputs: json["outputs"].as_array()?.iter().map(output).collect::<Option<_>>()?,
                dropped_messages: json["dropped_messages"].as_u64()?,
                gaps: json["gaps"].as_u64().unwrap_or(0),
                lost_items: json["lost_items"].as_u64().unwrap_or(0),
                dropped_packets: json["dropped_packets"].as_u64().unwrap_or(0),
            })
        };
        Some(Report {
            elapsed: seconds(&json["elapsed_s"])?,
            outcome: Outcome::Completed,
            blocks: json["blocks"].as_array()?.iter().map(block).collect::<Option<_>>()?,
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.blocks.iter().map(|b| b.name.len()).max().unwrap_or(0).max(5);
        writeln!(
            f,
            "{:width$} {:>14} {:>14} {:>10} {:>10} {:>9} {:>7} {:>9} {:>9}",
            "block", "items in", "items out", "calls", "mean span", "busy s", "busy %", "no input", "no room"
        )?;
        for b in &self.blocks {
            writeln!(
                f,
                "{:width$} {:>14} {:>14} {:>10} {:>10.1} {:>9.4} {:>7.1} {:>9.4} {:>9.4}",
                b.name,
                b.inputs.iter().map(|i| i.items).sum::<u64>(),
                b.outputs.iter().map(|o| o.items).sum::<u64>(),
                b.calls,
                b.mean_span(),
                b.busy.as_secs_f64(),
                100.0 * self.utilisation(b),
                b.blocked_input.as_secs_f64(),
                b.blocked_output.as_secs_f64(),
            )?;
        }
        for b in &self.blocks {
            for (count, what) in [
                (b.gaps, format!("gaps in what it gives, {} items lost", b.lost_items)),
                (b.dropped_messages, "messages dropped before it".to_owned()),
                (b.dropped_packets, "packets that it dropped".to_owned()),
            ] {
                if count > 0 {
                    writeln!(f, "{}: {count} {what}", b.name)?;
                }
            }
        }
        Ok(())
    }
}
