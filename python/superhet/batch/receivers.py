"""What is done with each recording: receivers, graph files, functions."""

from __future__ import annotations

import hashlib
import inspect
import json
import math
import os
import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator, Union

import superhet
from superhet.batch.child import Child
from superhet.batch.errors import BatchError, RecordingError
from superhet.batch.recording import Options, Recording

Message = dict[str, Any]


@dataclass(frozen=True)
class Overlap:
    """What a part of a recording has to be read beyond its ends, so that a cut changes nothing: samples."""

    lead: int
    """Before it: what the receiver remembers, and the longest message, which else would begin in its middle."""
    tail: int
    """Behind it: the longest message."""
    align: int = 1
    """Where reading may begin: multiples of this, for decimations, mixers and means to be where they are without a cut."""


class Work:
    """What is done with each recording. It goes to other processes, so it must be picklable."""

    kind: str
    """What its results are called: their partition."""
    rate_hz: float | None = None
    """The rate of recordings that do not say theirs."""

    def messages(self, recording: Recording, child: Child, options: Options, timeout_s: float | None) -> Iterable[Message]:
        """What is in the recording, with indices that are counted from its beginning."""
        raise NotImplementedError

    def overlap(self, recording: Recording) -> Overlap | None:
        """How recordings of this kind are cut; `None` where they cannot be."""
        return None

    def identity(self) -> Any:
        """What the results depend on, besides the recordings and the version: goes into JSON."""
        raise NotImplementedError

    def _rate_hz(self, recording: Recording) -> float | None:
        return recording.rate_hz or self.rate_hz


@dataclass(frozen=True)
class _Kind:
    """What is known of a receiver. Its graph file is its definition; ARCHITECTURE.md says where."""

    rate_hz: float
    lead_s: float
    tail_s: float
    channel_hz: float = 0.0
    """Decimated to this rate or up to twice as much, if at all."""
    burst_samples: int = 0
    """The longest burst."""
    period_s: int = 0
    """Reading begins at multiples of this, where a period of the rate's thousandth part is not enough."""


