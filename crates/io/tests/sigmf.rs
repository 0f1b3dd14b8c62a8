//! SigMF against the schema of the specification, and a recording that others made.

use std::path::{Path, PathBuf};

use crate::common::{TempDir, tar};
use serde_json::{Value, json};
use superhet_io::sigmf::{
    Annotation, Capture, Extension, Geolocation, Meta, Recording, RecordingWriter, Segment, write_meta,
};
use superhet_io::{C32, Error, SampleFormat, Shape};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// As much of JSON Schema as the SigMF schema uses. Patterns are told apart by their text, so that a schema
/// with others fails here instead of passing unchecked. The schema leaves their ends open (`cf32_lefty` would
/// pass); here the whole text must fit.
fn validate(schema: &Value, value: &Value, at: &str, mistakes: &mut Vec<String>) {
    let mut expect = |fits: bool, what: &str| {
        if !fits {
            mistakes.push(format!("{at}: {value} breaks {what}"));
        }
    };
    for (key, rule) in schema.as_object().unwrap() {
        match key.as_str() {
            "type" => expect(
                match rule.as_str().unwrap() {
                    "object" => value.is_object(),
                    "array" => value.is_array(),
                    "string" => value.is_string(),
                    "boolean" => value.is_boolean(),
                    "number" => value.is_number(),
                    "integer" => value.as_f64().is_some_and(|x| x.fract() == 0.0),
                    other => panic!("type {other}"),
                },
                "type",
            ),
            "required" => {
                for name in rule.as_array().unwrap() {
                    expect(value.get(name.as_str().unwrap()).is_some(), &format!("required {name}"));
                }
            }
            "minimum" => expect(value.as_f64().is_none_or(|x| x >= rule.as_f64().unwrap()), "minimum"),
            "maximum" => expect(value.as_f64().is_none_or(|x| x <= rule.as_f64().unwrap()), "maximum"),
            "minItems" => {
                expect(value.as_array().is_none_or(|a| a.len() as u64 >= rule.as_u64().unwrap()), key)
            }
            "maxItems" => {
                expect(value.as_array().is_none_or(|a| a.len() as u64 <= rule.as_u64().unwrap()), key)
            }
            "enum" => expect(rule.as_array().unwrap().contains(value), "enum"),
            "pattern" => expect(value.as_str().is_none_or(|text| matches(rule.as_str().unwrap(), text)), key),
            "additionalProperties" if rule == false => {
                let known = &schema["properties"];
                for name in value.as_object().into_iter().flatten().map(|(name, _)| name) {
                    expect(known.get(name).is_some(), &format!("additionalProperties {name}"));
                }
            }
            "properties" | "items" | "additionalProperties" | "additionalItems" => {}
            "$id" | "$schema" | "title" | "description" | "default" | "examples" | "format" | "!comment" => {}
            other => panic!("the schema has a rule {other} that this check does not know"),
        }
    }
    for (name, schema) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        if let Some(value) = value.get(name) {
            validate(schema, value, &format!("{at}/{name}"), mistakes);
        }
    }
    if let Some(items) = schema.get("items") {
        for (n, value) in value.as_array().into_iter().flatten().enumerate() {
            validate(items, value, &format!("{at}/{n}"), mistakes);
        }
    }
}

fn matches(pattern: &str, text: &str) -> bool {
    let number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    match pattern {
        "^(c|r)(f32|f64|i32|i16|u32|u16|i8|u8)(_le|_be)?" => {
            let name = text.strip_suffix("_le").or(text.strip_suffix("_be")).unwrap_or(text);
            let number = name.strip_prefix(['c', 'r']).unwrap_or("");
            ["f32", "f64", "i32", "i16", "u32", "u16", "i8", "u8"].contains(&number)
        }
        r"^\d+\.\d+\.\d" => {
            let parts: Vec<&str> = text.split('.').collect();
            parts.len() == 3 && parts.iter().all(|part| number(part))
        }
        "^[0-9a-fA-F]{128}" => text.len() == 128 && text.bytes().all(|b| b.is_ascii_hexdigit()),
        r#"^[^\/\\:*?"<>|]+(\.[^\/\\:*?"<>|]+)*"# => {
            !text.is_empty() && !text.contains(['/', '\\', ':', '*', '?', '"', '<', '>', '|'])
        }
        // The pattern of ISO 8601; our own stricter shape is a part of what it lets through.
        iso if iso.starts_with(r"^([\+-]?\d{4}") => superhet_io::sigmf::datetime::is_valid(text),
        other => panic!("the schema has a pattern {other} that this check does not know"),
    }
}

