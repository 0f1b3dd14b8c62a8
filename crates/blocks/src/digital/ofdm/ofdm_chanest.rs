//! What the preamble of an OFDM frame says of the channel.

use superhet_runtime::catalog::Kind;
use superhet_runtime::{AnyBlock, Block, BlockError, C32, Context, In, Out, Step, Tag, Value, Work, declare};

use crate::digital::ofdm::carriers::{CARRIER_OFFSET, CHANNEL_TAPS, check_carriers};
use crate::error::{Error, check};
use crate::item::from_values;

/// Takes the sync symbols off each frame of OFDM symbols, in the frequency domain, and says what they tell: by how many carriers
/// the frequency is off, an even number, and the channel of each carrier.
///
/// With two sync symbols `a` and `b` the offset is the `g` with the largest `|Σ (x[k+g] · b[k])* · a[k] · y[k+g]|`, over the carriers
/// of `a`; with one, the `g` with the largest `|Σ (x[k+g] · a[k+2])* · a[k] · x[k+2+g]|`. The channel at `k` is `y[k+g] / b[k]`, or
/// `x[k+g] / a[k]` where there is one symbol only, and then at the carriers between as one before; 0 where nothing was sent.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | symbols of as many items as a sync symbol, carrier 0 in the middle: a frame is the sync symbols and `data_symbols` |
/// | out `out` | `C32` | the data symbols as they are |
///
/// The first data symbol gets the tags `ofdm_sync_carr_offset` and `ofdm_sync_chan_taps`, and those of the sync symbols.
///
/// # Source
/// T. Schmidl, D. Cox, Robust Frequency and Timing Synchronization for OFDM, IEEE Trans. Comm. 45, 1997.
///
/// ```
/// use superhet_blocks::digital::OfdmChanest;
/// use superhet_runtime::{C32, harness};
///
/// let (o, l) = (C32::ZERO, C32::ONE);
/// let (a, b) = (vec![o, l, o, -l, o, o, o, o], vec![o, l, l, l, o, o, o, o]);
/// let frame = [a.clone(), b.clone(), vec![l; 8]].concat();
/// let data: Vec<C32> = harness::run(OfdmChanest::new(a, b, 1)?, &frame);
/// assert_eq!(data, [l; 8]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Debug, Block)]
pub struct OfdmChanest {
    #[port("in")]
    input: In<C32>,
    #[port("out")]
    output: Out<C32>,
    /// Of what is sent on a carrier of the first symbol, and what is multiplied with it: for pairs of samples.
    pairs: Vec<(usize, C32)>,
    /// Whether a pair is that of the two symbols at one carrier, or that of one symbol at two carriers.
    across_symbols: bool,
    sync_symbols: usize,
    /// The symbol that the channel is estimated by.
    reference: Vec<C32>,
    /// Whether carriers between those of the symbol have the channel of the one before.
    between: bool,
    data_symbols: usize,
    /// The least and the largest offset, even.
    offsets: (i64, i64),
}

