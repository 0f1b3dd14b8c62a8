//! A running graph as a future.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::run::RunningGraph;
use crate::data::RunError;
use crate::metrics::Report;

/// Awaited, a running graph gives what [`RunningGraph::wait`] gives. Its last worker wakes the task; no thread waits for that. Take a
/// [`Control`](crate::running::Control) first, to stop it meanwhile. Dropped, the graph is cancelled.
///
/// ```
/// # use superhet_runtime::{Graph, Options, Report, RunError, Single};
/// async fn run(graph: Graph) -> Result<Report, RunError> {
///     graph.check()?.start(&Single, &Options::default())?.await
/// }
/// ```
impl Future for RunningGraph {
    type Output = Result<Report, RunError>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let running = self.get_mut();
        if !running.has_ended() {
            running.wake_at_end(context.waker());
            if !running.has_ended() {
                return Poll::Pending;
            }
        }
        Poll::Ready(running.join())
    }
}
