"""Reed-Solomon codes over fields of 2ⁿ elements, in arrays of many words."""

from __future__ import annotations

from typing import Any


class Field:
    """The finite field of 2ⁿ elements of a polynomial of degree n."""

    def __init__(self, polynomial: int) -> None:
        self.size = 1 << (polynomial.bit_length() - 1)
        self.powers, self.logs, element = [0] * (2 * self.size - 2), [0] * self.size, 1
        for power in range(self.size - 1):
            self.powers[power] = self.powers[power + self.size - 1] = element
            self.logs[element] = power
            element <<= 1
            if element & self.size:
                element ^= polynomial

    def times(self, a: int, b: int) -> int:
        """A product."""
        return self.powers[self.logs[a] + self.logs[b]] if a and b else 0

    def power(self, exponent: int) -> int:
        """A power of the first element."""
        return self.powers[exponent % (self.size - 1)]

    def over(self, a: int, b: int) -> int:
        """A quotient; `b` is not 0."""
        return self.powers[(self.logs[a] - self.logs[b]) % (self.size - 1)] if a else 0

    def generator(self, checks: int, first: int = 0) -> list[int]:
        """The polynomial whose zeros are `checks` powers from the `first` on, the highest coefficient first."""
        found = [1]
        for power in range(first, first + checks):
            longer = [*found, 0]
            for place, coefficient in enumerate(found):
                longer[place + 1] ^= self.times(coefficient, self.power(power))
            found = longer
        return found


class Code:
    """A shortened code: `length` symbols of data, then the check symbols of a generator with zeros from the power `first` on."""

    def __init__(self, polynomial: int, length: int, checks: int, first: int = 0) -> None:
        import numpy

        self.field = field = Field(polynomial)
        self.length, self.checks, self.first = length, checks, first
        if not 0 < length <= field.size - 1 - checks:
            raise RuntimeError(f"a code over {field.size} elements with {checks} check symbols has 1 to {field.size - 1 - checks} others")
        generator = field.generator(checks, first)
        # The check symbols are linear in the data: for each place and value what they are.
        table = numpy.zeros((length, field.size, checks), "u1")
        remainder = generator[1:]
        for place in reversed(range(length)):
            for value in range(field.size):
                table[place, value] = [field.times(value, c) for c in remainder]
            lead = remainder[0]
            remainder = [low ^ field.times(lead, c) for low, c in zip([*remainder[1:], 0], generator[1:])]
        self._table = table

    def check(self, words: Any) -> Any:
        """The check symbols of words of data, a row each."""
        import numpy

        found = numpy.zeros((len(words), self.checks), "u1")
        for place in range(self.length):
            found ^= self._table[place, words[:, place]]
        return found

    def encode(self, words: Any) -> Any:
        """Words with their check symbols."""
        import numpy

        return numpy.hstack([words, self.check(words)])

    def decode(self, words: Any) -> tuple[Any, list[int]]:
        """The data of words, and how many symbols were wrong in each, -1 where there were too many."""
        data = words[:, : self.length].copy()
        wrong = self.check(data) != words[:, self.length :]
        counts = [0] * len(words)
        for row in wrong.any(1).nonzero()[0].tolist():
            counts[row], corrected = self._corrected(words[row].tolist())
            data[row] = corrected[: self.length]
        return data, counts

    def _corrected(self, word: list[int]) -> tuple[int, list[int]]:
        """A word by the algorithms of Berlekamp and Massey, and of Forney."""
        field, total = self.field, len(word)
        syndromes = []
        for power in range(self.first, self.first + self.checks):
            value = 0
            for symbol in word:
                value = field.times(value, field.power(power)) ^ symbol
            syndromes.append(value)
        locator, before, length, gap, last = [1], [1], 0, 1, 1
        for step, syndrome in enumerate(syndromes):
            discrepancy = syndrome
            for at in range(1, min(length, len(locator) - 1) + 1):
                discrepancy ^= field.times(locator[at], syndromes[step - at])
            if not discrepancy:
                gap += 1
                continue
            factor = field.over(discrepancy, last)
            shifted = [0] * gap + [field.times(factor, c) for c in before]
            longer = max(len(locator), len(shifted))
            new = [(locator[at] if at < len(locator) else 0) ^ (shifted[at] if at < len(shifted) else 0) for at in range(longer)]
            if 2 * length <= step:
                before, last, length, gap = locator, discrepancy, step + 1 - length, 1
            else:
                gap += 1
            locator = new
        places = [at for at in range(total) if not self._at(locator, -(total - 1 - at))]
        if length == 0 or len(places) != length or 2 * length > self.checks:
            return -1, word
        evaluator = [0] * self.checks
        for high, syndrome in enumerate(syndromes):
            for low, coefficient in enumerate(locator[: self.checks - high]):
                evaluator[high + low] ^= field.times(syndrome, coefficient)
        slope = [c if at % 2 == 0 else 0 for at, c in enumerate(locator[1:])]
        fixed = list(word)
        for at in places:
            power = total - 1 - at
            value = field.over(self._at(evaluator, -power), self._at(slope, -power))
            fixed[at] ^= field.times(value, field.power(power * (1 - self.first)))
        return length, fixed

    def _at(self, polynomial: list[int], power: int) -> int:
        """The value of a polynomial, the lowest coefficient first, at a power of the first element."""
        value = 0
        for at, coefficient in enumerate(polynomial):
            if coefficient:
                value ^= self.field.times(coefficient, self.field.power(power * at))
        return value
