//! Starting a graph, and the handle by which it is watched, told and ended.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::Options;
use super::bind::bind;
use super::crew::{Crew, LaneUnit, Unit, Worker};
use super::farm::{Farm, Link};
use super::lane::{Lane, Seeded, Task};
use super::priority::{Priority, why_not};
use super::stuck::Wiring;
use crate::block::Step;
use crate::buffer::{Claims, ReadEnd, WriteEnd};
use crate::error::{MessageError, RunError};
use crate::graph::{CheckedGraph, Node, suggestion};
use crate::message::Queue;
use crate::metrics::{BlockReport, Counters, InputReport, Outcome, OutputReport, Report};
use crate::park::Parker;
use crate::plan::{CrewPlan, Lane as LanePlan, Plan, pin_to};
use crate::value::Value;

/// What the workers of a graph and its handles share.
#[derive(Debug)]
pub(super) struct Shared {
    /// Sources end, the rest drains.
    pub stopping: AtomicBool,
    /// Everything ends at once.
    cancelled: AtomicBool,
    /// What the graph will report: the first error.
    pub error: Mutex<Option<RunError>>,
    workers: Mutex<WorkerStates>,
    /// Rung when a worker ends.
    ended: Condvar,
    /// Where the workers of each crew sleep.
    parkers: Vec<Arc<Parker>>,
    pub threads: Vec<ThreadState>,
    counters: Vec<Arc<Counters>>,
    wiring: Wiring,
    /// Per block, the names of its outputs and how many items they will give, where known.
    outputs: Vec<Vec<(String, Option<u64>)>>,
    message_inputs: Vec<(String, Arc<Queue>)>,
    started: Instant,
    outcome: Mutex<(Outcome, Duration)>,
}

/// What others can see of one thread.
#[derive(Debug)]
pub(super) struct ThreadState {
    crew: usize,
    /// Which block is being run, or `usize::MAX` between blocks.
    pub current: AtomicUsize,
    /// Where a block that waits for a moment sleeps.
    pub nap: Parker,
    /// The blocks that it may run.
    blocks: Vec<usize>,
}

#[derive(Debug)]
struct WorkerStates {
    alive: usize,
    /// Per thread: has it ended?
    ended: Vec<bool>,
    /// Per thread: does it sleep, and not by its own choice?
    asleep: Vec<bool>,
    /// Per block, as of the last time that a worker found nothing to do there.
    steps: Vec<Step>,
}

impl Shared {
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    fn states(&self) -> MutexGuard<'_, WorkerStates> {
        self.workers.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Notes that a worker has announced its sleep and found nothing to do; the error if nobody ever will.
    pub fn goes_to_sleep(&self, thread: usize, steps: &[(usize, Step)]) -> Option<RunError> {
        let mut states = self.states();
        states.asleep[thread] = true;
        steps.iter().for_each(|&(block, step)| states.steps[block] = step);
        // A worker that was woken, and does not know yet, is about to look again.
        let mut sleepers: Vec<usize> = self.parkers.iter().map(|parker| parker.sleepers()).collect();
        for (thread, state) in self.threads.iter().enumerate() {
            if !states.ended[thread] {
                let sleeps = states.asleep[thread] && sleepers[state.crew] > 0;
                sleepers[state.crew] -= usize::from(sleeps);
                if !sleeps {
                    return None;
                }
            }
        }
        if self.stopping.load(Ordering::SeqCst) || self.is_cancelled() {
            return None;
        }
        let explanation = self.wiring.explain(&states.steps, &self.counters)?;
        Some(RunError::Stuck { explanation })
    }

    pub fn wakes_up(&self, thread: usize) {
        self.states().asleep[thread] = false;
    }

    fn wake_all(&self) {
        self.parkers.iter().for_each(|parker| parker.wake_all());
        self.threads.iter().for_each(|thread| thread.nap.wake_all());
    }

    fn stop(&self) {
        self.stopping.store(true, Ordering::SeqCst);
        self.wake_all();
    }

    fn cancel(&self) {
        self.cancelled.store(true, Ordering::SeqCst);
        self.stop();
    }

    fn fail(&self, error: RunError) {
        let mut first = self.error.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        first.get_or_insert(error);
        drop(first);
        self.cancel();
    }

