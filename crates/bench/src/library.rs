//! How fast the library's elementwise blocks run through the scheduler, with SIMD and without, beside their bare kernels.
//!
//! A graph is sources, the block, and sinks, on one worker. The kernel works on slices as long as the strips, so that both
//! run in the same cache. It runs for as long as the graph, half before it and half after. Sources and sinks touch no item,
//! so they take no bandwidth, but each is one more work call for every strip. The graph's rate against the kernel's shows
//! the cost of three or four calls. The rate in the time that the scheduler charges to the block shows the cost of its own
//! call.

use std::collections::BTreeMap;
use std::time::Instant;

use anyhow::{Context, ensure};
use clap::Args;
use serde_json::{Value as Json, json};
use superhet_kernels::trial;
use superhet_runtime::catalog::{Direction, Entry, Kind};
use superhet_runtime::{AnyBlock, C32, Graph, Item, Options, Pure, Ratio, Single, Value, block::Level};

use super::measure::{Repeat, rate_into, run_for};
use super::output::{Case, Figure, Output};
use super::plot::{self, Panel};
use superhet_terminal::progress::Bar;
use superhet_terminal::say;
use superhet_terminal::usage::Usage;

/// `superhet bench blocks`
#[derive(Args, Debug)]
pub struct Library {
    /// Only blocks whose name contains this; may be given several times
    #[arg(long, value_name = "NAME")]
    block: Vec<String>,
    /// Items of a strip; as planned for the level-1 cache if not given
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
    strip_items: Option<u32>,
    /// Print a rate for each block and measure nothing else: what this command asks of itself without SIMD
    #[arg(long, hide = true)]
    only_rates: bool,
    #[command(flatten)]
    repeat: Repeat,
    #[command(flatten)]
    output: Output,
}

/// Through the scheduler, with the kernels that calls go to.
const RATE: &str = "gitems_per_s";
/// Through the scheduler, with the plain kernels.
const SCALAR_RATE: &str = "scalar_gitems_per_s";
/// The kernel alone, on slices as long as the strips.
const KERNEL_RATE: &str = "kernel_gitems_per_s";
/// The graph's rate against the kernel's, sources and sinks included.
const OF_KERNEL: &str = "ratio_to_kernel";
/// The rate in the block's own time against the kernel's.
const BLOCK_OF_KERNEL: &str = "block_ratio_to_kernel";
const SPEEDUP: &str = "speedup_percent";

/// A block of the library, for one type of its items.
struct Subject {
    entry: &'static Entry,
    item: &'static str,
}

impl Subject {
    /// All elementwise blocks on streams of samples: the pure blocks of the folders `math` and `convert` that give one item
    /// for each and need only numbers as parameters.
    fn all() -> impl Iterator<Item = Subject> {
        let entries = superhet_blocks::ENTRIES.iter();
        let is_elementwise = |entry: &&Entry| ["math", "convert"].contains(&entry.category);
        let subjects = entries.filter(is_elementwise).flat_map(|entry| {
            let items = entry.params.iter().find(|param| param.name == "item");
            let items: Vec<_> = match items.map(|param| param.kind) {
                Some(Kind::Choice(items)) => {
                    items.iter().copied().filter(|i| ["C32", "f32"].contains(i)).collect()
                }
                _ => vec![""],
            };
            items.into_iter().map(move |item| Subject { entry, item })
        });
        let is_pure =
            |block: AnyBlock| block.spec().level == Level::Pure && block.spec().ratio == Some(Ratio::ONE);
        subjects.filter(move |subject| {
            let needed = subject.entry.params.iter().filter(|param| param.default.is_none());
            let by_numbers = needed.clone().all(|param| matches!(param.kind, Kind::Float(..)));
            subject.items(Direction::Out).next().is_some() && by_numbers && subject.build().is_ok_and(is_pure)
        })
    }

    fn label(&self) -> String {
        format!("{} {}", self.entry.name, self.item).trim_end().to_owned()
    }

