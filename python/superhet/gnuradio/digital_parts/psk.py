"""Constellations for PSK: `digital.psk`."""

from __future__ import annotations

import numpy as np

from .constellation import constellation_bpsk, constellation_dqpsk, constellation_psk, constellation_qpsk
from .utils import mod_codes
from .utils.gray_code import gray_code


def check_code(mod_code: str) -> None:
    """Raises ValueError unless it is a code that constellations here can have."""
    if mod_code not in mod_codes.codes:
        raise ValueError(f"That modulation code does not exist: {mod_code!r} is none of {', '.join(mod_codes.codes)}.")
    if mod_code == mod_codes.SET_PARTITION_CODE:
        raise ValueError("That modulation code is not implemented for this constellation.")


def create_encodings(mod_code: str, arity: int, differential: bool) -> tuple[list[int], list[int] | None]:
    """The code before differential encoding and the one after it (None: none) for so many symbols."""
    check_code(mod_code)
    if mod_code == mod_codes.NO_CODE:
        return [], None
    code = gray_code(arity)
    return (code, None) if differential else ([], code)


def psk_constellation(m: int = 4, mod_code: str = mod_codes.GRAY_CODE, differential: bool = True) -> constellation_psk:
    """`m` points on the unit circle from 1 on, a power of two; with Gray coding before differential encoding, or of the points.

    Raises:
        ValueError: `m` is no power of two, or the code does not exist.
    """
    if m < 2 or m & (m - 1):
        raise ValueError(f"Number of constellation points must be a power of two, got {m}.")
    points = np.exp(2j * np.pi * np.arange(m) / m)
    before, after = create_encodings(mod_code, m, differential)
    if after is not None:
        points = points[mod_codes.invert_code(after)]
    return constellation_psk(points, before, m)


def bpsk_constellation() -> constellation_bpsk:
    """BPSK."""
    return constellation_bpsk()


def dbpsk_constellation() -> constellation_psk:
    """BPSK for differential encoding. GNU Radio's own raises AttributeError."""
    return psk_constellation(2, mod_codes.GRAY_CODE, True)


def qpsk_constellation() -> constellation_qpsk:
    """QPSK."""
    return constellation_qpsk()


def dqpsk_constellation() -> constellation_dqpsk:
    """QPSK for differential encoding."""
    return constellation_dqpsk()
