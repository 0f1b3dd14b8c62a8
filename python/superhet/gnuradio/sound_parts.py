"""Sound by GNU Radio's names: `audio.source` and `audio.sink`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .elements import Element, Stream

if TYPE_CHECKING:
    from .build import Build


def _device(name: str) -> str:
    """A card by superhet's name for it: what is no name of a system is one of ALSA, as in GNU Radio."""
    if not name or name.partition(":")[0] in ("pulse", "alsa"):
        return name
    return f"alsa:{name}"


class _Audio(Element):
    """What both have: a rate, a card, and as many channels as are connected."""

    _block = ""
    _side = 0

    def __init__(self, sampling_rate: int, device_name: str = "", ok_to_block: bool = True) -> None:
        super().__init__(self._block)
        self._params: dict[str, Any] = {"rate_hz": int(sampling_rate), "device": _device(str(device_name))}

    def _waits(self) -> bool:
        return True

    def _depends_on_counts(self) -> bool:
        return True

    def _add(self, build: "Build", name: str) -> None:
        build.builder.add(name, self._block, {**self._params, "channels": max(build.count(self, self._side), 1)})

    def _stream(self, build: "Build", side: int, port: int) -> Stream:
        if side != self._side:
            raise ValueError(f"{self.identifier()} has no {'outputs' if side else 'inputs'}")
        number = port if build.count(self, side) > 1 else ""
        return Stream(f"{build.names[self]}.{'out' if side else 'in'}{number}", "f32", 1)


class audio_sink(_Audio):
    """Streams that are heard, each as a channel of a sound card; `ok_to_block` changes nothing."""

    _block = "audio_sink"
    _side = 0

    def _needed_inputs(self) -> int:
        return 1


class audio_source(_Audio):
    """Streams of what a sound card hears, a channel each; `ok_to_block` changes nothing."""

    _block = "audio_source"
    _side = 1
