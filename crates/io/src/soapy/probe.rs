//! Which devices there are, asked module by module in processes that may crash or hang.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::api::{self, Device, Direction, Range};
use super::radio::sensors;
use crate::error::Error;

/// How long a module, or a device, has for its answer; some look for devices in the network, too.
pub const PROBE_TIME: Duration = Duration::from_secs(10);
/// How often it is looked whether an answer is there.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// More than that is no answer.
const MOST_BYTES: u64 = 1 << 20;
/// Where the library looks for modules: besides its own folder, and instead of it.
const MODULE_FOLDERS: &str = "SOAPY_SDR_PLUGIN_PATH";
const ROOT: &str = "SOAPY_SDR_ROOT";

/// What one module, or the library as a whole, has answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// The file of the module; nothing where there is no library to ask.
    pub module: Option<PathBuf>,
    /// For each device what names it, as `driver` and `serial`; or why there is no answer.
    pub devices: Result<Vec<Map<String, Value>>, String>,
}

impl Asked {
    /// The URI of a device that was found.
    pub fn uri(device: &Map<String, Value>) -> String {
        let text = |(key, value): (&String, &Value)| Some(format!("{key}={}", value.as_str()?));
        // What is there for people only makes no difference between devices.
        let is_own = |key: &str| !["driver", "label", "product", "manufacturer", "tuner"].contains(&key);
        let driver = device.get_key_value("driver").into_iter();
        let own = driver.chain(device.iter().filter(|(key, _)| is_own(key)));
        format!("soapy:{}", own.filter_map(text).collect::<Vec<_>>().join(","))
    }
}

/// Asks all modules which devices they find, each in a process of its own and all at once, for `limit` at most. `helper` makes the
/// command of a process that does nothing but [`answer`] its arguments.
///
/// ```no_run
/// use superhet_io::soapy;
/// let helper = || {
///     let mut command = std::process::Command::new("superhet");
///     command.arg("soapy-probe");
///     command
/// };
/// for asked in soapy::devices(helper, soapy::PROBE_TIME) {
///     println!("{asked:?}");
/// }
/// ```
pub fn devices(helper: impl Fn() -> Command, limit: Duration) -> Vec<Asked> {
    let alone = |problem: String| vec![Asked { module: None, devices: Err(problem) }];
    let mut command = helper();
    command.arg("modules");
    let listed = begin(command).and_then(|asking| asking.answer(limit)).and_then(|answer| match answer {
        Value::Array(paths) => {
            Ok(paths.iter().filter_map(Value::as_str).map(PathBuf::from).collect::<Vec<_>>())
        }
        other => Err(format!("the modules are {other}, expected a list of files")),
    });
    let modules = match listed {
        Ok(modules) => modules,
        Err(problem) => return alone(problem),
    };
    let asking: Vec<_> = modules
        .into_iter()
        .map(|module| {
            let folder = Folder::with(&module);
            let begun = folder.as_ref().map_err(|error| format!("cannot make a folder for it: {error}"));
            let begun = begun.and_then(|folder| {
                let mut command = helper();
                command.arg("find").env(MODULE_FOLDERS, &folder.0).env(ROOT, &folder.0);
                begin(command)
            });
            (module, folder, begun)
        })
        .collect();
    let until = Instant::now() + limit;
    let mut answers = Vec::new();
    for (module, _folder, begun) in asking {
        let answer = begun.and_then(|asking| asking.answer(until.saturating_duration_since(Instant::now())));
        let devices = answer.and_then(|answer| match answer {
            Value::Array(devices) => {
                Ok(devices.into_iter().filter_map(|device| device.as_object().cloned()).collect())
            }
            other => Err(format!("the devices are {other}, expected a list of maps")),
        });
        answers.push(Asked { module: Some(module), devices });
    }
    answers
}

/// Asks what the device that the arguments name can be set to, in a process of its own, for `limit` at most.
///
/// # Errors
/// [`Error::Radio`]: it is not there, does not answer in time, or its driver has crashed.
pub fn describe(helper: impl Fn() -> Command, arguments: &str, limit: Duration) -> Result<Value, Error> {
    let mut command = helper();
    command.arg("describe").arg(arguments);
    let failed = |problem| Error::Radio { address: format!("soapy:{arguments}"), problem };
    begin(command).and_then(|asking| asking.answer(limit)).map_err(failed)
}

