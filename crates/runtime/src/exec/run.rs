//! Starting a graph, and the handle by which it is watched, told and ended.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Waker;
use std::thread::JoinHandle;
use std::time::Duration;

use super::bind::bind;
use super::layout::Layout;
use super::region::Region;
use super::shared::Shared;
use super::thread::spawn;
use super::units::units;
use super::view::View;
use super::worker::Worker;
use crate::data::request::{NoReply, Request, RequestError};
use crate::data::{
    MessageError, ParameterName, ParameterPath, ReconfigureError, RunError, Value, suggestion,
};
use crate::exec::change::edit::{Changed, Edit, reconfigure};
use crate::exec::change::partition::Partition;
use crate::exec::change::safepoint::Safepoint;
use crate::graph::CheckedGraph;
use crate::metrics::{Counters, Outcome, Report};
use crate::plan::Plan;
use crate::plan::options::Options;
use crate::plan::policy::Scheduler;
use crate::stream::message::Queue;
use crate::stream::receipt::Receipt;
use crate::wake::Parker;

/// Stops and watches a running graph from anywhere; cheap to clone.
#[derive(Clone, Debug)]
pub struct Control(Arc<Shared>);

impl Control {
    /// Ends the sources; what they have given still flows to the sinks.
    pub fn stop(&self) {
        stop(&self.0);
    }

    /// Ends all blocks as soon as their current call returns.
    pub fn cancel(&self) {
        self.0.cancel();
    }

    /// What the graph has done so far.
    pub fn metrics(&self) -> Report {
        self.0.report()
    }

    /// How the graph has ended, if it has.
    pub fn outcome(&self) -> Outcome {
        self.0.outcome()
    }

    /// What the graph looks like now.
    pub fn layout(&self) -> Layout {
        self.0.layout()
    }

    /// Why the graph has failed, where it has.
    pub fn failure(&self) -> Option<String> {
        self.0.signals.failure()
    }

    /// As [`RunningGraph::reconfigure`].
    ///
    /// # Errors
    /// As there.
    pub fn reconfigure<R>(
        &self,
        change: impl FnOnce(&mut Edit) -> R,
    ) -> Result<(R, Changed), ReconfigureError> {
        reconfigure(&self.0, PAUSE_PATIENCE, change)
    }

    /// The parameters that can be set, each as `block.parameter`.
    pub fn parameters(&self) -> Vec<String> {
        self.0.view().parameters.names()
    }

    /// As [`RunningGraph::get`].
    ///
    /// # Errors
    /// As there.
    pub fn get<P: ParameterPath>(&self, parameter: P) -> Result<P::Value, MessageError> {
        get(&self.0, parameter)
    }

    /// As [`RunningGraph::set`].
    ///
    /// # Errors
    /// As there.
    pub fn set<V, P: ParameterName<V>>(&self, parameter: P, value: V) -> Result<Receipt, MessageError> {
        self.0.view().parameters.set(parameter.path(), P::value(value), None)
    }

    /// As [`RunningGraph::set_at`].
    ///
    /// # Errors
    /// As there.
    pub fn set_at<V, P: ParameterName<V>>(
        &self,
        parameter: P,
        value: V,
        index: u64,
    ) -> Result<Receipt, MessageError> {
        self.0.view().parameters.set(parameter.path(), P::value(value), Some(index))
    }

    /// As [`RunningGraph::message`].
    ///
    /// # Errors
    /// As there.
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

    /// As [`RunningGraph::request`].
    ///
    /// # Errors
    /// As there.
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

    /// The queue of the message input `port`, named `block.port`.
    fn queue(&self, port: &str) -> Result<Arc<Queue>, MessageError> {
        let view = self.0.view();
        let inputs = &view.message_inputs;
        let found = inputs.iter().find(|(name, _)| name == port);
        found.map(|(_, queue)| queue.clone()).ok_or_else(|| {
            let hint = suggestion(port, inputs.iter().map(|(name, _)| name.as_str()));
            MessageError::Unknown { port: port.to_owned(), hint }
        })
    }
}

