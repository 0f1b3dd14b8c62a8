"""Settings of the user: `gr.prefs()`.

Read from the files `*.conf` in `/etc/gnuradio/conf.d`, then from `config.conf` in the user's `.gnuradio`; later ones count.
The environment's `GR_CONF_SECTION_OPTION` counts before all files. Nothing is ever written.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TypeVar

from .constants import userconf_path

SYSTEM_FOLDER = Path("/etc/gnuradio/conf.d")

_Number = TypeVar("_Number", int, float)
_singleton: prefs | None = None


class prefs:
    """Settings by section and option; upper and lower case are the same. What is set holds for this object."""

    def __init__(self) -> None:
        self._values: dict[str, dict[str, str]] = {}
        for file in [*sorted(SYSTEM_FOLDER.glob("*.conf")), Path(userconf_path()) / "config.conf"]:
            if file.is_file():
                self.add_config_file(str(file))

    @staticmethod
    def singleton() -> prefs:
        """One object for the whole program."""
        global _singleton
        if _singleton is None:
            _singleton = prefs()
        return _singleton

    def add_config_file(self, configfile: str) -> None:
        """Reads another file. One with a line that means nothing is reported and left out."""
        try:
            read = _parse(Path(configfile).read_text(errors="replace"))
        except (OSError, ValueError) as error:
            print(f"WARNING: config file {configfile!r} is left out: {error}", file=sys.stderr)
            return
        for section, options in read.items():
            self._values.setdefault(section, {}).update(options)

    def has_section(self, section: str) -> bool:
        """Whether there is an option in this section."""
        return section.lower() in self._values

    def has_option(self, section: str, option: str) -> bool:
        """Whether there is this option."""
        return self._find(section, option) is not None

    def get_string(self, section: str, option: str, default_val: str) -> str:
        """The text of an option, or `default_val`."""
        found = self._find(section, option)
        return default_val if found is None else found

    def get_bool(self, section: str, option: str, default_val: bool) -> bool:
        """Whether it is on, true or 1 (or off, false or 0), or `default_val` where it says something else."""
        text = self.get_string(section, option, "").strip().lower()
        return text in ("on", "true", "1") if text in ("on", "true", "1", "off", "false", "0") else default_val

    def get_long(self, section: str, option: str, default_val: int) -> int:
        """The whole number of an option, or `default_val`; ValueError where it is none."""
        return self._number(section, option, default_val, int)

    def get_double(self, section: str, option: str, default_val: float) -> float:
        """The number of an option, or `default_val`; ValueError where it is none."""
        return self._number(section, option, default_val, float)

    def set_string(self, section: str, option: str, val: str) -> None:
        """Changes an option."""
        self._values.setdefault(section.lower(), {})[option.lower()] = str(val)

    def set_bool(self, section: str, option: str, val: bool) -> None:
        """Changes an option to 1 or 0."""
        self.set_string(section, option, "1" if val else "0")

    def set_long(self, section: str, option: str, val: int) -> None:
        """Changes an option to a whole number."""
        self.set_string(section, option, str(int(val)))

    def set_double(self, section: str, option: str, val: float) -> None:
        """Changes an option to a number."""
        self.set_string(section, option, repr(float(val)))

    def save(self) -> None:
        """Does nothing: the user's files are not written."""

    def to_string(self) -> str:
        """All options as a file would have them."""
        sections = []
        for section in sorted(self._values):
            lines = [f"{option} = {text}" for option, text in sorted(self._values[section].items())]
            sections.append("\n".join([f"[{section}]", *lines]) + "\n")
        return "\n".join(sections)

    def _find(self, section: str, option: str) -> str | None:
        found = os.environ.get(f"GR_CONF_{section}_{option}".upper())
        return self._values.get(section.lower(), {}).get(option.lower()) if found is None else found

    def _number(self, section: str, option: str, default_val: _Number, kind: type[_Number]) -> _Number:
        text = self._find(section, option)
        if text is None:
            return default_val
        try:
            return kind(text)
        except ValueError:
            raise ValueError(f"setting [{section}] {option}: wants a number, has {text!r}") from None


def _parse(text: str) -> dict[str, dict[str, str]]:
    """Sections, `option = text`, comments from `#` on."""
    result: dict[str, dict[str, str]] = {}
    section = ""
    for number, line in enumerate(text.splitlines(), 1):
        line = line.split("#")[0].strip()
        if match := re.fullmatch(r"\[([^\]]+)\]", line):
            section = match[1].strip().lower()
        elif "=" in line and line[0] != "=":
            option, _, value = line.partition("=")
            result.setdefault(section, {})[option.strip().lower()] = value.strip()
        elif line:
            raise ValueError(f"line {number} is no section, option or comment: {line!r}")
    return result
