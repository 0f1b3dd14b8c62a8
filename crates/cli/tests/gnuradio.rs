//! Flowgraphs of GNU Radio Companion with the real library, and the table of GNU Radio's names.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::common::*;
use superhet::flow::gnuradio::{Call, Setting, table};
use superhet::flow::python::Scope;
use superhet::runtime::catalog::Direction;

/// A copy of an example in a folder of its own, as what it writes lies beside it.
fn example(name: &str) -> (String, std::path::PathBuf) {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let folder = folder(&format!("grc-{name}-{}", COUNT.fetch_add(1, Ordering::Relaxed)));
    let path = folder.join(format!("{name}.grc"));
    std::fs::copy(project(&format!("examples/grc/{name}.grc")), &path).unwrap();
    (path.to_str().unwrap().to_owned(), folder)
}

fn floats(path: &Path) -> Vec<f32> {
    let bytes = std::fs::read(path).unwrap();
    bytes.chunks(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
}

fn assert_near(got: &[f32], expected: &[f32], tolerance: f32) {
    assert_eq!(got.len(), expected.len());
    let worst = got.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(worst <= tolerance, "they differ by {worst}");
}

/// What `vector.grc` writes: 16 numbers times 1.5 − 0.5j, four times.
fn scaled() -> Vec<f32> {
    let one = |k: usize| {
        let x = (k % 16) as f32 / 8.0;
        // (x − jx)(1.5 − 0.5j) = x − 2jx
        [x, -2.0 * x]
    };
    (0..64).flat_map(one).collect()
}

#[test]
fn a_vector_is_scaled_into_a_file() {
    let (path, folder) = example("vector");
    stdout(&["run", &path]);
    assert_near(&floats(&folder.join("vector.cf32")), &scaled(), 1e-6);
    // Variables and the parameters of blocks, by their names in GNU Radio Companion.
    stdout(&["run", &path, "--set", "gain=2", "--set", "blocks_head_0.num_items=3"]);
    let expected = [0.0, 0.0, 0.25, -0.25, 0.5, -0.5];
    assert_near(&floats(&folder.join("vector.cf32")), &expected, 1e-6);
}

#[test]
fn a_tone_comes_back_from_its_frequency_modulation() {
    let (path, folder) = example("fm");
    stdout(&["run", &path]);
    let got = floats(&folder.join("fm.rf32"));
    assert_eq!(got.len(), 240);
    let tone = |n: i64| if n < 1 { 0.0 } else { (std::f32::consts::TAU * n as f32 / 48.0).cos() };
    // The first sample has no phase before it.
    let expected: Vec<f32> =
        (0..240).map(|m| 2 * m).map(|n| 0.25 * tone(n) + 0.5 * tone(n - 1) + 0.25 * tone(n - 2)).collect();
    assert_near(&got[2..], &expected[2..], 1e-3);
}

#[test]
fn the_channels_of_a_sound_are_exchanged() {
    use superhet_io::{Shape, wav};
    let folder = folder("grc-sound");
    let sound: Vec<f32> = (0..20_000).map(|n| (n % 200) as f32 / 256.0 - 0.25).collect();
    let (from, to) = (folder.join("from.wav"), folder.join("to.wav"));
    let mut writer = wav::WavWriter::create(&from, 8000, Shape::Complex, wav::WavEncoding::S16).unwrap();
    writer.write_frames(&sound).unwrap();
    writer.finish().unwrap();
    let text = "\
options: {parameters: {id: sound, generate_options: no_gui}}
blocks:
- {name: from, id: blocks_wavfile_source, parameters: {file: from.wav, nchan: '2', repeat: 'False'}}
- {name: to, id: blocks_wavfile_sink, parameters: {file: to.wav, nchan: '2', samp_rate: '8000', format: FORMAT_WAV, bits_per_sample1: FORMAT_PCM_24, append: 'False'}}
connections:
- [from, '0', to, '1']
- [from, '1', to, '0']
metadata: {file_format: 1}
";
    let path = folder.join("sound.grc");
    std::fs::write(&path, text).unwrap();
    stdout(&["run", path.to_str().unwrap()]);
    let mut reader = wav::WavReader::open(&to).unwrap();
    let header = (reader.header().encoding, reader.header().sample_rate_hz, reader.header().frames);
    assert_eq!(header, (wav::WavEncoding::S24, 8000, 10_000));
    let mut got = vec![0.0; 20_000];
    reader.read_frames(&mut got).unwrap();
    let exchanged: Vec<f32> = sound.chunks(2).flat_map(|pair| [pair[1], pair[0]]).collect();
    assert_eq!(got, exchanged);
    // Sound of another kind is a mistake that says so.
    std::fs::write(&path, text.replace("FORMAT_WAV", "FORMAT_FLAC")).unwrap();
    let output = superhet(&["run", path.to_str().unwrap()]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && said.contains("encoding"), "{said}");
}

#[test]
fn messages_are_printed_until_it_is_stopped() {
    let (path, _) = example("strobe");
    let mut child = superhet(&["run", &path]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > Duration::from_secs(10) {
            child.kill().unwrap();
            panic!("it does not stop");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let output = child.wait_with_output().unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    assert!(lines.lines().count() >= 2 && lines.lines().all(|line| line.contains("tick")), "{lines}");
}

#[test]
fn a_converted_flowgraph_runs_the_same() {
    let (path, folder) = example("vector");
    let toml = folder.join("vector.toml");
    stdout(&["convert", &path, toml.to_str().unwrap()]);
    let text = std::fs::read_to_string(&toml).unwrap();
    assert!(text.contains("\"path\" = \"vector.cf32\"") && text.contains("name = \"vector\""), "{text}");
    assert_eq!(stdout(&["convert", &path]), text);
    stdout(&["run", toml.to_str().unwrap()]);
    assert_near(&floats(&folder.join("vector.cf32")), &scaled(), 1e-6);
    // From another folder the file is still the same.
    let elsewhere = crate::common::folder("grc-elsewhere").join("vector.toml");
    stdout(&["convert", &path, elsewhere.to_str().unwrap(), "--set", "gain=0"]);
    stdout(&["run", elsewhere.to_str().unwrap()]);
    assert!(floats(&folder.join("vector.cf32")).iter().all(|x| *x == 0.0));
    for name in ["fm", "strobe"] {
        let (path, folder) = example(name);
        let toml = folder.join("it.toml");
        stdout(&["convert", &path, toml.to_str().unwrap()]);
        stdout(&["check", toml.to_str().unwrap()]);
    }
}

#[test]
fn examples_have_no_mistakes_and_can_be_planned() {
    for name in ["vector", "fm", "strobe"] {
        let (path, folder) = example(name);
        stdout(&["check", &path]);
        stdout(&["plan", &path]);
        let written = std::fs::read_dir(folder).unwrap().count();
        assert!(written <= 2);
    }
}

#[test]
fn what_needs_python_ends_with_code_2_and_nothing_runs() {
    let folder = folder("grc-python");
    let path = folder.join("bad.grc");
    let marker = folder.join("pwned");
    let text = format!(
        "blocks:\n- {{name: x, id: variable, parameters: {{value: \"__import__('os').system('touch {}')\"}}}}\n\
         - {{name: e, id: epy_block, parameters: {{_source_code: \"open('{0}', 'w')\"}}}}\n\
         metadata: {{file_format: 1}}\n",
        marker.display()
    );
    std::fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap();
    for command in [&["run", path][..], &["check", path], &["plan", path], &["convert", path]] {
        let (text, code) = failure(command);
        assert_eq!(code, 2, "{text}");
        assert!(text.contains("bad.grc:2: variable x: ") && text.contains("block e: Python code"), "{text}");
        assert!(text.contains("python -m superhet.gnuradio"), "{text}");
        assert!(!marker.exists());
    }
    // With no such package there is nothing to hand it to.
    let output =
        superhet(&["run", "--trust", path]).env("SUPERHET_PYTHON", "/no/such/python").output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && text.contains("has no package superhet.gnuradio"), "{text}");
    assert!(!marker.exists());
}

#[test]
fn a_flowgraph_without_python_runs_here_also_with_trust() {
    let (path, folder) = example("vector");
    let output =
        superhet(&["run", "--trust", &path]).env("SUPERHET_PYTHON", "/no/such/python").output().unwrap();
    assert!(output.status.success());
    assert_eq!(floats(&folder.join("vector.cf32")).len(), 128);
}

#[test]
fn the_coverage_of_gnu_radio_is_reported() {
    let text = stdout(&["gnuradio", "--coverage"]);
    assert!(
        text.contains("blocks: ") && text.contains("  multiply_const (") && text.contains("not here: "),
        "{text}"
    );
    let json: serde_json::Value =
        serde_json::from_str(&stdout(&["gnuradio", "--coverage", "--json"])).unwrap();
    assert!(json["blocks"]["classes_here"].as_u64().unwrap() >= 10);
    let table: serde_json::Value = serde_json::from_str(&stdout(&["gnuradio", "--table"])).unwrap();
    assert!(table["rows"].as_array().unwrap().len() >= 10);
    failure(&["gnuradio"]);
}

#[test]
fn every_row_names_a_block_its_parameters_and_its_ports() {
    let (registry, mut mistakes) = (superhet::registry(), Vec::new());
    let mut ids = BTreeSet::new();
    for row in table().rows() {
        let mut report =
            |problem: String| mistakes.push(format!("{}.toml: {}: {problem}", row.module, row.name));
        for grc in &row.grc {
            if !ids.insert(&grc.id) {
                report(format!("{} has two rows", grc.id));
            }
        }
        let mut entries = Vec::new();
        for stage in &row.stages {
            let Some(entry) = registry.get(&stage.block) else {
                report(format!("there is no block {}", stage.block));
                continue;
            };
            entries.push(entry);
            for (param, _) in &stage.params {
                if !entry.params.iter().any(|known| known.name == param) {
                    report(format!("{} has no parameter {param}", stage.block));
                }
            }
            for param in entry.params.iter().filter(|param| param.default.is_none()) {
                if !stage.params.iter().any(|(name, _)| name == param.name) {
                    report(format!("{} needs the parameter {}", stage.block, param.name));
                }
            }
        }
        if entries.len() < row.stages.len() {
            continue;
        }
        for setter in row.set.iter().chain(&row.get) {
            let entry = entries[setter.stage];
            // What can only be read or set while it runs is no parameter of the entry; the face finds it at the block.
            let is_param = entry.params.iter().any(|known| known.name == setter.param);
            let has_set = entry.ports.iter().any(|port| port.name == "set");
            if !is_param && !has_set && !row.get.iter().any(|get| get.method == setter.method) {
                report(format!("{} has no parameter {} to set", entry.name, setter.param));
            }
        }
        for (theirs, _) in &row.messages {
            let has = |from: bool, direction: Direction| {
                let (stage, port) = row.message_port(theirs, from);
                let mut ports = entries[stage].ports.iter();
                ports.any(|known| {
                    known.name == port && known.direction == direction && known.items == "messages"
                })
            };
            if !has(false, Direction::In) && !has(true, Direction::Out) {
                report(format!("there is no message port for {theirs}"));
            }
        }
        let streams = [
            (&row.inputs, Direction::In, entries[0]),
            (&row.outputs, Direction::Out, entries[entries.len() - 1]),
        ];
        for (names, direction, entry) in streams {
            let known = |name: &str| {
                entry.ports.iter().any(|port| {
                    // in0 stands for in1 and all that follow.
                    let same = port.name.trim_end_matches(|c: char| c.is_ascii_digit())
                        == name.trim_end_matches(|c: char| c.is_ascii_digit());
                    port.direction == direction && port.items != "messages" && (port.name == name || same)
                })
            };
            if let Some(name) = names.iter().find(|name| !known(name)) {
                report(format!("{} has no stream port {name}", entry.name));
            }
        }
    }
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
}

#[test]
fn the_expressions_of_every_row_name_only_what_is_there() {
    let library = superhet::library();
    let mut mistakes = Vec::new();
    for row in table().rows() {
        let mut known: BTreeSet<&str> = ["type", "suffix", "vlen", "inputs", "outputs"].into();
        known.extend(row.args.iter().map(|arg| arg.name.as_str()));
        let params = row.stages.iter().flat_map(|stage| stage.params.iter().map(|(_, setting)| setting));
        for setting in params.chain(row.vlen.iter().flatten()) {
            let Setting::Expression(expression) = setting else { continue };
            for name in expression.names() {
                // A name of a loop in the expression is none from outside; it has its own `for`.
                let is_local = expression.text().contains(&format!("for {name} in"));
                let alone = superhet::flow::python::Expression::parse(name).unwrap();
                let is_global = alone.evaluate(&Scope::new(&library)).is_ok();
                if !known.contains(name) && !is_global && !is_local {
                    mistakes.push(format!(
                        "{}.toml: {}: {}: there is no {name}",
                        row.module,
                        row.name,
                        expression.text()
                    ));
                }
            }
        }
        for arg in &row.args {
            let default = arg.default.as_ref().map(|default| default.evaluate(&Scope::new(&library)));
            if let Some(Err(error)) = default {
                mistakes.push(format!("{}.toml: {}: {}: {error}", row.module, row.name, arg.name));
            }
        }
    }
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
}

#[test]
fn a_class_is_called_as_in_python() {
    let (row, letters) = table().class("blocks.multiply_const_cc").unwrap();
    let args = [("k".to_owned(), superhet::flow::python::Object::Float(2.0))];
    let call = Call { letters: letters.to_owned(), args: args.into(), ..Call::default() };
    let made = row.make(&call, &superhet::registry(), &superhet::library()).unwrap();
    let params: BTreeMap<_, _> = made.stages[0].1.clone();
    assert_eq!(params["item"].as_str(), Some("C32"));
    superhet::registry().get(&made.stages[0].0).unwrap().build(&params).unwrap();
}

#[test]
fn sound_of_a_flowgraph_takes_a_channel_for_each_of_its_connections() {
    let folder = folder("grc-cards");
    for (name, device, connections) in [
        ("one", "", "[src, '0', card, '0']"),
        ("two", "\"hw:1,0\"", "[src, '0', card, '0'], [src, '0', card, '1']"),
    ] {
        let path = folder.join(format!("{name}.grc"));
        let text = format!(
            "options: {{parameters: {{id: {name}, generate_options: no_gui}}, states: {{state: enabled}}}}
blocks:
- {{name: src, id: analog_sig_source_x, parameters: {{type: float, samp_rate: '48000', waveform: analog.GR_COS_WAVE, freq: '440', amp: '1', offset: '0', phase: '0'}}, states: {{state: enabled}}}}
- {{name: card, id: audio_sink, parameters: {{samp_rate: '48000', device_name: '{device}', ok_to_block: 'True', num_inputs: '2'}}, states: {{state: enabled}}}}
connections: [{connections}]
metadata: {{file_format: 1}}
"
        );
        std::fs::write(&path, text).unwrap();
        let output = run(&["check", path.to_str().unwrap()]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && said.contains("2 blocks, no mistakes"), "{said}");
    }
}
