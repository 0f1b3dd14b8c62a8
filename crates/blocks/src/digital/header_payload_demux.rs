//! Headers and payloads of packets apart.

use std::sync::Arc;

use superhet_runtime::catalog::{Entry, Kind, input, optional, output};
use superhet_runtime::{Block, BlockError, Context, In, Item, MsgIn, Out, Step, Tag, Value, Work};

use crate::error::{Error, check};
use crate::item::{ANY_ITEM, block_of_item};
use crate::packets::LENGTH_TAG;

/// Passes the header of each packet on, waits for what it says, and then passes the payload on.
///
/// A packet begins with the item on which a tag `trigger_tag` lies, or with that which comes with a number other than 0 on the
/// port `trigger`. Its header has `header_len` symbols of `items_per_symbol` items each, before each of which
/// `guard_interval` items are dropped. Then the block waits for a message: a map, whose entry `length_tag` says how many symbols
/// the payload has, or `false`, and the header was none. All entries become tags on the payload's first item. What is in no
/// packet is dropped, with its tags.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | any | any |
/// | in `trigger` | `u8` | not 0 where a packet begins; may stay unconnected |
/// | in `header_data` | messages | a map, or `false` |
/// | out `header` | that of `in` | headers |
/// | out `payload` | that of `in` | payloads, each with the tag `length_tag` that counts its items |
///
/// # Errors
/// At run time: a message that is neither a map with a length nor `false`.
///
/// ```
/// use superhet_blocks::digital::{HeaderPayloadDemux, PacketLayout};
///
/// let layout = PacketLayout { header_len: 32, items_per_symbol: 1, guard_interval: 0 };
/// assert!(HeaderPayloadDemux::<u8>::new(layout, "packet", "packet_len").is_ok());
/// assert!(HeaderPayloadDemux::<u8>::new(PacketLayout { header_len: 0, ..layout }, "packet", "packet_len").is_err());
/// ```
#[derive(Debug, Block)]
pub struct HeaderPayloadDemux<T: Item> {
    #[port("in")]
    input: In<T>,
    #[port]
    trigger: In<u8>,
    #[port]
    header_data: MsgIn,
    #[port]
    header: Out<T>,
    #[port]
    payload: Out<T>,
    layout: PacketLayout,
    trigger_tag: Arc<str>,
    length_tag: Arc<str>,
    state: State,
}

/// How packets lie in a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketLayout {
    /// Symbols in a header.
    pub header_len: usize,
    /// Items in a symbol.
    pub items_per_symbol: usize,
    /// Items before each symbol that are dropped.
    pub guard_interval: usize,
}

#[derive(Debug)]
enum State {
    Search,
    /// How many items of the header are behind.
    Header(usize),
    Wait,
    /// How many items of the payload are behind, and how many it has, guards included.
    Payload(usize, usize),
}

/// The most items in a header or a payload.
const MOST: usize = 1 << 30;

impl<T: Item> HeaderPayloadDemux<T> {
    /// A demultiplexer for packets of this layout.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless a header has 1 to 2³⁰ items.
    pub fn new(
        layout: PacketLayout,
        trigger_tag: impl Into<Arc<str>>,
        length_tag: impl Into<Arc<str>>,
    ) -> Result<Self, Error> {
        let PacketLayout { header_len, items_per_symbol, guard_interval } = layout;
        let long = items_per_symbol.saturating_add(guard_interval).saturating_mul(header_len);
        let fits = header_len > 0 && items_per_symbol > 0 && long <= MOST;
        check(fits, "header_len", "symbols of at least one item, 1 to 2³⁰ items in all", long as f64)?;
        Ok(HeaderPayloadDemux {
            input: In::new(),
            trigger: In::new().optional(),
            header_data: MsgIn::new(),
            header: Out::new(),
            payload: Out::new(),
            layout,
            trigger_tag: trigger_tag.into(),
            length_tag: length_tag.into(),
            state: State::Search,
        })
    }

    /// Items in a symbol, with its guard.
    fn step(&self) -> usize {
        self.layout.items_per_symbol + self.layout.guard_interval
    }

    /// How many items there are to look at.
    fn available(&self) -> usize {
        let n = self.input.available();
        if self.trigger.is_connected() { n.min(self.trigger.available()) } else { n }
    }

    fn consume(&mut self, n: usize) {
        self.input.consume(n);
        if self.trigger.is_connected() {
            self.trigger.consume(n);
        }
    }

    /// Drops what comes before the next packet; whether there is one.
    fn search(&mut self) -> bool {
        let (n, first) = (self.available(), self.input.index());
        let mut found = None;
        if self.trigger.is_connected() {
            found = self.trigger.peek()[..n].iter().position(|flag| *flag != 0);
        } else {
            self.input.for_each_tag(n, |tag| {
                if tag.key == self.trigger_tag && found.is_none() {
                    found = Some((tag.index - first) as usize);
                }
            });
        }
        self.consume(found.unwrap_or(n));
        found.is_some()
    }

