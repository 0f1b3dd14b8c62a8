//! What runs while a viewer looks at something.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::sync::watch;
use tokio::time::Instant;

use super::samples::Samples;
use super::{Draw, of_stream, rate_of, rows};
use crate::api::{Tap, View};
use crate::error::Refusal;
use crate::server::hub::Hub;
use crate::server::outbox::Outbox;
use crate::shape::Known;
use crate::tap::block::StreamTap;
use crate::tap::points::{StreamView, look_at_messages, look_at_stream};
use crate::tap::slot::Slot;
use crate::watched::Watched;

/// Rows of a log in one message.
const MOST_ROWS: usize = 256;
/// How often a log is sent.
const LOG_EVERY: Duration = Duration::from_millis(100);

/// What a viewer wants to see now, and what the answer refers to.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    pub tap: Tap,
    pub reference: Option<Json>,
}

/// Shows what is wanted until the stream ends. Whoever ends the task takes the tap away.
pub(crate) async fn run(
    hub: Arc<Hub>,
    outbox: Arc<Outbox>,
    id: u16,
    mut wanted: watch::Receiver<Shown>,
    mut is_paused: watch::Receiver<bool>,
) {
    let reference = wanted.borrow().reference.clone();
    if let Err(refusal) = show(&hub, &outbox, id, &mut wanted, &mut is_paused).await {
        outbox.say(&json!({ "op": "error", "ref": reference, "id": id, "error": refusal.sentence }));
    }
}

async fn show(
    hub: &Hub,
    outbox: &Outbox,
    id: u16,
    wanted: &mut watch::Receiver<Shown>,
    is_paused: &mut watch::Receiver<bool>,
) -> Result<(), Refusal> {
    let tap = wanted.borrow().tap.clone();
    let graph = hub.graphs.get(tap.graph)?;
    match tap.view {
        View::Messages | View::Packets | View::Map => {
            let port =
                tap.port.as_ref().ok_or_else(|| Refusal::wrong("this view needs a port of messages"))?;
            let looking = look_at_messages(&graph, port).await?;
            confirm(outbox, id, wanted, Known::default(), None);
            let mut place = 0;
            let is_over = || looking.tap.is_over();
            loop {
                wait_while(is_paused).await;
                let (found, lost) = looking.tap.messages.after(&mut place, MOST_ROWS);
                // What is asked for may be another view of the same messages by now.
                let view = wanted.borrow().tap.view;
                let rows: Vec<Json> = match view {
                    View::Messages => found.iter().map(rows::message).collect(),
                    View::Packets => found.iter().filter_map(rows::packet).collect(),
                    _ => found.iter().filter_map(rows::place).collect(),
                };
                send_log(outbox, id, rows, lost).await;
                if looking.tap.messages.count() == place && is_over() {
                    return Ok(());
                }
                looking.tap.messages.news(place, is_over).await;
            }
        }
        View::Tags => {
            let looking = look_at(&graph, &tap).await?;
            confirm(outbox, id, wanted, graph.known(&looking.from), None);
            let _counted = TagViewer::new(looking.tap.clone());
            let mut place = looking.tap.tags.count();
            let is_over = || looking.tap.is_over();
            loop {
                wait_while(is_paused).await;
                let (found, lost) = looking.tap.tags.after(&mut place, MOST_ROWS);
                send_log(outbox, id, found.iter().map(rows::tag).collect(), lost).await;
                if looking.tap.tags.count() == place && is_over() {
                    return Ok(());
                }
                looking.tap.tags.news(place, is_over).await;
            }
        }
        _ => {
            let looking = look_at(&graph, &tap).await?;
            frames(&graph, outbox, id, &looking, wanted, is_paused).await
        }
    }
}

/// Looks at the stream that a tap names.
async fn look_at(graph: &Arc<Watched>, tap: &Tap) -> Result<StreamView, Refusal> {
    let stream = tap.stream.as_deref().ok_or_else(|| Refusal::wrong("this view needs a stream"))?;
    look_at_stream(graph, stream).await
}

