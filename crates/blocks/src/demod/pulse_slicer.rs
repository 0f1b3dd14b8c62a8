//! Bits out of the widths of pulses and gaps.

use superhet_runtime::catalog::{Choice, Parameters};
use superhet_runtime::{
    Block, BlockError, Context, MsgIn, MsgOut, Packet, Step, Work, declare, message::MessageType,
};

use crate::error::{Error, check};

/// How bits are written as pulses and gaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Coding {
    /// A short pulse is a one, a long one a zero.
    Pwm,
    /// A short gap behind a pulse is a zero, a long one a one.
    Ppm,
    /// Halves of equal length: on and off is a one, off and on a zero (G. E. Thomas).
    Manchester,
    /// As many ones as a pulse is long, and zeros as a gap is.
    Pcm,
}

/// What widths are expected; 0 of those that are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Parameters)]
pub struct Slicing {
    /// How bits are written.
    pub coding: Coding,
    /// The shorter width, of half a bit (manchester) or of a bit (pcm); 0: it is found.
    #[param(unit = "samples", default = 0)]
    pub short_samples: usize,
    /// The longer width of pwm and ppm; 0: it is found.
    #[param(unit = "samples", default = 0)]
    pub long_samples: usize,
    /// A gap that is longer ends a row of bits; 0: none does.
    #[param(unit = "samples", default = 0)]
    pub row_gap_samples: usize,
    /// Whether zeros and ones change places.
    #[param(default = false)]
    pub invert: bool,
}

/// Makes bits of the widths that a [`PulseDetector`](super::PulseDetector) finds: a packet for each row of a burst.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | packets of `i32` | samples: pulse, gap, pulse, … |
/// | out `out` | packets of `u8` | 0 or 1 |
///
/// Widths that are not given are found: the means of the shorter and the longer ones among those that say bits. Where all are equal,
/// they count as short. Of Manchester and PCM the least width is that of a half, or of a bit. A row of Manchester begins with the half
/// with which fewer pairs of halves are equal; it ends where a pair is.
///
/// The metadata is that of the burst, with the number of the row in it (`row`), and the widths that counted (`short_samples`,
/// `long_samples`).
///
/// ```
/// use superhet_blocks::demod::{PulseCoding, PulseSlicer, Slicing};
/// use superhet_runtime::Packet;
///
/// let slicing = Slicing { coding: PulseCoding::Pwm, short_samples: 0, long_samples: 0, row_gap_samples: 900, invert: false };
/// let mut slicer = PulseSlicer::new(&slicing)?;
/// let rows = slicer.slice(&Packet::from_items(&[100, 300, 210, 200, 105, 1000, 100]));
/// assert_eq!(rows.iter().map(|row| row.items()).collect::<Vec<_>>(), [&[1, 0, 1][..], &[1]]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Debug, Block)]
pub struct PulseSlicer {
    #[port("in")]
    input: MsgIn,
    #[port("out")]
    output: MsgOut,
    settings: Slicing,
}

/// The longest width.
const LONGEST: usize = 1 << 30;
/// The most halves, or bits, that one width can be.
const MOST_UNITS: f64 = 4096.0;

#[declare(
    category = "demod",
    summary = "Makes bits of the widths of pulses and gaps: PWM, PPM, Manchester or PCM.",
    ports(
        input("in", "messages", "packets of i32: the samples of a pulse, a gap, …"),
        output("out", "messages", "packets of u8: the bits of a row")
    )
)]
impl PulseSlicer {
    /// Slices so.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where a width is beyond 2³⁰, or the longer one not longer.
    pub fn new(#[param(group)] settings: &Slicing) -> Result<Self, Error> {
        let Slicing { short_samples: short, long_samples: long, row_gap_samples: row, .. } = *settings;
        for (name, width) in [("short_samples", short), ("long_samples", long), ("row_gap_samples", row)] {
            check(width <= LONGEST, name, "at most 2³⁰", width as f64)?;
        }
        check(long == 0 || long > short, "long_samples", "more than short_samples, or 0", long as f64)?;
        Ok(PulseSlicer {
            input: MsgIn::new().takes(MessageType::packets_of::<i32>()),
            output: MsgOut::new().sends(MessageType::packets_of::<u8>()),
            settings: *settings,
        })
    }

