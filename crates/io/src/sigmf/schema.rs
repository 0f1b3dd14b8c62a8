//! The fields of SigMF metadata, each by itself: what it must hold, and every one that holds something else.

use serde_json::{Map, Value};

use super::datetime;
use super::problem::Problem;
use crate::format::SampleFormat;

/// What a field must hold.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    Bool,
    /// A whole number of at least this, at most 2⁶³ − 1.
    Whole(u64),
    /// A number in this range.
    Number(f64, f64),
    /// A text with a shape of its own, and the words for it.
    Like(fn(&str) -> bool, &'static str),
    Point,
    Extensions,
}

use Kind::{Bool, Extensions, Like, Number, Point, Text, Whole};

const FREQUENCY: Kind = Number(-1e12, 1e12);

const GLOBAL: &[(&str, Kind)] = &[
    ("core:datatype", Like(is_datatype, "a SigMF data type like cf32_le")),
    ("core:sample_rate", Number(1.0, 1e12)),
    ("core:author", Text),
    ("core:collection", Text),
    ("core:dataset", Like(is_file_name, "a file name without a directory")),
    ("core:data_doi", Text),
    ("core:description", Text),
    ("core:hw", Text),
    ("core:license", Text),
    ("core:metadata_only", Bool),
    ("core:meta_doi", Text),
    ("core:num_channels", Whole(1)),
    ("core:offset", Whole(0)),
    ("core:recorder", Text),
    ("core:sha512", Like(is_sha512, "128 hex digits")),
    ("core:trailing_bytes", Whole(0)),
    ("core:version", Like(is_version, "a version X.Y.Z")),
    ("core:geolocation", Point),
    ("core:extensions", Extensions),
];

const CAPTURE: &[(&str, Kind)] = &[
    ("core:sample_start", Whole(0)),
    ("core:datetime", Like(datetime::is_valid, "a time YYYY-MM-DDTHH:MM:SS.sZ")),
    ("core:frequency", FREQUENCY),
    ("core:global_index", Whole(0)),
    ("core:header_bytes", Whole(0)),
    ("core:geolocation", Point),
];

const ANNOTATION: &[(&str, Kind)] = &[
    ("core:sample_start", Whole(0)),
    ("core:sample_count", Whole(0)),
    ("core:freq_lower_edge", FREQUENCY),
    ("core:freq_upper_edge", FREQUENCY),
    ("core:label", Text),
    ("core:comment", Text),
    ("core:generator", Text),
    ("core:uuid", Text),
];

/// Checks each field alone, as the schema does.
///
/// Whole numbers that are spelled as floats, `6000.0`, pass and are turned into integers.
pub(super) fn fields(meta: &mut Value) -> Vec<Problem> {
    let mut problems = Vec::new();
    let Some(top) = object(meta, "the metadata", &mut problems) else { return problems };
    match top.get_mut("global") {
        Some(global) => {
            scope(global, "global", GLOBAL, &["core:datatype", "core:version"], &mut problems);
        }
        None => problems.push(Problem::new("global", "missing", "an object")),
    }
    for (name, table) in [("captures", CAPTURE), ("annotations", ANNOTATION)] {
        match top.get_mut(name) {
            Some(Value::Array(segments)) => {
                for (n, segment) in segments.iter_mut().enumerate() {
                    scope(segment, &format!("{name}/{n}"), table, &["core:sample_start"], &mut problems);
                }
            }
            Some(other) => problems.push(Problem::new(name, brief(other), "an array")),
            None => problems.push(Problem::new(name, "missing", "an array")),
        }
    }
    problems
}

/// Checks the fields of one object.
fn scope(
    value: &mut Value,
    at: &str,
    table: &[(&str, Kind)],
    required: &[&str],
    problems: &mut Vec<Problem>,
) {
    let Some(fields) = object(value, at, problems) else { return };
    for name in required {
        if !fields.contains_key(*name) {
            problems.push(Problem::new(format!("{at}/{name}"), "missing", "it to be there"));
        }
    }
    for (name, kind) in table {
        if let Some(value) = fields.get_mut(*name) {
            let place = format!("{at}/{name}");
            if let Some(expected) = mismatch(value, *kind, &place, problems) {
                problems.push(Problem::new(place, brief(value), expected));
            }
        }
    }
}

