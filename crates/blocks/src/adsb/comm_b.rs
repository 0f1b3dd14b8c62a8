//! The 56 bits of a Comm-B reply: a register of the transponder, whose number the reply does not tell.
//!
//! Three registers begin with their number; the others are told apart by their rules: bits that must be 0, values without their
//! status bit, values that no aircraft has. A register is told only if it is the only one whose rules are kept.
//!
//! **Source**: ICAO Doc 9871, appendix A, tables A-2-16, 23, 32, 48, 64, 68, 80 and 96; J. Sun, *The 1090 Megahertz Riddle*,
//! part II, for the values by which registers are told apart.

use super::extended::callsign;
use super::field::{Fields, push_some};
use super::frame::Frame;

/// Where the MB field begins in a DF20 or DF21.
const MB: usize = 32;

/// The registers that BDS 1,7 has a bit for, in the order of its bits.
const COMMON: [&str; 24] = [
    "0,5", "0,6", "0,7", "0,8", "0,9", "0,A", "2,0", "2,1", "4,0", "4,1", "4,2", "4,3", "4,4", "4,5", "4,8",
    "5,0", "5,1", "5,2", "5,3", "5,4", "5,5", "5,6", "5,F", "6,0",
];

/// What a register says; what its status bits say is missing is `None`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum CommB {
    /// BDS 1,0: what the transponder's data link can do.
    DataLink {
        /// Version of the Mode S subnetwork, 0 to 127.
        subnetwork_version: u8,
        /// Whether the register is continued in the next one.
        continued: bool,
        /// Whether the address may be overlaid on the registers' numbers.
        overlay: bool,
        /// Whether it tells its identification.
        identification: bool,
    },
    /// BDS 1,7: the registers that are there.
    Registers(Vec<&'static str>),
    /// BDS 2,0: the identification.
    Identification {
        /// Up to eight characters.
        callsign: String,
    },
    /// BDS 3,0: an advisory of the collision avoidance system.
    ResolutionAdvisory {
        /// The 14 bits of the advisory.
        advisory: u16,
        /// Which ways must not be taken, 4 bits: below, above, left, right.
        complement: u8,
        /// Whether the advisory has ended.
        terminated: bool,
        /// Whether there is more than one intruder.
        multiple: bool,
        /// Address of the intruder, if it is known by it.
        intruder: Option<u32>,
    },
    /// BDS 4,0: where the aircraft is meant to go.
    VerticalIntention {
        /// Altitude of the mode control panel in feet.
        selected_altitude_ft: Option<u32>,
        /// Altitude of the flight management system in feet.
        managed_altitude_ft: Option<u32>,
        /// Pressure set on the altimeter in hectopascals.
        pressure_setting_hpa: Option<f64>,
    },
    /// BDS 4,4: the weather.
    Weather {
        /// Wind speed in knots and where it comes from in degrees.
        wind: Option<(u32, f64)>,
        /// Static air temperature in degrees Celsius.
        temperature_c: f64,
        /// Static pressure in hectopascals.
        pressure_hpa: Option<u32>,
        /// Turbulence, 0 none to 3 severe.
        turbulence: Option<u8>,
        /// Humidity in percent.
        humidity_percent: Option<f64>,
    },
    /// BDS 5,0: track and turn.
    TrackAndTurn {
        /// Roll in degrees, right wing down is positive.
        roll_deg: Option<f64>,
        /// Direction over ground in degrees, 0 to 360 (exclusive).
        track_deg: Option<f64>,
        /// Speed over ground in knots.
        ground_speed_kt: Option<u32>,
        /// Turn in degrees per second, right is positive.
        track_rate_deg_per_s: Option<f64>,
        /// True airspeed in knots.
        true_airspeed_kt: Option<u32>,
    },
    /// BDS 6,0: heading and speed.
    HeadingAndSpeed {
        /// Magnetic heading in degrees, 0 to 360 (exclusive).
        magnetic_heading_deg: Option<f64>,
        /// Indicated airspeed in knots.
        indicated_airspeed_kt: Option<u32>,
        /// Mach number.
        mach: Option<f64>,
        /// Rate of climb by pressure, in feet per minute.
        barometric_rate_fpm: Option<i32>,
        /// Rate of climb by the inertial platform, in feet per minute.
        inertial_rate_fpm: Option<i32>,
    },
}

