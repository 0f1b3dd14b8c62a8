//! How fast is each variant of a kernel on data in L1 and beyond?
//!
//! `cargo bench -p superhet-kernels -- [--test] [name …]` prints a row per op, length and variant: the slowest, mean
//! and fastest of several trials, in 10⁹ output items per second. Names select the ops whose name contains one of them;
//! `--test` runs each once, briefly.

use std::hint::black_box;
use std::time::{Duration, Instant};
use superhet_kernels::*;

/// Runs `work`, which makes `items` items, for several trials of about `trial`, and prints the rates.
fn measure(name: &str, variant: &str, items: usize, trial: Duration, mut work: impl FnMut()) {
    work(); // Touches the memory and wakes up the vector units.
    let mut runs = 1;
    let mut rates = Vec::new();
    while rates.len() < 9 {
        let start = Instant::now();
        for _ in 0..runs {
            work();
        }
        let elapsed = start.elapsed();
        if elapsed < trial / 2 {
            runs *= 2;
            continue;
        }
        rates.push((runs * items) as f64 / elapsed.as_secs_f64() * 1e-9);
    }
    let mean = rates.iter().sum::<f64>() / rates.len() as f64;
    let min = rates.iter().copied().fold(f64::INFINITY, f64::min);
    let max = rates.iter().copied().fold(0.0, f64::max);
    println!("{name:<32} {items:>6} {variant:<8} {min:>8.3} {mean:>8.3} {max:>8.3}");
}

/// Items on a cache line, so that all runs start alike.
struct Aligned<T> {
    store: Vec<T>,
    start: usize,
    len: usize,
}

impl<T: Clone> Aligned<T> {
    fn new(len: usize, item: T) -> Self {
        let store = vec![item; len + 64];
        let start = store.as_ptr().align_offset(64);
        Self { store, start, len }
    }

    fn items(&mut self) -> &mut [T] {
        &mut self.store[self.start..][..self.len]
    }
}

struct Bench {
    trial: Duration,
    names: Vec<String>,
}

impl Bench {
    /// Measures `map` of four saxpys in one loop, with the variant that `SUPERHET_KERNEL` allows.
    fn map(&self, lengths: &[usize]) {
        struct Saxpys([(f32, f32); 4]);

        impl ItemFunction for Saxpys {
            type In = f32;
            type Out = f32;
            #[inline(always)]
            fn apply(&self, x: f32) -> f32 {
                self.0.iter().fold(x, |x, &(gain, offset)| item::saxpy(x, gain, offset))
            }
        }

        if !self.names.is_empty() && !self.names.iter().any(|name| "map".contains(name.as_str())) {
            return;
        }
        let saxpys = black_box(Saxpys([(1.0, 0.0); 4]));
        for &len in lengths {
            let mut y = Aligned::new(len, 0.7);
            measure("map_in_place, 4 saxpys", "chosen", len, self.trial, || {
                map_in_place(black_box(y.items()), &saxpys);
            });
        }
    }

    /// Measures `call` with each variant of `op`, on an output and an input of each length.
    fn op<F: Copy, X: Clone, Y: Clone>(
        &self,
        op: &Op<F>,
        lengths: &[usize],
        (y, x): (Y, X),
        call: impl Fn(F, &mut [Y], &[X]),
    ) {
        if !self.names.is_empty() && !self.names.iter().any(|name| op.name().contains(name.as_str())) {
            return;
        }
        for &len in lengths {
            let mut y = Aligned::new(len, y.clone());
            // Filters read beyond, for their history and for what they drop; the others cut off what they need.
            let mut x = Aligned::new(4 * len + 64, x.clone());
            for (variant, run) in op.variants() {
                measure(op.name(), variant, len, self.trial, || {
                    call(run, black_box(y.items()), black_box(x.items()));
                });
            }
        }
    }
}

