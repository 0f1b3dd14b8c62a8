//! What a bench says: a table, JSON lines or a drawing.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use serde_json::{Value, json};

use super::stats::Stats;
use superhet_terminal::say;

/// How the results are given.
#[derive(Args, Clone, Debug)]
pub struct Output {
    /// Print JSON: one object for each case, each on a line
    #[arg(long)]
    pub(super) json: bool,
    /// Draw the medians into an SVG file, too
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
}

/// One thing that was measured, over all repetitions.
#[derive(Clone, Debug)]
pub struct Figure {
    /// The name in JSON and in the table.
    pub name: &'static str,
    /// The unit in the table.
    unit: &'static str,
    /// Units of the table for one of JSON.
    scale: f64,
    pub stats: Stats,
}

impl Figure {
    /// A figure that the table shows in its own unit.
    pub fn new(name: &'static str, unit: &'static str, values: Vec<f64>) -> Self {
        Figure { name, unit, scale: 1.0, stats: Stats::new(values) }
    }

    /// A rate per second, which the table shows in thousand millions (`unit`).
    pub fn giga(name: &'static str, unit: &'static str, values: Vec<f64>) -> Self {
        Figure { scale: 1e-9, ..Figure::new(name, unit, values) }
    }

    /// A rate per second, which the table shows in millions (`unit`).
    pub fn mega(name: &'static str, unit: &'static str, values: Vec<f64>) -> Self {
        Figure { scale: 1e-6, ..Figure::new(name, unit, values) }
    }

    /// Median, least and greatest in the unit of the table.
    pub fn shown(&self) -> [f64; 3] {
        [self.stats.median(), self.stats.min(), self.stats.max()].map(|x| x * self.scale)
    }
}

/// One case of a bench with its figures.
#[derive(Clone, Debug)]
pub struct Case {
    /// The case in a few words.
    pub label: String,
    /// What makes it this case: an object.
    pub facts: Value,
    pub figures: Vec<Figure>,
}

impl Case {
    /// A case; `facts` is a JSON object.
    pub fn new(label: impl Into<String>, facts: Value, figures: Vec<Figure>) -> Self {
        Case { label: label.into(), facts, figures }
    }

    /// The figure of that name.
    pub fn figure(&self, name: &str) -> Option<&Figure> {
        self.figures.iter().find(|figure| figure.name == name)
    }

    fn to_json(&self, bench: &str, repeat: u32) -> Value {
        let mut object = json!({ "bench": bench, "repeat": repeat });
        for (name, fact) in self.facts.as_object().into_iter().flatten() {
            object[name] = fact.clone();
        }
        for Figure { name, stats, .. } in &self.figures {
            object[*name] = json!(stats.median());
            object[format!("{name}_stats")] = stats.to_json();
        }
        object
    }
}

impl Output {
    /// Prints the cases, and draws them where that was asked for.
    pub fn give(
        &self,
        bench: &str,
        repeat: u32,
        cases: &[Case],
        draw: impl FnOnce() -> anyhow::Result<String>,
    ) -> anyhow::Result<()> {
        self.give_as(bench, repeat, cases, || table(bench, repeat, cases), draw)
    }

    /// As [`give`](Self::give), with a table of one's own.
    pub fn give_as(
        &self,
        bench: &str,
        repeat: u32,
        cases: &[Case],
        table: impl FnOnce() -> String,
        draw: impl FnOnce() -> anyhow::Result<String>,
    ) -> anyhow::Result<()> {
        let mut text = String::new();
        if self.json {
            cases.iter().for_each(|case| text += &format!("{}\n", case.to_json(bench, repeat)));
        } else {
            text = table();
        }
        say::result(&text)?;
        if let Some(path) = &self.plot {
            std::fs::write(path, draw()?).with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(())
    }
}

/// A row for each figure of each case.
fn table(bench: &str, repeat: u32, cases: &[Case]) -> String {
    let longest = |lengths: &mut dyn Iterator<Item = usize>| lengths.max().unwrap_or(0);
    let label = longest(&mut cases.iter().map(|case| case.label.chars().count())).max(bench.len());
    let name = longest(&mut cases.iter().flat_map(|case| &case.figures).map(|figure| figure.name.len()));
    let head = format!("x {repeat}");
    let mut text = format!(
        "{bench:label$}  {head:name$}  {:>10}  {:>10}  {:>10}  {:>10}\n",
        "min", "median", "mean", "max"
    );
    for case in cases {
        for (row, figure) in case.figures.iter().enumerate() {
            let s = &figure.stats;
            let [min, median, mean, max] =
                [s.min(), s.median(), s.mean(), s.max()].map(|x| digits(x * figure.scale));
            let what = if row == 0 { case.label.as_str() } else { "" };
            text += &format!(
                "{what:label$}  {:name$}  {min:>10}  {median:>10}  {mean:>10}  {max:>10}  {}\n",
                figure.name, figure.unit
            );
        }
    }
    text
}

/// The number with four digits that count.
pub fn digits(x: f64) -> String {
    let before_point = x.abs().max(1e-9).log10().floor() as i32;
    format!("{x:.*}", (3 - before_point).clamp(0, 6) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_show_four_digits() {
        assert_eq!(
            [0.0, 0.87312, 6.7, 25.678, 51234.5].map(digits),
            ["0.000000", "0.8731", "6.700", "25.68", "51234"].map(str::to_owned)
        );
    }

    #[test]
    fn a_case_says_its_facts_and_for_each_figure_the_median_and_the_rest() {
        let case =
            Case::new("one", json!({ "kernels": 1 }), vec![Figure::giga("rate", "G/s", vec![1e9, 3e9])]);
        let object = case.to_json("chain", 2);
        assert_eq!(object["kernels"], 1);
        assert_eq!(object["rate"], 2e9);
        assert_eq!(object["rate_stats"]["max"], 3e9);
        assert_eq!(case.figures[0].shown(), [2.0, 1.0, 3.0]);
        assert!(table("chain", 2, &[case]).contains("2.000"));
    }
}
