//! Picks one variant per op, once, and keeps it.
//!
//! 1. [`kernel!`] turns a signature and a list of instruction sets into an [`Op`] and a public function.
//! 2. The first call asks [`Op::chosen`], which takes the variant that the user's [`profile`] names, or else the first
//!    variant of the table that this machine can run.
//! 3. Later calls read the kept pointer. A block that wants no look-up at all keeps the pointer itself.
//!
//! `SUPERHET_KERNEL=scalar|avx2|avx512` caps the choice everywhere: an op that has the named variant uses it,
//! one that lacks it uses its best variant of a lesser instruction set.

#![allow(unsafe_code, reason = "calls of variants whose instructions were detected")]

use crate::profile;
use crate::trial::{Group, Kind, Layout, Trial};
use std::marker::PhantomData;
use std::sync::{LazyLock, OnceLock};

/// Whether this machine has the instruction set of a variant; named as the variant is.
pub(crate) mod detected {
    /// Plain Rust runs everywhere.
    pub(crate) fn scalar() -> bool {
        true
    }

    /// AVX2 with FMA, as every x86 processor with AVX2 that we know of.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn avx2() -> bool {
        is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
    }

    /// The part of AVX-512 that all server processors since Skylake share.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn avx512() -> bool {
        avx2()
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
    }

    /// AVX-512 where the processor does not work on vectors of 512 bits half by half, as a Zen 4 does, which gains nothing by
    /// them where loads and stores or simple sums are the limit, and is slower beyond the caches.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn avx512_full() -> bool {
        avx512() && !halves_vectors()
    }

    /// Whether the processor is of AMD's family 25 (19h): the only one that has AVX-512 and halves is Zen 4.
    #[cfg(target_arch = "x86_64")]
    fn halves_vectors() -> bool {
        use std::arch::x86_64::__cpuid;
        static HALVES: std::sync::LazyLock<bool> = std::sync::LazyLock::new(|| {
            let (vendor, version) = (__cpuid(0), __cpuid(1).eax);
            let is_amd =
                [vendor.ebx, vendor.edx, vendor.ecx].map(u32::to_le_bytes).as_flattened() == b"AuthenticAMD";
            let family = (version >> 8 & 0xf) + (version >> 20 & 0xff);
            is_amd && family == 0x19
        });
        *HALVES
    }
}

/// Looks for CPU features.
type Detect = fn() -> bool;

/// The instruction sets that a variant may be named after, plainest first.
const INSTRUCTION_SETS: &[(&str, Detect)] = &[
    ("scalar", detected::scalar),
    #[cfg(target_arch = "x86_64")]
    ("avx2", detected::avx2),
    #[cfg(target_arch = "x86_64")]
    ("avx512", detected::avx512),
];

/// A function of any signature, which only its op can call. What looks for variants and chooses among them is compiled once, and
/// not for each signature.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Code(#[allow(dead_code, reason = "it is read as what it is")] fn());

/// The code of one op for one instruction set.
// Laid out as C does it: alike for all signatures.
#[repr(C)]
pub struct Variant<F> {
    name: &'static str,
    detected: Detect,
    run: F,
}

impl<F: Copy> Variant<F> {
    /// # Safety
    ///
    /// `F` must be a type of pointers to functions. `run` must be sound to call on every machine where `detected` returns true.
    pub(crate) const unsafe fn new(name: &'static str, detected: Detect, run: F) -> Self {
        Self { name, detected, run }
    }

    /// The code, if this machine can run it: the only way to it, so that nothing runs undetected.
    fn get(&self) -> Option<F> {
        (self.detected)().then_some(self.run)
    }
}

