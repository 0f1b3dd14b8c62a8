#!/usr/bin/env python3
"""A general block written in Python: it takes what it wants of its inputs and gives fewer items, and others by message."""

import numpy as np
import pmt
from common import arguments, run, save
from gnuradio import blocks, gr


class picker(gr.basic_block):
    """Mean of each `decimation` items of the first input, times one item of the second; sends every hundredth as a message."""

    def __init__(self, decimation):
        gr.basic_block.__init__(self, name="picker", in_sig=[np.float32, np.float32], out_sig=[np.float32])
        self.decimation = decimation
        self.given = 0
        self.set_relative_rate(1.0 / decimation)
        self.set_tag_propagation_policy(gr.TPP_DONT)
        self.message_port_register_out(pmt.intern("means"))

    def forecast(self, noutput_items, ninputs):
        return [noutput_items * self.decimation, noutput_items]

    def general_work(self, input_items, output_items):
        count = min(len(output_items[0]), len(input_items[0]) // self.decimation, len(input_items[1]))
        means = input_items[0][: count * self.decimation].reshape(count, self.decimation).mean(axis=1)
        output_items[0][:count] = means * input_items[1][:count]
        for k in range(-self.given % 100, count, 100):
            value = pmt.from_double(float(output_items[0][k]))
            self.message_port_pub(pmt.intern("means"), pmt.cons(pmt.from_long(self.given + k), value))
        self.given += count
        self.consume(0, count * self.decimation)
        self.consume(1, count)
        return count


class python_basic_block(gr.top_block):
    def __init__(self, first, second, decimation):
        gr.top_block.__init__(self, "Python basic block")
        self.sources = [blocks.vector_source_f(values.tolist(), False) for values in (first, second)]
        self.picker = picker(decimation)
        self.sink = blocks.vector_sink_f()
        self.means = blocks.message_debug()
        for port, source in enumerate(self.sources):
            self.connect(source, (self.picker, port))
        self.connect(self.picker, self.sink)
        self.msg_connect((self.picker, "means"), (self.means, "store"))


def main():
    args = arguments(__doc__, 1_000_000)
    decimation = 8
    generator = np.random.default_rng(5)
    first = generator.normal(size=args.items // decimation * decimation).astype(np.float32)
    second = generator.normal(size=args.items // decimation).astype(np.float32)
    tb = python_basic_block(first, second, decimation)
    run(tb)
    messages = [pmt.to_python(tb.means.get_message(k)) for k in range(tb.means.num_messages())]
    save(
        args.out,
        picked=(np.array(tb.sink.data(), np.float32), 1e-5),
        means=([list(message) for message in messages], 1e-5),
    )


if __name__ == "__main__":
    main()
