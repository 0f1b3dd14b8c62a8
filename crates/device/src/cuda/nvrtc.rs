//! CUDA C into PTX, by NVIDIA's compiler library. It needs no device.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr;
use std::sync::OnceLock;

use libloading::Library;

use super::library::{self, Wanted};
use crate::driver::DriverError;

const WANTED: Wanted = Wanted {
    setting: "SUPERHET_NVRTC",
    files: &["libnvrtc.so.13", "libnvrtc.so.12"],
    before: Some("libnvrtc-builtins.so"),
    hint: "install nvidia-cuda-nvrtc 13.0 for Python or a CUDA toolkit, and let SUPERHET_NVRTC or CUDA_HOME name it; \
           kernels in PTX need none",
};

/// What all code is compiled for: the oldest devices that CUDA 13 knows. The driver makes it into the device's own code.
const OPTIONS: [&CStr; 2] = [c"--gpu-architecture=compute_75", c"--std=c++17"];

type Handle = *mut c_void;

/// The functions of the library. All but the two for texts give 0 or an error's number.
struct Nvrtc {
    create: unsafe extern "C" fn(
        *mut Handle,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> c_int,
    compile: unsafe extern "C" fn(Handle, c_int, *const *const c_char) -> c_int,
    ptx_size: unsafe extern "C" fn(Handle, *mut usize) -> c_int,
    ptx: unsafe extern "C" fn(Handle, *mut c_char) -> c_int,
    log_size: unsafe extern "C" fn(Handle, *mut usize) -> c_int,
    log: unsafe extern "C" fn(Handle, *mut c_char) -> c_int,
    destroy: unsafe extern "C" fn(*mut Handle) -> c_int,
    words: unsafe extern "C" fn(c_int) -> *const c_char,
}

impl Nvrtc {
    /// The library, loaded at the first call that finds it.
    fn get() -> Result<&'static Nvrtc, DriverError> {
        static LOADED: OnceLock<Nvrtc> = OnceLock::new();
        if let Some(nvrtc) = LOADED.get() {
            return Ok(nvrtc);
        }
        let library = WANTED.load()?;
        let nvrtc = Nvrtc::new(&library).map_err(|error| DriverError::NoLibrary {
            driver: super::context::DRIVER,
            library: WANTED.files[0].to_owned(),
            reason: library::words(error),
            hint: WANTED.hint,
        })?;
        // The functions are used to the end of the process.
        std::mem::forget(library);
        Ok(LOADED.get_or_init(|| nvrtc))
    }

    fn new(library: &Library) -> Result<Self, libloading::Error> {
        // SAFETY: The types are those of `nvrtc.h`, with `int` for the enumeration of results.
        unsafe {
            Ok(Nvrtc {
                create: *library.get(c"nvrtcCreateProgram")?,
                compile: *library.get(c"nvrtcCompileProgram")?,
                ptx_size: *library.get(c"nvrtcGetPTXSize")?,
                ptx: *library.get(c"nvrtcGetPTX")?,
                log_size: *library.get(c"nvrtcGetProgramLogSize")?,
                log: *library.get(c"nvrtcGetProgramLog")?,
                destroy: *library.get(c"nvrtcDestroyProgram")?,
                words: *library.get(c"nvrtcGetErrorString")?,
            })
        }
    }

    fn words(&self, code: c_int) -> String {
        // SAFETY: The library gives a constant text for every number, also for one that it does not know.
        let text = unsafe { CStr::from_ptr((self.words)(code)) };
        format!("{} ({code})", text.to_string_lossy())
    }

    /// A text of a program, by the functions for its size and for itself; empty if there is none.
    fn text(
        &self,
        program: Handle,
        size: unsafe extern "C" fn(Handle, *mut usize) -> c_int,
        get: unsafe extern "C" fn(Handle, *mut c_char) -> c_int,
    ) -> String {
        let mut bytes = 0;
        // SAFETY: The program is alive.
        if unsafe { size(program, &raw mut bytes) } != 0 || bytes == 0 {
            return String::new();
        }
        let mut text = vec![0_u8; bytes];
        // SAFETY: The program is alive, and there is room for as many bytes as it asked for.
        if unsafe { get(program, text.as_mut_ptr().cast()) } != 0 {
            return String::new();
        }
        let end = text.iter().position(|byte| *byte == 0).unwrap_or(text.len());
        String::from_utf8_lossy(&text[..end]).into_owned()
    }
}

/// A program that is destroyed when it is dropped.
struct Compilation {
    nvrtc: &'static Nvrtc,
    program: Handle,
}

impl Drop for Compilation {
    fn drop(&mut self) {
        // SAFETY: The program is alive, and not used after this.
        unsafe { (self.nvrtc.destroy)(&raw mut self.program) };
    }
}

/// Compiles CUDA C to PTX for any device of compute capability 7.5 or more.
///
/// `name` is what the text is called in the compiler's messages. The PTX's version is the compiler's: that of CUDA 13.0
/// gives 9.0, which a driver of CUDA 13.0 takes. Needs no device and no driver.
///
/// # Errors
/// Where NVRTC is not found ([`cuda`](super) says where it is looked for), or the text does not compile: then with the
/// compiler's words.
pub fn compile_ptx(text: &str, name: &str) -> Result<String, DriverError> {
    compile_for(super::context::DRIVER, text, name)
}

/// The same, with the device's name in the errors.
pub(super) fn compile_for(device: &str, text: &str, name: &str) -> Result<String, DriverError> {
    let wrong = |log: String| DriverError::Compile {
        device: device.to_owned(),
        kernel: name.to_owned(),
        log: log.trim().to_owned(),
    };
    let (Ok(text), Ok(label)) = (CString::new(text), CString::new(name)) else {
        return Err(wrong("its text or its name has a zero byte in it".to_owned()));
    };
    let nvrtc = Nvrtc::get()?;
    let mut program = ptr::null_mut();
    // SAFETY: Both texts end with a zero, and there are no headers.
    let code = unsafe {
        (nvrtc.create)(&raw mut program, text.as_ptr(), label.as_ptr(), 0, ptr::null(), ptr::null())
    };
    if code != 0 {
        return Err(wrong(nvrtc.words(code)));
    }
    let compilation = Compilation { nvrtc, program };
    let options = OPTIONS.map(CStr::as_ptr);
    // SAFETY: The program is alive, and there are as many options as said.
    let code = unsafe { (nvrtc.compile)(compilation.program, options.len() as c_int, options.as_ptr()) };
    if code != 0 {
        let log = nvrtc.text(compilation.program, nvrtc.log_size, nvrtc.log);
        return Err(wrong(if log.trim().is_empty() { nvrtc.words(code) } else { log }));
    }
    let ptx = nvrtc.text(compilation.program, nvrtc.ptx_size, nvrtc.ptx);
    if ptx.is_empty() { Err(wrong("the compiler gives no PTX".to_owned())) } else { Ok(ptx) }
}
