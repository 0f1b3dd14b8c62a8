"""A flowgraph that can be run: `gr.top_block`."""

from __future__ import annotations

import threading

from . import qt
from .build import Build
from .elements import hier_block2

POLL_S = 0.1
"""How often a flowgraph of messages is asked whether it has ended."""


class top_block(hier_block2):
    """A flowgraph that can be run."""

    def __init__(self, name: str = "top_block", catch_exceptions: bool = True) -> None:
        super().__init__(name)
        self._build: Build | None = None
        self._locks = 0
        self._stopped_event = threading.Event()
        # A message `done` was sent to a block.
        self._is_told_to_end = False

    def _flowgraph(self) -> top_block:
        return self

    def _may_change(self) -> None:
        if not self._locks and self._is_running():
            raise RuntimeError(f"{self.name()} runs: lock() it before its connections are changed")

    def _is_running(self) -> bool:
        return self._build is not None and self._build.is_running()

    def start(self, max_noutput_items: int = 10_000_000) -> None:
        """Starts the flowgraph."""
        if self._is_running():
            raise RuntimeError("top_block::start: top block already running or wait() not called after previous stop()")
        self._stopped_event.clear()
        self._is_told_to_end = False
        self._build = Build(self)
        qt.add_flowgraph(self)
        self._build.start(max_noutput_items)

    def wait(self) -> None:
        """Waits until the flowgraph has ended."""
        if self._build is not None:
            if self._build.is_of_messages():
                # Nobody knows whether more will come: until somebody says so.
                while not self._stopped_event.wait(POLL_S):
                    if self._is_told_to_end and not self._build.is_running():
                        break
            self._build.wait()

    def stop(self) -> None:
        """Ends the sources."""
        self._stopped_event.set()
        if self._build is not None:
            self._build.stop()

    def run(self, max_noutput_items: int = 10_000_000) -> None:
        """Starts the flowgraph and waits until it has ended."""
        self.start(max_noutput_items)
        self.wait()

    def lock(self) -> None:
        self._locks += 1

    def unlock(self) -> None:
        if not self._locks:
            raise RuntimeError("unpaired unlock() call")
        self._locks -= 1
        if not self._locks and self._is_running():
            self._build.change()

    def edge_list(self) -> str:
        """The connections, a line each."""
        return "\n".join(
            f"{link.source.alias()}:{link.source_port}->{link.sink.alias()}:{link.sink_port}" for link in self._links
        )

    def msg_edge_list(self) -> str:
        """The connections of messages, a line each."""
        return "\n".join(
            f"{link.source.alias()}:{link.source_port}->{link.sink.alias()}:{link.sink_port}"
            for link in self._message_links
        )

    def dump(self) -> None:
        """Prints the connections."""
        print(self.edge_list())
