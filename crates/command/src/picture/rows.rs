//! The sink that collects spectra: as many rows as a picture can show, each the mean of so many frames.

use std::sync::{Arc, Mutex, PoisonError};

use superhet_runtime::{Block, BlockError, Context, In, Step, Work};

/// Spectra, one for each piece of time.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// Sums of powers, `bins` each, and how many frames are in each; all but the last have `frames_in_row`.
    rows: Vec<(Vec<f32>, u64)>,
    bins: usize,
    frames_in_row: u64,
}

impl Rows {
    /// How many frames have come.
    pub fn frames(&self) -> u64 {
        self.rows.iter().map(|(_, frames)| frames).sum()
    }

    /// How many frames are in a row, but perhaps the last.
    pub fn frames_in_row(&self) -> u64 {
        self.frames_in_row
    }

    /// The mean powers of each piece.
    pub fn means(&self) -> Vec<Vec<f32>> {
        let mean = |(sums, frames): &(Vec<f32>, u64)| sums.iter().map(|sum| sum / *frames as f32).collect();
        self.rows.iter().map(mean).collect()
    }

    /// The mean power of all frames.
    pub fn mean(&self) -> Vec<f64> {
        let mut sums = vec![0.0; self.bins];
        for (row, _) in &self.rows {
            sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += f64::from(*x));
        }
        let frames = self.frames().max(1) as f64;
        sums.iter().map(|sum| sum / frames).collect()
    }

    fn add(&mut self, frame: &[f32], most: usize) {
        match self.rows.last_mut().filter(|(_, frames)| *frames < self.frames_in_row) {
            Some((sums, frames)) => {
                sums.iter_mut().zip(frame).for_each(|(sum, x)| *sum += x);
                *frames += 1;
            }
            None => {
                if self.rows.len() == most {
                    self.halve();
                }
                self.rows.push((frame.to_vec(), 1));
            }
        }
    }

    /// Joins neighbours, so that there is room again; there is an even number of full rows.
    fn halve(&mut self) {
        let joined = self.rows.chunks(2).map(|pair| {
            let mut row = pair[0].clone();
            for (sums, frames) in &pair[1..] {
                row.0.iter_mut().zip(sums).for_each(|(sum, x)| *sum += x);
                row.1 += frames;
            }
            row
        });
        self.rows = joined.collect();
        self.frames_in_row *= 2;
    }
}

/// Collects frames of powers.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `f32` | power, frames of `bins` |
#[derive(Debug, Block)]
pub struct RowSink {
    #[port("in")]
    input: In<f32>,
    rows: Arc<Mutex<Rows>>,
    bins: usize,
    /// How many rows are kept, an even number.
    most: usize,
}

impl RowSink {
    /// A sink for frames of `bins`, which joins `frames_in_row` of them, and more once there are `most` rows; and where it puts
    /// them.
    pub fn new(bins: usize, frames_in_row: u64, most: usize) -> (Self, Arc<Mutex<Rows>>) {
        let rows = Arc::new(Mutex::new(Rows { rows: Vec::new(), bins, frames_in_row }));
        (
            RowSink {
                input: In::new().multiple(bins),
                rows: Arc::clone(&rows),
                bins,
                most: most.next_multiple_of(2).max(2),
            },
            rows,
        )
    }
}

impl Work for RowSink {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let x = self.input.peek();
        let (frames, n) = (x.chunks_exact(self.bins), x.len());
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        frames.for_each(|frame| rows.add(frame, self.most));
        drop(rows);
        self.input.consume(n);
        Ok(if n > 0 { Step::Ran } else { Step::NeedInput })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_joined_when_there_are_too_many_and_nothing_is_lost() {
        let mut rows = Rows { rows: Vec::new(), bins: 2, frames_in_row: 1 };
        for n in 0..11 {
            rows.add(&[n as f32, 1.0], 4);
        }
        assert_eq!((rows.frames(), rows.frames_in_row()), (11, 4));
        assert_eq!(rows.means(), [[1.5, 1.0], [5.5, 1.0], [9.0, 1.0]]);
        assert_eq!(rows.mean(), [5.0, 1.0]);
    }
}