/// The MB field, whose bits are counted from 1 as in the tables.
#[derive(Clone, Copy)]
struct Register<'a>(&'a Frame);

impl Register<'_> {
    fn bits(self, first: usize, len: usize) -> u32 {
        self.0.bits_at(MB + first - 1, len)
    }

    fn flag(self, bit: usize) -> bool {
        self.bits(bit, 1) == 1
    }

    /// Two's complement, the sign in bit `first`.
    fn signed(self, first: usize, len: usize) -> i32 {
        let shift = 32 - len;
        (self.bits(first, len) << shift).cast_signed() >> shift
    }

    /// A number with its status bit: `Err` if it has a value that its status denies.
    fn number(self, status: usize, first: usize, len: usize) -> Result<Option<u32>, Broken> {
        self.told(status, first, len, self.bits(first, len))
    }

    /// As [`number`](Self::number), signed.
    fn signed_number(self, status: usize, first: usize, len: usize) -> Result<Option<i32>, Broken> {
        self.told(status, first, len, self.signed(first, len))
    }

    fn told<T>(self, status: usize, first: usize, len: usize, value: T) -> Result<Option<T>, Broken> {
        match self.flag(status) {
            true => Ok(Some(value)),
            false if self.bits(first, len) == 0 => Ok(None),
            false => Err(Broken),
        }
    }

    fn zero(self, first: usize, len: usize) -> Result<(), Broken> {
        rule(self.bits(first, len) == 0)
    }
}

/// A rule of a register that is not kept.
struct Broken;

fn rule(kept: bool) -> Result<(), Broken> {
    if kept { Ok(()) } else { Err(Broken) }
}

impl CommB {
    /// Decodes the MB field of a DF20 or DF21; `None` unless it is of one of these registers alone.
    pub(super) fn decode(frame: &Frame) -> Option<Self> {
        let register = Register(frame);
        match register.bits(1, 8) {
            0x10 if data_link(register).is_ok() => return data_link(register).ok(),
            0x20 => {
                if let Some(callsign) = callsign(frame, MB + 8) {
                    return Some(Self::Identification { callsign });
                }
            }
            0x30 if advisory(register).is_ok() => return advisory(register).ok(),
            _ => {}
        }
        let all = [registers, vertical_intention, weather, track_and_turn, heading_and_speed];
        let mut kept = all.iter().filter_map(|decode| decode(register).ok());
        kept.next().filter(|_| kept.next().is_none())
    }

