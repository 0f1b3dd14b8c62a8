#!/usr/bin/env python3
"""OFDM from end to end: packets through `digital.ofdm_tx`, a channel that fades and turns, and `digital.ofdm_rx`."""

import numpy as np
import pmt
from common import arguments, run, save
from gnuradio import blocks, channels, digital, gr

LENGTH = 96
KEY = "packet_length"
PAUSE = 200
TAPS = [1.0, 0.2 + 0.1j, 0.05j]
OFFSET = 0.3 / 64


class loop(gr.top_block):
    def __init__(self, data):
        gr.top_block.__init__(self, "OFDM loop")
        source = blocks.vector_source_b(data.tolist(), False)
        packets = blocks.stream_to_tagged_stream(gr.sizeof_char, 1, LENGTH, KEY)
        sender = digital.ofdm_tx(packet_length_tag_key=KEY, bps_header=1, bps_payload=2)
        pauses = digital.burst_shaper_cc([], 0, PAUSE, False, KEY)
        channel = channels.channel_model(0.0, OFFSET, 1.0, TAPS, 0)
        receiver = digital.ofdm_rx(packet_length_tag_key=KEY, bps_header=1, bps_payload=2)
        # The lengths of packets in samples are not those that the receiver finds.
        gate = blocks.tag_gate(gr.sizeof_gr_complex, False)
        self.sent, self.got = blocks.vector_sink_c(), blocks.vector_sink_b()
        self.connect(source, packets, sender, pauses, blocks.multiply_const_cc(0.05), gate, channel, receiver, self.got)
        self.connect(channel, self.sent)


def main():
    args = arguments(__doc__, 50_000)
    count = max(args.items // LENGTH, 20)
    data = np.random.default_rng(6).integers(0, 256, count * LENGTH, np.uint8)
    tb = loop(data)
    run(tb)
    got = np.array(tb.got.data(), np.uint8)
    lengths = [pmt.to_long(tag.value) for tag in tb.got.tags() if pmt.symbol_to_string(tag.key) == KEY]
    # GNU Radio loses some of the last packets when the stream ends.
    kept = count * 9 // 10 * LENGTH
    save(
        args.out,
        sent=(np.array(tb.sent.data(), np.complex64)[:20_000], 1e-3),
        got=(got[:kept], 0),
        right=(bool(np.array_equal(got[:kept], data[:kept])), 0),
        lengths=(lengths[: count * 9 // 10], 0),
    )


if __name__ == "__main__":
    main()
