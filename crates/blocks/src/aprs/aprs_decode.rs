//! What APRS puts into frames of AX.25.

use superhet_runtime::{AnyBlock, BlockError, Packet, Value, declare, packet::PacketBlock};

use super::mic_e::mic_e;
use super::position::{Entry, altitude_m, position, shown};

/// Puts into words what APRS says in frames of AX.25: their packets get the entry `aprs`, a map. All packets pass.
///
/// It is a [`PacketBlock`]: [`messages`](PacketBlock::messages) makes a block of it. Frames are `UI` with the protocol 240.
///
/// | `type` | other entries |
/// |---|---|
/// | `position`, `mic-e` | `latitude_deg`, `longitude_deg`, `symbol` (table and code), and where they are there `time`, `course_deg`, `speed_kn`, `altitude_m`, `status`, `comment` |
/// | `object`, `item` | the same, `name`, `is_alive` |
/// | `message`, `bulletin` | `addressee`, `text`, maybe `id` |
/// | `acknowledgement`, `rejection` | `addressee`, `id` |
/// | `telemetry` | `sequence`, `values` (a list), `bits` (text of 0 and 1), maybe `comment` |
/// | `telemetry definition` | `addressee`, `what` (`PARM`, `UNIT`, `EQNS` or `BITS`), `text` |
/// | `status` | `text`, maybe `time` |
/// | `weather`, `query`, `capabilities`, `third party` | `text` |
///
/// `time` is text as it was sent: days, hours and minutes with `z` (UTC) or `/` (local) behind, or hours, minutes and seconds with `h`.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | packets | `u8`: the bytes of a frame, without the checksum |
/// | out `out` | packets | the same |
///
/// # Source
/// APRS Protocol Reference 1.0.1, chapters 5 to 16.
///
/// ```
/// use superhet_blocks::aprs::AprsDecode;
/// use superhet_runtime::{Packet, Value, packet::PacketBlock};
///
/// let address = |call: &[u8; 6], last: u8| call.iter().map(|c| c << 1).chain([0x60 | last]).collect::<Vec<_>>();
/// let info = b"!4903.50N/07201.75W-Test";
/// let frame = [address(b"APRS  ", 0), address(b"N0CALL", 1), vec![0x03, 0xf0], info.to_vec()].concat();
/// let said = AprsDecode.packet(Packet::from_items(&frame))?.unwrap();
/// let aprs = said.get("aprs").unwrap();
/// assert_eq!((aprs.get("type"), aprs.get("comment")), (Some(&Value::from("position")), Some(&Value::from("Test"))));
/// # Ok::<(), superhet_runtime::BlockError>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct AprsDecode;

/// Bytes in an address.
const ADDRESS: usize = 7;

/// The destination's letters and the information of a frame; none where APRS is not in it.
fn parts(frame: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let addresses = frame.chunks_exact(ADDRESS).position(|address| address[6] & 1 == 1)? + 1;
    let [control, pid, info @ ..] = frame.get(addresses * ADDRESS..)? else { return None };
    let to = frame[..6].iter().map(|byte| byte >> 1).collect();
    (control & 0xef == 0x03 && *pid == 0xf0).then_some((to, info))
}

/// What the information says, and its type.
fn said(to: &[u8], info: &[u8]) -> Option<(&'static str, Vec<Entry>)> {
    let (kind, rest) = info.split_first()?;
    let text = || vec![("text", Value::from(shown(rest)))];
    match kind {
        b'!' | b'=' => Some(("position", placed(rest)?)),
        b'/' | b'@' => {
            let (time, rest) = time(rest)?;
            Some(("position", [vec![("time", time.into())], placed(rest)?].concat()))
        }
        b'`' | b'\'' | 0x1c | 0x1d => Some(("mic-e", mic_e(to, rest)?)),
        b';' => Some(("object", object(rest)?)),
        b')' => Some(("item", item(rest)?)),
        b':' => message(rest),
        b'T' if rest.starts_with(b"#") => Some(("telemetry", telemetry(&rest[1..])?)),
        b'>' => match time(rest) {
            Some((time, rest)) if time.ends_with('z') => {
                Some(("status", vec![("time", time.into()), ("text", shown(rest).into())]))
            }
            _ => Some(("status", text())),
        },
        b'_' => Some(("weather", text())),
        b'?' => Some(("query", text())),
        b'<' => Some(("capabilities", text())),
        b'}' => Some(("third party", text())),
        _ => None,
    }
}

