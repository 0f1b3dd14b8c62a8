//! Drives [`superhet_fuzz::pmt`] by libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| superhet_fuzz::pmt::run(data));
