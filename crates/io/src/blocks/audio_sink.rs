//! Streams that are heard.

use std::time::{Duration, Instant};

use superhet_runtime::catalog::{Entry, Kind, input, optional, output, set_port};
use superhet_runtime::port::{BlockId, InRef, MsgOutRef, PortVisitor};
use superhet_runtime::{
    AnyBlock, Block, BlockError, Context, In, MsgOut, Readiness, Step, Tunable, Tuned, Value, Work,
    message::MessageType, parameter::no_parameter,
};

use super::audio_settings::{self, AudioSettings, CHANNELS, DEVICE, RATE};
use crate::error::Error;
use crate::notices::Notices;
use crate::sound::card::Player;
use crate::sound::steer::{Resampler, Steering};

/// Streams that are heard, each as a channel of a sound card: through PulseAudio or PipeWire, or through ALSA. Their libraries are loaded
/// when the graph runs; where there are none, the error says what to install.
///
/// Where the stream comes at a pace of its own, as from a radio, it is resampled by up to 5000 millionths more or less, so that as much
/// waits as when it began to play, which is about [`AudioSettings::latency_s`]: the clocks of a radio and of a card differ, and the
/// buffer would run empty or over. Where the stream waits for the card, as one from a file, nothing is resampled and each sample stays
/// as it is. Which of them it is shows within half a second: what waits comes as fast as it is taken. Later a stream that has
/// run dry, or has a gap, has a pace of its own. Of one that has, what has piled up before the card was open is left out.
///
/// Samples beyond full scale are cut off there, and what is no number is silence. A buffer that has run empty is silence until there
/// is enough again, an event, and a warning.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in`, or `in0`, `in1`, … of several channels | `f32` | full scale = 1.0 |
/// | out `status` | messages: a map | once a second: `fill_s`, what the buffer holds; `ppm`, by how many millionths more samples are taken than played; `underruns` so far |
/// | in `set` | messages | new values of `volume`: with [`Tuned`] |
///
/// # Errors
/// At run time: [`Error::Sound`].
pub struct AudioSink {
    inputs: Vec<In<f32>>,
    status: MsgOut,
    settings: AudioSettings,
    volume: f64,
    player: Option<Player>,
    resampler: Resampler,
    steering: Steering,
    step: f64,
    frames: Vec<f32>,
    /// What is to be written yet.
    made: Vec<f32>,
    pace: Pace,
    looked: Option<Instant>,
    told: Instant,
    /// How full the buffer was when it was last seen to get emptier, and when that was.
    stuck: Option<(f64, Instant)>,
    has_played: bool,
    underruns: u64,
    /// Whether the resampler has given the rest, and until when that is heard.
    is_flushed: bool,
    ending: Option<Instant>,
    notices: Notices,
}

/// Whose clock the stream follows.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Pace {
    /// Nobody knows yet: since then so many frames have come.
    Unknown { since: Option<Instant>, came: u64 },
    /// Its own. Since then there was far too much.
    Own { plenty: Option<Instant> },
    /// The card's.
    Card,
}

/// The ports of an [`AudioSink`] in a graph, for connecting.
pub struct AudioSinkPorts {
    /// The samples of each channel.
    pub input: Vec<InRef<f32>>,
    /// What has become of them.
    pub status: MsgOutRef,
}

/// How long a piece is that is written at once.
const PIECE_S: f64 = 0.01;
/// How much more than it is to hold the buffer may hold, of a stream that waits, and of others.
const MOST_FILL: f64 = 1.5;
const MOST_LIVE: f64 = 2.5;
/// A buffer that does not get emptier in that time waits for more before it plays.
const STUCK: Duration = Duration::from_millis(250);
/// What is ahead of the clock by that many seconds within half a second waits for the card.
const AHEAD_S: f64 = 0.3;
const UNKNOWN: Duration = Duration::from_millis(500);
/// How many seconds are kept here before the card's buffer.
const MOST_KEPT_S: f64 = 1.0;
/// A stream that has so many seconds too much for so long does not come at a pace of its own.
const PLENTY_S: f64 = 0.5;
const PLENTY: Duration = Duration::from_secs(10);
/// A buffer with less than that has run empty.
const EMPTY_S: f64 = 0.0005;
/// How long the end waits for a stop, and at most.
const LAST_WORDS: Duration = Duration::from_millis(300);
const LONGEST: Duration = Duration::from_secs(5);
/// The name of the block in errors about its settings.
const NAME: &str = "audio_sink";
/// The parameters that can be changed.
const PARAMETERS: &[&str] = &["volume"];
const MOST_VOLUME: f64 = 100.0;

