"""OFDM from bytes to a signal and back, `digital.ofdm_tx` and `digital.ofdm_rx`, and the blocks for headers and frames."""

from __future__ import annotations

import math
from typing import Any, Sequence

from ._gr.constants import sizeof_char, sizeof_gr_complex
from ._gr.signature import io_signature
from .digital_parts import constellation_8psk, constellation_bpsk, constellation_qpsk
from .digital_parts.ofdm_equalizers import ofdm_equalizer_simpledfe
from . import remade
from .digital_parts.packet_headers import packet_header_default, packet_header_ofdm
from .elements import hier_block2
from .namespaces import module as _module
from .table import TableBlock, block_class

_FFT_LENGTH = 64
_CP_LENGTH = 16
_PILOTS = (-21, -7, 7, 21)
_OCCUPIED = ([k for k in range(-26, 27) if k and k not in _PILOTS],)
_PILOT_CARRIERS = (_PILOTS,)
_PACKET_LENGTH_TAG = "packet_length"
_FRAME_LENGTH_TAG = "frame_length"
_PACKET_NUMBER_TAG = "packet_num"
# The sequence of the sync words that are made where none are given.
_SEED = 42
# The mask, the seed and the length of the register that scrambles.
_SCRAMBLER = (0x8A, 0x7F, 7)


def _pilot_symbols() -> tuple[tuple[int, ...], ...]:
    """Pilots whose signs follow the sequence of 127 bits of IEEE 802.11: `x**7 + x**4 + 1`, begun with ones."""
    state, signs = 0x7F, []
    for _ in range(127):
        bit = (state >> 6 ^ state >> 3) & 1
        state = (state << 1 | bit) & 0x7F
        signs.append(1 - 2 * bit)
    return tuple((sign, sign, sign, -sign) for sign in signs)


_PILOT_SYMBOLS = _pilot_symbols()
_CONSTELLATIONS = {1: constellation_bpsk, 2: constellation_qpsk, 3: constellation_8psk}


def _constellation(bits: int) -> Any:
    if bits not in _CONSTELLATIONS:
        raise ValueError(f"OFDM modulation: expected 1, 2 or 3 bits in a symbol, got {bits}")
    return _CONSTELLATIONS[bits]()


def _sync_word(fft_len: int, occupied: Any, pilots: Any, odd_only: bool) -> list[complex]:
    """A sync word on the carriers of the first symbol, carrier 0 in the middle; on the odd ones alone with the same power."""
    import numpy

    used = {int(carrier) % fft_len for carriers in (occupied[0], pilots[0]) for carrier in carriers}
    level = math.sqrt(2) if odd_only else 1.0
    chance = numpy.random.RandomState(_SEED)
    word = [0j] * fft_len
    for carrier in range(1, fft_len):
        if carrier in used and (carrier % 2 or not odd_only):
            word[carrier] = complex(level if chance.randint(2) == 0 else -level)
    return [complex(x) for x in numpy.fft.fftshift(word)]


class _Ofdm(hier_block2):
    """What transmitter and receiver share: carriers, and sync words."""

    def _sync(self, fft_len: int, occupied: Any, pilots: Any, word1: Any, word2: Any) -> None:
        given = [
            _sync_word(fft_len, occupied, pilots, odd_only) if word is None else word
            for word, odd_only in ((word1, True), (word2, False))
        ]
        self.sync_word1, self.sync_word2 = given
        wanted = given if len(self.sync_word2) else given[:1]
        self.sync_words = [[complex(x) for x in word] for word in wanted]
        for word in self.sync_words:
            if len(word) != fft_len:
                raise ValueError(f"OFDM: expected a sync word of {fft_len} carriers, as fft_len says, got {len(word)}")

    def _scrambler(self, key: str) -> Any:
        return _module("digital").additive_scrambler_bb(*_SCRAMBLER, 0, 8, key)


