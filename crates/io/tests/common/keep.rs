//! A sink that keeps items and tags.

use std::sync::{Arc, Mutex};

use superhet_runtime::Tag;
use superhet_runtime::prelude::*;

/// The items and tags that have come.
pub type Seen<T> = Arc<Mutex<(Vec<T>, Vec<Tag>)>>;

/// Keeps items and tags, and ends after `most` items.
#[derive(Block)]
pub struct Keep<T: Item> {
    #[port("in")]
    input: In<T>,
    seen: Seen<T>,
    most: usize,
}

impl<T: Item> Keep<T> {
    /// Keeps all.
    pub fn all(seen: &Seen<T>) -> Self {
        Keep::up_to(seen, usize::MAX)
    }

    /// Ends after so many items, or some more.
    pub fn up_to(seen: &Seen<T>, most: usize) -> Self {
        Keep { input: In::new(), seen: seen.clone(), most }
    }
}

impl<T: Item> Work for Keep<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let mut seen = self.seen.lock().unwrap();
        seen.1.extend(self.input.tags());
        seen.0.extend_from_slice(self.input.peek());
        self.input.consume(self.input.available());
        Ok(if seen.0.len() >= self.most { Step::Done } else { Step::Ran })
    }
}
