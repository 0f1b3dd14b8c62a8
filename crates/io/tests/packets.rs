//! Packets through sockets and PCAP files, as whole graphs.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::common::TempDir;
use superhet_io::blocks::*;
use superhet_io::pcap::PcapWriter;
use superhet_runtime::prelude::*;
use superhet_runtime::{Packet, RunningGraph};

/// Sends packets and ends.
#[derive(Block)]
struct Send {
    #[port("out")]
    output: MsgOut,
    packets: Vec<Vec<u8>>,
}

impl Work for Send {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        if self.packets.is_empty() {
            return Ok(Step::Done);
        }
        self.output.send(Packet::from_items(&self.packets.remove(0)))?;
        Ok(Step::Ran)
    }
}

/// Keeps the bytes of packets, and sends nothing.
#[derive(Block)]
struct Keep {
    #[port("in")]
    input: MsgIn,
    kept: Kept,
}

type Kept = Arc<Mutex<Vec<Packet<u8>>>>;

impl Work for Keep {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        while let Some(message) = self.input.recv() {
            self.kept.lock().unwrap().push(Packet::try_from(message)?);
        }
        Ok(Step::NeedInput)
    }
}

/// A graph that sends packets into a socket and keeps what comes out of it.
fn start(socket: SocketPdu, packets: Option<Vec<Vec<u8>>>, keeps: bool) -> (RunningGraph, Kept) {
    let mut graph = Graph::new();
    graph.add("socket", socket);
    if let Some(packets) = packets {
        graph.add("send", Send { output: MsgOut::new(), packets });
        graph.connect_names("send", "socket");
    }
    let kept = Kept::default();
    if keeps {
        graph.add("keep", Keep { input: MsgIn::new(), kept: kept.clone() });
        graph.connect_names("socket", "keep");
    }
    (graph.check().unwrap().start(&Threads, &Options::default()).unwrap(), kept)
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(30), "{what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn server(kind: SocketKind) -> (SocketPdu, SocketAddr) {
    let socket = SocketPdu::open(kind, "127.0.0.1", 0).unwrap();
    let address = socket.local_addr().unwrap();
    (socket, address)
}

fn client(kind: SocketKind, address: SocketAddr) -> SocketPdu {
    SocketPdu::open(kind, "127.0.0.1", address.port()).unwrap()
}

fn bytes(kept: &Kept) -> Vec<u8> {
    kept.lock().unwrap().iter().flat_map(|packet| packet.items().to_vec()).collect()
}

#[test]
fn datagrams_arrive_whole_and_are_answered() {
    let (socket, address) = server(SocketKind::UdpServer);
    let (running, kept) = start(socket, None, true);
    let sent = [vec![1; 3], vec![], vec![7; 60_000]];
    let (sender, _) = start(client(SocketKind::UdpClient, address), Some(sent.to_vec()), false);
    sender.wait().unwrap();
    wait_until("three datagrams", || kept.lock().unwrap().len() == 3);
    let got: Vec<_> = kept.lock().unwrap().iter().map(|packet| packet.items().to_vec()).collect();
    assert_eq!(got, sent);
    assert!(kept.lock().unwrap()[0].get("peer").unwrap().as_str().unwrap().starts_with("127.0.0.1:"));
    // Whoever has sent the last datagram gets the answers.
    let other = UdpSocket::bind("127.0.0.1:0").unwrap();
    other.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    other.send_to(b"hello", address).unwrap();
    wait_until("a fourth datagram", || kept.lock().unwrap().len() == 4);
    running.message("socket.in", Packet::from_items(b"answer")).unwrap();
    let mut buffer = [0; 100];
    let n = other.recv(&mut buffer).unwrap();
    assert_eq!(&buffer[..n], b"answer");
    running.stop_within(Duration::from_secs(30)).unwrap();
}

#[test]
fn every_byte_goes_over_tcp_in_order_and_the_client_ends_with_its_server() {
    let (socket, address) = server(SocketKind::TcpServer);
    let (running, kept) = start(socket, None, true);
    let sent: Vec<Vec<u8>> = (0..300).map(|n| vec![n as u8; 3000]).collect();
    let (sender, _) = start(client(SocketKind::TcpClient, address), Some(sent.clone()), false);
    let (receiver, heard) = start(client(SocketKind::TcpClient, address), None, true);
    sender.wait().unwrap();
    wait_until("all bytes", || bytes(&kept).len() == 900_000);
    assert!(bytes(&kept) == sent.concat());
    // Once the server knows its second client, that gets what is sent.
    wait_until("an answer", || {
        running.message("socket.in", Packet::from_items(b"x")).unwrap();
        std::thread::sleep(Duration::from_millis(20));
        !bytes(&heard).is_empty()
    });
    running.stop_within(Duration::from_secs(30)).unwrap();
    receiver.wait().unwrap();
}

