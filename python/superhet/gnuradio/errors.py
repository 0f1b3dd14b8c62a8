"""What the face of GNU Radio does not have."""

from __future__ import annotations

import difflib
from typing import Iterable

from superhet.errors import ParameterError


class Missing(NotImplementedError, AttributeError):
    """A class, a function or a method of GNU Radio that is not there yet. `hasattr` is false for it, as there."""


class BadArgument(ParameterError, RuntimeError, IndexError):
    """A block does not take an argument. GNU Radio raises one of its bases, each block another."""


def missing(what: str, name: str, known: Iterable[str]) -> Missing:
    """The error for an unknown `name` of the kind `what`, with the nearest known name."""
    near = difflib.get_close_matches(name.rsplit(".", 1)[-1], [*known], n=3, cutoff=0.5)
    hint = f"; near it: {', '.join(near)}" if near else ""
    return Missing(f"superhet has no {what} {name} of GNU Radio yet{hint}")
