"""The modules of `gnuradio.fec.polar`: how good the bits of a polar code are, and a coder and a decoder for trying codes out.

E. Arıkan, "Channel polarization", 2009: capacities in section I, coding by x = u · B · F⊗ⁿ in section VII, successive cancellation in VIII.
"""

from __future__ import annotations

import math
import types
from typing import Any, Sequence

from . import polar

HELPERS = "bhattacharyya_parameter bit_reverse bit_reverse_vector bsc_channel get_Bn get_Fn get_Gn is_power_of_two mutual_information"
HELPERS += " pack_byte power_of_2_int unpack_byte"


# Numbers, and channels as tables of probabilities.


def is_power_of_two(num: int) -> bool:
    """Whether it is one of 1, 2, 4 and so on."""
    return isinstance(num, int) and num > 0 and num & (num - 1) == 0


def power_of_2_int(num: int) -> int:
    """The power of two that gives a number."""
    return int(math.log2(num))


def bit_reverse(value: int, n: int) -> int:
    """The lowest `n` bits in the opposite order."""
    return int(f"{int(value):0{n}b}"[::-1], 2)


def bit_reverse_vector(vec: Any, n: int) -> Any:
    """Each of several numbers with its lowest `n` bits in the opposite order."""
    import numpy

    return numpy.array([bit_reverse(value, n) for value in vec], dtype=numpy.asarray(vec).dtype)


def unpack_byte(byte: Any, nactive: int) -> Any:
    """The lowest bits of a byte, the highest first."""
    import numpy

    return numpy.unpackbits(numpy.asarray(byte, "u1"))[8 - nactive :]


def pack_byte(bits: Any) -> int:
    """The number of up to eight bits, the highest first."""
    if len(bits) > 8:
        raise ValueError(f"pack_byte: expected up to 8 bits, got {len(bits)}")
    return int("".join(str(int(bit)) for bit in bits) or "0", 2)


def get_Fn(n: int) -> Any:  # noqa: N802
    """The n-th part of a code's matrix: 1 0, 1 1, as often over itself as `n` is a power of two."""
    import numpy

    if not is_power_of_two(int(n)):
        raise ValueError(f"get_Fn: expected a power of two, got {n}")
    found = numpy.array([[1]])
    while len(found) < n:
        found = numpy.kron(found, numpy.array([[1, 0], [1, 1]]))
    return found


def get_Bn(n: int) -> Any:  # noqa: N802
    """The matrix that puts places in the order of their bits turned round."""
    import numpy

    places = [bit_reverse(place, power_of_2_int(n)) if n > 1 else 0 for place in range(n)]
    return numpy.eye(n, dtype=int)[places]


def get_Gn(n: int) -> Any:  # noqa: N802
    """The matrix of a code of `n` bits."""
    return get_Bn(n) @ get_Fn(n)


def bsc_channel(p: float) -> Any:
    """A channel that turns a bit over with probability `p`: rows are what comes, columns what was sent."""
    import numpy

    return numpy.array([[1 - p, p], [p, 1 - p]])


def bec_channel(eta: float) -> Any:
    """A channel that loses a bit with probability `eta`: the chances that 0, nothing and 1 come as they were sent."""
    import numpy

    return numpy.array([1 - eta, eta, 1 - eta])


def mutual_information(w: Any) -> float:
    """What an output says of an input that is as often 0 as 1, in bits."""
    import numpy

    w = numpy.asarray(w, float)
    means = w.mean(axis=0)
    with numpy.errstate(divide="ignore", invalid="ignore"):
        parts = numpy.where(w > 0, w * numpy.log2(w / means), 0)
    return float(parts.sum() / 2)


def bhattacharyya_parameter(w: Any) -> float:
    """The bound for the chance of a wrong decision."""
    import numpy

    w = numpy.asarray(w, float)
    return float(numpy.sqrt(w[0] * w[1]).sum())


# Which bits are good.


def bhattacharyya_bounds(design_snr: float, block_size: int) -> Any:
    """The bound for each bit, in the order in which they are decoded; `design_snr` in dB."""
    import numpy

    return numpy.array(polar.bhattacharyya_bounds(design_snr, block_size))


def design_snr_to_bec_eta(design_snr: float) -> float:
    """The chance of a loss for a ratio of signal to noise, in dB."""
    return math.exp(-(10 ** (design_snr / 10)))


