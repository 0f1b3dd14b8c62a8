//! A running graph.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use superhet_runtime::plan::{MaxLatency, Priority};
use superhet_runtime::{
    Adaptive, Options, Pinned, Report, RunError, RunningGraph, Scheduler, Single, Threads, Value,
    error::ReconfigureError, running::Control,
};

use crate::error;
use crate::graph::{Builder, Waits};
use crate::value::{from_value, to_value};

/// How often a waiting thread looks for signals.
const LOOK: Duration = Duration::from_millis(50);

/// The scheduler and its options.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Settings {
    scheduler: String,
    workers: Option<usize>,
    strip_items: Option<usize>,
    max_latency_items: Option<usize>,
    seed: Option<u64>,
    realtime: Option<u8>,
}

impl Settings {
    /// The scheduler and the options.
    ///
    /// # Errors
    /// For a scheduler that is not there, and for numbers out of range.
    pub fn read(&self) -> PyResult<(Box<dyn Scheduler + Send>, Options)> {
        if self.workers.is_some_and(|n| !(1..=1024).contains(&n)) {
            return Err(PyValueError::new_err("workers: expected a number from 1 to 1024"));
        }
        let scheduler: Box<dyn Scheduler + Send> = match (&*self.scheduler, self.workers) {
            ("adaptive", None) => Box::new(Adaptive::new()),
            ("adaptive", Some(workers)) => Box::new(Adaptive::workers(workers)),
            ("single", _) => Box::new(Single),
            ("threads", _) => Box::new(Threads),
            ("pinned", workers) => Box::new(Pinned::workers(workers.unwrap_or(1))),
            (other, _) => {
                let expected = "expected adaptive, single, pinned or threads";
                return Err(PyValueError::new_err(format!("scheduler: {expected}, got {other}")));
            }
        };
        let options = Options {
            strip_items: self.strip_items,
            seed: self.seed,
            max_latency: self.max_latency_items.map(MaxLatency::Items),
            priority: self.realtime.map_or(Priority::Normal, Priority::RealTime),
            ..Options::default()
        };
        Ok((scheduler, options))
    }
}

/// A graph at work, or one that has ended.
#[pyclass(frozen, module = "superhet._native")]
pub struct Running {
    /// Until it has come to its end.
    graph: Mutex<Option<RunningGraph>>,
    ended: AtomicBool,
    control: Control,
    waits: Mutex<Waits>,
}

type Ended = Result<Report, RunError>;

impl Running {
    pub fn new(graph: RunningGraph, waits: Waits) -> Self {
        let control = graph.control();
        let (graph, waits) = (Mutex::new(Some(graph)), Mutex::new(waits));
        Running { graph, ended: AtomicBool::new(false), control, waits }
    }

    pub fn control(&self) -> &Control {
        &self.control
    }

    fn lock(&self) -> MutexGuard<'_, Option<RunningGraph>> {
        self.graph.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for so long; the result where the graph has ended since the last time.
    fn step(&self, timeout: Duration) -> Option<Ended> {
        let mut graph = self.lock();
        let ended = graph.as_mut()?.wait_for(timeout)?;
        *graph = None;
        self.ended.store(true, Ordering::Release);
        Some(ended)
    }

    fn report_end(&self, py: Python<'_>, ended: Ended) -> PyResult<()> {
        ended.map(drop).map_err(|failed| error::run(py, failed))
    }
}

