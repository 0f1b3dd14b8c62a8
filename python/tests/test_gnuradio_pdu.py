"""Blocks of GNU Radio's module `pdu` that are made in Python. What they give is what GNU Radio 3.10.5 gives."""

import contextlib
import io
import time
import unittest

import superhet.gnuradio

superhet.gnuradio.install(shadow=True)

import pmt  # noqa: E402
from gnuradio import blocks, digital, gr, pdu  # noqa: E402


def packet(items, seconds=None, **meta):
    words = pmt.to_pmt(meta) if meta else pmt.make_dict()
    if seconds is not None:
        words = pmt.dict_add(words, pmt.intern("tx_time"), pmt.make_tuple(pmt.from_uint64(seconds), pmt.from_double(0.25)))
    return pmt.cons(words, pmt.init_u8vector(len(items), items))


def through(block, messages, ports=("pdus", "pdus")):
    """What a block makes of messages."""
    tb, debug = gr.top_block(), blocks.message_debug()
    tb.msg_connect(block, ports[1], debug, "store")
    for message in messages:
        block.to_basic_block()._post(pmt.intern(ports[0]), message)
    block.to_basic_block()._post(pmt.intern("system"), pmt.cons(pmt.intern("done"), pmt.from_long(1)))
    tb.run()
    return [pmt.write_string(debug.get_message(place)) for place in range(debug.num_messages())]


class Pairs(unittest.TestCase):
    """Metadata and anything: in GNU Radio 3.10.5 as here, but for the order of entries."""

    meta = pmt.dict_add(pmt.make_dict(), pmt.intern("a"), pmt.from_long(1))

    def messages(self):
        seconds = (pmt.PMT_NIL, pmt.from_long(5), pmt.intern("x"), pmt.make_vector(2, pmt.from_long(1)), pmt.init_u8vector(2, [1, 2]))
        return [*(pmt.cons(self.meta, second) for second in seconds), pmt.cons(pmt.PMT_NIL, pmt.from_long(1))]

    def test_an_entry_is_set(self):
        found = through(pdu.pdu_set(pmt.intern("new"), pmt.from_long(7)), self.messages())
        meta = "((a . 1) (new . 7))"
        wanted = [f"({meta})", f"({meta} . 5)", f"({meta} . x)", f"({meta} . #(1 1))", f"({meta} . #[1 2])", "(((new . 7)) . 1)"]
        self.assertEqual(found, wanted)

    def test_an_entry_is_removed(self):
        found = through(pdu.pdu_remove(pmt.intern("a")), self.messages())
        self.assertEqual(found, ["(())", "(() . 5)", "(() . x)", "(() . #(1 1))", "(() . #[1 2])", "(() . 1)"])

    def test_those_with_an_entry_pass_or_the_others(self):
        messages = [*self.messages(), pmt.cons(pmt.intern("k"), pmt.from_long(1)), pmt.list2(pmt.from_long(1), pmt.from_long(2))]
        key, value = pmt.intern("a"), pmt.from_long(1)
        meta = "((a . 1))"
        wanted = [f"({meta})", f"({meta} . 5)", f"({meta} . x)", f"({meta} . #(1 1))", f"({meta} . #[1 2])"]
        self.assertEqual(through(pdu.pdu_filter(key, value, False), messages), wanted)
        self.assertEqual(through(pdu.pdu_filter(key, value, True), messages), ["(() . 1)", "(k . 1)", "(1 2)"])


