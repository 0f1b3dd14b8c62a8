"""Test cases for blocks and flowgraphs: `from gnuradio import gr_unittest`."""

from __future__ import annotations

import time
import unittest
from typing import Any, Callable, Sequence
from unittest import (
    FunctionTestCase,
    TestLoader,
    TestProgram,
    TestResult,
    TestSuite,
    TextTestRunner,
    main,
)

__all__ = [
    "FunctionTestCase",
    "TestCase",
    "TestLoader",
    "TestProgram",
    "TestResult",
    "TestSuite",
    "TextTestRunner",
    "main",
    "run",
    "time",
    "unittest",
]


class TestCase(unittest.TestCase):
    """`unittest.TestCase` with comparison of sequences of numbers."""

    def assertComplexAlmostEqual(self, first: complex, second: complex, places: int = 7, msg: str | None = None) -> None:
        """Fails unless the differences of the real and the imaginary parts are 0 when rounded to `places` decimal places."""
        if any(round(part, places) for part in _parts(second - first)):
            raise self.failureException(msg or f"{first!r} != {second!r} within {places} places")

    def assertComplexAlmostEqual2(
        self, ref: complex, x: complex, abs_eps: float = 1e-12, rel_eps: float = 1e-6, msg: str | None = None
    ) -> None:
        """Fails unless `|x - ref|` is below `abs_eps`, or below `rel_eps` of the larger of both."""
        if ref == x:
            return
        difference = abs(ref - x)
        largest = max(abs(ref), abs(x))
        if difference <= abs_eps or difference <= rel_eps * largest:
            return
        raise self.failureException(
            msg or f"{ref!r} != {x!r} abs_error = {difference!r} abs_limit = {abs_eps!r} "
            f"rel_error = {difference / largest if largest else difference!r} rel_limit = {rel_eps!r}"
        )

    def assertComplexTuplesAlmostEqual(
        self, a: Sequence[complex], b: Sequence[complex], places: int = 7, msg: str | None = None
    ) -> None:
        """Fails unless both have the same length and `assertComplexAlmostEqual` holds for each pair."""
        self._each(a, b, lambda x, y: self.assertComplexAlmostEqual(x, y, places, msg))

    def assertComplexTuplesAlmostEqual2(
        self,
        a: Sequence[complex],
        b: Sequence[complex],
        abs_eps: float = 1e-12,
        rel_eps: float = 1e-6,
        msg: str | None = None,
    ) -> None:
        """Fails unless both have the same length and `assertComplexAlmostEqual2` holds for each pair."""
        self._each(a, b, lambda x, y: self.assertComplexAlmostEqual2(x, y, abs_eps, rel_eps, msg))

    def assertFloatTuplesAlmostEqual(
        self, a: Sequence[float], b: Sequence[float], places: int = 7, msg: str | None = None
    ) -> None:
        """Fails unless both have the same length and `assertAlmostEqual` holds for each pair."""
        self._each(a, b, lambda x, y: self.assertAlmostEqual(x, y, places, msg))

    def assertFloatTuplesAlmostEqual2(
        self,
        a: Sequence[float],
        b: Sequence[float],
        abs_eps: float = 1e-12,
        rel_eps: float = 1e-6,
        msg: str | None = None,
    ) -> None:
        """Fails unless both have the same length and `assertComplexAlmostEqual2` holds for each pair."""
        self._each(a, b, lambda x, y: self.assertComplexAlmostEqual2(x, y, abs_eps, rel_eps, msg))

    def assertSequenceEqualGR(self, data_in: Sequence[Any], data_out: Sequence[Any]) -> None:
        """Fails unless both have the same length and the same items; names the place of the first difference."""
        if len(data_in) != len(data_out):
            raise self.failureException(f"Lengths do not match: {len(data_in)} and {len(data_out)}")
        differ = [place for place, (x, y) in enumerate(zip(data_in, data_out)) if not _same(x, y)]
        if differ:
            shown = [f"at {place}: {data_in[place]!r} and {data_out[place]!r}" for place in differ[:10]]
            raise self.failureException("\n".join([f"Total miscompares: {len(differ)}", *shown]))

    def waitFor(
        self,
        condition: Callable[[], object],
        timeout: float = 5.0,
        poll_interval: float = 0.2,
        fail_on_timeout: bool = True,
        fail_msg: str | None = None,
    ) -> bool:
        """Waits until `condition()` is true; after `timeout` seconds it fails, or gives False where it shall not fail."""
        if not callable(condition):
            self.fail("waitFor wants a function as its condition")
        end = time.monotonic() + timeout
        while not condition():
            if time.monotonic() >= end:
                if fail_on_timeout:
                    self.fail(fail_msg or f"timed out after {timeout} s")
                return False
            time.sleep(min(poll_interval, max(0.0, end - time.monotonic())))
        return True

    def _each(self, a: Sequence[Any], b: Sequence[Any], check: Callable[[Any, Any], None]) -> None:
        self.assertEqual(len(a), len(b))
        for place, (x, y) in enumerate(zip(a, b)):
            try:
                check(x, y)
            except self.failureException as error:
                raise self.failureException(f"item {place}: {error}") from None


def _parts(z: complex) -> tuple[float, float]:
    z = complex(z)
    return z.real, z.imag


def _same(x: Any, y: Any) -> bool:
    equal = x == y
    return bool(equal.all()) if hasattr(equal, "all") else bool(equal)


def run(PUT: type[unittest.TestCase], filename: str | None = None, verbosity: int = 1) -> None:
    """Runs a test case as a program: prints what fails and ends with 1, or returns. `filename` means nothing."""
    suite = TestLoader().loadTestsFromTestCase(PUT)
    if not TextTestRunner(verbosity=verbosity).run(suite).wasSuccessful():
        raise SystemExit(1)
