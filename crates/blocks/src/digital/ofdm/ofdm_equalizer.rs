//! Equalizers for OFDM symbols, in the frequency domain: one tap a carrier.

use superhet_runtime::C32;

use crate::digital::constellations::constellation::Constellation;
use crate::digital::ofdm::carriers::check_carriers;
use crate::digital::ofdm::ofdm_carrier_allocator::{check_pilots, check_places};
use crate::error::{Error, check};

/// Decisions that an equalizer learns from.
#[derive(Clone, Debug)]
pub struct Decisions {
    /// What the data is made of; of one dimension.
    pub constellation: Constellation,
    /// How much of a tap stays at each symbol, from 0 to 1.
    pub alpha: f32,
    /// Whether the samples are given; else the points that were decided for.
    pub soft: bool,
}

/// Divides each carrier by its channel, which pilots give anew and, if so wished, decisions for the data.
///
/// Of the carriers in use, one with a pilot `p` becomes `p`; its channel becomes `h ← α h + (1 − α) x / p`. All others become `x / h`;
/// with decisions the point `d` that is nearest to that, and their channel `h ← α h + (1 − α) x / d`. Without
/// decisions α is 0. Carriers that are not in use stay as they are, also where they have pilots.
///
/// ```
/// use superhet_blocks::digital::OfdmEqualizer;
/// use superhet_runtime::C32;
///
/// let (two, six) = (C32::new(2.0, 0.0), C32::new(6.0, 0.0));
/// // A pilot of 1 on carrier 0, which is in use as the others are.
/// let mut equalizer = OfdmEqualizer::new(2, vec![], vec![vec![0]], vec![vec![C32::ONE]], 0)?;
/// let mut symbols = [two, six, six, two];
/// equalizer.equalize(&mut symbols, Some(&[C32::ONE, two]));
/// assert_eq!(symbols, [C32::ONE, C32::new(3.0, 0.0), C32::ONE, C32::ONE]);
/// assert_eq!(equalizer.taps(), [six, two]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct OfdmEqualizer {
    used: Vec<bool>,
    /// The places of pilots, and the pilots, for one symbol after another.
    pilots: Vec<Vec<usize>>,
    pilot_symbols: Vec<Vec<C32>>,
    symbols_skipped: usize,
    decisions: Option<Decisions>,
    /// The pilot of each carrier that has one in the symbol that is being equalized.
    here: Vec<Option<C32>>,
    taps: Vec<C32>,
}

impl OfdmEqualizer {
    /// An equalizer for symbols of `fft_length` carriers, which lists say by their places: `occupied` those in use, all where there is
    /// no list; `pilots` and their symbols for one symbol after another, from the one with the number `symbols_skipped` on.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where a place lies beyond a symbol, or pilots and their symbols do not fit together.
    pub fn new(
        fft_length: usize,
        occupied: Vec<Vec<usize>>,
        pilots: Vec<Vec<usize>>,
        pilot_symbols: Vec<Vec<C32>>,
        symbols_skipped: usize,
    ) -> Result<Self, Error> {
        check_carriers(fft_length)?;
        check_places("occupied_carriers", &occupied, fft_length)?;
        check_places("pilot_carriers", &pilots, fft_length)?;
        check_pilots(&pilots, &pilot_symbols)?;
        let mut used = vec![occupied.is_empty(); fft_length];
        occupied.iter().flatten().for_each(|place| used[*place] = true);
        Ok(OfdmEqualizer {
            used,
            pilots,
            pilot_symbols,
            symbols_skipped,
            decisions: None,
            here: vec![None; fft_length],
            taps: vec![C32::ONE; fft_length],
        })
    }

    /// Learns from decisions, too.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the constellation has one dimension and `alpha` is from 0 to 1.
    pub fn with_decisions(mut self, decisions: Decisions) -> Result<Self, Error> {
        let dimension = decisions.constellation.dimension();
        check(dimension == 1, "constellation", "a constellation of one dimension", dimension as f64)?;
        check((0.0..=1.0).contains(&decisions.alpha), "alpha", "a number from 0 to 1", decisions.alpha)?;
        self.decisions = Some(decisions);
        Ok(self)
    }

    /// How many carriers a symbol has.
    pub fn fft_length(&self) -> usize {
        self.used.len()
    }

    /// The channel of each carrier, as it was after the last symbol.
    pub fn taps(&self) -> &[C32] {
        &self.taps
    }

