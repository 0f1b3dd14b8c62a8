//! The ports of a pure or sync block by its item types: one, several, or none.

use super::ports::{InPlace, Ports, ReadEnds, WriteEnds};
use crate::data::{Item, ItemType};
use crate::stream::port::{In, Out};
use crate::stream::refs::{BlockId, InRef, OutRef};
use crate::stream::visit::PortVisitor;

/// The item types of a block's inputs or outputs: `T` for one port, `(A, B)` and so on for several, `()` for none.
///
/// | type | slices | ports | names |
/// |---|---|---|---|
/// | `f32` | `&[f32]` | one | `in`, `out` |
/// | `(C32, f32)` | `(&[C32], &[f32])` | two | `in0`, `in1`; `out0`, `out1` |
/// | `()` | `()` | none | |
///
/// All inputs of a block advance in step, and so do all its outputs.
pub trait Streams: Ports + 'static {
    /// What a call reads.
    type Slices<'a>;
    /// What a call writes.
    type SlicesMut<'a>;
    /// The inputs of a block's handle, for connecting.
    type InRefs: Clone;
    /// The outputs of a block's handle, for connecting.
    type OutRefs: Clone;
    /// What a family of types has for each port: one, or a tuple of them.
    type Each<F: Family>;

    /// Makes what there is for each port.
    fn each<M: Make>(maker: &mut M) -> Self::Each<M::Family>;

    #[doc(hidden)]
    fn windows<'a>(inputs: &'a Self::Inputs, n: usize) -> Self::Slices<'a>;
    #[doc(hidden)]
    fn spans<'a>(outputs: &'a mut Self::Outputs, n: usize) -> Self::SlicesMut<'a>;
    #[doc(hidden)]
    fn in_place_span<'a>(input: &'a mut InPlace<'_>, n: usize) -> Option<Self::SlicesMut<'a>>;
    /// The bytes of one port's items as what a call reads; `None` for several ports.
    #[doc(hidden)]
    fn slices_of(bytes: &[u8]) -> Option<Self::Slices<'_>>;
    /// As `slices_of`, for what a call writes.
    #[doc(hidden)]
    fn slices_of_mut(bytes: &mut [u8]) -> Option<Self::SlicesMut<'_>>;
    #[doc(hidden)]
    fn in_refs(id: BlockId) -> Self::InRefs;
    #[doc(hidden)]
    fn out_refs(id: BlockId) -> Self::OutRefs;
}

/// A type for each item type: what a [`Streams`] has for each of its ports, where they live elsewhere than in the host's
/// memory.
pub trait Family {
    /// What there is for items of type `T`.
    type Of<T: Item>;
}

/// Makes what a [`Family`] has for each port, in their order.
pub trait Make {
    /// What it makes.
    type Family: Family;
    /// Makes it for the next port, whose items are of type `T`.
    fn make<T: Item>(&mut self) -> <Self::Family as Family>::Of<T>;
}

fn input<T: Item>(history: usize, decimation: usize, align: usize) -> In<T> {
    In::new().min(decimation).history(history).align(align)
}

fn output<T: Item>(interpolation: usize, align: usize) -> Out<T> {
    Out::new().min(interpolation).align(align)
}

impl<T: Item> Ports for T {
    type Inputs = In<T>;
    type Outputs = Out<T>;
    const PORTS: usize = 1;

