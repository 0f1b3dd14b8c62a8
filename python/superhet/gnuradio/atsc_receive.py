"""The receiver of ATSC, A/53 part 2:2011, from samples to segments of bytes: `gnuradio.dtv.atsc_rx` and what it is made of.

What comes behind it, from the deinterleaver on, is in `atsc_parts`. All work is done on whole segments, or pieces of some samples.
"""

from __future__ import annotations

import functools
import math
from typing import Any

from .atsc_parts import FIELD, FIRST, HEADER, MINUS, REGULAR, SECOND_FIELD, SEGMENT, SYMBOLS, field_sync
from .elements import hier_block2
from .errors import BadArgument
from .namespaces import module
from .python_blocks import basic_block, sync_block

SYMBOL_RATE = 4.5e6 / 286 * 684
"""Symbols per second."""

PILOT_HZ = SYMBOL_RATE / 4
"""How far below the middle of the channel the pilot is."""

ROLL_OFF = 0.1152

PIECE = 64
"""Samples that are turned at one frequency."""


def _rate(rate: float, least: float, block: str) -> float:
    if not least <= rate < 1e12:
        raise BadArgument(f"{block}: expected a rate of {least:.4g} or more, got {rate:g}")
    return float(rate)


class atsc_rx_filter(hier_block2):
    """The matched filter: root raised cosine, with `sps` samples for each symbol behind it."""

    def __init__(self, input_rate: float, sps: float) -> None:
        gr = module("gr")
        signature = gr.io_signature(1, 1, gr.sizeof_gr_complex)
        super().__init__("atsc_rx_filter", signature, signature)
        _rate(input_rate, SYMBOL_RATE / 2 * (1 + ROLL_OFF), "atsc_rx_filter")
        count, spread = 32, 16
        symbols = SYMBOL_RATE / 2
        taps = count * spread * math.ceil(input_rate / symbols) + 1
        shape = module("filter").firdes.root_raised_cosine(count, input_rate * count, symbols, ROLL_OFF, taps)
        resampler = module("filter").pfb_arb_resampler_ccf(_rate(sps, 1, "atsc_rx_filter: sps") * SYMBOL_RATE / input_rate, shape, count)
        self.connect(self, resampler, self)


