//! WAV files made byte by byte: sound ones, odd ones and lying ones.

use std::path::Path;

use super::{WavContainer, WavReader};
use crate::C32;
use crate::error::Error;

/// A WAV file of the given chunks, whose RIFF size is right.
fn riff(chunks: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
    let mut body = b"WAVE".to_vec();
    for (id, data) in chunks {
        body.extend(*id);
        body.extend((data.len() as u32).to_le_bytes());
        body.extend(*data);
        body.extend(vec![0; data.len() % 2]);
    }
    [b"RIFF", &(body.len() as u32).to_le_bytes()[..], &body].concat()
}

fn fmt(tag: u16, channels: u16, rate: u32, bits: u16) -> Vec<u8> {
    let align = channels * (bits / 8);
    [
        &tag.to_le_bytes()[..],
        &channels.to_le_bytes(),
        &rate.to_le_bytes(),
        &(rate * u32::from(align)).to_le_bytes(),
        &align.to_le_bytes(),
        &bits.to_le_bytes(),
    ]
    .concat()
}

/// Writes `bytes` where only the named test does, and removes them afterwards.
fn with_file<T>(name: &str, bytes: &[u8], run: impl FnOnce(&Path) -> T) -> T {
    let path = std::env::temp_dir().join(format!("superhet-wav-{}-{name}.wav", std::process::id()));
    std::fs::write(&path, bytes).unwrap();
    let result = run(&path);
    std::fs::remove_file(&path).unwrap();
    result
}

#[test]
fn every_encoding_reads_as_the_hound_library_reads_it() {
    for (tag, bits) in [(1, 8), (1, 16), (1, 24), (1, 32), (3, 32)] {
        for channels in [1, 2] {
            let data: Vec<u8> = (0..24 * 700u32).map(|n| (n * 37 % 251) as u8).collect();
            let file = riff(&[(b"fmt ", &fmt(tag, channels, 8000, bits)), (b"data", &data)]);
            with_file("encodings", &file, |path| {
                let mut reader = WavReader::open(path).unwrap();
                let mut values = vec![0.0f32; data.len() / usize::from(bits / 8)];
                let n = if channels == 1 {
                    reader.read_f32(&mut values).unwrap()
                } else {
                    2 * reader.read_c32(bytemuck::cast_slice_mut(&mut values)).unwrap()
                };
                assert_eq!((n, reader.frames_left()), (values.len(), 0));

                let mut hound = hound::WavReader::open(path).unwrap();
                let reference: Vec<f32> = if tag == 3 {
                    hound.samples::<f32>().map(Result::unwrap).collect()
                } else {
                    let scale = 2f32.powi(1 - i32::from(bits));
                    hound.samples::<i32>().map(|x| x.unwrap() as f32 * scale).collect()
                };
                assert!(values == reference, "{bits} bits, {channels} channels");
            });
        }
    }
}

#[test]
fn full_scale_is_one() {
    for (bits, low, value) in [
        (8, vec![0, 128], -1.0),
        (16, vec![0, 0x80, 0, 0], -1.0),
        (24, vec![0, 0, 0x80, 0, 0, 0], -1.0),
        (32, vec![0, 0, 0, 0x80, 0, 0, 0, 0], -1.0),
    ] {
        let file = riff(&[(b"fmt ", &fmt(1, 1, 8000, bits)), (b"data", &low)]);
        with_file("scale", &file, |path| {
            let mut samples = [9.0; 4];
            assert_eq!(WavReader::open(path).unwrap().read_f32(&mut samples).unwrap(), 2);
            assert_eq!(samples[..2], [value, 0.0], "{bits} bits");
        });
    }
}

#[test]
fn odd_chunks_before_the_data_are_skipped_with_their_pad_byte() {
    let file =
        riff(&[(b"LIST", b"abc"), (b"fmt ", &fmt(1, 1, 8000, 16)), (b"data", &[0, 0x40]), (b"id3 ", b"x")]);
    with_file("odd", &file, |path| {
        let mut reader = WavReader::open(path).unwrap();
        let mut samples = [0.0; 2];
        assert_eq!(reader.read_f32(&mut samples).unwrap(), 1);
        assert_eq!(samples[0], 0.5);
    });
}

#[test]
fn the_auxi_chunk_tells_the_centre_frequency() {
    let mut auxi = vec![0; 64];
    auxi[32..36].copy_from_slice(&403_000_000u32.to_le_bytes());
    let xml: Vec<u8> = "<?xml version=\"1.0\"?><Definition RadioCenterFreq=\"7100000\"/>"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    for (auxi, hz) in [(auxi, Some(403e6)), (xml, Some(7.1e6)), (vec![1; 10], None)] {
        let file = riff(&[(b"fmt ", &fmt(1, 2, 8000, 16)), (b"auxi", &auxi), (b"data", &[0; 8])]);
        with_file("auxi", &file, |path| {
            assert_eq!(WavReader::open(path).unwrap().header().center_hz, hz);
        });
    }
}

fn rf64(data_bytes: u64) -> Vec<u8> {
    let mut file = riff(&[
        (b"ds64", &[0; 28]),
        (b"fmt ", &fmt(3, 2, 2_000_000, 32)),
        (b"data", bytemuck::cast_slice(&[0.5f32, -0.5])),
    ]);
    let riff_bytes = file.len() as u64 - 8;
    file[..8].copy_from_slice(b"RF64\xff\xff\xff\xff");
    file[20..28].copy_from_slice(&riff_bytes.to_le_bytes());
    file[28..36].copy_from_slice(&data_bytes.to_le_bytes());
    let data = file.len() - 8;
    file[data - 4..data].copy_from_slice(&[0xff; 4]);
    file
}

