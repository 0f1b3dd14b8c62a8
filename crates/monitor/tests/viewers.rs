//! Many viewers, and those that do not read.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::common::{PATIENCE, Scene, Viewer, wait_until};

const STREAMS: [&str; 3] = ["tone.out>amp.in", "amp.out>power.in", "power.out>sink.in"];

#[test]
fn eight_viewers_see_the_same_graph() {
    let scene = Scene::new();
    let mut viewers: Vec<Viewer> = (0..8).map(|_| scene.viewer()).collect();
    let mut taps = Vec::new();
    for (place, viewer) in viewers.iter_mut().enumerate() {
        viewer.say(json!({ "op": "watch", "graph": 1 }));
        taps.push(
            viewer.tap(json!({ "graph": 1, "view": "waterfall", "stream": STREAMS[place % 2], "rate": 25 })),
        );
    }
    for (viewer, tap) in viewers.iter_mut().zip(&taps) {
        let mut last = None;
        for _ in 0..5 {
            let frame = viewer.frame(*tap);
            assert!(last.is_none_or(|last| frame.sequence == last + 1), "{frame:?}");
            last = Some(frame.sequence);
        }
        viewer.text(|json| json["op"] == "metrics");
    }
    assert_eq!(scene.taps(), 2);
}

#[test]
fn nothing_is_lost_with_viewers_that_never_read() {
    const ITEMS: u64 = 30_000_000;
    let (mut scene, items) = Scene::of_items(ITEMS);
    let mut viewers: Vec<Viewer> = (0..4).map(|_| scene.viewer()).collect();
    for viewer in &mut viewers {
        viewer.say(json!({ "op": "watch", "graph": 1 }));
        for (reference, stream) in STREAMS.iter().enumerate() {
            let tap = json!({ "graph": 1, "view": "time", "stream": stream, "samples": 65536, "rate": 60 });
            viewer.say(json!({ "op": "tap", "tap": tap, "ref": reference }));
        }
    }
    let mut running = scene.running.take().unwrap();
    running.wait_for(PATIENCE).expect("nobody keeps the graph").unwrap();
    assert_eq!(items.take().len() as u64, ITEMS);
}

#[test]
fn a_viewer_that_falls_behind_gets_newer_frames_and_hears_how_many_are_missing() {
    let scene = Scene::new();
    let mut viewer = scene.viewer();
    // A few of these fill the system's buffers.
    let tap = json!({ "graph": 1, "view": "time", "stream": STREAMS[0], "samples": 16384, "points": 16384, "rate": 60 });
    let id = viewer.tap(tap);
    let first = viewer.frame(id);
    std::thread::sleep(Duration::from_secs(3));
    let start = Instant::now();
    let mut before = first;
    loop {
        let frame = viewer.frame(id);
        assert!(frame.first > before.first && frame.sequence == before.sequence + 1);
        if frame.lost > 0 {
            break;
        }
        assert!(start.elapsed() < PATIENCE, "no frame was dropped");
        before = frame;
    }
}

#[test]
fn a_viewer_who_pauses_gets_nothing_until_it_goes_on() {
    let scene = Scene::new();
    let mut viewer = scene.viewer();
    let id = viewer.tap(json!({ "graph": 1, "view": "bits", "stream": STREAMS[2], "rate": 60 }));
    viewer.frame(id);
    viewer.say(json!({ "op": "pause" }));
    // This is answered when the pause was heard.
    let refused = viewer.ask(json!({ "graph": 99, "view": "bits", "stream": "x" }));
    assert!(refused["error"].is_string());
    // One frame may have waited to be sent, and one may have been about to be drawn.
    let mut late = 0;
    while viewer.frame_within(id, Duration::from_secs(1)).is_some() {
        late += 1;
        assert!(late <= 2, "it goes on");
    }
    viewer.say(json!({ "op": "resume" }));
    viewer.frame(id);
}

#[test]
fn the_graph_goes_on_when_the_dashboard_ends() {
    let mut scene = Scene::new();
    let mut viewer = scene.viewer();
    viewer.tap(json!({ "graph": 1, "view": "bits", "stream": STREAMS[2] }));
    let control = scene.running().control();
    let running = scene.running.take().unwrap();
    drop(scene);
    assert!(viewer.is_closed());
    let taps =
        || control.layout().blocks.iter().filter(|b| !b.removed && b.name.starts_with("dashboard: ")).count();
    assert_eq!(taps(), 0);
    let items = || control.metrics().block("sink").unwrap().inputs[0].items;
    let before = items();
    wait_until("it goes on", || items() > before);
    running.stop_within(PATIENCE).unwrap();
}
