//! What holds for every op of the library, tried on each without knowing any.

use super::LONGEST;
#[cfg(unix)]
use crate::trial::Guard;
use crate::trial::{Access, Kept, Kind, Layout, Trial};
use crate::{OPS, dispatch::Table};

/// Lengths around every vector width, primes, and a long one.
fn lengths() -> impl Iterator<Item = usize> {
    let widths = [4, 8, 16, 32, 64, 128, 256].into_iter().flat_map(|width| width - 1..=width + 1);
    (0..=3).chain([11, 23, 37, 97, 509, 1021]).chain(widths)
}

/// The items of a slice, as bytes and as numbers.
struct Items {
    bytes: Vec<u8>,
    parts: Vec<[f64; 2]>,
}

impl Items {
    fn of(kept: &dyn Kept) -> Self {
        Items { bytes: kept.bytes().to_vec(), parts: kept.parts() }
    }

    /// `len` bytes of them from the byte `start`.
    fn cut(&self, start: usize, len: usize) -> Self {
        // A number has no items.
        let size = (self.bytes.len() / self.parts.len().max(1)).max(1);
        let of_parts = start / size..(start + len) / size;
        Items { bytes: self.bytes[start..start + len].to_vec(), parts: self.parts[of_parts].to_vec() }
    }

    /// Panics unless the bytes are the same where the numbers are no NaNs.
    fn assert_same(&self, want: &Items, case: &str) {
        if self.bytes == want.bytes {
            return;
        }
        let size = self.bytes.len() / self.parts.len();
        let bytes = self.bytes.chunks(size).zip(want.bytes.chunks(size));
        let parts = self.parts.iter().zip(&want.parts);
        for (n, ((got_bytes, want_bytes), (got, want))) in bytes.zip(parts).enumerate() {
            let same = got_bytes == want_bytes
                || (got.iter().any(|part| part.is_nan()) && got.iter().zip(want).all(same_number));
            assert!(same, "{case}: item {n} is {got:?}, should be {want:?}");
        }
    }
}

fn same_number((got, want): (&f64, &f64)) -> bool {
    got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan())
}

/// What a call left behind: the slices that it wrote, and the numbers of what it returned.
struct Written {
    slices: Vec<Items>,
    outcome: Vec<f64>,
}

fn run(trial: &mut Trial, variant: &str) -> Written {
    trial.run(variant, 1);
    let mut slices = Vec::new();
    trial.visit(|_, kept| {
        if kept.access() == Access::Write {
            slices.push(Items::of(kept));
        }
    });
    Written { slices, outcome: trial.outcome() }
}