/// An operation with its variants, fastest first, and the choice among them.
///
/// ```
/// use superhet_kernels::SAXPY;
/// let saxpy = SAXPY.chosen(); // a plain function pointer: keep it where it is called often
/// let mut y = [0.0; 3];
/// saxpy(&mut y, &[1.0, 2.0, 3.0], 2.0, 0.5);
/// assert_eq!(y, [2.5, 4.5, 6.5]);
/// ```
pub struct Op<F: 'static> {
    table: Table,
    /// Of all variants of the table.
    signature: PhantomData<F>,
}

/// An op whose signature does not matter.
pub(crate) struct Table {
    name: &'static str,
    variants: &'static [Variant<Code>],
    chosen: OnceLock<(&'static str, Code)>,
    module: &'static str,
    kind: Kind,
    make_trial: Option<MakeTrial>,
}

/// Lays out the arguments of an op and makes what runs its variants on them.
type MakeTrial = fn(&Layout<'_>) -> Trial;

impl<F: Copy> Op<F> {
    pub(crate) const fn new(name: &'static str, variants: &'static [Variant<F>]) -> Self {
        const { assert!(size_of::<F>() == size_of::<Code>(), "a pointer to a function") };
        // SAFETY: whoever made the variants vouches for pointers to functions, which all are as large and never null. A `Variant`
        // has the same layout for each of them. The code is called as an `F` again, which is what `typed` makes of it.
        let variants =
            unsafe { std::slice::from_raw_parts(variants.as_ptr().cast::<Variant<Code>>(), variants.len()) };
        let table = Table {
            name,
            variants,
            chosen: OnceLock::new(),
            module: "",
            kind: Kind::Elementwise,
            make_trial: None,
        };
        Self { table, signature: PhantomData }
    }

    /// The op with what runs it where its signature does not matter. Without the feature `trials` that is not kept, and so not compiled:
    /// all of them together are a tenth of the code of this crate.
    pub(crate) const fn with_trial(
        mut self,
        module: &'static str,
        kind: Kind,
        make_trial: MakeTrial,
    ) -> Self {
        self.table.module = module;
        self.table.kind = kind;
        self.table.make_trial = if cfg!(any(test, feature = "trials")) { Some(make_trial) } else { None };
        self
    }

    /// Code of this op's table as what it is.
    #[inline]
    fn typed(&self, code: Code) -> F {
        // SAFETY: `new` is the only one that makes an op, of variants with an `F` each, and nothing changes its table. So the code
        // was an `F`, and it is as large as one.
        unsafe { *(&raw const code).cast::<F>() }
    }

    /// The op as lists have it.
    pub(crate) const fn table(&self) -> &Table {
        &self.table
    }

    /// The name of the op, which is the name of its public function.
    pub fn name(&self) -> &'static str {
        self.table.name
    }

    /// The variant used on this machine, as a function that checks its lengths like the public one.
    #[inline]
    pub fn chosen(&self) -> F {
        self.typed(self.table.choice().1)
    }

    /// The variants that this machine can run, fastest first, by name.
    pub fn variants(&self) -> impl Iterator<Item = (&'static str, F)> {
        self.table.runnable().map(|(name, code)| (name, self.typed(code)))
    }

    /// The variant called `name`, or `None` if the op or the machine has none of that name.
    pub fn variant(&self, name: &str) -> Option<F> {
        self.table.runnable().find(|variant| variant.0 == name).map(|variant| self.typed(variant.1))
    }

    /// The variant at a place of those that this machine can run.
    ///
    /// # Panics
    ///
    /// If there are not so many.
    pub(crate) fn at(&self, place: usize) -> F {
        self.typed(self.table.at(place))
    }
}

/// One row of [`list`](crate::list): an op, its variants and which of them runs here.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Row {
    /// Name of the op and of its public function.
    pub name: &'static str,
    /// Name of its folder: ops that belong together.
    pub family: &'static str,
    /// Names of all variants built for this architecture, fastest first.
    pub variants: Vec<&'static str>,
    /// Names of those that this machine can run, fastest first.
    pub runnable: Vec<&'static str>,
    /// Name of the variant that calls go to.
    pub chosen: &'static str,
    /// What the op is for.
    pub group: Group,
    /// How its outputs come about.
    pub kind: Kind,
}

