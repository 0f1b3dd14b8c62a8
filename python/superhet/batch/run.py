"""`map`: plans a batch, has its tasks done, and counts what they come to."""

from __future__ import annotations

import os
import time
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from typing import Any, Callable, Iterable, Union

import superhet
from superhet.batch import inputs as archives
from superhet.batch import child, receivers
from superhet.batch.check import check
from superhet.batch.errors import BatchError
from superhet.batch.executors import Given, Pool, pool
from superhet.batch.plan import Limits, Plan, Task, plan
from superhet.batch.progress import Progress, Report, stream
from superhet.batch.receivers import Found, Work
from superhet.batch.recording import Options, Recording
from superhet.batch.store import Store, message_schema
from superhet.batch.task import Done, Job, run_task

TRIES = 3
"""How often a task is begun whose worker is lost."""


def map(
    receiver: Union[str, "os.PathLike[str]", Work, Callable[[Recording], Found]],
    inputs: archives.Inputs,
    out: Union[str, "os.PathLike[str]"],
    executor: Given = None,
    *,
    workers: int | None = None,
    address: str | None = None,
    rate_hz: float | None = None,
    frequency_hz: float | None = None,
    format: str | None = None,
    set: dict[str, Any] | None = None,
    protocols: Union[str, "os.PathLike[str]", None] = None,
    overlap_s: tuple[float, float] | None = None,
    part_s: float | None = None,
    recordings_per_task: int | None = None,
    seconds_per_task: float = 3600.0,
    timeout_s: float | None = 3600.0,
    dry_run: bool = False,
    progress: bool | None = None,
) -> Report:
    """Does the same with each of many recordings, and writes what is found as Parquet files into a folder.

    What was done before in the folder is not done again, so a batch that was stopped goes on where it was. A recording that
    cannot be decoded is a row of the `manifest`, and the others go on.

    Parameters
    ----------
    receiver : text, path, function or `Work`
        A receiver of ``superhet decode --list``, ``"occupancy"`` or ``"bursts"``, a graph file that shows the ports ``in`` and
        ``out``, or a function of a `Recording` that gives messages, or a graph and the port whose messages are taken.
    inputs : text or path, or several
        Recordings, folders, patterns, SigMF collections, lists (a text with a recording a line, or a Parquet file with a column
        ``recording`` or ``path``), or URLs, which need ``fsspec``.
    out : path
        A folder, made if it is not there.
    executor : ``"local"``, ``"dask"``, ``"ray"``, or a ``concurrent.futures.Executor``
        Who does the tasks: processes of this machine where nothing is said.
    workers : int, default as many as processors
        How many tasks are done at once.
    address : text
        Of a Dask scheduler or a Ray cluster; without one they are begun on this machine.
    rate_hz, frequency_hz, format :
        What the recordings do not say of themselves: samples a second, the centre in Hz, how raw samples are stored.
    set : dictionary
        Variables of the receiver's graph, or parameters as ``block.parameter``; of a function, arguments by name.
    protocols : path
        Of ``ism``, a folder of more protocols.
    overlap_s : two numbers
        Of a graph file or a function: what a part of a recording is read before its first and behind its last sample, in
        seconds. Without it they see whole recordings only. Receivers know theirs.
    part_s : float, default the receiver's own, 300 to 1800, and else 600
        How long the parts are, in seconds, as which longer recordings are read. The parts do not depend on who does which, so
        results do not either.
    recordings_per_task : int, default 1 to 1000, so that each worker has several tasks
        The most recordings of a task.
    seconds_per_task : float, default 3600
        The most seconds of signal of a task, but for one part: longer recordings are several tasks.
    timeout_s : float, default 3600
        How long a recording, or a part of one, may take in a receiver or a graph; ``None`` for ever.
    dry_run : bool
        Says what would be done, and does nothing.
    progress : bool, default if stderr is a terminal
        Whether stderr is told how far it is.

    Raises `BatchError` where the batch cannot begin.
    """
    began = time.monotonic()
    work = receivers.work(receiver, set=set, protocols=protocols, overlap_s=overlap_s, part_s=part_s)
    if not work.kind or "/" in work.kind or "=" in work.kind or work.kind.startswith("."):
        raise BatchError(f"kind: expected a name that can be that of a folder, got {work.kind!r}")
    if timeout_s is not None and not timeout_s > 0:
        raise BatchError(f"timeout_s: expected more than 0, got {timeout_s}")
    options, limits, store = Options(rate_hz, frequency_hz, format), Limits(recordings_per_task, seconds_per_task), Store(out)
    message_schema()
    found = archives.find(inputs)
    job_id = receivers.job_id(work, options)
    if dry_run:
        planned = plan(store, job_id, found, work, options, limits, workers or os.cpu_count() or 1)
        return _report(store, work, planned, is_dry=True)
    asked = {"kind": work.kind, "version": superhet.__version__, "work": work.identity(), "options": vars(options)}
    with store.locked():
        store.sweep()
        with pool(executor, workers, address) as workers_there:
            planned = plan(store, job_id, found, work, options, limits, workers_there.workers)
            if planned.tasks:
                with child.borrowed() as process:
                    check(work, process, options)
            store.begin(job_id, asked)
            if planned.new:
                store.add_plan(job_id, planned.new)
            report = _report(store, work, planned)
            shown = Progress(report.planned, stream(progress))
            _do(Job(work, options, store, timeout_s), planned.tasks, workers_there, report, shown)
            shown.end()
    report.seconds = time.monotonic() - began
    return report


