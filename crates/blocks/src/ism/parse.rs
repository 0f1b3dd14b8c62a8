//! Reads a protocol out of TOML.

use toml::{Table, Value};

use super::bits::{Ranges, length};
use super::check::{Check, CheckKind};
use super::coding::{Coding, Modulation, Signal};
use super::field::{Field, Form};
use super::layer::Layer;
use super::protocol::Protocol;
use crate::digital::{Crc, CrcSettings};
use crate::error::Error;

/// The longest frame, in bits.
const MOST_BITS: usize = 1024;
/// The longest width, in microseconds.
const LONGEST_US: f64 = 1e6;

/// A table that is being read: each key is taken once, and what is left is a mistake.
struct Reader {
    table: Table,
    /// What messages call it.
    place: String,
}

type Read<T> = Result<T, String>;

impl Reader {
    fn take(&mut self, key: &str) -> Option<Value> {
        self.table.remove(key)
    }

    fn wrong<T>(&self, key: &str, expected: &str) -> Read<T> {
        Err(format!("{}{key}: expected {expected}", self.place))
    }

    fn text(&mut self, key: &str) -> Read<String> {
        match self.take(key) {
            Some(Value::String(text)) => Ok(text),
            _ => self.wrong(key, "text"),
        }
    }

    fn text_or(&mut self, key: &str, default: &str) -> Read<String> {
        if self.table.contains_key(key) { self.text(key) } else { Ok(default.to_owned()) }
    }

    fn number(&mut self, key: &str) -> Read<Option<f64>> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::Integer(number)) => Ok(Some(number as f64)),
            Some(Value::Float(number)) if number.is_finite() => Ok(Some(number)),
            Some(_) => self.wrong(key, "a number"),
        }
    }

    /// A width, in microseconds or units.
    fn width(&mut self, key: &str) -> Read<Option<f64>> {
        match self.number(key)? {
            Some(width) if !(width > 0.0 && width <= LONGEST_US) => {
                self.wrong(key, "a width of more than 0 and at most 10⁶ µs")
            }
            width => Ok(width),
        }
    }

    fn needed_width(&mut self, key: &str) -> Read<f64> {
        match self.width(key)? {
            Some(width) => Ok(width),
            None => self.wrong(key, "a width in µs"),
        }
    }

    fn count(&mut self, key: &str, from: usize, to: usize) -> Read<Option<usize>> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::Integer(number)) if (from as i64..=to as i64).contains(&number) => {
                Ok(Some(number as usize))
            }
            Some(_) => self.wrong(key, &format!("a whole number from {from} to {to}")),
        }
    }

    fn unsigned(&mut self, key: &str) -> Read<Option<u64>> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::Integer(number)) if number >= 0 => Ok(Some(number as u64)),
            Some(_) => self.wrong(key, "a whole number, not negative"),
        }
    }

    fn flag(&mut self, key: &str) -> Read<bool> {
        match self.take(key) {
            None => Ok(false),
            Some(Value::Boolean(flag)) => Ok(flag),
            Some(_) => self.wrong(key, "true or false"),
        }
    }

    fn list(&mut self, key: &str) -> Read<Vec<Value>> {
        match self.take(key) {
            None => Ok(Vec::new()),
            Some(Value::Array(list)) => Ok(list),
            Some(_) => self.wrong(key, "a list"),
        }
    }

    fn widths(&mut self, key: &str) -> Read<Vec<f64>> {
        let list = self.list(key)?;
        let width = |value: &Value| value.as_float().or(value.as_integer().map(|number| number as f64));
        let widths: Option<Vec<f64>> = list.iter().map(width).collect();
        match widths.filter(|widths| widths.iter().all(|width| (0.0..=LONGEST_US).contains(width))) {
            Some(widths) => Ok(widths),
            None => self.wrong(key, "a list of widths in µs"),
        }
    }

    /// `at = 8` with `bits = 4`, or a list of both: `at = [[8, 4], [2, 2]]`, all within a frame of so many bits.
    fn ranges(&mut self, key: &str, frame: usize) -> Read<Ranges> {
        let wanted = "the first bit, with `bits`, or a list of [first bit, bits]";
        let ranges = match self.take(key) {
            Some(Value::Integer(first)) if first >= 0 => {
                vec![(first as usize, self.count("bits", 1, MOST_BITS)?.unwrap_or(1))]
            }
            Some(Value::Array(list)) => {
                let pair = |value: &Value| match value.as_array().map(Vec::as_slice) {
                    Some([Value::Integer(first), Value::Integer(count)]) if *first >= 0 && *count > 0 => {
                        Some((*first as usize, *count as usize))
                    }
                    _ => None,
                };
                match list.iter().map(pair).collect::<Option<Ranges>>() {
                    Some(ranges) if !ranges.is_empty() => ranges,
                    _ => return self.wrong(key, wanted),
                }
            }
            _ => return self.wrong(key, wanted),
        };
        let is_within = |(first, count): &(usize, usize)| first.saturating_add(*count) <= frame;
        if ranges.iter().all(is_within) {
            Ok(ranges)
        } else {
            self.wrong(key, &format!("bits of the frame's {frame}"))
        }
    }

    /// A number's place: at most 64 bits.
    fn place_of(&mut self, frame: usize) -> Read<Ranges> {
        let ranges = self.ranges("at", frame)?;
        if length(&ranges) <= 64 { Ok(ranges) } else { self.wrong("at", "at most 64 bits") }
    }

    /// That nothing is left.
    fn end(self) -> Read<()> {
        match self.table.keys().next() {
            None => Ok(()),
            Some(key) => Err(format!("{}{key}: there is no such key here", self.place)),
        }
    }

    fn one_of<T: Copy>(&mut self, key: &str, default: &str, known: &[(&str, T)]) -> Read<T> {
        let text = self.text_or(key, default)?;
        match known.iter().find(|(name, _)| *name == text) {
            Some((_, value)) => Ok(*value),
            None => {
                let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
                self.wrong(key, &format!("one of {}, not {text:?}", names.join(", ")))
            }
        }
    }
}

