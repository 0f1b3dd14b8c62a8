//! What a cut does not divide: a block each, or a run of neighbours where the row is long.
//!
//! The best cut of `n` pieces takes as many steps as there are pairs of them. Of thousands of blocks each is a small part of the whole,
//! so that a cut between any two of them is hardly better than one near by.

/// What a cut needs to know of one block.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Piece {
    /// Seconds per item of the graph's base rate.
    pub cost: f64,
    /// Workers can share it, as a link of a chain.
    pub is_link: bool,
    /// It takes one claim at a time.
    pub has_state: bool,
    /// What carrying its items costs in a chain where it begins a stage.
    pub carrying: f64,
    /// Is the only reader of the block before it in the row, and reads nothing else.
    pub follows: bool,
    /// The streams that it reads: where in the row they come from, and what reading costs if that is another lane.
    pub reads: Vec<(usize, f64)>,
    /// Must be in the same lane as the block before it in the row.
    pub tied: bool,
    /// Must not be shared between workers.
    pub never_share: bool,
}

/// A run of pieces that a cut does not divide.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Unit {
    pub from: usize,
    pub to: usize,
    /// What its pieces cost together, as part of one lane.
    pub cost: f64,
    /// As those of [`Piece`], by unit; what comes from the unit itself is left out.
    pub reads: Vec<(usize, f64)>,
    /// Its pieces can be links of one chain.
    pub can_share: bool,
    /// Whether its first piece follows the one before.
    pub follows: bool,
    pub tied: bool,
    /// What its costliest block with a state takes in a chain.
    pub in_order: f64,
    pub begins_with_state: bool,
    pub ends_with_state: bool,
    /// What carrying its items costs where it begins a stage.
    pub carrying: f64,
    /// What carrying costs between its own stages.
    pub inside: f64,
}

/// Rows of so many pieces, or fewer, are cut between any two.
const MOST: usize = 256;

/// The row in units.
pub(super) fn units(pieces: &[Piece]) -> Vec<Unit> {
    let starts = if pieces.len() <= MOST { (0..pieces.len()).collect() } else { starts(pieces, MOST / 2) };
    let ends = starts.iter().skip(1).copied().chain([pieces.len()]);
    let mut unit_of = vec![0; pieces.len()];
    for (unit, (&from, to)) in starts.iter().zip(ends.clone()).enumerate() {
        unit_of[from..to].fill(unit);
    }
    starts.iter().zip(ends).map(|(&from, to)| unit(pieces, from, to, &unit_of)).collect()
}

fn unit(pieces: &[Piece], from: usize, to: usize, unit_of: &[usize]) -> Unit {
    let run = &pieces[from..to];
    let (first, last) = (&run[0], &run[run.len() - 1]);
    let place = |writer: usize| unit_of.get(writer).copied().unwrap_or(usize::MAX);
    let reads = run.iter().flat_map(|piece| &piece.reads);
    let is_boundary = |pair: &&[Piece]| pair[0].has_state || pair[1].has_state;
    let states = run.iter().filter(|piece| piece.has_state);
    Unit {
        from,
        to,
        cost: run.iter().map(|piece| piece.cost).sum(),
        reads: reads
            .filter(|(writer, _)| !(from..to).contains(writer))
            .map(|&(writer, cost)| (place(writer), cost))
            .collect(),
        can_share: run.iter().all(can_share) && run[1..].iter().all(|piece| piece.follows),
        follows: first.follows,
        tied: first.tied,
        in_order: states.map(|piece| piece.cost + piece.carrying).fold(0.0, f64::max),
        begins_with_state: first.has_state,
        ends_with_state: last.has_state,
        carrying: first.carrying,
        inside: run.windows(2).filter(is_boundary).map(|pair| pair[1].carrying).sum(),
    }
}

fn can_share(piece: &Piece) -> bool {
    piece.is_link && !piece.never_share
}

/// Where units begin in a long row: about `parts` of them cost the same. Where chains begin and end there is one, too, if there are
/// not too many of these; else units are of whole chains.
fn starts(pieces: &[Piece], parts: usize) -> Vec<usize> {
    let is_edge = |place: usize| {
        let (before, piece) = (&pieces[place - 1], &pieces[place]);
        can_share(before) != can_share(piece) || !piece.follows
    };
    let has_many_edges = (1..pieces.len()).filter(|&place| is_edge(place)).count() > parts;
    let total: f64 = pieces.iter().map(|piece| piece.cost).sum();
    let (mut starts, mut cost) = (vec![0], 0.0);
    for (place, piece) in pieces.iter().enumerate() {
        let is_edge = place > 0 && is_edge(place);
        let is_full = cost * parts as f64 >= total;
        let is_start = if has_many_edges { is_edge && is_full } else { is_edge || is_full };
        if place > 0 && is_start && !piece.tied {
            starts.push(place);
            cost = 0.0;
        }
        cost += piece.cost;
    }
    starts
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn row(n: usize, piece: impl Fn(usize) -> Piece) -> Vec<Piece> {
        (0..n).map(piece).collect()
    }

    #[test]
    fn a_short_row_is_cut_between_any_two_pieces() {
        let pieces = row(MOST, |place| Piece { cost: 1.0, tied: place % 2 == 1, ..Piece::default() });
        let units = units(&pieces);
        assert_eq!(units.len(), MOST);
        assert!(units.iter().enumerate().all(|(place, unit)| (unit.from, unit.to) == (place, place + 1)));
    }

    #[test]
    fn units_of_a_long_row_cost_about_the_same_and_leave_nothing_out() {
        let cost = |place: usize| 1.0 + (place % 7) as f64;
        let pieces = row(20_000, |place| Piece {
            cost: cost(place),
            is_link: true,
            follows: place > 0,
            reads: place.checked_sub(1).map(|before| (before, 0.5)).into_iter().collect(),
            ..Piece::default()
        });
        let units = units(&pieces);
        assert!((100..=MOST).contains(&units.len()), "{}", units.len());
        assert!(units.windows(2).all(|pair| pair[0].to == pair[1].from));
        assert_eq!((units[0].from, units[units.len() - 1].to), (0, 20_000));
        let total: f64 = (0..20_000).map(cost).sum();
        for (place, unit) in units.iter().enumerate() {
            assert!(unit.cost < 1.1 * total / (MOST / 2) as f64 && unit.can_share);
            let reads: &[(usize, f64)] = if place > 0 { &[(place - 1, 0.5)] } else { &[] };
            assert_eq!(unit.reads, reads, "what comes from the unit itself costs nothing");
        }
    }

    #[test]
    fn units_are_of_whole_chains_where_there_are_many() {
        let pieces = row(6_000, |place| Piece {
            cost: 1.0,
            is_link: true,
            follows: place % 3 > 0,
            has_state: place % 3 == 2,
            carrying: 0.1,
            ..Piece::default()
        });
        let units = units(&pieces);
        assert!(units.len() <= MOST);
        assert!(
            units.iter().all(|unit| unit.from % 3 == 0 && unit.ends_with_state && !unit.begins_with_state)
        );
        assert!((units[0].in_order - 1.1).abs() < 1e-9);
    }

    #[test]
    fn pieces_that_are_tied_stay_in_one_unit() {
        let pieces = row(10_000, |place| Piece { cost: 1.0, tied: place > 0, ..Piece::default() });
        assert_eq!(units(&pieces).len(), 1);
    }
}
