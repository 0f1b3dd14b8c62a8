//! RTL-SDR at this machine's USB: which there are. With the feature `rtlsdr`, which needs no library of C; else none.

/// All that are plugged in: what stands behind `rtlsdr:` for each of them, and what it is called; `None` where this build drives no USB.
///
/// # Errors
/// What the USB has to say.
pub fn plugged_in() -> Option<Result<Vec<(String, String)>, String>> {
    #[cfg(feature = "rtlsdr")]
    return Some(crate::blocks::rtl_usb_source::plugged_in());
    #[cfg(not(feature = "rtlsdr"))]
    None
}
