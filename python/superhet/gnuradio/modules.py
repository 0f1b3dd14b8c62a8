"""The modules of GNU Radio, as far as they are there."""

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


class _Module(types.ModuleType):
    """A module of GNU Radio: what is not there says so."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = _find(self.__name__.removeprefix(f"{PACKAGE}."), name)
        if found is None:
            short = self.__name__.removeprefix(f"{PACKAGE}.")
            raise missing("name", f"{short}.{name}", _known(short))
        setattr(self, name, found)
        return found

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *_known(self.__name__.removeprefix(f"{PACKAGE}."))})


def _find(module_name: str, name: str) -> Any:
    """A class, a constant or a function of a module, if it is there."""
    from . import special, table

    full = f"{module_name}.{name}"
    if full in special.CLASSES:
        return special.CLASSES[full]
    extra = _extra(module_name).get(name)
    if extra is not None:
        return extra
    from superhet import _functions

    function = _functions.function(full)
    return table.block_class(full) or function or table.constants().get(full)


def _known(module_name: str) -> list[str]:
    """The names that a module has."""
    from . import special, table

    names = [*special.CLASSES, *table.rows(), *table.constants()]
    found = [name.split(".", 1)[1] for name in names if name.startswith(f"{module_name}.")]
    return sorted({*found, *_extra(module_name)})


@functools.cache
def _extra(module_name: str) -> dict[str, Any]:
    """What a module has besides blocks and constants."""
    if module_name == "gr":
        from . import _gr, elements, python_blocks

        found = {name: getattr(_gr, name) for name in dir(_gr) if not name.startswith("__")}
        for source, names in (
            (elements, ("hier_block2", "top_block")),
            (python_blocks, ("sync_block", "decim_block", "interp_block", "basic_block")),
        ):
            found |= {name: getattr(source, name) for name in names}
        return found
    if module_name == "filter":
        pfb = importlib.import_module("superhet.gnuradio.pfb")
        return {"firdes": firdes(), "window": window(), "optfir": _functions("optfir"), "pfb": pfb}
    if module_name == "fft":
        return {"window": window()}
    if module_name == "digital":
        parts = importlib.import_module("superhet.gnuradio.digital_parts")
        found = {name: getattr(parts, name) for name in dir(parts) if not name.startswith("_")}
        for name in ("modems", "ofdm"):
            found |= importlib.import_module(f"superhet.gnuradio.{name}").BLOCKS
        cpm = importlib.import_module("superhet.gnuradio.cpm")
        return found | {"cpmmod_bc": cpm.cpmmod_bc, "gmskmod_bc": cpm.gmskmod_bc}
    if module_name == "fec":
        return dict(importlib.import_module("superhet.gnuradio.fec_parts").BLOCKS)
    if module_name == "zeromq":
        return dict(importlib.import_module("superhet.gnuradio.zeromq_parts").BLOCKS)
    if module_name == "analog":
        return {"cpm": importlib.import_module("superhet.gnuradio.cpm").cpm}
    return {}


def _functions(group: str) -> Any:
    """The functions of a group, `firdes`, as a class with static methods, as GNU Radio has them."""
    from superhet import _functions as functions

    return functions.group(group)


@functools.cache
def firdes() -> Any:
    """`filter.firdes`."""
    return _with_windows(_functions("firdes"))


@functools.cache
def window() -> Any:
    """`fft.window`."""
    return _with_windows(_functions("window"))


def _with_windows(group: Any) -> Any:
    from . import table

    for name, value in table.constants().items():
        module_name, _, constant = name.rpartition(".")
        if constant.startswith("WIN_") and module_name in ("fft.window", "window", "filter.firdes", "firdes"):
            setattr(group, constant, value)
    return group


@functools.cache
def module(name: str) -> types.ModuleType:
    """The module `gnuradio.NAME`."""
    made = _Module(f"{PACKAGE}.{name}", f"GNU Radio's module {name}, by superhet.")
    made.__path__ = []  # type: ignore[attr-defined]
    return made


@functools.cache
def all_modules() -> dict[str, types.ModuleType]:
    """Every module by the name that it is imported by."""
    from . import pmt

    package = types.ModuleType(PACKAGE, "GNU Radio, by superhet.")
    package.__path__ = []  # type: ignore[attr-defined]
    found: dict[str, Any] = {PACKAGE: package, "pmt": pmt}
    for name in ("gr", *TABLES):
        made = module(name)
        setattr(package, name, made)
        found[f"{PACKAGE}.{name}"] = made
    gr = found[f"{PACKAGE}.gr"]
    for name in ("gr_unittest", "tag_utils"):
        inner = getattr(gr, name)
        found[f"{PACKAGE}.gr.{name}"] = inner
        found[f"{PACKAGE}.{name}"] = inner
        setattr(package, name, inner)
    from .digital_parts import MODULES

    found |= {f"{PACKAGE}.digital.{name}": inner for name, inner in MODULES.items()}
    for name in ("eng_arg", "eng_notation", "eng_option"):
        found[f"{PACKAGE}.{name}"] = inner = importlib.import_module(f"superhet.gnuradio.{name}")
        setattr(package, name, inner)
    found[f"{PACKAGE}.filter.pfb"] = found[f"{PACKAGE}.filter"].pfb
    found[f"{PACKAGE}.filter.firdes"] = found[f"{PACKAGE}.filter"].firdes
    found[f"{PACKAGE}.fft.window"] = found[f"{PACKAGE}.fft"].window
    return found