impl OfdmChanest {
    /// An estimator for frames of two sync symbols, the second of which may be empty where there is one only, and so many data
    /// symbols.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless there are data symbols, and sync symbols are equally long and have carriers in use.
    pub fn new(first: Vec<C32>, second: Vec<C32>, data_symbols: usize) -> Result<Self, Error> {
        let fft_length = first.len();
        check_carriers(fft_length)?;
        let fits = second.is_empty() || second.len() == fft_length;
        check(fits, "sync_symbol2", "as many items as sync_symbol1, or none", second.len() as f64)?;
        let most = (1 << 24) / fft_length;
        check(
            (1..=most).contains(&data_symbols),
            "data_symbols",
            "a whole number from 1 to 2^24 / fft_length",
            data_symbols as f64,
        )?;
        let is_used = |symbol: &[C32]| symbol.iter().any(|x| *x != C32::ZERO);
        check(is_used(&first), "sync_symbol1", "a carrier in use", 0)?;
        check(second.is_empty() || is_used(&second), "sync_symbol2", "a carrier in use", 0)?;
        let across_symbols = !second.is_empty();
        let reference = if across_symbols { second } else { first.clone() };
        let used = |k: &usize| reference[*k] != C32::ZERO;
        let lowest = (0..fft_length).find(used).unwrap_or(0) as i64;
        let highest = (0..fft_length).rfind(used).unwrap_or(0) as i64;
        let offsets = (-(lowest & !1), (fft_length as i64 - 1 - highest) & !1);
        let mut made = OfdmChanest {
            input: In::new(),
            output: Out::new(),
            pairs: Vec::new(),
            across_symbols,
            sync_symbols: 0,
            reference: Vec::new(),
            between: !across_symbols,
            data_symbols,
            offsets,
        };
        let pair = |k: usize| {
            let with = if across_symbols { reference[k] } else { *first.get(k + 2)? };
            let known = first[k] * with.conj();
            (known != C32::ZERO).then_some((k, known))
        };
        made.pairs = (0..fft_length).filter_map(pair).collect();
        made.reference = reference;
        made.set_sync_symbols(1 + usize::from(across_symbols));
        Ok(made)
    }

    fn set_sync_symbols(&mut self, count: usize) {
        let fft_length = self.reference.len();
        self.sync_symbols = count;
        self.input = In::new().multiple((count + self.data_symbols) * fft_length);
        self.output = Out::new().multiple(self.data_symbols * fft_length);
    }

    /// As [`new`](Self::new), where the second symbol says which carriers are in use and is not sent.
    ///
    /// # Errors
    /// As for `new`.
    pub fn with_one_symbol(first: Vec<C32>, second: Vec<C32>, data_symbols: usize) -> Result<Self, Error> {
        let bounds = OfdmChanest::new(first.clone(), second.clone(), data_symbols)?.offsets;
        let mut made = OfdmChanest::new(first, Vec::new(), data_symbols)?;
        made.between &= second.is_empty();
        made.offsets = bounds;
        Ok(made)
    }

    /// Looks for offsets of at most so many carriers.
    #[must_use]
    pub fn max_offset(mut self, carriers: usize) -> Self {
        let most = i64::try_from(carriers).unwrap_or(i64::MAX) & !1;
        self.offsets = (self.offsets.0.max(-most), self.offsets.1.min(most));
        self
    }

    /// The offset that sync symbols have, in carriers.
    fn offset(&self, sync: &[C32]) -> i64 {
        let fft_length = self.reference.len();
        let step = if self.across_symbols { fft_length } else { 2 };
        let metric = |offset: i64| {
            let at = |k: usize| usize::try_from(k as i64 + offset).ok();
            let term = |&(k, known): &(usize, C32)| {
                let at = at(k).filter(|at| at % fft_length + step % fft_length < fft_length)?;
                Some(sync[at].conj() * sync[at + step] * known)
            };
            self.pairs.iter().filter_map(term).sum::<C32>().norm_sqr()
        };
        let mut best = (0, metric(0));
        for offset in (self.offsets.0..=self.offsets.1).step_by(2) {
            let found = metric(offset);
            if found > best.1 {
                best = (offset, found);
            }
        }
        best.0
    }

    /// The channel, by the symbol that says it.
    fn taps(&self, symbol: &[C32], offset: i64) -> Vec<C32> {
        let mut taps = vec![C32::ZERO; symbol.len()];
        for (k, known) in self.reference.iter().enumerate().filter(|(_, known)| **known != C32::ZERO) {
            let at = usize::try_from(k as i64 + offset).ok().and_then(|at| symbol.get(at));
            taps[k] = at.map_or(C32::ZERO, |received| received / known);
            if self.between && k + 1 < taps.len() {
                taps[k + 1] = taps[k];
            }
        }
        taps
    }
}

