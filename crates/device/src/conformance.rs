//! What every driver must do, as a suite that its tests run.
//!
//! Each case is a graph with some blocks on the device and streams cut at odd places. The items are integers. The output
//! must equal that of a plain loop, bit for bit.
//!
//! ```
//! use superhet_device::{Sim, conformance};
//! let passed = conformance::run(&conformance::Extent::SHORT, &|seed| Sim::seeded(seed)).unwrap();
//! assert!(passed > 20);
//! ```

use std::fmt;
use std::time::Duration;

use superhet_runtime::port::{InRef, OutRef};
use superhet_runtime::{Block, BlockError, Context, Graph, In, Options, Out, Ratio, Single, Step, Work};
use superhet_runtime::{Items, harness::VecSink};

use crate::backend::Backend;
use crate::block::DeviceMap;
use crate::device::Device;
use crate::kernel::{HostCall, Source};
use crate::settings::Settings;

/// How much of it is run.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// Items of each case's source.
    pub items: usize,
    /// Takes every `n`-th of all combinations of history, ratio, batch and depth.
    pub every: usize,
}

impl Extent {
    /// Some dozens of cases: seconds on a simulated device.
    pub const SHORT: Extent = Extent { items: 5_000, every: 17 };
    /// All cases.
    pub const FULL: Extent = Extent { items: 20_000, every: 1 };
}

/// A sum over a window with weights that tell items apart: of the round `k` the output
/// `y[kI + j] = j + Σ (2i + 1) · x[kD - h + i]` for `i` from 0 to `h + D - 1`, modulo 2³².
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowSum {
    /// `I / D`.
    pub ratio: Ratio,
    /// `h`.
    pub history: usize,
}

impl WindowSum {
    /// What it makes of a whole stream.
    pub fn of(&self, x: &[u32]) -> Vec<u32> {
        let mut with_history = vec![0; self.history];
        with_history.extend_from_slice(x);
        let rounds = x.len() / self.ratio.decimation;
        let mut y = vec![0; rounds * self.ratio.interpolation];
        self.compute(&with_history, &mut y);
        y
    }

    fn compute(&self, x: &[u32], y: &mut [u32]) {
        let Ratio { interpolation, decimation } = self.ratio;
        for (k, y) in y.chunks_exact_mut(interpolation).enumerate() {
            let window = &x[k * decimation..][..self.history + decimation];
            let weigh =
                |sum: u32, (i, x): (usize, &u32)| sum.wrapping_add((2 * i as u32 + 1).wrapping_mul(*x));
            let sum = window.iter().enumerate().fold(0, weigh);
            y.iter_mut().enumerate().for_each(|(j, y)| *y = sum.wrapping_add(j as u32));
        }
    }
}

impl DeviceMap for WindowSum {
    type In = u32;
    type Out = u32;

    fn ratio(&self) -> Ratio {
        self.ratio
    }

    fn history(&self) -> usize {
        self.history
    }

    fn source(&self) -> Source {
        let this = *self;
        Source::new("window_sum")
            .cuda(
                r#"extern "C" __global__ void window_sum(unsigned n, const unsigned* x, unsigned* y,
                                                         unsigned up, unsigned down, unsigned history) {
                       unsigned o = blockIdx.x * blockDim.x + threadIdx.x;
                       if (o >= n) return;
                       unsigned k = o / up, sum = o % up;
                       for (unsigned i = 0; i < history + down; i++) sum += (2 * i + 1) * x[k * down + i];
                       y[o] = sum;
                   }"#,
            )
            .opencl(
                "kernel void window_sum(uint n, global const uint* x, uint x0, global uint* y, uint y0,
                                        uint up, uint down, uint history) {
                     uint o = get_global_id(0);
                     if (o >= n) return;
                     uint k = o / up, sum = o % up;
                     for (uint i = 0; i < history + down; i++) sum += (2 * i + 1) * x[x0 + k * down + i];
                     y[y0 + o] = sum;
                 }",
            )
            .wgsl(
                "@group(0) @binding(0) var<storage, read> x: array<u32>;
                 @group(0) @binding(1) var<storage, read_write> y: array<u32>;
                 @group(0) @binding(2) var<storage, read> call: array<u32>;
                 @compute @workgroup_size(64)
                 fn window_sum(@builtin(global_invocation_id) id: vec3<u32>,
                               @builtin(num_workgroups) groups: vec3<u32>) {
                     let o = id.x + id.y * groups.x * 64u;
                     if (o >= call[0]) { return; }
                     let up = call[3]; let down = call[4]; let history = call[5];
                     let k = o / up;
                     var sum = o % up;
                     for (var i = 0u; i < history + down; i++) { sum += (2u * i + 1u) * x[call[1] + k * down + i]; }
                     y[call[2] + o] = sum;
                 }",
            )
            .host(HostCall::map(move |x: &[u32], y: &mut [u32]| this.compute(x, y)))
    }

    fn constants(&self) -> Vec<u8> {
        let Ratio { interpolation, decimation } = self.ratio;
        let words = [interpolation as u32, decimation as u32, self.history as u32];
        bytemuck::cast_slice(&words).to_vec()
    }
}

