//! When batches left and came: the time of a batch, and the latencies.

use std::sync::Mutex;
use std::time::Instant;

use super::shared::lock;

/// When each batch has left the source, and when all of it had come to the sink.
pub(super) struct Stamps {
    pub(super) batch: usize,
    /// Whether they are kept.
    is_on: bool,
    pub(super) left: Mutex<Vec<Instant>>,
    pub(super) came: Mutex<Vec<Instant>>,
}

impl Stamps {
    pub(super) fn new(batch: usize) -> Self {
        Stamps { batch, is_on: true, left: Mutex::default(), came: Mutex::default() }
    }

    /// None, for runs so long that they would fill the memory.
    pub(super) fn off(batch: usize) -> Self {
        Stamps { is_on: false, ..Self::new(batch) }
    }

    /// Notes the batches that end before item `to` and not before item `from`.
    pub(super) fn note(&self, stamps: &Mutex<Vec<Instant>>, from: u64, to: u64) {
        let batch = self.batch as u64;
        if self.is_on && to / batch > from / batch {
            let now = Instant::now();
            lock(stamps).extend((from / batch..to / batch).map(|_| now));
        }
    }

    /// Seconds for a batch, and the latencies, the first tenth left out.
    pub(super) fn evaluate(&self) -> (f64, [f64; 2]) {
        let (left, came) = (lock(&self.left), lock(&self.came));
        let warm = came.len() / 10;
        let (Some(first), Some(last)) = (came.get(warm), came.last()) else { return (0.0, [0.0; 2]) };
        let seconds = (*last - *first).as_secs_f64() / (came.len() - 1 - warm).max(1) as f64;
        let mut latencies: Vec<f64> = left
            .iter()
            .zip(came.iter())
            .skip(warm)
            .map(|(left, came)| came.saturating_duration_since(*left).as_secs_f64())
            .collect();
        latencies.sort_unstable_by(f64::total_cmp);
        let at =
            |share: f64| latencies.get((latencies.len() as f64 * share) as usize).copied().unwrap_or(0.0);
        (seconds, [at(0.5), at(0.99)])
    }
}
