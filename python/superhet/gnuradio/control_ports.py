"""Message inputs of GNU Radio's blocks that change a setting: which methods they call.

The library changes parameters through one input, `set`, with its own names. A message to one of these inputs is read here, and sets what the
method of that name sets; sent before the start, it is there from the first item on. The entry `offset` of `rotator` is not heeded: its increment
changes at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable

from . import pmt
from .python_blocks import basic_block

if TYPE_CHECKING:
    from .table import TableBlock

Handler = Callable[[Any, Any], None]


def _number(message: Any) -> Any:
    """The number that a message is, or the second of a pair."""
    message = pmt.cdr(message) if pmt.is_pair(message) else message
    return pmt.to_python(message)


def _set(method: str, value: Callable[[Any], Any] = _number) -> Handler:
    return lambda block, message: getattr(block, method)(value(message))


def _entries(**methods: str) -> Handler:
    """Of a dictionary each entry, or of a pair its key and value: a method for each key."""

    def handle(block: Any, message: Any) -> None:
        is_entry = pmt.is_pair(message) and pmt.is_symbol(pmt.car(message))
        entries = pmt.to_python(pmt.dict_add(pmt.make_dict(), pmt.car(message), pmt.cdr(message)) if is_entry else message)
        for key, method in methods.items():
            if key in entries:
                getattr(block, method)(entries[key])

    return handle


def _matrix(message: Any) -> list[Any]:
    """Rows: a vector or a list of uniform vectors."""
    rows = pmt.to_python(message)
    return [list(row) for row in rows]


_FREQUENCY = _entries(freq="set_frequency", ampl="set_amplitude", amp="set_amplitude", offset="set_offset", phase="set_phase")

CONTROLS: dict[str, dict[str, Handler]] = {
    "analog.sig_source": {"cmd": _FREQUENCY},
    "blocks.copy": {"en": _set("set_enabled", pmt.to_bool)},
    "blocks.multiply_matrix": {"set_A": _set("set_A", _matrix)},
    "blocks.rotator": {"cmd": _entries(inc="set_phase_inc")},
    "blocks.selector": {
        "en": _set("set_enabled", pmt.to_bool),
        "iindex": _set("set_input_index", pmt.to_long),
        "oindex": _set("set_output_index", pmt.to_long),
    },
    "filter.freq_xlating_fir_filter": {"freq": _set("set_center_freq")},
}
"""By module and class, without the letters of types: the inputs and what they do."""


class control(basic_block):
    """Takes the messages for the settings of another block."""

    def __init__(self, block: "TableBlock", handlers: dict[str, Handler]) -> None:
        super().__init__("control")
        for port, handler in handlers.items():
            self.message_port_register_in(pmt.intern(port))
            self.set_msg_handler(pmt.intern(port), lambda message, handler=handler: handler(block, message))
