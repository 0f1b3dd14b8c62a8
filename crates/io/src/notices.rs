//! Words to the log about what others do: never more than one a second for each block, whatever they do.

use std::time::{Duration, Instant};

/// How often a block warns at most.
const EVERY: Duration = Duration::from_secs(1);

/// Warns of what peers do, once a second at most. Further warnings are counted, and the next one that is logged has their number.
#[derive(Debug, Default)]
pub(crate) struct Notices {
    reported: Option<Instant>,
    unreported: u64,
}

impl Notices {
    /// Warns, unless that was done within the last second. The text is made only where it is logged; control characters
    /// in it, which a peer may have sent, are shown and not sent to a terminal.
    pub fn warn(&mut self, text: impl FnOnce() -> String) {
        if let Some(line) = self.line(text, Instant::now()) {
            tracing::warn!("{line}");
        }
    }

    fn line(&mut self, text: impl FnOnce() -> String, now: Instant) -> Option<String> {
        if self.reported.is_some_and(|reported| now.saturating_duration_since(reported) < EVERY) {
            self.unreported = self.unreported.saturating_add(1);
            return None;
        }
        self.reported = Some(now);
        let mut line = shown(&text());
        match std::mem::take(&mut self.unreported) {
            0 => {}
            unreported => line.push_str(&format!("; before it, {unreported} more warnings")),
        }
        Some(line)
    }
}

impl Drop for Notices {
    fn drop(&mut self) {
        if self.unreported > 0 {
            tracing::warn!("{} more such warnings", self.unreported);
        }
    }
}

/// Text of others without control characters.
fn shown(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter.is_control() {
            true => shown.extend(letter.escape_default()),
            false => shown.push(letter),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_are_reported_once_a_second_and_counted_between() {
        let mut notices = Notices::default();
        let start = Instant::now();
        let at = |milliseconds| start + Duration::from_millis(milliseconds);
        assert_eq!(notices.line(|| "a\x1b[31m\u{9b}b".to_owned(), at(0)).unwrap(), "a\\u{1b}[31m\\u{9b}b");
        for time in 1..1000 {
            assert_eq!(notices.line(|| unreachable!("nobody reads it"), at(time)), None);
        }
        assert_eq!(notices.line(|| "b".to_owned(), at(1000)).unwrap(), "b; before it, 999 more warnings");
        assert_eq!(notices.line(|| "c".to_owned(), at(2000)).unwrap(), "c");
    }
}
