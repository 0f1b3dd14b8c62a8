//! Streams that are heard.

use std::time::{Duration, Instant};

use superhet_runtime::catalog::{Entry, Kind, input, optional, output, set_port};
use superhet_runtime::{
    AnyBlock, Block, BlockError, BlockId, Context, In, InRef, MessageType, MsgOut, MsgOutRef, PortVisitor, Readiness, Step,
    Tunable, Tuned, Value, Work, no_parameter,
};

use super::audio_settings::{self, AudioSettings, CHANNELS, DEVICE, RATE};
use crate::error::Error;
use crate::notices::Notices;
use crate::sound::card::Player;
use crate::sound::steer::{Resampler, Steering};

/// Streams that are heard, each as a channel of a sound card: through PulseAudio or PipeWire, or through ALSA. Their libraries are loaded
/// when the graph runs; where there are none, the error says what to install.
///
/// Where the stream comes at a pace of its own, as from a radio, it is resampled by up to 5000 millionths more or less, so that the card's
/// buffer stays as full as [`AudioSettings::latency_s`] says: the clocks of a radio and of a card differ, and the buffer would run
/// empty or over. Where the stream waits for the card, as one from a file, nothing is resampled and each sample stays as it is. Which of
/// them it is shows by whether the input is ever empty.
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
    /// When the input was last found empty, and since when the buffer is looked at.
    starved: Option<Instant>,
    looked: Option<Instant>,
    told: Instant,
    /// How full the buffer was when it was last seen to get emptier, and when that was.
    stuck: Option<(f64, Instant)>,
    has_played: bool,
    underruns: u64,
    /// Until when the rest is heard.
    ending: Option<Instant>,
    notices: Notices,
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
/// How much more than it is to hold the buffer may hold.
const MOST_FILL: f64 = 1.5;
/// A buffer that does not get emptier in that time waits for more before it plays, and how much that may be.
const STUCK: Duration = Duration::from_millis(250);
const MOST_STUCK: f64 = 2.5;
/// An input that was not empty for so long is one that waits for the card.
const STARVED: Duration = Duration::from_millis(500);
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
            starved: None,
            looked: None,
            told: Instant::now(),
            stuck: None,
            has_played: false,
            underruns: 0,
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

    /// The card, which is opened where it is not yet.
    fn fill(&mut self) -> Result<f64, Error> {
        if self.player.is_none() {
            let AudioSettings { device, rate_hz, channels, .. } = &self.settings;
            let opened = Player::open(device, *rate_hz, *channels, self.settings.frames());
            self.player = Some(opened.map_err(|problem| self.failed(problem))?);
        }
        let fill = self.player.as_mut().map_or(Ok(0.0), Player::fill);
        fill.map_err(|problem| self.failed(problem))
    }

    /// Takes frames of all inputs, and makes what is to be played of them.
    fn take(&mut self, n: usize) {
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

    /// Writes what was made, as much as the card takes.
    fn write(&mut self) -> Result<(), Error> {
        let Some(player) = &mut self.player else { return Ok(()) };
        if self.made.is_empty() {
            return Ok(());
        }
        let written = player.write(&self.made).map_err(|problem| self.failed(problem))?;
        let samples = written.saturating_mul(self.inputs.len()).min(self.made.len());
        self.made.drain(..samples);
        Ok(())
    }

    /// Looks how full the buffer is, and finds the step.
    fn steer(&mut self, fill_s: f64, now: Instant) {
        let passed_s = self.looked.map_or(f64::INFINITY, |looked| now.saturating_duration_since(looked).as_secs_f64());
        self.looked = Some(now);
        let is_paced = self.starved.is_some_and(|starved| now.saturating_duration_since(starved) < STARVED);
        self.step = if is_paced { self.steering.look(fill_s, passed_s) } else { self.steering.rest() };
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
            ("volume", _) => Err(format!("volume: expected a number from 0 to {MOST_VOLUME}, got {value}").into()),
            _ => Err(no_parameter(name, PARAMETERS)),
        }
    }

    fn parameter(&self, name: &str) -> Option<Value> {
        (name == "volume").then(|| self.volume.into())
    }

    fn work_on(&mut self, most: usize, context: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.inputs.iter().map(In::available).min().unwrap_or(0).min(most);
        if n == 0 && self.made.is_empty() {
            self.starved = Some(Instant::now());
            return Ok(Step::NeedInput);
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
        let (seen_s, since) = *self.stuck.get_or_insert((fill_s, now));
        let is_moving = fill_s < seen_s - EMPTY_S;
        let is_stuck = !is_moving && now.saturating_duration_since(since) > STUCK;
        let most_s = self.settings.latency_s * if is_stuck { MOST_STUCK } else { MOST_FILL };
        if is_moving {
            self.stuck = None;
        }
        if fill_s > most_s {
            let wait = Duration::try_from_secs_f64(fill_s - most_s + PIECE_S / 2.0).unwrap_or(STUCK).min(STUCK);
            context.sleep_until(now + wait);
            return Ok(Step::Ran);
        }
        self.stuck = self.stuck.filter(|_| is_stuck);
        if self.made.is_empty() {
            self.take(n.min((PIECE_S * self.rate_hz()).ceil() as usize));
        }
        self.write()?;
        if self.inputs.iter().any(|input| input.available() == 0) {
            self.starved = Some(now);
        }
        let fill_s = self.fill()? / self.rate_hz();
        self.steer(fill_s, now);
        self.tell(fill_s, now)?;
        if !self.made.is_empty() {
            // A card that takes nothing now.
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
        if self.player.is_none() {
            return Ok(Step::Done);
        }
        let until = match self.ending {
            Some(until) => until,
            None => {
                self.resampler.finish(&mut self.made);
                self.write()?;
                let left = self.player.as_mut().map_or(Ok(0.0), Player::finish);
                let left = left.map_err(|problem| self.failed(problem))?;
                let wait = Duration::try_from_secs_f64(left / self.rate_hz()).unwrap_or(LONGEST).min(LONGEST);
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
        optional("latency_s", Kind::Float(0.01, 2.0), "s", "0.2", "How much lies in the buffers, the card's own among them: more for one that is far away."),
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
