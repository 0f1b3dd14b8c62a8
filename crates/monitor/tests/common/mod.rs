//! Graphs to look at, and viewers.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use superhet_monitor::{Monitor, Options, View, Watch};
use superhet_runtime::harness::VecSink;
use superhet_runtime::{
    Adaptive, Block, BlockError, C32, Context, Graph, In, Items, MsgOut, Out, RunningGraph, Step, SyncBlock,
    Tunable, Tuned, Value, Work,
};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::{Message, WebSocket};

/// How long anything may take; a machine that is busy is slow.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The rate of the tone.
pub const RATE_HZ: f64 = 1e6;
/// The frequency of the tone, a quarter of the rate.
pub const TONE_HZ: f64 = 250e3;
/// Around which frequency the tone is.
pub const CENTER_HZ: f64 = 100e6;

/// Waits until something is so.
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < PATIENCE, "{what}: not within {PATIENCE:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A tone of a quarter of the rate, about as fast as that, until it is stopped or so many items were given. The first item says rate and
/// frequency; every 1000th has a tag `mark`.
#[derive(Block)]
pub struct Tone {
    #[port("out")]
    output: Out<C32>,
    left: u64,
    pace: bool,
}

impl Work for Tone {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        if self.pace {
            context.sleep_until(Instant::now() + Duration::from_millis(2));
        }
        if self.left == 0 || context.is_stopping() {
            return Ok(Step::Done);
        }
        let index = self.output.index();
        let room = self.output.reserve();
        let n = room.len().min(2000).min(usize::try_from(self.left).unwrap_or(usize::MAX));
        for (place, z) in room[..n].iter_mut().enumerate() {
            *z = [C32::new(1.0, 0.0), C32::new(0.0, 1.0), C32::new(-1.0, 0.0), C32::new(0.0, -1.0)]
                [((index + place as u64) % 4) as usize];
        }
        if index == 0 {
            self.output.tag(0, "rx_rate", RATE_HZ);
            self.output.tag(0, "rx_freq", CENTER_HZ);
        }
        for at in (index..index + n as u64).filter(|at| at % 1000 == 0) {
            self.output.tag((at - index) as usize, "mark", at);
        }
        self.output.produce(n);
        self.left -= n as u64;
        Ok(Step::Ran)
    }

    fn blocking(&self) -> bool {
        self.pace
    }
}

/// Multiplies by a gain that can be set.
#[derive(Block)]
pub struct Amp {
    #[port("in")]
    input: In<C32>,
    #[port("out")]
    output: Out<C32>,
    #[port("news")]
    news: MsgOut,
    gain: f32,
}

impl Tunable for Amp {
    const PARAMETERS: &'static [&'static str] = &["gain"];
    fn position(&self) -> u64 {
        self.input.index()
    }
    fn set_parameter(&mut self, _: &str, value: &Value) -> Result<(), BlockError> {
        self.gain =
            value.as_f64().filter(|gain| *gain >= 0.0).ok_or("gain: expected a number, 0 or more")? as f32;
        Ok(())
    }
    fn parameter(&self, _: &str) -> Option<Value> {
        Some(self.gain.into())
    }
    fn work_on(&mut self, most: usize, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.input.available().min(self.output.reserve().len()).min(most);
        let index = self.input.index();
        for (y, x) in self.output.reserve()[..n].iter_mut().zip(self.input.peek()) {
            *y = x * self.gain;
        }
        // A message for each million of items.
        if index / 100_000 != (index + n as u64) / 100_000 {
            self.news.send(Value::map([
                ("icao", Value::from("4ca123")),
                ("latitude_deg", 52.5.into()),
                ("longitude_deg", 4.25.into()),
                ("hex", "8d4ca123".into()),
                ("sample_index", index.into()),
                ("duration_samples", 120.into()),
            ]))?;
        }
        self.input.consume(n);
        self.output.produce(n);
        Ok(match n {
            0 if self.input.available() > 0 => Step::NeedOutput,
            0 => Step::NeedInput,
            _ => Step::Ran,
        })
    }
}

impl Work for Amp {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        self.work_on(usize::MAX, context)
    }
}

/// The power of each item.
pub struct Power;

impl SyncBlock for Power {
    type In = C32;
    type Out = f32;
    fn process(&mut self, x: &[C32], y: &mut [f32]) {
        y.iter_mut().zip(x).for_each(|(y, x)| *y = x.norm_sqr());
    }
}

/// Takes so many items, and ends.
#[derive(Block)]
pub struct Forget {
    #[port("in")]
    input: In<f32>,
    left: u64,
}

impl Work for Forget {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.input.available();
        self.input.consume(n);
        self.left = self.left.saturating_sub(n as u64);
        Ok(match n {
            _ if self.left == 0 => Step::Done,
            0 => Step::NeedInput,
            _ => Step::Ran,
        })
    }
}

