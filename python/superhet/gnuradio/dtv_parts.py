"""`gnuradio.dtv`, as far as it is there. Here the outer coding of DVB-T, ETSI EN 300 744, section 4.3."""

from __future__ import annotations

import functools
from typing import Any

from . import atsc_parts, atsc_receive, catv_parts, dvbs2_parts, dvbt2_frames, dvbt2_modes, dvbt2_ofdm, dvbt2_parts, dvbt_acquire, dvbt_parts
from .python_blocks import basic_block
from .reed_solomon import Code

PACKET, GROUP = 188, 8
"""Bytes of a transport packet, and packets from one inverted sync byte to the next."""

SYNC, INVERTED = 0x47, 0xB8


@functools.cache
def _scrambling() -> Any:
    """What the bytes of a group of packets are combined with: 1 + x¹⁴ + x¹⁵, not applied to sync bytes."""
    import numpy

    register, found = [1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0], [0] * (GROUP * PACKET)
    for place in range(1, GROUP * PACKET):
        byte = 0
        for _ in range(8):
            bit = register[13] ^ register[14]
            register = [bit, *register[:14]]
            byte = byte << 1 | bit
        found[place] = byte if place % PACKET else 0
    found[0] = SYNC ^ INVERTED
    return numpy.array(found, "u1")


class _pieces(basic_block):
    """Turns vectors or pieces of `_taken` bytes into such of `_given` bytes."""

    def __init__(self, taken: tuple[int, int], given: tuple[int, int]) -> None:
        """Each side has the bytes of an item, and how many items make a piece."""
        kinds = [("u1", size) if size > 1 else "u1" for size in (taken[0], given[0])]
        super().__init__(type(self).__name__, [kinds[0]], [kinds[1]])
        self._counts = (taken[1], given[1])
        self.set_output_multiple(given[1])
        self.set_relative_rate(given[1], taken[1])

    def forecast(self, noutput_items: int, ninputs: Any) -> list[int]:
        """Whole pieces."""
        return [-(-noutput_items // self._counts[1]) * self._counts[0]]

    def general_work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Turns whole pieces."""
        taken, given = self._counts
        pieces = min(len(input_items[0]) // taken, len(output_items[0]) // given)
        if pieces:
            found = self._turn(input_items[0][: pieces * taken].reshape(pieces, -1))
            output_items[0][: pieces * given] = found.reshape(output_items[0][: pieces * given].shape)
        self.consume(0, pieces * taken)
        return pieces * given

    def _turn(self, pieces: Any) -> Any:
        raise NotImplementedError


class dvbt_energy_dispersal(basic_block):
    """Combines transport packets with a pseudo-random sequence, in vectors of `nsize` groups of 8; it begins at a sync byte."""

    def __init__(self, nsize: int) -> None:
        super().__init__("dvbt_energy_dispersal", ["u1"], [("u1", int(nsize) * GROUP * PACKET)])
        self._size = int(nsize) * GROUP * PACKET

    def forecast(self, noutput_items: int, ninputs: Any) -> list[int]:
        """Whole groups, and a packet to find the sync byte in."""
        return [noutput_items * self._size]

    def general_work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Combines groups."""
        import numpy

        data, written = input_items[0], 0
        # Sync bytes lie where the packets of a whole vector begin.
        starts = numpy.flatnonzero(data[:PACKET] == SYNC)
        at = next((int(start) for start in starts if (data[start : start + self._size : PACKET] == SYNC).all()), PACKET)
        while written < len(output_items[0]) and at + self._size <= len(data):
            group = data[at : at + self._size].reshape(-1, GROUP * PACKET)
            output_items[0][written] = (group ^ _scrambling()).reshape(-1)
            at, written = at + self._size, written + 1
        self.consume(0, min(at, len(data)))
        return written


class dvbt_energy_descramble(_pieces):
    """Takes off what `dvbt_energy_dispersal` did, from vectors of `nblocks` packets that begin with an inverted sync byte."""

    def __init__(self, nblocks: int) -> None:
        if nblocks % GROUP:
            raise RuntimeError(f"dvbt_energy_descramble: expected packets in groups of {GROUP}, got {nblocks}")
        super().__init__((nblocks * PACKET, 1), (1, nblocks * PACKET))

    def _turn(self, pieces: Any) -> Any:
        return pieces.reshape(-1, GROUP * PACKET) ^ _scrambling()


class dvbt_reed_solomon_enc(_pieces):
    """Puts the check bytes of a shortened code behind each packet, `blocks` of them in a vector."""

    def __init__(self, p: int, m: int, gfpoly: int, n: int, k: int, t: int, s: int, blocks: int) -> None:
        if (p, m, n) != (2, 8, 255) or n - k != 2 * t:
            raise RuntimeError("dvbt_reed_solomon_enc: expected a code over bytes with n = 255 and n − k = 2 t")
        super().__init__((blocks * (k - s), 1), (blocks * (n - s), 1))
        self._code = Code(gfpoly, k - s, 2 * t)

    def _turn(self, pieces: Any) -> Any:
        return self._code.encode(pieces.reshape(-1, self._code.length))


class dvbt_reed_solomon_dec(_pieces):
    """Corrects up to `t` bytes of each packet, `blocks` of them in a vector; one with more stays as it is."""

    def __init__(self, p: int, m: int, gfpoly: int, n: int, k: int, t: int, s: int, blocks: int) -> None:
        if (p, m, n) != (2, 8, 255) or n - k != 2 * t:
            raise RuntimeError("dvbt_reed_solomon_dec: expected a code over bytes with n = 255 and n − k = 2 t")
        super().__init__((blocks * (n - s), 1), (blocks * (k - s), 1))
        self._code = Code(gfpoly, k - s, 2 * t)

    def _turn(self, pieces: Any) -> Any:
        return self._code.decode(pieces.reshape(-1, self._code.length + self._code.checks))[0]


class dvbt_convolutional_interleaver(_pieces):
    """Sends one byte after another through `I` delays of 0, `M`, 2 `M` and so on turns; vectors of `nsize` turns come in."""

    def __init__(self, nsize: int, I: int, M: int) -> None:  # noqa: E741
        import numpy

        super().__init__((nsize * I, 1), (1, nsize * I))
        self._branches, self._delays = I, [branch * M for branch in range(I)]
        self._before = [numpy.zeros(delay, "u1") for delay in self._delays]

    def _turn(self, pieces: Any) -> Any:
        import numpy

        turns = pieces.reshape(-1, self._branches)
        found = numpy.empty_like(turns)
        for branch, delay in enumerate(self._delays):
            line = numpy.concatenate([self._before[branch], turns[:, branch]])
            found[:, branch], self._before[branch] = line[: len(turns)], line[len(turns) :]
        return found


NAMES: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        dvbt_convolutional_interleaver, dvbt_energy_descramble, dvbt_energy_dispersal, dvbt_reed_solomon_dec, dvbt_reed_solomon_enc,
    )
}  # fmt: skip
NAMES |= dvbs2_parts.NAMES | dvbs2_parts.CONSTANTS
NAMES |= dvbt2_frames.NAMES | dvbt2_modes.CONSTANTS | dvbt2_ofdm.NAMES | dvbt2_parts.NAMES
NAMES |= dvbt_acquire.NAMES | dvbt_parts.NAMES | dvbt_parts.CONSTANTS
NAMES |= atsc_parts.NAMES | atsc_receive.NAMES | catv_parts.NAMES | catv_parts.CONSTANTS
"""What the module has."""
