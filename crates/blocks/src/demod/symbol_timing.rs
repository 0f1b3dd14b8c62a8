//! Where the symbols of a binary signal are, and what its two levels are: found from the signal itself, without a loop.

use std::collections::VecDeque;

/// Instants in a symbol at which a signal is given.
pub const INSTANTS: usize = 8;
/// Symbols in a hop.
const HOP: usize = 8;
/// Instants in a hop.
const HOP_INSTANTS: usize = HOP * INSTANTS;
/// Hops in a window.
const WINDOW: usize = 4;
/// Instants from one to the next of the three that a bend is taken of: half a symbol.
const BEND: usize = INSTANTS / 2;
/// So many windows that agree are averaged.
const MOST_CONFIDENCE: f32 = 8.0;
/// A new timing counts as a line through so many points more, since it has a drift from the first.
const FIRST_POINTS: f32 = 3.0;
/// A window agrees where it is not further off, in instants; and where it is not twice as far, it does not disagree.
const AGREES: f32 = 1.0;
/// A window that bends less than those before by this factor is of a run of equal symbols, and says nothing.
const RUN: f32 = 0.1;
/// The largest drift of the symbols that is looked for, in instants per instant, and the steps in which it is.
const LARGEST_DRIFT: f32 = 0.03;
const DRIFT_STEPS: i32 = 4;
/// By so much a squared coherence must be larger than another for the difference to count.
const MARGIN: f32 = 0.04;
/// The same for a timing that more windows agree with, less those that do not: one window of noise in some hundred has another drift by
/// chance, and threw the clock out in the middle of a frame of 2000 symbols.
const PROVED_MARGIN: f32 = 0.08;
const PROVED: f32 = 6.0;
/// A timing that so many windows agree with, less those that do not, is doubted once by each window, and before, at each hop.
const SURE: f32 = 3.0;
/// Levels that look like those of a run of equal symbols are those of a weaker signal when they stay for more hops than this.
const LONGEST_RUN: u32 = 4;
/// Levels of noise alone are less apart, in standard deviations around each.
const LEAST_SEPARATION: f32 = 1.8;
/// By which part of itself the level of the noise falls and rises with each hop: a burst of 400 hops draws it up by 3.5 dB.
const NOISE_FALLS: f32 = 0.02;
const NOISE_RISES: f32 = 0.002;
/// Larger numbers are cut to this, so that sums remain numbers.
const LARGEST: f32 = 1e9;

/// Finds the symbols of a binary signal, and gives each as `(x − centre) / deviation`: about −1 or 1.
///
/// The signal comes at 8 instants of each nominal symbol, filtered, with a weight that is the signal's amplitude where that is
/// known. It is looked at in hops of 8 symbols, and in windows of four hops:
///
/// 1. The squared bend `e[n] = (x[n] − 2 x[n − 4] + x[n − 8])²` has a line at the symbol rate; the angle of the line's phasor over a
///    window says where the symbols are, and its magnitude by the sum of all `e`, its coherence, how sure that is.
/// 2. Of the four windows that contain a hop, the surest counts. So the first symbols of a burst are found by those behind them,
///    and its last by those before. A symbol rate that is up to 3 % off is found with it.
/// 3. A line through the phases of windows that agree, up to eight, is followed, by least squares. In a long run of equal symbols
///    it goes on as it was. Windows that disagree, or one that is much surer, begin another.
/// 4. The two levels are the means of the window's symbols above and below the middle (two means, by weight). Levels that are much closer
///    than those before, as noise has them in a run of equal symbols, count once they have stayed for more than a window.
///
/// With a squelch nothing is searched for where no hop nearby is louder than the noise: symbols come at the nominal rate there.
#[derive(Clone, Debug)]
pub struct SymbolTiming {
    known_deviation: Option<f32>,
    /// Signal and weight from instant `first` on.
    signal: Vec<f32>,
    weight: Vec<f32>,
    first: u64,
    /// How many instants have come that are of the stream.
    end: u64,
    /// The lines of the last hops, up to the newest, and whether each is louder than the noise; the oldest is hop `oldest`.
    lines: VecDeque<Line>,
    is_loud: VecDeque<bool>,
    /// By how much what is searched is louder than the noise, as a ratio of powers; none where all is.
    squelch: Option<f32>,
    /// The power of the noise in a hop; 0 before the first.
    noise: f32,
    oldest: u64,
    /// The hop whose symbols are given next.
    next: u64,
    timing: Timing,
    /// How many windows agreed with it, less those that did not.
    confidence: f32,
    /// How coherent they are, and how much they bend.
    coherence: f32,
    bend: f32,
    /// The last of them, and the last of those that did not agree.
    followed: u64,
    doubted: Option<u64>,
    levels: Option<Levels>,
    /// For how many hops closer levels were found, which did not count.
    closer: u32,
    /// The instant of the last symbol that was given.
    last: f64,
    /// The line's phasor at each instant of a symbol.
    rotation: [[f32; 2]; INSTANTS],
    values: Vec<[f32; 2]>,
}

