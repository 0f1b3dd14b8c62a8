//! How blocks pass tags on.

use super::{Base, Ratio, Tag};

/// How a pure or sync block hands its inputs' tags to its outputs.
#[derive(Clone, Copy, Debug, Default)]
pub enum TagPolicy {
    /// Every input's tags go to every output.
    #[default]
    AllToAll,
    /// Input `i`'s tags go to output `i`.
    OneToOne,
    /// Tags end here.
    None,
    /// Every input's tags go to every output as the function says, which may change all of a tag but its index; `None`
    /// drops it. The tag that it is given has the index of the output's item.
    Custom(fn(Tag) -> Option<Tag>),
}

impl PartialEq for TagPolicy {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (TagPolicy::Custom(f), TagPolicy::Custom(g)) => std::ptr::fn_addr_eq(*f, *g),
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }
}

impl TagPolicy {
    /// Maps a tag of input `input` to output `output` of a block with this ratio and delay. `None` if the policy does not
    /// let it pass.
    pub fn carry(self, mut tag: Tag, ratio: Ratio, delay: u64, input: usize, output: usize) -> Option<Tag> {
        Base::default().carry(&mut tag, ratio, delay);
        self.apply(tag, input, output)
    }

    /// Applies the policy to a tag of input `input` at output `output`; its index is the output's already.
    #[inline]
    pub(crate) fn apply(self, tag: Tag, input: usize, output: usize) -> Option<Tag> {
        match self {
            TagPolicy::AllToAll => Some(tag),
            TagPolicy::OneToOne => (input == output).then_some(tag),
            TagPolicy::None => None,
            TagPolicy::Custom(change) => {
                let index = tag.index;
                change(tag).map(|tag| Tag { index, ..tag })
            }
        }
    }
}
