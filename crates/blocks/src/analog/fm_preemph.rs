//! Pre-emphasis of FM.

use std::f64::consts::PI;

use superhet_runtime::declare;

use super::fm_deemph::corner;
use crate::error::Error;
use crate::filters::IirFilter;

/// The filter that FM transmitters raise the treble with: from `1 / tau` radians per second on by 20 dB a decade, up to
/// `high_hz`; with a gain of 1 at 0 Hz.
///
/// A zero and a pole by the bilinear transform with both corners in the right place. A `high_hz` that is not between 0 and
/// half of the rate is `0.925 · rate_hz / 2`.
///
/// **Source**: L. W. Couch, Digital and Analog Communication Systems, figure 5-15; the coefficients are those of GNU Radio's
/// `fm_preemph`.
///
/// ```
/// use superhet_blocks::analog::{fm_deemph::fm_deemph, fm_preemph::fm_preemph};
/// use superhet_runtime::harness;
///
/// let y: Vec<f32> = harness::run(fm_preemph(48e3, 75e-6, -1.0)?, &[1.0f32; 200]);
/// assert!((y[199] - 1.0).abs() < 1e-5);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
///
/// # Errors
/// [`Error::OutOfRange`] unless rate and `tau` are positive, and `tau` is not too short for the rate.
#[declare(
    category = "analog",
    summary = "Pre-emphasis of FM: raises the treble before it is sent.",
    ports(
        input("in", "f32", "sound"),
        output("out", "f32", "the sound with more treble"),
        set_port("new values of feed_forward and feed_back")
    )
)]
pub fn fm_preemph(
    /// The sample rate, > 0.
    #[param(unit = "samples/s", range = 0.0..)]
    rate_hz: f64,
    /// The time constant: 75e-6 in America, 50e-6 in Europe.
    #[param(unit = "s", range = 0.0.., default = 75e-6)]
    tau_s: f64,
    /// Where it stops to rise; negative: 0.925 of half the rate.
    #[param(unit = "Hz", default = -1.0)]
    high_hz: f64,
) -> Result<IirFilter<f32, f64>, Error> {
    let low = corner(rate_hz, tau_s)?;
    let in_range = high_hz > 0.0 && high_hz < rate_hz / 2.0;
    let high = (PI * if in_range { high_hz / rate_hz } else { 0.925 / 2.0 }).tan();
    let (zero, pole) = ((1.0 - low) / (1.0 + low), (1.0 - high) / (1.0 + high));
    let gain = (1.0 - pole) / (1.0 - zero);
    IirFilter::new(&[gain, -gain * zero], &[1.0, pole])
}

#[cfg(test)]
mod tests {
    use super::*;
    use superhet_runtime::harness;

    #[test]
    fn impulse_responses_are_those_of_gnu_radio() {
        let mut x = [0.0f32; 5];
        x[0] = 1.0;
        for (high_hz, wanted) in [
            (-1.0, [7.29073, -11.249941, 8.868738, -6.991549, 5.511693]),
            (10e3, [3.540098, -2.205688, -0.290384, -0.03823, -0.005033]),
        ] {
            let y: Vec<f32> = harness::run(fm_preemph(48e3, 75e-6, high_hz).unwrap(), &x);
            assert!(y.iter().zip(wanted).all(|(y, wanted)| (y - wanted).abs() < 1e-4), "{y:?}");
        }
    }
}
