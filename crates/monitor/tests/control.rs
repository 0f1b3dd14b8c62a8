//! Control of running graphs: parameters, other blocks, recordings.

use std::path::PathBuf;

use serde_json::json;
use superhet_monitor::Options;
use superhet_runtime::catalog::{ANY_FLOAT, Entry, Kind, input, output, required};
use superhet_runtime::{AnyBlock, C32, Pure};

use crate::common::{Scene, anywhere, wait_until};

/// Multiplies by a number that was given.
struct Times(f32);

impl Pure for Times {
    type In = C32;
    type Out = f32;
    fn map(&self, x: &[C32], y: &mut [f32]) {
        y.iter_mut().zip(x).for_each(|(y, x)| *y = self.0 * x.re);
    }
}

const TIMES: Entry = Entry {
    name: "times",
    category: "test",
    summary: "The real part by a number.",
    params: &[required("by", ANY_FLOAT, "", "The number.")],
    ports: &[input("in", "C32", "x"), output("out", "f32", "y")],
    make: |params| Ok(AnyBlock::new(Times(params.float("by") as f32))),
};

/// One that names a file, and one that gives what it does not get from the graph.
const READS: Entry = Entry {
    name: "reads",
    params: &[required("path", Kind::Path, "", "The file.")],
    make: |_| panic!("it must not be made"),
    ..TIMES
};
const SOURCE: Entry = Entry {
    name: "source",
    ports: &[output("out", "f32", "y")],
    make: |_| panic!("it must not be made"),
    ..TIMES
};

#[test]
fn no_viewer_puts_blocks_into_a_graph_that_reach_files_or_sockets() {
    let scene = Scene::with(anywhere().catalog(&[TIMES, READS, SOURCE]));
    for (kind, parameters) in [("reads", json!({ "path": "/etc/hostname" })), ("source", json!({ "by": 1 }))]
    {
        let body = json!({ "block": "power", "kind": kind, "parameters": parameters });
        let (status, answer) = scene.http("POST", "/api/graphs/1/replace", &body.to_string());
        assert_eq!(status, 403, "{answer}");
    }
}

fn floats(scene: &Scene, stream: &str) -> Vec<f32> {
    let mut viewer = scene.viewer();
    let id = viewer.tap(json!({ "graph": 1, "view": "time", "stream": stream, "samples": 64 }));
    viewer.frame(id).floats()
}

