//! Radios: what is served and received again is what lies in the file, and mistakes are said in words.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use crate::common::*;

/// A server of the recording of aircraft, which ends with the test.
struct Server {
    child: Child,
    uri: String,
}

impl Server {
    fn start(arguments: &[&str]) -> Self {
        let recording = recording();
        let mut all = vec!["serve", recording.to_str().unwrap(), "--rtl-tcp", "127.0.0.1:0"];
        all.extend(arguments);
        let mut child = superhet(&all).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        lines.read_line(&mut line).unwrap();
        let uri = line.split_whitespace().find(|word| word.starts_with("rtl_tcp://"));
        let uri = uri.unwrap_or_else(|| panic!("{line}")).trim_end_matches(',').to_owned();
        // What else it says must not fill the pipe.
        std::thread::spawn(move || std::io::copy(&mut lines, &mut std::io::sink()));
        Server { child, uri }
    }

    fn place(&self) -> &str {
        self.uri.strip_prefix("rtl_tcp://").unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The recording's length: 356 868 samples at 2 MHz.
const SECONDS: &str = "0.178434";

/// The messages that a command prints, without the time of day.
fn messages(arguments: &[&str]) -> Vec<serde_json::Value> {
    let all = stdout(arguments);
    let mut messages: Vec<serde_json::Value> =
        all.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for message in &mut messages {
        let map = message.as_object_mut().unwrap();
        ["time", "rx_time"].into_iter().for_each(|key| drop(map.remove(key)));
    }
    messages
}

#[test]
fn what_comes_through_rtl_tcp_is_decoded_as_from_the_file() {
    let recording = recording();
    let path = recording.to_str().unwrap();
    let wanted = messages(&["decode", "adsb", path, "--json"]);
    assert!(wanted.len() >= 217, "{}", wanted.len());
    let server = Server::start(&[]);
    let through = messages(&["decode", "adsb", "--from", &server.uri, "--seconds", SECONDS, "--json"]);
    assert_eq!(through, wanted);
    let file = format!("file:{path}?throttle");
    assert_eq!(messages(&["decode", "adsb", "--from", &file, "--json"]), wanted);
}

#[test]
#[cfg(target_os = "linux")]
fn what_comes_through_shared_memory_is_decoded_as_from_the_file_also_after_a_sender_that_was_killed() {
    let recording = recording();
    let path = recording.to_str().unwrap();
    let wanted = messages(&["decode", "adsb", path, "--json"]);
    let name = format!("shm://test-radios-{}", std::process::id());
    let sink = format!("link_sink address={name}");
    let socket = {
        let user = rustix::process::geteuid().as_raw();
        std::path::PathBuf::from(format!("/dev/shm/superhet-{user}")).join(&name["shm://".len()..])
    };
    let endless = format!("null_source -> {sink}");
    let mut killed = superhet(&["run", "-e", &endless]).stderr(Stdio::null()).spawn().unwrap();
    let start = std::time::Instant::now();
    while !socket.exists() {
        assert!(start.elapsed().as_secs() < 60, "it does not listen");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let (text, _) = failure(&["run", "-e", &endless]);
    assert!(text.contains(&format!("cannot listen at {name}")), "{text}");
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert!(socket.exists(), "nobody has removed it");

    let sender = format!("file_source path={path} rate_hz=2e6 -> {sink}");
    let mut sender = superhet(&["run", "-e", &sender]).stderr(Stdio::null()).spawn().unwrap();
    assert_eq!(messages(&["decode", "adsb", "--from", &name, "--json"]), wanted);
    assert!(sender.wait().unwrap().success());
    assert!(!socket.exists(), "it goes with its sink");
}

#[test]
fn what_is_recorded_from_a_radio_is_what_was_served() {
    let folder = folder("radio-record");
    let target = folder.join("air.sigmf-meta");
    let server = Server::start(&["--freq", "1090M"]);
    let target = target.to_str().unwrap();
    let rest = ["--rate", "2M", "--freq", "1090M", "--seconds", SECONDS, "--out-format", "cu8", target];
    stdout(&[&["record", "--from", &server.uri][..], &rest].concat());
    let bytes = std::fs::read(folder.join("air.sigmf-data")).unwrap();
    assert!(bytes == std::fs::read(recording()).unwrap(), "{} bytes", bytes.len());
    let meta: serde_json::Value = serde_json::from_slice(&std::fs::read(target).unwrap()).unwrap();
    assert_eq!(meta["global"]["core:sample_rate"], 2e6);
    assert_eq!(meta["captures"][0]["core:frequency"], 1090e6);
    let time = meta["captures"][0]["core:datetime"].as_str().unwrap();
    assert!(time.starts_with("20") && time.ends_with('Z'), "{time}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_server_bears_a_rude_client_and_one_that_asks_for_something_else() {
    let server = Server::start(&["--repeat"]);
    let mut rude = TcpStream::connect(server.place()).unwrap();
    rude.write_all(&[0xff; 9999]).unwrap();
    let mut client = TcpStream::connect(server.place()).unwrap();
    // Half of it in each piece: another rate, and a frequency.
    client.write_all(&[2, 0, 0]).unwrap();
    client.write_all(&[0, 1, 1, 0, 0, 0, 1]).unwrap();
    let mut bytes = vec![0; 12 + 1_000_000];
    client.read_exact(&mut bytes).unwrap();
    assert_eq!(bytes[..12], *b"RTL0\0\0\0\x05\0\0\0\x1d");
    // It came later than the first, and gets the recording from somewhere on, over and over.
    let recording = std::fs::read(recording()).unwrap();
    let twice = [&recording[..], &recording].concat();
    assert!(twice.windows(1 << 16).step_by(2).any(|part| part == &bytes[12..12 + (1 << 16)]));
}

#[test]
fn devices_answer_by_their_names() {
    let server = Server::start(&["--repeat"]);
    let found = stdout(&["devices", "--json", server.place()]);
    let radio = found.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let radio =
        radio.into_iter().find(|radio| radio["uri"] == server.uri).unwrap_or_else(|| panic!("{found}"));
    assert_eq!((radio["tuner"].as_str(), radio["gains"].as_u64()), (Some("R820T"), Some(29)));
    let text = stdout(&["devices"]);
    assert!(text.contains("rtl_tcp://HOST[:PORT]") && text.contains("file:PATH"), "{text}");
}

#[test]
fn what_is_no_radio_is_said_in_words() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let nobody = format!("rtl_tcp://{closed}");
    for (arguments, code, problem) in [
        (
            &["decode", "adsb", "--from", "pigeon:coo"][..],
            2,
            "expected rtl_tcp://HOST[:PORT] or spyserver://HOST[:PORT]",
        ),
        (&["decode", "adsb", "--from", &nobody], 1, "cannot connect"),
        (&["decode", "ism", "--from", &nobody], 2, "ism is on many frequencies"),
        (
            &["decode", "ax25", "--from", &nobody, "--freq", "144.8M"],
            2,
            "ax25 takes audio, whose rate no radio has",
        ),
        (&["record", "--from", "file:/nowhere.cu8?throttle", "/tmp/x.cu8"], 1, "/nowhere.cu8"),
        (&["decode", "adsb", "x.cu8", "--from", &nobody], 2, "cannot be used with"),
        (&["serve", "x.cu8", "--rtl-tcp", "a:b"], 2, "expected HOST:PORT"),
    ] {
        let (text, exit) = failure(arguments);
        assert!(text.contains(problem) && exit == code, "{arguments:?}: {exit} {text}");
    }
    let recording = recording();
    let used = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let place = used.local_addr().unwrap().to_string();
    let (text, exit) = failure(&["serve", recording.to_str().unwrap(), "--rtl-tcp", &place]);
    assert!(text.contains(&format!("cannot listen at {place}")) && exit == 1, "{exit} {text}");
}
