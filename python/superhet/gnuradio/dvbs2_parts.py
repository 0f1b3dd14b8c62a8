"""The transmitter of DVB-S2 in `gnuradio.dtv`: ETSI EN 302 307-1, section 5. Its first four blocks serve DVB-T2, too."""

from __future__ import annotations

import functools
import math
import sys
from typing import Any

from .errors import missing
from .ldpc_tables import TABLES
from .python_blocks import basic_block

CONSTANTS: dict[str, int] = dict(
    C100_180=17, C104_180=18, C116_180=23, C11_20=16, C11_45=35, C11_45_MEDIUM=43, C11_45_VLSNR_SF2=46, C124_180=25,
    C128_180=27, C132_180=29, C135_180=31, C13_18=28, C13_45=12, C140_180=32, C14_45=37, C154_180=34, C18_30=20, C1_2=3,
    C1_3=1, C1_3_MEDIUM=44, C1_3_VLSNR=49, C1_4=0, C1_5_MEDIUM=42, C1_5_VLSNR=47, C1_5_VLSNR_SF2=45, C20_30=24,
    C22_30=30, C23_36=22, C25_36=26, C26_45=19, C28_45=21, C2_3=5, C2_5=2, C2_9_VLSNR=41, C32_45=40, C3_4=6, C3_5=4,
    C4_15=36, C4_15_VLSNR=48, C4_5=7, C5_6=8, C7_15=38, C7_8=9, C7_9=33, C8_15=39, C8_9=10, C90_180=14, C96_180=15,
    C9_10=11, C9_20=13, FECFRAME_MEDIUM=2, FECFRAME_NORMAL=1, FECFRAME_SHORT=0, INBAND_OFF=0, INBAND_ON=1,
    INPUTMODE_HIEFF=1, INPUTMODE_NORMAL=0, INTERPOLATION_OFF=0, INTERPOLATION_ON=1, MOD_128APSK=14, MOD_16APSK=6,
    MOD_16QAM=1, MOD_256APSK=15, MOD_256QAM=3, MOD_32APSK=8, MOD_4_12_16APSK=9, MOD_4_12_20_28APSK=13,
    MOD_4_8_4_16APSK=10, MOD_64APSK=11, MOD_64QAM=2, MOD_8APSK=5, MOD_8PSK=4, MOD_8VSB=18, MOD_8_16_20_20APSK=12,
    MOD_8_8APSK=7, MOD_BPSK=16, MOD_BPSK_SF2=17, MOD_OTHER=19, MOD_QPSK=0, PILOTS_OFF=0, PILOTS_ON=1, RO_0_05=6,
    RO_0_10=5, RO_0_15=4, RO_0_20=2, RO_0_25=1, RO_0_35=0, RO_RESERVED=3, STANDARD_DVBS2=0, STANDARD_DVBT2=1,
)  # fmt: skip
"""Numbers that have names."""

PACKET, SYNC, HEADER_BITS = 188, 0x47, 80
"""Bytes of a transport packet, its first byte, and the bits of a header of the baseband."""

_RATES = "1_4 1_3 2_5 1_2 3_5 2_3 3_4 4_5 5_6 8_9 9_10".split()
_MESSAGES = {
    "NORMAL": dict(zip(_RATES, (16008, 21408, 25728, 32208, 38688, 43040, 48408, 51648, 53840, 57472, 58192))),
    "SHORT": dict(zip(_RATES, (3072, 5232, 6312, 7032, 9552, 10632, 11712, 12432, 13152, 14232))),
}
"""Bits of a message before its BCH code, by the rate: tables 5a and 5b."""

_ERRORS = {"2_3": 10, "5_6": 10, "8_9": 8, "9_10": 8}
"""Errors that the BCH code of a long frame corrects, where they are not 12."""

_RINGS_16 = {"2_3": 3.15, "3_4": 2.85, "4_5": 2.75, "5_6": 2.70, "8_9": 2.60, "9_10": 2.57}
_RINGS_32 = {"3_4": (2.84, 5.27), "4_5": (2.72, 4.87), "5_6": (2.64, 4.64), "8_9": (2.54, 4.33), "9_10": (2.53, 4.30)}
"""The radii of the outer rings by that of the inner one: tables 9 and 10."""

