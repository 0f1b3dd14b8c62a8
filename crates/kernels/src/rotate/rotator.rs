//! A rotation that goes on from call to call.

use super::{ROTATE_C32, ROTATE_C32_IN_PLACE};
use crate::C32;
use num_complex::Complex;
use std::f64::consts::TAU;

/// Items that share an anchor. Long enough for the anchor's sine and cosine not to count, short enough for the table
/// to leave the level-1 cache to the samples.
const BLOCK: usize = 512;

/// Turns a stream at a constant rate: `y[n] = x[n] · exp(j · (phase + n · increment))`, a shift in frequency by
/// `increment / 2π` of the sample rate.
///
/// The phase is an integer, 2⁻⁶⁴ of a turn, and wraps around without loss. Each 512 items, counted from the start of
/// the stream or the latest change of the increment, the rotation is computed anew from it. So
///
/// - nothing drifts: magnitude and phase are as good after 10¹² items as after one,
/// - the output does not depend on how the stream is cut into calls.
///
/// **Accuracy**: `|error| ≤ 2⁻²⁰ · |x|`, apart from the increment's own rounding to a multiple of 2⁻⁶⁴ of a turn or to
/// 53 bits.
///
/// ```
/// use superhet_kernels::{C32, Rotator};
/// let mut rotator = Rotator::new(std::f64::consts::FRAC_PI_2); // up by a quarter of the sample rate
/// let mut y = [C32::ZERO; 3];
/// rotator.rotate(&mut y, &[C32::ONE; 3]);
/// assert!((y[1] - C32::I).norm() < 1e-6 && (y[2] + C32::ONE).norm() < 1e-6);
/// ```
#[derive(Clone, Debug)]
pub struct Rotator {
    /// The phase of the block's first item, 2⁻⁶⁴ turns.
    phase: u64,
    /// The phase from item to item, 2⁻⁶⁴ turns.
    increment: u64,
    /// `exp(j · phase)`.
    anchor: C32,
    /// Items of the block that have passed.
    done: usize,
    /// `exp(j · n · increment)`.
    turns: Box<[C32; BLOCK]>,
    run: fn(&mut [C32], &[C32], &[C32], C32),
    run_in_place: fn(&mut [C32], &[C32], C32),
}

impl Rotator {
    /// A rotator by so many radians from item to item, which starts at phase 0. The variant is chosen here, once.
    ///
    /// # Panics
    ///
    /// Unless `increment_rad` is finite.
    pub fn new(increment_rad: f64) -> Self {
        let mut rotator = Self {
            phase: 0,
            increment: 0,
            anchor: C32::ONE,
            done: 0,
            turns: Box::new([C32::ONE; BLOCK]),
            run: ROTATE_C32.chosen(),
            run_in_place: ROTATE_C32_IN_PLACE.chosen(),
        };
        rotator.set_increment(increment_rad);
        rotator
    }

    /// Turns by so many radians from item to item from now on. The phase does not jump: the next item has the phase
    /// that it would have had anyway. Takes some microseconds.
    ///
    /// # Panics
    ///
    /// Unless `increment_rad` is finite.
    pub fn set_increment(&mut self, increment_rad: f64) {
        assert!(increment_rad.is_finite(), "a rotator needs a finite increment, got {increment_rad}");
        self.start_block_at(self.current_phase());
        self.increment = to_phase(increment_rad);
        // 512 = 32 · 16: two short tables, multiplied in f64.
        let fine: [_; 16] = std::array::from_fn(|n| self.turn(n as u64));
        for (coarse, turns) in self.turns.as_chunks_mut::<16>().0.iter_mut().enumerate() {
            let coarse = turn(self.increment.wrapping_mul(16 * coarse as u64));
            *turns = fine.map(|fine| narrow(fine * coarse));
        }
    }

    /// The next item turns by this phase in radians, the items after it by that and the increment.
    ///
    /// # Panics
    ///
    /// Unless `phase_rad` is finite.
    pub fn set_phase(&mut self, phase_rad: f64) {
        assert!(phase_rad.is_finite(), "a rotator needs a finite phase, got {phase_rad}");
        self.start_block_at(to_phase(phase_rad));
    }

