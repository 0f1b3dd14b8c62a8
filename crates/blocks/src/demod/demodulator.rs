//! What demodulators of binary symbols share: instants, filters, ports and tags.

use std::collections::VecDeque;

use superhet_kernels as kernels;
use superhet_runtime::{Block, BlockError, Context, In, Item, Out, Step, Tag, Work, tag::Conversion};

use super::symbol_timing::{INSTANTS, SymbolTiming};
use crate::error::{Error, check, check_positive};

/// Turns samples into a signal at 8 instants of each symbol, from which a [`Demodulator`] takes the symbols.
pub trait FrontEnd: Send + Sized + 'static {
    /// The samples.
    type In: Item;

    /// Takes samples, and pushes the signal at each instant that they are enough for.
    fn take(&mut self, x: &[Self::In], timing: &mut SymbolTiming);

    /// Samples of nothing behind the last, so that its instants are given.
    fn tail(&self) -> usize;

    /// Samples in an instant.
    fn step(&self) -> f64;
}

/// A demodulator of binary symbols: a front end, and [`SymbolTiming`] behind it.
///
/// Each symbol is given when about 36 more have come, or at the end. A tag moves to the first symbol whose middle is not before it;
/// `rx_rate` becomes the symbol rate.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | that of the front end | |
/// | out `out` | `f32` | soft symbols, about ±1 |
#[derive(Debug, Block)]
pub struct Demodulator<F: FrontEnd> {
    #[port("in")]
    input: In<F::In>,
    #[port("out")]
    output: Out<f32>,
    front_end: F,
    timing: SymbolTiming,
    /// Symbols that are not given yet, with the sample that each is at.
    symbols: VecDeque<(f32, f64)>,
    tags: VecDeque<Tag>,
    is_finished: bool,
}

/// So many samples are taken in one call.
const AT_ONCE: usize = 8192;

impl<F: FrontEnd> Demodulator<F> {
    pub(super) fn new(front_end: F, timing: SymbolTiming) -> Self {
        Demodulator {
            input: In::new(),
            output: Out::new().converted(Conversion::of_rate(1.0 / (INSTANTS as f64 * front_end.step()))),
            front_end,
            timing,
            symbols: VecDeque::new(),
            tags: VecDeque::new(),
            is_finished: false,
        }
    }

    /// Gives symbols; whether there are none left.
    fn give(&mut self) -> bool {
        let first = self.output.index();
        let room = self.output.reserve();
        let n = room.len().min(self.symbols.len());
        let mut placed = Vec::new();
        for (place, (y, (symbol, at))) in room.iter_mut().zip(self.symbols.drain(..n)).enumerate() {
            *y = symbol;
            while let Some(mut tag) = self.tags.pop_front_if(|tag| tag.index as f64 <= at) {
                tag.index = first + place as u64;
                placed.push(tag);
            }
        }
        placed.into_iter().for_each(|tag| self.output.put_tag(tag));
        self.output.produce(n);
        self.symbols.is_empty()
    }
}

impl<F: FrontEnd> Work for Demodulator<F> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let had = self.symbols.len();
        if !self.give() {
            return Ok(if self.symbols.len() < had { Step::Ran } else { Step::NeedOutput });
        }
        let n = self.input.available().min(AT_ONCE);
        if n == 0 {
            return Ok(if had > 0 { Step::Ran } else { Step::NeedInput });
        }
        let Demodulator { input, front_end, timing, symbols, tags, .. } = self;
        input.for_each_tag(n, |tag| tags.push_back(tag.clone()));
        front_end.take(&input.peek()[..n], timing);
        input.consume(n);
        let step = front_end.step();
        timing.give(|symbol, instant| symbols.push_back((symbol, instant * step)));
        self.give();
        Ok(Step::Ran)
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        if !std::mem::replace(&mut self.is_finished, true) {
            let Demodulator { front_end, timing, symbols, .. } = self;
            let nothing = vec![<F::In as bytemuck::Zeroable>::zeroed(); front_end.tail()];
            front_end.take(&nothing, timing);
            let step = front_end.step();
            timing.finish(|symbol, instant| symbols.push_back((symbol, instant * step)));
        }
        if !self.give() {
            return Ok(Step::NeedOutput);
        }
        let end = self.output.index();
        for mut tag in self.tags.drain(..) {
            tag.index = end;
            self.output.put_tag(tag);
        }
        Ok(Step::Done)
    }
}

/// Filters for the instants of symbols: half a period of a cosine, cut off where it is 0, in each of a few places between samples.
#[derive(Clone, Debug)]
pub(crate) struct Pulse {
    /// Samples in an instant.
    step: f64,
    /// For each place between two samples, and each tone: the taps.
    taps: Vec<Vec<f32>>,
    tones: usize,
    len: usize,
    /// The next instant, and how many samples were dropped.
    next: u64,
    dropped: u64,
}

