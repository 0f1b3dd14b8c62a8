"""Symbols of DVB-T2 in `gnuradio.dtv`: carriers, pilots, transforms, peaks and P1. ETSI EN 302 755, clauses 8.5 and 9."""

from __future__ import annotations

import functools
import math
from typing import Any

from . import dvbt2_tables as tables
from .dvbs2_parts import _frames
from .dvbt2_modes import GUARDS, MORE, SPACING, Mode, is_double, mode, places, shift_register
from .errors import missing
from .python_blocks import basic_block

_REGISTERS = {1: (0, 4), 2: (0, 3), 4: (0, 2), 8: (0, 1, 4, 6), 16: (0, 1, 4, 5, 9, 11), 32: (0, 1, 2, 12)}
"""The sums of the registers that permute carriers."""

_WIRES = {
    1: ("4 3 2 1 0 5 6 7 8", "3 2 5 0 1 4 7 8 6"),
    2: ("0 7 5 1 8 2 6 9 3 4", "3 2 7 0 1 5 8 4 9 6"),
    4: ("7 10 5 8 1 2 4 9 0 3 6", "6 2 7 10 8 0 3 4 1 9 5"),
    8: ("5 11 3 0 10 8 6 9 2 4 1 7", "8 10 7 6 0 5 2 1 3 9 4 11"),
    16: ("8 4 3 2 0 11 1 5 12 10 6 7 9", "7 9 5 3 11 1 4 0 2 12 10 8 6"),
    32: ("6 5 0 10 8 1 11 12 2 9 4 3 13 7", "6 5 0 10 8 1 11 12 2 9 4 3 13 7"),
}
"""Where the bits of the register go, the highest one first, for even and for odd symbols: table 41."""


@functools.cache
def _addresses(size: int, cells: int, is_odd: bool) -> Any:
    """Where the cells of a symbol come from."""
    import numpy

    width = (size * 1024).bit_length() - 2
    states = numpy.array(shift_register(width, _REGISTERS[size], 1 << (width + 1)))
    found = (numpy.arange(len(states)) & 1) << width
    for bit, place in enumerate(map(int, _WIRES[size][is_odd].split())):
        found |= (states >> (width - 1 - bit) & 1) << place
    return found[found < cells]


class dvbt2_freqinterleaver_cc(_frames):
    """Interleaves the cells of each symbol, those of even and of odd symbols in two ways."""

    def __init__(
        self,
        carriermode: Any,
        fftsize: Any,
        pilotpattern: Any,
        guardinterval: Any,
        numdatasyms: int,
        paprmode: Any,
        version: Any,
        preamble: Any,
    ) -> None:
        import numpy

        shape = mode("dvbt2_freqinterleaver_cc", carriermode, fftsize, pilotpattern, guardinterval, numdatasyms, paprmode, is_double(preamble))
        super().__init__(("c8", "c8"), sum(shape.cells), sum(shape.cells))
        order, at = [], 0
        for symbol, cells in enumerate(shape.cells):
            sources = _addresses(shape.size, cells, bool(symbol % 2) and shape.size != 32)
            if shape.size == 32 and symbol % 2 == 0:
                # There odd symbols take back what even ones do.
                sources = numpy.argsort(sources)
            order.append(at + sources)
            at += cells
        self._order = numpy.concatenate(order)

    def _turn(self, frame: Any) -> Any:
        return frame[self._order]


