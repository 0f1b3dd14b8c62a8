//! The benches run, and say what they promise. No test asserts a time.

mod common;

use common::*;

#[test]
fn bench_chain_prints_one_json_object_with_all_fields() {
    for (workers, kernels) in [("1", "1"), ("2", "3")] {
        let text = stdout(&[
            "bench",
            "chain",
            "--json",
            "--workers",
            workers,
            "--kernels",
            kernels,
            "--seconds",
            "0.02",
            "--repeat",
            "1",
        ]);
        let object: serde_json::Value = serde_json::from_str(&text).unwrap();
        for field in ["rate", "kernel_peak", "ratio"] {
            assert!(object[field].as_f64().is_some_and(|x| x > 0.0), "{field}: {object}");
        }
        assert_eq!(object["workers"].to_string(), workers);
        assert_eq!(object["kernels"].to_string(), kernels);
        assert!(object["strip_items"].as_u64().is_some_and(|n| n > 0));
        assert!(object["scheduler"].is_string());
    }
}

#[test]
fn bench_overhead_prints_nanoseconds_per_call() {
    let text = stdout(&["bench", "overhead", "--json", "--repeat", "1"]);
    let object: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert!(object["ns_per_call"].as_f64().is_some(), "{object}");
}

#[test]
fn blocks_are_listed_and_explained() {
    assert!(stdout(&["blocks"]).contains("complex_to_mag"));
    let text = stdout(&["blocks", "fir_filter"]);
    assert!(text.contains("taps") && text.contains("decimation"), "{text}");
    let all: serde_json::Value = serde_json::from_str(&stdout(&["blocks", "--json"])).unwrap();
    assert!(all.to_string().len() > 1000);
}

#[test]
fn a_plan_names_lanes_and_buffers() {
    let file = project("examples/adsb.toml");
    let text = stdout(&["plan", file.to_str().unwrap(), "--workers", "2", "--scheduler", "pinned"]);
    assert!(text.contains("lane 0") && text.contains("lane 1") && text.contains("mirrored ring"), "{text}");
    let json: serde_json::Value =
        serde_json::from_str(&stdout(&["plan", file.to_str().unwrap(), "--json", "--scheduler", "single"]))
            .unwrap();
    assert_eq!(json["lanes"][0]["blocks"].as_array().unwrap().len(), 5);
    let lanes = "source,convert,magnitude;demod,print";
    let json: serde_json::Value =
        serde_json::from_str(&stdout(&["plan", file.to_str().unwrap(), "--json", "--lanes", lanes])).unwrap();
    assert_eq!(json["lanes"][1]["blocks"], serde_json::json!(["demod", "print"]));
    let (text, _) = failure(&["plan", file.to_str().unwrap(), "--lanes", "sorce"]);
    assert!(text.contains("did you mean source?"), "{text}");
}
