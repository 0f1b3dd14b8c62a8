//! Items between a graph and the program around it: bounded channels, for threads and for tasks.
//!
//! | in the program | in the graph | when the channel is full or empty |
//! |---|---|---|
//! | [`Sender`]: `send`, `send_async`, `try_send` | [`Source`] | the sender waits for room, the source for items |
//! | [`Receiver`]: `recv`, `recv_async`, `try_recv` | [`Sink`] | the receiver waits for items, the sink for room |
//!
//! A full channel drops nothing. A sink that waits for room takes no items, and so the blocks before it wait in their turn. When all
//! senders are dropped, the source gives what is left and ends. When the receiver is dropped, the sink ends, and with it the blocks that
//! nobody else reads. A stop ends the source as it ends others: what it has not taken by then is gone. When the graph ends, senders get [`ChannelClosed`], and receivers the rest and then `None`.
//!
//! Both blocks have threads of their own. Waiting tasks are woken by wakers, under any executor.
//!
//! ```
//! use superhet_runtime::{Graph, Options, Single, channel};
//!
//! let (source, sender) = channel::source::<f32>(1024);
//! let (sink, receiver) = channel::sink::<f32>(1024);
//! let mut graph = Graph::new();
//! graph.chain((("source", source), ("sink", sink)));
//! let running = graph.check()?.start(&Single, &Options::default())?;
//! sender.send(&[1.0, 2.0])?;
//! drop(sender);
//! let items: Vec<f32> = receiver.flatten().collect();
//! assert_eq!(items, [1.0, 2.0]);
//! running.wait()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::task::{Poll, Waker};
use std::time::Duration;

use crate::Block;
use crate::block::{Context, Step, Work};
pub use crate::data::ChannelClosed;
use crate::data::{BlockError, Item};
use crate::stream::port::{In, Out};

/// How long a block waits before it looks whether the graph is to end.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// A channel into a graph, for at most `capacity` items at a time, 1 or more: the block, and what feeds it.
pub fn source<T: Item>(capacity: usize) -> (Source<T>, Sender<T>) {
    let pipe = Arc::new(Pipe::new(capacity));
    (Source { output: Out::new(), pipe: pipe.clone() }, Sender(pipe))
}

/// A channel out of a graph, for at most `capacity` items at a time, 1 or more: the block, and what it feeds.
pub fn sink<T: Item>(capacity: usize) -> (Sink<T>, Receiver<T>) {
    let pipe = Arc::new(Pipe::new(capacity));
    (Sink { input: In::new(), pipe: pipe.clone() }, Receiver(pipe))
}

/// The items on their way, and who waits.
struct Pipe<T> {
    state: Mutex<State<T>>,
    capacity: usize,
    /// Rung when there are items, there is room, or an end has gone.
    bell: Condvar,
}

struct State<T> {
    items: VecDeque<T>,
    writers: usize,
    has_reader: bool,
    /// Tasks that wait for room, or for items.
    waiting: Vec<Waker>,
}

impl<T: Copy> Pipe<T> {
    fn new(capacity: usize) -> Self {
        let state = State { items: VecDeque::new(), writers: 1, has_reader: true, waiting: Vec::new() };
        Pipe { state: Mutex::new(state), capacity: capacity.max(1), bell: Condvar::new() }
    }

    fn give(&self, state: &mut State<T>, items: &[T]) -> usize {
        let n = items.len().min(self.capacity - state.items.len());
        state.items.extend(&items[..n]);
        n
    }

    fn take(state: &mut State<T>, items: &mut [T]) -> usize {
        let n = items.len().min(state.items.len());
        let (first, second) = state.items.as_slices();
        let cut = n.min(first.len());
        items[..cut].copy_from_slice(&first[..cut]);
        items[cut..n].copy_from_slice(&second[..n - cut]);
        state.items.drain(..n);
        n
    }

