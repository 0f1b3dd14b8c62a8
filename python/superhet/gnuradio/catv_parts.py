"""The transmitter of digital cable television, ITU-T J.83 annex B: `gnuradio.dtv.catv_*`."""

from __future__ import annotations

import functools
from typing import Any

from .python_blocks import basic_block, sync_block
from .reed_solomon import Code


class catv_transport_framing_enc_bb(sync_block):
    """Packets of 188 bytes without the first, which says where they begin, and with a checksum behind them (ITU-T J.83 annex B.4)."""

    def __init__(self) -> None:
        super().__init__("catv_transport_framing_enc_bb", ["u1"], ["u1"])
        self.set_output_multiple(188)

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Moves bytes, and adds checksums."""
        import numpy

        count = len(output_items[0]) // 188 * 188
        data = input_items[0][:count].reshape(-1, 188)[:, 1:]
        sums, (table, first) = numpy.zeros(len(data), "u1"), _cable_checksum()
        for column in data.T:
            sums = table[sums ^ column]
        output_items[0][:count] = numpy.column_stack([data, sums ^ first[data[:, 0]] ^ 0x67]).reshape(-1)
        return count


@functools.cache
def _cable_checksum() -> tuple[Any, Any]:
    """What a byte adds to the remainder by x⁸ + x⁷ + x³ + x² + 1; and the first byte once more, as its bits leave the window of 1497 one by one."""
    import numpy

    steps, leaving = numpy.arange(256, dtype="u2"), numpy.zeros(256, "u1")
    for place in range(8):
        steps = (steps << 1 & 255) ^ numpy.where(steps & 128, 0x8D, 0).astype("u2")
        leaving ^= numpy.where(numpy.arange(256) >> (7 - place) & 1, 0x68 >> place, 0).astype("u1")
    return steps.astype("u1"), leaving


class catv_randomizer_bb(sync_block):
    """Combines symbols of 7 bits with a pseudo-random sequence that begins anew with each frame (ITU-T J.83 annex B.5.3)."""

    def __init__(self, constellation: int) -> None:
        super().__init__("catv_randomizer_bb", ["u1"], ["u1"])
        self._length = (60, 88)[_cable(constellation, "catv_randomizer_bb")] * 128
        self._at = 0

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Combines."""
        import numpy

        count = len(output_items[0])
        output_items[0][:] = input_items[0][:count] ^ _cable_sequence()[(self._at + numpy.arange(count)) % self._length]
        self._at = (self._at + count) % self._length
        return count


@functools.cache
def _cable_sequence() -> Any:
    """Elements of the field of x⁷ + x³ + 1: each is the second one before it, and α³ times the third."""
    import numpy

    field, found = Code(0x89, 122, 5, 1).field, [127, 127, 0]
    while len(found) < 88 * 128:
        found.append(found[-2] ^ field.times(field.power(3), found[-3]))
    return numpy.array(found, "u1")


def _cable(constellation: int, name: str) -> int:
    """0 for 64-QAM, 1 for 256-QAM."""
    if int(constellation) not in (0, 1):
        raise RuntimeError(f"{name}: expected CATV_MOD_64QAM or CATV_MOD_256QAM, got {constellation}")
    return int(constellation)


