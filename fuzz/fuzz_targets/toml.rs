//! Drives [`superhet_fuzz::toml`] by libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| superhet_fuzz::toml::run(data));
