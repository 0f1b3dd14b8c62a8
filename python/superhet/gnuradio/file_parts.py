"""Blocks about files that are more to Python than a row of the table."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import pmt
from ._gr.signature import io_signature
from .elements import Stream, hier_block2
from .python_blocks import sync_block
from .table import block_class
from .tag_parts import items_of

if TYPE_CHECKING:
    from .build import Build

_file_source: Any = block_class("blocks.file_source")
_file_sink: Any = block_class("blocks.file_sink")


class _begin_tagger(sync_block):
    """Passes items on, with a tag at the start of each pass over a file that says how many came before."""

    def __init__(self, item: str, vlen: int, key: Any, items: int, source: Any) -> None:
        super().__init__("begin_tagger")
        self._gr_in = self._gr_out = [(item, vlen)]
        self._key, self._items, self._source = key, items, source

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Passes items on."""
        count, first = len(output_items[0]), self.nitems_written(0)
        output_items[0][:] = input_items[0][:count]
        for start in range(-(-first // self._items) * self._items, first + count, self._items):
            self.add_item_tag(0, start, self._key, pmt.from_long(start // self._items), self._source)
        return count


class file_source(_file_source):  # type: ignore[valid-type,misc]
    """Items of a file, once or over and over."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._begin: Any = pmt.PMT_NIL
        self._tagger: tuple[str, _begin_tagger] | None = None
        path = Path(str(self._args["filename"]))
        if not path.exists():
            raise RuntimeError(f"file_source: can't open file {path}: there is no such file")
        if self._args["offset"] and path.is_file() and self._args["offset"] * self._item_size() >= path.stat().st_size:
            raise RuntimeError(f"file_source: the offset {self._args['offset']} is beyond the end of {path}")

    def set_begin_tag(self, val: Any) -> None:
        """Sets the key of a tag at the start of each pass, whose value counts the passes; nothing for `PMT_NIL`.

        For the next start.
        """
        self._begin = val

    def seek(self, seek_point: int, whence: int) -> bool:
        """Sets where to begin, in items from the start of the file (0) or from its end (2), for the next start."""
        size = os.path.getsize(self._args["filename"]) // self._item_size()
        place = {os.SEEK_SET: 0, os.SEEK_CUR: self._args["offset"], os.SEEK_END: size}[whence] + seek_point
        if not 0 <= place < size:
            return False
        self._args["offset"] = place
        return True

    def close(self) -> None:
        """Changes nothing: the file is closed when the flowgraph ends."""

    def _add(self, build: "Build", name: str) -> None:
        super()._add(build, name)
        self._tagger = None
        if not pmt.is_null(self._begin):
            ours = super()._stream(build, 1, 0)
            tagger = _begin_tagger(ours.item, ours.vlen, self._begin, self._items(), pmt.intern(self.alias()))
            self._tagger = (build.free(f"{name}_begin"), tagger)
            tagger._build_of = build
            tagger._add(build, self._tagger[0])
            build.builder.connect(ours.port, f"{self._tagger[0]}.in0")

    def _items(self) -> int:
        """How many items a pass has."""
        there = os.path.getsize(self._args["filename"]) // (self._item_size() or 1) - self._args["offset"]
        return max(1, min(there, self._args["len"] or there))

    def _stream(self, build: "Build", side: int, port: int) -> Stream:
        ours = super()._stream(build, side, port)
        return ours if self._tagger is None else Stream(f"{self._tagger[0]}.out0", ours.item, ours.vlen)

    def _parts(self, build: "Build") -> list[str]:
        return [*super()._parts(build), *([self._tagger[0]] if self._tagger else [])]


class file_sink(_file_sink):  # type: ignore[valid-type,misc]
    """Writes items into a file, which is made at once; RuntimeError where it cannot be."""

    def __init__(self, itemsize: int, filename: str, append: bool = False) -> None:
        super().__init__(itemsize, filename, append)
        try:
            with open(filename, "ab"):
                pass
        except OSError as error:
            raise RuntimeError(f"file_sink: can't open file {filename!r}: {error.strerror}") from None

    def set_unbuffered(self, unbuffered: bool) -> None:
        """Changes nothing: what is written is there when the flowgraph has ended."""

    def close(self) -> None:
        """Changes nothing: the file is closed when the flowgraph ends."""


HEADER_BYTES = 149
"""How long the header of a segment is without its extra part."""


class _Segments:
    """The headers of a file with metadata, as "Metadata Information" of GNU Radio's manual says."""

    @staticmethod
    def header(fields: dict[str, Any], extra: dict[str, Any], items: int) -> bytes:
        """The header of a segment of so many items."""
        # Where nothing is extra it is an empty dictionary.
        entries = pmt.make_dict()
        for key, value in extra.items():
            entries = pmt.dict_add(entries, pmt.intern(key), value)
        more = pmt.serialize_str(entries)
        head = pmt.make_dict()
        size = pmt.to_long(fields["size"])
        for key, value in (
            *fields.items(),
            ("bytes", pmt.from_uint64(items * size)),
            ("strt", pmt.from_uint64(HEADER_BYTES + len(more))),
        ):
            head = pmt.dict_add(head, pmt.intern(key), value)
        return pmt.serialize_str(head) + more

    @staticmethod
    def read(file: Any) -> tuple[dict[str, Any], dict[str, Any], int] | None:
        """The fields of the next header, what is extra in it, and how many bytes of items the segment has."""
        head = file.read(HEADER_BYTES)
        if len(head) < HEADER_BYTES:
            return None
        fields = _entries(pmt.deserialize_str(head))
        try:
            start, count = (pmt.to_uint64(fields.pop(key)) for key in ("strt", "bytes"))
        except KeyError as error:
            raise RuntimeError(f"file_meta_source: a header has no entry {error}") from None
        extra = file.read(start - HEADER_BYTES) if start > HEADER_BYTES else b""
        return fields, _entries(pmt.deserialize_str(extra)) if extra else {}, count


def _entries(dictionary: Any) -> dict[str, Any]:
    """The entries of a dictionary by name, the oldest first."""
    found = {}
    items = pmt.dict_items(dictionary)
    for place in reversed(range(pmt.length(items))):
        pair = pmt.nth(place, items)
        found[pmt.symbol_to_string(pmt.car(pair))] = pmt.cdr(pair)
    return found


class file_meta_sink(sync_block):
    """Writes items in segments, each behind a header that says their rate, time and type, and what tags add.

    A segment ends with a tag or after `max_segment_size` items. With `detached_header` the headers are in `FILENAME.hdr`.
    """

    def __init__(
        self,
        itemsize: int,
        filename: str,
        samp_rate: float = 1,
        relative_rate: float = 1,
        type: Any = 5,
        complex: bool = True,
        max_segment_size: int = 1000000,
        extra_dict: Any = pmt.PMT_NIL,
        detached_header: bool = False,
    ) -> None:
        super().__init__("file_meta_sink", [items_of(int(itemsize))], None)
        self._relative, self._most, self._detached = float(relative_rate), int(max_segment_size), bool(detached_header)
        self._fields = {
            "version": pmt.from_long(0),
            "rx_rate": pmt.from_double(float(samp_rate)),
            "rx_time": pmt.make_tuple(pmt.from_uint64(0), pmt.from_double(0.0)),
            "size": pmt.from_long(int(itemsize)),
            "type": pmt.from_long(int(type)),
            "cplx": pmt.from_bool(bool(complex)),
        }
        self._extra = _entries(extra_dict) if pmt.is_dict(extra_dict) and not pmt.is_null(extra_dict) else {}
        self._files: tuple[Any, Any] | None = None
        self.open(filename)

    def open(self, filename: str) -> bool:
        """Begins another file."""
        self.close()
        try:
            items = open(filename, "wb")  # noqa: SIM115
            headers = open(f"{filename}.hdr", "wb") if self._detached else items  # noqa: SIM115
        except OSError as error:
            raise RuntimeError(f"file_meta_sink: can't open file {filename}: {error.strerror}") from None
        self._files = (items, headers)
        self._begin()
        return True

    def close(self) -> None:
        """Ends the file."""
        if self._files is not None:
            self._end()
            for file in set(self._files):
                file.close()
            self._files = None

    def do_update(self) -> None:
        """Changes nothing: `open` begins another file at once."""

    def set_unbuffered(self, unbuffered: bool) -> None:
        """Changes nothing."""

    def stop(self) -> bool:
        """The flowgraph has ended."""
        self.close()
        return True

    def _begin(self) -> None:
        self._count = 0
        headers = self._files[1]  # type: ignore[index]
        self._at = headers.tell()
        headers.write(_Segments.header(self._fields, self._extra, 0))

    def _end(self) -> None:
        headers = self._files[1]  # type: ignore[index]
        end = headers.tell()
        headers.seek(self._at)
        headers.write(_Segments.header(self._fields, self._extra, self._count))
        headers.seek(end)

    def _next(self) -> None:
        """Begins a segment behind the one that is full: its time follows."""
        time, rate = self._fields["rx_time"], pmt.to_double(self._fields["rx_rate"]) * self._relative
        seconds = pmt.to_double(pmt.tuple_ref(time, 1)) + (self._count / rate if rate else 0.0)
        whole = int(seconds)
        self._end()
        start = pmt.to_uint64(pmt.tuple_ref(time, 0)) + whole
        # What changes comes behind all others, as where GNU Radio adds it to its dictionary anew.
        del self._fields["rx_time"]
        self._fields["rx_time"] = pmt.make_tuple(pmt.from_uint64(start), pmt.from_double(seconds - whole))
        self._begin()

    def _write(self, items: Any) -> None:
        while len(items):
            if self._count >= self._most > 0:
                self._next()
            part = items[: self._most - self._count] if self._most > 0 else items
            self._files[0].write(part.tobytes())  # type: ignore[index]
            self._count += len(part)
            items = items[len(part) :]

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Writes what there is."""
        items, done, first = input_items[0], 0, self.nitems_read(0)
        if self._files is None:
            return len(items)
        tags: dict[int, list[Any]] = {}
        for tag in self.get_tags_in_window(0, 0, len(items)):
            tags.setdefault(tag.offset - first, []).append(tag)
        for place in sorted(tags):
            self._write(items[done:place])
            done = place
            if self._count:
                self._end()
                self._take(tags[place])
                self._begin()
            else:
                # Nothing is in the segment yet: its header is written anew.
                self._take(tags[place])
                self._files[1].seek(self._at)
                self._begin()
        self._write(items[done:])
        return len(items)

    def _take(self, tags: list[Any]) -> None:
        for tag in tags:
            key = pmt.symbol_to_string(tag.key)
            taken = self._fields if key in ("rx_rate", "rx_time") else self._extra
            taken.pop(key, None)
            taken[key] = tag.value


class file_meta_source(sync_block):
    """Items of a file with metadata; what its headers say are tags at the start of each segment."""

    def __init__(
        self, filename: str, repeat: bool = False, detached_header: bool = False, hdr_filename: str = ""
    ) -> None:
        self._repeat, self._detached = bool(repeat), bool(detached_header)
        self._files: tuple[Any, Any] | None = None
        self.open(filename, hdr_filename)
        segment = self._segment()
        if segment is None:
            raise RuntimeError(f"file_meta_source: {filename} has no header")
        super().__init__("file_meta_source", None, [items_of(pmt.to_long(segment[0]["size"]))])
        self._size = pmt.to_long(segment[0]["size"])
        self._left, self._tags = segment[2], segment[:2]

    def open(self, filename: str, hdr_filename: str = "") -> bool:
        """Takes another file."""
        self.close()
        try:
            items = open(filename, "rb")  # noqa: SIM115
            header = hdr_filename or f"{filename}.hdr"
            self._files = (items, open(header, "rb") if self._detached else items)  # noqa: SIM115
        except OSError as error:
            raise RuntimeError(f"file_meta_source: can't open file {error.filename}: {error.strerror}") from None
        return True

    def close(self) -> None:
        """Ends."""
        for file in set(self._files or ()):
            file.close()
        self._files = None

    def do_update(self) -> None:
        """Changes nothing: `open` takes another file at once."""

    def stop(self) -> bool:
        """The flowgraph has ended."""
        self.close()
        return True

    def _segment(self) -> Any:
        return _Segments.read(self._files[1]) if self._files else None

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Reads items."""
        import numpy

        out = output_items[0]
        while self._left < self._size:
            segment = self._segment()
            if segment is None and self._repeat and self._files:
                for file in self._files:
                    file.seek(0)
                segment = self._segment()
            if segment is None:
                return -1
            self._left, self._tags = segment[2], segment[:2]
        count = min(len(out), self._left // self._size)
        read = self._files[0].read(count * self._size)  # type: ignore[index]
        count = len(read) // self._size
        if count == 0:
            return -1
        out[:count] = numpy.frombuffer(read[: count * self._size], out.dtype).reshape(out[:count].shape)
        if self._tags is not None:
            fields, extra = self._tags
            source = pmt.intern(self.alias())
            for key in ("rx_rate", "rx_time"):
                if key in fields:
                    self.add_item_tag(0, self.nitems_written(0), pmt.intern(key), fields[key], source)
            for key, value in extra.items():
                self.add_item_tag(0, self.nitems_written(0), pmt.intern(key), value, source)
            self._tags = None
        self._left -= count * self._size
        return count


class tagged_file_sink(sync_block):
    """Writes each burst, from a tag `burst` that is true to one that is false, into a file of its own.

    Its name is `fileID_NUMBER_SECONDS.dat`, where the seconds are counted from the first item, or from the last tag `rx_time`.
    """

    def __init__(self, itemsize: int, samp_rate: float) -> None:
        super().__init__("tagged_file_sink", [items_of(int(itemsize))], None)
        self._rate, self._number, self._file = float(samp_rate), 0, None
        self._epoch, self._from = 0.0, 0

    def stop(self) -> bool:
        """The flowgraph has ended."""
        if self._file is not None:
            self._file.close()
            self._file = None
        return True

    def _burst(self, offset: int) -> None:
        seconds = self._epoch + (offset - self._from) / self._rate
        name = f"file{self.unique_id()}_{self._number}_{seconds:.8f}.dat"
        self._file, self._number = open(name, "wb"), self._number + 1  # type: ignore[assignment]  # noqa: SIM115

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Writes what is part of a burst."""
        items, done, first = input_items[0], 0, self.nitems_read(0)
        for tag in sorted(self.get_tags_in_window(0, 0, len(items))):
            key, place = pmt.symbol_to_string(tag.key), tag.offset - first
            if key == "rx_time":
                self._epoch = pmt.to_uint64(pmt.tuple_ref(tag.value, 0)) + pmt.to_double(pmt.tuple_ref(tag.value, 1))
                self._from = tag.offset
            if key != "burst":
                continue
            if self._file is not None:
                self._file.write(items[done:place].tobytes())
            self.stop()
            if pmt.is_true(tag.value):
                self._burst(tag.offset)
            done = place
        if self._file is not None:
            self._file.write(items[done:].tobytes())
        return len(items)


class file_descriptor_sink(sync_block):
    """Writes items to a file descriptor, which is closed at the end."""

    def __init__(self, itemsize: int, fd: int) -> None:
        super().__init__("file_descriptor_sink", [items_of(int(itemsize))], None)
        self._out_file: Any = os.fdopen(fd, "wb")

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Writes what there is."""
        self._out_file.write(input_items[0].tobytes())
        return len(input_items[0])

    def stop(self) -> bool:
        """The flowgraph has ended."""
        self._out_file.close()
        return True


class file_descriptor_source(sync_block):
    """Items that are read from a file descriptor, which is closed at the end; over and over where that can be."""

    def __init__(self, itemsize: int, fd: int, repeat: bool = False) -> None:
        super().__init__("file_descriptor_source", None, [items_of(int(itemsize))])
        self._size, self._repeat, self._rest = int(itemsize), bool(repeat), b""
        self._in_file: Any = os.fdopen(fd, "rb", buffering=0)

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Reads items."""
        import numpy

        out = output_items[0]
        while True:
            read = self._in_file.read(len(out) * self._size - len(self._rest))
            if not read and self._repeat and self._in_file.seekable() and self._in_file.tell():
                self._in_file.seek(0, io.SEEK_SET)
                self._rest = b""
                continue
            if not read:
                return -1
            self._rest += read
            count = len(self._rest) // self._size
            if count:
                break
        out[:count] = numpy.frombuffer(self._rest[: count * self._size], out.dtype).reshape(out[:count].shape)
        self._rest = self._rest[count * self._size :]
        return count

    def stop(self) -> bool:
        """The flowgraph has ended."""
        self._in_file.close()
        return True


class sigmf_sink_minimal(hier_block2):
    """Writes items as a recording of SigMF: `NAME.sigmf-data`, and `NAME.sigmf-meta` with what is given."""

    ITEMS = {8: "f32_le", 4: "f32_le", 2: "i16_le", 1: "i8"}

    def __init__(
        self,
        item_size: int,
        filename: str,
        sample_rate: float,
        center_freq: float,
        author: str,
        description: str,
        hw_info: str,
        is_complex: bool,
    ) -> None:
        super().__init__("sigmf_sink_minimal", io_signature(1, 1, item_size), io_signature(0, 0, 0))
        # Of complex integers an item has two.
        kind = self.ITEMS[item_size // 2 if is_complex and item_size < 8 else item_size]
        name = str(filename).removesuffix(".sigmf-data").removesuffix(".sigmf-meta")
        said = {
            "global": {
                "core:datatype": f"{'c' if is_complex else 'r'}{kind}",
                "core:sample_rate": float(sample_rate),
                "core:version": "1.0.0",
                "core:hw": hw_info,
                "core:author": author,
                "core:description": description,
            },
            "captures": [{"core:sample_start": 0, "core:frequency": float(center_freq)}],
            "annotations": [],
        }
        try:
            Path(f"{name}.sigmf-meta").write_text(json.dumps(said, indent=2), encoding="utf-8")
        except OSError as error:
            raise RuntimeError(f"sigmf_sink_minimal: can't open file {error.filename}: {error.strerror}") from None
        self.connect(self, file_sink(item_size, f"{name}.sigmf-data"))


CLASSES: dict[str, Any] = {
    "blocks.sigmf_sink_minimal": sigmf_sink_minimal,
    "blocks.file_source": file_source,
    "blocks.file_sink": file_sink,
    "blocks.file_meta_sink": file_meta_sink,
    "blocks.file_meta_source": file_meta_source,
    "blocks.tagged_file_sink": tagged_file_sink,
    "blocks.file_descriptor_sink": file_descriptor_sink,
    "blocks.file_descriptor_source": file_descriptor_source,
}
