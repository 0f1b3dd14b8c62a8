//! Blocks of the library whose parameters change at an item: what comes out is what two blocks would give.

use std::time::Duration;

use superhet_blocks::demod::{AmDemod, QuadratureDemod};
use superhet_blocks::filters::{FirFilter, LowPass, LowPassFilter, Window};
use superhet_blocks::math::{AddConst, MultiplyConst, Saxpy};
use superhet_runtime::harness::{self, VecSink, VecSource};
use superhet_runtime::{Adaptive, AnyBlock, C32, Graph, Item, Options, Value, error::MessageError};

const CHANGE: u64 = 500;

fn noise(n: usize) -> Vec<f32> {
    (0..n as u32).map(|i| (i.wrapping_mul(2654435761) >> 8) as f32 / (1 << 24) as f32 - 0.5).collect()
}

fn complex_noise(n: usize) -> Vec<C32> {
    noise(2 * n).chunks_exact(2).map(|pair| C32::new(pair[0], pair[1])).collect()
}

/// What `block` makes of `x` where its parameter `name` changes at item 500; the receipt's error, if it has one.
fn changed<X: Item, Y: Item>(
    block: AnyBlock,
    x: &[X],
    name: &str,
    value: Value,
) -> Result<Vec<Y>, MessageError> {
    let mut graph = Graph::new();
    graph.add("source", VecSource::new(x.to_vec()));
    graph.add_any("block", block);
    let sink = VecSink::<Y>::new();
    let items = sink.items();
    graph.add("sink", sink);
    graph.connect_names("source", "block");
    graph.connect_names("block", "sink");
    let mut graph = graph.check().unwrap();
    let receipt = graph.set_at(format!("block.{name}"), value, CHANGE)?;
    let options = Options { strip_items: Some(64), ..Options::default() };
    graph.start(&Adaptive::workers(2), &options).unwrap().wait().unwrap();
    receipt.wait(Duration::ZERO).map(|_| items.take())
}

/// Checks that the output changes from that of one block to that of the other at item 500, bit by bit.
fn assert_changes<X: Item, Y: Item>(
    make: impl Fn() -> AnyBlock,
    then: impl Fn() -> AnyBlock,
    x: &[X],
    (name, value): (&str, Value),
    at: usize,
) {
    let got: Vec<Y> = changed(make(), x, name, value).unwrap();
    let run = |block| harness::run_any::<X, Y>(block, x, &Options::default()).unwrap();
    let (before, after) = (run(make()), run(then()));
    let wanted = [&before[..at], &after[at..]].concat();
    assert!(same_bits(&got, &wanted), "{name}");
    assert!(!same_bits(&got, &before), "{name} changes nothing");
}

fn same_bits<T: Item>(a: &[T], b: &[T]) -> bool {
    bytemuck::cast_slice::<T, u8>(a) == bytemuck::cast_slice::<T, u8>(b)
}

