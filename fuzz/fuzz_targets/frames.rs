//! Drives [`superhet_fuzz::frames`] by libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| superhet_fuzz::frames::run(data));
