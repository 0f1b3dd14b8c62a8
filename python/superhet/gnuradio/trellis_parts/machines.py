"""Finite state machines and interleavers of `gnuradio.trellis`."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any, Sequence


class fsm:
    """A machine of `S` states: input `i` of `I` in state `s` gives output `OS[s I + i]` of `O` and leads to `NS[s I + i]`.

    Made of nothing, of another one, of `(I, S, O, NS, OS)`, a file, a convolutional code `(k, n, generators)`, a channel
    `(modulation size, length)`, a continuous-phase modulation `(P, M, L)`, two machines side by side `(first, second)` or in a row
    `(outer, inner, serial)`, or a machine and the number of its steps in one.
    """

    def __init__(self, *given: Any) -> None:
        if not given:
            made: Any = (0, 0, 0, [], [])
        elif len(given) == 1:
            one = given[0]
            made = (one._I, one._S, one._O, one._NS, one._OS) if isinstance(one, fsm) else _read(one)
        elif len(given) == 5:
            made = given
        elif isinstance(given[0], fsm):
            made = _combined(*given)
        elif len(given) == 2:
            made = _channel(*given)
        elif len(given) == 3 and isinstance(given[2], int):
            made = _phase(*given)
        elif len(given) == 3:
            made = _convolutional(*given)
        else:
            raise TypeError(f"fsm: expected 0 to 3 or 5 arguments, got {len(given)}")
        self._I, self._S, self._O = (int(number) for number in made[:3])
        self._NS, self._OS = ([int(number) for number in table] for table in made[3:])
        edges = self._I * self._S
        if len(self._NS) != edges or len(self._OS) != edges:
            raise RuntimeError(f"fsm: expected {edges} next states and outputs, got {len(self._NS)} and {len(self._OS)}")
        if any(not 0 <= state < self._S for state in self._NS) or any(not 0 <= out < self._O for out in self._OS):
            raise RuntimeError("fsm: a next state or an output is beyond the number of them")

    def I(self) -> int:  # noqa: E743
        """How many inputs there are."""
        return self._I

    def S(self) -> int:
        """How many states there are."""
        return self._S

    def O(self) -> int:  # noqa: E743
        """How many outputs there are."""
        return self._O

    def NS(self) -> list[int]:
        """The next states."""
        return list(self._NS)

    def OS(self) -> list[int]:
        """The outputs."""
        return list(self._OS)

    def PS(self) -> list[list[int]]:
        """For each state those before it."""
        return [[edge // self._I for edge in self._edges_into(state)] for state in range(self._S)]

    def PI(self) -> list[list[int]]:
        """For each state the inputs that lead to it, in the order of `PS`."""
        return [[edge % self._I for edge in self._edges_into(state)] for state in range(self._S)]

    def _edges_into(self, state: int) -> list[int]:
        return [edge for edge, after in enumerate(self._NS) if after == state]

    def _paths(self) -> tuple[list[int], list[int]]:
        """For each pair of states the input that the shortest path between them begins with, and its length."""
        inputs = [-1] * self._S**2
        lengths = [self._S] * self._S**2
        for end in range(self._S):
            reached, length = {end}, 0
            lengths[end * self._S + end] = 0
            while reached:
                length += 1
                found = {}
                for edge, after in enumerate(self._NS):
                    pair = edge // self._I * self._S + end
                    if after in reached and lengths[pair] == self._S and edge // self._I != end:
                        found.setdefault(edge // self._I, edge % self._I)
                for state, given in found.items():
                    inputs[state * self._S + end], lengths[state * self._S + end] = given, length
                reached = set(found)
        return inputs, lengths

    def TMi(self) -> list[int]:
        """For each pair of states the input that the shortest path between them begins with; −1: none."""
        return self._paths()[0]

    def TMl(self) -> list[int]:
        """For each pair of states how long the shortest path between them is."""
        return self._paths()[1]

    def write_fsm_txt(self, filename: str) -> None:
        """Writes it to a file."""
        lines = [f"{self._I} {self._S} {self._O}", ""]
        for table in (self._NS, self._OS):
            rows = (table[at : at + self._I] for at in range(0, len(table), self._I))
            lines += [*(" ".join(map(str, row)) for row in rows), ""]
        Path(filename).write_text("\n".join(lines) + "\n")

    def __repr__(self) -> str:
        return f"fsm({self._I}, {self._S}, {self._O}, {self._NS}, {self._OS})"


def _numbers(filename: str, what: str) -> list[int]:
    try:
        return [int(word) for word in Path(filename).read_text().split() if word.lstrip("-").isdigit()]
    except OSError as error:
        raise RuntimeError(f"{what}: cannot read {filename}: {error.strerror}") from None


def _read(filename: str) -> Any:
    numbers = _numbers(filename, "fsm")
    inputs, states, outputs = numbers[:3] if len(numbers) > 2 else (0, 0, 0)
    edges = inputs * states
    return inputs, states, outputs, numbers[3 : 3 + edges], numbers[3 + edges : 3 + 2 * edges]


def _convolutional(k: int, n: int, generators: Sequence[int]) -> Any:
    """A code of `k` bits to `n`: generator `i n + j` says which of the last bits of input `i` make output `j`; more are not looked at."""
    if len(generators) < k * n:
        raise RuntimeError(f"fsm: expected {k * n} generators, got {len(generators)}")
    memory = [max(1, max(generators[i * n : (i + 1) * n])).bit_length() - 1 for i in range(k)]
    states, inputs = 1 << sum(memory), 1 << k
    after, outputs = [], []
    for state in range(states):
        for symbol in range(inputs):
            left, new, out = sum(memory), 0, 0
            for i in range(k):
                left -= memory[i]
                register = (symbol >> (k - 1 - i) & 1) << memory[i] | state >> left & ((1 << memory[i]) - 1)
                new |= (register >> 1) << left
                for j in range(n):
                    out ^= ((register & generators[i * n + j]).bit_count() & 1) << (n - 1 - j)
            after.append(new)
            outputs.append(out)
    return inputs, states, 1 << n, after, outputs


def _channel(size: int, length: int) -> Any:
    """A channel whose output depends on the last `length` symbols: the state has those before, the newest first."""
    states = size ** (length - 1)
    edges = [(state, symbol) for state in range(states) for symbol in range(size)]
    after = [(symbol * states + state) // size for state, symbol in edges]
    return size, states, size**length, after, [symbol * states + state for state, symbol in edges]


def _phase(denominator: int, size: int, length: int) -> Any:
    """A continuous-phase modulation: the state has the last symbols, the newest first, and the phase of those before."""
    words = size ** (length - 1)
    states = denominator * words
    edges = [(state, symbol) for state in range(states) for symbol in range(size)]
    after = []
    for state, symbol in edges:
        word, phase = divmod(state, denominator)
        longer = symbol * words + word
        after.append(longer // size * denominator + (phase + longer % size) % denominator)
    return size, states, states * size, after, [symbol * states + state for state, symbol in edges]


def _combined(first: fsm, second: Any, serial: bool | None = None) -> Any:
    """Two machines side by side or in a row, or several steps of one."""
    if isinstance(second, int):
        return _steps(first, second)
    after, outputs = [], []
    in_row = serial is not None
    if in_row and first._O != second._I:
        raise RuntimeError(f"fsm: the outer machine has {first._O} outputs, the inner one {second._I} inputs")
    inputs = first._I if in_row else first._I * second._I
    for state in range(first._S * second._S):
        one, two = divmod(state, second._S)
        for symbol in range(inputs):
            upper, lower = (symbol, 0) if in_row else divmod(symbol, second._I)
            edge = one * first._I + upper
            other = two * second._I + (first._OS[edge] if in_row else lower)
            after.append(first._NS[edge] * second._S + second._NS[other])
            outputs.append(second._OS[other] if in_row else first._OS[edge] * second._O + second._OS[other])
    return inputs, first._S * second._S, second._O if in_row else first._O * second._O, after, outputs


def _steps(machine: fsm, count: int) -> Any:
    after, outputs = [], []
    for start in range(machine._S):
        for symbol in range(machine._I**count):
            state, out = start, 0
            for place in reversed(range(count)):
                edge = state * machine._I + symbol // machine._I**place % machine._I
                state, out = machine._NS[edge], out * machine._O + machine._OS[edge]
            after.append(state)
            outputs.append(out)
    return machine._I**count, machine._S, machine._O**count, after, outputs


class interleaver:
    """An order of `K` items: item `k` of what comes out is item `INTER[k]` of what goes in.

    Made of nothing, of another one, of `(K, INTER)`, a file, or `(K, seed)`: at random.
    """

    def __init__(self, *given: Any) -> None:
        order: list[int]
        if not given:
            order = []
        elif len(given) == 1 and isinstance(given[0], interleaver):
            order = given[0]._order
        elif len(given) == 1:
            numbers = _numbers(given[0], "interleaver")
            order = numbers[1 : 1 + numbers[0]] if numbers else []
        elif isinstance(given[1], int):
            order = list(range(int(given[0])))
            random.Random(given[1]).shuffle(order)
        else:
            order = [int(place) for place in given[1]]
        if sorted(order) != list(range(len(order))) or (len(given) == 2 and len(order) != given[0]):
            raise RuntimeError("interleaver: expected each place from 0 to K − 1 once")
        self._order = list(order)

    def K(self) -> int:
        """How many items it is for."""
        return len(self._order)

    def INTER(self) -> list[int]:
        """Where each item comes from."""
        return list(self._order)

    def DEINTER(self) -> list[int]:
        """Where each item goes to."""
        found = [0] * len(self._order)
        for place, source in enumerate(self._order):
            found[source] = place
        return found

    def write_interleaver_txt(self, filename: str) -> None:
        """Writes it to a file."""
        Path(filename).write_text(f"{len(self._order)}\n\n{' '.join(map(str, self._order))}\n\n")