impl std::fmt::Debug for AudioSink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AudioSink").field("settings", &self.settings).field("volume", &self.volume).finish()
    }
}

impl AudioSink {
    /// Will open the card with the first samples.
    ///
    /// # Errors
    /// [`Error::Setting`] where a setting is one that no card has.
    pub fn new(settings: AudioSettings) -> Result<Self, Error> {
        settings.check(NAME)?;
        let channels = usize::from(settings.channels);
        Ok(AudioSink {
            inputs: (0..channels).map(|_| In::new()).collect(),
            status: MsgOut::new().sends(MessageType::Map),
            resampler: Resampler::new(channels),
            steering: Steering::new(settings.latency_s),
            settings,
            volume: 1.0,
            player: None,
            step: 1.0,
            frames: Vec::new(),
            made: Vec::new(),
            pace: Pace::Unknown { since: None, came: 0 },
            looked: None,
            told: Instant::now(),
            stuck: None,
            has_played: false,
            underruns: 0,
            is_flushed: false,
            ending: None,
            notices: Notices::default(),
        })
    }

    /// What samples are multiplied by, 0 to 100; 1 if nothing is said.
    ///
    /// # Errors
    /// [`Error::Setting`] where it is another.
    pub fn with_volume(mut self, volume: f64) -> Result<Self, Error> {
        if !(0.0..=MOST_VOLUME).contains(&volume) {
            let (got, expected) = (volume.to_string(), "0 to 100".to_owned());
            return Err(Error::Setting { path: NAME.into(), parameter: "volume", got, expected });
        }
        self.volume = volume;
        Ok(self)
    }

    fn failed(&self, problem: String) -> Error {
        Error::Sound { device: self.settings.device.clone(), problem }
    }

    fn rate_hz(&self) -> f64 {
        f64::from(self.settings.rate_hz)
    }

    /// How many frames the card has to play; it is opened where it is not yet.
    fn fill(&mut self) -> Result<f64, Error> {
        let player = match self.player.take() {
            Some(player) => player,
            None => {
                let AudioSettings { device, rate_hz, channels, .. } = &self.settings;
                let opened = Player::open(device, *rate_hz, *channels, self.settings.frames());
                opened.map_err(|problem| self.failed(problem))?
            }
        };
        let fill = self.player.insert(player).fill();
        fill.map_err(|problem| self.failed(problem))
    }

    /// Takes frames of all inputs, and makes what is to be played of them.
    fn take(&mut self, n: usize) {
        let mut has_gap = false;
        if let Some(input) = self.inputs.first() {
            input.for_each_tag(n, |tag| has_gap |= matches!(&*tag.key, "gap" | "gap_filled"));
        }
        if has_gap && self.pace == Pace::Card {
            self.live();
        }
        self.frames.clear();
        let volume = self.volume as f32;
        let sound = |sample: f32| if sample.is_nan() { 0.0 } else { (volume * sample).clamp(-1.0, 1.0) };
        let inputs: Vec<&[f32]> = self.inputs.iter().map(|input| &input.peek()[..n]).collect();
        for frame in 0..n {
            self.frames.extend(inputs.iter().map(|input| sound(input[frame])));
        }
        self.resampler.take(&self.frames, self.step, &mut self.made);
        self.inputs.iter_mut().for_each(|input| input.consume(n));
    }

    /// The stream has a pace of its own.
    fn live(&mut self) {
        self.pace = Pace::Own { plenty: None };
        self.step = self.steering.begin();
    }

    /// How many frames were made and are to be written.
    fn kept(&self) -> usize {
        self.made.len() / self.inputs.len().max(1)
    }

