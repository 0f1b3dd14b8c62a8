//! Turns: batches that go through all blocks of a region at once, so that a driver that captures can replay them.
//!
//! ```text
//!  upload ─ready─> lane: [ carry, kernel, carry, kernel, … ] ─ready─> download
//!         <─released─'      captured once per slot, replayed        <─released─
//! ```
//!
//! One by one, each block has a stream of its own and each batch of each stream two events. In a turn all blocks use one
//! stream, the lane, so that events are needed only where the lane meets uploads and downloads: a turn costs the host the
//! same however many blocks there are.
//!
//! What a turn enqueues depends on where its views lie and how long they are. That is its signature; with whole batches it
//! comes again each time that the same slots do. A whole turn is captured when its signature comes to its slot for the
//! second time, and replayed from then on. A batch that is not whole is enqueued in the lane as it is. Where a parameter
//! changes within a batch, at the end of a stream, and where the blocks are not in step, they run one by one.
//!
//! Between the two ways everything is put in order: the lanes wait for what the blocks' streams have ([`Region::turn`]),
//! or these for the lanes ([`Region::part`]).
//!
//! A driver that captures nothing has turns, too, if its device runs one kernel after the other in any case.
//!
//! Turns are in order where one sees what an earlier one has written: history, the rest of a decimator's items, memory of
//! a block's own. Else each slot has a lane of its own, and consecutive turns overlap.

use superhet_runtime::BlockError;

use super::build::Wiring;
use super::member::{Member, Read};
use super::ring::{Need, Ring};
use super::{Region, of_block};
use crate::backend::{Backend, Replay, Span};
use crate::block::{Queue, Repeat};
use crate::counters::Counters;

pub(super) struct Turns<B: Backend> {
    lanes: Vec<Lane<B>>,
    /// For each slot of the streams that come from the host, what was enqueued with it last.
    known: Vec<Known<B>>,
    /// For each stream, whether a block of the region writes it.
    is_ours: Vec<bool>,
    /// Whether turns are captured.
    is_captured: bool,
    /// There were turns since the blocks ran one by one.
    has_run: bool,
}

struct Lane<B: Backend> {
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
    Alone,
    /// Nothing: what is there is not enough, or there is no room.
    Nothing,
    Turn(Plan),
}

struct Plan {
    /// How many times each block takes its decimation and gives its interpolation.
    turns: Vec<usize>,
    signature: Vec<u64>,
    /// The slot of the host's batch.
    slot: usize,
    /// Whether all batches of the host are as long as they can be.
    is_whole: bool,
}

impl<B: Backend> Turns<B> {
    /// What a region of these blocks needs; none if its blocks gain more from running one by one.
    pub fn new(
        backend: &B,
        members: &[Member<B>],
        wiring: &Wiring,
        depth: usize,
        may_capture: bool,
    ) -> Result<Option<Self>, B::Error> {
        let is_repeated = |member: &Member<B>| member.shape.repeat != Repeat::Never;
        let is_captured = may_capture && backend.capture().is_some() && members.iter().all(is_repeated);
        let is_worth_it = is_captured || !backend.overlaps_kernels();
        if !is_worth_it || members.iter().any(|member| member.inputs.is_empty()) {
            return Ok(None);
        }
        let is_ours: Vec<bool> = wiring.streams.iter().map(|stream| stream.is_ours()).collect();
        let is_apart = |member: &Member<B>| {
            let sees_no_earlier = |read: &Read| !is_ours[read.ring] || member.shape.history == 0;
            member.shape.repeat == Repeat::Freely
                && member.shape.ratio.decimation == 1
                && member.inputs.iter().all(sees_no_earlier)
        };
        let are_apart =
            backend.overlaps_kernels() && has_one_source(&is_ours) && members.iter().all(is_apart);
        let lane = |_| Ok(Lane { stream: backend.stream()?, end: backend.event()? });
        let lanes = (0..if are_apart { depth } else { 1 }).map(lane).collect::<Result<_, B::Error>>()?;
        let known = || Known { signature: Vec::new(), replay: None, counted: Counters::default() };
        let known = std::iter::repeat_with(known).take(depth).collect();
        Ok(Some(Turns { lanes, known, is_ours, is_captured, has_run: false }))
    }

