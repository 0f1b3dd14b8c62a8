//! Drives [`superhet_fuzz::vita49`] by libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| superhet_fuzz::vita49::run(data));