# An hour has 3 s for AX.25 (frames of 502 bytes at 1200 Bd with stuffed bits are 4 s), 17 s for three bursts of SAME, each of 268
# letters; addresses and positions of aircraft count for 60 s, and the mean of the offset needs 480 items of 4 MHz, so 3 s.
KINDS = {
    "adsb": _Kind(2e6, lead_s=120.0, tail_s=0.01, period_s=3),
    "ax25": _Kind(48e3, lead_s=6.0, tail_s=6.0, channel_hz=24e3),
    "ax25-9600": _Kind(48e3, lead_s=2.0, tail_s=2.0, channel_hz=24e3),
    "same": _Kind(22050, lead_s=20.0, tail_s=20.0, channel_hz=24e3),
    "ism": _Kind(250e3, lead_s=1.0, tail_s=0.1, burst_samples=1 << 22),
    "wmbus": _Kind(2.4e6, lead_s=1.0, tail_s=1.0, channel_hz=800e3),
    "ais": _Kind(240e3, lead_s=1.0, tail_s=1.0, channel_hz=48e3),
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
        command = ["decode", self.kind, "--json", "--scheduler", "single"]
        command += [word for name, value in self.set for word in ("--set", f"{name}={value}")]
        if self.protocols is not None:
            command += ["--protocols", self.protocols]
        if recording.is_whole:
            lines = child.run([*command, recording.path, *options.arguments(recording.path)], timeout_s=timeout_s)
        else:
            feed, format = recording.feed()
            lines = child.run([*command, "-", *_said(recording, format)], feed=feed, timeout_s=timeout_s)
        yield from _moved(lines, recording, self._rate_hz(recording))

    def overlap(self, recording: Recording) -> Overlap:
        known, rate_hz = KINDS[self.kind], self._rate_hz(recording) or KINDS[self.kind].rate_hz
        is_decimated = known.channel_hz and (recording.is_complex or known.channel_hz != 24e3)
        decimation = max(1, math.floor(rate_hz / known.channel_hz)) if is_decimated else 1
        # Channels lie at whole kilohertz, so after this many samples each mixer is where it began.
        period = round(rate_hz * known.period_s) if known.period_s else round(rate_hz) // math.gcd(round(rate_hz), 1000)
        lead, tail = (math.ceil(seconds * rate_hz) + known.burst_samples for seconds in (known.lead_s, known.tail_s))
        return Overlap(lead, tail, math.lcm(decimation, max(1, period)))

    def identity(self) -> Any:
        protocols = {}
        if self.protocols is not None:
            protocols = {path.name: path.read_text() for path in sorted(Path(self.protocols).glob("*.toml"))}
        return ["receiver", self.kind, list(self.set), protocols]


@dataclass(frozen=True)
class GraphFile(Work):
    """A graph file that shows the ports ``in``, which takes samples, and ``out``, which gives messages, as receivers do."""

    path: str
    kind: str
    set: tuple[tuple[str, str], ...] = ()
    """Variables of the graph."""
    overlap_s: tuple[float, float] | None = None
    """What a part is read beyond its ends, before and behind, in seconds; without it, recordings are not cut."""

    def messages(self, recording: Recording, child: Child, options: Options, timeout_s: float | None) -> Iterator[Message]:
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
            "receiver": {"graph": os.path.abspath(self.path), **sets},
            "print": {"type": "message_debug"},
        }
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
            file.write('connections = ["source -> index -> receiver.in", "receiver.out -> print"]\n')
            for name, entries in blocks.items():
                file.write(f"[blocks.{name}]\n{_toml(entries)}")
            file.flush()
            lines = child.run(["run", file.name, "--scheduler", "single"], feed=feed, timeout_s=timeout_s)
            yield from _moved(lines, recording, recording.rate_hz)

    def overlap(self, recording: Recording) -> Overlap | None:
        rate_hz = recording.rate_hz
        if self.overlap_s is None or not rate_hz:
            return None
        lead, tail = (math.ceil(seconds * rate_hz) for seconds in self.overlap_s)
        return Overlap(lead, tail, max(1, round(rate_hz)))

    def identity(self) -> Any:
        try:
            text = Path(self.path).read_text()
        except (OSError, UnicodeDecodeError) as error:
            raise BatchError(f"{self.path}: expected a graph file: {error}") from None
        return ["graph", text, list(self.set)]


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

    def messages(self, recording: Recording, child: Child, options: Options, timeout_s: float | None) -> Iterator[Message]:
        found = self.function(recording, **dict(self.settings))
        if not isinstance(found, tuple):
            yield from (message for message in found if _is_own(message, recording))
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

    def overlap(self, recording: Recording) -> Overlap | None:
        rate_hz = recording.rate_hz
        if self.overlap_s is None or not rate_hz:
            return None
        lead, tail = (math.ceil(seconds * rate_hz) for seconds in self.overlap_s)
        return Overlap(lead, tail, max(1, round(rate_hz * self.align_s)))

    def identity(self) -> Any:
        try:
            source = inspect.getsource(self.function)
        except (OSError, TypeError):
            source = ""
        name = getattr(self.function, "__qualname__", repr(type(self.function)))
        return ["function", name, source, [[key, repr(value)] for key, value in self.settings]]


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


def _is_own(message: Message, recording: Recording) -> bool:
    """Whether a message belongs to the part: those without a place belong to the first."""
    return recording.first <= message.get("sample_index", recording.first if not recording.first else -1) < recording.last


def _moved(lines: Iterable[bytes], recording: Recording, rate_hz: float | None) -> Iterator[Message]:
    """The messages of a part, as those of the whole recording are."""
    for line in lines:
        message = json.loads(line)
        if not isinstance(message, dict):
            continue
        if recording.is_whole:
            yield message
            continue
        if "sample_index" in message:
            message["sample_index"] += recording.read_first
            if "time_s" in message and rate_hz:
                message["time_s"] = message["sample_index"] / rate_hz
        if _is_own(message, recording):
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
) -> Work:
    """What `map` is asked to do, as `Work`."""
    sets = tuple((name, str(value)) for name, value in (set or {}).items())
    if isinstance(given, Work):
        if sets or protocols or overlap_s:
            raise BatchError("set, protocols and overlap_s are for receivers and graph files by name")
        return given
    if callable(given):
        name = getattr(given, "__name__", type(given).__name__)
        return Function(given, name, overlap_s, settings=tuple((set or {}).items()))
    name = os.fspath(given)
    if name.endswith(".toml"):
        made: Work = GraphFile(name, Path(name).stem, sets, overlap_s)
        made.identity()
        return made
    from superhet.batch import analysis

    if name in analysis.ANALYSES:
        return analysis.ANALYSES[name](**(set or {}))
    if overlap_s is not None:
        raise BatchError("overlap_s is for graph files and functions: receivers know theirs")
    return Receiver(name, sets, None if protocols is None else os.fspath(protocols))


def job_id(work: Work, options: Options) -> str:
    """What the results depend on, besides the recordings, in 16 digits."""
    said = [superhet.__version__, work.kind, work.identity(), [options.rate_hz, options.frequency_hz, options.format]]
    return hashlib.sha256(json.dumps(said, sort_keys=True, default=repr).encode()).hexdigest()[:16]