    /// All that waits; `None` where nothing does, nor ever will.
    fn take_all(state: &mut State<T>) -> Option<Vec<T>> {
        if state.items.is_empty() && state.writers == 0 {
            return None;
        }
        Some(std::mem::take(&mut state.items).into())
    }
}

impl<T> Pipe<T> {
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State<T>>) -> MutexGuard<'a, State<T>> {
        self.bell.wait(state).unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn wait_a_while<'a>(&self, state: MutexGuard<'a, State<T>>) -> MutexGuard<'a, State<T>> {
        self.bell.wait_timeout(state, LOOK_AGAIN).unwrap_or_else(|poisoned| poisoned.into_inner()).0
    }

    /// Tells all who wait that something has changed.
    fn tell(&self, mut state: MutexGuard<'_, State<T>>) {
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        self.bell.notify_all();
        waiting.into_iter().for_each(Waker::wake);
    }

    fn drop_writer(&self) {
        let mut state = self.lock();
        state.writers -= 1;
        self.tell(state);
    }

    fn drop_reader(&self) {
        let mut state = self.lock();
        state.has_reader = false;
        state.items.clear();
        self.tell(state);
    }
}

impl<T> State<T> {
    fn wake_later(&mut self, waker: &Waker) {
        if !self.waiting.iter().any(|known| known.will_wake(waker)) {
            self.waiting.push(waker.clone());
        }
    }
}

/// Feeds a [`Source`]. Clones feed the same one.
pub struct Sender<T: Item>(Arc<Pipe<T>>);

impl<T: Item> Sender<T> {
    /// Gives as many of the items as there is room for, and says how many.
    ///
    /// # Errors
    /// [`ChannelClosed`] where the block has ended.
    pub fn try_send(&self, items: &[T]) -> Result<usize, ChannelClosed> {
        self.give(items, 0, None)
    }

    /// Gives all items, and waits for room as often as it takes.
    ///
    /// # Errors
    /// [`ChannelClosed`] where the block ends before it has them.
    pub fn send(&self, items: &[T]) -> Result<(), ChannelClosed> {
        let mut taken = 0;
        loop {
            taken += self.give(items, taken, None)?;
            if taken == items.len() {
                return Ok(());
            }
            let mut state = self.0.lock();
            while state.has_reader && state.items.len() == self.0.capacity {
                state = self.0.wait(state);
            }
        }
    }

    /// As [`send`](Self::send), for tasks. Dropped before its end, it may have given some of the items.
    ///
    /// # Errors
    /// As for `send`.
    pub async fn send_async(&self, items: &[T]) -> Result<(), ChannelClosed> {
        let mut taken = 0;
        poll_fn(|context| {
            taken += self.give(items, taken, Some(context.waker()))?;
            if taken == items.len() { Poll::Ready(Ok(())) } else { Poll::Pending }
        })
        .await
    }

    /// Gives what there is room for of the items from `taken` on. Where some are left, the task is woken when there is room again.
    fn give(&self, items: &[T], taken: usize, waker: Option<&Waker>) -> Result<usize, ChannelClosed> {
        let mut state = self.0.lock();
        if !state.has_reader {
            return Err(ChannelClosed { taken, given: items.len() });
        }
        let n = self.0.give(&mut state, &items[taken..]);
        if n > 0 {
            self.0.tell(state);
            state = self.0.lock();
        }
        if let Some(waker) = waker.filter(|_| taken + n < items.len()) {
            state.wake_later(waker);
            // Room that came while it was told is announced to nobody.
            if state.items.len() < self.0.capacity || !state.has_reader {
                waker.wake_by_ref();
            }
        }
        Ok(n)
    }

    /// Whether the block has ended.
    pub fn is_closed(&self) -> bool {
        !self.0.lock().has_reader
    }
}

impl<T: Item> Clone for Sender<T> {
    fn clone(&self) -> Self {
        self.0.lock().writers += 1;
        Sender(self.0.clone())
    }
}

