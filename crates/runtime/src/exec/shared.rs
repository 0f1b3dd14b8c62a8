//! What the workers of a graph and its handles share.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::awaited::Awaited;
use super::endless::{BETWEEN_LOOKS, Endless};
use super::layout::Layout;
use super::signals::Signals;
use super::view::View;
use crate::block::Step;
use crate::data::RunError;
use crate::exec::change::partition::Partition;
use crate::exec::change::safepoint::Safepoint;
use crate::graph::Stream;
use crate::metrics::{BlockReport, Counters, InputReport, Outcome, OutputReport, Report};
use crate::plan::policy::Load;
use crate::stream::settable::PORT;
use crate::wake::Parker;

/// What the workers of a graph and its handles share.
#[derive(Debug)]
pub(super) struct Shared {
    pub signals: Signals,
    workers: Mutex<WorkerStates>,
    /// Rung when a worker ends.
    ended: Condvar,
    pub awaited: Awaited,
    /// Where the workers of each region sleep.
    pub parkers: Vec<Arc<Parker>>,
    /// First those that are planned, then [`SPARE`] for blocks that are added later, each with a region of its own.
    pub threads: Vec<ThreadState>,
    planned: usize,
    /// The threads that were started later.
    added: Mutex<Vec<JoinHandle<()>>>,
    view: RwLock<View>,
    pub safepoint: Safepoint<Shared>,
    /// What it takes to plan the graph again; `None` where its scheduler does not.
    partition: Mutex<Option<Partition>>,
    /// Held while somebody changes the graph.
    pub editing: Mutex<()>,
    started: Instant,
    outcome: Mutex<(Outcome, Duration)>,
    /// Watches what keeps a stopped graph from its end, while somebody waits for that.
    endless: Mutex<Endless>,
}

/// How many blocks at a time have threads that were started while the graph runs.
pub(super) const SPARE: usize = 16;

/// What the blocks have done up to some moment.
#[derive(Clone, Debug)]
pub(super) struct Totals {
    at: Instant,
    busy: Vec<f64>,
    items: Vec<f64>,
    messages: Vec<f64>,
}

impl Totals {
    /// Of a graph that has done nothing so far.
    pub fn none() -> Self {
        Totals { at: Instant::now(), busy: Vec::new(), items: Vec::new(), messages: Vec::new() }
    }
}

/// What others can see of one thread. On cache lines of its own: the thread writes it before each block.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct ThreadState {
    pub region: usize,
    /// Which block is being run, or `usize::MAX` between blocks.
    pub current: AtomicUsize,
    /// Where a block that waits for a moment sleeps.
    pub nap: Parker,
    /// Whether it sleeps until the graph is planned again.
    pub off_duty: AtomicBool,
}

impl ThreadState {
    fn new(region: usize) -> Self {
        let (current, off_duty) = (AtomicUsize::new(usize::MAX), AtomicBool::new(false));
        ThreadState { region, current, nap: Parker::new(), off_duty }
    }
}

#[derive(Debug)]
struct WorkerStates {
    alive: usize,
    /// Per thread: has it ended?
    ended: Vec<bool>,
    /// Per thread: does it sleep, and not by its own choice?
    asleep: Vec<bool>,
    /// Per block, as of the last time that a worker found nothing to do there; of those that have ended, that.
    steps: Vec<Step>,
}

impl WorkerStates {
    fn note(&mut self, steps: &[(usize, Step)]) {
        steps.iter().for_each(|&(block, step)| self.steps[block] = step);
    }
}

impl Shared {
    /// Of a graph whose threads are about to start: where the workers of each region sleep, and the region of each thread.
    pub fn new(
        view: View,
        mut parkers: Vec<Arc<Parker>>,
        region_of: impl Iterator<Item = usize>,
        safepoint: Safepoint<Shared>,
    ) -> Self {
        let mut threads: Vec<ThreadState> = region_of.map(ThreadState::new).collect();
        let planned = threads.len();
        for _ in 0..SPARE {
            let spare = ThreadState::new(parkers.len());
            spare.off_duty.store(true, Ordering::SeqCst);
            threads.push(spare);
            parkers.push(Arc::new(Parker::new()));
        }
        Shared {
            signals: Signals::default(),
            workers: Mutex::new(WorkerStates {
                alive: planned,
                ended: (0..threads.len()).map(|thread| thread >= planned).collect(),
                asleep: vec![false; threads.len()],
                steps: vec![Step::Ran; view.counters.len()],
            }),
            ended: Condvar::new(),
            awaited: Awaited::default(),
            parkers,
            threads,
            planned,
            added: Mutex::default(),
            view: RwLock::new(view),
            safepoint,
            partition: Mutex::default(),
            editing: Mutex::default(),
            started: Instant::now(),
            outcome: Mutex::default(),
            endless: Mutex::default(),
        }
    }

