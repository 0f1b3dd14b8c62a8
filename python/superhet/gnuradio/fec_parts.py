"""Codes as objects, and the blocks around an encoder or a decoder: the parts of `gnuradio.fec` that a table cannot say.

The objects say which code it is, and do nothing themselves.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any, Sequence

from ._gr.constants import sizeof_char, sizeof_float
from ._gr.signature import io_signature
from .elements import hier_block2


class cc_mode_t(IntEnum):
    """How frames of a convolutional code begin and end."""

    CC_STREAMING = 0
    CC_TERMINATED = 1
    CC_TRUNCATED = 2
    CC_TAILBITING = 3


CC_STREAMING, CC_TERMINATED = cc_mode_t.CC_STREAMING, cc_mode_t.CC_TERMINATED
CC_TRUNCATED, CC_TAILBITING = cc_mode_t.CC_TRUNCATED, cc_mode_t.CC_TAILBITING


class generic_coder:
    """What encoders and decoders share: a code, and how many items go in and come out for a frame."""

    def __init__(self, code: dict[str, Any], sizes: tuple[int, int], shift: float = 0.0, soft: str = "float") -> None:
        self._code, self._sizes, self._shift, self._soft = code, sizes, shift, soft

    def __superhet__(self) -> dict[str, Any]:
        """The code as the library's blocks take it."""
        return self._code

    def rate(self) -> float:
        """Items that come out, by those that go in."""
        return self._sizes[1] / self._sizes[0]

    def get_input_size(self) -> int:
        """Items of a frame that go in."""
        return self._sizes[0]

    def get_output_size(self) -> int:
        """Items of a frame that come out."""
        return self._sizes[1]

    def get_shift(self) -> float:
        """What soft symbols are moved by."""
        return self._shift

    def get_input_item_size(self) -> int:
        """The size of a soft symbol."""
        return sizeof_char if self._soft == "uchar" else sizeof_float

    def get_output_item_size(self) -> int:
        """The size of a bit."""
        return sizeof_char

    def get_input_conversion(self) -> str:
        """What soft symbols become before they go in."""
        return "uchar" if self._soft == "uchar" else "none"

    def get_output_conversion(self) -> str:
        """What comes out becomes."""
        return "none"


def _convolutional(
    name: str, frame_size: int, k: int, rate: int, polys: Sequence[int], start_state: int, end_state: int, mode: int, padded: bool
) -> tuple[dict[str, Any], tuple[int, int]]:
    if (k, rate) != (7, 2) or sorted(abs(poly) for poly in polys) != [79, 109]:
        raise NotImplementedError(
            f"fec.{name}: there is the code with k = 7, rate = 2 and polys = [109, 79] or [79, 109], "
            f"not k = {k}, rate = {rate}, polys = {list(polys)}"
        )
    if start_state != 0 or end_state not in (0, -1):
        raise NotImplementedError(f"fec.{name}: frames begin in state 0, not {start_state}, and end there or anywhere")
    mode = cc_mode_t(mode)
    if padded and mode == CC_TERMINATED:
        raise NotImplementedError(f"fec.{name}: terminated frames are not padded to whole bytes")
    frames = mode.name.removeprefix("CC_").lower()
    code = {"kind": "convolutional", "frame_bits": int(frame_size), "frames": frames, "polynomials": list(polys)}
    tail = k - 1 if mode == CC_TERMINATED else 0
    return code, (int(frame_size), 2 * (int(frame_size) + tail))


def cc_encoder_make(
    frame_size: int,
    k: int,
    rate: int,
    polys: Sequence[int],
    start_state: int = 0,
    mode: int = CC_STREAMING,
    padded: bool = False,
) -> generic_coder:
    """An encoder of the convolutional code with `k` = 7, `rate` = 2 and the polynomials 109 and 79.

    Raises:
        NotImplementedError: another code, another state, or padding.
    """
    return generic_coder(*_convolutional("cc_encoder_make", frame_size, k, rate, polys, start_state, -1, mode, padded))


def repetition_encoder_make(frame_size: int, rep: int) -> generic_coder:
    """An encoder that says each bit `rep` times."""
    return generic_coder({"kind": "repetition", "repetitions": int(rep)}, (int(frame_size), int(frame_size) * int(rep)))


def dummy_encoder_make(frame_size: int, pack: bool = False, packed_bits: bool = False) -> generic_coder:
    """An encoder that says each bit once.

    Raises:
        NotImplementedError: bits are packed.
    """
    if pack or packed_bits:
        raise NotImplementedError("fec.dummy_encoder_make: bits are one a byte, not packed")
    return generic_coder({"kind": "dummy"}, (int(frame_size), int(frame_size)))


