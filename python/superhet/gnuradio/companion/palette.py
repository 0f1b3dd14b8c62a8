"""The blocks of GNU Radio Companion's palette: which class each is, and how it is called.

The data is `crates/flow/src/gnuradio/palette.txt`, whose head explains the format, and `palette_more.txt` there.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import Any

from superhet import _native

PREFIX = "p__"
"""Before the names of parameters in expressions, so that none hides a module."""


@dataclass(frozen=True)
class Parameter:
    """A parameter: `kind` is value, list, text or word."""

    name: str
    kind: str
    default: str


@dataclass(frozen=True)
class Call:
    """What is called where parameters have these values: the class, and methods of what it makes."""

    when: tuple[str, ...]
    make: str
    then: tuple[str, ...]


@dataclass(frozen=True)
class Entry:
    """A block of the palette. `by` names the parameters whose values choose a call."""

    id: str
    params: dict[str, Parameter]
    by: tuple[str, ...]
    calls: tuple[Call, ...]
    tables: dict[str, dict[str, str]]
    """What stands for the values of a parameter: `type.0`."""

    def call(self, values: dict[str, str]) -> Call | None:
        """The call for these values of the parameters, if there is one."""
        wanted = tuple(values.get(name, self.params[name].default) for name in self.by)
        for call in self.calls:
            if all(fits in ("*", value) for fits, value in zip(call.when, wanted)):
                return Call(call.when, self._with(call.make, values), tuple(self._with(part, values) for part in call.then))
        return None

    def _with(self, code: str, values: dict[str, str]) -> str:
        """A call with what stands for values."""

        def written(match: re.Match[str]) -> str:
            name = match[1]
            value = values.get(name, self.params[name].default)
            try:
                return self.tables[f"{name}.{match[2]}"][value]
            except KeyError:
                raise ValueError(f"{name}: expected one of {', '.join(self.tables[f'{name}.{match[2]}'])}, got {value}") from None

        return _TABLE.sub(written, code)


_TABLE = re.compile(r"\$(\w+)\.(\d+)\b")


def _code(text: str) -> str:
    return re.sub(r"\$(\w+)(?!\w|\.\d)", PREFIX + r"\1", text)


def parse(text: str) -> dict[str, Entry]:
    """The entries of the palette's text."""
    found: dict[str, Entry] = {}
    head: tuple[str, dict[str, Parameter], tuple[str, ...]] | None = None
    calls: list[Call] = []
    tables: dict[str, dict[str, str]] = {}

    def close() -> None:
        if head is not None:
            found[head[0]] = Entry(*head, tuple(calls), tables)

    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        if not line.startswith("\t"):
            close()
            name, by, *params = line.split("\t")
            made = {}
            for param in params:
                declared, _, default = param.partition("=")
                key, _, kind = declared.partition(":")
                made[key] = Parameter(key, kind or "value", default)
            head, calls, tables = (name, made, tuple(by.split(",")) if by else ()), [], {}
        elif line.startswith("\t$"):
            key, *pairs = line[2:].split("\t")
            tables[key] = dict(pair.split("=", 1) for pair in pairs)  # type: ignore[misc]
        else:
            when, make, *then = line[1:].split("\t")
            calls.append(Call(tuple(when.split(",")) if when else (), _code(make), tuple(map(_code, then))))
    close()
    return found


@functools.cache
def palette() -> dict[str, Entry]:
    """All entries, by id."""
    return parse(_native.gnuradio_palette())


def names(code: str) -> set[str]:
    """The parameters that a call mentions."""
    return set(re.findall(rf"\b{PREFIX}(\w+)", code))


class Several(tuple):  # type: ignore[type-arg]
    """The values of a parameter that is several arguments of a call."""


def made(call: Call, arguments: dict[str, Any], scope: dict[str, Any]) -> Any:
    """The object that a call makes."""
    known = {**scope, **{PREFIX + name: value for name, value in arguments.items()}}
    several = [PREFIX + name for name, value in arguments.items() if isinstance(value, Several)]

    def code(text: str) -> str:
        for name in several:
            text = re.sub(rf"\b{name}\b", f"*{name}", text)
        return text

    block = eval(compile(code(call.make), f"<{call.make}>", "eval"), known)  # noqa: S307: the palette is our own
    for method in call.then:
        eval(compile(code(f"made_.{method}"), f"<{method}>", "eval"), {**known, "made_": block})  # noqa: S307
    return block
