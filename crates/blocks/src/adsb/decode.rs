//! What a Mode S message says.
//!
//! **Source**: ICAO Annex 10 Vol. IV, 3.1.2.6 to 3.1.2.8 (formats); ICAO Doc 9871 and RTCA DO-260B, 2.2.3 (ADS-B).

use super::altitude::{Altitude, altitude_13, squawk};
use super::comm_b::CommB;
use super::extended::Extended;
use super::field::{Fields, push_some};
use super::frame::Frame;

/// A decoded message; what its format does not carry is `None`.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Downlink format; 24 stands for 24 to 31.
    pub df: u8,
    /// The sender's 24-bit address.
    pub address: u32,
    /// CA of DF11 and DF17, 0 to 7.
    pub capability: Option<u8>,
    /// CF of DF18, 0 to 7: who sends in which form.
    pub control: Option<u8>,
    /// FS of DF4, 5, 20 and 21, 0 to 7.
    pub flight_status: Option<u8>,
    /// DR of DF4, 5, 20 and 21, 0 to 31.
    pub downlink_request: Option<u8>,
    /// UM of DF4, 5, 20 and 21, 6 bits.
    pub utility_message: Option<u8>,
    /// Whether the aircraft is on the ground, where the message says so.
    pub on_ground: Option<bool>,
    /// Whether FS announces an alert, which is a change of the squawk or an emergency.
    pub alert: Option<bool>,
    /// Whether FS announces the special position identification that pilots send on request.
    pub ident: Option<bool>,
    /// Barometric altitude of DF0, 4, 16 and 20.
    pub altitude: Option<Altitude>,
    /// Squawk of DF5 and 21, its four octal digits read as a decimal number.
    pub squawk: Option<u16>,
    /// ADS-B content of DF17 and DF18.
    pub extended: Option<Extended>,
    /// Callsign of a DF20 or DF21 whose register is marked as BDS 2,0.
    pub callsign: Option<String>,
    /// Register of a DF20 or DF21, where it is clear which one it is.
    pub comm_b: Option<CommB>,
    /// What a DF24 carries.
    pub comm_d: Option<CommD>,
}

/// A segment of an extended length message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommD {
    /// KE: whether it acknowledges segments from the ground and carries none itself.
    pub acknowledges: bool,
    /// ND: number of the segment, 0 to 15.
    pub segment: u8,
    /// MD: its ten bytes.
    pub data: [u8; 10],
}

impl CommD {
    fn decode(frame: &Frame) -> Self {
        let mut data = [0; 10];
        data.copy_from_slice(&frame.bytes()[1..11]);
        Self { acknowledges: frame.bits_at(3, 1) == 1, segment: frame.bits_at(4, 4) as u8, data }
    }
}

/// Decodes a frame; every frame gives a message, if only with format and address.
pub fn decode(frame: &Frame) -> Message {
    let df = frame.df();
    let mut message = Message {
        df,
        address: frame.address,
        capability: None,
        control: None,
        flight_status: None,
        downlink_request: None,
        utility_message: None,
        on_ground: None,
        alert: None,
        ident: None,
        altitude: None,
        squawk: None,
        extended: None,
        callsign: None,
        comm_b: None,
        comm_d: None,
    };
    match df {
        0 | 16 => {
            // VS: 1 = on the ground.
            message.on_ground = Some(frame.bits_at(5, 1) == 1);
            message.altitude = Some(altitude_13(frame.bits_at(19, 13)));
        }
        4 | 5 | 20 | 21 => {
            message.read_status(frame);
            if df == 4 || df == 20 {
                message.altitude = Some(altitude_13(frame.bits_at(19, 13)));
            } else {
                message.squawk = Some(squawk(frame.bits_at(19, 13)));
            }
            if df >= 20 {
                message.comm_b = CommB::decode(frame);
            }
            if let Some(CommB::Identification { callsign }) = &message.comm_b {
                message.callsign = Some(callsign.clone());
            }
        }
        11 => message.read_capability(frame),
        17 => {
            message.read_capability(frame);
            message.extended = Some(Extended::decode(frame));
        }
        18 => {
            let control = frame.bits_at(5, 3) as u8;
            message.control = Some(control);
            // The others are coarse or management messages in forms of their own.
            if matches!(control, 0 | 1 | 2 | 5 | 6) {
                message.extended = Some(Extended::decode(frame));
            }
        }
        24 => message.comm_d = Some(CommD::decode(frame)),
        _ => {}
    }
    if let Some(extended) = &message.extended {
        message.on_ground = match extended {
            Extended::SurfacePosition { .. } => Some(true),
            Extended::AirbornePosition { .. } | Extended::Velocity { .. } => Some(false),
            _ => message.on_ground,
        };
        if let Extended::Emergency { squawk, .. } = extended {
            message.squawk = Some(*squawk);
        }
    }
    message
}

