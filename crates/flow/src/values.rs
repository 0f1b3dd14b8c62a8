//! Values as files write them, and what they come to: `=expression` and `${expression}` inside text.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use superhet_runtime::{Text, Value};

use crate::error::{ExpressionError, LONGEST_NAME, near, shown};
use crate::expression;

/// The longest text that a value may come to, in bytes: text that names text that names text grows fast.
const LONGEST_TEXT: usize = 64 << 10;
/// How much all values of a graph may come to that are made of others, see [`Budget`].
const MOST_IN_ALL: usize = 16 << 20;

/// A value, and which folder a relative path in it is relative to.
#[derive(Clone, Debug)]
pub(crate) struct Located {
    pub value: Value,
    /// Empty for the current directory.
    pub folder: Arc<Path>,
    /// What was written where a setting from outside looks like a number, but may be meant as text.
    pub raw: Option<Arc<str>>,
}

impl Located {
    pub fn new(value: Value, folder: &Arc<Path>) -> Self {
        Located { value, folder: folder.clone(), raw: None }
    }

    /// The value as text: what was written, where it looks like something else.
    pub fn text(&self) -> Option<&str> {
        self.value.as_str().or(self.raw.as_deref())
    }
}

/// The variables of a file. `None` for one that has no value because of a mistake that has been reported.
pub(crate) type Scope = BTreeMap<String, Option<Located>>;

/// Why there is no value.
#[derive(Debug)]
pub(crate) enum NoValue {
    /// The mistake is elsewhere, and has been reported.
    Consequence,
    /// This is the mistake.
    Wrong(Wrong),
}

/// What is wrong with a value.
#[derive(Debug)]
pub(crate) struct Wrong {
    error: ExpressionError,
    /// The variable that is not there, if that is what is wrong.
    unknown: Option<String>,
}

impl Wrong {
    /// The error with the nearest variable in it. That takes time, and is of use only where the error is reported.
    pub fn with_suggestion(mut self, scope: &Scope) -> ExpressionError {
        if let Some(name) = &self.unknown {
            self.error.problem += &near(name, scope.keys().map(String::as_str));
        }
        self.error
    }
}

/// How many bytes of text and elements of lists values that are made of others may still come to.
///
/// One long value in a file can be named by very many others, and each of them may be copied later.
#[derive(Debug)]
pub(crate) struct Budget {
    /// `None` once it is reported that there is too much.
    left: Cell<Option<usize>>,
}

impl Default for Budget {
    fn default() -> Self {
        Budget { left: Cell::new(Some(MOST_IN_ALL)) }
    }
}

/// Bytes of text and elements of lists, vectors and so on in all; a part that several lists share counts in each. The walk
/// takes as long: what makes values out of others bounds them before.
pub(crate) fn size(value: &Value) -> usize {
    let all = |values: &mut dyn Iterator<Item = &Value>| values.map(size).fold(1, usize::saturating_add);
    match value {
        Value::Text(text) => text.len().max(1),
        Value::Bytes(bytes) => bytes.len().max(1),
        Value::Vector(vector) => vector.len().max(1),
        Value::List(list) | Value::Tuple(list) => all(&mut list.iter()),
        Value::Map(map) => {
            let names = map.keys().map(|name| name.len()).fold(0, usize::saturating_add);
            all(&mut map.values()).saturating_add(names)
        }
        Value::Dict(pairs) => all(&mut pairs.iter().flat_map(|(key, value)| [key, value])),
        Value::Pairs(pairs) => all(&mut pairs.items().iter().chain([pairs.end()])),
        Value::Packet(packet) => {
            let names =
                packet.entries().map(|(name, _)| name.len()).fold(packet.len(), usize::saturating_add);
            all(&mut packet.entries().map(|(_, value)| value)).saturating_add(names)
        }
        _ => 1,
    }
}

