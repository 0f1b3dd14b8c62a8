"""Formats of headers, and the blocks of `gnuradio.digital` that write and read them."""

from __future__ import annotations

from typing import Any, Sequence

from . import pmt
from ._gr.messages import message_from_string
from .errors import missing
from .python_blocks import basic_block, sync_block


def _number(bits: Sequence[int]) -> int:
    found = 0
    for bit in bits:
        found = found << 1 | int(bit)
    return found


def _crc8(data: bytes) -> int:
    """CRC-8 with the polynomial x⁸ + x² + x + 1, from 0xFF."""
    found = 0xFF
    for byte in data:
        found ^= byte
        for _ in range(8):
            found = (found << 1 ^ (0x07 if found & 0x80 else 0)) & 0xFF
    return found


def crc16(data: bytes) -> int:
    """CRC-16 with the polynomial x¹⁶ + x¹² + x⁵ + 1, from 0xFFFF."""
    found = 0xFFFF
    for byte in data:
        found ^= byte << 8
        for _ in range(8):
            found = (found << 1 ^ (0x1021 if found & 0x8000 else 0)) & 0xFFFF
    return found


class crc:
    """A cyclic redundancy check of any polynomial, of 8 to 64 bits.

    Args:
        num_bits: bits of the checksum.
        poly: the polynomial, without its highest power.
        initial_value: what the register begins with.
        final_xor: what the checksum is combined with at last.
        input_reflected: whether the lowest bit of a byte comes first.
        result_reflected: whether the bits of the register are turned round at last.
    """

    def __init__(
        self,
        num_bits: int,
        poly: int,
        initial_value: int,
        final_xor: int,
        input_reflected: bool = False,
        result_reflected: bool = False,
    ) -> None:
        if not 8 <= num_bits <= 64:
            raise RuntimeError(f"CRC num_bits must be between 8 and 64, got {num_bits}")
        self._bits, self._poly, self._first, self._last = int(num_bits), int(poly), int(initial_value), int(final_xor)
        self._reflected = (bool(input_reflected), bool(result_reflected))

    def compute(self, data: Any) -> int:
        """The checksum of bytes."""
        mask, found = (1 << self._bits) - 1, self._first
        for byte in bytes(data):
            byte = int(f"{byte:08b}"[::-1], 2) if self._reflected[0] else byte
            found ^= byte << (self._bits - 8)
            for _ in range(8):
                found = (found << 1 ^ (self._poly if found >> (self._bits - 1) & 1 else 0)) & mask
        found = int(f"{found:0{self._bits}b}"[::-1], 2) if self._reflected[1] else found
        return (found ^ self._last) & mask


class header_format_base:
    """What a header looks like: `header(payload bytes)` writes one, `find(bits)` reads those in a stream of bits."""

    def header_nbits(self) -> int:
        """Bits of a header."""
        raise NotImplementedError

    def header_nbytes(self) -> int:
        """Bytes of a header."""
        return self.header_nbits() // 8

    def header(self, nbytes: int) -> bytes:
        """The header of a packet of so many bytes."""
        raise NotImplementedError

    def find(self, bits: list[int]) -> tuple[list[Any], int]:
        """What the headers in a stream of bits say, and how many bits are done with."""
        raise NotImplementedError

    def base(self) -> header_format_base:
        """The object itself."""
        return self

    formatter = base

    @classmethod
    def make(cls, *args: Any, **kwargs: Any) -> Any:
        """The same as the class."""
        return cls(*args, **kwargs)


