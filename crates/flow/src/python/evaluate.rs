//! From a tree to its value.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use super::arithmetic::{binary, compare, find, unary};
use super::items::Items;
use super::library::Library;
use super::object::Object;
use super::parse::{Expression, Loop, Node, What};
use super::{Problem, PythonError, Result, functions, library, methods};
use crate::error::{near, shown};

/// How many operations an expression may take, and how many elements and bytes of text it may make in all. One that wants
/// more is an error, and so is each expression after it.
const MOST: usize = 2_000_000;
/// The same for all expressions of a scope.
const MOST_IN_SCOPE: usize = 4 * MOST;

/// The names that an expression may use, besides those of modules and functions.
#[derive(Clone, Debug)]
pub struct Scope<'a> {
    library: &'a Library,
    variables: BTreeMap<String, Object>,
    /// The budget that is left to its expressions, and to those of its copies.
    left: Rc<Cell<usize>>,
}

impl<'a> Scope<'a> {
    /// Modules and functions only.
    pub fn new(library: &'a Library) -> Self {
        Scope { library, variables: BTreeMap::new(), left: Rc::new(Cell::new(MOST_IN_SCOPE)) }
    }

    /// Adds a variable.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: Object) -> Self {
        self.set(name, value);
        self
    }

    /// Adds a variable, or changes it.
    pub fn set(&mut self, name: impl Into<String>, value: Object) {
        self.variables.insert(name.into(), value);
    }

    /// The value of a variable.
    pub fn get(&self, name: &str) -> Option<&Object> {
        self.variables.get(name)
    }

    /// Whether its expressions may take nothing any more.
    pub(crate) fn is_used_up(&self) -> bool {
        self.left.get() == 0
    }

    /// The same names, with all that expressions may take.
    #[cfg(test)]
    pub(super) fn clone_with_new_budget(&self) -> Self {
        Scope { left: Rc::new(Cell::new(MOST_IN_SCOPE)), ..self.clone() }
    }

    /// The library.
    pub fn library(&self) -> &'a Library {
        self.library
    }
}

/// Counts what an expression takes.
#[derive(Debug)]
pub(super) struct Meter(Cell<usize>);

impl Meter {
    /// Accounts for `count` operations, elements or bytes, before they are made.
    pub fn spend(&self, count: usize) -> Result<()> {
        match self.0.get().checked_sub(count) {
            Some(left) => {
                self.0.set(left);
                Ok(())
            }
            None => {
                // The budget stays used up, even if the caller goes on after the error.
                self.0.set(0);
                Err(Problem::new(format!("expected at most {MOST} operations and elements in all")))
            }
        }
    }
}

impl Expression {
    /// The value.
    ///
    /// # Errors
    /// What was expected, and at which character.
    pub fn evaluate(&self, scope: &Scope<'_>) -> Result<Object, PythonError> {
        let most = scope.left.get().min(MOST);
        let evaluator = Evaluator { scope, meter: Meter(Cell::new(most)), locals: RefCell::default() };
        let value = evaluator.value(&self.root).map_err(|problem| problem.of(&self.text));
        let left = evaluator.meter.0.get();
        // An expression that wants too much ends the scope: what others would want after it is no news.
        let spent = if value.is_err() && left == 0 { scope.left.get() } else { most.saturating_sub(left) };
        scope.left.set(scope.left.get().saturating_sub(spent));
        value
    }
}

struct Evaluator<'a> {
    scope: &'a Scope<'a>,
    meter: Meter,
    /// The targets of loops, the innermost last.
    locals: RefCell<Vec<(String, Object)>>,
}

