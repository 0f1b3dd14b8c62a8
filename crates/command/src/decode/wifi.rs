//! Wi-Fi at any rate, and its frames in a PCAP file: the graph of the receiver that is made of parts.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use superhet_flow::Set;

use super::kinds::Kind;
use crate::target::expect_free;
use superhet_terminal::usage::Usage;

/// The channel, and where the frames go besides.
#[derive(Clone, Debug, Default)]
pub struct Wifi {
    /// How wide the channel is; without it, as wide as the rate allows.
    pub bandwidth_hz: Option<f64>,
    /// A PCAP file.
    pub pcap: Option<PathBuf>,
    /// Whether a file that is there is replaced.
    pub force: bool,
}

/// How wide channels are, and the tolerance of a rate that fits one.
const BANDWIDTHS_HZ: [f64; 3] = [20e6, 10e6, 5e6];
const TOLERANCE: f64 = 1e-4;

/// What the receiver with more parts has in common with that without.
const COMMON: &str = r#"
[graph]
name = "wifi"
description = "Wi-Fi"

[variables]
rate_hz = 20e6
recording_rate_hz = "=rate_hz"
center_hz = 0
bandwidth_hz = 20e6
start_ns = 0

[ports]
in = "input.in"
out = "message.out"

[blocks]
# Frequencies are told by now.
message = { type = "receiver_message", rate_hz = "=recording_rate_hz" }
receiver = { graph = "wifi.toml", rate_hz = "=bandwidth_hz", recording_rate_hz = "=recording_rate_hz", center_hz = "=center_hz" }
"#;

const DIRECT: &str = "input = { type = \"copy\" }\n";
const RESAMPLED: &str = "input = { type = \"pfb_arb_resampler\", rate = \"=bandwidth_hz / rate_hz\" }\n";
const PCAP: &str = r#"
[blocks.radiotap]
type = "radiotap"
rate_hz = "=recording_rate_hz"
frequency_hz = "=center_hz"
bandwidth_hz = "=bandwidth_hz"
start_ns = "=start_ns"

[blocks.pcap]
type = "pcap_sink"
link_type = 127
"#;

/// When the first sample comes.
#[derive(Clone, Copy, Debug)]
pub enum Start<'a> {
    /// When the graph runs.
    Now,
    /// As SigMF says it.
    At(&'a str),
    /// Times are counted from the beginning of 1970.
    Unknown,
}

impl Start<'_> {
    /// Nanoseconds since the beginning of 1970.
    fn nanoseconds(self) -> u64 {
        match self {
            Start::Now => {
                SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64)
            }
            Start::At(text) => nanoseconds(text).unwrap_or(0),
            Start::Unknown => 0,
        }
    }
}

impl Wifi {
    /// The receiver for samples of this rate that begin at `start`, and the parameters that are set in its graph.
    ///
    /// # Errors
    /// Where the rate is too low for the channel, or the PCAP file is there already.
    pub fn receiver(&self, kind: Kind, rate_hz: f64, start: Start<'_>) -> Result<(Kind, Vec<Set>), Usage> {
        if let Some(hz) = self.bandwidth_hz.filter(|hz| !BANDWIDTHS_HZ.contains(hz)) {
            return Err(Usage(format!("--bandwidth {hz}: expected 20M, 10M or 5M")));
        }
        let fits = |hz: &f64| rate_hz >= hz * (1.0 - TOLERANCE);
        let bandwidth_hz = match self.bandwidth_hz {
            Some(hz) => Some(hz).filter(fits),
            None => BANDWIDTHS_HZ.into_iter().find(fits),
        };
        let Some(bandwidth_hz) = bandwidth_hz else {
            let problem = "needs as many samples a second as a channel is wide: 20, 10 or 5 million, or more";
            return Err(Usage(format!("wifi {problem}, and has {rate_hz}")));
        };
        let is_direct = (rate_hz / bandwidth_hz - 1.0).abs() < TOLERANCE;
        if is_direct && self.pcap.is_none() {
            return Ok((kind, Vec::new()));
        }
        let mut connections = "    \"input -> receiver.in\",\n    \"receiver.out -> message\",\n".to_owned();
        let mut blocks = if is_direct { DIRECT } else { RESAMPLED }.to_owned();
        let mut sets = vec![Set::new("bandwidth_hz", if is_direct { rate_hz } else { bandwidth_hz })];
        if let Some(path) = &self.pcap {
            expect_free(path, self.force)?;
            connections += "    \"receiver.frames -> radiotap -> pcap\",\n";
            blocks += PCAP;
            let text =
                path.to_str().ok_or_else(|| Usage(format!("--pcap {}: expected UTF-8", path.display())))?;
            sets.push(Set::new("pcap.path", text));
            sets.push(Set::new("start_ns", start.nanoseconds()));
        }
        Ok((kind.with_graph(format!("connections = [\n{connections}]\n{COMMON}{blocks}")), sets))
    }
}

