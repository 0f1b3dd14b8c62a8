//! Fourier transforms of frames of polyphase sums: what [`Fft`](super::Fft) and [`Channelizer`](super::Channelizer) share.
//!
//! For each frame of `size` items the kernel makes `size` sums, one for each branch of a polyphase filter. The sums reach
//! back into earlier frames. With one round of taps the taps are a window, and each sum is one product. Their transform is
//! done in place, in the fast memory that a group of threads shares:
//!
//! 1. the sums go to the places whose numbers are theirs with the bits reversed;
//! 2. where `log₂ size` is odd, neighbours are combined in pairs;
//! 3. then parts of a transform are combined four at a time, until the frame is one transform (Cooley and Tukey 1965,
//!    decimation in time, radix 4): `log₄ size` rounds with a barrier after each.
//!
//! In place, a frame takes only its own size of the shared memory, of which devices have as little as 32 KiB: 4096 items.
//! Frames of less than 256 items are done several at once, so that all threads have work.

use std::f64::consts::TAU;

use superhet_runtime::{C32, C64};

use super::kernel;
use crate::kernel::{HostCall, Source};

/// The longest frame.
pub(super) const LONGEST: usize = 1 << 12;

/// The items that a group of threads has to itself at least.
const TOGETHER: usize = 256;
/// The most frames that a group of threads does at once, and the threads of a group.
const GROUP: usize = 64;

#[derive(Clone, Debug)]
pub(crate) struct Transform {
    /// A power of two, up to [`LONGEST`].
    pub size: usize,
    /// Whole rounds of `size` taps, the newest item's last.
    pub taps_reversed: Vec<f32>,
    pub inverse: bool,
    /// Frequency 0 is in the middle: of the output forward, of the input inverse.
    pub shift: bool,
}

/// The constants of the kernel.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Constants {
    log2_size: u32,
    rounds: u32,
    /// What the place of an item in a frame is changed by, bit by bit.
    in_flip: u32,
    out_flip: u32,
    /// 1 forward, −1 inverse.
    turn: f32,
}

impl Transform {
    /// How many frames a group of threads does at once.
    fn frames_at_once(&self) -> usize {
        (TOGETHER / self.size).clamp(1, GROUP)
    }

    pub fn source(&self) -> Source {
        let capacity = self.frames_at_once() * self.size;
        let Source { entry, cuda, opencl, wgsl, .. } = kernel!("fft");
        let text = |line: &str, text: Option<_>| format!("{line}\n{}", text.unwrap_or_default());
        Source::new(entry)
            .cuda(cuda.unwrap_or_default())
            .opencl(text(&format!("#define CAPACITY {capacity}"), opencl))
            .wgsl(text(&format!("const CAPACITY = {capacity}u;"), wgsl))
            .host(compute)
    }

    pub fn threads(&self, items: usize) -> usize {
        items / self.size * (GROUP / self.frames_at_once())
    }

    pub fn constants(&self) -> Vec<u8> {
        let half = (self.size / 2) as u32;
        let flip = |where_it_is: bool| if self.shift && where_it_is { half } else { 0 };
        let constants = Constants {
            log2_size: self.size.ilog2(),
            rounds: (self.taps_reversed.len() / self.size) as u32,
            in_flip: flip(self.inverse),
            out_flip: flip(!self.inverse),
            turn: if self.inverse { -1.0 } else { 1.0 },
        };
        bytemuck::bytes_of(&constants).to_vec()
    }

    /// The roots of unity `exp(∓j · 2π · k / size)`, and the taps.
    pub fn tables(&self) -> Vec<Vec<u8>> {
        let sign = if self.inverse { 1.0 } else { -1.0 };
        let root = |k: usize| {
            let root = C64::cis(sign * TAU * k as f64 / self.size as f64);
            C32::new(root.re as f32, root.im as f32)
        };
        let roots: Vec<C32> = (0..self.size).map(root).collect();
        vec![bytemuck::cast_slice(&roots).to_vec(), bytemuck::cast_slice(&self.taps_reversed).to_vec()]
    }
}

/// The host's kernel: the same steps, in pairs only.
fn compute(call: HostCall<'_>) {
    let ([x, roots, taps], [y]) = (call.inputs, call.outputs) else { return };
    let (x, roots): (&[C32], &[C32]) = (bytemuck::cast_slice(x), bytemuck::cast_slice(roots));
    let taps: &[f32] = bytemuck::cast_slice(taps);
    let Constants { log2_size, in_flip, out_flip, .. } = bytemuck::pod_read_unaligned(call.constants);
    let size = 1 << log2_size;
    let mut frame = vec![C32::ZERO; size];
    for (k, y) in bytemuck::cast_slice_mut::<_, C32>(y).chunks_exact_mut(size).enumerate() {
        let window = &x[k * size..][..taps.len()];
        for n in 0..size {
            let terms = taps.iter().zip(window).skip(n).step_by(size);
            let place = ((n as u32 ^ in_flip).reverse_bits() >> 1) >> (31 - log2_size);
            frame[place as usize] = terms.map(|(tap, x)| x * tap).sum();
        }
        let mut half = 1;
        while half < size {
            for pair in frame.chunks_exact_mut(2 * half) {
                let (low, high) = pair.split_at_mut(half);
                for (j, (a, b)) in low.iter_mut().zip(high).enumerate() {
                    let turned = *b * roots[j * (size / (2 * half))];
                    (*a, *b) = (*a + turned, *a - turned);
                }
            }
            half *= 2;
        }
        for (k, y) in y.iter_mut().enumerate() {
            *y = frame[k ^ out_flip as usize];
        }
    }
}
