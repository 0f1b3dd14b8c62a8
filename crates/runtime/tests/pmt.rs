//! PMTs and JSON, both ways: what GNU Radio wrote, every kind of value, hostile bytes.
//!
//! `SUPERHET_FUZZ_MINUTES` sets how long `fuzz_for_minutes` runs, `SUPERHET_SEED` what it starts from:
//! `SUPERHET_FUZZ_MINUTES=10 cargo test --release -p superhet-runtime --test suite -- pmt:: --ignored --nocapture`.

#[path = "common/values.rs"]
mod values;

use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use superhet_runtime::{C32, C64, Value, error::PmtError};
use values::value;

const PMTS: &str = include_str!("../../../data/wire/gnuradio_pmt.txt");
const ZMQ: &[u8] = include_bytes!("../../../data/wire/gnuradio_zmq_tags.bin");

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.chars().filter_map(|c| c.to_digit(16)).map(|digit| digit as u8).collect();
    digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

fn read(hex: &str) -> Result<Value, PmtError> {
    Value::from_pmt(&bytes(hex))
}

fn problem(hex: &str) -> String {
    read(hex).unwrap_err().to_string()
}

/// Equal, and a NaN is equal to a NaN.
fn same(a: &Value, b: &Value) -> bool {
    format!("{a:?}") == format!("{b:?}")
}

#[test]
fn what_gnu_radio_wrote_reads_as_what_it_is_and_is_written_the_same() {
    let pdu = Value::pairs([Value::map([("crc", true)])], vec![9u8, 8, 7]);
    let expected = [
        ("true", Value::Bool(true)),
        ("nil", Value::Null),
        ("sym", "hello".into()),
        ("long", Value::Int(-5)),
        ("bigint", Value::Int(1 << 40)),
        ("u64", Value::Uint((1 << 63) + 1)),
        ("double", 1.5.into()),
        ("complex", C64::new(1.0, -2.0).into()),
        ("pair", Value::pairs(["a"], 1)),
        ("tuple", Value::Tuple([1.into(), 2.0.into()].into())),
        ("dict", Value::map([("k", 3)])),
        ("u8v", vec![1u8, 2, 3, 4].into()),
        ("f32v", vec![1f32, -1.0].into()),
        ("c32v", vec![C32::new(0.0, 1.0), C32::new(2.0, 0.0)].into()),
        ("vector", vec![Value::Int(1), "x".into()].into()),
        ("pdu", pdu),
    ];
    let lines: Vec<_> = PMTS.lines().map(|line| line.split('\t').collect::<Vec<_>>()).collect();
    assert_eq!(lines.len(), expected.len());
    for (line, (name, value)) in lines.iter().zip(expected) {
        assert_eq!(line[0], name);
        let pmt = bytes(line[1]);
        assert_eq!(Value::from_pmt(&pmt).as_ref(), Ok(&value), "{name}");
        assert_eq!(value.to_pmt().as_ref(), Ok(&pmt), "{name}");
    }
}

#[test]
fn the_kinds_that_are_not_in_the_file() {
    let kinds: [(&str, Value); 19] = [
        ("0a 01 00000002 01 00 01 ff", vec![1i8, -1].into()),
        ("0a 02 00000002 01 00 0001 ffff", vec![1u16, 65535].into()),
        ("0a 03 00000002 01 00 0001 ffff", vec![1i16, -1].into()),
        ("0a 04 00000002 01 00 00000001 ffffffff", vec![1u32, u32::MAX].into()),
        ("0a 05 00000002 01 00 00000001 ffffffff", vec![1i32, -1].into()),
        ("0a 06 00000001 01 00 0102030405060708", vec![0x0102_0304_0506_0708u64].into()),
        ("0a 07 00000001 01 00 fffffffffffffffe", vec![-2i64].into()),
        ("0a 09 00000001 01 00 3ff8000000000000", vec![1.5f64].into()),
        ("0a 0b 00000001 01 00 3ff0000000000000 c000000000000000", vec![C64::new(1.0, -2.0)].into()),
        ("0a 08 00000000 01 00", Vec::<f32>::new().into()),
        ("03 7fffffff", Value::Int(i32::MAX.into())),
        ("0d 0000000080000000", Value::Int(1 << 31)),
        ("0d 8000000000000000", Value::Int(i64::MIN)),
        ("0b 0000000000000005", Value::Uint(5)),
        ("02 0000", "".into()),
        ("07 0300000001 07 0300000002 06", Value::pairs([1, 2], Value::Null)),
        ("07 0300000001 09 07 020001 61 0300000001 06", Value::pairs([1], Value::map([("a", 1)]))),
        ("09 07 0300000001 020001 78 06", Value::Dict([(1.into(), "x".into())].into())),
        ("0c 00000000", Value::Tuple([].into())),
    ];
    for (hex, value) in kinds {
        assert_eq!(read(hex).as_ref(), Ok(&value), "{hex}");
        assert_eq!(value.to_pmt(), Ok(bytes(hex)), "{hex}");
    }
}

