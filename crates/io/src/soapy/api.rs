//! The C interface of SoapySDR 0.8, looked up while the program runs: all that is unsafe about it.
//!
//! What lies above this file meets text, numbers and slices. A device and its stream are closed when they are dropped, and one
//! thread at a time uses them.
#![allow(unsafe_code, reason = "calls of a C library")]

use std::ffi::{CStr, CString, c_char, c_double, c_int, c_long, c_longlong, c_void};
use std::ptr::{NonNull, null, null_mut};
use std::sync::OnceLock;
use std::time::Duration;

use libloading::Library;

/// Which way samples go, as the library numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Transmit = 0,
    Receive = 1,
}

/// Numbers from one to another, in steps; a step of 0 says nothing.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Range {
    pub minimum: f64,
    pub maximum: f64,
    pub step: f64,
}

/// `SoapySDRKwargs`.
#[repr(C)]
struct Kwargs {
    size: usize,
    keys: *mut *mut c_char,
    values: *mut *mut c_char,
}

/// `SoapySDRArgInfo`.
#[repr(C)]
struct ArgInfo {
    key: *mut c_char,
    value: *mut c_char,
    name: *mut c_char,
    description: *mut c_char,
    units: *mut c_char,
    kind: c_int,
    range: Range,
    options_count: usize,
    options: *mut *mut c_char,
    option_names: *mut *mut c_char,
}

type Text = *mut c_char;
type Words = *mut *mut c_char;
type Raw = *mut c_void;

