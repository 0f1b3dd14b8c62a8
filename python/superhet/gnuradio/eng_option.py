"""Types of options for `optparse`, `1.5M` and `0x1F`: `gnuradio.eng_option`."""

from __future__ import annotations

from optparse import Option, OptionValueError

from . import eng_notation


def check_eng_float(option: Option, opt: str, value: str) -> float:
    """A number in engineers' notation."""
    try:
        return eng_notation.str_to_num(value)
    except ValueError:
        raise OptionValueError(f"option {opt}: invalid engineering notation value: {value!r}") from None


def check_intx(option: Option, opt: str, value: str) -> int:
    """A whole number, decimal, or as `0x1F`, `0o17` or `0b101`."""
    try:
        return int(value, 0)
    except ValueError:
        raise OptionValueError(f"option {opt}: invalid integer value: {value!r}") from None


class eng_option(Option):
    """`OptionParser(option_class=eng_option)` knows the types `eng_float`, `intx` and `subdev`."""

    TYPES = (*Option.TYPES, "eng_float", "intx", "subdev")
    TYPE_CHECKER = {**Option.TYPE_CHECKER, "eng_float": check_eng_float, "intx": check_intx}