class cc_decoder:
    """Decoders of convolutional codes."""

    @staticmethod
    def make(
        frame_size: int,
        k: int,
        rate: int,
        polys: Sequence[int],
        start_state: int = 0,
        end_state: int = -1,
        mode: int = CC_STREAMING,
        padded: bool = False,
    ) -> generic_coder:
        """A decoder for what `cc_encoder_make` encodes; soft symbols are bytes around 128.

        Raises:
            NotImplementedError: another code, another state, or padding.
        """
        code, (bits, symbols) = _convolutional(
            "cc_decoder.make", frame_size, k, rate, polys, start_state, end_state, mode, padded
        )
        return generic_coder(code, (symbols, bits), 128.0, "uchar")


class repetition_decoder:
    """Decoders of repeated bits."""

    @staticmethod
    def make(frame_size: int, rep: int, ap_prob: float = 0.5) -> generic_coder:
        """A decoder that decides by the majority, or by another part of all."""
        code = {"kind": "repetition", "repetitions": int(rep), "threshold": float(ap_prob)}
        return generic_coder(code, (int(frame_size) * int(rep), int(frame_size)))


class dummy_decoder:
    """Decoders of bits that are said once."""

    @staticmethod
    def make(frame_size: int) -> generic_coder:
        """A decoder that decides for each bit alone."""
        return generic_coder({"kind": "dummy"}, (int(frame_size), int(frame_size)))


class cc_encoder:
    """Encoders of convolutional codes."""

    make = staticmethod(cc_encoder_make)


class repetition_encoder:
    """Encoders that say bits several times."""

    make = staticmethod(repetition_encoder_make)


class dummy_encoder:
    """Encoders that say each bit once."""

    make = staticmethod(dummy_encoder_make)


cc_decoder_make, repetition_decoder_make, dummy_decoder_make = cc_decoder.make, repetition_decoder.make, dummy_decoder.make


def _only(name: str, objects: Any) -> Any:
    """The object, which may lie in lists of one; several would be for threads, which the runtime plans itself."""
    while isinstance(objects, (list, tuple)):
        if not objects:
            raise ValueError(f"fec.{name}: expected an object of a code, got an empty list")
        objects = objects[0]
    return objects


def _puncturing(pattern: str | None) -> tuple[int, int] | None:
    """The length and the bits of a pattern that leaves anything out."""
    if pattern is None or "0" not in pattern:
        return None
    return len(pattern), int(pattern, 2)


class extended_encoder(hier_block2):
    """An encoder, and puncturing behind it as `puncpat` says, '1110'; `threading` is taken, and changes nothing."""

    def __init__(self, encoder_obj_list: Any, threading: str | None = None, puncpat: str | None = None) -> None:
        from .modules import module

        super().__init__("extended_encoder", io_signature(1, 1, sizeof_char), io_signature(1, 1, sizeof_char))
        fec, self.puncpat = module("fec"), puncpat
        self.blocks = [fec.encoder(_only("extended_encoder", encoder_obj_list), sizeof_char, sizeof_char)]
        punctured = _puncturing(puncpat)
        if punctured is not None:
            self.blocks.append(fec.puncture_bb(*punctured, 0))
        self.connect(self, *self.blocks, self)


class extended_decoder(hier_block2):
    """A decoder behind what it needs: soft symbols of about ±1 as bytes, and what `puncpat` has left out.

    `threading`, `ann`, `integration_period`, `flush` and `rotator` are taken, and change nothing.

    Raises:
        NotImplementedError: puncturing of a code whose decoder takes floats.
    """

    def __init__(
        self,
        decoder_obj_list: Any,
        threading: str | None = None,
        ann: Any = None,
        puncpat: str | None = "11",
        integration_period: float = 10000,
        flush: Any = None,
        rotator: Any = None,
    ) -> None:
        from .modules import module

        super().__init__("extended_decoder", io_signature(1, 1, sizeof_float), io_signature(1, 1, sizeof_char))
        fec, blocks, self.puncpat = module("fec"), module("blocks"), puncpat
        decoder = _only("extended_decoder", decoder_obj_list)
        in_bytes = decoder.get_input_conversion() == "uchar"
        self.blocks: list[Any] = []
        if in_bytes:
            self.blocks += [blocks.multiply_const_ff(48.0), blocks.add_const_ff(decoder.get_shift()), blocks.float_to_uchar()]
        punctured = _puncturing(puncpat)
        if punctured is not None:
            if not in_bytes:
                raise NotImplementedError("fec.extended_decoder: puncpat is for decoders that take bytes")
            self.blocks.append(fec.depuncture_bb(*punctured, 0))
        self.blocks.append(fec.decoder(decoder, decoder.get_input_item_size(), sizeof_char))
        self.connect(self, *self.blocks, self)


BLOCKS: dict[str, Any] = {
    name: value
    for name, value in dict(globals()).items()
    if name.startswith(("CC_", "cc_", "repetition_", "dummy_", "extended_", "generic_"))
}
"""What the module `fec` has besides the table, by name."""