const LENGTHS: &[usize] = &[1024, 8192, 65536];
const SAXPY_LENGTHS: &[usize] = &[2048, 4096, 8192, 65536];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let quick = arguments.iter().any(|argument| argument == "--test");
    let trial = Duration::from_micros(if quick { 10 } else { 2000 });
    let names = arguments.into_iter().filter(|argument| !argument.starts_with('-')).collect();
    let bench = Bench { trial, names };
    let c = C32::new(0.6, -0.5);
    let reals: Vec<f32> = (0..64).map(|n| 0.01 * n as f32).collect();
    let complexes: Vec<C32> = reals.iter().map(|&re| C32::new(re, 0.1)).collect();

    println!(
        "{:<32} {:>6} {:<8} {:>8} {:>8} {:>8}  Gitems/s",
        "op", "items", "variant", "min", "mean", "max"
    );

    // In place, a gain of 1 keeps the values as they are over any number of runs.
    bench.op(&SAXPY, SAXPY_LENGTHS, (0.0, 0.7), |run, y, x| run(y, &x[..y.len()], 1.0, 0.0));
    bench.op(&SAXPY_IN_PLACE, SAXPY_LENGTHS, (0.7, 0u8), |run, y, _| run(y, 1.0, 0.0));
    println!("the same, starting one item behind a cache line");
    bench.op(&SAXPY, &[2048], (0.0, 0.7), |run, y, x| {
        let len = y.len();
        run(&mut y[1..], &x[1..len], 1.0, 0.0);
    });
    bench.op(&SAXPY_IN_PLACE, &[2048], (0.7, 0u8), |run, y, _| run(&mut y[1..], 1.0, 0.0));

    println!("elementwise");
    bench.map(SAXPY_LENGTHS);
    bench.op(&ADD_F32, LENGTHS, (0.0, 0.7), |run, y, x| run(y, &x[..y.len()], &x[..y.len()]));
    bench.op(&ADD_CONST_F32, LENGTHS, (0.0, 0.7), |run, y, x| run(y, &x[..y.len()], 0.5));
    bench.op(&MULTIPLY_F32, LENGTHS, (0.0, 0.7), |run, y, x| run(y, &x[..y.len()], &x[..y.len()]));
    bench.op(&MULTIPLY_C32, LENGTHS, (c, c), |run, y, x| run(y, &x[..y.len()], &x[..y.len()]));
    bench.op(&MULTIPLY_C32_IN_PLACE, LENGTHS, (c, C32::ONE), |run, y, x| run(y, &x[..y.len()]));
    bench.op(&MULTIPLY_CONJUGATE_C32, LENGTHS, (c, c), |run, y, x| run(y, &x[..y.len()], &x[..y.len()]));
    bench.op(&MULTIPLY_CONST_C32, LENGTHS, (c, c), |run, y, x| run(y, &x[..y.len()], c));
    bench.op(&CONJUGATE, LENGTHS, (c, c), |run, y, x| run(y, &x[..y.len()]));
    bench.op(&MAGNITUDE, LENGTHS, (0.0, c), |run, y, x| run(y, &x[..y.len()]));
    bench.op(&MAGNITUDE_SQUARED, LENGTHS, (0.0, c), |run, y, x| run(y, &x[..y.len()]));

    let turns = vec![c; 65536];
    bench.op(&ROTATE_C32, LENGTHS, (c, c), |run, y, x| run(y, &x[..y.len()], &turns[..y.len()], c));
    let mut rotator = Rotator::new(0.1);
    let (x, mut y) = (vec![c; 8192], vec![c; 8192]);
    measure("rotator", "chosen", 8192, trial, || rotator.rotate(black_box(&mut y), black_box(&x)));

    bench.op(&U8_TO_F32, LENGTHS, (0.0, 7u8), |run, y, x| run(y, &x[..y.len()]));
    bench.op(&U8_TO_C32, LENGTHS, (c, [7u8; 2]), |run, y, x| run(y, &x[..y.len()]));
    bench.op(&I16_TO_C32, LENGTHS, (c, [7i16; 2]), |run, y, x| run(y, &x[..y.len()]));
    bench.op(&C32_TO_U8, LENGTHS, ([7u8; 2], c), |run, y, x| run(y, &x[..y.len()]));
    bench.op(&C32_TO_I16, LENGTHS, ([7i16; 2], c), |run, y, x| run(y, &x[..y.len()]));
    bench.op(&COMPLEX_TO_REAL, LENGTHS, (0.0, c), |run, y, x| run(y, &x[..y.len()]));
    bench.op(&INTERLEAVE, LENGTHS, (c, 0.7), |run, y, x| run(y, &x[..y.len()], &x[..y.len()]));

    // A dot product reads its whole length: its items are inputs.
    bench.op(&DOT_F32, LENGTHS, (0.1, 0.7), |run, y, x| {
        black_box(run(y, &x[..y.len()]));
    });
    bench.op(&DOT_C32_F32, LENGTHS, (0.1, c), |run, y, x| {
        black_box(run(&x[..y.len()], y));
    });
    bench.op(&DOT_C32, LENGTHS, (c, c), |run, y, x| {
        black_box(run(&x[..y.len()], y));
    });

    bench.op(&DOT_CONJUGATE_C32, LENGTHS, (c, c), |run, y, x| {
        black_box(run(&x[..y.len()], y));
    });
    bench.op(&SUM_F32, LENGTHS, (0.0, 0u8), |run, y, _| {
        black_box(run(y));
    });
    bench.op(&SUM_C32, LENGTHS, (c, 0u8), |run, y, _| {
        black_box(run(y));
    });
    bench.op(&ENERGY_C32, LENGTHS, (c, 0u8), |run, y, _| {
        black_box(run(y));
    });
    bench.op(&MOMENTS_F32, LENGTHS, (0.1, 0u8), |run, y, _| {
        black_box(run(y));
    });
    bench.op(&MAX_F32, LENGTHS, (0.1, 0u8), |run, y, _| {
        black_box(run(y));
    });
    bench.op(&INDEX_OF_MAX_F32, LENGTHS, (0.1, 0u8), |run, y, _| {
        black_box(run(y));
    });
    bench.op(&INDEX_OF_MAX_C32, LENGTHS, (c, 0u8), |run, y, _| {
        black_box(run(y));
    });

    println!("a biquad, 1, 8 and 64 channels; the items are samples");
    let section = [Section { b: [0.2, 0.4, 0.2], a: [-0.4, 0.2] }];
    for channels in [1, 8, 64] {
        let state = vec![[0.0; 2]; channels];
        bench.op(&BIQUADS_F32, &[8192], (0.5, 0u8), |run, y, _| {
            run(y, &section, &mut state.clone(), channels);
        });
    }

    println!("polyphase, 64 branches of 8 taps; the items are inputs");
    let weights = vec![0.1; 512];
    bench.op(&POLYPHASE_C32_F32, &[8192], (c, c), |run, y, x| {
        for k in 0..128 {
            run(&mut y[64 * k..][..64], &x[64 * k..][..512], &weights);
        }
    });

    let metrics = [0; 64];
    bench.op(&VITERBI_K7, &[8192], ([0u32; 2], [77u8, 200]), |run, y, x| {
        run(y, &mut { metrics }, &x[..y.len()])
    });

    println!("64 taps, decimation 1");
    bench.op(&FIR_F32, LENGTHS, (0.0, 0.7), |run, y, x| run(y, x, &reals, 1));
    bench.op(&FIR_C32_F32, LENGTHS, (c, c), |run, y, x| run(y, x, &reals, 1));
    bench.op(&FIR_C32_C32, LENGTHS, (c, c), |run, y, x| run(y, x, &complexes, 1));
    for (taps, decimation) in [(64, 2), (64, 4), (16, 4), (64, 10), (64, 32)] {
        println!("{taps} taps, decimation {decimation}; the items are inputs");
        let (reals, complexes) = (&reals[..taps], &complexes[..taps]);
        let outputs = |x: usize| x / decimation;
        bench.op(&FIR_F32, &[8192], (0.0, 0.7), |run, y, x| {
            run(&mut y[..outputs(8192)], x, reals, decimation)
        });
        bench.op(&FIR_C32_F32, &[8192], (c, c), |run, y, x| {
            run(&mut y[..outputs(8192)], x, reals, decimation)
        });
        bench.op(&FIR_C32_C32, &[8192], (c, c), |run, y, x| {
            run(&mut y[..outputs(8192)], x, complexes, decimation)
        });
    }

    bench.op(&QUADRATURE_DEMOD, LENGTHS, (0.0, c), |run, y, x| run(y, &x[..=y.len()], 1.0));
}