macro_rules! functions {
    ($($name:ident = $symbol:literal ($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// The functions of the library that are used.
        struct Functions {
            $($name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl Functions {
            fn of(library: &'static Library) -> Result<Self, String> {
                Ok(Functions {
                    // SAFETY: functions of these names have these types in the ABI 0.8, which the caller has checked. The
                    // library is never unloaded.
                    $($name: *unsafe { library.get($symbol) }.map_err(|error| error.to_string())?,)*
                })
            }
        }
    };
}

functions! {
    free = "SoapySDR_free"(Raw);
    strings_clear = "SoapySDRStrings_clear"(*mut Words, usize);
    kwargs_from_string = "SoapySDRKwargs_fromString"(*const c_char) -> Kwargs;
    kwargs_clear = "SoapySDRKwargs_clear"(*mut Kwargs);
    kwargs_list_clear = "SoapySDRKwargsList_clear"(*mut Kwargs, usize);
    arg_info_list_clear = "SoapySDRArgInfoList_clear"(*mut ArgInfo, usize);
    error_text = "SoapySDR_errToStr"(c_int) -> *const c_char;
    set_log_level = "SoapySDR_setLogLevel"(c_int);
    list_modules = "SoapySDR_listModules"(*mut usize) -> Words;
    load_module = "SoapySDR_loadModule"(*const c_char) -> Text;
    last_error = "SoapySDRDevice_lastError"() -> *const c_char;
    enumerate = "SoapySDRDevice_enumerateStrArgs"(*const c_char, *mut usize) -> *mut Kwargs;
    make = "SoapySDRDevice_makeStrArgs"(*const c_char) -> Raw;
    unmake = "SoapySDRDevice_unmake"(Raw) -> c_int;
    driver_key = "SoapySDRDevice_getDriverKey"(Raw) -> Text;
    hardware_key = "SoapySDRDevice_getHardwareKey"(Raw) -> Text;
    channels = "SoapySDRDevice_getNumChannels"(Raw, c_int) -> usize;
    stream_formats = "SoapySDRDevice_getStreamFormats"(Raw, c_int, usize, *mut usize) -> Words;
    native_format = "SoapySDRDevice_getNativeStreamFormat"(Raw, c_int, usize, *mut c_double) -> Text;
    setup_stream = "SoapySDRDevice_setupStream"(Raw, c_int, *const c_char, *const usize, usize, *const Kwargs) -> Raw;
    close_stream = "SoapySDRDevice_closeStream"(Raw, Raw) -> c_int;
    stream_mtu = "SoapySDRDevice_getStreamMTU"(Raw, Raw) -> usize;
    activate_stream = "SoapySDRDevice_activateStream"(Raw, Raw, c_int, c_longlong, usize) -> c_int;
    deactivate_stream = "SoapySDRDevice_deactivateStream"(Raw, Raw, c_int, c_longlong) -> c_int;
    read_stream = "SoapySDRDevice_readStream"
        (Raw, Raw, *const *mut c_void, usize, *mut c_int, *mut c_longlong, c_long) -> c_int;
    write_stream = "SoapySDRDevice_writeStream"
        (Raw, Raw, *const *const c_void, usize, *mut c_int, c_longlong, c_long) -> c_int;
    read_status = "SoapySDRDevice_readStreamStatus"
        (Raw, Raw, *mut usize, *mut c_int, *mut c_longlong, c_long) -> c_int;
    antennas = "SoapySDRDevice_listAntennas"(Raw, c_int, usize, *mut usize) -> Words;
    antenna = "SoapySDRDevice_getAntenna"(Raw, c_int, usize) -> Text;
    set_antenna = "SoapySDRDevice_setAntenna"(Raw, c_int, usize, *const c_char) -> c_int;
    has_dc_offset_mode = "SoapySDRDevice_hasDCOffsetMode"(Raw, c_int, usize) -> bool;
    set_dc_offset_mode = "SoapySDRDevice_setDCOffsetMode"(Raw, c_int, usize, bool) -> c_int;
    has_iq_balance_mode = "SoapySDRDevice_hasIQBalanceMode"(Raw, c_int, usize) -> bool;
    set_iq_balance_mode = "SoapySDRDevice_setIQBalanceMode"(Raw, c_int, usize, bool) -> c_int;
    has_correction = "SoapySDRDevice_hasFrequencyCorrection"(Raw, c_int, usize) -> bool;
    set_correction = "SoapySDRDevice_setFrequencyCorrection"(Raw, c_int, usize, c_double) -> c_int;
    gains = "SoapySDRDevice_listGains"(Raw, c_int, usize, *mut usize) -> Words;
    has_gain_mode = "SoapySDRDevice_hasGainMode"(Raw, c_int, usize) -> bool;
    set_gain_mode = "SoapySDRDevice_setGainMode"(Raw, c_int, usize, bool) -> c_int;
    set_gain = "SoapySDRDevice_setGain"(Raw, c_int, usize, c_double) -> c_int;
    set_gain_element = "SoapySDRDevice_setGainElement"(Raw, c_int, usize, *const c_char, c_double) -> c_int;
    gain_range = "SoapySDRDevice_getGainRange"(Raw, c_int, usize) -> Range;
    gain_element_range = "SoapySDRDevice_getGainElementRange"(Raw, c_int, usize, *const c_char) -> Range;
    set_frequency = "SoapySDRDevice_setFrequency"(Raw, c_int, usize, c_double, *const Kwargs) -> c_int;
    frequency = "SoapySDRDevice_getFrequency"(Raw, c_int, usize) -> c_double;
    frequency_ranges = "SoapySDRDevice_getFrequencyRange"(Raw, c_int, usize, *mut usize) -> *mut Range;
    set_rate = "SoapySDRDevice_setSampleRate"(Raw, c_int, usize, c_double) -> c_int;
    rate = "SoapySDRDevice_getSampleRate"(Raw, c_int, usize) -> c_double;
    rate_ranges = "SoapySDRDevice_getSampleRateRange"(Raw, c_int, usize, *mut usize) -> *mut Range;
    set_bandwidth = "SoapySDRDevice_setBandwidth"(Raw, c_int, usize, c_double) -> c_int;
    bandwidth_ranges = "SoapySDRDevice_getBandwidthRange"(Raw, c_int, usize, *mut usize) -> *mut Range;
    clock_sources = "SoapySDRDevice_listClockSources"(Raw, *mut usize) -> Words;
    set_clock_source = "SoapySDRDevice_setClockSource"(Raw, *const c_char) -> c_int;
    time_sources = "SoapySDRDevice_listTimeSources"(Raw, *mut usize) -> Words;
    set_time_source = "SoapySDRDevice_setTimeSource"(Raw, *const c_char) -> c_int;
    sensors = "SoapySDRDevice_listSensors"(Raw, *mut usize) -> Words;
    read_sensor = "SoapySDRDevice_readSensor"(Raw, *const c_char) -> Text;
    channel_sensors = "SoapySDRDevice_listChannelSensors"(Raw, c_int, usize, *mut usize) -> Words;
    read_channel_sensor = "SoapySDRDevice_readChannelSensor"(Raw, c_int, usize, *const c_char) -> Text;
    setting_info = "SoapySDRDevice_getSettingInfo"(Raw, *mut usize) -> *mut ArgInfo;
    write_setting = "SoapySDRDevice_writeSetting"(Raw, *const c_char, *const c_char) -> c_int;
}

/// What the library is called, by its names on the systems that have one; the first that is there is taken.
const NAMES: &[&str] = if cfg!(target_os = "macos") {
    &["libSoapySDR.0.8.dylib", "libSoapySDR.dylib"]
} else if cfg!(windows) {
    &["SoapySDR.dll"]
} else {
    &["libSoapySDR.so.0.8", "libSoapySDR.so"]
};
const ABI: &str = "0.8";
const INSTALL: &str =
    "install it and the module of the radio, as by `apt install libsoapysdr0.8 soapysdr-module-all`";
/// `SOAPY_SDR_ERROR`, of the library's log: what it says else is its own affair.
const ERRORS_ONLY: c_int = 3;

/// The library, which is loaded once and for ever.
fn functions() -> Result<&'static Functions, String> {
    static LIBRARY: OnceLock<Result<Functions, String>> = OnceLock::new();
    LIBRARY.get_or_init(load).as_ref().map_err(Clone::clone)
}

fn load() -> Result<Functions, String> {
    // SAFETY: what runs when the library is loaded are the constructors of SoapySDR, which need nothing of the caller.
    let mut tried = NAMES.iter().map(|name| unsafe { Library::new(*name) });
    let library = tried.find_map(Result::ok);
    let library = library.ok_or_else(|| {
        format!("there is no SoapySDR {ABI} on this machine ({}): {INSTALL}", NAMES.join(", "))
    })?;
    let library: &'static Library = Box::leak(Box::new(library));
    let missing = |error: libloading::Error| format!("that is no SoapySDR {ABI}: {error}");
    type Version = unsafe extern "C" fn() -> *const c_char;
    // SAFETY: of this type in all versions.
    let version = *unsafe { library.get::<Version>("SoapySDR_getABIVersion") }.map_err(missing)?;
    // SAFETY: it gives a text that lives as long as the library.
    let version = unsafe { borrowed(version()) };
    if !version.starts_with(ABI) {
        return Err(format!("SoapySDR has the ABI {version}, expected {ABI}: {INSTALL}"));
    }
    let functions = Functions::of(library).map_err(|error| format!("that is no SoapySDR {ABI}: {error}"))?;
    if std::env::var_os("SOAPY_SDR_LOG_LEVEL").is_none() {
        // SAFETY: a function that takes a number.
        unsafe { (functions.set_log_level)(ERRORS_ONLY) };
    }
    Ok(functions)
}

/// The text at a pointer that stays the library's; nothing where it is null.
///
/// # Safety
/// It is null, or points to a text with a zero at its end.
unsafe fn borrowed(text: *const c_char) -> String {
    match text.is_null() {
        true => String::new(),
        // SAFETY: as the caller says.
        false => unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned(),
    }
}

fn c_text(text: &str) -> Result<CString, String> {
    CString::new(text).map_err(|_| format!("{text:?} has a zero in it, which no device takes"))
}

impl Functions {
    /// A text that the library gives away.
    ///
    /// # Safety
    /// As [`borrowed`], and it was allocated by the library.
    unsafe fn owned(&self, text: Text) -> String {
        // SAFETY: as the caller says.
        let copy = unsafe { borrowed(text) };
        // SAFETY: it is the library's, and nobody uses it any more. Null may be freed.
        unsafe { (self.free)(text.cast()) };
        copy
    }

    /// A list of texts that the library gives away.
    ///
    /// # Safety
    /// `list` gives null or an array of as many texts as it writes to its argument.
    unsafe fn words(&self, list: impl FnOnce(*mut usize) -> Words) -> Vec<String> {
        let mut length = 0;
        let mut words = list(&mut length);
        if words.is_null() {
            return Vec::new();
        }
        // SAFETY: the array has so many texts.
        let copies = (0..length).map(|index| unsafe { borrowed(*words.add(index)) }).collect();
        // SAFETY: it is the library's, and nobody uses it any more.
        unsafe { (self.strings_clear)(&mut words, length) };
        copies
    }

    /// A list of ranges that the library gives away.
    ///
    /// # Safety
    /// As [`words`](Self::words), of ranges.
    unsafe fn ranges(&self, list: impl FnOnce(*mut usize) -> *mut Range) -> Vec<Range> {
        let mut length = 0;
        let ranges = list(&mut length);
        if ranges.is_null() {
            return Vec::new();
        }
        // SAFETY: the array has so many ranges.
        let copies = (0..length).map(|index| unsafe { *ranges.add(index) }).collect();
        // SAFETY: it is the library's, and nobody uses it any more.
        unsafe { (self.free)(ranges.cast()) };
        copies
    }

    /// What the last call of this thread has to say.
    fn problem(&self) -> String {
        // SAFETY: it gives a text of this thread that lives up to its next call.
        let text = unsafe { borrowed((self.last_error)()) };
        if text.is_empty() { "the driver does not say why".to_owned() } else { text }
    }

    fn done(&self, code: c_int) -> Result<(), String> {
        if code == 0 { Ok(()) } else { Err(self.problem()) }
    }
}

/// The keys and values of a device, in the library's order.
pub(crate) type Pairs = Vec<(String, String)>;

/// The files of all modules, of which none is loaded.
pub(crate) fn modules() -> Result<Vec<String>, String> {
    let functions = functions()?;
    // SAFETY: the function lists what its type says.
    Ok(unsafe { functions.words(|length| (functions.list_modules)(length)) })
}

/// Loads the module in a file.
pub(crate) fn load_module(path: &str) -> Result<(), String> {
    let functions = functions()?;
    let path = c_text(path)?;
    // SAFETY: the text lives through the call, and the answer is a text that is given away.
    let problem = unsafe { functions.owned((functions.load_module)(path.as_ptr())) };
    if problem.is_empty() { Ok(()) } else { Err(problem) }
}

/// The devices that fit the arguments, of all modules that can be found.
pub(crate) fn enumerate(arguments: &str) -> Result<Vec<Pairs>, String> {
    let functions = functions()?;
    let arguments = c_text(arguments)?;
    let mut length = 0;
    // SAFETY: the text and the number live through the call.
    let list = unsafe { (functions.enumerate)(arguments.as_ptr(), &mut length) };
    if list.is_null() {
        return if length == 0 { Ok(Vec::new()) } else { Err(functions.problem()) };
    }
    let pairs = |kwargs: &Kwargs| {
        // SAFETY: both arrays have so many texts.
        let text = |texts: Words, index| unsafe { borrowed(*texts.add(index)) };
        (0..kwargs.size).map(|index| (text(kwargs.keys, index), text(kwargs.values, index))).collect()
    };
    // SAFETY: the array has so many entries.
    let found = (0..length).map(|index| pairs(unsafe { &*list.add(index) })).collect();
    // SAFETY: it is the library's, and nobody uses it any more.
    unsafe { (functions.kwargs_list_clear)(list, length) };
    Ok(found)
}

/// What a call that moves samples has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moved {
    /// So many samples of each channel, which may be none, with the flags of the last and the time of the first, where it is known.
    Samples { samples: usize, flags: i32, time_ns: Option<i64> },
    /// Nothing in time.
    TimedOut,
    /// Samples came faster than they were taken: some are missing.
    Overflow,
    /// What came was damaged.
    Corruption,
    /// Samples were too late.
    Underflow,
    /// A time was past already.
    Late,
    /// Something that the driver cannot do.
    NotSupported,
    /// Anything else: this number.
    Failed(i32),
}

/// The sample has its time.
pub(crate) const HAS_TIME: i32 = 1 << 2;
/// The last sample of a burst.
pub(crate) const END_BURST: i32 = 1 << 1;

impl Moved {
    fn of(code: c_int, flags: c_int, time_ns: c_longlong) -> Self {
        match code {
            0.. => {
                let time_ns = (flags & HAS_TIME != 0).then_some(time_ns);
                Moved::Samples { samples: usize::try_from(code).unwrap_or(0), flags, time_ns }
            }
            -1 => Moved::TimedOut,
            -3 => Moved::Corruption,
            -4 => Moved::Overflow,
            -5 => Moved::NotSupported,
            -6 => Moved::Late,
            -7 => Moved::Underflow,
            _ => Moved::Failed(code),
        }
    }
}

/// What the library calls one of its numbers for errors.
pub(crate) fn error_text(code: i32) -> String {
    // SAFETY: it gives a text that lives as long as the library.
    functions().map_or_else(|_| String::new(), |functions| unsafe { borrowed((functions.error_text)(code)) })
}

/// A device that is open.
pub(crate) struct Device {
    functions: &'static Functions,
    raw: NonNull<c_void>,
}

// SAFETY: the library lets any thread use a device, and the owner of this value is the only one who does.
unsafe impl Send for Device {}

impl Drop for Device {
    fn drop(&mut self) {
        // SAFETY: it was made by the library, and is given back once. Its stream was closed before it: `Stream` owns it.
        unsafe { (self.functions.unmake)(self.raw.as_ptr()) };
    }
}

/// What all methods have to rely on, so that each need not say it.
macro_rules! call {
    ($device:expr, $function:ident $(, $argument:expr)*) => {{
        let device: &Device = $device;
        // SAFETY: the device is open, the function has this type, and pointers among the arguments live through the call.
        unsafe { (device.functions.$function)(device.raw.as_ptr() $(, $argument)*) }
    }};
}

macro_rules! words {
    ($device:expr, $function:ident $(, $argument:expr)*) => {{
        let device: &Device = $device;
        // SAFETY: the function lists what its type says.
        unsafe { device.functions.words(|length| (device.functions.$function)(device.raw.as_ptr() $(, $argument)*, length)) }
    }};
}

macro_rules! ranges {
    ($device:expr, $function:ident $(, $argument:expr)*) => {{
        let device: &Device = $device;
        // SAFETY: the function lists what its type says.
        unsafe { device.functions.ranges(|length| (device.functions.$function)(device.raw.as_ptr() $(, $argument)*, length)) }
    }};
}

macro_rules! text {
    ($device:expr, $function:ident $(, $argument:expr)*) => {{
        let device: &Device = $device;
        let text = call!(device, $function $(, $argument)*);
        // SAFETY: a text that the library gives away.
        unsafe { device.functions.owned(text) }
    }};
}

impl Device {
    /// Opens the first device that fits the arguments, as `driver=rtlsdr,serial=00000001`.
    pub fn open(arguments: &str) -> Result<Self, String> {
        let functions = functions()?;
        let arguments = c_text(arguments)?;
        // SAFETY: the text lives through the call.
        let raw = unsafe { (functions.make)(arguments.as_ptr()) };
        let raw = NonNull::new(raw).ok_or_else(|| functions.problem())?;
        Ok(Device { functions, raw })
    }

    pub fn driver(&self) -> String {
        text!(self, driver_key)
    }

    pub fn hardware(&self) -> String {
        text!(self, hardware_key)
    }

    pub fn channels(&self, direction: Direction) -> usize {
        call!(self, channels, direction as c_int)
    }

    pub fn stream_formats(&self, direction: Direction, channel: usize) -> Vec<String> {
        words!(self, stream_formats, direction as c_int, channel)
    }

    /// The format of the device itself, and which number is full scale there.
    pub fn native_format(&self, direction: Direction, channel: usize) -> (String, f64) {
        let mut full_scale = 0.0;
        (text!(self, native_format, direction as c_int, channel, &mut full_scale), full_scale)
    }

    pub fn antennas(&self, direction: Direction, channel: usize) -> Vec<String> {
        words!(self, antennas, direction as c_int, channel)
    }

    pub fn antenna(&self, direction: Direction, channel: usize) -> String {
        text!(self, antenna, direction as c_int, channel)
    }

    pub fn set_antenna(&self, direction: Direction, channel: usize, name: &str) -> Result<(), String> {
        let name = c_text(name)?;
        self.functions.done(call!(self, set_antenna, direction as c_int, channel, name.as_ptr()))
    }

    pub fn has_dc_removal(&self, direction: Direction, channel: usize) -> bool {
        call!(self, has_dc_offset_mode, direction as c_int, channel)
    }

    pub fn set_dc_removal(&self, direction: Direction, channel: usize, on: bool) -> Result<(), String> {
        self.functions.done(call!(self, set_dc_offset_mode, direction as c_int, channel, on))
    }

    pub fn has_iq_balance(&self, direction: Direction, channel: usize) -> bool {
        call!(self, has_iq_balance_mode, direction as c_int, channel)
    }

    pub fn set_iq_balance(&self, direction: Direction, channel: usize, on: bool) -> Result<(), String> {
        self.functions.done(call!(self, set_iq_balance_mode, direction as c_int, channel, on))
    }

    pub fn has_correction(&self, direction: Direction, channel: usize) -> bool {
        call!(self, has_correction, direction as c_int, channel)
    }

    pub fn set_correction(&self, direction: Direction, channel: usize, ppm: f64) -> Result<(), String> {
        self.functions.done(call!(self, set_correction, direction as c_int, channel, ppm))
    }

    pub fn gains(&self, direction: Direction, channel: usize) -> Vec<String> {
        words!(self, gains, direction as c_int, channel)
    }

    pub fn has_gain_mode(&self, direction: Direction, channel: usize) -> bool {
        call!(self, has_gain_mode, direction as c_int, channel)
    }

    pub fn set_gain_mode(&self, direction: Direction, channel: usize, automatic: bool) -> Result<(), String> {
        self.functions.done(call!(self, set_gain_mode, direction as c_int, channel, automatic))
    }

    pub fn set_gain(&self, direction: Direction, channel: usize, db: f64) -> Result<(), String> {
        self.functions.done(call!(self, set_gain, direction as c_int, channel, db))
    }

    pub fn set_gain_element(
        &self,
        direction: Direction,
        channel: usize,
        name: &str,
        db: f64,
    ) -> Result<(), String> {
        let name = c_text(name)?;
        self.functions.done(call!(self, set_gain_element, direction as c_int, channel, name.as_ptr(), db))
    }

    pub fn gain_range(&self, direction: Direction, channel: usize) -> Range {
        call!(self, gain_range, direction as c_int, channel)
    }

    pub fn gain_element_range(
        &self,
        direction: Direction,
        channel: usize,
        name: &str,
    ) -> Result<Range, String> {
        let name = c_text(name)?;
        Ok(call!(self, gain_element_range, direction as c_int, channel, name.as_ptr()))
    }

    pub fn set_frequency(&self, direction: Direction, channel: usize, hz: f64) -> Result<(), String> {
        self.functions.done(call!(self, set_frequency, direction as c_int, channel, hz, null()))
    }

    pub fn frequency(&self, direction: Direction, channel: usize) -> f64 {
        call!(self, frequency, direction as c_int, channel)
    }

    pub fn frequency_ranges(&self, direction: Direction, channel: usize) -> Vec<Range> {
        ranges!(self, frequency_ranges, direction as c_int, channel)
    }

    pub fn set_rate(&self, direction: Direction, channel: usize, hz: f64) -> Result<(), String> {
        self.functions.done(call!(self, set_rate, direction as c_int, channel, hz))
    }

    pub fn rate(&self, direction: Direction, channel: usize) -> f64 {
        call!(self, rate, direction as c_int, channel)
    }

    pub fn rate_ranges(&self, direction: Direction, channel: usize) -> Vec<Range> {
        ranges!(self, rate_ranges, direction as c_int, channel)
    }

    pub fn set_bandwidth(&self, direction: Direction, channel: usize, hz: f64) -> Result<(), String> {
        self.functions.done(call!(self, set_bandwidth, direction as c_int, channel, hz))
    }

    pub fn bandwidth_ranges(&self, direction: Direction, channel: usize) -> Vec<Range> {
        ranges!(self, bandwidth_ranges, direction as c_int, channel)
    }

    pub fn clock_sources(&self) -> Vec<String> {
        words!(self, clock_sources)
    }

    pub fn set_clock_source(&self, name: &str) -> Result<(), String> {
        let name = c_text(name)?;
        self.functions.done(call!(self, set_clock_source, name.as_ptr()))
    }

    pub fn time_sources(&self) -> Vec<String> {
        words!(self, time_sources)
    }

    pub fn set_time_source(&self, name: &str) -> Result<(), String> {
        let name = c_text(name)?;
        self.functions.done(call!(self, set_time_source, name.as_ptr()))
    }

    pub fn sensors(&self) -> Vec<String> {
        words!(self, sensors)
    }

    pub fn read_sensor(&self, name: &str) -> Result<String, String> {
        let name = c_text(name)?;
        Ok(text!(self, read_sensor, name.as_ptr()))
    }

    pub fn channel_sensors(&self, direction: Direction, channel: usize) -> Vec<String> {
        words!(self, channel_sensors, direction as c_int, channel)
    }

    pub fn read_channel_sensor(
        &self,
        direction: Direction,
        channel: usize,
        name: &str,
    ) -> Result<String, String> {
        let name = c_text(name)?;
        Ok(text!(self, read_channel_sensor, direction as c_int, channel, name.as_ptr()))
    }

    /// The names of the driver's own settings, with what each is for.
    pub fn settings(&self) -> Pairs {
        let mut length = 0;
        let list = call!(self, setting_info, &mut length);
        if list.is_null() {
            return Vec::new();
        }
        // SAFETY: the array has so many entries, whose texts end with a zero or are null.
        let pair = |index| unsafe {
            let info: &ArgInfo = &*list.add(index);
            (borrowed(info.key), borrowed(info.name))
        };
        let pairs = (0..length).map(pair).collect();
        // SAFETY: it is the library's, and nobody uses it any more.
        unsafe { (self.functions.arg_info_list_clear)(list, length) };
        pairs
    }

    pub fn write_setting(&self, key: &str, value: &str) -> Result<(), String> {
        let (key, value) = (c_text(key)?, c_text(value)?);
        self.functions.done(call!(self, write_setting, key.as_ptr(), value.as_ptr()))
    }

    /// Makes a stream of channels in a format that has so many bytes a sample, and starts it.
    pub fn stream(
        self,
        direction: Direction,
        format: &str,
        sample_bytes: usize,
        channels: &[usize],
        arguments: &str,
    ) -> Result<Stream, String> {
        if channels.is_empty() || channels.len() > MOST_CHANNELS {
            return Err(format!("{} channels, expected 1 to {MOST_CHANNELS}", channels.len()));
        }
        let (format, arguments) = (c_text(format)?, c_text(arguments)?);
        // SAFETY: the text lives through the call.
        let mut kwargs = unsafe { (self.functions.kwargs_from_string)(arguments.as_ptr()) };
        let way = direction as c_int;
        let raw =
            call!(&self, setup_stream, way, format.as_ptr(), channels.as_ptr(), channels.len(), &kwargs);
        let raw = NonNull::new(raw).ok_or_else(|| self.functions.problem());
        // SAFETY: it was made above, and nobody uses it any more.
        unsafe { (self.functions.kwargs_clear)(&mut kwargs) };
        let mut stream =
            Stream { raw: raw?, device: self, channels: channels.len(), sample_bytes, is_active: false };
        let code = call!(&stream.device, activate_stream, stream.raw.as_ptr(), 0, 0, 0);
        stream.device.functions.done(code)?;
        stream.is_active = true;
        Ok(stream)
    }
}

/// A stream of a device, and the device.
pub(crate) struct Stream {
    raw: NonNull<c_void>,
    device: Device,
    channels: usize,
    sample_bytes: usize,
    is_active: bool,
}

// SAFETY: as for `Device`.
unsafe impl Send for Stream {}

impl Drop for Stream {
    fn drop(&mut self) {
        if self.is_active {
            call!(&self.device, deactivate_stream, self.raw.as_ptr(), 0, 0);
        }
        // It is closed once, before its device.
        call!(&self.device, close_stream, self.raw.as_ptr());
    }
}

/// More channels than any device has: their pointers lie on the stack.
pub(crate) const MOST_CHANNELS: usize = 64;

impl Stream {
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// How many samples of each channel the driver moves at a time.
    pub fn most(&self) -> usize {
        call!(&self.device, stream_mtu, self.raw.as_ptr())
    }

    /// Reads samples into a buffer for each channel, as many as fit each of them.
    ///
    /// # Panics
    /// Where there is not one buffer for each channel.
    pub fn read(&mut self, buffers: &mut [Vec<u64>], timeout: Duration) -> Moved {
        assert_eq!(buffers.len(), self.channels, "a buffer for each channel");
        let room =
            buffers.iter().map(|buffer| size_of_val(&buffer[..]) / self.sample_bytes).min().unwrap_or(0);
        let mut pointers = [null_mut::<c_void>(); MOST_CHANNELS];
        for (pointer, buffer) in pointers.iter_mut().zip(buffers) {
            *pointer = buffer.as_mut_ptr().cast();
        }
        let (mut flags, mut time_ns) = (0, 0);
        // The driver writes `room` samples of `sample_bytes` to each buffer at most, which fit there.
        let code = call!(
            &self.device,
            read_stream,
            self.raw.as_ptr(),
            pointers.as_ptr(),
            room,
            &mut flags,
            &mut time_ns,
            micros(timeout)
        );
        match Moved::of(code, flags, time_ns) {
            // Whoever claims more than there is room for is not believed.
            Moved::Samples { samples, .. } if samples > room => Moved::Failed(code),
            moved => moved,
        }
    }

    /// Writes samples of a buffer for each channel, all as long as the shortest. Flags and time are those of the first and
    /// last of them.
    ///
    /// # Panics
    /// Where there is not one buffer for each channel.
    pub fn write(&mut self, buffers: &[&[u8]], flags: i32, time_ns: i64, timeout: Duration) -> Moved {
        assert_eq!(buffers.len(), self.channels, "a buffer for each channel");
        let samples = buffers.iter().map(|buffer| buffer.len() / self.sample_bytes).min().unwrap_or(0);
        let mut pointers = [null::<c_void>(); MOST_CHANNELS];
        for (pointer, buffer) in pointers.iter_mut().zip(buffers) {
            *pointer = buffer.as_ptr().cast();
        }
        let mut flags = flags;
        // The driver reads `samples` samples of `sample_bytes` of each buffer at most, which are there.
        let code = call!(
            &self.device,
            write_stream,
            self.raw.as_ptr(),
            pointers.as_ptr(),
            samples,
            &mut flags,
            time_ns,
            micros(timeout)
        );
        match Moved::of(code, flags & !HAS_TIME, 0) {
            Moved::Samples { samples: written, .. } if written > samples => Moved::Failed(code),
            moved => moved,
        }
    }

    /// What has become of samples that were written.
    pub fn status(&mut self, timeout: Duration) -> Moved {
        let (mut channels, mut flags, mut time_ns) = (0, 0, 0);
        let code = call!(
            &self.device,
            read_status,
            self.raw.as_ptr(),
            &mut channels,
            &mut flags,
            &mut time_ns,
            micros(timeout)
        );
        Moved::of(code, flags, time_ns)
    }
}

fn micros(timeout: Duration) -> c_long {
    c_long::try_from(timeout.as_micros()).unwrap_or(c_long::MAX)
}
