//! Drives [`superhet_fuzz::graph`] by libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| superhet_fuzz::graph::run(data));
