"""Which recordings there are: files, globs, folders, SigMF collections, lists and URLs."""

from __future__ import annotations

import glob
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterable, Iterator, Union

from superhet.batch.errors import BatchError

Inputs = Union[str, "os.PathLike[str]", Iterable[Union[str, "os.PathLike[str]"]]]

_NUMBERS = "u8 i8 s8 u16 i16 s16 u32 i32 s32 f32 f64".split()
RAW_ENDS = frozenset(
    f"{shape}{number}{order}" for shape in ("", "c", "r") for number in _NUMBERS for order in ("", "_le", "_be")
)
"""Ends of the names of raw samples."""
_ENDS = RAW_ENDS | {"wav", "sigmf", "sigmf-meta"}
_URL = re.compile(r"[a-z][a-z0-9+.-]+://|[a-z][a-z0-9+.-]+::")
_TIME = re.compile(r"(?<!\d)(\d{4})(\d{2})(\d{2})[_ -](\d{2})(\d{2})(\d{2})(?:Z|_)")


@dataclass(frozen=True)
class Input:
    """A recording of an archive."""

    name: str
    """Its absolute path or URL, as it stands in the results."""
    size: int
    """Bytes; -1 where a server does not say."""
    modified: str
    """When it was written, or what a server says for it."""
    date: str | None
    """The day on which it began, as far as its name or metadata say: YYYY-MM-DD, UTC."""


def find(inputs: Inputs) -> list[Input]:
    """All recordings, once each, in the order of their names.

    Raises `BatchError` for an input that is not there, a pattern that nothing fits, and a list that cannot be read.
    """
    if isinstance(inputs, (str, os.PathLike)):
        inputs = [inputs]
    found: dict[str, Input] = {}
    for one in inputs:
        for recording in _expand(os.fspath(one)):
            found.setdefault(recording.name, recording)
    return [found[name] for name in sorted(found)]


def is_url(name: str) -> bool:
    """Whether `fsspec` has to fetch it."""
    return bool(_URL.match(name))


def filesystem(url: str) -> tuple[Any, str]:
    """The file system of a URL, and the path there."""
    try:
        import fsspec
    except ImportError:
        raise BatchError(f"{url}: URLs need the package fsspec: pip install fsspec") from None
    try:
        return fsspec.core.url_to_fs(url)
    except (ImportError, ValueError) as error:
        raise BatchError(f"{url}: {error}") from None


def _expand(name: str) -> Iterator[Input]:
    if is_url(name):
        yield from _remote(name)
    elif os.path.isdir(name):
        yield from _folder(name)
    elif os.path.exists(name):
        if name.endswith(".sigmf-collection"):
            yield from _collection(name)
        elif name.endswith((".parquet", ".txt", ".list")):
            yield from _listed(name)
        else:
            yield _local(name)
    elif os.path.exists(name + ".sigmf-meta"):
        yield _local(name + ".sigmf-meta")
    else:
        names = sorted(glob.glob(name, recursive=True)) if glob.has_magic(name) else []
        if not names:
            what = "no file fits this pattern" if glob.has_magic(name) else "there is no such file or folder"
            raise BatchError(f"{name}: {what}; expected a recording, a folder, a pattern, a SigMF collection, a list or a URL")
        for one in names:
            yield from _folder(one) if os.path.isdir(one) else [_local(one)]


def _folder(name: str) -> Iterator[Input]:
    """The recordings below a folder: files whose names end as those of recordings do."""
    for folder, _, files in os.walk(name):
        for file in files:
            if file.rpartition(".")[2].lower() in _ENDS and not file.startswith("."):
                yield _local(os.path.join(folder, file))


