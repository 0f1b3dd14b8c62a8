"""Packets of an interface of the system: `gnuradio.network.tuntap_pdu`."""

from __future__ import annotations

import os
import select
import struct
import sys
import threading
from typing import Any

from . import pmt
from .python_blocks import basic_block

POLL_S = 0.1
"""How long it waits for a packet until it looks whether the flowgraph has ended."""

_TUNSETIFF, _TUN, _TAP, _NO_PACKET_INFO = 0x400454CA, 1, 2, 0x1000


class tuntap_pdu(basic_block):
    """What comes in at the interface `dev` of the system becomes PDUs, and PDUs go out there: frames of Ethernet, or packets of IP with
    `istunflag`. Only Linux has it, and only root, or whom the interface was made for.

    Raises:
        RuntimeError: there are no such interfaces, or it may not have this one.
    """

    def __init__(self, dev: str, MTU: int = 10000, istunflag: bool = False) -> None:
        super().__init__("tuntap_pdu")
        self._most = int(MTU)
        self._file = _opened(str(dev), bool(istunflag))
        self._ends = threading.Event()
        for register in (self.message_port_register_in, self.message_port_register_out):
            register(pmt.intern("pdus"))
        self.set_msg_handler(pmt.intern("pdus"), self._send)

    def _send(self, message: Any) -> None:
        data = pmt.cdr(message) if pmt.is_pair(message) else None
        if data is None or not pmt.is_u8vector(data):
            raise RuntimeError("tuntap_pdu: expected a PDU of bytes")
        try:
            os.write(self._file, bytes(pmt.u8vector_elements(data)))
        except OSError as error:
            # An interface that is down takes nothing.
            print(f"tuntap_pdu: {error.strerror}", file=sys.stderr)

    def start(self) -> bool:
        """Begins to listen."""
        self._ends.clear()
        threading.Thread(target=self._listen, daemon=True).start()
        return True

    def stop(self) -> bool:
        """Ends that."""
        self._ends.set()
        return True

    def _listen(self) -> None:
        while not self._ends.is_set():
            if select.select([self._file], [], [], POLL_S)[0]:
                data = os.read(self._file, self._most)
                self.message_port_pub(pmt.intern("pdus"), pmt.cons(pmt.PMT_NIL, pmt.init_u8vector(len(data), list(data))))

    def __del__(self) -> None:
        file = self.__dict__.get("_file")
        if file is not None:
            os.close(file)


def _opened(name: str, is_tun: bool) -> int:
    import fcntl

    file = -1
    try:
        file = os.open("/dev/net/tun", os.O_RDWR)
        kind = (_TUN if is_tun else _TAP) | _NO_PACKET_INFO
        fcntl.ioctl(file, _TUNSETIFF, struct.pack("16sH22x", name.encode()[:15], kind))
    except OSError as error:
        if file >= 0:
            os.close(file)
        raise RuntimeError(f"tuntap_pdu: cannot open the interface {name}: {error.strerror}") from None
    return file


BLOCKS: dict[str, Any] = {"tuntap_pdu": tuntap_pdu}
"""The blocks by name."""
