"""Flowgraphs in GNU Radio's Python, run by superhet."""

import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest
from pathlib import Path

import numpy as np

import superhet
import superhet.gnuradio

superhet.gnuradio.install(shadow=True)

import pmt  # noqa: E402
from gnuradio import blocks, fft, gr, pdu, vocoder  # noqa: E402

SCRIPTS = Path(__file__).parent / "scripts"


def tag(offset, key, value):
    made = gr.tag_t()
    made.offset, made.key, made.value = offset, pmt.intern(key), pmt.to_pmt(value)
    return made


class Base(unittest.TestCase):
    def setUp(self):
        self.tb = gr.top_block()

    def through(self, block, data=range(10), source=blocks.vector_source_f, sink=blocks.vector_sink_f, **given):
        source, sink = source(data, **given), sink()
        self.tb.connect(source, block, sink)
        self.tb.run()
        return sink


class Flowgraphs(Base):
    def test_library_blocks_by_gnu_radios_names(self):
        self.assertEqual(self.through(blocks.multiply_const_ff(2)).data(), [2 * x for x in range(10)])

    def test_a_flowgraph_runs_again(self):
        source, sink = blocks.vector_source_i([1, 2]), blocks.vector_sink_i()
        self.tb.connect(source, sink)
        self.tb.run()
        self.tb.run()
        self.assertEqual(sink.data(), [1, 2, 1, 2])
        sink.reset()
        self.assertEqual(sink.data(), [])

    def test_blocks_that_know_only_sizes_take_their_neighbours_types(self):
        for source, sink, size in (
            (blocks.vector_source_c, blocks.vector_sink_c, gr.sizeof_gr_complex),
            (blocks.vector_source_i, blocks.vector_sink_i, gr.sizeof_int),
            (blocks.vector_source_s, blocks.vector_sink_s, gr.sizeof_short),
            (blocks.vector_source_b, blocks.vector_sink_b, gr.sizeof_char),
        ):
            self.tb = gr.top_block()
            self.assertEqual(self.through(blocks.head(size, 3), source=source, sink=sink).data(), [0, 1, 2])

    def test_vectors_count_as_items(self):
        source, sink = blocks.vector_source_f(range(12), vlen=4), blocks.vector_sink_f(vlen=4)
        self.tb.connect(source, blocks.head(gr.sizeof_float * 4, 2), sink)
        self.tb.run()
        self.assertEqual(sink.data(), list(range(8)))

    def test_sizes_that_do_not_match_are_reported(self):
        with self.assertRaisesRegex(ValueError, "itemsize mismatch.*using 8.*using 4"):
            self.tb.connect(blocks.vector_source_c([1]), blocks.vector_sink_f())

    def test_blocks_made_of_blocks(self):
        class gain(gr.hier_block2):
            def __init__(self, factor, stages):
                signature = gr.io_signature(1, 1, gr.sizeof_float)
                gr.hier_block2.__init__(self, "gain", signature, signature)
                inner = [blocks.multiply_const_ff(factor)]
                inner += [gain(factor, stages - 1)] if stages > 1 else []
                self.connect(self, *inner, self)

        self.assertEqual(self.through(gain(2, 3)).data(), [8 * x for x in range(10)])

    def test_setters_before_and_while_it_runs(self):
        block = blocks.multiply_const_ff(1)
        block.set_k(5)
        self.assertEqual(self.through(block).data(), [5 * x for x in range(10)])
        tb = gr.top_block()
        source, slow = blocks.null_source(gr.sizeof_float), blocks.multiply_const_ff(1)
        tb.connect(source, slow, blocks.null_sink(gr.sizeof_float))
        tb.start()
        slow.set_k(7)
        self.assertEqual(slow.k(), 7)
        tb.stop()
        tb.wait()

    def test_what_is_not_there_names_itself_and_what_is_near(self):
        with self.assertRaisesRegex(NotImplementedError, "blocks.multiply_const_xx.*near it.*multiply_const_"):
            blocks.multiply_const_xx
        with self.assertRaisesRegex(NotImplementedError, "multiply_const_ff.set_q.*near it.*set_k"):
            blocks.multiply_const_ff(1).set_q(1)
        with self.assertRaisesRegex(TypeError, "multiply_const_ff"):
            blocks.multiply_const_ff()
        with self.assertRaisesRegex(ImportError, "nothing_like_that"):
            from gnuradio.blocks import nothing_like_that  # noqa: F401


