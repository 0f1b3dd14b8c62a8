"""A flowgraph that can be run: `gr.top_block`."""

from __future__ import annotations

from . import qt
from .build import Build
from .elements import hier_block2


class top_block(hier_block2):
    """A flowgraph that can be run."""

    def __init__(self, name: str = "top_block", catch_exceptions: bool = True) -> None:
        super().__init__(name)
        self._build: Build | None = None
        self._locks = 0

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
            raise RuntimeError("top_block::start: already running")
        self._build = Build(self)
        qt.add_flowgraph(self)
        self._build.start(max_noutput_items)

    def wait(self) -> None:
        """Waits until the flowgraph has ended."""
        if self._build is not None:
            self._build.wait()

    def stop(self) -> None:
        """Ends the sources."""
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
            raise RuntimeError("top_block::unlock: it is not locked")
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
