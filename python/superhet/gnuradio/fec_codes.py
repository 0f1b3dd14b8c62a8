"""Codes as objects: what encoders and decoders of `gnuradio.fec` are made of.

The objects say which code it is, and do nothing themselves.
"""

from __future__ import annotations

import os
from enum import IntEnum
from typing import Any, Callable, Sequence

from ._gr.constants import sizeof_char, sizeof_float


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

    def __init__(
        self,
        code: dict[str, Any],
        sizes: tuple[int, int],
        shift: float = 0.0,
        soft: str = "float",
        rate: float | None = None,
        frames: Callable[[int], tuple[dict[str, Any], tuple[int, int]]] | None = None,
        history: int = 0,
    ) -> None:
        self._code, self._sizes, self._shift, self._soft = code, sizes, shift, soft
        self._rate = sizes[1] / sizes[0] if rate is None else rate
        # What the code is with frames of other sizes, and the longest, in bits.
        self._frames, self._most, self._history = frames, min(sizes), history

    def __superhet__(self) -> dict[str, Any]:
        """The code as the library's blocks take it."""
        return self._code

    def rate(self) -> float:
        """Items that come out, by those that go in, without the ends of frames; of a block code its bits of information by all, as there."""
        return self._rate

    def set_frame_size(self, frame_size: int) -> bool:
        """Changes how many bits a frame has, to as many as it was made with at most; not of a block code. Whether it has so many now."""
        if self._frames is None or frame_size < 1:
            return False
        self._code, self._sizes = self._frames(min(int(frame_size), self._most))
        return frame_size <= self._most

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

    def get_history(self) -> int:
        """Symbols behind a frame that its decoder looks at there; the library's looks further by itself."""
        return self._history

    def get_iterations(self) -> float:
        """How many rounds the last frame took: −1, which is not known."""
        return -1.0


def _convolutional(
    name: str, frame_size: int, k: int, rate: int, polys: Sequence[int], start_state: int, end_state: int, mode: int, padded: bool
) -> tuple[dict[str, Any], tuple[int, int]]:
    if not 2 <= k <= 15 or not 1 <= rate <= 8 or rate != len(polys):
        raise NotImplementedError(
            f"fec.{name}: there are codes with k from 2 to 15, rate from 1 to 8 and as many polys, "
            f"not k = {k}, rate = {rate}, polys = {list(polys)}"
        )
    if start_state != 0 or end_state not in (0, -1):
        raise NotImplementedError(f"fec.{name}: frames begin in state 0, not {start_state}, and end there or anywhere")
    mode = cc_mode_t(mode)
    padded = padded and mode == CC_TERMINATED
    frames = "padded" if padded else mode.name.removeprefix("CC_").lower()
    code = {
        "kind": "convolutional",
        "frame_bits": int(frame_size),
        "frames": frames,
        "constraint": int(k),
        "polynomials": list(polys),
    }
    tail = int(rate) * (k - 1) if mode == CC_TERMINATED else 0
    # Of what is padded only that behind the bits becomes whole bytes, as there.
    tail += -tail % 8 if padded else 0
    return code, (int(frame_size), int(rate) * int(frame_size) + tail)


def cc_encoder_make(
    frame_size: int,
    k: int,
    rate: int,
    polys: Sequence[int],
    start_state: int = 0,
    mode: int = CC_STREAMING,
    padded: bool = False,
) -> generic_coder:
    """An encoder of the convolutional code with `rate` polynomials, `k` from 2 to 15.

    Raises:
        NotImplementedError: other numbers, or another state.
    """

    def frames(size: int) -> tuple[dict[str, Any], tuple[int, int]]:
        return _convolutional("cc_encoder_make", size, k, rate, polys, start_state, -1, mode, padded)

    return generic_coder(*frames(frame_size), rate=float(rate), frames=frames)


def ccsds_encoder_make(frame_size: int, start_state: int = 0, mode: int = CC_STREAMING) -> generic_coder:
    """An encoder of the code of rate 1/2 with k = 7 that space links use (CCSDS 131.0-B), its second polynomial not inverted.

    Raises:
        NotImplementedError: another state.
    """
    return cc_encoder_make(frame_size, 7, 2, [109, 79], start_state, mode)


def repetition_encoder_make(frame_size: int, rep: int) -> generic_coder:
    """An encoder that says each bit `rep` times."""

    def frames(size: int) -> tuple[dict[str, Any], tuple[int, int]]:
        return {"kind": "repetition", "repetitions": int(rep)}, (int(size), int(size) * int(rep))

    return generic_coder(*frames(frame_size), frames=frames)