_MODES = {"QPSK": (2, _RATES, 1), "8PSK": (3, "3_5 2_3 3_4 5_6 8_9 9_10".split(), 12)}
_MODES |= {"16APSK": (4, list(_RINGS_16), 18), "32APSK": (5, list(_RINGS_32), 24)}
"""By modulation: the bits of a symbol, the rates, and the number of the first of them: table 12."""

_8PSK = (3, 0, 12, -9, 6, -3, 9, -6)
_16APSK = (3, -3, 9, -9, 1, -1, 11, -11, 5, -5, 7, -7, 3, -3, 9, -9)
_32APSK = (
    (1, 3), (1, 5), (1, -3), (1, -5), (1, 9), (1, 7), (1, -9), (1, -7), (2, 1.5), (2, 4.5), (2, -3), (2, -6), (2, 9), (2, 6),
    (2, -10.5), (2, -7.5), (1, 1), (0, 3), (1, -1), (0, -3), (1, 11), (0, 9), (1, -11), (0, -9), (2, 0), (2, 3), (2, -1.5),
    (2, -4.5), (2, 10.5), (2, 7.5), (2, 12), (2, -9),
)  # fmt: skip
"""Angles of the symbols in twelfths of half a turn; of 32APSK with the ring: figures 10 to 12."""


_CABLE = {
    "64QAM": "1 1, 1 -3, -3 1, -3 -3, 5 1, 1 -7, -3 5, -7 -3, 1 5, 5 -3, -7 1, -3 -7, 5 5, 5 -7, -7 5, -7 -7",
    "256QAM": "1 1, -3 1, 1 5, -7 1, 1 9, -11 1, 1 13, -15 1, 1 -3, -3 -3, 5 -3, -3 -7, 9 -3, -3 -11, 13 -3, -3 -15, 5 1, -3 5, 5 5, -7 5, "
    "5 9, -11 5, 5 13, -15 5, 1 -7, -7 -3, 5 -7, -7 -7, 9 -7, -7 -11, 13 -7, -7 -15, 9 1, -3 9, 9 5, -7 9, 9 9, -11 9, 9 13, -15 9, "
    "1 -11, -11 -3, 5 -11, -11 -7, 9 -11, -11 -11, 13 -11, -11 -15, 13 1, -3 13, 13 5, -7 13, 13 9, -11 13, 13 13, -15 13, 1 -15, "
    "-15 -3, 5 -15, -15 -7, 9 -15, -15 -11, 13 -15, -15 -15",
}
"""The points of cable television whose two coded bits are 0: ITU-T J.83 annex B.5.5. These bits turn them by quarters."""


def _name(prefix: str, value: Any, block: str, known: Any) -> str:
    """The name of a constant, one of those that are known."""
    names = [name.removeprefix(prefix) for name, number in CONSTANTS.items() if name.startswith(prefix) and number == int(value)]
    found = next((name for name in names if name in known), None)
    if found is None:
        raise missing("setting", f"dtv.{block}({prefix}{names[0] if names else value})", [f"{prefix}{name}" for name in known])
    return found


def _code(framesize: Any, rate: Any, block: str) -> tuple[str, str]:
    """The size of a frame and the rate, by their names."""
    size = _name("FECFRAME_", framesize, block, _MESSAGES)
    return size, _name("C", rate, block, _MESSAGES[size])


def _frame_bits(size: str) -> int:
    return 64800 if size == "NORMAL" else 16200


