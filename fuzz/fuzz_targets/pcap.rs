//! Drives [`superhet_fuzz::pcap`] by libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| superhet_fuzz::pcap::run(data));
