//! What stands for the dashboard in a command that was built without it: nothing can be asked for.

use std::collections::BTreeMap;
use std::time::Duration;

use clap::Args;
use superhet_flow::{Flow, Registry};
use superhet_runtime::{CheckedGraph, RunError, Value, running::Control};

/// No arguments.
#[derive(Args, Clone, Debug, Default)]
pub struct DashboardArgs {}

/// There is none.
pub enum Dashboard {}

/// Nothing is shown.
#[derive(Clone, Copy)]
pub struct Shown<'a> {
    pub dashboard: &'a Dashboard,
    pub description: &'a Description,
    pub again: Option<&'a dyn Fn() -> anyhow::Result<CheckedGraph>>,
}

/// Nobody asks.
pub enum Requests {}

/// Nobody asks.
pub enum Request {}

impl Requests {
    pub fn wait(&self, _: Duration) -> Option<Request> {
        match *self {}
    }
}

impl Request {
    pub fn answer(self, _: Result<Control, String>) {
        match self {}
    }
}

impl DashboardArgs {
    pub fn open(&self) -> anyhow::Result<Option<Dashboard>> {
        Ok(None)
    }
}

/// What nobody looks at.
#[derive(Clone, Copy)]
pub enum Shows {
    Spectrum,
    Waterfall,
    Constellation,
    Messages,
    Map,
}

/// Nobody wants to know.
#[derive(Clone, Debug, Default)]
pub struct Description {}

impl Description {
    pub fn of_flow(_: &str, _: &Flow, _: &Registry) -> Self {
        Description {}
    }

    pub fn add(&mut self, _: &str, _: &str, _: BTreeMap<String, Value>) {}

    pub fn gives(&mut self, _: &str, _: Option<f64>, _: Option<f64>) {}

    pub fn shows(&mut self, _: Shows, _: &str) {}

    pub fn named(self, _: &str) -> Self {
        self
    }
}

impl Dashboard {
    pub fn prepare(&self, _: CheckedGraph) -> Result<CheckedGraph, RunError> {
        match *self {}
    }

    pub fn stays(&self) -> bool {
        match *self {}
    }

    pub fn show(&self, _: &Description, _: Control, _: bool) -> Option<Requests> {
        match *self {}
    }
}
