//! Graphs without a file, what they write to stdout, and what helps at the command line.

use std::io::{Read, Write};
use std::process::Stdio;

use crate::common::*;

const GRAPH: &str = "vector_source values=[1, 2, 3] item=f32 -> multiply_const item=f32 constant=2 -> file_sink path=- format=f32";

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
}

/// Runs the command with a text on stdin.
fn with_stdin(arguments: &[&str], text: &str) -> std::process::Output {
    let mut command = superhet(arguments);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn a_graph_in_a_line_runs_as_one_in_a_file() {
    let output = run(&["run", "-e", GRAPH]);
    assert_eq!(floats(&output.stdout), [2.0, 4.0, 6.0], "{}", String::from_utf8_lossy(&output.stderr));
    let output = run(&["run", "-e", GRAPH, "--set", "multiply_const.constant=-1"]);
    assert_eq!(floats(&output.stdout), [-1.0, -2.0, -3.0]);
    let named = "gain=3; v:vector_source values=[1, 2] item=f32; v -> null_sink item=f32; \
                 v.out -> multiply_const item=f32 constant==gain+1 -> file_sink path=- format=f32";
    assert_eq!(floats(&run(&["run", "-e", named]).stdout), [4.0, 8.0]);
    assert_eq!(floats(&run(&["run", "-e", named, "--set", "gain=1"]).stdout), [2.0, 4.0]);
    let plan = stdout(&["plan", "-e", GRAPH]);
    assert!(plan.contains("multiply_const (pure)"), "{plan}");
    let check = run(&["check", "-e", GRAPH]);
    assert!(String::from_utf8_lossy(&check.stderr).contains("3 blocks, no mistakes"));
}

#[test]
fn a_former_name_of_a_parameter_works_and_warns() {
    let graph =
        "signal_source item=f32 rate_hz=8 freq_hz=2 -> head item=f32 items=4 -> file_sink path=- format=f32";
    let output = run(&["run", "-e", graph]);
    let warning = String::from_utf8_lossy(&output.stderr).into_owned();
    let items = floats(&output.stdout);
    let wanted = [1.0, 0.0, -1.0, 0.0];
    assert!(items.iter().zip(wanted).all(|(x, wanted)| (x - wanted).abs() < 1e-6), "{items:?}: {warning}");
    let words = "signal_source: freq_hz is called frequency_hz now";
    assert_eq!(warning.matches(words).count(), 1, "{warning}");
    let output = run(&["run", "-e", &graph.replace("freq_hz", "frequency_hz")]);
    assert_eq!((floats(&output.stdout), output.stderr.len()), (items, 0));
    let both = graph.replace("freq_hz=2", "freq_hz=2 frequency_hz=3");
    let (error, code) = failure(&["check", "-e", &both]);
    let words = "freq_hz: is what frequency_hz was called before: expected one of the two";
    assert!(code == 2 && error.contains(words), "{error}");
}

#[test]
fn a_mistake_in_a_line_says_in_which_column() {
    for (graph, words) in [
        ("null_source => null_sink", "column 13: expected a parameter before the ="),
        (
            "null_source -> nul_sink",
            "column 16: block nul_sink: there is no block type nul_sink; did you mean null_sink?",
        ),
        ("null_source -> head item=3", "column 21: block head: item: expected one of"),
        ("null_source -> head -> null_sink", "column 16: block head: items: is missing"),
        ("null_source -> null_sink item=f32", "column 16: null_source.out gives C32, null_sink.in takes f32"),
        ("null_source", "column 1: null_source.out is not connected"),
        ("", "column 1: expected a block"),
    ] {
        for command in ["run", "check", "plan"] {
            let (error, code) = failure(&[command, "-e", graph]);
            assert!(code == 2 && error.contains(words), "{command} {graph}: {error}");
        }
    }
    let (error, code) = failure(&["run"]);
    assert!(code == 2 && error.contains("--expression"), "{error}");
    let (error, code) = failure(&["run", "x.toml", "-e", "null_source -> null_sink"]);
    assert!(code == 2 && error.contains("cannot be used with"), "{error}");
}

#[test]
fn a_graph_file_can_come_from_stdin() {
    let text = "connections = [\"a -> b -> c\"]\n[blocks.a]\ntype = \"null_source\"\n[blocks.b]\ntype = \"head\"\nitems = 3\n\
                [blocks.c]\ntype = \"file_sink\"\npath = \"-\"\nformat = \"cf32\"\n";
    assert_eq!(with_stdin(&["run", "-"], text).stdout, [0; 24]);
    let output = with_stdin(&["check", "-"], text);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "stdin: 3 blocks, no mistakes\n");
    let output = with_stdin(&["run", "-"], &text.replace("items", "itemz"));
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && words.contains("line 6: block b: itemz"), "{words}");
}