    /// By how much the next item turns, in radians, -π..π.
    pub fn phase(&self) -> f64 {
        to_radians(self.current_phase())
    }

    /// Goes on as if so many items had passed.
    pub fn skip(&mut self, items: u64) {
        let items = self.done as u64 + items % (1 << 63);
        self.start_block_at(
            self.phase.wrapping_add(self.increment.wrapping_mul(items - items % BLOCK as u64)),
        );
        self.done = (items % BLOCK as u64) as usize;
    }

    /// `y[n] = x[n] · exp(j · phase)`, with the phase of each item.
    ///
    /// # Panics
    ///
    /// Unless `y.len() == x.len()`.
    pub fn rotate(&mut self, y: &mut [C32], x: &[C32]) {
        assert!(y.len() == x.len(), "rotate needs y.len() == x.len(), got {} and {}", y.len(), x.len());
        let (mut y, mut x) = (y, x);
        while !x.is_empty() {
            let len = x.len().min(BLOCK - self.done);
            let (y_now, y_later) = y.split_at_mut(len);
            let (x_now, x_later) = x.split_at(len);
            (self.run)(y_now, x_now, &self.turns[self.done..][..len], self.anchor);
            self.pass(len);
            (y, x) = (y_later, x_later);
        }
    }

    /// As [`Rotator::rotate`], in place.
    pub fn rotate_in_place(&mut self, x: &mut [C32]) {
        let mut x = x;
        while !x.is_empty() {
            let len = x.len().min(BLOCK - self.done);
            let (now, later) = x.split_at_mut(len);
            (self.run_in_place)(now, &self.turns[self.done..][..len], self.anchor);
            self.pass(len);
            x = later;
        }
    }

    fn pass(&mut self, items: usize) {
        self.done += items;
        if self.done == BLOCK {
            self.start_block_at(self.current_phase());
        }
    }

    fn start_block_at(&mut self, phase: u64) {
        self.phase = phase;
        self.anchor = narrow(turn(phase));
        self.done = 0;
    }

    fn current_phase(&self) -> u64 {
        self.phase.wrapping_add(self.increment.wrapping_mul(self.done as u64))
    }

    fn turn(&self, items: u64) -> Complex<f64> {
        turn(self.increment.wrapping_mul(items))
    }
}

/// 2⁶⁴: phase units in a turn.
const UNITS: f64 = 18_446_744_073_709_551_616.0;

/// Radians as 2⁻⁶⁴ turns.
fn to_phase(radians: f64) -> u64 {
    let turns = radians / TAU;
    // Within half a turn of 0, so that small phases of both signs keep their digits.
    ((turns - turns.round()) * UNITS) as i128 as u64
}

/// 2⁻⁶⁴ turns as radians, -π..π.
fn to_radians(phase: u64) -> f64 {
    phase.cast_signed() as f64 * (TAU / UNITS)
}

fn turn(phase: u64) -> Complex<f64> {
    Complex::cis(to_radians(phase))
}

