//! What the Rust peers share: arguments, the kernel, pinning, the measurement and the line they print.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// What one run is asked for.
#[derive(Clone, Debug)]
pub struct Args {
    /// Cores to use, at least 1; never more than there are kernels.
    pub cores: usize,
    /// Saxpy blocks in the chain, at least 1.
    pub kernels: usize,
    /// How often each block applies its kernel to its span.
    pub weight: u32,
    /// How long to measure.
    pub seconds: f64,
    /// Which configuration; the programs say which they know.
    pub config: String,
}

impl Args {
    /// Reads `CORES KERNELS WEIGHT SECONDS CONFIG`; anything else ends the process with status 2.
    pub fn parse() -> Args {
        let words: Vec<String> = std::env::args().skip(1).collect();
        read(&words).unwrap_or_else(|| fail("usage: CORES KERNELS WEIGHT SECONDS CONFIG"))
    }

    /// How many kernels each core in use gets: the chain is cut into equal parts, the first take what is left over.
    pub fn shares(&self) -> Vec<usize> {
        let cores = self.cores.min(self.kernels);
        (0..cores).map(|core| self.kernels / cores + usize::from(core < self.kernels % cores)).collect()
    }
}

fn read(words: &[String]) -> Option<Args> {
    let [cores, kernels, weight, seconds, config] = words else { return None };
    let args = Args {
        cores: cores.parse().ok()?,
        kernels: kernels.parse().ok()?,
        weight: weight.parse().ok()?,
        seconds: seconds.parse().ok()?,
        config: config.clone(),
    };
    (args.cores > 0 && args.kernels > 0 && args.weight > 0 && args.seconds > 0.0).then_some(args)
}

/// Ends the process with status 2 and a sentence.
pub fn fail(text: &str) -> ! {
    eprintln!("{text}");
    std::process::exit(2)
}

// A product and a sum, not a fused multiply-add: LLVM's loop with those reaches 29.4 Gitems/s on a Zen 4 (a store of 32
// bytes per cycle, as superhet's kernel), with fused ones 25.

const GAIN: f32 = 0.999;
const OFFSET: f32 = 0.001;

/// `x[n] = gain · x[n] + offset`, `weight` times over.
pub fn saxpy_in_place(x: &mut [f32], weight: u32) {
    for _ in 0..weight {
        // The passes must not be merged into one.
        for x in black_box(&mut *x) {
            *x = *x * GAIN + OFFSET;
        }
    }
}

/// `y[n] = gain · x[n] + offset`, and `weight - 1` times more in place on `y`.
pub fn saxpy(y: &mut [f32], x: &[f32], weight: u32) {
    for (y, x) in y.iter_mut().zip(x) {
        *y = *x * GAIN + OFFSET;
    }
    saxpy_in_place(y, weight - 1);
}

/// Items that reached the sink. The sink writes, the measurement reads.
#[derive(Clone, Debug, Default)]
pub struct Items(Arc<Padded>);

/// Alone on its cache lines.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Padded(AtomicU64);

impl Items {
    /// Counts `n` more. One thread at a time may call this.
    pub fn add(&self, n: usize) {
        let count = &self.0.0;
        count.store(count.load(Relaxed) + n as u64, Relaxed);
    }

    fn get(&self) -> u64 {
        self.0.0.load(Relaxed)
    }
}

/// Lets the running graph settle, measures it, prints the result and ends the process: no peer is asked to stop.
pub fn measure(peer: &str, version: &str, args: &Args, items: &Items) -> ! {
    std::thread::sleep(Duration::from_millis(100));
    let (items_before, cpu_before, before) = (items.get(), cpu_seconds(), Instant::now());
    std::thread::sleep(Duration::from_secs_f64(args.seconds));
    let (items_after, cpu_after, seconds) = (items.get(), cpu_seconds(), before.elapsed().as_secs_f64());
    let Args { cores, kernels, weight, config, .. } = args;
    println!(
        r#"{{"peer":"{peer}","version":"{version}","cores":{cores},"kernels":{kernels},"weight":{weight},"config":"{config}","rate":{},"cpu_seconds":{},"seconds":{seconds}}}"#,
        (items_after - items_before) as f64 / seconds,
        cpu_after - cpu_before,
    );
    std::process::exit(if items_after > items_before { 0 } else { 1 })
}

/// CPU time of all threads of this process so far, in seconds.
fn cpu_seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for the write.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// The cores that this process may use, in order.
pub fn allowed_cores() -> Vec<usize> {
    // SAFETY: an all-zero set is an empty one, and the kernel writes no more than its size.
    let set = unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::sched_getaffinity(0, size_of_val(&set), &mut set);
        set
    };
    // SAFETY: the index stays below the size of the set.
    (0..libc::CPU_SETSIZE as usize).filter(|&core| unsafe { libc::CPU_ISSET(core, &set) }).collect()
}

/// Keeps the calling thread on `core`.
pub fn pin(core: usize) {
    // SAFETY: `core` comes from `allowed_cores`, so it is within the set; the set is valid for the read.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(core, &mut set);
        libc::sched_setaffinity(0, size_of_val(&set), &set);
    }
}
