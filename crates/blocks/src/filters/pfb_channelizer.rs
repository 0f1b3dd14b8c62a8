//! All channels of a band, one output each.

use std::sync::Arc;

use superhet_fft::{Fft, FftPlanner};
use superhet_kernels as kernels;
use superhet_runtime::tag::{Conversion, map_index};
use superhet_runtime::{
    AnyBlock, Block, BlockError, C32, C64, Context, In, Out, Ratio, Step, Tag, Work, declare,
};

use super::channelizer::AT_A_TIME;
use super::fir_filter::check_taps;
use crate::error::{Error, check};
use crate::item::from_numbers;

/// Splits a band into `M` channels of equal width, each with an output of its own: channel `c` is the band about `c / M` of the
/// sample rate, brought to 0 Hz, filtered and decimated by `R = M / oversample_rate`:
/// `y_c[m] = Σⱼ taps[j] · x[n − j] · exp(−j · 2π · c · (n − j + 1 + R) / M)` with `n = m · R + R − 1`, and zeros before the first
/// item.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | any |
/// | out `out0`, `out1`, … | `C32` | that of `in`, times that of the taps; some may stay unconnected |
///
/// | parameter | range |
/// |---|---|
/// | `channels` | `M`, 1 to 1024 |
/// | `taps` | finite and real: a low-pass filter for the input's rate |
/// | `oversample_rate` | 1 to `M`, such that `R` is a whole number |
/// | channel map | which channel each output has; without, output `c` has channel `c` |
///
/// Tags go to every output. There `rx_rate` says the rate of the channel, and `rx_freq` its centre: channels from `M / 2` on lie
/// below that of the input.
///
/// [`Channelizer`](super::Channelizer) gives the channels as frames of one stream, and is faster.
///
/// **Source**: F. J. Harris, Multirate Signal Processing for Communication Systems, chapters 6 and 9. The phases are those of GNU
/// Radio's `pfb_channelizer`.
///
/// ```
/// use superhet_blocks::{filters::PfbChannelizer, sinks::VectorSink, sources::VectorSource};
/// use superhet_runtime::{C32, Graph};
///
/// let mut graph = Graph::new();
/// let tone = vec![C32::ONE, -C32::ONE, C32::ONE, -C32::ONE]; // half of the rate
/// let source = graph.add("source", VectorSource::new(tone, false)?);
/// let block = graph.add("block", PfbChannelizer::new(2, &[0.5, 0.5], 1.0, &[])?);
/// let sink = VectorSink::<C32>::new();
/// let items = sink.items();
/// let sink = graph.add("sink", sink);
/// graph.connect(source.output, block.input);
/// graph.connect(block.output[1], sink.input);
/// graph.run()?;
/// assert!(items.take().iter().all(|y| (y.norm() - 1.0).abs() < 1e-6));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Block)]
pub struct PfbChannelizer {
    #[port("in")]
    input: In<C32>,
    #[port("out")]
    output: Vec<Out<C32>>,
    plan: Arc<dyn Fft<f32>>,
    /// As many rounds as the taps and a step need, with zeros in front.
    taps_reversed: Vec<f32>,
    /// The group delay of symmetric taps, in items of the input.
    delay: usize,
    /// New items for each output.
    step: usize,
    map: Vec<usize>,
    /// By how much the branches of the next output are turned.
    turn: usize,
    /// What the branches give for some outputs in a row, and their transforms.
    sums: Vec<C32>,
    channels: Vec<C32>,
    scratch: Vec<C32>,
}

/// The most channels.
const MOST: usize = 1024;

/// Checks which channel each of `outputs` has; without any, the channel of its number.
pub(super) fn checked_map(map: &[i64], outputs: usize, channels: usize) -> Result<Vec<usize>, Error> {
    if map.is_empty() {
        return Ok((0..outputs).collect());
    }
    check(map.len() <= MOST, "channel_map", "at most 1024 numbers", map.len() as f64)?;
    let channel = |(place, &channel): (usize, &i64)| {
        let fits = usize::try_from(channel).ok().filter(|channel| *channel < channels);
        fits.ok_or_else(|| Error::Element {
            parameter: "channel_map",
            place,
            wanted: "the number of a channel, from 0",
            got: channel.to_string(),
        })
    };
    map.iter().enumerate().map(channel).collect()
}

