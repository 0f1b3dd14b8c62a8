//! Runs any op without knowing its signature: for benches, for `superhet profile` and for the tests that all ops share.
//!
//! [`kernel!`](crate::dispatch) knows the arguments of an op. It makes a function of them that lays out memory for
//! each, filled with typical values, and calls a variant on it as often as asked. A slice gets as many items as the
//! trial has, a number is 1; where an op needs something else, its `work` clause says so.

mod argument;
pub(crate) mod limit;
mod memory;

pub(crate) use argument::{Argument, Kept, Setting, Value};
#[cfg(all(test, unix))]
pub(crate) use memory::Guard;
pub(crate) use memory::{Layout, Maker};

use crate::dispatch::Table;
use std::fmt;

/// How the items of an op's outputs come about, which says what may be expected of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// Each item is a function of its own inputs: the same bits in every variant, wherever a call starts or ends.
    Elementwise,
    /// Each item is a sum over its own inputs: the same bits wherever a call starts or ends, but the variants differ
    /// within the stated accuracy.
    Filter,
    /// What comes out depends on all that went in: sums, extrema, running phases. The variants differ within the stated
    /// accuracy.
    Reduction,
}

/// What an op is for, as benches group them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Group {
    /// Calculates.
    Math,
    /// Changes the type, the order or the packing of what it is given.
    Conversion,
}

/// Families of conversions; all others calculate.
const CONVERSIONS: &[&str] = &[
    "binary_slicer",
    "bits",
    "from_integers",
    "integer_parts",
    "integer_width",
    "parts",
    "precision",
    "swap_bytes",
    "to_integers",
    "transpose",
];

impl Group {
    /// The group of a family of ops.
    pub(crate) fn of(family: &str) -> Self {
        if CONVERSIONS.contains(&family) { Group::Conversion } else { Group::Math }
    }
}

/// An op with memory to work on, to be run over and over in any of its variants.
///
/// Made by [`trial`](fn@trial). Inputs hold typical values: noise within ±1, integers of all sizes.
pub struct Trial {
    name: &'static str,
    variants: Vec<&'static str>,
    items: usize,
    work: Work,
}

/// The function that an op makes of its arguments.
type Work = Box<dyn FnMut(Request<'_>)>;

/// What is asked of the function that an op makes of its arguments.
pub(crate) enum Request<'a> {
    /// Calls the variant at this place of those that run here so many times.
    Run { variant: usize, times: usize },
    /// Moves the bytes of all arguments so many times, and says how many those were.
    Move { in_place: bool, way: usize, times: usize, moved: &'a mut usize },
    /// Shows each argument with its name, in order.
    Visit(&'a mut dyn FnMut(&'static str, &mut dyn Kept)),
    /// Writes down what the last call returned.
    #[cfg(test)]
    Outcome(&'a mut String),
}

impl Trial {
    pub(crate) fn new(table: &Table, items: usize, work: Work) -> Self {
        Trial {
            name: table.name(),
            variants: table.runnable().map(|variant| variant.0).collect(),
            items,
            work,
        }
    }

    /// Calls a variant so many times on the same memory.
    ///
    /// # Panics
    ///
    /// If the op or the machine has no such variant.
    #[inline]
    pub fn run(&mut self, variant: &str, times: usize) {
        let place = self.variants.iter().position(|name| *name == variant);
        let variant = place.unwrap_or_else(|| panic!("{} has no variant {variant} here", self.name));
        (self.work)(Request::Run { variant, times });
    }

    /// The variants that this machine can run, fastest first.
    pub fn variants(&self) -> &[&'static str] {
        &self.variants
    }

    /// Moves the same bytes so many times in a plain way: reads what the op reads and writes what it writes, at the same
    /// places, and computes nothing. The best of the ways, `0..WAYS_TO_MOVE`, is what this machine allows such an op.
    /// Outputs are zeros then.
    ///
    /// Returns how many bytes it read and wrote, together.
    pub fn move_bytes(&mut self, way: usize, times: usize) -> usize {
        let mut moved = 0;
        (self.work)(Request::Move { in_place: is_in_place(self.name), way, times, moved: &mut moved });
        moved
    }

    /// In how many ways [`move_bytes`](Self::move_bytes) can do it.
    pub const WAYS_TO_MOVE: usize = limit::WAYS;

    /// Items of a call: those of the output, or those summed up.
    pub fn items(&self) -> usize {
        self.items
    }

    /// Bytes of slices that a call reads, together.
    pub fn bytes_read(&mut self) -> usize {
        let in_place = is_in_place(self.name);
        self.bytes(|access| access == Access::Read || (in_place && access == Access::Write))
    }

    /// Bytes of slices that a call writes, together.
    pub fn bytes_written(&mut self) -> usize {
        self.bytes(|access| access == Access::Write)
    }

    fn bytes(&mut self, counts: impl Fn(Access) -> bool) -> usize {
        let mut sum = 0;
        self.visit(|_, kept| {
            if counts(kept.access()) {
                sum += kept.bytes().len();
            }
        });
        sum
    }

    /// Shows each argument with its name, in order.
    pub(crate) fn visit(&mut self, mut visit: impl FnMut(&'static str, &mut dyn Kept)) {
        (self.work)(Request::Visit(&mut visit));
    }

    /// The numbers in what the last call returned, whatever its type.
    #[cfg(test)]
    pub(crate) fn outcome(&mut self) -> Vec<f64> {
        let mut text = String::new();
        (self.work)(Request::Outcome(&mut text));
        let is_in_number = |c: char| c.is_alphanumeric() || "+-.".contains(c);
        text.split(|c| !is_in_number(c)).filter_map(|word| word.parse().ok()).collect()
    }
}

impl fmt::Debug for Trial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trial").field("name", &self.name).field("items", &self.items).finish_non_exhaustive()
    }
}