/// The nanoseconds since the beginning of 1970 of a time in UTC as SigMF has it: `2026-07-04T23:59:00.5Z`.
fn nanoseconds(text: &str) -> Option<u64> {
    let (date, time) = text.strip_suffix('Z')?.split_once('T')?;
    let (time, fraction) = time.split_once('.').unwrap_or((time, ""));
    let numbers = |text: &str, sign: char| -> Option<[u64; 3]> {
        let numbers: Option<Vec<u64>> = text.split(sign).map(|number| number.parse().ok()).collect();
        numbers?.try_into().ok()
    };
    let ([year, month, day], [hours, minutes, seconds]) = (numbers(date, '-')?, numbers(time, ':')?);
    let is_time = hours < 24 && minutes < 60 && seconds <= 60;
    if !((1970..=9999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day) && is_time) {
        return None;
    }
    // Years that begin in March, so that the leap day is the last: 153 days have any five months in a row from there.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1;
    // From the first of March of the year 0 to the beginning of 1970.
    let days = days.checked_sub(719_468)?;
    let digits: String = fraction.chars().chain("000000000".chars()).take(9).collect();
    let seconds = ((days * 24 + hours) * 60 + minutes) * 60 + seconds;
    Some(seconds * 1_000_000_000 + digits.parse::<u64>().ok()?)
}

#[cfg(test)]
mod tests {
    use superhet_runtime::Value;

    use super::*;

    #[test]
    fn times_are_counted_from_1970() {
        assert_eq!(nanoseconds("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(nanoseconds("2026-07-04T23:59:00.5Z"), Some(1_783_209_540_500_000_000));
        assert_eq!(nanoseconds("2024-02-29T12:00:00.123456789Z"), Some(1_709_208_000_123_456_789));
        for wrong in [
            "",
            "2024-02-29",
            "2024-13-01T00:00:00Z",
            "1969-12-31T23:59:59Z",
            "x-y-zT1:2:3Z",
            "2024-01-01T00:00:00.xZ",
        ] {
            assert_eq!(nanoseconds(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn rates_that_are_no_bandwidth_are_brought_to_one() {
        let of = |rate_hz: f64, bandwidth_hz: Option<f64>| {
            let wifi = Wifi { bandwidth_hz, ..Wifi::default() };
            let (kind, sets) = wifi
                .receiver(Kind::find("wifi").unwrap(), rate_hz, Start::Unknown)
                .map_err(|error| error.to_string())?;
            Ok::<_, String>((
                kind.flow(&sets).unwrap().variables().get("bandwidth_hz").and_then(Value::as_f64),
                sets.len(),
            ))
        };
        assert_eq!(of(20e6, None), Ok((None, 0)));
        assert_eq!(of(25e6, None), Ok((Some(20e6), 1)));
        assert_eq!(of(10e6, None), Ok((None, 0)));
        assert_eq!(of(20e6, Some(10e6)), Ok((Some(10e6), 1)));
        assert!(of(4e6, None).is_err() && of(20e6, Some(8e6)).is_err() && of(5e6, Some(10e6)).is_err());
    }
}
