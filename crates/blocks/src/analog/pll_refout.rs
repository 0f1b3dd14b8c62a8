//! A clean copy of a carrier.

super::pll::pll_block! {
    /// Follows a carrier and gives one of its phase and frequency: `y[n] = exp(j φ[n])`.
    ///
    /// | port | item | unit |
    /// |---|---|---|
    /// | in `in` | `C32` | any |
    /// | out `out` | `C32` | magnitude 1 |
    /// | in `set` | messages | new values of the loop's settings |
    ///
    /// The loop is [`Pll`]; its bandwidth should be some π / 200 to 2π / 100.
    ///
    /// ```
    /// use superhet_blocks::analog::PllRefout;
    /// use superhet_runtime::{C32, harness};
    ///
    /// let carrier: Vec<C32> = (0..2000).map(|n| C32::from_polar(1.0, 0.1 * n as f32)).collect();
    /// let y: Vec<C32> = harness::run(PllRefout::new(0.1, 0.5, -0.5)?, &carrier);
    /// assert!((y[1999] - carrier[1999]).norm() < 1e-3);
    /// # Ok::<(), superhet_blocks::Error>(())
    /// ```
    PllRefout, "pll_refout", "Follows a carrier and gives a clean copy.", C32, "C32", "magnitude 1",
    |y, _x, phases, _frequencies| crate::turns::expj(y, phases)
}

#[cfg(test)]
#[test]
fn values_are_those_of_gnu_radio() {
    let x: Vec<C32> = (0..6).map(|n| C32::from_polar(1.0, 0.1 * n as f32)).collect();
    let y: Vec<C32> = superhet_runtime::harness::run(PllRefout::new(0.1, 0.5, -0.5).unwrap(), &x);
    let wanted = [(1.0, 0.0), (1.0, 0.0), (0.999607, 0.028035), (0.996823, 0.079643), (0.988631, 0.150364)];
    assert!(y.iter().zip(wanted).all(|(y, (re, im))| (y - C32::new(re, im)).norm() < 1e-5), "{y:?}");
}
