//! Drives [`superhet_fuzz::sigmf_meta`] by libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| superhet_fuzz::sigmf_meta::run(data));
