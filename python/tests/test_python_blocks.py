"""Blocks that are written in Python: what they can do, and what they cannot do to the graph."""

import subprocess
import sys
import textwrap
import threading
import time
import traceback
import unittest

import numpy

import superhet


@superhet.block("f32", "f32")
def half(x, y):
    numpy.multiply(x, 0.5, out=y)


class Quarter(superhet.Block):
    """Every fourth item; what lies a quarter of the rate above the centre counts as 0 Hz."""

    inputs = superhet.Stream("f32", multiple=4)
    outputs = "f32"
    ratio = (1, 4)
    shift = 0.25

    def work(self, io):
        n = min(len(io.inputs[0]) // 4, len(io.outputs[0]))
        io.outputs[0][:n] = io.inputs[0][: 4 * n : 4]
        io.consume(0, 4 * n)
        io.produce(0, n)


class Clocks(unittest.TestCase):
    def test_tags_say_the_rate_and_the_centre_behind_a_block(self):
        tags = [(0, "rx_freq", 100e6), (0, "rx_rate", 1e6), (8, "rx_rate", 2e6)]
        source, sink, graph = superhet.vector_source(numpy.ones(16, "f4"), tags=tags), superhet.vector_sink(), superhet.Graph()
        graph.connect(source, Quarter(), sink)
        graph.run()
        said = sorted((tag.index, tag.key, tag.value) for tag in sink.tags)
        wanted = [(0, "rx_freq", 100.25e6), (0, "rx_rate", 250e3), (2, "rx_freq", 100.5e6), (2, "rx_rate", 500e3)]
        self.assertEqual(said, wanted)


class Functions(unittest.TestCase):
    def test_a_function_gives_arrays_or_writes_them(self):
        x = numpy.arange(100_000, dtype="f4")
        numpy.testing.assert_array_equal(half().process(x), x / 2)
        double = superhet.block("f32", "f32")(lambda x: 2 * x)
        numpy.testing.assert_array_equal(double().process(x), 2 * x)

    def test_several_ports_and_ratios(self):
        @superhet.block(["f32", "f32"], ["f32", "f32"])
        def sum_and_difference(a, b):
            return a + b, a - b

        a, b = numpy.arange(10, dtype="f4"), numpy.ones(10, "f4")
        both = sum_and_difference().process(a, b)
        numpy.testing.assert_array_equal(both[0], a + b)
        numpy.testing.assert_array_equal(both[1], a - b)

        @superhet.block("f32", "f32", ratio=(1, 4))
        def mean(x, y):
            numpy.mean(x.reshape(-1, 4), axis=1, out=y)

        x = numpy.arange(4003, dtype="f4")
        numpy.testing.assert_allclose(mean().process(x), x[:4000].reshape(-1, 4).mean(axis=1))

    def test_an_output_of_the_wrong_length_is_named(self):
        short = superhet.block("f32", "f32")(lambda x: x[:-1])
        with self.assertRaises(superhet.errors.BlockFailed) as caught:
            short().process(numpy.ones(10, "f4"))
        self.assertIn("(9,)", str(caught.exception.__cause__))


class Classes(unittest.TestCase):
    def test_history_shows_what_came_before(self):
        class Difference(superhet.Block):
            inputs = superhet.Stream("f32", history=1)
            outputs = "f32"

            def work(self, io):
                x, y = io.inputs[0], io.outputs[0]
                n = min(len(x) - 1, len(y))
                numpy.subtract(x[1 : n + 1], x[:n], out=y[:n])
                io.consume("in", n)
                io.produce("out", n)

        x = numpy.cumsum(numpy.arange(50_000) % 7).astype("f4")
        numpy.testing.assert_array_equal(Difference().process(x), numpy.diff(x, prepend=0))

    def test_tags_are_seen_carried_and_put(self):
        seen = []

        class Tagger(superhet.Block):
            inputs = outputs = "f32"

            def work(self, io):
                n = min(len(io.inputs[0]), len(io.outputs[0]))
                io.outputs[0][:n] = io.inputs[0][:n]
                seen.extend(io.tags("in"))
                if io.written_index("out") == 0 and n:
                    io.put_tag("out", 0, "first", 1.5)
                io.consume("in", n)
                io.produce("out", n)

        sink = superhet.vector_sink()
        graph = superhet.Graph()
        source = superhet.vector_source(numpy.zeros(10, "f4"), tags=[(3, "k", "v")])
        graph.connect(source, Tagger(), sink)
        graph.run()
        self.assertEqual([(index, key, value) for index, key, value, _ in seen], [(3, "k", "v")])
        tags = [(tag.index, tag.key, tag.value, tag.source) for tag in sink.tags]
        self.assertEqual(tags, [(0, "first", 1.5, "Tagger"), (3, "k", "v", "vector_source")])

    def test_messages_come_and_go(self):
        class Counter(superhet.Block):
            message_inputs, message_outputs = ("in",), ("out",)
            count = 0

            def work(self, io):
                for message in io.messages("in"):
                    self.count += 1
                    io.send("out", {"count": self.count, "message": message})

        got = []

        class Last(superhet.Block):
            message_inputs = ("in",)

            def work(self, io):
                got.extend(io.messages("in"))

        graph = superhet.Graph()
        counter = Counter()
        graph.connect(superhet.message_strobe(message="tick", period_s=0.001), counter, Last())
        with graph.start() as running:
            deadline = time.monotonic() + 10
            while len(got) < 3 and time.monotonic() < deadline:
                time.sleep(0.01)
        self.assertEqual(got[:2], [{"count": 1, "message": "tick"}, {"count": 2, "message": "tick"}])

    def test_messages_that_a_call_does_not_ask_for_wait_for_the_next(self):
        got = []

        class Later(superhet.Block):
            message_inputs = ("in",)
            calls = 0

            def work(self, io):
                self.calls += 1
                if self.calls > 1:
                    got.extend(io.messages("in"))
                return superhet.DONE if len(got) == 2 else None

        graph = superhet.Graph()
        later = graph.add(Later())
        running = graph.start()
        running.message(later["in"], 1)
        time.sleep(0.05)
        running.message(later["in"], 2)
        self.assertTrue(running.wait(10))
        self.assertEqual(got, [1, 2])

    def test_tags_beyond_the_last_item_are_handed_on(self):
        class Copy(superhet.Block):
            inputs = outputs = "f32"

            def work(self, io):
                n = min(len(io.inputs[0]), len(io.outputs[0]))
                io.outputs[0][:n] = io.inputs[0][:n]
                io.consume(0, n)
                io.produce(0, n)

        # The fifth item makes no second one, but its tag has a place there.
        source = superhet.vector_source(numpy.arange(5, dtype="f4"), tags=[(4, "last", 1)])
        sink = superhet.vector_sink()
        graph = superhet.Graph()
        graph.connect(source, superhet.keep_one_in_n(item="f32", n=2), Copy(), sink)
        graph.run()
        self.assertEqual((len(sink.array), [(tag.index, tag.key) for tag in sink.tags]), (2, [(2, "last")]))

    def test_large_chunks_come_while_there_is_much(self):
        calls = []

        class Watch(superhet.Block):
            inputs = superhet.Stream("f32", min=10_000)

            def work(self, io):
                calls.append((len(io.inputs[0]), io.ending))
                io.consume(0, len(io.inputs[0]))

        graph = superhet.Graph()
        graph.connect(superhet.vector_source(numpy.ones(123_456, "f4")), Watch())
        graph.run()
        self.assertEqual(sum(items for items, _ in calls), 123_456)
        self.assertTrue(all(items >= 10_000 or ending for items, ending in calls))

    def test_a_block_that_leaves_the_rest_of_its_input_ends(self):
        class Hundreds(superhet.Block):
            inputs, outputs = "f32", "f32"

            def __init__(self, least):
                self.least = least

            def work(self, io):
                n = min(len(io.inputs[0]), len(io.outputs[0])) // self.least * self.least
                io.outputs[0][:n] = io.inputs[0][:n]
                io.consume(0, n)
                io.produce(0, n)

        for scheduler in ("single", "adaptive", "threads"):
            for items, least in [(1050, 100), (100_050, 100), (10, 100), (100, 100)]:
                block, sink = Hundreds(least), superhet.vector_sink()
                graph = superhet.Graph()
                graph.connect(superhet.vector_source(numpy.ones(items, "f4")), block, sink)
                running = graph.start(scheduler)
                self.assertTrue(running.wait(30), f"{scheduler}, {items} items")
                self.assertEqual(len(sink), items // least * least)

    def test_waiting_for_pythons_lock_is_in_the_metrics(self):
        graph = superhet.Graph()
        graph.connect(superhet.vector_source(numpy.ones(10, "f4")), half(), superhet.null_sink(item="f32"))
        running = graph.start()
        running.wait()
        blocks = {block["name"]: block for block in running.metrics["blocks"]}
        self.assertGreaterEqual(blocks["half"]["lock_wait_s"], 0)
        self.assertNotIn("lock_wait_s", blocks["null_sink"])


class Hostile(unittest.TestCase):
    def fails(self, work, items=1000, **ports):
        ports = ports or {"inputs": "f32", "outputs": "f32"}
        block = type("Hostile", (superhet.Block,), {**ports, "work": work})()
        graph = superhet.Graph()
        graph.connect(superhet.vector_source(numpy.ones(items, "f4")), block, superhet.null_sink(item="f32"))
        with self.assertRaises(superhet.errors.BlockFailed) as caught:
            graph.run()
        self.assertEqual(caught.exception.block, "Hostile")
        return caught.exception

    def test_an_exception_ends_the_graph_with_its_traceback(self):
        def work(self, io):
            return {}["nothing"]

        failed = self.fails(work)
        self.assertIsInstance(failed.__cause__, KeyError)
        self.assertIn('return {}["nothing"]', "".join(traceback.format_exception(failed)))

    def test_too_much_is_an_error(self):
        self.assertIn("2000 items consumed", str(self.fails(lambda self, io: io.consume(0, 2000)).__cause__))
        self.assertIn("-1 items produced", str(self.fails(lambda self, io: io.produce(0, -1)).__cause__))

        def twice(self, io):
            io.consume(0, len(io.inputs[0]))
            io.consume(0, 1)

        self.assertIn("1001 items consumed", str(self.fails(twice).__cause__))

    def test_a_view_that_is_kept_is_an_error_and_stays_valid(self):
        kept = []

        def work(self, io):
            kept.append(io.inputs[0][3:5])
            io.consume(0, 1)

        self.assertIn("keeps a view of in", str(self.fails(work).__cause__))
        self.assertEqual(kept[0].tolist(), [1, 1])

        def base(self, io):
            kept.append(io.outputs[0].base)

        self.assertIn("keeps a view of out", str(self.fails(base).__cause__))
        self.assertGreater(len(bytes(kept[1])), 0)

    def test_ports_are_of_no_use_after_the_call(self):
        kept = []

        class Keeps(superhet.Block):
            inputs = "f32"

            def work(self, io):
                kept.append(io)
                io.consume(0, len(io.inputs[0]))

        graph = superhet.Graph()
        graph.connect(superhet.vector_source(numpy.ones(10, "f4")), Keeps())
        graph.run()
        for use in (lambda: kept[0].inputs, lambda: kept[0].consume(0, 1), lambda: kept[0].put_tag(0, 0, "", 0)):
            with self.assertRaises(RuntimeError):
                use()

    def test_an_input_cannot_be_written(self):
        def work(self, io):
            io.inputs[0][0] = 1

        self.assertIn("read-only", str(self.fails(work).__cause__))

    def test_values_that_are_none_and_ports_that_are_not_there(self):
        self.assertIn("there is no input 7", str(self.fails(lambda self, io: io.consume(7, 1)).__cause__))
        self.assertIn("object is no value", str(self.fails(lambda self, io: io.put_tag(0, 0, "k", object())).__cause__))
        with self.assertRaisesRegex(ValueError, "there is no item type f23"):
            superhet.Stream("f23")

    def test_work_that_never_comes_back_is_left_behind_in_time(self):
        until = threading.Event()

        class Waits(superhet.Block):
            outputs = "f32"
            blocking = True

            def work(self, io):
                until.wait(60)

        graph = superhet.Graph()
        graph.connect(Waits(), superhet.null_sink(item="f32"))
        running = graph.start()
        time.sleep(0.2)
        start = time.monotonic()
        with self.assertRaises(superhet.errors.DidNotStop) as caught:
            running.stop(0.2)
        self.assertLess(time.monotonic() - start, 30)
        self.assertIn("Waits", caught.exception.block)
        until.set()

    def test_the_interpreter_ends_well_while_blocks_are_at_work_or_left_behind(self):
        code = """
            import threading, time, numpy, superhet
            until = threading.Event()
            class Waits(superhet.Block):
                outputs = "f32"
                blocking = True
                def work(self, io):
                    until.wait(60)
            class Busy(superhet.Block):
                outputs = "f32"
                def work(self, io):
                    io.outputs[0][:] = 1
                    io.produce(0, len(io.outputs[0]))
            running = []
            for block in (Waits(), Busy(), Busy()):
                graph = superhet.Graph()
                graph.connect(block, superhet.null_sink(item="f32"))
                running.append(graph.start())
            time.sleep(0.1)
            try:
                running[0].stop(0.1)
            except superhet.errors.DidNotStop:
                until.set()
        """
        for _ in range(5):
            done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
