"""DVB-T's inner coding, mapping and frames, by ETSI EN 300 744 (sections in brackets)."""

from __future__ import annotations

import functools
from typing import Any

BITS = (2, 4, 6)
"""Bits of a symbol by constellation: QPSK, 16-QAM, 64-QAM."""

DATA_CARRIERS = (1512, 6048)
CARRIERS = (1705, 6817)
FFT_SIZES = (2048, 8192)
"""By transmission mode: 2k, 8k."""

FRAME = 68
"""Symbols of a frame."""

PUNCTURING = {3: ("1", "1"), 5: ("10", "11"), 6: ("101", "110"), 8: ("10101", "11010"), 9: ("1000101", "1111010")}
"""Which bits of X and Y are sent, by code rate: 1/2, 2/3, 3/4, 5/6, 7/8 (4.3.3)."""

RATE_BITS = {3: "000", 5: "001", 6: "010", 8: "011", 9: "100"}
"""Code rates as the transmission parameters say them (4.6.2.6)."""

OUTPUTS = (0o171, 0o133)
"""The generators of the mother code, whose newest bit is the highest (4.3.3)."""

ORDER = ((0, 1), (0, 2, 1, 3), (0, 2, 4, 1, 3, 5))
"""The branch of each bit of a symbol, by constellation, without a hierarchy (4.3.4.1)."""

SHIFTS = (0, 63, 105, 42, 21, 84)
"""How far the bits of each branch are turned in a block of 126."""

BIT_BLOCK = 126

WIRES = ((0, 7, 5, 1, 8, 2, 6, 9, 3, 4), (5, 11, 3, 0, 10, 8, 6, 9, 2, 4, 1, 7))
"""Where the bits of R' go in R, from the highest on, by mode (table 3)."""

FEEDBACK = ((0, 3), (0, 1, 4, 6))

CONTINUAL = (
    0, 48, 54, 87, 141, 156, 192, 201, 255, 279, 282, 333, 432, 450, 483, 525, 531, 618, 636, 714, 759, 765, 780, 804, 873, 888,
    918, 939, 942, 969, 984, 1050, 1101, 1107, 1110, 1137, 1140, 1146, 1206, 1269, 1323, 1377, 1491, 1683, 1704,
)  # fmt: skip
"""Continual pilots of the 2k mode; the 8k mode repeats them after each 1704 carriers (table 7)."""

TPS = (34, 50, 209, 346, 413, 569, 595, 688, 790, 901, 1073, 1219, 1262, 1286, 1469, 1594, 1687)
"""Carriers of the transmission parameters, the same way (table 8)."""

PERIOD = 1704


def coded(data: Any, register: int, rate: int) -> tuple[Any, int]:
    """The punctured bits of bytes, and the register behind them, whose bits are the last six."""
    import numpy

    bits = numpy.unpackbits(data)
    before = numpy.array([register >> at & 1 for at in range(5, -1, -1)], "u1")
    line = numpy.concatenate([before, bits])
    pairs = []
    for generator in OUTPUTS:
        total = numpy.zeros(len(bits), "u1")
        for delay in range(7):
            if generator >> (6 - delay) & 1:
                total ^= line[6 - delay : len(line) - delay]
        pairs.append(total)
    both = numpy.stack(pairs, 1).reshape(-1)
    kept = numpy.array([int(bit) for pair in zip(*PUNCTURING[rate]) for bit in pair], bool)
    sent = both[numpy.resize(kept, len(both))]
    return sent, int("".join(map(str, line[-6:].tolist())), 2)


def symbols(bits: Any, count: int) -> Any:
    """Bits in groups of `count`, the first in the highest place."""
    import numpy

    return bits.reshape(-1, count) @ (1 << numpy.arange(count)[::-1])


def split(data: Any, count: int) -> Any:
    """The bits of symbols, a row for each, from the highest on."""
    import numpy

    return (data[..., None] >> numpy.arange(count)[::-1]) & 1


@functools.cache
def bit_places(count: int) -> Any:
    """From which place of 126 symbols, and which of their bits, each bit of an interleaved block comes (4.3.4.1)."""
    import numpy

    order = ORDER[BITS.index(count)]
    places = (numpy.arange(BIT_BLOCK)[:, None] + numpy.array(SHIFTS[:count])) % BIT_BLOCK
    sources = numpy.argsort(order)
    return places, sources


def bits_interleaved(data: Any, count: int) -> Any:
    """Symbols of `count` bits, with their bits interleaved in blocks of 126."""
    blocks = split(data.reshape(-1, BIT_BLOCK), count)
    places, sources = bit_places(count)
    return symbols(blocks[:, places, sources], count).reshape(data.shape).astype("u1")


