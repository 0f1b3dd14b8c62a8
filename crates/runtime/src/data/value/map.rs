//! Values by name: what a map, the metadata of a packet, is made of.
//!
//! Messages are made by one worker and read by another. What each entry needs from the allocator is then given back by a thread
//! that did not ask for it, and the two get into each other's way. So all entries lie in one piece of memory.

use super::short::Text;
use super::types::{Map, Value};

impl Map {
    /// How many entries it has.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it has no entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Where the entry is, or where it would be.
    fn find(&self, name: &str) -> Result<usize, usize> {
        self.entries.binary_search_by(|(key, _)| (**key).cmp(name))
    }

    /// The value of this name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.find(name).ok().map(|at| &self.entries[at].1)
    }

    /// Whether there is an entry of this name.
    pub fn contains_key(&self, name: &str) -> bool {
        self.find(name).is_ok()
    }

    /// Sets the value of this name; returns the one before.
    pub fn insert(&mut self, name: impl Into<Text>, value: impl Into<Value>) -> Option<Value> {
        let (name, value) = (name.into(), value.into());
        match self.find(&name) {
            Ok(at) => Some(std::mem::replace(&mut self.entries[at].1, value)),
            Err(at) => {
                self.entries.insert(at, (name, value));
                None
            }
        }
    }

    /// Takes an entry out.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        let at = self.find(name).ok()?;
        Some(self.entries.remove(at).1)
    }

    /// The entries, in the order of their names.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Text, &Value)> + DoubleEndedIterator {
        self.entries.iter().map(|(key, value)| (key, value))
    }

    /// The names, in order.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &Text> + DoubleEndedIterator {
        self.entries.iter().map(|(key, _)| key)
    }

    /// The values, in the order of their names.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &Value> + DoubleEndedIterator {
        self.entries.iter().map(|(_, value)| value)
    }

    /// Keeps the entries for which `keep` is true.
    pub fn retain(&mut self, mut keep: impl FnMut(&Text, &Value) -> bool) {
        self.entries.retain(|(key, value)| keep(key, value));
    }

    /// Sorts what was added, whatever it was made of: one function for all of that.
    #[inline(never)]
    fn put_in_order(&mut self) {
        // The sort is stable: of those with one name the last is the newest.
        self.entries.sort_by(|(a, _), (b, _)| a.cmp(b));
        self.entries.dedup_by(|later, kept| {
            let is_same = later.0 == kept.0;
            if is_same {
                std::mem::swap(later, kept);
            }
            is_same
        });
    }
}

impl<K: Into<Text>, V: Into<Value>> Extend<(K, V)> for Map {
    /// Of values with one name the last is kept.
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, pairs: I) {
        let pairs = pairs.into_iter().map(|(key, value)| (key.into(), value.into()));
        let before = self.entries.len();
        self.entries.extend(pairs);
        if self.entries.len() == before {
            return;
        }
        self.put_in_order();
    }
}

impl<K: Into<Text>, V: Into<Value>> FromIterator<(K, V)> for Map {
    /// Of values with one name the last is kept.
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        let mut map = Map::default();
        map.extend(pairs);
        map
    }
}

impl IntoIterator for Map {
    type Item = (Text, Value);
    type IntoIter = std::vec::IntoIter<(Text, Value)>;
    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_map_is_as_a_tree_is(
            steps in prop::collection::vec((0u8..3, "[a-d]{0,2}", 0i64..100), 0..60),
            more in prop::collection::vec(("[a-d]{0,2}", 0i64..100), 0..20),
        ) {
            let (mut map, mut tree) = (Map::default(), BTreeMap::new());
            for (step, name, value) in steps {
                match step {
                    0 => prop_assert_eq!(map.remove(&name), tree.remove(&name)),
                    _ => prop_assert_eq!(map.insert(name.clone(), value), tree.insert(name, Value::from(value))),
                }
            }
            map.extend(more.clone());
            tree.extend(more.into_iter().map(|(name, value)| (name, Value::from(value))));
            prop_assert!(map.iter().map(|(key, value)| (&**key, value)).eq(tree.iter().map(|(key, value)| (&**key, value))));
            prop_assert!(tree.keys().all(|name| map.get(name) == tree.get(name)));
        }
    }
}
