//! What the tests of the blocks share: signals, cuts, and blocks of shapes that the runtime's harness does not run.

use std::sync::{Arc, Mutex};

use superhet_runtime::catalog::Entry;
use superhet_runtime::harness::{self, VecSink, VecSource};
use superhet_runtime::{
    AnyBlock, Block, BlockError, C32, Context, Graph, In, Item, Options, Out, Single, Step, Tag, Value, Work,
    block::IntoBlock,
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
        let given: Vec<B> = harness::run_any(AnyBlock::new(make()), input, options).unwrap();
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

/// What a block with the inputs `in0`, `in1`, … gives on its `outputs`.
pub fn run_many<A: Item, Y: Item, M, K: IntoBlock<M>>(
    block: K,
    inputs: &[Vec<A>],
    outputs: &[&str],
    options: &Options,
) -> Vec<Vec<Y>> {
    let mut graph = Graph::new();
    graph.add_any("block", AnyBlock::new(block));
    for (place, items) in inputs.iter().enumerate() {
        graph.add(format!("s{place}"), VecSource::new(items.clone()));
        graph.connect_names(&format!("s{place}"), &format!("block.in{place}"));
    }
    let kept: Vec<_> = outputs
        .iter()
        .map(|name| {
            let sink = VecSink::<Y>::new();
            let items = sink.items();
            graph.add(format!("sink_{name}"), sink);
            graph.connect_names(&format!("block.{name}"), &format!("sink_{name}"));
            items
        })
        .collect();
    graph.check().unwrap().start(&Single, options).unwrap().wait().unwrap();
    kept.iter().map(|items| items.take()).collect()
}

/// Checks that a block with any number of inputs gives `wanted` on `out` however they are cut.
pub fn assert_gives_of_many<A: Item, Y: Item + PartialEq, M, K: IntoBlock<M>>(
    make: impl Fn() -> K,
    inputs: &[Vec<A>],
    wanted: &[Y],
) {
    for options in [Options::default()].iter().chain(&cuts()) {
        let given: Vec<Vec<Y>> = run_many(make(), inputs, &["out"], options);
        assert!(given[0] == wanted, "{options:?}: {} items, wanted {}", given[0].len(), wanted.len());
    }
}

/// Checks that a block with the input `in` gives `wanted` on `out0`, `out1`, … however it is cut.
pub fn assert_gives_many<A: Item, Y: Item + PartialEq + std::fmt::Debug, M, K: IntoBlock<M>>(
    make: impl Fn() -> K,
    input: &[A],
    wanted: &[Vec<Y>],
) {
    for options in [Options::default()].iter().chain(&cuts()) {
        let mut graph = Graph::new();
        graph.add("source", VecSource::new(input.to_vec()));
        graph.add_any("block", AnyBlock::new(make()));
        graph.connect_names("source", "block.in");
        let mut kept = Vec::new();
        for place in 0..wanted.len() {
            let sink = VecSink::<Y>::new();
            kept.push(sink.items());
            graph.add(format!("sink{place}"), sink);
            graph.connect_names(&format!("block.out{place}"), &format!("sink{place}"));
        }
        graph.check().unwrap().start(&Single, options).unwrap().wait().unwrap();
        let given: Vec<Vec<Y>> = kept.iter().map(|items| items.take()).collect();
        assert_eq!(given, wanted, "{options:?}");
    }
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

/// What the block that `entry` makes of these parameters makes of `items`.
pub fn run_entry<A: Item, B: Item>(entry: &Entry, given: &[(&str, Value)], items: &[A]) -> Vec<B> {
    let given = given.iter().map(|(name, value)| (name.to_string(), value.clone())).collect();
    run_any::<A, B>(entry.build(&given).unwrap(), items.to_vec(), vec![], &Options::default()).0
}

/// The items and tags that a block with one input `in` and one output `out` makes of `items` with `tags`.
pub fn run_tagged<A: Item, B: Item, M, K: IntoBlock<M>>(
    block: K,
    items: Vec<A>,
    tags: Vec<(u64, &'static str, Value)>,
    options: &Options,
) -> (Vec<B>, Tags) {
    run_any(AnyBlock::new(block), items, tags, options)
}

/// As [`run_tagged`], of any block.
pub fn run_any<A: Item, B: Item>(
    block: AnyBlock,
    items: Vec<A>,
    tags: Vec<(u64, &'static str, Value)>,
    options: &Options,
) -> (Vec<B>, Tags) {
    let mut graph = Graph::new();
    graph.add("source", Tagged { output: Out::new(), items, tags });
    graph.add_any("block", block);
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
