//! What must hold for all samples, bytes and cuts.

use proptest::prelude::*;
use superhet_io::decode::decode_numbers;
use superhet_io::encode::{encode_c32, encode_f32, encode_numbers};
use superhet_io::link::{FrameKind, Frames, Header};
use superhet_io::{C32, Decoder, Number, SampleFormat, SampleReader};

fn any_format() -> impl Strategy<Value = SampleFormat> {
    proptest::sample::select(SampleFormat::all().collect::<Vec<_>>())
}

/// Half a code, in units of full scale: the most that rounding may be off; a code at the positive end of
/// signed integers, which do not reach 1.0.
fn tolerance(number: Number) -> f32 {
    match number {
        Number::U8 => 0.5001 / 127.5,
        Number::I8 => 1.0 / 128.0,
        Number::U16 => 0.501 / 32767.5,
        Number::I16 => 1.0 / 32768.0,
        Number::U32 | Number::I32 => 1e-7,
        Number::F32 | Number::F64 => 0.0,
    }
}

/// Decodes all of `bytes` in pieces that end at `cuts`, into outputs of at most `room` numbers.
fn decode_in_pieces(format: SampleFormat, bytes: &[u8], cuts: &[usize], room: usize) -> Vec<u32> {
    let mut decoder = Decoder::new(format, "x");
    let mut samples = Vec::new();
    let mut start = 0;
    let mut ends = cuts.to_vec();
    ends.push(bytes.len());
    ends.sort_unstable();
    for end in ends {
        while start < end {
            let n = if format.is_complex() {
                let mut out = vec![C32::default(); room];
                let progress = decoder.decode_c32(&bytes[start..end], &mut out).unwrap();
                samples.extend(out[..progress.samples].iter().flat_map(|x| [x.re.to_bits(), x.im.to_bits()]));
                progress.bytes
            } else {
                let mut out = vec![0.0; room];
                let progress = decoder.decode_f32(&bytes[start..end], &mut out).unwrap();
                samples.extend(out[..progress.samples].iter().map(|x| x.to_bits()));
                progress.bytes
            };
            start += n;
        }
    }
    assert_eq!(decoder.samples() as usize, bytes.len() / format.bytes());
    assert_eq!(decoder.finish().is_ok(), bytes.len().is_multiple_of(format.bytes()));
    samples
}

proptest! {
    #[test]
    fn encoding_and_decoding_is_off_by_half_a_code_at_most(
        format in any_format(),
        values in proptest::collection::vec(-1.0f32..=1.0, 0..64),
    ) {
        let mut bytes = Vec::new();
        encode_numbers(format.number(), format.endian(), &values, &mut bytes);
        let mut back = vec![0.0; values.len()];
        decode_numbers(format.number(), format.endian(), &bytes, &mut back);
        for (x, y) in values.iter().zip(&back) {
            prop_assert!((x - y).abs() <= tolerance(format.number()), "{format}: {x} became {y}");
        }
    }

    #[test]
    fn decoding_and_encoding_gives_the_same_bytes_unless_numbers_are_long(
        format in any_format().prop_filter("of up to 16 bits, or f32", |format| {
            format.number().bytes() <= 2 || format.number() == Number::F32
        }),
        sixteens in proptest::collection::vec(any::<[u8; 16]>(), 0..4),
    ) {
        let bytes = sixteens.concat();
        let mut values = vec![0.0; bytes.len() / format.number().bytes()];
        decode_numbers(format.number(), format.endian(), &bytes, &mut values);
        let mut back = Vec::new();
        if format.is_complex() {
            encode_c32(format, bytemuck::cast_slice(&values), &mut back);
        } else {
            encode_f32(format, &values, &mut back);
        }
        prop_assert_eq!(back, bytes);
    }

    #[test]
    fn output_does_not_depend_on_where_the_input_is_cut(
        format in any_format(),
        bytes in proptest::collection::vec(any::<u8>(), 0..200),
        cuts in proptest::collection::vec(any::<proptest::sample::Index>(), 0..20),
        room in 1usize..40,
    ) {
        let cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        prop_assert_eq!(
            decode_in_pieces(format, &bytes, &cuts, room),
            decode_in_pieces(format, &bytes, &[], 200)
        );
    }

    #[test]
    fn a_reader_gives_every_whole_sample_and_then_tells_the_cut(
        bytes in proptest::collection::vec(any::<u8>(), 1..100),
        room in 1usize..30,
    ) {
        let mut reader = SampleReader::new(&bytes[..], "x.cs16", SampleFormat::CS16);
        let mut samples = vec![C32::default(); room];
        let end = loop {
            match reader.read_c32(&mut samples) {
                Ok(0) => break Ok(()),
                Ok(_) => {}
                Err(error) => break Err(error),
            }
        };
        prop_assert_eq!(reader.position_samples() as usize, bytes.len() / 4);
        prop_assert_eq!(end.is_ok(), bytes.len() % 4 == 0);
    }

    #[test]
    fn no_name_makes_the_guess_panic(name in "\\PC{0,40}") {
        let _ = superhet_io::NameHints::from_path(&name);
        let _ = SampleFormat::from_path(&name);
        let _ = name.parse::<SampleFormat>();
        let _ = superhet_io::sigmf::datetime::is_valid(&name);
    }
}

proptest! {
    #[test]
    fn frames_of_links_are_the_same_wherever_their_bytes_are_cut(
        bodies in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 1..8),
        lengths in prop::collection::vec(1usize..200, 1..20),
        at_once in 1usize..500,
    ) {
        let header = |n: usize| Header { sequence: n as u64, ..Header::new(FrameKind::Items) };
        let bytes: Vec<u8> = bodies.iter().enumerate().flat_map(|(n, body)| header(n).frame(body)).collect();
        let (mut frames, mut read, mut rest) = (Frames::new(at_once), Vec::new(), &bytes[..]);
        for length in lengths.iter().cycle() {
            let (piece, behind) = rest.split_at((*length).min(rest.len()));
            frames.feed(piece);
            while let Some((header, body)) = frames.next().unwrap() {
                prop_assert_eq!(header.sequence, read.len() as u64);
                read.push(frames.bytes(body).to_vec());
            }
            rest = behind;
            if rest.is_empty() {
                break;
            }
        }
        prop_assert_eq!(read, bodies);
    }

    #[test]
    fn bytes_that_are_no_frames_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..500), is_begun: bool) {
        let mut frames = Frames::new(64);
        if is_begun {
            frames.feed(&Header::new(FrameKind::Messages).bytes()[..40]);
        }
        frames.feed(&bytes);
        while let Ok(Some(_)) = frames.next() {}
    }
}
