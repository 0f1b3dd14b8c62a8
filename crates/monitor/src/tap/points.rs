//! Where a graph has taps, and for how many viewers.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use superhet_runtime::{AnyBlock, error::ReconfigureError};

use super::block::{MessageTap, StreamTap, message_tap, stream_tap};
use crate::api::PortRef;
use crate::error::Refusal;
use crate::shape::OWN;
use crate::watched::Watched;

/// The taps of a graph.
#[derive(Debug, Default)]
pub(crate) struct Points {
    /// Held while a tap comes or goes, so that each output has one at most.
    changing: tokio::sync::Mutex<()>,
    points: Mutex<HashMap<PortRef, Point>>,
    /// Numbers the blocks: a name that was used once is not used again.
    count: AtomicUsize,
}

/// A tap at an output.
#[derive(Debug)]
struct Point {
    block: String,
    viewers: usize,
    kind: PointKind,
}

#[derive(Clone, Debug)]
enum PointKind {
    Stream { tap: Arc<StreamTap>, item: &'static str },
    Messages(Arc<MessageTap>),
}

/// A viewer's share in a tap of a stream; the tap goes with the last of them.
#[derive(Debug)]
pub(crate) struct StreamView {
    pub tap: Arc<StreamTap>,
    /// The type of the items.
    pub item: &'static str,
    /// The output that is looked at.
    pub from: PortRef,
    _share: Share,
}

/// A viewer's share in a tap of messages.
#[derive(Debug)]
pub(crate) struct MessageView {
    pub tap: Arc<MessageTap>,
    _share: Share,
}

/// Counts as a viewer until it is dropped.
#[derive(Debug)]
struct Share {
    graph: Arc<Watched>,
    from: PortRef,
}

impl Drop for Share {
    fn drop(&mut self) {
        let is_last = {
            let mut points = self.graph.points.lock();
            let Some(point) = points.get_mut(&self.from) else { return };
            point.viewers -= 1;
            point.viewers == 0
        };
        if is_last && let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let (graph, from) = (self.graph.clone(), self.from.clone());
            runtime.spawn(async move { release(&graph, &from).await });
        }
    }
}

impl Points {
    /// Keeps taps from coming and going until what this gives is dropped.
    pub async fn hold(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.changing.lock().await
    }

    /// How many taps there are.
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<PortRef, Point>> {
        self.points.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// One more viewer of a tap that is there.
    fn join(&self, graph: &Arc<Watched>, from: &PortRef) -> Option<(PointKind, Share)> {
        let mut points = self.lock();
        let point = points.get_mut(from)?;
        point.viewers += 1;
        Some((point.kind.clone(), Share { graph: graph.clone(), from: from.clone() }))
    }

    fn new_name(&self, from: &PortRef) -> String {
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        format!("{OWN}{} {} ({number})", from.block.replace('.', "_"), from.port)
    }
}

/// Looks at the stream of that name, with a tap that is there or a new one.
pub(crate) async fn look_at_stream(graph: &Arc<Watched>, stream: &str) -> Result<StreamView, Refusal> {
    whole(stream_view(graph.clone(), stream.to_owned())).await
}

/// Looks at the messages of an output, with a tap that is there or a new one.
pub(crate) async fn look_at_messages(graph: &Arc<Watched>, from: &PortRef) -> Result<MessageView, Refusal> {
    whole(message_view(graph.clone(), from.clone())).await
}

/// Does something to its end, even if whoever waits for it goes meanwhile: a tap that is there is known.
async fn whole<R: Send + 'static>(
    what: impl Future<Output = Result<R, Refusal>> + Send + 'static,
) -> Result<R, Refusal> {
    tokio::spawn(what).await.unwrap_or_else(|error| Err(Refusal { status: 500, sentence: error.to_string() }))
}

async fn stream_view(graph: Arc<Watched>, stream: String) -> Result<StreamView, Refusal> {
    let _changing = graph.points.hold().await;
    let shape = graph.shape();
    let edge = shape.edge(&stream).ok_or_else(|| {
        Refusal::unknown(format!(
            "there is no stream {stream:?}: expected an id of GET /api/graphs/{}",
            graph.id
        ))
    })?;
    let from = shape.output_ref(edge.from);
    let (kind, share) = match graph.points.join(&graph, &from) {
        Some(joined) => joined,
        None => {
            let Some(open) = edge.open.map(|open| shape.output_ref(open)) else {
                return Err(Refusal::conflict(format!(
                    "the stream {stream} stays as it is: one of its blocks waits for the outside world, and the graph was not \
                     started for a dashboard"
                )));
            };
            let item = shape.item(edge.from).unwrap_or_default();
            let Some((block, tap)) = stream_tap(item) else {
                return Err(Refusal::conflict(format!(
                    "the stream {stream} is of {item}, which has no view"
                )));
            };
            add(&graph, &from, &open, block, PointKind::Stream { tap, item }).await?
        }
    };
    match kind {
        PointKind::Stream { tap, item } => Ok(StreamView { tap, item, from, _share: share }),
        PointKind::Messages(_) => Err(Refusal::conflict(format!("{stream} has messages, not a stream"))),
    }
}

