"""Blocks of `gnuradio.filter` and `fft` that are made in Python."""

from __future__ import annotations

import math
from typing import Any, Sequence

from ._gr.constants import sizeof_float, sizeof_gr_complex
from ._gr.signature import io_signature
from .elements import hier_block2
from .namespaces import module
from .python_blocks import basic_block, sync_block
from .tag_parts import items_of


class ival_decimator(basic_block):
    """Keeps one of `decimation` complex samples that lie as pairs of `data_size` bytes each."""

    def __init__(self, decimation: int, data_size: int) -> None:
        port = items_of(int(data_size))
        super().__init__("ival_decimator", [port], [port])
        if int(decimation) < 1:
            raise ValueError(f"ival_decimator: expected a decimation of 1 or more, got {decimation}")
        self._by = int(decimation)
        self.set_output_multiple(2)

    def decimation(self) -> int:
        """One of so many is kept."""
        return self._by

    def set_decimation(self, decimation: int) -> None:
        """Sets of how many one is kept."""
        self._by = int(decimation)

    def forecast(self, noutput_items: int, ninputs: Any) -> list[int]:
        """So many times as many."""
        return [noutput_items * self._by]

    def general_work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Keeps pairs."""
        pairs = min(len(input_items[0]) // (2 * self._by), len(output_items[0]) // 2)
        taken = input_items[0][: pairs * 2 * self._by]
        rest = taken.shape[1:]
        output_items[0][: pairs * 2] = taken.reshape(pairs, self._by, 2, *rest)[:, 0].reshape(pairs * 2, *rest)
        self.consume(0, pairs * 2 * self._by)
        return pairs * 2


class filterbank_vcvcf(sync_block):
    """Filters the items at each place of vectors by taps of their own."""

    def __init__(self, taps: Sequence[Sequence[float]]) -> None:
        self._width = len(taps)
        super().__init__("filterbank_vcvcf", [("c8", len(taps))], [("c8", len(taps))])
        self._before: Any = None
        self.set_taps(taps)

    def set_taps(self, taps: Sequence[Sequence[float]]) -> None:
        """Sets the taps of each place."""
        import numpy

        if len(taps) != self._width:
            raise RuntimeError(f"filterbank_vcvcf: expected taps for {self._width} places, got {len(taps)}")
        most = max(len(row) for row in taps)
        self._taps = numpy.array([[*row, *[0.0] * (most - len(row))] for row in taps], "f4")
        if self._before is None or len(self._before) != most - 1:
            self._before = numpy.zeros((most - 1, self._width), "c8")

    def taps(self) -> list[list[float]]:
        """The taps of each place."""
        return self._taps.tolist()

    def print_taps(self) -> None:
        """Prints the taps."""
        print(self._taps.tolist())

    def work(self, input_items: list[Any], output_items: list[Any]) -> int:
        """Filters vectors."""
        import numpy

        count, most = len(output_items[0]), self._taps.shape[1]
        x = numpy.concatenate([self._before, input_items[0][:count]])
        output_items[0][:] = sum(self._taps[:, k] * x[most - 1 - k : most - 1 - k + count] for k in range(most))
        self._before = x[len(x) - most + 1 :]
        return count


def _bank(taps: Any, points: int) -> list[list[float]]:
    """The taps of a prototype dealt out to so many filters."""
    return [list(taps[n::points]) for n in range(points)]


def _prototype(points: int) -> list[float]:
    found = module("filter").optfir.low_pass(1, points, 0.5, 0.5 + 0.2, 0.1, 80)
    return [float(tap) for tap in found] + [0.0] * (-len(found) % points)


class analysis_filterbank(hier_block2):
    """Splits a band into `mpoints` channels, as vectors; without `taps` they are designed."""

    def __init__(self, mpoints: int, taps: Any = None) -> None:
        signature = io_signature(1, 1, mpoints * sizeof_gr_complex)
        super().__init__("analysis_filterbank", io_signature(1, 1, sizeof_gr_complex), signature)
        blocks, fft = module("blocks"), module("fft")
        bank = filterbank_vcvcf(_bank(taps or _prototype(mpoints), mpoints))
        vectors = blocks.stream_to_vector(sizeof_gr_complex, mpoints)
        self.connect(self, vectors, bank, fft.fft_vcc(mpoints, True, []), self)


class synthesis_filterbank(hier_block2):
    """Puts `mpoints` channels, as vectors, side by side into a band; without `taps` they are designed."""

    def __init__(self, mpoints: int, taps: Any = None) -> None:
        signature = io_signature(1, 1, mpoints * sizeof_gr_complex)
        super().__init__("synthesis_filterbank", signature, io_signature(1, 1, sizeof_gr_complex))
        blocks, fft = module("blocks"), module("fft")
        bank = filterbank_vcvcf(_bank(taps or _prototype(mpoints), mpoints))
        stream = blocks.vector_to_stream(sizeof_gr_complex, mpoints)
        self.connect(self, fft.fft_vcc(mpoints, False, []), bank, stream, self)


class file_taps_loader:
    """Taps of a file that `gr_filter_design` has written: lines of `name,value` and `taps,…`."""

    def __init__(self, fpath: str, verbose: bool = False) -> None:
        self._path, self._parameters, self._taps = str(fpath), {}, []  # type: ignore[var-annotated]
        try:
            with open(fpath, encoding="utf-8") as file:
                rows = [line.strip().split(",") for line in file if line.strip()]
        except OSError as error:
            raise RuntimeError(f"file_taps_loader: cannot read {fpath}: {error.strerror}") from None
        for name, *values in rows:
            if name == "taps":
                numbers = [complex(value.replace("i", "j").strip()) for value in values if value.strip()]
                is_real = all(number.imag == 0 for number in numbers)
                self._taps = [number.real if is_real else number for number in numbers]
            elif values:
                self._parameters[name] = values[0] if len(values) == 1 else values
        if verbose:
            print(f"{fpath}: {len(self._taps)} taps, {self._parameters}")

    def get_taps(self) -> list[Any]:
        """The taps."""
        return list(self._taps)

    def get_params(self) -> dict[str, Any]:
        """What else the file says."""
        return dict(self._parameters)

    def get_path(self) -> str:
        """The file."""
        return self._path


class _logpwrfft(hier_block2):
    """Powers of spectra in dB, `frame_rate` a second, averaged in time where `average` is true; 0 dB is `ref_scale`."""

    _letter = "f"

    def __init__(
        self,
        sample_rate: float,
        fft_size: int,
        ref_scale: float,
        frame_rate: float,
        avg_alpha: float,
        average: bool,
        win: Any = None,
        shift: bool = False,
    ) -> None:
        import numpy

        blocks, fft, filter = module("blocks"), module("fft"), module("filter")
        size = sizeof_gr_complex if self._letter == "c" else sizeof_float
        super().__init__(f"logpwrfft_{self._letter}", io_signature(1, 1, size), io_signature(1, 1, sizeof_float * fft_size))
        taps = [float(tap) for tap in (win or fft.window.blackmanharris)(fft_size)]
        self._vectors = blocks.stream_to_vector_decimator(size, sample_rate, frame_rate, fft_size)
        transform = (fft.fft_vcc if self._letter == "c" else fft.fft_vfc)(fft_size, True, taps, shift)
        self._mean = filter.single_pole_iir_filter_ff(1.0, fft_size)
        power = float(numpy.sum(numpy.square(taps)))
        # The power of the window, the length of the transform, and that a sine has half of its amplitude on each side.
        level = -20 * math.log10(fft_size) - 10 * math.log10(power / fft_size) - 20 * math.log10(ref_scale / 2)
        log = blocks.nlog10_ff(10, fft_size, level)
        self.connect(self, self._vectors, transform, blocks.complex_to_mag_squared(fft_size), self._mean, log, self)
        self._is_average, self._alpha = bool(average), float(avg_alpha)
        self._set_mean()

    def _set_mean(self) -> None:
        self._mean.set_taps(self._alpha if self._is_average else 1.0)

    def set_sample_rate(self, sample_rate: float) -> None:
        """Sets the samples in a second."""
        self._vectors.set_sample_rate(sample_rate)

    def sample_rate(self) -> float:
        """The samples in a second."""
        return self._vectors.sample_rate()

    def set_vec_rate(self, vec_rate: float) -> None:
        """Sets the spectra in a second."""
        self._vectors.set_vec_rate(vec_rate)

    def set_average(self, average: bool) -> None:
        """Sets whether spectra are averaged."""
        self._is_average = bool(average)
        self._set_mean()

    def average(self) -> bool:
        """Whether spectra are averaged."""
        return self._is_average

    def set_avg_alpha(self, avg_alpha: float) -> None:
        """Sets how fast the average follows."""
        self._alpha = float(avg_alpha)
        self._set_mean()

    def avg_alpha(self) -> float:
        """How fast the average follows."""
        return self._alpha


class logpwrfft_f(_logpwrfft):
    """Powers of spectra of real samples; see `logpwrfft_c`."""


class logpwrfft_c(_logpwrfft):
    """Powers of spectra of complex samples in dB, `frame_rate` a second, averaged where `average` is true; 0 dB is `ref_scale`."""

    _letter = "c"


BLOCKS: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        analysis_filterbank,
        file_taps_loader,
        filterbank_vcvcf,
        ival_decimator,
        synthesis_filterbank,
    )
}
"""The blocks by name."""

LOGPWRFFT: dict[str, Any] = {"logpwrfft_c": logpwrfft_c, "logpwrfft_f": logpwrfft_f}
"""The module `gnuradio.fft.logpwrfft`."""