#[test]
fn rf64_takes_its_lengths_from_the_ds64_chunk() {
    with_file("rf64", &rf64(8), |path| {
        let mut reader = WavReader::open(path).unwrap();
        assert_eq!(reader.header().container, WavContainer::Rf64);
        let mut iq = [C32::default(); 4];
        assert_eq!(reader.read_c32(&mut iq).unwrap(), 1);
        assert_eq!(iq[0], C32::new(0.5, -0.5));
    });
    with_file("rf64-lie", &rf64(1 << 60), |path| {
        let error = WavReader::open(path).unwrap_err().to_string();
        assert!(error.contains("the data chunk's length is 1152921504606846976"), "{error}");
    });
}

/// Opens a file and returns the offset, the field and the sentence of the complaint.
#[track_caller]
fn lie(bytes: &[u8]) -> (u64, &'static str, String) {
    let name = format!("lie-{}", std::panic::Location::caller().line());
    with_file(&name, bytes, |path| match WavReader::open(path) {
        Err(ref error @ Error::WavHeader { byte_offset, field, .. }) => {
            let text = error.to_string();
            assert!(text.contains(&path.display().to_string()), "{text}");
            (byte_offset, field, text)
        }
        other => panic!("{other:?}"),
    })
}

#[test]
fn a_header_that_lies_is_reported_what_and_where() {
    let good = riff(&[(b"fmt ", &fmt(1, 2, 8000, 16)), (b"data", &[0; 16])]);
    let patch = |at: usize, bytes: &[u8]| {
        let mut file = good.clone();
        file[at..at + bytes.len()].copy_from_slice(bytes);
        file
    };
    let (at, field, text) = lie(&patch(40, &1000u32.to_le_bytes()));
    assert_eq!((at, field), (40, "the data chunk's length"));
    assert!(text.contains("is 1000, expected at most 16"), "{text}");
    assert_eq!(lie(&patch(4, &1000u32.to_le_bytes())).1, "the RIFF size");
    assert_eq!(lie(&[&good[..], &[0; 100]].concat()).1, "the RIFF size");
    let (at, field, text) = lie(&patch(22, &[0, 0]));
    assert_eq!((at, field), (22, "the number of channels"));
    assert!(text.contains("channels is 0, expected 1 or 2"), "{text}");
    assert_eq!(lie(&patch(24, &[0; 4])).1, "the sample rate");
    assert_eq!(lie(&patch(28, &[0; 4])).1, "the bytes per second");
    assert_eq!(lie(&patch(32, &[3, 0])).1, "the block alignment");
    assert_eq!(lie(&patch(16, &[8, 0, 0, 0])).1, "the fmt chunk's length");
    assert_eq!(lie(&patch(12, b"junk")).1, "the fmt chunk");
    assert_eq!(lie(&patch(36, b"junk")).1, "the data chunk");
    assert_eq!(lie(&patch(0, b"RIFX")).1, "the file's mark");
    assert_eq!(lie(&patch(8, b"AVI ")).1, "the RIFF type");
    let odd = riff(&[(b"fmt ", &fmt(1, 2, 8000, 16)), (b"data", &[0; 6])]);
    assert_eq!(lie(&odd).1, "the data chunk's length");
    for cut in 1..44 {
        lie(&good[..cut]);
    }
}

#[test]
fn empty_files_and_other_encodings_have_their_own_errors() {
    with_file("empty", &[], |path| {
        assert!(matches!(WavReader::open(path), Err(Error::Empty { .. })));
    });
    for format in [fmt(1, 3, 8000, 16), fmt(1, 1, 8000, 64), fmt(2, 1, 8000, 8), fmt(3, 1, 8000, 64)] {
        let file = riff(&[(b"fmt ", &format), (b"data", &[])]);
        with_file("unsupported", &file, |path| {
            assert!(matches!(WavReader::open(path), Err(Error::WavUnsupported { .. })));
        });
    }
}

#[test]
fn lenient_reads_what_is_there_and_reports_the_shortfall() {
    let good = riff(&[(b"fmt ", &fmt(1, 1, 8000, 16)), (b"data", &[0, 0x40, 0, 0xc0])]);
    let mut cut = good.clone();
    cut[40..44].copy_from_slice(&4000u32.to_le_bytes());
    cut.push(7);
    let mut killed = good.clone();
    killed[4..8].fill(0);
    killed[40..44].fill(0);
    for (file, lies) in [(good, 0), (cut, 2), (killed, 2)] {
        with_file("lenient", &file, |path| {
            let mut reader = WavReader::open_lenient(path).unwrap();
            let mut samples = [0.0; 8];
            assert_eq!(reader.read_f32(&mut samples).unwrap(), 2);
            assert_eq!(samples[..2], [0.5, -0.5]);
            assert_eq!(reader.problems().len(), lies, "{:?}", reader.problems());
        });
    }
}

#[test]
fn blocks_are_full_until_the_last() {
    let file = riff(&[(b"fmt ", &fmt(1, 1, 8000, 8)), (b"data", &[128; 10])]);
    with_file("blocks", &file, |path| {
        let reader = WavReader::open(path).unwrap();
        let lengths: Vec<usize> = reader.blocks_f32(4).unwrap().map(|b| b.unwrap().len()).collect();
        assert_eq!(lengths, [4, 4, 2]);
        assert!(matches!(WavReader::open(path).unwrap().blocks_c32(4), Err(Error::WrongShape { .. })));
    });
}
