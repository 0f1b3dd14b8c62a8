//! Devices that a file names, for the blocks that live there: tables `[devices.NAME]`.
//!
//! This file does not know what a device is. A block with `device = "NAME"` gets the parameters `device`, `batch` and
//! `depth` from that table, as if they stood in its own. Its own parameters win.

use std::collections::BTreeMap;
use std::sync::Arc;

use superhet_runtime::Value;

use crate::error::{Mistake, Mistakes, Place};
use crate::flow::FlowParam;
use crate::values::Located;

/// The parameter of a block that names its device.
const DEVICE: &str = "device";

/// The devices that can be named at one place: the file's own, and those of the files that include it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Devices(BTreeMap<String, Vec<FlowParam>>);

impl Devices {
    /// Adds the device of that name, whose table is at `place` and has these keys.
    pub fn add(&mut self, name: String, place: Place, keys: Vec<FlowParam>, mistakes: &mut Mistakes) {
        let mut wrong = |at: &Place, problem: String| {
            mistakes.add(|| Mistake::Shape {
                at: at.clone(),
                subject: format!("[{DEVICE}s.{name}]"),
                problem,
            });
        };
        let value = |key: &str| keys.iter().find(|param| param.name == key);
        // Without a value one mistake is reported already. That there is no such device is not reported as well.
        let mut device = None;
        if let Some(param) = value("backend") {
            match param.value.as_ref().map(Located::text) {
                Some(Some(backend)) => device = Some((backend.to_owned(), param.value.clone())),
                Some(None) => wrong(&param.place, format!("backend: expected text{}", got(param))),
                None => {}
            }
        }
        let mut number = Some(0);
        if let Some(param) = value("number") {
            number = param.value.as_ref().and_then(|located| located.value.as_u64());
            if param.value.is_some() && number.is_none() {
                wrong(&param.place, format!("number: expected a whole number from 0{}", got(param)));
            }
        }
        let located = device.zip(number).and_then(|((backend, written), number)| {
            let text: Value = format!("{backend}:{number}").into();
            written.map(|written| Located::new(text, &Arc::clone(&written.folder)))
        });
        let mut params = vec![FlowParam { name: DEVICE.to_owned(), place, value: located }];
        params.extend(keys.into_iter().filter(|param| !matches!(param.name.as_str(), "backend" | "number")));
        self.0.insert(name, params);
    }

    /// Adds the parameters in a device's table to a block that names the device. Parameters of the block itself stay as
    /// they are.
    pub fn apply(&self, params: &mut Vec<FlowParam>) {
        let named = params.iter().position(|param| param.name == DEVICE);
        let name = named.and_then(|place| params[place].value.as_ref()?.text());
        let (Some(place), Some(of_device)) = (named, name.and_then(|name| self.0.get(name))) else { return };
        params.remove(place);
        for param in of_device {
            if params.iter().all(|own| own.name != param.name) {
                params.push(param.clone());
            }
        }
    }
}

fn got(param: &FlowParam) -> String {
    param.value.as_ref().map_or_else(String::new, |located| format!(", got {}", located.value))
}
