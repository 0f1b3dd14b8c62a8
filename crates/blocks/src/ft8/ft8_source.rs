//! A transmitter of FT8 and FT4.

use superhet_runtime::catalog::Kind;
use superhet_runtime::{Block, BlockError, Context, Out, Step, Work, declare};

use super::decoder::HIGHEST_HZ;
use super::message;
use super::mode::{Mode, ModeName, RATE_HZ};
use super::waveform;
use crate::error::{Error, check};

/// Sends a message by FT8 or FT4: slots of audio at 12 kHz, each with the message from half a second on, and silence around it.
///
/// A message is a standard one (`CQ K1ABC FN42`, `K1ABC W9XYZ R-09`, `W9XYZ K1ABC RR73`, …), one with a call of another form
/// (`CQ PJ4/K1ABC`, `<PJ4/K1ABC> YW18FIFA 73`), telemetry of 18 hexadecimal digits, or any text of up to 13 of the characters
/// `A`–`Z`, `0`–`9`, `+-./?` and space.
///
/// | port | item | unit |
/// |---|---|---|
/// | out `out` | `f32` | audio at 12 kHz, from −`amplitude` to `amplitude` |
///
/// **Source**: as [`Ft8Decode`](super::Ft8Decode).
///
/// ```
/// use superhet_blocks::ft8::{Ft8Source, Mode};
/// use superhet_runtime::Graph;
///
/// let mut graph = Graph::new();
/// let source = graph.add("source", Ft8Source::new("CQ K1ABC FN42".into(), Mode::Ft4, 1500.0, 0.5, 2)?);
/// let audio = graph.collect(source.output);
/// graph.run()?;
/// assert_eq!(audio.take().len(), 2 * 90_000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct Ft8Source {
    #[port("out")]
    output: Out<f32>,
    slot: Vec<f32>,
    /// The next sample of the slot.
    next: usize,
    /// How many slots are left, unless it goes on for ever.
    left: Option<usize>,
}

/// A message begins so far into its slot.
const DELAY_S: f64 = 0.5;

#[declare(
    category = "ft8",
    summary = "Sends a message by FT8 or FT4, slot after slot.",
    ports(output("out", "f32", "audio at 12 kHz"))
)]
impl Ft8Source {
    /// A sender of a message.
    ///
    /// # Errors
    /// [`Error::WrongKind`] where the text is no message, [`Error::OutOfRange`] where a number is out of its range.
    pub fn new(
        /// The message.
        text: String,
        /// How it is sent: ft8 or ft4.
        #[param(by = ModeName, default = "ft8")]
        mode: Mode,
        /// The lowest tone.
        #[param(unit = "Hz", kind = Kind::Float(0.0, HIGHEST_HZ), default = 1500.0)]
        frequency_hz: f64,
        /// The highest sample.
        #[param(kind = Kind::Float(0.0, 1e6), default = 0.5)]
        amplitude: f64,
        /// In how many slots it is sent; 0: for ever.
        #[param(default = 1)]
        slots: usize,
    ) -> Result<Self, Error> {
        let wanted = "a message such as CQ K1ABC FN42, or up to 13 characters of A-Z, 0-9, space and +-./?";
        let message = message::write(&text).ok_or_else(|| Error::WrongKind {
            parameter: "text",
            wanted,
            got: format!("{text:?}"),
        })?;
        check(
            (0.0..=HIGHEST_HZ).contains(&frequency_hz),
            "frequency_hz",
            "a number from 0 to 5500",
            frequency_hz,
        )?;
        check((0.0..=1e6).contains(&amplitude), "amplitude", "a number from 0 to 1e6", amplitude)?;
        let mut slot = vec![0.0; (DELAY_S * RATE_HZ) as usize];
        let samples = waveform::samples(mode, &mode.tones_of(message), frequency_hz);
        slot.extend(samples.into_iter().map(|sample| (amplitude * sample) as f32));
        slot.resize(mode.slot_samples(), 0.0);
        Ok(Ft8Source { output: Out::new(), slot, next: 0, left: (slots > 0).then_some(slots) })
    }
}

impl Work for Ft8Source {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        if self.next == self.slot.len() {
            self.next = 0;
            self.left = self.left.map(|left| left - 1);
        }
        if self.left == Some(0) {
            return Ok(Step::Done);
        }
        let room = self.output.reserve();
        let n = room.len().min(self.slot.len() - self.next);
        room[..n].copy_from_slice(&self.slot[self.next..][..n]);
        self.next += n;
        self.output.produce(n);
        Ok(if n > 0 { Step::Ran } else { Step::NeedOutput })
    }
}
