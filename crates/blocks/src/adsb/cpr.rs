//! Compact position reporting: from two 17-bit numbers to latitude and longitude.
//!
//! Latitude and longitude are sent modulo a zone of about 6°, cut finely. Even and odd messages use zones of
//! slightly different size, so two of them together tell the zone; so does a reference position that is near.
//!
//! **Source**: ICAO Doc 9871, C.2.6; RTCA DO-260B, A.1.7; J. Sun, *The 1090 Megahertz Riddle*, ch. 5.

use std::f64::consts::PI;

/// Latitude zones between the equator and a pole.
const ZONES: f64 = 15.0;

/// Steps of a zone.
const STEPS: f64 = 131_072.0;

/// A place on earth, in degrees: north and east are positive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Position {
    /// Latitude in degrees, -90 to 90.
    pub latitude_deg: f64,
    /// Longitude in degrees, -180 to 180 (exclusive).
    pub longitude_deg: f64,
}

/// A position as it is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cpr {
    /// Whether the odd zones are used.
    pub odd: bool,
    /// Latitude within its zone, 17 bits.
    pub latitude: u32,
    /// Longitude within its zone, 17 bits.
    pub longitude: u32,
}

impl Cpr {
    fn fractions(self) -> (f64, f64) {
        (f64::from(self.latitude) / STEPS, f64::from(self.longitude) / STEPS)
    }
}

/// Number of longitude zones at a latitude, 1 to 59:
/// `NL = floor(2π / acos(1 - (1 - cos(π/30)) / cos²(latitude)))`.
pub fn longitude_zones(latitude_deg: f64) -> u32 {
    let latitude = latitude_deg.abs();
    // At the equator and beyond 87° the formula leaves the domain of acos; the standard gives the values.
    if latitude > 87.0 {
        return 1;
    }
    let cosine = (latitude * PI / 180.0).cos();
    let ratio = (1.0 - (PI / (2.0 * ZONES)).cos()) / (cosine * cosine);
    let zones = (2.0 * PI / (1.0 - ratio).clamp(-1.0, 1.0).acos()).floor();
    zones.clamp(1.0, 59.0) as u32
}

/// The position of the newer of an even and an odd message from an aircraft in flight.
///
/// `None` unless one is even and the other odd, if they are from different longitude zones, or if they name no
/// place on earth. The two should be at most 10 s apart.
pub fn global_airborne(older: Cpr, newer: Cpr) -> Option<Position> {
    let (latitudes, fractions) = global_latitudes(older, newer, 360.0)?;
    let latitudes = latitudes.map(|latitude| if latitude >= 270.0 { latitude - 360.0 } else { latitude });
    let latitude_deg = pick_latitude(latitudes, newer)?;
    let longitude_deg = global_longitude(newer.odd, latitude_deg, 360.0, fractions);
    Some(Position { latitude_deg, longitude_deg: wrap(longitude_deg) })
}

/// The position of the newer of an even and an odd message from an aircraft on the ground.
///
/// Zones on the ground are a quarter as large, so of eight candidates the nearest to `reference`, which must be
/// within 45°, is taken. `None` as for [`global_airborne`].
pub fn global_surface(older: Cpr, newer: Cpr, reference: Position) -> Option<Position> {
    let (latitudes, fractions) = global_latitudes(older, newer, 90.0)?;
    let north = pick_latitude(latitudes, newer);
    let south = pick_latitude(latitudes.map(|latitude| latitude - 90.0), newer);
    let distance = |latitude: &f64| (latitude - reference.latitude_deg).abs();
    let nearest = [north, south].into_iter().flatten().min_by(|a, b| distance(a).total_cmp(&distance(b)));
    let latitude_deg = nearest?;
    let longitude = global_longitude(newer.odd, latitude_deg, 90.0, fractions);
    let quadrants = [0.0, 90.0, 180.0, 270.0].map(|turn| wrap(longitude + turn));
    let distance = |longitude: &f64| wrap(longitude - reference.longitude_deg).abs();
    let longitude_deg = quadrants.into_iter().min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
    Some(Position { latitude_deg, longitude_deg })
}

/// The position in flight that is nearest to `reference`, which must be within about 180 nautical miles.
pub fn local_airborne(cpr: Cpr, reference: Position) -> Option<Position> {
    local(cpr, reference, 360.0)
}

/// The position on the ground that is nearest to `reference`, which must be within about 45 nautical miles.
pub fn local_surface(cpr: Cpr, reference: Position) -> Option<Position> {
    local(cpr, reference, 90.0)
}

/// Latitudes by the even and by the odd message, and the fraction pair (even, odd) of the longitudes.
fn global_latitudes(older: Cpr, newer: Cpr, turn: f64) -> Option<([f64; 2], (f64, f64))> {
    let (even, odd) = match (older.odd, newer.odd) {
        (false, true) => (older, newer),
        (true, false) => (newer, older),
        _ => return None,
    };
    let ((even_latitude, even_longitude), (odd_latitude, odd_longitude)) =
        (even.fractions(), odd.fractions());
    let zone = (59.0 * even_latitude - 60.0 * odd_latitude + 0.5).floor();
    let latitude = |count: f64, fraction: f64| turn / count * (zone.rem_euclid(count) + fraction);
    Some(([latitude(60.0, even_latitude), latitude(59.0, odd_latitude)], (even_longitude, odd_longitude)))
}

/// The latitude of the newer message, if both are of the same longitude zone and on earth.
fn pick_latitude(latitudes: [f64; 2], newer: Cpr) -> Option<f64> {
    let on_earth = latitudes.iter().all(|latitude| (-90.0..=90.0).contains(latitude));
    let same_zone = longitude_zones(latitudes[0]) == longitude_zones(latitudes[1]);
    (on_earth && same_zone).then_some(latitudes[usize::from(newer.odd)])
}

