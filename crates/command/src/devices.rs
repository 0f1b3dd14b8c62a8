//! `superhet devices`: which radios there can be, and which answer.

use std::time::Duration;

use clap::Args;
use serde_json::{Map, Value};
use superhet::io::{RadioUri, rtl_tcp, rtlsdr, soapy};

use superhet_terminal::say;

/// `superhet devices`
#[derive(Args, Debug)]
pub struct Devices {
    /// Ask also at these places whether there is an rtl_tcp server; or, of soapy:ARGUMENTS, say what that device can be set to
    #[arg(value_name = "HOST[:PORT]|soapy:ARGUMENTS", value_parser = parse_place)]
    places: Vec<Place>,
    /// Print one JSON object a line for each radio that answers, and nothing else on stdout
    #[arg(long)]
    json: bool,
    /// How long each module of SoapySDR may look for its radios, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = soapy::PROBE_TIME.as_secs_f64(), value_parser = parse_seconds)]
    patience: f64,
}

/// Where to ask.
#[derive(Clone, Debug)]
enum Place {
    RtlTcp(String, u16),
    Soapy(String),
}

/// How long a server has for its answer.
const TIMEOUT: Duration = Duration::from_secs(1);

fn parse_place(text: &str) -> Result<Place, String> {
    if text.starts_with("soapy:") {
        return match RadioUri::parse(text) {
            Ok(RadioUri::Soapy(uri)) => Ok(Place::Soapy(uri.arguments)),
            Ok(_) => Err("expected soapy:ARGUMENTS".to_owned()),
            Err(error) => Err(error.to_string()),
        };
    }
    let place = text.strip_prefix("rtl_tcp://").unwrap_or(text);
    let (host, port) = rtl_tcp::place(place).ok_or("expected HOST[:PORT], [HOST]:PORT or soapy:ARGUMENTS")?;
    Ok(Place::RtlTcp(host, port))
}

fn parse_seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse::<f64>().ok().filter(|seconds| (0.1..=3600.0).contains(seconds));
    seconds.ok_or_else(|| "expected seconds, 0.1 to 3600".to_owned())
}

impl Devices {
    /// Lists them.
    pub fn run(self) -> anyhow::Result<()> {
        let mut text = String::new();
        if !self.json {
            text += "what --from and the block radio take:\n";
            for (scheme, what) in superhet::io::schemes() {
                text += &format!("  {scheme}\n      {what}\n");
            }
            text += "what answers:\n";
        }
        let patience = Duration::from_secs_f64(self.patience);
        if let Some((host, port)) = rtl_tcp::place("") {
            text += &self.server(&host, port);
        }
        text += &self.modules(patience);
        text += &self.plugged_in();
        for place in &self.places {
            match place {
                Place::RtlTcp(host, port) => text += &self.server(host, *port),
                Place::Soapy(arguments) => {
                    let found = soapy::describe(|| probe(&[]), arguments, patience)?;
                    let uri = format!("soapy:{arguments}");
                    text += &match (found, self.json) {
                        (Value::Object(map), true) => line(&uri, map),
                        (found, true) => line(&uri, Map::from_iter([("is".to_owned(), found)])),
                        (found, false) => format!("{uri}:\n{}", indented(&found, 2)),
                    };
                }
            }
        }
        say::result(&text)
    }

    /// What is at the place of a server.
    fn server(&self, host: &str, port: u16) -> String {
        let uri = if host.contains(':') {
            format!("rtl_tcp://[{host}]:{port}")
        } else {
            format!("rtl_tcp://{host}:{port}")
        };
        match (rtl_tcp::probe(host, port, TIMEOUT), self.json) {
            (Ok(radio), true) => {
                let json =
                    serde_json::json!({ "uri": uri, "tuner": radio.tuner_name(), "gains": radio.gains });
                format!("{json}\n")
            }
            (Ok(radio), false) => format!("  {uri}  {radio}\n"),
            (Err(error), false) => format!("  {uri}  nothing: {error}\n"),
            (Err(error), true) => {
                say::line(format_args!("{error}"));
                String::new()
            }
        }
    }

