//! Packets on streams and as messages: any cut, any scheduler, the same packets; what is wrong is said where it is.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use proptest::prelude::*;
use superhet_runtime::packet::{
    Framing, FramingError, PacketBlock, PacketItems, PacketsToStream, StreamToPackets,
};
use superhet_runtime::{
    Adaptive, Block, BlockError, Context, Graph, In, MsgIn, MsgOut, Options, Out, Packet, RunError,
    Scheduler, Single, Step, Tag, Threads, Value, Work, buffer::RingFlavour,
};

/// Gives items with tags `(index, key, value)`.
#[derive(Block)]
struct Stream {
    #[port]
    out: Out<u16>,
    items: u64,
    tags: Vec<(u64, &'static str, Value)>,
}

fn stream(items: u64, tags: Vec<(u64, &'static str, Value)>) -> Stream {
    Stream { out: Out::new(), items, tags }
}

impl Work for Stream {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let first = self.out.index();
        let room = self.out.reserve();
        let n = room.len().min((self.items - first) as usize);
        room[..n].iter_mut().zip(first..).for_each(|(item, index)| *item = index as u16);
        for (index, key, value) in &self.tags {
            if (first..first + n as u64).contains(index) {
                self.out.tag((index - first) as usize, *key, value.clone());
            }
        }
        self.out.produce(n);
        Ok(if self.out.index() == self.items { Step::Done } else { Step::Ran })
    }
}

/// Sends packets.
#[derive(Block)]
struct Sender {
    #[port]
    out: MsgOut,
    packets: Vec<Value>,
}

impl Work for Sender {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        for packet in self.packets.drain(..) {
            self.out.send(packet)?;
        }
        Ok(Step::Done)
    }
}

/// Keeps the packets that come.
#[derive(Block)]
struct Keep {
    #[port]
    input: MsgIn,
    kept: Arc<Mutex<Vec<Packet<u16>>>>,
}

impl Work for Keep {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        while let Some(message) = self.input.recv() {
            self.kept.lock().unwrap().push(Packet::try_from(message)?);
        }
        Ok(Step::NeedInput)
    }
}

/// Gives the items of each packet twice, none for those of length 7, and counts.
struct Twice(u64);

impl PacketBlock for Twice {
    type In = u16;
    type Out = u16;
    fn packet(&mut self, x: Packet<u16>) -> Result<Option<Packet<u16>>, BlockError> {
        self.0 += 1;
        if x.len() == 7 {
            return Ok(None);
        }
        let mut y = x.with_meta(2 * x.len());
        y.set("count", self.0);
        y.items_mut().chunks_mut(x.len()).for_each(|half| half.copy_from_slice(x.items()));
        Ok(Some(y))
    }
}

/// Adds to each item the number of items of its packet, which it passes on where it lies.
struct AddLength;

impl PacketBlock for AddLength {
    type In = u16;
    type Out = u16;
    const ITEMS: Option<PacketItems<Self>> = Some(|_, x, y| {
        let length = x.len() as u16;
        y.iter_mut().zip(x).for_each(|(y, x)| *y = x.wrapping_add(length));
        Ok(())
    });
    fn packet(&mut self, mut x: Packet<u16>) -> Result<Option<Packet<u16>>, BlockError> {
        let length = x.len() as u16;
        x.items_mut().iter_mut().for_each(|item| *item = item.wrapping_add(length));
        Ok(Some(x))
    }
}

/// Keeps items and tags, also those beyond the last item.
#[derive(Block)]
struct KeepStream {
    #[port]
    input: In<u16>,
    kept: Arc<Mutex<(Vec<u16>, Vec<Tag>)>>,
}

impl Work for KeepStream {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let mut kept = self.kept.lock().unwrap();
        kept.0.extend(self.input.peek());
        kept.1.extend(self.input.tags());
        self.input.consume(self.input.available());
        Ok(Step::Ran)
    }
    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        self.kept.lock().unwrap().1.extend(self.input.tags());
        Ok(Step::Done)
    }
}

/// The items and tags of a stream behind two blocks that pass packets on where they lie.
fn add_lengths(
    source: Stream,
    scheduler: &dyn Scheduler,
    options: &Options,
) -> Result<(Vec<u16>, Vec<Tag>), RunError> {
    let mut graph = Graph::new();
    let source = graph.add("source", source);
    let (one, two) = (graph.add("one", AddLength.tagged("len")), graph.add("two", AddLength.tagged("len")));
    let kept = Arc::<Mutex<(Vec<u16>, Vec<Tag>)>>::default();
    let keep = graph.add("keep", KeepStream { input: In::new(), kept: kept.clone() });
    graph.connect(source.out, one.input);
    graph.connect(one.output, two.input);
    graph.connect(two.output, keep.input);
    graph.check()?.start(scheduler, options)?.wait()?;
    let kept = std::mem::take(&mut *kept.lock().unwrap());
    Ok(kept)
}