#[track_caller]
fn assert_valid(path: &Path) -> Value {
    let schema = std::fs::read(data("sigmf-schema-v1.2.5.json")).unwrap();
    let value: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let mut mistakes = Vec::new();
    validate(&serde_json::from_slice(&schema).unwrap(), &value, "", &mut mistakes);
    assert_eq!(mistakes, Vec::<String>::new());
    value
}

/// Equal where 1 and 1.0 are the same.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}

#[test]
fn our_check_of_single_fields_agrees_with_the_schema() {
    let schema: Value =
        serde_json::from_slice(&std::fs::read(data("sigmf-schema-v1.2.5.json")).unwrap()).unwrap();
    let good = json!({"global": {"core:datatype": "cu8", "core:version": "1.2.5"}, "captures":
        [{"core:sample_start": 0}], "annotations": [{"core:sample_start": 0}]});
    let values = [
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(1),
        json!(1.5),
        json!(2e12),
        json!(-2e12),
        json!(u64::MAX),
        json!(i64::MAX),
        json!(""),
        json!("cu8"),
        json!("1.2.5"),
        json!("a/b"),
        json!("0".repeat(128)),
        json!("2020-01-01T00:00:00Z"),
        json!([]),
        json!([1]),
        json!({}),
        json!({"type": "Point", "coordinates": [1, 2]}),
        json!({"type": "Point", "coordinates": [1]}),
        json!({"type": "Point", "coordinates": [1, 2], "bbox": [1]}),
        json!({"type": "Line", "coordinates": [1, 2]}),
        json!([{"name": "x", "version": "1", "optional": false}]),
        json!([{"name": "x", "version": "1"}]),
    ];
    let (mut passed, mut refused) = (0, 0);
    for (scope, part) in
        [("global", "/global"), ("captures", "/captures/0"), ("annotations", "/annotations/0")]
    {
        let properties = &schema["properties"][scope];
        let fields = properties.get("properties").unwrap_or(&properties["items"]["properties"]);
        for name in fields.as_object().unwrap().keys() {
            for value in &values {
                let mut meta = good.clone();
                meta.pointer_mut(part).unwrap()[name] = value.clone();
                let mut mistakes = Vec::new();
                validate(&schema, &meta, "", &mut mistakes);
                let ours = Meta::from_json(meta.to_string().as_bytes(), "x");
                assert_eq!(ours.is_ok(), mistakes.is_empty(), "{name} = {value}: {ours:?} {mistakes:?}");
                *(if ours.is_ok() { &mut passed } else { &mut refused }) += 1;
            }
        }
    }
    assert!(passed > 50 && refused > 400, "{passed} {refused}");
}

#[test]
fn the_logo_is_two_real_channels_whose_hash_is_right() {
    let recording = Recording::open(data("sigmf_logo")).unwrap();
    assert_eq!(recording.format().to_string(), "ri16_le");
    assert_eq!(recording.format().shape(), Shape::Real);
    assert_eq!((recording.channels(), recording.samples()), (2, 288_000));
    assert_eq!(recording.sample_rate_hz(), Some(48_000.0));
    assert_eq!(recording.meta().annotations.len(), 3);
    assert_eq!(recording.meta().annotations[1].comment.as_deref(), Some("logo spinup"));
    assert!(recording.verify_sha512().unwrap());

    let mut reader = recording.reader().unwrap();
    let mut block = [0.0; 4096];
    let (mut numbers, mut peak) = (0, 0.0f32);
    loop {
        let n = reader.read_f32(&mut block).unwrap();
        if n == 0 {
            break;
        }
        numbers += n;
        peak = block[..n].iter().fold(peak, |peak, x| peak.max(x.abs()));
    }
    assert_eq!(numbers, 576_000);
    assert!(peak > 0.1 && peak <= 1.0, "{peak}");
}

