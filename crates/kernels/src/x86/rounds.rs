//! Loops over slices in rounds of whole vectors.

use std::hint::black_box;

use crate::elementwise::before_line;
use crate::{C32, floats, floats_mut};

/// `f(y, x)` for each `N` items; returns what fills no round, for the scalar code. Long slices begin with a round that
/// overlaps the next, so that all others are stored within cache lines: `f` writes all of `y` and reads nothing of it.
#[inline(always)]
pub(crate) fn map_rounds<'y, 'x, const N: usize, Y, X>(
    y: &'y mut [Y],
    x: &'x [X],
    f: impl Fn(&mut [Y; N], &[X; N]),
) -> (&'y mut [Y], &'x [X]) {
    let (y, x) = to_line(y, x, &f);
    let ((y, y_rest), (x, x_rest)) = (y.as_chunks_mut(), x.as_chunks());
    for (y, x) in y.iter_mut().zip(x) {
        f(y, x);
    }
    (y_rest, x_rest)
}

/// As [`map_rounds`], of which one follows the other and none stands twice in the loop: what waits for the level-2 cache
/// goes faster that way ([`BEYOND_LEVEL_1`](crate::dispatch::BEYOND_LEVEL_1)).
#[inline(always)]
pub(crate) fn map_one_by_one<'y, 'x, const N: usize, Y, X>(
    y: &'y mut [Y],
    x: &'x [X],
    f: impl Fn(&mut [Y; N], &[X; N]),
) -> (&'y mut [Y], &'x [X]) {
    let (y, x) = to_line(y, x, &f);
    let ((rounds, y_rest), (of, x_rest)) = (y.as_chunks_mut(), x.as_chunks());
    let count = rounds.len().min(of.len());
    let (rounds, of) = (&mut rounds[..count], &of[..count]);
    // A loop whose step is not known is not unrolled.
    let step = black_box(1);
    let mut at = 0;
    while at < count {
        f(&mut rounds[at], &of[at]);
        at += step;
    }
    (y_rest, x_rest)
}

/// `f(y, x)` for each `N` items and once more for the last `N`, which then overlap; `few` for less than `N`.
///
/// Where items are short, single ones would take longer than all vectors.
#[inline(always)]
pub(crate) fn map_overlapping<const N: usize, Y, X>(
    y: &mut [Y],
    x: &[X],
    f: impl Fn(&mut [Y; N], &[X; N]),
    few: impl FnOnce(&mut [Y], &[X]),
) {
    let (rest, _) = map_rounds(y, x, &f);
    if rest.is_empty() {
        return;
    }
    match (y.last_chunk_mut(), x.last_chunk()) {
        (Some(y), Some(x)) => f(y, x),
        _ => few(y, x),
    }
}

/// As [`map_rounds`], of two inputs.
#[inline(always)]
pub(crate) fn zip_rounds<'y, 'x, const N: usize, Y, A, B>(
    mut y: &'y mut [Y],
    mut a: &'x [A],
    mut b: &'x [B],
    f: impl Fn(&mut [Y; N], &[A; N], &[B; N]),
) -> (&'y mut [Y], &'x [A], &'x [B]) {
    if let Some(before) = before_line(y, N) {
        f(first_mut(y), first(a), first(b));
        (y, a, b) = (&mut y[before..], &a[before..], &b[before..]);
    }
    let ((y, y_rest), (a, a_rest), (b, b_rest)) = (y.as_chunks_mut(), a.as_chunks(), b.as_chunks());
    for ((y, a), b) in y.iter_mut().zip(a).zip(b) {
        f(y, a, b);
    }
    (y_rest, a_rest, b_rest)
}

/// As [`map_overlapping`], of two inputs.
#[inline(always)]
pub(crate) fn zip_overlapping<const N: usize, Y, A, B>(
    y: &mut [Y],
    a: &[A],
    b: &[B],
    f: impl Fn(&mut [Y; N], &[A; N], &[B; N]),
    few: impl FnOnce(&mut [Y], &[A], &[B]),
) {
    let (rest, ..) = zip_rounds(y, a, b, &f);
    if rest.is_empty() {
        return;
    }
    match (y.last_chunk_mut(), a.last_chunk(), b.last_chunk()) {
        (Some(y), Some(a), Some(b)) => f(y, a, b),
        _ => few(y, a, b),
    }
}

/// As [`map_rounds`], of two outputs; returns what is left of `x`.
#[inline(always)]
fn unzip_rounds<'x, const N: usize, Y, Z, X>(
    mut y: &mut [Y],
    mut z: &mut [Z],
    mut x: &'x [X],
    f: impl Fn(&mut [Y; N], &mut [Z; N], &[X; N]),
) -> &'x [X] {
    if let Some(before) = before_line(y, N) {
        f(first_mut(y), first_mut(z), first(x));
        (y, z, x) = (&mut y[before..], &mut z[before..], &x[before..]);
    }
    let (rounds, rest) = x.as_chunks();
    for ((y, z), x) in y.as_chunks_mut().0.iter_mut().zip(z.as_chunks_mut().0).zip(rounds) {
        f(y, z, x);
    }
    rest
}

