"""The blocks of the library, a class each. Written by `python -m superhet._stubs`."""

from typing import Any, Literal, Sequence

from superhet.arrays import vector_sink as vector_sink, vector_source as vector_source
from superhet.graph import LibraryBlock

class abs(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['f32', 'i32', 'i16'] = 'f32',
        name: str | None = None,
    ) -> None: ...

class add(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'i32', 'i16'] = 'C32',
        inputs: int = 2,
        name: str | None = None,
    ) -> None: ...

class add_const(LibraryBlock):
    def __init__(
        self,
        *,
        constant: complex,
        item: Literal['C32', 'f32', 'i32', 'i16', 'u8'] = 'C32',
        constant_imag: float = 0.0,
        name: str | None = None,
    ) -> None: ...

class add_const_pdu(LibraryBlock):
    def __init__(
        self,
        *,
        constant: complex,
        item: Literal['C32', 'f32'] = 'C32',
        constant_imag: float = 0.0,
        name: str | None = None,
    ) -> None: ...

class add_const_vector(LibraryBlock):
    def __init__(
        self,
        *,
        constants: Sequence[complex],
        item: Literal['C32', 'f32', 'i32', 'i16', 'u8'] = 'C32',
        name: str | None = None,
    ) -> None: ...

class add_system_time(LibraryBlock):
    def __init__(
        self,
        *,
        key: str = 'systime',
        name: str | None = None,
    ) -> None: ...

class additive_scrambler(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['u8', 'i16', 'i32'] = 'u8',
        mask: int = 138,
        seed: int = 127,
        length: int = 7,
        reset_every: int = 0,
        bits_per_item: int = 1,
        reset_tag: str = '',
        name: str | None = None,
    ) -> None: ...

class adsb_demod(LibraryBlock):
    def __init__(
        self,
        *,
        rate_hz: float = 2000000,
        repair: bool = True,
        receiver_deg: Sequence[complex] = [],
        name: str | None = None,
    ) -> None: ...

class adsb_print(LibraryBlock):
    def __init__(
        self,
        *,
        style: Literal['text', 'json'] = 'text',
        name: str | None = None,
    ) -> None: ...

class adsb_receiver(LibraryBlock):
    def __init__(
        self,
        *,
        rate_hz: float = 2000000,
        repair: bool = True,
        receiver_deg: Sequence[complex] = [],
        name: str | None = None,
    ) -> None: ...

class afsk_demod(LibraryBlock):
    def __init__(
        self,
        *,
        rate_hz: float,
        symbol_rate_hz: float,
        mark_hz: float,
        space_hz: float,
        name: str | None = None,
    ) -> None: ...

class agc(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32'] = 'C32',
        rate: float = 0.0001,
        reference: float = 1.0,
        gain: float = 1.0,
        max_gain: float = 65536.0,
        name: str | None = None,
    ) -> None: ...

class agc2(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32'] = 'C32',
        attack_rate: float = 0.1,
        decay_rate: float = 0.01,
        reference: float = 1.0,
        gain: float = 1.0,
        max_gain: float = 65536.0,
        name: str | None = None,
    ) -> None: ...

class agc3(LibraryBlock):
    def __init__(
        self,
        *,
        attack_rate: float = 0.1,
        decay_rate: float = 0.01,
        reference: float = 1.0,
        gain: float = 1.0,
        max_gain: float = 65536.0,
        update_decimation: int = 1,
        name: str | None = None,
    ) -> None: ...

class alaw_decode(LibraryBlock):
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class alaw_encode(LibraryBlock):
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class am_demod(LibraryBlock):
    def __init__(
        self,
        *,
        rate_hz: float,
        corner_hz: float = 20.0,
        name: str | None = None,
    ) -> None: ...

class and_(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['u8', 'i32', 'i16'] = 'u8',
        inputs: int = 2,
        name: str | None = None,
    ) -> None: ...

class and_const(LibraryBlock):
    def __init__(
        self,
        *,
        constant: int,
        item: Literal['u8', 'i32', 'i16'] = 'u8',
        name: str | None = None,
    ) -> None: ...

class argmax(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['f32', 'i32', 'i16'] = 'f32',
        inputs: int = 2,
        length: int = 1,
        name: str | None = None,
    ) -> None: ...

class ber(LibraryBlock):
    def __init__(
        self,
        *,
        bytes_per_output: int = 1024,
        test_mode: bool = False,
        min_errors: int = 100,
        limit: float = -7.0,
        name: str | None = None,
    ) -> None: ...

class binary_slicer(LibraryBlock):
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class block_interleaver(LibraryBlock):
    def __init__(
        self,
        *,
        indices: Sequence[complex],
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        reverse: bool = False,
        packed: bool = False,
        name: str | None = None,
    ) -> None: ...

class burst_shaper(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32'] = 'C32',
        window: Sequence[complex] = [],
        pre_padding: int = 0,
        post_padding: int = 0,
        insert_phasing: bool = False,
        length_tag: str = 'packet_len',
        resync: bool = False,
        name: str | None = None,
    ) -> None: ...

class burst_tagger(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32'] = 'C32',
        key: str = 'burst',
        threshold: float = 0.1,
        threshold_off: float = 0.0,
        min_length: int = 1,
        hold: int = 1,
        name: str | None = None,
    ) -> None: ...

class c32_to_cs16(LibraryBlock):
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class c32_to_cs8(LibraryBlock):
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class c32_to_cu8(LibraryBlock):
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class channel_model(LibraryBlock):
    def __init__(
        self,
        *,
        noise_voltage: float = 0.0,
        frequency_offset: float = 0.0,
        epsilon: float = 1.0,
        taps: Sequence[complex] = [1.0],
        seed: int = 0,
        block_tags: bool = False,
        name: str | None = None,
    ) -> None: ...

class channelizer(LibraryBlock):
    def __init__(
        self,
        *,
        channels: int,
        taps: Sequence[complex],
        name: str | None = None,
    ) -> None: ...

class char_to_float(LibraryBlock):
    def __init__(
        self,
        *,
        scale: float = 128.0,
        name: str | None = None,
    ) -> None: ...

class char_to_short(LibraryBlock):
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class chunks_to_symbols(LibraryBlock):
    def __init__(
        self,
        *,
        symbols: Sequence[complex],
        item: Literal['u8', 'i16', 'i32'] = 'u8',
        output_item: Literal['C32', 'f32'] = 'C32',
        dimension: int = 1,
        table_tag: str = '',
        name: str | None = None,
    ) -> None: ...

class clock_recovery_mm(LibraryBlock):
    def __init__(
        self,
        *,
        samples_per_symbol: float,
        item: Literal['C32', 'f32'] = 'C32',
        gain_omega: float = 0.0076,
        mu: float = 0.5,
        gain_mu: float = 0.175,
        relative_limit: float = 0.005,
        name: str | None = None,
    ) -> None: ...

class complex_to_arg(LibraryBlock):
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class complex_to_float(LibraryBlock):
    def __init__(
        self,
        *,
        outputs: int = 2,
        name: str | None = None,
    ) -> None: ...

class complex_to_imag(LibraryBlock):
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class complex_to_interleaved_char(LibraryBlock):
    def __init__(
        self,
        *,
        scale: float = 128.0,
        name: str | None = None,
    ) -> None: ...

class complex_to_interleaved_short(LibraryBlock):
    def __init__(
        self,
        *,
        scale: float = 32768.0,
        name: str | None = None,
    ) -> None: ...

class complex_to_mag(LibraryBlock):
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class complex_to_mag_squared(LibraryBlock):
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class complex_to_magphase(LibraryBlock):
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class complex_to_real(LibraryBlock):
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class conjugate(LibraryBlock):
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class constellation_decoder(LibraryBlock):
    def __init__(
        self,
        *,
        constellation: Any,
        name: str | None = None,
    ) -> None: ...

class constellation_encoder(LibraryBlock):
    def __init__(
        self,
        *,
        constellation: Any,
        name: str | None = None,
    ) -> None: ...

class constellation_receiver(LibraryBlock):
    def __init__(
        self,
        *,
        constellation: Any,
        bandwidth_rad: float,
        min_freq_rad: float = -0.25,
        max_freq_rad: float = 0.25,
        name: str | None = None,
    ) -> None: ...

class constellation_soft_decoder(LibraryBlock):
    def __init__(
        self,
        *,
        constellation: Any,
        name: str | None = None,
    ) -> None: ...