def calculate_bec_channel_capacities(eta: float, block_size: int) -> Any:
    """The capacity of each bit where bits are lost with probability `eta`."""
    import numpy

    found = [1 - eta]
    while len(found) < block_size:
        found = [value for one in found for value in (one * one, 2 * one - one * one)]
    return numpy.array(found)


def calculate_bec_channel_z_parameters(eta: float, block_size: int) -> Any:
    """The bound for each bit where bits are lost with probability `eta`: what its capacity lacks to 1."""
    return 1 - calculate_bec_channel_capacities(eta, block_size)


def get_frozen_bit_indices_from_capacities(chan_caps: Any, nfrozen: int) -> Any:
    """The places of the bits with the least capacity, in order."""
    import numpy

    return numpy.sort(numpy.argsort(numpy.asarray(chan_caps), kind="stable")[:nfrozen])


def get_frozen_bit_indices_from_z_parameters(z_params: Any, nfrozen: int) -> Any:
    """The places of the bits with the greatest bounds, in order."""
    import numpy

    return get_frozen_bit_indices_from_capacities(-numpy.asarray(z_params), nfrozen)


def get_bec_frozen_indices(nblock: int, kfrozen: int, eta: float) -> Any:
    """The places of the `kfrozen` bits with the least capacity where bits are lost with probability `eta`."""
    return get_frozen_bit_indices_from_capacities(calculate_bec_channel_capacities(eta, nblock), kfrozen)


def get_frozen_bit_mask(frozen_indices: Any, block_size: int) -> Any:
    """1 at the frozen places, 0 elsewhere."""
    import numpy

    found = numpy.zeros(block_size, "u1")
    found[list(frozen_indices)] = 1
    return found


def frozen_bit_positions(block_size: int, info_size: int, design_snr: float = 0.0) -> Any:
    """The places of the bits that are frozen where `info_size` of `block_size` bits carry information."""
    if not is_power_of_two(int(block_size)) or not 0 <= info_size <= block_size:
        raise ValueError(f"frozen_bit_positions: expected a power of two and up to so many bits, got {block_size} and {info_size}")
    return get_bec_frozen_indices(block_size, block_size - info_size, design_snr_to_bec_eta(design_snr))


# Coding.


class PolarCommon:
    """A code of `n` bits, `k` of them with information; `frozen_bit_position` are the places of the others, whose values are `frozenbits`."""

    def __init__(self, n: int, k: int, frozen_bit_position: Sequence[int], frozenbits: Sequence[int] | None = None) -> None:
        import numpy

        if not is_power_of_two(int(n)):
            raise ValueError(f"{type(self).__name__}: expected a power of two for n, got {n}")
        if len(frozen_bit_position) + k != n:
            raise ValueError(f"{type(self).__name__}: expected n − k = {n - k} frozen places, got {len(frozen_bit_position)}")
        self.N, self.power, self.K = int(n), power_of_2_int(n), int(k)
        self.frozen_bit_position = numpy.sort(numpy.asarray(frozen_bit_position, int))
        frozenbits = numpy.zeros(n - k, int) if frozenbits is None else numpy.asarray(frozenbits, int)
        if len(frozenbits) != n - k:
            raise ValueError(f"{type(self).__name__}: expected the values of {n - k} frozen bits, got {len(frozenbits)}")
        self.frozenbits = frozenbits
        self.info_bit_position = numpy.delete(numpy.arange(n), self.frozen_bit_position)
        self._order = bit_reverse_vector(numpy.arange(n), self.power) if n > 1 else numpy.zeros(1, int)

    def info_print(self) -> None:
        """Prints what the code is."""
        print(f"POLAR code ({self.N}, {self.K})\nfrozen bits {self.frozenbits} at {self.frozen_bit_position}")

    def _with_frozen(self, bits: Any) -> Any:
        import numpy

        found = numpy.empty(self.N, int)
        found[self.frozen_bit_position], found[self.info_bit_position] = self.frozenbits, bits
        return found

    def _transformed(self, u: Any) -> Any:
        """u · F⊗ⁿ over bits."""
        found, step = u.copy(), 1
        while step < self.N:
            pairs = found.reshape(-1, 2, step)
            pairs[:, 0] ^= pairs[:, 1]
            step *= 2
        return found

    def _bits(self, data: Any, is_packed: bool) -> Any:
        import numpy

        bits = numpy.unpackbits(numpy.asarray(data, "u1")) if is_packed else numpy.asarray(data)
        if bits.ndim != 1 or not numpy.isin(bits, (0, 1)).all():
            raise ValueError(f"{type(self).__name__}: expected bits 0 and 1")
        return bits.astype(int)