/// The sum of two streams, modulo 2³².
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sum;

impl DeviceMap for Sum {
    type In = (u32, u32);
    type Out = u32;

    fn source(&self) -> Source {
        Source::new("sum")
            .cuda(
                r#"extern "C" __global__ void sum(unsigned n, const unsigned* a, const unsigned* b, unsigned* y) {
                       unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
                       if (i < n) y[i] = a[i] + b[i];
                   }"#,
            )
            .opencl(
                "kernel void sum(uint n, global const uint* a, uint a0, global const uint* b, uint b0,
                                 global uint* y, uint y0) {
                     uint i = get_global_id(0);
                     if (i < n) y[y0 + i] = a[a0 + i] + b[b0 + i];
                 }",
            )
            .wgsl(
                "@group(0) @binding(0) var<storage, read> a: array<u32>;
                 @group(0) @binding(1) var<storage, read> b: array<u32>;
                 @group(0) @binding(2) var<storage, read_write> y: array<u32>;
                 @group(0) @binding(3) var<storage, read> call: array<u32>;
                 @compute @workgroup_size(64)
                 fn sum(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
                     let i = id.x + id.y * groups.x * 64u;
                     if (i < call[0]) { y[call[3] + i] = a[call[1] + i] + b[call[2] + i]; }
                 }",
            )
            .host(|call| {
                let ([a, b], [y]) = (call.inputs, call.outputs) else { return };
                let (a, b): (&[u32], &[u32]) = (bytemuck::cast_slice(a), bytemuck::cast_slice(b));
                let y: &mut [u32] = bytemuck::cast_slice_mut(y);
                y.iter_mut().zip(a.iter().zip(b)).for_each(|(y, (a, b))| *y = a.wrapping_add(*b));
            })
    }
}

/// Numbers drawn from a seed (splitmix64).
#[derive(Clone, Debug)]
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % limit.max(1) as u64) as usize
    }
}

/// The stream of every case: `x[i] = 2654435761 · i mod 2³²`, given in pieces of any length, a tag on some items.
#[derive(Debug, Block)]
struct Pieces {
    #[port("out")]
    output: Out<u32>,
    items: usize,
    given: usize,
    longest: usize,
    random: Random,
}

/// Every so many items have a tag.
const TAG_EVERY: usize = 97;

fn item(index: usize) -> u32 {
    (index as u32).wrapping_mul(2_654_435_761)
}

impl Work for Pieces {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let room = self.output.reserve();
        let n = room.len().min(1 + self.random.below(self.longest)).min(self.items - self.given);
        room[..n].iter_mut().enumerate().for_each(|(i, room)| *room = item(self.given + i));
        for offset in (0..n).filter(|offset| (self.given + offset).is_multiple_of(TAG_EVERY)) {
            self.output.tag(offset, "n", (self.given + offset) as u64);
        }
        self.output.produce(n);
        self.given += n;
        Ok(if self.given == self.items { Step::Done } else { Step::Ran })
    }
}

/// Takes few items at once, keeps them and the indices of their tags, and rests now and then.
#[derive(Debug, Block)]
struct Slow {
    #[port("in")]
    input: In<u32>,
    items: Items<u32>,
    kept: Vec<u32>,
    calls: usize,
}

impl Work for Slow {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.input.available().min(37);
        self.kept.extend_from_slice(&self.input.peek()[..n]);
        self.input.consume(n);
        self.calls += 1;
        if self.calls.is_multiple_of(64) {
            std::thread::sleep(Duration::from_micros(200));
        }
        Ok(if n == 0 { Step::NeedInput } else { Step::Ran })
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        self.items.give(&self.kept);
        Ok(Step::Done)
    }
}

/// Passes items on and keeps the tags that pass.
#[derive(Debug, Block)]
struct Tags {
    #[port("in")]
    input: In<u32>,
    seen: Items<(u64, u64)>,
}

impl Work for Tags {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.input.available();
        let seen: Vec<_> =
            self.input.tags().iter().map(|tag| (tag.index, tag.value.as_u64().unwrap_or(0))).collect();
        self.seen.give(&seen);
        self.input.consume(n);
        Ok(if n == 0 { Step::NeedInput } else { Step::Ran })
    }
}

