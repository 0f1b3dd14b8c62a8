//! A device of SoapySDR that is set as wanted, and streams.

use std::time::Duration;

use super::api::{Device, Direction, END_BURST, HAS_TIME, Moved, Range, Stream};
use crate::format::{Endian, Number, SampleFormat, Shape};

/// What a device is set to, in the order in which it is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Setting {
    ClockSource(String),
    TimeSource(String),
    RateHz(f64),
    BandwidthHz(f64),
    Antenna(String),
    FrequencyHz(f64),
    Ppm(f64),
    DcRemoval(bool),
    IqBalance(bool),
    GainAuto,
    GainDb(f64),
    GainElement(String, f64),
    /// One of the driver's own.
    Own(String, String),
}

/// A device that streams.
pub(crate) struct Radio {
    stream: Stream,
    direction: Direction,
    channels: Vec<usize>,
    format: SampleFormat,
    /// What numbers are to be multiplied by, so that full scale becomes 1.
    scale: f32,
    buffers: Vec<Vec<u64>>,
    rate_hz: f64,
}

/// The formats that samples may come in, best first: as the library calls them, and as we do.
const FORMATS: &[(&str, Number)] = &[
    ("CF32", Number::F32),
    ("CS16", Number::I16),
    ("CS8", Number::I8),
    ("CU8", Number::U8),
    ("CF64", Number::F64),
];
/// The least and the most samples that are moved at a time.
const LEAST: usize = 1024;
const MOST: usize = 1 << 17;
/// By how much a rate may differ from what was asked for.
const MOST_OFF: f64 = 1e-3;

impl Radio {
    /// Opens the device that the arguments name, sets it, and starts the stream of these channels.
    ///
    /// # Errors
    /// A sentence that says what the device, or this machine, does not have, and what was expected.
    pub fn open(
        direction: Direction,
        arguments: &str,
        channels: &[usize],
        settings: &[Setting],
        stream_arguments: &str,
    ) -> Result<Self, String> {
        let device = Device::open(arguments).map_err(|problem| with_place(arguments, &problem))?;
        let there = device.channels(direction);
        if let Some(channel) = channels.iter().find(|channel| **channel >= there) {
            let way = if direction == Direction::Receive { "receive" } else { "transmit" };
            return Err(format!("there is no channel {channel} to {way}: it has {there}, numbered from 0"));
        }
        for setting in settings {
            apply(&device, direction, channels, setting)?;
        }
        let first = channels.first().copied().unwrap_or_default();
        let (name, number, scale) = format(&device, direction, first)?;
        let little = if cfg!(target_endian = "little") { Endian::Little } else { Endian::Big };
        let format = SampleFormat::new(Shape::Complex, number, little);
        let rate_hz = device.rate(direction, first);
        tracing::info!("{}: {}, {rate_hz} Hz, samples are {name}", device.driver(), device.hardware());
        let stream = device.stream(direction, name, format.bytes(), channels, stream_arguments)?;
        let words = (stream.most().clamp(LEAST, MOST) * format.bytes()).div_ceil(size_of::<u64>());
        let buffers = channels.iter().map(|_| vec![0; words]).collect();
        Ok(Radio { stream, direction, channels: channels.to_vec(), format, scale, buffers, rate_hz })
    }

    /// Changes one setting.
    pub fn set(&mut self, setting: &Setting) -> Result<(), String> {
        apply(self.stream.device(), self.direction, &self.channels, setting)?;
        self.rate_hz = self.stream.device().rate(self.direction, self.first());
        Ok(())
    }

    fn first(&self) -> usize {
        self.channels.first().copied().unwrap_or_default()
    }

    /// Samples a second, as the device says.
    pub fn rate_hz(&self) -> f64 {
        self.rate_hz
    }

    /// The centre frequency of a channel, by its place among those of the stream.
    pub fn frequency_hz(&self, place: usize) -> f64 {
        let channel = self.channels.get(place).copied().unwrap_or_default();
        self.stream.device().frequency(self.direction, channel)
    }

    /// How samples are stored, and what they are to be multiplied by.
    pub fn format(&self) -> (SampleFormat, f32) {
        (self.format, self.scale)
    }

    /// Reads what there is, waiting no longer than `timeout` for it.
    pub fn read(&mut self, timeout: Duration) -> Moved {
        self.stream.read(&mut self.buffers, timeout)
    }

    /// The bytes of a channel that were read last.
    pub fn bytes(&self, place: usize) -> &[u8] {
        self.buffers.get(place).map_or(&[], |buffer| bytemuck::cast_slice(buffer))
    }

