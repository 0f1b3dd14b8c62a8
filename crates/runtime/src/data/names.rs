//! The nearest known name to one that is not.

use super::BlockError;

/// Longer names are nobody's typing mistake, and comparing them takes time and memory.
const LONGEST: usize = 200;

/// The candidate that is most like `name`, if any is near enough. Near is: at most a third of the letters differ, or one
/// letter, or `name` is a part of it.
///
/// ```
/// assert_eq!(superhet_runtime::error::nearest("magnitud", ["copy", "magnitude"]), Some("magnitude"));
/// assert_eq!(superhet_runtime::error::nearest("zzz", ["copy", "magnitude"]), None);
/// ```
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > LONGEST {
        return None;
    }
    candidates
        .into_iter()
        .filter(|candidate| candidate.len() <= LONGEST)
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, candidate)| {
            *distance <= (name.len().max(candidate.len()) / 3).max(1)
                || (name.len() > 2 && candidate.contains(name))
        })
        .min()
        .map(|(_, candidate)| candidate)
}

/// The end of an error message: `; did you mean X?`, or nothing.
pub fn suggestion<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    // Names that nobody can type are no help, and would reach the terminal as they are.
    let candidates = candidates.into_iter().filter(|candidate| !candidate.contains(char::is_control));
    nearest(name, candidates).map_or_else(String::new, |near| format!("; did you mean {near}?"))
}

/// Says that a parameter of `owner` was called by a name that it had before.
pub fn warn_of_former_name(owner: &str, former: &str, name: &str) {
    tracing::warn!(
        "{owner}: {former} is called {name} now; the former name is understood until the next version"
    );
}

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b` (optimal string alignment).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) =
        (a.to_lowercase().chars().collect(), b.to_lowercase().chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<_>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

/// The error for a parameter that a block does not have; it says which the block has.
///
/// ```
/// let error = superhet_runtime::parameter::no_parameter("gian", &["gain", "offset"]);
/// assert_eq!(error.to_string(), "there is no parameter gian, only gain, offset");
/// ```
pub fn no_parameter(name: &str, known: &[&str]) -> BlockError {
    match known {
        [] => format!("there is no parameter {name}, nor any other").into(),
        known => format!("there is no parameter {name}, only {}", known.join(", ")).into(),
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_control_characters_is_not_suggested() {
        assert_eq!(suggestion("sink", ["si\u{1}k", "other"]), "");
        assert_eq!(suggestion("sink", ["si\u{1}k", "sinc"]), "; did you mean sinc?");
    }
}
