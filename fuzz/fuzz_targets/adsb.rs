//! Drives [`superhet_fuzz::adsb`] by libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| superhet_fuzz::adsb::run(data));
