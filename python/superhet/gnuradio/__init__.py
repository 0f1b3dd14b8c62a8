"""GNU Radio's Python names for superhet: scripts that are written for GNU Radio run as they are.

>>> import superhet.gnuradio
>>> superhet.gnuradio.install()            # in this process only
>>> from gnuradio import blocks, gr
>>> top = gr.top_block()
>>> source, sink = blocks.vector_source_f([1, 2, 3]), blocks.vector_sink_f()
>>> top.connect(source, blocks.multiply_const_ff(2), sink)
>>> top.run()
>>> sink.data()
[2.0, 4.0, 6.0]

From the command line: ``python -m superhet.gnuradio SCRIPT.py [ARGUMENTS]``.
"""

from __future__ import annotations

import importlib.util
import sys
from typing import Any

__all__ = ["controls", "install", "is_installed", "uninstall"]


def is_installed() -> bool:
    """Whether `import gnuradio` gives superhet's in this process."""
    from .modules import PACKAGE, all_modules

    return sys.modules.get(PACKAGE) is all_modules()[PACKAGE]


def install(*, shadow: bool = False) -> None:
    """Makes `import gnuradio` and `import pmt` give superhet's, in this process only.

    Where GNU Radio itself is installed, or was imported already, this is an `ImportError` unless `shadow` is true.
    """
    from .modules import PACKAGE, all_modules

    if is_installed():
        return
    for name in (PACKAGE, "pmt"):
        if not shadow and (name in sys.modules or importlib.util.find_spec(name) is not None):
            raise ImportError(f"{name} is installed here: superhet takes its place only with install(shadow=True)")
    for name in [name for name in sys.modules if name.split(".")[0] in (PACKAGE, "pmt")]:
        del sys.modules[name]
    made = all_modules()
    ours = {name: module for name, module in made.items() if name.split(".")[0] in (PACKAGE, "pmt")}
    # What may be there by others stays as it is, unless superhet takes GNU Radio's place.
    others = {name: module for name, module in made.items() if name not in ours and (shadow or not _is_there(name))}
    sys.modules.update(ours | others)


def controls() -> list[Any]:
    """The widgets of a script with a window: each has a `label`, and `set(value)` moves it."""
    from .qt import controls

    return controls()


def _is_there(name: str) -> bool:
    package = name.split(".")[0]
    return package in sys.modules or importlib.util.find_spec(package) is not None


def uninstall() -> None:
    """Takes superhet's modules out again."""
    from .modules import all_modules

    for name, module in all_modules().items():
        if sys.modules.get(name) is module:
            del sys.modules[name]
