"""What decoders of trellises compute, on whole blocks: metrics, soft values."""

from __future__ import annotations

from typing import Any

from ..digital_parts.constellation import trellis_metric_type_t
from .machines import fsm

MIN_SUM, SUM_PRODUCT = 200, 201


def metrics(x: Any, table: Any, dimension: int, kind: Any) -> Any:
    """For each piece of `dimension` samples its distance from each row of the table: squared, or 0 for the nearest and 1 else."""
    import numpy

    table = numpy.asarray(table).reshape(-1, dimension)
    pieces = numpy.asarray(x).reshape(-1, 1, dimension)
    distance = (numpy.abs(pieces - table) ** 2).sum(axis=2)
    if int(kind) == int(trellis_metric_type_t.TRELLIS_EUCLIDEAN):
        return distance.astype("f4")
    if int(kind) == int(trellis_metric_type_t.TRELLIS_HARD_SYMBOL):
        hard = numpy.ones_like(distance)
        hard[numpy.arange(len(hard)), distance.argmin(axis=1)] = 0
        return hard.astype("f4")
    raise RuntimeError("metrics: hard decisions of bits are not defined for a table of points")


def siso(machine: fsm, first: int, last: int, kind: int, inputs: Any, outputs: Any, wants: tuple[bool, bool]) -> Any:
    """Soft values of the inputs and the outputs of each step, of what is known of both before; the least of a step is 0.

    `inputs` and `outputs` are of several blocks, `[block, step, symbol]`, which are worked out side by side. Values are negative
    logarithms: `MIN_SUM` takes the likeliest path, `SUM_PRODUCT` all of them.
    """
    import numpy

    is_least = int(kind) == MIN_SUM
    inputs, outputs = numpy.asarray(inputs, "f8"), numpy.asarray(outputs, "f8")
    (blocks, count), states = inputs.shape[:2], machine.S()
    before = numpy.repeat(numpy.arange(states), machine.I())
    given = numpy.tile(numpy.arange(machine.I()), states)
    after, out = numpy.array(machine.NS(), int), numpy.array(machine.OS(), int)
    none = numpy.full((blocks, 1), 1e9 if is_least else numpy.inf)

    def gather(values: Any, edges: Any) -> Any:
        found = numpy.concatenate([values, none], axis=1)[:, edges]
        return found.min(axis=2) if is_least else -numpy.logaddexp.reduce(-found, axis=2)

    def ends(state: int) -> Any:
        one = numpy.zeros(states) if state < 0 else numpy.where(numpy.arange(states) == state, 0.0, 1e9)
        return numpy.tile(one, (blocks, 1))

    to_after, to_before = _edges(after, states), _edges(before, states)
    to_given, to_out = _edges(given, machine.I()), _edges(out, machine.O())
    alpha, beta = numpy.empty((count + 1, blocks, states)), ends(last)
    alpha[0] = ends(first)
    for k in range(count):
        alpha[k + 1] = gather(alpha[k][:, before] + inputs[:, k, given] + outputs[:, k, out], to_after)
        alpha[k + 1] -= alpha[k + 1].min(axis=1, keepdims=True)
    found_in = numpy.empty((blocks, count, machine.I()))
    found_out = numpy.empty((blocks, count, machine.O()))
    for k in reversed(range(count)):
        through = alpha[k][:, before] + beta[:, after]
        if wants[0]:
            found_in[:, k] = gather(through + outputs[:, k, out], to_given)
        if wants[1]:
            found_out[:, k] = gather(through + inputs[:, k, given], to_out)
        beta = gather(beta[:, after] + inputs[:, k, given] + outputs[:, k, out], to_before)
        beta -= beta.min(axis=1, keepdims=True)
    return tuple(
        (found - found.min(axis=2, keepdims=True)) if wanted and count else found
        for found, wanted in ((found_in, wants[0]), (found_out, wants[1]))
    )


def _edges(to: Any, size: int) -> Any:
    """The edges that lead to each of `size` places; where one has fewer than others, the number of edges stands for none."""
    import numpy

    counts = numpy.bincount(to, minlength=size)
    found = numpy.full((size, max(1, int(counts.max()))), len(to))
    for place in range(size):
        edges = numpy.flatnonzero(to == place)
        found[place, : len(edges)] = edges
    return found


def marginal(costs: Any, axis: int, kind: int) -> Any:
    """The values of one of two symbols, of those of pairs `costs[…, first, second]`, without the other."""
    import numpy

    if int(kind) == MIN_SUM:
        return costs.min(axis=axis)
    return -numpy.logaddexp.reduce(-costs, axis=axis)
