//! Blocks that several of these files use.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use superhet_runtime::prelude::*;

/// Waits for a given time, and reacts to nothing.
#[derive(Block)]
pub struct Deaf {
    #[port]
    pub output: Out<u32>,
    pub released: Arc<AtomicBool>,
}

impl Work for Deaf {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        while !self.released.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(Step::Done)
    }
    fn blocking(&self) -> bool {
        true
    }
}

/// Gives items with a tag `n` on every `every`-th, whose value is its index, and `rx_rate` on the first.
#[derive(Block)]
pub struct Tagging {
    #[port]
    pub out: Out<u32>,
    pub items: u64,
    pub every: u64,
}

impl Work for Tagging {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let first = self.out.index();
        let n = (self.items - first).min(self.out.room() as u64);
        if first == 0 {
            self.out.tag(0, "rx_rate", 6e6);
            self.out.tag(0, "rx_time", 100.0);
        }
        for index in (first.next_multiple_of(self.every)..first + n).step_by(self.every as usize) {
            self.out.tag((index - first) as usize, "n", index);
        }
        self.out.produce(n as usize);
        Ok(if first + n == self.items { Step::Done } else { Step::Ran })
    }
}

/// Keeps the tags that come, also those beyond the last item.
#[derive(Block)]
pub struct TagsOf {
    #[port]
    pub input: In<u32>,
    pub tags: Arc<std::sync::Mutex<Vec<superhet_runtime::Tag>>>,
}

impl Work for TagsOf {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.input.available();
        self.tags.lock().unwrap().extend(self.input.tags());
        self.input.consume(n);
        Ok(if n > 0 { Step::Ran } else { Step::NeedInput })
    }
    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        self.tags.lock().unwrap().extend(self.input.tags());
        Ok(Step::Done)
    }
}

/// Counts messages; the block has message ports only.
#[derive(Block)]
pub struct Listen {
    #[port]
    pub news: MsgIn,
    pub heard: Arc<AtomicU64>,
    pub ended: Arc<AtomicBool>,
}

impl Work for Listen {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        while self.news.recv().is_some() {
            self.heard.fetch_add(1, Ordering::Relaxed);
        }
        Ok(Step::NeedInput)
    }
    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        self.ended.store(true, Ordering::Relaxed);
        Ok(Step::Done)
    }
}