class catv_reed_solomon_enc_bb(basic_block):
    """122 symbols of 7 bits to 128: the extended code of ITU-T J.83 annex B.5.1."""

    def __init__(self) -> None:
        super().__init__("catv_reed_solomon_enc_bb", ["u1"], ["u1"])
        self._code = Code(0x89, 122, 5, 1)
        self.set_output_multiple(128)
        self.set_relative_rate(128, 122)

    def forecast(self, noutput_items: int, ninputs: Any) -> list[int]:
        """Whole words."""
        return [-(-noutput_items // 128) * 122]

    def general_work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Codes whole words."""
        import numpy

        count = min(len(input_items[0]) // 122, len(output_items[0]) // 128)
        words = self._code.encode(input_items[0][: 122 * count].reshape(-1, 122))
        # The last symbol is the word as a polynomial at α⁶.
        field, last = self._code.field, numpy.zeros((count, 1), "u1")
        times = numpy.array([field.times(value, field.power(6)) for value in range(128)], "u1")
        for place in range(127):
            last[:, 0] = times[last[:, 0]] ^ words[:, place]
        output_items[0][: 128 * count] = numpy.hstack([words, last]).reshape(-1)
        self.consume(0, 122 * count)
        return 128 * count


class catv_frame_sync_enc_bb(basic_block):
    """Frames of 60 or 88 words to bits, with the sync trailer and the control word behind each (ITU-T J.83 annex B.5.3)."""

    def __init__(self, constellation: int, ctrlword: int) -> None:
        import numpy

        super().__init__("catv_frame_sync_enc_bb", ["u1"], ["u1"])
        if _cable(constellation, "catv_frame_sync_enc_bb"):
            self._symbols, text = 88 * 128, f"{0x71E84DD4:032b}{int(ctrlword) & 15:04b}0000"
        else:
            self._symbols, text = 60 * 128, f"{0xEAB06EC:028b}{int(ctrlword) & 15:04b}{0:010b}"
        self._trailer = numpy.array([int(bit) for bit in text], "u1")
        self._bits = 7 * self._symbols + len(text)
        self.set_output_multiple(self._bits)
        self.set_relative_rate(self._bits, self._symbols)

    def forecast(self, noutput_items: int, ninputs: Any) -> list[int]:
        """Whole frames."""
        return [-(-noutput_items // self._bits) * self._symbols]

    def general_work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Turns whole frames."""
        import numpy

        count = min(len(input_items[0]) // self._symbols, len(output_items[0]) // self._bits)
        for frame in range(count):
            symbols = input_items[0][frame * self._symbols : (frame + 1) * self._symbols]
            bits = (symbols[:, None] >> numpy.arange(7)[::-1]) & 1
            output_items[0][frame * self._bits : (frame + 1) * self._bits] = numpy.concatenate([bits.reshape(-1), self._trailer])
        self.consume(0, count * self._symbols)
        return count * self._bits


SYMBOLS, CODED = 5, 4
"""Symbols of a group of the trellis coder, and the bits of a group that go into each of its two coders."""

GROUPS = (
    (
        (((5, 6), (19, 20)), ((3, 4), (17, 18)), ((1, 2), (15, 16)), ((13, 0), (27, 14)), ((11, 12), (25, 26))),
        ((10, 24), (9, 23), (8, 22), (7, 21)),
    ),
    (
        tuple(((first + 4, first + 3, first + 2), (first + 7, first + 6, first + 5)) for first in (0, 8, 16, 24, 30)),
        ((0, 1), (8, 9), (16, 17), (24, 25)),
    ),
)
"""For 64-QAM and 256-QAM: the places in a group of the bits that are not coded, of both axes of each symbol, and of those that are."""


PIECES, GROUPS_OF_PIECE = 173, 12
"""Of 256-QAM: pieces of a frame, and groups of a piece. The coded bits of the last five groups are the 40 of the sync trailer."""


class catv_trellis_enc_bb(basic_block):
    """28 or 38 bits to five symbols of 6 or 8 bits: the trellis code of ITU-T J.83 annex B.5.5.

    On each axis the last bit is coded. The pair of these is first coded as a turn from the pair before it, and then by two coders
    with the taps 25 and 37 (octal), of whose eight bits five are sent.
    """

    def __init__(self, constellation: int) -> None:
        import numpy

        super().__init__("catv_trellis_enc_bb", ["u1"], ["u1"])
        self._is_256 = bool(_cable(constellation, "catv_trellis_enc_bb"))
        plain, coded = GROUPS[self._is_256]
        self._plain, self._coded = numpy.array(plain), numpy.array(coded)
        self._bits = 2 * CODED + self._plain.size
        self._turn = self._piece = 0
        # The last four bits of both coders.
        self._held = numpy.zeros((4, 2), "u1")
        self._groups = GROUPS_OF_PIECE if self._is_256 else 1
        self.set_output_multiple(self._groups * SYMBOLS)
        self.set_relative_rate(SYMBOLS, self._bits)

    def forecast(self, noutput_items: int, ninputs: Any) -> list[int]:
        """Whole pieces."""
        return [-(-noutput_items // (self._groups * SYMBOLS)) * self._groups * self._bits]

    def general_work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Codes whole pieces."""
        import numpy

        each = self._groups * self._bits
        count = min(len(input_items[0]) // each, len(output_items[0]) // (self._groups * SYMBOLS))
        pieces = input_items[0][: count * each].reshape(count, each) & 1
        if self._is_256:
            last = (self._piece + numpy.arange(count)) % PIECES == PIECES - 1
            pieces[last] = pieces[last][:, _with_trailer()]
            self._piece = (self._piece + count) % PIECES
        groups = pieces.reshape(-1, self._bits)
        coded = self._code(groups[:, self._coded].reshape(-1, 2))
        found = numpy.zeros((len(groups), SYMBOLS), "u1")
        for axis in range(2):
            for place in range(self._plain.shape[2]):
                found = found << 1 | groups[:, self._plain[:, axis, place]]
            found = found << 1 | coded[:, :, axis]
        output_items[0][: found.size] = found.reshape(-1)
        self.consume(0, count * each)
        return found.size

    def _code(self, pairs: Any) -> Any:
        """The coded bits of both axes of each symbol."""
        import numpy

        first, second = pairs.T.astype(int)
        turns = self._turn + numpy.cumsum(numpy.where(first & second, 3, 2 * first + second))
        self._turn = int(turns[-1]) & 3 if len(turns) else self._turn
        line = numpy.concatenate([self._held, numpy.column_stack([turns >> 1 & 1, (turns ^ turns >> 1) & 1]).astype("u1")])
        self._held = line[len(line) - 4 :]
        now, before = line[4:], [line[4 - delay : len(line) - delay] for delay in range(1, 5)]
        even = now ^ before[1] ^ before[3]
        every = (even ^ before[0] ^ before[2]).reshape(-1, CODED, 2)
        return numpy.stack([every[:, 0], every[:, 1], every[:, 2], even.reshape(-1, CODED, 2)[:, 3], every[:, 3]], axis=1)


@functools.cache
def _with_trailer() -> Any:
    """Where the bits of the last piece of a frame come from: of its last five groups, which end with the trailer, each takes eight of that."""
    data, trailer = iter(range(266, 416)), iter(range(416, 456))
    coded = {place for pair in GROUPS[1][1] for place in pair}
    return [*range(266), *(next(trailer if place in coded else data) for _ in range(5) for place in range(38))]


NAMES: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        catv_frame_sync_enc_bb, catv_randomizer_bb, catv_reed_solomon_enc_bb, catv_transport_framing_enc_bb, catv_trellis_enc_bb,
    )
}  # fmt: skip
"""The blocks, by name."""

CONSTANTS: dict[str, int] = {"CATV_MOD_64QAM": 0, "CATV_MOD_256QAM": 1}
"""Numbers that have names."""
