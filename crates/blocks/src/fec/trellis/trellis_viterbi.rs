//! The likeliest input symbols of a finite state machine.

use superhet_runtime::catalog::Kind;
use superhet_runtime::{AnyBlock, BlockError, Item, Ratio, Shape, SyncBlock, declare};

use super::trellis_encoder::Numbered;
use super::{Machine, Transitions, Way};
use crate::error::{Error, check};

/// How blocks begin and end: states, or any.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ends {
    /// The state that blocks begin in.
    pub first: Option<usize>,
    /// The state that they end in.
    pub last: Option<usize>,
}

/// The input symbols of the path of least cost through blocks of a [`Machine`], by Viterbi's algorithm. For each symbol come
/// the costs of all output symbols, as [`TrellisMetrics`](super::TrellisMetrics) gives them.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `f32` | costs, [`outputs`](Machine::outputs) for each symbol |
/// | out `out` | `u8`, `i16` or `i32` | input symbols |
///
/// Of two ways that cost the same the first is taken, by the number of the state that they come from. A cost that is no number is never the least.
/// What does not fill a block is dropped.
///
/// **Source**: G. D. Forney, The Viterbi Algorithm, Proc. IEEE 61, 1973.
///
/// ```
/// use superhet_blocks::fec::trellis::{Ends, Machine, Metric, TrellisMetrics, TrellisViterbi};
/// use superhet_runtime::harness;
///
/// let machine = Machine::new(2, &[0, 2, 0, 2, 1, 3, 1, 3], &[0, 3, 3, 0, 1, 2, 2, 1])?;
/// let table = vec![-3.0f32, -1.0, 1.0, 3.0];
/// let sent = [3.0, -1.2, 2.6, -2.9, -3.3f32];
/// let costs = harness::run(TrellisMetrics::new(table, 1, Metric::Euclidean)?, &sent);
/// let viterbi = TrellisViterbi::<u8>::new(machine, 5, Ends { first: Some(0), last: None })?;
/// assert_eq!(harness::run(viterbi, &costs), [1, 0, 0, 0, 0]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct TrellisViterbi<T> {
    machine: Machine,
    block_items: usize,
    ends: Ends,
    /// The way that is best into each state behind each symbol: its place in the machine's list.
    choices: Vec<u32>,
    /// What the best way to each state costs, before a symbol and behind it.
    costs: [Vec<f32>; 2],
    item: std::marker::PhantomData<fn() -> T>,
}

/// What a way costs that begins where none does.
const FAR: f32 = 1e9;

impl<T: Numbered> TrellisViterbi<T> {
    /// Decodes blocks of so many symbols.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for blocks without symbols, or so long that all states of one are more than 2²⁸, or a state that is not there.
    pub fn new(machine: Machine, block_items: usize, ends: Ends) -> Result<Self, Error> {
        let states = machine.states();
        let fits = block_items > 0 && block_items.saturating_mul(states) <= 1 << 28;
        check(fits, "block_items", "from 1 on, with all states at most 2^28", block_items as f64)?;
        for (name, state) in [("first_state", ends.first), ("last_state", ends.last)] {
            check(
                state.is_none_or(|state| state < states),
                name,
                "one that there is",
                state.unwrap_or(0) as f64,
            )?;
        }
        let costs = [vec![0.0; states], vec![0.0; states]];
        Ok(TrellisViterbi {
            machine,
            block_items,
            ends,
            choices: Vec::new(),
            costs,
            item: std::marker::PhantomData,
        })
    }

