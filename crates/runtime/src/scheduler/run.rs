//! Starting a graph, and the handle by which it is watched, told and ended.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::bind::bind;
use super::crew::{Crew, Unit, Worker};
use super::edit::{Changed, Edit, reconfigure};
use super::gate::Gate;
use super::priority::{Priority, why_not};
use super::site::{Site, units};
use super::stuck::Wiring;
use super::{Load, Options, Scheduler};
use crate::block::Step;
use crate::error::{MessageError, ReconfigureError, RunError};
use crate::graph::{CheckedGraph, Node, Stream, suggestion};
use crate::message::Queue;
use crate::metrics::{BlockReport, Counters, InputReport, Outcome, OutputReport, Report};
use crate::parameters::{AllParameters, Receipt};
use crate::park::Parker;
use crate::plan::{Lane, Plan, pin_to};
use crate::request::{NoReply, Request, RequestError};
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
    view: RwLock<View>,
    pub gate: Gate,
    /// What it takes to plan the graph again; `None` where its scheduler does not.
    site: Mutex<Option<Site>>,
    /// Held while somebody changes the graph.
    pub editing: Mutex<()>,
    started: Instant,
    outcome: Mutex<(Outcome, Duration)>,
}

/// What the blocks have done up to some moment.
#[derive(Clone, Debug)]
pub(super) struct Totals {
    pub at: Instant,
    busy: Vec<f64>,
    items: Vec<f64>,
    messages: Vec<f64>,
}

impl Totals {
    pub fn none() -> Self {
        Totals { at: Instant::now(), busy: Vec::new(), items: Vec::new(), messages: Vec::new() }
    }
}

/// What others can see of the graph.
#[derive(Debug, Default)]
struct View {
    counters: Vec<Arc<Counters>>,
    wiring: Wiring,
    /// Per block, the names of its outputs and how many items they will give, where known.
    outputs: Vec<Vec<(String, Option<u64>)>>,
    message_inputs: Vec<(String, Arc<Queue>)>,
    parameters: AllParameters,
}

impl View {
    fn new(graph: &mut CheckedGraph, counters: &[Arc<Counters>]) -> Self {
        let port_names = |ports: &[(String, _)]| ports.iter().map(|(name, _)| name.clone()).collect();
        View {
            counters: counters.to_vec(),
            message_inputs: message_inputs(graph),
            parameters: AllParameters::of(&mut graph.nodes),
            wiring: Wiring::new(
                graph.nodes.iter().map(|node| node.name.as_str().into()).collect(),
                graph.nodes.iter().map(|node| port_names(&node.ports.inputs)).collect(),
                graph.streams.clone(),
                graph.nodes.iter().map(Node::takes_messages).collect(),
            ),
            outputs: graph.nodes.iter().map(outputs_of).collect(),
        }
    }
}

/// What others can see of one thread.
#[derive(Debug)]
pub(super) struct ThreadState {
    crew: usize,
    /// Which block is being run, or `usize::MAX` between blocks.
    pub current: AtomicUsize,
    /// Where a block that waits for a moment sleeps.
    pub nap: Parker,
    /// Whether it sleeps until the graph is planned again.
    pub off_duty: AtomicBool,
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
    fn view(&self) -> RwLockReadGuard<'_, View> {
        self.view.read().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    pub fn site(&self) -> MutexGuard<'_, Option<Site>> {
        self.site.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// What the blocks have done since `before`, which becomes now; and other lanes that would do better.
    pub fn better_lanes(&self, before: &mut Totals) -> Option<Vec<Lane>> {
        let view = self.view();
        let get = |counter: &std::sync::atomic::AtomicU64| counter.load(Ordering::Relaxed) as f64;
        let written = |stream: &Stream| get(&view.counters[stream.from.block].outputs[stream.from.port]);
        let now = Totals {
            at: Instant::now(),
            busy: view.counters.iter().map(|c| get(&c.busy_ns) * 1e-9).collect(),
            items: view.wiring.streams.iter().map(written).collect(),
            messages: view.counters.iter().map(|c| c.queues.iter().map(|q| q.sent() as f64).sum()).collect(),
        };
        let before = std::mem::replace(before, now.clone());
        if before.busy.len() != now.busy.len() || before.items.len() != now.items.len() {
            return None;
        }
        let since =
            |now: &[f64], before: &[f64]| now.iter().zip(before).map(|(n, b)| (n - b).max(0.0)).collect();
        let load = Load {
            interval: (now.at - before.at).as_secs_f64(),
            busy: since(&now.busy, &before.busy),
            items: since(&now.items, &before.items),
            messages: since(&now.messages, &before.messages),
        };
        let site = self.site();
        let site = site.as_ref()?;
        site.scheduler.better(&site.graph, &site.lanes, &load, site.crew.workers)
    }