impl Protocol {
    /// Reads a protocol; `place` is what messages call it as long as its name is not known.
    ///
    /// # Errors
    /// [`Error::Protocol`], which says what is wrong and what was expected.
    pub fn from_toml(text: &str, place: &str) -> Result<Self, Error> {
        let failed = |place: &str, problem: String| Error::Protocol { place: place.to_owned(), problem };
        let table: Table =
            text.parse().map_err(|error: toml::de::Error| failed(place, error.message().to_owned()))?;
        let mut reader = Reader { table, place: String::new() };
        let name = reader.text("name").map_err(|problem| failed(place, problem))?;
        let place = if place.is_empty() { name.clone() } else { format!("{name} in {place}") };
        protocol(reader, name).map_err(|problem| failed(&place, problem))
    }
}

fn protocol(mut reader: Reader, name: String) -> Read<Protocol> {
    let about = reader.text_or("about", "")?;
    // Where the layout is described; for those who read the file.
    reader.text_or("source", "")?;
    let tested = reader.one_of(
        "tested",
        "no",
        &[("recording", "recording"), ("round trip", "round trip"), ("no", "no")],
    )?;
    let signal = signal(&mut reader)?;
    let Some(bits) = reader.count("bits", 1, MOST_BITS)? else {
        return reader.wrong("bits", "how many bits a frame has");
    };
    let preamble = preamble(&mut reader)?;
    let layers = layers(&mut reader)?;
    let either = reader.one_of("polarity", "normal", &[("normal", false), ("either", true)])?;
    let extra = reader.count("extra", 0, 64)?.unwrap_or(0);
    let rows = reader.count("rows", 1, 16)?.unwrap_or(1);
    let mut checks = Vec::new();
    for (place, table) in reader.list("checks")?.into_iter().enumerate() {
        checks.push(check(inner(table, format!("checks[{place}]"))?, bits)?);
    }
    let mut fields = Vec::new();
    for (place, table) in reader.list("fields")?.into_iter().enumerate() {
        fields.push(field(inner(table, format!("fields[{place}]"))?, bits)?);
    }
    reader.end()?;
    if fields.is_empty() {
        return Err("fields: expected at least one".to_owned());
    }
    let protocol = Protocol {
        name,
        about,
        tested: tested.to_owned(),
        signal,
        preamble,
        either,
        layers,
        bits,
        extra,
        rows,
        checks,
        fields,
    };
    if either && protocol.preamble.is_empty() {
        return Err("polarity: expected a preamble with it, by which it is told".to_owned());
    }
    if protocol.strength() < LEAST_STRENGTH {
        let strength = protocol.strength();
        return Err(format!(
            "checks: they hold {strength} bits, so that noise would pass: expected at least {LEAST_STRENGTH}; rows = 2 or 3 adds \
             the bits of the frame for each"
        ));
    }
    Ok(protocol)
}

