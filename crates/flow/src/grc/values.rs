//! Variables, parameters and widgets, and the values of blocks' parameters.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::document::{Block, Text};
use crate::error::{ExpressionError, Mistake, Mistakes, Place, shown};
use crate::python::{self, Expression, Object, PythonError, Scope};
use crate::set::Set;
use crate::values::Located;
use crate::variables::VariableValue;

/// How many variables of a cycle are named.
const NAMED: usize = 8;

/// What the text of a variable block says, as one expression.
pub(super) enum Written {
    /// This expression.
    Text(Text),
    /// A variable of a kind that is not known.
    Unknown,
    /// Not a variable.
    No,
}

/// What a variable is, by the block that makes it.
pub(super) fn written(block: &Block) -> Written {
    let text = |name: &str, default: &str| block.param(name).map_or(default, |text| &text.text).to_owned();
    let call = |function: &str, params: &[(&str, &str)]| {
        let arguments = params.iter().map(|(name, default)| format!("({})", text(name, default)));
        let text = format!("{function}({})", arguments.collect::<Vec<_>>().join(", "));
        Written::Text(Text { text, line: block.line })
    };
    const GAIN: (&str, &str) = ("gain", "1.0");
    const RATE: (&str, &str) = ("samp_rate", "samp_rate");
    const WIDTH: (&str, &str) = ("width", "None");
    const WINDOW: (&str, &str) = ("win", "window.WIN_HAMMING");
    const BETA: (&str, &str) = ("beta", "6.76");
    const CUTOFF: (&str, &str) = ("cutoff_freq", "None");
    const EDGES: [(&str, &str); 2] = [("low_cutoff_freq", "None"), ("high_cutoff_freq", "None")];
    match block.id.as_str() {
        "variable" | "parameter" | "variable_function_probe" => value(block),
        "variable_low_pass_filter_taps" => {
            call("firdes.low_pass", &[GAIN, RATE, CUTOFF, WIDTH, WINDOW, BETA])
        }
        "variable_high_pass_filter_taps" => {
            call("firdes.high_pass", &[GAIN, RATE, CUTOFF, WIDTH, WINDOW, BETA])
        }
        "variable_band_pass_filter_taps" => {
            let function = format!("firdes.{}", text("type", "band_pass"));
            call(&function, &[GAIN, RATE, EDGES[0], EDGES[1], WIDTH, WINDOW, BETA])
        }
        "variable_band_reject_filter_taps" => {
            let function = format!("firdes.{}", text("type", "band_reject"));
            call(&function, &[GAIN, RATE, EDGES[0], EDGES[1], WIDTH, WINDOW, BETA])
        }
        "variable_rrc_filter_taps" => {
            let params = [GAIN, RATE, ("sym_rate", "None"), ("alpha", "0.35"), ("ntaps", "None")];
            call("firdes.root_raised_cosine", &params)
        }
        "variable_constellation" => match text("type", "calcdist").as_str() {
            "calcdist" => call(
                "digital.constellation_calcdist",
                &[
                    ("const_points", "[]"),
                    ("sym_map", "[]"),
                    ("rot_sym", "4"),
                    ("dims", "1"),
                    ("normalization", "digital.constellation.AMPLITUDE_NORMALIZATION"),
                ],
            ),
            kind => call(&format!("digital.constellation_{kind}"), &[]),
        },
        id if is_widget(id) => value(block),
        id if id.starts_with("variable_") || id.ends_with("_config") => Written::Unknown,
        _ => Written::No,
    }
}

fn value(block: &Block) -> Written {
    match block.params.iter().find(|(name, _)| name == "value") {
        Some((_, text)) => Written::Text(text.clone()),
        None => Written::Text(Text { text: "0".to_owned(), line: block.line }),
    }
}

/// Whether it is a control of a user interface, which has a value.
pub(super) fn is_widget(id: &str) -> bool {
    id.starts_with("variable_qtgui_")
        || id.starts_with("variable_bokehgui_")
        || id.starts_with("variable_qtgui")
}