    /// Shows a graph that was changed. Its blocks are at rest.
    pub fn take_view(&self, site: &mut Site, is_new: &dyn Fn(usize) -> bool) {
        for (place, node) in site.graph.nodes.iter_mut().enumerate() {
            match site.counters.get_mut(place) {
                None => site.counters.push(Arc::new(Counters::new(node))),
                Some(counters) if is_new(place) => *counters = Arc::new(Counters::new(node)),
                Some(_) => {}
            }
        }
        let view = View::new(&mut site.graph, &site.counters);
        self.states().steps.resize(view.counters.len(), Step::Ran);
        let mut shown = self.view.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        // The queues of blocks that are away are known from before.
        let known = std::mem::take(&mut shown.message_inputs);
        *shown = view;
        for (name, queue) in known {
            let is_there = |(known, _): &(String, _)| *known == name;
            let block = name.split_once('.').map_or("", |(block, _)| block);
            let has_block = shown.wiring.names.iter().any(|name| **name == *block);
            if has_block && !shown.message_inputs.iter().any(is_there) {
                shown.message_inputs.push((name, queue));
            }
        }
    }

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
            if !states.ended[thread] && !state.off_duty.load(Ordering::SeqCst) {
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
        let view = self.view();
        let explanation = view.wiring.explain(&states.steps, &view.counters)?;
        Some(RunError::Stuck { explanation })
    }

    pub fn wakes_up(&self, thread: usize) {
        self.states().asleep[thread] = false;
    }

    pub fn wake_all(&self) {
        self.gate.wake_all();
        self.parkers.iter().for_each(|parker| parker.wake_all());
        self.threads.iter().for_each(|thread| thread.nap.wake_all());
    }

