"""Many recordings in, Parquet files out: ``superhet.batch.map``, and ``python -m superhet batch``.

It needs the extra ``batch`` (pyarrow): ``pip install 'superhet[batch]'``. ``superhet[dask]`` and ``superhet[ray]`` bring other
machines. `docs/batch.md` shows how it is used.

A batch is planned once: recordings, and parts of long ones, are put into tasks. Each task writes its messages into a file under
another name, renames it, and then does the same with its rows of the manifest, so it is done or not, whoever stops when.
"""

from __future__ import annotations

from superhet.batch.analysis import bursts, occupancy
from superhet.batch.errors import BatchError, RecordingError
from superhet.batch.executors import RayExecutor
from superhet.batch.progress import Report
from superhet.batch.receivers import KINDS, Function, GraphFile, Receiver, Work
from superhet.batch.recording import Recording
from superhet.batch.run import map
from superhet.batch.store import compact, manifest

__all__ = [
    "KINDS",
    "BatchError",
    "Function",
    "GraphFile",
    "RayExecutor",
    "Receiver",
    "Recording",
    "RecordingError",
    "Report",
    "Work",
    "bursts",
    "compact",
    "manifest",
    "map",
    "occupancy",
]
