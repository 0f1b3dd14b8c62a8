"""Blocks of `gnuradio.blocks` on streams that are made in Python."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Sequence

from . import pmt
from .elements import Element, Stream
from .python_blocks import basic_block, sync_block
from .tag_parts import items_of

if TYPE_CHECKING:
    from .build import Build


class correctiq(sync_block):
    """Takes a constant part off complex samples, by a mean that follows slowly."""

    ALPHA = 1e-5

    def __init__(self) -> None:
        super().__init__("correctiq", ["c8"], ["c8"])
        self._mean = 0j

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Turns samples."""
        count, mean, out = len(output_items[0]), self._mean, []
        for value in input_items[0][:count].tolist():
            mean += self.ALPHA * (value - mean)
            out.append(value - mean)
        output_items[0][:] = out
        self._mean = mean
        return count


class correctiq_auto(correctiq):
    """Takes a constant part off complex samples; it learns anew after a change of frequency or gain, for `sync_window` seconds."""

    def __init__(self, samp_rate: float, freq: float, gain: float, sync_window: float) -> None:
        super().__init__()
        self._rate, self._freq, self._gain, self._window = samp_rate, freq, gain, sync_window
        self._seen = 0

    def get_freq(self) -> float:
        """The frequency."""
        return self._freq

    def set_freq(self, freq: float) -> None:
        """Sets the frequency, and learns anew."""
        self._freq, self._seen, self._mean = freq, 0, 0j

    def get_gain(self) -> float:
        """The gain."""
        return self._gain

    def set_gain(self, gain: float) -> None:
        """Sets the gain, and learns anew."""
        self._gain, self._seen, self._mean = gain, 0, 0j

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Turns samples."""
        import numpy

        count = len(output_items[0])
        x = input_items[0][:count]
        left = max(0, int(self._rate * self._window) - self._seen)
        if left:
            learned = x[:left].astype("c16")
            total = self._seen + len(learned)
            self._mean = (self._mean * self._seen + complex(learned.sum())) / total
            self._seen = total
        output_items[0][:] = x - numpy.complex64(self._mean)
        return count


class vector_map(sync_block):
    """Vectors of items of its inputs: item `k` of output `n` is that which `mapping[n][k]`, a stream and a place, says."""

    def __init__(self, item_size: int, in_vlens: Sequence[int], mapping: Sequence[Sequence[Sequence[int]]]) -> None:
        dtype, length = items_of(int(item_size))
        self._lengths, self._item = [int(vlen) for vlen in in_vlens], length
        ins = [(dtype, vlen * length) for vlen in self._lengths]
        super().__init__("vector_map", ins, [(dtype, len(places) * length) for places in mapping])
        self.set_mapping(mapping)

    def set_mapping(self, mapping: Sequence[Sequence[Sequence[int]]]) -> None:
        """Sets which items the outputs have."""
        for places in mapping:
            for stream, place in places:
                if not (0 <= stream < len(self._lengths) and 0 <= place < self._lengths[stream]):
                    raise RuntimeError(f"vector_map: there is no item {place} of input {stream}")
        self._mapping = [[(int(stream), int(place)) for stream, place in places] for places in mapping]

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Copies items."""
        count = min(len(out) for out in output_items)
        shaped = [x.reshape(len(x), -1, self._item) for x in input_items]
        for out, places in zip(output_items, self._mapping):
            target = out.reshape(len(out), -1, self._item)
            for at, (stream, place) in enumerate(places):
                target[:count, at] = shaped[stream][:count, place]
        return count


