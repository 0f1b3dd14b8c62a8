"""How far a batch is, and what it has come to."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field
from typing import Any, TextIO


@dataclass
class Report:
    """What a batch has come to."""

    out: str
    kind: str
    recordings: int = 0
    """Recordings, and parts of them, that were done now."""
    done_before: int = 0
    """Those that were done before."""
    planned: int = 0
    """Those that were to be done now."""
    tasks: int = 0
    """Tasks that were to be done now."""
    errors: int = 0
    """Recordings that could not be decoded: rows of the manifest with ``status`` = ``error``."""
    messages: int = 0
    signal_s: float = 0.0
    """Seconds of signal, where the rate is known."""
    seconds: float = 0.0
    """How long it took."""
    changed: list[str] = field(default_factory=list)
    """Recordings that are others than when they were planned, and were not decoded again."""
    failed: dict[str, str] = field(default_factory=dict)
    """Tasks that were not done, and why. They are done when the batch is started again."""
    is_dry: bool = False

    def __str__(self) -> str:
        before = f", {self.done_before:,} done before" if self.done_before else ""
        if self.is_dry:
            text = f"{self.planned:,} recordings in {self.tasks:,} tasks to be done{before}"
        else:
            rate = self.recordings / self.seconds if self.seconds else 0.0
            text = (
                f"{self.recordings:,} recordings{before}, {self.errors:,} with errors; {self.messages:,} messages in "
                f"{self.signal_s:,.1f} s of signal; {self.seconds:.1f} s, {rate:.1f} recordings/s"
            )
        lines = [f"{self.kind}: {text}"]
        if self.changed:
            lines.append(f"{len(self.changed):,} have changed since they were planned, and were left out, such as {self.changed[0]}")
        lines += [f"task {task} was not done: {why}" for task, why in self.failed.items()]
        return "\n".join(lines)


class Progress:
    """A line about how far a batch is, once a second; on a terminal the same line again."""

    def __init__(self, total: int, to: TextIO | None) -> None:
        self._total, self._to = total, to
        self._began = self._said = time.monotonic()
        self._is_terminal = to is not None and to.isatty()

    def show(self, report: Report) -> None:
        """Says how far it is, if a second has passed."""
        now = time.monotonic()
        if self._to is None or now - self._said < 1.0:
            return
        self._said = now
        rate = report.recordings / (now - self._began)
        left = f"{(self._total - report.recordings) / rate:.0f} s left" if rate else "time left not known yet"
        part = 100 * report.recordings // max(1, self._total)
        line = f"{report.recordings:,} of {self._total:,} recordings ({part} %), {rate:.1f}/s, {left}, {report.errors:,} with errors"
        self._to.write(f"\r{line}\x1b[K" if self._is_terminal else f"{line}\n")
        self._to.flush()

    def end(self) -> None:
        """Clears the line of a terminal."""
        if self._is_terminal and self._to is not None:
            self._to.write("\r\x1b[K")
            self._to.flush()


def stream(progress: bool | None) -> Any:
    """Where progress is said: stderr, if it is asked for, or if nothing is said and that is a terminal."""
    return sys.stderr if progress or (progress is None and sys.stderr.isatty()) else None
