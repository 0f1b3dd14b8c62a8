//! Where OFDM packets begin, and how far off their frequency is.

use std::collections::VecDeque;

use superhet_runtime::{Block, BlockError, C32, C64, Context, In, Out, Step, Work, declare};

use crate::digital::ofdm::carriers::{MOST_CARRIERS, check_carriers};
use crate::error::{Error, check};

/// Finds the OFDM symbols whose two halves are the same, by the method of Schmidl and Cox.
///
/// With `P[n] = Σ x*[n − N/2 − k] · x[n − k]` and `R[n] = ½ Σ |x|²` over the last `N` samples, the metric is `|P|² / R²`. A trigger
/// comes in the middle of each run of samples where it is not below the threshold; behind a prefix of `cp_length` such a run
/// ends with the symbol. The angle of `P` there is the frequency offset times `N / 2`; where only odd carriers are used the halves are
/// opposites, and π is taken off.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | any |
/// | out `freq` | `f32` | radians per half symbol, of the last trigger; 0 before the first |
/// | out `trigger` | `u8` | 1 at a trigger, else 0 |
///
/// | parameter | range |
/// |---|---|
/// | `threshold` | 0 to 1, not 0 |
///
/// Tags end here.
///
/// # Source
/// T. Schmidl, D. Cox, Robust Frequency and Timing Synchronization for OFDM, IEEE Trans. Comm. 45, 1997.
///
/// ```
/// use superhet_blocks::digital::OfdmSyncSc;
///
/// assert!(OfdmSyncSc::new(64, 16, false, 0.9).is_ok());
/// assert!(OfdmSyncSc::new(64, 16, false, 0.0).is_err());
/// ```
#[derive(Debug, Block)]
pub struct OfdmSyncSc {
    #[port("in")]
    input: In<C32>,
    #[port]
    freq: Out<f32>,
    #[port]
    trigger: Out<u8>,
    half: usize,
    longest: usize,
    turned: bool,
    threshold: f64,
    /// The last samples, a symbol of them, in a ring, and where the next comes.
    past: Vec<C32>,
    next: usize,
    correlation: C64,
    energy: f64,
    /// The angles of the samples of a run that goes on.
    run: VecDeque<f32>,
    /// A run that was too long is not over.
    is_over: bool,
    held: f32,
    /// What was found and is not given yet: samples, and a trigger at one.
    ready: VecDeque<(f32, u8)>,
}

#[declare(
    category = "digital",
    summary = "Finds the OFDM symbols whose two halves are the same, by the method of Schmidl and Cox.",
    ports(
        input("in", "C32", "samples"),
        output("freq", "f32", "the frequency offset in radians per half symbol"),
        output("trigger", "u8", "1 where a symbol was found")
    )
)]
impl OfdmSyncSc {
    /// Finds symbols of `fft_length` samples with a prefix of `cp_length`.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless `fft_length` is even, `cp_length` no longer, and the threshold more than 0 and at most 1.
    pub fn new(
        /// How many carriers a symbol has.
        #[param(formerly = "fft_len", unit = "carriers", range = 2..=MOST_CARRIERS)]
        fft_length: usize,
        /// How long the prefix is, at most fft_length.
        #[param(formerly = "cp_len", unit = "items", range = 0..=MOST_CARRIERS)]
        cp_length: usize,
        /// Whether the symbol has even carriers only, not odd ones.
        #[param(default = false)]
        use_even_carriers: bool,
        /// How alike the halves must be, more than 0.
        #[param(range = 0.0..=1.0, default = 0.9)]
        threshold: f64,
    ) -> Result<Self, Error> {
        check_carriers(fft_length)?;
        check(fft_length.is_multiple_of(2), "fft_length", "an even number", fft_length as f64)?;
        check(cp_length <= fft_length, "cp_length", "at most fft_length", cp_length as f64)?;
        check(threshold > 0.0 && threshold <= 1.0, "threshold", "more than 0 and at most 1", threshold)?;
        Ok(OfdmSyncSc {
            input: In::new(),
            freq: Out::new(),
            trigger: Out::new(),
            half: fft_length / 2,
            longest: fft_length + cp_length,
            turned: !use_even_carriers,
            threshold,
            past: vec![C32::ZERO; fft_length],
            next: 0,
            correlation: C64::ZERO,
            energy: 0.0,
            run: VecDeque::new(),
            is_over: false,
            held: 0.0,
            ready: VecDeque::new(),
        })
    }

