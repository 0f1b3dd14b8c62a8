//! Drives [`superhet_fuzz::radio`] by libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| superhet_fuzz::radio::run(data));
