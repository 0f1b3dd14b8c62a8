//! A resampler's outputs of many periods at once.
//!
//! A resampler by `I / D` in lowest terms gives `I` outputs for `D` samples and then begins again. Samples that lie `D` apart are
//! put side by side here, so that [`periods_f32`](superhet_kernels::periods_f32) sums four outputs of 16 or 32 periods by whole vectors.
//! What bounds it is that kernel, which is at one vector of fused multiply-adds a cycle, and what it takes to put samples side by side
//! and outputs in a row, which [`transpose_f32`](superhet_kernels::transpose_f32) does by blocks: 1 to 2.4 of 3.7 to 5.2 cycles for a complex
//! sample by 24/125 and by 160/147 (Intel Xeon with AVX-512).

use superhet_kernels as kernels;

/// Floats that lie side by side: of so many periods, or of half as many complex samples.
const LANES: usize = 32;

/// Outputs that are summed together.
const TOGETHER: usize = 4;

/// Groups of outputs that are put in a row together.
const AT_ONCE: usize = 2;

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
            // Where each of these periods is wanted as a whole.
            let place =
                (begin * outputs).checked_sub(first).filter(|place| place + lanes * outputs <= y.len());
            for (groups, taps) in self.groups.chunks(AT_ONCE).enumerate() {
                let begun = groups * AT_ONCE * TOGETHER;
                let summed = begun..outputs.min(begun + AT_ONCE * TOGETHER);
                if summed.start >= wanted.end || summed.end <= wanted.start {
                    continue;
                }
                let mut sums = [0.0; AT_ONCE * TOGETHER * LANES];
                for (group, taps) in taps.iter().enumerate() {
                    let sums = &mut sums[group * TOGETHER * LANES..][..TOGETHER * LANES];
                    let start = self.starts[begun + group * TOGETHER];
                    kernels::periods_f32(sums, &self.rows, taps, start, self.samples, self.stride, PARTS);
                }
                if let Some(place) = place {
                    let y = y[place + summed.start..].as_flattened_mut();
                    transpose::<PARTS>(y, &sums, [summed.len(), lanes], [outputs, lanes]);
                    continue;
                }
                for (sums, output) in sums.chunks_exact(LANES).zip(summed) {
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
        // Of so many periods all samples are in `x`.
        let there = usize::try_from(from).ok().and_then(|from| x.get(from..)).unwrap_or_default();
        let whole = (there.len() / samples).min(stride);
        transpose::<PARTS>(&mut self.rows, there.as_flattened(), [whole, samples], [stride, samples]);
        for lane in whole..stride {
            let mut column = self.rows.as_chunks_mut::<PARTS>().0[lane..].iter_mut().step_by(stride);
            // Of the first period there may be nothing in `x`, of the last ones not all.
            let place = from + (lane * samples) as isize;
            let missing = if place < 0 { place.unsigned_abs().min(samples) } else { 0 };
            let items = usize::try_from(place + missing as isize).ok().and_then(|place| x.get(place..));
            let items = items.unwrap_or_default().iter().take(samples - missing);
            column.by_ref().take(missing).for_each(|item| *item = [0.0; PARTS]);
            let there = items.len();
            column.by_ref().take(there).zip(items).for_each(|(item, of)| *item = *of);
            column.for_each(|item| *item = [0.0; PARTS]);
        }
    }
}

/// Transposes a matrix of real numbers, or of complex ones: [`transpose_f32`](superhet_kernels::transpose_f32).
fn transpose<const PARTS: usize>(
    y: &mut [f32],
    x: &[f32],
    [rows, columns]: [usize; 2],
    [y_stride, x_stride]: [usize; 2],
) {
    if PARTS == 1 {
        kernels::transpose_f32(y, x, rows, columns, y_stride, x_stride);
    } else {
        let (y, x) = (bytemuck::cast_slice_mut(y), bytemuck::cast_slice(x));
        kernels::transpose_c32(y, x, rows, columns, y_stride, x_stride);
    }
}
