//! Headers and payloads out of a stream of bursts.

use std::collections::BTreeMap;
use std::sync::Arc;

use superhet_runtime::catalog::{COUNT, Kind};
use superhet_runtime::{
    AnyBlock, Block, BlockError, Context, In, Item, MsgIn, Out, Step, Tag, Value, Work, clock::Moment,
    declare,
};

use crate::error::{Error, check, check_positive};
use crate::item::{ITEMS, block_of_item};

/// The most items that a header or a payload has.
const MOST_ITEMS: usize = 1 << 24;

/// How bursts look that a [`HeaderPayloadDemux`] takes apart.
///
/// ```
/// use superhet_blocks::digital::BurstLayout;
///
/// // OFDM: a header of one symbol of 64 items, each behind a prefix of 16.
/// let layout = BurstLayout { items_per_symbol: 64, guard_interval: 16, ..BurstLayout::new(1) };
/// assert_eq!(layout.period(), 80);
/// ```
#[derive(Clone, Debug)]
pub struct BurstLayout {
    /// Symbols of a header, ≥ 1.
    pub header_length: usize,
    /// Items of a symbol, ≥ 1.
    pub items_per_symbol: usize,
    /// Items before each symbol that are left out.
    pub guard_interval: usize,
    /// Items before and behind a header that are given with it: how far off a trigger may be.
    pub header_padding: usize,
    /// The key of tags that are triggers, where there is no stream of them.
    pub trigger_tag: Option<Arc<str>>,
    /// The entry of the parsed header that has the payload's length, and the key of the tag that announces it with the
    /// payload.
    pub length_tag: Arc<str>,
    /// Whether that tag counts symbols; else items.
    pub length_in_symbols: bool,
    /// The key of tags that say the time of their item, and how many items there are in a second: a header begins with such
    /// a tag then.
    pub timing: Option<(Arc<str>, f64)>,
    /// The keys of tags that are kept outside of bursts: a header begins with the last of each.
    pub special_tags: Vec<Arc<str>>,
}

impl BurstLayout {
    /// Headers of so many items without guard intervals, payloads whose tag `packet_len` counts items.
    pub fn new(header_length: usize) -> Self {
        BurstLayout {
            header_length,
            items_per_symbol: 1,
            guard_interval: 0,
            header_padding: 0,
            trigger_tag: None,
            length_tag: "packet_len".into(),
            length_in_symbols: false,
            timing: None,
            special_tags: Vec::new(),
        }
    }

    /// Items of a symbol with its guard interval.
    pub fn period(&self) -> usize {
        self.items_per_symbol + self.guard_interval
    }

    /// Items before a trigger that belong to its header.
    fn padding(&self) -> usize {
        match self.guard_interval {
            0 => self.header_padding,
            _ => self.header_padding / self.items_per_symbol * self.period(),
        }
    }

    /// How many items before a payload's end the next trigger may lie.
    fn early(&self) -> usize {
        self.guard_interval.max(1)
    }

    /// Items that are to be there for a header to be given.
    fn header_span(&self) -> usize {
        self.header_length * self.period() + 2 * self.padding()
    }

    /// Which item of the output an item becomes that lies so far behind a burst's start; one of a guard interval is taken
    /// for the first item behind it.
    fn place(&self, at: usize) -> usize {
        let (symbol, within) = (at / self.period(), at % self.period());
        symbol * self.items_per_symbol + within.saturating_sub(self.guard_interval)
    }

    /// Adds `items`, the first of which lies so far behind a burst's start, to `to`, but for guard intervals.
    fn copy<T: Item>(&self, mut at: usize, mut items: &[T], to: &mut Vec<T>) {
        while !items.is_empty() {
            let within = at % self.period();
            let end = if within < self.guard_interval { self.guard_interval } else { self.period() };
            let n = items.len().min(end - within);
            if within >= self.guard_interval {
                to.extend_from_slice(&items[..n]);
            }
            (items, at) = (&items[n..], at + n);
        }
    }