    pub fn view(&self) -> RwLockReadGuard<'_, View> {
        self.view.read().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    pub fn partition(&self) -> MutexGuard<'_, Option<Partition>> {
        self.partition.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// What the blocks have done since `before`, which becomes now; `None` where the graph was changed since.
    pub fn load(&self, before: &mut Totals) -> Option<Load> {
        let view = self.view();
        let get = |counter: &std::sync::atomic::AtomicU64| counter.load(Ordering::Relaxed) as f64;
        let written =
            |stream: &Stream| get(&view.counters[stream.from.block].outputs[stream.from.port].items);
        let now = Totals {
            at: Instant::now(),
            busy: view.counters.iter().map(|c| get(&c.busy_ns) * 1e-9).collect(),
            items: view.wiring.streams.iter().map(written).collect(),
            messages: view.counters.iter().map(|c| c.queues.iter().map(|q| q.sent() as f64).sum()).collect(),
        };
        let before = std::mem::replace(before, now.clone());
        let is_first = before.busy.is_empty();
        if !is_first && (before.busy.len() != now.busy.len() || before.items.len() != now.items.len()) {
            return None;
        }
        let since = |now: &[f64], before: &[f64]| {
            let before = before.iter().copied().chain(std::iter::repeat(0.0));
            now.iter().zip(before).map(|(now, before)| (now - before).max(0.0)).collect()
        };
        Some(Load {
            interval: (now.at - before.at).as_secs_f64(),
            busy: since(&now.busy, &before.busy),
            items: since(&now.items, &before.items),
            messages: since(&now.messages, &before.messages),
            message_bytes: view.counters.iter().map(message_bytes).collect(),
        })
    }

    /// Shows a graph that was changed. Its blocks are at rest.
    pub fn take_view(&self, partition: &mut Partition, is_new: &dyn Fn(usize) -> bool) {
        for (place, node) in partition.graph.nodes.iter_mut().enumerate() {
            match partition.counters.get_mut(place) {
                None => partition.counters.push(Arc::new(Counters::new(node))),
                Some(counters) if is_new(place) => *counters = Arc::new(Counters::new(node)),
                Some(_) => {}
            }
        }
        let view = View::new(&mut partition.graph, &partition.counters);
        self.states().steps.resize(view.counters.len(), Step::Ran);
        let mut shown = self.view.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        // The queues and parameters of blocks that are away are known from before.
        let known = std::mem::take(&mut shown.message_inputs);
        let parameters = std::mem::take(&mut shown.parameters);
        *shown = view;
        let is_joined = |port: &String| {
            partition.graph.nodes.iter().any(|node| {
                !node.joined.is_empty() && node.ports.message_inputs.iter().any(|(name, _)| name == port)
            })
        };
        // Those that wait for the outside world are with their threads, and cannot be replaced.
        let waits =
            |block: &str| partition.graph.nodes.iter().any(|node| node.name == block && node.spec.blocking);
        let is_away = |block: &str| waits(block) || is_joined(&format!("{block}.{PORT}"));
        shown.parameters.add_missing(parameters, is_away);
        for (name, queue) in known {
            let is_there = |(known, _): &(String, _)| *known == name;
            let block = name.split_once('.').map_or("", |(block, _)| block);
            let has_block = shown.wiring.names.iter().any(|name| **name == *block);
            if (has_block || is_joined(&name)) && !shown.message_inputs.iter().any(is_there) {
                shown.message_inputs.push((name, queue));
            }
        }
    }

    pub fn is_cancelled(&self) -> bool {
        self.signals.is_cancelled()
    }

