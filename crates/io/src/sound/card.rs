//! A card to play on or to record from, by its name.

use super::api::{Alsa, Moved, Pulse, Shape};

/// What plays or records.
enum Card {
    Pulse(Pulse),
    Alsa(Alsa),
}

/// A name of a card: `pulse`, `pulse:SINK`, `alsa`, `alsa:PCM`, or nothing for the machine's own choice.
fn open(device: &str, shape: Shape, records: bool) -> Result<Card, String> {
    let (system, name) = device.split_once(':').unwrap_or((device, ""));
    let pulse = |name: &str| Pulse::open(name, shape, records).map(Card::Pulse);
    let alsa = |name: &str| Alsa::open(name, shape, records).map(Card::Alsa);
    match system {
        "" => pulse("").or_else(|of_pulse| {
            let neither = |of_alsa| {
                format!(
                    "no sound here: PulseAudio or PipeWire: {of_pulse}; ALSA: {of_alsa}; install and start one of them, as by \
                     `apt install libpulse0 pipewire-pulse`"
                )
            };
            alsa("").map_err(neither)
        }),
        "pulse" => pulse(name).map_err(|problem| format!("PulseAudio or PipeWire: {problem}")),
        "alsa" => alsa(name).map_err(|problem| format!("ALSA: {problem}")),
        _ => Err(format!("there is no such card, expected {NAMES}")),
    }
}

/// How cards are named, for errors.
pub(crate) const NAMES: &str = "pulse, pulse:NAME, alsa, alsa:NAME, or nothing for the machine's own";

/// Whether a name is one that a card may have.
pub(crate) fn is_name(device: &str) -> bool {
    matches!(device.split_once(':').map_or(device, |(system, _)| system), "" | "pulse" | "alsa")
}

/// A card that plays.
pub(crate) struct Player {
    card: Card,
    /// Frames that have to lie there before the first is heard.
    start_frames: f64,
    channels: usize,
    /// Of ALSA, which knows no delay before it plays: frames that wait for the start; nothing where it plays.
    waiting: Option<usize>,
}

impl Player {
    /// Opens a card, which begins to play when so many frames are there.
    pub fn open(device: &str, rate_hz: u32, channels: u8, frames: u32) -> Result<Self, String> {
        let card = open(device, Shape { rate_hz, channels, frames }, false)?;
        Ok(Player { card, start_frames: frames.into(), channels: channels.into(), waiting: Some(0) })
    }

    /// How many frames have been written and not been heard.
    pub fn fill(&mut self) -> Result<f64, String> {
        match (&mut self.card, self.waiting) {
            (Card::Pulse(pulse), _) => pulse.fill(),
            (Card::Alsa(_), Some(waiting)) => Ok(waiting as f64),
            (Card::Alsa(alsa), None) => Ok(alsa.fill()),
        }
    }

    /// Writes frames; how many it has taken. What runs empty begins anew when there are enough again.
    pub fn write(&mut self, samples: &[f32]) -> Result<usize, String> {
        match &mut self.card {
            Card::Pulse(pulse) => {
                pulse.write(samples)?;
                Ok(samples.len() / self.channels)
            }
            Card::Alsa(alsa) => {
                let frames = match alsa.write(samples)? {
                    Moved::Frames(frames) => frames,
                    Moved::NotNow => 0,
                    Moved::Broken => {
                        self.waiting = Some(0);
                        0
                    }
                };
                self.waiting = self.waiting.map(|waiting| waiting.saturating_add(frames));
                if self.waiting.is_some_and(|waiting| waiting as f64 >= self.start_frames) {
                    alsa.start();
                    self.waiting = None;
                }
                Ok(frames)
            }
        }
    }

    /// No more comes: what is there is heard, however little it is. How many frames that are.
    pub fn finish(&mut self) -> Result<f64, String> {
        let left = self.fill()?;
        match &mut self.card {
            Card::Pulse(pulse) => pulse.write(&vec![0.0; self.start_frames as usize * self.channels])?,
            Card::Alsa(alsa) => alsa.start(),
        }
        Ok(left)
    }
}

/// A card that records.
pub(crate) struct Recorder {
    card: Card,
    channels: usize,
}

/// How long a read of ALSA waits.
const WAIT_MS: i32 = 50;

impl Recorder {
    /// Opens a card, which gives so many frames at a time.
    pub fn open(device: &str, rate_hz: u32, channels: u8, frames: u32) -> Result<Self, String> {
        let mut card = open(device, Shape { rate_hz, channels, frames }, true)?;
        if let Card::Alsa(alsa) = &mut card {
            alsa.start();
        }
        Ok(Recorder { card, channels: channels.into() })
    }

    /// Reads frames; how many have come, or nothing where some are missing before what comes next.
    pub fn read(&mut self, samples: &mut [f32]) -> Result<Option<usize>, String> {
        match &mut self.card {
            Card::Pulse(pulse) => {
                pulse.read(samples)?;
                Ok(Some(samples.len() / self.channels))
            }
            Card::Alsa(alsa) => match alsa.read(samples, WAIT_MS)? {
                Moved::Frames(frames) => Ok(Some(frames)),
                Moved::NotNow => Ok(Some(0)),
                Moved::Broken => {
                    alsa.start();
                    Ok(None)
                }
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_that_is_none_is_said_with_what_was_expected() {
        for (name, is) in [
            ("", true),
            ("pulse", true),
            ("pulse:air", true),
            ("alsa:hw:0,1", true),
            ("hw:0", false),
            ("x", false),
        ] {
            assert_eq!(is_name(name), is, "{name}");
        }
        let error = Player::open("oss", 48_000, 1, 100).map(|_| ()).unwrap_err();
        assert_eq!(error, format!("there is no such card, expected {NAMES}"));
    }
}