GRC = """
options: {parameters: {id: embedded, generate_options: no_gui}}
blocks:
- {name: gain, id: variable, parameters: {value: '2'}}
- {name: source, id: blocks_vector_source_x, parameters: {type: float, vector: '(1, 2, 3)', repeat: 'False', vlen: '1'}}
- name: square
  id: epy_block
  parameters:
    factor: gain
    _source_code: |
      import numpy as np
      from gnuradio import gr

      class blk(gr.sync_block):
          def __init__(self, factor=1.0):
              gr.sync_block.__init__(self, name="square", in_sig=[np.float32], out_sig=[np.float32])
              self.factor = factor

          def work(self, input_items, output_items):
              output_items[0][:] = self.factor * input_items[0] ** 2
              return len(output_items[0])
- {name: sink, id: blocks_file_sink, parameters: {type: float, file: squares.f32, vlen: '1', unbuffered: 'False', append: 'False'}}
connections:
- [source, '0', square, '0']
- [square, '0', sink, '0']
metadata: {file_format: 1}
"""


class Companion(unittest.TestCase):
    """Flowgraphs of GNU Radio Companion that have Python code inside."""

    def run_flowgraph(self, folder, *arguments):
        command = [sys.executable, "-m", "superhet.gnuradio", str(Path(folder) / "embedded.grc"), *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=60)

    def test_embedded_python_blocks_run(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "embedded.grc").write_text(GRC)
            for arguments, factor in ([], 2), (["--set", "gain=3"], 3):
                done = self.run_flowgraph(folder, *arguments)
                self.assertEqual(done.returncode, 0, done.stderr)
                squares = np.fromfile(Path(folder) / "squares.f32", np.float32)
                self.assertEqual(squares.tolist(), [factor * x * x for x in (1, 2, 3)])

    def test_mistakes_are_reported_by_name(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "embedded.grc").write_text(GRC.replace("blocks_file_sink", "blocks_fil_sink"))
            done = self.run_flowgraph(folder)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("blocks_fil_sink", done.stderr)
            self.assertNotIn("Traceback", done.stderr)


