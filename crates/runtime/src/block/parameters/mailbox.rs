//! Where changes wait for their items.

use std::any::Any;
use std::sync::{Arc, OnceLock};

use crate::block::erased::{ErasedPure, link_of};
use crate::block::{Pure, Shape};
use crate::data::{BlockError, MessageError, Value};
use crate::stream::receipt::Receipt;
use crate::stream::settable::{Changes, Formerly, PORT, Settable};
use crate::wake::sync::{AtomicU64, Mutex, MutexGuard, Ordering};

/// No item: nothing waits.
pub(crate) const NEVER: u64 = u64::MAX;

/// How many changes of one block may wait.
const CAPACITY: usize = 1024;

/// A pure block as a change of its parameters sees it: without its type, so that all that follows is compiled once, and not for
/// each block.
pub(crate) trait Changeable: Any + Send + Sync {
    /// The block with one parameter changed.
    fn changed(&self, name: &str, value: &Value) -> Result<Arc<dyn Changeable>, BlockError>;
    fn shape_now(&self) -> Shape;
    fn parameter_now(&self, name: &str) -> Option<Value>;
    /// The block as a link of a chain, where it can be one.
    fn as_link(self: Arc<Self>) -> Option<Arc<dyn ErasedPure>>;
}

impl<P: Pure> Changeable for P {
    fn changed(&self, name: &str, value: &Value) -> Result<Arc<dyn Changeable>, BlockError> {
        Ok(Arc::new(self.with_parameter(name, value)?))
    }
    fn shape_now(&self) -> Shape {
        self.shape()
    }
    fn parameter_now(&self, name: &str) -> Option<Value> {
        self.parameter(name)
    }
    fn as_link(self: Arc<Self>) -> Option<Arc<dyn ErasedPure>> {
        link_of(self)
    }
}

/// What the changes so far have made of a block: a pure block with other settings; nothing of one with a state, whose worker has it.
pub(crate) type Version = Option<Arc<dyn Changeable>>;

/// What the worker of a block with a state has told of its parameters.
pub(crate) type Told = Vec<(&'static str, Value)>;

/// The pure block that a version is.
pub(crate) fn block_of<P: Pure>(version: Version) -> Option<Arc<P>> {
    let version: Arc<dyn Any + Send + Sync> = version?;
    version.downcast().ok()
}

/// What some changes make of a block. One with a state has nobody but its worker, who applies them.
fn draft(version: &Version, changes: &Changes) -> Result<Version, BlockError> {
    let Some(known) = version else { return Ok(None) };
    let mut newest = known.clone();
    for (name, value) in changes {
        newest = newest.changed(name, value)?;
    }
    if newest.shape_now().fits(&known.shape_now()) { Ok(Some(newest)) } else { Err(changed_shape()) }
}

/// What a parameter must not do: buffers and plans are made for these.
#[cold]
#[inline(never)]
pub(crate) fn changed_shape() -> BlockError {
    "a parameter must not change the block's ratio, history, delay, tags or alignment".into()
}

/// A version is not one of the block that it is for.
#[cold]
#[inline(never)]
pub(crate) fn of_another_block() -> BlockError {
    "a version of another block".into()
}

/// The changes of one block that wait for their items.
///
/// Whoever runs the block looks at `next` before each call, and takes the lock only where a change is due.
pub(crate) struct Mailbox {
    /// The first item for which a change waits, [`NEVER`] if none does. Written under the lock; read without it by the
    /// block's worker. A change that it sees late is one that was asked for late.
    next: AtomicU64,
    names: &'static [&'static str],
    formerly: Formerly,
    /// How many items the block takes at once.
    step: u64,
    block: OnceLock<String>,
    state: Mutex<State>,
}

struct State {
    /// What the changes that were taken have made of the block.
    current: Version,
    /// Changes take effect so many items behind this one, or a multiple of it: where the block began.
    origin: u64,
    /// In the order in which they take effect.
    waiting: Vec<Waiting>,
    /// Changes asked for so far.
    count: u64,
    told: Told,
    closed: bool,
}

struct Waiting {
    from: u64,
    /// In which order it was asked for.
    number: u64,
    changes: Changes,
    /// What this change and those before it make of the block.
    version: Version,
    receipt: Receipt,
}

/// A change whose item has come.
pub(crate) struct Due {
    pub from: u64,
    pub changes: Changes,
    pub version: Version,
    pub receipt: Receipt,
}

