//! A chain on a device that runs for minutes at its full rate: every item is compared, and memory must not grow.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::{bail, ensure};
use serde_json::json;
use superhet_device::Backend;
use superhet_runtime::{Adaptive, Options};

use super::super::soak::resident_bytes;
use super::shared::lock;
use super::{Chain, DeviceBench, Stamps, Way};
use superhet_terminal::say;

impl DeviceBench {
    pub(super) fn soak<B: Backend>(&self, backend: &Arc<B>, minutes: f64) -> anyhow::Result<()> {
        let batch = self.batch.iter().copied().max().unwrap_or(1024) as usize;
        let blocks = self.blocks.iter().copied().max().unwrap_or(1) as usize;
        let stamps = Arc::new(Stamps::off(batch));
        let Chain { graph, found, end, .. } = self.chain(backend, Way::C, blocks, u64::MAX, &stamps)?;
        let length = Duration::from_secs_f64(minutes * 60.0);
        let start = Instant::now();
        let mut running = graph.check()?.start(&Adaptive::new(), &Options::default())?;
        // What is touched for the first time is no growth.
        let mut ended = running.wait_for(length.mul_f64(0.1));
        let first_bytes = resident_bytes();
        if ended.is_none() {
            ended = running.wait_for(length.saturating_sub(start.elapsed()));
        }
        let last_bytes = resident_bytes();
        let (taken, seconds) = (lock(&found).0, start.elapsed().as_secs_f64());
        if let Some(report) = ended {
            report?;
            bail!("the graph has ended by itself after {seconds:.1} s");
        }
        end.store(true, Ordering::Relaxed);
        match running.wait_for(Duration::from_secs(30)) {
            Some(report) => report?,
            None => bail!("the graph does not end: {}", running.metrics()),
        };
        let wrong = lock(&found).1;
        ensure!(wrong == 0, "{wrong} wrong items came through");
        let grown = last_bytes.zip(first_bytes).map(|(last, first)| last as i64 - first as i64);
        let batches = taken / batch as u64;
        let micros = seconds * 1e6 / batches.max(1) as f64;
        let mut out = String::new();
        if self.output.json {
            let object = json!({
                "bench": "device soak", "case": "C", "backend": backend.name(), "blocks": blocks, "batch": batch,
                "seconds": seconds, "batches": batches, "us_per_batch": micros, "checksum_ok": true,
                "grown_bytes": grown,
            });
            writeln!(out, "{object}")?;
        } else {
            let grown = grown.map_or("unknown".to_owned(), |bytes| format!("{} KiB", bytes / 1024));
            writeln!(
                out,
                "{batches} batches of {batch} items through {blocks} blocks on {} in {seconds:.1} s, {micros:.1} us each: \
                 all items right; memory has grown by {grown}",
                backend.name()
            )?;
        }
        say::result(&out)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::Arguments;
    use super::*;
    use clap::Parser;
    use superhet_device::Sim;

    #[test]
    fn a_short_soak_compares_every_item() {
        let arguments = ["device", "--batch", "256", "--blocks", "3", "--soak", "0.005", "--json"];
        let bench = Arguments::parse_from(arguments).device;
        bench.soak(&Arc::new(Sim::new().with_capture()), bench.soak.unwrap()).unwrap();
    }
}