class header_format_default(header_format_base):
    """An access code, and twice the length of the packet in bytes, in 16 bits each.

    A reader takes an access code with up to `threshold` wrong bits; `bps` is the number of bits in a symbol.
    """

    FIELDS = 32

    def __init__(self, access_code: str, threshold: int, bps: int = 1) -> None:
        self._bps = int(bps)
        self.set_threshold(threshold)
        if not self.set_access_code(access_code):
            raise RuntimeError("header_format_default: expected an access code of 1 to 64 digits 0 and 1")

    def set_access_code(self, access_code: str) -> bool:
        """Sets the access code, digits 0 and 1; whether it is one."""
        if not 1 <= len(access_code) <= 64 or set(access_code) - {"0", "1"}:
            return False
        self._code = [int(digit) for digit in access_code]
        return True

    def access_code(self) -> int:
        """The access code as a number."""
        return _number(self._code)

    def set_threshold(self, thresh: int = 0) -> None:
        """Sets how many bits of an access code may be wrong."""
        self._threshold = int(thresh)

    def threshold(self) -> int:
        """How many bits of an access code may be wrong."""
        return self._threshold

    def header_nbits(self) -> int:
        """Bits of a header."""
        return len(self._code) + self.FIELDS

    def _fields(self, nbytes: int) -> list[int]:
        return [nbytes, nbytes]

    def header(self, nbytes: int) -> bytes:
        """The header of a packet of so many bytes."""
        bits = list(self._code)
        for field in self._fields(nbytes & 0xFFFF):
            bits += [field >> (15 - place) & 1 for place in range(16)]
        bits += [0] * (-len(bits) % 8)
        return bytes(_number(bits[at : at + 8]) for at in range(0, len(bits), 8))

    def _said(self, fields: list[int]) -> Any:
        """What the fields say, or nothing where they are wrong."""
        if fields[0] != fields[1]:
            return pmt.PMT_F
        return pmt.dict_add(pmt.make_dict(), pmt.intern("payload symbols"), pmt.from_long(fields[0] * 8 // self._bps))

    def find(self, bits: list[int]) -> tuple[list[Any], int]:
        """What the headers in a stream of bits say, and how many bits are done with."""
        code, size, found, at = self._code, self.header_nbits(), [], 0
        while at + size <= len(bits):
            wrong = 0
            for place, bit in enumerate(code):
                wrong += bits[at + place] != bit
                if wrong > self._threshold:
                    break
            else:
                start = at + len(code)
                found.append(self._said([_number(bits[start + 16 * n : start + 16 * n + 16]) for n in range(self.FIELDS // 16)]))
                at += size
                continue
            at += 1
        return found, at


class header_format_counter(header_format_default):
    """As the default one, with the bits of a symbol and the number of the packet behind."""

    FIELDS = 64

    def __init__(self, access_code: str, threshold: int, bps: int) -> None:
        super().__init__(access_code, threshold, bps)
        self._count = 0

    def _fields(self, nbytes: int) -> list[int]:
        found = [nbytes, nbytes, self._bps, self._count]
        self._count = (self._count + 1) & 0xFFFF
        return found

    def _said(self, fields: list[int]) -> Any:
        if fields[0] != fields[1]:
            return pmt.PMT_F
        bps = fields[2] or 1
        said = pmt.dict_add(pmt.make_dict(), pmt.intern("payload symbols"), pmt.from_long(fields[0] * 8 // bps))
        said = pmt.dict_add(said, pmt.intern("bps"), pmt.from_long(fields[2]))
        return pmt.dict_add(said, pmt.intern("counter"), pmt.from_long(fields[3]))


class header_format_crc(header_format_base):
    """The length of the packet and its number in 12 bits each, and a checksum of 8, the lowest bits first."""

    def __init__(self, len_key_name: str = "packet_len", num_key_name: str = "packet_num") -> None:
        self._keys, self._count = (len_key_name, num_key_name), 0

    def set_header_num(self, header_num: int) -> None:
        """Sets the number of the next packet."""
        self._count = int(header_num)

    def header_nbits(self) -> int:
        """Bits of a header."""
        return 32

    def header(self, nbytes: int) -> bytes:
        """The header of a packet of so many bytes."""
        length, number = nbytes & 0xFFF, self._count & 0xFFF
        self._count = (self._count + 1) & 0xFFF
        return (length | number << 12).to_bytes(3, "little") + bytes([self._check(length, number)])

    def _check(self, length: int, number: int) -> int:
        """The checksum: of both numbers with 16 bits each."""
        return _crc8(length.to_bytes(2, "little") + number.to_bytes(2, "little"))

    def find(self, bits: list[int]) -> tuple[list[Any], int]:
        """What the headers, one behind another, say, and how many bits are done with."""
        found, at = [], 0
        while at + 32 <= len(bits):
            data = bytes(_number(bits[at + 8 * n : at + 8 * n + 8]) for n in range(4))
            at += 32
            fields = int.from_bytes(data[:3], "little")
            if self._check(fields & 0xFFF, fields >> 12) != data[3]:
                found.append(pmt.PMT_F)
                continue
            said = pmt.dict_add(pmt.make_dict(), pmt.intern(self._keys[0]), pmt.from_long(fields & 0xFFF))
            found.append(pmt.dict_add(said, pmt.intern(self._keys[1]), pmt.from_long(fields >> 12)))
        return found, at


class header_format_ofdm(header_format_crc):
    """As the one with a checksum, filled up with zeros to the carriers of `n_syms` OFDM symbols.

    A reader counts a packet in the symbols of its carriers, `bits_per_payload_sym` bits each, and says how many OFDM symbols they are.
    """

    def __init__(
        self,
        occupied_carriers: Sequence[Sequence[int]],
        n_syms: int,
        len_key_name: str = "packet_len",
        frame_key_name: str = "frame_len",
        num_key_name: str = "packet_num",
        bits_per_header_sym: int = 1,
        bits_per_payload_sym: int = 1,
        scramble_header: bool = False,
    ) -> None:
        super().__init__(len_key_name, num_key_name)
        self._carriers = [len(carriers) for carriers in occupied_carriers]
        self._frame_key, self._bps = frame_key_name, int(bits_per_payload_sym)
        if not self._carriers or 0 in self._carriers or n_syms < 1 or self._bps < 1:
            raise ValueError(
                f"header_format_ofdm: expected carriers in each OFDM symbol, and at least 1 for n_syms and bits_per_payload_sym, "
                f"got {self._carriers}, {n_syms} and {bits_per_payload_sym}"
            )
        if scramble_header:
            raise missing("setting", "digital.header_format_ofdm: scramble_header=True", ())
        self._bits = sum(self._carriers[place % len(self._carriers)] for place in range(n_syms))
        if self._bits < 32:
            raise ValueError(f"header_format_ofdm: expected carriers for 32 bits, got {self._bits} in {n_syms} symbols")

    def header_nbits(self) -> int:
        """Bits of a header."""
        return self._bits

    def header(self, nbytes: int) -> bytes:
        """The header of a packet of so many bytes."""
        return super().header(nbytes).ljust(self.header_nbytes(), b"\0")

    def find(self, bits: list[int]) -> tuple[list[Any], int]:
        """What the headers, one behind another, say, and how many bits are done with."""
        found, at = [], 0
        while at + self._bits <= len(bits):
            (said,), _ = super().find(bits[at : at + 32])
            found.append(self._counted(said))
            at += self._bits
        return found, at

    def _counted(self, said: Any) -> Any:
        """The same, with the packet's length in symbols and OFDM symbols."""
        if not pmt.is_dict(said):
            return said
        key = pmt.intern(self._keys[0])
        symbols = pmt.to_long(pmt.dict_ref(said, key, pmt.PMT_NIL)) * 8 // self._bps
        rounds, left = divmod(symbols, sum(self._carriers))
        count, place = rounds * len(self._carriers), 0
        while left > 0:
            left, count, place = left - self._carriers[place], count + 1, place + 1
        number = pmt.dict_ref(said, pmt.intern(self._keys[1]), pmt.PMT_NIL)
        counted = pmt.dict_add(pmt.make_dict(), key, pmt.from_long(symbols))
        counted = pmt.dict_add(counted, pmt.intern(self._keys[1]), number)
        return pmt.dict_add(counted, pmt.intern(self._frame_key), pmt.from_long(count))


class protocol_formatter_bb(basic_block):
    """The header of each packet of a stream, as a stream of packets."""

    def __init__(self, format: header_format_base, len_tag_key: str = "packet_len") -> None:
        super().__init__("protocol_formatter_bb", ["u1"], ["u1"])
        self._format, self._key, self._left = format, pmt.intern(len_tag_key), 0
        self.set_tag_propagation_policy(0)

    def set_header_format(self, format: header_format_base) -> None:
        """Changes how headers are made."""
        self._format = format

    def forecast(self, noutput_items: int, ninputs: Any) -> list[int]:
        """An item."""
        return [1]

    def general_work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Writes the header of each packet that begins."""
        first, there, written, at = self.nitems_read(0), len(input_items[0]), 0, 0
        tags = {tag.offset - first: tag for tag in self.get_tags_in_window(0, 0, there, self._key)}
        while at < there:
            if self._left == 0:
                if at not in tags:
                    raise ValueError(f"protocol_formatter_bb: item {first + at} has no length tag {self._key}")
                self._left = pmt.to_long(tags[at].value)
                header = self._format.header(self._left)
                if written + len(header) > len(output_items[0]):
                    self._left = 0
                    break
                output_items[0][written : written + len(header)] = list(header)
                offset = self.nitems_written(0) + written
                self.add_item_tag(0, offset, self._key, pmt.from_long(len(header)))
                written += len(header)
            step = min(self._left, there - at)
            at, self._left = at + step, self._left - step
        self.consume(0, at)
        return written


class protocol_formatter_async(basic_block):
    """The header of each packet of bytes, as a packet to `header`; the packet itself goes to `payload`."""

    def __init__(self, format: header_format_base) -> None:
        super().__init__("protocol_formatter_async")
        self._format = format
        self.message_port_register_in(pmt.intern("in"))
        for port in ("header", "payload"):
            self.message_port_register_out(pmt.intern(port))
        self.set_msg_handler(pmt.intern("in"), self._handle)

    def _handle(self, message: Any) -> None:
        header = list(self._format.header(len(bytes(pmt.u8vector_elements(pmt.cdr(message))))))
        self.message_port_pub(pmt.intern("header"), pmt.cons(pmt.car(message), pmt.init_u8vector(len(header), header)))
        self.message_port_pub(pmt.intern("payload"), message)


class protocol_parser_b(sync_block):
    """Finds headers in a stream of bits, and sends what each says to `info`."""

    def __init__(self, format: header_format_base) -> None:
        super().__init__("protocol_parser_b", ["u1"], None)
        self._format, self._rest = format, []
        self.message_port_register_out(pmt.intern("info"))

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Looks for headers."""
        bits = self._rest + (input_items[0] & 1).tolist()
        found, done = self._format.find(bits)
        self._rest = bits[done:]
        for said in found:
            self.message_port_pub(pmt.intern("info"), said)
        return len(input_items[0])


class crc16_async_bb(basic_block):
    """Puts CRC-16 behind each packet of bytes, its higher byte first, or takes it off where it is right."""

    def __init__(self, check: bool = False) -> None:
        super().__init__("crc16_async_bb")
        self._check = bool(check)
        self.message_port_register_in(pmt.intern("in"))
        self.message_port_register_out(pmt.intern("out"))
        self.set_msg_handler(pmt.intern("in"), self._handle)

    def _handle(self, message: Any) -> None:
        data = bytes(pmt.u8vector_elements(pmt.cdr(message)))
        if not self._check:
            data += crc16(data).to_bytes(2, "big")
        elif len(data) < 2 or crc16(data[:-2]).to_bytes(2, "big") != data[-2:]:
            return
        else:
            data = data[:-2]
        self.message_port_pub(pmt.intern("out"), pmt.cons(pmt.car(message), pmt.init_u8vector(len(data), list(data))))


class probe_density_b(sync_block):
    """How many of the bits are ones: a mean with one pole, from 1 on."""

    def __init__(self, alpha: float) -> None:
        super().__init__("probe_density_b", ["u1"], None)
        self._alpha, self._density = float(alpha), 1.0

    def set_alpha(self, alpha: float) -> None:
        """Sets how fast the mean forgets."""
        self._alpha = float(alpha)

    def density(self) -> float:
        """The mean."""
        return self._density

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Counts bits."""
        for bit in input_items[0].tolist():
            self._density += self._alpha * ((bit & 1) - self._density)
        return len(input_items[0])


class framer_sink_1(sync_block):
    """Puts the packets of a stream of bits into a queue; bit 1 of an item marks the first bit of a header.

    A header has 32 bits, twice the same 16: 4 of a place in a whitener, `arg1` of the message, and 12 of the length in bytes.
    """

    def __init__(self, target_queue: Any) -> None:
        super().__init__("framer_sink_1", ["u1"], None)
        self._queue, self._bits, self._wanted = target_queue, [], 0  # type: ignore[var-annotated]

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Collects packets."""
        for item in input_items[0].tolist():
            if item & 2:
                self._bits, self._wanted = [], 32
            if not self._wanted:
                continue
            self._bits.append(item & 1)
            if len(self._bits) == 32:
                first, second = _number(self._bits[:16]), _number(self._bits[16:])
                self._wanted = 32 + 8 * (first & 0xFFF) if first == second else 0
            if self._wanted and len(self._bits) == self._wanted:
                self._finish()
        return len(input_items[0])

    def _finish(self) -> None:
        data = bytes(_number(self._bits[at : at + 8]) for at in range(32, len(self._bits), 8))
        self._put_into(self._queue, message_from_string(data, 0, _number(self._bits[:4]), 0))
        self._wanted = 0


class pn_correlator_cc(basic_block):
    """Correlates with a sequence of maximal length, one place further for each output: `2^degree − 1` samples to one."""

    def __init__(self, degree: int, mask: int = 0, seed: int = 1) -> None:
        super().__init__("pn_correlator_cc", ["c8"], ["c8"])
        self._length, self._turn = (1 << int(degree)) - 1, 0
        self._reference = _sequence(int(degree), int(mask), int(seed), self._length)
        self.set_relative_rate(1, self._length)

    def decimation(self) -> int:
        """So many samples make one."""
        return self._length

    def forecast(self, noutput_items: int, ninputs: Any) -> list[int]:
        """The length of the sequence for each."""
        return [noutput_items * self._length]

    def general_work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Correlates."""
        import numpy

        count = min(len(input_items[0]) // self._length, len(output_items[0]))
        for place in range(count):
            # The sequence begins with its last bit.
            reference = numpy.roll(self._reference, 1 + self._turn)
            piece = input_items[0][place * self._length : (place + 1) * self._length]
            output_items[0][place] = (piece * reference).sum() / self._length
            self._turn = (self._turn + 1) % self._length
        self.consume(0, count * self._length)
        return count


def modulate_vector_bc(modulator: Any, data: Sequence[int], taps: Sequence[float]) -> list[complex]:
    """What a modulator makes of bytes, filtered by taps."""
    from .namespaces import module
    from .top_block import top_block

    blocks, top = module("blocks"), top_block("modulate_vector")
    sink = blocks.vector_sink_c()
    filtered = module("filter").fir_filter_ccf(1, [float(tap) for tap in taps])
    top.connect(blocks.vector_source_b([int(byte) for byte in data]), modulator, filtered, sink)
    top.run()
    return sink.data()


def _sequence(degree: int, mask: int, seed: int, length: int) -> Any:
    """A sequence of `glfsr_source_f`."""
    import numpy

    from .namespaces import module
    from .top_block import top_block

    blocks, top = module("blocks"), top_block("sequence")
    sink = blocks.vector_sink_f()
    top.connect(module("digital").glfsr_source_f(degree, True, mask, seed), blocks.head(4, length), sink)
    top.run()
    return numpy.array(sink.data(), "f4")


BLOCKS: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        crc, crc16_async_bb, framer_sink_1, header_format_base, header_format_counter, header_format_crc, header_format_default,
        header_format_ofdm, pn_correlator_cc, probe_density_b, protocol_formatter_async, protocol_formatter_bb, protocol_parser_b,
    )
}
BLOCKS["modulate_vector_bc"] = modulate_vector_bc
"""The blocks and formats by name."""