impl Mailbox {
    /// An empty mailbox of a block with these parameters that takes `step` items at once.
    pub fn new(names: &'static [&'static str], formerly: Formerly, current: Version, step: usize) -> Self {
        let state =
            State { current, origin: 0, waiting: Vec::new(), count: 0, told: Told::new(), closed: false };
        let step = (step as u64).max(1);
        let (next, block) = (AtomicU64::new(NEVER), OnceLock::new());
        Mailbox { next, names, formerly, step, block, state: Mutex::new(state) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The first item for which a change waits.
    #[inline(always)]
    pub fn next(&self) -> u64 {
        self.next.load(Ordering::Relaxed)
    }

    /// The first item from `index` on that the block can begin a call with.
    fn align(&self, index: u64, origin: u64) -> u64 {
        let turns = index.saturating_sub(origin).div_ceil(self.step);
        if turns == 0 { index } else { turns.saturating_mul(self.step).saturating_add(origin) }
    }

    /// Says where the block begins, which was put into a running graph.
    pub fn begin_at(&self, origin: u64) {
        let mut state = self.lock();
        state.origin = origin;
        for change in &mut state.waiting {
            change.from = self.align(change.from, origin);
        }
        self.publish(&state);
    }

    fn publish(&self, state: &State) {
        self.next.store(state.waiting.first().map_or(NEVER, |first| first.from), Ordering::Relaxed);
    }

    /// Notes what the block says of its parameters.
    pub fn tell(&self, told: Told) {
        self.lock().told = told;
    }

    /// What the changes taken so far have made of the block.
    pub fn current(&self) -> Version {
        self.lock().current.clone()
    }

    /// Takes the changes for items before `until`, of which those before `position` were taken already.
    pub fn take(&self, position: u64, until: u64) -> Vec<Due> {
        let mut state = self.lock();
        let state = &mut *state;
        let late = state.waiting.partition_point(|change| change.from <= position);
        if !state.waiting[..late].is_sorted_by_key(|change| change.number) {
            state.waiting[..late].sort_by_key(|change| change.number);
            self.draft_anew(state);
        }
        let due = state.waiting.iter().take_while(|change| change.from < until.max(position + 1)).count();
        let due: Vec<_> = state
            .waiting
            .drain(..due)
            .map(|Waiting { from, changes, version, receipt, .. }| Due {
                from: from.max(position),
                changes,
                version,
                receipt,
            })
            .collect();
        if let Some(last) = due.last() {
            state.current = last.version.clone();
        }
        self.publish(state);
        due
    }

    /// Makes the versions again after the changes' order has changed, and refuses those that do not fit any more.
    fn draft_anew(&self, state: &mut State) {
        let mut version = state.current.clone();
        state.waiting.retain_mut(|change| match draft(&version, &change.changes) {
            Ok(next) => {
                version = next.clone();
                change.version = next;
                true
            }
            Err(error) => {
                change.receipt.resolve(Err(self.refused(&change.changes, &error)));
                false
            }
        });
    }

    /// The names of changed parameters, for an error.
    pub fn refused(&self, changes: &Changes, error: &BlockError) -> MessageError {
        MessageError::Refused { parameter: self.in_words(changes), reason: error.to_string() }
    }

    fn in_words(&self, changes: &Changes) -> String {
        let names: Vec<_> = changes.iter().map(|(name, _)| *name).collect();
        format!("{}.{}", self.block(), names.join(", "))
    }
}

impl Settable for Mailbox {
    fn names(&self) -> &'static [&'static str] {
        self.names
    }
    fn formerly(&self) -> Formerly {
        self.formerly
    }

    fn block(&self) -> &str {
        self.block.get().map_or("block", String::as_str)
    }

    fn name_block(&self, name: &str) {
        let _ = self.block.set(name.to_owned());
    }

    fn set(&self, changes: Changes, at: Option<u64>) -> Result<Receipt, MessageError> {
        let mut state = self.lock();
        let State { current, origin, waiting, count, closed, .. } = &mut *state;
        if *closed {
            return Err(MessageError::Ended { port: self.in_words(&changes) });
        }
        if waiting.len() >= CAPACITY {
            let port = format!("{}.{PORT}", self.block());
            return Err(MessageError::Full { port, capacity: CAPACITY });
        }
        let from = at.map_or(0, |index| self.align(index, *origin));
        let place = waiting.partition_point(|change| change.from <= from);
        let before = if place == 0 { &*current } else { &waiting[place - 1].version };
        let version = draft(before, &changes).map_err(|error| self.refused(&changes, &error))?;
        // What takes effect later builds on this.
        let mut newest = version.clone();
        let mut later = Vec::new();
        for change in &waiting[place..] {
            newest = draft(&newest, &change.changes).map_err(|error| {
                let error = format!("with the change that waits for item {}: {error}", change.from);
                self.refused(&changes, &error.into())
            })?;
            later.push(newest.clone());
        }
        waiting[place..].iter_mut().zip(later).for_each(|(change, version)| change.version = version);
        *count += 1;
        let receipt = Receipt::default();
        let change = Waiting { from, number: *count, changes, version, receipt: receipt.clone() };
        waiting.insert(place, change);
        self.publish(&state);
        Ok(receipt)
    }

    fn get(&self, name: &'static str) -> Option<Value> {
        let state = self.lock();
        match &state.current {
            Some(block) => block.parameter_now(name),
            None => state.told.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone()),
        }
    }

    fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        for change in std::mem::take(&mut state.waiting) {
            change.receipt.resolve(Err(MessageError::Ended { port: self.in_words(&change.changes) }));
        }
        self.publish(&state);
    }
}

/// The changes of one link of a chain that several workers run.
pub(crate) trait LinkChanges: Send + Sync {
    /// As [`Mailbox::next`].
    fn next(&self) -> u64;
    /// Takes the changes for items before `until`, of which those before `position` were taken already: from which item
    /// on the link is which block. The block itself learns of it by [`Runnable::recall`](crate::block::runnable::Runnable::recall).
    fn take(&self, position: u64, until: u64) -> Vec<(u64, Arc<dyn ErasedPure>)>;
}

impl LinkChanges for Mailbox {
    fn next(&self) -> u64 {
        Mailbox::next(self)
    }

    fn take(&self, position: u64, until: u64) -> Vec<(u64, Arc<dyn ErasedPure>)> {
        let erase = |due: Due| {
            due.receipt.resolve(Ok(due.from));
            Some((due.from, due.version?.as_link()?))
        };
        Mailbox::take(self, position, until).into_iter().filter_map(erase).collect()
    }
}
