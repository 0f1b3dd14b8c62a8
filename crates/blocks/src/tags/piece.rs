//! A piece of a stream, item by item with its tags.

use superhet_runtime::{In, Item, Step, Tag};

/// Items that were taken from an input, for blocks that look at each and at the tags before it.
pub struct Piece<T> {
    first: u64,
    items: Vec<T>,
    tags: Vec<Tag>,
}

impl<T: Item> Piece<T> {
    /// Takes what an input has, up to so many items.
    pub fn take(input: &mut In<T>, most: usize) -> Piece<T> {
        let n = input.available().min(most);
        let mut tags = Vec::new();
        input.for_each_tag(n, |tag| tags.push(tag.clone()));
        let piece = Piece { first: input.index(), items: input.peek()[..n].to_vec(), tags };
        input.consume(n);
        piece
    }

    /// Each item with its index, and the tags that came since the item before: so what a block makes of them does not depend on how the
    /// stream is cut.
    pub fn each(&self) -> impl Iterator<Item = (u64, T, &[Tag])> {
        let mut next = 0;
        (self.first..).zip(&self.items).map(move |(at, item)| {
            let passed = self.tags[next..].iter().take_while(|tag| tag.index <= at).count();
            next += passed;
            (at, *item, &self.tags[next - passed..next])
        })
    }

    /// What a block says that has done with it.
    pub fn step(&self) -> Step {
        if self.items.is_empty() { Step::NeedInput } else { Step::Ran }
    }
}