    fn inputs(history: usize, decimation: usize, align: usize) -> In<T> {
        input(history, decimation, align)
    }
    fn outputs(interpolation: usize, align: usize) -> Out<T> {
        output(interpolation, align)
    }
    fn single() -> Option<ItemType> {
        Some(ItemType::of::<T>())
    }
    #[inline(always)]
    fn available(inputs: &In<T>, any: bool) -> usize {
        let n = inputs.look();
        if any { n } else { inputs.whole(n) }
    }
    #[inline]
    fn ends_before(inputs: &In<T>, n: usize) -> bool {
        inputs.ends_before(n)
    }
    #[inline(always)]
    fn consume(inputs: &mut In<T>, n: usize) {
        inputs.take(n);
    }
    #[inline(always)]
    fn inputs_go_past(inputs: &mut In<T>, n: usize) {
        inputs.go_past(n);
    }
    fn consumed(inputs: &In<T>) -> u64 {
        inputs.index()
    }
    #[inline(always)]
    fn has_tags(inputs: &In<T>, n: usize) -> bool {
        inputs.has_tags(n)
    }
    fn read_ends(inputs: &mut In<T>) -> ReadEnds<'_> {
        ReadEnds([Some(inputs.end()), None, None, None])
    }
    #[inline(always)]
    fn in_place(inputs: &mut In<T>) -> Option<InPlace<'_>> {
        let (end, limit) = inputs.in_place()?;
        Some(InPlace { end, limit })
    }
    fn visit_inputs(inputs: &mut In<T>, visitor: &mut dyn PortVisitor) {
        visitor.input("in", inputs);
    }
    #[inline(always)]
    fn room(outputs: &Out<T>, any: bool) -> usize {
        let n = outputs.look();
        if any { n } else { outputs.whole(n) }
    }
    #[inline(always)]
    fn is_unwanted(outputs: &Out<T>) -> bool {
        outputs.is_unread()
    }
    #[inline(always)]
    fn produce(outputs: &mut Out<T>, n: usize) {
        outputs.give(n);
    }
    #[inline(always)]
    fn outputs_go_past(outputs: &mut Out<T>, n: usize) {
        outputs.go_past(n);
    }
    #[inline(always)]
    fn limit(outputs: &Out<T>) -> usize {
        outputs.limit()
    }
    fn produced(outputs: &Out<T>) -> u64 {
        outputs.index()
    }
    fn write_ends(outputs: &mut Out<T>) -> WriteEnds<'_> {
        WriteEnds([Some(outputs.end()), None, None, None])
    }
    fn visit_outputs(outputs: &mut Out<T>, visitor: &mut dyn PortVisitor) {
        visitor.output("out", outputs);
    }
}

impl<T: Item> Streams for T {
    type Slices<'a> = &'a [T];
    type SlicesMut<'a> = &'a mut [T];
    type InRefs = InRef<T>;
    type OutRefs = OutRef<T>;
    type Each<F: Family> = F::Of<T>;

    fn each<M: Make>(maker: &mut M) -> <M::Family as Family>::Of<T> {
        maker.make::<T>()
    }
    #[inline(always)]
    fn windows(inputs: &In<T>, n: usize) -> &[T] {
        inputs.window_of(n)
    }
    #[inline(always)]
    fn spans(outputs: &mut Out<T>, n: usize) -> &mut [T] {
        outputs.reserve_of(n)
    }
    #[inline(always)]
    fn in_place_span<'a>(input: &'a mut InPlace<'_>, n: usize) -> Option<&'a mut [T]> {
        Some(input.end.slice_mut(n))
    }
    #[inline]
    fn slices_of(bytes: &[u8]) -> Option<&[T]> {
        Some(bytemuck::cast_slice(bytes))
    }
    #[inline]
    fn slices_of_mut(bytes: &mut [u8]) -> Option<&mut [T]> {
        Some(bytemuck::cast_slice_mut(bytes))
    }
    fn in_refs(id: BlockId) -> InRef<T> {
        InRef::new(id, 0)
    }
    fn out_refs(id: BlockId) -> OutRef<T> {
        OutRef::new(id, 0)
    }
}

impl Ports for () {
    type Inputs = ();
    type Outputs = ();
    const PORTS: usize = 0;

