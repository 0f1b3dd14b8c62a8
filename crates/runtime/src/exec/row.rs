//! How a worker carries what it takes through all units of its region.
//!
//! The units stand in a row, as the streams flow, with rings between them. A worker takes some strips at the head of the row,
//! its *claim*. It goes with them from unit to unit, so that they stay in its own cache. The other workers follow with claims
//! of their own. One worker at a time has a lane: who comes next waits a moment for it. All workers may have claims in a chain
//! at once.
//!
//! At the head it stays for as long as its last claim took through the other units, and [`WAIT_FOR_TURN`] at least: what a source
//! gives that waits for its items does not wait for as many as a claim could take.
//!
//! A claim is a position in each ring: up to there, the items are this worker's to take. The rings keep the items in order, and
//! a lane's lock keeps workers apart, so nothing but speed depends on claims. A worker that has waited for too long leaves its
//! items to whoever has the lane, and goes on.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::rings::{Input, Rings};
use super::spin::WAIT_FOR_TURN;
use super::unit::Unit;
use crate::stream::buffer::RingId;

/// The units of a region as one of its workers sees them: what is its to take of what lies between them.
#[derive(Debug, Default)]
pub(super) struct Row {
    units: Vec<UnitClaim>,
    /// How many strips a claim takes at the head: the same for all workers, so that none waits for another's longer one.
    strips: Arc<AtomicUsize>,
    /// How many at most: the caches have to hold them, for every worker and ring.
    most: usize,
    /// How long this worker has been at the head with the claim that it carries, and was behind it with the one before.
    at_head: Duration,
    behind: Duration,
}

#[derive(Debug, Default)]
struct UnitClaim {
    /// Per ring that the unit reads, the position up to which the items are this worker's to take.
    ends: Vec<u64>,
    /// Who reads what the unit writes: the unit, and which of its inputs.
    readers: Vec<(usize, usize)>,
    /// No unit of the row writes what it reads.
    is_head: bool,
}

impl Row {
    /// Claims that take less than this are made longer, so that handing over vanishes in them; those that take more than eight
    /// times as long are made shorter, so that nobody has to wait for long.
    const TIME: Duration = Duration::from_micros(200);

    pub fn new(units: &[Unit], strips: &Arc<AtomicUsize>, most: usize) -> Self {
        let readers_of = |ring: &RingId| {
            let inputs = units.iter().enumerate().flat_map(|(unit, reader)| {
                reader
                    .rings()
                    .read
                    .iter()
                    .enumerate()
                    .map(move |(input, ring)| (unit, input, ring.gauge.ring_id()))
            });
            let ring = *ring;
            inputs.filter(move |(.., read)| *read == ring).map(|(unit, input, _)| (unit, input))
        };
        let is_fed =
            |input: &Input| units.iter().any(|unit| unit.rings().written.contains(&input.gauge.ring_id()));
        let unit = |unit: &Unit| UnitClaim {
            ends: vec![0; unit.rings().read.len()],
            readers: unit.rings().written.iter().flat_map(readers_of).collect(),
            is_head: !unit.rings().read.iter().any(is_fed),
        };
        Row {
            units: units.iter().map(unit).collect(),
            strips: strips.clone(),
            most,
            at_head: Duration::ZERO,
            behind: Duration::ZERO,
        }
    }

    /// How many strips the unit may take at most.
    pub fn strips(&self, unit: usize) -> usize {
        if self.units[unit].is_head { self.strips.load(Ordering::Relaxed) } else { usize::MAX }
    }

    /// Whether no unit of the row writes what this one reads.
    pub fn is_head(&self, unit: usize) -> bool {
        self.units[unit].is_head
    }

    /// The position in the first ring that the unit reads up to which the items are this worker's; `None` at the head.
    pub fn end(&self, unit: usize) -> Option<u64> {
        let claim = &self.units[unit];
        claim.ends.first().copied().filter(|_| !claim.is_head)
    }

    /// Whether a unit has taken all that is this worker's, but for as much as it leaves each time.
    pub fn is_through(&self, unit: usize, rings: &Rings) -> bool {
        let claim = &self.units[unit];
        let is_taken = |(input, end): (&Input, &u64)| {
            input.gauge.has_read(end.saturating_sub(input.left.load(Ordering::Relaxed)))
        };
        !claim.is_head && rings.read.iter().zip(&claim.ends).all(is_taken)
    }

    /// Notes what a unit has left of what is this worker's: it needs more to go on.
    pub fn note_left(&self, unit: usize, rings: &Rings) {
        for (input, end) in rings.read.iter().zip(&self.units[unit].ends) {
            input.left.store(end.saturating_sub(input.gauge.read()), Ordering::Relaxed);
        }
    }

    /// What a unit has written is this worker's. To be called before another worker may write more.
    pub fn take_along(&mut self, unit: usize, units: &[Unit]) {
        for place in 0..self.units[unit].readers.len() {
            let (reader, input) = self.units[unit].readers[place];
            self.units[reader].ends[input] = units[reader].rings().read[input].gauge.written();
        }
    }