    /// How many frames are to be taken now.
    fn wanted(&self, available: usize) -> usize {
        let most = (MOST_KEPT_S * self.rate_hz()) as usize;
        match self.pace {
            Pace::Card if self.made.is_empty() => available.min((PIECE_S * self.rate_hz()).ceil() as usize),
            Pace::Card => 0,
            _ => available.min(most.saturating_sub(self.kept())),
        }
    }

    /// Finds out whose pace it is, where nobody knows; whether somebody does now.
    fn decide(&mut self, taken: usize, now: Instant) -> bool {
        let Pace::Unknown { since, came } = &mut self.pace else { return true };
        let passed = now.saturating_duration_since(*since.get_or_insert(now));
        *came = came.saturating_add(taken as u64);
        let ahead_s = *came as f64 / f64::from(self.settings.rate_hz) - passed.as_secs_f64();
        if ahead_s >= AHEAD_S {
            self.pace = Pace::Card;
        } else if passed >= UNKNOWN {
            self.live();
            // What has come before the card could play is late for ever: the last of it will do.
            let most = self.settings.frames() as usize * self.inputs.len();
            self.made.drain(..self.made.len().saturating_sub(most));
        } else {
            return false;
        }
        true
    }

    /// Writes what was made, as many frames as there is room for.
    fn write(&mut self, room: usize) -> Result<(), Error> {
        let Some(player) = &mut self.player else { return Ok(()) };
        let samples = self.made.len().min(room.saturating_mul(self.inputs.len()));
        let Some(piece) = self.made.get(..samples).filter(|piece| !piece.is_empty()) else { return Ok(()) };
        let written = player.write(piece).map_err(|problem| self.failed(problem))?;
        self.made.drain(..written.saturating_mul(self.inputs.len()).min(samples));
        Ok(())
    }

    /// How many frames the card is to get now, which holds so many seconds; where there are none, for how long to wait.
    fn room(&mut self, fill_s: f64, now: Instant) -> Result<usize, Duration> {
        let (seen_s, since) = *self.stuck.get_or_insert((fill_s, now));
        let is_moving = fill_s < seen_s - EMPTY_S;
        let is_stuck = !is_moving && now.saturating_duration_since(since) > STUCK;
        let factor = if is_stuck || self.pace != Pace::Card { MOST_LIVE } else { MOST_FILL };
        let room_s = self.settings.latency_s * factor - fill_s;
        if is_moving || (is_stuck && room_s <= 0.0) {
            self.stuck = None;
        }
        match room_s > 0.0 {
            true => Ok((room_s.max(PIECE_S) * self.rate_hz()) as usize),
            false => Err(Duration::try_from_secs_f64(PIECE_S / 2.0 - room_s).unwrap_or(STUCK).min(STUCK)),
        }
    }

    /// Looks how much there is, and finds the step.
    fn steer(&mut self, fill_s: f64, now: Instant) {
        let looked = self.looked.replace(now);
        let Pace::Own { plenty } = &mut self.pace else {
            self.step = self.steering.rest();
            return;
        };
        let kept_s = (self.made.len() / self.inputs.len().max(1)) as f64 / f64::from(self.settings.rate_hz);
        let passed_s =
            looked.map_or(f64::INFINITY, |looked| now.saturating_duration_since(looked).as_secs_f64());
        self.step = self.steering.look(fill_s + kept_s, passed_s);
        if kept_s < PLENTY_S {
            *plenty = None;
        } else if now.saturating_duration_since(*plenty.get_or_insert(now)) > PLENTY {
            self.pace = Pace::Card;
        }
    }

    /// Says how it is, once a second.
    fn tell(&mut self, fill_s: f64, now: Instant) -> Result<(), BlockError> {
        if now.saturating_duration_since(self.told) < Duration::from_secs(1) {
            return Ok(());
        }
        self.told = now;
        let status = [
            ("fill_s", Value::from(fill_s)),
            ("ppm", self.steering.ppm().into()),
            ("underruns", self.underruns.into()),
        ];
        self.status.send(Value::map(status))?;
        Ok(())
    }
}

impl Block for AudioSink {
    type Ports = AudioSinkPorts;

    fn visit(&mut self, visitor: &mut dyn PortVisitor) {
        match &mut self.inputs[..] {
            [input] => visitor.input("in", input),
            inputs => {
                for (index, input) in inputs.iter_mut().enumerate() {
                    visitor.input(&format!("in{index}"), input);
                }
            }
        }
        visitor.message_output("status", &mut self.status);
    }

