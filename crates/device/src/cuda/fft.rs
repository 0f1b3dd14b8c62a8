//! Fourier transforms by NVIDIA's cuFFT.

use std::ffi::{c_int, c_void};
use std::sync::{Arc, OnceLock};

use libloading::Library;

use super::context::{Context, DRIVER};
use super::library::{self, Wanted};
use super::quiet;
use super::{Cuda, Stream};
use crate::backend::Place;
use crate::driver::{DriverError, fits};

const WANTED: Wanted = Wanted {
    setting: "SUPERHET_CUFFT",
    files: &["libcufft.so.12", "libcufft.so.11"],
    before: None,
    hint: "install nvidia-cufft for Python or a CUDA toolkit, and let SUPERHET_CUFFT or CUDA_HOME name it",
};

/// `CUFFT_C2C` of `cufft.h`.
const COMPLEX: c_int = 0x29;
/// Bytes of a complex item.
const ITEM: usize = 8;

/// The functions of the library. All give 0 or an error's number.
struct Cufft {
    plan: unsafe extern "C" fn(*mut c_int, c_int, c_int, c_int) -> c_int,
    set_stream: unsafe extern "C" fn(c_int, *mut c_void) -> c_int,
    run: unsafe extern "C" fn(c_int, *mut c_void, *mut c_void, c_int) -> c_int,
    destroy: unsafe extern "C" fn(c_int) -> c_int,
}

impl Cufft {
    /// The library, loaded at the first call that finds it.
    fn get() -> Result<&'static Cufft, DriverError> {
        static LOADED: OnceLock<Cufft> = OnceLock::new();
        if let Some(cufft) = LOADED.get() {
            return Ok(cufft);
        }
        let library = WANTED.load()?;
        let cufft = Cufft::new(&library).map_err(|error| DriverError::NoLibrary {
            driver: DRIVER,
            library: WANTED.files[0].to_owned(),
            reason: library::words(error),
            hint: WANTED.hint,
        })?;
        // The functions are used to the end of the process.
        std::mem::forget(library);
        Ok(LOADED.get_or_init(|| cufft))
    }

    fn new(library: &Library) -> Result<Self, libloading::Error> {
        // SAFETY: The types are those of `cufft.h`, with `int` for enumerations and pointers to nothing for others.
        unsafe {
            Ok(Cufft {
                plan: *library.get(c"cufftPlan1d")?,
                set_stream: *library.get(c"cufftSetStream")?,
                run: *library.get(c"cufftExecC2C")?,
                destroy: *library.get(c"cufftDestroy")?,
            })
        }
    }
}

/// Looks for the library.
pub(super) fn find() -> Result<(), DriverError> {
    Cufft::get().map(drop)
}

/// A plan for transforms of one length, any number at once. Runs in one stream at a time: they share its work area.
pub struct Fft {
    plan: Arc<FftPlan>,
}

struct FftPlan {
    cufft: &'static Cufft,
    handle: c_int,
    context: Arc<Context>,
    /// Bytes of all items of one run.
    bytes: usize,
}

impl Cuda {
    /// A plan for `batch` transforms of `points` complex items of two `f32` each.
    ///
    /// # Errors
    /// Where cuFFT is not found, or does not take these numbers, or there is no memory for it.
    pub fn fft(&self, points: usize, batch: usize) -> Result<Fft, DriverError> {
        let cufft = Cufft::get()?;
        let wrong = |reason: String| failure(&self.context, "cufftPlan1d", reason);
        let number = |value: usize| {
            c_int::try_from(value).ok().filter(|value| *value > 0).ok_or_else(|| {
                wrong(format!("{batch} transforms of {points} points: both must be from 1 to 2147483647"))
            })
        };
        let (nx, count) = (number(points)?, number(batch)?);
        let bytes = points.checked_mul(batch).and_then(|items| items.checked_mul(ITEM));
        let bytes =
            bytes.ok_or_else(|| wrong(format!("{batch} transforms of {points} points are too many")))?;
        self.context.enter()?;
        let mut handle = 0;
        // SAFETY: The device's primary context is current, which cuFFT uses.
        let code = quiet::alone(|| unsafe { (cufft.plan)(&raw mut handle, nx, COMPLEX, count) });
        if code != 0 {
            return Err(wrong(words(code)));
        }
        let plan = FftPlan { cufft, handle, context: Arc::clone(&self.context), bytes };
        Ok(Fft { plan: Arc::new(plan) })
    }

