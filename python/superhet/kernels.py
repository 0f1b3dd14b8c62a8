"""The SIMD kernels of the library on numpy arrays: ``superhet.kernels.multiply_c32(a, b)``.

Arrays go in and an array comes out, or a number; ``out`` takes an array for the result, apart from the inputs. Arrays of
another type or that are not contiguous are copied first. The variant for this machine's instructions is chosen once.

>>> import numpy, superhet
>>> superhet.kernels.multiply_const_f32(numpy.array([1, 2], "f4"), 2.0)
array([2., 4.], dtype=float32)
>>> superhet.kernels.sum_f32(numpy.ones(10, "f4"))
10.0
"""

from __future__ import annotations

import inspect
from typing import Any

from superhet import _native


def _array(array: Any, dtype: str, is_pair: bool) -> Any:
    import numpy

    array = numpy.ascontiguousarray(array, dtype)
    wanted = 2 if is_pair else 1
    if array.ndim != wanted or (is_pair and array.shape[1] != 2):
        raise ValueError(f"expected an array of {'rows of two' if is_pair else 'one dimension'}, got {array.shape}")
    return array


def _make(name: str, inputs: list[Any], numbers: list[str], dtype: str, is_pair: bool, gives_array: bool) -> Any:
    names = [input_name for input_name, _, _ in inputs] + numbers
    parameters = [inspect.Parameter(one, inspect.Parameter.POSITIONAL_OR_KEYWORD) for one in names]
    if gives_array:
        parameters.append(inspect.Parameter("out", inspect.Parameter.KEYWORD_ONLY, default=None))
    wanted = inspect.Signature(parameters)

    def call(*args: Any, **kwargs: Any) -> Any:
        import numpy

        try:
            given = wanted.bind(*args, **kwargs).arguments
        except TypeError as error:
            raise TypeError(f"{name}{wanted}: {error}") from None
        arrays = [_array(given[one], kind, pairs) for one, kind, pairs in inputs]
        if not gives_array:
            return _native.run_kernel(name, arrays, [])
        out = given.get("out")
        if out is None:
            out = numpy.empty((len(arrays[0]), 2) if is_pair else len(arrays[0]), dtype)
        elif out.dtype != numpy.dtype(dtype) or not out.flags.c_contiguous:
            raise TypeError(f"{name}: out: expected a contiguous array of {numpy.dtype(dtype)}, got {out.dtype}")
        _native.run_kernel(name, [*arrays, out], [given[one] for one in numbers])
        return out

    types = ", ".join(f"{one}: {kind.lstrip('<|')}" for one, kind, _ in inputs)
    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"{name}({types}{', ' if numbers else ''}{', '.join(numbers)}): see the crate superhet-kernels."
    call.__signature__ = wanted  # type: ignore[attr-defined]
    return call


for _row in _native.kernel_table():
    globals()[_row[0]] = _make(*_row)

__all__ = [_row[0] for _row in _native.kernel_table()]