/// Ends the sources.
fn stop(shared: &Arc<Shared>) {
    shared.stop();
    watch(shared);
}

/// Whoever waits for a stopped graph looks whether a block keeps it from its end for good. A task that awaits it cannot: a thread
/// does it until then.
fn watch(shared: &Arc<Shared>) {
    if shared.signals.stopping.load(Ordering::SeqCst) && shared.awaited.takes_watch() {
        let watched = shared.clone();
        let thread = std::thread::Builder::new().name("superhet-watch".to_owned());
        if let Err(error) = thread.spawn(move || watched.wait_until(None)) {
            tracing::warn!("nobody looks whether the stopped graph ends, there is no thread for it: {error}");
        }
    }
}

/// The value of a parameter, as its own type where it has one.
fn get<P: ParameterPath>(shared: &Shared, parameter: P) -> Result<P::Value, MessageError> {
    let value = shared.view().parameters.get(parameter.path())?;
    P::of(value).map_err(|value| MessageError::Refused {
        parameter: parameter.path().to_owned(),
        reason: format!("expected a {}, the block says {value}", std::any::type_name::<P::Value>()),
    })
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
        let parkers: Vec<_> = plan.regions.iter().map(|_| Arc::new(Parker::new())).collect();
        let counters: Vec<_> = graph.nodes.iter_mut().map(|node| Arc::new(Counters::new(node))).collect();
        for (index, region) in plan.regions.iter().enumerate() {
            let blocks = region.lanes.iter().flat_map(|&lane| &plan.lanes[lane].blocks);
            blocks.for_each(|&block| graph.nodes[block].region = index);
        }
        let view = View::new(&mut graph, &counters);
        bind(&mut graph, plan, &parkers, None)?;
        let processors = plan.machine.cpus.len();
        let regions: Vec<Arc<Region>> = plan
            .regions
            .iter()
            .enumerate()
            .map(|(index, region)| {
                let units = units(&mut graph, plan, index, &counters, options, None);
                let waits = region.lanes.iter().flat_map(|&lane| &plan.lanes[lane].blocks);
                let changes = index == 0 && !waits.clone().all(|&b| graph.nodes[b].spec.blocking);
                Arc::new(Region::new(
                    parkers[index].clone(),
                    units,
                    region,
                    changes,
                    processors,
                    options.seed,
                ))
            })
            .collect();
        let region_of =
            regions.iter().enumerate().flat_map(|(index, region)| std::iter::repeat_n(index, region.workers));
        let changing = regions.first().filter(|region| region.changes);
        let safepoint = Safepoint::new(changing.map_or(0, |region| region.workers));
        let shared = Arc::new(Shared::new(view, parkers, region_of, safepoint));
        let partition = changing.zip(scheduler.copy());
        graph.keep_streams();
        *shared.partition() = partition.map(|(region, scheduler)| Partition {
            graph,
            scheduler,
            machine: plan.machine.clone(),
            options: options.clone(),
            parkers: shared.parkers.clone(),
            region: region.clone(),
            lanes: plan.lanes.clone(),
            counters,
            plans: 0,
        });
        let mut running = RunningGraph { shared: shared.clone(), threads: Vec::new() };
        let mut thread = 0;
        for (region, region_plan) in regions.iter().zip(&plan.regions) {
            for place in 0..region.workers {
                let worker = Worker::new(thread, place, region.clone(), shared.clone(), options.seed);
                let (cpu, priority) = (region_plan.cpus.get(place).copied(), options.priority);
                match spawn(worker, cpu, priority) {
                    Ok(handle) => running.threads.push(handle),
                    Err(error) => {
                        // The threads that never started count as ended.
                        shared.never_started(thread);
                        shared.cancel();
                        return Err(error);
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
    /// Blocks that wait for the outside world run on meanwhile; they can be added, 16 at a time, but not replaced or removed,
    /// and their streams keep their readers.
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
        self.shared.wait_for(timeout).then(|| self.join())
    }

    /// Stops the graph and waits for at most `timeout`.
    ///
    /// # Errors
    /// As for [`RunningGraph::wait`]; besides, [`RunError::DidNotStop`] with the blocks that had not ended by then. The
    /// graph is cancelled, and threads that do not come back even so are left to themselves.
    pub fn stop_within(mut self, timeout: Duration) -> Result<Report, RunError> {
        self.shared.stop();
        if self.shared.wait_for(timeout) {
            return self.join();
        }
        let blocks = self.shared.missing();
        self.shared.cancel();
        // What does not come back even now is left to itself.
        if self.shared.wait_for(Duration::from_millis(50)) {
            self.join()?;
        }
        self.threads.clear();
        Err(RunError::DidNotStop { blocks, waited: timeout })
    }

    /// Ends the sources; what they have given still flows to the sinks.
    pub fn stop(&self) {
        stop(&self.shared);
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
        self.control().message(port, value)
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
        self.control().request(port, message, timeout)
    }

    /// The value that the parameter `block.parameter` has for the items that are being taken now. A change that waits
    /// for its item is not in it.
    ///
    /// # Errors
    /// Where there is no such parameter, its block does not tell, or what it tells is not of the parameter's type.
    pub fn get<P: ParameterPath>(&self, parameter: P) -> Result<P::Value, MessageError> {
        get(&self.shared, parameter)
    }

    /// Sets the parameter `block.parameter` at the first item that the block has not taken yet.
    ///
    /// What the block gives for the items before is computed with the old value, what it gives from there on with the
    /// new one, whichever worker computes it. The receipt says which item that is, once it is known. A pure block's
    /// value is checked at once; a sync block says when it gets there, by the receipt.
    ///
    /// # Errors
    /// Where there is no such parameter, its block does not take the value or has ended, or too many changes wait.
    pub fn set<V, P: ParameterName<V>>(&self, parameter: P, value: V) -> Result<Receipt, MessageError> {
        self.shared.view().parameters.set(parameter.path(), P::value(value), None)
    }

    /// As [`RunningGraph::set`], at exactly item `index` of the block's input; where that was taken already, at the first
    /// item that was not. To be in time for any item, set it before the start:
    /// [`CheckedGraph::set_at`](crate::CheckedGraph::set_at).
    ///
    /// # Errors
    /// As for `set`.
    pub fn set_at<V, P: ParameterName<V>>(
        &self,
        parameter: P,
        value: V,
        index: u64,
    ) -> Result<Receipt, MessageError> {
        self.shared.view().parameters.set(parameter.path(), P::value(value), Some(index))
    }

    pub(super) fn has_ended(&self) -> bool {
        self.shared.has_ended()
    }

    /// Has a task woken when the graph has ended; it may have ended before.
    pub(super) fn wake_at_end(&self, waker: &Waker) {
        self.shared.awaited.by(waker);
        watch(&self.shared);
    }

    pub(super) fn join(&mut self) -> Result<Report, RunError> {
        for thread in self.threads.drain(..).chain(self.shared.take_added()) {
            // Panics of blocks are caught in `work`; there is no other result.
            let _ = thread.join();
        }
        match self.shared.signals.take() {
            Some(error) => Err(error),
            None => Ok(self.shared.report()),
        }
    }
}

impl Drop for RunningGraph {
    fn drop(&mut self) {
        if !self.threads.is_empty() {
            self.shared.cancel();
            if self.shared.wait_for(DROP_PATIENCE) {
                let _ = self.join();
            } else {
                tracing::warn!("a dropped graph left these blocks behind: {}", self.shared.missing());
            }
        }
    }
}
