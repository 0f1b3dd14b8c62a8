//! Says why a graph cannot go on: which block waits for what, and which buffer would have to be larger.
//!
//! When all workers sleep, none is in the outside world and no message can come, nothing will ever move again. If a
//! block lacks room, its full stream ends at a block that waits for another stream, and so on around to a block met
//! before: two paths that split and meet again, of which one holds back more than the other's buffer can take.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::block::Step;
use crate::graph::Stream;
use crate::metrics::Counters;
use crate::stream::refs::PortId;

/// What does not change while the graph runs, for the explanation.
#[derive(Debug, Default)]
pub(super) struct Wiring {
    pub names: Vec<Arc<str>>,
    /// Per block, the names of its inputs.
    pub inputs: Vec<Vec<String>>,
    pub streams: Vec<Stream>,
    /// Per block: whether messages can come in from outside.
    pub takes_messages: Vec<bool>,
    /// Per block: its inputs that are connected, and who writes there.
    reads: Vec<Vec<(PortId, usize)>>,
    /// Per block: who reads what it writes.
    readers: Vec<Vec<PortId>>,
}

impl Wiring {
    pub fn new(
        names: Vec<Arc<str>>,
        inputs: Vec<Vec<String>>,
        streams: Vec<Stream>,
        takes_messages: Vec<bool>,
    ) -> Self {
        let (mut reads, mut readers) = (vec![Vec::new(); names.len()], vec![Vec::new(); names.len()]);
        for stream in &streams {
            for reader in &stream.readers {
                reads[reader.block].push((*reader, stream.from.block));
                readers[stream.from.block].push(*reader);
            }
        }
        Wiring { names, inputs, streams, takes_messages, reads, readers }
    }

    fn input_name(&self, port: PortId) -> String {
        format!("{}.{}", self.names[port.block], self.inputs[port.block][port.port])
    }

    /// Why nothing will ever move again; `None` while a message could still change that.
    pub fn explain(&self, steps: &[Step], counters: &[Arc<Counters>]) -> Option<String> {
        let waiting_for = |step| (0..steps.len()).filter(move |&block| steps[block] == step);
        // Where each search has been: another one that comes there has the same end.
        let mut seen = vec![0; steps.len()];
        waiting_for(Step::NeedOutput)
            .chain(waiting_for(Step::NeedInput))
            .zip(1..)
            .find_map(|(block, search)| self.follow(block, steps, counters, &mut seen, search))
    }

    /// Follows who waits for whom until a block comes up twice; `None` if one on the way takes messages.
    fn follow(
        &self,
        start: usize,
        steps: &[Step],
        counters: &[Arc<Counters>],
        seen: &mut [usize],
        search: usize,
    ) -> Option<String> {
        let mut block = start;
        let mut path = Vec::new();
        loop {
            if self.takes_messages[block] {
                return None;
            }
            match std::mem::replace(&mut seen[block], search) {
                0 => {}
                found if found == search => break,
                _ => return None,
            }
            let next = if steps[block] == Step::NeedOutput {
                let reader = self.fullest_reader(block, counters);
                reader.map(|reader| (reader, true, reader.block))
            } else {
                self.emptiest_input(block, counters).map(|(input, writer)| (input, false, writer))
            };
            let Some((port, is_full, next)) = next else { break };
            path.push((block, port, is_full));
            block = next;
        }
        if path.is_empty() {
            return Some(format!(
                "{} says that it needs input, and has no stream to get any from",
                self.names[start]
            ));
        }
        Some(self.words(&path, counters))
    }

    fn words(&self, path: &[(usize, PortId, bool)], counters: &[Arc<Counters>]) -> String {
        let sentence = |&(block, port, is_full): &(usize, PortId, bool)| {
            let (name, input) = (&self.names[block], &counters[port.block].inputs[port.port]);
            let (fill, capacity) =
                (input.fill.load(Ordering::Relaxed), input.capacity.load(Ordering::Relaxed));
            match is_full {
                // Within a chain that workers share nothing waits.
                true if capacity == 0 => format!("{name} goes on with {}", self.names[port.block]),
                true => format!(
                    "{name} has no room before {} ({fill} of {capacity} items wait there)",
                    self.input_name(port)
                ),
                false => {
                    let writer = self.reads[block].iter().find(|(input, _)| *input == port);
                    let writer = writer.map_or("nobody", |(_, writer)| &self.names[*writer]);
                    format!(
                        "{name} waits for more items on {} ({fill} are there) from {writer}",
                        self.input_name(port)
                    )
                }
            }
        };
        let advice = match path.iter().find(|(.., is_full)| *is_full) {
            Some((_, reader, _)) => {
                format!("a larger buffer before {} would let it go on", self.input_name(*reader))
            }
            None => "no block in this circle can be the first to run".to_owned(),
        };
        format!("{}; {advice}", path.iter().map(sentence).collect::<Vec<_>>().join("; "))
    }

