//! The streams of a device block by their item types: one, several, or none.
//!
//! | type | slices | names |
//! |---|---|---|
//! | `f32` | `DevSlice<f32, B>` | `in`, `out` |
//! | `(C32, f32)` | `(DevSlice<C32, B>, DevSlice<f32, B>)` | `in0`, `in1`; `out0`, `out1` |
//! | `()` | `()` | |

use std::marker::PhantomData;

use superhet_runtime::Item;
use superhet_runtime::block::{Family, Make, Streams};

use crate::backend::{Backend, Span};
use crate::ports::{HostIn, HostOut, host_in, host_out};
use crate::slice::{DevSlice, DevSliceMut};

/// What a device block reads: a [`DevSlice`], a tuple of them, or `()`.
pub type DevSlices<'a, I, B> = <I as Streams>::Each<Reads<'a, B>>;
/// What a device block writes: a [`DevSliceMut`], a tuple of them, or `()`.
pub type DevSlicesMut<'a, O, B> = <O as Streams>::Each<Writes<'a, B>>;

/// The family of [`DevSlice`]s.
#[derive(Debug)]
pub struct Reads<'a, B>(PhantomData<&'a B>);
/// The family of [`DevSliceMut`]s.
#[derive(Debug)]
pub struct Writes<'a, B>(PhantomData<&'a B>);
/// The family of types of which only the making counts.
pub(crate) struct Nothings;

impl<'a, B: Backend> Family for Reads<'a, B> {
    type Of<T: Item> = DevSlice<'a, T, B>;
}
impl<'a, B: Backend> Family for Writes<'a, B> {
    type Of<T: Item> = DevSliceMut<'a, T, B>;
}
impl Family for Nothings {
    type Of<T: Item> = ();
}

/// The typed slices of spans, which must have the sizes of the items.
pub(crate) fn slices<'a, I: Streams, B: Backend>(spans: &[Span<'a, B>]) -> DevSlices<'a, I, B> {
    struct Read<'s, 'a, B: Backend>(std::slice::Iter<'s, Span<'a, B>>);
    impl<'a, B: Backend> Make for Read<'_, 'a, B> {
        type Family = Reads<'a, B>;
        fn make<T: Item>(&mut self) -> DevSlice<'a, T, B> {
            DevSlice::new(*self.0.next().expect("a span for each port"))
        }
    }
    I::each(&mut Read(spans.iter()))
}

/// As [`slices`], to be written.
pub(crate) fn slices_mut<'a, O: Streams, B: Backend>(spans: &[Span<'a, B>]) -> DevSlicesMut<'a, O, B> {
    struct Write<'s, 'a, B: Backend>(std::slice::Iter<'s, Span<'a, B>>);
    impl<'a, B: Backend> Make for Write<'_, 'a, B> {
        type Family = Writes<'a, B>;
        fn make<T: Item>(&mut self) -> DevSliceMut<'a, T, B> {
            DevSliceMut::new(*self.0.next().expect("a span for each port"))
        }
    }
    O::each(&mut Write(spans.iter()))
}

/// The host's ends of a device block's ports, and the sizes of their items in bytes.
pub(crate) struct HostEnds {
    pub inputs: Vec<Box<dyn HostIn>>,
    pub outputs: Vec<Box<dyn HostOut>>,
    pub in_bytes: Vec<usize>,
    pub out_bytes: Vec<usize>,
}

impl HostEnds {
    pub fn of<I: Streams, O: Streams>() -> Self {
        struct Inputs(Vec<Box<dyn HostIn>>, Vec<usize>);
        impl Make for Inputs {
            type Family = Nothings;
            fn make<T: Item>(&mut self) {
                self.0.push(host_in::<T>());
                self.1.push(size_of::<T>());
            }
        }
        struct Outputs(Vec<Box<dyn HostOut>>, Vec<usize>);
        impl Make for Outputs {
            type Family = Nothings;
            fn make<T: Item>(&mut self) {
                self.0.push(host_out::<T>());
                self.1.push(size_of::<T>());
            }
        }
        let (mut inputs, mut outputs) = (Inputs(Vec::new(), Vec::new()), Outputs(Vec::new(), Vec::new()));
        I::each(&mut inputs);
        O::each(&mut outputs);
        HostEnds { inputs: inputs.0, outputs: outputs.0, in_bytes: inputs.1, out_bytes: outputs.1 }
    }

    /// The name of port `place` of `count`, as pure blocks call theirs.
    pub fn port_name(direction: &str, place: usize, count: usize) -> String {
        if count == 1 { direction.to_owned() } else { format!("{direction}{place}") }
    }
}
