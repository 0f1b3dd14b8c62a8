"""Packets as streams with length tags, for tests: `digital.utils.tagged_streams`.

With `vlen` items per vector, tags count vectors. (GNU Radio 3.10.5 has the tags of all packets but the first too far
back there.)
"""

from __future__ import annotations

from typing import Any, Iterable, Sequence

from ... import pmt
from ..._gr.tag_utils import tag_t


def make_lengthtags(lengths: Iterable[int], offsets: Iterable[int], tagname: str = "length", vlen: int = 1) -> list[tag_t]:
    """A tag with each length, at each offset, both given in items."""
    tags = []
    for length, offset in zip(lengths, offsets):
        tag = tag_t()
        tag.offset = offset // vlen
        tag.key = pmt.string_to_symbol(tagname)
        tag.value = pmt.from_long(length // vlen)
        tags.append(tag)
    return tags


def string_to_vector(string: str) -> list[int]:
    """The numbers of its letters."""
    return [ord(letter) for letter in string]


def strings_to_vectors(strings: Iterable[str], lengthtagname: str) -> tuple[list[int], list[tag_t]]:
    """Strings one after the other, and their length tags."""
    return packets_to_vectors([string_to_vector(string) for string in strings], lengthtagname)


def vector_to_string(v: Iterable[int]) -> str:
    """The letters of these numbers."""
    return "".join(chr(number) for number in v)


def vectors_to_strings(data: Sequence[int], tags: Iterable[tag_t], lengthtagname: str) -> list[str]:
    """The strings that length tags make of a stream."""
    return [vector_to_string(packet) for packet in vectors_to_packets(data, tags, lengthtagname)]


def packets_to_vectors(packets: Iterable[Sequence[Any]], lengthtagname: str, vlen: int = 1) -> tuple[list[Any], list[tag_t]]:
    """Packets one after the other, and their length tags."""
    data: list[Any] = []
    lengths, offsets = [], []
    for packet in packets:
        lengths.append(len(packet))
        offsets.append(len(data))
        data.extend(packet)
    return data, make_lengthtags(lengths, offsets, lengthtagname, vlen)


def _lengths(tags: Iterable[tag_t], lengthtagname: str) -> dict[int, int]:
    """Lengths by offset; two tags of one name at one offset are an error."""
    lengths: dict[int, int] = {}
    for tag in tags:
        if pmt.symbol_to_string(tag.key) == lengthtagname:
            if tag.offset in lengths:
                raise ValueError(f"There is already a tag with key {lengthtagname} and an offset of {tag.offset}.")
            lengths[tag.offset] = pmt.to_long(tag.value)
    return lengths


def vectors_to_packets(data: Sequence[Any], tags: Iterable[tag_t], lengthtagname: str, vlen: int = 1) -> list[list[Any]]:
    """The packets that length tags make of a stream; ValueError where a tag is missing or more items are promised."""
    lengths = _lengths(tags, lengthtagname)
    if 0 not in lengths:
        raise ValueError(f"There is no tag with key {lengthtagname} and an offset of 0")
    packets, at = [], 0
    while at * vlen < len(data):
        if at not in lengths:
            raise ValueError(f"There is no tag with key {lengthtagname} and an offset of {at}. We were expecting one.")
        length = lengths[at]
        if length <= 0:
            raise ValueError(f"Packets cannot have zero length: offset {at}")
        if (at + length) * vlen > len(data):
            raise ValueError("The final packet is incomplete.")
        packets.append(list(data[at * vlen : (at + length) * vlen]))
        at += length
    return packets


def count_bursts(data: Sequence[Any], tags: Iterable[tag_t], lengthtagname: str, vlen: int = 1) -> int:
    """How many bursts there are: packets that follow each other at once are one. ValueError where packets overlap."""
    lengths = _lengths(tags, lengthtagname)
    bursts, end = 0, -1
    for offset in sorted(lengths):
        if offset * vlen >= len(data):
            break
        if offset < end:
            raise ValueError(f"Received packet tag while in packet: offset {offset}, the packet ends at {end}.")
        bursts += offset != end
        end = offset + lengths[offset]
    return bursts
