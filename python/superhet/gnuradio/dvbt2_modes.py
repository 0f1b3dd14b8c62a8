"""What the blocks of DVB-T2 share: names of settings, and how a frame is made of symbols. ETSI EN 302 755, clauses 8.3 and 9."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

from .dvbt2_tables import CONTINUAL
from .errors import missing

CONSTANTS: dict[str, int] = dict(
    BANDWIDTH_10_0_MHZ=5, BANDWIDTH_1_7_MHZ=0, BANDWIDTH_5_0_MHZ=1, BANDWIDTH_6_0_MHZ=2, BANDWIDTH_7_0_MHZ=3, BANDWIDTH_8_0_MHZ=4,
    CARRIERS_EXTENDED=1, CARRIERS_NORMAL=0, EQUALIZATION_OFF=0, EQUALIZATION_ON=1, FFTSIZE_16K=4, FFTSIZE_16K_T2GI=11,
    FFTSIZE_1K=3, FFTSIZE_2K=0, FFTSIZE_32K=5, FFTSIZE_32K_T2GI=7, FFTSIZE_4K=2, FFTSIZE_8K=1, FFTSIZE_8K_T2GI=6,
    GI_19_128=5, GI_19_256=6, GI_1_128=4, L1_MOD_16QAM=2, L1_MOD_64QAM=3, L1_MOD_BPSK=0, L1_MOD_QPSK=1, L1_SCRAMBLED_OFF=0,
    L1_SCRAMBLED_ON=1, MISO_TX1=0, MISO_TX2=1, PAPR_ACE=1, PAPR_BOTH=3, PAPR_OFF=0, PAPR_TR=2, PILOT_PP1=0, PILOT_PP2=1,
    PILOT_PP3=2, PILOT_PP4=3, PILOT_PP5=4, PILOT_PP6=5, PILOT_PP7=6, PILOT_PP8=7, PREAMBLE_NON_T2=2, PREAMBLE_T2_LITE_MISO=4,
    PREAMBLE_T2_LITE_SISO=3, PREAMBLE_T2_MISO=1, PREAMBLE_T2_SISO=0, RESERVED_OFF=0, RESERVED_ON=1, ROTATION_OFF=0,
    ROTATION_ON=1, SHOWLEVELS_OFF=0, SHOWLEVELS_ON=1, STREAMTYPE_BOTH=2, STREAMTYPE_GS=1, STREAMTYPE_TS=0, VERSION_111=0,
    VERSION_121=1, VERSION_131=2,
)  # fmt: skip
"""Numbers that have names."""

SIZES = {0: 2, 1: 8, 2: 4, 3: 1, 4: 16, 5: 32, 6: 8, 7: 32, 11: 16}
"""The size of the transform in 1024, by its number, whose last three bits are signalled."""

GUARDS = {0: (1, 32), 1: (1, 16), 2: (1, 8), 3: (1, 4), 4: (1, 128), 5: (19, 128), 6: (19, 256)}
"""The guard interval as a part of the symbol, by its number."""

FIRST_SYMBOLS = {1: 16, 2: 8, 4: 4, 8: 2, 16: 1, 32: 1}
"""Symbols P2 of a frame."""

FIRST_CELLS = {1: (558, 546), 2: (1118, 1098), 4: (2236, 2198), 8: (4472, 4398), 16: (8944, 8814), 32: (22432, 17612)}
"""Cells of a symbol P2, without and with two transmitters."""

CARRIERS = {1: 853, 2: 1705, 4: 3409, 8: 6817, 16: 13633, 32: 27265}
MORE = {8: 48, 16: 144, 32: 288}
"""Carriers, and those besides at each end of a spectrum with more of them."""

SPACING = {1: (3, 4), 2: (6, 2), 3: (6, 4), 4: (12, 2), 5: (12, 4), 6: (24, 2), 7: (24, 4), 8: (6, 16)}
"""By the pattern of pilots: how far scattered pilots move from symbol to symbol, and after how many they are back."""

RESERVED_COUNT = {1: 10, 2: 18, 4: 36, 8: 72, 16: 144, 32: 288}
"""Carriers of a symbol for the reduction of peaks."""

_CELLS = {
    (1, 0): "764 768 798 804 818", (2, 0): "1522 1532 1596 1602 1632 - 1646", (4, 0): "3084 3092 3228 3234 3298 - 3328",
    (8, 0): "6208 6214 6494 6498 6634 - 6698 6698", (8, 1): "6296 6298 6584 6588 6728 - 6788 6788",
    (16, 0): "12418 12436 12988 13002 13272 13288 13416 13406", (16, 1): "12678 12698 13262 13276 13552 13568 13698 13688",
    (32, 0): "- 24886 - 26022 - 26592 26836 26812", (32, 1): "- 25412 - 26572 - 27152 27404 27376",
}  # fmt: skip
"""Cells of a symbol of data, by size and spectrum, for each pattern of pilots: table 42."""

_LAST = {
    (1, 0): "568/402 710/654 710/490 780/707 780/544", (2, 0): "1136/804 1420/1309 1420/980 1562/1415 1562/1088 - 1632/1396",
    (4, 0): "2272/1609 2840/2619 2840/1961 3124/2831 3124/2177 - 3266/2792",
    (8, 0): "4544/3218 5680/5238 5680/3922 6248/5662 6248/4354 - 6532/5585",
    (8, 1): "4608/3264 5760/5312 5760/3978 6336/5742 6336/4416 - 6624/5664",
    (16, 0): "9088/6437 11360/10476 11360/7845 12496/11324 12496/8709 13064/11801 13064/11170",
    (16, 1): "9280/6573 11600/10697 11600/8011 12760/11563 12760/8893 13340/12051 13340/11406",
    (32, 0): "- 22720/20952 - 24992/22649 - 26128/23603", (32, 1): "- 23200/21395 - 25520/23127 - 26680/24102",
}  # fmt: skip
"""Cells of the symbol that closes a frame, and how many of them carry data: table 43 and 44."""

_OPEN = {(7, 4), (4, 0), (2, 1), (2, 6)}
"""Patterns of pilots with guard intervals that need no symbol to close a frame; nor does pattern 8."""


@dataclass(frozen=True)
class Mode:
    """How the symbols of a frame are made: the size of the transform in 1024, whether there are more carriers, the pattern of pilots, the
    number of the guard interval, symbols of data, whether carriers are reserved, and whether there are two transmitters."""

    size: int
    is_wide: bool
    pattern: int
    guard: int
    data_symbols: int
    is_reserved: bool
    is_double: bool

    @property
    def more(self) -> int:
        """Carriers besides at each end."""
        return MORE[self.size] if self.is_wide else 0

    @property
    def carriers(self) -> int:
        """Carriers of a symbol."""
        return CARRIERS[self.size] + 2 * self.more

    @property
    def first(self) -> int:
        """Symbols P2."""
        return FIRST_SYMBOLS[self.size]

    @property
    def symbols(self) -> int:
        """Symbols of a frame, without P1."""
        return self.first + self.data_symbols

    @property
    def is_closed(self) -> bool:
        """Whether the last symbol closes the frame."""
        has_none = self.pattern == 8 or (self.pattern, self.guard) in _OPEN or (self.size, self.pattern) == (32, 7)
        return not has_none

    def _entry(self, table: dict[tuple[int, int], str]) -> str:
        words = table[self.size, int(self.is_wide)].split()
        return words[self.pattern - 1] if self.pattern <= len(words) else "-"

    @property
    def last_cells(self) -> tuple[int, int]:
        """Cells of the symbol that closes the frame, and how many carry data."""
        less = RESERVED_COUNT[self.size] if self.is_reserved else 0
        cells, used = map(int, self._entry(_LAST).split("/"))
        return cells - less, used - less

    @functools.cached_property
    def cells(self) -> list[int]:
        """Cells of each symbol of a frame."""
        less = RESERVED_COUNT[self.size] if self.is_reserved else 0
        found = [FIRST_CELLS[self.size][self.is_double]] * self.first
        found += [int(self._entry(_CELLS)) - less] * self.data_symbols
        if self.is_closed:
            found[-1] = self.last_cells[0]
        return found

    @property
    def unused(self) -> int:
        """Cells at the end of a frame that are zero."""
        return self.last_cells[0] - self.last_cells[1] if self.is_closed else 0


def mode(
    block: str, carriermode: Any, fftsize: Any, pattern: Any, guard: Any, data_symbols: int, papr: Any = 0, is_double: bool = False
) -> Mode:
    """The mode that these settings say.

    Raises:
        ValueError: the standard does not have them together, or there is no symbol of data.
    """
    size = SIZES.get(int(fftsize))
    if size is None:
        raise missing("setting", f"dtv.{block}(fftsize={fftsize})", [name for name in CONSTANTS if name.startswith("FFTSIZE_")])
    wide, number = bool(int(carriermode)) and size in MORE, int(pattern) + 1
    if (size, number) not in CONTINUAL:
        known = ", ".join(f"PP{one}" for of, one in CONTINUAL if of == size)
        raise ValueError(f"{block}: expected a pattern of pilots of {size}K: {known}, got PP{number}")
    if int(guard) not in GUARDS:
        raise ValueError(f"{block}: expected a guard interval, got {guard}")
    if data_symbols < 1:
        raise ValueError(f"{block}: expected symbols of data, got {data_symbols}")
    reserved = int(papr) in (CONSTANTS["PAPR_TR"], CONSTANTS["PAPR_BOTH"])
    return Mode(size, wide, number, int(guard), int(data_symbols), reserved, is_double)


def is_double(preamble: Any) -> bool:
    """Whether there are two transmitters."""
    return int(preamble) in (CONSTANTS["PREAMBLE_T2_MISO"], CONSTANTS["PREAMBLE_T2_LITE_MISO"])


def places(distances: str) -> list[int]:
    """Carriers from their distances."""
    found, at = [], 0
    for word in distances.split():
        at += int(word)
        found.append(at)
    return found


@functools.cache
def shift_register(width: int, taps: tuple[int, ...], count: int) -> list[int]:
    """States of a register: 0, 0, 1, then each its predecessor moved down by a place, with the sum of the bits of `taps` above.

    So interleavers of cells and of carriers begin (clauses 6.4 and 8.5).
    """
    found, state = [0, 0, 1], 1
    while len(found) < count:
        bit = 0
        for tap in taps:
            bit ^= state >> tap & 1
        state = state >> 1 | bit << (width - 1)
        found.append(state)
    return found[:count]
