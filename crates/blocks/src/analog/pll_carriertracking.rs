//! Brings a carrier to 0 Hz.

super::pll::pll_block! {
    /// Follows a carrier and takes its phase away: `y[n] = x[n] · exp(−j φ[n])`.
    ///
    /// | port | item | unit |
    /// |---|---|---|
    /// | in `in` | `C32` | any |
    /// | out `out` | `C32` | that of `in` |
    /// | in `set` | messages | new values of the loop's settings |
    ///
    /// The loop is [`Pll`]; its bandwidth should be some π / 200 to 2π / 100.
    ///
    /// ```
    /// use superhet_blocks::analog::PllCarriertracking;
    /// use superhet_runtime::{C32, harness};
    ///
    /// let carrier: Vec<C32> = (0..2000).map(|n| C32::from_polar(1.0, 0.1 * n as f32)).collect();
    /// let y: Vec<C32> = harness::run(PllCarriertracking::new(0.1, 0.5, -0.5)?, &carrier);
    /// assert!((y[1999] - C32::ONE).norm() < 1e-3);
    /// # Ok::<(), superhet_blocks::Error>(())
    /// ```
    PllCarriertracking, "pll_carriertracking", "Follows a carrier and brings it to 0 Hz.", C32, "C32", "the carrier at 0 Hz",
    |y, x, phases, _frequencies| {
        crate::turns::expj(y, phases);
        y.iter_mut().for_each(|turn| *turn = turn.conj());
        superhet_kernels::multiply_c32_in_place(y, x);
    }
}

#[cfg(test)]
#[test]
fn values_are_those_of_gnu_radio() {
    let x: Vec<C32> = (0..6).map(|n| C32::from_polar(1.0, 0.1 * n as f32)).collect();
    let y: Vec<C32> = superhet_runtime::harness::run(PllCarriertracking::new(0.1, 0.5, -0.5).unwrap(), &x);
    let wanted =
        [(1.0, 0.0), (0.995004, 0.099833), (0.985251, 0.171115), (0.975838, 0.218495), (0.969144, 0.246496)];
    assert!(y.iter().zip(wanted).all(|(y, (re, im))| (y - C32::new(re, im)).norm() < 1e-5), "{y:?}");
}