    fn poll(&self, readiness: &mut Readiness) {
        self.inputs.iter().for_each(|input| input.poll(readiness));
        self.status.poll(readiness);
    }

    fn ports(&self, id: BlockId) -> AudioSinkPorts {
        let input = (0..self.inputs.len()).map(|index| InRef::new(id, index)).collect();
        AudioSinkPorts { input, status: MsgOutRef::new(id, 0) }
    }
}

impl Tunable for AudioSink {
    const PARAMETERS: &'static [&'static str] = PARAMETERS;

    fn position(&self) -> u64 {
        self.inputs.first().map_or(0, In::index)
    }

    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        match (name, value.as_f64()) {
            ("volume", Some(volume)) if (0.0..=MOST_VOLUME).contains(&volume) => {
                self.volume = volume;
                Ok(())
            }
            ("volume", _) => {
                Err(format!("volume: expected a number from 0 to {MOST_VOLUME}, got {value}").into())
            }
            _ => Err(no_parameter(name, PARAMETERS)),
        }
    }

    fn parameter(&self, name: &str) -> Option<Value> {
        (name == "volume").then(|| self.volume.into())
    }

    fn work_on(&mut self, most: usize, context: &mut Context<'_>) -> Result<Step, BlockError> {
        let available = self.inputs.iter().map(In::available).min().unwrap_or(0).min(most);
        if available == 0 && self.made.is_empty() {
            if self.pace == Pace::Card {
                self.live();
            }
            return Ok(Step::NeedInput);
        }
        let wanted = self.wanted(available);
        if wanted > 0 {
            self.take(wanted);
        }
        if !self.decide(wanted, Instant::now()) {
            context.sleep_until(Instant::now() + Duration::from_millis(2));
            return Ok(Step::Ran);
        }
        let fill_s = self.fill()? / self.rate_hz();
        let is_empty = fill_s < EMPTY_S;
        if is_empty && self.has_played {
            self.underruns += 1;
            self.step = self.steering.begin();
            self.notices.warn(|| format!("{NAME}: the card's buffer has run empty"));
        }
        // Before it begins to play there may be less.
        self.has_played = !is_empty && (self.has_played || fill_s > self.settings.latency_s / 2.0);
        let now = Instant::now();
        match self.room(fill_s, now) {
            Ok(room) => self.write(room)?,
            Err(wait) => {
                context.sleep_until(now + wait);
                return Ok(Step::Ran);
            }
        }
        let fill_s = self.fill()? / self.rate_hz();
        self.steer(fill_s, now);
        self.tell(fill_s, now)?;
        if !self.made.is_empty() {
            // A card that has no room for all of it now.
            context.sleep_until(now + Duration::from_secs_f64(PIECE_S / 2.0));
        }
        Ok(Step::Ran)
    }
}

impl Work for AudioSink {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        self.work_on(usize::MAX, context)
    }

    fn finish(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        if self.ending.is_none() {
            if self.pace != Pace::Card {
                // Also of a stream that was too short to be known.
                self.pace = Pace::Card;
                self.step = 1.0;
            }
            // Nothing at all opens no card.
            if !std::mem::replace(&mut self.is_flushed, true) && self.position() > 0 {
                self.resampler.finish(&mut self.made);
            }
            if context.is_stopping() {
                self.made.clear();
            }
            if !self.made.is_empty() {
                let fill_s = self.fill()? / self.rate_hz();
                let now = Instant::now();
                let waits = match self.room(fill_s, now) {
                    Ok(room) => self.write(room).map(|()| Duration::from_secs_f64(PIECE_S / 2.0))?,
                    Err(wait) => wait,
                };
                context.sleep_until(now + waits);
                return Ok(Step::Ran);
            }
        }
        if self.player.is_none() {
            return Ok(Step::Done);
        }
        let until = match self.ending {
            Some(until) => until,
            None => {
                let left = self.player.as_mut().map_or(Ok(0.0), Player::finish);
                let left = left.map_err(|problem| self.failed(problem))?;
                // What servers say of it is an estimate; behind the rest comes silence.
                let wait = Duration::try_from_secs_f64(left / self.rate_hz() + PIECE_S * 5.0);
                let wait = wait.unwrap_or(LONGEST).min(LONGEST);
                let wait = if context.is_stopping() { wait.min(LAST_WORDS) } else { wait };
                *self.ending.insert(Instant::now() + wait)
            }
        };
        context.sleep_until(until);
        self.player = None;
        Ok(Step::Done)
    }

    fn blocking(&self) -> bool {
        true
    }
}