    /// Equalizes the symbols of a frame, beginning with `taps` where they are given, else with those from before, at first 1.
    ///
    /// # Panics
    /// If there are `taps`, and not `fft_length` of them.
    pub fn equalize(&mut self, frame: &mut [C32], taps: Option<&[C32]>) {
        if let Some(taps) = taps {
            self.taps.copy_from_slice(taps);
        }
        let alpha = self.decisions.as_ref().map_or(0.0, |decisions| decisions.alpha);
        for (number, symbol) in frame.chunks_exact_mut(self.used.len()).enumerate() {
            if !self.pilots.is_empty() {
                let turn = number + self.symbols_skipped;
                let places = &self.pilots[turn % self.pilots.len()];
                let pilots = &self.pilot_symbols[turn % self.pilot_symbols.len()];
                self.here.fill(None);
                places.iter().zip(pilots).for_each(|(place, pilot)| self.here[*place] = Some(*pilot));
            }
            for (k, x) in symbol.iter_mut().enumerate().filter(|(k, _)| self.used[*k]) {
                let tap = &mut self.taps[k];
                let equalized = *x / *tap;
                let (known, given) = match (self.here[k], &self.decisions) {
                    (Some(pilot), _) => (Some(pilot), pilot),
                    (None, None) => (None, equalized),
                    (None, Some(decisions)) => {
                        let point = decisions.constellation.decide(&[equalized]);
                        let point = decisions.constellation.points()[point];
                        (Some(point), if decisions.soft { equalized } else { point })
                    }
                };
                if let Some(known) = known {
                    *tap = *tap * alpha + *x / known * (1.0 - alpha);
                }
                *x = given;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::complex_noise;

    const N: usize = 8;

    /// Symbols of BPSK through a channel.
    fn received(symbols: usize, channel: &[C32]) -> (Vec<C32>, Vec<C32>) {
        let sent: Vec<C32> =
            complex_noise(symbols * N).iter().map(|z| C32::new(z.re.signum(), 0.0)).collect();
        let received = sent.iter().zip(channel.iter().cycle()).map(|(x, h)| x * h).collect();
        (sent, received)
    }

    fn channel() -> Vec<C32> {
        complex_noise(N).iter().map(|z| C32::ONE + z * 0.5).collect()
    }

    #[test]
    fn a_known_channel_is_divided_out_where_carriers_are_in_use() {
        let (sent, received) = received(3, &channel());
        let mut equalizer = OfdmEqualizer::new(N, vec![vec![1, 2], vec![6]], vec![], vec![], 0).unwrap();
        let mut symbols = received.clone();
        equalizer.equalize(&mut symbols, Some(&channel()));
        for (k, symbol) in symbols.iter().enumerate() {
            let wanted = if [1, 2, 6].contains(&(k % N)) { sent[k] } else { received[k] };
            assert!((symbol - wanted).norm() < 1e-5, "item {k}");
        }
    }

    #[test]
    fn decisions_follow_a_channel_that_turns_and_the_taps_stay_for_the_next_frame() {
        let decisions =
            |soft| Decisions { constellation: Constellation::named("bpsk").unwrap(), alpha: 0.1, soft };
        for soft in [false, true] {
            let equalizer = OfdmEqualizer::new(N, vec![], vec![], vec![], 0).unwrap();
            let mut equalizer = equalizer.with_decisions(decisions(soft)).unwrap();
            let (sent, mut symbols) = received(60, &[C32::ONE; N]);
            // Three times round in all, 18 degrees a symbol.
            for (number, symbol) in symbols.chunks_mut(N).enumerate() {
                symbol
                    .iter_mut()
                    .for_each(|x| *x *= C32::from_polar(1.0, 0.1 * std::f32::consts::PI * number as f32));
            }
            let (first, second) = symbols.split_at_mut(30 * N);
            equalizer.equalize(first, None);
            equalizer.equalize(second, None);
            for (given, wanted) in symbols.iter().zip(&sent) {
                assert!((given - wanted).norm() < if soft { 0.5 } else { 1e-6 });
            }
        }
    }

    #[test]
    fn pilots_take_turns_and_may_have_more_symbols_than_places() {
        let pilots = vec![vec![C32::ONE], vec![C32::I], vec![-C32::ONE]];
        let mut equalizer = OfdmEqualizer::new(N, vec![], vec![vec![3]], pilots, 1).unwrap();
        let mut symbols = vec![C32::new(2.0, 0.0); 3 * N];
        equalizer.equalize(&mut symbols, None);
        assert_eq!([3, 3 + N, 3 + 2 * N].map(|at| symbols[at]), [C32::I, -C32::ONE, C32::ONE]);
        assert_eq!(equalizer.taps()[3], C32::new(2.0, 0.0));
        assert!(OfdmEqualizer::new(N, vec![], vec![vec![3]], vec![vec![]], 0).is_err());
        assert!(OfdmEqualizer::new(N, vec![vec![N]], vec![], vec![], 0).is_err());
    }
}
