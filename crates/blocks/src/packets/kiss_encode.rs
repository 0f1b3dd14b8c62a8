//! Frames as KISS writes them for a serial line or a TCP connection.

use superhet_runtime::catalog::Kind;
use superhet_runtime::{
    Block, BlockError, Context, MsgIn, MsgOut, Packet, Step, Value, Work, declare, message::MessageType,
    packet::AnyPacket,
};

use crate::error::{Error, check};

/// Writes frames as KISS does, so that programs for packet radio can read them: behind it is a `socket_pdu` that is a TCP server.
///
/// A frame is `C0`, a byte with the port in its upper and the command 0, data, in its lower half, the bytes, `C0`; in the bytes `C0` is
/// `DB DC` and `DB` is `DB DD`. Frames are without their checksum, as HDLC's deframer gives them. Of a receiver's message, a map, the bytes
/// are those of its entry `hex`; a map without is left out.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | messages | packets of `u8`, or maps of receivers |
/// | out `out` | packets of `u8` | a frame each, as it is to be sent |
///
/// # Errors
/// At run time: a message that is neither a packet of `u8` nor a map, or a map whose `hex` is no hexadecimal digits.
///
/// # Source
/// M. Chepponis, P. Karn, The KISS TNC: A simple host-to-TNC communications protocol, ARRL 6th Computer Networking Conference, 1987.
///
/// ```
/// use superhet_blocks::packets::KissEncode;
///
/// let kiss = KissEncode::new(1)?;
/// assert_eq!(kiss.frame(&[0x82, 0xc0, 0xdb]), [0xc0, 0x10, 0x82, 0xdb, 0xdc, 0xdb, 0xdd, 0xc0]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Debug, Block)]
pub struct KissEncode {
    #[port("in")]
    input: MsgIn,
    #[port("out")]
    output: MsgOut,
    /// The byte before the data.
    head: u8,
}

const FRAME_END: u8 = 0xc0;
const ESCAPE: u8 = 0xdb;
const ESCAPED_END: u8 = 0xdc;
const ESCAPED_ESCAPE: u8 = 0xdd;
/// Frames that one call of `work` handles at most.
const AT_ONCE: usize = 64;

#[declare(
    category = "packets",
    summary = "Writes frames as KISS does, for programs for packet radio.",
    ports(
        input("in", "messages", "packets of u8, or maps of receivers"),
        output("out", "messages", "packets of u8: a frame each, as it is to be sent")
    )
)]
impl KissEncode {
    /// For frames of this port.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless it is at most 15.
    pub fn new(
        /// Which of the modem's ports frames are said to be of.
        #[param(kind = Kind::Integer(0, 15), default = 0)]
        port: usize,
    ) -> Result<Self, Error> {
        check(port <= 15, "port", "a whole number from 0 to 15", port as f64)?;
        Ok(KissEncode {
            input: MsgIn::new(),
            output: MsgOut::new().sends(MessageType::packets_of::<u8>()),
            head: (port as u8) << 4,
        })
    }

    /// A frame, as it is to be sent.
    pub fn frame(&self, bytes: &[u8]) -> Vec<u8> {
        let mut sent = vec![FRAME_END, self.head];
        for byte in bytes {
            match *byte {
                FRAME_END => sent.extend([ESCAPE, ESCAPED_END]),
                ESCAPE => sent.extend([ESCAPE, ESCAPED_ESCAPE]),
                byte => sent.push(byte),
            }
        }
        sent.push(FRAME_END);
        sent
    }
}

/// The bytes of a message, if it has any.
fn bytes_of(message: Value) -> Result<Option<Vec<u8>>, BlockError> {
    if let Ok(packet) = AnyPacket::try_from(message.clone()) {
        return Ok(Some(Packet::<u8>::try_from(Value::from(packet))?.items().to_vec()));
    }
    if !matches!(message, Value::Map(_)) {
        return Err("kiss_encode: a message is neither a packet of u8 nor a map".into());
    }
    let Some(hex) = message.get("hex").and_then(Value::as_str) else { return Ok(None) };
    let digits: Option<Vec<u32>> = hex.chars().map(|digit| digit.to_digit(16)).collect();
    let Some(digits) = digits.filter(|digits| digits.len() % 2 == 0) else {
        return Err(format!("kiss_encode: hex = {hex}: expected pairs of hexadecimal digits").into());
    };
    Ok(Some(digits.chunks_exact(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect()))
}

impl Work for KissEncode {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        for taken in 0..AT_ONCE {
            let Some(message) = self.input.recv() else {
                return Ok(if taken > 0 { Step::Ran } else { Step::NeedInput });
            };
            if let Some(bytes) = bytes_of(message)? {
                self.output.send(Packet::from_items(&self.frame(&bytes)))?;
            }
        }
        Ok(Step::Ran)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_those_of_a_packet_or_of_a_message_that_has_some() {
        let of = |message: Value| bytes_of(message).map_err(|error| error.to_string());
        assert_eq!(of(Packet::from_items(&[1u8, 0xc0]).into()), Ok(Some(vec![1, 0xc0])));
        assert_eq!(of(Value::map([("hex", "01C0")])), Ok(Some(vec![1, 0xc0])));
        assert_eq!(of(Value::map([("text", "01c0")])), Ok(None));
        for wrong in [Value::map([("hex", "01c")]), Value::map([("hex", "0x")]), Value::from(5)] {
            assert!(of(wrong.clone()).is_err(), "{wrong}");
        }
        assert!(of(Packet::from_items(&[1.0f32]).into()).is_err());
    }

    #[test]
    fn ports_out_of_range_are_refused() {
        assert!(KissEncode::new(16).is_err());
        assert_eq!(KissEncode::new(15).unwrap().frame(&[]), [0xc0, 0xf0, 0xc0]);
    }
}