/// A position and the comment behind it.
fn placed(bytes: &[u8]) -> Option<Vec<Entry>> {
    let (mut said, comment) = position(bytes)?;
    let altitude = altitude_m(comment).filter(|_| said.iter().all(|(key, _)| *key != "altitude_m"));
    said.extend(altitude.map(|altitude| ("altitude_m", altitude.into())));
    let comment = shown(comment);
    if !comment.is_empty() {
        said.push(("comment", comment.into()));
    }
    Some(said)
}

/// Six digits and what they are: `092345z`. Chapter 6.
fn time(bytes: &[u8]) -> Option<(String, &[u8])> {
    let (time, rest) = bytes.split_at_checked(7)?;
    let fits = time[..6].iter().all(u8::is_ascii_digit) && matches!(time[6], b'z' | b'/' | b'h');
    fits.then(|| (shown(time), rest))
}

/// Chapter 11: a name of nine characters, whether it is there, a time and a position.
fn object(bytes: &[u8]) -> Option<Vec<Entry>> {
    let (name, rest) = bytes.split_at_checked(9)?;
    let (alive, rest) = rest.split_first()?;
    let (time, rest) = time(rest)?;
    let head = vec![
        ("name", Value::from(shown(name))),
        ("is_alive", is_alive(*alive, b'*')?.into()),
        ("time", time.into()),
    ];
    Some([head, placed(rest)?].concat())
}

/// The same with a name of three to nine characters, and without a time.
fn item(bytes: &[u8]) -> Option<Vec<Entry>> {
    let end =
        bytes.iter().position(|byte| matches!(byte, b'!' | b'_')).filter(|end| (3..=9).contains(end))?;
    let head =
        vec![("name", Value::from(shown(&bytes[..end]))), ("is_alive", is_alive(bytes[end], b'!')?.into())];
    Some([head, placed(&bytes[end + 1..])?].concat())
}

fn is_alive(byte: u8, yes: u8) -> Option<bool> {
    (byte == yes || byte == b'_').then_some(byte == yes)
}

/// Chapters 13 and 14: an addressee of nine characters, a colon, and a text.
fn message(bytes: &[u8]) -> Option<(&'static str, Vec<Entry>)> {
    let (addressee, rest) = bytes.split_at_checked(9)?;
    let text = rest.strip_prefix(b":")?;
    let name = shown(addressee);
    let mut said = vec![("addressee", Value::from(name.as_str()))];
    for (start, kind) in [(&b"ack"[..], "acknowledgement"), (b"rej", "rejection")] {
        if let Some(id) = text.strip_prefix(start).filter(|id| (1..=5).contains(&shown(id).len())) {
            said.push(("id", shown(id).into()));
            return Some((kind, said));
        }
    }
    for what in ["PARM", "UNIT", "EQNS", "BITS"] {
        if let Some(text) = text.strip_prefix(what.as_bytes()).and_then(|text| text.strip_prefix(b".")) {
            said.extend([("what", what.into()), ("text", shown(text).into())]);
            return Some(("telemetry definition", said));
        }
    }
    let (text, id) = match text.iter().rposition(|byte| *byte == b'{') {
        Some(at) if (1..=5).contains(&shown(&text[at + 1..]).len()) => (&text[..at], Some(&text[at + 1..])),
        _ => (text, None),
    };
    said.push(("text", shown(text).into()));
    said.extend(id.map(|id| ("id", shown(id).into())));
    let is_bulletin = name.starts_with("BLN") || name.starts_with("NWS-");
    Some((if is_bulletin { "bulletin" } else { "message" }, said))
}

/// Chapter 13: a sequence, five numbers, eight bits and a comment: `005,199,000,255,073,123,01101001`.
fn telemetry(bytes: &[u8]) -> Option<Vec<Entry>> {
    let text = shown(bytes);
    let mut parts = text.splitn(7, ',');
    let sequence = parts.next().filter(|sequence| !sequence.is_empty())?.to_owned();
    let values: Vec<Value> = parts
        .by_ref()
        .take(5)
        .map(|part| part.trim().parse::<f64>().ok().filter(|x| x.is_finite()).map(Value::from))
        .collect::<Option<_>>()?;
    if values.len() != 5 {
        return None;
    }
    let mut said = vec![("sequence", Value::from(sequence)), ("values", values.into())];
    if let Some(rest) = parts.next() {
        let end =
            rest.bytes().take(8).position(|byte| !matches!(byte, b'0' | b'1')).unwrap_or(rest.len().min(8));
        said.push(("bits", rest[..end].into()));
        if rest.len() > end {
            said.push(("comment", rest[end..].trim().into()));
        }
    }
    Some(said)
}