    /// Waits until the device has done everything.
    pub fn drain(&mut self, backend: &B) -> Result<(), B::Error> {
        self.lanes.iter_mut().try_for_each(|lane| backend.drain(&mut lane.stream))
    }
}

/// Whether one stream of all comes from the host.
fn has_one_source(is_ours: &[bool]) -> bool {
    is_ours.iter().filter(|is_ours| !**is_ours).count() == 1
}

/// What a turn would be.
fn look_ahead<B: Backend>(
    backend: &B,
    is_ours: &[bool],
    rings: &mut [Ring<B>],
    members: &mut [Member<B>],
    downloads: usize,
) -> Result<Outlook, BlockError> {
    let mut plan = Plan { turns: Vec::new(), signature: Vec::new(), slot: 0, is_whole: true };
    let mut given_to = vec![0; rings.len()];
    let has_one_source = has_one_source(is_ours);
    let mut is_first = true;
    for member in members {
        let ratio = member.shape.ratio;
        let mut there: Option<usize> = None;
        if member.is_done {
            there = Some(0);
        } else if member.is_ending(rings) {
            return Ok(Outlook::Alone);
        }
        for read in member.inputs.iter().filter(|_| !member.is_done) {
            let items = if is_ours[read.ring] {
                rings[read.ring].foresee(read.reader, given_to[read.ring])
            } else {
                let ring = &mut rings[read.ring];
                let items = ring.available(read.reader, backend, &mut member.stream);
                Some(items.map_err(of_block(&member.name))?)
            };
            let turns = items.map(|items| items / ratio.decimation);
            if turns.is_none() || there.is_some_and(|others| Some(others) != turns) {
                return Ok(Outlook::Alone);
            }
            there = turns;
        }
        let turns = there.unwrap_or(0);
        plan.turns.push(turns);
        // Of those that do nothing, too: else what one block does now might be taken for what another did then.
        plan.signature.push(turns as u64);
        if turns == 0 {
            continue;
        }
        if member.changes_within(turns, rings) {
            return Ok(Outlook::Alone);
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
            if turns * ratio.interpolation > rings[output].capacity {
                return Ok(Outlook::Alone);
            }
            if !rings[output].has_room() {
                // With one stream from the host and one back, nobody can go on until the host takes it.
                let is_hosts_turn = downloads == 1 && has_one_source && rings[output].is_kept_by_host();
                return Ok(if is_hosts_turn { Outlook::Nothing } else { Outlook::Alone });
            }
            given_to[output] = turns * ratio.interpolation;
            plan.signature.extend(rings[output].writes_at());
        }
    }
    let is_something = plan.turns.iter().any(|turns| *turns > 0);
    Ok(if is_something { Outlook::Turn(plan) } else { Outlook::Nothing })
}

