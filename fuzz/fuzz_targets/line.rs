//! Drives [`superhet_fuzz::line`] by libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| superhet_fuzz::line::run(data));
