//! What the runtime knows of a block before it runs it.

use crate::data::{Ratio, TagPolicy};

/// With less history than this any call is short enough for a graph that is to stop.
pub(crate) const LONG_HISTORY: usize = 1 << 14;

/// How a [`Pure`](crate::Pure) or [`SyncBlock`](crate::SyncBlock) takes and gives items. Buffers and plans are made for it, so
/// that it stays as it is while the block runs, but for `shift`.
///
/// | | items |
/// |---|---|
/// | a call that gives `n · I` items sees, of each input | `history + n · D` |
/// | a tag of item `i` lands on item | `⌊(i · I + delay) / D⌋` |
///
/// ```
/// use superhet_runtime::{Pure, Ratio, Shape};
///
/// /// The mean of each pair.
/// struct Halve;
///
/// impl Pure for Halve {
///     type In = f32;
///     type Out = f32;
///     fn shape(&self) -> Shape {
///         Shape { ratio: Ratio::decimate(2), ..Shape::default() }
///     }
///     fn map(&self, x: &[f32], y: &mut [f32]) {
///         for (y, x) in y.iter_mut().zip(x.chunks_exact(2)) { *y = (x[0] + x[1]) / 2.0; }
///     }
/// }
/// assert_eq!(superhet_runtime::harness::run(Halve, &[1.0, 2.0, 4.0, 8.0]), [1.5, 6.0]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// Items out for items in, `I/D`.
    pub ratio: Ratio,
    /// How many items before the new ones a call sees; they are zero before the start of the stream.
    pub history: usize,
    /// The group delay in items at the interpolated rate.
    pub delay: u64,
    /// By what part of the input's rate the centre of the band moves: what lay there comes to 0 Hz. None of a block that
    /// leaves it where it is. It may change with a parameter. Tags `rx_freq` say the centre behind the block; see
    /// [`Conversion`](crate::tag::Conversion).
    pub shift: Option<f64>,
    /// How tags pass.
    pub tags: TagPolicy,
    /// Spans start and end on multiples of this many items where that is possible.
    pub align: usize,
    /// Whether a stream may end within a turn. The last call then sees what there is of it, `r` items, and gives
    /// `⌊r · I / D⌋` for them: for blocks that work on blocks of items whose length means nothing. Of all others, items that
    /// make no whole turn give nothing. Needs one input and one output.
    pub ends_anywhere: bool,
}

impl Default for Shape {
    /// As many items out as in, without history, delay or shift; all tags pass, and spans lie anywhere.
    fn default() -> Self {
        Shape {
            ratio: Ratio::ONE,
            history: 0,
            delay: 0,
            shift: None,
            tags: TagPolicy::AllToAll,
            align: 1,
            ends_anywhere: false,
        }
    }
}

impl Shape {
    /// Whether nothing differs that buffers and plans are made for.
    pub(crate) fn fits(&self, other: &Shape) -> bool {
        Shape { shift: None, ..*self } == Shape { shift: None, ..*other }
    }
}