class atsc_fpll(sync_block):
    """Turns the pilot of a channel about 0 Hz to 0 Hz, and gives the real part: the symbols, with the pilot as a constant."""

    ACQUIRED, OFF_HZ = 1 << 14, 100e3
    """Of so many samples the spectrum is searched for the pilot, and so far from its place."""

    def __init__(self, rate: float) -> None:
        super().__init__("atsc_fpll", ["c8"], ["f4"])
        self._hz = _rate(rate, 2 * PILOT_HZ, "atsc_fpll")
        self._turn, self._phase = -2 * math.pi * PILOT_HZ / self._hz, 0.0
        self._is_near = False
        self._mean = 0j
        self.set_output_multiple(PIECE)

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Turns pieces."""
        import numpy

        count = len(output_items[0]) // PIECE * PIECE
        samples = input_items[0][:count]
        if not self._is_near and count >= self.ACQUIRED // 8:
            self._search(samples[: self.ACQUIRED])
        steps, gain = numpy.arange(PIECE), 0.02
        for at in range(0, count, PIECE):
            piece = samples[at : at + PIECE] * numpy.exp(-1j * (self._phase + self._turn * steps))
            output_items[0][at : at + PIECE] = piece.real
            self._mean += (complex(piece.mean()) - self._mean) / 16
            error = math.atan2(self._mean.imag, self._mean.real)
            self._turn += gain * gain / 8 * error / PIECE
            self._phase = (self._phase + self._turn * PIECE + gain * error) % (2 * math.pi)
        return count

    def _search(self, samples: Any) -> None:
        """Begins at the strongest line where the pilot can be."""
        import numpy

        size = 4 * len(samples)
        power = numpy.abs(numpy.fft.fft(samples * numpy.hanning(len(samples)), size))
        where = numpy.fft.fftfreq(size, 1 / self._hz)
        power[numpy.abs(where + PILOT_HZ) > self.OFF_HZ] = 0
        if power.any():
            self._turn = 2 * math.pi * float(where[power.argmax()]) / self._hz
            self._is_near = True


@functools.cache
def _between() -> Any:
    """Taps for each of 128 steps from the twelfth of 24 samples to the next: a sinc under a Kaiser window."""
    import numpy

    x = numpy.arange(24) - 11 - numpy.arange(129)[:, None] / 128
    return numpy.sinc(x) * numpy.i0(6 * numpy.sqrt(numpy.maximum(0, 1 - (x / 12.5) ** 2))) / numpy.i0(6)


class atsc_sync(basic_block):
    """Finds the segment syncs +5 −5 −5 +5, follows their clock, and gives segments of 832 symbols that begin with them."""

    SEARCHED = 8
    """Segments that are searched for syncs at once."""

    def __init__(self, rate: float) -> None:
        super().__init__("atsc_sync", ["f4"], [("f4", SYMBOLS)])
        self._period = self._nominal = _rate(rate, SYMBOL_RATE, "atsc_sync") / SYMBOL_RATE
        self._at, self._is_locked, self._strength = 12.0, False, 0.0
        self.set_relative_rate(1 / (SYMBOLS * self._nominal))

    def forecast(self, noutput_items: int, ninputs: Any) -> list[int]:
        """Whole segments, and those that are searched before the first."""
        segments = noutput_items if self._is_locked else max(noutput_items, self.SEARCHED)
        return [math.ceil((segments + 1) * SYMBOLS * self._nominal) + 48]

    def general_work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Takes segments."""
        samples, written = input_items[0], 0
        while written < len(output_items[0]):
            if not self._is_locked and not self._search(samples):
                break
            if self._at + (SYMBOLS + 4) * self._period + 16 > len(samples):
                break
            output_items[0][written] = self._segment(samples)
            written += 1
        used = min(max(int(self._at) - 16, 0), len(samples))
        self._at -= used
        self.consume(0, used)
        return written

    def _values(self, samples: Any, places: Any) -> Any:
        """The signal at places between samples."""
        import numpy

        whole = numpy.floor(places).astype(int)
        steps = numpy.rint((places - whole) * 128).astype(int)
        return (samples[whole[..., None] + numpy.arange(-11, 13)] * _between()[steps]).sum(-1)

    def _search(self, samples: Any) -> bool:
        """Looks for what comes again with each segment; whether there was enough to look at. Syncs are at the greatest correlation."""
        import numpy

        span, quarters = self.SEARCHED * SYMBOLS, 4
        if self._at + (span + 4) * self._nominal + 16 > len(samples):
            return False
        starts = self._at + numpy.arange(quarters)[:, None] * self._nominal / quarters
        x = self._values(samples, starts + numpy.arange(span + 3) * self._nominal)
        match = x[:, :-3] - x[:, 1:-2] - x[:, 2:-1] + x[:, 3:]
        total = match.reshape(quarters, self.SEARCHED, SYMBOLS).sum(1)
        phase, place = divmod(int(total.argmax()), SYMBOLS)
        level = float(numpy.sqrt(numpy.mean(x * x))) or 1.0
        # Of syncs comes 20 / 4.6 of the level for each segment; of other symbols about half of that by chance.
        self._is_locked = bool(total[phase, place] > 2.5 * self.SEARCHED * level)
        self._at += (place + phase / quarters if self._is_locked else span) * self._nominal
        self._period, self._strength = self._nominal, 0.0
        return True

    def _segment(self, samples: Any) -> Any:
        """One segment; where the one after it begins follows from the zeros within this one's sync."""
        import numpy

        symbols = self._values(samples, self._at + numpy.arange(SYMBOLS) * self._period)
        middle = self._values(samples, self._at + numpy.array([0.5, 2.5]) * self._period)
        match = float(symbols[0] - symbols[1] - symbols[2] + symbols[3])
        level = float(numpy.sqrt(numpy.mean(symbols * symbols))) or 1.0
        self._strength += (match / level - self._strength) / 32 if self._strength else match / level
        # Between +5 and −5 a sample that is late by a symbol is off by about 4 / π times 5.
        late = float(middle[1] - middle[0]) / (4 * level)
        late = max(-0.5, min(0.5, late))
        self._period = max(0.999 * self._nominal, min(1.001 * self._nominal, self._period - 2e-4 * late * self._nominal / SYMBOLS))
        self._at += SYMBOLS * self._period - 0.03 * late * self._period
        if self._strength < 1:
            self._is_locked, self._strength = False, 0.0
        return symbols


