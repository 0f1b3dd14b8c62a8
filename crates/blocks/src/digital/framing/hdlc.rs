//! Frames as HDLC has them: flags, stuffed bits, and a checksum.
//!
//! # Source
//! ISO/IEC 13239; the checksum is CRC-16/IBM-SDLC, its lower byte first.

use std::ops::RangeInclusive;

use crate::error::{Error, check};
use crate::packets::{Algorithm, ByteOrder, Checksum};

/// The flag before and behind each frame, in the order of time.
pub(crate) const FLAG: [u8; 8] = [0, 1, 1, 1, 1, 1, 1, 0];
/// The longest frame, in bytes.
pub(crate) const LONGEST: usize = 65536;
/// How many bytes the checksum has.
pub(crate) const SUM_BYTES: usize = 2;

/// The checksum of a frame.
pub(crate) fn checksum() -> Checksum {
    Checksum::new(Algorithm::Crc16IbmSdlc, ByteOrder::Little)
}

/// The bits of bytes in the order of time, the lowest of each first, with a zero behind every five ones.
pub(crate) fn stuff(bytes: impl Iterator<Item = u8>, bits: &mut Vec<u8>) {
    let mut ones = 0;
    for byte in bytes {
        for place in 0..8 {
            let bit = byte >> place & 1;
            bits.push(bit);
            ones = if bit == 1 { ones + 1 } else { 0 };
            if ones == 5 {
                bits.push(0);
                ones = 0;
            }
        }
    }
}

/// What a bit ends.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Ends {
    /// Nothing, or a flag behind another.
    Nothing,
    /// A frame with these bytes.
    Frame(Vec<u8>),
    /// What is no frame: aborted, too long, or no whole number of bytes.
    Broken,
}

/// Takes frames out of a stream of bits.
#[derive(Clone, Debug)]
pub(crate) struct Unstuffer {
    /// Ones in a row.
    ones: u32,
    /// The bytes of the frame so far; none outside of frames.
    frame: Option<Vec<u8>>,
    /// The bits of the next byte, and how many there are.
    byte: u8,
    bits: u32,
    /// The longest frame, in bytes with the checksum.
    most: usize,
}

impl Unstuffer {
    /// Waits for a flag; frames have at most so many bytes.
    pub fn new(most: usize) -> Self {
        Unstuffer { ones: 0, frame: None, byte: 0, bits: 0, most }
    }

    /// The same, as if a flag had just come.
    pub fn behind_flag(most: usize) -> Self {
        Unstuffer { frame: Some(Vec::new()), ..Unstuffer::new(most) }
    }

    /// Takes the lowest bit of `bit`.
    pub fn take(&mut self, bit: u8) -> Ends {
        let bit = bit & 1;
        if bit == 1 {
            self.ones = self.ones.saturating_add(1);
            if self.ones > 6 {
                return self.give_up();
            }
        } else {
            match std::mem::take(&mut self.ones) {
                5 => return Ends::Nothing,
                6 => return self.flag(),
                _ => {}
            }
        }
        let Some(frame) = self.frame.as_mut() else { return Ends::Nothing };
        (self.byte, self.bits) = (self.byte >> 1 | bit << 7, self.bits + 1);
        if self.bits == 8 {
            self.bits = 0;
            frame.push(self.byte);
            // The first bits of a flag may make a byte too many.
            if frame.len() > self.most + 1 {
                return self.give_up();
            }
        }
        Ends::Nothing
    }

    fn give_up(&mut self) -> Ends {
        self.bits = 0;
        if self.frame.take().is_some() { Ends::Broken } else { Ends::Nothing }
    }

    /// A flag has come: one frame ends, the next begins.
    fn flag(&mut self) -> Ends {
        // Of the flag, its zero and six ones were taken for data; but of two flags that share a zero, the ones alone.
        let bits = std::mem::take(&mut self.bits);
        match self.frame.replace(Vec::new()) {
            None => Ends::Nothing,
            Some(frame) if frame.is_empty() && (bits == 6 || bits == 7) => Ends::Nothing,
            Some(frame) if bits == 7 && frame.len() <= self.most => Ends::Frame(frame),
            Some(_) => Ends::Broken,
        }
    }

    /// Whether a flag has just come.
    pub fn is_at_start(&self) -> bool {
        self.bits == 0 && self.frame.as_ref().is_some_and(Vec::is_empty)
    }
}

/// Takes the bytes of frames whose checksum is right out of a stream of bits.
#[derive(Clone, Debug)]
pub(crate) struct Frames {
    checksum: Checksum,
    lengths: RangeInclusive<usize>,
    unstuffer: Unstuffer,
}

impl Frames {
    /// Frames of so many bytes, without the checksum.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless both are at most 65536 and in order.
    pub fn new(min_length: usize, max_length: usize) -> Result<Self, Error> {
        check(max_length <= LONGEST, "max_length", "at most 65536", max_length as f64)?;
        check(min_length <= max_length, "min_length", "at most max_length", min_length as f64)?;
        let unstuffer = Unstuffer::new(max_length + SUM_BYTES);
        Ok(Frames { checksum: checksum(), lengths: min_length..=max_length, unstuffer })
    }

    /// Takes a bit; the frame that ends with it, without the checksum.
    pub fn take(&mut self, bit: u8) -> Option<Vec<u8>> {
        let Ends::Frame(mut frame) = self.unstuffer.take(bit) else { return None };
        let n = frame.len().checked_sub(SUM_BYTES)?;
        let is_right = self.checksum.of(&frame[..n]).to_le_bytes()[..SUM_BYTES] == frame[n..];
        frame.truncate(n);
        (is_right && self.lengths.contains(&n)).then_some(frame)
    }

    /// Whether a flag has just come.
    pub fn is_at_start(&self) -> bool {
        self.unstuffer.is_at_start()
    }
}
