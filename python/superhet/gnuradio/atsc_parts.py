"""The blocks of the transmission chain of ATSC, A/53 part 2:2011, and those that take it back: `gnuradio.dtv.atsc_*`.

Segments go from block to block as there: 4 bytes say what a segment is, its data follows, and zeros fill the vector up.
"""

from __future__ import annotations

import functools
from typing import Any

from .python_blocks import basic_block
from .reed_solomon import Code

PACKET, SYNC, FIELD = 188, 0x47, 312
"""Bytes of a transport packet, the first of them, and segments of a field."""

HEADER, DATA, SEGMENT, SYMBOLS = 4, 187, 207, 832
"""Bytes before the data, bytes of data, with the check bytes, and symbols of a segment."""

REGULAR, FIRST, SECOND_FIELD = 1, 8, 16
"""What the first byte of a header says: it is data, the first segment of its field, of a second field."""

RS = (0x11D, 20)
BRANCHES, STEP = 52, 4
PLUS, MINUS = 6, 1
"""The numbers of the levels +5 and −5, counted from −7 on."""

SEGMENT_SYNC = (PLUS, MINUS, MINUS, PLUS)
VSB_MODE = "000010100101111101011010"


@functools.cache
def _scrambling() -> Any:
    """What the data of a field is combined with: x¹⁶ + x¹³ + x¹² + x¹¹ + x⁷ + x⁶ + x³ + x + 1 (section 6.4.1.2)."""
    import numpy

    register, found = 0xF180, []
    for _ in range(FIELD * DATA):
        found.append(sum((register >> stage & 1) << bit for bit, stage in enumerate((0, 2, 3, 6, 10, 11, 12, 13))))
        feedback = register >> 15
        register = register << 1 & 0xFFFF ^ (0x38CB if feedback else 0)
    return numpy.array(found, "u1").reshape(FIELD, DATA)


@functools.cache
def _code() -> Code:
    return Code(RS[0], DATA, RS[1])


def _sequence(taps: tuple[int, ...], start: str, length: int) -> str:
    bits = [int(bit) for bit in start]
    while len(bits) < length:
        bits.append(sum(bits[-tap] for tap in taps) & 1)
    return "".join(map(str, bits))


@functools.cache
def field_sync(is_second: bool) -> tuple[int, ...]:
    """The symbols of a field sync without the last 12 (section 6.4.2.2)."""
    long = _sequence((2, 3, 5, 6, 8, 9), "000000010", 511)
    short = _sequence((5, 6), "111001", 63)
    middle = "".join("10"[int(bit)] for bit in short) if is_second else short
    reserved = (short * 2)[:92]
    return (*SEGMENT_SYNC, *(PLUS if bit == "1" else MINUS for bit in long + short + middle + short + VSB_MODE + reserved))