type Kept = Vec<(Vec<u16>, Option<u64>, Option<u64>)>;

/// Items, count and index of each packet that the graph keeps.
fn run(
    build: impl FnOnce(&mut Graph) -> superhet_runtime::port::MsgOutRef,
    scheduler: &dyn Scheduler,
    options: &Options,
) -> Result<Kept, RunError> {
    let mut graph = Graph::new();
    let out = build(&mut graph);
    let kept = Arc::new(Mutex::new(Vec::new()));
    let keep = graph.add("keep", Keep { input: MsgIn::new(), kept: kept.clone() });
    graph.connect(out, keep.input);
    graph.check()?.start(scheduler, options)?.wait()?;
    let number = |packet: &Packet<u16>, key| packet.get(key).and_then(Value::as_u64);
    let kept = kept.lock().unwrap();
    Ok(kept.iter().map(|p| (p.items().to_vec(), number(p, "count"), number(p, "index"))).collect())
}

fn schedulers() -> [Box<dyn Scheduler>; 3] {
    [Box::new(Single), Box::new(Threads), Box::new(Adaptive::workers(2))]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn packets_survive_any_cut_and_any_scheduler(
        lengths in prop::collection::vec(1u64..300, 0..40),
        strip in 1usize..200,
        seed in any::<u64>(),
    ) {
        let mut at = 0;
        let mut tags = Vec::new();
        let (mut expected, mut given) = (Vec::new(), 0);
        for (count, &length) in lengths.iter().enumerate() {
            tags.push((at, "len", Value::from(length)));
            let items: Vec<u16> = (at..at + length).map(|n| n as u16).collect();
            if length != 7 {
                expected.push(([&items[..], &items[..]].concat(), Some(count as u64 + 1), Some(given)));
                given += 2 * length;
            }
            at += length;
        }
        for scheduler in schedulers() {
            let build = |graph: &mut Graph| {
                let source = graph.add("source", stream(at, tags.clone()));
                let twice = graph.add("twice", Twice(0).tagged("len"));
                let packets = graph.add("packets", StreamToPackets::<u16>::new("len"));
                graph.connect(source.out, twice.input);
                graph.connect(twice.output, packets.input);
                packets.output
            };
            let options = Options { strip_items: Some(strip), seed: Some(seed), ..Options::default() };
            prop_assert_eq!(&run(build, &*scheduler, &options).unwrap(), &expected);
        }
    }

    #[test]
    fn packets_that_pass_where_they_lie_keep_every_tag_on_its_item(
        lengths in prop::collection::vec(1u64..300, 0..40),
        others in prop::collection::vec(0u64..6000, 0..20),
        strip in 1usize..400,
        seed in any::<u64>(),
    ) {
        let (mut tags, mut expected) = (Vec::new(), Vec::new());
        for &length in &lengths {
            let at = expected.len() as u64;
            tags.push((at, "len", Value::from(length)));
            expected.extend((at..at + length).map(|n| (n + 2 * length) as u16));
        }
        let items = expected.len() as u64;
        tags.extend(others.into_iter().filter(|at| *at < items).map(|at| (at, "other", Value::from(at))));
        tags.sort_by_key(|(at, ..)| *at);
        for scheduler in schedulers() {
            for strip_items in [Some(strip), None] {
                let options = Options { strip_items, seed: Some(seed), ..Options::default() };
                let kept = add_lengths(stream(items, tags.clone()), &*scheduler, &options).unwrap();
                prop_assert_eq!(&kept.0, &expected);
                let got: Vec<_> = kept.1.iter().map(|tag| (tag.index, &*tag.key, tag.value.clone())).collect();
                prop_assert_eq!(&got, &tags);
                prop_assert!(kept.1.iter().all(|tag| &*tag.source == "source"));
            }
        }
    }

    #[test]
    fn messages_become_a_stream_and_messages_again(
        lengths in prop::collection::vec(1usize..300, 0..40),
        gaps in prop::collection::vec(0u64..50, 40),
        strip in 1usize..200,
    ) {
        let mut at = 0;
        let (mut packets, mut expected) = (Vec::new(), Vec::new());
        for (&length, gap) in lengths.iter().zip(gaps) {
            let items: Vec<u16> = (0..length).map(|n| n as u16 + 1).collect();
            let mut packet = Packet::from_items(&items);
            at += gap;
            packet.set("index", at);
            packet.set("count", length);
            packets.push(packet.into());
            expected.push((items, Some(length as u64), Some(at)));
            at += length as u64;
        }
        let build = |graph: &mut Graph| {
            let source = graph.add("source", Sender { out: MsgOut::new(), packets });
            let stream = graph.add("stream", PacketsToStream::<u16>::new("len").fill_gaps());
            let packets = graph.add("packets", StreamToPackets::<u16>::new(Framing::new("len").resync()));
            graph.connect(source.out, stream.input);
            graph.connect(stream.output, packets.input);
            packets.output
        };
        let options = Options { strip_items: Some(strip), ..Options::default() };
        prop_assert_eq!(run(build, &Adaptive::workers(2), &options).unwrap(), expected);
    }
}