/// A dashboard and a graph in it: tone -> amp -> power -> sink.
pub struct Scene {
    pub monitor: Monitor,
    pub running: Option<RunningGraph>,
}

fn chain(items: u64, pace: bool, sink: impl FnOnce(&mut Graph)) -> Graph {
    let mut graph = Graph::new();
    let tone = graph.add("tone", Tone { output: Out::new(), left: items, pace });
    let amp = Amp { input: In::new(), output: Out::new(), news: MsgOut::new(), gain: 1.0 };
    let amp = graph.add("amp", Tuned::new(amp));
    let power = graph.add("power", Power);
    graph.connect(tone.output, amp.input);
    graph.connect(amp.output, power.input);
    sink(&mut graph);
    graph.connect_names("power", "sink");
    graph
}

impl Scene {
    /// An endless graph at about the pace of a radio, in a dashboard of these options.
    pub fn with(options: Options) -> Self {
        Scene::taking(options, u64::MAX)
    }

    /// The same with a sink that takes so many items.
    pub fn taking(options: Options, items: u64) -> Self {
        let sink = Forget { input: In::new(), left: items };
        let graph = chain(u64::MAX, true, |graph| _ = graph.add("sink", sink));
        Scene::of(options, graph)
    }

    pub fn new() -> Self {
        Scene::with(anywhere())
    }

    fn of(options: Options, graph: Graph) -> Self {
        let monitor = Monitor::serve(options).unwrap();
        let running = start(graph);
        monitor.add("scene", &running);
        Scene { monitor, running: Some(running) }
    }

    /// An endless graph that can be started anew; it opens views by itself.
    pub fn that_restarts() -> Self {
        let endless = || {
            let sink = Forget { input: In::new(), left: u64::MAX };
            start(chain(u64::MAX, true, |graph| _ = graph.add("sink", sink)))
        };
        let monitor = Monitor::serve(anywhere()).unwrap();
        let running = endless();
        // Whoever starts a graph keeps it.
        let kept = Mutex::new(None);
        let watch = Watch::new("scene", running.control())
            .view(View::Spectrum, "amp", "out")
            .view(View::Map, "amp", "news")
            .view(View::Time, "nothing", "out");
        monitor.watch(watch.again(move || {
            let running = endless();
            let control = running.control();
            *kept.lock().unwrap() = Some(running);
            Ok(control)
        }));
        Scene { monitor, running: Some(running) }
    }

    /// A graph that gives so many items as fast as it can, and what comes out of it.
    pub fn of_items(items: u64) -> (Self, Items<f32>) {
        let sink = VecSink::<f32>::new();
        let kept = sink.items();
        let graph = chain(items, false, |graph| _ = graph.add("sink", sink));
        (Scene::of(anywhere(), graph), kept)
    }

    pub fn running(&self) -> &RunningGraph {
        self.running.as_ref().unwrap()
    }

    /// How many blocks of the dashboard are in the graph.
    pub fn taps(&self) -> usize {
        let blocks = self.running().control().layout().blocks;
        blocks.iter().filter(|block| !block.removed && block.name.starts_with("dashboard: ")).count()
    }

    pub fn http(&self, method: &str, path: &str, body: &str) -> (u16, Json) {
        let answer = request(self.monitor.address(), method, path, &[], body);
        let json = serde_json::from_slice(&answer.body).unwrap_or(Json::Null);
        (answer.status, json)
    }

    pub fn viewer(&self) -> Viewer {
        Viewer::open(self.monitor.address(), &[]).unwrap()
    }
}

fn start(graph: Graph) -> RunningGraph {
    let graph = graph.check().unwrap().loosened().unwrap();
    graph.start(&Adaptive::workers(1), &superhet_runtime::Options::default()).unwrap()
}

/// At any port of this machine.
pub fn anywhere() -> Options {
    Options::default().at("127.0.0.1:0".parse().unwrap())
}

/// An answer.
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

