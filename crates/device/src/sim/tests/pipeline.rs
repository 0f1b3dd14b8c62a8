//! A whole pipeline (upload, kernels, download, each in a stream of its own, over rings of slots): how long it takes, and
//! that a mistake in it is found.

use super::*;

/// A pipeline and its size.
#[derive(Clone, Copy)]
struct Pipeline {
    batches: usize,
    kernels: usize,
    /// Slots of device memory between two stages.
    slots: usize,
    /// Frames of staging memory each way.
    frames: usize,
}

/// One slot of device memory, and what happened to it last.
struct Slot {
    memory: Memory,
    ready: Event,
    released: Event,
}

/// Staging memory both ways, and when it is free.
struct Frame {
    up: Staging,
    down: Staging,
    uploaded: Event,
    downloaded: Event,
}

const BYTES: usize = 16;

impl Pipeline {
    /// How many operations a batch goes through.
    fn stages(self) -> u32 {
        self.kernels as u32 + 2
    }

    /// Runs it; the bytes of a batch are all equal, and returned.
    fn run(self, sim: &Sim) -> Result<Vec<u8>, SimError> {
        let Pipeline { batches, kernels, slots, frames } = self;
        let program = increment(sim);
        let slot = || Ok(Slot { memory: sim.allocate(BYTES)?, ready: sim.event()?, released: sim.event()? });
        let frame = || {
            Ok(Frame {
                up: sim.stage(BYTES, Transfer::Upload)?,
                down: sim.stage(BYTES, Transfer::Download)?,
                uploaded: sim.event()?,
                downloaded: sim.event()?,
            })
        };
        let mut rings: Vec<Vec<Slot>> =
            (0..=kernels).map(|_| (0..slots).map(|_| slot()).collect()).collect::<Result<_, SimError>>()?;
        let mut ring: Vec<Frame> = (0..frames).map(|_| frame()).collect::<Result<_, SimError>>()?;
        let (mut up, mut down) = (sim.stream()?, sim.stream()?);
        let mut between: Vec<Stream> = (0..kernels).map(|_| sim.stream()).collect::<Result<_, _>>()?;
        let mut results = Vec::new();
        for batch in 0..batches + frames {
            let (slot, frame) = (batch % slots, &mut ring[batch % frames]);
            if batch >= frames && results.len() < batches {
                let mut bytes = [0; BYTES];
                sim.synchronize(&frame.downloaded)?;
                sim.read(&mut frame.down, 0, &mut bytes)?;
                assert_eq!(bytes, [bytes[0]; BYTES]);
                results.push(bytes[0]);
            }
            if batch >= batches {
                continue;
            }
            sim.synchronize(&frame.uploaded)?;
            sim.write(&mut frame.up, 0, &[batch as u8; BYTES])?;
            let first = &mut rings[0][slot];
            sim.wait(&mut up, &first.released)?;
            sim.upload(&mut up, &frame.up, &first.memory, 0, BYTES)?;
            sim.record(&mut up, &mut first.ready)?;
            sim.record(&mut up, &mut frame.uploaded)?;
            for (index, stream) in between.iter_mut().enumerate() {
                let (before, after) = rings.split_at_mut(index + 1);
                let (from, to) = (&mut before[index][slot], &mut after[0][slot]);
                sim.wait(stream, &from.ready)?;
                sim.wait(stream, &to.released)?;
                let (inputs, outputs) = ([span(&from.memory, 0, BYTES)], [span(&to.memory, 0, BYTES)]);
                launch(sim, stream, &program, &inputs, &outputs)?;
                sim.record(stream, &mut from.released)?;
                sim.record(stream, &mut to.ready)?;
            }
            let last = &mut rings[kernels][slot];
            sim.wait(&mut down, &last.ready)?;
            sim.download(&mut down, &last.memory, 0, &frame.down, BYTES)?;
            sim.record(&mut down, &mut last.released)?;
            sim.record(&mut down, &mut frame.downloaded)?;
        }
        Ok(results)
    }

    fn expected(self) -> Vec<u8> {
        (0..self.batches).map(|batch| (batch + self.kernels) as u8).collect()
    }
}

/// Deep enough that nothing waits for the host.
const PIPELINE: Pipeline = Pipeline { batches: 12, kernels: 3, slots: 2, frames: 5 };

#[test]
fn a_right_pipeline_passes_with_every_seed() {
    for seed in 0..50 {
        let sim = Sim::seeded(seed);
        assert_eq!(PIPELINE.run(&sim).unwrap(), PIPELINE.expected());
        let counters = sim.counters();
        assert_eq!((counters.mistakes, counters.live_memories, counters.live_stagings), (0, 0, 0));
        assert_eq!((counters.uploads, counters.launches, counters.downloads), (12, 36, 12));
    }
}