def bits_restored(data: Any, count: int) -> Any:
    """The inverse of `bits_interleaved`."""
    import numpy

    blocks = split(data.reshape(-1, BIT_BLOCK), count)
    places, sources = bit_places(count)
    found = numpy.empty_like(blocks)
    found[:, places, sources] = blocks
    return symbols(found, count).reshape(data.shape).astype("u1")


@functools.cache
def permutation(mode: int) -> Any:
    """H(q) of the symbol interleaver (4.3.4.2)."""
    import numpy

    size, most, wires, feedback = FFT_SIZES[mode], DATA_CARRIERS[mode], WIRES[mode], FEEDBACK[mode]
    width = size.bit_length() - 2
    found, register = [], 0
    for step in range(size):
        if step == 2:
            register = 1
        elif step > 2:
            bit = 0
            for at in feedback:
                bit ^= register >> at & 1
            register = register >> 1 | bit << (width - 1)
        address = (step & 1) << width
        for at, to in enumerate(wires):
            address |= (register >> (width - 1 - at) & 1) << to
        if address < most:
            found.append(address)
    return numpy.array(found)


@functools.cache
def points(constellation: int, hierarchy: int) -> Any:
    """The points by the bits of a symbol, of mean power 1 (4.3.5)."""
    import numpy

    count = BITS[constellation]
    alpha = (1, 1, 2, 4)[hierarchy]
    each = count // 2
    found = numpy.zeros(1 << count, complex)
    for value in range(1 << count):
        bits = [value >> at & 1 for at in range(count - 1, -1, -1)]
        parts = []
        for axis in (0, 1):
            own = bits[axis::2]
            # Gray, from the outer levels to the inner ones.
            place, flip = 0, 0
            for bit in own[1:]:
                flip ^= bit
                place = place << 1 | flip
            level = 2 * ((1 << (each - 1)) - 1 - place) + (alpha if each > 1 else 1)
            parts.append(-level if own[0] else level)
        found[value] = complex(*parts)
    return found / numpy.sqrt(numpy.mean(abs(found) ** 2))


@functools.cache
def reference(mode: int) -> Any:
    """The values of pilots, ±1, by carrier: a sequence of x¹¹ + x² + 1 (4.5.2)."""
    import numpy

    register, found = [1] * 11, []
    for _ in range(CARRIERS[mode]):
        found.append(1 - 2 * register[10])
        register = [register[10] ^ register[8], *register[:10]]
    return numpy.array(found)


def repeated(carriers: tuple[int, ...], mode: int) -> list[int]:
    """Carriers of the 2k mode, or those of the 8k mode."""
    return sorted({carrier + PERIOD * turn for carrier in carriers for turn in range(1 if mode == 0 else 4)})


@functools.cache
def layout(mode: int) -> Any:
    """For each of four symbols the carriers of pilots, of parameters and of data (4.4)."""
    import numpy

    tps = repeated(TPS, mode)
    found = []
    for phase in range(4):
        pilots = sorted({*repeated(CONTINUAL, mode), *range(3 * phase, CARRIERS[mode], 12)})
        taken = numpy.ones(CARRIERS[mode], bool)
        taken[pilots] = taken[tps] = False
        found.append((numpy.array(pilots), numpy.array(tps), numpy.flatnonzero(taken)))
    return found


def parity(bits: list[int]) -> list[int]:
    """The check bits of the code BCH (67, 53) (4.6.2.11)."""
    generator = 0b100001101110111
    register = 0
    for bit in [*bits, *[0] * 14]:
        register = register << 1 | bit
        if register >> 14:
            register ^= generator
    return [register >> at & 1 for at in range(13, -1, -1)]


def parameters(frame: int, constellation: int, hierarchy: int, rates: tuple[int, int], guard: int, mode: int, cell: int | None) -> list[int]:
    """The bits of a frame, the first of which only begins the differences (4.6.2)."""
    sync = "0011010111101110"
    if frame & 1:
        sync = "".join("10"[int(bit)] for bit in sync)
    text = sync + ("010111" if cell is None else "011111") + f"{frame:02b}" + f"{constellation:02b}" + f"{hierarchy:03b}"
    text += RATE_BITS[rates[0]] + RATE_BITS[rates[1]] + f"{guard:02b}" + f"{mode:02b}"
    byte = 0 if cell is None else (cell >> 8 if frame % 2 == 0 else cell) & 255
    text += f"{byte:08b}"
    bits = [int(bit) for bit in text.ljust(53, "0")]
    return [0, *bits, *parity(bits)]
