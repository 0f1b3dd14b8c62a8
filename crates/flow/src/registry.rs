//! Blocks by name.

use std::collections::BTreeMap;

use superhet_runtime::catalog::{Direction, Entry};

use crate::error::{UnknownType, near, shown};

/// How many blocks [`Registry::converting`] names.
const MOST_CONVERTING: usize = 3;

/// The blocks that files and people can name, from the lists of the libraries.
///
/// ```
/// use superhet_flow::Registry;
/// use superhet_runtime::catalog::{Entry, input};
/// use superhet_runtime::{AnyBlock, C32, harness::VecSink};
///
/// const SINKS: &[Entry] = &[Entry {
///     name: "null_sink",
///     category: "sinks",
///     summary: "Drops what it gets.",
///     params: &[],
///     ports: &[input("in", "C32", "anything")],
///     make: |_| Ok(AnyBlock::new(VecSink::<C32>::new())),
/// }];
///
/// let registry = Registry::new([SINKS]);
/// assert_eq!(registry.find("null_sink")?.summary, "Drops what it gets.");
/// let error = registry.find("nul_sink").unwrap_err();
/// assert_eq!(error.to_string(), "there is no block type nul_sink; did you mean null_sink?");
/// # Ok::<(), superhet_flow::UnknownType>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Registry {
    entries: Vec<Entry>,
    /// Places in `entries`.
    by_name: BTreeMap<&'static str, usize>,
}

impl Registry {
    /// The blocks of all `lists`. Of those that have one name the first is found, see [`Registry::duplicates`].
    pub fn new<'a>(lists: impl IntoIterator<Item = &'a [Entry]>) -> Self {
        let entries: Vec<Entry> = lists.into_iter().flatten().copied().collect();
        let mut by_name = BTreeMap::new();
        for (place, entry) in entries.iter().enumerate() {
            by_name.entry(entry.name).or_insert(place);
        }
        Registry { entries, by_name }
    }

    /// The block of that name.
    pub fn get(&self, name: &str) -> Option<&Entry> {
        self.by_name.get(name).map(|place| &self.entries[*place])
    }

    /// The block of that name, or an error that suggests the nearest.
    ///
    /// # Errors
    /// If there is no such block.
    pub fn find(&self, name: &str) -> Result<&Entry, UnknownType> {
        self.get(name).ok_or_else(|| self.unknown(name))
    }

    /// All blocks in the order of the lists.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The categories in the order in which they first occur, each with its blocks in the order of the lists.
    pub fn by_category(&self) -> Vec<(&'static str, Vec<&Entry>)> {
        let mut categories: Vec<(&'static str, Vec<&Entry>)> = Vec::new();
        for entry in &self.entries {
            match categories.iter_mut().find(|(category, _)| *category == entry.category) {
                Some((_, entries)) => entries.push(entry),
                None => categories.push((entry.category, vec![entry])),
            }
        }
        categories
    }

    /// The names that occur more than once. There should be none; whoever puts lists together has a test for that.
    pub fn duplicates(&self) -> Vec<&'static str> {
        let count = |name| self.entries.iter().filter(|entry| entry.name == name).count();
        self.by_name.keys().copied().filter(|name| count(*name) > 1).collect()
    }

    /// Blocks that turn items `from` into items `to`: one input, one output, those that need no parameter first.
    pub fn converting(&self, from: &str, to: &str) -> Vec<&'static str> {
        let converts = |entry: &&Entry| {
            let items = |direction| {
                let mut ports =
                    entry.ports.iter().filter(|port| port.direction == direction && port.items != "messages");
                ports.next().filter(|_| ports.next().is_none()).map(|port| port.items)
            };
            from != to && items(Direction::In) == Some(from) && items(Direction::Out) == Some(to)
        };
        let mut found: Vec<&Entry> = self.entries.iter().filter(converts).collect();
        found.sort_by_key(|entry| entry.params.iter().any(|param| param.default.is_none()));
        found.iter().take(MOST_CONVERTING).map(|entry| entry.name).collect()
    }

    pub(crate) fn unknown(&self, name: &str) -> UnknownType {
        UnknownType { name: shown(name), hint: near(name, self.by_name.keys().copied()) }
    }
}
