"""Graphs of library blocks: built, run, watched, changed, and wrong ones."""

import asyncio
import signal
import threading
import time
import unittest

import numpy

import superhet


def chain(*blocks, **settings):
    """Runs blocks in a row."""
    graph = superhet.Graph()
    graph.connect(*blocks)
    graph.run(**settings)
    return graph


class Streams(unittest.TestCase):
    def test_arrays_go_through_a_graph_under_every_scheduler(self):
        data = numpy.arange(100_000, dtype="f4")
        for scheduler in ("adaptive", "single", "pinned", "threads"):
            sink = superhet.vector_sink()
            chain(superhet.vector_source(data), superhet.multiply_const(constant=2.0, item="f32"), sink, scheduler=scheduler)
            numpy.testing.assert_array_equal(sink.array, 2 * data)

    def test_a_graph_runs_again(self):
        sink = superhet.vector_sink()
        graph = chain(superhet.vector_source([1.0, 2.0]), sink)
        graph.run()
        self.assertEqual(sink.array.tolist(), [1, 2, 1, 2])

    def test_every_item_type_makes_the_round(self):
        for item, dtype in superhet.arrays.DTYPES.items():
            if item in ("C64", "f64", "i64", "u16", "u32", "u64"):
                continue
            shape = (5, 2) if item in ("cu8", "cs8", "cs16") else (5,)
            data = numpy.arange(numpy.prod(shape)).reshape(shape).astype(dtype)
            sink = superhet.vector_sink()
            chain(superhet.vector_source(data, item=item), superhet.copy(item=item), sink)
            numpy.testing.assert_array_equal(sink.array, data)
            self.assertEqual(sink.array.dtype, dtype)

    def test_an_array_that_is_not_contiguous_is_copied(self):
        sink = superhet.vector_sink()
        chain(superhet.vector_source(numpy.arange(10, dtype="f4")[::2]), sink)
        self.assertEqual(sink.array.tolist(), [0, 2, 4, 6, 8])

    def test_tags_come_with_their_items(self):
        source = superhet.vector_source([1.0, 2.0, 3.0], tags=[(1, "key", {"a": [1, 2j, "text", None]})])
        sink = superhet.vector_sink()
        chain(source, superhet.copy(item="f32"), sink)
        ((index, key, value, _),) = sink.tags
        self.assertEqual((index, key, value), (1, "key", {"a": [1, 2j, "text", None]}))

    def test_what_a_sink_has_comes_in_chunks_and_the_graph_waits_for_it(self):
        source = superhet.vector_source(numpy.arange(100_000, dtype="f4"))
        sink = superhet.vector_sink(limit=1000)
        graph = superhet.Graph()
        graph.connect(source, sink)
        with graph.start():
            chunks = list(sink.chunks(500))
        self.assertTrue(all(500 <= len(chunk) <= 1000 for chunk in chunks[:-1]))
        numpy.testing.assert_array_equal(numpy.concatenate(chunks), source.array)

    def test_what_a_sink_has_comes_to_asynchronous_code(self):
        sink = superhet.vector_sink(limit=1000)
        graph = superhet.Graph()
        graph.connect(superhet.vector_source(numpy.ones(5000, "f4")), sink)

        async def total():
            return sum([chunk.sum() async for chunk in sink.chunks(100)])

        with graph.start():
            self.assertEqual(asyncio.run(total()), 5000)

    def test_a_block_and_a_list_of_blocks_process_whole_arrays(self):
        double = superhet.multiply_const(constant=2.0, item="f32")
        x = numpy.array([1, 2], "f4")
        self.assertEqual(double.process(x).tolist(), [2, 4])
        self.assertEqual(superhet.process([double, superhet.add_const(constant=1.0, item="f32")], x).tolist(), [3, 5])


