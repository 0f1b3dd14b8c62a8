"""The blocks of `gnuradio.zeromq` that are more than a row of the table: they say where they listen."""

from __future__ import annotations

import socket
import weakref
from typing import Any

from .rows import rows
from .table import TableBlock


def _reserved(address: str) -> tuple[str, Any]:
    """The address with a port that is free in place of `*` or 0, and what keeps others from taking it."""
    host, colon, port = address.rpartition(":")
    if not host.startswith("tcp://") or port not in ("*", "0"):
        return address, None
    name = host.removeprefix("tcp://").removeprefix("[").removesuffix("]")
    info = socket.getaddrinfo("0.0.0.0" if name == "*" else name, 0, type=socket.SOCK_STREAM)[0]
    place = socket.socket(info[0], socket.SOCK_STREAM)
    # Whoever asks for the same may listen there as long as this socket does not.
    place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    place.bind(info[4])
    name = "tcp://0.0.0.0" if name == "*" else host
    return f"{name}{colon}{place.getsockname()[1]}", place


class _Endpoint(TableBlock):
    """A block that listens or connects."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self._args["bind"]:
            self._args["address"], place = _reserved(self._args["address"])
            if place is not None:
                weakref.finalize(self, place.close)

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
