//! Captures, one at a time in the process, and what must not happen beside one.
//!
//! The driver gives up a capture under way when anyone in the process waits for all of the device, as freeing and loading
//! things does, whichever stream that is about. So such calls wait for the capture's end, which comes soon. Anything that
//! is to be freed during a capture is freed after it.

use std::any::Any;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use cudarc::driver::result;

use super::context::Context;
use crate::driver::DriverError;

struct Captures {
    /// Who captures, and in how many streams.
    holder: Option<(ThreadId, usize)>,
    /// What is to be given back once nobody does.
    retired: Vec<Retired>,
}

/// Something that a captured graph uses and keeps alive.
pub(super) type Kept = Arc<dyn Any + Send + Sync>;

type GiveBack = dyn FnOnce(&Context) -> Result<(), DriverError> + Send;

struct Retired {
    context: Arc<Context>,
    give_back: Box<GiveBack>,
    /// Dropped when it is given back.
    kept: Vec<Kept>,
}

static CAPTURES: Mutex<Captures> = Mutex::new(Captures { holder: None, retired: Vec::new() });
static ENDED: Condvar = Condvar::new();

/// Waits until no other thread captures.
fn wait() -> MutexGuard<'static, Captures> {
    let me = thread::current().id();
    let captures = CAPTURES.lock().unwrap_or_else(PoisonError::into_inner);
    let is_others = |captures: &mut Captures| captures.holder.is_some_and(|(holder, _)| holder != me);
    ENDED.wait_while(captures, is_others).unwrap_or_else(PoisonError::into_inner)
}

/// Does what no other thread's capture would survive.
pub(super) fn alone<T>(call: impl FnOnce() -> T) -> T {
    let _captures = wait();
    call()
}

/// Begins a capture, with `call`.
pub(super) fn begin<T>(call: impl FnOnce() -> Result<T, DriverError>) -> Result<T, DriverError> {
    let mut captures = wait();
    let begun = call()?;
    let streams = captures.holder.map_or(0, |(_, streams)| streams);
    captures.holder = Some((thread::current().id(), streams + 1));
    Ok(begun)
}

/// Ends a capture that was begun, with `call`.
pub(super) fn end<T>(call: impl FnOnce() -> T) -> T {
    let mut captures = CAPTURES.lock().unwrap_or_else(PoisonError::into_inner);
    let ended = call();
    captures.holder =
        captures.holder.filter(|(_, streams)| *streams > 1).map(|(id, streams)| (id, streams - 1));
    clear(captures);
    ENDED.notify_all();
    ended
}

/// Calls `give_back` when the device has finished everything that was enqueued, and then drops `kept`. This happens now, or
/// after the capture where this or another thread captures. If that fails, the memory is lost to the process.
pub(super) fn retire(
    context: &Arc<Context>,
    give_back: impl FnOnce(&Context) -> Result<(), DriverError> + Send + 'static,
    kept: Vec<Kept>,
) {
    let mut captures = CAPTURES.lock().unwrap_or_else(PoisonError::into_inner);
    captures.retired.push(Retired { context: Arc::clone(context), give_back: Box::new(give_back), kept });
    clear(captures);
}

/// Gives back everything that was retired, if no capture is under way. The lock keeps captures from beginning meanwhile.
fn clear(mut captures: MutexGuard<'_, Captures>) {
    if captures.holder.is_some() {
        return;
    }
    let mut all_kept = Vec::new();
    for Retired { context, give_back, kept } in captures.retired.drain(..) {
        let idle = context
            .enter()
            .and_then(|()| result::ctx::synchronize().map_err(context.failed("cuCtxSynchronize")));
        match idle.and_then(|()| give_back(&context)) {
            Ok(()) => all_kept.push(kept),
            Err(error) => {
                tracing::warn!("something is not given back to the device: {error}");
                // It may still be in use.
                std::mem::forget(kept);
            }
        }
    }
    // Some of it is retired in turn.
    drop(captures);
    drop(all_kept);
}