    /// Waits until all workers have ended, or until `deadline`; whether they have.
    fn wait_until(&self, deadline: Option<Instant>) -> bool {
        let mut states = self.states();
        while states.alive > 0 {
            states = match deadline {
                None => self.ended.wait(states).unwrap_or_else(|poisoned| poisoned.into_inner()),
                Some(deadline) => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return false;
                    }
                    self.ended.wait_timeout(states, left).unwrap_or_else(|poisoned| poisoned.into_inner()).0
                }
            };
        }
        true
    }

    /// The blocks that keep their workers from ending: those whose code is being run, if any is.
    fn missing(&self) -> String {
        let states = self.states();
        let threads = || self.threads.iter().zip(&states.ended).filter(|(_, ended)| !**ended).map(|(t, _)| t);
        let mut blocks: Vec<usize> = threads()
            .map(|thread| thread.current.load(Ordering::Relaxed))
            .filter(|&b| b != usize::MAX)
            .collect();
        if blocks.is_empty() {
            blocks = threads().flat_map(|thread| thread.blocks.clone()).collect();
        }
        blocks.sort_unstable();
        blocks.dedup();
        blocks.iter().map(|&block| self.wiring.names[block].to_string()).collect::<Vec<_>>().join(", ")
    }

    fn report(&self) -> Report {
        let ns =
            |counter: &std::sync::atomic::AtomicU64| Duration::from_nanos(counter.load(Ordering::Relaxed));
        let get = |counter: &std::sync::atomic::AtomicU64| counter.load(Ordering::Relaxed);
        let (outcome, elapsed) = *self.outcome.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let blocks = self.counters.iter().enumerate().map(|(block, c)| BlockReport {
            name: self.wiring.names[block].to_string(),
            blocking: c.blocking,
            calls: get(&c.calls),
            busy: ns(&c.busy_ns),
            blocked_input: ns(&c.blocked_input_ns),
            blocked_output: ns(&c.blocked_output_ns),
            inputs: (c.inputs.iter().zip(&self.wiring.inputs[block]))
                .map(|(i, name)| InputReport {
                    name: name.clone(),
                    items: get(&i.items),
                    fill: get(&i.fill),
                    capacity: get(&i.capacity),
                })
                .collect(),
            outputs: (c.outputs.iter().zip(&self.outputs[block]))
                .map(|(items, (name, expected_items))| OutputReport {
                    name: name.clone(),
                    items: get(items),
                    expected_items: *expected_items,
                })
                .collect(),
            dropped_messages: c.queues.iter().map(|queue| get(&queue.dropped)).sum(),
        });
        let elapsed = if outcome == Outcome::Running { self.started.elapsed() } else { elapsed };
        Report { elapsed, outcome, blocks: blocks.collect() }
    }
}

/// Stops and watches a running graph from anywhere; cheap to clone.
#[derive(Clone, Debug)]
pub struct Control(Arc<Shared>);

impl Control {
    /// Ends the sources; what they have given still flows to the sinks.
    pub fn stop(&self) {
        self.0.stop();
    }

    /// Ends all blocks as soon as their current call returns.
    pub fn cancel(&self) {
        self.0.cancel();
    }

    /// What the graph has done so far.
    pub fn metrics(&self) -> Report {
        self.0.report()
    }
}

