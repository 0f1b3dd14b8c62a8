"""Headers of packets, as `packet_headergenerator_bb` writes and `packet_headerparser_b` reads them.

The objects say what the blocks are to do; they can write and read a header by themselves, too.
"""

from __future__ import annotations

from typing import Any, Sequence

from .. import pmt
from .._gr.tag_utils import tag_t


def _checksum(fields: int) -> int:
    """The checksum of 8 bits of a length and a number, each as two bytes, the lower one first."""
    check = 0xFF
    for byte in ((fields & 0xFFF).to_bytes(2, "little") + (fields >> 12).to_bytes(2, "little")):
        check ^= byte
        for _ in range(8):
            check = check << 1 & 0xFF ^ (7 if check & 0x80 else 0)
    return check


class packet_header_default:
    """A header of 32 bits: 12 of the length, 12 of the number, 8 of a checksum; or the first of them, where it has not so many.

    Args:
        header_len: items of a header.
        len_tag_key: the key of what says the length.
        num_tag_key: the key of what says the number.
        bits_per_byte: bits in an item.

    Raises:
        ValueError: a header has no items, or an item no 1 to 8 bits.
    """

    def __init__(
        self, header_len: int, len_tag_key: str = "packet_len", num_tag_key: str = "packet_num", bits_per_byte: int = 1
    ) -> None:
        if not 1 <= bits_per_byte <= 8:
            raise ValueError(f"a packet header wants 1 to 8 bits per byte, got {bits_per_byte}")
        if header_len < 1:
            raise ValueError(f"a packet header wants 1 item or more, got {header_len}")
        self._len_tag_key = len_tag_key
        self._number = 0
        self.settings: dict[str, Any] = {
            "header_length": int(header_len),
            "bits_per_item": int(bits_per_byte),
            "number_tag": num_tag_key,
        }
        """Parameters of the blocks that write and read headers."""
        self.reader_settings: dict[str, Any] = {"length_tag": len_tag_key}
        """Parameters of the block that reads headers, besides."""

    def header_len(self) -> int:
        """Items of a header."""
        return self.settings["header_length"]

    def len_tag_key(self) -> str:
        """The key of what says the length."""
        return self._len_tag_key

    def set_header_num(self, header_num: int) -> None:
        """Sets the number of the next header that `header_formatter` writes."""
        self._number = int(header_num) & 0xFFF

    def header_formatter(self, packet_len: int, out: Any, tags: Any = ()) -> bool:
        """Writes the header of a packet of so many items into `out`, an array; whether its length can be said.

        The number is one more each time, and comes from a tag where there is one with its key.
        """
        if not 0 <= packet_len < 4096:
            return False
        for tag in tags:
            if pmt.symbol_to_string(tag.key) == self.settings["number_tag"]:
                self.set_header_num(pmt.to_long(tag.value))
        items = self._items(packet_len | self._number << 12)
        self.set_header_num(self._number + 1)
        if hasattr(out, "__setitem__"):
            out[: len(items)] = type(out)(items) if isinstance(out, (bytearray, list)) else items
        return True

    def header_parser(self, header: Any, tags: Any) -> bool:
        """Reads a header, an array of items, and appends tags of its length and number to a list; whether its checksum is right."""
        found = 0
        if not hasattr(header, "__len__") or len(header) < self.header_len():
            return False
        width, flips = self.settings["bits_per_item"], self._flips()
        for place, item in enumerate(header[: self.header_len()]):
            for bit in range(width):
                at = place * width + bit
                found |= ((int(item) >> bit & 1) ^ (flips >> at & 1)) << at
        length, number, check = found & 0xFFF, found >> 12 & 0xFFF, found >> 24 & 0xFF
        bits = self.header_len() * width
        if (check ^ _checksum(length | number << 12)) & (1 << min(max(bits - 24, 0), 8)) - 1:
            return False
        said = ((self._len_tag_key, length), (self.settings["number_tag"], number))
        for key, value in said[: 1 if bits <= 12 else 2]:
            tag = tag_t()
            tag.key, tag.value = pmt.intern(key), pmt.from_long(value)
            tags.append(tag)
        return True

    def _flips(self) -> int:
        """The bits that are flipped: those of a shift register of 7 bits with the mask 0x8a and the seed 0x6f."""
        if not self.settings.get("scramble"):
            return 0
        register, flips = 0x6F, 0
        for place in range(self.header_len() * self.settings["bits_per_item"]):
            flips |= (register & 1) << place
            register = register >> 1 | ((register & 0x8A).bit_count() & 1) << 7
        return flips

    def _items(self, fields: int) -> list[int]:
        """The items of a header with these 24 bits and their checksum, the lowest bits first, then zeros."""
        bits = (fields | _checksum(fields) << 24) ^ self._flips()
        width = self.settings["bits_per_item"]
        return [bits >> place * width & (1 << width) - 1 for place in range(self.header_len())]

    def base(self) -> "packet_header_default":
        """The object itself."""
        return self

    formatter = base


class packet_header_ofdm(packet_header_default):
    """A header on the first symbols of an OFDM frame.

    Its length is given as that of the packet in complex symbols, and as that of the frame in OFDM symbols.

    Args:
        occupied_carriers: for one OFDM symbol after another, the carriers with data.
        n_syms: OFDM symbols of a header.
        len_tag_key: the key of what says the packet's length.
        frame_len_tag_key: the key of what says the frame's length.
        num_tag_key: the key of what says the number.
        bits_per_header_sym: bits in a complex symbol of the header.
        bits_per_payload_sym: bits in a complex symbol of the payload.
        scramble_header: whether bits of the header are flipped by a fixed sequence.

    Raises:
        ValueError: there are no carriers.
    """

    def __init__(
        self,
        occupied_carriers: Sequence[Sequence[int]],
        n_syms: int,
        len_tag_key: str = "packet_len",
        frame_len_tag_key: str = "frame_len",
        num_tag_key: str = "packet_num",
        bits_per_header_sym: int = 1,
        bits_per_payload_sym: int = 1,
        scramble_header: bool = False,
    ) -> None:
        sizes = [len(carriers) for carriers in occupied_carriers]
        if not sizes or n_syms < 1:
            raise ValueError("packet_header_ofdm: wants carriers, and a header of one symbol at least")
        header_len = sum(sizes[place % len(sizes)] for place in range(n_syms))
        super().__init__(header_len, len_tag_key, num_tag_key, bits_per_header_sym)
        self.settings["scramble"] = bool(scramble_header)
        self.reader_settings |= {
            "symbol_sizes": sizes,
            "payload_bits_per_item": int(bits_per_payload_sym),
            "frame_length_tag": frame_len_tag_key,
        }
