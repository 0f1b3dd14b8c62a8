"""What ends, ends as under GNU Radio: streams with `head`, flowgraphs of messages, changes around blocks that wait."""

import threading
import time
import unittest

import superhet.gnuradio

superhet.gnuradio.install(shadow=True)

import pmt  # noqa: E402
from gnuradio import analog, blocks, digital, filter, gr, pdu  # noqa: E402

LIMIT_S = 60
DONE = pmt.cons(pmt.intern("done"), pmt.from_long(1))


def until(condition):
    """Whether a condition comes true."""
    end = time.monotonic() + LIMIT_S
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


def names(vector):
    return {pmt.symbol_to_string(pmt.vector_ref(vector, at)) for at in range(pmt.length(vector))}


class Streams(unittest.TestCase):
    def test_an_endless_source_ends_with_the_first_head_behind_it(self):
        tb, first, second = gr.top_block(), blocks.vector_sink_f(), blocks.vector_sink_f()
        source = analog.sig_source_f(1000, analog.GR_COS_WAVE, 10, 1)
        tb.connect(source, blocks.head(gr.sizeof_float, 1000), first)
        tb.connect(source, second)
        tb.run()
        self.assertEqual(len(first.data()), 1000)
        self.assertEqual(second.data()[:1000], first.data())

    def test_a_head_behind_other_blocks_ends_the_source_too(self):
        tb, first, second = gr.top_block(), blocks.vector_sink_f(), blocks.vector_sink_f()
        source, decimator = blocks.vector_source_f([1, 2, 3, 4], True), filter.fir_filter_fff(4, [1.0])
        tb.connect(source, blocks.multiply_const_ff(2), decimator, blocks.head(gr.sizeof_float, 100), first)
        tb.connect(source, second)
        tb.run()
        self.assertEqual(first.data(), [2.0] * 100)
        self.assertGreaterEqual(len(second.data()), 397)

    def test_what_runs_in_step_with_a_finite_stream_ends_with_it(self):
        tb, total, other = gr.top_block(), blocks.vector_sink_f(), blocks.vector_sink_f()
        endless, add = blocks.vector_source_f([1], True), blocks.add_ff()
        tb.connect(blocks.vector_source_f(range(50)), (add, 0))
        tb.connect(endless, (add, 1))
        tb.connect(add, total)
        tb.connect(endless, other)
        tb.run()
        self.assertEqual(total.data(), [x + 1 for x in range(50)])
        self.assertGreaterEqual(len(other.data()), 50)

    def test_a_block_that_has_to_see_a_lot_at_once_sees_it(self):
        wanted = 1_000_000

        class sums(gr.basic_block):
            def __init__(self):
                gr.basic_block.__init__(self, name="sums", in_sig=["f4"], out_sig=["f4"])

            def forecast(self, noutput_items, ninputs):
                return [wanted * noutput_items]

            def general_work(self, input_items, output_items):
                output_items[0][0] = input_items[0][:wanted].sum()
                self.consume(0, wanted)
                return 1

        tb, sink = gr.top_block(), blocks.vector_sink_f()
        tb.connect(blocks.vector_source_f([1], True), blocks.head(gr.sizeof_float, 3 * wanted), sums(), sink)
        tb.start()
        self.assertTrue(until(lambda: len(sink.data()) == 3))
        tb.wait()
        self.assertEqual(sink.data(), [wanted] * 3)

    def test_a_source_that_ends_by_itself_is_not_cut(self):
        tb, first, second = gr.top_block(), blocks.vector_sink_f(), blocks.vector_sink_f()
        source = blocks.vector_source_f(range(10))
        tb.connect(source, blocks.head(gr.sizeof_float, 5), first)
        tb.connect(source, second)
        tb.run()
        self.assertEqual((len(first.data()), len(second.data())), (5, 10))

    def test_what_is_not_connected_is_told_at_the_start(self):
        for block in (blocks.head(4, 10), blocks.add_ff(), blocks.multiply_const_ff(1)):
            tb = gr.top_block()
            tb.connect(block, blocks.null_sink(4))
            with self.assertRaisesRegex(RuntimeError, "insufficient connected input ports"):
                tb.start()

    def test_connections_are_checked_at_once(self):
        class other(gr.sync_block):
            def __init__(self):
                gr.sync_block.__init__(self, "other", ["f4"], ["f4"])

        tb, source, sink = gr.top_block(), blocks.null_source(4), blocks.null_sink(4)
        tb.connect(source, sink)
        for ends in ((source, sink), (blocks.null_source(8), blocks.head(4, 1)), (source, (other(), 1)), (source,)):
            with self.assertRaises(ValueError):
                tb.connect(*ends)
        with self.assertRaises(ValueError):
            tb.msg_connect(source, "nothing", sink, "nowhere")


