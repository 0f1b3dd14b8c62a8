//! Which version of a link works on which items, where parameters change while a chain runs.
//!
//! The chain has [`Versions`] for all claims that are still to come; each worker has a copy of its own and
//! makes another when they differ. A version begins at an item of its link's own input that nobody has claimed, so what
//! was claimed is settled. Older versions are kept for as long as a claim may warm up on items before them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::block::erased::{ErasedPure, LinkShape};

/// A link, and from which item of its own input on it is this one.
type Version = (u64, Arc<dyn ErasedPure>);

/// The versions of all links of a chain.
pub(crate) struct Versions {
    /// How often they have changed.
    epoch: u64,
    /// Per link, oldest first; the first holds for all items before the second. None of a link with a state.
    links: Vec<Vec<Version>>,
    is_mixed: bool,
}

impl Versions {
    /// Of the links of a chain: those with a state are none of these.
    pub fn new(links: impl IntoIterator<Item = Option<Arc<dyn ErasedPure>>>) -> Self {
        let links = links.into_iter().map(|link| link.map(|link| (0, link)).into_iter().collect()).collect();
        Versions { epoch: 0, links, is_mixed: false }
    }

    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Whether any link has more than one version.
    pub fn is_mixed(&self) -> bool {
        self.is_mixed
    }

    pub fn links(&self) -> &[Vec<Version>] {
        &self.links
    }

    /// From item `from` on, no earlier than the last version's, the link is this one.
    pub fn push(&mut self, link: usize, from: u64, pure: Arc<dyn ErasedPure>) {
        let versions = &mut self.links[link];
        versions.pop_if(|last| last.0 == from);
        versions.push((from, pure));
        self.is_mixed = true;
        self.epoch += 1;
    }

    /// Drops what nobody needs who starts at item `oldest[link]` of each link's input, or later.
    pub fn forget(&mut self, oldest: &[u64]) {
        for (versions, oldest) in self.links.iter_mut().zip(oldest) {
            let unneeded = versions.iter().skip(1).take_while(|(from, _)| from <= oldest).count();
            versions.drain(..unneeded);
            self.epoch += u64::from(unneeded > 0);
        }
        self.is_mixed = self.links.iter().any(|versions| versions.len() > 1);
    }
}

/// One worker's copy of a link that has several versions: each call is cut where a version begins.
pub(crate) struct Changing {
    shape: LinkShape,
    versions: Vec<Version>,
    /// The first item that the next call takes. Written and read by the worker alone.
    at: AtomicU64,
}

impl Changing {
    pub fn new(versions: &[Version]) -> Option<Self> {
        let shape = versions.first()?.1.link_shape();
        Some(Changing { shape, versions: versions.to_vec(), at: AtomicU64::new(0) })
    }

    /// Says which item the next call takes first: of the link's input, or output where it has no input.
    pub fn place(&self, at: u64) {
        self.at.store(at, Ordering::Relaxed);
    }

    /// Cuts `turns` turns where versions begin.
    fn for_each_part(&self, turns: usize, mut call: impl FnMut(&dyn ErasedPure, usize, usize)) {
        let LinkShape { ratio, in_bytes, .. } = self.shape;
        let step = if in_bytes > 0 { ratio.decimation } else { ratio.interpolation } as u64;
        let at = self.at.load(Ordering::Relaxed);
        let turn_of = |item: u64| (item.saturating_sub(at) / step).min(turns as u64) as usize;
        let mut start = 0;
        for (place, (_, pure)) in self.versions.iter().enumerate() {
            let end = self.versions.get(place + 1).map_or(turns, |next| turn_of(next.0));
            if end > start {
                call(&**pure, start, end);
                start = end;
            }
        }
    }
}

impl ErasedPure for Changing {
    fn link_shape(&self) -> LinkShape {
        self.shape.clone()
    }

    fn map(&self, x: &[u8], y: &mut [u8]) {
        let LinkShape { ratio, history, in_bytes, out_bytes, .. } = self.shape;
        let (taken, given) = (ratio.decimation * in_bytes, ratio.interpolation * out_bytes);
        let history = history * in_bytes;
        self.for_each_part(self.shape.steps(x, y), |pure, start, end| {
            // The last turn may not be whole.
            let (x_end, y_end) = (x.len().min(history + end * taken), y.len().min(end * given));
            pure.map(&x[start * taken..x_end], &mut y[start * given..y_end]);
        });
    }

    fn map_in_place(&self, y: &mut [u8]) {
        let item = self.shape.out_bytes;
        self.for_each_part(y.len() / item, |pure, start, end| {
            pure.map_in_place(&mut y[start * item..end * item]);
        });
    }
}
