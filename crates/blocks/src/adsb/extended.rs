//! The 56 bits of an extended squitter: identification, position, velocity, status.

use super::altitude::{Altitude, altitude_12, squawk};
use super::cpr::Cpr;
use super::field::{Fields, push_some};
use super::frame::Frame;

/// Where the ME field begins in a DF17 or DF18.
const ME: usize = 32;

/// Which instrument an altitude or a vertical rate is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Air pressure.
    Barometric,
    /// Satellite navigation: height above the ellipsoid.
    Gnss,
}

impl Source {
    fn name(self) -> &'static str {
        match self {
            Source::Barometric => "barometric",
            Source::Gnss => "gnss",
        }
    }
}

/// Speed and direction over ground or through the air.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Motion {
    /// Subtypes 1 and 2.
    Ground {
        /// Speed over ground in knots.
        speed_kt: f64,
        /// Direction of the motion in degrees clockwise from true north, 0 to 360 (exclusive).
        track_deg: f64,
    },
    /// Subtypes 3 and 4.
    Air {
        /// Speed through the air in knots, if known.
        speed_kt: Option<u32>,
        /// Whether the speed is true airspeed and not indicated airspeed.
        true_airspeed: bool,
        /// Direction of the nose in degrees clockwise from north, if known.
        heading_deg: Option<f64>,
    },
}

/// What an extended squitter says.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Extended {
    /// Type codes 1 to 4.
    Identification {
        /// Up to eight characters; `None` if one of them has no meaning.
        callsign: Option<String>,
        /// Emitter category, set A to D and number, such as `A3`.
        category: String,
    },
    /// Type codes 5 to 8.
    SurfacePosition {
        /// Speed over ground in knots, if known; 175 means 175 or more.
        speed_kt: Option<f64>,
        /// Direction in degrees clockwise from true north, if known.
        track_deg: Option<f64>,
        /// The position, coded.
        cpr: Cpr,
    },
    /// Type codes 9 to 18 and 20 to 22.
    AirbornePosition {
        /// Altitude or height.
        altitude: Altitude,
        /// Where the altitude is from.
        source: Source,
        /// Surveillance status: 1 permanent alert, 2 temporary alert, 3 special position identification.
        surveillance_status: u8,
        /// The position, coded.
        cpr: Cpr,
    },
    /// Type code 19, subtypes 1 to 4.
    Velocity {
        /// Speed and direction, if known.
        motion: Option<Motion>,
        /// Rate of climb in feet per minute, if known.
        vertical_rate_fpm: Option<i32>,
        /// Where the rate of climb is from.
        vertical_source: Source,
        /// Height above the ellipsoid minus barometric altitude in feet, if known.
        gnss_above_barometric_ft: Option<i32>,
    },
    /// Type code 28, subtype 1.
    Emergency {
        /// 0 none, 1 general, 2 medical, 3 fuel, 4 radio, 5 interference, 6 downed, 7 reserved.
        state: u8,
        /// Squawk, its four octal digits read as a decimal number.
        squawk: u16,
    },
    /// Type code 29, subtype 1.
    TargetState {
        /// Altitude selected in the cockpit in feet, if known.
        selected_altitude_ft: Option<u32>,
        /// Pressure set on the altimeter in hectopascals, if known.
        pressure_setting_hpa: Option<f64>,
        /// Heading selected in the cockpit in degrees, if known.
        selected_heading_deg: Option<f64>,
    },
    /// Type code 31, subtypes 0 (in flight) and 1 (on the ground).
    OperationalStatus {
        /// ADS-B version: 0 DO-260, 1 DO-260A, 2 DO-260B.
        version: u8,
        /// Navigation accuracy category for position, 0 to 15.
        position_accuracy: u8,
    },
    /// Anything else.
    Other {
        /// Type code, 0 to 31.
        type_code: u8,
    },
}

