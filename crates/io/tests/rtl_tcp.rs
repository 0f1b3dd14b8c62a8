//! rtl_tcp as whole graphs: a proxy that cuts, delays and lies, commands on their way, and a server's hostile clients.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::keep::{Keep, Seen};
use superhet_io::C32;
use superhet_io::blocks::{Gain, RtlTcpSettings, RtlTcpSink, RtlTcpSinkSettings, RtlTcpSource};
use superhet_runtime::prelude::*;
use superhet_runtime::{RunningGraph, Tuned};

const GREETING: &[u8; 12] = b"RTL0\0\0\0\x05\0\0\0\x1d";
const PATIENCE: Duration = Duration::from_secs(60);

/// A radio: gives its samples at a rate, each with its number modulo 2¹⁶.
#[derive(Block)]
struct Radio {
    #[port("out")]
    output: Out<[u8; 2]>,
    rate_hz: f64,
    start: Instant,
}

impl Work for Radio {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        if context.is_stopping() {
            return Ok(Step::Done);
        }
        let taken = (self.start.elapsed().as_secs_f64() * self.rate_hz) as u64;
        let first = self.output.index();
        let room = self.output.reserve();
        let n = room.len().min((taken - first) as usize);
        for (sample, number) in room[..n].iter_mut().zip(first..) {
            *sample = (number as u16).to_le_bytes();
        }
        self.output.produce(n);
        context.sleep_until(Instant::now() + Duration::from_millis(5));
        Ok(Step::Ran)
    }
    fn blocking(&self) -> bool {
        true
    }
}

/// A server of that radio.
fn serve(rate_hz: f64) -> (RunningGraph, SocketAddr) {
    let sink =
        RtlTcpSink::<[u8; 2]>::new("127.0.0.1", 0, RtlTcpSinkSettings::default()).unwrap().open().unwrap();
    let address = sink.local_addr().unwrap();
    let mut graph = Graph::new();
    let radio = graph.add("radio", Radio { output: Out::new(), rate_hz, start: Instant::now() });
    let sink = graph.add("server", sink);
    graph.connect(radio.output, sink.input);
    (graph.check().unwrap().start(&Threads, &Options::default()).unwrap(), address)
}

/// A client, and what comes out of it.
fn listen(address: SocketAddr, settings: RtlTcpSettings) -> (RunningGraph, Seen<[u8; 2]>) {
    let source = RtlTcpSource::<[u8; 2]>::new("127.0.0.1", address.port(), settings).unwrap();
    let mut graph = Graph::new();
    let source = graph.add("source", Tuned::new(source));
    let seen = Seen::default();
    let keep = graph.add("keep", Keep::all(&seen));
    graph.connect(source.output, keep.input);
    (graph.check().unwrap().start(&Threads, &Options::default()).unwrap(), seen)
}