/// Places between two samples, at most.
const MOST_PLACES: f64 = 32.0;
/// Places in a symbol, at least.
const LEAST_PLACES: f64 = 64.0;

impl Pulse {
    /// For symbols at a rate, so many symbols long; by itself, or times the functions of the time in seconds.
    pub fn new(
        rate_hz: f64,
        symbol_rate_hz: f64,
        symbols: f64,
        tones: &[&dyn Fn(f64) -> f64],
    ) -> Result<Self, Error> {
        check_positive("rate_hz", rate_hz)?;
        check_positive("symbol_rate_hz", symbol_rate_hz)?;
        let period = rate_hz / symbol_rate_hz;
        let wanted = "at most rate_hz / 2, and not below rate_hz / 10⁶";
        check((2.0..=1e6).contains(&period), "symbol_rate_hz", wanted, symbol_rate_hz)?;
        let places = (LEAST_PLACES / period).ceil().clamp(1.0, MOST_PLACES) as usize;
        let width = symbols * period;
        let half = (width / 2.0).ceil();
        let len = 2 * half as usize + 1;
        let mut taps = Vec::new();
        for place in 0..places {
            let at = |n: usize| n as f64 - half - place as f64 / places as f64;
            let shape = |n: usize| {
                let x = at(n) / width;
                if x.abs() < 0.5 { (std::f64::consts::PI * x).cos() } else { 0.0 }
            };
            let sum: f64 = (0..len).map(shape).sum();
            for tone in tones {
                taps.push((0..len).map(|n| (shape(n) / sum * tone(at(n) / rate_hz)) as f32).collect());
            }
        }
        let step = period / INSTANTS as f64;
        Ok(Pulse { step, taps, tones: tones.len(), len, next: 0, dropped: 0 })
    }

    /// Samples in an instant.
    pub fn step(&self) -> f64 {
        self.step
    }

    /// The samples around an instant on each side, and zeros as many go before the first.
    pub fn half(&self) -> usize {
        self.len / 2
    }

    /// Where the window of the next instant begins in `available` samples, and which of the taps are for it.
    fn place(&mut self, available: usize) -> Option<(usize, usize)> {
        let places = self.taps.len() / self.tones;
        let position = self.next as f64 * self.step;
        let nearest = (position * places as f64).round();
        let whole = (nearest / places as f64).floor();
        let place = (nearest - whole * places as f64) as usize;
        let start = (whole as u64 - self.dropped) as usize;
        (start + self.len <= available).then_some((start, place * self.tones))
    }

    /// Filters streams that lie side by side at each instant that they are enough for: `give` gets the window of each, and the
    /// taps of each tone.
    pub fn run<const N: usize>(
        &mut self,
        streams: [&mut Vec<f32>; N],
        mut give: impl FnMut([&[f32]; N], &[Vec<f32>]),
    ) {
        let available = streams[0].len();
        while let Some((start, taps)) = self.place(available) {
            let windows = std::array::from_fn(|n| &streams[n][start..start + self.len]);
            give(windows, &self.taps[taps..taps + self.tones]);
            self.next += 1;
        }
        // The next window may begin beyond what is there.
        let next = (self.next as f64 * self.step) as u64;
        let dropped = ((next.saturating_sub(self.dropped + 1)) as usize).min(available);
        streams.into_iter().for_each(|stream| drop(stream.drain(..dropped)));
        self.dropped += dropped as u64;
    }
}

/// `Σ x[n] · taps[n]`; short ones without a call.
#[inline]
pub(crate) fn dot(x: &[f32], taps: &[f32]) -> f32 {
    if taps.len() < 24 {
        return x.iter().zip(taps).map(|(x, tap)| x * tap).sum();
    }
    kernels::dot_f32(x, taps)
}

#[cfg(test)]
pub(super) mod tests {
    use crate::testing::noise;

    /// Bits that begin with a preamble of so many in turn.
    pub fn burst(preamble: usize, bits: usize) -> Vec<u8> {
        let random = noise(bits).into_iter().map(|x| u8::from(x > 0.0));
        (0..preamble).map(|n| (n % 2) as u8).chain(random.skip(preamble)).collect()
    }

    /// The fewest wrong ones among all bits, wherever in the symbols they begin.
    pub fn errors(symbols: &[f32], bits: &[u8]) -> usize {
        let wrong = |symbols: &[f32]| {
            symbols.iter().zip(bits).filter(|(x, bit)| u8::from(**x > 0.0) != **bit).count()
        };
        symbols.windows(bits.len()).map(wrong).min().unwrap_or(usize::MAX)
    }
}
