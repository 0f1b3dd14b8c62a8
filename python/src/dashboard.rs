//! A dashboard in the browser for running graphs.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use superhet_monitor::{Monitor, Options, Watch};
use superhet_runtime::Value;

use crate::running::Running;
use crate::value::to_value;

/// Serves a page that shows running graphs, until it is closed.
#[pyclass(frozen, module = "superhet._native")]
pub struct Dashboard {
    monitor: Mutex<Option<Monitor>>,
}

impl Dashboard {
    fn lock(&self) -> MutexGuard<'_, Option<Monitor>> {
        self.monitor.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Dashboard {
    #[new]
    #[pyo3(signature = (address, hosts, record_dir))]
    fn new(
        py: Python<'_>,
        address: Option<&str>,
        hosts: Vec<String>,
        record_dir: Option<PathBuf>,
    ) -> PyResult<Self> {
        let mut options = Options::default().catalog(superhet::registry().entries());
        if let Some(address) = address {
            let address = Options::parse_address(address);
            options = options
                .at(address.map_err(|wrong| PyValueError::new_err(format!("dashboard address: {wrong}")))?);
        }
        for host in hosts {
            if host.is_empty() || host.contains([':', '/', ' ']) {
                let expected = "expected the name of a host, without a port";
                return Err(PyValueError::new_err(format!("dashboard host {host:?}: {expected}")));
            }
            options = options.host(host);
        }
        if let Some(folder) = record_dir {
            if !folder.is_dir() {
                return Err(PyOSError::new_err(format!("record_dir {}: it is no folder", folder.display())));
            }
            options = options.record_into(folder);
        }
        let monitor = py.detach(|| Monitor::serve(options));
        let monitor = monitor.map_err(|failed| PyOSError::new_err(failed.to_string()))?;
        Ok(Dashboard { monitor: Mutex::new(Some(monitor)) })
    }

    /// Shows a running graph. Per block of it, its name, its type and what it was made with.
    fn show(
        &self,
        name: &str,
        running: &Running,
        blocks: Vec<(String, String, Bound<'_, PyAny>)>,
    ) -> PyResult<()> {
        let mut watch = Watch::new(name, running.control().clone());
        for (block, kind, given) in blocks {
            if let Value::Map(given) = to_value(&given)? {
                let given = given.iter().map(|(key, value)| (key.to_string(), value.clone()));
                watch = watch.block(block, kind, given.collect());
            }
        }
        match &*self.lock() {
            Some(monitor) => drop(monitor.watch(watch)),
            None => return Err(PyRuntimeError::new_err("the dashboard is closed")),
        }
        Ok(())
    }

    /// What to type into a browser: for those who may control, and, where tokens are asked for, for those who may only look.
    #[getter]
    fn urls(&self) -> Vec<String> {
        self.lock().as_ref().map_or_else(Vec::new, |monitor| monitor.urls().to_vec())
    }

    /// Serves no more, and takes its taps out of the graphs.
    fn close(&self, py: Python<'_>) {
        // Workers of graphs may need Python's lock until they pause for that.
        py.detach(|| drop(self.lock().take()));
    }
}

impl Drop for Dashboard {
    fn drop(&mut self) {
        let monitor = self.lock().take();
        if monitor.is_some() {
            Python::attach(|py| py.detach(|| drop(monitor)));
        }
    }
}
