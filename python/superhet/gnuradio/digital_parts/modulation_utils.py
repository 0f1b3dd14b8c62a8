"""Lists of modulators, demodulators and constellations by name: `digital.modulation_utils`."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Iterable

_mods: dict[str, Any] = {}
_demods: dict[str, Any] = {}
_constellations: dict[str, Callable[..., Any]] = {}


def type_1_mods() -> dict[str, Any]:
    """Modulators by name."""
    return _mods


def add_type_1_mod(name: str, mod_class: Any) -> None:
    """Adds a modulator."""
    _mods[name] = mod_class


def type_1_demods() -> dict[str, Any]:
    """Demodulators by name."""
    return _demods


def add_type_1_demod(name: str, demod_class: Any) -> None:
    """Adds a demodulator."""
    _demods[name] = demod_class


def type_1_constellations() -> dict[str, Callable[..., Any]]:
    """Functions that make constellations, by name."""
    return _constellations


def add_type_1_constellation(name: str, constellation: Callable[..., Any]) -> None:
    """Adds a function that makes a constellation."""
    _constellations[name] = constellation


def extract_kwargs_from_options(function: Callable[..., Any], excluded_args: Iterable[str], options: Any) -> dict[str, Any]:
    """The options of a command line that a function takes, without the excluded ones and those that are None."""
    # What takes any number of arguments is none that an option names.
    any_number = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    taken = [name for name, found in inspect.signature(function).parameters.items() if found.kind not in any_number]
    names = [name for name in taken if name not in set(excluded_args)]
    return {name: value for name in names if (value := getattr(options, name, None)) is not None}


def extract_kwargs_from_options_for_class(cls: type, options: Any) -> dict[str, Any]:
    """The options of a command line for `cls(...)`."""
    return extract_kwargs_from_options(cls.__init__, ("self",), options)  # type: ignore[misc]
