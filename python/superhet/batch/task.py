"""What a worker does: a task, whose results are there when it ends, or not at all."""

from __future__ import annotations

import functools
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Callable

from superhet.batch import child, parts
from superhet.batch.errors import RecordingError
from superhet.batch.plan import Item, Task
from superhet.batch.receivers import Work
from superhet.batch.recording import Options, Recording, describe, fetched
from superhet.batch.store import MessageWriter, Store, line_of, write_manifest


@dataclass(frozen=True)
class Job:
    """What is done with every recording, and where the results go."""

    work: Work
    options: Options
    store: Store
    timeout_s: float | None


@dataclass(frozen=True)
class Done:
    """What a task has come to."""

    recordings: int
    errors: int
    messages: int
    signal_s: float
    seconds: float


def run_task(job: Job, task: Task) -> Done:
    """Does a task, unless it is done: its results are renamed into their places, the manifest last.

    A task that is done twice, at once or one after the other, writes the same files again.
    """
    began = time.monotonic()
    manifest = job.store.manifest_path(task.id)
    if manifest.exists():
        return Done(len(task.items), 0, 0, 0.0, 0.0)
    rows = []
    with MessageWriter(job.store.messages_path(job.work.kind, task.date, task.id), job.work.kind) as writer:
        with child.borrowed() as process:
            for item in task.items:
                rows.append({"task": task.id, **_run_item(job, item, writer, process)})
                writer.write_if_many()
    write_manifest(manifest, rows)
    return Done(
        recordings=len(rows),
        errors=sum(row["status"] == "error" for row in rows),
        messages=sum(row["messages"] for row in rows),
        signal_s=sum(row["signal_s"] or 0.0 for row in rows),
        seconds=time.monotonic() - began,
    )


def _run_item(job: Job, item: Item, writer: MessageWriter, process: child.Child) -> dict[str, Any]:
    """Decodes a recording; its row of the manifest."""
    began = time.monotonic()
    row: dict[str, Any] = {
        "kind": job.work.kind,
        "path": item.path,
        "first_sample": item.first,
        "last_sample": item.last,
        "size": item.size,
        "sha512": None,
        "status": "ok",
        "signal_s": None,
        "messages": 0,
        "error": None,
    }
    try:
        with fetched(item.path) as path:
            _decode(job, item, path, writer, process, row)
    except Exception as error:  # noqa: BLE001, since whatever is wrong with a recording is a row, not the end
        row["status"] = "error"
        row["error"] = _sentence(error)
    return {**row, "seconds": time.monotonic() - began}


def _decode(job: Job, item: Item, path: str, writer: MessageWriter, process: child.Child, row: dict[str, Any]) -> None:
    recording = describe(process, item.path, path, job.options)
    rate_hz = recording.rate_hz or job.work.rate_hz
    if item.first is None or item.last is None:
        found = job.work.lines(recording, process, job.options, job.timeout_s)
    elif item.last > recording.samples_total:
        raise RecordingError(f"it has {recording.samples_total} samples and had {item.last} or more when it was planned")
    else:
        recording = recording.part(item.first, item.last, item.first, item.last)
        read = functools.partial(job.work.messages, child=process, options=job.options, timeout_s=job.timeout_s)
        found = map(line_of, parts.messages(read, recording, job.work.cut(recording)))
    # The file is hashed while the other process decodes it.
    digest = _hashing().submit(recording.digest)
    row["signal_s"] = (recording.last - recording.first) / rate_hz if rate_hz else None
    row["messages"] = writer.add(item.path, found, _clock(recording, rate_hz))
    row["sha512"] = digest.result()


@functools.cache
def _hashing() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1)


def _clock(recording: Recording, rate_hz: float | None) -> Callable[[int], int] | None:
    """The time of a sample in nanoseconds since 1970, where that is known."""
    start_ns = recording.time_ns
    if start_ns is None or not rate_hz:
        return None
    return lambda index: start_ns + round(index * 1e9 / rate_hz)


def _sentence(error: BaseException) -> str:
    """What an error says, on one line of a length that a table can show."""
    text = " ".join(str(error).split()) or type(error).__name__
    if not isinstance(error, RecordingError):
        text = f"{type(error).__name__}: {text}"
    return text[:2000]
