"""Modulators and demodulators from bytes to a signal and back: PSK, QAM and others by a constellation, GMSK, GFSK, CPM.

Each is a hierarchical block with the parameters, filters and loops of GNU Radio's documentation. Its streams are those
of GNU Radio's, too: packed bytes, the high bit first, into a modulator; one bit a byte out of a demodulator.
"""

from __future__ import annotations

import math
from typing import Any, Callable, Sequence

from ._gr.constants import sizeof_char, sizeof_gr_complex
from ._gr.signature import io_signature
from .digital_parts import modulation_utils
from .digital_parts.psk import psk_constellation
from .digital_parts.utils import mod_codes
from .elements import hier_block2
from .modem_options import Options
from .namespaces import module as _module

FILTERS = 32
"""Filters of a polyphase bank: as many instants between two samples."""
SYMBOLS = 11
"""Symbols of a root-raised-cosine pulse."""


class _Modem(Options, hier_block2):
    """What the modulators and demodulators share."""

    _samples_per_symbol: float
    _bits = 1

    def _begin(self, name: str, ends: tuple[int, int], samples_per_symbol: float, whole: bool) -> None:
        kind = "a whole number of samples per symbol" if whole else "samples per symbol"
        if not samples_per_symbol >= 2 or whole and samples_per_symbol != int(samples_per_symbol):
            raise TypeError(f"{name}: expected {kind}, 2 or more, got {samples_per_symbol}")
        hier_block2.__init__(self, name, io_signature(1, 1, ends[0]), io_signature(1, 1, ends[1]))
        self._samples_per_symbol = int(samples_per_symbol) if whole else samples_per_symbol

    def samples_per_symbol(self) -> float:
        """Samples in a symbol."""
        return self._samples_per_symbol

    def bits_per_symbol(self) -> int:
        """Bits in a symbol."""
        return self._bits


_BYTES_TO_SIGNAL = (sizeof_char, sizeof_gr_complex)
_SIGNAL_TO_BYTES = (sizeof_gr_complex, sizeof_char)


def _unpack(bits: int) -> Any:
    return _module("blocks").packed_to_unpacked_bb(bits, _module("gr").GR_MSB_FIRST)


def _root_raised_cosine(rate: float, excess_bw: float, count: int) -> list[float]:
    """The taps of a bank of filters, for symbols at the rate 1."""
    return [float(tap) for tap in _module("filter").firdes.root_raised_cosine(FILTERS, rate, 1.0, excess_bw, count)]


class generic_mod(_Modem):
    """Bytes become symbols of a constellation, and these a signal of root-raised-cosine pulses.

    Args:
        constellation: what symbols there are.
        differential: whether each symbol says by how much the next one differs.
        samples_per_symbol: 2 or more.
        pre_diff_code: whether the code of the constellation is put before that.
        excess_bw: the excess bandwidth of the pulses.
        verbose, log: taken, and change nothing.
        truncate: whether samples before the first pulse are left out, as many as GNU Radio leaves out.

    Raises:
        TypeError: `samples_per_symbol` is less than 2.
    """

    def __init__(
        self,
        constellation: Any,
        differential: bool = False,
        samples_per_symbol: float = 2,
        pre_diff_code: bool = True,
        excess_bw: float = 0.35,
        verbose: bool = False,
        log: bool = False,
        truncate: bool = False,
    ) -> None:
        self._begin("generic_mod", _BYTES_TO_SIGNAL, samples_per_symbol, whole=False)
        digital = _module("digital")
        self._constellation, self._excess_bw = constellation, excess_bw
        self._differential = bool(differential)
        self._bits = constellation.bits_per_symbol()
        self.pre_diff_code = bool(pre_diff_code and constellation.apply_pre_diff_code())
        chain: list[Any] = [_unpack(self._bits)]
        if self.pre_diff_code:
            self.symbol_mapper = digital.map_bb(constellation.pre_diff_code())
            chain.append(self.symbol_mapper)
        if self._differential:
            self.diffenc = digital.diff_encoder_bb(constellation.arity())
            chain.append(self.diffenc)
        self.chunks2symbols = digital.chunks_to_symbols_bc(constellation.points())
        taps = SYMBOLS * int(samples_per_symbol) * FILTERS
        self.rrc_taps = _root_raised_cosine(FILTERS, excess_bw, taps)
        self.rrc_filter = _module("filter").pfb_arb_resampler_ccf(samples_per_symbol, self.rrc_taps)
        chain += [self.chunks2symbols, self.rrc_filter]
        if truncate:
            # GNU Radio's number, which is near the middle of the first pulse for whole samples_per_symbol.
            late = ((SYMBOLS * int(samples_per_symbol * FILTERS) | 1) / FILTERS - 1) / 2 * samples_per_symbol
            self.skiphead = _module("blocks").skiphead(sizeof_gr_complex, int(late))
            chain.append(self.skiphead)
        self.connect(self, *chain, self)