/// As [`map_overlapping`], of two outputs.
#[inline(always)]
pub(crate) fn unzip_overlapping<const N: usize, Y, Z, X>(
    y: &mut [Y],
    z: &mut [Z],
    x: &[X],
    f: impl Fn(&mut [Y; N], &mut [Z; N], &[X; N]),
    few: impl FnOnce(&mut [Y], &mut [Z], &[X]),
) {
    let rest = unzip_rounds(y, z, x, &f);
    if rest.is_empty() {
        return;
    }
    match (y.last_chunk_mut(), z.last_chunk_mut(), x.last_chunk()) {
        (Some(y), Some(z), Some(x)) => f(y, z, x),
        _ => few(y, z, x),
    }
}

/// `f(y, a, b)` for each `N` floats of complex slices; returns what fills no vector, for the scalar code.
#[inline(always)]
pub(crate) fn zip_vectors<'y, 'x, const N: usize>(
    mut y: &'y mut [C32],
    mut a: &'x [C32],
    mut b: &'x [C32],
    f: impl Fn(&mut [f32; N], &[f32; N], &[f32; N]),
) -> (&'y mut [C32], &'x [C32], &'x [C32]) {
    if let Some(before) = before_line(y, N / 2) {
        f(first_mut(floats_mut(y)), first(floats(a)), first(floats(b)));
        (y, a, b) = (&mut y[before..], &a[before..], &b[before..]);
    }
    let whole = y.len() - y.len() % (N / 2);
    let ((y, y_rest), (a, a_rest), (b, b_rest)) =
        (y.split_at_mut(whole), a.split_at(whole), b.split_at(whole));
    let (a, b) = (floats(a).as_chunks().0, floats(b).as_chunks().0);
    for ((y, a), b) in floats_mut(y).as_chunks_mut().0.iter_mut().zip(a).zip(b) {
        f(y, a, b);
    }
    (y_rest, a_rest, b_rest)
}

/// As [`zip_vectors`], where `b` is real: `f(y, a, b)` for each `N` items, that is `2 N` floats of `y` and `a`.
#[inline(always)]
pub(crate) fn zip_with_real<'y, 'x, const N: usize>(
    y: &'y mut [C32],
    a: &'x [C32],
    b: &'x [f32],
    f: impl Fn(&mut [f32], &[f32], &[f32; N]),
) -> (&'y mut [C32], &'x [C32], &'x [f32]) {
    zip_rounds(y, a, b, |y: &mut [C32; N], a: &[C32; N], b| f(floats_mut(y), floats(a), b))
}

/// As [`zip_vectors`], with one input.
#[inline(always)]
pub(crate) fn map_vectors<'y, 'x, const N: usize>(
    mut y: &'y mut [C32],
    mut x: &'x [C32],
    f: impl Fn(&mut [f32; N], &[f32; N]),
) -> (&'y mut [C32], &'x [C32]) {
    if let Some(before) = before_line(y, N / 2) {
        f(first_mut(floats_mut(y)), first(floats(x)));
        (y, x) = (&mut y[before..], &x[before..]);
    }
    update_vectors_with(y, x, f)
}

/// As [`zip_vectors`], in place: `f(a, b)` must see each item of `a` once, so that no round overlaps another.
#[inline(always)]
pub(crate) fn update_vectors_with<'y, 'x, const N: usize>(
    a: &'y mut [C32],
    b: &'x [C32],
    f: impl Fn(&mut [f32; N], &[f32; N]),
) -> (&'y mut [C32], &'x [C32]) {
    let whole = a.len() - a.len() % (N / 2);
    let ((a, a_rest), (b, b_rest)) = (a.split_at_mut(whole), b.split_at(whole));
    for (a, b) in floats_mut(a).as_chunks_mut().0.iter_mut().zip(floats(b).as_chunks().0) {
        f(a, b);
    }
    (a_rest, b_rest)
}

/// As [`update_vectors_with`], of nothing else.
#[inline(always)]
pub(crate) fn update_vectors<const N: usize>(x: &mut [C32], f: impl Fn(&mut [f32; N])) -> &mut [C32] {
    let whole = x.len() - x.len() % (N / 2);
    let (x, rest) = x.split_at_mut(whole);
    for x in floats_mut(x).as_chunks_mut().0 {
        f(x);
    }
    rest
}

/// The first round of long slices whose outputs do not start on a cache line; returns what begins there.
#[inline(always)]
fn to_line<'y, 'x, const N: usize, Y, X>(
    y: &'y mut [Y],
    x: &'x [X],
    f: impl Fn(&mut [Y; N], &[X; N]),
) -> (&'y mut [Y], &'x [X]) {
    let Some(before) = before_line(y, N) else { return (y, x) };
    f(first_mut(y), first(x));
    (&mut y[before..], &x[before..])
}

/// The first `N` items of a slice that has them.
#[inline(always)]
fn first<T, const N: usize>(x: &[T]) -> &[T; N] {
    x.first_chunk().expect("a round fits in")
}

/// As [`first`], to write to.
#[inline(always)]
fn first_mut<T, const N: usize>(y: &mut [T]) -> &mut [T; N] {
    y.first_chunk_mut().expect("a round fits in")
}
