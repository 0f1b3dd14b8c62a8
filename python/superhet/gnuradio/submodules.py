"""The modules within GNU Radio's modules, such as `gnuradio.digital.ofdm_txrx`: names of their module, by another way."""

from __future__ import annotations

import types
from typing import Any

from ._gr import endpoints
from .errors import missing
from .namespaces import PACKAGE, module

NAMES = {
    "analog.am_demod": "am_demod_cf demod_10k0a3e_cf",
    "analog.fm_demod": "fm_demod_cf demod_20k0f3e_cf demod_200kf3e_cf",
    "analog.fm_emph": "fm_deemph fm_preemph",
    "analog.nbfm_rx": "nbfm_rx",
    "analog.nbfm_tx": "nbfm_tx ctcss_gen_f",
    "analog.standard_squelch": "standard_squelch",
    "analog.wfm_rcv": "wfm_rcv",
    "analog.wfm_rcv_fmdet": "wfm_rcv_fmdet",
    "analog.wfm_rcv_pll": "wfm_rcv_pll",
    "analog.wfm_tx": "wfm_tx",
    "blocks.matrix_interleaver": "matrix_interleaver",
    "blocks.msg_meta_to_pair": "meta_to_pair",
    "blocks.msg_pair_to_var": "msg_pair_to_var",
    "blocks.stream_to_vector_decimator": "stream_to_vector_decimator",
    "blocks.var_to_msg": "var_to_msg_pair",
    "channels.amp_bal": "amp_bal",
    "channels.conj_fs_iqcorr": "conj_fs_iqcorr",
    "channels.distortion_2_gen": "distortion_2_gen",
    "channels.distortion_3_gen": "distortion_3_gen",
    "channels.impairments": "impairments",
    "channels.iqbal_gen": "iqbal_gen",
    "channels.phase_bal": "phase_bal",
    "channels.phase_noise_gen": "phase_noise_gen",
    "channels.quantizer": "quantizer",
    "digital.bpsk": "bpsk_constellation dbpsk_constellation",
    "digital.cpm": "cpm_mod",
    "digital.generic_mod_demod": "generic_mod generic_demod",
    "digital.gfsk": "gfsk_mod gfsk_demod",
    "digital.gmsk": "gmsk_mod gmsk_demod",
    "digital.ofdm_txrx": "ofdm_tx ofdm_rx",
    "digital.qamlike": "qam32_holeinside_constellation",
    "digital.qpsk": "qpsk_constellation dqpsk_constellation",
    "fec.bercurve_generator": "bercurve_generator",
    "fec.capillary_threaded_decoder": "capillary_threaded_decoder",
    "fec.capillary_threaded_encoder": "capillary_threaded_encoder",
    "fec.extended_async_encoder": "extended_async_encoder",
    "fec.extended_decoder": "extended_decoder",
    "fec.extended_encoder": "extended_encoder",
    "fec.extended_tagged_decoder": "extended_tagged_decoder",
    "fec.extended_tagged_encoder": "extended_tagged_encoder",
    "fec.fec_test": "fec_test",
    "fec.threaded_decoder": "threaded_decoder",
    "fec.threaded_encoder": "threaded_encoder",
    "fft.fft_vcc": "fft_vcc",
    "fft.fft_vfc": "fft_vfc",
    "filter.file_taps_loader": "file_taps_loader",
    "filter.filterbank": "analysis_filterbank synthesis_filterbank",
    "filter.freq_xlating_fft_filter": "freq_xlating_fft_filter_ccc",
    "filter.optfir": "low_pass band_pass complex_band_pass band_reject high_pass",
    "gr.gateway": "basic_block sync_block decim_block interp_block",
    "gr.hier_block2": "hier_block2 _multiple_endpoints _optional_endpoints",
    "gr.top_block": "top_block",
    "network.tcp_source": "tcp_source",
    "pdu.pdu_lambda": "pdu_lambda",
    "vocoder.cvsd": "cvsd_encode_fb cvsd_decode_bf",
}
"""What each of them holds, as GNU Radio 3.10 has it."""


class _Submodule(types.ModuleType):
    """A module whose names are looked up in the one that it is in, when somebody asks for them."""

    def __getattr__(self, name: str) -> Any:
        short = self.__name__.removeprefix(f"{PACKAGE}.")
        known = NAMES[short].split()
        if name not in known:
            if name.startswith("__"):
                raise AttributeError(name)
            raise missing("name", f"{short}.{name}", known)
        found = _find(short, name)
        setattr(self, name, found)
        return found

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *NAMES[self.__name__.removeprefix(f"{PACKAGE}.")].split()})


def _find(short: str, name: str) -> Any:
    if name.startswith("_"):
        return getattr(endpoints, name.removeprefix("_"))
    above, _, own = short.partition(".")
    if own == "optfir":
        return getattr(module(above).optfir, name)
    return getattr(module(above), name)


def modules() -> dict[str, types.ModuleType]:
    """Each of them by the name that it is imported by."""
    return {
        f"{PACKAGE}.{short}": _Submodule(f"{PACKAGE}.{short}", f"GNU Radio's module {short}, by superhet.") for short in NAMES
    }
