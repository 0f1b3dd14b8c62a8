//! The one driver that every variant of every op is tested with.
//!
//! For each length and each shift of the buffers' starts, an op runs on guarded buffers full of junk. Then
//!
//! 1. the guards around the output must be whole,
//! 2. each variant must give the bits that `scalar` gives for the *whole* signal, so that a result can depend
//!    neither on the variant nor on the place where the signal was cut,
//! 3. and those must lie within a tolerance of an f64 reference.

#[cfg(unix)]
pub(crate) mod guard;

mod every_op;

use crate::dispatch::Op;
use crate::{C32, C64};
use num_complex::Complex;
use std::fmt::Debug;

/// Length of the longest signal.
pub(crate) const LONGEST: usize = 4099;

/// Items before and after each buffer that nobody may write to.
const GUARD: usize = 32;

/// Lengths around each vector width, primes and odd ones, with the shifts worth trying at each.
pub(crate) fn cases() -> impl Iterator<Item = (usize, usize)> {
    let short = (0..=37).chain([47, 48, 49, 63, 64, 65, 97, 127, 128, 129, 131]);
    let long = [255, 256, 257, 333, 509, 1021, 1024, LONGEST];
    let all_shifts = short.flat_map(|len| (0..=17).map(move |shift| (len, shift)));
    all_shifts.chain(long.into_iter().flat_map(|len| [0, 1, 7, 15, 17].map(|shift| (len, shift))))
}

/// A type of items, as far as the driver must know it.
pub(crate) trait Item: Copy + Debug + 'static {
    /// What scratch memory holds; different from any likely result.
    const JUNK: Self;
    /// Values that need care: NaN, infinities, zeros of both signs, the largest and the smallest.
    const SPECIAL: &'static [Self];
    /// An item within full scale, and somewhat beyond where the type allows.
    fn random(noise: &mut Noise) -> Self;
    /// Real and imaginary part.
    fn parts(self) -> [f64; 2];
    /// Whether two results count as the same: all NaNs do.
    fn same(self, other: Self) -> bool;
}

impl Item for f32 {
    const JUNK: Self = f32::from_bits(0x7fc0_dead);
    const SPECIAL: &'static [Self] = &[
        0.0,
        -0.0,
        1.0,
        -1.0,
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::MAX,
        f32::MIN,
        f32::MIN_POSITIVE,
        1e-42,
        -1e-42,
        127.5 / 128.0,
    ];
    fn random(noise: &mut Noise) -> Self {
        noise.next() * 1.5
    }
    fn parts(self) -> [f64; 2] {
        [self as f64, 0.0]
    }
    fn same(self, other: Self) -> bool {
        self.to_bits() == other.to_bits() || (self.is_nan() && other.is_nan())
    }
}

impl Item for C32 {
    const JUNK: Self = Complex::new(f32::JUNK, f32::JUNK);
    const SPECIAL: &'static [Self] = &[
        Complex::new(0.0, -0.0),
        Complex::new(-0.0, 0.0),
        Complex::new(f32::NAN, 1.0),
        Complex::new(-1.0, f32::NAN),
        Complex::new(f32::INFINITY, f32::NEG_INFINITY),
        Complex::new(f32::MAX, f32::MIN),
        Complex::new(0.0, f32::INFINITY),
        Complex::new(f32::MIN_POSITIVE, 1e-42),
        Complex::new(1.0, 0.0),
        Complex::new(-1.0, 0.0),
        Complex::new(0.0, -1.0),
    ];
    fn random(noise: &mut Noise) -> Self {
        Complex::new(f32::random(noise), f32::random(noise))
    }
    fn parts(self) -> [f64; 2] {
        [self.re as f64, self.im as f64]
    }
    fn same(self, other: Self) -> bool {
        self.re.same(other.re) && self.im.same(other.im)
    }
}

/// The input that a unary op does not have.
impl Item for () {
    const JUNK: Self = ();
    const SPECIAL: &'static [Self] = &[()];
    fn random(_: &mut Noise) -> Self {}
    fn parts(self) -> [f64; 2] {
        [0.0, 0.0]
    }
    fn same(self, (): Self) -> bool {
        true
    }
}

