//! The blocks in graphs: every format there and back however spans are cut, pipes that never speak, bad files.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::common::TempDir;
use superhet_io::blocks::*;
use superhet_io::sigmf::{Annotation, Capture, Meta, Recording, RecordingWriter};
use superhet_io::wav::{WavEncoding, WavReader, WavWriter};
use superhet_io::{C32, SampleFormat, Shape};
use superhet_runtime::catalog::ParamError;
use superhet_runtime::harness::{VecSink, VecSource};
use superhet_runtime::prelude::*;
use superhet_runtime::{AnyBlock, Item, RunError, Scheduler, Tag};

/// A block by its name.
fn build(name: &str, params: &[(&str, Value)]) -> Result<AnyBlock, Vec<ParamError>> {
    let entry = ENTRIES.iter().find(|entry| entry.name == name).expect("a block of that name");
    let params: BTreeMap<_, _> = params.iter().map(|(key, value)| (key.to_string(), value.clone())).collect();
    entry.build(&params)
}

fn text(path: &Path) -> Value {
    path.to_str().unwrap().into()
}

/// The one error that making a block gives.
fn error_of(name: &str, params: &[(&str, Value)]) -> String {
    let errors = build(name, params).expect_err("bad parameters");
    assert_eq!(errors.len(), 1);
    errors[0].to_string()
}

fn schedulers() -> [Box<dyn Scheduler>; 3] {
    [Box::new(Single), Box::new(Pinned::workers(2)), Box::new(Threads)]
}

/// Spans cut in every way.
fn cuts() -> Vec<Options> {
    let strips = [1, 7, 4096].map(|strip| Options { strip_items: Some(strip), ..Options::default() });
    let seeds = [1, 2].map(|seed| Options { seed: Some(seed), strip_items: Some(100), ..Options::default() });
    [Options::default()].into_iter().chain(strips).chain(seeds).collect()
}

/// Runs a graph to its end; one that hangs fails the test.
fn finish(graph: Graph, scheduler: &dyn Scheduler, options: &Options) -> Result<(), RunError> {
    let mut running = graph.check()?.start(scheduler, options)?;
    running.wait_for(Duration::from_secs(20)).expect("the graph ends").map(|_| ())
}

/// Runs a source into a sink.
fn run(source: AnyBlock, sink: AnyBlock, options: &Options) -> Result<(), RunError> {
    let mut graph = Graph::new();
    graph.add_any("source", source);
    graph.add_any("sink", sink);
    graph.connect_names("source", "sink");
    finish(graph, &Single, options)
}

/// What a source gives, and how it ends.
fn items_of<T: Item>(source: AnyBlock) -> (Vec<T>, Result<(), RunError>) {
    let sink = VecSink::<T>::new();
    let items = sink.items();
    let result = run(source, AnyBlock::new(sink), &Options::default());
    (items.take(), result)
}

/// Takes a number of items and is done; keeps tags.
#[derive(Block)]
struct Take<T: Item> {
    #[port("in")]
    input: In<T>,
    left: usize,
    seen: Arc<Mutex<(Vec<T>, Vec<Tag>)>>,
}

impl<T: Item> Take<T> {
    fn new(left: usize) -> Self {
        Take { input: In::new(), left, seen: Arc::default() }
    }
}

impl<T: Item> Work for Take<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.input.available().min(self.left);
        let mut seen = self.seen.lock().unwrap();
        let end = self.input.index() + n as u64;
        seen.1.extend(self.input.tags().into_iter().filter(|tag| tag.index < end));
        seen.0.extend_from_slice(&self.input.peek()[..n]);
        self.input.consume(n);
        self.left -= n;
        Ok(if self.left == 0 { Step::Done } else { Step::Ran })
    }
}

/// Gives items with tags and ends, well or with an error.
#[derive(Block)]
struct Tagged<T: Item> {
    #[port("out")]
    output: Out<T>,
    items: Vec<T>,
    tags: Vec<(u64, &'static str, Value)>,
    fails: bool,
}

impl<T: Item> Tagged<T> {
    fn new(items: Vec<T>, tags: Vec<(u64, &'static str, Value)>) -> Self {
        Tagged { output: Out::new(), items, tags, fails: false }
    }
}

impl<T: Item> Work for Tagged<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let first = self.output.index();
        let left = &self.items[first as usize..];
        if left.is_empty() {
            return if self.fails { Err("enough".into()) } else { Ok(Step::Done) };
        }
        let n = self.output.room().min(left.len());
        self.output.reserve()[..n].copy_from_slice(&left[..n]);
        for (at, key, value) in &self.tags {
            if (first..first + n as u64).contains(at) {
                self.output.tag((at - first) as usize, *key, value.clone());
            }
        }
        self.output.produce(n);
        // One strip a turn, so that the sink gets all before the error.
        Ok(if self.fails { Step::NeedOutput } else { Step::Ran })
    }
}

fn fifo(dir: &TempDir) -> PathBuf {
    let path = dir.path().join("pipe");
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mkfifoat(rustix::fs::CWD, &path, mode).unwrap();
    path
}

/// Bytes that are whole samples of every format and in none of them NaN.
fn noise(bytes: usize) -> Vec<u8> {
    (0..bytes as u32).map(|n| (n.wrapping_mul(0x9e37_79b9) >> 24) as u8 & 0x3f).collect()
}

