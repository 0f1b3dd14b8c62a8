//! Commands: what a client asks a server's radio to do.

use std::fmt;

use super::Greeting;

/// How long a command is.
pub(crate) const COMMAND: usize = 5;

/// What a client asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    FrequencyHz(u32),
    RateHz(u32),
    ManualGain(bool),
    /// In tenths of a decibel.
    Gain(i32),
    Ppm(i32),
    /// A stage of the intermediate frequency, and its gain in tenths of a decibel.
    StageGain(u16, i16),
    TestMode(bool),
    Agc(bool),
    DirectSampling(DirectSampling),
    OffsetTuning(bool),
    /// The clock of the chip, in hertz.
    ChipClock(u32),
    /// The clock of the tuner, in hertz.
    TunerClock(u32),
    /// A gain by its place in the tuner's table.
    GainIndex(u32),
    BiasTee(bool),
}

/// Which input is sampled without a tuner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DirectSampling {
    /// None: the tuner is used.
    #[default]
    Off,
    /// The I branch.
    I,
    /// The Q branch.
    Q,
}

impl DirectSampling {
    /// The words for a parameter, in the order of the variants, which is that of their numbers in the protocol.
    pub const WORDS: &'static [&'static str] = &["off", "i", "q"];
    const ALL: [DirectSampling; 3] = [DirectSampling::Off, DirectSampling::I, DirectSampling::Q];

    /// What a word says; `None` of any other.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::WORDS.iter().zip(Self::ALL).find(|(known, _)| **known == word).map(|(_, mode)| mode)
    }

    /// Its word.
    pub fn word(self) -> &'static str {
        Self::WORDS[self as usize]
    }
}

/// The highest gain that any tuner could have, in tenths of a decibel.
const MOST_GAIN: i32 = 1000;
/// How far off any crystal could be.
const MOST_PPM: i32 = 1000;

impl Command {
    /// As it is sent.
    pub fn bytes(self) -> [u8; COMMAND] {
        let (number, argument): (u8, u32) = match self {
            Command::FrequencyHz(hz) => (0x01, hz),
            Command::RateHz(hz) => (0x02, hz),
            Command::ManualGain(on) => (0x03, on.into()),
            Command::Gain(gain) => (0x04, gain.cast_unsigned()),
            Command::Ppm(ppm) => (0x05, ppm.cast_unsigned()),
            Command::StageGain(stage, gain) => {
                (0x06, u32::from(stage) << 16 | u32::from(gain.cast_unsigned()))
            }
            Command::TestMode(on) => (0x07, on.into()),
            Command::Agc(on) => (0x08, on.into()),
            Command::DirectSampling(mode) => (0x09, mode as u32),
            Command::OffsetTuning(on) => (0x0a, on.into()),
            Command::ChipClock(hz) => (0x0b, hz),
            Command::TunerClock(hz) => (0x0c, hz),
            Command::GainIndex(index) => (0x0d, index),
            Command::BiasTee(on) => (0x0e, on.into()),
        };
        let mut bytes = [number; COMMAND];
        bytes[1..].copy_from_slice(&argument.to_be_bytes());
        bytes
    }

    /// What a client of a server that greets so has sent.
    ///
    /// # Errors
    /// What is wrong with it, and what was expected.
    pub fn parse(bytes: [u8; COMMAND], greeting: Greeting) -> Result<Self, String> {
        let [number, argument @ ..] = bytes;
        let value = u32::from_be_bytes(argument);
        let signed = value.cast_signed();
        let within = |most: i32, what: &str, unit: &str| match signed {
            signed if (-most..=most).contains(&signed) => Ok(signed),
            signed => Err(format!("{what} of {signed} {unit}, expected at most {most} either way")),
        };
        Ok(match number {
            0x01 => Command::FrequencyHz(value),
            0x02 if value == 0 => return Err("a rate of 0 Hz, expected more".to_owned()),
            0x02 => Command::RateHz(value),
            0x03 => Command::ManualGain(value != 0),
            0x04 => Command::Gain(within(MOST_GAIN, "a gain", "tenths of a decibel")?),
            0x05 => Command::Ppm(within(MOST_PPM, "a correction", "ppm")?),
            0x06 => {
                let [high, low, gain @ ..] = argument;
                Command::StageGain(u16::from_be_bytes([high, low]), i16::from_be_bytes(gain))
            }
            0x07 => Command::TestMode(value != 0),
            0x08 => Command::Agc(value != 0),
            0x09 => match usize::try_from(value).ok().and_then(|mode| DirectSampling::ALL.get(mode)) {
                Some(mode) => Command::DirectSampling(*mode),
                None => return Err(format!("the direct sampling {value}, expected 0, 1 or 2")),
            },
            0x0a => Command::OffsetTuning(value != 0),
            0x0b => Command::ChipClock(value),
            0x0c => Command::TunerClock(value),
            0x0d if value >= greeting.gains => {
                return Err(format!("the gain number {value}, expected one below {}", greeting.gains));
            }
            0x0d => Command::GainIndex(value),
            0x0e => Command::BiasTee(value != 0),
            _ => return Err(format!("the command {number:#04x}, expected one from 0x01 to 0x0e")),
        })
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let on = |on: bool| if on { "on" } else { "off" };
        match *self {
            Command::FrequencyHz(hz) => write!(f, "frequency {hz} Hz"),
            Command::RateHz(hz) => write!(f, "rate {hz} Hz"),
            Command::ManualGain(manual) => write!(f, "gain {}", if manual { "manual" } else { "automatic" }),
            Command::Gain(gain) => write!(f, "gain {:.1} dB", f64::from(gain) / 10.0),
            Command::Ppm(ppm) => write!(f, "correction {ppm} ppm"),
            Command::StageGain(stage, gain) => {
                write!(f, "gain of stage {stage} {:.1} dB", f64::from(gain) / 10.0)
            }
            Command::TestMode(mode) => write!(f, "test mode {}", on(mode)),
            Command::Agc(agc) => write!(f, "AGC {}", on(agc)),
            Command::DirectSampling(mode) => write!(f, "direct sampling {}", mode.word()),
            Command::OffsetTuning(tuning) => write!(f, "offset tuning {}", on(tuning)),
            Command::ChipClock(hz) => write!(f, "clock of the chip {hz} Hz"),
            Command::TunerClock(hz) => write!(f, "clock of the tuner {hz} Hz"),
            Command::GainIndex(index) => write!(f, "gain number {index}"),
            Command::BiasTee(tee) => write!(f, "bias tee {}", on(tee)),
        }
    }
}

