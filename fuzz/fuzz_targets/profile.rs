//! Drives [`superhet_fuzz::profile`] by libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| superhet_fuzz::profile::run(data));
