#!/usr/bin/env python3
"""Messages in time: a strobe sends a PDU every other millisecond, a block in Python numbers them, others take them."""

import threading

import numpy as np
import pmt
from common import arguments, run, save
from gnuradio import blocks, gr

PERIOD_MS = 2


class numberer(gr.basic_block):
    """Adds a number to the metadata of each PDU and doubles its samples; sets `done` after `count` of them."""

    def __init__(self, count):
        gr.basic_block.__init__(self, name="numberer", in_sig=None, out_sig=None)
        self.count = count
        self.seen = 0
        self.done = threading.Event()
        self.message_port_register_in(pmt.intern("in"))
        self.message_port_register_out(pmt.intern("out"))
        self.set_msg_handler(pmt.intern("in"), self.handle)

    def handle(self, message):
        if self.seen == self.count:
            return
        meta, samples = pmt.car(message), pmt.to_python(pmt.cdr(message))
        meta = pmt.dict_add(meta, pmt.intern("number"), pmt.from_long(self.seen))
        self.message_port_pub(pmt.intern("out"), pmt.cons(meta, pmt.to_pmt(2 * samples)))
        self.seen += 1
        if self.seen == self.count:
            self.done.set()


class message_strobe(gr.top_block):
    def __init__(self, count):
        gr.top_block.__init__(self, "Message strobe")
        meta = pmt.dict_add(pmt.make_dict(), pmt.intern("from"), pmt.intern("strobe"))
        message = pmt.cons(meta, pmt.to_pmt(np.arange(5, dtype=np.float32)))
        self.strobe = blocks.message_strobe(message, PERIOD_MS)
        self.numberer = numberer(count)
        self.store = blocks.message_debug()
        self.msg_connect((self.strobe, "strobe"), (self.numberer, "in"))
        self.msg_connect((self.numberer, "out"), (self.store, "store"))


def main():
    # Here an item is a message.
    args = arguments(__doc__, 200)
    tb = message_strobe(args.items)
    run(tb, tb.numberer.done, timeout=10 + args.items * PERIOD_MS / 100)
    found = []
    for k in range(tb.store.num_messages()):
        meta, samples = pmt.to_python(tb.store.get_message(k))
        found.append([meta, samples.tolist()])
    save(args.out, messages=(found[: args.items], 0))


if __name__ == "__main__":
    main()
