//! What all viewers share: the graphs, their metrics, and what happens to them.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU16, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use serde_json::json;
use tokio::sync::{broadcast, watch};
use tokio::time::MissedTickBehavior;

use super::rest_taps::RestTaps;
use super::security::Gate;
use crate::api::{Metrics, State};
use crate::error::Refusal;
use crate::metrics::{Sample, metrics};
use crate::options::Options;
use crate::record::Records;
use crate::tap::points::sweep;
use crate::watched::{Graphs, Watched};

/// How often metrics are taken, and the ends of graphs and streams looked for.
const TICK: Duration = Duration::from_millis(100);
/// Over how many ticks rates are taken: a worker brings its counters up to date about as often as a tick, now once in it, now twice.
const TICKS: u32 = 10;
/// How many viewers there can be at a time.
const MOST_VIEWERS: usize = 32;
/// How many events wait for a viewer; one who misses some asks for the list of graphs again.
const EVENTS: usize = 64;

/// What all viewers share.
#[derive(Debug)]
pub(crate) struct Hub {
    pub graphs: Arc<Graphs>,
    pub options: Options,
    pub gate: Gate,
    pub records: Records,
    pub rest_taps: RestTaps,
    events: broadcast::Sender<Event>,
    viewers: AtomicUsize,
    /// Numbers the taps of all viewers.
    taps: AtomicU16,
    samplers: Mutex<HashMap<u32, watch::Sender<Arc<str>>>>,
}

/// What viewers hear without having asked.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    /// The list of graphs, or what a graph is made of, is another.
    Graphs,
    /// A graph has ended, and why if it has failed.
    Ended(u32, Option<String>),
}

/// Counts as a viewer until it is dropped.
#[derive(Debug)]
pub(crate) struct Seat(Arc<Hub>);

impl Drop for Seat {
    fn drop(&mut self) {
        self.0.viewers.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Hub {
    pub fn new(graphs: Arc<Graphs>, options: Options, gate: Gate) -> Self {
        Hub {
            graphs,
            options,
            gate,
            records: Records::default(),
            rest_taps: RestTaps::default(),
            events: broadcast::channel(EVENTS).0,
            viewers: AtomicUsize::new(0),
            taps: AtomicU16::new(0),
            samplers: Mutex::default(),
        }
    }

    /// Takes a viewer in, where there is room.
    pub fn seat(self: &Arc<Self>) -> Result<Seat, Refusal> {
        let taken = self.viewers.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |taken| {
            (taken < MOST_VIEWERS).then_some(taken + 1)
        });
        match taken {
            Ok(_) => Ok(Seat(self.clone())),
            Err(_) => Err(Refusal::too_many(format!("{MOST_VIEWERS} viewers are looking already"))),
        }
    }

    /// A number for a tap.
    pub fn tap_number(&self) -> u16 {
        self.taps.fetch_add(1, Ordering::Relaxed)
    }

    /// What happens from now on.
    pub fn events(&self) -> broadcast::Receiver<Event> {
        self.events.subscribe()
    }

    /// Tells all viewers.
    pub fn tell(&self, event: Event) {
        // Nobody may be there.
        let _ = self.events.send(event);
    }

    /// The metrics of a graph from now on, ten times a second, for as long as anybody has this.
    pub fn watch(self: &Arc<Self>, graph: &Arc<Watched>) -> watch::Receiver<Arc<str>> {
        let mut samplers = self.samplers();
        if let Some(sampler) = samplers.get(&graph.id) {
            return sampler.subscribe();
        }
        let (sender, receiver) = watch::channel(Arc::from(""));
        samplers.insert(graph.id, sender);
        drop(samplers);
        tokio::spawn(sample(self.clone(), graph.clone()));
        receiver
    }

    /// Looks after graphs for ever: tells of their ends, and takes out taps that nobody reads beside.
    pub async fn look_after(self: Arc<Self>) {
        let mut ticks = tokio::time::interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            for graph in self.graphs.all() {
                if graph.points.len() > 0 {
                    sweep(&graph, false).await;
                }
                self.records.sweep(&graph, false).await;
                self.end(&graph).await;
            }
        }
    }

    /// Tells of the end of a graph, where it has just ended.
    async fn end(&self, graph: &Arc<Watched>) {
        if let Ok(_transition) = graph.transition.try_lock() {
            self.tell_end(graph).await;
        }
    }

    async fn tell_end(&self, graph: &Arc<Watched>) {
        if graph.has_just_ended() {
            sweep(graph, true).await;
            self.records.sweep(graph, true).await;
            self.tell(Event::Ended(graph.id, graph.state().1));
        }
    }

    /// Starts a graph that has ended anew.
    pub async fn start(&self, graph: &Arc<Watched>) -> Result<(), Refusal> {
        let _transition = graph.transition.lock().await;
        if graph.state().0 == State::Running {
            return Err(Refusal::conflict(format!("{} runs already", graph.name)));
        }
        self.tell_end(graph).await;
        let starting = graph.clone();
        let started = tokio::task::spawn_blocking(move || starting.start_again()).await;
        started.unwrap_or_else(|error| Err(Refusal { status: 500, sentence: error.to_string() }))?;
        self.tell(Event::Graphs);
        Ok(())
    }

    fn samplers(&self) -> MutexGuard<'_, HashMap<u32, watch::Sender<Arc<str>>>> {
        self.samplers.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// Takes the metrics of a graph while anybody wants them.
async fn sample(hub: Arc<Hub>, graph: Arc<Watched>) {
    let mut ticks = tokio::time::interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut last = VecDeque::from([Sample::now(graph.control().metrics())]);
    loop {
        ticks.tick().await;
        let now = Sample::now(graph.control().metrics());
        let newest = last.back().unwrap_or(&now);
        if now.report.blocks.len() != newest.report.blocks.len() {
            graph.changed();
        }
        if now.report.elapsed < newest.report.elapsed {
            // It was started anew: what was counted before is of another run.
            last.clear();
        }
        if last.len() == TICKS as usize {
            last.pop_front();
        }
        let taken = metrics(&graph.shape(), last.front().unwrap_or(&now), &now);
        last.push_back(now);
        let text: Arc<str> = message(graph.id, &taken).into();
        let mut samplers = hub.samplers();
        if samplers.get(&graph.id).is_none_or(|sampler| sampler.receiver_count() == 0) {
            samplers.remove(&graph.id);
            return;
        }
        if let Some(sampler) = samplers.get(&graph.id) {
            sampler.send_replace(text);
        }
    }
}

fn message(graph: u32, metrics: &Metrics) -> String {
    let mut message = json!({ "op": "metrics", "graph": graph });
    if let (Some(message), Ok(serde_json::Value::Object(metrics))) =
        (message.as_object_mut(), serde_json::to_value(metrics))
    {
        message.extend(metrics);
    }
    message.to_string()
}

/// The metrics of a graph over the next second.
pub(crate) async fn metrics_of(graph: &Watched) -> Metrics {
    let before = Sample::now(graph.control().metrics());
    tokio::time::sleep(TICK * TICKS).await;
    metrics(&graph.shape(), &before, &Sample::now(graph.control().metrics()))
}
