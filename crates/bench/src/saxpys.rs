//! The saxpy blocks of `bench chain`: pure or with a state, in place or not, by the library's kernel or by a plain loop.

use superhet_kernels as kernels;
use superhet_runtime::{InPlace, InPlaceState, Pure, Shape, SyncBlock};

/// What a saxpy block does with a strip.
#[derive(Clone, Copy, Debug)]
pub struct Saxpy {
    /// How often it goes over each strip, ≥ 1.
    pub weight: u32,
    /// What the spans should be multiples of, in items; 1 for any.
    pub align: usize,
    /// A plain loop that the compiler makes vectors of takes the place of the library's kernel.
    pub plain: bool,
}

/// `gain · x + offset`, rounded once.
struct Plain;

impl kernels::ItemFunction for Plain {
    type In = f32;
    type Out = f32;
    #[inline(always)]
    fn apply(&self, x: f32) -> f32 {
        x.mul_add(Saxpy::GAIN, Saxpy::OFFSET)
    }
}

impl Saxpy {
    pub const GAIN: f32 = 0.999;
    pub const OFFSET: f32 = 0.001;

    /// One pass over each strip, on spans of any length.
    pub const ONCE: Saxpy = Saxpy { weight: 1, align: 1, plain: false };

    /// All passes: the first from `x` to `y`, the others over `y`.
    pub fn apply(&self, x: &[f32], y: &mut [f32]) {
        match self.plain {
            true => kernels::map(y, x, &Plain),
            false => kernels::saxpy(y, x, Self::GAIN, Self::OFFSET),
        }
        self.pass_over(self.weight - 1, y);
    }

    /// All passes over `y`.
    pub fn apply_in_place(&self, y: &mut [f32]) {
        self.pass_over(self.weight, y);
    }

    fn pass_over(&self, times: u32, y: &mut [f32]) {
        for _ in 0..times {
            match self.plain {
                true => kernels::map_in_place(y, &Plain),
                false => kernels::saxpy_in_place(y, Self::GAIN, Self::OFFSET),
            }
        }
    }
}

/// A saxpy without a state.
#[derive(Clone, Copy, Debug)]
pub struct PureSaxpy<const IN_PLACE: bool>(pub Saxpy);

/// A saxpy that counts its items: the order of its calls matters, so that no two workers run it at once.
#[derive(Debug)]
pub struct CountingSaxpy<const IN_PLACE: bool> {
    saxpy: Saxpy,
    items: u64,
}

impl<const IN_PLACE: bool> CountingSaxpy<IN_PLACE> {
    pub fn new(saxpy: Saxpy) -> Self {
        CountingSaxpy { saxpy, items: 0 }
    }
}

impl<const IN_PLACE: bool> Pure for PureSaxpy<IN_PLACE> {
    type In = f32;
    type Out = f32;
    const IN_PLACE: Option<InPlace<Self>> =
        if IN_PLACE { Some(|block, y| block.0.apply_in_place(y)) } else { None };
    fn shape(&self) -> Shape {
        Shape { align: self.0.align, ..Shape::default() }
    }

    fn map(&self, x: &[f32], y: &mut [f32]) {
        self.0.apply(x, y);
    }
}

impl<const IN_PLACE: bool> SyncBlock for CountingSaxpy<IN_PLACE> {
    type In = f32;
    type Out = f32;
    const IN_PLACE: Option<InPlaceState<Self>> = if IN_PLACE {
        Some(|block, y| {
            block.items += y.len() as u64;
            block.saxpy.apply_in_place(y);
        })
    } else {
        None
    };
    fn shape(&self) -> Shape {
        Shape { align: self.saxpy.align, ..Shape::default() }
    }

    fn process(&mut self, x: &[f32], y: &mut [f32]) {
        self.items += x.len() as u64;
        self.saxpy.apply(x, y);
    }
}
