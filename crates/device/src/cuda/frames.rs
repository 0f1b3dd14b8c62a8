//! Fourier transforms of consecutive frames by cuFFT, as a block.

use superhet_runtime::{C32, Ratio};

use super::{Cuda, Fft as Plan, Memory, Program};
use crate::backend::{Backend, Launch, Place, Span, Transfer};
use crate::block::{DeviceBlock, Queue, Repeat};
use crate::blocks::{Fft, Transform};
use crate::driver::DriverError;
use crate::kernel::Source;
use crate::slice::{DevSlice, DevSliceMut};

/// [`Fft`] by NVIDIA's cuFFT: the same frames, window and shift, with its ports and, by its makers' words, its accuracy.
///
/// A window and a shift are one kernel before the transform. To move frequency 0 to the middle, every other item of a frame
/// changes its sign (the modulation theorem). To move it back, the halves of a frame change places.
pub struct FftFrames {
    transform: Transform,
    /// Plans for 1, 2, 4, … frames, made when they are needed: together they do any number.
    plans: Vec<Option<Plan>>,
    /// The kernel before the transform, and the window; none where there is nothing to do.
    before: Option<(Program, Memory)>,
}

/// The constants of the kernel.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Constants {
    /// The size of a frame less 1.
    mask: u32,
    /// What the place of an item is changed by, bit by bit.
    in_flip: u32,
    /// 1 where every other item changes its sign.
    alternate: u32,
}

impl FftFrames {
    /// The same transform by cuFFT.
    ///
    /// # Errors
    /// [`DriverError::NoLibrary`] where cuFFT is not found.
    pub fn new(fft: &Fft) -> Result<Self, DriverError> {
        super::fft::find()?;
        Ok(FftFrames { transform: fft.transform().clone(), plans: Vec::new(), before: None })
    }

    fn is_plain(&self) -> bool {
        !self.transform.shift && self.transform.taps_reversed.iter().all(|factor| *factor == 1.0)
    }

    fn constants(&self) -> Constants {
        let Transform { size, inverse, shift, .. } = self.transform;
        Constants {
            mask: size as u32 - 1,
            in_flip: if shift && inverse { size as u32 / 2 } else { 0 },
            alternate: u32::from(shift && !inverse && size > 1),
        }
    }

    /// The plan for `2^power` frames.
    fn plan(&mut self, cuda: &Cuda, power: usize) -> Result<&Plan, DriverError> {
        if self.plans.len() <= power {
            self.plans.resize_with(power + 1, || None);
        }
        let plan = match self.plans[power].take() {
            Some(plan) => plan,
            None => cuda.fft(self.transform.size, 1 << power)?,
        };
        Ok(self.plans[power].insert(plan))
    }
}

impl DeviceBlock<Cuda> for FftFrames {
    type In = C32;
    type Out = C32;

    fn ratio(&self) -> Ratio {
        let size = self.transform.size;
        Ratio { interpolation: size, decimation: size }
    }

    /// Runs share the plans' work areas.
    fn repeat(&self) -> Repeat {
        Repeat::InOrder
    }

    fn prepare(&mut self, cuda: &Cuda) -> Result<(), DriverError> {
        self.plan(cuda, 0)?;
        if self.is_plain() {
            return Ok(());
        }
        let text = include_str!("../blocks/kernels/fft_frames.ptx");
        let program = cuda.compile(&Source::new("fft_frames").cuda(text))?;
        let window: &[u8] = bytemuck::cast_slice(&self.transform.taps_reversed);
        let (memory, mut staging) =
            (cuda.allocate(window.len())?, cuda.stage(window.len(), Transfer::Upload)?);
        let mut stream = cuda.stream()?;
        cuda.write(&mut staging, 0, window)?;
        cuda.upload(&mut stream, &staging, &memory, 0, window.len())?;
        cuda.drain(&mut stream)?;
        self.before = Some((program, memory));
        Ok(())
    }

    fn enqueue(
        &mut self,
        queue: &mut Queue<'_, Cuda>,
        x: DevSlice<'_, C32, Cuda>,
        y: DevSliceMut<'_, C32, Cuda>,
    ) -> Result<(), DriverError> {
        let (size, inverse, constants) = (self.transform.size, self.transform.inverse, self.constants());
        let (to, items) = (y.arg(), y.len());
        let mut from = x.arg();
        if let Some((program, window)) = &self.before {
            let window = Span { place: Place { memory: window, at: 0 }, items: size, item_bytes: 4 };
            let launch = Launch {
                inputs: &[from, window],
                outputs: &[to],
                constants: bytemuck::bytes_of(&constants),
                threads: items,
            };
            queue.launch(program, &launch)?;
            // The transform is done where its input is.
            from = to;
        }
        let (mut done, frames) = (0, items / size);
        while done < frames {
            let power = (frames - done).ilog2() as usize;
            let plan = self.plan(queue.backend, power)?;
            let offset = done * size * to.item_bytes;
            let from = Place { memory: from.place.memory, at: from.place.at + offset };
            let to = Place { memory: to.place.memory, at: to.place.at + offset };
            queue.counters.launches.add(1);
            queue.backend.transform(queue.stream, plan, from, to, inverse)?;
            done += 1 << power;
        }
        Ok(())
    }
}
