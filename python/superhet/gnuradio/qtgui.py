"""`gnuradio.qtgui` without windows: displays are left out, widgets are controls."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING, Any, Callable

from . import pmt
from .elements import Element, Stream
from .python_blocks import basic_block
from .qt import Anything, Control, Widget, add_control

if TYPE_CHECKING:
    from .build import Build

INPUTS = ("angle", "azel", "bw", "filename", "freq", "overlay", "radius", "state", "val", "value", "valuein")
OUTPUTS = ("freq", "msg", "msgout", "overlay", "pressed", "state", "value", "valueout", "xval")
"""The message ports of widgets and displays, of all of them together."""

_told = False


def _tell() -> None:
    """Says once that displays are left out."""
    global _told
    if not _told:
        _told = True
        print("superhet.gnuradio: displays are left out, there is no window here", file=sys.stderr)


class _display(Element):
    """A display: it takes what it is given and shows nothing."""

    _item = ""
    _vector = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(type(self).__name__)
        _tell()
        self._args = args
        self._sinks: list[str] = []
        for port in ("in", *INPUTS):
            self.message_port_register_in(port)
        for port in OUTPUTS:
            self.message_port_register_out(port)

    def qwidget(self) -> Widget:
        """The window that is not there."""
        return Widget()

    pyqwidget = getWidget = qwidget

    def _is_left_out(self) -> bool:
        return True

    def _vlen(self) -> int:
        return int(self._args[0]) if self._vector else 1

    def _add(self, build: "Build", name: str) -> None:
        self._sinks = [name if at == 0 else build.free(f"{name}_{at}") for at in range(build.count(self, 0))]
        for each in self._sinks:
            build.builder.add(each, "null_sink", {"item": self._item})

    def _stream(self, build: "Build", side: int, port: int) -> Stream:
        if side == 1:
            raise ValueError(f"{self.identifier()} has no outputs")
        return Stream(f"{self._sinks[port]}.in", self._item, self._vlen())

    def _parts(self, build: "Build") -> list[str]:
        return self._sinks

    def _depends_on_counts(self) -> bool:
        return True

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return Anything()


def _sized(size: int) -> str:
    return {8: "C32", 4: "f32", 2: "i16", 1: "u8"}[size]


class number_sink(_display):
    """A display of numbers."""

    def __init__(self, itemsize: int, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._item = _sized(int(itemsize))


class Range:
    """From where to where a control goes, in which steps."""

    def __init__(self, minv: float, maxv: float, step: float, default: float, min_length: int = 0) -> None:
        self.min, self.max, self.step, self.default, self.min_length = minv, maxv, step, default, min_length


class RangeWidget(Control):
    """A control of a number: `set` calls the function that it was made with."""

    def __init__(self, ranges: Any, slot: Any, label: str = "", style: str = "", rangeType: Any = float, *more: Any) -> None:
        super().__init__(label)
        self.range, self._slot, self._type, self._value = ranges, slot, rangeType, getattr(ranges, "default", 0)

    def value(self) -> Any:
        """Where it is."""
        return self._value

    def setValue(self, value: Any) -> None:
        """Moves it, and tells nobody."""
        self._value = value

    def set(self, value: Any) -> None:
        """Moves it; beyond its ends it stays at them."""
        if isinstance(self.range, Range):
            value = min(max(value, self.range.min), self.range.max)
        self._value = self._type(value)
        self._slot(self._value)


class _message_control(basic_block):
    """A control that sends messages of pairs."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(type(self).__name__)
        self.label = next((arg for arg in args if isinstance(arg, str)), "")
        self._args = args
        self._key = next((arg for arg in args[::-1] if isinstance(arg, str) and arg not in ("default", "")), "value")
        for port in INPUTS:
            self.message_port_register_in(port)
        for port in OUTPUTS:
            self.message_port_register_out(port)
        add_control(self)

    def set(self, value: Any) -> None:
        """Sends a pair of a name and a value."""
        pair = pmt.cons(pmt.intern(self._key), pmt.to_pmt(value))
        for port in self._message_outputs:
            self.message_port_pub(port, pair)

    def setValue(self, value: Any) -> None:
        """Changes nothing."""

    def qwidget(self) -> Widget:
        """The window that is not there."""
        return Widget()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return Anything()


class MsgPushButton(_message_control):
    """A button that sends a pair of a name and a value when it is pressed."""

    def __init__(self, lbl: str, msgName: str, msgValue: Any, *more: Any) -> None:
        super().__init__(lbl, msgName, msgValue, *more)
        self._key, self._pressed = str(msgName), msgValue

    def set(self, value: Any = True) -> None:
        """Presses it."""
        super().set(self._pressed)


class edit_box_msg(_message_control):
    """A line of text that sends its value as a message, or a pair of `key` and that: at the start, if it has one, and when it is set."""

    def __init__(
        self, type: Any, value: str = "", label: str = "", is_pair: bool = False, is_static: bool = True, key: str = "", parent: Any = None
    ) -> None:
        super().__init__(label)
        self.label, self._kind, self._value = label, int(type), value
        self._key, self._is_pair = key, bool(is_pair)

    def start(self) -> bool:
        """The flowgraph starts."""
        if self._value != "":
            with contextlib.suppress(ValueError):
                self.set(self._value)
        return True

    def set(self, value: Any) -> None:
        """Sends a value, or what a text says.

        Raises:
            ValueError: the text says no value of its type.
        """
        message = _EDITED[self._kind](value)
        self._value = value
        self.message_port_pub("msg", pmt.cons(pmt.intern(self._key), message) if self._is_pair else message)


