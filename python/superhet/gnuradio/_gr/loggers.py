"""Loggers of blocks and programs: `gr.logger`.

A line goes to the standard output as `name :level: message`. What is below the logger's level is left out.
"""

from __future__ import annotations

import datetime
import sys
from enum import IntEnum
from typing import TextIO


class log_levels(IntEnum):
    """Levels, from the least to the most severe."""

    trace = 0
    debug = 1
    info = 2
    warn = 3
    error = 4
    err = 4
    critical = 5
    off = 6


_WORDS = {"trace": "trace", "debug": "debug", "info": "info", "warn": "warning", "error": "error", "critical": "critical"}
_NAMES = {
    **{level.name: level for level in log_levels},
    "warning": log_levels.warn,
    "err": log_levels.error,
    "crit": log_levels.critical,
    "alert": log_levels.critical,
    "emerg": log_levels.critical,
    "fatal": log_levels.critical,
    "notice": log_levels.info,
}


def _level(level: str | int) -> log_levels:
    try:
        return _NAMES[level.strip().lower()] if isinstance(level, str) else log_levels(level)
    except (KeyError, ValueError):
        raise ValueError(f"a level of logging is one of {', '.join(log_levels.__members__)}, not {level!r}") from None


class logger:
    """Writes lines under a name. `output` is a file for them; None: the standard output of the moment."""

    output: TextIO | None = None

    def __init__(self, logger_name: str | logger) -> None:
        self._name: str = logger_name._name if isinstance(logger_name, logger) else str(logger_name)
        self._level: log_levels = logger_name._level if isinstance(logger_name, logger) else logging().default_level()

    def name(self) -> str:
        """The name before each line."""
        return self._name

    def set_level(self, level: str | log_levels) -> None:
        """Leaves out what is below this level."""
        self._level = _level(level)

    def get_level(self) -> log_levels:
        """The level below which lines are left out."""
        return self._level

    def get_string_level(self) -> str:
        """The name of that level."""
        return _WORDS.get(self._level.name, self._level.name)

    def _log(self, level: log_levels, msg: str) -> None:
        if level >= self._level:
            for sink in logging._sinks:
                sink._take(self._name, msg)
            print(f"{self._name} :{_WORDS[level.name]}: {msg}", file=self.output or sys.stdout, flush=True)

    def trace(self, msg: str) -> None:
        """For following a program step by step."""
        self._log(log_levels.trace, msg)

    def debug(self, msg: str) -> None:
        """For finding mistakes."""
        self._log(log_levels.debug, msg)

    def info(self, msg: str) -> None:
        """What may be of interest."""
        self._log(log_levels.info, msg)

    notice = info

    def warn(self, msg: str) -> None:
        """What may be wrong."""
        self._log(log_levels.warn, msg)

    warning = warn

    def error(self, msg: str) -> None:
        """What went wrong."""
        self._log(log_levels.error, msg)

    def crit(self, msg: str) -> None:
        """What cannot go on."""
        self._log(log_levels.critical, msg)

    alert = emerg = fatal = critical = crit


class dictionary_logger_backend:
    """Keeps what loggers write, for tests: `gr.logging().add_default_sink(gr.dictionary_logger_backend())`."""

    def __init__(self, pattern: str = "%v") -> None:
        self._pattern = pattern
        self._lines: dict[str, list[tuple[datetime.datetime, str]]] = {}

    def _take(self, name: str, text: str) -> None:
        line = self._pattern.replace("%n", name).replace("%v", text)
        self._lines.setdefault(name, []).append((datetime.datetime.now(), line))

    def get_map(self) -> dict[str, list[tuple[datetime.datetime, str]]]:
        """The times and the lines, by the name of the logger."""
        return {name: list(lines) for name, lines in self._lines.items()}


class logging:
    """The levels that new loggers have. All objects of this class are about the same settings."""

    default_pattern = "%n :%l: %v"
    _default = log_levels.debug
    _debug = log_levels.debug
    _sinks: list[dictionary_logger_backend] = []

    def add_default_sink(self, sink: dictionary_logger_backend) -> None:
        """Hands all lines of loggers to a backend as well."""
        logging._sinks.append(sink)

    add_debug_sink = add_default_sink

    def add_default_console_sink(self, *args: object) -> None:
        """Changes nothing: lines go to the standard output."""

    add_debug_console_sink = add_default_console_sink

    def default_level(self) -> log_levels:
        """The level of new loggers."""
        return logging._default

    def set_default_level(self, level: str | log_levels) -> None:
        """Changes the level of loggers to come."""
        logging._default = _level(level)

    def debug_level(self) -> log_levels:
        """The level of the loggers for finding mistakes."""
        return logging._debug

    def set_debug_level(self, level: str | log_levels) -> None:
        """Changes that level."""
        logging._debug = _level(level)


log = logger("gr::log")
log_debug = logger("gr::log_debug")
