"""What can go wrong: one class for each kind of error.

Errors of a graph have the attribute ``block`` (its name) and, where one port is at fault, ``port`` (``"block.port"``).
"""

from __future__ import annotations


class Error(Exception):
    """Any error of superhet."""

    block: str = ""
    """The name of the block at fault, or an empty text."""
    port: str = ""
    """The port at fault, as ``block.port``, or an empty text."""


class UnknownBlock(Error, LookupError):
    """There is no block of that type in the library."""


class ParameterError(Error, ValueError):
    """A block does not take a parameter's value. ``problems`` has what is wrong with each parameter."""

    problems: dict[str, str] = {}


class GraphError(Error):
    """A graph is put together wrongly. Where there are several mistakes, ``mistakes`` has an error for each."""

    mistakes: list["GraphError"] = []


class UnconnectedInput(GraphError):
    """Nothing feeds an input that needs a stream."""


class UnconnectedOutput(GraphError):
    """Nothing reads an output. Connect it to a ``null_sink`` to drop what it gives."""


class ManyWriters(GraphError):
    """An input has more than one output that feeds it."""


class TypeMismatch(GraphError):
    """Two ports of different items: ``source`` gives ``source_item``, ``port`` takes ``item``."""

    item: str = ""
    source: str = ""
    source_item: str = ""


class RateConflict(GraphError):
    """A block that reads its inputs in step gets them at different rates."""


class LoopError(GraphError):
    """A loop in which no block delays."""


class DuplicateName(GraphError):
    """Two blocks have one name."""


class UnknownPort(GraphError, LookupError):
    """There is no such block or port."""


class ContractError(GraphError):
    """A block asks for something contradictory at a port."""


class ChangeRefused(Error):
    """A running graph could not be changed; it goes on as it was."""


class RunError(Error):
    """A running graph ended without success."""

    ports: str = ""
    """The state of the block's ports at that moment."""


class BlockFailed(RunError):
    """A block reported an error. If the block is written in Python, its exception is the ``__cause__``."""


class BlockPanicked(RunError):
    """A block of the library has a bug."""


class StuckError(RunError):
    """No block can run, and none ever will."""


class DidNotStop(RunError, TimeoutError):
    """Blocks did not come back in time after the graph was stopped."""


class MessageError(Error):
    """A message or a request was not taken, or not answered."""


class UnknownParameter(MessageError, LookupError):
    """A block has no such parameter that can be changed."""


class QueueFull(MessageError):
    """The queue of a message port is full."""


class BlockEnded(MessageError):
    """The block of the port has ended."""


class NotInTime(MessageError, TimeoutError):
    """A request was not answered in time."""