impl Table {
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    /// The variants that this machine can run, fastest first, by name.
    pub(crate) fn runnable(&self) -> impl Iterator<Item = (&'static str, Code)> {
        self.variants.iter().filter_map(|variant| variant.get().map(|code| (variant.name, code)))
    }

    #[inline(never)]
    fn at(&self, place: usize) -> Code {
        let variant = self.runnable().nth(place);
        variant.unwrap_or_else(|| panic!("{} has no variant at place {place} here", self.name)).1
    }

    #[inline]
    fn choice(&self) -> &(&'static str, Code) {
        self.chosen.get_or_init(|| self.fastest())
    }

    /// The first variant that this machine and `SUPERHET_KERNEL` allow; without that, the one that the user's profile wants.
    fn fastest(&self) -> (&'static str, Code) {
        let runnable: Vec<_> = self.runnable().collect();
        let names: Vec<_> = runnable.iter().map(|variant| variant.0).collect();
        let wanted =
            || profile::wanted(self.name).and_then(|wanted| names.iter().position(|name| *name == wanted));
        let wanted = if CAP.is_none() { wanted() } else { None };
        runnable[wanted.unwrap_or_else(|| pick(&names, *CAP))]
    }

    pub(crate) fn row(&self) -> Row {
        let family = self.module.rsplit("::").next().unwrap_or_default();
        Row {
            name: self.name,
            family,
            variants: self.variants.iter().map(|variant| variant.name).collect(),
            runnable: self.runnable().map(|variant| variant.0).collect(),
            chosen: self.choice().0,
            group: Group::of(family),
            kind: self.kind,
        }
    }

    /// The variants that run here, on arguments laid out so.
    #[cfg(any(test, feature = "trials"))]
    pub(crate) fn trial(&self, layout: &Layout<'_>) -> Trial {
        self.make_trial.expect("kernel! makes each op with its trial")(layout)
    }
}

/// A function compiled for every instruction set: the table of a generic op.
///
/// There are no generic statics for such an op to keep a choice in, so all of them share one: the best instruction set
/// of this machine that `SUPERHET_KERNEL` allows.
///
/// The function in a field may need the CPU features that [`detected`] looks for under the field's name, no others.
pub(crate) struct Compiled<F> {
    pub(crate) scalar: F,
    #[cfg(target_arch = "x86_64")]
    pub(crate) avx2: F,
    #[cfg(target_arch = "x86_64")]
    pub(crate) avx512: F,
}

impl<F: Copy> Compiled<F> {
    /// The function for the best instruction set: of one that was detected.
    #[inline]
    pub(crate) fn chosen(&self) -> F {
        static BEST: LazyLock<usize> = LazyLock::new(|| {
            let detected = || INSTRUCTION_SETS.iter().rposition(|set| (set.1)());
            CAP.or_else(detected).expect("plain Rust runs everywhere")
        });
        self.by_rank()[*BEST]
    }

    /// The function for the best instruction set of this machine, or for the one so many places before it, whatever
    /// `SUPERHET_KERNEL` says.
    pub(crate) fn best_but(&self, before: usize) -> F {
        let best = INSTRUCTION_SETS.iter().rposition(|set| (set.1)()).expect("plain Rust runs everywhere");
        self.by_rank()[best.saturating_sub(before)]
    }

    /// The functions in the order of [`INSTRUCTION_SETS`].
    #[inline]
    fn by_rank(&self) -> [F; INSTRUCTION_SETS.len()] {
        [
            self.scalar,
            #[cfg(target_arch = "x86_64")]
            self.avx2,
            #[cfg(target_arch = "x86_64")]
            self.avx512,
        ]
    }

