//! OFDM frames put right: their frequency and their channel.

use std::f64::consts::TAU;
use std::sync::Arc;

use superhet_runtime::catalog::Kind;
use superhet_runtime::{
    AnyBlock, Block, BlockError, C32, C64, Context, In, Out, Packet, Step, Tag, Value, Work, declare,
    packet::PacketBlock,
};

use crate::digital::constellations::constellation::Constellation;
use crate::digital::ofdm::carriers::{CARRIER_OFFSET, CHANNEL_TAPS, MOST_CARRIERS, carriers, symbols};
use crate::digital::ofdm::ofdm_equalizer::{Decisions, OfdmEqualizer};
use crate::error::{Error, check};
use crate::item::from_values;

/// Puts frames of OFDM symbols right: moves the carriers by the frequency offset back to their places, turns what the offset has
/// turned between symbols, and equalizes.
///
/// The offset, in carriers, and the channel at first are the entries `ofdm_sync_carr_offset` and `ofdm_sync_chan_taps` of the metadata,
/// as [`OfdmChanest`](crate::digital::OfdmChanest) gives them; the second ends here. Symbol `n` is turned by
/// `exp(−2πi · offset · cp_length / fft_length · (n + 1))`. Carriers at the edge take over what lies beyond it in the frame, 0 at its ends.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | frames of whole symbols, `fft_length` items each |
/// | out `out` | `C32` | the same |
///
/// # Errors
/// At run time: a frame that is no whole symbols, and taps that are not `fft_length` numbers.
///
/// ```
/// use superhet_blocks::digital::{OfdmEqualizer, OfdmFrameEqualizer};
/// use superhet_runtime::{C32, Packet, packet::PacketBlock};
///
/// let equalizer = OfdmEqualizer::new(2, vec![], vec![], vec![], 0)?;
/// let mut block = OfdmFrameEqualizer::new(equalizer, 1);
/// let mut frame = Packet::from_items(&[C32::ONE, C32::I]);
/// frame.set("ofdm_sync_chan_taps", vec![C32::I, C32::I]);
/// assert_eq!(block.packet(frame)?.unwrap().items(), [-C32::I, C32::ONE]);
/// # Ok::<(), superhet_runtime::BlockError>(())
/// ```
#[derive(Clone, Debug)]
pub struct OfdmFrameEqualizer {
    equalizer: OfdmEqualizer,
    cp_length: usize,
    tells_taps: bool,
}

impl OfdmFrameEqualizer {
    /// For symbols with a prefix of `cp_length` items in the time domain.
    pub fn new(equalizer: OfdmEqualizer, cp_length: usize) -> Self {
        OfdmFrameEqualizer { equalizer, cp_length, tells_taps: false }
    }

    /// Gives each frame the channel after its last symbol as `ofdm_sync_chan_taps`, turned by what the offset has turned until then: as a
    /// frame behind it, whose symbols count from 0 again, needs it.
    #[must_use]
    pub fn telling_taps(mut self) -> Self {
        self.tells_taps = true;
        self
    }

    /// Frames of so many symbols, whatever the stream says; they get tags `length_tag` with their length where that is not
    /// empty.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless a frame has 1 to 2²⁴ items.
    pub fn fixed(self, symbols: usize, length_tag: impl Into<Arc<str>>) -> Result<FixedFrames, Error> {
        let items = symbols.saturating_mul(self.equalizer.fft_length());
        check(
            (1..=1 << 24).contains(&items),
            "fixed_frame_length",
            "frames of 1 to 16777216 items",
            items as f64,
        )?;
        let (input, output) = (In::new().multiple(items), Out::new().multiple(items));
        Ok(FixedFrames { input, output, items, length_tag: length_tag.into(), block: self })
    }

    /// By how much an offset turns `symbols` symbols back.
    fn turn(&self, offset: i64, symbols: usize) -> C32 {
        let turns =
            -(offset as f64) * self.cp_length as f64 / self.equalizer.fft_length() as f64 * symbols as f64;
        let turn = C64::from_polar(1.0, turns.fract() * TAU);
        C32::new(turn.re as f32, turn.im as f32)
    }

    /// The channel taps that are given after a frame of so many items.
    fn taps_after(&self, offset: i64, items: usize) -> Vec<C32> {
        let turn = self.turn(offset, items / self.equalizer.fft_length()).conj();
        self.equalizer.taps().iter().map(|tap| tap * turn).collect()
    }

    /// Puts the frame `x` right.
    fn frame(
        &mut self,
        x: &[C32],
        y: &mut [C32],
        offset: i64,
        taps: Option<&Value>,
    ) -> Result<(), BlockError> {
        let fft_length = self.equalizer.fft_length();
        let taps = taps.map(|taps| from_values::<C32>(CHANNEL_TAPS, taps)).transpose()?;
        if let Some(taps) = taps.as_ref().filter(|taps| taps.len() != fft_length) {
            return Err(format!("{CHANNEL_TAPS}: {} numbers, expected {fft_length}", taps.len()).into());
        }
        let by = usize::try_from(offset.unsigned_abs()).unwrap_or(usize::MAX).min(x.len());
        let stays = x.len() - by;
        y.fill(C32::ZERO);
        if offset >= 0 {
            y[..stays].copy_from_slice(&x[by..]);
        } else {
            y[by..].copy_from_slice(&x[..stays]);
        }
        if offset != 0 {
            for (number, symbol) in y.chunks_exact_mut(fft_length).enumerate() {
                let turn = self.turn(offset, number + 1);
                symbol.iter_mut().for_each(|x| *x *= turn);
            }
        }
        self.equalizer.equalize(y, taps.as_deref());
        Ok(())
    }
}

