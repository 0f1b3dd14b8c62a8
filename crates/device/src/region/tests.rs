//! Mistakes of the region itself, which no driver can put in: each is found, with every seed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use superhet_runtime::domain::{Domain, Member, Resident};
use superhet_runtime::{
    AnyBlock, Block, BlockError, Context, Graph, In, Options, Ratio, RunError, Single, Step, Work,
    port::PortVisitor,
};
use superhet_runtime::{Items, harness::VecSource};

use super::Region;
use super::staging::{Frames, Way};
use crate::conformance::WindowSum;
use crate::counters::Counters;
use crate::part::Part;
use crate::settings::{Settings, Ways};
use crate::sim::Sim;

/// Where back-pressure is left out.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Without {
    /// Nowhere.
    Nothing,
    /// Slots of device memory are written while their readers are not done.
    Slots,
    /// Frames for uploads are filled while their copies are on their way.
    UploadFrames,
    /// Frames for downloads are filled while the host has not taken what is in them.
    DownloadFrames,
}

/// A device whose regions have a mistake.
struct Faulty {
    sim: Sim,
    without: Without,
    counters: Arc<Counters>,
}

impl Domain for Faulty {
    fn name(&self) -> String {
        "faulty".to_owned()
    }

    fn join(&self, members: Vec<Member>) -> Result<AnyBlock, BlockError> {
        let settings = Settings { batch: 128, depth: 2 };
        let backend = Arc::new(self.sim.clone());
        let ways = Ways { may_capture: true, may_lend: false };
        let mut region = Region::new(backend, settings, ways, self.counters.clone(), members)?;
        match self.without {
            Without::Nothing => {}
            Without::Slots => region.rings.iter_mut().for_each(|ring| ring.is_never_full = true),
            Without::UploadFrames => {
                region.uploads.iter_mut().for_each(|upload| frames(&mut upload.way).is_never_full = true);
            }
            Without::DownloadFrames => {
                region
                    .downloads
                    .iter_mut()
                    .for_each(|download| frames(&mut download.way).is_never_full = true);
            }
        }
        Ok(AnyBlock::new(region))
    }
}

/// The frames of a stream that goes through staging memory.
fn frames<L>(way: &mut Way<Sim, L>) -> &mut Frames<Sim> {
    match way {
        Way::Staged(frames) => frames,
        Way::Direct(_) => panic!("the stream lends its memory"),
    }
}

/// A block of such a device.
struct Doubtful(Arc<Faulty>, Part<Sim>);

impl Resident for Doubtful {
    fn domain(&self) -> Arc<dyn Domain> {
        self.0.clone()
    }
    fn ratio(&self) -> Ratio {
        Ratio::ONE
    }
    fn visit(&mut self, visitor: &mut dyn PortVisitor) {
        self.1.visit(visitor);
    }
    fn into_any(self: Box<Self>) -> Box<dyn std::any::Any + Send> {
        Box::new(self.1)
    }
}

/// Takes nothing until it may.
#[derive(Block)]
struct Gate {
    #[port("in")]
    input: In<u32>,
    is_open: Arc<AtomicBool>,
    items: Items<u32>,
    kept: Vec<u32>,
}

impl Work for Gate {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        while !self.is_open.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(1));
        }
        let n = self.input.available();
        self.kept.extend_from_slice(&self.input.peek()[..n]);
        self.input.consume(n);
        Ok(if n == 0 { Step::NeedInput } else { Step::Ran })
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        self.items.give(&self.kept);
        Ok(Step::Done)
    }

    fn blocking(&self) -> bool {
        true
    }
}

const ITEMS: usize = 1 << 17;
const BLOCK: WindowSum = WindowSum { ratio: Ratio::ONE, history: 0 };

/// Runs `source -> two blocks -> sink that takes nothing until all else stands still`; whether the right items came.
fn run(sim: Sim, without: Without) -> Result<bool, RunError> {
    let device = Arc::new(Faulty { sim, without, counters: Arc::default() });
    let x: Vec<u32> = (0..ITEMS as u32).collect();
    let mut graph = Graph::new();
    graph.add("source", VecSource::new(x.clone()));
    for name in ["first", "second"] {
        graph.add_any(name, AnyBlock::resident(Doubtful(device.clone(), Part::of_map(BLOCK))));
    }
    let (is_open, items) = (Arc::new(AtomicBool::new(false)), Items::default());
    let gate = Gate { input: In::new(), is_open: is_open.clone(), items: items.clone(), kept: Vec::new() };
    graph.add("sink", gate);
    for (from, to) in [("source", "first"), ("first", "second"), ("second", "sink")] {
        graph.connect_names(from, to);
    }
    let running = graph.check()?.start(&Single, &Options::default())?;
    let (mut uploads, mut since) = (0, Instant::now());
    while since.elapsed() < Duration::from_millis(30) {
        let now = device.counters.uploads.get();
        if now != uploads {
            (uploads, since) = (now, Instant::now());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    is_open.store(true, Ordering::Relaxed);
    running.wait()?;
    Ok(items.take() == BLOCK.of(&BLOCK.of(&x)))
}

#[test]
fn a_host_that_takes_nothing_stops_the_device_and_nothing_is_lost() {
    for sim in [Sim::new(), Sim::new().with_capture()] {
        assert!(run(sim, Without::Nothing).unwrap());
    }
}

#[test]
fn a_region_without_back_pressure_is_found_whatever_the_seed() {
    for without in [Without::Slots, Without::UploadFrames, Without::DownloadFrames] {
        for seed in 0..4 {
            for sim in [Sim::seeded(seed), Sim::seeded(seed).with_capture()] {
                match run(sim.clone(), without) {
                    Err(error) => {
                        let error = error.to_string();
                        let is_reported = sim.counters().mistakes > 0 || error.contains("was overwritten");
                        assert!(is_reported, "{without:?}: {error}");
                    }
                    Ok(is_right) => assert!(!is_right, "{without:?} with seed {seed}: not found"),
                }
            }
        }
    }
}
