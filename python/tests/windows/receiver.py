"""A receiver with a window, in the form of what GNU Radio Companion writes: displays, a slider, a choice, a text, a button, a box."""

import signal
import sys

import sip
from PyQt5 import Qt, QtCore
from gnuradio import analog, blocks, filter, gr, qtgui
from gnuradio.fft import window
from gnuradio.filter import firdes
from gnuradio.qtgui import Range, RangeWidget
from packaging.version import Version as StrictVersion


class receiver(gr.top_block, Qt.QWidget):
    def __init__(self):
        gr.top_block.__init__(self, "Receiver", catch_exceptions=True)
        Qt.QWidget.__init__(self)
        self.setWindowTitle("Receiver")
        qtgui.util.check_set_qss()
        self.top_layout = Qt.QVBoxLayout()
        self.setLayout(self.top_layout)
        self.settings = Qt.QSettings("GNU Radio", "receiver")
        if StrictVersion(Qt.qVersion()) >= StrictVersion("5.0.0"):
            self.restoreGeometry(self.settings.value("geometry"))

        self.gain = gain = 1
        self.samp_rate = samp_rate = 48000
        self.wave, self.level, self.muted, self.pressed = 0, 1.0, False, 0

        self._gain_range = Range(0, 10, 1, 1, 200)
        self._gain_win = RangeWidget(self._gain_range, self.set_gain, "Gain", "counter_slider", float, QtCore.Qt.Horizontal)
        self.top_layout.addWidget(self._gain_win)
        self._wave_box = Qt.QComboBox()
        for label in ("sine", "cosine"):
            self._wave_box.addItem(label)
        self._wave_box.currentIndexChanged.connect(lambda i: setattr(self, "wave", i))
        self._level_edit = Qt.QLineEdit("1.0")
        self._level_edit.returnPressed.connect(lambda: setattr(self, "level", float(str(self._level_edit.text()))))
        _button = Qt.QPushButton("press")
        _button.pressed.connect(lambda: setattr(self, "pressed", self.pressed + 1))
        _box = Qt.QCheckBox("mute")
        self._box_callback = lambda on: Qt.QMetaObject.invokeMethod(_box, "setChecked", Qt.Q_ARG("bool", on))
        self._box_callback(self.muted)
        _box.stateChanged.connect(lambda i: setattr(self, "muted", bool(i)))

        self.source = analog.sig_source_f(samp_rate, analog.GR_COS_WAVE, 0, 1, 0, 0)
        self.throttle = blocks.throttle(gr.sizeof_float, samp_rate * 100, True)
        self.amp = blocks.multiply_const_ff(gain)
        self.low_pass = filter.fir_filter_fff(1, firdes.low_pass(1, samp_rate, 5e3, 1e3, window.WIN_HAMMING, 6.76))
        self.probe = blocks.probe_signal_f()
        self.spectrum = qtgui.freq_sink_f(1024, window.WIN_BLACKMAN_hARRIS, 0, samp_rate, "", 2, None)
        self.spectrum.set_update_time(0.10)
        self.spectrum.set_line_label(0, "Data 0")
        self._spectrum_win = sip.wrapinstance(self.spectrum.qwidget(), Qt.QWidget)
        self.top_layout.addWidget(self._spectrum_win)
        self.connect(self.source, self.throttle, self.amp, self.low_pass, self.probe)
        self.connect(self.amp, (self.spectrum, 0))
        self.connect(self.low_pass, (self.spectrum, 1))
        self.msg_connect((self.spectrum, "freq"), (self.source, "cmd"))

    def set_gain(self, gain):
        self.gain = gain
        self.amp.set_k(self.gain)

    def closeEvent(self, event):
        self.settings.setValue("geometry", self.saveGeometry())
        self.stop()
        self.wait()
        event.accept()


def main(top_block_cls=receiver):
    application = Qt.QApplication(sys.argv)
    tb = top_block_cls()
    tb.start()
    tb.show()

    def handler(sig=None, frame=None):
        tb.stop()
        tb.wait()
        Qt.QApplication.quit()

    signal.signal(signal.SIGTERM, handler)
    timer = Qt.QTimer()
    timer.start(500)
    timer.timeout.connect(lambda: None)
    application.exec_()


if __name__ == "__main__":
    main()