class Changes(Base):
    """Connections of a flowgraph that runs."""

    def wait_for(self, what):
        deadline = time.monotonic() + 20
        while not what():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)

    def setUp(self):
        super().setUp()
        self.source = blocks.null_source(gr.sizeof_float)
        self.sink = blocks.probe_signal_f()
        self.add = blocks.add_const_ff(1)
        self.tb.connect(self.source, self.add, self.sink)
        self.tb.start()
        self.wait_for(lambda: self.sink.level() == 1)

    def tearDown(self):
        self.tb.stop()
        self.tb.wait()

    def test_a_block_takes_the_place_of_another_and_goes_again(self):
        other = blocks.add_const_ff(5)
        self.tb.lock()
        self.tb.disconnect(self.source, self.add, self.sink)
        self.tb.connect(self.source, other, self.sink)
        self.tb.unlock()
        self.wait_for(lambda: self.sink.level() == 5)
        other.set_k(6)
        self.wait_for(lambda: self.sink.level() == 6)
        for _ in range(3):
            self.tb.lock()
            self.tb.disconnect(self.source, other, self.sink)
            self.tb.connect(self.source, self.add, self.sink)
            self.tb.unlock()
            self.wait_for(lambda: self.sink.level() == 1)
            self.tb.lock()
            self.tb.disconnect(self.source, self.add, self.sink)
            self.tb.connect(self.source, other, self.sink)
            self.tb.unlock()
            self.wait_for(lambda: self.sink.level() == 6)

    def test_a_block_gets_one_more_input(self):
        total, one = blocks.add_ff(), blocks.add_const_ff(10)
        self.tb.lock()
        self.tb.disconnect(self.add, self.sink)
        self.tb.connect(self.add, (total, 0))
        self.tb.connect(self.add, (total, 1))
        self.tb.connect(total, self.sink)
        self.tb.unlock()
        self.wait_for(lambda: self.sink.level() == 2)
        self.tb.lock()
        self.tb.connect(self.source, one, (total, 2))
        self.tb.unlock()
        self.wait_for(lambda: self.sink.level() == 12)

    def test_blocks_with_threads_of_their_own_come_while_it_runs(self):
        heard = []

        class listener(gr.basic_block):
            def __init__(self):
                gr.basic_block.__init__(self, "listener", in_sig=None, out_sig=None)
                self.message_port_register_in(pmt.intern("in"))
                self.set_msg_handler(pmt.intern("in"), heard.append)

        strobe, ears = blocks.message_strobe(pmt.intern("now"), 5), listener()
        throttle, level = blocks.throttle(gr.sizeof_float, 1e6), blocks.probe_signal_f()
        self.tb.lock()
        self.tb.msg_connect(strobe, "strobe", ears, "in")
        self.tb.connect(blocks.vector_source_f([7.0], True), throttle, level)
        self.tb.unlock()
        self.wait_for(lambda: level.level() == 7 and len(heard) > 2)
        self.assertTrue(pmt.equal(heard[0], pmt.intern("now")))

    def test_a_python_block_and_a_block_of_blocks_come_and_tell_their_ends(self):
        calls = []

        class negate(gr.sync_block):
            def __init__(self):
                gr.sync_block.__init__(self, "negate", in_sig=[np.float32], out_sig=[np.float32])

            def start(self):
                calls.append("start")
                return True

            def stop(self):
                calls.append("stop")
                return True

            def work(self, input_items, output_items):
                output_items[0][:] = -input_items[0]
                return len(output_items[0])

        class inner(gr.hier_block2):
            def __init__(self):
                signature = gr.io_signature(1, 1, gr.sizeof_float)
                gr.hier_block2.__init__(self, "inner", signature, signature)
                self.negate = negate()
                self.connect(self, self.negate, self)

            def through(self, *others):
                self.lock()
                self.disconnect(self, self.negate, self)
                self.connect(self, *others, self)
                self.unlock()

        made = inner()
        self.tb.lock()
        self.tb.disconnect(self.add, self.sink)
        self.tb.connect(self.add, made, self.sink)
        self.tb.unlock()
        self.wait_for(lambda: self.sink.level() == -1)
        self.assertEqual(calls, ["start"])
        made.through(blocks.multiply_const_ff(7))
        self.wait_for(lambda: self.sink.level() == 7)
        self.assertEqual(calls, ["start", "stop"])

    def test_messages_are_rewired(self):
        class ticker(gr.sync_block):
            def __init__(self):
                gr.sync_block.__init__(self, "ticker", in_sig=[np.float32], out_sig=None)
                self.message_port_register_out(pmt.intern("ticks"))
                self.ticks = 0

            def work(self, input_items, output_items):
                self.message_port_pub(pmt.intern("ticks"), pmt.from_long(self.ticks))
                self.ticks += 1
                return len(input_items[0])

        def ticks(block):
            messages = [block.get_message(place) for place in range(block.num_messages())]
            return [pmt.to_long(message) for message in messages if pmt.is_integer(message)]

        tick, first, second = ticker(), blocks.message_debug(), blocks.message_debug()
        tb = gr.top_block()
        tb.connect(blocks.null_source(gr.sizeof_float), tick)
        tb.msg_connect(tick, "ticks", first, "store")
        tb.msg_connect(blocks.message_strobe(pmt.PMT_NIL, 5), "strobe", second, "store")
        tb.start()
        try:
            self.wait_for(lambda: first.num_messages() and second.num_messages())
            self.assertTrue(all(pmt.is_null(second.get_message(at)) for at in range(second.num_messages())))
            tb.lock()
            tb.msg_disconnect(tick, "ticks", first, "store")
            tb.msg_connect(tick, "ticks", second, "store")
            tb.unlock()
            self.wait_for(lambda: len(ticks(second)) > 20)
        finally:
            tb.stop()
            tb.wait()
        # Each went to one of the two, and those from the change on to the second.
        self.assertEqual(ticks(first) + ticks(second), list(range(tick.ticks)))

    def test_changes_want_a_lock_and_what_cannot_be_leaves_all_as_it_was(self):
        with self.assertRaisesRegex(RuntimeError, "lock"):
            self.tb.connect(self.source, blocks.null_sink(gr.sizeof_float))
        with self.assertRaisesRegex(RuntimeError, "unpaired unlock"):
            self.tb.unlock()
        lonely = blocks.add_ff()
        self.tb.lock()
        self.tb.connect(lonely, blocks.null_sink(gr.sizeof_float))
        with self.assertRaisesRegex(RuntimeError, "insufficient connected input ports"):
            self.tb.unlock()
        self.tb.lock()
        self.tb.disconnect(lonely)
        self.tb.unlock()
        self.add.set_k(3)
        self.wait_for(lambda: self.sink.level() == 3)