def _numbers(kind: Callable[[Any], Any], init: Callable[[int, Any], Any]) -> Callable[[Any], Any]:
    def vector(value: Any) -> Any:
        parts = value.split(",") if isinstance(value, str) else value
        numbers = [kind(part) for part in parts]
        return init(len(numbers), numbers)

    return vector


_EDITED: tuple[Callable[[Any], Any], ...] = (
    lambda value: pmt.from_long(int(value)),
    lambda value: pmt.from_double(float(value)),
    lambda value: pmt.from_double(float(value)),
    lambda value: pmt.from_complex(complex(value)),
    lambda value: pmt.intern(str(value)),
    _numbers(int, pmt.init_s32vector),
    _numbers(float, pmt.init_f32vector),
    _numbers(float, pmt.init_f64vector),
    _numbers(complex, pmt.init_c32vector),
    lambda value: pmt.to_pmt(value),
)
"""Messages of an edit box by the number of its type."""


class AutoCorrelatorSink(_display):
    """A display of a correlation."""

    _item = "C32"


class ber_sink_b(_display):
    """A display of error rates."""

    _item = "u8"


def _displays() -> dict[str, Any]:
    found: dict[str, Any] = {}
    kinds = "const_sink_c eye_sink_c eye_sink_f freq_sink_c freq_sink_f histogram_sink_f sink_c sink_f time_raster_sink_b "
    kinds += "time_raster_sink_f time_sink_c time_sink_f vector_sink_f waterfall_sink_c waterfall_sink_f"
    for name in kinds.split():
        item = {"c": "C32", "f": "f32", "b": "u8"}[name[-1]]
        doc = f"{name}: a display; it takes what it is given and shows nothing."
        found[name] = type(name, (_display,), {"_item": item, "_vector": name == "vector_sink_f", "__doc__": doc})
    return found


def _constants() -> dict[str, int]:
    found = {name: at for at, name in enumerate(("TRIG_MODE_FREE", "TRIG_MODE_AUTO", "TRIG_MODE_NORM", "TRIG_MODE_TAG"))}
    found |= {"TRIG_SLOPE_POS": 0, "TRIG_SLOPE_NEG": 1, "NUM_GRAPH_NONE": 0, "NUM_GRAPH_HORIZ": 1, "NUM_GRAPH_VERT": 2}
    maps = "MULTI_COLOR WHITE_HOT BLACK_HOT INCANDESCENT USER_DEFINED SUNSET COOL".split()
    found |= {f"INTENSITY_COLOR_MAP_TYPE_{name}": at for at, name in enumerate(maps)}
    kinds = "INT FLOAT DOUBLE COMPLEX STRING INT_VEC FLOAT_VEC DOUBLE_VEC COMPLEX_VEC PACKET_VEC".split()
    return found | {name: at for at, name in enumerate(kinds)}


class _Util:
    """`qtgui.util`."""

    @staticmethod
    def check_set_qss() -> None:
        """There is no style to set."""


class _Gauge(_display):
    """A gauge: it takes a stream or messages, and shows nothing."""

    _item = "f32"


class _switch(_message_control):
    """A control that calls a function and sends a message."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._slot = next((arg for arg in args if callable(arg) and not isinstance(arg, Element)), None)
        self._choices = next((arg for arg in args if isinstance(arg, dict)), {})

    def set(self, value: Any) -> None:
        """Moves it."""
        if self._choices:
            value = self._choices.get("Pressed" if value else "Released", value)
        if self._slot is not None:
            self._slot(value)
        super().set(value)


def _names() -> dict[str, Any]:
    found: dict[str, Any] = _displays() | _constants()
    found |= {"number_sink": number_sink, "Range": Range, "RangeWidget": RangeWidget, "util": _Util()}
    found |= {"AutoCorrelatorSink": AutoCorrelatorSink, "auto_correlator_sink": AutoCorrelatorSink, "ber_sink_b": ber_sink_b}
    found |= {"MsgPushButton": MsgPushButton, "edit_box_msg": edit_box_msg}
    for name in ("GrDialControl", "GrToggleSwitch", "ToggleButton", "MsgCheckBox", "MsgDigitalNumberControl"):
        found[name] = type(name, (_switch,), {"__doc__": f"{name}: a control."})
    for name in ("GrCompass", "GrDialGauge", "GrLEDIndicator", "GrLevelGauge", "GrGraphicItem", "GrGraphicOverlay"):
        found[name] = type(name, (_Gauge,), {"__doc__": f"{name}: it shows nothing."})
    found |= {"AzElPlot": _Gauge, "DistanceRadar": _Gauge}
    return found


NAMES = _names()
"""What the module has."""

PICTURES: dict[str, Any] = {
    name: type(name, (_display,), {"_item": item, "__doc__": "A display of pictures: it shows nothing.", "__module__": "gnuradio.video_sdl"})
    for name, item in (("sink_s", "i16"), ("sink_uc", "u8"))
}
"""The sinks of `gnuradio.video_sdl`."""
