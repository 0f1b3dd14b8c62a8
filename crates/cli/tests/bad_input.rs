//! Bad input gets one clear error that says what, where and what was expected: never a panic, never a hang.

use crate::common::*;

#[test]
fn a_missing_file_is_named() {
    let (text, _) = failure(&["adsb", "no/such/file.cu8"]);
    assert!(text.contains("no/such/file.cu8"), "{text}");
    let (text, code) = failure(&["run", "no/such/graph.toml"]);
    assert!(text.contains("no/such/graph.toml"), "{text}");
    assert!(code == 1 || code == 2);
}

#[test]
fn an_empty_recording_is_an_error() {
    let folder = folder("empty");
    let path = folder.join("empty.cu8");
    std::fs::write(&path, []).unwrap();
    let (text, code) = failure(&["adsb", path.to_str().unwrap()]);
    assert!(text.contains("empty.cu8") && text.contains("empty"), "{text}");
    assert_eq!(code, 1);
}

#[test]
fn a_recording_cut_in_mid_sample_gives_its_messages_and_then_an_error() {
    let folder = folder("cut");
    let path = folder.join("cut.cu8");
    let bytes = std::fs::read(recording()).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() / 2 + 1]).unwrap();
    let output = run(&["adsb", "--json", path.to_str().unwrap()]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("cut.cu8") && text.contains("1 byte"), "{text}");
    assert!(text.contains(&(bytes.len() / 2).to_string()), "the offset: {text}");
}

#[test]
fn a_wav_file_that_lies_about_its_length_is_an_error() {
    let folder = folder("wav");
    let path = folder.join("lies.wav");
    let mut header = Vec::new();
    header.extend(b"RIFF\xff\xff\xff\x7fWAVEfmt \x10\0\0\0\x01\0\x02\0");
    header.extend(2_000_000u32.to_le_bytes());
    header.extend(8_000_000u32.to_le_bytes());
    header.extend(b"\x04\0\x10\0data\0\xff\xff\x7f");
    header.extend([0; 100]);
    std::fs::write(&path, header).unwrap();
    let (text, code) = failure(&["adsb", path.to_str().unwrap()]);
    assert!(text.contains("lies.wav"), "{text}");
    assert_eq!(code, 1);
}

#[test]
fn all_mistakes_of_a_graph_file_come_at_once() {
    let folder = folder("mistakes");
    let path = folder.join("bad.toml");
    let text = r#"
        connections = ["numbers -> louder -> magnitude -> sink", "numbers -> tap"]
        [blocks.numbers]
        type = "vector_source"
        values = [1, 2, 3]
        item = "f32"
        [blocks.louder]
        type = "multiply_cosnt"
        constant = 2
        [blocks.tap]
        type = "complex_to_mag"
        [blocks.magnitude]
        type = "head"
        items = -5
        [blocks.sink]
        type = "null_sink"
        item = "f32"
        [blocks.drop]
        type = "null_sink"
        item = "f32"
    "#;
    std::fs::write(&path, text).unwrap();
    for command in ["check", "run", "plan"] {
        let (text, code) = failure(&[command, path.to_str().unwrap()]);
        assert_eq!(code, 2);
        assert!(text.contains("did you mean multiply_const?"), "{text}");
        assert!(text.contains("numbers.out gives f32, tap.in takes C32"), "{text}");
        assert!(text.contains("items"), "{text}");
        assert!(text.contains("drop.in is not connected"), "{text}");
    }
}

#[test]
fn wrong_arguments_end_with_code_2() {
    for arguments in [
        &["adsb"][..],
        &["bench", "chain", "--workers", "0"],
        &["adsb", "x.cu8", "--format", "cu9"],
        &["adsb", "recording.xyz"],
        &["blocks", "magnitud"],
        &["run", "x.toml", "--set", "no value"],
    ] {
        let (text, code) = failure(arguments);
        assert_eq!(code, 2, "{arguments:?}: {text}");
    }
    assert!(failure(&["blocks", "complex_to_magg"]).0.contains("did you mean complex_to_mag?"));
}

#[test]
fn force_never_deletes_the_recording_itself() {
    let folder = folder("force");
    let bytes = std::fs::read(recording()).unwrap();
    for name in ["flight.sigmf-data", "flight.sigmf-meta"] {
        let path = folder.join(name);
        std::fs::write(&path, &bytes).unwrap();
        let base = folder.join(".").join("flight");
        let arguments = ["adsb", path.to_str().unwrap(), "--format", "cu8", "--rate", "2e6", "--json"];
        let output = run(&[&arguments[..], &["--force", "--sigmf", base.to_str().unwrap()]].concat());
        assert_eq!(std::fs::read(&path).unwrap(), bytes, "{output:?}");
        // Data can stand beside their metadata; metadata cannot take the place of the samples that they describe.
        assert_eq!(output.status.success(), name == "flight.sigmf-data", "{output:?}");
        std::fs::remove_file(&path).unwrap();
    }
}