/// Whether it is a variable that `superhet.gnuradio.companion` makes of several parameters.
pub(super) fn is_object(id: &str) -> bool {
    matches!(
        id,
        "json_config"
            | "variable_config"
            | "variable_header_format_default"
            | "variable_struct"
            | "yaml_config"
    )
}

/// A variable on its way to a value.
struct Variable<'a> {
    block: &'a Block,
    at: Place,
    value: Value,
}

enum Value {
    /// To be worked out. Text, where the block says that it is one and it is no expression.
    Expression(Box<Expression>),
    Ready(Object),
    /// It has none, which has been reported.
    Failed,
}

/// Works out all variables, and gives their names in an order in which each comes behind those that it mentions. Those that
/// have no value because of a mistake come into `failed`.
pub(super) fn variables<'a>(
    blocks: &[(&'a Block, Text)],
    at: &dyn Fn(usize) -> Place,
    sets: &[(&str, &Set)],
    scope: &mut Scope<'_>,
    failed: &mut BTreeSet<String>,
    mistakes: &mut Mistakes,
) -> Vec<String> {
    let mut variables: Vec<Variable<'a>> = Vec::new();
    for (block, text) in blocks {
        let place = at(text.line);
        let set = sets.iter().rev().find(|(name, _)| *name == block.name);
        let value = match set {
            Some((_, set)) => from_outside(block, set, mistakes),
            None => from_text(block, text, &place, mistakes),
        };
        variables.push(Variable { block, at: set.map_or(place, |(_, set)| set.place()), value });
    }
    let places: BTreeMap<&str, usize> =
        variables.iter().enumerate().map(|(place, variable)| (variable.block.name.as_str(), place)).collect();
    let mut names = Vec::new();
    let mut used_up = false;
    for place in order(&variables, &places, mistakes) {
        let Some(place) = place.ok() else { continue };
        let variable = &variables[place];
        let name = &variable.block.name;
        names.push(name.clone());
        let object = match &variable.value {
            Value::Failed => None,
            Value::Ready(object) => Some(object.clone()),
            Value::Expression(_) if used_up => None,
            Value::Expression(expression) => match expression.evaluate(scope) {
                Ok(object) => Some(object),
                Err(error) if error.unknown.as_ref().is_some_and(|name| failed.contains(name)) => None,
                Err(_) if is_text(variable.block) => Some(Object::Text(expression.text().into())),
                Err(error) => {
                    used_up = scope.is_used_up();
                    mistakes.add(|| wrong(variable.at.clone(), &format!("variable {}", shown(name)), &error));
                    None
                }
            },
        };
        match object {
            Some(object) => scope.set(name.clone(), object),
            None => {
                failed.insert(name.clone());
            }
        }
    }
    for variable in &variables {
        if scope.get(&variable.block.name).is_none() {
            failed.insert(variable.block.name.clone());
        }
    }
    names
}

/// Whether the value of a variable is text, quoted or not.
pub(super) fn is_text(block: &Block) -> bool {
    let kind = block.param("type").map(|text| text.text.as_str());
    block.id != "variable" && matches!(kind, Some("str" | "string"))
}

fn from_text(block: &Block, text: &Text, place: &Place, mistakes: &mut Mistakes) -> Value {
    match Expression::parse(&text.text) {
        Ok(expression) => Value::Expression(expression.into()),
        Err(_) if is_text(block) => Value::Ready(Object::Text(text.text.as_str().into())),
        Err(error) => {
            mistakes.add(|| wrong(place.clone(), &format!("variable {}", shown(&block.name)), &error));
            Value::Failed
        }
    }
}

/// A value from outside for a variable, which for a parameter must be of its type.
fn from_outside(block: &Block, set: &Set, mistakes: &mut Mistakes) -> Value {
    let mut fail = |problem: String| {
        mistakes.add(|| Mistake::Setting { at: set.place(), problem });
        Value::Failed
    };
    let object = match object_of(set) {
        Ok(Ok(object)) => object,
        Ok(Err(expression)) => return Value::Expression(expression.into()),
        Err(problem) => return fail(problem),
    };
    let kind = block.param("type").map_or("", |text| &text.text);
    let expected = match kind {
        _ if block.id != "parameter" => return Value::Ready(object),
        "complex" => ("a number", object.as_complex().is_some()),
        "eng_float" | "float" | "real" => ("a real number", object.as_float().is_some()),
        "intx" | "int" | "long" => ("a whole number", object.as_int().is_some()),
        "str" | "string" => {
            // What looks like a number may be meant as text.
            let text = object.as_text().map_or_else(|| raw_of(set), |text| Some(text.into()));
            return Value::Ready(Object::Text(text.unwrap_or_else(|| object.to_string().into())));
        }
        _ => return Value::Ready(object),
    };
    match expected {
        (_, true) => Value::Ready(object),
        (expected, false) => {
            fail(format!("{} expects {expected}, got {}", shown(&block.name), object.brief()))
        }
    }
}

fn raw_of(set: &Set) -> Option<Arc<str>> {
    match set.value() {
        VariableValue::Written(located) | VariableValue::Ready(Some(located)) => {
            located.text().map(Into::into)
        }
        VariableValue::Ready(None) => None,
    }
}

/// What a setting says: a value, or an expression behind `=`.
pub(super) fn object_of(set: &Set) -> Result<Result<Object, Expression>, String> {
    let Located { value, .. } = match set.value() {
        VariableValue::Ready(Some(located)) => return Ok(Ok(Object::from_value(&located.value))),
        VariableValue::Written(located) => located,
        VariableValue::Ready(None) => return Err("has no value".to_owned()),
    };
    match value.as_str().and_then(|text| text.strip_prefix('=')) {
        Some(text) => Expression::parse(text).map(Err).map_err(|error| error.to_string()),
        None => Ok(Ok(Object::from_value(value))),
    }
}

/// The mistake that an expression has no value.
pub(super) fn wrong(at: Place, subject: &str, error: &PythonError) -> Mistake {
    let subject = subject.to_owned();
    match error.needs_python {
        true => Mistake::Python { at, subject, problem: error.to_string() },
        false => {
            let PythonError { expression, position, problem, .. } = error.clone();
            Mistake::Expression { at, subject, error: ExpressionError { expression, position, problem } }
        }
    }
}

/// The variables in an order in which each comes after those that it mentions. Variables in a cycle are reported and left
/// out.
fn order(
    variables: &[Variable<'_>],
    places: &BTreeMap<&str, usize>,
    mistakes: &mut Mistakes,
) -> Vec<Result<usize, ()>> {
    let needs: Vec<Vec<usize>> = variables
        .iter()
        .map(|variable| match &variable.value {
            Value::Expression(expression) => {
                let needed: BTreeSet<usize> =
                    expression.names().iter().filter_map(|name| places.get(name).copied()).collect();
                needed.into_iter().collect()
            }
            _ => Vec::new(),
        })
        .collect();
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        OnPath,
        Done,
    }
    let mut state = vec![State::New; variables.len()];
    let mut in_cycle = vec![false; variables.len()];
    let mut sorted = Vec::new();
    for first in 0..variables.len() {
        let mut path = Vec::new();
        if state[first] == State::New {
            state[first] = State::OnPath;
            path.push((first, 0));
        }
        while let Some((place, next)) = path.last_mut() {
            let place = *place;
            match needs[place].get(*next).copied() {
                Some(needed) => {
                    *next += 1;
                    match state[needed] {
                        State::New => {
                            state[needed] = State::OnPath;
                            path.push((needed, 0));
                        }
                        State::OnPath => {
                            let start = path.iter().position(|(place, _)| *place == needed).unwrap_or(0);
                            let cycle: Vec<usize> = path[start..].iter().map(|(place, _)| *place).collect();
                            cycle.iter().for_each(|place| in_cycle[*place] = true);
                            mistakes.add(|| Mistake::Cycle {
                                at: variables[needed].at.clone(),
                                chain: chain(variables, &cycle),
                            });
                        }
                        State::Done => {}
                    }
                }
                None => {
                    path.pop();
                    state[place] = State::Done;
                    sorted.push(if in_cycle[place] { Err(()) } else { Ok(place) });
                }
            }
        }
    }
    sorted
}

fn chain(variables: &[Variable<'_>], cycle: &[usize]) -> String {
    let mut names: Vec<String> =
        cycle.iter().take(NAMED).map(|place| shown(&variables[*place].block.name)).collect();
    if cycle.len() > NAMED {
        names.push("…".to_owned());
    }
    names.push(names[0].clone());
    names.join(" -> ")
}

/// The value of a block's parameter: an expression, or the text itself where it is none.
pub(super) fn object(text: &str, scope: &Scope<'_>) -> Object {
    let raw = |error: PythonError| Object::Raw(text.into(), error.into());
    match Expression::parse(text).and_then(|expression| expression.evaluate(scope)) {
        // Words such as `complex` are those of GNU Radio Companion, and no functions.
        Ok(Object::Function(_) | Object::Module(_) | Object::Method(..)) => raw(PythonError {
            expression: shown(text),
            position: 1,
            problem: "expected a value, got a function or a module".to_owned(),
            needs_python: false,
            unknown: None,
        }),
        Ok(object) => object,
        Err(error) => raw(error),
    }
}

/// The names that an import statement brings, and what each is; the problem where it is not known.
pub(super) fn imported(text: &str, scope: &mut Scope<'_>) -> Result<(), String> {
    let mut wrong = None;
    for line in
        text.split([';', '\n']).map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        let unknown = || {
            format!(
                "`{}` needs Python: the modules that are known are math, cmath, numpy, pmt and GNU Radio's own",
                shown(line)
            )
        };
        let words: Vec<&str> =
            line.split([' ', ',', '\t', '(', ')']).filter(|word| !word.is_empty()).collect();
        let mut bring = |rest: &[&str], from: Option<&str>| {
            let mut rest = rest;
            while let [name, more @ ..] = rest {
                let (alias, more) = match more {
                    ["as", alias, more @ ..] => (Some(*alias), more),
                    more => (None, more),
                };
                rest = more;
                if *name == "*" {
                    let module = from.and_then(python::module).ok_or_else(unknown)?;
                    for name in python::members(&module) {
                        let expression =
                            Expression::parse(&format!("{module}.{name}")).map_err(|_| unknown())?;
                        let object =
                            expression.evaluate(&Scope::new(scope.library())).map_err(|_| unknown())?;
                        scope.set(name, object);
                    }
                    continue;
                }
                let object = match from {
                    None => {
                        let Some(module) = python::module(name) else {
                            // What is used of it only Python knows.
                            let name = alias.or(name.split('.').next()).unwrap_or(name);
                            scope.set(name, Object::Module(name.into()));
                            wrong = wrong.take().or_else(|| Some(unknown()));
                            continue;
                        };
                        if alias.is_none() && name.contains('.') {
                            // `import gnuradio.blocks` brings the name `gnuradio`, which is known.
                            continue;
                        }
                        Object::Module(module)
                    }
                    Some(from) => {
                        let path = format!("{from}.{name}");
                        let known = Expression::parse(&path)
                            .and_then(|expression| expression.evaluate(&Scope::new(scope.library())));
                        known.unwrap_or_else(|_| {
                            wrong = wrong.take().or_else(|| Some(unknown()));
                            Object::Module(path.into())
                        })
                    }
                };
                scope.set(alias.unwrap_or(name).to_owned(), object);
            }
            Ok::<(), String>(())
        };
        match &words[..] {
            ["import", rest @ ..] if !rest.is_empty() => bring(rest, None)?,
            ["from", "gnuradio", "import", rest @ ..] => bring(rest, Some("gnuradio"))?,
            ["from", module, "import", rest @ ..] if !rest.is_empty() => {
                bring(rest, Some(module))?;
            }
            _ => return Err(unknown()),
        }
    }
    wrong.map_or(Ok(()), Err)
}
