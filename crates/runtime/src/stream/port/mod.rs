//! A block's typed ends of its streams: look and take, get room and give.

#[macro_use]
mod settings;
mod input;
mod output;
mod passing;
mod spec;
mod twins;
mod typed;

use std::sync::Arc;

pub use passing::forward_tags;
pub use spec::{PortSpec, align_span};
pub(crate) use twins::Twins;
pub use typed::{In, Out};

use super::buffer::{ReadEnd, Runner, WriteEnd};

/// The block and the place that a port was connected for. Its end of the stream serves this block only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Home {
    pub runner: Runner,
    /// Which of the block's inputs or outputs it is.
    pub port: usize,
}

impl Home {
    /// Whether its block is the one that this thread runs.
    #[inline(always)]
    fn is_here(&self) -> bool {
        self.runner == Runner::here()
    }
}

/// Panics: a port was used away from its block.
#[cold]
#[inline(never)]
fn used_elsewhere() -> ! {
    panic!(
        "a port of another block, or of one that another thread runs, was used: ports stay with their block"
    );
}

/// Losses at a port that are not added to its block's metrics yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Losses {
    /// Gaps in the stream.
    pub gaps: u64,
    /// The items that are missing there, as far as is known.
    pub items: u64,
    /// Packets that were dropped.
    pub packets: u64,
}

mod sealed {
    /// Only the ports themselves say what they are.
    pub trait Sealed {}
}

/// An input port whose item type is known at run time only: what the runtime sees.
pub trait AnyIn: sealed::Sealed {
    /// What the port asks for.
    fn spec(&self) -> &PortSpec;
    #[doc(hidden)]
    fn raw(&mut self) -> RawIn<'_>;
}

/// An output port whose item type is known at run time only: what the runtime sees.
pub trait AnyOut: sealed::Sealed {
    /// What the port asks for.
    fn spec(&self) -> &PortSpec;
    #[doc(hidden)]
    fn raw(&mut self) -> RawOut<'_>;
    /// Gives these items of the port's type, for which there is room.
    #[doc(hidden)]
    fn give(&mut self, items: &[u8]);
}

/// The inside of an input port.
#[doc(hidden)]
pub struct RawIn<'a> {
    pub(crate) end: &'a mut ReadEnd,
    pub(crate) limit: &'a mut usize,
    pub(crate) home: &'a mut Home,
}

impl RawIn<'_> {
    /// Whether the block that runs on this thread may use the end.
    pub(crate) fn is_mine(&self) -> bool {
        self.home.is_here() || !self.end.is_bound()
    }
}

impl RawOut<'_> {
    /// As [`RawIn::is_mine`].
    pub(crate) fn is_mine(&self) -> bool {
        self.home.is_here() || !self.end.is_bound()
    }
}

/// The inside of an output port.
#[doc(hidden)]
pub struct RawOut<'a> {
    pub(crate) end: &'a mut WriteEnd,
    pub(crate) limit: &'a mut usize,
    pub(crate) source: &'a mut Arc<str>,
    pub(crate) losses: &'a mut Losses,
    pub(crate) home: &'a mut Home,
}
