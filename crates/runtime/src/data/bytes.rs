//! Bytes that start on a 64-byte line, as items of any type may.

/// One line.
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
pub(crate) struct Line([u8; 64]);

impl Line {
    pub const ZERO: Line = Line([0; 64]);
}

/// Some bytes on lines of their own.
pub(crate) struct Bytes {
    lines: Vec<Line>,
    len: usize,
}

impl Bytes {
    /// So many zeros.
    pub fn zeroed(len: usize) -> Self {
        Bytes { lines: vec![Line::ZERO; len.div_ceil(64)], len }
    }

    /// `zeros` zeros and a copy of `bytes`.
    pub fn padded(zeros: usize, bytes: &[u8]) -> Self {
        let mut all = Bytes::zeroed(zeros + bytes.len());
        all.as_mut()[zeros..].copy_from_slice(bytes);
        all
    }
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.lines)[..self.len]
    }
}

impl AsMut<[u8]> for Bytes {
    fn as_mut(&mut self) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(&mut self.lines)[..self.len]
    }
}
