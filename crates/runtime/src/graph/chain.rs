//! Blocks in a row, each connected to the next.

use std::ops::Shr;

use super::build::Graph;
use super::connect::Link;
use super::handle::Handle;
use crate::block::any::{IntoBlock, StreamPorts};
use crate::block::streams::Streams;
use crate::data::Item;
use crate::stream::refs::{InRef, OutRef};

/// The ports of a block with one stream input, or a main one. `derive(Block)` writes it for those of general blocks.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has not exactly one stream input",
    note = "name the port: `graph.connect(from.output, block.port)`"
)]
pub trait OneInput {
    /// The items of the input.
    type In: Item;
    /// The input.
    fn only_input(&self) -> InRef<Self::In>;
}

/// The ports of a block with one stream output, or a main one. `derive(Block)` writes it for those of general blocks.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has not exactly one stream output",
    note = "name the port: `graph.connect(block.port, to.input)`"
)]
pub trait OneOutput {
    /// The items of the output.
    type Out: Item;
    /// The output.
    fn only_output(&self) -> OutRef<Self::Out>;
}

impl<I: Item, O: Streams> OneInput for StreamPorts<I, O> {
    type In = I;
    fn only_input(&self) -> InRef<I> {
        self.input
    }
}

impl<I: Streams, O: Item> OneOutput for StreamPorts<I, O> {
    type Out = O;
    fn only_output(&self) -> OutRef<O> {
        self.output
    }
}

/// A part of a chain: a block with its name, which is added, or the handle of one that was added before.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a part of a chain",
    note = "a part is `(name, block)`, a handle, or a reference to one"
)]
pub trait Part<M> {
    /// The ports of the block.
    type Ports;
    /// What the chain gives for it.
    type Handle: AsRef<Self::Ports>;
    #[doc(hidden)]
    fn join(self, graph: &mut Graph) -> Self::Handle;
}

impl<P, B> AsRef<P> for Handle<P, B> {
    fn as_ref(&self) -> &P {
        self
    }
}

impl<M, N: Into<String>, B: IntoBlock<M>> Part<M> for (N, B) {
    type Ports = B::Ports;
    type Handle = Handle<B::Ports, B>;
    fn join(self, graph: &mut Graph) -> Self::Handle {
        graph.add(self.0, self.1)
    }
}

impl<P, B> Part<()> for Handle<P, B> {
    type Ports = P;
    type Handle = Self;
    fn join(self, _: &mut Graph) -> Self {
        self
    }
}

impl<'a, P, B> Part<()> for &'a Handle<P, B> {
    type Ports = P;
    type Handle = &'a Handle<P, B>;
    fn join(self, _: &mut Graph) -> Self {
        self
    }
}

/// What stands on the left of `>>`: parts in a row, the last of which has one stream output.
pub trait Row<M> {
    /// The handles of the parts.
    type Handles;
    /// The items of the last output.
    type Out: Item;
    #[doc(hidden)]
    fn lay(self, graph: &mut Graph) -> (Self::Handles, OutRef<Self::Out>);
}

impl<M, A: Part<M>> Row<M> for A
where
    A::Ports: OneOutput,
{
    type Handles = A::Handle;
    type Out = <A::Ports as OneOutput>::Out;
    fn lay(self, graph: &mut Graph) -> (A::Handle, OutRef<Self::Out>) {
        let handle = self.join(graph);
        let output = handle.as_ref().only_output();
        (handle, output)
    }
}

/// Parts in a row, as `a >> b` makes them of handles; [`Graph::chain`] connects them.
#[derive(Clone, Copy, Debug)]
#[must_use = "`graph.chain(a >> b)` connects them"]
pub struct Line<A, B>(A, B);

impl<P, B, Next> Shr<Next> for Handle<P, B> {
    type Output = Line<Self, Next>;
    fn shr(self, next: Next) -> Self::Output {
        Line(self, next)
    }
}