/// How deep lists and the like are within `value`: 0 of a number.
pub(crate) fn depth(value: &Value) -> usize {
    let deepest =
        |values: &mut dyn Iterator<Item = &Value>| values.map(depth).max().map_or(1, |depth| depth + 1);
    match value {
        Value::List(list) | Value::Tuple(list) => deepest(&mut list.iter()),
        Value::Map(map) => deepest(&mut map.values()),
        Value::Dict(pairs) => deepest(&mut pairs.iter().flat_map(|(key, value)| [key, value])),
        Value::Pairs(pairs) => deepest(&mut pairs.items().iter().chain([pairs.end()])),
        Value::Packet(packet) => deepest(&mut packet.entries().map(|(_, value)| value)),
        _ => 0,
    }
}

/// The value that `written` comes to.
pub(crate) fn evaluate(written: &Located, scope: &Scope, budget: &Budget) -> Result<Located, NoValue> {
    let (consequence, unknown) = Default::default();
    let variables = Variables { scope, budget, consequence, unknown };
    let result = match &written.value {
        Value::Text(text) => variables.text(text, written),
        Value::List(list) => variables.list(list, written).map(|list| Located::new(list, &written.folder)),
        _ => Ok(written.clone()),
    };
    result.map_err(|error| match variables.consequence.get() {
        true => NoValue::Consequence,
        false => NoValue::Wrong(Wrong { error, unknown: variables.unknown.take() }),
    })
}

/// Adds the variables that `written` mentions to `names`.
pub(crate) fn mentioned<'a>(written: &'a Value, names: &mut Vec<&'a str>) {
    match written {
        Value::Text(text) => {
            // A text that cannot be read mentions nothing here. It is reported when it is evaluated.
            for piece in pieces(text).unwrap_or_default() {
                if let Piece::Expression(text) = piece {
                    names.extend(expression::names(text));
                }
            }
        }
        Value::List(list) => list.iter().for_each(|value| mentioned(value, names)),
        _ => {}
    }
}

struct Variables<'a> {
    scope: &'a Scope,
    budget: &'a Budget,
    /// Whether a variable was asked for that has no value because of an earlier mistake.
    consequence: Cell<bool>,
    /// The variable that was asked for and is not there.
    unknown: RefCell<Option<String>>,
}

