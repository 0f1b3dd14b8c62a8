"""Analyses of recordings that are mapped as receivers are: how occupied a band is, and where bursts are."""

from __future__ import annotations

import math
from collections import deque
from typing import Any, Callable, Iterator

from superhet.batch.errors import BatchError, RecordingError
from superhet.batch.receivers import Function, Work
from superhet.batch.recording import Recording

MINUTE_S = 60.0
LONGEST_BURST_S = 10.0
AT_ONCE = 1 << 20
_FLOOR = 1e-15


def occupancy(*, channel_hz: float = 25e3, fft: int = 0) -> Work:
    """The mean and the greatest power of each channel in each minute of a recording.

    A message is a channel in a minute: ``sample_index`` is where the minute begins, ``frequency_hz`` the middle of the channel
    (relative to that of the band where that is not known), ``fields`` has ``mean_dbfs``, ``max_dbfs``, ``channel_hz`` and
    ``seconds``, less than 60 in the last minute. Power is that of a Hann window of the spectrum, summed over the channel: a
    complex tone of full scale has 0 dBFS, a real one -3. The greatest is that of one spectrum.

    Parameters
    ----------
    channel_hz : float, default 25e3
        The width of a channel, > 0. Channels lie side by side about the middle of the band.
    fft : int, default a power of two with 8 lines or more in a channel
        The samples of a spectrum, at least 16 and at most 2^20.

    Source: P. D. Welch, The use of fast Fourier transform for the estimation of power spectra, IEEE Trans. Audio and
    Electroacoustics 15 (1967), without overlap.
    """
    if not float(channel_hz) > 0:
        raise BatchError(f"channel_hz: expected more than 0, got {channel_hz}")
    if int(fft) and not 16 <= int(fft) <= 1 << 20:
        raise BatchError(f"fft: expected a number from 16 to 1048576, or 0, got {fft}")
    settings = (("channel_hz", float(channel_hz)), ("fft", int(fft)))
    return Function(_occupancy, "occupancy", (0.0, 0.0), MINUTE_S, settings)


def bursts(*, snr_db: float = 10.0, window_s: float = 1e-3, gap_s: float = 5e-3) -> Work:
    """Where the power of the whole band rises above the noise.

    The noise of a second is the lower quartile of the mean powers of its windows, or that of one of the nine seconds before,
    if that is less. A burst begins with a window that is above the noise of its second by ``snr_db``, and ends before a gap of
    ``gap_s``. A message is a burst: ``sample_index`` and ``duration_samples`` say where it is, ``snr_db`` is its mean power by
    the noise of the second in which it begins, ``frequency_hz`` the mean frequency of complex samples, and ``fields`` has
    ``level_dbfs``. What is there for 10 s or longer is noise.

    Parameters
    ----------
    snr_db : float, default 10
        By how much a burst is above the noise, > 0.
    window_s : float, default 1e-3
        The seconds of a window, > 0 and at most 0.1.
    gap_s : float, default 5e-3
        The seconds between two bursts, ≥ 0 and at most 1.
    """
    for name, value, most in [("snr_db", snr_db, 200.0), ("window_s", window_s, 0.1)]:
        if not 0 < float(value) <= most:
            raise BatchError(f"{name}: expected more than 0 and at most {most:g}, got {value}")
    if not 0 <= float(gap_s) <= 1:
        raise BatchError(f"gap_s: expected a number from 0 to 1, got {gap_s}")
    settings = (("snr_db", float(snr_db)), ("window_s", float(window_s)), ("gap_s", float(gap_s)))
    return Function(_bursts, "bursts", (2 * LONGEST_BURST_S, LONGEST_BURST_S), 1.0, settings)


ANALYSES: dict[str, Callable[..., Work]] = {"occupancy": occupancy, "bursts": bursts}
"""The analyses by name, as receivers are named."""


def _rate_hz(recording: Recording) -> float:
    if not recording.rate_hz:
        raise RecordingError("its sample rate is not known: say it, as in rate_hz=2e6")
    return recording.rate_hz


def _message(recording: Recording, index: int, rate_hz: float, offset_hz: float | None, **more: Any) -> dict[str, Any]:
    message: dict[str, Any] = {"sample_index": index, "time_s": index / rate_hz, **more}
    if offset_hz is not None:
        message["frequency_hz"] = round((recording.frequency_hz or 0.0) + offset_hz, 3)
    return message


def _db(power: float) -> float:
    return round(10 * math.log10(max(float(power), _FLOOR)), 2)


