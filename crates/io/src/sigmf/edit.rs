//! What becomes of metadata when their samples are cut out, resampled or shifted in frequency.

use super::datetime;
use super::meta::{Annotation, Capture, Meta};

impl Meta {
    /// The metadata of `samples` samples from `first` on, counted from the first of the recording, in a data file of their
    /// own.
    ///
    /// The capture that `first` lies in begins with it. Its time and `core:global_index`, where it has any, move on by what is
    /// left out; a time without a sample rate is left out, too. Annotations that reach out are cut. What holds for the old data
    /// file alone goes: checksum, DOIs, name, offset, headers and trailing bytes.
    ///
    /// # Example
    ///
    /// ```
    /// use superhet_io::SampleFormat;
    /// use superhet_io::sigmf::{Annotation, Meta};
    ///
    /// let mut meta = Meta::new(SampleFormat::CU8, Some(1e3));
    /// meta.captures[0].datetime = Some("2026-01-01T00:00:00Z".to_owned());
    /// meta.annotations.push(Annotation::new(400, 200));
    /// let part = meta.cut(500, 1000);
    /// assert_eq!(part.captures[0].datetime.as_deref(), Some("2026-01-01T00:00:00.500000000Z"));
    /// assert_eq!((part.annotations[0].sample_start, part.annotations[0].sample_count), (0, Some(100)));
    /// ```
    pub fn cut(&self, first: u64, samples: u64) -> Meta {
        let mut meta = self.of_other_data();
        let first = first.saturating_add(self.global.offset.unwrap_or(0));
        let end = first.saturating_add(samples);
        let within = self.captures.partition_point(|capture| capture.sample_start <= first);
        let from = within.saturating_sub(1);
        let captures =
            self.captures[from..].iter().filter(|one| one.sample_start < end || one.sample_start <= first);
        meta.captures = captures.map(|capture| self.begin_at(capture, first)).collect();
        let overlapping = self.annotations.iter().filter_map(|found| {
            let last = match found.sample_count {
                Some(count) => found.sample_start.saturating_add(count),
                None => self.end_of_capture(found.sample_start),
            };
            let (start, stop) = (found.sample_start.max(first), last.min(end));
            // One without a length marks a place.
            let is_place = found.sample_count == Some(0) && (first..end).contains(&found.sample_start);
            (start < stop || is_place).then(|| Annotation {
                sample_start: start - first,
                sample_count: found.sample_count.map(|_| stop - start),
                ..found.clone()
            })
        });
        meta.annotations = overlapping.collect();
        meta
    }

    /// The metadata of samples that were resampled by `interpolation / decimation`: sample `n` has become
    /// `n · interpolation / decimation`, rounded.
    ///
    /// What holds for the old data file alone goes, as in [`Meta::cut`].
    ///
    /// # Panics
    ///
    /// If either is 0.
    pub fn resampled(&self, interpolation: u64, decimation: u64) -> Meta {
        assert!(interpolation > 0 && decimation > 0, "a ratio of {interpolation} to {decimation}");
        let moved = |sample: u64| {
            let product = u128::from(sample) * u128::from(interpolation);
            let rounded = (product + u128::from(decimation) / 2) / u128::from(decimation);
            u64::try_from(rounded).unwrap_or(u64::MAX)
        };
        let mut meta = self.cut(0, u64::MAX);
        let rate_hz = meta.global.sample_rate_hz;
        meta.global.sample_rate_hz = rate_hz.map(|rate| rate * interpolation as f64 / decimation as f64);
        for capture in &mut meta.captures {
            capture.sample_start = moved(capture.sample_start);
            capture.global_index = capture.global_index.map(moved);
        }
        for found in &mut meta.annotations {
            let start = moved(found.sample_start);
            let end = found.sample_count.map(|count| moved(found.sample_start.saturating_add(count)));
            (found.sample_start, found.sample_count) = (start, end.map(|end| end - start));
        }
        meta
    }

    /// The metadata of samples whose frequencies were moved up by `shift_hz`: centre frequencies move down by it, as what lies at
    /// `b` Hz in the samples then lies at `b + shift_hz`.
    ///
    /// Edges of annotations are frequencies on the air and stay, except where the capture has no centre frequency.
    pub fn shifted(&self, shift_hz: f64) -> Meta {
        let mut meta = self.cut(0, u64::MAX);
        let is_known =
            |meta: &Meta, sample| meta.capture_at(sample).is_some_and(|one| one.frequency_hz.is_some());
        for n in 0..meta.annotations.len() {
            if !is_known(&meta, meta.annotations[n].sample_start) {
                let found = &mut meta.annotations[n];
                found.freq_lower_edge_hz = found.freq_lower_edge_hz.map(|edge| edge + shift_hz);
                found.freq_upper_edge_hz = found.freq_upper_edge_hz.map(|edge| edge + shift_hz);
            }
        }
        for capture in &mut meta.captures {
            capture.frequency_hz = capture.frequency_hz.map(|centre| centre - shift_hz);
        }
        meta
    }

