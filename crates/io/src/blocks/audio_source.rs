//! Streams of what a sound card hears.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::time::{SystemTime, UNIX_EPOCH};

use superhet_runtime::catalog::{Entry, Kind, optional, output};
use superhet_runtime::gap::{Gaps, OnGap};
use superhet_runtime::port::{BlockId, OutRef, PortVisitor};
use superhet_runtime::{AnyBlock, Block, BlockError, Context, Out, Readiness, Step, Value, Work};

use super::audio_settings::{self, AudioSettings, CHANNELS, DEVICE, RATE};
use super::link::TIMEOUT;
use super::rtl_tcp_settings::ON_GAP;
use crate::error::Error;
use crate::sound::card::Recorder;

/// Streams of what a sound card hears, or of what a server of sound plays: through PulseAudio or PipeWire, or through ALSA. Their libraries are
/// loaded when the graph runs; where there are none, the error says what to install.
///
/// The card sets the pace. What the graph does not take within about a second is lost, which is a gap: tagged, counted, and filled
/// or refused as `on_gap` says; see [`gap`](superhet_runtime::gap). The first item has the tags `rx_rate` and `rx_time`; the first after a
/// gap has `rx_time`.
///
/// | port | item | unit |
/// |---|---|---|
/// | out `out`, or `out0`, `out1`, … of several channels | `f32` | full scale = 1.0 |
///
/// # Errors
/// At run time: [`Error::Sound`]; a gap, where the settings say so.
pub struct AudioSource {
    outputs: Vec<Out<f32>>,
    settings: AudioSettings,
    gaps: Vec<Gaps>,
    hearing: Option<Hearing>,
    current: Vec<f32>,
    given: usize,
    is_time_due: bool,
    is_rate_due: bool,
}

/// The ports of an [`AudioSource`] in a graph, for connecting.
pub struct AudioSourcePorts {
    /// The samples of each channel.
    pub output: Vec<OutRef<f32>>,
}

/// A thread that reads from the card, which may wait for ever.
struct Hearing {
    pieces: Receiver<Piece>,
    is_over: Arc<AtomicBool>,
}

/// What the thread has read.
enum Piece {
    /// Frames, and how many are missing before them, where that is known.
    Frames { samples: Vec<f32>, missing: Option<u64> },
    /// No more comes.
    Failed(String),
}

/// How many seconds of pieces may wait for the graph.
const MOST_WAITING_S: f64 = 1.0;
/// The name of the block in errors about its settings.
const NAME: &str = "audio_source";

impl std::fmt::Debug for AudioSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AudioSource").field("settings", &self.settings).finish()
    }
}

impl AudioSource {
    /// Will open the card when the graph runs.
    ///
    /// # Errors
    /// [`Error::Setting`] where a setting is one that no card has.
    pub fn new(settings: AudioSettings, on_gap: OnGap) -> Result<Self, Error> {
        settings.check(NAME)?;
        let one = || if settings.channels == 1 { Out::new() } else { Out::new().optional() };
        Ok(AudioSource {
            outputs: (0..settings.channels).map(|_| one()).collect(),
            gaps: (0..settings.channels).map(|_| Gaps::new(on_gap)).collect(),
            settings,
            hearing: None,
            current: Vec::new(),
            given: 0,
            is_time_due: true,
            is_rate_due: true,
        })
    }

    fn failed(&self, problem: String) -> Error {
        Error::Sound { device: self.settings.device.clone(), problem }
    }