/// The line of the squared bend at the symbol rate: its two parts, and the sums of all and of the weights.
#[derive(Clone, Copy, Debug, Default)]
struct Line([f32; 4]);

impl Line {
    /// How much of the bend is periodic.
    fn coherence(&self) -> f32 {
        let [re, im, sum, _] = self.0;
        if sum > 0.0 { re.hypot(im) / sum } else { 0.0 }
    }

    /// How much the signal bends.
    fn bend(&self) -> f32 {
        let [.., sum, weight] = self.0;
        if weight > 0.0 { sum / weight } else { 0.0 }
    }

    /// Where in a symbol's instants its middle is.
    fn phase(&self) -> f32 {
        let [re, im, ..] = self.0;
        let peak = im.atan2(re) / std::f32::consts::TAU * INSTANTS as f32;
        (peak - BEND as f32).rem_euclid(INSTANTS as f32)
    }
}

/// Where symbols are.
#[derive(Clone, Copy, Debug, Default)]
struct Timing {
    /// At which instant.
    at: f64,
    /// Where in a nominal symbol's instants the middle of a symbol is, then.
    phase: f32,
    /// By how much that changes with each instant.
    drift: f32,
}

/// Whether a coherence is believed in spite of another one.
fn beats(coherence: f32, other: f32, margin: f32) -> bool {
    coherence * coherence > other * other + margin
}

impl Timing {
    /// The same, told for another instant.
    fn moved(&self, at: f64) -> Timing {
        let phase = self.phase + self.drift * (at - self.at) as f32;
        Timing { at, phase: phase.rem_euclid(INSTANTS as f32), drift: self.drift }
    }

    /// The middle of the symbol that is nearest to an instant.
    fn nearest(&self, instant: f64) -> f64 {
        let phase = self.moved(instant).phase;
        instant + f64::from(wrapped((f64::from(phase) - instant.rem_euclid(INSTANTS as f64)) as f32))
    }

    /// Instants from symbol to symbol.
    fn period(&self) -> f64 {
        INSTANTS as f64 * (1.0 + f64::from(self.drift))
    }
}

/// What a window says.
#[derive(Clone, Copy, Debug)]
struct Found {
    /// The hop that it begins with.
    first: u64,
    coherence: f32,
    line: Line,
    drift: f32,
}

impl Found {
    /// Where the symbols are by this, at the window's middle.
    fn timing(&self) -> Timing {
        let at = ((2 * self.first + WINDOW as u64) * (HOP_INSTANTS / 2) as u64) as f64;
        Timing { at, phase: self.line.phase(), drift: self.drift }
    }

    /// The more coherent of two.
    fn surer(self, other: Found) -> Found {
        if other.coherence > self.coherence { other } else { self }
    }
}

/// The two levels of a signal.
#[derive(Clone, Copy, Debug)]
struct Levels {
    centre: f32,
    deviation: f32,
}

/// The difference of two phases, within half a symbol.
fn wrapped(difference: f32) -> f32 {
    let symbol = INSTANTS as f32;
    difference - symbol * (difference / symbol).round()
}

