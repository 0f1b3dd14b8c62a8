"""Radios and sound cards by GNU Radio's names: what the block `radio` reaches, and for the rest what is missing."""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from . import qtgui
from .elements import Element, Stream
from .errors import Missing
from .message_parts import attr_updater
from .sound_parts import audio_sink, audio_source
from .qt import Anything

if TYPE_CHECKING:
    from .build import Build


DRIVERS = {"rtl": "rtlsdr", "hackrf": "hackrf", "airspy": "airspy", "airspyhf": "airspyhf", "bladerf": "bladerf", "uhd": "uhd"}
DRIVERS |= {"miri": "miri", "redpitaya": "redpitaya", "rfspace": "rfspace", "sdrplay": "sdrplay", "xtrx": "xtrx"}
"""What SoapySDR calls the drivers that `osmosdr` names."""


def _named(arguments: str) -> dict[str, str]:
    """The arguments of `osmosdr.source` and `osmosdr.sink` by their names."""
    named: dict[str, str] = {}
    for part in arguments.replace(",", " ").split():
        name, _, value = part.partition("=")
        named[name] = value.strip("'\"")
    return named


def _device(named: dict[str, str]) -> "str | None":
    """What names the device to SoapySDR, where it is one of its."""
    driver = next((name for name in DRIVERS if name in named), None)
    if driver is not None:
        which = named[driver]
        # A short number is a place in a list, anything longer a serial number.
        place = [] if which in ("", "0") else [f"{driver}={which}" if which.isdigit() and len(which) < 3 else f"serial={which}"]
        return ",".join([f"driver={DRIVERS[driver]}", *place])
    if "soapy" in named:
        ours = ("soapy", "numchan", "nchan")
        return ",".join(f"{name}={value}" for name, value in named.items() if name not in ours)
    return None


def _uri(arguments: str) -> str:
    """Where the radio is that `osmosdr.source` names: a server of rtl_tcp, a SpyServer, a module of SoapySDR, or a recording."""
    named = _named(arguments)
    for scheme in ("rtl_tcp", "spyserver"):
        if scheme in named:
            return f"{scheme}://{named[scheme] or 'localhost'}"
    if "file" in named:
        settings = [f"{name}={named[name]}" for name in ("rate", "freq") if name in named]
        settings += [name for name in ("repeat", "throttle") if named.get(name, "").lower() in ("true", "1", "yes")]
        return f"file:{quote(named['file'])}?{'&'.join([*settings, 'format=cf32_le'])}"
    device = _device(named)
    if device is not None or not arguments.strip():
        return f"soapy:{device or ''}"
    raise Missing(
        f"osmosdr.source: {arguments.strip()!r} is no radio that superhet knows: it is behind a server, rtl_tcp=HOST:PORT or "
        f"spyserver=HOST:PORT, driven by SoapySDR, soapy=0,driver=NAME, or a recording, file=PATH,rate=RATE"
    )


def _set(element: Any, name: str, value: Any) -> Any:
    """Sets a parameter of the block that an element is, while it runs, too."""
    element._params[name] = value
    if element._build_of is not None and element._build_of.is_running():
        element._build_of.running.set(f"{element._build_of.names[element]}.{name}", value)
    return value


class osmosdr_source(Element):
    """Samples of a radio behind a server, of one that SoapySDR drives, or of a recording: `rtl_tcp=HOST:PORT`, `spyserver=HOST:PORT`,
    `soapy=0,driver=NAME`, `rtl=0`, `file=PATH,rate=RATE`."""

    def __init__(self, args: str = "") -> None:
        super().__init__("osmosdr_source")
        self._params: dict[str, Any] = {"uri": _uri(args)}

    def _set(self, name: str, value: Any) -> Any:
        return _set(self, name, value)

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


