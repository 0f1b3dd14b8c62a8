//! Threads that call Python again and again.
//!
//! Python makes a state with a stack of its own for each unknown thread that attaches, and drops it when the thread
//! detaches. That takes several times as long as a short call. So the threads that run blocks stay known until they end.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use pyo3::ffi;
use pyo3::prelude::*;

/// How many calls of Python are going on, or wait for its lock.
static CALLS: AtomicUsize = AtomicUsize::new(0);
/// The interpreter is about to go: what it knows of threads goes with it.
static LEAVING: AtomicBool = AtomicBool::new(false);

thread_local!(static KNOWN: Known = Known::here());

/// That Python knows this thread.
struct Known {
    state: ffi::PyGILState_STATE,
    thread: *mut ffi::PyThreadState,
}

impl Known {
    /// Makes this thread, which does not hold Python's lock, known.
    fn here() -> Self {
        // SAFETY: the interpreter is there, as this is its extension. The lock that the first call takes is let go of by the
        // second; the state stays, to be dropped by `drop` on the same thread.
        unsafe {
            let state = ffi::PyGILState_Ensure();
            Known { state, thread: ffi::PyEval_SaveThread() }
        }
    }
}

impl Drop for Known {
    fn drop(&mut self) {
        let _call = Call::new();
        if !LEAVING.load(Ordering::SeqCst) {
            // SAFETY: as `here` has left it, on the same thread, which does not hold the lock: nothing does at its end.
            unsafe {
                ffi::PyEval_RestoreThread(self.thread);
                ffi::PyGILState_Release(self.state);
            }
        }
    }
}

/// A call that is going on.
struct Call;

impl Call {
    fn new() -> Self {
        CALLS.fetch_add(1, Ordering::SeqCst);
        Call
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        CALLS.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Calls Python from a thread that runs blocks.
pub fn attach<R>(call: impl FnOnce(Python<'_>) -> R) -> R {
    let _call = Call::new();
    // SAFETY: asks about this thread only. One that Python does not know does not hold its lock.
    if unsafe { ffi::PyGILState_GetThisThreadState() }.is_null() {
        KNOWN.with(|_| ());
    }
    Python::attach(call)
}

/// How many calls of Python blocks are going on: the interpreter must not go before they have come back.
#[pyfunction]
pub fn calls_in_progress() -> usize {
    CALLS.load(Ordering::SeqCst)
}

/// The interpreter is about to end: no more threads are registered with it.
#[pyfunction]
pub fn leave() {
    LEAVING.store(true, Ordering::SeqCst);
}
