"""Functions of the library: optfir. Written by `python -m superhet._stubs`."""

from typing import Any, Literal, Sequence

def band_pass(
    gain: float,
    Fs: float,
    freq_sb1: float,
    freq_pb1: float,
    freq_pb2: float,
    freq_sb2: float,
    passband_ripple_db: float,
    stopband_atten_db: float,
    nextra_taps: int = 2,
) -> list[Any]:
    """Taps of an equiripple band-pass filter.

    Parameters
    ----------
    gain : number, required
        The gain in the pass band.
    Fs : number, Hz, required
        The sample rate.
    freq_sb1 : number, Hz, required
        An edge of a band: of what is passed (pb) or stopped (sb).
    freq_pb1 : number, Hz, required
        An edge of a band: of what is passed (pb) or stopped (sb).
    freq_pb2 : number, Hz, required
        An edge of a band: of what is passed (pb) or stopped (sb).
    freq_sb2 : number, Hz, required
        An edge of a band: of what is passed (pb) or stopped (sb).
    passband_ripple_db : number, dB, required
        How much the pass band may differ from flat.
    stopband_atten_db : number, dB, required
        The attenuation in the stop band.
    nextra_taps : whole number from 0 to 1000, default 2
        So many more taps than estimated.

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the function does not take.
    """
    ...

def band_reject(
    gain: float,
    Fs: float,
    freq_pb1: float,
    freq_sb1: float,
    freq_sb2: float,
    freq_pb2: float,
    passband_ripple_db: float,
    stopband_atten_db: float,
    nextra_taps: int = 2,
) -> list[Any]:
    """Taps of an equiripple band-stop filter.

    Parameters
    ----------
    gain : number, required
        The gain in the pass band.
    Fs : number, Hz, required
        The sample rate.
    freq_pb1 : number, Hz, required
        An edge of a band: of what is passed (pb) or stopped (sb).
    freq_sb1 : number, Hz, required
        An edge of a band: of what is passed (pb) or stopped (sb).
    freq_sb2 : number, Hz, required
        An edge of a band: of what is passed (pb) or stopped (sb).
    freq_pb2 : number, Hz, required
        An edge of a band: of what is passed (pb) or stopped (sb).
    passband_ripple_db : number, dB, required
        How much the pass band may differ from flat.
    stopband_atten_db : number, dB, required
        The attenuation in the stop band.
    nextra_taps : whole number from 0 to 1000, default 2
        So many more taps than estimated.

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the function does not take.
    """
    ...

def complex_band_pass(
    gain: float,
    Fs: float,
    freq_sb1: float,
    freq_pb1: float,
    freq_pb2: float,
    freq_sb2: float,
    passband_ripple_db: float,
    stopband_atten_db: float,
    nextra_taps: int = 2,
) -> list[Any]:
    """Complex taps of an equiripple band-pass filter.

    Parameters
    ----------
    gain : number, required
        The gain in the pass band.
    Fs : number, Hz, required
        The sample rate.
    freq_sb1 : number, Hz, required
        An edge of a band: of what is passed (pb) or stopped (sb).
    freq_pb1 : number, Hz, required
        An edge of a band: of what is passed (pb) or stopped (sb).
    freq_pb2 : number, Hz, required
        An edge of a band: of what is passed (pb) or stopped (sb).
    freq_sb2 : number, Hz, required
        An edge of a band: of what is passed (pb) or stopped (sb).
    passband_ripple_db : number, dB, required
        How much the pass band may differ from flat.
    stopband_atten_db : number, dB, required
        The attenuation in the stop band.
    nextra_taps : whole number from 0 to 1000, default 2
        So many more taps than estimated.

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the function does not take.
    """
    ...

def high_pass(
    gain: float,
    Fs: float,
    freq1: float,
    freq2: float,
    passband_ripple_db: float,
    stopband_atten_db: float,
    nextra_taps: int = 2,
) -> list[Any]:
    """Taps of an equiripple high-pass filter: stops up to freq1, passes from freq2 on.

    Parameters
    ----------
    gain : number, required
        The gain in the pass band.
    Fs : number, Hz, required
        The sample rate.
    freq1 : number, Hz, required
        An edge of a band: of what is passed (pb) or stopped (sb).
    freq2 : number, Hz, required
        An edge of a band: of what is passed (pb) or stopped (sb).
    passband_ripple_db : number, dB, required
        How much the pass band may differ from flat.
    stopband_atten_db : number, dB, required
        The attenuation in the stop band.
    nextra_taps : whole number from 0 to 1000, default 2
        So many more taps than estimated.

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the function does not take.
    """
    ...

def low_pass(
    gain: float,
    Fs: float,
    freq1: float,
    freq2: float,
    passband_ripple_db: float,
    stopband_atten_db: float,
    nextra_taps: int = 2,
) -> list[Any]:
    """Taps of an equiripple low-pass filter: passes up to freq1, stops from freq2 on.

    Parameters
    ----------
    gain : number, required
        The gain in the pass band.
    Fs : number, Hz, required
        The sample rate.
    freq1 : number, Hz, required
        An edge of a band: of what is passed (pb) or stopped (sb).
    freq2 : number, Hz, required
        An edge of a band: of what is passed (pb) or stopped (sb).
    passband_ripple_db : number, dB, required
        How much the pass band may differ from flat.
    stopband_atten_db : number, dB, required
        The attenuation in the stop band.
    nextra_taps : whole number from 0 to 1000, default 2
        So many more taps than estimated.

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the function does not take.
    """
    ...
