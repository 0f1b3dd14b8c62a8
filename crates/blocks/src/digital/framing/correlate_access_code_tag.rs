//! Tags the data behind a word.

use std::sync::Arc;

use superhet_runtime::catalog::Kind;
use superhet_runtime::{AnyBlock, Block, BlockError, Context, In, Out, Step, Work, declare};

use crate::digital::framing::access_code::{AccessCode, BitItem};
use crate::flow;

/// Passes bits on, with a tag on the first behind each access code, whose value says how many bits of that were wrong.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `u8` or `f32` | a bit each: the lowest; of `f32`, 1 for 0 and more |
/// | out `out` | the same | that of `in` |
///
/// ```
/// use superhet_blocks::digital::{AccessCode, CorrelateAccessCodeTag};
/// use superhet_runtime::harness;
///
/// let block = CorrelateAccessCodeTag::<u8>::new(AccessCode::new("1011", 0)?, "sync");
/// assert_eq!(harness::run(block, &[1, 0, 1, 1, 0]), [1, 0, 1, 1, 0]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Debug, Block)]
pub struct CorrelateAccessCodeTag<T: BitItem> {
    #[port("in")]
    input: In<T>,
    #[port("out")]
    output: Out<T>,
    code: AccessCode,
    key: Arc<str>,
}

impl<T: BitItem> CorrelateAccessCodeTag<T> {
    /// Looks for this code; the tags have this key.
    pub fn new(code: AccessCode, key: impl Into<Arc<str>>) -> Self {
        CorrelateAccessCodeTag { input: In::new(), output: Out::new(), code, key: key.into() }
    }
}

impl<T: BitItem> Work for CorrelateAccessCodeTag<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.input.available().min(self.output.room());
        let Self { input, output, code, key } = self;
        let found = |place: usize, wrong| output.tag(place + 1, key.clone(), i64::from(wrong));
        code.find(&input.peek()[..n], found);
        let n = flow::pass(&mut self.input, &mut self.output, n);
        Ok(flow::step(n, &self.input))
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        Ok(flow::end(&mut self.input, &mut self.output))
    }
}

#[declare(
    category = "digital",
    summary = "Passes bits on, with a tag on the first behind each access code.",
    ports(input("in", "item", "bits"), output("out", "item", "the same, with tags"))
)]
fn correlate_access_code_tag(
    /// u8 has a bit each, the lowest; f32 is a soft bit, 1 for 0 and more.
    #[param(kind = Kind::Choice(&["u8", "f32"]), default = "u8")]
    item: &str,
    /// The word, up to 64 digits, each 0 or 1, or 0x….
    access_code: &str,
    /// How many bits may be wrong.
    #[param(unit = "bits", range = 0..=64, default = 0)]
    threshold: u32,
    /// The key of the tags.
    #[param(formerly = "tag", default = "sync")]
    key: &str,
) -> Result<AnyBlock, BlockError> {
    let code = AccessCode::new(access_code, threshold)?;
    Ok(match item {
        "u8" => AnyBlock::new(CorrelateAccessCodeTag::<u8>::new(code, key)),
        _ => AnyBlock::new(CorrelateAccessCodeTag::<f32>::new(code, key)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{cuts, run_tagged};
    use superhet_runtime::Value;

    #[test]
    fn tags_lie_behind_the_codes_wherever_the_stream_is_cut() {
        let bits = vec![0u8, 0, 1, 0, 1, 1, 0, 1, 1, 1, 0, 0, 1, 0, 1, 1];
        let soft: Vec<f32> = bits.iter().map(|bit| f32::from(*bit) - 0.5).collect();
        let wanted = [(6, 0), (9, 0), (13, 1), (16, 0)];
        let wanted = wanted.map(|(at, wrong)| (at, "t".to_owned(), Value::Int(wrong))).to_vec();
        for options in cuts() {
            let code = || AccessCode::new("1011", 1).unwrap();
            let block = CorrelateAccessCodeTag::<u8>::new(code(), "t");
            assert_eq!(run_tagged(block, bits.clone(), vec![], &options), (bits.clone(), wanted.clone()));
            let block = CorrelateAccessCodeTag::<f32>::new(code(), "t");
            assert_eq!(run_tagged(block, soft.clone(), vec![], &options), (soft.clone(), wanted.clone()));
        }
    }
}
