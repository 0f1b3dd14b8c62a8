"""Numbers with the letters of engineers, `1.5M`: `gnuradio.eng_notation`."""

from __future__ import annotations

scale_factor = {
    "E": 1e18,
    "P": 1e15,
    "T": 1e12,
    "G": 1e9,
    "M": 1e6,
    "k": 1e3,
    "m": 1e-3,
    "u": 1e-6,
    "n": 1e-9,
    "p": 1e-12,
    "f": 1e-15,
    "a": 1e-18,
}

_PRINTED = [(scale_factor[letter], letter) for letter in "GMk"] + [(1.0, "")] + [(scale_factor[c], c) for c in "munpf"]


def num_to_str(n: float, precision: int = 6) -> str:
    """The number with a letter from f to G: `num_to_str(5e-9)` is `5.0n`."""
    n = float(n)
    for scale, letter in _PRINTED:
        if abs(n) >= scale:
            return f"{float(f'{n / scale:.{precision}g}')}{letter}"
    return str(float(f"{n:.{precision}g}"))


def str_to_num(value: str) -> float:
    """The number of a text such as `15m`; ValueError where it is none."""
    text = str(value)
    try:
        if text and text[-1] in scale_factor:
            return float(text[:-1]) * scale_factor[text[-1]]
        return float(text)
    except ValueError:
        raise ValueError(f"Invalid engineering notation value: {value!r}") from None
