"""The modules of GNU Radio by name. What they hold is in `modules.py`."""

from __future__ import annotations

import functools
import importlib
import types
from typing import Any

from .errors import missing

TABLES = (
    "analog", "blocks", "channels", "digital", "fec", "fft", "filter", "network", "pdu", "vocoder", "zeromq"
)
"""The modules whose blocks the table has."""

PACKAGE = "gnuradio"


def _contents() -> Any:
    """What the modules hold: imported at the first look, since blocks of one module are made of blocks of others."""
    return importlib.import_module("superhet.gnuradio.modules")


class _Module(types.ModuleType):
    """A module of GNU Radio: what is not there says so."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        short = self.__name__.removeprefix(f"{PACKAGE}.")
        found = _contents().find(short, name)
        if found is None:
            raise missing("name", f"{short}.{name}", _contents().known(short))
        setattr(self, name, found)
        return found

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *_contents().known(self.__name__.removeprefix(f"{PACKAGE}."))})


@functools.cache
def module(name: str) -> types.ModuleType:
    """The module `gnuradio.NAME`."""
    made = _Module(f"{PACKAGE}.{name}", f"GNU Radio's module {name}, by superhet.")
    made.__path__ = []  # type: ignore[attr-defined]
    return made