#[test]
fn stages_overlap_in_virtual_time() {
    let time = Duration::from_micros(10);
    for seed in 0..5 {
        for (batches, kernels) in [(1, 1), (40, 1), (40, 4), (40, 16)] {
            let pipeline = Pipeline { batches, kernels, slots: 2, frames: kernels + 2 };
            let sim = Sim::seeded(seed).with_delay(time);
            assert_eq!(pipeline.run(&sim).unwrap(), pipeline.expected());
            assert_eq!(sim.elapsed(), time * (batches as u32 + pipeline.stages() - 1));

            // With one frame the host waits for each batch, so nothing overlaps.
            let sim = Sim::seeded(seed).with_delay(time);
            Pipeline { frames: 1, ..pipeline }.run(&sim).unwrap();
            assert_eq!(sim.elapsed(), time * batches as u32 * pipeline.stages());
        }
    }
}

#[test]
fn the_slowest_stage_sets_the_pace() {
    let time = Duration::from_micros(10);
    let sim = Sim::new().with_delay(time).with_delay_of(Operation::Download, time * 3);
    let pipeline = Pipeline { batches: 40, kernels: 2, slots: 2, frames: 8 };
    pipeline.run(&sim).unwrap();
    assert_eq!(sim.elapsed(), time * (3 * 40 + 3));
}

#[test]
fn the_host_takes_time_of_its_own() {
    let time = Duration::from_micros(10);
    let sim = Sim::new().with_delay_of(Operation::Write, time);
    PIPELINE.run(&sim).unwrap();
    assert_eq!(sim.elapsed(), time * 12);
}

#[test]
fn one_late_operation_delays_all_that_waits_for_it() {
    let time = Duration::from_micros(10);
    let sim = Sim::new().with_delay(time);
    sim.fail(Fault::Delay(Operation::Launch, Which::Nth(5), time * 100));
    assert_eq!(PIPELINE.run(&sim).unwrap(), PIPELINE.expected());
    assert_eq!(sim.elapsed(), time * (12 + PIPELINE.stages() - 1 + 100));
}

#[test]
fn each_mistake_is_found_and_reported_the_same_whatever_the_seed() {
    use Operation::{Download, Launch, Record, Synchronize, Upload, Wait};
    let mistakes = [
        Fault::SkipWaitsBefore(Upload),
        Fault::SkipWaitsBefore(Launch),
        Fault::SkipWaitsBefore(Download),
        Fault::Skip(Wait, Which::Every),
        Fault::Skip(Record, Which::Every),
        Fault::Skip(Synchronize, Which::Every),
        Fault::Misplace(Upload, Which::Nth(4)),
        Fault::Misplace(Launch, Which::Nth(4)),
        Fault::Misplace(Download, Which::Nth(4)),
    ];
    for mistake in mistakes {
        let errors: Vec<_> = (0..10)
            .map(|seed| {
                let sim = Sim::seeded(seed);
                sim.fail(mistake);
                let error = PIPELINE.run(&sim).unwrap_err();
                assert_eq!(sim.counters().mistakes, 1);
                error
            })
            .collect();
        assert!(matches!(errors[0], SimError::Unordered { .. }), "{mistake:?}: {}", errors[0]);
        assert!(errors.iter().all(|error| *error == errors[0]), "{mistake:?}: {errors:?}");
    }
}

#[test]
fn each_single_wait_that_is_forgotten_is_found() {
    let sim = Sim::new();
    PIPELINE.run(&sim).unwrap();
    let (waits, per_batch) = (sim.counters().waits, 2 + 2 * PIPELINE.kernels as u64);
    for n in 1..=waits {
        let sim = Sim::new();
        sim.fail(Fault::Skip(Operation::Wait, Which::Nth(n)));
        let (batch, index) = ((n - 1) / per_batch, (n - 1) % per_batch);
        // The waits for released slots come first in the upload and second in the launches. As long as slots are new
        // there is nothing to wait for.
        let is_idle = batch < PIPELINE.slots as u64 && index.is_multiple_of(2) && index < per_batch - 1;
        let result = PIPELINE.run(&sim);
        assert_eq!(result.is_ok(), is_idle, "wait {n}: {result:?}");
    }
}

#[test]
fn each_staging_frame_reused_too_early_is_found() {
    let sim = Sim::new();
    PIPELINE.run(&sim).unwrap();
    let found = (1..=sim.counters().synchronisations)
        .filter(|&n| {
            let sim = Sim::new();
            sim.fail(Fault::Skip(Operation::Synchronize, Which::Nth(n)));
            PIPELINE.run(&sim).is_err()
        })
        .count();
    // Of the two before a batch that uses a frame again, the one for the download says all.
    assert_eq!(found, PIPELINE.batches);
}
