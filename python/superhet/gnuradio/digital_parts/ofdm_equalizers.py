"""Equalizers for OFDM, as `ofdm_frame_equalizer_vcvc` takes them.

The objects say what the block is to do, and do nothing themselves.
"""

from __future__ import annotations

from typing import Any, Sequence

Carriers = Sequence[Sequence[int]]


class ofdm_equalizer_base:
    """What the equalizers share."""

    def __init__(self, fft_len: int, **settings: Any) -> None:
        self.settings: dict[str, Any] = {"fft_len": int(fft_len), **settings}
        """Parameters of the block."""

    def fft_len(self) -> int:
        """Carriers of a symbol."""
        return self.settings["fft_len"]

    def reset(self) -> None:
        """Nothing: what is known of a channel is the block's."""

    def base(self) -> "ofdm_equalizer_base":
        """The object itself."""
        return self


class ofdm_equalizer_1d_pilots(ofdm_equalizer_base):
    """What equalizers with pilots share: which carriers are in use, and which have pilots in one symbol after another."""

    def __init__(
        self,
        fft_len: int,
        occupied_carriers: Carriers,
        pilot_carriers: Carriers,
        pilot_symbols: Sequence[Sequence[complex]],
        symbols_skipped: int,
        input_is_shifted: bool,
        **settings: Any,
    ) -> None:
        super().__init__(
            fft_len,
            occupied_carriers=[list(carriers) for carriers in occupied_carriers],
            pilot_carriers=[list(carriers) for carriers in pilot_carriers],
            pilot_symbols=[[complex(symbol) for symbol in symbols] for symbols in pilot_symbols],
            symbols_skipped=int(symbols_skipped),
            input_is_shifted=bool(input_is_shifted),
            **settings,
        )


class ofdm_equalizer_static(ofdm_equalizer_1d_pilots):
    """Divides by the channel, which pilots give anew. Pilots on carriers that are not in use do not count, as in GNU Radio."""

    def __init__(
        self,
        fft_len: int,
        occupied_carriers: Carriers = (),
        pilot_carriers: Carriers = (),
        pilot_symbols: Sequence[Sequence[complex]] = (),
        symbols_skipped: int = 0,
        input_is_shifted: bool = True,
    ) -> None:
        super().__init__(
            fft_len, occupied_carriers, pilot_carriers, pilot_symbols, symbols_skipped, input_is_shifted, equalizer="static"
        )


class ofdm_equalizer_simpledfe(ofdm_equalizer_1d_pilots):
    """Divides by the channel, which pilots and decisions give anew; `alpha` is how much of it stays at each symbol.

    It gives the decisions, or with `enable_soft_output` the divided samples. Pilots on carriers that are not in use do
    not count, as in GNU Radio.
    """

    def __init__(
        self,
        fft_len: int,
        constellation: Any,
        occupied_carriers: Carriers = (),
        pilot_carriers: Carriers = (),
        pilot_symbols: Sequence[Sequence[complex]] = (),
        symbols_skipped: int = 0,
        alpha: float = 0.1,
        input_is_shifted: bool = True,
        enable_soft_output: bool = False,
    ) -> None:
        super().__init__(
            fft_len,
            occupied_carriers,
            pilot_carriers,
            pilot_symbols,
            symbols_skipped,
            input_is_shifted,
            equalizer="simpledfe",
            constellation=constellation,
            alpha=float(alpha),
            soft_output=bool(enable_soft_output),
        )
