//! Finds frames of wireless M-Bus in soft chips.

use superhet_runtime::catalog::Kind;
use superhet_runtime::{
    AnyBlock, Block, BlockError, Context, In, MsgOut, Packet, Step, Work, declare, message::MessageType,
};

use super::frame::{Format, Progress, progress};
use super::header;
use crate::tags::{IndexClock, Piece};

/// Which chips there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chips {
    /// Modes T1 and C1: 100 000 a second. T has three ones in six, C has bits as they are, in format A or B.
    TimedOrCompact,
    /// Mode S1: 32 768 a second, Manchester.
    Stationary,
}

/// Sends the frames of wireless M-Bus whose checksums are right.
///
/// A frame is looked for behind each synchronisation word, with up to one wrong chip in it, in every mode that may be meant; the
/// checksums decide. What is wrong is given up with the first chip that shows it.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `f32` | soft chips, about 1 for the higher frequency and −1 for the lower |
/// | out `out` | packets of `u8` | frames without their checksums |
///
/// | metadata | is |
/// |---|---|
/// | `sample_index`, `duration_samples` | behind [`IndexTags`](crate::tags::IndexTags): where the frame is, behind its synchronisation word |
/// | `snr_db` | dB: mean level of the soft chips by their deviation from it |
/// | `protocol` | `wM-Bus` |
/// | `fields` | `mode` (`T`, `C` or `S`), `format` (`A` or `B`), `M` (manufacturer), `id`, `version`, `type`, `device`, `C`, `CI`; of the short and the long header `access`, `status`, `configuration` and more |
///
/// # Source
/// EN 13757-4:2019: modes S, T and C (sections 6.4, 7.4 and 9.4), frame formats (section 12); EN 13757-7 for the headers behind them.
#[derive(Debug, Block)]
pub struct WmbusDeframer {
    #[port("in")]
    input: In<f32>,
    #[port("out")]
    output: MsgOut,
    chips: Chips,
    /// The last chips, the newest lowest.
    last: u32,
    candidates: Vec<Candidate>,
    clock: IndexClock,
}

/// What may be a frame.
#[derive(Clone, Debug)]
struct Candidate {
    mode: Mode,
    bytes: Vec<u8>,
    /// The chips of the next byte, and how many there are.
    word: u16,
    chips: u32,
    /// The number of the first chip, and its sample where that is known.
    sample: Option<u64>,
    /// Sums of the levels of chips and of their squares, and how many there were.
    level: f64,
    square: f64,
    count: u32,
}

/// How chips are bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    T,
    C(Format),
    /// 10 for a one, or 01.
    S {
        one: u16,
    },
}

/// T: the end of the preamble and its synchronisation word; C begins with the same.
const SYNC_T: u32 = 0x543d;
const SYNC_C_A: u32 = 0x543d_54cd;
const SYNC_C_B: u32 = 0x543d_543d;
const SYNC_S: u32 = 0b00_0111_0110_1001_0110;
const SYNC_S_CHIPS: u32 = 18;
/// So many chips of a synchronisation word may be wrong.
const MOST_WRONG: u32 = 1;
/// More candidates than frames that can lie in each other.
const MOST_CANDIDATES: usize = 16;

/// The six chips of each four bits.
const THREE_OF_SIX: [u8; 16] = [
    0b010110, 0b001101, 0b001110, 0b001011, 0b011100, 0b011001, 0b011010, 0b010011, 0b101100, 0b100101,
    0b100110, 0b100011, 0b110100, 0b110001, 0b110010, 0b101001,
];

impl Mode {
    fn chips_of_a_byte(self) -> u32 {
        match self {
            Mode::T => 12,
            Mode::C(_) => 8,
            Mode::S { .. } => 16,
        }
    }

    fn byte(self, word: u16) -> Option<u8> {
        let four = |chips: u16| THREE_OF_SIX.iter().position(|code| u16::from(*code) == chips);
        match self {
            Mode::T => Some((four(word >> 6)? << 4 | four(word & 63)?) as u8),
            Mode::C(_) => Some(word as u8),
            Mode::S { one } => (0..8).rev().try_fold(0, |byte, n| match word >> (2 * n) & 3 {
                0 | 3 => None,
                pair => Some(byte << 1 | u8::from(pair == one)),
            }),
        }
    }

