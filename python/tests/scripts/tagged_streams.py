#!/usr/bin/env python3
"""Packets in a stream with length tags: headers and payloads are joined, get a checksum, lose it, and keep their tags."""

import numpy as np
import pmt
from common import arguments, run, save
from gnuradio import blocks, digital, gr
from gnuradio.digital.utils import tagged_streams as packets

LENGTH = "packet_len"


class tagged_streams(gr.top_block):
    def __init__(self, headers, payloads):
        gr.top_block.__init__(self, "Tagged streams")
        sources = []
        for each in (headers, payloads):
            data, tags = packets.packets_to_vectors(each, LENGTH)
            sources.append(blocks.vector_source_b(data, False, 1, tags))
        self.join = blocks.tagged_stream_mux(gr.sizeof_char, LENGTH)
        self.append = digital.crc32_bb(False, LENGTH, True)
        self.check = digital.crc32_bb(True, LENGTH, True)
        self.bits = blocks.repack_bits_bb(8, 4, LENGTH, False, gr.GR_LSB_FIRST)
        self.bytes = blocks.repack_bits_bb(4, 8, LENGTH, True, gr.GR_LSB_FIRST)
        self.sent = blocks.vector_sink_b()
        self.sink = blocks.vector_sink_b()
        for port, source in enumerate(sources):
            self.connect(source, (self.join, port))
        self.connect(self.join, self.append, self.check, self.bits, self.bytes, self.sink)
        self.connect(self.append, self.sent)


def tag_list(sink):
    found = [(tag.offset, pmt.symbol_to_string(tag.key), pmt.to_python(tag.value)) for tag in sink.tags()]
    return sorted(found, key=str)


def main():
    args = arguments(__doc__, 200_000)
    generator = np.random.default_rng(3)
    payloads, total = [], 0
    while total < args.items:
        payloads.append(generator.integers(0, 256, generator.integers(1, 400)).tolist())
        total += len(payloads[-1])
    headers = [[0x55, k & 255, len(payload) & 255, len(payload) >> 8] for k, payload in enumerate(payloads)]
    tb = tagged_streams(headers, payloads)
    run(tb)
    save(
        args.out,
        received=(np.array(tb.sink.data(), np.uint8), 0),
        sent=(np.array(tb.sent.data(), np.uint8), 0),
        tags=(tag_list(tb.sink), 0),
    )


if __name__ == "__main__":
    main()
