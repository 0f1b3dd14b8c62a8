"""The decorators of `gnuradio.gr.hier_block2`: functions of one connection that take a row of blocks."""

from __future__ import annotations

import functools
from typing import Any, Callable


def _end(point: Any) -> tuple[Any, Any]:
    """A block and its port: 0 where none is named."""
    if hasattr(point, "to_basic_block"):
        return point.to_basic_block(), 0
    try:
        block, port = point[0], point[1]
        return block.to_basic_block(), port
    except (TypeError, IndexError, AttributeError) as error:
        raise ValueError(f"{point!r}: expected a block, or a block and its port: {error}") from None


def multiple_endpoints(function: Callable[..., Any]) -> Callable[..., None]:
    """Calls a function `f(self, source, port, sink, port)` for each two neighbours of a row, or `f(self, block)` for one block."""

    @functools.wraps(function)
    def of_row(self: Any, *points: Any) -> None:
        if not points:
            raise ValueError(f"{function.__name__}: expected blocks, got nothing")
        if len(points) == 1:
            if not hasattr(points[0], "to_basic_block"):
                raise ValueError(f"{function.__name__}: expected a block or two ends, got {points[0]!r}")
            function(self, points[0].to_basic_block())
            return
        ends = [_end(point) for point in points]
        for source, sink in zip(ends, ends[1:]):
            function(self, *source, *sink)

    return of_row


def optional_endpoints(function: Callable[..., Any]) -> Callable[..., None]:
    """Calls a function `f(self, source, port, sink, port)`, which may be given two pairs instead."""

    @functools.wraps(function)
    def of_pairs(self: Any, source: Any, source_port: Any, sink: Any = None, sink_port: Any = None) -> None:
        if sink is None and sink_port is None:
            try:
                (source, source_port), (sink, sink_port) = source, source_port
            except (TypeError, ValueError) as error:
                raise ValueError(f"{function.__name__}: expected two pairs of a block and a port: {error}") from None
        function(self, source.to_basic_block(), source_port, sink.to_basic_block(), sink_port)

    return of_pairs