#[test]
fn no_block_writes_the_file_that_another_reads() {
    let folder = folder("own-input");
    let path = folder.join("own.cu8");
    let graph = folder.join("graph.toml");
    let bytes = [7; 1_000_000];
    std::fs::write(&path, bytes).unwrap();
    std::os::unix::fs::symlink(&path, folder.join("link.cu8")).unwrap();
    std::fs::hard_link(&path, folder.join("hard.sigmf-data")).unwrap();
    for (sink, more) in [
        ("file_sink", "path = \"own.cu8\""),
        ("file_sink", "path = \"./link.cu8\"\nappend = true"),
        ("wav_sink", "path = \"link.cu8\"\nrate_hz = 1000\ninput = \"complex\""),
        ("sigmf_sink", "path = \"hard\"\nformat = \"cu8\"\noverwrite = true"),
    ] {
        for sink_first in [false, true] {
            let source = "[blocks.source]\ntype = \"file_source\"\npath = \"own.cu8\"\n".to_owned();
            let sink = format!("[blocks.sink]\ntype = \"{sink}\"\n{more}\n");
            let blocks = if sink_first { sink + &source } else { source + &sink };
            std::fs::write(&graph, format!("connections = [\"source -> sink\"]\n{blocks}")).unwrap();
            for command in ["check", "run"] {
                let (text, code) = failure(&[command, graph.to_str().unwrap()]);
                assert!(text.contains("read and written at once") && code == 2, "{text}");
            }
            assert_eq!(std::fs::read(&path).unwrap(), bytes);
        }
    }
}

#[test]
fn stdout_that_cannot_be_written_is_an_error_and_one_that_nobody_reads_is_none() {
    let file = project("examples/adsb.toml");
    let (file, recording) = (file.to_str().unwrap().to_owned(), recording().to_str().unwrap().to_owned());
    for arguments in [
        &["adsb", &recording][..],
        &["adsb", "--json", &recording],
        &["run", &file],
        &["run", &file, "--set", "print.style=text", "--json"],
        &["plan", &file],
        &["plan", &file, "--json"],
        &["blocks"],
        &["blocks", "--json"],
        &["blocks", "head"],
    ] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = superhet(arguments).stdout(full).output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {text}");
        assert!(text.contains("cannot write to stdout: No space left"), "{arguments:?}: {text}");
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = superhet(arguments).stdout(writer).output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {text}");
        assert!(!text.contains("panicked"), "{arguments:?}: {text}");
    }
}

#[test]
fn what_sigmf_cannot_describe_is_refused_before_anything_is_decoded() {
    let folder = folder("sigmf-of");
    let base = folder.join("x");
    let base = base.to_str().unwrap();
    let (text, code) = failure(&["adsb", "-", "--format", "cu8", "--sigmf", base]);
    assert!(text.contains("--sigmf describes a raw recording in a file, not stdin") && code == 2, "{text}");
    let (text, code) = failure(&["adsb", "-"]);
    assert!(text.contains("stdin does not tell its sample format") && code == 2, "{text}");
    let (text, code) = failure(&["adsb", recording().to_str().unwrap(), "--force"]);
    assert!(text.contains("--sigmf <BASE>") && code == 2, "{text}");
}

#[test]
fn a_name_that_tells_no_format_gets_a_sentence_that_says_how_to_tell_it() {
    let folder = folder("no-format");
    let path = folder.join("recording");
    std::fs::write(&path, [0; 100]).unwrap();
    let (text, code) = failure(&["adsb", path.to_str().unwrap()]);
    let wanted = "recording: the name does not tell the sample format; set the format, for example to cu8 (--format cu8)\n";
    assert!(text.ends_with(wanted) && code == 2, "{text}");
}

#[test]
fn a_level_of_the_log_that_there_is_not_is_reported() {
    let list = |level: &str| {
        let output = superhet(&["blocks", "head"]).env("SUPERHET_LOG", level).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    for wrong in ["inof", "superhet=loud", "info,,=,x=y=z"] {
        let said = list(wrong);
        assert!(
            said.contains("SUPERHET_LOG") && said.contains("is ignored") && said.contains("expected"),
            "{said}"
        );
    }
    for right in ["", "info", "WARN", "superhet_io=debug,error", "superhet_io"] {
        assert_eq!(list(right), "", "{right}");
    }
}

#[test]
fn batch_says_where_it_is() {
    let (text, code) = failure(&["batch", "adsb", "archive", "--out", "found"]);
    let wanted = "pip install 'superhet[batch]', then python -m superhet batch adsb archive --out found";
    assert!(text.contains(wanted) && code == 2, "{text}");
}
