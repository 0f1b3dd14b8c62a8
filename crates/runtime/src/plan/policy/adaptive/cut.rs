//! Cuts the blocks of a graph into lanes so that some workers get through as many samples as possible.
//!
//! The blocks stand in a row, as the streams flow. A lane is a run of neighbours. Where they are a chain, all workers carry
//! claims through it at once, and only its blocks with a state take one claim at a time; any other lane takes one worker at a
//! time. Any worker takes whatever has something to do, so the time per sample is bounded from below by three numbers only:
//!
//! - the costliest lane that is not shared,
//! - the costliest block with a state, and
//! - the cost of all lanes, divided by the number of workers.
//!
//! Samples that go from lane to lane cost something, too: that is charged to the lane that reads them. The cut that makes
//! the larger of the two numbers as small as possible is found by bisection on it; for each candidate, dynamic
//! programming finds the cheapest cut whose lanes all stay below. After "OTAC: optimal throughput allocation of chains"
//! (Orhan et al., "Scheduling strategies for partially-replicable task chains on multicore", 2025), where workers are
//! tied to lanes.

use std::cell::Cell;

use super::unit::{Piece, Unit, units};

/// Neighbours that are run together.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Segment {
    pub from: usize,
    pub to: usize,
    pub shared: bool,
    pub cost: f64,
    /// The part of it that one worker at a time can do.
    pub in_order: f64,
}

/// Lanes, and what bounds their throughput.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cut {
    pub segments: Vec<Segment>,
    /// Seconds per item at the base rate that the cut cannot get below.
    pub period: f64,
}

impl Cut {
    pub fn new(segments: Vec<Segment>, workers: usize) -> Self {
        let total: f64 = segments.iter().map(|segment| segment.cost).sum();
        let costliest = segments.iter().map(|segment| segment.in_order).fold(0.0, f64::max);
        Cut { period: costliest.max(total / workers as f64), segments }
    }

    /// What all lanes cost together.
    pub fn all(&self) -> f64 {
        self.segments.iter().map(|segment| segment.cost).sum()
    }
}

/// A cut into several lanes has to promise this much more than one lane for all.
const WORTH: f64 = 1.1;

/// What one lane more costs, as a part of all that the blocks cost: it has to be looked at.
const LANE: f64 = 0.01;

/// The best cut of `pieces` for `workers`. `is_chain` says whether the pieces of a range can be shared as one chain; where it
/// says no, it says no of every longer range from the same piece.
pub(crate) fn cut(pieces: &[Piece], workers: usize, is_chain: &dyn Fn(usize, usize) -> bool) -> Cut {
    let cost: f64 = pieces.iter().map(|piece| piece.cost).sum();
    let whole = Segment { from: 0, to: pieces.len(), shared: false, cost, in_order: cost };
    let is_pure = |piece: &Piece| piece.is_link && !piece.has_state && !piece.never_share;
    if !pieces.is_empty() && pieces.iter().all(is_pure) && is_chain(0, pieces.len()) {
        return Cut::new(vec![Segment { shared: true, in_order: 0.0, ..whole }], workers);
    }
    let alone = Cut::new(vec![whole], 1);
    if workers <= 1 || pieces.len() <= 1 {
        return alone;
    }
    let lane = alone.period * LANE;
    let units = units(pieces);
    let chains = Chains::new(&units, is_chain);
    let (mut low, mut high) = (alone.period / workers as f64 * 0.99, alone.period);
    let mut best = None;
    for _ in 0..24 {
        let middle = (low + high) / 2.0;
        match cheapest(&units, middle, lane, &chains).map(|segments| Cut::new(segments, workers)) {
            Some(found) if found.period <= middle => {
                high = found.period.min(middle);
                best = Some(found);
            }
            _ => low = middle,
        }
        if high - low < alone.period * 1e-3 {
            break;
        }
    }
    best.filter(|best| best.period * WORTH < alone.period).unwrap_or(alone)
}

