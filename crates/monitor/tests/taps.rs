//! Taps on a running graph: what they show, and that the graph does not feel them.

use serde_json::json;

use crate::common::{CENTER_HZ, PATIENCE, RATE_HZ, Scene, TONE_HZ, request, wait_until};

fn peak(row: &[f32]) -> usize {
    row.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).unwrap().0
}

#[test]
fn the_spectrum_of_a_tone_has_its_peak_in_the_right_bin() {
    let scene = Scene::new();
    let mut viewer = scene.viewer();
    for stream in ["tone.out>amp.in", "amp.out>power.in"] {
        let id = viewer
            .tap(json!({ "graph": 1, "view": "spectrum", "stream": stream, "bins": 256, "window": "hann" }));
        let frame = viewer.frame(id);
        assert_eq!((frame.kind, frame.flags, frame.payload.len()), (1, 2, 1024));
        let row = frame.floats();
        assert_eq!(peak(&row), 128 + 64);
        assert!(row[192].abs() < 0.1 && row[0] < -80.0, "{row:?}");
        viewer.say(json!({ "op": "untap", "id": id }));
    }
    let id = viewer.tap(json!({ "graph": 1, "view": "waterfall", "stream": "tone.out>amp.in", "bins": 128 }));
    let frame = viewer.frame(id);
    assert_eq!((frame.kind, frame.flags, frame.payload.len()), (2, 0, 128));
    assert_eq!(frame.payload[96], 240, "0 dB");
}

#[test]
fn a_zoom_shows_frequencies_where_the_rate_is_known() {
    let monitor = superhet_monitor::Monitor::serve(crate::common::anywhere()).unwrap();
    let scene = Scene::new();
    let watch = superhet_monitor::Watch::new("known", scene.running().control());
    monitor.watch(watch.output("tone", "out", Some(RATE_HZ), Some(CENTER_HZ)));
    let mut viewer = crate::common::Viewer::open(monitor.address(), &[]).unwrap();
    let zoom = json!({ "center_hz": CENTER_HZ + TONE_HZ, "span_hz": 1000.0 });
    let tap =
        json!({ "graph": 1, "view": "spectrum", "stream": "tone.out>amp.in", "bins": 100, "zoom": zoom });
    let tapped = viewer.ask(tap);
    let (first, last) = (tapped["first_hz"].as_f64().unwrap(), tapped["last_hz"].as_f64().unwrap());
    assert!(
        (first - CENTER_HZ - TONE_HZ + 500.0).abs() < 20.0 && (last - first - 990.0).abs() < 20.0,
        "{tapped}"
    );
    let row = viewer.frame(tapped["id"].as_u64().unwrap() as u16).floats();
    let at = first + peak(&row) as f64 * (last - first) / 99.0;
    assert!((at - CENTER_HZ - TONE_HZ).abs() < 10.0, "{at}");
    // Another view of the same tap.
    let id = tapped["id"].as_u64().unwrap();
    viewer.say(json!({ "op": "change", "id": id, "zoom": null, "bins": 64 }));
    let tapped = viewer.text(|json| json["op"] == "tapped" && json["ref"].is_null());
    assert_eq!(tapped["first_hz"].as_f64(), Some(CENTER_HZ - RATE_HZ / 2.0));
    wait_until("a row of the new width", || viewer.frame(id as u16).payload.len() == 256);
    viewer.say(json!({ "op": "change", "id": id, "bins": 1 }));
    viewer.text(|json| json["op"] == "error" && json["error"].as_str().unwrap().contains("bins"));
}

#[test]
fn every_view_draws() {
    let scene = Scene::new();
    let mut viewer = scene.viewer();
    let mut draw = |tap: serde_json::Value| {
        let id = viewer.tap(tap);
        let frame = viewer.frame(id);
        viewer.say(json!({ "op": "untap", "id": id }));
        frame
    };
    let tone = |view: &str| json!({ "graph": 1, "view": view, "stream": "tone.out>amp.in" });
    let time = draw(json!({ "graph": 1, "view": "time", "stream": "tone.out>amp.in", "samples": 16,
        "trigger": { "level": 0.5, "edge": "rising" } }));
    assert_eq!((time.kind, time.flags, time.first % 4), (3, 1 | 2 | 4, 0));
    assert_eq!(time.floats()[..4], [1.0, 0.0, -1.0, 0.0]);
    let constellation = draw(tone("constellation"));
    assert_eq!((constellation.kind, constellation.payload.len()), (4, 8192));
    let eye = draw(
        json!({ "graph": 1, "view": "eye", "stream": "tone.out>amp.in", "symbol_samples": 4, "points": 8 }),
    );
    assert_eq!((eye.kind, eye.payload.len()), (5, 4 + 4 * 9 * 8));
    let histogram =
        draw(json!({ "graph": 1, "view": "histogram", "stream": "power.out>sink.in", "bins": 8 }));
    assert_eq!((histogram.kind, histogram.floats()[..2].to_vec()), (6, vec![0.5, 1.5]));
    let bits = draw(json!({ "graph": 1, "view": "bits", "stream": "power.out>sink.in", "samples": 16 }));
    assert_eq!((bits.kind, bits.payload), (7, vec![1; 16]));
    let refused = viewer.ask(tone("audio"));
    assert!(refused["error"].as_str().unwrap().contains("real"), "{refused}");
    let refused = viewer.ask(json!({ "graph": 1, "view": "time", "stream": "nowhere" }));
    assert!(refused["error"].as_str().unwrap().contains("nowhere"), "{refused}");
}

