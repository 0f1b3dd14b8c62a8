//! Bad input gets one clear error that says what, where and what was expected: never a panic, never a hang.

mod common;

use common::*;

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
