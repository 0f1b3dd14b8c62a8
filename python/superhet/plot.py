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


def waterfall(samples: Any, rate_hz: float = 1.0, size: int = 256, axes: Any = None) -> Any:
    """Power over frequency, and over time downwards; real samples from 0 Hz on. Gives the axes."""
    import numpy

    axes, samples = _axes(axes), numpy.asarray(samples)
    if len(samples) < size:
        raise ValueError(f"expected at least {size} samples, got {len(samples)}")
    # As many lines as a picture has, spread over all samples.
    starts = numpy.linspace(0, len(samples) - size, min(512, len(samples) // size)).astype(int)
    window = numpy.hanning(size + 1)[:-1]
    frames = samples[starts[:, None] + numpy.arange(size)] * window
    is_complex = numpy.iscomplexobj(samples)
    spectra = numpy.fft.fftshift(numpy.fft.fft(frames), axes=1) if is_complex else numpy.fft.rfft(frames)
    power = 20 * numpy.log10(numpy.maximum(numpy.abs(spectra) / window.sum(), 1e-15))
    first, seconds = (-0.5 if is_complex else 0.0), len(samples) / rate_hz
    axes.imshow(power, aspect="auto", extent=(first * rate_hz, 0.5 * rate_hz, seconds, 0.0))
    axes.set_xlabel("frequency in Hz" if rate_hz != 1.0 else "frequency in cycles per sample")
    axes.set_ylabel("time in s" if rate_hz != 1.0 else "sample")
    return axes


def _html(samples: Any, rate_hz: float | None) -> str:
    """Spectrum and waterfall of samples, and of complex ones points, for notebooks."""
    import numpy

    from superhet import _draw

    samples, rate_hz = numpy.asarray(samples), rate_hz or 1.0
    if samples.ndim != 1 or len(samples) < 256 or samples.dtype.kind not in "fc":
        return ""
    size = min(1024, 1 << (len(samples).bit_length() - 1))
    draw = [
        lambda axes: spectrum(samples, rate_hz, size, axes),
        lambda axes: waterfall(samples, rate_hz, 256, axes),
    ]
    if numpy.iscomplexobj(samples):
        draw.append(lambda axes: constellation(samples[:: max(1, len(samples) // 4096)], axes))
    return _draw.pictures(draw)


def constellation(symbols: Any, axes: Any = None) -> Any:
    """Complex samples as points. Gives the axes."""
    import numpy

    axes, symbols = _axes(axes), numpy.asarray(symbols)
    axes.plot(symbols.real, symbols.imag, ".", markersize=2)
    axes.set_aspect("equal")
    axes.set_xlabel("I")
    axes.set_ylabel("Q")
    return axes