def _occupancy(recording: Recording, channel_hz: float, fft: int) -> Iterator[dict[str, Any]]:
    import numpy

    rate_hz = _rate_hz(recording)
    size = fft or min(1 << 20, max(16, 1 << math.ceil(math.log2(max(1.0, 8 * rate_hz / channel_hz)))))
    window = numpy.hanning(size + 1)[:size].astype(numpy.float32)
    # Over all lines, a tone of power 1 comes to 1.
    scale = 1.0 / (size * float(numpy.sum(window.astype(float) ** 2)))
    lines_hz = numpy.fft.fftfreq(size, 1 / rate_hz)
    if not recording.is_complex:
        # Both halves of a real signal are one: its lines have twice the power.
        lines_hz = numpy.fft.rfftfreq(size, 1 / rate_hz)
        scale *= 2.0
    channels = numpy.rint(lines_hz / channel_hz).astype(int)
    names, place = numpy.unique(channels, return_inverse=True)
    minute = round(MINUTE_S * rate_hz)
    first = recording.read_first
    while first < recording.read_last:
        last = min(first + minute, recording.read_last)
        total, most, count = numpy.zeros(len(names)), numpy.zeros(len(names)), 0
        # Each piece is made of whole spectra of the minute; what is left at its end is no whole one.
        step = max(1, AT_ONCE // size) * size
        for begin in range(first, last - size + 1, step):
            samples = recording.samples(begin, min(begin + step, last))
            spectra = samples[: len(samples) // size * size].reshape(-1, size) * window
            lines = numpy.fft.fft(spectra) if recording.is_complex else numpy.fft.rfft(spectra)
            power = numpy.abs(lines) ** 2 * scale
            sums = numpy.zeros((len(power), len(names)))
            numpy.add.at(sums.T, place, power.T)
            total += sums.sum(axis=0)
            most = numpy.maximum(most, sums.max(axis=0))
            count += len(power)
        for name, sum_of, greatest in zip(names, total, most):
            if count:
                fields = {
                    "mean_dbfs": _db(sum_of / count),
                    "max_dbfs": _db(greatest),
                    "channel_hz": channel_hz,
                    "seconds": round((last - first) / rate_hz, 6),
                }
                yield _message(recording, first, rate_hz, float(name) * channel_hz, protocol="occupancy", fields=fields)
        first = last


def _bursts(recording: Recording, snr_db: float, window_s: float, gap_s: float) -> Iterator[dict[str, Any]]:
    import numpy

    rate_hz = _rate_hz(recording)
    size = max(1, round(window_s * rate_hz))
    gap = max(1, round(gap_s * rate_hz / size))
    second = max(1, round(rate_hz))
    least = 10 ** (snr_db / 10)
    burst: _Burst | None = None
    noises: deque[float] = deque(maxlen=round(LONGEST_BURST_S))
    for first in range(recording.read_first, recording.read_last, second):
        samples = recording.samples(first, min(first + second, recording.read_last))
        count = -(-len(samples) // size)
        edges = numpy.arange(count) * size
        lengths = numpy.diff(numpy.append(edges, len(samples)))
        energies = numpy.add.reduceat(numpy.abs(samples).astype(float) ** 2, edges)
        powers = energies / lengths
        turns = numpy.zeros(count, complex)
        if recording.is_complex:
            products = numpy.append(samples[1:] * samples[:-1].conj(), 0).astype(complex)
            turns = numpy.add.reduceat(products, edges)
        noises.append(max(float(numpy.quantile(powers, 0.25, method="lower")), _FLOOR))
        noise = min(noises)
        is_loud = powers > least * noise
        # Most windows are quiet, so only those that can change something are looked at.
        for n in numpy.flatnonzero(is_loud | (numpy.arange(count) == count - 1)):
            at = first + int(edges[n])
            if burst is not None and at - burst.last >= gap * size:
                yield burst.message(recording, rate_hz)
                burst = None
            if is_loud[n]:
                burst = burst or _Burst(at, noise)
                burst.add(at + int(lengths[n]), energies[n], int(lengths[n]), turns[n])
    if burst is not None:
        yield burst.message(recording, rate_hz)


class _Burst:
    """A burst that has begun."""

    def __init__(self, first: int, noise: float) -> None:
        self.first = self.last = first
        self._noise, self._energy, self._samples, self._turn = noise, 0.0, 0, 0j

    def add(self, last: int, energy: float, samples: int, turn: complex) -> None:
        """Adds a window that ends before ``last``."""
        self.last = last
        self._energy += float(energy)
        self._samples += samples
        self._turn += complex(turn)

    def message(self, recording: Recording, rate_hz: float) -> dict[str, Any]:
        power = self._energy / self._samples
        angle = math.atan2(self._turn.imag, self._turn.real)
        offset_hz = angle / math.tau * rate_hz if recording.is_complex else None
        return _message(
            recording,
            self.first,
            rate_hz,
            offset_hz,
            protocol="burst",
            duration_samples=self.last - self.first,
            snr_db=round(10 * math.log10(power / self._noise), 2),
            fields={"level_dbfs": _db(power)},
        )