    /// Enqueues a run of all transforms of the plan: `y[k] = Σ x[n] · e^(∓2πi·kn/points)`, minus forward, plus inverse;
    /// neither is scaled. `from` and `to` may be the same place, or must not overlap.
    ///
    /// # Errors
    /// Where the items do not fit, or the device is gone.
    pub fn transform(
        &self,
        stream: &mut Stream,
        fft: &Fft,
        from: Place<'_, Cuda>,
        to: Place<'_, Cuda>,
        inverse: bool,
    ) -> Result<(), DriverError> {
        let plan = &fft.plan;
        let (source, target) = (&from.memory.block, &to.memory.block);
        for (block, at) in [(source, from.at), (target, to.at)] {
            self.context.owns(&block.context, "cufftExecC2C")?;
            fits(&self.context.found.name, "device memory", at, plan.bytes, block.bytes)?;
            if !at.is_multiple_of(ITEM) {
                let device = self.context.found.name.clone();
                return Err(DriverError::Misaligned { device, what: "an offset", bytes: at, multiple: ITEM });
            }
        }
        self.context.owns(&stream.context, "cufftExecC2C")?;
        self.context.owns(&plan.context, "cufftExecC2C")?;
        self.context.enter()?;
        // SAFETY: The plan and the stream are alive.
        let code = unsafe { (plan.cufft.set_stream)(plan.handle, stream.handle.cast()) };
        if code != 0 {
            return Err(failure(&self.context, "cufftSetStream", words(code)));
        }
        let address = |pointer: u64, at: usize| (pointer as usize + at) as *mut c_void;
        let direction = if inverse { 1 } else { -1 };
        // SAFETY: Both places have room for all items of the plan, and their memory is freed only after the run.
        let code = unsafe {
            (plan.cufft.run)(
                plan.handle,
                address(source.pointer, from.at),
                address(target.pointer, to.at),
                direction,
            )
        };
        if code != 0 {
            return Err(failure(&self.context, "cufftExecC2C", words(code)));
        }
        stream.keep(plan);
        stream.keep(source);
        stream.keep(target);
        Ok(())
    }
}

impl Drop for FftPlan {
    fn drop(&mut self) {
        let (cufft, handle) = (self.cufft, self.handle);
        let destroy = move |context: &Context| {
            // SAFETY: The plan is ours, and not running.
            match unsafe { (cufft.destroy)(handle) } {
                0 => Ok(()),
                code => Err(failure(context, "cufftDestroy", words(code))),
            }
        };
        quiet::retire(&self.context, destroy, Vec::new());
    }
}

fn failure(context: &Context, call: &'static str, reason: String) -> DriverError {
    DriverError::Call { device: context.found.name.clone(), call, reason }
}

/// A code of `cufftResult` in words.
fn words(code: c_int) -> String {
    let name = match code {
        1 => "CUFFT_INVALID_PLAN",
        2 => "CUFFT_ALLOC_FAILED",
        4 => "CUFFT_INVALID_VALUE",
        5 => "CUFFT_INTERNAL_ERROR",
        6 => "CUFFT_EXEC_FAILED",
        7 => "CUFFT_SETUP_FAILED",
        8 => "CUFFT_INVALID_SIZE",
        11 => "CUFFT_INVALID_DEVICE",
        13 => "CUFFT_NO_WORKSPACE",
        16 => "CUFFT_NOT_SUPPORTED",
        _ => "an error of cuFFT",
    };
    format!("{name} ({code})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_the_library_or_a_device_there_is_an_error_with_a_sentence() {
        match Cufft::get() {
            Err(error) => {
                let error = error.to_string();
                assert!(error.contains("libcufft.so.12") && error.contains("SUPERHET_CUFFT"), "{error}");
                println!("skipped: {error}");
            }
            Ok(cufft) if Cuda::devices().is_err() => {
                let mut handle = 0;
                // SAFETY: The handle is a variable of ours.
                let code = unsafe { (cufft.plan)(&raw mut handle, 64, COMPLEX, 1) };
                assert_ne!(code, 0, "there is no device");
                println!("{}", words(code));
            }
            Ok(_) => println!("skipped: there is a device"),
        }
    }
}
