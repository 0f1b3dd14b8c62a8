//! Parameters with which every block of the library can be made.

use std::collections::BTreeMap;

use superhet_runtime::Value;
use superhet_runtime::catalog::{Kind, Param};

/// Parameters by their names.
pub type Given = BTreeMap<String, Value>;

/// A value that `param` of the block takes, where it has no default.
fn usual(block: &str, param: &Param) -> Option<Value> {
    let numbers = |numbers: &[f64]| Value::from(numbers.iter().map(|x| Value::from(*x)).collect::<Vec<_>>());
    Some(match (block, param.name) {
        _ if param.default.is_some() => return None,
        ("clock_recovery_mm" | "pfb_clock_sync" | "fll_band_edge" | "symbol_sync", "samples_per_symbol") => {
            4.0.into()
        }
        (_, "taps") => numbers(&[1.0, 0.5, 0.25, 0.125]),
        (_, "constellation") => "qpsk".into(),
        (
            "fec_packet_decoder" | "fec_packet_encoder" | "fec_packet_decoder_pdu" | "fec_packet_encoder_pdu",
            "code",
        ) => Value::map([("kind", Value::from("polar")), ("block_bits", 8.into()), ("info_bits", 4.into())]),
        (_, "code") => Value::map([("kind", "convolutional")]),
        // The code of rate 1/2 with the generators 5 and 7.
        ("trellis_encoder" | "trellis_viterbi", "next_states") => numbers(&[0., 2., 0., 2., 1., 3., 1., 3.]),
        ("trellis_encoder" | "trellis_viterbi", "outputs") => numbers(&[0., 3., 3., 0., 1., 2., 2., 1.]),
        (_, "map" | "indices") => numbers(&[1.0, 0.0]),
        (_, "access_code") => "10110011".into(),
        (_, "occupied_carriers") => numbers(&[-1.0, 1.0]),
        (_, "matrix") => vec![numbers(&[1.0, 0.0]), numbers(&[0.0, 1.0])].into(),
        (_, "rate_hz") => 2e6.into(),
        (_, "cutoff_hz" | "low" | "low_hz" | "low_cutoff_hz") => 1e5.into(),
        (_, "high" | "high_hz" | "high_cutoff_hz") => 3e5.into(),
        (_, "transition_hz") => 1e5.into(),
        (_, "loop_bandwidth_rad") => 0.06.into(),
        (_, "fft_length") => 8.into(),
        (_, "cp_length") => 2.into(),
        (_, "order") => 4.into(),
        (_, "symbol_rate_hz") => 1e5.into(),
        (_, "mark_hz") => 1e5.into(),
        (_, "space_hz") => 2e5.into(),
        (_, "constant") => 1.into(),
        ("vector_insert", "period") => 5.into(),
        ("remove_markers", "period") => 80.into(),
        _ => match param.kind {
            Kind::Float(low, high) => Value::from(0.5f64.clamp(low, high)),
            Kind::Integer(low, high) => Value::from(2i64.clamp(low, high)),
            Kind::Bool => true.into(),
            Kind::Text => "x".into(),
            Kind::Choice(words) => words[0].into(),
            Kind::Numbers => numbers(&[1.0, 0.0, 1.0]),
            Kind::Value => numbers(&[1.0, 0.0]),
            _ => return None,
        },
    })
}

/// A value for each parameter without a default, such that the block can be made.
pub fn usual_params(owner: &str, params: &[Param]) -> Given {
    params.iter().filter_map(|param| Some((param.name.to_owned(), usual(owner, param)?))).collect()
}