class dvbt2_miso_cc(basic_block):
    """Cells for two transmitters: the first stream has them as they are, the second in pairs `−b*`, `a*` for `a`, `b`."""

    def __init__(self, carriermode: Any, fftsize: Any, pilotpattern: Any, guardinterval: Any, numdatasyms: int, paprmode: Any) -> None:
        super().__init__("dvbt2_miso_cc", ["c8"], ["c8", "c8"])
        self._cells = sum(mode("dvbt2_miso_cc", carriermode, fftsize, pilotpattern, guardinterval, numdatasyms, paprmode, True).cells)
        self.set_output_multiple(self._cells)
        self._batch_bytes = max(self._batch_bytes, 16 * self._cells)

    def forecast(self, noutput_items: int, ninputs: Any) -> list[int]:
        """Whole frames."""
        return [noutput_items]

    def general_work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Pairs the cells of whole frames."""
        count = min(len(input_items[0]), *map(len, output_items)) // self._cells * self._cells
        cells = input_items[0][:count]
        output_items[0][:count] = cells
        output_items[1][0:count:2] = -cells[1::2].conj()
        output_items[1][1:count:2] = cells[0::2].conj()
        self.consume(0, count)
        return count


@functools.cache
def _noise(count: int) -> Any:
    """The sequence of pilots over the carriers: 1 + x⁹ + x¹¹."""
    import numpy

    register, found = [1] * 11, numpy.empty(count, "u1")
    for place in range(count):
        found[place] = register[10]
        register = [register[8] ^ register[10], *register[:10]]
    return found


@functools.cache
def _signs() -> Any:
    """The sequence of pilots over the symbols."""
    import numpy

    return numpy.unpackbits(numpy.frombuffer(bytes.fromhex(tables.SEQUENCE), "u1"))


def _reserved(shape: Mode, symbol: int) -> Any:
    """The carriers of a symbol that are for the reduction of peaks."""
    import numpy

    if symbol < shape.first or shape.is_closed and symbol == shape.symbols - 1:
        return numpy.array(places(tables.RESERVED_FIRST[shape.size])) + shape.more
    step, period = SPACING[shape.pattern]
    return numpy.array(places(tables.RESERVED[shape.size])) + step * ((symbol + shape.more // step) % period)


def _keeps_signs(shape: Mode) -> bool:
    """Whether continual pilots that are no scattered ones are the same for both transmitters, as GNU Radio has them."""
    size, pattern = shape.size, shape.pattern
    return pattern == 7 or pattern == 2 and size < 32 or pattern == 6 and size == 16 or pattern in (4, 5) and size == 1


def _first_pilots(shape: Mode) -> tuple[Any, float]:
    """The pilots of a symbol P2: which carriers, and their amplitude."""
    import numpy

    single = shape.size == 32 and not shape.is_double
    carriers = numpy.arange(shape.carriers) - shape.more
    is_pilot = carriers % (6 if single else 3) == 0
    is_pilot |= (carriers < 0) | (carriers >= shape.carriers - 2 * shape.more) if shape.more else False
    if shape.is_double:
        # Cells go in pairs between two pilots: where one is reserved, the other is a pilot, too.
        reserved = numpy.array(places(tables.RESERVED_FIRST[shape.size]))
        mates = numpy.where(reserved % 3 == 1, reserved + 1, reserved - 1)
        mates = mates[(reserved % 3 != 0) & ~numpy.isin(mates, reserved)]
        last = shape.carriers - 2 * shape.more - 1
        is_pilot[numpy.concatenate([mates, [1, 2, last - 2, last - 1]]) + shape.more] = True
    return is_pilot, math.sqrt(37 if single else 31) / 5


def _symbol(shape: Mode, symbol: int, is_second: bool) -> tuple[Any, Any]:
    """The pilots of a symbol on all carriers, and which carriers its cells lie on."""
    import numpy

    at = numpy.arange(shape.carriers)
    carriers, (step, period) = at - shape.more, SPACING[shape.pattern]
    is_edge = (at == 0) | (at == shape.carriers - 1)
    scattered = 4 / 3 if shape.pattern < 3 else 7 / 4 if shape.pattern < 5 else 7 / 3
    is_odd = carriers % (2 * step) == step
    values = numpy.zeros(shape.carriers)
    is_reserved = shape.is_reserved
    if symbol < shape.first:
        is_pilot, amplitude = _first_pilots(shape)
        values[is_pilot] = amplitude
        is_turned = is_pilot & (carriers % 6 == 3)
        is_reserved = True
    elif shape.is_closed and symbol == shape.symbols - 1:
        is_pilot = (carriers % step == 0) | is_edge
        if (shape.size, shape.pattern) in ((1, 4), (1, 5), (2, 7)):
            is_pilot[-2] = True
        values[is_pilot] = scattered
        is_turned = is_pilot & is_odd
        is_turned[is_edge] = bool(symbol % 2)
    else:
        continual = places(tables.CONTINUAL[shape.size, shape.pattern])
        if shape.is_wide:
            continual += places(tables.CONTINUAL_MORE.get((shape.size, shape.pattern), ""))
        is_continual = numpy.zeros(shape.carriers, bool)
        is_continual[continual] = True
        is_scattered = carriers % (step * period) == step * (symbol % period)
        values[is_continual] = {1: 4 / 3, 2: 4 / 3, 4: 4 * math.sqrt(2) / 3}.get(shape.size, 8 / 3)
        values[is_scattered | is_edge] = scattered
        is_pilot = is_continual | is_scattered | is_edge
        is_turned = is_odd & (is_scattered | (is_continual & (not _keeps_signs(shape))))
        is_turned[is_edge] = bool(symbol % 2)
    # The sequence begins at the first carrier of the widest spectrum.
    offset = 0 if shape.is_wide else MORE.get(shape.size, 0)
    signs = _noise(shape.carriers + offset)[offset:] ^ _signs()[symbol % len(_signs())]
    if is_second and shape.is_double:
        signs = signs ^ is_turned
    is_free = ~is_pilot
    if is_reserved:
        is_free[_reserved(shape, symbol)] = False
    return values * (1.0 - 2.0 * signs), numpy.flatnonzero(is_free)


def _flat(size: int) -> Any:
    """What undoes the slope of a converter: 1 / sinc, of mean power 1 behind it, from the lowest carrier on."""
    import numpy

    at = numpy.arange(-size // 2, size // 2)
    slope = numpy.sinc(numpy.where(at < 0, -at - 1, at) / size)
    return math.sqrt(float((slope * slope).mean())) / slope


class dvbt2_pilotgenerator_cc(_frames):
    """Puts the cells of a frame and the pilots on the carriers of its symbols, and transforms these: a vector for each.

    With `equalization` the carriers are raised by what a converter takes, whatever `bandwidth`.
    """

    def __init__(
        self,
        carriermode: Any,
        fftsize: Any,
        pilotpattern: Any,
        guardinterval: Any,
        numdatasyms: int,
        paprmode: Any,
        version: Any,
        preamble: Any,
        misogroup: Any,
        equalization: Any,
        bandwidth: Any,
        vlength: int,
    ) -> None:
        name = "dvbt2_pilotgenerator_cc"
        shape = mode(name, carriermode, fftsize, pilotpattern, guardinterval, numdatasyms, paprmode, is_double(preamble))
        _check_length(name, shape.size, vlength)
        super().__init__(("c8", ("c8", int(vlength))), sum(shape.cells), shape.symbols)
        self._shape, self._length = shape, int(vlength)
        half = shape.carriers // 2
        self._carriers = slice(self._length // 2 - half, self._length // 2 + half + 1)
        self._symbols: list[tuple[Any, Any]] = [_symbol(shape, symbol, bool(int(misogroup))) for symbol in range(shape.symbols)]
        self._scale: Any = 5 / math.sqrt(27 * shape.carriers) * self._length
        if int(equalization):
            self._scale = self._scale * _flat(self._length)[self._carriers]

    def _turn(self, frame: Any) -> Any:
        import numpy

        found, at = numpy.zeros((self._shape.symbols, self._length), complex), 0
        for line, (pilots, free) in zip(found, self._symbols):
            carriers = pilots.astype(complex)
            carriers[free] = frame[at : at + len(free)]
            line[self._carriers] = carriers * self._scale
            at += len(free)
        return numpy.fft.ifft(numpy.fft.ifftshift(found, axes=1), axis=1)


def _check_length(name: str, size: int, vlength: int) -> None:
    if int(vlength) != size * 1024:
        raise ValueError(f"{name}: expected vectors of {size * 1024} samples for a transform of {size}K, got {vlength}")


class dvbt2_paprtr_cc(_frames):
    """Takes the peaks beyond `vclip` off symbols by their reserved carriers, in so many `iterations`: clause 9.6.2.1.

    Symbols pass as they are where `paprmode` has no reserved carriers.
    """

    def __init__(
        self,
        carriermode: Any,
        fftsize: Any,
        pilotpattern: Any,
        guardinterval: Any,
        numdatasyms: int,
        paprmode: Any,
        version: Any,
        vclip: float,
        iterations: int,
        vlength: int,
    ) -> None:
        name = "dvbt2_paprtr_cc"
        shape = mode(name, carriermode, fftsize, pilotpattern, guardinterval, numdatasyms, paprmode)
        _check_length(name, shape.size, vlength)
        kind: Any = ("c8", int(vlength))
        super().__init__((kind, kind), shape.symbols, shape.symbols)
        self._shape, self._clip, self._rounds = shape, float(vclip), int(iterations)

    def _turn(self, frame: Any) -> Any:
        import numpy

        if not self._shape.is_reserved:
            return frame
        return numpy.array([self._clipped(line, symbol) for symbol, line in enumerate(frame.astype(complex))])

    def _clipped(self, x: Any, symbol: int) -> Any:
        import numpy

        length, half = len(x), self._shape.carriers // 2
        carriers = _reserved(self._shape, symbol) - half
        spectrum = numpy.zeros(length)
        spectrum[carriers % length] = length / len(carriers)
        kernel = numpy.fft.ifft(spectrum)
        most = 5 * math.sqrt(10) * len(carriers) / math.sqrt(27 * self._shape.carriers)
        tones = numpy.zeros(len(carriers), complex)
        for _ in range(self._rounds):
            peak = int(numpy.abs(x).argmax())
            height = abs(x[peak])
            if height <= self._clip:
                break
            unit = x[peak] / height
            turned = unit * numpy.exp(-2j * math.pi * carriers * peak / length)
            along = turned.conj() * tones
            # No reserved carrier may have more than `most`.
            rooms = numpy.sqrt(numpy.maximum(most * most - along.imag**2, 0.0)) + along.real
            less = min(height - self._clip, float(rooms.min()))
            if less <= 0:
                break
            x = x - less * unit * numpy.roll(kernel, peak)
            tones -= less * turned
        return x


@functools.cache
def _first_symbol(preamble: int, number: int) -> Any:
    """The symbol P1: clause 9.8."""
    import numpy

    digits = tables.FIRST_FIELD[preamble], tables.SECOND_FIELD[number]
    bits = numpy.unpackbits(numpy.frombuffer(bytes.fromhex(digits[0] + digits[1] + digits[0]), "u1"))
    register, scrambled = [1, 0, 0, 1, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0], numpy.bitwise_xor.accumulate(bits)
    for place in range(len(bits)):
        bit = register[13] ^ register[14]
        scrambled[place] ^= bit
        register = [bit, *register[:14]]
    spectrum = numpy.zeros(1024, complex)
    spectrum[(numpy.array(places(tables.ACTIVE)) - 426) % 1024] = 1.0 - 2.0 * scrambled
    middle = numpy.fft.ifft(spectrum) * 1024 / math.sqrt(len(bits))
    turned = middle * numpy.exp(2j * math.pi * numpy.arange(1024) / 1024)
    return numpy.concatenate([turned[:542], middle, turned[542:]]).astype("c8")


class dvbt2_p1insertion_cc(_frames):
    """Puts the symbol P1 before the samples of each frame. `showlevels` and `vclip` are taken, and change nothing."""

    def __init__(
        self, carriermode: Any, fftsize: Any, guardinterval: Any, numdatasyms: int, preamble: Any, showlevels: Any, vclip: float
    ) -> None:
        name = "dvbt2_p1insertion_cc"
        shape = mode(name, carriermode, fftsize, 1, guardinterval, numdatasyms)  # any pattern: P1 has none
        if int(preamble) not in tables.FIRST_FIELD:
            raise missing("setting", f"dtv.{name}(preamble={preamble})", ["PREAMBLE_T2_SISO", "PREAMBLE_T2_MISO"])
        part, whole = GUARDS[shape.guard]
        length = shape.size * 1024
        samples = (length + length * part // whole) * shape.symbols
        self._head = _first_symbol(int(preamble), int(fftsize) & 7)
        super().__init__(("c8", "c8"), samples, samples + len(self._head))

    def _turn(self, frame: Any) -> Any:
        import numpy

        return numpy.concatenate([self._head, frame])


NAMES: dict[str, Any] = {
    kind.__name__: kind
    for kind in (dvbt2_freqinterleaver_cc, dvbt2_miso_cc, dvbt2_p1insertion_cc, dvbt2_paprtr_cc, dvbt2_pilotgenerator_cc)
}
"""What `gnuradio.dtv` has of this file."""
