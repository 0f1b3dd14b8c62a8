//! What a `.sigmf-meta` file holds, field by field.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::schema;
use crate::error::Error;
use crate::format::SampleFormat;

/// The version of the specification that is written.
pub const VERSION: &str = "1.2.5";

/// The metadata of a recording.
///
/// Every `other` field holds what has no field of its own: extensions like `antenna:gain`, and keys of
/// versions to come. They are written again as they were read. Numbers keep their value, not their spelling
/// (`48e3` is written as `48000`); integers beyond 64 bits in unknown fields become floats.
///
/// # Example
///
/// ```
/// use superhet_io::sigmf::Meta;
///
/// let json = r#"{
///   "global": {"core:datatype": "cu8", "core:version": "1.2.5", "core:sample_rate": 2e6, "my:mood": "calm"},
///   "captures": [{"core:sample_start": 0, "core:frequency": 1090000000}],
///   "annotations": []
/// }"#;
/// let meta = Meta::from_json(json.as_bytes(), "x.sigmf-meta")?;
/// assert_eq!(meta.global.sample_rate_hz, Some(2e6));
/// assert_eq!(meta.captures[0].frequency_hz, Some(1090e6));
/// assert_eq!(meta.global.other["my:mood"], "calm");
/// # Ok::<(), superhet_io::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Meta {
    /// What holds for the whole recording.
    pub global: Global,
    /// Runs of samples with the same settings, ascending by `sample_start`.
    pub captures: Vec<Capture>,
    /// What was found in the samples, ascending by `sample_start`.
    pub annotations: Vec<Annotation>,
    /// Keys beside the three, which the specification does not allow but which are kept.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// What holds for the whole recording.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Global {
    /// The sample format by its SigMF name; see [`Meta::format`].
    #[serde(rename = "core:datatype")]
    pub datatype: String,
    /// Samples per second.
    #[serde(rename = "core:sample_rate", default, with = "number", skip_serializing_if = "Option::is_none")]
    pub sample_rate_hz: Option<f64>,
    /// The version of the specification, `X.Y.Z`.
    #[serde(rename = "core:version")]
    pub version: String,
    /// How many channels are interleaved; absent means 1.
    #[serde(rename = "core:num_channels", default, skip_serializing_if = "Option::is_none")]
    pub num_channels: Option<u64>,
    /// The SHA-512 of the data file, in hex.
    #[serde(rename = "core:sha512", default, skip_serializing_if = "Option::is_none")]
    pub sha512: Option<String>,
    /// The index of the first sample; absent means 0.
    #[serde(rename = "core:offset", default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// A text about the recording.
    #[serde(rename = "core:description", default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Who made the recording.
    #[serde(rename = "core:author", default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The collection that the recording belongs to.
    #[serde(rename = "core:collection", default, skip_serializing_if = "Option::is_none")]
    pub collection: Option<String>,
    /// The name of the data file, if it is not `X.sigmf-data`; in the same directory.
    #[serde(rename = "core:dataset", default, skip_serializing_if = "Option::is_none")]
    pub dataset: Option<String>,
    /// The DOI of the data file.
    #[serde(rename = "core:data_doi", default, skip_serializing_if = "Option::is_none")]
    pub data_doi: Option<String>,
    /// The hardware that made the recording.
    #[serde(rename = "core:hw", default, skip_serializing_if = "Option::is_none")]
    pub hw: Option<String>,
    /// The URL of the licence.
    #[serde(rename = "core:license", default, skip_serializing_if = "Option::is_none")]
    pub license: Option<String>,
    /// Whether there is no data file on purpose.
    #[serde(rename = "core:metadata_only", default, skip_serializing_if = "Option::is_none")]
    pub metadata_only: Option<bool>,
    /// The DOI of the metadata file.
    #[serde(rename = "core:meta_doi", default, skip_serializing_if = "Option::is_none")]
    pub meta_doi: Option<String>,
    /// The software that made the recording.
    #[serde(rename = "core:recorder", default, skip_serializing_if = "Option::is_none")]
    pub recorder: Option<String>,
    /// Bytes after the last sample that are none.
    #[serde(rename = "core:trailing_bytes", default, skip_serializing_if = "Option::is_none")]
    pub trailing_bytes: Option<u64>,
    /// Where the recorder stood.
    #[serde(rename = "core:geolocation", default, skip_serializing_if = "Option::is_none")]
    pub geolocation: Option<Geolocation>,
    /// The extensions in use.
    #[serde(rename = "core:extensions", default, skip_serializing_if = "Option::is_none")]
    pub extensions: Option<Vec<Extension>>,
    /// Every other field.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// A run of samples with the same settings, up to the next capture.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Capture {
    /// The index of its first sample.
    #[serde(rename = "core:sample_start")]
    pub sample_start: u64,
    /// The centre frequency in Hz.
    #[serde(rename = "core:frequency", default, with = "number", skip_serializing_if = "Option::is_none")]
    pub frequency_hz: Option<f64>,
    /// The time of its first sample, `YYYY-MM-DDTHH:MM:SS.sZ`; see [`datetime`](super::datetime).
    #[serde(rename = "core:datetime", default, skip_serializing_if = "Option::is_none")]
    pub datetime: Option<String>,
    /// The index of its first sample in the stream it was cut from.
    #[serde(rename = "core:global_index", default, skip_serializing_if = "Option::is_none")]
    pub global_index: Option<u64>,
    /// Bytes before its first sample that are none.
    #[serde(rename = "core:header_bytes", default, skip_serializing_if = "Option::is_none")]
    pub header_bytes: Option<u64>,
    /// Where the recorder stood.
    #[serde(rename = "core:geolocation", default, skip_serializing_if = "Option::is_none")]
    pub geolocation: Option<Geolocation>,
    /// Every other field.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Something found in the samples.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Annotation {
    /// The index of its first sample.
    #[serde(rename = "core:sample_start")]
    pub sample_start: u64,
    /// How many samples; absent means to the end of the capture.
    #[serde(rename = "core:sample_count", default, skip_serializing_if = "Option::is_none")]
    pub sample_count: Option<u64>,
    /// Its lowest frequency in Hz, together with `freq_upper_edge_hz` or not at all.
    #[serde(
        rename = "core:freq_lower_edge",
        default,
        with = "number",
        skip_serializing_if = "Option::is_none"
    )]
    pub freq_lower_edge_hz: Option<f64>,
    /// Its highest frequency in Hz.
    #[serde(
        rename = "core:freq_upper_edge",
        default,
        with = "number",
        skip_serializing_if = "Option::is_none"
    )]
    pub freq_upper_edge_hz: Option<f64>,
    /// What it is, in at most about 20 characters.
    #[serde(rename = "core:label", default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// What it is, at length.
    #[serde(rename = "core:comment", default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Who found it.
    #[serde(rename = "core:generator", default, skip_serializing_if = "Option::is_none")]
    pub generator: Option<String>,
    /// Its RFC 4122 identifier.
    #[serde(rename = "core:uuid", default, skip_serializing_if = "Option::is_none")]
    pub uuid: Option<String>,
    /// Every other field.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// A place, as a GeoJSON point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Geolocation {
    /// Always `"Point"`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Longitude and latitude in degrees (WGS 84), and perhaps the altitude in metres.
    pub coordinates: Vec<f64>,
    /// Every other field, like `bbox`.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// An extension in use.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Extension {
    /// Its namespace.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Whether the recording can be read without it.
    pub optional: bool,
}