/// So many bits have to be right by themselves.
const LEAST_STRENGTH: usize = 8;

fn inner(value: Value, place: String) -> Read<Reader> {
    match value {
        Value::Table(table) => Ok(Reader { table, place: format!("{place}.") }),
        _ => Err(format!("{place}: expected a table")),
    }
}

fn signal(reader: &mut Reader) -> Read<Signal> {
    let modulation =
        reader.one_of("modulation", "", &[("ook", Modulation::Ook), ("fsk", Modulation::Fsk)])?;
    let coding = reader.one_of("coding", "", &[("pwm", 0), ("ppm", 1), ("pcm", 2)])?;
    let (coding, apart) = match coding {
        0 => {
            let (zero, one) = (reader.needed_width("zero_us")?, reader.needed_width("one_us")?);
            let (gap, period) = (reader.width("gap_us")?, reader.width("period_us")?);
            if gap.is_some() == period.is_some() || period.is_some_and(|period| period <= zero.max(one)) {
                return reader.wrong("gap_us", "a width, or instead period_us, more than zero_us and one_us");
            }
            (Coding::Pwm { zero, one, gap, period }, (zero - one).abs())
        }
        1 => {
            let (zero, one) = (reader.needed_width("zero_us")?, reader.needed_width("one_us")?);
            (Coding::Ppm { zero, one, pulse: reader.needed_width("pulse_us")? }, (zero - one).abs())
        }
        _ => (Coding::Pcm { bit: reader.needed_width("bit_us")? }, f64::INFINITY),
    };
    if apart == 0.0 {
        return reader.wrong("one_us", "another width than zero_us");
    }
    let unit_us = match reader.widths("unit_us")?[..] {
        [] => None,
        [from, to] if from > 0.0 && from < to => Some((from, to)),
        _ => return reader.wrong("unit_us", "[from, to], the shortest and the longest unit"),
    };
    if unit_us.is_some() && !matches!(coding, Coding::Pwm { period: Some(_), .. }) {
        return reader
            .wrong("unit_us", "it only with coding = \"pwm\" and period_us, which is then in units");
    }
    let row_gap_us = match (reader.width("row_gap_us")?, modulation) {
        (Some(width), _) => width,
        (None, Modulation::Fsk) => f64::INFINITY,
        (None, Modulation::Ook) => return reader.wrong("row_gap_us", "a width: a longer gap ends a row"),
    };
    let tolerance_us = reader.width("tolerance_us")?.unwrap_or(0.45 * apart);
    let lead_us = reader.widths("lead_us")?;
    if !lead_us.len().is_multiple_of(2) {
        return reader.wrong("lead_us", "as many gaps as pulses");
    }
    Ok(Signal { modulation, coding, row_gap_us, unit_us, tolerance_us, lead_us })
}

/// Bits as `1010`, with spaces where they help, or `0xaa2dd4`.
fn preamble(reader: &mut Reader) -> Read<Vec<u8>> {
    let text = reader.text_or("preamble", "")?.replace(' ', "");
    let bits: Option<Vec<u8>> = match text.strip_prefix("0x") {
        Some(digits) => {
            let nibbles: Option<Vec<u32>> = digits.chars().map(|digit| digit.to_digit(16)).collect();
            nibbles.map(|nibbles| {
                nibbles.iter().flat_map(|nibble| (0..4).rev().map(move |n| (nibble >> n & 1) as u8)).collect()
            })
        }
        None => text.chars().map(|digit| digit.to_digit(2).map(|bit| bit as u8)).collect(),
    };
    match bits.filter(|bits| bits.len() <= MOST_BITS) {
        Some(bits) => Ok(bits),
        None => reader.wrong("preamble", "bits, as 1010, or hexadecimal digits, as 0xaa2dd4"),
    }
}

fn layers(reader: &mut Reader) -> Read<Vec<Layer>> {
    let names: Vec<&str> = Layer::NAMES.iter().map(|(name, _)| *name).collect();
    let mut layers = Vec::new();
    for layer in reader.list("layers")? {
        match Layer::NAMES.iter().find(|(name, _)| layer.as_str() == Some(name)) {
            Some((_, layer)) if layers.len() < 8 => layers.push(*layer),
            _ => return reader.wrong("layers", &format!("up to 8 of {}", names.join(", "))),
        }
    }
    Ok(layers)
}