    /// Takes what was read, waiting a little for it.
    fn receive(&mut self) -> Result<(), Error> {
        if self.hearing.is_none() {
            let AudioSettings { device, rate_hz, channels, latency_s } = &self.settings;
            let recorder = Recorder::open(device, *rate_hz, *channels, self.settings.frames());
            let recorder = recorder.map_err(|problem| self.failed(problem))?;
            let samples = self.settings.frames() as usize * self.outputs.len();
            let most = (MOST_WAITING_S / latency_s).ceil().max(2.0) as usize;
            self.hearing = Some(Hearing::begin(recorder, samples, self.outputs.len(), most));
        }
        let Some(hearing) = &self.hearing else { return Ok(()) };
        match hearing.pieces.recv_timeout(TIMEOUT) {
            Ok(Piece::Frames { samples, missing }) => {
                (self.current, self.given) = (samples, 0);
                if missing != Some(0) {
                    self.gaps.iter_mut().for_each(|gaps| gaps.lost(missing));
                    self.is_time_due = true;
                }
                Ok(())
            }
            Ok(Piece::Failed(problem)) => Err(self.failed(problem)),
            Err(RecvTimeoutError::Timeout) => Ok(()),
            Err(RecvTimeoutError::Disconnected) => Err(self.failed("nothing is read any more".to_owned())),
        }
    }

    /// Puts what is new on the first item of the reserved room.
    fn tag(&mut self) {
        let (time, rate) = (std::mem::take(&mut self.is_time_due), std::mem::take(&mut self.is_rate_due));
        let frames = self.current.len().saturating_sub(self.given) / self.outputs.len().max(1);
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
        let since = since - frames as f64 / f64::from(self.settings.rate_hz);
        for output in self.outputs.iter_mut().filter(|output| output.is_connected() && !output.is_closed()) {
            if time {
                let fraction = (since - since.floor()).clamp(0.0, 1.0);
                let parts = [Value::Uint(since.floor().max(0.0) as u64), fraction.into()];
                output.tag(0, "rx_time", Value::Tuple(parts.into()));
            }
            if rate {
                output.tag(0, "rx_rate", f64::from(self.settings.rate_hz));
            }
        }
    }
}

impl Drop for Hearing {
    fn drop(&mut self) {
        // A thread whose card has gone silent ends with the process.
        self.is_over.store(true, Ordering::Relaxed);
    }
}

impl Hearing {
    /// Reads pieces of so many samples until nobody wants them; `most` of them wait.
    fn begin(mut recorder: Recorder, samples: usize, channels: usize, most: usize) -> Self {
        let (sender, pieces) = sync_channel(most);
        let is_over = Arc::new(AtomicBool::new(false));
        let is_read_over = is_over.clone();
        std::thread::spawn(move || {
            let mut lost = Lost::default();
            while !is_read_over.load(Ordering::Relaxed) {
                let mut piece = vec![0.0; samples];
                let is_more = match recorder.read(&mut piece) {
                    Ok(Some(0)) => true,
                    Ok(Some(frames)) => {
                        piece.truncate(frames.saturating_mul(channels));
                        lost.send(&sender, piece, channels)
                    }
                    Ok(None) => {
                        lost.nobody_knows = true;
                        true
                    }
                    Err(problem) => {
                        // Nobody to tell is no problem.
                        let _ = sender.send(Piece::Failed(problem));
                        false
                    }
                };
                if !is_more {
                    break;
                }
            }
        });
        Hearing { pieces, is_over }
    }
}

/// What could not be handed on since the last piece.
#[derive(Default)]
struct Lost {
    frames: u64,
    nobody_knows: bool,
}

impl Lost {
    /// Hands a piece on, where there is room for it; whether anybody is there.
    fn send(&mut self, sender: &SyncSender<Piece>, samples: Vec<f32>, channels: usize) -> bool {
        let frames = (samples.len() / channels.max(1)) as u64;
        let missing = (!self.nobody_knows).then_some(self.frames);
        match sender.try_send(Piece::Frames { samples, missing }) {
            Ok(()) => {
                *self = Lost::default();
                true
            }
            Err(TrySendError::Full(_)) => {
                self.frames = self.frames.saturating_add(frames);
                true
            }
            Err(TrySendError::Disconnected(_)) => false,
        }
    }
}

