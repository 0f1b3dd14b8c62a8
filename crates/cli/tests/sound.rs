//! Sound: a server of PulseAudio that plays into nothing, and what is heard there. Skipped with a word where it is not installed.

use std::f64::consts::TAU;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::*;

/// A server with one sink, `air`, which plays at 48 kHz into nothing.
pub struct Server {
    child: Child,
    pub folder: PathBuf,
}

/// Whether there is a program of that name; else it is said that the test is skipped.
pub fn is_installed(program: &str) -> bool {
    let found =
        Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !found {
        eprintln!("skipped: there is no {program}");
    }
    found
}

impl Server {
    pub fn start(name: &str) -> Option<Self> {
        if !["pulseaudio", "pacat", "parec"].iter().all(|program| is_installed(program)) {
            return None;
        }
        let folder = folder(&format!("sound-{name}"));
        let socket =
            format!("module-native-protocol-unix auth-anonymous=1 socket={}/socket", folder.display());
        let sink = "module-null-sink sink_name=air rate=48000 channels=2 format=float32le";
        let mut command = Command::new("pulseaudio");
        command.args([
            "-n",
            "--daemonize=no",
            "--exit-idle-time=-1",
            "--use-pid-file=no",
            "--load",
            &socket,
            "--load",
            sink,
        ]);
        command.env("XDG_RUNTIME_DIR", &folder).env("HOME", &folder);
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let server = Server { child, folder };
        until("the server of sound does not start", || server.folder.join("socket").exists());
        Some(server)
    }

    /// A program that uses the server.
    pub fn client(&self, mut command: Command) -> Command {
        command.env("PULSE_SERVER", format!("unix:{}/socket", self.folder.display()));
        command.env("XDG_RUNTIME_DIR", &self.folder).env("HOME", &self.folder);
        command
    }

    /// Plays real samples at 48 kHz, until it is dropped; they are heard by now.
    pub fn play(&self, path: &Path) -> Running {
        let mut command = Command::new("pacat");
        command
            .args([
                "--playback",
                "--raw",
                "--format=float32le",
                "--rate=48000",
                "--channels=1",
                "--device=air",
            ])
            .arg(path);
        let playing = Running::start(self.client(command));
        let heard = self.folder.join("playing.f32");
        let _hearing = self.hear(&heard);
        until("nothing is heard", || numbers(&heard).iter().any(|sample| sample.abs() > 0.1));
        playing
    }

