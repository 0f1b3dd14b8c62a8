//! What a worker does for its region beside its units: it looks for a better partition, takes part or stands aside, or stands by.

use super::region::Region;
use super::shared::Shared;
use super::unit::Unit;
use super::worker::Worker;
use crate::data::RunError;

impl Worker {
    /// Looks whether other lanes, or another number of workers, would be faster.
    #[inline]
    pub(super) fn decide(&mut self) {
        if !self.worker_count.is_on_trial() && self.balance.is_due() {
            self.rebalance();
        }
        if self.region.workers > 1 && !self.balance.is_on_trial() {
            self.try_worker_count();
        }
    }

    /// Has the blocks partitioned anew where that promises more, or where what was promised has not come.
    #[cold]
    fn rebalance(&mut self) {
        let Some((lanes, plans)) = self.balance.lanes(&self.shared) else { return };
        let asked = self.shared.safepoint.ask(Box::new(move |shared: &Shared| {
            if let Some(partition) = shared.partition().as_mut()
                && let Err(error) = partition.rebalance(lanes, plans)
            {
                shared.give_up(error);
            }
        }));
        if asked.is_some() {
            self.shared.wake_all();
        }
    }

    /// Sleeps until the graph is planned again, or ends.
    #[cold]
    pub(super) fn stand_by(&self) -> Result<(), RunError> {
        let state = &self.shared.threads[self.thread];
        state.nap.announce();
        let is_over = || self.units.iter().all(Unit::is_done);
        if is_over() || self.shared.is_cancelled() || self.shared.safepoint.is_requested() {
            state.nap.withdraw();
            return Ok(());
        }
        // The others may all have gone to sleep before they could know that this one has nothing to do.
        if let Some(stuck) = self.shared.goes_to_sleep(self.thread, &[]) {
            state.nap.withdraw();
            return Err(stuck);
        }
        state.nap.sleep(None);
        self.shared.wakes_up(self.thread);
        Ok(())
    }

    /// Has another number of workers take part, where that is faster or is to be tried.
    fn try_worker_count(&mut self) {
        let Some(workers) = self.worker_count.look(&self.region, &self.shared) else { return };
        let usual = self.region.taking_part();
        self.region.set_taking_part(workers);
        // The threads of a region stand in the order of their places.
        let back = self.thread + usual.min(workers)..self.thread + workers;
        self.shared.threads[back].iter().for_each(|thread| {
            thread.nap.wake();
        });
    }

    /// Leaves the units to the region's other workers for a while, where those are enough, or others have this one's processor.
    pub(super) fn stand_aside(&mut self) {
        let region = &self.region;
        if region.on_duty() < 2 {
            return;
        }
        let (going, taking_part) = (region.going(), region.taking_part());
        let is_one_too_many = self.place >= taking_part && going > taking_part;
        let is_surplus = going > region.processors;
        let (time, stay) = if is_one_too_many {
            (Some(Region::LONGEST_ASIDE), taking_part)
        } else {
            let stay = if is_surplus { region.processors } else { 1 };
            (self.preempted.look(self.is_row, is_surplus), stay)
        };
        let Some(time) = time else { return };
        // The others have memory for as many claims as there are processors.
        for (unit, worker) in self.units.iter().zip(&mut self.chain_workers) {
            if let (Unit::Chain(chain), Some(worker)) = (unit, worker) {
                chain.give_back(worker);
            }
        }
        if !region.step_aside(stay) {
            return;
        }
        let shared = &self.shared;
        let is_over = || shared.is_cancelled() || self.units.iter().all(Unit::is_done);
        let is_called = || is_over() || shared.safepoint.is_requested();
        region.stay_aside(&shared.threads[self.thread].nap, time, is_called);
        self.preempted.restart();
    }
}
