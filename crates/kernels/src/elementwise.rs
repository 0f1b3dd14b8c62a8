//! Loops over items, and the macros that compile a scalar loop once more for an instruction set.
//!
//! Where LLVM vectorises the scalar loop as well as we could by hand, a variant is nothing but that loop, compiled
//! with more CPU features. The loops are `inline(always)` because only inlined code takes over the caller's
//! features. Rust never contracts `a * b + c`, so such variants equal the scalar one bit for bit.

/// `y[n] = f(x[n])`.
#[inline(always)]
pub(crate) fn map<X: Copy, Y>(y: &mut [Y], x: &[X], f: impl Fn(X) -> Y) {
    for (y, &x) in y.iter_mut().zip(x) {
        *y = f(x);
    }
}

/// `x[n] = f(x[n])`.
#[inline(always)]
pub(crate) fn map_in_place<X: Copy>(x: &mut [X], f: impl Fn(X) -> X) {
    for x in x {
        *x = f(*x);
    }
}

/// `y[n] = f(a[n], b[n])`.
#[inline(always)]
pub(crate) fn zip<A: Copy, B: Copy, Y>(y: &mut [Y], a: &[A], b: &[B], f: impl Fn(A, B) -> Y) {
    for ((y, &a), &b) in y.iter_mut().zip(a).zip(b) {
        *y = f(a, b);
    }
}

/// `a[n] = f(a[n], b[n])`.
#[inline(always)]
pub(crate) fn zip_in_place<A: Copy, B: Copy>(a: &mut [A], b: &[B], f: impl Fn(A, B) -> A) {
    for (a, &b) in a.iter_mut().zip(b) {
        *a = f(*a, b);
    }
}

/// `(a[n], b[n]) = f(x[n])`.
#[inline(always)]
pub(crate) fn unzip<X: Copy, A, B>(a: &mut [A], b: &mut [B], x: &[X], f: impl Fn(X) -> (A, B)) {
    for ((a, b), &x) in a.iter_mut().zip(b).zip(x) {
        (*a, *b) = f(x);
    }
}

/// `y[n] = f(a[n], b[n], c[n])`.
#[inline(always)]
pub(crate) fn zip3<A: Copy, B: Copy, C: Copy, Y>(
    y: &mut [Y],
    a: &[A],
    b: &[B],
    c: &[C],
    f: impl Fn(A, B, C) -> Y,
) {
    for (((y, &a), &b), &c) in y.iter_mut().zip(a).zip(b).zip(c) {
        *y = f(a, b, c);
    }
}

/// How many of the first items [`map_on_lines`] and its kin write twice, at least a cache line of any type.
const FIRST: usize = 64;

/// Items before the first from which on the vectors of rounds of `round` items lie within cache lines; `None` where there are
/// none, too few for it to pay, or no such item.
///
/// Storing across two lines takes twice as long as within one: 24 instead of 14 Gitems/s for `i8_to_f32`, 14 instead of 8.3
/// for `conjugate` (1024 items that start one behind a line, Zen 4). Who begins there writes a first round before, and some of
/// its items twice: the same values, for less than what single items would cost.
#[inline(always)]
pub(crate) fn before_line<Y>(y: &[Y], round: usize) -> Option<usize> {
    const FEWEST_ROUNDS: usize = 8;
    const LINE_BYTES: usize = 64;
    let bytes = (round * size_of::<Y>()).min(LINE_BYTES);
    if y.len() < FEWEST_ROUNDS * round || !bytes.is_power_of_two() {
        return None;
    }
    let items = y.as_ptr().align_offset(bytes);
    (1..round).contains(&items).then_some(items)
}

/// As [`map`], for so little arithmetic that stores are the limit: they keep to cache lines.
#[inline(always)]
pub(crate) fn map_on_lines<X: Copy, Y>(mut y: &mut [Y], mut x: &[X], f: impl Fn(X) -> Y) {
    if let Some(before) = before_line(y, FIRST) {
        map(&mut y[..FIRST], &x[..FIRST], &f);
        (y, x) = (&mut y[before..], &x[before..]);
    }
    map(y, x, f);
}

/// As [`zip`], with stores that keep to cache lines.
#[inline(always)]
pub(crate) fn zip_on_lines<A: Copy, B: Copy, Y>(
    mut y: &mut [Y],
    mut a: &[A],
    mut b: &[B],
    f: impl Fn(A, B) -> Y,
) {
    if let Some(before) = before_line(y, FIRST) {
        zip(&mut y[..FIRST], &a[..FIRST], &b[..FIRST], &f);
        (y, a, b) = (&mut y[before..], &a[before..], &b[before..]);
    }
    zip(y, a, b, f);
}

/// As [`unzip`], with stores to `a` that keep to cache lines.
#[inline(always)]
pub(crate) fn unzip_on_lines<X: Copy, A, B>(
    mut a: &mut [A],
    mut b: &mut [B],
    mut x: &[X],
    f: impl Fn(X) -> (A, B),
) {
    if let Some(before) = before_line(a, FIRST) {
        unzip(&mut a[..FIRST], &mut b[..FIRST], &x[..FIRST], &f);
        (a, b, x) = (&mut a[before..], &mut b[before..], &x[before..]);
    }
    unzip(a, b, x, f);
}

/// As [`map_in_place`], with stores that keep to cache lines, but for those of the items before the first whole one.
#[inline(always)]
pub(crate) fn map_in_place_on_lines<X: Copy>(x: &mut [X], f: impl Fn(X) -> X) {
    let (before, x) = x.split_at_mut(before_line(x, FIRST).unwrap_or(0));
    map_in_place(before, &f);
    map_in_place(x, f);
}

/// As [`zip_in_place`], with stores that keep to cache lines, but for those of the items before the first whole one.
#[inline(always)]
pub(crate) fn zip_in_place_on_lines<A: Copy, B: Copy>(a: &mut [A], b: &[B], f: impl Fn(A, B) -> A) {
    let before = before_line(a, FIRST).unwrap_or(0);
    let ((a_before, a), (b_before, b)) = (a.split_at_mut(before), b.split_at(before));
    zip_in_place(a_before, b_before, &f);
    zip_in_place(a, b, f);
}

/// Compiles functions of `super::scalar` for AVX2 and FMA.
#[cfg(target_arch = "x86_64")]
macro_rules! compile_for_avx2 {
    ($(fn $name:ident($($arg:ident: $ty:ty),*) $(-> $ret:ty)?;)+) => {$(
        #[target_feature(enable = "avx2,fma")]
        pub(super) fn $name($($arg: $ty),*) $(-> $ret)? {
            super::scalar::$name($($arg),*)
        }
    )+};
}
#[cfg(target_arch = "x86_64")]
pub(crate) use compile_for_avx2;

/// Compiles functions of `super::scalar` for AVX-512.
#[cfg(target_arch = "x86_64")]
macro_rules! compile_for_avx512 {
    ($(fn $name:ident($($arg:ident: $ty:ty),*) $(-> $ret:ty)?;)+) => {$(
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
        pub(super) fn $name($($arg: $ty),*) $(-> $ret)? {
            super::scalar::$name($($arg),*)
        }
    )+};
}
#[cfg(target_arch = "x86_64")]
pub(crate) use compile_for_avx512;