impl PacketBlock for OfdmFrameEqualizer {
    type In = C32;
    type Out = C32;

    fn packet(&mut self, x: Packet<C32>) -> Result<Option<Packet<C32>>, BlockError> {
        let fft_length = self.equalizer.fft_length();
        if !x.len().is_multiple_of(fft_length) {
            return Err(
                format!("a frame of {} items: expected whole symbols of {fft_length}", x.len()).into()
            );
        }
        let mut y = x.with_meta(x.len());
        for tag in x.tags() {
            y.put_tag(tag.clone());
        }
        let offset = x.get(CARRIER_OFFSET).and_then(Value::as_i64).unwrap_or(0);
        let taps = y.unset(CHANNEL_TAPS);
        self.frame(x.items(), y.items_mut(), offset, taps.as_ref())?;
        if self.tells_taps {
            y.set(CHANNEL_TAPS, self.taps_after(offset, x.len()));
        }
        Ok(Some(y))
    }
}

/// An [`OfdmFrameEqualizer`] for frames of a fixed length, in a stream that has nothing else.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | symbols |
/// | out `out` | `C32` | the same |
#[derive(Debug, Block)]
pub struct FixedFrames {
    #[port("in")]
    input: In<C32>,
    #[port("out")]
    output: Out<C32>,
    /// Items of a frame.
    items: usize,
    length_tag: Arc<str>,
    block: OfdmFrameEqualizer,
}

