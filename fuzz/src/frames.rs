//! Frames that receivers have checked, with whatever a sender puts into them: of Wi-Fi, AX.25 with APRS, and AIS; and samples as a frame of
//! Wi-Fi.

use superhet::blocks::ais::AisDecode;
use superhet::blocks::aprs::AprsDecode;
use superhet::blocks::digital::Ax25Decode;
use superhet::blocks::wifi::{Radiotap, WifiDecode, WifiDemod};
use superhet::runtime::{C32, Packet, packet::PacketBlock};

use crate::assert_harmless;

/// Has the bytes put into words by each decoder, and takes them as samples, the real and the imaginary part in turn.
pub fn run(data: &[u8]) {
    if let Some(frame) = said(&mut WifiDecode, data) {
        let Ok(mut radiotap) = Radiotap::new(20e6, 5.18e9, 20e6, 0) else { panic!("5.18 GHz is a channel") };
        let Ok(Some(packet)) = radiotap.packet(frame) else { panic!("a frame gets its header") };
        assert!(packet.items().ends_with(data));
    }
    if let Some(frame) = said(&mut Ax25Decode, data) {
        said_of(&mut AprsDecode, frame);
    }
    said(&mut AisDecode::new("A"), data);
    let samples: Vec<C32> = data
        .chunks_exact(2)
        .map(|pair| C32::new(f32::from(pair[0] as i8), f32::from(pair[1] as i8)) / 128.0)
        .collect();
    let packet = Packet::from_items(&samples);
    if let Some(frame) = WifiDemod::new().read(&packet) {
        said_of(&mut WifiDecode, frame);
    }
}

fn said(decoder: &mut impl PacketBlock<In = u8, Out = u8>, data: &[u8]) -> Option<Packet<u8>> {
    said_of(decoder, Packet::from_items(data))
}

/// What a decoder makes of a frame: its bytes stay, and its words move no cursor.
fn said_of(decoder: &mut impl PacketBlock<In = u8, Out = u8>, frame: Packet<u8>) -> Option<Packet<u8>> {
    let bytes = frame.items().to_vec();
    match decoder.packet(frame) {
        Ok(decoded) => {
            let decoded = decoded?;
            assert_eq!(decoded.items(), bytes);
            if let Some(fields) = decoded.get("fields") {
                assert_harmless(fields);
            }
            Some(decoded)
        }
        Err(error) => {
            assert_harmless(&error);
            None
        }
    }
}