class copy(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        name: str | None = None,
    ) -> None: ...

class correlate_access_code(LibraryBlock):
    def __init__(
        self,
        *,
        access_code: str,
        threshold: int = 0,
        name: str | None = None,
    ) -> None: ...

class correlate_access_code_tag(LibraryBlock):
    def __init__(
        self,
        *,
        access_code: str,
        item: Literal['u8', 'f32'] = 'u8',
        threshold: int = 0,
        tag: str = 'sync',
        name: str | None = None,
    ) -> None: ...

class correlate_access_code_ts(LibraryBlock):
    def __init__(
        self,
        *,
        access_code: str,
        item: Literal['u8', 'f32'] = 'u8',
        threshold: int = 0,
        length_tag: str = 'packet_len',
        name: str | None = None,
    ) -> None: ...

class costas_loop(LibraryBlock):
    def __init__(
        self,
        *,
        bandwidth_rad: float,
        order: int = 4,
        use_snr: bool = False,
        name: str | None = None,
    ) -> None: ...

class cpfsk(LibraryBlock):
    def __init__(
        self,
        *,
        modulation_index: float = 0.5,
        amplitude: float = 1.0,
        samples_per_symbol: int = 8,
        name: str | None = None,
    ) -> None: ...

class crc16_append(LibraryBlock):
    def __init__(
        self,
        *,
        algorithm: Literal['ibm_3740', 'ibm_sdlc', 'xmodem', 'kermit', 'modbus'] = 'ibm_3740',
        byte_order: Literal['little', 'big'] = 'big',
        length_tag: str = 'packet_len',
        name: str | None = None,
    ) -> None: ...

class crc16_append_pdu(LibraryBlock):
    def __init__(
        self,
        *,
        algorithm: Literal['ibm_3740', 'ibm_sdlc', 'xmodem', 'kermit', 'modbus'] = 'ibm_3740',
        byte_order: Literal['little', 'big'] = 'big',
        name: str | None = None,
    ) -> None: ...

class crc16_check(LibraryBlock):
    def __init__(
        self,
        *,
        algorithm: Literal['ibm_3740', 'ibm_sdlc', 'xmodem', 'kermit', 'modbus'] = 'ibm_3740',
        byte_order: Literal['little', 'big'] = 'big',
        when_bad: Literal['drop', 'mark', 'error'] = 'drop',
        length_tag: str = 'packet_len',
        name: str | None = None,
    ) -> None: ...

class crc16_check_pdu(LibraryBlock):
    def __init__(
        self,
        *,
        algorithm: Literal['ibm_3740', 'ibm_sdlc', 'xmodem', 'kermit', 'modbus'] = 'ibm_3740',
        byte_order: Literal['little', 'big'] = 'big',
        when_bad: Literal['drop', 'mark', 'error'] = 'drop',
        name: str | None = None,
    ) -> None: ...

class crc32(LibraryBlock):
    def __init__(
        self,
        *,
        check: bool = False,
        packed: bool = True,
        length_tag: str = 'packet_len',
        name: str | None = None,
    ) -> None: ...

class crc32_append(LibraryBlock):
    def __init__(
        self,
        *,
        algorithm: Literal['iso_hdlc', 'iscsi', 'bzip2', 'mpeg_2'] = 'iso_hdlc',
        byte_order: Literal['little', 'big'] = 'little',
        length_tag: str = 'packet_len',
        name: str | None = None,
    ) -> None: ...

class crc32_append_pdu(LibraryBlock):
    def __init__(
        self,
        *,
        algorithm: Literal['iso_hdlc', 'iscsi', 'bzip2', 'mpeg_2'] = 'iso_hdlc',
        byte_order: Literal['little', 'big'] = 'little',
        name: str | None = None,
    ) -> None: ...

class crc32_check(LibraryBlock):
    def __init__(
        self,
        *,
        algorithm: Literal['iso_hdlc', 'iscsi', 'bzip2', 'mpeg_2'] = 'iso_hdlc',
        byte_order: Literal['little', 'big'] = 'little',
        when_bad: Literal['drop', 'mark', 'error'] = 'drop',
        length_tag: str = 'packet_len',
        name: str | None = None,
    ) -> None: ...

class crc32_check_pdu(LibraryBlock):
    def __init__(
        self,
        *,
        algorithm: Literal['iso_hdlc', 'iscsi', 'bzip2', 'mpeg_2'] = 'iso_hdlc',
        byte_order: Literal['little', 'big'] = 'little',
        when_bad: Literal['drop', 'mark', 'error'] = 'drop',
        name: str | None = None,
    ) -> None: ...

class crc32_pdu(LibraryBlock):
    def __init__(
        self,
        *,
        check: bool = False,
        packed: bool = True,
        name: str | None = None,
    ) -> None: ...

class crc_append(LibraryBlock):
    def __init__(
        self,
        *,
        num_bits: int = 16,
        poly: Any = 4129,
        initial_value: Any = 65535,
        final_xor: Any = 0,
        input_reflected: bool = False,
        result_reflected: bool = False,
        swap_endianness: bool = False,
        skip_header_bytes: int = 0,
        crc: str = '',
        name: str | None = None,
    ) -> None: ...

class crc_check(LibraryBlock):
    def __init__(
        self,
        *,
        num_bits: int = 16,
        poly: Any = 4129,
        initial_value: Any = 65535,
        final_xor: Any = 0,
        input_reflected: bool = False,
        result_reflected: bool = False,
        swap_endianness: bool = False,
        skip_header_bytes: int = 0,
        crc: str = '',
        discard_crc: bool = False,
        name: str | None = None,
    ) -> None: ...

class cs16_to_c32(LibraryBlock):
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class cs8_to_c32(LibraryBlock):
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class ctcss_squelch(LibraryBlock):
    def __init__(
        self,
        *,
        rate_hz: float,
        freq_hz: float = 100.0,
        level: float = 0.01,
        length: int = 0,
        ramp: int = 0,
        gate: bool = False,
        name: str | None = None,
    ) -> None: ...

class cu8_to_c32(LibraryBlock):
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class cyclic_decode(LibraryBlock):
    def __init__(
        self,
        *,
        code: Literal['hamming_7_4', 'hamming_8_4', 'hamming_15_11', 'hamming_31_26', 'golay_23_12', 'golay_24_12', 'bch_15_7', 'bch_15_5', 'bch_31_21', 'bch_32_21', 'bch_63_51', 'bch_63_45', 'custom'] = 'hamming_7_4',
        n: int = 7,
        generator: int = 11,
        most_wrong: int = 1,
        parity: bool = False,
        when_bad: Literal['drop', 'mark'] = 'drop',
        length_tag: str = 'packet_len',
        name: str | None = None,
    ) -> None: ...

class cyclic_decode_pdu(LibraryBlock):
    def __init__(
        self,
        *,
        code: Literal['hamming_7_4', 'hamming_8_4', 'hamming_15_11', 'hamming_31_26', 'golay_23_12', 'golay_24_12', 'bch_15_7', 'bch_15_5', 'bch_31_21', 'bch_32_21', 'bch_63_51', 'bch_63_45', 'custom'] = 'hamming_7_4',
        n: int = 7,
        generator: int = 11,
        most_wrong: int = 1,
        parity: bool = False,
        when_bad: Literal['drop', 'mark'] = 'drop',
        name: str | None = None,
    ) -> None: ...

class cyclic_encode(LibraryBlock):
    def __init__(
        self,
        *,
        code: Literal['hamming_7_4', 'hamming_8_4', 'hamming_15_11', 'hamming_31_26', 'golay_23_12', 'golay_24_12', 'bch_15_7', 'bch_15_5', 'bch_31_21', 'bch_32_21', 'bch_63_51', 'bch_63_45', 'custom'] = 'hamming_7_4',
        n: int = 7,
        generator: int = 11,
        most_wrong: int = 1,
        parity: bool = False,
        length_tag: str = 'packet_len',
        name: str | None = None,
    ) -> None: ...

class cyclic_encode_pdu(LibraryBlock):
    def __init__(
        self,
        *,
        code: Literal['hamming_7_4', 'hamming_8_4', 'hamming_15_11', 'hamming_31_26', 'golay_23_12', 'golay_24_12', 'bch_15_7', 'bch_15_5', 'bch_31_21', 'bch_32_21', 'bch_63_51', 'bch_63_45', 'custom'] = 'hamming_7_4',
        n: int = 7,
        generator: int = 11,
        most_wrong: int = 1,
        parity: bool = False,
        name: str | None = None,
    ) -> None: ...