/// What the process that `helper` makes does with its arguments; it gives its one line of output.
///
/// # Errors
/// A sentence where the arguments are others. What the library says is a part of the answer.
pub fn answer(arguments: &[String]) -> Result<String, String> {
    let answer = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["modules"] => api::modules().map(|modules| json!(modules)),
        ["find"] => find(),
        ["describe", arguments] => description(arguments),
        _ => return Err("expected modules, find, or describe and the arguments of a device".to_owned()),
    };
    Ok(match answer {
        Ok(answer) => json!({ "ok": answer }).to_string(),
        Err(problem) => json!({ "problem": problem }).to_string(),
    })
}

/// All devices of the modules that this process can find: one, where `devices` has asked.
fn find() -> Result<Value, String> {
    for module in api::modules()? {
        // What has been loaded already says so, which is no problem.
        match api::load_module(&module) {
            Err(problem) if !problem.contains("already loaded") => return Err(problem),
            _ => {}
        }
    }
    let devices = api::enumerate("")?;
    let map = |pairs: api::Pairs| {
        pairs.into_iter().map(|(key, value)| (key, Value::from(value))).collect::<Map<_, _>>()
    };
    Ok(devices.into_iter().map(map).map(Value::Object).collect())
}

fn description(arguments: &str) -> Result<Value, String> {
    let device = Device::open(arguments)?;
    let ranges = |ranges: &[Range]| {
        ranges.iter().map(|range| json!([range.minimum, range.maximum])).collect::<Value>()
    };
    let side = |direction| {
        let channel = |channel| {
            let element = |name: String| {
                let range = device.gain_element_range(direction, channel, &name).unwrap_or_default();
                (name, json!([range.minimum, range.maximum]))
            };
            let gains = device.gains(direction, channel).into_iter().map(element).collect::<Map<_, _>>();
            let gain = device.gain_range(direction, channel);
            json!({
                "antennas": device.antennas(direction, channel),
                "antenna": device.antenna(direction, channel),
                "frequency_hz": ranges(&device.frequency_ranges(direction, channel)),
                "rate_hz": ranges(&device.rate_ranges(direction, channel)),
                "bandwidth_hz": ranges(&device.bandwidth_ranges(direction, channel)),
                "gain_db": [gain.minimum, gain.maximum],
                "gains": gains,
                "gain_auto": device.has_gain_mode(direction, channel),
                "ppm": device.has_correction(direction, channel),
                "dc_removal": device.has_dc_removal(direction, channel),
                "iq_balance": device.has_iq_balance(direction, channel),
                "formats": device.stream_formats(direction, channel),
            })
        };
        (0..device.channels(direction)).map(channel).collect::<Value>()
    };
    let map = |pairs: api::Pairs| {
        pairs.into_iter().map(|(key, value)| (key, Value::from(value))).collect::<Map<_, _>>()
    };
    let channels: Vec<usize> = (0..device.channels(Direction::Receive)).collect();
    Ok(json!({
        "driver": device.driver(),
        "hardware": device.hardware(),
        "receive": side(Direction::Receive),
        "transmit": side(Direction::Transmit),
        "clock_sources": device.clock_sources(),
        "time_sources": device.time_sources(),
        "settings": map(device.settings()),
        "sensors": map(sensors(&device, Direction::Receive, &channels)),
    }))
}

/// A process that has been asked.
struct Asking {
    child: Child,
    output: std::thread::JoinHandle<io::Result<Vec<u8>>>,
}

fn begin(mut command: Command) -> Result<Asking, String> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| format!("cannot start a process that asks: {error}"))?;
    let output = child.stdout.take();
    let output = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        output.map_or(Ok(0), |output| output.take(MOST_BYTES).read_to_end(&mut bytes))?;
        Ok(bytes)
    });
    Ok(Asking { child, output })
}