    /// The rows of a burst.
    pub fn slice(&mut self, burst: &Packet<i32>) -> Vec<Packet<u8>> {
        let widths = burst.items();
        let limit = match self.settings.row_gap_samples {
            0 => i32::MAX,
            limit => limit as i32,
        };
        let mut rows = Vec::new();
        let mut first = 0;
        for (place, width) in widths.iter().enumerate() {
            if place % 2 == 1 && *width > limit {
                rows.push(&widths[first..place]);
                first = place + 1;
            }
        }
        rows.push(&widths[first..]);
        let [short, long] = self.widths(&rows);
        let bits = rows.iter().map(|row| self.bits(row, short, long)).filter(|bits| !bits.is_empty());
        let packets = bits.enumerate().map(|(row, mut bits)| {
            if self.settings.invert {
                bits.iter_mut().for_each(|bit| *bit ^= 1);
            }
            let mut packet = burst.with_meta(bits.len());
            packet.items_mut().copy_from_slice(&bits);
            packet.set("row", row);
            packet.set("short_samples", short);
            packet.set("long_samples", long);
            packet
        });
        packets.collect()
    }

    /// The shorter and the longer width, as given or as found in the rows.
    fn widths(&self, rows: &[&[i32]]) -> [f64; 2] {
        let Slicing { coding, short_samples, long_samples, .. } = self.settings;
        let is_told = |place: usize| match coding {
            Coding::Pwm => place.is_multiple_of(2),
            Coding::Ppm => place % 2 == 1,
            Coding::Manchester | Coding::Pcm => true,
        };
        let told = |row: &&[i32]| -> Vec<f64> {
            let told = row.iter().enumerate().filter(|(place, _)| is_told(*place));
            told.map(|(_, width)| f64::from(*width)).collect()
        };
        let all: Vec<f64> = rows.iter().flat_map(told).collect();
        let least = all.iter().copied().fold(f64::INFINITY, f64::min);
        let most = all.iter().copied().fold(0.0, f64::max);
        // The mean of the widths in a range.
        let mean = |from: f64, to: f64| {
            let within = all.iter().filter(|width| (from..=to).contains(*width));
            let (sum, count) = within.fold((0.0, 0usize), |(sum, count), width| (sum + width, count + 1));
            (count > 0).then(|| sum / count as f64)
        };
        let has_two = most > 1.5 * least;
        let middle = (least + most) / 2.0;
        let short = match (short_samples, coding) {
            (0, Coding::Pwm | Coding::Ppm) if has_two => mean(0.0, middle),
            (0, Coding::Pwm | Coding::Ppm) => mean(0.0, most),
            // A width of two or more units is not one of one.
            (0, _) => mean(0.0, 1.5 * least),
            (short, _) => Some(short as f64),
        };
        let short = short.unwrap_or(1.0).max(1.0);
        let long = match long_samples {
            0 if has_two && short_samples == 0 => mean(middle, f64::INFINITY).unwrap_or(2.0 * short),
            0 => most.max(2.0 * short),
            long => long as f64,
        };
        [short, long]
    }

    fn bits(&self, row: &[i32], short: f64, long: f64) -> Vec<u8> {
        let middle = (short + long) / 2.0;
        let is_short = |width: &i32| u8::from(f64::from(*width) < middle);
        match self.settings.coding {
            Coding::Pwm => row.iter().step_by(2).map(is_short).collect(),
            Coding::Ppm => row.iter().skip(1).step_by(2).map(|width| 1 - is_short(width)).collect(),
            Coding::Pcm => units(row, short),
            Coding::Manchester => manchester(&units(row, short)),
        }
    }
}

