//! Files made to harm: random bytes, and good files with bytes changed. Nothing may panic, and nothing may
//! allocate what a header claims but the file does not have.

mod common;

use std::path::Path;

use common::{TempDir, tar};
use proptest::prelude::*;
use superhet_io::sigmf::{Meta, Recording};
use superhet_io::wav::{WavHeader, WavReader};
use superhet_io::{C32, Error, Shape};

/// No sound read of these small files comes near this; a believed 32-bit length goes beyond.
const MEMORY_LIMIT_KIB: u64 = 2 * 1024 * 1024;

/// The most address space that this process ever had, where the system reports it.
fn peak_memory_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmPeak:"));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

fn good_wav(rf64: bool) -> Vec<u8> {
    let mut file = b"RIFF\0\0\0\0WAVE".to_vec();
    if rf64 {
        file.extend(b"ds64\x1c\0\0\0");
        file.extend([0; 28]);
    }
    file.extend(b"fmt \x10\0\0\0\x01\0\x02\0\x40\x1f\0\0\0\x7d\0\0\x04\0\x10\0");
    file.extend(b"auxi\x40\0\0\0");
    file.extend([0; 64]);
    file.extend(b"data\x10\0\0\0");
    file.extend([7; 16]);
    let riff = file.len() as u32 - 8;
    file[4..8].copy_from_slice(&riff.to_le_bytes());
    if rf64 {
        file[..8].copy_from_slice(b"RF64\xff\xff\xff\xff");
        file[20..24].copy_from_slice(&riff.to_le_bytes());
        file[28] = 16;
        let data = file.len() - 20;
        file[data..data + 4].fill(0xff);
    }
    file
}

const META: &str = r#"{"global": {"core:datatype": "ci16_le", "core:version": "1.2.5", "core:num_channels": 2,
 "core:sample_rate": 1000.0, "core:offset": 3, "core:trailing_bytes": 2, "x:y": [1, {"z": null}],
 "core:geolocation": {"type": "Point", "coordinates": [1, 2]},
 "core:extensions": [{"name": "x", "version": "1.0.0", "optional": true}]},
 "captures": [{"core:sample_start": 3, "core:header_bytes": 4}, {"core:sample_start": 5, "core:header_bytes": 6}],
 "annotations": [{"core:sample_start": 4, "core:sample_count": 3, "core:freq_lower_edge": 1,
 "core:freq_upper_edge": 2}]}"#;

/// 4 + 2 samples + 6 + 3 samples + 2, of 8 bytes each.
const DATA: [u8; 52] = [1; 52];

/// Changes some bytes, then perhaps cuts the end.
fn mutated(good: Vec<u8>) -> impl Strategy<Value = Vec<u8>> {
    let n = good.len();
    let odd = prop_oneof![any::<u8>(), Just(0), Just(0xff), Just(0x7f), Just(b'9'), Just(b'-'), Just(b'"')];
    (proptest::collection::vec((0..n, odd), 0..6), prop_oneof![3 => Just(n), 1 => 0..n]).prop_map(
        move |(changes, end)| {
            let mut bytes = good.clone();
            for (at, byte) in changes {
                bytes[at] = byte;
            }
            bytes.truncate(end);
            bytes
        },
    )
}

fn read_all_wav(path: &Path, lenient: bool) -> Result<WavHeader, Error> {
    let mut reader = if lenient { WavReader::open_lenient(path)? } else { WavReader::open(path)? };
    let header = reader.header().clone();
    let mut frames = 0;
    loop {
        let n = match header.shape() {
            Shape::Real => reader.read_f32(&mut [0.0; 64])?,
            Shape::Complex => reader.read_c32(&mut [C32::default(); 64])?,
        };
        frames += n as u64;
        if n == 0 {
            break;
        }
    }
    assert_eq!(frames, header.frames);
    Ok(header)
}

fn read_all_sigmf(path: &Path) -> Result<u64, Error> {
    let _ = Recording::open(path);
    let recording = Recording::open_lenient(path)?;
    let _ = recording.verify_sha512();
    let mut reader = recording.reader()?;
    loop {
        let n = match recording.format().shape() {
            Shape::Real => reader.read_f32(&mut [0.0; 64])?,
            Shape::Complex => reader.read_c32(&mut [C32::default(); 64])?,
        };
        if n == 0 {
            assert_eq!(reader.position_samples(), recording.samples() * recording.channels());
            return Ok(recording.samples());
        }
    }
}

