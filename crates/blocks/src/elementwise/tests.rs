//! Fused blocks against the same blocks one after the other.

use proptest::prelude::*;
use superhet_runtime::harness::{self, VecSink, VecSource};
use superhet_runtime::{AnyBlock, C32, Graph, Item, Options, Pure, Single};

use super::*;
use crate::convert::*;
use crate::flow;
use crate::math::*;
use crate::testing::{complex_noise, noise};

/// What blocks in a row make of `x`, each with a loop of its own.
fn one_after_the_other<X: Item, Y: Item>(blocks: Vec<AnyBlock>, x: &[X], options: &Options) -> Vec<Y> {
    let mut graph = Graph::new();
    graph.add("source", VecSource::new(x.to_vec()));
    let mut last = "source".to_owned();
    for (k, block) in blocks.into_iter().enumerate() {
        let name = format!("block{k}");
        graph.add_any(&name, block);
        graph.connect_names(&last, &name);
        last = name;
    }
    let sink = VecSink::<Y>::new();
    let items = sink.items();
    graph.add("sink", sink);
    graph.connect_names(&last, "sink");
    graph.check().unwrap().start(&Single, options).unwrap().wait().unwrap();
    items.take()
}

/// Numbers as bits, with one pattern for all NaNs.
fn bits(y: &[f32]) -> Vec<u32> {
    y.iter().map(|y| if y.is_nan() { f32::NAN.to_bits() } else { y.to_bits() }).collect()
}

/// Checks that a block alone, by its kernel, gives what its `apply` gives, which is what it gives when fused.
fn assert_same_alone_and_fused<A, B, E>(make: impl Fn() -> E, x: &[A])
where
    A: Item,
    B: Item,
    E: Elementwise<In = A, Out = B> + Pure<In = A, Out = B>,
{
    let alone: Vec<B> = harness::run(make(), x);
    let block = make();
    let applied: Vec<B> = x.iter().map(|&x| block.apply(x)).collect();
    let fused: Vec<B> = harness::run(flow::Copy::<A>::new().then(make()), x);
    let bytes = |items: &[B]| bytemuck::cast_slice::<B, u8>(items).to_vec();
    assert!(bytes(&alone) == bytes(&applied), "{}", block.describe());
    assert!(bytes(&alone) == bytes(&fused), "{}", block.describe());
}

#[test]
fn every_block_gives_alone_what_it_gives_in_a_fused_loop() {
    let (real, complex) = (noise(2000), complex_noise(2000));
    assert_same_alone_and_fused(|| Saxpy::new(1.7, -0.3), &real);
    assert_same_alone_and_fused(|| AddConst::new(0.7f32), &real);
    assert_same_alone_and_fused(|| AddConst::new(C32::new(0.7, -1.2)), &complex);
    assert_same_alone_and_fused(|| MultiplyConst::new(0.7f32), &real);
    assert_same_alone_and_fused(|| MultiplyConst::new(C32::new(0.7, -1.2)), &complex);
    assert_same_alone_and_fused(|| Conjugate, &complex);
    assert_same_alone_and_fused(|| ComplexToMag, &complex);
    assert_same_alone_and_fused(|| ComplexToMagSquared, &complex);
    assert_same_alone_and_fused(|| ComplexToReal, &complex);
    assert_same_alone_and_fused(|| ComplexToImag, &complex);
    assert_same_alone_and_fused(flow::Copy::<C32>::new, &complex);

    let beyond: Vec<f32> = real.iter().map(|x| 1.2 * x).chain([f32::NAN, f32::INFINITY, -0.0]).collect();
    let beyond_complex: Vec<C32> = beyond.windows(2).map(|pair| C32::new(pair[0], pair[1])).collect();
    assert_same_alone_and_fused(|| FloatToUchar, &beyond);
    assert_same_alone_and_fused(|| FloatToChar, &beyond);
    assert_same_alone_and_fused(|| FloatToShort, &beyond);
    assert_same_alone_and_fused(|| C32ToCu8, &beyond_complex);
    assert_same_alone_and_fused(|| C32ToCs8, &beyond_complex);
    assert_same_alone_and_fused(|| C32ToCs16, &beyond_complex);

    let codes: Vec<i16> = (i16::MIN..=i16::MAX).collect();
    assert_same_alone_and_fused(|| UcharToFloat, &codes.iter().map(|&x| x as u8).collect::<Vec<_>>());
    assert_same_alone_and_fused(|| CharToFloat, &codes.iter().map(|&x| x as i8).collect::<Vec<_>>());
    assert_same_alone_and_fused(|| ShortToFloat, &codes);
    assert_same_alone_and_fused(|| Cu8ToC32, &codes.iter().map(|x| x.to_ne_bytes()).collect::<Vec<_>>());
    assert_same_alone_and_fused(
        || Cs8ToC32,
        &codes.iter().map(|x| x.to_ne_bytes().map(|x| x as i8)).collect::<Vec<_>>(),
    );
    assert_same_alone_and_fused(|| Cs16ToC32, &codes.iter().map(|&x| [x, !x / 3]).collect::<Vec<_>>());
}

