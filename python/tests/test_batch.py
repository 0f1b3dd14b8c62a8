"""Batches: the rows are those of single runs, whoever is killed when; what is broken is a row."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import batch_signals as signals
import duckdb
import numpy
import polars

import superhet
from superhet import batch
from superhet.batch import child, inputs, recording, store
from superhet.batch.errors import BatchError

COUNT = int(os.environ.get("SUPERHET_BATCH_RECORDINGS", "200"))
"""Recordings of the archives here; a long run has 2000."""
DAYS = ("20260704_235955Z", "20260705_120000Z", "nodate")


def archive(folder, count):
    """Recordings of alerts, some of which are broken; gives how many are."""
    npt = numpy.fromfile(signals.DATA / "same/npt.22050.s16", "<i2")
    draw = numpy.random.default_rng(4)
    variations = [(npt + draw.integers(-200, 200, len(npt))).astype("<i2").tobytes() for _ in range(8)]
    folder.mkdir()
    broken = 0
    for number in range(count):
        base = folder / f"alert{number:04}_{DAYS[number % 3]}"
        data = variations[number % 8]
        if number % 20 == 7:
            # Cut in the middle of a sample, empty, a WAV file that is none, metadata without samples.
            broken += 1
            name, data = [("s16", data[:30001]), ("wav", b""), ("wav", data[:99]), ("sigmf-meta", b"{}")][number // 20 % 4]
            base.with_suffix(f".{name}").write_bytes(data)
        elif number % 5 == 1:
            base.with_suffix(".wav").write_bytes(signals.wav(numpy.frombuffer(data, "<i2"), 22050))
        else:
            base.with_suffix(".s16").write_bytes(data)
    return broken


def rows(out):
    """All messages of a batch, as DuckDB reads them."""
    with duckdb.connect() as connection:
        names = "recording, sample_index, epoch_ns(time), frequency_hz, snr_db, protocol, fields, raw, json"
        found = connection.sql(f"select {names} from read_parquet('{out}/messages/**/*.parquet') order by recording, sample_index")
        return found.fetchall()


def single_runs(folder):
    """The same, by single runs of `superhet decode`: of each recording, its messages as JSON."""
    known, found = {}, []
    for path in sorted(folder.iterdir()):
        data = path.read_bytes()
        if data not in known:
            command = [sys.executable, "-m", "superhet", "decode", "same", "--json", str(path)]
            done = subprocess.run(command, capture_output=True, text=True)
            known[data] = done.stdout.splitlines() if done.returncode == 0 else []
        found += [(str(path), json.loads(line)) for line in known[data]]
    return found


class Batches(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.scratch.name) / "archive"
        cls.broken = archive(cls.folder, COUNT)
        cls.wanted = single_runs(cls.folder)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def out(self, name):
        path = Path(self.scratch.name) / name
        self.addCleanup(shutil.rmtree, path, True)
        return path

    def same_rows(self, out):
        """Checks that the rows of a batch are those of single runs, and that each recording is there once."""
        found = rows(out)
        self.assertEqual([(row[0], json.loads(row[-1])) for row in found], self.wanted)
        with duckdb.connect() as connection:
            status = connection.sql(f"select status, count(*), count(distinct path) from '{out}/manifest/*.parquet' group by status")
            counts = {row[0]: row[1:] for row in status.fetchall()}
        self.assertEqual(counts, {"ok": (COUNT - self.broken,) * 2, "error": (self.broken,) * 2})
        return found

    def test_the_rows_are_those_of_single_runs_and_what_is_broken_is_a_row(self):
        out = self.out("threads")
        with ThreadPoolExecutor(2) as executor:
            report = batch.map("same", self.folder, out, executor)
        self.assertEqual((report.recordings, report.errors, report.messages), (COUNT, self.broken, len(self.wanted)))
        found = self.same_rows(out)
        # The time of a row is that of its sample.
        row = next(row for row in found if "20260704_235955Z" in row[0])
        begun = int(numpy.datetime64("2026-07-04T23:59:55", "ns").astype(int))
        self.assertEqual(row[2], begun + round(row[1] * 1e9 / 22050))
        self.assertTrue(all(row[2] is None for row in found if "nodate" in row[0]))

        # Readers that know partitions know kind and date.
        table = polars.scan_parquet(out / "messages", hive_partitioning=True).collect()
        self.assertEqual(table.height, len(self.wanted))
        self.assertEqual(set(table["kind"]), {"same"})
        self.assertEqual({str(date) for date in table["date"]}, {"2026-07-04", "2026-07-05", "None"})
        self.assertEqual(table.schema["time"], polars.Datetime("ns", "UTC"))
        self.assertEqual(table.schema["sample_index"], polars.UInt64)

        facts = batch.manifest(out).to_pylist()
        errors = [row["error"] for row in facts if row["status"] == "error"]
        self.assertTrue(all(errors) and any("no whole sample" in error for error in errors), errors)
        good = next(row for row in facts if row["status"] == "ok")
        self.assertEqual((len(good["sha512"]), good["size"]), (128, os.path.getsize(good["path"])))

        # Nothing is left to be done, and nothing is done again.
        before = {path: path.stat().st_mtime_ns for path in out.rglob("*.parquet")}
        again = batch.map("same", self.folder, out, workers=1)
        self.assertEqual((again.recordings, again.done_before, again.tasks), (0, COUNT, 0))
        self.assertEqual({path: path.stat().st_mtime_ns for path in out.rglob("*.parquet")}, before)

        # Small files are put together, and the batch still knows what is done.
        files = len(list((out / "messages").rglob("*.parquet")))
        gone = batch.compact(out)
        self.assertEqual(len(list((out / "messages").rglob("*.parquet"))), files - gone)
        self.assertEqual(files - gone, 3)
        self.same_rows(out)
        self.assertEqual(batch.map("same", self.folder, out, workers=1).tasks, 0)

    def test_killed_three_times_it_does_what_is_missing_and_nothing_else(self):
        out = self.out("killed")
        command = [sys.executable, "-m", "superhet", "batch", "same", str(self.folder), "--out", str(out)]
        command += ["--workers", "2", "--recordings-per-task", "5", "--quiet"]
        draw, done = random.Random(5), {}
        for _ in range(3):
            with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
                # Killed somewhere in the middle of its work: after a few more tasks, and a bit.
                wanted = len(list(out.glob("manifest/*.parquet"))) + draw.randint(1, 8)
                while process.poll() is None and len(list(out.glob("manifest/*.parquet"))) < wanted:
                    time.sleep(0.01)
                time.sleep(draw.random() * 0.1)
                process.send_signal(signal.SIGKILL)
            there = {path: (path.stat().st_ino, path.stat().st_mtime_ns) for path in out.glob("manifest/*.parquet")}
            self.assertEqual({path: there[path] for path in done}, done)
            done = there
        self.assertLess(len(done), COUNT / 5)
        finished = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(finished.returncode, 1, finished.stderr)
        self.assertIn("done before", finished.stdout)
        there = {path: (path.stat().st_ino, path.stat().st_mtime_ns) for path in out.glob("manifest/*.parquet")}
        self.assertEqual({path: there[path] for path in done}, done)
        self.same_rows(out)
        self.assertEqual(list(out.rglob("*.tmp")), [])

    def test_a_worker_that_is_killed_is_replaced(self):
        out = self.out("worker")
        good = [path for path in sorted(self.folder.glob("*.s16")) if path.stat().st_size % 2 == 0][:12]
        with tempfile.TemporaryDirectory() as folder:
            mark = Path(folder) / "killed"
            work = batch.Function(kill_once, "once", settings=(("mark", str(mark)),))
            report = batch.map(work, good, out, workers=2, recordings_per_task=2)
            self.assertTrue(mark.exists())
        self.assertEqual((report.recordings, report.errors, report.failed), (12, 0, {}))
        self.assertEqual(len(rows(out)), 12)

    def test_a_dry_run_does_nothing(self):
        out = self.out("dry")
        report = batch.map("same", [str(self.folder / "*.wav"), self.folder / "*.s16"], out, dry_run=True, workers=2)
        self.assertEqual(report.planned, len([*self.folder.glob("*.wav"), *self.folder.glob("*.s16")]))
        self.assertIn("to be done", str(report))
        self.assertFalse(out.exists())

    def test_recordings_that_are_new_are_done_and_those_that_have_changed_are_named(self):
        with tempfile.TemporaryDirectory() as folder:
            here = Path(folder) / "in"
            here.mkdir()
            for path in sorted(self.folder.glob("*.s16"))[:4]:
                shutil.copy(path, here)
            out = Path(folder) / "out"
            with ThreadPoolExecutor(1) as executor:
                self.assertEqual(batch.map("same", here, out, executor).recordings, 4)
                shutil.copy(next(iter(here.iterdir())), here / "new.s16")
                changed = sorted(here.iterdir())[0]
                changed.write_bytes(b"\0\0" * 1000)
                report = batch.map("same", here, out, executor)
            self.assertEqual((report.recordings, report.changed), (1, [str(changed)]))
            self.assertEqual(len({row[0] for row in rows(out)}), 5)
            # Another receiver may share the folder; the same one with other settings may not.
            with ThreadPoolExecutor(1) as executor:
                batch.map("ax25", here, out, executor, rate_hz=22050)
                with self.assertRaisesRegex(BatchError, "same of version .* expected the same ones or another folder"):
                    batch.map("same", here, out, executor, rate_hz=22051)

    def test_whoever_works_on_a_folder_works_alone(self):
        out = self.out("locked")
        with store.Store(out).locked(), self.assertRaisesRegex(BatchError, "another batch is at work"):
            batch.map("same", self.folder, out)

    def test_compacting_that_was_stopped_is_ended_by_the_next(self):
        out = self.out("compacting")
        few = sorted(self.folder.glob("*_nodate.s16"))[:6]
        with ThreadPoolExecutor(1) as executor:
            batch.map("same", few, out, executor, recordings_per_task=1)
        before = rows(out)
        finish = store._finish_compacting
        try:
            store._finish_compacting = lambda folder, journal: (_ for _ in ()).throw(KeyboardInterrupt)
            with self.assertRaises(KeyboardInterrupt):
                batch.compact(out)
        finally:
            store._finish_compacting = finish
        self.assertEqual(rows(out), before)
        # Half of the old files are gone already.
        next(out.glob("messages/*/*/*.parquet")).unlink()
        batch.compact(out)
        self.assertEqual(rows(out), before)
        self.assertEqual(len(list(out.glob("messages/*/*/*.parquet"))), 1)
        self.assertEqual([path.name for path in out.glob("compact-*")], [])

    def test_what_an_undone_task_has_written_is_not_put_among_the_rest(self):
        out = self.out("undone")
        few = sorted(self.folder.glob("*_nodate.s16"))[:4]
        with ThreadPoolExecutor(1) as executor:
            batch.map("same", few, out, executor, recordings_per_task=1)
            before = rows(out)
            # As if it were killed between its messages and its manifest.
            next(out.glob("manifest/*.parquet")).unlink()
            batch.compact(out)
            self.assertEqual(rows(out), before)
            self.assertEqual(batch.map("same", few, out, executor).recordings, 1)
        self.assertEqual(rows(out), before)

    def test_names_do_not_depend_on_the_current_folder(self):
        out = self.out("folders")
        few = sorted(self.folder.glob("*_nodate.s16"))[:2]
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        with ThreadPoolExecutor(1) as executor:
            batch.map("same", few, out, executor)
            os.chdir(self.folder)
            report = batch.map("same", [path.name for path in few], os.path.relpath(out), executor)
        self.assertEqual((report.recordings, report.done_before), (0, 2))

    def test_what_is_left_of_another_archive_is_left(self):
        out = self.out("others")
        few = sorted(self.folder.glob("*_nodate.s16"))[:4]
        with ThreadPoolExecutor(1) as executor:
            batch.map("same", few[:3], out, executor, recordings_per_task=1)
            next(out.glob("manifest/*.parquet")).unlink()
            self.assertEqual(batch.map("same", few[3:], out, executor).recordings, 1)
            self.assertEqual(batch.map("same", few, out, executor).recordings, 1)


def kill_once(one, mark):
    """Kills the process that does it, the first time."""
    if not os.path.exists(mark):
        Path(mark).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return [{"sample_index": 0, "fields": {"path": one.name}}]


class Inputs(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        for name in ("a_20260704_235959Z_433.92M_250k.cu8", "b.wav", "deep/c.cs16", "notes.md", "list.txt"):
            (self.folder / name).parent.mkdir(exist_ok=True)
            (self.folder / name).write_bytes(b"\x80\x80" * 50)
        superhet.sigmf.save(self.folder / "d", numpy.zeros(8, "c8"), rate_hz=1e6)

    def names(self, given):
        return [os.path.relpath(one.name, self.folder) for one in inputs.find(given)]

    def test_folders_patterns_lists_and_collections_name_recordings(self):
        every = ["a_20260704_235959Z_433.92M_250k.cu8", "b.wav", "d.sigmf-meta", "deep/c.cs16"]
        self.assertEqual(self.names(self.folder), every)
        self.assertEqual(self.names([self.folder / "d", self.folder / "d.sigmf-data", self.folder / "*.wav"]), ["b.wav", "d.sigmf-meta"])
        (self.folder / "list.txt").write_text("# some\nb.wav\n\ndeep/c.cs16\n")
        self.assertEqual(self.names(self.folder / "list.txt"), ["b.wav", "deep/c.cs16"])
        polars.DataFrame({"recording": ["b.wav", "b.wav"]}).write_parquet(self.folder / "list.parquet")
        self.assertEqual(self.names(self.folder / "list.parquet"), ["b.wav"])
        (self.folder / "x.sigmf-collection").write_text('{"collection": {"core:streams": [{"name": "d", "hash": ""}]}}')
        self.assertEqual(self.names(self.folder / "x.sigmf-collection"), ["d.sigmf-meta"])
        (one,) = inputs.find(self.folder / "a_*")
        self.assertEqual((one.size, one.date), (100, "2026-07-04"))

    def test_mistakes_say_what_was_expected(self):
        (self.folder / "x.sigmf-collection").write_text('{"collection": {}}')
        (self.folder / "y.sigmf-collection").write_text('{"collection": {"core:streams": [{"name": "../d"}]}}')
        polars.DataFrame({"file": ["b.wav"]}).write_parquet(self.folder / "wrong.parquet")
        for given, wanted in [
            (self.folder / "none", "there is no such file or folder"),
            (self.folder / "*.none", "no file fits this pattern"),
            (self.folder / "x.sigmf-collection", "expected a SigMF collection"),
            (self.folder / "y.sigmf-collection", "a name is not that of a file beside it"),
            (self.folder / "wrong.parquet", "expected a column recording or path, got file"),
            ("nowhere://x/y", "nowhere"),
        ]:
            with self.assertRaisesRegex(BatchError, wanted):
                inputs.find(given)
        (self.folder / "wrong.toml").write_text('[blocks.a]\ntype = "afks_demod"\n[ports]\nin = "a.in"\nout = "a.out"\n')
        for settings, wanted in [
            ({"receiver": "fax"}, "there is no receiver 'fax': expected one of adsb, "),
            ({"receiver": "fax.toml"}, "fax.toml: expected a graph file"),
            ({"executor": "cloud"}, "expected local, dask, ray"),
            ({"workers": 0}, "workers: expected a number from 1 on, got 0"),
            ({"recordings_per_task": 0}, "recordings_per_task"),
            ({"seconds_per_task": -1.0}, "seconds_per_task"),
            ({"timeout_s": 0.0}, "timeout_s"),
            ({"part_s": 0.0, "receiver": "ais"}, "part_s"),
            ({"protocols": "x", "receiver": "ais"}, "protocols are for ism"),
            ({"receiver": "same", "set": {"foo": 1}}, "same does not run: with complex samples, setting foo=1: there is no variable foo"),
            ({"receiver": "ism", "protocols": self.folder / "none"}, "ism does not run: .* cannot read the folder"),
            ({"receiver": self.folder / "wrong.toml"}, "wrong does not run: .*there is no block type afks_demod"),
            ({"receiver": "occupancy", "set": {"channel_hz": -1}}, "channel_hz"),
        ]:
            given = {"receiver": "same", "inputs": self.folder, "out": self.folder / "out", **settings}
            with self.assertRaisesRegex(BatchError, wanted):
                batch.map(**given)

    def test_urls_are_read_through_fsspec(self):
        try:
            import fsspec
        except ImportError:
            self.skipTest("fsspec is not installed")
        memory = fsspec.filesystem("memory")
        data = (signals.DATA / "same/npt.22050.s16").read_bytes()
        memory.pipe("/archive/npt.s16", data)
        memory.pipe("/archive/notes.txt", b"no recording")
        out = self.folder / "out"
        with ThreadPoolExecutor(1) as executor:
            report = batch.map("same", "memory://archive", out, executor)
        self.assertEqual((report.recordings, report.messages, report.errors), (1, 1, 0))
        self.assertEqual(rows(out)[0][0], "memory:///archive/npt.s16")

    def test_days_in_names_are_those_that_the_command_reads(self):
        for name in ("gqrx_20200102_030405_433920000_250000_fc.raw", "SDRSharp_20150303_122423Z_403000kHz_IQ.cf32", "x_20261399_000000Z.cu8"):
            path = self.folder / name
            path.write_bytes(bytes(800))
            with child.borrowed() as process:
                known = recording.describe(process, name, str(path), recording.Options()).time_ns
            day = None if known is None else str(numpy.datetime64(known, "ns"))[:10]
            self.assertEqual(inputs.began(name), day, name)


class Work(unittest.TestCase):
    """What is done with each recording."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def run_batch(self, work, given, **settings):
        out = self.folder / "out"
        with ThreadPoolExecutor(1) as executor:
            report = batch.map(work, given, out, executor, **settings)
        return report, [] if not report.messages else rows(out)

    def test_messages_of_a_recording_are_in_the_order_of_their_samples(self):
        count = 2 * store.ROWS_AT_ONCE + 7
        work = batch.Function(lambda one: ({"sample_index": count - n, "hex": "0a"} for n in range(count)), "many")
        given = signals.DATA / "ax25/ao27.wav"
        with ThreadPoolExecutor(1) as executor:
            self.assertEqual(batch.map(work, given, self.folder / "many", executor).messages, count)
        (path,) = (self.folder / "many").glob("messages/*/*/*.parquet")
        self.assertEqual(polars.read_parquet(path, hive_partitioning=False)["sample_index"].to_list(), list(range(1, count + 1)))

    def test_a_graph_file_is_run_as_receivers_are(self):
        text = (signals.DATA.parent / "crates/command/receivers/same.toml").read_text()
        (self.folder / "alerts.toml").write_text(text)
        wavs = signals.wav(numpy.fromfile(signals.DATA / "same/npt.22050.s16", "<i2"), 22050)
        (self.folder / "npt.wav").write_bytes(wavs)
        report, found = self.run_batch(self.folder / "alerts.toml", self.folder / "npt.wav")
        self.assertEqual((report.kind, report.errors, len(found)), ("alerts", 0, 1), batch.manifest(self.folder / "out"))
        with child.borrowed() as process:
            (wanted,) = process.run(["decode", "same", "--json", str(self.folder / "npt.wav")])
        self.assertEqual(json.loads(found[0][-1]), json.loads(wanted))

    def test_a_graph_that_is_built_in_python_gives_its_messages(self):
        report, found = self.run_batch(bell, signals.DATA / "ax25/ao27.wav")
        self.assertEqual((report.kind, report.errors), ("bell", 0), batch.manifest(self.folder / "out"))
        frames = (signals.DATA / "ax25/ao27.frames.txt").read_text().split()
        self.assertTrue(set(frames) <= {row[7].hex() for row in found})

    def test_numbers_that_are_none_are_null(self):
        message = {"sample_index": 7, "snr_db": float("nan"), "fields": {"power": [float("-inf"), 1.5]}}
        report, found = self.run_batch(batch.Function(lambda one: [message], "x"), signals.DATA / "ax25/ao27.wav")
        self.assertEqual(report.errors, 0, batch.manifest(self.folder / "out"))
        table = polars.read_parquet(next((self.folder / "out").glob("messages/*/*/*.parquet")), hive_partitioning=False)
        self.assertEqual((table["snr_db"][0], table["fields"][0]), (None, '{"power":[null,1.5]}'))
        self.assertEqual(json.loads(found[0][-1])["snr_db"], None)

    def test_messages_that_are_none_are_an_error_of_their_recording(self):
        given = signals.DATA / "ax25/ao27.wav"
        for messages, wanted in [
            ([{"sample_index": -1}], "sample_index -1: expected a whole number"),
            ([{"sample_index": 1.5}], "sample_index 1.5: expected a whole number"),
            ([{"snr_db": "loud"}], 'snr_db "loud": expected a number'),
            ([{"hex": "zz"}], 'hex "zz": expected pairs of hexadecimal digits'),
            ([{"hex": "abc"}], 'hex "abc": expected pairs of hexadecimal digits'),
            ([["no", "object"]], 'a message is ["no","object"]: expected an object'),
            ([{"fields": {"text": "\ud800"}}], "surrogates not allowed"),
        ]:
            out = self.folder / str(abs(hash(wanted)))
            with ThreadPoolExecutor(1) as executor:
                report = batch.map(batch.Function(lambda one: messages, "x"), given, out, executor)
            self.assertEqual((report.errors, report.messages), (1, 0))
            self.assertIn(wanted, batch.manifest(out)["error"][0].as_py())

    def test_a_recording_that_takes_too_long_or_ends_the_decoder_is_an_error(self):
        # Zeros that take no place on the disk, and a decoder that is busy with them until it is killed.
        long, short = self.folder / "long_2Msps.cu8", self.folder / "short_2Msps.cu8"
        short.write_bytes(bytes(4_000))
        long.touch()
        os.truncate(long, 1 << 40)
        info, decode = ["info", "--json", str(short)], ["decode", "adsb", "--json", str(long)]
        with child.borrowed() as process:
            with self.assertRaisesRegex(batch.RecordingError, "not decoded in 0.05 s"):
                list(process.run(decode, timeout_s=0.05))
            next(iter(process.run(info)))
            killer = threading.Timer(0.2, os.kill, (process._process.pid, signal.SIGKILL))
            killer.start()
            with self.assertRaisesRegex(batch.RecordingError, "ended by signal 9"):
                list(process.run(decode, timeout_s=60))
            killer.join()
            self.assertEqual(json.loads(b"".join(process.run(info)))["samples"], 2_000)

    def test_the_receivers_are_those_of_the_command(self):
        with child.borrowed() as process:
            names = [line.split()[0].decode() for line in process.run(["decode", "--list"])]
        self.assertEqual(names, list(batch.KINDS))


def bell(one):
    """A receiver of AX.25 at 1200 Bd."""
    graph = superhet.Graph()
    source = superhet.vector_source(one.samples())
    message = superhet.receiver_message(rate_hz=one.rate_hz, protocol="AX.25")
    graph.connect(
        source,
        superhet.index_tags(item="f32"),
        superhet.afsk_demod(rate_hz=one.rate_hz, symbol_rate_hz=1200, mark_hz=1200, space_hz=2200),
        superhet.binary_slicer(),
        superhet.nrzi_decode(),
        superhet.hdlc_deframer(min_length=15),
        superhet.ax25_decode(),
        message,
    )
    return graph, message["out"]


if __name__ == "__main__":
    unittest.main()
