//! Fuzz targets: a function for each thing that reads what others have written, and one that runs random graphs.
//!
//! | driven by | with | when |
//! |---|---|---|
//! | libFuzzer (`fuzz_targets/`, feature `libfuzzer`) | inputs that it makes from the corpus by coverage | `make fuzz MINUTES=n` |
//! | `tests/corpus.rs`, on stable Rust | the corpus, and a fixed number of seeded mutations of it | `make test` |
//!
//! A target panics where a promise is broken: where the code itself panics, where what is read and written again is not
//! the same, where an error would move the cursor of a terminal, or where memory is not in proportion to the input
//! ([`memory`]). `CONTRIBUTING.md` says how to add one, `docs/fuzzing.md` what ran how long and what came of it.

pub mod draw;
pub mod files;
pub mod memory;
pub mod mutate;

pub mod adsb;
pub mod broker;
pub mod expression;
pub mod frames;
pub mod graph;
pub mod grc;
pub mod json;
pub mod line;
pub mod link;
pub mod pcap;
pub mod pmt;
pub mod profile;
pub mod radio;
pub mod sigmf_archive;
pub mod sigmf_meta;
pub mod toml;
pub mod udp;
pub mod vita49;
pub mod wav;
pub mod zmtp;

use std::fmt::Display;

/// A fuzz target.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name: that of its file, of its folder in `corpus/`, and of its program for libFuzzer.
    pub name: &'static str,
    /// Panics where the input breaks a promise.
    pub run: fn(&[u8]),
    /// Mutated inputs in a run of `make test`: less where an input takes more than a fraction of a millisecond.
    pub cases: u32,
}

macro_rules! targets {
    ($($name:ident $cases:literal,)*) => {
        /// All of them, and how many mutations `make test` tries of each.
        pub const TARGETS: &[Target] =
            &[$(Target { name: stringify!($name), run: $name::run, cases: $cases },)*];
    };
}

targets! {
    adsb 5000,
    broker 5000,
    expression 5000,
    frames 5000,
    graph 30,
    grc 300,
    json 5000,
    line 2000,
    link 5000,
    pcap 5000,
    pmt 5000,
    profile 1000,
    radio 5000,
    sigmf_archive 1000,
    sigmf_meta 2000,
    toml 1000,
    udp 5000,
    vita49 5000,
    wav 1000,
    zmtp 5000,
}

/// Panics if the text of an error would move the cursor of a terminal. Mistakes are reported in lines.
pub fn assert_harmless(error: &dyn Display) {
    let text = error.to_string();
    let harm = text.chars().find(|c| c.is_control() && *c != '\n');
    assert!(harm.is_none(), "an error has the control character {harm:?}: {text:?}");
}
