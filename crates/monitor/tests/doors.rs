//! Who is let in: hosts, origins, tokens, roles, and limits.

use std::io::Write;
use std::net::TcpStream;

use crate::common::{Scene, Viewer, anywhere, request};
use superhet_monitor::Options;

fn status(scene: &Scene, method: &str, path: &str, headers: &[(&str, &str)]) -> u16 {
    request(scene.monitor.address(), method, path, headers, "").status
}

#[test]
fn foreign_hosts_and_origins_are_refused() {
    let scene = Scene::with(anywhere().host("radio.lan"));
    let address = scene.monitor.address().to_string();
    let port = scene.monitor.address().port();
    for path in ["/", "/api/graphs", "/metrics"] {
        assert_eq!(status(&scene, "GET", path, &[("Host", "evil.example")]), 421, "{path}");
        assert_eq!(status(&scene, "GET", path, &[("Host", &format!("radio.lan:{port}"))]), 200, "{path}");
        let origin = |origin: &str| status(&scene, "GET", path, &[("Host", &address), ("Origin", origin)]);
        assert_eq!(origin("http://evil.example"), 403, "{path}");
        assert_eq!(origin("null"), 403, "{path}");
        assert_eq!(origin(&format!("http://{address}")), 200, "{path}");
    }
    assert_eq!(status(&scene, "POST", "/api/graphs/1/stop", &[("Origin", "http://evil.example")]), 403);
    assert!(scene.http("GET", "/api/graphs", "").1[0]["state"] == "running");
    let origin = |origin: &str| Viewer::open(scene.monitor.address(), &[("origin", origin.to_owned())]).err();
    assert_eq!(origin("http://evil.example"), Some(403));
    assert_eq!(origin(&format!("http://{address}")), None);
    assert_eq!(
        Viewer::open(scene.monitor.address(), &[("host", "evil.example".to_owned())]).err(),
        Some(421)
    );
}

#[test]
fn every_answer_says_what_the_page_may_do() {
    let scene = Scene::new();
    for (path, host) in [("/", None), ("/api/graphs", None), ("/nowhere", None), ("/", Some("evil.example"))]
    {
        let headers: Vec<(&str, &str)> = host.map(|host| ("Host", host)).into_iter().collect();
        let head = request(scene.monitor.address(), "GET", path, &headers, "").head;
        for line in [
            "content-security-policy: default-src 'self'; frame-ancestors 'none'",
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
        ] {
            assert!(head.contains(line), "{path}: {line} is not in {head}");
        }
        assert!(!head.contains("access-control"), "{head}");
    }
}

/// One that other machines could reach, if this machine had others.
fn open_scene() -> Scene {
    Scene::with(Options::default().at("0.0.0.0:0".parse().unwrap()))
}

