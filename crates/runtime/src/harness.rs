//! Runs one block alone, for tests and benches, and checks what every block promises.

use crate::Block;
use crate::block::any::IntoBlock;
use crate::block::runnable::AnyBlock;
use crate::block::{Context, Step, SyncBlock, Work};
use crate::collect::Items;
use crate::data::{BlockError, Item, RunError};
use crate::graph::{Graph, OneInput, OneOutput};
use crate::plan::options::Options;
use crate::plan::policy::Single;
use crate::stream::port::Out;

/// A source of items from a vector, for tests. The library's `vector_source` can do more.
#[derive(Debug, Block)]
pub struct VecSource<T: Item> {
    #[port("out")]
    output: Out<T>,
    items: Vec<T>,
    given: usize,
}

impl<T: Item> VecSource<T> {
    /// A source that gives `items` and ends.
    pub fn new(items: Vec<T>) -> Self {
        VecSource { output: Out::new(), items, given: 0 }
    }
}

impl<T: Item> Work for VecSource<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let left = &self.items[self.given..];
        let room = self.output.reserve();
        let n = room.len().min(left.len());
        room[..n].copy_from_slice(&left[..n]);
        let step = if n == left.len() { Step::Done } else { Step::Ran };
        self.given += n;
        self.output.produce(n);
        Ok(step)
    }
}

/// A sink that keeps all items, for tests.
#[derive(Debug)]
pub struct VecSink<T>(Items<T>);

impl<T: Item> Default for VecSink<T> {
    fn default() -> Self {
        VecSink::new()
    }
}

impl<T: Item> VecSink<T> {
    /// An empty sink.
    pub fn new() -> Self {
        VecSink(Items::default())
    }

    /// A handle to the items, to be taken before the sink is added to a graph.
    pub fn items(&self) -> Items<T> {
        self.0.clone()
    }
}

impl<T: Item> SyncBlock for VecSink<T> {
    type In = T;
    type Out = ();
    fn process(&mut self, x: &[T], _: ()) {
        self.0.give(x);
    }
}

/// What a block with one input and one output makes of `input`, run alone with the given options.
///
/// # Errors
/// What the block reports.
pub fn run_with<M, K>(
    block: K,
    input: &[InputOf<K::Ports>],
    options: &Options,
) -> Result<Vec<OutputOf<K::Ports>>, RunError>
where
    K: IntoBlock<M>,
    K::Ports: OneToOne,
{
    run_any(block.into_block(), input, options)
}

/// As [`run_with`], of any block: of several ports, those that may stay unconnected do.
///
/// # Errors
/// What the block reports.
///
/// # Panics
/// If the block has not exactly one input of `A` and one output of `B` that must be connected.
pub fn run_any<A: Item, B: Item>(
    block: AnyBlock,
    input: &[A],
    options: &Options,
) -> Result<Vec<B>, RunError> {
    let mut graph = Graph::new();
    graph.add("source", VecSource::new(input.to_vec()));
    let block = graph.add_any("block", block);
    let sink = VecSink::<B>::new();
    let items = sink.items();
    graph.add("sink", sink);
    let ports = graph.blocks().nth(block.place).map(|(_, ports)| ports.clone()).unwrap_or_default();
    let needed = |ports: &[(String, crate::port::PortSpec)]| -> Vec<String> {
        let is_only = ports.len() == 1;
        let needed = ports.iter().filter(|(_, spec)| is_only || !spec.optional);
        needed.map(|(name, _)| name.clone()).collect()
    };
    let (inputs, outputs) = (needed(&ports.inputs), needed(&ports.outputs));
    assert!(
        inputs.len() == 1 && outputs.len() == 1,
        "a block with one input and one output, not {} and {}",
        inputs.len(),
        outputs.len()
    );
    graph.connect_names("source.out", &format!("block.{}", inputs[0]));
    graph.connect_names(&format!("block.{}", outputs[0]), "sink.in");
    graph.check()?.start(&Single, options)?.wait()?;
    Ok(items.take())
}

/// What a block with one input and one output makes of `input`.
///
/// ```
/// use superhet_runtime::{Pure, harness};
/// struct Negate;
/// impl Pure for Negate {
///     type In = f32;
///     type Out = f32;
///     fn map(&self, x: &[f32], y: &mut [f32]) { for (y, x) in y.iter_mut().zip(x) { *y = -x; } }
/// }
/// assert_eq!(harness::run(Negate, &[1.0, 2.0]), [-1.0, -2.0]);
/// ```
///
/// # Panics
/// With what the block reports.
pub fn run<M, K>(block: K, input: &[InputOf<K::Ports>]) -> Vec<OutputOf<K::Ports>>
where
    K: IntoBlock<M>,
    K::Ports: OneToOne,
{
    run_with(block, input, &Options::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// Checks that the output of a block does not depend on where its input is cut, nor on whether it works in place.
///
/// Runs it with whole strips, then with strips of 1, 7 and 64 items and with spans of random length.
///
/// # Panics
/// If any output differs from the first, bit by bit.
pub fn assert_cut_invariant<M, K>(make: impl Fn() -> K, input: &[InputOf<K::Ports>])
where
    K: IntoBlock<M>,
    K::Ports: OneToOne,
{
    assert_any_cut_invariant::<_, OutputOf<K::Ports>>(&|| make().into_block(), input);
}

/// As [`assert_cut_invariant`], compiled once for all blocks with such items.
fn assert_any_cut_invariant<A: Item, B: Item>(make: &dyn Fn() -> AnyBlock, input: &[A]) {
    let run = |options: &Options| -> Vec<u8> {
        let items: Vec<B> = run_any(make(), input, options).unwrap_or_else(|error| panic!("{error}"));
        bytemuck::cast_slice(&items).to_vec()
    };
    let whole = run(&Options::default());
    for strip in [1, 7, 64] {
        for in_place in [true, false] {
            let cut = run(&Options { strip_items: Some(strip), in_place, ..Options::default() });
            assert!(cut == whole, "strips of {strip} items (in place: {in_place}) change the output");
        }
    }
    for seed in 0..4 {
        let cut = run(&Options { seed: Some(seed), strip_items: Some(100), ..Options::default() });
        assert!(cut == whole, "random spans of seed {seed} change the output");
    }
}

/// The ports of a block with exactly one input and one output.
pub trait OneToOne: OneInput + OneOutput {}

impl<P: OneInput + OneOutput> OneToOne for P {}

/// The items of the only input of a block.
pub type InputOf<P> = <P as OneInput>::In;
/// The items of the only output of a block.
pub type OutputOf<P> = <P as OneOutput>::Out;
