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
