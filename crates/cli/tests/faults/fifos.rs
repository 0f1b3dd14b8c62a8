//! Named pipes that nobody opens, whose other side stalls, or leaves.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;

use super::*;
use crate::common::{folder, wait_for_start};

fn from_pipe(pipe: &Path) -> String {
    format!(
        "connections = [\"source -> sink\"]\n[blocks.source]\ntype = \"file_source\"\nformat = \"f32\"\npath = {}\n\
         [blocks.sink]\ntype = \"null_sink\"\nitem = \"f32\"\n",
        quoted(pipe)
    )
}

fn into_pipe(pipe: &Path) -> String {
    let sink = format!("type = \"file_sink\"\nformat = \"f32\"\npath = {}", quoted(pipe));
    zeros_into(None, "f32", &sink)
}

#[test]
fn a_graph_that_waits_for_the_other_side_of_a_pipe_ends_at_each_signal() {
    let folder = folder("pipe-nobody");
    let pipe = fifo(&folder);
    for (name, text) in [("reads", from_pipe(&pipe)), ("writes", into_pipe(&pipe))] {
        for (name_of_signal, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
            let child = run(&graph(&folder, name, &text)).spawn().unwrap();
            wait_for_start(&child);
            signal(&child, name_of_signal);
            let output = end(child);
            let text = said(&output);
            // What could not be handed to anybody is reported.
            let lost = "did not take the last";
            let ending = format!("superhet: stopped by SIG{name_of_signal}, so the output ends early\n");
            assert_eq!(output.status.signal(), Some(number), "{name} {name_of_signal}: {text}");
            assert!(
                text == ending || name == "writes" && text.contains(lost) && text.ends_with(&ending),
                "{text}"
            );
        }
    }
}

#[test]
fn a_reader_that_leaves_has_enough() {
    let folder = folder("pipe-leaves");
    let pipe = fifo(&folder);
    let child = run(&graph(&folder, "graph", &into_pipe(&pipe))).spawn().unwrap();
    let mut bytes = vec![1; 300_000];
    File::open(&pipe).unwrap().read_exact(&mut bytes).unwrap();
    assert!(bytes.iter().all(|byte| *byte == 0));
    went_well(&end(child));
}

#[test]
fn a_reader_that_stalls_does_not_keep_a_stopped_graph_and_what_it_did_not_take_is_reported() {
    let folder = folder("pipe-stalls");
    let pipe = fifo(&folder);
    let child = run(&graph(&folder, "graph", &into_pipe(&pipe))).spawn().unwrap();
    let mut reader = File::open(&pipe).unwrap();
    reader.read_exact(&mut [0; 1000]).unwrap();
    signal(&child, "INT");
    let output = end(child);
    drop(reader);
    let text = said(&output);
    assert_eq!(output.status.signal(), Some(2), "{text}");
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.len() == 2 && lines[0].contains("the reader of the pipe did not take the last"), "{text}");
    assert_eq!(lines[1], "superhet: stopped by SIGINT, so the output ends early");
}

#[test]
fn a_writer_that_stalls_is_waited_for_and_one_that_leaves_in_mid_sample_is_an_error() {
    let folder = folder("pipe-writer");
    let pipe = fifo(&folder);
    let taken = folder.join("taken");
    let text = format!(
        "connections = [\"source -> sink\"]\n[blocks.source]\ntype = \"file_source\"\nformat = \"f32\"\npath = {}\n\
         [blocks.sink]\ntype = \"file_sink\"\nformat = \"f32\"\npath = {}\n",
        quoted(&pipe),
        quoted(&taken)
    );
    let child = run(&graph(&folder, "graph", &text)).spawn().unwrap();
    let mut writer = File::options().write(true).open(&pipe).unwrap();
    for part in [&[7; 1001][..], &[7; 1002], &[7; 1000]] {
        writer.write_all(part).unwrap();
        std::thread::sleep(Duration::from_millis(120));
    }
    drop(writer);
    let text = one_error(&end(child));
    assert!(
        text.contains(
            "pipe: the recording is cut in mid-sample: at byte 3000 (sample 750) there are 3 bytes"
        ),
        "{text}"
    );
    assert_eq!(std::fs::read(taken).unwrap(), [7; 3000]);
}