def dummy_encoder_make(frame_size: int, pack: bool = False, packed_bits: bool = False) -> generic_coder:
    """An encoder that says each bit once.

    Raises:
        NotImplementedError: bits are packed.
    """
    if pack or packed_bits:
        raise NotImplementedError("fec.dummy_encoder_make: bits are one a byte, not packed")
    return _dummy(frame_size)


def _dummy(frame_size: int) -> generic_coder:
    def frames(size: int) -> tuple[dict[str, Any], tuple[int, int]]:
        return {"kind": "dummy"}, (int(size), int(size))

    return generic_coder(*frames(frame_size), frames=frames)


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
            NotImplementedError: other numbers, or another state.
        """

        def frames(size: int) -> tuple[dict[str, Any], tuple[int, int]]:
            code, sizes = _convolutional("cc_decoder.make", size, k, rate, polys, start_state, end_state, mode, padded)
            return code, sizes[::-1]

        history = rate * (k - 1) if mode == CC_STREAMING else 0
        return generic_coder(*frames(frame_size), 128.0, "uchar", 1 / rate, frames, history)


class repetition_decoder:
    """Decoders of repeated bits."""

    @staticmethod
    def make(frame_size: int, rep: int, ap_prob: float = 0.5) -> generic_coder:
        """A decoder that decides by the majority, or by another part of all."""

        def frames(size: int) -> tuple[dict[str, Any], tuple[int, int]]:
            code = {"kind": "repetition", "repetitions": int(rep), "threshold": float(ap_prob)}
            return code, (int(size) * int(rep), int(size))

        return generic_coder(*frames(frame_size), frames=frames)


class dummy_decoder:
    """Decoders of bits that are said once."""

    @staticmethod
    def make(frame_size: int) -> generic_coder:
        """A decoder that decides for each bit alone."""
        return _dummy(frame_size)


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


def _function(name: str, **settings: Any) -> dict[str, Any]:
    """What a function of the library gives."""
    from superhet import _functions

    make = _functions.function(name)
    assert make is not None
    code: dict[str, Any] = make(**settings)
    return code


def _block_encoder(code: dict[str, Any], sizes: tuple[int, int]) -> generic_coder:
    return generic_coder(code, sizes, rate=sizes[0] / sizes[1])


def _polar(
    name: str,
    block_size: int,
    num_info_bits: int,
    frozen_bit_positions: Sequence[int],
    frozen_bit_values: Sequence[int],
    **settings: Any,
) -> tuple[dict[str, Any], tuple[int, int]]:
    """A polar code, and how many bits go in and come out of its encoder."""
    places, values = [int(place) for place in frozen_bit_positions], [int(value) for value in frozen_bit_values]
    # GNU Radio takes what is missing for zeros.
    values += [0] * (len(places) - len(values))
    sizes = (int(num_info_bits), int(block_size))
    if len(places) != sizes[1] - sizes[0]:
        raise ValueError(
            f"fec.{name}: block_size = {block_size} and num_info_bits = {num_info_bits} leave {sizes[1] - sizes[0]} "
            f"frozen bits, not {len(places)}"
        )
    code = _function("code.polar", block_bits=sizes[1], info_bits=sizes[0], frozen=places, frozen_values=values, **settings)
    return code, sizes


def polar_encoder_make(
    block_size: int,
    num_info_bits: int,
    frozen_bit_positions: Sequence[int],
    frozen_bit_values: Sequence[int],
    is_packed: bool = False,
) -> generic_coder:
    """An encoder of a polar code; of packed bits, eight a byte, the first in the highest, with `is_packed`.

    Raises:
        ValueError: there are not as many frozen bits as the sizes leave, or packed bits that fill no bytes.
    """
    name = "polar_encoder_make"
    code, sizes = _polar(name, block_size, num_info_bits, frozen_bit_positions, frozen_bit_values)
    if not is_packed:
        return _block_encoder(code, sizes)
    if sizes[0] % 8 or sizes[1] % 8:
        raise ValueError(f"fec.{name}: expected packed bits that fill bytes, got num_info_bits = {sizes[0]} and block_size = {sizes[1]}")
    return packed_encoder(_block_encoder(code, sizes))


class packed_encoder(generic_coder):
    """An encoder whose bits are packed, eight a byte; `bits` is the same of bits that are one a byte."""

    def __init__(self, bits: generic_coder) -> None:
        sizes = bits.get_input_size() // 8, bits.get_output_size() // 8
        super().__init__(bits._code, sizes, rate=bits.rate())
        self.bits = bits

    def get_input_conversion(self) -> str:
        """What bits become before they go in."""
        return "pack"

    def get_output_conversion(self) -> str:
        """What comes out becomes."""
        return "packed_bits"


def polar_encoder_systematic_make(block_size: int, num_info_bits: int, frozen_bit_positions: Sequence[int]) -> generic_coder:
    """An encoder of a polar code that also sends the bits as they are; frozen bits are zeros."""
    name = "polar_encoder_systematic_make"
    return _block_encoder(*_polar(name, block_size, num_info_bits, frozen_bit_positions, [], systematic=True))


class polar_encoder:
    """Encoders of polar codes."""

    make = staticmethod(polar_encoder_make)


class polar_encoder_systematic:
    """Encoders of systematic polar codes."""

    make = staticmethod(polar_encoder_systematic_make)


class polar_decoder_sc:
    """Decoders of polar codes by successive cancellation."""

    @staticmethod
    def make(
        block_size: int, num_info_bits: int, frozen_bit_positions: Sequence[int], frozen_bit_values: Sequence[int]
    ) -> generic_coder:
        """A decoder; soft symbols are positive for a one."""
        name = "polar_decoder_sc.make"
        code, sizes = _polar(name, block_size, num_info_bits, frozen_bit_positions, frozen_bit_values)
        return generic_coder(code, sizes[::-1])


class polar_decoder_sc_list:
    """Decoders of polar codes that follow several ways."""

    @staticmethod
    def make(
        max_list_size: int,
        block_size: int,
        num_info_bits: int,
        frozen_bit_positions: Sequence[int],
        frozen_bit_values: Sequence[int],
    ) -> generic_coder:
        """A decoder that follows `max_list_size` ways, 64 at most; soft symbols are positive for a one."""
        settings = {"list_size": int(max_list_size)}
        name = "polar_decoder_sc_list.make"
        code, sizes = _polar(name, block_size, num_info_bits, frozen_bit_positions, frozen_bit_values, **settings)
        return generic_coder(code, sizes[::-1])


class polar_decoder_sc_systematic:
    """Decoders of systematic polar codes by successive cancellation."""

    @staticmethod
    def make(block_size: int, num_info_bits: int, frozen_bit_positions: Sequence[int]) -> generic_coder:
        """A decoder; soft symbols are positive for a one."""
        name = "polar_decoder_sc_systematic.make"
        code, sizes = _polar(name, block_size, num_info_bits, frozen_bit_positions, [], systematic=True)
        return generic_coder(code, sizes[::-1])


def _ldpc(path: Any, **settings: Any) -> tuple[dict[str, Any], tuple[int, int]]:
    """The code of the matrix in a file, and how many bits go in and come out of its encoder."""
    code = _function("code.ldpc", alist=os.fspath(path), **settings)
    return code, (code["info_bits"], code["block_bits"])


class _matrix:
    """A matrix that says a code."""

    def __init__(self, filename: Any, **settings: Any) -> None:
        self._filename, self._settings = filename, settings
        self._sizes = _ldpc(filename, **settings)[1]

    def n(self) -> int:
        """How many bits a block has."""
        return self._sizes[1]

    def k(self) -> int:
        """How many of them are information."""
        return self._sizes[0]

    def get_base_sptr(self) -> _matrix:
        """The matrix itself."""
        return self

    def _code(self, **settings: Any) -> tuple[dict[str, Any], tuple[int, int]]:
        return _ldpc(self._filename, **self._settings, **settings)


class ldpc_H_matrix(_matrix):
    """The parity-check matrix in a file; `gap` is taken, and changes nothing: any matrix will do."""

    def __init__(self, filename: Any, gap: int) -> None:
        super().__init__(filename)


class ldpc_G_matrix(_matrix):
    """The generator matrix in a file, which begins with the identity."""

    def __init__(self, filename: Any) -> None:
        super().__init__(filename, generator=True)


def ldpc_encoder_make(alist_file: Any) -> generic_coder:
    """An encoder of the code whose parity-check matrix is in a file."""
    return _block_encoder(*_ldpc(alist_file))


def ldpc_par_mtrx_encoder_make(alist_file: Any, gap: int = 0) -> generic_coder:
    """The same; `gap` is taken, and changes nothing."""
    return _block_encoder(*_ldpc(alist_file))


def ldpc_par_mtrx_encoder_make_H(H_obj: ldpc_H_matrix) -> generic_coder:
    """An encoder of the code of a parity-check matrix."""
    return _block_encoder(*H_obj._code())


def ldpc_gen_mtrx_encoder_make(G_obj: ldpc_G_matrix) -> generic_coder:
    """An encoder of the code of a generator matrix."""
    return _block_encoder(*G_obj._code())


class ldpc_encoder:
    """Encoders of the codes of files."""

    make = staticmethod(ldpc_encoder_make)


class ldpc_par_mtrx_encoder:
    """Encoders of the codes of parity-check matrices."""

    make, make_H = staticmethod(ldpc_par_mtrx_encoder_make), staticmethod(ldpc_par_mtrx_encoder_make_H)


class ldpc_gen_mtrx_encoder:
    """Encoders of the codes of generator matrices."""

    make = staticmethod(ldpc_gen_mtrx_encoder_make)


class ldpc_decoder:
    """Decoders by belief propagation."""

    @staticmethod
    def make(alist_file: Any, sigma: float = 0.5, max_iterations: int = 50) -> generic_coder:
        """A decoder of the code whose parity-check matrix is in a file; soft symbols are about ±1, with noise of `sigma`."""
        code, sizes = _ldpc(alist_file, sigma=float(sigma), max_iterations=int(max_iterations))
        return generic_coder(code, sizes[::-1])


class ldpc_bit_flip_decoder:
    """Decoders that know hard bits only."""

    @staticmethod
    def make(mtrx_obj: Any, max_iter: int = 100) -> generic_coder:
        """A decoder of the code of a matrix."""
        code, sizes = mtrx_obj._code(decoder="bit_flip", max_iterations=int(max_iter))
        return generic_coder(code, sizes[::-1])


ldpc_decoder_make = ldpc_decoder.make


def _product(
    name: str, row_poly: Sequence[int], col_poly: Sequence[int], krow: int, kcol: int, bval: int, qval: int, **settings: Any
) -> tuple[dict[str, Any], tuple[int, int]]:
    """A product code, and how many bits go in and come out of its encoder."""
    if len(row_poly) != 1 or len(col_poly) != 1:
        raise NotImplementedError(
            f"fec.{name}: rows and columns are words of one polynomial each, got row_poly = {list(row_poly)} and "
            f"col_poly = {list(col_poly)}"
        )
    row, column = int(row_poly[0]), int(col_poly[0])
    code = _function(
        "code.product",
        row_bits=int(krow),
        column_bits=int(kcol),
        row_polynomial=row,
        column_polynomial=column,
        omitted=int(bval),
        zeros=int(qval),
        **settings,
    )
    width, height = krow + row.bit_length() - 1, kcol + column.bit_length() - 1
    return code, (krow * kcol - bval - qval, width * height - bval)


def tpc_encoder_make(row_poly: Sequence[int], col_poly: Sequence[int], krow: int, kcol: int, bval: int, qval: int) -> generic_coder:
    """An encoder of a product code: rows of `krow` bits and columns of `kcol`, the first `bval` of which are zeros that are not sent, and
    the next `qval` zeros that are.

    Raises:
        NotImplementedError: rows or columns have several polynomials.
    """
    return _block_encoder(*_product("tpc_encoder_make", row_poly, col_poly, krow, kcol, bval, qval))


def tpc_decoder_make(
    row_poly: Sequence[int],
    col_poly: Sequence[int],
    krow: int,
    kcol: int,
    bval: int,
    qval: int,
    max_iter: int = 6,
    decoder_type: int = 0,
) -> generic_coder:
    """A decoder of what `tpc_encoder_make` encodes, of soft symbols of about ±1; `decoder_type` is taken, and changes nothing.

    Raises:
        NotImplementedError: rows or columns have several polynomials.
    """
    name = "tpc_decoder_make"
    code, sizes = _product(name, row_poly, col_poly, krow, kcol, bval, qval, max_iterations=int(max_iter))
    return generic_coder(code, sizes[::-1], rate=sizes[0] / sizes[1])


class tpc_encoder:
    """Encoders of product codes."""

    make = staticmethod(tpc_encoder_make)


class tpc_decoder:
    """Decoders of product codes."""

    make = staticmethod(tpc_decoder_make)


generic_encoder = generic_decoder = generic_coder


def _asked(method: str) -> Callable[[generic_coder], Any]:
    def ask(coder: generic_coder) -> Any:
        return getattr(coder, method)()

    return ask


def _questions() -> dict[str, Any]:
    """The functions that ask a coder, `get_encoder_input_size` and kin."""
    found = {f"get_{name}": _asked(f"get_{name}") for name in ("shift", "history")}
    for side in ("encoder", "decoder"):
        for name in ("input_size", "output_size", "input_conversion", "output_conversion"):
            found[f"get_{side}_{name}"] = _asked(f"get_{name}")
    return found | {f"get_decoder_{name}": _asked(f"get_{name}") for name in ("input_item_size", "output_item_size")}


CODES: dict[str, Any] = _questions() | {
    name: value
    for name, value in dict(globals()).items()
    if name.startswith(("CC_", "cc_", "ccsds_", "repetition_", "dummy_", "generic_", "polar_", "ldpc_", "tpc_"))
}
"""The objects, by name."""
