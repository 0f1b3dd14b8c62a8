"""Radios and sound cards by GNU Radio's names: what the block `radio` reaches, and for the rest what is missing."""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from .elements import Element, Stream
from .errors import Missing
from .qt import Anything

if TYPE_CHECKING:
    from .build import Build


def _uri(arguments: str) -> str:
    """Where the radio is that `osmosdr.source` names: a server of rtl_tcp, a SpyServer, or a recording."""
    named: dict[str, str] = {}
    for part in arguments.replace(",", " ").split():
        name, _, value = part.partition("=")
        named[name] = value.strip("'\"")
    for scheme in ("rtl_tcp", "spyserver"):
        if scheme in named:
            return f"{scheme}://{named[scheme] or 'localhost'}"
    if "file" in named:
        settings = [f"{name}={named[name]}" for name in ("rate", "freq") if name in named]
        settings += [name for name in ("repeat", "throttle") if named.get(name, "").lower() in ("true", "1", "yes")]
        return f"file:{quote(named['file'])}?{'&'.join([*settings, 'format=cf32_le'])}"
    raise Missing(
        f"osmosdr.source: {arguments.strip() or 'a radio at this machine'!r} cannot be reached here: a radio is behind a server, "
        f"rtl_tcp=HOST:PORT or spyserver=HOST:PORT, or a recording, file=PATH,rate=RATE"
    )


class osmosdr_source(Element):
    """Samples of a radio behind a server, or of a recording: `rtl_tcp=HOST:PORT`, `spyserver=HOST:PORT`, `file=PATH,rate=RATE`."""

    def __init__(self, args: str = "") -> None:
        super().__init__("osmosdr_source")
        self._params: dict[str, Any] = {"uri": _uri(args)}

    def _set(self, name: str, value: Any) -> Any:
        self._params[name] = value
        if self._build_of is not None and self._build_of.is_running():
            self._build_of.running.set(f"{self._build_of.names[self]}.{name}", value)  # type: ignore[union-attr]
        return value

    def set_center_freq(self, freq: float, chan: int = 0) -> float:
        """Sets the centre frequency in Hz."""
        return self._set("frequency_hz", float(freq))

    def get_center_freq(self, chan: int = 0) -> float:
        """The centre frequency in Hz."""
        return self._params.get("frequency_hz", 0.0)

    def set_sample_rate(self, rate: float) -> float:
        """Sets the samples in a second."""
        return self._set("rate_hz", float(rate))

    def get_sample_rate(self) -> float:
        """The samples in a second."""
        return self._params.get("rate_hz", 0.0)

    def set_freq_corr(self, ppm: float, chan: int = 0) -> float:
        """Sets by how many millionths the radio's clock is too fast."""
        return self._set("ppm", round(ppm))

    def set_gain_mode(self, automatic: bool, chan: int = 0) -> bool:
        """Sets whether the tuner finds its gain by itself."""
        if automatic:
            self._set("gain_db", "auto")
        return bool(automatic)

    def set_gain(self, gain: float, *more: Any) -> float:
        """Sets the gain of the tuner in dB."""
        return self._set("gain_db", float(gain)) if isinstance(gain, (int, float)) else 0.0

    def get_num_channels(self) -> int:
        """One."""
        return 1

    def _nothing(self, value: Any = None, *more: Any) -> Any:
        """Taken, and changes nothing: servers of radios have no such setting."""
        return value

    set_if_gain = set_bb_gain = set_antenna = set_bandwidth = set_dc_offset_mode = set_dc_offset = _nothing
    set_iq_balance_mode = set_iq_balance = set_clock_source = set_time_source = set_clock_rate = _nothing
    set_time_now = set_time_next_pps = set_time_unknown_pps = _nothing

    def _waits(self) -> bool:
        return True

    def _add(self, build: "Build", name: str) -> None:
        build.builder.add(name, "radio", self._params)

    def _stream(self, build: "Build", side: int, port: int) -> Stream:
        if side == 0 or port > 0:
            raise ValueError(f"{self.identifier()} has one output and no input")
        return Stream(f"{build.names[self]}.out", "C32", 1)


def _absent(name: str, what: str) -> type:
    """A class that says what is missing when it is made."""

    def make(self: Any, *args: Any, **kwargs: Any) -> None:
        raise Missing(f"{name}: {what}")

    return type(name.rpartition(".")[2], (), {"__init__": make, "__doc__": f"Not here: {what}"})


RADIOS = "superhet drives no radios itself: use osmosdr.source with rtl_tcp=HOST:PORT or spyserver=HOST:PORT, or a recording"
AUDIO = "superhet plays and records no sound: write a WAV file by blocks.wavfile_sink, or send samples to another program"


class _Module(types.ModuleType):
    """A module of drivers: what is not a class of blocks can be anything."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything


def modules() -> dict[str, types.ModuleType]:
    """The modules by their names: `gnuradio.audio`, `osmosdr`, `gnuradio.soapy`, `gnuradio.uhd` and such."""
    names = {
        "gnuradio.audio": {"source": _absent("audio.source", AUDIO), "sink": _absent("audio.sink", AUDIO)},
        "osmosdr": {"source": osmosdr_source, "sink": _absent("osmosdr.sink", RADIOS)},
        "gnuradio.soapy": {name: _absent(f"soapy.{name}", RADIOS) for name in ("source", "sink")},
        "gnuradio.uhd": {name: _absent(f"uhd.{name}", RADIOS) for name in ("usrp_source", "usrp_sink", "rfnoc_graph")},
        "gnuradio.iio": {
            name: _absent(f"iio.{name}", RADIOS)
            for name in ("fmcomms2_source_fc32", "fmcomms2_sink_fc32", "device_source", "device_sink", "attr_source")
        },
        "gnuradio.video_sdl": {
            name: _absent(f"video_sdl.{name}", "superhet shows no pictures") for name in ("sink_s", "sink_uc")
        },
    }
    found: dict[str, types.ModuleType] = {}
    for module, classes in names.items():
        made = _Module(module, f"{module}, as far as superhet has it.")
        for name, kind in classes.items():
            setattr(made, name, kind)
        found[module] = made
    return found
