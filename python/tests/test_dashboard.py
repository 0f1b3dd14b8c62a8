"""The dashboard of graphs that Python has started."""

import json
import tempfile
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

import numpy

import superhet


def ask(url, given=None):
    """The answer to a request: what JSON says."""
    body = None if given is None else json.dumps(given).encode()
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.loads(answer.read())


class Half(superhet.Block):
    """Half of what comes in, in Python."""

    inputs = "f32"
    outputs = "f32"

    def work(self, io):
        n = min(len(io.inputs[0]), len(io.outputs[0]))
        io.outputs[0][:n] = io.inputs[0][:n] / 2
        io.consume(0, n)
        io.produce(0, n)


def endless(block=None):
    """A tone of 1 kHz at 48 kHz, as fast as that, and its source."""
    source = superhet.signal_source(rate_hz=48e3, frequency_hz=1000.0, item="f32")
    blocks = [source, superhet.throttle(rate_hz=48e3, item="f32")] + ([block] if block else [])
    graph = superhet.Graph()
    graph.connect(*blocks, superhet.null_sink(item="f32"))
    return graph


class OfARunningGraph(unittest.TestCase):
    def test_it_shows_the_blocks_and_sets_their_parameters(self):
        with endless().start() as running:
            dashboard = running.dashboard(0)
            self.assertIs(running.dashboard(), dashboard)
            (url,) = dashboard.urls
            self.assertIn(url, dashboard._repr_html_())
            (graph,) = ask(url + "api/graphs")
            self.assertEqual((graph["name"], graph["state"]), ("graph", "running"))
            blocks = {block["name"]: block for block in ask(url + "api/graphs/1")["blocks"]}
            self.assertEqual(blocks["signal_source"]["kind"], "signal_source")
            ask(url + "api/graphs/1/set", {"block": "signal_source", "parameter": "frequency_hz", "value": 500.0})
            self.assertEqual(running.get("signal_source", "frequency_hz"), 500.0)
            dashboard.close()
            self.assertEqual(dashboard.urls, [])
            with self.assertRaises(urllib.error.URLError):
                ask(url + "api/graphs")
            self.assertFalse(running.ended)

    def test_streams_of_blocks_that_wait_are_seen_where_it_was_asked_for_at_the_start(self):
        with endless().start(dashboard=0) as running:
            (url,) = running.dashboard().urls
            tap = {"graph": 1, "stream": "throttle.out>null_sink.in", "view": "spectrum", "bins": 512}
            number = ask(url + "api/taps", tap)["id"]
            row = ask(f"{url}api/taps/{number}/spectrum")
            frequencies = numpy.linspace(row["first_hz"], row["last_hz"], len(row["db"]))
            peak = abs(frequencies[numpy.argmax(row["db"])])
            self.assertLess(abs(peak - 1000.0), 200.0)

    def test_a_graph_with_blocks_in_python_is_seen_and_goes_on(self):
        with endless(Half()).start(dashboard=0) as running:
            (url,) = running.dashboard().urls
            streams = ask(url + "api/graphs/1")["streams"]
            (behind,) = [stream["id"] for stream in streams if stream["to"]["block"] == "null_sink"]
            tap = {"graph": 1, "stream": behind, "view": "spectrum", "bins": 512}
            number = ask(url + "api/taps", tap)["id"]
            self.assertEqual(len(ask(f"{url}api/taps/{number}/spectrum")["db"]), 512)
            running.dashboard().close()
            self.assertFalse(running.ended)


class OfSeveral(unittest.TestCase):
    def test_one_shows_several_graphs(self):
        with superhet.Dashboard(0) as dashboard:
            with endless().start(dashboard=dashboard), endless().start() as other:
                dashboard.show(other, "the other")
                graphs = ask(dashboard.urls[0] + "api/graphs")
                self.assertEqual([graph["name"] for graph in graphs], ["graph", "the other"])

    def test_what_it_cannot_do_is_said_at_once(self):
        with self.assertRaisesRegex(ValueError, "expected a port or an address with a port"):
            superhet.Dashboard("radio.lan")
        with self.assertRaisesRegex(ValueError, "without a port"):
            superhet.Dashboard(0, hosts=["radio.lan:80"])
        with tempfile.NamedTemporaryFile() as file, self.assertRaisesRegex(OSError, "it is no folder"):
            superhet.Dashboard(0, record_dir=file.name)
        dashboard = superhet.Dashboard(0)
        dashboard.close()
        with endless().start() as running, self.assertRaisesRegex(RuntimeError, "closed"):
            dashboard.show(running)

    def test_it_records_into_its_folder(self):
        with tempfile.TemporaryDirectory() as folder, superhet.Dashboard(0, record_dir=folder) as dashboard:
            with endless().start(dashboard=dashboard):
                (url,) = dashboard.urls
                stream = ask(url + "api/graphs/1")["streams"][0]["id"]
                record = {"stream": stream, "file": "tone", "seconds": 0.1}
                self.assertIn("tone", ask(url + "api/graphs/1/record", record)["file"])
                samples, end = Path(folder) / "tone.sigmf-data", time.monotonic() + 20
                while not (samples.exists() and samples.stat().st_size >= 4800 * 4) and time.monotonic() < end:
                    time.sleep(0.02)
            self.assertGreaterEqual(samples.stat().st_size, 4800 * 4)


if __name__ == "__main__":
    unittest.main()