    /// The items at each port in that direction.
    fn items(&self, direction: Direction) -> impl Iterator<Item = (&'static str, &'static str)> {
        let ports = self.entry.ports.iter().filter(move |port| port.direction == direction);
        let ports = ports.filter(|port| port.items != "messages");
        ports.map(|port| (port.name, if port.items == "item" { self.item } else { port.items }))
    }

    fn build(&self) -> anyhow::Result<AnyBlock> {
        let needed = self.entry.params.iter().filter(|param| param.default.is_none());
        let mut given: BTreeMap<String, Value> =
            needed.map(|param| (param.name.to_owned(), Value::from(0.999))).collect();
        if !self.item.is_empty() {
            given.insert("item".to_owned(), Value::from(self.item));
        }
        self.entry.build(&given).map_err(|errors| anyhow::anyhow!("{}: {errors:?}", self.entry.name))
    }

    /// Sources that give what their buffers hold -> the block -> sinks that do not look.
    fn graph(&self) -> anyhow::Result<Graph> {
        let mut graph = Graph::new();
        graph.add_any("block", self.build()?);
        for (port, item) in self.items(Direction::In) {
            graph.add_any(format!("source_{port}"), source(item)?);
            graph.connect_names(&format!("source_{port}"), &format!("block.{port}"));
        }
        for (port, item) in self.items(Direction::Out) {
            graph.add_any(format!("sink_{port}"), sink(item)?);
            graph.connect_names(&format!("block.{port}"), &format!("sink_{port}"));
        }
        Ok(graph)
    }

    /// The name of the kernel that the block calls.
    fn kernel(&self) -> Option<String> {
        let name = self.entry.name;
        let short = |item: &str| item.to_ascii_lowercase();
        let integers = |item: &str| match item {
            "cu8" | "uchar" => "u8",
            "cs8" | "char" => "i8",
            "cs16" | "short" => "i16",
            _ => "",
        };
        let found = match name {
            "complex_to_mag" => "magnitude".to_owned(),
            "complex_to_mag_squared" => "magnitude_squared".to_owned(),
            "float_to_complex" => "interleave".to_owned(),
            "multiply_conjugate" => "multiply_conjugate_c32".to_owned(),
            _ => match name.split_once("_to_") {
                Some((from, "c32" | "C32")) => format!("{}_to_c32", integers(from)),
                Some(("c32", to)) => format!("c32_to_{}", integers(to)),
                Some((from, "float")) => format!("{}_to_f32", integers(from)),
                Some(("float", to)) => format!("f32_to_{}", integers(to)),
                _ if self.item.is_empty() => name.to_owned(),
                _ => format!("{name}_{}", short(self.item)),
            },
        };
        superhet_kernels::list().iter().any(|row| row.name == found).then_some(found)
    }
}

/// Gives items without writing them.
struct Source<T>(std::marker::PhantomData<fn() -> T>);

impl<T: Item> Pure for Source<T> {
    type In = ();
    type Out = T;
    fn map(&self, _: (), _: &mut [T]) {}
}

/// Takes items without reading them.
struct Sink<T>(std::marker::PhantomData<fn() -> T>);

impl<T: Item> Pure for Sink<T> {
    type In = T;
    type Out = ();
    fn map(&self, _: &[T], _: ()) {}
}

/// The block `$block` of the type that `$item` names.
macro_rules! of_item {
    ($item:expr, $block:ident: $($name:literal = $type:ty),+) => {
        match $item {
            $($name => Ok(AnyBlock::new($block::<$type>(std::marker::PhantomData))),)+
            other => anyhow::bail!("there is no item type {other}"),
        }
    };
    ($item:expr, $block:ident) => {
        of_item!($item, $block: "C32" = C32, "f32" = f32, "u8" = u8, "i8" = i8, "i16" = i16, "i32" = i32,
            "cu8" = [u8; 2], "cs8" = [i8; 2], "cs16" = [i16; 2])
    };
}

fn source(item: &str) -> anyhow::Result<AnyBlock> {
    of_item!(item, Source)
}

fn sink(item: &str) -> anyhow::Result<AnyBlock> {
    of_item!(item, Sink)
}

