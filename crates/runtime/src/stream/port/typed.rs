//! An input and an output of one item type. What either asks says how to make both of its type, so they are in one file.

use std::marker::PhantomData;
use std::sync::Arc;

use super::spec::PortSpec;
use super::twins::MakeTwins;
use super::{Home, Losses, sealed};
use crate::data::{Conversion, Item};
use crate::stream::buffer::{ReadEnd, WriteEnd};

/// The reading end of a stream of `T`.
///
/// ```
/// use superhet_runtime::{C32, In};
/// // Spans of whole 512-item frames, with the 64 items before them.
/// let iq = In::<C32>::new().multiple(512).history(64);
/// ```
#[derive(Debug)]
pub struct In<T: Item> {
    pub(super) end: ReadEnd,
    pub(super) spec: PortSpec,
    /// The largest span that the plan and the specification allow here.
    pub(super) limit: usize,
    pub(super) home: Home,
    pub(super) item: PhantomData<fn() -> T>,
}

impl<T: Item> Default for In<T> {
    fn default() -> Self {
        In::new()
    }
}

impl<T: Item> In<T> {
    /// An input that takes spans of any length.
    pub fn new() -> Self {
        In {
            end: ReadEnd::None,
            spec: PortSpec::new::<T>(MakeTwins::of::<(In<T>, Out<T>)>()),
            limit: usize::MAX,
            home: Home::default(),
            item: PhantomData,
        }
    }
}

/// The writing end of a stream of `T`.
#[derive(Debug)]
pub struct Out<T: Item> {
    pub(super) end: WriteEnd,
    pub(super) spec: PortSpec,
    /// The largest span that the plan and the specification allow here: a strip.
    pub(super) limit: usize,
    /// The name of the block, for tags.
    pub(super) source: Arc<str>,
    pub(super) losses: Losses,
    /// What becomes of the tags that the block hands on.
    pub(super) conversion: Option<Box<Conversion>>,
    pub(super) home: Home,
    pub(super) item: PhantomData<fn() -> T>,
}

impl<T: Item> Default for Out<T> {
    fn default() -> Self {
        Out::new()
    }
}

impl<T: Item> Out<T> {
    /// An output that gives spans of any length.
    pub fn new() -> Self {
        Out {
            end: WriteEnd::None,
            spec: PortSpec::new::<T>(MakeTwins::of::<(In<T>, Out<T>)>()),
            limit: usize::MAX,
            source: "".into(),
            losses: Losses::default(),
            conversion: None,
            home: Home::default(),
            item: PhantomData,
        }
    }
}

impl<T: Item> sealed::Sealed for In<T> {}
impl<T: Item> sealed::Sealed for Out<T> {}
