//! Receivers of several kinds and channels in one band: `superhet decode ism,ais,ax25@144.8M`.

mod cut;
mod merge;
mod places;
mod request;
mod scan;

use superhet::io::Shape;
use superhet_flow::{Flow, Set};
use superhet_runtime::{AnyBlock, Value};

use self::cut::Cut;
use self::merge::Merge;
use super::front::Front;
use super::kinds::{self, Kind};
use super::{needs_complex, port};
use crate::chain::Chain;
use crate::dashboard::Description;
use crate::recording::Recording;
use superhet_terminal::usage::Usage;

pub use places::{Place, places};
pub use request::{KindSets, Request};

/// The spectrum that a recording has.
#[derive(Clone, Debug)]
pub struct Band {
    pub center_hz: f64,
    pub rate_hz: f64,
}

impl Band {
    /// That of a recording.
    ///
    /// # Errors
    /// Where its samples are real, or its rate or its middle is not known.
    pub fn of(recording: &Recording) -> Result<Self, Usage> {
        if recording.shape == Shape::Real {
            return Err(needs_complex("a band of several channels", recording));
        }
        let rate_hz = recording.known_rate()?;
        let unknown = || {
            let problem = "the middle of the band is not known: say it, as in --freq 162M";
            Usage(format!("{}: {problem}", recording.name()))
        };
        Ok(Band { center_hz: recording.center_hz.ok_or_else(unknown)?, rate_hz })
    }

    /// Whether it has all of a channel.
    fn has(&self, frequency_hz: f64, width_hz: f64) -> bool {
        (frequency_hz - self.center_hz).abs() + width_hz / 2.0 <= self.rate_hz / 2.0 * (1.0 + 1e-9)
    }

    /// From where to where it is.
    fn words(&self) -> String {
        let edge = |side: f64| megahertz(self.center_hz + side * self.rate_hz / 2.0);
        format!("the band, {} to {} MHz", edge(-1.0), edge(1.0))
    }
}

/// A frequency in MHz, as short as it can be written.
fn megahertz(hz: f64) -> String {
    format!("{}", (hz / 1e6 * 1e7).round() / 1e7)
}

/// Receivers at their places in a band, and what cuts these out of it.
pub struct Receivers {
    chain: Chain,
    cut: Cut,
    receivers: Vec<Receiver>,
    kinds: Vec<&'static str>,
    gives: Vec<String>,
}

/// The input of a receiver in the graph of all.
struct Receiver {
    input: String,
    /// What makes audio for it.
    front: Option<Front>,
    /// The only rate at which it takes samples, if it is not that of what is cut out.
    resampled_hz: Option<f64>,
}

impl Receivers {
    /// Their graph, with what was set for each kind; `protocols` is for those of `ism`.
    pub fn new(
        places: &[Place],
        band: &Band,
        sets: &KindSets,
        protocols: Option<&Value>,
    ) -> anyhow::Result<Self> {
        let cut = Cut::new(places, band);
        let (mut receivers, mut all_sets) = (Vec::new(), Vec::new());
        let (mut blocks, mut ports) = (String::new(), String::new());
        let mut known: Vec<(&'static str, bool, Front)> = Vec::new();
        for (n, place) in places.iter().enumerate() {
            let (name, kind) = (format!("receiver{}", n + 1), &place.kind);
            let (is_audio, front) = match known.iter().find(|(name, ..)| *name == kind.name) {
                Some((_, is_audio, front)) => (*is_audio, *front),
                None => {
                    let own = sets.of_kind(kind.name);
                    let (is_audio, front) =
                        (port(kind, &own, "in")?.1 == "f32", Front::of(&kind.flow(&own)?));
                    known.push((kind.name, is_audio, front));
                    (is_audio, front)
                }
            };
            let cut_hz = cut.rate_hz(n);
            let exact_hz = place.channels.exact_rate_hz.filter(|hz| (cut_hz / hz - 1.0).abs() > TOLERANCE);
            let front = is_audio.then_some(front);
            let rate_hz =
                exact_hz.unwrap_or_else(|| cut_hz / front.map_or(1.0, |front| front.decimation(cut_hz)));
            let (file, frequency_hz, recording_hz) = (kind.file, place.frequency_hz, band.rate_hz);
            blocks += &format!(
                "{name} = {{ graph = \"{file}\", rate_hz = {rate_hz:?}, recording_rate_hz = {recording_hz:?}, center_hz = {frequency_hz:?} }}\n"
            );
            ports += &format!("in{n} = \"{name}.in\"\nout{n} = \"{name}.out\"\n");
            all_sets.extend(sets.of_receiver(kind.name, &name));
            let protocols = protocols.filter(|_| kind.name == "ism");
            all_sets.extend(protocols.map(|value| Set::new(format!("{name}.protocols"), value.clone())));
            receivers.push(Receiver { input: String::new(), front, resampled_hz: exact_hz });
        }
        let text = format!("connections = []\n[graph]\nname = \"band\"\n[ports]\n{ports}[blocks]\n{blocks}");
        let flow = kinds::graph(&text, &all_sets)?;
        let registry = superhet::registry();
        let mut chain = Chain::of(flow.build(&registry)?, None);
        *chain.description() = Description::of_flow("band", &flow, &registry);
        let mut gives = Vec::new();
        for (n, receiver) in receivers.iter_mut().enumerate() {
            receiver.input = shown(&flow, &format!("in{n}"))?;
            gives.push(shown(&flow, &format!("out{n}"))?);
        }
        let kinds = places.iter().map(|place| place.kind.name).collect();
        Ok(Receivers { chain, cut, receivers, kinds, gives })
    }

    /// The graph, to which the source is added.
    pub fn chain(&mut self) -> &mut Chain {
        &mut self.chain
    }

    /// Leads each place of the band, which the chain's last block gives, to its receiver.
    pub fn cut(&mut self) -> anyhow::Result<()> {
        let Receivers { chain, cut, receivers, .. } = self;
        let outputs = cut.add(chain)?;
        for (n, (output, receiver)) in outputs.iter().zip(receivers).enumerate() {
            chain.go_on_at(output);
            cut.center(chain, n)?;
            let rate_hz = cut.rate_hz(n);
            if let Some(hz) = receiver.resampled_hz {
                chain.add("pfb_arb_resampler", &[("rate", (hz / rate_hz).into())])?;
            }
            if let Some(front) = receiver.front {
                front.add(chain, rate_hz)?;
            }
            chain.end_at(&receiver.input);
        }
        Ok(())
    }

    /// The graph, the output that gives the messages of all, and what it is for.
    pub fn merged(self) -> (Chain, String, String) {
        let Receivers { mut chain, kinds, gives, .. } = self;
        let merge = Merge::new(&kinds);
        chain.add_block("messages", AnyBlock::new(merge));
        for (n, output) in gives.iter().enumerate() {
            chain.go_on_at(output);
            chain.end_at(&format!("messages.in{n}"));
        }
        let mut names = kinds;
        names.dedup();
        (chain, "messages.out".to_owned(), format!("messages of {}", names.join(", ")))
    }
}

/// Rates that differ by less are the same.
const TOLERANCE: f64 = 1e-4;

/// The port that a graph shows by that name.
fn shown(flow: &Flow, name: &str) -> anyhow::Result<String> {
    let found = flow.ports().find(|(shown, _)| *shown == name).map(|(_, target)| target.to_owned());
    anyhow::Context::with_context(found, || format!("the graph of the band shows no port {name}"))
}
