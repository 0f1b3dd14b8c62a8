//! A block as a link of a chain.

use std::sync::Arc;

use super::begin::Begin;
use crate::block::erased::ErasedPure;
use crate::block::runnable::Runnable;
use crate::metrics::Counters;
use crate::plan::chain::{Boundary, ChainShape, StageShape};
use crate::stream::port::{AnyIn, AnyOut};
use crate::stream::visit::PortVisitor;

/// A block of the chain.
pub(in crate::exec) struct Link {
    pub block: usize,
    pub name: Arc<str>,
    /// None of a block with a state.
    pub pure: Option<Arc<dyn ErasedPure>>,
    /// The block as a lane would run it. Where it has a state, the chain runs this, too.
    pub runnable: Box<dyn Runnable>,
    pub counters: Arc<Counters>,
    pub(super) handed: Handed,
}

impl Link {
    /// A block that is to be a link; `None` where it cannot be one.
    pub fn new(
        block: usize,
        name: Arc<str>,
        mut runnable: Box<dyn Runnable>,
        counters: Arc<Counters>,
    ) -> Option<Self> {
        let pure = runnable.link();
        (pure.is_some() || runnable.state().is_some()).then(|| Link {
            block,
            name,
            pure,
            runnable,
            counters,
            handed: Handed::default(),
        })
    }

    /// At which item a block with a state stands.
    pub(super) fn words(&mut self) -> Option<String> {
        struct FirstPort(Option<String>);
        impl PortVisitor for FirstPort {
            fn input(&mut self, name: &str, _: &mut dyn AnyIn) {
                self.0.get_or_insert_with(|| name.to_owned());
            }
            fn output(&mut self, name: &str, _: &mut dyn AnyOut) {
                self.0.get_or_insert_with(|| name.to_owned());
            }
        }
        let mut first = FirstPort(None);
        self.runnable.visit(&mut first);
        first.0.filter(|_| self.pure.is_none()).map(|name| format!("{name} at item {}", self.handed.at))
    }
}

/// What a block with a state needs to know of the claims before.
#[derive(Debug, Default)]
pub(super) struct Handed {
    /// The index of the next item that it takes; gives, where it takes none.
    pub at: u64,
    /// The last items that it has taken, as many as its history has.
    pub taken: Vec<u8>,
    /// The last items that it has given, as many as the next stage reads before a claim.
    pub given: Vec<u8>,
}

impl Handed {
    /// What a block with a state knows where the chain begins: the stage's, with what comes behind it.
    pub fn new(stage: &StageShape, shape: &ChainShape, begin: &Begin, behind: Option<&Boundary>) -> Self {
        let link = &shape.links[stage.first];
        let known = |place: usize| begin.histories.get(place).map_or(&[][..], |known| known);
        // What came before what is known counts as zeros.
        let end_of = |known: &[u8], bytes: usize| {
            let mut end = vec![0; bytes];
            let n = known.len().min(bytes);
            end[bytes - n..].copy_from_slice(&known[known.len() - n..]);
            end
        };
        let taken = if stage.first == 0 { 0 } else { link.history * link.in_bytes };
        // A next stage with a state has its history itself.
        let next = shape.links.get(stage.first + 1).filter(|next| !next.has_state);
        let given = behind.filter(|_| next.is_some()).map_or(0, |behind| behind.lead * behind.item_bytes);
        Handed {
            at: begin.positions.get(stage.first).copied().unwrap_or(0),
            taken: end_of(known(stage.first), taken),
            given: end_of(known(stage.first + 1), given),
        }
    }
}