impl SymbolTiming {
    /// Symbols of a signal whose deviation is this, or is found.
    pub fn new(known_deviation: Option<f32>) -> Self {
        SymbolTiming::with_squelch(known_deviation, None)
    }

    /// The same, searching only what is louder than the noise by a ratio of powers.
    pub fn with_squelch(known_deviation: Option<f32>, squelch: Option<f32>) -> Self {
        let angle = |n: usize| std::f32::consts::TAU * n as f32 / INSTANTS as f32;
        SymbolTiming {
            known_deviation,
            signal: Vec::new(),
            weight: Vec::new(),
            first: 0,
            end: 0,
            lines: VecDeque::new(),
            is_loud: VecDeque::new(),
            squelch,
            noise: 0.0,
            oldest: 0,
            next: 0,
            timing: Timing::default(),
            confidence: 0.0,
            coherence: 0.0,
            bend: 0.0,
            followed: 0,
            doubted: None,
            levels: None,
            closer: 0,
            last: f64::NEG_INFINITY,
            rotation: std::array::from_fn(|n| [angle(n).cos(), angle(n).sin()]),
            values: Vec::new(),
        }
    }

    /// Takes the signal at the next instant.
    #[inline]
    pub fn push(&mut self, signal: f32, weight: f32) {
        let is_number = signal.is_finite() && weight.is_finite();
        let pair = if is_number { (signal, weight) } else { (0.0, 0.0) };
        self.signal.push(pair.0.clamp(-LARGEST, LARGEST));
        self.weight.push(pair.1.clamp(0.0, LARGEST));
        self.end += 1;
    }

    /// Gives the symbols that can be told by now, each with its instant.
    pub fn give(&mut self, mut symbol: impl FnMut(f32, f64)) {
        loop {
            while self.has_hop() {
                self.add_line();
            }
            if self.oldest + (self.lines.len() as u64) < self.next + WINDOW as u64 {
                return;
            }
            self.decide(&mut symbol);
        }
    }

    /// Gives the symbols that are left, at the end of the stream.
    pub fn finish(&mut self, symbol: impl FnMut(f32, f64)) {
        let padded = self.signal.len() + (WINDOW + 1) * HOP_INSTANTS;
        self.signal.resize(padded, 0.0);
        self.weight.resize(padded, 0.0);
        self.give(symbol);
    }

    /// Whether all instants of the hop behind the last line are there.
    fn has_hop(&self) -> bool {
        let from = (self.oldest + self.lines.len() as u64) * HOP_INSTANTS as u64;
        self.first + self.signal.len() as u64 >= from + HOP_INSTANTS as u64
    }

    fn add_line(&mut self) {
        let hop = self.oldest + self.lines.len() as u64;
        let from = (hop * HOP_INSTANTS as u64 - self.first) as usize;
        let mut line = [0.0; 4];
        for (n, [re, im]) in (from..from + HOP_INSTANTS).zip(self.rotation.iter().cycle()) {
            let (Some(first), middle) = (n.checked_sub(2 * BEND), n.saturating_sub(BEND)) else { continue };
            let bend = self.signal[n] - 2.0 * self.signal[middle] + self.signal[first];
            let weight = self.weight[n] * self.weight[first];
            let square = weight * bend * bend;
            line = [line[0] + re * square, line[1] + im * square, line[2] + square, line[3] + weight];
        }
        self.lines.push_back(Line(line));
        if let Some(squelch) = self.squelch {
            let power =
                self.weight[from..from + HOP_INSTANTS].iter().map(|weight| weight * weight).sum::<f32>();
            self.is_loud.push_back(power > squelch * self.noise);
            let factor = if power < self.noise { 1.0 - NOISE_FALLS } else { 1.0 + NOISE_RISES };
            self.noise = if self.noise > 0.0 { self.noise * factor } else { power };
        }
    }

