//! Lists the files of a tar archive: as much of ustar, pax and GNU tar as SigMF archives need.
//!
//! **Source**: POSIX.1-2017, pax, "ustar Interchange Format" and "pax Extended Header".

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use crate::error::Error;

const BLOCK: u64 = 512;
/// Extended headers hold a name and times; more than this is an attack.
const MAX_EXTENDED_BYTES: u64 = 64 * 1024;

/// A regular file in an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub name: String,
    /// Where its bytes begin in the archive.
    pub byte_start: u64,
    pub bytes: u64,
}

/// Lists the regular files of an archive of `archive_bytes` bytes, each within the archive.
pub(super) fn entries(
    input: &mut (impl Read + Seek),
    archive_bytes: u64,
    path: &Path,
) -> Result<Vec<Entry>, Error> {
    let damaged =
        |byte_offset: u64, message: String| Error::Archive { path: path.to_owned(), byte_offset, message };
    let mut entries = Vec::new();
    let (mut long_name, mut long_size) = (None, None);
    let mut at = 0;
    while at < archive_bytes {
        if archive_bytes - at < BLOCK {
            return Err(damaged(at, format!("{} bytes of a 512-byte header", archive_bytes - at)));
        }
        let mut header = [0; BLOCK as usize];
        read_at(input, at, &mut header).map_err(|e| Error::io(path, "read", e))?;
        if header.iter().all(|&b| b == 0) {
            break;
        }
        if number(&header[148..156]) != Some(checksum(&header)) {
            let message = "the header's checksum is wrong (not a tar archive, or a compressed one?)";
            return Err(damaged(at, message.to_owned()));
        }
        let kind = header[156];
        let mut bytes = number(&header[124..136]).ok_or_else(|| {
            damaged(
                at + 124,
                format!("the size is {:?}, no number", header[124..136].escape_ascii().to_string()),
            )
        })?;
        let regular = matches!(kind, b'0' | 0 | b'7');
        if regular {
            bytes = long_size.take().unwrap_or(bytes);
        } else if matches!(kind, b'1'..=b'6') {
            // Links, devices and directories have no bytes, whatever the size says.
            bytes = 0;
        }
        let byte_start = at + BLOCK;
        if bytes > archive_bytes - byte_start {
            let there = archive_bytes - byte_start;
            return Err(damaged(
                at + 124,
                format!("the size is {bytes}, the archive has only {there} bytes more"),
            ));
        }
        if matches!(kind, b'x' | b'L') {
            if bytes > MAX_EXTENDED_BYTES {
                let message =
                    format!("an extended header of {bytes} bytes, at most {MAX_EXTENDED_BYTES} are read");
                return Err(damaged(at + 124, message));
            }
            let mut body = vec![0; bytes as usize];
            read_at(input, byte_start, &mut body).map_err(|e| Error::io(path, "read", e))?;
            if kind == b'L' {
                long_name = Some(text(&body));
            } else {
                long_name = pax(&body, "path").or(long_name);
                long_size = pax(&body, "size").and_then(|size| size.parse().ok()).or(long_size);
            }
        } else {
            let name = long_name.take().unwrap_or_else(|| ustar_name(&header));
            long_size = None;
            // Names go into messages, and no recording has such a one.
            if name.contains(char::is_control) {
                let message = format!("the name {name:?} has control characters");
                return Err(damaged(at, message));
            }
            if regular {
                entries.push(Entry { name: name.trim_start_matches("./").to_owned(), byte_start, bytes });
            }
        }
        at = byte_start + bytes.next_multiple_of(BLOCK);
    }
    Ok(entries)
}

fn read_at(input: &mut (impl Read + Seek), at: u64, bytes: &mut [u8]) -> std::io::Result<()> {
    input.seek(SeekFrom::Start(at))?;
    input.read_exact(bytes)
}

fn ustar_name(header: &[u8; 512]) -> String {
    let (name, prefix) = (text(&header[..100]), text(&header[345..500]));
    // Only POSIX ustar has a prefix; GNU tar keeps times in its place.
    if &header[257..263] == b"ustar\0" && !prefix.is_empty() { format!("{prefix}/{name}") } else { name }
}

/// The bytes before the first NUL.
fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

