"""Finds where two sequences match, for tests: `digital.utils.alignment`."""

from __future__ import annotations

import random
from typing import Sequence

def_num_samples = 1000
def_max_offset = 500
def_correct_cutoff = 0.9


def random_sample(size: int, num_samples: int = def_num_samples, seed: int | None = None) -> list[int]:
    """At most `num_samples` different indices below `size`, in order."""
    if num_samples >= size:
        return list(range(size))
    return sorted(random.Random(seed).sample(range(size), num_samples))


def compare_sequences(
    d1: Sequence[object], d2: Sequence[object], offset: int, sample_indices: Sequence[int] | None = None
) -> tuple[int, int]:
    """How many entries match, and how many were compared: `d1[k + offset]` with `d2[k]` for the indices `k`."""
    indices = sample_indices if sample_indices is not None else range(len(d2))
    pairs = [(d1[k + offset], d2[k]) for k in indices if 0 <= k < len(d2) and 0 <= k + offset < len(d1)]
    return sum(a == b for a, b in pairs), len(pairs)


def align_sequences(
    d1: Sequence[object],
    d2: Sequence[object],
    num_samples: int = def_num_samples,
    max_offset: int = def_max_offset,
    correct_cutoff: float = def_correct_cutoff,
    seed: int | None = None,
    indices: Sequence[int] | None = None,
) -> tuple[float, int, int, Sequence[int]]:
    """The offset at which they match best: `(fraction that matches, entries compared, offset, indices)`.

    Offsets are tried outwards from 0; the search ends where the fraction is above `correct_cutoff`.
    """
    if indices is None:
        indices = random_sample(len(d2), num_samples, seed)
    best = (0.0, 0, 0)
    for distance in range(max_offset + 1):
        for offset in (distance, -distance) if distance else (0,):
            matching, compared = compare_sequences(d1, d2, offset, indices)
            fraction = matching / compared if compared else 0.0
            if fraction > best[0]:
                best = (fraction, compared, offset)
            if fraction > correct_cutoff:
                return *best, indices
    return *best, indices
