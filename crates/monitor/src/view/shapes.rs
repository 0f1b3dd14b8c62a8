//! Constellations, eyes, histograms and bits.

use num_complex::Complex;

use super::samples::{Samples, expect_complex};
use super::{Draw, count};
use crate::api::Tap;
use crate::error::Refusal;
use crate::frame::{COMPLEX, FLOATS, Frame, Kind};

/// Complex samples as points.
pub(crate) struct Constellation {
    points: usize,
}

impl Constellation {
    pub fn new(tap: &Tap, item: &str) -> Result<Self, Refusal> {
        expect_complex(item)?;
        Ok(Constellation { points: count("points", tap.points, 1024, 1..=65536)? })
    }
}

impl Draw for Constellation {
    fn items(&self) -> usize {
        self.points
    }

    fn draw(&mut self, first: u64, samples: &Samples) -> Option<Frame> {
        let Samples::Complex(points) = samples else { return None };
        Some(Frame::new(Kind::Constellation, first).flagged(FLOATS | COMPLEX).with(points))
    }
}

/// Traces of two symbols each, one begun at each symbol.
pub(crate) struct Eye {
    symbol: f64,
    traces: usize,
}

impl Eye {
    pub fn new(tap: &Tap) -> Result<Self, Refusal> {
        let symbol = tap.symbol_samples.unwrap_or(8.0);
        if !(2.0..=4096.0).contains(&symbol) {
            return Err(Refusal::wrong(format!("symbol_samples = {symbol}: expected 2 to 4096")));
        }
        Ok(Eye { symbol, traces: count("points", tap.points, 64, 1..=1024)? })
    }

    /// Samples of a trace.
    fn length(&self) -> usize {
        (2.0 * self.symbol).round() as usize + 1
    }

    /// Where a trace begins.
    fn begin(&self, trace: usize) -> usize {
        (trace as f64 * self.symbol).round() as usize
    }
}

impl Draw for Eye {
    fn items(&self) -> usize {
        self.begin(self.traces - 1) + self.length()
    }

    fn draw(&mut self, first: u64, samples: &Samples) -> Option<Frame> {
        let mut frame = Frame::new(Kind::Eye, first).flagged(FLOATS).with(&[self.length() as u32]);
        // Of a complex signal, the real part.
        let traces = samples.traces();
        for trace in 0..self.traces {
            let begin = self.begin(trace);
            frame = frame.with(traces.first()?.get(begin..begin + self.length())?);
        }
        Some(frame)
    }
}

/// How often each value comes: the range of the values in equal parts. Of complex samples, their real parts.
pub(crate) struct Histogram {
    bins: usize,
    samples: usize,
}

impl Histogram {
    pub fn new(tap: &Tap) -> Result<Self, Refusal> {
        Ok(Histogram {
            bins: count("bins", tap.bins, 256, 2..=4096)?,
            samples: count("samples", tap.samples.or(tap.points), 65536, 16..=1 << 20)?,
        })
    }
}

impl Draw for Histogram {
    fn items(&self) -> usize {
        self.samples
    }

    fn draw(&mut self, first: u64, samples: &Samples) -> Option<Frame> {
        let traces = samples.traces();
        let values = traces.first()?.iter().copied().filter(|x| x.is_finite());
        let (low, high) = (f32::INFINITY, f32::NEG_INFINITY);
        let (low, high) = values.clone().fold((low, high), |(low, high), x| (low.min(x), high.max(x)));
        if low > high {
            return None;
        }
        // All values may be the same one.
        let (low, high) = if low == high { (low - 0.5, high + 0.5) } else { (low, high) };
        let mut counts = vec![0u32; self.bins];
        let by = self.bins as f64 / (f64::from(high) - f64::from(low));
        for x in values {
            let bin = ((f64::from(x) - f64::from(low)) * by) as usize;
            counts[bin.min(self.bins - 1)] += 1;
        }
        Some(Frame::new(Kind::Histogram, first).with(&[low, high]).with(&counts))
    }
}

/// Bits: 1 where a value is above 0; of bytes, their lowest bits.
pub(crate) struct Bits {
    samples: usize,
    are_bytes: bool,
}

impl Bits {
    pub fn new(tap: &Tap, item: &str) -> Result<Self, Refusal> {
        let are_bytes = matches!(item, "u8" | "i8" | "u16" | "u32");
        Ok(Bits { samples: count("samples", tap.samples.or(tap.points), 4096, 8..=1 << 16)?, are_bytes })
    }
}

impl Draw for Bits {
    fn items(&self) -> usize {
        self.samples
    }

    fn draw(&mut self, first: u64, samples: &Samples) -> Option<Frame> {
        let bit = |x: f32| match self.are_bytes {
            true => (x as i64 & 1) as u8,
            false => u8::from(x > 0.0),
        };
        let bits: Vec<u8> = match samples {
            Samples::Real(x) => x.iter().map(|x| bit(*x)).collect(),
            Samples::Complex(x) => x.iter().map(|z: &Complex<f32>| bit(z.re)).collect(),
        };
        Some(Frame::new(Kind::Bits, first).with(&bits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tap(view: &str) -> Tap {
        serde_json::from_value(serde_json::json!({ "graph": 1, "view": view })).unwrap()
    }

    fn numbers<T: bytemuck::AnyBitPattern>(bytes: &[u8]) -> Vec<T> {
        bytes.chunks(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect()
    }

    #[test]
    fn traces_of_an_eye_begin_a_symbol_apart() {
        let mut eye = Eye::new(&Tap { symbol_samples: Some(4.5), points: Some(3), ..tap("eye") }).unwrap();
        let samples = Samples::Real((0..eye.items()).map(|k| k as f32).collect());
        let frame = eye.draw(0, &samples).unwrap();
        assert_eq!(numbers::<u32>(&frame.payload[..4]), [10]);
        let traces = numbers::<f32>(&frame.payload[4..]);
        assert_eq!(traces.len(), 30);
        assert_eq!([traces[0], traces[10], traces[20]], [0.0, 5.0, 9.0]);
        assert!(Eye::new(&Tap { symbol_samples: Some(f64::NAN), ..tap("eye") }).is_err());
    }

    #[test]
    fn a_histogram_counts_each_finite_value_once() {
        let mut view = Histogram::new(&Tap { bins: Some(4), samples: Some(16), ..tap("histogram") }).unwrap();
        let frame = view.draw(0, &Samples::Real(vec![0.0, 1.0, 1.9, 2.0, 3.0, 4.0, f32::NAN])).unwrap();
        assert_eq!(numbers::<f32>(&frame.payload[..8]), [0.0, 4.0]);
        assert_eq!(numbers::<u32>(&frame.payload[8..]), [1, 2, 1, 2]);
        let same = view.draw(0, &Samples::Real(vec![7.0; 5])).unwrap();
        assert_eq!(numbers::<u32>(&same.payload[8..]).iter().sum::<u32>(), 5);
        assert_eq!(view.draw(0, &Samples::Real(vec![f32::NAN])), None);
    }

    #[test]
    fn bits_are_signs_or_lowest_bits() {
        let bits =
            |item, x| Bits::new(&tap("bits"), item).unwrap().draw(0, &Samples::Real(x)).unwrap().payload;
        assert_eq!(bits("f32", vec![-1.0, 0.5, 0.0]), [0, 1, 0]);
        assert_eq!(bits("u8", vec![0.0, 1.0, 2.0, 255.0]), [0, 1, 0, 1]);
    }
}