    /// The line over a window that begins with this hop, of symbols that drift, told for its middle.
    fn window(&self, hop: u64, drift: f32) -> Line {
        let from = (hop - self.oldest) as usize;
        let mut sum = [0.0; 4];
        for (place, Line([re, im, all, weight])) in self.lines.range(from..from + WINDOW).enumerate() {
            let hops = place as f32 - (WINDOW - 1) as f32 / 2.0;
            let (sin, cos) = (-std::f32::consts::TAU * HOP as f32 * drift * hops).sin_cos();
            let turned = [re * cos - im * sin, re * sin + im * cos];
            sum = [sum[0] + turned[0], sum[1] + turned[1], sum[2] + all, sum[3] + weight];
        }
        Line(sum)
    }

    /// The surest of the windows that contain a hop, for symbols with this drift.
    fn surest(&self, hop: u64, drift: f32) -> Found {
        let found = |first: u64| {
            let line = self.window(first, drift);
            Found { first, coherence: line.coherence(), line, drift }
        };
        let from = hop.saturating_sub(WINDOW as u64 - 1);
        (from + 1..=hop).map(found).fold(found(from), Found::surer)
    }

    /// Gives the symbols of the next hop.
    fn decide(&mut self, symbol: &mut impl FnMut(f32, f64)) {
        let hop = self.next;
        let middle = ((2 * hop + 1) * (HOP_INSTANTS / 2) as u64) as f64;
        self.timing = self.timing.moved(middle);
        if self.squelch.is_some() && !self.is_loud.contains(&true) {
            (self.timing.drift, self.confidence) = (0.0, 0.0);
            self.give_hop(hop, symbol);
            self.forget();
            return;
        }
        let steps = (-DRIFT_STEPS..=DRIFT_STEPS).map(|step| LARGEST_DRIFT * step as f32 / DRIFT_STEPS as f32);
        let zero = self.surest(hop, 0.0);
        let any = steps.map(|drift| self.surest(hop, drift)).fold(zero, Found::surer);
        let new = if beats(any.coherence, zero.coherence, MARGIN) { any } else { zero };
        let same = self.surest(hop, self.timing.drift);
        let is_run = self.confidence > 0.0 && self.is_run(&same);
        let first = self.follow(same, new, middle);
        self.find_levels(first, is_run);
        self.give_hop(hop, symbol);
        self.forget();
    }

    /// Goes on to the next hop.
    fn forget(&mut self) {
        // What no window of the next hop contains is forgotten, but for one hop, in which symbols and slopes may begin.
        self.next += 1;
        let kept = (self.next + 1).saturating_sub(WINDOW as u64);
        while self.oldest < kept {
            self.lines.pop_front();
            self.is_loud.pop_front();
            self.oldest += 1;
        }
        let kept = kept.saturating_sub(1) * HOP_INSTANTS as u64;
        let dropped = (kept.max(self.first) - self.first) as usize;
        self.signal.drain(..dropped);
        self.weight.drain(..dropped);
        self.first += dropped as u64;
    }

    /// Follows the surest window with the drift that is followed, or begins anew with another one; the window that counts.
    fn follow(&mut self, same: Found, new: Found, at: f64) -> u64 {
        let difference = wrapped(same.timing().moved(at).phase - self.timing.phase);
        let is_same = !beats(new.coherence, same.coherence, self.margin());
        if self.confidence > 0.0 {
            if !is_same {
                // What noise alone began gives way at once.
                self.doubt(new, MOST_CONFIDENCE / 2.0);
            } else if self.is_run(&same) {
                self.confidence -= 0.25;
            } else if difference.abs() > 2.0 * AGREES {
                self.doubt(same, 2.0);
            } else if same.first != self.followed {
                self.agree(same, difference);
            }
        }
        if self.confidence <= 0.0 {
            (self.confidence, self.coherence) = (1.0, new.coherence);
            (self.bend, self.followed) = (new.line.bend(), new.first);
            self.timing = new.timing().moved(at);
            return new.first;
        }
        same.first
    }

    /// Whether a window bends so little that it is of a run of equal symbols.
    fn is_run(&self, window: &Found) -> bool {
        window.line.bend() < RUN * self.bend
    }

    /// By how much a window must be surer than the timing.
    fn margin(&self) -> f32 {
        if self.confidence > PROVED { PROVED_MARGIN } else { MARGIN }
    }