class Wrong(unittest.TestCase):
    def test_each_mistake_has_a_class_a_block_and_a_port(self):
        graph = superhet.Graph()
        graph.connect(superhet.null_source(item="C32"), superhet.null_sink(item="f32"))
        with self.assertRaises(superhet.errors.TypeMismatch) as caught:
            graph.run()
        self.assertEqual((caught.exception.block, caught.exception.port), ("null_sink", "null_sink.in"))
        graph = superhet.Graph()
        graph.add(superhet.null_sink())
        with self.assertRaises(superhet.errors.UnconnectedInput):
            graph.check()

    def test_all_mistakes_come_at_once(self):
        graph = superhet.Graph()
        graph.add(superhet.null_sink())
        graph.add(superhet.null_source())
        with self.assertRaises(superhet.errors.GraphError) as caught:
            graph.check()
        self.assertEqual(len(caught.exception.mistakes), 2)

    def test_what_is_not_there_says_what_is_near(self):
        with self.assertRaisesRegex(AttributeError, "did you mean multiply_const"):
            superhet.mutiply_const
        with self.assertRaisesRegex(TypeError, "did you mean constant"):
            superhet.multiply_const(cnstant=1)
        with self.assertRaisesRegex(TypeError, "needs constant"):
            superhet.multiply_const()
        graph = superhet.Graph()
        graph.connect(superhet.null_source()["outt"], superhet.null_sink())
        with self.assertRaises(superhet.errors.GraphError) as caught:
            graph.check()
        self.assertIsInstance(caught.exception.mistakes[0], superhet.errors.UnknownPort)

    def test_a_parameter_out_of_range_is_named(self):
        with self.assertRaises(superhet.errors.ParameterError) as caught:
            superhet.head(items=-1)
        self.assertIn("items", caught.exception.problems)

    def test_arrays_of_the_wrong_shape_are_refused(self):
        with self.assertRaisesRegex(ValueError, "one dimension"):
            superhet.vector_source(numpy.zeros((2, 2), "f4"))
        with self.assertRaisesRegex(ValueError, "rows of two"):
            superhet.vector_source(numpy.zeros(4, "u1"), item="cu8")
        with self.assertRaises(TypeError):
            superhet.vector_source(numpy.array(["text"]))


class Running(unittest.TestCase):
    def endless(self):
        graph = superhet.Graph()
        self.gain = superhet.multiply_const(constant=1.0, item="f32", name="gain")
        graph.connect(superhet.null_source(item="f32"), self.gain, superhet.null_sink(item="f32"))
        return graph

    def test_a_graph_is_stopped_at_the_end_of_a_with_block(self):
        with self.endless().start() as running:
            self.assertFalse(running.wait(0.05))
        self.assertTrue(running.ended)

    def test_parameters_change_while_it_runs(self):
        with self.endless().start() as running:
            self.assertIn("gain.constant", running.parameters)
            self.assertIsNotNone(running.set(self.gain, "constant", 3.0))
            self.assertEqual(running.get("gain", "constant"), 3.0)
            with self.assertRaises(superhet.errors.UnknownParameter):
                running.set("gain", "volume", 1.0)
            with self.assertRaises(superhet.errors.ParameterError):
                running.set("gain", "constant", "loud")

    def test_metrics_count_items(self):
        graph = superhet.Graph()
        graph.connect(superhet.vector_source(numpy.ones(1000, "f4")), superhet.null_sink(item="f32"))
        running = graph.start()
        running.wait()
        blocks = {block["name"]: block for block in running.metrics["blocks"]}
        self.assertEqual(blocks["null_sink"]["inputs"][0]["items"], 1000)

    def test_an_interrupt_stops_the_graph(self):
        # A program that was started in the background may have been told to ignore it.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, before)
        timer = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])
        timer.start()
        start = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            self.endless().run()
        self.assertLess(time.monotonic() - start, 10)

    def test_a_thousand_starts_and_stops_leave_no_memory_behind(self):
        def kibibytes():
            with open("/proc/self/statm") as statm:
                return int(statm.read().split()[1]) * 4

        sizes = []
        for turn in range(1000):
            running = self.endless().start(workers=1)
            running.stop()
            if turn in (200, 999):
                sizes.append(kibibytes())
        self.assertLess(sizes[1] - sizes[0], 8 << 10)


class Messages(unittest.TestCase):
    def test_values_and_packets_reach_a_block_in_python_and_come_from_outside(self):
        got = []

        class Listener(superhet.Block):
            message_inputs = ("in",)

            def work(self, io):
                got.extend(io.messages("in"))
                return superhet.DONE if len(got) == 3 else None

        graph = superhet.Graph()
        listener = graph.add(Listener())
        running = graph.start()
        values = [{"a": 1, "b": [2.5, "x", None, True]}, b"bytes", superhet.Packet(numpy.arange(3, dtype="f4"), {"k": 1})]
        for value in values:
            running.message(listener["in"], value)
        running.wait(10)
        self.assertEqual(got, values)


class Pictures(unittest.TestCase):
    def test_a_graph_and_a_block_are_drawn(self):
        import xml.dom.minidom

        graph = superhet.Graph()
        graph.connect(superhet.null_source(), superhet.null_sink(name="<the sink>"))
        for drawn in (graph, superhet.null_source()):
            xml.dom.minidom.parseString(drawn._repr_svg_())
        self.assertIn("&lt;the sink&gt;", graph._repr_svg_())


class Catalogue(unittest.TestCase):
    def test_every_block_is_a_class_with_documentation_and_a_signature(self):
        import inspect

        for name in dir(superhet.blocks):
            made = getattr(superhet.blocks, name)
            self.assertEqual(superhet.blocks.class_name(made.kind), name)
            self.assertGreater(len(inspect.getdoc(made)), 40)
            inspect.signature(made)


if __name__ == "__main__":
    unittest.main()
