"""What the headers of a file with metadata say: `gnuradio.blocks.parse_file_metadata`."""

from __future__ import annotations

from typing import Any

from . import pmt
from .file_parts import HEADER_BYTES as HEADER_LENGTH

TYPES = {0: "bytes", 1: "short", 2: "int", 3: "long", 4: "long long", 5: "float", 6: "double"}
"""The kinds of numbers, by what a header has for them."""

ftype_to_string = TYPES
ftype_to_size = {0: 1, 1: 2, 2: 4, 3: 8, 4: 8, 5: 4, 6: 8}
"""The bytes of a number of each kind."""


def _entry(dictionary: Any, key: str) -> Any:
    name = pmt.intern(key)
    if not pmt.dict_has_key(dictionary, name):
        raise RuntimeError(f"parse_file_metadata: a header has no entry {key}")
    return pmt.dict_ref(dictionary, name, pmt.PMT_NIL)


def parse_header(p: Any, VERBOSE: bool = False) -> dict[str, Any]:  # noqa: N803
    """The fields of a header: rate, time, type, and how long the header and its segment are. RuntimeError where one is missing."""
    time = _entry(p, "rx_time")
    secs, fracs = pmt.to_uint64(pmt.tuple_ref(time, 0)), pmt.to_double(pmt.tuple_ref(time, 1))
    start, size = pmt.to_uint64(_entry(p, "strt")), pmt.to_long(_entry(p, "size"))
    found = {
        "rx_rate": pmt.to_double(_entry(p, "rx_rate")),
        "rx_time_secs": secs,
        "rx_time_fracs": fracs,
        "rx_time": secs + fracs,
        "size": size,
        "type": TYPES[pmt.to_long(_entry(p, "type"))],
        "cplx": pmt.to_bool(_entry(p, "cplx")),
        "hdr_len": start,
        "extra_len": start - HEADER_LENGTH,
        "has_extra": start > HEADER_LENGTH,
        "nitems": pmt.to_uint64(_entry(p, "bytes")) / size,
        "nbytes": pmt.to_uint64(_entry(p, "bytes")),
    }
    if VERBOSE:
        _say("HEADER", found)
    return found


def parse_extra_dict(p: Any, info: dict[str, Any], VERBOSE: bool = False) -> dict[str, Any]:  # noqa: N803
    """`info` with what the extra part of a header has besides."""
    more = {}
    items = pmt.dict_items(p)
    for place in range(pmt.length(items)):
        pair = pmt.nth(place, items)
        more[pmt.symbol_to_string(pmt.car(pair))] = pmt.cdr(pair)
    info.update(more)
    if VERBOSE:
        _say("EXTRA", more)
    return info


def _say(what: str, entries: dict[str, Any]) -> None:
    print(f"{what}:", *(f"  {key}: {value}" for key, value in entries.items()), sep="\n")