    /// The register, as in `4,0`.
    pub fn register(&self) -> &'static str {
        match self {
            CommB::DataLink { .. } => "1,0",
            CommB::Registers(_) => "1,7",
            CommB::Identification { .. } => "2,0",
            CommB::ResolutionAdvisory { .. } => "3,0",
            CommB::VerticalIntention { .. } => "4,0",
            CommB::Weather { .. } => "4,4",
            CommB::TrackAndTurn { .. } => "5,0",
            CommB::HeadingAndSpeed { .. } => "6,0",
        }
    }

    /// Appends what it says, names with units.
    pub(super) fn push_fields(&self, fields: &mut Fields) {
        fields.push(("bds", self.register().into()));
        match self {
            CommB::DataLink { subnetwork_version, continued, overlay, identification } => {
                fields.push(("subnetwork_version", (*subnetwork_version).into()));
                fields.push(("is_continued", (*continued).into()));
                fields.push(("has_overlay", (*overlay).into()));
                fields.push(("has_identification", (*identification).into()));
            }
            CommB::Registers(registers) => fields.push(("registers", registers.join(" ").into())),
            CommB::Identification { callsign } => fields.push(("callsign", callsign.as_str().into())),
            CommB::ResolutionAdvisory { advisory, complement, terminated, multiple, intruder } => {
                fields.push(("advisory", format!("{advisory:014b}").into()));
                fields.push(("complement", format!("{complement:04b}").into()));
                fields.push(("terminated", (*terminated).into()));
                fields.push(("multiple", (*multiple).into()));
                push_some(fields, "intruder", intruder.map(|address| format!("{address:06x}")));
            }
            CommB::VerticalIntention { selected_altitude_ft, managed_altitude_ft, pressure_setting_hpa } => {
                push_some(fields, "selected_altitude_ft", *selected_altitude_ft);
                push_some(fields, "managed_altitude_ft", *managed_altitude_ft);
                push_some(fields, "pressure_setting_hpa", *pressure_setting_hpa);
            }
            CommB::Weather { wind, temperature_c, pressure_hpa, turbulence, humidity_percent } => {
                push_some(fields, "wind_speed_kt", wind.map(|wind| wind.0));
                push_some(fields, "wind_from_deg", wind.map(|wind| thousandth(wind.1)));
                fields.push(("temperature_c", (*temperature_c).into()));
                push_some(fields, "pressure_hpa", *pressure_hpa);
                push_some(fields, "turbulence", *turbulence);
                push_some(fields, "humidity_percent", *humidity_percent);
            }
            CommB::TrackAndTurn {
                roll_deg,
                track_deg,
                ground_speed_kt,
                track_rate_deg_per_s,
                true_airspeed_kt,
            } => {
                push_some(fields, "roll_deg", roll_deg.map(thousandth));
                push_some(fields, "track_deg", track_deg.map(thousandth));
                push_some(fields, "ground_speed_kt", *ground_speed_kt);
                push_some(fields, "track_rate_deg_per_s", track_rate_deg_per_s.map(thousandth));
                push_some(fields, "true_airspeed_kt", *true_airspeed_kt);
            }
            CommB::HeadingAndSpeed {
                magnetic_heading_deg,
                indicated_airspeed_kt,
                mach,
                barometric_rate_fpm,
                inertial_rate_fpm,
            } => {
                push_some(fields, "magnetic_heading_deg", magnetic_heading_deg.map(thousandth));
                push_some(fields, "indicated_airspeed_kt", *indicated_airspeed_kt);
                push_some(fields, "mach", mach.map(thousandth));
                push_some(fields, "barometric_rate_fpm", *barometric_rate_fpm);
                push_some(fields, "inertial_rate_fpm", *inertial_rate_fpm);
            }
        }
    }
}

