//! Drives [`superhet_fuzz::json`] by libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| superhet_fuzz::json::run(data));
