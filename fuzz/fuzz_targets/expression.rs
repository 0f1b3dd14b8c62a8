//! Drives [`superhet_fuzz::expression`] by libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| superhet_fuzz::expression::run(data));
