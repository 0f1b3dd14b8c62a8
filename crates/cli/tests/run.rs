//! `superhet run` with changes of parameters.

use crate::common::*;

/// A graph that multiplies ones by a constant, and writes them to a file.
fn graph(folder: &std::path::Path) -> (String, std::path::PathBuf) {
    let (path, output) = (folder.join("amp.toml"), folder.join("out.f32"));
    let text = format!(
        r#"
        connections = ["numbers -> amp -> sink"]
        [blocks.numbers]
        type = "vector_source"
        values = [1, 1, 1, 1, 1, 1, 1, 1]
        item = "f32"
        [blocks.amp]
        type = "multiply_const"
        item = "f32"
        constant = 2
        [blocks.sink]
        type = "file_sink"
        path = {:?}
        format = "rf32_le"
    "#,
        output.to_str().unwrap()
    );
    std::fs::write(&path, text).unwrap();
    (path.to_str().unwrap().to_owned(), output)
}

#[test]
fn parameters_change_at_the_items_that_the_command_line_says() {
    let folder = folder("at");
    let (path, output) = graph(&folder);
    for workers in [&["--scheduler", "single"][..], &["--scheduler", "adaptive", "--workers", "2"]] {
        let changes = ["run", &path, "--at", "5:amp.constant=-1.5", "--at", "3:amp.constant=1k"];
        stdout(&[&changes[..], workers].concat());
        let bytes = std::fs::read(&output).unwrap();
        let items: Vec<f32> = bytes.chunks(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect();
        assert_eq!(items, [2.0, 2.0, 2.0, 1000.0, 1000.0, -1.5, -1.5, -1.5]);
    }
}

#[test]
fn changes_that_do_not_fit_end_with_code_2_before_anything_runs() {
    let folder = folder("at-wrong");
    let (path, output) = graph(&folder);
    for (change, words) in [
        ("5:amp.constnat=1", "there is no parameter amp.constnat; did you mean constant?"),
        ("5:numbers.values=1", "there is no parameter numbers.values"),
        ("5:amp.constant=loud", "amp.constant: constant = \"loud\": expected a real number"),
        ("amp.constant=1", "expected INDEX:BLOCK.PARAMETER=VALUE"),
    ] {
        let (text, code) = failure(&["run", &path, "--at", change]);
        assert_eq!(code, 2, "{text}");
        assert!(text.contains(words), "{text}");
        assert!(std::fs::read(&output).map_or(true, |bytes| bytes.is_empty()));
    }
}

#[test]
fn messages_that_can_never_fit_are_a_mistake_of_the_graph() {
    let folder = folder("never");
    let (path, _) = graph(&folder);
    let text = std::fs::read_to_string(&path).unwrap();
    let tuner = "\n[blocks.tuner]\ntype = \"message_strobe\"\nmessage = \"no map\"\nperiod_s = 0.001\n";
    std::fs::write(&path, text.replace("-> sink\"]", "-> sink\", \"tuner -> amp.set\"]") + tuner).unwrap();
    let (text, code) = failure(&["run", &path]);
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("tuner.out gives text, amp.set takes maps"), "{text}");
}
