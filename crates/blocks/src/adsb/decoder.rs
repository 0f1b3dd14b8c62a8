//! From frames to what they say, and the aircraft that said it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use superhet_runtime::Value;

use super::{Aircraft, Field, Frame, Position, Tracker, decode};

/// The aircraft that a block has heard; cheap to clone, and can be looked at while the graph runs and after.
#[derive(Clone, Debug)]
pub struct AircraftTable(Arc<Mutex<Tracker>>);

impl AircraftTable {
    /// The aircraft heard so far, in the order of their addresses.
    pub fn snapshot(&self) -> Vec<Aircraft> {
        self.lock().aircraft().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, Tracker> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Puts into words what frames say, with the positions that follow from earlier ones.
#[derive(Debug)]
pub(super) struct Decoder {
    rate_hz: f64,
    table: AircraftTable,
}

impl Decoder {
    /// Nobody was heard yet, in a stream at this rate.
    pub fn new(rate_hz: f64) -> Self {
        Decoder { rate_hz, table: AircraftTable(Arc::new(Mutex::new(Tracker::new(rate_hz)))) }
    }

    /// Sets where the receiver is, without which an aircraft first heard on the ground has no position.
    pub fn set_receiver(&self, place: Position) {
        *self.table.lock() = Tracker::new(self.rate_hz).with_receiver(place);
    }

    pub fn aircraft(&self) -> AircraftTable {
        self.table.clone()
    }

    /// What a frame says, and the position if it gives one; it is noted in the table.
    pub fn entries(&self, frame: &Frame) -> impl Iterator<Item = (&'static str, Value)> + use<> {
        let message = decode(frame);
        let place = self.table.lock().update(frame, &message);
        let degrees = |value: f64| Value::from((value * 1e5).round() / 1e5);
        let place = place.map(|place| {
            [("latitude_deg", degrees(place.latitude_deg)), ("longitude_deg", degrees(place.longitude_deg))]
        });
        let said = message.fields().into_iter().map(|(name, field)| (name, field.into()));
        said.chain(place.into_iter().flatten())
    }
}

impl From<Field> for Value {
    fn from(field: Field) -> Self {
        match field {
            Field::Text(text) => text.into(),
            Field::Int(number) => number.into(),
            Field::Float(number) => number.into(),
            Field::Bool(flag) => flag.into(),
        }
    }
}
