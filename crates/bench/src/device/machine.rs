//! What a machine can do with its device, by itself.

use std::time::{Duration, Instant};

use superhet_device::{Backend, Place, Transfer};

/// What a machine can do with its device.
#[derive(Debug)]
pub(super) struct Machine {
    /// GB/s.
    pub(super) upload: f64,
    pub(super) download: f64,
    pub(super) both: f64,
    /// Microseconds.
    pub(super) enqueue: f64,
    pub(super) wait: f64,
    /// Of a tiny copy among others that were captured; none where nothing can be.
    pub(super) node: Option<f64>,
}

impl Machine {
    pub(super) fn measure<B: Backend>(backend: &B, bytes: usize) -> Result<Self, B::Error> {
        const TIMES: usize = 16;
        let (up, from) = (backend.stage(bytes, Transfer::Upload)?, backend.stage(bytes, Transfer::Download)?);
        let memories = [backend.allocate(bytes)?, backend.allocate(bytes)?];
        let [mut there, mut back] = [backend.stream()?, backend.stream()?];
        let mut up = up;
        backend.write(&mut up, 0, &vec![1; bytes])?;
        backend.zero(&mut back, Place { memory: &memories[1], at: 0 }, bytes)?;
        backend.drain(&mut back)?;
        let rate =
            |bytes: usize, start: Instant| (TIMES * bytes) as f64 / start.elapsed().as_secs_f64() * 1e-9;
        let send = |stream: &mut B::Stream| {
            (0..TIMES).try_for_each(|_| backend.upload(stream, &up, &memories[0], 0, bytes))
        };
        let fetch = |stream: &mut B::Stream| {
            (0..TIMES).try_for_each(|_| backend.download(stream, &memories[1], 0, &from, bytes))
        };
        let start = Instant::now();
        send(&mut there)?;
        backend.drain(&mut there)?;
        let upload = rate(bytes, start);
        let start = Instant::now();
        fetch(&mut back)?;
        backend.drain(&mut back)?;
        let download = rate(bytes, start);
        let start = Instant::now();
        send(&mut there)?;
        fetch(&mut back)?;
        backend.drain(&mut there)?;
        backend.drain(&mut back)?;
        let both = rate(2 * bytes, start);
        let (x, y) = (Place { memory: &memories[0], at: 0 }, Place { memory: &memories[1], at: 0 });
        let start = Instant::now();
        (0..TIMES).try_for_each(|_| backend.copy(&mut there, x, y, 64.min(bytes)))?;
        let enqueue = start.elapsed() / TIMES as u32;
        backend.drain(&mut there)?;
        let start = Instant::now();
        for _ in 0..TIMES {
            backend.copy(&mut there, x, y, 64.min(bytes))?;
            backend.drain(&mut there)?;
        }
        let wait = start.elapsed() / TIMES as u32;
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        let mut node = None;
        if let Some(capture) = backend.capture() {
            capture.begin(&mut there)?;
            (0..TIMES).try_for_each(|_| backend.copy(&mut there, x, y, 64.min(bytes)))?;
            let mut nodes = capture.end(&mut there)?;
            // The first time the driver may have more to do.
            nodes.replay(&mut there)?;
            backend.drain(&mut there)?;
            let start = Instant::now();
            nodes.replay(&mut there)?;
            backend.drain(&mut there)?;
            node = Some(micros(start.elapsed()) / TIMES as f64);
        }
        Ok(Machine {
            upload,
            download,
            both,
            enqueue: micros(enqueue),
            node,
            wait: micros(wait.saturating_sub(enqueue)),
        })
    }
}