/// The level of each unit of a row: so many as each width has.
fn units(row: &[i32], unit: f64) -> Vec<u8> {
    let mut levels = Vec::new();
    for (place, width) in row.iter().enumerate() {
        let count = (f64::from(*width) / unit).round().clamp(0.0, MOST_UNITS) as usize;
        levels.resize(levels.len() + count, u8::from(place % 2 == 0));
    }
    levels
}

/// The bits of halves.
fn manchester(halves: &[u8]) -> Vec<u8> {
    // A row may begin or end with an off half, which nobody sees.
    let ways = [halves.to_vec(), [&[0][..], halves].concat()].map(|mut halves| {
        if !halves.len().is_multiple_of(2) {
            halves.push(0);
        }
        halves
    });
    let wrong = |halves: &Vec<u8>| halves.chunks_exact(2).filter(|pair| pair[0] == pair[1]).count();
    let best = if wrong(&ways[1]) < wrong(&ways[0]) { &ways[1] } else { &ways[0] };
    best.chunks_exact(2).take_while(|pair| pair[0] != pair[1]).map(|pair| pair[0]).collect()
}

impl Work for PulseSlicer {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        for taken in 0..64 {
            let Some(message) = self.input.recv() else {
                return Ok(if taken > 0 { Step::Ran } else { Step::NeedInput });
            };
            for row in self.slice(&Packet::try_from(message)?) {
                self.output.send(row)?;
            }
        }
        Ok(Step::Ran)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PWM: Slicing = Slicing {
        coding: Coding::Pwm,
        short_samples: 0,
        long_samples: 0,
        row_gap_samples: 2000,
        invert: false,
    };

    fn rows(settings: &Slicing, widths: &[i32]) -> Vec<Vec<u8>> {
        let rows = PulseSlicer::new(settings).unwrap().slice(&Packet::from_items(widths));
        rows.iter().map(|row| row.items().to_vec()).collect()
    }

    #[test]
    fn short_and_long_pulses_or_gaps_are_bits() {
        let pulses = [98, 300, 205, 200, 103, 2500, 199, 200, 95];
        assert_eq!(rows(&PWM, &pulses), [vec![1, 0, 1], vec![0, 1]]);
        assert_eq!(rows(&Slicing { invert: true, ..PWM }, &pulses)[0], [0, 1, 0]);
        let given = Slicing { short_samples: 40, long_samples: 110, ..PWM };
        assert_eq!(rows(&given, &[98, 300, 100])[0], [0, 0]);
        let ppm = Slicing { coding: Coding::Ppm, ..PWM };
        assert_eq!(
            rows(&ppm, &[120, 250, 120, 500, 121, 255, 119, 4000, 120, 490, 120]),
            [vec![0, 1, 0], vec![1]]
        );
        assert_eq!(rows(&PWM, &[100, 90, 101, 92, 99]), [[1, 1, 1]], "all are short");
    }

    #[test]
    fn halves_are_pairs_wherever_the_row_begins() {
        let manchester = Slicing { coding: Coding::Manchester, ..PWM };
        // On-off, on-off, off-on, on-off: the first half is seen.
        assert_eq!(rows(&manchester, &[50, 52, 49, 101, 98]), [[1, 1, 0, 1]]);
        // Off-on, on-off: the first half is not.
        assert_eq!(rows(&manchester, &[100, 50, 50, 50, 50]), [[0, 1, 1, 1]]);
    }

    #[test]
    fn widths_are_as_many_bits() {
        let pcm = Slicing { coding: Coding::Pcm, ..PWM };
        assert_eq!(rows(&pcm, &[20, 41, 60, 19, 22]), [[1, 0, 0, 1, 1, 1, 0, 1]]);
        assert!(rows(&pcm, &[]).is_empty());
        assert!(rows(&Slicing { short_samples: 1, ..pcm }, &[i32::MAX, -5, 3])[0].len() <= 4099);
    }

    #[test]
    fn widths_out_of_range_are_refused() {
        assert!(PulseSlicer::new(&Slicing { short_samples: 9, long_samples: 9, ..PWM }).is_err());
        assert!(PulseSlicer::new(&Slicing { row_gap_samples: LONGEST + 1, ..PWM }).is_err());
    }
}