#[test]
fn every_format_is_copied_to_the_byte_however_spans_are_cut() {
    let dir = TempDir::new();
    let bytes = noise(16 * 1000);
    let source = dir.file("in", &bytes);
    let target = dir.path().join("out");
    for format in SampleFormat::all() {
        let lossy = ["cf64", "rf64", "ci32", "ri32", "cu32", "ru32"]
            .iter()
            .any(|f| format.to_string().starts_with(f));
        let unheld = ["ci32", "cu32", "cu16"].iter().any(|f| format.to_string().starts_with(f));
        for (how, works) in [("float", !lossy), ("raw", !unheld)] {
            let from =
                [("path", text(&source)), ("format", format.to_string().into()), ("output", how.into())];
            let to = [("path", text(&target)), ("format", format.to_string().into()), ("input", how.into())];
            if how == "raw" && unheld {
                let error = error_of("file_source", &from);
                assert!(error.ends_with("take them as float, which scales them to C32"), "{error}");
                continue;
            }
            for options in if works { cuts() } else { vec![Options::default()] } {
                run(build("file_source", &from).unwrap(), build("file_sink", &to).unwrap(), &options)
                    .unwrap();
                let copy = fs::read(&target).unwrap();
                assert_eq!(copy.len(), bytes.len(), "{format} {how} {options:?}");
                assert!(!works || copy == bytes, "{format} {how} {options:?}");
            }
        }
    }
}

#[test]
fn files_larger_than_the_buffers_are_copied_under_every_scheduler() {
    let dir = TempDir::new();
    let bytes = noise(3_000_002);
    let source = dir.file("in.cu8", &bytes);
    let target = dir.path().join("out.cu8");
    for scheduler in schedulers() {
        for unbuffered in [false, true] {
            let settings = FileSinkSettings { unbuffered, ..Default::default() };
            let mut graph = Graph::new();
            let source = FileSource::<C32>::open(&source, SampleFormat::CU8).unwrap();
            let sink = FileSink::<C32>::create_with(&target, SampleFormat::CU8, settings).unwrap();
            let (source, sink) = (graph.add("source", source), graph.add("sink", sink));
            graph.connect(source.output, sink.input);
            finish(graph, &*scheduler, &Options::default()).unwrap();
            assert!(fs::read(&target).unwrap() == bytes, "{}", scheduler.name());
        }
    }
}

