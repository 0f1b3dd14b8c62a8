"""A dashboard in the browser for running graphs."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from types import TracebackType
from typing import TYPE_CHECKING, Union

from superhet import _native

if TYPE_CHECKING:
    from superhet.graph import Running


class Dashboard:
    """Serves a page that shows running graphs, and lets one control them there, until it is closed.

    ``address`` is a port of this machine, or an address with a port as in ``"0.0.0.0:8123"``; without one it is
    ``127.0.0.1:8123``, or any other port where that is taken. Whoever comes from another machine is asked for a token,
    which is a part of `urls`. ``hosts`` are further names that the page may be reached by. ``record_dir`` is the folder
    into which viewers may record streams; without it they cannot.

    >>> with Dashboard("127.0.0.1:0") as dashboard:
    ...     dashboard.urls[0].startswith("http://127.0.0.1:")
    True
    """

    def __init__(
        self,
        address: Union[str, int, None] = None,
        *,
        hosts: Iterable[str] = (),
        record_dir: Union[str, PathLike[str], None] = None,
    ) -> None:
        self._native = _native.Dashboard(
            None if address is None else str(address), [str(host) for host in hosts], record_dir
        )

    def show(self, running: "Running", name: str = "graph") -> None:
        """Shows a running graph under this name.

        Views of streams need a scheduler that changes running graphs, ``adaptive`` or ``single``. To look at what goes
        into and out of blocks that wait for the outside world, start the graph with ``graph.start(dashboard=...)``.
        """
        self._native.show(name, running._native, running._described())

    @property
    def urls(self) -> list[str]:
        """What to type into a browser; none when it is closed.

        The first is for those who may control. Where tokens are asked for, the second is for those who only look.
        """
        return self._native.urls

    def close(self) -> None:
        """Serves no more. The graphs go on."""
        self._native.close()

    def __enter__(self) -> "Dashboard":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _repr_html_(self) -> str:
        names = ("open the dashboard", "look only")
        links = [f'<a href="{url}" target="_blank">{name}</a>' for url, name in zip(self.urls, names)]
        return "<p>" + (" · ".join(links) or "the dashboard is closed") + "</p>"

    def __repr__(self) -> str:
        return f"<Dashboard at {self.urls[0]}>" if self.urls else "<Dashboard, closed>"
