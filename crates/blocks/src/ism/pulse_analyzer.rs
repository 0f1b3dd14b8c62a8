//! Shows the pulses of bursts, and guesses how bits are written.

use superhet_runtime::{
    Block, BlockError, Context, MsgIn, MsgOut, Packet, Step, Value, Work, declare, message::MessageType,
};

use super::Analysis;
use crate::error::{Error, check_positive};

/// Sends an [`Analysis`] of each burst that a [`PulseDetector`](crate::demod::PulseDetector) or
/// [`FskPulseDetector`](crate::demod::FskPulseDetector) finds.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `ook`, `fsk` | packets of `i32` | samples: pulse, gap, pulse, … |
/// | out `out` | maps | |
///
/// | entry | is |
/// |---|---|
/// | `sample_index`, `duration_samples`, `snr_db`, `frequency_hz` | of the burst |
/// | `protocol` | `pulses`, or `frequencies` of FSK |
/// | `fields` | groups of widths (`pulses`, `gaps`), the guess: `coding`, `short_us`, `long_us`, `bits` |
#[derive(Debug, Block)]
pub struct PulseAnalyzer {
    #[port]
    ook: MsgIn,
    #[port]
    fsk: MsgIn,
    #[port("out")]
    output: MsgOut,
    us_per_sample: f64,
}

/// A burst with fewer widths says nothing.
const LEAST_WIDTHS: usize = 3;

#[declare(
    category = "ism",
    summary = "Shows which widths the pulses and gaps of bursts have, and guesses the coding.",
    ports(
        input("ook", "messages", "packets of i32: samples of a pulse, a gap, …"),
        input("fsk", "messages", "packets of i32: samples of the higher frequency, the lower, …"),
        output("out", "messages", "maps")
    )
)]
impl PulseAnalyzer {
    /// Looks at widths at this rate.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the rate is more than 0.
    pub fn new(
        /// The sample rate of the widths, > 0.
        #[param(unit = "samples/s", range = 0.0..)]
        rate_hz: f64,
    ) -> Result<Self, Error> {
        check_positive("rate_hz", rate_hz)?;
        Ok(PulseAnalyzer {
            ook: MsgIn::new().takes(MessageType::packets_of::<i32>()),
            fsk: MsgIn::new().takes(MessageType::packets_of::<i32>()),
            output: MsgOut::new().sends(MessageType::Map),
            us_per_sample: 1e6 / rate_hz,
        })
    }

    /// What is to be said of a burst.
    fn message(&self, burst: &Packet<i32>, protocol: &str) -> Option<Value> {
        if burst.len() < LEAST_WIDTHS {
            return None;
        }
        let widths: Vec<f64> =
            burst.items().iter().map(|width| f64::from(*width) * self.us_per_sample).collect();
        let samples: i64 = burst.items().iter().map(|width| i64::from(*width)).sum();
        let mut entries = vec![
            ("protocol", Value::from(protocol)),
            ("duration_samples", samples.into()),
            ("fields", Analysis::of(&widths).fields()),
        ];
        for key in ["offset", "snr_db", "frequency_hz"] {
            entries.extend(burst.get(key).map(|value| (key, value.clone())));
        }
        Some(Value::map(entries))
    }
}

impl Work for PulseAnalyzer {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let mut has_taken = false;
        for protocol in ["pulses", "frequencies"] {
            let port = if protocol == "pulses" { &mut self.ook } else { &mut self.fsk };
            if let Some(message) = port.recv() {
                has_taken = true;
                if let Some(message) = self.message(&Packet::try_from(message)?, protocol) {
                    self.output.send(message)?;
                }
            }
        }
        Ok(if has_taken { Step::Ran } else { Step::NeedInput })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_shown_and_a_single_pulse_is_not() {
        let analyzer = PulseAnalyzer::new(1e6).unwrap();
        let mut burst = Packet::from_items(&[500, 1000, 500, 2000, 500, 1000, 500, 2000, 500]);
        burst.set("offset", 77);
        let message = analyzer.message(&burst, "pulses").unwrap();
        assert_eq!(message.get("offset"), Some(&Value::from(77)));
        let fields = message.get("fields").unwrap();
        assert_eq!(fields.get("coding"), Some(&Value::from("ppm")));
        assert_eq!(fields.get("bits"), Some(&Value::from("50")));
        assert!(analyzer.message(&Packet::from_items(&[500]), "pulses").is_none());
        assert!(PulseAnalyzer::new(0.0).is_err());
    }
}