#[test]
fn a_peer_that_takes_nothing_makes_the_sender_wait_and_does_not_keep_it_from_stopping() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let packets = vec![vec![0; 1 << 20]; 100];
    let (mut running, _) = start(client(SocketKind::TcpClient, address), Some(packets), false);
    let (mut peer, _) = listener.accept().unwrap();
    let mut some = [0; 100];
    peer.read_exact(&mut some).unwrap();
    assert!(running.wait_for(Duration::from_millis(200)).is_none());
    let start = Instant::now();
    running.stop_within(Duration::from_secs(30)).unwrap();
    assert!(start.elapsed() < Duration::from_secs(30));
}

#[test]
fn a_server_bears_clients_that_come_and_go() {
    let (socket, address) = server(SocketKind::TcpServer);
    let (running, kept) = start(socket, None, true);
    for n in 0..100u8 {
        TcpStream::connect(address).unwrap().write_all(&[n]).unwrap();
    }
    wait_until("a byte of each", || bytes(&kept).len() == 100);
    for _ in 0..100 {
        // What is sent to one that goes is lost, and nobody else is.
        let _ = TcpStream::connect(address).unwrap();
        running.message("socket.in", Packet::from_items(&[0u8; 10_000])).unwrap();
    }
    TcpStream::connect(address).unwrap().write_all(&[7]).unwrap();
    wait_until("one more byte", || bytes(&kept).len() == 101);
    running.stop_within(Duration::from_secs(30)).unwrap();
}

#[test]
fn sockets_that_nobody_talks_to_stop_at_once() {
    for kind in [SocketKind::UdpServer, SocketKind::TcpServer] {
        let (running, _) = start(server(kind).0, None, true);
        std::thread::sleep(Duration::from_millis(30));
        running.stop_within(Duration::from_secs(30)).unwrap();
    }
}

#[test]
fn what_cannot_be_is_an_error_that_names_the_address() {
    let (taken, address) = server(SocketKind::TcpServer);
    let error = SocketPdu::open(SocketKind::TcpServer, "127.0.0.1", address.port()).unwrap_err().to_string();
    assert!(error.starts_with(&format!("cannot listen at {address}: ")), "{error}");
    drop(taken);
    let (running, _) = start(client(SocketKind::TcpClient, address), None, true);
    let error = running.wait().unwrap_err().to_string();
    assert!(error.contains(&format!("socket failed: cannot connect to {address}: ")), "{error}");
    let (listening, _) = (TcpListener::bind(address).unwrap(), ());
    let (running, _) = start(client(SocketKind::TcpClient, address), None, true);
    running.message("socket.in", 5).unwrap();
    let error = running.wait().unwrap_err().to_string();
    assert!(error.contains("expected a packet, got the message 5"), "{error}");
    drop(listening);
}

#[test]
fn a_damaged_pcap_file_gives_its_whole_packets_first() {
    let folder = TempDir::new();
    let path = folder.path().join("x.pcap");
    let mut file = Vec::new();
    let mut writer = PcapWriter::new(&mut file, 1).unwrap();
    (0..100u8).for_each(|n| writer.write(u64::from(n), &[n; 5]).unwrap());
    std::fs::write(&path, &file[..file.len() - 2]).unwrap();
    let mut graph = Graph::new();
    graph.add("source", PcapSource::open(&path).unwrap());
    let kept = Kept::default();
    graph.add("keep", Keep { input: MsgIn::new(), kept: kept.clone() });
    graph.connect_names("source", "keep");
    let error = graph.run().unwrap_err().to_string();
    assert!(error.contains("the file ends after 3 of the 5 bytes of a packet"), "{error}");
    let kept = kept.lock().unwrap();
    assert_eq!(kept.len(), 99);
    assert_eq!((kept[98].items(), kept[98].get("time_ns")), (&[98; 5][..], Some(&Value::from(98u64))));
}
