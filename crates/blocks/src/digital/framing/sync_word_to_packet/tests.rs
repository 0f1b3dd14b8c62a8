use super::*;
use crate::digital::framing::hdlc::{FLAG, stuff};
use crate::sinks::{Lines, MessageDebug};
use crate::sources::VectorSource;
use crate::testing::{cuts, noise};
use superhet_runtime::{Graph, Options, Single};

const WORD: &str = "1101001110010001";

fn bits_of(bytes: &[u8], order: BitOrder) -> Vec<u8> {
    let place = |n: usize| if order == BitOrder::MsbFirst { 7 - n } else { n };
    bytes.iter().flat_map(|byte| (0..8).map(move |n| byte >> place(n) & 1)).collect()
}

fn word() -> Vec<u8> {
    WORD.bytes().map(|digit| digit & 1).collect()
}

fn given(more: &[(&str, Value)]) -> std::collections::BTreeMap<String, Value> {
    let all = [("access_code", Value::from(WORD))];
    all.iter().chain(more).map(|(name, value)| (name.to_string(), value.clone())).collect()
}

/// The packets of a stream, as lines of text, which are the same wherever it is cut.
fn packets(more: &[(&str, Value)], bits: &[u8]) -> Vec<String> {
    let run = |options: &Options| {
        let (lines, text) = Lines::memory();
        let mut graph = Graph::new();
        graph.add("source", VectorSource::new(bits.to_vec(), false).unwrap());
        graph.add_any("block", ENTRY.build(&given(more)).unwrap());
        graph.add("print", MessageDebug::new(lines, None));
        graph.connect_names("source", "block");
        graph.connect_names("block", "print");
        graph.check().unwrap().start(&Single, options).unwrap().wait().unwrap();
        text.take()
    };
    let whole = run(&Options::default());
    cuts().iter().for_each(|options| assert_eq!(run(options), whole));
    whole.lines().map(str::to_owned).collect()
}

#[test]
fn a_field_says_the_length_and_a_checksum_whether_it_is_a_packet() {
    let crc = Crc::named("CRC-16/IBM-3740").unwrap();
    for order in [BitOrder::MsbFirst, BitOrder::LsbFirst] {
        let mut bytes = vec![0x55, 0x05, 0xf0];
        bytes.extend(b"hello");
        bytes.extend(crc.bytes_of(&bytes[1..], true));
        Whitening::Pn9.apply(&mut bytes);
        let body = bits_of(&bytes, order);
        let mut wrong = body.clone();
        wrong[40] ^= 1;
        let silence = vec![0; 100];
        let stream =
            [&silence[..], &word(), &body, &silence, &word(), &wrong, &word(), &body, &word(), &silence[..9]];
        let name = if order == BitOrder::MsbFirst { "msb_first" } else { "lsb_first" };
        let more = [
            ("length_offset", 1.into()),
            ("length_bits", 12.into()),
            ("length_order", "little".into()),
            ("length_add", 5.into()),
            ("order", name.into()),
            ("whitening", "pn9".into()),
            ("crc", "CRC-16/CCITT-FALSE".into()),
            ("crc_order", "little".into()),
            ("crc_skip", 1.into()),
        ];
        let got = packets(&more, &stream.concat());
        assert_eq!(got.len(), 2, "{got:?}");
        assert!(got.iter().all(|line| line.contains("5505f068656c6c6f")), "{got:?}");
        assert!(got[0].contains("\"offset\":116") && got[0].contains("\"sync_errors\":0"), "{got:?}");
        let marked = packets(&[&more[..], &[("when_bad", "mark".into())]].concat(), &stream.concat());
        let is_ok = |line: &String| line.contains("\"crc_ok\":true");
        assert_eq!((marked.len(), marked.iter().filter(|line| is_ok(line)).count()), (3, 2));
    }
}

/// An HDLC frame between flags, with its checksum.
fn framed(bytes: &[u8]) -> Vec<u8> {
    let sum = Crc::named(FCS_16).unwrap().bytes_of(bytes, true);
    let mut bits = FLAG.to_vec();
    stuff(bytes.iter().copied().chain(sum), &mut bits);
    [&bits[..], &FLAG].concat()
}

#[test]
fn hdlc_frames_behind_a_word_end_at_their_flag() {
    let mut spoilt = framed(b"spoilt");
    spoilt[30] ^= 1;
    let stream = [
        &framed(b"no word")[..],
        &word(),
        &framed(b"\xff\x7e\xff."),
        // Only the first frame behind a word counts.
        &framed(b"no word either"),
        &[0; 40],
        &word(),
        &FLAG,
        &spoilt,
        &word(),
        &framed(b"aborted")[..45],
        &[1; 8],
        &word(),
        &framed(b"two"),
        &word(),
        &framed(b"not ended")[..60],
    ];
    let got = packets(&[("framing", "hdlc".into())], &stream.concat());
    let is = |line: &String, hex: &str| line.contains(&format!("\"{hex}\""));
    assert!(got.len() == 2 && is(&got[0], "ff7eff2e") && is(&got[1], "74776f"), "{got:?}");
    let inverted: Vec<u8> = stream.concat().iter().map(|bit| bit ^ 1).collect();
    let more = [("framing", "hdlc".into()), ("either_polarity", true.into())];
    assert_eq!(packets(&more, &inverted).len(), 2);
    let more = [("framing", "hdlc".into()), ("when_bad", "mark".into())];
    let marked = packets(&more, &stream.concat());
    assert!(marked.len() == 3 && marked[1].contains("\"crc_ok\":false"), "{marked:?}");
    let more = [("framing", "hdlc".into()), ("max_length", 5.into())];
    assert_eq!(packets(&more, &stream.concat()).len(), 1);
}

