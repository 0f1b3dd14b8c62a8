//! Packets between tags of a stream.

use std::sync::Arc;

use superhet_runtime::clock::{Moment, StreamClock};
use superhet_runtime::{
    AnyBlock, Block, BlockError, C64, Context, In, Item, MsgOut, Packet, Step, Tag, Value, Work, declare,
    message::MessageType,
};

use super::PACKET_LENGTH;
use crate::error::{Error, check, check_to_one};
use crate::item::{FromNumber, from_numbers};

/// What packets [`TagsToPdu`] makes.
#[derive(Clone, Debug, PartialEq)]
pub struct BetweenTags {
    /// The key of the tag on a packet's first item.
    pub start: Arc<str>,
    /// The key of the tag behind a packet's last item.
    pub end: Arc<str>,
    /// A packet ends with so many items at the latest, 1 to 2²⁴, the prepended ones included.
    pub most: usize,
    /// Zeros follow, past `most` as well, until a packet has `offset` items more than a multiple of this, 1 to 2²⁴.
    pub alignment: usize,
    /// See `alignment`; less than it.
    pub offset: usize,
    /// Items a second, > 0: `rx_time` counts with it as long as no tag `rx_rate` says another.
    pub rate_hz: f64,
    /// The time of the stream's first item, in seconds, as long as no tag `rx_time` says another.
    pub start_time: f64,
    /// Whether the metadata have the entry `index`.
    pub index: bool,
}

impl BetweenTags {
    /// Packets from the tags `start` up to the tags `end`, of at most 2²⁰ items; one item a second.
    pub fn new(start: impl Into<Arc<str>>, end: impl Into<Arc<str>>) -> Self {
        let (start, end) = (start.into(), end.into());
        BetweenTags {
            start,
            end,
            most: 1 << 20,
            alignment: 1,
            offset: 0,
            rate_hz: 1.0,
            start_time: 0.0,
            index: true,
        }
    }

    /// What is known of the stream's first item, where the settings are right for packets that begin with so many items.
    fn begin(&self, prepended: usize) -> Result<StreamClock, Error> {
        self.check()?;
        check(prepended < self.most, "prepend", "fewer items than max_length", prepended as f64)?;
        let mut clock = StreamClock::new();
        clock.note(&said(0, "rx_rate", self.rate_hz));
        clock.note(&said(0, "rx_time", self.start_time));
        Ok(clock)
    }

    fn check(&self) -> Result<(), Error> {
        check_to_one("max_length", self.most)?;
        check_to_one("eob_alignment", self.alignment)?;
        let fits = self.offset < self.alignment;
        check(fits, "eob_offset", "a whole number less than eob_alignment", self.offset as f64)?;
        let is_rate = self.rate_hz > 0.0 && self.rate_hz.is_finite();
        check(is_rate, "rate_hz", "a number > 0", self.rate_hz)?;
        check(self.start_time.is_finite(), "start_time", "a finite number", self.start_time)
    }
}

/// Sends the items from each start tag up to an end tag as a packet.
///
/// A start tag in a packet drops what there is of it, and begins another: the first time with a warning. An end tag at the very
/// item of the start tag is none. A packet that the stream's end cuts off is dropped. The metadata of packets:
///
/// | entry | value |
/// |---|---|
/// | `index` | of the packet's first item in the stream, unless it is to be left out |
/// | `pdu_num` | how many start tags came before |
/// | `rx_time` | the time of its first item: a tuple of seconds and their fraction, by the tags `rx_time` and `rx_rate` as a [`StreamClock`] tells it |
/// | `sample_rate` | items a second |
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | any | any |
/// | out `out` | packets of the same | that of `in` |
/// | out `detects` | the index of each start tag's item | may stay unconnected |
///
/// ```
/// use superhet_blocks::{packets::{BetweenTags, TagsToPdu}, sinks::{Lines, MessageDebug}, sources::VectorSource, tags::TagAdder};
/// use superhet_runtime::Graph;
///
/// let (lines, text) = Lines::memory();
/// let mut graph = Graph::new();
/// let source = graph.add("source", VectorSource::new((0..9u8).collect(), false)?);
/// let tags = graph.add("tags", TagAdder::<u8>::new().tag(2, "burst", true).tag(5, "over", true));
/// let packets = graph.add("packets", TagsToPdu::<u8>::new(BetweenTags::new("burst", "over"), &[])?);
/// let print = graph.add("print", MessageDebug::new(lines, None));
/// graph.connect(source.output, tags.input);
/// graph.connect(tags.output, packets.input);
/// graph.connect(packets.output, print.input);
/// graph.run()?;
/// assert!(text.take().contains("{\"hex\":\"020304\"}"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct TagsToPdu<T: Item> {
    #[port("in")]
    input: In<T>,
    #[port("out")]
    output: MsgOut,
    #[port]
    detects: MsgOut,
    settings: BetweenTags,
    prepend: Vec<T>,
    clock: StreamClock,
    /// The packet that has begun: where, and its items so far.
    begun: Option<u64>,
    items: Vec<T>,
    /// Start tags so far.
    starts: u64,
    has_dropped: bool,
}

