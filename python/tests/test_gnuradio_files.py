"""Files by GNU Radio's names: tags at the start, metadata, bursts, descriptors. Values are those of GNU Radio 3.10.5."""

import json
import os
import tempfile
import unittest
from pathlib import Path

import numpy as np

import superhet.gnuradio

superhet.gnuradio.install(shadow=True)

import pmt  # noqa: E402
from gnuradio import blocks, gr  # noqa: E402


def tag(offset, key, value):
    made = gr.tag_t()
    made.offset, made.key, made.value = offset, pmt.intern(key), value
    return made


def run(*chain):
    tb = gr.top_block()
    tb.connect(*chain)
    tb.run()


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = str(Path(self.folder.name) / "items")

    def test_a_tag_at_the_start_counts_the_passes(self):
        np.arange(10, dtype="f4").tofile(self.path)
        source, sink = blocks.file_source(4, self.path, True), blocks.vector_sink_f()
        source.set_begin_tag(pmt.intern("pass"))
        run(source, blocks.head(4, 35), sink)
        self.assertEqual([(t.offset, pmt.to_long(t.value)) for t in sink.tags()], [(0, 0), (10, 1), (20, 2), (30, 3)])
        self.assertEqual(sink.data()[9:12], [9.0, 0.0, 1.0])
        with self.assertRaises(RuntimeError):
            blocks.file_source(4, self.path + ".none")

    def test_a_source_can_begin_elsewhere(self):
        np.arange(10, dtype="f4").tofile(self.path)
        source, sink = blocks.file_source(4, self.path), blocks.vector_sink_f()
        self.assertTrue(source.seek(7, 0))
        self.assertFalse(source.seek(11, 0))
        run(source, sink)
        self.assertEqual(sink.data(), [7.0, 8.0, 9.0])

    def test_metadata_comes_back_as_tags(self):
        extra = pmt.dict_add(pmt.make_dict(), pmt.intern("hello"), pmt.from_long(7))
        tags = [tag(3, "rx_freq", pmt.from_double(4)), tag(6, "rx_rate", pmt.from_double(5e3)), tag(6, "foo", pmt.from_long(5))]
        for detached in (False, True):
            sink = blocks.file_meta_sink(8, self.path, 1e3, 1, blocks.GR_FILE_FLOAT, True, 1_000_000, extra, detached)
            run(blocks.vector_source_c(range(10), False, 1, tags), sink)
            if not detached:
                self.assertEqual(os.path.getsize(self.path), 630)
            got = blocks.vector_sink_c()
            run(blocks.file_meta_source(self.path, False, detached), got)
            self.assertEqual(got.data(), list(range(10)))
            said = {(t.offset, pmt.symbol_to_string(t.key)): pmt.to_python(t.value) for t in got.tags()}
            self.assertEqual([said[offset, "rx_rate"] for offset in (0, 3, 6)], [1e3, 1e3, 5e3])
            self.assertEqual((said[3, "rx_freq"], said[6, "foo"], said[6, "hello"]), (4.0, 5, 7))
            self.assertNotIn((0, "rx_freq"), said)

    def test_segments_end_after_so_many_items_and_say_their_time(self):
        sink = blocks.file_meta_sink(4, self.path, 2.0, 1, blocks.GR_FILE_FLOAT, False, 3)
        run(blocks.vector_source_f(range(10)), sink)
        got = blocks.vector_sink_f()
        run(blocks.file_meta_source(self.path), got)
        self.assertEqual(got.data(), list(range(10)))
        times = {t.offset: pmt.to_python(t.value) for t in got.tags() if pmt.symbol_to_string(t.key) == "rx_time"}
        self.assertEqual(times, {0: (0, 0.0), 3: (1, 0.5), 6: (3, 0.0), 9: (4, 0.5)})

    def test_each_burst_has_a_file(self):
        tags = [tag(3, "burst", pmt.PMT_T), tag(7, "burst", pmt.PMT_F)]
        before = os.getcwd()
        os.chdir(self.folder.name)
        self.addCleanup(os.chdir, before)
        sink = blocks.tagged_file_sink(4, 1e3)
        run(blocks.vector_source_f(range(10), False, 1, tags), sink)
        name = f"file{sink.unique_id()}_0_0.00300000.dat"
        self.assertEqual(np.fromfile(name, "f4").tolist(), [3, 4, 5, 6])

    def test_a_recording_of_sigmf(self):
        run(blocks.vector_source_c(range(10)), blocks.sigmf_sink_minimal(8, f"{self.path}.sigmf-data", 1e6, 1e8, "me", "what", "with", True))
        self.assertEqual(os.path.getsize(f"{self.path}.sigmf-data"), 80)
        said = json.loads(Path(f"{self.path}.sigmf-meta").read_text())
        self.assertEqual((said["global"]["core:datatype"], said["global"]["core:sample_rate"]), ("cf32_le", 1e6))
        self.assertEqual(said["captures"], [{"core:sample_start": 0, "core:frequency": 1e8}])

    def test_descriptors_are_written_and_read(self):
        run(blocks.vector_source_s(range(1000)), blocks.file_descriptor_sink(2, os.open(self.path, os.O_WRONLY | os.O_CREAT)))
        sink = blocks.vector_sink_s()
        run(blocks.file_descriptor_source(2, os.open(self.path, os.O_RDONLY), False), sink)
        self.assertEqual(sink.data(), list(range(1000)))
        again = blocks.vector_sink_s()
        run(blocks.file_descriptor_source(2, os.open(self.path, os.O_RDONLY), True), blocks.head(2, 1500), again)
        self.assertEqual(again.data()[999:1002], [999, 0, 1])


