//! Variables in any order: each is evaluated after those that it mentions.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::{Mistake, Mistakes, Place};
use crate::values::{Budget, Located, NoValue, Scope, evaluate, mentioned};

/// How many variables of a cycle are named.
const NAMED: usize = 8;

/// A variable as it is written, or as it is given from outside.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub name: String,
    pub place: Place,
    pub value: VariableValue,
}

#[derive(Clone, Debug)]
pub(crate) enum VariableValue {
    /// To be evaluated.
    Written(Located),
    /// A value as it is, which nothing in it changes; `None` where a mistake that has been reported prevented it.
    Ready(Option<Located>),
}

/// The values of all variables; adds what prevents any to `mistakes`.
pub(crate) fn evaluate_all(variables: &[Variable], budget: &Budget, mistakes: &mut Mistakes) -> Scope {
    let places: BTreeMap<&str, usize> =
        variables.iter().enumerate().map(|(index, variable)| (variable.name.as_str(), index)).collect();
    let needs: Vec<Vec<usize>> = variables.iter().map(|variable| needed(variable, &places)).collect();
    let mut scope: Scope = variables.iter().map(|variable| (variable.name.clone(), None)).collect();
    let mut walk = Walk { state: vec![State::New; variables.len()], path: Vec::new() };
    for first in 0..variables.len() {
        walk.enter(first);
        while let Some((index, next)) = walk.step() {
            match needs[index].get(next).map(|&needed| (needed, walk.state[needed])) {
                Some((needed, State::New)) => walk.enter(needed),
                Some((_, State::Done | State::InCycle)) => {}
                Some((needed, State::OnPath)) => {
                    let cycle = walk.close(needed);
                    let names = cycle.iter().map(|&index| variables[index].name.as_str());
                    mistakes.add(|| Mistake::Cycle {
                        at: variables[needed].place.clone(),
                        chain: chain(names.collect(), &variables[needed].name),
                    });
                }
                None => {
                    // All that it needs is there, or has failed.
                    let value = match walk.leave(index) {
                        State::InCycle => None,
                        _ => value_of(&variables[index], &scope, budget, mistakes),
                    };
                    scope.insert(variables[index].name.clone(), value);
                }
            }
        }
    }
    scope
}

/// The variables that `variable` mentions, without repetition.
fn needed(variable: &Variable, places: &BTreeMap<&str, usize>) -> Vec<usize> {
    let mut names = Vec::new();
    if let VariableValue::Written(written) = &variable.value {
        mentioned(&written.value, &mut names);
    }
    let needed: BTreeSet<usize> = names.iter().filter_map(|name| places.get(name).copied()).collect();
    needed.into_iter().collect()
}

fn value_of(variable: &Variable, scope: &Scope, budget: &Budget, mistakes: &mut Mistakes) -> Option<Located> {
    match &variable.value {
        VariableValue::Ready(located) => located.clone(),
        VariableValue::Written(written) => match evaluate(written, scope, budget) {
            Ok(located) => Some(located),
            Err(NoValue::Consequence) => None,
            Err(NoValue::Wrong(wrong)) => {
                mistakes.add(|| Mistake::Expression {
                    at: variable.place.clone(),
                    subject: format!("variable {}", variable.name),
                    error: wrong.with_suggestion(scope),
                });
                None
            }
        },
    }
}

fn chain<'a>(mut names: Vec<&'a str>, first: &'a str) -> String {
    if names.len() > NAMED {
        names.truncate(NAMED);
        names.push("…");
    }
    names.push(first);
    names.join(" -> ")
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    New,
    OnPath,
    InCycle,
    Done,
}

/// A walk from each variable to those that it needs. The path is kept here and not on the stack: it may be long.
struct Walk {
    state: Vec<State>,
    /// Where the walk is: a variable, and which of its needs comes next.
    path: Vec<(usize, usize)>,
}

impl Walk {
    fn enter(&mut self, index: usize) {
        if self.state[index] == State::New {
            self.state[index] = State::OnPath;
            self.path.push((index, 0));
        }
    }

    /// Where the walk is, and which need to look at.
    fn step(&mut self) -> Option<(usize, usize)> {
        let (index, next) = self.path.last_mut()?;
        *next += 1;
        Some((*index, *next - 1))
    }

    /// The path leads back to `first`: gives the cycle.
    fn close(&mut self, first: usize) -> Vec<usize> {
        let start = self.path.iter().position(|&(index, _)| index == first).unwrap_or(0);
        let cycle: Vec<usize> = self.path[start..].iter().map(|&(index, _)| index).collect();
        cycle.iter().for_each(|&index| self.state[index] = State::InCycle);
        cycle
    }

    /// The walk goes back from `index`; gives the state that it had.
    fn leave(&mut self, index: usize) -> State {
        self.path.pop();
        std::mem::replace(&mut self.state[index], State::Done)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use superhet_runtime::Value;

    use super::*;

    fn scope(variables: &[(&str, Value)]) -> (Scope, String) {
        let variable = |(name, value): &(&str, Value)| Variable {
            name: name.to_string(),
            place: Place::Nowhere,
            value: VariableValue::Written(Located::new(value.clone(), &Path::new("").into())),
        };
        let mut mistakes = Mistakes::default();
        let scope = evaluate_all(
            &variables.iter().map(variable).collect::<Vec<_>>(),
            &Budget::default(),
            &mut mistakes,
        );
        (scope, mistakes.or(()).map_or_else(|error| error.to_string(), |()| String::new()))
    }

    fn value(scope: &Scope, name: &str) -> Option<Value> {
        scope[name].as_ref().map(|located| located.value.clone())
    }

    #[test]
    fn the_order_of_variables_does_not_matter() {
        let (scope, errors) = scope(&[("a", "=b * c".into()), ("b", "=c + 1".into()), ("c", 3.into())]);
        assert_eq!((value(&scope, "a"), errors.as_str()), (Some(Value::Float(12.0)), ""));
    }

    #[test]
    fn a_cycle_is_named_and_what_depends_on_it_is_not_reported() {
        let (scope, errors) =
            scope(&[("a", "=b + 1".into()), ("b", "=c".into()), ("c", "=a".into()), ("d", "=a".into())]);
        assert_eq!(errors, "the variables a -> b -> c -> a need each other");
        assert_eq!(value(&scope, "d"), None);
        assert!(super::tests::scope(&[("a", "=a".into())]).1.contains("a -> a"));
    }

    #[test]
    fn a_long_chain_of_variables_is_no_problem() {
        let names: Vec<String> = (0..4000).map(|i| format!("v{i}")).collect();
        let mut variables: Vec<(&str, Value)> =
            (0..3999).map(|i| (names[i].as_str(), format!("=v{} + 1", i + 1).into())).collect();
        variables.push(("v3999", 0.into()));
        assert_eq!(value(&scope(&variables).0, "v0"), Some(Value::Float(3999.0)));
    }

    #[test]
    fn text_that_doubles_is_bounded() {
        let names: Vec<String> = (0..100).map(|i| format!("v{i}")).collect();
        let mut variables: Vec<(&str, Value)> =
            (1..100).map(|i| (names[i].as_str(), format!("${{v{0}}}${{v{0}}}", i - 1).into())).collect();
        variables.push(("v0", "ha".into()));
        assert!(scope(&variables).1.contains("expected text of at most 65536 bytes"));
    }
}