/// Commands out of bytes that come in pieces.
#[derive(Debug, Default)]
pub(crate) struct Commands {
    begun: [u8; COMMAND],
    filled: usize,
}

impl Commands {
    /// Shows every command that is whole with these bytes.
    pub fn feed(&mut self, bytes: &[u8], mut show: impl FnMut([u8; COMMAND])) {
        for byte in bytes {
            if let Some(place) = self.begun.get_mut(self.filled) {
                *place = *byte;
            }
            self.filled = self.filled.saturating_add(1);
            if self.filled >= COMMAND {
                self.filled = 0;
                show(self.begun);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Command; 14] = [
        Command::FrequencyHz(1_090_000_000),
        Command::RateHz(2_400_000),
        Command::ManualGain(true),
        Command::Gain(-99),
        Command::Ppm(-42),
        Command::StageGain(3, -30),
        Command::TestMode(true),
        Command::Agc(true),
        Command::DirectSampling(DirectSampling::Q),
        Command::OffsetTuning(true),
        Command::ChipClock(28_800_000),
        Command::TunerClock(28_800_000),
        Command::GainIndex(28),
        Command::BiasTee(true),
    ];

    #[test]
    fn what_is_sent_is_what_is_read() {
        for (command, number) in ALL.into_iter().zip(1u8..) {
            assert_eq!(command.bytes()[0], number, "{command}");
            assert_eq!(Command::parse(command.bytes(), Greeting::R820T), Ok(command));
        }
        assert_eq!(Command::FrequencyHz(1_090_000_000).bytes(), [1, 0x40, 0xf8, 0x14, 0x80]);
        assert_eq!(Command::Gain(-1).bytes(), [4, 0xff, 0xff, 0xff, 0xff]);
    }

    #[test]
    fn what_no_radio_can_do_is_refused_in_words() {
        for (bytes, words) in [
            ([0u8, 0, 0, 0, 1], "the command 0x00, expected one from 0x01 to 0x0e"),
            ([0xff; 5], "the command 0xff"),
            ([2, 0, 0, 0, 0], "a rate of 0 Hz"),
            ([4, 0, 0, 0x27, 0x10], "a gain of 10000 tenths"),
            ([5, 0x80, 0, 0, 0], "a correction of -2147483648 ppm"),
            ([9, 0, 0, 0, 3], "the direct sampling 3, expected 0, 1 or 2"),
            ([0xd, 0, 0, 0, 29], "the gain number 29, expected one below 29"),
        ] {
            let problem = Command::parse(bytes, Greeting::R820T).unwrap_err();
            assert!(problem.contains(words), "{problem}");
        }
    }

    #[test]
    fn commands_may_be_cut_anywhere() {
        let bytes: Vec<u8> = ALL.iter().flat_map(|command| command.bytes()).collect();
        for cut in 1..bytes.len() {
            let (mut commands, mut seen) = (Commands::default(), Vec::new());
            for piece in bytes.chunks(cut) {
                commands.feed(piece, |bytes| seen.push(Command::parse(bytes, Greeting::R820T).unwrap()));
            }
            assert_eq!(seen, ALL);
        }
    }

    #[test]
    fn every_mode_has_its_word() {
        for mode in DirectSampling::ALL {
            assert_eq!(DirectSampling::of_word(mode.word()), Some(mode));
        }
        assert_eq!(DirectSampling::of_word("x"), None);
    }
}
