"""Functions of the library: the design of filters, windows, constellations."""

from __future__ import annotations

import functools
import inspect
import json
from typing import Any, Callable

from superhet import _catalog, _native


@functools.cache
def functions() -> dict[str, dict[str, Any]]:
    """What the library says of its functions, by their names: `firdes.low_pass`."""
    return {function["name"]: function for function in json.loads(_native.functions_json())}


def _make(function: dict[str, Any]) -> Callable[..., Any]:
    params = [
        inspect.Parameter(
            param["name"],
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=inspect.Parameter.empty if param["required"] else param["default"],
        )
        for param in function["params"]
    ]
    wanted = inspect.Signature(params)
    name = function["name"].rsplit(".", 1)[-1]

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            given = wanted.bind(*args, **kwargs).arguments
        except TypeError as error:
            raise TypeError(f"{name}{wanted}: {error}") from None
        return _native.call_function(function["name"], {key: _catalog.plain(value) for key, value in given.items()})

    call.__name__ = call.__qualname__ = name
    call.__doc__ = _catalog.docstring({**function, "ports": []})
    call.__module__ = f"superhet.{function['name'].split('.')[0]}"
    call.__signature__ = wanted  # type: ignore[attr-defined]
    return call


@functools.cache
def function(name: str) -> Callable[..., Any] | None:
    """The function of that name, `firdes.low_pass`."""
    found = functions().get(name)
    return _make(found) if found else None


def group(name: str) -> Any:
    """The functions of a group as the static methods of a class."""
    found = {full.split(".", 1)[1]: _make(function) for full, function in functions().items() if full.split(".")[0] == name}
    return type(name, (), {short: staticmethod(function) for short, function in found.items()})


def module(namespace: dict[str, Any], name: str) -> None:
    """Puts the functions of a group into the namespace of a module."""
    found = {full.split(".", 1)[1]: _make(function) for full, function in functions().items() if full.split(".")[0] == name}
    namespace.update(found)
    # What `help` shows, and `from ... import *` takes.
    namespace["__all__"] = sorted(found)
