"""Functions of the library: firdes. Written by `python -m superhet._stubs`."""

from typing import Any, Literal, Sequence

def band_pass(
    gain: float,
    sampling_freq: float,
    low_cutoff_freq: float,
    high_cutoff_freq: float,
    transition_width: float,
    window: Any = 'hamming',
    param: float = 6.76,
) -> list[Any]:
    """Taps of a band-pass filter.

    Parameters
    ----------
    gain : number, required
        The gain in the pass band.
    sampling_freq : number, Hz, required
        The sample rate.
    low_cutoff_freq : number, Hz, required
        The middle of the lower transition.
    high_cutoff_freq : number, Hz, required
        The middle of the upper transition.
    transition_width : number, Hz, required
        The width of a transition.
    window : value, default 'hamming'
        The window: GNU Radio's number, or a name.
    param : number, default 6.76
        The parameter of a Kaiser, exponential, Gaussian or Tukey window.

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the function does not take.
    """
    ...

def band_pass_2(
    gain: float,
    sampling_freq: float,
    low_cutoff_freq: float,
    high_cutoff_freq: float,
    transition_width: float,
    attenuation_dB: float,
    window: Any = 'hamming',
    param: float = 6.76,
) -> list[Any]:
    """Taps of a band-pass filter. As many taps as the attenuation needs.

    Parameters
    ----------
    gain : number, required
        The gain in the pass band.
    sampling_freq : number, Hz, required
        The sample rate.
    low_cutoff_freq : number, Hz, required
        The middle of the lower transition.
    high_cutoff_freq : number, Hz, required
        The middle of the upper transition.
    transition_width : number, Hz, required
        The width of a transition.
    attenuation_dB : number, dB, required
        The attenuation to count the taps with.
    window : value, default 'hamming'
        The window: GNU Radio's number, or a name.
    param : number, default 6.76
        The parameter of a Kaiser, exponential, Gaussian or Tukey window.

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the function does not take.
    """
    ...

def band_reject(
    gain: float,
    sampling_freq: float,
    low_cutoff_freq: float,
    high_cutoff_freq: float,
    transition_width: float,
    window: Any = 'hamming',
    param: float = 6.76,
) -> list[Any]:
    """Taps of a band-stop filter.

    Parameters
    ----------
    gain : number, required
        The gain in the pass band.
    sampling_freq : number, Hz, required
        The sample rate.
    low_cutoff_freq : number, Hz, required
        The middle of the lower transition.
    high_cutoff_freq : number, Hz, required
        The middle of the upper transition.
    transition_width : number, Hz, required
        The width of a transition.
    window : value, default 'hamming'
        The window: GNU Radio's number, or a name.
    param : number, default 6.76
        The parameter of a Kaiser, exponential, Gaussian or Tukey window.

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the function does not take.
    """
    ...

def band_reject_2(
    gain: float,
    sampling_freq: float,
    low_cutoff_freq: float,
    high_cutoff_freq: float,
    transition_width: float,
    attenuation_dB: float,
    window: Any = 'hamming',
    param: float = 6.76,
) -> list[Any]:
    """Taps of a band-stop filter. As many taps as the attenuation needs.

    Parameters
    ----------
    gain : number, required
        The gain in the pass band.
    sampling_freq : number, Hz, required
        The sample rate.
    low_cutoff_freq : number, Hz, required
        The middle of the lower transition.
    high_cutoff_freq : number, Hz, required
        The middle of the upper transition.
    transition_width : number, Hz, required
        The width of a transition.
    attenuation_dB : number, dB, required
        The attenuation to count the taps with.
    window : value, default 'hamming'
        The window: GNU Radio's number, or a name.
    param : number, default 6.76
        The parameter of a Kaiser, exponential, Gaussian or Tukey window.

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the function does not take.
    """
    ...

def complex_band_pass(
    gain: float,
    sampling_freq: float,
    low_cutoff_freq: float,
    high_cutoff_freq: float,
    transition_width: float,
    window: Any = 'hamming',
    param: float = 6.76,
) -> list[Any]:
    """Complex taps of a band-pass filter, whose band may lie on either side of 0 Hz.

    Parameters
    ----------
    gain : number, required
        The gain in the pass band.
    sampling_freq : number, Hz, required
        The sample rate.
    low_cutoff_freq : number, Hz, required
        The middle of the lower transition.
    high_cutoff_freq : number, Hz, required
        The middle of the upper transition.
    transition_width : number, Hz, required
        The width of a transition.
    window : value, default 'hamming'
        The window: GNU Radio's number, or a name.
    param : number, default 6.76
        The parameter of a Kaiser, exponential, Gaussian or Tukey window.

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the function does not take.
    """
    ...

