//! How fast each kernel is, against the plain variant and against what the machine allows.

use std::collections::HashSet;
use std::time::Duration;

use clap::Args;
use serde_json::json;
use superhet_kernels::{Group, Row, Trial, list, trial};
use superhet_runtime::plan::Machine;

use super::clock;
use super::measure::seconds_of_call;
use super::output::{Case, Figure, Output, digits};
use super::plot::{self, Panel};
use superhet_terminal::progress::Bar;
use superhet_terminal::settings::parse_seconds;
use superhet_terminal::usage::Usage;

/// `superhet bench kernels`
#[derive(Args, Debug)]
pub struct Kernels {
    /// Only kernels whose name contains this; may be given several times
    #[arg(long, value_name = "NAME")]
    kernel: Vec<String>,
    /// Items for each call
    #[arg(long, value_delimiter = ',', default_values_t = [8192, 1_000_000],
          value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
    length: Vec<u32>,
    /// Items that the slices start behind a cache line
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=4096))]
    shift: u32,
    /// Every variant beside the plain one; what is slower than that, each time it is measured anew, is marked and listed
    #[arg(long)]
    variants: bool,
    /// Repetitions; the median is reported
    #[arg(long, default_value_t = 9, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    repeat: u32,
    /// Seconds for each repetition of a kernel, of the plain one and of the limit
    #[arg(long, default_value_t = 0.004, value_parser = parse_seconds)]
    seconds: f64,
    #[command(flatten)]
    output: Output,
}

/// Rates of the variant that calls go to.
const RATE: &str = "gitems_per_s";
/// Rates of the plain variant.
const SCALAR_RATE: &str = "scalar_gitems_per_s";
/// Rates of a loop that reads and writes the same and computes nothing.
const LIMIT: &str = "limit_gitems_per_s";
const LIMIT_FRACTION: &str = "limit_fraction";
const BYTES_PER_CYCLE: &str = "bytes_per_cycle";
/// What calls gain over the plain variant.
const SPEEDUP: &str = "speedup_percent";
/// Below this a variant is slower than the plain one, rather than as fast.
const SLOWER_PERCENT: f64 = -3.0;
/// How often a kernel is measured anew, on other memory, before one of its variants is called slower.
const DOUBTS: usize = 4;

/// The ops whose name contains one of `names`; all, if there are none.
pub fn chosen(names: &[String]) -> Result<Vec<Row>, Usage> {
    let mut rows = list();
    if let Some(name) = names.iter().find(|name| !rows.iter().any(|row| row.name.contains(name.as_str()))) {
        return Err(Usage(format!("no kernel has {name:?} in its name; superhet profile --list shows all")));
    }
    rows.retain(|row| names.is_empty() || names.iter().any(|name| row.name.contains(name.as_str())));
    Ok(rows)
}

/// The group in a word, as in JSON.
pub fn group_name(group: Group) -> &'static str {
    match group {
        Group::Conversion => "conversion",
        _ => "math",
    }
}

impl Kernels {
    /// Runs the benchmark and prints its result.
    ///
    /// # Errors
    /// Where no kernel has such a name, or a result cannot be written.
    pub fn run(self) -> anyhow::Result<()> {
        let mut rows = chosen(&self.kernel)?;
        rows.sort_by_key(|row| row.group == Group::Conversion);
        let lengths = || self.length.iter().map(|&length| length as usize);
        let bar = Bar::new(rows.len() * self.length.len());
        let mut cases = Vec::new();
        for row in &rows {
            for length in lengths() {
                bar.step(&format!("{} x {length}", row.name));
                if self.variants {
                    cases.extend(self.every_variant(row, length));
                } else {
                    cases.push(self.case(row, length));
                }
            }
        }
        bar.clear();
        let bench = "kernels";
        let table = || if self.variants { variants_table(&cases) } else { table(self.repeat, &cases) };
        self.output.give_as(bench, self.repeat, &cases, table, || {
            let absolute = Panel { figure: RATE, axis: "Gitems/s", is_log: true };
            let relative = Panel { figure: SPEEDUP, axis: "percent over scalar", is_log: false };
            plot::rows("Kernels", &cases, &[absolute, relative])
        })
    }

    fn time(&self) -> Duration {
        Duration::from_secs_f64(self.seconds)
    }

    fn trial(&self, row: &Row, length: usize) -> Trial {
        trial(row.name, length, self.shift as usize).expect("the list has the names")
    }

