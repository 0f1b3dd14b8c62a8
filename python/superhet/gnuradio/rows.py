"""The table of GNU Radio's names that the runtime has, as Python reads it."""

from __future__ import annotations

import functools
import json
from typing import Any

from superhet import _native


@functools.cache
def _read() -> dict[str, Any]:
    return json.loads(_native.gnuradio_json())


@functools.cache
def rows() -> dict[str, tuple[dict[str, Any], str]]:
    """The row of each class, `blocks.multiply_const_cc`, and the letters of its types."""
    found = {}
    for row in _read()["rows"]:
        name = f"{row['module']}.{row['name']}"
        if "types" in row:
            found |= {f"{name}_{letters}": (row, letters) for letters in row["types"]}
        else:
            found[name] = (row, "")
    return found


def constants() -> dict[str, Any]:
    """Named numbers, `analog.GR_COS_WAVE`."""
    return _read()["constants"]
