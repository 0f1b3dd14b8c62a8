//! What AX.25 frames say.

use superhet_runtime::{AnyBlock, BlockError, Packet, Value, declare, packet::PacketBlock};

/// Puts into words what the bytes of AX.25 frames say: their packets get more metadata. What is no frame is dropped.
///
/// It is a [`PacketBlock`]: [`messages`](PacketBlock::messages) makes a block of it.
///
/// | entry | is |
/// |---|---|
/// | `to`, `from` | call signs, with `-SSID` where that is not 0 |
/// | `via` | a list of digipeaters, with `*` behind those that have repeated the frame; not there without any |
/// | `kind` | `UI`, `I`, `RR`, `RNR`, `REJ`, `SREJ`, `SABM`, `SABME`, `DISC`, `DM`, `UA`, `FRMR`, `XID`, `TEST`, or `U` |
/// | `poll` | whether the poll or final bit is set |
/// | `pid` | the protocol behind it, of `UI` and `I`: 240 is none |
/// | `info` | the information as text, what is no ASCII as `.`; not there without any |
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | packets | `u8`: the bytes of a frame, without the checksum |
/// | out `out` | packets | the same |
///
/// # Source
/// AX.25 Link Access Protocol 2.2, TAPR 1998, sections 3 and 4.
///
/// ```
/// use superhet_blocks::digital::Ax25Decode;
/// use superhet_runtime::{Packet, Value, packet::PacketBlock};
///
/// let address = |call: &[u8; 6], last: u8| call.iter().map(|c| c << 1).chain([0x60 | last]).collect::<Vec<_>>();
/// let frame = [address(b"CQ    ", 0), address(b"N0CALL", 1), vec![0x03, 0xf0], b"hello".to_vec()].concat();
/// let said = Ax25Decode.packet(Packet::from_items(&frame))?.unwrap();
/// assert_eq!((said.get("from"), said.get("info")), (Some(&Value::from("N0CALL")), Some(&Value::from("hello"))));
/// # Ok::<(), superhet_runtime::BlockError>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Ax25Decode;

/// Bytes in an address.
const ADDRESS: usize = 7;
/// Two, and at most eight digipeaters.
const MOST_ADDRESSES: usize = 10;

/// A call sign, with its SSID; none where its bytes are none.
fn call(address: &[u8]) -> Option<String> {
    let mut text = String::new();
    for byte in &address[..6] {
        let letter = byte >> 1;
        // Some satellites have spaces within, and small letters.
        if byte & 1 == 1 || !(b' '..=b'~').contains(&letter) {
            return None;
        }
        text.push(char::from(letter));
    }
    let call = text.trim_end();
    let ssid = address[6] >> 1 & 15;
    match (call.is_empty(), ssid) {
        (true, _) => None,
        (_, 0) => Some(call.to_owned()),
        _ => Some(format!("{call}-{ssid}")),
    }
}

/// What a frame says; none where it is none.
fn entries(frame: &[u8]) -> Option<Vec<(&'static str, Value)>> {
    let addresses = frame.chunks_exact(ADDRESS).position(|address| address[6] & 1 == 1)? + 1;
    if !(2..=MOST_ADDRESSES).contains(&addresses) {
        return None;
    }
    let (header, rest) = frame.split_at(addresses * ADDRESS);
    let mut calls = header.chunks_exact(ADDRESS);
    let (to, from) = (call(calls.next()?)?, call(calls.next()?)?);
    let mut via = Vec::new();
    for address in calls {
        let has_repeated = if address[6] & 0x80 != 0 { "*" } else { "" };
        via.push(Value::from(call(address)? + has_repeated));
    }
    let control = *rest.first()?;
    let kind = match (control & 1, control & 3, control & 0xec) {
        (0, ..) => "I",
        (_, 1, _) => ["RR", "RNR", "REJ", "SREJ"][usize::from(control >> 2 & 3)],
        (.., 0x00) => "UI",
        (.., 0x2c) => "SABM",
        (.., 0x6c) => "SABME",
        (.., 0x40) => "DISC",
        (.., 0x0c) => "DM",
        (.., 0x60) => "UA",
        (.., 0x84) => "FRMR",
        (.., 0xac) => "XID",
        (.., 0xe0) => "TEST",
        _ => "U",
    };
    let mut said: Vec<(&'static str, Value)> = vec![
        ("to", to.into()),
        ("from", from.into()),
        ("kind", kind.into()),
        ("poll", (control & 0x10 != 0).into()),
    ];
    if !via.is_empty() {
        said.push(("via", via.into()));
    }
    let mut info = &rest[1..];
    if matches!(kind, "I" | "UI") {
        let (pid, behind) = info.split_first()?;
        said.push(("pid", u64::from(*pid).into()));
        info = behind;
    }
    if !info.is_empty() {
        let shown = |byte: &u8| if (b' '..=b'~').contains(byte) { char::from(*byte) } else { '.' };
        said.push(("info", info.iter().map(shown).collect::<String>().into()));
    }
    Some(said)
}

impl PacketBlock for Ax25Decode {
    type In = u8;
    type Out = u8;

    fn packet(&mut self, mut x: Packet<u8>) -> Result<Option<Packet<u8>>, BlockError> {
        let Some(said) = entries(x.items()) else { return Ok(None) };
        x.set_all(said);
        Ok(Some(x))
    }
}

#[declare(
    category = "digital",
    summary = "Puts into words what AX.25 frames say: addresses, kind, information.",
    ports(
        input("in", "messages", "packets of u8: frames without their checksums"),
        output("out", "messages", "the same, with what they say in their metadata")
    )
)]
fn ax25_decode() -> AnyBlock {
    AnyBlock::new(Ax25Decode.messages())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &[u8; 6], ssid: u8) -> Vec<u8> {
        text.iter().map(|c| c << 1).chain([ssid]).collect()
    }

    #[test]
    fn addresses_kinds_and_digipeaters_are_told() {
        let header = [
            address(b"APRS  ", 0xe0),
            address(b"DB0XYZ", 0x60 | 5 << 1),
            address(b"WIDE1 ", 0xe0 | 1 << 1),
            address(b"WIDE2 ", 0x60 | 2 << 1 | 1),
        ]
        .concat();
        let frame = [&header[..], &[0x13, 0xf0], b"=52\x00"].concat();
        let said = Value::map(entries(&frame).unwrap());
        let wanted = r#"{"from":"DB0XYZ-5","info":"=52.","kind":"UI","pid":240,"poll":true,"to":"APRS","via":["WIDE1-1*","WIDE2-2"]}"#;
        assert_eq!(said.to_string(), wanted);
        let said = Value::map(entries(&[&header[..], &[0x41]].concat()).unwrap());
        assert_eq!(said.get("kind"), Some(&Value::from("RR")));
    }

    #[test]
    fn bytes_that_are_no_frame_are_dropped() {
        for wrong in [
            vec![],
            vec![0; 14],
            vec![0xff; 200],
            [address(b"ABC\x01  ", 0), address(b"ABC   ", 1), vec![3, 240]].concat(),
        ] {
            assert!(Ax25Decode.packet(Packet::from_items(&wrong)).unwrap().is_none(), "{wrong:?}");
        }
    }
}