class atsc_fs_checker(basic_block):
    """Finds field syncs, and says of each segment behind the first what it is, by a header whose number is −1 for a field sync."""

    WRONG = 20
    """How many of the 511 symbols of the long sequence may have the wrong sign."""

    def __init__(self) -> None:
        super().__init__("atsc_fs_checker", [("f4", SYMBOLS)], [("f4", SYMBOLS), ("u1", HEADER)])
        self._number: int | None = None
        self._is_second = False

    def general_work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Looks at segments."""
        import numpy

        long, middle = slice(4, 515), slice(578, 641)
        known = numpy.array(field_sync(False)) != MINUS
        count, written = min(len(input_items[0]), *map(len, output_items)), 0
        for segment in input_items[0][:count]:
            signs = segment[: len(known)] > 0
            if numpy.count_nonzero(signs[long] != known[long]) <= self.WRONG:
                self._number = -1
                self._is_second = 2 * numpy.count_nonzero(signs[middle] != known[middle]) > middle.stop - middle.start
            elif self._number is not None:
                # Where the next field sync is missed, nothing can be said of what follows.
                self._number = self._number + 1 if self._number < FIELD - 1 else None
            if self._number is not None:
                output_items[0][written] = segment
                flags = REGULAR | (SECOND_FIELD if self._is_second else 0) | (FIRST if self._number == 0 else 0)
                output_items[1][written] = [flags, 0, self._number & 255, self._number >> 8 & 255]
                written += 1
        self.consume(0, count)
        return written


class atsc_equalizer(basic_block):
    """Takes echoes off: a filter of 64 taps, the best for the known symbols of the field syncs. These end here."""

    COUNT, BEFORE = 64, 20
    """Taps, and those before the middle one."""

    def __init__(self) -> None:
        import numpy

        kinds = [("f4", SYMBOLS), ("u1", HEADER)]
        super().__init__("atsc_equalizer", kinds, kinds)
        self._taps = numpy.zeros(self.COUNT)
        self._power = numpy.zeros((self.COUNT, self.COUNT))
        self._match = numpy.zeros(self.COUNT)
        self._held: list[Any] = [(numpy.zeros(SYMBOLS, "f4"), numpy.zeros(HEADER, "u1"))]
        self._last = numpy.zeros(SYMBOLS - 1)

    def taps(self) -> list[float]:
        """The filter."""
        return self._taps.tolist()

    def data(self) -> list[float]:
        """The last segment behind the filter."""
        return self._last.tolist()

    def general_work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Filters segments: each with the end of the one before, and the begin of the one behind it."""
        count, written = min(len(input_items[0]), len(input_items[1]), *map(len, output_items)), 0
        for segment, header in zip(input_items[0][:count], input_items[1][:count]):
            self._held.append((segment.copy(), header.copy()))
            if len(self._held) < 3:
                continue
            if self._filter():
                output_items[0][written] = self._whole
                output_items[1][written] = self._held[1][1]
                written += 1
            del self._held[0]
        for port in (0, 1):
            self.consume(port, count)
        return written

    def _filter(self) -> bool:
        """The middle one of three segments; whether it is data."""
        import numpy

        line = numpy.concatenate([segment for segment, _ in self._held]).astype("f8")
        line = line[SYMBOLS - (self.COUNT - 1 - self.BEFORE) : 2 * SYMBOLS + self.BEFORE]
        header = self._held[1][1]
        if header[2] == header[3] == 255:
            known = 2.0 * numpy.array(field_sync(bool(header[0] & SECOND_FIELD))) - 7
            seen = numpy.lib.stride_tricks.sliding_window_view(line, self.COUNT)[: len(known)].copy()
            self._power = self._power / 2 + seen.T @ seen
            self._match = self._match / 2 + seen.T @ known
            ridge = 1e-3 * numpy.trace(self._power) / self.COUNT or 1.0
            self._taps = numpy.linalg.solve(self._power + ridge * numpy.eye(self.COUNT), self._match)
            return False
        self._whole = numpy.correlate(line, self._taps, "valid")
        self._last = self._whole[1:]
        return True


