//! PulseAudio's simple interface and ALSA, looked up while the program runs: all that is unsafe about sound.
//!
//! Samples are `f32`, the channels of a frame side by side. A stream is closed when it is dropped, and one thread at a time uses it.
#![allow(unsafe_code, reason = "calls of C libraries")]

use std::ffi::{CStr, CString, c_char, c_int, c_long, c_uint, c_ulong, c_void};
use std::ptr::{NonNull, null, null_mut};
use std::sync::OnceLock;

use libloading::Library;

type Raw = *mut c_void;

macro_rules! functions {
    ($table:ident of $($name:ident = $symbol:literal ($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// The functions of a library that are used.
        struct $table {
            $($name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl $table {
            /// Loads the library, once and for ever.
            fn load(name: &'static str) -> Result<Self, String> {
                // SAFETY: what runs when these libraries are loaded needs nothing of the caller.
                let library = unsafe { Library::new(name) }.map_err(|_| format!("there is no {name} on this machine"))?;
                let library: &'static Library = Box::leak(Box::new(library));
                Ok($table {
                    // SAFETY: functions of these names have these types in all versions with this name of the file. The library
                    // is never unloaded.
                    $($name: *unsafe { library.get($symbol) }.map_err(|error| error.to_string())?,)*
                })
            }
        }
    };
}

functions! { PulseFunctions of
    new = "pa_simple_new"(
        *const c_char, *const c_char, c_int, *const c_char, *const c_char, *const SampleSpec, *const c_void, *const BufferAttr, *mut c_int
    ) -> Raw;
    free = "pa_simple_free"(Raw);
    write = "pa_simple_write"(Raw, *const c_void, usize, *mut c_int) -> c_int;
    read = "pa_simple_read"(Raw, *mut c_void, usize, *mut c_int) -> c_int;
    latency = "pa_simple_get_latency"(Raw, *mut c_int) -> u64;
    error_text = "pa_strerror"(c_int) -> *const c_char;
}

functions! { AlsaFunctions of
    open = "snd_pcm_open"(*mut Raw, *const c_char, c_int, c_int) -> c_int;
    close = "snd_pcm_close"(Raw) -> c_int;
    set_params = "snd_pcm_set_params"(Raw, c_int, c_int, c_uint, c_uint, c_int, c_uint) -> c_int;
    start = "snd_pcm_start"(Raw) -> c_int;
    recover = "snd_pcm_recover"(Raw, c_int, c_int) -> c_int;
    delay = "snd_pcm_delay"(Raw, *mut c_long) -> c_int;
    wait = "snd_pcm_wait"(Raw, c_int) -> c_int;
    writei = "snd_pcm_writei"(Raw, *const c_void, c_ulong) -> c_long;
    readi = "snd_pcm_readi"(Raw, *mut c_void, c_ulong) -> c_long;
    error_text = "snd_strerror"(c_int) -> *const c_char;
    set_errors = "snd_lib_error_set_handler"(*const c_void) -> c_int;
}

/// `pa_sample_spec`.
#[repr(C)]
struct SampleSpec {
    format: c_int,
    rate: u32,
    channels: u8,
}

/// `pa_buffer_attr`, in bytes; `u32::MAX` is what the server likes.
#[repr(C)]
struct BufferAttr {
    maxlength: u32,
    tlength: u32,
    prebuf: u32,
    minreq: u32,
    fragsize: u32,
}

const PULSE: &str = "libpulse-simple.so.0";
const ALSA: &str = "libasound.so.2";
/// `PA_SAMPLE_FLOAT32LE` or `…BE`, and `SND_PCM_FORMAT_FLOAT_LE` or `…_BE`.
const PULSE_FLOAT: c_int = if cfg!(target_endian = "little") { 5 } else { 6 };
const ALSA_FLOAT: c_int = if cfg!(target_endian = "little") { 14 } else { 15 };
/// `SND_PCM_ACCESS_RW_INTERLEAVED`, `SND_PCM_NONBLOCK`, `-EPIPE`, `-EAGAIN`.
const INTERLEAVED: c_int = 3;
const NONBLOCK: c_int = 1;
const BROKEN_PIPE: c_long = -32;
const AGAIN: c_long = -11;
const SAMPLE_BYTES: usize = size_of::<f32>();

fn pulse() -> Result<&'static PulseFunctions, String> {
    static LIBRARY: OnceLock<Result<PulseFunctions, String>> = OnceLock::new();
    LIBRARY.get_or_init(|| PulseFunctions::load(PULSE)).as_ref().map_err(Clone::clone)
}

fn alsa() -> Result<&'static AlsaFunctions, String> {
    static LIBRARY: OnceLock<Result<AlsaFunctions, String>> = OnceLock::new();
    let load = || {
        let functions = AlsaFunctions::load(ALSA)?;
        extern "C" fn quiet() {}
        // SAFETY: the library hands it arguments of C for printing, of which it looks at none; callers clean up such arguments.
        unsafe { (functions.set_errors)(quiet as *const c_void) };
        Ok(functions)
    };
    LIBRARY.get_or_init(load).as_ref().map_err(Clone::clone)
}

/// The text at a pointer.
///
/// # Safety
/// It is null, or points to a text with a zero at its end.
unsafe fn borrowed(text: *const c_char) -> String {
    match text.is_null() {
        true => "nobody says why".to_owned(),
        // SAFETY: as the caller says.
        false => unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned(),
    }
}

fn c_text(text: &str) -> Result<CString, String> {
    CString::new(text).map_err(|_| format!("{text:?} has a zero in it"))
}

/// What a stream of sound is like.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub rate_hz: u32,
    pub channels: u8,
    /// Frames that are to lie in the buffer, also before the first is heard; of a source, frames that come together.
    pub frames: u32,
}

impl Shape {
    fn bytes(self, frames: u32) -> u32 {
        frames.saturating_mul(u32::from(self.channels)).saturating_mul(SAMPLE_BYTES as u32)
    }
}

/// A stream to or from a server of PulseAudio, or one that speaks its protocol, as PipeWire.
pub(super) struct Pulse {
    functions: &'static PulseFunctions,
    raw: NonNull<c_void>,
    shape: Shape,
}

// SAFETY: the library lets any thread use a stream, and the owner of this value is the only one who does.
unsafe impl Send for Pulse {}

impl Drop for Pulse {
    fn drop(&mut self) {
        // SAFETY: it was made by the library, and is given back once.
        unsafe { (self.functions.free)(self.raw.as_ptr()) };
    }
}

impl Pulse {
    /// Connects to a sink or a source of the server, or to its default one where the name is empty.
    pub fn open(device: &str, shape: Shape, records: bool) -> Result<Self, String> {
        let functions = pulse()?;
        let name = c_text(device)?;
        let (format, rate, channels) = (PULSE_FLOAT, shape.rate_hz, shape.channels);
        let spec = SampleSpec { format, rate, channels };
        // The server gives half of what `tlength` is more than twice `minreq` to the device's own buffer, so that is half of what is
        // to lie in both. A write never waits as long as no more than half as much again lies there.
        let attr = BufferAttr {
            maxlength: u32::MAX,
            tlength: shape.bytes(shape.frames.saturating_mul(3)),
            prebuf: shape.bytes(shape.frames),
            minreq: shape.bytes(shape.frames),
            fragsize: shape.bytes(shape.frames),
        };
        let mut error = 0;
        // SAFETY: all texts and structs live through the call, and null stands for the defaults of a server and of channels.
        let raw = unsafe {
            (functions.new)(
                null(),
                c"superhet".as_ptr(),
                if records { 2 } else { 1 },
                if device.is_empty() { null() } else { name.as_ptr() },
                c"samples".as_ptr(),
                &spec,
                null(),
                &attr,
                &mut error,
            )
        };
        // SAFETY: it gives a text that lives as long as the library.
        let raw = NonNull::new(raw).ok_or_else(|| unsafe { borrowed((functions.error_text)(error)) })?;
        Ok(Pulse { functions, raw, shape })
    }

    fn failed(&self, error: c_int) -> String {
        // SAFETY: it gives a text that lives as long as the library.
        unsafe { borrowed((self.functions.error_text)(error)) }
    }

    /// How many frames have been written and not been heard.
    pub fn fill(&mut self) -> Result<f64, String> {
        let mut error = 0;
        // SAFETY: the stream is open, and the number lives through the call.
        let micros = unsafe { (self.functions.latency)(self.raw.as_ptr(), &mut error) };
        match micros {
            u64::MAX => Err(self.failed(error)),
            micros => Ok(micros as f64 * 1e-6 * f64::from(self.shape.rate_hz)),
        }
    }

    /// Writes all samples; waits where there is no room.
    pub fn write(&mut self, samples: &[f32]) -> Result<(), String> {
        let mut error = 0;
        // SAFETY: the stream is open, and so many bytes are there.
        let code = unsafe {
            (self.functions.write)(
                self.raw.as_ptr(),
                samples.as_ptr().cast(),
                size_of_val(samples),
                &mut error,
            )
        };
        if code < 0 { Err(self.failed(error)) } else { Ok(()) }
    }

    /// Reads as many samples as fit, and waits for them.
    pub fn read(&mut self, samples: &mut [f32]) -> Result<(), String> {
        let mut error = 0;
        // SAFETY: the stream is open, and there is room for so many bytes, any of which make a number.
        let code = unsafe {
            (self.functions.read)(
                self.raw.as_ptr(),
                samples.as_mut_ptr().cast(),
                size_of_val(samples),
                &mut error,
            )
        };
        if code < 0 { Err(self.failed(error)) } else { Ok(()) }
    }
}

/// A device of ALSA.
pub(super) struct Alsa {
    functions: &'static AlsaFunctions,
    raw: NonNull<c_void>,
    channels: usize,
}

// SAFETY: the library lets any thread use a device, and the owner of this value is the only one who does.
unsafe impl Send for Alsa {}

impl Drop for Alsa {
    fn drop(&mut self) {
        // SAFETY: it was opened, and is closed once.
        unsafe { (self.functions.close)(self.raw.as_ptr()) };
    }
}

/// What a call of ALSA has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moved {
    /// So many frames.
    Frames(usize),
    /// None: there is no room, or nothing has come.
    NotNow,
    /// None: the buffer has run empty, or over, and begins anew.
    Broken,
}