#[test]
fn offset_limit_and_repetition_choose_the_samples() {
    let dir = TempDir::new();
    let path = dir.file("in.u8", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    let open = |settings| FileSource::<u8>::open_with(&path, SampleFormat::U8, settings);
    let of = |offset_samples, samples| FileSourceSettings { offset_samples, samples, ..Default::default() };
    for (settings, wanted) in [
        (of(7, None), vec![7, 8, 9]),
        (of(7, Some(2)), vec![7, 8]),
        (of(0, Some(3)), vec![0, 1, 2]),
        (of(9, Some(100)), vec![9]),
    ] {
        let (items, result) = items_of::<u8>(AnyBlock::new(open(settings).unwrap()));
        result.unwrap();
        assert_eq!(items, wanted);
    }
    let settings = FileSourceSettings { repeat: true, ..of(7, Some(2)) };
    let take = Take::<u8>::new(7);
    let seen = take.seen.clone();
    run(AnyBlock::new(open(settings).unwrap()), AnyBlock::new(take), &Options::default()).unwrap();
    assert_eq!(seen.lock().unwrap().0, [7, 8, 7, 8, 7, 8, 7]);
    let error = open(of(10, None)).unwrap_err().to_string();
    assert!(
        error.ends_with("in.u8: offset_samples is 10, expected less than the 10 samples of the file"),
        "{error}"
    );
}

#[test]
fn rate_and_centre_are_tags_of_the_first_item() {
    let dir = TempDir::new();
    let path = dir.file("g001_433.92M_250k.cu8", [0; 10]);
    let tags_of = |rate_hz: f64| {
        let take = Take::<C32>::new(5);
        let seen = take.seen.clone();
        let source = build("file_source", &[("path", text(&path)), ("rate_hz", rate_hz.into())]).unwrap();
        run(source, AnyBlock::new(take), &Options { strip_items: Some(1), ..Options::default() }).unwrap();
        let tags = seen.lock().unwrap().1.clone();
        tags.into_iter().map(|tag| (tag.index, tag.key.to_string(), tag.value)).collect::<Vec<_>>()
    };
    let wanted = |rate_hz: f64| {
        [(0, "rx_rate".to_owned(), rate_hz.into()), (0, "rx_freq".to_owned(), Value::from(433.92e6))]
    };
    assert_eq!(tags_of(0.0), wanted(250e3));
    assert_eq!(tags_of(1e6), wanted(1e6));
}

#[test]
fn a_cut_recording_gives_its_whole_samples_and_then_one_error() {
    let dir = TempDir::new();
    let path = dir.file("cut.cs16", noise(4 * 1000 + 3));
    let (items, result) =
        items_of::<[i16; 2]>(AnyBlock::new(FileSource::<[i16; 2]>::open(&path, SampleFormat::CS16).unwrap()));
    assert_eq!(items.len(), 1000);
    let error = result.unwrap_err().to_string();
    let wanted = "at byte 4000 (sample 1000) there are 3 bytes of a 4-byte ci16_le sample";
    assert!(
        error.contains("block source failed") && error.contains("cut.cs16") && error.contains(wanted),
        "{error}"
    );
    // A long one, by way of many strips.
    let long = dir.file("long.cs8", noise(1_000_001));
    for options in cuts() {
        let sink = VecSink::<C32>::new();
        let items = sink.items();
        let source = FileSource::<C32>::open(&long, SampleFormat::CS8).unwrap();
        let result = run(AnyBlock::new(source), AnyBlock::new(sink), &options);
        assert_eq!(items.take().len(), 500_000, "{options:?}");
        assert!(result.unwrap_err().to_string().contains("at byte 1000000"));
    }
    let settings = FileSourceSettings { offset_samples: 990, ..Default::default() };
    let source = FileSource::<C32>::open_with(&path, SampleFormat::CS16, settings).unwrap();
    let (items, result) = items_of::<C32>(AnyBlock::new(source));
    assert_eq!(items.len(), 10);
    assert!(result.unwrap_err().to_string().contains("at byte 4000 (sample 1000)"));
}

#[test]
fn bad_files_are_one_clear_error_each() {
    let dir = TempDir::new();
    let empty = dir.file("empty.cu8", []);
    let lying = dir.path().join("lying.wav");
    let mut writer = WavWriter::create(&lying, 8000, Shape::Real, WavEncoding::S16).unwrap();
    writer.write_f32(&[0.5; 10]).unwrap();
    writer.finish().unwrap();
    let mut bytes = fs::read(&lying).unwrap();
    bytes.truncate(bytes.len() - 7);
    fs::write(&lying, bytes).unwrap();
    let silent = dir.path().join("silent.wav");
    WavWriter::create(&silent, 8000, Shape::Real, WavEncoding::S16).unwrap().finish().unwrap();
    let missing = dir.path().join("missing.cu8");
    let (folder, no_folder) = (dir.path().to_owned(), dir.path().join("no/such.cu8"));
    let pipe = fifo(&dir);
    for (name, path, params, wanted) in [
        ("file_source", &empty, vec![], "empty.cu8: the file is empty"),
        ("file_source", &missing, vec![], "missing.cu8: cannot open: No such file"),
        ("file_source", &folder, vec![("format", "cu8".into())], "cannot open: is a directory"),
        (
            "file_source",
            &missing,
            vec![("format", "cu9".into())],
            "unknown sample format \"cu9\", did you mean \"cu8\"?",
        ),
        ("file_source", &pipe, vec![], "the name does not tell the sample format"),
        (
            "file_source",
            &pipe,
            vec![("format", "u8".into()), ("repeat", true.into())],
            "repeat is true, expected false",
        ),
        ("file_sink", &no_folder, vec![], "such.cu8: cannot create: No such file"),
        ("file_sink", &folder, vec![("format", "cu8".into())], "cannot create: is a directory"),
        ("wav_source", &lying, vec![], "lying.wav: WAV header, byte "),
        ("wav_source", &silent, vec![], "silent.wav: the file is empty"),
        ("wav_source", &missing, vec![], "missing.cu8: cannot open: No such file"),
        ("wav_source", &pipe, vec![], "a pipe or device, but a regular file is needed"),
        ("wav_sink", &no_folder, vec![("rate_hz", 8000.into())], "such.cu8: cannot create: No such file"),
        ("wav_sink", &pipe, vec![("rate_hz", 8000.into())], "a regular file is needed"),
        ("sigmf_source", &missing, vec![], "missing.cu8: no SigMF recording"),
        ("sigmf_sink", &no_folder, vec![("format", "cu8".into())], "cannot create: No such file"),
        ("sigmf_sink", &missing, vec![("format", "cu8".into()), ("rate_hz", 0.5.into())], "core:sample_rate"),
        ("sigmf_annotator", &missing, vec![("output", "x".into())], "missing.cu8: cannot open: No such file"),
        ("sigmf_annotator", &empty, vec![("output", "x".into())], "empty.cu8: the file is empty"),
    ] {
        let params: Vec<_> = [("path", text(path))].into_iter().chain(params).collect();
        let error = error_of(name, &params);
        assert!(error.contains(wanted), "{error}\n  instead of {wanted}");
    }
    let source = build("wav_source", &[("path", text(&lying)), ("lenient", true.into())]).unwrap();
    let (items, result) = items_of::<f32>(source);
    result.unwrap();
    assert_eq!(items, [0.5; 6], "what is there of ten frames");
}

#[test]
fn making_and_checking_a_graph_leaves_the_files_alone() {
    let dir = TempDir::new();
    let wav = dir.file("a.wav", b"precious");
    let raw = dir.file("a.f32", b"precious");
    let data = dir.file("a.sigmf-data", b"precious");
    let meta = dir.file("a.sigmf-meta", b"precious");
    let mut graph = Graph::new();
    graph.add("source", VecSource::<f32>::new(vec![0.5; 9]));
    graph.add_any("wav", build("wav_sink", &[("path", text(&wav)), ("rate_hz", 8000.into())]).unwrap());
    graph.add_any("raw", build("file_sink", &[("path", text(&raw))]).unwrap());
    graph.add_any(
        "sigmf",
        build("sigmf_sink", &[("path", text(&meta)), ("format", "rf32".into()), ("overwrite", true.into())])
            .unwrap(),
    );
    for sink in ["wav", "raw", "sigmf"] {
        graph.connect_names("source", sink);
    }
    let checked = graph.check().unwrap();
    checked.plan(&Single, &Options::default()).unwrap();
    drop(checked);
    for path in [wav, raw, data, meta] {
        assert_eq!(fs::read(&path).unwrap(), b"precious", "{}", path.display());
    }
}

/// Starts `graph`, gives it time to get stuck, and checks that it can be stopped.
fn assert_stops(graph: Graph, scheduler: &dyn Scheduler) -> Result<(), RunError> {
    let running = graph.check().unwrap().start(scheduler, &Options::default()).unwrap();
    std::thread::sleep(Duration::from_millis(100));
    let start = Instant::now();
    let result = running.stop_within(Duration::from_secs(30));
    assert!(start.elapsed() < Duration::from_secs(30), "{}: {:?}", scheduler.name(), start.elapsed());
    assert!(!matches!(result, Err(RunError::DidNotStop { .. })));
    result.map(|_| ())
}

#[test]
fn a_graph_stops_while_its_source_waits_for_a_pipe_that_never_speaks() {
    let dir = TempDir::new();
    let path = fifo(&dir);
    for with_writer in [false, true] {
        for scheduler in schedulers() {
            let mut graph = Graph::new();
            let source = graph.add("pipe", FileSource::<C32>::open(&path, SampleFormat::CU8).unwrap());
            let sink = graph.add("sink", VecSink::<C32>::new());
            graph.connect(source.output, sink.input);
            // Opened for both ways, a pipe has a writer and opening it waits for nobody.
            let both = || fs::OpenOptions::new().read(true).write(true).open(&path).unwrap();
            let _silent = with_writer.then(both);
            assert_stops(graph, &*scheduler).unwrap();
        }
    }
}

#[test]
fn a_graph_stops_while_its_source_passes_over_endless_samples() {
    let settings = FileSourceSettings { offset_samples: u64::MAX / 4, ..Default::default() };
    let mut graph = Graph::new();
    let source = FileSource::<C32>::open_with("/dev/zero", SampleFormat::CU8, settings).unwrap();
    let source = graph.add("zeros", source);
    let sink = graph.add("sink", VecSink::<C32>::new());
    graph.connect(source.output, sink.input);
    assert_stops(graph, &Single).unwrap();
}

#[test]
fn a_graph_stops_while_its_sink_waits_for_a_pipe_that_nobody_reads() {
    let dir = TempDir::new();
    let path = fifo(&dir);
    for with_reader in [false, true] {
        let mut graph = Graph::new();
        let source = graph.add("source", VecSource::new(vec![0.5f32; 1_000_000]));
        let sink = graph.add("pipe", FileSink::<f32>::create(&path, SampleFormat::F32).unwrap());
        graph.connect(source.output, sink.input);
        let both = || fs::OpenOptions::new().read(true).write(true).open(&path).unwrap();
        let _deaf = with_reader.then(both);
        let error = assert_stops(graph, &Single).unwrap_err().to_string();
        assert!(error.contains("the reader of the pipe did not take the last "), "{error}");
    }
}

#[test]
fn a_source_on_a_silent_pipe_ends_when_nobody_wants_its_items() {
    let dir = TempDir::new();
    let path = fifo(&dir);
    let mut writer = fs::OpenOptions::new().read(true).write(true).open(&path).unwrap();
    writer.write_all(&[1, 2, 3]).unwrap();
    let source = FileSource::<u8>::open(&path, SampleFormat::U8).unwrap();
    run(AnyBlock::new(source), AnyBlock::new(Take::<u8>::new(3)), &Options::default()).unwrap();
}

#[test]
fn samples_that_trickle_through_a_pipe_arrive_whole_and_at_once() {
    let dir = TempDir::new();
    let path = fifo(&dir);
    let mut graph = Graph::new();
    let settings = FileSourceSettings { offset_samples: 1, ..Default::default() };
    let source = FileSource::<[i16; 2]>::open_with(&path, SampleFormat::CS16, settings).unwrap();
    let source = graph.add("pipe", source);
    let take = Take::<[i16; 2]>::new(usize::MAX);
    let seen = take.seen.clone();
    let sink = graph.add("sink", take);
    graph.connect(source.output, sink.input);
    let mut running = graph.check().unwrap().start(&Single, &Options::default()).unwrap();
    // Waits until the source has opened the pipe.
    let mut writer = fs::OpenOptions::new().write(true).open(&path).unwrap();
    for byte in [9u8, 9, 9, 9, 1, 0, 2] {
        writer.write_all(&[byte]).unwrap();
        std::thread::sleep(Duration::from_millis(2));
    }
    writer.write_all(&[0]).unwrap();
    let start = Instant::now();
    while seen.lock().unwrap().0.is_empty() {
        assert!(start.elapsed() < Duration::from_secs(30), "the sample arrives while the pipe is open");
        std::thread::sleep(Duration::from_millis(1));
    }
    writer.write_all(&[3]).unwrap();
    drop(writer);
    let error = running.wait_for(Duration::from_secs(30)).expect("the graph ends").unwrap_err().to_string();
    assert!(error.contains("at byte 8 (sample 2) there is 1 byte of a 4-byte"), "{error}");
    assert_eq!(seen.lock().unwrap().0, [[1, 2]]);
}

#[test]
fn a_pipe_without_samples_is_empty() {
    let source = FileSource::<u8>::open("/dev/null", SampleFormat::U8).unwrap();
    let error = items_of::<u8>(AnyBlock::new(source)).1.unwrap_err().to_string();
    assert!(error.contains("/dev/null: the file is empty"), "{error}");
}

/// Runs the test of this name in a process of its own with these ends.
fn alone(test: &str, stdin: Stdio, stdout: Stdio) -> std::process::Child {
    alone_with(test, stdin, stdout, &[])
}

/// As `alone`, with variables in its environment.
fn alone_with(
    test: &str,
    stdin: Stdio,
    stdout: Stdio,
    variables: &[(&str, &std::ffi::OsStr)],
) -> std::process::Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", &format!("blocks::{test}"), "--nocapture", "--quiet"])
        .env("SUPERHET_TEST_ALONE", "1");
    command.envs(variables.iter().copied());
    command.stdin(stdin).stdout(stdout).stderr(Stdio::null()).spawn().unwrap()
}