impl Message {
    /// Format, address and everything known, names with units, in a stable order.
    pub fn fields(&self) -> Fields {
        // As many as nearly all messages have: memory that grows costs more than the rest.
        let mut fields = Fields::with_capacity(24);
        fields.extend([("df", self.df.into()), ("icao", format!("{:06x}", self.address).into())]);
        push_some(&mut fields, "capability", self.capability);
        push_some(&mut fields, "control", self.control);
        push_some(&mut fields, "flight_status", self.flight_status);
        push_some(&mut fields, "downlink_request", self.downlink_request);
        push_some(&mut fields, "utility_message", self.utility_message);
        push_some(&mut fields, "on_ground", self.on_ground);
        push_some(&mut fields, "alert", self.alert);
        push_some(&mut fields, "ident", self.ident);
        if let Some(altitude) = self.altitude {
            push_some(&mut fields, "altitude_ft", altitude.feet());
            push_some(&mut fields, "altitude_metric", (altitude == Altitude::Metric).then_some(true));
        }
        push_some(&mut fields, "squawk", self.squawk.map(|squawk| format!("{squawk:04}")));
        match &self.comm_b {
            Some(register) => register.push_fields(&mut fields),
            None => push_some(&mut fields, "callsign", self.callsign.as_deref()),
        }
        if let Some(CommD { acknowledges, segment, data }) = self.comm_d {
            fields.push(("acknowledges", acknowledges.into()));
            fields.push(("segment", segment.into()));
            fields.push(("data", data.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into()));
        }
        if let Some(extended) = &self.extended {
            extended.push_fields(&mut fields);
        }
        fields
    }

    /// FS, DR and UM.
    fn read_status(&mut self, frame: &Frame) {
        let status = frame.bits_at(5, 3) as u8;
        self.flight_status = Some(status);
        self.downlink_request = Some(frame.bits_at(8, 5) as u8);
        self.utility_message = Some(frame.bits_at(13, 6) as u8);
        // 4 and 5 are sent with alert or ident both in the air and on the ground; 6 and 7 are not assigned.
        self.on_ground = match status {
            0 | 2 => Some(false),
            1 | 3 => Some(true),
            _ => None,
        };
        if status < 6 {
            self.alert = Some(matches!(status, 2..=4));
            self.ident = Some(matches!(status, 4 | 5));
        }
    }

    /// CA.
    fn read_capability(&mut self, frame: &Frame) {
        let capability = frame.bits_at(5, 3) as u8;
        self.capability = Some(capability);
        self.on_ground = match capability {
            4 => Some(true),
            5 => Some(false),
            _ => None,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_of_an_extended_length_message_is_told() {
        // 11, spare, KE = 0, ND = 5; ten bytes; parity.
        let frame = Frame::from_hex("c50123456789abcdef0123a1b2c3").expect("a message");
        let message = decode(&frame);
        let data = [0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0x01, 0x23];
        assert_eq!((message.df, message.comm_d), (24, Some(CommD { acknowledges: false, segment: 5, data })));
        let fields = message.fields();
        assert!(
            fields.contains(&("data", "0123456789abcdef0123".into()))
                && fields.contains(&("segment", 5_u8.into()))
        );
        let acknowledgement = decode(&Frame::from_hex("d00123456789abcdef0123a1b2c3").expect("a message"));
        assert!(acknowledgement.comm_d.is_some_and(|comm_d| comm_d.acknowledges && comm_d.segment == 0));
    }
}
