//! Drives [`superhet_fuzz::wav`] by libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| superhet_fuzz::wav::run(data));
