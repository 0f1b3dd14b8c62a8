"""Whether a receiver or a graph file runs at all, before it does so for each recording."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from superhet.batch.child import Child
from superhet.batch.errors import BatchError, RecordingError
from superhet.batch.receivers import Function, Work
from superhet.batch.recording import Options, describe

SAMPLES = 4096


def check(work: Work, process: Child, options: Options) -> None:
    """Runs it on a little silence; `BatchError` where it takes neither complex samples nor real ones.

    A function may need more than silence, so it is not tried.
    """
    if isinstance(work, Function):
        return
    problems = []
    options = Options(options.rate_hz, options.frequency_hz)
    with tempfile.TemporaryDirectory(prefix="superhet-") as folder:
        for name, sample_bytes in [("silence.cf32", 8), ("silence.f32", 4)]:
            path = os.path.join(folder, name)
            Path(path).write_bytes(bytes(SAMPLES * sample_bytes))
            try:
                for _ in work.messages(describe(process, name, path, options), process, options, 60):
                    pass
                return
            except RecordingError as error:
                problems.append(str(error))
    raise BatchError(f"{work.kind} does not run: with complex samples, {problems[0]}; with real ones, {problems[1]}")
