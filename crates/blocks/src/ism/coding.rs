//! How bits are pulses and gaps, and back.

/// How the bits of a protocol are keyed.
#[derive(Clone, Debug)]
pub(super) struct Signal {
    pub modulation: Modulation,
    pub coding: Coding,
    /// A gap that is longer ends a row of bits.
    pub row_gap_us: f64,
    /// Where the widths are in units that a transmitter is free to choose: from, to.
    pub unit_us: Option<(f64, f64)>,
    /// So far may a width be off, of PWM and PPM.
    pub tolerance_us: f64,
    /// What stands before the bits of each row: pulse, gap, pulse, …, gap.
    pub lead_us: Vec<f64>,
}

/// What is switched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modulation {
    /// The carrier, on and off.
    Ook,
    /// Its frequency.
    Fsk,
}

/// How bits are widths, in microseconds or units.
#[derive(Clone, Copy, Debug)]
pub(super) enum Coding {
    /// The width of the pulse; pulse and gap take as long together, or the gap is always the same.
    Pwm { zero: f64, one: f64, gap: Option<f64>, period: Option<f64> },
    /// The width of the gap behind the pulse.
    Ppm { zero: f64, one: f64, pulse: f64 },
    /// On or off for so long.
    Pcm { bit: f64 },
}

/// Bits without a break between them.
#[derive(Clone, Debug, Default)]
pub(super) struct Row {
    pub bits: Vec<u8>,
    /// Where it begins and ends behind the burst's first edge, in microseconds.
    pub start_us: f64,
    pub end_us: f64,
}

/// The most bits that one width can be.
const MOST_UNITS: f64 = 512.0;
/// Zeros behind the last pulse, which nobody sees.
const UNSEEN: usize = 32;

impl Signal {
    /// The rows of bits in widths: pulse, gap, pulse, …
    pub fn rows(&self, widths_us: &[f64]) -> Vec<Row> {
        let Some(unit) = self.unit(widths_us) else { return Vec::new() };
        let mut rows = Rows::default();
        for pair in widths_us.chunks(2) {
            let (pulse, gap) = (pair[0], pair.get(1).copied().unwrap_or(f64::INFINITY));
            rows.pair(self, pulse, gap, unit);
        }
        rows.flush();
        rows.all
    }

    /// How long a unit is: 1 µs, or what the widths of the burst come to.
    fn unit(&self, widths_us: &[f64]) -> Option<f64> {
        let Some((from, to)) = self.unit_us else { return Some(1.0) };
        let Coding::Pwm { period: Some(period), .. } = self.coding else { return None };
        let mut periods: Vec<f64> = widths_us.chunks_exact(2).map(|pair| pair[0] + pair[1]).collect();
        let middle = periods.len() / 2;
        let (_, median, _) =
            (!periods.is_empty()).then(|| periods.select_nth_unstable_by(middle, f64::total_cmp))?;
        Some(*median / period).filter(|unit| (from..=to).contains(unit))
    }

    /// The bit that a width is.
    fn bit(&self, width: f64, zero: f64, one: f64) -> Option<u8> {
        let (to_zero, to_one) = ((width - zero).abs(), (width - one).abs());
        (to_zero.min(to_one) <= self.tolerance_us).then(|| u8::from(to_one < to_zero))
    }

    /// The widths of rows of bits, in microseconds; `unit` is that of signals that have one.
    pub fn widths(&self, rows: &[Vec<u8>], unit: f64) -> Vec<f64> {
        let mut widths = Vec::new();
        for row in rows {
            widths.extend(&self.lead_us);
            match self.coding {
                Coding::Pwm { zero, one, gap, period } => {
                    for bit in row {
                        let pulse = if *bit == 1 { one } else { zero };
                        let gap = gap.or(period.map(|period| period - pulse)).unwrap_or(pulse);
                        widths.extend([pulse, gap]);
                    }
                }
                Coding::Ppm { zero, one, pulse } => {
                    for bit in row {
                        widths.extend([pulse, if *bit == 1 { one } else { zero }]);
                    }
                    widths.extend([pulse, 0.0]);
                }
                Coding::Pcm { bit } => {
                    // Pulses have the even places: the first is nothing where a row begins with a gap.
                    let mut level = 1;
                    widths.push(0.0);
                    for next in row {
                        if *next != level {
                            widths.push(0.0);
                            level = *next;
                        }
                        if let Some(last) = widths.last_mut() {
                            *last += bit;
                        }
                    }
                    if level == 1 {
                        widths.push(0.0);
                    }
                }
            }
            // The gap behind the row. Of two frequencies the lower one is as good as the other.
            if let Some(last) = widths.last_mut().filter(|_| self.modulation == Modulation::Ook) {
                *last = last.max(1.25 * self.row_gap_us);
            }
        }
        if self.modulation == Modulation::Ook {
            widths.pop();
        }
        let scale = if self.unit_us.is_some() { unit } else { 1.0 };
        widths.into_iter().map(|width| width * scale).collect()
    }
}

/// Rows that are being put together.
#[derive(Default)]
struct Rows {
    all: Vec<Row>,
    row: Row,
    at_us: f64,
}

impl Rows {
    fn flush(&mut self) {
        let row = std::mem::take(&mut self.row);
        if !row.bits.is_empty() {
            self.all.push(row);
        }
    }

    /// Takes a bit that ends so many microseconds behind here.
    fn push(&mut self, bit: u8, start_us: f64, end_us: f64) {
        if self.row.bits.is_empty() {
            self.row.start_us = start_us;
        }
        self.row.bits.push(bit);
        self.row.end_us = end_us;
    }

    fn pair(&mut self, signal: &Signal, pulse_us: f64, gap_us: f64, unit: f64) {
        let (pulse, gap) = (pulse_us / unit, gap_us / unit);
        let start_us = self.at_us;
        let middle_us = start_us + pulse_us;
        self.at_us = middle_us + if gap_us.is_finite() { gap_us } else { 0.0 };
        match signal.coding {
            Coding::Pwm { zero, one, .. } => match signal.bit(pulse, zero, one) {
                Some(bit) => {
                    self.push(bit, start_us, middle_us);
                    if gap > signal.row_gap_us {
                        self.flush();
                    }
                }
                None => self.flush(),
            },
            Coding::Ppm { zero, one, pulse: wanted } => {
                let is_pulse = (0.3 * wanted..=2.0 * wanted).contains(&pulse);
                match signal.bit(gap, zero, one).filter(|_| is_pulse) {
                    Some(bit) => self.push(bit, start_us, self.at_us),
                    None => self.flush(),
                }
            }
            Coding::Pcm { bit } => {
                let count = |width: f64| (width / bit).round().clamp(0.0, MOST_UNITS) as usize;
                for _ in 0..count(pulse) {
                    self.push(1, start_us, middle_us);
                }
                let is_end = gap > signal.row_gap_us;
                let zeros = if is_end { UNSEEN } else { count(gap) };
                if self.row.bits.is_empty() && is_end {
                    return;
                }
                for _ in 0..zeros {
                    self.push(0, middle_us, self.at_us);
                }
                if is_end {
                    self.row.end_us = middle_us;
                    self.flush();
                }
            }
        }
    }
}
