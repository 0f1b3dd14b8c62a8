//! Puts messages together: what is known about each aircraft.

use std::collections::BTreeMap;

use super::cpr::{self, Cpr, Position};
use super::decode::Message;
use super::extended::{Extended, Motion, round_direction};
use super::field::{Fields, push_some};
use super::frame::Frame;

/// Seconds that an even and an odd position may lie apart.
const PAIR_SECONDS: f64 = 10.0;

/// Feet that an even and an odd position may lie apart; nobody climbs 6000 ft/min for the time of a pair.
///
/// This tells recordings in which silence was cut out, where the indices of a pair are closer than its times.
const PAIR_FEET: u32 = 1000;

/// Seconds for which the last position tells the zone of the next one; no aircraft leaves it in that time.
const REFERENCE_SECONDS: f64 = 60.0;

/// What is known about one aircraft; the newest value of each kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Aircraft {
    /// 24-bit address.
    pub address: u32,
    /// Callsign.
    pub callsign: Option<String>,
    /// Altitude in feet.
    pub altitude_ft: Option<i32>,
    /// Position.
    pub position: Option<Position>,
    /// Sample at which the position was sent.
    pub position_index: Option<u64>,
    /// Speed over ground in knots.
    pub ground_speed_kt: Option<f64>,
    /// Direction of motion in degrees clockwise from true north.
    pub track_deg: Option<f64>,
    /// Rate of climb in feet per minute.
    pub vertical_rate_fpm: Option<i32>,
    /// Squawk, its four octal digits read as a decimal number.
    pub squawk: Option<u16>,
    /// Whether it is on the ground.
    pub on_ground: Option<bool>,
    /// Number of messages.
    pub messages: u64,
    /// Sample of the first message.
    pub first_index: u64,
    /// Sample of the newest message.
    pub last_index: u64,
    /// The newest even and odd position, both in flight or both on the ground.
    pair: [Option<Half>; 2],
    pair_on_ground: bool,
}

/// One position of a pair.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Half {
    cpr: Cpr,
    index: u64,
    altitude_ft: Option<i32>,
}

impl Half {
    /// Whether the aircraft cannot have flown far between the two.
    fn is_near(&self, newer: &Half, samples: u64) -> bool {
        let climb = self.altitude_ft.zip(newer.altitude_ft).map_or(0, |(a, b)| a.abs_diff(b));
        newer.index.saturating_sub(self.index) <= samples && climb <= PAIR_FEET
    }
}

impl Aircraft {
    fn new(address: u32, index: u64) -> Self {
        Self {
            address,
            callsign: None,
            altitude_ft: None,
            position: None,
            position_index: None,
            ground_speed_kt: None,
            track_deg: None,
            vertical_rate_fpm: None,
            squawk: None,
            on_ground: None,
            messages: 0,
            first_index: index,
            last_index: index,
            pair: [None; 2],
            pair_on_ground: false,
        }
    }

    /// Address and everything known, names with units, in a stable order.
    pub fn fields(&self) -> Fields {
        let degrees = |value: f64| (value * 1e5).round() / 1e5;
        let tenths = |value: f64| (value * 10.0).round() / 10.0;
        let mut fields = vec![("icao", format!("{:06x}", self.address).into())];
        push_some(&mut fields, "callsign", self.callsign.as_deref());
        push_some(&mut fields, "squawk", self.squawk.map(|squawk| format!("{squawk:04}")));
        push_some(&mut fields, "altitude_ft", self.altitude_ft);
        push_some(&mut fields, "latitude_deg", self.position.map(|place| degrees(place.latitude_deg)));
        push_some(&mut fields, "longitude_deg", self.position.map(|place| degrees(place.longitude_deg)));
        push_some(&mut fields, "ground_speed_kt", self.ground_speed_kt.map(tenths));
        push_some(&mut fields, "track_deg", self.track_deg.map(round_direction));
        push_some(&mut fields, "vertical_rate_fpm", self.vertical_rate_fpm);
        push_some(&mut fields, "on_ground", self.on_ground);
        fields.push(("messages", i64::try_from(self.messages).unwrap_or(i64::MAX).into()));
        fields.push(("last_sample_index", i64::try_from(self.last_index).unwrap_or(i64::MAX).into()));
        fields
    }

    /// Takes a coded position in and returns the place, if it can be determined.
    fn locate(&mut self, half: Half, on_ground: bool, settled: &Settled) -> Option<Position> {
        let Half { cpr, index, .. } = half;
        if self.pair_on_ground != on_ground {
            self.pair = [None; 2];
            self.pair_on_ground = on_ground;
        }
        self.pair[usize::from(cpr.odd)] = Some(half);
        let other = self.pair[usize::from(!cpr.odd)];
        let partner = other.filter(|other| other.is_near(&half, settled.pair_samples)).map(|other| other.cpr);
        let recent =
            self.position_index.is_some_and(|at| index.saturating_sub(at) <= settled.reference_samples);
        let last = self.position.filter(|_| recent);
        let position = if on_ground {
            let reference = last.or(settled.receiver);
            let pair = || cpr::global_surface(partner?, cpr, reference?);
            pair().or_else(|| cpr::local_surface(cpr, last?))
        } else {
            let pair = || cpr::global_airborne(partner?, cpr);
            pair().or_else(|| cpr::local_airborne(cpr, last?))
        }?;
        self.position = Some(position);
        self.position_index = Some(index);
        Some(position)
    }
}

