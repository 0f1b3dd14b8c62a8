//! How places are cut out of a band: three and more of one width by a polyphase channelizer, others each by a filter of its own.

use superhet::blocks::filters::{LowPass, Window};
use superhet_runtime::Value;

use super::{Band, Place};
use crate::chain::Chain;

/// How the places of a band become streams, one each.
#[derive(Debug)]
pub struct Cut {
    rate_hz: f64,
    groups: Vec<Group>,
    /// The stream of each place.
    homes: Vec<Home>,
}

/// Which stream is that of a place.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Home {
    group: usize,
    /// Which of the group's outputs.
    output: usize,
    /// How far the place is above the middle of that.
    left_hz: f64,
}

/// Places that are cut out at once.
#[derive(Debug)]
struct Group {
    /// One sample of so many.
    step: usize,
    /// The width that is left as it is.
    pass_hz: f64,
    how: How,
}

#[derive(Debug, PartialEq)]
enum How {
    /// All samples, turned so that what is at this distance from the middle comes there.
    Whole(f64),
    /// What is at this distance from the middle of the band.
    Filter(f64),
    /// The band in so many channels, of which one is at `shift_hz` from its middle; and which of them are taken.
    Channelizer { channels: usize, shift_hz: f64, map: Vec<i64> },
}

/// Streams have this many times the samples of what they are wide, or more.
const SLACK: f64 = 1.25;
/// So many places of one width are worth a channelizer, where so many samples become one.
const LEAST_PLACES: usize = 3;
const LEAST_STEP: usize = 4;
/// The most channels of one.
const MOST_CHANNELS: usize = 1024;
/// A tag with the place in the recording comes for each so many samples of a stream.
const TAG_PERIOD: usize = 64;
/// The transition of the longest filter, as a part of the sample rate.
const LEAST_TRANSITION: f64 = 6.0 / 65_535.0;

impl Cut {
    /// How these places are cut out of a band.
    pub fn new(places: &[Place], band: &Band) -> Self {
        let home = Home { group: 0, output: 0, left_hz: 0.0 };
        let mut cut = Cut { rate_hz: band.rate_hz, groups: Vec::new(), homes: vec![home; places.len()] };
        let class = |place: &Place| (place.channels.width_hz, place.channels.least_rate_hz);
        for (n, place) in places.iter().enumerate() {
            if places[..n].iter().all(|other| class(other) != class(place)) {
                let alike = (n..places.len()).filter(|other| class(&places[*other]) == class(place));
                let members: Vec<(usize, f64)> =
                    alike.map(|n| (n, places[n].frequency_hz - band.center_hz)).collect();
                cut.group(&members, class(place));
            }
        }
        cut
    }

    /// Places, each with its distance from the middle of the band, of one width and least rate.
    fn group(&mut self, members: &[(usize, f64)], (width_hz, least_hz): (f64, f64)) {
        let rate_hz = self.rate_hz;
        let needed_hz = least_hz.max(SLACK * width_hz).max(width_hz + LEAST_TRANSITION * rate_hz);
        let step = ((rate_hz / needed_hz) as usize).max(1);
        if step < LEAST_STEP || members.len() < LEAST_PLACES {
            for (member, offset_hz) in members {
                self.homes[*member].group = self.groups.len();
                let how = if step == 1 { How::Whole(*offset_hz) } else { How::Filter(*offset_hz) };
                self.groups.push(Group { step, pass_hz: width_hz, how });
            }
            return;
        }
        let offsets: Vec<f64> = members.iter().map(|(_, offset_hz)| *offset_hz).collect();
        let (channels, step, shift_hz, pass_hz) = match raster(&offsets, rate_hz, step) {
            Some(channels) => {
                let channel_hz = rate_hz / channels as f64;
                let shift_hz = offsets[0] - (offsets[0] / channel_hz).round() * channel_hz;
                (channels, step, shift_hz, width_hz)
            }
            None => {
                // Places are up to half a channel off the middle of theirs.
                let channels = smooth((4 * step).min(MOST_CHANNELS));
                let channel_hz = rate_hz / channels as f64;
                let step = ((rate_hz / (needed_hz + channel_hz)) as usize).clamp(1, channels);
                (channels, step, 0.0, width_hz + channel_hz)
            }
        };
        let channel_hz = rate_hz / channels as f64;
        let mut map = Vec::new();
        for (output, (member, offset_hz)) in members.iter().enumerate() {
            let channel = ((offset_hz - shift_hz) / channel_hz).round();
            let left_hz = offset_hz - shift_hz - channel * channel_hz;
            self.homes[*member] = Home { group: self.groups.len(), output, left_hz };
            map.push((channel as i64).rem_euclid(channels as i64));
        }
        self.groups.push(Group { step, pass_hz, how: How::Channelizer { channels, shift_hz, map } });
    }

