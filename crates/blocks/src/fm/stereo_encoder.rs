//! The multiplex of stereo.

use superhet_runtime::{SyncBlock, declare};

use super::PILOT_HZ;
use crate::error::{Error, check};

/// Makes the multiplex of broadcast FM of two channels and the signal of RDS:
///
/// ```text
/// y = s (L + R) / 2 + s (L − R) / 2 · sin 2θ + pilot · sin θ + rds · r · sin 3θ
/// s = 1 − pilot − rds, θ: phase of the pilot, 19 kHz
/// ```
///
/// So nothing within ±1 makes more than ±1, the full deviation. The channels come at the rate of the multiplex, with pre-emphasis, and
/// below 15 kHz: see [`fm_preemph`](crate::analog::fm_preemph::fm_preemph).
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in0` | `f32` | left, within ±1 |
/// | in `in1` | `f32` | right, within ±1 |
/// | in `in2` | `f32` | RDS, of an [`RdsModulator`](super::RdsModulator), within ±1; a source of zeros for none |
/// | out `out` | `f32` | the multiplex, full deviation = 1 |
///
/// # Source
/// ITU-R BS.450-3, section 2.2; IEC 62106, sections 4.1 to 4.4, for the phase and the level of the subcarrier.
///
/// ```
/// use superhet_blocks::fm::StereoEncoder;
/// use superhet_runtime::SyncBlock;
///
/// // Silence is a pilot alone.
/// let mut y = vec![0.0; 240];
/// StereoEncoder::new(240e3, 0.09, 0.03)?.process((&[0.0; 240], &[0.0; 240], &[0.0; 240]), &mut y);
/// let pilot = |n: usize| 0.09 * (std::f64::consts::TAU * (n * 19 % 240) as f64 / 240.0).sin() as f32;
/// assert!(y.iter().enumerate().all(|(n, y)| (y - pilot(n)).abs() < 1e-6));
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct StereoEncoder {
    pilot_level: f32,
    rds_level: f32,
    /// Turns of the pilot, and from sample to sample.
    phase: f64,
    turn: f64,
}

#[declare(
    category = "fm",
    summary = "Makes the multiplex of broadcast FM of two channels and the signal of RDS.",
    ports(
        input("in0", "f32", "the left channel, within ±1"),
        input("in1", "f32", "the right channel, within ±1"),
        input("in2", "f32", "the signal of RDS, within ±1"),
        output("out", "f32", "the multiplex, full deviation = 1")
    )
)]
impl StereoEncoder {
    /// A multiplex at a rate, with these levels of the pilot and of RDS.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the rate is 120 kHz to 1 GHz, and the levels 0 or more and less than 1 together.
    pub fn new(
        /// The sample rate, 120 kHz or more.
        #[param(unit = "samples/s", range = 120e3..=1e9)]
        rate_hz: f64,
        /// The pilot's level, by the full deviation: 0.08 to 0.1; 0 for mono.
        #[param(range = 0.0..=0.5, default = 0.09)]
        pilot_level: f32,
        /// The level of RDS, by the full deviation: 0.013 to 0.1.
        #[param(range = 0.0..=0.5, default = 0.03)]
        rds_level: f32,
    ) -> Result<Self, Error> {
        check((120e3..=1e9).contains(&rate_hz), "rate_hz", "120e3 to 1e9", rate_hz)?;
        check((0.0..=0.5).contains(&pilot_level), "pilot_level", "0 to 0.5", pilot_level)?;
        let fits = (0.0..=0.5).contains(&rds_level) && pilot_level + rds_level < 1.0;
        check(fits, "rds_level", "0 to 0.5, with pilot_level less than 1", rds_level)?;
        Ok(StereoEncoder { pilot_level, rds_level, phase: 0.0, turn: PILOT_HZ / rate_hz })
    }
}

impl SyncBlock for StereoEncoder {
    type In = (f32, f32, f32);
    type Out = f32;

    fn process(&mut self, (left, right, rds): (&[f32], &[f32], &[f32]), y: &mut [f32]) {
        let sound = 1.0 - self.pilot_level - self.rds_level;
        // Without a pilot a receiver could not tell the difference.
        let stereo = if self.pilot_level > 0.0 { 1.0 } else { 0.0 };
        for (((y, left), right), rds) in y.iter_mut().zip(left).zip(right).zip(rds) {
            let (sin, cos) = ((self.phase * std::f64::consts::TAU) as f32).sin_cos();
            self.phase += self.turn;
            self.phase -= self.phase.floor();
            let (twice, thrice) = (2.0 * sin * cos, sin * (3.0 - 4.0 * sin * sin));
            *y = sound * 0.5 * ((left + right) + stereo * (left - right) * twice)
                + self.pilot_level * sin
                + self.rds_level * rds * thrice;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{noise, run_many};
    use superhet_runtime::Options;

    #[test]
    fn nothing_is_beyond_full_deviation_and_cuts_change_nothing() {
        let inputs = [noise(3000), noise(3100)[100..].to_vec(), noise(3200)[200..].to_vec()];
        let make = || StereoEncoder::new(240e3, 0.09, 0.03).unwrap();
        let wanted = run_many::<f32, f32, _, _>(make(), &inputs, &["out"], &Options::default());
        assert!(wanted[0].iter().all(|y| y.abs() <= 1.0 + 1e-6));
        crate::testing::assert_gives_of_many(make, &inputs, &wanted[0]);
        assert!(StereoEncoder::new(100e3, 0.09, 0.03).is_err());
        assert!(StereoEncoder::new(240e3, 0.5, 0.5).is_err());
    }
}
