"""What the library says of its blocks: names, parameters, ports."""

from __future__ import annotations

import difflib
import functools
import json
from typing import Any

from superhet import _native


@functools.cache
def entries() -> dict[str, dict[str, Any]]:
    """The blocks by name, each as ``superhet blocks --json`` has it."""
    return {entry["name"]: entry for entry in json.loads(_native.blocks_json())}


def near(name: str, known: Any) -> str:
    """A hint at what may have been meant, or an empty text."""
    found = difflib.get_close_matches(name, list(known), n=3)
    return f"; did you mean {' or '.join(found)}?" if found else ""


_PLAIN = frozenset((bool, int, float, complex, str, type(None)))
"""What parameters take as it is."""


def plain(value: Any) -> Any:
    """A value as parameters take it: arrays, tuples and ranges as lists, numpy's numbers as Python's."""
    if type(value) in _PLAIN:
        return value
    if hasattr(value, "__superhet__"):
        return value.__superhet__()
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, (list, tuple, range)):
        # Taps are thousands of numbers.
        return list(value) if _PLAIN.issuperset(map(type, value)) else [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value


def default(param: dict[str, Any]) -> str:
    """How the default of a parameter is written in Python."""
    return repr(param["default"])


def docstring(entry: dict[str, Any]) -> str:
    """The documentation of a block, or of a function, which has no ports."""
    lines = [entry["summary"], ""]
    if entry["params"]:
        lines += ["Parameters", "----------"]
        for param in entry["params"]:
            unit = f", {param['unit']}" if param["unit"] else ""
            rest = "required" if param["required"] else f"default {default(param)}"
            lines += [f"{param['name']} : {param['kind']}{unit}, {rest}", f"    {param['doc']}"]
        lines.append("")
    for title, direction in (("Inputs", "in"), ("Outputs", "out")):
        ports = [port for port in entry["ports"] if port["direction"] == direction]
        if ports:
            lines += [title, "-" * len(title)]
            for port in ports:
                items = {"messages": "messages", "item": "items as `item` says"}.get(port["items"], port["items"])
                lines += [f"{port['name']} : {items}", f"    {port['doc']}"]
            lines.append("")
    what = "block" if entry["ports"] else "function"
    lines += ["Raises", "------", "superhet.errors.ParameterError", f"    For a value that the {what} does not take."]
    return "\n".join(lines)