impl Meta {
    /// Makes the metadata of one channel of `format` samples, with one capture.
    pub fn new(format: SampleFormat, sample_rate_hz: Option<f64>) -> Self {
        let global = Global {
            datatype: format.to_string(),
            sample_rate_hz,
            version: VERSION.to_owned(),
            recorder: Some(concat!("superhet ", env!("CARGO_PKG_VERSION")).to_owned()),
            ..Global::default()
        };
        Meta { global, captures: vec![Capture::default()], ..Meta::default() }
    }

    /// Reads JSON; `path` is only for error messages.
    ///
    /// Checks that every core field is what the schema asks for. Whether the fields fit each other and the
    /// data is another question: [`Meta::check`].
    ///
    /// # Errors
    ///
    /// [`Error::Json`]; [`Error::Sigmf`] with every mistake.
    pub fn from_json(json: &[u8], path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let not_json = |e: serde_json::Error| Error::Json { path: path.to_owned(), message: e.to_string() };
        // Some editors put a byte order mark in front.
        let json = json.strip_prefix(b"\xef\xbb\xbf").unwrap_or(json);
        let mut value: Value = serde_json::from_slice(json).map_err(not_json)?;
        let problems = schema::fields(&mut value);
        if problems.is_empty() {
            serde_json::from_value(value).map_err(not_json)
        } else {
            Err(Error::Sigmf { path: path.to_owned(), problems })
        }
    }

