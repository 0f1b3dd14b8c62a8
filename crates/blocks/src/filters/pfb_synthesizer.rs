//! A band made of channels.

use std::sync::Arc;

use superhet_fft::{Fft, FftPlanner};
use superhet_runtime::tag::{Conversion, map_index};
use superhet_runtime::{
    AnyBlock, Block, BlockError, C32, C64, Context, In, Out, Ratio, Step, Tag, Work, declare,
};

use super::fir_filter::check_taps;
use super::pfb_channelizer::checked_map;
use crate::error::{Error, check};
use crate::item::from_numbers;

/// Puts streams side by side in one band: the opposite of a [`PfbChannelizer`](super::PfbChannelizer). Each is interpolated by
/// `M`, filtered and shifted to its channel, and all are added: `y[n] = Σ_c exp(j · 2π · c · n / S) · Σₖ x_c[k] · taps[n − k · M]`
/// with `S = M` channels.
///
/// With `twice`, the inputs have twice the rate that their channels need: then there are `S = 2 M` channels, and `n + M` stands
/// in the place of `n` in the shift.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in0`, `in1`, … | `C32` | any |
/// | out `out` | `C32` | that of the inputs, times that of the taps |
///
/// | parameter | range |
/// |---|---|
/// | `channels` | `M`, 1 to 1024 |
/// | `inputs` | 1 to `M` |
/// | `taps` | finite and real: a low-pass filter for the output's rate |
/// | channel map | which channel each input is put into; without, input `c` into channel `c` |
///
/// Tags of all inputs go to the output, but `rx_freq` of the first one only. There `rx_rate` says the rate of the band, and
/// `rx_freq` its centre, which the first input's channel lies beside.
///
/// Ends with the first input that does.
///
/// **Source**: F. J. Harris, Multirate Signal Processing for Communication Systems, section 6.4. The phases are those of GNU
/// Radio's `pfb_synthesizer`.
///
/// ```
/// use superhet_blocks::{filters::PfbSynthesizer, sinks::VectorSink, sources::VectorSource};
/// use superhet_runtime::{C32, Graph};
///
/// let mut graph = Graph::new();
/// let a = graph.add("a", VectorSource::new(vec![C32::ONE; 2], false)?);
/// let b = graph.add("b", VectorSource::new(vec![C32::ZERO; 2], false)?);
/// let block = graph.add("block", PfbSynthesizer::new(2, 2, &[1.0, 1.0], false, &[])?);
/// let sink = VectorSink::<C32>::new();
/// let items = sink.items();
/// let sink = graph.add("sink", sink);
/// graph.connect(a.output, block.input[0]);
/// graph.connect(b.output, block.input[1]);
/// graph.connect(block.output, sink.input);
/// graph.run()?;
/// assert_eq!(items.take(), [C32::ONE; 4]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Block)]
pub struct PfbSynthesizer {
    #[port("in")]
    input: Vec<In<C32>>,
    #[port("out")]
    output: Out<C32>,
    plan: Arc<dyn Fft<f32>>,
    taps: Vec<f32>,
    /// The group delay of symmetric taps, in items of the output.
    delay: usize,
    channels: usize,
    map: Vec<usize>,
    /// The inverse transforms of the latest rounds of inputs, as a ring: as many as the taps need.
    rounds: Vec<C32>,
    next: usize,
    /// Whether the second half of each transform comes next, where there are twice as many channels.
    second_half: bool,
    /// Of the steps of a call.
    frames: Vec<C32>,
    scratch: Vec<C32>,
}

/// The most channels.
const MOST: usize = 1024;

