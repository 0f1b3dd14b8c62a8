//! What files and variables say reaches a terminal as letters, never as commands to it.

use super::*;
use crate::common::folder;

/// That a text has no control character but the ends of its lines, and shows one that there was.
fn is_clean(text: &[u8], shown: &str) {
    let text = String::from_utf8(text.to_vec()).unwrap();
    assert!(!text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t')), "{text:?}");
    assert!(text.contains(shown), "{text}");
}

#[test]
fn errors_of_a_run_show_control_characters_instead_of_sending_them() {
    let folder = folder("escape-errors");
    let path = "type = \"file_sink\"\nformat = \"f32\"\npath = \"/proc/\\u001b]0;pwn\\u0007\\u009b31m\"";
    let by_path = output(run(&graph(&folder, "path", &zeros_into(Some(10), "f32", path))));
    assert_eq!(by_path.status.code(), Some(1), "{}", said(&by_path));
    is_clean(&by_path.stderr, r"/proc/\u{1b}]0;pwn\u{7}\u{9b}31m");

    let key = "type = \"crc32\"\nlength_tag = \"\\u001b[2J\\u001b[31mHACKED\\u007f\"";
    let text = zeros_into(None, "u8", key).replace("source -> sink", "source -> sink -> null")
        + "[blocks.null]\ntype = \"null_sink\"\nitem = \"u8\"\n";
    let by_key = output(run(&graph(&folder, "key", &text)));
    assert_eq!(by_key.status.code(), Some(1), "{}", said(&by_key));
    is_clean(&by_key.stderr, r"\u{1b}[2J\u{1b}[31mHACKED\u{7f}");
}

#[test]
fn names_of_blocks_have_no_control_characters() {
    let folder = folder("escape-names");
    let text = zeros_into(Some(10), "f32", "type = \"null_sink\"\nitem = \"f32\"")
        .replace("[blocks.source]", "[blocks.\"a\\u009b31m\"]")
        .replace("source ->", "a\\u009b31m ->");
    let graph = graph(&folder, "names", &text);
    for command in ["run", "check", "plan"] {
        let output = output(superhet("true", &[command, graph.to_str().unwrap()]));
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        is_clean(&output.stderr, "the name of a block has letters, digits, _ and -");
    }
}

#[test]
fn warnings_are_clean_too() {
    let folder = folder("escape-warnings");
    let profile = folder.join("kernels.toml");
    std::fs::write(&profile, "[machine]\ncpu = \"x\u{1b}[31m\u{9b}\"\n").unwrap();
    let multiply = zeros_into(Some(1000), "f32", "type = \"multiply_const\"\nitem = \"f32\"\nconstant = 2")
        .replace("head -> sink", "head -> sink -> null")
        + "[blocks.null]\ntype = \"null_sink\"\nitem = \"f32\"\n";
    let multiply = graph(&folder, "multiply", &multiply);
    for setup in [
        // Where a variant is forced no profile is read.
        format!("unset SUPERHET_KERNEL && export SUPERHET_KERNELS={}", profile.display()),
        "export SUPERHET_KERNEL=\"$(printf 'x\\033[31m')\"".to_owned(),
    ] {
        let output = output(after(&setup, &multiply));
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        is_clean(&output.stderr, "superhet-kernels: ");
    }
    // A header that lies is a warning that names its file.
    let wav = folder.join("x\u{1b}[31m.wav");
    let mut bytes =
        b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data\xff\0\0\0"
            .to_vec();
    bytes.extend([0; 100]);
    std::fs::write(&wav, bytes).unwrap();
    let text = "connections = [\"source -> sink\"]\n[blocks.source]\ntype = \"wav_source\"\nlenient = true\n\
                path = \"x\\u001b[31m.wav\"\n[blocks.sink]\ntype = \"null_sink\"\nitem = \"f32\"\n";
    let output = output(run(&graph(&folder, "lenient", text)));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    is_clean(&output.stderr, "[31m.wav");
}

#[test]
fn printed_tags_escape_every_control_character_and_mean_the_same() {
    let folder = folder("escape-tags");
    let tags = folder.join("tags.jsonl");
    let line = "{\"index\": 3, \"key\": \"a\u{9b}31m\", \"value\": \"\u{7f}\\u001b[2J\u{85}ü\"}\n";
    std::fs::write(&tags, line).unwrap();
    let text = format!(
        "connections = [\"source -> head -> tags -> print\"]\n[blocks.source]\ntype = \"null_source\"\nitem = \"f32\"\n\
         [blocks.head]\ntype = \"head\"\nitem = \"f32\"\nitems = 10\n\
         [blocks.tags]\ntype = \"tags_from_file\"\nitem = \"f32\"\npath = {}\n\
         [blocks.print]\ntype = \"tag_debug\"\nitem = \"f32\"\n",
        quoted(&tags)
    );
    let output = output(run(&graph(&folder, "graph", &text)));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    is_clean(&output.stdout, r"\u007f\u001b[2J\u0085ü");
    let printed: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(printed["key"], "a\u{9b}31m");
    assert_eq!(printed["value"], "\u{7f}\u{1b}[2J\u{85}ü");
}
