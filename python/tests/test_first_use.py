"""What somebody meets first: constructors, their mistakes, help, types of results, the command."""

import importlib.metadata
import inspect
import io
import json
import pydoc
import signal
import subprocess
import sys
import tempfile
import traceback
import unittest
from pathlib import Path

import numpy

import superhet
from superhet.errors import ParameterError


def said(error):
    """What the line of this file that an exception passed by says."""
    lines = traceback.extract_tb(error.__traceback__)
    return [line.line for line in lines if line.filename == __file__][-1]


class Constructors(unittest.TestCase):
    def test_values_without_a_name_are_the_parameters_without_a_default(self):
        self.assertEqual(superhet.multiply_const(2).params, {"constant": 2})
        self.assertEqual(superhet.multiply_const(2j).params["constant_imag"], 2.0)
        self.assertEqual(superhet.fir_filter([1.0, 2.0], decimation=2).params, {"taps": [1.0, 2.0], "decimation": 2})
        self.assertEqual(superhet.file_sink("x.cf32").params["path"], "x.cf32")
        parameters = inspect.signature(superhet.fir_filter).parameters
        self.assertEqual(parameters["taps"].kind, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        self.assertEqual(parameters["decimation"].kind, inspect.Parameter.KEYWORD_ONLY)

    def test_more_values_than_that_are_a_mistake_that_says_what_to_write(self):
        for make, wanted in [
            (lambda: superhet.multiply_const(2, 3), "takes constant without a name, got 2: name the others, as in multiply_const(constant, item=...)"),
            (lambda: superhet.null_sink("f32"), "takes no value without a name, got 1: name the others, as in null_sink(item=...)"),
            (lambda: superhet.multiply_const(2, constant=3), "got constant twice"),
            (lambda: superhet.multiply_const(), "needs constant, as in multiply_const(constant, item=...)"),
        ]:
            with self.assertRaises(TypeError) as caught:
                make()
            self.assertIn(wanted, str(caught.exception))

    def test_a_mistake_is_named_on_the_line_that_has_it(self):
        for make, wanted in [
            (lambda: superhet.fir_filter([]), "taps"),
            (lambda: superhet.fir_filter([1.0], decimation=0), "decimation"),
            (lambda: superhet.fir_filter([1.0], decimation="two"), "decimation"),
            (lambda: superhet.rational_resampler(0, 1), "interpolation"),
            (lambda: superhet.multiply_const(2, item="f33"), "item: expected one of C32, f32"),
            (lambda: superhet.keep_m_in_n(3, 2), "m = 3: expected a whole number from 1 to n"),
            (lambda: superhet.wav_sink("x.wav", rate_hz=-1), "rate_hz"),
            (lambda: superhet.multiply_const(object()), "multiply_const: constant: a object is no value"),
            (lambda: superhet.multiply_const(1, item=object()), "multiply_const: item: a object is no value"),
            (lambda: superhet.head(2**70), "head: items: 1180591620717411303424 has more than 64 bits"),
            (lambda: superhet.firdes.low_pass(object(), 48e3, 1e3, 1e2), "gain: a object is no value"),
        ]:
            try:
                make()
            except ParameterError as error:
                self.assertIn(wanted, str(error))
                self.assertIn("lambda", said(error))
            else:
                self.fail(f"{wanted}: no mistake")

    def test_what_is_not_of_the_library_is_checked_at_once_too(self):
        for make, wanted in [
            (lambda: superhet.vector_source(5), r"expected an array of one dimension for i32 items, got the shape \(\)"),
            (lambda: superhet.vector_source([1.0], tags=[(0,)]), r"tags: expected tags, or \(index, key, value\) of each, got \(0,\)"),
            (lambda: superhet.vector_sink(limit=-1), "limit: expected a whole number from 1 on, got -1"),
            (lambda: superhet.Stream("f32", min=-1), "min: expected a whole number from 0 on, got -1"),
            (lambda: superhet.Stream("f32", multiple=0), "multiple: expected a whole number from 1 on, got 0"),
            (lambda: superhet.Stream("f32", history=1.5), "history: expected a whole number from 0 on, got 1.5"),
            (lambda: superhet.Stream("f32", min=10, max=5), "max: expected at least min, which is 10, got 5"),
            (lambda: superhet.block("f32", "f32", ratio=(0, 1))(abs)(), r"ratio: expected \(items out, items in\)"),
            (lambda: superhet.block("f32", "f32", ratio=2)(abs)(), "whole numbers from 1 on, got 2"),
            (lambda: superhet.block("f32", "f32")(5), "expected a function of arrays, got 5"),
            (lambda: superhet.Graph().add(superhet.null_sink(name="a.b")), "null_sink: name: expected a text without a dot"),
            (lambda: superhet.Graph().add(superhet.null_sink(name=5)), "null_sink: name: expected a text .* got 5"),
        ]:
            with self.assertRaisesRegex((TypeError, ValueError, superhet.Error), wanted):
                make()

    def test_a_former_name_is_understood_with_a_warning(self):
        with self.assertWarnsRegex(FutureWarning, "signal_source: freq_hz is called frequency_hz now") as caught:
            source = superhet.signal_source(rate_hz=8.0, freq_hz=2.0)
        self.assertEqual((source.params, caught.filename), ({"rate_hz": 8.0, "frequency_hz": 2.0}, __file__))
        with self.assertRaisesRegex(TypeError, "freq_hz is what frequency_hz was called before, and both are given"):
            superhet.signal_source(rate_hz=8.0, freq_hz=2.0, frequency_hz=3.0)

    def test_a_constructor_touches_no_file(self):
        with tempfile.TemporaryDirectory() as folder:
            superhet.file_sink(str(Path(folder) / "x.cf32"))
            superhet.sigmf_sink(str(Path(folder) / "x"), "cf32_le")
            superhet.file_source(str(Path(folder) / "not there.cf32"))
            self.assertEqual(list(Path(folder).iterdir()), [])


def giving(dtype):
    """A function that gives ones of that type."""
    return lambda x: numpy.ones(len(x), dtype)


class Casts(unittest.TestCase):
    def test_a_function_gives_numbers_of_the_kind_of_its_output(self):
        for item, given in [("i16", "f4"), ("f32", "c8"), ("u8", "i8")]:
            block = superhet.block("f32", item)(giving(given))()
            with self.assertRaises(superhet.Error) as caught:
                block.process(numpy.zeros(10, "f4"))
            cause = caught.exception.__cause__
            self.assertIsInstance(cause, TypeError)
            self.assertIn("convert it, as in y.astype(", str(cause))
        for item, given in [("f32", "f8"), ("C32", "f4"), ("i16", "i4"), ("u8", "?")]:
            block = superhet.block("f32", item)(giving(given))()
            self.assertEqual(list(block.process(numpy.zeros(3, "f4"))), [1, 1, 1])

    def test_an_array_beside_the_one_to_write_into_is_refused(self):
        zeros = numpy.zeros(10, "f4")
        for function in [lambda x, y: x + 1, lambda x, y: (None, x + 1)]:
            with self.assertRaises(superhet.Error) as caught:
                superhet.block("f32", "f32")(function)().process(zeros)
            cause = caught.exception.__cause__
            self.assertIsInstance(cause, TypeError)
            self.assertIn("write into them, as in y[:] = ...", str(cause))

        def fills(x, y):
            y[:] = 1
            return len(y)

        for function in [lambda x, y: numpy.add(x, 1, y), lambda x, y: numpy.add(x, 1, y)[:3], fills]:
            self.assertEqual(list(superhet.block("f32", "f32")(function)().process(zeros)), [1] * 10)

    def test_a_function_gives_no_whole_numbers_that_the_output_has_not(self):
        for item, given, number in [("i16", "i4", 40000), ("u8", "u2", 300), ("i16", "u2", 40000), ("i32", "i8", -(2**40))]:
            block = superhet.block("f32", item)(lambda x: numpy.full(len(x), number, given))()
            with self.assertRaises(superhet.Error) as caught:
                block.process(numpy.zeros(10, "f4"))
            cause = caught.exception.__cause__
            self.assertIsInstance(cause, ValueError)
            self.assertIn(f"gave numbers from {number} to {number} for an output of", str(cause))

    def test_a_source_takes_numbers_that_its_items_can_be(self):
        for values, item in [([1.5], "i16"), ([1j], "f32"), (numpy.ones(2), "u8")]:
            with self.assertRaises(TypeError):
                superhet.vector_source(values, item=item)
        for values, item in [([70000], "i16"), ([-1], "u8")]:
            with self.assertRaisesRegex(ValueError, "expected numbers from"):
                superhet.vector_source(values, item=item)
        self.assertEqual(superhet.vector_source([1, 255], item="u8").array.dtype, numpy.uint8)
        self.assertEqual(superhet.vector_source([1, 2], item="C32").array.dtype, numpy.complex64)


class Help(unittest.TestCase):
    def text(self, thing):
        out = io.StringIO()
        pydoc.Helper(output=out)(thing)
        return out.getvalue()

    def test_help_of_a_module_shows_its_functions(self):
        for module, name in [
            (superhet.firdes, "low_pass"),
            (superhet.optfir, "band_pass"),
            (superhet.window, "hamming"),
            (superhet.plot, "waterfall"),
            (superhet.sigmf, "load"),
            (superhet.blocks, "class fir_filter"),
        ]:
            self.assertIn(name, self.text(module))

    def test_help_of_a_block_shows_parameters_ports_and_how_many_items_come_out(self):
        text = self.text(superhet.fir_filter)
        for part in ["fir_filter(taps, *,", "decimation : ", "Inputs", "⌊n / decimation⌋ items for n"]:
            self.assertIn(part, text)

    def test_the_ports_in_the_help_of_the_blocks_with_arrays_are_there(self):
        graph = superhet.Graph()
        graph.connect(superhet.vector_source(numpy.ones(3, "f4"))["out"], superhet.vector_sink()["in"])
        graph.check()
        self.assertIn("out : items", self.text(superhet.vector_source))
        self.assertIn("in : items", self.text(superhet.vector_sink))


class Recordings(unittest.TestCase):
    def test_several_channels_are_columns(self):
        samples = (numpy.arange(12, dtype="f4").reshape(6, 2) * (1 + 1j)).astype("c8")
        with tempfile.TemporaryDirectory() as folder:
            path = superhet.sigmf.save(Path(folder) / "two", samples, rate_hz=1e6)
            self.assertEqual(json.loads(path.read_text())["global"]["core:num_channels"], 2)
            loaded = superhet.sigmf.load(path)
            self.assertEqual(loaded.samples.shape, (6, 2))
            numpy.testing.assert_array_equal(loaded.samples, samples)
            path.write_text(path.read_text().replace('"core:num_channels": 2', '"core:num_channels": 5'))
            with self.assertRaisesRegex(ValueError, "no whole number of samples of 40 bytes"):
                superhet.sigmf.load(path)


class Notebooks(unittest.TestCase):
    def test_graphs_recordings_and_sinks_show_themselves(self):
        graph, sink = superhet.Graph(), superhet.vector_sink()
        graph.connect(superhet.vector_source(numpy.exp(0.1j * numpy.arange(2000)).astype("c8")), sink)
        self.assertIn("<svg", graph._repr_html_())
        self.assertIn("vector_source", graph._repr_html_())
        graph.run()
        recording = superhet.sigmf.Recording(sink.array, 1e6)
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            wanted = "2000"
        else:
            wanted = "data:image/png;base64,"
        self.assertIn(wanted, sink._repr_html_())
        self.assertIn(wanted, recording._repr_html_())
        self.assertIn("1e+06 Hz", recording._repr_html_())


class Command(unittest.TestCase):
    def run_command(self, *arguments):
        return subprocess.run([sys.executable, "-m", "superhet", *arguments], capture_output=True, text=True, timeout=300)

    def test_the_package_is_the_command(self):
        done = self.run_command("blocks", "fir_filter")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("fir_filter", done.stdout)
        self.assertEqual(self.run_command("--version").stdout.split()[0], "superhet")
        self.assertEqual(self.run_command("blocks", "no_such_block").returncode, 2)
        self.assertEqual(self.run_command("no-such-command").returncode, 2)

    def test_it_dies_of_the_signal_that_ends_a_run(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            command = [sys.executable, "-m", "superhet", "run", "--report", "-e", "null_source -> throttle rate_hz=1M -> file_sink path=- format=cf32"]
            with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
                # It is at work, and has taken over the signals by then.
                self.assertEqual(len(run.stdout.read(1000)), 1000)
                run.send_signal(number)
                run.stdout.read()
                said = run.stderr.read().decode()
            self.assertEqual(run.returncode, -number, said)
            self.assertIn(f"stopped by {number.name}, so the output ends early", said)

    def test_it_runs_a_graph_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path, out = Path(folder) / "graph.toml", Path(folder) / "out.f32"
            path.write_text(
                'connections = ["a -> b", "b -> c"]\n[blocks.a]\ntype = "null_source"\nitem = "f32"\n'
                f'[blocks.b]\ntype = "head"\nitem = "f32"\nitems = 10\n[blocks.c]\ntype = "file_sink"\npath = {json.dumps(str(out))}\n'
            )
            done = self.run_command("run", str(path))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(out.stat().st_size, 40)


class Package(unittest.TestCase):
    def test_the_licences_are_those_of_the_project(self):
        python = Path(__file__).resolve().parents[1]
        for name in ["LICENSE-MIT", "LICENSE-APACHE"]:
            self.assertEqual((python / name).read_bytes(), (python.parent / name).read_bytes())

    def test_the_package_has_its_licences_inside(self):
        try:
            package = importlib.metadata.distribution("superhet")
        except importlib.metadata.PackageNotFoundError:
            self.skipTest("superhet is not installed as a package")
        texts = [file.read_text() for file in package.files if "LICENSE" in file.name]
        self.assertTrue(any("MIT License" in text for text in texts), package.files)
        self.assertTrue(any("Apache License" in text for text in texts), package.files)


if __name__ == "__main__":
    unittest.main()
