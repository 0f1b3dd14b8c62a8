//! Doors for the fuzz targets, see [`crate::fuzzing`].

use super::context::ContextFields;
use super::follow::{Follow, Place};
use super::{Kind, Packet};

/// What comes of these datagrams in a row: each packet as it would be written again, where that is done here, and how many samples
/// of `sample_bytes` are missing before those that it has, where it has any.
///
/// # Errors
/// What is wrong with one.
#[allow(clippy::type_complexity, reason = "two things that are there or not")]
pub fn vita49<'a>(
    sample_bytes: usize,
    rate_hz: Option<f64>,
    datagrams: impl IntoIterator<Item = &'a [u8]>,
) -> Vec<Result<(Option<Vec<u8>>, Option<u64>), String>> {
    let mut follow = Follow::default();
    let mut look = |bytes: &[u8]| {
        let packet = Packet::parse(bytes)?;
        let mut missing = None;
        match packet.kind {
            Kind::Context => drop(ContextFields::parse(packet.body)?),
            Kind::Data => {
                let samples = (packet.body.len() / sample_bytes) as u64;
                let time = packet.stamp.moment(rate_hz);
                if let Place::Next(samples) = follow.place(packet.count, time, samples, rate_hz) {
                    missing = Some(samples);
                }
            }
            Kind::ExtensionContext | Kind::Other => {}
        }
        let is_written = packet.stream.is_some() && packet.kind != Kind::Other;
        let again = is_written.then(|| {
            let mut again = Vec::new();
            packet.write(&mut again);
            again
        });
        Ok((again, missing))
    };
    datagrams.into_iter().map(&mut look).collect()
}
