//! Joint runs: a batch goes through all blocks of a region in one command stream, so that a driver that captures can replay it.
//!
//! ```text
//!  upload ─ready─> stream: [ carry, kernel, carry, kernel, … ] ─ready─> download
//!         <─released─'        captured once per slot, replayed        <─released─
//! ```
//!
//! When blocks run one by one, each block has a stream of its own, and each batch of each stream has two events. In a joint
//! run all blocks use one stream. Events are needed only where that stream meets uploads and downloads. So a joint run costs
//! the host the same however many blocks there are.
//!
//! What a joint run enqueues depends on the places and lengths of its views. These are its signature. With whole batches the
//! signature comes again each time that the same slots do. A joint run of whole batches is captured when its signature comes
//! to its slot for the second time, and replayed from then on. A batch that is not whole is enqueued without a capture. Blocks
//! run one by one where a parameter changes within a batch, at the end of a stream, and where they are not in step.
//!
//! A change from one way to the other keeps everything in order. Before a joint run its streams wait for what the blocks' own
//! streams have ([`JointRuns::run`]). Before blocks run one by one their streams wait for the joint runs
//! ([`JointRuns::separate`]).
//!
//! A driver that captures nothing has joint runs, too, if its device runs one kernel after the other in any case.
//!
//! Joint runs are in order where one sees what an earlier one has written: history, the rest of a decimator's items, a
//! block's own memory. Otherwise each slot has a stream of its own, and consecutive joint runs overlap.

use superhet_runtime::BlockError;

use super::member::{Member, Read, of_block};
use super::ring::{Need, Ring};
use crate::backend::{Backend, Replay, Span};
use crate::block::{Queue, Repeat};
use crate::counters::Counters;

pub(super) struct JointRuns<B: Backend> {
    streams: Vec<JointStream<B>>,
    /// For each slot of the streams that come from the host, what was enqueued with it last.
    known: Vec<Known<B>>,
    /// For each stream of items, whether a block of the region writes it.
    is_ours: Vec<bool>,
    /// Whether joint runs are captured.
    is_captured: bool,
    /// There were joint runs since the blocks last ran one by one.
    has_run: bool,
}

/// A stream of commands for joint runs.
struct JointStream<B: Backend> {
    stream: B::Stream,
    end: B::Event,
}

struct Known<B: Backend> {
    signature: Vec<u64>,
    replay: Option<Box<dyn Replay<B>>>,
    /// What one replay does.
    counted: Counters,
}

/// What can be done now.
enum Outlook {
    /// The blocks must run one by one.
    OneByOne,
    /// Nothing: there are too few items, or there is no room.
    Nothing,
    Joint(Plan),
}

struct Plan {
    /// How many rounds of each block: in one it takes its decimation and gives its interpolation.
    rounds: Vec<usize>,
    signature: Vec<u64>,
    /// The slot of the host's batch.
    slot: usize,
    /// Whether all batches of the host are as long as they can be.
    is_whole: bool,
}

impl<B: Backend> JointRuns<B> {
    /// What a region of these blocks needs; none if its blocks gain more from running one by one.
    pub fn new(
        backend: &B,
        members: &[Member<B>],
        is_ours: Vec<bool>,
        depth: usize,
        may_capture: bool,
    ) -> Result<Option<Self>, B::Error> {
        let is_repeated = |member: &Member<B>| member.shape.repeat != Repeat::Never;
        let is_captured = may_capture && backend.capture().is_some() && members.iter().all(is_repeated);
        let is_worth_it = is_captured || !backend.overlaps_kernels();
        if !is_worth_it || members.iter().any(|member| member.inputs.is_empty()) {
            return Ok(None);
        }
        let is_apart = |member: &Member<B>| {
            let sees_no_earlier = |read: &Read| !is_ours[read.ring] || member.shape.history == 0;
            member.shape.repeat == Repeat::Freely
                && member.shape.ratio.decimation == 1
                && member.inputs.iter().all(sees_no_earlier)
        };
        let are_apart =
            backend.overlaps_kernels() && has_one_source(&is_ours) && members.iter().all(is_apart);
        let stream = |_| Ok(JointStream { stream: backend.stream()?, end: backend.event()? });
        let streams = (0..if are_apart { depth } else { 1 }).map(stream).collect::<Result<_, B::Error>>()?;
        let known = || Known { signature: Vec::new(), replay: None, counted: Counters::default() };
        let known = std::iter::repeat_with(known).take(depth).collect();
        Ok(Some(JointRuns { streams, known, is_ours, is_captured, has_run: false }))
    }