/// Each variant of each op.
fn every_variant(mut check: impl FnMut(&Table, &'static str)) {
    for op in OPS {
        for variant in op.row().runnable {
            check(op, variant);
        }
    }
}

fn fill_with_specials(trial: &mut Trial) {
    let mut stride = 1;
    trial.visit(|_, kept| stride *= kept.fill_with_specials(stride));
}

fn assert_same_bits(got: &Written, want: &Written, case: &str) {
    got.slices.iter().zip(&want.slices).for_each(|(got, want)| got.assert_same(want, case));
    assert!(
        got.outcome.len() == want.outcome.len() && got.outcome.iter().zip(&want.outcome).all(same_number),
        "{case}: returned {:?}, should be {:?}",
        got.outcome,
        want.outcome
    );
}

/// Panics unless sums of `items` terms are about the same. The families' own tests hold the stated accuracies.
fn assert_alike(got: &Written, want: &Written, items: usize, case: &str) {
    let alike = |got: f64, want: f64| {
        same_number((&got, &want)) || (got - want).abs() <= 1e-4 * want.abs() + 1e-6 * (items + 100) as f64
    };
    for (got, want) in got.slices.iter().zip(&want.slices) {
        for (n, (got, want)) in got.parts.iter().flatten().zip(want.parts.iter().flatten()).enumerate() {
            assert!(alike(*got, *want), "{case}: item {n} is {got}, should be about {want}");
        }
    }
    assert_eq!(got.outcome.len(), want.outcome.len(), "{case}");
    for (&got, &want) in got.outcome.iter().zip(&want.outcome) {
        assert!(alike(got, want), "{case}: returned {got}, should be about {want}");
    }
}

/// Runs every variant and compares with `scalar`.
fn every_variant_agrees(items: usize, shifts: &[usize], specials: bool) {
    for op in OPS {
        let row = op.row();
        let written = |variant| {
            let mut trial = op.trial(&Layout::new(items, shifts));
            if specials {
                fill_with_specials(&mut trial);
            }
            run(&mut trial, variant)
        };
        let want = written("scalar");
        for variant in row.runnable {
            let case = format!("{} {variant}, {items} items, shifts {shifts:?}", row.name);
            let got = written(variant);
            match row.kind {
                Kind::Elementwise => assert_same_bits(&got, &want, &case),
                // What sums make of infinities and NaNs may depend on the order.
                _ if specials => {}
                _ => assert_alike(&got, &want, items, &case),
            }
        }
    }
}

#[test]
fn all_variants_agree_at_every_length() {
    for items in lengths() {
        every_variant_agrees(items, &[0], false);
    }
    every_variant_agrees(100_000, &[0], false);
}

#[test]
fn all_variants_agree_wherever_each_argument_starts() {
    for items in [1, 17, 67, 130] {
        for shift in [1, 2, 3, 5, 8, 13, 15] {
            for shifts in [[shift, shift, shift], [shift, 0, 0], [0, shift, 0], [0, 0, shift]] {
                every_variant_agrees(items, &shifts, false);
            }
        }
    }
}

#[test]
fn all_variants_agree_on_special_values() {
    for items in [1, 13, 16, 31, 33, 300, LONGEST] {
        every_variant_agrees(items, &[1, 0], true);
    }
}

#[test]
fn items_do_not_depend_on_where_the_slices_start_or_end() {
    const WHOLE: usize = 333;
    every_variant(|op, variant| {
        let row = op.row();
        if row.kind == Kind::Reduction {
            return;
        }
        for specials in [false, true] {
            if specials && row.kind == Kind::Filter {
                continue;
            }
            let mut whole = op.trial(&Layout::new(WHOLE, &[0]));
            if specials {
                fill_with_specials(&mut whole);
            }
            let mut inputs = Vec::new();
            whole.visit(|_, kept| inputs.push(kept.bytes().to_vec()));
            whole.run(variant, 1);
            let mut outputs = Vec::new();
            whole.visit(|_, kept| outputs.push(Items::of(kept)));

            for (from, to) in
                [(0, 1), (1, 18), (7, 23), (13, 13), (16, 301), (31, 98), (100, WHOLE), (WHOLE - 1, WHOLE)]
            {
                let mut cut = op.trial(&Layout::new(to - from, &[from % 5, to % 3]));
                let from_bytes = starts(op, WHOLE, from);
                let mut slices = inputs.iter().zip(&from_bytes);
                cut.visit(|_, kept| {
                    let (input, &start) = slices.next().expect("the same arguments");
                    let bytes = kept.bytes().len();
                    kept.bytes_mut().copy_from_slice(&input[start..][..bytes]);
                });
                cut.run(variant, 1);
                let mut slices = outputs.iter().zip(&from_bytes);
                cut.visit(|name, kept| {
                    let (output, &start) = slices.next().expect("the same arguments");
                    let got = Items::of(kept);
                    let case = format!("{} {variant}, {name} of items {from}..{to} of the whole", row.name);
                    got.assert_same(&output.cut(start, got.bytes.len()), &case);
                });
            }
        }
    });
}

/// How many bytes of each slice lie before what belongs to item `from`; none of those that are always of one length.
fn starts(op: &Table, whole: usize, from: usize) -> Vec<usize> {
    let mut bytes = [whole, whole - from].map(|items| {
        let mut bytes = Vec::new();
        op.trial(&Layout::new(items, &[0])).visit(|_, kept| bytes.push(kept.bytes().len()));
        bytes.into_iter()
    });
    let [whole, rest] = &mut bytes;
    whole.zip(rest).map(|(whole, rest)| whole - rest).collect()
}

#[cfg(unix)]
#[test]
fn nothing_is_read_or_written_outside_of_the_slices() {
    every_variant(|op, variant| {
        for guard in [Guard::Before, Guard::Behind] {
            for items in lengths().chain([100_000]) {
                let mut layout = Layout::new(items, &[0]);
                layout.guard = Some(guard);
                let mut trial = op.trial(&layout);
                // The last line of a run that dies says where.
                println!("{} {variant}, {items} items, a page {guard:?}", op.name());
                trial.run(variant, 1);
            }
        }
    });
}

#[test]
fn what_an_output_held_before_does_not_matter() {
    every_variant(|op, variant| {
        // What goes on from call to call may work in place, too.
        if op.name().ends_with("_in_place") || op.row().kind == Kind::Reduction {
            return;
        }
        let [junk, specials] = [true, false].map(|with_junk| {
            let mut trial = op.trial(&Layout::new(77, &[1]));
            trial.visit(|_, kept| match kept.access() {
                Access::Write if with_junk => kept.fill_with_junk(),
                Access::Write => _ = kept.fill_with_specials(1),
                _ => {}
            });
            run(&mut trial, variant)
        });
        assert_same_bits(&junk, &specials, &format!("{} {variant}", op.name()));
    });
}

#[test]
fn every_op_says_what_it_moves() {
    for op in OPS {
        let mut trial = op.trial(&Layout::new(4096, &[0]));
        let bytes = trial.bytes_read() + trial.bytes_written();
        assert!(bytes >= 4096, "{} moves {bytes} bytes", op.name());
        for way in 0..Trial::WAYS_TO_MOVE {
            let moved = trial.move_bytes(way, 2);
            // Short streams and ends of lines may be left out.
            let most = 2 * bytes * 7 / 8..=2 * bytes;
            assert!(most.contains(&moved), "{}: {moved} of twice {bytes}", op.name());
        }
    }
}

#[test]
#[ignore = "it measures; run it alone, in a release build"]
fn no_variant_is_slower_than_the_plain_one() {
    let mut slower = Vec::new();
    for op in OPS {
        for items in [64, 1000, 8192] {
            let mut trial = op.trial(&Layout::new(items, &[0]));
            let mut nanoseconds = |variant: &str| nanoseconds(&mut trial, variant);
            let row = op.row();
            for variant in row.runnable.iter().filter(|variant| **variant != "scalar") {
                // In turns, and the best of several: whatever else the machine does only adds to it.
                let times = (0..5).map(|_| (nanoseconds(variant), nanoseconds("scalar")));
                let best =
                    |times: (f64, f64), other: (f64, f64)| (times.0.min(other.0), times.1.min(other.1));
                let (time, scalar) = times.fold((f64::MAX, f64::MAX), best);
                if time > 1.1 * scalar {
                    slower.push(format!(
                        "{} {variant}, {items} items: {time:.0} ns, scalar {scalar:.0} ns",
                        row.name
                    ));
                }
            }
        }
    }
    assert!(slower.is_empty(), "{}", slower.join("\n"));
}

/// Nanoseconds of a call: the mean of about 100 µs.
fn nanoseconds(trial: &mut Trial, variant: &str) -> f64 {
    trial.run(variant, 2);
    let mut calls = 1;
    loop {
        let start = std::time::Instant::now();
        trial.run(variant, calls);
        let elapsed = start.elapsed();
        if elapsed.as_micros() >= 100 {
            return elapsed.as_nanos() as f64 / calls as f64;
        }
        calls *= 2;
    }
}
