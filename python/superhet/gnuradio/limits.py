"""Where streams end before their sources: what `head` and other ends say of the streams before them.

In GNU Radio a block ends as soon as one of the blocks that read it has ended, with superhet when all have. Between the two lies only how
far the other readers come; so those get a `head` of their own where an output is read by more than one block, and one of them ends.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Iterable

from superhet import _catalog

if TYPE_CHECKING:
    from .elements import Element, Link

IN_STEP = ("math", "convert", "analog", "demod")
"""The kinds of blocks that give an item for each of every input, but for those in `OTHERS`."""

OTHERS = (
    "argmax integrate min max complex_to_interleaved_char complex_to_interleaved_short interleaved_char_to_complex "
    "interleaved_short_to_complex fsk_demod afsk_demod pulse_detector fsk_pulse_detector pulse_slicer probe_signal "
    "probe_avg_mag_sqrd multiply_const_pdu add_const_pdu pwr_squelch ctcss_squelch cpfsk dpll am_demod"
).split()

MORE_IN_STEP = "throttle copy probe_rate tag_gate tag_share tag_debug selector delay chunks_to_symbols map rotator".split()

NEVER = math.inf
ROUNDS = 64
"""How often limits are carried on at most: along so many blocks."""


def ratio(leaf: "Element") -> tuple[int, int] | None:
    """Output items for input items of a block whose streams all run in step; nothing where that is not known."""
    stages = getattr(leaf, "_stages", None)
    if stages is None:
        fixed = getattr(leaf, "_ratio", None)
        return fixed if fixed is not None and getattr(leaf, "_fixed", False) else None
    interpolation = decimation = 1
    entries = _catalog.entries()
    for stage in stages:
        name = stage["block"]
        category = entries[name]["category"] if name in entries else ""
        if not (name in MORE_IN_STEP or category in IN_STEP and name not in OTHERS or name.endswith("fir_filter")):
            return None
        if "decimation" in stage.get("params", {}) or "interpolation" in stage.get("params", {}):
            args = getattr(leaf, "_args", {})
            up = args.get("interpolation", args.get("interp", 1))
            down = args.get("decimation", args.get("decim", 1))
            if not (isinstance(up, int) and isinstance(down, int)):
                return None
            interpolation, decimation = interpolation * up, decimation * down
    return interpolation, decimation


def own(leaf: "Element") -> float:
    """After how many items a block ends by itself."""
    stages = getattr(leaf, "_stages", None) or []
    if len(stages) == 1 and stages[0]["block"] == "head":
        return int(leaf._args["nitems"])  # type: ignore[attr-defined]
    data = getattr(leaf, "_data", None)
    if data is not None and hasattr(data, "size") and not getattr(leaf, "_repeat", True):
        return data.size // leaf._vlen  # type: ignore[attr-defined]
    return NEVER


def limits(links: Iterable["Link"], leaves: Iterable["Element"]) -> dict["Link", int]:
    """The connections that need a `head`, and of how many items."""
    links, leaves = list(links), list(leaves)
    after: dict[tuple[Any, int], list[Link]] = {}
    into: dict[Any, list[Link]] = {}
    for link in links:
        after.setdefault((link.source, link.source_port), []).append(link)
        into.setdefault(link.sink, []).append(link)
    forks = [ends for ends in after.values() if len(ends) > 1]
    if not forks or all(own(leaf) == NEVER for leaf in leaves):
        return {}
    ratios = {leaf: ratio(leaf) for leaf in leaves}
    owns = {leaf: own(leaf) for leaf in leaves}
    # How long a stream is, and how far into it a reader goes.
    length: dict[tuple[Any, int], float] = {end: owns[end[0]] for end in after}
    reach: dict[Any, float] = dict.fromkeys(links, NEVER)
    for _ in range(ROUNDS):
        before = (dict(length), dict(reach))
        for end, readers in after.items():
            leaf = end[0]
            found = min([owns[leaf], *(reach[link] for link in readers)])
            step = ratios[leaf]
            if step is not None and leaf in into:
                shortest = min(length[link.source, link.source_port] for link in into[leaf])
                found = min(found, shortest if shortest == NEVER else shortest * step[0] // step[1])
            elif owns[leaf] != NEVER and leaf in into:
                found = min(found, *(length[link.source, link.source_port] for link in into[leaf]))
            length[end] = min(length[end], found)
        for link in links:
            leaf, step = link.sink, ratios[link.sink]
            found = owns[leaf]
            if step is not None:
                outs = [length[end] for end in after if end[0] is leaf]
                for out in outs:
                    found = min(found, out if out == NEVER else -(-out * step[1] // step[0]))
                found = min([found, *(length[other.source, other.source_port] for other in into[leaf])])
            reach[link] = min(reach[link], found)
        if (length, reach) == before:
            break
    needed = {}
    for readers in forks:
        shortest = min(reach[link] for link in readers)
        source = readers[0].source
        natural = _natural(source, into, ratios, owns, set())
        # What ends by itself may come whole, as it does where it fits into a buffer.
        if shortest == NEVER or natural != NEVER:
            continue
        needed |= {link: int(shortest) for link in readers if owns[link.sink] > shortest}
    return needed


def _natural(leaf: Any, into: Any, ratios: Any, owns: Any, seen: set[Any]) -> float:
    """After how many items a stream ends by what is before it."""
    if leaf in seen:
        return NEVER
    seen.add(leaf)
    found = owns[leaf]
    if leaf in into:
        before = min(_natural(link.source, into, ratios, owns, seen) for link in into[leaf])
        step = ratios[leaf]
        if step is not None and before != NEVER:
            before = before * step[0] // step[1]
        found = min(found, before if step is not None or found != NEVER else NEVER)
    return found
