//! Checksums behind packets of bytes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use superhet_runtime::catalog::{Choice, Kind, Parameters};
use superhet_runtime::{BlockError, Packet, packet::PacketBlock};

use crate::error::Error;

/// A checksum by the name that the catalogue of parametrised CRC algorithms has for it.
///
/// # Source
/// G. Cook, Catalogue of parametrised CRC algorithms, <https://reveng.sourceforge.io/crc-catalogue/>
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Algorithm {
    /// CRC-16/IBM-3740, also called CCITT-FALSE.
    #[word("ibm_3740")]
    Crc16Ibm3740,
    /// CRC-16/IBM-SDLC, also called X.25: HDLC, AX.25.
    #[word("ibm_sdlc")]
    Crc16IbmSdlc,
    /// CRC-16/XMODEM.
    #[word("xmodem")]
    Crc16Xmodem,
    /// CRC-16/KERMIT.
    #[word("kermit")]
    Crc16Kermit,
    /// CRC-16/MODBUS.
    #[word("modbus")]
    Crc16Modbus,
    /// CRC-32/ISO-HDLC: Ethernet, ZIP.
    #[word("iso_hdlc")]
    Crc32IsoHdlc,
    /// CRC-32/ISCSI, also called CRC-32C.
    #[word("iscsi")]
    Crc32Iscsi,
    /// CRC-32/BZIP2.
    #[word("bzip2")]
    Crc32Bzip2,
    /// CRC-32/MPEG-2.
    #[word("mpeg_2")]
    Crc32Mpeg2,
}

/// Which byte of a checksum comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum ByteOrder {
    /// The lowest.
    Little,
    /// The highest.
    Big,
}

/// A checksum of bytes, and how it lies behind them.
#[derive(Clone)]
pub struct Checksum {
    sum: Sum,
    order: ByteOrder,
}

#[derive(Clone)]
enum Sum {
    Crc16(Arc<::crc::Crc<u16>>),
    Crc32(Arc<::crc::Crc<u32>>),
}

impl std::fmt::Debug for Checksum {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Checksum of {} bytes, {:?} endian", self.bytes(), self.order)
    }
}

impl Checksum {
    /// A checksum.
    pub fn new(algorithm: Algorithm, order: ByteOrder) -> Self {
        use ::crc::Crc;
        let crc16 = |algorithm| Sum::Crc16(Arc::new(Crc::<u16>::new(algorithm)));
        let crc32 = |algorithm| Sum::Crc32(Arc::new(Crc::<u32>::new(algorithm)));
        let sum = match algorithm {
            Algorithm::Crc16Ibm3740 => crc16(&::crc::CRC_16_IBM_3740),
            Algorithm::Crc16IbmSdlc => crc16(&::crc::CRC_16_IBM_SDLC),
            Algorithm::Crc16Xmodem => crc16(&::crc::CRC_16_XMODEM),
            Algorithm::Crc16Kermit => crc16(&::crc::CRC_16_KERMIT),
            Algorithm::Crc16Modbus => crc16(&::crc::CRC_16_MODBUS),
            Algorithm::Crc32IsoHdlc => crc32(&::crc::CRC_32_ISO_HDLC),
            Algorithm::Crc32Iscsi => crc32(&::crc::CRC_32_ISCSI),
            Algorithm::Crc32Bzip2 => crc32(&::crc::CRC_32_BZIP2),
            Algorithm::Crc32Mpeg2 => crc32(&::crc::CRC_32_MPEG_2),
        };
        Checksum { sum, order }
    }

    /// How many bytes it has: 2 or 4.
    pub fn bytes(&self) -> usize {
        match self.sum {
            Sum::Crc16(_) => 2,
            Sum::Crc32(_) => 4,
        }
    }

    /// The checksum of `bytes`, as a number.
    pub fn of(&self, bytes: &[u8]) -> u32 {
        match &self.sum {
            Sum::Crc16(crc) => crc.checksum(bytes).into(),
            Sum::Crc32(crc) => crc.checksum(bytes),
        }
    }

    /// The number as the bytes that lie behind a packet.
    fn write(&self, number: u32, bytes: &mut [u8]) {
        let n = bytes.len();
        match self.order {
            ByteOrder::Little => bytes.copy_from_slice(&number.to_le_bytes()[..n]),
            ByteOrder::Big => bytes.copy_from_slice(&number.to_be_bytes()[4 - n..]),
        }
    }

    /// The number that the bytes behind a packet say.
    fn read(&self, bytes: &[u8]) -> u32 {
        let add = |number, byte: &u8| number << 8 | u32::from(*byte);
        match self.order {
            ByteOrder::Little => bytes.iter().rev().fold(0, add),
            ByteOrder::Big => bytes.iter().fold(0, add),
        }
    }
}