/// An octal number, or GNU's big-endian one with the top bit set.
fn number(bytes: &[u8]) -> Option<u64> {
    if bytes[0] & 0x80 != 0 {
        let (high, low) = bytes.split_at(bytes.len() - 8.min(bytes.len() - 1));
        let small = high[0] == 0x80 && high[1..].iter().all(|&b| b == 0);
        return small.then(|| low.iter().fold(0, |value, &b| value << 8 | u64::from(b)));
    }
    let digits = text(bytes);
    u64::from_str_radix(digits.trim_matches(' '), 8).ok()
}

/// The sum of the header's bytes, with the checksum itself counted as spaces.
fn checksum(header: &[u8; 512]) -> u64 {
    let sum: u64 = header.iter().map(|&b| u64::from(b)).sum();
    let own: u64 = header[148..156].iter().map(|&b| u64::from(b)).sum();
    sum - own + 8 * u64::from(b' ')
}

/// The last value of a key in records like `18 path=some/name\n`; a damaged record ends the search.
fn pax(mut records: &[u8], key: &str) -> Option<String> {
    let mut found = None;
    while let Some(space) = records.iter().position(|&b| b == b' ') {
        let length = str::from_utf8(&records[..space]).ok().and_then(|n| n.parse::<usize>().ok());
        let Some(length) = length.filter(|&n| n > space + 1 && n <= records.len()) else { break };
        let record = records[space + 1..length].strip_suffix(b"\n").unwrap_or_default();
        if let Some(value) = record.strip_prefix(key.as_bytes()).and_then(|rest| rest.strip_prefix(b"=")) {
            found = Some(String::from_utf8_lossy(value).into_owned());
        }
        records = &records[length..];
    }
    found
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn member(name: &str, kind: u8, body: &[u8]) -> Vec<u8> {
        let mut header = [0u8; 512];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[124..135].copy_from_slice(format!("{:011o}", body.len()).as_bytes());
        header[156] = kind;
        header[257..263].copy_from_slice(b"ustar\0");
        let sum = checksum(&header);
        header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
        let mut bytes = header.to_vec();
        bytes.extend(body);
        bytes.resize(bytes.len().next_multiple_of(512), 0);
        bytes
    }

    fn list(bytes: &[u8]) -> Result<Vec<Entry>, Error> {
        entries(&mut Cursor::new(bytes), bytes.len() as u64, Path::new("x.sigmf"))
    }

    #[test]
    fn files_are_found_and_directories_are_not() {
        let archive =
            [member("d/", b'5', &[]), member("d/a", b'0', b"hello"), member("b", 0, &[]), vec![0; 1024]];
        let list = list(&archive.concat()).unwrap();
        assert_eq!(
            list,
            [
                Entry { name: "d/a".into(), byte_start: 1024, bytes: 5 },
                Entry { name: "b".into(), byte_start: 2048, bytes: 0 },
            ]
        );
    }

    #[test]
    fn long_names_of_pax_and_gnu_are_read() {
        let archive = [
            member("PaxHeader", b'x', b"20 mtime=1611111.25\n15 path=longer\n"),
            member("short", b'0', b"1"),
            member("././@LongLink", b'L', b"longest\0"),
            member("short", b'0', b"2"),
            member("plain", b'0', b"3"),
        ];
        let names: Vec<String> = list(&archive.concat()).unwrap().into_iter().map(|e| e.name).collect();
        assert_eq!(names, ["longer", "longest", "plain"]);
    }

    #[test]
    fn a_name_that_would_control_a_terminal_is_refused_and_shown_without_harm() {
        let (plain, long) = (member("a\x1b[2J", b'0', b""), member("PaxHeader", b'x', b"11 path=\x07b\n"));
        for archive in [plain, [long, member("b", b'0', b"")].concat()] {
            let error = list(&archive).unwrap_err().to_string();
            assert!(error.contains("control characters") && !error.contains(char::is_control), "{error:?}");
        }
    }

    #[test]
    fn sizes_that_lie_and_cut_headers_are_reported_with_their_place() {
        let good = [member("a", b'0', b"hello"), member("b", b'0', b"world")].concat();
        let error = list(&good[..1024 + 512 + 3]).unwrap_err();
        assert!(matches!(error, Error::Archive { byte_offset: 1148, .. }), "{error}");
        assert!(matches!(list(&good[..1100]), Err(Error::Archive { byte_offset: 1024, .. })));
        let mut flipped = good;
        flipped[0] = b'z';
        assert!(matches!(list(&flipped), Err(Error::Archive { byte_offset: 0, .. })));
    }
}