/// The longitude in the zones of the newer message, from the fractions of the even and the odd one.
fn global_longitude(newer_is_odd: bool, latitude: f64, turn: f64, (even, odd): (f64, f64)) -> f64 {
    let zones = f64::from(longitude_zones(latitude));
    let count = if newer_is_odd { (zones - 1.0).max(1.0) } else { zones };
    let zone = (even * (zones - 1.0) - odd * zones + 0.5).floor();
    let fraction = if newer_is_odd { odd } else { even };
    turn / count * (zone.rem_euclid(count) + fraction)
}

fn local(cpr: Cpr, reference: Position, turn: f64) -> Option<Position> {
    let Position { latitude_deg: latitude, longitude_deg: longitude } = reference;
    if !(-90.0..=90.0).contains(&latitude) || !longitude.is_finite() {
        return None;
    }
    let (latitude_fraction, longitude_fraction) = cpr.fractions();
    // The multiple of `size`, plus the fraction of it sent, that is nearest to the reference.
    let nearest = |size: f64, fraction: f64, near: f64| size * ((near / size - fraction).round() + fraction);
    let odd = if cpr.odd { 1.0 } else { 0.0 };
    let latitude_deg = nearest(turn / (4.0 * ZONES - odd), latitude_fraction, latitude);
    if !(-90.0..=90.0).contains(&latitude_deg) {
        return None;
    }
    let count = (f64::from(longitude_zones(latitude_deg)) - odd).max(1.0);
    let longitude_deg = wrap(nearest(turn / count, longitude_fraction, longitude));
    Some(Position { latitude_deg, longitude_deg })
}

/// Brings a longitude into -180 to 180 (exclusive).
fn wrap(longitude: f64) -> f64 {
    (longitude + 180.0).rem_euclid(360.0) - 180.0
}

#[cfg(test)]
mod tests {
    use super::*;

    // 8D40621D58C382D690C8AC2863A7 and 8D40621D58C386435CC412692AD6.
    const EVEN: Cpr = Cpr { odd: false, latitude: 93_000, longitude: 51_372 };
    const ODD: Cpr = Cpr { odd: true, latitude: 74_158, longitude: 50_194 };

    fn assert_near(got: Option<Position>, latitude: f64, longitude: f64, tolerance: f64) {
        let got = got.expect("a position");
        let off = (got.latitude_deg - latitude).abs().max(wrap(got.longitude_deg - longitude).abs());
        assert!(off < tolerance, "{got:?} is not {latitude}, {longitude}");
    }

    /// What an aircraft at `place` sends.
    fn encode(place: Position, odd: bool, turn: f64) -> Cpr {
        let steps = |size: f64, value: f64| {
            ((value.rem_euclid(size) / size * STEPS + 0.5).floor() as u32) % (STEPS as u32)
        };
        let minus = if odd { 1.0 } else { 0.0 };
        let size = turn / (4.0 * ZONES - minus);
        let latitude = steps(size, place.latitude_deg);
        let sent = size * (f64::from(latitude) / STEPS + (place.latitude_deg / size).floor());
        let count = (f64::from(longitude_zones(sent)) - minus).max(1.0);
        Cpr { odd, latitude, longitude: steps(turn / count, place.longitude_deg) }
    }

    #[test]
    fn the_published_pair_gives_the_published_position() {
        assert_near(global_airborne(ODD, EVEN), 52.257_202, 3.919_373, 1e-5);
        assert_near(global_airborne(EVEN, ODD), 52.265_78, 3.938_9, 1e-3);
    }

    #[test]
    fn a_near_reference_gives_the_same_position_as_a_pair() {
        let reference = Position { latitude_deg: 52.258, longitude_deg: 3.918 };
        assert_near(local_airborne(EVEN, reference), 52.257_202, 3.919_373, 1e-5);
    }

    #[test]
    fn two_messages_of_the_same_kind_give_no_position() {
        assert_eq!(global_airborne(EVEN, EVEN), None);
        assert_eq!(global_airborne(ODD, ODD), None);
    }

    #[test]
    fn the_number_of_longitude_zones_changes_where_the_standard_says() {
        assert_eq!(longitude_zones(0.0), 59);
        for (latitude, zones) in [(10.470_471_3_f64, 59), (52.257_2, 36), (-52.257_2, 36), (86.535_369_97, 3)]
        {
            assert_eq!(longitude_zones(latitude - latitude.signum() * 1e-6), zones, "{latitude}");
        }
        assert_eq!(longitude_zones(10.470_472), 58);
        assert_eq!(longitude_zones(86.535_371), 2);
        assert_eq!(longitude_zones(87.1), 1);
    }

    #[test]
    fn positions_all_over_the_earth_come_back() {
        for latitude in -17..=17 {
            for longitude in -35..36 {
                let latitude_deg = f64::from(latitude) * 5.03;
                let place = Position { latitude_deg, longitude_deg: f64::from(longitude) * 5.11 };
                let near = Position {
                    latitude_deg: place.latitude_deg + 0.2,
                    longitude_deg: wrap(place.longitude_deg + 0.2),
                };
                let (even, odd) = (encode(place, false, 360.0), encode(place, true, 360.0));
                let want = (place.latitude_deg, place.longitude_deg);
                assert_near(global_airborne(even, odd), want.0, want.1, 0.01);
                assert_near(local_airborne(odd, near), want.0, want.1, 0.01);
                let (even, odd) = (encode(place, false, 90.0), encode(place, true, 90.0));
                assert_near(global_surface(odd, even, near), want.0, want.1, 0.01);
                assert_near(local_surface(even, near), want.0, want.1, 0.01);
            }
        }
    }
}
