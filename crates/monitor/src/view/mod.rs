//! What is drawn of samples: computed on the dashboard's thread, thinned to what a screen shows.
//!
//! | file | has |
//! |---|---|
//! | `samples.rs` | items as numbers |
//! | `spectrum.rs`, `window.rs` | spectra and rows of waterfalls |
//! | `time.rs` | samples over time, with a trigger |
//! | `shapes.rs` | constellations, eyes, histograms, bits |
//! | `audio.rs` | audio at 48 kHz |
//! | `rows.rs` | tags, messages, packets and places as rows |
//! | `run.rs` | what runs while a viewer looks |

pub(crate) mod audio;
pub(crate) mod rows;
pub(crate) mod run;
pub(crate) mod samples;
pub(crate) mod shapes;
pub(crate) mod spectrum;
pub(crate) mod time;
pub(crate) mod window;

use crate::api::{Tap, View};
use crate::error::Refusal;
use crate::frame::Frame;
use crate::shape::Known;
use samples::Samples;

/// Draws pieces of a stream.
pub(crate) trait Draw: Send {
    /// How many items a frame is made of.
    fn items(&self) -> usize;
    /// The frame of so many items, the first of which has this index; `None` where they do not make one.
    fn draw(&mut self, first: u64, samples: &Samples) -> Option<Frame>;
    /// The frequencies of the first and the last bin, where there are any, in Hz.
    fn span_hz(&self) -> Option<(f64, f64)> {
        None
    }
}

/// Frames a second: what is asked for, in reason.
pub(crate) fn rate_of(tap: &Tap) -> f64 {
    tap.rate.filter(|rate| rate.is_finite()).unwrap_or(25.0).clamp(0.1, 60.0)
}

/// What draws a view of items of that type.
pub(crate) fn of_stream(tap: &Tap, item: &str, known: Known) -> Result<Box<dyn Draw>, Refusal> {
    Ok(match tap.view {
        View::Spectrum | View::Waterfall => Box::new(spectrum::Spectrum::new(tap, item, known)?),
        View::Time => Box::new(time::Time::new(tap)?),
        View::Constellation => Box::new(shapes::Constellation::new(tap, item)?),
        View::Eye => Box::new(shapes::Eye::new(tap)?),
        View::Histogram => Box::new(shapes::Histogram::new(tap)?),
        View::Bits => Box::new(shapes::Bits::new(tap, item)?),
        View::Audio => Box::new(audio::Audio::new(item, known)?),
        View::Tags | View::Messages | View::Packets | View::Map => {
            return Err(Refusal::wrong("this view has rows, not frames"));
        }
    })
}

/// A count that a viewer asks for, within bounds.
pub(crate) fn count(
    name: &str,
    asked: Option<usize>,
    default: usize,
    range: std::ops::RangeInclusive<usize>,
) -> Result<usize, Refusal> {
    match asked.unwrap_or(default) {
        n if range.contains(&n) => Ok(n),
        n => Err(Refusal::wrong(format!("{name} = {n}: expected {} to {}", range.start(), range.end()))),
    }
}