/// Where the chains that begin at each unit end.
struct Chains<'a> {
    units: &'a [Unit],
    is_chain: &'a dyn Fn(usize, usize) -> bool,
    /// Per unit, the end of the longest chain that begins there, as far as it was asked for.
    longest: Vec<Cell<Option<usize>>>,
}

impl<'a> Chains<'a> {
    fn new(units: &'a [Unit], is_chain: &'a dyn Fn(usize, usize) -> bool) -> Self {
        Chains { units, is_chain, longest: vec![Cell::new(None); units.len()] }
    }

    /// Whether units can be shared as one chain.
    fn has(&self, from: usize, to: usize) -> bool {
        let end = self.longest[from].get().unwrap_or_else(|| self.find(from));
        self.longest[from].set(Some(end));
        to <= end
    }

    fn find(&self, from: usize) -> usize {
        let is_chain = |to: usize| (self.is_chain)(self.units[from].from, self.units[to - 1].to);
        let rest = &self.units[from..];
        let is_link = |(place, unit): &(usize, &Unit)| unit.can_share && (*place == 0 || unit.follows);
        let run = from + rest.iter().enumerate().take_while(is_link).count();
        if run == from || is_chain(run) {
            return run;
        }
        let ends: Vec<usize> = (from + 1..run).collect();
        from + ends.partition_point(|&to| is_chain(to))
    }
}