impl Variables<'_> {
    fn get(&self, name: &str) -> Result<&Located, String> {
        match self.scope.get(name) {
            Some(Some(located)) => Ok(located),
            Some(None) => {
                self.consequence.set(true);
                Err(String::new())
            }
            None => {
                self.unknown.replace(Some(name.to_owned()));
                Err(format!("there is no variable {}", shown(name)))
            }
        }
    }

    /// Takes the size of `value`, which `text` comes to, out of the budget. That it is used up is reported once.
    fn spend(&self, value: &Value, text: &str) -> Result<(), ExpressionError> {
        let left = self.budget.left.get();
        if left.is_none() {
            self.consequence.set(true);
        }
        let left = left.and_then(|left| left.checked_sub(size(value)));
        self.budget.left.set(left);
        if left.is_some() {
            return Ok(());
        }
        Err(wrong(text, format!("values made of others come to more than {MOST_IN_ALL} bytes or elements")))
    }

    fn number(&self, text: &str) -> Result<f64, ExpressionError> {
        expression::evaluate(text, &|name| {
            let located = self.get(name)?;
            located.value.as_f64().ok_or_else(|| {
                let got = match &located.value {
                    Value::List(_) => "a list".to_owned(),
                    value => shown(&value.to_string()),
                };
                format!("expected a number, but the variable {name} is {got}")
            })
        })
    }

    /// A lone name gives the variable as it is, anything else a number.
    fn expression(&self, text: &str, written: &Located) -> Result<Located, ExpressionError> {
        let name = text.trim();
        if name.len() > LONGEST_NAME || !expression::is_name(name) || expression::constant(name).is_some() {
            return self.number(text).map(|x| Located::new(Value::Float(x), &written.folder));
        }
        let located = self.get(name).map_err(|problem| wrong(text, problem))?;
        self.spend(&located.value, text)?;
        Ok(located.clone())
    }

    fn list(&self, list: &[Value], written: &Located) -> Result<Value, ExpressionError> {
        let values = list.iter().map(|element| match element {
            Value::Text(text) => match self.text(text, written)?.value {
                // Lists that name lists would grow without bound.
                Value::List(_) => Err(wrong(text, "a list within a list is written out".to_owned())),
                value => Ok(value),
            },
            Value::List(inner) => self.list(inner, written),
            value => Ok(value.clone()),
        });
        Ok(values.collect::<Result<Vec<Value>, _>>()?.into())
    }

    fn text(&self, text: &Text, written: &Located) -> Result<Located, ExpressionError> {
        if let Some(rest) = text.strip_prefix("==") {
            return Ok(Located::new(format!("={rest}").into(), &written.folder));
        }
        let pieces = pieces(text)?;
        match pieces[..] {
            [Piece::Text(same)] if same.len() == text.len() => return Ok(written.with(text)),
            [Piece::Expression(whole)] if text.starts_with('=') => return self.expression(whole, written),
            _ => {}
        }
        let mut result = String::new();
        // A path belongs to the place where its beginning is written.
        let mut folder = None;
        for piece in pieces {
            let located = match piece {
                Piece::Text(part) => Located::new(part.into(), &written.folder),
                Piece::Expression(part) => self.expression(part, written)?,
            };
            match (located.text(), &located.value) {
                (Some(part), _) => result.push_str(part),
                (None, Value::Float(x)) => result.push_str(&x.to_string()),
                (None, Value::List(_)) => {
                    return Err(wrong(text, "a list cannot be a part of text".to_owned()));
                }
                (None, value) => result.push_str(&value.to_string()),
            }
            if result.len() > LONGEST_TEXT {
                return Err(wrong(text, format!("expected text of at most {LONGEST_TEXT} bytes")));
            }
            if !result.is_empty() {
                folder.get_or_insert(located.folder);
            }
        }
        let folder = folder.unwrap_or_else(|| written.folder.clone());
        let value = Value::from(result);
        self.spend(&value, text)?;
        Ok(Located { value, folder, raw: None })
    }
}

impl Located {
    /// The same place with `text` as its value.
    fn with(&self, text: &Text) -> Located {
        Located { value: Value::Text(text.clone()), folder: self.folder.clone(), raw: self.raw.clone() }
    }
}