impl Extended {
    /// Decodes the ME field of a 112-bit frame.
    pub(super) fn decode(frame: &Frame) -> Self {
        let me = |first: usize, len: usize| frame.bits_at(ME + first, len);
        let type_code = me(0, 5) as u8;
        let subtype = me(5, 3);
        let cpr = Cpr { odd: me(21, 1) == 1, latitude: me(22, 17), longitude: me(39, 17) };
        match type_code {
            1..=4 => {
                let set = char::from(b'A' + (4 - type_code));
                Extended::Identification {
                    callsign: callsign(frame, ME + 8),
                    category: format!("{set}{subtype}"),
                }
            }
            5..=8 => Extended::SurfacePosition {
                speed_kt: surface_speed_kt(me(5, 7)),
                track_deg: (me(12, 1) == 1).then(|| f64::from(me(13, 7)) * 360.0 / 128.0),
                cpr,
            },
            9..=18 | 20..=22 => Extended::AirbornePosition {
                altitude: altitude_12(me(8, 12)),
                source: if type_code < 20 { Source::Barometric } else { Source::Gnss },
                surveillance_status: me(5, 2) as u8,
                cpr,
            },
            19 if (1..=4).contains(&subtype) => velocity(me, subtype),
            28 if subtype == 1 => Extended::Emergency { state: me(8, 3) as u8, squawk: squawk(me(11, 13)) },
            29 if me(5, 2) == 1 => Extended::TargetState {
                selected_altitude_ft: me(9, 11).checked_sub(1).map(|steps| steps * 32),
                pressure_setting_hpa: me(20, 9)
                    .checked_sub(1)
                    .map(|steps| (8000 + steps * 8).into())
                    .map(tenth),
                selected_heading_deg: (me(29, 1) == 1).then(|| f64::from(me(30, 9)) * 180.0 / 256.0),
            },
            31 if subtype < 2 => {
                Extended::OperationalStatus { version: me(40, 3) as u8, position_accuracy: me(44, 4) as u8 }
            }
            _ => Extended::Other { type_code },
        }
    }

    /// Appends what is known, names with units.
    pub(super) fn push_fields(&self, fields: &mut Fields) {
        match self {
            Extended::Identification { callsign, category } => {
                fields.push(("kind", "identification".into()));
                push_some(fields, "callsign", callsign.as_deref());
                fields.push(("category", category.as_str().into()));
            }
            Extended::SurfacePosition { speed_kt, track_deg, cpr } => {
                fields.push(("kind", "surface_position".into()));
                push_some(fields, "ground_speed_kt", *speed_kt);
                push_some(fields, "track_deg", *track_deg);
                push_cpr(fields, *cpr);
            }
            Extended::AirbornePosition { altitude, source, surveillance_status, cpr } => {
                fields.push(("kind", "airborne_position".into()));
                push_some(fields, "altitude_ft", altitude.feet());
                fields.push(("altitude_source", source.name().into()));
                fields.push(("surveillance_status", (*surveillance_status).into()));
                push_cpr(fields, *cpr);
            }
            Extended::Velocity { motion, vertical_rate_fpm, vertical_source, gnss_above_barometric_ft } => {
                fields.push(("kind", "velocity".into()));
                match *motion {
                    Some(Motion::Ground { speed_kt, track_deg }) => {
                        fields.push(("ground_speed_kt", tenth((speed_kt * 10.0).round()).into()));
                        fields.push(("track_deg", round_direction(track_deg).into()));
                    }
                    Some(Motion::Air { speed_kt, true_airspeed, heading_deg }) => {
                        let name = if true_airspeed { "true_airspeed_kt" } else { "indicated_airspeed_kt" };
                        push_some(fields, name, speed_kt);
                        push_some(fields, "heading_deg", heading_deg.map(round_direction));
                    }
                    None => {}
                }
                push_some(fields, "vertical_rate_fpm", *vertical_rate_fpm);
                fields.push(("vertical_rate_source", vertical_source.name().into()));
                push_some(fields, "gnss_above_barometric_ft", *gnss_above_barometric_ft);
            }
            Extended::Emergency { state, .. } => {
                fields.push(("kind", "emergency".into()));
                fields.push(("emergency_state", (*state).into()));
            }
            Extended::TargetState { selected_altitude_ft, pressure_setting_hpa, selected_heading_deg } => {
                fields.push(("kind", "target_state".into()));
                push_some(fields, "selected_altitude_ft", *selected_altitude_ft);
                push_some(fields, "pressure_setting_hpa", *pressure_setting_hpa);
                push_some(fields, "selected_heading_deg", *selected_heading_deg);
            }
            Extended::OperationalStatus { version, position_accuracy } => {
                fields.push(("kind", "operational_status".into()));
                fields.push(("adsb_version", (*version).into()));
                fields.push(("position_accuracy", (*position_accuracy).into()));
            }
            Extended::Other { type_code } => {
                fields.push(("kind", "other".into()));
                fields.push(("type_code", (*type_code).into()));
            }
        }
    }
}