    /// The reader behind an output of `block` whose buffer is fullest.
    fn fullest_reader(&self, block: usize, counters: &[Arc<Counters>]) -> Option<PortId> {
        let share = |reader: &&PortId| {
            let input = &counters[reader.block].inputs[reader.port];
            let (fill, capacity) =
                (input.fill.load(Ordering::Relaxed), input.capacity.load(Ordering::Relaxed));
            fill * 1000 / capacity.max(1)
        };
        self.readers[block].iter().max_by_key(share).copied()
    }

    /// The input of `block` with the fewest items, and the block that feeds it.
    fn emptiest_input(&self, block: usize, counters: &[Arc<Counters>]) -> Option<(PortId, usize)> {
        let fill = |reader: &PortId| counters[reader.block].inputs[reader.port].fill.load(Ordering::Relaxed);
        self.reads[block].iter().min_by_key(|(reader, _)| fill(reader)).copied()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::shared::Shared;
    use super::super::view::View;
    use super::*;
    use crate::data::RunError;
    use crate::exec::change::safepoint::Safepoint;
    use crate::graph::Graph;
    use crate::harness::{VecSink, VecSource};
    use crate::wake::Parker;

    /// Two workers of a region, of which the second is off duty, and a source with a thread of its own, which the ring has stopped.
    fn two_workers_and_a_source() -> Shared {
        let mut graph = Graph::new();
        let source = graph.add("source", VecSource::new(vec![0u8]));
        let sink = graph.add("sink", VecSink::<u8>::new());
        graph.connect(source.output, sink.input);
        let mut graph = graph.check().unwrap();
        let counters: Vec<_> = graph.nodes.iter_mut().map(|node| Arc::new(Counters::new(node))).collect();
        let parkers = vec![Arc::new(Parker::new()), Arc::new(Parker::new())];
        let view = View::new(&mut graph, &counters);
        let shared = Shared::new(view, parkers, [0, 0, 1].into_iter(), Safepoint::new(2));
        shared.threads[1].off_duty.store(true, Ordering::SeqCst);
        shared
    }

    fn fall_asleep(shared: &Shared, thread: usize, steps: &[(usize, Step)]) -> Option<RunError> {
        shared.parkers[shared.threads[thread].region].announce();
        shared.goes_to_sleep(thread, steps)
    }

    #[test]
    fn a_graph_is_stuck_when_all_who_are_on_duty_sleep() {
        let shared = two_workers_and_a_source();
        assert!(fall_asleep(&shared, 2, &[(0, Step::NeedOutput)]).is_none());
        assert!(fall_asleep(&shared, 0, &[(1, Step::NeedInput)]).is_some());
        // One that is off duty comes late.
        assert!(shared.goes_to_sleep(1, &[]).is_some());
    }

    #[test]
    fn a_graph_that_ends_before_a_worker_off_duty_sleeps_is_not_stuck() {
        let shared = two_workers_and_a_source();
        assert!(fall_asleep(&shared, 2, &[(0, Step::NeedOutput)]).is_none());
        // The first worker takes all, and both end.
        for thread in [2, 0] {
            shared.parkers[shared.threads[thread].region].wake();
            shared.wakes_up(thread);
            shared.thread_ended(thread);
        }
        assert!(shared.goes_to_sleep(1, &[]).is_none());
    }

    #[test]
    fn what_has_ended_waits_for_nothing() {
        let shared = two_workers_and_a_source();
        assert!(fall_asleep(&shared, 2, &[(0, Step::NeedOutput)]).is_none());
        shared.note(&[(0, Step::Done)]);
        shared.wakes_up(2);
        shared.thread_ended(2);
        let stuck = fall_asleep(&shared, 0, &[(1, Step::NeedInput)]).map(|error| error.to_string());
        assert!(stuck.is_some_and(|text| !text.contains("no room")));
    }
}