    /// Takes a sample.
    fn take(&mut self, sample: C32) {
        let n = self.past.len();
        // A sample that is not a number would stay in the sums.
        let sample = if sample.norm_sqr().is_finite() { sample } else { C32::ZERO };
        let wide = |x: C32| C64::new(x.re.into(), x.im.into());
        let (oldest, middle) = (wide(self.past[self.next]), wide(self.past[(self.next + self.half) % n]));
        let newest = wide(sample);
        self.correlation += newest * middle.conj() - middle * oldest.conj();
        self.energy += newest.norm_sqr() - oldest.norm_sqr();
        self.past[self.next] = sample;
        self.next = (self.next + 1) % n;
        if self.next == 0 {
            // Once a turn anew, so that rounding does not add up.
            let pairs = self.past.iter().zip(&self.past[self.half..]);
            self.correlation = pairs.map(|(early, late)| wide(*late) * wide(*early).conj()).sum();
            self.energy = self.past.iter().map(|x| wide(*x).norm_sqr()).sum();
        }
        let level = self.energy / 2.0;
        let is_high = self.correlation.norm_sqr() >= self.threshold * level * level && level > 1e-30;
        if is_high && !self.is_over {
            let turn = if self.turned { -self.correlation } else { self.correlation };
            self.run.push_back(turn.arg() as f32);
            if self.run.len() >= self.longest {
                self.end_run();
                self.is_over = true;
            }
        } else {
            self.end_run();
            self.is_over &= is_high;
            self.ready.push_back((self.held, 0));
        }
    }

    /// A run has ended: there is a trigger in its middle.
    fn end_run(&mut self) {
        let middle = self.run.len() / 2;
        for (place, angle) in self.run.drain(..).enumerate() {
            if place == middle {
                self.held = angle;
            }
            self.ready.push_back((self.held, u8::from(place == middle)));
        }
    }

    /// Gives what is ready; whether nothing is left.
    fn give(&mut self) -> bool {
        let n = self.ready.len().min(self.freq.room()).min(self.trigger.room());
        let (freq, trigger) = (self.freq.reserve(), self.trigger.reserve());
        for (place, (angle, flag)) in self.ready.drain(..n).enumerate() {
            (freq[place], trigger[place]) = (angle, flag);
        }
        self.freq.produce(n);
        self.trigger.produce(n);
        self.ready.is_empty()
    }
}

/// So many samples are taken before what was found is given.
const AT_ONCE: usize = 1024;

impl Work for OfdmSyncSc {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let before = self.freq.index();
        if !self.give() {
            return Ok(if self.freq.index() > before { Step::Ran } else { Step::NeedOutput });
        }
        let samples: Vec<C32> = self.input.peek().iter().take(AT_ONCE).copied().collect();
        samples.iter().for_each(|sample| self.take(*sample));
        self.input.consume(samples.len());
        self.give();
        Ok(if samples.is_empty() { Step::NeedInput } else { Step::Ran })
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        self.end_run();
        Ok(if self.give() { Step::Done } else { Step::NeedOutput })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{complex_noise, cuts};
    use superhet_runtime::harness::{VecSink, VecSource};
    use superhet_runtime::{Graph, Options, Single};

    fn run(even: bool, x: &[C32], options: &Options) -> (Vec<f32>, Vec<u8>) {
        let mut graph = Graph::new();
        graph.add("source", VecSource::new(x.to_vec()));
        graph.add("sync", OfdmSyncSc::new(64, 16, even, 0.9).unwrap());
        let (freq, trigger) = (VecSink::<f32>::new(), VecSink::<u8>::new());
        let given = (freq.items(), trigger.items());
        graph.add("freq", freq);
        graph.add("trigger", trigger);
        graph.connect_names("source", "sync");
        graph.connect_names("sync.freq", "freq");
        graph.connect_names("sync.trigger", "trigger");
        graph.check().unwrap().start(&Single, options).unwrap().wait().unwrap();
        (given.0.take(), given.1.take())
    }

    #[test]
    fn the_middle_of_the_plateau_is_found_with_the_frequency_wherever_the_stream_is_cut() {
        for (even, sign) in [(true, 1.0), (false, -1.0)] {
            let half = complex_noise(32);
            let symbol: Vec<C32> = half.iter().copied().chain(half.iter().map(|x| x * sign)).collect();
            let data = complex_noise(160);
            let x = [
                vec![C32::ZERO; 200],
                symbol[48..].to_vec(),
                symbol,
                data[32..].to_vec(),
                vec![C32::ZERO; 200],
            ]
            .concat();
            let x: Vec<C32> =
                x.iter().enumerate().map(|(n, x)| x * C32::from_polar(1.0, 0.01 * n as f32)).collect();
            for options in cuts() {
                let (freq, trigger) = run(even, &x, &options);
                assert_eq!((freq.len(), trigger.len()), (x.len(), x.len()));
                let found: Vec<usize> = (0..x.len()).filter(|n| trigger[*n] == 1).collect();
                // The plateau goes from sample 263 to 279.
                assert!(found.len() == 1 && (269..=274).contains(&found[0]), "{found:?}");
                assert!((freq[found[0]] - 0.32).abs() < 0.02 && freq[0] == 0.0, "{}", freq[found[0]]);
                assert_eq!(freq[x.len() - 1], freq[found[0]]);
            }
        }
    }

    #[test]
    fn a_run_without_end_triggers_once() {
        let (_, trigger) = run(true, &[C32::ONE; 1000], &Options::default());
        assert_eq!((trigger.len(), trigger.iter().filter(|flag| **flag == 1).count()), (1000, 1));
    }
}
