//! Drives [`superhet_fuzz::grc`] by libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| superhet_fuzz::grc::run(data));
