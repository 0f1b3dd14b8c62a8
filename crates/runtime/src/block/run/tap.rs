//! A tap: a block that passes a stream's items on in place, and shows them to a watcher on the way.
//!
//! It is a sync block like others: so it lies in segments of a lane, where a strip is seen while it is in the nearest cache, and in
//! chains that workers share, where claims come by in their order. What it needs besides is to know which item is which, and to
//! see tags.

use std::marker::PhantomData;
use std::sync::Arc;

use super::body::{Asked, Body};
use crate::block::Shape;
use crate::block::erased::{ErasedState, LinkShape};
use crate::block::parameters::NEVER;
use crate::block::runnable::Level;
use crate::block::watcher::{Seen, Watcher};
use crate::data::{BlockError, Item};
use crate::stream::visit::PortVisitor;

/// What a tap costs, in seconds for each item: a call for each strip.
const SECONDS_PER_ITEM: f64 = 1e-12;

/// The tap of a stream of `T`.
pub(in crate::block) struct TapBody<T> {
    watcher: Arc<dyn Watcher>,
    /// The index of the item that comes next, where a lane runs it: chains say it themselves.
    next: u64,
    of: PhantomData<fn(T) -> T>,
}

impl<T: Item> TapBody<T> {
    pub fn new(watcher: Arc<dyn Watcher>) -> Self {
        TapBody { watcher, next: 0, of: PhantomData }
    }

    #[inline]
    fn see(&mut self, items: &[T]) {
        self.watcher.items(self.next, bytemuck::cast_slice(items));
        self.next = self.next.wrapping_add(items.len() as u64);
    }
}

impl<T: Item> Asked for TapBody<T> {
    fn probe(&self) -> Option<f64> {
        Some(SECONDS_PER_ITEM)
    }

    fn link_shape(&self) -> Option<LinkShape> {
        Some(LinkShape {
            has_state: true,
            seen: self.seen(),
            ..LinkShape::new::<T, T>(&Body::shape(self), Self::IN_PLACE)
        })
    }
}

impl<T: Item> Body for TapBody<T> {
    type In = T;
    type Out = T;
    const LEVEL: Level = Level::Sync;
    const IN_PLACE: bool = true;
    const HAS_PARAMETERS: bool = false;

    fn shape(&self) -> Shape {
        Shape::default()
    }

    #[inline]
    fn map(&mut self, x: &[T], y: &mut [T]) {
        self.see(x);
        y.copy_from_slice(x);
    }

    #[inline]
    fn map_in_place(&mut self, y: &mut [T]) {
        self.see(y);
    }

    fn seen(&self) -> Seen {
        Seen(Some(self.watcher.clone()))
    }

    fn state(&mut self) -> Option<&mut dyn ErasedState> {
        Some(self)
    }

    fn next_change(&self) -> u64 {
        NEVER
    }

    fn change(&mut self, _: u64) -> Result<(), BlockError> {
        Ok(())
    }

    fn visit_parameters(&mut self, _: &mut dyn PortVisitor) {}

    fn begin_at(&mut self, index: u64) {
        self.next = index;
    }
}

impl<T: Item> ErasedState for TapBody<T> {
    fn process(&mut self, at: u64, x: &[u8], y: &mut [u8]) -> Result<(), BlockError> {
        self.watcher.items(at, x);
        y.copy_from_slice(x);
        Ok(())
    }

    fn process_in_place(&mut self, at: u64, y: &mut [u8]) -> Result<(), BlockError> {
        self.watcher.items(at, y);
        Ok(())
    }
}