fn wrong(text: &str, problem: String) -> ExpressionError {
    ExpressionError { expression: shown(text), position: 1, problem }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Piece<'a> {
    Text(&'a str),
    Expression(&'a str),
}

/// The pieces of a text: one expression where it begins with `=`, else text around `${…}`.
fn pieces(text: &str) -> Result<Vec<Piece<'_>>, ExpressionError> {
    if text.len() > LONGEST_TEXT {
        return Err(wrong(
            text,
            format!("expected text of at most {LONGEST_TEXT} bytes, got {}", text.len()),
        ));
    }
    if text.starts_with("==") {
        return Ok(vec![Piece::Text(text)]);
    }
    if let Some(expression) = text.strip_prefix('=') {
        return Ok(vec![Piece::Expression(expression)]);
    }
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        if rest[..start].ends_with('$') {
            // `$${` stands for `${`: leave out the first `$`.
            pieces.push(Piece::Text(&rest[..start - 1]));
            pieces.push(Piece::Text("${"));
            rest = &rest[start + 2..];
            continue;
        }
        pieces.push(Piece::Text(&rest[..start]));
        let inside = &rest[start + 2..];
        let Some(end) = inside.find('}') else {
            let position = text[..text.len() - rest.len() + start].chars().count() + 1;
            let problem = "expected a } that closes this ${ ($${ stands for ${ itself)".to_owned();
            return Err(ExpressionError { expression: shown(text), position, problem });
        };
        pieces.push(Piece::Expression(&inside[..end]));
        rest = &inside[end + 1..];
    }
    pieces.push(Piece::Text(rest));
    Ok(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(path: &str) -> Arc<Path> {
        Path::new(path).into()
    }

    fn scope() -> Scope {
        let here = folder("here");
        let entry = |name: &str, value: Value| (name.to_owned(), Some(Located::new(value, &here)));
        let mut scope = Scope::from([
            entry("rate", 2e6.into()),
            entry("count", 3.into()),
            entry("taps", vec![Value::Int(1), Value::Int(2)].into()),
            entry("word", "fast".into()),
            ("failed".to_owned(), None),
        ]);
        scope.insert("file".to_owned(), Some(Located::new("a.cu8".into(), &folder(""))));
        let number = Located { value: 7.into(), folder: folder(""), raw: Some("007".into()) };
        scope.insert("number".to_owned(), Some(number));
        scope
    }

    fn come_to(written: &str) -> Result<Located, NoValue> {
        evaluate(&Located::new(written.into(), &folder("here")), &scope(), &Budget::default())
    }

    fn value(written: &str) -> Value {
        come_to(written).unwrap().value
    }

    #[test]
    fn text_may_be_an_expression_or_hold_some() {
        assert_eq!(value("=rate / 2"), Value::Float(1e6));
        assert_eq!(value("at ${rate / 2} Hz, ${word}, ${count}"), "at 1000000 Hz, fast, 3".into());
        assert_eq!(value("plain"), "plain".into());
        assert_eq!(value("${number}"), "007".into());
    }

    #[test]
    fn a_lone_name_gives_the_variable_as_it_is() {
        assert_eq!(value("= taps "), vec![Value::Int(1), Value::Int(2)].into());
        assert_eq!(value("=word"), "fast".into());
        assert_eq!(value("=count"), Value::Int(3));
    }

    #[test]
    fn signs_can_be_written_as_they_are() {
        assert_eq!(value("==x"), "=x".into());
        assert_eq!(value("$${rate} costs $5"), "${rate} costs $5".into());
    }

    #[test]
    fn a_path_belongs_to_where_its_beginning_is_written() {
        assert_eq!(&*come_to("=file").unwrap().folder, Path::new(""));
        assert_eq!(&*come_to("${file}.json").unwrap().folder, Path::new(""));
        assert_eq!(&*come_to("out/${file}").unwrap().folder, Path::new("here"));
    }

    #[test]
    fn what_depends_on_a_variable_without_value_is_a_consequence() {
        for written in ["=failed", "=failed + 1", "${failed}"] {
            assert!(matches!(come_to(written), Err(NoValue::Consequence)), "{written}");
        }
    }

    #[test]
    fn mistakes_say_what_was_expected() {
        for (written, expected) in [
            ("=raet", "there is no variable raet; did you mean rate?"),
            ("=word * 2", "expected a number, but the variable word is \"fast\""),
            ("=taps * 2", "expected a number, but the variable taps is a list"),
            ("x ${rate", "expected a } that closes this ${ ($${ stands for ${ itself)"),
            ("x ${taps}", "a list cannot be a part of text"),
        ] {
            match come_to(written) {
                Err(NoValue::Wrong(wrong)) => {
                    assert_eq!(wrong.with_suggestion(&scope()).problem, expected, "{written}")
                }
                other => panic!("{written}: {other:?}"),
            }
        }
    }

    #[test]
    fn lists_hold_expressions_but_no_other_lists_by_name() {
        let list = |elements: &[&str]| -> Located {
            let elements: Vec<Value> = elements.iter().map(|&text| text.into()).collect();
            Located::new(elements.into(), &folder(""))
        };
        let value = evaluate(&list(&["=count", "=2k"]), &scope(), &Budget::default()).unwrap().value;
        assert_eq!(value, vec![Value::Int(3), Value::Float(2e3)].into());
        assert!(evaluate(&list(&["=taps"]), &scope(), &Budget::default()).is_err());
    }
}
