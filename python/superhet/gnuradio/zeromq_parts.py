"""The blocks of `gnuradio.zeromq` that are more than a row of the table: they take their place when they are made, and say where it is."""

from __future__ import annotations

import gc
import socket
import weakref
from typing import Any

from .rows import rows
from .table import TableBlock


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


def _class(name: str) -> type[TableBlock]:
    row, letters = rows()[f"zeromq.{name}"]
    doc = f"{name}({row['args']}): superhet's {row['block']}."
    return type(name, (_Endpoint,), {"_row": row, "_letters": letters, "__doc__": doc, "__module__": "gnuradio.zeromq"})


BLOCKS: dict[str, Any] = {
    name.removeprefix("zeromq."): _class(name.removeprefix("zeromq.")) for name in rows() if name.startswith("zeromq.")
}
