//! Where samples of the host and of the device meet: in frames of staging memory, used in turn, or in the stream's memory.

use superhet_runtime::buffer::StreamMemory;

use super::direct::Flights;
use crate::backend::{Backend, Transfer};

/// How a stream's samples come to the device, or from there.
pub(super) enum Way<B: Backend, L> {
    /// Copied by the host from the stream into staging memory, or back.
    Staged(Frames<B>),
    /// Copied by the device itself, while the stream lends them.
    Direct(Flights<B, L>),
}

impl<B: Backend, L> Way<B, L> {
    /// How many copies are on their way, as far as is known.
    pub fn on_their_way(&self) -> usize {
        match self {
            Way::Staged(frames) => frames.on_their_way() as usize,
            Way::Direct(flights) => flights.len(),
        }
    }

    /// Waits for the oldest copy; false if there is none.
    pub fn wait(&mut self, backend: &B) -> Result<bool, B::Error> {
        match self {
            Way::Staged(frames) => match frames.oldest() {
                Some(frame) => backend.synchronize(&frame.done).map(|()| true),
                None => Ok(false),
            },
            Way::Direct(flights) => flights.wait(),
        }
    }

    /// Through staging memory, of so many frames.
    pub fn staged(backend: &B, bytes: usize, frames: usize, transfer: Transfer) -> Result<Self, B::Error> {
        Frames::new(backend, bytes, frames, transfer).map(Way::Staged)
    }

    /// The stream lends the memory to be copied, if the driver can use it; at most so many batches at once.
    pub fn lending(backend: &B, memory: Option<StreamMemory>, most: usize, name: &str) -> Option<Self> {
        let locked = backend.direct()?.lock(&memory?);
        let locked =
            locked.inspect_err(|error| tracing::info!("{name} goes through staging memory: {error}")).ok()?;
        Some(Way::Direct(Flights::new(locked, most)))
    }
}

/// One frame, and the copy that uses it.
pub(super) struct Frame<B: Backend> {
    pub memory: B::Staging,
    pub done: B::Event,
}

/// Frames that are filled in one order and emptied in the same.
pub(super) struct Frames<B: Backend> {
    frames: Vec<Frame<B>>,
    /// Frames filled so far, and frames emptied.
    filled: u64,
    emptied: u64,
    /// A mistake that is put in.
    #[cfg(test)]
    pub is_never_full: bool,
}

impl<B: Backend> Frames<B> {
    pub fn new(backend: &B, bytes: usize, depth: usize, transfer: Transfer) -> Result<Self, B::Error> {
        let frame = |_| Ok(Frame { memory: backend.stage(bytes, transfer)?, done: backend.event()? });
        let frames = (0..depth).map(frame).collect::<Result<_, B::Error>>()?;
        Ok(Frames {
            frames,
            filled: 0,
            emptied: 0,
            #[cfg(test)]
            is_never_full: false,
        })
    }

    fn place(&self, number: u64) -> usize {
        (number % self.frames.len() as u64) as usize
    }

    /// How many copies are on their way, as far as is known.
    pub fn on_their_way(&self) -> u64 {
        self.filled - self.emptied
    }

    /// The oldest frame whose copy is not known to be done.
    pub fn oldest(&mut self) -> Option<&mut Frame<B>> {
        let place = self.place(self.emptied);
        (self.filled > self.emptied).then(|| &mut self.frames[place])
    }

    /// The frame to be filled next, if it is empty.
    pub fn next(&mut self) -> Option<&mut Frame<B>> {
        let place = self.place(self.filled);
        #[cfg(test)]
        if self.is_never_full {
            return Some(&mut self.frames[place]);
        }
        (self.on_their_way() < self.frames.len() as u64).then(|| &mut self.frames[place])
    }

    /// The frame that `next` gave is on its way.
    pub fn fill(&mut self) {
        self.filled += 1;
    }

    /// The copy of the oldest frame is done, and its content is no longer needed.
    pub fn empty(&mut self) {
        self.emptied += 1;
    }

    /// Counts the frames whose copies are done as empty: for uploads, where nobody needs them then.
    pub fn collect(&mut self, backend: &B) -> Result<(), B::Error> {
        while let Some(frame) = self.oldest() {
            if !backend.is_done(&frame.done)? {
                break;
            }
            self.empty();
        }
        Ok(())
    }
}