proptest! {
    #[test]
    fn a_hostile_wav_never_panics_and_takes_no_memory(
        bytes in prop_oneof![
            mutated(good_wav(false)),
            mutated(good_wav(true)),
            proptest::collection::vec(any::<u8>(), 0..200),
        ],
    ) {
        let dir = TempDir::new();
        let path = dir.file("x.wav", &bytes);
        let strict = read_all_wav(&path, false);
        let lenient = read_all_wav(&path, true);
        if let Ok(header) = strict {
            prop_assert!(header.frames * header.frame_bytes() as u64 <= bytes.len() as u64);
            prop_assert_eq!(lenient.unwrap(), header);
        }
        prop_assert!(peak_memory_kib() < MEMORY_LIMIT_KIB);
    }

    #[test]
    fn hostile_metadata_never_panic_and_take_no_memory(
        json in prop_oneof![
            mutated(META.as_bytes().to_vec()),
            proptest::collection::vec(any::<u8>(), 0..200),
        ],
    ) {
        let dir = TempDir::new();
        dir.file("x.sigmf-data", DATA);
        let _ = read_all_sigmf(&dir.file("x.sigmf-meta", &json));
        if let Ok(meta) = Meta::from_json(&json, "x") {
            let again = meta.to_json("x").unwrap();
            prop_assert_eq!(Meta::from_json(again.as_bytes(), "x").unwrap(), meta);
        }
        prop_assert!(peak_memory_kib() < MEMORY_LIMIT_KIB);
    }

    #[test]
    fn hostile_numbers_in_metadata_never_overflow(
        numbers in proptest::collection::vec(
            prop_oneof![0u64..60, Just(i64::MAX as u64), Just(u64::MAX), any::<u64>()], 9),
        bytes in 0usize..60,
    ) {
        let mut meta = Meta::from_json(META.as_bytes(), "x").unwrap();
        meta.global.num_channels = Some(numbers[0]);
        meta.global.offset = Some(numbers[1]);
        meta.global.trailing_bytes = Some(numbers[2]);
        for (n, capture) in meta.captures.iter_mut().enumerate() {
            capture.sample_start = numbers[3 + n];
            capture.header_bytes = Some(numbers[5 + n]);
        }
        meta.annotations[0].sample_start = numbers[7];
        meta.annotations[0].sample_count = Some(numbers[8]);
        meta.check(Some(bytes as u64));
        let dir = TempDir::new();
        dir.file("x.sigmf-data", vec![0; bytes]);
        let path = dir.file("x.sigmf-meta", serde_json::to_string(&meta).unwrap());
        let _ = read_all_sigmf(&path);
    }

    #[test]
    fn a_hostile_archive_never_panics_and_takes_no_memory(
        bytes in prop_oneof![
            mutated(tar(&[("x/a.sigmf-meta", META.as_bytes()), ("x/a.sigmf-data", &DATA)])),
            proptest::collection::vec(any::<u8>(), 0..2000),
            // With the checksum made right again, so that the other fields are looked at.
            mutated(tar(&[("x/a.sigmf-meta", META.as_bytes()), ("x/a.sigmf-data", &DATA)])[..512].to_vec())
                .prop_map(|mut header| {
                    if header.len() == 512 {
                        header[148..156].fill(b' ');
                        let sum: u32 = header.iter().map(|&b| u32::from(b)).sum();
                        header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
                    }
                    header
                }),
        ],
    ) {
        let dir = TempDir::new();
        let _ = read_all_sigmf(&dir.file("x.sigmf", &bytes));
        prop_assert!(peak_memory_kib() < MEMORY_LIMIT_KIB);
    }
}

#[test]
fn the_good_files_that_are_mutated_are_good() {
    let dir = TempDir::new();
    for rf64 in [false, true] {
        assert_eq!(read_all_wav(&dir.file("x.wav", good_wav(rf64)), false).unwrap().frames, 4);
    }
    dir.file("a.sigmf-data", DATA);
    let meta = dir.file("a.sigmf-meta", META);
    assert_eq!(Recording::open(&meta).unwrap().samples(), 5);
    assert_eq!(read_all_sigmf(&meta).unwrap(), 5);
    let archive = tar(&[("x/a.sigmf-meta", META.as_bytes()), ("x/a.sigmf-data", &DATA)]);
    assert_eq!(read_all_sigmf(&dir.file("b.sigmf", archive)).unwrap(), 5);
}