impl Library {
    pub fn run(self) -> anyhow::Result<()> {
        let wanted = |label: &str| self.block.iter().any(|name| label.contains(name.as_str()));
        let subjects: Vec<_> =
            Subject::all().filter(|subject| self.block.is_empty() || wanted(&subject.label())).collect();
        if subjects.is_empty() {
            return Err(
                Usage("no elementwise block has such a name; superhet blocks shows all".into()).into()
            );
        }
        if self.only_rates {
            for subject in &subjects {
                let line = json!({ "block": subject.label(), RATE: self.rates(subject)?.0 });
                say::result(&format!("{line}\n"))?;
            }
            return Ok(());
        }
        let mut figures = vec![Rates::default(); subjects.len()];
        let bar = Bar::new(self.repeat.repeat as usize * subjects.len());
        for _ in 0..self.repeat.repeat {
            let mut scalar = self.rates_without_simd()?;
            for (subject, rates) in subjects.iter().zip(&mut figures) {
                bar.step(&subject.label());
                // Whatever else the machine does hits both.
                let before = self.kernel_rate(subject)?;
                let (graph, block) = self.rates(subject)?;
                rates.with.push(graph);
                rates.block.push(block);
                rates.kernel.push((before + self.kernel_rate(subject)?) / 2.0);
                rates.without.push(scalar.remove(&subject.label()).context("a block was not measured")?);
            }
        }
        bar.clear();
        let cases: Vec<_> = subjects
            .iter()
            .zip(figures)
            .map(|(subject, rates)| self.case(subject, rates))
            .collect::<Result<_, _>>()?;
        self.output.give("blocks", self.repeat.repeat, &cases, || {
            let absolute = Panel { figure: RATE, axis: "Gitems/s", is_log: true };
            let relative = Panel { figure: SPEEDUP, axis: "percent over scalar", is_log: false };
            plot::rows("Blocks through the scheduler, one worker", &cases, &[absolute, relative])
        })
    }

    /// A buffer for each stream, so that all blocks do what their kernel does out of place.
    fn options(&self) -> Options {
        let strip_items = self.strip_items.map(|items| items as usize);
        Options { strip_items, in_place: false, ..Options::default() }
    }

    /// 10⁹ items a second that the block gives: in all the time, and in its own.
    fn rates(&self, subject: &Subject) -> anyhow::Result<(f64, f64)> {
        let report = run_for(subject.graph()?, &Single, &self.options(), self.repeat.time())?;
        let (port, _) = subject.items(Direction::Out).next().context("it has an output")?;
        let rate = rate_into(&report, &format!("sink_{port}")) * 1e-9;
        let own = report.block("block").context("it is in the report")?.busy;
        Ok((rate, rate * report.elapsed.as_secs_f64() / own.as_secs_f64()))
    }

    /// Items of the strips, and bytes of all streams' strips together.
    fn strip(&self, subject: &Subject) -> anyhow::Result<(usize, u64)> {
        let plan = subject.graph()?.check()?.plan(&Single, &self.options())?.to_json();
        let streams = || plan["streams"].as_array().into_iter().flatten();
        let number = |stream: &Json, name: &str| stream[name].as_u64();
        let out = streams().filter(|stream| stream["from"] == "block");
        let items = out.filter_map(|stream| number(stream, "strip_items")).next();
        let bytes =
            streams().map(|stream| Some(number(stream, "strip_items")? * number(stream, "item_bytes")?));
        let missing = "the plan has the strips";
        Ok((items.context(missing)? as usize, bytes.sum::<Option<u64>>().context(missing)?))
    }

    /// 10⁹ items a second of the bare kernel; NaN of a block without one.
    fn kernel_rate(&self, subject: &Subject) -> anyhow::Result<f64> {
        let Some(kernel) = subject.kernel() else { return Ok(f64::NAN) };
        let chosen = superhet_kernels::list().into_iter().find(|row| row.name == kernel);
        let chosen = chosen.context("the kernel is listed")?.chosen;
        let mut trial = trial(&kernel, self.strip(subject)?.0, 0).context("the kernel is listed")?;
        // The mean over all the time, as for the block: other work on the machine slows both down.
        const CALLS: usize = 16;
        let start = Instant::now();
        let mut items = 0;
        while start.elapsed() < self.repeat.time() / 2 {
            trial.run(chosen, CALLS);
            items += CALLS * trial.items();
        }
        Ok(items as f64 * 1e-9 / start.elapsed().as_secs_f64())
    }