class ofdm_tx(_Ofdm):
    """Packets of bytes, which begin with length tags, become OFDM frames: sync words, a header of one symbol, the payload with a CRC.

    Args:
        fft_len: carriers.
        cp_len: samples of the cyclic prefix.
        packet_length_tag_key: the key of the length tags.
        occupied_carriers: for one symbol after another, the carriers with data.
        pilot_carriers: for one symbol after another, the carriers with pilots.
        pilot_symbols: for one symbol after another, the pilots.
        bps_header, bps_payload: bits in a complex symbol, 1 to 3.
        sync_word1, sync_word2: the sync words; made of a fixed sequence where they are None, no second one where that is empty.
        rolloff: samples of the flanks of a symbol.
        debug_log: taken, and changes nothing.
        scramble_bits: whether header and payload are scrambled.

    Raises:
        ValueError: lengths do not fit together.
    """

    def __init__(
        self,
        fft_len: int = _FFT_LENGTH,
        cp_len: int = _CP_LENGTH,
        packet_length_tag_key: str = _PACKET_LENGTH_TAG,
        occupied_carriers: Any = _OCCUPIED,
        pilot_carriers: Any = _PILOT_CARRIERS,
        pilot_symbols: Any = _PILOT_SYMBOLS,
        bps_header: int = 1,
        bps_payload: int = 1,
        sync_word1: Sequence[complex] | None = None,
        sync_word2: Sequence[complex] | None = None,
        rolloff: int = 0,
        debug_log: bool = False,
        scramble_bits: bool = False,
    ) -> None:
        super().__init__("ofdm_tx", io_signature(1, 1, sizeof_char), io_signature(1, 1, sizeof_gr_complex))
        digital, blocks, key = _module("digital"), _module("blocks"), packet_length_tag_key
        if not 0 <= rolloff <= cp_len:
            raise ValueError(f"ofdm_tx: expected a rolloff from 0 to {cp_len}, the length of the prefix, got {rolloff}")
        self.fft_len, self.cp_len, self.packet_length_tag_key = fft_len, cp_len, key
        self.occupied_carriers, self.pilot_carriers, self.pilot_symbols = occupied_carriers, pilot_carriers, pilot_symbols
        self.bps_header, self.bps_payload = bps_header, bps_payload
        self._sync(fft_len, occupied_carriers, pilot_carriers, sync_word1, sync_word2)
        self.scramble_seed = _SCRAMBLER[1] if scramble_bits else 0
        crc = digital.crc32_bb(False, key)
        header = packet_header_ofdm(
            occupied_carriers,
            1,
            key,
            bits_per_header_sym=bps_header,
            bits_per_payload_sym=bps_payload,
            scramble_header=scramble_bits,
        )
        generator = digital.packet_headergenerator_bb(header.base(), key)
        header_mod = digital.chunks_to_symbols_bc(_constellation(bps_header).points())
        # What is said of the beginning of a packet is said by the header.
        payload = [remade.without_head_tags(key), blocks.repack_bits_bb(8, bps_payload, key)]
        if scramble_bits:
            payload.insert(1, self._scrambler(key))
        payload.append(digital.chunks_to_symbols_bc(_constellation(bps_payload).points()))
        mux = blocks.tagged_stream_mux(sizeof_gr_complex, key)
        allocator = digital.ofdm_carrier_allocator_cvc(
            fft_len, occupied_carriers, pilot_carriers, pilot_symbols, self.sync_words, key
        )
        ifft = _module("fft").fft_vcc(fft_len, False, (), True)
        prefixer = digital.ofdm_cyclic_prefixer(fft_len, fft_len + cp_len, rolloff, key)
        self.connect(self, crc, generator, header_mod, (mux, 0))
        self.connect(crc, *payload, (mux, 1))
        self.connect(mux, allocator, ifft, prefixer, self)