    fn decode(&mut self, x: &[f32], y: &mut [T]) {
        let (machine, states) = (&self.machine, self.machine.states());
        let [before, after] = &mut self.costs;
        let at = |state: usize| if self.ends.first.is_none_or(|first| first == state) { 0.0 } else { FAR };
        before.iter_mut().enumerate().for_each(|(state, cost)| *cost = at(state));
        self.choices.resize(self.block_items * states, 0);
        let step = match machine.ways_into_each() {
            Some(1) => choose::<1>,
            Some(2) => choose::<2>,
            Some(4) => choose::<4>,
            _ => choose_of_any,
        };
        let costs = x.chunks(LEVEL_EVERY * machine.outputs());
        for (costs, choices) in costs.zip(self.choices.chunks_mut(LEVEL_EVERY * states)) {
            for (x, choices) in costs.chunks_exact(machine.outputs()).zip(choices.chunks_exact_mut(states)) {
                step(machine, x, before, after, choices);
                std::mem::swap(before, after);
            }
            let least = before.iter().copied().fold(f32::INFINITY, f32::min);
            if least.is_finite() {
                before.iter_mut().for_each(|cost| *cost -= least);
            }
        }
        let cheapest =
            || before.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(state, _)| state);
        let mut state = self.ends.last.unwrap_or_else(cheapest);
        for (y, choices) in y.iter_mut().zip(self.choices.chunks_exact(states)).rev() {
            let way = machine.ways[choices[state] as usize];
            *y = T::of(way.input);
            state = way.from as usize;
        }
    }
}

/// Symbols after which the least cost is taken from all costs, so that they stay small.
const LEVEL_EVERY: usize = 8;

/// One symbol: what the best way into each state costs, and its place in the machine's list; `WAYS` lead into each.
fn choose<const WAYS: usize>(
    machine: &Machine,
    x: &[f32],
    before: &[f32],
    after: &mut [f32],
    choices: &mut [u32],
) {
    let (ways, _) = machine.ways.as_chunks::<WAYS>();
    for (place, ((choice, after), ways)) in choices.iter_mut().zip(after).zip(ways).enumerate() {
        (*after, *choice) = cheapest(x, before, ways, place * WAYS);
    }
}

/// The same for a machine with any ways.
fn choose_of_any(machine: &Machine, x: &[f32], before: &[f32], after: &mut [f32], choices: &mut [u32]) {
    for ((choice, after), begins) in choices.iter_mut().zip(after).zip(machine.begins.windows(2)) {
        (*after, *choice) = cheapest(x, before, &machine.ways[begins[0]..begins[1]], begins[0]);
    }
}

/// What the cheapest of these ways costs, and its place where the first is at `first`.
#[inline(always)]
fn cheapest(x: &[f32], before: &[f32], ways: &[Way], first: usize) -> (f32, u32) {
    let (mut least, mut best) = (f32::INFINITY, 0);
    for (place, way) in (first as u32..).zip(ways) {
        let cost = before[way.from as usize] + x[way.output as usize];
        // Selected, as a branch would be taken at random.
        let is_cheaper = cost < least;
        least = if is_cheaper { cost } else { least };
        best = if is_cheaper { place } else { best };
    }
    (least, best)
}

impl<T: Numbered + Item> SyncBlock for TrellisViterbi<T> {
    type In = f32;
    type Out = T;

    fn shape(&self) -> Shape {
        let ratio =
            Ratio { interpolation: self.block_items, decimation: self.block_items * self.machine.outputs() };
        Shape { ratio, ..Shape::default() }
    }

    fn process(&mut self, x: &[f32], y: &mut [T]) {
        let taken = self.block_items * self.machine.outputs();
        for (x, y) in x.chunks_exact(taken).zip(y.chunks_exact_mut(self.block_items)) {
            self.decode(x, y);
        }
    }
}

