"""The parts of `gnuradio.digital` that need no running flowgraph: constellations, codes, helpers for packets."""

from typing import Callable as _Callable

from . import alignment, lfsr, mod_codes, modulation_utils, packet_utils, tagged_streams
from .constellation import (
    constellation,
    constellation_8psk,
    constellation_8psk_natural,
    constellation_16qam,
    constellation_bpsk,
    constellation_calcdist,
    constellation_dqpsk,
    constellation_expl_rect,
    constellation_psk,
    constellation_qpsk,
    constellation_rect,
    constellation_sector,
    trellis_metric_type_t,
)
from .constellation import constellation as _constellation
from .gray_code import gray_code
from .maps import MAPS as _MAPS
from .maps import constellation_map_generator, qam32_holeinside_constellation
from .soft_dec import calc_soft_dec, calc_soft_dec_from_table, soft_dec_table, soft_dec_table_generator
from .makers import (
    bpsk_constellation,
    create_encodings,
    dbpsk_constellation,
    dqpsk_constellation,
    find_closest_point,
    get_bit,
    get_bits,
    is_power_of_four,
    large_ampls_to_corners_mapping,
    make_differential_constellation,
    make_non_differential_constellation,
    psk_constellation,
    qam_constellation,
    qpsk_constellation,
)

TRELLIS_EUCLIDEAN = trellis_metric_type_t.TRELLIS_EUCLIDEAN
TRELLIS_HARD_SYMBOL = trellis_metric_type_t.TRELLIS_HARD_SYMBOL
TRELLIS_HARD_BIT = trellis_metric_type_t.TRELLIS_HARD_BIT

_MAKERS: dict[str, _Callable[..., _constellation]] = {
    "psk": psk_constellation,
    "qam": qam_constellation,
    "bpsk": bpsk_constellation,
    "dbpsk": dbpsk_constellation,
    "qpsk": qpsk_constellation,
    "dqpsk": dqpsk_constellation,
}
for _name, _make in _MAKERS.items():
    modulation_utils.add_type_1_constellation(_name, _make)

globals().update(_MAPS)

__all__ = [name for name in dir() if name[0] != "_"]