/// The framing error that a stream leads to.
fn error_of(items: u64, tags: Vec<(u64, &'static str, Value)>) -> String {
    let build = |graph: &mut Graph| {
        let source = graph.add("source", stream(items, tags));
        let packets = graph.add("packets", StreamToPackets::<u16>::new(Framing::new("len").most(1000)));
        graph.connect(source.out, packets.input);
        packets.output
    };
    match run(build, &Single, &Options::default()).unwrap_err() {
        RunError::Block { block, error, .. } => {
            assert_eq!(block, "packets");
            assert!(error.is::<FramingError>());
            error.to_string()
        }
        other => panic!("{other}"),
    }
}

#[test]
fn lengths_that_lie_overlap_or_never_come_are_errors_that_name_the_item() {
    let len = |index, length: i64| (index, "len", Value::from(length));
    let cases = [
        (30, vec![len(0, 10), len(10, 10)], "expected a packet at item 20, but there is no tag `len`"),
        (
            30,
            vec![len(0, 10), len(5, 10)],
            "the packet of 10 items at item 0 is not over when another begins at item 5",
        ),
        (
            30,
            vec![len(0, 40)],
            "the packet of 40 items at item 0 was cut short: the stream ended after 30 of them",
        ),
        (
            30,
            vec![len(0, -1)],
            "the packet at item 0 has the length -1: expected a whole number from 1 to 1000",
        ),
        (
            30,
            vec![len(0, 0)],
            "the packet at item 0 has the length 0: expected a whole number from 1 to 1000",
        ),
        (
            30,
            vec![len(0, 1001)],
            "the packet at item 0 has the length 1001: expected a whole number from 1 to 1000",
        ),
        (
            30,
            vec![(0, "len", "ten".into())],
            "the packet at item 0 has the length \"ten\": expected a whole number from 1 to 1000",
        ),
        (30, vec![], "expected a packet at item 0, but there is no tag `len`"),
    ];
    for (items, tags, message) in cases {
        if !message.contains("1001") && !message.contains("1000") {
            for strip_items in [Some(1), None] {
                let options = Options { strip_items, ..Options::default() };
                let error = add_lengths(stream(items, tags.clone()), &Single, &options).unwrap_err();
                assert_eq!(
                    error.to_string().split(" (").next(),
                    Some(&*format!("block one failed: {message}"))
                );
            }
        }
        assert_eq!(error_of(items, tags), message);
    }
}

#[test]
fn a_block_that_resynchronises_finds_the_next_whole_packet() {
    let len = |index, length: u64| (index, "len", Value::from(length));
    let tags = vec![len(3, 4), len(7, 10), len(12, 5), (20, "len", "x".into()), len(25, 3), len(28, 100)];
    for strip in [1, 2, 1000] {
        let build = |graph: &mut Graph| {
            let source = graph.add("source", stream(40, tags.clone()));
            let packets = graph.add("packets", StreamToPackets::<u16>::new(Framing::new("len").resync()));
            graph.connect(source.out, packets.input);
            packets.output
        };
        let options = Options { strip_items: Some(strip), ..Options::default() };
        let kept = run(build, &Single, &options).unwrap();
        let expected = [(3..7, 3), (12..17, 12), (25..28, 25)];
        let expected: Vec<_> = expected.map(|(items, at)| (items.collect(), None, Some(at))).into();
        assert_eq!(kept, expected);
    }
}

#[test]
fn a_message_that_is_no_such_packet_is_an_error_that_says_what_it_is() {
    let wrong = [Value::from(5), Packet::from_items(&[1.0f32]).into()];
    let expected = ["expected a packet, got the message 5", "expected a packet of u16, got one of f32"];
    for (message, expected) in wrong.into_iter().zip(expected) {
        let build = |graph: &mut Graph| {
            let source = graph.add("source", Sender { out: MsgOut::new(), packets: vec![message] });
            let twice = graph.add("twice", Twice(0).messages());
            graph.connect(source.out, twice.input);
            twice.output
        };
        let error = run(build, &Single, &Options::default()).unwrap_err().to_string();
        assert!(error.contains(expected) && error.contains("twice"), "{error}");
    }
}

#[test]
fn tags_inside_a_packet_stay_on_their_items() {
    struct Same;
    impl PacketBlock for Same {
        type In = u16;
        type Out = u16;
        fn packet(&mut self, x: Packet<u16>) -> Result<Option<Packet<u16>>, BlockError> {
            assert_eq!(x.tags().iter().map(|tag| tag.index).collect::<Vec<_>>(), [3]);
            assert_eq!(x.get("snr"), Some(&Value::from(9)));
            Ok(Some(x))
        }
    }
    let tags = vec![(0, "len", Value::from(5u64)), (0, "snr", Value::from(9)), (3, "peak", Value::from(1))];
    let mut graph = Graph::new();
    let source = graph.add("source", stream(5, tags));
    let same = graph.add("same", Same.tagged("len"));
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = graph.add("sink", See { input: superhet_runtime::In::new(), seen: seen.clone() });
    graph.connect(source.out, same.input);
    graph.connect(same.output, sink.input);
    graph.run().unwrap();
    let expected = [(0, "len", 5), (0, "snr", 9), (3, "peak", 1)];
    assert_eq!(*seen.lock().unwrap(), expected.map(|(index, key, value)| (index, key.to_string(), value)));
}

/// Notes the tags that come.
#[derive(Block)]
struct See {
    #[port]
    input: superhet_runtime::In<u16>,
    seen: Arc<Mutex<Vec<(u64, String, i64)>>>,
}

impl Work for See {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.input.available();
        let tags = self.input.tags();
        let entry =
            |tag: superhet_runtime::Tag| (tag.index, tag.key.to_string(), tag.value.as_i64().unwrap());
        self.seen.lock().unwrap().extend(tags.into_iter().map(entry));
        self.input.consume(n);
        Ok(if n > 0 { Step::Ran } else { Step::NeedInput })
    }
}

