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

    Values are negative logarithms: `MIN_SUM` takes the likeliest path, `SUM_PRODUCT` all of them.
    """
    import numpy

    add: Any = numpy.minimum if int(kind) == MIN_SUM else _sum
    count, states = len(inputs), machine.S()
    before = numpy.repeat(numpy.arange(states), machine.I())
    given = numpy.tile(numpy.arange(machine.I()), states)
    after, out = numpy.array(machine.NS(), int), numpy.array(machine.OS(), int)
    inputs, outputs = numpy.asarray(inputs, "f8"), numpy.asarray(outputs, "f8")

    def gather(values: Any, to: Any, size: int) -> Any:
        found = numpy.full(size, 1e9 if add is numpy.minimum else numpy.inf)
        add.at(found, to, values) if add is numpy.minimum else _sum_at(found, to, values)
        return found

    def ends(state: int) -> Any:
        return numpy.zeros(states) if state < 0 else numpy.where(numpy.arange(states) == state, 0.0, 1e9)

    alpha, beta = numpy.empty((count + 1, states)), ends(last)
    alpha[0] = ends(first)
    for k in range(count):
        alpha[k + 1] = gather(alpha[k][before] + inputs[k][given] + outputs[k][out], after, states)
        alpha[k + 1] -= alpha[k + 1].min()
    found_in = numpy.empty((count, machine.I()))
    found_out = numpy.empty((count, machine.O()))
    for k in reversed(range(count)):
        through = alpha[k][before] + beta[after]
        if wants[0]:
            found_in[k] = gather(through + outputs[k][out], given, machine.I())
        if wants[1]:
            found_out[k] = gather(through + inputs[k][given], out, machine.O())
        beta = gather(beta[after] + inputs[k][given] + outputs[k][out], before, states)
        beta -= beta.min()
    return tuple(
        (found - found.min(axis=1, keepdims=True)) if wanted and count else found
        for found, wanted in ((found_in, wants[0]), (found_out, wants[1]))
    )


def _sum(a: Any, b: Any) -> Any:
    import numpy

    return -numpy.logaddexp(-a, -b)


def _sum_at(found: Any, to: Any, values: Any) -> None:
    import numpy

    found *= -1
    numpy.logaddexp.at(found, to, -values)
    found *= -1


def marginal(costs: Any, axis: int, kind: int) -> Any:
    """The values of one of two symbols, of those of pairs `costs[k, first, second]`, without the other."""
    import numpy

    if int(kind) == MIN_SUM:
        return costs.min(axis=axis)
    return -numpy.logaddexp.reduce(-costs, axis=axis)
