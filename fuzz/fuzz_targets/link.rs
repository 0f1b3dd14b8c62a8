//! Drives [`superhet_fuzz::link`] by libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| superhet_fuzz::link::run(data));