/// Puts a checksum behind each packet.
///
/// ```
/// use superhet_blocks::packets::{Algorithm, ByteOrder, Checksum, CrcAppend};
/// use superhet_runtime::{Packet, packet::PacketBlock};
///
/// let mut append = CrcAppend::new(Checksum::new(Algorithm::Crc32IsoHdlc, ByteOrder::Big));
/// let packet = append.packet(Packet::from_items(b"123456789"))?.unwrap();
/// assert_eq!(packet.items(), b"123456789\xcb\xf4\x39\x26");
/// # Ok::<(), superhet_runtime::BlockError>(())
/// ```
#[derive(Clone, Debug)]
pub struct CrcAppend(Checksum);

impl CrcAppend {
    /// Puts this checksum behind each packet.
    pub fn new(checksum: Checksum) -> Self {
        CrcAppend(checksum)
    }
}

impl PacketBlock for CrcAppend {
    type In = u8;
    type Out = u8;

    fn packet(&mut self, x: Packet<u8>) -> Result<Option<Packet<u8>>, BlockError> {
        let n = x.len();
        let mut y = x.with_meta(n + self.0.bytes());
        let (bytes, sum) = y.items_mut().split_at_mut(n);
        bytes.copy_from_slice(x.items());
        self.0.write(self.0.of(bytes), sum);
        x.tags().iter().for_each(|tag| y.put_tag(tag.clone()));
        Ok(Some(y))
    }
}

/// What becomes of a packet whose checksum is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum WhenBad {
    /// It is dropped and counted.
    Drop,
    /// It passes as a good one does; the entry `crc_ok` of each packet's metadata says which it is.
    Mark,
    /// The graph ends with an error.
    Error,
}

/// Takes the checksum behind each packet off, if it is right.
///
/// ```
/// use superhet_blocks::packets::{Algorithm, ByteOrder, Checksum, CrcCheck, WhenBad};
/// use superhet_runtime::{Packet, packet::PacketBlock};
///
/// let checksum = Checksum::new(Algorithm::Crc32IsoHdlc, ByteOrder::Big);
/// let mut check = CrcCheck::new(checksum, WhenBad::Drop);
/// let good = check.packet(Packet::from_items(b"123456789\xcb\xf4\x39\x26"))?.unwrap();
/// assert_eq!(good.items(), b"123456789");
/// assert!(check.packet(Packet::from_items(b"123456780\xcb\xf4\x39\x26"))?.is_none());
/// assert_eq!(check.count().get(), 1);
/// # Ok::<(), superhet_runtime::BlockError>(())
/// ```
#[derive(Clone, Debug)]
pub struct CrcCheck {
    checksum: Checksum,
    when_bad: WhenBad,
    bad: BadCount,
}

/// How many packets were bad; cheap to clone, and can be asked while the graph runs.
#[derive(Clone, Debug, Default)]
pub struct BadCount(Arc<AtomicU64>);

impl BadCount {
    /// The number of bad packets so far.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl CrcCheck {
    /// Checks this checksum.
    pub fn new(checksum: Checksum, when_bad: WhenBad) -> Self {
        CrcCheck { checksum, when_bad, bad: BadCount::default() }
    }

    /// A handle to the count of bad packets, to be had before the block is added to a graph.
    pub fn count(&self) -> BadCount {
        self.bad.clone()
    }

    /// What is wrong with a packet.
    fn problem(&self, items: &[u8]) -> Option<Error> {
        let bytes = items.len();
        let Some((data, sum)) = bytes.checked_sub(self.checksum.bytes()).map(|n| items.split_at(n)) else {
            return Some(Error::NoCrc { bytes, needed: self.checksum.bytes() });
        };
        let (wanted, got) = (self.checksum.of(data), self.checksum.read(sum));
        (wanted != got).then_some(Error::BadCrc { bytes, wanted, got })
    }
}

impl PacketBlock for CrcCheck {
    type In = u8;
    type Out = u8;

    fn packet(&mut self, mut x: Packet<u8>) -> Result<Option<Packet<u8>>, BlockError> {
        let problem = self.problem(x.items());
        let is_good = problem.is_none();
        if let Some(problem) = problem {
            if self.bad.0.fetch_add(1, Ordering::Relaxed) == 0 {
                tracing::warn!("a packet is bad, the first of its block: {problem}");
            }
            match self.when_bad {
                WhenBad::Drop => return Ok(None),
                WhenBad::Mark => {}
                WhenBad::Error => return Err(problem.into()),
            }
        }
        x.truncate(x.len().saturating_sub(self.checksum.bytes()));
        if self.when_bad == WhenBad::Mark {
            x.set("crc_ok", is_good);
        }
        Ok(Some(x))
    }
}