    fn check(&self) -> Result<(), Error> {
        let range = "a whole number from 1 to 16777216 in all";
        let count = |name, n: usize| check((1..=MOST_ITEMS).contains(&n), name, range, n as f64);
        count("header_length", self.header_length)?;
        count("items_per_symbol", self.items_per_symbol)?;
        check(self.guard_interval <= MOST_ITEMS, "guard_interval", range, self.guard_interval as f64)?;
        check(self.header_padding <= MOST_ITEMS, "header_padding", range, self.header_padding as f64)?;
        let span = self.header_length.saturating_mul(self.period()).saturating_add(2 * self.padding());
        count("header_length", span)?;
        let whole = self.guard_interval == 0 || self.header_padding.is_multiple_of(self.items_per_symbol);
        check(
            whole,
            "header_padding",
            "whole symbols where there are guard intervals",
            self.header_padding as f64,
        )?;
        self.timing.as_ref().map_or(Ok(()), |(_, rate)| check_positive("rate_hz", *rate))
    }
}

/// What is to be given at one of the outputs.
#[derive(Debug)]
struct Burst<T> {
    items: Vec<T>,
    /// Their indices count from the burst's first item.
    tags: Vec<Tag>,
    given: usize,
}

impl<T> Default for Burst<T> {
    fn default() -> Self {
        Burst { items: Vec::new(), tags: Vec::new(), given: 0 }
    }
}

impl<T: Item> Burst<T> {
    /// Writes what there is room for; whether all has been written.
    fn write(&mut self, output: &mut Out<T>) -> bool {
        let left = &self.items[self.given..];
        let n = output.room().min(left.len());
        output.reserve()[..n].copy_from_slice(&left[..n]);
        let first = output.index();
        let end = self.given + n;
        for tag in self.tags.extract_if(.., |tag| tag.index < end as u64) {
            output.put_tag(Tag { index: tag.index - self.given as u64 + first, ..tag });
        }
        output.produce(n);
        self.given = end;
        end == self.items.len() || output.is_closed()
    }
}

/// What the block is at.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Doing {
    /// Looks for a trigger.
    Searching,
    /// Waits for the items of the header whose trigger is this item.
    Header(u64),
    GivingHeader(u64),
    /// Waits for what the header says.
    Asking(u64),
    /// Gathers a payload that begins at an item and has so many items of input.
    Payload(u64, usize),
    GivingPayload,
}

/// Takes bursts apart: gives the header that begins at each trigger, waits for the parsed header, and gives the payload
/// after it.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | any | any |
/// | in `trigger` | `u8` | not 0 where a header begins; may stay unconnected, then tags are triggers |
/// | in `header_data` | messages | what the header says: a map, the payload's symbols alone, or `false` |
/// | out `header` | that of `in` | headers, `header_length` symbols each |
/// | out `payload` | that of `in` | payloads, each with the map's entries as tags on its first item |
///
/// Triggers in a burst do not count, but for those on the last items of a payload, as many as a guard interval has and at least
/// one: the next burst may begin a little early. Where the header was none, or what is said of it has no length, the search goes
/// on behind its trigger. The entry `payload_offset` of the map says by how many items the payload begins later, within `±header_padding`.
/// Tags go with their items, those in guard intervals with the first item behind; triggers are taken off. All else that
/// lies outside of bursts is dropped, and so is a header or payload that the stream's end cuts short.
///
/// ```
/// use superhet_blocks::digital::{BurstLayout, HeaderPayloadDemux};
///
/// assert!(HeaderPayloadDemux::<f32>::new(BurstLayout::new(32)).is_ok());
/// assert!(HeaderPayloadDemux::<f32>::new(BurstLayout::new(0)).is_err());
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
    layout: BurstLayout,
    doing: Doing,
    /// The item of the input that is looked at next.
    at: u64,
    burst: Burst<T>,
    /// What special tags and the last time say that lie before this item.
    noted: u64,
    special: BTreeMap<Arc<str>, Tag>,
    time: Option<(u64, Moment)>,
}

impl<T: Item> HeaderPayloadDemux<T> {
    /// Takes such bursts apart.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless a header has 1 to 2²⁴ items with its padding, a symbol at least one, and padding is
    /// whole symbols where there are guard intervals.
    pub fn new(layout: BurstLayout) -> Result<Self, Error> {
        layout.check()?;
        // A header that is none is looked at again.
        let batch = layout.header_span() + 2 * layout.padding() + 1;
        Ok(HeaderPayloadDemux {
            input: In::new().min(0).batch(batch),
            trigger: In::new().min(0).batch(batch).optional(),
            header_data: MsgIn::new(),
            header: Out::new().min(0),
            payload: Out::new().min(0),
            layout,
            doing: Doing::Searching,
            at: 0,
            burst: Burst::default(),
            noted: 0,
            special: BTreeMap::new(),
            time: None,
        })
    }

