//! The known name nearest to an unknown one, for error messages.

/// Returns the candidate with the smallest edit distance to `name`, if it is near enough to be a slip.
///
/// Near is at most a third of the longer name, and at least one edit; case does not count.
pub(crate) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let wanted: Vec<char> = name.chars().take(64).flat_map(char::to_lowercase).collect();
    candidates
        .into_iter()
        .map(|candidate| (distance(&wanted, candidate), candidate))
        .min_by_key(|&(edits, _)| edits)
        .filter(|&(edits, candidate)| edits <= (wanted.len().max(candidate.len()) / 3).max(1))
        .map(|(_, candidate)| candidate.to_owned())
}

/// Edit distance where inserting, deleting, replacing and swapping neighbours cost one each.
fn distance(a: &[char], b: &str) -> usize {
    let b: Vec<char> = b.chars().flat_map(char::to_lowercase).collect();
    let width = b.len() + 1;
    let mut cost = vec![0; (a.len() + 1) * width];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            cost[i * width + j] = if i == 0 || j == 0 {
                i + j
            } else {
                let replace = cost[(i - 1) * width + j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let edit = (cost[(i - 1) * width + j] + 1).min(cost[i * width + j - 1] + 1).min(replace);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    edit.min(cost[(i - 2) * width + j - 2] + 1)
                } else {
                    edit
                }
            };
        }
    }
    cost[a.len() * width + b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_one_letter_is_found() {
        assert_eq!(nearest("cu9", ["cs8", "cu8", "cf32"]).as_deref(), Some("cu8"));
        assert_eq!(nearest("CF23", ["cs8", "cu8", "cf32"]).as_deref(), Some("cf32"));
    }

    #[test]
    fn nothing_near_suggests_nothing() {
        assert_eq!(nearest("spreadsheet", ["cs8", "cu8", "cf32"]), None);
    }
}
