//! A device's protocol: from the widths of a burst to what it says, and back.

use superhet_runtime::Value;

use super::check::{Check, CheckKind};
use super::coding::{Modulation, Signal};
use super::field::Field;
use super::layer::Layer;
use crate::error::Error;

/// A protocol of small devices, as a TOML file describes it; [the module](super) has the format.
///
/// ```
/// use superhet_blocks::ism::{Protocol, builtin};
/// use superhet_runtime::Value;
///
/// let nexus = builtin()?.into_iter().find(|protocol| protocol.name() == "Nexus-TH").unwrap();
/// let says = Value::map([
///     ("id", Value::from(148)),
///     ("battery_ok", 1.into()),
///     ("channel", 1.into()),
///     ("temperature_C", (-4.4).into()),
///     ("humidity", 53.into()),
/// ]);
/// let pulses_us = nexus.pulses(&nexus.encode(&says)?);
/// let frames = nexus.decode(&pulses_us);
/// assert_eq!(frames[0].fields, says);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Protocol {
    pub(super) name: String,
    pub(super) about: String,
    pub(super) tested: String,
    pub(super) signal: Signal,
    /// What stands before each frame, as it is sent.
    pub(super) preamble: Vec<u8>,
    /// Whether on and off may have changed places.
    pub(super) either: bool,
    pub(super) layers: Vec<Layer>,
    /// How many bits a frame has.
    pub(super) bits: usize,
    /// How many more bits a row may have, where no preamble says where frames begin.
    pub(super) extra: usize,
    /// So many equal frames of a burst count.
    pub(super) rows: usize,
    pub(super) checks: Vec<Check>,
    pub(super) fields: Vec<Field>,
}

/// What a device has sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// The bits, a byte of 0 or 1 each.
    pub bits: Vec<u8>,
    /// What they say, as a map.
    pub fields: Value,
    /// How often the frame was in the burst.
    pub rows: usize,
    /// Where the first begins, behind the burst's first edge, in microseconds.
    pub start_us: f64,
    /// Where it ends.
    pub end_us: f64,
}

impl Protocol {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Which devices speak it.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// What it was compared with: `recording`, or `round trip` where only frames of our own were decoded.
    pub fn tested(&self) -> &str {
        &self.tested
    }

    /// What its transmitters switch.
    pub fn modulation(&self) -> Modulation {
        self.signal.modulation
    }

    /// How many bits of a burst have to be as they are, besides the preamble: the more, the surer is a frame.
    pub fn strength(&self) -> usize {
        let checked: usize = self.checks.iter().map(Check::strength).sum();
        checked + (self.rows - 1) * self.bits
    }

    /// The kinds of its checks, in one word.
    pub fn integrity(&self) -> &'static str {
        let known = ["CRC", "DIGEST", "CHECKSUM", "PARITY", "COPY"];
        let has = |name: &&&str| self.checks.iter().any(|check| check.name() == Some(**name));
        known.iter().find(has).copied().unwrap_or("REPEATS")
    }

    /// The frames in a burst: pulse, gap, pulse, … in microseconds, of two frequencies high, low, high, …
    pub fn decode(&self, widths_us: &[f64]) -> Vec<Frame> {
        let mut found: Vec<Frame> = Vec::new();
        let rows = self.signal.rows(widths_us);
        for row in rows {
            let mut frames = self.frames(&row.bits);
            if self.either && frames.is_empty() {
                frames = self.frames(&row.bits.iter().map(|bit| bit ^ 1).collect::<Vec<u8>>());
            }
            for bits in frames {
                if let Some(same) = found.iter_mut().find(|frame| frame.bits == bits) {
                    same.rows += 1;
                } else if let Some(fields) = self.fields_of(&bits) {
                    let (start_us, end_us) = (row.start_us, row.end_us);
                    found.push(Frame { bits, fields, rows: 1, start_us, end_us });
                }
            }
        }
        found.retain(|frame| frame.rows >= self.rows);
        found
    }

    /// The bits of the frames in a row whose checks are right.
    fn frames(&self, bits: &[u8]) -> Vec<Vec<u8>> {
        let sent = self.layers.iter().fold(self.bits, |bits, layer| bits * layer.sent_for_one());
        let preamble = &self.preamble;
        if preamble.is_empty() {
            let fits = (sent..=sent + self.extra).contains(&bits.len());
            return fits.then(|| self.frame(&bits[..sent], 0)).flatten().into_iter().collect();
        }
        let mut frames = Vec::new();
        let mut at = 0;
        while at + preamble.len() + sent <= bits.len() {
            let start = at + preamble.len();
            let is_preamble = bits[at..start] == preamble[..];
            match is_preamble.then(|| self.frame(&bits[start..start + sent], preamble[preamble.len() - 1])) {
                Some(Some(frame)) => {
                    frames.push(frame);
                    at = start + sent;
                }
                _ => at += 1,
            }
        }
        frames
    }

    /// The bits behind all layers, if all checks are right.
    fn frame(&self, sent: &[u8], before: u8) -> Option<Vec<u8>> {
        let undone = |bits: Vec<u8>, layer: &Layer| layer.undone(&bits, before);
        let bits = self.layers.iter().try_fold(sent.to_vec(), undone)?;
        // What is all zeros or all ones is as likely a carrier or nothing.
        let says_something = bits.iter().any(|bit| *bit != bits[0]);
        (says_something && self.checks.iter().all(|check| check.is_right(&bits))).then_some(bits)
    }

    fn fields_of(&self, bits: &[u8]) -> Option<Value> {
        let mut fields = Vec::new();
        for field in &self.fields {
            if let Some(value) = field.value(bits).ok()? {
                fields.push((field.name.clone(), value));
            }
        }
        Some(Value::map(fields))
    }

    /// The bits of the frame that says this.
    ///
    /// # Errors
    /// [`Error::Protocol`] where a field cannot say what it should.
    pub fn encode(&self, says: &Value) -> Result<Vec<u8>, Error> {
        let mut bits = vec![0; self.bits];
        for field in &self.fields {
            let value = says.get(&field.name);
            if field.put(&mut bits, value).is_none() {
                let got = value.map_or_else(|| "nothing".to_owned(), ToString::to_string);
                let problem = format!("its field {} cannot say {got}", field.name);
                return Err(Error::Protocol { place: self.name.clone(), problem });
            }
        }
        let is_constant = |check: &&Check| matches!(check.kind, CheckKind::Constant(_));
        self.checks.iter().filter(is_constant).for_each(|check| check.fill(&mut bits));
        self.checks.iter().for_each(|check| check.fill(&mut bits));
        Ok(bits)
    }

    /// The burst that sends the bits of a frame, as often as it takes: widths in microseconds, as [`decode`](Self::decode)
    /// takes them.
    pub fn pulses(&self, bits: &[u8]) -> Vec<f64> {
        let before = self.preamble.last().copied().unwrap_or(0);
        let layered = self.layers.iter().rev().fold(bits.to_vec(), |bits, layer| layer.done(&bits, before));
        // Receivers of two frequencies find their levels in what comes before.
        let first = self.preamble.first().copied().unwrap_or(1);
        let lead = match self.signal.modulation {
            Modulation::Fsk => [first, first ^ 1].repeat(16),
            Modulation::Ook => Vec::new(),
        };
        let row = [&lead[..], &self.preamble, &layered].concat();
        let unit = self.signal.unit_us.map_or(1.0, |(from, to)| (from * to).sqrt());
        self.signal.widths(&vec![row; self.rows], unit)
    }
}