    /// Counts a thread as ended; the last says what became of the graph.
    pub fn thread_ended(&self, thread: usize) {
        self.wake_all();
        let mut states = self.states();
        states.ended[thread] = true;
        self.threads[thread].off_duty.store(true, Ordering::SeqCst);
        states.alive -= 1;
        if states.alive == 0 {
            let outcome = match () {
                _ if self.is_cancelled() => Outcome::Cancelled,
                _ if self.signals.stopping.load(Ordering::SeqCst) => Outcome::Stopped,
                _ => Outcome::Completed,
            };
            *self.outcome.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) =
                (outcome, self.started.elapsed());
            self.awaited.wake();
        }
        self.ended.notify_all();
    }

    /// Counts the threads from `first` on as ended: they never started.
    pub fn never_started(&self, first: usize) {
        self.states().alive -= self.planned - first;
    }

    /// How many threads can be started besides those that there are.
    pub fn spare_threads(&self) -> usize {
        self.states().ended[self.planned..].iter().filter(|ended| **ended).count()
    }

    /// Counts a thread that is about to be started as one of the graph's; `None` where there is no room for one more.
    pub fn take_thread(&self) -> Option<usize> {
        let mut states = self.states();
        let thread = self.planned + states.ended[self.planned..].iter().position(|ended| *ended)?;
        (states.ended[thread], states.asleep[thread]) = (false, false);
        // The others may all sleep before it runs: it has not looked yet.
        self.threads[thread].off_duty.store(false, Ordering::SeqCst);
        states.alive += 1;
        Some(thread)
    }

    /// Takes threads back that were to be started. All workers are at the safepoint, so nobody has to be woken.
    pub fn give_back(&self, threads: &[usize]) {
        let mut states = self.states();
        for &thread in threads {
            states.ended[thread] = true;
            self.threads[thread].off_duty.store(true, Ordering::SeqCst);
        }
        states.alive -= threads.len();
    }

    /// Keeps the handle of a thread that was started later.
    pub fn keep(&self, thread: JoinHandle<()>) {
        self.added.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(thread);
    }

    /// The handles that were kept.
    pub fn take_added(&self) -> Vec<JoinHandle<()>> {
        std::mem::take(&mut *self.added.lock().unwrap_or_else(|poisoned| poisoned.into_inner()))
    }

    fn states(&self) -> MutexGuard<'_, WorkerStates> {
        self.workers.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Notes that a worker has announced its sleep and found nothing to do; the error if nobody ever will.
    pub fn goes_to_sleep(&self, thread: usize, steps: &[(usize, Step)]) -> Option<RunError> {
        let mut states = self.states();
        states.asleep[thread] = true;
        states.note(steps);
        // A worker that was woken, and does not know yet, is about to look again.
        let mut sleepers: Vec<usize> = self.parkers.iter().map(|parker| parker.sleepers()).collect();
        let mut is_anybody_left = false;
        for (thread, state) in self.threads.iter().enumerate() {
            if !states.ended[thread] && !state.off_duty.load(Ordering::SeqCst) {
                let sleeps = states.asleep[thread] && sleepers[state.region] > 0;
                sleepers[state.region] -= usize::from(sleeps);
                if !sleeps {
                    return None;
                }
                is_anybody_left = true;
            }
        }
        // Who is off duty may come here when all others have ended, and the graph with them.
        if !is_anybody_left || self.signals.stopping.load(Ordering::SeqCst) || self.is_cancelled() {
            return None;
        }
        let view = self.view();
        let explanation = view.wiring.explain(&states.steps, &view.counters)?;
        Some(RunError::Stuck { explanation })
    }

    /// How many threads were planned for each region.
    fn workers_of_regions(&self) -> Vec<usize> {
        let regions = self.threads[..self.planned].iter().map(|thread| thread.region);
        let mut workers = vec![0; regions.clone().max().map_or(0, |last| last + 1)];
        regions.for_each(|region| workers[region] += 1);
        workers
    }

    /// Notes why blocks do not go on, or that they have ended.
    pub fn note(&self, steps: &[(usize, Step)]) {
        self.states().note(steps);
    }

    pub fn wakes_up(&self, thread: usize) {
        self.states().asleep[thread] = false;
    }

    pub fn wake_all(&self) {
        self.safepoint.wake_all();
        self.parkers.iter().for_each(|parker| parker.wake_all());
        self.threads.iter().for_each(|thread| thread.nap.wake_all());
    }

    pub fn stop(&self) {
        self.signals.stopping.store(true, Ordering::SeqCst);
        self.wake_all();
    }

    pub fn cancel(&self) {
        self.signals.cancelled.store(true, Ordering::SeqCst);
        self.stop();
    }

    /// As `fail`, from within a change of the graph: the workers see it when they go on.
    pub fn give_up(&self, error: RunError) {
        self.signals.note(error);
        self.signals.stopping.store(true, Ordering::SeqCst);
        self.signals.cancelled.store(true, Ordering::SeqCst);
    }

    pub fn fail(&self, error: RunError) {
        self.signals.note(error);
        self.cancel();
    }

    /// Whether all workers have ended.
    pub fn has_ended(&self) -> bool {
        self.states().alive == 0
    }

    /// Waits until all workers have ended, for `timeout` at most; whether they have. A time that no clock reaches is no limit.
    pub fn wait_for(&self, timeout: Duration) -> bool {
        self.wait_until(Instant::now().checked_add(timeout))
    }

    /// Waits until all workers have ended, or until `deadline`; whether they have. Meanwhile, a graph that was stopped and
    /// cannot come to its end for a block that only gives is ended.
    pub fn wait_until(&self, deadline: Option<Instant>) -> bool {
        let mut states = self.states();
        while states.alive > 0 {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left.is_zero()) {
                return false;
            }
            let patience = left.map_or(BETWEEN_LOOKS, |left| left.min(BETWEEN_LOOKS));
            let waited = self.ended.wait_timeout(states, patience);
            drop(waited.unwrap_or_else(|poisoned| poisoned.into_inner()));
            self.look_for_endless();
            states = self.states();
        }
        true
    }

    /// Ends a graph that was stopped, has not been cancelled, and has a block that gives for ever.
    fn look_for_endless(&self) {
        if !self.signals.stopping.load(Ordering::SeqCst) || self.is_cancelled() {
            return;
        }
        let error = {
            let mut endless = self.endless.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            let view = self.view();
            let found = endless.look(Instant::now(), &view.counters);
            found.map(|(block, given)| RunError::OnlyGives {
                block: view.wiring.names[block].to_string(),
                given,
            })
        };
        if let Some(error) = error {
            self.fail(error);
        }
    }

    /// The blocks that keep their workers from ending: those whose code is being run, if any is.
    pub fn missing(&self) -> String {
        let states = self.states();
        let threads = || self.threads.iter().zip(&states.ended).filter(|(_, ended)| !**ended).map(|(t, _)| t);
        let mut blocks: Vec<usize> = threads()
            .map(|thread| thread.current.load(Ordering::Relaxed))
            .filter(|&b| b != usize::MAX)
            .collect();
        if blocks.is_empty() {
            blocks = (0..states.steps.len()).filter(|&block| states.steps[block] != Step::Done).collect();
        }
        blocks.sort_unstable();
        blocks.dedup();
        let view = self.view();
        blocks.iter().map(|&block| view.wiring.names[block].to_string()).collect::<Vec<_>>().join(", ")
    }

    /// What the graph looks like now.
    pub fn layout(&self) -> Layout {
        let steps = self.states().steps.clone();
        let view = self.view();
        let workers = self.workers_of_regions();
        Layout::new(view.blocks.clone(), &view.wiring.streams, &view.messages, workers, &steps)
    }

    /// How the graph has ended, if it has.
    pub fn outcome(&self) -> Outcome {
        self.outcome.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).0
    }

    pub fn report(&self) -> Report {
        let ns =
            |counter: &std::sync::atomic::AtomicU64| Duration::from_nanos(counter.load(Ordering::Relaxed));
        let get = |counter: &std::sync::atomic::AtomicU64| counter.load(Ordering::Relaxed);
        let (outcome, elapsed) = *self.outcome.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let view = self.view();
        let blocks = view.counters.iter().enumerate().map(|(block, c)| BlockReport {
            name: view.wiring.names[block].to_string(),
            blocking: c.blocking,
            calls: get(&c.calls),
            idle_calls: get(&c.idle_calls),
            busy: ns(&c.busy_ns),
            blocked_input: ns(&c.blocked_input_ns),
            blocked_output: ns(&c.blocked_output_ns),
            inputs: (c.inputs.iter().zip(&view.wiring.inputs[block]))
                .map(|(i, name)| InputReport {
                    name: name.clone(),
                    items: get(&i.items),
                    fill: get(&i.fill),
                    capacity: get(&i.capacity),
                })
                .collect(),
            outputs: (c.outputs.iter().zip(&view.outputs[block]))
                .map(|(output, (name, expected_items))| OutputReport {
                    name: name.clone(),
                    items: get(&output.items),
                    tags: get(&output.tags),
                    expected_items: *expected_items,
                })
                .collect(),
            dropped_messages: c.queues.iter().map(|queue| get(&queue.dropped)).sum(),
            gaps: get(&c.gaps),
            lost_items: get(&c.lost_items),
            dropped_packets: get(&c.dropped_packets),
        });
        let elapsed = if outcome == Outcome::Running { self.started.elapsed() } else { elapsed };
        let blocks = blocks.collect();
        Report { elapsed, outcome, blocks }
    }
}

/// About how many bytes a message to a block refers to.
fn message_bytes(counters: &Arc<Counters>) -> f64 {
    counters.queues.iter().map(|queue| queue.message_bytes()).max().unwrap_or(0) as f64
}
