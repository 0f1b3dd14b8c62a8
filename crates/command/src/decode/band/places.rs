//! Where in a band receivers are: at the frequencies that are asked for, or at those of their channels that the band has.

use super::scan::stations;
use super::{Band, Kind, Request, megahertz};
use crate::decode::kinds::Channels;
use crate::recording::Recording;
use superhet_terminal::usage::Usage;

/// A receiver, and its frequency.
#[derive(Clone, Debug)]
pub struct Place {
    pub kind: Kind,
    pub frequency_hz: f64,
    pub channels: Channels,
}

/// The most receivers of a band.
const MOST: usize = 128;

/// The places that are asked for. Where stations are on the air, the recording tells.
///
/// # Errors
/// Where a channel, or all channels of a kind, are not in the band, or the band has too few samples a second.
pub fn places(requests: &[Request], band: &Band, recording: &Recording) -> anyhow::Result<Vec<Place>> {
    let mut places: Vec<Place> = Vec::new();
    for Request { kind, frequency_hz } in requests {
        let channels = kind.channels()?;
        let name = kind.name;
        if band.rate_hz < channels.least_rate_hz {
            let (least, rate_hz) = (channels.least_rate_hz, band.rate_hz);
            return Err(Usage(format!("{name} needs {least} samples/s, and the band has {rate_hz}")).into());
        }
        let found = match (frequency_hz, channels.stations_hz) {
            (Some(hz), _) => {
                check_inside(band, name, *hz, channels.width_hz)?;
                vec![*hz]
            }
            (None, Some(range)) => stations(recording, band, range, channels.width_hz)?,
            (None, None) => own(band, name, &channels)?,
        };
        for frequency_hz in found {
            let is_there = |other: &Place| other.kind.name == name && other.frequency_hz == frequency_hz;
            if !places.iter().any(is_there) {
                places.push(Place { kind: kind.clone(), frequency_hz, channels: channels.clone() });
            }
        }
    }
    if places.len() > MOST {
        let problem = "channels of one band: expected at most 128, so name kinds with their frequencies";
        return Err(Usage(format!("{} {problem}", places.len())).into());
    }
    Ok(places)
}

fn check_inside(band: &Band, name: &str, hz: f64, width_hz: f64) -> Result<(), Usage> {
    if band.has(hz, width_hz) {
        return Ok(());
    }
    let edge = |side: f64| megahertz(hz + side * width_hz / 2.0);
    Err(Usage(format!(
        "{name}@{}M: its channel, {} to {} MHz, is not in {}",
        megahertz(hz),
        edge(-1.0),
        edge(1.0),
        band.words()
    )))
}

/// The channels of a kind that the band has.
fn own(band: &Band, name: &str, channels: &Channels) -> Result<Vec<f64>, Usage> {
    if channels.own_hz.is_empty() {
        let example = megahertz(band.center_hz);
        return Err(Usage(format!(
            "{name} is on many frequencies: say which to receive, as in {name}@{example}M"
        )));
    }
    let has = |hz: &f64| band.has(*hz, channels.width_hz);
    let found: Vec<f64> = channels.own_hz.iter().copied().filter(has).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let shown: Vec<String> = channels.own_hz.iter().map(|hz| megahertz(*hz)).collect();
    let (shown, width) = (shown.join(", "), megahertz(channels.width_hz));
    Err(Usage(format!("{name}: none of its channels, {width} MHz about {shown} MHz, is in {}", band.words())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn band(center_hz: f64, rate_hz: f64) -> Band {
        Band { center_hz, rate_hz }
    }

    #[test]
    fn channels_of_a_kind_are_those_that_the_band_has() {
        let channels = Kind::find("same").unwrap().channels().unwrap();
        assert_eq!(own(&band(162e6, 2.4e6), "same", &channels).unwrap(), channels.own_hz);
        assert_eq!(own(&band(162.4e6, 60e3), "same", &channels).unwrap(), [162.4e6]);
        let problem = own(&band(433.92e6, 250e3), "same", &channels).unwrap_err().to_string();
        assert!(problem.contains("162.425") && problem.contains("433.795 to 434.045 MHz"), "{problem}");
    }

    #[test]
    fn a_channel_beyond_the_band_is_named_with_the_band() {
        let problem = check_inside(&band(145e6, 2e6), "ax25", 146.5e6, 20e3).unwrap_err().to_string();
        let wanted = "ax25@146.5M: its channel, 146.49 to 146.51 MHz, is not in the band, 144 to 146 MHz";
        assert_eq!(problem, wanted);
        assert!(check_inside(&band(145e6, 2e6), "ax25", 145.99e6, 20e3).is_ok());
    }

    #[test]
    fn each_receiver_says_where_its_channels_are() {
        for kind in crate::decode::kinds::KINDS {
            let channels = kind.channels().unwrap();
            assert!(channels.width_hz > 1e3 && channels.least_rate_hz > 1e3, "{}: {channels:?}", kind.name);
        }
    }
}