    /// The rate of a place's stream.
    pub fn rate_hz(&self, place: usize) -> f64 {
        self.rate_hz / self.groups[self.homes[place].group].step as f64
    }

    /// Adds what cuts the places out of what the chain's last block gives; the output for each place.
    pub fn add(&self, chain: &mut Chain) -> anyhow::Result<Vec<String>> {
        let source = chain.last().unwrap_or_default().to_owned();
        let mut lasts = Vec::new();
        for group in &self.groups {
            chain.go_on_at(&source);
            group.add(chain, self.rate_hz)?;
            lasts.push(chain.last().unwrap_or_default().to_owned());
        }
        let output = |home: &Home| match self.groups[home.group].how {
            How::Channelizer { .. } => format!("{}.out{}", lasts[home.group], home.output),
            _ => lasts[home.group].clone(),
        };
        Ok(self.homes.iter().map(output).collect())
    }

    /// Adds what brings a place to the middle of its stream, behind its output.
    pub fn center(&self, chain: &mut Chain, place: usize) -> anyhow::Result<()> {
        turn(chain, self.homes[place].left_hz, self.rate_hz(place))
    }
}

impl Group {
    fn add(&self, chain: &mut Chain, rate_hz: f64) -> anyhow::Result<()> {
        let period = (TAG_PERIOD * self.step) as u64;
        chain.add("index_tags", &[("item", "C32".into()), ("period", period.into())])?;
        match &self.how {
            How::Whole(offset_hz) => turn(chain, *offset_hz, rate_hz),
            How::Filter(offset_hz) => chain.add(
                "freq_xlating_fir_filter",
                &[
                    ("taps", self.taps(rate_hz)?),
                    ("frequency_hz", (*offset_hz).into()),
                    ("rate_hz", rate_hz.into()),
                    ("decimation", (self.step as u64).into()),
                ],
            ),
            How::Channelizer { channels, shift_hz, map } => {
                turn(chain, *shift_hz, rate_hz)?;
                let map: Vec<Value> = map.iter().map(|channel| Value::from(*channel)).collect();
                chain.add(
                    "pfb_channelizer",
                    &[
                        ("channels", (*channels as u64).into()),
                        ("taps", self.taps(rate_hz)?),
                        ("oversample_rate", (*channels as f64 / self.step as f64).into()),
                        ("channel_map", map.into()),
                    ],
                )
            }
        }
    }

    /// A low-pass filter that leaves the width as it is, and lets nothing else into it.
    fn taps(&self, rate_hz: f64) -> anyhow::Result<Value> {
        let stream_hz = rate_hz / self.step as f64;
        let design = LowPass {
            gain: 1.0,
            rate_hz,
            cutoff_hz: stream_hz / 2.0,
            transition_hz: stream_hz - self.pass_hz,
            window: Window::Blackman,
        };
        Ok(design.taps()?.into_iter().map(|tap| Value::Float(tap.into())).collect::<Vec<_>>().into())
    }
}

/// Adds what brings a frequency to the middle, if it is not there.
fn turn(chain: &mut Chain, hz: f64, rate_hz: f64) -> anyhow::Result<()> {
    // A thousandth of a hertz is less than any receiver notices.
    if hz.abs() < 1e-3 {
        return Ok(());
    }
    chain.add("rotator", &[("increment_rad", (-std::f64::consts::TAU * hz / rate_hz).into())])
}