/// Returns what was expected if `value` is not of `kind`; deeper mistakes go to `problems`.
fn mismatch(value: &mut Value, kind: Kind, at: &str, problems: &mut Vec<Problem>) -> Option<String> {
    match kind {
        Text => (!value.is_string()).then(|| "a text".to_owned()),
        Bool => (!value.is_boolean()).then(|| "true or false".to_owned()),
        Whole(least) => {
            if let Some(x) = value.as_f64().filter(|x| value.is_f64() && x.fract() == 0.0 && x.abs() < 9e15) {
                *value = (x as i64).into();
            }
            let fits = value.as_u64().is_some_and(|x| x >= least && i64::try_from(x).is_ok());
            (!fits).then(|| format!("a whole number from {least} to 2^63 - 1"))
        }
        Number(low, high) => {
            let fits = value.as_f64().is_some_and(|x| (low..=high).contains(&x));
            (!fits).then(|| format!("a number from {low} to {high}"))
        }
        Like(fits, words) => (!value.as_str().is_some_and(fits)).then(|| words.to_owned()),
        Point => {
            let numbers = |value: Option<&Value>| {
                value.and_then(Value::as_array).filter(|a| a.iter().all(Value::is_number)).map(Vec::len)
            };
            let fits = value["type"] == "Point"
                && numbers(value.get("coordinates")).is_some_and(|n| n == 2 || n == 3)
                && value.get("bbox").is_none_or(|bbox| numbers(Some(bbox)).is_some_and(|n| n >= 4));
            (!fits).then(|| "a GeoJSON point, {\"type\": \"Point\", \"coordinates\": [lon, lat]}".to_owned())
        }
        Extensions => {
            let Some(extensions) = value.as_array() else {
                return Some("an array".to_owned());
            };
            for (n, extension) in extensions.iter().enumerate() {
                let fits = extension.as_object().is_some_and(|fields| fields.len() == 3)
                    && extension["name"].is_string()
                    && extension["version"].is_string()
                    && extension["optional"].is_boolean();
                if !fits {
                    let expected = "an object with name, version and optional, nothing else";
                    problems.push(Problem::new(format!("{at}/{n}"), brief(extension), expected));
                }
            }
            None
        }
    }
}

fn object<'a>(
    value: &'a mut Value,
    at: &str,
    problems: &mut Vec<Problem>,
) -> Option<&'a mut Map<String, Value>> {
    if !value.is_object() {
        problems.push(Problem::new(at, brief(value), "an object"));
    }
    value.as_object_mut()
}

/// A value in few words; a text may be a megabyte.
fn brief(value: &Value) -> String {
    match value {
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        // As Rust writes it: JSON leaves the control characters from U+007F on as they are.
        Value::String(text) => {
            let (start, rest) = text.split_at(text.char_indices().nth(40).map_or(text.len(), |(at, _)| at));
            format!("{start:?}{}", if rest.is_empty() { "" } else { "…" })
        }
        other => other.to_string(),
    }
}

fn is_datatype(text: &str) -> bool {
    // The names of files that parse as well, like `cs16`, are not SigMF. A byte order of bytes is allowed.
    let name = text.strip_suffix("_le").or(text.strip_suffix("_be")).unwrap_or(text);
    SampleFormat::all().any(|format| format.to_string().trim_end_matches("_le") == name)
}

fn is_version(text: &str) -> bool {
    let parts: Vec<&str> = text.split('.').collect();
    parts.len() == 3 && parts.iter().all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
}

fn is_sha512(text: &str) -> bool {
    text.len() == 128 && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// A name that stays in its directory.
fn is_file_name(text: &str) -> bool {
    let is_other = |c: char| c.is_control() || "/\\:*?\"<>|".contains(c);
    !matches!(text, "" | "." | "..") && !text.contains(is_other)
}