#[test]
fn a_flag_as_the_word_finds_every_frame() {
    let noise: Vec<u8> = noise(3000).iter().map(|x| u8::from(*x > 0.0)).collect();
    // Frames with one flag between them, in noise.
    let both = [framed(b"one"), framed(b"two")[8..].to_vec()].concat();
    let stream = [&noise[..], &both, &noise].concat();
    let more = [("access_code", "01111110".into()), ("framing", "hdlc".into())];
    let got = packets(&more, &stream);
    assert!(got.len() == 2 && got[0].contains("6f6e65") && got[1].contains("74776f"), "{got:?}");
    // With another checksum.
    let sum = Crc::named("CRC-32").unwrap().bytes_of(b"long", true);
    let mut bits = FLAG.to_vec();
    stuff(b"long".iter().copied().chain(sum), &mut bits);
    let stream = [&bits[..], &FLAG].concat();
    let got = packets(&[&more[..], &[("crc", "CRC-32".into())]].concat(), &stream);
    assert!(got.len() == 1 && got[0].contains("6c6f6e67"), "{got:?}");
}

#[test]
fn a_false_sync_word_does_not_hide_a_packet() {
    let crc = Crc::named("CRC-8").unwrap();
    let bytes = [&b"packet"[..], &crc.bytes_of(b"packet", false)].concat();
    let body = bits_of(&bytes, BitOrder::MsbFirst);
    let stream = [&word()[..], &[1, 0, 1], &word(), &body, &[0; 60]].concat();
    let more = [("length", 7.into()), ("crc", "CRC-8/SMBUS".into())];
    assert_eq!(packets(&more, &stream).len(), 1);
    // Without a checksum the first counts, and what lies in it is a part of it.
    assert_eq!(packets(&more[..1], &stream).len(), 1);
    // Unless something else tells.
    let both = packets(&[more[0].clone(), ("overlap", true.into())], &stream);
    assert!(both.len() == 2 && both[1].contains("7061636b6574"), "{both:?}");
}

#[test]
fn an_inverted_word_with_wrong_bits_turns_the_packet_back() {
    let body = bits_of(b"ok", BitOrder::MsbFirst);
    let mut sent = [word(), body].concat();
    sent.iter_mut().for_each(|bit| *bit ^= 1);
    sent[3] ^= 1;
    let more = [("length", 2.into()), ("threshold", 1.into())];
    assert!(packets(&more, &sent).is_empty());
    let got = packets(&[&more[..], &[("either_polarity", true.into())]].concat(), &sent);
    assert!(got.len() == 1 && got[0].contains("6f6b") && got[0].contains("\"inverted\":true"), "{got:?}");
    assert!(got[0].contains("\"sync_errors\":1"), "{got:?}");
}

#[test]
fn soft_bits_are_given_as_they_came() {
    let code = AccessCode::new(WORD, 0).unwrap();
    let mut block = SyncWordToPacket::<f32>::new(code, Layout::fixed(1)).unwrap().soft().unwrap();
    block.candidates.push(block_candidate());
    for soft in [0.5, -0.25, 1.0, -1.0, 0.1, 0.2, 0.3, -0.4] {
        assert_eq!(block.bytes(Candidate { bits: 0, ..block_candidate() }).len(), 0);
        block.take(soft).unwrap();
    }
    assert!(block.candidates.is_empty() && block.bits.is_empty());
    let layout = Layout { whitening: Whitening::Ccsds, ..Layout::fixed(1) };
    let code = AccessCode::new(WORD, 0).unwrap();
    assert!(SyncWordToPacket::<f32>::new(code, layout).unwrap().soft().is_err());
}

fn block_candidate() -> Candidate {
    Candidate { start: 0, inverted: false, wrong: 0, bits: 8, is_known: true }
}

#[test]
fn noise_gives_no_packet_and_holds_few_bits() {
    let bits: Vec<u8> = noise(100_000).iter().map(|x| u8::from(*x > 0.0)).collect();
    let more = [("threshold", 3.into()), ("crc", "CRC-32".into()), ("length_bits", 16.into())];
    assert!(packets(&more, &bits).is_empty());
}

#[test]
fn settings_that_do_not_fit_are_refused() {
    for wrong in [
        vec![("length_offset", Value::from(5000))],
        vec![("crc", "CRC-16/NOBODY".into())],
        vec![("access_code", "0x12345678123456789".into())],
        vec![("give", "soft_bits".into())],
        vec![("framing", "hdlc".into()), ("length", 5.into())],
        vec![("framing", "hdlc".into()), ("whitening", "pn9".into())],
        vec![("framing", "hdlc".into()), ("give", "soft_bits".into())],
    ] {
        assert!(ENTRY.build(&given(&wrong)).is_err(), "{wrong:?}");
    }
    assert!(Layout::hdlc(300).is_ok_and(|layout| layout.length == Length::Hdlc));
    assert!(ENTRY.build(&given(&[("access_code", "0x1acffc1d".into()), ("length", 4.into())])).is_ok());
}
