//! Sinks of MQTT and NATS: against stand-ins that lose connections, and against `mosquitto` and `nats-server` where they are installed.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use superhet_io::blocks::{MqttSettings, MqttSink, NatsSettings, NatsSink};
use superhet_io::tls::Authority;
use superhet_runtime::prelude::*;
use superhet_runtime::{Report, RunError, RunningGraph};

const HANG: Duration = Duration::from_secs(60);

/// Says numbers as messages, so many every so often.
#[derive(Block)]
struct Speak {
    #[port("out")]
    output: MsgOut,
    next: u64,
    count: u64,
    pause: Duration,
}

fn message(number: u64) -> Value {
    let fields = Value::map([("id", Value::from(number % 3)), ("temperature_C", 21.5.into())]);
    Value::map([("protocol", Value::from("Nexus-TH")), ("number", number.into()), ("fields", fields)])
}

impl Work for Speak {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        if self.next == self.count {
            return Ok(Step::Done);
        }
        self.output.send(message(self.next))?;
        self.next += 1;
        context.sleep_until(Instant::now() + self.pause);
        Ok(Step::Ran)
    }

    fn blocking(&self) -> bool {
        true
    }
}

fn start<B: Block + Work + 'static>(sink: B, count: u64, pause: Duration) -> RunningGraph {
    let mut graph = Graph::new();
    graph.add("speak", Speak { output: MsgOut::new(), next: 0, count, pause });
    graph.add("sink", sink);
    graph.connect_names("speak", "sink");
    graph.check().unwrap().start(&Threads, &Options::default()).unwrap()
}

fn end(mut graph: RunningGraph) -> Result<Report, RunError> {
    graph.wait_for(HANG).expect("it ends")
}

fn dropped(report: &Report) -> u64 {
    report.block("sink").unwrap().dropped_packets
}

/// A message that a broker has got: its topic, its text, and whether it is kept.
type Got = (String, String, bool);

/// The number in a message.
fn number(text: &str) -> Option<u64> {
    let json: serde_json::Value = serde_json::from_str(text).ok()?;
    json["number"].as_u64()
}

fn numbers(got: &[Got]) -> Vec<u64> {
    got.iter().filter_map(|(_, text, _)| number(text)).collect()
}

/// What a broker that stands in does.
#[derive(Default)]
struct Stand {
    got: Mutex<Vec<Got>>,
    /// After so many messages without an answer it breaks the connection; 0: never.
    breaks_after: usize,
    /// As long as it holds, nobody is let in.
    is_away: AtomicBool,
    connections: Mutex<usize>,
    stop: AtomicBool,
}

/// Listens, and has each connection served.
fn stand(stand: Stand, serve: fn(&Stand, TcpStream) -> Option<()>) -> (Arc<Stand>, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let stand = Arc::new(stand);
    let theirs = stand.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            if theirs.stop.load(Ordering::Relaxed) {
                break;
            }
            if theirs.is_away.load(Ordering::Relaxed) {
                continue;
            }
            *theirs.connections.lock().unwrap() += 1;
            stream.set_read_timeout(Some(HANG)).unwrap();
            serve(&theirs, stream);
        }
    });
    (stand, address)
}

