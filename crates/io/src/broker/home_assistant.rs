//! What Home Assistant has to know of a sensor to show it: messages for its discovery by MQTT.
//!
//! Each value of a device is an entity. Its configuration lies, kept by the broker, at `PREFIX/COMPONENT/DEVICE/VALUE/config`
//! (home-assistant.io, "MQTT", "MQTT Discovery").

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};
use superhet_runtime::Value;

use super::Post;
use super::topic::device;

/// A value that is known: its field, what it is called, its class and unit in Home Assistant, and how it is counted.
struct Known {
    field: &'static str,
    name: &'static str,
    class: &'static str,
    unit: &'static str,
    state: &'static str,
}

const fn known(
    field: &'static str,
    name: &'static str,
    class: &'static str,
    unit: &'static str,
    state: &'static str,
) -> Known {
    Known { field, name, class, unit, state }
}

/// The numbers in the fields of `ism`.
static NUMBERS: &[Known] = &[
    known("temperature_C", "Temperature", "temperature", "°C", "measurement"),
    known("temperature_F", "Temperature", "temperature", "°F", "measurement"),
    known("humidity", "Humidity", "humidity", "%", "measurement"),
    known("moisture", "Moisture", "moisture", "%", "measurement"),
    known("pressure_hPa", "Pressure", "atmospheric_pressure", "hPa", "measurement"),
    known("pressure_kPa", "Pressure", "pressure", "kPa", "measurement"),
    known("pressure_psi", "Pressure", "pressure", "psi", "measurement"),
    known("wind_avg_m_s", "Wind", "wind_speed", "m/s", "measurement"),
    known("wind_max_m_s", "Gusts", "wind_speed", "m/s", "measurement"),
    known("wind_dir_deg", "Wind direction", "", "°", "measurement"),
    known("rain_mm", "Rain", "precipitation", "mm", "total_increasing"),
    known("rain_in", "Rain", "precipitation", "in", "total_increasing"),
    known("rain_rate_mm_h", "Rain rate", "precipitation_intensity", "mm/h", "measurement"),
    known("rain_rate_in_h", "Rain rate", "precipitation_intensity", "in/h", "measurement"),
    known("light_lux", "Light", "illuminance", "lx", "measurement"),
    known("uv", "UV index", "", "", "measurement"),
    known("battery_V", "Battery voltage", "voltage", "V", "measurement"),
    known("battery_mV", "Battery voltage", "voltage", "mV", "measurement"),
];

/// What is true or not; `true`: the class is on where the field is not.
static FLAGS: &[(&str, &str, &str, bool)] = &[
    ("battery_ok", "Battery", "battery", true),
    ("contact_open", "Contact", "opening", false),
    ("tamper", "Tamper", "tamper", false),
    ("alarm", "Alarm", "safety", false),
];

/// Devices that are remembered: noise makes new ones without end.
const MOST_DEVICES: usize = 1024;

/// Tells Home Assistant of devices, each once for a connection.
#[derive(Debug)]
pub(crate) struct Discovery {
    /// The first part of its topics, `homeassistant` by default.
    prefix: String,
    /// Where it is said whether this program is connected.
    status: String,
    told: BTreeSet<String>,
}

impl Discovery {
    pub fn new(prefix: &str, status: &str) -> Self {
        Discovery { prefix: prefix.to_owned(), status: status.to_owned(), told: BTreeSet::new() }
    }

    /// Forgets whom it has told of: another broker may have another memory.
    pub fn begin_again(&mut self) {
        self.told.clear();
    }