    /// Passes items of symbols on, without their guards, of which `behind` are behind and that end at `end`; how many were taken.
    fn pass(&mut self, behind: usize, end: usize, is_header: bool) -> usize {
        let (guard, step) = (self.layout.guard_interval, self.step());
        let n = self.available().min(end - behind);
        let output = if is_header { &mut self.header } else { &mut self.payload };
        let (from, room) = (self.input.index(), output.room());
        let x = self.input.peek();
        let mut kept = Vec::new();
        let (mut taken, mut given) = (0, 0);
        let y = output.reserve();
        while taken < n {
            let place = (behind + taken) % step;
            let run =
                if place < guard { (guard - place).min(n - taken) } else { (step - place).min(n - taken) };
            if place >= guard {
                let run = run.min(room - given);
                if run == 0 {
                    break;
                }
                y[given..given + run].copy_from_slice(&x[taken..taken + run]);
                kept.push((taken, run, given));
                (taken, given) = (taken + run, given + run);
            } else {
                taken += run;
            }
        }
        let to = output.index();
        self.input.for_each_tag(taken, |tag| {
            let at = (tag.index - from) as usize;
            // Of a guard, the tag goes to the item behind it.
            let run = kept.iter().find(|(start, run, _)| at < start + run);
            let index = run.map_or(given, |(start, _, place)| place + at.saturating_sub(*start));
            output.put_tag(Tag { index: to + index as u64, ..tag.clone() });
        });
        output.produce(given);
        self.consume(taken);
        taken
    }

    /// What is to be done after the message that a header has led to.
    fn answer(&mut self, message: &Value) -> Result<State, BlockError> {
        if *message == Value::Bool(false) {
            return Ok(State::Search);
        }
        let wrong = || {
            format!(
                "header_data: expected a map with {} of 0 or more, or false, got {message}",
                self.length_tag
            )
        };
        let symbols = message.get(&self.length_tag).and_then(Value::as_u64).ok_or_else(wrong)?;
        let items = |step: usize| {
            usize::try_from(symbols).ok().and_then(|n| n.checked_mul(step)).filter(|n| *n <= MOST)
        };
        let long = items(self.step()).ok_or_else(wrong)?;
        if long == 0 {
            return Ok(State::Search);
        }
        self.payload.tag(0, self.length_tag.clone(), symbols as usize * self.layout.items_per_symbol);
        if let Value::Map(map) = message {
            for (key, value) in map.iter().filter(|(key, _)| **key != self.length_tag) {
                self.payload.tag(0, key.clone(), value.clone());
            }
        }
        Ok(State::Payload(0, long))
    }
}

impl<T: Item> Work for HeaderPayloadDemux<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let before = self.input.index();
        let lacks = loop {
            eprintln!("HPD {:?} at {} of {}", self.state, self.input.index(), self.input.available());
            match self.state {
                State::Search => {
                    // What was said about no header means nothing.
                    while self.header_data.recv().is_some() {}
                    if !self.search() {
                        break Step::NeedInput;
                    }
                    self.state = State::Header(0);
                }
                State::Header(behind) => {
                    let long = self.layout.header_len * self.step();
                    let behind = behind + self.pass(behind, long, true);
                    self.state = State::Header(behind);
                    if behind < long {
                        break if self.available() == 0 { Step::NeedInput } else { Step::NeedOutput };
                    }
                    self.state = State::Wait;
                }
                State::Wait => {
                    let Some(message) = self.header_data.recv() else { break Step::NeedInput };
                    self.state = self.answer(&message)?;
                }
                State::Payload(behind, long) => {
                    let behind = behind + self.pass(behind, long, false);
                    self.state = State::Payload(behind, long);
                    if behind < long {
                        break if self.available() == 0 { Step::NeedInput } else { Step::NeedOutput };
                    }
                    self.state = State::Search;
                }
            }
        };
        Ok(if self.input.index() > before { Step::Ran } else { lacks })
    }
}

