//! Where in a data file the samples lie.

use super::meta::Meta;
use super::problem::Problem;

/// A run of samples that lie together in the data file and belong to one capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// The capture, as an index into [`Meta::captures`]; `None` for samples before the first.
    pub capture: Option<usize>,
    /// The index of the first sample.
    pub sample_start: u64,
    /// How many samples.
    pub samples: u64,
    /// Where the first one begins, in bytes from the start of the data file.
    pub byte_start: u64,
}

/// The layout of a whole data file.
#[derive(Debug, Default)]
pub(super) struct Layout {
    pub segments: Vec<Segment>,
    /// How many samples in all.
    pub samples: u64,
    pub problems: Vec<Problem>,
}

/// Lays the captures out in a data file: before each its header, after the last the trailing bytes.
///
/// Captures that are out of order or begin behind the end are passed over; the checks name them.
pub(super) fn of(meta: &Meta, data_bytes: u64) -> Layout {
    let Ok(format) = meta.format() else { return Layout::default() };
    let mut problems = Vec::new();
    let sample_bytes = meta.channels().saturating_mul(format.bytes() as u64);

    let headers = meta.captures.iter().map(|capture| capture.header_bytes.unwrap_or(0));
    let around = headers.fold(meta.global.trailing_bytes.unwrap_or(0), u64::saturating_add);
    if around > data_bytes {
        let got = format!("{data_bytes} bytes long");
        problems.push(Problem::new(
            "data",
            got,
            format!("at least the {around} bytes of headers and trailer"),
        ));
    }
    let inner = data_bytes.saturating_sub(around);
    let (samples, rest) = (inner / sample_bytes, inner % sample_bytes);
    if rest != 0 {
        let at_byte = data_bytes - meta.global.trailing_bytes.unwrap_or(0) - rest;
        let got = format!("{inner} bytes of samples, {rest} too many (from byte {at_byte})");
        let expected =
            format!("a multiple of the {sample_bytes}-byte sample ({} × {format})", meta.channels());
        problems.push(Problem::new("data", got, expected));
    }

    let mut sample = meta.global.offset.unwrap_or(0);
    let end = sample.saturating_add(samples);
    let mut segments = Vec::new();
    let mut open = Segment { capture: None, sample_start: sample, samples: 0, byte_start: 0 };
    for (n, capture) in meta.captures.iter().enumerate() {
        if capture.sample_start < sample || capture.sample_start > end || around > data_bytes {
            continue;
        }
        open.samples = capture.sample_start - open.sample_start;
        let byte_end = open.byte_start + open.samples * sample_bytes;
        segments.push(open);
        sample = capture.sample_start;
        let byte_start = byte_end + capture.header_bytes.unwrap_or(0);
        open = Segment { capture: Some(n), sample_start: sample, samples: 0, byte_start };
    }
    open.samples = end - open.sample_start;
    segments.push(open);
    segments.retain(|segment| segment.samples > 0);
    Layout { segments, samples, problems }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SampleFormat;
    use crate::sigmf::Capture;

    fn meta(captures: &[(u64, u64)], trailing: u64, offset: u64) -> Meta {
        let mut meta = Meta::new(SampleFormat::CU8, None);
        meta.global.trailing_bytes = Some(trailing);
        meta.global.offset = Some(offset);
        meta.captures = captures
            .iter()
            .map(|&(sample_start, header)| Capture {
                sample_start,
                header_bytes: Some(header),
                ..Capture::default()
            })
            .collect();
        meta
    }

    #[test]
    fn the_example_of_the_specification_lies_where_it_says() {
        let layout = of(&meta(&[(0, 4), (500, 4)], 0, 0), 1008 + 200);
        let of_capture = |n, sample_start, samples, byte_start| Segment {
            capture: Some(n),
            sample_start,
            samples,
            byte_start,
        };
        assert_eq!(layout.segments, [of_capture(0, 0, 500, 4), of_capture(1, 500, 100, 1008)]);
        assert_eq!(layout.samples, 600);
        assert_eq!(layout.problems, []);
    }

    #[test]
    fn no_captures_are_one_over_all() {
        let layout = of(&meta(&[], 3, 100), 23);
        assert_eq!(
            layout.segments,
            [Segment { capture: None, sample_start: 100, samples: 10, byte_start: 0 }]
        );
    }

    #[test]
    fn too_many_and_too_few_bytes_are_reported() {
        let text = of(&meta(&[], 0, 0), 7).problems[0].to_string();
        assert_eq!(
            text,
            "data is 7 bytes of samples, 1 too many (from byte 6), expected a multiple of the 2-byte sample \
             (1 × cu8)"
        );
        assert_eq!(of(&meta(&[(0, 9)], 0, 0), 7).problems.len(), 1);
    }

    #[test]
    fn absurd_numbers_overflow_nothing() {
        let top = u64::MAX >> 1;
        let mut meta = meta(&[(top, top), (top, top)], top, top);
        meta.global.num_channels = Some(top);
        for data_bytes in [0, 1, u64::MAX] {
            let layout = of(&meta, data_bytes);
            assert!(layout.segments.iter().all(|s| s.byte_start <= data_bytes));
        }
    }
}
