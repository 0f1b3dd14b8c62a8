//! Kernels: PTX, or CUDA C that NVRTC makes into PTX, which the driver makes into the device's code.

use std::ffi::{CString, c_char, c_void};
use std::ptr;
use std::sync::Arc;

use cudarc::driver::{result, sys};

use super::context::{Context, words};
use super::quiet;
use super::stream::Stream;
use super::{Cuda, nvrtc, ptx};
use crate::backend::Launch;
use crate::driver::{DriverError, Named};
use crate::kernel::{Language, Source};

/// Threads of a block.
const BLOCK: u32 = 256;
/// Room for the words of the driver's assembler, in bytes.
const LOG: usize = 8192;

/// A kernel on the device.
pub struct Program {
    module: Arc<Module>,
    entry: String,
    /// The size in bytes of each argument.
    arguments: Vec<usize>,
}

struct Module {
    handle: sys::CUmodule,
    function: sys::CUfunction,
    context: Arc<Context>,
}

// SAFETY: Modules and functions may be used from any thread in which their context is current.
unsafe impl Send for Module {}
// SAFETY: As above, by several threads at once.
unsafe impl Sync for Module {}

impl Program {
    pub(super) fn new(context: &Arc<Context>, source: &Source) -> Result<Self, DriverError> {
        let device = &context.found.name;
        let Some(text) = &source.cuda else {
            return Err(DriverError::NoText {
                device: device.clone(),
                reason: source.not_in(Language::Cuda),
            });
        };
        let wrong = |log: String| DriverError::Compile {
            device: device.clone(),
            kernel: source.entry.to_string(),
            log: log.trim().to_owned(),
        };
        let compiled;
        let text = if ptx::is_ptx(text) {
            text.as_ref()
        } else {
            compiled = nvrtc::compile_for(device, text, &source.entry)?;
            compiled.as_str()
        };
        let mut kernels = ptx::kernels(text);
        let Some(index) = kernels.iter().position(|(name, _)| *name == source.entry) else {
            let there: Vec<_> = kernels.into_iter().map(|(name, _)| name).collect();
            let there = if there.is_empty() { "none".to_owned() } else { there.join(", ") };
            return Err(wrong(format!(
                "there is no kernel of this name, only {there} (extern \"C\" is needed)"
            )));
        };
        let (entry, arguments) = kernels.swap_remove(index);
        let (Ok(text), Ok(name)) = (CString::new(text), CString::new(entry.as_str())) else {
            return Err(wrong("its text or its name has a zero byte in it".to_owned()));
        };

        context.enter()?;
        let handle = quiet::alone(|| load(&text)).map_err(&wrong)?;
        // SAFETY: The module is alive.
        let function = quiet::alone(|| unsafe { result::module::get_function(handle, name) });
        let function = function.inspect_err(|_| {
            // SAFETY: The module is ours, and nothing uses it.
            let _ = unsafe { result::module::unload(handle) };
        });
        let function = function.map_err(|error| wrong(words(error)))?;
        let module = Module { handle, function, context: Arc::clone(context) };
        Ok(Program { module: Arc::new(module), entry, arguments })
    }

    pub(super) fn launch(&self, stream: &mut Stream, launch: &Launch<'_, Cuda>) -> Result<(), DriverError> {
        let context = &self.module.context;
        context.owns(&stream.context, "cuLaunchKernel")?;
        let named = Named { device: &context.found.name, kernel: &self.entry };
        let (threads, constants) = (named.threads(launch.threads)?, named.words(launch.constants)?);
        named.count(launch, 1, self.arguments.len())?;
        // Each value with its size. A word of 32 bits lies at the start of one of 64: CUDA's hosts are little-endian.
        let mut values = vec![(u64::from(threads), 4)];
        for span in launch.inputs.iter().chain(launch.outputs) {
            let block = &span.place.memory.block;
            context.owns(&block.context, "cuLaunchKernel")?;
            named.first_item(span, block.bytes)?;
            values.push((block.pointer + span.place.at as u64, 8));
        }
        values.extend(constants.iter().map(|word| (u64::from(*word), 4)));
        for (index, ((_, given), takes)) in values.iter().zip(&self.arguments).enumerate() {
            if given != takes {
                return Err(
                    named.wrong(format!("its argument {index} takes {takes} bytes, and {given} are given"))
                );
            }
        }
        if threads == 0 {
            return Ok(());
        }
        let mut pointers: Vec<*mut c_void> =
            values.iter_mut().map(|(value, _)| ptr::from_mut(value).cast()).collect();
        context.enter()?;
        // SAFETY: There are as many arguments as the kernel declares, each of the size that it declares; they are copied
        // before the call returns. The memory behind the pointers is freed only after the kernel.
        unsafe {
            result::launch_kernel(
                self.module.function,
                (threads.div_ceil(BLOCK), 1, 1),
                (BLOCK, 1, 1),
                0,
                stream.handle,
                &mut pointers,
            )
        }
        .map_err(context.failed("cuLaunchKernel"))?;
        stream.keep(&self.module);
        for span in launch.inputs.iter().chain(launch.outputs) {
            stream.keep(&span.place.memory.block);
        }
        Ok(())
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // The module that its handle stands for may be used by any thread.
        let handle = self.handle as usize;
        let unload = move |context: &Context| {
            // SAFETY: The module is ours, and none of its kernels is running.
            unsafe { result::module::unload(handle as sys::CUmodule) }
                .map_err(context.failed("cuModuleUnload"))
        };
        quiet::retire(&self.context, unload, Vec::new());
    }
}

/// Assembles PTX with the driver; its message if that fails.
fn load(text: &CString) -> Result<sys::CUmodule, String> {
    use sys::CUjit_option::{CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    let mut log = vec![0 as c_char; LOG];
    let mut options = [CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
    // The driver takes numbers as pointers.
    let mut values = [log.as_mut_ptr().cast::<c_void>(), ptr::without_provenance_mut(LOG)];
    let mut module = ptr::null_mut();
    // SAFETY: The text ends with a zero, and the log has as much room as said.
    let loaded = unsafe {
        sys::cuModuleLoadDataEx(
            &raw mut module,
            text.as_ptr().cast(),
            options.len() as u32,
            options.as_mut_ptr(),
            values.as_mut_ptr(),
        )
    };
    loaded.result().map(|()| module).map_err(|error| {
        let log: Vec<u8> = log.iter().map(|byte| *byte as u8).take_while(|byte| *byte != 0).collect();
        format!("{}\n{}", words(error), String::from_utf8_lossy(&log))
    })
}
