"""The folder of results: messages and manifests as Parquet, each file written under another name and renamed.

```text
jobs/JOB.json                            what was asked
plan/JOB-NNNNN.parquet                   which recordings belong to which task
messages/kind=KIND/date=DATE/TASK.parquet
manifest/TASK.parquet                    a row for each recording; that it is there says that the task is done
```
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import json
import math
import os
import uuid
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator

from superhet import _native
from superhet.batch.errors import BatchError, RecordingError

NO_DATE = "__HIVE_DEFAULT_PARTITION__"
"""The partition of messages whose day is not known, which readers take for no value."""
ROWS_AT_ONCE = 50_000


def _arrow() -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise BatchError("superhet.batch needs the package pyarrow: pip install 'superhet[batch]'") from None
    return pyarrow


@functools.cache
def message_schema() -> Any:
    """The columns of messages."""
    arrow = _arrow()
    return arrow.schema(
        [
            ("kind", arrow.string()),
            ("recording", arrow.string()),
            ("sample_index", arrow.uint64()),
            ("time", arrow.timestamp("ns", tz="UTC")),
            ("frequency_hz", arrow.float64()),
            ("snr_db", arrow.float64()),
            ("protocol", arrow.string()),
            ("fields", arrow.string()),
            ("raw", arrow.binary()),
            ("json", arrow.string()),
        ]
    )


@functools.cache
def manifest_schema() -> Any:
    """The columns of the manifest."""
    arrow = _arrow()
    return arrow.schema(
        [
            ("task", arrow.string()),
            ("kind", arrow.string()),
            ("path", arrow.string()),
            ("first_sample", arrow.uint64()),
            ("last_sample", arrow.uint64()),
            ("size", arrow.int64()),
            ("sha512", arrow.string()),
            ("status", arrow.string()),
            ("signal_s", arrow.float64()),
            ("seconds", arrow.float64()),
            ("messages", arrow.uint64()),
            ("error", arrow.string()),
        ]
    )


def plan_schema() -> Any:
    """The columns of plans."""
    arrow = _arrow()
    return arrow.schema(
        [
            ("task", arrow.string()),
            ("path", arrow.string()),
            ("size", arrow.int64()),
            ("modified", arrow.string()),
            ("date", arrow.string()),
            ("first_sample", arrow.uint64()),
            ("last_sample", arrow.uint64()),
        ]
    )


class Store:
    """A folder of results."""

    def __init__(self, folder: "str | os.PathLike[str]") -> None:
        self.folder = Path(folder).absolute()

    def __reduce__(self) -> Any:
        return Store, (os.fspath(self.folder),)

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Keeps others from working on the folder, where the file system knows locks."""
        import fcntl

        self.folder.mkdir(parents=True, exist_ok=True)
        with open(self.folder / "lock", "w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise BatchError(f"{self.folder}: another batch is at work there") from None
            except OSError:
                pass
            yield

    def manifest_path(self, task: str) -> Path:
        """The manifest of a task."""
        return self.folder / "manifest" / f"{task}.parquet"

    def messages_path(self, kind: str, date: str | None, task: str) -> Path:
        """The messages of a task."""
        return self.folder / "messages" / f"kind={kind}" / f"date={date or NO_DATE}" / f"{task}.parquet"

    def done(self) -> set[str]:
        """The tasks that are done."""
        return {path.stem for path in (self.folder / "manifest").glob("*.parquet")}

    def begin(self, job: str, asked: dict[str, Any]) -> None:
        """Notes what is asked; `BatchError` where messages of the same kind are there that were asked for otherwise."""
        for path in sorted((self.folder / "jobs").glob("*.json")):
            try:
                other = json.loads(path.read_text())
                is_other = other["kind"] == asked["kind"] and path.stem != job
            except (OSError, ValueError, LookupError, TypeError) as error:
                raise BatchError(f"{path}: expected what a batch was asked for: {error}") from None
            if is_other:
                raise BatchError(
                    f"{self.folder}: it has {asked['kind']} of version {other.get('version')} with other settings: "
                    "expected the same ones or another folder"
                )
        path = self.folder / "jobs" / f"{job}.json"
        if not path.exists():
            with replaced(path) as temporary:
                temporary.write_text(json.dumps(asked, indent=2) + "\n")

    def plans(self, job: str) -> list[Path]:
        """The plans of a job, oldest first."""
        return sorted((self.folder / "plan").glob(f"{job}-*.parquet"))

    def add_plan(self, job: str, rows: list[dict[str, Any]]) -> None:
        """Notes which recordings belong to which task."""
        arrow = _arrow()
        path = self.folder / "plan" / f"{job}-{len(self.plans(job)):05}.parquet"
        with replaced(path) as temporary:
            arrow.parquet.write_table(arrow.Table.from_pylist(rows, plan_schema()), temporary, compression="zstd")

    def sweep(self) -> None:
        """Removes what was left half written, and ends what `compact` has begun."""
        for path in self.folder.rglob(".*.tmp"):
            path.unlink(missing_ok=True)
        for journal in sorted(self.folder.glob("compact-*.json")):
            _finish_compacting(self.folder, journal)


@contextlib.contextmanager
def replaced(path: Path) -> Iterator[Path]:
    """A path to write to, which takes the place of ``path`` at the end, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.parent / f".{path.name}.{uuid.uuid4().hex}.tmp"
    try:
        yield temporary
        with open(temporary, "rb") as file:
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


class MessageWriter:
    """Writes messages, so many at once; no file where there are none."""

    def __init__(self, path: Path, kind: str) -> None:
        self._path, self._kind = path, kind
        self._tables: list[Any] = []
        # Messages that are in no table yet: a table for each recording would take as long as all the rest of it.
        self._waiting = Columns()
        self._count = 0
        self._exit = contextlib.ExitStack()
        self._writer: Any = None

    def __enter__(self) -> "MessageWriter":
        return self

    def add(self, recording: str, lines: Iterable[bytes], time: Callable[[int], int] | None) -> int:
        """Adds the messages of a recording, a line of JSON each, in the order of their samples; all of them, or none where getting
        them fails.

        ``time`` is the time of a sample in nanoseconds, where that is known.
        """
        lines = iter(lines)
        found = Columns.of(recording, itertools.islice(lines, ROWS_AT_ONCE), time)
        if len(found) < ROWS_AT_ONCE:
            self._waiting += found
            self._count += len(found)
            return len(found)
        tables = [found.table(self._kind)]
        while len(found) == ROWS_AT_ONCE:
            found = Columns.of(recording, itertools.islice(lines, ROWS_AT_ONCE), time)
            tables.append(found.table(self._kind))
        table = _arrow().concat_tables(tables)
        self._settle()
        self._tables.append(table.sort_by([("sample_index", "ascending")]))
        self._count += table.num_rows
        return int(table.num_rows)

    def _settle(self) -> None:
        if len(self._waiting):
            self._tables.append(self._waiting.table(self._kind))
            self._waiting = Columns()

    def write_if_many(self) -> None:
        """Writes what was added, if it is much."""
        if self._count >= ROWS_AT_ONCE:
            self._flush()

    def _flush(self) -> None:
        arrow = _arrow()
        self._settle()
        if self._count == 0:
            return
        table = arrow.concat_tables(self._tables).combine_chunks()
        self._tables, self._count = [], 0
        if self._writer is None:
            temporary = self._exit.enter_context(replaced(self._path))
            self._writer = self._exit.enter_context(arrow.parquet.ParquetWriter(temporary, table.schema, compression="zstd"))
        self._writer.write_table(table)

    def __exit__(self, *error: Any) -> None:
        if error[0] is None:
            self._flush()
        self._exit.__exit__(*error)


def write_manifest(path: Path, rows: list[dict[str, Any]]) -> None:
    """Writes the manifest of a task, which says that it is done."""
    arrow = _arrow()
    with replaced(path) as temporary:
        arrow.parquet.write_table(arrow.Table.from_pylist(rows, manifest_schema()), temporary, compression="zstd")


def read_all(paths: list[Path], schema: Any) -> Any:
    """The rows of Parquet files of one schema, as a table."""
    arrow = _arrow()
    tables = [arrow.parquet.ParquetFile(path).read() for path in paths]
    return arrow.concat_tables(tables) if tables else schema.empty_table()


def manifest(out: "str | os.PathLike[str]") -> Any:
    """A row for each recording, or part of one, that is done: a ``pyarrow.Table``.

    | column | |
    |---|---|
    | `task` | the name of its files |
    | `kind` | what was done with it |
    | `path` | as it was named |
    | `first_sample`, `last_sample` | of a part, where it begins and ends |
    | `size` | bytes of the recording |
    | `sha512` | of the file, of a part of the bytes of its samples; none where it could not be read |
    | `status` | `ok` or `error` |
    | `signal_s` | seconds of signal, where the rate is known |
    | `seconds` | how long it took |
    | `messages` | how many |
    | `error` | what was wrong |
    """
    return read_all(sorted((Path(out) / "manifest").glob("*.parquet")), manifest_schema())


def compact(out: "str | os.PathLike[str]", *, file_bytes: int = 256 << 20) -> int:
    """Puts the small files of each partition together, up to about ``file_bytes`` each; gives how many files are gone.

    While it puts a new file in the place of old ones, readers may miss rows for a moment; none are seen twice. Where it is
    stopped, the next batch or the next `compact` ends what it has begun.
    """
    if file_bytes < 1:
        raise BatchError(f"file_bytes: expected a number from 1 on, got {file_bytes}")
    store = Store(out)
    if not (store.folder / "jobs").is_dir():
        raise BatchError(f"{out}: expected the folder of a batch, which has a folder jobs")
    gone = 0
    with store.locked():
        store.sweep()
        # What a task has written that is not done is written again under its own name.
        done = store.done()
        for partition in sorted((store.folder / "messages").glob("kind=*/date=*")):
            paths = [path for path in sorted(partition.glob("*.parquet")) if path.stem in done or path.stem.startswith("compact-")]
            for group in _groups(paths, file_bytes):
                _compact_group(store.folder, partition, group)
                gone += len(group) - 1
    return gone


def _groups(paths: list[Path], file_bytes: int) -> Iterator[list[Path]]:
    """Files that are put together: two or more each."""
    group: list[Path] = []
    total = 0
    for path in paths:
        size = path.stat().st_size
        if size >= file_bytes:
            continue
        if total + size > file_bytes and group:
            if len(group) > 1:
                yield group
            group, total = [], 0
        group.append(path)
        total += size
    if len(group) > 1:
        yield group


def _compact_group(folder: Path, partition: Path, group: list[Path]) -> None:
    arrow = _arrow()
    name = f"compact-{uuid.uuid4().hex}"
    made = folder / f"{name}.parquet"
    with replaced(made) as temporary:
        with arrow.parquet.ParquetWriter(temporary, message_schema(), compression="zstd") as writer:
            for path in group:
                file = arrow.parquet.ParquetFile(path)
                for row_group in range(file.num_row_groups):
                    writer.write_table(file.read_row_group(row_group))
    journal = folder / f"{name}.json"
    with replaced(journal) as temporary:
        places = {"to": str((partition / made.name).relative_to(folder)), "from": [str(p.relative_to(folder)) for p in group]}
        temporary.write_text(json.dumps(places))
    _finish_compacting(folder, journal)


def _finish_compacting(folder: Path, journal: Path) -> None:
    """Takes the old files away and puts the new one in; it may be called again until it has ended."""
    places = json.loads(journal.read_text())
    for path in places["from"]:
        (folder / path).unlink(missing_ok=True)
    made = folder / f"{journal.stem}.parquet"
    if made.exists():
        os.replace(made, folder / places["to"])
    journal.unlink()


class Columns:
    """Messages, a list of values for each column but the kind."""

    NAMES = ("recording", "sample_index", "time", "frequency_hz", "snr_db", "protocol", "fields", "raw", "json")

    def __init__(self, values: tuple[list[Any], ...] | None = None) -> None:
        self._values = values or tuple([] for _ in self.NAMES)

    @classmethod
    def of(cls, recording: str, lines: Iterable[bytes], time: Callable[[int], int] | None) -> "Columns":
        """The messages of a recording in the order of their samples; `RecordingError` where one is none."""
        found = list(lines)
        try:
            indices, *others = _native.message_columns(found)
        except ValueError as error:
            raise RecordingError(str(error)) from None
        times = [_nanoseconds(time, index) for index in indices]
        return cls(([recording] * len(indices), indices, times, *others))

    def __len__(self) -> int:
        return len(self._values[0])

    def __iadd__(self, other: "Columns") -> "Columns":
        for values, more in zip(self._values, other._values):
            values += more
        return self

    def table(self, kind: str) -> Any:
        """The same as Arrow has them."""
        return _arrow().table({"kind": [kind] * len(self), **dict(zip(self.NAMES, self._values))}, message_schema())


def _nanoseconds(time: Callable[[int], int] | None, index: int | None) -> int | None:
    """The time of a sample, where Arrow can say it."""
    if time is None or index is None:
        return None
    nanoseconds = time(index)
    return nanoseconds if abs(nanoseconds) < 1 << 63 else None


def line_of(message: dict[str, Any]) -> bytes:
    """A message as receivers print theirs: a line of JSON, where numbers that are none are null."""
    try:
        text = _ENCODER.encode(message)
    except ValueError:
        text = _ENCODER.encode(_with_nulls(message))
    return text.encode()


_ENCODER = json.JSONEncoder(separators=(",", ":"), sort_keys=True, ensure_ascii=False, allow_nan=False)


def _with_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _with_nulls(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_with_nulls(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