#[test]
fn off_loopback_a_token_is_asked_for_and_says_the_role() {
    let scene = open_scene();
    let [control, view] = scene.monitor.urls() else { panic!("two addresses") };
    let token = |url: &str| url.split_once("#token=").unwrap().1.to_owned();
    let (control, view) = (token(control), token(view));
    let port = scene.monitor.address().port();
    let address = format!("127.0.0.1:{port}").parse().unwrap();
    let ask = |method: &str, path: &str, token: Option<&str>, body: &str| {
        let bearer = token.map(|token| format!("Bearer {token}"));
        let headers: Vec<(&str, &str)> =
            bearer.iter().map(|bearer| ("Authorization", bearer.as_str())).collect();
        request(address, method, path, &headers, body)
    };
    assert_eq!(ask("GET", "/", None, "").status, 200, "the page itself has no secrets");
    for path in ["/api/graphs", "/api/session", "/metrics", "/api/nowhere", "/api/openapi.json"] {
        assert_eq!(ask("GET", path, None, "").status, 401, "{path}");
        assert_eq!(ask("GET", path, Some("00"), "").status, 401, "{path}");
    }
    let role = |token: &str| String::from_utf8(ask("GET", "/api/session", Some(token), "").body).unwrap();
    assert!(role(&view).contains("\"view\"") && role(&control).contains("\"control\""));
    let gain = r#"{"block": "amp", "parameter": "gain", "value": 2}"#;
    for (path, body) in [
        ("/api/graphs/1/set", gain),
        ("/api/graphs/1/stop", ""),
        ("/api/graphs/1/start", ""),
        ("/api/graphs/1/replace", r#"{"block": "amp", "kind": "x"}"#),
        ("/api/graphs/1/record", r#"{"stream": "x", "file": "x"}"#),
    ] {
        assert_eq!(ask("POST", path, Some(&view), body).status, 403, "{path}");
    }
    assert_eq!(ask("DELETE", "/api/records/1", Some(&view), "").status, 403);
    assert_eq!(ask("POST", "/api/graphs/1/set", Some(&control), gain).status, 200);
    let tap = r#"{"graph": 1, "view": "spectrum", "stream": "tone.out>amp.in"}"#;
    assert_eq!(ask("POST", "/api/taps", Some(&view), tap).status, 200, "looking is allowed");
    assert_eq!(Viewer::open(address, &[]).err(), Some(401));
    let protocol = |token: &str| vec![("sec-websocket-protocol", format!("superhet.token.{token}"))];
    assert_eq!(Viewer::open(address, &protocol("00")).err(), Some(401));
    assert!(Viewer::open(address, &protocol(&view)).is_ok());
}

#[test]
fn bodies_and_messages_have_limits() {
    let scene = Scene::new();
    let large = format!(r#"{{"block": "{}"}}"#, "x".repeat(65 << 10));
    let (status, json) = scene.http("POST", "/api/graphs/1/set", &large);
    assert_eq!(status, 413, "{json}");
    let mut viewer = scene.viewer();
    viewer.say_bytes(65 << 10);
    assert!(viewer.is_closed());
    // Others are not disturbed.
    scene.viewer().tap(serde_json::json!({ "graph": 1, "view": "time", "stream": "tone.out>amp.in" }));
}

#[test]
fn a_viewer_too_many_is_refused_until_one_goes() {
    let scene = Scene::new();
    let mut viewers: Vec<Viewer> = (0..32).map(|_| scene.viewer()).collect();
    assert_eq!(Viewer::open(scene.monitor.address(), &[]).err(), Some(429));
    viewers.pop();
    crate::common::wait_until("a seat is free", || Viewer::open(scene.monitor.address(), &[]).is_ok());
}

#[test]
fn a_tap_too_many_is_refused() {
    let scene = Scene::new();
    let mut viewer = scene.viewer();
    let tap = serde_json::json!({ "graph": 1, "view": "bits", "stream": "power.out>sink.in", "rate": 0.1 });
    for _ in 0..64 {
        viewer.tap(tap.clone());
    }
    let refused = viewer.ask(tap);
    assert!(refused["error"].as_str().unwrap().contains("64"), "{refused}");
    assert_eq!(scene.taps(), 1, "all share one block");
}

#[test]
fn garbage_is_refused_with_a_sentence_and_nothing_else_happens() {
    let scene = Scene::new();
    for (body, path) in [
        ("{", "/api/graphs/1/set"),
        ("[]", "/api/graphs/1/set"),
        (r#"{"block": "amp", "parameter": "gain", "value": 1, "more": 1}"#, "/api/graphs/1/set"),
        (r#"{"block": "amp", "parameter": "gain", "value": -1}"#, "/api/graphs/1/set"),
        (r#"{"graph": 1, "view": "smell"}"#, "/api/taps"),
    ] {
        let (status, json) = scene.http("POST", path, body);
        assert_eq!(status, 400, "{body}: {json}");
        assert!(json["error"].as_str().is_some_and(|error| error.len() > 10), "{json}");
    }
    for path in [
        "/api/graphs/7",
        "/api/graphs/x",
        "/api/nowhere",
        "/nowhere",
        "/../Cargo.toml",
        "/api/taps/1/spectrum",
    ] {
        let status = scene.http("GET", path, "").0;
        assert!(status == 404 || status == 400, "{path}: {status}");
    }
    let mut stream = TcpStream::connect(scene.monitor.address()).unwrap();
    stream.write_all(b"\x16\x03\x01 garbage\r\n\r\n").unwrap();
    let mut viewer = scene.viewer();
    for said in [serde_json::json!({}), serde_json::json!({ "op": "dance" }), serde_json::json!([1])] {
        viewer.say(said);
        viewer.text(|json| json["op"] == "error");
    }
    assert_eq!(scene.http("GET", "/api/graphs", "").0, 200);
}
