"""Pictures of samples, through matplotlib where it is installed."""

from __future__ import annotations

from typing import Any


def _axes(axes: Any) -> Any:
    if axes is not None:
        return axes
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("superhet.plot needs matplotlib: pip install matplotlib") from None
    return pyplot.subplots()[1]


def time(samples: Any, rate_hz: float = 1.0, axes: Any = None) -> Any:
    """Samples over time; of complex ones both parts. Gives the axes."""
    import numpy

    axes, samples = _axes(axes), numpy.asarray(samples)
    seconds = numpy.arange(len(samples)) / rate_hz
    if numpy.iscomplexobj(samples):
        axes.plot(seconds, samples.real, label="I")
        axes.plot(seconds, samples.imag, label="Q")
        axes.legend()
    else:
        axes.plot(seconds, samples)
    axes.set_xlabel("time in s" if rate_hz != 1.0 else "sample")
    axes.set_ylabel("full scale = 1")
    return axes


def power_spectrum(samples: Any, size: int = 1024) -> Any:
    """The mean power spectrum in dB of full scale, ``size`` bins with 0 Hz in the middle (real samples: from 0 Hz on).

    Welch's method: Hann windows that overlap by half. Source: P. Welch, "The use of fast Fourier transform for the
    estimation of power spectra", 1967.
    """
    import numpy

    samples = numpy.asarray(samples)
    if len(samples) < size:
        raise ValueError(f"expected at least {size} samples, got {len(samples)}")
    window = numpy.hanning(size + 1)[:-1]
    starts = range(0, len(samples) - size + 1, size // 2)
    is_complex = numpy.iscomplexobj(samples)
    transform = numpy.fft.fft if is_complex else numpy.fft.rfft
    power = sum(numpy.abs(transform(samples[start : start + size] * window)) ** 2 for start in starts)
    power = power / (len(starts) * window.sum() ** 2)
    power = numpy.fft.fftshift(power) if is_complex else power
    return 10 * numpy.log10(numpy.maximum(power, 1e-30))


def spectrum(samples: Any, rate_hz: float = 1.0, size: int = 1024, axes: Any = None) -> Any:
    """The mean power spectrum over frequency. Gives the axes."""
    import numpy

    axes, power = _axes(axes), power_spectrum(samples, size)
    first = -0.5 if numpy.iscomplexobj(numpy.asarray(samples)) else 0.0
    axes.plot((first + numpy.arange(len(power)) / size) * rate_hz, power)
    axes.set_xlabel("frequency in Hz" if rate_hz != 1.0 else "frequency in cycles per sample")
    axes.set_ylabel("power in dB of full scale")
    return axes


def spectrogram(samples: Any, rate_hz: float = 1.0, size: int = 256, axes: Any = None) -> Any:
    """Power over time and frequency. Gives the axes."""
    import numpy

    axes, samples = _axes(axes), numpy.asarray(samples)
    axes.specgram(samples, NFFT=size, Fs=rate_hz, noverlap=size // 2)
    axes.set_xlabel("time in s" if rate_hz != 1.0 else "sample")
    axes.set_ylabel("frequency in Hz" if rate_hz != 1.0 else "frequency in cycles per sample")
    return axes


def constellation(symbols: Any, axes: Any = None) -> Any:
    """Complex samples as points. Gives the axes."""
    import numpy

    axes, symbols = _axes(axes), numpy.asarray(symbols)
    axes.plot(symbols.real, symbols.imag, ".", markersize=2)
    axes.set_aspect("equal")
    axes.set_xlabel("I")
    axes.set_ylabel("Q")
    return axes
