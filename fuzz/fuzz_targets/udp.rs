//! Drives [`superhet_fuzz::udp`] by libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| superhet_fuzz::udp::run(data));