impl Work for FixedFrames {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.items;
        let no_room = self.output.room() < n;
        let frames = (self.input.available() / n).min(self.output.room() / n);
        for _ in 0..frames {
            let (from, to) = (self.input.index(), self.output.index());
            let (mut offset, mut taps, mut tags) = (0, None, Vec::new());
            self.input.for_each_tag(n, |tag| match &*tag.key {
                CHANNEL_TAPS if tag.index == from => taps = Some(tag.value.clone()),
                key if *key == *self.length_tag => {}
                key => {
                    if key == CARRIER_OFFSET && tag.index == from {
                        offset = tag.value.as_i64().unwrap_or(0);
                    }
                    tags.push(Tag { index: tag.index - from + to, ..tag.clone() });
                }
            });
            self.block.frame(
                &self.input.peek()[..n],
                &mut self.output.reserve()[..n],
                offset,
                taps.as_ref(),
            )?;
            if !self.length_tag.is_empty() {
                self.output.tag(0, self.length_tag.clone(), n as i64);
            }
            if self.block.tells_taps {
                self.output.tag(0, CHANNEL_TAPS, self.block.taps_after(offset, n));
            }
            tags.into_iter().for_each(|tag| self.output.put_tag(tag));
            self.input.consume(n);
            self.output.produce(n);
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
    summary = "Puts OFDM frames right: their frequency and their channel.",
    ports(input("in", "C32", "frames of symbols"), output("out", "C32", "the same"))
)]
fn ofdm_frame_equalizer(
    /// How many carriers a symbol has.
    #[param(formerly = "fft_len", unit = "carriers", range = 2..=MOST_CARRIERS)]
    fft_length: usize,
    /// How long the prefix of a symbol is.
    #[param(formerly = "cp_len", unit = "items", default = 0)]
    cp_length: usize,
    /// The key of the tag on the first item of each packet that says how many items it has.
    #[param(default = "packet_len")]
    length_tag: &str,
    /// How long every frame is; 0 if the length tags say it.
    #[param(formerly = "fixed_frame_len", unit = "symbols", default = 0)]
    fixed_frame_length: usize,
    /// Whether frames get the channel after their last symbol.
    #[param(default = false)]
    tells_taps: bool,
    /// Whether decisions for the data change the channel, too.
    #[param(kind = Kind::Choice(&["static", "simpledfe"]), default = "static")]
    equalizer: &str,
    /// For one symbol after another: the numbers of the carriers in use, negative below 0; all if empty.
    #[param(json = "[]")]
    occupied_carriers: &Value,
    /// For one symbol after another: the numbers of the carriers with pilots.
    #[param(json = "[]")]
    pilot_carriers: &Value,
    /// For one symbol after another: the pilots on these.
    #[param(json = "[]")]
    pilot_symbols: &Value,
    /// Which list of pilots the first symbol of a frame has.
    #[param(unit = "symbols", default = 0)]
    symbols_skipped: usize,
    /// Whether carrier 0 is in the middle of a symbol.
    #[param(default = true)]
    input_is_shifted: bool,
    /// What decisions are made for: a name, or a map with points.
    #[param(default = "bpsk")]
    constellation: &Value,
    /// How much of a channel stays at each symbol where there are decisions.
    #[param(range = 0.0..=1.0, default = 0.1)]
    alpha: f64,
    /// Whether the samples are given; else what was decided for.
    #[param(default = false)]
    soft_output: bool,
) -> Result<AnyBlock, BlockError> {
    let places = |name, value| carriers(name, value, fft_length, input_is_shifted);
    let occupied = places("occupied_carriers", occupied_carriers)?;
    let pilots = places("pilot_carriers", pilot_carriers)?;
    let pilot_symbols = symbols("pilot_symbols", pilot_symbols)?;
    let mut channel = OfdmEqualizer::new(fft_length, occupied, pilots, pilot_symbols, symbols_skipped)?;
    if equalizer != "static" {
        let constellation = Constellation::from_value("constellation", constellation)?;
        channel =
            channel.with_decisions(Decisions { constellation, alpha: alpha as f32, soft: soft_output })?;
    }
    let mut block = OfdmFrameEqualizer::new(channel, cp_length);
    if tells_taps {
        block = block.telling_taps();
    }
    Ok(match fixed_frame_length {
        0 => AnyBlock::new(block.tagged(length_tag)),
        symbols => AnyBlock::new(block.fixed(symbols, length_tag)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{complex_noise, cuts, run_tagged};

    const N: usize = 8;

    fn block(cp_length: usize) -> OfdmFrameEqualizer {
        OfdmFrameEqualizer::new(OfdmEqualizer::new(N, vec![], vec![], vec![], 0).unwrap(), cp_length)
    }

    #[test]
    fn an_offset_moves_carriers_and_turns_symbols_as_gnu_radio_does() {
        let x = complex_noise(3 * N);
        for (offset, first) in [(1, 1), (-2, -2)] {
            let mut packet = Packet::from_items(&x);
            packet.set(CARRIER_OFFSET, offset);
            let y = block(4).packet(packet).unwrap().unwrap();
            for (place, y) in y.items().iter().enumerate() {
                let turn = if offset == 1 && (place / N).is_multiple_of(2) { -1.0 } else { 1.0 };
                let from = usize::try_from(place as i64 + first).ok().and_then(|from| x.get(from));
                let wanted = from.copied().unwrap_or(C32::ZERO) * turn;
                assert!((y - wanted).norm() < 1e-5, "{offset}: item {place}");
            }
        }
    }

    #[test]
    fn the_channel_is_divided_out_and_given_anew_if_so_wished() {
        let taps = vec![C32::new(0.0, 2.0); N];
        let frame = || {
            let mut packet = Packet::from_items(&[C32::new(2.0, 0.0); 2 * N]);
            packet.set(CHANNEL_TAPS, taps.clone());
            packet
        };
        let y = block(0).packet(frame()).unwrap().unwrap();
        assert_eq!((y.items()[3], y.get(CHANNEL_TAPS)), (-C32::I, None));
        let y = block(0).telling_taps().packet(frame()).unwrap().unwrap();
        assert_eq!(y.get(CHANNEL_TAPS), Some(&taps.clone().into()));
        let mut wrong = frame();
        wrong.set(CHANNEL_TAPS, vec![C32::ONE; 3]);
        let error = block(0).packet(wrong).unwrap_err().to_string();
        assert_eq!(error, "ofdm_sync_chan_taps: 3 numbers, expected 8");
        assert!(block(0).packet(Packet::from_items(&[C32::ONE; 9])).is_err());
    }

    #[test]
    fn the_channel_is_given_as_the_next_frame_needs_it() {
        for symbols in 1..4 {
            let mut packet = Packet::from_items(&vec![C32::ONE; symbols * N]);
            packet.set(CHANNEL_TAPS, vec![C32::ONE; N]);
            packet.set(CARRIER_OFFSET, 1);
            let y = block(2).telling_taps().packet(packet).unwrap().unwrap();
            let taps = from_values::<C32>("taps", y.get(CHANNEL_TAPS).unwrap()).unwrap();
            // A quarter turn for each symbol, as in GNU Radio.
            assert!((taps[0] - C32::I.powu(symbols as u32)).norm() < 1e-6, "{symbols}: {}", taps[0]);
        }
    }

    #[test]
    fn frames_of_a_fixed_length_get_length_tags_wherever_the_stream_is_cut() {
        let x = vec![C32::ONE; 4 * N];
        let tags =
            vec![(0, CHANNEL_TAPS, vec![C32::I; N].into()), (0, "len", 3.into()), (20, "t", Value::Null)];
        for options in cuts() {
            let fixed = block(0).fixed(2, "len").unwrap();
            let (y, tags) = run_tagged::<C32, C32, _, _>(fixed, x.clone(), tags.clone(), &options);
            assert_eq!(y, [-C32::I; 4 * N]);
            let wanted = [(0, "len", 16.into()), (16, "len", 16.into()), (20, "t", Value::Null)];
            assert_eq!(tags, wanted.map(|(index, key, value)| (index, key.to_owned(), value)));
        }
        assert!(block(0).fixed(0, "").is_err());
    }
}