/// A graph at work.
///
/// Dropping it cancels the graph and waits for a moment; call [`RunningGraph::wait`] to let it come to its end.
#[derive(Debug)]
pub struct RunningGraph {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

/// How long a dropped graph is waited for.
const DROP_PATIENCE: Duration = Duration::from_secs(1);
/// How long a worker looks for work before it sleeps, where every lane has a processor: waking it costs as much.
const PATIENCE: Duration = Duration::from_micros(30);

impl RunningGraph {
    pub(super) fn start(mut graph: CheckedGraph, plan: &Plan, options: &Options) -> Result<Self, RunError> {
        let parkers: Vec<_> = plan.crews.iter().map(|_| Arc::new(Parker::new())).collect();
        let takes_messages = graph.nodes.iter().map(|node| !node.ports.message_inputs.is_empty()).collect();
        let message_inputs = message_inputs(&mut graph);
        let counters: Vec<_> = graph.nodes.iter_mut().map(|node| Arc::new(Counters::new(node))).collect();
        bind(&mut graph, plan, &parkers)?;
        let names: Vec<Arc<str>> = graph.nodes.iter().map(|node| node.name.as_str().into()).collect();
        let port_names = |ports: &[(String, _)]| ports.iter().map(|(name, _)| name.clone()).collect();
        let blocks_of = |crew: &CrewPlan| {
            crew.lanes.iter().flat_map(|&lane| plan.lanes[lane].blocks.clone()).collect::<Vec<_>>()
        };
        let threads: Vec<ThreadState> = plan
            .crews
            .iter()
            .enumerate()
            .flat_map(|(crew, plan)| std::iter::repeat_n((crew, plan), plan.workers))
            .map(|(crew, plan)| ThreadState {
                crew,
                current: AtomicUsize::new(usize::MAX),
                nap: Parker::new(),
                blocks: blocks_of(plan),
            })
            .collect();
        let shared = Arc::new(Shared {
            stopping: AtomicBool::new(false),
            cancelled: AtomicBool::new(false),
            error: Mutex::default(),
            workers: Mutex::new(WorkerStates {
                alive: threads.len(),
                ended: vec![false; threads.len()],
                asleep: vec![false; threads.len()],
                steps: vec![Step::Ran; graph.nodes.len()],
            }),
            ended: Condvar::new(),
            parkers: parkers.clone(),
            threads,
            counters: counters.clone(),
            wiring: Wiring {
                names: names.clone(),
                inputs: graph.nodes.iter().map(|node| port_names(&node.ports.inputs)).collect(),
                streams: std::mem::take(&mut graph.streams),
                takes_messages,
            },
            outputs: graph.nodes.iter().map(outputs_of).collect(),
            message_inputs,
            started: Instant::now(),
            outcome: Mutex::default(),
        });
        let every_worker_has_a_processor = shared.threads.len() <= plan.machine.cpus.len();
        let patience =
            if shared.threads.len() > 1 && every_worker_has_a_processor { PATIENCE } else { Duration::ZERO };
        let mut nodes: Vec<_> = graph.nodes.into_iter().map(Some).collect();
        let mut running = RunningGraph { shared: shared.clone(), threads: Vec::new() };
        let mut thread = 0;
        for (crew_plan, parker) in plan.crews.iter().zip(&parkers) {
            let units = crew_plan
                .lanes
                .iter()
                .map(|&lane| unit(&plan.lanes[lane], lane, &mut nodes, &counters, options))
                .collect();
            let crew = Arc::new(Crew {
                parker: parker.clone(),
                units,
                workers: crew_plan.workers,
                alive: AtomicUsize::new(crew_plan.workers),
            });
            for place in 0..crew_plan.workers {
                let worker = Worker::new(thread, place, crew.clone(), shared.clone(), patience, options.seed);
                let (cpu, priority) = (crew_plan.cpus.get(place).copied(), options.priority);
                let name = format!("superhet-{thread}");
                match std::thread::Builder::new().name(name).spawn(move || work(worker, cpu, priority)) {
                    Ok(handle) => running.threads.push(handle),
                    Err(error) => {
                        // The threads that never started count as ended.
                        shared.states().alive -= shared.threads.len() - thread;
                        shared.cancel();
                        return Err(RunError::System { what: "no thread for a worker".to_owned(), error });
                    }
                }
                thread += 1;
            }
        }
        Ok(running)
    }

    /// Waits until the graph has come to its end.
    ///
    /// # Errors
    /// What ended it early: a block's error or panic, or that it is stuck.
    pub fn wait(mut self) -> Result<Report, RunError> {
        self.shared.wait_until(None);
        self.join()
    }

    /// Waits until the graph has come to its end, or `timeout` has passed; `None` in that case.
    pub fn wait_for(&mut self, timeout: Duration) -> Option<Result<Report, RunError>> {
        self.shared.wait_until(Some(Instant::now() + timeout)).then(|| self.join())
    }

    /// Stops the graph and waits for at most `timeout`.
    ///
    /// # Errors
    /// As for [`RunningGraph::wait`]; besides, [`RunError::DidNotStop`] with the blocks that had not ended by then. The
    /// graph is cancelled, and threads that do not come back even so are left to themselves.
    pub fn stop_within(mut self, timeout: Duration) -> Result<Report, RunError> {
        self.shared.stop();
        if self.shared.wait_until(Some(Instant::now() + timeout)) {
            return self.join();
        }
        let blocks = self.shared.missing();
        self.shared.cancel();
        // What does not come back even now is left to itself.
        if self.shared.wait_until(Some(Instant::now() + Duration::from_millis(50))) {
            self.join()?;
        }
        self.threads.clear();
        Err(RunError::DidNotStop { blocks, waited: timeout })
    }

    /// Ends the sources; what they have given still flows to the sinks.
    pub fn stop(&self) {
        self.shared.stop();
    }

