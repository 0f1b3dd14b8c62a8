//! The block library: one block per file, in folders by topic.
//!
//! | module | what is in it |
//! |---|---|
//! | [`sources`] | `signal_source`, `noise_source`, `fastnoise_source`, `random_uniform_source`, `null_source`, `vector_source`, `message_strobe`, `message_burst` |
//! | [`flow`] | `head`, `skiphead`, `copy`, `delay`, `selector`, `throttle`, `probe_rate` |
//! | [`math`] | `add`, `subtract`, `multiply`, `divide`, `and`, `or`, `xor`, `max`, `min`, `argmax` of any number of streams; `multiply_matrix` |
//! | | `saxpy`, `multiply_const`, `add_const`, `and_const`, and `multiply_const_vector`, `add_const_vector`; `not`, `abs`, `conjugate`, `multiply_conjugate`, `nlog10`, `transcendental`, `exponentiate_const`, `rail`, `mute`, `rotator` |
//! | | `integrate`, `moving_average`, `rms`, `threshold`, `sample_and_hold`, `probe_signal`, `probe_avg_mag_sqrd` |
//! | [`convert`] | between `C32`, `f32` and integers; magnitudes, angles, parts of complex samples; `reinterpret`; G.711's `alaw_encode`, `ulaw_encode` and back |
//! | [`bits`] | `repack_bits`, `pack_k_bits`, `unpack_k_bits`, `packed_to_unpacked`, `unpacked_to_packed` |
//! | [`vectors`] | `stream_to_vector`, `interleave`, `deinterleave`, `stream_mux`, `stream_demux`, `patterned_interleaver`, `block_interleaver`, `convolutional_interleaver`, `vector_insert` |
//! | [`filters`] | `fir_filter`, `fft_filter`, `freq_xlating_fir_filter`, `rational_resampler`, `mmse_resampler`, `pfb_arb_resampler`, `pfb_channelizer`, `pfb_synthesizer`, `iir_filter`, `dc_blocker`, `hilbert` and their kin; [`filters::design`]: functions that design taps |
//! | [`transforms`] | `fft`, `goertzel` |
//! | [`rates`] | `keep_one_in_n`, `keep_m_in_n`, `repeat`, `regenerate` |
//! | [`demod`] | `quadrature_demod`, `am_demod`, `fsk_demod`, `afsk_demod`, `afsk_hdlc_demod`, `pulse_detector`, `pulse_slicer`, `vor_decode` |
//! | [`aprs`] | `aprs_decode` |
//! | [`fm`] | broadcast FM: `stereo_encoder`, `stereo_decoder`, and RDS, from `rds_encoder` to `rds_decode` |
//! | [`wifi`] | Wi-Fi, 802.11a, g and p: `wifi_sync`, `wifi_demod`, `wifi_decode`, `radiotap`; `wifi_encode`, `wifi_source` |
//! | [`digital`] | symbols and constellations, scrambling, synchronisation, framing, OFDM |
//! | [`fec`] | convolutional, polar, low-density parity-check and repetition codes, on streams and packets; codes that are finite state machines; Reed-Solomon, Hamming, Golay and BCH codes on packets; puncturing, error rates |
//! | [`channels`] | `channel_model`, `fading`, `selective_fading`, `phase_noise`, `iq_imbalance`, and `iq_correction` |
//! | [`analog`] | `agc`, `agc2`, `agc3`, `feedforward_agc`, squelches, modulators, phase-locked loops, emphasis, `cpfsk`, `dpll` |
//! | [`tags`] | `tag_adder`, `tag_gate`, `tag_share`, `burst_tagger`, `tags_to_file`, `tags_from_file` |
//! | [`packets`] | packets in streams and as messages: framing, checksums, metadata |
//! | [`sinks`] | `null_sink`, `vector_sink`, `message_debug`, `tag_debug` |
//!
//! Blocks with any number of ports are made of a [`lockstep::Lockstep`]; general blocks whose parameters are changed while they
//! run, of a [`Tunable`].
//!
//! Blocks that make one item of one item are [`Elementwise`]: `a.then(b)` fuses them into one block with one loop.
//!
//! Each file ends with the block's `ENTRY`, by which files and the command line find it. With the feature `catalog`, `ENTRIES` lists
//! them all; without it no block is compiled for an item type that nobody uses.
//! Samples have full scale = 1.0. NaN and infinities pass through as the math says; conversions to integers saturate.
//!
//! ```
//! use superhet_blocks::{convert::ComplexToMag, sinks::VectorSink, sources::VectorSource};
//! use superhet_runtime::{C32, Graph};
//!
//! let mut graph = Graph::new();
//! let source = graph.add("source", VectorSource::new(vec![C32::new(3.0, 4.0)], false)?);
//! let magnitude = graph.add("magnitude", ComplexToMag);
//! let sink = VectorSink::<f32>::new();
//! let items = sink.items();
//! let sink = graph.add("sink", sink);
//! graph.connect(source.output, magnitude.input);
//! graph.connect(magnitude.output, sink.input);
//! graph.run()?;
//! assert_eq!(items.take(), [5.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