class generic_demod(_Modem):
    """A signal of root-raised-cosine pulses becomes the bits of its symbols: what `generic_mod` has made.

    A gain control, a loop for the frequency at the edges of the band, one for the symbol clock with the matched filter, and one for
    the phase come one after the other.

    Args:
        constellation, differential, samples_per_symbol, pre_diff_code, excess_bw: as for `generic_mod`.
        freq_bw, timing_bw, phase_bw: the bandwidths of the loops.
        verbose, log: taken, and change nothing.

    Raises:
        TypeError: `samples_per_symbol` is less than 2.
    """

    def __init__(
        self,
        constellation: Any,
        differential: bool = False,
        samples_per_symbol: float = 2,
        pre_diff_code: bool = True,
        excess_bw: float = 0.35,
        freq_bw: float = 2 * math.pi / 100,
        timing_bw: float = 2 * math.pi / 100,
        phase_bw: float = 2 * math.pi / 100,
        verbose: bool = False,
        log: bool = False,
    ) -> None:
        self._begin("generic_demod", _SIGNAL_TO_BYTES, samples_per_symbol, whole=False)
        digital = _module("digital")
        self._constellation, self._excess_bw = constellation, excess_bw
        self._differential = bool(differential)
        self._bits = constellation.bits_per_symbol()
        self.pre_diff_code = bool(pre_diff_code and constellation.apply_pre_diff_code())
        self.agc = _module("analog").agc2_cc(0.6e-1, 1e-3, 1, 1)
        self.freq_recov = digital.fll_band_edge_cc(samples_per_symbol, excess_bw, 55, freq_bw)
        count = SYMBOLS * int(samples_per_symbol * FILTERS)
        taps = _root_raised_cosine(FILTERS * samples_per_symbol, excess_bw, count)
        self.time_recov = digital.pfb_clock_sync_ccf(samples_per_symbol, timing_bw, taps, FILTERS, FILTERS // 2, 1.5)
        self.receiver = digital.constellation_receiver_cb(constellation.base(), phase_bw, -0.25, 0.25)
        chain: list[Any] = [self.agc, self.freq_recov, self.time_recov, self.receiver]
        if self._differential:
            self.diffdec = digital.diff_decoder_bb(constellation.arity())
            chain.append(self.diffdec)
        if self.pre_diff_code:
            self.symbol_mapper = digital.map_bb(mod_codes.invert_code(constellation.pre_diff_code()))
            chain.append(self.symbol_mapper)
        self.unpack = _module("blocks").unpack_k_bits_bb(self._bits)
        self.connect(self, *chain, self.unpack, self)


class psk_mod(generic_mod):
    """`generic_mod` with `psk_constellation(constellation_points, mod_code, differential)`; all else is as there."""

    def __init__(
        self,
        constellation_points: int = 4,
        mod_code: str = mod_codes.GRAY_CODE,
        differential: bool = True,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        constellation = psk_constellation(constellation_points, mod_code, differential)
        super().__init__(constellation, differential, *args, **kwargs)


class psk_demod(generic_demod):
    """`generic_demod` with `psk_constellation(constellation_points, mod_code, differential)`; all else is as there."""

    def __init__(
        self,
        constellation_points: int = 4,
        mod_code: str = mod_codes.GRAY_CODE,
        differential: bool = True,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        constellation = psk_constellation(constellation_points, mod_code, differential)
        super().__init__(constellation, differential, *args, **kwargs)


def _convolved(taps: Sequence[float], length: int) -> list[float]:
    """Taps, each of which is held for so many samples: their convolution with a rectangle."""
    import numpy

    return numpy.convolve(numpy.array(taps), numpy.ones(length)).tolist()


class _FrequencyMod(_Modem):
    """Bits become frequencies, smoothed by a Gaussian filter."""

    def _make(self, name: str, samples_per_symbol: int, sensitivity: float, bt: float, do_unpack: bool) -> list[Any]:
        """The blocks in their order; of signed bits where they are not unpacked."""
        self._begin(name, _BYTES_TO_SIGNAL, samples_per_symbol, whole=True)
        sps = int(samples_per_symbol)
        self._bt, self._differential = bt, False
        self.nrz = _module("digital").chunks_to_symbols_bf([-1, 1])
        self.gaussian_taps = _module("filter").firdes.gaussian(1, sps, bt, 4 * sps)
        self.sqwave = (1,) * sps
        self.taps = _convolved(self.gaussian_taps, sps)
        self.gaussian_filter = _module("filter").interp_fir_filter_fff(sps, self.taps)
        self.fmmod = _module("analog").frequency_modulator_fc(sensitivity)
        chain = [self.nrz, self.gaussian_filter, self.fmmod]
        if do_unpack:
            self.unpack = _unpack(1)
            chain.insert(0, self.unpack)
        return chain


class gmsk_mod(_FrequencyMod):
    """Bytes become a GMSK signal; bits, one a byte, where `do_unpack` is false.

    Raises:
        TypeError: `samples_per_symbol` is no whole number of 2 or more.
    """

    def __init__(
        self, samples_per_symbol: int = 2, bt: float = 0.35, verbose: bool = False, log: bool = False, do_unpack: bool = True
    ) -> None:
        sensitivity = math.pi / 2 / samples_per_symbol if samples_per_symbol else 0.0
        self.connect(self, *self._make("gmsk_mod", samples_per_symbol, sensitivity, bt, do_unpack), self)


class gfsk_mod(_FrequencyMod):
    """Bytes become a GFSK signal that turns by ±`sensitivity` radians a sample; bits, one a byte, where `do_unpack` is false.

    Raises:
        TypeError: `samples_per_symbol` is no whole number of 2 or more.
    """

    def __init__(
        self,
        samples_per_symbol: int = 2,
        sensitivity: float = 1,
        bt: float = 0.35,
        verbose: bool = False,
        log: bool = False,
        do_unpack: bool = True,
    ) -> None:
        chain = self._make("gfsk_mod", samples_per_symbol, sensitivity, bt, do_unpack)
        self.amp = _module("blocks").multiply_const_cc(0.999)
        self.connect(self, *chain, self.amp, self)


class _FrequencyDemod(_Modem):
    """The frequency, sampled where a loop finds the symbols, becomes bits."""

    def _make(
        self,
        name: str,
        samples_per_symbol: float,
        sensitivity: float,
        gain_mu: float | None,
        omega_relative_limit: float,
        freq_error: float,
    ) -> None:
        self._begin(name, _SIGNAL_TO_BYTES, samples_per_symbol, whole=False)
        digital = _module("digital")
        self._gain_mu = 0.175 if gain_mu is None else gain_mu
        self._omega_relative_limit, self._freq_error, self._differential = omega_relative_limit, freq_error, False
        self._omega = samples_per_symbol * (1 + freq_error)
        self._gain_omega = 0.25 * self._gain_mu * self._gain_mu
        self._damping = 1.0
        self._loop_bw = -math.log(1 - (self._gain_mu + self._gain_omega) / 2)
        self._max_dev = omega_relative_limit * samples_per_symbol
        self.fmdemod = _module("analog").quadrature_demod_cf(1 / sensitivity)
        self.clock_recovery = digital.symbol_sync_ff(
            digital.TED_MUELLER_AND_MULLER,
            self._omega,
            self._loop_bw,
            self._damping,
            1.0,
            self._max_dev,
            1,
            digital.constellation_bpsk().base(),
            digital.IR_MMSE_8TAP,
            128,
            [],
        )
        self.slicer = digital.binary_slicer_fb()
        self.connect(self, self.fmdemod, self.clock_recovery, self.slicer, self)


class gmsk_demod(_FrequencyDemod):
    """A GMSK signal becomes bits, one a byte; `mu` is taken and changes nothing.

    Raises:
        TypeError: `samples_per_symbol` is less than 2.
    """

    def __init__(
        self,
        samples_per_symbol: float = 2,
        gain_mu: float | None = None,
        mu: float = 0.5,
        omega_relative_limit: float = 0.005,
        freq_error: float = 0.0,
        verbose: bool = False,
        log: bool = False,
    ) -> None:
        sensitivity = math.pi / 2 / samples_per_symbol if samples_per_symbol else 1.0
        self._make("gmsk_demod", samples_per_symbol, sensitivity, gain_mu, omega_relative_limit, freq_error)


class gfsk_demod(_FrequencyDemod):
    """A GFSK signal becomes bits, one a byte; `mu` is taken and changes nothing.

    Raises:
        TypeError: `samples_per_symbol` is less than 2.
    """

    def __init__(
        self,
        samples_per_symbol: float = 2,
        sensitivity: float = 1,
        gain_mu: float | None = None,
        mu: float = 0.5,
        omega_relative_limit: float = 0.005,
        freq_error: float = 0.0,
        verbose: bool = False,
        log: bool = False,
    ) -> None:
        self._make("gfsk_demod", samples_per_symbol, sensitivity, gain_mu, omega_relative_limit, freq_error)


class cpm_mod(_Modem):
    """Bytes become a CPM signal of `bits_per_symbol` bits a symbol with the index `h_numerator / h_denominator`.

    The pulse is a rectangle (`cpm_type` 0), a Gaussian filter's answer to one (1), a raised cosine (2), each of
    `symbols_per_pulse` symbols but the second, or `generic_taps` (3).

    Raises:
        TypeError: a number is out of its range.
    """

    def __init__(
        self,
        samples_per_symbol: int = 2,
        bits_per_symbol: int = 1,
        h_numerator: int = 1,
        h_denominator: int = 2,
        cpm_type: int = 0,
        bt: float = 0.35,
        symbols_per_pulse: int = 1,
        generic_taps: Sequence[float] = (1 / 128,),
        verbose: bool = False,
        log: bool = False,
    ) -> None:
        if cpm_type not in (0, 1, 2, 3):
            raise TypeError(f"cpm_mod: expected a cpm_type from 0 to 3, got {cpm_type!r}")
        if symbols_per_pulse < 1 or not 1 <= bits_per_symbol <= 8 or h_denominator < 1:
            raise TypeError("cpm_mod: expected symbols_per_pulse >= 1, bits_per_symbol from 1 to 8 and h_denominator >= 1")
        self._begin("cpm_mod", _BYTES_TO_SIGNAL, samples_per_symbol, whole=True)
        sps, bits = int(samples_per_symbol), int(bits_per_symbol)
        self._settings = (h_numerator, h_denominator, cpm_type, bt, symbols_per_pulse)
        self._bits, self.nsymbols, self.ntaps = bits, 2**bits, symbols_per_pulse * sps
        self.sym_alphabet = list(range(1 - self.nsymbols, self.nsymbols, 2))
        self.B2s = _unpack(bits)
        self.pam = _module("digital").chunks_to_symbols_bf(self.sym_alphabet, 1)
        self.taps = self._pulse(sps, generic_taps)
        self.filter = _module("filter").pfb.arb_resampler_fff(sps, self.taps)
        self.fmmod = _module("analog").frequency_modulator_fc(2 * math.pi * h_numerator / h_denominator / sps)
        self.connect(self, self.B2s, self.pam, self.filter, self.fmmod, self)

    def _pulse(self, sps: int, generic_taps: Sequence[float]) -> list[float]:
        _, _, kind, bt, length = self._settings
        if kind == 0:
            return [0.5 / length] * self.ntaps
        if kind == 1:
            return _convolved(_module("filter").firdes.gaussian(0.5, sps, bt, 4 * sps), sps)
        if kind == 2:
            return [(1 - math.cos(2 * math.pi * k / self.ntaps)) / (2 * length) for k in range(self.ntaps)]
        return [float(tap) for tap in generic_taps]

    def h_numerator(self) -> int:
        """The numerator of the modulation index."""
        return self._settings[0]

    def h_denominator(self) -> int:
        """The denominator of the modulation index."""
        return self._settings[1]

    def cpm_type(self) -> int:
        """The shape of the pulse."""
        return self._settings[2]

    def bt(self) -> float:
        """The bandwidth of the Gaussian filter times the length of a symbol."""
        return self._settings[3]

    def symbols_per_pulse(self) -> int:
        """How long the pulse is."""
        return self._settings[4]


BLOCKS: dict[str, Callable[..., Any]] = {
    block.__name__: block
    for block in (
        generic_mod, generic_demod, psk_mod, psk_demod, gmsk_mod, gmsk_demod, gfsk_mod, gfsk_demod, cpm_mod,
    )  # fmt: skip
}
"""The blocks by name."""

for _name in ("psk", "gmsk", "gfsk", "cpm"):
    modulation_utils.add_type_1_mod(_name, BLOCKS[f"{_name}_mod"])
    if _name != "cpm":
        modulation_utils.add_type_1_demod(_name, BLOCKS[f"{_name}_demod"])