impl Asking {
    fn answer(mut self, limit: Duration) -> Result<Value, String> {
        let begun = Instant::now();
        let status = loop {
            match self.child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) if begun.elapsed() < limit => std::thread::sleep(LOOK_EVERY),
                Ok(None) => {
                    let _ = self.child.kill();
                    let _ = self.child.wait();
                    return Err(format!("it has not answered in {:.1} s", limit.as_secs_f64()));
                }
                Err(error) => return Err(format!("cannot wait for the process that asks: {error}")),
            }
        };
        // Drivers write there, too, and what a library of C has kept comes after the answer.
        let bytes = self.output.join().ok().and_then(Result::ok).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let is_one = |map: &Map<String, Value>| map.contains_key("ok") || map.contains_key("problem");
        let mut lines =
            text.lines().rev().filter_map(|line| serde_json::from_str::<Map<String, Value>>(line).ok());
        let answer = lines.find(is_one).filter(|_| status.success());
        let Some(mut answer) = answer else { return Err(format!("its driver has crashed: {status}")) };
        match (answer.remove("ok"), answer.get("problem").and_then(Value::as_str)) {
            (Some(ok), _) => Ok(ok),
            (None, Some(problem)) => Err(problem.to_owned()),
            (None, None) => Err("the process that asks has no answer".to_owned()),
        }
    }
}

/// A folder with one module and nothing else, which goes when it is dropped.
struct Folder(PathBuf);

impl Folder {
    fn with(module: &Path) -> io::Result<Self> {
        let name = module.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let unique = Instant::now();
        let folder = (0..1000).find_map(|attempt: u32| {
            let nanos = unique.elapsed().subsec_nanos();
            let folder =
                std::env::temp_dir().join(format!("superhet-soapy-{}-{attempt}-{nanos}", std::process::id()));
            std::fs::create_dir(&folder).is_ok().then_some(folder)
        });
        let folder = Folder(folder.ok_or(io::ErrorKind::PermissionDenied)?);
        #[cfg(unix)]
        std::os::unix::fs::symlink(module, folder.0.join(name))?;
        #[cfg(not(unix))]
        std::fs::copy(module, folder.0.join(name))?;
        Ok(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What is left in a folder for temporary files is in nobody's way.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &'static str) -> impl Fn() -> Command {
        move || {
            let mut command = Command::new("sh");
            command.args(["-c", script, "sh"]);
            command
        }
    }

    #[test]
    fn a_process_that_hangs_or_crashes_costs_its_own_answer_only() {
        let helper = shell(
            r#"case "$1$SOAPY_SDR_PLUGIN_PATH" in
            modules*) echo '{"ok": ["/x/good.so", "/x/hang.so", "/x/crash.so", "/x/noise.so"]}';;
            find*) case "$(ls $SOAPY_SDR_PLUGIN_PATH)" in
                good.so) echo 'a driver says hello'; echo '{"ok": [{"driver": "a", "label": "A 1", "serial": "1"}]}'; echo 'and bye';;
                hang.so) sleep 60;;
                crash.so) kill -SEGV $$;;
                noise.so) echo '[1, 2';;
            esac;; esac"#,
        );
        let begun = Instant::now();
        let asked = devices(helper, Duration::from_secs(2));
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
        let found = asked[0].devices.as_ref().unwrap();
        assert_eq!(Asked::uri(&found[0]), "soapy:driver=a,serial=1");
        let problems: Vec<&str> =
            asked[1..].iter().map(|asked| asked.devices.as_ref().unwrap_err().as_str()).collect();
        assert!(problems[0].contains("has not answered in"), "{problems:?}");
        assert!(problems[1].contains("has crashed") && problems[1].contains("signal"), "{problems:?}");
        assert!(problems[2].contains("has crashed"), "{problems:?}");
    }

    #[test]
    fn without_a_library_there_is_one_answer_which_says_so() {
        let asked = devices(shell(r#"echo '{"problem": "there is no SoapySDR"}'"#), PROBE_TIME);
        let wanted = Asked { module: None, devices: Err("there is no SoapySDR".to_owned()) };
        assert_eq!(asked, [wanted]);
        let error = describe(shell("exit 1"), "driver=x", PROBE_TIME).unwrap_err().to_string();
        assert!(error.starts_with("soapy:driver=x: its driver has crashed: exit status: 1"), "{error}");
    }

    #[test]
    fn a_process_that_asks_knows_three_words() {
        assert!(answer(&["dance".to_owned()]).unwrap_err().contains("expected modules, find, or describe"));
    }
}
