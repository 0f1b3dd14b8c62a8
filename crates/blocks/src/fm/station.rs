//! What is known of a station, from the groups of RDS that came.

use std::collections::BTreeMap;

use superhet_runtime::Value;

use super::clock::local_time;
use super::programme::{Region, application};
use super::text::text;

/// A block that came: its bits, and whether it came without errors.
pub(super) type Came = (u16, bool);

/// A group that came: the blocks A to D, B in any case.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    pub a: Option<Came>,
    pub b: Came,
    pub c: Option<Came>,
    pub d: Option<Came>,
}

impl Group {
    fn number(&self) -> u16 {
        self.b.0 >> 12
    }

    fn is_type_b(&self) -> bool {
        self.b.0 >> 11 & 1 == 1
    }

    /// Its name, as `2A`.
    pub fn name(&self) -> String {
        format!("{}{}", self.number(), if self.is_type_b() { 'B' } else { 'A' })
    }

    /// The PI code; groups of type B have it twice.
    fn pi(&self) -> Option<Came> {
        let again = self.c.filter(|_| self.is_type_b());
        match (self.a, again) {
            (Some(a), Some(c)) if a.0 == c.0 => Some((a.0, true)),
            (Some(a), _) => Some(a),
            (None, again) => again,
        }
    }

    /// Whether a block of it, and B, which says what that means, came without errors.
    fn is_sure(&self, block: Came) -> bool {
        self.b.1 && block.1
    }
}

/// A value that is believed when it came without errors, or twice.
#[derive(Clone, Copy, Debug, Default)]
struct Believed {
    value: Option<u16>,
    maybe: Option<u16>,
}

impl Believed {
    /// Takes a value; whether it is new.
    fn take(&mut self, value: u16, is_sure: bool) -> bool {
        let is_believed = is_sure || self.maybe == Some(value) || self.value == Some(value);
        self.maybe = Some(value);
        is_believed && self.value.replace(value) != Some(value)
    }
}

/// A text that comes two characters at a time.
#[derive(Clone, Debug)]
struct Text {
    pairs: Vec<Believed>,
    /// Which of them have come since one has changed.
    is_fresh: Vec<bool>,
    /// How many had come, without a gap, when it last began anew.
    before: usize,
    said: Option<String>,
}

/// Stands behind a text that is shorter than it may be.
const END_OF_TEXT: u8 = 0x0d;

impl Text {
    fn new(pairs: usize) -> Self {
        Text { pairs: vec![Believed::default(); pairs], is_fresh: vec![false; pairs], before: 0, said: None }
    }

    /// Another text begins.
    fn clear(&mut self) {
        *self = Text { said: self.said.take(), ..Text::new(self.pairs.len()) };
    }

    /// Takes two characters at a place.
    fn take(&mut self, at: usize, pair: u16, is_sure: bool) {
        let (Some(believed), true) = (self.pairs.get_mut(at), at < self.is_fresh.len()) else { return };
        // What had come since the last change has changed: another text begins.
        if believed.take(pair, is_sure) && self.is_fresh[at] {
            self.is_fresh.fill(false);
        }
        self.is_fresh[at] |= believed.value == Some(pair);
    }

    fn bytes(&self, pairs: usize) -> impl Iterator<Item = u8> {
        self.pairs[..pairs].iter().flat_map(|pair| pair.value.unwrap_or(0x2020).to_be_bytes())
    }

    /// The text, when it is whole and another one than was said before: it has `pairs` pairs, or an end before. Where neither has
    /// come, `begins` tells that it begins anew: twice the same length is the length.
    fn whole(&mut self, pairs: usize, begins: bool) -> Option<String> {
        let fresh = self.is_fresh[..pairs].iter().position(|is_fresh| !is_fresh).unwrap_or(pairs);
        let end = self.bytes(fresh).position(|byte| byte == END_OF_TEXT);
        let has_length =
            begins && fresh > 1 && fresh == self.before && !self.is_fresh[fresh..].contains(&true);
        if begins {
            self.before = fresh;
        }
        if end.is_none() && fresh < pairs && !has_length {
            return None;
        }
        let whole = text(self.bytes(fresh).take(end.unwrap_or(2 * fresh)));
        (self.said.as_ref() != Some(&whole)).then(|| self.said.insert(whole).clone())
    }
}

