"""The blocks of DVB-T's inner coding and of its frames: `gnuradio.dtv.dvbt_*`. What they compute is in `dvbt.py`."""

from __future__ import annotations

from typing import Any

from . import dvbt
from .python_blocks import basic_block

HIERARCHIES = "NH ALPHA1 ALPHA2 ALPHA4".split()


def _number(value: Any, most: int, name: str, what: str) -> int:
    if not 0 <= int(value) <= most:
        raise RuntimeError(f"{name}: expected {what} from 0 to {most}, got {value}")
    return int(value)


class _vectors(basic_block):
    """Turns a vector into another."""

    def __init__(self, taken: Any, given: Any) -> None:
        super().__init__(type(self).__name__, [taken], [given])

    def general_work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Turns vectors."""
        count = min(len(input_items[0]), len(output_items[0]))
        if count:
            output_items[0][:count] = self._turn(input_items[0][:count])
        self.consume(0, count)
        return count

    def _turn(self, vectors: Any) -> Any:
        raise NotImplementedError


class _of_a_constellation(_vectors):
    """A block that knows the constellation, the hierarchy and the transmission mode."""

    def __init__(self, nsize: int, constellation: int, hierarchy: int, transmission: int, given: Any, taken: Any = "u1") -> None:
        name = type(self).__name__
        self._constellation = _number(constellation, 2, name, "a constellation")
        self._hierarchy = _number(hierarchy, 3, name, "a hierarchy")
        self._mode = _number(transmission, 1, name, "a transmission mode")
        self._bits = dvbt.BITS[self._constellation]
        if nsize % dvbt.DATA_CARRIERS[self._mode]:
            raise RuntimeError(f"{name}: expected vectors of whole symbols of {dvbt.DATA_CARRIERS[self._mode]} carriers, got {nsize}")
        super().__init__((taken, int(nsize)), (given, int(nsize)))


class dvbt_inner_coder(basic_block):
    """The punctured convolutional code: vectors of `ninput` bytes to vectors of `noutput` symbols of 2, 4 or 6 bits."""

    def __init__(self, ninput: int, noutput: int, constellation: int, hierarchy: int, coderate: int) -> None:
        name = "dvbt_inner_coder"
        self._bits = dvbt.BITS[_number(constellation, 2, name, "a constellation")]
        if _number(hierarchy, 3, name, "a hierarchy"):
            raise NotImplementedError(f"{name}: streams in a hierarchy are not here, only NH")
        if int(coderate) not in dvbt.PUNCTURING:
            raise RuntimeError(f"{name}: expected the code rate 1/2, 2/3, 3/4, 5/6 or 7/8, got {coderate}")
        self._rate, self._outputs, self._inputs = int(coderate), int(noutput), int(ninput)
        x, y = dvbt.PUNCTURING[self._rate]
        # A whole number of bytes and of turns of the puncturing makes a whole number of vectors.
        sent, turn = (x + y).count("1"), len(x)
        self._group = next(
            count for count in range(1, 6 * turn + 1) if count * noutput * self._bits % sent == 0
            and count * noutput * self._bits * turn // sent % (8 * ninput) == 0
        )  # fmt: skip
        self._needed = self._group * noutput * self._bits * turn // sent // (8 * ninput)
        super().__init__(name, [("u1", ninput) if ninput > 1 else "u1"], [("u1", noutput)])
        self.set_output_multiple(self._group)
        self.set_relative_rate(self._group, self._needed)
        self._register = 0

    def forecast(self, noutput_items: int, ninputs: Any) -> list[int]:
        """Whole groups of vectors."""
        return [-(-noutput_items // self._group) * self._needed]

    def general_work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Codes."""
        groups = min(len(input_items[0]) // self._needed, len(output_items[0]) // self._group)
        if groups:
            data = input_items[0][: groups * self._needed].reshape(-1)
            bits, self._register = dvbt.coded(data, self._register, self._rate)
            output_items[0][: groups * self._group] = dvbt.symbols(bits, self._bits).reshape(-1, self._outputs)
        self.consume(0, groups * self._needed)
        return groups * self._group


class dvbt_bit_inner_interleaver(_of_a_constellation):
    """Interleaves the bits of symbols."""

    def __init__(self, nsize: int, constellation: int, hierarchy: int, transmission: int) -> None:
        if int(hierarchy):
            raise NotImplementedError("dvbt_bit_inner_interleaver: streams in a hierarchy are not here, only NH")
        super().__init__(nsize, constellation, hierarchy, transmission, "u1")

    def _turn(self, vectors: Any) -> Any:
        return dvbt.bits_interleaved(vectors, self._bits)


class dvbt_bit_inner_deinterleaver(_of_a_constellation):
    """The inverse of `dvbt_bit_inner_interleaver`."""

    def __init__(self, nsize: int, constellation: int, hierarchy: int, transmission: int) -> None:
        if int(hierarchy):
            raise NotImplementedError("dvbt_bit_inner_deinterleaver: streams in a hierarchy are not here, only NH")
        super().__init__(nsize, constellation, hierarchy, transmission, "u1")

    def _turn(self, vectors: Any) -> Any:
        return dvbt.bits_restored(vectors, self._bits)


class dvbt_symbol_inner_interleaver(_vectors):
    """Interleaves the symbols of each OFDM symbol; with `direction` 0 it takes that back. The first one is an even one."""

    def __init__(self, ninput: int, transmission: int, direction: int) -> None:
        name = "dvbt_symbol_inner_interleaver"
        self._mode = _number(transmission, 1, name, "a transmission mode")
        if ninput != dvbt.DATA_CARRIERS[self._mode]:
            raise RuntimeError(f"{name}: expected vectors of {dvbt.DATA_CARRIERS[self._mode]} carriers, got {ninput}")
        super().__init__(("u1", int(ninput)), ("u1", int(ninput)))
        self._is_odd, self._forward = 0, bool(direction)

    def _turn(self, vectors: Any) -> Any:
        import numpy

        order = dvbt.permutation(self._mode)
        found = numpy.empty_like(vectors)
        for place, vector in enumerate(vectors):
            if bool(self._is_odd) ^ self._forward:
                found[place][order] = vector
            else:
                found[place] = vector[order]
            self._is_odd ^= 1
        return found


class dvbt_map(_of_a_constellation):
    """Symbols to points of mean power `gain`²."""

    def __init__(self, nsize: int, constellation: int, hierarchy: int, transmission: int, gain: float = 1.0) -> None:
        super().__init__(nsize, constellation, hierarchy, transmission, "c8")
        self._points = (dvbt.points(self._constellation, self._hierarchy) * gain).astype("c8")

    def _turn(self, vectors: Any) -> Any:
        return self._points[vectors & (len(self._points) - 1)]


class dvbt_demap(_of_a_constellation):
    """Points to the nearest symbols."""

    def __init__(self, nsize: int, constellation: int, hierarchy: int, transmission: int, gain: float = 1.0) -> None:
        super().__init__(nsize, constellation, hierarchy, transmission, "u1", "c8")
        self._points = dvbt.points(self._constellation, self._hierarchy) * gain

    def _turn(self, vectors: Any) -> Any:
        return abs(vectors[..., None] - self._points).argmin(-1).astype("u1")


class _frames(_vectors):
    """Symbols with pilots, and the transmission parameters."""

    def __init__(
        self,
        name: str,
        sides: tuple[int, int],
        constellation: int,
        hierarchy: int,
        rates: tuple[int, int],
        guard: int,
        mode: int,
        cell: int | None,
    ) -> None:
        self._mode = _number(mode, 1, name, "a transmission mode")
        wanted = (dvbt.DATA_CARRIERS[self._mode], dvbt.FFT_SIZES[self._mode])
        if sides != wanted:
            raise RuntimeError(f"{name}: expected vectors of {wanted[0]} carriers and of {wanted[1]} for the transform, got {sides}")
        self._rest = (int(constellation), int(hierarchy), rates, int(guard), self._mode, cell)
        # The middle carrier is 0 Hz.
        self._middle = (dvbt.CARRIERS[self._mode] - 1) // 2
        self._scale = (27 * wanted[0]) ** 0.5
        self._at = 0


class dvbt_reference_signals(_frames):
    """Puts pilots and transmission parameters between the carriers of data, and gives the OFDM symbol without its guard interval."""

    def __init__(
        self,
        itemsize: int,
        ninput: int,
        noutput: int,
        constellation: int,
        hierarchy: int,
        code_rate_HP: int,
        code_rate_LP: int,
        guard_interval: int,
        transmission_mode: int,
        include_cell_id: int = 0,
        cell_id: int = 0,
    ) -> None:
        cell = int(cell_id) if include_cell_id else None
        rates = (int(code_rate_HP), int(code_rate_LP))
        name, sides = "dvbt_reference_signals", (int(ninput), int(noutput))
        _frames.__init__(self, name, sides, constellation, hierarchy, rates, guard_interval, transmission_mode, cell)
        _vectors.__init__(self, ("c8", sides[0]), ("c8", sides[1]))

    def _turn(self, vectors: Any) -> Any:
        import numpy

        size = dvbt.FFT_SIZES[self._mode]
        reference = dvbt.reference(self._mode)
        spectra = numpy.zeros((len(vectors), size), complex)
        for row, vector in zip(spectra, vectors):
            symbol = self._at % dvbt.FRAME
            pilots, tps, data = dvbt.layout(self._mode)[symbol % 4]
            if symbol == 0:
                self._bits = dvbt.parameters(self._at // dvbt.FRAME % 4, *self._rest)
                self._sign = 1
            self._sign *= -1 if self._bits[symbol] else 1
            row[pilots - self._middle] = 4 / 3 * reference[pilots]
            row[tps - self._middle] = self._sign * reference[tps]
            row[data - self._middle] = vector
            self._at += 1
        return numpy.fft.ifft(spectra, axis=1) * (size / self._scale)


class dvbt_demod_reference_signals(_frames):
    """Finds the pilots of spectra, whose middle is 0 Hz, divides by the channel that they show, and gives the carriers of data.

    The place of the scattered pilots is searched in each symbol, so it may begin anywhere.
    """

    def __init__(
        self,
        itemsize: int,
        ninput: int,
        noutput: int,
        constellation: int,
        hierarchy: int,
        code_rate_HP: int,
        code_rate_LP: int,
        guard_interval: int,
        transmission_mode: int,
        include_cell_id: int = 0,
        cell_id: int = 0,
    ) -> None:
        cell = int(cell_id) if include_cell_id else None
        rates = (int(code_rate_HP), int(code_rate_LP))
        name, sides = "dvbt_demod_reference_signals", (int(noutput), int(ninput))
        _frames.__init__(self, name, sides, constellation, hierarchy, rates, guard_interval, transmission_mode, cell)
        _vectors.__init__(self, ("c8", sides[1]), ("c8", sides[0]))
        self._first = dvbt.FFT_SIZES[self._mode] // 2 - self._middle

    def _turn(self, vectors: Any) -> Any:
        import numpy

        reference = dvbt.reference(self._mode)
        found = []
        for vector in vectors:
            carriers = vector[self._first : self._first + dvbt.CARRIERS[self._mode]]
            powers = [numpy.sum(abs(carriers[3 * phase :: 12]) ** 2) / len(carriers[3 * phase :: 12]) for phase in range(4)]
            pilots, _, data = dvbt.layout(self._mode)[int(numpy.argmax(powers))]
            channel = carriers[pilots] / (4 / 3 * reference[pilots])
            place = numpy.arange(len(carriers))
            line = numpy.interp(place, pilots, channel.real) + 1j * numpy.interp(place, pilots, channel.imag)
            with numpy.errstate(divide="ignore", invalid="ignore"):
                found.append(numpy.nan_to_num(carriers[data] / line[data]))
        return numpy.array(found)


class dvbt_convolutional_deinterleaver(basic_block):
    """The inverse of `dvbt_convolutional_interleaver`: bytes to vectors of `nsize` turns of `I` bytes."""

    def __init__(self, nsize: int, I: int, M: int) -> None:  # noqa: E741
        import numpy

        super().__init__("dvbt_convolutional_deinterleaver", ["u1"], [("u1", nsize * I)])
        self._size, self._branches = nsize * I, I
        self._before = [numpy.zeros((I - 1 - branch) * M, "u1") for branch in range(I)]
        self.set_relative_rate(1, self._size)

    def forecast(self, noutput_items: int, ninputs: Any) -> list[int]:
        """Whole vectors."""
        return [noutput_items * self._size]

    def general_work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Turns whole vectors."""
        import numpy

        count = min(len(input_items[0]) // self._size, len(output_items[0]))
        if count:
            turns = input_items[0][: count * self._size].reshape(-1, self._branches)
            found = numpy.empty_like(turns)
            for branch in range(self._branches):
                line = numpy.concatenate([self._before[branch], turns[:, branch]])
                found[:, branch], self._before[branch] = line[: len(turns)], line[len(turns) :]
            output_items[0][:count] = found.reshape(count, -1)
        self.consume(0, count * self._size)
        return count


class dvbt_viterbi_decoder(basic_block):
    """Decodes symbols of 2, 4 or 6 bits to bytes: the most likely path, with `bsize` bytes between decisions at most."""

    DEPTH = 96
    """Steps that a decision waits: some fifteen constraint lengths, for punctured codes take more."""

    def __init__(self, constellation: int, hierarchy: int, coderate: int, bsize: int) -> None:
        name = "dvbt_viterbi_decoder"
        if _number(hierarchy, 3, name, "a hierarchy"):
            raise NotImplementedError(f"{name}: streams in a hierarchy are not here, only NH")
        if int(coderate) not in dvbt.PUNCTURING:
            raise RuntimeError(f"{name}: expected the code rate 1/2, 2/3, 3/4, 5/6 or 7/8, got {coderate}")
        self._bits = dvbt.BITS[_number(constellation, 2, name, "a constellation")]
        x, y = dvbt.PUNCTURING[int(coderate)]
        self._pattern = [int(bit) for pair in zip(x, y) for bit in pair]
        sent, turn = sum(self._pattern), len(x)
        # Whole turns, whole symbols, and whole bytes.
        self._turns = next(count for count in range(1, 1000) if count * sent % self._bits == 0 and count * turn % 8 == 0)
        self._symbols, self._bytes = self._turns * sent // self._bits, self._turns * turn // 8
        super().__init__(name, ["u1"], ["u1"])
        self.set_output_multiple(self._bytes)
        self.set_relative_rate(self._bytes, self._symbols)
        self._trellis()
        self._choices: list[Any] = []
        self._left: list[int] = []

    def _trellis(self) -> None:
        import numpy

        states = numpy.arange(64)
        # A state is the last six bits, the newest in the lowest place; its two predecessors differ in the oldest.
        before = numpy.stack([states >> 1, states >> 1 | 32])
        line = before << 1 | (states & 1)
        # Generators count from the newest bit, in the highest place of their seven.
        bits = numpy.stack([line >> at & 1 for at in range(7)], -1)
        self._before = before
        self._expected = numpy.stack(
            [(bits @ numpy.array([generator >> (6 - at) & 1 for at in range(7)])) & 1 for generator in dvbt.OUTPUTS]
        )
        self._metrics = numpy.zeros(64)
        self._metrics[1:] = 1e6

    def forecast(self, noutput_items: int, ninputs: Any) -> list[int]:
        """Whole groups."""
        return [-(-noutput_items // self._bytes) * self._symbols]

    def general_work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Decodes."""
        import numpy

        groups = min(len(input_items[0]) // self._symbols, len(output_items[0]) // self._bytes)
        taken = groups * self._symbols
        if not groups:
            return 0
        bits = dvbt.split(input_items[0][:taken], self._bits).reshape(-1)
        pattern = numpy.resize(numpy.array(self._pattern, bool), groups * self._turns * len(self._pattern))
        soft = numpy.zeros(len(pattern))
        soft[pattern] = 1 - 2.0 * bits
        for first, second in soft.reshape(-1, 2):
            costs = first * (2 * self._expected[0] - 1) + second * (2 * self._expected[1] - 1)
            both = self._metrics[self._before] + costs
            chosen = both.argmin(0)
            self._metrics = both.min(0)
            self._metrics -= self._metrics.min()
            self._choices.append(chosen)
        self.consume(0, taken)
        self._decide()
        count = min(len(self._left) // 8, len(output_items[0]))
        output_items[0][:count] = numpy.packbits(self._left[: 8 * count])
        del self._left[: 8 * count]
        return count

    def _decide(self) -> None:
        """Follows the best path back, and keeps all but its newest steps."""
        ready = len(self._choices) - self.DEPTH
        if ready <= 0:
            return
        state, path = int(self._metrics.argmin()), []
        for chosen in reversed(self._choices):
            path.append(state & 1)
            state = int(self._before[chosen[state], state])
        self._left += path[::-1][:ready]
        del self._choices[:ready]


NAMES: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        dvbt_bit_inner_deinterleaver, dvbt_bit_inner_interleaver, dvbt_convolutional_deinterleaver, dvbt_demap,
        dvbt_demod_reference_signals, dvbt_inner_coder, dvbt_map, dvbt_reference_signals, dvbt_symbol_inner_interleaver,
        dvbt_viterbi_decoder,
    )
}  # fmt: skip
"""The blocks, by name."""

CONSTANTS: dict[str, int] = dict(MOD_QPSK=0, MOD_16QAM=1, MOD_64QAM=2, NH=0, ALPHA1=1, ALPHA2=2, ALPHA4=3)
CONSTANTS |= dict(C1_2=3, C2_3=5, C3_4=6, C5_6=8, C7_8=9, GI_1_32=0, GI_1_16=1, GI_1_8=2, GI_1_4=3, T2k=0, T8k=1)
"""Numbers that have names."""