    /// Records what the sink plays, until it is dropped; it has begun by now.
    pub fn hear(&self, path: &Path) -> Running {
        let mut command = Command::new("parec");
        command
            .args(["--raw", "--format=float32le", "--rate=48000", "--channels=1", "--device=air.monitor"])
            .arg(path);
        let hearing = Running::start(self.client(command));
        until("nothing is recorded", || std::fs::metadata(path).is_ok_and(|meta| meta.len() > 0));
        hearing
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// A program that ends with the test.
pub struct Running(Child);

impl Running {
    pub fn start(mut command: Command) -> Self {
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        Running(child)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits until something is so.
pub fn until(problem: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(30), "{problem}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The real numbers of a file.
pub fn numbers(path: &Path) -> Vec<f32> {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    bytes.chunks_exact(4).map(|number| f32::from_le_bytes(number.try_into().unwrap())).collect()
}

/// Seconds of a tone at half of full scale, into a file.
pub fn tone(path: &Path, hz: f64, seconds: f64) -> Vec<f32> {
    let samples: Vec<f32> =
        (0..(seconds * 48e3) as usize).map(|n| 0.5 * (TAU * hz / 48e3 * n as f64).sin() as f32).collect();
    std::fs::write(path, samples.iter().flat_map(|sample| sample.to_le_bytes()).collect::<Vec<u8>>())
        .unwrap();
    samples
}

/// The frequency near `hz` at which samples are strongest, to 0.1 Hz, and their amplitude there.
pub fn strongest(samples: &[f32], hz: f64) -> (f64, f64) {
    let amplitude = |hz: f64| {
        let turn = TAU * hz / 48e3;
        let sums = samples.iter().enumerate().fold((0.0, 0.0), |(re, im), (n, sample)| {
            let (sine, cosine) = (turn * n as f64).sin_cos();
            (re + f64::from(*sample) * cosine, im + f64::from(*sample) * sine)
        });
        2.0 * f64::hypot(sums.0, sums.1) / samples.len() as f64
    };
    let candidates = (-50..=50).map(|tenth| hz + f64::from(tenth) / 10.0).map(|hz| (hz, amplitude(hz)));
    candidates.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap()
}

/// Runs the command with the server to its end; what it says.
fn run_with(server: &Server, arguments: &[&str]) -> String {
    let output =
        server.client(superhet(arguments)).stdout(Stdio::piped()).stderr(Stdio::piped()).output().unwrap();
    let said =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{arguments:?}: {said}");
    said
}

/// Tries up to five times: on a machine that has much else to do, a server or a program that records leaves holes of its own.
pub fn one_of_five(attempt: impl Fn() -> Result<(), String>) {
    let wrong: Vec<String> = (0..5).map_while(|_| attempt().err()).collect();
    assert!(wrong.len() < 5, "{wrong:#?}");
}

/// An error with what was found, unless it is as expected.
pub fn expect(is_so: bool, found: impl std::fmt::Display) -> Result<(), String> {
    if is_so { Ok(()) } else { Err(found.to_string()) }
}

#[test]
fn what_waits_for_the_card_is_heard_sample_by_sample() {
    let Some(server) = Server::start("exact") else { return };
    one_of_five(|| play_exactly(&server));
}

/// Plays two seconds, and compares what is heard.
fn play_exactly(server: &Server) -> Result<(), String> {
    let (path, heard) = (server.folder.join("tone.f32"), server.folder.join("heard.f32"));
    let played = tone(&path, 1000.3, 2.0);
    let hearing = server.hear(&heard);
    let begun = Instant::now();
    let line = format!("file_source path='{}' -> audio_sink rate_hz=48000 device=pulse:air", path.display());
    run_with(server, &["run", "-e", &line]);
    // All of it was heard before the end.
    assert!(begun.elapsed() > Duration::from_millis(1900), "{:?}", begun.elapsed());
    std::thread::sleep(Duration::from_millis(500));
    drop(hearing);
    let heard = numbers(&heard);
    // The first sample of the tone is 0.
    let first = heard.iter().position(|sample| sample.abs() > 1e-6).ok_or("silence")?;
    let heard = &heard[first.saturating_sub(1)..];
    if heard.len() < played.len() {
        return Err(format!("{} of {}", heard.len(), played.len()));
    }
    let wrong = heard.iter().zip(&played).position(|(heard, played)| (heard - played).abs() > 1e-4);
    wrong.map_or(Ok(()), |wrong| Err(format!("sample {wrong} is another")))
}

#[test]
fn a_radio_whose_clock_is_another_is_fitted_to_the_card() {
    let Some(server) = Server::start("drift") else { return };
    one_of_five(|| play_fitted(&server));
}

/// Plays 14 s of a radio that is 2000 millionths too fast, which would be 28 ms ahead then.
fn play_fitted(server: &Server) -> Result<(), String> {
    let (path, heard) = (server.folder.join("tone.f32"), server.folder.join("heard.f32"));
    tone(&path, 1000.0, 14.0);
    let hearing = server.hear(&heard);
    let line = format!(
        "file_source path='{}' -> throttle item=f32 rate_hz=48096 -> audio_sink rate_hz=48000 device=pulse:air; \
         audio_sink.status -> message_debug",
        path.display()
    );
    let said = run_with(server, &["run", "-e", &line]);
    drop(hearing);
    let status: Vec<serde_json::Value> = said
        .lines()
        .filter_map(|line| line.find('{').and_then(|at| serde_json::from_str(&line[at..]).ok()))
        .collect();
    expect(status.len() >= 10, &said)?;
    let last = status.last().unwrap();
    expect(last["underruns"] == 0, &said)?;
    expect((300.0..=5000.0).contains(&last["ppm"].as_f64().unwrap()), &said)?;
    for status in &status {
        let fill_s = status["fill_s"].as_f64().unwrap();
        expect((0.05..0.5).contains(&fill_s), &said)?;
    }
    // No hole anywhere.
    let heard = numbers(&heard);
    let first = heard.iter().position(|sample| sample.abs() > 1e-3).ok_or("silence")?;
    let last = heard.iter().rposition(|sample| sample.abs() > 1e-3).ok_or("silence")?;
    let quiet =
        heard[first..last].chunks(48).filter(|piece| piece.iter().all(|sample| sample.abs() < 0.1)).count();
    expect(quiet == 0, format!("{quiet} holes"))
}

#[test]
fn what_a_server_plays_is_heard() {
    let Some(server) = Server::start("source") else { return };
    one_of_five(|| record_exactly(&server));
}

/// Records two seconds of a tone.
fn record_exactly(server: &Server) -> Result<(), String> {
    let (path, heard) = (server.folder.join("tone.f32"), server.folder.join("heard.f32"));
    tone(&path, 1234.5, 30.0);
    let _playing = server.play(&path);
    let line = "audio_source rate_hz=48000 device=pulse:air.monitor";
    let arguments =
        ["record", "--from", line, "--samples", "96000", "--out-format", "f32", heard.to_str().unwrap()];
    run_with(server, &arguments);
    let heard = numbers(&heard);
    expect(heard.len() == 96_000, heard.len())?;
    let (hz, amplitude) = strongest(&heard[24_000..], 1234.0);
    expect((hz - 1234.5).abs() < 0.5 && (amplitude - 0.5).abs() < 0.02, format!("{hz} Hz, {amplitude}"))
}

#[test]
fn a_station_on_fm_is_heard() {
    let Some(server) = Server::start("station") else { return };
    let path = server.folder.join("station_98.5MHz_960k.cs16");
    let (graph, into) = (project("examples/fm_transmitter.toml"), format!("path={}", path.display()));
    let sets = ["--set", &into, "--set", "seconds=3", "--set", "right_level=0", "--set", "left_level=0.8"];
    run_with(&server, &[&["run", graph.to_str().unwrap()][..], &sets].concat());
    one_of_five(|| play_station(&server, &path));
}

/// Plays a station, and looks for the tone in what is heard.
fn play_station(server: &Server, path: &Path) -> Result<(), String> {
    let heard = server.folder.join("heard.f32");
    let hearing = server.hear(&heard);
    let said = run_with(server, &["decode", "fm", path.to_str().unwrap(), "--play=pulse:air"]);
    drop(hearing);
    expect(said.contains("SUPERHET"), &said)?;
    let heard = numbers(&heard);
    let first = heard.iter().position(|sample| sample.abs() > 0.1).ok_or("silence")?;
    let heard = heard.get(first + 24_000..first + 96_000).ok_or("it ends too soon")?;
    // The left channel has the tone, and both of them together half of it.
    let (hz, amplitude) = strongest(heard, 1000.0);
    expect(
        (hz - 1000.0).abs() < 0.5 && (amplitude - 0.8 * 0.88 / 2.0).abs() < 0.08,
        format!("{hz} Hz, {amplitude}"),
    )
}

#[test]
fn where_there_is_no_sound_it_is_said_what_is_missing() {
    let mut command =
        superhet(&["run", "-e", "null_source item=f32 -> audio_sink rate_hz=48000 device=pulse"]);
    let output = command.env("PULSE_SERVER", "unix:/nowhere").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && said.contains("PulseAudio or PipeWire: "), "{said}");
    let (said, code) = failure(&["run", "-e", "null_source item=f32 -> audio_sink rate_hz=48000 device=oss"]);
    assert!(code == 2 && said.contains("device is oss, expected pulse, pulse:NAME"), "{said}");
}
