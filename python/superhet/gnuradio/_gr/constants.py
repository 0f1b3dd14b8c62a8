"""Constants, enums and small functions of `gnuradio.gr`."""

from __future__ import annotations

import math
import os
import sys
import tempfile
import time
from enum import IntEnum
from pathlib import Path

__all__ = [
    "GR_LSB_FIRST",
    "GR_MSB_FIRST",
    "GW_BLOCK_DECIM",
    "GW_BLOCK_GENERAL",
    "GW_BLOCK_INTERP",
    "GW_BLOCK_SYNC",
    "RT_NOT_IMPLEMENTED",
    "RT_NO_PRIVS",
    "RT_OK",
    "RT_OTHER_ERROR",
    "RT_SCHED_FIFO",
    "RT_SCHED_RR",
    "branchless_quad_0deg_slicer",
    "branchless_quad_45deg_slicer",
    "fast_cc_multiply",
    "TPP_ALL_TO_ALL",
    "TPP_CUSTOM",
    "TPP_DONT",
    "TPP_ONE_TO_ONE",
    "WORK_CALLED_PRODUCE",
    "WORK_DONE",
    "api_version",
    "appdata_path",
    "binary_slicer",
    "branchless_binary_slicer",
    "branchless_clip",
    "clip",
    "enable_realtime_scheduling",
    "endianness_t",
    "fast_atan2f",
    "gw_block_t",
    "high_res_timer_epoch",
    "high_res_timer_now",
    "high_res_timer_now_perfmon",
    "high_res_timer_tps",
    "is_power_of_2",
    "major_version",
    "minor_version",
    "p2_modulo",
    "p2_modulo_neg",
    "p2_round_down",
    "p2_round_up",
    "prefix",
    "quad_0deg_slicer",
    "quad_45deg_slicer",
    "rt_sched_policy",
    "rt_status_t",
    "sizeof_char",
    "sizeof_double",
    "sizeof_float",
    "sizeof_gr_complex",
    "sizeof_int",
    "sizeof_short",
    "tag_propagation_policy_t",
    "tmp_path",
    "userconf_path",
    "version",
    "work_return_t",
]

sizeof_char = 1
sizeof_short = 2
sizeof_int = 4
sizeof_float = 4
sizeof_double = 8
sizeof_gr_complex = 8


class tag_propagation_policy_t(IntEnum):
    """What becomes of tags between a block's inputs and outputs."""

    TPP_DONT = 0
    TPP_ALL_TO_ALL = 1
    TPP_ONE_TO_ONE = 2
    TPP_CUSTOM = 3


class work_return_t(IntEnum):
    """What `work` gives instead of a number of items."""

    WORK_CALLED_PRODUCE = -2
    WORK_DONE = -1


class rt_status_t(IntEnum):
    """What became of the wish for real-time priority."""

    RT_OK = 0
    RT_NOT_IMPLEMENTED = 1
    RT_NO_PRIVS = 2
    RT_OTHER_ERROR = 3


class rt_sched_policy(IntEnum):
    """Policies of real-time scheduling."""

    RT_SCHED_RR = 0
    RT_SCHED_FIFO = 1


class endianness_t(IntEnum):
    """Which bit of a byte is the first."""

    GR_MSB_FIRST = 0
    GR_LSB_FIRST = 1


class gw_block_t(IntEnum):
    """Kinds of blocks that are written in Python."""

    GW_BLOCK_GENERAL = 0
    GW_BLOCK_SYNC = 1
    GW_BLOCK_DECIM = 2
    GW_BLOCK_INTERP = 3


TPP_DONT = tag_propagation_policy_t.TPP_DONT
TPP_ALL_TO_ALL = tag_propagation_policy_t.TPP_ALL_TO_ALL
TPP_ONE_TO_ONE = tag_propagation_policy_t.TPP_ONE_TO_ONE
TPP_CUSTOM = tag_propagation_policy_t.TPP_CUSTOM
WORK_DONE = work_return_t.WORK_DONE
WORK_CALLED_PRODUCE = work_return_t.WORK_CALLED_PRODUCE
RT_OK = rt_status_t.RT_OK
RT_NOT_IMPLEMENTED = rt_status_t.RT_NOT_IMPLEMENTED
RT_NO_PRIVS = rt_status_t.RT_NO_PRIVS
RT_OTHER_ERROR = rt_status_t.RT_OTHER_ERROR
RT_SCHED_RR = rt_sched_policy.RT_SCHED_RR
RT_SCHED_FIFO = rt_sched_policy.RT_SCHED_FIFO
GR_MSB_FIRST = endianness_t.GR_MSB_FIRST
GR_LSB_FIRST = endianness_t.GR_LSB_FIRST
GW_BLOCK_GENERAL = gw_block_t.GW_BLOCK_GENERAL
GW_BLOCK_SYNC = gw_block_t.GW_BLOCK_SYNC
GW_BLOCK_DECIM = gw_block_t.GW_BLOCK_DECIM
GW_BLOCK_INTERP = gw_block_t.GW_BLOCK_INTERP