fn is_alone() -> bool {
    std::env::var_os("SUPERHET_TEST_ALONE").is_some()
}

#[test]
fn a_graph_stops_while_its_source_waits_for_stdin() {
    let test = "a_graph_stops_while_its_source_waits_for_stdin";
    if !is_alone() {
        let mut child = alone(test, Stdio::piped(), Stdio::null());
        let _silent = child.stdin.take();
        assert!(child.wait().unwrap().success());
        return;
    }
    let mut graph = Graph::new();
    let source = graph.add("stdin", FileSource::<C32>::open("-", SampleFormat::CU8).unwrap());
    let sink = graph.add("sink", VecSink::<C32>::new());
    graph.connect(source.output, sink.input);
    assert_stops(graph, &Single).unwrap();
}

#[test]
fn stdin_flows_to_stdout_whether_file_or_pipe() {
    let test = "stdin_flows_to_stdout_whether_file_or_pipe";
    if !is_alone() {
        let dir = TempDir::new();
        let bytes = noise(300_000);
        let source = dir.file("in.cs8", &bytes);
        let open = || Stdio::from(fs::File::open(&source).unwrap());
        let piped = alone(test, open(), Stdio::piped()).wait_with_output().unwrap();
        assert!(piped.status.success());
        let contains = |text: &[u8]| text.windows(bytes.len()).any(|part| part == bytes);
        assert!(contains(&piped.stdout), "among what the test harness says");

        let target = dir.path().join("out");
        let mut child = alone(test, Stdio::piped(), fs::File::create(&target).unwrap().into());
        child.stdin.take().unwrap().write_all(&bytes).unwrap();
        assert!(child.wait().unwrap().success());
        assert!(contains(&fs::read(&target).unwrap()));

        // Nobody reads: the sink has enough, and that is no error.
        let mut child = alone(test, open(), Stdio::piped());
        drop(child.stdout.take());
        let _ = child.wait().unwrap();
        return;
    }
    let source = FileSource::<C32>::open("-", SampleFormat::CS8).unwrap();
    let sink = FileSink::<C32>::create("-", SampleFormat::CS8).unwrap();
    run(AnyBlock::new(source), AnyBlock::new(sink), &Options::default()).unwrap();
}