    /// Writes JSON, indented, with a line feed at the end; `path` is only for error messages.
    ///
    /// # Errors
    ///
    /// [`Error::Sigmf`] if a core field is not what the schema asks for, for example a NaN.
    pub fn to_json(&self, path: impl AsRef<Path>) -> Result<String, Error> {
        let path = path.as_ref();
        let not_json = |e: serde_json::Error| Error::Json { path: path.to_owned(), message: e.to_string() };
        let mut value = serde_json::to_value(self).map_err(not_json)?;
        let problems = schema::fields(&mut value);
        if !problems.is_empty() {
            return Err(Error::Sigmf { path: path.to_owned(), problems });
        }
        Ok(serde_json::to_string_pretty(self).map_err(not_json)? + "\n")
    }

    /// Returns the sample format.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownFormat`]; never for metadata that were read.
    pub fn format(&self) -> Result<SampleFormat, Error> {
        self.global.datatype.parse()
    }

    /// Returns how many channels are interleaved, ≥ 1.
    pub fn channels(&self) -> u64 {
        self.global.num_channels.unwrap_or(1).max(1)
    }

    /// Returns the capture that sample `index` belongs to, if captures are in order.
    pub fn capture_at(&self, index: u64) -> Option<&Capture> {
        let after = self.captures.partition_point(|capture| capture.sample_start <= index);
        after.checked_sub(1).map(|last| &self.captures[last])
    }

    /// Returns the extensions without which the recording cannot be read as meant.
    pub fn required_extensions(&self) -> impl Iterator<Item = &Extension> {
        self.global.extensions.iter().flatten().filter(|extension| !extension.optional)
    }
}

impl Annotation {
    /// Makes an annotation of `sample_count` samples.
    pub fn new(sample_start: u64, sample_count: u64) -> Self {
        Annotation { sample_start, sample_count: Some(sample_count), ..Annotation::default() }
    }

    /// Sets the label, best at most 20 characters.
    pub fn with_label(self, label: impl Into<String>) -> Self {
        Annotation { label: Some(label.into()), ..self }
    }

    /// Sets the comment.
    pub fn with_comment(self, comment: impl Into<String>) -> Self {
        Annotation { comment: Some(comment.into()), ..self }
    }

    /// Sets the lowest and highest frequency in Hz.
    pub fn with_edges(self, lower_hz: f64, upper_hz: f64) -> Self {
        Annotation { freq_lower_edge_hz: Some(lower_hz), freq_upper_edge_hz: Some(upper_hz), ..self }
    }
}

impl Geolocation {
    /// Makes a point from degrees and metres.
    pub fn point(longitude_deg: f64, latitude_deg: f64, altitude_m: Option<f64>) -> Self {
        let coordinates = [longitude_deg, latitude_deg].into_iter().chain(altitude_m).collect();
        Geolocation { kind: "Point".to_owned(), coordinates, other: Map::new() }
    }
}

/// Numbers that are whole are written as integers: `48000`, not `48000.0`.
mod number {
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
        match value {
            // Up to 2⁵³, where every whole number is a float. Minus zero keeps its sign.
            Some(x) if x.fract() == 0.0 && x.abs() < 9e15 && !(*x == 0.0 && x.is_sign_negative()) => {
                serializer.serialize_i64(*x as i64)
            }
            Some(x) => serializer.serialize_f64(*x),
            None => serializer.serialize_none(),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
        Option::deserialize(deserializer)
    }
}