impl Work for OfdmChanest {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let fft_length = self.reference.len();
        let (head, data) = (self.sync_symbols * fft_length, self.data_symbols * fft_length);
        let frames = (self.input.available() / (head + data)).min(self.output.room() / data);
        let no_room = self.output.room() < data;
        for _ in 0..frames {
            let (from, to) = (self.input.index(), self.output.index());
            let frame = &self.input.peek()[..head + data];
            let offset = self.offset(&frame[..head]);
            let taps = self.taps(&frame[head - fft_length..head], offset);
            self.output.reserve()[..data].copy_from_slice(&frame[head..]);
            self.output.tag(0, CARRIER_OFFSET, offset);
            self.output.tag(0, CHANNEL_TAPS, taps);
            let mut tags = Vec::new();
            self.input.for_each_tag(head + data, |tag| {
                let index = to + (tag.index - from).saturating_sub(head as u64);
                tags.push(Tag { index, ..tag.clone() });
            });
            tags.into_iter().for_each(|tag| self.output.put_tag(tag));
            self.input.consume(head + data);
            self.output.produce(data);
        }
        Ok(match frames {
            0 if no_room => Step::NeedOutput,
            0 => Step::NeedInput,
            _ => Step::Ran,
        })
    }
}

#[declare(
    category = "digital",
    summary = "Takes the sync symbols off OFDM frames and says the frequency offset and the channel.",
    ports(input("in", "C32", "frames of symbols"), output("out", "C32", "their data symbols"))
)]
fn ofdm_chanest(
    /// The first sync symbol, carrier 0 in the middle; every second carrier is 0.
    #[param(kind = Kind::Numbers)]
    sync_symbol1: &Value,
    /// The second one; empty if there is none.
    #[param(kind = Kind::Numbers, json = "[]")]
    sync_symbol2: &Value,
    /// How many symbols come behind them.
    #[param(unit = "symbols", range = 1..=1 << 24, default = 1)]
    data_symbols: usize,
    /// How far off the frequency may be; -1 for as far as possible.
    #[param(unit = "carriers", range = -1..=1 << 24, json = "-1")]
    max_carrier_offset: i64,
    /// Whether the second one is not sent, and says which carriers are in use.
    #[param(default = false)]
    one_sync_symbol: bool,
) -> Result<AnyBlock, BlockError> {
    let first = from_values::<C32>("sync_symbol1", sync_symbol1)?;
    let second = from_values::<C32>("sync_symbol2", sync_symbol2)?;
    let block = match one_sync_symbol {
        true => OfdmChanest::with_one_symbol(first, second, data_symbols)?,
        false => OfdmChanest::new(first, second, data_symbols)?,
    };
    Ok(AnyBlock::new(match usize::try_from(max_carrier_offset) {
        Ok(most) => block.max_offset(most),
        Err(_) => block,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{complex_noise, cuts, run_tagged};
    use superhet_runtime::Value;

    const N: usize = 16;

    /// Sync symbols on the carriers 3 to 13 but for 8, the channel, and frames of two data symbols that are `offset` carriers off.
    fn signal(offset: i64, two: bool, frames: usize) -> (Vec<C32>, Vec<C32>, Vec<C32>, Vec<C32>) {
        let signs: Vec<f32> = complex_noise(N).iter().map(|z| z.re.signum()).collect();
        let used = |k: usize| (3..14).contains(&k) && k != 8;
        let first: Vec<C32> = (0..N)
            .map(|k| if used(k) && k % 2 == 0 { C32::new(1.4 * signs[k], 0.0) } else { C32::ZERO })
            .collect();
        let second: Vec<C32> =
            (0..N).map(|k| if used(k) { C32::new(signs[(k * 5 + 3) % N], 0.0) } else { C32::ZERO }).collect();
        let channel: Vec<C32> = complex_noise(2 * N)[N..].iter().map(|z| C32::ONE + z * 0.3).collect();
        let through = |symbol: &[C32]| -> Vec<C32> {
            (0..N as i64)
                .map(|k| (k - offset).rem_euclid(N as i64) as usize)
                .map(|k| symbol[k] * channel[k])
                .collect()
        };
        let data = complex_noise(2 * N);
        let mut received = Vec::new();
        for _ in 0..frames {
            received.extend(through(&first));
            if two {
                received.extend(through(&second));
            }
            received.extend(through(&data[..N]).into_iter().chain(through(&data[N..])));
        }
        (first, second, channel, received)
    }

    /// The offset and the taps of each frame.
    fn found(block: OfdmChanest, received: &[C32]) -> Vec<(Value, Vec<C32>)> {
        let (_, tags) = run_tagged::<C32, C32, _, _>(block, received.to_vec(), vec![], &Default::default());
        let taps = |value: &Value| from_values::<C32>("taps", value).unwrap();
        tags.chunks(2).map(|pair| (pair[0].2.clone(), taps(&pair[1].2))).collect()
    }

    fn assert_near(taps: &[C32], wanted: impl Fn(usize) -> C32) {
        for (k, tap) in taps.iter().enumerate() {
            assert!((tap - wanted(k)).norm() < 1e-5, "carrier {k}: {tap}, wanted {}", wanted(k));
        }
    }

    #[test]
    fn two_symbols_say_the_channel_of_each_carrier_and_the_offset() {
        for offset in [-2, 0, 2] {
            let (first, second, channel, received) = signal(offset, true, 3);
            let block = OfdmChanest::new(first, second.clone(), 2).unwrap();
            let frames = found(block, &received);
            assert_eq!(frames.len(), 3);
            for (value, taps) in frames {
                assert_eq!(value, offset.into());
                assert_near(&taps, |k| if second[k] == C32::ZERO { C32::ZERO } else { channel[k] });
            }
        }
    }

    #[test]
    fn one_symbol_says_that_of_every_second_carrier() {
        for offset in [-2, 0, 2] {
            let (first, second, channel, received) = signal(offset, false, 2);
            let frames = found(OfdmChanest::new(first.clone(), vec![], 2).unwrap(), &received);
            assert_eq!(frames[1].0, offset.into());
            let known = |k: usize| if first[k] == C32::ZERO { C32::ZERO } else { channel[k] };
            assert_near(&frames[1].1, |k| if k % 2 == 0 { known(k) } else { known(k - 1) });
            let frames = found(OfdmChanest::with_one_symbol(first.clone(), second, 2).unwrap(), &received);
            assert_eq!(frames[0].0, offset.into());
            assert_near(&frames[0].1, known);
        }
    }

    #[test]
    fn an_offset_beyond_the_largest_is_not_found() {
        let (first, second, _, received) = signal(2, true, 1);
        let block = OfdmChanest::new(first, second, 2).unwrap().max_offset(1);
        assert_eq!(found(block, &received)[0].0, 0.into());
    }

    #[test]
    fn tags_of_sync_symbols_go_to_the_first_data_symbol_wherever_the_stream_is_cut() {
        let (first, second, _, received) = signal(0, true, 2);
        let tags: Vec<_> = (0..8).map(|k| ((k * N) as u64, "t", Value::Null)).collect();
        for options in cuts() {
            let block = OfdmChanest::new(first.clone(), second.clone(), 2).unwrap();
            let (items, tags) = run_tagged::<C32, C32, _, _>(block, received.clone(), tags.clone(), &options);
            assert_eq!(items, [&received[2 * N..4 * N], &received[6 * N..]].concat());
            let places: Vec<u64> =
                tags.iter().filter(|tag| tag.1 == "t").map(|tag| tag.0 / N as u64).collect();
            assert_eq!(places, [0, 0, 0, 1, 2, 2, 2, 3], "{options:?}");
        }
    }

    #[test]
    fn symbols_that_do_not_fit_together_are_refused() {
        let one = vec![C32::ONE; 8];
        assert!(OfdmChanest::new(one.clone(), vec![C32::ONE; 7], 1).is_err());
        assert!(OfdmChanest::new(vec![C32::ZERO; 8], vec![], 1).is_err());
        assert!(OfdmChanest::new(one.clone(), vec![], 0).is_err());
        assert!(OfdmChanest::new(one, vec![], 1).is_ok());
    }
}
