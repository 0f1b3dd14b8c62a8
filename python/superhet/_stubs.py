"""Writes the stubs of the library's blocks: ``python -m superhet._stubs > superhet/blocks.pyi``."""

from __future__ import annotations

from typing import Any

from superhet import _catalog, blocks

TYPES = {
    "float": "float",
    "integer": "int",
    "bool": "bool",
    "text": "str",
    "path": "str",
    "numbers": "Sequence[complex]",
    "value": "Any",
}


def _type(param: dict[str, Any], all_names: list[str]) -> str:
    if f"{param['name']}_imag" in all_names:
        return "complex"
    if param["type"] == "choice":
        return f"Literal[{', '.join(map(repr, param['choices']))}]"
    return TYPES[param["type"]]


def _class(entry: dict[str, Any]) -> str:
    params = sorted(entry["params"], key=lambda param: not param["required"])
    lines = [f"class {blocks.class_name(entry['name'])}(LibraryBlock):", "    def __init__(", "        self,", "        *,"]
    names = [param["name"] for param in params]
    for param in params:
        name = blocks.class_name(param["name"])
        default = "" if param["required"] else f" = {param['default']!r}"
        lines.append(f"        {name}: {_type(param, names)}{default},")
    if "name" not in names:
        lines.append("        name: str | None = None,")
    return "\n".join([*lines, "    ) -> None: ..."])


def text() -> str:
    """The stubs."""
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


if __name__ == "__main__":
    print(text(), end="")
