"""What is done with each recording: receivers, graph files, functions."""

from __future__ import annotations

import hashlib
import inspect
import json
import math
import os
import re
import tempfile
import tokenize
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator, Union

import superhet
from superhet.batch.child import Child
from superhet.batch.errors import BatchError, RecordingError
from superhet.batch.recording import Options, Recording
from superhet.batch.store import line_of

Message = dict[str, Any]

AUDIO_HZ = 24e3
"""Receivers of audio make it of complex samples at this rate or up to twice as much, as ``superhet decode`` does."""
PART_S = 600.0
"""How long a part of a long recording is, where nothing else is said."""


@dataclass(frozen=True)
class Cut:
    """How a recording is cut into parts, in samples. Where the parts lie depends on nothing else."""

    part: int
    """A part; each begins at a multiple of this."""
    lead: int
    """What is read before a part: what the receiver remembers, and the longest message, which else would begin in its middle."""
    tail: int
    """What is read behind it: the longest message."""
    align: int = 1
    """Where reading may begin: multiples of this, for decimations, mixers and means to be where they are without a cut."""
    guard: int = 0
    """By how much less the place of a message may differ that two readings of it tell."""

    @classmethod
    def of(cls, rate_hz: float, part_s: float, lead_s: float, tail_s: float, align: int = 1, guard_s: float = 0.0) -> "Cut":
        """The same in seconds."""
        part = max(align, round(part_s * rate_hz) // align * align)
        return cls(part, math.ceil(lead_s * rate_hz), math.ceil(tail_s * rate_hz), align, math.ceil(guard_s * rate_hz))


class Work:
    """What is done with each recording. It goes to other processes, so it must be picklable."""

    kind: str
    """What its results are called: their partition."""
    rate_hz: float | None = None
    """The rate of recordings that do not say theirs."""

    def messages(self, recording: Recording, child: Child, options: Options, timeout_s: float | None) -> Iterable[Message]:
        """What is in the samples that are read, with indices that are counted from the recording's beginning."""
        raise NotImplementedError

    def lines(self, recording: Recording, child: Child, options: Options, timeout_s: float | None) -> Iterable[bytes]:
        """The same of a whole recording, each a line of JSON."""
        return map(line_of, self.messages(recording, child, options, timeout_s))

    def cut(self, recording: Recording) -> Cut | None:
        """How the recording is cut; `None` where it cannot be."""
        return None

    def identity(self) -> Any:
        """What the results depend on, besides the recordings and the version: goes into JSON."""
        raise NotImplementedError

    @property
    def least_part_s(self) -> float:
        """The shortest recording that may be cut, in seconds."""
        part_s = getattr(self, "part_s", None)
        return float(KINDS[self.kind].part_s if part_s is None else part_s)

    def _rate_hz(self, recording: Recording) -> float | None:
        return recording.rate_hz or self.rate_hz


@dataclass(frozen=True)
class _Kind:
    """What is known of a receiver beside its graph file."""

    rate_hz: float
    part_s: float
    lead_s: float
    tail_s: float
    guard_s: float
    channel_hz: float = 0.0
    """Decimated to this rate or up to twice as much, if at all."""
    burst_samples: int = 0
    """The longest burst."""
    period_s: int = 0
    """Reading begins at multiples of this, where a period of the rate's thousandth part is not enough."""
    is_cut: bool = True
    """Whether long recordings are cut."""


# Aircraft: addresses and positions count for 60 s, and the mean of the offset is one of 480 items at 4 MHz, so of 3 s.
# AX.25: the longest frame, 502 bytes at 1200 Bd with stuffed bits, has 4 s.
# SAME: three bursts of 268 letters have 17 s. Which of them is the first that was found may differ, so the guard is one of them.
# GOMspace: the longest frame, 255 bytes, has 1.7 s at 1200 Bd and 0.5 s at 4800 Bd.
# FT8 and FT4: samples are decoded a slot at a time, of 15 and 7.5 s, with those of the next.
# AIS: two time slots have 53 ms, all five 133 ms. Wireless M-Bus: a telegram of 290 bytes in mode S has 150 ms.
# Wi-Fi: the longest frame, 4095 bytes at 1.5 Mbit/s, has 22 ms.
# FM: a message is what is new since the recording began.
KINDS = {
    "adsb": _Kind(2e6, part_s=1800, lead_s=120, tail_s=0.01, guard_s=30e-6, period_s=3),
    "ax25": _Kind(48e3, part_s=300, lead_s=6, tail_s=6, guard_s=0.02, channel_hz=AUDIO_HZ),
    "ax25-9600": _Kind(48e3, part_s=300, lead_s=2, tail_s=2, guard_s=5e-3, channel_hz=AUDIO_HZ),
    "ax25-bpsk": _Kind(48e3, part_s=300, lead_s=2, tail_s=2, guard_s=5e-3, channel_hz=48e3),
    "same": _Kind(22050, part_s=600, lead_s=25, tail_s=20, guard_s=6, channel_hz=AUDIO_HZ),
    "ism": _Kind(250e3, part_s=600, lead_s=1, tail_s=0.1, guard_s=5e-3, burst_samples=1 << 22),
    "wmbus": _Kind(2.4e6, part_s=300, lead_s=1, tail_s=1, guard_s=2e-3, channel_hz=800e3),
    "ais": _Kind(240e3, part_s=300, lead_s=1, tail_s=1, guard_s=5e-3, channel_hz=48e3),
    "ft8": _Kind(12e3, part_s=900, lead_s=30, tail_s=30, guard_s=0.1, channel_hz=AUDIO_HZ, period_s=15),
    "ft4": _Kind(12e3, part_s=900, lead_s=15, tail_s=15, guard_s=0.1, channel_hz=AUDIO_HZ, period_s=15),
    "ax100": _Kind(48e3, part_s=300, lead_s=3, tail_s=3, guard_s=0.02, channel_hz=AUDIO_HZ),
    "u482c": _Kind(48e3, part_s=300, lead_s=2, tail_s=2, guard_s=5e-3, channel_hz=AUDIO_HZ),
    "3cat1": _Kind(48e3, part_s=300, lead_s=2, tail_s=2, guard_s=5e-3, channel_hz=AUDIO_HZ),
    "aausat4": _Kind(48e3, part_s=300, lead_s=3, tail_s=3, guard_s=0.02, channel_hz=AUDIO_HZ),
    "ccsds": _Kind(48e3, part_s=300, lead_s=6, tail_s=2, guard_s=0.05, channel_hz=48e3),
    "funcube": _Kind(48e3, part_s=300, lead_s=12, tail_s=6, guard_s=0.1, channel_hz=AUDIO_HZ),
    "fm": _Kind(1.2e6, part_s=math.inf, lead_s=0, tail_s=0, guard_s=0, is_cut=False),
    "wifi": _Kind(20e6, part_s=60, lead_s=0.05, tail_s=0.05, guard_s=2e-6),
}
"""The receivers of ``superhet decode --list``."""


@dataclass(frozen=True)
class Receiver(Work):
    """A receiver of ``superhet decode --list``."""

    kind: str
    set: tuple[tuple[str, str], ...] = ()
    """Variables of its graph, or parameters as ``block.parameter``."""
    protocols: str | None = None
    """Of ``ism``, a folder of more protocols."""
    part_s: float | None = None
    """How long the parts of long recordings are, where that is not the receiver's own."""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise BatchError(f"there is no receiver {self.kind!r}: expected one of {', '.join(KINDS)}, or a graph file NAME.toml")
        if self.protocols is not None and self.kind != "ism":
            raise BatchError(f"protocols are for ism, not for {self.kind}")

    @property
    def rate_hz(self) -> float:  # type: ignore[override]
        """Its own rate."""
        return KINDS[self.kind].rate_hz

    def messages(self, recording: Recording, child: Child, options: Options, timeout_s: float | None) -> Iterator[Message]:
        return _moved(self.lines(recording, child, options, timeout_s), recording, self._rate_hz(recording))

    def lines(self, recording: Recording, child: Child, options: Options, timeout_s: float | None) -> Iterator[bytes]:
        command = ["decode", self.kind, "--json", "--scheduler", "single"]
        command += [word for name, value in self.set for word in ("--set", f"{name}={value}")]
        if self.protocols is not None:
            command += ["--protocols", self.protocols]
        if recording.is_whole:
            return child.run([*command, recording.path, *options.arguments(recording.path)], timeout_s=timeout_s)
        feed, format = recording.feed()
        return child.run([*command, "-", *_said(recording, format)], feed=feed, timeout_s=timeout_s)

    def cut(self, recording: Recording) -> Cut | None:
        known = KINDS[self.kind]
        if not known.is_cut:
            return None
        rate_hz = recording.rate_hz or known.rate_hz
        is_decimated = known.channel_hz and (recording.is_complex or known.channel_hz != AUDIO_HZ)
        decimation = max(1, math.floor(rate_hz / known.channel_hz)) if is_decimated else 1
        # Channels lie at whole kilohertz, so after this many samples each mixer is where it began.
        period = round(rate_hz * known.period_s) if known.period_s else round(rate_hz) // math.gcd(round(rate_hz), 1000)
        burst_s = known.burst_samples / rate_hz
        align = math.lcm(decimation, max(1, period))
        part_s = known.part_s if self.part_s is None else self.part_s
        return Cut.of(rate_hz, part_s, known.lead_s + burst_s, known.tail_s + burst_s, align, known.guard_s)

    def identity(self) -> Any:
        protocols = {}
        if self.protocols is not None:
            try:
                protocols = {path.name: path.read_text() for path in sorted(Path(self.protocols).glob("*.toml"))}
            except (OSError, UnicodeDecodeError) as error:
                raise BatchError(f"protocols: {error}") from None
        return ["receiver", self.kind, list(self.set), protocols, self.part_s]


@dataclass(frozen=True)
class GraphFile(Work):
    """A graph file that shows the ports ``in``, which takes samples, and ``out``, which gives messages, as receivers do."""

    path: str
    kind: str
    set: tuple[tuple[str, str], ...] = ()
    """Variables of the graph."""
    overlap_s: tuple[float, float] | None = None
    """What a part is read beyond its ends, before and behind, in seconds; without it, recordings are not cut."""
    part_s: float = PART_S

    def messages(self, recording: Recording, child: Child, options: Options, timeout_s: float | None) -> Iterator[Message]:
        return _moved(self.lines(recording, child, options, timeout_s), recording, recording.rate_hz)

    def lines(self, recording: Recording, child: Child, options: Options, timeout_s: float | None) -> Iterator[bytes]:
        feed, source = None, {"type": "sigmf_source", "path": recording.path}
        if recording.is_wav:
            source["type"] = "wav_source"
        elif not recording.path.endswith((".sigmf-meta", ".sigmf")):
            source.update(type="file_source", format=recording.format)
        if not recording.is_whole:
            feed, format = recording.feed()
            source = {"type": "file_source", "path": "-", "format": format}
        known = {"rate_hz": recording.rate_hz, "recording_rate_hz": recording.rate_hz, "center_hz": recording.frequency_hz}
        text = Path(self.path).read_text()
        sets = {name: value for name, value in known.items() if value and re.search(rf"^\s*{name}\s*=", text, re.MULTILINE)}
        sets |= {name: _value(text) for name, text in self.set}
        blocks = {
            "source": source,
            "index": {"type": "index_tags", "item": "C32" if recording.is_complex else "f32"},
            "receiver": {"graph": self.path, **sets},
            "print": {"type": "message_debug"},
        }
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
            file.write('connections = ["source -> index -> receiver.in", "receiver.out -> print"]\n')
            for name, entries in blocks.items():
                file.write(f"[blocks.{name}]\n{_toml(entries)}")
            file.flush()
            lines = child.run(["run", file.name, "--scheduler", "single"], feed=feed, timeout_s=timeout_s)
            # Other messages than objects are none of a receiver.
            yield from (line for line in lines if line.startswith(b"{"))

    def cut(self, recording: Recording) -> Cut | None:
        if self.overlap_s is None or not recording.rate_hz:
            return None
        return Cut.of(recording.rate_hz, self.part_s, *self.overlap_s, max(1, round(recording.rate_hz)))

    def identity(self) -> Any:
        try:
            text = Path(self.path).read_text()
        except (OSError, UnicodeDecodeError) as error:
            raise BatchError(f"{self.path}: expected a graph file: {error}") from None
        return ["graph", text, list(self.set), self.overlap_s, self.part_s]


Found = Union[Iterable[Message], "tuple[superhet.Graph, superhet.Port]"]


@dataclass(frozen=True)
class Function(Work):
    """A function of a recording: it gives messages, or a graph and the port whose messages are taken.

    The function gets a `Recording`. Messages are dictionaries like those of receivers: ``sample_index`` is counted from the
    beginning of the recording where it gives them itself, and from ``recording.read_first`` where a graph does.
    """

    function: Callable[[Recording], Found]
    kind: str
    overlap_s: tuple[float, float] | None = None
    """What a part is read beyond its ends, before and behind, in seconds; without it, recordings are not cut."""
    align_s: float = 1.0
    """Parts are read from multiples of this on, in seconds."""
    settings: tuple[tuple[str, Any], ...] = field(default=())
    """Arguments by name, besides the recording."""
    part_s: float = PART_S

    def messages(self, recording: Recording, child: Child, options: Options, timeout_s: float | None) -> Iterator[Message]:
        found = self.function(recording, **dict(self.settings))
        if not isinstance(found, tuple):
            yield from found
            return
        graph, port = found
        collect = _Collect()
        graph.connect(port, collect)
        running = graph.start("single")
        if not running.wait(timeout_s):
            running.cancel()
            raise RecordingError(f"it was not decoded in {timeout_s:g} s")
        lines = (json.dumps(message).encode() for message in collect.messages)
        yield from _moved(lines, recording, recording.rate_hz)

    def cut(self, recording: Recording) -> Cut | None:
        if self.overlap_s is None or not recording.rate_hz:
            return None
        align = max(1, round(recording.rate_hz * self.align_s))
        return Cut.of(recording.rate_hz, self.part_s, *self.overlap_s, align)

    def identity(self) -> Any:
        try:
            source = inspect.getsource(self.function)
        except (OSError, TypeError, SyntaxError, tokenize.TokenError):
            source = ""
        name = getattr(self.function, "__qualname__", repr(type(self.function)))
        settings = [[key, repr(value)] for key, value in self.settings]
        return ["function", name, source, settings, self.overlap_s, self.align_s, self.part_s]


class _Collect(superhet.Block):
    """Keeps messages."""

    message_inputs = ("in",)

    def __init__(self) -> None:
        self.messages: list[Message] = []

    def work(self, io: superhet.Io) -> None:
        self.messages += [message for message in io.messages("in") if isinstance(message, dict)]


def _said(recording: Recording, format: str) -> list[str]:
    """What a command has to be told of samples that come on its stdin."""
    said = ["--format", format]
    said += ["--rate", f"{recording.rate_hz}"] if recording.rate_hz else []
    return said + (["--freq", f"{recording.frequency_hz}"] if recording.frequency_hz is not None else [])


def _moved(lines: Iterable[bytes], recording: Recording, rate_hz: float | None) -> Iterator[Message]:
    """Messages whose indices are counted from the first sample that is read, as those of the whole recording are."""
    for line in lines:
        message = json.loads(line)
        if recording.read_first and "sample_index" in message:
            message["sample_index"] += recording.read_first
            if "time_s" in message and rate_hz:
                message["time_s"] = message["sample_index"] / rate_hz
        yield message


def _value(text: str) -> Any:
    """A number, a truth value or a list, where a text is one."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _toml(entries: dict[str, Any]) -> str:
    """Entries of a block, whose texts are no expressions. Values of JSON are values of TOML."""

    def plain(value: Any) -> Any:
        if not isinstance(value, str):
            return value
        return ("=" if value.startswith("=") else "") + value.replace("${", "$${")

    return "".join(f"{key} = {json.dumps(plain(value))}\n" for key, value in entries.items())


def work(
    given: Union[str, "os.PathLike[str]", Work, Callable[[Recording], Found]],
    *,
    set: dict[str, Any] | None = None,
    protocols: Union[str, "os.PathLike[str]", None] = None,
    overlap_s: tuple[float, float] | None = None,
    part_s: float | None = None,
) -> Work:
    """What `map` is asked to do, as `Work`."""
    if part_s is not None and not part_s > 0:
        raise BatchError(f"part_s: expected more than 0, got {part_s}")
    if overlap_s is not None and not (len(overlap_s) == 2 and all(seconds >= 0 for seconds in overlap_s)):
        raise BatchError(f"overlap_s: expected two numbers from 0 on, got {overlap_s}")
    sets = tuple((name, str(value)) for name, value in (set or {}).items())
    if isinstance(given, Work):
        if sets or protocols or overlap_s or part_s:
            raise BatchError("set, protocols, overlap_s and part_s are for receivers, graph files and functions")
        return given
    if callable(given):
        name = getattr(given, "__name__", type(given).__name__)
        return Function(given, name, overlap_s, settings=tuple((set or {}).items()), part_s=part_s or PART_S)
    name = os.fspath(given)
    if name.endswith(".toml"):
        made: Work = GraphFile(os.path.abspath(name), Path(name).stem, sets, overlap_s, part_s or PART_S)
        made.identity()
        return made
    from superhet.batch import analysis

    if name in analysis.ANALYSES:
        return replace(analysis.ANALYSES[name](**(set or {})), part_s=part_s or PART_S)
    if overlap_s is not None:
        raise BatchError("overlap_s is for graph files and functions: receivers know theirs")
    return Receiver(name, sets, None if protocols is None else os.path.abspath(protocols), part_s)


def job_id(work: Work, options: Options) -> str:
    """What the results depend on, besides the recordings, in 16 digits."""
    said = [superhet.__version__, work.kind, work.identity(), [options.rate_hz, options.frequency_hz, options.format]]
    return hashlib.sha256(json.dumps(said, sort_keys=True, default=repr).encode()).hexdigest()[:16]
