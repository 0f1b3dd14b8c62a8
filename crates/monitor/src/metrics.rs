//! What a graph does, from two reports of it.

use std::time::{Duration, Instant};

use superhet_runtime::Report;
use superhet_runtime::report::{BlockReport, Bottleneck};

use crate::api::{BlockMetrics, BottleneckMetrics, Metrics, ProcessMetrics, StreamMetrics, Waits};
use crate::shape::Shape;

/// A side of a stream that waits for a larger share of the time than this is shown as waiting.
const WAITS: f64 = 0.3;

/// What was counted at a moment.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub report: Report,
    process: Process,
}

/// What the process has taken.
#[derive(Clone, Copy, Debug)]
struct Process {
    at: Instant,
    cpu: Duration,
    memory_bytes: u64,
}

impl Sample {
    pub fn now(report: Report) -> Self {
        Sample { report, process: Process::now() }
    }
}

impl Process {
    fn now() -> Self {
        let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        let cpu = Duration::new(used.tv_sec.try_into().unwrap_or(0), used.tv_nsec.try_into().unwrap_or(0));
        // The second number is the pages in memory.
        let pages = std::fs::read_to_string("/proc/self/statm").ok();
        let pages = pages.and_then(|text| text.split(' ').nth(1)?.parse::<u64>().ok()).unwrap_or(0);
        let memory_bytes = pages * rustix::param::page_size() as u64;
        Process { at: Instant::now(), cpu, memory_bytes }
    }
}

/// What was done between two samples.
pub(crate) fn metrics(shape: &Shape, before: &Sample, now: &Sample) -> Metrics {
    let interval = now.report.elapsed.saturating_sub(before.report.elapsed).as_secs_f64();
    let done = difference(&before.report, &now.report);
    // A graph that has ended does nothing any more.
    let per_second = |count: f64| if interval > 0.0 { count / interval } else { 0.0 };
    let blocks = shape.blocks().filter_map(|(place, block)| {
        let total = now.report.blocks.get(place).filter(|total| total.name == block.name)?;
        Some(block_metrics(total, &done.blocks[place], &per_second))
    });
    let share = |place: usize, of: fn(&BlockReport) -> Duration| {
        done.blocks.get(place).map_or(0.0, |block| per_second(of(block).as_secs_f64()))
    };
    let streams = shape.edges.iter().filter_map(|edge| {
        let input = |report: &Report, place: superhet_runtime::running::PortPlace| {
            report.blocks.get(place.block).and_then(|block| block.inputs.get(place.port).cloned())
        };
        let read = input(&done, edge.to)?;
        let given = done.blocks.get(edge.from.block).and_then(|block| block.outputs.get(edge.from.port));
        let largest = edge.inputs.iter().filter_map(|&place| input(&now.report, place));
        let largest = largest.max_by_key(|input| input.capacity)?;
        let reader = share(edge.to.block, |block| block.blocked_input);
        let writer = share(edge.from.block, |block| block.blocked_output);
        let waits = match () {
            _ if reader.max(writer) < WAITS => None,
            _ if reader >= writer => Some(Waits::Reader),
            _ => Some(Waits::Writer),
        };
        Some(StreamMetrics {
            id: edge.id.clone(),
            items_per_s: per_second(read.items as f64),
            fill: largest.fill,
            capacity: largest.capacity,
            waits,
            tags_per_s: per_second(given.map_or(0, |output| output.tags) as f64),
        })
    });
    let wall = now.process.at.saturating_duration_since(before.process.at).as_secs_f64();
    let cpu = now.process.cpu.saturating_sub(before.process.cpu).as_secs_f64();
    Metrics {
        seconds: now.report.elapsed.as_secs_f64(),
        blocks: blocks.collect(),
        streams: streams.collect(),
        bottleneck: bottleneck(shape, &done, &per_second),
        process: ProcessMetrics {
            cpu: if wall > 0.0 { cpu / wall } else { 0.0 },
            memory_bytes: now.process.memory_bytes,
        },
    }
}

/// Items that a block has taken; given, where it takes none.
pub(crate) fn items(block: &BlockReport) -> u64 {
    let taken = block.inputs.first().map(|input| input.items);
    taken.or(block.outputs.first().map(|output| output.items)).unwrap_or(0)
}

fn block_metrics(total: &BlockReport, done: &BlockReport, per_second: &dyn Fn(f64) -> f64) -> BlockMetrics {
    let moved = items(done);
    let busy = per_second(done.busy.as_secs_f64());
    BlockMetrics {
        id: total.name.clone(),
        items: items(total),
        items_per_s: per_second(moved as f64),
        calls_per_s: per_second(done.calls as f64),
        ns_per_item: if moved > 0 { done.busy.as_nanos() as f64 / moved as f64 } else { 0.0 },
        // One thread runs a block that waits for the outside world, which is part of its busy time.
        busy: if total.blocking { busy.min(1.0) } else { busy },
        blocked_input: per_second(done.blocked_input.as_secs_f64()).min(1.0),
        blocked_output: per_second(done.blocked_output.as_secs_f64()).min(1.0),
        gaps: total.gaps,
        lost_items: total.lost_items,
        dropped: total.dropped_messages + total.dropped_packets,
    }
}

/// The block with the most work of those that are shown, where it holds the graph up, and what it could do alone.
fn bottleneck(shape: &Shape, done: &Report, per_second: &dyn Fn(f64) -> f64) -> Option<BottleneckMetrics> {
    let mut seen = done.clone();
    seen.blocks.retain(|block| shape.blocks().any(|(_, shown)| shown.name == block.name));
    let Bottleneck::Work(block) = seen.bottleneck() else { return None };
    let busy = per_second(block.busy.as_secs_f64());
    let bound = per_second(items(block) as f64) / busy.max(f64::MIN_POSITIVE) * busy.ceil().max(1.0);
    bound.is_finite().then(|| BottleneckMetrics { block: block.name.clone(), bound_items_per_s: bound })
}

/// What was done between two reports of a graph.
fn difference(before: &Report, now: &Report) -> Report {
    let mut done = now.clone();
    done.elapsed = now.elapsed.saturating_sub(before.elapsed);
    for (block, before) in done.blocks.iter_mut().zip(&before.blocks) {
        // Another block of that place has counters of its own.
        if block.name != before.name || block.calls < before.calls {
            continue;
        }
        block.calls -= before.calls;
        block.busy = block.busy.saturating_sub(before.busy);
        block.blocked_input = block.blocked_input.saturating_sub(before.blocked_input);
        block.blocked_output = block.blocked_output.saturating_sub(before.blocked_output);
        for (input, before) in block.inputs.iter_mut().zip(&before.inputs) {
            input.items = input.items.saturating_sub(before.items);
        }
        for (output, before) in block.outputs.iter_mut().zip(&before.outputs) {
            output.items = output.items.saturating_sub(before.items);
            output.tags = output.tags.saturating_sub(before.tags);
        }
    }
    done
}
