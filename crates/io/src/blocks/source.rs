//! What all sources of files share: whole items out of bytes that come in pieces, and how a source ends.

use std::marker::PhantomData;
use std::ops::Range;
use std::path::Path;

use superhet_runtime::Out;

use super::item::FileItem;
use crate::error::Error;
use crate::format::SampleFormat;

/// How many bytes are asked of a file at once: few calls, and what was read is still in the cache when it is used.
const CHUNK_BYTES: usize = 256 * 1024;

/// Bytes that were read and not yet given as items.
#[derive(Debug)]
pub(super) struct ItemBuffer<T> {
    format: SampleFormat,
    bytes: Box<[u8]>,
    filled: Range<usize>,
    /// Items given since the last `clear`.
    given: u64,
    item: PhantomData<fn() -> T>,
}

impl<T: FileItem> ItemBuffer<T> {
    pub fn new(format: SampleFormat) -> Self {
        Self::of(CHUNK_BYTES, format)
    }

    /// Room for so many bytes.
    pub fn of(bytes: usize, format: SampleFormat) -> Self {
        let bytes = vec![0; bytes].into_boxed_slice();
        ItemBuffer { format, bytes, filled: 0..0, given: 0, item: PhantomData }
    }

    /// How many whole items there are.
    pub fn items(&self) -> usize {
        self.filled.len() / self.format.bytes()
    }

    /// How many items have been given.
    pub fn given(&self) -> u64 {
        self.given
    }

    /// Where to read to; what is not given yet moves to the front.
    pub fn room(&mut self) -> &mut [u8] {
        if self.filled.start > 0 {
            self.bytes.copy_within(self.filled.clone(), 0);
            self.filled = 0..self.filled.len();
        }
        &mut self.bytes[self.filled.end..]
    }

    /// Says that `n` bytes were read to the room.
    pub fn filled(&mut self, n: usize) {
        self.filled.end += n;
    }

    /// Drops the first `n` bytes, or all if there are fewer; returns how many.
    pub fn skip(&mut self, n: u64) -> u64 {
        let n = n.min(self.filled.len() as u64);
        self.filled.start += n as usize;
        n
    }

    /// Gives items, as many as there are and fit.
    pub fn give(&mut self, items: &mut [T]) -> usize {
        let n = self.items().min(items.len());
        let bytes = n * self.format.bytes();
        T::from_bytes(self.format, &self.bytes[self.filled.start..][..bytes], &mut items[..n]);
        self.filled.start += bytes;
        self.given += n as u64;
        n
    }

    /// Starts over.
    pub fn clear(&mut self) {
        self.filled = 0..0;
        self.given = 0;
    }

    /// What is wrong with the end of a stream that ends here and began at sample `first` of its file.
    pub fn problem_at_end(&self, path: &Path, first: u64) -> Option<Error> {
        let sample_bytes = self.format.bytes();
        match (self.filled.len(), self.given) {
            (0, 0) => Some(Error::Empty { path: path.to_owned() }),
            (0, _) => None,
            (got_bytes, given) => Some(Error::CutSample {
                path: path.to_owned(),
                byte_offset: (first + given) * sample_bytes as u64,
                sample_offset: first + given,
                got_bytes,
                sample_bytes,
                format: self.format,
            }),
        }
    }
}

/// Puts numbers that are known on the first item of the reserved room.
pub(super) fn tag_known<T: FileItem>(output: &mut Out<T>, tags: &[(&'static str, Option<f64>)]) {
    for (key, value) in tags {
        if let Some(value) = value {
            output.tag(0, *key, *value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_cut_anywhere_come_out_whole_and_the_rest_is_reported() {
        let mut buffer = ItemBuffer::<i16>::new(SampleFormat::S16);
        let mut given = Vec::new();
        for byte in [1, 0, 2, 0, 3] {
            buffer.room()[0] = byte;
            buffer.filled(1);
            let mut items = [0; 4];
            let n = buffer.give(&mut items);
            given.extend_from_slice(&items[..n]);
        }
        assert_eq!(given, [1, 2]);
        assert!(matches!(
            buffer.problem_at_end(Path::new("x"), 10),
            Some(Error::CutSample { byte_offset: 24, sample_offset: 12, got_bytes: 1, .. })
        ));
        buffer.clear();
        assert!(matches!(buffer.problem_at_end(Path::new("x"), 0), Some(Error::Empty { .. })));
    }
}