#[pymethods]
impl Running {
    /// Waits until the graph has ended; false if the time was up before. Signals are seen meanwhile.
    #[pyo3(signature = (timeout=None))]
    fn wait(&self, py: Python<'_>, timeout: Option<f64>) -> PyResult<bool> {
        let timeout = timeout.and_then(|timeout| Duration::try_from_secs_f64(timeout.max(0.0)).ok());
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        loop {
            if self.ended.load(Ordering::Acquire) {
                return Ok(true);
            }
            let left = deadline
                .map_or(LOOK, |deadline| LOOK.min(deadline.saturating_duration_since(Instant::now())));
            if let Some(ended) = py.detach(|| self.step(left)) {
                self.report_end(py, ended)?;
                return Ok(true);
            }
            py.check_signals()?;
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return Ok(false);
            }
        }
    }

    /// Ends the sources; what they have given still flows to the sinks.
    fn stop(&self, py: Python<'_>) {
        py.detach(|| self.control.stop());
    }

    /// Stops, and waits for so long at most. What has not ended by then is cancelled, and named in an exception.
    fn stop_within(&self, py: Python<'_>, timeout: f64) -> PyResult<()> {
        let timeout = Duration::try_from_secs_f64(timeout.max(0.0)).unwrap_or(Duration::MAX);
        py.detach(|| self.control.stop());
        // Whoever waits lets go of the graph after `LOOK`.
        let ended = py.detach(|| {
            let graph = self.lock().take();
            self.ended.store(true, Ordering::Release);
            graph.map(|graph| graph.stop_within(timeout))
        });
        ended.map_or(Ok(()), |ended| self.report_end(py, ended))
    }

    /// Ends all blocks as soon as their current call returns.
    fn cancel(&self, py: Python<'_>) {
        py.detach(|| self.control.cancel());
    }

    /// Makes the changes that were said to `changes`, all at once or none. Per new block, its name and the index of the
    /// first item that it takes, or gives where it has no input.
    fn change(&self, py: Python<'_>, changes: &Builder) -> PyResult<Vec<(String, u64)>> {
        let parts = changes.take()?;
        // Whoever waits lets go of the graph after `LOOK`.
        let changed = py.detach(|| {
            let graph = self.lock();
            graph.as_ref().map(|graph| graph.reconfigure(|edit| parts.apply(edit)))
        });
        let (waits, changed) = changed
            .unwrap_or(Err(ReconfigureError::Ended))
            .map_err(|refused| error::reconfigure(py, refused))?;
        self.waits.lock().unwrap_or_else(PoisonError::into_inner).extend(waits);
        Ok(changed.blocks)
    }

    /// Whether the graph has ended, and its end is reported.
    #[getter]
    fn ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// Sends a message to the input `block.port`.
    fn message(&self, py: Python<'_>, port: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = to_value(value)?;
        let sent = py.detach(|| self.control.message(port, value));
        sent.map_err(|refused| error::message(py, &refused))
    }

    /// Sends a request to the input `block.port`, and waits for the answer.
    fn request<'py>(
        &self,
        py: Python<'py>,
        port: &str,
        value: &Bound<'py, PyAny>,
        timeout: f64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let value = to_value(value)?;
        let timeout = Duration::try_from_secs_f64(timeout.max(0.0)).unwrap_or(Duration::MAX);
        let reply = py.detach(|| self.control.request(port, value, timeout));
        from_value(py, &reply.map_err(|refused| error::message(py, &refused))?)
    }

    /// Sets the parameter `block.parameter`, at an item where one is given. Without one it waits until the change holds, or a tenth
    /// of a second has passed; the item from which on it holds, where that is known by then.
    #[pyo3(signature = (parameter, value, at=None))]
    fn set(
        &self,
        py: Python<'_>,
        parameter: &str,
        value: &Bound<'_, PyAny>,
        at: Option<u64>,
    ) -> PyResult<Option<u64>> {
        let value = to_value(value)?;
        let receipt = match at {
            None => self.control.set(parameter, value),
            Some(index) => self.control.set_at(parameter, value, index),
        };
        let receipt = receipt.map_err(|refused| error::message(py, &refused))?;
        if at.is_some() {
            return Ok(None);
        }
        let index = py.detach(|| receipt.wait(Duration::from_millis(100)));
        index.map_err(|refused| error::message(py, &refused))
    }

    /// The value of the parameter `block.parameter`.
    fn get<'py>(&self, py: Python<'py>, parameter: &str) -> PyResult<Bound<'py, PyAny>> {
        let value = py.detach(|| self.control.get(parameter));
        from_value(py, &value.map_err(|refused| error::message(py, &refused))?)
    }

    /// The parameters that can be set, each as `block.parameter`.
    fn parameters(&self) -> Vec<String> {
        self.control.parameters()
    }

    /// What the graph has done so far, as a dictionary; of blocks that are written in Python also `lock_wait_s`.
    fn metrics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut json = py.detach(|| self.control.metrics().to_json());
        let waits = self.waits.lock().unwrap_or_else(PoisonError::into_inner);
        let blocks = json.get_mut("blocks").and_then(|blocks| blocks.as_array_mut()).into_iter().flatten();
        for block in blocks {
            let name = block["name"].as_str().unwrap_or("").to_owned();
            if let Some((_, waited)) = waits.iter().find(|(known, _)| *known == name) {
                block["lock_wait_s"] = (waited.load(Ordering::Relaxed) as f64 * 1e-9).into();
            }
        }
        drop(waits);
        from_value(py, &Value::from_json(&json))
    }
}

impl Drop for Running {
    /// A graph that is forgotten is stopped; its threads may need Python's lock for that.
    fn drop(&mut self) {
        let graph = self.lock().take();
        if graph.is_some() {
            Python::attach(|py| py.detach(|| drop(graph)));
        }
    }
}