impl Block for AudioSource {
    type Ports = AudioSourcePorts;

    fn visit(&mut self, visitor: &mut dyn PortVisitor) {
        match &mut self.outputs[..] {
            [output] => visitor.output("out", output),
            outputs => {
                for (index, output) in outputs.iter_mut().enumerate() {
                    visitor.output(&format!("out{index}"), output);
                }
            }
        }
    }

    fn poll(&self, readiness: &mut Readiness) {
        self.outputs.iter().for_each(|output| output.poll(readiness));
    }

    fn ports(&self, id: BlockId) -> AudioSourcePorts {
        AudioSourcePorts { output: (0..self.outputs.len()).map(|index| OutRef::new(id, index)).collect() }
    }
}

impl Work for AudioSource {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        if self.given >= self.current.len() {
            let is_read = self.outputs.iter().any(|output| output.is_connected() && !output.is_closed());
            if context.is_stopping() || !is_read {
                return Ok(Step::Done);
            }
            if let Err(error) = self.receive() {
                return Ok(context.end_with(error));
            }
        }
        let channels = self.outputs.len();
        let mut room = usize::MAX;
        for (output, gaps) in self.outputs.iter_mut().zip(&mut self.gaps) {
            if !output.is_connected() || output.is_closed() {
                continue;
            }
            match gaps.settle(output) {
                Ok(true) => {}
                Ok(false) => return Ok(Step::NeedOutput),
                Err(error) => return Ok(context.end_with(error)),
            }
            room = room.min(output.room());
        }
        let n = (self.current.len().saturating_sub(self.given) / channels.max(1)).min(room);
        if n == 0 {
            return Ok(if room == 0 { Step::NeedOutput } else { Step::Ran });
        }
        if self.is_time_due || self.is_rate_due {
            self.tag();
        }
        let frames = &self.current[self.given..][..n * channels];
        for (channel, output) in self.outputs.iter_mut().enumerate() {
            if output.is_connected() && !output.is_closed() {
                superhet_numbers::channel(frames, channels, channel, &mut output.reserve()[..n]);
                output.produce(n);
            }
        }
        self.given += n * channels;
        Ok(Step::Ran)
    }

    fn blocking(&self) -> bool {
        true
    }
}

/// How files and the command line find [`AudioSource`].
pub const ENTRY: Entry = Entry {
    name: NAME,
    category: "sources",
    summary: "Streams of what a sound card hears, a channel each; what is lost is tagged and counted.",
    params: &[
        RATE,
        CHANNELS,
        DEVICE,
        optional("latency_s", Kind::Float(0.01, 2.0), "s", "0.02", "How much comes together."),
        ON_GAP,
    ],
    ports: &[output("out", "f32", "the samples, full scale = 1.0; of several channels out0, out1 and so on")],
    make: |params| {
        let on_gap = OnGap::of_word(params.text("on_gap"));
        Ok(AnyBlock::new(AudioSource::new(audio_settings::of(params), on_gap)?))
    },
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_graph_does_not_take_is_counted_before_what_it_takes_next() {
        let (sender, pieces) = sync_channel(2);
        let mut lost = Lost::default();
        let missing = || match pieces.recv().unwrap() {
            Piece::Frames { missing, .. } => missing,
            Piece::Failed(problem) => panic!("{problem}"),
        };
        for _ in 0..4 {
            assert!(lost.send(&sender, vec![0.0; 20], 2));
        }
        assert_eq!((missing(), missing()), (Some(0), Some(0)));
        assert!(lost.send(&sender, vec![0.0; 20], 2));
        assert_eq!(missing(), Some(20));
        lost.nobody_knows = true;
        assert!(lost.send(&sender, vec![0.0; 20], 2));
        assert_eq!(missing(), None);
        drop(pieces);
        assert!(!lost.send(&sender, vec![0.0; 20], 2));
    }
}
