//! Frames as what Zenoh carries: in memory that both sides share, where the feature is on and there is room.

use superhet_io::link::{HEADER, Header};
use zenoh::bytes::ZBytes;

/// The shortest frame that goes through shared memory, in bytes: for less, the notice costs as much.
#[cfg(feature = "shared-memory")]
const LEAST_SHARED: usize = 4096;

/// Memory for frames; by default none of it is shared.
#[derive(Default)]
pub(crate) struct Memory {
    #[cfg(feature = "shared-memory")]
    shared: Option<zenoh::shm::ShmProvider<zenoh::shm::PosixShmProviderBackend>>,
}

impl Memory {
    /// Memory of so many bytes, which is shared where the system gives it.
    #[cfg(feature = "shared-memory")]
    pub fn new(bytes: usize) -> Self {
        use zenoh::Wait;
        let shared = zenoh::shm::ShmProviderBuilder::default_backend(bytes).wait();
        let shared = shared.map_err(|error| tracing::warn!("frames go without shared memory: {error}"));
        Memory { shared: shared.ok() }
    }

    /// Memory that is not shared.
    #[cfg(not(feature = "shared-memory"))]
    pub fn new(_: usize) -> Self {
        Memory::default()
    }

    /// A frame: the header, whose lengths are filled in, tags and items or messages. It has no checksum but that of the header: Zenoh gives a
    /// message whole or not at all, and to look at it twice more would take as long as to copy it.
    pub fn frame(&self, header: &mut Header, tags: &[u8], body: &[u8]) -> ZBytes {
        header.tags = u32::try_from(tags.len()).unwrap_or(u32::MAX);
        header.body = u32::try_from(tags.len().saturating_add(body.len())).unwrap_or(u32::MAX);
        let parts = [&header.bytes()[..], tags, body];
        self.share(parts).unwrap_or_else(|| parts.concat().into())
    }

    #[cfg(feature = "shared-memory")]
    fn share(&self, parts: [&[u8]; 3]) -> Option<ZBytes> {
        use zenoh::Wait;
        let length: usize = parts.iter().map(|part| part.len()).sum();
        let shared = self.shared.as_ref().filter(|_| length >= LEAST_SHARED)?;
        // Where all of it is with readers, this one goes without.
        let mut place = shared.alloc(length).with_policy::<zenoh::shm::GarbageCollect>().wait().ok()?;
        let (head, rest) = place.split_at_mut_checked(parts[0].len())?;
        let (before, behind) = rest.split_at_mut_checked(parts[1].len())?;
        head.copy_from_slice(parts[0]);
        before.copy_from_slice(parts[1]);
        behind.copy_from_slice(parts[2]);
        Some(place.into())
    }

    #[cfg(not(feature = "shared-memory"))]
    fn share(&self, _: [&[u8]; 3]) -> Option<ZBytes> {
        None
    }
}

impl std::fmt::Debug for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Memory")
    }
}

/// The header of a frame that has come.
///
/// # Errors
/// Why it is none: its length or its header.
pub(crate) fn read(payload: &ZBytes) -> Result<Header, String> {
    let mut bytes = [0; HEADER];
    if !copy(payload, 0, &mut bytes) {
        return Err(format!("a message of {} bytes is no frame, expected {HEADER} or more", payload.len()));
    }
    let header = Header::parse(&bytes).map_err(|breach| breach.to_string())?;
    let body = payload.len().saturating_sub(HEADER);
    if body != header.body as usize {
        return Err(format!("a frame has {body} bytes behind its header, expected {}", header.body));
    }
    Ok(header)
}

/// Copies what lies at a place of a message; whether there was so much.
pub(crate) fn copy(payload: &ZBytes, at: usize, into: &mut [u8]) -> bool {
    use std::io::{Read, Seek, SeekFrom};
    let mut reader = payload.reader();
    reader.seek(SeekFrom::Start(at as u64)).is_ok() && reader.read_exact(into).is_ok()
}

#[cfg(test)]
mod tests {
    use superhet_io::link::FrameKind;

    use super::*;

    #[test]
    fn frames_are_read_as_they_were_written_in_both_kinds_of_memory() {
        let memory = Memory::new(1 << 20);
        for length in [0, 100, 100_000] {
            let items: Vec<u8> = (0..length).map(|n| n as u8).collect();
            let mut header = Header { first: 7, count: length, ..Header::new(FrameKind::Items) };
            let payload = memory.frame(&mut header, b"tags", &items);
            let read = read(&payload).unwrap();
            assert_eq!((read.first, read.count, read.tags), (7, length, 4));
            let mut bytes = vec![0; 4 + length as usize];
            assert!(copy(&payload, HEADER, &mut bytes));
            assert_eq!(bytes, [&b"tags"[..], &items].concat());
            assert!(!copy(&payload, HEADER + 1, &mut bytes), "there is less");
        }
    }

    #[test]
    fn what_is_no_frame_is_refused() {
        let mut bytes = Header::new(FrameKind::Items).frame(b"abcd");
        assert!(read(&bytes.clone().into()).is_ok());
        assert!(read(&bytes[..50].to_vec().into()).unwrap_err().contains("50 bytes is no frame"));
        assert!(
            read(&bytes[..HEADER + 3].to_vec().into()).unwrap_err().contains("3 bytes behind its header")
        );
        bytes[HEADER - 1] ^= 1;
        assert_eq!(read(&bytes.into()).unwrap_err(), "the checksum of a header is wrong");
        assert!(read(&vec![b'x'; 200].into()).unwrap_err().contains("SHL1"));
    }

    #[test]
    fn memory_that_readers_still_have_is_not_written_again() {
        let memory = Memory::new(1 << 20);
        let mut header = Header { count: 1, ..Header::new(FrameKind::Items) };
        let held: Vec<ZBytes> =
            (0..40u8).map(|n| memory.frame(&mut header, &[], &vec![n; 100_000])).collect();
        for (n, payload) in held.iter().enumerate() {
            let mut bytes = vec![0; 100_000];
            assert!(read(payload).is_ok() && copy(payload, HEADER, &mut bytes));
            assert!(bytes.iter().all(|byte| usize::from(*byte) == n));
        }
    }
}