    /// How many items there are from the first that is still kept.
    fn available(&self) -> usize {
        let items = self.input.available();
        if self.trigger.is_connected() { items.min(self.trigger.available()) } else { items }
    }

    /// Where item `at` lies in what the input shows.
    fn offset(&self) -> usize {
        (self.at - self.input.index()) as usize
    }

    /// Notes what tags before item `end` say that is kept.
    fn note(&mut self, end: u64) {
        let (layout, from) = (&self.layout, self.noted);
        let shown = end.saturating_sub(self.input.index()) as usize;
        self.input.for_each_tag(shown, |tag| {
            if tag.index < from {
                return;
            }
            if layout.special_tags.contains(&tag.key) {
                self.special.insert(tag.key.clone(), tag.clone());
            }
            if layout.timing.as_ref().is_some_and(|(key, _)| *key == tag.key) {
                self.time = Moment::from_value(&tag.value).map(|moment| (tag.index, moment)).or(self.time);
            }
        });
        self.noted = self.noted.max(end);
    }

    /// Forgets the items before item `index`.
    fn forget(&mut self, index: u64) {
        let n = index.saturating_sub(self.input.index()) as usize;
        self.note(self.input.index() + n as u64);
        self.input.consume(n);
        if self.trigger.is_connected() {
            self.trigger.consume(n);
        }
    }

    /// The first trigger in the items that the input shows up to `n`, from `at` on.
    fn find(&self, n: usize) -> Option<u64> {
        if self.trigger.is_connected() {
            let triggers = &self.trigger.peek()[self.offset().min(n)..n];
            return triggers.iter().position(|trigger| *trigger != 0).map(|place| self.at + place as u64);
        }
        let mut found = None;
        if let Some(key) = &self.layout.trigger_tag {
            self.input.for_each_tag(n, |tag| {
                if found.is_none() && tag.index >= self.at && tag.key == *key {
                    found = Some(tag.index);
                }
            });
        }
        found
    }

    /// Looks for a trigger; whether there was anything to look at.
    fn search(&mut self) -> bool {
        let n = self.available();
        if n <= self.offset() {
            return false;
        }
        let padding = self.layout.padding() as u64;
        match self.find(n) {
            Some(trigger) => {
                self.at = trigger + 1;
                // Of a header whose padding lies before what is there, not all could be given.
                if trigger >= self.input.index() + padding {
                    self.doing = Doing::Header(trigger);
                }
            }
            None => self.at = self.input.index() + n as u64,
        }
        let end = if self.doing == Doing::Searching { self.at } else { self.at - 1 };
        self.forget(end.saturating_sub(padding));
        true
    }

    /// Takes the header that belongs to a trigger, once it is all there; whether it is.
    fn take_header(&mut self, trigger: u64) -> bool {
        let span = self.layout.header_span();
        let start = trigger - self.layout.padding() as u64;
        let from = (start - self.input.index()) as usize;
        if self.available() < from + span {
            return false;
        }
        let mut burst = Burst::default();
        let said = self.time.filter(|_| !self.has_tag_of_time(start));
        if let (Some((key, rate)), false) = (&self.layout.timing, self.has_tag_of_time(start)) {
            let (index, moment) = said.unwrap_or((0, Moment { seconds: 0, fraction: 0.0 }));
            let moment = moment.plus((start - index) as f64 / rate);
            let seconds = Value::Uint(moment.seconds.max(0) as u64);
            let value = Value::Tuple([seconds, moment.fraction.into()].into());
            burst.tags.push(Tag { index: 0, key: key.clone(), value, source: self.header.source() });
        }
        burst.tags.extend(self.special.values().map(|tag| Tag { index: 0, ..tag.clone() }));
        self.gather(start, from, span, &mut burst);
        self.burst = burst;
        self.doing = Doing::GivingHeader(trigger);
        true
    }