def complex_band_pass_2(
    gain: float,
    sampling_freq: float,
    low_cutoff_freq: float,
    high_cutoff_freq: float,
    transition_width: float,
    attenuation_dB: float,
    window: Any = 'hamming',
    param: float = 6.76,
) -> list[Any]:
    """Complex taps of a band-pass filter, whose band may lie on either side of 0 Hz. As many taps as the attenuation needs.

    Parameters
    ----------
    gain : number, required
        The gain in the pass band.
    sampling_freq : number, Hz, required
        The sample rate.
    low_cutoff_freq : number, Hz, required
        The middle of the lower transition.
    high_cutoff_freq : number, Hz, required
        The middle of the upper transition.
    transition_width : number, Hz, required
        The width of a transition.
    attenuation_dB : number, dB, required
        The attenuation to count the taps with.
    window : value, default 'hamming'
        The window: GNU Radio's number, or a name.
    param : number, default 6.76
        The parameter of a Kaiser, exponential, Gaussian or Tukey window.

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the function does not take.
    """
    ...

def complex_band_reject(
    gain: float,
    sampling_freq: float,
    low_cutoff_freq: float,
    high_cutoff_freq: float,
    transition_width: float,
    window: Any = 'hamming',
    param: float = 6.76,
) -> list[Any]:
    """Complex taps of a band-stop filter, whose band may lie on either side of 0 Hz.

    Parameters
    ----------
    gain : number, required
        The gain in the pass band.
    sampling_freq : number, Hz, required
        The sample rate.
    low_cutoff_freq : number, Hz, required
        The middle of the lower transition.
    high_cutoff_freq : number, Hz, required
        The middle of the upper transition.
    transition_width : number, Hz, required
        The width of a transition.
    window : value, default 'hamming'
        The window: GNU Radio's number, or a name.
    param : number, default 6.76
        The parameter of a Kaiser, exponential, Gaussian or Tukey window.

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the function does not take.
    """
    ...

def complex_band_reject_2(
    gain: float,
    sampling_freq: float,
    low_cutoff_freq: float,
    high_cutoff_freq: float,
    transition_width: float,
    attenuation_dB: float,
    window: Any = 'hamming',
    param: float = 6.76,
) -> list[Any]:
    """Complex taps of a band-stop filter, whose band may lie on either side of 0 Hz. As many taps as the attenuation needs.

    Parameters
    ----------
    gain : number, required
        The gain in the pass band.
    sampling_freq : number, Hz, required
        The sample rate.
    low_cutoff_freq : number, Hz, required
        The middle of the lower transition.
    high_cutoff_freq : number, Hz, required
        The middle of the upper transition.
    transition_width : number, Hz, required
        The width of a transition.
    attenuation_dB : number, dB, required
        The attenuation to count the taps with.
    window : value, default 'hamming'
        The window: GNU Radio's number, or a name.
    param : number, default 6.76
        The parameter of a Kaiser, exponential, Gaussian or Tukey window.

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the function does not take.
    """
    ...

def gaussian(
    gain: float,
    spb: float,
    bt: float,
    ntaps: int,
) -> list[Any]:
    """Taps of a Gaussian pulse.

    Parameters
    ----------
    gain : number, required
        The gain in the pass band.
    spb : number, required
        The samples in a bit.
    bt : number, required
        The bandwidth in parts of the bit rate.
    ntaps : whole number from 1 to 1048576, required
        How many samples or taps.

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the function does not take.
    """
    ...

def high_pass(
    gain: float,
    sampling_freq: float,
    cutoff_freq: float,
    transition_width: float,
    window: Any = 'hamming',
    param: float = 6.76,
) -> list[Any]:
    """Taps of a high-pass filter.

    Parameters
    ----------
    gain : number, required
        The gain in the pass band.
    sampling_freq : number, Hz, required
        The sample rate.
    cutoff_freq : number, Hz, required
        The middle of the transition.
    transition_width : number, Hz, required
        The width of a transition.
    window : value, default 'hamming'
        The window: GNU Radio's number, or a name.
    param : number, default 6.76
        The parameter of a Kaiser, exponential, Gaussian or Tukey window.

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the function does not take.
    """
    ...

