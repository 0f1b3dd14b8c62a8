//! Kernels: compiled from OpenCL C when they are loaded.

use std::ffi::c_void;
use std::ptr;
use std::sync::{Mutex, PoisonError};

use opencl3::command_queue::enqueue_nd_range_kernel;
use opencl3::error_codes::ClError;
use opencl3::kernel::Kernel;
use opencl3::memory::ClMem;

use super::{OpenCl, Stream};
use crate::backend::{Backend, Launch};
use crate::driver::{DriverError, Named};
use crate::kernel::{Language, Source};

/// A compiled kernel.
pub struct Program {
    /// A kernel's arguments are set one by one, so that only one thread at a time may do it.
    kernel: Mutex<Kernel>,
    entry: String,
    /// How many arguments it takes.
    arguments: usize,
}

impl Program {
    pub(super) fn new(device: &OpenCl, source: &Source) -> Result<Self, DriverError> {
        let name = device.name();
        let Some(text) = &source.opencl else {
            return Err(DriverError::NoText { device: name, reason: source.not_in(Language::OpenCl) });
        };
        let wrong = |log: String| DriverError::Compile {
            device: name.clone(),
            kernel: source.entry.to_string(),
            log: log.trim().to_owned(),
        };
        if source.entry.contains('\0') || text.contains('\0') {
            return Err(wrong("its text or its name has a zero byte in it".to_owned()));
        }
        let inner = &device.inner;
        // OpenCL takes the length 0 to mean that the text ends at a zero byte; ours has none.
        let mut program = opencl3::program::Program::create_from_source(&inner.context, &format!("{text}\n"))
            .map_err(device.failed("clCreateProgramWithSource"))?;
        if let Err(error) = program.build(&[inner.device.id()], "-cl-std=CL1.2") {
            let log = program.get_build_log(inner.device.id()).unwrap_or_default();
            return Err(wrong(if log.trim().is_empty() { super::words(error) } else { log }));
        }
        let kernel = Kernel::create(&program, &source.entry).map_err(|error| {
            let there = program.kernel_names().replace(';', ", ");
            wrong(format!("there is no kernel of this name, only {there}: {}", super::words(error)))
        })?;
        let arguments = kernel.num_args().map_err(device.failed("clGetKernelInfo"))? as usize;
        Ok(Program { kernel: Mutex::new(kernel), entry: source.entry.to_string(), arguments })
    }

    pub(super) fn launch(
        &self,
        device: &OpenCl,
        stream: &mut Stream,
        launch: &Launch<'_, OpenCl>,
    ) -> Result<(), DriverError> {
        let inner = &device.inner;
        let named = Named { device: &inner.found.name, kernel: &self.entry };
        let (threads, constants) = (named.threads(launch.threads)?, named.words(launch.constants)?);
        named.count(launch, 2, self.arguments)?;
        let mut spans = Vec::with_capacity(launch.inputs.len() + launch.outputs.len());
        for span in launch.inputs.iter().chain(launch.outputs) {
            let memory = span.place.memory;
            spans.push((memory.buffer.get(), named.first_item(span, memory.bytes)?));
        }
        if threads == 0 {
            return Ok(());
        }

        let kernel = self.kernel.lock().unwrap_or_else(PoisonError::into_inner);
        let mut arguments: Vec<&dyn Argument> = vec![&threads];
        for (buffer, first) in &spans {
            arguments.extend([buffer as &dyn Argument, first]);
        }
        arguments.extend(constants.iter().map(|word| word as &dyn Argument));
        for (index, argument) in (0..).zip(arguments) {
            argument.set(&kernel, index).map_err(device.failed("clSetKernelArg"))?;
        }
        let groups = launch.threads.div_ceil(inner.group);
        let (global, local) = (groups * inner.group, inner.group);
        // SAFETY: All arguments are set, the buffers among them are alive, and OpenCL keeps them until the kernel is done.
        let event = unsafe {
            enqueue_nd_range_kernel(
                stream.queue.get(),
                kernel.get(),
                1,
                ptr::null(),
                &raw const global,
                &raw const local,
                0,
                ptr::null(),
            )
        };
        super::release::release(event).map_err(device.failed("clEnqueueNDRangeKernel"))
    }
}

/// A value that can be an argument: a 32-bit word or a buffer.
trait Argument {
    fn set(&self, kernel: &Kernel, index: u32) -> Result<(), ClError>;
}

impl Argument for u32 {
    fn set(&self, kernel: &Kernel, index: u32) -> Result<(), ClError> {
        // SAFETY: OpenCL compares index and size with what the kernel declares.
        unsafe { kernel.set_arg(index, self) }
    }
}

impl Argument for *mut c_void {
    fn set(&self, kernel: &Kernel, index: u32) -> Result<(), ClError> {
        // SAFETY: OpenCL compares index and size with what the kernel declares, and checks that it is a buffer.
        unsafe { kernel.set_arg(index, self) }
    }
}