    /// Trusts the timing less, by a window that disagrees: not at all if the window is surer.
    fn doubt(&mut self, window: Found, by: f32) {
        let is_news = self.doubted != Some(window.first);
        if beats(window.coherence, self.coherence, self.margin()) {
            self.confidence -= MOST_CONFIDENCE;
        } else if is_news || self.confidence <= SURE {
            self.confidence -= by;
        }
        self.doubted = Some(window.first);
    }

    /// Follows a window that agrees, whose phase is so far off.
    fn agree(&mut self, same: Found, difference: f32) {
        self.followed = same.first;
        if difference.abs() <= AGREES {
            self.confidence = (self.confidence + 1.0).min(MOST_CONFIDENCE);
        }
        self.coherence += (same.coherence - self.coherence) / self.confidence.max(1.0);
        self.bend += (same.line.bend() - self.bend) / self.confidence.max(1.0);
        // The gains of a line of least squares through so many points.
        let n = self.confidence + FIRST_POINTS;
        let [gain, drift_gain] = [2.0 * (2.0 * n - 1.0), 6.0].map(|gain| gain / (n * (n + 1.0)));
        let Timing { at, phase, drift } = self.timing;
        let drift = drift + difference * drift_gain / HOP_INSTANTS as f32;
        self.timing = Timing {
            at,
            phase: (phase + difference * gain).rem_euclid(INSTANTS as f32),
            drift: drift.clamp(-2.0 * LARGEST_DRIFT, 2.0 * LARGEST_DRIFT),
        };
    }

    /// The signal between two instants.
    #[inline(always)]
    fn at(&self, instant: f64) -> f32 {
        let place = instant - self.first as f64;
        let whole = place.max(0.0) as usize;
        let between = (place - whole as f64) as f32;
        let [a, b] = [whole, whole + 1].map(|n| self.signal.get(n).copied().unwrap_or(0.0));
        a + (b - a) * between
    }

    /// Finds the levels of the symbols in the window that begins with a hop; in a run of equal symbols closer ones do not count.
    fn find_levels(&mut self, hop: u64, in_run: bool) {
        let mut values = std::mem::take(&mut self.values);
        values.clear();
        let mut instant = self.timing.nearest((hop * HOP_INSTANTS as u64) as f64 + INSTANTS as f64 / 2.0);
        for _ in 0..WINDOW * HOP {
            let weight = self.weight.get((instant - self.first as f64) as usize).copied().unwrap_or(0.0);
            if weight > 0.0 {
                values.push([self.at(instant), weight]);
            }
            instant += self.timing.period();
        }
        if let Some(found) = levels_of(&values) {
            let old = self.levels;
            self.levels = match (old, found) {
                (None, (levels, _)) => Some(levels),
                (Some(old), (new, separation)) => {
                    let is_closer =
                        new.deviation < old.deviation / 2.0 && separation < 2.0 * LEAST_SEPARATION;
                    let is_noise = separation < LEAST_SEPARATION;
                    self.closer = match (is_noise, is_closer && !in_run && self.confidence > 1.0) {
                        (true, _) => self.closer,
                        (false, true) => self.closer + 1,
                        (false, false) => 0,
                    };
                    if self.closer > LONGEST_RUN {
                        self.closer = 0;
                        Some(new)
                    } else if is_noise || is_closer {
                        Some(old)
                    } else if (new.centre - old.centre).abs() > old.deviation / 2.0 || self.confidence <= 1.0
                    {
                        Some(new)
                    } else {
                        let gain = 1.0 / self.confidence;
                        let toward = |old: f32, new: f32| old + (new - old) * gain;
                        Some(Levels {
                            centre: toward(old.centre, new.centre),
                            deviation: toward(old.deviation, new.deviation),
                        })
                    }
                }
            };
        }
        self.values = values;
    }

