//! The first items of every n.

use superhet_runtime::{
    Block, BlockError, Context, In, Item, Out, Ratio, Step, Tag, Work, declare, tag::Conversion,
};

use crate::error::{Error, check, check_to_one};
use crate::filters::fir_filter::TO_ONE;

/// `m` items of every `n`, from `offset` on: `y[k · m + j] = x[k · n + offset + j]` for `j < m`.
///
/// | port | item | unit | per step |
/// |---|---|---|---|
/// | in `in` | any | any | `n` |
/// | out `out` | the same | that of `in` | `m` |
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `m` | items | 1 to `n` |
/// | `n` | items | 1 to 2²⁴; so many are held in memory |
/// | `offset` | items | 0 to `n − m` |
///
/// A tag stays on its item; one on an item that is not kept moves to the next that is. Fewer than `n` items at the end
/// give nothing.
///
/// ```
/// use superhet_blocks::rates::KeepMInN;
/// use superhet_runtime::harness;
///
/// let x: Vec<u8> = (0..9).collect();
/// assert_eq!(harness::run(KeepMInN::<u8>::new(2, 4, 1)?, &x), [1, 2, 5, 6]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Debug, Block)]
pub struct KeepMInN<T: Item> {
    #[port("in")]
    input: In<T>,
    #[port("out")]
    output: Out<T>,
    m: usize,
    n: usize,
    offset: usize,
}

#[declare(
    category = "rates",
    summary = "The first m items of every n.",
    items(any),
    ports(
        input("in", "item", "x"),
        output("out", "item", "m of every n items of x: ⌊N / n⌋ · m items for N")
    )
)]
impl<T: Item> KeepMInN<T> {
    /// Keeps `m` items of every `n`, from `offset` on.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where a parameter is.
    pub fn new(
        /// So many are kept, at most n.
        #[param(unit = "items", kind = TO_ONE)]
        m: usize,
        /// Of so many.
        #[param(unit = "items", kind = TO_ONE)]
        n: usize,
        /// Where in each n items to begin, at most n − m.
        #[param(unit = "items", default = 0)]
        offset: usize,
    ) -> Result<Self, Error> {
        check_to_one("n", n)?;
        check((1..=n).contains(&m), "m", "a whole number from 1 to n", m as f64)?;
        check(offset <= n - m, "offset", "a whole number from 0 to n − m", offset as f64)?;
        let ratio = Ratio { interpolation: m, decimation: n };
        let output = Out::new().multiple(m).converted(Conversion::new(ratio));
        Ok(KeepMInN { input: In::new().multiple(n), output, m, n, offset })
    }

    /// Forwards the tags of the next `items` items; with 0, at the end, those beyond the last.
    fn pass_tags(&mut self, items: usize) {
        let (m, n, offset) = (self.m as u64, self.n as u64, self.offset as u64);
        let output = &mut self.output;
        self.input.for_each_tag(items, |tag| {
            let (turn, place) = (tag.index / n, tag.index % n);
            let kept = match place.checked_sub(offset) {
                None => 0,
                Some(place) => place.min(m),
            };
            output.put_tag(Tag { index: (turn * m).saturating_add(kept), ..tag.clone() });
        });
    }
}

impl<T: Item> Work for KeepMInN<T> {
    fn ratio(&self) -> Option<Ratio> {
        Some(Ratio { interpolation: self.m, decimation: self.n })
    }

    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let (m, n, offset) = (self.m, self.n, self.offset);
        let turns = (self.input.available() / n).min(self.output.room() / m);
        self.pass_tags(turns * n);
        let (x, y) = (self.input.peek(), self.output.reserve());
        for (y, x) in y.chunks_exact_mut(m).zip(x.chunks_exact(n)).take(turns) {
            y.copy_from_slice(&x[offset..offset + m]);
        }
        self.input.consume(turns * n);
        self.output.produce(turns * m);
        Ok(match turns {
            0 if self.input.available() == 0 => Step::NeedInput,
            0 => Step::NeedOutput,
            _ => Step::Ran,
        })
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let rest = self.input.rest().len();
        if rest > 0 {
            self.pass_tags(rest);
            self.input.consume(rest);
        }
        self.pass_tags(0);
        Ok(Step::Done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_gives, run_tags};

    #[test]
    fn the_items_are_right_wherever_the_stream_is_cut() {
        let x: Vec<i32> = (0..1000).collect();
        for (m, n, offset) in [(1, 1, 0), (1, 3, 2), (2, 4, 1), (7, 64, 57), (300, 333, 0), (5, 2000, 3)] {
            let wanted: Vec<i32> = x.chunks_exact(n).flat_map(|x| &x[offset..offset + m]).copied().collect();
            assert_gives(|| KeepMInN::<i32>::new(m, n, offset).unwrap(), &x, &wanted);
        }
    }

    #[test]
    fn tags_stay_on_their_items_or_move_to_the_next_that_is_kept() {
        let block = KeepMInN::<u8>::new(2, 5, 1).unwrap();
        let places = [0, 1, 2, 3, 4, 5, 7, 50, 52, 60];
        let wanted = vec![0, 0, 1, 2, 2, 2, 3, 20, 21, 24];
        assert_eq!(run_tags::<u8, u8, _, _>(block, vec![0; 54], &places), (wanted, 20));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for (m, n, offset, wanted) in [
            (1, 0, 0, "n = 0: expected a whole number from 1 to 16777216"),
            (0, 5, 0, "m = 0: expected a whole number from 1 to n"),
            (6, 5, 0, "m = 6: expected a whole number from 1 to n"),
            (3, 5, 3, "offset = 3: expected a whole number from 0 to n − m"),
        ] {
            assert_eq!(KeepMInN::<u8>::new(m, n, offset).unwrap_err().to_string(), wanted);
        }
    }
}