/// The cheapest cut of which no lane that is not shared costs more than `most`; each costs `lane` besides.
fn cheapest(units: &[Unit], most: f64, lane: f64, chains: &Chains<'_>) -> Option<Vec<Segment>> {
    let n = units.len();
    // For the first `i` units: the least cost, and the last segment of the cut that has it, in units.
    let mut best: Vec<Option<(f64, Segment)>> = vec![None; n + 1];
    for from in 0..n {
        let before = match &best[from] {
            _ if from == 0 => 0.0,
            Some((cost, _)) => *cost,
            None => continue,
        };
        if units[from].tied && from > 0 {
            continue;
        }
        // What they cost as one lane; what carrying costs besides in a chain, and its costliest state.
        let (mut cost, mut carrying, mut in_order) = (0.0, 0.0, 0f64);
        let mut can_share = true;
        for to in from + 1..=n {
            let unit = &units[to - 1];
            let is_first = to - 1 == from;
            let entering = unit.reads.iter().filter(|(writer, _)| *writer < from || *writer >= to);
            cost += unit.cost + entering.map(|(_, cost)| cost).sum::<f64>();
            can_share &= unit.can_share && (is_first || unit.follows);
            let is_boundary = !is_first && (units[to - 2].ends_with_state || unit.begins_with_state);
            carrying += unit.inside + if is_boundary { unit.carrying } else { 0.0 };
            in_order = in_order.max(unit.in_order);
            let can_share = can_share && in_order <= most;
            if cost > most && !can_share {
                break;
            }
            let segments = [
                (cost <= most).then_some(Segment { from, to, shared: false, cost, in_order: cost }),
                (can_share && chains.has(from, to)).then_some(Segment {
                    from,
                    to,
                    shared: true,
                    cost: cost + carrying,
                    in_order,
                }),
            ];
            for segment in segments.into_iter().flatten() {
                // Of lanes that cost the same, the one that workers share.
                let all = before + segment.cost + lane;
                let is_better = |known: f64| all < known || segment.shared && all <= known;
                if best[to].as_ref().is_none_or(|(known, _)| is_better(*known)) {
                    best[to] = Some((all, segment));
                }
            }
        }
    }
    let mut segments = Vec::new();
    let mut end = n;
    while end > 0 {
        let (_, segment) = best[end].take()?;
        end = segment.from;
        let (from, to) = (units[segment.from].from, units[segment.to - 1].to);
        segments.push(Segment { from, to, ..segment });
    }
    segments.reverse();
    let is_right = |segment: &Segment| !segment.shared || (chains.is_chain)(segment.from, segment.to);
    segments.iter().all(is_right).then_some(segments)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn row(costs: &[(f64, bool)]) -> Vec<Piece> {
        // Those with a state are no links.
        let piece = |(place, &(cost, is_link)): (usize, &(f64, bool))| Piece {
            cost,
            is_link,
            follows: place > 0,
            reads: if place > 0 { vec![(place - 1, 0.1)] } else { Vec::new() },
            ..Piece::default()
        };
        costs.iter().enumerate().map(piece).collect()
    }

    fn lanes(cut: &Cut) -> Vec<(usize, usize, bool)> {
        cut.segments.iter().map(|s| (s.from, s.to, s.shared)).collect()
    }

    #[test]
    fn a_chain_without_state_is_shared_whole() {
        let cut = cut(&row(&[(1.0, true); 5]), 2, &|_, _| true);
        assert_eq!(lanes(&cut), [(0, 5, true)]);
        assert_eq!(cut.period, 2.5);
    }

    #[test]
    fn a_chain_with_states_is_shared_whole_where_its_costliest_state_allows_it() {
        let states = |costs: &[(f64, bool)]| {
            let mut pieces = row(costs);
            for (piece, (_, is_pure)) in pieces.iter_mut().zip(costs) {
                (piece.is_link, piece.has_state, piece.carrying) = (true, !is_pure, 0.01);
            }
            pieces
        };
        let all = cut(&states(&[(1.0, false); 5]), 2, &|_, _| true);
        assert_eq!(lanes(&all), [(0, 5, true)]);
        assert!((all.period - 5.04 / 2.0).abs() < 1e-9, "{all:?}");
        let one = cut(&states(&[(1.0, true), (8.0, false), (1.0, true)]), 4, &|_, _| true);
        assert!((one.period - 8.01).abs() < 1e-9, "{one:?}");
        let alone = cut(&states(&[(0.01, true), (8.0, false)]), 4, &|_, _| true);
        assert_eq!(lanes(&alone), [(0, 2, false)], "nobody could help");
    }

    #[test]
    fn blocks_with_a_state_bound_the_rate() {
        // Two cheap ends, a costly chain between them.
        let pieces = row(&[(1.0, false), (10.0, true), (10.0, true), (1.0, false)]);
        let cut = cut(&pieces, 4, &|_, _| true);
        assert_eq!(lanes(&cut), [(0, 1, false), (1, 3, true), (3, 4, false)]);
        assert!((cut.period - 22.2 / 4.0).abs() < 1e-9, "{cut:?}");
        let pieces = row(&[(1.0, false), (9.0, false), (10.0, true)]);
        let cut = super::cut(&pieces, 4, &|_, _| true);
        assert!((cut.period - 9.1).abs() < 1e-9, "{cut:?}");
        assert!(cut.segments.iter().any(|s| (s.from, s.to) == (1, 2)), "{cut:?}");
    }

    #[test]
    fn what_costs_less_than_handing_over_stays_together() {
        let pieces = row(&[(0.05, false), (0.05, true), (0.05, false)]);
        assert_eq!(lanes(&cut(&pieces, 2, &|_, _| true)), [(0, 3, false)]);
    }

    #[test]
    fn a_chain_too_long_to_be_one_is_cut() {
        let pieces = row(&[(1.0, false), (5.0, true), (5.0, true), (5.0, true)]);
        let cut = cut(&pieces, 2, &|from, to| to - from <= 2);
        assert!(cut.segments.iter().all(|s| s.to - s.from <= 2 || !s.shared), "{cut:?}");
        assert!(cut.period < 9.0, "{cut:?}");
    }

    #[test]
    fn ties_and_hints_are_kept() {
        let mut pieces = row(&[(1.0, false), (10.0, true), (10.0, true), (1.0, false)]);
        pieces[1].never_share = true;
        pieces[3].tied = true;
        let cut = cut(&pieces, 4, &|_, _| true);
        assert!(cut.segments.iter().all(|s| s.from != 3), "{cut:?}");
        assert!(cut.segments.iter().filter(|s| s.shared).all(|s| s.from > 1), "{cut:?}");
    }
}
