//! Case D: copies on a device by a loop without graph, blocks or scheduler.

use std::time::Instant;

use superhet_device::{Backend, Place, Replay, Transfer};
use superhet_runtime::C32;

use super::pattern::{fill, wrong};
use super::shared::{cast, cast_mut};
use super::{DeviceBench, Run};

impl DeviceBench {
    /// The best that can be done by hand with this driver.
    pub(super) fn by_hand<B: Backend>(
        &self,
        backend: &B,
        batch: usize,
        blocks: usize,
        batches: u64,
    ) -> Result<Run, B::Error> {
        struct Slot<B: Backend> {
            to: B::Staging,
            from: B::Staging,
            memories: [B::Memory; 2],
            sent: B::Event,
            computed: B::Event,
            arrived: B::Event,
            left: Option<Instant>,
            /// The copies of the slot, once they were captured.
            copies: Option<Box<dyn Replay<B>>>,
        }
        let (bytes, depth) = (8 * batch, self.depth as usize);
        let slot = |_| {
            Ok(Slot::<B> {
                to: backend.stage(bytes, Transfer::Upload)?,
                from: backend.stage(bytes, Transfer::Download)?,
                memories: [backend.allocate(bytes)?, backend.allocate(bytes)?],
                sent: backend.event()?,
                computed: backend.event()?,
                arrived: backend.event()?,
                left: None,
                copies: None,
            })
        };
        let mut slots = (0..depth).map(slot).collect::<Result<Vec<_>, B::Error>>()?;
        let [mut up, mut compute, mut down] = [backend.stream()?, backend.stream()?, backend.stream()?];
        let mut host = vec![C32::ZERO; batch];
        let (mut wrong_items, mut replays, mut came, mut latencies) = (0, 0, Vec::new(), Vec::new());
        let capture = backend.capture().filter(|_| !self.no_capture);
        for number in 0..batches + depth as u64 {
            let slot = &mut slots[(number % depth as u64) as usize];
            if let Some(left) = slot.left.take() {
                backend.synchronize(&slot.arrived)?;
                let first = (number - depth as u64) * batch as u64;
                wrong_items += match backend.mapped(&mut slot.from)? {
                    Some(bytes) => wrong(first, bytemuck::cast_slice(bytes)),
                    None => {
                        backend.read(&mut slot.from, 0, cast_mut(&mut host))?;
                        wrong(first, &host)
                    }
                };
                came.push(Instant::now());
                latencies.push(left.elapsed().as_secs_f64());
            }
            if number >= batches {
                continue;
            }
            let first = number * batch as u64;
            if let Some(bytes) = backend.mapped(&mut slot.to)? {
                fill(first, bytemuck::cast_slice_mut(bytes));
            } else {
                fill(first, &mut host);
                backend.write(&mut slot.to, 0, cast(&host))?;
            }
            slot.left = Some(Instant::now());
            backend.upload(&mut up, &slot.to, &slot.memories[0], 0, bytes)?;
            backend.record(&mut up, &mut slot.sent)?;
            backend.wait(&mut compute, &slot.sent)?;
            if slot.copies.is_none() {
                if let Some(capture) = capture {
                    capture.begin(&mut compute)?;
                }
                for block in 0..blocks {
                    let place = |place: usize| Place { memory: &slot.memories[place % 2], at: 0 };
                    backend.copy(&mut compute, place(block), place(block + 1), bytes)?;
                }
                if let Some(capture) = capture {
                    slot.copies = Some(capture.end(&mut compute)?);
                }
            }
            if let Some(copies) = &mut slot.copies {
                copies.replay(&mut compute)?;
                replays += 1;
            }
            backend.record(&mut compute, &mut slot.computed)?;
            backend.wait(&mut down, &slot.computed)?;
            backend.download(&mut down, &slot.memories[blocks % 2], 0, &slot.from, bytes)?;
            backend.record(&mut down, &mut slot.arrived)?;
            // Hands on what is only enqueued.
            backend.is_done(&slot.arrived)?;
        }
        let warm = came.len() / 10;
        let seconds =
            (came[came.len() - 1] - came[warm]).as_secs_f64() / (came.len() - 1 - warm).max(1) as f64;
        latencies.drain(..warm);
        latencies.sort_unstable_by(f64::total_cmp);
        let at = |share: f64| latencies[((latencies.len() - 1) as f64 * share) as usize];
        Ok(Run {
            seconds_per_batch: seconds,
            latency: [at(0.5), at(0.99)],
            wrong: wrong_items,
            transfers_per_batch: 2.0,
            bytes_per_batch: 2.0 * bytes as f64,
            host_waits_per_batch: 1.0,
            replays_per_batch: replays as f64 / batches as f64,
        })
    }
}
