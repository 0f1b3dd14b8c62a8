//! Drives [`superhet_fuzz::broker`] by libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| superhet_fuzz::broker::run(data));
