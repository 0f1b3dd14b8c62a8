//! Runs any op without knowing its signature: for benches, for `superhet profile` and for the tests that all ops share.
//!
//! [`kernel!`](crate::dispatch) knows the arguments of an op. It makes a function of them that lays out memory for
//! each, filled with typical values, and calls a variant on it as often as asked. A slice gets as many items as the
//! trial has, a number is 1; where an op needs something else, its `work` clause says so.

mod argument;
pub(crate) mod limit;
mod memory;

#[cfg(test)]
pub(crate) use argument::Outcome;
pub(crate) use argument::{Argument, Kept, Setting};
#[cfg(all(test, unix))]
pub(crate) use memory::Guard;
pub(crate) use memory::{Layout, Maker};

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

impl Group {
    /// The group of an op, which its name tells: conversions are called `a_to_b`, or after what they do to the order.
    pub(crate) fn of(name: &str) -> Self {
        let is_conversion = ["_to_", "interleave", "swap", "pack"].iter().any(|word| name.contains(word));
        if is_conversion { Group::Conversion } else { Group::Math }
    }
}

/// One variant of an op with memory to work on, to be run over and over.
///
/// Made by [`trial`](fn@trial). Inputs hold typical values: noise within ±1, integers of all sizes.
pub struct Trial {
    name: &'static str,
    items: usize,
    work: Box<dyn FnMut(Request<'_>)>,
}

/// What is asked of the function that an op makes of its arguments.
pub(crate) enum Request<'a> {
    /// Calls the variant so many times.
    Run(usize),
    /// Moves the bytes of all arguments so many times, and says how many those were.
    Move { in_place: bool, times: usize, moved: &'a mut usize },
    /// Shows each argument with its name, in order.
    Visit(&'a mut dyn FnMut(&'static str, &mut dyn Kept)),
    /// Adds the parts of what the last call returned, as numbers.
    #[cfg(test)]
    Outcome(&'a mut Vec<f64>),
}

impl Trial {
    pub(crate) fn new(name: &'static str, items: usize, work: impl FnMut(Request<'_>) + 'static) -> Self {
        Trial { name, items, work: Box::new(work) }
    }

    /// Calls the variant so many times on the same memory.
    #[inline]
    pub fn run(&mut self, times: usize) {
        (self.work)(Request::Run(times));
    }

    /// Moves the same bytes so many times in the plainest way: reads what the op reads and writes what it writes, at the
    /// same places, and computes nothing: what this machine allows such an op. Outputs are zeros then.
    ///
    /// Returns how many bytes it read and wrote, together.
    pub fn move_bytes(&mut self, times: usize) -> usize {
        let mut moved = 0;
        (self.work)(Request::Move { in_place: is_in_place(self.name), times, moved: &mut moved });
        moved
    }

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

    /// The parts of what the last call returned.
    #[cfg(test)]
    pub(crate) fn outcome(&mut self) -> Vec<f64> {
        let mut parts = Vec::new();
        (self.work)(Request::Outcome(&mut parts));
        parts
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

/// The op called `name` in its variant `variant`, on `len` items that start `shift` items behind a cache line.
///
/// `None` if there is no such op or variant, or if this machine cannot run it. [`list`](crate::list) has the names.
///
/// ```
/// let mut saxpy = superhet_kernels::trial("saxpy", "scalar", 100, 1).unwrap();
/// saxpy.run(3);
/// assert_eq!((saxpy.items(), saxpy.bytes_read(), saxpy.bytes_written()), (100, 400, 400));
/// assert!(superhet_kernels::trial("saxpy", "abacus", 100, 0).is_none());
/// ```
pub fn trial(name: &str, variant: &str, len: usize, shift: usize) -> Option<Trial> {
    let op = crate::OPS.iter().find(|op| op.name() == name)?;
    op.trial(variant, &Layout::new(len, &[shift]))
}

/// Makes the function that lays out the arguments of an op and runs a variant on them.
macro_rules! make_trial {
    (
        $name:ident ($($arg:ident: $ty:ty),*) [$($ret:tt)*]
        [$($n:ident { $($set:ident: $value:expr),* $(,)? })?]
    ) => {{
        fn make(
            run: fn($($ty),*) $($ret)*,
            layout: &$crate::trial::Layout<'_>,
        ) -> $crate::trial::Trial {
            $(let $n = layout.items;)?
            let settings: &[(&str, $crate::trial::Setting)] =
                &[$($((stringify!($set), $crate::trial::Setting::from($value))),*)?];
            let mut maker = $crate::trial::Maker::new(stringify!($name), layout, settings);
            $(let mut $arg = <$ty as $crate::trial::Argument>::keep(stringify!($arg), &mut maker);)*
            maker.finish();
            #[cfg(test)]
            let mut outcome = None;
            $crate::trial::Trial::new(stringify!($name), layout.items, move |request| match request {
                $crate::trial::Request::Run(times) => {
                    for _ in 0..times {
                        let _returned = std::hint::black_box(run($($arg.lend()),*));
                        #[cfg(test)]
                        outcome.replace(_returned);
                    }
                }
                $crate::trial::Request::Move { in_place, times, moved } => {
                    let streams = [$($crate::trial::limit::Stream::of(&mut $arg, in_place)),*];
                    *moved = $crate::trial::limit::pass(streams, times);
                }
                $crate::trial::Request::Visit(visit) => {
                    $(visit(stringify!($arg), &mut $arg);)*
                }
                #[cfg(test)]
                $crate::trial::Request::Outcome(parts) => {
                    if let Some(outcome) = &outcome {
                        $crate::trial::Outcome::add_parts(outcome, parts);
                    }
                }
            })
        }
        make
    }};
}
pub(crate) use make_trial;