#[test]
fn a_sink_whose_pipe_is_closed_has_enough_and_ends_the_graph() {
    let dir = TempDir::new();
    let path = fifo(&dir);
    let mut graph = Graph::new();
    let source = graph.add("source", VecSource::new(vec![[1u8, 2]; 5_000_000]));
    let sink = graph.add("pipe", FileSink::<[u8; 2]>::create(&path, SampleFormat::CU8).unwrap());
    graph.connect(source.output, sink.input);
    let reader = std::thread::spawn(move || {
        let mut reader = fs::File::open(&path).unwrap();
        let mut bytes = [0; 1000];
        std::io::Read::read_exact(&mut reader, &mut bytes).unwrap();
        bytes
    });
    finish(graph, &Single, &Options::default()).unwrap();
    assert_eq!(reader.join().unwrap()[..4], [1, 2, 1, 2]);
}

#[test]
fn a_full_disk_is_an_error_that_names_the_file() {
    for unbuffered in [false, true] {
        let settings = FileSinkSettings { unbuffered, ..Default::default() };
        let sink = FileSink::<u8>::create_with("/dev/full", SampleFormat::U8, settings).unwrap();
        let source = VecSource::new(vec![1u8; 10]);
        let error = run(AnyBlock::new(source), AnyBlock::new(sink), &Options::default()).unwrap_err();
        assert!(error.to_string().contains("sink failed: /dev/full: cannot write: "), "{error}");
    }
}

#[test]
fn what_a_sink_has_taken_is_written_even_if_the_graph_fails() {
    let dir = TempDir::new();
    let path = dir.path().join("out");
    let sinks: [(&str, &[(&str, Value)]); 3] = [
        ("file_sink", &[("format", "f32".into())]),
        ("wav_sink", &[("rate_hz", 8000.into()), ("encoding", "f32".into())]),
        ("sigmf_sink", &[("format", "f32".into())]),
    ];
    for (name, params) in sinks {
        let params: Vec<_> = [("path", text(&path))].into_iter().chain(params.iter().cloned()).collect();
        let source = Tagged { fails: true, ..Tagged::new(vec![0.5f32; 1000], vec![]) };
        let result = run(AnyBlock::new(source), build(name, &params).unwrap(), &Options::default());
        assert!(result.unwrap_err().to_string().contains("enough"));
        match name {
            "file_sink" => assert_eq!(fs::read(&path).unwrap().len(), 4000),
            "wav_sink" => assert_eq!(WavReader::open(&path).unwrap().header().frames, 1000),
            _ => assert_eq!(Recording::open(path.with_extension("sigmf-meta")).unwrap().samples(), 1000),
        }
    }
}

#[test]
fn a_recording_that_is_there_is_replaced_only_where_that_is_wanted() {
    let dir = TempDir::new();
    for name in ["a.sigmf-data", "a.sigmf-meta"] {
        let kept = dir.file(name, b"precious");
        let params = [("path", text(&dir.path().join("a"))), ("format", "rf32".into())];
        let error = error_of("sigmf_sink", &params);
        let wanted = format!("{name}: the file is there already; with overwrite it is replaced");
        assert!(error.contains(&wanted), "{error}");
        assert_eq!(fs::read(&kept).unwrap(), b"precious");
        let params = [&params[..], &[("overwrite", true.into())]].concat();
        let source = VecSource::<f32>::new(vec![0.5; 9]);
        run(AnyBlock::new(source), build("sigmf_sink", &params).unwrap(), &Options::default()).unwrap();
        assert_eq!(Recording::open(dir.path().join("a")).unwrap().samples(), 9);
        fs::remove_file(dir.path().join("a.sigmf-data")).unwrap();
        fs::remove_file(dir.path().join("a.sigmf-meta")).unwrap();
    }
    // One that comes between the check and the run.
    let late =
        build("sigmf_sink", &[("path", text(&dir.path().join("b"))), ("format", "rf32".into())]).unwrap();
    let kept = dir.file("b.sigmf-meta", b"precious");
    let error =
        run(AnyBlock::new(VecSource::<f32>::new(vec![0.5; 9])), late, &Options::default()).unwrap_err();
    assert!(error.to_string().contains("is there already"), "{error}");
    assert_eq!(fs::read(&kept).unwrap(), b"precious");
}

/// Gives items with a new centre at every 100,000th, for ever.
#[derive(Block)]
struct Retuned {
    #[port("out")]
    output: Out<f32>,
}

impl Work for Retuned {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.output.reserve().len().min(100_000);
        let first = self.output.index();
        if let Some(at) = (first..first + n as u64).find(|index| index.is_multiple_of(100_000)) {
            self.output.tag((at - first) as usize, "rx_freq", 100e6 + at as f64);
        }
        self.output.reserve()[..n].fill(0.5);
        self.output.produce(n);
        std::thread::sleep(Duration::from_millis(1));
        Ok(Step::Ran)
    }
}

