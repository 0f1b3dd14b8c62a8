//! What stands for the dashboard in a command that was built without it: nothing can be asked for.

use std::collections::BTreeMap;

use clap::Args;
use superhet_flow::{Flow, Registry};
use superhet_runtime::{CheckedGraph, Control, RunError, Value};

/// No arguments.
#[derive(Args, Clone, Debug, Default)]
pub struct DashboardArgs {}

/// There is none.
pub enum Dashboard {}

impl DashboardArgs {
    pub fn open(&self) -> anyhow::Result<Option<Dashboard>> {
        Ok(None)
    }
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

    pub fn named(self, _: &str) -> Self {
        self
    }
}

impl Dashboard {
    pub fn prepare(&self, _: CheckedGraph) -> Result<CheckedGraph, RunError> {
        match *self {}
    }

    pub fn show(&self, _: &Description, _: Control) {
        match *self {}
    }
}