#[test]
fn reading_and_writing_again_loses_nothing() {
    let logo = std::fs::read(data("sigmf_logo.sigmf-meta")).unwrap();
    let full = json!({
        "global": {
            "core:datatype": "cu8", "core:version": "1.0.0", "core:sample_rate": 2.5e6, "core:author": "a",
            "core:collection": "c", "core:dataset": "x.cu8", "core:data_doi": "d", "core:description": "e",
            "core:hw": "h", "core:license": "l", "core:metadata_only": true, "core:meta_doi": "m",
            "core:num_channels": 3, "core:offset": 4, "core:recorder": "r", "core:sha512": "0".repeat(128),
            "core:trailing_bytes": 5, "core:extensions": [{"name": "antenna", "version": "1.0.0", "optional": true}],
            "core:geolocation": {"type": "Point", "coordinates": [1.5, -2], "bbox": [1, 2, 3, 4]},
            "antenna:gain": 3.25, "core:of_the_future": [null, {"deep": [1, 2.5, "x", false]}], "big": u64::MAX,
        },
        "captures": [{
            "core:sample_start": 4, "core:frequency": -1.25, "core:datetime": "2020-01-01T00:00:00Z",
            "core:global_index": 6, "core:header_bytes": 7, "x:y": {}, "core:geolocation":
            {"type": "Point", "coordinates": [0, 0, 100.5]},
        }],
        "annotations": [{
            "core:sample_start": 4, "core:sample_count": 1, "core:freq_lower_edge": 1e6,
            "core:freq_upper_edge": 2e6, "core:label": "l", "core:comment": "c", "core:generator": "g",
            "core:uuid": "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "rfml:label": "é",
        }],
    });
    for json in [logo, serde_json::to_vec(&full).unwrap()] {
        let before: Value = serde_json::from_slice(&json).unwrap();
        let text = Meta::from_json(&json, "x").unwrap().to_json("x").unwrap();
        let after: Value = serde_json::from_str(&text).unwrap();
        assert!(same(&before, &after), "{before:#}\n{after:#}");
    }
    assert!(Meta::from_json(&serde_json::to_vec(&full).unwrap(), "x").unwrap().check(None).is_empty());
}

#[test]
fn what_is_written_fits_the_schema_and_reads_back() {
    let dir = TempDir::new();
    for format in SampleFormat::all() {
        let mut writer = RecordingWriter::create(dir.path().join("x"), format, Some(2.4e6)).unwrap();
        if format.is_complex() {
            writer.write_c32(&[C32::new(0.5, -0.5); 1000]).unwrap();
        } else {
            writer.write_f32(&[0.5; 1000]).unwrap();
        }
        assert_eq!(writer.samples(), 1000);
        let capture = Capture {
            frequency_hz: Some(1090e6),
            datetime: Some(superhet_io::sigmf::datetime::format(std::time::SystemTime::now())),
            geolocation: Some(Geolocation::point(4.35, 52.0, Some(3.0))),
            ..Capture::default()
        };
        writer.capture(capture).unwrap();
        writer.capture(Capture { sample_start: 600, ..Capture::default() }).unwrap();
        writer.annotate(Annotation::new(900, 100).with_label("last").with_edges(1089.5e6, 1090.5e6));
        writer.annotate(Annotation::new(10, 5).with_label("first").with_comment("DF17"));
        let global = &mut writer.meta_mut().global;
        global.author = Some("test".into());
        global.extensions =
            Some(vec![Extension { name: "adsb".into(), version: "0.1.0".into(), optional: true }]);
        let path = writer.finish().unwrap();

        let value = assert_valid(&path);
        assert_eq!(value["global"]["core:version"], "1.2.5");
        assert_eq!(value["annotations"][0]["core:label"], "first");
        let recording = Recording::open(&path).unwrap();
        assert_eq!((recording.format(), recording.samples()), (format, 1000));
        assert_eq!(recording.center_hz(), Some(1090e6));
        assert!(recording.verify_sha512().unwrap());
        assert_eq!(recording.meta().capture_at(599).unwrap().frequency_hz, Some(1090e6));
        assert_eq!(recording.meta().capture_at(600).unwrap().frequency_hz, None);
    }
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 2, "no temporary file is left");
}

