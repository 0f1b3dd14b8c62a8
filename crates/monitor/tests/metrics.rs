//! What graphs are made of, and what they do.

use serde_json::json;

use crate::common::{PATIENCE, Scene, request, wait_until};

#[test]
fn a_graph_is_shown_as_its_author_made_it() {
    let scene = Scene::new();
    let mut viewer = scene.viewer();
    viewer.tap(json!({ "graph": 1, "view": "spectrum", "stream": "tone.out>amp.in" }));
    let graph = scene.http("GET", "/api/graphs/1", "").1;
    let names = |key: &str| -> Vec<String> {
        let list = graph[key].as_array().unwrap().iter();
        list.map(|entry| entry["id"].as_str().unwrap().to_owned()).collect()
    };
    // Without the blocks that the runtime and the dashboard have added.
    assert_eq!(names("blocks"), ["tone", "amp", "power", "sink"], "{graph}");
    assert_eq!(names("streams"), ["tone.out>amp.in", "amp.out>power.in", "power.out>sink.in"]);
    assert_eq!(graph["streams"][0]["item"], "C32");
    let amp = &graph["blocks"][1];
    assert_eq!(amp["parameters"][0]["name"], "gain");
    assert_eq!((&amp["parameters"][0]["live"], &amp["parameters"][0]["value"]), (&json!(true), &json!(1.0)));
    assert_eq!(graph["blocks"][0]["waits_outside"], true);
    let list = scene.http("GET", "/api/graphs", "").1;
    assert_eq!((&list[0]["name"], &list[0]["state"]), (&json!("scene"), &json!("running")));
}

#[test]
fn rates_come_from_counters() {
    let scene = Scene::new();
    wait_until("items flow", || {
        let metrics = scene.http("GET", "/api/graphs/1/metrics", "").1;
        let block = |name: &str| {
            metrics["blocks"].as_array().unwrap().iter().find(|b| b["id"] == name).unwrap().clone()
        };
        let rates: Vec<f64> =
            ["amp", "power", "sink"].map(|name| block(name)["items_per_s"].as_f64().unwrap()).into();
        rates.iter().all(|rate| *rate > 1000.0)
    });
    let mut viewer = scene.viewer();
    viewer.say(json!({ "op": "watch", "graph": 1 }));
    let first = viewer.text(|json| json["op"] == "metrics");
    let second =
        viewer.text(|json| json["op"] == "metrics" && json["seconds"].as_f64() > first["seconds"].as_f64());
    assert_eq!(second["streams"].as_array().unwrap().len(), 3);
    assert!(second["process"]["memory_bytes"].as_u64().unwrap() > 1 << 20, "{second}");
    let items = |json: &serde_json::Value| json["blocks"][2]["items"].as_u64().unwrap();
    assert!(items(&second) >= items(&first));
    // The source waits outside, and says only now and then what it has done: its rate is never 0 for that, and it waits for no more than
    // all of the time.
    for _ in 0..30 {
        let metrics = viewer.text(|json| json["op"] == "metrics");
        let tone = &metrics["blocks"][0];
        let is_new = metrics["seconds"].as_f64() < first["seconds"].as_f64().map(|first| first + 1.0);
        assert!(is_new || tone["items_per_s"].as_f64() > Some(0.0), "{metrics}");
        assert!(tone["busy"].as_f64() <= Some(1.0), "{metrics}");
    }
    viewer.say(json!({ "op": "unwatch", "graph": 1 }));
}

#[test]
fn prometheus_reads_what_was_done() {
    let scene = Scene::new();
    let answer = request(scene.monitor.address(), "GET", "/metrics", &[], "");
    let text = String::from_utf8(answer.body).unwrap();
    assert!(answer.head.contains("content-type: text/plain; version=0.0.4"), "{}", answer.head);
    assert!(text.contains("superhet_graph_running{graph=\"scene\"} 1"), "{text}");
    assert!(text.contains("superhet_block_items_total{graph=\"scene\",block=\"power\"}"), "{text}");
}

#[test]
fn the_description_of_the_interface_is_served() {
    let scene = Scene::new();
    let (status, description) = scene.http("GET", "/api/openapi.json", "");
    assert_eq!((status, &description["openapi"]), (200, &json!("3.1.0")));
}

#[test]
fn viewers_hear_how_a_graph_ends() {
    let mut scene = Scene::new();
    let mut viewer = scene.viewer();
    viewer.tap(json!({ "graph": 1, "view": "time", "stream": "amp.out>power.in" }));
    assert_eq!(scene.http("POST", "/api/graphs/1/stop", "").0, 200);
    let ended = viewer.text(|json| json["op"] == "ended");
    assert_eq!((&ended["graph"], &ended["error"]), (&json!(1), &json!(null)));
    let mut running = scene.running.take().unwrap();
    running.wait_for(PATIENCE).expect("it has ended").unwrap();
    assert_eq!(scene.http("GET", "/api/graphs", "").1[0]["state"], "ended");
    let late = viewer.ask(json!({ "graph": 1, "view": "time", "stream": "amp.out>power.in" }));
    assert!(late["error"].as_str().unwrap().contains("ended"), "{late}");
}