#[declare(
    category = "fec",
    summary = "The likeliest input symbols of a finite state machine, by Viterbi's algorithm.",
    ports(
        input("in", "f32", "costs of all output symbols, for each symbol"),
        output("out", "item", "input symbols: ⌊n / (symbols · block_items)⌋ · block_items items for n")
    )
)]
fn trellis_viterbi(
    /// The type of the decided symbols.
    #[param(kind = Kind::Choice(&["u8", "i16", "i32"]), default = "u8")]
    item: &str,
    #[param(group)] machine: Transitions,
    /// How many symbols a block has.
    #[param(unit = "items", range = 1..)]
    block_items: usize,
    /// The state that blocks begin in; −1: any.
    #[param(kind = Kind::Integer(-1, i32::MAX as i64), default = -1)]
    first_state: i64,
    /// The state that blocks end in; −1: any.
    #[param(kind = Kind::Integer(-1, i32::MAX as i64), default = -1)]
    last_state: i64,
) -> Result<AnyBlock, BlockError> {
    let machine = Machine::of(&machine)?;
    let ends = Ends { first: usize::try_from(first_state).ok(), last: usize::try_from(last_state).ok() };
    Ok(match item {
        "u8" => AnyBlock::new(TrellisViterbi::<u8>::new(machine, block_items, ends)?),
        "i16" => AnyBlock::new(TrellisViterbi::<i16>::new(machine, block_items, ends)?),
        _ => AnyBlock::new(TrellisViterbi::<i32>::new(machine, block_items, ends)?),
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::{Metric, TrellisEncoder, TrellisMetrics};
    use super::*;
    use crate::testing::noise;
    use superhet_runtime::harness;

    /// The code of rate 1/2 with the generators 5 and 7.
    pub fn machine() -> Machine {
        Machine::new(2, &[0, 2, 0, 2, 1, 3, 1, 3], &[0, 3, 3, 0, 1, 2, 2, 1]).unwrap()
    }

    fn costs(bits: &[u8], apart: f32) -> Vec<f32> {
        let sent = harness::run(TrellisEncoder::<u8, u8>::new(machine(), 0, 0).unwrap(), bits);
        let noise = noise(sent.len());
        let heard: Vec<f32> = sent
            .iter()
            .zip(&noise)
            .map(|(symbol, noise)| 2.0 * f32::from(*symbol) - 3.0 + apart * noise)
            .collect();
        harness::run(TrellisMetrics::new(vec![-3.0, -1.0, 1.0, 3.0], 1, Metric::Euclidean).unwrap(), &heard)
    }

    fn bits(count: u32) -> Vec<u8> {
        (0..count).map(|n| (n * n / 7 % 2) as u8).collect()
    }

    #[test]
    fn symbols_come_back_through_noise_from_any_state_and_from_the_first() {
        let bits = bits(400);
        for first in [None, Some(0)] {
            let viterbi = TrellisViterbi::<i16>::new(machine(), 400, Ends { first, last: None }).unwrap();
            let found: Vec<i16> = harness::run(viterbi, &costs(&bits, 0.9));
            assert!(found.iter().zip(&bits).all(|(found, bit)| *found == i16::from(*bit)), "{first:?}");
        }
    }

    #[test]
    fn the_path_is_the_cheapest_of_all() {
        let costs = noise(4 * 9).iter().map(|x| x * x).collect::<Vec<f32>>();
        for (first, last) in [(None, None), (Some(1), None), (None, Some(2)), (Some(3), Some(0))] {
            let cost = |start: usize, word: u32| {
                let mut state = start;
                let mut sum = 0.0;
                for (n, costs) in costs.chunks_exact(4).enumerate() {
                    let (output, next) = machine().step(state, (word >> n & 1) as usize);
                    sum += costs[output as usize];
                    state = next;
                }
                (last.is_none_or(|last| last == state)).then_some((sum, word))
            };
            let starts = (0..4).filter(|state| first.is_none_or(|first| first == *state));
            let all = starts.flat_map(|start| (0..1 << 9).filter_map(move |word| cost(start, word)));
            let (_, word) = all.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
            let viterbi = TrellisViterbi::<u8>::new(machine(), 9, Ends { first, last }).unwrap();
            let found: Vec<u8> = harness::run(viterbi, &costs);
            assert_eq!(
                found,
                (0..9).map(|n| (word >> n & 1) as u8).collect::<Vec<_>>(),
                "{first:?} {last:?}"
            );
        }
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        let costs = costs(&bits(100), 2.0);
        let ends = Ends { first: Some(0), last: None };
        harness::assert_cut_invariant(|| TrellisViterbi::<u8>::new(machine(), 10, ends).unwrap(), &costs);
    }

    #[test]
    fn machines_and_blocks_that_cannot_be_are_refused() {
        assert!(Machine::new(2, &[0, 1, 0], &[0, 0, 0]).is_err());
        assert!(Machine::new(1, &[0, 2], &[0, 0]).is_err());
        assert!(Machine::new(1, &[0, 1], &[0]).is_err());
        assert!(Machine::new(0, &[], &[]).is_err());
        assert!(TrellisViterbi::<u8>::new(machine(), 0, Ends::default()).is_err());
        assert!(TrellisViterbi::<u8>::new(machine(), usize::MAX, Ends::default()).is_err());
        let ends = Ends { first: None, last: Some(4) };
        assert!(TrellisViterbi::<u8>::new(machine(), 3, ends).is_err());
    }
}