class ofdm_rx(_Ofdm):
    """A signal becomes the packets of bytes that `ofdm_tx` has made it of, each with a length tag; those with a wrong CRC are dropped.

    Args:
        frame_length_tag_key: the key of tags with the length of frames, inside of the block.
        packet_num_tag_key: the key of tags with the number of packets.
        fft_len, cp_len, packet_length_tag_key, occupied_carriers, pilot_carriers, pilot_symbols, bps_header, bps_payload, sync_word1,
            sync_word2, debug_log, scramble_bits: as for `ofdm_tx`.

    Raises:
        ValueError: lengths do not fit together.
    """

    def __init__(
        self,
        fft_len: int = _FFT_LENGTH,
        cp_len: int = _CP_LENGTH,
        frame_length_tag_key: str = _FRAME_LENGTH_TAG,
        packet_length_tag_key: str = _PACKET_LENGTH_TAG,
        packet_num_tag_key: str = _PACKET_NUMBER_TAG,
        occupied_carriers: Any = _OCCUPIED,
        pilot_carriers: Any = _PILOT_CARRIERS,
        pilot_symbols: Any = _PILOT_SYMBOLS,
        bps_header: int = 1,
        bps_payload: int = 1,
        sync_word1: Sequence[complex] | None = None,
        sync_word2: Sequence[complex] | None = None,
        debug_log: bool = False,
        scramble_bits: bool = False,
    ) -> None:
        super().__init__("ofdm_rx", io_signature(1, 1, sizeof_gr_complex), io_signature(1, 1, sizeof_char))
        digital, blocks, fft = (_module(name) for name in ("digital", "blocks", "fft"))
        frame_key, packet_key = frame_length_tag_key, packet_length_tag_key
        self.fft_len, self.cp_len, self.occupied_carriers = fft_len, cp_len, occupied_carriers
        self.frame_length_tag_key, self.packet_length_tag_key = frame_key, packet_key
        self.bps_header, self.bps_payload = bps_header, bps_payload
        self._sync(fft_len, occupied_carriers, pilot_carriers, sync_word1, sync_word2)
        self.scramble_seed = _SCRAMBLER[1] if scramble_bits else 0
        pilots = (occupied_carriers, pilot_carriers, pilot_symbols)

        # Where frames begin, and the frequency, as far as it is off by less than a carrier.
        detect = digital.ofdm_sync_sc_cfb(fft_len, cp_len)
        delay = blocks.delay(sizeof_gr_complex, fft_len + cp_len)
        oscillator = _module("analog").frequency_modulator_fc(-2.0 / fft_len)
        mixer = blocks.multiply_cc()
        demux = digital.header_payload_demux(
            len(self.sync_words) + 1, fft_len, cp_len, frame_key, "", True, sizeof_gr_complex
        )
        self.connect(self, detect)
        self.connect(self, delay, (mixer, 0))
        self.connect((detect, 0), oscillator, (mixer, 1))
        self.connect(mixer, (demux, 0))
        self.connect((detect, 1), (demux, 1))

        # The header.
        second = self.sync_words[1] if len(self.sync_words) > 1 else []
        header_points, payload_points = _constellation(bps_header), _constellation(bps_payload)
        header = packet_header_ofdm(
            occupied_carriers,
            1,
            packet_key,
            frame_key,
            packet_num_tag_key,
            bps_header,
            bps_payload,
            scramble_header=scramble_bits,
        )
        self.connect(
            (demux, 0),
            fft.fft_vcc(fft_len, True, (), True),
            digital.ofdm_chanest_vcvc(self.sync_words[0], second, 1),
            digital.ofdm_frame_equalizer_vcvc(
                ofdm_equalizer_simpledfe(fft_len, header_points.base(), *pilots), cp_len, frame_key, True, 1
            ),
            digital.ofdm_serializer_vcc(fft_len, occupied_carriers, frame_key),
            digital.constellation_decoder_cb(header_points.base()),
            parser := digital.packet_headerparser_b(header.formatter()),
        )
        self.msg_connect(parser, "header_data", demux, "header_data")

        # The payload.
        chain = [
            fft.fft_vcc(fft_len, True, (), True),
            digital.ofdm_frame_equalizer_vcvc(
                ofdm_equalizer_simpledfe(fft_len, payload_points.base(), *pilots, symbols_skipped=1, alpha=0.1),
                cp_len,
                frame_key,
            ),
            digital.ofdm_serializer_vcc(fft_len, occupied_carriers, frame_key, packet_key, 1),
            digital.constellation_decoder_cb(payload_points.base()),
            blocks.repack_bits_bb(bps_payload, 8, packet_key, True),
        ]
        if scramble_bits:
            self.payload_descrambler = self._scrambler(packet_key)
            chain.append(self.payload_descrambler)
        self.crc = digital.crc32_bb(True, packet_key)
        self.connect((demux, 1), *chain, self.crc, self)


def _generator() -> type[TableBlock]:
    base = block_class("digital.packet_headergenerator_bb")
    assert base is not None

    class packet_headergenerator_bb(base):  # type: ignore[misc, valid-type]
        """Gives the header of each packet, as an object says, or the default one with so many bits."""

        def _check(self) -> None:
            """What an object says comes later."""

        def __init__(self, header: Any, len_tag_key: str = "packet_len") -> None:
            of_object = isinstance(header, packet_header_default)
            super().__init__(header.header_len() if of_object else header, len_tag_key)
            if of_object:
                self._overrides |= {(0, name): value for name, value in header.settings.items()}

        def set_header_formatter(self, header_formatter: packet_header_default) -> None:
            """Changes how headers are made."""
            self._overrides |= {(0, name): value for name, value in header_formatter.settings.items()}
            self._set_arguments(["len_tag_key"], [header_formatter.len_tag_key()])
            if self._is_running():
                self._make_anew()

    return packet_headergenerator_bb


def _parser() -> type[TableBlock]:
    base = block_class("digital.packet_headerparser_b")
    assert base is not None

    class packet_headerparser_b(base):  # type: ignore[misc, valid-type]
        """Reads headers, as an object says, or the default ones with so many bits, and sends what each says."""

        def _check(self) -> None:
            """What an object says comes later."""

        def __init__(self, header: Any, len_tag_key: str = "packet_len") -> None:
            of_object = isinstance(header, packet_header_default)
            super().__init__(header.header_len() if of_object else header, len_tag_key)
            if of_object:
                settings = header.settings | header.reader_settings
                self._overrides |= {(0, name): value for name, value in settings.items()}

    return packet_headerparser_b


BLOCKS: dict[str, Any] = {
    "ofdm_tx": ofdm_tx,
    "ofdm_rx": ofdm_rx,
    "packet_headergenerator_bb": _generator(),
    "packet_headerparser_b": _parser(),
}
"""The blocks by name."""
