//! The rings at the ends of a unit.

use std::sync::atomic::AtomicU64;

use crate::stream::buffer::{Gauge, ReadEnd, RingId, WriteEnd};
use crate::stream::port::{AnyIn, AnyOut};
use crate::stream::visit::PortVisitor;

/// The rings at the ends of a unit.
#[derive(Debug, Default)]
pub(super) struct Rings {
    pub read: Vec<Input>,
    pub written: Vec<RingId>,
}

/// A ring that a unit reads.
#[derive(Debug)]
pub(super) struct Input {
    pub gauge: Gauge,
    /// How many items the unit last left there because it needs more. Written by who has the unit.
    pub left: AtomicU64,
}

impl Input {
    pub fn new(gauge: Gauge) -> Self {
        Input { gauge, left: AtomicU64::new(0) }
    }
}

impl PortVisitor for Rings {
    fn input(&mut self, _: &str, port: &mut dyn AnyIn) {
        if let ReadEnd::Ring(ring) = port.raw().end {
            self.read.push(Input::new(ring.gauge()));
        }
    }
    fn output(&mut self, _: &str, port: &mut dyn AnyOut) {
        if let WriteEnd::Ring(ring) = port.raw().end {
            self.written.push(ring.ring_id());
        }
    }
}