/// A packet of MQTT: its first byte, and what lies behind its length.
fn packet(stream: &mut impl Read) -> Option<(u8, Vec<u8>)> {
    let mut byte = [0];
    stream.read_exact(&mut byte).ok()?;
    let (kind, mut length, mut shift) = (byte[0], 0usize, 0);
    loop {
        stream.read_exact(&mut byte).ok()?;
        length |= usize::from(byte[0] & 0x7f) << shift;
        shift += 7;
        if byte[0] < 0x80 {
            break;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    Some((kind, body))
}

fn text(bytes: &mut &[u8]) -> String {
    let length = usize::from(u16::from_be_bytes([bytes[0], bytes[1]]));
    let text = String::from_utf8(bytes[2..2 + length].to_vec()).unwrap();
    *bytes = &bytes[2 + length..];
    text
}

fn mqtt(stand: &Stand, mut stream: TcpStream) -> Option<()> {
    let (kind, body) = packet(&mut stream)?;
    assert_eq!((kind, &body[..7]), (0x10, &b"\0\x04MQTT\x04"[..]));
    stream.write_all(&[0x20, 2, 0, 0]).ok()?;
    let mut heard = 0;
    loop {
        let (kind, body) = packet(&mut stream)?;
        match kind & 0xf0 {
            0x30 => {
                let mut rest = &body[..];
                let topic = text(&mut rest);
                let is_answered = kind & 0x06 == 0x02;
                let id = if is_answered { rest.split_off(..2) } else { None };
                let said = String::from_utf8(rest.to_vec()).unwrap();
                heard += 1;
                if stand.breaks_after > 0 && heard > stand.breaks_after {
                    return None;
                }
                stand.got.lock().unwrap().push((topic, said, kind & 1 > 0));
                if let Some(id) = id {
                    stream.write_all(&[0x40, 2, id[0], id[1]]).ok()?;
                }
            }
            0xc0 => stream.write_all(&[0xd0, 0]).ok()?,
            0xe0 => return None,
            _ => panic!("a packet of type {kind:#04x}"),
        }
    }
}

fn nats(stand: &Stand, mut stream: TcpStream) -> Option<()> {
    stream.write_all(b"INFO {\"max_payload\":1048576}\r\n").ok()?;
    let mut lines = BufReader::new(stream.try_clone().ok()?);
    let mut heard = 0;
    loop {
        let mut line = String::new();
        if lines.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["CONNECT", ..] => {}
            ["PING"] => stream.write_all(b"PONG\r\n").ok()?,
            ["PUB", subject, length] => {
                let mut body = vec![0; length.parse::<usize>().unwrap() + 2];
                lines.read_exact(&mut body).ok()?;
                heard += 1;
                if stand.breaks_after > 0 && heard > stand.breaks_after {
                    return None;
                }
                let said = String::from_utf8(body).unwrap().trim_end().to_owned();
                stand.got.lock().unwrap().push((subject.to_owned(), said, false));
            }
            _ => panic!("{line:?}"),
        }
    }
}

fn mqtt_sink(address: SocketAddr, settings: MqttSettings) -> MqttSink {
    MqttSink::new(&format!("mqtt://{address}"), settings).unwrap()
}

fn nats_sink(address: SocketAddr, settings: NatsSettings) -> NatsSink {
    NatsSink::new(&format!("nats://{address}"), settings).unwrap()
}

fn unanswered() -> MqttSettings {
    MqttSettings { is_answered: false, ..MqttSettings::default() }
}

/// What a broker has got, once the last word is among it.
fn whole(broker: &Stand) -> Vec<Got> {
    let start = Instant::now();
    while broker.got.lock().unwrap().last().is_none_or(|(_, text, _)| text != "offline") {
        assert!(start.elapsed() < HANG, "the last word does not come");
        std::thread::sleep(Duration::from_millis(1));
    }
    broker.got.lock().unwrap().split_off(0)
}

/// All came, in order.
fn expect_all(got: &[Got], count: u64) {
    assert_eq!(numbers(got), (0..count).collect::<Vec<u64>>());
}

#[test]
fn every_message_comes_in_order() {
    let (broker, address) = stand(Stand::default(), mqtt);
    let report = end(start(mqtt_sink(address, MqttSettings::default()), 3000, Duration::ZERO)).unwrap();
    let got = whole(&broker);
    expect_all(&got, 3000);
    assert_eq!(got[0], ("superhet/status".to_owned(), "online".to_owned(), true));
    assert_eq!(got[1].0, "superhet/Nexus-TH/0");
    assert_eq!(got[2].0, "superhet/Nexus-TH/1");
    assert_eq!(got.last().unwrap(), &("superhet/status".to_owned(), "offline".to_owned(), true));
    assert_eq!(dropped(&report), 0);
    let (broker, address) = stand(Stand::default(), mqtt);
    end(start(mqtt_sink(address, unanswered()), 3000, Duration::ZERO)).unwrap();
    expect_all(&whole(&broker), 3000);
    let (broker, address) = stand(Stand::default(), nats);
    end(start(nats_sink(address, NatsSettings::default()), 3000, Duration::ZERO)).unwrap();
    let got = broker.got.lock().unwrap().split_off(0);
    expect_all(&got, 3000);
    assert_eq!(got[1].0, "superhet.Nexus-TH.1");
}

#[test]
fn what_a_broken_connection_has_not_brought_is_said_again() {
    let breaks = || Stand { breaks_after: 40, ..Stand::default() };
    let check = |broker: &Stand, report: &Report| {
        let got = numbers(&broker.got.lock().unwrap());
        let all: BTreeSet<u64> = got.iter().copied().collect();
        assert_eq!(all, (0..150).collect(), "nothing is lost");
        assert!(*broker.connections.lock().unwrap() > 2);
        assert_eq!(dropped(report), 0);
    };
    let (broker, address) = stand(breaks(), mqtt);
    let report =
        end(start(mqtt_sink(address, MqttSettings::default()), 150, Duration::from_millis(1))).unwrap();
    check(&broker, &report);
    let (broker, address) = stand(breaks(), mqtt);
    let report = end(start(mqtt_sink(address, unanswered()), 150, Duration::from_millis(1))).unwrap();
    check(&broker, &report);
    let (broker, address) = stand(breaks(), nats);
    let report =
        end(start(nats_sink(address, NatsSettings::default()), 150, Duration::from_millis(1))).unwrap();
    check(&broker, &report);
}

#[test]
fn a_broker_that_is_away_for_long_costs_the_oldest_messages_and_they_are_counted() {
    let (broker, address) = stand(Stand { is_away: true.into(), ..Stand::default() }, mqtt);
    let settings = MqttSettings { queue: 20, ..MqttSettings::default() };
    let running = start(mqtt_sink(address, settings), 300, Duration::from_millis(20));
    std::thread::sleep(Duration::from_secs(4));
    broker.is_away.store(false, Ordering::Relaxed);
    let report = end(running).unwrap();
    let got = numbers(&broker.got.lock().unwrap());
    let lost = dropped(&report);
    assert!(lost > 50, "{lost}");
    assert_eq!(got.len() as u64 + lost, 300, "each has come or is counted");
    assert_eq!(got, (lost..300).collect::<Vec<u64>>(), "the oldest were dropped");
}

#[test]
fn without_reconnect_a_broker_that_is_not_there_is_an_error() {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let settings = MqttSettings { reconnect: false, ..MqttSettings::default() };
    let error = end(start(mqtt_sink(address, settings), 3, Duration::ZERO)).unwrap_err().to_string();
    assert!(error.contains("cannot send to 127.0.0.1:") && error.contains("cannot connect"), "{error}");
}

#[test]
fn something_else_than_a_broker_is_not_believed() {
    let http = |_: &Stand, mut stream: TcpStream| {
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").ok()?;
        stream.read_to_end(&mut Vec::new()).ok().map(|_| ())
    };
    let (_, address) = stand(Stand::default(), http);
    let settings = MqttSettings { reconnect: false, ..MqttSettings::default() };
    let error = end(start(mqtt_sink(address, settings), 3, Duration::ZERO)).unwrap_err().to_string();
    assert!(error.contains("the broker says what it should not"), "{error}");
    let settings = NatsSettings { reconnect: false, ..NatsSettings::default() };
    let error = end(start(nats_sink(address, settings), 3, Duration::ZERO)).unwrap_err().to_string();
    assert!(error.contains("what is no line of NATS") || error.contains("HTTP/1.1"), "{error}");
}

#[test]
fn home_assistant_learns_of_each_device_before_its_first_message() {
    let (broker, address) = stand(Stand::default(), mqtt);
    let settings = MqttSettings { home_assistant: "homeassistant".to_owned(), ..MqttSettings::default() };
    end(start(mqtt_sink(address, settings), 30, Duration::ZERO)).unwrap();
    let got = whole(&broker);
    let place =
        |topic: &str| got.iter().position(|(one, ..)| one == topic).unwrap_or_else(|| panic!("{topic}"));
    for id in 0..3 {
        let config = place(&format!("homeassistant/sensor/superhet_Nexus-TH_{id}/temperature_C/config"));
        assert!(got[config].2, "the broker keeps it");
        assert!(config < place(&format!("superhet/Nexus-TH/{id}")));
    }
    assert_eq!(got.iter().filter(|(topic, ..)| topic.ends_with("/config")).count(), 3);
}

// Real ones.

/// A program of the system, or of a folder of packages of Python.
fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders = std::env::split_paths(&path).chain(["/usr/sbin".into(), "/usr/local/sbin".into()]);
    let found = folders.map(|folder: PathBuf| folder.join(name)).find(|path| path.is_file());
    if found.is_none() {
        println!("skipped: {name} is not installed");
    }
    found
}

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tls").join(name)
}

