//! How fast is each variant of a kernel on data in L1 and beyond?
//!
//! `cargo bench -p superhet-kernels --features trials -- [--test] [name …]` prints a row per op, length and variant: the slowest, mean
//! and fastest of several trials, in 10⁹ items per second. Names select the ops whose name contains one of them;
//! `--test` runs each once, briefly. `superhet bench kernels` says more.

use std::hint::black_box;
use std::time::{Duration, Instant};
use superhet_kernels::{ItemFunction, item, list, map_in_place, trial};

/// Runs `work` on `items` items in several trials of about `time`, and prints the rates. `work` gets the number of rounds.
fn measure(name: &str, variant: &str, items: usize, time: Duration, mut work: impl FnMut(usize)) {
    work(1); // Touches the memory and wakes up the vector units.
    let mut runs = 1;
    let mut rates = Vec::new();
    while rates.len() < 9 {
        let start = Instant::now();
        work(runs);
        let elapsed = start.elapsed();
        if elapsed < time / 2 {
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

/// Four saxpys in one loop, with the variant that `SUPERHET_KERNEL` allows.
struct Saxpys([(f32, f32); 4]);

impl ItemFunction for Saxpys {
    type In = f32;
    type Out = f32;
    #[inline(always)]
    fn apply(&self, x: f32) -> f32 {
        self.0.iter().fold(x, |x, &(gain, offset)| item::saxpy(x, gain, offset))
    }
}

const LENGTHS: &[usize] = &[1024, 4096, 65536];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let quick = arguments.iter().any(|argument| argument == "--test");
    let time = Duration::from_micros(if quick { 10 } else { 2000 });
    let names: Vec<String> = arguments.into_iter().filter(|argument| !argument.starts_with('-')).collect();
    let is_asked_for = |op: &str| names.is_empty() || names.iter().any(|name| op.contains(name.as_str()));

    println!(
        "{:<32} {:>6} {:<8} {:>8} {:>8} {:>8}  Gitems/s",
        "op", "items", "variant", "min", "mean", "max"
    );
    for op in list().into_iter().filter(|op| is_asked_for(op.name)) {
        for &len in LENGTHS {
            let mut trial = trial(op.name, len, 0).expect("it is listed");
            for variant in &op.runnable {
                measure(op.name, variant, len, time, |runs| trial.run(variant, runs));
            }
        }
    }
    if is_asked_for("map") {
        let saxpys = black_box(Saxpys([(1.0, 0.0); 4]));
        for &len in LENGTHS {
            let mut y = vec![0.7; len];
            measure("map_in_place, 4 saxpys", "chosen", len, time, |runs| {
                (0..runs).for_each(|_| map_in_place(black_box(&mut y), &saxpys));
            });
        }
    }
}