class PythonBlocks(Base):
    def test_sync_blocks_with_history(self):
        class difference(gr.sync_block):
            def __init__(self):
                gr.sync_block.__init__(self, name="difference", in_sig=[np.float32], out_sig=[np.float32])
                self.set_history(2)

            def work(self, input_items, output_items):
                x, y = input_items[0], output_items[0]
                y[:] = x[1:] - x[:-1]
                return len(y)

        self.assertEqual(self.through(difference()).data(), [0] + [1] * 9)

    def test_decimating_and_interpolating_blocks(self):
        class mean(gr.decim_block):
            def __init__(self, n):
                gr.decim_block.__init__(self, "mean", [np.float32], [np.float32], n)

            def work(self, input_items, output_items):
                output_items[0][:] = input_items[0].reshape(-1, self.decimation()).mean(axis=1)
                return len(output_items[0])

        class repeat(gr.interp_block):
            def __init__(self, n):
                gr.interp_block.__init__(self, "repeat", [np.float32], [np.float32], n)

            def work(self, input_items, output_items):
                output_items[0][:] = np.repeat(input_items[0], self.interpolation())
                return len(output_items[0])

        self.assertEqual(self.through(mean(5)).data(), [2, 7])
        self.tb = gr.top_block()
        self.assertEqual(self.through(repeat(2), [1, 2]).data(), [1, 1, 2, 2])

    def test_basic_blocks_forecast_and_consume(self):
        class pairs(gr.basic_block):
            def __init__(self):
                gr.basic_block.__init__(self, name="pairs", in_sig=[np.float32], out_sig=[np.float32])

            def forecast(self, noutput_items, ninputs):
                return [2 * noutput_items] * ninputs

            def general_work(self, input_items, output_items):
                n = len(output_items[0])
                output_items[0][:] = input_items[0][: 2 * n : 2] + input_items[0][1 : 2 * n : 2]
                self.consume(0, 2 * n)
                return n

        self.assertEqual(self.through(pairs(), range(100)).data(), [4 * k + 1 for k in range(50)])

    def test_vectors_in_and_out(self):
        class total(gr.sync_block):
            def __init__(self):
                gr.sync_block.__init__(self, "total", in_sig=[(np.float32, 4)], out_sig=[np.float32])

            def work(self, input_items, output_items):
                output_items[0][:] = input_items[0].sum(axis=1)
                return len(output_items[0])

        source, sink = blocks.vector_source_f(range(8), vlen=4), blocks.vector_sink_f()
        self.tb.connect(source, total(), sink)
        self.tb.run()
        self.assertEqual(sink.data(), [6, 22])

    def test_tags_are_read_written_and_carried(self):
        seen = []

        class tagger(gr.sync_block):
            def __init__(self):
                gr.sync_block.__init__(self, "tagger", in_sig=[np.float32], out_sig=[np.float32])

            def work(self, input_items, output_items):
                n = len(output_items[0])
                output_items[0][:] = input_items[0]
                seen.extend((t.offset, pmt.to_python(t.value)) for t in self.get_tags_in_window(0, 0, n))
                for k in range(n):
                    if (self.nitems_written(0) + k) % 4 == 0:
                        self.add_item_tag(0, self.nitems_written(0) + k, pmt.intern("four"), pmt.from_long(k))
                return n

        sink = self.through(tagger(), tags=[tag(3, "k", "v")])
        self.assertEqual(seen, [(3, "v")])
        found = [(t.offset, pmt.symbol_to_string(t.key)) for t in sink.tags()]
        self.assertEqual(found, [(0, "four"), (3, "k"), (4, "four"), (8, "four")])

    def test_messages_between_python_blocks_and_from_outside(self):
        class adder(gr.basic_block):
            def __init__(self):
                gr.basic_block.__init__(self, name="adder", in_sig=None, out_sig=None)
                self.message_port_register_in(pmt.intern("in"))
                self.message_port_register_out(pmt.intern("out"))
                self.set_msg_handler(pmt.intern("in"), self.handle)

            def handle(self, message):
                self.message_port_pub(pmt.intern("out"), pmt.from_long(pmt.to_long(message) + 1))

        first, second, store = adder(), adder(), blocks.message_debug()
        self.tb.msg_connect(first, "out", second, "in")
        self.tb.msg_connect(second, "out", store, "store")
        self.tb.start()
        for number in range(100):
            first.to_basic_block()._post(pmt.intern("in"), pmt.from_long(number))
        deadline = time.monotonic() + 10
        while store.num_messages() < 100 and time.monotonic() < deadline:
            time.sleep(0.01)
        self.tb.stop()
        self.tb.wait()
        got = [pmt.to_long(store.get_message(k)) for k in range(store.num_messages())]
        self.assertEqual(got, [number + 2 for number in range(100)])

    def test_sound_goes_into_a_file_and_comes_back(self):
        left, right = (np.arange(5000) % 100 / 128).astype(np.float32), np.linspace(-0.5, 0.5, 5000, dtype=np.float32)
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "sound.wav")
            for append in (False, True):
                tb = gr.top_block()
                sink = blocks.wavfile_sink(path, 2, 8000, blocks.FORMAT_WAV, blocks.FORMAT_PCM_16, append)
                for port, data in enumerate((left, right)):
                    tb.connect(blocks.vector_source_f(data.tolist()), (sink, port))
                tb.run()
            source = blocks.wavfile_source(path)
            self.assertEqual((source.channels(), source.sample_rate(), source.bits_per_sample()), (2, 8000, 16))
            tb, sinks = gr.top_block(), [blocks.vector_sink_f() for _ in range(2)]
            for port, sink in enumerate(sinks):
                tb.connect((source, port), sink)
            tb.run()
            for sink, data in zip(sinks, (left, right)):
                np.testing.assert_allclose(sink.data(), np.tile(data, 2), atol=2**-15)
            head, sink = blocks.head(gr.sizeof_float, 25_000), blocks.vector_sink_f()
            tb = gr.top_block()
            tb.connect(blocks.wavfile_source(path, True), head, sink)
            tb.run()
            np.testing.assert_allclose(sink.data(), np.tile(left, 5), atol=2**-15)
            with self.assertRaisesRegex(RuntimeError, "nothing.wav"):
                blocks.wavfile_source(str(Path(folder) / "nothing.wav"))

    def test_items_between_tags_become_pdus(self):
        tags = [tag(offset, key, True) for offset, key in [(10, "SOB"), (15, "EOB"), (20, "SOB"), (22, "EOB")]]
        source = blocks.vector_source_b(list(range(100)), False, 1, tags)
        to_pdu = pdu.tags_to_pdu_b(pmt.intern("SOB"), pmt.intern("EOB"), 1000, 10.0, [77], True, 0, 3.5)
        to_pdu.set_eob_parameters(4, 0)
        to_pdu.enable_time_debug(False)
        store, starts = blocks.message_debug(), blocks.message_debug()
        tb = gr.top_block()
        tb.connect(source, to_pdu)
        tb.msg_connect(to_pdu, "pdus", store, "store")
        tb.msg_connect(to_pdu, "detects", starts, "store")
        tb.run()
        self.assertEqual([pmt.to_uint64(starts.get_message(place)) for place in range(2)], [10, 20])
        for place, (seconds, items) in enumerate([(4, [77, 10, 11, 12, 13, 14, 0, 0]), (5, [77, 20, 21, 0])]):
            meta, data = pmt.car(store.get_message(place)), pmt.cdr(store.get_message(place))
            self.assertEqual(list(pmt.u8vector_elements(data)), items)
            time = pmt.dict_ref(meta, pmt.intern("rx_time"), pmt.PMT_NIL)
            self.assertEqual(pmt.to_uint64(pmt.tuple_ref(time, 0)), seconds)
            self.assertEqual(pmt.to_double(pmt.tuple_ref(time, 1)), 0.5)
            self.assertEqual(pmt.to_uint64(pmt.dict_ref(meta, pmt.intern("pdu_num"), pmt.PMT_NIL)), place)
            self.assertEqual(pmt.to_double(pmt.dict_ref(meta, pmt.intern("sample_rate"), pmt.PMT_NIL)), 10.0)

    def test_small_blocks_give_what_gnu_radio_gives(self):
        def given(source, block, sink):
            tb = gr.top_block()
            tb.connect(source, block, sink)
            tb.run()
            return sink.data()

        order = [0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11]
        rows = blocks.matrix_interleaver(gr.sizeof_char, 3, 4)
        self.assertEqual(given(blocks.vector_source_b(range(12)), rows, blocks.vector_sink_b()), order)
        back = blocks.matrix_interleaver(gr.sizeof_char, 3, 4, True)
        self.assertEqual(given(blocks.vector_source_b(order), back, blocks.vector_sink_b()), list(range(12)))
        pairs = blocks.matrix_interleaver(2 * gr.sizeof_short, 1, 2)
        self.assertEqual(given(blocks.vector_source_s(range(8), False, 2), pairs, blocks.vector_sink_s(2)), list(range(8)))
        level = given(blocks.vector_source_f([1.0, -1.0] * 20), fft.goertzel_fc(8000, 40, 4000), blocks.vector_sink_c())
        np.testing.assert_allclose(level, [1.0], atol=1e-6)
        sound = [0, 1000, -1000, 32767]
        codes = given(blocks.vector_source_s(sound), vocoder.ulaw_encode_sb(), blocks.vector_sink_b())
        self.assertEqual(codes, [255, 206, 78, 128])
        heard = given(blocks.vector_source_b(codes), vocoder.ulaw_decode_bs(), blocks.vector_sink_s())
        self.assertEqual(heard, [0, 988, -988, 32124])

    def test_outputs_that_may_stay_unconnected_need_no_reader(self):
        levels = [0, 0, 0, -1, 1, 0, 0, 0, 0]
        for has_average in (False, True):
            detector = blocks.peak_detector2_fb(2.0, 3, 0.1)
            peaks, averages = blocks.vector_sink_b(), blocks.vector_sink_f()
            tb = gr.top_block()
            tb.connect(blocks.vector_source_f(levels), detector, peaks)
            if has_average:
                tb.connect((detector, 1), averages)
            tb.run()
            self.assertEqual(peaks.data(), [0, 0, 0, 0, 1, 0, 0, 0, 0])
        np.testing.assert_allclose(averages.data()[:6], [0, 0, 0, -0.1, 0.01, 0.009], atol=1e-6)

    def test_blocks_that_answer_each_other_end_when_the_flowgraph_stops(self):
        class answerer(gr.basic_block):
            def __init__(self):
                gr.basic_block.__init__(self, name="answerer", in_sig=None, out_sig=None)
                self.message_port_register_in(pmt.intern("in"))
                self.message_port_register_out(pmt.intern("out"))
                self.set_msg_handler(pmt.intern("in"), self.handle)
                self.count = 0

            def handle(self, message):
                self.count += 1
                self.message_port_pub(pmt.intern("out"), message)

        first, second = answerer(), answerer()
        self.tb.msg_connect(first, "out", second, "in")
        self.tb.msg_connect(second, "out", first, "in")
        self.tb.start()
        first.to_basic_block()._post(pmt.intern("in"), pmt.PMT_T)
        deadline = time.monotonic() + 10
        while second.count < 100 and time.monotonic() < deadline:
            time.sleep(0.01)
        self.tb.stop()
        waiting = threading.Thread(target=self.tb.wait, daemon=True)
        waiting.start()
        waiting.join(10)
        self.assertFalse(waiting.is_alive(), "the flowgraph goes on")
        self.assertGreaterEqual(second.count, 100)

    def test_an_exception_in_work_reaches_the_script(self):
        class broken(gr.sync_block):
            def __init__(self):
                gr.sync_block.__init__(self, "broken", in_sig=[np.float32], out_sig=[np.float32])

            def work(self, input_items, output_items):
                raise RuntimeError("no luck")

        with self.assertRaises(superhet.errors.BlockFailed) as caught:
            self.through(broken())
        self.assertIn("no luck", str(caught.exception.__cause__))

    def test_a_python_block_gets_large_chunks_and_shows_what_the_lock_costs(self):
        calls = []

        class watch(gr.sync_block):
            def __init__(self):
                gr.sync_block.__init__(self, "watch", in_sig=[np.float32], out_sig=None)

            def work(self, input_items, output_items):
                calls.append(len(input_items[0]))
                return len(input_items[0])

        source = blocks.null_source(gr.sizeof_float)
        self.tb.connect(source, blocks.head(gr.sizeof_float, 10_000_000), watch())
        self.tb.run()
        self.assertEqual(sum(calls), 10_000_000)
        self.assertGreater(np.mean(calls), 10_000)