class Streams(unittest.TestCase):
    def through(self, behavior, packets, most=4):
        tb, block, sink = gr.top_block(), pdu.pdu_to_stream_b(behavior, most), blocks.vector_sink_b()
        tb.connect(block, sink)
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            for one in packets:
                block.to_basic_block()._post(pmt.intern("pdus"), one)
            tb.start()
            deadline = time.monotonic() + 10
            while not any(str(tag.key) == "tx_eob" for tag in sink.tags()) and time.monotonic() < deadline:
                time.sleep(0.01)
            time.sleep(0.05)
            tb.stop()
            tb.wait()
        return list(sink.data()), [(tag.offset, str(tag.key)) for tag in sink.tags()], said.getvalue()

    def test_a_packet_that_comes_early_is_appended_to_the_burst(self):
        data, tags, _ = self.through(pdu.EARLY_BURST_APPEND, [packet([1, 2, 3, 4]), packet([5, 6])])
        self.assertEqual((data, tags), ([1, 2, 3, 4, 5, 6], [(0, "tx_sob"), (5, "tx_eob")]))

    def test_a_packet_with_a_time_begins_a_burst(self):
        data, tags, _ = self.through(pdu.EARLY_BURST_APPEND, [packet([1, 2], 5), packet([3], 9), packet([4])])
        self.assertEqual(data, [1, 2, 3, 4])
        wanted = [(0, "tx_sob"), (0, "tx_time"), (1, "tx_eob"), (2, "tx_sob"), (2, "tx_time"), (3, "tx_eob")]
        self.assertEqual(tags, wanted)

    def test_early_packets_are_dropped_where_that_is_asked_for(self):
        for behavior, words in ((pdu.EARLY_BURST_DROP, ""), (pdu.EARLY_BURST_BALK, "before the burst before it was over")):
            data, tags, said = self.through(behavior, [packet([1, 2]), packet([5, 6], 9)])
            self.assertEqual((data, tags), ([1, 2], [(0, "tx_sob"), (1, "tx_eob")]))
            self.assertIn(words, said)

    def test_a_full_queue_and_items_of_another_size_are_told(self):
        floats = pmt.cons(pmt.make_dict(), pmt.init_f32vector(1, [1.0]))
        data, _, said = self.through(pdu.EARLY_BURST_APPEND, [floats, packet([1]), packet([2]), packet([3])], 2)
        self.assertEqual(data, [1, 2])
        self.assertIn("expected items of 1 bytes, got 4", said)
        self.assertIn("the queue is full", said)


class Messages(unittest.TestCase):
    def sent(self, block, port, messages, outputs):
        tb, stores = gr.top_block(), [blocks.message_debug() for _ in outputs]
        for output, store in zip(outputs, stores):
            tb.msg_connect(block, output, store, "store")
        for message in messages:
            block.to_basic_block()._post(pmt.intern(port), message)
        tb.start()
        deadline = time.monotonic() + 10
        while stores[0].num_messages() < 1 and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.05)
        tb.stop()
        tb.wait()
        return [[store.get_message(at) for at in range(store.num_messages())] for store in stores]

    def test_a_packet_is_split_into_metadata_and_a_bare_vector(self):
        packets = [packet([1, 2], a=1), packet([], q=1)]
        for passes, vectors in ((False, ["#[1 2]"]), (True, ["#[1 2]", "#[]"])):
            words, found = self.sent(pdu.pdu_split(passes), "pdu", packets, ["dict", "vec"])
            self.assertEqual([str(one) for one in words], ["((a . 1))", "((q . 1))"])
            self.assertEqual([str(one) for one in found], vectors)

    def test_the_higher_byte_of_a_checksum_of_16_bits_is_the_first(self):
        (found,) = self.sent(digital.crc16_async_bb(False), "in", [packet([1, 2, 3, 4])], ["out"])
        self.assertEqual(pmt.u8vector_elements(pmt.cdr(found[0])), [1, 2, 3, 4, 137, 195])


class Attributes(unittest.TestCase):
    def test_an_attribute_is_told_again_and_again(self):
        from gnuradio import iio

        tb, block, store = gr.top_block(), iio.attr_updater("gain", "1", 10), blocks.message_debug()
        tb.msg_connect(block, "out", store, "store")
        tb.start()
        deadline = time.monotonic() + 10
        while store.num_messages() < 3 and time.monotonic() < deadline:
            time.sleep(0.01)
        tb.stop()
        tb.wait()
        self.assertEqual([str(store.get_message(at)) for at in range(3)], ["((gain . 1))"] * 3)
        with self.assertRaises(ValueError):
            iio.attr_updater("gain", "1", 0)


class Absent(unittest.TestCase):
    def test_a_name_that_is_not_there_is_none_for_hasattr(self):
        self.assertFalse(hasattr(pdu, "pdu_of_tomorrow"))
        self.assertFalse(hasattr(blocks.null_sink(1), "set_tomorrow"))
        with self.assertRaisesRegex(NotImplementedError, "superhet has no"):
            pdu.pdu_of_tomorrow(1)


if __name__ == "__main__":
    unittest.main()
