"""The blocks of trellises that the library has: encoders, distances, and Viterbi's algorithm."""

from __future__ import annotations

from typing import Any

from ..table import TableBlock

_ITEMS = {"b": "u8", "s": "i16", "i": "i32", "f": "f32", "c": "C32"}
_MACHINE = {"inputs": "=FSM.I()", "next_states": "=FSM.NS()", "outputs": "=FSM.OS()", "output_symbols": "=FSM.O()"}
# The library has no distances by bits, which are not defined for a table of points: it says so.
_METRIC = "={200: 'euclidean', 201: 'hard_symbol'}.get(int(TYPE), 'hard_bit')"


def _encoder(letters: str) -> list[dict[str, Any]]:
    params = {"item": _ITEMS[letters[0]], "out_item": _ITEMS[letters[1]], **_MACHINE, "state": "=ST", "block_items": "=K"}
    return [{"block": "trellis_encoder", "params": params}]


def _metrics(letters: str) -> list[dict[str, Any]]:
    params = {"item": _ITEMS[letters[0]], "table": "=TABLE", "dimension": "=D", "metric": _METRIC}
    return [{"block": "trellis_metrics", "params": params}]


def _of_constellation(letters: str) -> list[dict[str, Any]]:
    params = {"item": "C32", "table": "=constellation.points()", "dimension": "=constellation.dimensionality()", "metric": _METRIC}
    return [{"block": "trellis_metrics", "params": params}]


def _viterbi(letters: str) -> list[dict[str, Any]]:
    params = {"item": _ITEMS[letters[-1]], **_MACHINE, "block_items": "=K", "first_state": "=S0", "last_state": "=SK"}
    return [{"block": "trellis_viterbi", "params": params}]


def _combined(letters: str) -> list[dict[str, Any]]:
    return _metrics(letters) + _viterbi(letters)


# What makes the stages, the arguments, the letters of the classes' names, what it is.
_FAMILIES = {
    "encoder": (
        _encoder,
        "FSM, ST=0, K=0",
        "bb bs bi ss si ii",
        "Encodes symbols by a machine that begins in state `ST`, anew after each `K` symbols where `K` is not 0.",
    ),
    "metrics": (_metrics, "O, D, TABLE, TYPE", "s i f c", "The distances of each piece of `D` samples from the `O` rows of a table."),
    "constellation_metrics": (
        _of_constellation,
        "constellation, TYPE",
        "cf",
        "The distances of each sample from the points of a constellation.",
    ),
    "viterbi": (_viterbi, "FSM, K, S0, SK", "b s i", "The likeliest symbols of blocks of `K`, by their distances, from state `S0` to `SK`; −1: any."),
    "viterbi_combined": (
        _combined,
        "FSM, K, S0, SK, D, TABLE, TYPE",
        "sb ss si ib is ii fb fs fi cb cs ci",
        "The likeliest symbols of blocks of `K`, by samples, `D` for each symbol, from state `S0` to `SK`; −1: any.",
    ),
}


def _classes() -> dict[str, Any]:
    found = {}
    for family, (stages, args, kinds, doc) in _FAMILIES.items():
        for letters in kinds.split():
            name = f"{family}_{letters}"
            row = {"name": family, "module": "trellis", "args": args, "chain": stages(letters)}
            found[name] = type(name, (TableBlock,), {"_row": row, "_letters": letters, "__doc__": doc, "__module__": "gnuradio.trellis"})
    return found


CLASSES = _classes()
"""The classes by name."""