    fn format(self) -> Format {
        if let Mode::C(format) = self { format } else { Format::A }
    }

    fn name(self) -> &'static str {
        match self {
            Mode::T => "T",
            Mode::C(_) => "C",
            Mode::S { .. } => "S",
        }
    }
}

impl Candidate {
    fn new(mode: Mode, sample: Option<u64>) -> Self {
        Candidate { mode, bytes: Vec::new(), word: 0, chips: 0, sample, level: 0.0, square: 0.0, count: 0 }
    }

    /// Takes a chip.
    fn take(&mut self, soft: f32) -> Progress {
        let level = f64::from(soft.abs().min(8.0));
        (self.level, self.square, self.count) =
            (self.level + level, self.square + level * level, self.count + 1);
        (self.word, self.chips) = (self.word << 1 | u16::from(soft > 0.0), self.chips + 1);
        if self.chips < self.mode.chips_of_a_byte() {
            return Progress::Needs;
        }
        match self.mode.byte(self.word) {
            Some(byte) => self.bytes.push(byte),
            None => return Progress::Wrong,
        }
        (self.word, self.chips) = (0, 0);
        progress(&self.bytes, self.mode.format())
    }

    fn snr_db(&self) -> f64 {
        let mean = self.level / f64::from(self.count);
        let variance = (self.square / f64::from(self.count) - mean * mean).max(1e-9);
        10.0 * (mean * mean / variance).log10()
    }
}

impl WmbusDeframer {
    /// Looks for frames in such chips.
    pub fn new(chips: Chips) -> Self {
        WmbusDeframer {
            input: In::new(),
            output: MsgOut::new().sends(MessageType::packets_of::<u8>()),
            chips,
            last: 0,
            candidates: Vec::new(),
            clock: IndexClock::default(),
        }
    }

    /// Takes a chip, the one at this place; the packets of frames that are whole with it.
    fn take(&mut self, soft: f32, at: u64) -> Vec<Packet<u8>> {
        let mut packets = Vec::new();
        let clock = self.clock;
        self.candidates.retain_mut(|candidate| match candidate.take(soft) {
            Progress::Needs => true,
            Progress::Wrong => false,
            Progress::Whole(frame) => {
                let mut packet = Packet::from_items(&frame.bytes);
                if let Some((start, end)) = candidate.sample.zip(clock.sample_of(at)) {
                    packet.set("sample_index", start);
                    packet.set("duration_samples", end.saturating_sub(start));
                }
                packet.set("snr_db", candidate.snr_db());
                packet.set("protocol", "wM-Bus");
                packet.set("fields", header::fields(&frame, candidate.mode.name()));
                packets.push(packet);
                false
            }
        });
        self.last = self.last << 1 | u32::from(soft > 0.0);
        let is_near = |word: u32, chips: u32| {
            ((self.last ^ word) & (u32::MAX >> (32 - chips))).count_ones() <= MOST_WRONG
        };
        let mut modes = Vec::new();
        match self.chips {
            Chips::TimedOrCompact => {
                modes.extend(is_near(SYNC_T, 16).then_some(Mode::T));
                modes.extend(is_near(SYNC_C_A, 32).then_some(Mode::C(Format::A)));
                modes.extend(is_near(SYNC_C_B, 32).then_some(Mode::C(Format::B)));
            }
            Chips::Stationary if is_near(SYNC_S, SYNC_S_CHIPS) => {
                modes.extend([Mode::S { one: 1 }, Mode::S { one: 2 }]);
            }
            Chips::Stationary => {}
        }
        for mode in modes {
            if self.candidates.len() == MOST_CANDIDATES {
                self.candidates.remove(0);
            }
            self.candidates.push(Candidate::new(mode, self.clock.sample_of(at + 1)));
        }
        packets
    }
}

/// So many chips are taken in one call.
const AT_ONCE: usize = 1024;