    fn inputs(_: usize, _: usize, _: usize) {}
    fn outputs(_: usize, _: usize) {}
    fn single() -> Option<ItemType> {
        None
    }
    #[inline(always)]
    fn available(_: &(), _: bool) -> usize {
        usize::MAX
    }
    #[inline]
    fn ends_before(_: &(), _: usize) -> bool {
        false
    }
    #[inline(always)]
    fn consume(_: &mut (), _: usize) {}
    #[inline(always)]
    fn inputs_go_past(_: &mut (), _: usize) {}
    fn consumed(_: &()) -> u64 {
        0
    }
    #[inline(always)]
    fn has_tags(_: &(), _: usize) -> bool {
        false
    }
    fn read_ends(_: &mut ()) -> ReadEnds<'_> {
        ReadEnds([const { None }; 4])
    }
    #[inline]
    fn in_place(_: &mut ()) -> Option<InPlace<'_>> {
        None
    }
    fn visit_inputs(_: &mut (), _: &mut dyn PortVisitor) {}
    #[inline(always)]
    fn room(_: &(), _: bool) -> usize {
        usize::MAX
    }
    #[inline(always)]
    fn is_unwanted(_: &()) -> bool {
        false
    }
    #[inline(always)]
    fn produce(_: &mut (), _: usize) {}
    #[inline(always)]
    fn outputs_go_past(_: &mut (), _: usize) {}
    #[inline(always)]
    fn limit(_: &()) -> usize {
        usize::MAX
    }
    fn produced(_: &()) -> u64 {
        0
    }
    fn write_ends(_: &mut ()) -> WriteEnds<'_> {
        WriteEnds([const { None }; 4])
    }
    fn visit_outputs(_: &mut (), _: &mut dyn PortVisitor) {}
}

impl Streams for () {
    type Slices<'a> = ();
    type SlicesMut<'a> = ();
    type InRefs = ();
    type OutRefs = ();
    type Each<F: Family> = ();

    fn each<M: Make>(_: &mut M) {}
    #[inline(always)]
    fn windows(_: &(), _: usize) {}
    #[inline(always)]
    fn spans(_: &mut (), _: usize) {}
    #[inline(always)]
    fn in_place_span(_: &mut InPlace<'_>, _: usize) -> Option<()> {
        None
    }
    #[inline]
    fn slices_of(_: &[u8]) -> Option<()> {
        Some(())
    }
    #[inline]
    fn slices_of_mut(_: &mut [u8]) -> Option<()> {
        Some(())
    }
    fn in_refs(_: BlockId) {}
    fn out_refs(_: BlockId) {}
}