    /// Ends all blocks as soon as their current call returns.
    pub fn cancel(&self) {
        self.shared.cancel();
    }

    /// What the graph has done so far.
    pub fn metrics(&self) -> Report {
        self.shared.report()
    }

    /// A handle that stops and watches the graph from elsewhere, such as a signal handler.
    pub fn control(&self) -> Control {
        Control(self.shared.clone())
    }

    /// Sends a message to the input `port`, named `block.port`.
    ///
    /// # Errors
    /// Where there is no such port, its block has ended, or its queue is full and would block or refuse.
    pub fn message(&self, port: &str, value: impl Into<Value>) -> Result<(), MessageError> {
        let inputs = &self.shared.message_inputs;
        let name = || port.to_owned();
        let Some((_, queue)) = inputs.iter().find(|(name, _)| name == port) else {
            let hint = suggestion(port, inputs.iter().map(|(name, _)| name.as_str()));
            return Err(MessageError::Unknown { port: name(), hint });
        };
        if queue.is_closed() {
            return Err(MessageError::Ended { port: name() });
        }
        queue.post(value.into()).map_err(|full| MessageError::Full { port: name(), capacity: full.capacity })
    }

    fn join(&mut self) -> Result<Report, RunError> {
        for thread in self.threads.drain(..) {
            // Panics of blocks are caught in `work`; there is no other result.
            let _ = thread.join();
        }
        match self.shared.error.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take() {
            Some(error) => Err(error),
            None => Ok(self.shared.report()),
        }
    }
}

impl Drop for RunningGraph {
    fn drop(&mut self) {
        if !self.threads.is_empty() {
            self.shared.cancel();
            if self.shared.wait_until(Some(Instant::now() + DROP_PATIENCE)) {
                let _ = self.join();
            } else {
                tracing::warn!("a dropped graph left these blocks behind: {}", self.shared.missing());
            }
        }
    }
}

fn outputs_of(node: &Node) -> Vec<(String, Option<u64>)> {
    node.ports.outputs.iter().map(|(name, spec)| (name.clone(), spec.expected_items)).collect()
}

/// The queues of all message inputs by the names of their ports.
fn message_inputs(graph: &mut CheckedGraph) -> Vec<(String, Arc<Queue>)> {
    struct Collect<'a>(&'a str, &'a mut Vec<(String, Arc<Queue>)>);
    impl crate::graph::PortVisitor for Collect<'_> {
        fn message_input(&mut self, name: &str, port: &mut crate::message::MsgIn) {
            self.1.push((format!("{}.{name}", self.0), port.queue().clone()));
        }
    }
    let mut inputs = Vec::new();
    for node in &mut graph.nodes {
        node.block.visit(&mut Collect(&node.name, &mut inputs));
    }
    inputs
}

/// Makes what a crew runs out of a lane of the plan.
fn unit(
    lane: &LanePlan,
    index: usize,
    nodes: &mut [Option<Node>],
    counters: &[Arc<Counters>],
    options: &Options,
) -> Unit {
    let blocks = || lane.blocks.iter().copied();
    if let Some(farm) = &lane.farm {
        let (mut input, mut output) = (ReadEnd::None, WriteEnd::None);
        let links = blocks().filter_map(|block| {
            let mut node = nodes[block].take()?;
            node.block.visit(&mut TakeRings { input: &mut input, output: &mut output });
            Some(Link {
                block,
                name: node.name.as_str().into(),
                pure: node.block.0.link()?,
                runnable: node.block.0,
                counters: counters[block].clone(),
            })
        });
        let links = links.collect();
        let claims = Claims::new(farm.shape.clone(), input, output, 0);
        let farm = Farm::new(links, farm.shape.clone(), farm.portions, options.in_place, claims);
        return Unit::Farm(Box::new(farm));
    }
    let tasks = blocks()
        .filter_map(|block| {
            let node = nodes[block].take()?;
            Some(Task {
                block,
                name: node.name.as_str().into(),
                is_source: node.ports.inputs.is_empty() && node.ports.message_inputs.is_empty(),
                runnable: node.block.0,
                counters: counters[block].clone(),
                last: Step::Ran,
            })
        })
        .collect();
    let seeded = options
        .seed
        .map(|seed| Seeded::new(seed.wrapping_add(index as u64), options.strip_items.unwrap_or(4096)));
    Unit::Lane(LaneUnit::new(Lane::new(tasks, seeded)))
}