/// Waits until something is so.
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// What a proxy does with one connection.
#[derive(Clone, Copy)]
enum Deed {
    /// Passes so many bytes on, in pieces with a pause behind each, and cuts.
    Pass(usize, Duration),
    /// Passes so many bytes on, but the first of them late: what comes meanwhile is passed on behind them at once.
    Late(usize, Duration),
    /// Says something that no server says.
    Lie(&'static [u8]),
}

/// Does one deed after the other, and then takes nobody any more; gives what it has passed on in each.
fn proxy(server: SocketAddr, deeds: Vec<Deed>) -> (SocketAddr, JoinHandle<Vec<Vec<u8>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let run = move || {
        let mut log = Vec::new();
        for deed in deeds {
            let (mut client, _) = listener.accept().unwrap();
            match deed {
                Deed::Lie(bytes) => client.write_all(bytes).unwrap(),
                Deed::Pass(bytes, _) | Deed::Late(bytes, _) => {
                    let (mut late, pause) = match deed {
                        Deed::Pass(_, pause) => (Duration::ZERO, pause),
                        Deed::Late(_, late) => (late, Duration::ZERO),
                        Deed::Lie(_) => unreachable!("it is passed on"),
                    };
                    let mut upstream = TcpStream::connect(server).unwrap();
                    let mut passed = Vec::new();
                    let mut piece = [0; 1000];
                    while passed.len() < bytes {
                        let most = piece.len().min(bytes - passed.len());
                        let n = upstream.read(&mut piece[..most]).unwrap();
                        // The greeting is no sample, and comes in time.
                        if passed.len() >= GREETING.len() {
                            std::thread::sleep(std::mem::take(&mut late));
                        }
                        client.write_all(&piece[..n]).unwrap();
                        passed.extend_from_slice(&piece[..n]);
                        std::thread::sleep(pause);
                    }
                    // Commands of the client, so that closing loses nothing of what was passed on.
                    client.set_nonblocking(true).unwrap();
                    while client.read(&mut piece).is_ok_and(|n| n > 0) {}
                    // A client that has enough may be gone already.
                    let _ = client.shutdown(Shutdown::Write);
                    client.set_nonblocking(false).unwrap();
                    while client.read(&mut piece).is_ok_and(|n| n > 0) {}
                    log.push(passed);
                }
            }
        }
        log
    };
    (address, std::thread::spawn(run))
}

fn numbers(bytes: &[u8]) -> Vec<[u8; 2]> {
    bytes[12..].chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect()
}

#[test]
fn every_sample_that_a_proxy_passed_on_is_there_and_every_cut_is_a_gap() {
    const RATE_HZ: f64 = 20e3;
    let (server, address) = serve(RATE_HZ);
    let at_once = Duration::ZERO;
    let deeds = vec![
        // The cuts lie in the middle of samples.
        Deed::Pass(12 + 8001, at_once),
        Deed::Lie(b"HTTP/1.1 400 Bad Request\r\n\r\n"),
        Deed::Lie(b""),
        Deed::Lie(b"RTL0\0"),
        Deed::Pass(12 + 6001, Duration::from_millis(50)),
        Deed::Lie(b"\xff\xfe\0\0RTL0\0\0\0\x05\0\0\0\x1d"),
        // Nothing but the greeting is no sample.
        Deed::Pass(12, at_once),
        Deed::Pass(12 + 4000, at_once),
    ];
    let (address, proxy) = proxy(address, deeds);
    let settings = RtlTcpSettings { rate_hz: RATE_HZ, ..RtlTcpSettings::default() };
    let (client, seen) = listen(address, settings);
    let log = proxy.join().unwrap();
    let passed: Vec<Vec<[u8; 2]>> = log.iter().map(|bytes| numbers(bytes)).collect();
    let wanted = passed.concat();
    until("all samples come", || seen.lock().unwrap().0.len() >= wanted.len());
    let report = client.stop_within(PATIENCE).unwrap();
    server.stop_within(PATIENCE).unwrap();

    let (items, tags) = &*seen.lock().unwrap();
    assert!(*items == wanted, "{} items of {}", items.len(), wanted.len());
    let gaps: Vec<(u64, u64)> = tags
        .iter()
        .filter(|tag| &*tag.key == "gap")
        .map(|tag| (tag.index, tag.value.as_u64().unwrap()))
        .collect();
    let cuts = [passed[0].len(), passed[0].len() + passed[1].len()].map(|cut| cut as u64);
    assert_eq!(gaps.iter().map(|gap| gap.0).collect::<Vec<_>>(), cuts);
    let source = report.block("source").unwrap();
    assert_eq!((source.gaps, source.lost_items), (2, gaps.iter().map(|gap| gap.1).sum()));
    let times = tags.iter().filter(|tag| &*tag.key == "rx_time").map(|tag| tag.index);
    assert_eq!(times.collect::<Vec<_>>(), [0, cuts[0], cuts[1]]);
    // The samples tell how many were missed, modulo 2¹⁶. The clock says it as well as machines under load let it.
    for (index, lost) in gaps {
        let number = |index: u64| u16::from_le_bytes(items[index as usize]);
        let missed = number(index).wrapping_sub(number(index - 1)).wrapping_sub(1);
        let error = (lost as u16).wrapping_sub(missed).cast_signed();
        assert!(f64::from(error.abs()) < RATE_HZ / 2.0, "{lost} by the clock, {missed} by the samples");
    }
}

#[test]
fn lengths_of_gaps_are_right_in_sum_where_samples_behind_them_are_late() {
    const RATE_HZ: f64 = 20e3;
    let (server, address) = serve(RATE_HZ);
    let deeds: Vec<Deed> = (0..9u64)
        .map(|n| match n {
            0 => Deed::Pass(12 + 12_000, Duration::ZERO),
            // Some of them for longer than the client holds what it gets.
            n => Deed::Late(12 + 28_000, Duration::from_millis(100 + 250 * (n % 2))),
        })
        .collect();
    let (address, proxy) = proxy(address, deeds);
    let settings = RtlTcpSettings { rate_hz: RATE_HZ, ..RtlTcpSettings::default() };
    let (client, seen) = listen(address, settings);
    let log = proxy.join().unwrap();
    let wanted = log.iter().map(|bytes| numbers(bytes).len()).sum::<usize>();
    until("all samples come", || seen.lock().unwrap().0.len() >= wanted);
    client.stop_within(PATIENCE).unwrap();
    server.stop_within(PATIENCE).unwrap();

    let (items, tags) = &*seen.lock().unwrap();
    let number = |index: u64| u16::from_le_bytes(items[index as usize]);
    let errors: Vec<i64> = tags
        .iter()
        .filter(|tag| &*tag.key == "gap")
        .map(|tag| {
            let missed = number(tag.index).wrapping_sub(number(tag.index - 1)).wrapping_sub(1);
            // The numbers begin anew after 3.3 s: the nearest such length counts.
            i64::from((tag.value.as_u64().unwrap() as u16).wrapping_sub(missed).cast_signed())
        })
        .collect();
    assert_eq!(errors.len(), 8);
    // What is too long at one gap is taken off the next, so what is left is the error of the last. Those that are late by 350 ms
    // would be too long by 200 ms each, all four by 800.
    let sum = errors.iter().sum::<i64>() as f64 / RATE_HZ;
    assert!(sum.abs() < 0.1, "{sum} s too long: {errors:?}");
}

/// How a graph with a source ends whose server says this and closes.
fn end_of(words: &'static [u8], settings: RtlTcpSettings) -> Result<Vec<[u8; 2]>, String> {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let server = std::thread::spawn(move || {
        let (mut client, _) = listener.accept().unwrap();
        client.write_all(words).unwrap();
        // The source may have closed the connection already, as it has read enough.
        let _ = client.shutdown(Shutdown::Write);
        let _ = client.read_to_end(&mut Vec::new());
    });
    let (mut graph, seen) = listen(address, settings);
    let result = graph.wait_for(PATIENCE).expect("it ends");
    server.join().unwrap();
    let items = seen.lock().unwrap().0.clone();
    result.map(|_| items).map_err(|error| error.to_string())
}

