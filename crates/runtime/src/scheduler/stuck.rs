//! Says why a graph cannot go on: which block waits for what, and which buffer would have to be larger.
//!
//! When all workers sleep, none is in the outside world and no message can come, nothing will ever move again. If a
//! block lacks room, its full stream ends at a block that waits for another stream, and so on around to a block met
//! before: two paths that split and meet again, of which one holds back more than the other's buffer can take.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::block::Step;
use crate::graph::{PortId, Stream};
use crate::metrics::Counters;

/// What does not change while the graph runs, for the explanation.
#[derive(Debug, Default)]
pub(super) struct Wiring {
    pub names: Vec<Arc<str>>,
    /// Per block, the names of its inputs.
    pub inputs: Vec<Vec<String>>,
    pub streams: Vec<Stream>,
    /// Per block: whether messages can come in from outside.
    pub takes_messages: Vec<bool>,
}

impl Wiring {
    fn input_name(&self, port: PortId) -> String {
        format!("{}.{}", self.names[port.block], self.inputs[port.block][port.port])
    }

    /// Why nothing will ever move again; `None` while a message could still change that.
    pub fn explain(&self, steps: &[Step], counters: &[Arc<Counters>]) -> Option<String> {
        let waiting_for = |step| (0..steps.len()).filter(move |&block| steps[block] == step);
        waiting_for(Step::NeedOutput)
            .chain(waiting_for(Step::NeedInput))
            .find_map(|block| self.follow(block, steps, counters))
    }

    /// Follows who waits for whom until a block comes up twice; `None` if one on the way takes messages.
    fn follow(&self, start: usize, steps: &[Step], counters: &[Arc<Counters>]) -> Option<String> {
        let mut block = start;
        let mut seen = vec![false; steps.len()];
        let mut sentences = Vec::new();
        let mut fullest: Option<PortId> = None;
        while !std::mem::replace(&mut seen[block], true) {
            if self.takes_messages[block] {
                return None;
            }
            let name = &self.names[block];
            if steps[block] == Step::NeedOutput {
                let Some(reader) = self.fullest_reader(block, counters) else { break };
                let input = &counters[reader.block].inputs[reader.port];
                sentences.push(format!(
                    "{name} has no room before {} ({} of {} items wait there)",
                    self.input_name(reader),
                    input.fill.load(Ordering::Relaxed),
                    input.capacity.load(Ordering::Relaxed)
                ));
                fullest = fullest.or(Some(reader));
                block = reader.block;
            } else {
                let Some((input, writer)) = self.emptiest_input(block, counters) else { break };
                let waiting = counters[block].inputs[input.port].fill.load(Ordering::Relaxed);
                sentences.push(format!(
                    "{name} waits for more items on {} ({waiting} are there) from {}",
                    self.input_name(input),
                    self.names[writer]
                ));
                block = writer;
            }
        }
        let advice = match fullest {
            Some(reader) => format!("a larger buffer before {} would let it go on", self.input_name(reader)),
            None => "no block in this circle can be the first to run".to_owned(),
        };
        Some(format!("{}; {advice}", sentences.join("; ")))
    }

    /// The reader behind an output of `block` whose buffer is fullest.
    fn fullest_reader(&self, block: usize, counters: &[Arc<Counters>]) -> Option<PortId> {
        let share = |reader: &&PortId| {
            let input = &counters[reader.block].inputs[reader.port];
            let (fill, capacity) =
                (input.fill.load(Ordering::Relaxed), input.capacity.load(Ordering::Relaxed));
            fill * 1000 / capacity.max(1)
        };
        let streams = self.streams.iter().filter(|stream| stream.from.block == block);
        streams.flat_map(|stream| &stream.readers).max_by_key(share).copied()
    }

    /// The input of `block` with the fewest items, and the block that feeds it.
    fn emptiest_input(&self, block: usize, counters: &[Arc<Counters>]) -> Option<(PortId, usize)> {
        let fill = |reader: &PortId| counters[reader.block].inputs[reader.port].fill.load(Ordering::Relaxed);
        self.streams
            .iter()
            .flat_map(|stream| stream.readers.iter().map(move |reader| (*reader, stream.from.block)))
            .filter(|(reader, _)| reader.block == block)
            .min_by_key(|(reader, _)| fill(reader))
    }
}