/// What an op does with an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
    /// A number, or a place for one.
    Value,
}

/// Whether an op reads what it writes over.
fn is_in_place(name: &str) -> bool {
    name.ends_with("_in_place")
}

/// The op called `name` on `len` items that start `shift` items behind a cache line.
///
/// `None` if there is no such op; [`list`](crate::list) has the names.
///
/// ```
/// let mut saxpy = superhet_kernels::trial("saxpy", 100, 1).unwrap();
/// saxpy.run("scalar", 3);
/// assert_eq!((saxpy.items(), saxpy.bytes_read(), saxpy.bytes_written()), (100, 400, 400));
/// assert!(superhet_kernels::trial("abacus", 100, 0).is_none());
/// ```
#[cfg(any(test, feature = "trials"))]
pub fn trial(name: &str, len: usize, shift: usize) -> Option<Trial> {
    let op = crate::OPS.iter().find(|op| op.name() == name)?;
    Some(op.trial(&Layout::new(len, &[shift])))
}

/// Makes the function that lays out the arguments of an op and runs a variant on them.
macro_rules! make_trial {
    (
        $op:ident $name:ident ($($arg:ident: $ty:ty),*)
        [$($n:ident { $($set:ident: $value:expr),* $(,)? })?]
    ) => {{
        fn make(layout: &$crate::trial::Layout<'_>) -> $crate::trial::Trial {
            $(let $n = layout.items;)?
            let settings: &[(&str, $crate::trial::Setting)] =
                &[$($((stringify!($set), $crate::trial::Setting::from($value))),*)?];
            let mut maker = $crate::trial::Maker::new(stringify!($name), layout, settings);
            $(let mut $arg = <$ty as $crate::trial::Argument>::keep(stringify!($arg), &mut maker);)*
            maker.finish();
            #[cfg(test)]
            let mut outcome = None;
            let work = move |request: $crate::trial::Request<'_>| match request {
                $crate::trial::Request::Run { variant, times } => {
                    let run = $op.at(variant);
                    for _ in 0..times {
                        let _returned = std::hint::black_box(run($($arg.lend()),*));
                        #[cfg(test)]
                        outcome.replace(_returned);
                    }
                }
                $crate::trial::Request::Move { in_place, way, times, moved } => {
                    let streams = [$($crate::trial::limit::Stream::of(&mut $arg, in_place)),*];
                    *moved = $crate::trial::limit::pass(streams, way, times);
                }
                $crate::trial::Request::Visit(visit) => {
                    $(visit(stringify!($arg), &mut $arg);)*
                }
                #[cfg(test)]
                $crate::trial::Request::Outcome(text) => *text = format!("{outcome:?}"),
            };
            $crate::trial::Trial::new($op.table(), layout.items, Box::new(work))
        }
        make
    }};
}
pub(crate) use make_trial;
