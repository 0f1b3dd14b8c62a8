"""Names that blocks agree on: of message ports, `gr.msgport_names`, and of metadata and tags, `gr.metadata_keys`.

Each is a function that gives the symbol: `gr.msgport_names.pdus()`.
"""

from __future__ import annotations

from typing import Callable

from .. import pmt


def _symbols(class_name: str, doc: str, names: str) -> type:
    def function(name: str) -> Callable[[], pmt.pmt_base]:
        return lambda: pmt.intern(name)

    return type(class_name, (), {"__doc__": doc, **{name: staticmethod(function(name)) for name in names.split()}})


msgport_names = _symbols(
    "msgport_names", "Names of message ports.", "bpdu conf cpdu detects dict fpdu msg pdu pdus vec"
)
metadata_keys = _symbols(
    "metadata_keys", "Keys of metadata and tags.", "pdu_num rx_time sample_rate sys_time tx_eob tx_sob tx_time"
)
