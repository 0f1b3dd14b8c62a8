//! Copies between a stream of the host and the device without staging memory: what is copied is lent by the stream.

use std::collections::VecDeque;

use crate::backend::{Backend, Flight, Locked};

/// What a stream has lent, on its way in order.
pub(super) struct Flights<B: Backend, L> {
    pub locked: Box<dyn Locked<B>>,
    flights: VecDeque<Box<dyn Flight<L, B::Error>>>,
    most: usize,
}

impl<B: Backend, L> Flights<B, L> {
    pub fn new(locked: Box<dyn Locked<B>>, most: usize) -> Self {
        Flights { locked, flights: VecDeque::new(), most }
    }

    pub fn len(&self) -> usize {
        self.flights.len()
    }

    pub fn is_full(&self) -> bool {
        self.flights.len() >= self.most
    }

    pub fn push(&mut self, flight: Box<dyn Flight<L, B::Error>>) {
        self.flights.push_back(flight);
    }

    /// The oldest, if its copy is done.
    pub fn land(&mut self) -> Result<Option<L>, B::Error> {
        match self.flights.front() {
            Some(oldest) if oldest.is_done()? => {
                self.flights.pop_front().map(|oldest| oldest.land()).transpose()
            }
            _ => Ok(None),
        }
    }

    /// Waits for the oldest; false if there is none.
    pub fn wait(&self) -> Result<bool, B::Error> {
        self.flights.front().map_or(Ok(false), |oldest| oldest.wait().map(|()| true))
    }
}
