//! Radios of SoapySDR: a library of our own whose radio does what a script says, and real modules where they are installed.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use serde_json::Value as Json;

use crate::common::*;
use crate::sound::{Running, Server, expect, is_installed, one_of_five, strongest, tone, until};

/// The folder with our library, built once; nothing where there is no C compiler.
fn library() -> Option<&'static Path> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    let build = || {
        let folder = folder("soapy-library");
        let file = folder.join("libSoapySDR.so.0.8");
        let source = project("crates/cli/tests/soapy/fake.c");
        let built = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&file).arg(source).output();
        let Ok(built) = built else {
            eprintln!("skipped: there is no C compiler `cc`");
            return None;
        };
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        // Modules are files whose names say what they do.
        std::fs::create_dir(folder.join("modules")).unwrap();
        for name in ["fake.so", "hang.so", "crash.so", "broken.so"] {
            std::fs::write(folder.join("modules").join(name), "").unwrap();
        }
        Some(folder)
    };
    BUILT.get_or_init(build).as_deref()
}

/// What a command has said: on stdout, on stderr, and its exit code.
struct Said(String, String, Option<i32>);

/// Runs the command with our library, and these variables of the environment.
fn with_library(library: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Said {
    let mut command = superhet(arguments);
    command.env("LD_LIBRARY_PATH", library).env_remove("SOAPY_SDR_PLUGIN_PATH");
    command.env("FAKE_SOAPY_MODULES", library.join("modules")).envs(variables.iter().copied());
    said(command)
}

fn said(mut command: Command) -> Said {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let id = child.id();
    let waiter = std::thread::spawn(move || child.wait_with_output().unwrap());
    let start = Instant::now();
    while !waiter.is_finished() {
        assert!(start.elapsed() < Duration::from_secs(60), "{command:?} (process {id}) hangs");
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = waiter.join().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Said(text(output.stdout), text(output.stderr), output.status.code())
}

/// Complex samples of a file.
fn samples(path: &Path) -> Vec<(f32, f32)> {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let number = |bytes: &[u8]| f32::from_le_bytes(bytes.try_into().unwrap());
    bytes.chunks_exact(8).map(|sample| (number(&sample[..4]), number(&sample[4..]))).collect()
}

#[test]
fn drivers_that_hang_or_crash_cost_no_other_its_devices() {
    let Some(library) = library() else { return };
    let begun = Instant::now();
    let Said(out, err, code) = with_library(library, &["devices", "--json", "--patience", "3"], &[]);
    assert_eq!(code, Some(0), "{err}");
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
    let devices: Vec<Json> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let uris: Vec<&str> = devices.iter().filter_map(|device| device["uri"].as_str()).collect();
    assert!(
        uris.contains(&"soapy:driver=fake,serial=0") && uris.contains(&"soapy:driver=fake,serial=1"),
        "{out}"
    );
    for problem in [
        "hang.so it has not answered in",
        "crash.so its driver has crashed: signal",
        "broken.so dlopen() failed",
    ] {
        assert!(err.contains(problem), "{problem}: {err}");
    }
    let Said(out, ..) = with_library(library, &["devices", "--patience", "1"], &[]);
    assert!(out.contains("  soapy:driver=fake,serial=0  Fake 0\n"), "{out}");
}

#[test]
fn a_device_says_what_it_can_be_set_to() {
    let Some(library) = library() else { return };
    let Said(out, err, code) =
        with_library(library, &["devices", "--patience", "1", "soapy:driver=fake"], &[]);
    assert_eq!(code, Some(0), "{err}");
    for line in [
        "  driver: fake\n",
        "    antennas: RX, TX/RX\n",
        "      LNA: 0 to 30\n",
        "    rate_hz: 1000",
        "  clock_sources: internal, external\n",
    ] {
        assert!(out.contains(line), "{line}: {out}");
    }
    let Said(_, err, code) =
        with_library(library, &["devices", "--patience", "1", "soapy:driver=other"], &[]);
    assert!(
        code == Some(1) && err.contains("soapy:driver=other: SoapySDR::Device::make() no match"),
        "{err}"
    );
}

#[test]
fn what_is_no_library_is_said_with_what_to_install() {
    let Some(library) = library() else { return };
    let graph = ["run", "-e", "soapy_source arguments=driver=fake -> null_sink"];
    let old = with_library(library, &graph, &[("FAKE_SOAPY_ABI", "0.7")]);
    assert!(
        old.1.contains("SoapySDR has the ABI 0.7, expected 0.8: install it") && old.2 == Some(1),
        "{}",
        old.1
    );
    let broken = folder("soapy-broken");
    for name in ["libSoapySDR.so.0.8", "libSoapySDR.so"] {
        std::fs::write(broken.join(name), "no library").unwrap();
    }
    let Said(_, err, code) = with_library(&broken, &graph, &[]);
    assert!(code == Some(1) && err.contains("there is no SoapySDR 0.8 on this machine"), "{err}");
    assert!(err.contains("apt install libsoapysdr0.8"), "{err}");
    std::fs::remove_dir_all(broken).unwrap();
}

#[test]
fn short_reads_and_time_outs_are_not_the_end_and_overflows_are_gaps_of_their_length() {
    let Some(library) = library() else { return };
    let folder = folder("soapy-record");
    let target = folder.join("air.sigmf-meta");
    let arguments =
        ["record", "--from", "soapy:driver=fake", "--rate", "1M", "--freq", "433.92M", "--samples", "20000"];
    // Overflows of 500 and of 250 samples between short reads, time-outs and empty ones; two losses in a row are one gap.
    let script = "r100 t z r3 o500 r1000 t o100 t c150 z r7";
    let variables = [("FAKE_SOAPY_READ", script), ("FAKE_SOAPY_TIME", "1")];
    let Said(_, err, code) =
        with_library(library, &[&arguments[..], &[target.to_str().unwrap()]].concat(), &variables);
    assert_eq!(code, Some(0), "{err}");
    let wanted = (0..103).chain(603..1603).chain(1853..).take(20_000).map(|n| (n as f32, 1.0));
    let came = samples(&folder.join("air.sigmf-data"));
    assert_eq!(came.len(), 20_000);
    let wrong = came.iter().zip(wanted).position(|(came, wanted)| *came != wanted);
    assert_eq!(wrong, None);
    let meta: Json = serde_json::from_slice(&std::fs::read(&target).unwrap()).unwrap();
    assert_eq!(meta["global"]["core:sample_rate"], 1e6);
    let captures = meta["captures"].as_array().unwrap();
    let of = |key: &str| captures.iter().map(|capture| capture[key].as_u64().unwrap()).collect::<Vec<_>>();
    assert_eq!(of("core:sample_start"), [0, 103, 1103]);
    assert_eq!(of("core:global_index"), [0, 603, 1853]);
    assert!(captures.iter().all(|capture| capture["core:frequency"] == 433.92e6), "{captures:?}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn an_overflow_whose_length_nobody_knows_is_a_gap_all_the_same() {
    let Some(library) = library() else { return };
    let folder = folder("soapy-unknown");
    let target = folder.join("air.sigmf-meta");
    let line = "soapy_source arguments=driver=fake rate_hz=1e6 -> head items=5000";
    let arguments = ["record", "--from", line, target.to_str().unwrap()];
    // Time stands still for the clock while the script says that something was lost.
    let variables = [("FAKE_SOAPY_READ", "r1000 o1 r1000 o1 r1000")];
    let Said(_, err, code) = with_library(library, &arguments, &variables);
    assert_eq!(code, Some(0), "{err}");
    let meta: Json = serde_json::from_slice(&std::fs::read(&target).unwrap()).unwrap();
    let starts: Vec<_> = meta["captures"]
        .as_array()
        .unwrap()
        .iter()
        .map(|capture| capture["core:sample_start"].as_u64().unwrap())
        .collect();
    assert_eq!(starts, [0, 1000, 2000]);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_device_that_fails_is_opened_again() {
    let Some(library) = library() else { return };
    let folder = folder("soapy-again");
    let (target, log) = (folder.join("air.cf32"), folder.join("log"));
    let arguments = [
        "record",
        "--from",
        "soapy:driver=fake",
        "--rate",
        "1M",
        "--samples",
        "5000",
        target.to_str().unwrap(),
    ];
    let variables = [("FAKE_SOAPY_READ", "r1000 e"), ("FAKE_SOAPY_LOG", log.to_str().unwrap())];
    let Said(_, err, code) = with_library(library, &arguments, &variables);
    assert!(code == Some(0) && err.contains("reading has failed: STREAM_ERROR (-2); tries again"), "{err}");
    let came = samples(&target);
    assert!(came.len() == 5000 && came.iter().enumerate().all(|(n, sample)| *sample == (n as f32, 1.0)));
    let log = std::fs::read_to_string(&log).unwrap();
    let words: Vec<&str> = log
        .lines()
        .filter(|line| ["make", "close", "unmake"].contains(&line.split(' ').next().unwrap()))
        .collect();
    assert_eq!(
        words,
        ["make driver=fake", "close", "unmake", "make driver=fake", "close", "unmake"],
        "{log}"
    );
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_device_that_falls_silent_is_opened_again_and_one_that_never_speaks_is_an_error() {
    let Some(library) = library() else { return };
    let folder = folder("soapy-silent");
    let (target, log) = (folder.join("air.cf32"), folder.join("log"));
    // A time-out takes 50 ms or more.
    let (a_while, for_ever) = (format!("r1000 {}", "t ".repeat(12)), "t ".repeat(1000));
    let record = |parameters: &str, reads: &str| {
        let line = format!(
            "soapy_source arguments=driver=fake rate_hz=1e6 silence_s=0.5 {parameters} -> head items=2500"
        );
        let variables = [("FAKE_SOAPY_READ", reads), ("FAKE_SOAPY_LOG", log.to_str().unwrap())];
        let arguments = ["record", "--from", &line, "--force", target.to_str().unwrap()];
        with_library(library, &arguments, &variables)
    };
    let Said(_, err, code) = record("", &a_while);
    assert!(code == Some(0) && err.contains("nothing has come for 0.5 s; tries again"), "{err}");
    let came = samples(&target);
    assert!(came.len() == 2500 && came.iter().enumerate().all(|(n, sample)| *sample == (n as f32, 1.0)));
    let log = std::fs::read_to_string(&log).unwrap();
    assert!(log.lines().filter(|line| line.starts_with("make ")).count() >= 2, "{log}");
    for (parameters, reads) in [("reconnect=false", &a_while), ("", &for_ever)] {
        let Said(_, err, code) = record(parameters, reads);
        assert!(code == Some(1) && err.contains("soapy:driver=fake: nothing has come for 0.5 s"), "{err}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn all_settings_reach_the_device_and_so_do_new_ones_while_it_runs() {
    let Some(library) = library() else { return };
    let folder = folder("soapy-settings");
    let (log, one, two) = (folder.join("log"), folder.join("one.cf32"), folder.join("two.cf32"));
    let line = format!(
        "radio:soapy_source arguments='driver=fake,serial=1' channels=[0,1] rate_hz=1e6 frequency_hz=1e8 bandwidth_hz=8e5 \
         antenna=TX/RX gain_db=20 gains='LNA=5,VGA=7.5' ppm=1.5 dc_removal=true settings=biastee=true clock_source=external \
         time_source=gpsdo stream_arguments='bufflen=99' sensors_s=0.001; \
         radio.out0 -> head items=300000 -> one:file_sink path='{}'; radio.out1 -> head items=300000 -> two:file_sink path='{}'; \
         strobe:message_strobe message='{{\"frequency_hz\": 101e6}}' period_s=0.05; strobe.out -> radio.set; \
         radio.sensors -> debug:message_debug",
        one.display(),
        two.display()
    );
    let Said(out, err, code) =
        with_library(library, &["run", "-e", &line], &[("FAKE_SOAPY_LOG", log.to_str().unwrap())]);
    assert_eq!(code, Some(0), "{err}");
    for (path, first) in [(one, 0.0), (two, 1e6)] {
        let came = samples(&path);
        assert!(
            came.len() == 300_000
                && came.iter().enumerate().all(|(n, sample)| *sample == (first + n as f32, 1.0))
        );
    }
    let log = std::fs::read_to_string(&log).unwrap();
    let mut lines = log.lines();
    // In this order: what others depend on comes first.
    for wanted in [
        "make driver=fake,serial=1",
        "clock external",
        "time gpsdo",
        "setting biastee true",
        "rate rx 0 1000000",
        "rate rx 1 1000000",
        "bandwidth rx 0 800000",
        "antenna rx 0 TX/RX",
        "frequency rx 1 100000000",
        "ppm rx 0 1.5",
        "dc rx 1 1",
        "gain mode rx 0 0",
        "gain rx 0 20",
        "gain rx 0 LNA 5",
        "gain rx 1 VGA 7.5",
        "stream arguments bufflen=99",
        "setup rx CF32 of 2 from 0",
        "activate",
        "frequency rx 0 101000000",
        "frequency rx 1 101000000",
        "deactivate",
        "close",
        "unmake",
    ] {
        assert!(lines.any(|line| line == wanted), "{wanted} in {log}");
    }
    assert!(format!("{out}{err}").contains("36.6"), "{out}{err}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_a_device_does_not_have_is_said_with_what_it_has() {
    let Some(library) = library() else { return };
    for (parameters, problem) in [
        ("antenna=x", "antenna: there is no \"x\": it has RX, TX/RX"),
        ("gains=x=1", "gains: there is no \"x\": it has LNA, VGA"),
        ("settings=x=1", "settings: there is no \"x\": it has biastee"),
        ("clock_source=x", "clock_source: there is no \"x\": it has internal, external"),
        ("channels=[2]", "there is no channel 2 to receive: it has 2, numbered from 0"),
        (
            "rate_hz=5e6",
            "rate_hz: it has taken 2000000 Hz where 5000000 were asked for; it has 1000 to 2000000 Hz",
        ),
        ("frequency_hz=7e9", "frequency_hz: 7000000000: out of range; it has 1000000 to 6000000000 Hz"),
        ("iq_balance=true", "iq_balance: it has none of its own"),
    ] {
        let line = format!("soapy_source arguments=driver=fake {parameters} -> head items=10 -> null_sink");
        let Said(_, err, code) = with_library(library, &["run", "-e", &line], &[]);
        assert!(code == Some(1) && err.contains(problem), "{parameters}: {err}");
    }
    let line = "soapy_source arguments=driver=none -> null_sink";
    let Said(_, err, _) = with_library(library, &["run", "-e", line], &[]);
    assert!(
        err.contains("soapy:driver=none: cannot open driver=none: SoapySDR::Device::make() no match"),
        "{err}"
    );
}

#[test]
fn what_is_transmitted_is_what_was_given_through_short_writes_and_underflows() {
    let Some(library) = library() else { return };
    let folder = folder("soapy-transmit");
    let (source, out, log) = (folder.join("x.cf32"), folder.join("out.cf32"), folder.join("log"));
    let bytes: Vec<u8> = (0..50_000).flat_map(|n| (n as f32).to_le_bytes()).collect();
    std::fs::write(&source, &bytes).unwrap();
    let line = format!(
        "file_source path='{}' -> soapy_sink arguments=driver=fake rate_hz=1e6 frequency_hz=1e8 gain_db=10; \
         soapy_sink.events -> message_debug",
        source.display()
    );
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let (out_text, log_text) = (text(&out), text(&log));
    let variables = [
        ("FAKE_SOAPY_WRITE", "w100 t w1 u t w700"),
        ("FAKE_SOAPY_OUT", &*out_text),
        ("FAKE_SOAPY_LOG", &*log_text),
    ];
    let Said(said, err, code) = with_library(library, &["run", "-e", &line], &variables);
    assert_eq!(code, Some(0), "{err}");
    assert!(std::fs::read(&out).unwrap() == bytes);
    assert!(format!("{said}{err}").contains("underflow"), "{said}{err}");
    let log = std::fs::read_to_string(&log).unwrap();
    // The end of the stream ends the burst, and only then is it closed.
    let end = log.find("flags 2").unwrap_or_else(|| panic!("{log}"));
    assert!(end < log.find("close").unwrap(), "{log}");
    assert!(log.contains("setup tx CF32 of 1 from 0") && log.contains("gain tx 0 10"), "{log}");
    std::fs::remove_dir_all(folder).unwrap();
}

/// Records what a module gives of a tone that plays, which is as strong as expected.
fn record_tone(server: &Server, arguments: &str, strength: f64) -> Result<(), String> {
    let (path, target) = (server.folder.join("tone.f32"), server.folder.join("air.cf32"));
    tone(&path, 1234.5, 30.0);
    let _playing = server.play(&path);
    let uri = format!("soapy:{arguments}");
    let mut command =
        server.client(superhet(&["record", "--from", &uri, "--rate", "48000", "--samples", "96000"]));
    command.args(["--force", target.to_str().unwrap()]);
    let Said(_, err, code) = said(command);
    assert_eq!(code, Some(0), "{err}");
    let real: Vec<f32> = samples(&target)[24_000..].iter().map(|sample| sample.0).collect();
    let (hz, amplitude) = strongest(&real, 1234.0);
    expect((hz - 1234.5).abs() < 1.0 && (amplitude - strength).abs() < 0.02, format!("{hz} Hz, {amplitude}"))
}

/// Whether the modules are installed that this is tried with.
fn has_modules(names: &[&str]) -> bool {
    let folders = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/local/lib", "/usr/lib"];
    let is_there = |name: &&str| {
        folders.iter().any(|folder| Path::new(folder).join("SoapySDR/modules0.8").join(name).exists())
    };
    let missing = names.iter().find(|name| !is_there(name));
    missing.iter().for_each(|name| eprintln!("skipped: there is no module {name} of SoapySDR"));
    missing.is_none()
}

#[test]
fn a_module_of_others_gives_the_tone_that_plays() {
    if !has_modules(&["libaudioSupport.so"]) {
        return;
    }
    let Some(server) = Server::start("soapy") else { return };
    one_of_five(|| record_tone(&server, "driver=audio", 0.5));
}

#[test]
fn a_server_of_others_gives_the_tone_that_plays() {
    if !has_modules(&["libaudioSupport.so", "libremoteSupport.so"])
        || !["dbus-daemon", "avahi-daemon", "SoapySDRServer"].iter().all(|program| is_installed(program))
    {
        return;
    }
    let Some(server) = Server::start("remote") else { return };
    let bus = server.folder.join("bus");
    let policy = r#"<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/><allow user="*"/></policy>"#;
    let config = format!(
        "<busconfig><type>system</type><listen>unix:path={}</listen><auth>EXTERNAL</auth>{policy}</busconfig>",
        bus.display()
    );
    let (bus_file, avahi_file) = (server.folder.join("bus.conf"), server.folder.join("avahi.conf"));
    std::fs::write(&bus_file, config).unwrap();
    std::fs::write(&avahi_file, "[server]\nuse-ipv6=no\nenable-dbus=yes\n[rlimits]\n").unwrap();
    let with_bus = |mut command: Command| {
        command.env("DBUS_SYSTEM_BUS_ADDRESS", format!("unix:path={}", bus.display()));
        command
    };
    let mut command = Command::new("dbus-daemon");
    command.args(["--nofork", "--nopidfile", "--config-file"]).arg(&bus_file);
    let _bus = Running::start(command);
    until("the bus does not start", || bus.exists());
    let mut command = Command::new("avahi-daemon");
    command.args(["--no-drop-root", "--no-chroot", "--no-rlimits", "--file"]).arg(&avahi_file);
    let _avahi = Running::start(with_bus(command));
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    std::thread::sleep(Duration::from_secs(1));
    let mut command = server.client(Command::new("SoapySDRServer"));
    command.arg(format!("--bind=tcp://127.0.0.1:{port}"));
    let _remote = Running::start(with_bus(command));
    let start = Instant::now();
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        if start.elapsed() > Duration::from_secs(10) {
            // Another avahi-daemon that runs already keeps ours from starting, and then there is no server.
            eprintln!("skipped: SoapySDRServer does not start here");
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let arguments = format!("driver=remote,remote=tcp://127.0.0.1:{port},remote:driver=audio");
    // That module says that 65536 is full scale of its numbers of 16 bits, so that it comes half as strong.
    one_of_five(|| record_tone(&server, &arguments, 0.25));
}