impl PfbChannelizer {
    /// So many channels, with these taps for each. `map` says which channel each output has; empty: all, in order.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Element`] or [`Error::OutOfRange`] where there is no tap, one that is not finite, or a number
    /// is out of its range.
    pub fn new(channels: usize, taps: &[f32], oversample_rate: f64, map: &[i64]) -> Result<Self, Error> {
        check((1..=MOST).contains(&channels), "channels", "a whole number from 1 to 1024", channels as f64)?;
        check_taps::<C32, f32>(taps)?;
        check(taps.len() <= 1 << 22, "taps", "at most 4194304 numbers", taps.len() as f64)?;
        let step = (channels as f64 / oversample_rate).round();
        let exact = (step * oversample_rate - channels as f64).abs() < 1e-3;
        let wanted = "channels / n with a whole number n from 1 to channels";
        let fits = (1.0..=channels as f64).contains(&step) && exact;
        check(fits, "oversample_rate", wanted, oversample_rate)?;
        let map = checked_map(map, channels, channels)?;
        let step = step as usize;
        let mut taps_reversed = taps.to_vec();
        taps_reversed.resize(taps.len().max(step).next_multiple_of(channels), 0.0);
        taps_reversed.reverse();
        let plan = FftPlanner::new().plan_fft_forward(channels);
        let output = |channel: usize| {
            let conversion = Conversion::new(Ratio::decimate(step));
            Out::new().optional().converted(conversion.shifted(channel as f64 / channels as f64))
        };
        Ok(PfbChannelizer {
            input: In::new().min(step).multiple(step).history(taps_reversed.len() - step),
            output: map.iter().map(|channel| output(*channel)).collect(),
            delay: (taps.len() - 1) / 2,
            turn: (2 * step + 1) % channels,
            sums: vec![C32::ZERO; AT_A_TIME.next_multiple_of(channels)],
            channels: vec![C32::ZERO; AT_A_TIME.next_multiple_of(channels)],
            scratch: vec![C32::ZERO; plan.get_outofplace_scratch_len()],
            plan,
            taps_reversed,
            step,
            map,
        })
    }
}

impl PfbChannelizer {
    /// Hands the tags of the next `items` items on; with 0, those beyond the last.
    fn pass_tags(&mut self, items: usize) {
        let (from, step, delay) = (self.input.index(), self.step, self.delay as u64);
        let outputs = &mut self.output;
        self.input.for_each_tag(items, |tag| {
            for output in outputs.iter_mut().filter(|port| port.is_connected() && !port.is_closed()) {
                let index = output.index() + map_index(tag.index - from, 1, step, delay);
                output.put_tag(Tag { index, ..tag.clone() });
            }
        });
    }
}

impl Work for PfbChannelizer {
    fn ratio(&self) -> Option<Ratio> {
        Some(Ratio { interpolation: 1, decimation: self.step })
    }

    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let wanted = || self.output.iter().filter(|port| port.is_connected() && !port.is_closed());
        if self.output.iter().any(|port| port.is_connected()) && wanted().next().is_none() {
            return Ok(Step::Done);
        }
        let room = wanted().map(Out::room).min().unwrap_or(usize::MAX);
        let count = (self.input.available() / self.step).min(room);
        if count == 0 {
            return Ok(if room == 0 { Step::NeedOutput } else { Step::NeedInput });
        }
        let (size, x) = (self.plan.len(), self.input.window());
        let mut from = 0;
        while from < count {
            let n = (count - from).min(self.sums.len() / size);
            let (sums, channels) = (&mut self.sums[..n * size], &mut self.channels[..n * size]);
            let window = self.taps_reversed.len() + (n - 1) * self.step;
            kernels::polyphase_c32_f32(
                sums,
                &x[from * self.step..][..window],
                &self.taps_reversed,
                self.step,
            );
            for sums in sums.chunks_exact_mut(size) {
                sums.rotate_right(self.turn);
                self.turn = (self.turn + self.step) % size;
            }
            self.plan.process_outofplace_with_scratch(sums, channels, &mut self.scratch);
            for (port, channel) in self.output.iter_mut().zip(&self.map) {
                let room = port.reserve().iter_mut().skip(from);
                for (y, frame) in room.zip(channels.chunks_exact(size)) {
                    *y = frame[*channel];
                }
            }
            from += n;
        }
        self.pass_tags(count * self.step);
        self.input.consume(count * self.step);
        for port in self.output.iter_mut().filter(|port| port.is_connected() && !port.is_closed()) {
            port.produce(count);
        }
        Ok(Step::Ran)
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let rest = self.input.rest().len();
        if rest > 0 {
            self.pass_tags(rest);
            self.input.consume(rest);
        }
        self.pass_tags(0);
        Ok(Step::Done)
    }
}

