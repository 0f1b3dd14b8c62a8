"""Batches on Dask and Ray, where they are installed: the same rows as on this machine alone."""

import importlib.util
import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import batch_signals as signals
import duckdb
import numpy

from superhet import batch

COUNT = int(os.environ.get("SUPERHET_BATCH_RECORDINGS", "40")) // 10 * 10
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"


def needs(module):
    """Skips a test with a word where a module is not installed."""
    return unittest.skipUnless(importlib.util.find_spec(module), f"{module} is not installed")


class Engines(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.scratch.name) / "archive"
        cls.folder.mkdir()
        npt = numpy.fromfile(signals.DATA / "same/npt.22050.s16", "<i2")
        for number in range(COUNT):
            (cls.folder / f"{number:03}.s16").write_bytes(npt.tobytes()[: 1001 if number % 10 == 3 else None])
        cls.local = cls.rows(cls.map("local", workers=2))

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    @classmethod
    def map(cls, name, executor=None, **settings):
        out = Path(cls.scratch.name) / name
        report = batch.map("same", cls.folder, out, executor, recordings_per_task=max(5, COUNT // 20), **settings)
        assert (report.recordings, report.errors, report.failed) == (COUNT, COUNT // 10, {}), report
        return out

    @staticmethod
    def rows(out):
        with duckdb.connect() as connection:
            found = connection.sql(f"select recording, sample_index, json from '{out}/messages/**/*.parquet' order by all").fetchall()
            counts = connection.sql(f"select path, count(*), any_value(status) from '{out}/manifest/*.parquet' group by path order by path")
            return found, counts.fetchall()

    def test_processes_of_this_machine(self):
        messages, counts = self.local
        self.assertEqual(len(messages), COUNT - COUNT // 10)
        self.assertEqual([count for _, count, _ in counts], [1] * COUNT)

    @needs("distributed")
    def test_dask_with_two_workers_of_which_one_is_killed_in_mid_task(self):
        from distributed import Client, LocalCluster

        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
            marks = Path(self.scratch.name) / "marks"
            marks.mkdir()
            work = batch.Function(mark_and_wait, "marked", settings=(("marks", str(marks)),))
            pids = sorted(client.run(os.getpid).values())
            killer = subprocess.Popen([sys.executable, "-c", KILLER, str(marks), str(pids[0])])
            out = Path(self.scratch.name) / "dask"
            report = batch.map(work, self.folder, out, client.get_executor(pure=False, retries=2), recordings_per_task=5)
            self.assertEqual(killer.wait(30), 0)
            self.assertEqual((report.recordings, report.failed), (COUNT, {}))
            again = self.map("dask-same", client.get_executor(pure=False, retries=2))
        self.assertEqual(self.rows(again), self.local)
        self.assertEqual([count for _, count, _ in self.rows(out)[1]], [1] * COUNT)
        self.assertEqual(len(self.rows(out)[0]), COUNT - COUNT // 10)

    @needs("distributed")
    def test_dask_begins_a_cluster_of_its_own(self):
        self.assertEqual(self.rows(self.map("dask-own", "dask", workers=2)), self.local)

    @needs("ray")
    def test_ray_with_two_processors(self):
        self.assertEqual(self.rows(self.map("ray", "ray", workers=2)), self.local)


KILLER = """
import os, pathlib, signal, sys, time
marks, victim = pathlib.Path(sys.argv[1]), int(sys.argv[2])
until = time.monotonic() + 30
while time.monotonic() < until and not list(marks.glob(f"{victim}-*")):
    time.sleep(0.01)
os.kill(victim, signal.SIGKILL)
"""
"""Kills a worker as soon as it is in the middle of a task."""


def mark_and_wait(one, marks):
    """A message, after a while."""
    (Path(marks) / f"{os.getpid()}-{os.path.basename(one.name)}").touch()
    time.sleep(0.02)
    return [{"sample_index": 0, "fields": {"samples": one.samples_total}}]


if __name__ == "__main__":
    unittest.main()