    /// The same as an [`Op`], for the test driver.
    #[cfg(test)]
    pub(crate) fn op(&self, name: &'static str) -> Op<F> {
        let variants = INSTRUCTION_SETS.iter().zip(self.by_rank()).rev();
        // SAFETY: fields are pointers to functions, and each needs only the CPU features of its name.
        let variants = variants.map(|(set, run)| unsafe { Variant::new(set.0, set.1, run) });
        let variants: &'static [Variant<F>] = Vec::leak(variants.collect());
        // Reachable for ever, so that the leak checker does not take it for lost.
        static KEPT: std::sync::Mutex<Vec<usize>> = std::sync::Mutex::new(Vec::new());
        KEPT.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(variants.as_ptr().addr());
        Op::new(name, variants)
    }
}

/// The instruction set named by `SUPERHET_KERNEL`, as an index into [`INSTRUCTION_SETS`].
static CAP: LazyLock<Option<usize>> = LazyLock::new(|| {
    let wanted = std::env::var_os("SUPERHET_KERNEL")?;
    // What is no Unicode is no name of a variant either, which is said.
    match read_cap(&wanted.to_string_lossy()) {
        Ok(cap) => cap,
        Err(message) => {
            profile::complain(&message);
            None
        }
    }
});

/// Reads the value of `SUPERHET_KERNEL`; an empty one asks for nothing.
fn read_cap(wanted: &str) -> Result<Option<usize>, String> {
    if wanted.is_empty() {
        return Ok(None);
    }
    let known = || INSTRUCTION_SETS.iter().map(|set| set.0).collect::<Vec<_>>().join(", ");
    match rank(wanted) {
        None => Err(format!("SUPERHET_KERNEL={wanted} is ignored: known here are {}", known())),
        Some(index) if !(INSTRUCTION_SETS[index].1)() => {
            Err(format!("SUPERHET_KERNEL={wanted} is ignored: this machine lacks it"))
        }
        index => Ok(index),
    }
}

fn rank(name: &str) -> Option<usize> {
    INSTRUCTION_SETS.iter().position(|set| set.0 == name)
}

/// Chooses among the names of runnable variants, fastest first. Under a cap: the variant of that name, or else
/// the fastest of a lesser instruction set.
fn pick(names: &[&str], cap: Option<usize>) -> usize {
    let named = names.iter().position(|name| cap.is_some() && rank(name) == cap);
    let fits = |name: &&str| cap.is_none_or(|cap| rank(name) <= Some(cap));
    named.or_else(|| names.iter().position(fits)).expect("every op has a scalar variant")
}