impl<T: Item> Drop for Sender<T> {
    fn drop(&mut self) {
        self.0.drop_writer();
    }
}

/// Takes what a [`Sink`] gets. As an iterator it gives what has come, in pieces, until the graph has ended.
pub struct Receiver<T: Item>(Arc<Pipe<T>>);

impl<T: Item> Receiver<T> {
    /// What has come and was not taken, which may be nothing; `None` at the end.
    pub fn try_recv(&self) -> Option<Vec<T>> {
        let mut state = self.0.lock();
        let items = Pipe::take_all(&mut state);
        self.0.tell(state);
        items
    }

    /// What has come and was not taken; waits for one item at least. `None` at the end.
    pub fn recv(&self) -> Option<Vec<T>> {
        let mut state = self.0.lock();
        while state.items.is_empty() && state.writers > 0 {
            state = self.0.wait(state);
        }
        let items = Pipe::take_all(&mut state);
        self.0.tell(state);
        items
    }

    /// As [`recv`](Self::recv), for tasks. Dropped before its end, it has taken nothing.
    pub async fn recv_async(&self) -> Option<Vec<T>> {
        poll_fn(|context| {
            let mut state = self.0.lock();
            if state.items.is_empty() && state.writers > 0 {
                state.wake_later(context.waker());
                return Poll::Pending;
            }
            let items = Pipe::take_all(&mut state);
            self.0.tell(state);
            Poll::Ready(items)
        })
        .await
    }
}

impl<T: Item> Iterator for Receiver<T> {
    type Item = Vec<T>;
    fn next(&mut self) -> Option<Vec<T>> {
        self.recv()
    }
}

impl<T: Item> Drop for Receiver<T> {
    fn drop(&mut self) {
        self.0.drop_reader();
    }
}

/// Gives what a [`Sender`] sends, until all of them are dropped.
///
/// | port | item |
/// |---|---|
/// | out `out` | `T` |
#[derive(Block)]
pub struct Source<T: Item> {
    #[port("out")]
    output: Out<T>,
    pipe: Arc<Pipe<T>>,
}

impl<T: Item> Work for Source<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let mut state = self.pipe.lock();
        if state.items.is_empty() && state.writers > 0 {
            state = self.pipe.wait_a_while(state);
        }
        let n = Pipe::take(&mut state, self.output.reserve());
        let is_over = state.items.is_empty() && state.writers == 0;
        if n > 0 {
            self.pipe.tell(state);
        } else {
            drop(state);
        }
        self.output.produce(n);
        Ok(if is_over { Step::Done } else { Step::Ran })
    }

    fn blocking(&self) -> bool {
        true
    }
}

impl<T: Item> Drop for Source<T> {
    fn drop(&mut self) {
        self.pipe.drop_reader();
    }
}

/// Gives all that it gets to a [`Receiver`].
///
/// | port | item |
/// |---|---|
/// | in `in` | `T` |
#[derive(Block)]
pub struct Sink<T: Item> {
    #[port("in")]
    input: In<T>,
    pipe: Arc<Pipe<T>>,
}

impl<T: Item> Work for Sink<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let mut state = self.pipe.lock();
        if state.has_reader && state.items.len() == self.pipe.capacity {
            state = self.pipe.wait_a_while(state);
        }
        if !state.has_reader {
            return Ok(Step::Done);
        }
        let n = self.pipe.give(&mut state, self.input.peek());
        if n > 0 {
            self.pipe.tell(state);
        } else {
            drop(state);
        }
        self.input.consume(n);
        Ok(Step::Ran)
    }

    fn blocking(&self) -> bool {
        true
    }
}

impl<T: Item> Drop for Sink<T> {
    fn drop(&mut self) {
        self.pipe.drop_writer();
    }
}

macro_rules! debug {
    ($($name:ident),+) => {$(
        impl<T: Item> fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    )+};
}

debug!(Sender, Receiver, Source, Sink);