class Messages(unittest.TestCase):
    def test_a_flowgraph_of_messages_waits_for_stop(self):
        tb, setter, debug = gr.top_block(), pdu.pdu_set(pmt.intern("a"), pmt.from_long(1)), blocks.message_debug()
        tb.msg_connect(setter, "pdus", debug, "store")
        packet = pmt.cons(pmt.make_dict(), pmt.init_u8vector(2, [1, 2]))
        setter.to_basic_block()._post(pmt.intern("pdus"), packet)
        tb.start()
        self.assertTrue(until(lambda: debug.num_messages() == 1))
        setter.to_basic_block()._post(pmt.intern("pdus"), packet)
        self.assertTrue(until(lambda: debug.num_messages() == 2))
        has_ended = threading.Event()
        waiting = threading.Thread(target=lambda: (tb.wait(), has_ended.set()))
        waiting.start()
        self.assertFalse(has_ended.is_set())
        tb.stop()
        self.assertTrue(has_ended.wait(LIMIT_S))
        waiting.join()

    def test_messages_before_the_start_are_kept(self):
        class echo(gr.basic_block):
            def __init__(self):
                gr.basic_block.__init__(self, "echo", None, None)
                self.message_port_register_in(pmt.intern("in"))
                self.message_port_register_out(pmt.intern("out"))
                self.set_msg_handler(pmt.intern("in"), lambda m: self.message_port_pub(pmt.intern("out"), m))

        tb, block, debug = gr.top_block(), echo(), blocks.message_debug()
        tb.msg_connect(block, "out", debug, "store")
        for number in (3, 4):
            block._post(pmt.intern("in"), pmt.from_long(number))
        tb.start()
        self.assertTrue(until(lambda: debug.num_messages() == 2))
        tb.stop()
        tb.wait()
        self.assertEqual([pmt.to_long(debug.get_message(at)) for at in (0, 1)], [3, 4])

    def test_every_block_has_a_system_port_that_ends_it(self):
        tb, strobe, debug = gr.top_block(), blocks.message_strobe(pmt.intern("x"), 10), blocks.message_debug()
        tb.msg_connect(strobe, "strobe", debug, "store")
        self.assertEqual(names(strobe.message_ports_in()) & {"system"}, {"system"})
        self.assertEqual(names(strobe.message_ports_out()), {"strobe"})
        self.assertEqual(names(debug.message_ports_in()), {"system", "print", "store", "print_pdu"})
        tb.start()
        self.assertTrue(until(lambda: debug.num_messages() > 2))
        strobe.to_basic_block()._post(pmt.intern("system"), DONE)
        tb.wait()


class Changes(unittest.TestCase):
    def test_blocks_that_wait_are_rewired_and_taken_out(self):
        tb, probe = gr.top_block(), blocks.probe_signal_f()
        first, second = blocks.vector_source_f([1], True), blocks.vector_source_f([10], True)
        throttle, amp = blocks.throttle(gr.sizeof_float, 1e6), blocks.multiply_const_ff(2)
        tb.connect(first, throttle, probe)
        tb.start()
        try:
            self.assertTrue(until(lambda: probe.level() == 1))
            tb.lock()
            tb.disconnect(throttle, probe)
            tb.connect(throttle, amp, probe)
            tb.unlock()
            self.assertTrue(until(lambda: probe.level() == 2))
            tb.lock()
            tb.disconnect(first, throttle)
            tb.connect(second, throttle)
            tb.unlock()
            self.assertTrue(until(lambda: probe.level() == 20))
            tb.lock()
            tb.disconnect(second, throttle)
            tb.disconnect(throttle, amp)
            tb.connect(first, blocks.throttle(gr.sizeof_float, 1e6), amp)
            tb.unlock()
            self.assertTrue(until(lambda: probe.level() == 2))
        finally:
            tb.stop()
            tb.wait()

    def test_a_packet_that_the_end_of_the_stream_cuts_is_dropped(self):
        lengths = [gr.tag_t(), gr.tag_t()]
        for made, offset in zip(lengths, (0, 8)):
            made.offset, made.key, made.value = offset, pmt.intern("n"), pmt.from_long(8)
        tb, sink = gr.top_block(), blocks.vector_sink_b()
        tb.connect(blocks.vector_source_b(list(range(12)), False, 1, lengths), digital.crc32_bb(False, "n"), sink)
        tb.run()
        self.assertEqual(sink.data(), [*range(8), 159, 104, 170, 136])

    def test_an_output_that_nobody_reads_is_told_at_the_start(self):
        tb = gr.top_block()
        tb.connect(blocks.vector_source_f([1]), blocks.add_ff())
        with self.assertRaisesRegex(RuntimeError, r"insufficient connected output ports \(1 needed, 0 connected\)"):
            tb.run()

    def test_a_head_begins_anew(self):
        tb, source, head, sink = gr.top_block(), blocks.vector_source_f([1, 2, 3, 4]), blocks.head(gr.sizeof_float, 2), blocks.vector_sink_f()
        tb.connect(source, head, sink)
        for length, wanted in ((2, [1, 2]), (3, [1, 2, 3])):
            head.set_length(length)
            head.reset()
            sink.reset()
            tb.run()
            self.assertEqual(sink.data(), wanted)

    def test_a_block_that_waits_for_room_in_a_queue_ends_when_it_is_stopped(self):
        tb, queue = gr.top_block(), gr.msg_queue(2)
        tb.connect(blocks.null_source(gr.sizeof_float), digital.packet_sink([1], queue, -1))
        tb.start()
        deadline = time.monotonic() + 10
        while not queue.full_p() and time.monotonic() < deadline:
            time.sleep(0.01)
        tb.stop()
        tb.wait()
        self.assertEqual(queue.count(), 2)


if __name__ == "__main__":
    unittest.main()