impl<T: Item> TagsToPdu<T> {
    /// Makes packets, each of which begins with the items of `prepend`.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where a number of `settings` is, or where the longest packet has no room for `prepend` and an item.
    pub fn new(settings: BetweenTags, prepend: &[T]) -> Result<Self, Error> {
        let clock = settings.begin(prepend.len())?;
        Ok(TagsToPdu {
            input: In::new(),
            output: MsgOut::new().sends(MessageType::packets_of::<T>()),
            detects: MsgOut::new(),
            settings,
            prepend: prepend.to_vec(),
            clock,
            begun: None,
            items: Vec::new(),
            starts: 0,
            has_dropped: false,
        })
    }

    fn take_tag(&mut self, tag: &Tag) -> Result<(), BlockError> {
        self.clock.note(tag);
        if tag.key == self.settings.end && self.begun.is_some_and(|first| first < tag.index) {
            self.send()?;
        }
        if tag.key == self.settings.start {
            if self.begun.is_some() && !std::mem::replace(&mut self.has_dropped, true) {
                tracing::warn!(
                    "a packet was dropped, the first of its block: it began a second time at item {}",
                    tag.index
                );
            }
            (self.begun, self.starts) = (Some(tag.index), self.starts + 1);
            self.items.clear();
            self.items.extend_from_slice(&self.prepend);
            if self.detects.is_connected() {
                self.detects.send(tag.index)?;
            }
        }
        Ok(())
    }

    /// Takes items, as far as they are of a packet.
    fn take_items(&mut self, from: usize, n: usize) -> Result<(), BlockError> {
        if self.begun.is_none() {
            return Ok(());
        }
        let taken = n.min(self.settings.most - self.items.len());
        self.items.extend_from_slice(&self.input.rest()[from..from + taken]);
        if self.items.len() == self.settings.most { self.send() } else { Ok(()) }
    }

    /// Sends the packet.
    fn send(&mut self) -> Result<(), BlockError> {
        let Some(first) = self.begun.take() else { return Ok(()) };
        let BetweenTags { alignment, offset, .. } = self.settings;
        let lacks = (offset + alignment - self.items.len() % alignment) % alignment;
        self.items.resize(self.items.len() + lacks, T::zeroed());
        let mut packet = Packet::from_items(&self.items);
        if self.settings.index {
            packet.set("index", first);
        }
        packet.set("pdu_num", self.starts - 1);
        if let Some(Moment { seconds, fraction }) = self.clock.time_of(first) {
            let seconds = u64::try_from(seconds).map_or(Value::from(seconds), Value::Uint);
            packet.set("rx_time", Value::Tuple([seconds, fraction.into()].into()));
        }
        if let Some(rate_hz) = self.clock.rate_hz() {
            packet.set("sample_rate", rate_hz);
        }
        Ok(self.output.send(packet)?)
    }
}

/// A tag that says something of an item.
fn said(index: u64, key: &str, value: f64) -> Tag {
    Tag { index, key: key.into(), value: value.into(), source: "".into() }
}

