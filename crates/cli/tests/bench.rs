//! The benches run, and say what they promise. No test asserts a time.

use crate::common::*;
use serde_json::Value;

/// The JSON objects that a bench prints, measured as briefly as can be.
fn bench(name: &str, arguments: &[&str]) -> Vec<Value> {
    let brief = ["bench", name, "--json", "--seconds", "0.005", "--repeat", "2"];
    let text = stdout(&[&brief, arguments].concat());
    let objects: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(objects.iter().all(|object| object["bench"] == name && object["repeat"] == 2), "{text}");
    objects
}

/// Each figure is there as a number, and its least, mean, median and greatest value in the right order.
fn assert_figures(objects: &[Value], names: &[&str]) {
    for object in objects {
        for name in names {
            let stats = &object[format!("{name}_stats")];
            let [min, median, mean, max] =
                ["min", "median", "mean", "max"].map(|key| stats[key].as_f64().unwrap_or(f64::NAN));
            assert!(min <= median && median <= max && min <= mean && mean <= max, "{name}: {object}");
            assert_eq!(object[name].as_f64(), Some(median), "{name}: {object}");
        }
    }
}

#[test]
fn bench_chain_prints_one_json_object_with_all_fields() {
    for (workers, kernels) in [("1", "1"), ("2", "3")] {
        let objects = bench("chain", &["--workers", workers, "--kernels", kernels, "--weight", "2"]);
        assert_eq!(objects.len(), 1);
        let object = &objects[0];
        assert_figures(&objects, &["rate", "kernel_peak", "ratio"]);
        assert!(object["rate"].as_f64().is_some_and(|x| x > 0.0), "{object}");
        assert_eq!(object["workers"].to_string(), workers);
        assert_eq!(object["kernels"].to_string(), kernels);
        assert_eq!(object["weight"], 2);
        assert!(object["strip_items"].as_u64().is_some_and(|n| n > 0));
        assert!(object["scheduler"].is_string());
    }
}

#[test]
fn bench_chain_prints_an_object_for_each_length() {
    let objects = bench("chain", &["--kernels", "1,2,4"]);
    let kernels: Vec<_> = objects.iter().map(|object| object["kernels"].as_u64().unwrap()).collect();
    assert_eq!(kernels, [1, 2, 4]);
}

#[test]
fn bench_chain_runs_saxpys_of_every_kind() {
    for state in ["all", "one", "none"] {
        for in_place in [false, true] {
            for plain in [false, true] {
                let mut arguments = vec!["--kernels", "3", "--state", state];
                arguments.extend(in_place.then_some("--in-place"));
                arguments.extend(plain.then_some("--plain"));
                let object = &bench("chain", &arguments)[0];
                assert_eq!((&object["state"], &object["in_place"]), (&state.into(), &in_place.into()));
                assert_eq!(object["plain"], plain);
                assert!(object["rate"].as_f64().is_some_and(|rate| rate > 0.0), "{object}");
            }
        }
    }
}

#[test]
fn bench_overhead_prints_nanoseconds_per_call() {
    assert_figures(&bench("overhead", &[]), &["ns_per_call", "ns_per_call_out_of_place"]);
}

#[test]
fn bench_latency_prints_percentiles_for_each_scheduler() {
    let figures = ["p50_us", "p99_us", "max_us", "mean_us", "source_late_p99_us"];
    let objects = bench("latency", &["--source", "poll"]);
    assert_figures(&objects, &figures);
    for name in ["single", "threads"] {
        assert!(objects.iter().any(|object| object["scheduler"] == name), "{name}");
    }
    for source in ["poll", "wait"] {
        let objects =
            bench("latency", &["--source", source, "--schedulers", "threads,single", "--chunk", "10"]);
        assert_figures(&objects, &figures);
        let names: Vec<_> = objects.iter().map(|object| object["scheduler"].as_str().unwrap()).collect();
        assert_eq!(names, ["threads", "single"]);
        assert_eq!(objects[0]["lanes"], 6);
        assert_eq!(objects[0]["source"], source);
    }
    assert_eq!(bench("latency", &["--scheduler", "single"]).len(), 1);
}

#[test]
fn bench_fanout_prints_the_cost_of_a_reader() {
    let objects = bench("fanout", &["--readers", "1,3"]);
    assert_figures(&objects, &["rate", "ns_per_reader"]);
    assert_eq!(objects[1]["readers"], 3);
    assert_figures(&bench("fanout", &["--readers", "2", "--scheduler", "threads"]), &["rate"]);
}