/// A process that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A program that subscribes, and the lines that it has printed.
struct Listener {
    _running: Running,
    lines: Arc<Mutex<Vec<String>>>,
}

impl Listener {
    /// Starts it; it has subscribed by now.
    fn new(mut command: Command) -> Self {
        let mut running = Running(command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap());
        let (out, lines) = (running.0.stdout.take().unwrap(), Arc::<Mutex<Vec<String>>>::default());
        let kept = lines.clone();
        std::thread::spawn(move || {
            BufReader::new(out)
                .lines()
                .map_while(Result::ok)
                .for_each(|line| kept.lock().unwrap().push(line));
        });
        let listener = Listener { _running: running, lines };
        wait_until("nobody has subscribed", || {
            listener.lines.lock().unwrap().iter().any(|line| line.starts_with("Subscribed"))
        });
        listener
    }

    /// The numbers that have come.
    fn numbers(&self) -> Vec<u64> {
        let lines = self.lines.lock().unwrap();
        let text = |line: &String| number(line.strip_prefix("superhet/Nexus-TH/")?.split_once(' ')?.1);
        lines.iter().filter_map(text).collect()
    }
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < HANG, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn run(program: &Path, arguments: &[&str]) -> Running {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    Running(command.spawn().unwrap())
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn wait_for(port: u16) -> SocketAddr {
    let (address, start) = (SocketAddr::from(([127, 0, 0, 1], port)), Instant::now());
    while TcpStream::connect(address).is_err() {
        assert!(start.elapsed() < HANG, "nobody listens at {address}");
        std::thread::sleep(Duration::from_millis(20));
    }
    address
}

fn scratch(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("superhet-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn mosquitto_passes_on_what_it_gets_also_when_it_is_started_again() {
    let (Some(broker), Some(subscriber)) = (program("mosquitto"), program("mosquitto_sub")) else { return };
    let folder = scratch("mosquitto");
    let (port, secure) = (free_port(), free_port());
    let config = format!(
        "listener {port} 127.0.0.1\nallow_anonymous true\nlistener {secure} 127.0.0.1\nallow_anonymous true\n\
         certfile {}\nkeyfile {}\n",
        data("certificate.pem").display(),
        data("key.pem").display()
    );
    let file = folder.join("mosquitto.conf");
    std::fs::write(&file, config).unwrap();
    let begin = || run(&broker, &["-c", file.to_str().unwrap()]);
    let mut running = begin();
    let address = wait_for(port);
    // One subscriber for each life of the broker: this one ends with the first.
    let listen = || {
        let mut command = Command::new(&subscriber);
        let port = port.to_string();
        command.args(["-h", "127.0.0.1", "-p", &port, "-q", "1", "-t", "#", "-v", "-d"]);
        Listener::new(command)
    };
    let listener = listen();
    let report = if cfg!(feature = "tls") {
        let authority = Authority::from_file(&data("authority.pem")).unwrap();
        let settings = MqttSettings { authority: Some(authority), ..MqttSettings::default() };
        let sink = MqttSink::new(&format!("mqtts://localhost:{secure}"), settings).unwrap();
        end(start(sink, 200, Duration::ZERO)).unwrap()
    } else {
        end(start(mqtt_sink(address, MqttSettings::default()), 200, Duration::ZERO)).unwrap()
    };
    assert_eq!(dropped(&report), 0);
    let sender = start(mqtt_sink(address, MqttSettings::default()), 600, Duration::from_millis(5));
    wait_until("some of the second part comes", || listener.numbers().len() > 220);
    drop(running);
    assert_eq!(listener.numbers()[..200], (0..200).collect::<Vec<u64>>());
    drop(listener);
    running = begin();
    wait_for(port);
    let listener = listen();
    let report = end(sender).unwrap();
    assert_eq!(dropped(&report), 0);
    wait_until("the last comes", || listener.numbers().last() == Some(&599));
    drop(running);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn nats_server_passes_on_what_it_gets() {
    let Some(server) = program("nats-server") else { return };
    let port = free_port();
    let _running =
        run(&server, &["-a", "127.0.0.1", "-p", &port.to_string(), "--user", "me", "--pass", "secret"]);
    let address = wait_for(port);
    let wrong = NatsSink::new(&format!("nats://me:wrong@{address}"), NatsSettings::default()).unwrap();
    let error = end(start(wrong, 3, Duration::ZERO)).unwrap_err().to_string();
    assert!(error.contains("the broker refuses: Authorization Violation"), "{error}");

    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(HANG)).unwrap();
    let options = r#"{"verbose":false,"user":"me","pass":"secret"}"#;
    stream.write_all(format!("CONNECT {options}\r\nSUB superhet.> 1\r\nPING\r\n").as_bytes()).unwrap();
    let mut lines = BufReader::new(stream.try_clone().unwrap());
    let mut line = String::new();
    while !line.starts_with("PONG") {
        line.clear();
        assert!(lines.read_line(&mut line).unwrap() > 0);
    }
    let sink = NatsSink::new(&format!("nats://me:secret@{address}"), NatsSettings::default()).unwrap();
    let report = end(start(sink, 500, Duration::ZERO)).unwrap();
    assert_eq!(dropped(&report), 0);
    let mut got = Vec::new();
    while got.len() < 500 {
        line.clear();
        assert!(lines.read_line(&mut line).unwrap() > 0);
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["PING"] => stream.write_all(b"PONG\r\n").unwrap(),
            ["MSG", subject, _, length] => {
                let mut body = vec![0; length.parse::<usize>().unwrap() + 2];
                lines.read_exact(&mut body).unwrap();
                got.push((subject.to_owned(), String::from_utf8(body).unwrap().trim_end().to_owned(), false));
            }
            _ => panic!("{line:?}"),
        }
    }
    expect_all(&got, 500);
}

#[test]
fn nats_server_goes_on_encrypted() {
    let Some(server) = program("nats-server").filter(|_| cfg!(feature = "tls")) else { return };
    let port = free_port();
    let (certificate, key) = (data("certificate.pem"), data("key.pem"));
    let arguments =
        ["-a", "127.0.0.1", "-p", &port.to_string(), "--tls", "--tlscert", certificate.to_str().unwrap()];
    let _running = run(&server, &[&arguments[..], &["--tlskey", key.to_str().unwrap()]].concat());
    let address = wait_for(port);
    let plain = NatsSettings { reconnect: false, ..NatsSettings::default() };
    let error = end(start(nats_sink(address, plain), 3, Duration::ZERO)).unwrap_err().to_string();
    assert!(error.contains("it wants an encrypted connection"), "{error}");
    let settings = |name: &str| NatsSettings {
        authority: Some(Authority::from_file(&data(name)).unwrap()),
        ..NatsSettings::default()
    };
    let sink = NatsSink::new(&format!("tls://{address}"), settings("stranger.pem")).unwrap();
    let error = end(start(sink, 3, Duration::ZERO)).unwrap_err().to_string();
    assert!(error.contains("certificate"), "{error}");
    let sink = NatsSink::new(&format!("tls://{address}"), settings("authority.pem")).unwrap();
    assert_eq!(dropped(&end(start(sink, 500, Duration::ZERO)).unwrap()), 0);
}
