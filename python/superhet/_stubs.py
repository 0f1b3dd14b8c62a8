"""Writes the stubs of what comes from the library: ``python -m superhet._stubs FOLDER``, the folder of the package."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from superhet import _catalog, _functions, blocks

TYPES = {
    "float": "float",
    "integer": "int",
    "bool": "bool",
    "text": "str",
    "path": "str",
    "numbers": "Sequence[complex]",
    "value": "Any",
}
MODULES = ("firdes", "optfir", "window")
"""Modules that have functions of the library."""


def _type(param: dict[str, Any], all_names: list[str]) -> str:
    if f"{param['name']}_imag" in all_names:
        return "complex"
    if param["type"] == "choice":
        return f"Literal[{', '.join(map(repr, param['choices']))}]"
    return TYPES[param["type"]]


def _documentation(text: str, indent: str) -> list[str]:
    """A docstring, line by line."""
    lines = text.replace("\\", "\\\\").replace('"""', "'''").split("\n")
    lines = [f'"""{lines[0]}', *lines[1:], '"""']
    return [f"{indent}{line}".rstrip() for line in lines]


def _parameter(param: dict[str, Any], names: list[str]) -> str:
    default = "" if param["required"] else f" = {param['default']!r}"
    return f"{blocks.class_name(param['name'])}: {_type(param, names)}{default},"


def _class(entry: dict[str, Any]) -> str:
    required = [param for param in entry["params"] if param["required"]]
    others = [param for param in entry["params"] if not param["required"]]
    names = [param["name"] for param in entry["params"]]
    named = [_parameter(param, names) for param in others]
    if "name" not in names:
        named.append("name: str | None = None,")
    lines = [f"class {blocks.class_name(entry['name'])}(LibraryBlock):"]
    lines += _documentation(_catalog.docstring(entry), "    ")
    lines += ["    def __init__(", "        self,"]
    lines += [f"        {_parameter(param, names)}" for param in required]
    lines += [f"        {line}" for line in (["*,", *named] if named else [])]
    return "\n".join([*lines, "    ) -> None: ..."])


def _function(function: dict[str, Any]) -> str:
    names = [param["name"] for param in function["params"]]
    lines = [f"def {function['name'].split('.', 1)[1]}("]
    lines += [f"    {_parameter(param, names)}" for param in function["params"]]
    lines += [") -> list[Any]:", *_documentation(_catalog.docstring({**function, "ports": []}), "    ")]
    return "\n".join([*lines, "    ..."])


def _blocks() -> str:
    own = sorted(blocks._OWN)
    head = [
        '"""The blocks of the library, a class each. Written by `python -m superhet._stubs`."""',
        "",
        "from typing import Any, Literal, Sequence",
        "",
        f"from superhet.arrays import {', '.join(f'{name} as {name}' for name in own)}",
        "from superhet.graph import LibraryBlock",
        "",
    ]
    made = [_class(entry) for name, entry in sorted(_catalog.entries().items()) if name not in own]
    return "\n".join(head) + "\n" + "\n\n".join(made) + "\n"


def _module(group: str) -> str:
    found = [function for name, function in sorted(_functions.functions().items()) if name.split(".")[0] == group]
    head = f'"""Functions of the library: {group}. Written by `python -m superhet._stubs`."""\n\n'
    head += "from typing import Any, Literal, Sequence\n\n"
    return head + "\n\n".join(map(_function, found)) + "\n"


def _package() -> str:
    """What `superhet` has: all that its modules give, and the blocks."""
    import superhet

    parts = {
        "superhet._native": ["Io"],
        "superhet._values": ["Packet", "Pairs", "Tag"],
        "superhet.arrays": ["Chunks"],
        "superhet.block": ["DONE", "Block", "FunctionBlock", "Stream", "block"],
        "superhet.errors": ["Error"],
        "superhet.dashboard": ["Dashboard"],
        "superhet.graph": ["Graph", "LibraryBlock", "Node", "Port", "Running", "process"],
        "superhet.blocks": [blocks.class_name(name) for name in sorted(_catalog.entries())],
    }
    lines = ['"""superhet: a software-radio runtime. Written by `python -m superhet._stubs`."""', ""]
    modules = sorted({"blocks", "errors", *superhet._MODULES})
    lines += [f"from superhet import {name} as {name}" for name in modules]
    lines += [f"from {module} import {name} as {name}" for module, names in parts.items() for name in names]
    return "\n".join([*lines, "", "__version__: str", "__all__: list[str]"]) + "\n"


def files() -> dict[str, str]:
    """The stubs by the names of their files."""
    modules = {f"{name}.pyi": _module(name) for name in MODULES}
    return {"__init__.pyi": _package(), "blocks.pyi": _blocks(), **modules}


if __name__ == "__main__":
    for file, text in files().items():
        (Path(sys.argv[1]) / file).write_text(text)