impl PacketBlock for AprsDecode {
    type In = u8;
    type Out = u8;

    fn packet(&mut self, mut x: Packet<u8>) -> Result<Option<Packet<u8>>, BlockError> {
        let found = parts(x.items()).and_then(|(to, info)| said(&to, info));
        if let Some((kind, mut entries)) = found {
            entries.push(("type", kind.into()));
            x.set("aprs", Value::map(entries));
        }
        Ok(Some(x))
    }
}

#[declare(
    category = "aprs",
    summary = "Puts into words what APRS says in frames of AX.25: positions, messages, telemetry.",
    ports(
        input("in", "messages", "packets of u8: frames without their checksums"),
        output("out", "messages", "the same, with what they say in their metadata")
    )
)]
fn aprs_decode() -> AnyBlock {
    AnyBlock::new(AprsDecode.messages())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(info: &[u8]) -> String {
        said(b"APRS  ", info)
            .map_or_else(|| "none".to_owned(), |(kind, said)| format!("{kind} {}", Value::map(said)))
    }

    #[test]
    fn reports_are_those_of_the_reference() {
        for (info, wanted) in [
            (
                &b"@092345z4903.50N/07201.75W>Test1234"[..],
                r#"position {"comment":"Test1234","latitude_deg":49.058333,"longitude_deg":-72.029167,"symbol":"/>","time":"092345z"}"#,
            ),
            (
                b";LEADER   *092345z4903.50N/07201.75W>088/036",
                r#"object {"course_deg":88.0,"is_alive":true,"latitude_deg":49.058333,"longitude_deg":-72.029167,"name":"LEADER","speed_kn":36.0,"symbol":"/>","time":"092345z"}"#,
            ),
            (
                b")AID #2!4903.50N/07201.75WA",
                r#"item {"is_alive":true,"latitude_deg":49.058333,"longitude_deg":-72.029167,"name":"AID #2","symbol":"/A"}"#,
            ),
            (b":WU2Z     :Testing{003", r#"message {"addressee":"WU2Z","id":"003","text":"Testing"}"#),
            (b":KB2ICI-14:ack003", r#"acknowledgement {"addressee":"KB2ICI-14","id":"003"}"#),
            (
                b":BLN3     :Snow expected in Tampa",
                r#"bulletin {"addressee":"BLN3","text":"Snow expected in Tampa"}"#,
            ),
            (
                b"T#005,199,000,255,073,123,01101001",
                r#"telemetry {"bits":"01101001","sequence":"005","values":[199.0,0.0,255.0,73.0,123.0]}"#,
            ),
            (
                b":N0QBF-11 :PARM.Battery,Btemp",
                r#"telemetry definition {"addressee":"N0QBF-11","text":"Battery,Btemp","what":"PARM"}"#,
            ),
            (b">092345zNet Control Center", r#"status {"text":"Net Control Center","time":"092345z"}"#),
            (b"?APRS?", r#"query {"text":"APRS?"}"#),
        ] {
            assert_eq!(words(info), wanted);
        }
        let (kind, said) = said(b"S32U6T", b"`(_fn\"Oj/").unwrap();
        assert_eq!((kind, Value::map(said).get("speed_kn")), ("mic-e", Some(&20.0.into())));
    }

    #[test]
    fn any_bytes_can_be_read() {
        let mut random = crate::sources::random::Random::new(9);
        for kind in 0..=255u8 {
            for len in 0..60 {
                let info: Vec<u8> =
                    std::iter::once(kind).chain((0..len).map(|_| (random.bits() >> 57) as u8)).collect();
                said(b"S32U6T", &info);
            }
        }
        for len in 0..30 {
            let packet = AprsDecode.packet(Packet::from_items(&vec![3u8; len])).unwrap().unwrap();
            assert!(packet.get("aprs").is_none());
        }
        assert_eq!(words(b"T#1,2,3,4,5"), "none");
        assert_eq!(
            words("T#1,2,3,4,5,6,é".as_bytes()),
            r#"telemetry {"bits":"","comment":"é","sequence":"1","values":[2.0,3.0,4.0,5.0,6.0]}"#
        );
    }
}
