//! A worker's thread, from its start to its end.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;

use super::priority::{apply, why_not};
use super::shared::Shared;
use super::unit::Unit;
use super::worker::Worker;
use crate::data::RunError;
use crate::plan::options::Priority;

/// Counts a thread as ended, whatever happens in it.
struct Ending {
    shared: Arc<Shared>,
    thread: usize,
}

impl Drop for Ending {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let (block, message) = ("the runtime".to_owned(), format!("thread {} broke off", self.thread));
            self.shared.fail(RunError::Panic { block, message, ports: String::new() });
        }
        self.shared.thread_ended(self.thread);
    }
}

/// Starts a worker's thread.
pub(super) fn spawn(
    worker: Worker,
    cpu: Option<usize>,
    priority: Priority,
) -> Result<JoinHandle<()>, RunError> {
    let name = format!("superhet-{}", worker.thread);
    let thread = std::thread::Builder::new().name(name).spawn(move || work(worker, cpu, priority));
    thread.map_err(|error| RunError::System { what: "no thread for a worker".to_owned(), error })
}

/// What a worker's thread does from its start to its end.
fn work(mut worker: Worker, cpu: Option<usize>, priority: Priority) {
    let (shared, region, thread) = (worker.shared.clone(), worker.region.clone(), worker.thread);
    let _ending = Ending { shared: shared.clone(), thread };
    if let Some(cpu) = cpu
        && let Err(error) = pin_to(cpu)
    {
        tracing::warn!("thread {thread} runs unpinned, processor {cpu} is not to be had: {error}");
    }
    // One warning is enough.
    if let Err(error) = apply(priority)
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
    if region.changes {
        shared.safepoint.leave(&shared);
    }
    // The last of the region ends what did not end by itself.
    if region.alive.fetch_sub(1, Ordering::AcqRel) == 1 {
        region.units().iter().for_each(|unit| close(unit, &shared));
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
        Unit::Chain(chain) => {
            report("a block", catch_unwind(AssertUnwindSafe(|| chain.close())));
            for link in chain.take_links() {
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

/// Binds the calling thread to one processor. Elsewhere than on Linux nothing happens.
fn pin_to(cpu: usize) -> std::io::Result<()> {
    #[cfg(all(target_os = "linux", not(miri)))]
    {
        if cpu >= rustix::thread::CpuSet::MAX_CPU {
            return Err(std::io::ErrorKind::InvalidInput.into());
        }
        let mut set = rustix::thread::CpuSet::new();
        set.set(cpu);
        rustix::thread::sched_setaffinity(None, &set)?;
    }
    let _ = cpu;
    Ok(())
}