    /// The worker goes to the head: from when on its claim is timed.
    pub fn begin(&mut self) -> Instant {
        self.at_head = Duration::ZERO;
        Instant::now()
    }

    /// How long to stay at the head.
    pub fn stay(&self) -> Duration {
        self.behind.max(WAIT_FOR_TURN)
    }

    /// The worker leaves the head, where it has been since then.
    pub fn leave_head(&mut self, since: Option<Instant>) {
        self.at_head += since.map_or(Duration::ZERO, |since| since.elapsed());
    }

    /// Notes how long a claim took through the whole row.
    pub fn note(&mut self, took: Duration) {
        self.behind = took.saturating_sub(self.at_head);
        let strips = self.strips.load(Ordering::Relaxed);
        if took < Self::TIME && strips < self.most {
            self.strips.store((strips * 2).min(self.most), Ordering::Relaxed);
        } else if (took > 8 * Self::TIME && strips > 1) || strips > self.most {
            self.strips.store(strips / 2, Ordering::Relaxed);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::unit::LaneUnit;
    use super::*;
    use crate::data::ItemType;
    use crate::stream::buffer::{RingReader, RingSpec, RingWriter, ring};

    /// A ring between two units.
    fn row() -> (RingWriter, RingReader, Vec<Unit>) {
        let spec = RingSpec {
            capacity: 100,
            writer_min: 1,
            reader_min: 1,
            histories: vec![3],
            ..RingSpec::default()
        };
        let (writer, mut readers) = ring(ItemType::of::<u32>(), &spec, None).unwrap();
        let reader = readers.remove(0).unwrap();
        let unit = |rings| Unit::Lane(Box::new(LaneUnit::of_rings(rings)));
        let writing = Rings { read: Vec::new(), written: vec![writer.ring_id()] };
        let reading = Rings { read: vec![Input::new(reader.gauge())], written: Vec::new() };
        (writer, reader, vec![unit(writing), unit(reading)])
    }

    #[test]
    fn each_worker_takes_what_it_has_brought_along() {
        let (mut writer, mut reader, units) = row();
        let strips = Arc::new(AtomicUsize::new(1));
        let (mut first, mut second) = (Row::new(&units, &strips, 4), Row::new(&units, &strips, 4));
        let is_through = |row: &Row| row.is_through(1, units[1].rings());
        for row in [&mut first, &mut second] {
            writer.produce(10);
            row.take_along(0, &units);
        }
        reader.refresh(usize::MAX);
        assert!(!is_through(&first) && !is_through(&second));
        reader.consume(10);
        assert!(is_through(&first) && !is_through(&second));
        reader.consume(10);
        assert!(is_through(&second));
    }

    #[test]
    fn what_a_block_leaves_each_time_is_not_waited_for() {
        let (mut writer, mut reader, units) = row();
        let mut row = Row::new(&units, &Arc::new(AtomicUsize::new(1)), 4);
        writer.produce(10);
        row.take_along(0, &units);
        reader.refresh(usize::MAX);
        reader.consume(6);
        assert!(!row.is_through(1, units[1].rings()));
        row.note_left(1, units[1].rings());
        writer.produce(10);
        row.take_along(0, &units);
        reader.refresh(usize::MAX);
        reader.consume(9);
        assert!(!row.is_through(1, units[1].rings()));
        reader.consume(1);
        assert!(row.is_through(1, units[1].rings()), "four items are left again");
    }

    #[test]
    fn a_reader_that_reads_no_more_is_through() {
        let (mut writer, reader, units) = row();
        let mut row = Row::new(&units, &Arc::new(AtomicUsize::new(1)), 4);
        writer.produce(10);
        row.take_along(0, &units);
        reader.close();
        assert!(row.is_through(1, units[1].rings()));
    }

    #[test]
    fn claims_get_as_long_as_makes_them_worth_while() {
        let (_writer, _reader, units) = row();
        let strips = Arc::new(AtomicUsize::new(1));
        let mut row = Row::new(&units, &strips, 4);
        (0..10).for_each(|_| row.note(Duration::from_micros(5)));
        assert_eq!((row.strips(0), row.strips(1)), (4, usize::MAX));
        (0..10).for_each(|_| row.note(Duration::from_millis(5)));
        assert_eq!(row.strips(0), 1);
    }

    #[test]
    fn a_worker_stays_at_the_head_for_as_long_as_its_claim_takes_behind_it() {
        let (_writer, _reader, units) = row();
        let mut row = Row::new(&units, &Arc::new(AtomicUsize::new(1)), 4);
        assert_eq!(row.stay(), WAIT_FOR_TURN);
        row.begin();
        row.note(Duration::from_micros(150));
        assert_eq!(row.stay(), Duration::from_micros(150));
        let since = row.begin() - Duration::from_micros(140);
        row.leave_head(Some(since));
        row.note(Duration::from_micros(150));
        assert_eq!(row.stay(), WAIT_FOR_TURN, "what a slow source gives goes on");
    }
}
