//! Several stations of one band, and their sound: the graph of a receiver of FM that is made of parts.

use std::path::{Path, PathBuf};

use superhet_flow::Set;

use super::kinds::Kind;
use crate::target::expect_free;
use superhet_terminal::usage::Usage;

/// Which stations of a band are received, and where their sound goes.
#[derive(Clone, Debug, Default)]
pub struct Stations {
    /// Their frequencies; none for one in the middle of the band.
    pub frequencies_hz: Vec<f64>,
    /// A WAV file; where there are several stations, its name gets their frequencies.
    pub audio: Option<PathBuf>,
    /// A sound card on which it is played; an empty name is that of the machine's own.
    pub play: Option<String>,
    /// Whether a file that is there is replaced.
    pub force: bool,
}

/// What the receivers of stations have in common.
const COMMON: &str = r#"
[graph]
name = "fm"
description = "stations on FM"

[variables]
rate_hz = 1.2e6
recording_rate_hz = "=rate_hz"
center_hz = 0
region = "europe"
all = false
deemphasis_s = 50e-6
multiplex_hz = "=rate_hz / max(1, floor(rate_hz / 300e3))"

[ports]
in = "input.in"
out = "message.out"

[blocks]
input = { type = "copy" }
# Frequencies are told by now.
message = { type = "receiver_message", rate_hz = "=recording_rate_hz" }
"#;

impl Stations {
    /// The frequency to which a radio is tuned for them, if they say one.
    pub fn center_hz(&self) -> Option<f64> {
        let (low, high) = self
            .frequencies_hz
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), hz| (low.min(*hz), high.max(*hz)));
        (low <= high).then_some((low + high) / 2.0)
    }

    /// That all of them are in a band.
    pub fn check(&self, center_hz: Option<f64>, rate_hz: f64) -> Result<(), Usage> {
        let Some(hz) = self.frequencies_hz.first() else { return Ok(()) };
        let Some(center_hz) = center_hz else {
            let problem = "the middle of the band is not known: say it, as in --freq 98M";
            return Err(Usage(format!("--station {hz}: {problem}")));
        };
        match self.frequencies_hz.iter().find(|hz| (*hz - center_hz).abs() > rate_hz / 2.0) {
            Some(hz) => {
                let (low, high) = (center_hz - rate_hz / 2.0, center_hz + rate_hz / 2.0);
                Err(Usage(format!(
                    "--station {hz}: expected a frequency from {low} to {high} Hz, which the recording has"
                )))
            }
            None => Ok(()),
        }
    }

    /// The receiver of these stations, and the parameters that are set in its graph.
    pub fn receiver(&self, kind: Kind) -> Result<(Kind, Vec<Set>), Usage> {
        if self.frequencies_hz.is_empty() && self.audio.is_none() && self.play.is_none() {
            return Ok((kind, Vec::new()));
        }
        let mut blocks = String::new();
        let mut connections = String::new();
        let mut sets = Vec::new();
        for n in 0..self.frequencies_hz.len().max(1) {
            let name = format!("station{}", n + 1);
            blocks += &format!("{name} = {{ graph = \"fm.toml\", {} }}\n", passed(&COMMON_VARIABLES));
            connections += &format!("    \"input -> {name}.in\",\n    \"{name}.out -> message\",\n");
            let station_hz = self.frequencies_hz.get(n);
            sets.extend(station_hz.map(|hz| Set::new(format!("{name}.station_hz"), *hz)));
            if let Some(audio) = &self.audio {
                let path = self.file(audio, station_hz.copied());
                expect_free(&path, self.force)?;
                let sound = format!("sound{}", n + 1);
                let variables = "rate_hz = \"=multiplex_hz\", deemphasis_s = \"=deemphasis_s\"";
                blocks += &format!("{sound} = {{ graph = \"fm-audio.toml\", {variables} }}\n");
                connections += &format!("    \"{name}.multiplex -> {sound}.in\",\n");
                let text = path
                    .to_str()
                    .ok_or_else(|| Usage(format!("--audio {}: expected UTF-8", path.display())))?;
                sets.push(Set::new(format!("{sound}.path"), text));
            }
            if let Some(device) = self.play.as_ref().filter(|_| n == 0) {
                let variables = "rate_hz = \"=multiplex_hz\", deemphasis_s = \"=deemphasis_s\"";
                blocks += &format!("heard = {{ graph = \"fm-play.toml\", {variables} }}\n");
                connections += &format!("    \"{name}.multiplex -> heard.in\",\n");
                sets.push(Set::new("heard.device", device.as_str()));
            }
        }
        Ok((kind.with_graph(format!("connections = [\n{connections}]\n{COMMON}{blocks}")), sets))
    }

    /// The file for the sound of a station.
    fn file(&self, audio: &Path, station_hz: Option<f64>) -> PathBuf {
        match station_hz.filter(|_| self.frequencies_hz.len() > 1) {
            Some(hz) => {
                let stem = audio.file_stem().unwrap_or_default().to_string_lossy();
                let end = audio.extension().unwrap_or_default().to_string_lossy();
                audio.with_file_name(format!("{stem}-{}MHz.{end}", hz / 1e6))
            }
            None => audio.to_owned(),
        }
    }
}

/// The variables that a station's receiver has of the whole.
const COMMON_VARIABLES: [&str; 5] = ["rate_hz", "recording_rate_hz", "center_hz", "region", "all"];

/// `name = "=name"` for each of them.
fn passed(variables: &[&str]) -> String {
    variables.iter().map(|name| format!("{name} = \"={name}\"")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_several_stations_have_their_frequencies() {
        let audio = Path::new("/tmp/sound.wav");
        let of = |frequencies_hz: &[f64]| Stations {
            frequencies_hz: frequencies_hz.to_vec(),
            ..Stations::default()
        };
        assert_eq!(of(&[98.5e6]).file(audio, Some(98.5e6)), audio);
        let path = of(&[98.5e6, 101e6]).file(audio, Some(98.5e6));
        assert_eq!(path, Path::new("/tmp/sound-98.5MHz.wav"));
    }

    #[test]
    fn stations_are_in_the_band_and_a_radio_is_tuned_to_their_middle() {
        let stations = Stations { frequencies_hz: vec![98e6, 99e6], ..Stations::default() };
        assert_eq!((stations.center_hz(), Stations::default().center_hz()), (Some(98.5e6), None));
        assert!(stations.check(Some(98.5e6), 2e6).is_ok() && Stations::default().check(None, 2e6).is_ok());
        assert!(stations.check(Some(98e6), 1e6).is_err() && stations.check(None, 2e6).is_err());
    }
}