def _local(name: str) -> Input:
    """A file. One that cannot be looked at is a recording, too, which fails when it is its turn."""
    # Whoever does it may be in another folder, and so may be who goes on with it.
    name = os.path.abspath(name)
    # Both files of SigMF are one recording, named by its metadata.
    if name.endswith(".sigmf-data") and os.path.exists(name[: -len("data")] + "meta"):
        name = name[: -len("data")] + "meta"
    data = name[: -len("meta")] + "data" if name.endswith(".sigmf-meta") else name
    try:
        status = os.stat(data)
        return Input(name, status.st_size, str(status.st_mtime_ns), began(name))
    except OSError:
        return Input(name, 0, "", began(name))


def began(name: str) -> str | None:
    """The day on which a recording began, as its name or the metadata of SigMF say."""
    if name.endswith(".sigmf-meta") and not is_url(name):
        try:
            text = json.loads(Path(name).read_text())["captures"][0]["core:datetime"]
            return text[:10] if re.match(r"\d{4}-\d{2}-\d{2}T", text) else None
        except (OSError, ValueError, LookupError, TypeError):
            return None
    time = _TIME.search(os.path.basename(name))
    if not time:
        return None
    year, month, day, hour, minute, second = (int(part) for part in time.groups())
    is_time = 1 <= month <= 12 and 1 <= day <= 31 and hour < 24 and minute < 60 and second < 61
    return f"{year:04}-{month:02}-{day:02}" if is_time else None


def _collection(name: str) -> Iterator[Input]:
    """The recordings that a SigMF collection lists, beside it."""
    try:
        streams = json.loads(Path(name).read_text())["collection"]["core:streams"]
        names = [stream["name"] for stream in streams]
        if not all(isinstance(one, str) and one and os.path.basename(one) == one for one in names):
            raise TypeError("a name is not that of a file beside it")
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise BatchError(f"{name}: expected a SigMF collection with core:streams, each with a name: {error}") from None
    for one in names:
        yield _local(os.path.join(os.path.dirname(name), one.removesuffix(".sigmf-meta") + ".sigmf-meta"))


def _listed(name: str) -> Iterator[Input]:
    """The recordings in a list: lines of text, or the column ``recording`` or ``path`` of a Parquet file.

    Relative paths start at the folder of the list.
    """
    if name.endswith(".parquet"):
        import pyarrow
        from pyarrow import parquet

        try:
            columns = parquet.read_schema(name).names
            column = next(one for one in ("recording", "path") if one in columns)
            names = sorted(set(parquet.read_table(name, columns=[column])[column].to_pylist()) - {None})
        except StopIteration:
            raise BatchError(f"{name}: expected a column recording or path, got {', '.join(columns)}") from None
        except (OSError, pyarrow.ArrowException) as error:
            raise BatchError(f"{name}: expected a Parquet file: {error}") from None
    else:
        try:
            lines = [line.strip() for line in Path(name).read_text().splitlines()]
        except (OSError, UnicodeDecodeError) as error:
            raise BatchError(f"{name}: expected a recording a line: {error}") from None
        names = [line for line in lines if line and not line.startswith("#")]
    for one in names:
        if is_url(one):
            yield from _remote(one)
        else:
            yield _local(os.path.join(os.path.dirname(name), one))


def _remote(url: str) -> Iterator[Input]:
    """The file, the files below a folder, or those that a pattern fits, where `fsspec` finds them."""
    system, path = filesystem(url)
    try:
        if glob.has_magic(path):
            details = system.glob(path, detail=True)
        elif system.isdir(path):
            details = system.find(path, detail=True)
        else:
            details = {path: system.info(path)}
    except (OSError, ValueError) as error:
        raise BatchError(f"{url}: {error}") from None
    is_one = list(details) == [path]
    there = 0
    for one, facts in details.items():
        if facts.get("type") == "directory" or (not is_one and one.rpartition(".")[2].lower() not in _ENDS):
            continue
        there += 1
        name = url if is_one else system.unstrip_protocol(one)
        modified = next((str(facts[key]) for key in ("ETag", "mtime", "LastModified", "last_modified") if facts.get(key)), "")
        size = facts.get("size")
        yield Input(name, -1 if size is None else int(size), modified, began(name))
    if not there:
        raise BatchError(f"{url}: no recording is there")