#[test]
fn what_is_no_server_is_said_in_words() {
    for (words, problem) in [
        (
            &b"HTTP/1.1 400 Bad Request\r\n"[..],
            "no rtl_tcp server: it begins with \"HTTP/1.1 400\", expected \"RTL0\"",
        ),
        (b"RTL1", "no rtl_tcp server: it begins with"),
        (b"", "the connection was closed before the greeting"),
        (b"RTL0\0\0", "the connection was closed before the greeting"),
    ] {
        let error = end_of(words, RtlTcpSettings::default()).unwrap_err();
        assert!(error.contains(problem) && error.contains("127.0.0.1:"), "{error}");
    }
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (mut graph, _) = listen(port, RtlTcpSettings::default());
    let error = graph.wait_for(PATIENCE).expect("it ends").unwrap_err().to_string();
    assert!(error.contains(&format!("{port}: cannot connect: ")), "{error}");
}

#[test]
fn without_reconnecting_the_end_of_the_connection_is_the_end() {
    let settings = RtlTcpSettings { reconnect: false, ..RtlTcpSettings::default() };
    let items = end_of(b"RTL0\0\0\0\0\0\0\0\0\x01\x02\x03\x04\x05", settings);
    assert_eq!(items, Ok(vec![[1, 2], [3, 4]]));
}

#[test]
fn a_graph_stops_at_once_whatever_the_server_does() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    // It takes the connection and says nothing; the second greets and says nothing more.
    for words in [&b""[..], GREETING] {
        let (graph, _) = listen(address, RtlTcpSettings::default());
        let (mut client, _) = listener.accept().unwrap();
        client.write_all(words).unwrap();
        graph.stop_within(PATIENCE).unwrap();
    }
}

