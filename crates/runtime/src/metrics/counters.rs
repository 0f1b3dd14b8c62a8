//! The counters of each block.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::graph::Node;
use crate::stream::message::{MsgIn, MsgOut, Queue};
use crate::stream::port::{AnyIn, AnyOut, Losses};
use crate::stream::visit::PortVisitor;

/// The live counters of one block.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    /// Whether the block waits for the outside world.
    pub blocking: bool,
    pub calls: AtomicU64,
    /// Calls between two looks at the counters in which nothing has moved.
    pub idle_calls: AtomicU64,
    pub busy_ns: AtomicU64,
    pub blocked_input_ns: AtomicU64,
    pub blocked_output_ns: AtomicU64,
    pub inputs: Vec<InputCounters>,
    pub outputs: Vec<OutputCounters>,
    pub queues: Vec<Arc<Queue>>,
    pub gaps: AtomicU64,
    pub lost_items: AtomicU64,
    pub dropped_packets: AtomicU64,
}

#[derive(Debug, Default)]
pub(crate) struct InputCounters {
    pub items: AtomicU64,
    pub fill: AtomicU64,
    pub capacity: AtomicU64,
}

#[derive(Debug, Default)]
pub(crate) struct OutputCounters {
    pub items: AtomicU64,
    pub tags: AtomicU64,
}

/// Adds to a counter that only this thread writes.
pub(crate) fn add(counter: &AtomicU64, amount: u64) {
    counter.store(counter.load(Ordering::Relaxed).wrapping_add(amount), Ordering::Relaxed);
}

impl Counters {
    pub fn new(node: &mut Node) -> Self {
        struct Queues(Vec<Arc<Queue>>);
        impl PortVisitor for Queues {
            fn message_input(&mut self, _: &str, port: &mut MsgIn) {
                self.0.push(port.queue().clone());
            }
        }
        let mut queues = Queues(Vec::new());
        node.block.visit(&mut queues);
        Counters {
            blocking: node.spec.blocking,
            inputs: node.ports.inputs.iter().map(|_| InputCounters::default()).collect(),
            outputs: node.ports.outputs.iter().map(|_| OutputCounters::default()).collect(),
            queues: queues.0,
            ..Counters::default()
        }
    }
}

impl Counters {
    /// Adds what a port has lost since it was looked at last.
    fn add_losses(&self, losses: &mut Losses) {
        if *losses != Losses::default() {
            let Losses { gaps, items, packets } = std::mem::take(losses);
            add(&self.gaps, gaps);
            add(&self.lost_items, items);
            add(&self.dropped_packets, packets);
        }
    }
}

/// Writes the ports' positions into the counters.
pub(crate) struct Publish<'a> {
    counters: &'a Counters,
    input: usize,
    output: usize,
    /// How much the block has taken and given so far, of items and messages: another number whenever something has moved.
    pub moved: u64,
}

impl<'a> Publish<'a> {
    pub fn new(counters: &'a Counters) -> Self {
        Publish { counters, input: 0, output: 0, moved: 0 }
    }
}

impl PortVisitor for Publish<'_> {
    fn input(&mut self, _: &str, port: &mut dyn AnyIn) {
        let (raw, counters) = (port.raw(), self.counters.inputs.get(self.input));
        self.input += 1;
        let Some(counters) = counters.filter(|_| raw.is_mine()) else { return };
        let (fill, capacity) = raw.end.fill();
        counters.items.store(raw.end.index(), Ordering::Relaxed);
        self.moved = self.moved.wrapping_add(raw.end.index());
        counters.fill.store(fill as u64, Ordering::Relaxed);
        counters.capacity.store(capacity as u64, Ordering::Relaxed);
    }
    fn output(&mut self, _: &str, port: &mut dyn AnyOut) {
        let (raw, counters) = (port.raw(), self.counters.outputs.get(self.output));
        self.output += 1;
        if let Some(counters) = counters.filter(|_| raw.is_mine()) {
            counters.items.store(raw.end.index(), Ordering::Relaxed);
            add(&counters.tags, raw.end.take_tags_given());
            self.moved = self.moved.wrapping_add(raw.end.index());
        }
        self.counters.add_losses(raw.losses);
    }
    fn message_input(&mut self, _: &str, port: &mut MsgIn) {
        self.moved = self.moved.wrapping_add(port.taken());
    }
    fn message_output(&mut self, _: &str, port: &mut MsgOut) {
        self.moved = self.moved.wrapping_add(port.sent());
        self.counters.add_losses(&mut port.losses);
    }
}