    /// Without what holds for the present data file alone.
    fn of_other_data(&self) -> Meta {
        let mut meta = self.clone();
        let global = &mut meta.global;
        (global.sha512, global.offset, global.trailing_bytes, global.metadata_only) = Default::default();
        (global.dataset, global.data_doi, global.meta_doi, global.collection) = Default::default();
        meta
    }

    /// `capture` as it is where sample `first` is the first.
    fn begin_at(&self, capture: &Capture, first: u64) -> Capture {
        let cut = first.saturating_sub(capture.sample_start);
        let rate_hz = self.global.sample_rate_hz.filter(|rate| *rate > 0.0);
        let datetime = match (&capture.datetime, rate_hz) {
            (time, _) if cut == 0 => time.clone(),
            (Some(time), Some(rate_hz)) => datetime::later(time, cut as f64 / rate_hz),
            _ => None,
        };
        Capture {
            sample_start: capture.sample_start.saturating_sub(first),
            datetime,
            global_index: capture.global_index.map(|index| index.saturating_add(cut)),
            header_bytes: None,
            ..capture.clone()
        }
    }

    /// Where the capture that `sample` lies in ends.
    fn end_of_capture(&self, sample: u64) -> u64 {
        let next = self.captures.partition_point(|capture| capture.sample_start <= sample);
        self.captures.get(next).map_or(u64::MAX, |capture| capture.sample_start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::SampleFormat;

    fn meta() -> Meta {
        let capture = |sample_start, frequency_hz, global_index| Capture {
            sample_start,
            frequency_hz: Some(frequency_hz),
            global_index: Some(global_index),
            datetime: Some("2026-01-01T00:00:59.5Z".to_owned()),
            header_bytes: Some(8),
            ..Capture::default()
        };
        let mut meta = Meta::new(SampleFormat::CS16, Some(100.0));
        meta.global.sha512 = Some("00".to_owned());
        meta.global.author = Some("A. Author".to_owned());
        meta.captures = vec![capture(0, 1e6, 0), capture(100, 2e6, 150), capture(200, 3e6, 250)];
        meta.annotations = vec![
            Annotation::new(20, 10),
            Annotation::new(90, 40).with_edges(1e6, 1.1e6),
            Annotation { sample_count: None, ..Annotation::new(110, 0) },
            Annotation::new(130, 0),
            Annotation::new(190, 100),
        ];
        meta
    }

    #[test]
    fn a_part_keeps_what_lies_in_it() {
        let part = meta().cut(120, 100);
        let captures = part.captures.iter().map(|c| (c.sample_start, c.frequency_hz, c.global_index));
        assert_eq!(captures.collect::<Vec<_>>(), [(0, Some(2e6), Some(170)), (80, Some(3e6), Some(250))]);
        // 20 samples at 100 Hz.
        assert_eq!(part.captures[0].datetime.as_deref(), Some("2026-01-01T00:00:59.700000000Z"));
        assert_eq!(part.captures[1].datetime.as_deref(), Some("2026-01-01T00:00:59.5Z"));
        let found = part.annotations.iter().map(|a| (a.sample_start, a.sample_count));
        assert_eq!(found.collect::<Vec<_>>(), [(0, Some(10)), (0, None), (10, Some(0)), (70, Some(30))]);
        assert_eq!((part.global.sha512, part.captures[0].header_bytes), (None, None));
        assert_eq!(part.global.author.as_deref(), Some("A. Author"));
    }

    #[test]
    fn an_offset_is_taken_off() {
        let mut meta = meta();
        meta.global.offset = Some(1000);
        meta.captures.iter_mut().for_each(|capture| capture.sample_start += 1000);
        meta.annotations.iter_mut().for_each(|found| found.sample_start += 1000);
        let part = meta.cut(120, 100);
        assert_eq!(part.global.offset, None);
        assert_eq!((part.captures[1].sample_start, part.annotations[0].sample_start), (80, 0));
    }

    #[test]
    fn resampling_moves_every_sample_and_the_rate() {
        let meta = meta().resampled(3, 2);
        assert_eq!(meta.global.sample_rate_hz, Some(150.0));
        assert_eq!((meta.captures[1].sample_start, meta.captures[1].global_index), (150, Some(225)));
        assert_eq!((meta.annotations[1].sample_start, meta.annotations[1].sample_count), (135, Some(60)));
        assert_eq!(meta.annotations[2].sample_count, None);
    }

    #[test]
    fn a_shift_moves_centres_against_it_and_leaves_frequencies_on_the_air() {
        let mut meta = meta();
        meta.captures[2].frequency_hz = None;
        meta.annotations[4] = Annotation::new(210, 10).with_edges(-1e3, 1e3);
        let shifted = meta.shifted(-250e3);
        assert_eq!(
            (shifted.captures[0].frequency_hz, shifted.captures[2].frequency_hz),
            (Some(1.25e6), None)
        );
        assert_eq!(shifted.annotations[1].freq_lower_edge_hz, Some(1e6));
        assert_eq!(shifted.annotations[4].freq_upper_edge_hz, Some(-249e3));
    }
}
