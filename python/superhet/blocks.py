"""The blocks of the library, a class each, made when they are asked for: ``superhet.blocks.multiply_const``."""

from __future__ import annotations

import inspect
import keyword
from typing import Any

from superhet import _catalog, arrays
from superhet.graph import LibraryBlock, Node

_OWN: dict[str, type[Node]] = {"vector_source": arrays.vector_source, "vector_sink": arrays.vector_sink}
"""Blocks that Python does in a way of its own, with arrays."""


def _make(entry: dict[str, Any]) -> type[LibraryBlock]:
    params = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)]
    for param in sorted(entry["params"], key=lambda param: not param["required"]):
        default = inspect.Parameter.empty if param["required"] else param["default"]
        name = class_name(param["name"])
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD if param["required"] else inspect.Parameter.KEYWORD_ONLY
        params.append(inspect.Parameter(name, kind, default=default))
    if not any(param["name"] == "name" for param in entry["params"]):
        params.append(inspect.Parameter("name", inspect.Parameter.KEYWORD_ONLY, default=None))
    attributes = {
        "kind": entry["name"],
        "entry": entry,
        "__doc__": _catalog.docstring(entry),
        "__module__": __name__,
        "__signature__": inspect.Signature(params[1:]),
    }
    return type(class_name(entry["name"]), (LibraryBlock,), attributes)


def class_name(block: str) -> str:
    """The name of a block's class: one that is a word of Python has an underscore behind it, `and_`."""
    return f"{block}_" if keyword.iskeyword(block) else block


def __getattr__(name: str) -> Any:
    block = name.removesuffix("_")
    entry = _catalog.entries().get(block if class_name(block) == name else name)
    if entry is None:
        hint = _catalog.near(name, _catalog.entries())
        raise AttributeError(f"there is no block {name}{hint}")
    made = _OWN.get(name) or _make(entry)
    globals()[name] = made
    return made


def __dir__() -> list[str]:
    return sorted(class_name(block) for block in _catalog.entries())
