"""Headers of packets, as `packet_headergenerator_bb` writes and `packet_headerparser_b` reads them.

The objects say what the blocks are to do, and do nothing themselves.
"""

from __future__ import annotations

from typing import Any, Sequence


class packet_header_default:
    """A header of 32 bits: 12 of the length, 12 of the number, 8 of a checksum.

    Args:
        header_len: items of a header.
        len_tag_key: the key of what says the length.
        num_tag_key: the key of what says the number.
        bits_per_byte: bits in an item.

    Raises:
        ValueError: a header has no room for 32 bits, or an item no 1 to 8.
    """

    def __init__(
        self, header_len: int, len_tag_key: str = "packet_len", num_tag_key: str = "packet_num", bits_per_byte: int = 1
    ) -> None:
        if not 1 <= bits_per_byte <= 8:
            raise ValueError(f"a packet header wants 1 to 8 bits per byte, got {bits_per_byte}")
        if header_len * bits_per_byte < 32:
            raise ValueError(f"a packet header wants room for 32 bits, got {header_len} items of {bits_per_byte}")
        self._len_tag_key = len_tag_key
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
        ValueError: the carriers of a header have no room for 32 bits.
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