/// The parameters of checksums of 16 bits.
#[derive(Clone, Copy, Debug, Parameters)]
pub(super) struct Checksum16 {
    /// The checksum; ibm_3740 is also called CCITT-FALSE, ibm_sdlc X.25.
    #[param(kind = Kind::Choice(&["ibm_3740", "ibm_sdlc", "xmodem", "kermit", "modbus"]), default = "ibm_3740")]
    algorithm: Algorithm,
    /// Which byte of the checksum comes first.
    #[param(default = "big")]
    byte_order: ByteOrder,
}

/// The parameters of checksums of 32 bits.
#[derive(Clone, Copy, Debug, Parameters)]
pub(super) struct Checksum32 {
    /// The checksum; iso_hdlc is that of Ethernet, iscsi is also called CRC-32C.
    #[param(kind = Kind::Choice(&["iso_hdlc", "iscsi", "bzip2", "mpeg_2"]), default = "iso_hdlc")]
    algorithm: Algorithm,
    /// Which byte of the checksum comes first.
    #[param(default = "little")]
    byte_order: ByteOrder,
}

impl From<Checksum16> for Checksum {
    fn from(Checksum16 { algorithm, byte_order }: Checksum16) -> Self {
        Checksum::new(algorithm, byte_order)
    }
}

impl From<Checksum32> for Checksum {
    fn from(Checksum32 { algorithm, byte_order }: Checksum32) -> Self {
        Checksum::new(algorithm, byte_order)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use superhet_runtime::{Tag, Value};

    #[test]
    fn the_checksums_are_those_of_the_catalogue() {
        for (algorithm, wanted) in [
            (Algorithm::Crc16Ibm3740, 0x29b1),
            (Algorithm::Crc16IbmSdlc, 0x906e),
            (Algorithm::Crc16Xmodem, 0x31c3),
            (Algorithm::Crc16Kermit, 0x2189),
            (Algorithm::Crc16Modbus, 0x4b37),
            (Algorithm::Crc32IsoHdlc, 0xcbf4_3926),
            (Algorithm::Crc32Iscsi, 0xe306_9283),
            (Algorithm::Crc32Bzip2, 0xfc89_1918),
            (Algorithm::Crc32Mpeg2, 0x0376_e6e7),
        ] {
            assert_eq!(Checksum::new(algorithm, ByteOrder::Big).of(b"123456789"), wanted, "{algorithm:?}");
        }
    }

    #[test]
    fn what_was_appended_is_right_and_what_was_changed_is_not() {
        for algorithm in [Algorithm::Crc16Kermit, Algorithm::Crc32Iscsi] {
            for order in [ByteOrder::Little, ByteOrder::Big] {
                let checksum = Checksum::new(algorithm, order);
                let mut append = CrcAppend::new(checksum.clone());
                let mut check = CrcCheck::new(checksum, WhenBad::Drop);
                for n in [0, 1, 2, 57, 300] {
                    let mut packet = Packet::from_items(&vec![n as u8; n]);
                    packet.set("snr", 9);
                    if n > 1 {
                        let (key, source) = ("k".into(), "s".into());
                        packet.put_tag(Tag { index: 1, key, value: Value::Null, source });
                    }
                    let long = append.packet(packet.clone()).unwrap().unwrap();
                    assert_eq!(check.packet(long.clone()).unwrap().unwrap(), packet);
                    let mut wrong = long.clone();
                    wrong.items_mut()[n / 2] ^= 4;
                    assert_eq!(check.packet(wrong).unwrap(), None);
                }
                assert_eq!(check.count().get(), 5);
            }
        }
    }

    #[test]
    fn a_bad_packet_is_marked_or_an_error_where_that_is_wanted() {
        let checksum = Checksum::new(Algorithm::Crc16Ibm3740, ByteOrder::Big);
        let mut mark = CrcCheck::new(checksum.clone(), WhenBad::Mark);
        for (items, rest, is_good) in
            [(&b"ab\0\0"[..], &b"ab"[..], false), (b"\xff\xff", b"", true), (b"x", b"", false)]
        {
            let packet = mark.packet(Packet::from_items(items)).unwrap().unwrap();
            assert_eq!((packet.items(), packet.get("crc_ok")), (rest, Some(&Value::from(is_good))));
        }
        let mut fail = CrcCheck::new(checksum, WhenBad::Error);
        let error = |error: BlockError| error.to_string();
        assert_eq!(
            error(fail.packet(Packet::from_items(b"123456789\0\0")).unwrap_err()),
            "the CRC of a packet of 11 bytes is 0x0, expected 0x29b1"
        );
        assert_eq!(
            error(fail.packet(Packet::from_items(b"1")).unwrap_err()),
            "a packet of 1 bytes has no CRC: expected at least 2"
        );
    }
}