class dc_blocker(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32'] = 'C32',
        length: int = 32,
        long_form: bool = True,
        name: str | None = None,
    ) -> None: ...

class deinterleave(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        outputs: int = 2,
        length: int = 1,
        name: str | None = None,
    ) -> None: ...

class delay(LibraryBlock):
    def __init__(
        self,
        *,
        delay_samples: int,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        name: str | None = None,
    ) -> None: ...

class depuncture(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['u8', 'f32'] = 'u8',
        size: int = 2,
        pattern: int = 3,
        delay: int = 0,
        symbol: float = 127.0,
        name: str | None = None,
    ) -> None: ...

class descrambler(LibraryBlock):
    def __init__(
        self,
        *,
        mask: int = 138,
        seed: int = 127,
        length: int = 7,
        name: str | None = None,
    ) -> None: ...

class device_channelizer(LibraryBlock):
    def __init__(
        self,
        *,
        channels: int,
        taps: Sequence[complex],
        device: str = 'sim',
        batch: int = 65536,
        depth: int = 3,
        name: str | None = None,
    ) -> None: ...

class device_copy(LibraryBlock):
    def __init__(
        self,
        *,
        device: str = 'sim',
        batch: int = 65536,
        depth: int = 3,
        item: Literal['C32', 'f32'] = 'C32',
        name: str | None = None,
    ) -> None: ...

class device_fft(LibraryBlock):
    def __init__(
        self,
        *,
        size: int,
        device: str = 'sim',
        batch: int = 65536,
        depth: int = 3,
        inverse: bool = False,
        shift: bool = False,
        window: Any = 'rectangular',
        name: str | None = None,
    ) -> None: ...

class device_fir_filter(LibraryBlock):
    def __init__(
        self,
        *,
        taps: Sequence[complex],
        device: str = 'sim',
        batch: int = 65536,
        depth: int = 3,
        item: Literal['C32', 'f32'] = 'C32',
        decimation: int = 1,
        name: str | None = None,
    ) -> None: ...

class device_magnitude_squared(LibraryBlock):
    def __init__(
        self,
        *,
        device: str = 'sim',
        batch: int = 65536,
        depth: int = 3,
        name: str | None = None,
    ) -> None: ...

class device_multiply_conjugate(LibraryBlock):
    def __init__(
        self,
        *,
        device: str = 'sim',
        batch: int = 65536,
        depth: int = 3,
        name: str | None = None,
    ) -> None: ...

class device_multiply_const(LibraryBlock):
    def __init__(
        self,
        *,
        constant: Sequence[complex],
        device: str = 'sim',
        batch: int = 65536,
        depth: int = 3,
        item: Literal['C32', 'f32'] = 'C32',
        name: str | None = None,
    ) -> None: ...

class device_saxpy(LibraryBlock):
    def __init__(
        self,
        *,
        gain: float,
        device: str = 'sim',
        batch: int = 65536,
        depth: int = 3,
        offset: float = 0.0,
        name: str | None = None,
    ) -> None: ...

class diff_decoder(LibraryBlock):
    def __init__(
        self,
        *,
        modulus: int = 2,
        coding: Literal['differential', 'nrzi'] = 'differential',
        name: str | None = None,
    ) -> None: ...

class diff_encoder(LibraryBlock):
    def __init__(
        self,
        *,
        modulus: int = 2,
        coding: Literal['differential', 'nrzi'] = 'differential',
        name: str | None = None,
    ) -> None: ...

class diff_phasor(LibraryBlock):
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class divide(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'i32', 'i16'] = 'C32',
        inputs: int = 2,
        name: str | None = None,
    ) -> None: ...

class dpll(LibraryBlock):
    def __init__(
        self,
        *,
        period: float,
        gain: float = 0.1,
        name: str | None = None,
    ) -> None: ...

class endian_swap(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'i32', 'i16', 'u8'] = 'i16',
        name: str | None = None,
    ) -> None: ...

class exponentiate_const(LibraryBlock):
    def __init__(
        self,
        *,
        exponent: int,
        name: str | None = None,
    ) -> None: ...

class fastnoise_source(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'i16', 'i32'] = 'C32',
        distribution: Literal['uniform', 'gaussian', 'laplacian', 'impulse'] = 'gaussian',
        amplitude: float = 1.0,
        seed: int = 0,
        samples: int = 16384,
        name: str | None = None,
    ) -> None: ...

class fec_decoder(LibraryBlock):
    def __init__(
        self,
        *,
        code: Any,
        soft_item: Literal['auto', 'u8', 'f32'] = 'auto',
        name: str | None = None,
    ) -> None: ...

class fec_encoder(LibraryBlock):
    def __init__(
        self,
        *,
        code: Any,
        name: str | None = None,
    ) -> None: ...

class fec_packet_decoder(LibraryBlock):
    def __init__(
        self,
        *,
        code: Any,
        soft_item: Literal['auto', 'u8', 'f32'] = 'auto',
        packed: bool = False,
        order: Literal['msb_first', 'lsb_first'] = 'msb_first',
        most_bits: int = 16777216,
        length_tag: str = 'packet_len',
        name: str | None = None,
    ) -> None: ...

class fec_packet_decoder_pdu(LibraryBlock):
    def __init__(
        self,
        *,
        code: Any,
        soft_item: Literal['auto', 'u8', 'f32'] = 'auto',
        packed: bool = False,
        order: Literal['msb_first', 'lsb_first'] = 'msb_first',
        most_bits: int = 16777216,
        name: str | None = None,
    ) -> None: ...

class fec_packet_encoder(LibraryBlock):
    def __init__(
        self,
        *,
        code: Any,
        packed: bool = False,
        order_in: Literal['msb_first', 'lsb_first'] = 'msb_first',
        order_out: Literal['msb_first', 'lsb_first'] = 'msb_first',
        most_bits: int = 16777216,
        length_tag: str = 'packet_len',
        name: str | None = None,
    ) -> None: ...

class fec_packet_encoder_pdu(LibraryBlock):
    def __init__(
        self,
        *,
        code: Any,
        packed: bool = False,
        order_in: Literal['msb_first', 'lsb_first'] = 'msb_first',
        order_out: Literal['msb_first', 'lsb_first'] = 'msb_first',
        most_bits: int = 16777216,
        name: str | None = None,
    ) -> None: ...

class feedforward_agc(LibraryBlock):
    def __init__(
        self,
        *,
        samples: int = 1024,
        reference: float = 1.0,
        name: str | None = None,
    ) -> None: ...

class fft(LibraryBlock):
    def __init__(
        self,
        *,
        size: int,
        item: Literal['C32', 'f32'] = 'C32',
        inverse: bool = False,
        shift: bool = False,
        window: Any = 'rectangular',
        name: str | None = None,
    ) -> None: ...

class fft_filter(LibraryBlock):
    def __init__(
        self,
        *,
        taps: Sequence[complex],
        item: Literal['C32', 'f32'] = 'C32',
        decimation: int = 1,
        name: str | None = None,
    ) -> None: ...

class file_sink(LibraryBlock):
    def __init__(
        self,
        *,
        path: str,
        format: str = 'auto',
        input: Literal['float', 'raw'] = 'float',
        append: bool = False,
        unbuffered: bool = False,
        name: str | None = None,
    ) -> None: ...

class file_source(LibraryBlock):
    def __init__(
        self,
        *,
        path: str,
        format: str = 'auto',
        output: Literal['float', 'raw'] = 'float',
        repeat: bool = False,
        offset_samples: int = 0,
        samples: int = 0,
        rate_hz: float = 0,
        center_hz: float = 0,
        name: str | None = None,
    ) -> None: ...

class filter_delay(LibraryBlock):
    def __init__(
        self,
        *,
        taps: Sequence[complex],
        inputs: int = 2,
        name: str | None = None,
    ) -> None: ...

class fir_filter(LibraryBlock):
    def __init__(
        self,
        *,
        taps: Sequence[complex],
        item: Literal['C32', 'f32', 'i16'] = 'C32',
        out_item: Literal['auto', 'C32', 'f32', 'i16'] = 'auto',
        decimation: int = 1,
        name: str | None = None,
    ) -> None: ...

