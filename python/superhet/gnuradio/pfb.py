"""Polyphase filters with their streams and default taps: `gnuradio.filter.pfb`.

Each class is a hierarchical block around the block of the same name in `gnuradio.filter`. Without `taps` they are designed:
the passband is 0.4 of the lower of the two rates, the transition 0.2 of it.
"""

from __future__ import annotations

import cmath
from typing import Any, Callable, Sequence

from ._gr.constants import sizeof_float, sizeof_gr_complex
from ._gr.signature import io_signature
from .elements import hier_block2
from .namespaces import module as _module

_PASSBAND = 0.4
_TRANSITION = 0.2


def _optimal(gain: float, rate: float, ripple_db: float, atten: float) -> list[float]:
    """Optimal taps; with more ripple where the design does not succeed."""
    filter = _module("filter")
    while True:
        try:
            taps = filter.optfir.low_pass(gain, rate, _PASSBAND, _PASSBAND + _TRANSITION, ripple_db, atten)
            return [float(tap) for tap in taps]
        except (RuntimeError, ValueError):
            ripple_db += 0.01
            if ripple_db > 1:
                raise


class _Polyphase(hier_block2):
    """What the blocks here share: `taps`, and calls that go on to the block within."""

    pfb: Any

    def _build(
        self,
        name: str,
        inputs: io_signature,
        outputs: io_signature,
        taps: Sequence[float] | None,
        design: Callable[[], list[float]],
    ) -> list[float]:
        hier_block2.__init__(self, name, inputs, outputs)
        self._taps = list(taps) if taps is not None else design()
        return self._taps

    def taps(self) -> list[float]:
        """The taps of the prototype filter."""
        return list(self._taps)

    def set_taps(self, taps: Sequence[float]) -> None:
        """Changes the taps of the prototype filter."""
        self._taps = list(taps)
        self.pfb.set_taps(self._taps)

    def declare_sample_delay(self, delay: int) -> None:
        """Says by how many items tags are late."""
        self.pfb.declare_sample_delay(delay)


def _one(size: int) -> io_signature:
    return io_signature(1, 1, size)


class channelizer_ccf(_Polyphase):
    """One stream becomes `numchans` channels, each at `oversample_rate / numchans` of the rate; channel 0 is the middle."""

    def __init__(
        self, numchans: int, taps: Sequence[float] | None = None, oversample_rate: float = 1, atten: float = 100
    ) -> None:
        self._build(
            "pfb_channelizer_ccf",
            _one(sizeof_gr_complex),
            io_signature(numchans, numchans, sizeof_gr_complex),
            taps,
            lambda: self.create_taps(numchans, atten),
        )
        self.s2ss = _module("blocks").stream_to_streams(sizeof_gr_complex, numchans)
        self.pfb = _module("filter").pfb_channelizer_ccf(numchans, self._taps, oversample_rate)
        self.connect(self, self.s2ss)
        for channel in range(numchans):
            self.connect((self.s2ss, channel), (self.pfb, channel))
            self.connect((self.pfb, channel), (self, channel))

    @staticmethod
    def create_taps(numchans: int, atten: float = 100) -> list[float]:
        """Taps for so many channels with so much attenuation in the stopband, in dB."""
        return _optimal(1, numchans, 0.1, atten)

    def set_channel_map(self, newmap: Sequence[int]) -> None:
        """Says which channel each output has."""
        self.pfb.set_channel_map(list(newmap))


class channelizer_hier_ccf(hier_block2):
    """One stream becomes `n_chans` channels; `outchans` says which of them come out, and in which order, all without it.

    As there, the filter runs through the taps from behind, and channel `c` lies `c / n_chans` turns ahead of that of `channelizer_ccf`.
    """

    def __init__(
        self,
        n_chans: int,
        n_filterbanks: int = 1,
        taps: Sequence[float] | None = None,
        outchans: Sequence[int] | None = None,
        atten: float = 100,
        bw: float = 1.0,
        tb: float = 0.2,
        ripple: float = 0.1,
    ) -> None:
        if n_filterbanks < 1:
            raise ValueError(f"channelizer_hier_ccf: expected n_filterbanks of 1 or more, got {n_filterbanks}")
        wanted = list(range(n_chans)) if outchans is None else [int(channel) for channel in outchans]
        if any(not 0 <= channel < n_chans for channel in wanted):
            raise ValueError(f"channelizer_hier_ccf: expected channels from 0 to {n_chans - 1}, got {wanted}")
        outputs = io_signature(len(wanted), len(wanted), sizeof_gr_complex)
        super().__init__("pfb_channelizer_hier_ccf", _one(sizeof_gr_complex), outputs)
        if taps is None:
            taps = list(_module("filter").optfir.low_pass(1, n_chans, bw, bw + tb, ripple, atten))
        self._channels = n_chans
        self.pfb = channelizer_ccf(n_chans, self._from_behind(taps))
        self.connect(self, self.pfb)
        for place, channel in enumerate(wanted):
            turned = _module("blocks").multiply_const_cc(cmath.exp(2j * cmath.pi * channel / n_chans))
            self.connect((self.pfb, channel), turned, (self, place))
        for channel in set(range(n_chans)) - set(wanted):
            self.connect((self.pfb, channel), _module("blocks").null_sink(sizeof_gr_complex))

    def _from_behind(self, taps: Sequence[float]) -> list[float]:
        return [0.0] * (-len(taps) % self._channels) + list(taps)[::-1]

    def set_taps(self, taps: Sequence[float]) -> None:
        """Changes the taps of the prototype filter."""
        self.pfb.set_taps(self._from_behind(taps))