#[declare(
    category = "filters",
    summary = "Splits a band into channels of equal width, an output for each.",
    ports(
        input("in", "C32", "x"),
        output("out0", "C32", "channel 0: ⌊n · oversample_rate / channels⌋ items for n"),
        output("out1", "C32", "channel 1; more as channels says")
    )
)]
fn pfb_channelizer(
    /// How many channels.
    #[param(range = 1..=MOST)]
    channels: usize,
    /// The real taps of a low-pass filter for the input's rate.
    taps: Vec<C64>,
    /// How much faster than needed the outputs are.
    #[param(range = 1.0..=MOST, default = 1.0)]
    oversample_rate: f64,
    /// Which channel each output has; none: all in order.
    #[param(json = "[]")]
    channel_map: Vec<C64>,
) -> Result<AnyBlock, BlockError> {
    let taps = from_numbers("taps", &taps)?;
    let map: Vec<i64> =
        from_numbers::<i32>("channel_map", &channel_map)?.into_iter().map(i64::from).collect();
    Ok(AnyBlock::new(PfbChannelizer::new(channels, &taps, oversample_rate, &map)?))
}

#[cfg(test)]
#[allow(clippy::type_complexity, reason = "numbers as they were observed")]
mod tests {
    use super::*;
    use crate::testing::{complex_noise, cuts, noise};
    use superhet_runtime::harness::{VecSink, VecSource};
    use superhet_runtime::{Graph, Options, Single};

    fn channels(block: PfbChannelizer, x: &[C32], options: &Options) -> Vec<Vec<C32>> {
        let count = block.output.len();
        let mut graph = Graph::new();
        graph.add("source", VecSource::new(x.to_vec()));
        graph.add("block", block);
        graph.connect_names("source", "block.in");
        let mut items = Vec::new();
        for channel in 0..count {
            let sink = VecSink::<C32>::new();
            items.push(sink.items());
            graph.add(format!("sink{channel}"), sink);
            graph.connect_names(&format!("block.out{channel}"), &format!("sink{channel}"));
        }
        graph.check().unwrap().start(&Single, options).unwrap().wait().unwrap();
        items.iter().map(|items| items.take()).collect()
    }

    #[test]
    fn values_are_those_of_gnu_radio() {
        let taps: Vec<f32> = (1..11).map(|n| n as f32).collect();
        // Channel 1 of an impulse at a place: what each of the first outputs is, by the oversampling.
        let golden: [(f64, usize, &[(f32, f32)]); 7] = [
            (1.0, 0, &[(0.0, -4.0), (0.0, -8.0), (0.0, 0.0)]),
            (1.0, 2, &[(0.0, 2.0), (0.0, 6.0), (0.0, 10.0)]),
            (2.0, 0, &[(0.0, 2.0), (0.0, 4.0), (0.0, 6.0)]),
            (2.0, 2, &[(0.0, 0.0), (0.0, -2.0), (0.0, -4.0)]),
            (4.0 / 3.0, 1, &[(0.0, -2.0), (0.0, -5.0), (0.0, -8.0)]),
            (4.0 / 3.0, 3, &[(0.0, 0.0), (0.0, 3.0), (0.0, 6.0)]),
            (4.0, 1, &[(0.0, 0.0), (0.0, 1.0), (0.0, 2.0)]),
        ];
        for (rate, place, wanted) in golden {
            let mut x = vec![C32::ZERO; 24];
            x[place] = C32::ONE;
            let y = channels(PfbChannelizer::new(4, &taps, rate, &[]).unwrap(), &x, &Options::default());
            for (y, (re, im)) in y[1].iter().zip(wanted) {
                assert!((y - C32::new(*re, *im)).norm() < 1e-5, "{rate} {place}: {:?}", y);
            }
        }
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        let (x, taps) = (complex_noise(600), noise(40));
        for (count, rate) in [(1, 1.0), (5, 1.0), (6, 1.5), (6, 6.0)] {
            let make = || PfbChannelizer::new(count, &taps, rate, &[]).unwrap();
            let whole = channels(make(), &x, &Options::default());
            assert_eq!(whole[0].len(), 600 / (count as f64 / rate) as usize);
            for options in cuts() {
                assert_eq!(channels(make(), &x, &options), whole);
            }
        }
    }

    #[test]
    fn parameters_that_make_no_channelizer_are_named() {
        let problem =
            |rate, map: &[i64]| PfbChannelizer::new(4, &[1.0], rate, map).err().unwrap().to_string();
        assert!(problem(1.5, &[]).starts_with("oversample_rate = 1.5: expected channels / n"));
        assert_eq!(problem(1.0, &[0, 4]), "channel_map[1] = 4: expected the number of a channel, from 0");
    }
}