/// How files and the command line find [`HeaderPayloadDemux`].
pub const ENTRY: Entry = Entry {
    name: "header_payload_demux",
    category: "digital",
    summary: "Passes the header of each packet on, waits for what it says, and then passes the payload on.",
    params: &[
        ANY_ITEM,
        optional("header_len", Kind::Integer(1, 1 << 24), "symbols", "32", "How many symbols a header has."),
        optional("items_per_symbol", Kind::Integer(1, 1 << 24), "items", "1", "How many items a symbol has."),
        optional(
            "guard_interval",
            Kind::Integer(0, 1 << 24),
            "items",
            "0",
            "How many items before each symbol are dropped.",
        ),
        LENGTH_TAG,
        optional("trigger_tag", Kind::Text, "", "\"\"", "The key of the tag on the first item of a packet."),
    ],
    ports: &[
        input("in", "item", "packets, and anything between them"),
        input("trigger", "u8", "not 0 where a packet begins"),
        input("header_data", "messages", "what a header says: a map, or false"),
        output("header", "item", "headers"),
        output("payload", "item", "payloads, in a stream of packets"),
    ],
    make: |params| {
        let layout = PacketLayout {
            header_len: params.count("header_len"),
            items_per_symbol: params.count("items_per_symbol"),
            guard_interval: params.count("guard_interval"),
        };
        let (trigger_tag, length_tag) = (params.text("trigger_tag"), params.text("length_tag"));
        Ok(block_of_item!(params, T => HeaderPayloadDemux::<T>::new(layout, trigger_tag, length_tag)?))
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digital::{HeaderFields, PacketHeader, PacketHeaderParser};
    use crate::testing::{TagSink, Tagged, cuts};
    use superhet_runtime::harness::VecSource;
    use superhet_runtime::{Graph, Single};

    /// Two packets with noise between them, the second with a header that is wrong, and a third.
    fn stream() -> (Vec<u8>, Vec<usize>) {
        let header =
            |length, number| PacketHeader::new(32, 1).unwrap().write(HeaderFields { length, number });
        let mut bad = header(3, 1);
        bad[0] ^= 1;
        let (mut x, mut starts) = (vec![9; 5], Vec::new());
        for (header, payload) in
            [(header(4, 0), vec![1u8, 2, 3, 4]), (bad, vec![]), (header(2, 2), vec![5, 6])]
        {
            starts.push(x.len());
            x.extend(header);
            x.extend(payload);
            x.extend([8; 7]);
        }
        (x, starts)
    }

    #[test]
    fn payloads_come_out_with_what_their_headers_say_wherever_the_stream_is_cut() {
        let (x, starts) = stream();
        for options in cuts() {
            for by_tag in [true, false] {
                let mut graph = Graph::new();
                let layout = PacketLayout { header_len: 32, items_per_symbol: 1, guard_interval: 0 };
                graph.add("demux", HeaderPayloadDemux::<u8>::new(layout, "go", "len").unwrap());
                let header = PacketHeader::new(32, 1).unwrap();
                graph.add("parser", PacketHeaderParser::new(header, "len", "num"));
                let tags = starts.iter().map(|start| (*start as u64, "go", Value::Null)).collect();
                graph.add("source", Tagged::new(x.clone(), if by_tag { tags } else { vec![] }));
                if !by_tag {
                    let flags = (0..x.len()).map(|n| u8::from(starts.contains(&n))).collect::<Vec<_>>();
                    graph.add("flags", VecSource::new(flags));
                    graph.connect_names("flags", "demux.trigger");
                }
                let sink = TagSink::<u8>::new();
                let seen = sink.seen.clone();
                graph.add("sink", sink);
                graph.connect_names("source", "demux.in");
                graph.connect_names("demux.header", "parser.in");
                graph.connect_names("parser.header_data", "demux.header_data");
                graph.connect_names("demux.payload", "sink");
                graph.check().unwrap().start(&Single, &options).unwrap().wait().unwrap();
                let (tags, items) = std::mem::take(&mut *seen.lock().unwrap());
                assert_eq!(items, [1, 2, 3, 4, 5, 6], "by a tag: {by_tag}");
                let numbers = tags.iter().filter(|tag| &*tag.key == "num");
                let numbers: Vec<_> = numbers.map(|tag| (tag.index, tag.value.as_i64())).collect();
                assert_eq!(numbers, [(0, Some(0)), (4, Some(2))]);
            }
        }
    }

    #[test]
    fn guards_are_dropped() {
        let layout = PacketLayout { header_len: 0, items_per_symbol: 1, guard_interval: 0 };
        assert!(HeaderPayloadDemux::<u8>::new(layout, "go", "len").is_err());
        let layout = PacketLayout { header_len: 2, items_per_symbol: 3, guard_interval: 2 };
        let mut graph = Graph::new();
        graph.add("demux", HeaderPayloadDemux::<u8>::new(layout, "go", "len").unwrap());
        graph.add(
            "source",
            Tagged::new((0..30u8).collect(), vec![(4, "go", Value::Null), (10, "k", Value::Null)]),
        );
        let (header, payload) = (TagSink::<u8>::new(), TagSink::<u8>::new());
        let seen = header.seen.clone();
        graph.add("header", header);
        graph.add("payload", payload);
        graph.connect_names("source", "demux.in");
        // What is no header to it either.
        graph.add("parser", PacketHeaderParser::new(PacketHeader::new(6, 6).unwrap(), "len", "num"));
        graph.connect_names("demux.header", "header");
        graph.connect_names("demux.header", "parser.in");
        graph.connect_names("parser.header_data", "demux.header_data");
        graph.connect_names("demux.payload", "payload");
        graph.run().unwrap();
        let (tags, items) = std::mem::take(&mut *seen.lock().unwrap());
        assert_eq!(items, [6, 7, 8, 11, 12, 13]);
        assert_eq!(tags.iter().map(|tag| tag.index).collect::<Vec<_>>(), [0, 3]);
    }
}