class Installing(unittest.TestCase):
    def run_python(self, code, *args):
        return subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code), *args], capture_output=True, text=True, timeout=60
        )

    def test_the_names_are_taken_in_one_process_and_never_over_an_installed_gnu_radio(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "gnuradio").mkdir()
            (Path(folder) / "gnuradio" / "__init__.py").write_text("real = True\n")
            done = self.run_python(
                """
                import sys, superhet.gnuradio
                sys.path.insert(0, sys.argv[1])
                try:
                    superhet.gnuradio.install()
                except ImportError as error:
                    print(error)
                import gnuradio
                assert gnuradio.real
                superhet.gnuradio.install(shadow=True)
                from gnuradio import gr
                superhet.gnuradio.uninstall()
                import gnuradio
                assert gnuradio.real
                """,
                folder,
            )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("gnuradio is installed here", done.stdout)

    def test_a_script_gets_its_arguments_and_its_exit_status(self):
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder) / "script.py"
            script.write_text("import sys\nfrom gnuradio import gr\nsys.exit(len(sys.argv) + 40)\n")
            words = [sys.executable, "-m", "superhet.gnuradio", str(script), "a"]
            self.assertEqual(subprocess.run(words, timeout=60).returncode, 42)
            words = [sys.executable, "-m", "superhet.gnuradio", str(script) + "x"]
            self.assertEqual(subprocess.run(words, timeout=60, capture_output=True).returncode, 2)

    def test_every_script_in_gnu_radios_style_runs(self):
        for script in sorted(SCRIPTS.glob("*.py")):
            if script.name == "common.py":
                continue
            with self.subTest(script.name), tempfile.TemporaryDirectory() as folder:
                items = "100" if script.name == "message_strobe.py" else "20000"
                words = [sys.executable, "-m", "superhet.gnuradio", str(script), "--out", folder, "--items", items]
                done = subprocess.run(words, capture_output=True, text=True, timeout=120)
                self.assertEqual(done.returncode, 0, done.stderr[-2000:])
                self.assertTrue((Path(folder) / "tolerances.json").exists())


class Names(unittest.TestCase):
    def test_a_block_may_give_its_own_parts_the_names_that_it_likes(self):
        class own(gr.sync_block):
            def __init__(self):
                gr.sync_block.__init__(self, "own", ["f4"], ["f4"])
                for name in "in out ratio multiple call history io fixed written read policy waiting room done step work state rate".split():
                    setattr(self, f"_{name}", 2.0)

            def work(self, input_items, output_items):
                output_items[0][:] = self._step * input_items[0]
                return len(output_items[0])

        tb, sink = gr.top_block(), blocks.vector_sink_f()
        tb.connect(blocks.vector_source_f([1, 2, 3]), own(), sink)
        tb.run()
        self.assertEqual(sink.data(), [2, 4, 6])


if __name__ == "__main__":
    unittest.main()
