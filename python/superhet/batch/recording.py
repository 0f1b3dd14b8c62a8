"""A recording, or a part of one, and what is known of it."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import struct
import tempfile
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import Any, Iterator

from superhet.batch.child import Child
from superhet.batch.errors import RecordingError
from superhet.batch.inputs import filesystem, is_url

_WAV = {"u8": ("s8", 1), "s16": ("s16", 2), "s24": ("s32", 3), "s32": ("s32", 4), "f32": ("f32", 4)}
"""Of each encoding of WAV, the raw format of the same numbers, and its bytes."""


@dataclass(frozen=True)
class Options:
    """What recordings do not say of themselves."""

    rate_hz: float | None = None
    frequency_hz: float | None = None
    format: str | None = None

    def arguments(self, path: str) -> list[str]:
        """The same for the command; a format is for raw samples only."""
        is_raw = not path.lower().endswith((".wav", ".sigmf", ".sigmf-meta", ".sigmf-data"))
        given = {
            "--rate": self.rate_hz,
            "--freq": self.frequency_hz,
            "--format": self.format if is_raw else None,
        }
        return [word for option, value in given.items() if value is not None for word in (option, f"{value}")]


@dataclass(frozen=True)
class Recording:
    """A recording that is there as a file, and which of its samples count.

    Indices are those of the whole recording. ``samples`` reads those from ``read_first`` to ``read_last``; results belong to a
    part where they begin from ``first`` on and before ``last``.
    """

    name: str
    """Its absolute path or its URL."""
    path: str
    """Where it lies."""
    rate_hz: float | None
    """Samples a second, where that is known."""
    frequency_hz: float | None
    """The centre frequency, where that is known."""
    time_ns: int | None
    """When it began, in nanoseconds since 1970 UTC, where that is known."""
    samples_total: int
    """Samples of the whole recording."""
    format: str
    """How they are stored: ``cu8``, ``ri16_le``, and so on."""
    is_complex: bool
    is_wav: bool
    channels: int
    first: int = 0
    last: int = 0
    read_first: int = 0
    read_last: int = 0

    @property
    def is_whole(self) -> bool:
        """Whether all samples are read."""
        return (self.read_first, self.read_last) == (0, self.samples_total)

    def part(self, first: int, last: int, read_first: int, read_last: int) -> "Recording":
        """The part from ``first`` to ``last``, with what is to be read for it."""
        read_first, read_last = max(0, read_first), min(self.samples_total, read_last)
        return replace(self, first=first, last=last, read_first=read_first, read_last=read_last)

    def place(self) -> "Place":
        """Where the samples lie in a file; `RecordingError` where they do not lie there one after the other."""
        if self.is_wav:
            number, size = _WAV[self.format]
            convert = self.format if self.format in ("u8", "s24") else ""
            format = "c" + number if self.is_complex else number
            return Place(self.path, _wav_data(self.path), size * (2 if self.is_complex else 1), format, convert)
        path, size = self.path, _sample_bytes(self.format)
        if path.endswith(".sigmf-meta"):
            path = path[: -len("meta")] + "data"
        if self.channels != 1 or path.endswith(".sigmf") or os.path.getsize(path) != size * self.samples_total:
            raise RecordingError("its samples do not lie one after the other in a file, so it cannot be cut")
        return Place(path, 0, size, self.format, "")

    def feed(self) -> tuple[dict[str, Any], str]:
        """The bytes to be read, for `Child.run`, and the format that they have then."""
        place = self.place()
        offset = place.offset + self.read_first * place.sample_bytes
        length = (self.read_last - self.read_first) * place.sample_bytes
        return {"path": place.path, "offset": offset, "bytes": length, "convert": place.convert}, place.format

    def samples(self, first: int | None = None, last: int | None = None) -> Any:
        """The samples as a numpy array, ``complex64`` or ``float32``, full scale = 1.0; at most those to be read."""
        import numpy

        from superhet.batch._child import _widen

        first = self.read_first if first is None else max(first, self.read_first)
        last = self.read_last if last is None else min(last, self.read_last)
        place = self.place()
        with open(place.path, "rb") as file:
            file.seek(place.offset + first * place.sample_bytes)
            data = _widen(file.read(max(0, last - first) * place.sample_bytes), place.convert)
        dtype, offset, scale = _numbers(place.format)
        numbers = numpy.frombuffer(data, dtype)
        if scale == 1.0:
            values = numbers.astype(numpy.float32)
        else:
            values = ((numbers.astype(numpy.float32) - numpy.float32(offset)) * numpy.float32(scale)).astype(numpy.float32)
        return values.view(numpy.complex64) if self.is_complex else values

    def digest(self) -> str:
        """SHA-512 of the whole file, or of the samples that count of a part; of SigMF the data."""
        sha = hashlib.sha512()
        if (self.first, self.last) == (0, self.samples_total):
            path, offset, left = self.path, 0, None
            data = path[: -len("meta")] + "data" if path.endswith(".sigmf-meta") else path
            path = data if os.path.exists(data) else path
        else:
            place = self.place()
            path, offset = place.path, place.offset + self.first * place.sample_bytes
            left = (self.last - self.first) * place.sample_bytes
        with open(path, "rb") as file:
            file.seek(offset)
            while data_read := file.read(1 << 20 if left is None else min(left, 1 << 20)):
                sha.update(data_read)
                left = None if left is None else left - len(data_read)
        return sha.hexdigest()


@dataclass(frozen=True)
class Place:
    """Samples that lie one after the other in a file."""

    path: str
    offset: int
    sample_bytes: int
    format: str
    """The raw format, once they are converted."""
    convert: str
    """The encoding of WAV that is converted, or an empty text."""


def describe(child: Child, name: str, path: str, options: Options) -> Recording:
    """What is known of a recording; no sample is read. `RecordingError` where it is none."""
    lines = child.run(["info", "--json", "--no-levels", path, *options.arguments(path)], timeout_s=60)
    facts = json.loads(b"".join(lines))
    return Recording(
        name=name,
        path=path,
        rate_hz=facts["rate_hz"],
        frequency_hz=facts["center_hz"],
        time_ns=_nanoseconds(facts["datetime"]),
        samples_total=facts["samples"],
        format=facts["format"],
        is_complex=facts["shape"] == "complex",
        is_wav=facts["kind"] == "WAV",
        channels=facts["channels"],
        last=facts["samples"],
        read_last=facts["samples"],
    )


@contextlib.contextmanager
def fetched(name: str) -> Iterator[str]:
    """A path under which a recording can be opened: of a URL that of a copy, which is gone afterwards."""
    if not is_url(name):
        yield name
        return
    system, path = filesystem(name)
    with tempfile.TemporaryDirectory(prefix="superhet-") as folder:
        copy = os.path.join(folder, os.path.basename(path))
        system.get_file(path, copy)
        if copy.endswith(".sigmf-meta"):
            system.get_file(path[: -len("meta")] + "data", copy[: -len("meta")] + "data")
        yield copy


def _nanoseconds(text: str | None) -> int | None:
    """Nanoseconds since 1970 of a time of SigMF, such as 2026-07-04T12:00:00.5Z."""
    found = re.fullmatch(r"(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d+))?Z", text or "")
    if not found:
        return None
    try:
        seconds = datetime.fromisoformat(found[1]).replace(tzinfo=timezone.utc).timestamp()
    except ValueError:
        return None
    return round(seconds) * 10**9 + int((found[2] or "0")[:9].ljust(9, "0"))


def _numbers(format: str) -> tuple[Any, float, float]:
    """Numpy's type of the numbers of a raw format, and offset and scale to full scale = 1.0."""
    import numpy

    kind, _, order = format.lstrip("cr").partition("_")
    bits, letter = int(kind[1:]), {"s": "i"}.get(kind[0], kind[0])
    dtype = numpy.dtype((">" if order == "be" else "<") + f"{letter}{bits // 8}")
    if letter == "f":
        return dtype, 0.0, 1.0
    # Unsigned numbers lie around their middle, so that both ends are full scale.
    middle = 2.0 ** (bits - 1) - 0.5
    return (dtype, middle, 1 / middle) if letter == "u" else (dtype, 0.0, 2.0 ** -(bits - 1))


def _sample_bytes(format: str) -> int:
    dtype = _numbers(format)[0]
    return int(dtype.itemsize) * (2 if format.startswith("c") else 1)


def _wav_data(path: str) -> int:
    """Where the samples of a WAV file begin."""
    with open(path, "rb") as file:
        if len(file.read(12)) == 12:
            for _ in range(1024):
                head = file.read(8)
                if len(head) < 8:
                    break
                name, length = struct.unpack("<4sI", head)
                if name == b"data":
                    return file.tell()
                file.seek(length + length % 2, os.SEEK_CUR)
    raise RecordingError("a WAV file without a chunk of data")