    /// Whether a tag of the item says its time.
    fn has_tag_of_time(&self, index: u64) -> bool {
        let Some((key, _)) = &self.layout.timing else { return false };
        let mut has = false;
        self.input.for_each_tag((index + 1 - self.input.index()) as usize, |tag| {
            has |= tag.index == index && tag.key == *key;
        });
        has
    }

    /// Adds `n` items, with their tags, of a burst that begins at item `start` of the input to what is to be given; `from`
    /// is where they lie in what the input shows.
    fn gather(&self, start: u64, from: usize, n: usize, burst: &mut Burst<T>) {
        let first = self.input.index() + from as u64;
        self.layout.copy((first - start) as usize, &self.input.peek()[from..from + n], &mut burst.items);
        self.input.for_each_tag(from + n, |tag| {
            let is_trigger = self.layout.trigger_tag.as_ref() == Some(&tag.key);
            if tag.index >= first && !is_trigger {
                let index = self.layout.place((tag.index - start) as usize) as u64;
                burst.tags.push(Tag { index, ..tag.clone() });
            }
        });
    }

    /// Takes over what was said of a header.
    fn hear(&mut self, trigger: u64, said: &Value) {
        let key = self.layout.length_tag.clone();
        let (symbols, offset) = match said {
            Value::Map(map) => {
                (map.get(&key).and_then(Value::as_u64), said.get("payload_offset").and_then(Value::as_i64))
            }
            number => (number.as_u64(), None),
        };
        let offset = offset.unwrap_or(0);
        let items = symbols.and_then(|symbols| {
            let items = symbols.checked_mul(self.layout.period() as u64)?;
            usize::try_from(items).ok().filter(|items| (1..=MOST_ITEMS).contains(items))
        });
        let in_reach = offset.unsigned_abs() <= self.layout.header_padding as u64;
        let (Some(items), Some(symbols), true) = (items, symbols, in_reach) else {
            if *said != Value::Bool(false) {
                self.payload.count_dropped_packet();
            }
            self.doing = Doing::Searching;
            return;
        };
        let source = self.payload.source();
        let length = if self.layout.length_in_symbols {
            symbols
        } else {
            symbols * self.layout.items_per_symbol as u64
        };
        let tag = |key: Arc<str>, value| Tag { index: 0, key, value, source: source.clone() };
        let length = tag(key.clone(), Value::Int(length as i64));
        let others = match said {
            Value::Map(map) => map
                .iter()
                .filter(|(name, _)| ***name != *key)
                .map(|(name, value)| tag(name.clone().into(), value.clone()))
                .collect(),
            _ => Vec::new(),
        };
        self.burst = Burst { items: Vec::new(), tags: others, given: 0 };
        self.burst.tags.push(length);
        let behind = trigger + (self.layout.header_length * self.layout.period()) as u64;
        self.at = behind.saturating_add_signed(offset);
        self.doing = Doing::Payload(self.at, items);
    }

    /// Takes what there is of a payload that begins at item `start` and has so many items of input; whether there was any.
    fn take_payload(&mut self, start: u64, items: usize) -> bool {
        let (n, from) = (self.available(), self.offset());
        let taken = (self.at - start) as usize;
        let more = n.saturating_sub(from).min(items - taken);
        let mut burst = std::mem::take(&mut self.burst);
        self.gather(start, from, more, &mut burst);
        self.burst = burst;
        self.at += more as u64;
        let early = self.layout.early();
        self.forget(self.at.saturating_sub((self.layout.padding() + early) as u64));
        if taken + more == items {
            self.at -= early.min(items) as u64;
            self.doing = Doing::GivingPayload;
        }
        more > 0
    }

    /// Whether the stream has ended, or that of triggers, and all that there was has been looked at.
    fn is_over(&self) -> bool {
        let triggers_are_over = self.trigger.is_connected() && self.trigger.is_finished();
        self.input.is_finished() || triggers_are_over
    }
}

