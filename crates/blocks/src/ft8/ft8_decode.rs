//! Messages of FT8 and FT4, out of audio.

use superhet_runtime::catalog::Kind;
use superhet_runtime::{
    Block, BlockError, Context, In, MsgOut, Step, Value, Work, declare, message::MessageType,
};

use super::decoder::{Decoder, HIGHEST_HZ, Heard, Progress};
use super::mode::{Mode, ModeName};
use crate::error::{Error, check};
use crate::tags::IndexHistory;

/// Decodes FT8 or FT4, all messages at once that are in the band of a receiver for single sideband.
///
/// No clock is needed: messages are looked for at every time, not at the beginning of slots only. What was read is taken out of the
/// samples, so that weaker messages below it are found, too. The soft bits of one to three (FT4: four) symbols together are decoded by
/// belief propagation, and then by ordered statistics. A message counts when its checksum of 14 bits is right, and the more of its bits
/// are as they were heard, the fewer of its synchronisation symbols need to be.
///
/// A slot is decoded when the samples of the next are there: a message comes up to two slots after its start. That is done a little at
/// a time, so that other blocks of the same worker wait for some milliseconds at most.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `f32` | audio at 12 kHz, any |
/// | out `out` | maps | |
///
/// | entry | is |
/// |---|---|
/// | `fields` | a map: `text`, `kind`; where the message has them `to`, `from`, `grid`, `report_db` |
/// | `frequency_hz` | its lowest tone, whole Hz |
/// | `snr_db` | by the noise in 2500 Hz, dB |
/// | `duration_samples` | behind [`IndexTags`](crate::tags::IndexTags): samples of the recording |
/// | `sample_index` | behind [`IndexTags`](crate::tags::IndexTags): where its first symbol begins |
/// | `hex` | its 77 bits, and three zeros |
/// | `protocol` | `FT8` or `FT4` |
///
/// # Source
/// S. Franke, B. Somerville and J. Taylor, "The FT4 and FT8 Communication Protocols", QEX, July/August 2020. M. Fossorier and S. Lin,
/// "Soft-decision decoding of linear block codes based on ordered statistics", IEEE Trans. Information Theory 41 (5), 1995.
#[derive(Debug, Block)]
pub struct Ft8Decode {
    #[port("in")]
    input: In<f32>,
    #[port("out")]
    output: MsgOut,
    mode: Mode,
    decoder: Decoder,
    history: IndexHistory,
    is_busy: bool,
}

#[declare(
    category = "ft8",
    summary = "Decodes all messages of FT8 or FT4 in audio.",
    ports(
        input("in", "f32", "audio at 12 kHz"),
        output("out", "messages", "maps: fields, frequency_hz, snr_db, sample_index and so on")
    )
)]
impl Ft8Decode {
    /// A decoder of messages whose lowest tones lie between two frequencies.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where the frequencies are not in order, or do not lie within the audio.
    pub fn new(
        /// What to decode: ft8 or ft4.
        #[param(by = ModeName, default = "ft8")]
        mode: Mode,
        /// The lowest frequency that is looked at.
        #[param(formerly = "lowest_hz", unit = "Hz", kind = Kind::Float(0.0, HIGHEST_HZ), default = 100.0)]
        min_frequency_hz: f64,
        /// The highest.
        #[param(formerly = "highest_hz", unit = "Hz", kind = Kind::Float(0.0, HIGHEST_HZ), default = 4000.0)]
        max_frequency_hz: f64,
    ) -> Result<Self, Error> {
        check(
            (0.0..=HIGHEST_HZ).contains(&max_frequency_hz),
            "max_frequency_hz",
            "a number from 0 to 5500",
            max_frequency_hz,
        )?;
        check(
            (0.0..=max_frequency_hz).contains(&min_frequency_hz),
            "min_frequency_hz",
            "a number from 0 to max_frequency_hz",
            min_frequency_hz,
        )?;
        Ok(Ft8Decode {
            input: In::new(),
            output: MsgOut::new().sends(MessageType::Map),
            mode,
            decoder: Decoder::new(mode, min_frequency_hz, max_frequency_hz),
            history: IndexHistory::default(),
            is_busy: false,
        })
    }

    /// Decodes a little.
    fn step(&mut self) -> Result<(), BlockError> {
        let progress = self.decoder.step();
        self.is_busy = !matches!(progress, Progress::Waiting);
        if let Progress::Heard(heard) = progress {
            self.output.send(self.message(&heard))?;
        }
        Ok(())
    }

    fn message(&self, heard: &Heard) -> Value {
        let message = &heard.message;
        let mut fields = vec![("text", Value::from(message.text.as_str())), ("kind", message.kind.into())];
        fields.extend(message.to.as_deref().map(|to| ("to", to.into())));
        fields.extend(message.from.as_deref().map(|from| ("from", from.into())));
        fields.extend(message.grid.as_deref().map(|grid| ("grid", grid.into())));
        fields.extend(message.report.map(|report| ("report_db", report.into())));
        let mut entries = vec![
            ("fields", Value::map(fields)),
            ("frequency_hz", heard.frequency_hz.round().into()),
            ("snr_db", heard.snr_db.round().into()),
            ("hex", format!("{:020x}", heard.bits << 3).into()),
            ("protocol", self.mode.name().into()),
        ];
        let start = heard.start.max(0) as u64;
        let end = start + self.mode.message_samples() as u64;
        if let (Some(first), Some(last)) = (self.history.sample_of(start), self.history.sample_of(end)) {
            entries.push(("sample_index", first.into()));
            entries.push(("duration_samples", (last - first).into()));
        }
        Value::map(entries)
    }
}

impl Work for Ft8Decode {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let there = self.input.available();
        let Ft8Decode { input, history, .. } = self;
        input.for_each_tag(there, |tag| history.note(tag));
        // An item that is left has it called again.
        let n = if self.is_busy { there - 1 } else { there };
        self.decoder.push(&self.input.peek()[..n]);
        self.input.consume(n);
        self.step()?;
        // What is left, or has come meanwhile, it takes next.
        Ok(if self.is_busy { Step::Later } else { Step::Ran })
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        self.decoder.end();
        self.step()?;
        Ok(if self.is_busy { Step::Ran } else { Step::Done })
    }
}
