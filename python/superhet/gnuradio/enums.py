"""Types of named numbers, by module: `digital.ted_type`, `analog.gr_waveform_t` and so on."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

_LISTS = {
    "analog.gr_waveform_t": "GR_CONST_WAVE=100 GR_SIN_WAVE=101 GR_COS_WAVE=102 GR_SQR_WAVE=103 GR_TRI_WAVE=104 GR_SAW_WAVE=105",
    "analog.noise_type_t": "GR_UNIFORM=200 GR_GAUSSIAN=201 GR_LAPLACIAN=202 GR_IMPULSE=203",
    "blocks.gr_file_types": "GR_FILE_BYTE=0 GR_FILE_CHAR=0 GR_FILE_SHORT=1 GR_FILE_INT=2 GR_FILE_LONG=3 GR_FILE_LONG_LONG=4 "
    "GR_FILE_FLOAT=5 GR_FILE_DOUBLE=6",
    "blocks.message_strobe_random_distribution_t": "STROBE_POISSON=1 STROBE_GAUSSIAN=2 STROBE_UNIFORM=3 STROBE_EXPONENTIAL=4",
    "blocks.wavfile_format_t": "FORMAT_WAV=65536 FORMAT_FLAC=1507328 FORMAT_OGG=2097152 FORMAT_RF64=2228224",
    "blocks.wavfile_subformat_t": "FORMAT_PCM_S8=1 FORMAT_PCM_16=2 FORMAT_PCM_24=3 FORMAT_PCM_32=4 FORMAT_PCM_U8=5 FORMAT_FLOAT=6 "
    "FORMAT_DOUBLE=7 FORMAT_VORBIS=96 FORMAT_OPUS=100",
    "digital.diff_coding_type": "DIFF_DIFFERENTIAL=0 DIFF_NRZI=1",
    "digital.ir_type": "IR_NONE=-1 IR_MMSE_8TAP=0 IR_PFB_NO_MF=1 IR_PFB_MF=2",
    "digital.snr_est_type_t": "SNR_EST_SIMPLE=0 SNR_EST_SKEW=1 SNR_EST_M2M4=2 SNR_EST_SVR=3",
    "digital.ted_type": "TED_NONE=-1 TED_MUELLER_AND_MULLER=0 TED_MOD_MUELLER_AND_MULLER=1 TED_ZERO_CROSSING=2 TED_GARDNER=4 "
    "TED_EARLY_LATE=5 TED_DANDREA_AND_MENGALI_GEN_MSK=6 TED_SIGNAL_TIMES_SLOPE_ML=7 TED_SIGNUM_TIMES_SLOPE_ML=8 "
    "TED_MENGALI_AND_DANDREA_GMSK=9",
    "digital.tm_type": "THRESHOLD_DYNAMIC=0 THRESHOLD_ABSOLUTE=1",
    "pdu.early_pdu_behavior_t": "EARLY_BURST_APPEND=0 EARLY_BURST_DROP=1 EARLY_BURST_BALK=2",
}


def _enumeration(name: str, text: str) -> Any:
    members = [(word.split("=")[0], int(word.split("=")[1])) for word in text.split()]
    return IntEnum(name, members, module="gnuradio")


TYPES: dict[str, dict[str, Any]] = {}
"""The types, by module and name."""

for _full, _text in _LISTS.items():
    _module, _, _name = _full.partition(".")
    TYPES.setdefault(_module, {})[_name] = _enumeration(_name, _text)