#[test]
fn an_existing_recording_is_annotated_without_touching_its_samples() {
    let dir = TempDir::new();
    let samples = dir.file("modes1_2Msps.cu8", [127; 4000]);
    let mut meta = Meta::new(SampleFormat::CU8, Some(2e6));
    meta.annotations = vec![Annotation::new(1500, 100), Annotation::new(3, 100)];
    let path = write_meta(&samples, meta.clone()).unwrap();
    let value = assert_valid(&path);
    assert_eq!(value["global"]["core:dataset"], "modes1_2Msps.cu8");
    assert_eq!(value["annotations"][0]["core:sample_start"], 3);
    let recording = Recording::open(&path).unwrap();
    assert!(recording.verify_sha512().unwrap());
    assert_eq!(recording.data_path(), Some(samples.as_path()));

    meta.annotations.push(Annotation::new(1999, 2));
    let error = write_meta(&samples, meta).unwrap_err().to_string();
    assert!(error.contains("annotations/2's end is 2001, expected at most 2000"), "{error}");
    assert_eq!(
        Recording::open(&path).unwrap().meta().annotations.len(),
        2,
        "the old metadata are still there"
    );
}

#[test]
fn another_hash_is_reported() {
    let dir = TempDir::new();
    let samples = dir.file("x.sigmf-data", [1; 16]);
    let path = write_meta(&samples, Meta::new(SampleFormat::CU8, None)).unwrap();
    assert_valid(&path);
    dir.file("x.sigmf-data", [2; 16]);
    let recording = Recording::open(dir.path().join("x.sigmf-data")).unwrap();
    assert!(matches!(recording.verify_sha512(), Err(Error::HashMismatch { .. })));
}

#[test]
fn a_mistake_does_not_control_the_terminal_that_it_is_shown_on() {
    let global = |extra: Value| {
        let mut meta = json!({
            "global": {"core:datatype": "ri8", "core:version": "1.2.5"}, "captures": [], "annotations": [],
        });
        meta.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        meta.to_string()
    };
    for json in [
        "\"\u{7f}\"".to_owned(),
        "\"\u{9b}2J\"".to_owned(),
        global(json!({"\u{1b}[2J": 1})),
        global(json!({"global": {"core:datatype": "\u{7f}", "core:version": "\u{9b}"}})),
        global(
            json!({"global": {"core:datatype": "ri8", "core:version": "1.2.5", "core:dataset": "\u{7f}"}}),
        ),
    ] {
        let dir = TempDir::new();
        dir.file("x.sigmf-data", [0; 8]);
        let error = Recording::open(dir.file("x.sigmf-meta", &json)).unwrap_err().to_string();
        assert!(
            error.contains("SigMF") && !error.lines().any(|line| line.contains(char::is_control)),
            "{error:?}"
        );
    }
}

#[test]
fn a_mistake_is_reported_with_place_and_expectation() {
    let good = json!({
        "global": {"core:datatype": "ci16_le", "core:version": "1.2.5"},
        "captures": [{"core:sample_start": 0}, {"core:sample_start": 10}],
        "annotations": [{"core:sample_start": 0, "core:sample_count": 5}, {"core:sample_start": 7}],
    });
    let dir = TempDir::new();
    dir.file("x.sigmf-data", [0; 80]);
    let open = |meta: &Value| Recording::open(dir.file("x.sigmf-meta", meta.to_string()));
    assert!(open(&good).is_ok());
    for (pointer, value, wanted) in [
        ("/global/core:version", Value::Null, "global/core:version is null, expected a version X.Y.Z"),
        ("/global/core:version", json!("1.2"), "global/core:version is \"1.2\", expected a version"),
        ("/global/core:datatype", json!("cs16"), "is \"cs16\", expected a SigMF data type"),
        ("/global/core:num_channels", json!(0), "core:num_channels is 0, expected a whole number from 1"),
        ("/global/core:sample_rate", json!("fast"), "is \"fast\", expected a number from 1"),
        ("/global/core:sha512", json!("ab"), "expected 128 hex digits"),
        ("/global/core:dataset", json!("../x"), "expected a file name"),
        ("/global/core:dataset", json!(".."), "expected a file name"),
        ("/global/core:offset", json!(1), "captures/0/core:sample_start is 0, expected at least 1"),
        ("/global/core:num_channels", json!(3), "data is 80 bytes of samples, 8 too many (from byte 72)"),
        (
            "/captures/0/core:sample_start",
            json!(11),
            "captures/1/core:sample_start is 10, expected at least 11",
        ),
        (
            "/captures/1/core:sample_start",
            json!(21),
            "captures/1/core:sample_start is 21, expected at most 20",
        ),
        ("/captures/1/core:datetime", json!("now"), "expected a time"),
        ("/captures/1", json!(3), "captures/1 is 3, expected an object"),
        ("/captures", json!({}), "captures is an object, expected an array"),
        (
            "/annotations/0/core:sample_start",
            json!(8),
            "annotations/1/core:sample_start is 7, expected at least 8",
        ),
        ("/annotations/0/core:sample_count", json!(21), "annotations/0's end is 21, expected at most 20"),
        ("/annotations/0/core:sample_start", json!(1.5), "expected a whole number"),
        ("/annotations/0/core:freq_lower_edge", json!(1), "annotations/0 is one frequency edge"),
        ("/surprise", json!(1), "surprise is there, expected nothing beside"),
    ] {
        let mut bad = good.clone();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        match bad.pointer_mut(parent).unwrap() {
            Value::Array(array) => array[key.parse::<usize>().unwrap()] = value,
            object => object[key] = value,
        }
        let error = match open(&bad) {
            Err(error @ Error::Sigmf { .. }) => error.to_string(),
            other => panic!("{pointer}: {other:?}"),
        };
        assert!(error.contains(wanted) && error.contains("x.sigmf-meta"), "{pointer}: {error}");
    }
    let mut bad = good.clone();
    bad["global"].as_object_mut().unwrap().remove("core:version");
    bad.as_object_mut().unwrap().remove("annotations");
    let error = open(&bad).unwrap_err().to_string();
    assert!(error.contains("2 mistakes") && error.contains("core:version is missing"), "{error}");
    assert!(error.contains("annotations is missing"), "{error}");
}