impl Item for f64 {
    const JUNK: Self = f64::from_bits(0x7ff8_0000_0000_dead);
    const SPECIAL: &'static [Self] = &[
        0.0,
        -0.0,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::MAX,
        f64::MIN_POSITIVE,
        f32::MAX as f64,
        -3.4028236e38,
        f32::MIN_POSITIVE as f64,
        1e-42,
        1e-50,
        1.0 + f64::EPSILON,
    ];
    fn random(noise: &mut Noise) -> Self {
        f64::from(noise.next()) + 1e-9 * f64::from(noise.next())
    }
    fn parts(self) -> [f64; 2] {
        [self, 0.0]
    }
    fn same(self, other: Self) -> bool {
        self.to_bits() == other.to_bits() || (self.is_nan() && other.is_nan())
    }
}

impl Item for C64 {
    const JUNK: Self = Complex::new(f64::JUNK, f64::JUNK);
    const SPECIAL: &'static [Self] = &[
        Complex::new(0.0, -0.0),
        Complex::new(f64::NAN, 1.0),
        Complex::new(f64::INFINITY, f64::NEG_INFINITY),
        Complex::new(f64::MAX, 1e-42),
        Complex::new(-1.0, 0.1),
    ];
    fn random(noise: &mut Noise) -> Self {
        Complex::new(f64::random(noise), f64::random(noise))
    }
    fn parts(self) -> [f64; 2] {
        [self.re, self.im]
    }
    fn same(self, other: Self) -> bool {
        self.re.same(other.re) && self.im.same(other.im)
    }
}

/// One bit in each byte, and more bits that do not count.
impl Item for [u8; 8] {
    const JUNK: Self = [0x5a; 8];
    const SPECIAL: &'static [Self] = &[[0; 8], [1; 8], [0xfe; 8], [0xff; 8], [1, 0, 0, 0, 0, 0, 0, 0]];
    fn random(noise: &mut Noise) -> Self {
        noise.word().to_le_bytes()
    }
    /// The first and the last four bytes.
    fn parts(self) -> [f64; 2] {
        let number = u64::from_le_bytes(self);
        [number as u32 as f64, (number >> 32) as f64]
    }
    fn same(self, other: Self) -> bool {
        self == other
    }
}

macro_rules! integer_item {
    ($($int:ty),*) => {$(
        impl Item for $int {
            const JUNK: Self = 0x5a;
            const SPECIAL: &'static [Self] = &[<$int>::MIN, <$int>::MAX, 0, 1, <$int>::MAX / 2];
            fn random(noise: &mut Noise) -> Self {
                // The low bits of a word are the less random ones.
                noise.word().rotate_left(32) as $int
            }
            fn parts(self) -> [f64; 2] {
                [self as f64, 0.0]
            }
            fn same(self, other: Self) -> bool {
                self == other
            }
        }
    )*};
}
integer_item!(u8, i8, u16, i16, u32, i32, u64);

macro_rules! complex_integer_item {
    ($($int:ty),*) => {$(
        impl Item for [$int; 2] {
            const JUNK: Self = [<$int>::JUNK; 2];
            const SPECIAL: &'static [Self] = &[[<$int>::MIN, <$int>::MAX], [0, 1]];
            fn random(noise: &mut Noise) -> Self {
                [<$int>::random(noise), <$int>::random(noise)]
            }
            fn parts(self) -> [f64; 2] {
                self.map(f64::from)
            }
            fn same(self, other: Self) -> bool {
                self == other
            }
        }
    )*};
}
complex_integer_item!(u8, i8, i16, u32);

/// A column of a recursion; random ones make items that do not grow.
impl Item for [f64; 8] {
    const JUNK: Self = [f64::JUNK; 8];
    const SPECIAL: &'static [Self] = &[[0.0; 8], [-0.0; 8], [f64::NAN; 8], [f64::INFINITY; 8]];
    fn random(noise: &mut Noise) -> Self {
        std::array::from_fn(|_| f64::random(noise) / 32.0)
    }
    fn parts(self) -> [f64; 2] {
        [self.iter().sum(), 0.0]
    }
    fn same(self, other: Self) -> bool {
        (0..8).all(|lane| self[lane].same(other[lane]))
    }
}