class _segments(basic_block):
    """Turns vectors of each input into vectors of each output, one for one."""

    def __init__(self, taken: list[Any], given: list[Any]) -> None:
        super().__init__(type(self).__name__, taken, given)

    def general_work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Turns segments."""
        count = min(map(len, [*input_items, *output_items]))
        if count:
            found = self._turn(*(stream[:count] for stream in input_items))
            for written, vectors in zip(output_items, found):
                written[:count] = vectors
        for port in range(len(input_items)):
            self.consume(port, count)
        return count

    def _turn(self, *streams: Any) -> tuple[Any, ...]:
        raise NotImplementedError


def _header(count: int, first: int) -> Any:
    """The headers of segments."""
    import numpy

    found = numpy.zeros((count, HEADER), "u1")
    number = (first + numpy.arange(count)) % (2 * FIELD)
    segment = number % FIELD
    found[:, 0] = REGULAR | (segment == 0) * FIRST | (number >= FIELD) * SECOND_FIELD
    found[:, 2], found[:, 3] = segment & 255, segment >> 8
    return found


class atsc_pad(basic_block):
    """Transport packets to vectors of 256 bytes."""

    def __init__(self) -> None:
        super().__init__("atsc_pad", ["u1"], [("u1", 256)])
        self.set_relative_rate(1, PACKET)

    def forecast(self, noutput_items: int, ninputs: Any) -> list[int]:
        """Whole packets."""
        return [noutput_items * PACKET]

    def general_work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Turns whole packets."""
        count = min(len(input_items[0]) // PACKET, len(output_items[0]))
        output_items[0][:count] = 0
        output_items[0][:count, :PACKET] = input_items[0][: count * PACKET].reshape(-1, PACKET)
        self.consume(0, count * PACKET)
        return count


class atsc_depad(basic_block):
    """Vectors of transport packets to bytes."""

    def __init__(self) -> None:
        super().__init__("atsc_depad", [("u1", PACKET)], ["u1"])
        self.set_output_multiple(PACKET)
        self.set_relative_rate(PACKET, 1)

    def forecast(self, noutput_items: int, ninputs: Any) -> list[int]:
        """Whole packets."""
        return [-(-noutput_items // PACKET)]

    def general_work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Turns whole packets."""
        count = min(len(input_items[0]), len(output_items[0]) // PACKET)
        output_items[0][: count * PACKET] = input_items[0][:count].reshape(-1)
        self.consume(0, count)
        return count * PACKET


class atsc_randomizer(_segments):
    """Combines the packets of a field with a pseudo-random sequence, without their sync bytes, whatever stands there, and numbers them."""

    def __init__(self) -> None:
        super().__init__([("u1", 256)], [("u1", 256)])
        self._at = 0

    def _turn(self, *streams: Any) -> tuple[Any, ...]:
        import numpy

        (packets,) = streams
        found = numpy.zeros_like(packets)
        found[:, :HEADER] = _header(len(packets), self._at)
        rows = (self._at + numpy.arange(len(packets))) % FIELD
        found[:, HEADER : HEADER + DATA] = packets[:, 1:PACKET] ^ _scrambling()[rows]
        self._at = (self._at + len(packets)) % (2 * FIELD)
        return (found,)


class atsc_derandomizer(_segments):
    """Takes off what `atsc_randomizer` did; the second stream says what each segment is."""

    def __init__(self) -> None:
        super().__init__([("u1", PACKET), ("u1", HEADER)], [("u1", PACKET)])

    def _turn(self, *streams: Any) -> tuple[Any, ...]:
        packets, headers = streams
        numbers = headers[:, 2].astype(int) | headers[:, 3].astype(int) << 8
        found = packets.copy()
        found[:, 0] = SYNC
        found[:, 1:] ^= _scrambling()[numbers % FIELD]
        return (found,)


class atsc_rs_encoder(_segments):
    """Puts 20 check bytes behind the data of each segment."""

    def __init__(self) -> None:
        super().__init__([("u1", 256)], [("u1", 256)])

    def _turn(self, *streams: Any) -> tuple[Any, ...]:
        found = streams[0].copy()
        found[:, HEADER + DATA : HEADER + SEGMENT] = _code().check(found[:, HEADER : HEADER + DATA])
        return (found,)


class atsc_rs_decoder(_segments):
    """Corrects up to 10 bytes of a segment; `num_errors_corrected` and `num_bad_packets` count."""

    def __init__(self) -> None:
        super().__init__([("u1", SEGMENT), ("u1", HEADER)], [("u1", PACKET), ("u1", HEADER)])
        self._corrected = self._bad = self._total = 0

    def _turn(self, *streams: Any) -> tuple[Any, ...]:
        import numpy

        segments, headers = streams
        data, counts = _code().decode(segments)
        self._bad += sum(count < 0 for count in counts)
        self._corrected += sum(count for count in counts if count > 0)
        self._total += len(counts)
        found = numpy.zeros((len(data), PACKET), "u1")
        found[:, 1:] = data
        return found, headers

    def num_errors_corrected(self) -> int:
        """How many bytes were corrected."""
        return self._corrected

    def num_bad_packets(self) -> int:
        """How many segments could not be corrected."""
        return self._bad

    def num_packets(self) -> int:
        """How many segments came."""
        return self._total


class _Lines:
    """A convolutional interleaver of 52 branches, which a field begins with the first of."""

    def __init__(self, delays: list[int]) -> None:
        import numpy

        self._before = [numpy.zeros(delay, "u1") for delay in delays]
        self._branch = 0

    def turn(self, data: Any, begins: bool) -> Any:
        """One segment."""
        import numpy

        if begins:
            self._branch = 0
        found = numpy.empty_like(data)
        for branch in range(BRANCHES):
            first = (branch - self._branch) % BRANCHES
            line = numpy.concatenate([self._before[branch], data[first::BRANCHES]])
            count = len(data[first::BRANCHES])
            found[first::BRANCHES], self._before[branch] = line[:count], line[count:]
        self._branch = (self._branch + len(data)) % BRANCHES
        return found


class atsc_interleaver(_segments):
    """Interleaves the bytes of segments over some 52 segments."""

    def __init__(self) -> None:
        super().__init__([("u1", 256)], [("u1", 256)])
        self._lines = _Lines([branch * STEP for branch in range(BRANCHES)])

    def _turn(self, *streams: Any) -> tuple[Any, ...]:
        found = streams[0].copy()
        for segment in found:
            data = segment[HEADER : HEADER + SEGMENT]
            segment[HEADER : HEADER + SEGMENT] = self._lines.turn(data, bool(segment[0] & FIRST))
        return (found,)


class atsc_deinterleaver(_segments):
    """The inverse of `atsc_interleaver`: segments come 52 later, and the second stream waits as long."""

    def __init__(self) -> None:
        import numpy

        super().__init__([("u1", SEGMENT), ("u1", HEADER)], [("u1", SEGMENT), ("u1", HEADER)])
        self._lines = _Lines([(BRANCHES - 1 - branch) * STEP for branch in range(BRANCHES)])
        # Both interleavers together take 10608 bytes: so many more are 52 segments.
        self._more = numpy.zeros(BRANCHES * SEGMENT - (BRANCHES - 1) * STEP * BRANCHES, "u1")
        self._headers = numpy.zeros((BRANCHES, HEADER), "u1")

    def _turn(self, *streams: Any) -> tuple[Any, ...]:
        import numpy

        segments, headers = streams
        turned = [self._lines.turn(one, bool(head[0] & FIRST)) for one, head in zip(segments, headers)]
        data = numpy.concatenate([self._more, *turned])
        found, self._more = data[: segments.size].reshape(segments.shape), data[segments.size :]
        line = numpy.concatenate([self._headers, headers])
        self._headers = line[len(headers) :]
        return found, line[: len(headers)]


@functools.cache
def _trellis() -> list[list[tuple[int, int]]]:
    """The symbol and the next state for each state and each pair of bits (section 6.4.1.4)."""
    found = []
    for state in range(8):
        precoded, first, second = state >> 2, state >> 1 & 1, state & 1
        row = []
        for pair in range(4):
            high, low = precoded ^ pair >> 1, pair & 1
            row.append((high << 2 | low << 1 | second, high << 2 | second << 1 | (first ^ low)))
        found.append(row)
    return found


class atsc_trellis_encoder(_segments):
    """Segments to symbols, counted from −7 on, by twelve encoders in turn, with the segment sync before them."""

    def __init__(self) -> None:
        super().__init__([("u1", 256)], [("u1", 1024)])
        self.set_output_multiple(12)
        self._states = [0] * 12

    def _turn(self, *streams: Any) -> tuple[Any, ...]:
        import numpy

        found = numpy.zeros((len(streams[0]), 1024), "u1")
        found[:, :HEADER] = streams[0][:, :HEADER]
        symbols = self._symbols(streams[0][:, HEADER : HEADER + SEGMENT].reshape(-1).tolist())
        found[:, HEADER : HEADER + 4] = SEGMENT_SYNC
        found[:, HEADER + 4 : HEADER + SYMBOLS] = numpy.array(symbols, "u1").reshape(len(found), -1)
        return (found,)

    def general_work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Turns twelve segments at a time: then no byte is left in an encoder."""
        count = min(len(input_items[0]), len(output_items[0])) // 12 * 12
        return super().general_work([input_items[0][:count]], [output_items[0][:count]])

    def _symbols(self, data: list[int]) -> list[int]:
        """The symbols of twelve segments, or a multiple; in each the first encoder is the fourth one after that of the one before."""
        states, held, left, table, found = self._states, [0] * 12, [0] * 12, _trellis(), []
        following, each = iter(data), SYMBOLS - 4
        for segment in range(len(data) // SEGMENT):
            for place in range(each):
                encoder = (place + 4 * segment) % 12
                if not left[encoder]:
                    held[encoder], left[encoder] = next(following), 8
                left[encoder] -= 2
                symbol, states[encoder] = table[states[encoder]][held[encoder] >> left[encoder] & 3]
                found.append(symbol)
        return found


class atsc_field_sync_mux(basic_block):
    """Puts a field sync before each field."""

    def __init__(self) -> None:
        super().__init__("atsc_field_sync_mux", [("u1", 1024)], [("u1", 1024)])
        self._last: Any = [0] * 12
        self._is_done = False

    def forecast(self, noutput_items: int, ninputs: Any) -> list[int]:
        """One for one, about."""
        return [noutput_items]

    def general_work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Copies, and puts in."""
        taken = written = 0
        while written < len(output_items[0]) and taken < len(input_items[0]):
            segment = input_items[0][taken]
            if segment[0] & FIRST and not self._is_done:
                row = output_items[0][written]
                row[:] = 0
                row[HEADER : HEADER + SYMBOLS - 12] = field_sync(bool(segment[0] & SECOND_FIELD))
                row[HEADER + SYMBOLS - 12 : HEADER + SYMBOLS] = self._last
                self._is_done = True
            else:
                output_items[0][written] = segment
                self._last = segment[HEADER + SYMBOLS - 12 : HEADER + SYMBOLS].copy()
                self._is_done = False
                taken += 1
            written += 1
        self.consume(0, taken)
        return written


NAMES: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        atsc_deinterleaver, atsc_depad, atsc_derandomizer, atsc_field_sync_mux, atsc_interleaver, atsc_pad, atsc_randomizer,
        atsc_rs_decoder, atsc_rs_encoder, atsc_trellis_encoder,
    )
}  # fmt: skip
"""The blocks, by name."""