impl Alsa {
    /// Opens a device by its name.
    pub fn open(device: &str, shape: Shape, records: bool) -> Result<Self, String> {
        let functions = alsa()?;
        let name = c_text(if device.is_empty() { "default" } else { device })?;
        let mut raw = null_mut();
        // SAFETY: the pointer and the text live through the call.
        let code = unsafe { (functions.open)(&mut raw, name.as_ptr(), c_int::from(records), NONBLOCK) };
        // SAFETY: it gives a text that lives as long as the library.
        let text = |code| unsafe { borrowed((functions.error_text)(code)) };
        let raw = NonNull::new(raw).filter(|_| code >= 0).ok_or_else(|| text(code))?;
        let device = Alsa { functions, raw, channels: usize::from(shape.channels) };
        let micros = u64::from(shape.frames) * 4_000_000 / u64::from(shape.rate_hz.max(1));
        let micros = c_uint::try_from(micros).unwrap_or(c_uint::MAX);
        let channels = c_uint::from(shape.channels);
        // SAFETY: the device is open.
        let code = unsafe {
            (functions.set_params)(raw.as_ptr(), ALSA_FLOAT, INTERLEAVED, channels, shape.rate_hz, 1, micros)
        };
        if code < 0 { Err(text(code)) } else { Ok(device) }
    }