pub mod adsb;
pub mod ais;
pub mod analog;
pub mod aprs;
pub mod bits;
pub mod channels;
pub mod convert;
pub mod demod;
pub mod digital;
pub mod elementwise;
mod error;
pub mod fec;
pub mod filters;
pub mod flow;
pub mod fm;
pub mod ft8;
pub mod ism;
mod item;
pub mod lockstep;
pub mod math;
pub mod packets;
pub mod rates;
pub mod sinks;
pub mod sources;
pub mod tags;
#[cfg(test)]
mod testing;
pub mod transforms;
mod turns;
pub mod vectors;
pub mod wifi;
pub mod wmbus;

pub use elementwise::{Elementwise, Fused, elementwise};
pub use error::Error;
pub use superhet_runtime::{Tunable, Tuned};

use superhet_runtime::catalog::{Entry, Function};

superhet_runtime::catalogued! {
    /// Every block of the library, by topic.
    // A constant's closures, and with them all blocks, would be compiled again in each crate that names it.
    static ENTRIES: &[Entry] = &[
        sources::null_source::ENTRY,
        sources::vector_source::ENTRY,
        sources::signal_source::ENTRY,
        sources::noise_source::ENTRY,
        sources::fastnoise_source::ENTRY,
        sources::random_uniform_source::ENTRY,
        sources::message_strobe::ENTRY,
        sources::message_burst::ENTRY,
        flow::head::ENTRY,
        flow::skiphead::ENTRY,
        flow::copy::ENTRY,
        flow::delay::ENTRY,
        flow::selector::ENTRY,
        flow::throttle::ENTRY,
        flow::probe_rate::ENTRY,
        math::saxpy::ENTRY,
        math::add::ENTRY,
        math::stretch::ENTRY,
        math::multiply_by_tag_value::ENTRY,
        math::peak_detector::ENTRY,
        math::peak_detector2::ENTRY,
        math::plateau_detector::ENTRY,
        math::subtract::ENTRY,
        math::multiply::ENTRY,
        math::multiply_conjugate::ENTRY,
        math::multiply_const::ENTRY,
        math::multiply_const::ENTRY_PDU,
        math::add_const::ENTRY,
        math::add_const::ENTRY_PDU,
        math::conjugate::ENTRY,
        math::rotator::ENTRY,
        math::abs::ENTRY,
        math::add_const_vector::ENTRY,
        math::and::ENTRY,
        math::and_const::ENTRY,
        math::argmax::ENTRY,
        math::divide::ENTRY,
        math::exponentiate_const::ENTRY,
        math::integrate::ENTRY,
        math::max::ENTRY,
        math::min::ENTRY,
        math::moving_average::ENTRY,
        math::multiply_const_vector::ENTRY,
        math::multiply_matrix::ENTRY,
        math::mute::ENTRY,
        math::nlog10::ENTRY,
        math::not::ENTRY,
        math::or::ENTRY,
        math::probe_avg_mag_sqrd::ENTRY,
        math::probe_signal::ENTRY,
        math::rail::ENTRY,
        math::rms::ENTRY,
        math::sample_and_hold::ENTRY,
        math::threshold::ENTRY,
        math::transcendental::ENTRY,
        math::xor::ENTRY,
        convert::reinterpret::ENTRY,
        convert::endian_swap::ENTRY,
        convert::swap_iq::ENTRY,
        convert::char_to_short::ENTRY,
        convert::complex_to_arg::ENTRY,
        convert::complex_to_float::ENTRY,
        convert::complex_to_interleaved_char::ENTRY,
        convert::complex_to_interleaved_short::ENTRY,
        convert::complex_to_magphase::ENTRY,
        convert::float_to_int::ENTRY,
        convert::int_to_float::ENTRY,
        convert::interleaved_char_to_complex::ENTRY,
        convert::interleaved_short_to_complex::ENTRY,
        convert::magphase_to_complex::ENTRY,
        convert::short_to_char::ENTRY,
        convert::complex_to_mag::ENTRY,
        convert::complex_to_mag_squared::ENTRY,
        convert::complex_to_real::ENTRY,
        convert::complex_to_imag::ENTRY,
        convert::float_to_complex::ENTRY,
        convert::cu8_to_c32::ENTRY,
        convert::cs8_to_c32::ENTRY,
        convert::cs16_to_c32::ENTRY,
        convert::c32_to_cu8::ENTRY,
        convert::c32_to_cs8::ENTRY,
        convert::c32_to_cs16::ENTRY,
        convert::uchar_to_float::ENTRY,
        convert::alaw_encode::ENTRY,
        convert::alaw_decode::ENTRY,
        convert::ulaw_encode::ENTRY,
        convert::ulaw_decode::ENTRY,
        convert::char_to_float::ENTRY,
        convert::short_to_float::ENTRY,
        convert::float_to_uchar::ENTRY,
        convert::float_to_char::ENTRY,
        convert::float_to_short::ENTRY,
        filters::fir_filter::ENTRY,
        filters::low_pass_filter::ENTRY,
        filters::fft_filter::ENTRY,
        filters::freq_xlating_fir_filter::ENTRY,
        filters::freq_xlating_fft_filter::ENTRY,
        filters::interp_fir_filter::ENTRY,
        filters::rational_resampler::ENTRY,
        filters::iir_filter::ENTRY,
        filters::single_pole_iir_filter::ENTRY,
        filters::dc_blocker::ENTRY,
        filters::hilbert::ENTRY,
        filters::filter_delay::ENTRY,
        filters::mmse_resampler::ENTRY,
        filters::pfb_arb_resampler::ENTRY,
        filters::pfb_decimator::ENTRY,
        filters::pfb_channelizer::ENTRY,
        filters::pfb_synthesizer::ENTRY,
        filters::channelizer::ENTRY,
        transforms::fft::ENTRY,
        transforms::goertzel::ENTRY,
        rates::keep_one_in_n::ENTRY,
        rates::keep_m_in_n::ENTRY,
        rates::repeat::ENTRY,
        rates::regenerate::ENTRY,
        vectors::stream_to_vector::ENTRY,
        vectors::interleave::ENTRY,
        vectors::deinterleave::ENTRY,
        vectors::stream_mux::ENTRY,
        vectors::stream_demux::ENTRY,
        vectors::patterned_interleaver::ENTRY,
        vectors::vector_insert::ENTRY,
        vectors::block_interleaver::ENTRY,
        vectors::convolutional_interleaver::ENTRY,
        bits::repack_bits::ENTRY,
        bits::pack_k_bits::ENTRY,
        bits::unpack_k_bits::ENTRY,
        bits::packed_to_unpacked::ENTRY,
        bits::unpacked_to_packed::ENTRY,
        demod::quadrature_demod::ENTRY,
        demod::am_demod::ENTRY,
        demod::fsk_demod::ENTRY,
        demod::afsk_demod::ENTRY,
        demod::afsk_hdlc_demod::ENTRY,
        demod::pulse_detector::ENTRY,
        demod::fsk_pulse_detector::ENTRY,
        demod::vor_decode::ENTRY,
        ism::ism_decoder::ENTRY,
        ism::pulse_analyzer::ENTRY,
        wmbus::wmbus_deframer::ENTRY,
        ais::ais_decode::ENTRY,
        ais::ais_demod::ENTRY,
        ft8::ft8_decode::ENTRY,
        ft8::ft8_source::ENTRY,
        wifi::wifi_sync::ENTRY,
        wifi::wifi_demod::ENTRY,
        wifi::wifi_decode::ENTRY,
        wifi::wifi_encode::ENTRY,
        wifi::wifi_source::ENTRY,
        wifi::radiotap::ENTRY,
        aprs::aprs_decode::ENTRY,
        fm::stereo_encoder::ENTRY,
        fm::stereo_decoder::ENTRY,
        fm::rds_encoder::ENTRY,
        fm::rds_modulator::ENTRY,
        fm::rds_demod::ENTRY,
        fm::rds_framer::ENTRY,
        fm::rds_decode::ENTRY,
        demod::pulse_slicer::ENTRY,
        channels::channel_model::ENTRY,
        channels::fading::ENTRY,
        channels::selective_fading::ENTRY,
        channels::phase_noise::ENTRY,
        channels::iq_imbalance::ENTRY,
        channels::iq_correction::ENTRY,
        analog::agc::ENTRY,
        analog::agc2::ENTRY,
        analog::agc3::ENTRY,
        analog::feedforward_agc::ENTRY,
        analog::simple_squelch::ENTRY,
        analog::pwr_squelch::ENTRY,
        analog::ctcss_squelch::ENTRY,
        analog::frequency_modulator::ENTRY,
        analog::phase_modulator::ENTRY,
        analog::pll_carriertracking::ENTRY,
        analog::pll_freqdet::ENTRY,
        analog::pll_refout::ENTRY,
        analog::fm_deemph::ENTRY,
        analog::fm_preemph::ENTRY,
        analog::cpfsk::ENTRY,
        analog::dpll::ENTRY,
        analog::vco::ENTRY,
        sinks::null_sink::ENTRY,
        sinks::vector_sink::ENTRY,
        sinks::message_debug::ENTRY,
        sinks::tag_debug::ENTRY,
        tags::tag_adder::ENTRY,
        tags::tag_gate::ENTRY,
        tags::tag_share::ENTRY,
        tags::index_tags::ENTRY,
        tags::burst_tagger::ENTRY,
        tags::tags_to_file::ENTRY,
        tags::tags_from_file::ENTRY,
        packets::stream_to_tagged_stream::ENTRY,
        packets::tagged_stream_mux::ENTRY,
        packets::tagged_stream_multiply_length::ENTRY,
        packets::tagged_stream_align::ENTRY,
        packets::crc32_append::ENTRY,
        packets::crc32_append::ENTRY_PDU,
        packets::crc32_check::ENTRY,
        packets::crc32_check::ENTRY_PDU,
        packets::crc16_append::ENTRY,
        packets::crc16_append::ENTRY_PDU,
        packets::crc16_check::ENTRY,
        packets::crc16_check::ENTRY_PDU,
        packets::tagged_stream_to_pdu::ENTRY,
        packets::pdu_to_tagged_stream::ENTRY,
        packets::pdu_to_stream::ENTRY,
        packets::pdu_filter::ENTRY,
        packets::pdu_set::ENTRY,
        packets::pdu_remove::ENTRY,
        packets::pdu_split::ENTRY,
        packets::receiver_message::ENTRY,
        packets::kiss_encode::ENTRY,
        packets::random_pdu::ENTRY,
        packets::tags_to_pdu::ENTRY,
        packets::take_skip_to_pdu::ENTRY,
        packets::add_system_time::ENTRY,
        packets::time_delta::ENTRY,
        digital::constellations::chunks_to_symbols::ENTRY,
        digital::constellations::map::ENTRY,
        digital::constellations::binary_slicer::ENTRY,
        digital::constellations::diff_encoder::ENTRY,
        digital::constellations::diff_decoder::ENTRY,
        digital::constellations::diff_phasor::ENTRY,
        digital::constellations::constellation_decoder::ENTRY,
        digital::constellations::constellation_encoder::ENTRY,
        digital::constellations::constellation_soft_decoder::ENTRY,
        digital::sync::constellation_receiver::ENTRY,
        digital::codes::scrambler::ENTRY,
        digital::codes::descrambler::ENTRY,
        digital::codes::additive_scrambler::ENTRY,
        digital::codes::nrzi_encode::ENTRY,
        digital::codes::nrzi_decode::ENTRY,
        digital::codes::g3ruh_scrambler::ENTRY,
        digital::codes::g3ruh_descrambler::ENTRY,
        digital::codes::glfsr_source::ENTRY,
        digital::sync::code_acquisition::ENTRY,
        digital::sync::costas_loop::ENTRY,
        digital::sync::symbol_sync::ENTRY,
        digital::sync::clock_recovery_mm::ENTRY,
        digital::sync::pfb_clock_sync::ENTRY,
        digital::sync::fll_band_edge::ENTRY,
        digital::sync::linear_equalizer::ENTRY,
        digital::constellations::mpsk_snr_est::ENTRY,
        digital::constellations::probe_mpsk_snr_est::ENTRY,
        digital::constellations::meas_evm::ENTRY,
        digital::framing::correlate_access_code::ENTRY,
        digital::framing::correlate_access_code_tag::ENTRY,
        digital::framing::correlate_access_code_ts::ENTRY,
        digital::codes::crc32::ENTRY,
        digital::codes::crc32::ENTRY_PDU,
        digital::codes::crc_append::ENTRY,
        digital::codes::crc_check::ENTRY,
        digital::framing::sync_word_to_packet::ENTRY,
        digital::framing::remove_markers::ENTRY,
        digital::framing::same_decoder::ENTRY,
        digital::framing::gomspace_deframer::ENTRY,
        digital::framing::ao40_deframer::ENTRY,
        digital::framing::hdlc_framer::ENTRY,
        digital::framing::ax25_decode::ENTRY,
        digital::framing::hdlc_deframer::ENTRY,
        digital::framing::burst_shaper::ENTRY,
        digital::framing::packet_headergenerator::ENTRY,
        digital::framing::packet_headerparser::ENTRY,
        digital::framing::header_payload_demux::ENTRY,
        digital::ofdm::ofdm_carrier_allocator::ENTRY,
        digital::ofdm::ofdm_chanest::ENTRY,
        digital::ofdm::ofdm_frame_equalizer::ENTRY,
        digital::ofdm::ofdm_cyclic_prefixer::ENTRY,
        digital::ofdm::ofdm_serializer::ENTRY,
        digital::ofdm::ofdm_sync_sc::ENTRY,
        fec::fec_encoder::ENTRY,
        fec::fec_decoder::ENTRY,
        fec::fec_packet_encoder::ENTRY,
        fec::fec_packet_encoder::ENTRY_PDU,
        fec::fec_packet_decoder::ENTRY,
        fec::fec_packet_decoder::ENTRY_PDU,
        fec::reed_solomon_encode::ENTRY,
        fec::reed_solomon_encode::ENTRY_PDU,
        fec::reed_solomon_decode::ENTRY,
        fec::reed_solomon_decode::ENTRY_PDU,
        fec::cyclic_encode::ENTRY,
        fec::cyclic_encode::ENTRY_PDU,
        fec::cyclic_decode::ENTRY,
        fec::cyclic_decode::ENTRY_PDU,
        fec::puncture::ENTRY,
        fec::depuncture::ENTRY,
        fec::ber::ENTRY,
        fec::trellis::trellis_encoder::ENTRY,
        fec::trellis::trellis_metrics::ENTRY,
        fec::trellis::trellis_viterbi::ENTRY,
        adsb::adsb_channel::ENTRY,
        adsb::adsb_channel_demod::ENTRY,
        adsb::adsb_decode::ENTRY,
        adsb::adsb_demod::ENTRY,
        adsb::adsb_preambles::ENTRY,
        adsb::adsb_receiver::ENTRY,
        adsb::adsb_print::ENTRY,
    ];
}