class fll_band_edge(LibraryBlock):
    def __init__(
        self,
        *,
        samples_per_symbol: float,
        rolloff: float = 0.35,
        taps: int = 44,
        bandwidth_rad: float = 0.0628,
        name: str | None = None,
    ) -> None: ...

class float_to_char(LibraryBlock):
    def __init__(
        self,
        *,
        scale: float = 128.0,
        name: str | None = None,
    ) -> None: ...

class float_to_complex(LibraryBlock):
    def __init__(
        self,
        *,
        inputs: int = 2,
        name: str | None = None,
    ) -> None: ...

class float_to_int(LibraryBlock):
    def __init__(
        self,
        *,
        scale: float = 2147483648.0,
        name: str | None = None,
    ) -> None: ...

class float_to_short(LibraryBlock):
    def __init__(
        self,
        *,
        scale: float = 32768.0,
        name: str | None = None,
    ) -> None: ...

class float_to_uchar(LibraryBlock):
    def __init__(
        self,
        *,
        plain: bool = False,
        name: str | None = None,
    ) -> None: ...

class fm_deemph(LibraryBlock):
    def __init__(
        self,
        *,
        rate_hz: float,
        tau_s: float = 7.5e-05,
        name: str | None = None,
    ) -> None: ...

class fm_preemph(LibraryBlock):
    def __init__(
        self,
        *,
        rate_hz: float,
        tau_s: float = 7.5e-05,
        high_hz: float = -1.0,
        name: str | None = None,
    ) -> None: ...

class freq_xlating_fft_filter(LibraryBlock):
    def __init__(
        self,
        *,
        taps: Sequence[complex],
        rate_hz: float,
        center_freq_hz: float = 0.0,
        decimation: int = 1,
        name: str | None = None,
    ) -> None: ...

class freq_xlating_fir_filter(LibraryBlock):
    def __init__(
        self,
        *,
        taps: Sequence[complex],
        rate_hz: float,
        item: Literal['C32', 'f32', 'i16'] = 'C32',
        center_freq_hz: float = 0.0,
        decimation: int = 1,
        name: str | None = None,
    ) -> None: ...

class frequency_modulator(LibraryBlock):
    def __init__(
        self,
        *,
        sensitivity: float = 1.0,
        name: str | None = None,
    ) -> None: ...

class fsk_demod(LibraryBlock):
    def __init__(
        self,
        *,
        rate_hz: float,
        symbol_rate_hz: float,
        item: Literal['C32', 'f32'] = 'C32',
        deviation_hz: float = 0,
        bandwidth_hz: float = 0,
        name: str | None = None,
    ) -> None: ...

class g3ruh_descrambler(LibraryBlock):
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class g3ruh_scrambler(LibraryBlock):
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class glfsr_source(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['u8', 'f32'] = 'u8',
        degree: int = 8,
        repeat: bool = True,
        mask: int = 0,
        seed: int = 1,
        name: str | None = None,
    ) -> None: ...

class goertzel(LibraryBlock):
    def __init__(
        self,
        *,
        sample_rate_hz: float,
        len: int,
        frequency_hz: float,
        name: str | None = None,
    ) -> None: ...

class hdlc_deframer(LibraryBlock):
    def __init__(
        self,
        *,
        min_length: int = 32,
        max_length: int = 500,
        name: str | None = None,
    ) -> None: ...

class hdlc_framer(LibraryBlock):
    def __init__(
        self,
        *,
        length_tag: str = 'packet_len',
        name: str | None = None,
    ) -> None: ...

class head(LibraryBlock):
    def __init__(
        self,
        *,
        items: int,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        name: str | None = None,
    ) -> None: ...

class header_payload_demux(LibraryBlock):
    def __init__(
        self,
        *,
        header_len: int,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        items_per_symbol: int = 1,
        guard_interval: int = 0,
        length_tag: str = 'packet_len',
        trigger_tag: str = '',
        length_unit: Literal['items', 'symbols'] = 'items',
        timing_tag: str = '',
        sample_rate_hz: float = 1.0,
        special_tags: Any = [],
        header_padding: int = 0,
        name: str | None = None,
    ) -> None: ...

class hilbert(LibraryBlock):
    def __init__(
        self,
        *,
        taps: int = 65,
        window: Any = 'hamming',
        param: float = 6.76,
        name: str | None = None,
    ) -> None: ...

class iir_filter(LibraryBlock):
    def __init__(
        self,
        *,
        feed_forward: Sequence[complex],
        feed_back: Sequence[complex],
        item: Literal['C32', 'f32'] = 'C32',
        old_style: bool = True,
        name: str | None = None,
    ) -> None: ...

class int_to_float(LibraryBlock):
    def __init__(
        self,
        *,
        scale: float = 2147483648.0,
        name: str | None = None,
    ) -> None: ...

class integrate(LibraryBlock):
    def __init__(
        self,
        *,
        count: int,
        item: Literal['C32', 'f32', 'i32', 'i16'] = 'C32',
        length: int = 1,
        name: str | None = None,
    ) -> None: ...

class interleave(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        inputs: int = 2,
        length: int = 1,
        name: str | None = None,
    ) -> None: ...

class interleaved_char_to_complex(LibraryBlock):
    def __init__(
        self,
        *,
        scale: float = 128.0,
        swap: bool = False,
        name: str | None = None,
    ) -> None: ...

class interleaved_short_to_complex(LibraryBlock):
    def __init__(
        self,
        *,
        scale: float = 32768.0,
        swap: bool = False,
        name: str | None = None,
    ) -> None: ...

class interp_fir_filter(LibraryBlock):
    def __init__(
        self,
        *,
        interpolation: int,
        taps: Sequence[complex],
        item: Literal['C32', 'f32', 'i16'] = 'C32',
        out_item: Literal['auto', 'C32', 'f32', 'i16'] = 'auto',
        name: str | None = None,
    ) -> None: ...

class keep_m_in_n(LibraryBlock):
    def __init__(
        self,
        *,
        m: int,
        n: int,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        offset: int = 0,
        name: str | None = None,
    ) -> None: ...

class keep_one_in_n(LibraryBlock):
    def __init__(
        self,
        *,
        n: int,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        name: str | None = None,
    ) -> None: ...

class linear_equalizer(LibraryBlock):
    def __init__(
        self,
        *,
        constellation: Any,
        taps: int = 16,
        samples_per_symbol: int = 1,
        algorithm: Literal['lms', 'nlms', 'cma'] = 'lms',
        step: float = 0.01,
        modulus: float = 1.0,
        training: Sequence[complex] = [],
        training_tag: str = '',
        adapt_after_training: bool = True,
        name: str | None = None,
    ) -> None: ...

class low_pass_filter(LibraryBlock):
    def __init__(
        self,
        *,
        rate_hz: float,
        cutoff_hz: float,
        transition_hz: float,
        item: Literal['C32', 'f32'] = 'C32',
        gain: float = 1.0,
        window: Literal['rectangular', 'hann', 'hamming', 'blackman', 'blackman_harris'] = 'hamming',
        decimation: int = 1,
        name: str | None = None,
    ) -> None: ...

class magphase_to_complex(LibraryBlock):
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class map(LibraryBlock):
    def __init__(
        self,
        *,
        map: Sequence[complex],
        name: str | None = None,
    ) -> None: ...

class max(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['f32', 'i32', 'i16'] = 'f32',
        inputs: int = 2,
        length: int = 1,
        of_vector: bool = False,
        name: str | None = None,
    ) -> None: ...

class meas_evm(LibraryBlock):
    def __init__(
        self,
        *,
        constellation: Any,
        unit: Literal['percent', 'db'] = 'percent',
        name: str | None = None,
    ) -> None: ...

class message_burst(LibraryBlock):
    def __init__(
        self,
        *,
        message: Any,
        count: int,
        period_s: float = 0.0,
        name: str | None = None,
    ) -> None: ...

class message_debug(LibraryBlock):
    def __init__(
        self,
        *,
        path: str = '',
        limit: int = 0,
        name: str | None = None,
    ) -> None: ...

class message_strobe(LibraryBlock):
    def __init__(
        self,
        *,
        message: Any,
        period_s: float,
        name: str | None = None,
    ) -> None: ...

class min(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['f32', 'i32', 'i16'] = 'f32',
        inputs: int = 2,
        length: int = 1,
        of_vector: bool = False,
        name: str | None = None,
    ) -> None: ...