#[test]
fn data_cut_in_mid_sample_are_refused_or_read_as_far_as_they_go() {
    let dir = TempDir::new();
    dir.file("x.sigmf-data", [0; 21]);
    let meta = Meta::new(SampleFormat::CS16, None).to_json("x").unwrap();
    let path = dir.file("x.sigmf-meta", meta);
    let error = Recording::open(&path).unwrap_err().to_string();
    assert!(error.contains("1 too many (from byte 20)"), "{error}");
    let recording = Recording::open_lenient(&path).unwrap();
    assert_eq!((recording.samples(), recording.problems().len()), (5, 1));
    assert_eq!(recording.reader().unwrap().read_c32(&mut [C32::default(); 8]).unwrap(), 5);
}

#[test]
fn headers_between_captures_are_skipped() {
    let dir = TempDir::new();
    let mut bytes = vec![0xee; 4];
    bytes.extend([64; 10]);
    bytes.extend([0xee; 4]);
    bytes.extend([32; 6]);
    bytes.push(0xee);
    dir.file("other.dat", bytes);
    let mut meta = Meta::new(SampleFormat::CS8, None);
    meta.global.dataset = Some("other.dat".into());
    meta.global.trailing_bytes = Some(1);
    meta.captures = vec![
        Capture { header_bytes: Some(4), ..Capture::default() },
        Capture { sample_start: 5, header_bytes: Some(4), ..Capture::default() },
    ];
    let path = dir.file("x.sigmf-meta", meta.to_json("x").unwrap());
    let recording = Recording::open(path).unwrap();
    let segment = |n, sample_start, samples, byte_start| Segment {
        capture: Some(n),
        sample_start,
        samples,
        byte_start,
    };
    assert_eq!(recording.segments(), [segment(0, 0, 5, 4), segment(1, 5, 3, 18)]);
    let mut reader = recording.reader().unwrap();
    let mut iq = [C32::default(); 16];
    let mut n = 0;
    while let more @ 1.. = reader.read_c32(&mut iq[n..]).unwrap() {
        n += more;
    }
    let (a, b) = (C32::new(0.5, 0.5), C32::new(0.25, 0.25));
    assert_eq!(iq[..n], [a, a, a, a, a, b, b, b]);
}

#[test]
fn an_archive_is_read_in_place() {
    let dir = TempDir::new();
    let samples = dir.file("x.sigmf-data", [7; 12]);
    let meta = write_meta(&samples, Meta::new(SampleFormat::CU8, None)).unwrap();
    let (meta, samples) = (std::fs::read(meta).unwrap(), std::fs::read(samples).unwrap());
    let files: [(&str, &[u8]); 2] = [("d/x.sigmf-data", &samples), ("d/x.sigmf-meta", &meta)];
    let recording = Recording::open(dir.file("one.sigmf", tar(&files))).unwrap();
    assert_eq!(recording.samples(), 6);
    assert!(recording.verify_sha512().unwrap());
    assert_eq!(recording.reader().unwrap().read_c32(&mut [C32::default(); 8]).unwrap(), 6);

    for (files, wanted) in [
        (&files[..1], "no .sigmf-meta"),
        (&files[1..], "holds no d/x.sigmf-data"),
        (&[files[1], ("y.sigmf-meta", &meta)], "2 recordings (d/x.sigmf-meta, y.sigmf-meta)"),
    ] {
        let error = Recording::open(dir.file("bad.sigmf", tar(files))).unwrap_err().to_string();
        assert!(error.contains(wanted), "{error}");
    }
}