    /// 10⁹ items per second.
    fn rate(&self, trial: &mut Trial, variant: &str) -> f64 {
        trial.items() as f64 * 1e-9 / seconds_of_call(self.time(), |calls| trial.run(variant, calls))
    }

    /// 10⁹ items per second of a loop that only moves the bytes; NaN where they are too few for it.
    fn limit(&self, trial: &mut Trial, way: usize) -> f64 {
        let bytes = (trial.bytes_read() + trial.bytes_written()) as f64;
        let moved = trial.move_bytes(way, 1) as f64;
        let seconds = seconds_of_call(self.time(), |calls| _ = trial.move_bytes(way, calls));
        if moved == 0.0 { f64::NAN } else { trial.items() as f64 * 1e-9 * (moved / bytes) / seconds }
    }

    /// The chosen variant, the plain one and the limit, in turns and on the same memory: whatever else the machine does
    /// hits all.
    fn case(&self, row: &Row, length: usize) -> Case {
        let mut trial = self.trial(row, length);
        let limits = (0..Trial::WAYS_TO_MOVE).map(|way| (self.limit(&mut trial, way), way));
        let best_way = limits.max_by(|a, b| a.0.total_cmp(&b.0)).map_or(0, |best| best.1);
        let (mut rates, mut scalar_rates, mut limits, mut per_cycle) = (vec![], vec![], vec![], vec![]);
        let (read, written) = (trial.bytes_read(), trial.bytes_written());
        let bytes_per_item = (read + written) as f64 / trial.items() as f64;
        for _ in 0..self.repeat {
            let rate = self.rate(&mut trial, row.chosen);
            rates.push(rate);
            per_cycle.push(rate * 1e9 * bytes_per_item / clock::hz());
            scalar_rates.push(if row.chosen == "scalar" { rate } else { self.rate(&mut trial, "scalar") });
            limits.push(self.limit(&mut trial, best_way));
        }
        let over = |others: &[f64]| rates.iter().zip(others).map(|(rate, other)| rate / other).collect();
        let fractions: Vec<f64> = over(&limits);
        let percent = Vec::into_iter(over(&scalar_rates)).map(|ratio: f64| (ratio - 1.0) * 100.0).collect();
        // What is read and written in place is there once.
        let touched = if row.name.ends_with("_in_place") { read } else { read + written };
        let facts = json!({
            "name": row.name, "group": group_name(row.group), "variant": row.chosen, "length": length,
            "shift": self.shift, "level": level(touched), "bytes_read": read, "bytes_written": written,
        });
        let figures = vec![
            Figure::new(RATE, "Gitems/s", rates),
            Figure::new(SCALAR_RATE, "Gitems/s", scalar_rates),
            Figure::new(LIMIT, "Gitems/s", limits),
            Figure::new(LIMIT_FRACTION, "of the limit", fractions),
            Figure::new(BYTES_PER_CYCLE, "bytes/cycle", per_cycle),
            Figure::new(SPEEDUP, "% over scalar", percent),
        ];
        Case::new(format!("{} x {length}", row.name), facts, figures)
    }

    /// A case for each variant that runs here. Where one seems slower than the plain one, all are measured anew on other
    /// memory, and its best showing counts: a single one may be chance.
    fn every_variant(&self, row: &Row, length: usize) -> Vec<Case> {
        let mut cases = self.every_variant_once(row, length);
        for _ in 0..DOUBTS {
            if !cases.iter().any(is_slower) {
                break;
            }
            for (case, again) in cases.iter_mut().zip(self.every_variant_once(row, length)) {
                if median(&again, SPEEDUP) > median(case, SPEEDUP) {
                    *case = again;
                }
            }
        }
        for case in &mut cases {
            case.facts["slower_than_scalar"] = is_slower(case).into();
        }
        cases
    }

    fn every_variant_once(&self, row: &Row, length: usize) -> Vec<Case> {
        let mut trial = self.trial(row, length);
        let mut rates: Vec<_> = row.runnable.iter().map(|variant| (*variant, vec![])).collect();
        for _ in 0..self.repeat {
            for (variant, rates) in &mut rates {
                rates.push(self.rate(&mut trial, variant));
            }
        }
        let scalar = rates.last().map(|(_, rates)| rates.clone()).unwrap_or_default();
        let case = |(variant, rates): (&str, Vec<f64>)| {
            let percent = rates.iter().zip(&scalar).map(|(rate, scalar)| (rate / scalar - 1.0) * 100.0);
            let facts = json!({
                "name": row.name, "group": group_name(row.group), "variant": variant, "length": length,
                "shift": self.shift, "chosen": variant == row.chosen,
            });
            let figures = vec![
                Figure::new(SPEEDUP, "% over scalar", percent.collect()),
                Figure::new(RATE, "Gitems/s", rates),
                Figure::new(SCALAR_RATE, "Gitems/s", scalar.clone()),
            ];
            Case::new(format!("{} {variant} x {length}", row.name), facts, figures)
        };
        rates.into_iter().map(case).collect()
    }
}