/// Sends a request; the header `Host` is the address where none is given.
pub fn request(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Answer {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut head =
        format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
    if !headers.iter().any(|(name, _)| *name == "Host") {
        head += &format!("Host: {address}\r\n");
    }
    headers.iter().for_each(|(name, value)| head += &format!("{name}: {value}\r\n"));
    stream.write_all(head.as_bytes()).unwrap();
    // Whoever refuses a body may close before it has come.
    let _ = stream.write_all(b"\r\n").and_then(|()| stream.write_all(body.as_bytes()));
    let mut bytes = Vec::new();
    let read = stream.read_to_end(&mut bytes);
    assert!(read.is_ok() || !bytes.is_empty(), "no answer: {read:?}");
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").expect("a head");
    let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let mut body = bytes[end + 4..].to_vec();
    if head.contains("transfer-encoding: chunked") {
        body = unchunked(&body);
    }
    Answer { status, head, body }
}

fn unchunked(mut bytes: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(end) = bytes.windows(2).position(|two| two == b"\r\n") {
        let length = usize::from_str_radix(std::str::from_utf8(&bytes[..end]).unwrap(), 16).unwrap();
        if length == 0 {
            break;
        }
        whole.extend_from_slice(&bytes[end + 2..end + 2 + length]);
        bytes = &bytes[end + 4 + length..];
    }
    whole
}

/// A frame of the WebSocket.
#[derive(Debug)]
pub struct Frame {
    pub kind: u8,
    pub tap: u16,
    pub flags: u32,
    pub sequence: u32,
    pub lost: u32,
    pub first: u64,
    pub payload: Vec<u8>,
}

impl Frame {
    fn of(bytes: &[u8]) -> Self {
        let number = |from: usize, n: usize| {
            bytes[from..from + n].iter().rev().fold(0u64, |number, byte| number << 8 | u64::from(*byte))
        };
        assert_eq!(bytes[1], 1, "the version");
        Frame {
            kind: bytes[0],
            tap: number(2, 2) as u16,
            flags: number(4, 4) as u32,
            sequence: number(8, 4) as u32,
            lost: number(12, 4) as u32,
            first: number(16, 8),
            payload: bytes[24..].to_vec(),
        }
    }

    pub fn floats(&self) -> Vec<f32> {
        self.payload.chunks(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect()
    }
}

/// A viewer.
pub struct Viewer {
    socket: WebSocket<TcpStream>,
    next: u32,
}

impl Viewer {
    /// Opens a WebSocket with more headers; the status, where it is refused.
    pub fn open(address: SocketAddr, headers: &[(&'static str, String)]) -> Result<Self, u16> {
        let stream = TcpStream::connect(address).unwrap();
        // What a viewer does not read soon fills it.
        rustix::net::sockopt::set_socket_recv_buffer_size(&stream, 64 << 10).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut request = format!("ws://{address}/api/ws").into_client_request().unwrap();
        for (name, value) in headers {
            request.headers_mut().insert(*name, HeaderValue::from_str(value).unwrap());
        }
        use tokio_tungstenite::tungstenite::{Error, HandshakeError, client};
        match client(request, stream) {
            Ok((socket, _)) => Ok(Viewer { socket, next: 0 }),
            Err(HandshakeError::Failure(Error::Http(response))) => Err(response.status().as_u16()),
            Err(error) => panic!("{error}"),
        }
    }

    pub fn say(&mut self, json: Json) {
        self.socket.send(Message::text(json.to_string())).unwrap();
    }

    /// Sends a message of so many bytes.
    pub fn say_bytes(&mut self, bytes: usize) {
        // The other side may hang up before all of it has gone.
        let _ = self.socket.send(Message::text("x".repeat(bytes)));
    }

    /// Whether the other side has hung up; messages before that are read.
    pub fn is_closed(&mut self) -> bool {
        loop {
            match self.socket.read() {
                Ok(Message::Close(_)) | Err(_) => return true,
                Ok(_) => {}
            }
        }
    }

    fn read(&mut self) -> Message {
        self.socket.read().unwrap()
    }

    /// The next text that `is_it`; frames and others before it are skipped.
    pub fn text(&mut self, mut is_it: impl FnMut(&Json) -> bool) -> Json {
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            if let Message::Text(text) = self.read() {
                let json: Json = serde_json::from_str(&text).unwrap();
                if is_it(&json) {
                    return json;
                }
            }
        }
        panic!("no such text");
    }

    /// The next frame of a tap.
    pub fn frame(&mut self, tap: u16) -> Frame {
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            if let Message::Binary(bytes) = self.read() {
                let frame = Frame::of(&bytes);
                if frame.tap == tap {
                    return frame;
                }
            }
        }
        panic!("no frame of tap {tap}");
    }

    /// The next frame of a tap, if one comes so soon.
    pub fn frame_within(&mut self, tap: u16, time: Duration) -> Option<Frame> {
        self.socket.get_ref().set_read_timeout(Some(time)).unwrap();
        let frame = match self.socket.read() {
            Ok(Message::Binary(bytes)) => Some(Frame::of(&bytes)).filter(|frame| frame.tap == tap),
            _ => None,
        };
        self.socket.get_ref().set_read_timeout(Some(PATIENCE)).unwrap();
        frame
    }

    /// Asks for a tap; gives what is answered, with `id` or `error`.
    pub fn ask(&mut self, tap: Json) -> Json {
        self.next += 1;
        let reference = self.next;
        self.say(json!({ "op": "tap", "tap": tap, "ref": reference }));
        self.text(|json| json["ref"] == reference)
    }

    /// The number of a tap that is given.
    pub fn tap(&mut self, tap: Json) -> u16 {
        let answer = self.ask(tap);
        answer["id"].as_u64().filter(|_| answer["op"] == "tapped").unwrap_or_else(|| panic!("{answer}"))
            as u16
    }
}
