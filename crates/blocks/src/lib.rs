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

#[cfg(not(test))]
use superhet_runtime::catalog::{Entry, Function};

superhet_runtime::catalogued! {
    /// Every block of the library, by topic.
    // A constant's closures, and with them all blocks, would be compiled again in each crate that names it. The unit tests do
    // without: what needs all blocks is in `tests`, with the library as others have it, and they are compiled once for both.
    #[cfg(not(test))]
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
    #[cfg(not(test))]
    static FUNCTIONS: &[&[Function]] =
        &[filters::design::FUNCTIONS, digital::constellations::constellation::FUNCTIONS, fec::code::functions::FUNCTIONS];
}