    /// Starts what waits.
    pub fn start(&mut self) {
        // SAFETY: the device is open. One that runs already says so, which is no mistake.
        unsafe { (self.functions.start)(self.raw.as_ptr()) };
    }

    /// How many frames have been written and not been heard.
    pub fn fill(&mut self) -> f64 {
        let mut frames = 0;
        // SAFETY: the device is open, and the number lives through the call.
        let code = unsafe { (self.functions.delay)(self.raw.as_ptr(), &mut frames) };
        if code < 0 { 0.0 } else { frames.max(0) as f64 }
    }

    fn moved(&mut self, code: c_long) -> Result<Moved, String> {
        match code {
            0.. => Ok(Moved::Frames(usize::try_from(code).unwrap_or(0))),
            AGAIN => Ok(Moved::NotNow),
            _ => {
                let number = c_int::try_from(code).unwrap_or(c_int::MIN);
                // SAFETY: the device is open.
                let left = unsafe { (self.functions.recover)(self.raw.as_ptr(), number, 1) };
                if left < 0 {
                    // SAFETY: it gives a text that lives as long as the library.
                    return Err(unsafe { borrowed((self.functions.error_text)(left)) });
                }
                Ok(if code == BROKEN_PIPE { Moved::Broken } else { Moved::NotNow })
            }
        }
    }

    /// Writes as many frames as there is room for.
    pub fn write(&mut self, samples: &[f32]) -> Result<Moved, String> {
        let frames = (samples.len() / self.channels) as c_ulong;
        // SAFETY: the device is open, and so many frames are there.
        let code = unsafe { (self.functions.writei)(self.raw.as_ptr(), samples.as_ptr().cast(), frames) };
        self.moved(code)
    }

    /// Reads as many frames as there are and fit, waiting for some.
    pub fn read(&mut self, samples: &mut [f32], milliseconds: i32) -> Result<Moved, String> {
        let frames = (samples.len() / self.channels) as c_ulong;
        // SAFETY: the device is open. What it says is seen by reading.
        unsafe { (self.functions.wait)(self.raw.as_ptr(), milliseconds) };
        // SAFETY: the device is open, and there is room for so many frames, any of whose bytes make numbers.
        let code = unsafe { (self.functions.readi)(self.raw.as_ptr(), samples.as_mut_ptr().cast(), frames) };
        self.moved(code)
    }
}
