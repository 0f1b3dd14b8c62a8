"""Blocks without a definition here, and why."""

CLOCK = "its output is a matter of the clock; what it passes on is covered by `throttle` and `copy`"
FILE = (
    "files in a format of others: crates/io tests it against files and programs of theirs, and fuzz/ with hostile ones"
)
SOCKET = (
    "a socket of the outside world: crates/io/tests and python/tests/test_gnuradio_sockets.py hold what goes over it"
)
DEVICE = "runs where a device is; crates/device/src/conformance.rs compares each with its block on the processor"
AIRCRAFT = "decodes Mode S as a whole: crates/cli tests it with recordings and their known messages"

BURSTS = "finds levels and timing by itself: crates/blocks tries it on made signals, crates/cli/tests/receivers.rs on recordings"
RECEIVER = "a part of receivers: crates/blocks tries it, and crates/cli/tests/receivers.rs within them"
WIFI = "a part of Wi-Fi: crates/blocks holds it against its standard, and both ways together"
STATION = "a part of FM: crates/blocks holds it against its standard, and crates/cli/tests/stations.rs both ways together"
RANDOM = "random: crates/blocks holds its statistics against the theory that it cites"
CODES = "crates/blocks holds it against vectors of its standards"

LEFT_OUT = {
    "probe_rate": CLOCK,
    "vector_sink": "what this suite reads all streams by",
    **dict.fromkeys("link_sink link_source link_msg_sink link_msg_source".split(), "joins two graphs: crates/io/tests/links.rs"),
    "header_payload_demux": "waits for what another block makes of its own output: header_payload_demux/tests.rs tries that",
    **{f"adsb_{part}": AIRCRAFT for part in "channel channel_demod decode demod preambles receiver print".split()},
    **dict.fromkeys("fsk_demod afsk_demod afsk_hdlc_demod pulse_detector pulse_slicer same_decoder".split(), BURSTS),
    **dict.fromkeys("fsk_pulse_detector ism_decoder pulse_analyzer wmbus_deframer ax25_decode aprs_decode ais_decode ais_demod".split(), BURSTS),
    **dict.fromkeys("ft8_decode ft8_source code_acquisition gomspace_deframer ao40_deframer remove_markers vor_decode".split(), BURSTS),
    **dict.fromkeys("rds_demod rds_framer rds_decode stereo_decoder".split(), STATION),
    **dict.fromkeys("rds_encoder rds_modulator stereo_encoder".split(), STATION),
    **dict.fromkeys("wifi_sync wifi_demod wifi_decode wifi_encode wifi_source radiotap".split(), WIFI),
    **dict.fromkeys("index_tags receiver_message kiss_encode".split(), RECEIVER),
    **{f"{code}_{way}{kind}": CODES for code in ("reed_solomon", "cyclic") for way in ("encode", "decode") for kind in ("", "_pdu")},
    "sync_word_to_packet": CODES,
    **dict.fromkeys("fading selective_fading phase_noise".split(), RANDOM),
    **dict.fromkeys("file_source file_sink wav_source wav_sink wav_channels_source wav_channels_sink".split(), FILE),
    **dict.fromkeys("sigmf_source sigmf_sink sigmf_annotator pcap_source pcap_sink".split(), FILE),
    **dict.fromkeys("socket_pdu udp_source udp_sink tcp_sink radio spyserver_source rtl_tcp_source rtl_tcp_sink soapy_source soapy_sink vita49_source vita49_sink mqtt_sink nats_sink".split(), SOCKET),
    **dict.fromkeys("audio_source audio_sink".split(), "a sound card: crates/cli/tests/sound.rs plays and hears with a server of sound"),
    **{f"zmq_{kind}": SOCKET for kind in "pub_sink sub_source push_sink pull_source rep_sink req_source".split()},
    **{
        f"zmq_{kind}": SOCKET
        for kind in "pub_msg_sink sub_msg_source push_msg_sink pull_msg_source rep_msg_sink req_msg_source".split()
    },
    **{
        f"device_{kind}": DEVICE
        for kind in "channelizer copy fft fir_filter magnitude_squared multiply_conjugate multiply_const saxpy".split()
    },
}
