#!/usr/bin/env python3
"""A flowgraph with the displays and widgets of `gnuradio.qtgui`, as GNU Radio Companion writes it, and a sink that keeps what they show."""

import os
import sys

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PyQt5 import Qt, QtCore  # noqa: I001: `sip` is the one of PyQt5 only behind it.
import numpy as np
import sip
from common import arguments, run, save
from gnuradio import blocks, gr, qtgui
from gnuradio.fft import window
from gnuradio.qtgui import Range, RangeWidget


class qt_sinks(gr.top_block, Qt.QWidget):
    def __init__(self, data):
        gr.top_block.__init__(self, "Displays", catch_exceptions=True)
        Qt.QWidget.__init__(self)
        self.setWindowTitle("Displays")
        self.top_layout = Qt.QVBoxLayout(self)
        self.samp_rate = samp_rate = 32000
        self.gain = gain = 0.5
        self._gain_range = Range(0, 2, 0.1, 0.5, 200)
        self._gain_win = RangeWidget(self._gain_range, self.set_gain, "gain", "counter_slider", float, QtCore.Qt.Horizontal)
        self.top_layout.addWidget(self._gain_win)
        self.source = blocks.vector_source_c(data, False)
        self.multiply = blocks.multiply_const_cc(gain)
        self.kept = blocks.vector_sink_c()
        self.qtgui_freq_sink_x_0 = qtgui.freq_sink_c(1024, window.WIN_BLACKMAN_hARRIS, 0, samp_rate, "", 1, None)
        self.qtgui_freq_sink_x_0.set_update_time(0.10)
        self.qtgui_freq_sink_x_0.set_y_axis(-140, 10)
        self.qtgui_time_sink_x_0 = qtgui.time_sink_c(1024, samp_rate, "", 1, None)
        self.qtgui_time_sink_x_0.enable_tags(True)
        self.qtgui_time_sink_x_0.set_trigger_mode(qtgui.TRIG_MODE_FREE, qtgui.TRIG_SLOPE_POS, 0.0, 0, 0, "")
        self.qtgui_waterfall_sink_x_0 = qtgui.waterfall_sink_c(1024, window.WIN_BLACKMAN_hARRIS, 0, samp_rate, "", 1, None)
        self.qtgui_const_sink_x_0 = qtgui.const_sink_c(1024, "", 1, None)
        for sink in (self.qtgui_freq_sink_x_0, self.qtgui_time_sink_x_0, self.qtgui_waterfall_sink_x_0, self.qtgui_const_sink_x_0):
            self.top_layout.addWidget(sip.wrapinstance(sink.qwidget(), Qt.QWidget))
            self.connect((self.multiply, 0), (sink, 0))
        self.connect((self.source, 0), (self.multiply, 0))
        self.connect((self.multiply, 0), (self.kept, 0))

    def set_gain(self, gain):
        self.gain = gain
        self.multiply.set_k(self.gain)


def main():
    args = arguments(__doc__, 100_000)
    qapp = Qt.QApplication(sys.argv[:1])
    noise = np.random.default_rng(2).normal(size=(2, args.items))
    data = (noise[0] + 1j * noise[1]).astype(np.complex64)
    tb = qt_sinks(data.tolist())
    tb.set_gain(0.75)
    run(tb)
    save(args.out, kept=(np.array(tb.kept.data(), np.complex64), 1e-6))
    tb.close()
    del qapp


if __name__ == "__main__":
    main()
