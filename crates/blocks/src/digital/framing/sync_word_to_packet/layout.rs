//! What lies behind a sync word.

use crate::bits::BitOrder;
use crate::digital::codes::Crc;
use crate::digital::framing::whitening::Whitening;
use crate::error::Error;

/// How long the packets behind a sync word are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// So many bytes.
    Fixed(usize),
    /// As a field in them says.
    Field {
        /// Where the field begins, in bytes behind the sync word.
        offset: usize,
        /// How many bits it has: 1 to 32. It takes whole bytes, and lies in their lowest bits.
        bits: u32,
        /// Whether its lowest byte is first.
        little_endian: bool,
        /// A packet has as many bytes behind the sync word as the field says, and so many more.
        add: i64,
    },
    /// Up to a flag 01111110, with a zero behind every five ones, as HDLC frames them (ISO/IEC 13239). Flags right behind the sync
    /// word, which may be a flag itself, are skipped; seven ones in a row end the packet.
    Hdlc,
}

/// What lies behind a sync word.
#[derive(Clone, Debug)]
pub struct Layout {
    /// How long it is.
    pub length: Length,
    /// The longest packet, in bytes behind the sync word; a longer one is none.
    pub max_length: usize,
    /// Which bit of a byte is first.
    pub order: BitOrder,
    /// What was added to the bytes behind the sync word.
    pub whitening: Whitening,
    /// The checksum that the last bytes are, if any.
    pub crc: Option<Checked>,
    /// Whether the sync word is also found inverted, and what follows turned back.
    pub either_polarity: bool,
    /// Whether a sync word within a packet counts, too, where no checksum says that the packet is whole: for packets that a code
    /// behind them proves.
    pub overlap: bool,
}

impl Layout {
    /// So many bytes, the highest bit of each first, and no checksum.
    pub fn fixed(bytes: usize) -> Self {
        Layout {
            length: Length::Fixed(bytes),
            max_length: bytes.max(1),
            order: BitOrder::MsbFirst,
            whitening: Whitening::None,
            crc: None,
            either_polarity: false,
            overlap: false,
        }
    }

    /// An HDLC frame of at most so many bytes, with its checksum FCS-16 (CRC-16/IBM-SDLC).
    ///
    /// # Errors
    /// None that can happen: the checksum is in the catalogue.
    pub fn hdlc(max_length: usize) -> Result<Self, Error> {
        let crc = Crc::named(FCS_16)?;
        let checked = Checked { crc, little_endian: true, skip: 0, mark: false };
        let (length, order) = (Length::Hdlc, BitOrder::LsbFirst);
        Ok(Layout { length, max_length, order, crc: Some(checked), ..Layout::fixed(0) })
    }
}

/// The checksum of HDLC frames, in the CRC catalogue.
pub(super) const FCS_16: &str = "CRC-16/IBM-SDLC";

/// A checksum at the end of a packet.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The checksum.
    pub crc: Crc,
    /// Whether its lowest byte is first.
    pub little_endian: bool,
    /// How many bytes behind the sync word do not count.
    pub skip: usize,
    /// Whether a packet with a wrong one passes, too; `crc_ok` in the metadata says which it is.
    pub mark: bool,
}
