//! Doors for the fuzz targets, see [`crate::fuzzing`].

use super::message::{Message, parse};

/// How many bytes of samples the whole messages of these bytes have, and how many bytes are left behind them.
///
/// # Errors
/// What is wrong with one.
pub fn spyserver(bytes: &[u8]) -> Result<(usize, usize), String> {
    let (mut rest, mut samples) = (bytes, 0usize);
    while let Some((message, length)) = parse(rest)? {
        if let Message::Samples { bytes, .. } = message {
            samples = samples.saturating_add(bytes.len());
        }
        rest = rest.get(length..).unwrap_or_default();
    }
    Ok((samples, rest.len()))
}
