//! Drives [`superhet_fuzz::zmtp`] by libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| superhet_fuzz::zmtp::run(data));