impl<T: Item> Work for HeaderPayloadDemux<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let mut moved = false;
        let lacks = loop {
            if !matches!(self.doing, Doing::Asking(_)) {
                // What nobody asked for.
                while self.header_data.recv().is_some() {}
            }
            let given = self.burst.given;
            let went_on = match self.doing {
                Doing::Searching => self.search(),
                Doing::Header(trigger) => self.take_header(trigger),
                Doing::GivingHeader(trigger) => {
                    if !self.burst.write(&mut self.header) {
                        moved |= self.burst.given > given;
                        break Step::NeedOutput;
                    }
                    self.doing = Doing::Asking(trigger);
                    true
                }
                Doing::Asking(trigger) => {
                    let Some(said) = self.header_data.recv() else { break Step::NeedMessage };
                    self.hear(trigger, &said.into_meta());
                    true
                }
                Doing::Payload(start, items) => self.take_payload(start, items),
                Doing::GivingPayload => {
                    if !self.burst.write(&mut self.payload) {
                        moved |= self.burst.given > given;
                        break Step::NeedOutput;
                    }
                    self.doing = Doing::Searching;
                    true
                }
            };
            if !went_on {
                break if self.is_over() { Step::Done } else { Step::NeedInput };
            }
            moved = true;
        };
        Ok(match lacks {
            Step::NeedInput | Step::NeedOutput if moved => Step::Ran,
            lacks => lacks,
        })
    }

    fn finish(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        // With what is there all that can be done has been done, but for giving it and hearing of it.
        match self.doing {
            Doing::GivingHeader(_) | Doing::GivingPayload | Doing::Asking(_) => self.work(context),
            _ => Ok(Step::Done),
        }
    }
}

#[declare(
    category = "digital",
    summary = "Gives the header of each burst, and its payload once the header is parsed.",
    ports(
        input("in", "item", "any"),
        input("trigger", "u8", "not 0 where a header begins; may stay unconnected"),
        input("header_data", "messages", "what a header says: a map, a number of symbols, or false"),
        output("header", "item", "headers"),
        output("payload", "item", "payloads with length tags")
    )
)]
fn header_payload_demux(
    /// The type of the items.
    #[param(kind = ITEMS, default = "C32")]
    item: &str,
    /// How long a header is.
    #[param(formerly = "header_len", unit = "symbols", kind = COUNT)]
    header_length: usize,
    /// How long a symbol is.
    #[param(unit = "items", kind = COUNT, default = 1)]
    items_per_symbol: usize,
    /// How much is left out before each symbol.
    #[param(unit = "items", default = 0)]
    guard_interval: usize,
    /// The key of the tag on the first item of each packet that says how many items it has.
    #[param(default = "packet_len")]
    length_tag: &str,
    /// The key of tags that are triggers, without a stream of them.
    #[param(default = "")]
    trigger_tag: &str,
    /// What the length tag of a payload counts; what is said of a header counts symbols.
    #[param(kind = Kind::Choice(&["items", "symbols"]), default = "items")]
    length_unit: &str,
    /// The key of tags that say the time of their item; none if empty.
    #[param(default = "")]
    timing_tag: &str,
    /// Items in a second, for those.
    #[param(formerly = "sample_rate_hz", unit = "Hz", default = 1.0)]
    rate_hz: f64,
    /// The keys of tags that are kept outside of bursts.
    #[param(json = "[]")]
    special_tags: &Value,
    /// What is given before and behind a header with it.
    #[param(unit = "items", default = 0)]
    header_padding: usize,
) -> Result<AnyBlock, BlockError> {
    let key = |key: &str| Some(Arc::from(key)).filter(|key: &Arc<str>| !key.is_empty());
    let layout = BurstLayout {
        header_length,
        items_per_symbol,
        guard_interval,
        header_padding,
        trigger_tag: key(trigger_tag),
        length_tag: length_tag.into(),
        length_in_symbols: length_unit == "symbols",
        timing: key(timing_tag).map(|key| (key, rate_hz)),
        special_tags: keys("special_tags", special_tags)?,
    };
    Ok(block_of_item!(item, T => HeaderPayloadDemux::<T>::new(layout)?))
}

/// The texts of a list.
fn keys(parameter: &'static str, value: &Value) -> Result<Vec<Arc<str>>, Error> {
    let wrong = || Error::WrongKind { parameter, wanted: "a list of texts", got: value.to_string() };
    let list = value.as_list().ok_or_else(wrong)?;
    list.iter().map(|key| key.as_str().map(Arc::from).ok_or_else(wrong)).collect()
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init, reason = "lists of ranges, of which there may be one")]
mod tests;
