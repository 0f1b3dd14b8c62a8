"""A stream from a TCP connection: `gnuradio.network.tcp_source`."""

from __future__ import annotations

import socket
import types
from typing import Any

from .python_blocks import WORK_DONE, sync_block

POLL_S = 0.05
"""How long a call waits for the other side."""


class tcp_source(sync_block):
    """Bytes from a TCP connection as items: as a server it takes the first that comes, else it connects.

    The stream ends when the other side closes the connection.

    Raises:
        OSError: the address cannot be listened at.
    """

    def __init__(self, itemsize: int, addr: str, port: int, server: bool = True) -> None:
        kind = ("u1", int(itemsize)) if itemsize > 1 else "u1"
        super().__init__("tcp_source", [], [kind])
        self._bytes, self._address = int(itemsize), (str(addr), int(port))
        self._other: socket.socket | None = None
        self._rest = b""
        self._server: socket.socket | None = None
        if server:
            family = socket.AF_INET6 if ":" in str(addr) else socket.AF_INET
            self._server = socket.create_server(self._address, family=family)
            self._server.settimeout(POLL_S)

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Takes what has come."""
        import numpy

        given = output_items[0]
        if self._other is None and not self._connected():
            return 0
        assert self._other is not None
        try:
            found = self._other.recv(len(given) * self._bytes - len(self._rest))
        except TimeoutError:
            return 0
        if not found:
            return WORK_DONE
        data = self._rest + found
        count = len(data) // self._bytes
        self._rest = data[count * self._bytes :]
        given[:count] = numpy.frombuffer(data[: count * self._bytes], "u1").reshape(given[:count].shape)
        return count

    def _connected(self) -> bool:
        try:
            if self._server is not None:
                self._other = self._server.accept()[0]
            else:
                self._other = socket.create_connection(self._address, POLL_S)
        except (TimeoutError, ConnectionError):
            return False
        self._other.settimeout(POLL_S)
        return True

    def stop(self) -> bool:
        """Closes the connection."""
        for end in (self._other, self._server):
            if end is not None:
                end.close()
        self._other = None
        return True


NAMES: dict[str, Any] = {"tcp_source": types.SimpleNamespace(tcp_source=tcp_source)}
"""What the module `network` has of these: a module with the class, as in GNU Radio."""