#[test]
fn bench_align_prints_the_ratio_for_kernels_and_chains() {
    let objects = bench("align", &["--kernels", "2"]);
    assert_figures(&objects, &["rate_aligned", "rate_unaligned", "ratio"]);
    let count = |case: &str| objects.iter().filter(|object| object["case"] == case).count();
    assert_eq!((count("kernel"), count("chain")), (6, 3));
}

#[test]
fn bench_messages_prints_messages_a_second() {
    let objects = bench("messages", &["--workers", "2", "--capacity", "8", "--at-once", "3"]);
    assert_figures(&objects, &["rate", "ns_per_hop"]);
    let schedulers: Vec<_> = objects.iter().map(|object| object["scheduler"].as_str().unwrap()).collect();
    assert_eq!(schedulers, ["single", "adaptive"]);
    assert!(objects[0]["rate"].as_f64().is_some_and(|rate| rate > 0.0));
}

#[test]
fn bench_kernels_prints_an_object_for_each_kernel_and_length() {
    let figures = [
        "gitems_per_s",
        "scalar_gitems_per_s",
        "limit_gitems_per_s",
        "limit_fraction",
        "bytes_per_cycle",
        "speedup_percent",
    ];
    let objects = bench("kernels", &["--kernel", "saxpy", "--kernel", "i16_to", "--length", "512,1000"]);
    assert_figures(&objects, &figures);
    for (name, group) in [("saxpy", "math"), ("saxpy_in_place", "math"), ("i16_to_c32", "conversion")] {
        for length in [512, 1000] {
            let is_it = |object: &&Value| object["name"] == name && object["length"] == length;
            let object = objects.iter().find(is_it).unwrap_or_else(|| panic!("no {name} x {length}"));
            assert_eq!(object["group"], group);
            assert!(object["variant"].is_string() && object["level"] == "L1", "{object}");
            assert!(figures[..5].iter().all(|figure| object[figure].as_f64() > Some(0.0)), "{object}");
        }
    }
    assert_eq!(objects.iter().filter(|object| object["name"] == "saxpy").count(), 2);
    let (text, code) = failure(&["bench", "kernels", "--kernel", "no_such_kernel"]);
    assert!(text.contains("no kernel has \"no_such_kernel\" in its name") && code == 2, "{text}");
}

#[test]
fn bench_kernels_compares_all_variants() {
    let objects = bench("kernels", &["--kernel", "dot_f32", "--length", "64", "--variants"]);
    assert_figures(&objects, &["gitems_per_s", "speedup_percent"]);
    let scalar = objects.iter().find(|object| object["variant"] == "scalar").unwrap();
    assert_eq!(scalar["speedup_percent"], 0.0);
    assert_eq!(objects.iter().filter(|object| object["chosen"] == true).count(), 1);
    let table = stdout(&[
        "bench",
        "kernels",
        "--variants",
        "--kernel",
        "dot",
        "--length",
        "64",
        "--seconds",
        "0.001",
    ]);
    assert!(table.contains("dot_c32_f32") && table.contains("slower than scalar"), "{table}");
}

#[test]
fn bench_blocks_prints_rates_with_and_without_simd() {
    let objects = bench("blocks", &["--block", "multiply C32", "--block", "float_to_short"]);
    let figures =
        ["gitems_per_s", "scalar_gitems_per_s", "kernel_gitems_per_s", "ratio_to_kernel", "speedup_percent"];
    assert_figures(&objects, &figures);
    let kernels: Vec<_> = objects.iter().map(|object| object["kernel"].as_str().unwrap()).collect();
    assert_eq!(kernels, ["multiply_c32", "f32_to_i16"]);
    assert!(objects.iter().all(|object| object["strip_items"].as_u64() > Some(0)), "{objects:?}");
    let (text, code) = failure(&["bench", "blocks", "--block", "no_such_block"]);
    assert!(text.contains("no elementwise block") && code == 2, "{text}");
}