fn narrow(x: Complex<f64>) -> C32 {
    C32::new(x.re as f32, x.im as f32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Item, Noise, Want, wide};

    const INCREMENTS: [f64; 7] = [0.0, 0.1, -0.1, 3.0, -1e-9, 1234.5, TAU / 512.0];

    #[test]
    fn the_phase_follows_the_index() {
        for increment in INCREMENTS {
            let x: Vec<C32> = Noise::new(1).signal(2000);
            let mut y = vec![C32::JUNK; 2000];
            Rotator::new(increment).rotate(&mut y, &x);
            for (n, (y, x)) in y.iter().zip(&x).enumerate() {
                let turned = wide(*x) * Complex::cis((increment / TAU).fract() * TAU * n as f64);
                let bound = wide(*x).norm() / (1 << 20) as f64;
                Want::complex_within(turned, bound).check(*y, &format!("{increment}, item {n}"));
            }
        }
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        let x: Vec<C32> = Noise::new(1).signal(5000);
        let mut whole = vec![C32::JUNK; x.len()];
        Rotator::new(0.3).rotate(&mut whole, &x);
        for step in [1, 3, 100, 511, 512, 513, 1024, 4999] {
            let (mut cut, mut in_place) = (vec![C32::JUNK; x.len()], x.clone());
            let (mut rotator, mut other) = (Rotator::new(0.3), Rotator::new(0.3));
            for ((y, x), z) in cut.chunks_mut(step).zip(x.chunks(step)).zip(in_place.chunks_mut(step)) {
                rotator.rotate(y, x);
                other.rotate_in_place(z);
            }
            assert_eq!(cut, whole, "steps of {step}");
            assert_eq!(in_place, whole, "steps of {step}, in place");
        }
    }

    #[test]
    fn nothing_drifts_over_ten_thousand_million_items() {
        for increment in INCREMENTS {
            let mut rotator = Rotator::new(increment);
            rotator.skip(10_000_000_000 - 7);
            let mut y = [C32::JUNK; 1000];
            rotator.rotate(&mut y, &[C32::ONE; 1000]);
            for (n, y) in y.iter().enumerate() {
                assert!((wide(*y).norm() - 1.0).abs() < 1e-6, "{increment}: {y}");
                // The reference loses digits of its own: 2⁻⁵³ · 10¹⁰ turns.
                let phase = (increment / TAU).fract() * (10_000_000_000 - 7 + n as u64) as f64;
                let want = Want::complex_within(Complex::cis(phase.fract() * TAU), 2e-5);
                want.check(*y, &format!("{increment}, item {n}"));
            }
        }
    }

    #[test]
    fn skipping_is_the_same_as_passing() {
        for increment in INCREMENTS {
            let (mut passing, mut skipping) = (Rotator::new(increment), Rotator::new(increment));
            for skip in [1, 500, 11, 512, 100_000, 0] {
                let (x, mut y, mut z) = (vec![C32::ONE; skip], vec![C32::JUNK; skip], [C32::JUNK; 600]);
                passing.rotate(&mut y, &x);
                skipping.skip(skip as u64);
                let mut later = [C32::JUNK; 600];
                passing.rotate(&mut z, &[C32::ONE; 600]);
                skipping.rotate(&mut later, &[C32::ONE; 600]);
                assert_eq!(z, later, "{increment}, {skip} items");
            }
        }
    }

    /// Walks the whole way in blocks, which is why it asks for a release build: `cargo test --release -- --ignored`.
    #[test]
    #[ignore = "a thousand million items"]
    fn nothing_drifts_on_foot_either() {
        let mut rotator = Rotator::new(0.1);
        let (x, mut y) = (vec![C32::ONE; 10_000], vec![C32::JUNK; 10_000]);
        for _ in 0..100_000 {
            rotator.rotate(&mut y, &x);
        }
        let mut jumper = Rotator::new(0.1);
        jumper.skip(1_000_000_000 - 10_000);
        let mut z = vec![C32::JUNK; 10_000];
        jumper.rotate(&mut z, &x);
        assert_eq!(y, z);
        assert!(y.iter().all(|y| (wide(*y).norm() - 1.0).abs() < 1e-6));
    }

    #[test]
    fn a_new_increment_goes_on_from_the_phase_that_was_reached() {
        let mut rotator = Rotator::new(0.1);
        let mut y = [C32::JUNK; 700];
        rotator.rotate(&mut y, &[C32::ONE; 700]);
        rotator.set_increment(-0.2);
        assert!((rotator.phase() - (70.0 - 11.0 * TAU)).abs() < 1e-9, "{}", rotator.phase());
        rotator.rotate(&mut y[..3], &[C32::ONE; 3]);
        for (n, y) in y[..3].iter().enumerate() {
            let want = Complex::cis(70.0 - 0.2 * n as f64);
            Want::complex_within(want, 1e-6).check(*y, "after the change");
        }
        rotator.set_phase(1.0);
        rotator.rotate(&mut y[..1], &[C32::ONE]);
        Want::complex_within(Complex::cis(1.0), 1e-6).check(y[0], "after a new phase");
    }

    #[test]
    #[should_panic(expected = "finite increment")]
    fn an_increment_that_is_not_finite_panics() {
        Rotator::new(f64::NAN);
    }
}
