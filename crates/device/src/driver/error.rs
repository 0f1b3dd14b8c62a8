//! Every error of the drivers on one page.

/// Why a driver did not do what it was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DriverError {
    /// The vendor's library is not there.
    #[error("{driver}: {library} cannot be loaded ({reason}): {hint}")]
    NoLibrary {
        /// The driver.
        driver: &'static str,
        /// The library's file name.
        library: String,
        /// What the loader said.
        reason: String,
        /// What to install or to set.
        hint: &'static str,
    },
    /// The vendor's library is there and finds no device.
    #[error("{driver}: no device is found ({reason}): {hint}")]
    NoDevice {
        /// The driver.
        driver: &'static str,
        /// What the library said.
        reason: String,
        /// What to install or to set.
        hint: &'static str,
    },
    /// There are devices, but not so many.
    #[error("{driver}: there is no device {index}, only {}", numbered(.there))]
    NoSuchDevice {
        /// The driver.
        driver: &'static str,
        /// The number asked for.
        index: usize,
        /// The devices, in order.
        there: Vec<String>,
    },
    /// The kernel is not written in the driver's language.
    #[error("{device}: {reason}")]
    NoText {
        /// The device.
        device: String,
        /// Which languages there are.
        reason: String,
    },
    /// The kernel does not compile, or cannot be loaded.
    #[error("{device}: the kernel {kernel} does not compile: {log}")]
    Compile {
        /// The device.
        device: String,
        /// The kernel's name.
        kernel: String,
        /// What the compiler said.
        log: String,
    },
    /// The arguments do not fit the kernel.
    #[error("{device}: the kernel {kernel} cannot be run so: {problem}")]
    Arguments {
        /// The device.
        device: String,
        /// The kernel's name.
        kernel: String,
        /// What does not fit.
        problem: String,
    },
    /// Bytes beyond the end of memory.
    #[error("{device}: {bytes} bytes from {at} on do not fit into {what} of {size} bytes")]
    OutOfRange {
        /// The device.
        device: String,
        /// Which memory.
        what: &'static str,
        /// The offset in bytes.
        at: usize,
        /// How many bytes.
        bytes: usize,
        /// The size of the memory in bytes.
        size: usize,
    },
    /// An offset or a size that the device cannot handle.
    #[error("{device}: {what} of {bytes} bytes is no multiple of {multiple}")]
    Misaligned {
        /// The device.
        device: String,
        /// What it is.
        what: &'static str,
        /// Its value in bytes.
        bytes: usize,
        /// What it must be a multiple of, in bytes.
        multiple: usize,
    },
    /// Memory of that size is not to be had.
    #[error("{device}: no {what} of {bytes} bytes is to be had: {reason}")]
    NoMemory {
        /// The device.
        device: String,
        /// Which memory.
        what: &'static str,
        /// How many bytes.
        bytes: usize,
        /// What the library said.
        reason: String,
    },
    /// Any other call that failed.
    #[error("{device}: {call} failed: {reason}")]
    Call {
        /// The device, or the driver where there is none yet.
        device: String,
        /// The call.
        call: &'static str,
        /// What the library said.
        reason: String,
    },
}

/// `0 (this), 1 (that)`.
fn numbered(there: &[String]) -> String {
    let parts: Vec<_> = there.iter().enumerate().map(|(index, name)| format!("{index} ({name})")).collect();
    parts.join(", ")
}
