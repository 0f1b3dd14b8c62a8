"""Who does the tasks: anything that is a `concurrent.futures.Executor`."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from typing import Any, Callable, Iterator, Union

from superhet.batch.errors import BatchError

Given = Union[Executor, str, None]


class RayExecutor(Executor):
    """Plain tasks of Ray as an executor. ``ray.init`` is called where nobody has; ``address`` names a cluster."""

    def __init__(self, address: str | None = None, *, workers: int | None = None) -> None:
        try:
            import ray
        except ImportError:
            raise BatchError("the executor ray needs the package ray: pip install 'superhet[ray]'") from None
        self._ray = ray
        self._began = not ray.is_initialized()
        if self._began:
            settings: dict[str, Any] = {"log_to_driver": False, "include_dashboard": False}
            if address is None and workers is not None:
                settings["num_cpus"] = workers
            ray.init(address, **settings)

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> "Future[Any]":
        """Starts a task; Ray does it again where the process or the machine is lost."""
        return self._ray.remote(function).remote(*arguments, **named).future()

    @property
    def workers(self) -> int:
        """Processors of the cluster."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Leaves Ray, where this has begun it."""
        if self._began:
            self._ray.shutdown()


class Pool:
    """An executor with what a batch needs to know of it."""

    def __init__(self, make: Callable[[], Executor], workers: int, is_own: bool) -> None:
        self._make = make
        self.executor = make()
        self.workers = workers
        self.is_own = is_own

    def renew(self) -> None:
        """Makes another one in place of one that is broken, if it was made here."""
        if self.is_own:
            self.executor.shutdown(wait=False, cancel_futures=True)
            self.executor = self._make()


@contextlib.contextmanager
def pool(given: Given, workers: int | None, address: str | None) -> Iterator[Pool]:
    """The executor that is asked for: processes of this machine, ``"dask"``, ``"ray"``, or one that is there."""
    if workers is not None and workers < 1:
        raise BatchError(f"workers: expected a number from 1 on, got {workers}")
    if isinstance(given, Executor):
        known = workers or getattr(given, "workers", None) or getattr(given, "_max_workers", None) or os.cpu_count() or 1
        yield Pool(lambda: given, known, False)
    elif given in (None, "local"):
        if address is not None:
            raise BatchError("address is for the executors dask and ray")
        count = workers or os.cpu_count() or 1
        made = Pool(lambda: _processes(count), count, True)
        try:
            yield made
        except BaseException:
            # Whoever is stopped does not wait for the tasks that are running.
            for process in list((getattr(made.executor, "_processes", None) or {}).values()):
                process.terminate()
            raise
        finally:
            made.executor.shutdown(wait=False, cancel_futures=True)
    elif given == "dask":
        with _dask(address, workers) as executor_and_count:
            executor, count = executor_and_count
            yield Pool(lambda: executor, count, False)
    elif given == "ray":
        ray = RayExecutor(address, workers=workers)
        try:
            yield Pool(lambda: ray, ray.workers, False)
        finally:
            ray.shutdown()
    else:
        raise BatchError(f"executor: expected local, dask, ray or a concurrent.futures.Executor, got {given!r}")


def _processes(count: int) -> Executor:
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(count, mp_context=context, initializer=_begin_worker)


def _begin_worker() -> None:
    """Lets this process end with the one that has started it, which may be killed, and which alone hears Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def wait() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


@contextlib.contextmanager
def _dask(address: str | None, workers: int | None) -> Iterator[tuple[Executor, int]]:
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise BatchError("the executor dask needs the package distributed: pip install 'superhet[dask]'") from None
    with contextlib.ExitStack() as stack:
        if address is None:
            settings = {"n_workers": workers or os.cpu_count() or 1, "threads_per_worker": 1, "dashboard_address": None}
            cluster = stack.enter_context(LocalCluster(**settings))
            client = stack.enter_context(Client(cluster))
        else:
            client = stack.enter_context(Client(address))
        count = workers or max(1, sum(client.nthreads().values()))
        # Tasks write files, which Dask cannot know to be the same: so they are no pure functions of their arguments.
        yield client.get_executor(pure=False, retries=2), count