    /// Takes what is there through all blocks, if they are in step. Whether there was anything; `None` if the blocks must run
    /// one by one.
    pub fn run(
        &mut self,
        backend: &B,
        counters: &Counters,
        rings: &mut [Ring<B>],
        members: &mut [Member<B>],
        downloads: usize,
    ) -> Result<Option<bool>, BlockError> {
        let JointRuns { streams, known, is_ours, is_captured: may_capture, has_run } = self;
        let plan = match look_ahead(backend, is_ours, rings, members, downloads)? {
            Outlook::OneByOne => return Ok(None),
            Outlook::Nothing => return Ok(Some(false)),
            Outlook::Joint(plan) => plan,
        };
        for member in members.iter_mut().filter(|member| member.has_run_alone) {
            follow(backend, streams, member).map_err(of_block(&member.name))?;
        }
        *has_run = true;
        let place = plan.slot % streams.len();
        let stream = &mut streams[place].stream;
        let taking = || plan.rounds.iter().enumerate().filter(|(_, rounds)| **rounds > 0);
        for (member, _) in taking() {
            let member = &members[member];
            before(backend, stream, is_ours, rings, member).map_err(of_block(&member.name))?;
        }
        let known = &mut known[plan.slot];
        let is_known = known.signature == plan.signature;
        let is_whole = plan.is_whole && *may_capture;
        if is_whole && !is_known {
            *known = Known { signature: plan.signature, replay: None, counted: Counters::default() };
        }
        let is_captured = is_whole && is_known;
        let capture = backend.capture().filter(|_| is_captured && known.replay.is_none());
        // An error of all blocks at once names the first one.
        let first = members.first().map_or_else(String::new, |member| member.name.clone());
        if let Some(capture) = capture {
            capture.begin(stream).map_err(of_block(&first))?;
        }
        let is_replay = is_captured && capture.is_none();
        for (place, &rounds) in taking() {
            let counters = if is_captured { &known.counted } else { counters };
            let queue = (!is_replay).then_some(Queue { backend, stream: &mut *stream, counters });
            let member = &mut members[place];
            go(backend, queue, is_ours, rings, member, rounds).map_err(of_block(&member.name))?;
        }
        // A block that has not enough yet still moves on to the newest batch: what it has left is carried there.
        for (member, _) in members.iter().zip(&plan.rounds).filter(|(_, rounds)| **rounds == 0) {
            let ours = member.inputs.iter().filter(|read| is_ours[read.ring]);
            ours.for_each(|read| rings[read.ring].arrive(read.reader));
        }
        if let Some(capture) = capture {
            known.replay = Some(capture.end(stream).map_err(of_block(&first))?);
            counters.captures.add(1);
        }
        if let Some(replay) = known.replay.as_mut().filter(|_| is_captured) {
            replay.replay(stream).map_err(of_block(&first))?;
            counters.replays.add(1);
            counters.add_work(&known.counted);
        }
        for (member, _) in taking() {
            counters.runs.add(1);
            let member = &members[member];
            after(backend, stream, is_ours, rings, member).map_err(of_block(&member.name))?;
        }
        Ok(Some(true))
    }

    /// From now on the blocks run one by one: their streams wait for the joint runs.
    pub fn separate(&mut self, backend: &B, members: &mut [Member<B>]) -> Result<(), BlockError> {
        if !std::mem::take(&mut self.has_run) {
            return Ok(());
        }
        for JointStream { stream, end } in &mut self.streams {
            for (place, member) in members.iter_mut().enumerate() {
                let ended = if place == 0 { backend.record(stream, end) } else { Ok(()) };
                let followed = ended.and_then(|()| backend.wait(&mut member.stream, end));
                followed.map_err(of_block(&member.name))?;
            }
        }
        Ok(())
    }

    /// Waits until the device has done everything.
    pub fn drain(&mut self, backend: &B) -> Result<(), B::Error> {
        self.streams.iter_mut().try_for_each(|joint| backend.drain(&mut joint.stream))
    }
}

/// Whether one stream of all comes from the host.
fn has_one_source(is_ours: &[bool]) -> bool {
    is_ours.iter().filter(|is_ours| !**is_ours).count() == 1
}