#[test]
fn tags_in_a_message_of_gnu_radio_follow_each_other() {
    // After a header of 19 bytes with their count: offset, then key, value and source as PMTs.
    let (mut rest, mut tags) = (&ZMQ[19..], Vec::new());
    for _ in 0..ZMQ[11] {
        let (offset, mut pmts) = rest.split_first_chunk().unwrap();
        let [key, value, source] = [(); 3].map(|()| {
            let (value, used) = Value::from_pmt_prefix(pmts).unwrap();
            pmts = &pmts[used..];
            value
        });
        tags.push((u64::from_le_bytes(*offset), key.to_string(), value.to_string()));
        assert_eq!(source, "src0".into());
        rest = pmts;
    }
    let expected = [
        (3, "rx_freq", "98500000.0"),
        (3, "rx_time", r#"{"tuple":[1700000000,0.25]}"#),
        (17, "packet_len", "20"),
        (40, "label", r#"{"a":1,"b":"x"}"#),
    ];
    assert_eq!(tags, expected.map(|(offset, key, value)| (offset, format!("{key:?}"), value.to_owned())));
    assert_eq!(rest.len() % 4, 0, "items of 4 bytes follow");
}

#[test]
fn what_has_no_exact_counterpart_becomes_what_is_documented() {
    // Entries in another order; a name twice; text that is not UTF-8; a small number in 64 bits; other padding.
    let ordered = Value::map([("a", 1), ("b", 2)]);
    let swapped = "09 07 020001 62 0300000002 09 07 020001 61 0300000001 06";
    assert_eq!(read(swapped), Ok(ordered.clone()));
    assert_eq!(ordered.to_pmt(), Ok(bytes("09 07 020001 61 0300000001 09 07 020001 62 0300000002 06")));
    let twice = "09 07 020001 61 0300000001 09 07 020001 61 0300000002 06";
    assert_eq!(read(twice), Ok(Value::Dict([("a".into(), 1.into()), ("a".into(), 2.into())].into())));
    assert_eq!(read("02 0002 fffe"), Ok(vec![0xffu8, 0xfe].into()));
    assert_eq!(read("0d 0000000000000005"), Ok(Value::Int(5)));
    assert_eq!(read("0a 02 00000001 03 010203 0102"), Ok(vec![0x0102u16].into()));
    for nothing in [Value::map([("", 1); 0]), Value::Dict([].into())] {
        assert_eq!(nothing.to_pmt(), Ok(bytes("06")));
    }
    assert_eq!(Value::Dict([("a".into(), 1.into())].into()).to_pmt(), Value::map([("a", 1)]).to_pmt());
}

#[test]
fn an_error_says_where_and_what_was_expected() {
    let cases = [
        ("", "byte 0 of the PMT: expected a value, 1 byte, got 0"),
        ("0e", "byte 0 of the PMT: expected the tag of a value, 00 to 0d, got 0e"),
        ("02 0005 6162", "byte 3 of the PMT: expected the text of a symbol, 5 bytes, got 2"),
        ("08 00000002 00 7f", "byte 6 of the PMT: expected the tag of a value, 00 to 0d, got 7f"),
        ("08 ffffffff 00", "byte 5 of the PMT: expected values, 4294967295 bytes, got 1"),
        ("0a 0c 00000000 00", "byte 1 of the PMT: expected the type of a vector, 00 to 0b, got 0c"),
        ("0a 82 00000000 00", "byte 1 of the PMT: expected the type of a vector, 00 to 0b, got 82"),
        (
            "0a 0b ffffffff 00",
            "byte 7 of the PMT: expected the numbers of a vector, 68719476720 bytes, got 0",
        ),
        ("09 00", "byte 1 of the PMT: expected an entry of a dictionary, a pair (07), got 00"),
        (
            "09 07 00 00 00",
            "byte 4 of the PMT: expected the rest of a dictionary (09), or its end (06), got 00",
        ),
        ("00 00", "byte 1 of the PMT: expected its end, got 1 more byte"),
    ];
    for (hex, text) in cases {
        assert_eq!(problem(hex), text, "{hex}");
    }
    let long = Value::from("x".repeat(65_536)).to_pmt().unwrap_err().to_string();
    assert_eq!(long, "text of length 65536 does not fit into a PMT: expected at most 65535");
}

#[test]
fn values_lie_within_each_other_to_a_depth_of_128() {
    fn nested(depth: usize) -> Value {
        (0..depth).fold(Value::Null, |inner, _| vec![inner].into())
    }
    let pmt = nested(128).to_pmt().unwrap();
    assert_eq!(Value::from_pmt(&pmt), Ok(nested(128)));
    assert_eq!(nested(129).to_pmt(), Err(PmtError::TooDeep { offset: 129 * 5, limit: 128 }));
    for open in ["08 00000001", "0c 00000001", "07", "09 07", "09 07 00", "07 00 09 07 00"] {
        let mut deep = bytes(open).repeat(100_000);
        deep.extend(bytes("08 00000000").repeat(100_000));
        // A chain of pairs is not deep, and does not end here.
        let error = Value::from_pmt(&deep).unwrap_err();
        assert!(matches!(error, PmtError::TooDeep { .. } | PmtError::Unexpected { .. }), "{open}: {error}");
    }
}

#[test]
fn a_long_list_is_not_deep() {
    let list = Value::pairs(0..100_000, Value::Null);
    let pmt = list.to_pmt().unwrap();
    assert_eq!(pmt.len(), 600_001);
    assert_eq!(Value::from_pmt(&pmt), Ok(list));
}

#[test]
fn room_is_made_for_what_is_there_not_for_what_is_claimed() {
    // Each of the nested lists claims as many values as bytes are left: about 128 million, were room made for them.
    let mut pmt = [8, 0, 0x0f, 0, 0].repeat(128);
    pmt.resize(1 << 20, 0);
    let begun = Instant::now();
    assert!(Value::from_pmt(&pmt).is_err());
    assert!(begun.elapsed() < Duration::from_secs(30));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_value_comes_back_from_its_pmt(value in value(0)) {
        let pmt = value.to_pmt().unwrap();
        let (again, used) = Value::from_pmt_prefix(&pmt).unwrap();
        prop_assert!(same(&again, &value), "{again:?}\n{value:?}");
        prop_assert_eq!(used, pmt.len());
        prop_assert_eq!(again.to_pmt().unwrap(), pmt);
    }

    #[test]
    fn a_pmt_that_is_cut_short_is_told_from_a_wrong_one(value in value(0), cut in any::<prop::sample::Index>()) {
        let pmt = value.to_pmt().unwrap();
        let cut = cut.index(pmt.len());
        let error = Value::from_pmt_prefix(&pmt[..cut]).unwrap_err();
        prop_assert!(matches!(error, PmtError::Truncated { .. }), "{error}");
    }

    #[test]
    fn every_value_comes_back_from_its_json(value in value(1 << 63)) {
        let again = Value::from_json(&value.to_json());
        prop_assert!(same(&again, &value), "{again:?}\n{value:?}");
        let text = value.to_string();
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(&json, &value.to_json());
        let again = Value::from_json(&json);
        prop_assert!(same(&again, &value), "{text}\n{again:?}\n{value:?}");
    }
}

/// Draws whole numbers; the same for one seed. Source: SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    /// Changes some bytes: other values, tags, lengths; a part cut out, doubled, or taken from `other`.
    fn mutate(&mut self, bytes: &mut Vec<u8>, other: &[u8]) {
        for _ in 0..=self.below(4) {
            let at = self.below(bytes.len());
            let to = at + self.below(bytes.len() - at + 1).min(16);
            match self.below(7) {
                _ if bytes.is_empty() => bytes.push(self.next() as u8),
                0 => bytes[at] = self.next() as u8,
                1 => bytes[at] = self.below(0x0e) as u8,
                2 => bytes[at] ^= 1 << self.below(8),
                3 => bytes[at..to].fill(0xff),
                4 => drop(bytes.drain(at..to)),
                5 => bytes.extend_from_within(at..to),
                _ => {
                    let from = self.below(other.len());
                    drop(bytes.splice(at..to, other[from..].iter().copied().take(self.below(64) + 1)));
                }
            }
        }
    }
}

/// What must hold of any bytes; whether they were a PMT.
fn check_pmt(bytes: &[u8]) -> bool {
    let Ok((value, used)) = Value::from_pmt_prefix(bytes) else {
        assert!(Value::from_pmt(bytes).is_err());
        return false;
    };
    assert_eq!(Value::from_pmt(bytes).is_ok(), used == bytes.len());
    let pmt = value.to_pmt().unwrap();
    let again = Value::from_pmt(&pmt).unwrap();
    assert_eq!(again.to_pmt().unwrap(), pmt);
    check_json(&value);
    true
}

fn check_json(value: &Value) {
    let json = value.to_json();
    assert_eq!(Value::from_json(&json).to_json(), json);
}

/// Reads mutations of valid PMTs and of JSON, and random bytes, for so long. Returns how many, and how many were valid.
fn fuzz(seed: u64, time: Duration) -> (u64, u64) {
    let (mut random, mut runner, values) = (Random(seed), TestRunner::deterministic(), value(0));
    let corpus: Vec<Value> = (0..500).map(|_| values.new_tree(&mut runner).unwrap().current()).collect();
    let corpus: Vec<_> =
        corpus.iter().map(|value| (value.to_pmt().unwrap(), value.to_string().into_bytes())).collect();
    let (begun, mut cases, mut valid) = (Instant::now(), 0, 0);
    while begun.elapsed() < time {
        for _ in 0..100 {
            let (one, other) = (&corpus[random.below(corpus.len())], &corpus[random.below(corpus.len())]);
            let kind = random.below(8);
            let mut bytes = match kind {
                0 => (0..random.below(64)).map(|_| random.next() as u8).collect(),
                1 => one.1.clone(),
                _ => one.0.clone(),
            };
            random.mutate(&mut bytes, if kind == 1 { &other.1 } else { &other.0 });
            let outcome = std::panic::catch_unwind(|| match kind {
                1 => serde_json::from_slice(&bytes).map(|json| check_json(&Value::from_json(&json))).is_ok(),
                _ => check_pmt(&bytes),
            });
            cases += 1;
            match outcome {
                Ok(was_valid) => valid += u64::from(was_valid),
                Err(_) => panic!("seed {seed}, case {cases}: {bytes:02x?}"),
            }
        }
    }
    (cases, valid)
}

#[test]
fn very_many_small_values_do_not_become_very_much_memory() {
    let list =
        |count: u32, each: &[u8]| [&[8][..], &count.to_be_bytes(), &each.repeat(count as usize)].concat();
    let nulls = list(1 << 20, &[6]);
    assert!(matches!(Value::from_pmt(&nulls), Err(PmtError::TooLarge { offset: 5, .. })));
    assert!(Value::from_pmt(&list(100_000, &[6])).is_ok());
    // In pairs, and as dictionaries of one entry, which have no count.
    assert!(matches!(
        Value::from_pmt(&[&[7, 6].repeat(1 << 20)[..], &[6]].concat()),
        Err(PmtError::TooLarge { .. })
    ));
    let small = b"\x09\x07\x02\x00\x01a\x00\x06";
    assert!(Value::from_pmt(&list(10_000, small)).is_ok());
    assert!(matches!(Value::from_pmt(&list(1 << 17, small)), Err(PmtError::TooLarge { .. })));
    // What takes no more memory than its bytes has no limit but that.
    let zeros = [&b"\x0a\x08\x01\x00\x00\x00\x01\x00"[..], &vec![0; 4 << 24]].concat();
    assert!(Value::from_pmt(&zeros).is_ok());
    assert!(Value::from_pmt_within(&zeros, 4 << 24).is_err());
}

fn from_env(name: &str, default: f64) -> f64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn no_bytes_do_harm() {
    let (cases, valid) = fuzz(from_env("SUPERHET_SEED", 1.0) as u64, Duration::from_secs(1));
    assert!(valid > 0 && valid < cases, "{valid} of {cases} were valid");
}

#[test]
#[ignore = "runs for SUPERHET_FUZZ_MINUTES, 1 unless set"]
fn fuzz_for_minutes() {
    let time = Duration::from_secs_f64(60.0 * from_env("SUPERHET_FUZZ_MINUTES", 1.0));
    let (cases, valid) = fuzz(from_env("SUPERHET_SEED", 2.0) as u64, time);
    println!("{cases} cases in {time:?}, {valid} of them valid");
}