/// Gives one packet, and then nothing until the graph is stopped.
#[derive(Block)]
struct OnePacket {
    #[port]
    out: Out<u16>,
    #[port]
    never: MsgIn,
    items: usize,
}

impl Work for OnePacket {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.out.room().min(self.items - self.out.index() as usize);
        if self.out.index() == 0 {
            self.out.tag(0, "len", self.items);
        }
        self.out.produce(n);
        Ok(if n > 0 { Step::Ran } else { Step::NeedInput })
    }
}

#[test]
fn a_packet_longer_than_a_strip_comes_whole_also_when_none_follows() {
    for scheduler in schedulers() {
        let mut graph = Graph::new();
        let source = graph.add("source", OnePacket { out: Out::new(), never: MsgIn::new(), items: 100 });
        let twice = graph.add("twice", Twice(0).tagged("len"));
        let again = graph.add("again", Twice(0).tagged("len"));
        let packets = graph.add("packets", StreamToPackets::<u16>::new("len"));
        let kept = Arc::new(Mutex::new(Vec::new()));
        let keep = graph.add("keep", Keep { input: MsgIn::new(), kept: kept.clone() });
        graph.connect(source.out, twice.input);
        graph.connect(twice.output, again.input);
        graph.connect(again.output, packets.input);
        graph.connect(packets.output, keep.input);
        let options = Options { strip_items: Some(7), ..Options::default() };
        let running = graph.check().unwrap().start(&*scheduler, &options).unwrap();
        let start = Instant::now();
        while kept.lock().unwrap().is_empty() && start.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(1));
        }
        running.stop_within(Duration::from_secs(30)).unwrap();
        assert_eq!(kept.lock().unwrap().iter().map(|packet| packet.len()).collect::<Vec<_>>(), [400]);
    }
}

#[test]
fn packets_about_as_long_as_what_comes_at_once_keep_their_items_and_tags() {
    // A block that passes packets on where they lie asks for 16,384 such items at once.
    for length in [100, 5_000, 16_383, 16_384, 16_385, 40_000] {
        let packets = 200_000 / length;
        let len = |n| (n * length, "len", Value::from(length));
        let other = |n| (n * length + length / 2, "other", Value::from(n));
        let tags: Vec<_> = (0..packets).flat_map(|n| [len(n), other(n)]).collect();
        for scheduler in schedulers() {
            for rings in [RingFlavour::Mirrored, RingFlavour::Single] {
                let options = Options { rings, ..Options::default() };
                let source = stream(packets * length, tags.clone());
                let (items, kept) = add_lengths(source, &*scheduler, &options).unwrap();
                assert!(
                    items.iter().copied().eq((0..packets * length).map(|n| (n + 2 * length) as u16)),
                    "{length}"
                );
                let got: Vec<_> = kept.iter().map(|tag| (tag.index, &*tag.key, tag.value.clone())).collect();
                assert_eq!(got, tags, "{length}");
            }
        }
    }
}
