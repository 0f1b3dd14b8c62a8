"""The command: ``python -m superhet batch RECEIVER INPUT... --out DIR``."""

from __future__ import annotations

import argparse
import re
import sys
from typing import Sequence

from superhet.batch.errors import BatchError

_SCALES = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9}


def quantity(text: str) -> float:
    """A rate or frequency, as 2e6, 2.4M or 48kHz."""
    found = re.fullmatch(r"([-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?)([kMG]?)(?:Hz|sps|Sps)?", text.strip())
    try:
        return float(found[1]) * _SCALES[found[2]]  # type: ignore[index]
    except (TypeError, ValueError):
        raise argparse.ArgumentTypeError(f"expected a number such as 2e6, 2.4M or 48kHz, got {text!r}") from None


def assignment(text: str) -> tuple[str, str]:
    """NAME=VALUE."""
    name, is_there, value = text.partition("=")
    if not name or not is_there:
        raise argparse.ArgumentTypeError(f"expected NAME=VALUE, got {text!r}")
    return name, value


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="superhet batch",
        description="Decode many recordings into Parquet files. A batch that was stopped goes on where it was.",
        epilog="superhet batch compact DIR puts the small files of a batch together.",
    )
    parser.add_argument("receiver", metavar="RECEIVER", help="a receiver (superhet decode --list), occupancy, bursts, or a graph file")
    parser.add_argument("inputs", metavar="INPUT", nargs="+", help="recordings, folders, patterns, SigMF collections, lists or URLs")
    parser.add_argument("--out", metavar="DIR", required=True, help="the folder of the results")
    parser.add_argument("--executor", choices=["local", "dask", "ray"], default="local", help="who does the tasks [default: local]")
    parser.add_argument("--address", help="the address of a Dask scheduler or a Ray cluster [default: begun here]")
    parser.add_argument("--workers", type=int, metavar="N", help="how many tasks are done at once [default: the processors]")
    parser.add_argument("--rate", type=quantity, help="samples per second [default: as the recording says]")
    parser.add_argument("--freq", type=quantity, metavar="FREQUENCY", help="the centre frequency [default: as the recording says]")
    parser.add_argument("--format", help="how raw samples are stored: cu8, cs16, … [default: as the name says]")
    parser.add_argument("--set", type=assignment, action="append", default=[], metavar="NAME=VALUE", help="a variable of the receiver")
    parser.add_argument("--protocols", metavar="DIR", help="of ism, more protocols")
    parser.add_argument("--recordings-per-task", type=int, metavar="N", help="the most recordings of a task [default: 1 to 1000]")
    parser.add_argument("--seconds-per-task", type=float, metavar="S", default=3600.0, help="longer recordings are cut [default: 3600]")
    parser.add_argument("--timeout", type=float, metavar="S", default=3600.0, help="how long a recording may take [default: 3600]")
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, and do nothing")
    parser.add_argument("--quiet", action="store_true", help="do not say how far it is")
    return parser


def _compact_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="superhet batch compact", description="Put the small files of a batch together.")
    parser.add_argument("out", metavar="DIR", help="the folder of a batch")
    parser.add_argument("--megabytes", type=float, default=256.0, help="how large files become, about [default: 256]")
    return parser


def main(arguments: Sequence[str]) -> int:
    """Runs the command with these arguments, and gives its exit code: 1 where tasks or recordings failed, 2 for a mistake."""
    from superhet import batch

    try:
        if arguments and arguments[0] == "compact":
            asked = _compact_parser().parse_args(arguments[1:])
            gone = batch.compact(asked.out, file_bytes=round(asked.megabytes * 1e6))
            print(f"{asked.out}: {gone} files fewer")
            return 0
        asked = _parser().parse_args(arguments)
        report = batch.map(
            asked.receiver,
            asked.inputs,
            asked.out,
            asked.executor,
            workers=asked.workers,
            address=asked.address,
            rate_hz=asked.rate,
            frequency_hz=asked.freq,
            format=asked.format,
            set=_settings(asked.receiver, asked.set),
            protocols=asked.protocols,
            recordings_per_task=asked.recordings_per_task,
            seconds_per_task=asked.seconds_per_task,
            timeout_s=asked.timeout,
            dry_run=asked.dry_run,
            progress=not asked.quiet,
        )
    except BatchError as error:
        print(f"superhet: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("superhet: stopped; the same command goes on where it was", file=sys.stderr)
        return 130
    print(report)
    return 1 if report.failed or report.errors else 0


def _settings(receiver: str, given: list[tuple[str, str]]) -> dict[str, object]:
    """Settings by name; those of analyses are numbers."""
    from superhet.batch.analysis import ANALYSES

    if receiver not in ANALYSES:
        return dict(given)
    try:
        return {name: float(value) for name, value in given}
    except ValueError as error:
        raise BatchError(f"--set: expected numbers: {error}") from None