    /// What another process measures, in which all kernels are the plain ones: the choice is made once per process.
    fn rates_without_simd(&self) -> anyhow::Result<BTreeMap<String, f64>> {
        let mut command = superhet_terminal::again::again()?;
        command.args(["bench", "blocks", "--only-rates", "--repeat", "1"]);
        command.args(["--seconds", &self.repeat.seconds.to_string()]);
        if let Some(items) = self.strip_items {
            command.args(["--strip-items", &items.to_string()]);
        }
        self.block.iter().for_each(|name| _ = command.args(["--block", name]));
        let done = command.env("SUPERHET_KERNEL", "scalar").output().context("cannot start itself")?;
        ensure!(done.status.success(), "without SIMD: {}", String::from_utf8_lossy(&done.stderr).trim());
        let mut rates = BTreeMap::new();
        for line in String::from_utf8_lossy(&done.stdout).lines() {
            let object: Json = serde_json::from_str(line)?;
            let block = object["block"].as_str().unwrap_or_default().to_owned();
            rates.insert(block, object[RATE].as_f64().unwrap_or(f64::NAN));
        }
        Ok(rates)
    }

    fn case(&self, subject: &Subject, rates: Rates) -> anyhow::Result<Case> {
        let Rates { with, block, without, kernel } = rates;
        let over =
            |others: &[f64]| with.iter().zip(others).map(|(with, other)| with / other).collect::<Vec<_>>();
        let percent = over(&without).into_iter().map(|ratio| (ratio - 1.0) * 100.0).collect();
        let of_kernel = over(&kernel);
        let block_of_kernel = block.iter().zip(&kernel).map(|(block, kernel)| block / kernel).collect();
        let (strip_items, strip_bytes) = self.strip(subject)?;
        let facts = json!({
            "block": subject.entry.name, "item": subject.item, "kernel": subject.kernel(),
            "strip_items": strip_items, "strip_bytes": strip_bytes, "workers": 1,
        });
        let mut figures = vec![
            Figure::new(RATE, "Gitems/s", with),
            Figure::new(SCALAR_RATE, "Gitems/s", without),
            Figure::new(SPEEDUP, "% over scalar", percent),
        ];
        if subject.kernel().is_some() {
            figures.push(Figure::new(KERNEL_RATE, "Gitems/s", kernel));
            figures.push(Figure::new(OF_KERNEL, "of the bare kernel", of_kernel));
            figures.push(Figure::new(BLOCK_OF_KERNEL, "of the bare kernel, block alone", block_of_kernel));
        }
        Ok(Case::new(subject.label(), facts, figures))
    }
}

/// What was measured of a block, a value for each repetition.
#[derive(Clone, Default)]
struct Rates {
    with: Vec<f64>,
    /// In the block's own time.
    block: Vec<f64>,
    without: Vec<f64>,
    kernel: Vec<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_elementwise_block_can_be_measured() {
        for subject in Subject::all() {
            subject.graph().unwrap().check().unwrap_or_else(|error| panic!("{}: {error}", subject.label()));
        }
    }

    #[test]
    fn the_kernel_of_each_block_is_known() {
        let names =
            |block, item| Subject::all().find(|s| s.entry.name == block && s.item == item).unwrap().kernel();
        for (block, item, kernel) in [
            ("multiply", "C32", "multiply_c32"),
            ("add_const", "f32", "add_const_f32"),
            ("complex_to_mag", "", "magnitude"),
            ("complex_to_real", "", "complex_to_real"),
            ("cs16_to_c32", "", "i16_to_c32"),
            ("c32_to_cu8", "", "c32_to_u8"),
            ("uchar_to_float", "", "u8_to_f32"),
            ("float_to_short", "", "f32_to_i16"),
        ] {
            assert_eq!(names(block, item).as_deref(), Some(kernel), "{block}");
        }
    }
}