impl PfbSynthesizer {
    /// So many channels and inputs. `map` says which channel each input is put into; empty: that of its number.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Element`] or [`Error::OutOfRange`] where there is no tap, one that is not finite, or a number
    /// is out of its range.
    pub fn new(
        channels: usize,
        inputs: usize,
        taps: &[f32],
        twice: bool,
        map: &[i64],
    ) -> Result<Self, Error> {
        check((1..=MOST).contains(&channels), "channels", "a whole number from 1 to 1024", channels as f64)?;
        check(
            (1..=channels).contains(&inputs),
            "inputs",
            "a whole number from 1 to channels",
            inputs as f64,
        )?;
        check_taps::<C32, f32>(taps)?;
        check(taps.len() <= 1 << 22, "taps", "at most 4194304 numbers", taps.len() as f64)?;
        let size = if twice { 2 * channels } else { channels };
        let mut map = checked_map(map, inputs, size)?;
        check(map.len() >= inputs, "channel_map", "a channel for each input", map.len() as f64)?;
        map.truncate(inputs);
        let mut padded = taps.to_vec();
        padded.resize(taps.len().next_multiple_of(channels), 0.0);
        let plan = FftPlanner::new().plan_fft_inverse(size);
        // A band repeats at the rate of the output.
        let channel = map.first().map_or(0.0, |channel| *channel as f64 / size as f64);
        let conversion = Conversion::new(Ratio::interpolate(channels));
        let conversion = conversion.moved((channel.round() - channel) * channels as f64);
        Ok(PfbSynthesizer {
            input: (0..inputs).map(|_| In::new()).collect(),
            output: Out::new().min(channels).multiple(channels).converted(conversion),
            delay: (taps.len() - 1) / 2,
            rounds: vec![C32::ZERO; padded.len() / channels * size],
            frames: Vec::new(),
            scratch: vec![C32::ZERO; plan.get_inplace_scratch_len()],
            plan,
            taps: padded,
            channels,
            map,
            next: 0,
            second_half: twice,
        })
    }
}

impl PfbSynthesizer {
    /// Hands the tags of the next `items` items of an input on; with 0, those beyond the last. The first input alone says the
    /// centre of the band: that of each is that of its channel.
    fn pass_tags(&mut self, place: usize, items: usize) {
        let (from, to, delay) = (self.input[place].index(), self.output.index(), self.delay as u64);
        let (output, channels) = (&mut self.output, self.channels);
        self.input[place].for_each_tag(items, |tag| {
            if place == 0 || &*tag.key != "rx_freq" {
                let index = to + map_index(tag.index - from, channels, 1, delay);
                output.put_tag(Tag { index, ..tag.clone() });
            }
        });
    }
}

impl Work for PfbSynthesizer {
    fn ratio(&self) -> Option<Ratio> {
        Some(Ratio::interpolate(self.channels))
    }

    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let (size, channels) = (self.plan.len(), self.channels);
        let rounds = self.rounds.len() / size;
        let available = self.input.iter().map(In::available).min().unwrap_or(0);
        let room = self.output.room() / channels;
        let count = available.min(room);
        if count == 0 {
            return Ok(if room == 0 { Step::NeedOutput } else { Step::NeedInput });
        }
        // The frames of all steps, each with an item of each input.
        self.frames.clear();
        self.frames.resize(count * size, C32::ZERO);
        for (input, channel) in self.input.iter().zip(&self.map) {
            for (frame, x) in self.frames.chunks_exact_mut(size).zip(input.peek()) {
                frame[*channel] += x;
            }
        }
        self.plan.process_with_scratch(&mut self.frames, &mut self.scratch);
        let y = self.output.reserve().chunks_exact_mut(channels);
        for (frame, y) in self.frames.chunks_exact(size).zip(y) {
            self.rounds[self.next * size..][..size].copy_from_slice(frame);
            // All outputs of this step lie in one half of each transform: the shift goes on with the output.
            let first = if self.second_half { channels } else { 0 };
            y.fill(C32::ZERO);
            for (age, taps) in self.taps.chunks_exact(channels).enumerate() {
                let round = &self.rounds[(self.next + rounds - age) % rounds * size + first..][..channels];
                for ((y, tap), x) in y.iter_mut().zip(taps).zip(round) {
                    *y += x * tap;
                }
            }
            self.next = (self.next + 1) % rounds;
            self.second_half = size > channels && !self.second_half;
        }
        (0..self.input.len()).for_each(|place| self.pass_tags(place, count));
        self.input.iter_mut().for_each(|port| port.consume(count));
        self.output.produce(count * channels);
        Ok(Step::Ran)
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        (0..self.input.len()).for_each(|place| self.pass_tags(place, 0));
        Ok(Step::Done)
    }
}

