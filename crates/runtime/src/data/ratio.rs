//! How many items come out for how many that go in.

/// The fixed ratio of a pure or sync block: `interpolation` items out for `decimation` items in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    /// Items out, ≥ 1.
    pub interpolation: usize,
    /// Items in, ≥ 1.
    pub decimation: usize,
}

impl Ratio {
    /// One item out for one item in.
    pub const ONE: Ratio = Ratio { interpolation: 1, decimation: 1 };

    /// One item out for `n` items in.
    pub const fn decimate(n: usize) -> Self {
        Ratio { interpolation: 1, decimation: n }
    }

    /// `n` items out for one item in.
    pub const fn interpolate(n: usize) -> Self {
        Ratio { interpolation: n, decimation: 1 }
    }
}

impl Ratio {
    /// How many items come out for `rest` items, fewer than a turn takes, where a stream ends with them.
    pub(crate) fn given_of_rest(self, rest: usize) -> usize {
        (rest as u128 * self.interpolation as u128 / self.decimation as u128) as usize
    }
}

/// The greatest common divisor.
pub(crate) fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}