#[test]
fn a_parameter_is_set_at_an_item() {
    let scene = Scene::new();
    assert!(floats(&scene, "power.out>sink.in").iter().all(|power| *power == 1.0));
    let (status, set) =
        scene.http("POST", "/api/graphs/1/set", r#"{"block": "amp", "parameter": "gain", "value": 2}"#);
    assert_eq!(status, 200, "{set}");
    wait_until("it holds", || floats(&scene, "power.out>sink.in").iter().all(|power| *power == 4.0));
    let graph = scene.http("GET", "/api/graphs/1", "").1;
    assert_eq!(graph["blocks"][1]["parameters"][0]["value"], 2.0);
    let wrong =
        scene.http("POST", "/api/graphs/1/set", r#"{"block": "amp", "parameter": "gian", "value": 2}"#);
    assert_eq!(wrong.0, 400);
    assert!(wrong.1["error"].as_str().unwrap().contains("gain"), "{}", wrong.1);
}

#[test]
fn a_block_is_replaced_by_another_of_the_same_ports() {
    let scene = Scene::with(anywhere().catalog(&[TIMES]));
    let replace = |block: &str, kind: &str, by: serde_json::Value| {
        let body = json!({ "block": block, "kind": kind, "parameters": { "by": by } });
        scene.http("POST", "/api/graphs/1/replace", &body.to_string())
    };
    assert_eq!(replace("power", "tmies", 3.into()).0, 404);
    assert_eq!(replace("power", "times", "three".into()).0, 400);
    assert_eq!(replace("sink", "times", 3.into()).0, 409, "its ports are others");
    let (status, answer) = replace("power", "times", 3.into());
    assert_eq!(status, 200, "{answer}");
    let values = floats(&scene, "power.out>sink.in");
    assert!(values.contains(&3.0) && values.contains(&-3.0), "{values:?}");
    let block = scene.http("GET", "/api/graphs/1", "").1["blocks"][2].clone();
    assert_eq!((&block["kind"], &block["parameters"][0]["value"]), (&json!("times"), &json!(3)));
}

#[test]
fn nobody_starts_a_graph_that_the_program_does_not_start() {
    let scene = Scene::new();
    assert_eq!(scene.http("POST", "/api/graphs/1/start", "").0, 409);
}

#[test]
fn a_graph_that_has_ended_is_started_anew_and_its_streams_have_taps_again() {
    let mut scene = Scene::that_restarts();
    assert_eq!(scene.http("POST", "/api/graphs/1/start", "").0, 409, "it runs");
    let mut viewer = scene.viewer();
    let tap = json!({ "graph": 1, "view": "time", "stream": "power.out>sink.in", "samples": 64 });
    let id = viewer.tap(tap.clone());
    viewer.frame(id);
    scene.http("POST", "/api/graphs/1/set", r#"{"block": "amp", "parameter": "gain", "value": 2}"#);
    assert_eq!(scene.http("POST", "/api/graphs/1/stop", "").0, 200);
    scene.running.take().unwrap().wait().unwrap();
    let state = |scene: &Scene| scene.http("GET", "/api/graphs", "").1[0].clone();
    wait_until("it has ended", || state(&scene)["state"] == "ended");
    assert_eq!(state(&scene)["restarts"], true);
    let (status, answer) = scene.http("POST", "/api/graphs/1/start", "");
    assert_eq!(status, 200, "{answer}");
    assert_eq!(state(&scene)["state"], "running");
    // It is as the program makes it, and counts from the beginning.
    let id = viewer.tap(tap);
    assert!(viewer.frame(id).floats().iter().all(|power| *power == 1.0));
    let graph = scene.http("GET", "/api/graphs/1", "").1;
    assert_eq!(graph["blocks"][1]["parameters"][0]["value"], 1.0);
    assert_eq!(scene.http("POST", "/api/graphs/1/stop", "").0, 200);
    wait_until("it ends again", || state(&scene)["state"] == "ended");
}

#[test]
fn a_page_hears_what_it_is_to_show_first() {
    let scene = Scene::that_restarts();
    let graph = scene.http("GET", "/api/graphs/1", "").1;
    let map = json!({ "view": "map", "stream": null, "port": { "block": "amp", "port": "news" } });
    let spectrum = json!({ "view": "spectrum", "stream": "amp.out>power.in", "port": null });
    assert_eq!(graph["views"], json!([spectrum, map]), "what is not there is left out");
}

/// A folder that goes with this.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("superhet-monitor-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn recording(scene: &Scene, file: &str) -> (u16, serde_json::Value) {
    let body = json!({ "stream": "amp.out>power.in", "file": file });
    scene.http("POST", "/api/graphs/1/record", &body.to_string())
}

#[test]
fn a_stream_is_recorded_into_the_folder_and_nowhere_else() {
    let folder = Folder::new("record");
    let scene = Scene::with(anywhere().record_into(&folder.0));
    for file in ["../x", "/tmp/x", "", ".x"] {
        assert_eq!(recording(&scene, file).0, 400, "{file:?}");
    }
    let (status, answer) = recording(&scene, "tone");
    assert_eq!(status, 200, "{answer}");
    assert_eq!(recording(&scene, "tone").0, 409, "it is being written");
    let data = folder.0.join("tone.sigmf-data");
    wait_until("it is written", || std::fs::metadata(&data).is_ok_and(|data| data.len() > 80_000));
    let path = format!("/api/records/{}", answer["id"]);
    assert_eq!(scene.http("DELETE", &path, "").0, 200);
    assert_eq!(scene.http("DELETE", &path, "").0, 404);
    assert_eq!(scene.taps(), 0);
    let recorded = superhet_io::sigmf::Recording::open(folder.0.join("tone")).unwrap();
    assert!(recorded.verify_sha512().unwrap() && recorded.samples() >= 10_000);
}

#[test]
fn a_stream_is_recorded_and_looked_at_and_either_may_go_first() {
    let folder = Folder::new("beside");
    let scene = Scene::with(anywhere().record_into(&folder.0));
    let tap = json!({ "graph": 1, "view": "time", "stream": "amp.out>power.in", "samples": 64 });
    let control = scene.running().control();
    let blocks = || control.layout().blocks.iter().filter(|block| !block.removed).count();
    let before = blocks();
    for (file, tap_is_first, tap_stays) in
        [("a", true, true), ("b", true, false), ("c", false, true), ("d", false, false)]
    {
        let mut viewer = scene.viewer();
        let mut look = || {
            let id = viewer.tap(tap.clone());
            viewer.frame(id);
            id
        };
        let mut id = if tap_is_first { Some(look()) } else { None };
        let (status, answer) = recording(&scene, file);
        assert_eq!(status, 200, "{answer}");
        let id = *id.get_or_insert_with(look);
        if !tap_stays {
            viewer.say(json!({ "op": "untap", "id": id }));
            wait_until("the recording alone is left", || scene.taps() == 1);
        }
        let data = folder.0.join(format!("{file}.sigmf-data"));
        let written = || std::fs::metadata(&data).map_or(0, |data| data.len());
        let so_far = written();
        wait_until("it goes on", || written() > so_far + 80_000);
        assert_eq!(scene.http("DELETE", &format!("/api/records/{}", answer["id"]), "").0, 200);
        let recorded = superhet_io::sigmf::Recording::open(folder.0.join(file)).unwrap();
        assert!(recorded.verify_sha512().unwrap() && recorded.samples() >= 10_000, "{file}");
        if tap_stays {
            viewer.frame(id);
        }
        drop(viewer);
        wait_until("all is as before", || scene.taps() == 0 && blocks() == before);
    }
}

#[test]
fn messages_become_annotations_of_the_samples_that_they_are_about() {
    let folder = Folder::new("annotations");
    let scene = Scene::with(anywhere().record_into(&folder.0));
    // The recording begins somewhere in the stream.
    wait_until("samples have come by", || scene.running().metrics().blocks[1].inputs[0].items > 150_000);
    let mut body = json!({
        "stream": "amp.out>power.in", "file": "tone", "annotations": { "block": "amp", "port": "nwes" },
    });
    assert_eq!(scene.http("POST", "/api/graphs/1/record", &body.to_string()).0, 404);
    body["annotations"]["port"] = "news".into();
    let (status, answer) = scene.http("POST", "/api/graphs/1/record", &body.to_string());
    assert_eq!(status, 200, "{answer}");
    let data = folder.0.join("tone.sigmf-data");
    wait_until("it is written", || std::fs::metadata(&data).is_ok_and(|data| data.len() > 8 * 350_000));
    assert_eq!(scene.http("DELETE", &format!("/api/records/{}", answer["id"]), "").0, 200);
    let recorded = superhet_io::sigmf::Recording::open(folder.0.join("tone")).unwrap();
    let annotations = &recorded.meta().annotations;
    assert!(annotations.len() >= 3, "{annotations:?}");
    for pair in annotations.windows(2) {
        assert_eq!(pair[0].label.as_deref(), Some("8d4ca123"));
        // One for each 100,000 items, at the first item of a call.
        let between = pair[1].sample_start - pair[0].sample_start;
        assert!(between.is_multiple_of(4) && (50_000..150_000).contains(&between), "{annotations:?}");
    }
    let last = annotations.last().unwrap();
    assert!(last.sample_start < recorded.samples() && last.sample_count == Some(120), "{last:?}");
}

#[test]
fn a_recording_ends_with_its_graph_and_does_not_keep_it() {
    let folder = Folder::new("end");
    let mut scene = Scene::with(anywhere().record_into(&folder.0));
    assert_eq!(recording(&scene, "tone").0, 200);
    assert_eq!(scene.http("POST", "/api/graphs/1/stop", "").0, 200);
    let mut running = scene.running.take().unwrap();
    running.wait_for(crate::common::PATIENCE).expect("it ends").unwrap();
    let recorded = superhet_io::sigmf::Recording::open(folder.0.join("tone")).unwrap();
    assert!(recorded.verify_sha512().unwrap());
}

#[test]
fn without_a_folder_nothing_is_recorded() {
    let scene = Scene::with(Options::default().at("127.0.0.1:0".parse().unwrap()));
    let (status, answer) = recording(&scene, "x");
    assert_eq!(status, 409);
    assert!(answer["error"].as_str().unwrap().contains("--record-dir"), "{answer}");
}