class decimator_ccf(_Polyphase):
    """One channel of `decim` is brought to the middle and to `1 / decim` of the rate."""

    def __init__(
        self,
        decim: int,
        taps: Sequence[float] | None = None,
        channel: int = 0,
        atten: float = 100,
        use_fft_rotators: bool = True,
        use_fft_filters: bool = True,
    ) -> None:
        one = _one(sizeof_gr_complex)
        self._build("pfb_decimator_ccf", one, one, taps, lambda: self.create_taps(decim, atten))
        self.s2ss = _module("blocks").stream_to_streams(sizeof_gr_complex, decim)
        self.pfb = _module("filter").pfb_decimator_ccf(decim, self._taps, channel, use_fft_rotators, use_fft_filters)
        self.connect(self, self.s2ss)
        for stream in range(decim):
            self.connect((self.s2ss, stream), (self.pfb, stream))
        self.connect(self.pfb, self)

    @staticmethod
    def create_taps(decim: int, atten: float = 100) -> list[float]:
        """Taps for this decimation with so much attenuation in the stopband, in dB."""
        return _optimal(1, decim, 0.1, atten)

    def set_channel(self, channel: int) -> None:
        """Changes the channel."""
        self.pfb.set_channel(channel)


class interpolator_ccf(_Polyphase):
    """`interp` times the rate."""

    def __init__(self, interp: int, taps: Sequence[float] | None = None, atten: float = 100) -> None:
        one = _one(sizeof_gr_complex)
        self._build("pfb_interpolator_ccf", one, one, taps, lambda: self.create_taps(interp, atten))
        self.pfb = _module("filter").pfb_interpolator_ccf(interp, self._taps)
        self.connect(self, self.pfb)
        self.connect(self.pfb, self)

    @staticmethod
    def create_taps(interp: int, atten: float = 100) -> list[float]:
        """Taps for this interpolation with so much attenuation in the stopband, in dB."""
        return _optimal(interp, interp, 0.99, atten)


class _ArbitraryResampler(_Polyphase):
    """`rate` times the rate, which is any number above 0, by `flt_size` filters and interpolation between them."""

    _block: str
    _size_of_item: int

    def __init__(
        self, rate: float, taps: Sequence[float] | None = None, flt_size: int = 32, atten: float = 100
    ) -> None:
        one = _one(self._size_of_item)
        self._build(self._block, one, one, taps, lambda: self.create_taps(rate, flt_size, atten))
        self.pfb = getattr(_module("filter"), self._block)(rate, self._taps, flt_size)
        self.connect(self, self.pfb)
        self.connect(self.pfb, self)

    @staticmethod
    def create_taps(rate: float, flt_size: int = 32, atten: float = 100) -> list[float]:
        """Taps for this rate: optimal ones from 1 on, below by a window, as there the filter is narrow."""
        if rate >= 1:
            return _optimal(flt_size, flt_size, 0.1, atten)
        window = _module("fft").window.WIN_BLACKMAN_hARRIS
        passband, transition = _PASSBAND * rate, _TRANSITION * rate
        taps = _module("filter").firdes.low_pass_2(flt_size, flt_size, passband, transition, atten, window)
        return [float(tap) for tap in taps]

    def set_rate(self, rate: float) -> None:
        """Changes the rate; the taps stay."""
        self.pfb.set_rate(rate)


class arb_resampler_ccf(_ArbitraryResampler):
    """Complex samples, real taps: `rate` times the rate."""

    _block = "pfb_arb_resampler_ccf"
    _size_of_item = sizeof_gr_complex


class arb_resampler_ccc(_ArbitraryResampler):
    """Complex samples, complex taps: `rate` times the rate. Below 1 it needs taps of its own, as in GNU Radio."""

    _block = "pfb_arb_resampler_ccc"
    _size_of_item = sizeof_gr_complex

    @staticmethod
    def create_taps(rate: float, flt_size: int = 32, atten: float = 100) -> list[float]:
        """Taps for rates from 1 on, whatever the rate is."""
        return _optimal(flt_size, flt_size, 0.1, atten)


class arb_resampler_fff(_ArbitraryResampler):
    """Real samples, real taps: `rate` times the rate."""

    _block = "pfb_arb_resampler_fff"
    _size_of_item = sizeof_float