macro_rules! several {
    ($count:literal; $($T:ident $i:tt $in:literal $out:literal),*) => {
        impl<$($T: Item),*> Ports for ($($T,)*) {
            type Inputs = ($(In<$T>,)*);
            type Outputs = ($(Out<$T>,)*);
            const PORTS: usize = $count;

            fn inputs(history: usize, decimation: usize, align: usize) -> Self::Inputs {
                ($(input::<$T>(history, decimation, align),)*)
            }
            fn outputs(interpolation: usize, align: usize) -> Self::Outputs {
                ($(output::<$T>(interpolation, align),)*)
            }
            fn single() -> Option<ItemType> {
                None
            }
            #[inline(always)]
            fn available(inputs: &Self::Inputs, any: bool) -> usize {
                usize::MAX$(.min($T::available(&inputs.$i, any)))*
            }
            #[inline]
            fn ends_before(inputs: &Self::Inputs, n: usize) -> bool {
                $(inputs.$i.ends_before(n))||*
            }
            #[inline(always)]
            fn consume(inputs: &mut Self::Inputs, n: usize) {
                $(inputs.$i.take(n);)*
            }
            fn inputs_go_past(inputs: &mut Self::Inputs, n: usize) {
                $(inputs.$i.go_past(n);)*
            }
            fn consumed(inputs: &Self::Inputs) -> u64 {
                inputs.0.index()
            }
            #[inline(always)]
            fn has_tags(inputs: &Self::Inputs, n: usize) -> bool {
                $(inputs.$i.has_tags(n))||*
            }
            fn read_ends(inputs: &mut Self::Inputs) -> ReadEnds<'_> {
                let mut ends = [const { None }; 4];
                $(ends[$i] = Some(inputs.$i.end());)*
                ReadEnds(ends)
            }
            #[inline]
            fn in_place(_: &mut Self::Inputs) -> Option<InPlace<'_>> {
                None
            }
            fn visit_inputs(inputs: &mut Self::Inputs, visitor: &mut dyn PortVisitor) {
                $(visitor.input($in, &mut inputs.$i);)*
            }
            #[inline(always)]
            fn room(outputs: &Self::Outputs, any: bool) -> usize {
                usize::MAX$(.min($T::room(&outputs.$i, any)))*
            }
            #[inline(always)]
            fn is_unwanted(outputs: &Self::Outputs) -> bool {
                $(outputs.$i.is_unread())&&*
            }
            #[inline(always)]
            fn produce(outputs: &mut Self::Outputs, n: usize) {
                $(outputs.$i.give(n);)*
            }
            fn outputs_go_past(outputs: &mut Self::Outputs, n: usize) {
                $(outputs.$i.go_past(n);)*
            }
            fn limit(outputs: &Self::Outputs) -> usize {
                usize::MAX$(.min(outputs.$i.limit()))*
            }
            fn produced(outputs: &Self::Outputs) -> u64 {
                outputs.0.index()
            }
            fn write_ends(outputs: &mut Self::Outputs) -> WriteEnds<'_> {
                let mut ends = [const { None }; 4];
                $(ends[$i] = Some(outputs.$i.end());)*
                WriteEnds(ends)
            }
            fn visit_outputs(outputs: &mut Self::Outputs, visitor: &mut dyn PortVisitor) {
                $(visitor.output($out, &mut outputs.$i);)*
            }
        }

        impl<$($T: Item),*> Streams for ($($T,)*) {
            type Slices<'a> = ($(&'a [$T],)*);
            type SlicesMut<'a> = ($(&'a mut [$T],)*);
            type InRefs = ($(InRef<$T>,)*);
            type OutRefs = ($(OutRef<$T>,)*);
            type Each<F: Family> = ($(F::Of<$T>,)*);

            fn each<M: Make>(maker: &mut M) -> Self::Each<M::Family> {
                ($(maker.make::<$T>(),)*)
            }

            #[inline(always)]
            fn windows(inputs: &Self::Inputs, n: usize) -> Self::Slices<'_> {
                ($(inputs.$i.window_of(n),)*)
            }
            #[inline(always)]
            fn spans(outputs: &mut Self::Outputs, n: usize) -> Self::SlicesMut<'_> {
                ($(outputs.$i.reserve_of(n),)*)
            }
            #[inline(always)]
            fn in_place_span<'a>(_: &'a mut InPlace<'_>, _: usize) -> Option<Self::SlicesMut<'a>> {
                None
            }
            fn slices_of(_: &[u8]) -> Option<Self::Slices<'_>> {
                None
            }
            fn slices_of_mut(_: &mut [u8]) -> Option<Self::SlicesMut<'_>> {
                None
            }
            fn in_refs(id: BlockId) -> Self::InRefs {
                ($(InRef::<$T>::new(id, $i),)*)
            }
            fn out_refs(id: BlockId) -> Self::OutRefs {
                ($(OutRef::<$T>::new(id, $i),)*)
            }
        }
    };
}

several!(2; A 0 "in0" "out0", B 1 "in1" "out1");
several!(3; A 0 "in0" "out0", B 1 "in1" "out1", C 2 "in2" "out2");
several!(4; A 0 "in0" "out0", B 1 "in1" "out1", C 2 "in2" "out2", D 3 "in3" "out3");