class _Soapy(Element):
    """What a source and a sink of SoapySDR share. All channels are set to the same."""

    _block = ""
    _side = 1

    def __init__(self, device: str = "", type: str = "fc32", nchan: int = 1, dev_args: str = "", stream_args: str = "",
                 tune_args: Any = ("",), other_settings: Any = ("",)) -> None:
        super().__init__(self._block)
        if type not in ("fc32", "CF32"):
            raise Missing(f"soapy: samples are fc32 here, not {type}")
        settings = ",".join(filter(None, [other_settings] if isinstance(other_settings, str) else other_settings))
        self._channels = int(nchan)
        self._params: dict[str, Any] = {
            "arguments": ",".join(filter(None, (device, dev_args))),
            "channels": list(range(self._channels)),
            "stream_arguments": stream_args,
            "settings": settings,
        }

    def set_sample_rate(self, channel: int, sample_rate: float) -> None:
        """Sets the samples in a second."""
        _set(self, "rate_hz", float(sample_rate))

    def get_sample_rate(self, channel: int) -> float:
        """The samples in a second."""
        return self._params.get("rate_hz", 0.0)

    def set_frequency(self, channel: int, *frequency: Any) -> None:
        """Sets the centre frequency in Hz; a name of one of its parts before it is ignored, as the driver tunes all of them."""
        _set(self, "frequency_hz", float(frequency[-1]))

    def get_frequency(self, channel: int, name: str = "") -> float:
        """The centre frequency in Hz."""
        return self._params.get("frequency_hz", 0.0)

    def set_frequency_correction(self, channel: int, freq_correction: float) -> None:
        """Sets by how many millionths the radio's clock is too fast."""
        _set(self, "ppm", float(freq_correction))

    def set_bandwidth(self, channel: int, bandwidth: float) -> None:
        """Sets the width of the filter before the converter in Hz; 0 leaves it to the driver."""
        if bandwidth:
            _set(self, "bandwidth_hz", float(bandwidth))

    def set_antenna(self, channel: int, name: str) -> None:
        """Sets the socket."""
        if name:
            _set(self, "antenna", str(name))

    def set_gain_mode(self, channel: int, automatic: bool) -> None:
        """Sets whether the device finds its gain by itself."""
        if automatic:
            _set(self, "gain_db", "auto")

    def set_gain(self, channel: int, *gain: Any) -> None:
        """Sets the gain in dB, or that of an element, whose name comes first."""
        if len(gain) == 1:
            _set(self, "gain_db", float(gain[0]))
            return
        others = dict(part.split("=") for part in self._params.get("gains", "").split(",") if part)
        others[str(gain[0])] = repr(float(gain[1]))
        _set(self, "gains", ",".join(f"{name}={value}" for name, value in others.items()))

    def set_dc_offset_mode(self, channel: int, automatic: bool) -> None:
        """Sets whether the device takes the mean of its converter away."""
        _set(self, "dc_removal", bool(automatic))

    def set_iq_balance_mode(self, channel: int, automatic: bool) -> None:
        """Sets whether the device corrects what I and Q differ by."""
        _set(self, "iq_balance", bool(automatic))

    def write_setting(self, *setting: Any) -> None:
        """Sets one of the driver's own settings, by its name; a channel before it is ignored."""
        key, value = setting[-2:]
        text = str(value).lower() if isinstance(value, bool) else str(value)
        others = dict(part.split("=", 1) for part in self._params["settings"].split(",") if part)
        _set(self, "settings", ",".join(f"{name}={each}" for name, each in (others | {str(key): text}).items()))

    def set_clock_source(self, clock_source: str) -> None:
        """Sets where the device's clock is from, before the start."""
        self._params["clock_source"] = str(clock_source)

    def _waits(self) -> bool:
        return True

    def _add(self, build: "Build", name: str) -> None:
        build.builder.add(name, self._block, self._params)

    def _stream(self, build: "Build", side: int, port: int) -> Stream:
        if side != self._side or port >= self._channels:
            raise ValueError(f"{self.identifier()} has {self._channels} {'outputs' if self._side else 'inputs'} and nothing else")
        number = "" if self._channels == 1 else port
        return Stream(f"{build.names[self]}.{'out' if self._side else 'in'}{number}", "C32", 1)


