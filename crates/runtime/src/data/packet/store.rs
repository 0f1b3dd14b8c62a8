//! What a packet holds.

use crate::data::ItemType;
use crate::data::bytes::Line;
use crate::data::value::types::Store;

impl Store {
    pub fn new(lines: usize) -> Self {
        Store {
            lines: vec![Line::ZERO; lines].into(),
            item: ItemType::of::<u8>(),
            items: 0,
            tags: Vec::new(),
        }
    }

    pub fn lines(&self) -> usize {
        self.lines.len()
    }

    pub fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.lines)[..self.items * self.item.size()]
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(&mut self.lines)[..self.items * self.item.size()]
    }

    /// Drops what refers to other memory.
    pub fn forget(&mut self) {
        self.items = 0;
        self.tags.clear();
    }
}