fn thousandth(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

fn degrees(value: i32, unit: f64) -> f64 {
    (f64::from(value) * unit).rem_euclid(360.0)
}

/// BDS 1,0.
fn data_link(register: Register<'_>) -> Result<CommB, Broken> {
    register.zero(10, 5)?;
    Ok(CommB::DataLink {
        subnetwork_version: register.bits(17, 7) as u8,
        continued: register.flag(9),
        overlay: register.flag(15),
        identification: register.flag(33),
    })
}

/// BDS 1,7.
fn registers(register: Register<'_>) -> Result<CommB, Broken> {
    let there: Vec<&str> =
        COMMON.iter().enumerate().filter(|&(n, _)| register.flag(n + 1)).map(|(_, name)| *name).collect();
    // Every aircraft that answers has an identification.
    rule(there.contains(&"2,0"))?;
    register.zero(25, 32)?;
    Ok(CommB::Registers(there))
}

/// BDS 3,0.
fn advisory(register: Register<'_>) -> Result<CommB, Broken> {
    let threat = register.bits(29, 2);
    rule(threat != 3 && register.bits(16, 7) < 48)?;
    Ok(CommB::ResolutionAdvisory {
        advisory: register.bits(9, 14) as u16,
        complement: register.bits(23, 4) as u8,
        terminated: register.flag(27),
        multiple: register.flag(28),
        intruder: (threat == 1).then(|| register.bits(31, 24)),
    })
}

/// BDS 4,0.
fn vertical_intention(register: Register<'_>) -> Result<CommB, Broken> {
    let selected = register.number(1, 2, 12)?;
    let managed = register.number(14, 15, 12)?;
    let pressure = register.number(27, 28, 12)?;
    register.zero(40, 8)?;
    register.zero(52, 2)?;
    register.number(48, 49, 3)?;
    register.number(54, 55, 2)?;
    rule(selected.is_some() || managed.is_some())?;
    let feet = |steps: Option<u32>| steps.map(|steps| steps * 16);
    rule(
        feet(selected).is_none_or(|feet| feet <= 50_000) && feet(managed).is_none_or(|feet| feet <= 50_000),
    )?;
    Ok(CommB::VerticalIntention {
        selected_altitude_ft: feet(selected),
        managed_altitude_ft: feet(managed),
        pressure_setting_hpa: pressure.map(|tenths| f64::from(tenths + 8000) / 10.0),
    })
}

/// BDS 4,4.
fn weather(register: Register<'_>) -> Result<CommB, Broken> {
    // 0 is no source, and above 4 there are none.
    rule((1..=4).contains(&register.bits(1, 4)))?;
    let wind = register.number(5, 6, 18)?;
    let (speed, from) = (register.bits(6, 9), register.bits(15, 9));
    let temperature_c = f64::from(register.signed(24, 11)) * 0.25;
    let pressure = register.number(35, 36, 11)?;
    let turbulence = register.number(47, 48, 2)?;
    let humidity = register.number(50, 51, 6)?;
    rule(wind.is_some() && speed <= 250 && (-80.0..=60.0).contains(&temperature_c))?;
    rule(register.bits(24, 11) != 0 && pressure.is_none_or(|pressure| (100..=1100).contains(&pressure)))?;
    Ok(CommB::Weather {
        wind: wind.map(|_| (speed, f64::from(from) * 180.0 / 256.0)),
        temperature_c,
        pressure_hpa: pressure,
        turbulence: turbulence.map(|level| level as u8),
        humidity_percent: humidity.map(|steps| f64::from(steps) * 100.0 / 64.0),
    })
}

/// BDS 5,0.
fn track_and_turn(register: Register<'_>) -> Result<CommB, Broken> {
    let roll = register.signed_number(1, 2, 10)?;
    let track = register.signed_number(12, 13, 11)?;
    let ground = register.number(24, 25, 10)?.map(|steps| steps * 2);
    let rate = register.signed_number(35, 36, 10)?;
    let air = register.number(46, 47, 10)?.map(|steps| steps * 2);
    let roll_deg = roll.map(|steps| f64::from(steps) * 45.0 / 256.0);
    let (Some(ground_kt), Some(air_kt), Some(_)) = (ground, air, track) else { return Err(Broken) };
    rule(
        (50..=700).contains(&ground_kt) && (50..=600).contains(&air_kt) && ground_kt.abs_diff(air_kt) <= 200,
    )?;
    rule(roll_deg.is_none_or(|roll| roll.abs() <= 50.0))?;
    Ok(CommB::TrackAndTurn {
        roll_deg,
        track_deg: track.map(|steps| degrees(steps, 90.0 / 512.0)),
        ground_speed_kt: ground,
        track_rate_deg_per_s: rate.map(|steps| f64::from(steps) * 8.0 / 256.0),
        true_airspeed_kt: air,
    })
}

/// BDS 6,0.
fn heading_and_speed(register: Register<'_>) -> Result<CommB, Broken> {
    let heading = register.signed_number(1, 2, 11)?;
    let indicated = register.number(13, 14, 10)?;
    let mach = register.number(24, 25, 10)?.map(|steps| f64::from(steps) * 0.004);
    let rate = |steps: Option<i32>| steps.map(|steps| steps * 32);
    let barometric = rate(register.signed_number(35, 36, 10)?);
    let inertial = rate(register.signed_number(46, 47, 10)?);
    let (Some(_), Some(indicated_kt), Some(mach_number)) = (heading, indicated, mach) else {
        return Err(Broken);
    };
    // At sea level Mach 1 is 661 kt; higher up the same speed of the air shows as less.
    let least = f64::from(indicated_kt) / 661.0;
    rule((50..=500).contains(&indicated_kt) && mach_number <= 1.0)?;
    rule((least - 0.05..=3.5 * least).contains(&mach_number))?;
    rule([barometric, inertial].iter().flatten().all(|rate| rate.abs() <= 6000))?;
    Ok(CommB::HeadingAndSpeed {
        magnetic_heading_deg: heading.map(|steps| degrees(steps, 90.0 / 512.0)),
        indicated_airspeed_kt: indicated,
        mach,
        barometric_rate_fpm: barometric,
        inertial_rate_fpm: inertial,
    })
}

#[cfg(test)]
mod tests {
    use super::super::decode;
    use super::*;

    fn fields(hex: &str) -> Vec<(&'static str, String)> {
        let message = decode(&Frame::from_hex(hex).expect("a message"));
        message.fields().into_iter().map(|(name, value)| (name, value.to_string())).collect()
    }

    #[test]
    fn published_registers_are_decoded_as_published() {
        // J. Sun, The 1090 Megahertz Riddle, part II.
        for (hex, expected) in [
            (
                "A800178D10010080F50000D5893C",
                &[("bds", "1,0"), ("subnetwork_version", "0"), ("has_overlay", "false")][..],
            ),
            (
                "A0000638FA81C10000000081A92F",
                &[("bds", "1,7"), ("registers", "0,5 0,6 0,7 0,8 0,9 2,0 4,0 5,0 5,1 5,2 6,0")],
            ),
            ("A000083E202CC371C31DE0AA1CCF", &[("bds", "2,0"), ("callsign", "KLM1017")]),
            (
                "A000029C85E42F313000007047D3",
                &[
                    ("bds", "4,0"),
                    ("selected_altitude_ft", "3008"),
                    ("managed_altitude_ft", "3008"),
                    ("pressure_setting_hpa", "1020"),
                ],
            ),
            (
                "A0001692185BD5CF400000DFC696",
                &[
                    ("bds", "4,4"),
                    ("wind_speed_kt", "22"),
                    ("wind_from_deg", "344.531"),
                    ("temperature_c", "-48.75"),
                ],
            ),
            (
                "A000139381951536E024D4CCF6B5",
                &[
                    ("bds", "5,0"),
                    ("roll_deg", "2.109"),
                    ("track_deg", "114.258"),
                    ("ground_speed_kt", "438"),
                    ("track_rate_deg_per_s", "0.125"),
                    ("true_airspeed_kt", "424"),
                ],
            ),
            (
                "A00004128F39F91A7E27C46ADC21",
                &[
                    ("bds", "6,0"),
                    ("magnetic_heading_deg", "42.715"),
                    ("indicated_airspeed_kt", "252"),
                    ("mach", "0.42"),
                    ("barometric_rate_fpm", "-1920"),
                    ("inertial_rate_fpm", "-1920"),
                ],
            ),
        ] {
            let fields = fields(hex);
            for (name, value) in expected {
                let found = fields.iter().find(|field| field.0 == *name).map(|field| field.1.as_str());
                assert_eq!(found, Some(*value), "{name} of {hex}");
            }
        }
    }

    #[test]
    fn an_advisory_names_the_intruder() {
        // BDS 3,0 as its table has it: advisory 1000000 0000000, terminated, the intruder 0x484175.
        let mut bytes = [0xa0, 0, 0, 0, 0x30, 0x80, 0, 0, 0, 0, 0, 0, 0, 0];
        let threat = 0b1001 << 2 | 0x484175_u32 >> 22;
        bytes[7] = threat as u8;
        bytes[8..11].copy_from_slice(&(0x484175_u32 << 2).to_be_bytes()[1..]);
        let message = decode(&Frame::from_bytes(&bytes).expect("a message"));
        let expected = CommB::ResolutionAdvisory {
            advisory: 1 << 13,
            complement: 0,
            terminated: true,
            multiple: false,
            intruder: Some(0x484175),
        };
        assert_eq!(message.comm_b, Some(expected));
    }

    #[test]
    fn what_keeps_no_rule_is_no_register() {
        // An empty register, and one in which every bit is set.
        for byte in [0, 0xff] {
            let mut bytes = [byte; 14];
            bytes[0] = 0xa0;
            assert_eq!(decode(&Frame::from_bytes(&bytes).expect("a message")).comm_b, None);
        }
    }

    #[test]
    fn few_random_bits_are_taken_for_a_register() {
        let mut state = 1_u64;
        let mut taken = 0;
        for _ in 0..100_000 {
            let mut bytes = [0; 14];
            bytes.fill_with(|| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 56) as u8
            });
            bytes[0] = 0xa0;
            taken += u32::from(decode(&Frame::from_bytes(&bytes).expect("a message")).comm_b.is_some());
        }
        assert!(taken < 5_000, "{taken}");
    }
}
