//! Messages: what a server says, and what it is told.

use crate::format::SampleFormat;

/// Bytes of a message's header.
pub(crate) const HEADER: usize = 20;
/// The longest body.
const MOST_BODY: usize = 1 << 20;
/// The version of the protocol, of which the first part has to be the server's, too.
const VERSION: u32 = 2 << 24 | 1700;
/// Messages.
const DEVICE: u16 = 0;
const SYNC: u16 = 1;
const UINT8_IQ: u16 = 100;
const INT16_IQ: u16 = 101;
const FLOAT_IQ: u16 = 103;

/// What a client can set, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Setting {
    /// 1 is samples and nothing else.
    Mode = 0,
    Enabled = 1,
    Gain = 2,
    /// 1 is `cu8`, 2 is `ci16`, 4 is `cf32`.
    Format = 100,
    FrequencyHz = 101,
    /// The rate is halved so often.
    Decimation = 102,
}

impl Setting {
    /// The command that sets it.
    pub fn command(self, value: u32) -> Vec<u8> {
        command(2, &[(self as u32).to_le_bytes(), value.to_le_bytes()].concat())
    }
}

/// The first words of a client.
pub(crate) fn hello() -> Vec<u8> {
    command(0, &[&VERSION.to_le_bytes()[..], b"superhet"].concat())
}

fn command(number: u32, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len()).unwrap_or(u32::MAX);
    [&number.to_le_bytes()[..], &length.to_le_bytes(), body].concat()
}

/// What a server's radio is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Device {
    pub kind: u32,
    pub rate_hz: u32,
    /// The most often that the rate can be halved, and the least.
    pub stages: u32,
    pub least_stage: u32,
    pub most_gain: u32,
    pub least_hz: u32,
    pub most_hz: u32,
}

impl Device {
    /// The rates that a client can have, the highest first.
    pub fn rates(&self) -> Vec<f64> {
        let stages = self.least_stage..=self.stages.min(self.least_stage.saturating_add(31));
        stages.map(|stage| f64::from(self.rate_hz) / 2f64.powi(stage.min(31) as i32)).collect()
    }
}

impl std::fmt::Display for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = match self.kind {
            1 => "Airspy One",
            2 => "Airspy HF+",
            3 => "RTL-SDR",
            _ => "unknown radio",
        };
        write!(f, "{name}, {} to {} Hz, gains 0 to {}", self.least_hz, self.most_hz, self.most_gain)
    }
}

/// What a server has said.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Message<'a> {
    Device(Device),
    /// Whether this client may tune, and where its samples are.
    Sync {
        can_control: bool,
        center_hz: u32,
    },
    /// Samples, the number of their message, and the gain that they have on top of the radio's, in decibels.
    Samples {
        sequence: u32,
        format: SampleFormat,
        gain_db: u16,
        bytes: &'a [u8],
    },
    /// What is of no use here.
    Other,
}