superhet_runtime::catalogued! {
    /// Every function of the library that files and people can call by name, by topic.
    static FUNCTIONS: &[&[Function]] =
        &[filters::design::FUNCTIONS, digital::constellations::constellation::FUNCTIONS, fec::code::FUNCTIONS];
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use superhet_runtime::catalog::{Direction, Kind};
    use superhet_runtime::{Value, graph::PortList};

    /// Values for the parameters that must be given; those that no list of blocks names fit all of them.
    fn sample(block: &str, param: &str) -> Value {
        match (block, param) {
            ("vector_source" | "vector_insert", "values") => vec![Value::from(1), Value::from(0)].into(),
            ("transcendental", "function") => "sin".into(),
            ("multiply_matrix", "matrix") => {
                let row = |a: i64, b: i64| Value::from(vec![Value::from(a), Value::from(b)]);
                vec![row(1, 2), row(3, 4)].into()
            }
            // The code of rate 1/2 with the generators 5 and 7.
            ("trellis_encoder" | "trellis_viterbi", "inputs") => 2.into(),
            ("trellis_encoder" | "trellis_viterbi", "next_states") => {
                [0, 2, 0, 2, 1, 3, 1, 3].map(Value::from).to_vec().into()
            }
            ("trellis_encoder" | "trellis_viterbi", "outputs") => {
                [0, 3, 3, 0, 1, 2, 2, 1].map(Value::from).to_vec().into()
            }
            ("trellis_metrics", "table") => [-1, 0, 1].map(Value::from).to_vec().into(),
            (_, "constants" | "lengths") => vec![Value::from(1), Value::from(2)].into(),
            (_, "pattern" | "indices") => vec![Value::from(0), Value::from(1)].into(),
            ("remove_markers", "access_code") => "0x27".into(),
            ("remove_markers", "period") => 80.into(),
            (_, "period") => 5.into(),
            (_, "from" | "to") => "f32".into(),
            (_, "taps" | "feed_forward" | "feed_back") => vec![Value::from(0.5), Value::from(0.5)].into(),
            ("pulse_slicer", "coding") => "pwm".into(),
            ("wmbus_deframer", "chips") => "tc".into(),
            ("ft8_source", "text") => "CQ K1ABC FN42".into(),
            ("code_acquisition", "rate_hz") => 2.046e6.into(),
            (_, "gap_samples") => 1000.into(),
            ("sync_word_to_packet", "length") => 4.into(),
            ("tags_from_file", "path") => "/dev/null".into(),
            ("tags_to_file", "path") => "/no/such/folder/tags.jsonl".into(),
            ("multiply_by_tag_value", "key") => "gain".into(),
            ("chunks_to_symbols", "symbols") => vec![Value::from(-1), Value::from(1)].into(),
            ("map", "map") => vec![Value::from(1), Value::from(0)].into(),
            (_, "code") => Value::map([
                ("kind", "convolutional"),
                ("frames", if block.contains("packet") { "terminated" } else { "streaming" }),
            ]),
            (_, "fft_length") => 8.into(),
            (_, "header_length") => 4.into(),
            (_, "sync_symbol1") => vec![Value::from(1), 0.into(), 1.into(), 0.into()].into(),
            (_, "cp_length") => 2.into(),
            (_, "occupied_carriers") => vec![Value::from(vec![Value::from(1), Value::from(-1)])].into(),
            (_, "constellation") => "qpsk".into(),
            (_, "access_code") => "1011".into(),
            (_, "loop_bandwidth_rad") => 0.06.into(),
            (_, "samples_per_symbol") => 4.into(),
            (_, "key" | "value") => "x".into(),
            (_, "message") => "tick".into(),
            ("rds_demod" | "stereo_decoder" | "stereo_encoder", "rate_hz") => 240e3.into(),
            (_, "rate_hz" | "quad_rate_hz" | "audio_rate_hz") => 48e3.into(),
            (_, "frequency_hz" | "mark_hz") => 1e3.into(),
            (_, "symbol_rate_hz" | "space_hz") => 2e3.into(),
            (_, "alpha") => 0.5.into(),
            (_, "cutoff_hz") => 3e3.into(),
            (_, "transition_hz") => 1e3.into(),
            (_, "increment_rad") => 0.1.into(),
            (_, "max_doppler") => 0.01.into(),
            ("selective_fading", "delays") => vec![Value::from(0), 3.into()].into(),
            ("selective_fading", "powers_db") => vec![Value::from(0.0), (-3.0).into()].into(),
            (_, "period_s") => 0.5.into(),
            (
                _,
                "packet_length" | "length" | "k" | "bits" | "exponent" | "low" | "high" | "min_length"
                | "max_length" | "gain" | "constant" | "items" | "n" | "m" | "count" | "scalar"
                | "interpolation" | "decimation" | "delay_samples" | "channels" | "block_items",
            ) => 2.into(),
            _ => panic!("{block} has a new parameter {param}: add a sample for it here"),
        }
    }

    /// The parameters with which to build a block: once, or once for each type of its items.
    fn samples(entry: &Entry) -> Vec<(Option<&'static str>, BTreeMap<String, Value>)> {
        let required = entry.params.iter().filter(|param| param.default.is_none());
        let given: BTreeMap<String, Value> =
            required.map(|param| (param.name.to_owned(), sample(entry.name, param.name))).collect();
        match entry.params.iter().find(|param| param.name == "item").map(|param| param.kind) {
            Some(Kind::Choice(items)) => items
                .iter()
                .map(|item| {
                    let mut given = given.clone();
                    given.insert("item".to_owned(), Value::from(*item));
                    (Some(*item), given)
                })
                .collect(),
            _ => vec![(None, given)],
        }
    }

    #[test]
    fn all_names_are_different() {
        let names: BTreeSet<_> = ENTRIES.iter().map(|entry| entry.name).collect();
        assert_eq!(names.len(), ENTRIES.len());
    }

    #[test]
    fn every_function_has_a_name_of_its_own_and_says_what_it_is() {
        let names: BTreeSet<_> = FUNCTIONS.iter().copied().flatten().map(|function| function.name).collect();
        assert_eq!(names.len(), FUNCTIONS.iter().map(|list| list.len()).sum::<usize>());
        for function in FUNCTIONS.iter().copied().flatten() {
            assert!(function.summary.ends_with('.'), "{function:?}");
            assert!(function.params.iter().all(|param| param.doc.ends_with('.')), "{function:?}");
            let json = |text| serde_json::from_str::<serde_json::Value>(text).is_ok();
            assert!(function.params.iter().filter_map(|param| param.default).all(json), "{function:?}");
        }
    }

    #[test]
    fn a_function_at_the_end_of_its_ranges_gives_numbers_or_an_error() {
        let sample = |name: &str| -> Value {
            match name {
                "bands" => vec![Value::from(0.0), 0.3.into(), 0.5.into(), 1.into()].into(),
                "ampl" => vec![Value::from(1), 1.into(), 0.into(), 0.into()].into(),
                "error_weight" => vec![Value::from(1), 1.into()].into(),
                "type" => "hamming".into(),
                "ntaps" | "order" => 11.into(),
                "sampling_freq" | "Fs" => 48e3.into(),
                "cutoff_freq" | "low_cutoff_freq" | "freq1" | "freq_sb1" | "freq_pb1" => 4e3.into(),
                "high_cutoff_freq" | "freq2" => 8e3.into(),
                "alpha" | "bt" => 0.5.into(),
                _ => 2e3.into(),
            }
        };
        for function in FUNCTIONS.iter().copied().flatten() {
            let required = function.params.iter().filter(|param| param.default.is_none());
            let given: BTreeMap<String, Value> =
                required.map(|param| (param.name.to_owned(), sample(param.name))).collect();
            for param in function.params {
                for mut value in extremes(param.kind) {
                    // Of the most taps there are, each function computes a million; of these it takes a moment.
                    if param.name == "ntaps" && !testing::takes_all_cases() && value.as_i64() > Some(1 << 14)
                    {
                        value = (1 << 14).into();
                    }
                    let mut given = given.clone();
                    given.insert(param.name.to_owned(), value);
                    if let Ok(value) = function.call(&given) {
                        let numbers = value.as_list().map_or(0, |list| list.len());
                        assert!(numbers <= 1 << 20, "{function:?}, {}", param.name);
                    }
                }
            }
        }
    }

    #[test]
    fn every_default_is_a_value_that_its_parameter_takes() {
        for entry in ENTRIES {
            for param in entry.params {
                let Some(default) = param.default else { continue };
                let json: serde_json::Value = serde_json::from_str(default)
                    .unwrap_or_else(|error| panic!("{}.{}: {error}", entry.name, param.name));
                let mut given = samples(entry).swap_remove(0).1;
                given.insert(param.name.to_owned(), Value::from_json(&json));
                entry.build(&given).unwrap();
            }
        }
    }

    #[test]
    fn every_entry_builds_and_its_block_has_the_ports_that_it_documents() {
        for entry in ENTRIES {
            for (item, given) in samples(entry) {
                let mut block = entry.build(&given).unwrap_or_else(|errors| panic!("{entry:?}: {errors:?}"));
                let ports = PortList::of(&mut block);
                let documented = |direction: Direction, of_messages: bool| -> Vec<(String, String)> {
                    let ports = entry.ports.iter().filter(|port| port.direction == direction);
                    ports
                        .filter(|port| (port.items == "messages") == of_messages)
                        .map(|port| {
                            let items = match port.items {
                                "item" => item.unwrap(),
                                "from" | "to" => "f32",
                                // The default of a filter's setting.
                                "out_item" if entry.name == "trellis_encoder" => "u8",
                                "out_item" if item == Some("f32") => "f32",
                                "out_item" => "C32",
                                items => items,
                            };
                            (port.name, items)
                        })
                        .map(|(name, items)| (name.to_owned(), items.to_owned()))
                        .collect()
                };
                let streams =
                    |ports: &[(String, superhet_runtime::port::PortSpec)]| -> Vec<(String, String)> {
                        ports.iter().map(|(name, spec)| (name.clone(), spec.item.to_string())).collect()
                    };
                let messages =
                    |ports: &[(String, superhet_runtime::message::MessageType)]| -> Vec<(String, String)> {
                        ports.iter().map(|(name, _)| (name.clone(), "messages".to_owned())).collect()
                    };
                assert_eq!(streams(&ports.inputs), documented(Direction::In, false), "{entry:?}");
                assert_eq!(streams(&ports.outputs), documented(Direction::Out, false), "{entry:?}");
                assert_eq!(messages(&ports.message_inputs), documented(Direction::In, true), "{entry:?}");
                assert_eq!(messages(&ports.message_outputs), documented(Direction::Out, true), "{entry:?}");
            }
        }
    }

    /// Values at the ends of a parameter's range, and beyond what makes sense inside it.
    fn extremes(kind: Kind) -> Vec<Value> {
        let within = |low: f64, high: f64, x: f64| (low..=high).contains(&x);
        match kind {
            Kind::Float(low, high) => {
                [low, high, f64::MIN, f64::MAX, 5e-324, 1e-300, 0.0, 1e12, f64::INFINITY]
                    .into_iter()
                    .filter(|x| within(low, high, *x))
                    .map(Value::from)
                    .collect()
            }
            Kind::Integer(low, high) => [low, high, 0, 1, 1 << 24, 1 << 40, 1_000_000_000_000_000]
                .into_iter()
                .filter(|n| (low..=high).contains(n))
                .map(Value::Int)
                .collect(),
            Kind::Bool => vec![true.into(), false.into()],
            Kind::Text => ["", "{", "ünï/.", &"x".repeat(100_000)].map(Value::from).to_vec(),
            Kind::Path => ["", "/no/such/folder/x", "a\0b"].map(Value::from).to_vec(),
            Kind::Choice(words) => words.iter().map(|word| Value::from(*word)).collect(),
            Kind::Value => vec![true.into(), "".into(), Value::from(f64::NAN)],
            Kind::Numbers => [0.0, 1e300, f64::NAN, f64::INFINITY, 1e-320]
                .into_iter()
                .flat_map(|x| [0, 1, 100_000].map(|len| vec![Value::from(x); len].into()))
                .collect(),
        }
    }

    #[test]
    fn a_block_at_the_end_of_its_ranges_is_an_error_or_needs_no_more_than_a_gibibyte() {
        for entry in ENTRIES {
            let mut samples = samples(entry);
            // The same constructor makes the block for each item type: the first and the last stand for those between.
            if samples.len() > 2 && !testing::takes_all_cases() {
                samples.drain(1..samples.len() - 1);
            }
            for (_, given) in samples {
                for param in entry.params {
                    for value in extremes(param.kind) {
                        let mut given = given.clone();
                        given.insert(param.name.to_owned(), value);
                        let Ok(mut block) = entry.build(&given) else { continue };
                        let ports = PortList::of(&mut block);
                        for (port, spec) in ports.inputs.iter().chain(&ports.outputs) {
                            let items =
                                spec.needed().saturating_add(spec.history).saturating_add(spec.preload);
                            let bytes = items.saturating_mul(spec.item.size());
                            assert!(bytes <= 1 << 30, "{}.{port}, {}: {bytes} bytes", entry.name, param.name);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn every_category_is_the_folder_that_the_block_lies_in() {
        let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        for entry in ENTRIES {
            // What takes packets on streams and on messages is one block with two entries.
            let names = [entry.name, entry.name.trim_end_matches("_pdu")];
            // A large topic has folders of its own.
            let topic = source.join(entry.category);
            let inside = std::fs::read_dir(&topic).unwrap().map(|entry| entry.unwrap().path());
            let mut folders = inside.filter(|path| path.is_dir()).chain([topic.clone()]);
            let is_there = |folder: &std::path::Path| {
                names.iter().any(|name| folder.join(name).with_extension("rs").exists())
            };
            assert!(folders.any(|folder| is_there(&folder)), "{entry:?}");
        }
    }

    #[test]
    fn every_summary_is_a_sentence_and_every_parameter_says_what_it_means() {
        for entry in ENTRIES {
            assert!(entry.summary.ends_with('.'), "{entry:?}");
            assert!(entry.params.iter().all(|param| param.doc.ends_with('.')), "{entry:?}");
            assert!(entry.ports.iter().all(|port| !port.doc.is_empty()), "{entry:?}");
        }
    }
}
