//! The driver's library, its devices, and the context in which everything on a device lives.

use std::fmt::Write;
use std::sync::Arc;

use cudarc::driver::result;
use cudarc::driver::sys::{self, CUdevice_attribute_enum as Attribute};

use crate::driver::{DriverError, Found};

/// What errors call this driver.
pub(super) const DRIVER: &str = "CUDA";

const HINT: &str = "install NVIDIA's driver, of CUDA 13.0 or newer for kernels in PTX 9.0";

/// Every function that is called. The bindings panic where one is missing, so that all are looked for first.
const FUNCTIONS: [&str; 42] = [
    "cuCtxSetCurrent",
    "cuCtxSynchronize",
    "cuDeviceGet",
    "cuDeviceGetAttribute",
    "cuDeviceGetCount",
    "cuDeviceGetName",
    "cuDevicePrimaryCtxRelease_v2",
    "cuDevicePrimaryCtxRetain",
    "cuDeviceTotalMem_v2",
    "cuDriverGetVersion",
    "cuEventCreate",
    "cuEventDestroy_v2",
    "cuEventQuery",
    "cuEventRecord",
    "cuEventSynchronize",
    "cuGetErrorName",
    "cuGetErrorString",
    "cuGraphDestroy",
    "cuGraphExecDestroy",
    "cuGraphInstantiateWithFlags",
    "cuGraphLaunch",
    "cuInit",
    "cuLaunchKernel",
    "cuMemAlloc_v2",
    "cuMemFreeHost",
    "cuMemFree_v2",
    "cuMemHostAlloc",
    "cuMemHostRegister_v2",
    "cuMemHostUnregister",
    "cuMemcpyDtoDAsync_v2",
    "cuMemcpyDtoHAsync_v2",
    "cuMemcpyHtoDAsync_v2",
    "cuMemsetD8Async",
    "cuModuleGetFunction",
    "cuModuleLoadDataEx",
    "cuModuleUnload",
    "cuStreamBeginCapture_v2",
    "cuStreamCreate",
    "cuStreamDestroy_v2",
    "cuStreamEndCapture",
    "cuStreamSynchronize",
    "cuStreamWaitEvent",
];

/// A device's primary context, which all users of the device in this process share.
pub(super) struct Context {
    device: sys::CUdevice,
    handle: sys::CUcontext,
    pub(super) found: Found,
}

// SAFETY: A context may be used from any thread in which it was made current, which `enter` does.
unsafe impl Send for Context {}
// SAFETY: As above; the driver's functions may be called by several threads at once.
unsafe impl Sync for Context {}

impl Context {
    pub(super) fn new(device: sys::CUdevice, found: Found) -> Result<Arc<Self>, DriverError> {
        // SAFETY: The device is one that the driver gave.
        let handle = unsafe { result::primary_ctx::retain(device) }
            .map_err(|error| failure(&found.name, "cuDevicePrimaryCtxRetain", error))?;
        Ok(Arc::new(Context { device, handle, found }))
    }

    /// Makes the context that of the calling thread.
    pub(super) fn enter(&self) -> Result<(), DriverError> {
        // SAFETY: The context is retained as long as `self` lives.
        unsafe { result::ctx::set_current(self.handle) }.map_err(self.failed("cuCtxSetCurrent"))
    }

    /// Makes an error of a call's result.
    pub(super) fn failed(&self, call: &'static str) -> impl Fn(result::DriverError) -> DriverError {
        move |error| failure(&self.found.name, call, error)
    }

    /// An error for what belongs to another device.
    pub(super) fn owns(&self, other: &Context, what: &'static str) -> Result<(), DriverError> {
        if self.handle == other.handle {
            return Ok(());
        }
        let reason = format!("it belongs to {}", other.found.name);
        Err(DriverError::Call { device: self.found.name.clone(), call: what, reason })
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: The context was retained once, by `new`.
        let released = unsafe { result::primary_ctx::release(self.device) };
        if let Err(error) = released {
            tracing::warn!("{}: cuDevicePrimaryCtxRelease: {}", self.found.name, words(error));
        }
    }
}

fn failure(device: &str, call: &'static str, error: result::DriverError) -> DriverError {
    DriverError::Call { device: device.to_owned(), call, reason: words(error) }
}

/// An error in words: `CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected`.
pub(super) fn words(error: result::DriverError) -> String {
    let mut text = format!("{:?}", error.0);
    if let Ok(more) = error.error_string() {
        let _ = write!(text, ": {}", more.to_string_lossy());
    }
    text
}

/// All devices of the driver.
pub(super) fn listed() -> Result<Vec<(sys::CUdevice, Found)>, DriverError> {
    let missing = |reason: String| DriverError::NoLibrary {
        driver: DRIVER,
        library: "libcuda.so.1".to_owned(),
        reason,
        hint: HINT,
    };
    // Every other call of the bindings panics without the library.
    // SAFETY: Loading the driver's library needs nothing of us.
    if !unsafe { sys::is_culib_present() } {
        return Err(missing("it is not found, or no library".to_owned()));
    }
    if let Some(name) = FUNCTIONS.iter().find(|name| !has(name)) {
        return Err(missing(format!("it has no function {name}, which CUDA 12.0 has")));
    }
    let none = |error| DriverError::NoDevice { driver: DRIVER, reason: words(error), hint: HINT };
    result::init().map_err(none)?;
    let count = result::device::get_count().map_err(none)?;
    let version = version().map_err(none)?;
    let mut all = Vec::new();
    for index in 0..count {
        let device = result::device::get(index).map_err(none)?;
        all.push((device, describe(index, device, version).map_err(none)?));
    }
    if all.is_empty() {
        let reason = "the driver knows of none; CUDA_VISIBLE_DEVICES may hide them".to_owned();
        return Err(DriverError::NoDevice { driver: DRIVER, reason, hint: HINT });
    }
    Ok(all)
}

/// Whether the driver's library, which is there, has a function.
fn has(function: &str) -> bool {
    // SAFETY: The function is only looked for, not called.
    unsafe { sys::culib().get::<unsafe extern "C" fn()>(function.as_bytes()) }.is_ok()
}

/// Whether the driver gives the time between events by the function that the bindings call; those before CUDA 12.8 have
/// only an older one.
pub(super) fn has_event_times() -> bool {
    has("cuEventElapsedTime_v2")
}

/// The newest CUDA that the driver knows: 13000 for 13.0.
fn version() -> Result<i32, result::DriverError> {
    let mut version = 0;
    // SAFETY: The number is written to a variable of ours.
    unsafe { sys::cuDriverGetVersion(&raw mut version) }.result()?;
    Ok(version)
}

fn describe(index: i32, device: sys::CUdevice, version: i32) -> Result<Found, result::DriverError> {
    // SAFETY: The device is one that the driver gave.
    let attribute = |which| unsafe { result::device::get_attribute(device, which) };
    let major = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
    let minor = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
    let name = result::device::get_name(device)?;
    Ok(Found {
        name: format!("cuda:{index}"),
        description: format!(
            "{name} (compute capability {major}.{minor}, driver of CUDA {}.{})",
            version / 1000,
            version % 1000 / 10
        ),
        // SAFETY: As above.
        memory_bytes: unsafe { result::device::total_mem(device) }? as u64,
    })
}