#[test]
fn settings_reach_the_server_and_new_ones_too() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let settings = RtlTcpSettings {
        frequency_hz: 433.92e6,
        rate_hz: 250e3,
        gain: Gain::Db(29.7),
        ppm: -3,
        ..RtlTcpSettings::default()
    };
    let (graph, seen) = listen(listener.local_addr().unwrap(), settings);
    let (mut client, _) = listener.accept().unwrap();
    client.write_all(GREETING).unwrap();
    client.write_all(&[7; 20]).unwrap();
    let mut commands = [[0u8; 5]; 9];
    for command in &mut commands {
        client.read_exact(command).unwrap();
    }
    let has = |command: [u8; 5]| commands.contains(&command);
    assert!(has([1, 0x19, 0xdd, 0x18, 0x00]) && has([2, 0, 3, 0xd0, 0x90]), "{commands:?}");
    assert!(
        has([3, 0, 0, 0, 1]) && has([4, 0, 0, 1, 0x29]) && has([5, 0xff, 0xff, 0xff, 0xfd]),
        "{commands:?}"
    );
    until("samples come", || seen.lock().unwrap().0.len() == 10);

    let refused = graph.set("source.ppm", 1e6).unwrap().wait(PATIENCE);
    assert!(refused.unwrap_err().to_string().contains("expected a number from -1000 to 1000"));
    graph.set("source.frequency_hz", 1090e6).unwrap();
    let mut command = [0; 5];
    client.read_exact(&mut command).unwrap();
    assert_eq!(command, [1, 0x40, 0xf8, 0x14, 0x80]);
    client.write_all(&[8; 20]).unwrap();
    until("more come", || seen.lock().unwrap().0.len() == 20);
    graph.stop_within(PATIENCE).unwrap();
    let seen = seen.lock().unwrap();
    let tags: Vec<_> = seen
        .1
        .iter()
        .filter(|tag| &*tag.key == "rx_freq")
        .map(|tag| (tag.index, tag.value.clone()))
        .collect();
    assert_eq!(tags, [(0, 433.92e6.into()), (10, 1090e6.into())]);
}

#[test]
fn a_crowd_of_hostile_clients_costs_an_honest_one_nothing() {
    let (server, address) = serve(50e3);
    let over = Arc::new(AtomicBool::new(false));
    let crowd: Vec<_> = (0..20u8)
        .map(|number| {
            let over = over.clone();
            std::thread::spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    let Ok(mut client) = TcpStream::connect(address) else { continue };
                    match number % 3 {
                        // Garbage, as much as goes.
                        0 => drop(client.write_all(&[0xa5; 100_003])),
                        // Half a command, and away.
                        1 => drop(client.write_all(&[1, 2])),
                        // Never reads.
                        _ => {}
                    }
                    std::thread::sleep(Duration::from_millis(20));
                }
            })
        })
        .collect();
    let mut honest = TcpStream::connect(address).unwrap();
    let mut bytes = vec![0; 12 + 100_000];
    honest.read_exact(&mut bytes).unwrap();
    over.store(true, Ordering::Relaxed);
    crowd.into_iter().for_each(|one| one.join().unwrap());
    server.stop_within(PATIENCE).unwrap();
    assert_eq!(bytes[..12], *GREETING);
    let numbers: Vec<u16> = numbers(&bytes).into_iter().map(u16::from_le_bytes).collect();
    assert!(numbers.windows(2).all(|pair| pair[1] == pair[0].wrapping_add(1)), "nothing is missing");
}

#[test]
fn a_stream_through_a_server_and_a_source_is_the_same() {
    let items: Vec<C32> = (0..=255u8).map(|code| C32::new(f32::from(code) / 127.5 - 1.0, 0.0)).collect();
    let settings = RtlTcpSinkSettings { wait: true, ..RtlTcpSinkSettings::default() };
    let sink = RtlTcpSink::<C32>::new("127.0.0.1", 0, settings).unwrap().open().unwrap();
    let port = sink.local_addr().unwrap().port();
    let mut graph = Graph::new();
    let source = graph.add("items", superhet_runtime::harness::VecSource::new(items));
    let sink = graph.add("server", sink);
    graph.connect(source.output, sink.input);
    let settings = RtlTcpSettings { reconnect: false, ..RtlTcpSettings::default() };
    let source = graph.add("radio", RtlTcpSource::<[u8; 2]>::new("127.0.0.1", port, settings).unwrap());
    let seen = Seen::default();
    let keep = graph.add("keep", Keep::all(&seen));
    graph.connect(source.output, keep.input);
    graph.run().unwrap();
    let codes: Vec<u8> = seen.lock().unwrap().0.iter().map(|pair| pair[0]).collect();
    assert_eq!(codes, (0..=255).collect::<Vec<_>>());
}