fn check(mut reader: Reader, frame: usize) -> Read<Check> {
    let kinds = ["constant", "crc", "sum", "xor", "parity", "digest", "ones", "copy"];
    let known: Vec<(&str, usize)> = kinds.iter().enumerate().map(|(n, name)| (*name, n)).collect();
    let kind = reader.one_of("kind", "", &known)?;
    let at = reader.place_of(frame)?;
    let width = length(&at);
    let over = if kind == 0 { Vec::new() } else { reader.ranges("over", frame)? };
    let mut xor = reader.unsigned("xor")?.unwrap_or(0);
    let kind = match kind {
        0 => match reader.unsigned("value")? {
            Some(value) if width == 64 || value >> width == 0 => CheckKind::Constant(value),
            _ => return reader.wrong("value", &format!("a number of {width} bits")),
        },
        1 => {
            let reflected = reader.flag("reflected")?;
            let Some(polynomial) = reader.unsigned("polynomial")? else {
                return reader.wrong("polynomial", "a number, as 0x31");
            };
            let settings = CrcSettings {
                bits: width as u32,
                polynomial,
                initial: reader.unsigned("initial")?.unwrap_or(0),
                final_xor: 0,
                input_reflected: reflected,
                result_reflected: reflected,
            };
            CheckKind::Crc(Box::new(Crc::new(&settings).map_err(|error| error.to_string())?))
        }
        2 => CheckKind::Sum {
            unit: reader.count("unit", 1, 16)?.unwrap_or(8),
            plus: reader.unsigned("plus")?.unwrap_or(0),
        },
        3 => CheckKind::Xor {
            unit: reader.count("unit", 1, 64)?.unwrap_or(8),
            first: reader.unsigned("first")?.unwrap_or(0),
        },
        4 => {
            xor ^= u64::from(reader.flag("odd")?);
            CheckKind::Parity
        }
        5 => match (reader.unsigned("generator")?, reader.unsigned("key")?) {
            (Some(generator), Some(key)) => CheckKind::Digest { generator, key, bits: width },
            _ => return reader.wrong("generator", "a number, and another in key"),
        },
        6 => CheckKind::Ones,
        _ if length(&over) == width => CheckKind::Copy,
        _ => return reader.wrong("over", "as many bits as in at"),
    };
    if reader.flag("complement")? {
        xor ^= u64::MAX;
    }
    reader.end()?;
    Ok(Check { kind, over, at, xor })
}

fn field(mut reader: Reader, frame: usize) -> Read<Field> {
    let name = reader.text("name")?;
    reader.place += &format!("{name}.");
    let at = reader.place_of(frame)?;
    let forms = [
        ("unsigned", Form::Unsigned),
        ("signed", Form::Signed),
        ("bcd", Form::Bcd),
        ("hex", Form::Hex),
        ("trits", Form::Trits),
    ];
    let form = reader.one_of("form", "unsigned", &forms)?;
    let unit = match form {
        Form::Bcd => 4,
        Form::Trits => 2,
        _ => 1,
    };
    if !length(&at).is_multiple_of(unit) {
        return reader.wrong("at", &format!("a multiple of {unit} bits"));
    }
    let mut values = Vec::new();
    for value in reader.list("values")? {
        match value {
            Value::String(text) => values.push(text),
            Value::Integer(number) => values.push(number.to_string()),
            _ => return reader.wrong("values", "a list of texts or whole numbers"),
        }
    }
    let scale = reader.number("scale")?.unwrap_or(1.0);
    if scale == 0.0 {
        return reader.wrong("scale", "another number than 0");
    }
    let field = Field {
        name,
        at,
        form,
        low_first: reader.flag("low_first")?,
        invert: reader.flag("invert")?,
        sign: reader.count("sign", 0, frame - 1)?,
        scale,
        plus: reader.number("plus")?.unwrap_or(0.0),
        decimals: reader.count("decimals", 0, 9)?.unwrap_or(0) as u32,
        values,
        least: reader.number("least")?.unwrap_or(f64::NEG_INFINITY),
        most: reader.number("most")?.unwrap_or(f64::INFINITY),
        absent: reader.unsigned("absent")?,
    };
    reader.end()?;
    Ok(field)
}
