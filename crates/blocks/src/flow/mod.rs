//! Blocks that pass items on as they are: fewer, later, slower, or counted.

use superhet_runtime::{In, Item, Out, Step, tag::forward_tags};

pub mod copy;
pub mod delay;
pub mod head;
pub mod probe_rate;
pub mod selector;
pub mod skiphead;
pub mod throttle;

pub use copy::Copy;
pub use delay::Delay;
pub use head::Head;
pub use probe_rate::{ProbeRate, RateMeter};
pub use selector::Selector;
pub use skiphead::SkipHead;
pub use throttle::Throttle;

/// Passes at most `limit` items on with their tags; returns how many.
pub(crate) fn pass<T: Item>(input: &mut In<T>, output: &mut Out<T>, limit: usize) -> usize {
    let (x, y) = (input.peek(), output.reserve());
    let n = x.len().min(y.len()).min(limit);
    y[..n].copy_from_slice(&x[..n]);
    forward_tags(input, output, n);
    input.consume(n);
    output.produce(n);
    n
}

/// What a block that has passed `n` items on says: with 0, what it lacks.
pub(crate) fn step<T: Item>(n: usize, input: &In<T>) -> Step {
    match n {
        0 if input.available() == 0 => Step::NeedInput,
        0 => Step::NeedOutput,
        _ => Step::Ran,
    }
}

/// Ends a block that passes tags on: those beyond the last item, too.
pub(crate) fn end<T: Item>(input: &mut In<T>, output: &mut Out<T>) -> Step {
    forward_tags(input, output, 0);
    Step::Done
}