    /// How many samples are written at a time, at most.
    pub fn most(&self) -> usize {
        self.buffers.first().map_or(0, |buffer| size_of_val(&buffer[..]) / self.format.bytes())
    }

    /// Writes samples, the last of which may end a burst, and the first of which may have a time.
    pub fn write(&mut self, buffers: &[&[u8]], ends: bool, time_ns: Option<i64>, timeout: Duration) -> Moved {
        let flags = if ends { END_BURST } else { 0 } | if time_ns.is_some() { HAS_TIME } else { 0 };
        self.stream.write(buffers, flags, time_ns.unwrap_or(0), timeout)
    }

    /// What has become of samples that were written.
    pub fn status(&mut self, timeout: Duration) -> Moved {
        self.stream.status(timeout)
    }

    /// What the sensors of the device and of the channels say, by their names.
    pub fn sensors(&self) -> Vec<(String, String)> {
        let (device, direction) = (self.stream.device(), self.direction);
        sensors(device, direction, &self.channels)
    }
}

/// What sensors say: those of a channel have its number before their names.
pub(super) fn sensors(device: &Device, direction: Direction, channels: &[usize]) -> Vec<(String, String)> {
    let own =
        device.sensors().into_iter().filter_map(|name| Some((name.clone(), device.read_sensor(&name).ok()?)));
    let of_channel = |channel: usize| {
        let names = device.channel_sensors(direction, channel).into_iter();
        let read = move |name: &String| device.read_channel_sensor(direction, channel, name);
        names.filter_map(move |name| Some((format!("{channel}.{name}"), read(&name).ok()?)))
    };
    own.chain(channels.iter().flat_map(|channel| of_channel(*channel))).collect()
}

/// A problem with a device, with what named it.
fn with_place(arguments: &str, problem: &str) -> String {
    let named = if arguments.is_empty() { "any device" } else { arguments };
    format!("cannot open {named}: {problem}")
}

/// The format to use, as the library calls it and as we do, and the scale of its numbers.
fn format(
    device: &Device,
    direction: Direction,
    channel: usize,
) -> Result<(&'static str, Number, f32), String> {
    let there = device.stream_formats(direction, channel);
    let known = FORMATS.iter().find(|(name, _)| there.iter().any(|other| other == name));
    let Some((name, number)) = known else {
        let ours: Vec<&str> = FORMATS.iter().map(|(name, _)| *name).collect();
        return Err(format!("its formats are {}, expected any of {}", there.join(", "), ours.join(", ")));
    };
    let (native, full_scale) = device.native_format(direction, channel);
    let most = match number {
        Number::I16 => 32768.0,
        Number::I8 => 128.0,
        _ => 1.0,
    };
    // A converter of 12 bits in numbers of 16 says so; a format that the driver makes from another has its whole range.
    let is_own = native == *name && full_scale > 0.0 && full_scale.is_finite() && *number != Number::U8;
    Ok((name, *number, if is_own { (most / full_scale) as f32 } else { 1.0 }))
}

/// What the device has of something, for people.
fn have(words: &[String]) -> String {
    if words.is_empty() { "it has none".to_owned() } else { format!("it has {}", words.join(", ")) }
}

/// Ranges as people read them: `225001 to 300000, 900001 to 3200000`.
pub(super) fn written(ranges: &[Range]) -> String {
    let one = |range: &Range| match range.minimum == range.maximum {
        true => range.minimum.to_string(),
        false => format!("{} to {}", range.minimum, range.maximum),
    };
    let all: Vec<String> = ranges.iter().map(one).collect();
    all.join(", ")
}

