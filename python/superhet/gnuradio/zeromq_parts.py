"""The blocks of `gnuradio.zeromq` that are more than a row of the table: they take their place when they are made, and say where it is."""

from __future__ import annotations

import gc
import socket
import time
import weakref
from typing import Any

from .elements import Stream
from .python_blocks import sync_block
from .rows import rows
from .table import TableBlock

GRACE_S = 0.7
"""How long subscribers have that wait for a publisher to listen: they try again after half a second at most."""


_TRANSPORTS = ("tcp://", "ipc://")
# Where blocks listen, also those whose flowgraph does not run yet.
_taken: set[str] = set()


def _reserved(address: str) -> tuple[str, Any]:
    """The address with a port that is free in place of `*` or 0, and what keeps others from taking it."""
    host, colon, port = address.rpartition(":")
    if not host.startswith("tcp://"):
        return address, None
    name = host.removeprefix("tcp://").removeprefix("[").removesuffix("]")
    try:
        info = socket.getaddrinfo("0.0.0.0" if name == "*" else name, 0, type=socket.SOCK_STREAM)[0]
        number = 0 if port == "*" else int(port)
    except (OSError, ValueError):
        raise RuntimeError(f"Invalid argument: {address}") from None
    place = socket.socket(info[0], socket.SOCK_STREAM)
    # Whoever asks for the same may listen there as long as this socket does not.
    place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        place.bind((info[4][0], number, *info[4][2:]))
    except OSError as error:
        place.close()
        raise RuntimeError(f"{error.strerror}: {address}") from None
    name = "tcp://0.0.0.0" if name == "*" else host
    return f"{name}{colon}{place.getsockname()[1]}", place


def _let_go(address: str, place: Any) -> None:
    _taken.discard(address)
    place.close()


class _Endpoint(TableBlock):
    """A block that listens or connects."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        address = self._args["address"]
        if not str(address).startswith(_TRANSPORTS):
            raise RuntimeError(f"Invalid argument: {address}: expected an address that begins with {' or '.join(_TRANSPORTS)}")
        if self._args["bind"]:
            address, place = _reserved(address)
            if place is not None:
                if address in _taken:
                    # A flowgraph that nobody has any more goes at once there.
                    gc.collect()
                if address in _taken:
                    place.close()
                    raise RuntimeError(f"Address already in use: {address}")
                _taken.add(address)
                weakref.finalize(self, _let_go, address, place)
            self._args["address"] = address

    def last_endpoint(self) -> str:
        """Where it listens or what it connects to."""
        return str(self._args["address"])


class _patience(sync_block):
    """Passes items on, but for the first ones: those wait until `GRACE_S` after the start."""

    def __init__(self, item: str, vlen: int) -> None:
        super().__init__("patience")
        self._gr_in = self._gr_out = [(item, vlen)]
        self._until = time.monotonic() + GRACE_S

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Passes items on."""
        count = len(output_items[0])
        time.sleep(max(0.0, self._until - time.monotonic()))
        output_items[0][:] = input_items[0][:count]
        return count


class _Publisher(_Endpoint):
    """One that listens for subscribers: it begins to listen when its flowgraph starts, and gives those a moment that were there before."""

    def _add(self, build: Any, name: str) -> None:
        super()._add(build, name)
        ours = super()._stream(build, 0, 0)
        self._first = build.free(f"{name}_first")
        patience = _patience(ours.item, ours.vlen)
        patience._build_of = build
        patience._add(build, self._first)
        build.builder.connect(f"{self._first}.out0", ours.port)

    def _stream(self, build: Any, side: int, port: int) -> Stream:
        ours = super()._stream(build, side, port)
        return Stream(f"{self._first}.in0", ours.item, ours.vlen)

    def _parts(self, build: Any) -> list[str]:
        return [*super()._parts(build), self._first]


def _class(name: str) -> type[TableBlock]:
    row, letters = rows()[f"zeromq.{name}"]
    kind = _Publisher if name == "pub_sink" else _Endpoint
    doc = f"{name}({row['args']}): superhet's {row['block']}."
    return type(name, (kind,), {"_row": row, "_letters": letters, "__doc__": doc, "__module__": "gnuradio.zeromq"})


BLOCKS: dict[str, Any] = {
    name.removeprefix("zeromq."): _class(name.removeprefix("zeromq.")) for name in rows() if name.startswith("zeromq.")
}
