//! Elements that know what they take in all.
//!
//! Lists may share their parts: `v1 = [v0, v0]`, `v2 = [v1, v1]` and so on is small in memory, but a walk over it doubles
//! with each step. So the size of a list, a dict or a value is that of the whole tree. It is computed when the value is
//! made, and spent from the [`Meter`] there. No tree is larger than an expression's budget, and no walk longer.

use std::ops::Deref;
use std::sync::Arc;

use superhet_runtime::Value;

use super::evaluate::Meter;
use super::object::Object;
use super::{Problem, Result};
use crate::values;

/// How deep lists may be within each other. Walks over them go as deep, and so does what drops them.
pub(super) const DEEPEST: usize = 100;

/// The elements of a list, a tuple or an array, or the pairs of a dict. Cheap to clone.
#[derive(Debug)]
pub struct Items<T = Object>(Arc<Counted<T>>);

#[derive(Debug)]
struct Counted<T> {
    items: Box<[T]>,
    size: usize,
    depth: usize,
}

impl<T> Clone for Items<T> {
    fn clone(&self) -> Self {
        Items(self.0.clone())
    }
}

impl<T> Deref for Items<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0.items
    }
}

/// What can be an element.
pub trait Measured {
    /// Elements and bytes of text in all, at least 1; a part that is shared counts wherever it stands.
    fn size(&self) -> usize;

    /// How deep lists are within it: 0 of a number.
    fn depth(&self) -> usize;
}

impl Measured for Object {
    fn size(&self) -> usize {
        Object::size(self)
    }

    fn depth(&self) -> usize {
        match self {
            Object::List(items) | Object::Tuple(items) | Object::Array(items) => items.0.depth,
            Object::Dict(pairs) => pairs.0.depth,
            Object::Value(value) => value.depth(),
            Object::Method(owner, _) => owner.depth() + 1,
            _ => 0,
        }
    }
}

impl Measured for (Object, Object) {
    fn size(&self) -> usize {
        self.0.size().saturating_add(self.1.size())
    }

    fn depth(&self) -> usize {
        self.0.depth().max(self.1.depth())
    }
}

impl<T: Measured> Items<T> {
    /// The elements, which the meter pays for; `paid` of it has been paid already.
    pub(super) fn new(items: impl Into<Box<[T]>>, paid: usize, meter: &Meter) -> Result<Self> {
        let made = Items::counted(items.into());
        meter.spend(made.size().saturating_sub(paid))?;
        match made.0.depth <= DEEPEST {
            true => Ok(made),
            false => Err(Problem::new(format!("expected at most {DEEPEST} lists within each other"))),
        }
    }

    /// Elements from outside of expressions, whose size somebody else has bounded.
    pub(super) fn counted(items: Box<[T]>) -> Self {
        let size = items.iter().fold(1, |size: usize, item| size.saturating_add(item.size()));
        let depth = items.iter().map(Measured::depth).max().unwrap_or(0) + 1;
        Items(Arc::new(Counted { items, size, depth }))
    }

    pub(super) fn size(&self) -> usize {
        self.0.size
    }
}

/// A value of the runtime, with what it takes in all. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Counting(Arc<CountedValue>);

#[derive(Debug)]
struct CountedValue {
    value: Value,
    size: usize,
    depth: usize,
}

impl Counting {
    /// Walks over all of `value`, which somebody has bounded.
    pub(super) fn new(value: Value) -> Self {
        let (size, depth) = (values::size(&value), values::depth(&value));
        Counting(Arc::new(CountedValue { value, size, depth }))
    }

    pub(super) fn size(&self) -> usize {
        self.0.size
    }

    pub(super) fn depth(&self) -> usize {
        self.0.depth
    }
}

impl Deref for Counting {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.0.value
    }
}
