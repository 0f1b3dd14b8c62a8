"""Variables that are more than an expression or a call: what their blocks make of several parameters."""

from __future__ import annotations

import configparser
import json
import types
from pathlib import Path
from typing import Any, Callable

from .document import Block


def _value(written: str, scope: dict[str, Any]) -> Any:
    from .values import value

    return value(written, scope)


def _text(written: str, scope: dict[str, Any]) -> str:
    from .values import text

    return text(written, scope)


def _struct(block: Block, scope: dict[str, Any]) -> Any:
    """An object with a field for each pair of parameters that is not empty."""
    found = {}
    for number in range(20):
        name = _text(block.param(f"field{number}"), scope)
        if name:
            found[name] = _value(block.param(f"value{number}", "0"), scope)
    return types.SimpleNamespace(**found)


def _config(block: Block, scope: dict[str, Any]) -> Any:
    """A value of a configuration file, or the one that is written where it is not there."""
    parser = configparser.ConfigParser()
    parser.read(_text(block.param("config_file"), scope))
    read = {"real": parser.getfloat, "int": parser.getint, "bool": parser.getboolean}.get(block.param("type"), parser.get)
    try:
        return read(_text(block.param("section"), scope), _text(block.param("option"), scope))
    except (configparser.Error, ValueError):
        return _value(block.param("value", "0"), scope)


def _json(block: Block, scope: dict[str, Any]) -> Any:
    """What is in a file of JSON."""
    return json.loads(Path(_text(block.param("config_file"), scope)).read_text(encoding="utf-8"))


def _yaml(block: Block, scope: dict[str, Any]) -> Any:
    """What is in a file of YAML."""
    try:
        import yaml
    except ImportError:
        raise NotImplementedError("yaml_config: expected the Python package PyYAML, which reads such files") from None
    return yaml.safe_load(Path(_text(block.param("config_file"), scope)).read_text(encoding="utf-8"))


def _default_header(block: Block, scope: dict[str, Any]) -> Any:
    """A header format with an access code, or with the usual one for 0."""
    digital = scope["digital"]
    written = _text(block.param("access_code", "0"), scope)
    code = digital.packet_utils.default_access_code if written.strip("0") == "" else written
    return digital.header_format_default(code, _value(block.param("threshold", "0"), scope), _value(block.param("bps", "1"), scope))


OBJECTS: dict[str, Callable[[Block, dict[str, Any]], Any]] = {
    "json_config": _json,
    "variable_config": _config,
    "variable_header_format_default": _default_header,
    "variable_struct": _struct,
    "yaml_config": _yaml,
}
"""Functions for variables, by their ids."""