class mmse_resampler(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32'] = 'C32',
        phase_shift: float = 0.0,
        resamp_ratio: float = 1.0,
        name: str | None = None,
    ) -> None: ...

class moving_average(LibraryBlock):
    def __init__(
        self,
        *,
        count: int,
        item: Literal['C32', 'f32', 'i32', 'i16'] = 'C32',
        scale: complex = 1.0,
        scale_imag: float = 0.0,
        length: int = 1,
        name: str | None = None,
    ) -> None: ...

class mpsk_snr_est(LibraryBlock):
    def __init__(
        self,
        *,
        estimator: Literal['simple', 'm2m4', 'svr'] = 'm2m4',
        tag_samples: int = 10000,
        alpha: float = 0.001,
        name: str | None = None,
    ) -> None: ...

class multiply(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'i32', 'i16'] = 'C32',
        inputs: int = 2,
        name: str | None = None,
    ) -> None: ...

class multiply_by_tag_value(LibraryBlock):
    def __init__(
        self,
        *,
        tag: str,
        name: str | None = None,
    ) -> None: ...

class multiply_conjugate(LibraryBlock):
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class multiply_const(LibraryBlock):
    def __init__(
        self,
        *,
        constant: complex,
        item: Literal['C32', 'f32', 'i32', 'i16'] = 'C32',
        constant_imag: float = 0.0,
        name: str | None = None,
    ) -> None: ...

class multiply_const_pdu(LibraryBlock):
    def __init__(
        self,
        *,
        constant: complex,
        item: Literal['C32', 'f32'] = 'C32',
        constant_imag: float = 0.0,
        name: str | None = None,
    ) -> None: ...

class multiply_const_vector(LibraryBlock):
    def __init__(
        self,
        *,
        constants: Sequence[complex],
        item: Literal['C32', 'f32', 'i32', 'i16', 'u8'] = 'C32',
        name: str | None = None,
    ) -> None: ...

class multiply_matrix(LibraryBlock):
    def __init__(
        self,
        *,
        matrix: Any,
        item: Literal['C32', 'f32'] = 'C32',
        tags: Literal['none', 'all', 'one_to_one', 'matrix'] = 'all',
        name: str | None = None,
    ) -> None: ...

class mute(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'i32', 'i16'] = 'C32',
        mute: bool = False,
        name: str | None = None,
    ) -> None: ...

class nlog10(LibraryBlock):
    def __init__(
        self,
        *,
        factor: float = 1.0,
        offset: float = 0.0,
        name: str | None = None,
    ) -> None: ...

class noise_source(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'i16', 'i32'] = 'C32',
        distribution: Literal['uniform', 'gaussian', 'laplacian', 'impulse'] = 'gaussian',
        amplitude: float = 1.0,
        seed: int = 0,
        name: str | None = None,
    ) -> None: ...

class not_(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['u8', 'i32', 'i16'] = 'u8',
        name: str | None = None,
    ) -> None: ...

class nrzi_decode(LibraryBlock):
    def __init__(
        self,
        *,
        change: Literal['zero', 'one'] = 'zero',
        name: str | None = None,
    ) -> None: ...

class nrzi_encode(LibraryBlock):
    def __init__(
        self,
        *,
        change: Literal['zero', 'one'] = 'zero',
        name: str | None = None,
    ) -> None: ...

class null_sink(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        name: str | None = None,
    ) -> None: ...

class null_source(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        name: str | None = None,
    ) -> None: ...

class ofdm_carrier_allocator(LibraryBlock):
    def __init__(
        self,
        *,
        fft_len: int,
        occupied_carriers: Any,
        pilot_carriers: Any = [],
        pilot_symbols: Any = [],
        sync_words: Any = [],
        length_tag: str = 'packet_len',
        output_is_shifted: bool = True,
        name: str | None = None,
    ) -> None: ...

class ofdm_chanest(LibraryBlock):
    def __init__(
        self,
        *,
        sync_symbol1: Sequence[complex],
        sync_symbol2: Sequence[complex] = [],
        data_symbols: int = 1,
        max_carrier_offset: int = -1,
        one_sync_symbol: bool = False,
        name: str | None = None,
    ) -> None: ...

class ofdm_cyclic_prefixer(LibraryBlock):
    def __init__(
        self,
        *,
        fft_len: int,
        cp_len: int,
        rolloff_len: int = 0,
        length_tag: str = '',
        name: str | None = None,
    ) -> None: ...

class ofdm_frame_equalizer(LibraryBlock):
    def __init__(
        self,
        *,
        fft_len: int,
        cp_len: int = 0,
        length_tag: str = 'packet_len',
        fixed_frame_len: int = 0,
        tells_taps: bool = False,
        equalizer: Literal['static', 'simpledfe'] = 'static',
        occupied_carriers: Any = [],
        pilot_carriers: Any = [],
        pilot_symbols: Any = [],
        symbols_skipped: int = 0,
        input_is_shifted: bool = True,
        constellation: Any = 'bpsk',
        alpha: float = 0.1,
        soft_output: bool = False,
        name: str | None = None,
    ) -> None: ...

class ofdm_serializer(LibraryBlock):
    def __init__(
        self,
        *,
        fft_len: int,
        occupied_carriers: Any,
        length_tag: str = 'packet_len',
        packet_length_tag: str = '',
        symbols_skipped: int = 0,
        carrier_offset_tag: str = '',
        input_is_shifted: bool = True,
        name: str | None = None,
    ) -> None: ...

class ofdm_sync_sc(LibraryBlock):
    def __init__(
        self,
        *,
        fft_len: int,
        cp_len: int,
        use_even_carriers: bool = False,
        threshold: float = 0.9,
        name: str | None = None,
    ) -> None: ...

class or_(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['u8', 'i32', 'i16'] = 'u8',
        inputs: int = 2,
        name: str | None = None,
    ) -> None: ...

class pack_k_bits(LibraryBlock):
    def __init__(
        self,
        *,
        k: int,
        name: str | None = None,
    ) -> None: ...

class packed_to_unpacked(LibraryBlock):
    def __init__(
        self,
        *,
        bits: int,
        item: Literal['u8', 'i32', 'i16'] = 'u8',
        order: Literal['msb_first', 'lsb_first'] = 'msb_first',
        name: str | None = None,
    ) -> None: ...

class packet_headergenerator(LibraryBlock):
    def __init__(
        self,
        *,
        header_len: int = 32,
        bits_per_item: int = 1,
        scramble: bool = False,
        length_tag: str = 'packet_len',
        number_tag: str = 'packet_num',
        name: str | None = None,
    ) -> None: ...

class packet_headerparser(LibraryBlock):
    def __init__(
        self,
        *,
        header_len: int = 32,
        bits_per_item: int = 1,
        scramble: bool = False,
        length_tag: str = 'packet_len',
        number_tag: str = 'packet_num',
        symbol_sizes: Sequence[complex] = [],
        payload_bits_per_item: int = 1,
        frame_length_tag: str = 'frame_len',
        name: str | None = None,
    ) -> None: ...

class patterned_interleaver(LibraryBlock):
    def __init__(
        self,
        *,
        pattern: Sequence[complex],
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        length: int = 1,
        name: str | None = None,
    ) -> None: ...

class pcap_sink(LibraryBlock):
    def __init__(
        self,
        *,
        path: str,
        link_type: int = 147,
        name: str | None = None,
    ) -> None: ...

class pcap_source(LibraryBlock):
    def __init__(
        self,
        *,
        path: str,
        name: str | None = None,
    ) -> None: ...

class pdu_filter(LibraryBlock):
    def __init__(
        self,
        *,
        key: str,
        value: Any,
        invert: bool = False,
        name: str | None = None,
    ) -> None: ...

class pdu_remove(LibraryBlock):
    def __init__(
        self,
        *,
        key: str,
        name: str | None = None,
    ) -> None: ...

class pdu_set(LibraryBlock):
    def __init__(
        self,
        *,
        key: str,
        value: Any,
        name: str | None = None,
    ) -> None: ...

class pdu_split(LibraryBlock):
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class pdu_to_stream(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        name: str | None = None,
    ) -> None: ...

class pdu_to_tagged_stream(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        length_tag: str = 'packet_len',
        fill_gaps: bool = False,
        name: str | None = None,
    ) -> None: ...