#[test]
fn json_and_samples_never_share_stdout() {
    for path in ["-", "/dev/stdout", "/proc/self/fd/1"] {
        let graph = GRAPH.replace("path=-", &format!("path={path}"));
        let output = run(&["run", "--json", "-e", &graph]);
        let words = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && output.stdout.is_empty(), "{path}: {output:?}");
        assert!(words.contains("--json writes to stdout, and so does block file_sink"), "{words}");
        for options in [&["plan", "--measure", "--json"][..], &["plan", "--measure"]] {
            let output = run(&[options, &["-e", &graph]].concat());
            let words = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.code() == Some(2) && output.stdout.is_empty(), "{path}: {output:?}");
            assert!(words.contains("plan --measure writes to stdout"), "{words}");
        }
    }
    let folder = folder("json");
    let (samples, report) = (folder.join("x.f32"), folder.join("report.json"));
    let graph = GRAPH.replace("path=- ", &format!("path={} ", samples.display()));
    let json: serde_json::Value = serde_json::from_str(&stdout(&["run", "--json", "-e", &graph])).unwrap();
    assert_eq!(json["blocks"][0]["name"], "vector_source");
    let output = run(&["run", "--report-json", report.to_str().unwrap(), "-e", GRAPH]);
    assert_eq!(floats(&output.stdout), [2.0, 4.0, 6.0]);
    assert!(serde_json::from_slice::<serde_json::Value>(&std::fs::read(report).unwrap()).is_ok());
}

#[test]
fn samples_do_not_go_to_a_terminal() {
    let convert = ["convert", recording().to_str().unwrap(), "-", "--out-format", "cs8"].map(str::to_owned);
    let replay = ["replay", recording().to_str().unwrap()].map(str::to_owned);
    let tty = |arguments: &[String]| {
        let terminal =
            rustix::pty::openpt(rustix::pty::OpenptFlags::RDWR | rustix::pty::OpenptFlags::NOCTTY).unwrap();
        rustix::pty::grantpt(&terminal).unwrap();
        rustix::pty::unlockpt(&terminal).unwrap();
        let name = rustix::pty::ptsname(&terminal, Vec::new()).unwrap().into_string().unwrap();
        let screen = std::fs::OpenOptions::new().read(true).write(true).open(&name).unwrap();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let output = superhet(&arguments).stdout(screen).stderr(Stdio::piped()).output().unwrap();
        // The screen is closed: what is left in the terminal can be read to its end.
        let (mut shown, mut master) = (Vec::new(), std::fs::File::from(terminal));
        let _ = master.read_to_end(&mut shown);
        (output, shown)
    };
    let graph = |path: &str| {
        ["run", "-e", &GRAPH.replace("path=-", &format!("path={path}"))].map(str::to_owned).to_vec()
    };
    for arguments in [convert.to_vec(), replay.to_vec(), graph("-"), graph("/dev/stdout")] {
        let (output, shown) = tty(&arguments);
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {words}");
        assert!(
            words.contains("is a terminal, which samples would disturb") || words.contains("is a terminal"),
            "{words}"
        );
        assert!(shown.is_empty(), "{arguments:?}: {shown:?}");
    }
    // Words do.
    let (output, shown) = tty(&["blocks".to_owned(), "head".to_owned()]);
    assert!(output.status.success() && String::from_utf8_lossy(&shown).contains("The first items"));
}

#[test]
fn blocks_are_found_by_name_summary_and_what_gnu_radio_calls_them() {
    let found = |words: &[&str]| stdout(&[&["blocks", "--search"], words].concat());
    assert!(found(&["throttle"]).starts_with("throttle  Passes items on no faster"));
    assert!(found(&["quadrature"]).contains("quadrature_demod"));
    // By the summary, and several words all of which must be there, in one argument or several.
    assert!(found(&["first", "items", "ends"]).starts_with("head "));
    assert!(found(&["FIRST items ends"]).starts_with("head "));
    // `multiply_const_cc` is GNU Radio's, and so is the id of its companion.
    assert!(found(&["multiply_const_cc"]).starts_with("multiply_const "));
    assert!(found(&["analog_sig_source_x"]).contains("signal_source"));
    let json: serde_json::Value = serde_json::from_str(&found(&["throttle", "--json"])).unwrap();
    assert_eq!(json[0]["name"], "throttle");
    let (error, code) = failure(&["blocks", "--search", "throtle"]);
    assert!(code == 2 && error.contains("the nearest name is throttle"), "{error}");
    let (error, _) = failure(&["blocks", "head", "--search", "x"]);
    assert!(error.contains("cannot be used with"), "{error}");
}

#[test]
fn completions_and_manual_pages_are_there_for_every_command() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = stdout(&["completions", shell]);
        assert!(script.contains("resample") && script.contains("superhet"), "{shell}");
    }
    let (error, code) = failure(&["completions", "csh"]);
    assert!(code == 2 && error.contains("possible values"), "{error}");
    let folder = folder("man");
    let out = folder.join("pages");
    let path = out.to_str().unwrap();
    let wrote = run(&["man", "--out", path]);
    assert!(wrote.status.success(), "{wrote:?}");
    let help = stdout(&["--help"]);
    let commands =
        help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names: Vec<&str> =
        commands.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").collect();
    assert!(names.len() > 15, "{names:?}");
    for name in names {
        let page = std::fs::read_to_string(out.join(format!("superhet-{name}.1"))).unwrap();
        assert!(page.contains(".SH NAME") && page.contains(".SH SYNOPSIS"), "{name}");
    }
    assert!(out.join("superhet.1").exists() && stdout(&["man"]).contains(".SH SUBCOMMANDS"));
    let (error, code) = failure(&["man", "--out", path]);
    assert!(code == 2 && error.contains("--force"), "{error}");
    assert!(run(&["man", "--out", path, "--force"]).status.success());
}
