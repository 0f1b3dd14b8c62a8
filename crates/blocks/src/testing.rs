//! What the tests of the blocks share: signals, cuts, and blocks of shapes that the runtime's harness does not run.

use std::sync::{Arc, Mutex};

use superhet_runtime::harness::{self, VecSink, VecSource};
use superhet_runtime::{
    AnyBlock, Block, BlockError, C32, Context, Graph, In, IntoBlock, Item, Options, Single, Step, Tag, Work,
};

use crate::sources::VectorSource;

/// `n` numbers within ±1, always the same (xorshift64, Marsaglia 2003).
pub fn noise(n: usize) -> Vec<f32> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut draw = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..n).map(|_| draw()).collect()
}

/// `n` complex samples with parts within ±1, always the same.
pub fn complex_noise(n: usize) -> Vec<C32> {
    noise(2 * n).chunks(2).map(|pair| C32::new(pair[0], pair[1])).collect()
}

/// Ways to cut a stream.
pub fn cuts() -> Vec<Options> {
    let strips = [1, 7, 64].map(|strip| Options { strip_items: Some(strip), ..Options::default() });
    let random =
        [1, 2, 3].map(|seed| Options { seed: Some(seed), strip_items: Some(100), ..Options::default() });
    strips.into_iter().chain(random).collect()
}

/// Checks that a general block gives `wanted` for `input` however that is cut.
pub fn assert_gives<A: Item, B: Item + PartialEq + std::fmt::Debug, M, K: IntoBlock<M>>(
    make: impl Fn() -> K,
    input: &[A],
    wanted: &[B],
) {
    for options in [Options::default()].iter().chain(&cuts()) {
        let given: Vec<B> = harness::run_with(make(), input, options).unwrap();
        assert!(given == wanted, "{options:?}: {} items, wanted {}", given.len(), wanted.len());
    }
}

/// Checks that a block with two inputs gives `wanted` however they are cut.
pub fn assert_gives_of_two<A: Item, B: Item, Y: Item + PartialEq, M, K: IntoBlock<M>>(
    make: impl Fn() -> K,
    (a, b): (&[A], &[B]),
    wanted: &[Y],
) {
    for options in [Options::default()].iter().chain(&cuts()) {
        let given: Vec<Y> = run_two(make(), a, b, options);
        assert!(given == wanted, "{options:?}: {} items, wanted {}", given.len(), wanted.len());
    }
}

/// What a block with the inputs `in0` and `in1` makes of `a` and `b`.
pub fn run_two<A: Item, B: Item, Y: Item, M, K: IntoBlock<M>>(
    block: K,
    a: &[A],
    b: &[B],
    options: &Options,
) -> Vec<Y> {
    let mut graph = Graph::new();
    graph.add("a", VecSource::new(a.to_vec()));
    graph.add("b", VecSource::new(b.to_vec()));
    graph.add_any("block", AnyBlock::new(block));
    let sink = VecSink::<Y>::new();
    let items = sink.items();
    graph.add("sink", sink);
    graph.connect_names("a", "block.in0");
    graph.connect_names("b", "block.in1");
    graph.connect_names("block.out", "sink");
    graph.check().unwrap().start(&Single, options).unwrap().wait().unwrap();
    items.take()
}

/// Where the tags at `places` of `input` come out of a block with one input `in` and one output `out`, and how many
/// items come out.
pub fn run_tags<A: Item, B: Item, M, K: IntoBlock<M>>(
    block: K,
    input: Vec<A>,
    places: &[usize],
) -> (Vec<u64>, usize) {
    let mut source = VectorSource::new(input, false).unwrap();
    for &place in places {
        source = source.with_tag(place, "here", place).unwrap();
    }
    let mut graph = Graph::new();
    graph.add("source", source);
    graph.add_any("block", AnyBlock::new(block));
    let sink = TagSink::<B> { input: In::new(), seen: Arc::default() };
    let seen = sink.seen.clone();
    graph.add("sink", sink);
    graph.connect_names("source", "block.in");
    graph.connect_names("block.out", "sink");
    let options = Options { strip_items: Some(7), ..Options::default() };
    graph.check().unwrap().start(&Single, &options).unwrap().wait().unwrap();
    let (tags, items) = std::mem::take(&mut *seen.lock().unwrap());
    (tags.iter().map(|tag| tag.index).collect(), items)
}

/// Keeps tags and counts items.
#[derive(Block)]
struct TagSink<T: Item> {
    #[port("in")]
    input: In<T>,
    seen: Arc<Mutex<(Vec<Tag>, usize)>>,
}

impl<T: Item> Work for TagSink<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.input.available();
        let mut seen = self.seen.lock().unwrap();
        seen.0.extend(self.input.tags());
        seen.1 += n;
        self.input.consume(n);
        Ok(if n > 0 { Step::Ran } else { Step::NeedInput })
    }
}