# Which GNU Radio this stands in for.


def version() -> str:
    """The version of GNU Radio whose interface this is, for programs that ask; superhet's own is `superhet.__version__`."""
    return "3.10.5.1"


def major_version() -> str:
    """The first part of the version."""
    return "3"


def api_version() -> str:
    """The second part of the version."""
    return "10"


def minor_version() -> str:
    """The third part of the version."""
    return "5"


def appdata_path() -> str:
    """The user's folder for data of programs."""
    return os.environ.get("APPDATA") or str(Path.home())


def userconf_path() -> str:
    """The user's folder of settings."""
    return str(Path(appdata_path()) / ".gnuradio")


def tmp_path() -> str:
    """A folder for files that may be deleted."""
    return tempfile.gettempdir()


# Time. A tick is a nanosecond of a clock that is never set.


def high_res_timer_now() -> int:
    """Ticks since some moment."""
    return time.perf_counter_ns()


def high_res_timer_now_perfmon() -> int:
    """Ticks of processor time of the calling thread."""
    return time.thread_time_ns()


def high_res_timer_tps() -> int:
    """Ticks per second."""
    return 1_000_000_000


def high_res_timer_epoch() -> int:
    """What `high_res_timer_now` shows at the start of 1970."""
    return time.perf_counter_ns() - time.time_ns()


def enable_realtime_scheduling() -> rt_status_t:
    """Asks for real-time priority for the calling thread and those that it starts.

    Gives RT_OK, RT_NO_PRIVS where the system forbids it, or RT_NOT_IMPLEMENTED where it has none.
    """
    if not hasattr(os, "sched_setscheduler"):
        return RT_NOT_IMPLEMENTED
    lowest = os.sched_get_priority_min(os.SCHED_RR)
    middle = (lowest + os.sched_get_priority_max(os.SCHED_RR)) // 2
    try:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(middle))
    except PermissionError:
        return RT_NO_PRIVS
    except OSError:
        return RT_OTHER_ERROR
    return RT_OK


# Arithmetic.


def is_power_of_2(x: int) -> bool:
    """Whether `x` is a power of two; 0 counts as one, as in GNU Radio."""
    return x & (x - 1) == 0


def p2_round_down(x: int, pow2: int) -> int:
    """The multiple of a power of two that is not above `x`."""
    return x & -pow2


def p2_round_up(x: int, pow2: int) -> int:
    """The multiple of a power of two that is not below `x`."""
    return p2_round_down(x + pow2 - 1, pow2)


def p2_modulo(x: int, pow2: int) -> int:
    """What is left of `x` after whole multiples of a power of two."""
    return x & (pow2 - 1)


def p2_modulo_neg(x: int, pow2: int) -> int:
    """What `x` lacks to a multiple of a power of two."""
    return pow2 - p2_modulo(x, pow2)


def clip(x: float, clip: float) -> float:
    """`x` within -clip and clip."""
    return max(-clip, min(clip, x))


branchless_clip = clip


def binary_slicer(x: float) -> int:
    """1 for numbers from 0 on, 0 below."""
    return int(x >= 0)


branchless_binary_slicer = binary_slicer


def quad_45deg_slicer(r: complex, i: float | None = None) -> int:
    """The quadrant of a point: 0 is the first, then counter-clockwise."""
    re, im = (r, i) if i is not None else (complex(r).real, complex(r).imag)
    return (0 if re >= 0 else 1) if im >= 0 else (2 if re < 0 else 3)  # type: ignore[operator]


def quad_0deg_slicer(r: complex, i: float | None = None) -> int:
    """The quarter of the plane around 1 (0), i (1), -1 (2) or -i (3) that a point lies in."""
    re, im = (r, i) if i is not None else (complex(r).real, complex(r).imag)
    if abs(re) > abs(im):
        return 0 if re > 0 else 2  # type: ignore[operator]
    return 1 if im > 0 else 3


branchless_quad_45deg_slicer = quad_45deg_slicer
branchless_quad_0deg_slicer = quad_0deg_slicer


def fast_cc_multiply(out: complex, cc1: complex, cc2: complex) -> complex:
    """The product of two numbers; `out` is not used."""
    return complex(cc1) * complex(cc2)


def fast_atan2f(y: complex, x: float | None = None) -> float:
    """The angle of a point in radians, exactly: `fast_atan2f(y, x)` or `fast_atan2f(z)`."""
    return math.atan2(y, x) if x is not None else math.atan2(complex(y).imag, complex(y).real)  # type: ignore[arg-type]


def prefix() -> str:
    """The folder that GNU Radio's data is installed in, `share/gnuradio`, where there is one; else that of Python."""
    places = (sys.prefix, "/usr/local", "/usr")
    return next((place for place in places if (Path(place) / "share/gnuradio").is_dir()), sys.prefix)
