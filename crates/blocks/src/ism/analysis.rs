//! What the widths of a burst look like: which widths there are, and how bits may be written.

use superhet_runtime::Value;

use super::bits::packed;

/// The widths of a burst, in groups, and a guess of the coding.
///
/// ```
/// use superhet_blocks::ism::Analysis;
///
/// // Pulses of 500 µs, with gaps of 1 ms and 2 ms behind them: 0 1 0 0 1.
/// let analysis = Analysis::of(&[500.0, 1000.0, 500.0, 2000.0, 500.0, 1000.0, 500.0, 1000.0, 500.0, 2000.0, 500.0]);
/// assert_eq!((analysis.coding, analysis.bits.as_slice()), ("ppm", &[0, 1, 0, 0, 1][..]));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// The widths of pulses: the mean of each group in microseconds, and how many there are.
    pub pulses: Vec<(f64, usize)>,
    /// The widths of gaps, likewise.
    pub gaps: Vec<(f64, usize)>,
    /// `pwm`, `ppm`, `manchester`, `pcm`, or `unknown`.
    pub coding: &'static str,
    /// The shorter width of the coding, or the width of a bit (of a half, `manchester`).
    pub short_us: f64,
    /// The longer width, where there is one.
    pub long_us: Option<f64>,
    /// The bits that this coding makes of the first row of 8 or more; of `manchester` and `pcm` the levels of all halves or bits.
    pub bits: Vec<u8>,
}

/// Widths that differ by less than this part are one group.
const SAME: f64 = 0.25;
/// A gap that is so much longer than the next shorter group ends a row.
const ROW: f64 = 1.6;
/// And there are so many times more others.
const RARE: usize = 10;
/// The most bits that are guessed.
const MOST_BITS: usize = 4096;
/// A shorter row is none, where another follows.
const LEAST_BITS: usize = 8;

/// Groups of widths, the shortest first.
fn groups(widths: impl Iterator<Item = f64>) -> Vec<(f64, usize)> {
    let mut sorted: Vec<f64> = widths.filter(|width| *width > 0.0).collect();
    sorted.sort_by(f64::total_cmp);
    let mut groups: Vec<(f64, usize)> = Vec::new();
    for width in sorted {
        match groups.last_mut() {
            Some((mean, count)) if width <= *mean * (1.0 + SAME) => {
                *mean += (width - *mean) / (*count + 1) as f64;
                *count += 1;
            }
            _ => groups.push((width, 1)),
        }
    }
    groups
}

impl Analysis {
    /// Looks at pulse, gap, pulse, … in microseconds.
    pub fn of(widths_us: &[f64]) -> Self {
        let pulses = groups(widths_us.iter().copied().step_by(2));
        let gaps = groups(widths_us.iter().copied().skip(1).step_by(2));
        // Gaps within rows: up to the first that is far longer than those before it, and rare.
        let count: usize = gaps.iter().map(|(_, count)| count).sum();
        let is_row = |pair: &&[(f64, usize)]| pair[1].0 > ROW * pair[0].0 && RARE * pair[1].1 <= count;
        let rows_at = gaps.windows(2).find(is_row).map_or(f64::INFINITY, |pair| pair[1].0 * 0.8);
        let inner: Vec<(f64, usize)> = gaps.iter().copied().filter(|(gap, _)| *gap < rows_at).collect();
        // What is there once or twice is a start or an end, not a bit.
        let total: usize = pulses.iter().map(|(_, count)| count).sum();
        let many = |groups: &[(f64, usize)]| -> Vec<f64> {
            let least = (total / 16).max(1);
            groups.iter().filter(|(_, count)| *count >= least).map(|(mean, _)| *mean).collect()
        };
        let (pulse, gap) = (many(&pulses), many(&inner));
        let is_double =
            |widths: &[f64]| matches!(widths, [short, long] if (1.6..2.5).contains(&(long / short)));
        let (coding, short_us, long_us) = match (&pulse[..], &gap[..]) {
            _ if total < 4 => ("unknown", 0.0, None),
            ([_], [short, long]) => ("ppm", *short, Some(*long)),
            ([short, long], [_]) => ("pwm", *short, Some(*long)),
            // A longer pulse goes with a shorter gap, so that all bits are as long.
            ([short, long], [first, second])
                if ((short + second) / (long + first) - 1.0).abs() < 0.15
                    && !is_row_of_halves(widths_us, *short) =>
            {
                ("pwm", *short, Some(*long))
            }
            (pulse, gap) if is_double(pulse) && is_double(gap) => {
                ("manchester", (pulse[0] + gap[0]) / 2.0, None)
            }
            ([first, ..], [second, ..]) => ("pcm", first.min(*second), None),
            _ => ("unknown", 0.0, None),
        };
        let mut bits = Vec::new();
        let middle = long_us.map_or(f64::INFINITY, |long| (short_us + long) / 2.0);
        for (n, width) in widths_us.iter().enumerate() {
            let (is_gap, is_end) = (n % 2 == 1, n % 2 == 1 && *width >= rows_at);
            match coding {
                "pwm" if !is_gap => bits.push(u8::from(*width < middle)),
                "ppm" if is_gap && !is_end => bits.push(u8::from(*width > middle)),
                "manchester" | "pcm" if !is_end => {
                    let count = (width / short_us).round() as usize;
                    bits.extend(std::iter::repeat_n(u8::from(!is_gap), count.min(MOST_BITS)));
                }
                _ => {}
            }
            match bits.len() {
                MOST_BITS.. => break,
                // A start or the end of another row is none.
                ..LEAST_BITS if is_end => bits.clear(),
                _ if is_end => break,
                _ => {}
            }
        }
        Analysis { pulses, gaps, coding, short_us, long_us, bits }
    }