#[declare(
    category = "filters",
    summary = "Puts streams side by side as channels of one band.",
    ports(
        input("in0", "C32", "the stream of channel 0"),
        input("in1", "C32", "the stream of channel 1; more as inputs says"),
        output("out", "C32", "the band: n · channels items for n")
    )
)]
fn pfb_synthesizer(
    /// How many channels: items out for one item in.
    #[param(range = 1..=MOST)]
    channels: usize,
    /// How many streams there are: in0, in1, ….
    #[param(range = 1..=MOST, default = 2)]
    inputs: usize,
    /// The real taps of a low-pass filter for the output's rate.
    taps: Vec<C64>,
    /// Channels half as far apart: the inputs have twice the rate.
    #[param(default = false)]
    twice: bool,
    /// Which channel each input has; none: that of its number.
    #[param(json = "[]")]
    channel_map: Vec<C64>,
) -> Result<AnyBlock, BlockError> {
    let taps = from_numbers("taps", &taps)?;
    let map: Vec<i64> =
        from_numbers::<i32>("channel_map", &channel_map)?.into_iter().map(i64::from).collect();
    Ok(AnyBlock::new(PfbSynthesizer::new(channels, inputs, &taps, twice, &map)?))
}

#[cfg(test)]
#[allow(clippy::approx_constant, clippy::type_complexity, reason = "numbers as they were observed")]
mod tests {
    use super::*;
    use crate::testing::{complex_noise, cuts};
    use superhet_runtime::harness::{VecSink, VecSource};
    use superhet_runtime::{Graph, Options, Single};

    fn band(block: PfbSynthesizer, streams: &[Vec<C32>], options: &Options) -> Vec<C32> {
        let mut graph = Graph::new();
        graph.add("block", block);
        for (place, stream) in streams.iter().enumerate() {
            graph.add(format!("s{place}"), VecSource::new(stream.clone()));
            graph.connect_names(&format!("s{place}"), &format!("block.in{place}"));
        }
        let sink = VecSink::<C32>::new();
        let items = sink.items();
        graph.add("sink", sink);
        graph.connect_names("block", "sink");
        graph.check().unwrap().start(&Single, options).unwrap().wait().unwrap();
        items.take()
    }

    #[test]
    fn values_are_those_of_gnu_radio() {
        let taps: Vec<f32> = (1..11).map(|n| n as f32).collect();
        // The first outputs for an impulse in channel 1 at a place, behind the zeros.
        let golden: [(bool, usize, [(f32, f32); 3]); 4] = [
            (false, 0, [(1.0, 0.0), (0.0, 2.0), (-3.0, 0.0)]),
            (false, 1, [(1.0, 0.0), (0.0, 2.0), (-3.0, 0.0)]),
            (true, 0, [(-1.0, 0.0), (-1.414214, -1.414214), (0.0, -3.0)]),
            (true, 1, [(1.0, 0.0), (1.414214, 1.414214), (0.0, 3.0)]),
        ];
        for (twice, place, wanted) in golden {
            let mut streams = vec![vec![C32::ZERO; 12]; 4];
            streams[1][place] = C32::ONE;
            let y =
                band(PfbSynthesizer::new(4, 4, &taps, twice, &[]).unwrap(), &streams, &Options::default());
            assert_eq!(y.len(), 48);
            for (y, (re, im)) in y[4 * place..].iter().zip(wanted) {
                assert!((y - C32::new(re, im)).norm() < 1e-5, "{twice} {place}: {y}");
            }
        }
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        let streams: Vec<Vec<C32>> = complex_noise(300).chunks(100).map(<[C32]>::to_vec).collect();
        let taps = crate::testing::noise(33);
        for twice in [false, true] {
            let make = || PfbSynthesizer::new(5, 3, &taps, twice, &[4, 0, 2]).unwrap();
            let whole = band(make(), &streams, &Options::default());
            for options in cuts() {
                assert_eq!(band(make(), &streams, &options), whole);
            }
        }
        assert!(PfbSynthesizer::new(2, 3, &taps, false, &[]).is_err());
        assert!(PfbSynthesizer::new(2, 2, &taps, false, &[0]).is_err());
    }
}
