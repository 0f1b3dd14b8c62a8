//! A resampler's outputs of many periods at once.
//!
//! A resampler by `I / D` in lowest terms gives `I` outputs for `D` samples and then begins again. Samples that lie `D` apart are
//! put side by side here, so that [`periods_f32`](superhet_kernels::periods_f32) sums four outputs of 16 or 32 periods by whole vectors.
//! What bounds it is that kernel, which is at one vector of fused multiply-adds a cycle, and what it takes to put samples side by side
//! and outputs in a row.

use superhet_kernels as kernels;

/// Floats that lie side by side: of so many periods, or of half as many complex samples.
const LANES: usize = 32;

/// Outputs that are summed together.
const TOGETHER: usize = 4;

/// The most samples of a period: more leave the level-2 cache.
const LONGEST: usize = 512;

/// The taps of a resampler, laid out for many periods, and memory for their samples.
#[derive(Clone, Debug)]
pub(super) struct Periods {
    /// Samples of a period.
    samples: usize,
    /// Where the windows of its outputs begin.
    starts: Vec<usize>,
    /// Of groups of outputs their taps, from the first one of all windows to the last: for each sample a tap of each output.
    groups: Vec<Vec<f32>>,
    /// The samples of `x` that lie `samples` apart side by side, `stride` floats in a row: as many as periods, and more where windows
    /// reach into what comes behind a period.
    rows: Vec<f32>,
    stride: usize,
}

impl Periods {
    /// Of outputs, in the order of a period, with the places where their windows begin and their taps, all equally many; `None`
    /// where single outputs are the faster way: where periods are short or very long, or windows of neighbours too far apart.
    pub fn new<'a>(
        outputs: impl IntoIterator<Item = (usize, &'a [f32])>,
        samples: usize,
        parts: usize,
    ) -> Option<Self> {
        let outputs: Vec<(usize, &[f32])> = outputs.into_iter().collect();
        let width = outputs.first()?.1.len();
        let span = |group: &[(usize, &[f32])]| group[group.len() - 1].0 - group[0].0 + width;
        let sums: usize = outputs.chunks(TOGETHER).map(|group| span(group) * TOGETHER).sum();
        let fits = (8..=LONGEST).contains(&samples) && sums <= outputs.len() * width * 3 / 2;
        let groups = outputs.chunks(TOGETHER).map(|group| {
            let mut taps = vec![0.0; span(group) * TOGETHER];
            for (place, (start, of_output)) in group.iter().enumerate() {
                let taps = taps[(start - group[0].0) * TOGETHER + place..].iter_mut().step_by(TOGETHER);
                taps.zip(*of_output).for_each(|(tap, of_output)| *tap = *of_output);
            }
            taps
        });
        let last = outputs[outputs.len() - 1].0 + width - 1;
        let stride = LANES + last / samples * parts;
        fits.then(|| Periods {
            samples,
            starts: outputs.iter().map(|(start, _)| *start).collect(),
            groups: groups.collect(),
            stride,
            rows: vec![0.0; samples * stride],
        })
    }

    /// How many of `n` outputs from `first` of a period on to give now: as many as make whole groups of periods, where there is one. A
    /// group that is not whole takes as long.
    pub fn whole_groups(&self, first: usize, n: usize, parts: usize) -> usize {
        let group = LANES / parts * self.outputs();
        match (first + n) / group {
            0 => n,
            groups => groups * group - first,
        }
    }

    /// The samples of a group of periods.
    pub fn group_samples(&self, parts: usize) -> usize {
        LANES / parts * self.samples
    }

    /// Outputs of a period.
    pub fn outputs(&self) -> usize {
        self.starts.len()
    }

    /// Where the window of an output begins, in a period.
    pub fn start(&self, output: usize) -> usize {
        self.starts[output]
    }

    /// Gives the outputs from `first` of a period on; the period begins `origin` samples behind the first of `x`, both in floats of
    /// samples that lie together. Samples beyond `x` count as zeros.
    pub fn resample<const PARTS: usize>(&mut self, x: &[f32], y: &mut [f32], first: usize, origin: isize) {
        let (x, y) = (x.as_chunks::<PARTS>().0, y.as_chunks_mut::<PARTS>().0);
        let (outputs, lanes) = (self.outputs(), LANES / PARTS);
        let periods = (first + y.len()).div_ceil(outputs);
        for begin in (0..periods).step_by(lanes) {
            self.fill(x, origin + (begin * self.samples) as isize);
            // In a single period not every output may be wanted.
            let wanted = if periods == 1 { first..first + y.len() } else { 0..outputs };
            for (group, taps) in self.groups.iter().enumerate() {
                let group = group * TOGETHER..outputs.min((group + 1) * TOGETHER);
                if group.start >= wanted.end || group.end <= wanted.start {
                    continue;
                }
                let mut sums = [0.0; TOGETHER * LANES];
                let start = self.starts[group.start];
                kernels::periods_f32(&mut sums, &self.rows, taps, start, self.samples, self.stride, PARTS);
                for (sums, output) in sums.chunks_exact(LANES).zip(group) {
                    let mut sums = sums.as_chunks::<PARTS>().0.iter();
                    let mut place = begin * outputs + output;
                    if place < first {
                        // Of the first period, which had begun.
                        place += outputs;
                        sums.next();
                    }
                    for (y, sum) in y.iter_mut().skip(place - first).step_by(outputs).zip(sums) {
                        *y = *sum;
                    }
                }
            }
        }
    }

    /// Puts the samples of periods side by side, from a place on that may lie before the first one.
    fn fill<const PARTS: usize>(&mut self, x: &[[f32; PARTS]], from: isize) {
        let (samples, stride) = (self.samples, self.stride / PARTS);
        let rows = self.rows.as_chunks_mut::<PARTS>().0.chunks_exact_mut(stride);
        for (line, row) in rows.enumerate() {
            let place = from + line as isize;
            // Of the first period there may be nothing in `x`, of the last ones not all.
            let before = if place < 0 { place.unsigned_abs().div_ceil(samples).min(row.len()) } else { 0 };
            let (missing, row) = row.split_at_mut(before);
            let items =
                usize::try_from(place + (before * samples) as isize).ok().and_then(|from| x.get(from..));
            let items = items.unwrap_or_default();
            let (row, rest) = row.split_at_mut(items.len().div_ceil(samples).min(row.len()));
            missing.fill([0.0; PARTS]);
            row.iter_mut().zip(items.iter().step_by(samples)).for_each(|(item, of)| *item = *of);
            rest.fill([0.0; PARTS]);
        }
    }
}