/// What a filter keeps of the past.
impl Item for [f32; 2] {
    const JUNK: Self = [f32::JUNK; 2];
    const SPECIAL: &'static [Self] = &[[0.0, -0.0], [f32::NAN, 1.0], [1e-42, -1.0]];
    fn random(noise: &mut Noise) -> Self {
        [f32::random(noise), f32::random(noise)]
    }
    fn parts(self) -> [f64; 2] {
        self.map(f64::from)
    }
    fn same(self, other: Self) -> bool {
        self[0].same(other[0]) && self[1].same(other[1])
    }
}

/// Xorshift: the same noise in every run.
pub(crate) struct Noise(u64);

impl Noise {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn word(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn bits(&mut self) -> u32 {
        (self.word() >> 32) as u32
    }

    /// Uniform in -1..1.
    fn next(&mut self) -> f32 {
        (self.bits() >> 8) as f32 / (1 << 23) as f32 - 1.0
    }

    /// `len` items of noise.
    pub(crate) fn signal<T: Item>(&mut self, len: usize) -> Vec<T> {
        (0..len).map(|_| T::random(self)).collect()
    }
}

/// All pairs of special values meet when two of these, of different strides, are combined.
fn specials<T: Item>(len: usize, stride: usize) -> Vec<T> {
    (0..len).map(|n| T::SPECIAL[n / stride % T::SPECIAL.len()]).collect()
}

/// A slice that starts `shift` items after a cache line, amid junk that must stay as it is.
pub(crate) struct Guarded<T> {
    store: Vec<T>,
    start: usize,
    len: usize,
}

impl<T: Item> Guarded<T> {
    /// `len` items of junk.
    pub(crate) fn junk(len: usize, shift: usize) -> Self {
        let line = 64 / size_of::<T>().max(1);
        let store = vec![T::JUNK; len + shift + line + 2 * GUARD];
        let to_line = if size_of::<T>() == 0 { 0 } else { store[GUARD..].as_ptr().align_offset(64) };
        Self { start: GUARD + to_line + shift, store, len }
    }

    /// A copy of `items`.
    pub(crate) fn copy(items: &[T], shift: usize) -> Self {
        let mut copy = Self::junk(items.len(), shift);
        copy.items_mut().copy_from_slice(items);
        copy
    }

    pub(crate) fn items(&self) -> &[T] {
        &self.store[self.start..][..self.len]
    }

    pub(crate) fn items_mut(&mut self) -> &mut [T] {
        &mut self.store[self.start..][..self.len]
    }

    /// Panics if anything was written outside of the slice.
    pub(crate) fn check_guards(&self, what: &str) {
        let before = &self.store[..self.start];
        let after = &self.store[self.start + self.len..];
        assert!(
            before.iter().chain(after).all(|item| item.same(T::JUNK)),
            "{what}: wrote outside of the output"
        );
    }
}

/// What an f64 reference says of one item.
pub(crate) struct Want {
    parts: [f64; 2],
    tolerance: f64,
}

impl Want {
    /// Exactly this value.
    pub(crate) fn exact(value: f64) -> Self {
        Self::within(value, 0.0)
    }

    /// This value, give or take.
    pub(crate) fn within(value: f64, tolerance: f64) -> Self {
        Self { parts: [value, 0.0], tolerance }
    }

    /// This complex value, give or take in each part.
    pub(crate) fn complex_within(value: Complex<f64>, tolerance: f64) -> Self {
        Self { parts: [value.re, value.im], tolerance }
    }

    /// The sum of terms that are each rounded once, as are their sums.
    pub(crate) fn sum<const N: usize>(terms: [f64; N]) -> Self {
        let scale: f64 = terms.iter().map(|term| term.abs()).sum();
        Self::within(terms.iter().sum(), scale * f32::EPSILON as f64)
    }

    /// This value, give or take some units in the last place of the f32 nearest to it.
    pub(crate) fn ulps(value: f64, ulps: f64) -> Self {
        let nearest = (value as f32).abs();
        if !nearest.is_finite() {
            return Self::exact(f64::from(value as f32));
        }
        let next = if nearest < f32::MAX { nearest.next_up() } else { nearest.next_down() };
        Self::within(value, ulps * f64::from((next - nearest).abs()))
    }