impl Work for WmbusDeframer {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let piece = Piece::take(&mut self.input, AT_ONCE);
        for (at, soft, tags) in piece.each() {
            tags.iter().for_each(|tag| self.clock.note(tag));
            for packet in self.take(soft, at) {
                self.output.send(packet)?;
            }
        }
        Ok(piece.step())
    }
}

#[declare(
    category = "wmbus",
    summary = "Finds frames of wireless M-Bus, modes T1, C1 and S1, in soft chips.",
    ports(
        input("in", "f32", "soft chips, about 1 for the higher frequency and −1 for the lower"),
        output("out", "messages", "packets of u8: frames without their checksums")
    )
)]
fn wmbus_deframer(
    /// tc: modes T1 and C1, 100 kchips/s; s: mode S1, 32.768 kchips/s.
    #[param(kind = Kind::Choice(&["tc", "s"]))]
    chips: &str,
) -> AnyBlock {
    let chips = if chips == "s" { Chips::Stationary } else { Chips::TimedOrCompact };
    AnyBlock::new(WmbusDeframer::new(chips))
}

#[cfg(test)]
mod tests {
    use super::super::frame::tests::frame;
    use super::*;
    use crate::testing::noise;
    use superhet_runtime::Value;

    /// Chips of a frame, with its preamble.
    fn chips(mode: Mode, data: usize) -> Vec<f32> {
        let sent = frame(data, mode.format()).with_sums();
        let number = |number: u32, bits: u32| (0..bits).rev().map(move |n| number >> n & 1);
        let mut all: Vec<u32> = [0, 1].repeat(24);
        match mode {
            Mode::T => all.extend(number(SYNC_T, 16)),
            Mode::C(Format::A) => all.extend(number(SYNC_C_A, 32)),
            Mode::C(Format::B) => all.extend(number(SYNC_C_B, 32)),
            Mode::S { .. } => all.extend(number(SYNC_S, SYNC_S_CHIPS)),
        }
        for byte in sent {
            match mode {
                Mode::T => {
                    for four in [byte >> 4, byte & 15] {
                        all.extend(number(THREE_OF_SIX[usize::from(four)].into(), 6));
                    }
                }
                Mode::C(_) => all.extend(number(byte.into(), 8)),
                Mode::S { one } => {
                    let pair = |bit: u32| if bit == 1 { u32::from(one) } else { 3 - u32::from(one) };
                    all.extend(number(byte.into(), 8).flat_map(|bit| number(pair(bit), 2)));
                }
            }
        }
        all.into_iter().map(|chip| 2.0 * chip as f32 - 1.0).collect()
    }

    fn deframe(of: Chips, soft: &[f32]) -> Vec<Packet<u8>> {
        let mut deframer = WmbusDeframer::new(of);
        soft.iter().zip(0..).flat_map(|(soft, at)| deframer.take(*soft, at)).collect()
    }

    #[test]
    fn frames_of_every_mode_and_format_are_found() {
        for (mode, of) in [
            (Mode::T, Chips::TimedOrCompact),
            (Mode::C(Format::A), Chips::TimedOrCompact),
            (Mode::C(Format::B), Chips::TimedOrCompact),
            (Mode::S { one: 1 }, Chips::Stationary),
            (Mode::S { one: 2 }, Chips::Stationary),
        ] {
            for data in [1, 20, 130] {
                let mut soft = noise(300);
                soft.extend(chips(mode, data));
                soft.extend(noise(300));
                let packets = deframe(of, &soft);
                assert_eq!(packets.len(), 1, "{mode:?} {data}");
                assert_eq!(packets[0].items(), frame(data, mode.format()).bytes, "{mode:?} {data}");
                let fields = packets[0].get("fields").unwrap();
                assert_eq!(fields.get("mode"), Some(&Value::from(mode.name())));
                assert_eq!(fields.get("id").and_then(Value::as_u64), Some(60_168_569));
            }
        }
    }

    #[test]
    fn noise_gives_nothing_and_what_is_no_number_does_no_harm() {
        for of in [Chips::TimedOrCompact, Chips::Stationary] {
            assert!(deframe(of, &noise(3_000_000)).is_empty());
            assert!(deframe(of, &[f32::NAN, f32::INFINITY, -0.0].repeat(1000)).is_empty());
        }
    }
}