/// What is known of a station.
#[derive(Clone, Debug)]
pub(super) struct Station {
    region: Region,
    pi: Option<u16>,
    /// A code that another one may take the place of, and how often in a row it came.
    next_pi: Option<(u16, u32)>,
    programme: Believed,
    flags: Believed,
    decoder: [Believed; 4],
    decoder_said: Option<u16>,
    ps: Text,
    radiotext: Text,
    radiotext_flag: Believed,
    type_name: Text,
    type_name_flag: Believed,
    frequencies: Frequencies,
    country: Believed,
    language: Believed,
    item: Believed,
    applications: BTreeMap<u16, u16>,
    networks: BTreeMap<u16, Text>,
    has_tmc: bool,
}

/// A PI code counts when it came so often in a row.
const PI_COUNTS: u32 = 2;
/// The most other networks that are followed.
const MOST_NETWORKS: usize = 64;

/// Other frequencies, in tenths of MHz from 87.5 on.
#[derive(Clone, Debug, Default)]
struct Frequencies {
    left: usize,
    codes: Vec<u8>,
    said: Vec<u8>,
}

impl Frequencies {
    /// Takes two codes; the list when it is whole and another one. IEC 62106, section 6.2.1.6, method A.
    fn take(&mut self, pair: u16) -> Option<Vec<Value>> {
        let [first, second] = pair.to_be_bytes();
        if (224..=249).contains(&first) {
            (self.left, self.codes) = (usize::from(first - 224), Vec::new());
        } else if first == 250 {
            // What follows is a frequency of long or medium wave.
            return self.whole();
        } else {
            self.add(first);
        }
        self.add(second);
        self.whole()
    }

    fn add(&mut self, code: u8) {
        if (1..=204).contains(&code) && self.left > 0 {
            self.left -= 1;
            self.codes.push(code);
        }
    }

    fn whole(&mut self) -> Option<Vec<Value>> {
        if self.left > 0 || self.codes.is_empty() {
            return None;
        }
        let mut codes = std::mem::take(&mut self.codes);
        codes.sort_unstable();
        codes.dedup();
        if codes == self.said {
            return None;
        }
        let mhz = codes.iter().map(|code| Value::from((875.0 + f64::from(*code)) / 10.0)).collect();
        self.said = codes;
        Some(mhz)
    }
}