def high_pass_2(
    gain: float,
    sampling_freq: float,
    cutoff_freq: float,
    transition_width: float,
    attenuation_dB: float,
    window: Any = 'hamming',
    param: float = 6.76,
) -> list[Any]:
    """Taps of a high-pass filter. As many taps as the attenuation needs.

    Parameters
    ----------
    gain : number, required
        The gain in the pass band.
    sampling_freq : number, Hz, required
        The sample rate.
    cutoff_freq : number, Hz, required
        The middle of the transition.
    transition_width : number, Hz, required
        The width of a transition.
    attenuation_dB : number, dB, required
        The attenuation to count the taps with.
    window : value, default 'hamming'
        The window: GNU Radio's number, or a name.
    param : number, default 6.76
        The parameter of a Kaiser, exponential, Gaussian or Tukey window.

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the function does not take.
    """
    ...

def hilbert(
    ntaps: int = 19,
    windowtype: Any = 'rectangular',
    param: float = 6.76,
) -> list[Any]:
    """Taps of a Hilbert transformer.

    Parameters
    ----------
    ntaps : whole number from 1 to 1048576, default 19
        How many taps, an odd number.
    windowtype : value, default 'rectangular'
        The window: GNU Radio's number, or a name.
    param : number, default 6.76
        The parameter of a Kaiser, exponential, Gaussian or Tukey window.

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the function does not take.
    """
    ...

def low_pass(
    gain: float,
    sampling_freq: float,
    cutoff_freq: float,
    transition_width: float,
    window: Any = 'hamming',
    param: float = 6.76,
) -> list[Any]:
    """Taps of a low-pass filter.

    Parameters
    ----------
    gain : number, required
        The gain in the pass band.
    sampling_freq : number, Hz, required
        The sample rate.
    cutoff_freq : number, Hz, required
        The middle of the transition.
    transition_width : number, Hz, required
        The width of a transition.
    window : value, default 'hamming'
        The window: GNU Radio's number, or a name.
    param : number, default 6.76
        The parameter of a Kaiser, exponential, Gaussian or Tukey window.

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the function does not take.
    """
    ...

def low_pass_2(
    gain: float,
    sampling_freq: float,
    cutoff_freq: float,
    transition_width: float,
    attenuation_dB: float,
    window: Any = 'hamming',
    param: float = 6.76,
) -> list[Any]:
    """Taps of a low-pass filter. As many taps as the attenuation needs.

    Parameters
    ----------
    gain : number, required
        The gain in the pass band.
    sampling_freq : number, Hz, required
        The sample rate.
    cutoff_freq : number, Hz, required
        The middle of the transition.
    transition_width : number, Hz, required
        The width of a transition.
    attenuation_dB : number, dB, required
        The attenuation to count the taps with.
    window : value, default 'hamming'
        The window: GNU Radio's number, or a name.
    param : number, default 6.76
        The parameter of a Kaiser, exponential, Gaussian or Tukey window.

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the function does not take.
    """
    ...

def remez(
    order: int,
    bands: Sequence[complex],
    ampl: Sequence[complex],
    error_weight: Sequence[complex],
    filter_type: Literal['bandpass', 'differentiator', 'hilbert'] = 'bandpass',
    grid_density: int = 16,
) -> list[Any]:
    """Taps of an equiripple filter, by the algorithm of Parks and McClellan.

    Parameters
    ----------
    order : whole number from 3 to 2048, required
        One less than the number of taps.
    bands : list of numbers, required
        The edges of the bands, 1 being half of the sample rate.
    ampl : list of numbers, required
        The response at each edge.
    error_weight : list of numbers, required
        How much an error counts in each band.
    filter_type : one of bandpass, differentiator, hilbert, default 'bandpass'
        What kind of filter it is.
    grid_density : whole number from 1 to 64, default 16
        Points of the grid for each unknown.

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the function does not take.
    """
    ...

def root_raised_cosine(
    gain: float,
    sampling_freq: float,
    symbol_rate: float,
    alpha: float,
    ntaps: int,
) -> list[Any]:
    """Taps of a root-raised-cosine pulse.

    Parameters
    ----------
    gain : number, required
        The gain in the pass band.
    sampling_freq : number, Hz, required
        The sample rate.
    symbol_rate : number, Hz, required
        The symbols in a second.
    alpha : number, required
        The excess bandwidth, 0 to 1.
    ntaps : whole number from 1 to 1048576, required
        How many samples or taps.

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the function does not take.
    """
    ...

def window(
    type: Any,
    ntaps: int,
    param: float = 6.76,
) -> list[Any]:
    """The samples of a window.

    Parameters
    ----------
    type : value, required
        The window: GNU Radio's number, or a name.
    ntaps : whole number from 1 to 1048576, required
        How many samples or taps.
    param : number, default 6.76
        The parameter of a Kaiser, exponential, Gaussian or Tukey window.

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the function does not take.
    """
    ...
