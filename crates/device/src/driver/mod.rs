//! Shared by the drivers of this crate: their errors, and the checks of their arguments.

mod error;

pub use error::DriverError;

#[cfg(any(feature = "cuda", feature = "opencl"))]
use crate::backend::Launch;
use crate::backend::{Backend, Place, Span};

/// A device that a driver found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The name that tells it apart: `opencl:0`.
    pub name: String,
    /// What it is, in words.
    pub description: String,
    /// The size of its memory in bytes, 0 where it does not say.
    pub memory_bytes: u64,
}

/// The device with the number `index`, or the error that says which there are.
pub(crate) fn pick<T>(
    driver: &'static str,
    index: usize,
    mut all: Vec<T>,
    found: impl Fn(&T) -> &Found,
) -> Result<T, DriverError> {
    if index < all.len() {
        return Ok(all.swap_remove(index));
    }
    let there = all.iter().map(|device| found(device).description.clone()).collect();
    Err(DriverError::NoSuchDevice { driver, index, there })
}

/// Checks that `bytes` bytes from `at` on lie within `size`.
pub(crate) fn fits(
    device: &str,
    what: &'static str,
    at: usize,
    bytes: usize,
    size: usize,
) -> Result<(), DriverError> {
    match at.checked_add(bytes) {
        Some(end) if end <= size => Ok(()),
        _ => Err(DriverError::OutOfRange { device: device.to_owned(), what, at, bytes, size }),
    }
}

/// A kernel's name and its device's, for errors.
pub(crate) struct Named<'a> {
    pub(crate) device: &'a str,
    pub(crate) kernel: &'a str,
}

impl Named<'_> {
    pub(crate) fn wrong(&self, problem: String) -> DriverError {
        DriverError::Arguments { device: self.device.to_owned(), kernel: self.kernel.to_owned(), problem }
    }

    /// Checks that `launch` has as many arguments as the kernel takes, of which each span takes `per_span`.
    #[cfg(any(feature = "cuda", feature = "opencl"))]
    pub(crate) fn count<B: Backend>(
        &self,
        launch: &Launch<'_, B>,
        per_span: usize,
        takes: usize,
    ) -> Result<(), DriverError> {
        let (inputs, outputs, constants) =
            (launch.inputs.len(), launch.outputs.len(), launch.constants.len() / 4);
        let given = 1 + per_span * (inputs + outputs) + constants;
        if given == takes {
            return Ok(());
        }
        Err(self.wrong(format!(
            "it takes {takes} arguments, and {inputs} inputs, {outputs} outputs and {constants} constants \
             make {given} with the number of threads"
        )))
    }

    /// The number of threads as a 32-bit word.
    pub(crate) fn threads(&self, threads: usize) -> Result<u32, DriverError> {
        u32::try_from(threads)
            .ok()
            .filter(|threads| *threads <= i32::MAX as u32)
            .ok_or_else(|| self.wrong(format!("{threads} threads are more than 2147483647")))
    }

    /// The constants as 32-bit words.
    pub(crate) fn words(&self, constants: &[u8]) -> Result<Vec<u32>, DriverError> {
        if !constants.len().is_multiple_of(4) {
            let bytes = constants.len();
            return Err(self.wrong(format!("its constants take {bytes} bytes, not a multiple of 4")));
        }
        Ok(constants.chunks_exact(4).map(bytemuck::pod_read_unaligned).collect())
    }

    /// Checks that the span lies within memory of `size` bytes; its first item's number there.
    pub(crate) fn first_item<B: Backend>(&self, span: &Span<'_, B>, size: usize) -> Result<u32, DriverError> {
        let Span { place: Place { at, .. }, items, item_bytes } = *span;
        let bytes = items.saturating_mul(item_bytes);
        fits(self.device, "device memory", at, bytes, size)?;
        if item_bytes == 0 || !at.is_multiple_of(item_bytes) {
            return Err(self.wrong(format!("items of {item_bytes} bytes cannot start at byte {at}")));
        }
        u32::try_from(at / item_bytes)
            .map_err(|_| self.wrong(format!("item {} has a number beyond 32 bits", at / item_bytes)))
    }
}
