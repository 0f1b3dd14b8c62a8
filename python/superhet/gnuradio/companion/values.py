"""Expressions and variables of a flowgraph."""

from __future__ import annotations

import ast
import cmath
import importlib
import math
import types
from typing import Any, Callable

from ..errors import Missing
from .document import COMMON, ENABLED, Block, Document
from .objects import OBJECTS
from .palette import PREFIX, Call, Entry, Several, made, names, palette

MODULES = "analog audio blocks channels digital dtv fec fft filter gr network pdu qtgui soapy trellis uhd vocoder wavelet zeromq".split()


def scope_of_modules() -> dict[str, Any]:
    """What expressions can name besides variables: GNU Radio's modules, and what its scripts import."""
    import numpy

    scope: dict[str, Any] = {"cmath": cmath, "math": math, "numpy": numpy, "np": numpy, "pmt": importlib.import_module("pmt")}
    for name in MODULES:
        try:
            scope[name] = importlib.import_module(f"gnuradio.{name}")
        except ImportError:
            continue
    for name in ("iio", "video_sdl"):
        scope[name] = importlib.import_module(f"gnuradio.{name}")
    for name in ("osmosdr", "soapy"):
        try:
            scope[name] = importlib.import_module(name)
        except ImportError:
            continue
    scope["gnuradio"] = importlib.import_module("gnuradio")
    scope["firdes"] = importlib.import_module("gnuradio.filter.firdes")
    scope["window"] = importlib.import_module("gnuradio.fft.window")
    scope["pfb"] = importlib.import_module("gnuradio.filter.pfb")
    scope["logpwrfft"] = importlib.import_module("gnuradio.fft.logpwrfft")
    scope["optfir"], scope["digital_utils"] = scope["filter"].optfir, scope["digital"].utils
    scope["Qt"] = importlib.import_module("PyQt5.Qt")
    scope["codec2"], scope["freedv_api"] = scope["vocoder"].codec2, scope["vocoder"].freedv_api
    scope["polar"] = scope["fec"].polar
    return scope


def is_widget(id: str) -> bool:
    """Whether it is a control of a user interface, which has a value."""
    return id.startswith(("variable_qtgui", "variable_bokehgui", "variable_wxgui"))


def is_variable(block: Block) -> bool:
    """Whether the block is a variable."""
    return block.id == "parameter" or block.id.startswith("variable") or block.id in ("json_config", "yaml_config")


def value(text: str, scope: dict[str, Any]) -> Any:
    """The value of an expression, as it is written."""
    return eval(compile(text.strip().replace("\r", ""), "<expression>", "eval"), scope)  # noqa: S307: the user trusts the file


def text(written: str, scope: dict[str, Any]) -> str:
    """A parameter that is text: an expression whose value is text, or the text itself."""
    try:
        found = value(written, scope)
    except Exception:  # noqa: BLE001: whatever goes wrong, then it is no expression.
        return written
    return found if isinstance(found, str) else written


def argument(entry: Entry, block: Block, name: str, scope: dict[str, Any]) -> Any:
    """The value of a parameter of a block of the palette."""
    param = entry.params[name]
    written = block.params.get(name, param.default)
    if param.kind == "text":
        return text(written, scope)
    if not written.strip():
        written = param.default
    if not written.strip():
        return [] if param.kind == "list" else None
    found = value(written, scope)
    if param.kind == "list" and not hasattr(found, "__len__"):
        return [found]
    return found


def _is_several(written: str) -> bool:
    """Whether a text is several arguments, `1, 2, [5, 7]`."""
    try:
        tree = ast.parse(f"_({written.strip()})", mode="eval")
    except SyntaxError:
        return False
    return isinstance(tree.body, ast.Call) and len(tree.body.args) > 1


def call(entry: Entry, block: Block, chosen: Call, scope: dict[str, Any]) -> Any:
    """What a block of the palette is."""
    wanted = names(chosen.make).union(*map(names, chosen.then))
    given: dict[str, Any] = {}
    for name in sorted(wanted):
        try:
            given[name] = block.name if name == "id" and name not in entry.params else argument(entry, block, name, scope)
            if name in entry.params and entry.params[name].kind == "value" and _is_several(block.params.get(name, "")):
                given[name] = Several(given[name])
        except Missing:
            raise
        except Exception as error:
            raise ValueError(f"{name}: `{block.params.get(name, '')[:100]}`: {_told(error)}") from error
    return made(chosen, given, scope)