/// How files and the command line find [`AudioSink`].
pub const ENTRY: Entry = Entry {
    name: NAME,
    category: "sinks",
    summary: "Streams that are heard, each a channel of a sound card, whose clock the stream is fitted to.",
    params: &[
        RATE,
        CHANNELS,
        DEVICE,
        optional(
            "latency_s",
            Kind::Float(0.01, 2.0),
            "s",
            "0.2",
            "How much lies in the buffers, the card's own among them: more for one that is far away.",
        ),
        optional("volume", Kind::Float(0.0, MOST_VOLUME), "", "1", "What samples are multiplied by."),
    ],
    ports: &[
        input("in", "f32", "the samples, full scale = 1.0; of several channels in0, in1 and so on"),
        output("status", "messages", "once a second a map with fill_s, ppm and underruns"),
        set_port("new values of volume"),
    ],
    make: |params| {
        let sink = AudioSink::new(audio_settings::of(params))?.with_volume(params.float("volume"))?;
        Ok(AnyBlock::new(Tuned::new(sink)))
    },
};

#[cfg(test)]
mod tests {
    use super::*;

    fn sink() -> AudioSink {
        AudioSink::new(AudioSettings::default()).unwrap()
    }

    #[test]
    fn what_comes_faster_than_it_is_played_waits_for_the_card() {
        let mut sink = sink();
        let start = Instant::now();
        assert!(!sink.decide(4800, start));
        assert!(sink.decide(48_000, start + Duration::from_millis(20)));
        assert_eq!(sink.pace, Pace::Card);
        // From then on a piece is taken when the last one was written.
        assert_eq!((sink.wanted(100_000), sink.wanted(3)), (480, 3));
        sink.made = vec![0.0; 5];
        assert_eq!(sink.wanted(100_000), 0);
    }

    #[test]
    fn what_comes_as_fast_as_it_is_played_has_a_pace_of_its_own_and_begins_with_its_last() {
        let mut sink = sink();
        let start = Instant::now();
        let at = |milliseconds| start + Duration::from_millis(milliseconds);
        // The card took 400 ms to open.
        assert!(!sink.decide(0, start) && !sink.decide(19_200, at(400)));
        sink.made = (0..24_000u16).map(f32::from).collect();
        assert!(sink.decide(4800, at(500)));
        assert_eq!(sink.pace, Pace::Own { plenty: None });
        assert_eq!((sink.made.len(), sink.made[0]), (9600, 14_400.0));
        assert_eq!(sink.wanted(100_000), 48_000 - 9600);
    }

    #[test]
    fn a_buffer_that_waits_for_more_gets_more() {
        let mut sink = sink();
        sink.pace = Pace::Card;
        let start = Instant::now();
        let at = |milliseconds| start + Duration::from_millis(milliseconds);
        assert_eq!(sink.room(0.1, start), Ok(9600));
        assert!(sink.room(0.32, at(10)).is_err());
        assert!(sink.room(0.31, at(20)).is_err(), "it gets emptier");
        assert!(sink.room(0.31, at(30)).is_err());
        assert!(sink.room(0.31, at(400)).is_ok(), "it does not");
    }

    #[test]
    fn a_stream_that_has_far_too_much_for_long_waits_for_the_card() {
        let mut sink = sink();
        sink.live();
        sink.made = vec![0.0; 30_000];
        let start = Instant::now();
        for second in 0..10 {
            sink.steer(0.3, start + Duration::from_secs(second));
            assert!(matches!(sink.pace, Pace::Own { plenty: Some(_) }));
        }
        sink.steer(0.3, start + Duration::from_secs(11));
        assert_eq!(sink.pace, Pace::Card);
    }
}