/// How many channels the band has such that all places, whole hertz apart, are in the middle of one; at least `least`.
fn raster(offsets: &[f64], rate_hz: f64, least: usize) -> Option<usize> {
    let mut spacing = 0u64;
    for offset in offsets {
        let apart = (offset - offsets[0]).abs();
        if (apart - apart.round()).abs() > 1e-3 {
            return None;
        }
        spacing = divisor(spacing, apart.round() as u64);
    }
    let channels = rate_hz / spacing as f64;
    if channels > MOST_CHANNELS as f64 || (channels - channels.round()).abs() > 1e-6 {
        return None;
    }
    let channels = channels.round() as usize;
    Some(channels * least.div_ceil(channels)).filter(|channels| *channels <= MOST_CHANNELS)
}

/// The greatest common divisor.
fn divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { divisor(b, a % b) }
}

/// The greatest number up to this one whose prime factors are 2, 3 and 5: transforms of such lengths are fast.
fn smooth(most: usize) -> usize {
    let is_smooth = |n: usize| {
        let without = |n: usize, prime: usize| {
            std::iter::successors(Some(n), |n| (n % prime == 0).then_some(n / prime)).last().unwrap_or(n)
        };
        [2, 3, 5].into_iter().fold(n, without) == 1
    };
    (1..=most).rev().find(|n| is_smooth(*n)).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::super::Kind;
    use super::*;

    fn places(kind: &str, frequencies: &[f64]) -> Vec<Place> {
        let kind = Kind::find(kind).unwrap();
        let channels = kind.channels().unwrap();
        let place = |hz: &f64| Place { kind: kind.clone(), frequency_hz: *hz, channels: channels.clone() };
        frequencies.iter().map(place).collect()
    }

    #[test]
    fn channels_of_one_raster_are_cut_out_at_once_and_others_each_alone() {
        let band = Band { center_hz: 162e6, rate_hz: 2.4e6 };
        let weather = Kind::find("same").unwrap().channels().unwrap().own_hz;
        let all = [places("same", &weather), places("ais", &[162e6])].concat();
        let cut = Cut::new(&all, &band);
        let map = vec![16, 17, 18, 19, 20, 21, 22];
        assert_eq!(cut.groups[0].how, How::Channelizer { channels: 96, shift_hz: 0.0, map });
        assert_eq!(cut.groups[1].how, How::Filter(0.0));
        assert_eq!((cut.rate_hz(0), cut.rate_hz(7), cut.groups.len()), (25e3, 100e3, 2));
        assert!(cut.homes.iter().all(|home| home.left_hz == 0.0), "{cut:?}");
    }

    #[test]
    fn places_off_any_raster_are_within_their_streams() {
        let band = Band { center_hz: 437e6, rate_hz: 10e6 };
        let frequencies = [433.1e6, 435.000_123e6, 436.795e6, 441.2e6];
        let cut = Cut::new(&places("ax25-9600", &frequencies), &band);
        let [Group { how: How::Channelizer { channels, shift_hz, map }, step, pass_hz }] = &cut.groups[..]
        else {
            panic!("{cut:?}")
        };
        let channel_hz = 10e6 / *channels as f64;
        assert!(*shift_hz == 0.0 && cut.rate_hz(0) >= 48e3 && *pass_hz < 10e6 / *step as f64, "{cut:?}");
        for ((home, channel), hz) in cut.homes.iter().zip(map).zip(frequencies) {
            let signed = if *channel > *channels as i64 / 2 { channel - *channels as i64 } else { *channel };
            let got = 437e6 + signed as f64 * channel_hz + home.left_hz;
            assert!((got - hz).abs() < 1e-3 && home.left_hz.abs() <= channel_hz / 2.0, "{got} {hz}");
        }
    }

    #[test]
    fn a_band_that_is_hardly_wider_is_only_turned() {
        let band = Band { center_hz: 1090e6, rate_hz: 2.4e6 };
        let cut = Cut::new(&places("adsb", &[1090.1e6]), &band);
        assert!(matches!(cut.groups[0].how, How::Whole(hz) if (hz - 0.1e6).abs() < 1e-3), "{cut:?}");
    }

    #[test]
    fn lengths_of_transforms_have_small_factors() {
        assert_eq!([7, 31, 1024, 1023, 1].map(smooth), [6, 30, 1024, 1000, 1]);
    }
}
