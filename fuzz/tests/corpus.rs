//! The corpus of every target, and a fixed number of seeded mutations of it: what libFuzzer would do, for some seconds.
//!
//! `SUPERHET_CASES` is how many mutations each target gets, instead of its own number; `SUPERHET_SEED` which is the first.
//! A failure names the target and the seed, and leaves the input in the temporary folder.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use superhet_fuzz::{TARGETS, Target, mutate};

fn fuzz(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn from_env(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// The inputs of a target by their names, in the order of these.
fn corpus(target: &Target) -> Vec<(String, Vec<u8>)> {
    let folder = fuzz("corpus").join(target.name);
    let files = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut inputs: Vec<(String, Vec<u8>)> = files
        .map(|file| {
            let path = file.unwrap().path();
            (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(path).unwrap())
        })
        .collect();
    inputs.sort();
    inputs
}

/// Runs an input; a panic of the target becomes one that says which input it was.
fn try_input(target: &Target, which: &str, input: &[u8]) {
    if catch_unwind(AssertUnwindSafe(|| (target.run)(input))).is_err() {
        let path = std::env::temp_dir().join(format!("superhet-fuzz-{}-failure", target.name));
        std::fs::write(&path, input).unwrap();
        panic!(
            "target {}, {which}: a promise is broken, see above; the input is in {}",
            target.name,
            path.display()
        );
    }
}

fn run(name: &str) {
    let target = TARGETS.iter().find(|target| target.name == name).unwrap();
    let corpus = corpus(target);
    for (file, input) in &corpus {
        try_input(target, &format!("input {file}"), input);
    }
    let words =
        std::fs::read_to_string(fuzz("dictionaries").join(format!("{name}.dict"))).unwrap_or_default();
    let words = mutate::words(&words);
    let inputs: Vec<Vec<u8>> = corpus.into_iter().map(|(_, input)| input).collect();
    let first = from_env("SUPERHET_SEED").unwrap_or(0);
    for seed in first..first + from_env("SUPERHET_CASES").unwrap_or(target.cases.into()) {
        try_input(target, &format!("seed {seed}"), &mutate::mutated(&inputs, &words, seed));
    }
}

macro_rules! tests {
    ($($name:ident: $target:literal,)*) => {
        $(#[test]
        fn $name() {
            run($target);
        })*

        /// The targets that have a test here.
        const TESTED: &[&str] = &[$($target),*];
    };
}

tests! {
    messages_of_aircraft_keep_every_promise: "adsb",
    answers_of_brokers_keep_every_promise: "broker",
    expressions_keep_every_promise: "expression",
    frames_of_receivers_keep_every_promise: "frames",
    random_graphs_of_the_catalogue_keep_every_promise: "graph",
    flowgraphs_of_gnu_radio_keep_every_promise: "grc",
    json_values_keep_every_promise: "json",
    graphs_in_a_line_keep_every_promise: "line",
    frames_of_links_keep_every_promise: "link",
    pcap_files_keep_every_promise: "pcap",
    pmts_keep_every_promise: "pmt",
    kernel_profiles_keep_every_promise: "profile",
    commands_and_uris_of_radios_keep_every_promise: "radio",
    sigmf_archives_keep_every_promise: "sigmf_archive",
    sigmf_metadata_keep_every_promise: "sigmf_meta",
    graph_files_keep_every_promise: "toml",
    udp_headers_keep_every_promise: "udp",
    packets_of_vita_49_keep_every_promise: "vita49",
    wav_files_keep_every_promise: "wav",
    zmtp_peers_keep_every_promise: "zmtp",
}

#[test]
fn every_target_has_a_program_a_corpus_and_a_test() {
    let manifest: toml::Value =
        toml::from_str(&std::fs::read_to_string(fuzz("Cargo.toml")).unwrap()).unwrap();
    let programs: BTreeSet<&str> =
        manifest["bin"].as_array().unwrap().iter().map(|bin| bin["name"].as_str().unwrap()).collect();
    let targets: BTreeSet<&str> = TARGETS.iter().map(|target| target.name).collect();
    assert_eq!(programs, targets, "Cargo.toml");
    assert_eq!(TESTED.iter().copied().collect::<BTreeSet<_>>(), targets, "tests/corpus.rs");
    for target in TARGETS {
        let program =
            std::fs::read_to_string(fuzz("fuzz_targets").join(format!("{}.rs", target.name))).unwrap();
        assert!(program.contains(&format!("superhet_fuzz::{}::run(data)", target.name)), "{program}");
        assert!(!corpus(target).is_empty(), "corpus/{} is empty", target.name);
    }
}

#[test]
fn the_corpus_is_small() {
    let bytes: usize = TARGETS.iter().flat_map(corpus).map(|(_, input)| input.len()).sum();
    assert!(bytes < 1 << 20, "{bytes} bytes");
}