/// An entry of what is said.
type Entry = (&'static str, Value);

impl Station {
    pub fn new(region: Region) -> Self {
        Station {
            region,
            pi: None,
            next_pi: None,
            programme: Believed::default(),
            flags: Believed::default(),
            decoder: [Believed::default(); 4],
            decoder_said: None,
            ps: Text::new(4),
            radiotext: Text::new(32),
            radiotext_flag: Believed::default(),
            type_name: Text::new(4),
            type_name_flag: Believed::default(),
            frequencies: Frequencies::default(),
            country: Believed::default(),
            language: Believed::default(),
            item: Believed::default(),
            applications: BTreeMap::new(),
            networks: BTreeMap::new(),
            has_tmc: false,
        }
    }

    /// The code of the programme, when it is known.
    pub fn pi(&self) -> Option<u16> {
        self.pi
    }

    /// Takes a group; what is new with it. Before the PI code is known, nothing is said.
    pub fn take(&mut self, group: &Group) -> Vec<Entry> {
        let mut said = Vec::new();
        if let Some((pi, is_sure)) = group.pi() {
            self.take_pi(pi, is_sure, &mut said);
        }
        if self.pi.is_none() {
            return said;
        }
        let b = group.b.0;
        if self.programme.take(b >> 5 & 63, group.b.1) {
            said.push(("pty", u64::from(b >> 5 & 31).into()));
            said.push(("programme_type", self.region.programme_type(b >> 5).into()));
            said.push(("tp", (b >> 10 & 1 == 1).into()));
        }
        match (group.number(), group.is_type_b()) {
            (0, is_type_b) => self.name(group, is_type_b, &mut said),
            (1, false) => self.item(group, &mut said),
            (2, is_type_b) => self.radiotext(group, is_type_b, &mut said),
            (3, false) => self.application(group, &mut said),
            (4, false) => self.clock(group, &mut said),
            (8, false) if group.b.1 && !self.has_tmc => {
                self.has_tmc = true;
                said.push(("tmc", true.into()));
            }
            (10, false) => self.type_name(group, &mut said),
            (14, false) => self.network(group, &mut said),
            (15, true) => self.flags(group, &mut said),
            _ => {}
        }
        said
    }

    fn take_pi(&mut self, pi: u16, is_sure: bool, said: &mut Vec<Entry>) {
        if self.pi == Some(pi) {
            self.next_pi = None;
            return;
        }
        let before = self.next_pi.filter(|(next, _)| *next == pi).map_or(0, |(_, count)| count);
        // A corrected one alone says little.
        let count = before + u32::from(is_sure || before > 0);
        self.next_pi = Some((pi, count));
        if count >= PI_COUNTS {
            *self = Station::new(self.region);
            self.pi = Some(pi);
            said.extend(self.region.call_sign(pi).map(|sign| ("call_sign", sign.into())));
        }
    }

    /// Groups 0: name, flags, frequencies.
    fn name(&mut self, group: &Group, is_type_b: bool, said: &mut Vec<Entry>) {
        self.flags(group, said);
        let b = group.b.0;
        let at = usize::from(b & 3);
        self.decoder[at].take(b >> 2 & 1, group.b.1);
        if let [Some(head3), Some(head2), Some(head1), Some(head0)] = self.decoder.map(|bit| bit.value) {
            let bits = head3 << 3 | head2 << 2 | head1 << 1 | head0;
            if self.decoder_said.replace(bits) != Some(bits) {
                said.push(("stereo", (head0 == 1).into()));
                said.push(("dynamic_pty", (head3 == 1).into()));
            }
        }
        if let Some(c) = group.c.filter(|c| !is_type_b && group.is_sure(*c)) {
            let list = self.frequencies.take(c.0);
            said.extend(list.map(|list| ("alternative_frequencies_mhz", list.into())));
        }
        if let Some(d) = group.d {
            self.ps.take(at, d.0, group.is_sure(d));
            said.extend(self.ps.whole(4, false).map(|ps| ("ps", ps.into())));
        }
    }

    /// Announcements and music, of groups 0 and 15B.
    fn flags(&mut self, group: &Group, said: &mut Vec<Entry>) {
        let before = self.flags.value;
        let flags = group.b.0 >> 3 & 3;
        if self.flags.take(flags, group.b.1) {
            let is_new = |bit: u16| before.is_none_or(|before| (before ^ flags) >> bit & 1 == 1);
            said.extend(is_new(1).then(|| ("ta", (flags >> 1 == 1).into())));
            said.extend(is_new(0).then(|| ("music", (flags & 1 == 1).into())));
        }
    }

    /// Groups 1A: country, language, programme item.
    fn item(&mut self, group: &Group, said: &mut Vec<Entry>) {
        if let Some(c) = group.c {
            let (variant, value) = (c.0 >> 12 & 7, c.0 & 0xff);
            if variant == 0 && value != 0 && self.country.take(value, group.is_sure(c)) {
                said.push(("extended_country_code", format!("{value:02X}").into()));
            }
            if variant == 3 && self.language.take(value, group.is_sure(c)) {
                said.push(("language_code", u64::from(value).into()));
            }
        }
        let Some(d) = group.d else { return };
        let (day, hour, minute) = (d.0 >> 11, d.0 >> 6 & 31, d.0 & 63);
        let is_item = day > 0 && hour < 24 && minute < 60;
        if is_item && self.item.take(d.0, group.is_sure(d)) {
            said.push(("programme_item", format!("day {day}, {hour:02}:{minute:02}").into()));
        }
    }

    fn radiotext(&mut self, group: &Group, is_type_b: bool, said: &mut Vec<Entry>) {
        let b = group.b.0;
        if self.radiotext_flag.take(b >> 4 & 1, group.b.1) {
            self.radiotext.clear();
        }
        let at = usize::from(b & 15);
        let pairs = if is_type_b { 16 } else { 32 };
        // What was there is whole when another pass begins.
        if at == 0 {
            said.extend(self.radiotext.whole(pairs, true).map(|text| ("radiotext", text.into())));
        }
        let places =
            if is_type_b { [(at, group.d), (at, None)] } else { [(2 * at, group.c), (2 * at + 1, group.d)] };
        for (place, block) in places {
            if let Some(block) = block {
                self.radiotext.take(place, block.0, group.is_sure(block));
            }
        }
        said.extend(self.radiotext.whole(pairs, false).map(|text| ("radiotext", text.into())));
    }

    /// Groups 3A: which groups carry what else.
    fn application(&mut self, group: &Group, said: &mut Vec<Entry>) {
        let Some(aid) = group.d.filter(|d| group.is_sure(*d) && d.0 != 0) else { return };
        let (code, aid) = (group.b.0 & 31, aid.0);
        if self.applications.insert(code, aid) == Some(aid) {
            return;
        }
        let carried = format!("{}{}", code >> 1, if code & 1 == 1 { 'B' } else { 'A' });
        let mut entries = vec![("group", Value::from(carried)), ("aid", format!("{aid:04X}").into())];
        entries.extend(application(aid).map(|name| ("name", name.into())));
        said.push(("application", Value::map(entries)));
    }

    fn clock(&mut self, group: &Group, said: &mut Vec<Entry>) {
        let (Some(c), Some(d)) = (group.c, group.d) else { return };
        if group.is_sure(c) && group.is_sure(d) {
            let time = local_time([group.b.0, c.0, d.0]);
            said.extend(time.map(|time| ("clock", time.into())));
        }
    }

    /// Groups 10A: a name for the programme type.
    fn type_name(&mut self, group: &Group, said: &mut Vec<Entry>) {
        let b = group.b.0;
        if self.type_name_flag.take(b >> 4 & 1, group.b.1) {
            self.type_name.clear();
        }
        let at = 2 * usize::from(b & 1);
        for (place, block) in [(at, group.c), (at + 1, group.d)] {
            if let Some(block) = block {
                self.type_name.take(place, block.0, group.is_sure(block));
            }
        }
        let name = self.type_name.whole(4, false);
        said.extend(name.map(|name| ("programme_type_name", name.into())));
    }

    /// Groups 14A: the names of other networks.
    fn network(&mut self, group: &Group, said: &mut Vec<Entry>) {
        let (Some(c), Some(d)) = (group.c, group.d) else { return };
        let variant = usize::from(group.b.0 & 15);
        if variant > 3
            || !group.is_sure(d)
            || self.networks.len() == MOST_NETWORKS && !self.networks.contains_key(&d.0)
        {
            return;
        }
        let ps = self.networks.entry(d.0).or_insert_with(|| Text::new(4));
        ps.take(variant, c.0, group.is_sure(c));
        if let Some(ps) = ps.whole(4, false) {
            let entries = [("pi", Value::from(format!("{:04X}", d.0))), ("ps", ps.into())];
            said.push(("other_network", Value::map(entries)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn came(bits: u16) -> Came {
        (bits, true)
    }

    fn group(b: u16, c: u16, d: u16) -> Group {
        Group { a: Some(came(0xd3c1)), b: came(b), c: Some(came(c)), d: Some(came(d)) }
    }

    fn pair(text: &[u8; 2]) -> u16 {
        u16::from_be_bytes(*text)
    }

    /// What is said of one key.
    fn said(station: &mut Station, groups: &[Group], key: &str) -> Vec<Value> {
        let said = groups.iter().flat_map(|group| station.take(group));
        said.filter(|(said, _)| *said == key).map(|(_, value)| value).collect()
    }

    fn station() -> Station {
        let mut station = Station::new(Region::Europe);
        station.take(&group(0xf000, 0, 0));
        station.take(&group(0xf000, 0, 0));
        assert_eq!(station.pi(), Some(0xd3c1));
        station
    }

    fn name(ps: &[u8; 8]) -> [Group; 4] {
        std::array::from_fn(|n| group(n as u16, 0xe0cd, pair(&[ps[2 * n], ps[2 * n + 1]])))
    }

    #[test]
    fn a_name_is_said_once_it_is_whole_and_never_mixed_with_another() {
        let mut station = station();
        let (one, two) = (name(b"RADIO 1 "), name(b"NEWS NOW"));
        assert_eq!(said(&mut station, &[&one[..], &one, &one].concat(), "ps"), [Value::from("RADIO 1")]);
        // The second begins in the middle.
        assert_eq!(said(&mut station, &[&two[2..], &two[..2]].concat(), "ps"), [Value::from("NEWS NOW")]);
        assert_eq!(said(&mut station, &[&one[..2], &two[..]].concat(), "ps"), Vec::<Value>::new());
    }

    #[test]
    fn a_corrected_pair_is_believed_when_it_comes_again() {
        let mut station = station();
        let corrected =
            name(b"RADIO 1 ").map(|group| Group { d: group.d.map(|(bits, _)| (bits, false)), ..group });
        assert_eq!(said(&mut station, &corrected, "ps"), Vec::<Value>::new());
        let mut other = corrected;
        other[1].d = Some((0x1234, false));
        assert_eq!(said(&mut station, &other, "ps"), Vec::<Value>::new());
        assert_eq!(
            said(&mut station, &corrected, "ps").len() + said(&mut station, &corrected, "ps").len(),
            1
        );
    }

    #[test]
    fn a_text_ends_at_its_end_or_where_it_begins_anew_twice() {
        let mut station = station();
        let text = |bytes: &[u8], flag: u16| -> Vec<Group> {
            let parts = bytes.chunks_exact(4).enumerate();
            parts
                .map(|(n, part)| {
                    group(
                        2 << 12 | flag << 4 | n as u16,
                        pair(&[part[0], part[1]]),
                        pair(&[part[2], part[3]]),
                    )
                })
                .collect()
        };
        let short = text(b"HELLO\r  ", 0);
        assert_eq!(said(&mut station, &short, "radiotext"), [Value::from("HELLO")]);
        let endless = text(b"NO END  ", 1);
        assert_eq!(said(&mut station, &[&endless[..], &endless].concat(), "radiotext"), Vec::<Value>::new());
        assert_eq!(said(&mut station, &endless, "radiotext"), [Value::from("NO END")]);
        let long = text(&[b'x'; 64], 0);
        assert_eq!(said(&mut station, &long, "radiotext"), [Value::from("x".repeat(64))]);
    }

    #[test]
    fn another_station_takes_two_codes_and_begins_anew() {
        let mut station = station();
        said(&mut station, &name(b"RADIO 1 "), "ps");
        let of = |pi: u16, is_sure: bool| Group { a: Some((pi, is_sure)), ..group(0xf000, 0, 0) };
        for (pi, is_sure, wanted) in
            [(0x1111, true, 0xd3c1), (0x2222, true, 0xd3c1), (0x2222, false, 0x2222), (0xd3c1, false, 0x2222)]
        {
            station.take(&of(pi, is_sure));
            assert_eq!(station.pi(), Some(wanted), "{pi:x}");
        }
        assert!(station.ps.said.is_none());
    }

    #[test]
    fn frequencies_other_networks_and_applications_are_said() {
        let mut station = station();
        let list = [group(0, 0xe301, 0), group(1, 0x05cc, 0)];
        let wanted: Value = vec![Value::from(87.6), 88.0.into(), 107.9.into()].into();
        assert_eq!(said(&mut station, &[list, list].concat(), "alternative_frequencies_mhz"), [wanted]);
        let other = |n: u16, text: &[u8; 2]| group(14 << 12 | n, pair(text), 0xabcd);
        let network = [other(0, b"OT"), other(1, b"HE"), other(2, b"R "), other(3, b"  ")];
        let got = said(&mut station, &network, "other_network");
        assert_eq!(got[0].to_string(), r#"{"pi":"ABCD","ps":"OTHER"}"#);
        let got = said(&mut station, &[group(0x3016, 0, 0x4bd7)], "application");
        assert_eq!(got[0].to_string(), r#"{"aid":"4BD7","group":"11A","name":"RadioText Plus"}"#);
        let got = said(&mut station, &[group(0x1000, 0x00e0, 25 << 11 | 18 << 6 | 30)], "programme_item");
        assert_eq!(got, [Value::from("day 25, 18:30")]);
    }

    #[test]
    fn any_bits_can_be_taken() {
        let mut station = station();
        let mut random = crate::sources::random::Random::new(5);
        for _ in 0..50_000 {
            let bits = random.bits();
            let block = |n: u32| {
                (bits >> (50 + n) & 1 == 1).then_some(((random_part(bits, n)), bits >> (55 + n) & 1 == 1))
            };
            let b = (random_part(bits, 1), bits >> 60 & 1 == 1);
            station.take(&Group { a: block(0), b, c: block(2), d: block(3) });
        }
        assert!(station.networks.len() <= MOST_NETWORKS);
    }

    fn random_part(bits: u64, n: u32) -> u16 {
        (bits.rotate_left(13 * n) & 0xffff) as u16
    }
}
