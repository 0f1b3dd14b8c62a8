"""The parts of `gnuradio.digital` that need no running flowgraph: constellations, codes, helpers for packets.

`MODULES` has the modules that GNU Radio has in `digital`, by name.
"""

from enum import IntEnum as _IntEnum
from types import ModuleType as _ModuleType
from typing import Callable as _Callable

from . import maps as _maps
from . import modulation_utils, packet_utils, psk, qam, soft_dec_lut_gen, utils
from .adaptive_algorithms import (
    adaptive_algorithm,
    adaptive_algorithm_cma,
    adaptive_algorithm_lms,
    adaptive_algorithm_nlms,
    adaptive_algorithm_t,
)
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
from .maps import constellation_map_generator, qam32_holeinside_constellation
from .ofdm_equalizers import (
    ofdm_equalizer_1d_pilots,
    ofdm_equalizer_base,
    ofdm_equalizer_simpledfe,
    ofdm_equalizer_static,
)
from .packet_headers import packet_header_default, packet_header_ofdm
from .psk import (
    bpsk_constellation,
    create_encodings,
    dbpsk_constellation,
    dqpsk_constellation,
    psk_constellation,
    qpsk_constellation,
)
from .qam import (
    find_closest_point,
    get_bit,
    get_bits,
    is_power_of_four,
    large_ampls_to_corners_mapping,
    make_differential_constellation,
    make_non_differential_constellation,
    qam_constellation,
)
from .shift_register import lfsr
from .soft_dec_lut_gen import (
    calc_soft_dec,
    calc_soft_dec_from_table,
    soft_dec_table,
    soft_dec_table_generator,
)
from .utils import mod_codes
from .utils.gray_code import gray_code

TRELLIS_EUCLIDEAN = trellis_metric_type_t.TRELLIS_EUCLIDEAN
TRELLIS_HARD_SYMBOL = trellis_metric_type_t.TRELLIS_HARD_SYMBOL
TRELLIS_HARD_BIT = trellis_metric_type_t.TRELLIS_HARD_BIT

class evm_measurement_t(_IntEnum):
    """What `meas_evm_cc` measures in."""

    EVM_PERCENT = 0
    EVM_DB = 1


EVM_PERCENT = evm_measurement_t.EVM_PERCENT
EVM_DB = evm_measurement_t.EVM_DB
evm_measurement_t_EVM_PERCENT, evm_measurement_t_EVM_DB = EVM_PERCENT, EVM_DB

globals().update(_maps.MAPS | _maps.SOFT)

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

MODULES: dict[str, _ModuleType] = {
    "mod_codes": mod_codes,
    "modulation_utils": modulation_utils,
    "packet_utils": packet_utils,
    "psk": psk,
    "psk_constellations": _maps,
    "qam": qam,
    "qam_constellations": _maps,
    "soft_dec_lut_gen": soft_dec_lut_gen,
    "utils": utils,
    **{f"utils.{_name}": getattr(utils, _name) for _name in utils.__all__},
}
psk_constellations = qam_constellations = _maps

__all__ = [name for name in dir() if name[0] != "_" and name != "MODULES"]