class peak_detector(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['f32', 'i32', 'i16'] = 'f32',
        rise: float = 0.25,
        fall: float = 0.4,
        alpha: float = 0.001,
        name: str | None = None,
    ) -> None: ...

class peak_detector2(LibraryBlock):
    def __init__(
        self,
        *,
        rise: float = 7.0,
        look_ahead: int = 1000,
        alpha: float = 0.001,
        name: str | None = None,
    ) -> None: ...

class pfb_arb_resampler(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32'] = 'C32',
        rate: float = 1.0,
        taps: Sequence[complex] = [],
        filters: int = 32,
        name: str | None = None,
    ) -> None: ...

class pfb_channelizer(LibraryBlock):
    def __init__(
        self,
        *,
        channels: int,
        taps: Sequence[complex],
        oversample_rate: float = 1.0,
        channel_map: Sequence[complex] = [],
        name: str | None = None,
    ) -> None: ...

class pfb_clock_sync(LibraryBlock):
    def __init__(
        self,
        *,
        samples_per_symbol: float,
        taps: Sequence[complex],
        item: Literal['C32', 'f32'] = 'C32',
        bandwidth_rad: float = 0.0628,
        filters: int = 32,
        init_phase: float = 0.0,
        max_deviation: float = 1.5,
        outputs_per_symbol: int = 1,
        name: str | None = None,
    ) -> None: ...

class pfb_decimator(LibraryBlock):
    def __init__(
        self,
        *,
        decimation: int,
        taps: Sequence[complex],
        channel: int = 0,
        name: str | None = None,
    ) -> None: ...

class pfb_synthesizer(LibraryBlock):
    def __init__(
        self,
        *,
        channels: int,
        taps: Sequence[complex],
        inputs: int = 2,
        twice: bool = False,
        channel_map: Sequence[complex] = [],
        name: str | None = None,
    ) -> None: ...

class phase_modulator(LibraryBlock):
    def __init__(
        self,
        *,
        sensitivity: float = 1.0,
        name: str | None = None,
    ) -> None: ...

class plateau_detector(LibraryBlock):
    def __init__(
        self,
        *,
        max_length: int,
        threshold: float = 0.9,
        name: str | None = None,
    ) -> None: ...

class pll_carriertracking(LibraryBlock):
    def __init__(
        self,
        *,
        loop_bandwidth_rad: float = 0.0628,
        max_freq_rad: float = 1.0,
        min_freq_rad: float = -1.0,
        name: str | None = None,
    ) -> None: ...

class pll_freqdet(LibraryBlock):
    def __init__(
        self,
        *,
        loop_bandwidth_rad: float = 0.0628,
        max_freq_rad: float = 1.0,
        min_freq_rad: float = -1.0,
        name: str | None = None,
    ) -> None: ...

class pll_refout(LibraryBlock):
    def __init__(
        self,
        *,
        loop_bandwidth_rad: float = 0.0628,
        max_freq_rad: float = 1.0,
        min_freq_rad: float = -1.0,
        name: str | None = None,
    ) -> None: ...

class probe_avg_mag_sqrd(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32'] = 'C32',
        threshold_db: float = 0.0,
        alpha: float = 0.0001,
        output: bool = True,
        name: str | None = None,
    ) -> None: ...

class probe_mpsk_snr_est(LibraryBlock):
    def __init__(
        self,
        *,
        estimator: Literal['simple', 'm2m4', 'svr'] = 'm2m4',
        alpha: float = 0.001,
        name: str | None = None,
    ) -> None: ...

class probe_rate(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        interval_s: float = 1.0,
        name: str | None = None,
    ) -> None: ...

class probe_signal(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'i32', 'i16', 'u8'] = 'C32',
        length: int = 1,
        name: str | None = None,
    ) -> None: ...

class pulse_detector(LibraryBlock):
    def __init__(
        self,
        *,
        rate_hz: float,
        gap_samples: int,
        smooth_samples: int = 8,
        snr_db: float = 10.0,
        name: str | None = None,
    ) -> None: ...

class pulse_slicer(LibraryBlock):
    def __init__(
        self,
        *,
        coding: Literal['pwm', 'ppm', 'manchester', 'pcm'],
        short_samples: int = 0,
        long_samples: int = 0,
        row_gap_samples: int = 0,
        invert: bool = False,
        name: str | None = None,
    ) -> None: ...

class puncture(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['u8', 'f32'] = 'u8',
        size: int = 2,
        pattern: int = 3,
        delay: int = 0,
        name: str | None = None,
    ) -> None: ...

class pwr_squelch(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32'] = 'C32',
        threshold_db: float = -20.0,
        alpha: float = 0.0001,
        ramp: int = 0,
        gate: bool = False,
        name: str | None = None,
    ) -> None: ...

class quadrature_demod(LibraryBlock):
    def __init__(
        self,
        *,
        gain: float = 1.0,
        name: str | None = None,
    ) -> None: ...

class rail(LibraryBlock):
    def __init__(
        self,
        *,
        low: float,
        high: float,
        name: str | None = None,
    ) -> None: ...

class random_pdu(LibraryBlock):
    def __init__(
        self,
        *,
        min_length: int,
        max_length: int,
        count: int = 0,
        seed: int = 0,
        mask: int = 255,
        length_modulo: int = 1,
        name: str | None = None,
    ) -> None: ...

class random_uniform_source(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['u8', 'i8', 'i16', 'i32'] = 'u8',
        minimum: int = 0,
        maximum: int = 2,
        seed: int = 0,
        name: str | None = None,
    ) -> None: ...

class rational_resampler(LibraryBlock):
    def __init__(
        self,
        *,
        interpolation: int,
        decimation: int,
        item: Literal['C32', 'f32', 'i16'] = 'C32',
        out_item: Literal['auto', 'C32', 'f32', 'i16'] = 'auto',
        taps: Sequence[complex] = [],
        fractional_bw: float = 0.0,
        name: str | None = None,
    ) -> None: ...

class reed_solomon_decode(LibraryBlock):
    def __init__(
        self,
        *,
        code: Literal['ccsds_223', 'ccsds_239', 'dvb', 'custom'] = 'ccsds_223',
        n: int = 255,
        k: int = 223,
        symbol_bits: int = 8,
        field_polynomial: int = 285,
        first_root: int = 0,
        root_step: int = 1,
        dual_basis: bool = False,
        interleave: int = 1,
        when_bad: Literal['drop', 'mark'] = 'drop',
        length_tag: str = 'packet_len',
        name: str | None = None,
    ) -> None: ...

class reed_solomon_decode_pdu(LibraryBlock):
    def __init__(
        self,
        *,
        code: Literal['ccsds_223', 'ccsds_239', 'dvb', 'custom'] = 'ccsds_223',
        n: int = 255,
        k: int = 223,
        symbol_bits: int = 8,
        field_polynomial: int = 285,
        first_root: int = 0,
        root_step: int = 1,
        dual_basis: bool = False,
        interleave: int = 1,
        when_bad: Literal['drop', 'mark'] = 'drop',
        name: str | None = None,
    ) -> None: ...

class reed_solomon_encode(LibraryBlock):
    def __init__(
        self,
        *,
        code: Literal['ccsds_223', 'ccsds_239', 'dvb', 'custom'] = 'ccsds_223',
        n: int = 255,
        k: int = 223,
        symbol_bits: int = 8,
        field_polynomial: int = 285,
        first_root: int = 0,
        root_step: int = 1,
        dual_basis: bool = False,
        interleave: int = 1,
        length_tag: str = 'packet_len',
        name: str | None = None,
    ) -> None: ...

class reed_solomon_encode_pdu(LibraryBlock):
    def __init__(
        self,
        *,
        code: Literal['ccsds_223', 'ccsds_239', 'dvb', 'custom'] = 'ccsds_223',
        n: int = 255,
        k: int = 223,
        symbol_bits: int = 8,
        field_polynomial: int = 285,
        first_root: int = 0,
        root_step: int = 1,
        dual_basis: bool = False,
        interleave: int = 1,
        name: str | None = None,
    ) -> None: ...

class regenerate(LibraryBlock):
    def __init__(
        self,
        *,
        period: int,
        repeats: int = 500,
        name: str | None = None,
    ) -> None: ...

class reinterpret(LibraryBlock):
    def __init__(
        self,
        *,
        from_: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'],
        to: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'],
        name: str | None = None,
    ) -> None: ...

