//! Flowgraphs of GNU Radio Companion with blocks of its modules `zeromq` and `network`.

use std::fmt::Write;
use std::io::Read;
use std::net::TcpListener;

use crate::common::*;

/// A name, an id, and parameters as text.
type Block<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)]);

/// A flowgraph of these blocks.
fn flowgraph(blocks: &[Block<'_>], connections: &[(&str, &str)]) -> String {
    let mut text =
        "options:\n  parameters:\n    id: test\n    generate_options: no_gui\nblocks:\n".to_owned();
    for (name, id, parameters) in blocks {
        writeln!(text, "- name: {name}\n  id: {id}\n  parameters:").unwrap();
        for (parameter, value) in *parameters {
            writeln!(text, "    {parameter}: \"{value}\"").unwrap();
        }
        text.push_str("  states:\n    state: enabled\n");
    }
    text.push_str("connections:\n");
    for (from, to) in connections {
        writeln!(text, "- [{from}, '0', {to}, '0']").unwrap();
    }
    text + "metadata:\n  file_format: 1\n"
}

const SOURCE: Block<'static> =
    ("source", "blocks_vector_source_x", &[("type", "int"), ("vector", "range(12)"), ("vlen", "2")]);

#[test]
fn vectors_go_through_zeromq_and_back() {
    let folder = folder("zeromq");
    let address = format!("ipc://{}", folder.join("socket").display());
    let zeromq: &[(&str, &str)] =
        &[("type", "int"), ("vlen", "2"), ("address", &address), ("pass_tags", "True"), ("hwm", "-1")];
    let blocks: &[Block<'_>] = &[
        SOURCE,
        ("sink", "zeromq_push_sink", zeromq),
        ("back", "zeromq_pull_source", zeromq),
        ("head", "blocks_head", &[("type", "int"), ("vlen", "2"), ("num_items", "6")]),
        ("file", "blocks_file_sink", &[("type", "int"), ("vlen", "2"), ("file", "back.i32")]),
    ];
    let connections = [("source", "sink"), ("back", "head"), ("head", "file")];
    let path = folder.join("graph.grc");
    std::fs::write(&path, flowgraph(blocks, &connections)).unwrap();
    stdout(&["run", path.to_str().unwrap()]);
    let wanted: Vec<u8> = (0..12i32).flat_map(i32::to_le_bytes).collect();
    assert_eq!(std::fs::read(folder.join("back.i32")).unwrap(), wanted);
}

#[test]
fn vectors_go_to_a_tcp_server() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port().to_string();
    let sink: &[(&str, &str)] =
        &[("type", "int"), ("vlen", "2"), ("mode", "1"), ("addr", "127.0.0.1"), ("port", &port)];
    let path = folder("tcp").join("graph.grc");
    let blocks = [SOURCE, ("sink", "network_tcp_sink", sink)];
    std::fs::write(&path, flowgraph(&blocks, &[("source", "sink")])).unwrap();
    stdout(&["run", path.to_str().unwrap()]);
    let mut bytes = Vec::new();
    server.accept().unwrap().0.read_to_end(&mut bytes).unwrap();
    assert_eq!(bytes, (0..12i32).flat_map(i32::to_le_bytes).collect::<Vec<u8>>());
}

#[test]
fn blocks_of_network_are_checked_without_a_socket() {
    let udp: &[(&str, &str)] = &[
        ("type", "int"),
        ("vlen", "2"),
        ("port", "1234"),
        ("addr", "127.0.0.1"),
        ("header", "1"),
        ("payloadsize", "1472"),
        ("notify_missed", "True"),
        ("src_zeros", "False"),
        ("ipv6", "False"),
        ("send_eof", "True"),
    ];
    let pdus: &[(&str, &str)] = &[
        ("type", "UDP_SERVER"),
        ("host", ""),
        ("port", "52001"),
        ("mtu", "10000"),
        ("tcp_no_delay", "False"),
    ];
    let blocks = [
        ("source", "network_udp_source", udp),
        ("sink", "network_udp_sink", udp),
        ("pdus", "network_socket_pdu", pdus),
    ];
    let path = folder("network").join("graph.grc");
    std::fs::write(&path, flowgraph(&blocks, &[("source", "sink")])).unwrap();
    stdout(&["check", path.to_str().unwrap()]);
}