    /// The RTL-SDR at the USB, where this build drives any.
    fn plugged_in(&self) -> String {
        match (rtlsdr::plugged_in(), self.json) {
            (None, _) => String::new(),
            (Some(Ok(found)), json) => {
                let one = |(which, label): (String, String)| match json {
                    true => {
                        line(&format!("rtlsdr:{which}"), Map::from_iter([("label".to_owned(), label.into())]))
                    }
                    false => format!("  rtlsdr:{which}  {label}\n"),
                };
                let none = if json { "" } else { "  rtlsdr:  nothing is plugged in\n" };
                if found.is_empty() { none.to_owned() } else { found.into_iter().map(one).collect() }
            }
            (Some(Err(problem)), false) => format!("  rtlsdr:  nothing: {problem}\n"),
            (Some(Err(problem)), true) => {
                say::line(format_args!("rtlsdr: {problem}"));
                String::new()
            }
        }
    }

    /// The devices of all modules of SoapySDR.
    fn modules(&self, patience: Duration) -> String {
        let mut text = String::new();
        let mut found = 0;
        for asked in soapy::devices(|| probe(&[]), patience) {
            let module = asked.module.as_deref().and_then(|path| path.file_name());
            let module =
                module.map_or_else(|| "soapy:".to_owned(), |name| name.to_string_lossy().into_owned());
            match (asked.devices, self.json) {
                (Ok(devices), _) => {
                    for device in devices {
                        found += 1;
                        let uri = soapy::Asked::uri(&device);
                        let label = device.get("label").and_then(Value::as_str).unwrap_or(&module).to_owned();
                        text += &if self.json { line(&uri, device) } else { format!("  {uri}  {label}\n") };
                    }
                }
                (Err(problem), false) => text += &format!("  {module}  nothing: {problem}\n"),
                (Err(problem), true) => say::line(format_args!("{module} {problem}")),
            }
        }
        if text.is_empty() && found == 0 && !self.json {
            text += "  soapy:  nothing: no module has found a device\n";
        }
        text
    }
}

/// This command, to be called for an answer of a module. One that cannot be named is one that cannot be started, which is said then.
fn probe(words: &[&str]) -> std::process::Command {
    let mut command =
        superhet_terminal::again::again().unwrap_or_else(|_| std::process::Command::new("superhet"));
    command.arg("soapy-probe").args(words);
    command
}

/// A device in one line of JSON.
fn line(uri: &str, device: Map<String, Value>) -> String {
    let mut map = Map::from_iter([("uri".to_owned(), Value::from(uri))]);
    map.extend(device);
    format!("{}\n", Value::Object(map))
}

/// A value over several lines, for people: names before what they have.
fn indented(value: &Value, depth: usize) -> String {
    let Value::Object(map) = value else { return format!("{:depth$}{}\n", "", flat(value)) };
    let mut text = String::new();
    for (name, value) in map {
        match value {
            Value::Object(map) if map.is_empty() => {}
            Value::Array(list) if list.is_empty() => {}
            Value::Array(list) if list.iter().all(Value::is_object) => {
                for (number, value) in list.iter().enumerate() {
                    text += &format!("{:depth$}{name} {number}:\n{}", "", indented(value, depth + 2));
                }
            }
            Value::Object(_) => text += &format!("{:depth$}{name}:\n{}", "", indented(value, depth + 2)),
            value => text += &format!("{:depth$}{name}: {}\n", "", flat(value)),
        }
    }
    text
}

/// A value in one line: texts as they are, pairs of numbers as ranges.
fn flat(value: &Value) -> String {
    match value {
        Value::Number(number) => {
            number.as_f64().map_or_else(|| number.to_string(), |number| number.to_string())
        }
        Value::String(text) => text.clone(),
        Value::Bool(is) => if *is { "yes" } else { "no" }.to_owned(),
        Value::Array(list) => match &list[..] {
            [low @ Value::Number(_), high @ Value::Number(_)] if low == high => flat(low),
            [low @ Value::Number(_), high @ Value::Number(_)] => format!("{} to {}", flat(low), flat(high)),
            list => list.iter().map(flat).collect::<Vec<_>>().join(", "),
        },
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_device_has_is_written_for_people() {
        let value = serde_json::json!({
            "driver": "x",
            "receive": [{ "antennas": ["RX", "TX/RX"], "rate_hz": [[1.0, 2.5], [4, 4]], "gain_auto": true, "gains": {} }],
            "transmit": [],
        });
        let wanted =
            "driver: x\nreceive 0:\n  antennas: RX, TX/RX\n  gain_auto: yes\n  rate_hz: 1 to 2.5, 4\n";
        assert_eq!(indented(&value, 0), wanted);
    }
}