/// The first message of these bytes, and how many bytes it has; `None` where it is not whole yet.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn parse(bytes: &[u8]) -> Result<Option<(Message<'_>, usize)>, String> {
    let Some((header, rest)) = bytes.split_first_chunk::<HEADER>() else { return Ok(None) };
    let (words, _) = header.as_chunks::<4>();
    let [version, kind, _, sequence, length] = *words else { return Ok(None) };
    let [version, kind, sequence, length] = [version, kind, sequence, length].map(u32::from_le_bytes);
    if version >> 24 != VERSION >> 24 {
        return Err(format!("it speaks version {} of the protocol, expected 2", version >> 24));
    }
    let length = length as usize;
    if length > MOST_BODY {
        return Err(format!("a message of {length} bytes, expected at most {MOST_BODY}"));
    }
    let Some(body) = rest.get(..length) else { return Ok(None) };
    let numbers: Vec<u32> = body.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    let (kind, gain_db) = ((kind & 0xffff) as u16, (kind >> 16) as u16);
    let samples = |format: SampleFormat| match length.is_multiple_of(format.bytes()) {
        true => Ok(Message::Samples { sequence, format, gain_db, bytes: body }),
        false => Err(format!("a message of {length} bytes, expected whole {format} samples")),
    };
    let message = match (kind, &*numbers) {
        (DEVICE, [kind, _, rate_hz, _, stages, _, most_gain, least_hz, most_hz, _, least_stage, ..]) => {
            Message::Device(Device {
                kind: *kind,
                rate_hz: *rate_hz,
                stages: *stages,
                least_stage: *least_stage,
                most_gain: *most_gain,
                least_hz: *least_hz,
                most_hz: *most_hz,
            })
        }
        (SYNC, [can_control, _, _, center_hz, ..]) => {
            Message::Sync { can_control: *can_control != 0, center_hz: *center_hz }
        }
        (DEVICE | SYNC, _) => return Err(format!("a message {kind} of {length} bytes, expected more")),
        (UINT8_IQ, _) => samples(SampleFormat::CU8)?,
        (INT16_IQ, _) => samples(SampleFormat::CS16)?,
        (FLOAT_IQ, _) => samples(SampleFormat::CF32)?,
        _ => Message::Other,
    };
    Ok(Some((message, HEADER.saturating_add(length))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(kind: u32, sequence: u32, body: &[u8]) -> Vec<u8> {
        let words = [VERSION, kind, 1, sequence, body.len() as u32];
        let header: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        [header, body.to_vec()].concat()
    }

    fn words(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn messages_say_what_the_radio_is_and_bring_samples() {
        let body = words(&[1, 77, 10_000_000, 8_000_000, 8, 0, 21, 24_000_000, 1_750_000_000, 12, 1, 0]);
        let bytes = message(0, 0, &body);
        let device = Device {
            kind: 1,
            rate_hz: 10_000_000,
            stages: 8,
            least_stage: 1,
            most_gain: 21,
            least_hz: 24_000_000,
            most_hz: 1_750_000_000,
        };
        assert_eq!(parse(&bytes), Ok(Some((Message::Device(device), bytes.len()))));
        assert_eq!(device.rates()[..3], [5e6, 2.5e6, 1.25e6]);
        assert_eq!(device.rates().len(), 8);
        let sync = message(1, 0, &words(&[1, 5, 0, 145_000_000, 0, 0, 0, 0, 0]));
        let wanted = Message::Sync { can_control: true, center_hz: 145_000_000 };
        assert_eq!(parse(&sync), Ok(Some((wanted, sync.len()))));
        let samples = message(101 | 6 << 16, 9, &[1, 0, 2, 0]);
        let wanted =
            Message::Samples { sequence: 9, format: SampleFormat::CS16, gain_db: 6, bytes: &[1, 0, 2, 0] };
        assert_eq!(parse(&samples), Ok(Some((wanted, 24))));
        assert_eq!(parse(&message(301, 0, &[1])), Ok(Some((Message::Other, 21))));
        for length in 0..samples.len() {
            assert_eq!(parse(&samples[..length]), Ok(None));
        }
    }

    #[test]
    fn what_breaks_the_protocol_says_why() {
        let mut old = message(0, 0, &[]);
        old[3] = 1;
        let mut long = message(101, 0, &[]);
        long[19] = 1;
        for (bytes, problem) in [
            (old, "it speaks version 1 of the protocol, expected 2"),
            (long, "a message of 16777216 bytes"),
            (message(101, 0, &[1, 2, 3]), "a message of 3 bytes, expected whole ci16_le samples"),
            (message(0, 0, &[0; 40]), "a message 0 of 40 bytes, expected more"),
            (b"HTTP/1.1 400 Bad Request".to_vec(), "it speaks version"),
        ] {
            let error = parse(&bytes).unwrap_err();
            assert!(error.contains(problem), "{error}");
        }
    }

    #[test]
    fn commands_are_as_the_header_says() {
        assert_eq!(Setting::FrequencyHz.command(145_000_000), words(&[2, 8, 101, 145_000_000]));
        assert_eq!(hello()[..12], words(&[0, 12, 0x0200_06a4]));
    }
}