    /// What has to be said before a message that goes to `topic`.
    pub fn before(&mut self, message: &Value, topic: &str) -> Vec<Post> {
        let (Some(fields), Some(device)) = (message.get("fields"), device(message)) else {
            return Vec::new();
        };
        let protocol = message.get("protocol").and_then(Value::as_str).unwrap_or("message");
        let id = word(&format!("superhet_{protocol}_{device}"));
        let (mut posts, mut is_sensor) = (Vec::new(), false);
        let about = json!({ "identifiers": [id], "name": format!("{protocol} {device}"), "model": protocol });
        let origin = json!({ "name": "superhet", "sw_version": env!("CARGO_PKG_VERSION") });
        let mut tell = |component: &str, field: &str, name: &str, more: &[(&str, &str)]| {
            let key = format!("{id}/{field}");
            if self.told.contains(&key) || self.told.len() >= MOST_DEVICES * NUMBERS.len() {
                return;
            }
            self.told.insert(key);
            let mut config = json!({
                "name": name, "unique_id": format!("{id}_{field}"), "state_topic": topic,
                "availability_topic": self.status, "device": about, "origin": origin,
            });
            for (key, value) in more.iter().filter(|(_, value)| !value.is_empty()) {
                config[*key] = Json::from(*value);
            }
            let topic = format!("{}/{component}/{id}/{field}/config", self.prefix);
            posts.push(Post { topic, body: config.to_string().into_bytes(), retain: true });
        };
        for Known { field, name, class, unit, state } in NUMBERS {
            if fields.get(field).and_then(Value::as_f64).is_some() {
                is_sensor = true;
                let value = format!("{{{{ value_json.fields.{field} }}}}");
                let more = [
                    ("value_template", &*value),
                    ("device_class", class),
                    ("unit_of_measurement", unit),
                    ("state_class", state),
                ];
                tell("sensor", field, name, &more);
            }
        }
        for (field, name, class, is_turned) in FLAGS {
            if fields.get(field).is_some() {
                let (on, off) = if *is_turned { ("OFF", "ON") } else { ("ON", "OFF") };
                let value = format!("{{{{ '{on}' if value_json.fields.{field} else '{off}' }}}}");
                tell("binary_sensor", field, name, &[("value_template", &value), ("device_class", class)]);
            }
        }
        if message.get("snr_db").is_some() && is_sensor {
            let more = [
                ("value_template", "{{ value_json.snr_db }}"),
                ("device_class", "signal_strength"),
                ("unit_of_measurement", "dB"),
                ("state_class", "measurement"),
                ("entity_category", "diagnostic"),
            ];
            tell("sensor", "snr_db", "Signal to noise", &more);
        }
        posts
    }
}

/// Letters, digits, `_` and `-`, as names in topics of discovery are.
fn word(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(fields: Value) -> Value {
        Value::map([("protocol", Value::from("Nexus-TH")), ("fields", fields), ("snr_db", 12.5.into())])
    }

    #[test]
    fn each_value_of_a_device_is_told_once() {
        let fields = Value::map([
            ("id", Value::from(7)),
            ("channel", 1.into()),
            ("temperature_C", 21.5.into()),
            ("battery_ok", true.into()),
            ("flags", 3.into()),
        ]);
        let mut discovery = Discovery::new("homeassistant", "superhet/status");
        let posts = discovery.before(&message(fields.clone()), "superhet/Nexus-TH/7-1");
        let topics: Vec<&str> = posts.iter().map(|post| &*post.topic).collect();
        assert_eq!(
            topics,
            [
                "homeassistant/sensor/superhet_Nexus-TH_7-1/temperature_C/config",
                "homeassistant/binary_sensor/superhet_Nexus-TH_7-1/battery_ok/config",
                "homeassistant/sensor/superhet_Nexus-TH_7-1/snr_db/config",
            ]
        );
        assert!(posts.iter().all(|post| post.retain));
        let config: Json = serde_json::from_slice(&posts[0].body).unwrap();
        for (key, value) in [
            ("name", "Temperature"),
            ("unique_id", "superhet_Nexus-TH_7-1_temperature_C"),
            ("state_topic", "superhet/Nexus-TH/7-1"),
            ("value_template", "{{ value_json.fields.temperature_C }}"),
            ("unit_of_measurement", "°C"),
            ("availability_topic", "superhet/status"),
        ] {
            assert_eq!(config[key], value, "{key}");
        }
        assert_eq!(config["device"]["identifiers"], json!(["superhet_Nexus-TH_7-1"]));
        let battery: Json = serde_json::from_slice(&posts[1].body).unwrap();
        assert_eq!(battery["value_template"], "{{ 'OFF' if value_json.fields.battery_ok else 'ON' }}");
        assert!(discovery.before(&message(fields.clone()), "superhet/Nexus-TH/7-1").is_empty());
        discovery.begin_again();
        assert_eq!(discovery.before(&message(fields), "superhet/Nexus-TH/7-1").len(), 3);
    }

    #[test]
    fn what_has_no_name_or_no_known_value_is_not_told() {
        let mut discovery = Discovery::new("homeassistant", "superhet/status");
        assert!(discovery.before(&message(Value::map([("temperature_C", 1.0)])), "x").is_empty());
        assert!(discovery.before(&message(Value::map([("id", 5)])), "x").is_empty());
        assert!(discovery.before(&Value::Null, "x").is_empty());
    }

    #[test]
    fn noise_does_not_fill_the_memory() {
        let mut discovery = Discovery::new("homeassistant", "superhet/status");
        for id in 0..100_000 {
            let fields = Value::map([("id", Value::from(id)), ("temperature_C", 1.0.into())]);
            discovery.before(&message(fields), "x");
        }
        assert!(discovery.told.len() <= MOST_DEVICES * NUMBERS.len());
    }
}