class _frames(basic_block):
    """Turns frames of `taken` items into frames of `given` items."""

    def __init__(self, kinds: tuple[Any, Any], taken: int, given: int) -> None:
        super().__init__(type(self).__name__, [kinds[0]], [kinds[1]])
        self._taken, self._given = taken, given
        # Whole frames must fit into the memory between blocks.
        sizes = [self._bytes_of_port(side, 0) or 1 for side in (0, 1)]
        self._batch_bytes = max(self._batch_bytes, 2 * taken * sizes[0], 2 * given * sizes[1])
        self.set_output_multiple(given)
        self.set_relative_rate(given, taken)

    def forecast(self, noutput_items: int, ninputs: Any) -> list[int]:
        """Whole frames."""
        return [-(-noutput_items // self._given) * self._taken]

    def general_work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Turns whole frames."""
        count = min(len(input_items[0]) // self._taken, len(output_items[0]) // self._given)
        for at in range(count):
            frame = input_items[0][at * self._taken : (at + 1) * self._taken]
            output_items[0][at * self._given : (at + 1) * self._given] = self._turn(frame)
        self.consume(0, count * self._taken)
        return count * self._given

    def _turn(self, frame: Any) -> Any:
        raise NotImplementedError


def _crc8(bits_or_bytes: Any) -> int:
    """CRC-8 of bytes with x⁸ + x⁷ + x⁶ + x⁴ + x² + 1, from 0."""
    table, found = _crc8_table(), 0
    for byte in bits_or_bytes:
        found = table[found ^ byte]
    return found


@functools.cache
def _crc8_table() -> list[int]:
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = (byte << 1 ^ (0xD5 if byte & 0x80 else 0)) & 0xFF
        table.append(byte)
    return table


class dvb_bbheader_bb(_frames):
    """Puts transport packets into the frames of the baseband: a header of 80 bits, then data, a bit an item.

    The first byte of each packet becomes the checksum of the packet before it; in the high efficiency mode of DVB-T2 it is left out, and
    there are no checksums. There is no signalling in the band; what begins with another byte than 0x47 is taken as a packet all the same,
    and said once.
    """

    def __init__(
        self,
        standard: Any,
        framesize: Any,
        rate: Any,
        rolloff: Any,
        mode: Any = CONSTANTS["INPUTMODE_NORMAL"],
        inband: Any = CONSTANTS["INBAND_OFF"],
        fecblocks: int = 168,
        tsrate: int = 4_000_000,
    ) -> None:
        size, name = _code(framesize, rate, "dvb_bbheader_bb")
        is_s2 = int(standard) == CONSTANTS["STANDARD_DVBS2"]
        self._is_short = _name("INPUTMODE_", mode, "dvb_bbheader_bb", ["NORMAL", "HIEFF"]) == "HIEFF" and not is_s2
        _name("INBAND_", inband, "dvb_bbheader_bb", ["OFF"])
        bits = _MESSAGES[size][name]
        data = (bits - HEADER_BITS) // 8
        # Without the first byte of each packet a frame takes more of them, by a byte for each that begins in it.
        most = data if not self._is_short else data + -(-data // (PACKET - 1)) + 1
        super().__init__(("u1", "u1"), most, bits)
        self._data = data
        # A transport stream, a single one, with constant coding; DVB-T2 has no roll-off.
        rolloff = _name("RO_", rolloff, "dvb_bbheader_bb", ["0_35", "0_25", "0_20"])
        self._kind = 0xF0 | ({"0_35": 0, "0_25": 1, "0_20": 2}[rolloff] if is_s2 else 0)
        self._place = self._check = 0
        self._packet = bytearray()
        self._has_said = False

    def general_work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Makes whole frames."""
        if not self._is_short:
            return super().general_work(input_items, output_items)
        taken = written = 0
        while len(output_items[0]) - written >= self._given:
            # As many bytes as it takes for a frame: a packet of 187 for each of 188.
            place, left = self._place, self._data
            count = left if place and left <= PACKET - place else 0
            if not count:
                rest = left - (PACKET - place if place else 0)
                count = (PACKET - place if place else 0) + rest + -(-rest // (PACKET - 1))
            if len(input_items[0]) - taken < count:
                break
            output_items[0][written : written + self._given] = self._without_sync(input_items[0][taken : taken + count])
            taken, written = taken + count, written + self._given
        self.consume(0, taken)
        return written

    def _without_sync(self, packets: Any) -> Any:
        """A frame of packets without their first bytes."""
        import numpy

        places = (self._place + numpy.arange(len(packets))) % PACKET
        self._say(packets[places == 0])
        data = packets[places > 0]
        until_packet = 8 * ((PACKET - self._place) % PACKET)
        self._place = (self._place + len(packets)) % PACKET
        head = bytes([self._kind, 0, 0, 0]) + (8 * len(data)).to_bytes(2, "big") + bytes([0]) + until_packet.to_bytes(2, "big")
        # The mode is told by the last bit of the checksum.
        head += bytes([_crc8(head) ^ 1])
        return numpy.unpackbits(numpy.concatenate([numpy.frombuffer(head, "u1"), data]))

    def _say(self, firsts: Any) -> None:
        """Says once that packets begin with another byte."""
        if not self._has_said and (firsts != SYNC).any():
            self._has_said = True
            print("dvb_bbheader_bb: a packet does not begin with 0x47", file=sys.stderr)

    def _turn(self, frame: Any) -> Any:
        import numpy

        data = frame.copy()
        until_sync = 8 * (-self._place % PACKET)
        at = 0
        while at < len(data):
            if self._place == 0:
                self._say(data[at : at + 1])
                data[at], self._place, self._check = self._check, 1, 0
                at += 1
            step = min(PACKET - self._place, len(data) - at)
            self._packet += data[at : at + step].tobytes()
            self._place, at = (self._place + step) % PACKET, at + step
            if self._place == 0:
                self._check = _crc8(self._packet)
                self._packet.clear()
        head = bytes([self._kind, 0]) + (8 * PACKET).to_bytes(2, "big") + (8 * len(data)).to_bytes(2, "big")
        head += bytes([SYNC]) + until_sync.to_bytes(2, "big")
        head += bytes([_crc8(head)])
        return numpy.unpackbits(numpy.concatenate([numpy.frombuffer(head, "u1"), data]))


@functools.cache
def _scrambling(bits: int) -> Any:
    """What a frame is combined with: 1 + x¹⁴ + x¹⁵."""
    import numpy

    register, found = [1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0], numpy.empty(bits, "u1")
    for place in range(bits):
        found[place] = bit = register[13] ^ register[14]
        register = [bit, *register[:14]]
    return found


class dvb_bbscrambler_bb(_frames):
    """Scrambles the bits of each frame of the baseband."""

    def __init__(self, standard: Any, framesize: Any, rate: Any) -> None:
        size, name = _code(framesize, rate, "dvb_bbscrambler_bb")
        bits = _MESSAGES[size][name]
        super().__init__(("u1", "u1"), bits, bits)

    def _turn(self, frame: Any) -> Any:
        return frame ^ _scrambling(self._taken)


def _times(a: int, b: int) -> int:
    """The product of two polynomials over bits."""
    found = 0
    while b:
        found ^= a if b & 1 else 0
        a, b = a << 1, b >> 1
    return found


@functools.cache
def _generator(degree: int, field: int, errors: int) -> int:
    """The polynomial of a BCH code: the product of those with the least degree whose zeros are odd powers of the field's element."""
    order = (1 << degree) - 1
    powers = [1]
    for _ in range(order - 1):
        following = powers[-1] << 1
        powers.append(following ^ field if following >> degree else following)
    places = {value: at for at, value in enumerate(powers)}

    def product(a: int, b: int) -> int:
        return powers[(places[a] + places[b]) % order] if a and b else 0

    found = 1
    for odd in range(1, 2 * errors, 2):
        zeros, at = [], odd
        while at not in zeros:
            zeros.append(at)
            at = 2 * at % order
        # (x - each zero), the highest power first; all that remains is 0 or 1.
        terms = [1]
        for zero in zeros:
            shifted = [*terms, 0]
            for place, term in enumerate(terms):
                shifted[place + 1] ^= product(term, powers[zero])
            terms = shifted
        found = _times(found, int("".join(map(str, terms)), 2))
    return found


class dvb_bch_bb(_frames):
    """Puts the check bits of its BCH code behind each frame."""

    def __init__(self, standard: Any, framesize: Any, rate: Any) -> None:
        size, name = _code(framesize, rate, "dvb_bch_bb")
        bits = _MESSAGES[size][name]
        if size == "NORMAL":
            generator = _generator(16, 0b1_0000_0000_0010_1101, _ERRORS.get(name, 12))
        else:
            generator = _generator(14, 0b100_0000_0010_1011, 12)
        self._checks = _check_count(size, name)
        super().__init__(("u1", "u1"), bits, bits + self._checks)
        self._mask, self._table = (1 << self._checks) - 1, []
        for byte in range(256):
            rest = byte << (self._checks - 8)
            for _ in range(8):
                rest = (rest << 1 ^ (generator if rest >> (self._checks - 1) & 1 else 0)) & self._mask
            self._table.append(rest)

    def _turn(self, frame: Any) -> Any:
        import numpy

        rest, table, mask, top = 0, self._table, self._mask, self._checks - 8
        for byte in numpy.packbits(frame & 1).tolist():
            rest = (rest << 8 & mask) ^ table[byte ^ rest >> top]
        checks = numpy.frombuffer(rest.to_bytes(self._checks // 8, "big"), "u1")
        return numpy.concatenate([frame, numpy.unpackbits(checks)])


def _check_count(size: str, rate: str) -> int:
    """The check bits of a BCH code."""
    return 16 * _ERRORS.get(rate, 12) if size == "NORMAL" else 14 * 12


GROUP = 360
"""Bits that are added to check bits by one rule."""


class dvb_ldpc_bb(_frames):
    """Puts the check bits of its LDPC code behind each frame."""

    def __init__(self, standard: Any, framesize: Any, rate: Any, constellation: Any = CONSTANTS["MOD_OTHER"]) -> None:
        size, name = _code(framesize, rate, "dvb_ldpc_bb")
        bits = _MESSAGES[size][name] + _check_count(size, name)
        super().__init__(("u1", "u1"), bits, _frame_bits(size))
        is_t2 = int(standard) == CONSTANTS["STANDARD_DVBT2"]
        table = TABLES.get(f"{size} {name} T2") if is_t2 else None
        lines = (table or TABLES[f"{size} {name}"]).split(",")
        self._step = (self._given - bits) // GROUP
        # Bit `m` of a group is added to check bit `address + step · m`, modulo their number: a line turned by so many places.
        self._rules = [[divmod(int(address), self._step) for address in line.split()] for line in lines]

    def _turn(self, frame: Any) -> Any:
        import numpy

        packed = numpy.packbits(frame.reshape(-1, GROUP) & 1, axis=1, bitorder="little")
        sums, mask = [0] * self._step, (1 << GROUP) - 1
        for rule, row in zip(self._rules, packed):
            line = int.from_bytes(row.tobytes(), "little")
            for turn, place in rule:
                sums[place] ^= (line << turn | line >> (GROUP - turn)) & mask
        lines = numpy.frombuffer(b"".join(line.to_bytes(GROUP // 8, "little") for line in sums), "u1")
        checks = numpy.unpackbits(lines.reshape(self._step, -1), axis=1, bitorder="little").T.reshape(-1)
        return numpy.concatenate([frame, numpy.bitwise_xor.accumulate(checks)])


class dvbs2_interleaver_bb(_frames):
    """Reads the bits of a frame out by columns, and gives symbols: the value of its bits in an item each."""

    def __init__(self, framesize: Any, rate: Any, constellation: Any) -> None:
        size, name = _code(framesize, rate, "dvbs2_interleaver_bb")
        mode = _name("MOD_", constellation, "dvbs2_interleaver_bb", _MODES)
        if mode.endswith("APSK"):
            _name("C", rate, "dvbs2_interleaver_bb", _MODES[mode][1])
        self._bits, self._is_turned = _MODES[mode][0], mode == "8PSK" and name == "3_5"
        super().__init__(("u1", "u1"), _frame_bits(size), _frame_bits(size) // self._bits)

    def _turn(self, frame: Any) -> Any:
        rows = frame.reshape(-1, 2) if self._bits == 2 else frame.reshape(self._bits, -1).T
        rows = rows[:, ::-1] if self._is_turned else rows
        found = rows[:, 0].copy()
        for column in range(1, self._bits):
            found = found << 1 | rows[:, column]
        return found


def _cable_points(mode: str) -> list[complex]:
    """The points of cable television, odd numbers."""
    base = [complex(*map(int, pair.split())) for pair in _CABLE[mode].split(",")]
    half = (2 * len(base)).bit_length() // 2
    found = []
    for symbol in range(4 * len(base)):
        # The last bit of each axis turns; the others choose the point.
        chosen = symbol >> (half + 1) << (half - 1) | (symbol & (1 << half) - 1) >> 1
        found.append(base[chosen] * {(0, 0): 1, (0, 1): -1j, (1, 1): -1, (1, 0): 1j}[symbol >> half & 1, symbol & 1])
    return found


def _points(mode: str, rate: str) -> list[complex]:
    """The points of a constellation: the mean power of those of satellites is 1; those of 8VSB have the pilot."""
    if mode in _CABLE:
        return _cable_points(mode)
    if mode == "8VSB":
        return [complex(2 * level - 7 + 1.25) for level in range(8)]
    if mode == "QPSK":
        polar = [(1.0, angle) for angle in (3, -3, 9, -9)]
    elif mode == "8PSK":
        polar = [(1.0, angle) for angle in _8PSK]
    elif mode == "16APSK":
        ratio = _RINGS_16[rate]
        inner = math.sqrt(4 / (1 + 3 * ratio**2))
        polar = [(inner * ratio if at < 12 else inner, angle) for at, angle in enumerate(_16APSK)]
    else:
        ratios = (1.0, *_RINGS_32[rate])
        inner = math.sqrt(8 / (1 + 3 * ratios[1] ** 2 + 4 * ratios[2] ** 2))
        polar = [(inner * ratios[ring], angle) for ring, angle in _32APSK]
    return [complex(radius * math.cos(angle * math.pi / 12), radius * math.sin(angle * math.pi / 12)) for radius, angle in polar]


class dvbs2_modulator_bc(basic_block):
    """The points for symbols of bits, also those of cable television and ATSC; with `INTERPOLATION_ON` a zero behind each."""

    def __init__(self, framesize: Any, rate: Any, constellation: Any, interpolation: Any) -> None:
        import numpy

        _, name = _code(framesize, rate, "dvbs2_modulator_bc")
        mode = _name("MOD_", constellation, "dvbs2_modulator_bc", [*_MODES, *_CABLE, "8VSB"])
        known = _MODES[mode][1] if mode.endswith("APSK") else _RATES
        _name("C", rate, "dvbs2_modulator_bc", known)
        super().__init__("dvbs2_modulator_bc", ["u1"], ["c8"])
        self._table = numpy.array(_points(mode, name), "c8")
        self._step = 2 if int(interpolation) == CONSTANTS["INTERPOLATION_ON"] else 1
        self.set_output_multiple(self._step)
        self.set_relative_rate(self._step, 1)

    def general_work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Looks the symbols up."""
        count = min(len(input_items[0]), len(output_items[0]) // self._step)
        output_items[0][: count * self._step] = 0
        output_items[0][: count * self._step : self._step] = self._table[input_items[0][:count] & (len(self._table) - 1)]
        self.consume(0, count)
        return count * self._step


_ROWS = (0x55555555, 0x33333333, 0x0F0F0F0F, 0x00FF00FF, 0x0000FFFF, 0xFFFFFFFF)
"""The rows of the code of 32 bits for the number of a mode: section 5.5.2.4."""

_START = 0x18D2E82
_OVER_CODE = 0b0111000110011101100000111100100101010011010000100010110111111010
SLOT, PILOTS_EVERY, PILOT_SYMBOLS, TURNS = 90, 16, 36, (1 << 18) - 1
"""Symbols of a slot, slots from pilots to pilots, symbols of these, and how long the scrambling sequence is."""


def _header(number: int) -> list[complex]:
    """The 90 symbols before a frame, for the seven bits of its mode."""
    word = 0
    for place, row in enumerate(_ROWS):
        word ^= row if number >> (6 - place) & 1 else 0
    bits = [_START >> (25 - place) & 1 for place in range(26)]
    for place in range(32):
        bit = word >> (31 - place) & 1
        bits += [bit ^ (_OVER_CODE >> (63 - 2 * place) & 1), bit ^ (number & 1) ^ (_OVER_CODE >> (62 - 2 * place) & 1)]
    half = math.sqrt(0.5)
    signs = [1 - 2 * bit for bit in bits]
    return [complex(sign * half, sign * half) if at % 2 == 0 else complex(-sign * half, sign * half) for at, sign in enumerate(signs)]


@functools.cache
def _turns(code: int, symbols: int) -> Any:
    """By how many quarter turns each symbol of a frame is turned: the Gold sequence `code`, section 5.5.4."""
    import numpy

    x, y = numpy.zeros(TURNS, "u1"), numpy.ones(TURNS, "u1")
    x[0] = 1
    for at in range(TURNS - 18):
        x[at + 18] = x[at + 7] ^ x[at]
        y[at + 18] = y[at + 10] ^ y[at + 7] ^ y[at + 5] ^ y[at]
    whole = numpy.roll(x, -code) ^ y
    return (2 * numpy.roll(whole, -131072)[:symbols] + whole[:symbols]).astype("u1")


class dvbs2_physical_cc(_frames):
    """Frames of the physical layer: a header, the scrambled symbols of a frame, and pilots where they are on; a zero behind each symbol.

    `goldcode` is the number of the scrambling sequence, 0 to 262141.
    """

    def __init__(self, framesize: Any, rate: Any, constellation: Any, pilots: Any, goldcode: int = 0) -> None:
        import numpy

        size, name = _code(framesize, rate, "dvbs2_physical_cc")
        mode = _name("MOD_", constellation, "dvbs2_physical_cc", _MODES)
        bits, rates, first = _MODES[mode]
        if name not in rates:
            _name("C", rate, "dvbs2_physical_cc", rates)
        if not 0 <= goldcode < TURNS - 1:
            raise ValueError(f"dvbs2_physical_cc: expected goldcode from 0 to {TURNS - 2}, got {goldcode}")
        has_pilots = int(pilots) == CONSTANTS["PILOTS_ON"]
        symbols = _frame_bits(size) // bits
        slots = symbols // SLOT
        groups = (slots - 1) // PILOTS_EVERY if has_pilots else 0
        whole = symbols + groups * PILOT_SYMBOLS
        super().__init__(("c8", "c8"), symbols, 2 * (SLOT + whole))
        number = (first + rates.index(name)) << 2 | (2 if size == "SHORT" else 0) | has_pilots
        self._head = numpy.array(_header(number), "c8")
        self._turning = numpy.array([1, 1j, -1, -1j], "c8")[_turns(int(goldcode), whole)]
        self._groups = groups

    def _turn(self, frame: Any) -> Any:
        import numpy

        step, pilots = PILOTS_EVERY * SLOT, numpy.full(PILOT_SYMBOLS, complex(1, 1) * math.sqrt(0.5), "c8")
        parts = []
        for group in range(self._groups):
            parts += [frame[group * step : (group + 1) * step], pilots]
        parts.append(frame[self._groups * step :])
        found = numpy.zeros(self._given, "c8")
        found[: 2 * SLOT : 2] = self._head
        found[2 * SLOT :: 2] = numpy.concatenate(parts) * self._turning
        return found


NAMES: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        dvb_bbheader_bb, dvb_bbscrambler_bb, dvb_bch_bb, dvb_ldpc_bb, dvbs2_interleaver_bb, dvbs2_modulator_bc, dvbs2_physical_cc,
    )
}  # fmt: skip
"""The blocks by name."""