#[test]
fn a_changed_parameter_gives_what_another_block_would_give_from_its_item_on() {
    let (x, z) = (noise(2000), complex_noise(2000));
    let i: Value = vec![Value::from(0.0), 1.0.into()].into();
    assert_changes::<f32, f32>(
        || AnyBlock::new(Saxpy::new(2.0, 0.5)),
        || AnyBlock::new(Saxpy::new(3.0, 0.5)),
        &x,
        ("gain", 3.into()),
        500,
    );
    assert_changes::<f32, f32>(
        || AnyBlock::new(Saxpy::new(2.0, 0.5)),
        || AnyBlock::new(Saxpy::new(2.0, -1.5)),
        &x,
        ("offset", (-1.5).into()),
        500,
    );
    assert_changes::<C32, C32>(
        || AnyBlock::new(AddConst::new(C32::new(1.0, 0.0))),
        || AnyBlock::new(AddConst::new(C32::I)),
        &z,
        ("constant", i.clone()),
        500,
    );
    assert_changes::<C32, C32>(
        || AnyBlock::new(MultiplyConst::new(C32::new(1.0, 0.5))),
        || AnyBlock::new(MultiplyConst::new(C32::I)),
        &z,
        ("constant", i),
        500,
    );
    assert_changes::<C32, f32>(
        || AnyBlock::new(QuadratureDemod::new(1.0)),
        || AnyBlock::new(QuadratureDemod::new(0.25)),
        &z,
        ("gain", 0.25.into()),
        500,
    );
    let taps = |last: f32| [0.5, 0.25, -0.5, last];
    let values: Value = taps(2.0).iter().map(|tap| Value::from(*tap)).collect::<Vec<_>>().into();
    assert_changes::<C32, C32>(
        || AnyBlock::new(FirFilter::<C32, f32>::new(&taps(1.0), 7).unwrap()),
        || AnyBlock::new(FirFilter::<C32, f32>::new(&taps(2.0), 7).unwrap()),
        &z,
        ("taps", values),
        // The first multiple of 7 behind 500 is 504.
        72,
    );
    let low_pass = |gain: f64, cutoff_hz: f64| {
        let window = Window::Hamming;
        let design = LowPass { gain, rate_hz: 48e3, cutoff_hz, transition_hz: 2e3, window };
        move || AnyBlock::new(LowPassFilter::<f32>::new(&design, 2).unwrap())
    };
    assert_changes::<f32, f32>(low_pass(1.0, 3e3), low_pass(1.0, 5e3), &x, ("cutoff_hz", 5e3.into()), 250);
    assert_changes::<f32, f32>(low_pass(1.0, 3e3), low_pass(0.1, 3e3), &x, ("gain", 0.1.into()), 250);
}

#[test]
fn values_that_do_not_fit_are_refused_with_what_was_expected() {
    let refused = |block: AnyBlock, name: &str, value: Value| {
        changed::<C32, C32>(block, &[], name, value).unwrap_err().to_string()
    };
    let real = |taps: &[f32]| AnyBlock::new(FirFilter::<C32, f32>::new(taps, 1).unwrap());
    let numbers = |numbers: &[f64]| Value::from(numbers.iter().map(|x| Value::from(*x)).collect::<Vec<_>>());
    assert_eq!(
        refused(AnyBlock::new(MultiplyConst::new(C32::I)), "constant", "loud".into()),
        "block.constant: constant = \"loud\": expected a number or [re, im], within ±3.4e38"
    );
    assert_eq!(
        refused(real(&[1.0, 2.0]), "taps", numbers(&[1.0, 2.0, 3.0])),
        "block.taps: taps has 3 numbers: expected at most 2, as many as at first"
    );
    assert_eq!(
        refused(real(&[1.0]), "taps", numbers(&[f64::NAN])),
        "block.taps: taps[0] = NaN: expected a finite number"
    );
}

#[test]
fn a_sync_block_keeps_its_state_and_says_by_the_receipt_what_it_does_not_take() {
    let z = complex_noise(2000);
    let block = || AnyBlock::new(AmDemod::new(8000.0, 20.0).unwrap());
    let changed_corner: Vec<f32> = changed(block(), &z, "cutoff_hz", 200.0.into()).unwrap();
    let before: Vec<f32> = harness::run(AmDemod::new(8000.0, 20.0).unwrap(), &z);
    assert_eq!(changed_corner[..500], before[..500]);
    // The mean goes on from where it was: no jump, but it moves faster from there on.
    assert!((changed_corner[500] - before[500]).abs() < 0.2 && changed_corner[900] != before[900]);
    let error = changed::<C32, f32>(block(), &z, "cutoff_hz", 9e3.into()).unwrap_err().to_string();
    assert_eq!(error, "block.cutoff_hz: cutoff_hz = 9000: expected at least 0 and less than half of rate_hz");
}