/// What a joint run would be.
fn look_ahead<B: Backend>(
    backend: &B,
    is_ours: &[bool],
    rings: &mut [Ring<B>],
    members: &mut [Member<B>],
    downloads: usize,
) -> Result<Outlook, BlockError> {
    let mut plan = Plan { rounds: Vec::new(), signature: Vec::new(), slot: 0, is_whole: true };
    let mut given_to = vec![0; rings.len()];
    let has_one_source = has_one_source(is_ours);
    let mut is_first = true;
    for member in members {
        let ratio = member.shape.ratio;
        let mut there: Option<usize> = None;
        if member.is_done {
            there = Some(0);
        } else if member.is_ending(rings) {
            return Ok(Outlook::OneByOne);
        }
        for read in member.inputs.iter().filter(|_| !member.is_done) {
            let items = if is_ours[read.ring] {
                rings[read.ring].foresee(read.reader, given_to[read.ring])
            } else {
                let ring = &mut rings[read.ring];
                let items = ring.available(read.reader, backend, &mut member.stream);
                Some(items.map_err(of_block(&member.name))?)
            };
            let rounds = items.map(|items| items / ratio.decimation);
            if rounds.is_none() || there.is_some_and(|others| Some(others) != rounds) {
                return Ok(Outlook::OneByOne);
            }
            there = rounds;
        }
        let rounds = there.unwrap_or(0);
        plan.rounds.push(rounds);
        // Blocks that do nothing count, too. Otherwise the work of one block now could be taken for an earlier run of
        // another.
        plan.signature.push(rounds as u64);
        if rounds == 0 {
            continue;
        }
        if member.changes_within(rounds, rings) {
            return Ok(Outlook::OneByOne);
        }
        plan.signature.push(member.changes);
        for read in &member.inputs {
            let ring = &rings[read.ring];
            let [slot, first] = ring.reads_at(read.reader, is_ours[read.ring]);
            plan.signature.extend([slot, first]);
            if !is_ours[read.ring] {
                plan.is_whole &= ring.is_whole(read.reader);
                if std::mem::take(&mut is_first) {
                    plan.slot = slot as usize;
                }
            }
        }
        for &output in &member.outputs {
            if rounds * ratio.interpolation > rings[output].capacity {
                return Ok(Outlook::OneByOne);
            }
            if !rings[output].has_room() {
                // With one stream from the host and one back, no block can go on until the host takes a batch.
                let is_up_to_host = downloads == 1 && has_one_source && rings[output].is_kept_by_host();
                return Ok(if is_up_to_host { Outlook::Nothing } else { Outlook::OneByOne });
            }
            given_to[output] = rounds * ratio.interpolation;
            plan.signature.extend(rings[output].writes_at());
        }
    }
    let is_something = plan.rounds.iter().any(|rounds| *rounds > 0);
    Ok(if is_something { Outlook::Joint(plan) } else { Outlook::Nothing })
}

/// Makes the joint runs wait for what a block has enqueued in its own stream.
fn follow<B: Backend>(
    backend: &B,
    streams: &mut [JointStream<B>],
    member: &mut Member<B>,
) -> Result<(), B::Error> {
    member.has_run_alone = false;
    backend.record(&mut member.stream, &mut member.alone)?;
    streams.iter_mut().try_for_each(|joint| backend.wait(&mut joint.stream, &member.alone))
}

/// Makes the joint run's stream wait before a block's part of it: for what comes from the host, and for what goes there.
fn before<B: Backend>(
    backend: &B,
    stream: &mut B::Stream,
    is_ours: &[bool],
    rings: &[Ring<B>],
    member: &Member<B>,
) -> Result<(), B::Error> {
    for read in member.inputs.iter().filter(|read| !is_ours[read.ring]) {
        rings[read.ring].await_ready(read.reader, backend, stream)?;
    }
    let is_download = |need: &Need| need.is_download;
    member.outputs.iter().try_for_each(|&ring| rings[ring].await_readers(backend, stream, is_download))
}

/// A block's part of a joint run. Without a queue nothing is enqueued: a replay does the work.
fn go<B: Backend>(
    backend: &B,
    mut queue: Option<Queue<'_, B>>,
    is_ours: &[bool],
    rings: &mut [Ring<B>],
    member: &mut Member<B>,
    rounds: usize,
) -> Result<(), B::Error> {
    let ratio = member.shape.ratio;
    let (taken, given) = (rounds * ratio.decimation, rounds * ratio.interpolation);
    for &ring in &member.outputs {
        rings[ring].open();
        if let Some(queue) = &mut queue {
            rings[ring].carry(backend, queue.stream, queue.counters)?;
        }
    }
    for read in member.inputs.iter().filter(|read| is_ours[read.ring]) {
        rings[read.ring].arrive(read.reader);
    }
    if let Some(queue) = &mut queue {
        let x: Vec<Span<'_, B>> =
            member.inputs.iter().map(|read| rings[read.ring].view(read.reader, taken)).collect();
        let y: Vec<Span<'_, B>> = member.outputs.iter().map(|&ring| rings[ring].room(given)).collect();
        member.work.enqueue(queue, &x, &y)?;
    }
    member.carry_tags(rings, Some(taken));
    for read in &member.inputs {
        rings[read.ring].pass(read.reader, taken);
    }
    member.outputs.iter().for_each(|&ring| rings[ring].close(given));
    Ok(())
}

/// Makes uploads and downloads wait for a block's part of a joint run.
fn after<B: Backend>(
    backend: &B,
    stream: &mut B::Stream,
    is_ours: &[bool],
    rings: &mut [Ring<B>],
    member: &Member<B>,
) -> Result<(), B::Error> {
    for read in member.inputs.iter().filter(|read| !is_ours[read.ring]) {
        rings[read.ring].mark_released(read.reader, backend, stream)?;
    }
    for &ring in &member.outputs {
        if rings[ring].has_download() {
            rings[ring].mark_ready(backend, stream)?;
        }
    }
    Ok(())
}