#[test]
fn tags_messages_packets_and_places_come_as_rows() {
    let scene = Scene::new();
    let mut viewer = scene.viewer();
    let id = viewer.tap(json!({ "graph": 1, "view": "tags", "stream": "tone.out>amp.in" }));
    // What the stream begins with has another tag, which may be seen or not.
    let mark =
        |log: &serde_json::Value| log["rows"].as_array()?.iter().find(|row| row["key"] == "mark").cloned();
    let log = viewer.text(|json| json["op"] == "log" && json["id"] == id && mark(json).is_some());
    let row = mark(&log).unwrap();
    assert_eq!(row["index"], row["value"]);
    let port = json!({ "block": "amp", "port": "news" });
    for (view, key, value) in
        [("messages", "/value/icao", "4ca123"), ("packets", "/hex", "8d4ca123"), ("map", "/kind", "aircraft")]
    {
        let id = viewer.tap(json!({ "graph": 1, "view": view, "port": port }));
        let log = viewer.text(|json| json["op"] == "log" && json["id"] == id);
        assert_eq!(log["rows"][0].pointer(key), Some(&json!(value)), "{view}: {log}");
    }
    let nowhere = json!({ "block": "tone", "port": "news" });
    let refused = viewer.ask(json!({ "graph": 1, "view": "messages", "port": nowhere }));
    assert!(refused["error"].as_str().unwrap().contains("tone.news"), "{refused}");
}

#[test]
fn a_tap_leaves_with_its_last_viewer() {
    let scene = Scene::new();
    let tap = json!({ "graph": 1, "view": "time", "stream": "tone.out>amp.in" });
    let (mut one, mut two) = (scene.viewer(), scene.viewer());
    let id = one.tap(tap.clone());
    two.tap(tap);
    assert_eq!(scene.taps(), 1);
    one.say(json!({ "op": "untap", "id": id }));
    // Whoever is left still sees.
    let other = one.tap(json!({ "graph": 1, "view": "spectrum", "stream": "amp.out>power.in" }));
    one.frame(other);
    assert_eq!(scene.taps(), 2);
    drop((one, two));
    wait_until("the taps are gone", || scene.taps() == 0);
}

#[test]
fn the_output_is_the_same_with_taps_that_come_and_go() {
    const ITEMS: u64 = 20_000_000;
    let (mut scene, items) = Scene::of_items(ITEMS);
    let mut viewer = scene.viewer();
    let mut seen = 0;
    for round in 0..20 {
        let stream = ["tone.out>amp.in", "amp.out>power.in", "power.out>sink.in"][round % 3];
        let answer = viewer.ask(json!({ "graph": 1, "view": "time", "stream": stream }));
        // The graph may have come to its end.
        let Some(id) = answer["id"].as_u64().filter(|_| answer["op"] == "tapped") else { break };
        seen += 1;
        if round % 2 == 0 {
            viewer.say(json!({ "op": "untap", "id": id }));
        }
    }
    assert!(seen > 0);
    let mut running = scene.running.take().unwrap();
    running.wait_for(PATIENCE).expect("taps keep no graph from its end").unwrap();
    let items = items.take();
    assert_eq!(items.len() as u64, ITEMS);
    assert!(items.iter().all(|x| *x == 1.0));
}

#[test]
fn a_source_that_only_the_dashboard_reads_comes_to_its_end() {
    let mut scene = Scene::taking(crate::common::anywhere(), 1_000_000);
    let mut viewer = scene.viewer();
    let tap = json!({ "graph": 1, "view": "time", "stream": "tone.out>amp.in", "rate": 60 });
    let id = viewer.tap(tap);
    viewer.frame(id);
    let mut running = scene.running.take().unwrap();
    running.wait_for(PATIENCE).expect("the tap keeps nobody at work").unwrap();
    viewer.text(|json| json["op"] == "ended");
}

#[test]
fn a_spectrum_is_given_to_programs_as_json_and_as_an_array() {
    let scene = Scene::new();
    let (status, made) = scene.http(
        "POST",
        "/api/taps",
        r#"{"graph": 1, "view": "spectrum", "stream": "tone.out>amp.in", "bins": 64}"#,
    );
    assert_eq!(status, 200, "{made}");
    let path = format!("/api/taps/{}/spectrum", made["id"]);
    let (status, spectrum) = scene.http("GET", &path, "");
    assert_eq!(status, 200, "{spectrum}");
    let db: Vec<f32> =
        spectrum["db"].as_array().unwrap().iter().map(|db| db.as_f64().unwrap() as f32).collect();
    assert_eq!((db.len(), peak(&db)), (64, 48));
    for (path, headers) in
        [(format!("{path}?format=npy"), vec![]), (path.clone(), vec![("Accept", "application/octet-stream")])]
    {
        let body = request(scene.monitor.address(), "GET", &path, &headers, "").body;
        let length = u16::from_le_bytes([body[8], body[9]]) as usize;
        assert_eq!(&body[..8], b"\x93NUMPY\x01\x00");
        assert!((10 + length).is_multiple_of(64) && body.len() == 10 + length + 256);
        assert!(String::from_utf8_lossy(&body[10..10 + length]).contains("'shape': (64,)"));
    }
    assert_eq!(scene.taps(), 1);
    assert_eq!(scene.http("DELETE", &format!("/api/taps/{}", made["id"]), "").0, 200);
    wait_until("the tap is gone", || scene.taps() == 0);
    assert_eq!(scene.http("GET", &path, "").0, 404);
}