class host_buffer_copy(sync_block):
    """Passes items on, with a history."""

    def __init__(self, history: int) -> None:
        super().__init__("host_buffer_copy", ["c8"], ["c8"])
        self.set_history(int(history))

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Copies items."""
        count = len(output_items[0])
        output_items[0][:] = input_items[0][:count]
        return count


class _annotator(sync_block):
    """Passes items on, with a tag on every `when`-th item of each input, and keeps the tags that come."""

    _policy_of = 1

    def __init__(self, when: int, sizeof_stream_item: int) -> None:
        self._port = items_of(int(sizeof_stream_item))
        super().__init__(type(self).__name__, [self._port], [self._port])
        self._when, self._count, self._kept = int(when), 0, []  # type: ignore[var-annotated]
        self.set_tag_propagation_policy(self._policy_of)

    def _depends_on_counts(self) -> bool:
        return True

    def _add(self, build: Any, name: str) -> None:
        inputs, outputs = build.count(self, 0), build.count(self, 1)
        self._set_ports([self._port] * max(1, inputs), [self._port] * max(1, outputs))
        super()._add(build, name)

    def data(self) -> list[Any]:
        """The tags that have come."""
        return list(self._kept)

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Passes items on."""
        count = min(len(out) for out in output_items)
        for at in range(len(input_items)):
            self._kept += self.get_tags_in_window(at, 0, count)
        first = self.nitems_written(0)
        source = pmt.intern(self.alias())
        for offset in range(-(-first // self._when) * self._when, first + count, self._when):
            for at in range(len(output_items)):
                self.add_item_tag(at, offset, pmt.intern("seq"), pmt.from_uint64(self._count), source)
                self._count += 1
        for at, out in enumerate(output_items):
            out[:count] = input_items[min(at, len(input_items) - 1)][:count]
        return count


class annotator_alltoall(_annotator):
    """Passes items on, with a tag on every `when`-th; tags go to all outputs."""


class annotator_1to1(_annotator):
    """Passes items on, with a tag on every `when`-th; tags go from each input to its output."""

    _policy_of = 2


class annotator_raw(sync_block):
    """Passes items on, with the tags that `add_tag` has given."""

    def __init__(self, sizeof_stream_item: int) -> None:
        port = items_of(int(sizeof_stream_item))
        super().__init__("annotator_raw", [port], [port])
        self._tags: list[tuple[int, Any, Any]] = []
        self._guard = threading.Lock()

    def add_tag(self, offset: int, key: Any, val: Any) -> None:
        """Puts a tag on an item."""
        with self._guard:
            self._tags.append((int(offset), key, val))

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Passes items on."""
        count, first = len(output_items[0]), self.nitems_written(0)
        with self._guard:
            due = [tag for tag in self._tags if tag[0] < first + count]
            self._tags = [tag for tag in self._tags if tag[0] >= first + count]
        for offset, key, value in sorted(due, key=lambda tag: tag[0]):
            if offset >= first:
                self.add_item_tag(0, offset, key, value, pmt.intern(self.alias()))
        output_items[0][:] = input_items[0][:count]
        return count


class nop(Element):
    """Takes what it is given, and gives nothing: any number of streams of items of so many bytes."""

    def __init__(self, sizeof_stream_item: int) -> None:
        super().__init__("nop")
        self._size = int(sizeof_stream_item)
        if self._size < 1:
            raise ValueError(f"nop: expected the size of an item in bytes, got {sizeof_stream_item}")
        self._ends: tuple[list[str], list[str]] = ([], [])

    def _item_size(self) -> int:
        return self._size

    def _add(self, build: "Build", name: str) -> None:
        item = build.item(self)[0]
        self._ends = ([], [])
        for side, (kind, params) in enumerate((("null_sink", {"item": item}), ("vector_source", {"item": item, "values": []}))):
            for _ in range(build.count(self, side)):
                end = build.free(f"{name}_{('in', 'out')[side]}")
                build.builder.add(end, kind, params)
                self._ends[side].append(end)

    def _stream(self, build: "Build", side: int, port: int) -> Stream:
        return Stream(f"{self._ends[side][port]}.{('in', 'out')[side]}", *build.item(self))

    def _parts(self, build: "Build") -> list[str]:
        return [*self._ends[0], *self._ends[1]]

    def _depends_on_counts(self) -> bool:
        return True


class test_tag_variable_rate_ff(basic_block):
    """Gives an item whenever the rates of the items, half at first, have grown to 1; each call changes the rate by `update_step`, or only the
    first with `update_once`. For tests of tags: how often it is called is a matter of the runtime.
    """

    def __init__(self, update_once: bool = False, update_step: float = 0.001) -> None:
        super().__init__("test_tag_variable_rate_ff", ["f4"], ["f4"])
        self._once, self._growth, self._share, self._owed, self._calls = bool(update_once), float(update_step), 0.5, 0.0, 0
        self.set_relative_rate(0.5)

    def general_work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Takes items while there is room."""
        if self._calls == 0 or not self._once:
            self._share = max(self._share + self._growth, 0.0)
            self.set_relative_rate(max(self._share, 1e-3))
        self._calls += 1
        given, room = 0, len(output_items[0])
        for taken, item in enumerate(input_items[0]):
            if given + self._owed + self._share >= room + 1:
                self.consume(0, taken)
                return given
            self._owed += self._share
            while self._owed >= 1:
                output_items[0][given], given, self._owed = item, given + 1, self._owed - 1
        self.consume(0, len(input_items[0]))
        return given


def _prbs15(items: int) -> Any:
    """The sequence of x¹⁵ + x¹⁴ + 1, 16 bits an item, the first the lowest; it comes again after 32767 items."""
    import numpy

    bits = [1] * 14 + [0] * 2
    while len(bits) < 32767:
        bits.append(bits[-14] ^ bits[-15])
    bits = bits[:32767]
    repeated = numpy.tile(numpy.array(bits, "u1"), -(-items * 16 // 32767))[: items * 16]
    return numpy.packbits(repeated, bitorder="little").view("<i2")


class lfsr_32k_source_s(sync_block):
    """A pseudo-random sequence of 32767 bits, 16 in each item."""

    def __init__(self) -> None:
        super().__init__("lfsr_32k_source_s", None, ["i2"])
        self._items, self._at = _prbs15(32767), 0

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Gives items."""
        out = output_items[0]
        out[:] = self._items.take(range(self._at, self._at + len(out)), mode="wrap")
        self._at = (self._at + len(out)) % len(self._items)
        return len(out)


class check_lfsr_32k_s(sync_block):
    """Counts the items of `lfsr_32k_source_s` that come right, and those in a row."""

    def __init__(self) -> None:
        super().__init__("check_lfsr_32k_s", ["i2"], None)
        self._items = _prbs15(32767).tolist()
        self._places = {item: place for place, item in reversed(list(enumerate(self._items)))}
        self._next, self._total, self._right, self._run = 0, 0, 0, 0

    def ntotal(self) -> int:
        """How many items have come."""
        return self._total

    def nright(self) -> int:
        """How many of them were right."""
        return self._right

    def runlength(self) -> int:
        """How many of the last were right in a row."""
        return self._run

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Compares items."""
        for item in input_items[0].tolist():
            self._total += 1
            if item == self._items[self._next]:
                self._right, self._run = self._right + 1, self._run + 1
            else:
                # It looks for the place where the sequence goes on.
                self._run, self._next = 0, self._places.get(item, 0)
            self._next = (self._next + 1) % len(self._items)
        return len(input_items[0])


BLOCKS: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        annotator_1to1,
        annotator_alltoall,
        annotator_raw,
        check_lfsr_32k_s,
        correctiq,
        correctiq_auto,
        host_buffer_copy,
        lfsr_32k_source_s,
        nop,
        test_tag_variable_rate_ff,
        vector_map,
    )
}
"""The blocks by name."""