    fn stop(&self) {
        self.stopping.store(true, Ordering::SeqCst);
        self.wake_all();
    }

    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::SeqCst);
        self.stop();
    }

    /// As `fail`, from within a change of the graph: the workers see it when the gate opens.
    pub fn give_up(&self, error: RunError) {
        let mut first = self.error.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        first.get_or_insert(error);
        self.stopping.store(true, Ordering::SeqCst);
        self.cancelled.store(true, Ordering::SeqCst);
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

    fn report(&self) -> Report {
        let ns =
            |counter: &std::sync::atomic::AtomicU64| Duration::from_nanos(counter.load(Ordering::Relaxed));
        let get = |counter: &std::sync::atomic::AtomicU64| counter.load(Ordering::Relaxed);
        let (outcome, elapsed) = *self.outcome.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let view = self.view();
        let blocks = view.counters.iter().enumerate().map(|(block, c)| BlockReport {
            name: view.wiring.names[block].to_string(),
            blocking: c.blocking,
            calls: get(&c.calls),
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
                .map(|(items, (name, expected_items))| OutputReport {
                    name: name.clone(),
                    items: get(items),
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

    /// The parameters that can be set, each as `block.parameter`.
    pub fn parameters(&self) -> Vec<String> {
        self.0.view().parameters.names()
    }

    /// As [`RunningGraph::get`].
    ///
    /// # Errors
    /// As there.
    pub fn get(&self, parameter: &str) -> Result<Value, MessageError> {
        self.0.view().parameters.get(parameter)
    }

    /// As [`RunningGraph::set`].
    ///
    /// # Errors
    /// As there.
    pub fn set(&self, parameter: &str, value: impl Into<Value>) -> Result<Receipt, MessageError> {
        self.0.view().parameters.set(parameter, value.into(), None)
    }

    /// As [`RunningGraph::set_at`].
    ///
    /// # Errors
    /// As there.
    pub fn set_at(
        &self,
        parameter: &str,
        value: impl Into<Value>,
        index: u64,
    ) -> Result<Receipt, MessageError> {
        self.0.view().parameters.set(parameter, value.into(), Some(index))
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
/// How long a change of the graph waits for the workers to pause.
const PAUSE_PATIENCE: Duration = Duration::from_secs(10);

impl RunningGraph {
    pub(super) fn start(
        mut graph: CheckedGraph,
        plan: &Plan,
        scheduler: &dyn Scheduler,
        options: &Options,
    ) -> Result<Self, RunError> {
        let parkers: Vec<_> = plan.crews.iter().map(|_| Arc::new(Parker::new())).collect();
        let counters: Vec<_> = graph.nodes.iter_mut().map(|node| Arc::new(Counters::new(node))).collect();
        let view = RwLock::new(View::new(&mut graph, &counters));
        bind(&mut graph, plan, &parkers, None)?;
        let crews: Vec<Arc<Crew>> = plan
            .crews
            .iter()
            .enumerate()
            .map(|(index, crew)| {
                let units = units(&mut graph, plan, index, &counters, options, None);
                let waits = crew.lanes.iter().flat_map(|&lane| &plan.lanes[lane].blocks);
                let changes = index == 0 && !waits.clone().all(|&b| graph.nodes[b].spec.blocking);
                Arc::new(Crew::new(parkers[index].clone(), units, crew, changes))
            })
            .collect();
        let workers =
            crews.iter().enumerate().flat_map(|(index, crew)| std::iter::repeat_n(index, crew.workers));
        let threads: Vec<ThreadState> = workers
            .map(|crew| ThreadState {
                crew,
                current: AtomicUsize::new(usize::MAX),
                nap: Parker::new(),
                off_duty: AtomicBool::new(false),
            })
            .collect();
        let site = crews.first().filter(|crew| crew.changes).zip(scheduler.copy());
        graph.streams.iter_mut().for_each(|stream| {
            let mut blocks = stream.readers.iter().map(|reader| reader.block).chain([stream.from.block]);
            stream.kept = blocks.any(|block| graph.nodes[block].spec.blocking);
        });
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
            view,
            gate: Gate::new(crews.first().filter(|crew| crew.changes).map_or(0, |crew| crew.workers)),
            site: Mutex::default(),
            editing: Mutex::default(),
            started: Instant::now(),
            outcome: Mutex::default(),
        });
        *shared.site() = site.map(|(crew, scheduler)| Site {
            graph,
            scheduler,
            machine: plan.machine.clone(),
            options: options.clone(),
            parkers,
            crew: crew.clone(),
            lanes: plan.lanes.clone(),
            counters,
        });
        let mut running = RunningGraph { shared: shared.clone(), threads: Vec::new() };
        let mut thread = 0;
        for (crew, plan_of_crew) in crews.iter().zip(&plan.crews) {
            for place in 0..crew.workers {
                let processors = plan.machine.cpus.len();
                let worker =
                    Worker::new(thread, place, crew.clone(), shared.clone(), processors, options.seed);
                let (cpu, priority) = (plan_of_crew.cpus.get(place).copied(), options.priority);
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

    /// Changes the graph while it runs: adds, replaces or removes blocks, and connects them anew.
    ///
    /// All changes are made at once, while the workers pause between two strips, for about a millisecond; or none is.
    /// Blocks that are not touched keep their state, and no item is lost but those inside of a block that is taken out.
    /// Blocks that wait for the outside world run on meanwhile; they cannot be added, replaced or removed, and their
    /// streams keep their readers.
    ///
    /// ```
    /// use superhet_runtime::{Graph, Options, Pure, Single, harness::{VecSource, VecSink}};
    /// # struct Times(f32);
    /// # impl Pure for Times {
    /// #     type In = f32;
    /// #     type Out = f32;
    /// #     fn map(&self, x: &[f32], y: &mut [f32]) { for (y, x) in y.iter_mut().zip(x) { *y = self.0 * x; } }
    /// # }
    /// # let mut graph = Graph::new();
    /// # let source = graph.add("source", VecSource::new(vec![1.0f32; 1_000_000]));
    /// # let times = graph.add("times", Times(2.0));
    /// # let sink = VecSink::<f32>::new();
    /// # let items = sink.items();
    /// # let sink = graph.add("sink", sink);
    /// # graph.connect(source.output, times.input);
    /// # graph.connect(times.output, sink.input);
    /// let running = graph.check()?.start(&Single, &Options::default())?;
    /// if let Ok((_, changed)) = running.reconfigure(|edit| edit.replace("times", Times(3.0)).id()) {
    ///     println!("from item {} on", changed.blocks[0].1);
    /// }
    /// running.wait()?;
    /// assert_eq!(items.take().len(), 1_000_000);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Every mistake in the changed graph; that the graph has ended, that its scheduler does not do this (only
    /// [`Adaptive`](crate::Adaptive) and [`Single`](crate::Single) do), or that a worker did not pause within ten
    /// seconds. The graph goes on as it was.
    pub fn reconfigure<R>(
        &self,
        change: impl FnOnce(&mut Edit) -> R,
    ) -> Result<(R, Changed), ReconfigureError> {
        reconfigure(&self.shared, PAUSE_PATIENCE, change)
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
        let name = || port.to_owned();
        let queue = self.queue(port)?;
        if queue.is_closed() {
            return Err(MessageError::Ended { port: name() });
        }
        if let Some(parameters) = queue.parameters() {
            return parameters.message(&value.into()).map(|_| ());
        }
        queue.post(value.into()).map_err(|full| MessageError::Full { port: name(), capacity: full.capacity })
    }

    /// Sends a request to the input `port`, named `block.port`, and waits for the answer, for `timeout` at most. It waits
    /// its turn behind the messages that came before. See [`Request`] for the other side.
    ///
    /// The port `set` of a block with parameters answers the name of one with its value, and null with a map of all.
    ///
    /// # Errors
    /// Where there is no such port, it takes no requests, its queue is full, its block has ended or ends now; what the
    /// block says against it; or that the time is up: the block may still see the request.
    pub fn request(
        &self,
        port: &str,
        message: impl Into<Value>,
        timeout: Duration,
    ) -> Result<Value, MessageError> {
        let message = message.into();
        let port = port.to_owned();
        let queue = self.queue(&port)?;
        if queue.is_closed() {
            return Err(MessageError::Ended { port });
        }
        if let Some(parameters) = queue.parameters() {
            return parameters.request(&message);
        }
        let (request, waiter) = Request::from_outside(message);
        queue.post_request(|| request).map_err(|error| match error {
            RequestError::Full(capacity) => MessageError::Full { port: port.clone(), capacity },
            RequestError::TakesNone => MessageError::TakesNoRequests { port: port.clone() },
            _ => MessageError::Ended { port: port.clone() },
        })?;
        match waiter.wait(timeout, || queue.is_closed()) {
            Some(Ok(reply)) => Ok(reply),
            Some(Err(NoReply::Refused(reason))) => Err(MessageError::Refused { parameter: port, reason }),
            Some(Err(NoReply::Dropped)) if queue.is_closed() => Err(MessageError::Ended { port }),
            Some(Err(NoReply::Dropped)) => Err(MessageError::NoReply { port }),
            None => Err(MessageError::NotInTime { port, waited: timeout }),
        }
    }

    /// The value that the parameter `block.parameter` has for the items that are being taken now. A change that waits
    /// for its item is not in it.
    ///
    /// # Errors
    /// Where there is no such parameter, or its block does not tell.
    pub fn get(&self, parameter: &str) -> Result<Value, MessageError> {
        self.shared.view().parameters.get(parameter)
    }

    /// The queue of the message input `port`, named `block.port`.
    fn queue(&self, port: &str) -> Result<Arc<Queue>, MessageError> {
        let view = self.shared.view();
        let inputs = &view.message_inputs;
        let found = inputs.iter().find(|(name, _)| name == port);
        found.map(|(_, queue)| queue.clone()).ok_or_else(|| {
            let hint = suggestion(port, inputs.iter().map(|(name, _)| name.as_str()));
            MessageError::Unknown { port: port.to_owned(), hint }
        })
    }

    /// Sets the parameter `block.parameter` at the first item that the block has not taken yet.
    ///
    /// What the block gives for the items before is computed with the old value, what it gives from there on with the
    /// new one, whichever worker computes it. The receipt says which item that is, once it is known. A pure block's
    /// value is checked at once; a sync block says when it gets there, by the receipt.
    ///
    /// # Errors
    /// Where there is no such parameter, its block does not take the value or has ended, or too many changes wait.
    pub fn set(&self, parameter: &str, value: impl Into<Value>) -> Result<Receipt, MessageError> {
        self.shared.view().parameters.set(parameter, value.into(), None)
    }

    /// As [`RunningGraph::set`], at exactly item `index` of the block's input; where that was taken already, at the first
    /// item that was not. To be in time for any item, set it before the start:
    /// [`CheckedGraph::set_at`](crate::CheckedGraph::set_at).
    ///
    /// # Errors
    /// As for `set`.
    pub fn set_at(
        &self,
        parameter: &str,
        value: impl Into<Value>,
        index: u64,
    ) -> Result<Receipt, MessageError> {
        self.shared.view().parameters.set(parameter, value.into(), Some(index))
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
    struct Collect<'a>(Option<&'a str>, &'a mut Vec<(String, Arc<Queue>)>);
    impl crate::graph::PortVisitor for Collect<'_> {
        fn message_input(&mut self, name: &str, port: &mut crate::message::MsgIn) {
            let name = self.0.map_or_else(|| name.to_owned(), |block| format!("{block}.{name}"));
            self.1.push((name, port.queue().clone()));
        }
    }
    let mut inputs = Vec::new();
    for node in &mut graph.nodes {
        let prefix = (!node.is_joined).then_some(node.name.as_str());
        node.block.visit(&mut Collect(prefix, &mut inputs));
    }
    inputs
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
    if crew.changes {
        shared.gate.leave(&shared);
    }
    // The last of the crew ends what did not end by itself.
    if crew.alive.fetch_sub(1, Ordering::AcqRel) == 1 {
        crew.units().iter().for_each(|unit| close(unit, &shared));
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
            for link in farm.take_links() {
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