class repack_bits(LibraryBlock):
    def __init__(
        self,
        *,
        k: int,
        l: int = 8,
        order: Literal['msb_first', 'lsb_first'] = 'msb_first',
        length_tag: str = '',
        whole: bool = False,
        name: str | None = None,
    ) -> None: ...

class repeat(LibraryBlock):
    def __init__(
        self,
        *,
        count: int,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        length: int = 1,
        name: str | None = None,
    ) -> None: ...

class rms(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32'] = 'C32',
        alpha: float = 0.0001,
        name: str | None = None,
    ) -> None: ...

class rotator(LibraryBlock):
    def __init__(
        self,
        *,
        increment_rad: float,
        name: str | None = None,
    ) -> None: ...

class same_decoder(LibraryBlock):
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class sample_and_hold(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['f32', 'i32', 'i16', 'u8'] = 'f32',
        name: str | None = None,
    ) -> None: ...

class saxpy(LibraryBlock):
    def __init__(
        self,
        *,
        gain: float,
        offset: float = 0.0,
        name: str | None = None,
    ) -> None: ...

class scrambler(LibraryBlock):
    def __init__(
        self,
        *,
        mask: int = 138,
        seed: int = 127,
        length: int = 7,
        name: str | None = None,
    ) -> None: ...

class selector(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        inputs: int = 2,
        outputs: int = 2,
        input_index: int = 0,
        output_index: int = 0,
        enabled: bool = True,
        name: str | None = None,
    ) -> None: ...

class short_to_char(LibraryBlock):
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class short_to_float(LibraryBlock):
    def __init__(
        self,
        *,
        scale: float = 32768.0,
        name: str | None = None,
    ) -> None: ...

class sigmf_annotator(LibraryBlock):
    def __init__(
        self,
        *,
        path: str,
        output: str,
        format: str = 'auto',
        rate_hz: float = 0,
        center_hz: float = 0,
        name: str | None = None,
    ) -> None: ...

class sigmf_sink(LibraryBlock):
    def __init__(
        self,
        *,
        path: str,
        format: str,
        input: Literal['float', 'raw'] = 'float',
        rate_hz: float = 0,
        center_hz: float = 0,
        name: str | None = None,
    ) -> None: ...

class sigmf_source(LibraryBlock):
    def __init__(
        self,
        *,
        path: str,
        output: Literal['float', 'raw'] = 'float',
        name: str | None = None,
    ) -> None: ...

class signal_source(LibraryBlock):
    def __init__(
        self,
        *,
        rate_hz: float,
        item: Literal['C32', 'f32', 'i32', 'i16', 'i8', 'u8'] = 'C32',
        waveform: Literal['constant', 'sine', 'cosine', 'square', 'triangle', 'sawtooth'] = 'cosine',
        freq_hz: float = 1000.0,
        amplitude: float = 1.0,
        offset: Any = 0.0,
        phase_rad: float = 0.0,
        name: str | None = None,
    ) -> None: ...

class simple_squelch(LibraryBlock):
    def __init__(
        self,
        *,
        threshold_db: float = -20.0,
        alpha: float = 0.001,
        name: str | None = None,
    ) -> None: ...

class single_pole_iir_filter(LibraryBlock):
    def __init__(
        self,
        *,
        alpha: float,
        item: Literal['C32', 'f32'] = 'C32',
        vector: int = 1,
        name: str | None = None,
    ) -> None: ...

class skiphead(LibraryBlock):
    def __init__(
        self,
        *,
        items: int,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        name: str | None = None,
    ) -> None: ...

class socket_pdu(LibraryBlock):
    def __init__(
        self,
        *,
        kind: Literal['udp_server', 'udp_client', 'tcp_server', 'tcp_client'],
        port: int,
        host: str = '127.0.0.1',
        mtu: int = 10000,
        name: str | None = None,
    ) -> None: ...

class stream_demux(LibraryBlock):
    def __init__(
        self,
        *,
        lengths: Sequence[complex],
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        length: int = 1,
        name: str | None = None,
    ) -> None: ...

class stream_mux(LibraryBlock):
    def __init__(
        self,
        *,
        lengths: Sequence[complex],
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        length: int = 1,
        name: str | None = None,
    ) -> None: ...

class stream_to_tagged_stream(LibraryBlock):
    def __init__(
        self,
        *,
        packet_len: int,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        length_tag: str = 'packet_len',
        name: str | None = None,
    ) -> None: ...

class stream_to_vector(LibraryBlock):
    def __init__(
        self,
        *,
        length: int,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        name: str | None = None,
    ) -> None: ...

class stretch(LibraryBlock):
    def __init__(
        self,
        *,
        length: int,
        low: float = -100.0,
        name: str | None = None,
    ) -> None: ...

class subtract(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'i32', 'i16'] = 'C32',
        inputs: int = 2,
        name: str | None = None,
    ) -> None: ...

class swap_iq(LibraryBlock):
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class symbol_sync(LibraryBlock):
    def __init__(
        self,
        *,
        samples_per_symbol: float,
        item: Literal['C32', 'f32'] = 'C32',
        detector: Literal['mueller_and_muller', 'modified_mueller_and_muller', 'zero_crossing', 'gardner', 'early_late', 'signal_times_slope', 'signum_times_slope'] = 'gardner',
        bandwidth_rad: float = 0.045,
        damping: float = 1.0,
        detector_gain: float = 1.0,
        max_deviation: float = 1.5,
        outputs_per_symbol: int = 1,
        constellation: Any = 'bpsk',
        interpolator: Literal['mmse', 'polyphase'] = 'mmse',
        filters: int = 128,
        taps: Sequence[complex] = [],
        name: str | None = None,
    ) -> None: ...

class sync_word_to_packet(LibraryBlock):
    def __init__(
        self,
        *,
        access_code: str,
        item: Literal['u8', 'f32'] = 'u8',
        threshold: int = 0,
        either_polarity: bool = False,
        length: int = 0,
        length_offset: int = 0,
        length_bits: int = 8,
        length_order: Literal['big', 'little'] = 'big',
        length_add: int = 0,
        max_length: int = 4096,
        order: Literal['msb_first', 'lsb_first'] = 'msb_first',
        whitening: Literal['none', 'pn9', 'ccsds'] = 'none',
        crc: str = '',
        crc_order: Literal['big', 'little'] = 'big',
        crc_skip: int = 0,
        when_bad: Literal['drop', 'mark'] = 'drop',
        give: Literal['bytes', 'soft_bits'] = 'bytes',
        name: str | None = None,
    ) -> None: ...

class tag_adder(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        tags: str = '[]',
        every: int = 0,
        from_: int = 0,
        key: str = 'tag',
        value: Any = True,
        name: str | None = None,
    ) -> None: ...

class tag_debug(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        path: str = '',
        key: str = '',
        name: str | None = None,
    ) -> None: ...

class tag_gate(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        propagate_tags: bool = False,
        key: str = '',
        name: str | None = None,
    ) -> None: ...

class tag_share(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        share_item: Literal['as item', 'C32', 'f32', 'u8'] = 'as item',
        name: str | None = None,
    ) -> None: ...

class tagged_stream_align(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        length_tag: str = 'packet_len',
        name: str | None = None,
    ) -> None: ...

class tagged_stream_multiply_length(LibraryBlock):
    def __init__(
        self,
        *,
        scalar: float,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        length_tag: str = 'packet_len',
        name: str | None = None,
    ) -> None: ...

class tagged_stream_mux(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        inputs: int = 2,
        length_tag: str = 'packet_len',
        name: str | None = None,
    ) -> None: ...

class tagged_stream_to_pdu(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        length_tag: str = 'packet_len',
        resync: bool = False,
        most: int = 16777216,
        metadata: Literal['first', 'all'] = 'first',
        index: bool = True,
        name: str | None = None,
    ) -> None: ...

class tags_from_file(LibraryBlock):
    def __init__(
        self,
        *,
        path: str,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        name: str | None = None,
    ) -> None: ...

class tags_to_file(LibraryBlock):
    def __init__(
        self,
        *,
        path: str,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        key: str = '',
        name: str | None = None,
    ) -> None: ...

class tags_to_pdu(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        start_tag: str = 'SOB',
        end_tag: str = 'EOB',
        max_pdu_size: int = 1048576,
        rate_hz: float = 1.0,
        prepend: Sequence[complex] = [],
        eob_alignment: int = 1,
        eob_offset: int = 0,
        start_time: float = 0.0,
        name: str | None = None,
    ) -> None: ...