/// The cache that so many bytes fit into.
fn level(bytes: usize) -> &'static str {
    let machine = Machine::detect();
    match bytes {
        _ if bytes <= machine.l1_bytes => "L1",
        _ if bytes <= machine.l2_bytes => "L2",
        _ => "beyond",
    }
}

fn text<'a>(case: &'a Case, fact: &str) -> &'a str {
    case.facts[fact].as_str().unwrap_or("")
}

fn median(case: &Case, figure: &str) -> f64 {
    case.figure(figure).map_or(f64::NAN, |figure| figure.stats.median())
}

/// Width of the longest name.
fn name_width(cases: &[Case]) -> usize {
    cases.iter().map(|case| text(case, "name").len()).max().unwrap_or(0)
}

/// A row for each kernel and length, in two groups.
fn table(repeat: u32, cases: &[Case]) -> String {
    let width = name_width(cases);
    let mut table = String::new();
    let mut groups = HashSet::new();
    for case in cases {
        let group = text(case, "group");
        if groups.insert(group) {
            table += &format!(
                "{:width$}  {:>8} {:<6} {:<7}  {:>7} {:>7} {:>7} {:>7}  {:>7}  {:>7}  {:>9}\n",
                format!("{group}, x {repeat}"),
                "length",
                "in",
                "variant",
                "min",
                "median",
                "mean",
                "max",
                "B/cycle",
                "limit",
                "scalar"
            );
        }
        let stats = &case.figures[0].stats;
        let [min, middle, mean, max] = [stats.min(), stats.median(), stats.mean(), stats.max()].map(digits);
        table += &format!(
            "{:width$}  {:>8} {:<6} {:<7}  {min:>7} {middle:>7} {mean:>7} {max:>7}  {:>7}  {:>6.0}%  {:>+8.0}%\n",
            text(case, "name"),
            case.facts["length"].to_string(),
            text(case, "level"),
            text(case, "variant"),
            digits(median(case, BYTES_PER_CYCLE)),
            median(case, LIMIT_FRACTION) * 100.0,
            median(case, SPEEDUP),
        );
    }
    table += "kernels in Gitems/s; B/cycle: bytes read and written in a cycle of the measured clock; limit: of the rate at which a loop\n\
              without arithmetic reads and writes the same; scalar: over the plain variant.\n";
    table
}

fn is_slower(case: &Case) -> bool {
    median(case, SPEEDUP) < SLOWER_PERCENT
}

/// A row for each kernel and length, a column for each variant.
fn variants_table(cases: &[Case]) -> String {
    let width = name_width(cases);
    let mut table = String::new();
    let mut last = None;
    for case in cases {
        let row = (text(case, "name"), &case.facts["length"]);
        if last.replace(row) != Some(row) {
            table += &format!(
                "{}{:width$}  {:>8}",
                if table.is_empty() { "" } else { "\n" },
                row.0,
                row.1.to_string()
            );
        }
        let percent = median(case, SPEEDUP);
        let mark = match (is_slower(case), case.facts["chosen"] == true) {
            (true, _) => '!',
            (_, true) => '*',
            _ => ' ',
        };
        table += &format!(
            "   {:<6} {:>7} {percent:>+6.0}%{mark}",
            text(case, "variant"),
            digits(median(case, RATE))
        );
    }
    let slower: Vec<&str> = cases.iter().filter(|case| is_slower(case)).map(|case| &*case.label).collect();
    let others = cases.iter().filter(|case| text(case, "variant") != "scalar").count();
    table +=
        "\nkernels in Gitems/s and percent over scalar; * is what calls go to, ! is slower than scalar\n";
    table += &format!("{} of {others} variants slower than scalar", slower.len());
    table += &if slower.is_empty() { "\n".to_owned() } else { format!(": {}\n", slower.join(", ")) };
    table
}