    fn give_hop(&mut self, hop: u64, symbol: &mut impl FnMut(f32, f64)) {
        let levels = self.levels.unwrap_or(Levels { centre: 0.0, deviation: 1.0 });
        let scale = 1.0 / self.known_deviation.unwrap_or(levels.deviation).max(f32::MIN_POSITIVE);
        let from = (hop * HOP_INSTANTS as u64) as f64;
        let to = (from + HOP_INSTANTS as f64).min(self.end as f64);
        let period = self.timing.period();
        let mut instant = self.timing.nearest((self.last + period).max(from - period / 2.0));
        while instant < to {
            if instant >= 0.0 {
                symbol(((self.at(instant) - levels.centre) * scale).clamp(-LARGEST, LARGEST), instant);
                self.last = instant;
            }
            instant += period;
        }
    }
}

/// The two levels of values with weights, and how far they are apart by the standard deviation around each.
fn levels_of(values: &[[f32; 2]]) -> Option<(Levels, f32)> {
    let total: f32 = values.iter().map(|[_, weight]| weight).sum();
    let mean = values.iter().map(|[value, weight]| value * weight).sum::<f32>() / total;
    let least = values.iter().map(|[value, _]| *value).reduce(f32::min)?;
    let most = values.iter().map(|[value, _]| *value).reduce(f32::max)?;
    // An outlier draws the middle of the extremes off, and many of one symbol the mean: the better start counts.
    let [first, second] = [mean, (least + most) / 2.0].map(|start| two_means(values, start));
    let (centre, deviation, spread) = match (first, second) {
        (Some(first), Some(second)) => {
            if second.2 < first.2 {
                second
            } else {
                first
            }
        }
        (first, second) => first.or(second)?,
    };
    Some((Levels { centre, deviation }, deviation / spread.max(f32::MIN_POSITIVE)))
}

/// The middle between the means above and below it, half of their distance, and the standard deviation around them.
fn two_means(values: &[[f32; 2]], start: f32) -> Option<(f32, f32, f32)> {
    let mut centre = start;
    let mut means = [0.0; 2];
    for _ in 0..4 {
        let mut sums = [[0.0f32; 2]; 2];
        for [value, weight] in values {
            let side = &mut sums[usize::from(*value > centre)];
            *side = [side[0] + value * weight, side[1] + weight];
        }
        if sums.iter().any(|[_, weight]| *weight <= 0.0) {
            return None;
        }
        means = sums.map(|[sum, weight]| sum / weight);
        centre = (means[0] + means[1]) / 2.0;
    }
    let square = |[value, weight]: &[f32; 2]| {
        let mean = means[usize::from(*value > centre)];
        (value - mean) * (value - mean) * weight
    };
    let total: f32 = values.iter().map(|[_, weight]| weight).sum();
    let spread = (values.iter().map(square).sum::<f32>() / total).sqrt();
    Some((centre, (means[1] - means[0]) / 2.0, spread))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_found_in_spite_of_an_outlier_and_of_many_equal_symbols() {
        let ones = |n: usize, value: f32| vec![[value, 1.0]; n];
        for (values, centre, deviation) in [
            ([ones(16, 3.0), ones(16, 1.0)].concat(), 2.0, 1.0),
            ([ones(1, 3.0), ones(31, 1.0)].concat(), 2.0, 1.0),
            ([ones(15, 3.0), ones(16, 1.0), ones(1, 6.0)].concat(), 2.1, 1.1),
        ] {
            let (levels, separation) = levels_of(&values).unwrap();
            let error = (levels.centre - centre).abs() + (levels.deviation - deviation).abs();
            assert!(error < 0.2 && separation > LEAST_SEPARATION, "{levels:?}, {separation}");
        }
        assert!(levels_of(&ones(32, 1.0)).is_none() && levels_of(&[]).is_none());
    }

    #[test]
    fn signals_that_are_no_numbers_leave_symbols_that_are() {
        let mut timing = SymbolTiming::new(None);
        for n in 0..4000 {
            let values = [f32::NAN, f32::INFINITY, f32::MIN, f32::MAX, 0.0, 1e-40];
            timing.push(values[n % 6], values[n / 7 % 6]);
        }
        let mut symbols = Vec::new();
        timing.finish(|symbol, _| symbols.push(symbol));
        assert!(symbols.len() > 400 && symbols.iter().all(|symbol| symbol.is_finite()), "{}", symbols.len());
    }
}