fn apply(device: &Device, direction: Direction, channels: &[usize], setting: &Setting) -> Result<(), String> {
    // Those of the whole device.
    match setting {
        Setting::ClockSource(name) => {
            expect(name, &device.clock_sources(), "clock_source")?;
            return device.set_clock_source(name);
        }
        Setting::TimeSource(name) => {
            expect(name, &device.time_sources(), "time_source")?;
            return device.set_time_source(name);
        }
        Setting::Own(key, value) => {
            let known: Vec<String> = device.settings().into_iter().map(|(key, _)| key).collect();
            expect(key, &known, "settings")?;
            return device
                .write_setting(key, value)
                .map_err(|problem| format!("settings: {key}={value}: {problem}"));
        }
        _ => {}
    }
    for channel in channels.iter().copied() {
        let failed = |name: &str, value: f64, problem: &str| format!("{name}: {value}: {problem}");
        match setting {
            Setting::RateHz(hz) => {
                let ranges = device.rate_ranges(direction, channel);
                device.set_rate(direction, channel, *hz).map_err(|problem| {
                    format!("{}; it has {} Hz", failed("rate_hz", *hz, &problem), written(&ranges))
                })?;
                let got = device.rate(direction, channel);
                if !(hz * (1.0 - MOST_OFF)..=hz * (1.0 + MOST_OFF)).contains(&got) {
                    let has = written(&ranges);
                    return Err(format!(
                        "rate_hz: it has taken {got} Hz where {hz} were asked for; it has {has} Hz"
                    ));
                }
            }
            Setting::BandwidthHz(hz) => device.set_bandwidth(direction, channel, *hz).map_err(|problem| {
                let ranges = device.bandwidth_ranges(direction, channel);
                format!("{}; it has {} Hz", failed("bandwidth_hz", *hz, &problem), written(&ranges))
            })?,
            Setting::Antenna(name) => {
                expect(name, &device.antennas(direction, channel), "antenna")?;
                device.set_antenna(direction, channel, name)?;
            }
            Setting::FrequencyHz(hz) => device.set_frequency(direction, channel, *hz).map_err(|problem| {
                let ranges = device.frequency_ranges(direction, channel);
                format!("{}; it has {} Hz", failed("frequency_hz", *hz, &problem), written(&ranges))
            })?,
            Setting::Ppm(ppm) if *ppm == 0.0 && !device.has_correction(direction, channel) => {}
            Setting::Ppm(ppm) => {
                let set = match device.has_correction(direction, channel) {
                    true => device.set_correction(direction, channel, *ppm),
                    false => Err("it corrects no frequency".to_owned()),
                };
                set.map_err(|problem| failed("ppm", *ppm, &problem))?;
            }
            Setting::DcRemoval(on) => match (device.has_dc_removal(direction, channel), on) {
                (true, on) => device.set_dc_removal(direction, channel, *on)?,
                (false, true) => return Err("dc_removal: it has none of its own".to_owned()),
                (false, false) => {}
            },
            Setting::IqBalance(on) => match (device.has_iq_balance(direction, channel), on) {
                (true, on) => device.set_iq_balance(direction, channel, *on)?,
                (false, true) => return Err("iq_balance: it has none of its own".to_owned()),
                (false, false) => {}
            },
            // One without a choice keeps the gain that it has.
            Setting::GainAuto if !device.has_gain_mode(direction, channel) => {}
            Setting::GainAuto => device.set_gain_mode(direction, channel, true)?,
            Setting::GainDb(db) => {
                manual(device, direction, channel)?;
                let range = device.gain_range(direction, channel);
                let set = device.set_gain(direction, channel, *db);
                set.map_err(|problem| {
                    format!("{}; it has {} dB", failed("gain_db", *db, &problem), written(&[range]))
                })?;
            }
            Setting::GainElement(name, db) => {
                expect(name, &device.gains(direction, channel), "gains")?;
                manual(device, direction, channel)?;
                let range = device.gain_element_range(direction, channel, name)?;
                device.set_gain_element(direction, channel, name, *db).map_err(|problem| {
                    format!(
                        "{}; it has {} dB",
                        failed(&format!("gains: {name}"), *db, &problem),
                        written(&[range])
                    )
                })?;
            }
            Setting::ClockSource(_) | Setting::TimeSource(_) | Setting::Own(..) => {}
        }
    }
    Ok(())
}

fn manual(device: &Device, direction: Direction, channel: usize) -> Result<(), String> {
    if device.has_gain_mode(direction, channel) {
        device.set_gain_mode(direction, channel, false)
    } else {
        Ok(())
    }
}

fn expect(name: &str, there: &[String], parameter: &str) -> Result<(), String> {
    match there.iter().any(|other| other == name) {
        true => Ok(()),
        false => Err(format!("{parameter}: there is no {name:?}: {}", have(there))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_written_for_people() {
        let range = |minimum, maximum| Range { minimum, maximum, step: 0.0 };
        assert_eq!(written(&[range(225_001.0, 300e3), range(1e6, 1e6)]), "225001 to 300000, 1000000");
        assert_eq!(written(&[]), "");
    }

    #[test]
    fn what_is_not_there_is_said_with_what_is() {
        let there = ["RX".to_owned(), "TX/RX".to_owned()];
        assert_eq!(expect("RX", &there, "antenna"), Ok(()));
        let error = expect("rx", &there, "antenna").unwrap_err();
        assert_eq!(error, "antenna: there is no \"rx\": it has RX, TX/RX");
        assert_eq!(expect("a", &[], "gains").unwrap_err(), "gains: there is no \"a\": it has none");
    }
}
