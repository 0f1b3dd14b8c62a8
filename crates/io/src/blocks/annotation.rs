//! Annotations as values of tags and messages.

use superhet_runtime::Value;

use crate::sigmf::Annotation;

/// The value of the tag that stands for `annotation`; where it begins is the tag's index.
pub(super) fn to_value(annotation: &Annotation) -> Value {
    let text = |text: &Option<String>| text.as_deref().map(Value::from);
    let fields = [
        ("label", text(&annotation.label)),
        ("comment", text(&annotation.comment)),
        ("generator", text(&annotation.generator)),
        ("uuid", text(&annotation.uuid)),
        ("sample_count", annotation.sample_count.map(Value::from)),
        ("freq_lower_edge", annotation.freq_lower_edge_hz.map(Value::from)),
        ("freq_upper_edge", annotation.freq_upper_edge_hz.map(Value::from)),
    ];
    let known = fields.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
    let other = annotation.other.iter().map(|(key, value)| (key.clone(), Value::from_json(value)));
    Value::map(known.chain(other))
}

/// The annotation that `value` stands for, or what is wrong with it. Keys with a colon are kept as they are, as those
/// of SigMF extensions; others that are not known say nothing.
pub(super) fn from_value(sample_start: u64, value: &Value) -> Result<Annotation, String> {
    let Value::Map(map) = value else { return Err(format!("{value} is not a map")) };
    let mut annotation = Annotation { sample_start, ..Annotation::default() };
    for (key, value) in map.iter().filter(|(_, value)| **value != Value::Null) {
        let text = value.as_str().map(str::to_owned);
        let number = value.as_f64().filter(|x| x.is_finite());
        let wrong = |key: &str, wanted: &str| Err(format!("{key} is {value}, not {wanted}"));
        match &**key {
            "label" if text.is_some() => annotation.label = text,
            "comment" if text.is_some() => annotation.comment = text,
            "generator" if text.is_some() => annotation.generator = text,
            "uuid" if text.is_some() => annotation.uuid = text,
            "label" | "comment" | "generator" | "uuid" => return wrong(key, "text"),
            "sample_count" => match value.as_u64() {
                None => return wrong(key, "a number of samples"),
                count => annotation.sample_count = count,
            },
            "freq_lower_edge" | "freq_upper_edge" if number.is_none() => {
                return wrong(key, "a frequency in Hz");
            }
            "freq_lower_edge" => annotation.freq_lower_edge_hz = number,
            "freq_upper_edge" => annotation.freq_upper_edge_hz = number,
            _ if key.contains(':') => {
                annotation.other.insert(key.to_string(), value.to_json());
            }
            _ => {}
        }
    }
    match (annotation.freq_lower_edge_hz, annotation.freq_upper_edge_hz) {
        (None, None) => Ok(annotation),
        (Some(lower), Some(upper)) if lower <= upper => Ok(annotation),
        (Some(lower), Some(upper)) => {
            Err(format!("freq_lower_edge {lower} is above freq_upper_edge {upper}"))
        }
        _ => Err("freq_lower_edge and freq_upper_edge come together or not at all".to_owned()),
    }
}

/// The annotation that a message about a sample makes: `duration_samples` is how long it is, `label` or else `hex` its label, and its
/// comment is `comment` or else all other entries.
pub(super) fn of_message(sample_start: u64, message: &Value) -> Annotation {
    let text = |key| message.get(key).and_then(Value::as_str).map(str::to_owned);
    let said = ["sample_index", "duration_samples", "label", "hex"];
    Annotation {
        sample_start,
        sample_count: message.get("duration_samples").and_then(Value::as_u64),
        label: text("label").or_else(|| text("hex")),
        comment: text("comment").or_else(|| in_words(message, &said)),
        ..Annotation::default()
    }
}

/// The entries of a message besides the given keys, in a line: `df 17, icao 4840d6`.
pub(super) fn in_words(message: &Value, except: &[&str]) -> Option<String> {
    const LONGEST: usize = 300;
    let Value::Map(map) = message else { return None };
    let mut words = String::new();
    for (key, value) in map.iter().filter(|(key, _)| !except.contains(&&***key)) {
        let value = match value {
            Value::Text(text) => text.to_string(),
            Value::Bool(_) | Value::Int(_) | Value::Uint(_) | Value::Float(_) => value.to_string(),
            _ => continue,
        };
        let separator = if words.is_empty() { "" } else { ", " };
        if words.len() + key.len() + value.len() > LONGEST {
            words += separator;
            words += "…";
            break;
        }
        words += &format!("{separator}{key} {value}");
    }
    Some(words).filter(|words| !words.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_survives_the_way_into_a_tag_and_back() {
        let mut annotation =
            Annotation::new(7, 20).with_label("beep").with_comment("loud").with_edges(-1e3, 2.5);
        annotation.generator = Some("ear".to_owned());
        annotation.other.insert("my:mood".to_owned(), serde_json::json!({"calm": [1, 2.5]}));
        assert_eq!(from_value(7, &to_value(&annotation)).unwrap(), annotation);
        let open = Annotation { sample_start: 3, ..Annotation::default() };
        assert_eq!(from_value(3, &to_value(&open)).unwrap(), open);
    }

    #[test]
    fn values_that_say_no_annotation_are_refused_with_what_is_wrong() {
        for (json, wanted) in [
            (r#"7"#, "7 is not a map"),
            (r#"{"label": 7}"#, "label is 7, not text"),
            (r#"{"sample_count": -1}"#, "sample_count is -1, not a number of samples"),
            (r#"{"freq_lower_edge": 1}"#, "freq_lower_edge and freq_upper_edge come together or not at all"),
            (
                r#"{"freq_lower_edge": 2, "freq_upper_edge": 1}"#,
                "freq_lower_edge 2 is above freq_upper_edge 1",
            ),
        ] {
            let value = Value::from_json(&serde_json::from_str(json).unwrap());
            assert_eq!(from_value(0, &value).unwrap_err(), wanted);
        }
    }

    #[test]
    fn a_message_in_words_is_short() {
        let message = Value::map([("df", Value::from(17)), ("icao", "4840d6".into()), ("hex", "8d".into())]);
        assert_eq!(in_words(&message, &["hex"]).unwrap(), "df 17, icao 4840d6");
        let long = Value::map((0..100).map(|n| (format!("key{n}"), Value::from(1e9))));
        assert!(in_words(&long, &[]).unwrap().len() < 310);
        assert_eq!(in_words(&Value::Null, &[]), None);
    }
}