class PolarEncoder(PolarCommon):
    """Encodes `k` bits at a time."""

    def get_gn(self) -> Any:
        """The matrix of the code."""
        return get_Gn(self.N)

    def encode(self, data: Any, is_packed: bool = False) -> Any:
        """The code word of `k` bits; of packed bits, the highest first, as packed ones."""
        import numpy

        bits = self._bits(data, is_packed)
        if len(bits) != self.K:
            raise ValueError(f"PolarEncoder: expected {self.K} bits, got {len(bits)}")
        # The order of places and the transform may be exchanged.
        found = self._transformed(self._with_frozen(bits)[self._order]).astype("u1")
        return numpy.packbits(found) if is_packed else found

    def encode_systematic(self, data: Any) -> Any:
        """A code word that has the bits themselves at the places with information, turned round."""
        bits = self._bits(data, False)
        if len(bits) != self.K:
            raise ValueError(f"PolarEncoder: expected {self.K} bits, got {len(bits)}")
        once = self._transformed(self._with_frozen(bits)[self._order])
        u = self._with_frozen(once[self._order][self.info_bit_position])
        return self._transformed(u[self._order]).astype("u1")


class PolarDecoder(PolarCommon):
    """Decodes bits of a channel without errors or with some, by successive cancellation."""

    def decode(self, data: Any, is_packed: bool = False) -> Any:
        """The `k` bits of a code word of bits."""
        import numpy

        bits = self._bits(data, is_packed)
        if len(bits) != self.N:
            raise ValueError(f"PolarDecoder: expected {self.N} bits, got {len(bits)}")
        values = dict(zip(self.frozen_bit_position.tolist(), self.frozenbits.tolist()))
        # Ratios of a channel that turns one bit of ten over, as logarithms.
        u = self._cancelled((1.0 - 2.0 * bits[self._order]) * math.log(9), 0, values)[0]
        found = numpy.array(u)[self.info_bit_position].astype("u1")
        return numpy.packbits(found) if is_packed else found

    def decode_systematic(self, data: Any) -> Any:
        """The bits of a systematic code word."""
        import numpy

        u = self._with_frozen(self.decode(data).astype(int))
        return self._transformed(u)[self.info_bit_position].astype(numpy.uint8)

    def _cancelled(self, ratios: Any, first: int, values: dict[int, int]) -> tuple[list[int], Any]:
        """The bits from place `first` on, and their code word."""
        import numpy

        if len(ratios) == 1:
            bit = values.get(first, int(ratios[0] < 0))
            return [bit], numpy.array([bit])
        half = len(ratios) // 2
        a, b = ratios[:half], ratios[half:]
        left, word = self._cancelled(2 * numpy.arctanh(numpy.clip(numpy.tanh(a / 2) * numpy.tanh(b / 2), -1 + 1e-12, 1 - 1e-12)), first, values)
        right, other = self._cancelled(b + (1 - 2 * word) * a, first + half, values)
        return left + right, numpy.concatenate([word ^ other, other])


CONSTRUCTION = (
    "bhattacharyya_bounds calculate_bec_channel_capacities design_snr_to_bec_eta frozen_bit_positions get_bec_frozen_indices "
    "get_frozen_bit_indices_from_capacities get_frozen_bit_indices_from_z_parameters get_frozen_bit_mask"
)
ERASURES = (
    "bec_channel bhattacharyya_bounds calculate_bec_channel_capacities calculate_bec_channel_z_parameters design_snr_to_bec_eta"
)
MODULES = {
    "channel_construction": CONSTRUCTION,
    "channel_construction_bec": ERASURES,
    "common": "PolarCommon bit_reverse_vector is_power_of_two",
    "decoder": "PolarCommon PolarDecoder PolarEncoder",
    "encoder": "PolarCommon PolarEncoder",
    "helper_functions": HELPERS,
}
"""By name, what each has."""


def modules(package: str) -> dict[str, types.ModuleType]:
    """The modules by their whole names."""
    found = {}
    for name, names in MODULES.items():
        made = types.ModuleType(f"{package}.{name}", f"GNU Radio's module fec.polar.{name}, by superhet.")
        vars(made).update({known: globals()[known] for known in names.split()})
        found[made.__name__] = made
        setattr(polar, name, made)
    return found
