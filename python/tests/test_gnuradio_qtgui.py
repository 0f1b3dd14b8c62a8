"""Scripts with windows, run without one."""

import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

import numpy as np

import superhet.gnuradio

superhet.gnuradio.install(shadow=True)

sys.path.insert(0, str(Path(__file__).parent / "windows"))
import osmosdr  # noqa: E402
import pmt  # noqa: E402
import receiver  # noqa: E402
from gnuradio import audio, blocks, gr, qtgui, soapy, uhd  # noqa: E402

LIMIT_S = 60


def until(condition):
    """Whether a condition comes true."""
    end = time.monotonic() + LIMIT_S
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


class Windows(unittest.TestCase):
    def test_controls_do_what_widgets_do(self):
        before = len(superhet.gnuradio.controls())
        tb = receiver.receiver()
        gain, wave, level, button, box = superhet.gnuradio.controls()[before:]
        self.assertEqual((gain.label, button.label, box.label), ("Gain", "press", "mute"))
        tb.start()
        try:
            self.assertTrue(until(lambda: abs(tb.probe.level() - 1) < 1e-3))
            gain.set(4)
            self.assertTrue(until(lambda: abs(tb.probe.level() - 4) < 1e-3))
            gain.set(100)
            self.assertEqual(tb.gain, 10)
            wave.set("cosine")
            level.set(0.5)
            button.set(True)
            box.set(True)
            self.assertEqual((tb.wave, tb.level, tb.pressed, tb.muted), (1, 0.5, 1, True))
        finally:
            tb.stop()
            tb.wait()

    def test_the_script_runs_until_it_is_told_to_end(self):
        script = Path(__file__).parent / "windows" / "receiver.py"
        words = [sys.executable, "-m", "superhet.gnuradio", str(script)]
        with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
            # The sentence comes when the display is made; the handler is set behind it.
            line = process.stderr.readline()
            time.sleep(1)
            process.send_signal(signal.SIGTERM)
            process.wait(LIMIT_S)
        self.assertIn("displays are left out", line)

    def test_displays_take_streams_of_all_kinds(self):
        tb = gr.top_block()
        number = qtgui.number_sink(gr.sizeof_float, 0, qtgui.NUM_GRAPH_HORIZ, 1, None)
        number.set_min(0, -1)
        tb.connect(blocks.vector_source_f(range(8)), number)
        vectors = qtgui.vector_sink_f(4, 0, 1.0, "x", "y", "", 1, None)
        tb.connect(blocks.vector_source_f(range(8), False, 4), vectors)
        tb.connect(blocks.vector_source_c(range(8)), qtgui.time_sink_c(8, 1, "", 1, None))
        tb.run()

    def test_widgets_have_message_ports(self):
        tb, heard = gr.top_block(), []
        dial = qtgui.GrDialControl("", None, 0, 100, 0, "default", heard.append, False, 1, 100, False, "value")
        light, debug = qtgui.GrLEDIndicator("", "green", "red", False, 40, 1, 1, 1, None), blocks.message_debug()
        tb.msg_connect((dial, "value"), (light, "state"))
        tb.msg_connect((dial, "value"), (debug, "store"))
        tb.start()
        dial.set(7)
        self.assertTrue(until(lambda: debug.num_messages() == 1))
        tb.stop()
        tb.wait()
        self.assertEqual(heard, [7])

    def test_a_line_of_text_sends_its_value_at_the_start_as_in_gnu_radio(self):
        for settings, wanted in (
            ((qtgui.INT_VEC, "1,2,3,4", "label", False, False, "k"), ["#[1 2 3 4]"]),
            ((qtgui.INT_VEC, "1,2", "label", True, True, "k"), ["(k . #[1 2])"]),
            ((qtgui.FLOAT, "2.5", "label", False, True, "k"), ["2.5"]),
            ((qtgui.STRING, "abc", "label", True, False, "k"), ["(k . abc)"]),
            ((qtgui.FLOAT_VEC, "1,2", "label", False, True, ""), ["#[1.000000 2.000000]"]),
            ((qtgui.DOUBLE, "", "label", False, True, ""), []),
            ((qtgui.INT, "none", "label", False, True, ""), []),
        ):
            tb, box, debug = gr.top_block(), qtgui.edit_box_msg(*settings, None), blocks.message_debug()
            tb.msg_connect(box, "msg", debug, "store")
            tb.start()
            deadline = time.monotonic() + (10 if wanted else 0.1)
            while debug.num_messages() == 0 and time.monotonic() < deadline:
                time.sleep(0.01)
            tb.stop()
            tb.wait()
            self.assertEqual([pmt.write_string(debug.get_message(place)) for place in range(debug.num_messages())], wanted)
        with self.assertRaises(ValueError):
            box.set("none")

    def test_drivers_say_what_is_missing(self):
        for make in (
            lambda: uhd.usrp_source("", uhd.stream_args("fc32")),
            lambda: soapy.source("driver=rtlsdr", "sc16", 1, "", "", [""], [""]),
            lambda: osmosdr.source("pigeon=0"),
            lambda: osmosdr.sink("file=x"),
        ):
            with self.assertRaisesRegex(NotImplementedError, "superhet|here"):
                make()

    def test_radios_of_a_driver_are_those_of_soapysdr(self):
        radio = soapy.source("driver=rtlsdr", "fc32", 2, "serial=1", "bufflen=9", [""], ["biastee=true"])
        radio.set_sample_rate(0, 2e6)
        radio.set_frequency(0, "RF", 100e6)
        radio.set_gain(0, "LNA", 20)
        radio.set_gain(0, "VGA", 7)
        radio.write_setting("digital_agc", True)
        self.assertEqual(
            radio._params,
            {
                "arguments": "driver=rtlsdr,serial=1",
                "channels": [0, 1],
                "stream_arguments": "bufflen=9",
                "settings": "biastee=true,digital_agc=true",
                "rate_hz": 2e6,
                "frequency_hz": 100e6,
                "gains": "LNA=20.0,VGA=7.0",
            },
        )
        for arguments, uri in (
            ("rtl=0", "soapy:driver=rtlsdr"),
            ("rtl=1", "soapy:driver=rtlsdr,rtl=1"),
            ("numchan=1 rtl=00000001", "soapy:driver=rtlsdr,serial=00000001"),
            ("soapy=0,driver=lime", "soapy:driver=lime"),
            ("", "soapy:"),
        ):
            self.assertEqual(osmosdr.source(arguments)._params["uri"], uri)
        self.assertEqual(osmosdr.sink("hackrf=0")._params["arguments"], "driver=hackrf")

    def test_a_card_has_as_many_channels_as_are_connected(self):
        for device, wanted in (("", ""), ("hw:0,1", "alsa:hw:0,1"), ("pulse:air", "pulse:air")):
            self.assertEqual(audio.sink(48000, device)._params, {"rate_hz": 48000, "device": wanted})
        tb, sink = gr.top_block(), audio.sink(48000, "pulse:there is none")
        tb.connect(blocks.vector_source_f([0.0] * 100), (sink, 0))
        tb.connect(blocks.vector_source_f([0.0] * 100), (sink, 1))
        with self.assertRaisesRegex(Exception, "there is none"):
            tb.run()

    def test_a_recording_is_a_radio(self):
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "iq.cf32"
            np.arange(10, dtype="c8").tofile(path)
            tb, sink = gr.top_block(), blocks.vector_sink_c()
            radio = osmosdr.source(f"numchan=1 file={path},rate=1e6,freq=100e6")
            radio.set_antenna("RX", 0)
            radio.set_time_unknown_pps(osmosdr.time_spec_t())
            tb.connect(radio, sink)
            tb.run()
            self.assertEqual(sink.data(), list(range(10)))


if __name__ == "__main__":
    unittest.main()
