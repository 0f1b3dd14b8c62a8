//! Blocks with parameters whose output tells which items they saw, and with which parameters.
#![allow(dead_code)] // each test file uses some of them

use superhet_runtime::prelude::*;
use superhet_runtime::{InPlace, InPlaceState};

/// What they compute: a hash of each window, `up` times in `down` items, times `gain`, plus `offset`.
#[derive(Clone, Debug)]
pub struct Hash {
    pub up: usize,
    pub down: usize,
    pub history: usize,
    pub gain: u32,
    pub offset: u32,
}

impl Hash {
    pub const NAMES: &'static [&'static str] = &["gain", "offset"];

    pub fn with(&self, name: &str, value: u32) -> Hash {
        let mut next = self.clone();
        match name {
            "gain" => next.gain = value,
            _ => next.offset = value,
        }
        next
    }

    pub fn apply(&self, x: &[u32], y: &mut [u32]) {
        for (turn, y) in y.chunks_exact_mut(self.up).enumerate() {
            let window = &x[turn * self.down..][..self.history + self.down];
            let hash = window.iter().fold(0u32, |hash, x| hash.wrapping_mul(31).wrapping_add(*x));
            let value = hash.wrapping_mul(self.gain).wrapping_add(self.offset);
            y.iter_mut().enumerate().for_each(|(i, y)| *y = value.wrapping_add(i as u32));
        }
    }
}

impl Pure for Hash {
    type In = u32;
    type Out = u32;
    const PARAMETERS: &'static [&'static str] = Hash::NAMES;
    fn shape(&self) -> Shape {
        Shape {
            ratio: Ratio { interpolation: self.up, decimation: self.down },
            history: self.history,
            ..Shape::default()
        }
    }

    fn with_parameter(&self, name: &str, value: &Value) -> Result<Self, BlockError> {
        let value = value.as_u64().ok_or("expected a whole number")?;
        Ok(self.with(name, value as u32))
    }
    fn parameter(&self, name: &str) -> Option<Value> {
        Some(if name == "gain" { self.gain } else { self.offset }.into())
    }
    fn map(&self, x: &[u32], y: &mut [u32]) {
        self.apply(x, y);
    }
}

/// The same of single items, in place.
#[derive(Clone, Debug)]
pub struct Flat(pub Hash);

impl Pure for Flat {
    type In = u32;
    type Out = u32;
    const IN_PLACE: Option<InPlace<Self>> = Some(|block, y| {
        y.iter_mut().for_each(|y| *y = y.wrapping_mul(block.0.gain).wrapping_add(block.0.offset))
    });
    const PARAMETERS: &'static [&'static str] = Hash::NAMES;
    fn with_parameter(&self, name: &str, value: &Value) -> Result<Self, BlockError> {
        self.0.with_parameter(name, value).map(Flat)
    }
    fn parameter(&self, name: &str) -> Option<Value> {
        Pure::parameter(&self.0, name)
    }
    fn map(&self, x: &[u32], y: &mut [u32]) {
        self.0.apply(x, y);
    }
}

/// The same with a state, which adds up what it gave.
pub struct Running<const IN_PLACE: bool> {
    hash: Hash,
    sum: u32,
}

impl<const IN_PLACE: bool> SyncBlock for Running<IN_PLACE> {
    type In = u32;
    type Out = u32;
    const IN_PLACE: Option<InPlaceState<Self>> = if IN_PLACE {
        Some(|block, y| {
            y.iter_mut().for_each(|y| *y = y.wrapping_mul(block.hash.gain).wrapping_add(block.hash.offset));
            block.add_up(y);
        })
    } else {
        None
    };
    const PARAMETERS: &'static [&'static str] = Hash::NAMES;
    fn shape(&self) -> Shape {
        self.hash.shape()
    }

    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        self.hash = self.hash.with_parameter(name, value)?;
        Ok(())
    }
    fn parameter(&self, name: &str) -> Option<Value> {
        Pure::parameter(&self.hash, name)
    }
    fn process(&mut self, x: &[u32], y: &mut [u32]) {
        self.hash.apply(x, y);
        self.add_up(y);
    }
}

impl<const IN_PLACE: bool> Running<IN_PLACE> {
    pub fn new(hash: Hash) -> Self {
        Running { hash, sum: 0 }
    }

    fn add_up(&mut self, y: &mut [u32]) {
        for y in y {
            self.sum = self.sum.wrapping_add(*y);
            *y = self.sum;
        }
    }
}