@functools.cache
def _order() -> Any:
    """For twelve segments: where the symbols of each coder are, and the coder of each byte with the first of its four steps."""
    import numpy

    each = SYMBOLS - 4
    coders: list[list[int]] = [[] for _ in range(12)]
    begun = []
    for segment in range(12):
        for place in range(each):
            coder = coders[(place + 4 * segment) % 12]
            if len(coder) % 4 == 0:
                begun.append(((place + 4 * segment) % 12, len(coder)))
            coder.append(segment * each + place)
    return numpy.array(coders), numpy.array(begun)


class atsc_viterbi_decoder(basic_block):
    """The most likely bytes for symbols: twelve decoders of four states in turn. Segments come twelve later."""

    GROUP, WINDOW, AROUND = 12, 69, 36
    """Segments that belong together, and symbols of a decoder that are decided at once, and that are looked at before and behind them."""

    def __init__(self) -> None:
        import numpy

        kinds = [("f4", SYMBOLS), ("u1", HEADER)]
        super().__init__("atsc_viterbi_decoder", kinds, [("u1", SEGMENT), ("u1", HEADER)])
        self.set_output_multiple(self.GROUP)
        each = _order()[0].shape[1]
        self._line = numpy.zeros((12, each + self.AROUND))
        self._costs = numpy.full(12, 1e5)
        # The low bit and the level by state and low bit, and the two states before each, with the low bit that leads here.
        states = numpy.arange(4)
        self._levels = numpy.array([[2 * (low << 1 | state & 1) - 7 for low in (0, 1)] for state in states], float)
        ways: list[list[tuple[int, int]]] = [[] for _ in range(4)]
        for state in range(4):
            for low in (0, 1):
                ways[(state & 1) << 1 | (state >> 1 ^ low)].append((state, low))
        self._from = numpy.array([[way[0] for way in pair] for pair in ways])
        self._low = numpy.array([[way[1] for way in pair] for pair in ways])
        self._is_begun = False

    def decoder_metrics(self) -> list[float]:
        """How far symbols were from the path, for each decoder; large before there were any."""
        return self._costs.tolist()

    def general_work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Decodes groups, each when the one behind it has come."""
        import numpy

        count = min(len(input_items[0]), len(input_items[1]), *map(len, output_items))
        if not self._is_begun:
            # Groups begin with the field.
            numbers = input_items[1][:count, 2].astype(int) | input_items[1][:count, 3].astype(int) << 8
            start = next((place for place, number in enumerate(numbers.tolist()) if number % self.GROUP == 0), count)
            self._is_begun = start < count
            if start:
                for port in (0, 1):
                    self.consume(port, start)
                return 0
        groups = count // self.GROUP
        order, begun = _order()
        if groups:
            taken = slice(groups * self.GROUP)
            symbols = input_items[0][taken, 4:].reshape(groups, -1)[:, order].astype("f8")
            whole = numpy.concatenate([self._line, *symbols], axis=1)
            bits = self._decode(whole, groups).reshape(12, groups, -1)
            self._line = whole[:, groups * order.shape[1] :]
            pairs = bits[begun[:, 0][:, None], :, begun[:, 1][:, None] + numpy.arange(4)]
            output_items[0][taken] = ([64, 16, 4, 1] @ pairs).T.reshape(-1, SEGMENT)
            output_items[1][taken] = self._before(input_items[1][taken])
        for port in (0, 1):
            self.consume(port, groups * self.GROUP)
        return groups * self.GROUP

    def _before(self, headers: Any) -> Any:
        """The headers of the segments twelve earlier."""
        import numpy

        numbers = (headers[:, 2].astype(int) | headers[:, 3].astype(int) << 8) - self.GROUP
        is_second = (headers[:, 0] & SECOND_FIELD > 0) ^ (numbers < 0)
        numbers %= FIELD
        flags = REGULAR | is_second * SECOND_FIELD | (numbers == 0) * FIRST
        return numpy.column_stack([flags, numpy.zeros_like(numbers), numbers & 255, numbers >> 8])

    def _decode(self, whole: Any, groups: int) -> Any:
        """The pairs of bits of some groups in a line that has one more, and `AROUND` symbols before the first.

        Windows of it are decoded side by side, each with symbols around it that bring the states about.
        """
        import numpy

        size, around = self.WINDOW, self.AROUND
        each = _order()[0].shape[1]
        windows = numpy.lib.stride_tricks.sliding_window_view(whole, size + 2 * around, axis=1)[:, : groups * each : size]
        lanes = windows.reshape(-1, size + 2 * around)
        # The levels of a high bit of 1 lie 8 above.
        distance = lanes[:, :, None, None] - self._levels
        costs = numpy.minimum(distance**2, (distance - 8) ** 2)[:, :, self._from, self._low]
        metrics, lane = numpy.zeros((len(lanes), 4)), numpy.arange(len(lanes))
        chosen = numpy.empty((lanes.shape[1], len(lanes), 4), bool)
        for step in range(lanes.shape[1]):
            both = metrics[:, self._from] + costs[:, step]
            chosen[step] = both[:, :, 1] < both[:, :, 0]
            metrics = numpy.minimum(both[:, :, 0], both[:, :, 1])
        state = metrics.argmin(1)
        self._costs = (metrics.min(1) / lanes.shape[1]).reshape(12, -1).mean(1)
        low, levels = numpy.empty(lanes.shape, int), numpy.empty(lanes.shape)
        for step in reversed(range(lanes.shape[1])):
            way = chosen[step, lane, state].astype(int)
            low[:, step] = self._low[state, way]
            state = self._from[state, way]
            levels[:, step] = self._levels[state, low[:, step]]
        high = (lanes - levels > 4).astype(int)
        pairs = (high[:, around : around + size] ^ high[:, around - 1 : around + size - 1]) << 1 | low[:, around : around + size]
        return pairs.reshape(12, -1)


class atsc_rx(hier_block2):
    """The whole receiver: samples of a channel about 0 Hz to transport packets. `sps` is how many samples a symbol has inside."""

    def __init__(self, input_rate: float, sps: float) -> None:
        gr = module("gr")
        super().__init__("atsc_rx", gr.io_signature(1, 1, gr.sizeof_gr_complex), gr.io_signature(1, 1, gr.sizeof_char))
        dtv, rate = module("dtv"), sps * SYMBOL_RATE
        level = module("filter").dc_blocker_ff(4096, True), module("analog").agc_ff(1e-5, 4.0, 1.0)
        shaped = atsc_rx_filter(input_rate, sps), atsc_fpll(rate), *level, atsc_sync(rate), atsc_fs_checker()
        self.connect(self, *shaped)
        pairs = shaped[-1], atsc_equalizer(), atsc_viterbi_decoder(), dtv.atsc_deinterleaver(), dtv.atsc_rs_decoder()
        pairs = *pairs, dtv.atsc_derandomizer()
        for before, behind in zip(pairs, pairs[1:]):
            for port in (0, 1):
                self.connect((before, port), (behind, port))
        self.connect(pairs[-1], dtv.atsc_depad(), self)


NAMES: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        atsc_equalizer, atsc_fpll, atsc_fs_checker, atsc_rx, atsc_rx_filter, atsc_sync, atsc_viterbi_decoder,
    )
}  # fmt: skip
"""The blocks, by name."""