    /// So much more than the tolerance.
    pub(crate) fn give_or_take(self, more: f64) -> Self {
        Self { tolerance: self.tolerance + more, ..self }
    }

    pub(crate) fn check(&self, got: impl Item, what: &str) {
        let parts = got.parts();
        for (got, want) in parts.into_iter().zip(self.parts) {
            let error = if got == want || got.is_nan() && want.is_nan() { 0.0 } else { (got - want).abs() };
            assert!(error <= self.tolerance, "{what}: got {got}, want {want} ± {}", self.tolerance);
        }
    }
}

/// Widens a sample for the reference.
pub(crate) fn wide(x: C32) -> Complex<f64> {
    Complex::new(x.re as f64, x.im as f64)
}

/// Tests `y[n] = f(a[n], b[n])`.
pub(crate) fn binary<F: Copy, A: Item, B: Item, Y: Item>(
    op: &Op<F>,
    call: impl Fn(F, &mut [Y], &[A], &[B]),
    want: impl Fn(A, B) -> Want,
) {
    let noise = |seed| Noise::new(seed);
    let ordinary = (noise(1).signal::<A>(LONGEST), noise(2).signal::<B>(LONGEST));
    let special = (specials::<A>(LONGEST, 1), specials::<B>(LONGEST, A::SPECIAL.len()));
    let scalar = op.variant("scalar").expect("every op has a scalar variant");

    for (a, b, referenced) in [(&ordinary.0, &ordinary.1, true), (&special.0, &special.1, false)] {
        let mut whole = vec![Y::JUNK; LONGEST];
        call(scalar, &mut whole, a, b);
        if referenced {
            for n in 0..LONGEST {
                want(a[n], b[n]).check(whole[n], &format!("{} of {:?} and {:?}", op.name(), a[n], b[n]));
            }
        }
        for (variant, run) in op.variants() {
            for (len, shift) in cases() {
                // Where the slice is cut from the signal changes with the case, and so do the inputs' shifts.
                let cut = (7 * shift).min(LONGEST - len);
                let a_cut = Guarded::copy(&a[cut..][..len], (5 * shift) % 18);
                let b_cut = Guarded::copy(&b[cut..][..len], (7 * shift) % 18);
                let mut y = Guarded::junk(len, shift);
                call(run, y.items_mut(), a_cut.items(), b_cut.items());

                let case = format!("{} {variant}, {len} items, shift {shift}", op.name());
                y.check_guards(&case);
                for (n, (got, want)) in y.items().iter().zip(&whole[cut..]).enumerate() {
                    assert!(got.same(*want), "{case}: item {n} is {got:?}, the scalar one is {want:?}");
                }
            }
        }
    }
}

/// Tests `a[n] = f(a[n], b[n])`.
pub(crate) fn binary_in_place<F: Copy, A: Item, B: Item>(
    op: &Op<F>,
    call: impl Fn(F, &mut [A], &[B]),
    want: impl Fn(A, B) -> Want,
) {
    let call = |run, y: &mut [A], a: &[A], b: &[B]| {
        y.copy_from_slice(a);
        call(run, y, b);
    };
    binary(op, call, want);
}

/// Tests `y[n] = f(x[n])`.
pub(crate) fn unary<F: Copy, X: Item, Y: Item>(
    op: &Op<F>,
    call: impl Fn(F, &mut [Y], &[X]),
    want: impl Fn(X) -> Want,
) {
    binary(op, |run, y, x, _: &[()]| call(run, y, x), |x, ()| want(x));
}

/// Tests `x[n] = f(x[n])`.
pub(crate) fn unary_in_place<F: Copy, X: Item>(
    op: &Op<F>,
    call: impl Fn(F, &mut [X]),
    want: impl Fn(X) -> Want,
) {
    binary_in_place(op, |run, x, _: &[()]| call(run, x), |x, ()| want(x));
}

/// Tests `(y[n], z[n]) = f(x[n])`: each output in turn, and the guards of the other.
pub(crate) fn split<F: Copy, X: Item, Y: Item>(
    op: &Op<F>,
    call: impl Fn(F, &mut [Y], &mut [Y], &[X]),
    want: impl Fn(X) -> [Want; 2],
) {
    fn with_other<Y: Item>(name: &str, len: usize, call: impl FnOnce(&mut [Y])) {
        let mut other = Guarded::junk(len, len % 18);
        call(other.items_mut());
        other.check_guards(name);
    }
    let first = |run, y: &mut [Y], x: &[X]| with_other(op.name(), y.len(), |z| call(run, y, z, x));
    unary(op, first, |x| {
        let [first, _] = want(x);
        first
    });
    let second = |run, z: &mut [Y], x: &[X]| with_other(op.name(), z.len(), |y| call(run, y, z, x));
    unary(op, second, |x| {
        let [_, second] = want(x);
        second
    });
}

/// Tests `y[n] = f(x[n])` for items that noise and special values do not reach: each variant must give the bits that
/// `scalar` gives, and these what the reference says.
pub(crate) fn sweep<F: Copy, X: Item, Y: Item>(
    op: &Op<F>,
    x: &[X],
    call: impl Fn(F, &mut [Y], &[X]),
    want: impl Fn(X) -> Want,
) {
    let scalar = op.variant("scalar").expect("every op has a scalar variant");
    let mut whole = vec![Y::JUNK; x.len()];
    call(scalar, &mut whole, x);
    for (&x, &y) in x.iter().zip(&whole) {
        want(x).check(y, &format!("{} of {x:?}", op.name()));
    }
    for (variant, run) in op.variants() {
        let mut y = vec![Y::JUNK; x.len()];
        call(run, &mut y, x);
        for ((x, y), want) in x.iter().zip(y).zip(&whole) {
            assert!(y.same(*want), "{} {variant} of {x:?} is {y:?}, the scalar one is {want:?}", op.name());
        }
    }
}

/// Numbers of every sign and exponent, subnormal ones, infinities and NaNs: every so many bit patterns.
pub(crate) fn all_magnitudes() -> impl Iterator<Item = f32> {
    (0..=u32::MAX).step_by(49_999).map(f32::from_bits)
}

/// The numbers next to each of `points`, on both sides, and of both signs.
pub(crate) fn around(points: impl IntoIterator<Item = f64>) -> impl Iterator<Item = f32> {
    let near = |point: f64| {
        let bits = (point as f32).abs().to_bits();
        bits.saturating_sub(40)..=bits + 40
    };
    points.into_iter().flat_map(near).flat_map(|bits| [f32::from_bits(bits), -f32::from_bits(bits)])
}

/// Tests `f(x)` of a whole slice, where all variants are to give the same bits.
pub(crate) fn reduction<F: Copy, X: Item, Y: Item>(
    op: &Op<F>,
    call: impl Fn(F, &[X]) -> Y,
    want: impl Fn(&[X]) -> Want,
) {
    let scalar = op.variant("scalar").expect("every op has a scalar variant");
    let (ordinary, special) = (Noise::new(1).signal::<X>(LONGEST), specials::<X>(LONGEST, 1));
    for (signal, referenced) in [(&ordinary, true), (&special, false)] {
        for (len, shift) in cases() {
            let x = Guarded::copy(&signal[(7 * shift).min(LONGEST - len)..][..len], shift);
            let exact = call(scalar, x.items());
            if referenced && len > 0 {
                want(x.items()).check(exact, &format!("{}, {len} items", op.name()));
            }
            for (variant, run) in op.variants() {
                let got = call(run, x.items());
                assert!(
                    got.same(exact),
                    "{} {variant}, {len} items, shift {shift}: {got:?}, the scalar one gives {exact:?}",
                    op.name()
                );
            }
        }
    }
}

/// `Σ f(x[n])`, give or take what sums in chunks and lanes may be wrong by.
pub(crate) fn total<X: Item>(x: &[X], f: impl Fn(X) -> Complex<f64>) -> Want {
    let sum: Complex<f64> = x.iter().map(|&x| f(x)).sum();
    let scale: f64 = x.iter().map(|&x| f(x).norm()).sum();
    Want::complex_within(sum, scale * 32.0 / (1 << 24) as f64)
}