#[test]
fn bench_noise_measures_any_block_by_its_name_and_parameters() {
    for (block, parameters) in [
        ("agc", r#"{"item": "f32"}"#),
        ("multiply", "{}"),
        ("symbol_sync", r#"{"samples_per_symbol": 4}"#),
        ("signal_source", r#"{"rate_hz": 1e6}"#),
        ("unpack_k_bits", r#"{"k": 8}"#),
    ] {
        let objects = bench("noise", &[block, "--parameters", parameters]);
        assert_figures(&objects, &["items_per_s", "own_items_per_s"]);
        assert_eq!(objects[0]["block"], block);
    }
    let (text, code) = failure(&["bench", "noise", "no_such_block"]);
    assert!(text.contains("no block \"no_such_block\"") && code == 2, "{text}");
    let (text, code) = failure(&["bench", "noise", "fir_filter"]);
    assert!(text.contains("taps") && code == 2, "{text}");
    let (text, code) = failure(&["bench", "noise", "agc", "--parameters", "[]"]);
    assert!(text.contains("expected an object") && code == 2, "{text}");
}

#[test]
fn every_bench_prints_a_table_and_draws_a_picture() {
    let folder = folder("plots");
    for (name, arguments, labels) in [
        ("chain", &["--kernels", "1,2"][..], ["saxpy blocks M", "1 / ceil(M / N)"]),
        ("overhead", &[], ["ns_per_call", "spans of 1"]),
        ("latency", &["--schedulers", "single"], ["microseconds", "p99_us"]),
        ("fanout", &["--readers", "1,2"], ["readers", "ns for a reader"]),
        ("align", &["--kernels", "1"], ["saxpy L1", "rate_unaligned"]),
        ("messages", &[], ["million messages/s", "single"]),
        (
            "kernels",
            &["--kernel", "saxpy", "--length", "300"],
            ["percent over scalar", "saxpy_in_place x 300"],
        ),
        ("blocks", &["--block", "saxpy"], ["percent over scalar", "saxpy"]),
    ] {
        let file = folder.join(format!("{name}.svg"));
        let brief = ["bench", name, "--seconds", "0.005", "--repeat", "1", "--plot", file.to_str().unwrap()];
        let table = stdout(&[&brief, arguments].concat());
        assert!(table.contains("median") && table.contains(name), "{table}");
        let svg = std::fs::read_to_string(&file).unwrap();
        assert!(svg.contains("<svg"), "{name}");
        for label in labels {
            assert!(svg.contains(label), "{name}: no {label:?} in the picture");
        }
    }
    let (text, code) =
        failure(&["bench", "overhead", "--seconds", "0.005", "--plot", "/no/such/folder/x.svg"]);
    assert!(text.contains("cannot write /no/such/folder/x.svg") && code == 1, "{text}");
}

#[test]
fn blocks_are_listed_and_explained() {
    assert!(stdout(&["blocks"]).contains("complex_to_mag"));
    let text = stdout(&["blocks", "fir_filter"]);
    assert!(text.contains("taps") && text.contains("decimation"), "{text}");
    let all: Value = serde_json::from_str(&stdout(&["blocks", "--json"])).unwrap();
    assert!(all.to_string().len() > 1000);
}

#[test]
fn a_plan_names_lanes_and_buffers() {
    let file = project("examples/adsb.toml");
    let text = stdout(&["plan", file.to_str().unwrap(), "--workers", "2", "--scheduler", "pinned"]);
    assert!(text.contains("lane 0") && text.contains("lane 1") && text.contains("mirrored ring"), "{text}");
    let json: Value =
        serde_json::from_str(&stdout(&["plan", file.to_str().unwrap(), "--json", "--scheduler", "single"]))
            .unwrap();
    assert_eq!(json["lanes"][0]["blocks"].as_array().unwrap().len(), 7);
    let lanes = "source,convert,channel,preambles;demod,decode,print";
    let json: Value =
        serde_json::from_str(&stdout(&["plan", file.to_str().unwrap(), "--json", "--lanes", lanes])).unwrap();
    assert_eq!(json["lanes"][1]["blocks"], serde_json::json!(["demod", "decode", "print"]));
    let (text, _) = failure(&["plan", file.to_str().unwrap(), "--lanes", "sorce"]);
    assert!(text.contains("did you mean source?"), "{text}");
}

#[test]
fn bench_link_stands_beside_tcp_alone() {
    let objects = bench("link", &["--chunks", "2000", "--transport", "tcp,shm"]);
    assert_eq!(objects.len(), 3);
    assert_figures(&objects, &["rate", "cpu_s"]);
    assert_figures(&objects[1..], &["p50_us", "p99_us"]);
    assert!(objects.iter().all(|object| object["rate"].as_f64().is_some_and(|rate| rate > 0.0)));
}
