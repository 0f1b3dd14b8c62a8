//! Samples over time, with a trigger; thinned to the least and the largest value of each pixel.

use super::samples::Samples;
use super::{Draw, count};
use crate::api::{Edge, Tap, Trigger};
use crate::error::Refusal;
use crate::frame::{COMPLEX, FLOATS, Frame, Kind, PAIRS, TRIGGERED};

/// The most samples that a frame spans.
const MOST: usize = 1 << 19;

/// A piece of the stream. Of a complex one, the real and then the imaginary parts.
pub(crate) struct Time {
    samples: usize,
    pixels: usize,
    trigger: Option<Trigger>,
}

impl Time {
    pub fn new(tap: &Tap) -> Result<Self, Refusal> {
        Ok(Time {
            samples: count("samples", tap.samples, 1024, 2..=MOST)?,
            pixels: count("points", tap.points, 1024, 16..=16384)?,
            trigger: tap.trigger,
        })
    }
}

/// Where a trace first crosses the level of a trigger.
fn crossing(trace: &[f32], trigger: Trigger) -> Option<usize> {
    let is_there = |pair: &[f32]| match trigger.edge {
        Edge::Rising => pair[0] < trigger.level && pair[1] >= trigger.level,
        Edge::Falling => pair[0] > trigger.level && pair[1] <= trigger.level,
    };
    trace.windows(2).position(is_there).map(|at| at + 1)
}

/// The least and the largest of the values of each pixel.
fn thinned(trace: &[f32], pixels: usize) -> Vec<f32> {
    let edge = |pixel: usize| pixel * trace.len() / pixels;
    let pair = |pixel: usize| {
        let part = &trace[edge(pixel)..edge(pixel + 1)];
        let (low, high) = (f32::INFINITY, f32::NEG_INFINITY);
        let (low, high) = part.iter().fold((low, high), |(low, high), x| (low.min(*x), high.max(*x)));
        [low, high]
    };
    (0..pixels).flat_map(pair).collect()
}

impl Draw for Time {
    fn items(&self) -> usize {
        // The trigger is looked for in the first half.
        if self.trigger.is_some() { 2 * self.samples } else { self.samples }
    }

    fn draw(&mut self, first: u64, samples: &Samples) -> Option<Frame> {
        let traces = samples.traces();
        let searched = &traces.first()?[..self.samples.min(samples.len())];
        let at = self.trigger.and_then(|trigger| crossing(searched, trigger));
        let from = at.unwrap_or(0);
        let mut frame = Frame::new(Kind::Time, first + from as u64).flagged(FLOATS);
        let is_thin = self.samples > 2 * self.pixels;
        for (flag, is_so) in [(COMPLEX, samples.is_complex()), (TRIGGERED, at.is_some()), (PAIRS, is_thin)] {
            frame = if is_so { frame.flagged(flag) } else { frame };
        }
        for trace in &traces {
            let shown = trace.get(from..from + self.samples)?;
            frame = if is_thin { frame.with(&thinned(shown, self.pixels)) } else { frame.with(shown) };
        }
        Some(frame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(json: serde_json::Value) -> Time {
        let mut tap = serde_json::json!({ "graph": 1, "view": "time" });
        tap.as_object_mut().unwrap().extend(json.as_object().unwrap().clone());
        Time::new(&serde_json::from_value(tap).unwrap()).unwrap()
    }

    fn floats(frame: &Frame) -> Vec<f32> {
        frame.payload.chunks(4).map(bytemuck::pod_read_unaligned).collect()
    }

    #[test]
    fn a_frame_begins_where_the_signal_crosses_the_level() {
        let ramp = |k: usize| (k % 10) as f32;
        let mut rising = time(serde_json::json!({ "samples": 20, "trigger": { "level": 4.5 } }));
        let samples = Samples::Real((0..rising.items()).map(ramp).collect());
        let frame = rising.draw(100, &samples).unwrap();
        assert_eq!((frame.first_sample, frame.flags), (105, FLOATS | TRIGGERED));
        assert_eq!(floats(&frame)[..3], [5.0, 6.0, 7.0]);
        let mut falling =
            time(serde_json::json!({ "samples": 20, "trigger": { "level": 4.5, "edge": "falling" } }));
        assert_eq!(falling.draw(100, &samples).unwrap().first_sample, 110);
        let mut never = time(serde_json::json!({ "samples": 20, "trigger": { "level": 99 } }));
        let frame = never.draw(100, &samples).unwrap();
        assert_eq!((frame.first_sample, frame.flags), (100, FLOATS));
    }

    #[test]
    fn a_spike_of_one_sample_is_seen_however_many_share_a_pixel() {
        let mut view = time(serde_json::json!({ "samples": 100_000, "points": 100 }));
        let mut x = vec![0.0f32; 100_000];
        x[54_321] = 1.0;
        let frame = view.draw(0, &Samples::Real(x)).unwrap();
        assert_eq!(frame.flags, FLOATS | PAIRS);
        let pairs = floats(&frame);
        assert_eq!(pairs.len(), 200);
        assert_eq!(pairs.iter().position(|x| *x == 1.0), Some(2 * 54 + 1));
    }
}
