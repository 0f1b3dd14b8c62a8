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
    "interleaved_short_to_complex fsk_demod afsk_demod afsk_hdlc_demod pulse_detector fsk_pulse_detector pulse_slicer "
    "probe_signal probe_avg_mag_sqrd multiply_const_pdu add_const_pdu pwr_squelch ctcss_squelch cpfsk dpll am_demod"
).split()

MORE_IN_STEP = "throttle copy probe_rate tag_gate tag_share tag_debug selector delay chunks_to_symbols map rotator".split()

NEVER = math.inf

BUFFER_ITEMS = 8191
"""How far the readers of an output may be apart in GNU Radio, for samples of eight bytes."""

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
    readers: dict[tuple[Any, int], list[Link]] = {}
    into: dict[Any, list[Link]] = {}
    outputs: dict[Any, list[tuple[Any, int]]] = {}
    for link in links:
        end = (link.source, link.source_port)
        if end not in readers:
            outputs.setdefault(link.source, []).append(end)
        readers.setdefault(end, []).append(link)
        into.setdefault(link.sink, []).append(link)
    owns = {leaf: own(leaf) for leaf in leaves}
    if all(len(those) == 1 for those in readers.values()) or all(found == NEVER for found in owns.values()):
        return {}
    ratios = {leaf: ratio(leaf) for leaf in leaves}
    # How long a stream is by what is before it; how long, since its readers end too; and how far into it a reader goes.
    natural: dict[Any, float] = dict(owns)
    length: dict[Any, float] = {end: owns[end[0]] for end in readers}
    reach: dict[Any, float] = dict.fromkeys(links, NEVER)
    for _ in range(len(links) + 1):
        before = (dict(natural), dict(length), dict(reach))
        # To and fro: limits of readers go back, lengths of sources forth.
        for leaf in (*leaves, *reversed(leaves)):
            _carry(leaf, ratios[leaf], owns[leaf], into.get(leaf, []), outputs.get(leaf, []), readers, natural, length, reach)
        if (natural, length, reach) == before:
            break
    needed = {}
    for end, those in readers.items():
        shortest = min(reach[link] for link in those)
        # What ends by itself may come whole, as it does where it fits into a buffer.
        if len(those) > 1 and shortest != NEVER and natural[end[0]] == NEVER:
            needed |= {link: int(shortest) for link in those if owns[link.sink] > shortest and not _is_near(owns[link.sink], shortest)}
    return needed


def _is_near(own: float, shortest: float) -> bool:
    """Whether a block ends by itself within what a buffer of GNU Radio's holds behind the shortest stream: there, too, it gets all."""
    return own <= shortest + BUFFER_ITEMS


def _carry(
    leaf: Any,
    step: tuple[int, int] | None,
    own: float,
    inputs: list[Any],
    outputs: list[Any],
    readers: dict[Any, list[Any]],
    natural: dict[Any, float],
    length: dict[Any, float],
    reach: dict[Any, float],
) -> None:
    """Carries what is known of the streams around a block over it."""
    if inputs and (step is not None or own != NEVER):
        up, down = step or (1, 1)
        natural[leaf] = min([own, *(_times(natural[link.source], up, down) for link in inputs)])
        shortest = min(_times(length[link.source, link.source_port], up, down) for link in inputs)
    else:
        shortest = NEVER
    for end in outputs:
        length[end] = min([length[end], own, shortest, *(reach[link] for link in readers[end])])
    found = own
    if step is not None and inputs:
        # All of its streams run in step: the one that ends first ends the others.
        ends = [_times(length[end], step[1], step[0]) for end in outputs]
        found = min([found, *ends, *(length[link.source, link.source_port] for link in inputs)])
    for link in inputs:
        reach[link] = min(reach[link], found)


def _times(items: float, up: int, down: int) -> float:
    return items if items == NEVER else -(-items * up // down)