    /// As the fields of a message.
    pub fn fields(&self) -> Value {
        let rounded = |us: f64| Value::from(us.round());
        let groups = |groups: &[(f64, usize)]| {
            let one = |(mean, count): &(f64, usize)| {
                Value::map([("us", rounded(*mean)), ("count", Value::from(*count))])
            };
            Value::from(groups.iter().map(one).collect::<Vec<Value>>())
        };
        let hex: String = packed(&self.bits).iter().map(|byte| format!("{byte:02x}")).collect();
        let mut fields = vec![
            ("pulses", groups(&self.pulses)),
            ("gaps", groups(&self.gaps)),
            ("coding", self.coding.into()),
            ("bit_count", self.bits.len().into()),
            ("bits", hex.into()),
        ];
        if self.coding != "unknown" {
            fields.push(("short_us", rounded(self.short_us)));
        }
        fields.extend(self.long_us.map(|long| ("long_us", rounded(long))));
        Value::map(fields)
    }
}

/// Whether widths are halves of bits: no bit is over within a half, so that halves come to pairs.
fn is_row_of_halves(widths_us: &[f64], half: f64) -> bool {
    // In PWM each pulse and the gap behind it are three or more halves, in Manchester two to four, and often two.
    let pairs = widths_us.chunks_exact(2).filter(|pair| pair[0] + pair[1] < 2.5 * half).count();
    pairs * 16 >= widths_us.len() / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codings_are_told_apart() {
        let bits = [1, 0, 0, 1, 1, 1, 0, 1, 0, 0, 1, 0, 1, 1, 0, 0];
        let pwm: Vec<f64> =
            bits.iter().flat_map(|bit| if *bit == 1 { [300.0, 900.0] } else { [900.0, 300.0] }).collect();
        let fixed: Vec<f64> =
            bits.iter().flat_map(|bit| [if *bit == 1 { 500.0 } else { 1500.0 }, 1000.0]).collect();
        for widths in [pwm, fixed] {
            let analysis = Analysis::of(&widths);
            assert_eq!((analysis.coding, &analysis.bits[..]), ("pwm", &bits[..]));
        }
        let halves: Vec<u8> = bits.iter().flat_map(|bit| [*bit, 1 - bit]).collect();
        let mut runs: Vec<f64> = Vec::new();
        for pair in [&[0], &halves[..]].concat().windows(2) {
            match runs.last_mut() {
                Some(last) if pair[0] == pair[1] => *last += 500.0,
                _ => runs.push(500.0),
            }
        }
        let analysis = Analysis::of(&runs);
        assert_eq!((analysis.coding, &analysis.bits[..16]), ("manchester", &halves[..16]));
        assert_eq!(Analysis::of(&[100.0]).coding, "unknown");
        assert_eq!(Analysis::of(&[]).coding, "unknown");
    }
}
