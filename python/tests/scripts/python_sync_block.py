#!/usr/bin/env python3
"""Stream blocks written in Python: one item in, one item out, with parameters, history, tags and more than one port."""

import numpy as np
import pmt
from common import arguments, run, save
from gnuradio import analog, blocks, gr

RATE = 1e6
MARK_EVERY = 10_000


class marker(gr.sync_block):
    """Forwards its input with a tag at each multiple of `every` items."""

    def __init__(self, every):
        gr.sync_block.__init__(self, name="marker", in_sig=[np.complex64], out_sig=[np.complex64])
        self.every = every

    def work(self, input_items, output_items):
        count = len(output_items[0])
        output_items[0][:] = input_items[0]
        start = self.nitems_written(0)
        for offset in range(-(-start // self.every) * self.every, start + count, self.every):
            self.add_item_tag(0, offset, pmt.intern("mark"), pmt.from_uint64(offset // self.every), pmt.intern(self.name()))
        return count


class difference(gr.sync_block):
    """`gain * (x[n] - x[n - delay])` of the first input plus the second, and the magnitude of that."""

    def __init__(self, gain=1.0, delay=3):
        gr.sync_block.__init__(
            self,
            name="difference",
            in_sig=[np.complex64, (np.complex64)],
            out_sig=[np.complex64, np.float32],
        )
        self.gain = gain
        self.delay = delay
        self.started = False
        self.set_history(delay + 1)

    def start(self):
        self.started = True
        return True

    def work(self, input_items, output_items):
        count = len(output_items[0])
        new, old = input_items[0][self.delay : self.delay + count], input_items[0][:count]
        output_items[0][:] = self.gain * (new - old) + input_items[1][self.delay : self.delay + count]
        output_items[1][:] = np.abs(output_items[0])
        return count


class python_sync_block(gr.top_block):
    def __init__(self, items):
        gr.top_block.__init__(self, "Python sync block")
        self.first = analog.sig_source_c(RATE, analog.GR_COS_WAVE, 10e3, 1.0)
        self.second = analog.sig_source_c(RATE, analog.GR_COS_WAVE, 23e3, 0.5)
        self.heads = [blocks.head(gr.sizeof_gr_complex, items) for _ in range(2)]
        self.marker = marker(MARK_EVERY)
        self.difference = difference(0.5)
        self.points = blocks.vector_sink_c()
        self.levels = blocks.vector_sink_f()
        self.connect(self.first, self.heads[0], self.marker, (self.difference, 0))
        self.connect(self.second, self.heads[1], (self.difference, 1))
        self.connect((self.difference, 0), self.points)
        self.connect((self.difference, 1), self.levels)


def main():
    args = arguments(__doc__, 1_000_000)
    tb = python_sync_block(args.items)
    run(tb)
    tags = sorted((tag.offset, str(tag.key), pmt.to_python(tag.value), str(tag.srcid)) for tag in tb.points.tags())
    save(
        args.out,
        points=(np.array(tb.points.data(), np.complex64), 2e-3),
        levels=(np.array(tb.levels.data(), np.float32), 2e-3),
        tags=(tags, 0),
        started=({"started": tb.difference.started}, 0),
    )


if __name__ == "__main__":
    main()