/// Draws frames of a stream.
async fn frames(
    graph: &Watched,
    outbox: &Outbox,
    id: u16,
    looking: &StreamView,
    wanted: &mut watch::Receiver<Shown>,
    is_paused: &mut watch::Receiver<bool>,
) -> Result<(), Refusal> {
    let slot = Filled::new(looking.tap.clone());
    let item_bytes = Samples::item_bytes(looking.item);
    let is_over = || looking.tap.is_over();
    let mut is_first = true;
    // What is shown changes when the viewer asks, and when tags say a rate or frequency.
    loop {
        let shown = wanted.borrow_and_update().clone();
        let said = looking.tap.known();
        let known = known(graph, looking);
        let mut draw = match of_stream(&shown.tap, looking.item, known) {
            Ok(draw) => draw,
            Err(refusal) if is_first => return Err(refusal),
            Err(refusal) => {
                // A change that cannot be made leaves the viewer without a picture, and with the reason.
                outbox.say(&json!({ "op": "error", "ref": null, "id": id, "error": refusal.sentence }));
                if wanted.changed().await.is_err() {
                    return Ok(());
                }
                continue;
            }
        };
        confirm(outbox, id, wanted, known, Some(&*draw));
        is_first = false;
        let wants_all = shown.tap.view == View::Audio;
        let every = Duration::from_secs_f64(1.0 / rate_of(&shown.tap));
        let mut due = Instant::now();
        if wants_all {
            slot.want_all(draw.items() * item_bytes);
        }
        loop {
            wait_while(is_paused).await;
            if !wants_all {
                slot.want(draw.items() * item_bytes);
            }
            let captured = tokio::select! {
                captured = slot.take(is_over) => captured,
                changed = wanted.changed() => match changed {
                    Ok(()) => break,
                    Err(_) => return Ok(()),
                },
            };
            let Some(captured) = captured else { return Ok(()) };
            let samples = Samples::of(looking.item, &captured.bytes);
            if let Some(frame) = draw.draw(captured.first, &samples) {
                outbox.draw(id, frame, u32::try_from(captured.lost).unwrap_or(u32::MAX));
            }
            if looking.tap.known() != said || wanted.has_changed().unwrap_or(false) {
                break;
            }
            if wants_all {
                // Others have their turn.
                tokio::task::yield_now().await;
                continue;
            }
            due = (due + every).max(Instant::now());
            tokio::time::sleep_until(due).await;
        }
    }
}

/// Rate and centre of what is looked at: as tags have said, or else as is known of the graph.
fn known(graph: &Watched, looking: &StreamView) -> Known {
    let said = looking.tap.known();
    if said != Known::default() {
        graph.note(&looking.from, said);
    }
    graph.known(&looking.from)
}

/// Tells the viewer that the tap is there, and what its axis is.
fn confirm(outbox: &Outbox, id: u16, wanted: &watch::Receiver<Shown>, known: Known, draw: Option<&dyn Draw>) {
    let span = draw.and_then(Draw::span_hz);
    outbox.say(&json!({
        "op": "tapped",
        "ref": wanted.borrow().reference,
        "id": id,
        "first_hz": span.map(|(first, _)| first),
        "last_hz": span.map(|(_, last)| last),
        "rate_hz": known.rate_hz,
    }));
}

/// Sends rows, once those before are gone.
async fn send_log(outbox: &Outbox, id: u16, rows: Vec<Json>, lost: u64) {
    if rows.is_empty() && lost == 0 {
        return;
    }
    while !outbox.takes_log(id) {
        tokio::time::sleep(LOG_EVERY).await;
    }
    outbox.log(id, json!({ "op": "log", "id": id, "lost": lost, "rows": rows }).to_string());
    tokio::time::sleep(LOG_EVERY).await;
}

/// Waits until the viewer looks.
async fn wait_while(is_paused: &mut watch::Receiver<bool>) {
    // The viewer's own end ends this task, too.
    let _ = is_paused.wait_for(|paused| !paused).await;
}

/// A slot that a tap fills until this is dropped.
struct Filled {
    tap: Arc<StreamTap>,
    slot: Arc<Slot>,
}

impl Filled {
    fn new(tap: Arc<StreamTap>) -> Self {
        let slot = tap.slot();
        Filled { tap, slot }
    }
}

impl std::ops::Deref for Filled {
    type Target = Slot;
    fn deref(&self) -> &Slot {
        &self.slot
    }
}

impl Drop for Filled {
    fn drop(&mut self) {
        self.tap.remove(&self.slot);
    }
}

/// Counts as a viewer of tags until it is dropped.
struct TagViewer(Arc<StreamTap>);

impl TagViewer {
    fn new(tap: Arc<StreamTap>) -> Self {
        tap.add_tag_viewer();
        TagViewer(tap)
    }
}

impl Drop for TagViewer {
    fn drop(&mut self) {
        self.0.remove_tag_viewer();
    }
}