def _report(store: Store, work: Work, planned: Plan, is_dry: bool = False) -> Report:
    return Report(
        out=os.fspath(store.folder),
        kind=work.kind,
        done_before=planned.recordings_done,
        planned=sum(len(task.items) for task in planned.tasks),
        tasks=len(planned.tasks),
        changed=planned.changed,
        is_dry=is_dry,
    )


def _do(job: Job, tasks: Iterable[Task], pool: Pool, report: Report, shown: Progress) -> None:
    """Has the tasks done, a few more at a time than there are workers, and each again whose worker is lost."""
    waiting = [(task, 1) for task in reversed(list(tasks))]
    running: dict[Future[Done], tuple[Task, int]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < 2 * pool.workers:
                task, number = waiting.pop()
                try:
                    running[pool.executor.submit(run_task, job, task)] = task, number
                except BrokenExecutor:
                    waiting.append((task, number))
                    if not pool.is_own:
                        raise
                    break
            ended = wait(running, timeout=0.5, return_when=FIRST_COMPLETED).done
            is_broken = not running
            for future in ended:
                task, number = running.pop(future)
                error = future.exception()
                if error is None:
                    _count(report, future.result())
                elif isinstance(error, BrokenExecutor) and not pool.is_own:
                    raise error
                elif number < TRIES:
                    is_broken |= isinstance(error, BrokenExecutor)
                    waiting.append((task, number + 1))
                else:
                    is_broken |= isinstance(error, BrokenExecutor)
                    report.failed[task.id] = _why(error)
            if is_broken and waiting:
                # All that were running have ended with it, and are begun again.
                waiting += [running.pop(future) for future in list(running)]
                pool.renew()
            shown.show(report)
    except BaseException:
        for future in running:
            future.cancel()
        raise


def _why(error: BaseException) -> str:
    """Why a task was not done, on a line."""
    if isinstance(error, BrokenExecutor):
        return f"its process ended {TRIES} times; scripts need `if __name__ == '__main__':` above what begins workers"
    return " ".join(f"{type(error).__name__}: {error}".split())


def _count(report: Report, done: Done) -> None:
    report.recordings += done.recordings
    report.errors += done.errors
    report.messages += done.messages
    report.signal_s += done.signal_s
