//! What a graph gives, for the program that has built it.

use std::sync::{Arc, Mutex, MutexGuard};

use crate::block::SyncBlock;
use crate::data::Item;
use crate::graph::Graph;
use crate::stream::refs::OutRef;

/// The items of a stream: those that [`Graph::collect`] keeps, or a sink of one's own has given.
#[derive(Debug)]
pub struct Items<T>(Arc<Mutex<Vec<T>>>);

impl<T> Default for Items<T> {
    fn default() -> Self {
        Items(Arc::default())
    }
}

impl<T> Clone for Items<T> {
    fn clone(&self) -> Self {
        Items(self.0.clone())
    }
}

impl<T> Items<T> {
    /// Takes what has arrived so far.
    pub fn take(&self) -> Vec<T> {
        std::mem::take(&mut *self.lock())
    }

    /// How many have arrived and were not taken.
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    /// Whether there are none to take.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds items.
    pub fn give(&self, items: &[T])
    where
        T: Clone,
    {
        self.lock().extend_from_slice(items);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<T>> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// Keeps what it gets.
struct Collect<T>(Items<T>);

impl<T: Item> SyncBlock for Collect<T> {
    type In = T;
    type Out = ();
    fn process(&mut self, x: &[T], _: ()) {
        self.0.give(x);
    }
}

impl Graph {
    /// Keeps all items of a stream in memory: a sink is added, called `collect/` and the names of the block and the port.
    ///
    /// ```
    /// use superhet_runtime::{Graph, harness::VecSource};
    ///
    /// let mut graph = Graph::new();
    /// let source = graph.add("source", VecSource::new(vec![1i16, 2, 3]));
    /// let items = graph.collect(source.output);
    /// graph.run()?;
    /// assert_eq!(items.take(), [1, 2, 3]);
    /// # Ok::<(), superhet_runtime::RunError>(())
    /// ```
    ///
    /// [`Graph::check`] reports a port of another graph.
    pub fn collect<T: Item>(&mut self, from: OutRef<T>) -> Items<T> {
        let items = Items::default();
        let Some(port) = self.name_of_own(from.port_of(), "to collect its items") else { return items };
        let base = format!("collect/{}", port.replace('.', "/"));
        let numbered = (2..).map(|number| format!("{base}/{number}"));
        let mut names = std::iter::once(base.clone()).chain(numbered);
        let name = names.find(|name| self.place_of(name).is_none()).unwrap_or(base);
        let sink = self.add(name, Collect(items.clone()));
        self.connect(from, sink.input);
        items
    }
}