impl<T: Item> Work for TagsToPdu<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let (n, first) = (self.input.available(), self.input.index());
        let mut at = 0;
        for tag in self.input.tags() {
            let place = (tag.index - first) as usize;
            self.take_items(at, place - at)?;
            at = place;
            self.take_tag(&tag)?;
        }
        self.take_items(at, n - at)?;
        self.input.consume(n);
        Ok(if n > 0 { Step::Ran } else { Step::NeedInput })
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        // An end tag may lie beyond the last item.
        for tag in self.input.tags() {
            self.take_tag(&tag)?;
        }
        Ok(Step::Done)
    }
}

#[declare(
    category = "packets",
    summary = "Sends the items between tags as packets.",
    items(any),
    ports(
        input("in", "item", "x"),
        output("out", "messages", "packets of x"),
        output("detects", "messages", "the index of each start tag; may stay unconnected")
    )
)]
fn tags_to_pdu<T: FromNumber>(
    /// The key of the tag on a packet's first item.
    #[param(default = "SOB")]
    start_tag: &str,
    /// The key of the tag behind a packet's last item.
    #[param(default = "EOB")]
    end_tag: &str,
    /// A packet ends here at the latest.
    #[param(formerly = "max_pdu_size", unit = "items", kind = PACKET_LENGTH, default = 1048576)]
    max_length: usize,
    /// For rx_time, where no tag says it.
    #[param(unit = "items/s", range = 0.0..=f64::MAX, default = 1.0)]
    rate_hz: f64,
    /// Items that each packet begins with; complex ones as [re, im].
    #[param(json = "[]")]
    prepend: Vec<C64>,
    /// Zeros follow up to a multiple of this and eob_offset.
    #[param(unit = "items", range = 1.., default = 1)]
    eob_alignment: usize,
    /// See eob_alignment; less than it.
    #[param(unit = "items", default = 0)]
    eob_offset: usize,
    /// The time of the first item, where no tag says it.
    #[param(unit = "s", default = 0.0)]
    start_time: f64,
    /// Whether the metadata have the entry index.
    #[param(default = true)]
    index: bool,
) -> Result<AnyBlock, BlockError> {
    let settings = BetweenTags {
        start: start_tag.into(),
        end: end_tag.into(),
        most: max_length,
        alignment: eob_alignment,
        offset: eob_offset,
        rate_hz,
        start_time,
        index,
    };
    let numbers = prepend;
    Ok(AnyBlock::new(TagsToPdu::<T>::new(settings, &from_numbers("prepend", &numbers)?)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Tagged, cuts};
    use std::sync::Mutex;
    use superhet_runtime::{Graph, MsgIn, Single, packet::AnyPacket};

    /// Keeps the packets that come.
    #[derive(Block)]
    struct Keep {
        #[port("in")]
        input: MsgIn,
        kept: Arc<Mutex<Vec<Value>>>,
    }

    impl Work for Keep {
        fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            while let Some(message) = self.input.recv() {
                self.kept.lock().unwrap().push(message);
            }
            Ok(Step::NeedInput)
        }
    }

    /// A packet's first item, its number, its time and its items.
    type Sent = (u64, u64, f64, Vec<u8>);

    /// The items 0 to 99 with these tags in packets, and the detections.
    fn run(
        settings: &BetweenTags,
        prepend: &[u8],
        tags: &[(u64, &'static str)],
        more: Vec<(u64, &'static str, Value)>,
    ) -> (Vec<Sent>, Vec<Value>) {
        let mut tags: Vec<_> =
            tags.iter().map(|&(at, key)| (at, key, Value::from(true))).chain(more).collect();
        tags.sort_by_key(|(at, ..)| *at);
        let mut seen: Option<(Vec<Value>, Vec<Value>)> = None;
        for options in cuts() {
            let mut graph = Graph::new();
            graph.add("source", Tagged::new((0..100u8).collect(), tags.clone()));
            graph.add("packets", TagsToPdu::<u8>::new(settings.clone(), prepend).unwrap());
            let kept = [Arc::default(), Arc::default()];
            graph.add("keep", Keep { input: MsgIn::new(), kept: Arc::clone(&kept[0]) });
            graph.add("detected", Keep { input: MsgIn::new(), kept: Arc::clone(&kept[1]) });
            graph.connect_names("source", "packets");
            graph.connect_names("packets.out", "keep");
            graph.connect_names("packets.detects", "detected");
            graph.check().unwrap().start(&Single, &options).unwrap().wait().unwrap();
            let [packets, detected] = kept.map(|kept| std::mem::take(&mut *kept.lock().unwrap()));
            let now = (packets, detected);
            assert_eq!(seen.get_or_insert_with(|| now.clone()), &now, "{options:?}");
        }
        let (packets, detected) = seen.unwrap();
        let packets = packets.into_iter().map(|message| {
            let packet = AnyPacket::try_from(message).unwrap().of::<u8>().unwrap();
            let number = |key| packet.get(key).and_then(Value::as_u64).unwrap();
            let time = Moment::from_value(packet.get("rx_time").unwrap()).unwrap();
            let time = time.seconds as f64 + time.fraction;
            (number("index"), number("pdu_num"), time, packet.items().to_vec())
        });
        (packets.collect(), detected)
    }

    fn between() -> BetweenTags {
        BetweenTags { rate_hz: 10.0, ..BetweenTags::new("SOB", "EOB") }
    }

    #[test]
    fn packets_are_those_of_gnu_radio_wherever_the_stream_is_cut() {
        let (s, e) = ("SOB", "EOB");
        let items = |from: u8, to: u8| (from..to).collect::<Vec<_>>();
        let (packets, detected) = run(&between(), &[], &[(5, e), (10, s), (15, e), (20, s), (22, e)], vec![]);
        assert_eq!(packets, [(10, 0, 1.0, items(10, 15)), (20, 1, 2.0, items(20, 22))]);
        assert_eq!(detected, [Value::Uint(10), Value::Uint(20)]);
        let (packets, _) = run(&between(), &[], &[(10, s), (12, s), (15, e)], vec![]);
        assert_eq!(packets, [(12, 1, 1.2, items(12, 15))]);
        let (packets, _) = run(&between(), &[], &[(10, s), (10, e), (15, e), (90, s)], vec![]);
        assert_eq!(packets, [(10, 0, 1.0, items(10, 15))]);
        let short = BetweenTags { most: 4, ..between() };
        let (packets, _) = run(&short, &[77, 78], &[(10, s), (15, e)], vec![]);
        assert_eq!(packets, [(10, 0, 1.0, vec![77, 78, 10, 11])]);
    }

    #[test]
    fn zeros_fill_a_packet_up_to_where_it_may_end() {
        for (alignment, offset, prepend, zeros) in [(4, 0, &[][..], 3), (4, 1, &[], 0), (4, 0, &[7, 7], 1)] {
            let settings = BetweenTags { alignment, offset, most: 7, ..between() };
            let (packets, _) = run(&settings, prepend, &[(10, "SOB"), (15, "EOB")], vec![]);
            let wanted = [prepend, &[10, 11, 12, 13, 14], &vec![0; zeros]].concat();
            assert_eq!(packets, [(10, 0, 1.0, wanted)]);
        }
    }

    #[test]
    fn times_are_those_that_tags_say() {
        let tags = [(10, "SOB"), (15, "EOB")];
        let later = BetweenTags { start_time: 3.5, ..between() };
        assert_eq!(run(&later, &[], &tags, vec![]).0[0].2, 4.5);
        let time = Value::Tuple([Value::Uint(100), 0.25.into()].into());
        assert_eq!(run(&between(), &[], &tags, vec![(0, "rx_time", time.clone())]).0[0].2, 101.25);
        let said = vec![(0, "rx_rate", Value::from(20.0)), (0, "rx_time", time)];
        assert_eq!(run(&between(), &[], &tags, said).0[0].2, 100.75);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        for wrong in [
            BetweenTags { most: 0, ..between() },
            BetweenTags { alignment: 4, offset: 4, ..between() },
            BetweenTags { rate_hz: 0.0, ..between() },
            BetweenTags { start_time: f64::NAN, ..between() },
        ] {
            assert!(TagsToPdu::<u8>::new(wrong, &[]).is_err());
        }
        let error = TagsToPdu::new(BetweenTags { most: 2, ..between() }, &[1u8, 2]).unwrap_err();
        assert!(error.to_string().contains("prepend = 2: expected fewer items than max_length"), "{error}");
    }
}