impl<'a, P, B, Next> Shr<Next> for &'a Handle<P, B> {
    type Output = Line<&'a Handle<P, B>, Next>;
    fn shr(self, next: Next) -> Self::Output {
        Line(self, next)
    }
}

impl<A, B, Next> Shr<Next> for Line<A, B> {
    type Output = Line<Self, Next>;
    fn shr(self, next: Next) -> Self::Output {
        Line(self, next)
    }
}

fn connect<MA, MB, A: Row<MA>, B: Part<MB>>(line: Line<A, B>, graph: &mut Graph) -> (A::Handles, B::Handle)
where
    B::Ports: OneInput,
    OutRef<A::Out>: Link<InRef<<B::Ports as OneInput>::In>>,
{
    let (before, output) = line.0.lay(graph);
    let handle = line.1.join(graph);
    graph.connect(output, handle.as_ref().only_input());
    (before, handle)
}

impl<MA, MB, A: Row<MA>, B: Part<MB>> Row<(MA, MB)> for Line<A, B>
where
    B::Ports: OneInput + OneOutput,
    OutRef<A::Out>: Link<InRef<<B::Ports as OneInput>::In>>,
{
    type Handles = (A::Handles, B::Handle);
    type Out = <B::Ports as OneOutput>::Out;
    fn lay(self, graph: &mut Graph) -> (Self::Handles, OutRef<Self::Out>) {
        let (before, handle) = connect(self, graph);
        let output = handle.as_ref().only_output();
        ((before, handle), output)
    }
}

impl<MA, MB, A: Row<MA>, B: Part<MB>> Chain<(MA, MB)> for Line<A, B>
where
    B::Ports: OneInput,
    OutRef<A::Out>: Link<InRef<<B::Ports as OneInput>::In>>,
{
    type Handles = (A::Handles, B::Handle);
    fn add_to(self, graph: &mut Graph) -> Self::Handles {
        connect(self, graph)
    }
}

/// Parts that fit each other in a row: a tuple of 2 to 8, any number of one type, or `a >> b >> c`.
pub trait Chain<M> {
    /// The handles of all parts.
    type Handles;
    #[doc(hidden)]
    fn add_to(self, graph: &mut Graph) -> Self::Handles;
}

impl Graph {
    /// Connects blocks in a row, the only output of each to the only input of the next, and gives their handles.
    ///
    /// A part is a block with its name, which is added, or the handle of one that was added before. Handles are also put in a row
    /// by `>>`: `graph.chain(&source >> &filter >> &sink)`; what that gives is a pair of the handles before the last one, and it.
    ///
    /// ```
    /// use superhet_runtime::{Graph, harness::VecSource};
    /// # use superhet_runtime::Pure;
    /// # struct Double;
    /// # impl Pure for Double {
    /// #     type In = f32;
    /// #     type Out = f32;
    /// #     fn map(&self, x: &[f32], y: &mut [f32]) { for (y, x) in y.iter_mut().zip(x) { *y = 2.0 * x; } }
    /// # }
    ///
    /// let mut graph = Graph::new();
    /// let first = graph.add("first", Double);
    /// let (_, _, second) =
    ///     graph.chain((("source", VecSource::new(vec![1.0f32, 2.0])), &first, ("second", Double)));
    /// let items = graph.collect(second.output);
    /// graph.run()?;
    /// assert_eq!(items.take(), [4.0, 8.0]);
    ///
    /// let mut graph = Graph::new();
    /// let source = graph.add("source", VecSource::new(vec![1.0f32, 2.0]));
    /// let double = graph.add("double", Double);
    /// let (_, last) = graph.chain(&source >> &double >> ("again", Double));
    /// let items = graph.collect(last.output);
    /// graph.run()?;
    /// assert_eq!(items.take(), [4.0, 8.0]);
    /// # Ok::<(), superhet_runtime::RunError>(())
    /// ```
    ///
    /// Ports of different items do not compile:
    ///
    /// ```compile_fail
    /// use superhet_runtime::{Graph, harness::{VecSink, VecSource}};
    /// let mut graph = Graph::new();
    /// let source = graph.add("source", VecSource::new(vec![0u8]));
    /// let sink = graph.add("sink", VecSink::<f32>::new());
    /// graph.chain(&source >> &sink);
    /// ```
    pub fn chain<M, C: Chain<M>>(&mut self, parts: C) -> C::Handles {
        parts.add_to(self)
    }

