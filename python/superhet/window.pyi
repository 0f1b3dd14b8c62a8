"""Functions of the library: window. Written by `python -m superhet._stubs`."""

from typing import Any, Literal, Sequence

def bartlett(
    ntaps: int,
) -> list[Any]:
    """The samples of the window bartlett.

    Parameters
    ----------
    ntaps : whole number from 1 to 1048576, required
        How many samples or taps.

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the function does not take.
    """
    ...

def blackman(
    ntaps: int,
) -> list[Any]:
    """The samples of the window blackman.

    Parameters
    ----------
    ntaps : whole number from 1 to 1048576, required
        How many samples or taps.

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the function does not take.
    """
    ...

def blackman2(
    ntaps: int,
) -> list[Any]:
    """The samples of the window blackman2.

    Parameters
    ----------
    ntaps : whole number from 1 to 1048576, required
        How many samples or taps.

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the function does not take.
    """
    ...

def blackman3(
    ntaps: int,
) -> list[Any]:
    """The samples of the window blackman3.

    Parameters
    ----------
    ntaps : whole number from 1 to 1048576, required
        How many samples or taps.

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the function does not take.
    """
    ...

def blackman4(
    ntaps: int,
) -> list[Any]:
    """The samples of the window blackman4.

    Parameters
    ----------
    ntaps : whole number from 1 to 1048576, required
        How many samples or taps.

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the function does not take.
    """
    ...

def blackman_harris(
    ntaps: int,
    atten: int = 92,
) -> list[Any]:
    """The samples of a Blackman-Harris window.

    Parameters
    ----------
    ntaps : whole number from 1 to 1048576, required
        How many samples or taps.
    atten : whole number from 61 to 92, dB, default 92
        The attenuation of the side lobes: 61, 67, 74 or 92.

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the function does not take.
    """
    ...

def blackman_nuttall(
    ntaps: int,
) -> list[Any]:
    """The samples of the window blackman_nuttall.

    Parameters
    ----------
    ntaps : whole number from 1 to 1048576, required
        How many samples or taps.

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the function does not take.
    """
    ...

def blackmanharris(
    ntaps: int,
    atten: int = 92,
) -> list[Any]:
    """The samples of a Blackman-Harris window.

    Parameters
    ----------
    ntaps : whole number from 1 to 1048576, required
        How many samples or taps.
    atten : whole number from 61 to 92, dB, default 92
        The attenuation of the side lobes: 61, 67, 74 or 92.

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the function does not take.
    """
    ...

def build(
    type: Any,
    ntaps: int,
    param: float = 6.76,
    normalize: bool = False,
) -> list[Any]:
    """The samples of a window; with a mean power of 1 where that is asked for.

    Parameters
    ----------
    type : value, required
        The window: GNU Radio's number, or a name.
    ntaps : whole number from 1 to 1048576, required
        How many samples or taps.
    param : number, default 6.76
        The parameter of a Kaiser, exponential, Gaussian or Tukey window.
    normalize : true or false, default False
        Scale to a mean power of 1.

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the function does not take.
    """
    ...

def exponential(
    ntaps: int,
    d: float,
) -> list[Any]:
    """The samples of the window exponential.

    Parameters
    ----------
    ntaps : whole number from 1 to 1048576, required
        How many samples or taps.
    d : number, required
        How far it falls to the ends, in dB.

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the function does not take.
    """
    ...

def flattop(
    ntaps: int,
) -> list[Any]:
    """The samples of the window flattop.

    Parameters
    ----------
    ntaps : whole number from 1 to 1048576, required
        How many samples or taps.

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the function does not take.
    """
    ...

def gaussian(
    ntaps: int,
    sigma: float,
) -> list[Any]:
    """The samples of the window gaussian.

    Parameters
    ----------
    ntaps : whole number from 1 to 1048576, required
        How many samples or taps.
    sigma : number, required
        The standard deviation in samples.

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the function does not take.
    """
    ...

def hamming(
    ntaps: int,
) -> list[Any]:
    """The samples of the window hamming.

    Parameters
    ----------
    ntaps : whole number from 1 to 1048576, required
        How many samples or taps.

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the function does not take.
    """
    ...

def hann(
    ntaps: int,
) -> list[Any]:
    """The samples of the window hann.

    Parameters
    ----------
    ntaps : whole number from 1 to 1048576, required
        How many samples or taps.

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the function does not take.
    """
    ...

def hanning(
    ntaps: int,
) -> list[Any]:
    """The samples of the window hanning.

    Parameters
    ----------
    ntaps : whole number from 1 to 1048576, required
        How many samples or taps.

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the function does not take.
    """
    ...

def kaiser(
    ntaps: int,
    beta: float,
) -> list[Any]:
    """The samples of the window kaiser.

    Parameters
    ----------
    ntaps : whole number from 1 to 1048576, required
        How many samples or taps.
    beta : number, required
        The shape: 0 is rectangular, more is narrower.

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the function does not take.
    """
    ...

def max_attenuation(
    type: Any,
    param: float = 6.76,
) -> list[Any]:
    """The attenuation in dB that a filter made with a window is taken to have.

    Parameters
    ----------
    type : value, required
        The window: GNU Radio's number, or a name.
    param : number, default 6.76
        The parameter of a Kaiser, exponential, Gaussian or Tukey window.

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the function does not take.
    """
    ...

def nuttall(
    ntaps: int,
) -> list[Any]:
    """The samples of the window nuttall.

    Parameters
    ----------
    ntaps : whole number from 1 to 1048576, required
        How many samples or taps.

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the function does not take.
    """
    ...

def nuttall_cfd(
    ntaps: int,
) -> list[Any]:
    """The samples of the window nuttall_cfd.

    Parameters
    ----------
    ntaps : whole number from 1 to 1048576, required
        How many samples or taps.

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the function does not take.
    """
    ...

def parzen(
    ntaps: int,
) -> list[Any]:
    """The samples of the window parzen.

    Parameters
    ----------
    ntaps : whole number from 1 to 1048576, required
        How many samples or taps.

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the function does not take.
    """
    ...

def rectangular(
    ntaps: int,
) -> list[Any]:
    """The samples of the window rectangular.

    Parameters
    ----------
    ntaps : whole number from 1 to 1048576, required
        How many samples or taps.

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the function does not take.
    """
    ...

def riemann(
    ntaps: int,
) -> list[Any]:
    """The samples of the window riemann.

    Parameters
    ----------
    ntaps : whole number from 1 to 1048576, required
        How many samples or taps.

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the function does not take.
    """
    ...

def tukey(
    ntaps: int,
    alpha: float,
) -> list[Any]:
    """The samples of the window tukey.

    Parameters
    ----------
    ntaps : whole number from 1 to 1048576, required
        How many samples or taps.
    alpha : number, required
        The part of the window that its two ends take, 0 to 1.

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the function does not take.
    """
    ...

def welch(
    ntaps: int,
) -> list[Any]:
    """The samples of the window welch.

    Parameters
    ----------
    ntaps : whole number from 1 to 1048576, required
        How many samples or taps.

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the function does not take.
    """
    ...