class soapy_source(_Soapy):
    """Samples of a radio that a module of SoapySDR drives."""

    _block = "soapy_source"


class soapy_sink(_Soapy):
    """Samples for a transmitter that a module of SoapySDR drives."""

    _block = "soapy_sink"
    _side = 0

    def _needed_inputs(self) -> int:
        return self._channels


class osmosdr_sink(soapy_sink):
    """Samples for a transmitter that a module of SoapySDR drives: `soapy=0,driver=NAME`, `hackrf=0`."""

    def __init__(self, args: str = "") -> None:
        device = _device(_named(args))
        if device is None and args.strip():
            raise Missing(f"osmosdr.sink: {args.strip()!r} is no transmitter that superhet knows, expected soapy=0,driver=NAME or hackrf=0")
        super().__init__(device or "")

    def set_center_freq(self, freq: float, chan: int = 0) -> float:
        """Sets the centre frequency in Hz."""
        return _set(self, "frequency_hz", float(freq))

    def set_sample_rate(self, rate: float) -> float:  # type: ignore[override]
        """Sets the samples in a second."""
        return _set(self, "rate_hz", float(rate))

    def set_gain(self, gain: float, *more: Any) -> float:  # type: ignore[override]
        """Sets the gain in dB."""
        return _set(self, "gain_db", float(gain)) if isinstance(gain, (int, float)) else 0.0

    def set_freq_corr(self, ppm: float, chan: int = 0) -> float:
        """Sets by how many millionths the transmitter's clock is too fast."""
        return _set(self, "ppm", float(ppm))

    def set_antenna(self, antenna: str, chan: int = 0) -> str:  # type: ignore[override]
        """Sets the socket."""
        return _set(self, "antenna", str(antenna)) if antenna else ""

    def set_bandwidth(self, bandwidth: float, chan: int = 0) -> float:  # type: ignore[override]
        """Sets the width of the filter behind the converter in Hz; 0 leaves it to the driver."""
        return _set(self, "bandwidth_hz", float(bandwidth)) if bandwidth else 0.0

    def _nothing(self, value: Any = None, *more: Any) -> Any:
        """Taken, and changes nothing."""
        return value

    set_if_gain = set_bb_gain = set_time_now = set_time_unknown_pps = set_time_next_pps = set_clock_rate = _nothing


def _absent(name: str, what: str) -> type:
    """A class that says what is missing when it is made."""

    def make(self: Any, *args: Any, **kwargs: Any) -> None:
        raise Missing(f"{name}: {what}")

    return type(name.rpartition(".")[2], (), {"__init__": make, "__doc__": f"Not here: {what}"})


RADIOS = "superhet has no such driver of its own: use gnuradio.soapy or osmosdr, with a module of SoapySDR, or a server of rtl_tcp"


class _Module(types.ModuleType):
    """A module of drivers: what is not a class of blocks can be anything."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything


def modules() -> dict[str, types.ModuleType]:
    """The modules by their names: `gnuradio.audio`, `osmosdr`, `gnuradio.soapy`, `gnuradio.uhd` and such."""
    names = {
        "gnuradio.audio": {"source": audio_source, "sink": audio_sink},
        "osmosdr": {"source": osmosdr_source, "sink": osmosdr_sink},
        "gnuradio.soapy": {"source": soapy_source, "sink": soapy_sink},
        "gnuradio.uhd": {name: _absent(f"uhd.{name}", RADIOS) for name in ("usrp_source", "usrp_sink", "rfnoc_graph")},
        "gnuradio.iio": {
            name: _absent(f"iio.{name}", RADIOS)
            for name in ("fmcomms2_source_fc32", "fmcomms2_sink_fc32", "device_source", "device_sink", "attr_source")
        }
        | {"attr_updater": attr_updater},
        "gnuradio.video_sdl": qtgui.PICTURES,
    }
    found: dict[str, types.ModuleType] = {}
    for module, classes in names.items():
        made = _Module(module, f"{module}, as far as superhet has it.")
        for name, kind in classes.items():
            setattr(made, name, kind)
        found[module] = made
    return found