async fn message_view(graph: Arc<Watched>, from: PortRef) -> Result<MessageView, Refusal> {
    let _changing = graph.points.hold().await;
    if graph.shape().message_output(&from).is_none() {
        return Err(Refusal::unknown(format!(
            "there is no output {}.{} for messages",
            from.block, from.port
        )));
    }
    let (kind, share) = match graph.points.join(&graph, &from) {
        Some(joined) => joined,
        None => {
            let tap = Arc::new(MessageTap::default());
            let block = message_tap(tap.clone());
            add(&graph, &from, &from, block, PointKind::Messages(tap)).await?
        }
    };
    match kind {
        PointKind::Messages(tap) => Ok(MessageView { tap, _share: share }),
        PointKind::Stream { .. } => {
            Err(Refusal::conflict(format!("{}.{} has a stream", from.block, from.port)))
        }
    }
}

/// Adds a tap for what `from` gives, where `output` gives the same, behind a block that passes items on, perhaps; it has one viewer.
/// One of a stream lies in it, before all that read it; one of messages is one more that gets them.
async fn add(
    graph: &Arc<Watched>,
    from: &PortRef,
    output: &PortRef,
    block: AnyBlock,
    kind: PointKind,
) -> Result<(PointKind, Share), Refusal> {
    let name = graph.points.new_name(from);
    let (added, output) = (name.clone(), format!("{}.{}", output.block, output.port));
    let lies_inside = matches!(kind, PointKind::Stream { .. });
    let control = graph.control();
    edit(move || {
        control.reconfigure(|edit| {
            if lies_inside {
                edit.insert(added.as_str(), block, &output);
            } else {
                edit.add_any(added.as_str(), block);
                edit.connect_names(&output, &format!("{added}.in"));
            }
        })
    })
    .await?;
    graph.changed();
    graph.points.lock().insert(from.clone(), Point { block: name, viewers: 1, kind: kind.clone() });
    Ok((kind, Share { graph: graph.clone(), from: from.clone() }))
}

/// Takes the tap out, unless somebody has come meanwhile.
async fn release(graph: &Arc<Watched>, from: &PortRef) {
    let _changing = graph.points.hold().await;
    let unused = {
        let mut points = graph.points.lock();
        if points.get(from).is_some_and(|point| point.viewers == 0) { points.remove(from) } else { None }
    };
    if let Some(point) = unused {
        take_out(graph, point).await;
    }
}

/// Takes out the taps of streams that have ended, and has their viewers know. With `all`, all others, too.
pub(crate) async fn sweep(graph: &Arc<Watched>, all: bool) {
    let _changing = graph.points.hold().await;
    if graph.points.len() == 0 {
        return;
    }
    let shape = graph.fresh_shape();
    let has_ended = |point: &Point| {
        let block = shape.layout.blocks.iter().find(|block| block.name == point.block);
        block.is_none_or(|block| block.ended)
    };
    let ended: Vec<Point> = {
        let mut points = graph.points.lock();
        let names: Vec<PortRef> = points
            .iter()
            .filter(|(_, point)| all || has_ended(point))
            .map(|(from, _)| from.clone())
            .collect();
        names.iter().filter_map(|from| points.remove(from)).collect()
    };
    for point in ended {
        match &point.kind {
            PointKind::Stream { tap, .. } => tap.end(),
            PointKind::Messages(tap) => tap.end(),
        }
        take_out(graph, point).await;
    }
}

async fn take_out(graph: &Arc<Watched>, point: Point) {
    let control = graph.control();
    let removed = edit(move || control.reconfigure(|edit| edit.remove(&point.block))).await;
    // A graph that has ended has no blocks to take out.
    if let Err(refusal) = removed {
        tracing::debug!("a tap stays: {}", refusal.sentence);
    }
    graph.changed();
}

/// Changes a graph on a thread that may wait.
pub(crate) async fn edit<R: Send + 'static>(
    change: impl FnOnce() -> Result<R, ReconfigureError> + Send + 'static,
) -> Result<R, Refusal> {
    match tokio::task::spawn_blocking(change).await {
        Ok(Ok(result)) => Ok(result),
        Ok(Err(error)) => Err(Refusal::conflict(error.to_string())),
        Err(error) => Err(Refusal { status: 500, sentence: error.to_string() }),
    }
}