/// How the blocks of a case are connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Graphs {
    /// Host, device, host.
    One,
    /// Host, two device blocks one behind the other, host.
    Two,
    /// Host, two device blocks side by side, host.
    HostToTwo,
    /// Host to a device block and to the host.
    HostToBoth,
    /// A device block to a device block and to the host.
    DeviceToBoth,
    /// A device block to two device blocks, one of them read slowly.
    DeviceToTwo,
    /// Two streams of a device that meet there again, with unequal histories.
    Diamond,
    /// A stream of the host and one of the device that meet on the device.
    Meet,
    /// A block of another device of the same kind behind one of the first.
    TwoDevices,
}

const GRAPHS: [Graphs; 9] = [
    Graphs::One,
    Graphs::Two,
    Graphs::HostToTwo,
    Graphs::HostToBoth,
    Graphs::DeviceToBoth,
    Graphs::DeviceToTwo,
    Graphs::Diamond,
    Graphs::Meet,
    Graphs::TwoDevices,
];

/// One case, as an error names it.
#[derive(Clone, Copy, Debug)]
struct Case {
    graph: Graphs,
    block: WindowSum,
    settings: Settings,
    /// The longest piece that the source gives at once.
    longest: usize,
    items: usize,
    seed: u64,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

/// Ratios: what devices get wrong are multiples that do not divide their buffers.
const RATIOS: [(usize, usize); 9] =
    [(1, 1), (1, 2), (3, 1), (2, 3), (1, 50), (64, 64), (1000, 1000), (3000, 3000), (7, 1000)];
const HISTORIES: [usize; 4] = [0, 1, 13, 100];
const BATCHES: [usize; 4] = [1, 100, 1024, 4096];
const DEPTHS: [usize; 3] = [2, 3, 5];
const LONGEST: [usize; 3] = [1, 700, usize::MAX];

/// Runs the suite on devices that `make` makes from a seed; how many cases there were.
///
/// # Errors
/// The first case that gives something else than it should, in words.
pub fn run<B: Backend>(extent: &Extent, make: &dyn Fn(u64) -> B) -> Result<usize, String> {
    let mut passed = 0;
    let mut number = 0;
    for (interpolation, decimation) in RATIOS {
        for history in HISTORIES {
            for (batch, depth) in BATCHES.iter().flat_map(|&batch| DEPTHS.map(|depth| (batch, depth))) {
                number += 1;
                if number % extent.every != 0 {
                    continue;
                }
                let block = WindowSum { ratio: Ratio { interpolation, decimation }, history };
                let graphs = if extent.every == 1 { &GRAPHS[..] } else { &[GRAPHS[passed % GRAPHS.len()]] };
                for &graph in graphs {
                    let longest = LONGEST[passed % LONGEST.len()];
                    // Batches of single items are slow.
                    let items = if batch == 1 || longest == 1 { extent.items / 10 } else { extent.items };
                    let settings = Settings { batch, depth };
                    let case = Case { graph, block, settings, longest, items, seed: passed as u64 };
                    case.check(make).map_err(|reason| format!("{case}: {reason}"))?;
                    passed += 1;
                }
            }
        }
    }
    Ok(passed)
}

/// The streams that a case must give.
type Expected = Vec<(Vec<u32>, Items<u32>)>;

impl Case {
    fn check<B: Backend>(&self, make: &dyn Fn(u64) -> B) -> Result<(), String> {
        let device = Device::with(make(self.seed), self.settings);
        let mut graph = Graph::new();
        let x: Vec<u32> = (0..self.items).map(item).collect();
        let (expected, tags) = self.build(&mut graph, &device, make, &x);
        let running = graph.check().map_err(|error| error.to_string())?;
        let running = running.start(&Single, &Options::default()).map_err(|error| error.to_string())?;
        running.wait().map_err(|error| error.to_string())?;
        for (number, (wanted, items)) in expected.into_iter().enumerate() {
            same(&wanted, &items.take()).map_err(|reason| format!("output {number}: {reason}"))?;
        }
        if let Some(tags) = tags {
            let Ratio { interpolation: up, decimation: down } = self.block.ratio;
            let last = self.items / down * up;
            let lands = |index: u64| superhet_runtime::tag::map_index(index, up, down, 0);
            let all = (0..self.items as u64).step_by(TAG_EVERY).map(|index| (lands(index), index));
            let wanted: Vec<_> = all.filter(|(index, _)| *index < last as u64).collect();
            // Those beyond the last item are handed on at the end, where this sink does not look.
            let got: Vec<_> = tags.take().into_iter().filter(|(index, _)| *index < last as u64).collect();
            if wanted != got {
                return Err(format!("tags {got:?} instead of {wanted:?}"));
            }
        }
        Ok(())
    }

