//! A SpyServer and its client as whole graphs: what is sent comes out, and what is left out or cut off is a gap.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::keep::{Keep, Seen};
use superhet_io::blocks::{SpyServerSettings, SpyServerSource};
use superhet_runtime::prelude::*;
use superhet_runtime::{Report, RunError, Tag, Tuned};

const PATIENCE: Duration = Duration::from_secs(60);
const INT16: u32 = 101;

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn message(kind: u32, sequence: u32, body: &[u8]) -> Vec<u8> {
    [words(&[2 << 24 | 1700, kind, 1, sequence, body.len() as u32]), body.to_vec()].concat()
}

/// Samples whose real parts count on from `first`.
fn samples(sequence: u32, first: i16, count: i16) -> Vec<u8> {
    let body = (first..first + count).flat_map(|n| [n.to_le_bytes(), 0i16.to_le_bytes()]).flatten();
    message(INT16, sequence, &body.collect::<Vec<u8>>())
}

/// A server that says hello to one client after the other, and then what it is given; the commands that each has sent first.
fn serve(talks: Vec<Vec<u8>>) -> (u16, JoinHandle<Vec<Vec<[u32; 4]>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let serve = move |talk: Vec<u8>| {
        let (mut client, _): (TcpStream, _) = listener.accept().unwrap();
        let mut hello = [0; 20];
        client.read_exact(&mut hello).unwrap();
        assert_eq!(hello[..12], words(&[0, 12, 2 << 24 | 1700]));
        let device = [1, 77, 10_000_000, 8_000_000, 4, 0, 21, 24_000_000, 1_750_000_000, 12, 1, 0];
        client.write_all(&message(0, 0, &words(&device))).unwrap();
        client.write_all(&message(1, 0, &words(&[1, 5, 0, 145_000_000, 0, 0, 0, 0, 0]))).unwrap();
        let mut commands = Vec::new();
        // Up to that which enables the stream; a client that does not like the radio goes before.
        while commands.last() != Some(&[2, 8, 1, 1]) {
            let mut bytes = [0; 16];
            if client.read_exact(&mut bytes).is_err() {
                return commands;
            }
            commands
                .push(std::array::from_fn(|n| u32::from_le_bytes(bytes[4 * n..][..4].try_into().unwrap())));
        }
        // In pieces that no message fits.
        for piece in talk.chunks(7) {
            client.write_all(piece).unwrap();
        }
        // A client that has heard enough may be gone already.
        let _ = client.shutdown(Shutdown::Write);
        let _ = client.read_to_end(&mut Vec::new());
        commands
    };
    (port, std::thread::spawn(move || talks.into_iter().map(serve).collect()))
}

fn listen(
    port: u16,
    settings: SpyServerSettings,
    most: usize,
) -> (Result<Report, RunError>, Vec<i16>, Vec<Tag>) {
    let mut graph = Graph::new();
    let source = graph.add("source", Tuned::new(SpyServerSource::new("127.0.0.1", port, settings).unwrap()));
    let seen = Seen::default();
    let keep = graph.add("keep", Keep::up_to(&seen, most));
    graph.connect(source.output, keep.input);
    let mut running = graph.check().unwrap().start(&Threads, &Options::default()).unwrap();
    let report = running.wait_for(PATIENCE).expect("it ends");
    let (items, tags) = std::mem::take(&mut *seen.lock().unwrap());
    (report, items.iter().map(|item| (item.re * 32768.0) as i16).collect(), tags)
}

#[test]
fn messages_that_are_left_out_and_connections_that_are_lost_are_gaps() {
    let talks = vec![
        // Numbers 2 and 3 are left out; a spectrum comes between.
        [samples(0, 0, 10), samples(1, 10, 10), message(301, 9, &[1, 2, 3]), samples(4, 40, 10)].concat(),
        // What breaks the protocol ends the connection behind what was right.
        [samples(0, 1000, 10), b"garbage, and more of it".to_vec()].concat(),
        [samples(7, 2000, 10)].concat(),
    ];
    let (port, server) = serve(talks);
    let settings = SpyServerSettings {
        frequency_hz: 145.5e6,
        rate_hz: Some(1.25e6),
        gain: 7,
        ..SpyServerSettings::default()
    };
    let (report, items, tags) = listen(port, settings, 50);
    let commands = server.join().unwrap();
    let wanted =
        [[2, 8, 100, 2], [2, 8, 102, 3], [2, 8, 101, 145_500_000], [2, 8, 2, 7], [2, 8, 0, 1], [2, 8, 1, 1]];
    assert_eq!(commands, vec![wanted; 3]);
    let numbers = [0..20, 40..50, 1000..1010, 2000..2010];
    assert_eq!(items, numbers.into_iter().flatten().collect::<Vec<i16>>());
    let tagged = |key: &str| -> Vec<(u64, Value)> {
        tags.iter().filter(|tag| &*tag.key == key).map(|tag| (tag.index, tag.value.clone())).collect()
    };
    let gaps = tagged("gap");
    assert_eq!(gaps[0], (20, 20u64.into()));
    assert_eq!(gaps.iter().map(|gap| gap.0).collect::<Vec<_>>(), [20, 30, 40]);
    assert_eq!(tagged("rx_rate"), [(0, 1.25e6.into())]);
    assert_eq!(tagged("rx_freq")[0], (0, 145.5e6.into()));
    assert_eq!(report.unwrap().block("source").unwrap().gaps, 3);
}

#[test]
fn what_does_not_fit_is_said_in_words() {
    let (port, server) = serve(vec![Vec::new()]);
    let settings = SpyServerSettings { rate_hz: Some(2e6), ..SpyServerSettings::default() };
    let error = listen(port, settings, 1).0.unwrap_err().to_string();
    server.join().unwrap();
    assert!(
        error.contains("rate_hz is 2000000, expected one that the radio has: 5000000, 2500000"),
        "{error}"
    );

    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let other = std::thread::spawn(move || {
        let (mut client, _) = listener.accept().unwrap();
        client.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").unwrap();
        let _ = client.read_to_end(&mut Vec::new());
    });
    let error = listen(port, SpyServerSettings::default(), 1).0.unwrap_err().to_string();
    other.join().unwrap();
    assert!(error.contains(&format!("127.0.0.1:{port}: no SpyServer: it speaks version")), "{error}");
}
