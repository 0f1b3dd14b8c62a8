//! What the tests of the blocks share: signals, cuts, and blocks of shapes that the runtime's harness does not run.

use std::sync::{Arc, Mutex};

use superhet_runtime::harness::{self, VecSink, VecSource};
use superhet_runtime::{
    AnyBlock, Block, BlockError, C32, Context, Graph, In, IntoBlock, Item, Options, Out, Single, Step, Tag,
    Value, Work,
};

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
/// items come out. A place may lie beyond the last item.
pub fn run_tags<A: Item, B: Item, M, K: IntoBlock<M>>(
    block: K,
    input: Vec<A>,
    places: &[usize],
) -> (Vec<u64>, usize) {
    let tags = places.iter().map(|&place| (place as u64, "here", Value::from(place))).collect();
    let options = Options { strip_items: Some(7), ..Options::default() };
    let (items, tags) = run_tagged::<A, B, _, _>(block, input, tags, &options);
    (tags.iter().map(|(index, ..)| *index).collect(), items.len())
}

/// Tags as the tests compare them: index, key, value.
pub type Tags = Vec<(u64, String, Value)>;

/// The items and tags that a block with one input `in` and one output `out` makes of `items` with `tags`.
pub fn run_tagged<A: Item, B: Item, M, K: IntoBlock<M>>(
    block: K,
    items: Vec<A>,
    tags: Vec<(u64, &'static str, Value)>,
    options: &Options,
) -> (Vec<B>, Tags) {
    let mut graph = Graph::new();
    graph.add("source", Tagged { output: Out::new(), items, tags });
    graph.add_any("block", AnyBlock::new(block));
    let sink = TagSink::<B>::new();
    let seen = sink.seen.clone();
    graph.add("sink", sink);
    graph.connect_names("source", "block.in");
    graph.connect_names("block.out", "sink");
    graph.check().unwrap().start(&Single, options).unwrap().wait().unwrap();
    let (tags, items) = std::mem::take(&mut *seen.lock().unwrap());
    (items, named(tags))
}

/// The tags as the tests compare them.
pub fn named(tags: Vec<Tag>) -> Tags {
    tags.into_iter().map(|tag| (tag.index, tag.key.to_string(), tag.value)).collect()
}

/// Gives items with tags, which may lie beyond the last item.
#[derive(Block)]
pub struct Tagged<T: Item> {
    #[port("out")]
    pub output: Out<T>,
    items: Vec<T>,
    tags: Vec<(u64, &'static str, Value)>,
}

impl<T: Item> Tagged<T> {
    /// A source of `items` with `tags`.
    pub fn new(items: Vec<T>, tags: Vec<(u64, &'static str, Value)>) -> Self {
        Tagged { output: Out::new(), items, tags }
    }
}

impl<T: Item> Work for Tagged<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let first = self.output.index() as usize;
        for (index, key, value) in self.tags.drain(..) {
            self.output.put_tag(Tag { index, key: key.into(), value, source: "source".into() });
        }
        let room = self.output.reserve();
        let n = room.len().min(self.items.len() - first);
        room[..n].copy_from_slice(&self.items[first..first + n]);
        self.output.produce(n);
        Ok(if first + n == self.items.len() { Step::Done } else { Step::Ran })
    }
}

/// What a [`TagSink`] has seen.
pub type Seen<T> = Arc<Mutex<(Vec<Tag>, Vec<T>)>>;

/// Keeps tags and items.
#[derive(Block)]
pub struct TagSink<T: Item> {
    #[port("in")]
    pub input: In<T>,
    pub seen: Seen<T>,
}

impl<T: Item> TagSink<T> {
    /// A sink that has seen nothing yet.
    pub fn new() -> Self {
        TagSink { input: In::new(), seen: Arc::default() }
    }
}

impl<T: Item> Work for TagSink<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.input.available();
        let mut seen = self.seen.lock().unwrap();
        seen.0.extend(self.input.tags());
        seen.1.extend_from_slice(self.input.peek());
        self.input.consume(n);
        Ok(if n > 0 { Step::Ran } else { Step::NeedInput })
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        self.seen.lock().unwrap().0.extend(self.input.tags());
        Ok(Step::Done)
    }
}