class take_skip_to_pdu(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        take: int = 1024,
        skip: int = 0,
        entry: Literal['index', 'pdu_num'] = 'index',
        name: str | None = None,
    ) -> None: ...

class tcp_sink(LibraryBlock):
    def __init__(
        self,
        *,
        port: int,
        host: str = '127.0.0.1',
        mode: Literal['client', 'server'] = 'client',
        format: str = 'cf32_le',
        input: Literal['float', 'raw'] = 'float',
        name: str | None = None,
    ) -> None: ...

class threshold(LibraryBlock):
    def __init__(
        self,
        *,
        low: float,
        high: float,
        state: float = 0.0,
        name: str | None = None,
    ) -> None: ...

class throttle(LibraryBlock):
    def __init__(
        self,
        *,
        rate_hz: float,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        name: str | None = None,
    ) -> None: ...

class time_delta(LibraryBlock):
    def __init__(
        self,
        *,
        delta_key: str = 'delta_ms',
        time_key: str = 'systime',
        name: str | None = None,
    ) -> None: ...

class transcendental(LibraryBlock):
    def __init__(
        self,
        *,
        function: Literal['sin', 'cos', 'tan', 'asin', 'acos', 'atan', 'sinh', 'cosh', 'tanh', 'exp', 'log', 'log10', 'sqrt'],
        item: Literal['C32', 'f32'] = 'C32',
        name: str | None = None,
    ) -> None: ...

class uchar_to_float(LibraryBlock):
    def __init__(
        self,
        *,
        plain: bool = False,
        name: str | None = None,
    ) -> None: ...

class udp_sink(LibraryBlock):
    def __init__(
        self,
        *,
        host: str = '127.0.0.1',
        port: int = 2000,
        format: str = 'cf32_le',
        input: Literal['float', 'raw'] = 'float',
        header: Literal['none', 'sequence', 'sequence_size'] = 'none',
        payload_size: int = 1472,
        send_eof: bool = False,
        name: str | None = None,
    ) -> None: ...

class udp_source(LibraryBlock):
    def __init__(
        self,
        *,
        port: int = 1234,
        host: str = '127.0.0.1',
        format: str = 'cf32_le',
        output: Literal['float', 'raw'] = 'float',
        header: Literal['none', 'sequence', 'sequence_size'] = 'none',
        payload_size: int = 1472,
        notify_missed: bool = True,
        source_zeros: bool = False,
        eof: bool = False,
        on_gap: Literal['continue', 'zeros', 'error'] = 'continue',
        buffer_packets: int = 4096,
        rate_hz: float = 0,
        name: str | None = None,
    ) -> None: ...

class ulaw_decode(LibraryBlock):
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class ulaw_encode(LibraryBlock):
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class unpack_k_bits(LibraryBlock):
    def __init__(
        self,
        *,
        k: int,
        name: str | None = None,
    ) -> None: ...

class unpacked_to_packed(LibraryBlock):
    def __init__(
        self,
        *,
        bits: int,
        item: Literal['u8', 'i32', 'i16'] = 'u8',
        order: Literal['msb_first', 'lsb_first'] = 'msb_first',
        name: str | None = None,
    ) -> None: ...

class vco(LibraryBlock):
    def __init__(
        self,
        *,
        rate_hz: float,
        item: Literal['C32', 'f32'] = 'C32',
        sensitivity: float = 1.0,
        amplitude: float = 1.0,
        name: str | None = None,
    ) -> None: ...

class vector_insert(LibraryBlock):
    def __init__(
        self,
        *,
        values: Sequence[complex],
        period: int,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        offset: int = 0,
        name: str | None = None,
    ) -> None: ...

class wav_channels_sink(LibraryBlock):
    def __init__(
        self,
        *,
        path: str,
        rate_hz: int,
        channels: int = 1,
        encoding: Literal['u8', 's16', 's24', 's32', 'f32'] = 's16',
        append: bool = False,
        name: str | None = None,
    ) -> None: ...

class wav_channels_source(LibraryBlock):
    def __init__(
        self,
        *,
        path: str,
        repeat: bool = False,
        lenient: bool = False,
        name: str | None = None,
    ) -> None: ...

class wav_sink(LibraryBlock):
    def __init__(
        self,
        *,
        path: str,
        rate_hz: int,
        input: Literal['real', 'complex'] = 'real',
        encoding: Literal['u8', 's16', 's24', 's32', 'f32'] = 's16',
        name: str | None = None,
    ) -> None: ...

class wav_source(LibraryBlock):
    def __init__(
        self,
        *,
        path: str,
        output: Literal['auto', 'real', 'complex'] = 'auto',
        lenient: bool = False,
        name: str | None = None,
    ) -> None: ...

class xor(LibraryBlock):
    def __init__(
        self,
        *,
        item: Literal['u8', 'i32', 'i16'] = 'u8',
        inputs: int = 2,
        name: str | None = None,
    ) -> None: ...

class zmq_pub_msg_sink(LibraryBlock):
    def __init__(
        self,
        *,
        address: str,
        bind: bool = True,
        high_water: int = -1,
        memory_bytes: int = 67108864,
        name: str | None = None,
    ) -> None: ...

class zmq_pub_sink(LibraryBlock):
    def __init__(
        self,
        *,
        address: str,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        bind: bool = True,
        high_water: int = -1,
        memory_bytes: int = 67108864,
        vector: int = 1,
        pass_tags: bool = False,
        key: str = '',
        waits: bool = False,
        name: str | None = None,
    ) -> None: ...

class zmq_pull_msg_source(LibraryBlock):
    def __init__(
        self,
        *,
        address: str,
        bind: bool = False,
        high_water: int = -1,
        memory_bytes: int = 67108864,
        name: str | None = None,
    ) -> None: ...

class zmq_pull_source(LibraryBlock):
    def __init__(
        self,
        *,
        address: str,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        bind: bool = False,
        high_water: int = -1,
        memory_bytes: int = 67108864,
        vector: int = 1,
        pass_tags: bool = False,
        name: str | None = None,
    ) -> None: ...

class zmq_push_msg_sink(LibraryBlock):
    def __init__(
        self,
        *,
        address: str,
        bind: bool = True,
        high_water: int = -1,
        memory_bytes: int = 67108864,
        name: str | None = None,
    ) -> None: ...

class zmq_push_sink(LibraryBlock):
    def __init__(
        self,
        *,
        address: str,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        bind: bool = True,
        high_water: int = -1,
        memory_bytes: int = 67108864,
        vector: int = 1,
        pass_tags: bool = False,
        name: str | None = None,
    ) -> None: ...

class zmq_rep_msg_sink(LibraryBlock):
    def __init__(
        self,
        *,
        address: str,
        bind: bool = True,
        high_water: int = -1,
        memory_bytes: int = 67108864,
        name: str | None = None,
    ) -> None: ...

class zmq_rep_sink(LibraryBlock):
    def __init__(
        self,
        *,
        address: str,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        bind: bool = True,
        high_water: int = -1,
        memory_bytes: int = 67108864,
        vector: int = 1,
        pass_tags: bool = False,
        name: str | None = None,
    ) -> None: ...

class zmq_req_msg_source(LibraryBlock):
    def __init__(
        self,
        *,
        address: str,
        bind: bool = False,
        high_water: int = -1,
        memory_bytes: int = 67108864,
        name: str | None = None,
    ) -> None: ...

class zmq_req_source(LibraryBlock):
    def __init__(
        self,
        *,
        address: str,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        bind: bool = False,
        high_water: int = -1,
        memory_bytes: int = 67108864,
        vector: int = 1,
        pass_tags: bool = False,
        name: str | None = None,
    ) -> None: ...

class zmq_sub_msg_source(LibraryBlock):
    def __init__(
        self,
        *,
        address: str,
        bind: bool = False,
        high_water: int = -1,
        memory_bytes: int = 67108864,
        name: str | None = None,
    ) -> None: ...

class zmq_sub_source(LibraryBlock):
    def __init__(
        self,
        *,
        address: str,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        bind: bool = False,
        high_water: int = -1,
        memory_bytes: int = 67108864,
        vector: int = 1,
        pass_tags: bool = False,
        key: str = '',
        name: str | None = None,
    ) -> None: ...