/// What stays the same while tracking.
#[derive(Debug, Clone)]
struct Settled {
    pair_samples: u64,
    reference_samples: u64,
    receiver: Option<Position>,
}

/// How long an aircraft stays in the table after its last message, in seconds.
const FORGET_SECONDS: f64 = 3600.0;

/// The aircraft heard so far, by address: those of the last hour, and at most [`Tracker::MOST`].
///
/// Addresses cost a sender of false messages nothing, so their number is bounded. Where there are more, half of the table
/// goes: first those that were heard once only, and of these and of the others first those that have been silent longest.
///
/// Time is counted in samples, so the same frames always give the same table.
#[derive(Debug, Clone)]
pub struct Tracker {
    settled: Settled,
    aircraft: BTreeMap<u32, Aircraft>,
    forget_samples: u64,
    /// The index from which on those that have been silent too long are forgotten next.
    sweep_at: u64,
}

impl Tracker {
    /// The most aircraft of a table.
    pub const MOST: usize = 16384;

    /// Makes a table for frames of a stream of `rate_hz` samples per second.
    pub fn new(rate_hz: f64) -> Self {
        let samples = |seconds: f64| (seconds * rate_hz) as u64;
        let (pair_samples, reference_samples) = (samples(PAIR_SECONDS), samples(REFERENCE_SECONDS));
        let settled = Settled { pair_samples, reference_samples, receiver: None };
        Self { settled, aircraft: BTreeMap::new(), forget_samples: samples(FORGET_SECONDS), sweep_at: 0 }
    }

    /// Sets where the receiver is, without which an aircraft first heard on the ground has no position.
    #[must_use]
    pub fn with_receiver(mut self, place: Position) -> Self {
        self.settled.receiver = Some(place);
        self
    }

    /// Takes a message in and returns the position it gives, if it gives one.
    pub fn update(&mut self, frame: &Frame, message: &Message) -> Option<Position> {
        let index = frame.index;
        self.make_room(message.address, index);
        let aircraft =
            self.aircraft.entry(message.address).or_insert_with(|| Aircraft::new(message.address, index));
        aircraft.messages = aircraft.messages.saturating_add(1);
        aircraft.last_index = index;
        let newest = |old: &mut Option<i32>, new: Option<i32>| *old = new.or(*old);
        newest(&mut aircraft.altitude_ft, message.altitude.and_then(|altitude| altitude.feet()));
        aircraft.squawk = message.squawk.or(aircraft.squawk);
        aircraft.on_ground = message.on_ground.or(aircraft.on_ground);
        if message.callsign.is_some() {
            aircraft.callsign.clone_from(&message.callsign);
        }
        match message.extended.as_ref()? {
            Extended::Identification { callsign: Some(callsign), .. } => {
                aircraft.callsign = Some(callsign.clone());
                None
            }
            Extended::SurfacePosition { speed_kt, track_deg, cpr } => {
                aircraft.ground_speed_kt = speed_kt.or(aircraft.ground_speed_kt);
                aircraft.track_deg = track_deg.or(aircraft.track_deg);
                aircraft.locate(Half { cpr: *cpr, index, altitude_ft: None }, true, &self.settled)
            }
            Extended::AirbornePosition { altitude, cpr, .. } => {
                newest(&mut aircraft.altitude_ft, altitude.feet());
                let half = Half { cpr: *cpr, index, altitude_ft: altitude.feet() };
                aircraft.locate(half, false, &self.settled)
            }
            Extended::Velocity { motion, vertical_rate_fpm, .. } => {
                newest(&mut aircraft.vertical_rate_fpm, *vertical_rate_fpm);
                if let Some(Motion::Ground { speed_kt, track_deg }) = *motion {
                    aircraft.ground_speed_kt = Some(speed_kt);
                    aircraft.track_deg = Some(track_deg);
                }
                None
            }
            _ => None,
        }
    }

    /// The aircraft in the order of their addresses.
    pub fn aircraft(&self) -> impl Iterator<Item = &Aircraft> {
        self.aircraft.values()
    }

    /// The aircraft with this address.
    pub fn get(&self, address: u32) -> Option<&Aircraft> {
        self.aircraft.get(&address)
    }

    /// Forgets what has been silent too long, and what is too much where `address` is new.
    fn make_room(&mut self, address: u32, index: u64) {
        if index >= self.sweep_at {
            self.forget_before(index.saturating_sub(self.forget_samples));
            self.sweep_at = index.saturating_add(self.forget_samples / 8);
        }
        if self.aircraft.len() >= Self::MOST && !self.aircraft.contains_key(&address) {
            let worth = |aircraft: &Aircraft| (aircraft.messages > 1, aircraft.last_index);
            let mut by_worth: Vec<_> = self.aircraft.values().map(|it| (worth(it), it.address)).collect();
            by_worth.sort_unstable();
            for (_, address) in &by_worth[..Self::MOST / 2] {
                self.aircraft.remove(address);
            }
        }
    }

    /// Forgets the aircraft that were last heard before sample `index`.
    pub fn forget_before(&mut self, index: u64) {
        self.aircraft.retain(|_, aircraft| aircraft.last_index >= index);
    }
}