impl<B: Backend> Region<B> {
    /// Takes what is there through all blocks, if they are in step. Whether that was anything; none if the blocks must run
    /// one by one.
    pub(super) fn turn(&mut self) -> Result<Option<bool>, BlockError> {
        let Region { backend, counters, rings, members, downloads, turns, .. } = self;
        let (backend, Some(Turns { lanes, known, is_ours, is_captured: may_capture, has_run })) =
            (&**backend, turns)
        else {
            return Ok(None);
        };
        let plan = match look_ahead(backend, is_ours, rings, members, downloads.len())? {
            Outlook::Alone => return Ok(None),
            Outlook::Nothing => return Ok(Some(false)),
            Outlook::Turn(plan) => plan,
        };
        for member in members.iter_mut().filter(|member| member.has_run_alone) {
            follow(backend, lanes, member).map_err(of_block(&member.name))?;
        }
        *has_run = true;
        let place = plan.slot % lanes.len();
        let stream = &mut lanes[place].stream;
        let taking = || plan.turns.iter().enumerate().filter(|(_, turns)| **turns > 0);
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
        // What goes wrong with all blocks at once is told as the first one's.
        let first = members.first().map_or_else(String::new, |member| member.name.clone());
        if let Some(capture) = capture {
            capture.begin(stream).map_err(of_block(&first))?;
        }
        let is_replay = is_captured && capture.is_none();
        for (place, &turns) in taking() {
            let counters = if is_captured { &known.counted } else { &**counters };
            let queue = (!is_replay).then_some(Queue { backend, stream: &mut *stream, counters });
            let member = &mut members[place];
            go(backend, queue, is_ours, rings, member, turns).map_err(of_block(&member.name))?;
        }
        // Who has not enough yet is at the newest batch all the same: what it has left is carried there.
        for (member, _) in members.iter().zip(&plan.turns).filter(|(_, turns)| **turns == 0) {
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

    /// From now on the blocks run one by one: their streams wait for the turns.
    pub(super) fn part(&mut self) -> Result<(), BlockError> {
        let backend = &*self.backend;
        let Some(turns) = self.turns.as_mut().filter(|turns| turns.has_run) else { return Ok(()) };
        turns.has_run = false;
        for lane in &mut turns.lanes {
            for (place, member) in self.members.iter_mut().enumerate() {
                let ended = if place == 0 { backend.record(&mut lane.stream, &mut lane.end) } else { Ok(()) };
                let followed = ended.and_then(|()| backend.wait(&mut member.stream, &lane.end));
                followed.map_err(of_block(&member.name))?;
            }
        }
        Ok(())
    }
}

/// Makes the lanes wait for what a block has enqueued by itself.
fn follow<B: Backend>(backend: &B, lanes: &mut [Lane<B>], member: &mut Member<B>) -> Result<(), B::Error> {
    member.has_run_alone = false;
    backend.record(&mut member.stream, &mut member.alone)?;
    lanes.iter_mut().try_for_each(|lane| backend.wait(&mut lane.stream, &member.alone))
}

/// What a lane waits for before a block's run: what comes from the host, and what goes there.
fn before<B: Backend>(
    backend: &B,
    lane: &mut B::Stream,
    is_ours: &[bool],
    rings: &[Ring<B>],
    member: &Member<B>,
) -> Result<(), B::Error> {
    for read in member.inputs.iter().filter(|read| !is_ours[read.ring]) {
        rings[read.ring].await_ready(read.reader, backend, lane)?;
    }
    let is_download = |need: &Need| need.is_download;
    member.outputs.iter().try_for_each(|&ring| rings[ring].await_readers(backend, lane, is_download))
}

/// One run of a block in a lane; without a queue, all of it but the work.
fn go<B: Backend>(
    backend: &B,
    mut queue: Option<Queue<'_, B>>,
    is_ours: &[bool],
    rings: &mut [Ring<B>],
    member: &mut Member<B>,
    turns: usize,
) -> Result<(), B::Error> {
    let ratio = member.shape.ratio;
    let (taken, given) = (turns * ratio.decimation, turns * ratio.interpolation);
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

/// What waits for a lane after a block's run: what brings batches from the host, and what takes them there.
fn after<B: Backend>(
    backend: &B,
    lane: &mut B::Stream,
    is_ours: &[bool],
    rings: &mut [Ring<B>],
    member: &Member<B>,
) -> Result<(), B::Error> {
    for read in member.inputs.iter().filter(|read| !is_ours[read.ring]) {
        rings[read.ring].mark_released(read.reader, backend, lane)?;
    }
    for &ring in &member.outputs {
        if rings[ring].has_download() {
            rings[ring].mark_ready(backend, lane)?;
        }
    }
    Ok(())
}
