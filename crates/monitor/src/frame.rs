//! Binary frames: a header of 24 bytes and what is drawn, little endian.

use bytemuck::NoUninit;

/// Bytes before the payload.
pub(crate) const HEADER: usize = 24;
/// The version that the second byte says.
const VERSION: u8 = 1;

/// Two traces: the real and the imaginary parts.
pub(crate) const COMPLEX: u32 = 1;
/// The payload is of `f32`; else of bytes, or as the kind says.
pub(crate) const FLOATS: u32 = 2;
/// The view of time begins at its trigger.
pub(crate) const TRIGGERED: u32 = 4;
/// Pairs of the least and the largest value.
pub(crate) const PAIRS: u32 = 8;

/// What a frame shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    Spectrum = 1,
    Waterfall = 2,
    Time = 3,
    Constellation = 4,
    Eye = 5,
    Histogram = 6,
    Bits = 7,
    Audio = 8,
}

/// What a view gives to be sent, without what the viewer's place in it adds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Frame {
    pub kind: Kind,
    pub flags: u32,
    pub first_sample: u64,
    pub payload: Vec<u8>,
}

impl Frame {
    pub fn new(kind: Kind, first_sample: u64) -> Self {
        Frame { kind, flags: 0, first_sample, payload: Vec::new() }
    }

    /// With more flags.
    pub fn flagged(mut self, flags: u32) -> Self {
        self.flags |= flags;
        self
    }

    /// With numbers behind those that are there.
    pub fn with<T: NoUninit>(mut self, numbers: &[T]) -> Self {
        const { assert!(cfg!(target_endian = "little")) };
        self.payload.extend_from_slice(bytemuck::cast_slice(numbers));
        self
    }

    /// The bytes that are sent. `lost` is what the viewer missed since the frame before.
    pub fn bytes(&self, tap: u16, sequence: u32, lost: u32) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER + self.payload.len());
        bytes.extend([self.kind as u8, VERSION]);
        bytes.extend(tap.to_le_bytes());
        bytes.extend(self.flags.to_le_bytes());
        bytes.extend(sequence.to_le_bytes());
        bytes.extend(lost.to_le_bytes());
        bytes.extend(self.first_sample.to_le_bytes());
        bytes.extend(&self.payload);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_has_its_fields_where_the_protocol_says() {
        let frame = Frame::new(Kind::Time, 0x0102_0304_0506_0708).flagged(FLOATS | PAIRS).with(&[1.0f32]);
        let bytes = frame.bytes(0x0a0b, 0x0c0d_0e0f, 7);
        assert_eq!(bytes.len(), HEADER + 4);
        assert_eq!(bytes[..8], [3, 1, 0x0b, 0x0a, 10, 0, 0, 0]);
        assert_eq!(bytes[8..16], [0x0f, 0x0e, 0x0d, 0x0c, 7, 0, 0, 0]);
        assert_eq!(bytes[16..24], [8, 7, 6, 5, 4, 3, 2, 1]);
        assert_eq!(bytes[24..], 1.0f32.to_le_bytes());
    }
}