class Setters(unittest.TestCase):
    def test_arguments_change_while_it_runs_where_the_block_has_to_be_made_anew(self):
        import time

        tb = gr.top_block()
        keep, repeat, probe = blocks.keep_one_in_n(4, 2), blocks.repeat(4, 2), blocks.probe_signal_f()
        source = blocks.vector_source_f([1, 2, 3, 4], True)
        tb.connect(source, blocks.throttle(4, 1e6), keep, repeat, probe)
        tb.start()
        try:
            keep.set_n(4)
            repeat.set_interpolation(3)
            self.assertEqual((keep.n(), repeat.interpolation()), (4, 3))
            deadline = time.monotonic() + 60
            while probe.level() == 0 and time.monotonic() < deadline:
                time.sleep(0.01)
            self.assertGreater(probe.level(), 0)
        finally:
            tb.stop()
            tb.wait()

    def test_arguments_change_before_the_start(self):
        tb, keep, sink = gr.top_block(), blocks.keep_m_in_n(4, 1, 2, 0), blocks.vector_sink_f()
        keep.set_offset(1)
        keep.set_m(2)
        keep.set_n(4)
        tb.connect(blocks.vector_source_f(range(8)), keep, sink)
        tb.run()
        self.assertEqual(sink.data(), [1, 2, 5, 6])

    def test_the_tags_of_a_debug_sink(self):
        sink = blocks.tag_debug(4, "tags", "a")
        sink.set_display(False)
        sink.set_save_all(True)
        run(blocks.vector_source_f(range(8), False, 1, [tag(5, "a", pmt.PMT_T), tag(2, "b", pmt.PMT_T)]), sink)
        self.assertEqual((sink.num_tags(), sink.current_tags()[0].offset), (1, 5))

    def test_a_trigger_tags_bursts(self):
        tb, tagger, sink = gr.top_block(), blocks.burst_tagger(4), blocks.vector_sink_f()
        tagger.set_true_tag("on", True)
        tb.connect(blocks.vector_source_f(range(8)), tagger, sink)
        tb.connect(blocks.vector_source_s([0, 0, 1, 1, 0, 0, 1, 1]), (tagger, 1))
        tb.run()
        self.assertEqual([(t.offset, pmt.to_python(t.key)) for t in sink.tags()], [(2, "on"), (4, "burst"), (6, "on")])


if __name__ == "__main__":
    unittest.main()