#[test]
fn metadata_alone_have_no_samples() {
    let dir = TempDir::new();
    let mut meta = Meta::new(SampleFormat::CU8, None);
    let path = dir.file("x.sigmf-meta", meta.to_json("x").unwrap());
    assert!(matches!(Recording::open(&path), Err(Error::Io { .. })), "the data file is missing");
    meta.global.metadata_only = Some(true);
    dir.file("x.sigmf-meta", meta.to_json("x").unwrap());
    let recording = Recording::open(&path).unwrap();
    assert!(matches!(recording.reader(), Err(Error::NoData { .. })));
}

#[test]
fn a_writer_refuses_what_could_not_be_read() {
    let dir = TempDir::new();
    let base = dir.path().join("x");
    assert!(matches!(
        RecordingWriter::create(&base, SampleFormat::CU8, Some(f64::NAN)),
        Err(Error::Sigmf { .. })
    ));
    let mut writer = RecordingWriter::create(&base, SampleFormat::CU8, None).unwrap();
    assert!(matches!(writer.write_f32(&[0.0]), Err(Error::WrongShape { .. })));
    writer.capture(Capture { sample_start: 5, ..Capture::default() }).unwrap();
    let earlier = writer.capture(Capture { sample_start: 4, ..Capture::default() });
    assert!(earlier.unwrap_err().to_string().contains("expected at least 5"));
    writer.write_bytes(&[0; 11]).unwrap();
    let error = writer.finish().unwrap_err().to_string();
    assert!(error.contains("1 too many (from byte 10)"), "{error}");
    assert!(dir.path().join("x.sigmf-data").exists());
    assert!(!dir.path().join("x.sigmf-meta").exists());
}

#[test]
fn paths_that_lead_nowhere_are_reported() {
    let dir = TempDir::new();
    let error = Recording::open(dir.path().join("x.1")).unwrap_err().to_string();
    assert!(error.contains("x.1.sigmf-meta") && error.contains("exists"), "{error}");
    let json = dir.file("y.sigmf-meta", "{\"global\": ");
    assert!(matches!(Recording::open(json), Err(Error::Json { .. })));
    let error = Recording::open("x.sigmf-collection").unwrap_err().to_string();
    assert!(error.contains("collection"), "{error}");
}

#[test]
fn a_recording_that_replaces_a_hard_link_leaves_the_other_name_its_samples() {
    let dir = TempDir::new();
    let original = dir.file("original.cu8", [1, 2, 3, 4]);
    let base = dir.path().join("again");
    std::fs::hard_link(&original, dir.path().join("again.sigmf-data")).unwrap();
    let mut writer = RecordingWriter::create(&base, SampleFormat::CU8, None).unwrap();
    writer.write_bytes(&[9, 9]).unwrap();
    writer.finish().unwrap();
    assert_eq!(std::fs::read(original).unwrap(), [1, 2, 3, 4]);
    assert_eq!(std::fs::read(dir.path().join("again.sigmf-data")).unwrap(), [9, 9]);
}

#[test]
fn a_recording_of_which_a_write_has_failed_gets_no_metadata() {
    let dir = TempDir::new();
    std::os::unix::fs::symlink("/dev/full", dir.path().join("x.sigmf-data")).unwrap();
    let mut writer = RecordingWriter::create(dir.path().join("x"), SampleFormat::CF32, Some(1000.0)).unwrap();
    let samples = vec![C32::default(); 100_000];
    let error = writer.write_c32(&samples).unwrap_err().to_string();
    assert!(error.contains("x.sigmf-data: cannot write: No space left"), "{error}");
    let error = writer.write_c32(&samples[..1]).unwrap_err().to_string();
    assert!(error.ends_with("cannot write: a write has failed before"), "{error}");
    assert!(writer.finish().is_err());
    assert!(!dir.path().join("x.sigmf-meta").exists());
}
