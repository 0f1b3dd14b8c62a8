//! Where a stage reads and writes what it takes of a claim.

use std::ops::Range;

use super::shared::SharedChain;
use super::stage::Stage;
use super::worker::Carried;
use crate::plan::chain::{Boundary, Way};
use crate::stream::buffer::Flow;

/// What a stage takes of a claim at once, in items.
#[derive(Clone, Copy, Default)]
pub(super) struct Part {
    pub taken: usize,
    /// Where they lie, counted from the claim's first item.
    pub takes_at: usize,
    pub given: usize,
    /// Where what they lead to is to lie.
    pub gives_at: usize,
}

impl Part {
    /// As much as `next`, right behind this.
    pub fn next(self, next: Part) -> Self {
        Part { takes_at: self.takes_at + self.taken, gives_at: self.gives_at + self.given, ..next }
    }

    pub fn is_empty(self) -> bool {
        self.taken == 0 && self.given == 0
    }

    /// The bytes that are read, of items of so many bytes.
    pub fn read(self, item: usize) -> Range<usize> {
        self.takes_at * item..(self.takes_at + self.taken) * item
    }

    /// The bytes that are written.
    pub fn written(self, item: usize) -> Range<usize> {
        self.gives_at * item..(self.gives_at + self.given) * item
    }
}

/// Where a stage reads and writes.
pub(super) enum Spans<'a> {
    Apart(&'a [u8], &'a mut [u8]),
    OnTop(&'a mut [u8]),
    Down(Down<'a>),
}

/// Items of a claim in memory in which a stage slides down.
pub(super) struct Down<'a> {
    piece: &'a mut [u8],
    items: usize,
    /// How many of them were taken, and where the next ones are to be read and written.
    taken: usize,
    read: usize,
    written: usize,
}

impl SharedChain {
    /// What the stage at `place` reads, with what comes before it, and where it writes, for a part of a claim.
    pub(super) fn spans<'a>(&self, carried: &'a mut Carried, place: usize, part: Part) -> Spans<'a> {
        let stage = &self.stages[place];
        let ends = carried.claim.strip();
        let (before, behind) =
            (place.checked_sub(1).map(|before| &self.boundaries[before]), self.boundaries.get(place));
        // The first stage reads what was claimed, the last one fills it.
        let item = if stage.shape.is_source() { 0 } else { stage.shape.head_bytes() };
        let input = |Range { start, end }: Range<usize>| &ends.input[start..end + stage.shape.lead() * item];
        match (before, behind, carried.memory.as_mut()) {
            (Some(before), Some(behind), Some(memory)) if behind.way == Way::OnTop => {
                Spans::OnTop(memory.items(before, part.read(before.item_bytes)))
            }
            (Some(before), Some(Boundary { way: Way::Down(_), offset, item_bytes, .. }), Some(memory)) => {
                Spans::Down(Down {
                    piece: memory.piece(before, part.read(before.item_bytes).end),
                    items: part.taken,
                    taken: 0,
                    read: before.offset + part.read(before.item_bytes).start,
                    written: offset + part.written(*item_bytes).start,
                })
            }
            (Some(before), Some(behind), Some(memory)) => {
                let (read, written) = (part.read(before.item_bytes), part.written(behind.item_bytes));
                let (x, y) = memory.between(before, read, behind, written);
                Spans::Apart(x, y)
            }
            (Some(before), None, Some(memory)) => Spans::Apart(
                memory.window(before, part.read(before.item_bytes)),
                &mut ends.output[part.written(stage.out_bytes)],
            ),
            (None, Some(behind), Some(memory)) => {
                Spans::Apart(input(part.read(item)), memory.items(behind, part.written(behind.item_bytes)))
            }
            // A chain of one stage.
            _ => Spans::Apart(input(part.read(item)), &mut ends.output[part.written(stage.out_bytes)]),
        }
    }
}

impl Down<'_> {
    /// The next strip: how many items come before it, its items, what is read with the lead before it, and where to write.
    pub fn next(&mut self, stage: &Stage) -> Option<(usize, usize, &[u8], &mut [u8])> {
        let items = (self.items - self.taken).min(stage.strip);
        if items == 0 {
            return None;
        }
        let (lead, read) = (stage.shape.lead() * stage.shape.head_bytes(), items * stage.shape.head_bytes());
        let (below, above) = self.piece.split_at_mut(self.read - lead);
        let given = if items == stage.strip { stage.strip_gives } else { stage.shape.given(items) };
        let given = given * stage.out_bytes;
        let strip = (self.taken, items, &above[..lead + read], &mut below[self.written..][..given]);
        self.taken += items;
        self.read += read;
        self.written += given;
        Some(strip)
    }
}

/// Puts what is known of the items before a part in front of it, and keeps as much of its end for the next.
pub(super) fn hand_over(known: &mut [u8], window: &mut [u8]) {
    if !known.is_empty() {
        window[..known.len()].copy_from_slice(known);
        known.copy_from_slice(&window[window.len() - known.len()..]);
    }
}
