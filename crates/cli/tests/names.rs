//! Names of parameters: one for each meaning, in the whole catalogue.

use std::collections::{BTreeMap, BTreeSet};

/// Names that nobody may take, since the meaning has the name before them.
const ONE_NAME: &[(&str, &[&str])] = &[
    ("frequency_hz", &["freq_hz", "center_freq_hz", "center_hz", "centre_hz", "tone_hz", "carrier_hz"]),
    ("min_frequency_hz", &["min_freq_hz", "lowest_hz", "lowest_frequency_hz"]),
    ("max_frequency_hz", &["max_freq_hz", "highest_hz", "highest_frequency_hz"]),
    ("rate_hz", &["sample_rate_hz", "samp_rate_hz", "sampling_rate_hz", "sample_rate", "samp_rate"]),
    ("cutoff_hz", &["corner_hz", "cutoff_freq_hz", "cutoff_frequency_hz"]),
    ("loop_bandwidth_rad", &["bandwidth_rad", "loop_bw", "loop_bandwidth"]),
    ("length", &["len", "size", "vector", "vlen", "vector_length"]),
    ("max_length", &["most", "max_len", "max_size", "max_pdu_size", "longest"]),
    ("min_length", &["min_len", "min_size", "least_samples", "shortest"]),
    ("fft_length", &["fft_len", "fft_size"]),
    ("packet_bytes", &["payload_size", "packet_size", "datagram_bytes"]),
    ("decimation", &["decim"]),
    ("interpolation", &["interp"]),
    ("period_s", &["interval_s"]),
    ("key", &["tag", "tag_name", "tag_key"]),
    ("out_item", &["output_item", "item_out"]),
    ("samples_per_symbol", &["sps"]),
    ("threshold", &["level", "squelch_level"]),
    ("seed", &["random_seed"]),
];

/// Words that are written out.
const SHORT_WORDS: &[&str] = &["freq", "len", "bw", "decim", "interp", "sps", "cfg", "msg"];

/// Names that have the same sentence as another, since what they are of differs.
const OF_DIFFERENT_THINGS: &[[&str; 2]] = &[
    ["constant_imag", "scale_imag"],
    ["epsilon", "resamp_ratio"],
    ["initial_value", "seed"],
    ["input", "output"],
    ["input_is_shifted", "output_is_shifted"],
    ["packet_length", "take"],
];

#[test]
fn parameters_of_one_meaning_have_one_name() {
    let mut wrong = Vec::new();
    for entry in superhet::registry().entries() {
        for param in entry.params {
            if let Some((name, _)) = ONE_NAME.iter().find(|(_, others)| others.contains(&param.name)) {
                wrong.push(format!("{}.{}: the name is {name}", entry.name, param.name));
            }
            if let Some(word) = param.name.split('_').find(|word| SHORT_WORDS.contains(word)) {
                wrong.push(format!("{}.{}: {word} is written out", entry.name, param.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_is_said_in_the_same_words_has_the_same_name() {
    let mut names: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let registry = superhet::registry();
    for param in registry.entries().iter().flat_map(|entry| entry.params) {
        names.entry(param.doc).or_default().insert(param.name);
    }
    let is_known = |names: &BTreeSet<&str>| OF_DIFFERENT_THINGS.iter().any(|known| names.iter().eq(known));
    let several: Vec<_> = names.iter().filter(|(_, names)| names.len() > 1 && !is_known(names)).collect();
    assert!(several.is_empty(), "{several:#?}");
}

#[test]
fn a_former_name_is_no_name_of_the_same_block() {
    for entry in superhet::registry().entries() {
        let mut seen = BTreeSet::new();
        let names = entry.params.iter().flat_map(|param| std::iter::once(&param.name).chain(param.formerly));
        let twice: Vec<_> = names.filter(|name| !seen.insert(**name)).collect();
        assert!(twice.is_empty(), "{entry:?}: {twice:?}");
    }
}