/// Ways to cut the stream, in place and not.
fn any_options() -> impl Strategy<Value = Options> {
    (proptest::option::of(1usize..300), proptest::option::of(any::<u64>()), any::<bool>()).prop_map(
        |(strip_items, seed, in_place)| Options { strip_items, seed, in_place, ..Options::default() },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn four_fused_saxpys_give_the_bits_of_four_saxpys(
        parameters in proptest::array::uniform4((any::<f32>(), any::<f32>())),
        x in proptest::collection::vec(any::<f32>(), 0..700),
        (whole, cut) in (any_options(), any_options()),
    ) {
        let [a, b, c, d] = parameters.map(|(gain, offset)| Saxpy::new(gain, offset));
        let blocks = [a, b, c, d].map(AnyBlock::new).into();
        let wanted = bits(&one_after_the_other::<f32, f32>(blocks, &x, &whole));

        let left = a.then(b).then(c).then(d);
        prop_assert_eq!(&bits(&harness::run_with(left, &x, &cut).unwrap()), &wanted);
        let pairs = a.then(b).then(c.then(d));
        prop_assert_eq!(&bits(&harness::run_with(pairs, &x, &cut).unwrap()), &wanted);
    }

    #[test]
    fn a_fused_chain_through_several_types_gives_the_bits_of_its_blocks(
        (re, im, gain) in (-9f32..9.0, -9f32..9.0, -9f32..9.0),
        x in proptest::collection::vec(any::<[i8; 2]>(), 0..700),
        (whole, cut) in (any_options(), any_options()),
    ) {
        let turn = MultiplyConst::new(C32::new(re, im));
        let scale = Saxpy::new(gain, 0.1);
        let half = elementwise(|x: f32| 0.5 * x);
        let blocks = vec![
            AnyBlock::new(Cs8ToC32),
            AnyBlock::new(turn),
            AnyBlock::new(ComplexToMag),
            AnyBlock::new(scale),
            AnyBlock::new(half),
            AnyBlock::new(FloatToShort),
        ];
        let wanted: Vec<i16> = one_after_the_other(blocks, &x, &whole);
        let fused = Cs8ToC32.then(turn).then(ComplexToMag).then(scale).then(half).then(FloatToShort);
        prop_assert_eq!(harness::run_with(fused, &x, &cut).unwrap(), wanted);
    }
}

#[test]
fn the_output_does_not_depend_on_where_the_input_is_cut() {
    harness::assert_cut_invariant(|| Saxpy::new(1.7, -0.3).then(Saxpy::new(0.2, 0.9)), &noise(1000));
    harness::assert_cut_invariant(|| Conjugate.then(ComplexToMag), &complex_noise(1000));
    harness::assert_cut_invariant(|| elementwise(|x: f32| x * x.abs()), &noise(1000));
}

#[test]
fn a_fused_block_works_in_place_exactly_where_it_keeps_the_type() {
    let in_place = |block: AnyBlock| block.spec().in_place;
    assert!(in_place(AnyBlock::new(Saxpy::new(1.0, 0.0).then(Saxpy::new(1.0, 0.0)))));
    assert!(in_place(AnyBlock::new(Cs16ToC32.then(Conjugate).then(C32ToCs16))));
    assert!(in_place(AnyBlock::new(elementwise(|x: f32| x + 1.0))));
    assert!(!in_place(AnyBlock::new(Conjugate.then(ComplexToMag))));
    // Of one size, but of two types.
    assert!(!in_place(AnyBlock::new(elementwise(|x: f32| x as i32))));
    let y: Vec<i32> = harness::run(elementwise(|x: f32| x as i32), &[1.5f32, -2.5]);
    assert_eq!(y, [1, -2]);
}

#[test]
fn a_fused_block_is_one_pure_block_that_knows_its_parts() {
    let fused = Saxpy::new(2.0, 0.5).then(elementwise(f32::abs).named("abs")).then(AddConst::new(1.0f32));
    assert_eq!(fused.parts(), ["saxpy(2, 0.5)", "abs", "add_const(1)"]);
    assert_eq!(fused.to_string(), "saxpy(2, 0.5) -> abs -> add_const(1)");
    assert_eq!(fused.second().constant, 1.0);
    assert_eq!(fused.first().first().gain, 2.0);
    let nested = Conjugate.then(AddConst::new(C32::I).then(MultiplyConst::new(C32::new(2.0, -1.0))));
    assert_eq!(nested.to_string(), "conjugate -> add_const(0+1i) -> multiply_const(2-1i)");

    let mut graph = Graph::new();
    graph.add("source", VecSource::new(vec![1.0f32]));
    graph.add("level", fused);
    graph.add("sink", VecSink::<f32>::new());
    graph.connect_names("source", "level");
    graph.connect_names("level", "sink");
    let plan = graph.check().unwrap().plan(&Single, &Options::default()).unwrap().to_json();
    assert_eq!(plan["lanes"][0]["blocks"], serde_json::json!(["source", "level", "sink"]));
}
