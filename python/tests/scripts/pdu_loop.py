#!/usr/bin/env python3
"""Packets as messages: a block in Python sends PDUs, which become a stream, are worked on, and become PDUs again."""

import threading

import numpy as np
import pmt
from common import arguments, run, save
from gnuradio import blocks, gr, pdu

LENGTH = "packet_len"


class sender(gr.basic_block):
    """Sends the packets one after the other: the first when it starts, the others when the one before has come back."""

    def __init__(self, packets):
        gr.basic_block.__init__(self, name="sender", in_sig=None, out_sig=None)
        self.packets = packets
        self.received = []
        self.done = threading.Event()
        self.message_port_register_out(pmt.intern("out"))
        self.message_port_register_in(pmt.intern("back"))
        self.set_msg_handler(pmt.intern("back"), self.handle)

    def start(self):
        self.send()
        return True

    def send(self):
        number = len(self.received)
        meta = pmt.to_pmt({"number": number, "kind": "test"})
        vector = pmt.init_f32vector(len(self.packets[number]), self.packets[number])
        self.message_port_pub(pmt.intern("out"), pmt.cons(meta, vector))

    def handle(self, message):
        self.received.append((pmt.to_python(pmt.car(message)), np.array(pmt.f32vector_elements(pmt.cdr(message)))))
        if len(self.received) < len(self.packets):
            self.send()
        else:
            self.done.set()


class pdu_loop(gr.top_block):
    def __init__(self, packets):
        gr.top_block.__init__(self, "PDU loop")
        self.sender = sender(packets)
        self.to_stream = pdu.pdu_to_tagged_stream(gr.types.float_t, LENGTH)
        self.scale = blocks.multiply_const_ff(0.5)
        self.shift = blocks.add_const_ff(1.0)
        self.to_pdu = pdu.tagged_stream_to_pdu(gr.types.float_t, LENGTH)
        self.connect(self.to_stream, self.scale, self.shift, self.to_pdu)
        self.msg_connect((self.sender, "out"), (self.to_stream, "pdus"))
        self.msg_connect((self.to_pdu, "pdus"), (self.sender, "back"))


def main():
    args = arguments(__doc__, 50_000)
    generator = np.random.default_rng(11)
    packets, total = [], 0
    while total < args.items:
        packets.append(generator.normal(size=generator.integers(1, 200)).tolist())
        total += len(packets[-1])
    tb = pdu_loop(packets)
    run(tb, tb.sender.done)
    received = tb.sender.received
    save(
        args.out,
        samples=(np.concatenate([samples for _, samples in received]).astype(np.float32), 1e-6),
        lengths=([len(samples) for _, samples in received], 0),
        numbers=([meta["number"] for meta, _ in received], 0),
    )


if __name__ == "__main__":
    main()
