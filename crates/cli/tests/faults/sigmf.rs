//! Metadata that claim to be larger than any are.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};

use super::*;
use crate::common::folder;

fn recording(path: &Path) -> String {
    format!(
        "connections = [\"source -> sink\"]\n[blocks.source]\ntype = \"sigmf_source\"\npath = {}\n\
         [blocks.sink]\ntype = \"null_sink\"\nitem = \"C32\"\n",
        quoted(path)
    )
}

/// A tar header of a file of so many bytes.
fn tar_header(name: &str, bytes: u64) -> [u8; 512] {
    let mut header = [0; 512];
    header[..name.len()].copy_from_slice(name.as_bytes());
    header[124..128].copy_from_slice(&[0x80, 0, 0, 0]);
    header[128..136].copy_from_slice(&bytes.to_be_bytes());
    header[148..156].fill(b' ');
    header[156] = b'0';
    header[257..263].copy_from_slice(b"ustar\0");
    let sum: u32 = header.iter().map(|&b| u32::from(b)).sum();
    header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    header
}

#[test]
fn metadata_that_are_too_long_are_an_error_in_a_file_and_in_an_archive() {
    let folder = folder("long-metadata");
    for bytes in [1u64 << 40, 3 << 30, (256 << 20) + 1] {
        let (meta, archive) = (folder.join("x.sigmf-meta"), folder.join("y.sigmf"));
        let sparse = File::create(&meta).and_then(|file| file.set_len(bytes));
        if sparse.is_err() {
            eprintln!("skipped: this file system takes no file of {bytes} bytes");
            continue;
        }
        let mut file = File::create(&archive).unwrap();
        file.write_all(&tar_header("y.sigmf-meta", bytes)).unwrap();
        file.seek(SeekFrom::Start(0)).unwrap();
        file.set_len(bytes.next_multiple_of(512) + 2048).unwrap();
        for path in [&meta, &archive] {
            let output = output(after("ulimit -v 4000000", &graph(&folder, "graph", &recording(path))));
            let text = said(&output);
            assert_eq!(output.status.code(), Some(2), "{text}");
            let wanted = format!("no SigMF recording: {bytes} bytes of metadata, at most 268435456 are read");
            assert!(text.contains(&wanted), "{text}");
        }
    }
}

#[test]
fn sparse_metadata_within_the_limit_are_not_json() {
    let folder = folder("sparse-metadata");
    let path = folder.join("x.sigmf-meta");
    File::create(&path).unwrap().set_len(16 << 20).unwrap();
    let output = output(run(&graph(&folder, "graph", &recording(&path))));
    let text = said(&output);
    assert!(output.status.code() == Some(2) && text.contains("x.sigmf-meta: not JSON"), "{text}");
}
