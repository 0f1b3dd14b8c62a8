//! Drives [`superhet_fuzz::sigmf_archive`] by libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| superhet_fuzz::sigmf_archive::run(data));
