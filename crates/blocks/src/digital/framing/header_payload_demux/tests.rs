use super::*;
use crate::testing::{Seen, TagSink, Tagged, Tags, cuts, named};
use superhet_runtime::harness::VecSource;
use superhet_runtime::{Graph, MsgOut, Options, Single, Threads};

/// Reads headers of so many items and answers each in turn.
#[derive(Block)]
struct Parser {
    #[port("in")]
    input: In<f32>,
    #[port]
    out: MsgOut,
    answers: std::vec::IntoIter<Value>,
}

impl Work for Parser {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.input.available();
        if n == 0 {
            return Ok(Step::NeedInput);
        }
        for _ in 0..n / self.input.spec().multiple {
            self.out.send(self.answers.next().unwrap_or(false.into()))?;
        }
        self.input.consume(n);
        Ok(Step::Ran)
    }
}

fn said(length: i64) -> Value {
    Value::map([("len", length)])
}

type Given = (Vec<f32>, Tags);

/// The headers and the payloads in the numbers from 0 to 59 with tags and triggers.
fn run(
    layout: BurstLayout,
    triggers: &[u64],
    tags: &[(u64, &'static str, Value)],
    answers: &[Value],
    by_stream: bool,
    options: &Options,
) -> [Given; 2] {
    let layout = BurstLayout {
        length_tag: "len".into(),
        trigger_tag: (!by_stream).then(|| "trigger".into()),
        ..layout
    };
    let header = layout.place(layout.header_span());
    let mut tags = tags.to_vec();
    if !by_stream {
        tags.extend(triggers.iter().map(|index| (*index, "trigger", Value::Null)));
    }
    let mut graph = Graph::new();
    let source = graph.add("source", Tagged::new((0..60).map(|n| n as f32).collect(), tags));
    let demux = graph.add("demux", HeaderPayloadDemux::<f32>::new(layout).unwrap());
    graph.connect(source.output, demux.input);
    if by_stream {
        let marks = (0..60).map(|n| u8::from(triggers.contains(&n))).collect();
        let marks = graph.add("marks", VecSource::new(marks));
        graph.connect(marks.output, demux.trigger);
    }
    let parser = Parser {
        input: In::new().multiple(header),
        out: MsgOut::new(),
        answers: Vec::from(answers).into_iter(),
    };
    let parser = graph.add("parser", parser);
    graph.connect(demux.header, parser.input);
    graph.connect(parser.out, demux.header_data);
    let sinks = [TagSink::<f32>::new(), TagSink::new()];
    let seen: Vec<Seen<f32>> = sinks.iter().map(|sink| sink.seen.clone()).collect();
    let [headers, payloads] = sinks;
    let headers = graph.add("headers", headers);
    let payloads = graph.add("payloads", payloads);
    graph.connect(demux.header, headers.input);
    graph.connect(demux.payload, payloads.input);
    graph.check().unwrap().start(&Single, options).unwrap().wait().unwrap();
    [0, 1].map(|place| {
        let (tags, items) = std::mem::take(&mut *seen[place].lock().unwrap());
        (items, named(tags))
    })
}

fn numbers(ranges: &[std::ops::Range<u32>]) -> Vec<f32> {
    ranges.iter().cloned().flatten().map(|n| n as f32).collect()
}

/// As `run`, the same however the stream is cut.
fn given(
    layout: BurstLayout,
    triggers: &[u64],
    tags: &[(u64, &'static str, Value)],
    answers: &[Value],
) -> [Given; 2] {
    let whole = run(layout.clone(), triggers, tags, answers, false, &Options::default());
    for options in cuts() {
        assert_eq!(run(layout.clone(), triggers, tags, answers, false, &options), whole, "{options:?}");
        let by_stream = run(layout.clone(), triggers, tags, answers, true, &options);
        assert_eq!(by_stream, whole, "{options:?}, triggers by a stream");
    }
    whole
}

#[test]
fn headers_and_payloads_are_given_with_their_tags_as_gnu_radio_does() {
    let tags = [(0, "a"), (3, "b"), (5, "c"), (7, "d"), (9, "e"), (12, "f")];
    let tags = tags.map(|(index, key)| (index, key, Value::from(1)));
    let [header, payload] = given(BurstLayout::new(4), &[3, 10, 30], &tags, &[said(5), said(5)]);
    assert_eq!(header.0, numbers(&[3..7, 30..34]));
    assert_eq!(header.1, [(0, "b".into(), 1.into()), (2, "c".into(), 1.into())]);
    assert_eq!(payload.0, numbers(&[7..12, 34..39]));
    let places: Vec<(u64, &str)> = payload.1.iter().map(|(index, key, _)| (*index, &**key)).collect();
    assert_eq!(places, [(0, "len"), (0, "d"), (2, "e"), (5, "len")]);
    assert_eq!(payload.1[0].2, 5.into());
}

#[test]
fn guard_intervals_are_left_out_and_their_tags_go_to_the_next_item() {
    let layout = BurstLayout { items_per_symbol: 3, guard_interval: 2, ..BurstLayout::new(2) };
    let tags: Vec<_> = [4, 5, 6, 9, 13, 14, 18].map(|index| (index, "t", Value::Null)).into();
    let [header, payload] = given(layout, &[4, 34], &tags, &[said(2), said(2)]);
    assert_eq!(header.0, numbers(&[6..9, 11..14, 36..39, 41..44]));
    assert_eq!(header.1.iter().map(|tag| tag.0).collect::<Vec<_>>(), [0, 0, 0, 3, 5]);
    assert_eq!(payload.0, numbers(&[16..19, 21..24, 46..49, 51..54]));
    let lengths: Vec<_> =
        payload.1.iter().filter(|tag| tag.1 == "len").map(|tag| (tag.0, tag.2.clone())).collect();
    assert_eq!(lengths, [(0, 6.into()), (6, 6.into())]);
}

#[test]
fn a_burst_may_begin_on_the_last_item_of_a_payload_or_in_a_guard_interval_before_its_end() {
    // Each payload ends before item 20: at 19 as GNU Radio takes it, too.
    let [header, payload] = given(BurstLayout::new(3), &[10, 18, 19], &[], &[said(7), said(7)]);
    assert_eq!(header.0, numbers(&[10..13, 19..22]));
    assert_eq!(payload.0, numbers(&[13..20, 22..29]));
    let layout = BurstLayout { items_per_symbol: 3, guard_interval: 2, ..BurstLayout::new(1) };
    for (early, is_taken) in [(1, true), (2, true), (3, false)] {
        let second = 4 + 15 - early;
        let [_, payload] = given(layout.clone(), &[4, second], &[], &[said(2), said(2)]);
        let first = numbers(&[11..14, 16..19]);
        let start = second as u32 + 5;
        let both = [first.clone(), numbers(&[start + 2..start + 5, start + 7..start + 10])].concat();
        assert_eq!(payload.0, if is_taken { both } else { first }, "{early} items early");
    }
}

#[test]
fn a_header_that_is_none_is_searched_for_another_trigger() {
    let [header, payload] = given(BurstLayout::new(4), &[3, 5, 30], &[], &[false.into(), said(2), said(2)]);
    assert_eq!(header.0, numbers(&[3..7, 5..9, 30..34]));
    assert_eq!(payload.0, numbers(&[9..11, 34..36]));
    let no_length = [Value::map([("x", 2)]), said(0), said(-1), said(i64::MAX), said(5)];
    let [_, payload] = given(BurstLayout::new(4), &[3, 10, 17, 24, 31], &[], &no_length);
    assert_eq!(payload.0, numbers(&[35..40]));
}

#[test]
fn padding_is_given_with_the_header_and_the_payload_may_begin_earlier_or_later() {
    let layout = BurstLayout { header_padding: 2, ..BurstLayout::new(4) };
    let answer = |offset: i64| Value::map([("len", 2), ("payload_offset", offset)]);
    let [header, payload] = given(layout.clone(), &[1, 4, 34], &[], &[answer(1), answer(-1)]);
    assert_eq!(header.0, numbers(&[2..10, 32..40]));
    assert_eq!(payload.0, numbers(&[9..11, 37..39]));
    let [header, payload] = given(layout, &[4, 11], &[], &[answer(3), answer(0)]);
    assert_eq!((header.0, payload.0), (numbers(&[2..10, 9..17]), numbers(&[15..17])));
}

#[test]
fn headers_begin_with_their_time_and_with_the_last_special_tags() {
    let time = |seconds: u64, fraction: f64| Value::Tuple([seconds.into(), fraction.into()].into());
    let layout = BurstLayout {
        timing: Some(("time".into(), 4.0)),
        special_tags: vec!["freq".into(), "gain".into()],
        ..BurstLayout::new(4)
    };
    let tags = [(0, "time", time(100, 0.5)), (2, "freq", 2.0.into()), (20, "gain", 9.into())];
    let [header, payload] = given(layout, &[4, 34], &tags, &[said(2), said(2)]);
    let wanted = [
        (0, "time", time(101, 0.5)),
        (0, "freq", 2.0.into()),
        (4, "time", time(109, 0.0)),
        (4, "freq", 2.0.into()),
        (4, "gain", 9.into()),
    ];
    assert_eq!(header.1, wanted.map(|(index, key, value)| (index, key.to_owned(), value)));
    assert_eq!(payload.1.len(), 2);
}

#[test]
fn what_the_end_of_the_stream_cuts_short_is_dropped_and_the_last_payload_is_not_lost() {
    let [header, payload] = given(BurstLayout::new(4), &[3, 51], &[], &[said(5), said(5)]);
    assert_eq!((header.0, payload.0), (numbers(&[3..7, 51..55]), numbers(&[7..12, 55..60])));
    let [header, payload] = given(BurstLayout::new(4), &[3, 50, 58], &[], &[said(5), said(100)]);
    assert_eq!((header.0, payload.0), (numbers(&[3..7, 50..54]), numbers(&[7..12])));
    let [header, _] = given(BurstLayout::new(4), &[3, 58], &[], &[said(5)]);
    assert_eq!(header.0, numbers(&[3..7]));
}

#[test]
fn a_thread_for_each_block_changes_nothing() {
    let layout =
        BurstLayout { trigger_tag: Some("t".into()), length_tag: "len".into(), ..BurstLayout::new(4) };
    let items: Vec<f32> = (0..9000).map(|n| n as f32).collect();
    let tags = (0..1000).map(|k| (9 * k, "t", Value::Null)).collect();
    let mut graph = Graph::new();
    let source = graph.add("source", Tagged::new(items, tags));
    let demux = graph.add("demux", HeaderPayloadDemux::<f32>::new(layout).unwrap());
    let answers = vec![said(5); 1000].into_iter();
    let parser = graph.add("parser", Parser { input: In::new().multiple(4), out: MsgOut::new(), answers });
    let sink = TagSink::<f32>::new();
    let seen = sink.seen.clone();
    let sink = graph.add("sink", sink);
    graph.connect(source.output, demux.input);
    graph.connect(demux.header, parser.input);
    graph.connect(parser.out, demux.header_data);
    graph.connect(demux.payload, sink.input);
    graph.check().unwrap().start(&Threads, &Options::default()).unwrap().wait().unwrap();
    assert_eq!(seen.lock().unwrap().1.len(), 5000);
}

#[test]
fn layouts_that_cannot_be_are_refused() {
    let bad = [
        BurstLayout::new(0),
        BurstLayout { items_per_symbol: 0, ..BurstLayout::new(1) },
        BurstLayout { header_padding: 2, items_per_symbol: 3, guard_interval: 1, ..BurstLayout::new(1) },
        BurstLayout { timing: Some(("t".into(), 0.0)), ..BurstLayout::new(1) },
        BurstLayout { items_per_symbol: 1 << 20, ..BurstLayout::new(1 << 20) },
    ];
    for layout in bad {
        assert!(HeaderPayloadDemux::<u8>::new(layout.clone()).is_err(), "{layout:?}");
    }
}
