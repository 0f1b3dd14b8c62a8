//! A proxy between the sink of a link and its readers, which delays, cuts and garbles, and keeps a log of what has passed whole.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use superhet_io::link::{FrameKind, Frames, Header};

/// Numbers without end.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most
    }
}

/// What it does to the frames of a sink.
#[derive(Clone)]
pub struct Faults {
    pub seed: u64,
    /// One frame of so many is cut in the middle, and the connection with it; one is garbled; one comes late. 0: none.
    pub cuts: u64,
    pub garbles: u64,
    pub delays: u64,
    /// As long as it holds, nobody is connected.
    pub is_away: Arc<dyn Fn() -> bool + Send + Sync>,
}

/// What it has done.
#[derive(Default, Debug)]
pub struct Log {
    /// The items of frames that have passed whole, first and end of each.
    pub passed: Vec<(u64, u64)>,
    pub cuts: usize,
    pub garbled: usize,
}

impl Log {
    /// The items of a stream of that length that have not passed.
    pub fn missing(&self, length: u64) -> Vec<(u64, u64)> {
        let mut passed = self.passed.clone();
        passed.sort_unstable();
        passed.push((length, length));
        let (mut next, mut missing) = (0, Vec::new());
        for (first, end) in passed {
            if first > next {
                missing.push((next, first));
            }
            next = next.max(end);
        }
        missing
    }
}

pub struct Proxy {
    pub address: SocketAddr,
    pub log: Arc<Mutex<Log>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Proxy {
    pub fn new(sink: SocketAddr, faults: Faults) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        listener.set_nonblocking(true).unwrap();
        let (log, stop) = (Arc::new(Mutex::new(Log::default())), Arc::new(AtomicBool::new(false)));
        let (theirs, stopped) = (log.clone(), stop.clone());
        let thread = std::thread::spawn(move || {
            let random = Arc::new(Mutex::new(Random(faults.seed)));
            std::thread::scope(|scope| {
                while !stopped.load(Ordering::Relaxed) {
                    let Ok((reader, _)) = listener.accept() else {
                        std::thread::sleep(Duration::from_millis(1));
                        continue;
                    };
                    if (faults.is_away)() {
                        continue;
                    }
                    reader.set_nonblocking(false).unwrap();
                    let Ok(sink) = TcpStream::connect(sink) else { continue };
                    let (up, down) = (reader.try_clone().unwrap(), sink.try_clone().unwrap());
                    scope.spawn(move || copy(up, down));
                    let (faults, log, random) = (faults.clone(), theirs.clone(), random.clone());
                    let stopped = &stopped;
                    scope.spawn(move || {
                        pass(&sink, &reader, &faults, &log, &random, stopped);
                        let _ = sink.shutdown(Shutdown::Both);
                        let _ = reader.shutdown(Shutdown::Both);
                    });
                }
            });
        });
        Proxy { address, log, stop, thread: Some(thread) }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let ended = self.thread.take().unwrap().join();
        assert!(ended.is_ok() || std::thread::panicking());
    }
}

/// Words of readers pass as they are.
fn copy(mut from: TcpStream, mut to: TcpStream) {
    let _ = std::io::copy(&mut from, &mut to);
    let _ = to.shutdown(Shutdown::Write);
}

fn pass(
    mut sink: &TcpStream,
    mut reader: &TcpStream,
    faults: &Faults,
    log: &Mutex<Log>,
    random: &Mutex<Random>,
    stopped: &AtomicBool,
) {
    sink.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
    let mut frames = Frames::new(1 << 16);
    loop {
        while let Some((header, body)) = frames.next().expect("a sink sends frames") {
            let body = frames.bytes(body).to_vec();
            if (faults.is_away)() {
                return;
            }
            let happens = |one_of: u64| one_of > 0 && random.lock().unwrap().below(one_of) == 0;
            let mut bytes = [&header.bytes()[..], &body].concat();
            if happens(faults.delays) {
                std::thread::sleep(Duration::from_millis(5));
            }
            if happens(faults.cuts) {
                let length = random.lock().unwrap().below(bytes.len() as u64) as usize;
                let _ = reader.write_all(&bytes[..length]);
                log.lock().unwrap().cuts += 1;
                return;
            }
            if happens(faults.garbles) {
                let place = random.lock().unwrap().below(bytes.len() as u64) as usize;
                bytes[place] ^= 0x10;
                log.lock().unwrap().garbled += 1;
                let _ = reader.write_all(&bytes);
                continue;
            }
            if reader.write_all(&bytes).is_err() {
                return;
            }
            note(&header, log);
        }
        match sink.read(frames.room()) {
            Ok(0) => return,
            Ok(n) => frames.filled(n),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                if stopped.load(Ordering::Relaxed) {
                    return;
                }
            }
            Err(_) => return,
        }
    }
}

fn note(header: &Header, log: &Mutex<Log>) {
    if matches!(header.kind, FrameKind::Items | FrameKind::Messages) {
        log.lock().unwrap().passed.push((header.first, header.end()));
    }
}