    fn build<B: Backend>(
        &self,
        graph: &mut Graph,
        device: &Device<B>,
        make: &dyn Fn(u64) -> B,
        x: &[u32],
    ) -> (Expected, Option<Items<(u64, u64)>>) {
        let source = graph.add(
            "source",
            Pieces {
                output: Out::new(),
                items: self.items,
                given: 0,
                longest: self.longest,
                random: Random(self.seed),
            },
        );
        let mut expected = Vec::new();
        let mut tags = None;
        let mut keep = |graph: &mut Graph, from: OutRef<u32>, wanted: Vec<u32>| {
            let sink = VecSink::<u32>::new();
            expected.push((wanted, sink.items()));
            let sink = graph.add(format!("sink{}", expected.len()), sink);
            graph.connect(from, sink.input);
        };
        let add = |graph: &mut Graph, name: &str, block: WindowSum, from: OutRef<u32>| {
            let block = graph.add(name, device.map(block));
            graph.connect(from, block.input);
            block.output
        };
        let add_sum = |graph: &mut Graph, a: OutRef<u32>, b: OutRef<u32>| {
            let sum = graph.add("sum", device.map(Sum));
            let (in0, in1): (InRef<u32>, InRef<u32>) = sum.input;
            graph.connect(a, in0);
            graph.connect(b, in1);
            sum.output
        };
        let other = WindowSum { ratio: Ratio::ONE, history: 5 };
        let first = self.block.of(x);
        match self.graph {
            Graphs::One => {
                let out = add(graph, "a", self.block, source.output);
                keep(graph, out, first);
                let seen: Items<(u64, u64)> = Items::default();
                let sink = graph.add("tags", Tags { input: In::new(), seen: seen.clone() });
                graph.connect(out, sink.input);
                tags = Some(seen);
            }
            Graphs::Two => {
                let a = add(graph, "a", self.block, source.output);
                let b = add(graph, "b", other, a);
                keep(graph, b, other.of(&first));
            }
            Graphs::HostToTwo => {
                let a = add(graph, "a", self.block, source.output);
                let b = add(graph, "b", other, source.output);
                keep(graph, a, first);
                keep(graph, b, other.of(x));
            }
            Graphs::HostToBoth => {
                let a = add(graph, "a", self.block, source.output);
                keep(graph, a, first);
                keep(graph, source.output, x.to_vec());
            }
            Graphs::DeviceToBoth => {
                let a = add(graph, "a", self.block, source.output);
                let b = add(graph, "b", other, a);
                keep(graph, b, other.of(&first));
                keep(graph, a, first);
            }
            Graphs::DeviceToTwo => {
                let a = add(graph, "a", other, source.output);
                let b = add(graph, "b", self.block, a);
                let c = add(graph, "c", WindowSum { ratio: Ratio::decimate(3), history: 0 }, a);
                let (a, slow) = (other.of(x), Items::default());
                keep(graph, b, self.block.of(&a));
                let sink =
                    graph.add("slow", Slow { input: In::new(), items: slow.clone(), kept: vec![], calls: 0 });
                graph.connect(c, sink.input);
                expected.push((WindowSum { ratio: Ratio::decimate(3), history: 0 }.of(&a), slow));
            }
            Graphs::Diamond => {
                let a = add(graph, "a", self.block, source.output);
                let b = add(graph, "b", other, source.output);
                let b = add(graph, "b2", self.block, b);
                let sum = add_sum(graph, a, b);
                let second = self.block.of(&other.of(x));
                keep(graph, sum, add_all(&first, &second));
            }
            Graphs::Meet => {
                let a = add(graph, "a", other, source.output);
                let sum = add_sum(graph, a, source.output);
                let y = add(graph, "b", self.block, sum);
                keep(graph, y, self.block.of(&add_all(&other.of(x), x)));
            }
            Graphs::TwoDevices => {
                let a = add(graph, "a", other, source.output);
                let second = Device::with(make(!self.seed), self.settings);
                let b = graph.add("b", second.map(self.block));
                graph.connect(a, b.input);
                keep(graph, b.output, self.block.of(&other.of(x)));
            }
        }
        (expected, tags)
    }
}

fn add_all(a: &[u32], b: &[u32]) -> Vec<u32> {
    a.iter().zip(b).map(|(a, b)| a.wrapping_add(*b)).collect()
}

/// Where two streams differ, in words.
fn same(wanted: &[u32], got: &[u32]) -> Result<(), String> {
    let wrong = wanted.iter().zip(got).filter(|(wanted, got)| wanted != got).count();
    match wanted.iter().zip(got).position(|(wanted, got)| wanted != got) {
        Some(first) => Err(format!("{wrong} of {} items are wrong, the first at {first}", wanted.len())),
        None if wanted.len() != got.len() => Err(format!("{} items instead of {}", got.len(), wanted.len())),
        None => Ok(()),
    }
}