/// Eight characters of six bits from bit `first` on, without the spaces at the end.
///
/// `None` if a character has no meaning, or if nothing but spaces is there.
pub(super) fn callsign(frame: &Frame, first: usize) -> Option<String> {
    let character = |n: usize| match frame.bits_at(first + 6 * n, 6) as u8 {
        letter @ 1..=26 => Some(char::from(b'A' - 1 + letter)),
        digit_or_space @ (32 | 48..=57) => Some(char::from(digit_or_space)),
        _ => None,
    };
    let text: Option<String> = (0..8).map(character).collect();
    Some(text?.trim_end().to_owned()).filter(|text| !text.is_empty())
}

/// A whole number of tenths as a number; the division is exact to the last digit shown.
fn tenth(tenths: f64) -> f64 {
    tenths / 10.0
}

/// A direction to a tenth of a degree, below 360.
pub(super) fn round_direction(degrees: f64) -> f64 {
    tenth((degrees * 10.0).round().rem_euclid(3600.0))
}

fn push_cpr(fields: &mut Fields, cpr: Cpr) {
    fields.push(("cpr_odd", cpr.odd.into()));
    fields.push(("cpr_latitude", cpr.latitude.into()));
    fields.push(("cpr_longitude", cpr.longitude.into()));
}

/// Speed on the ground in knots; the steps grow with the speed.
fn surface_speed_kt(code: u32) -> Option<f64> {
    let steps = |first: u32, from: f64, step: f64| Some(from + f64::from(code - first) * step);
    match code {
        1 => Some(0.0),
        2..=8 => steps(2, 0.125, 0.125),
        9..=12 => steps(9, 1.0, 0.25),
        13..=38 => steps(13, 2.0, 0.5),
        39..=93 => steps(39, 15.0, 1.0),
        94..=108 => steps(94, 70.0, 2.0),
        109..=123 => steps(109, 100.0, 5.0),
        124 => Some(175.0),
        _ => None,
    }
}

/// Type code 19: numbers are sent plus one, 0 means unknown; even subtypes count in steps of 4 kt.
fn velocity(me: impl Fn(usize, usize) -> u32, subtype: u32) -> Extended {
    let signed = |sign: usize, len: usize, step: i32| {
        let value = (me(sign + 1, len).checked_sub(1)? as i32) * step;
        Some(if me(sign, 1) == 1 { -value } else { value })
    };
    let step = if subtype.is_multiple_of(2) { 4 } else { 1 };
    let motion = if subtype <= 2 {
        let (east, north) = (signed(13, 10, step), signed(24, 10, step));
        east.zip(north).map(|(east, north)| {
            let (east, north) = (f64::from(east), f64::from(north));
            let degrees = east.atan2(north).to_degrees();
            let track_deg = if degrees < 0.0 { degrees + 360.0 } else { degrees };
            Motion::Ground { speed_kt: east.hypot(north), track_deg }
        })
    } else {
        let speed_kt = me(25, 10).checked_sub(1).map(|speed| speed * step as u32);
        let heading_deg = (me(13, 1) == 1).then(|| f64::from(me(14, 10)) * 360.0 / 1024.0);
        let known = speed_kt.is_some() || heading_deg.is_some();
        known.then_some(Motion::Air { speed_kt, true_airspeed: me(24, 1) == 1, heading_deg })
    };
    Extended::Velocity {
        motion,
        vertical_rate_fpm: signed(36, 9, 64),
        vertical_source: if me(35, 1) == 1 { Source::Barometric } else { Source::Gnss },
        gnss_above_barometric_ft: signed(48, 7, 25),
    }
}
