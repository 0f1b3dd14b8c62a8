//! Given items between those of a stream, again and again.

use superhet_runtime::tag::{Conversion, forward_tags};
use superhet_runtime::{
    AnyBlock, Block, BlockError, C64, Context, In, Item, Out, Ratio, Step, Work, declare,
};

use crate::error::{Error, check};
use crate::item::{FromNumber, from_numbers};

/// Given items between those of a stream: each `period` items that go begin with `values`, the others are from the stream.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | any | any |
/// | out `out` | the same | that of `in` |
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `values` | | any number of them |
/// | `period` | items | more than there are values |
/// | `offset` | items | less than `period`: where in the period the stream begins |
///
/// Tags stay on their items.
///
/// ```
/// use superhet_blocks::vectors::VectorInsert;
/// use superhet_runtime::harness;
///
/// let block = VectorInsert::new(vec![9u8, 8], 4, 0)?;
/// assert_eq!(harness::run(block, &[1, 2, 3, 4]), [9, 8, 1, 2, 9, 8, 3, 4, 9, 8]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Debug, Block)]
pub struct VectorInsert<T: Item> {
    #[port("in")]
    input: In<T>,
    #[port("out")]
    output: Out<T>,
    values: Vec<T>,
    period: usize,
    /// The place in the period of the next item.
    place: usize,
}

impl<T: Item> VectorInsert<T> {
    /// Puts `values` at the beginning of every `period` items; the stream begins at place `offset` of one.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where a parameter is.
    pub fn new(values: Vec<T>, period: usize, offset: usize) -> Result<Self, Error> {
        check(period > values.len(), "period", "more than the number of values", period as f64)?;
        check(offset < period, "offset", "less than period", offset as f64)?;
        // The values come with the items that they are between, and behind the last: room for both.
        let ratio = Ratio { interpolation: period, decimation: period - values.len() };
        let output = Out::new().converted(Conversion::new(ratio));
        Ok(VectorInsert { input: In::new(), output, values, period, place: offset })
    }

    /// Gives what is due of the values; whether all of it.
    fn insert(&mut self) -> bool {
        let due = self.values.len().saturating_sub(self.place);
        let n = due.min(self.output.room());
        if n > 0 {
            self.output.reserve()[..n].copy_from_slice(&self.values[self.place..][..n]);
            self.output.produce(n);
            self.place += n;
        }
        n == due
    }
}

impl<T: Item> Work for VectorInsert<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let before = self.output.index();
        loop {
            let whole = self.insert();
            let left = self.period - self.place;
            let n = if whole { left.min(self.input.available()).min(self.output.room()) } else { 0 };
            if n == 0 {
                return Ok(match self.output.index() - before {
                    0 if whole && self.input.available() == 0 => Step::NeedInput,
                    0 => Step::NeedOutput,
                    _ => Step::Ran,
                });
            }
            self.output.reserve()[..n].copy_from_slice(&self.input.peek()[..n]);
            forward_tags(&mut self.input, &mut self.output, n);
            self.input.consume(n);
            self.output.produce(n);
            self.place = (self.place + n) % self.period;
        }
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        if !self.insert() {
            return Ok(Step::NeedOutput);
        }
        forward_tags(&mut self.input, &mut self.output, 0);
        Ok(Step::Done)
    }
}

#[declare(
    category = "vectors",
    summary = "Given items between those of a stream, at the beginning of every period.",
    items(any),
    ports(
        input("in", "item", "x"),
        output(
            "out",
            "item",
            "the values, x, the values, x, …: n, and the values as often as a period begins"
        )
    )
)]
fn vector_insert<T: FromNumber>(
    /// The items; complex ones as [re, im].
    values: Vec<C64>,
    /// From one beginning to the next: more than there are values.
    #[param(unit = "items")]
    period: usize,
    /// The place in the period at which the stream begins.
    #[param(unit = "items", default = 0)]
    offset: usize,
) -> Result<AnyBlock, BlockError> {
    let numbers = values;
    Ok(AnyBlock::new(VectorInsert::<T>::new(from_numbers("values", &numbers)?, period, offset)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_gives, run_tags};
    use superhet_runtime::harness;

    #[test]
    fn values_come_in_every_period_wherever_the_stream_is_cut() {
        let x: Vec<i32> = (0..300).collect();
        let wanted: Vec<i32> = x.chunks(3).flat_map(|x| [&[-1, -2], x].concat()).chain([-1, -2]).collect();
        assert_gives(|| VectorInsert::new(vec![-1, -2], 5, 0).unwrap(), &x, &wanted);
    }

    #[test]
    fn the_offset_is_the_place_of_the_first_item() {
        let run = |offset| -> Vec<u8> {
            harness::run(VectorInsert::new(vec![9u8, 8], 5, offset).unwrap(), &[1u8, 2, 3, 4, 5, 6, 7, 8])
        };
        assert_eq!(run(1), [8, 1, 2, 3, 9, 8, 4, 5, 6, 9, 8, 7, 8]);
        assert_eq!(run(4), [1, 9, 8, 2, 3, 4, 9, 8, 5, 6, 7, 9, 8, 8]);
    }

    #[test]
    fn tags_stay_on_their_items() {
        let block = VectorInsert::new(vec![9u8, 8], 5, 0).unwrap();
        assert_eq!(run_tags::<u8, u8, _, _>(block, vec![0; 8], &[0, 1, 3, 5]), (vec![2, 3, 7, 9], 14));
    }

    #[test]
    fn a_period_without_room_for_the_stream_is_refused() {
        assert!(
            VectorInsert::new(vec![1u8, 2], 2, 0).is_err() && VectorInsert::new(vec![1u8], 2, 2).is_err()
        );
    }
}
