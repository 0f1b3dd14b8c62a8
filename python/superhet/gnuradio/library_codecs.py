"""Codecs of speech through libraries of the system: GSM full rate by `libgsm`, Codec 2 and FreeDV by `libcodec2`.

A class raises `NotImplementedError` where its library is not installed.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import types
from typing import Any

from .python_blocks import basic_block

VERSIONS = {"gsm": ("libgsm.so.1",), "codec2": ("libcodec2.so.1.2", "libcodec2.so.1.1", "libcodec2.so.1.0", "libcodec2.so.0.9")}
"""Names of the libraries where the system does not find them by their short names."""

POINTERS = "gsm_create codec2_create freedv_open"
"""Functions that give a pointer."""

codec2 = types.SimpleNamespace(
    MODE_3200=0, MODE_2400=1, MODE_1600=2, MODE_1400=3, MODE_1300=4, MODE_1200=5, MODE_700C=8, MODE_450=10, MODE_450PWB=11
)
"""The modes of Codec 2, by their bits per second."""

freedv_api = types.SimpleNamespace(MODE_1600=0, MODE_2400A=3, MODE_2400B=4, MODE_800XA=5, MODE_700C=6, MODE_700D=7, MODE_2020=8, MODE_700E=13)
"""The modes of FreeDV."""

GSM_SAMPLES, GSM_BYTES = 160, 33


@functools.cache
def _library(short: str) -> Any:
    for name in (ctypes.util.find_library(short), *VERSIONS[short]):
        if name:
            try:
                found = ctypes.CDLL(name)
            except OSError:
                continue
            for function in POINTERS.split():
                if hasattr(found, function):
                    getattr(found, function).restype = ctypes.c_void_p
            return found
    raise NotImplementedError(f"this codec needs the library lib{short}, which is not installed")


def _of(array: Any) -> Any:
    """An array for a function of C."""
    return array.ctypes.data_as(ctypes.c_void_p)


class _frames(basic_block):
    """Turns frames of `taken` items into frames of `given` items; an item may be a vector of all."""

    def __init__(self, taken: tuple[Any, int], given: tuple[Any, int], in_vector: str) -> None:
        sides = [(kind, count) if side == in_vector else kind for side, (kind, count) in (("in", taken), ("out", given))]
        super().__init__(type(self).__name__, sides[:1], sides[1:])
        self._counts = (1 if in_vector == "in" else taken[1], 1 if in_vector == "out" else given[1])
        self._given = given
        self.set_output_multiple(self._counts[1])
        self.set_relative_rate(self._counts[1], self._counts[0])

    def forecast(self, noutput_items: int, ninputs: Any) -> list[int]:
        """Whole frames."""
        return [-(-noutput_items // self._counts[1]) * self._counts[0]]

    def general_work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Turns whole frames."""
        import numpy

        taken, given = self._counts
        count = min(len(input_items[0]) // taken, len(output_items[0]) // given)
        for frame in range(count):
            found = numpy.zeros(self._given[1], self._given[0])
            self._turn(numpy.ascontiguousarray(input_items[0][frame * taken : (frame + 1) * taken]).reshape(-1), found)
            output_items[0][frame * given : (frame + 1) * given] = found.reshape(output_items[0][frame * given : (frame + 1) * given].shape)
        self.consume(0, count * taken)
        return count * given

    def _turn(self, frame: Any, found: Any) -> None:
        raise NotImplementedError


class gsm_fr_encode_sp(_frames):
    """160 samples at 8 kHz to a frame of 33 bytes of GSM 06.10."""

    def __init__(self) -> None:
        self._library = _library("gsm")
        self._state = ctypes.c_void_p(self._library.gsm_create())
        super().__init__(("i2", GSM_SAMPLES), ("u1", GSM_BYTES), "out")

    def _turn(self, frame: Any, found: Any) -> None:
        self._library.gsm_encode(self._state, _of(frame), _of(found))


class gsm_fr_decode_ps(_frames):
    """A frame of 33 bytes of GSM 06.10 to 160 samples at 8 kHz."""

    def __init__(self) -> None:
        self._library = _library("gsm")
        self._state = ctypes.c_void_p(self._library.gsm_create())
        super().__init__(("u1", GSM_BYTES), ("i2", GSM_SAMPLES), "in")

    def _turn(self, frame: Any, found: Any) -> None:
        self._library.gsm_decode(self._state, _of(frame), _of(found))


class _codec2(_frames):
    def __init__(self, mode: int, encodes: bool) -> None:
        self._library = library = _library("codec2")
        state = library.codec2_create(int(mode))
        if not state:
            raise RuntimeError(f"{type(self).__name__}: libcodec2 has no mode {mode}")
        self._state = ctypes.c_void_p(state)
        self._bits = library.codec2_bits_per_frame(self._state)
        samples, bits = ("i2", library.codec2_samples_per_frame(self._state)), ("u1", self._bits)
        super().__init__(*((samples, bits, "out") if encodes else (bits, samples, "in")))


class codec2_encode_sp(_codec2):
    """Samples at 8 kHz to a vector of bits for each frame of Codec 2."""

    def __init__(self, mode: int = codec2.MODE_2400) -> None:
        super().__init__(mode, True)

    def _turn(self, frame: Any, found: Any) -> None:
        import numpy

        packed = numpy.zeros(-(-self._bits // 8), "u1")
        self._library.codec2_encode(self._state, _of(packed), _of(frame))
        found[:] = numpy.unpackbits(packed)[: self._bits]


class codec2_decode_ps(_codec2):
    """A vector of bits for each frame of Codec 2 to samples at 8 kHz."""

    def __init__(self, mode: int = codec2.MODE_2400) -> None:
        super().__init__(mode, False)

    def _turn(self, frame: Any, found: Any) -> None:
        import numpy

        self._library.codec2_decode(self._state, _of(found), _of(numpy.packbits(frame & 1)))


def _freedv(mode: int, name: str) -> tuple[Any, Any]:
    library = _library("codec2")
    state = library.freedv_open(int(mode))
    if not state:
        raise RuntimeError(f"{name}: libcodec2 has no mode {mode}")
    return library, ctypes.c_void_p(state)


class freedv_tx_ss(_frames):
    """Speech at 8 kHz to a signal of FreeDV at 8 kHz, which carries `msg_txt` over and over."""

    def __init__(self, mode: int = freedv_api.MODE_1600, msg_txt: str = "GNU Radio", interleave_frames: int = 1) -> None:
        self._library, self._state = _freedv(mode, "freedv_tx_ss")
        self._text, self._place = str(msg_txt).encode() + b"\r", 0
        kind = ctypes.CFUNCTYPE(ctypes.c_char, ctypes.c_void_p)
        # It has to live as long as the block.
        self._next = kind(self._letter)
        self._library.freedv_set_callback_txt(self._state, None, self._next, None)
        speech = self._library.freedv_get_n_speech_samples(self._state)
        signal = self._library.freedv_get_n_nom_modem_samples(self._state)
        super().__init__(("i2", speech), ("i2", signal), "")

    def _letter(self, _: Any) -> bytes:
        self._place += 1
        at = (self._place - 1) % len(self._text)
        return self._text[at : at + 1]

    def _turn(self, frame: Any, found: Any) -> None:
        self._library.freedv_tx(self._state, _of(found), _of(frame))


class freedv_rx_ss(basic_block):
    """A signal of FreeDV at 8 kHz to speech at 8 kHz."""

    def __init__(self, mode: int = freedv_api.MODE_1600, squelch_thresh: float = -100.0, interleave_frames: int = 1) -> None:
        super().__init__("freedv_rx_ss", ["i2"], ["i2"])
        self._library, self._state = _freedv(mode, "freedv_rx_ss")
        self.set_squelch_thresh(squelch_thresh)
        self.set_squelch_en(True)
        self._most = self._library.freedv_get_n_speech_samples(self._state)
        most = getattr(self._library, "freedv_get_n_max_speech_samples", None)
        self._space = max(self._most, most(self._state) if most else self._most)
        self.set_output_multiple(self._space)

    def set_squelch_en(self, enabled: bool) -> None:
        """Sets whether noise is silence."""
        self._library.freedv_set_squelch_en(self._state, ctypes.c_bool(bool(enabled)))

    def set_squelch_thresh(self, threshold: float) -> None:
        """Sets the signal-to-noise ratio in dB below which it is noise."""
        self._library.freedv_set_snr_squelch_thresh(self._state, ctypes.c_float(threshold))

    def forecast(self, noutput_items: int, ninputs: Any) -> list[int]:
        """What the modem asks for next."""
        return [self._library.freedv_nin(self._state)]

    def general_work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Demodulates what the modem asks for."""
        import numpy

        taken = written = 0
        while True:
            wanted = self._library.freedv_nin(self._state)
            if len(input_items[0]) - taken < wanted or len(output_items[0]) - written < self._space:
                break
            frame = numpy.ascontiguousarray(input_items[0][taken : taken + wanted])
            found = numpy.zeros(self._space, "i2")
            count = self._library.freedv_rx(self._state, _of(found), _of(frame))
            output_items[0][written : written + count] = found[:count]
            taken, written = taken + wanted, written + count
        self.consume(0, taken)
        return written


BLOCKS: dict[str, Any] = {
    "codec2": codec2,
    "codec2_decode_ps": codec2_decode_ps,
    "codec2_encode_sp": codec2_encode_sp,
    "freedv_api": freedv_api,
    "freedv_rx_ss": freedv_rx_ss,
    "freedv_tx_ss": freedv_tx_ss,
    "gsm_fr_decode_ps": gsm_fr_decode_ps,
    "gsm_fr_encode_sp": gsm_fr_encode_sp,
}
"""What the module `vocoder` has of these, by name."""