    fn chain_all<M, A: Part<M>>(&mut self, parts: impl IntoIterator<Item = A>) -> Vec<A::Handle>
    where
        A::Ports: OneInput + OneOutput,
        OutRef<<A::Ports as OneOutput>::Out>: Link<InRef<<A::Ports as OneInput>::In>>,
    {
        let handles: Vec<_> = parts.into_iter().map(|part| part.join(self)).collect();
        for pair in handles.windows(2) {
            self.connect(pair[0].as_ref().only_output(), pair[1].as_ref().only_input());
        }
        handles
    }
}

impl<M, A: Part<M>> Chain<(M,)> for Vec<A>
where
    A::Ports: OneInput + OneOutput,
    OutRef<<A::Ports as OneOutput>::Out>: Link<InRef<<A::Ports as OneInput>::In>>,
{
    type Handles = Vec<A::Handle>;
    fn add_to(self, graph: &mut Graph) -> Self::Handles {
        graph.chain_all(self)
    }
}

impl<M, A: Part<M>, const N: usize> Chain<(M,)> for [A; N]
where
    A::Ports: OneInput + OneOutput,
    OutRef<<A::Ports as OneOutput>::Out>: Link<InRef<<A::Ports as OneInput>::In>>,
{
    type Handles = Vec<A::Handle>;
    fn add_to(self, graph: &mut Graph) -> Self::Handles {
        graph.chain_all(self)
    }
}

macro_rules! chain {
    ($($part:ident $marker:ident $handle:ident),+; $($from:ident $from_handle:ident -> $to:ident $to_handle:ident),+) => {
        impl<$($marker, $part: Part<$marker>),+> Chain<($($marker,)+)> for ($($part,)+)
        where
            $($from::Ports: OneOutput, $to::Ports: OneInput,
            OutRef<<$from::Ports as OneOutput>::Out>: Link<InRef<<$to::Ports as OneInput>::In>>,)+
        {
            type Handles = ($($part::Handle,)+);
            fn add_to(self, graph: &mut Graph) -> Self::Handles {
                let ($($handle,)+) = self;
                $(let $handle = $handle.join(graph);)+
                $(graph.connect($from_handle.as_ref().only_output(), $to_handle.as_ref().only_input());)+
                ($($handle,)+)
            }
        }
    };
}

chain!(A MA a, B MB b; A a -> B b);
chain!(A MA a, B MB b, C MC c; A a -> B b, B b -> C c);
chain!(A MA a, B MB b, C MC c, D MD d; A a -> B b, B b -> C c, C c -> D d);
chain!(A MA a, B MB b, C MC c, D MD d, E ME e; A a -> B b, B b -> C c, C c -> D d, D d -> E e);
chain!(A MA a, B MB b, C MC c, D MD d, E ME e, F MF f; A a -> B b, B b -> C c, C c -> D d, D d -> E e, E e -> F f);
chain!(
    A MA a, B MB b, C MC c, D MD d, E ME e, F MF f, G MG g;
    A a -> B b, B b -> C c, C c -> D d, D d -> E e, E e -> F f, F f -> G g
);
chain!(
    A MA a, B MB b, C MC c, D MD d, E ME e, F MF f, G MG g, H MH h;
    A a -> B b, B b -> C c, C c -> D d, D d -> E e, E e -> F f, F f -> G g, G g -> H h
);