#[test]
fn a_recording_whose_process_is_killed_is_valid_and_says_what_was_known() {
    if is_alone() {
        let path = PathBuf::from(std::env::var_os("SUPERHET_TEST_PATH").unwrap());
        let params = [("path", text(&path)), ("format", "rf32".into()), ("rate_hz", 1e6.into())];
        let sink = build("sigmf_sink", &params).unwrap();
        let _ = run(AnyBlock::new(Retuned { output: Out::new() }), sink, &Options::default());
        return;
    }
    let dir = TempDir::new();
    for milliseconds in [0, 150, 700] {
        let path = dir.path().join(format!("killed-{milliseconds}"));
        let test = "a_recording_whose_process_is_killed_is_valid_and_says_what_was_known";
        let mut child =
            alone_with(test, Stdio::null(), Stdio::null(), &[("SUPERHET_TEST_PATH", path.as_os_str())]);
        let meta = path.with_extension("sigmf-meta");
        let start = std::time::Instant::now();
        while !meta.exists() {
            assert!(start.elapsed() < Duration::from_secs(60), "no metadata at the start");
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(milliseconds));
        // SIGKILL.
        child.kill().unwrap();
        child.wait().unwrap();
        let recording = Recording::open(&meta).unwrap();
        assert_eq!(recording.meta().global.sample_rate_hz, Some(1e6));
        let (captures, samples) = (&recording.meta().captures, recording.samples());
        for capture in captures.iter().filter(|capture| capture.frequency_hz.is_some()) {
            assert_eq!(capture.frequency_hz, Some(100e6 + capture.sample_start as f64));
            assert!(capture.sample_start <= samples);
        }
        if milliseconds == 700 {
            assert!(
                captures.len() > 3 && samples > 300_000,
                "{} captures, {samples} samples",
                captures.len()
            );
        }
    }
}

#[test]
fn a_stream_without_items_leaves_a_file_without_samples() {
    let dir = TempDir::new();
    let sink = |name: &str, file: &str, params: &[(&str, Value)]| {
        let path = dir.path().join(file);
        let params: Vec<_> = [("path", text(&path))].into_iter().chain(params.iter().cloned()).collect();
        run(AnyBlock::new(VecSource::<f32>::new(vec![])), build(name, &params).unwrap(), &Options::default())
            .unwrap();
        path
    };
    assert!(fs::read(sink("file_sink", "x.f32", &[])).unwrap().is_empty());
    let path = sink("wav_sink", "x.wav", &[("rate_hz", 8000.into())]);
    assert_eq!(WavReader::open(path).unwrap().header().frames, 0);
    let path = sink("sigmf_sink", "x", &[("format", "rf32".into())]);
    assert_eq!(Recording::open(path).unwrap().samples(), 0);
}

#[test]
fn an_offset_behind_the_end_of_a_pipe_is_reported() {
    let settings = FileSourceSettings { offset_samples: 5, ..Default::default() };
    let source = FileSource::<u8>::open_with("/dev/null", SampleFormat::U8, settings).unwrap();
    let error = items_of::<u8>(AnyBlock::new(source)).1.unwrap_err().to_string();
    assert!(error.contains("offset_samples is 5, expected less than the samples that came"), "{error}");
}

#[test]
fn appending_puts_samples_behind_whole_samples_only() {
    let dir = TempDir::new();
    let path = dir.file("log.s16", [1, 0]);
    let settings = FileSinkSettings { append: true, ..Default::default() };
    let sink = || FileSink::<i16>::create_with(&path, SampleFormat::S16, settings.clone());
    for n in [2i16, 3] {
        let source = VecSource::new(vec![n]);
        run(AnyBlock::new(source), AnyBlock::new(sink().unwrap()), &Options::default()).unwrap();
    }
    assert_eq!(fs::read(&path).unwrap(), [1, 0, 2, 0, 3, 0]);
    fs::write(&path, [1, 0, 2]).unwrap();
    let error = sink().unwrap_err().to_string();
    assert!(
        error.ends_with("expected false: the 3 bytes in the file are not whole ri16_le samples"),
        "{error}"
    );
}

#[test]
fn wav_goes_there_and_back_however_spans_are_cut() {
    let dir = TempDir::new();
    let path = dir.path().join("x.wav");
    let real: Vec<f32> = (0..5000).map(|n| ((n * 37 % 65536) - 32768) as f32 / 32768.0).collect();
    let complex: Vec<C32> = real.chunks(2).map(|pair| C32::new(pair[0], pair[1])).collect();
    for options in cuts() {
        for encoding in ["s16", "f32"] {
            let sink = |input: &str| {
                let params = [
                    ("path", text(&path)),
                    ("rate_hz", 48_000.into()),
                    ("input", input.into()),
                    ("encoding", encoding.into()),
                ];
                build("wav_sink", &params).unwrap()
            };
            let source = || build("wav_source", &[("path", text(&path))]).unwrap();
            run(AnyBlock::new(VecSource::new(real.clone())), sink("real"), &options).unwrap();
            assert!(items_of::<f32>(source()).0 == real, "{encoding} {options:?}");
            run(AnyBlock::new(VecSource::new(complex.clone())), sink("complex"), &options).unwrap();
            let take = Take::<C32>::new(usize::MAX);
            let seen = take.seen.clone();
            run(source(), AnyBlock::new(take), &options).unwrap();
            let seen = seen.lock().unwrap();
            assert!(seen.0 == complex, "{encoding} {options:?}");
            assert_eq!((&*seen.1[0].key, &seen.1[0].value, seen.1.len()), ("rx_rate", &48_000.0.into(), 1));
        }
    }
    let error = error_of("wav_source", &[("path", text(&path)), ("output", "real".into())]);
    assert!(error.ends_with("the samples are complex, asked for were real ones"), "{error}");
}

