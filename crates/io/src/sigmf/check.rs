//! Whether the fields of SigMF metadata fit each other and the data.

use super::layout;
use super::meta::Meta;
use super::problem::Problem;

impl Meta {
    /// Returns every way in which the fields do not fit each other or a data file of `data_bytes` bytes.
    ///
    /// There must be nothing beside the three objects. Captures and annotations must ascend, begin at or after
    /// `core:offset` and end within the data. Frequency edges come in pairs, lower first. Headers, trailing bytes and whole
    /// samples fill the data. Without `data_bytes`, the data are not checked.
    pub fn check(&self, data_bytes: Option<u64>) -> Vec<Problem> {
        let mut problems = Vec::new();
        for name in self.other.keys() {
            let expected = "nothing beside global, captures and annotations";
            problems.push(Problem::new(name.escape_debug().to_string(), "there", expected));
        }
        let offset = self.global.offset.unwrap_or(0);
        let captures = self.captures.iter().map(|capture| capture.sample_start);
        ascending("captures", captures, offset, &mut problems);
        let annotations = self.annotations.iter().map(|annotation| annotation.sample_start);
        ascending("annotations", annotations, offset, &mut problems);
        for (n, annotation) in self.annotations.iter().enumerate() {
            match (annotation.freq_lower_edge_hz, annotation.freq_upper_edge_hz) {
                (Some(lower), Some(upper)) if lower > upper => problems.push(Problem::new(
                    format!("annotations/{n}/core:freq_lower_edge"),
                    lower.to_string(),
                    format!("at most the upper edge, {upper}"),
                )),
                (Some(_), None) | (None, Some(_)) => {
                    let (got, expected) = ("one frequency edge", "both or none");
                    problems.push(Problem::new(format!("annotations/{n}"), got, expected));
                }
                _ => {}
            }
        }
        if let (Some(data_bytes), Ok(_)) = (data_bytes, self.format()) {
            let layout = layout::of(self, data_bytes);
            problems.extend(layout.problems);
            let end = offset.saturating_add(layout.samples);
            let past = |at: String, what: u64| {
                Problem::new(at, what.to_string(), format!("at most {end}, where the data end"))
            };
            for (n, capture) in self.captures.iter().enumerate().filter(|(_, c)| c.sample_start > end) {
                problems.push(past(format!("captures/{n}/core:sample_start"), capture.sample_start));
            }
            for (n, annotation) in self.annotations.iter().enumerate() {
                let last = annotation.sample_start.saturating_add(annotation.sample_count.unwrap_or(0));
                if last > end {
                    problems.push(past(format!("annotations/{n}'s end"), last));
                }
            }
        }
        problems
    }
}

fn ascending(scope: &str, starts: impl Iterator<Item = u64>, offset: u64, problems: &mut Vec<Problem>) {
    let (mut least, mut why) = (offset, "core:offset".to_owned());
    for (n, start) in starts.enumerate() {
        if start < least {
            let expected = format!("at least {least}, that of {why}");
            problems.push(Problem::new(
                format!("{scope}/{n}/core:sample_start"),
                start.to_string(),
                expected,
            ));
        } else {
            (least, why) = (start, format!("{scope}/{n} before it"));
        }
    }
}
