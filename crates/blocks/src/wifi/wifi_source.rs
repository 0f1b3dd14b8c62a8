//! A transmitter of 802.11.

use superhet_runtime::catalog::Parameters;
use superhet_runtime::{Block, BlockError, C32, Context, Out, Step, Work, declare};

use super::mac::FCS_BYTES;
use super::rate::Rate;
use super::wifi_encode::{WifiEncode, rate_of};
use crate::error::{Error, check};
use crate::sources::random::Random;

/// Sends frames of 802.11a, g and p (OFDM) by one rate, one after the other, with pauses before them: broadcast data of
/// `02:00:00:00:00:01`, whose sequence numbers count from 0 on, with a random body.
///
/// | port | item | unit |
/// |---|---|---|
/// | out `out` | `C32` | as many samples a second as the channel is wide; a mean power of about `amplitude²` in frames, 0 between |
///
/// | setting | unit | range |
/// |---|---|---|
/// | `mbps` | Mbit/s in 20 MHz | 6, 9, 12, 18, 24, 36, 48, 54 |
/// | `length` | bytes, with header and checksum | 28 to 4095 |
/// | `gap_samples` | samples before each frame, and 2000 behind the last | |
///
/// **Source**: as [`WifiEncode`].
///
/// ```
/// use superhet_blocks::wifi::{WifiSettings, WifiSource};
/// use superhet_runtime::Graph;
///
/// let mut graph = Graph::new();
/// let settings = WifiSettings { mbps: 54, length: 100, frames: 2, ..WifiSettings::default() };
/// let source = graph.add("source", WifiSource::new(&settings)?);
/// let samples = graph.collect(source.output);
/// graph.run()?;
/// assert_eq!(samples.take().len(), 2 * (1000 + 720) + 2000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct WifiSource {
    #[port("out")]
    output: Out<C32>,
    settings: WifiSettings,
    rate: &'static Rate,
    encoder: WifiEncode,
    random: Random,
    /// How many zeros come before what is left of the frame.
    pause: usize,
    /// The frame that is being sent, and how much of it has been.
    frame: Vec<C32>,
    sent: usize,
    /// How many frames have been made.
    made: u64,
}

/// What a [`WifiSource`] sends.
#[derive(Clone, Copy, Debug, Parameters)]
pub struct WifiSettings {
    /// The rate in a channel of 20 MHz: 6, 9, 12, 18, 24, 36, 48 or 54; half of it in 10 MHz, a quarter in 5 MHz.
    #[param(unit = "Mbit/s", range = 6..=54, default = 6)]
    pub mbps: u64,
    /// Bytes of a frame, with header and checksum.
    #[param(unit = "bytes", range = 28..=4095, default = 100)]
    pub length: usize,
    /// Samples before each frame.
    #[param(unit = "samples", range = 0..=LONGEST_PAUSE, default = 1000)]
    pub gap_samples: usize,
    /// The root of the mean power of a frame.
    #[param(range = 0.0..=1e6, default = 1.0)]
    pub amplitude: f64,
    /// How many frames are sent; 0: for ever.
    #[param(default = 1)]
    pub frames: u64,
    /// The same seed gives the same bodies.
    #[param(default = 0)]
    pub seed: u64,
}

impl Default for WifiSettings {
    fn default() -> Self {
        WifiSettings { mbps: 6, length: 100, gap_samples: 1000, amplitude: 1.0, frames: 1, seed: 0 }
    }
}

/// The header of data, without its number: broadcast, neither to nor from a distribution system.
const HEADER: [u8; 22] =
    [8, 0, 0, 0, 255, 255, 255, 255, 255, 255, 2, 0, 0, 0, 0, 1, 255, 255, 255, 255, 255, 255];
/// Bytes of a frame without a body.
const SHORTEST: usize = HEADER.len() + 2 + FCS_BYTES;
/// Samples behind the last frame.
const END: usize = 2000;
/// The longest pause, in samples: 0.8 s in 20 MHz.
const LONGEST_PAUSE: usize = 1 << 24;

#[declare(
    category = "wifi",
    summary = "Sends frames of 802.11a, g and p, one after the other.",
    ports(output("out", "C32", "as many samples a second as the channel is wide"))
)]
impl WifiSource {
    /// A transmitter.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where a setting is out of its range.
    pub fn new(#[param(group)] settings: &WifiSettings) -> Result<Self, Error> {
        let rate = rate_of(settings.mbps)?;
        let length = settings.length;
        check(
            (SHORTEST..=4095).contains(&length),
            "length",
            "a whole number from 28 to 4095",
            length as f64,
        )?;
        let amplitude = settings.amplitude;
        check((0.0..=1e6).contains(&amplitude), "amplitude", "a number from 0 to 1e6", amplitude)?;
        let most = LONGEST_PAUSE;
        check(
            settings.gap_samples <= most,
            "gap_samples",
            "a whole number from 0 to 2^24",
            settings.gap_samples as f64,
        )?;
        Ok(WifiSource {
            output: Out::new(),
            settings: *settings,
            rate,
            encoder: WifiEncode::new(settings.mbps)?,
            random: Random::new(settings.seed),
            pause: 0,
            frame: Vec::new(),
            sent: 0,
            made: 0,
        })
    }

    /// Makes what comes next: a frame with its pause, or the end; `false` behind that.
    fn next(&mut self) -> bool {
        self.sent = 0;
        self.frame.clear();
        let frames = self.settings.frames;
        if frames > 0 && self.made >= frames {
            self.pause = if self.made == frames { END } else { 0 };
            self.made = frames + 1;
            return self.pause > 0;
        }
        let mut bytes = HEADER.to_vec();
        // Twelve bits of it, above the number of a fragment.
        bytes.extend(((self.made << 4) as u16).to_le_bytes());
        while bytes.len() < self.settings.length - FCS_BYTES {
            bytes.extend(self.random.bits().to_le_bytes());
        }
        bytes.truncate(self.settings.length - FCS_BYTES);
        let amplitude = self.settings.amplitude as f32;
        self.pause = self.settings.gap_samples;
        self.frame.extend(self.encoder.samples(self.rate, &bytes).iter().map(|sample| sample * amplitude));
        self.made += 1;
        true
    }
}

impl Work for WifiSource {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        if self.pause == 0 && self.sent == self.frame.len() && !self.next() {
            return Ok(Step::Done);
        }
        let room = self.output.reserve();
        let n = if self.pause > 0 {
            let n = room.len().min(self.pause);
            room[..n].fill(C32::ZERO);
            self.pause -= n;
            n
        } else {
            let n = room.len().min(self.frame.len() - self.sent);
            room[..n].copy_from_slice(&self.frame[self.sent..][..n]);
            self.sent += n;
            n
        };
        self.output.produce(n);
        Ok(if n > 0 { Step::Ran } else { Step::NeedOutput })
    }
}