#[test]
fn tags_become_captures_and_annotations_at_exactly_their_sample_and_come_back_as_tags() {
    let dir = TempDir::new();
    let path = dir.path().join("rec");
    let items: Vec<[u8; 2]> = (0..1000u32).map(|n| [n as u8, (n / 256) as u8]).collect();
    let map = |json: &str| Value::from_json(&serde_json::from_str(json).unwrap());
    let burst = map(
        r#"{"label": "burst", "comment": "short", "sample_count": 20, "freq_lower_edge": 1.0, "freq_upper_edge": 2.0, "my:key": [1]}"#,
    );
    let tags = vec![
        (0, "rx_rate", 2e6.into()),
        (0, "rx_time", "2026-11-20T14:17:00Z".into()),
        (3, "burst_start", 7.into()),
        (7, "annotation", burst.clone()),
        (400, "rx_freq", 100e6.into()),
        (401, "rx_freq", 100e6.into()),
        (777, "rx_freq", 200e6.into()),
        (777, "rx_time", "2026-11-20T14:17:01Z".into()),
        (999, "annotation", map(r#"{"label": "cut", "sample_count": 20}"#)),
    ];
    for options in cuts() {
        let sink = SigmfSink::<[u8; 2]>::create_or_replace(&path, SampleFormat::CU8, None, None).unwrap();
        let source = Tagged::new(items.clone(), tags.clone());
        run(AnyBlock::new(source), AnyBlock::new(sink), &options).unwrap();
        let recording = Recording::open(&path).unwrap();
        let meta = recording.meta();
        assert_eq!((recording.samples(), recording.sample_rate_hz()), (1000, Some(2e6)));
        let captures: Vec<_> =
            meta.captures.iter().map(|c| (c.sample_start, c.frequency_hz, c.datetime.as_deref())).collect();
        let wanted = [
            (0, None, Some("2026-11-20T14:17:00Z")),
            (400, Some(100e6), None),
            (777, Some(200e6), Some("2026-11-20T14:17:01Z")),
        ];
        assert_eq!(captures, wanted, "{options:?}");
        let found: Vec<_> = meta.annotations.iter().map(|a| (a.sample_start, a.sample_count)).collect();
        assert_eq!(found, [(7, Some(20)), (999, Some(1))]);
        assert!(recording.verify_sha512().unwrap());

        let take = Take::<[u8; 2]>::new(usize::MAX);
        let seen = take.seen.clone();
        let source = build("sigmf_source", &[("path", text(&path)), ("output", "raw".into())]).unwrap();
        run(source, AnyBlock::new(take), &options).unwrap();
        let seen = seen.lock().unwrap();
        assert!(seen.0 == items);
        let back: Vec<_> = seen.1.iter().map(|tag| (tag.index, &*tag.key, tag.value.clone())).collect();
        let wanted = vec![
            (0, "rx_rate", 2e6.into()),
            (0, "rx_time", "2026-11-20T14:17:00Z".into()),
            (7, "annotation", burst.clone()),
            (400, "rx_freq", 100e6.into()),
            (777, "rx_freq", 200e6.into()),
            (777, "rx_time", "2026-11-20T14:17:01Z".into()),
            (999, "annotation", Value::map([("label", Value::from("cut")), ("sample_count", 1u64.into())])),
        ];
        // A number keeps its value, not its kind, on the way through JSON.
        let words = |tags: &[(u64, &str, Value)]| {
            tags.iter().map(|(at, key, value)| format!("{at} {key} {value}")).collect::<Vec<_>>()
        };
        assert_eq!(words(&back), words(&wanted), "{options:?}");
    }
}

#[test]
fn the_centre_that_the_first_tags_say_is_that_of_a_filters_delay_before_them() {
    let dir = TempDir::new();
    let path = dir.path().join("rec");
    let time = "2026-11-20T14:17:00Z";
    for first in [["rx_rate", "rx_freq", "rx_time"], ["rx_time", "rx_freq", "rx_rate"]] {
        let value = |key| match key {
            "rx_rate" => 2e6.into(),
            "rx_freq" => 100e6.into(),
            _ => Value::from(time),
        };
        let mut tags: Vec<_> = first.map(|key| (16, key, value(key))).into();
        tags.push((30, "rx_freq", 200e6.into()));
        for options in cuts() {
            let sink = SigmfSink::<f32>::create_or_replace(&path, SampleFormat::F32, None, None).unwrap();
            let source = Tagged::new(vec![0.5f32; 40], tags.clone());
            run(AnyBlock::new(source), AnyBlock::new(sink), &options).unwrap();
            let recording = Recording::open(&path).unwrap();
            assert_eq!((recording.sample_rate_hz(), recording.center_hz()), (Some(2e6), Some(100e6)));
            let captures: Vec<_> = recording
                .meta()
                .captures
                .iter()
                .map(|c| (c.sample_start, c.frequency_hz, c.datetime.as_deref()))
                .collect();
            let wanted = [(0, Some(100e6), None), (16, Some(100e6), Some(time)), (30, Some(200e6), None)];
            assert_eq!(captures, wanted, "{options:?}");
        }
    }
}

#[test]
fn a_tag_that_says_nothing_sensible_is_named_with_its_sample() {
    let dir = TempDir::new();
    for (key, value, wanted) in [
        ("rx_freq", Value::from("high"), "the tag rx_freq at sample 5 is \"high\", not a frequency"),
        ("rx_rate", 0.into(), "the tag rx_rate at sample 5 is 0, not a rate"),
        ("rx_time", "noon".into(), "the tag rx_time at sample 5 is \"noon\", not a time"),
        ("annotation", 7.into(), "the annotation at sample 5: 7 is not a map"),
    ] {
        let path = dir.path().join("rec");
        let sink =
            SigmfSink::<f32>::create_or_replace(&path, SampleFormat::F32, Some(1e3), Some(1e6)).unwrap();
        let source = Tagged::new(vec![0.0f32; 10], vec![(5, key, value)]);
        let error = run(AnyBlock::new(source), AnyBlock::new(sink), &Options::default()).unwrap_err();
        assert!(error.to_string().contains(wanted), "{error}");
    }
}

#[test]
fn a_recording_in_pieces_is_read_as_one_with_a_tag_where_each_begins() {
    let dir = TempDir::new();
    let data = dir.file("x.raw", [0xee, 1, 2, 3, 0xee, 0xee, 4, 5, 0xee]);
    let mut meta = Meta::new(SampleFormat::U8, Some(10.0));
    meta.global.offset = Some(100);
    meta.global.trailing_bytes = Some(1);
    meta.captures = [(100, 1, 1e6), (103, 2, 2e6)]
        .map(|(sample_start, header, hz)| Capture {
            sample_start,
            header_bytes: Some(header),
            frequency_hz: Some(hz),
            ..Capture::default()
        })
        .to_vec();
    meta.annotations = vec![Annotation::new(104, 1)];
    let path = superhet_io::sigmf::write_meta(&data, meta).unwrap();
    let take = Take::<u8>::new(usize::MAX);
    let seen = take.seen.clone();
    let source = build("sigmf_source", &[("path", text(&path)), ("output", "raw".into())]).unwrap();
    run(source, AnyBlock::new(take), &Options::default()).unwrap();
    let seen = seen.lock().unwrap();
    assert_eq!(seen.0, [1, 2, 3, 4, 5]);
    let tags: Vec<_> = seen.1.iter().map(|tag| (tag.index, &*tag.key)).collect();
    assert_eq!(tags, [(0, "rx_rate"), (0, "rx_freq"), (3, "rx_freq"), (4, "annotation")]);
}

#[test]
fn a_recording_of_several_channels_is_refused() {
    let dir = TempDir::new();
    let mut writer = RecordingWriter::create(dir.path().join("two"), SampleFormat::F32, None).unwrap();
    writer.meta_mut().global.num_channels = Some(2);
    writer.write_f32(&[0.0; 4]).unwrap();
    let path = writer.finish().unwrap();
    let error = error_of("sigmf_source", &[("path", text(&path))]);
    assert!(error.ends_with("core:num_channels is 2, expected 1 channel"), "{error}");
}

/// Sends messages and ends.
#[derive(Block)]
pub struct Send {
    #[port("out")]
    output: MsgOut,
    messages: Vec<Value>,
}

impl Send {
    pub fn new(messages: Vec<Value>) -> Self {
        Send { output: MsgOut::new(), messages }
    }
}

impl Work for Send {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        for message in self.messages.drain(..) {
            self.output.send(message)?;
        }
        Ok(Step::Done)
    }
}

fn annotate(annotator: AnyBlock, messages: &[Value]) -> Result<(), RunError> {
    run(AnyBlock::new(Send::new(messages.to_vec())), annotator, &Options::default())
}

#[test]
fn messages_annotate_a_recording_beside_it_and_in_another_folder() {
    let dir = TempDir::new();
    let recording = dir.file("modes_2Msps.cu8", noise(2001));
    fs::create_dir(dir.path().join("out")).unwrap();
    let message = |index: u64, count: u64| {
        Value::map([
            ("sample_index", Value::from(index)),
            ("duration_samples", count.into()),
            ("hex", "5d4d20237a55a6".into()),
            ("df", 11.into()),
            ("icao", "4d2023".into()),
        ])
    };
    let messages = [message(900, 240), message(10, 128)];
    // Twice: what is there already is replaced.
    for output in ["modes", "out/modes.sigmf-meta", "modes", "out/modes.sigmf-meta"] {
        let output = dir.path().join(output);
        let params = [("path", text(&recording)), ("output", text(&output)), ("frequency_hz", 1090e6.into())];
        annotate(build("sigmf_annotator", &params).unwrap(), &messages).unwrap();
        let recording = Recording::open(&output).unwrap();
        assert_eq!((recording.samples(), recording.sample_rate_hz()), (1000, Some(2e6)));
        assert_eq!(recording.center_hz(), Some(1090e6));
        assert!(recording.verify_sha512().unwrap());
        let annotations = &recording.meta().annotations;
        let of = |n: usize| (annotations[n].sample_start, annotations[n].sample_count);
        assert_eq!((annotations.len(), of(0), of(1)), (2, (10, Some(128)), (900, Some(100))));
        assert_eq!(annotations[0].label.as_deref(), Some("5d4d20237a55a6"));
        assert_eq!(annotations[0].comment.as_deref(), Some("df 11, icao 4d2023"));
    }
    assert_eq!(fs::read(&recording).unwrap(), noise(2001), "the samples are not touched");
    let other = dir.file("out/other.sigmf-data", [1; 2001]);
    let annotator = SigmfAnnotator::new(&recording, SampleFormat::CU8, &other).unwrap();
    let error = annotate(AnyBlock::new(annotator), &messages).unwrap_err().to_string();
    assert!(error.contains("the file that is there is another recording"), "{error}");
    assert_eq!(fs::read(&other).unwrap(), [1; 2001]);
    assert!(dir.path().join("out/modes.sigmf-data").exists());
    assert!(!dir.path().join("modes.sigmf-data").exists());
}

#[test]
fn a_message_that_fits_no_sample_ends_the_graph_and_is_shown() {
    let dir = TempDir::new();
    let recording = dir.file("x.u8", [1; 10]);
    for (message, wanted) in [
        (Value::map([("label", "5d")]), r#"the message {"label":"5d"} has no sample_index"#),
        (Value::map([("sample_index", 10)]), "x.u8 has 10 samples; a message is about sample 10"),
    ] {
        let annotator = SigmfAnnotator::new(&recording, SampleFormat::U8, dir.path().join("x")).unwrap();
        let error = annotate(AnyBlock::new(annotator), &[message]).unwrap_err().to_string();
        assert!(error.contains(wanted), "{error}");
        assert!(!dir.path().join("x.sigmf-meta").exists());
    }
}

#[test]
fn every_entry_declares_what_its_block_asks_for() {
    let dir = TempDir::new();
    let of_files =
        |entry: &&superhet_runtime::catalog::Entry| entry.params.iter().any(|param| param.name == "path");
    for entry in ENTRIES.iter().filter(of_files) {
        // A missing file is refused by the block itself, which has read all its parameters then.
        let mut given = BTreeMap::from([("path".to_owned(), text(&dir.path().join("no/x.cu8")))]);
        for param in entry.params.iter().filter(|param| param.default.is_none() && param.name != "path") {
            let value = match param.name {
                "format" => "cu8".into(),
                "rate_hz" => 1000.into(),
                _ => text(&dir.path().join("out")),
            };
            given.insert(param.name.to_owned(), value);
        }
        let errors = entry.build(&given).unwrap_err();
        assert_eq!((errors.len(), errors[0].param.as_str()), (1, entry.name), "{errors:?}");
        assert!(!entry.ports.is_empty() && entry.summary.ends_with('.'));
    }
}