/// Defines an op: its table of variants, its public function and its contract.
///
/// ```text
/// kernel! {
///     /// Documentation of the function.
///     pub fn add_f32(y: &mut [f32], a: &[f32], b: &[f32]);
///     same_length(y, a, b);              // or `check expression_that_panics;`, or nothing
///     table ADD_F32 { x86_64: avx512, avx2; }
/// }
/// ```
///
/// Two more clauses may stand before the table, for what runs ops without knowing them ([`trial`](crate::trial)):
///
/// ```text
///     work |n| { x: n + 63, taps: 64, gain: 0.5 } // lengths and values other than n and 1, where n items come out
///     kind Filter;                                // a `Kind`; else `Elementwise`, `Reduction` if something is returned
/// ```
///
/// And one for an elementwise op with little arithmetic, whose variants are the faster way only within the caches of a
/// core, but for processors with whole vectors of 64 bytes ([`BEYOND_CACHES`]):
///
/// ```text
///     beyond_caches scalar;
/// ```
///
/// Before it may stand another for such an op, a module whose function goes through slices that the level-1 cache does not
/// hold and the level-2 cache does, in the place of the wider variants; it needs no more than AVX2 ([`BEYOND_LEVEL_1`]):
///
/// ```text
///     beyond_level_1 narrow;
/// ```
///
/// The table names modules beside the caller, each with a function of the op's name; `scalar` is always there
/// and comes last. To add a variant: a file, a `mod` line, its name here. `avx512_full` means the module `avx512` on processors
/// that do not halve its vectors: for ops that gain nothing by it on others. Another architecture is one more list beside
/// `x86_64`, and its instruction sets in [`INSTRUCTION_SETS`].
macro_rules! kernel {
    (
        $(#[$meta:meta])*
        pub fn $name:ident $args:tt $(-> $ret:ty)?;
        $(same_length $same:tt;)?
        $(check $check:expr;)?
        $(work |$n:ident| $work:tt)?
        $(kind $kind:ident;)?
        $(beyond_level_1 $narrow:ident;)?
        $(beyond_caches $plain:ident;)?
        table $op:ident { $(x86_64: $($x86:ident),+;)? }
    ) => {
        $crate::dispatch::kernel! {
            @table $name $args [$(-> $ret)?]
            { [$($crate::dispatch::same_length!($name $same);)? $($check;)?] [$($plain)?] [$($narrow)?] }
            $op [$($($x86)+)?] [$($n $work)?] [$($kind)?]
        }
        $crate::dispatch::kernel! {
            @function [$(#[$meta])* $(#[doc = $crate::dispatch::same_length!(@doc $same)])?]
            $name $args [$(-> $ret)?] $op
        }
    };

    (@table $name:ident $args:tt $ret:tt $contract:tt $op:ident [$($x86:ident)*] $work:tt $kind:tt) => {
        $crate::dispatch::kernel! {
            @static $op $name $args $ret $work $kind [
                $(
                    #[cfg(target_arch = "x86_64")]
                    $crate::dispatch::kernel!(@entry $x86 $name $args $ret $contract),
                )*
                $crate::dispatch::kernel!(@entry scalar $name $args $ret $contract),
            ]
        }
    };

    (@static $op:ident $name:ident ($($arg:ident: $ty:ty),*) [$($ret:tt)*] $work:tt $kind:tt $variants:tt) => {
        #[doc = concat!("The variants of [`", stringify!($name), "`](fn@", stringify!($name), ").")]
        pub static $op: $crate::dispatch::Op<fn($($ty),*) $($ret)*> =
            {
                const VARIANTS: &[$crate::dispatch::Variant<fn($($ty),*) $($ret)*>] = &$variants;
                $crate::dispatch::Op::new(stringify!($name), VARIANTS).with_trial(
                    module_path!(),
                    $crate::dispatch::kernel!(@kind $kind [$($ret)*]),
                    $crate::trial::make_trial!($op $name ($($arg: $ty),*) $work),
                )
            };
    };

    (@kind [$kind:ident] $ret:tt) => { $crate::trial::Kind::$kind };
    (@kind [] []) => { $crate::trial::Kind::Elementwise };
    (@kind [] $ret:tt) => { $crate::trial::Kind::Reduction };

    (@function [$($meta:tt)*] $name:ident ($($arg:ident: $ty:ty),*) [$($ret:tt)*] $op:ident) => {
        $($meta)*
        #[inline]
        #[allow(clippy::too_many_arguments, reason = "as many as the kernel has")]
        pub fn $name($($arg: $ty),*) $($ret)* {
            $op.chosen()($($arg),*)
        }
    };

    (@beyond_caches [] $name:ident $args:tt $ret:tt) => {};
    (@beyond_caches [$plain:ident] $name:ident ($($arg:ident: $ty:ty),*) [$($ret:tt)*]) => {
        // A function of its own, so that it is not compiled for more CPU features.
        #[inline(never)]
        fn plain($($arg: $ty),*) $($ret)* {
            $plain::$name($($arg),*)
        }
        if $($crate::dispatch::Extent::bytes(&$arg) +)* 0 >= $crate::dispatch::BEYOND_CACHES
            && !$crate::dispatch::detected::avx512_full()
        {
            return plain($($arg),*);
        }
    };

    (@beyond_level_1 [] $name:ident $args:tt) => {};
    (@beyond_level_1 [$narrow:ident] $name:ident ($($arg:ident: $ty:ty),*)) => {
        let bytes = $($crate::dispatch::Extent::bytes(&$arg) +)* 0;
        if ($crate::dispatch::BEYOND_LEVEL_1..$crate::dispatch::BEYOND_CACHES).contains(&bytes) {
            return $narrow::$name($($arg),*);
        }
    };

    (@entry scalar $name:ident $args:tt $ret:tt { $contract:tt $plain:tt $narrow:tt }) => {
        $crate::dispatch::kernel!(@entry [] scalar if scalar $name $args $ret { $contract [] [] })
    };
    (@entry avx2 $($rest:tt)*) => {
        $crate::dispatch::kernel!(@entry ["avx2,fma"] avx2 if avx2 $($rest)*)
    };
    (@entry avx512 $($rest:tt)*) => {
        $crate::dispatch::kernel!(
            @entry ["avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"] avx512 if avx512 $($rest)*
        )
    };
    (@entry avx512_full $($rest:tt)*) => {
        $crate::dispatch::kernel!(
            @entry ["avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"] avx512 if avx512_full $($rest)*
        )
    };

    (@entry [$($features:literal)?] $isa:ident if $detected:ident $name:ident ($($arg:ident: $ty:ty),*) [$($ret:tt)*]
        { [$($contract:tt)*] $plain:tt $narrow:tt }) => {{
        // With the CPU features of the variant, whose code then becomes part of it: one call, not two.
        $(#[target_feature(enable = $features)])?
        #[allow(clippy::too_many_arguments, reason = "as many as the kernel has")]
        fn entry($($arg: $ty),*) $($ret)* {
            $($contract)*
            $crate::dispatch::kernel!(@beyond_caches $plain $name ($($arg: $ty),*) [$($ret)*]);
            $crate::dispatch::kernel!(@beyond_level_1 $narrow $name ($($arg: $ty),*));
            $isa::$name($($arg),*)
        }
        // SAFETY: the two types of pointers differ only in who vouches for the CPU features. A `Variant` gives this one
        // out only where `detected::$detected` found them.
        #[allow(unsafe_code, reason = "this macro's, as the file that it is in")]
        let entry = unsafe {
            std::mem::transmute::<unsafe fn($($ty),*) $($ret)*, fn($($ty),*) $($ret)*>(entry)
        };
        // SAFETY: `entry` is a pointer to a function. It needs the CPU features of the module `$isa`, which `detected::$detected` looks for.
        #[allow(unsafe_code, reason = "this macro's, as the file that it is in")]
        let variant = unsafe {
            $crate::dispatch::Variant::new(stringify!($isa), $crate::dispatch::detected::$detected, entry)
        };
        variant
    }};
}
pub(crate) use kernel;

/// Bytes of all slices of a call that the level-1 cache of a core does not hold.
///
/// Loads and stores that wait for the level-2 cache go best one at a time and 32 bytes wide: 25.1 Gitems/s for
/// `multiply_const_f32` of 8192 items, 23.1 with 64 bytes, 19.5 where four of those follow one another, as compilers have
/// it, which is the fastest within the level-1 cache (the medians of a loop over 64 KiB in C, Zen 5).
pub(crate) const BEYOND_LEVEL_1: usize = 48 << 10;

/// Bytes of all slices of a call that the level-2 cache of a core does not hold.
///
/// Where memory is the limit, narrow vectors are the faster ones: the processor then tells better from what it is asked for
/// what comes next. 6.8 Gitems/s for `add_f32` of 10⁶ items in plain code, 6.4 with AVX2, 6.0 with AVX-512 (Zen 4). Not so
/// where vectors of 64 bytes are whole: 10.2 Gitems/s with those, 8.2 to 9.3 with 16 bytes, and 14.7 and 11.9 for
/// `multiply_const_f32` (loops in C, Zen 5). There, such calls run what shorter ones run.
pub(crate) const BEYOND_CACHES: usize = 2 << 20;

/// An argument of an op, as far as memory is concerned.
pub(crate) trait Extent {
    /// The bytes of a slice, 0 for a number.
    fn bytes(&self) -> usize;
}

impl<T> Extent for &[T] {
    fn bytes(&self) -> usize {
        size_of_val(*self)
    }
}

impl<T> Extent for &mut [T] {
    fn bytes(&self) -> usize {
        size_of_val(*self)
    }
}

impl Extent for f32 {
    fn bytes(&self) -> usize {
        0
    }
}

impl Extent for crate::C32 {
    fn bytes(&self) -> usize {
        0
    }
}

/// Checks that slices are equally long; `@doc` says so for the documentation.
macro_rules! same_length {
    ($name:ident ($first:ident $(, $other:ident)*)) => {
        $(assert!(
            $first.len() == $other.len(),
            "{} needs {}.len() == {}.len(), got {} and {}",
            stringify!($name),
            stringify!($first),
            stringify!($other),
            $first.len(),
            $other.len(),
        );)*
    };
    (@doc ($first:ident $(, $other:ident)*)) => {
        concat!(
            "\n# Panics\n\nUnless",
            $(" `", stringify!($first), ".len() == ", stringify!($other), ".len()`",)*
            "."
        )
    };
}
pub(crate) use same_length;

#[cfg(test)]
mod tests {
    use super::*;

    fn picked<'a>(names: &[&'a str], cap: Option<usize>) -> &'a str {
        names[pick(names, cap)]
    }

    #[test]
    fn without_a_cap_the_first_runnable_variant_is_chosen() {
        assert_eq!(picked(&["avx512", "avx2", "scalar"], None), "avx512");
        assert_eq!(picked(&["avx2", "avx512", "scalar"], None), "avx2");
        assert_eq!(picked(&["scalar"], None), "scalar");
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn a_cap_chooses_the_named_variant_or_the_best_lesser_one() {
        assert_eq!(picked(&["avx2", "avx512", "scalar"], rank("avx512")), "avx512");
        assert_eq!(picked(&["avx512", "avx2", "scalar"], rank("avx2")), "avx2");
        assert_eq!(picked(&["avx2", "scalar"], rank("avx512")), "avx2");
        assert_eq!(picked(&["avx512", "scalar"], rank("avx2")), "scalar");
        assert_eq!(picked(&["avx512", "avx2", "scalar"], rank("scalar")), "scalar");
    }

    #[test]
    fn the_chosen_variant_keeps_to_the_cap() {
        for row in crate::list() {
            // Some variants ask for more of the machine than their instruction set.
            let has_set = |name: &&str| rank(name).is_some_and(|set| (INSTRUCTION_SETS[set].1)());
            assert!(row.runnable.iter().all(has_set), "{}", row.name);
            let wanted = profile::wanted(row.name).filter(|_| CAP.is_none());
            assert_eq!(row.chosen, wanted.unwrap_or_else(|| picked(&row.runnable, *CAP)), "{}", row.name);
        }
    }

    #[test]
    fn an_unknown_cap_is_reported_with_the_known_ones() {
        let message = read_cap("mmx").unwrap_err();
        assert!(message.contains("mmx") && message.contains("scalar"), "{message}");
        assert_eq!(read_cap(""), Ok(None));
        assert_eq!(read_cap("scalar"), Ok(Some(0)));
    }

    #[test]
    #[should_panic(expected = "saxpy needs y.len() == x.len(), got 2 and 3")]
    fn unequal_lengths_panic_with_the_inequality_and_the_lengths() {
        crate::saxpy(&mut [0.0; 2], &[0.0; 3], 1.0, 0.0);
    }
}
