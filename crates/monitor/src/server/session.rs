//! What one viewer has asked for: metrics of graphs, and taps.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Map, Value as Json, json};
use tokio::sync::{broadcast, watch};
use tokio::task::JoinHandle;

use super::hub::{Event, Hub};
use super::outbox::Outbox;
use crate::api::{Said, Tap};
use crate::view::run::{Shown, run};

/// How many taps a viewer can have at a time.
const MOST_TAPS: usize = 64;
/// How many graphs a viewer can watch at a time.
const MOST_WATCHED: usize = 64;

/// A viewer. What it has asked for ends with it.
pub(super) struct Session {
    hub: Arc<Hub>,
    outbox: Arc<Outbox>,
    watched: HashMap<u32, Task>,
    taps: HashMap<u16, Open>,
    is_paused: watch::Sender<bool>,
    _events: Task,
}

/// A tap of the viewer.
struct Open {
    /// As the viewer asked for it.
    asked: Json,
    shown: watch::Sender<Shown>,
    _task: Task,
}

/// A task that ends when this is dropped.
struct Task(JoinHandle<()>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Session {
    /// A viewer whose messages go through `outbox`.
    pub fn new(hub: Arc<Hub>, outbox: Arc<Outbox>) -> Self {
        let events = Task(tokio::spawn(tell(hub.events(), outbox.clone())));
        let (is_paused, _) = watch::channel(false);
        Session { hub, outbox, watched: HashMap::new(), taps: HashMap::new(), is_paused, _events: events }
    }

    /// Does what the viewer says.
    pub fn hear(&mut self, text: &str) {
        let said: Result<Said, _> = serde_json::from_str(text);
        match said {
            Err(error) => self.refuse(None, format!("that was not understood: {error}")),
            Ok(Said::Watch { graph }) => self.watch(graph),
            Ok(Said::Unwatch { graph }) => {
                self.watched.remove(&graph);
                self.outbox.forget_graph(graph);
            }
            Ok(Said::Tap { tap, reference }) => self.tap(*tap, text, reference),
            Ok(Said::Untap { id }) => {
                self.taps.remove(&id);
                self.outbox.forget(id);
            }
            Ok(Said::Change { id, fields }) => self.change(id, fields),
            Ok(Said::Pause) => _ = self.is_paused.send_replace(true),
            Ok(Said::Resume) => _ = self.is_paused.send_replace(false),
        }
    }

    fn refuse(&self, reference: Option<Json>, sentence: String) {
        self.outbox.say(&json!({ "op": "error", "ref": reference, "error": sentence }));
    }

    fn watch(&mut self, graph: u32) {
        let graph = match self.hub.graphs.get(graph) {
            Ok(graph) => graph,
            Err(refusal) => return self.refuse(None, refusal.sentence),
        };
        if self.watched.len() >= MOST_WATCHED {
            return self.refuse(None, format!("a viewer watches at most {MOST_WATCHED} graphs"));
        }
        let mut metrics = self.hub.watch(&graph);
        let (outbox, mut is_paused, id) = (self.outbox.clone(), self.is_paused.subscribe(), graph.id);
        let task = async move {
            while metrics.changed().await.is_ok() {
                if is_paused.wait_for(|paused| !paused).await.is_err() {
                    return;
                }
                let text = metrics.borrow_and_update().clone();
                outbox.show(id, text);
            }
        };
        self.watched.insert(id, Task(tokio::spawn(task)));
    }

    fn tap(&mut self, tap: Tap, text: &str, reference: Option<Json>) {
        if self.taps.len() >= MOST_TAPS {
            return self.refuse(reference, format!("a viewer has at most {MOST_TAPS} taps"));
        }
        let asked = serde_json::from_str::<Json>(text).map(|mut said| said["tap"].take()).unwrap_or_default();
        let id = loop {
            let id = self.hub.tap_number();
            if !self.taps.contains_key(&id) {
                break id;
            }
        };
        let (shown, wanted) = watch::channel(Shown { tap, reference });
        let task = run(self.hub.clone(), self.outbox.clone(), id, wanted, self.is_paused.subscribe());
        self.taps.insert(id, Open { asked, shown, _task: Task(tokio::spawn(task)) });
    }

    fn change(&mut self, id: u16, fields: Map<String, Json>) {
        let Some(open) = self.taps.get_mut(&id) else {
            return self.refuse(None, format!("there is no tap {id}"));
        };
        let mut asked = open.asked.clone();
        for (name, value) in fields {
            asked[name] = value;
        }
        let before = open.shown.borrow().tap.clone();
        match serde_json::from_value::<Tap>(asked.clone()) {
            Ok(tap)
                if (tap.graph, &tap.stream, &tap.port) != (before.graph, &before.stream, &before.port) =>
            {
                self.refuse(None, format!("tap {id} stays where it is: ask for another one"));
            }
            Ok(tap) => {
                open.asked = asked;
                open.shown.send_replace(Shown { tap, reference: None });
            }
            Err(error) => self.refuse(None, format!("tap {id} stays as it is: {error}")),
        }
    }
}

/// Tells a viewer what happens to graphs.
async fn tell(mut events: broadcast::Receiver<Event>, outbox: Arc<Outbox>) {
    loop {
        match events.recv().await {
            Ok(Event::Ended(graph, error)) => {
                outbox.say(&json!({ "op": "ended", "graph": graph, "error": error }));
            }
            // Who has missed some asks for the whole list.
            Ok(Event::Graphs) | Err(broadcast::error::RecvError::Lagged(_)) => {
                outbox.say(&json!({ "op": "graphs" }));
            }
            Err(broadcast::error::RecvError::Closed) => return,
        }
    }
}
