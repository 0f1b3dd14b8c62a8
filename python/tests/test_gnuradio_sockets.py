"""Blocks of GNU Radio's module `zeromq`, by superhet."""

import os
import socket
import struct
import time
import unittest

try:
    import fcntl
except ImportError:  # where there is no such system
    fcntl = None

import superhet.gnuradio

superhet.gnuradio.install(shadow=True)

import pmt  # noqa: E402
from gnuradio import blocks, gr, network, zeromq  # noqa: E402


def tag(offset, key, value):
    made = gr.tag_t()
    made.offset, made.key, made.value = offset, pmt.intern(key), pmt.to_pmt(value)
    return made


class Zeromq(unittest.TestCase):
    def test_a_subscriber_that_was_there_first_gets_all(self):
        sink = zeromq.pub_sink(gr.sizeof_float, 1, "tcp://127.0.0.1:*", 100)
        source = zeromq.sub_source(gr.sizeof_float, 1, sink.last_endpoint(), 100)
        listening, kept = gr.top_block(), blocks.vector_sink_f()
        listening.connect(source, kept)
        listening.start()
        time.sleep(0.1)
        sending = gr.top_block()
        sending.connect(blocks.vector_source_f(range(50)), sink)
        sending.start()
        deadline = time.monotonic() + 10
        while len(kept.data()) < 50 and time.monotonic() < deadline:
            time.sleep(0.01)
        for tb in (sending, listening):
            tb.stop()
            tb.wait()
        self.assertEqual(kept.data(), list(range(50)))

    def test_vectors_and_tags_go_from_one_flowgraph_to_another(self):
        for send, receive in ((zeromq.push_sink, zeromq.pull_source), (zeromq.rep_sink, zeromq.req_source)):
            for itemsize, vlen in ((gr.sizeof_int, 2), (2 * gr.sizeof_int, 1)):
                sink = send(itemsize, vlen, "tcp://127.0.0.1:*", 100, True)
                self.assertRegex(sink.last_endpoint(), r"^tcp://127\.0\.0\.1:[1-9]\d*$")
                source = receive(itemsize, vlen, sink.last_endpoint(), 100, True)
                self.assertEqual(source.last_endpoint(), sink.last_endpoint())
                receiver, kept = gr.top_block(), blocks.vector_sink_i(2)
                receiver.connect(source, blocks.head(2 * gr.sizeof_int, 50), kept)
                receiver.start()
                sender = gr.top_block()
                sender.connect(blocks.vector_source_i(list(range(100)), False, 2, [tag(7, "seven", 7)]), sink)
                sender.run()
                receiver.wait()
                self.assertEqual(kept.data(), list(range(100)))
                self.assertEqual([(t.offset, pmt.to_python(t.value)) for t in kept.tags()], [(7, 7)])

    def test_messages_go_from_one_flowgraph_to_another(self):
        sink = zeromq.pub_msg_sink("tcp://127.0.0.1:*")
        source, store = zeromq.sub_msg_source(sink.last_endpoint()), blocks.message_debug()
        message = pmt.cons(pmt.PMT_NIL, pmt.init_u8vector(3, [1, 2, 3]))
        strobe = blocks.message_strobe(message, 10)
        tb = gr.top_block()
        tb.msg_connect(strobe, "strobe", sink, "in")
        tb.msg_connect(source, "out", store, "store")
        tb.start()
        deadline = time.monotonic() + 10
        while store.num_messages() == 0 and time.monotonic() < deadline:
            time.sleep(0.01)
        tb.stop()
        tb.wait()
        self.assertTrue(pmt.equal(store.get_message(0), message))

    def test_a_sink_takes_its_place_when_it_is_made(self):
        sink = zeromq.pub_sink(gr.sizeof_float, 1, "tcp://127.0.0.1:*", 100, False)
        address = sink.last_endpoint()
        with self.assertRaisesRegex(RuntimeError, "Address already in use"):
            zeromq.push_sink(gr.sizeof_float, 1, address, 100, False)
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            with self.assertRaisesRegex(RuntimeError, "Address already in use"):
                zeromq.rep_sink(gr.sizeof_float, 1, f"tcp://127.0.0.1:{other.getsockname()[1]}", 100, False)
        for make in (zeromq.pub_sink, zeromq.sub_source):
            with self.assertRaisesRegex(RuntimeError, "Invalid argument"):
                make(gr.sizeof_float, 1, "nowhere", 100, False)
        del sink
        zeromq.push_sink(gr.sizeof_float, 1, address, 100, False)


class Interfaces(unittest.TestCase):
    def test_packets_go_out_at_an_interface_and_come_in_at_it(self):
        name = f"superhet{os.getpid() % 1000}"
        try:
            inside = network.tuntap_pdu(name, 1500, False)
        except RuntimeError as error:
            self.assertIn(name, str(error))
            self.skipTest(str(error))
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
            flags = struct.pack("16sH22x", name.encode(), 1)
            fcntl.ioctl(control, 0x8914, flags)
        frame = bytes([255] * 6 + [2, 0, 0, 0, 0, 1] + [0x88, 0xB5]) + bytes(range(46))
        tb, store = gr.top_block(), blocks.message_debug()
        tb.msg_connect(inside, "pdus", store, "store")
        with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x88B5)) as outside:
            outside.bind((name, 0x88B5))
            outside.settimeout(10)
            tb.start()
            inside.to_basic_block()._post(pmt.intern("pdus"), pmt.cons(pmt.PMT_NIL, pmt.init_u8vector(len(frame), list(frame))))
            self.assertEqual(outside.recv(2000), frame)
            outside.send(frame)
            deadline = time.monotonic() + 10
            found = []
            while frame not in found and time.monotonic() < deadline:
                time.sleep(0.02)
                found = [bytes(pmt.u8vector_elements(pmt.cdr(store.get_message(at)))) for at in range(store.num_messages())]
            tb.stop()
            tb.wait()
        self.assertIn(frame, found)


if __name__ == "__main__":
    unittest.main()
