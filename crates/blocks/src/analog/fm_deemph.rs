//! De-emphasis of FM.

use superhet_runtime::declare;

use crate::error::{Error, check, check_positive};
use crate::filters::IirFilter;

/// The filter that undoes the pre-emphasis of FM: a pole at `1 / tau` radians per second, by the bilinear transform with its
/// corner in the right place. Items that are not finite do not stay: see [`IirFilter`].
///
/// With `w = tan(1 / (2 · tau · rate))` it is `H(z) = w / (1 + w) · (1 + z⁻¹) / (1 − (1 − w) / (1 + w) · z⁻¹)`.
///
/// **Source**: L. B. Jackson, Digital Filters and Signal Processing, section 8 (2nd edition); the coefficients are those of
/// GNU Radio's `fm_deemph`.
///
/// ```
/// use superhet_blocks::analog::fm_deemph::fm_deemph;
/// use superhet_runtime::harness;
///
/// let y: Vec<f32> = harness::run(fm_deemph(48e3, 75e-6)?, &[1.0f32; 200]);
/// assert!((y[199] - 1.0).abs() < 1e-6); // a constant passes
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
///
/// # Errors
/// [`Error::OutOfRange`] unless both numbers are positive, and `tau` is not too short for the rate.
#[declare(
    category = "analog",
    summary = "De-emphasis of FM: undoes what the transmitter has done to the treble.",
    ports(
        input("in", "f32", "sound"),
        output("out", "f32", "the sound with less treble"),
        set_port("new values of feed_forward and feed_back")
    )
)]
pub fn fm_deemph(
    /// The sample rate, > 0.
    #[param(unit = "samples/s", range = 0.0..)]
    rate_hz: f64,
    /// The time constant: 75e-6 in America, 50e-6 in Europe.
    #[param(unit = "s", range = 0.0.., default = 75e-6)]
    tau_s: f64,
) -> Result<IirFilter<f32, f64>, Error> {
    let w = corner(rate_hz, tau_s)?;
    let b = w / (1.0 + w);
    IirFilter::new(&[b, b], &[1.0, (1.0 - w) / (1.0 + w)])
}

/// `tan(1 / (2 tau rate))`.
pub(super) fn corner(rate_hz: f64, tau_s: f64) -> Result<f64, Error> {
    check_positive("rate_hz", rate_hz)?;
    check_positive("tau_s", tau_s)?;
    let angle = 1.0 / (2.0 * tau_s * rate_hz);
    check(
        angle < std::f64::consts::FRAC_PI_2 && angle > 1e-12,
        "tau_s",
        "more than 1 / (π · rate_hz)",
        tau_s,
    )?;
    Ok(angle.tan())
}

#[cfg(test)]
mod tests {
    use super::*;
    use superhet_runtime::harness;

    #[test]
    fn the_impulse_response_is_that_of_gnu_radio() {
        let mut x = [0.0f32; 8];
        x[0] = 1.0;
        let y: Vec<f32> = harness::run(fm_deemph(48e3, 75e-6).unwrap(), &x);
        let wanted = [0.122645, 0.215206, 0.162418, 0.122579, 0.092511, 0.069819, 0.052693, 0.039768];
        assert!(y.iter().zip(wanted).all(|(y, wanted)| (y - wanted).abs() < 1e-6), "{y:?}");
        assert!(fm_deemph(48e3, 1e-6).is_err() && fm_deemph(0.0, 75e-6).is_err());
    }

    #[test]
    fn one_item_that_is_no_number_does_not_stay() {
        let mut x = [1.0f32; 300];
        x[50] = f32::NAN;
        let y: Vec<f32> = harness::run(fm_deemph(48e3, 75e-6).unwrap(), &x);
        assert_eq!(y.iter().filter(|y| y.is_nan()).count(), 1);
        assert!((y[299] - 1.0).abs() < 1e-6, "{}", y[299]);
    }
}