/// Takes the rings at the ends of a chain out of its blocks' ports.
struct TakeRings<'a> {
    input: &'a mut ReadEnd,
    output: &'a mut WriteEnd,
}

impl crate::graph::PortVisitor for TakeRings<'_> {
    fn input(&mut self, _: &str, port: &mut dyn crate::port::AnyIn) {
        let end = port.raw().end;
        if !matches!(end, ReadEnd::None) {
            *self.input = std::mem::take(end);
        }
    }
    fn output(&mut self, _: &str, port: &mut dyn crate::port::AnyOut) {
        let end = port.raw().end;
        if !matches!(end, WriteEnd::None) {
            *self.output = std::mem::take(end);
        }
    }
}

/// Counts a thread as ended, whatever happens in it.
struct Ending {
    shared: Arc<Shared>,
    thread: usize,
}

impl Drop for Ending {
    fn drop(&mut self) {
        let shared = &self.shared;
        if std::thread::panicking() {
            let (block, message) = ("the runtime".to_owned(), format!("thread {} broke off", self.thread));
            shared.fail(RunError::Panic { block, message, ports: String::new() });
        }
        shared.wake_all();
        let mut states = shared.states();
        states.ended[self.thread] = true;
        states.alive -= 1;
        if states.alive == 0 {
            let outcome = match () {
                _ if shared.is_cancelled() => Outcome::Cancelled,
                _ if shared.stopping.load(Ordering::SeqCst) => Outcome::Stopped,
                _ => Outcome::Completed,
            };
            *shared.outcome.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) =
                (outcome, shared.started.elapsed());
        }
        shared.ended.notify_all();
    }
}

/// What a worker's thread does from its start to its end.
fn work(mut worker: Worker, cpu: Option<usize>, priority: Priority) {
    let (shared, crew, thread) = (worker.shared.clone(), worker.crew.clone(), worker.thread);
    let _ending = Ending { shared: shared.clone(), thread };
    if let Some(cpu) = cpu
        && let Err(error) = pin_to(cpu)
    {
        tracing::warn!("thread {thread} runs unpinned, processor {cpu} is not to be had: {error}");
    }
    // One warning is enough.
    if let Err(error) = priority.apply()
        && thread == 0
    {
        tracing::warn!("the graph runs without real-time priority: {} ({error})", why_not(&error));
    }
    let error = match catch_unwind(AssertUnwindSafe(|| worker.run())) {
        Ok(Ok(())) => None,
        Ok(Err(error)) => Some(error),
        Err(panic) => Some(worker.panicked(panic_text(panic))),
    };
    if let Some(error) = error {
        shared.fail(error);
    }
    drop(worker);
    // The last of the crew ends what did not end by itself.
    if crew.alive.fetch_sub(1, Ordering::AcqRel) == 1 {
        crew.units.iter().for_each(|unit| close(unit, &shared));
    }
}

/// Ends the blocks of a unit and drops them.
fn close(unit: &Unit, shared: &Shared) {
    // Blocks flush when they are dropped, which is part of their work: a panic there is an error too.
    let report = |name: &str, result: std::thread::Result<()>| {
        if let Err(panic) = result {
            let (block, message) = (name.to_owned(), panic_text(panic));
            shared.fail(RunError::Panic { block, message, ports: "while it was dropped".to_owned() });
        }
    };
    match unit {
        Unit::Lane(unit) => {
            let mut lane = unit.lane();
            report("a block", catch_unwind(AssertUnwindSafe(|| lane.end())));
            for task in lane.tasks.drain(..) {
                let name = task.name.clone();
                report(&name, catch_unwind(AssertUnwindSafe(|| drop(task))));
            }
        }
        Unit::Farm(farm) => {
            report("a block", catch_unwind(AssertUnwindSafe(|| farm.close())));
            for link in farm.links.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).drain(..) {
                let name = link.name.clone();
                report(&name, catch_unwind(AssertUnwindSafe(|| drop(link))));
            }
        }
    }
}

fn panic_text(panic: Box<dyn std::any::Any + Send>) -> String {
    let panic = match panic.downcast::<String>() {
        Ok(text) => return *text,
        Err(panic) => panic,
    };
    match panic.downcast::<&str>() {
        Ok(text) => text.to_string(),
        Err(panic) => {
            // Dropping a payload of the block's own would run its code once more.
            std::mem::forget(panic);
            "a panic without a text".to_owned()
        }
    }
}
