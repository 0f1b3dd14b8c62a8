//! Where changes wait for their items.

use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};

use crate::block::Pure;
use crate::block::erased::ErasedPure;
use crate::data::{BlockError, MessageError, Value};
use crate::stream::receipt::Receipt;
use crate::stream::settable::{Changes, PORT, Settable};
use crate::wake::sync::{AtomicU64, Mutex, MutexGuard, Ordering};

/// No item: nothing waits.
pub(crate) const NEVER: u64 = u64::MAX;

/// How many changes of one block may wait.
const CAPACITY: usize = 1024;

/// What a change is to a block of one level.
pub(crate) trait Draft: 'static {
    /// What a change makes of the block: a pure block with other settings; nothing yet for one with a state.
    type Version: Clone + Send;

    fn draft(version: &Self::Version, changes: &Changes) -> Result<Self::Version, BlockError>;

    /// The value of a parameter, as the version or the block's worker has said it.
    fn get(version: &Self::Version, told: &Told, name: &str) -> Option<Value>;
}

/// What the worker of a block with a state has told of its parameters.
pub(crate) type Told = Vec<(&'static str, Value)>;

/// Changes of a pure block: each makes a new block, which nobody changes any more.
pub(crate) struct OfPure<P>(PhantomData<fn() -> P>);

impl<P: Pure> Draft for OfPure<P> {
    type Version = Arc<P>;

    fn draft(version: &Arc<P>, changes: &Changes) -> Result<Arc<P>, BlockError> {
        let mut newest: Option<P> = None;
        for (name, value) in changes {
            newest = Some(newest.as_ref().unwrap_or(version.as_ref()).with_parameter(name, value)?);
        }
        let Some(newest) = newest else { return Ok(version.clone()) };
        let shape = |block: &P| (block.ratio(), block.history(), block.delay(), block.tags(), block.align());
        if shape(&newest) != shape(version) {
            return Err(CHANGED_SHAPE.into());
        }
        Ok(Arc::new(newest))
    }

    fn get(version: &Arc<P>, _: &Told, name: &str) -> Option<Value> {
        version.parameter(name)
    }
}

/// Changes of a block with a state: whoever runs it has the block, and applies them there.
pub(crate) enum OfState {}

impl Draft for OfState {
    type Version = ();

    fn draft(_: &(), _: &Changes) -> Result<(), BlockError> {
        Ok(())
    }

    fn get((): &(), told: &Told, name: &str) -> Option<Value> {
        told.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone())
    }
}

/// What a parameter must not do: buffers and plans are made for these.
pub(crate) const CHANGED_SHAPE: &str =
    "a parameter must not change the block's ratio, history, delay, tags or alignment";

/// The changes of one block that wait for their items.
///
/// Whoever runs the block looks at `next` before each call, and takes the lock only where a change is due.
pub(crate) struct Mailbox<D: Draft> {
    /// The first item for which a change waits, [`NEVER`] if none does. Written under the lock; read without it by the
    /// block's worker. A change that it sees late is one that was asked for late.
    next: AtomicU64,
    names: &'static [&'static str],
    /// How many items the block takes at once.
    step: u64,
    block: OnceLock<String>,
    state: Mutex<State<D::Version>>,
}

struct State<V> {
    /// What the changes that were taken have made of the block.
    current: V,
    /// Changes take effect so many items behind this one, or a multiple of it: where the block began.
    origin: u64,
    /// In the order in which they take effect.
    waiting: Vec<Waiting<V>>,
    /// Changes asked for so far.
    count: u64,
    told: Told,
    closed: bool,
}

struct Waiting<V> {
    from: u64,
    /// In which order it was asked for.
    number: u64,
    changes: Changes,
    /// What this change and those before it make of the block.
    version: V,
    receipt: Receipt,
}

/// A change whose item has come.
pub(crate) struct Due<V> {
    pub from: u64,
    pub changes: Changes,
    pub version: V,
    pub receipt: Receipt,
}

/// Puts changes into the order in which they were asked for.
///
/// What is sorted are their numbers: a sort of the changes themselves would be compiled anew for each block, which was 2 MB of
/// the program.
fn put_in_order<V>(changes: &mut [Waiting<V>]) {
    let mut places = ranks(&changes.iter().map(|change| change.number).collect::<Vec<_>>());
    for at in 0..changes.len() {
        // Each exchange brings one change to its place for good.
        while places[at] != at {
            let to = places[at];
            changes.swap(at, to);
            places.swap(at, to);
        }
    }
}

/// For each number, how many come before it.
fn ranks(numbers: &[u64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_by_key(|&place| numbers[place]);
    let mut ranks = vec![0; numbers.len()];
    for (rank, place) in order.into_iter().enumerate() {
        ranks[place] = rank;
    }
    ranks
}

impl<D: Draft> Mailbox<D> {
    /// An empty mailbox of a block with these parameters that takes `step` items at once.
    pub fn new(names: &'static [&'static str], current: D::Version, step: usize) -> Self {
        let state =
            State { current, origin: 0, waiting: Vec::new(), count: 0, told: Told::new(), closed: false };
        let step = (step as u64).max(1);
        Mailbox { next: AtomicU64::new(NEVER), names, step, block: OnceLock::new(), state: Mutex::new(state) }
    }

    fn lock(&self) -> MutexGuard<'_, State<D::Version>> {
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

    fn publish(&self, state: &State<D::Version>) {
        self.next.store(state.waiting.first().map_or(NEVER, |first| first.from), Ordering::Relaxed);
    }

    /// Notes what the block says of its parameters.
    pub fn tell(&self, told: Told) {
        self.lock().told = told;
    }

    /// What the changes taken so far have made of the block.
    pub fn current(&self) -> D::Version {
        self.lock().current.clone()
    }

    /// Takes the changes for items before `until`, of which those before `position` were taken already.
    pub fn take(&self, position: u64, until: u64) -> Vec<Due<D::Version>> {
        let mut state = self.lock();
        let state = &mut *state;
        let late = state.waiting.partition_point(|change| change.from <= position);
        if !state.waiting[..late].is_sorted_by_key(|change| change.number) {
            put_in_order(&mut state.waiting[..late]);
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
    fn draft_anew(&self, state: &mut State<D::Version>) {
        let mut version = state.current.clone();
        state.waiting.retain_mut(|change| match D::draft(&version, &change.changes) {
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

impl<D: Draft> Settable for Mailbox<D> {
    fn names(&self) -> &'static [&'static str] {
        self.names
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
        let version = D::draft(before, &changes).map_err(|error| self.refused(&changes, &error))?;
        // What takes effect later builds on this.
        let mut newest = version.clone();
        let mut later = Vec::new();
        for change in &waiting[place..] {
            newest = D::draft(&newest, &change.changes).map_err(|error| {
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
        D::get(&state.current, &state.told, name)
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

impl<P: Pure> LinkChanges for Mailbox<OfPure<P>> {
    fn next(&self) -> u64 {
        Mailbox::next(self)
    }

    fn take(&self, position: u64, until: u64) -> Vec<(u64, Arc<dyn ErasedPure>)> {
        let erase = |due: Due<Arc<P>>| {
            due.receipt.resolve(Ok(due.from));
            (due.from, due.version as Arc<dyn ErasedPure>)
        };
        Mailbox::take(self, position, until).into_iter().map(erase).collect()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::ranks;

    #[test]
    fn ranks_say_how_many_numbers_come_before() {
        assert_eq!(ranks(&[]), [0; 0]);
        assert_eq!(ranks(&[30, 10, 20, 40]), [2, 0, 1, 3]);
    }
}
