//! The frequency of a carrier.

super::pll::pll_block! {
    /// Follows a carrier and gives its frequency: `y[n] = f[n]`, before item `n` is followed.
    ///
    /// | port | item | unit |
    /// |---|---|---|
    /// | in `in` | `C32` | any |
    /// | out `out` | `f32` | radians per sample |
    /// | in `set` | messages | new values of the loop's settings |
    ///
    /// The loop is [`Pll`]; its bandwidth should be some π / 200 to 2π / 100.
    ///
    /// ```
    /// use superhet_blocks::analog::PllFreqdet;
    /// use superhet_runtime::{C32, harness};
    ///
    /// let carrier: Vec<C32> = (0..2000).map(|n| C32::from_polar(1.0, 0.1 * n as f32)).collect();
    /// let y: Vec<f32> = harness::run(PllFreqdet::new(0.1, 0.5, -0.5)?, &carrier);
    /// assert!((y[1999] - 0.1).abs() < 1e-3);
    /// # Ok::<(), superhet_blocks::Error>(())
    /// ```
    PllFreqdet, "pll_freqdet", "Follows a carrier and gives its frequency in radians per sample.", f32, "f32", "radians per sample",
    |y, _x, _phases, frequencies| y.copy_from_slice(frequencies)
}

#[cfg(test)]
#[test]
fn values_are_those_of_gnu_radio() {
    let x: Vec<C32> = (0..6).map(|n| C32::from_polar(1.0, 0.1 * n as f32)).collect();
    let y: Vec<f32> = superhet_runtime::harness::run(PllFreqdet::new(0.1, 0.5, -0.5).unwrap(), &x);
    let wanted = [0.0, 0.0, 0.003474, 0.009448, 0.0171, 0.025752];
    assert!(y.iter().zip(wanted).all(|(y, wanted)| (y - wanted).abs() < 1e-5), "{y:?}");
}
