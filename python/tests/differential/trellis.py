"""Codes that are finite state machines: one step after the other, and the likeliest path by what every path would cost."""

from __future__ import annotations

import numpy as np

from .draw import Draw
from .driver import EPS, Case, define

FORNEY = "G. D. Forney, The Viterbi Algorithm, Proc. IEEE 61, 1973"


def machine(d: Draw) -> dict:
    """A machine that can come from any state to any other: a ring, and other ways that are drawn."""
    inputs, states = d.whole(1, 4), d.whole(1, 6)
    edges = inputs * states
    next_states = d.random.integers(0, states, edges)
    next_states[::inputs] = (np.arange(states) + 1) % states
    outputs = d.random.integers(0, d.whole(1, 6), edges)
    return {"inputs": inputs, "next_states": [int(state) for state in next_states], "outputs": [int(symbol) for symbol in outputs]}


def encoder_case(d: Draw) -> Case:
    item, given = d.one("u8", "i16", "i32"), machine(d)
    count = len(given["outputs"]) // given["inputs"]
    x = d.random.integers(0, given["inputs"] + d.one(0, 2), d.length(300)).astype({"u8": "u1", "i16": "i2", "i32": "i4"}[item])
    more = {"out_item": d.one("u8", "i16", "i32"), "state": d.whole(0, count - 1), "block_items": d.one(0, d.whole(1, 40))}
    return Case({"item": item, **given, **more}, [x])


@define("trellis_encoder", source=FORNEY, draw=encoder_case)
def trellis_encoder(p, x):
    state, y = p.state, []
    for place, symbol in enumerate(x.tolist()):
        state = p.state if p.block_items and place % p.block_items == 0 else state
        edge = state * p.inputs + (symbol if symbol < p.inputs else 0)
        y.append(p.outputs[edge])
        state = p.next_states[edge]
    return np.array(y, {"u8": "u1", "i16": "i2", "i32": "i4"}[p.out_item])


def metrics_case(d: Draw) -> Case:
    item, dimension = d.one("C32", "f32"), d.whole(1, 4)
    table = d.taps(40)
    table = table[: max(len(table) // dimension, 1) * dimension]
    table += [0.5] * (-len(table) % dimension)
    params = {"table": table, "dimension": dimension, "metric": d.one("euclidean", "hard_symbol")}
    return Case({"item": item, **params}, [d.ordinary(item, d.length(300))])


@define("trellis_metrics", source=FORNEY, draw=metrics_case, within=lambda p, x: metrics_bound(p, x))
def trellis_metrics(p, x):
    table = np.array(p.table).reshape(-1, p.dimension)
    pieces = x[: len(x) // p.dimension * p.dimension].astype("c16").reshape(-1, 1, p.dimension)
    distances = (np.abs(pieces - table) ** 2).sum(axis=2)
    if p.metric == "hard_symbol":
        hard = np.ones_like(distances)
        hard[np.arange(len(hard)), distances.argmin(axis=1)] = 0
        distances = hard
    return distances.reshape(-1)


def metrics_bound(p, x):
    """Single precision; where two symbols are about as near, either may be the nearest."""
    table = np.array(p.table).reshape(-1, p.dimension)
    pieces = x[: len(x) // p.dimension * p.dimension].astype("c16").reshape(-1, 1, p.dimension)
    distances = (np.abs(pieces - table) ** 2).sum(axis=2)
    largest = (np.abs(pieces) + np.abs(table)).max(initial=0) ** 2 * p.dimension
    bound = np.full(distances.shape, 8 * (p.dimension + 2) * EPS * largest)
    if p.metric == "hard_symbol":
        near = np.sort(distances, axis=1)
        doubt = (near[:, 1] - near[:, 0] <= 2 * bound[:, 0]) if near.shape[1] > 1 else np.zeros(len(near), bool)
        bound = np.where(doubt[:, None], 1.5, 0.0) + np.zeros(distances.shape)
    return bound.reshape(-1)


def viterbi_case(d: Draw) -> Case:
    given, block = machine(d), d.whole(1, 30)
    edges = len(given["outputs"])
    count = edges // given["inputs"]
    # Each way has a symbol of its own, so that no two ways cost the same.
    given["outputs"] = [int(symbol) for symbol in d.random.permutation(edges)]
    symbols = edges + d.one(0, d.whole(1, 3))
    costs = d.random.integers(0, 1 << 17, d.whole(0, 8 * block) * symbols)
    more = {"block_items": block, "first_state": d.whole(-1, count - 1), "output_symbols": symbols}
    return Case({"item": d.one("u8", "i16", "i32"), **given, **more}, [costs.astype("f4")])


@define("trellis_viterbi", source=FORNEY, draw=viterbi_case, within=lambda p, x: 0)
def trellis_viterbi(p, x):
    """Backwards: what the best way from each state to the end costs, then along it."""
    item = {"u8": "u1", "i16": "i2", "i32": "i4"}[p.item]
    size, states = p.block_items * p.output_symbols, len(p.outputs) // p.inputs
    blocks = x[: len(x) // size * size].astype("f8").reshape(-1, p.block_items, p.output_symbols)
    return np.array([symbol for block in blocks for symbol in cheapest(p, block, states)], item)


def cheapest(p, block, states):
    left = np.zeros((len(block) + 1, states))
    next_states, outputs = (np.array(of).reshape(states, p.inputs) for of in (p.next_states, p.outputs))
    for place in reversed(range(len(block))):
        left[place] = (block[place][outputs] + left[place + 1][next_states]).min(axis=1)
    state, found = p.first_state if p.first_state >= 0 else int(left[0].argmin()), []
    for place in range(len(block)):
        symbol = int((block[place][outputs[state]] + left[place + 1][next_states[state]]).argmin())
        found.append(symbol)
        state = int(next_states[state, symbol])
    return found
