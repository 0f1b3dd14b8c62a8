"""What is to be done: tasks of recordings and parts of them, which stay as they are once they are planned."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass
from typing import Any, Iterable, Iterator

from superhet.batch import child
from superhet.batch.errors import BatchError, RecordingError
from superhet.batch.inputs import Input, is_url
from superhet.batch.receivers import Work
from superhet.batch.recording import Options, describe
from superhet.batch.store import Store, plan_schema, read_all

LEAST_BYTES_PER_S = 8000
"""No recording has fewer: audio of telephones, a byte a sample."""
MOST_RECORDINGS = 1000
"""Recordings of a task, where nothing else is said."""


@dataclass(frozen=True)
class Item:
    """A recording of a task, or a part of one."""

    path: str
    size: int
    first: int | None = None
    """Of a part, its first sample."""
    last: int | None = None
    """Of a part, the sample behind its last one."""


@dataclass(frozen=True)
class Task:
    """Recordings whose results are one file."""

    id: str
    date: str | None
    items: tuple[Item, ...]


@dataclass(frozen=True)
class Plan:
    """All tasks of a batch."""

    tasks: list[Task]
    """Those that are not done."""
    recordings_done: int
    """Recordings, and parts of them, in tasks that are done."""
    changed: list[str]
    """Recordings that were planned, and are others since."""
    new: list[dict[str, Any]]
    """What this plan adds to those before."""


@dataclass(frozen=True)
class Limits:
    """How large tasks are."""

    recordings: int | None
    seconds: float

    def __post_init__(self) -> None:
        if self.recordings is not None and self.recordings < 1:
            raise BatchError(f"recordings_per_task: expected a number from 1 on, got {self.recordings}")
        if not self.seconds > 0:
            raise BatchError(f"seconds_per_task: expected more than 0, got {self.seconds}")

    def recordings_for(self, count: int, workers: int) -> int:
        """How many recordings a task has, of so many: few enough for all workers to have several tasks."""
        return self.recordings or max(1, min(MOST_RECORDINGS, math.ceil(count / (8 * workers))))


def plan(store: Store, job: str, inputs: Iterable[Input], work: Work, options: Options, limits: Limits, workers: int) -> Plan:
    """The tasks that the recordings make with those that were planned before. Nothing is written."""
    rows = read_all(store.plans(job), plan_schema()).to_pylist()
    known = {row["path"]: (row["size"], row["modified"]) for row in rows}
    inputs = list(inputs)
    changed = [one.name for one in inputs if one.name in known and known[one.name] != (one.size, one.modified)]
    fresh = [one for one in inputs if one.name not in known]
    new = [row for task, of_task in _tasks(job, fresh, work, options, limits, workers) for row in _rows(task, of_task)]
    done = store.done()
    by_task: dict[str, list[dict[str, Any]]] = {}
    asked = {one.name for one in inputs}
    for row in rows + new:
        by_task.setdefault(row["task"], []).append(row)
    finished = sum(row["path"] in asked for row in rows if row["task"] in done)
    # A task stays as it is, so it is done as a whole where any of it is asked for.
    is_asked = {row["task"] for row in rows + new if row["path"] in asked}
    tasks = [_task(name, of_task) for name, of_task in by_task.items() if name in is_asked and name not in done]
    return Plan(tasks, finished, changed, new)


def _task(name: str, rows: list[dict[str, Any]]) -> Task:
    items = tuple(Item(row["path"], row["size"], row["first_sample"], row["last_sample"]) for row in rows)
    return Task(name, rows[0]["date"], items)


Part = tuple[Input, "int | None", "int | None", "str | None"]


def _rows(task: str, parts: list[Part]) -> Iterator[dict[str, Any]]:
    for one, first, last, date in parts:
        yield {
            "task": task,
            "path": one.name,
            "size": one.size,
            "modified": one.modified,
            "date": date,
            "first_sample": first,
            "last_sample": last,
        }


def _tasks(
    job: str, inputs: list[Input], work: Work, options: Options, limits: Limits, workers: int
) -> Iterator[tuple[str, list[Part]]]:
    """Tasks, each of recordings of one day, with their names."""
    most = limits.recordings_for(len(inputs), workers)
    parts = [(part, seconds) for one in inputs for part, seconds in _parts(one, work, options, limits.seconds)]
    parts.sort(key=lambda pair: (pair[0][3] or "", pair[0][0].name, pair[0][1] or 0))
    group: list[Part] = []
    total = 0.0
    for part, seconds in parts:
        if group and (len(group) == most or total + seconds > limits.seconds or group[-1][3] != part[3]):
            yield _name(job, group), group
            group, total = [], 0.0
        group.append(part)
        total += seconds
    if group:
        yield _name(job, group), group


def _name(job: str, group: list[Part]) -> str:
    """The name of a task: a hash of its recordings and of what is done with them."""
    said = [job, [[one.name, one.size, one.modified, first, last] for one, first, last, _ in group]]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:32]


def _parts(one: Input, work: Work, options: Options, most_s: float) -> Iterator[tuple[Part, float]]:
    """A recording, or pieces of whole parts of it, each with its seconds where they count."""
    whole: tuple[Part, float] = (one, None, None, one.date), 0.0
    if is_url(one.name) or one.size <= work.least_part_s * LEAST_BYTES_PER_S:
        yield whole
        return
    try:
        with child.borrowed() as process:
            recording = describe(process, one.name, one.name, options)
        rate_hz = recording.rate_hz or work.rate_hz
        seconds = recording.samples_total / rate_hz if rate_hz else 0.0
        cut = work.cut(recording)
        if cut is None or recording.samples_total <= cut.part or not rate_hz:
            yield (one, None, None, one.date), seconds
            return
        recording.place()
    except RecordingError:
        # What is wrong with it is told when it is its turn.
        yield whole
        return
    step = max(1, math.floor(most_s * rate_hz / cut.part)) * cut.part
    for first in range(0, recording.samples_total, step):
        last = min(first + step, recording.samples_total)
        date = _day(recording.time_ns, first / rate_hz) or one.date
        yield (one, first, last, date), (last - first) / rate_hz


def _day(time_ns: int | None, seconds: float) -> str | None:
    from datetime import datetime, timedelta, timezone

    if time_ns is None:
        return None
    try:
        time = datetime.fromtimestamp(time_ns // 10**9, timezone.utc) + timedelta(seconds=seconds)
    except (OverflowError, ValueError):
        return None
    return time.strftime("%Y-%m-%d")