impl Evaluator<'_> {
    fn value(&self, node: &Node) -> Result<Object> {
        self.meter.spend(1)?;
        self.step(node).map_err(|problem| problem.at(node.at))
    }

    fn step(&self, node: &Node) -> Result<Object> {
        match &node.what {
            What::Literal(object) => Ok(object.clone()),
            What::Name(name) => self.name(name),
            What::List(nodes) => Ok(Object::List(Items::new(self.values(nodes)?, nodes.len(), &self.meter)?)),
            What::Tuple(nodes) => {
                Ok(Object::Tuple(Items::new(self.values(nodes)?, nodes.len(), &self.meter)?))
            }
            What::Dict(pairs) => self.dict(pairs),
            What::Star(_) => Err(Problem::new("expected a value, got `*`")),
            What::Unary(sign, node) => unary(sign, &self.value(node)?, &self.meter),
            What::Binary(sign, a, b) => binary(sign, &self.value(a)?, &self.value(b)?, &self.meter),
            What::Compare(first, rest) => {
                let mut left = self.value(first)?;
                for (sign, node) in rest {
                    let right = self.value(node)?;
                    if !compare(sign, &left, &right, &self.meter)? {
                        return Ok(Object::Bool(false));
                    }
                    left = right;
                }
                Ok(Object::Bool(true))
            }
            What::And(nodes) => self.until(nodes, false),
            What::Or(nodes) => self.until(nodes, true),
            What::If(condition, value, other) => {
                let chosen = if self.value(condition)?.truth()? { value } else { other };
                self.value(chosen)
            }
            What::Index(node, index) => self.index(&self.value(node)?, &self.value(index)?),
            What::Slice(node, bounds) => self.slice(&self.value(node)?, bounds),
            What::Attribute(node, name) => {
                let owner = self.value(node)?;
                match &owner {
                    Object::Module(module) => library::member(self.scope.library, module, name),
                    _ => methods::attribute(&owner, name, &self.meter),
                }
            }
            What::Call(function, arguments, named) => {
                let function = self.value(function)?;
                let arguments = self.values(arguments)?;
                let named = named.iter().map(|(name, node)| Ok((name.clone(), self.value(node)?)));
                let named = named.collect::<Result<Vec<_>>>()?;
                self.call(&function, arguments, named)
            }
            What::Comprehension(element, loops) => {
                let mut items = Vec::new();
                self.comprehend(element, loops, &mut items)?;
                let paid = items.len();
                Ok(Object::List(Items::new(items, paid, &self.meter)?))
            }
        }
    }

    fn name(&self, name: &str) -> Result<Object> {
        if let Some((_, object)) = self.locals.borrow().iter().rev().find(|(known, _)| known == name) {
            return Ok(object.clone());
        }
        if let Some(object) = self.scope.variables.get(name) {
            return Ok(object.clone());
        }
        if let Some(object) = library::global(name) {
            return Ok(object);
        }
        if name.starts_with("__") || library::NEEDS_PYTHON.contains(&name) {
            return Err(Problem::python(shown(name)));
        }
        let near = near(name, self.scope.variables.keys().map(String::as_str));
        let problem = Problem::new(format!("there is no variable {}{near}", shown(name)));
        Err(Problem { unknown: Some(name.to_owned()), ..problem })
    }

    fn values(&self, nodes: &[Node]) -> Result<Vec<Object>> {
        let mut values = Vec::with_capacity(nodes.len());
        for node in nodes {
            match &node.what {
                What::Star(inner) => {
                    values.extend(functions::iterate(&self.value(inner)?, &self.meter)?);
                }
                _ => values.push(self.value(node)?),
            }
        }
        Ok(values)
    }

    fn dict(&self, nodes: &[(Node, Node)]) -> Result<Object> {
        let mut pairs: Vec<(Object, Object)> = Vec::with_capacity(nodes.len());
        for (key, value) in nodes {
            let (key, value) = (self.value(key)?, self.value(value)?);
            self.meter.spend(pairs.len())?;
            match find(&pairs, &key, &self.meter)? {
                Some(place) => pairs[place].1 = value,
                None => pairs.push((key, value)),
            }
        }
        let paid = 2 * pairs.len();
        Ok(Object::Dict(Items::new(pairs, paid, &self.meter)?))
    }

    /// The first value that is as `end` says, or the last.
    fn until(&self, nodes: &[Node], end: bool) -> Result<Object> {
        let mut last = Object::None;
        for node in nodes {
            last = self.value(node)?;
            if last.truth()? == end {
                break;
            }
        }
        Ok(last)
    }

    fn index(&self, owner: &Object, index: &Object) -> Result<Object> {
        if let Object::Dict(pairs) = owner {
            self.meter.spend(pairs.len())?;
            let found = find(pairs, index, &self.meter)?;
            let missing = || Problem::new(format!("the dict has no key {}", index.brief()));
            return found.map(|place| pairs[place].1.clone()).ok_or_else(missing);
        }
        let chars = self.chars(owner)?;
        let length = match (owner.items(), &chars) {
            (Some(items), _) => items.len(),
            (None, Some(chars)) => chars.len(),
            (None, None) => {
                return Err(Problem::new(format!("expected a list before `[`, got {}", owner.describe())));
            }
        };
        let wanted = index.as_int();
        let wanted = wanted
            .ok_or_else(|| Problem::new(format!("expected a whole number, got {}", index.describe())))?;
        let place = if wanted < 0 { wanted + length as i128 } else { wanted };
        let place = usize::try_from(place).ok().filter(|place| *place < length);
        let place =
            place.ok_or_else(|| Problem::new(format!("the index {wanted} is beyond {length} elements")))?;
        Ok(match (owner.items(), chars) {
            (Some(items), _) => items[place].clone(),
            (None, chars) => Object::text(chars.map(|chars| chars[place].to_string()).unwrap_or_default()),
        })
    }

    fn slice(&self, owner: &Object, bounds: &[Option<Box<Node>>; 3]) -> Result<Object> {
        let bound = |node: &Option<Box<Node>>| -> Result<Option<i128>> {
            let Some(node) = node else { return Ok(None) };
            match self.value(node)? {
                Object::None => Ok(None),
                object => {
                    let wrong =
                        || Problem::new(format!("expected a whole number, got {}", object.describe()));
                    object.as_int().map(Some).ok_or_else(wrong)
                }
            }
        };
        let (start, end, step) = (bound(&bounds[0])?, bound(&bounds[1])?, bound(&bounds[2])?.unwrap_or(1));
        if step == 0 {
            return Err(Problem::new("the step of a slice is not 0"));
        }
        let chars = self.chars(owner)?;
        let length = match (owner.items(), &chars) {
            (Some(items), _) => items.len(),
            (None, Some(chars)) => chars.len(),
            (None, None) => {
                return Err(Problem::new(format!("expected a list before `[`, got {}", owner.describe())));
            }
        };
        self.meter.spend(length)?;
        let paid = length;
        let length = length as i128;
        let (low, high) = if step > 0 { (0, length) } else { (-1, length - 1) };
        let place = |bound: Option<i128>, default: i128| {
            bound.map_or(default, |n| if n < 0 { n.saturating_add(length) } else { n }.clamp(low, high))
        };
        let (first, last) = if step > 0 { (0, length) } else { (length - 1, -1) };
        let (mut at, end) = (place(start, first), place(end, last));
        let mut places = Vec::new();
        while (step > 0 && at < end) || (step < 0 && at > end) {
            places.push(at as usize);
            at = at.saturating_add(step);
        }
        if let Some(chars) = chars {
            return Ok(Object::text(places.iter().map(|&place| chars[place]).collect::<String>()));
        }
        let items = owner.items().unwrap_or_default();
        let part: Vec<Object> = places.iter().map(|&place| items[place].clone()).collect();
        let part = Items::new(part, paid, &self.meter)?;
        Ok(match owner {
            Object::Tuple(_) => Object::Tuple(part),
            Object::Array(_) => Object::Array(part),
            _ => Object::List(part),
        })
    }

    /// The characters of text.
    fn chars(&self, owner: &Object) -> Result<Option<Vec<char>>> {
        let Some(text) = owner.as_text() else { return Ok(None) };
        self.meter.spend(text.len())?;
        Ok(Some(text.chars().collect()))
    }

    fn call(
        &self,
        function: &Object,
        arguments: Vec<Object>,
        named: Vec<(String, Object)>,
    ) -> Result<Object> {
        match function {
            Object::Function(name) => match self.scope.library.get(name) {
                Some(function) => library::call(function, arguments, named, &self.meter),
                None => functions::call(name, arguments, named, &self.meter),
            },
            Object::Method(owner, name) => methods::call(owner, name, arguments, named, &self.meter),
            Object::Module(name) => Err(Problem::python(format!("{name}()"))),
            other => Err(Problem::new(format!("expected a function, got {}", other.describe()))),
        }
    }

    fn comprehend(&self, element: &Node, loops: &[Loop], items: &mut Vec<Object>) -> Result<()> {
        let Some((first, inner)) = loops.split_first() else {
            items.push(self.value(element)?);
            return Ok(());
        };
        let outer = self.locals.borrow().len();
        for item in functions::iterate(&self.value(&first.items)?, &self.meter)? {
            self.locals.borrow_mut().truncate(outer);
            match &first.targets[..] {
                [target] => self.locals.borrow_mut().push((target.clone(), item)),
                targets => {
                    let parts = functions::iterate(&item, &self.meter)?;
                    if parts.len() != targets.len() {
                        let problem = format!("expected {} values, got {}", targets.len(), parts.len());
                        return Err(Problem::new(problem));
                    }
                    self.locals.borrow_mut().extend(targets.iter().cloned().zip(parts));
                }
            }
            let mut wanted = true;
            for condition in &first.conditions {
                wanted = wanted && self.value(condition)?.truth()?;
            }
            if wanted {
                self.comprehend(element, inner, items)?;
            }
        }
        self.locals.borrow_mut().truncate(outer);
        Ok(())
    }
}
