//! Tags, messages, packets and places as rows of JSON.

use serde_json::{Value as Json, json};
use superhet_runtime::{Tag, Value};

use crate::tap::block::MessageRow;

/// The most bytes of a packet that a row shows.
const MOST_BYTES: usize = 2048;
/// Metres in a foot, and metres a second in a knot.
const METRES_PER_FOOT: f64 = 0.3048;
const METRES_PER_SECOND_PER_KNOT: f64 = 1852.0 / 3600.0;

/// A tag.
pub(crate) fn tag(tag: &Tag) -> Json {
    json!({ "index": tag.index, "key": &*tag.key, "value": tag.value.to_json() })
}

/// Any message.
pub(crate) fn message(row: &MessageRow) -> Json {
    json!({ "seconds": row.seconds, "value": row.value.to_json() })
}

/// A message with bytes: a packet, or a map with `hex`.
pub(crate) fn packet(row: &MessageRow) -> Option<Json> {
    let (item, hex, meta) = match &row.value {
        Value::Packet(packet) => {
            let bytes = packet.bytes();
            let hex: String =
                bytes[..bytes.len().min(MOST_BYTES)].iter().map(|byte| format!("{byte:02x}")).collect();
            (packet.item().name().to_owned(), hex, packet.meta().to_json())
        }
        value => {
            let hex: String = value.get("hex")?.as_str()?.chars().take(2 * MOST_BYTES).collect();
            ("u8".to_owned(), hex, value.to_json())
        }
    };
    Some(json!({ "seconds": row.seconds, "item": item, "hex": hex, "meta": meta }))
}

/// Where something is: an aircraft, a ship, or a station of packet radio. `None` where the message does not say who it is of; a row
/// without a place has what else is known.
pub(crate) fn place(row: &MessageRow) -> Option<Json> {
    let whole = &row.value;
    let get = |key: &str| whole.get("fields").and_then(|fields| fields.get(key)).or_else(|| whole.get(key));
    let number = |keys: &[&str]| keys.iter().find_map(|key| get(key)?.as_f64()).filter(|x| x.is_finite());
    let text = |keys: &[&str]| {
        let mut words = keys.iter().filter_map(|key| get(key)?.as_str()).map(str::trim);
        words.find(|word| !word.is_empty()).map(str::to_owned)
    };
    let (kind, key) = [("aircraft", "icao"), ("ship", "mmsi"), ("station", "source"), ("station", "from")]
        .into_iter()
        .find_map(|(kind, key)| {
            let id = get(key)?;
            Some((kind, id.as_str().map_or_else(|| id.to_string(), str::to_owned)))
        })?;
    let lat = number(&["latitude_deg", "lat"]).filter(|lat| lat.abs() <= 90.0)?;
    let lon = number(&["longitude_deg", "lon"]).filter(|lon| lon.abs() <= 180.0)?;
    let altitude_m = number(&["altitude_m"]).or_else(|| Some(number(&["altitude_ft"])? * METRES_PER_FOOT));
    let knots = number(&["ground_speed_kt", "speed_kn", "speed_kt"]);
    let speed_mps = number(&["speed_mps"]).or_else(|| Some(knots? * METRES_PER_SECOND_PER_KNOT));
    let fields = whole.get("fields").map_or_else(|| whole.clone().into_meta().to_json(), Value::to_json);
    Some(json!({
        "key": key,
        "kind": kind,
        "name": text(&["callsign", "name", "source"]),
        "lat": lat,
        "lon": lon,
        "altitude_m": altitude_m,
        "heading_deg": number(&["track_deg", "course_deg", "heading_deg"]),
        "speed_mps": speed_mps,
        "fields": fields,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use superhet_runtime::Packet;

    fn row(value: Value) -> MessageRow {
        MessageRow { seconds: 1.5, value }
    }

    #[test]
    fn aircraft_and_ships_have_their_units() {
        let fields = Value::map([
            ("icao", Value::from("4ca123")),
            ("latitude_deg", 52.5.into()),
            ("longitude_deg", (-4.25).into()),
            ("altitude_ft", 10_000.into()),
            ("ground_speed_kt", 360.into()),
        ]);
        let message = Value::map([("protocol", Value::from("Mode S")), ("fields", fields)]);
        let place = place(&row(message)).unwrap();
        assert_eq!((place["kind"].as_str(), place["key"].as_str()), (Some("aircraft"), Some("4ca123")));
        assert_eq!((place["lat"].as_f64(), place["altitude_m"].as_f64()), (Some(52.5), Some(3048.0)));
        assert!((place["speed_mps"].as_f64().unwrap() - 185.2).abs() < 1e-9);
        let ship = Value::map([
            ("mmsi", Value::from("1")),
            ("latitude_deg", 91.into()),
            ("longitude_deg", 0.into()),
        ]);
        assert_eq!(super::place(&row(ship)), None);
    }

    #[test]
    fn packets_show_their_bytes() {
        let mut sent = Packet::from_items(&[0x9au8, 1]);
        sent.set("snr_db", 9);
        let shown = packet(&row(sent.into())).unwrap();
        assert_eq!((shown["hex"].as_str(), shown["item"].as_str()), (Some("9a01"), Some("u8")));
        assert_eq!(shown["meta"]["snr_db"], 9);
        assert_eq!(packet(&row(Value::from(5))), None);
        assert_eq!(packet(&row(Value::map([("hex", "00ff")]))).unwrap()["hex"], "00ff");
    }
}
