//! Uploads, kernels and downloads, each alone and all at once: whether the device does them beside each other.

use std::time::Instant;

use superhet_device::conformance::WindowSum;
use superhet_device::{Backend, DeviceMap, Launch, Place, Span, Transfer};
use superhet_runtime::Ratio;

/// Microseconds for a transfer each way and as many kernels as take about as long, by the device's clock where it has one.
#[derive(Debug)]
pub(super) struct Overlap {
    pub(super) upload: f64,
    pub(super) kernels: f64,
    pub(super) download: f64,
    /// All three at once, in a stream each.
    pub(super) together: f64,
}

/// Transfers each way.
const TIMES: usize = 32;
/// Items that the kernel looks back: work enough that the kernel is not over at once.
const HISTORY: usize = 255;

const UPLOAD: usize = 0;
const KERNELS: usize = 1;
const DOWNLOAD: usize = 2;

impl Overlap {
    pub(super) fn measure<B: Backend>(backend: &B, bytes: usize) -> Result<Self, B::Error> {
        let mut rig = Rig::new(backend, bytes)?;
        // Whatever the driver does for the first time is done here.
        rig.run(backend, [1, 1, 1])?;
        let upload = rig.run(backend, [TIMES, 0, 0])?;
        let download = rig.run(backend, [0, 0, TIMES])?;
        let one = rig.run(backend, [0, TIMES, 0])? / TIMES as f64;
        let launches = (upload.max(download) / one.max(1e-9)).round().clamp(1.0, 4096.0) as usize;
        let kernels = rig.run(backend, [0, launches, 0])?;
        let together = rig.run(backend, [TIMES, launches, TIMES])?;
        let micros = |seconds: f64| seconds * 1e6 / TIMES as f64;
        Ok(Overlap {
            upload: micros(upload),
            kernels: micros(kernels),
            download: micros(download),
            together: micros(together),
        })
    }

    /// The time for all at once by that of the longest alone: 1 where nothing waits for another, none without times.
    pub(super) fn at_once(&self) -> Option<f64> {
        let longest = self.upload.max(self.kernels).max(self.download);
        (longest > 0.0).then(|| self.together / longest)
    }
}

/// A stream for each kind of work, and the memory that it uses.
struct Rig<B: Backend> {
    bytes: usize,
    streams: [B::Stream; 3],
    to: B::Staging,
    from: B::Staging,
    /// Uploaded to, computed from and into, downloaded from.
    memories: [B::Memory; 4],
    program: B::Program,
    constants: Vec<u8>,
}

impl<B: Backend> Rig<B> {
    fn new(backend: &B, bytes: usize) -> Result<Self, B::Error> {
        let sum = WindowSum { ratio: Ratio { interpolation: 1, decimation: 1 }, history: HISTORY };
        let allocate = || backend.allocate(bytes + 4 * HISTORY);
        let mut rig = Rig {
            bytes,
            streams: [backend.stream()?, backend.stream()?, backend.stream()?],
            to: backend.stage(bytes, Transfer::Upload)?,
            from: backend.stage(bytes, Transfer::Download)?,
            memories: [allocate()?, allocate()?, allocate()?, allocate()?],
            program: backend.compile(&sum.source())?,
            constants: sum.constants(),
        };
        backend.write(&mut rig.to, 0, &vec![1; bytes])?;
        for (stream, memory) in [(KERNELS, 1), (DOWNLOAD, 3)] {
            let place = Place { memory: &rig.memories[memory], at: 0 };
            backend.zero(&mut rig.streams[stream], place, bytes + 4 * HISTORY)?;
        }
        rig.streams.iter_mut().try_for_each(|stream| backend.drain(stream))?;
        Ok(rig)
    }

    /// Enqueues so much of each kind, in turns, and waits; the seconds from the first beginning to the last end.
    fn run(&mut self, backend: &B, counts: [usize; 3]) -> Result<f64, B::Error> {
        let timing = backend.timing();
        let mut events = Vec::new();
        if let Some(timing) = timing {
            for _ in counts {
                events.push([timing.event()?, timing.event()?]);
            }
        }
        let is_used = |kind: &usize| counts[*kind] > 0;
        let start = Instant::now();
        for ([first, _], stream) in events.iter_mut().zip(&mut self.streams) {
            backend.record(stream, first)?;
        }
        let most = counts.into_iter().max().unwrap_or(0);
        for turn in 0..most {
            for (kind, count) in counts.into_iter().enumerate() {
                let share = |turn: usize| turn * count / most;
                (share(turn)..share(turn + 1)).try_for_each(|_| self.enqueue(backend, kind))?;
            }
        }
        for ([_, last], stream) in events.iter_mut().zip(&mut self.streams) {
            backend.record(stream, last)?;
        }
        self.streams.iter_mut().try_for_each(|stream| backend.drain(stream))?;
        let Some(timing) = timing else { return Ok(start.elapsed().as_secs_f64()) };
        let mut longest = 0.0f64;
        for [first, _] in (0..3).filter(is_used).map(|kind| &events[kind]) {
            for [_, last] in (0..3).filter(is_used).map(|kind| &events[kind]) {
                longest = longest.max(timing.between(first, last)?.as_secs_f64());
            }
        }
        Ok(longest)
    }

    fn enqueue(&mut self, backend: &B, kind: usize) -> Result<(), B::Error> {
        let (stream, bytes) = (&mut self.streams[kind], self.bytes);
        let [uploaded, x, y, downloaded] = &self.memories;
        match kind {
            UPLOAD => backend.upload(stream, &self.to, uploaded, 0, bytes),
            DOWNLOAD => backend.download(stream, downloaded, 0, &self.from, bytes),
            _ => {
                let items = bytes / 4;
                let span = |memory, items| Span { place: Place { memory, at: 0 }, items, item_bytes: 4 };
                let launch = Launch {
                    inputs: &[span(x, items + HISTORY)],
                    outputs: &[span(y, items)],
                    constants: &self.constants,
                    threads: items,
                };
                backend.launch(stream, &self.program, &launch)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use superhet_device::Sim;

    #[test]
    fn what_a_device_does_at_once_takes_as_long_as_the_longest() {
        let sim = Sim::new().with_delay(Duration::from_micros(10));
        let overlap = Overlap::measure(&sim, 4096).unwrap();
        assert!((overlap.upload - 10.0).abs() < 1e-6, "{overlap:?}");
        assert!((overlap.kernels - 10.0).abs() < 1e-6, "{overlap:?}");
        assert!((overlap.at_once().unwrap() - 1.0).abs() < 1e-6, "{overlap:?}");
        assert!(Overlap::measure(&Sim::new(), 4096).unwrap().at_once().is_none());
    }
}