def _told(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if not isinstance(error, (ValueError, Missing)) else str(error)


def _free_names(text: str) -> set[str]:
    """The names that an expression mentions."""
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except SyntaxError:
        return set()
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def mentioned(block: Block) -> set[str]:
    """The names that the parameters of a variable mention."""
    found: set[str] = set()
    for name, written in block.params.items():
        if name not in COMMON:
            found |= _free_names(written)
    return found


def of_block(block: Block, scope: dict[str, Any], override: Callable[[str], tuple[bool, Any]]) -> Any:
    """The value of a variable."""
    is_set, given = override(block.name)
    kind = block.param("type")
    if is_set:
        return str(given) if block.id == "parameter" and kind in ("str", "string") else given
    if block.id in OBJECTS:
        return OBJECTS[block.id](block, scope)
    written = block.params.get("value")
    if block.id == "parameter" and kind in ("str", "string", "std_string", ""):
        return text(written or "", scope)
    if block.id in ("variable", "parameter", "variable_function_probe") or is_widget(block.id):
        # A label shows what is written.
        if (kind in ("str", "string") or block.id == "variable_qtgui_label") and written is not None:
            return text(written, scope)
        return value(written, scope) if written and written.strip() else 0
    entry = palette().get(block.id)
    chosen = entry.call(block.params) if entry else None
    if entry is None or chosen is None:
        raise ValueError(f"there is no variable block {block.id} here")
    lengths = [int(value(block.param(f"dim{at}", "1"), scope)) for at in range(1, int(block.param("ndim", "0")) + 1)]
    return _several(lambda: call(entry, block, chosen, scope), lengths)


def _several(make: Callable[[], Any], lengths: list[int]) -> Any:
    """One object, or lists of lists of them."""
    if not lengths:
        return make()
    return [_several(make, lengths[1:]) for _ in range(lengths[0])]


def variables(document: Document, scope: dict[str, Any], override: Callable[[str], tuple[bool, Any]]) -> list[str]:
    """Works out the variables into `scope`, each behind those that it mentions; gives what is wrong."""
    blocks = {block.name: block for block in document.blocks if is_variable(block) and block.state == ENABLED}
    needs = {name: (mentioned(block) & blocks.keys()) - {name} for name, block in blocks.items()}
    mistakes: list[str] = []
    failed: set[str] = set()
    left = dict.fromkeys(blocks)
    while left:
        ready = [name for name in left if not needs[name] & left.keys()]
        if not ready:
            chain = ", ".join(sorted(left))
            mistakes.append(f"{document.place(blocks[next(iter(left))].line)}the variables {chain} need each other")
            break
        for name in ready:
            del left[name]
            if needs[name] & failed:
                failed.add(name)
                continue
            try:
                scope[name] = of_block(blocks[name], scope, override)
            except Exception as error:  # noqa: BLE001: the code of the file may raise anything.
                failed.add(name)
                mistakes.append(f"{document.place(blocks[name].line)}variable {name}: {_told(error)}")
    return mistakes


def imports(document: Document, scope: dict[str, Any]) -> list[str]:
    """Executes the imports and the modules of the flowgraph; gives what is wrong."""
    import sys

    mistakes = []
    for block in document.blocks:
        if block.state != ENABLED or block.id not in ("import", "epy_module"):
            continue
        try:
            if block.id == "import":
                exec(compile(block.param("imports", block.param("import")), f"<{block.name}>", "exec"), scope)  # noqa: S102
            else:
                module = types.ModuleType(block.name)
                sys.modules[block.name] = scope[block.name] = module
                exec(compile(block.param("source_code"), f"{block.name}.py", "exec"), vars(module))  # noqa: S102
        except Exception as error:  # noqa: BLE001: the code of the file may raise anything.
            mistakes.append(f"{document.place(block.line)}block {block.name}: {_told(error)}")
    return mistakes


__all__ = ["PREFIX", "argument", "call", "imports", "is_variable", "is_widget", "scope_of_modules", "text", "value", "variables"]
