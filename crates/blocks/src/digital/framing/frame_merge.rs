//! Frames that several demodulators of one channel have found, each of them once.

use std::collections::VecDeque;

/// A frame that a demodulator has found.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FoundFrame {
    pub bytes: Vec<u8>,
    /// Where it begins and ends, in samples of what is demodulated; the end may be a fraction off.
    pub start: f64,
    pub end: f64,
    /// The same in samples of the recording, where they are known.
    pub samples: Option<(u64, u64)>,
}

/// Puts the frames of several demodulators of one channel into the order of their ends, and leaves out copies.
///
/// A copy has the same bytes, and its end is less than half of the frame's length from that of another: no station sends
/// a frame twice in that time. A frame waits until no demodulator can find one any more that ends before it. So what comes out, and
/// in which order, depends on the frames only, and not on when each demodulator had its samples.
#[derive(Clone, Debug, Default)]
pub(crate) struct FrameMerge {
    /// Frames that others may still end before, in order of their ends; of equal ones, that of the first demodulator first.
    waiting: VecDeque<(usize, FoundFrame)>,
    /// Frames that came out, as long as copies of them may come.
    given: VecDeque<FoundFrame>,
}

impl FrameMerge {
    /// Takes a frame that a demodulator, known by its number, has found.
    pub fn take(&mut self, demodulator: usize, frame: FoundFrame) {
        let is_before =
            |(number, other): &(usize, FoundFrame)| (other.end, *number) <= (frame.end, demodulator);
        let place = self.waiting.partition_point(is_before);
        self.waiting.insert(place, (demodulator, frame));
    }

    /// The next frame, where all demodulators have come so far that none ends before it.
    pub fn next(&mut self, all_are_at: f64) -> Option<FoundFrame> {
        while let Some((_, frame)) = self.waiting.pop_front_if(|(_, frame)| frame.end <= all_are_at) {
            self.given.retain(|given| given.end + reach(given) > frame.end);
            let is_copy =
                |given: &FoundFrame| given.bytes == frame.bytes && frame.end - given.end < reach(&frame);
            if !self.given.iter().any(is_copy) {
                self.given.push_back(frame.clone());
                return Some(frame);
            }
        }
        None
    }
}

/// How far the ends of a frame and of a copy of it are apart at most.
fn reach(frame: &FoundFrame) -> f64 {
    (frame.end - frame.start) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(name: &[u8], start: f64, end: f64) -> FoundFrame {
        FoundFrame { bytes: name.to_vec(), start, end, samples: None }
    }

    fn all(merge: &mut FrameMerge, all_are_at: f64) -> Vec<(Vec<u8>, f64)> {
        std::iter::from_fn(|| merge.next(all_are_at)).map(|frame| (frame.bytes, frame.end)).collect()
    }

    #[test]
    fn each_frame_comes_out_once_in_the_order_of_ends_whichever_demodulator_is_ahead() {
        let first = [frame(b"a", 0.0, 100.0), frame(b"a", 100.0, 200.0), frame(b"d", 600.0, 700.0)];
        let second = [frame(b"a", 1.0, 99.5), frame(b"b", 110.0, 150.0), frame(b"a", 101.0, 200.0)];
        let wanted = [(b"a", 99.5), (b"b", 150.0), (b"a", 200.0), (b"d", 700.0)]
            .map(|(name, end)| (name.to_vec(), end));
        // Whole, or in steps of 50 samples in which either is first.
        for (step, ahead) in [(1000.0, 0), (50.0, 0), (50.0, 1)] {
            let mut merge = FrameMerge::default();
            let mut got = Vec::new();
            let mut at = 0.0;
            while at < 1000.0 {
                for demodulator in [ahead, 1 - ahead] {
                    let frames = [&first, &second][demodulator].iter();
                    let new = frames.filter(|frame| frame.end > at && frame.end <= at + step);
                    new.for_each(|frame| merge.take(demodulator, frame.clone()));
                }
                at += step;
                got.extend(all(&mut merge, at));
            }
            assert_eq!(got, wanted, "steps of {step}, {ahead} ahead");
        }
    }

    #[test]
    fn a_frame_waits_for_the_demodulator_that_is_behind() {
        let mut merge = FrameMerge::default();
        merge.take(0, frame(b"a", 0.0, 100.0));
        assert_eq!(all(&mut merge, 99.0), []);
        merge.take(1, frame(b"b", 0.0, 99.5));
        assert_eq!(all(&mut merge, 100.0), [(b"b".to_vec(), 99.5), (b"a".to_vec(), 100.0)]);
    }
}
