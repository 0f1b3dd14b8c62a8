"""The blocks of the library, a class each. Written by `python -m superhet._stubs`."""

from typing import Any, Literal, Sequence

from superhet.arrays import vector_sink as vector_sink, vector_source as vector_source
from superhet.graph import LibraryBlock

class abs(LibraryBlock):
    """Absolute values: y[n] = |x[n]|.

    Parameters
    ----------
    item : one of f32, i32, i16, default 'f32'
        The type of the items.

    Inputs
    ------
    in : items as `item` says
        x

    Outputs
    -------
    out : items as `item` says
        |x|

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        item: Literal['f32', 'i32', 'i16'] = 'f32',
        name: str | None = None,
    ) -> None: ...

class add(LibraryBlock):
    """Adds streams: y[n] = a[n] + b[n] + ….

    Parameters
    ----------
    item : one of C32, f32, i32, i16, default 'C32'
        The type of the items.
    inputs : whole number from 1 to 64, default 2
        How many inputs there are: in0, in1, …; one alone passes as it is.

    Inputs
    ------
    in0 : items as `item` says
        a
    in1 : items as `item` says
        b; more or fewer as inputs says

    Outputs
    -------
    out : items as `item` says
        the sum

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'i32', 'i16'] = 'C32',
        inputs: int = 2,
        name: str | None = None,
    ) -> None: ...

class add_const(LibraryBlock):
    """Adds a constant: y[n] = x[n] + constant.

    Parameters
    ----------
    item : one of C32, f32, i32, i16, u8, default 'C32'
        The type of the items.
    constant : number, required
        The constant, or its real part.
    constant_imag : number, default 0.0
        The imaginary part; 0 where the items are not C32.

    Inputs
    ------
    in : items as `item` says
        x
    set : messages
        new values of constant

    Outputs
    -------
    out : items as `item` says
        x + constant

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        constant: complex,
        *,
        item: Literal['C32', 'f32', 'i32', 'i16', 'u8'] = 'C32',
        constant_imag: float = 0.0,
        name: str | None = None,
    ) -> None: ...

class add_const_pdu(LibraryBlock):
    """Adds a constant to the items of packets.

    Parameters
    ----------
    item : one of C32, f32, default 'C32'
        The type of the items.
    constant : number, required
        The constant, or its real part.
    constant_imag : number, default 0.0
        The imaginary part; 0 where the items are f32.

    Inputs
    ------
    in : messages
        packets of x

    Outputs
    -------
    out : messages
        packets of x + constant

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        constant: complex,
        *,
        item: Literal['C32', 'f32'] = 'C32',
        constant_imag: float = 0.0,
        name: str | None = None,
    ) -> None: ...

class add_const_vector(LibraryBlock):
    """Addition of vectors and a constant one.

    Parameters
    ----------
    item : one of C32, f32, i32, i16, u8, default 'C32'
        The type of the items.
    constants : list of numbers, required
        The constants; complex ones as [re, im].

    Inputs
    ------
    in : items as `item` says
        x: vectors of as many items as there are constants
    set : messages
        new values of constants, as many as before

    Outputs
    -------
    out : items as `item` says
        x + constants, place by place: ⌊n / L⌋ · L items for n, with L constants

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        constants: Sequence[complex],
        *,
        item: Literal['C32', 'f32', 'i32', 'i16', 'u8'] = 'C32',
        name: str | None = None,
    ) -> None: ...

class add_system_time(LibraryBlock):
    """Sets an entry of each packet's metadata to the time.

    Parameters
    ----------
    key : text, default 'systime'
        The entry.

    Inputs
    ------
    in : messages
        packets of any items

    Outputs
    -------
    out : messages
        the packets, with the time in seconds since 1970

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        key: str = 'systime',
        name: str | None = None,
    ) -> None: ...

class additive_scrambler(LibraryBlock):
    """Flips bits of each item by the sequence of a shift register.

    Parameters
    ----------
    item : one of u8, i16, i32, default 'u8'
        The type of the items.
    mask : whole number ≥ 0, default 138
        Which places of the register are fed back, as the bits of a number.
    seed : whole number ≥ 0, default 127
        What the register holds at first.
    length : whole number from 0 to 63, bits, default 7
        The place at which bits enter, counted from 0.
    reset_every : whole number ≥ 0, items, default 0
        After so many items it begins again; 0 for never.
    bits_per_item : whole number from 1 to 32, default 1
        How many bits of an item are scrambled.
    reset_tag : text, default ''
        The key of tags where it begins again; then not else.

    Inputs
    ------
    in : items as `item` says
        any

    Outputs
    -------
    out : items as `item` says
        the same, scrambled

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
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

class adsb_channel(LibraryBlock):
    """The channel of Mode S at 4 MHz, filtered and without an offset, for adsb_channel_demod.

    Parameters
    ----------
    rate_hz : number from 2000000 to 1000000000, Hz, default 2000000
        Samples per second, a whole number.

    Inputs
    ------
    in : C32
        samples about 1090 MHz, full scale = 1.0

    Outputs
    -------
    out : C32
        the channel at 4 MHz

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        rate_hz: float = 2000000,
        name: str | None = None,
    ) -> None: ...

class adsb_channel_demod(LibraryBlock):
    """Reads Mode S and ADS-B messages in what adsb_channel gives, where adsb_preambles has marked it, and decodes them.

    Parameters
    ----------
    rate_hz : number from 2000000 to 1000000000, Hz, default 2000000
        Samples per second, a whole number.
    repair : true or false, default True
        Puts wrong bits right where the sender is known.
    receiver_deg : list of numbers, degrees, default []
        Latitude and longitude of the receiver, without which aircraft first heard on the ground have no position.
    decode : true or false, default True
        Says what the messages say, too; false: adsb_decode does that behind it.

    Inputs
    ------
    in : C32
        the channel at 4 MHz, which adsb_channel has made of samples at rate_hz
    marks : u8
        what adsb_preambles gives for the same channel

    Outputs
    -------
    frames : messages
        packets of u8, the bytes of each message; metadata: hex, sample_index, df, icao and what it says

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        rate_hz: float = 2000000,
        repair: bool = True,
        receiver_deg: Sequence[complex] = [],
        decode: bool = True,
        name: str | None = None,
    ) -> None: ...

class adsb_decode(LibraryBlock):
    """Decodes Mode S and ADS-B messages that a demodulator has found with decode = false.

    Parameters
    ----------
    rate_hz : number from 2000000 to 1000000000, Hz, default 2000000
        Samples per second, a whole number.
    receiver_deg : list of numbers, degrees, default []
        Latitude and longitude of the receiver, without which aircraft first heard on the ground have no position.

    Inputs
    ------
    in : messages
        packets of u8, the bytes of each message; metadata: sample_index

    Outputs
    -------
    out : messages
        the same packets; metadata: what they say, too

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        rate_hz: float = 2000000,
        receiver_deg: Sequence[complex] = [],
        name: str | None = None,
    ) -> None: ...

class adsb_demod(LibraryBlock):
    """Finds Mode S and ADS-B messages in magnitudes, and decodes them.

    Parameters
    ----------
    rate_hz : number from 2000000 to 1000000000, Hz, default 2000000
        Samples per second, a whole number.
    repair : true or false, default True
        Puts wrong bits right where the sender is known.
    receiver_deg : list of numbers, degrees, default []
        Latitude and longitude of the receiver, without which aircraft first heard on the ground have no position.
    decode : true or false, default True
        Says what the messages say, too; false: adsb_decode does that behind it.

    Inputs
    ------
    in : f32
        magnitude, full scale = 1.0

    Outputs
    -------
    frames : messages
        packets of u8, the bytes of each message; metadata: hex, sample_index, df, icao and what it says
    out : f32
        the magnitudes, with a tag adsb where a message starts

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        rate_hz: float = 2000000,
        repair: bool = True,
        receiver_deg: Sequence[complex] = [],
        decode: bool = True,
        name: str | None = None,
    ) -> None: ...

class adsb_preambles(LibraryBlock):
    """Marks where Mode S messages may begin in what adsb_channel gives, for adsb_channel_demod.

    Inputs
    ------
    in : C32
        the channel at 4 MHz, which adsb_channel makes

    Outputs
    -------
    out : u8
        a mark for each value, 256 values late: 0 where nothing begins

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class adsb_print(LibraryBlock):
    """Prints messages of aircraft to stdout, a line each.

    Parameters
    ----------
    style : one of text, json, default 'text'
        text: time, message and the most important of what it says; json: an object with everything.

    Inputs
    ------
    frames : messages
        maps as adsb_demod sends them

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        style: Literal['text', 'json'] = 'text',
        name: str | None = None,
    ) -> None: ...

class adsb_receiver(LibraryBlock):
    """Filters the channel, finds Mode S and ADS-B messages in it, and decodes them.

    Parameters
    ----------
    rate_hz : number from 2000000 to 1000000000, Hz, default 2000000
        Samples per second, a whole number.
    repair : true or false, default True
        Puts wrong bits right where the sender is known.
    receiver_deg : list of numbers, degrees, default []
        Latitude and longitude of the receiver, without which aircraft first heard on the ground have no position.
    decode : true or false, default True
        Says what the messages say, too; false: adsb_decode does that behind it.

    Inputs
    ------
    in : C32
        samples about 1090 MHz, full scale = 1.0

    Outputs
    -------
    frames : messages
        packets of u8, the bytes of each message; metadata: hex, sample_index, df, icao and what it says
    out : C32
        the samples, with a tag adsb where a message starts

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        rate_hz: float = 2000000,
        repair: bool = True,
        receiver_deg: Sequence[complex] = [],
        decode: bool = True,
        name: str | None = None,
    ) -> None: ...

class afsk_demod(LibraryBlock):
    """Demodulates two audio tones to soft symbols; levels and timing are found by themselves.

    Parameters
    ----------
    rate_hz : number ≥ 0, samples/s, required
        The sample rate, > 0.
    symbol_rate_hz : number ≥ 0, symbols/s, required
        The symbol rate, at most half of the sample rate.
    mark_hz : number ≥ 0, Hz, required
        The tone of a one.
    space_hz : number ≥ 0, Hz, required
        The tone of a zero.
    detector : one of auto, turn, envelopes, default 'auto'
        What tells the tones apart; auto: turn where they are at most 1.25 symbol rates apart.

    Inputs
    ------
    in : f32
        audio

    Outputs
    -------
    out : f32
        soft symbols, about 1 for mark and −1 for space

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        rate_hz: float,
        symbol_rate_hz: float,
        mark_hz: float,
        space_hz: float,
        *,
        detector: Literal['auto', 'turn', 'envelopes'] = 'auto',
        name: str | None = None,
    ) -> None: ...

class afsk_hdlc_demod(LibraryBlock):
    """Demodulates two audio tones in several ways at once, and sends the HDLC frames that any of them finds.

    Parameters
    ----------
    rate_hz : number ≥ 0, samples/s, required
        The sample rate, > 0.
    symbol_rate_hz : number ≥ 0, symbols/s, required
        The symbol rate, at most half of the sample rate.
    mark_hz : number ≥ 0, Hz, required
        The tone of a one.
    space_hz : number ≥ 0, Hz, required
        The tone of a zero.
    min_length : whole number from 0 to 65536, bytes, default 32
        The shortest packet, without the checksum.
    max_length : whole number from 0 to 65536, bytes, default 500
        The longest packet, without the checksum.

    Inputs
    ------
    in : f32
        audio

    Outputs
    -------
    out : messages
        packets of u8

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        rate_hz: float,
        symbol_rate_hz: float,
        mark_hz: float,
        space_hz: float,
        *,
        min_length: int = 32,
        max_length: int = 500,
        name: str | None = None,
    ) -> None: ...

class agc(LibraryBlock):
    """Automatic gain control.

    Parameters
    ----------
    item : one of C32, f32, default 'C32'
        The type of the items.
    rate : number from -340000000000000000000000000000000000000 to 340000000000000000000000000000000000000, default 0.0001
        How fast the gain changes.
    reference : number from -340000000000000000000000000000000000000 to 340000000000000000000000000000000000000, default 1.0
        The magnitude that the output shall have.
    gain : number from -340000000000000000000000000000000000000 to 340000000000000000000000000000000000000, default 1.0
        The gain at first.
    max_gain : number from -340000000000000000000000000000000000000 to 340000000000000000000000000000000000000, default 65536.0
        The greatest gain; 0: any.

    Inputs
    ------
    in : items as `item` says
        x
    set : messages
        new values of all parameters

    Outputs
    -------
    out : items as `item` says
        x, levelled

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
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
    """Automatic gain control with a rate for attack and one for decay.

    Parameters
    ----------
    item : one of C32, f32, default 'C32'
        The type of the items.
    attack_rate : number from -340000000000000000000000000000000000000 to 340000000000000000000000000000000000000, default 0.1
        How fast the gain falls.
    decay_rate : number from -340000000000000000000000000000000000000 to 340000000000000000000000000000000000000, default 0.01
        How fast the gain rises.
    reference : number from -340000000000000000000000000000000000000 to 340000000000000000000000000000000000000, default 1.0
        The magnitude that the output shall have.
    gain : number from -340000000000000000000000000000000000000 to 340000000000000000000000000000000000000, default 1.0
        The gain at first.
    max_gain : number from -340000000000000000000000000000000000000 to 340000000000000000000000000000000000000, default 65536.0
        The greatest gain; 0: any.

    Inputs
    ------
    in : items as `item` says
        x
    set : messages
        new values of all parameters

    Outputs
    -------
    out : items as `item` says
        x, levelled

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
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
    """Automatic gain control that measures the level first and then tracks it.

    Parameters
    ----------
    attack_rate : number from -340000000000000000000000000000000000000 to 340000000000000000000000000000000000000, default 0.1
        How fast the gain falls.
    decay_rate : number from -340000000000000000000000000000000000000 to 340000000000000000000000000000000000000, default 0.01
        How fast the gain rises.
    reference : number from -340000000000000000000000000000000000000 to 340000000000000000000000000000000000000, default 1.0
        The magnitude that the output shall have.
    gain : number from -340000000000000000000000000000000000000 to 340000000000000000000000000000000000000, default 1.0
        The gain at first.
    max_gain : number from -340000000000000000000000000000000000000 to 340000000000000000000000000000000000000, default 65536.0
        The greatest gain; 0: any.
    update_decimation : whole number from 1 to 1048576, items, default 1
        How far apart updates are.

    Inputs
    ------
    in : C32
        x
    set : messages
        new values of all parameters

    Outputs
    -------
    out : C32
        x, levelled

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
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

class ais_decode(LibraryBlock):
    """Puts into words what messages of AIS say, and gives them as NMEA, too.

    Parameters
    ----------
    channel : text, default 'A'
        The channel, as sentences name it: A or B.

    Inputs
    ------
    in : messages
        packets of u8: frames without their checksums

    Outputs
    -------
    out : messages
        the same, with what they say in their metadata

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        channel: str = 'A',
        name: str | None = None,
    ) -> None: ...

class ais_demod(LibraryBlock):
    """Finds the frames of AIS in the samples of a channel.

    Parameters
    ----------
    rate_hz : number ≥ 19200, samples/s, required
        The sample rate.

    Inputs
    ------
    in : C32
        the channel, in the middle of the band

    Outputs
    -------
    out : messages
        packets of u8

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        rate_hz: float,
        *,
        name: str | None = None,
    ) -> None: ...

class alaw_decode(LibraryBlock):
    """Bytes to 16-bit samples by the A-law of G.711.

    Inputs
    ------
    in : u8
        codes

    Outputs
    -------
    out : i16
        full scale = 32768

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class alaw_encode(LibraryBlock):
    """16-bit samples to bytes by the A-law of G.711.

    Inputs
    ------
    in : i16
        full scale = 32768

    Outputs
    -------
    out : u8
        codes

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class am_demod(LibraryBlock):
    """AM demodulation by envelope: the magnitude minus its running mean.

    Parameters
    ----------
    rate_hz : number ≥ 0, samples/s, required
        The sample rate, > 0.
    cutoff_hz : number ≥ 0, Hz, default 20.0
        What is below is taken for the carrier; less than half of the rate.

    Inputs
    ------
    in : C32
        the signal; its carrier need not be at 0 Hz
    set : messages
        new values of cutoff_hz

    Outputs
    -------
    out : f32
        the sound, in the unit of the input

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        rate_hz: float,
        *,
        cutoff_hz: float = 20.0,
        name: str | None = None,
    ) -> None: ...

class and_(LibraryBlock):
    """Bitwise and: y[n] = a[n] & b[n] & ….

    Parameters
    ----------
    item : one of u8, i32, i16, default 'u8'
        The type of the items.
    inputs : whole number from 1 to 64, default 2
        How many inputs there are: in0, in1, …; one alone passes as it is.

    Inputs
    ------
    in0 : items as `item` says
        a
    in1 : items as `item` says
        b; more or fewer as inputs says

    Outputs
    -------
    out : items as `item` says
        a & b & …

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        item: Literal['u8', 'i32', 'i16'] = 'u8',
        inputs: int = 2,
        name: str | None = None,
    ) -> None: ...

class and_const(LibraryBlock):
    """Bitwise and with a constant: y[n] = x[n] & constant.

    Parameters
    ----------
    item : one of u8, i32, i16, default 'u8'
        The type of the items.
    constant : whole number from -2147483648 to 2147483647, required
        The constant.

    Inputs
    ------
    in : items as `item` says
        x
    set : messages
        new values of constant

    Outputs
    -------
    out : items as `item` says
        x & constant

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        constant: int,
        *,
        item: Literal['u8', 'i32', 'i16'] = 'u8',
        name: str | None = None,
    ) -> None: ...

class ao40_deframer(LibraryBlock):
    """Sends the frames with the code of AO-40, as FUNcube's, that soft bits say.

    Parameters
    ----------
    threshold : whole number from 0 to 16, default 10
        So many of the 65 bits of the known word may be wrong.

    Inputs
    ------
    in : f32
        soft bits, positive for 1

    Outputs
    -------
    out : messages
        packets of 256 u8

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        threshold: int = 10,
        name: str | None = None,
    ) -> None: ...

class aprs_decode(LibraryBlock):
    """Puts into words what APRS says in frames of AX.25: positions, messages, telemetry.

    Inputs
    ------
    in : messages
        packets of u8: frames without their checksums

    Outputs
    -------
    out : messages
        the same, with what they say in their metadata

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class argmax(LibraryBlock):
    """Where the largest item of each vector of all inputs lies.

    Parameters
    ----------
    item : one of f32, i32, i16, default 'f32'
        The type of the items.
    inputs : whole number from 1 to 64, default 2
        How many inputs there are: in0, in1, …; one alone passes as it is.
    length : whole number from 1 to 32768, items, default 1
        The length of a vector.

    Inputs
    ------
    in0 : items as `item` says
        a
    in1 : items as `item` says
        b; more or fewer as inputs says

    Outputs
    -------
    out0 : i16
        the place in the vector: ⌊n / length⌋ items for n
    out1 : i16
        the number of the input

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        item: Literal['f32', 'i32', 'i16'] = 'f32',
        inputs: int = 2,
        length: int = 1,
        name: str | None = None,
    ) -> None: ...

class audio_sink(LibraryBlock):
    """Streams that are heard, each a channel of a sound card, whose clock the stream is fitted to.

    Parameters
    ----------
    rate_hz : whole number from 1000 to 384000, Hz, required
        Frames a second, as 48000.
    channels : whole number from 1 to 8, default 1
        How many streams there are, a channel each.
    device : text, default ''
        The card: pulse, pulse:NAME, alsa, alsa:NAME; empty: the machine's own.
    latency_s : number from 0.01 to 2, s, default 0.2
        How much lies in the buffers, the card's own among them: more for one that is far away.
    volume : number from 0 to 100, default 1
        What samples are multiplied by.

    Inputs
    ------
    in : f32
        the samples, full scale = 1.0; of several channels in0, in1 and so on
    set : messages
        new values of volume

    Outputs
    -------
    status : messages
        once a second a map with fill_s, ppm and underruns

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        rate_hz: int,
        *,
        channels: int = 1,
        device: str = '',
        latency_s: float = 0.2,
        volume: float = 1,
        name: str | None = None,
    ) -> None: ...

class audio_source(LibraryBlock):
    """Streams of what a sound card hears, a channel each; what is lost is tagged and counted.

    Parameters
    ----------
    rate_hz : whole number from 1000 to 384000, Hz, required
        Frames a second, as 48000.
    channels : whole number from 1 to 8, default 1
        How many streams there are, a channel each.
    device : text, default ''
        The card: pulse, pulse:NAME, alsa, alsa:NAME; empty: the machine's own.
    latency_s : number from 0.01 to 2, s, default 0.02
        How much comes together.
    on_gap : one of continue, zeros, error, default 'continue'
        What is done where samples are missing: go on with a tag, fill in zeros, or end with an error.

    Outputs
    -------
    out : f32
        the samples, full scale = 1.0; of several channels out0, out1 and so on

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        rate_hz: int,
        *,
        channels: int = 1,
        device: str = '',
        latency_s: float = 0.02,
        on_gap: Literal['continue', 'zeros', 'error'] = 'continue',
        name: str | None = None,
    ) -> None: ...

class ax25_decode(LibraryBlock):
    """Puts into words what AX.25 frames say: addresses, kind, information.

    Inputs
    ------
    in : messages
        packets of u8: frames without their checksums

    Outputs
    -------
    out : messages
        the same, with what they say in their metadata

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class ber(LibraryBlock):
    """How many of the bits of two streams of bytes differ: log10(errors / bits).

    Parameters
    ----------
    bytes_per_output : whole number ≥ 1, bytes, default 1024
        A rate comes after so many.
    test_mode : true or false, default False
        Whether one rate comes, and then the end.
    min_errors : whole number ≥ 1, default 100
        In the test, with so many errors.
    limit : number, default -7.0
        In the test, or when the rate is below this: a decimal logarithm.

    Inputs
    ------
    in0 : u8
        bytes
    in1 : u8
        bytes

    Outputs
    -------
    out : f32
        log10 of the rate

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
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
    """One bit of each number: 1 for x ≥ 0, else 0.

    Inputs
    ------
    in : f32
        x

    Outputs
    -------
    out : u8
        0 or 1

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class block_interleaver(LibraryBlock):
    """The items of each block in another order.

    Parameters
    ----------
    item : one of C32, f32, u8, i8, i16, i32, cu8, cs8, cs16, default 'C32'
        The type of the items.
    indices : list of numbers, required
        Which item of a block comes at each place, from 0.
    reverse : true or false, default False
        Whether this order is undone.
    packed : true or false, default False
        Whether it is the bits of bytes that get another order, the highest first; u8 only.

    Inputs
    ------
    in : items as `item` says
        x

    Outputs
    -------
    out : items as `item` says
        x in another order: ⌊n / L⌋ · L items for n, with L indices

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        indices: Sequence[complex],
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        reverse: bool = False,
        packed: bool = False,
        name: str | None = None,
    ) -> None: ...

class burst_shaper(LibraryBlock):
    """Lets bursts rise and fall by a window, with zeros around them.

    Parameters
    ----------
    item : one of C32, f32, default 'C32'
        The type of the items.
    window : list of numbers, default []
        The first half is for the rise, the second for the fall.
    pre_padding : whole number from 0 to 1048576, items, default 0
        Zeros before each burst.
    post_padding : whole number from 0 to 1048576, items, default 0
        Zeros behind each burst.
    insert_phasing : true or false, default False
        Whether extra samples rise and fall, not the burst.
    length_tag : text, default 'packet_len'
        The key of the tag on the first item of each packet that says how many items it has.
    resync : true or false, default False
        Whether what is in no whole packet is dropped with a warning, instead of an error.

    Inputs
    ------
    in : items as `item` says
        packets in a stream

    Outputs
    -------
    out : items as `item` says
        packets in a stream

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
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
    """Tags where bursts begin and end, by their power or by a trigger.

    Parameters
    ----------
    item : one of C32, f32, default 'C32'
        The type of the items.
    key : text, default 'burst'
        The key of the tags: true at the start, false at the end.
    threshold : number from 0 to 340282346638528860000000000000000000000, full scale², default 0.1
        The least power of a burst's first item, > 0.
    threshold_off : number from 0 to 340282346638528860000000000000000000000, full scale², default 0.0
        What the power must fall below at its end; 0: threshold.
    min_length : whole number from 1 to 16777216, items, default 1
        Bursts shorter than this are none.
    hold : whole number from 1 to 16777216, items, default 1
        How many items in a row must be below at the end.

    Inputs
    ------
    in : items as `item` says
        x, full scale = 1.0
    trigger : i16
        > 0 in a burst; may stay unconnected, then the power of x counts

    Outputs
    -------
    out : items as `item` says
        x, with tags

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
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
    """Complex samples to signed 16-bit integers, interleaved IQ: each part is 32768 · x.

    Inputs
    ------
    in : C32
        full scale = 1.0

    Outputs
    -------
    out : cs16
        codes [i, q], −32768..=32767

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class c32_to_cs8(LibraryBlock):
    """Complex samples to signed bytes, interleaved IQ: each part is 128 · x.

    Inputs
    ------
    in : C32
        full scale = 1.0

    Outputs
    -------
    out : cs8
        codes [i, q], −128..=127

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class c32_to_cu8(LibraryBlock):
    """Complex samples to unsigned bytes, interleaved IQ: each part is 127.5 · x + 127.5.

    Inputs
    ------
    in : C32
        full scale = 1.0

    Outputs
    -------
    out : cu8
        codes [i, q], 0..=255

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class channel_model(LibraryBlock):
    """A channel with noise, echoes, and clocks and oscillators that differ.

    Parameters
    ----------
    noise_voltage : number, default 0.0
        The root of the power of the noise.
    frequency_offset : number, turns/sample, default 0.0
        By how much the oscillators differ.
    epsilon : number from 0.000001 to 1000000, default 1.0
        Input rate / output rate.
    taps : list of numbers, default [1.0]
        The echoes: the taps of a filter.
    seed : whole number, default 0
        The same seed gives the same noise.
    block_tags : true or false, default False
        Tags do not pass.

    Inputs
    ------
    in : C32
        x
    set : messages
        new values of noise_voltage, frequency_offset, epsilon and taps

    Outputs
    -------
    out : C32
        what arrives

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
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
    """Splits a band into channels of equal width: frames of one item of each channel.

    Parameters
    ----------
    channels : whole number from 1 to 65536, required
        How many channels.
    taps : list of numbers, required
        The real taps of a low-pass filter for the input's rate.

    Inputs
    ------
    in : C32
        x

    Outputs
    -------
    out : C32
        frames of channels: ⌊n / channels⌋ · channels items for n

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        channels: int,
        taps: Sequence[complex],
        *,
        name: str | None = None,
    ) -> None: ...

class char_to_float(LibraryBlock):
    """Signed bytes to real samples: y[n] = x[n] / scale.

    Parameters
    ----------
    scale : number, default 128.0
        The code for 1.0, not 0.

    Inputs
    ------
    in : i8
        codes −128..=127
    set : messages
        new values of scale

    Outputs
    -------
    out : f32
        full scale = 1.0

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        scale: float = 128.0,
        name: str | None = None,
    ) -> None: ...

class char_to_short(LibraryBlock):
    """Signed bytes to signed 16-bit integers of the same full scale: y[n] = 256 · x[n].

    Inputs
    ------
    in : i8
        codes

    Outputs
    -------
    out : i16
        codes

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class chunks_to_symbols(LibraryBlock):
    """Numbers as symbols of a table.

    Parameters
    ----------
    item : one of u8, i16, i32, default 'u8'
        The type of the numbers.
    out_item : one of C32, f32, default 'C32'
        The type of the symbols.
    symbols : list of numbers, required
        The table; with several dimensions, the items of each symbol in a row.
    dimension : whole number from 1 to 65536, items, default 1
        How many items a symbol has.
    table_tag : text, default ''
        The key of tags that have a new table for their item and those behind it; empty for none.

    Inputs
    ------
    in : items as `item` says
        the place in the table
    set : messages
        new values of symbols

    Outputs
    -------
    out : C32
        the symbols; f32 where out_item says so

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        symbols: Sequence[complex],
        *,
        item: Literal['u8', 'i16', 'i32'] = 'u8',
        out_item: Literal['C32', 'f32'] = 'C32',
        dimension: int = 1,
        table_tag: str = '',
        name: str | None = None,
    ) -> None: ...

class clock_recovery_mm(LibraryBlock):
    """Finds the instants of the symbols by the detector of Mueller and Müller.

    Parameters
    ----------
    item : one of C32, f32, default 'C32'
        The type of the items.
    samples_per_symbol : number from 1 to 1000000, samples, required
        How many samples a symbol takes, more than 1.
    gain_omega : number, samples, default 0.0076
        How much of the error changes the period.
    mu : number from 0 to 1, samples, default 0.5
        Where between two samples the first symbol is.
    gain_mu : number, samples, default 0.175
        How much of the error changes the next step.
    relative_limit : number from 0 to 1, default 0.005
        How far off the period may be, as a part of it.

    Inputs
    ------
    in : items as `item` says
        samples
    set : messages
        new values of samples_per_symbol, gain_omega, gain_mu and mu

    Outputs
    -------
    out : items as `item` says
        symbols: about n / samples_per_symbol items for n
    error : f32
        the error of the clock

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        samples_per_symbol: float,
        *,
        item: Literal['C32', 'f32'] = 'C32',
        gain_omega: float = 0.0076,
        mu: float = 0.5,
        gain_mu: float = 0.175,
        relative_limit: float = 0.005,
        name: str | None = None,
    ) -> None: ...

class code_acquisition(LibraryBlock):
    """Finds spreading codes, as those of GPS, at any delay and Doppler shift.

    Parameters
    ----------
    rate_hz : number from 0 to 1000000000000, Hz, required
        Samples per second: a whole number in a period of the code.
    numbers : list of numbers, default []
        The GPS satellites to look for, 1 to 32; none: all of them.
    codes : value, default []
        Other codes, a list of chips for each; they are numbered from 1.
    chip_rate_hz : number from 0 to 1000000000000, Hz, default 1023000.0
        Chips per second.
    max_doppler_hz : number from 0 to 1000000000000, Hz, default 5000.0
        The largest shift of the carrier.
    doppler_step_hz : number from 0 to 1000000000000, Hz, default 250.0
        How far apart the shifts are that are tried.
    periods : whole number from 1 to 1000, default 20
        So many periods of the code are added.
    threshold : number from 1 to 1000000, default 2.5
        The highest peak by the next one, of codes that are there.
    period_s : number from 0 to 1000000000, s, default 1.0
        How often codes are looked for.

    Inputs
    ------
    in : C32
        samples around the carrier

    Outputs
    -------
    out : messages
        maps: code, doppler_hz and so on

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        rate_hz: float,
        *,
        numbers: Sequence[complex] = [],
        codes: Any = [],
        chip_rate_hz: float = 1023000.0,
        max_doppler_hz: float = 5000.0,
        doppler_step_hz: float = 250.0,
        periods: int = 20,
        threshold: float = 2.5,
        period_s: float = 1.0,
        name: str | None = None,
    ) -> None: ...

class complex_to_arg(LibraryBlock):
    """Angles of complex samples: y[n] = atan2(im, re).

    Inputs
    ------
    in : C32
        x

    Outputs
    -------
    out : f32
        the angle of x in radians, −π to π

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class complex_to_float(LibraryBlock):
    """The parts of complex samples.

    Parameters
    ----------
    outputs : whole number from 1 to 2, default 2
        1: the real parts; 2: both.

    Inputs
    ------
    in : C32
        x

    Outputs
    -------
    out0 : f32
        the real part
    out1 : f32
        the imaginary part, where there are two outputs

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        outputs: int = 2,
        name: str | None = None,
    ) -> None: ...

class complex_to_imag(LibraryBlock):
    """Imaginary parts of complex samples: y[n] = im x[n].

    Inputs
    ------
    in : C32
        x

    Outputs
    -------
    out : f32
        im x

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class complex_to_interleaved_char(LibraryBlock):
    """Complex samples to signed bytes, real and imaginary parts in turn.

    Parameters
    ----------
    scale : number, default 128.0
        The code for 1.0, not 0.

    Inputs
    ------
    in : C32
        full scale = 1.0
    set : messages
        new values of scale

    Outputs
    -------
    out : i8
        codes, real and imaginary parts in turn: 2 · n items for n

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        scale: float = 128.0,
        name: str | None = None,
    ) -> None: ...

class complex_to_interleaved_short(LibraryBlock):
    """Complex samples to signed 16-bit integers, real and imaginary parts in turn.

    Parameters
    ----------
    scale : number, default 32768.0
        The code for 1.0, not 0.

    Inputs
    ------
    in : C32
        full scale = 1.0
    set : messages
        new values of scale

    Outputs
    -------
    out : i16
        codes, real and imaginary parts in turn: 2 · n items for n

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        scale: float = 32768.0,
        name: str | None = None,
    ) -> None: ...

class complex_to_mag(LibraryBlock):
    """Magnitudes of complex samples: y[n] = √(re² + im²).

    Inputs
    ------
    in : C32
        x

    Outputs
    -------
    out : f32
        |x|

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class complex_to_mag_squared(LibraryBlock):
    """Squared magnitudes of complex samples, their power: y[n] = re² + im².

    Inputs
    ------
    in : C32
        x

    Outputs
    -------
    out : f32
        |x|²

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class complex_to_magphase(LibraryBlock):
    """Magnitudes and angles of complex samples.

    Inputs
    ------
    in : C32
        x

    Outputs
    -------
    out0 : f32
        |x|
    out1 : f32
        the angle of x in radians, −π to π

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class complex_to_real(LibraryBlock):
    """Real parts of complex samples: y[n] = re x[n].

    Inputs
    ------
    in : C32
        x

    Outputs
    -------
    out : f32
        re x

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class conjugate(LibraryBlock):
    """Conjugates: y[n] = conj(x[n]).

    Inputs
    ------
    in : C32
        x

    Outputs
    -------
    out : C32
        the conjugate of x

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class constellation_decoder(LibraryBlock):
    """The symbol whose point is nearest to each sample.

    Parameters
    ----------
    constellation : value, required
        bpsk, qpsk, dqpsk, 8psk, 8psk_natural, 16qam, or what a function constellation.… gives: a map with points.

    Inputs
    ------
    in : C32
        samples, one a symbol
    set : messages
        new values of constellation

    Outputs
    -------
    out : u8
        the index of the symbol

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        constellation: Any,
        *,
        name: str | None = None,
    ) -> None: ...

class constellation_encoder(LibraryBlock):
    """The points of each symbol.

    Parameters
    ----------
    constellation : value, required
        bpsk, qpsk, dqpsk, 8psk, 8psk_natural, 16qam, or what a function constellation.… gives: a map with points.

    Inputs
    ------
    in : u8
        the index of the symbol; zeros come for one that the constellation does not have
    set : messages
        other points, as symbols

    Outputs
    -------
    out : C32
        its points

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        constellation: Any,
        *,
        name: str | None = None,
    ) -> None: ...

class constellation_receiver(LibraryBlock):
    """Turns a signal so that its points lie on those of a constellation, and decides which each is.

    Parameters
    ----------
    constellation : value, required
        bpsk, qpsk, dqpsk, 8psk, 8psk_natural, 16qam, or what a function constellation.… gives: a map with points.
    loop_bandwidth_rad : number from 0 to 7, radians per sample, required
        How fast the loop is, about 2π / 100.
    min_frequency_rad : number, radians per sample, default -0.25
        The lowest frequency.
    max_frequency_rad : number, radians per sample, default 0.25
        The highest frequency.

    Inputs
    ------
    in : C32
        samples, one a symbol
    set : messages
        new values of constellation, loop_bandwidth_rad, damping, alpha, beta, min_frequency_rad, max_frequency_rad, frequency_rad and phase_rad

    Outputs
    -------
    out : u8
        the index of the nearest point
    error : f32
        the error of the phase in radians
    phase : f32
        the loop's phase in radians
    freq : f32
        the loop's frequency in radians per sample
    samples : C32
        the turned samples

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        constellation: Any,
        loop_bandwidth_rad: float,
        *,
        min_frequency_rad: float = -0.25,
        max_frequency_rad: float = 0.25,
        name: str | None = None,
    ) -> None: ...

class constellation_soft_decoder(LibraryBlock):
    """A soft decision for each bit of each sample, the highest bit first.

    Parameters
    ----------
    constellation : value, required
        bpsk, qpsk, dqpsk, 8psk, 8psk_natural, 16qam, or what a function constellation.… gives: a map with points.

    Inputs
    ------
    in : C32
        samples, one a symbol
    set : messages
        new values of constellation

    Outputs
    -------
    out : f32
        > 0 says 1, the further the surer: n · bits of a symbol items for n

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        constellation: Any,
        *,
        name: str | None = None,
    ) -> None: ...

class convolutional_interleaver(LibraryBlock):
    """Items that take turns through delays of different lengths, as of Forney, or back again.

    Parameters
    ----------
    item : one of C32, f32, u8, i8, i16, i32, default 'C32'
        The type of the items.
    branches : whole number from 1 to 4096, default 12
        How many delays there are.
    depth : whole number from 1 to 16777216, items, default 17
        By how many items each delays more than the one before it, of those that take it.
    reverse : true or false, default False
        Whether the order is undone: the first branch delays most.

    Inputs
    ------
    in : items as `item` says
        x

    Outputs
    -------
    out : items as `item` says
        x in another order

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32'] = 'C32',
        branches: int = 12,
        depth: int = 17,
        reverse: bool = False,
        name: str | None = None,
    ) -> None: ...

class copy(LibraryBlock):
    """Passes items on as they are.

    Parameters
    ----------
    item : one of C32, f32, u8, i8, i16, i32, cu8, cs8, cs16, default 'C32'
        The type of the items.

    Inputs
    ------
    in : items as `item` says
        x

    Outputs
    -------
    out : items as `item` says
        x

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        name: str | None = None,
    ) -> None: ...

class correlate_access_code(LibraryBlock):
    """The bits, 64 items later, and a flag on the first behind an access code.

    Parameters
    ----------
    access_code : text, required
        The word, up to 64 digits, each 0 or 1, or 0x….
    threshold : whole number from 0 to 64, bits, default 0
        How many bits may be wrong.

    Inputs
    ------
    in : u8
        a bit each, the lowest

    Outputs
    -------
    out : u8
        bit 0 the data, bit 1 the flag

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        access_code: str,
        *,
        threshold: int = 0,
        name: str | None = None,
    ) -> None: ...

class correlate_access_code_tag(LibraryBlock):
    """Passes bits on, with a tag on the first behind each access code.

    Parameters
    ----------
    item : one of u8, f32, default 'u8'
        u8 has a bit each, the lowest; f32 is a soft bit, 1 for 0 and more.
    access_code : text, required
        The word, up to 64 digits, each 0 or 1, or 0x….
    threshold : whole number from 0 to 64, bits, default 0
        How many bits may be wrong.
    key : text, default 'sync'
        The key of the tags.

    Inputs
    ------
    in : items as `item` says
        bits

    Outputs
    -------
    out : items as `item` says
        the same, with tags

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        access_code: str,
        *,
        item: Literal['u8', 'f32'] = 'u8',
        threshold: int = 0,
        key: str = 'sync',
        name: str | None = None,
    ) -> None: ...

class correlate_access_code_ts(LibraryBlock):
    """Gives the packets of a stream of bits, each behind an access code and its length.

    Parameters
    ----------
    item : one of u8, f32, default 'u8'
        u8 has a bit each, the lowest; f32 is a soft bit, 1 for 0 and more.
    access_code : text, required
        The word, up to 64 digits, each 0 or 1, or 0x….
    threshold : whole number from 0 to 64, bits, default 0
        How many bits may be wrong.
    length_tag : text, default 'packet_len'
        The key of the tag on the first item of each packet that says how many items it has.

    Inputs
    ------
    in : items as `item` says
        bits

    Outputs
    -------
    out : items as `item` says
        the bits of the packets, in a stream

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        access_code: str,
        *,
        item: Literal['u8', 'f32'] = 'u8',
        threshold: int = 0,
        length_tag: str = 'packet_len',
        name: str | None = None,
    ) -> None: ...

class costas_loop(LibraryBlock):
    """Turns a PSK signal so that its points lie where they belong.

    Parameters
    ----------
    loop_bandwidth_rad : number from 0 to 7, radians per sample, required
        How fast the loop is, about 2π / 100.
    order : whole number from 2 to 8, default 4
        2 for BPSK, 4 for QPSK, 8 for 8PSK.
    use_snr : true or false, default False
        Whether weak samples count less.

    Inputs
    ------
    in : C32
        samples, one a symbol
    set : messages
        new values of loop_bandwidth_rad, damping, alpha, beta, min_frequency_rad, max_frequency_rad, noise, frequency_rad and phase_rad

    Outputs
    -------
    out : C32
        the samples, turned
    freq : f32
        the loop's frequency in radians per sample
    phase : f32
        the loop's phase in radians
    error : f32
        the error of the phase

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        loop_bandwidth_rad: float,
        *,
        order: int = 4,
        use_snr: bool = False,
        name: str | None = None,
    ) -> None: ...

class cpfsk(LibraryBlock):
    """Frequency-shift keying of bits with a continuous phase.

    Parameters
    ----------
    modulation_index : number from -340000000000000000000000000000000000000 to 340000000000000000000000000000000000000, default 0.5
        By how many half turns a symbol turns.
    amplitude : number from -340000000000000000000000000000000000000 to 340000000000000000000000000000000000000, default 1.0
        The magnitude of the output.
    samples_per_symbol : whole number from 1 to 65536, items, default 8
        Samples for each bit.

    Inputs
    ------
    in : u8
        bits, one a byte
    set : messages
        new values of amplitude

    Outputs
    -------
    out : C32
        the keyed carrier: n · samples_per_symbol items for n

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        modulation_index: float = 0.5,
        amplitude: float = 1.0,
        samples_per_symbol: int = 8,
        name: str | None = None,
    ) -> None: ...

class crc16_append(LibraryBlock):
    """Puts a checksum of 16 bits behind each packet.

    Parameters
    ----------
    algorithm : one of ibm_3740, ibm_sdlc, xmodem, kermit, modbus, default 'ibm_3740'
        The checksum; ibm_3740 is also called CCITT-FALSE, ibm_sdlc X.25.
    byte_order : one of little, big, default 'big'
        Which byte of the checksum comes first.
    length_tag : text, default 'packet_len'
        The key of the tag on the first item of each packet that says how many items it has.

    Inputs
    ------
    in : u8
        packets, in a stream

    Outputs
    -------
    out : u8
        packets with a checksum

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        algorithm: Literal['ibm_3740', 'ibm_sdlc', 'xmodem', 'kermit', 'modbus'] = 'ibm_3740',
        byte_order: Literal['little', 'big'] = 'big',
        length_tag: str = 'packet_len',
        name: str | None = None,
    ) -> None: ...

class crc16_append_pdu(LibraryBlock):
    """Puts a checksum of 16 bits behind each packet.

    Parameters
    ----------
    algorithm : one of ibm_3740, ibm_sdlc, xmodem, kermit, modbus, default 'ibm_3740'
        The checksum; ibm_3740 is also called CCITT-FALSE, ibm_sdlc X.25.
    byte_order : one of little, big, default 'big'
        Which byte of the checksum comes first.

    Inputs
    ------
    in : messages
        packets of u8

    Outputs
    -------
    out : messages
        packets with a checksum

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        algorithm: Literal['ibm_3740', 'ibm_sdlc', 'xmodem', 'kermit', 'modbus'] = 'ibm_3740',
        byte_order: Literal['little', 'big'] = 'big',
        name: str | None = None,
    ) -> None: ...

class crc16_check(LibraryBlock):
    """Takes the checksum of 16 bits behind each packet off, if it is right.

    Parameters
    ----------
    algorithm : one of ibm_3740, ibm_sdlc, xmodem, kermit, modbus, default 'ibm_3740'
        The checksum; ibm_3740 is also called CCITT-FALSE, ibm_sdlc X.25.
    byte_order : one of little, big, default 'big'
        Which byte of the checksum comes first.
    when_bad : one of drop, mark, error, default 'drop'
        Whether bad packets are dropped, pass with crc_ok = false in their metadata, or are an error.
    length_tag : text, default 'packet_len'
        The key of the tag on the first item of each packet that says how many items it has.

    Inputs
    ------
    in : u8
        packets with a checksum, in a stream

    Outputs
    -------
    out : u8
        packets without their checksum

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
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
    """Takes the checksum of 16 bits behind each packet off, if it is right.

    Parameters
    ----------
    algorithm : one of ibm_3740, ibm_sdlc, xmodem, kermit, modbus, default 'ibm_3740'
        The checksum; ibm_3740 is also called CCITT-FALSE, ibm_sdlc X.25.
    byte_order : one of little, big, default 'big'
        Which byte of the checksum comes first.
    when_bad : one of drop, mark, error, default 'drop'
        Whether bad packets are dropped, pass with crc_ok = false in their metadata, or are an error.

    Inputs
    ------
    in : messages
        packets with a checksum of u8

    Outputs
    -------
    out : messages
        packets without their checksum

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        algorithm: Literal['ibm_3740', 'ibm_sdlc', 'xmodem', 'kermit', 'modbus'] = 'ibm_3740',
        byte_order: Literal['little', 'big'] = 'big',
        when_bad: Literal['drop', 'mark', 'error'] = 'drop',
        name: str | None = None,
    ) -> None: ...

class crc32(LibraryBlock):
    """Puts CRC-32 behind each packet, or takes it off where it is right.

    Parameters
    ----------
    check : true or false, default False
        Whether the checksum is taken off where it is right, not appended.
    packed : true or false, default True
        Whether an item is a byte, not a bit.
    length_tag : text, default 'packet_len'
        The key of the tag on the first item of each packet that says how many items it has.

    Inputs
    ------
    in : u8
        packets in a stream

    Outputs
    -------
    out : u8
        packets in a stream

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        check: bool = False,
        packed: bool = True,
        length_tag: str = 'packet_len',
        name: str | None = None,
    ) -> None: ...

class crc32_append(LibraryBlock):
    """Puts a checksum of 32 bits behind each packet.

    Parameters
    ----------
    algorithm : one of iso_hdlc, iscsi, bzip2, mpeg_2, default 'iso_hdlc'
        The checksum; iso_hdlc is that of Ethernet, iscsi is also called CRC-32C.
    byte_order : one of little, big, default 'little'
        Which byte of the checksum comes first.
    length_tag : text, default 'packet_len'
        The key of the tag on the first item of each packet that says how many items it has.

    Inputs
    ------
    in : u8
        packets, in a stream

    Outputs
    -------
    out : u8
        packets with a checksum

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        algorithm: Literal['iso_hdlc', 'iscsi', 'bzip2', 'mpeg_2'] = 'iso_hdlc',
        byte_order: Literal['little', 'big'] = 'little',
        length_tag: str = 'packet_len',
        name: str | None = None,
    ) -> None: ...

class crc32_append_pdu(LibraryBlock):
    """Puts a checksum of 32 bits behind each packet.

    Parameters
    ----------
    algorithm : one of iso_hdlc, iscsi, bzip2, mpeg_2, default 'iso_hdlc'
        The checksum; iso_hdlc is that of Ethernet, iscsi is also called CRC-32C.
    byte_order : one of little, big, default 'little'
        Which byte of the checksum comes first.

    Inputs
    ------
    in : messages
        packets of u8

    Outputs
    -------
    out : messages
        packets with a checksum

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        algorithm: Literal['iso_hdlc', 'iscsi', 'bzip2', 'mpeg_2'] = 'iso_hdlc',
        byte_order: Literal['little', 'big'] = 'little',
        name: str | None = None,
    ) -> None: ...

class crc32_check(LibraryBlock):
    """Takes the checksum of 32 bits behind each packet off, if it is right.

    Parameters
    ----------
    algorithm : one of iso_hdlc, iscsi, bzip2, mpeg_2, default 'iso_hdlc'
        The checksum; iso_hdlc is that of Ethernet, iscsi is also called CRC-32C.
    byte_order : one of little, big, default 'little'
        Which byte of the checksum comes first.
    when_bad : one of drop, mark, error, default 'drop'
        Whether bad packets are dropped, pass with crc_ok = false in their metadata, or are an error.
    length_tag : text, default 'packet_len'
        The key of the tag on the first item of each packet that says how many items it has.

    Inputs
    ------
    in : u8
        packets with a checksum, in a stream

    Outputs
    -------
    out : u8
        packets without their checksum

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
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
    """Takes the checksum of 32 bits behind each packet off, if it is right.

    Parameters
    ----------
    algorithm : one of iso_hdlc, iscsi, bzip2, mpeg_2, default 'iso_hdlc'
        The checksum; iso_hdlc is that of Ethernet, iscsi is also called CRC-32C.
    byte_order : one of little, big, default 'little'
        Which byte of the checksum comes first.
    when_bad : one of drop, mark, error, default 'drop'
        Whether bad packets are dropped, pass with crc_ok = false in their metadata, or are an error.

    Inputs
    ------
    in : messages
        packets with a checksum of u8

    Outputs
    -------
    out : messages
        packets without their checksum

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        algorithm: Literal['iso_hdlc', 'iscsi', 'bzip2', 'mpeg_2'] = 'iso_hdlc',
        byte_order: Literal['little', 'big'] = 'little',
        when_bad: Literal['drop', 'mark', 'error'] = 'drop',
        name: str | None = None,
    ) -> None: ...

class crc32_pdu(LibraryBlock):
    """Puts CRC-32 behind each packet, or takes it off where it is right.

    Parameters
    ----------
    check : true or false, default False
        Whether the checksum is taken off where it is right, not appended.
    packed : true or false, default True
        Whether an item is a byte, not a bit.

    Inputs
    ------
    in : messages
        packets of u8

    Outputs
    -------
    out : messages
        packets of u8

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        check: bool = False,
        packed: bool = True,
        name: str | None = None,
    ) -> None: ...

class crc_append(LibraryBlock):
    """Puts a checksum by any cyclic code behind each packet.

    Parameters
    ----------
    num_bits : whole number from 1 to 64, bits, default 16
        How many bits the checksum has.
    poly : value, default 4129
        The polynomial, the highest power first; beyond 63 bits as text "0x…".
    initial_value : value, default 65535
        What the register holds at first.
    final_xor : value, default 0
        What is added to the result.
    input_reflected : true or false, default False
        Whether the lowest bit of each byte comes first.
    result_reflected : true or false, default False
        Whether the result's lowest bit comes first.
    swap_endianness : true or false, default False
        Whether the lowest byte of the checksum comes first.
    skip_header_bytes : whole number from 0 to 16777216, bytes, default 0
        How many bytes of a packet do not count.
    crc : text, default ''
        The checksum's name in the CRC catalogue, such as CRC-16/IBM-SDLC, instead of the six parameters that say what it is.

    Inputs
    ------
    in : messages
        packets of u8; those shorter than skip_header_bytes are dropped

    Outputs
    -------
    out : messages
        packets with a checksum

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
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
    """Sends packets on by whether the checksum behind them, by any cyclic code, is right.

    Parameters
    ----------
    num_bits : whole number from 1 to 64, bits, default 16
        How many bits the checksum has.
    poly : value, default 4129
        The polynomial, the highest power first; beyond 63 bits as text "0x…".
    initial_value : value, default 65535
        What the register holds at first.
    final_xor : value, default 0
        What is added to the result.
    input_reflected : true or false, default False
        Whether the lowest bit of each byte comes first.
    result_reflected : true or false, default False
        Whether the result's lowest bit comes first.
    swap_endianness : true or false, default False
        Whether the lowest byte of the checksum comes first.
    skip_header_bytes : whole number from 0 to 16777216, bytes, default 0
        How many bytes of a packet do not count.
    crc : text, default ''
        The checksum's name in the CRC catalogue, such as CRC-16/IBM-SDLC, instead of the six parameters that say what it is.
    discard_crc : true or false, default False
        Whether the checksum is taken off.

    Inputs
    ------
    in : messages
        packets of u8 with a checksum

    Outputs
    -------
    ok : messages
        those whose checksum is right
    fail : messages
        those whose checksum is wrong

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
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
    """Signed 16-bit integers, interleaved IQ, to complex samples: each part is x / 32768.

    Inputs
    ------
    in : cs16
        codes [i, q], −32768..=32767

    Outputs
    -------
    out : C32
        full scale = 1.0

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class cs8_to_c32(LibraryBlock):
    """Signed bytes, interleaved IQ, to complex samples: each part is x / 128.

    Inputs
    ------
    in : cs8
        codes [i, q], −128..=127

    Outputs
    -------
    out : C32
        full scale = 1.0

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class ctcss_squelch(LibraryBlock):
    """Passes items while a CTCSS tone is there.

    Parameters
    ----------
    rate_hz : number ≥ 0, samples/s, required
        The sample rate, > 0.
    frequency_hz : number ≥ 0, Hz, default 100.0
        The tone.
    threshold : number ≥ 0, default 0.01
        The least magnitude of the tone, half its amplitude.
    length : whole number from 0 to 16777216, items, default 0
        How many items it is looked for in; 0 for a tenth of a second.
    ramp : whole number from 0 to 16777216, items, default 0
        Over how many items it opens and closes.
    gate : true or false, default False
        Closed, it gives nothing instead of zeros.

    Inputs
    ------
    in : f32
        sound
    set : messages
        new values of frequency_hz, threshold, ramp and gate; requests for unmuted

    Outputs
    -------
    out : f32
        the sound while it is open, with tags squelch_sob and squelch_eob

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        rate_hz: float,
        *,
        frequency_hz: float = 100.0,
        threshold: float = 0.01,
        length: int = 0,
        ramp: int = 0,
        gate: bool = False,
        name: str | None = None,
    ) -> None: ...

class cu8_to_c32(LibraryBlock):
    """Unsigned bytes, interleaved IQ, to complex samples: each part is (x − 127.5) / 127.5.

    Inputs
    ------
    in : cu8
        codes [i, q], 0..=255

    Outputs
    -------
    out : C32
        full scale = 1.0

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class cyclic_decode(LibraryBlock):
    """Decodes packets of bits by a Hamming, Golay or BCH code.

    Parameters
    ----------
    code : one of hamming_7_4, hamming_8_4, hamming_15_11, hamming_31_26, golay_23_12, golay_24_12, bch_15_7, bch_15_5, bch_31_21, bch_32_21, bch_63_51, bch_63_45, custom, default 'hamming_7_4'
        The code by its name, length and bits that say something, or what the next parameters say.
    n : whole number from 3 to 63, bits, default 7
        Of a custom code: the bits of a word, without parity.
    generator : whole number from 1 to 2097151, default 11
        Of a custom code: the generator polynomial, the highest power first.
    max_errors : whole number from 0 to 5, bits, default 1
        Of a custom code: how many wrong bits it corrects.
    parity : true or false, default False
        Of a custom code: whether a bit of even parity lies behind each word.
    when_bad : one of drop, mark, default 'drop'
        Whether packets with too many errors are dropped, or all pass with fec_ok in their metadata.
    length_tag : text, default 'packet_len'
        The key of the tag on the first item of each packet that says how many items it has.

    Inputs
    ------
    in : u8
        packets of words, a bit each, in a stream

    Outputs
    -------
    out : u8
        packets without the check bits

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        code: Literal['hamming_7_4', 'hamming_8_4', 'hamming_15_11', 'hamming_31_26', 'golay_23_12', 'golay_24_12', 'bch_15_7', 'bch_15_5', 'bch_31_21', 'bch_32_21', 'bch_63_51', 'bch_63_45', 'custom'] = 'hamming_7_4',
        n: int = 7,
        generator: int = 11,
        max_errors: int = 1,
        parity: bool = False,
        when_bad: Literal['drop', 'mark'] = 'drop',
        length_tag: str = 'packet_len',
        name: str | None = None,
    ) -> None: ...

class cyclic_decode_pdu(LibraryBlock):
    """Decodes packets of bits by a Hamming, Golay or BCH code.

    Parameters
    ----------
    code : one of hamming_7_4, hamming_8_4, hamming_15_11, hamming_31_26, golay_23_12, golay_24_12, bch_15_7, bch_15_5, bch_31_21, bch_32_21, bch_63_51, bch_63_45, custom, default 'hamming_7_4'
        The code by its name, length and bits that say something, or what the next parameters say.
    n : whole number from 3 to 63, bits, default 7
        Of a custom code: the bits of a word, without parity.
    generator : whole number from 1 to 2097151, default 11
        Of a custom code: the generator polynomial, the highest power first.
    max_errors : whole number from 0 to 5, bits, default 1
        Of a custom code: how many wrong bits it corrects.
    parity : true or false, default False
        Of a custom code: whether a bit of even parity lies behind each word.
    when_bad : one of drop, mark, default 'drop'
        Whether packets with too many errors are dropped, or all pass with fec_ok in their metadata.

    Inputs
    ------
    in : messages
        packets of words, u8, a bit each

    Outputs
    -------
    out : messages
        packets without the check bits

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        code: Literal['hamming_7_4', 'hamming_8_4', 'hamming_15_11', 'hamming_31_26', 'golay_23_12', 'golay_24_12', 'bch_15_7', 'bch_15_5', 'bch_31_21', 'bch_32_21', 'bch_63_51', 'bch_63_45', 'custom'] = 'hamming_7_4',
        n: int = 7,
        generator: int = 11,
        max_errors: int = 1,
        parity: bool = False,
        when_bad: Literal['drop', 'mark'] = 'drop',
        name: str | None = None,
    ) -> None: ...

class cyclic_encode(LibraryBlock):
    """Encodes packets of bits by a Hamming, Golay or BCH code.

    Parameters
    ----------
    code : one of hamming_7_4, hamming_8_4, hamming_15_11, hamming_31_26, golay_23_12, golay_24_12, bch_15_7, bch_15_5, bch_31_21, bch_32_21, bch_63_51, bch_63_45, custom, default 'hamming_7_4'
        The code by its name, length and bits that say something, or what the next parameters say.
    n : whole number from 3 to 63, bits, default 7
        Of a custom code: the bits of a word, without parity.
    generator : whole number from 1 to 2097151, default 11
        Of a custom code: the generator polynomial, the highest power first.
    max_errors : whole number from 0 to 5, bits, default 1
        Of a custom code: how many wrong bits it corrects.
    parity : true or false, default False
        Of a custom code: whether a bit of even parity lies behind each word.
    length_tag : text, default 'packet_len'
        The key of the tag on the first item of each packet that says how many items it has.

    Inputs
    ------
    in : u8
        packets of bits, in a stream

    Outputs
    -------
    out : u8
        packets of words, a bit each

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        code: Literal['hamming_7_4', 'hamming_8_4', 'hamming_15_11', 'hamming_31_26', 'golay_23_12', 'golay_24_12', 'bch_15_7', 'bch_15_5', 'bch_31_21', 'bch_32_21', 'bch_63_51', 'bch_63_45', 'custom'] = 'hamming_7_4',
        n: int = 7,
        generator: int = 11,
        max_errors: int = 1,
        parity: bool = False,
        length_tag: str = 'packet_len',
        name: str | None = None,
    ) -> None: ...

class cyclic_encode_pdu(LibraryBlock):
    """Encodes packets of bits by a Hamming, Golay or BCH code.

    Parameters
    ----------
    code : one of hamming_7_4, hamming_8_4, hamming_15_11, hamming_31_26, golay_23_12, golay_24_12, bch_15_7, bch_15_5, bch_31_21, bch_32_21, bch_63_51, bch_63_45, custom, default 'hamming_7_4'
        The code by its name, length and bits that say something, or what the next parameters say.
    n : whole number from 3 to 63, bits, default 7
        Of a custom code: the bits of a word, without parity.
    generator : whole number from 1 to 2097151, default 11
        Of a custom code: the generator polynomial, the highest power first.
    max_errors : whole number from 0 to 5, bits, default 1
        Of a custom code: how many wrong bits it corrects.
    parity : true or false, default False
        Of a custom code: whether a bit of even parity lies behind each word.

    Inputs
    ------
    in : messages
        packets of bits, u8

    Outputs
    -------
    out : messages
        packets of words, a bit each

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        code: Literal['hamming_7_4', 'hamming_8_4', 'hamming_15_11', 'hamming_31_26', 'golay_23_12', 'golay_24_12', 'bch_15_7', 'bch_15_5', 'bch_31_21', 'bch_32_21', 'bch_63_51', 'bch_63_45', 'custom'] = 'hamming_7_4',
        n: int = 7,
        generator: int = 11,
        max_errors: int = 1,
        parity: bool = False,
        name: str | None = None,
    ) -> None: ...

class dc_blocker(LibraryBlock):
    """Removes the constant part: the input less a moving mean of it.

    Parameters
    ----------
    item : one of C32, f32, default 'C32'
        The type of the items.
    length : whole number from 2 to 1048576, items, default 32
        Over how many items the mean is taken.
    long_form : true or false, default True
        Four means one after another; false: two.

    Inputs
    ------
    in : items as `item` says
        x

    Outputs
    -------
    out : items as `item` says
        x without its constant part

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32'] = 'C32',
        length: int = 32,
        long_form: bool = True,
        name: str | None = None,
    ) -> None: ...

class deinterleave(LibraryBlock):
    """One stream as several, so many items for each in turn.

    Parameters
    ----------
    item : one of C32, f32, u8, i8, i16, i32, cu8, cs8, cs16, default 'C32'
        The type of the items.
    outputs : whole number from 1 to 64, default 2
        How many outputs there are: out0, out1, ….
    length : whole number from 1 to 16777216, items, default 1
        How many items for each in a turn.

    Inputs
    ------
    in : items as `item` says
        x

    Outputs
    -------
    out0 : items as `item` says
        what comes first: ⌊n / (length · outputs)⌋ · length items for n
    out1 : items as `item` says
        what comes next; more or fewer as outputs says

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        outputs: int = 2,
        length: int = 1,
        name: str | None = None,
    ) -> None: ...

class delay(LibraryBlock):
    """Zeros first, then the stream.

    Parameters
    ----------
    item : one of C32, f32, u8, i8, i16, i32, cu8, cs8, cs16, default 'C32'
        The type of the items.
    delay_samples : whole number from 0 to 67108864, items, required
        How many zeros come first.

    Inputs
    ------
    in : items as `item` says
        x
    set : messages
        new values of delay_samples

    Outputs
    -------
    out : items as `item` says
        x, later: n + delay_samples items for n

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        delay_samples: int,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        name: str | None = None,
    ) -> None: ...

class depuncture(LibraryBlock):
    """Puts a symbol that says nothing in place of what puncturing has left out.

    Parameters
    ----------
    item : one of u8, f32, default 'u8'
        The type of the items.
    length : whole number from 1 to 32, items, default 2
        How many items a group has.
    pattern : whole number from 0 to 4294967295, default 3
        Which items of a group are sent, as the bits of a number: the first is the highest of `length` bits.
    delay : whole number ≥ 0, items, default 0
        By how many places the pattern is turned to the right.
    symbol : number, default 127.0
        What says nothing; for u8 a whole number from 0 to 255.

    Inputs
    ------
    in : items as `item` says
        x

    Outputs
    -------
    out : items as `item` says
        x, filled up: ⌊n / m⌋ · length items for n, with m ones in the pattern

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        item: Literal['u8', 'f32'] = 'u8',
        length: int = 2,
        pattern: int = 3,
        delay: int = 0,
        symbol: float = 127.0,
        name: str | None = None,
    ) -> None: ...

class descrambler(LibraryBlock):
    """Takes off what a scrambler did.

    Parameters
    ----------
    mask : whole number ≥ 0, default 138
        Which places of the register are fed back, as the bits of a number.
    seed : whole number ≥ 0, default 127
        What the register holds at first.
    length : whole number from 0 to 63, bits, default 7
        The place at which bits enter, counted from 0.

    Inputs
    ------
    in : u8
        a bit each, the lowest

    Outputs
    -------
    out : u8
        0 or 1

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        mask: int = 138,
        seed: int = 127,
        length: int = 7,
        name: str | None = None,
    ) -> None: ...

class device_channelizer(LibraryBlock):
    """A band in channels of equal width, on a device.

    Parameters
    ----------
    device : text, default 'sim'
        Where it lives: sim, opencl:0, wgpu:0, cuda:0.
    batch : whole number from 1 to 16777216, items, default 65536
        The most items that are moved at once.
    depth : whole number from 2 to 64, default 3
        How many batches of a stream are on their way at most.
    channels : whole number from 2 to 4096, required
        How many channels, a power of two.
    taps : list of numbers, required
        The taps of the filter before them.

    Inputs
    ------
    in : C32
        the band

    Outputs
    -------
    out : C32
        frames of one sample of each channel

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        channels: int,
        taps: Sequence[complex],
        *,
        device: str = 'sim',
        batch: int = 65536,
        depth: int = 3,
        name: str | None = None,
    ) -> None: ...

class device_copy(LibraryBlock):
    """A copy on a device: forces a stream there, for measurements and tests.

    Parameters
    ----------
    device : text, default 'sim'
        Where it lives: sim, opencl:0, wgpu:0, cuda:0.
    batch : whole number from 1 to 16777216, items, default 65536
        The most items that are moved at once.
    depth : whole number from 2 to 64, default 3
        How many batches of a stream are on their way at most.
    item : one of C32, f32, default 'C32'
        What the samples are.

    Inputs
    ------
    in : items as `item` says
        anything

    Outputs
    -------
    out : items as `item` says
        the same

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
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
    """Fourier transforms of consecutive frames on a device, not scaled.

    Parameters
    ----------
    device : text, default 'sim'
        Where it lives: sim, opencl:0, wgpu:0, cuda:0.
    batch : whole number from 1 to 16777216, items, default 65536
        The most items that are moved at once.
    depth : whole number from 2 to 64, default 3
        How many batches of a stream are on their way at most.
    length : whole number ≥ 1, items, required
        The length of a frame, a power of two.
    inverse : true or false, default False
        From spectrum to samples.
    shift : true or false, default False
        Frequency 0 is in the middle of the spectrum.
    window : value, default 'rectangular'
        Each frame is multiplied by it first: rectangular, hann, hamming, blackman, blackman_harris, or numbers.

    Inputs
    ------
    in : C32
        frames

    Outputs
    -------
    out : C32
        their transforms

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        length: int,
        *,
        device: str = 'sim',
        batch: int = 65536,
        depth: int = 3,
        inverse: bool = False,
        shift: bool = False,
        window: Any = 'rectangular',
        name: str | None = None,
    ) -> None: ...

class device_fir_filter(LibraryBlock):
    """A filter given by its taps on a device, real or complex, decimating.

    Parameters
    ----------
    device : text, default 'sim'
        Where it lives: sim, opencl:0, wgpu:0, cuda:0.
    batch : whole number from 1 to 16777216, items, default 65536
        The most items that are moved at once.
    depth : whole number from 2 to 64, default 3
        How many batches of a stream are on their way at most.
    item : one of C32, f32, default 'C32'
        What the samples are.
    taps : list of numbers, required
        The taps; complex ones as [re, im], for C32 only.
    decimation : whole number ≥ 1, default 1
        Items in for one out.

    Inputs
    ------
    in : items as `item` says
        x
    set : messages
        new values of taps, as many as before

    Outputs
    -------
    out : items as `item` says
        x, filtered

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        taps: Sequence[complex],
        *,
        device: str = 'sim',
        batch: int = 65536,
        depth: int = 3,
        item: Literal['C32', 'f32'] = 'C32',
        decimation: int = 1,
        name: str | None = None,
    ) -> None: ...

class device_magnitude_squared(LibraryBlock):
    """The squared magnitude on a device: y[n] = re² + im².

    Parameters
    ----------
    device : text, default 'sim'
        Where it lives: sim, opencl:0, wgpu:0, cuda:0.
    batch : whole number from 1 to 16777216, items, default 65536
        The most items that are moved at once.
    depth : whole number from 2 to 64, default 3
        How many batches of a stream are on their way at most.

    Inputs
    ------
    in : C32
        samples

    Outputs
    -------
    out : f32
        their power, linear

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        device: str = 'sim',
        batch: int = 65536,
        depth: int = 3,
        name: str | None = None,
    ) -> None: ...

class device_multiply_conjugate(LibraryBlock):
    """One stream times the conjugate of another, on a device: y[n] = a[n] · conj(b[n]).

    Parameters
    ----------
    device : text, default 'sim'
        Where it lives: sim, opencl:0, wgpu:0, cuda:0.
    batch : whole number from 1 to 16777216, items, default 65536
        The most items that are moved at once.
    depth : whole number from 2 to 64, default 3
        How many batches of a stream are on their way at most.

    Inputs
    ------
    in0 : C32
        a
    in1 : C32
        b

    Outputs
    -------
    out : C32
        a · conj(b)

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        device: str = 'sim',
        batch: int = 65536,
        depth: int = 3,
        name: str | None = None,
    ) -> None: ...

class device_multiply_const(LibraryBlock):
    """Multiplies by a constant on a device: y[n] = constant · x[n].

    Parameters
    ----------
    device : text, default 'sim'
        Where it lives: sim, opencl:0, wgpu:0, cuda:0.
    batch : whole number from 1 to 16777216, items, default 65536
        The most items that are moved at once.
    depth : whole number from 2 to 64, default 3
        How many batches of a stream are on their way at most.
    item : one of C32, f32, default 'C32'
        What the samples are.
    constant : list of numbers, required
        The factor, as a list of one number.

    Inputs
    ------
    in : items as `item` says
        x
    set : messages
        new values of constant

    Outputs
    -------
    out : items as `item` says
        constant · x

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        constant: Sequence[complex],
        *,
        device: str = 'sim',
        batch: int = 65536,
        depth: int = 3,
        item: Literal['C32', 'f32'] = 'C32',
        name: str | None = None,
    ) -> None: ...

class device_saxpy(LibraryBlock):
    """Scales and shifts on a device: y[n] = gain · x[n] + offset.

    Parameters
    ----------
    device : text, default 'sim'
        Where it lives: sim, opencl:0, wgpu:0, cuda:0.
    batch : whole number from 1 to 16777216, items, default 65536
        The most items that are moved at once.
    depth : whole number from 2 to 64, default 3
        How many batches of a stream are on their way at most.
    gain : number, required
        The factor.
    offset : number, default 0.0
        What is added to the product.

    Inputs
    ------
    in : f32
        x
    set : messages
        new values of gain and offset

    Outputs
    -------
    out : f32
        gain · x + offset

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        gain: float,
        *,
        device: str = 'sim',
        batch: int = 65536,
        depth: int = 3,
        offset: float = 0.0,
        name: str | None = None,
    ) -> None: ...

class diff_decoder(LibraryBlock):
    """Differential decoding: y[n] = (x[n] − x[n − 1]) mod modulus.

    Parameters
    ----------
    modulus : whole number from 2 to 256, default 2
        How many symbols the alphabet has.
    coding : one of differential, nrzi, default 'differential'
        Whether a symbol is the difference to the one before, or of bits a 0 is a change (NRZI).

    Inputs
    ------
    in : u8
        symbols

    Outputs
    -------
    out : u8
        symbols, decoded

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        modulus: int = 2,
        coding: Literal['differential', 'nrzi'] = 'differential',
        name: str | None = None,
    ) -> None: ...

class diff_encoder(LibraryBlock):
    """Differential encoding: y[n] = (x[n] + y[n − 1]) mod modulus.

    Parameters
    ----------
    modulus : whole number from 2 to 256, default 2
        How many symbols the alphabet has.
    coding : one of differential, nrzi, default 'differential'
        Whether a symbol is the difference to the one before, or of bits a 0 is a change (NRZI).

    Inputs
    ------
    in : u8
        symbols

    Outputs
    -------
    out : u8
        symbols, encoded

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        modulus: int = 2,
        coding: Literal['differential', 'nrzi'] = 'differential',
        name: str | None = None,
    ) -> None: ...

class diff_phasor(LibraryBlock):
    """The change from sample to sample: y[n] = x[n] · conj(x[n − 1]).

    Inputs
    ------
    in : C32
        x

    Outputs
    -------
    out : C32
        the change

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class divide(LibraryBlock):
    """Divides the first stream by the others: y[n] = a[n] / b[n] / ….

    Parameters
    ----------
    item : one of C32, f32, i32, i16, default 'C32'
        The type of the items.
    inputs : whole number from 1 to 64, default 2
        How many inputs there are: in0, in1, …; one alone passes as it is.

    Inputs
    ------
    in0 : items as `item` says
        a
    in1 : items as `item` says
        b; more or fewer as inputs says

    Outputs
    -------
    out : items as `item` says
        the quotient

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'i32', 'i16'] = 'C32',
        inputs: int = 2,
        name: str | None = None,
    ) -> None: ...

class dpll(LibraryBlock):
    """A clock that follows pulses: 1 about once a period.

    Parameters
    ----------
    period : number ≥ 1, items, required
        How far apart the pulses are.
    gain : number from 0 to 1, default 0.1
        How much of the difference a pulse corrects.

    Inputs
    ------
    in : u8
        1 is a pulse
    set : messages
        new values of gain and decision_threshold

    Outputs
    -------
    out : u8
        1 where a period begins, else 0

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        period: float,
        *,
        gain: float = 0.1,
        name: str | None = None,
    ) -> None: ...

class endian_swap(LibraryBlock):
    """Turns the order of an item's bytes around.

    Parameters
    ----------
    item : one of C32, f32, i32, i16, u8, default 'i16'
        The type of the items.

    Inputs
    ------
    in : items as `item` says
        x

    Outputs
    -------
    out : items as `item` says
        x in the other order of bytes

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'i32', 'i16', 'u8'] = 'i16',
        name: str | None = None,
    ) -> None: ...

class exponentiate_const(LibraryBlock):
    """Whole powers of complex samples: y[n] = x[n]^exponent.

    Parameters
    ----------
    exponent : whole number from 1 to 2147483647, required
        The exponent.

    Inputs
    ------
    in : C32
        x
    set : messages
        new values of exponent

    Outputs
    -------
    out : C32
        x^exponent

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        exponent: int,
        *,
        name: str | None = None,
    ) -> None: ...

class fading(LibraryBlock):
    """Flat fading of the distribution of Rayleigh or Rice.

    Parameters
    ----------
    max_doppler : number from 0 to 0.5, turns/sample, required
        The largest Doppler shift: speed / wavelength / sample rate.
    k_factor : number from 0 to 1000000, default 0.0
        Power of the strongest wave / power of all others, not in dB; 0: Rayleigh.
    waves : whole number from 1 to 1024, default 16
        How many waves arrive beside the strongest.
    seed : whole number, default 0
        The same seed gives the same fading.

    Inputs
    ------
    in : C32
        x

    Outputs
    -------
    out : C32
        what arrives

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        max_doppler: float,
        *,
        k_factor: float = 0.0,
        waves: int = 16,
        seed: int = 0,
        name: str | None = None,
    ) -> None: ...

class fastnoise_source(LibraryBlock):
    """Noise from a pool that is filled once.

    Parameters
    ----------
    item : one of C32, f32, i16, i32, default 'C32'
        The type of the items.
    distribution : one of uniform, gaussian, laplacian, impulse, default 'gaussian'
        How the noise is distributed.
    amplitude : number, default 1.0
        What the noise is multiplied by.
    seed : whole number, default 0
        The same seed gives the same numbers.
    samples : whole number from 1 to 16777216, items, default 16384
        How large the pool is.

    Inputs
    ------
    set : messages
        new values of amplitude and distribution

    Outputs
    -------
    out : items as `item` says
        the noise

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
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
    """Decodes soft bits by a code.

    Parameters
    ----------
    code : value, required
        What a function code.… gives: a map with the kind convolutional, polar, ldpc, turbo, product, repetition or dummy.
    soft_item : one of auto, u8, f32, default 'auto'
        The type of soft bits: u8 from 0 to 255, f32 from −1 to 1; auto takes u8 for convolutional codes, else f32.

    Inputs
    ------
    in : u8
        soft bits; f32 as soft_item says

    Outputs
    -------
    out : u8
        0 or 1: those of whole frames of the code

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        code: Any,
        *,
        soft_item: Literal['auto', 'u8', 'f32'] = 'auto',
        name: str | None = None,
    ) -> None: ...

class fec_encoder(LibraryBlock):
    """Encodes bits by a code, frame by frame.

    Parameters
    ----------
    code : value, required
        What a function code.… gives: a map with the kind convolutional, polar, ldpc, turbo, product, repetition or dummy.

    Inputs
    ------
    in : u8
        a bit each, the lowest

    Outputs
    -------
    out : u8
        0 or 1: those of whole frames of the code

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        code: Any,
        *,
        name: str | None = None,
    ) -> None: ...

class fec_packet_decoder(LibraryBlock):
    """Decodes packets of soft bits by a code.

    Parameters
    ----------
    code : value, required
        What a function code.… gives: a map with the kind convolutional, polar, ldpc, turbo, product, repetition or dummy.
    soft_item : one of auto, u8, f32, default 'auto'
        The type of soft bits: u8 from 0 to 255, f32 from −1 to 1; auto takes u8 for convolutional codes, else f32.
    packed : true or false, default False
        Whether items that go hold eight bits each.
    order : one of msb_first, lsb_first, default 'msb_first'
        Which bit of an item is first, where they are packed.
    max_bits : whole number from 1 to 16777216, bits, default 16777216
        Longer packets are errors: the bits that are not encoded yet, or no longer.
    length_tag : text, default 'packet_len'
        The key of the tag on the first item of each packet that says how many items it has.

    Inputs
    ------
    in : u8
        packets of soft bits, in a stream; f32 as soft_item says

    Outputs
    -------
    out : u8
        packets: 0 or 1; or eight bits

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        code: Any,
        *,
        soft_item: Literal['auto', 'u8', 'f32'] = 'auto',
        packed: bool = False,
        order: Literal['msb_first', 'lsb_first'] = 'msb_first',
        max_bits: int = 16777216,
        length_tag: str = 'packet_len',
        name: str | None = None,
    ) -> None: ...

class fec_packet_decoder_pdu(LibraryBlock):
    """Decodes packets of soft bits by a code.

    Parameters
    ----------
    code : value, required
        What a function code.… gives: a map with the kind convolutional, polar, ldpc, turbo, product, repetition or dummy.
    soft_item : one of auto, u8, f32, default 'auto'
        The type of soft bits: u8 from 0 to 255, f32 from −1 to 1; auto takes u8 for convolutional codes, else f32.
    packed : true or false, default False
        Whether items that go hold eight bits each.
    order : one of msb_first, lsb_first, default 'msb_first'
        Which bit of an item is first, where they are packed.
    max_bits : whole number from 1 to 16777216, bits, default 16777216
        Longer packets are errors: the bits that are not encoded yet, or no longer.

    Inputs
    ------
    in : messages
        packets of soft bits: u8, or f32 as soft_item says

    Outputs
    -------
    out : messages
        packets of u8: 0 or 1; or eight bits

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        code: Any,
        *,
        soft_item: Literal['auto', 'u8', 'f32'] = 'auto',
        packed: bool = False,
        order: Literal['msb_first', 'lsb_first'] = 'msb_first',
        max_bits: int = 16777216,
        name: str | None = None,
    ) -> None: ...

class fec_packet_encoder(LibraryBlock):
    """Encodes packets by a code.

    Parameters
    ----------
    code : value, required
        What a function code.… gives: a map with the kind convolutional, polar, ldpc, turbo, product, repetition or dummy.
    packed : true or false, default False
        Whether items hold eight bits each.
    order_in : one of msb_first, lsb_first, default 'msb_first'
        Which bit of an item that comes is first, where they are packed.
    order_out : one of msb_first, lsb_first, default 'msb_first'
        Which bit of an item that goes is first, where they are packed.
    max_bits : whole number from 1 to 16777216, bits, default 16777216
        Longer packets are errors: the bits that are not encoded yet, or no longer.
    length_tag : text, default 'packet_len'
        The key of the tag on the first item of each packet that says how many items it has.

    Inputs
    ------
    in : u8
        packets, in a stream: a bit each, the lowest; or eight

    Outputs
    -------
    out : u8
        packets: 0 or 1; or eight bits

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        code: Any,
        *,
        packed: bool = False,
        order_in: Literal['msb_first', 'lsb_first'] = 'msb_first',
        order_out: Literal['msb_first', 'lsb_first'] = 'msb_first',
        max_bits: int = 16777216,
        length_tag: str = 'packet_len',
        name: str | None = None,
    ) -> None: ...

class fec_packet_encoder_pdu(LibraryBlock):
    """Encodes packets by a code.

    Parameters
    ----------
    code : value, required
        What a function code.… gives: a map with the kind convolutional, polar, ldpc, turbo, product, repetition or dummy.
    packed : true or false, default False
        Whether items hold eight bits each.
    order_in : one of msb_first, lsb_first, default 'msb_first'
        Which bit of an item that comes is first, where they are packed.
    order_out : one of msb_first, lsb_first, default 'msb_first'
        Which bit of an item that goes is first, where they are packed.
    max_bits : whole number from 1 to 16777216, bits, default 16777216
        Longer packets are errors: the bits that are not encoded yet, or no longer.

    Inputs
    ------
    in : messages
        packets of u8: a bit each, the lowest; or eight

    Outputs
    -------
    out : messages
        packets of u8: 0 or 1; or eight bits

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        code: Any,
        *,
        packed: bool = False,
        order_in: Literal['msb_first', 'lsb_first'] = 'msb_first',
        order_out: Literal['msb_first', 'lsb_first'] = 'msb_first',
        max_bits: int = 16777216,
        name: str | None = None,
    ) -> None: ...

class feedforward_agc(LibraryBlock):
    """Gain control by the greatest of the samples that come.

    Parameters
    ----------
    length : whole number from 1 to 1048576, items, default 1024
        How many samples it looks at.
    reference : number from -340000000000000000000000000000000000000 to 340000000000000000000000000000000000000, default 1.0
        The magnitude that the output shall have.

    Inputs
    ------
    in : C32
        x

    Outputs
    -------
    out : C32
        x, levelled, length − 1 items later

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        length: int = 1024,
        reference: float = 1.0,
        name: str | None = None,
    ) -> None: ...

class fft(LibraryBlock):
    """Fourier transforms of consecutive frames, not scaled.

    Parameters
    ----------
    item : one of C32, f32, default 'C32'
        The type of the items.
    length : whole number from 1 to 1048576, items, required
        The length of a frame.
    inverse : true or false, default False
        From spectrum to samples.
    shift : true or false, default False
        Frequency 0 is in the middle of the spectrum.
    window : value, default 'rectangular'
        Each frame is multiplied by it first: rectangular, hann, hamming, blackman, blackman_harris, or numbers.

    Inputs
    ------
    in : items as `item` says
        frames

    Outputs
    -------
    out : C32
        their transforms: ⌊n / length⌋ · length items for n

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        length: int,
        *,
        item: Literal['C32', 'f32'] = 'C32',
        inverse: bool = False,
        shift: bool = False,
        window: Any = 'rectangular',
        name: str | None = None,
    ) -> None: ...

class fft_filter(LibraryBlock):
    """FIR filter by Fourier transforms, for many taps: y[k] = Σ taps[j] · x[k · decimation − j].

    Parameters
    ----------
    item : one of C32, f32, default 'C32'
        The type of the items.
    taps : list of numbers, required
        The taps; complex ones as [re, im], for C32 only.
    decimation : whole number from 1 to 65536, items, default 1
        One item out of so many items in.

    Inputs
    ------
    in : items as `item` says
        x
    set : messages
        new values of taps, at most as many as at first

    Outputs
    -------
    out : items as `item` says
        x, filtered: ⌊n / decimation⌋ items for n

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        taps: Sequence[complex],
        *,
        item: Literal['C32', 'f32'] = 'C32',
        decimation: int = 1,
        name: str | None = None,
    ) -> None: ...

class file_sink(LibraryBlock):
    """Raw samples into a file, a pipe, a device or stdout.

    Parameters
    ----------
    path : path of a file, required
        The file, pipe or device; - is stdout. An existing file is emptied.
    format : text, default 'auto'
        How samples are stored, such as cu8, cs16, cf32_le or ri16_be; auto: as the name of the file says.
    input : one of float, raw, default 'float'
        float: C32 or f32, full scale 1.0; raw: as stored.
    append : true or false, default False
        Writes behind what the file has already.
    unbuffered : true or false, default False
        Writes whatever comes at once.

    Inputs
    ------
    in : C32, f32 or as stored
        the samples, full scale = 1.0 or as stored

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        path: str,
        *,
        format: str = 'auto',
        input: Literal['float', 'raw'] = 'float',
        append: bool = False,
        unbuffered: bool = False,
        name: str | None = None,
    ) -> None: ...

class file_source(LibraryBlock):
    """Raw samples from a file, a pipe, a device or stdin.

    Parameters
    ----------
    path : path of a file, required
        The file, pipe or device; - is stdin.
    format : text, default 'auto'
        How samples are stored, such as cu8, cs16, cf32_le or ri16_be; auto: as the name of the file says.
    output : one of float, raw, default 'float'
        float: C32 or f32, full scale 1.0; raw: as stored.
    repeat : true or false, default False
        Starts again at the end, for ever.
    offset_samples : whole number ≥ 0, samples, default 0
        How many to pass over first.
    samples : whole number ≥ 0, samples, default 0
        How many to read at most; 0 is all.
    rate_hz : number from 0 to 1000000000000, Hz, default 0
        The rate for the tag rx_rate; 0: as the name says.
    frequency_hz : number from -1000000000000 to 1000000000000, Hz, default 0
        The centre frequency for the tag rx_freq; 0: as the name says.

    Outputs
    -------
    out : C32, f32 or as stored
        the samples, full scale = 1.0 or as stored

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        path: str,
        *,
        format: str = 'auto',
        output: Literal['float', 'raw'] = 'float',
        repeat: bool = False,
        offset_samples: int = 0,
        samples: int = 0,
        rate_hz: float = 0,
        frequency_hz: float = 0,
        name: str | None = None,
    ) -> None: ...

class filter_delay(LibraryBlock):
    """One stream delayed and the other filtered, as real and imaginary part.

    Parameters
    ----------
    taps : list of numbers, required
        The taps of the filter; half of it is the delay.
    inputs : whole number from 1 to 2, default 2
        With 1, one stream, `in0`, goes both ways.

    Inputs
    ------
    in0 : f32
        what is delayed
    in1 : f32
        what is filtered

    Outputs
    -------
    out : C32
        both

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        taps: Sequence[complex],
        *,
        inputs: int = 2,
        name: str | None = None,
    ) -> None: ...

class fir_filter(LibraryBlock):
    """FIR filter: y[k] = Σ taps[j] · x[k · decimation − j].

    Parameters
    ----------
    item : one of C32, f32, i16, default 'C32'
        The type of the samples.
    out_item : one of auto, C32, f32, i16, default 'auto'
        The type of the output: f32 for f32, C32 for the others; C32 or i16 for f32 where that is asked for.
    taps : list of numbers, required
        The taps; complex ones as [re, im], where the output is C32.
    decimation : whole number from 1 to 16777216, items, default 1
        One item out of so many items in.

    Inputs
    ------
    in : items as `item` says
        x
    set : messages
        new values of taps, at most as many as at first

    Outputs
    -------
    out : out_item
        x, filtered: ⌊n / decimation⌋ items for n

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        taps: Sequence[complex],
        *,
        item: Literal['C32', 'f32', 'i16'] = 'C32',
        out_item: Literal['auto', 'C32', 'f32', 'i16'] = 'auto',
        decimation: int = 1,
        name: str | None = None,
    ) -> None: ...

class fll_band_edge(LibraryBlock):
    """Moves a signal to frequency 0 by the energy at both edges of its band.

    Parameters
    ----------
    samples_per_symbol : number from 1 to 1000000, samples, required
        How many samples a symbol takes, more than 1.
    rolloff : number from 0 to 1, default 0.35
        The roll-off of the signal's filter.
    taps : whole number from 2 to 65536, default 44
        How many taps the filters have.
    loop_bandwidth_rad : number from 0 to 7, radians per sample, default 0.0628
        How fast the loop is.

    Inputs
    ------
    in : C32
        samples
    set : messages
        new values of loop_bandwidth_rad, damping, alpha, beta, min_frequency_rad, max_frequency_rad, frequency_rad and phase_rad

    Outputs
    -------
    out : C32
        the samples, moved
    freq : f32
        the loop's frequency in radians per sample
    phase : f32
        the loop's phase in radians
    error : f32
        the energy at the lower edge less that at the upper one

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        samples_per_symbol: float,
        *,
        rolloff: float = 0.35,
        taps: int = 44,
        loop_bandwidth_rad: float = 0.0628,
        name: str | None = None,
    ) -> None: ...

class float_to_char(LibraryBlock):
    """Real samples to signed bytes: y[n] = scale · x[n].

    Parameters
    ----------
    scale : number, default 128.0
        The code for 1.0, not 0.

    Inputs
    ------
    in : f32
        full scale = 1.0
    set : messages
        new values of scale

    Outputs
    -------
    out : i8
        codes −128..=127

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        scale: float = 128.0,
        name: str | None = None,
    ) -> None: ...

class float_to_complex(LibraryBlock):
    """Complex samples from their parts: y[n] = re[n] + j · im[n].

    Parameters
    ----------
    inputs : whole number from 1 to 2, default 2
        1: there are real parts only, on an input `in`; 2: both.

    Inputs
    ------
    in0 : f32
        real parts
    in1 : f32
        imaginary parts

    Outputs
    -------
    out : C32
        re + j · im

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        inputs: int = 2,
        name: str | None = None,
    ) -> None: ...

class float_to_int(LibraryBlock):
    """Real samples to signed 32-bit integers: y[n] = scale · x[n].

    Parameters
    ----------
    scale : number, default 2147483648.0
        The code for 1.0, not 0.

    Inputs
    ------
    in : f32
        full scale = 1.0
    set : messages
        new values of scale

    Outputs
    -------
    out : i32
        codes, rounded half to even, saturated

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        scale: float = 2147483648.0,
        name: str | None = None,
    ) -> None: ...

class float_to_short(LibraryBlock):
    """Real samples to signed 16-bit integers: y[n] = scale · x[n].

    Parameters
    ----------
    scale : number, default 32768.0
        The code for 1.0, not 0.

    Inputs
    ------
    in : f32
        full scale = 1.0
    set : messages
        new values of scale

    Outputs
    -------
    out : i16
        codes −32768..=32767

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        scale: float = 32768.0,
        name: str | None = None,
    ) -> None: ...

class float_to_uchar(LibraryBlock):
    """Real samples to unsigned bytes: y[n] = 127.5 · x[n] + 127.5.

    Parameters
    ----------
    plain : true or false, default False
        Whether the codes are the samples themselves, numbers from 0 to 255.

    Inputs
    ------
    in : f32
        full scale = 1.0

    Outputs
    -------
    out : u8
        codes 0..=255

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        plain: bool = False,
        name: str | None = None,
    ) -> None: ...

class fm_deemph(LibraryBlock):
    """De-emphasis of FM: undoes what the transmitter has done to the treble.

    Parameters
    ----------
    rate_hz : number ≥ 0, samples/s, required
        The sample rate, > 0.
    tau_s : number ≥ 0, s, default 7.5e-05
        The time constant: 75e-6 in America, 50e-6 in Europe.

    Inputs
    ------
    in : f32
        sound
    set : messages
        new values of feed_forward and feed_back

    Outputs
    -------
    out : f32
        the sound with less treble

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        rate_hz: float,
        *,
        tau_s: float = 7.5e-05,
        name: str | None = None,
    ) -> None: ...

class fm_preemph(LibraryBlock):
    """Pre-emphasis of FM: raises the treble before it is sent.

    Parameters
    ----------
    rate_hz : number ≥ 0, samples/s, required
        The sample rate, > 0.
    tau_s : number ≥ 0, s, default 7.5e-05
        The time constant: 75e-6 in America, 50e-6 in Europe.
    high_hz : number, Hz, default -1.0
        Where it stops to rise; negative: 0.925 of half the rate.

    Inputs
    ------
    in : f32
        sound
    set : messages
        new values of feed_forward and feed_back

    Outputs
    -------
    out : f32
        the sound with more treble

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        rate_hz: float,
        *,
        tau_s: float = 7.5e-05,
        high_hz: float = -1.0,
        name: str | None = None,
    ) -> None: ...

class freq_xlating_fft_filter(LibraryBlock):
    """Brings a band to 0 Hz, filters it by Fourier transforms and decimates.

    Parameters
    ----------
    taps : list of numbers, required
        The taps; complex ones as [re, im].
    frequency_hz : number, Hz, default 0.0
        The middle of the band.
    rate_hz : number ≥ 0, samples/s, required
        The sample rate, > 0.
    decimation : whole number from 1 to 16777216, items, default 1
        One item out of so many items in.

    Inputs
    ------
    in : C32
        x
    set : messages
        new values of taps, at most as many as at first, and of frequency_hz

    Outputs
    -------
    out : C32
        the band: ⌊n / decimation⌋ items for n

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        taps: Sequence[complex],
        rate_hz: float,
        *,
        frequency_hz: float = 0.0,
        decimation: int = 1,
        name: str | None = None,
    ) -> None: ...

class freq_xlating_fir_filter(LibraryBlock):
    """Brings a band to 0 Hz, filters it and decimates.

    Parameters
    ----------
    item : one of C32, f32, i16, default 'C32'
        The type of the samples.
    taps : list of numbers, required
        The taps; complex ones as [re, im].
    frequency_hz : number, Hz, default 0.0
        The middle of the band.
    rate_hz : number ≥ 0, samples/s, required
        The sample rate, > 0.
    decimation : whole number from 1 to 16777216, items, default 1
        One item out of so many items in.

    Inputs
    ------
    in : items as `item` says
        x
    set : messages
        new values of taps, at most as many as at first, and of frequency_hz

    Outputs
    -------
    out : C32
        the band: ⌊n / decimation⌋ items for n

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        taps: Sequence[complex],
        rate_hz: float,
        *,
        item: Literal['C32', 'f32', 'i16'] = 'C32',
        frequency_hz: float = 0.0,
        decimation: int = 1,
        name: str | None = None,
    ) -> None: ...

class frequency_modulator(LibraryBlock):
    """Frequency modulation.

    Parameters
    ----------
    sensitivity : number, radians/sample, default 1.0
        How far an input of 1 turns: 2π · deviation in Hz / sample rate.

    Inputs
    ------
    in : f32
        x
    set : messages
        new values of sensitivity

    Outputs
    -------
    out : C32
        a carrier whose frequency is x

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        sensitivity: float = 1.0,
        name: str | None = None,
    ) -> None: ...

class fsk_demod(LibraryBlock):
    """Demodulates FSK, GFSK or MSK to soft symbols; offset, deviation and timing are found by themselves.

    Parameters
    ----------
    item : one of C32, f32, default 'C32'
        The type of the items.
    rate_hz : number ≥ 0, samples/s, required
        The sample rate, > 0.
    symbol_rate_hz : number ≥ 0, symbols/s, required
        The symbol rate, at most half of the sample rate.
    deviation_hz : number from 0 to 1000000000, Hz, default 0
        How far each symbol is from the carrier, of f32 in the unit of in; 0: it is found.
    bandwidth_hz : number ≥ 0, Hz, default 0
        The width of a filter around 0 Hz before the demodulator, for C32; 0: none.
    squelch_db : number from 0 to 60, dB, default 0
        Symbols are searched for only where the power, of C32, is this much above the noise before, for bursts; 0: everywhere.

    Inputs
    ------
    in : items as `item` says
        the signal; of f32, its frequency: it is demodulated

    Outputs
    -------
    out : f32
        soft symbols, about 1 for the higher frequency and −1 for the lower

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        rate_hz: float,
        symbol_rate_hz: float,
        *,
        item: Literal['C32', 'f32'] = 'C32',
        deviation_hz: float = 0,
        bandwidth_hz: float = 0,
        squelch_db: float = 0,
        name: str | None = None,
    ) -> None: ...

class fsk_pulse_detector(LibraryBlock):
    """Sends how long each of the two frequencies of FSK bursts lasts.

    Parameters
    ----------
    rate_hz : number ≥ 0, samples/s, required
        The sample rate, > 0.
    gap_samples : whole number ≥ 1, samples, required
        A burst ends with a gap that is so long.
    min_length : whole number ≥ 1, samples, default 256
        A shorter burst is none.
    smooth_samples : whole number ≥ 1, samples, default 4
        Frequencies are smoothed over so many; symbols are at least twice as long.
    snr_db : number from 0 to 100, dB, default 10
        By how much bursts are stronger than the noise, at least.

    Inputs
    ------
    in : C32
        the signal

    Outputs
    -------
    out : messages
        packets of i32: the samples of the higher frequency, the lower, …

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        rate_hz: float,
        gap_samples: int,
        *,
        min_length: int = 256,
        smooth_samples: int = 4,
        snr_db: float = 10,
        name: str | None = None,
    ) -> None: ...

class ft8_decode(LibraryBlock):
    """Decodes all messages of FT8 or FT4 in audio.

    Parameters
    ----------
    mode : one of ft8, ft4, default 'ft8'
        What to decode: ft8 or ft4.
    min_frequency_hz : number from 0 to 5500, Hz, default 100.0
        The lowest frequency that is looked at.
    max_frequency_hz : number from 0 to 5500, Hz, default 4000.0
        The highest.

    Inputs
    ------
    in : f32
        audio at 12 kHz

    Outputs
    -------
    out : messages
        maps: fields, frequency_hz, snr_db, sample_index and so on

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        mode: Literal['ft8', 'ft4'] = 'ft8',
        min_frequency_hz: float = 100.0,
        max_frequency_hz: float = 4000.0,
        name: str | None = None,
    ) -> None: ...

class ft8_source(LibraryBlock):
    """Sends a message by FT8 or FT4, slot after slot.

    Parameters
    ----------
    text : text, required
        The message.
    mode : one of ft8, ft4, default 'ft8'
        How it is sent: ft8 or ft4.
    frequency_hz : number from 0 to 5500, Hz, default 1500.0
        The lowest tone.
    amplitude : number from 0 to 1000000, default 0.5
        The highest sample.
    slots : whole number ≥ 0, default 1
        In how many slots it is sent; 0: for ever.

    Outputs
    -------
    out : f32
        audio at 12 kHz

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        text: str,
        *,
        mode: Literal['ft8', 'ft4'] = 'ft8',
        frequency_hz: float = 1500.0,
        amplitude: float = 0.5,
        slots: int = 1,
        name: str | None = None,
    ) -> None: ...

class g3ruh_descrambler(LibraryBlock):
    """Takes off the scrambling of G3RUH modems, 1 + x¹² + x¹⁷.

    Inputs
    ------
    in : u8
        a bit each, the lowest

    Outputs
    -------
    out : u8
        0 or 1

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class g3ruh_scrambler(LibraryBlock):
    """Scrambles as G3RUH modems do, by 1 + x¹² + x¹⁷; bits come 17 later.

    Inputs
    ------
    in : u8
        a bit each, the lowest

    Outputs
    -------
    out : u8
        0 or 1, scrambled

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class glfsr_source(LibraryBlock):
    """A pseudo-random sequence of bits of maximal length.

    Parameters
    ----------
    item : one of u8, f32, default 'u8'
        u8 gives 0 and 1, f32 gives −1 and 1.
    degree : whole number from 1 to 32, default 8
        The period is 2^degree − 1.
    repeat : true or false, default True
        Whether to go on after the first period.
    mask : whole number from 0 to 4294967295, default 0
        What is fed back; 0 chooses by the degree.
    seed : whole number from 1 to 4294967295, default 1
        What the register holds at first.

    Outputs
    -------
    out : items as `item` says
        the bits

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
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
    """One frequency of consecutive pieces of a signal.

    Parameters
    ----------
    rate_hz : number from 0 to 179769313486231570000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, Hz, required
        Items a second, > 0.
    length : whole number from 1 to 16777216, items, required
        How long a piece is.
    frequency_hz : number, Hz, required
        The frequency.

    Inputs
    ------
    in : f32
        x
    set : messages
        new values of frequency_hz and rate_hz

    Outputs
    -------
    out : C32
        amplitude and phase, half of them for a real oscillation: ⌊n / length⌋ items for n

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        rate_hz: float,
        length: int,
        frequency_hz: float,
        *,
        name: str | None = None,
    ) -> None: ...

class gomspace_deframer(LibraryBlock):
    """Sends the frames of GOMspace's radios AX100 and U482C that soft bits say.

    Parameters
    ----------
    format : one of ax100_asm, ax100_rs, u482c, default 'ax100_asm'
        How frames are written.
    threshold : whole number from 0 to 8, default 4
        So many bits of a synchronisation word may be wrong.

    Inputs
    ------
    in : f32
        soft bits, positive for 1

    Outputs
    -------
    out : messages
        packets of u8: frames without their checks

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        format: Literal['ax100_asm', 'ax100_rs', 'u482c'] = 'ax100_asm',
        threshold: int = 4,
        name: str | None = None,
    ) -> None: ...

class hdlc_deframer(LibraryBlock):
    """Finds HDLC frames in a stream of bits and sends the bytes of those whose checksum is right.

    Parameters
    ----------
    min_length : whole number from 0 to 65536, bytes, default 32
        The shortest packet, without the checksum.
    max_length : whole number from 0 to 65536, bytes, default 500
        The longest packet, without the checksum.

    Inputs
    ------
    in : u8
        a bit each, the lowest

    Outputs
    -------
    out : messages
        packets of u8

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        min_length: int = 32,
        max_length: int = 500,
        name: str | None = None,
    ) -> None: ...

class hdlc_framer(LibraryBlock):
    """Frames packets as HDLC does: flags, stuffed bits, a checksum.

    Parameters
    ----------
    length_tag : text, default 'packet_len'
        The key of the tag on the first item of each packet that says how many items it has.

    Inputs
    ------
    in : messages
        packets of u8

    Outputs
    -------
    out : u8
        a bit each

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        length_tag: str = 'packet_len',
        name: str | None = None,
    ) -> None: ...

class head(LibraryBlock):
    """The first items of a stream; then it ends.

    Parameters
    ----------
    item : one of C32, f32, u8, i8, i16, i32, cu8, cs8, cs16, default 'C32'
        The type of the items.
    items : whole number ≥ 0, items, required
        How many items to pass.

    Inputs
    ------
    in : items as `item` says
        x

    Outputs
    -------
    out : items as `item` says
        the first items of x: min(n, items) items for n

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        items: int,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        name: str | None = None,
    ) -> None: ...

class header_payload_demux(LibraryBlock):
    """Gives the header of each burst, and its payload once the header is parsed.

    Parameters
    ----------
    item : one of C32, f32, u8, i8, i16, i32, cu8, cs8, cs16, default 'C32'
        The type of the items.
    header_length : whole number ≥ 1, symbols, required
        How long a header is.
    items_per_symbol : whole number ≥ 1, items, default 1
        How long a symbol is.
    guard_interval : whole number ≥ 0, items, default 0
        How much is left out before each symbol.
    length_tag : text, default 'packet_len'
        The key of the tag on the first item of each packet that says how many items it has.
    trigger_tag : text, default ''
        The key of tags that are triggers, without a stream of them.
    length_unit : one of items, symbols, default 'items'
        What the length tag of a payload counts; what is said of a header counts symbols.
    timing_tag : text, default ''
        The key of tags that say the time of their item; none if empty.
    rate_hz : number, Hz, default 1.0
        Items in a second, for those.
    special_tags : value, default []
        The keys of tags that are kept outside of bursts.
    header_padding : whole number ≥ 0, items, default 0
        What is given before and behind a header with it.

    Inputs
    ------
    in : items as `item` says
        any
    trigger : u8
        not 0 where a header begins; may stay unconnected
    header_data : messages
        what a header says: a map, a number of symbols, or false

    Outputs
    -------
    header : items as `item` says
        headers
    payload : items as `item` says
        payloads with length tags

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        header_length: int,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        items_per_symbol: int = 1,
        guard_interval: int = 0,
        length_tag: str = 'packet_len',
        trigger_tag: str = '',
        length_unit: Literal['items', 'symbols'] = 'items',
        timing_tag: str = '',
        rate_hz: float = 1.0,
        special_tags: Any = [],
        header_padding: int = 0,
        name: str | None = None,
    ) -> None: ...

class hilbert(LibraryBlock):
    """The analytic signal of a real one: without negative frequencies.

    Parameters
    ----------
    taps : whole number from 1 to 65536, default 65
        How many taps the filter has; made odd upwards.
    window : value, default 'hamming'
        The window: GNU Radio's number, or a name.
    param : number, default 6.76
        The parameter of a Kaiser, exponential, Gaussian or Tukey window.

    Inputs
    ------
    in : f32
        x

    Outputs
    -------
    out : C32
        x and, as imaginary part, x turned by a quarter

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        taps: int = 65,
        window: Any = 'hamming',
        param: float = 6.76,
        name: str | None = None,
    ) -> None: ...

class iir_filter(LibraryBlock):
    """Recursive filter by its difference equation.

    Parameters
    ----------
    item : one of C32, f32, default 'C32'
        The type of the items.
    feed_forward : list of numbers, required
        The taps of the input; complex ones as [re, im], for C32 only.
    feed_back : list of numbers, required
        The taps of the output; the first is not used.
    old_style : true or false, default True
        Feedback taps are added, as in GNU Radio; false: subtracted.

    Inputs
    ------
    in : items as `item` says
        x
    set : messages
        new values of feed_forward and feed_back

    Outputs
    -------
    out : items as `item` says
        x, filtered

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        feed_forward: Sequence[complex],
        feed_back: Sequence[complex],
        *,
        item: Literal['C32', 'f32'] = 'C32',
        old_style: bool = True,
        name: str | None = None,
    ) -> None: ...

class index_tags(LibraryBlock):
    """Tags every so many items with their index, so that blocks behind rate changes know where they are.

    Parameters
    ----------
    item : one of C32, f32, u8, i8, i16, i32, cu8, cs8, cs16, default 'C32'
        The type of the items.
    period : whole number ≥ 1, items, default 256
        One item of so many gets a tag, sample_index.

    Inputs
    ------
    in : items as `item` says
        any stream

    Outputs
    -------
    out : items as `item` says
        the same stream, with the tags

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        period: int = 256,
        name: str | None = None,
    ) -> None: ...

class int_to_float(LibraryBlock):
    """Signed 32-bit integers to real samples: y[n] = x[n] / scale.

    Parameters
    ----------
    scale : number, default 2147483648.0
        The code for 1.0, not 0.

    Inputs
    ------
    in : i32
        codes
    set : messages
        new values of scale

    Outputs
    -------
    out : f32
        full scale = 1.0

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        scale: float = 2147483648.0,
        name: str | None = None,
    ) -> None: ...

class integrate(LibraryBlock):
    """Sums of consecutive items or vectors.

    Parameters
    ----------
    item : one of C32, f32, i32, i16, default 'C32'
        The type of the items.
    count : whole number from 1 to 16777216, required
        How many items or vectors give one.
    length : whole number from 1 to 16777216, items, default 1
        The length of a vector.

    Inputs
    ------
    in : items as `item` says
        x

    Outputs
    -------
    out : items as `item` says
        the sums: ⌊n / (count · length)⌋ · length items for n

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        count: int,
        *,
        item: Literal['C32', 'f32', 'i32', 'i16'] = 'C32',
        length: int = 1,
        name: str | None = None,
    ) -> None: ...

class interleave(LibraryBlock):
    """Several streams as one, so many items of each in turn.

    Parameters
    ----------
    item : one of C32, f32, u8, i8, i16, i32, cu8, cs8, cs16, default 'C32'
        The type of the items.
    inputs : whole number from 1 to 64, default 2
        How many inputs there are: in0, in1, …; one alone passes as it is.
    length : whole number from 1 to 16777216, items, default 1
        How many items of each in a turn.

    Inputs
    ------
    in0 : items as `item` says
        what comes first
    in1 : items as `item` says
        what comes next; more or fewer as inputs says

    Outputs
    -------
    out : items as `item` says
        all in turn: ⌊n / length⌋ · length · inputs items for n

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        inputs: int = 2,
        length: int = 1,
        name: str | None = None,
    ) -> None: ...

class interleaved_char_to_complex(LibraryBlock):
    """Signed bytes, real and imaginary parts in turn, to complex samples.

    Parameters
    ----------
    scale : number, default 128.0
        The code for 1.0, not 0.
    swap : true or false, default False
        Whether the imaginary part comes first.

    Inputs
    ------
    in : i8
        codes, real and imaginary parts in turn
    set : messages
        new values of scale and swap

    Outputs
    -------
    out : C32
        full scale = 1.0: ⌊n / 2⌋ items for n

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        scale: float = 128.0,
        swap: bool = False,
        name: str | None = None,
    ) -> None: ...

class interleaved_short_to_complex(LibraryBlock):
    """Signed 16-bit integers, real and imaginary parts in turn, to complex samples.

    Parameters
    ----------
    scale : number, default 32768.0
        The code for 1.0, not 0.
    swap : true or false, default False
        Whether the imaginary part comes first.

    Inputs
    ------
    in : i16
        codes, real and imaginary parts in turn
    set : messages
        new values of scale and swap

    Outputs
    -------
    out : C32
        full scale = 1.0: ⌊n / 2⌋ items for n

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        scale: float = 32768.0,
        swap: bool = False,
        name: str | None = None,
    ) -> None: ...

class interp_fir_filter(LibraryBlock):
    """Interpolating FIR filter: zeros between the items, then a filter.

    Parameters
    ----------
    item : one of C32, f32, i16, default 'C32'
        The type of the samples.
    out_item : one of auto, C32, f32, i16, default 'auto'
        The type of the output: f32 for f32, C32 for the others; C32 or i16 for f32 where that is asked for.
    interpolation : whole number from 1 to 65536, items, required
        So many items out for one item in.
    taps : list of numbers, required
        The taps; complex ones as [re, im], where the output is C32.

    Inputs
    ------
    in : items as `item` says
        x
    set : messages
        new values of taps, at most as many as at first

    Outputs
    -------
    out : out_item
        x, interpolated: n · interpolation items for n

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        interpolation: int,
        taps: Sequence[complex],
        *,
        item: Literal['C32', 'f32', 'i16'] = 'C32',
        out_item: Literal['auto', 'C32', 'f32', 'i16'] = 'auto',
        name: str | None = None,
    ) -> None: ...

class iq_correction(LibraryBlock):
    """Finds the imbalance of I and Q by itself and takes it away.

    Parameters
    ----------
    length : whole number from 1024 to 1073741824, samples, default 65536
        Over how many samples the means forget.

    Inputs
    ------
    in : C32
        x

    Outputs
    -------
    out : C32
        x without its image

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        length: int = 65536,
        name: str | None = None,
    ) -> None: ...

class iq_imbalance(LibraryBlock):
    """The imbalance of a mixer's two branches, in gain and angle.

    Parameters
    ----------
    magnitude_db : number from -100 to 100, dB, default 0.0
        By how much the gain of Q exceeds that of I.
    phase_deg : number from -360 to 360, degrees, default 0.0
        By how much the angle between the branches exceeds 90°.
    transmit : true or false, default False
        Whether it is a transmitter's; false: a receiver's.

    Inputs
    ------
    in : C32
        x
    set : messages
        new values of magnitude_db, phase_deg and transmit

    Outputs
    -------
    out : C32
        x with its image

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        magnitude_db: float = 0.0,
        phase_deg: float = 0.0,
        transmit: bool = False,
        name: str | None = None,
    ) -> None: ...

class ism_decoder(LibraryBlock):
    """Decodes bursts of sensors, remote controls and tyres, by protocols that are data.

    Parameters
    ----------
    rate_hz : number ≥ 0, samples/s, required
        The sample rate of the widths, > 0.
    protocols : value, default []
        More protocols: a list of texts in TOML; one with the name of a known one takes its place.

    Inputs
    ------
    ook : messages
        packets of i32: samples of a pulse, a gap, …
    fsk : messages
        packets of i32: samples of the higher frequency, the lower, …

    Outputs
    -------
    out : messages
        packets of u8: the bytes of a frame

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        rate_hz: float,
        *,
        protocols: Any = [],
        name: str | None = None,
    ) -> None: ...

class keep_m_in_n(LibraryBlock):
    """The first m items of every n.

    Parameters
    ----------
    item : one of C32, f32, u8, i8, i16, i32, cu8, cs8, cs16, default 'C32'
        The type of the items.
    m : whole number from 1 to 16777216, items, required
        So many are kept, at most n.
    n : whole number from 1 to 16777216, items, required
        Of so many.
    offset : whole number ≥ 0, items, default 0
        Where in each n items to begin, at most n − m.

    Inputs
    ------
    in : items as `item` says
        x

    Outputs
    -------
    out : items as `item` says
        m of every n items of x: ⌊N / n⌋ · m items for N

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        m: int,
        n: int,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        offset: int = 0,
        name: str | None = None,
    ) -> None: ...

class keep_one_in_n(LibraryBlock):
    """Every n-th item, the last of each n.

    Parameters
    ----------
    item : one of C32, f32, u8, i8, i16, i32, cu8, cs8, cs16, default 'C32'
        The type of the items.
    n : whole number from 1 to 16777216, items, required
        One item of so many is kept.

    Inputs
    ------
    in : items as `item` says
        x

    Outputs
    -------
    out : items as `item` says
        the last of each n items: ⌊N / n⌋ items for N

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        n: int,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        name: str | None = None,
    ) -> None: ...

class kiss_encode(LibraryBlock):
    """Writes frames as KISS does, for programs for packet radio.

    Parameters
    ----------
    port : whole number from 0 to 15, default 0
        Which of the modem's ports frames are said to be of.

    Inputs
    ------
    in : messages
        packets of u8, or maps of receivers

    Outputs
    -------
    out : messages
        packets of u8: a frame each, as it is to be sent

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        port: int = 0,
        name: str | None = None,
    ) -> None: ...

class linear_equalizer(LibraryBlock):
    """Filters a signal by taps that adapt so that it comes to the points of a constellation.

    Parameters
    ----------
    constellation : value, required
        bpsk, qpsk, dqpsk, 8psk, 8psk_natural, 16qam, or what a function constellation.… gives: a map with points.
    taps : whole number from 1 to 4096, default 16
        How many taps the filter has.
    samples_per_symbol : whole number from 1 to 4096, samples, default 1
        One of so many samples is a symbol.
    algorithm : one of lms, nlms, cma, default 'lms'
        How the taps follow.
    step : number from 0 to 1, default 0.01
        How fast the taps follow.
    modulus : number from 0 to 1000000, power, default 1.0
        For cma: the power that symbols should have.
    training : list of numbers, default []
        Symbols that are known, where a tag says that they come.
    training_tag : text, default ''
        The key of that tag; none if empty.
    adapt_after_training : true or false, default True
        Whether the taps follow decisions after known symbols.

    Inputs
    ------
    in : C32
        samples
    set : messages
        new values of step and weights

    Outputs
    -------
    out : C32
        symbols: ⌈n / samples_per_symbol⌉ items for n
    error : f32
        the power of the error

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        constellation: Any,
        *,
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

class link_msg_sink(LibraryBlock):
    """Messages and packets for other processes, over TCP or through shared memory; nothing lost unless the settings say so.

    Parameters
    ----------
    address : text, required
        Where it listens: tcp://HOST:PORT, tls://HOST:PORT with certificate_file and key_file, where port 0 is one that is free, or shm://NAME, for readers on this machine through memory.
    policy : one of block, drop, default 'block'
        block: waits for readers whose rings are full; drop: goes on, and they miss what comes.
    memory_bytes : whole number from 8388608 to 1099511627776, bytes, default 67108864
        Memory for what readers have not acknowledged; one reader has a quarter.
    hold_s : number from 0 to 86400, s, default 10
        How long a reader that is away keeps its place, and its ring what it has not acknowledged.
    readers : whole number from 0 to 64, default 1
        The stream begins when so many readers are there.
    token_file : path of a file, default ''
        A file with a secret of 16 to 1024 bytes that the other side has to know; empty: none.
    certificate_file : path of a file, default ''
        PEM, the certificates that it shows, its own first: connections are encrypted then; empty: they are not.
    key_file : path of a file, default ''
        PEM, the private key of its certificate.

    Inputs
    ------
    in : messages
        what is to be sent

    Outputs
    -------
    events : messages
        readers that come and go, and what they lose

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        address: str,
        *,
        policy: Literal['block', 'drop'] = 'block',
        memory_bytes: int = 67108864,
        hold_s: float = 10,
        readers: int = 1,
        token_file: str = '',
        certificate_file: str = '',
        key_file: str = '',
        name: str | None = None,
    ) -> None: ...

class link_msg_source(LibraryBlock):
    """Messages and packets of another process, over TCP or through shared memory.

    Parameters
    ----------
    address : text, required
        Where the sink of the link listens: tcp://HOST:PORT, tls://HOST:PORT with authority_file, or shm://NAME on this machine.
    reader : text, default ''
        Who it is: whoever has the name goes on where the last one who had it has stopped; empty: nobody else has it.
    reconnect : true or false, default True
        Connects again, for ever; otherwise the end of a connection is an error.
    from_start : true or false, default False
        What the stream had before this reader came counts as missing.
    token_file : path of a file, default ''
        A file with a secret of 16 to 1024 bytes that the other side has to know; empty: none.
    authority_file : path of a file, default ''
        PEM, the certificates of those who may have signed that of the other side: the connection is encrypted then; empty: it is not.

    Outputs
    -------
    out : messages
        what has come; packets where it is one

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        address: str,
        *,
        reader: str = '',
        reconnect: bool = True,
        from_start: bool = False,
        token_file: str = '',
        authority_file: str = '',
        name: str | None = None,
    ) -> None: ...

class link_sink(LibraryBlock):
    """A stream for other processes: items and tags over TCP or through shared memory, nothing lost unless the settings say so.

    Parameters
    ----------
    item : one of C32, f32, u8, i8, i16, i32, cu8, cs8, cs16, default 'C32'
        The type of the items, which are sent as they lie in memory.
    address : text, required
        Where it listens: tcp://HOST:PORT, tls://HOST:PORT with certificate_file and key_file, where port 0 is one that is free, or shm://NAME, for readers on this machine through memory.
    policy : one of block, drop, default 'block'
        block: waits for readers whose rings are full; drop: goes on, and they miss what comes.
    memory_bytes : whole number from 8388608 to 1099511627776, bytes, default 67108864
        Memory for what readers have not acknowledged; one reader has a quarter.
    hold_s : number from 0 to 86400, s, default 10
        How long a reader that is away keeps its place, and its ring what it has not acknowledged.
    readers : whole number from 0 to 64, default 1
        The stream begins when so many readers are there.
    token_file : path of a file, default ''
        A file with a secret of 16 to 1024 bytes that the other side has to know; empty: none.
    certificate_file : path of a file, default ''
        PEM, the certificates that it shows, its own first: connections are encrypted then; empty: they are not.
    key_file : path of a file, default ''
        PEM, the private key of its certificate.

    Inputs
    ------
    in : items as `item` says
        the items

    Outputs
    -------
    events : messages
        readers that come and go, and what they lose

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        address: str,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        policy: Literal['block', 'drop'] = 'block',
        memory_bytes: int = 67108864,
        hold_s: float = 10,
        readers: int = 1,
        token_file: str = '',
        certificate_file: str = '',
        key_file: str = '',
        name: str | None = None,
    ) -> None: ...

class link_source(LibraryBlock):
    """A stream of another process: items and tags over TCP or through shared memory; what is lost is tagged and counted.

    Parameters
    ----------
    item : one of C32, f32, u8, i8, i16, i32, cu8, cs8, cs16, default 'C32'
        The type of the items, which are sent as they lie in memory.
    address : text, required
        Where the sink of the link listens: tcp://HOST:PORT, tls://HOST:PORT with authority_file, or shm://NAME on this machine.
    reader : text, default ''
        Who it is: whoever has the name goes on where the last one who had it has stopped; empty: nobody else has it.
    reconnect : true or false, default True
        Connects again, for ever; otherwise the end of a connection is an error.
    from_start : true or false, default False
        What the stream had before this reader came counts as missing.
    on_gap : one of continue, zeros, error, default 'continue'
        What is done where samples are missing: go on with a tag, fill in zeros, or end with an error.
    token_file : path of a file, default ''
        A file with a secret of 16 to 1024 bytes that the other side has to know; empty: none.
    authority_file : path of a file, default ''
        PEM, the certificates of those who may have signed that of the other side: the connection is encrypted then; empty: it is not.

    Outputs
    -------
    out : items as `item` says
        the items

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        address: str,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        reader: str = '',
        reconnect: bool = True,
        from_start: bool = False,
        on_gap: Literal['continue', 'zeros', 'error'] = 'continue',
        token_file: str = '',
        authority_file: str = '',
        name: str | None = None,
    ) -> None: ...

class low_pass_filter(LibraryBlock):
    """Low-pass filter by its frequencies in Hz, decimating too.

    Parameters
    ----------
    item : one of C32, f32, default 'C32'
        The type of the items.
    gain : number, default 1.0
        The gain at 0 Hz.
    rate_hz : number ≥ 0, samples/s, required
        The sample rate of the input, > 0.
    cutoff_hz : number ≥ 0, Hz, required
        The middle of the transition, -6 dB; less than half of rate_hz.
    transition_hz : number ≥ 0, Hz, required
        From pass band to stop band, > 0; the filter's length grows as it shrinks.
    window : one of rectangular, hann, hamming, blackman, blackman_harris, default 'hamming'
        The window: attenuation in the stop band (20, 43, 52, 74, 90 dB) for length (1 : 3.2 : 3.5 : 5.7 : 7.5).
    decimation : whole number from 1 to 16777216, items, default 1
        One item out of so many items in.

    Inputs
    ------
    in : items as `item` says
        x
    set : messages
        new values of gain and cutoff_hz

    Outputs
    -------
    out : items as `item` says
        x below the cutoff: ⌊n / decimation⌋ items for n

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        rate_hz: float,
        cutoff_hz: float,
        transition_hz: float,
        *,
        item: Literal['C32', 'f32'] = 'C32',
        gain: float = 1.0,
        window: Literal['rectangular', 'hann', 'hamming', 'blackman', 'blackman_harris'] = 'hamming',
        decimation: int = 1,
        name: str | None = None,
    ) -> None: ...

class magphase_to_complex(LibraryBlock):
    """Complex samples of magnitudes and angles.

    Inputs
    ------
    in0 : f32
        magnitudes
    in1 : f32
        angles in radians

    Outputs
    -------
    out : C32
        magnitude · exp(j · angle)

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class map(LibraryBlock):
    """Bytes as a table says; what it does not have stays as it is.

    Parameters
    ----------
    map : list of numbers, required
        What 0, 1, … become: at most 256 numbers from 0 to 255.

    Inputs
    ------
    in : u8
        any
    set : messages
        new values of map

    Outputs
    -------
    out : u8
        as mapped

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        map: Sequence[complex],
        *,
        name: str | None = None,
    ) -> None: ...

class max(LibraryBlock):
    """The largest items of all inputs, or of each vector of them.

    Parameters
    ----------
    item : one of f32, i32, i16, default 'f32'
        The type of the items.
    inputs : whole number from 1 to 64, default 2
        How many inputs there are: in0, in1, …; one alone passes as it is.
    length : whole number from 1 to 16777216, items, default 1
        The length of a vector.
    of_vector : true or false, default False
        Whether each vector gives one item; else each item does.

    Inputs
    ------
    in0 : items as `item` says
        a
    in1 : items as `item` says
        b; more or fewer as inputs says

    Outputs
    -------
    out : items as `item` says
        the largest of them: ⌊n / length⌋ items for n with of_vector, else n

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
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
    """The error vector magnitude of each symbol.

    Parameters
    ----------
    constellation : value, required
        bpsk, qpsk, dqpsk, 8psk, 8psk_natural, 16qam, or what a function constellation.… gives: a map with points.
    unit : one of percent, db, default 'percent'
        The unit.

    Inputs
    ------
    in : C32
        samples, one a symbol

    Outputs
    -------
    out : f32
        percent or dB

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        constellation: Any,
        *,
        unit: Literal['percent', 'db'] = 'percent',
        name: str | None = None,
    ) -> None: ...

class message_burst(LibraryBlock):
    """The same message, many at once, every period and for each message.

    Parameters
    ----------
    message : value, required
        The message; in files JSON, or plain text where it is not JSON.
    count : whole number from 1 to 1048576, messages, required
        How many a burst has.
    period_s : number from 0 to 31536000, s, default 0.0
        The time between two bursts; 0: only messages ask for them.

    Inputs
    ------
    trigger : messages
        any: each asks for one burst

    Outputs
    -------
    out : messages
        the message

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        message: Any,
        count: int,
        *,
        period_s: float = 0.0,
        name: str | None = None,
    ) -> None: ...

class message_debug(LibraryBlock):
    """Prints messages, one JSON value a line.

    Parameters
    ----------
    path : path of a file, default ''
        The file to write; stdout if empty or -.
    limit : whole number ≥ 0, messages, default 0
        Ends after so many messages; 0 is no limit.

    Inputs
    ------
    in : messages
        any values

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        path: str = '',
        limit: int = 0,
        name: str | None = None,
    ) -> None: ...

class message_strobe(LibraryBlock):
    """The same message again and again.

    Parameters
    ----------
    message : value, required
        The message; in files JSON, or plain text where it is not JSON.
    period_s : number from 0 to 31536000, s, required
        The time between two messages, > 0.

    Outputs
    -------
    out : messages
        the message

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        message: Any,
        period_s: float,
        *,
        name: str | None = None,
    ) -> None: ...

class min(LibraryBlock):
    """The smallest items of all inputs, or of each vector of them.

    Parameters
    ----------
    item : one of f32, i32, i16, default 'f32'
        The type of the items.
    inputs : whole number from 1 to 64, default 2
        How many inputs there are: in0, in1, …; one alone passes as it is.
    length : whole number from 1 to 16777216, items, default 1
        The length of a vector.
    of_vector : true or false, default False
        Whether each vector gives one item; else each item does.

    Inputs
    ------
    in0 : items as `item` says
        a
    in1 : items as `item` says
        b; more or fewer as inputs says

    Outputs
    -------
    out : items as `item` says
        the smallest of them: ⌊n / length⌋ items for n with of_vector, else n

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
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
    """Resampling at any ratio by a short interpolator.

    Parameters
    ----------
    item : one of C32, f32, default 'C32'
        The type of the items.
    phase_shift : number from 0 to 1, items, default 0.0
        Where the first output lies between two inputs.
    resamp_ratio : number from 0.000001 to 1000000, default 1.0
        Input rate / output rate.

    Inputs
    ------
    in : items as `item` says
        x
    set : messages
        new values of resamp_ratio and mu

    Outputs
    -------
    out : items as `item` says
        x, resampled: ⌈n / resamp_ratio⌉ items for n

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32'] = 'C32',
        phase_shift: float = 0.0,
        resamp_ratio: float = 1.0,
        name: str | None = None,
    ) -> None: ...

class moving_average(LibraryBlock):
    """The sum over the last items or vectors, scaled.

    Parameters
    ----------
    item : one of C32, f32, i32, i16, default 'C32'
        The type of the items.
    count : whole number from 1 to 16777216, required
        Over how many items or vectors the sum goes.
    scale : number, default 1.0
        What the sum is multiplied by, or its real part.
    scale_imag : number, default 0.0
        The imaginary part; 0 where the items are not C32.
    length : whole number from 1 to 16777216, items, default 1
        The length of a vector.

    Inputs
    ------
    in : items as `item` says
        x
    set : messages
        new values of count and scale

    Outputs
    -------
    out : items as `item` says
        the scaled sums: ⌊n / length⌋ · length items for n

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        count: int,
        *,
        item: Literal['C32', 'f32', 'i32', 'i16'] = 'C32',
        scale: complex = 1.0,
        scale_imag: float = 0.0,
        length: int = 1,
        name: str | None = None,
    ) -> None: ...

class mpsk_snr_est(LibraryBlock):
    """Passes a PSK signal on, with tags that say its signal-to-noise ratio.

    Parameters
    ----------
    estimator : one of simple, m2m4, svr, default 'm2m4'
        Mean and variance, second and fourth moment, or the ratio of signal variations.
    tag_samples : whole number ≥ 0, items, default 10000
        A tag comes after so many; 0 for none.
    alpha : number from 0 to 1, default 0.001
        The weight of each sample in the running means, greater for the first ones.

    Inputs
    ------
    in : C32
        samples

    Outputs
    -------
    out : C32
        the same; tags snr in dB

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        estimator: Literal['simple', 'm2m4', 'svr'] = 'm2m4',
        tag_samples: int = 10000,
        alpha: float = 0.001,
        name: str | None = None,
    ) -> None: ...

class mqtt_sink(LibraryBlock):
    """Messages for a broker of MQTT, as JSON; Home Assistant finds the devices in them by itself.

    Parameters
    ----------
    address : text, required
        Where the broker is: mqtt://[USER[:PASSWORD]@]HOST[:PORT], or mqtts://… with authority_file.
    topic : text, default 'superhet/{protocol}/{device}'
        The topic, with entries of the message in braces; {device} is the id, icao, mmsi and so on, and the channel.
    qos : whole number from 0 to 1, default 1
        Quality of service: 1: the broker answers each message; 0: it does not.
    retain : true or false, default False
        Whether the broker keeps the last message of each topic.
    home_assistant : text, default ''
        The prefix of Home Assistant's discovery, as homeassistant; empty: it is told nothing.
    client : text, default ''
        The name of this client; empty: a random one.
    password_file : path of a file, default ''
        A file with the password, instead of one in the address, which others may see; empty: none.
    authority_file : path of a file, default ''
        PEM, the certificates of those who may have signed that of the other side: the connection is encrypted then; empty: it is not.
    queue : whole number from 1 to 1000000, messages, default 1000
        So many wait for a broker that is away; then the oldest is dropped for each that comes, and counted.
    reconnect : true or false, default True
        Connects again, for ever; otherwise the end of a connection is an error.

    Inputs
    ------
    in : messages
        what is to be published

    Outputs
    -------
    events : messages
        that the broker is connected, or lost

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        address: str,
        *,
        topic: str = 'superhet/{protocol}/{device}',
        qos: int = 1,
        retain: bool = False,
        home_assistant: str = '',
        client: str = '',
        password_file: str = '',
        authority_file: str = '',
        queue: int = 1000,
        reconnect: bool = True,
        name: str | None = None,
    ) -> None: ...

class multiply(LibraryBlock):
    """Multiplies streams: y[n] = a[n] · b[n] · ….

    Parameters
    ----------
    item : one of C32, f32, i32, i16, default 'C32'
        The type of the items.
    inputs : whole number from 1 to 64, default 2
        How many inputs there are: in0, in1, …; one alone passes as it is.

    Inputs
    ------
    in0 : items as `item` says
        a
    in1 : items as `item` says
        b; more or fewer as inputs says

    Outputs
    -------
    out : items as `item` says
        the product

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'i32', 'i16'] = 'C32',
        inputs: int = 2,
        name: str | None = None,
    ) -> None: ...

class multiply_by_tag_value(LibraryBlock):
    """Multiplies by what the last tag with a key says.

    Parameters
    ----------
    key : text, required
        The key of the tags.

    Inputs
    ------
    in : C32
        x

    Outputs
    -------
    out : C32
        x times the factor

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        key: str,
        *,
        name: str | None = None,
    ) -> None: ...

class multiply_conjugate(LibraryBlock):
    """Multiplies by the conjugate of the second stream: y[n] = a[n] · conj(b[n]).

    Inputs
    ------
    in0 : C32
        a
    in1 : C32
        b

    Outputs
    -------
    out : C32
        a · conj(b)

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class multiply_const(LibraryBlock):
    """Multiplies by a constant: y[n] = constant · x[n].

    Parameters
    ----------
    item : one of C32, f32, i32, i16, default 'C32'
        The type of the items.
    constant : number, required
        The constant, or its real part.
    constant_imag : number, default 0.0
        The imaginary part; 0 where the items are not C32.

    Inputs
    ------
    in : items as `item` says
        x
    set : messages
        new values of constant

    Outputs
    -------
    out : items as `item` says
        constant · x

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        constant: complex,
        *,
        item: Literal['C32', 'f32', 'i32', 'i16'] = 'C32',
        constant_imag: float = 0.0,
        name: str | None = None,
    ) -> None: ...

class multiply_const_pdu(LibraryBlock):
    """Multiplies the items of packets by a constant.

    Parameters
    ----------
    item : one of C32, f32, default 'C32'
        The type of the items.
    constant : number, required
        The constant, or its real part.
    constant_imag : number, default 0.0
        The imaginary part; 0 where the items are f32.

    Inputs
    ------
    in : messages
        packets of x

    Outputs
    -------
    out : messages
        packets of constant · x

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        constant: complex,
        *,
        item: Literal['C32', 'f32'] = 'C32',
        constant_imag: float = 0.0,
        name: str | None = None,
    ) -> None: ...

class multiply_const_vector(LibraryBlock):
    """Multiplication of vectors and a constant one.

    Parameters
    ----------
    item : one of C32, f32, i32, i16, u8, default 'C32'
        The type of the items.
    constants : list of numbers, required
        The constants; complex ones as [re, im].

    Inputs
    ------
    in : items as `item` says
        x: vectors of as many items as there are constants
    set : messages
        new values of constants, as many as before

    Outputs
    -------
    out : items as `item` says
        x · constants, place by place: ⌊n / L⌋ · L items for n, with L constants

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        constants: Sequence[complex],
        *,
        item: Literal['C32', 'f32', 'i32', 'i16', 'u8'] = 'C32',
        name: str | None = None,
    ) -> None: ...

class multiply_matrix(LibraryBlock):
    """A matrix times several streams.

    Parameters
    ----------
    item : one of C32, f32, default 'C32'
        The type of the items.
    matrix : value, required
        The matrix: a list of its rows, each a list of numbers.
    tags : one of none, all, one_to_one, matrix, default 'all'
        Where the tags of an input go; with matrix, to each output whose row has a coefficient for it that is not 0.

    Inputs
    ------
    in0 : items as `item` says
        for the first column; an input for each
    in1 : items as `item` says
        for the second
    set : messages
        new values of matrix, of the same size

    Outputs
    -------
    out0 : items as `item` says
        of the first row; an output for each
    out1 : items as `item` says
        of the second

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        matrix: Any,
        *,
        item: Literal['C32', 'f32'] = 'C32',
        tags: Literal['none', 'all', 'one_to_one', 'matrix'] = 'all',
        name: str | None = None,
    ) -> None: ...

class mute(LibraryBlock):
    """Passes items on, or zeros in their place while it is muted.

    Parameters
    ----------
    item : one of C32, f32, i32, i16, default 'C32'
        The type of the items.
    mute : true or false, default False
        Whether it begins muted.

    Inputs
    ------
    in : items as `item` says
        x
    set : messages
        new values of mute

    Outputs
    -------
    out : items as `item` says
        x or 0

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'i32', 'i16'] = 'C32',
        mute: bool = False,
        name: str | None = None,
    ) -> None: ...

class nats_sink(LibraryBlock):
    """Messages for a server of NATS, as JSON.

    Parameters
    ----------
    address : text, required
        Where the server is: nats://[USER:PASSWORD@]HOST[:PORT], nats://TOKEN@HOST[:PORT], or tls://… with authority_file.
    subject : text, default 'superhet.{protocol}.{device}'
        The subject, with entries of the message in braces; {device} is the id, icao, mmsi and so on, and the channel.
    password_file : path of a file, default ''
        A file with the password, instead of one in the address, which others may see; empty: none.
    authority_file : path of a file, default ''
        PEM, the certificates of those who may have signed that of the other side: the connection is encrypted then; empty: it is not.
    queue : whole number from 1 to 1000000, messages, default 1000
        So many wait for a broker that is away; then the oldest is dropped for each that comes, and counted.
    reconnect : true or false, default True
        Connects again, for ever; otherwise the end of a connection is an error.

    Inputs
    ------
    in : messages
        what is to be published

    Outputs
    -------
    events : messages
        that the server is connected, or lost

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        address: str,
        *,
        subject: str = 'superhet.{protocol}.{device}',
        password_file: str = '',
        authority_file: str = '',
        queue: int = 1000,
        reconnect: bool = True,
        name: str | None = None,
    ) -> None: ...

class nlog10(LibraryBlock):
    """Logarithms of base 10, scaled: y[n] = factor · log10(x[n]) + offset.

    Parameters
    ----------
    factor : number, default 1.0
        What the logarithm is multiplied by.
    offset : number, default 0.0
        What is added.

    Inputs
    ------
    in : f32
        x
    set : messages
        new values of factor and offset

    Outputs
    -------
    out : f32
        factor · log10(x) + offset

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        factor: float = 1.0,
        offset: float = 0.0,
        name: str | None = None,
    ) -> None: ...

class noise_source(LibraryBlock):
    """Noise: uniform, Gaussian, Laplacian or of impulses.

    Parameters
    ----------
    item : one of C32, f32, i16, i32, default 'C32'
        The type of the items.
    distribution : one of uniform, gaussian, laplacian, impulse, default 'gaussian'
        How the noise is distributed.
    amplitude : number, default 1.0
        What the noise is multiplied by.
    seed : whole number, default 0
        The same seed gives the same numbers.

    Inputs
    ------
    set : messages
        new values of amplitude and distribution

    Outputs
    -------
    out : items as `item` says
        the noise

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
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
    """Bitwise not: every bit is turned over.

    Parameters
    ----------
    item : one of u8, i32, i16, default 'u8'
        The type of the items.

    Inputs
    ------
    in : items as `item` says
        x

    Outputs
    -------
    out : items as `item` says
        !x

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        item: Literal['u8', 'i32', 'i16'] = 'u8',
        name: str | None = None,
    ) -> None: ...

class nrzi_decode(LibraryBlock):
    """Decodes NRZI: y[n] = (x[n] = x[n − 1]), or its complement.

    Parameters
    ----------
    change : one of zero, one, default 'zero'
        Which bit is a change of the level: zero in HDLC, AX.25 and USB (NRZ-S), one in NRZ-M.

    Inputs
    ------
    in : u8
        levels, a bit each

    Outputs
    -------
    out : u8
        0 or 1

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        change: Literal['zero', 'one'] = 'zero',
        name: str | None = None,
    ) -> None: ...

class nrzi_encode(LibraryBlock):
    """Encodes NRZI: the level changes with each zero, or with each one.

    Parameters
    ----------
    change : one of zero, one, default 'zero'
        Which bit is a change of the level: zero in HDLC, AX.25 and USB (NRZ-S), one in NRZ-M.

    Inputs
    ------
    in : u8
        a bit each, the lowest

    Outputs
    -------
    out : u8
        levels, 0 or 1

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        change: Literal['zero', 'one'] = 'zero',
        name: str | None = None,
    ) -> None: ...

class null_sink(LibraryBlock):
    """Takes a stream and does nothing with it.

    Parameters
    ----------
    item : one of C32, f32, u8, i8, i16, i32, cu8, cs8, cs16, default 'C32'
        The type of the items.

    Inputs
    ------
    in : items as `item` says
        not looked at

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        name: str | None = None,
    ) -> None: ...

class null_source(LibraryBlock):
    """An endless stream of zeros.

    Parameters
    ----------
    item : one of C32, f32, u8, i8, i16, i32, cu8, cs8, cs16, default 'C32'
        The type of the items.

    Outputs
    -------
    out : items as `item` says
        zeros

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        name: str | None = None,
    ) -> None: ...

class ofdm_carrier_allocator(LibraryBlock):
    """Puts the items of each packet on the carriers of OFDM symbols, with pilots, behind sync words.

    Parameters
    ----------
    fft_length : whole number from 2 to 65536, carriers, required
        How many carriers a symbol has.
    occupied_carriers : value, required
        For one symbol after another, and then from the first on: the numbers of the carriers with data, negative below 0.
    pilot_carriers : value, default []
        For one symbol after another: the numbers of the carriers with pilots.
    pilot_symbols : value, default []
        For one symbol after another: the pilots on these.
    sync_words : value, default []
        Whole symbols that come before each packet, as they are.
    length_tag : text, default 'packet_len'
        The key of the tag on the first item of each packet that says how many items it has.
    output_is_shifted : true or false, default True
        Whether carrier 0 is in the middle of a symbol.

    Inputs
    ------
    in : C32
        packets of data in a stream

    Outputs
    -------
    out : C32
        packets of symbols in a stream

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        fft_length: int,
        occupied_carriers: Any,
        *,
        pilot_carriers: Any = [],
        pilot_symbols: Any = [],
        sync_words: Any = [],
        length_tag: str = 'packet_len',
        output_is_shifted: bool = True,
        name: str | None = None,
    ) -> None: ...

class ofdm_chanest(LibraryBlock):
    """Takes the sync symbols off OFDM frames and says the frequency offset and the channel.

    Parameters
    ----------
    sync_symbol1 : list of numbers, required
        The first sync symbol, carrier 0 in the middle; every second carrier is 0.
    sync_symbol2 : list of numbers, default []
        The second one; empty if there is none.
    data_symbols : whole number from 1 to 16777216, symbols, default 1
        How many symbols come behind them.
    max_carrier_offset : whole number from -1 to 16777216, carriers, default -1
        How far off the frequency may be; -1 for as far as possible.
    one_sync_symbol : true or false, default False
        Whether the second one is not sent, and says which carriers are in use.

    Inputs
    ------
    in : C32
        frames of symbols

    Outputs
    -------
    out : C32
        their data symbols

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        sync_symbol1: Sequence[complex],
        *,
        sync_symbol2: Sequence[complex] = [],
        data_symbols: int = 1,
        max_carrier_offset: int = -1,
        one_sync_symbol: bool = False,
        name: str | None = None,
    ) -> None: ...

class ofdm_cyclic_prefixer(LibraryBlock):
    """Puts the end of each OFDM symbol before it.

    Parameters
    ----------
    fft_length : whole number from 2 to 65536, carriers, required
        How many carriers a symbol has.
    cp_length : whole number from 0 to 65536, items, required
        How long the prefix is, at most fft_length.
    rolloff_length : whole number from 0 to 65536, items, default 0
        How softly symbols overlap: 0, or less than cp_length.
    length_tag : text, default ''
        The key of the tag that says how long packets are; empty for a stream without.

    Inputs
    ------
    in : C32
        symbols

    Outputs
    -------
    out : C32
        symbols with prefixes: ⌊n / fft_length⌋ · (fft_length + cp_length) items for n

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        fft_length: int,
        cp_length: int,
        *,
        rolloff_length: int = 0,
        length_tag: str = '',
        name: str | None = None,
    ) -> None: ...

class ofdm_frame_equalizer(LibraryBlock):
    """Puts OFDM frames right: their frequency and their channel.

    Parameters
    ----------
    fft_length : whole number from 2 to 65536, carriers, required
        How many carriers a symbol has.
    cp_length : whole number ≥ 0, items, default 0
        How long the prefix of a symbol is.
    length_tag : text, default 'packet_len'
        The key of the tag on the first item of each packet that says how many items it has.
    fixed_frame_length : whole number ≥ 0, symbols, default 0
        How long every frame is; 0 if the length tags say it.
    tells_taps : true or false, default False
        Whether frames get the channel after their last symbol.
    equalizer : one of static, simpledfe, default 'static'
        Whether decisions for the data change the channel, too.
    occupied_carriers : value, default []
        For one symbol after another: the numbers of the carriers in use, negative below 0; all if empty.
    pilot_carriers : value, default []
        For one symbol after another: the numbers of the carriers with pilots.
    pilot_symbols : value, default []
        For one symbol after another: the pilots on these.
    symbols_skipped : whole number ≥ 0, symbols, default 0
        Which list of pilots the first symbol of a frame has.
    input_is_shifted : true or false, default True
        Whether carrier 0 is in the middle of a symbol.
    constellation : value, default 'bpsk'
        What decisions are made for: a name, or a map with points.
    alpha : number from 0 to 1, default 0.1
        How much of a channel stays at each symbol where there are decisions.
    soft_output : true or false, default False
        Whether the samples are given; else what was decided for.

    Inputs
    ------
    in : C32
        frames of symbols

    Outputs
    -------
    out : C32
        the same

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        fft_length: int,
        *,
        cp_length: int = 0,
        length_tag: str = 'packet_len',
        fixed_frame_length: int = 0,
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
    """Takes the data off the carriers of the OFDM symbols of each packet.

    Parameters
    ----------
    fft_length : whole number from 2 to 65536, carriers, required
        How many carriers a symbol has.
    occupied_carriers : value, required
        For one symbol after another, and then from the first on: the numbers of the carriers with data, negative below 0.
    length_tag : text, default 'packet_len'
        The key of the tag on the first item of each packet that says how many items it has.
    packet_length_tag : text, default ''
        The entry that says how many items a packet has; none if empty.
    symbols_skipped : whole number ≥ 0, symbols, default 0
        Which list of carriers the first symbol has.
    carrier_offset_tag : text, default ''
        The entry that says how far carriers are off; none if empty.
    input_is_shifted : true or false, default True
        Whether carrier 0 is in the middle of a symbol.

    Inputs
    ------
    in : C32
        packets of symbols in a stream

    Outputs
    -------
    out : C32
        packets of data in a stream

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        fft_length: int,
        occupied_carriers: Any,
        *,
        length_tag: str = 'packet_len',
        packet_length_tag: str = '',
        symbols_skipped: int = 0,
        carrier_offset_tag: str = '',
        input_is_shifted: bool = True,
        name: str | None = None,
    ) -> None: ...

class ofdm_sync_sc(LibraryBlock):
    """Finds the OFDM symbols whose two halves are the same, by the method of Schmidl and Cox.

    Parameters
    ----------
    fft_length : whole number from 2 to 65536, carriers, required
        How many carriers a symbol has.
    cp_length : whole number from 0 to 65536, items, required
        How long the prefix is, at most fft_length.
    use_even_carriers : true or false, default False
        Whether the symbol has even carriers only, not odd ones.
    threshold : number from 0 to 1, default 0.9
        How alike the halves must be, more than 0.

    Inputs
    ------
    in : C32
        samples

    Outputs
    -------
    freq : f32
        the frequency offset in radians per half symbol
    trigger : u8
        1 where a symbol was found

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        fft_length: int,
        cp_length: int,
        *,
        use_even_carriers: bool = False,
        threshold: float = 0.9,
        name: str | None = None,
    ) -> None: ...

class or_(LibraryBlock):
    """Bitwise or: y[n] = a[n] | b[n] | ….

    Parameters
    ----------
    item : one of u8, i32, i16, default 'u8'
        The type of the items.
    inputs : whole number from 1 to 64, default 2
        How many inputs there are: in0, in1, …; one alone passes as it is.

    Inputs
    ------
    in0 : items as `item` says
        a
    in1 : items as `item` says
        b; more or fewer as inputs says

    Outputs
    -------
    out : items as `item` says
        a | b | …

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        item: Literal['u8', 'i32', 'i16'] = 'u8',
        inputs: int = 2,
        name: str | None = None,
    ) -> None: ...

class pack_k_bits(LibraryBlock):
    """Puts k bits, the lowest of an item each, into one item, the first highest.

    Parameters
    ----------
    k : whole number from 1 to 8, bits, required
        How many bits an item gets.

    Inputs
    ------
    in : u8
        bits: the lowest of each item

    Outputs
    -------
    out : u8
        k bits in each item, the first highest: ⌊n / k⌋ items for n

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        k: int,
        *,
        name: str | None = None,
    ) -> None: ...

class packed_to_unpacked(LibraryBlock):
    """Gives all bits of each item, so many in each, the first highest.

    Parameters
    ----------
    item : one of u8, i32, i16, default 'u8'
        The type of the items.
    bits : whole number from 1 to 32, bits, required
        How many bits lie in an item that is not full: as many as it has, at most.
    order : one of msb_first, lsb_first, default 'msb_first'
        Which bit of an item comes first.

    Inputs
    ------
    in : items as `item` says
        bits

    Outputs
    -------
    out : items as `item` says
        the same bits: ⌊n · bits of an item / bits⌋ items for n

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        bits: int,
        *,
        item: Literal['u8', 'i32', 'i16'] = 'u8',
        order: Literal['msb_first', 'lsb_first'] = 'msb_first',
        name: str | None = None,
    ) -> None: ...

class packet_headergenerator(LibraryBlock):
    """Gives the header of each packet: its length, its number and a checksum.

    Parameters
    ----------
    header_length : whole number from 4 to 65536, items, default 32
        How many items a header has.
    bits_per_item : whole number from 1 to 8, default 1
        How many bits an item of a header has.
    scramble : true or false, default False
        Whether bits of a header are flipped by a fixed sequence, so that long runs of one bit become rare.
    length_tag : text, default 'packet_len'
        The key of the tag on the first item of each packet that says how many items it has.
    number_tag : text, default 'packet_num'
        The key of what says the number of a packet.

    Inputs
    ------
    in : u8
        packets in a stream

    Outputs
    -------
    out : u8
        headers in a stream

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        header_length: int = 32,
        bits_per_item: int = 1,
        scramble: bool = False,
        length_tag: str = 'packet_len',
        number_tag: str = 'packet_num',
        name: str | None = None,
    ) -> None: ...

class packet_headerparser(LibraryBlock):
    """Reads headers out of a stream and sends what each says.

    Parameters
    ----------
    header_length : whole number from 4 to 65536, items, default 32
        How many items a header has.
    bits_per_item : whole number from 1 to 8, default 1
        How many bits an item of a header has.
    scramble : true or false, default False
        Whether bits of a header are flipped by a fixed sequence, so that long runs of one bit become rare.
    length_tag : text, default 'packet_len'
        The key of the tag on the first item of each packet that says how many items it has.
    number_tag : text, default 'packet_num'
        The key of what says the number of a packet.
    symbol_sizes : list of numbers, items, default []
        Of OFDM frames: how many items one symbol after another carries; empty for packets that lie in none.
    payload_bits_per_item : whole number from 1 to 64, default 1
        Of OFDM frames: bits of an item.
    frame_length_tag : text, default 'frame_len'
        Of OFDM frames: the key of what says how many symbols a packet has.

    Inputs
    ------
    in : u8
        headers

    Outputs
    -------
    header_data : messages
        a map, or false

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        header_length: int = 32,
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
    """Several streams as one, an item of each as a pattern says.

    Parameters
    ----------
    item : one of C32, f32, u8, i8, i16, i32, cu8, cs8, cs16, default 'C32'
        The type of the items.
    pattern : list of numbers, required
        The numbers of the inputs, from 0, one for each vector.
    length : whole number from 1 to 16777216, items, default 1
        The length of a vector.

    Inputs
    ------
    in0 : items as `item` says
        input 0
    in1 : items as `item` says
        input 1; as many as the pattern names

    Outputs
    -------
    out : items as `item` says
        items in the order of the pattern: as many as the pattern says, until an input that is next has ended

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        pattern: Sequence[complex],
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        length: int = 1,
        name: str | None = None,
    ) -> None: ...

class pcap_sink(LibraryBlock):
    """Writes packets of bytes into a PCAP file.

    Parameters
    ----------
    path : path of a file, required
        The file to write.
    link_type : whole number from 0 to 65535, default 147
        What the packets are, a number of tcpdump.org/linktypes.html; 147 is for private use, 1 is Ethernet.

    Inputs
    ------
    in : messages
        packets of u8; time_ns in their metadata is when they came

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        path: str,
        *,
        link_type: int = 147,
        name: str | None = None,
    ) -> None: ...

class pcap_source(LibraryBlock):
    """Packets from a PCAP file, with their times.

    Parameters
    ----------
    path : path of a file, required
        The file.

    Outputs
    -------
    out : messages
        packets of u8 with time_ns and link_type

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        path: str,
        *,
        name: str | None = None,
    ) -> None: ...

class pdu_filter(LibraryBlock):
    """Lets packets through whose metadata has a given entry, or all others.

    Parameters
    ----------
    key : text, required
        The entry of the metadata.
    value : value, required
        Its value; in files JSON, or plain text where it is not JSON.
    invert : true or false, default False
        Whether to let the others through instead.

    Inputs
    ------
    in : messages
        packets of any items

    Outputs
    -------
    out : messages
        those that pass

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        key: str,
        value: Any,
        *,
        invert: bool = False,
        name: str | None = None,
    ) -> None: ...

class pdu_remove(LibraryBlock):
    """Takes an entry out of each packet's metadata.

    Parameters
    ----------
    key : text, required
        The entry.

    Inputs
    ------
    in : messages
        packets of any items

    Outputs
    -------
    out : messages
        the packets, changed

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        key: str,
        *,
        name: str | None = None,
    ) -> None: ...

class pdu_set(LibraryBlock):
    """Sets an entry of each packet's metadata.

    Parameters
    ----------
    key : text, required
        The entry.
    value : value, required
        Its value; in files JSON, or plain text where it is not JSON.

    Inputs
    ------
    in : messages
        packets of any items

    Outputs
    -------
    out : messages
        the packets, changed

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        key: str,
        value: Any,
        *,
        name: str | None = None,
    ) -> None: ...

class pdu_split(LibraryBlock):
    """Packets' metadata and their items apart.

    Inputs
    ------
    in : messages
        packets of any items

    Outputs
    -------
    dict : messages
        their metadata, as maps
    vec : messages
        packets of their items, without metadata

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class pdu_to_stream(LibraryBlock):
    """The items of packets as a stream without bounds.

    Parameters
    ----------
    item : one of C32, f32, u8, i8, i16, i32, cu8, cs8, cs16, default 'C32'
        The type of the items.

    Inputs
    ------
    in : messages
        packets of such items

    Outputs
    -------
    out : items as `item` says
        their items

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        name: str | None = None,
    ) -> None: ...

class pdu_to_tagged_stream(LibraryBlock):
    """Puts packets that come as messages into a stream, with their metadata as tags.

    Parameters
    ----------
    item : one of C32, f32, u8, i8, i16, i32, cu8, cs8, cs16, default 'C32'
        The type of the items.
    length_tag : text, default 'packet_len'
        The key of the tag on the first item of each packet that says how many items it has.
    fill_gaps : true or false, default False
        Whether each packet begins at the item that its index says, with zeros before it.

    Inputs
    ------
    in : messages
        packets of such items

    Outputs
    -------
    out : items as `item` says
        the packets, one right after another or where their index says

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        length_tag: str = 'packet_len',
        fill_gaps: bool = False,
        name: str | None = None,
    ) -> None: ...

class peak_detector(LibraryBlock):
    """Gives 1 at each peak of a signal, against its average.

    Parameters
    ----------
    item : one of f32, i32, i16, default 'f32'
        The type of the items.
    rise : number, default 0.25
        Times the average: what a peak begins above.
    fall : number, default 0.4
        Times the average: what a peak ends at.
    alpha : number from 0 to 1, default 0.001
        How much of each item the average takes.

    Inputs
    ------
    in : items as `item` says
        x

    Outputs
    -------
    out : u8
        1 at a peak

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
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
    """Gives 1 at the highest item behind where a signal crosses a threshold.

    Parameters
    ----------
    rise : number, default 7.0
        A window begins above (1 + this) times the average.
    look_ahead : whole number ≥ 1, items, default 1000
        How long a window is.
    alpha : number from 0 to 1, default 0.001
        What the average takes of each new item.

    Inputs
    ------
    in : f32
        x

    Outputs
    -------
    out : u8
        1 at a peak
    average : f32
        the average; may stay unconnected

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        rise: float = 7.0,
        look_ahead: int = 1000,
        alpha: float = 0.001,
        name: str | None = None,
    ) -> None: ...

class pfb_arb_resampler(LibraryBlock):
    """Resampling at any rate by a bank of filters.

    Parameters
    ----------
    item : one of C32, f32, default 'C32'
        The type of the items.
    rate : number from 0.000001 to 1000000, default 1.0
        Output rate / input rate.
    taps : list of numbers, default []
        The taps, at the rate of filters inputs; none: they are designed.
    filters : whole number from 1 to 65536, default 32
        How many filters there are for each input.
    phase_rad : number from 0 to 6.283185307179586, rad, default 0.0
        How far behind an item the first output lies: a turn, which is excluded, for an item.

    Inputs
    ------
    in : items as `item` says
        x
    set : messages
        new values of rate, taps and phase_rad

    Outputs
    -------
    out : items as `item` says
        x, resampled: about n · rate items for n

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32'] = 'C32',
        rate: float = 1.0,
        taps: Sequence[complex] = [],
        filters: int = 32,
        phase_rad: float = 0.0,
        name: str | None = None,
    ) -> None: ...

class pfb_channelizer(LibraryBlock):
    """Splits a band into channels of equal width, an output for each.

    Parameters
    ----------
    channels : whole number from 1 to 1024, required
        How many channels.
    taps : list of numbers, required
        The real taps of a low-pass filter for the input's rate.
    oversample_rate : number from 1 to 1024, default 1.0
        How much faster than needed the outputs are.
    channel_map : list of numbers, default []
        Which channel each output has; none: all in order.

    Inputs
    ------
    in : C32
        x

    Outputs
    -------
    out0 : C32
        channel 0: ⌊n · oversample_rate / channels⌋ items for n
    out1 : C32
        channel 1; more as channels says

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        channels: int,
        taps: Sequence[complex],
        *,
        oversample_rate: float = 1.0,
        channel_map: Sequence[complex] = [],
        name: str | None = None,
    ) -> None: ...

class pfb_clock_sync(LibraryBlock):
    """Filters a signal by its matched filter at the instants of the symbols, which a loop finds.

    Parameters
    ----------
    item : one of C32, f32, default 'C32'
        The type of the items.
    samples_per_symbol : number from 1 to 1000000, samples, required
        How many samples a symbol takes, more than 1.
    loop_bandwidth_rad : number from 0 to 7, radians per symbol, default 0.0628
        How fast the loop is.
    taps : list of numbers, required
        The matched filter at filters times the sample rate.
    filters : whole number from 2 to 1024, default 32
        How many filters the taps are cut into.
    init_phase : number from 0 to 1024, filters, default 0.0
        Which filter is the first.
    max_deviation : number from 0 to 1000, filters, default 1.5
        How far off the rate may be.
    outputs_per_symbol : whole number from 1 to 1024, samples, default 1
        How many samples are given a symbol.

    Inputs
    ------
    in : items as `item` says
        samples
    set : messages
        new values of loop_bandwidth_rad, damping, alpha and beta; requests for error, rate and phase

    Outputs
    -------
    out : items as `item` says
        symbols: about n · outputs_per_symbol / samples_per_symbol items for n
    error : f32
        the error of the clock at the symbol before
    rate : f32
        how far off the rate is, filters per sample
    phase : f32
        the filter in use

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        samples_per_symbol: float,
        taps: Sequence[complex],
        *,
        item: Literal['C32', 'f32'] = 'C32',
        loop_bandwidth_rad: float = 0.0628,
        filters: int = 32,
        init_phase: float = 0.0,
        max_deviation: float = 1.5,
        outputs_per_symbol: int = 1,
        name: str | None = None,
    ) -> None: ...

class pfb_decimator(LibraryBlock):
    """One channel of a band that is split into channels of equal width.

    Parameters
    ----------
    decimation : whole number from 1 to 16777216, items, required
        How many channels there are: one item out of so many in.
    taps : list of numbers, required
        The real taps of a low-pass filter for the input's rate.
    channel : whole number from 0 to 16777216, default 0
        Which channel, from 0.

    Inputs
    ------
    in : C32
        x
    set : messages
        new values of taps, at most as many as at first, and of channel

    Outputs
    -------
    out : C32
        the channel: ⌊n / decimation⌋ items for n

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        decimation: int,
        taps: Sequence[complex],
        *,
        channel: int = 0,
        name: str | None = None,
    ) -> None: ...

class pfb_synthesizer(LibraryBlock):
    """Puts streams side by side as channels of one band.

    Parameters
    ----------
    channels : whole number from 1 to 1024, required
        How many channels: items out for one item in.
    inputs : whole number from 1 to 1024, default 2
        How many streams there are: in0, in1, ….
    taps : list of numbers, required
        The real taps of a low-pass filter for the output's rate.
    twice : true or false, default False
        Channels half as far apart: the inputs have twice the rate.
    channel_map : list of numbers, default []
        Which channel each input has; none: that of its number.

    Inputs
    ------
    in0 : C32
        the stream of channel 0
    in1 : C32
        the stream of channel 1; more as inputs says

    Outputs
    -------
    out : C32
        the band: n · channels items for n

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        channels: int,
        taps: Sequence[complex],
        *,
        inputs: int = 2,
        twice: bool = False,
        channel_map: Sequence[complex] = [],
        name: str | None = None,
    ) -> None: ...

class phase_modulator(LibraryBlock):
    """Phase modulation: y[n] = exp(j · sensitivity · x[n]).

    Parameters
    ----------
    sensitivity : number, radians, default 1.0
        How far an input of 1 turns.

    Inputs
    ------
    in : f32
        x
    set : messages
        new values of sensitivity

    Outputs
    -------
    out : C32
        a carrier whose phase is x

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        sensitivity: float = 1.0,
        name: str | None = None,
    ) -> None: ...

class phase_noise(LibraryBlock):
    """Phase noise of an oscillator: free, with a line width, or locked, with a level and a bandwidth.

    Parameters
    ----------
    rate_hz : number, Hz, default 1.0
        Samples per second.
    linewidth_hz : number from 0 to 1000000000000, Hz, default 0.0
        The width at half its height of the line of a free oscillator.
    rms_rad : number from 0 to 1000, radians, default 0.0
        The root mean square of the phase of a locked oscillator.
    bandwidth_hz : number from 0 to 1000000000000, Hz, default 0.1
        The bandwidth of its noise, to the half of the power.
    seed : whole number, default 0
        The same seed gives the same noise.

    Inputs
    ------
    in : C32
        x

    Outputs
    -------
    out : C32
        x, turned

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        rate_hz: float = 1.0,
        linewidth_hz: float = 0.0,
        rms_rad: float = 0.0,
        bandwidth_hz: float = 0.1,
        seed: int = 0,
        name: str | None = None,
    ) -> None: ...

class plateau_detector(LibraryBlock):
    """Gives 1 in the middle of each run of items at or above a threshold.

    Parameters
    ----------
    max_length : whole number ≥ 1, items, required
        Behind a plateau, how long none begins.
    threshold : number, default 0.9
        The least value of the items of a plateau.

    Inputs
    ------
    in : f32
        x

    Outputs
    -------
    out : u8
        1 in the middle of a plateau

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        max_length: int,
        *,
        threshold: float = 0.9,
        name: str | None = None,
    ) -> None: ...

class pll_carriertracking(LibraryBlock):
    """Follows a carrier and brings it to 0 Hz.

    Parameters
    ----------
    loop_bandwidth_rad : number from 0 to 1000000, radians/sample, default 0.0628
        How fast the loop follows.
    max_frequency_rad : number, radians/sample, default 1.0
        The highest frequency that it follows.
    min_frequency_rad : number, radians/sample, default -1.0
        The lowest frequency that it follows.

    Inputs
    ------
    in : C32
        a carrier
    set : messages
        new values of all parameters, and of damping, alpha, beta, frequency_rad, phase_rad

    Outputs
    -------
    out : C32
        the carrier at 0 Hz

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        loop_bandwidth_rad: float = 0.0628,
        max_frequency_rad: float = 1.0,
        min_frequency_rad: float = -1.0,
        name: str | None = None,
    ) -> None: ...

class pll_freqdet(LibraryBlock):
    """Follows a carrier and gives its frequency in radians per sample.

    Parameters
    ----------
    loop_bandwidth_rad : number from 0 to 1000000, radians/sample, default 0.0628
        How fast the loop follows.
    max_frequency_rad : number, radians/sample, default 1.0
        The highest frequency that it follows.
    min_frequency_rad : number, radians/sample, default -1.0
        The lowest frequency that it follows.

    Inputs
    ------
    in : C32
        a carrier
    set : messages
        new values of all parameters, and of damping, alpha, beta, frequency_rad, phase_rad

    Outputs
    -------
    out : f32
        radians per sample

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        loop_bandwidth_rad: float = 0.0628,
        max_frequency_rad: float = 1.0,
        min_frequency_rad: float = -1.0,
        name: str | None = None,
    ) -> None: ...

class pll_refout(LibraryBlock):
    """Follows a carrier and gives a clean copy.

    Parameters
    ----------
    loop_bandwidth_rad : number from 0 to 1000000, radians/sample, default 0.0628
        How fast the loop follows.
    max_frequency_rad : number, radians/sample, default 1.0
        The highest frequency that it follows.
    min_frequency_rad : number, radians/sample, default -1.0
        The lowest frequency that it follows.

    Inputs
    ------
    in : C32
        a carrier
    set : messages
        new values of all parameters, and of damping, alpha, beta, frequency_rad, phase_rad

    Outputs
    -------
    out : C32
        magnitude 1

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        loop_bandwidth_rad: float = 0.0628,
        max_frequency_rad: float = 1.0,
        min_frequency_rad: float = -1.0,
        name: str | None = None,
    ) -> None: ...

class probe_avg_mag_sqrd(LibraryBlock):
    """Measures mean power, of an average with one pole.

    Parameters
    ----------
    item : one of C32, f32, default 'C32'
        The type of the items.
    threshold_db : number, dB, default 0.0
        From which power on `unmuted` is true.
    alpha : number from 0 to 1, default 0.0001
        How much of each new item the average takes.
    output : true or false, default True
        Whether there is an output for the mean.

    Inputs
    ------
    in : items as `item` says
        x
    set : messages
        new values of alpha and threshold_db; requests for level and unmuted

    Outputs
    -------
    out : f32
        the mean of |x|², where output says so

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
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
    """Estimates the signal-to-noise ratio of a PSK signal, for those who ask.

    Parameters
    ----------
    estimator : one of simple, m2m4, svr, default 'm2m4'
        Mean and variance, second and fourth moment, or the ratio of signal variations.
    alpha : number from 0 to 1, default 0.001
        The weight of each sample in the running means, greater for the first ones.

    Inputs
    ------
    in : C32
        samples
    set : messages
        new values of alpha

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        estimator: Literal['simple', 'm2m4', 'svr'] = 'm2m4',
        alpha: float = 0.001,
        name: str | None = None,
    ) -> None: ...

class probe_rate(LibraryBlock):
    """Passes items on and measures their rate.

    Parameters
    ----------
    item : one of C32, f32, u8, i8, i16, i32, cu8, cs8, cs16, default 'C32'
        The type of the items.
    period_s : number from 0.001 to 31536000, s, default 1.0
        The time between two messages.

    Inputs
    ------
    in : items as `item` says
        x
    ask : messages
        requests for {items, rate}

    Outputs
    -------
    out : items as `item` says
        x; may stay unconnected
    rate : messages
        {items, rate}: items so far, and items a second since the last message

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        period_s: float = 1.0,
        name: str | None = None,
    ) -> None: ...

class probe_signal(LibraryBlock):
    """Shows the last item of a stream, or its last vector, as a parameter.

    Parameters
    ----------
    item : one of C32, f32, i32, i16, u8, default 'C32'
        The type of the items.
    length : whole number from 1 to 65536, items, default 1
        The length of a vector; 1 shows items.

    Inputs
    ------
    in : items as `item` says
        x
    set : messages
        requests for level

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'i32', 'i16', 'u8'] = 'C32',
        length: int = 1,
        name: str | None = None,
    ) -> None: ...

class pulse_analyzer(LibraryBlock):
    """Shows which widths the pulses and gaps of bursts have, and guesses the coding.

    Parameters
    ----------
    rate_hz : number ≥ 0, samples/s, required
        The sample rate of the widths, > 0.

    Inputs
    ------
    ook : messages
        packets of i32: samples of a pulse, a gap, …
    fsk : messages
        packets of i32: samples of the higher frequency, the lower, …

    Outputs
    -------
    out : messages
        maps

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        rate_hz: float,
        *,
        name: str | None = None,
    ) -> None: ...

class pulse_detector(LibraryBlock):
    """Sends the widths of the pulses of on-off keyed bursts, and of the gaps between them.

    Parameters
    ----------
    rate_hz : number ≥ 0, samples/s, required
        The sample rate, > 0.
    gap_samples : whole number ≥ 1, samples, required
        A burst ends with a gap that is so long.
    smooth_samples : whole number ≥ 1, samples, default 8
        The envelope is smoothed over so many; pulses are longer.
    snr_db : number from 0 to 100, dB, default 10
        By how much bursts are stronger than the noise, at least.

    Inputs
    ------
    in : C32
        the signal

    Outputs
    -------
    out : messages
        packets of i32: the samples of a pulse, a gap, …, a pulse

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        rate_hz: float,
        gap_samples: int,
        *,
        smooth_samples: int = 8,
        snr_db: float = 10,
        name: str | None = None,
    ) -> None: ...

class pulse_slicer(LibraryBlock):
    """Makes bits of the widths of pulses and gaps: PWM, PPM, Manchester or PCM.

    Parameters
    ----------
    coding : one of pwm, ppm, manchester, pcm, required
        How bits are written.
    short_samples : whole number ≥ 0, samples, default 0
        The shorter width, of half a bit (manchester) or of a bit (pcm); 0: it is found.
    long_samples : whole number ≥ 0, samples, default 0
        The longer width of pwm and ppm; 0: it is found.
    row_gap_samples : whole number ≥ 0, samples, default 0
        A gap that is longer ends a row of bits; 0: none does.
    invert : true or false, default False
        Whether zeros and ones change places.

    Inputs
    ------
    in : messages
        packets of i32: the samples of a pulse, a gap, …

    Outputs
    -------
    out : messages
        packets of u8: the bits of a row

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        coding: Literal['pwm', 'ppm', 'manchester', 'pcm'],
        *,
        short_samples: int = 0,
        long_samples: int = 0,
        row_gap_samples: int = 0,
        invert: bool = False,
        name: str | None = None,
    ) -> None: ...

class puncture(LibraryBlock):
    """Leaves those items of each group out that a pattern says.

    Parameters
    ----------
    item : one of u8, f32, default 'u8'
        The type of the items.
    length : whole number from 1 to 32, items, default 2
        How many items a group has.
    pattern : whole number from 0 to 4294967295, default 3
        Which items of a group are sent, as the bits of a number: the first is the highest of `length` bits.
    delay : whole number ≥ 0, items, default 0
        By how many places the pattern is turned to the right.

    Inputs
    ------
    in : items as `item` says
        x

    Outputs
    -------
    out : items as `item` says
        fewer of x: ⌊n / length⌋ · m items for n, with m ones in the pattern

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        item: Literal['u8', 'f32'] = 'u8',
        length: int = 2,
        pattern: int = 3,
        delay: int = 0,
        name: str | None = None,
    ) -> None: ...

class pwr_squelch(LibraryBlock):
    """Passes items while their mean power is high enough.

    Parameters
    ----------
    item : one of C32, f32, default 'C32'
        The type of the items.
    threshold_db : number, dB, default -20.0
        The least mean power, in dB of full scale.
    alpha : number from 0 to 1, default 0.0001
        How much of what is new goes into the mean.
    ramp : whole number from 0 to 16777216, items, default 0
        Over how many items it opens and closes.
    gate : true or false, default False
        Closed, it gives nothing instead of zeros.

    Inputs
    ------
    in : items as `item` says
        x
    set : messages
        new values of threshold_db, alpha, ramp and gate; requests for unmuted

    Outputs
    -------
    out : items as `item` says
        x while it is open, with tags squelch_sob and squelch_eob

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
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
    """Quadrature demodulation, for FM and FSK: y[n] = gain · arg(x[n] · conj(x[n − 1])).

    Parameters
    ----------
    gain : number, default 1.0
        The output for one radian per sample: rate_hz / (2π · deviation_hz) makes full deviation 1.

    Inputs
    ------
    in : C32
        the signal, centred on its carrier
    set : messages
        new values of gain

    Outputs
    -------
    out : f32
        the frequency in radians per sample, times gain

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        gain: float = 1.0,
        name: str | None = None,
    ) -> None: ...

class radio(LibraryBlock):
    """Samples of a radio, wherever it is: rtl_tcp://HOST, spyserver://HOST, soapy:driver=NAME, rtlsdr:0, a link as tcp://HOST:PORT or shm://NAME, or a recording as file:PATH?throttle.

    Parameters
    ----------
    uri : text, required
        Where it is: rtl_tcp://HOST[:PORT], spyserver://HOST[:PORT], soapy:ARGUMENTS, rtlsdr:[INDEX|SERIAL], tcp://HOST:PORT, tls://HOST:PORT?authority=FILE, shm://NAME, or file:PATH[?rate=RATE&freq=FREQUENCY&format=FORMAT&throttle&repeat].
    frequency_hz : number from 0 to 1000000000000, Hz, default 0
        The centre frequency; 0: 100 MHz of a radio behind a server, as its driver has it of one of SoapySDR, that of a recording.
    rate_hz : number from 0 to 1000000000000, Hz, default 0
        Samples a second; 0: 2.048 MHz of rtl_tcp, the most of a SpyServer, as its driver has it of a radio of SoapySDR, those of a recording.
    gain_db : value, dB, default 'auto'
        The gain of the tuner, which takes the nearest one that it has; auto: it finds one.
    ppm : whole number from -1000 to 1000, 10^-6, default 0
        By how much the radio's clock is too fast.
    agc : true or false, default False
        The chip's own automatic gain.
    bias_tee : true or false, default False
        Power for an amplifier on the antenna's cable.
    direct_sampling : one of off, i, q, default 'off'
        Samples this input without the tuner.
    offset_tuning : true or false, default False
        Tunes beside the centre, against a peak there.
    reconnect : true or false, default True
        Connects again where the connection is lost; else that is the end.
    on_gap : one of continue, zeros, error, default 'continue'
        What is done where samples are missing: go on with a tag, fill in zeros, or end with an error.

    Inputs
    ------
    set : messages
        new values of frequency_hz, rate_hz, gain_db, ppm, agc, bias_tee, direct_sampling, offset_tuning

    Outputs
    -------
    out : C32
        the samples, full scale = 1.0

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        uri: str,
        *,
        frequency_hz: float = 0,
        rate_hz: float = 0,
        gain_db: Any = 'auto',
        ppm: int = 0,
        agc: bool = False,
        bias_tee: bool = False,
        direct_sampling: Literal['off', 'i', 'q'] = 'off',
        offset_tuning: bool = False,
        reconnect: bool = True,
        on_gap: Literal['continue', 'zeros', 'error'] = 'continue',
        name: str | None = None,
    ) -> None: ...

class radiotap(LibraryBlock):
    """Puts a radiotap header before frames of 802.11: for PCAP files of the link type 127.

    Parameters
    ----------
    rate_hz : number ≥ 0, samples/s, default 20000000.0
        The rate of the recording, > 0.
    frequency_hz : number from -1000000000000 to 1000000000000, Hz, default 0
        The middle of its band; 0: it is not known.
    bandwidth_hz : number ≥ 0, Hz, default 20000000.0
        How wide a channel is: 20e6, 10e6 or 5e6.
    start_ns : whole number ≥ 0, ns, default 0
        When the first sample came, in nanoseconds since the beginning of 1970.

    Inputs
    ------
    in : messages
        packets of u8: frames without their checksum

    Outputs
    -------
    out : messages
        the same behind a header; time_ns in their metadata

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        rate_hz: float = 20000000.0,
        frequency_hz: float = 0,
        bandwidth_hz: float = 20000000.0,
        start_ns: int = 0,
        name: str | None = None,
    ) -> None: ...

class rail(LibraryBlock):
    """Limits the stream to a range.

    Parameters
    ----------
    low : number, required
        The lowest value that passes as it is.
    high : number, required
        The highest, not less than low.

    Inputs
    ------
    in : f32
        x
    set : messages
        new values of low and high

    Outputs
    -------
    out : f32
        x within low and high

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        low: float,
        high: float,
        *,
        name: str | None = None,
    ) -> None: ...

class random_pdu(LibraryBlock):
    """Packets of random bytes: so many, and one for each message.

    Parameters
    ----------
    min_length : whole number from 1 to 16777216, bytes, required
        The shortest packet.
    max_length : whole number from 1 to 16777216, bytes, required
        The longest packet.
    count : whole number ≥ 0, packets, default 0
        How many come without being asked for.
    seed : whole number ≥ 0, default 0
        The same seed gives the same packets.
    mask : whole number from 0 to 255, default 255
        Each byte is and-ed with it.
    length_modulo : whole number from 1 to 16777216, bytes, default 1
        Lengths are multiples of it.

    Inputs
    ------
    generate : messages
        any: each asks for one packet

    Outputs
    -------
    out : messages
        packets of u8

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        min_length: int,
        max_length: int,
        *,
        count: int = 0,
        seed: int = 0,
        mask: int = 255,
        length_modulo: int = 1,
        name: str | None = None,
    ) -> None: ...

class random_uniform_source(LibraryBlock):
    """Whole random numbers from minimum to maximum − 1.

    Parameters
    ----------
    item : one of u8, i8, i16, i32, default 'u8'
        The type of the items.
    minimum : whole number from -2147483648 to 2147483647, default 0
        The smallest number.
    maximum : whole number from -2147483648 to 2147483648, default 2
        One more than the greatest number.
    seed : whole number, default 0
        The same seed gives the same numbers.

    Outputs
    -------
    out : items as `item` says
        the numbers

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
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
    """Resampling by a ratio of whole numbers.

    Parameters
    ----------
    item : one of C32, f32, i16, default 'C32'
        The type of the samples.
    out_item : one of auto, C32, f32, i16, default 'auto'
        The type of the output: f32 for f32, C32 for the others; C32 or i16 for f32 where that is asked for.
    interpolation : whole number from 1 to 65536, items, required
        So many items out for one item in.
    decimation : whole number from 1 to 65536, items, required
        So many items in for interpolation items out.
    taps : list of numbers, default []
        The taps, at the interpolated rate; none: a filter is designed.
    fractional_bandwidth : number from 0 to 0.5, default 0.0
        How much of the lower rate a designed filter passes, less than 0.5; 0: 0.4.

    Inputs
    ------
    in : items as `item` says
        x
    set : messages
        new values of taps, at most as many as at first

    Outputs
    -------
    out : out_item
        x, resampled: ⌈n · interpolation / decimation⌉ items for n

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        interpolation: int,
        decimation: int,
        *,
        item: Literal['C32', 'f32', 'i16'] = 'C32',
        out_item: Literal['auto', 'C32', 'f32', 'i16'] = 'auto',
        taps: Sequence[complex] = [],
        fractional_bandwidth: float = 0.0,
        name: str | None = None,
    ) -> None: ...

class rds_decode(LibraryBlock):
    """Puts into words what groups of RDS say: name, text, clock, frequencies and more.

    Parameters
    ----------
    region : one of europe, america, default 'europe'
        Whose programme types and codes: those of RDS, or of RBDS.
    all : true or false, default False
        Whether every group is a message, not only one that says something new.

    Inputs
    ------
    in : messages
        packets of u8: groups of 8 bytes

    Outputs
    -------
    out : messages
        the same, with what they say in their metadata

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        region: Literal['europe', 'america'] = 'europe',
        all: bool = False,
        name: str | None = None,
    ) -> None: ...

class rds_demod(LibraryBlock):
    """Demodulates RDS, from 57 kHz of an FM multiplex, to soft bits.

    Parameters
    ----------
    rate_hz : number from 120000 to 10000000, samples/s, required
        The sample rate, 120 kHz or more.

    Inputs
    ------
    in : f32
        the multiplex: what a quadrature demodulator gives

    Outputs
    -------
    out : f32
        soft bits at 1187.5 bits/s, about 1 for 1 and −1 for 0

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        rate_hz: float,
        *,
        name: str | None = None,
    ) -> None: ...

class rds_encoder(LibraryBlock):
    """The bits of RDS that a station sends: name, text, clock, other frequencies.

    Parameters
    ----------
    pi : whole number from 0 to 65535, default 4096
        The code of the programme.
    ps : text, default ''
        The name of the station: 8 characters are sent.
    radiotext : text, default ''
        A text of up to 64 characters; empty: none.
    pty : whole number from 0 to 31, default 0
        The type of the programme.
    tp : true or false, default False
        Whether the station has announcements about traffic.
    ta : true or false, default False
        Whether there is such an announcement now.
    music : true or false, default True
        Whether there is music, not speech.
    type_b : true or false, default False
        Whether groups 0B and 2B are sent in the place of 0A and 2A.
    af_mhz : list of numbers, MHz, default []
        Other frequencies of the programme, 87.6 to 107.9, up to 25.
    clock_s : number from 0 to 10000000000, s, default 0
        The time of the first bit since 1970, UTC; 0: no clock is sent.
    local_offset : whole number from -31 to 31, half hours, default 0
        By how much the local time is ahead of UTC.
    groups : text, default ''
        Blocks B, C and D of more groups in hexadecimal digits, as "3016 0000 cd46, …".

    Inputs
    ------
    set : messages
        new values of ps, radiotext, pty and ta

    Outputs
    -------
    out : u8
        bits, 0 or 1, at 1187.5 bits/s

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        pi: int = 4096,
        ps: str = '',
        radiotext: str = '',
        pty: int = 0,
        tp: bool = False,
        ta: bool = False,
        music: bool = True,
        type_b: bool = False,
        af_mhz: Sequence[complex] = [],
        clock_s: float = 0,
        local_offset: int = 0,
        groups: str = '',
        name: str | None = None,
    ) -> None: ...

class rds_framer(LibraryBlock):
    """Finds the groups of RDS in soft bits, and corrects them.

    Inputs
    ------
    in : f32
        soft bits, above 0 for 1

    Outputs
    -------
    out : messages
        packets of u8: groups of 8 bytes

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class rds_modulator(LibraryBlock):
    """Makes the signal of RDS, around 0 Hz, of its bits.

    Parameters
    ----------
    rate_hz : number from 5000 to 1000000000, samples/s, required
        The sample rate, 5 kHz or more.

    Inputs
    ------
    in : u8
        bits, 0 or 1, at 1187.5 bits/s

    Outputs
    -------
    out : f32
        the signal, within ±1: about n · rate_hz / 1187.5 items for n

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        rate_hz: float,
        *,
        name: str | None = None,
    ) -> None: ...

class receiver_message(LibraryBlock):
    """Brings what decoders send into one form: time, sample, frequency, SNR, protocol, fields, bytes.

    Parameters
    ----------
    rate_hz : number ≥ 0, samples/s, required
        The sample rate, > 0.
    frequency_hz : number from -1000000000000 to 1000000000000, Hz, default 0
        The frequency at the middle of the band; 0: it is not known.
    protocol : text, default ''
        The protocol of messages that do not name theirs.

    Inputs
    ------
    in : messages
        packets of bytes, or maps

    Outputs
    -------
    out : messages
        maps

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        rate_hz: float,
        *,
        frequency_hz: float = 0,
        protocol: str = '',
        name: str | None = None,
    ) -> None: ...

class reed_solomon_decode(LibraryBlock):
    """Decodes packets by a Reed-Solomon code.

    Parameters
    ----------
    code : one of ccsds_223, ccsds_239, dvb, custom, default 'ccsds_223'
        CCSDS with 32 or 16 check symbols in the dual basis, DVB's RS(204, 188), or what the next parameters say.
    n : whole number from 2 to 255, symbols, default 255
        Of a custom code: the symbols of a block.
    k : whole number from 1 to 254, symbols, default 223
        Of a custom code: those of them that say something.
    symbol_bits : whole number from 2 to 8, bits, default 8
        Of a custom code: the bits of a symbol.
    field_polynomial : whole number from 0 to 512, default 285
        Of a custom code: the primitive polynomial, the highest power first.
    first_root : whole number from 0 to 254, default 0
        Of a custom code: the first root's exponent, in steps of root_step.
    root_step : whole number from 1 to 254, default 1
        Of a custom code: the step of the roots' exponents.
    dual_basis : true or false, default False
        Of a custom code: whether symbols are in CCSDS's dual basis.
    interleave : whole number from 1 to 256, blocks, default 1
        How many blocks lie in turn in a packet.
    when_bad : one of drop, mark, default 'drop'
        Whether packets with too many errors are dropped, or all pass with fec_ok in their metadata.
    length_tag : text, default 'packet_len'
        The key of the tag on the first item of each packet that says how many items it has.

    Inputs
    ------
    in : u8
        packets of symbols, in a stream

    Outputs
    -------
    out : u8
        packets without their check symbols

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
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
    """Decodes packets by a Reed-Solomon code.

    Parameters
    ----------
    code : one of ccsds_223, ccsds_239, dvb, custom, default 'ccsds_223'
        CCSDS with 32 or 16 check symbols in the dual basis, DVB's RS(204, 188), or what the next parameters say.
    n : whole number from 2 to 255, symbols, default 255
        Of a custom code: the symbols of a block.
    k : whole number from 1 to 254, symbols, default 223
        Of a custom code: those of them that say something.
    symbol_bits : whole number from 2 to 8, bits, default 8
        Of a custom code: the bits of a symbol.
    field_polynomial : whole number from 0 to 512, default 285
        Of a custom code: the primitive polynomial, the highest power first.
    first_root : whole number from 0 to 254, default 0
        Of a custom code: the first root's exponent, in steps of root_step.
    root_step : whole number from 1 to 254, default 1
        Of a custom code: the step of the roots' exponents.
    dual_basis : true or false, default False
        Of a custom code: whether symbols are in CCSDS's dual basis.
    interleave : whole number from 1 to 256, blocks, default 1
        How many blocks lie in turn in a packet.
    when_bad : one of drop, mark, default 'drop'
        Whether packets with too many errors are dropped, or all pass with fec_ok in their metadata.

    Inputs
    ------
    in : messages
        packets of symbols, u8

    Outputs
    -------
    out : messages
        packets without their check symbols

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
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
    """Puts the check symbols of a Reed-Solomon code behind packets.

    Parameters
    ----------
    code : one of ccsds_223, ccsds_239, dvb, custom, default 'ccsds_223'
        CCSDS with 32 or 16 check symbols in the dual basis, DVB's RS(204, 188), or what the next parameters say.
    n : whole number from 2 to 255, symbols, default 255
        Of a custom code: the symbols of a block.
    k : whole number from 1 to 254, symbols, default 223
        Of a custom code: those of them that say something.
    symbol_bits : whole number from 2 to 8, bits, default 8
        Of a custom code: the bits of a symbol.
    field_polynomial : whole number from 0 to 512, default 285
        Of a custom code: the primitive polynomial, the highest power first.
    first_root : whole number from 0 to 254, default 0
        Of a custom code: the first root's exponent, in steps of root_step.
    root_step : whole number from 1 to 254, default 1
        Of a custom code: the step of the roots' exponents.
    dual_basis : true or false, default False
        Of a custom code: whether symbols are in CCSDS's dual basis.
    interleave : whole number from 1 to 256, blocks, default 1
        How many blocks lie in turn in a packet.
    length_tag : text, default 'packet_len'
        The key of the tag on the first item of each packet that says how many items it has.

    Inputs
    ------
    in : u8
        packets of symbols, in a stream

    Outputs
    -------
    out : u8
        packets with their check symbols

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
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
    """Puts the check symbols of a Reed-Solomon code behind packets.

    Parameters
    ----------
    code : one of ccsds_223, ccsds_239, dvb, custom, default 'ccsds_223'
        CCSDS with 32 or 16 check symbols in the dual basis, DVB's RS(204, 188), or what the next parameters say.
    n : whole number from 2 to 255, symbols, default 255
        Of a custom code: the symbols of a block.
    k : whole number from 1 to 254, symbols, default 223
        Of a custom code: those of them that say something.
    symbol_bits : whole number from 2 to 8, bits, default 8
        Of a custom code: the bits of a symbol.
    field_polynomial : whole number from 0 to 512, default 285
        Of a custom code: the primitive polynomial, the highest power first.
    first_root : whole number from 0 to 254, default 0
        Of a custom code: the first root's exponent, in steps of root_step.
    root_step : whole number from 1 to 254, default 1
        Of a custom code: the step of the roots' exponents.
    dual_basis : true or false, default False
        Of a custom code: whether symbols are in CCSDS's dual basis.
    interleave : whole number from 1 to 256, blocks, default 1
        How many blocks lie in turn in a packet.

    Inputs
    ------
    in : messages
        packets of symbols, u8

    Outputs
    -------
    out : messages
        packets with their check symbols

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
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
    """Repeats a pulse after every period.

    Parameters
    ----------
    period : whole number from 1 to 2147483647, items, required
        After how many items a pulse comes again.
    repeats : whole number ≥ -1, default 500
        How many times; -1: without an end.

    Inputs
    ------
    in : u8
        1: a pulse
    set : messages
        new values of period and repeats

    Outputs
    -------
    out : u8
        pulses, repeated

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        period: int,
        *,
        repeats: int = 500,
        name: str | None = None,
    ) -> None: ...

class reinterpret(LibraryBlock):
    """The bits of one item type as another.

    Parameters
    ----------
    from : one of C32, f32, u8, i8, i16, i32, cu8, cs8, cs16, required
        The type of the items that come.
    to : one of C32, f32, u8, i8, i16, i32, cu8, cs8, cs16, required
        The type of those that go: of the same size, parts of complex ones or these of parts, or bytes.

    Inputs
    ------
    in : from
        x

    Outputs
    -------
    out : to
        the bits of x: ⌊n · bytes of from / bytes of to⌋ items for n

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        from_: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'],
        to: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'],
        *,
        name: str | None = None,
    ) -> None: ...

class remove_markers(LibraryBlock):
    """Finds a word that begins every so many soft bits, turns them upright by it, and gives those between.

    Parameters
    ----------
    access_code : text, required
        The word, up to 64 digits, each 0 or 1, or 0x….
    period : whole number from 6 to 65536, bits, required
        From one word to the next, an even number.

    Inputs
    ------
    in : f32
        soft bits, positive for 1

    Outputs
    -------
    out : f32
        the soft bits between the words, upright

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        access_code: str,
        period: int,
        *,
        name: str | None = None,
    ) -> None: ...

class repack_bits(LibraryBlock):
    """Takes k bits of each item and gives l in each.

    Parameters
    ----------
    k : whole number from 1 to 8, bits, required
        How many bits of an item that comes count, the lowest.
    l : whole number from 1 to 8, bits, default 8
        How many bits an item that goes gets.
    order : one of msb_first, lsb_first, default 'msb_first'
        Which bit of an item comes first, of those that come and of those that go.
    length_tag : text, default ''
        The key of the tag that says how long a packet is, each of which begins anew; empty: there are none.
    whole : true or false, default False
        Whether bits at the end of a packet that do not fill an item are lost; else zeros fill it.

    Inputs
    ------
    in : u8
        k bits in each item

    Outputs
    -------
    out : u8
        l bits in each item: ⌊n · k / l⌋ items for n

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        k: int,
        *,
        l: int = 8,
        order: Literal['msb_first', 'lsb_first'] = 'msb_first',
        length_tag: str = '',
        whole: bool = False,
        name: str | None = None,
    ) -> None: ...

class repeat(LibraryBlock):
    """Each item or vector several times.

    Parameters
    ----------
    item : one of C32, f32, u8, i8, i16, i32, cu8, cs8, cs16, default 'C32'
        The type of the items.
    count : whole number from 1 to 16777216, required
        How many times.
    length : whole number from 1 to 16777216, items, default 1
        The length of a vector.

    Inputs
    ------
    in : items as `item` says
        x

    Outputs
    -------
    out : items as `item` says
        x, each several times: ⌊n / length⌋ · length · count items for n

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        count: int,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        length: int = 1,
        name: str | None = None,
    ) -> None: ...

class rms(LibraryBlock):
    """Root of the mean power, of an average with one pole.

    Parameters
    ----------
    item : one of C32, f32, default 'C32'
        The type of the items.
    alpha : number from 0 to 1, default 0.0001
        How much of each new item the average takes.

    Inputs
    ------
    in : items as `item` says
        x
    set : messages
        new values of alpha

    Outputs
    -------
    out : f32
        the root of the mean of |x|²

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32'] = 'C32',
        alpha: float = 0.0001,
        name: str | None = None,
    ) -> None: ...

class rotator(LibraryBlock):
    """Shift in frequency: y[n] = x[n] · exp(j · n · increment).

    Parameters
    ----------
    increment_rad : number, radians, required
        The angle from item to item: 2π · shift in Hz / sample rate.

    Inputs
    ------
    in : C32
        x
    set : messages
        new values of increment_rad

    Outputs
    -------
    out : C32
        x, shifted

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        increment_rad: float,
        *,
        name: str | None = None,
    ) -> None: ...

class rtl_tcp_sink(LibraryBlock):
    """Samples for the clients of rtl_tcp, as if they came from a radio.

    Parameters
    ----------
    host : text, default '127.0.0.1'
        The name or address to listen at.
    port : whole number from 0 to 65535, default 1234
        The port; 0 is one that is free.
    rate_hz : number from 0 to 1000000000000, Hz, default 0
        Samples a second, to compare with what clients ask for; 0: as the tag rx_rate says.
    frequency_hz : number from 0 to 1000000000000, Hz, default 0
        The same for the centre frequency and rx_freq.
    wait : true or false, default False
        The stream waits for the first client.
    input : one of float, raw, default 'float'
        float: C32, full scale 1.0; raw: as to be sent, cu8.

    Inputs
    ------
    in : C32 or cu8
        the samples, full scale = 1.0 or as to be sent

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        host: str = '127.0.0.1',
        port: int = 1234,
        rate_hz: float = 0,
        frequency_hz: float = 0,
        wait: bool = False,
        input: Literal['float', 'raw'] = 'float',
        name: str | None = None,
    ) -> None: ...

class rtl_tcp_source(LibraryBlock):
    """Samples of a radio behind an rtl_tcp server; what is lost is tagged and counted.

    Parameters
    ----------
    host : text, default '127.0.0.1'
        The name or address of the server.
    port : whole number from 1 to 65535, default 1234
        Its port.
    frequency_hz : number from 0 to 4294967295, Hz, default 100000000.0
        The centre frequency.
    rate_hz : number from 1 to 4294967295, Hz, default 2048000.0
        Samples a second.
    gain_db : value, dB, default 'auto'
        The gain of the tuner, which takes the nearest one that it has; auto: it finds one.
    ppm : whole number from -1000 to 1000, 10^-6, default 0
        By how much the radio's clock is too fast.
    agc : true or false, default False
        The chip's own automatic gain.
    bias_tee : true or false, default False
        Power for an amplifier on the antenna's cable.
    direct_sampling : one of off, i, q, default 'off'
        Samples this input without the tuner.
    offset_tuning : true or false, default False
        Tunes beside the centre, against a peak there.
    output : one of float, raw, default 'float'
        float: C32, full scale 1.0; raw: as sent, cu8.
    reconnect : true or false, default True
        Connects again where the connection is lost; else that is the end.
    on_gap : one of continue, zeros, error, default 'continue'
        What is done where samples are missing: go on with a tag, fill in zeros, or end with an error.

    Inputs
    ------
    set : messages
        new values of frequency_hz, rate_hz, gain_db, ppm, agc, bias_tee, direct_sampling, offset_tuning

    Outputs
    -------
    out : C32 or cu8
        the samples, full scale = 1.0 or as sent

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        host: str = '127.0.0.1',
        port: int = 1234,
        frequency_hz: float = 100000000.0,
        rate_hz: float = 2048000.0,
        gain_db: Any = 'auto',
        ppm: int = 0,
        agc: bool = False,
        bias_tee: bool = False,
        direct_sampling: Literal['off', 'i', 'q'] = 'off',
        offset_tuning: bool = False,
        output: Literal['float', 'raw'] = 'float',
        reconnect: bool = True,
        on_gap: Literal['continue', 'zeros', 'error'] = 'continue',
        name: str | None = None,
    ) -> None: ...

class same_decoder(LibraryBlock):
    """Sends the messages of the Emergency Alert System (SAME) that soft bits say.

    Inputs
    ------
    in : f32
        soft bits, about 1 for mark and −1 for space

    Outputs
    -------
    out : messages
        maps: text, originator, event, locations and so on

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class sample_and_hold(LibraryBlock):
    """Keeps an item for as long as another stream says so.

    Parameters
    ----------
    item : one of f32, i32, i16, u8, default 'f32'
        The type of the items.

    Inputs
    ------
    in0 : items as `item` says
        x
    in1 : u8
        0: hold, else sample

    Outputs
    -------
    out : items as `item` says
        the item held

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        item: Literal['f32', 'i32', 'i16', 'u8'] = 'f32',
        name: str | None = None,
    ) -> None: ...

class saxpy(LibraryBlock):
    """Scales and shifts: y[n] = gain · x[n] + offset.

    Parameters
    ----------
    gain : number, required
        The factor.
    offset : number, default 0.0
        What is added to the product.

    Inputs
    ------
    in : f32
        x
    set : messages
        new values of gain and offset

    Outputs
    -------
    out : f32
        gain · x + offset

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        gain: float,
        *,
        offset: float = 0.0,
        name: str | None = None,
    ) -> None: ...

class scrambler(LibraryBlock):
    """Scrambles bits by a shift register that they enter.

    Parameters
    ----------
    mask : whole number ≥ 0, default 138
        Which places of the register are fed back, as the bits of a number.
    seed : whole number ≥ 0, default 127
        What the register holds at first.
    length : whole number from 0 to 63, bits, default 7
        The place at which bits enter, counted from 0.

    Inputs
    ------
    in : u8
        a bit each, the lowest

    Outputs
    -------
    out : u8
        0 or 1, scrambled

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        mask: int = 138,
        seed: int = 127,
        length: int = 7,
        name: str | None = None,
    ) -> None: ...

class selective_fading(LibraryBlock):
    """Several paths with delays and powers, each of which fades by itself.

    Parameters
    ----------
    delays : list of numbers, samples, required
        The delay of each path, a whole number.
    powers_db : list of numbers, dB, required
        The mean power of each path.
    max_doppler : number from 0 to 0.5, turns/sample, required
        The largest Doppler shift: speed / wavelength / sample rate.
    k_factor : number from 0 to 1000000, default 0.0
        Of the first path: power of the strongest wave / power of all others, not in dB.
    waves : whole number from 1 to 1024, default 16
        How many waves arrive on each path beside the strongest.
    seed : whole number, default 0
        The same seed gives the same fading.

    Inputs
    ------
    in : C32
        x

    Outputs
    -------
    out : C32
        what arrives

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        delays: Sequence[complex],
        powers_db: Sequence[complex],
        max_doppler: float,
        *,
        k_factor: float = 0.0,
        waves: int = 16,
        seed: int = 0,
        name: str | None = None,
    ) -> None: ...

class selector(LibraryBlock):
    """Passes one of several inputs to one of several outputs.

    Parameters
    ----------
    item : one of C32, f32, u8, i8, i16, i32, cu8, cs8, cs16, default 'C32'
        The type of the items.
    inputs : whole number from 1 to 64, default 2
        How many inputs there are: in0, in1, …; one alone passes as it is.
    outputs : whole number from 1 to 64, default 2
        How many outputs there are: out0, out1, ….
    input_index : whole number ≥ 0, default 0
        The number of the input that passes, from 0.
    output_index : whole number ≥ 0, default 0
        The number of the output that it passes to, from 0.
    enabled : true or false, default True
        Whether it passes; else all is dropped.

    Inputs
    ------
    in0 : items as `item` says
        a
    in1 : items as `item` says
        b; more or fewer as inputs says
    set : messages
        new values of input_index, output_index and enabled

    Outputs
    -------
    out0 : items as `item` says
        what passes
    out1 : items as `item` says
        what passes; more or fewer as outputs says

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
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
    """Signed 16-bit integers to signed bytes, their high bytes: y[n] = ⌊x[n] / 256⌋.

    Inputs
    ------
    in : i16
        codes

    Outputs
    -------
    out : i8
        codes

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class short_to_float(LibraryBlock):
    """Signed 16-bit integers to real samples: y[n] = x[n] / scale.

    Parameters
    ----------
    scale : number, default 32768.0
        The code for 1.0, not 0.

    Inputs
    ------
    in : i16
        codes −32768..=32767
    set : messages
        new values of scale

    Outputs
    -------
    out : f32
        full scale = 1.0

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        scale: float = 32768.0,
        name: str | None = None,
    ) -> None: ...

class sigmf_annotator(LibraryBlock):
    """SigMF metadata for a raw recording that exists: one annotation for each message or tag about it.

    Parameters
    ----------
    path : path of a file, required
        The recording.
    output : path of a file, required
        The metadata to write, X or X.sigmf-meta.
    format : text, default 'auto'
        How samples are stored, such as cu8, cs16, cf32_le or ri16_be; auto: as the name of the file says.
    rate_hz : number from 0 to 1000000000000, Hz, default 0
        Samples per second; 0: as the file's name says.
    frequency_hz : number from -1000000000000 to 1000000000000, Hz, default 0
        The centre frequency; 0: as the file's name says.

    Inputs
    ------
    in : messages
        maps with sample_index, duration_samples and label or hex
    tagged : f32
        a stream whose tags are such maps

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        path: str,
        output: str,
        *,
        format: str = 'auto',
        rate_hz: float = 0,
        frequency_hz: float = 0,
        name: str | None = None,
    ) -> None: ...

class sigmf_sink(LibraryBlock):
    """Samples into a SigMF recording, with their tags as captures and annotations.

    Parameters
    ----------
    path : path of a file, required
        X for the files X.sigmf-data and X.sigmf-meta.
    format : text, required
        How samples are stored, such as cu8, ci16_le or cf32_le.
    input : one of float, raw, default 'float'
        float: C32 or f32, full scale 1.0; raw: as stored.
    rate_hz : number from 0 to 1000000000000, Hz, default 0
        Samples per second; 0: as the tag rx_rate says.
    frequency_hz : number from -1000000000000 to 1000000000000, Hz, default 0
        The centre frequency at the start; 0: as the tag rx_freq says.
    overwrite : true or false, default False
        Whether files that are there already are replaced.

    Inputs
    ------
    in : C32, f32 or as stored
        the samples, full scale = 1.0 or as stored
    annotations : messages
        maps with sample_index, duration_samples and label or hex

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        path: str,
        format: str,
        *,
        input: Literal['float', 'raw'] = 'float',
        rate_hz: float = 0,
        frequency_hz: float = 0,
        overwrite: bool = False,
        name: str | None = None,
    ) -> None: ...

class sigmf_source(LibraryBlock):
    """Samples of a SigMF recording, with what is known about them as tags.

    Parameters
    ----------
    path : path of a file, required
        X.sigmf-meta, X.sigmf-data, the archive X.sigmf, or X.
    output : one of float, raw, default 'float'
        float: C32 or f32, full scale 1.0; raw: as stored.

    Outputs
    -------
    out : C32, f32 or as stored
        the samples, full scale = 1.0 or as stored

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        path: str,
        *,
        output: Literal['float', 'raw'] = 'float',
        name: str | None = None,
    ) -> None: ...

class signal_source(LibraryBlock):
    """A periodic signal: constant, sine, cosine, square, triangle or sawtooth.

    Parameters
    ----------
    item : one of C32, f32, i32, i16, i8, u8, default 'C32'
        The type of the items.
    rate_hz : number ≥ 0, samples/s, required
        The sample rate, > 0.
    waveform : one of constant, sine, cosine, square, triangle, sawtooth, default 'cosine'
        The shape.
    frequency_hz : number, Hz, default 1000.0
        The frequency.
    amplitude : number, default 1.0
        The amplitude.
    offset : value, default 0.0
        What is added; complex as [re, im], for C32.
    phase_rad : number, radians, default 0.0
        The phase of the first item.

    Inputs
    ------
    set : messages
        new values of frequency_hz, amplitude, offset, phase_rad and waveform

    Outputs
    -------
    out : items as `item` says
        the signal

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        rate_hz: float,
        *,
        item: Literal['C32', 'f32', 'i32', 'i16', 'i8', 'u8'] = 'C32',
        waveform: Literal['constant', 'sine', 'cosine', 'square', 'triangle', 'sawtooth'] = 'cosine',
        frequency_hz: float = 1000.0,
        amplitude: float = 1.0,
        offset: Any = 0.0,
        phase_rad: float = 0.0,
        name: str | None = None,
    ) -> None: ...

class simple_squelch(LibraryBlock):
    """Passes items while their mean power is high enough, else gives zeros.

    Parameters
    ----------
    threshold_db : number, dB, default -20.0
        The least mean power, in dB of full scale.
    alpha : number from 0 to 1, default 0.001
        How much of what is new goes into the mean.

    Inputs
    ------
    in : C32
        x
    set : messages
        new values of threshold_db and alpha

    Outputs
    -------
    out : C32
        x or zeros

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        threshold_db: float = -20.0,
        alpha: float = 0.001,
        name: str | None = None,
    ) -> None: ...

class single_pole_iir_filter(LibraryBlock):
    """Exponential mean: y[n] = alpha · x[n] + (1 − alpha) · y[n − 1].

    Parameters
    ----------
    item : one of C32, f32, default 'C32'
        The type of the items.
    alpha : number from 0 to 1, required
        How much of what is new is taken.
    length : whole number from 1 to 1048576, items, default 1
        So many means, one for each place of a vector.

    Inputs
    ------
    in : items as `item` says
        x
    set : messages
        new values of alpha

    Outputs
    -------
    out : items as `item` says
        the mean of x

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        alpha: float,
        *,
        item: Literal['C32', 'f32'] = 'C32',
        length: int = 1,
        name: str | None = None,
    ) -> None: ...

class skiphead(LibraryBlock):
    """All but the first items of a stream.

    Parameters
    ----------
    item : one of C32, f32, u8, i8, i16, i32, cu8, cs8, cs16, default 'C32'
        The type of the items.
    items : whole number ≥ 0, items, required
        How many items to skip.

    Inputs
    ------
    in : items as `item` says
        x

    Outputs
    -------
    out : items as `item` says
        x without its first items: max(0, n − items) items for n

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        items: int,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        name: str | None = None,
    ) -> None: ...

class soapy_sink(LibraryBlock):
    """Samples for a transmitter that a module of SoapySDR drives, one channel or several, in bursts with a time or without end.

    Parameters
    ----------
    arguments : text, default ''
        Which device, as driver=rtlsdr,serial=00000001: the first that fits; `superhet devices` lists them.
    channels : list of numbers, default [0]
        The channels of the device, a stream each.
    frequency_hz : number from 0 to 1000000000000, Hz, default 0
        The centre frequency; 0: as the driver has it.
    rate_hz : number from 0 to 1000000000000, Hz, default 0
        Samples a second; 0: as the driver has it.
    bandwidth_hz : number from 0 to 1000000000000, Hz, default 0
        That of the filter before the converter; 0: as the driver has it.
    gain_db : value, dB, default 'auto'
        The gain, which the driver spreads over its elements; auto: the device finds it, or keeps the one that it has.
    gains : text, dB, default ''
        Gains of single elements, as LNA=20,VGA=16; they go after gain_db.
    ppm : number from -1000 to 1000, 10^-6, default 0
        By how much the radio's clock is too fast.
    antenna : text, default ''
        The socket, as TX/RX; empty: as the driver has it.
    dc_removal : true or false, default False
        The device takes the mean of its converter away; false: as the driver has it.
    iq_balance : true or false, default False
        The device corrects what I and Q differ by; false: as the driver has it.
    settings : text, default ''
        The driver's own settings, as biastee=true,digital_agc=false.
    clock_source : text, default ''
        Where the device's clock is from, as external; empty: as the driver has it.
    time_source : text, default ''
        Where the device's time is from, as gpsdo; empty: as the driver has it.
    stream_arguments : text, default ''
        What the driver wants to know of the stream, as bufflen=16384.

    Inputs
    ------
    in : C32
        the samples, full scale = 1.0; of several channels in0, in1 and so on
    set : messages
        new values of frequency_hz, rate_hz, bandwidth_hz, gain_db, gains, ppm, antenna, dc_removal, iq_balance, settings

    Outputs
    -------
    events : messages
        a map for each underflow and each time that was past

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        arguments: str = '',
        channels: Sequence[complex] = [0],
        frequency_hz: float = 0,
        rate_hz: float = 0,
        bandwidth_hz: float = 0,
        gain_db: Any = 'auto',
        gains: str = '',
        ppm: float = 0,
        antenna: str = '',
        dc_removal: bool = False,
        iq_balance: bool = False,
        settings: str = '',
        clock_source: str = '',
        time_source: str = '',
        stream_arguments: str = '',
        name: str | None = None,
    ) -> None: ...

class soapy_source(LibraryBlock):
    """Samples of a radio that a module of SoapySDR drives, one channel or several; what is lost is tagged and counted.

    Parameters
    ----------
    arguments : text, default ''
        Which device, as driver=rtlsdr,serial=00000001: the first that fits; `superhet devices` lists them.
    channels : list of numbers, default [0]
        The channels of the device, a stream each.
    frequency_hz : number from 0 to 1000000000000, Hz, default 0
        The centre frequency; 0: as the driver has it.
    rate_hz : number from 0 to 1000000000000, Hz, default 0
        Samples a second; 0: as the driver has it.
    bandwidth_hz : number from 0 to 1000000000000, Hz, default 0
        That of the filter before the converter; 0: as the driver has it.
    gain_db : value, dB, default 'auto'
        The gain, which the driver spreads over its elements; auto: the device finds it, or keeps the one that it has.
    gains : text, dB, default ''
        Gains of single elements, as LNA=20,VGA=16; they go after gain_db.
    ppm : number from -1000 to 1000, 10^-6, default 0
        By how much the radio's clock is too fast.
    antenna : text, default ''
        The socket, as TX/RX; empty: as the driver has it.
    dc_removal : true or false, default False
        The device takes the mean of its converter away; false: as the driver has it.
    iq_balance : true or false, default False
        The device corrects what I and Q differ by; false: as the driver has it.
    settings : text, default ''
        The driver's own settings, as biastee=true,digital_agc=false.
    clock_source : text, default ''
        Where the device's clock is from, as external; empty: as the driver has it.
    time_source : text, default ''
        Where the device's time is from, as gpsdo; empty: as the driver has it.
    stream_arguments : text, default ''
        What the driver wants to know of the stream, as bufflen=16384.
    sensors_s : number from 0 to 1000000, s, default 0
        How often the device's sensors are read for the output sensors; 0: never.
    silence_s : number from 0 to 1000000, s, default 30
        After how long without a sample the device has failed; 0: never, as for one that waits for a trigger.
    reconnect : true or false, default True
        Opens the device again where it has failed; else that is the end.
    on_gap : one of continue, zeros, error, default 'continue'
        What is done where samples are missing: go on with a tag, fill in zeros, or end with an error.

    Inputs
    ------
    set : messages
        new values of frequency_hz, rate_hz, bandwidth_hz, gain_db, gains, ppm, antenna, dc_removal, iq_balance, settings

    Outputs
    -------
    out : C32
        the samples, full scale = 1.0; of several channels out0, out1 and so on
    sensors : messages
        a map of what the device's sensors say

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        arguments: str = '',
        channels: Sequence[complex] = [0],
        frequency_hz: float = 0,
        rate_hz: float = 0,
        bandwidth_hz: float = 0,
        gain_db: Any = 'auto',
        gains: str = '',
        ppm: float = 0,
        antenna: str = '',
        dc_removal: bool = False,
        iq_balance: bool = False,
        settings: str = '',
        clock_source: str = '',
        time_source: str = '',
        stream_arguments: str = '',
        sensors_s: float = 0,
        silence_s: float = 30,
        reconnect: bool = True,
        on_gap: Literal['continue', 'zeros', 'error'] = 'continue',
        name: str | None = None,
    ) -> None: ...

class socket_pdu(LibraryBlock):
    """Packets to and from a UDP or TCP socket.

    Parameters
    ----------
    kind : one of udp_server, udp_client, tcp_server, tcp_client, required
        Which kind of socket.
    host : text, default '127.0.0.1'
        The name or address to listen at or connect to.
    port : whole number from 0 to 65535, required
        The port; 0 lets a server have one that is free.
    mtu : whole number from 1 to 65536, bytes, default 10000
        The longest packet made of what TCP has.

    Inputs
    ------
    in : messages
        packets of u8 to be sent

    Outputs
    -------
    out : messages
        packets of u8 that were received; peer in their metadata says from whom

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        kind: Literal['udp_server', 'udp_client', 'tcp_server', 'tcp_client'],
        port: int,
        *,
        host: str = '127.0.0.1',
        mtu: int = 10000,
        name: str | None = None,
    ) -> None: ...

class spyserver_source(LibraryBlock):
    """Samples of a radio behind a SpyServer; what is lost is tagged and counted.

    Parameters
    ----------
    host : text, default '127.0.0.1'
        The name or address of the server.
    port : whole number from 1 to 65535, default 5555
        Its port.
    frequency_hz : number from 0 to 4294967295, Hz, default 100000000.0
        The centre frequency.
    rate_hz : number from 0 to 4294967295, Hz, default 0
        Samples a second, one that the radio has; 0: the highest.
    gain : whole number from 0 to 255, steps, default 0
        The radio's gain, of which each has other steps.
    reconnect : true or false, default True
        Connects again where the connection is lost; else that is the end.
    on_gap : one of continue, zeros, error, default 'continue'
        What is done where samples are missing: go on with a tag, fill in zeros, or end with an error.

    Inputs
    ------
    set : messages
        new values of frequency_hz and gain

    Outputs
    -------
    out : C32
        the samples, full scale = 1.0

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        host: str = '127.0.0.1',
        port: int = 5555,
        frequency_hz: float = 100000000.0,
        rate_hz: float = 0,
        gain: int = 0,
        reconnect: bool = True,
        on_gap: Literal['continue', 'zeros', 'error'] = 'continue',
        name: str | None = None,
    ) -> None: ...

class stereo_decoder(LibraryBlock):
    """Decodes stereo by the pilot tone, with de-emphasis; weak stations are mono.

    Parameters
    ----------
    rate_hz : number from 107000 to 10000000, samples/s, required
        The sample rate of the multiplex, 107 kHz or more.
    decimation : whole number ≥ 1, items, default 1
        One sample of so many comes out; their rate must be 32 kHz or more.
    deemphasis_s : number from 0 to 0.001, s, default 5e-05
        The time constant of de-emphasis: 50e-6, in America 75e-6, 0 for none.

    Inputs
    ------
    in : f32
        the multiplex, full deviation = 1

    Outputs
    -------
    out0 : f32
        the left channel: ⌊n / decimation⌋ items for n
    out1 : f32
        the right channel

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        rate_hz: float,
        *,
        decimation: int = 1,
        deemphasis_s: float = 5e-05,
        name: str | None = None,
    ) -> None: ...

class stereo_encoder(LibraryBlock):
    """Makes the multiplex of broadcast FM of two channels and the signal of RDS.

    Parameters
    ----------
    rate_hz : number from 120000 to 1000000000, samples/s, required
        The sample rate, 120 kHz or more.
    pilot_level : number from 0 to 0.5, default 0.09
        The pilot's level, by the full deviation: 0.08 to 0.1; 0 for mono.
    rds_level : number from 0 to 0.5, default 0.03
        The level of RDS, by the full deviation: 0.013 to 0.1.

    Inputs
    ------
    in0 : f32
        the left channel, within ±1
    in1 : f32
        the right channel, within ±1
    in2 : f32
        the signal of RDS, within ±1

    Outputs
    -------
    out : f32
        the multiplex, full deviation = 1

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        rate_hz: float,
        *,
        pilot_level: float = 0.09,
        rds_level: float = 0.03,
        name: str | None = None,
    ) -> None: ...

class stream_demux(LibraryBlock):
    """One stream as several: some items for each in turn.

    Parameters
    ----------
    item : one of C32, f32, u8, i8, i16, i32, cu8, cs8, cs16, default 'C32'
        The type of the items.
    lengths : list of numbers, required
        How many items for each output in a turn.
    length : whole number from 1 to 16777216, items, default 1
        The length of a vector: items of each are counted in these.

    Inputs
    ------
    in : items as `item` says
        x

    Outputs
    -------
    out0 : items as `item` says
        what comes first: as many as the lengths say
    out1 : items as `item` says
        what comes next; an output for each length

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        lengths: Sequence[complex],
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        length: int = 1,
        name: str | None = None,
    ) -> None: ...

class stream_mux(LibraryBlock):
    """Several streams as one: some items of each in turn.

    Parameters
    ----------
    item : one of C32, f32, u8, i8, i16, i32, cu8, cs8, cs16, default 'C32'
        The type of the items.
    lengths : list of numbers, required
        How many items of each input in a turn.
    length : whole number from 1 to 16777216, items, default 1
        The length of a vector: items of each are counted in these.

    Inputs
    ------
    in0 : items as `item` says
        what comes first
    in1 : items as `item` says
        what comes next; an input for each length

    Outputs
    -------
    out : items as `item` says
        all in turn: as many as the lengths say, until an input that is next has ended

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        lengths: Sequence[complex],
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        length: int = 1,
        name: str | None = None,
    ) -> None: ...

class stream_to_tagged_stream(LibraryBlock):
    """Makes packets of a stream, each of so many items.

    Parameters
    ----------
    item : one of C32, f32, u8, i8, i16, i32, cu8, cs8, cs16, default 'C32'
        The type of the items.
    packet_length : whole number from 1 to 16777216, items, required
        How many items a packet has.
    length_tag : text, default 'packet_len'
        The key of the tag on the first item of each packet that says how many items it has.

    Inputs
    ------
    in : items as `item` says
        x

    Outputs
    -------
    out : items as `item` says
        x, in packets

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        packet_length: int,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        length_tag: str = 'packet_len',
        name: str | None = None,
    ) -> None: ...

class stream_to_vector(LibraryBlock):
    """Passes whole vectors on.

    Parameters
    ----------
    item : one of C32, f32, u8, i8, i16, i32, cu8, cs8, cs16, default 'C32'
        The type of the items.
    length : whole number from 1 to 16777216, items, required
        The length of a vector.

    Inputs
    ------
    in : items as `item` says
        x

    Outputs
    -------
    out : items as `item` says
        whole vectors of x: ⌊n / length⌋ · length items for n

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        length: int,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        name: str | None = None,
    ) -> None: ...

class stretch(LibraryBlock):
    """Brings the largest item of each vector to 0 and a given level to itself.

    Parameters
    ----------
    low : number, default -100.0
        The level that stays where it is.
    length : whole number ≥ 1, items, required
        Items of a vector.

    Inputs
    ------
    in : f32
        x
    set : messages
        new values of low

    Outputs
    -------
    out : f32
        y: ⌊n / length⌋ · length items for n

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        length: int,
        *,
        low: float = -100.0,
        name: str | None = None,
    ) -> None: ...

class subtract(LibraryBlock):
    """Subtracts streams from the first: y[n] = a[n] − b[n] − ….

    Parameters
    ----------
    item : one of C32, f32, i32, i16, default 'C32'
        The type of the items.
    inputs : whole number from 1 to 64, default 2
        How many inputs there are: in0, in1, …; one alone passes as it is.

    Inputs
    ------
    in0 : items as `item` says
        a
    in1 : items as `item` says
        b; more or fewer as inputs says

    Outputs
    -------
    out : items as `item` says
        the difference

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'i32', 'i16'] = 'C32',
        inputs: int = 2,
        name: str | None = None,
    ) -> None: ...

class swap_iq(LibraryBlock):
    """Changes the parts of complex samples for each other.

    Inputs
    ------
    in : C32
        x

    Outputs
    -------
    out : C32
        im x + j · re x

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class symbol_sync(LibraryBlock):
    """Finds the instants of the symbols and gives the signal there.

    Parameters
    ----------
    item : one of C32, f32, default 'C32'
        The type of the items.
    detector : one of mueller_and_muller, modified_mueller_and_muller, zero_crossing, gardner, early_late, signal_times_slope, signum_times_slope, default 'gardner'
        How the error of the clock is found.
    samples_per_symbol : number from 1 to 1000000, samples, required
        How many samples a symbol takes, more than 1.
    loop_bandwidth_rad : number from 0 to 7, radians per symbol, default 0.045
        How fast the loop is.
    damping : number from 0 to 1000, default 1.0
        The damping of the loop; 1 is critical.
    detector_gain : number ≥ 0, default 1.0
        The slope of the mean error at 0.
    max_deviation : number from 0 to 1000000, samples, default 1.5
        How far off the mean period may be; as far as it fits.
    outputs_per_symbol : whole number from 1 to 1024, samples, default 1
        How many samples are given a symbol.
    constellation : value, default 'bpsk'
        The points for detectors that decide.
    interpolator : one of mmse, polyphase, default 'mmse'
        8 taps of least mean square error, or the filter taps, cut into filters.
    filters : whole number from 2 to 1024, default 128
        How many filters taps are cut into.
    taps : list of numbers, default []
        A filter at filters times the sample rate.

    Inputs
    ------
    in : items as `item` says
        samples
    set : messages
        new values of loop_bandwidth_rad, damping and detector_gain

    Outputs
    -------
    out : items as `item` says
        symbols: about n · outputs_per_symbol / samples_per_symbol items for n
    error : f32
        the error of the clock
    period : f32
        samples to the next symbol
    mean_period : f32
        samples in a symbol, the mean

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        samples_per_symbol: float,
        *,
        item: Literal['C32', 'f32'] = 'C32',
        detector: Literal['mueller_and_muller', 'modified_mueller_and_muller', 'zero_crossing', 'gardner', 'early_late', 'signal_times_slope', 'signum_times_slope'] = 'gardner',
        loop_bandwidth_rad: float = 0.045,
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
    """Sends the packets of a stream of bits, each behind a sync word.

    Parameters
    ----------
    item : one of u8, f32, default 'u8'
        u8 has a bit each, the lowest; f32 is a soft bit, 1 for 0 and more.
    access_code : text, required
        The word, up to 64 digits, each 0 or 1, or 0x….
    threshold : whole number from 0 to 64, bits, default 0
        How many bits may be wrong.
    either_polarity : true or false, default False
        Whether the word is also found inverted.
    overlap : true or false, default False
        Whether a sync word within a packet counts, too, where there is no checksum: for packets that a code behind this block proves.
    framing : one of length, hdlc, default 'length'
        Whether a packet has a length, or is an HDLC frame: lowest bits first, zeros stuffed, up to a flag.
    length : whole number from 0 to 1048576, bytes, default 0
        The length of a packet behind the word; 0: a field in it says it.
    length_offset : whole number from 0 to 1048576, bytes, default 0
        Where behind the word the length field begins.
    length_bits : whole number from 1 to 32, bits, default 8
        The length field's width; it lies in the lowest bits of its bytes.
    length_order : one of big, little, default 'big'
        Which byte of the length field is first.
    length_add : whole number from -1048576 to 1048576, bytes, default 0
        A packet has so many bytes behind the word more than the field says: those of the field and the checksum, if it does not count them.
    max_length : whole number from 1 to 1048576, bytes, default 4096
        The longest packet behind the word with its checksum, where a field or a flag says the length; a longer one is none.
    order : one of msb_first, lsb_first, default 'msb_first'
        Which bit of a byte is first.
    whitening : one of none, pn9, ccsds, default 'none'
        What was added to the bytes behind the word: pn9 as the CC1101 has it, or ccsds.
    crc : text, default ''
        The name of the checksum at the end, in the CRC catalogue, such as CRC-16/IBM-3740; if empty none, or FCS-16 of hdlc.
    crc_order : one of big, little, default 'big'
        Which byte of the checksum is first.
    crc_skip : whole number from 0 to 1048576, bytes, default 0
        How many bytes behind the word do not count.
    when_bad : one of drop, mark, default 'drop'
        Whether packets with a wrong checksum are dropped, or all pass with crc_ok in their metadata.
    give : one of bytes, soft_bits, default 'bytes'
        Packets of bytes, or of the soft bits (f32) of a fixed length.

    Inputs
    ------
    in : items as `item` says
        bits

    Outputs
    -------
    out : messages
        packets of u8, or of f32 as give says

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        access_code: str,
        *,
        item: Literal['u8', 'f32'] = 'u8',
        threshold: int = 0,
        either_polarity: bool = False,
        overlap: bool = False,
        framing: Literal['length', 'hdlc'] = 'length',
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
    """Puts tags on given items of a stream, and on every n-th.

    Parameters
    ----------
    item : one of C32, f32, u8, i8, i16, i32, cu8, cs8, cs16, default 'C32'
        The type of the items.
    tags : text, default '[]'
        The tags: a JSON list of {"index": …, "key": …, "value": …}.
    every : whole number ≥ 0, items, default 0
        Also tags each item whose index is a multiple; 0: none.
    from : whole number ≥ 0, items, default 0
        The first index that one of those can have.
    key : text, default 'tag'
        The key of the tags on every n-th item.
    value : value, default True
        Their value; in files JSON, or plain text where it is not JSON.

    Inputs
    ------
    in : items as `item` says
        x

    Outputs
    -------
    out : items as `item` says
        x, with more tags

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
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
    """Prints the tags of a stream, one JSON object a line.

    Parameters
    ----------
    item : one of C32, f32, u8, i8, i16, i32, cu8, cs8, cs16, default 'C32'
        The type of the items.
    path : path of a file, default ''
        The file to write; stdout if empty or -.
    key : text, default ''
        The only key to print; all if empty.

    Inputs
    ------
    in : items as `item` says
        a stream with tags; the items are not looked at

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        path: str = '',
        key: str = '',
        name: str | None = None,
    ) -> None: ...

class tag_gate(LibraryBlock):
    """Passes items on, and their tags or not.

    Parameters
    ----------
    item : one of C32, f32, u8, i8, i16, i32, cu8, cs8, cs16, default 'C32'
        The type of the items.
    propagate_tags : true or false, default False
        Whether tags pass.
    key : text, default ''
        The only key that this holds for; all if empty.

    Inputs
    ------
    in : items as `item` says
        x

    Outputs
    -------
    out : items as `item` says
        x, with those tags that pass

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        propagate_tags: bool = False,
        key: str = '',
        name: str | None = None,
    ) -> None: ...

class tag_share(LibraryBlock):
    """The items of the first stream with the tags of both.

    Parameters
    ----------
    item : one of C32, f32, u8, i8, i16, i32, cu8, cs8, cs16, default 'C32'
        The type of the items.
    share_item : one of as item, C32, f32, u8, default 'as item'
        The type of the items of the second stream.

    Inputs
    ------
    in0 : items as `item` says
        x
    in1 : items as `item` says
        items of the type share_item; only their tags are used

    Outputs
    -------
    out : items as `item` says
        x, with the tags of both

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        share_item: Literal['as item', 'C32', 'f32', 'u8'] = 'as item',
        name: str | None = None,
    ) -> None: ...

class tagged_stream_align(LibraryBlock):
    """Drops the items before the first packet.

    Parameters
    ----------
    item : one of C32, f32, u8, i8, i16, i32, cu8, cs8, cs16, default 'C32'
        The type of the items.
    length_tag : text, default 'packet_len'
        The key of the tag on the first item of each packet that says how many items it has.

    Inputs
    ------
    in : items as `item` says
        x

    Outputs
    -------
    out : items as `item` says
        x from its first packet on

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        length_tag: str = 'packet_len',
        name: str | None = None,
    ) -> None: ...

class tagged_stream_multiply_length(LibraryBlock):
    """Multiplies the lengths that tags say, for packets behind a change of rate.

    Parameters
    ----------
    item : one of C32, f32, u8, i8, i16, i32, cu8, cs8, cs16, default 'C32'
        The type of the items.
    length_tag : text, default 'packet_len'
        The key of the tag on the first item of each packet that says how many items it has.
    scalar : number, required
        What to multiply by, > 0.

    Inputs
    ------
    in : items as `item` says
        x

    Outputs
    -------
    out : items as `item` says
        x, with other lengths

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        scalar: float,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        length_tag: str = 'packet_len',
        name: str | None = None,
    ) -> None: ...

class tagged_stream_mux(LibraryBlock):
    """Makes one packet of one packet of each input, one after another.

    Parameters
    ----------
    item : one of C32, f32, u8, i8, i16, i32, cu8, cs8, cs16, default 'C32'
        The type of the items.
    inputs : whole number from 1 to 64, default 2
        How many inputs there are: in0, in1, ….
    length_tag : text, default 'packet_len'
        The key of the tag on the first item of each packet that says how many items it has.

    Inputs
    ------
    in0 : items as `item` says
        the packets that come first
    in1 : items as `item` says
        the packets that come next; more as inputs says

    Outputs
    -------
    out : items as `item` says
        the packets put together

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        inputs: int = 2,
        length_tag: str = 'packet_len',
        name: str | None = None,
    ) -> None: ...

class tagged_stream_to_pdu(LibraryBlock):
    """Sends the packets of a stream as messages, with their tags as metadata.

    Parameters
    ----------
    item : one of C32, f32, u8, i8, i16, i32, cu8, cs8, cs16, default 'C32'
        The type of the items.
    length_tag : text, default 'packet_len'
        The key of the tag on the first item of each packet that says how many items it has.
    resync : true or false, default False
        Whether what is in no whole packet is dropped with a warning, instead of an error.
    max_length : whole number from 1 to 16777216, items, default 16777216
        The longest packet; a longer one is an error.
    metadata : one of first, all, default 'first'
        The tags that become metadata: those of the first item, or all. Others stay on their items.
    index : true or false, default True
        Whether the metadata says where a packet began.

    Inputs
    ------
    in : items as `item` says
        a stream of packets

    Outputs
    -------
    out : messages
        packets; their index says where they began

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        length_tag: str = 'packet_len',
        resync: bool = False,
        max_length: int = 16777216,
        metadata: Literal['first', 'all'] = 'first',
        index: bool = True,
        name: str | None = None,
    ) -> None: ...

class tags_from_file(LibraryBlock):
    """Puts the tags of a file on a stream, as tags_to_file has written them.

    Parameters
    ----------
    item : one of C32, f32, u8, i8, i16, i32, cu8, cs8, cs16, default 'C32'
        The type of the items.
    path : path of a file, required
        The file: JSON, one tag a line.

    Inputs
    ------
    in : items as `item` says
        x

    Outputs
    -------
    out : items as `item` says
        x, with the tags of the file

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        path: str,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        name: str | None = None,
    ) -> None: ...

class tags_to_file(LibraryBlock):
    """Writes the tags of a stream to a file, one JSON object a line.

    Parameters
    ----------
    item : one of C32, f32, u8, i8, i16, i32, cu8, cs8, cs16, default 'C32'
        The type of the items.
    path : path of a file, required
        The file to write.
    key : text, default ''
        The only key to write; all if empty.

    Inputs
    ------
    in : items as `item` says
        a stream with tags; the items are not looked at

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        path: str,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        key: str = '',
        name: str | None = None,
    ) -> None: ...

class tags_to_pdu(LibraryBlock):
    """Sends the items between tags as packets.

    Parameters
    ----------
    item : one of C32, f32, u8, i8, i16, i32, cu8, cs8, cs16, default 'C32'
        The type of the items.
    start_tag : text, default 'SOB'
        The key of the tag on a packet's first item.
    end_tag : text, default 'EOB'
        The key of the tag behind a packet's last item.
    max_length : whole number from 1 to 16777216, items, default 1048576
        A packet ends here at the latest.
    rate_hz : number from 0 to 179769313486231570000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, items/s, default 1.0
        For rx_time, where no tag says it.
    prepend : list of numbers, default []
        Items that each packet begins with; complex ones as [re, im].
    eob_alignment : whole number ≥ 1, items, default 1
        Zeros follow up to a multiple of this and eob_offset.
    eob_offset : whole number ≥ 0, items, default 0
        See eob_alignment; less than it.
    start_time : number, s, default 0.0
        The time of the first item, where no tag says it.
    index : true or false, default True
        Whether the metadata have the entry index.

    Inputs
    ------
    in : items as `item` says
        x

    Outputs
    -------
    out : messages
        packets of x
    detects : messages
        the index of each start tag; may stay unconnected

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        start_tag: str = 'SOB',
        end_tag: str = 'EOB',
        max_length: int = 1048576,
        rate_hz: float = 1.0,
        prepend: Sequence[complex] = [],
        eob_alignment: int = 1,
        eob_offset: int = 0,
        start_time: float = 0.0,
        index: bool = True,
        name: str | None = None,
    ) -> None: ...

class take_skip_to_pdu(LibraryBlock):
    """Sends some items of a stream as a packet, skips some, and so on.

    Parameters
    ----------
    item : one of C32, f32, u8, i8, i16, i32, cu8, cs8, cs16, default 'C32'
        The type of the items.
    take : whole number from 1 to 16777216, items, default 1024
        How many items a packet has.
    skip : whole number ≥ 0, items, default 0
        How many items are skipped then.
    entry : one of index, pdu_num, default 'index'
        What the metadata says: where a packet began, or how many came before.

    Inputs
    ------
    in : items as `item` says
        x

    Outputs
    -------
    out : messages
        packets of x

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
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
    """Samples to a TCP connection.

    Parameters
    ----------
    port : whole number from 0 to 65535, required
        The port; 0 lets a server have one that is free.
    host : text, default '127.0.0.1'
        The name or address to connect to or listen at.
    mode : one of client, server, default 'client'
        Connects to a server, or waits for a client.
    format : text, default 'cf32_le'
        How samples are sent, such as cf32_le, ci16_le or cu8.
    input : one of float, raw, default 'float'
        float: C32 or f32, full scale 1.0; raw: as to be sent.

    Inputs
    ------
    in : C32, f32 or as sent
        the samples, full scale = 1.0 or as to be sent

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        port: int,
        *,
        host: str = '127.0.0.1',
        mode: Literal['client', 'server'] = 'client',
        format: str = 'cf32_le',
        input: Literal['float', 'raw'] = 'float',
        name: str | None = None,
    ) -> None: ...

class threshold(LibraryBlock):
    """A decision with hysteresis: 1 above a value, 0 below another.

    Parameters
    ----------
    low : number, required
        Below this, 0.
    high : number, required
        Above this, 1.
    state : number, default 0.0
        What is given before the first decision.

    Inputs
    ------
    in : f32
        x
    set : messages
        new values of low, high and state

    Outputs
    -------
    out : f32
        0 or 1

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        low: float,
        high: float,
        *,
        state: float = 0.0,
        name: str | None = None,
    ) -> None: ...

class throttle(LibraryBlock):
    """Passes items on no faster than at a given rate.

    Parameters
    ----------
    item : one of C32, f32, u8, i8, i16, i32, cu8, cs8, cs16, default 'C32'
        The type of the items.
    rate_hz : number ≥ 0, items/s, required
        The fastest pace, > 0.

    Inputs
    ------
    in : items as `item` says
        x
    set : messages
        new values of rate_hz

    Outputs
    -------
    out : items as `item` says
        x, in time

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        rate_hz: float,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        name: str | None = None,
    ) -> None: ...

class time_delta(LibraryBlock):
    """Sets an entry of each packet's metadata to how long ago the time in another was.

    Parameters
    ----------
    delta_key : text, default 'delta_ms'
        The entry that is set, in milliseconds.
    time_key : text, default 'systime'
        The entry with the time, in seconds since 1970.

    Inputs
    ------
    in : messages
        packets of any items

    Outputs
    -------
    out : messages
        the packets, with the difference

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        delta_key: str = 'delta_ms',
        time_key: str = 'systime',
        name: str | None = None,
    ) -> None: ...

class transcendental(LibraryBlock):
    """A function of each item, by its name: y[n] = f(x[n]).

    Parameters
    ----------
    item : one of C32, f32, default 'C32'
        The type of the items.
    function : one of sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, exp, log, log10, sqrt, required
        The function; asin, acos and atan take f32 only.

    Inputs
    ------
    in : items as `item` says
        x

    Outputs
    -------
    out : items as `item` says
        f(x)

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        function: Literal['sin', 'cos', 'tan', 'asin', 'acos', 'atan', 'sinh', 'cosh', 'tanh', 'exp', 'log', 'log10', 'sqrt'],
        *,
        item: Literal['C32', 'f32'] = 'C32',
        name: str | None = None,
    ) -> None: ...

class trellis_encoder(LibraryBlock):
    """Encodes symbols by a finite state machine.

    Parameters
    ----------
    item : one of u8, i16, i32, default 'u8'
        The type of the input symbols.
    out_item : one of u8, i16, i32, default 'u8'
        The type of the output symbols.
    inputs : whole number from 1 to 65536, required
        How many input symbols there are.
    next_states : list of numbers, required
        The state behind each state with each input, the inputs of state 0 first.
    outputs : list of numbers, required
        What comes out on that way.
    output_symbols : whole number from 0 to 65536, default 0
        How many output symbols there are; 0: one more than the greatest.
    state : whole number ≥ 0, default 0
        The state that it begins in.
    block_items : whole number ≥ 0, items, default 0
        How many symbols are encoded before it begins anew; 0: it never does.

    Inputs
    ------
    in : items as `item` says
        input symbols

    Outputs
    -------
    out : out_item
        output symbols

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        inputs: int,
        next_states: Sequence[complex],
        outputs: Sequence[complex],
        *,
        item: Literal['u8', 'i16', 'i32'] = 'u8',
        out_item: Literal['u8', 'i16', 'i32'] = 'u8',
        output_symbols: int = 0,
        state: int = 0,
        block_items: int = 0,
        name: str | None = None,
    ) -> None: ...

class trellis_metrics(LibraryBlock):
    """How far samples are from each symbol of a table.

    Parameters
    ----------
    item : one of C32, f32, i16, i32, default 'C32'
        The type of the samples.
    table : list of numbers, required
        The samples of each symbol, one after the other.
    dimension : whole number from 1 to 65536, items, default 1
        How many samples a symbol has.
    metric : one of euclidean, hard_symbol, default 'euclidean'
        Squared distances, or 0 for the nearest symbol and 1 for the others.

    Inputs
    ------
    in : items as `item` says
        the samples of symbols, one after the other

    Outputs
    -------
    out : f32
        a distance for each symbol of the table: ⌊n / dimension⌋ · symbols items for n

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        table: Sequence[complex],
        *,
        item: Literal['C32', 'f32', 'i16', 'i32'] = 'C32',
        dimension: int = 1,
        metric: Literal['euclidean', 'hard_symbol'] = 'euclidean',
        name: str | None = None,
    ) -> None: ...

class trellis_viterbi(LibraryBlock):
    """The likeliest input symbols of a finite state machine, by Viterbi's algorithm.

    Parameters
    ----------
    item : one of u8, i16, i32, default 'u8'
        The type of the decided symbols.
    inputs : whole number from 1 to 65536, required
        How many input symbols there are.
    next_states : list of numbers, required
        The state behind each state with each input, the inputs of state 0 first.
    outputs : list of numbers, required
        What comes out on that way.
    output_symbols : whole number from 0 to 65536, default 0
        How many output symbols there are; 0: one more than the greatest.
    block_items : whole number ≥ 1, items, required
        How many symbols a block has.
    first_state : whole number from -1 to 2147483647, default -1
        The state that blocks begin in; −1: any.
    last_state : whole number from -1 to 2147483647, default -1
        The state that blocks end in; −1: any.

    Inputs
    ------
    in : f32
        costs of all output symbols, for each symbol

    Outputs
    -------
    out : items as `item` says
        input symbols: ⌊n / (symbols · block_items)⌋ · block_items items for n

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        inputs: int,
        next_states: Sequence[complex],
        outputs: Sequence[complex],
        block_items: int,
        *,
        item: Literal['u8', 'i16', 'i32'] = 'u8',
        output_symbols: int = 0,
        first_state: int = -1,
        last_state: int = -1,
        name: str | None = None,
    ) -> None: ...

class uchar_to_float(LibraryBlock):
    """Unsigned bytes to real samples: y[n] = (x[n] − 127.5) / 127.5.

    Parameters
    ----------
    plain : true or false, default False
        Whether the codes stay numbers from 0 to 255.

    Inputs
    ------
    in : u8
        codes 0..=255

    Outputs
    -------
    out : f32
        full scale = 1.0

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        plain: bool = False,
        name: str | None = None,
    ) -> None: ...

class udp_sink(LibraryBlock):
    """Samples into UDP datagrams.

    Parameters
    ----------
    host : text, default '127.0.0.1'
        The name or address to send to.
    port : whole number from 1 to 65535, default 2000
        The port to send to.
    format : text, default 'cf32_le'
        How samples are sent, such as cf32_le, ci16_le or cu8.
    input : one of float, raw, default 'float'
        float: C32 or f32, full scale 1.0; raw: as to be sent.
    header : one of none, sequence, sequence_size, default 'none'
        What stands before the samples: nothing, a number of 8 bytes, or that and the datagram's length.
    packet_bytes : whole number from 1 to 65507, bytes, default 1472
        A full datagram with its header; the same on both sides.
    send_eof : true or false, default False
        Says the end by datagrams without a byte.

    Inputs
    ------
    in : C32, f32 or as sent
        the samples, full scale = 1.0 or as to be sent

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        host: str = '127.0.0.1',
        port: int = 2000,
        format: str = 'cf32_le',
        input: Literal['float', 'raw'] = 'float',
        header: Literal['none', 'sequence', 'sequence_size'] = 'none',
        packet_bytes: int = 1472,
        send_eof: bool = False,
        name: str | None = None,
    ) -> None: ...

class udp_source(LibraryBlock):
    """Samples out of UDP datagrams; losses are tagged and counted.

    Parameters
    ----------
    port : whole number from 0 to 65535, default 1234
        The port to listen at; 0: one that is free.
    host : text, default '127.0.0.1'
        The name or address to listen at; 0.0.0.0 is every one of IPv4, :: of both.
    format : text, default 'cf32_le'
        How samples are sent, such as cf32_le, ci16_le or cu8.
    output : one of float, raw, default 'float'
        float: C32 or f32, full scale 1.0; raw: as sent.
    header : one of none, sequence, sequence_size, default 'none'
        What stands before the samples: nothing, a number of 8 bytes, or that and the datagram's length.
    packet_bytes : whole number from 1 to 65507, bytes, default 1472
        A full datagram with its header; the same on both sides.
    notify_missed : true or false, default True
        Logs losses.
    source_zeros : true or false, default False
        Gives zeros while nothing comes.
    eof : true or false, default False
        A datagram without a byte is the end, where its sender has sent the last samples.
    on_gap : one of continue, zeros, error, default 'continue'
        What is done where samples are missing: go on with a tag, fill in zeros, or end with an error.
    buffer_packets : whole number ≥ 1, datagrams, default 4096
        How many wait for the graph at most.
    rate_hz : number from 0 to 1000000000000, Hz, default 0
        The rate for the tag rx_rate; 0: not known.

    Outputs
    -------
    out : C32, f32 or as sent
        the samples, full scale = 1.0 or as sent

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        port: int = 1234,
        host: str = '127.0.0.1',
        format: str = 'cf32_le',
        output: Literal['float', 'raw'] = 'float',
        header: Literal['none', 'sequence', 'sequence_size'] = 'none',
        packet_bytes: int = 1472,
        notify_missed: bool = True,
        source_zeros: bool = False,
        eof: bool = False,
        on_gap: Literal['continue', 'zeros', 'error'] = 'continue',
        buffer_packets: int = 4096,
        rate_hz: float = 0,
        name: str | None = None,
    ) -> None: ...

class ulaw_decode(LibraryBlock):
    """Bytes to 16-bit samples by the µ-law of G.711.

    Inputs
    ------
    in : u8
        codes

    Outputs
    -------
    out : i16
        full scale = 32768

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class ulaw_encode(LibraryBlock):
    """16-bit samples to bytes by the µ-law of G.711.

    Inputs
    ------
    in : i16
        full scale = 32768

    Outputs
    -------
    out : u8
        codes

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class unpack_k_bits(LibraryBlock):
    """Gives k bits of each item, the lowest ones, as an item each, the highest first.

    Parameters
    ----------
    k : whole number from 1 to 8, bits, required
        How many bits of an item count, the lowest.

    Inputs
    ------
    in : u8
        k bits in each item

    Outputs
    -------
    out : u8
        bits, 0 or 1: n · k items for n

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        k: int,
        *,
        name: str | None = None,
    ) -> None: ...

class unpacked_to_packed(LibraryBlock):
    """Fills items with bits, of which so many come in each, the highest first.

    Parameters
    ----------
    item : one of u8, i32, i16, default 'u8'
        The type of the items.
    bits : whole number from 1 to 32, bits, required
        How many bits lie in an item that is not full: as many as it has, at most.
    order : one of msb_first, lsb_first, default 'msb_first'
        Which bit of an item that goes is filled first.

    Inputs
    ------
    in : items as `item` says
        bits

    Outputs
    -------
    out : items as `item` says
        the same bits: ⌊n · bits / bits of an item⌋ items for n

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        bits: int,
        *,
        item: Literal['u8', 'i32', 'i16'] = 'u8',
        order: Literal['msb_first', 'lsb_first'] = 'msb_first',
        name: str | None = None,
    ) -> None: ...

class vco(LibraryBlock):
    """An oscillator whose frequency a stream says.

    Parameters
    ----------
    item : one of C32, f32, default 'C32'
        The type of the items.
    rate_hz : number, Hz, required
        Samples per second.
    sensitivity : number, rad/s, default 1.0
        How fast the phase moves for an input of 1.
    amplitude : number, default 1.0
        The amplitude.

    Inputs
    ------
    in : f32
        x

    Outputs
    -------
    out : items as `item` says
        the oscillation

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        rate_hz: float,
        *,
        item: Literal['C32', 'f32'] = 'C32',
        sensitivity: float = 1.0,
        amplitude: float = 1.0,
        name: str | None = None,
    ) -> None: ...

class vector_insert(LibraryBlock):
    """Given items between those of a stream, at the beginning of every period.

    Parameters
    ----------
    item : one of C32, f32, u8, i8, i16, i32, cu8, cs8, cs16, default 'C32'
        The type of the items.
    values : list of numbers, required
        The items; complex ones as [re, im].
    period : whole number ≥ 0, items, required
        From one beginning to the next: more than there are values.
    offset : whole number ≥ 0, items, default 0
        The place in the period at which the stream begins.

    Inputs
    ------
    in : items as `item` says
        x

    Outputs
    -------
    out : items as `item` says
        the values, x, the values, x, …: n, and the values as often as a period begins

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        values: Sequence[complex],
        period: int,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        offset: int = 0,
        name: str | None = None,
    ) -> None: ...

class vita49_sink(LibraryBlock):
    """Samples into packets of VITA 49.2 and DIFI.

    Parameters
    ----------
    rate_hz : number from 0 to 1000000000000, Hz, required
        Samples a second, > 0, until the tag rx_rate says it.
    host : text, default '127.0.0.1'
        The name or address to send to.
    port : whole number from 1 to 65535, default 4991
        The port to send to.
    format : one of ci8, ci16, cf32, default 'ci16'
        How samples are sent; those of ci8 and ci16 are DIFI's.
    frequency_hz : number from -1000000000000 to 1000000000000, Hz, default 0
        The centre frequency, until the tag rx_freq says it.
    gain_db : number from -255 to 255, dB, default 0
        The gain before the samples, until the tag rx_gain says it.
    stream : whole number from 0 to 4294967295, default 0
        The number of the stream.
    packet_bytes : whole number from 128 to 65504, bytes, default 1472
        A full packet with its header.

    Inputs
    ------
    in : C32
        the samples, full scale = 1.0

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        rate_hz: float,
        *,
        host: str = '127.0.0.1',
        port: int = 4991,
        format: Literal['ci8', 'ci16', 'cf32'] = 'ci16',
        frequency_hz: float = 0,
        gain_db: float = 0,
        stream: int = 0,
        packet_bytes: int = 1472,
        name: str | None = None,
    ) -> None: ...

class vita49_source(LibraryBlock):
    """Samples out of packets of VITA 49.2 and DIFI; losses are tagged and counted.

    Parameters
    ----------
    port : whole number from 0 to 65535, default 4991
        The port to listen at; 0: one that is free.
    host : text, default '127.0.0.1'
        The name or address to listen at; 0.0.0.0 is every one of IPv4.
    format : one of auto, ci8, ci16, cf32, default 'auto'
        How samples are sent; auto: as context packets say.
    stream : whole number from -1 to 4294967295, default -1
        The stream to read; -1: the first that comes.
    rate_hz : number from 0 to 1000000000000, Hz, default 0
        Samples a second, until context says it; 0: not known.
    on_gap : one of continue, zeros, error, default 'continue'
        What is done where samples are missing: go on with a tag, fill in zeros, or end with an error.
    buffer_packets : whole number ≥ 1, packets, default 4096
        How many wait for the graph at most.

    Outputs
    -------
    out : C32
        the samples, full scale = 1.0

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        port: int = 4991,
        host: str = '127.0.0.1',
        format: Literal['auto', 'ci8', 'ci16', 'cf32'] = 'auto',
        stream: int = -1,
        rate_hz: float = 0,
        on_gap: Literal['continue', 'zeros', 'error'] = 'continue',
        buffer_packets: int = 4096,
        name: str | None = None,
    ) -> None: ...

class vor_decode(LibraryBlock):
    """The radial of a VOR beacon, and its name, out of the envelope of its carrier.

    Parameters
    ----------
    rate_hz : number, Hz, required
        Samples per second, more than 22 kHz.
    period_s : number, s, default 1.0
        How long each measurement takes.

    Inputs
    ------
    in : f32
        the envelope of the carrier

    Outputs
    -------
    out : messages
        maps: radial_deg, deviation_hz, ident and so on

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        rate_hz: float,
        *,
        period_s: float = 1.0,
        name: str | None = None,
    ) -> None: ...

class wav_channels_sink(LibraryBlock):
    """One or two streams of real samples into a WAV file, a channel each.

    Parameters
    ----------
    path : path of a file, required
        The file; an existing one is emptied.
    channels : whole number from 1 to 2, default 1
        How many.
    rate_hz : whole number from 1 to 4294967295, Hz, required
        Samples per second.
    encoding : one of u8, s16, s24, s32, f32, default 's16'
        Unsigned or signed integers of so many bits, which saturate, or 32-bit floats.
    append : true or false, default False
        Goes on at the end of an existing file.

    Inputs
    ------
    in0 : f32
        the first channel, full scale = 1.0
    in1 : f32
        the second, where there are two

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        path: str,
        rate_hz: int,
        *,
        channels: int = 1,
        encoding: Literal['u8', 's16', 's24', 's32', 'f32'] = 's16',
        append: bool = False,
        name: str | None = None,
    ) -> None: ...

class wav_channels_source(LibraryBlock):
    """The channels of a WAV file, a stream of real samples each.

    Parameters
    ----------
    path : path of a file, required
        The file.
    repeat : true or false, default False
        Starts again at the end, for ever.
    lenient : true or false, default False
        Reads what is there even if the header lies.

    Outputs
    -------
    out0 : f32
        the first channel, full scale = 1.0
    out1 : f32
        the second, where the file has one

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        path: str,
        *,
        repeat: bool = False,
        lenient: bool = False,
        name: str | None = None,
    ) -> None: ...

class wav_sink(LibraryBlock):
    """Samples into a WAV file: f32 becomes mono, C32 two channels.

    Parameters
    ----------
    path : path of a file, required
        The file; an existing one is emptied.
    rate_hz : whole number from 1 to 4294967295, Hz, required
        Samples per second.
    input : one of real, complex, default 'real'
        real: f32; complex: C32.
    encoding : one of u8, s16, s24, s32, f32, default 's16'
        Unsigned or signed integers of so many bits, which saturate, or 32-bit floats.

    Inputs
    ------
    in : f32 or C32
        the samples, full scale = 1.0

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        path: str,
        rate_hz: int,
        *,
        input: Literal['real', 'complex'] = 'real',
        encoding: Literal['u8', 's16', 's24', 's32', 'f32'] = 's16',
        name: str | None = None,
    ) -> None: ...

class wav_source(LibraryBlock):
    """Samples from a WAV file: mono is real, two channels are IQ.

    Parameters
    ----------
    path : path of a file, required
        The file.
    output : one of auto, real, complex, default 'auto'
        real: f32 of a mono file; complex: C32 of two channels; auto: as the file is.
    repeat : true or false, default False
        Starts again at the end, for ever.
    lenient : true or false, default False
        Reads what is there even if the header lies.

    Outputs
    -------
    out : f32 or C32
        the samples, full scale = 1.0

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        path: str,
        *,
        output: Literal['auto', 'real', 'complex'] = 'auto',
        repeat: bool = False,
        lenient: bool = False,
        name: str | None = None,
    ) -> None: ...

class wifi_decode(LibraryBlock):
    """Puts into words what frames of 802.11 say.

    Inputs
    ------
    in : messages
        packets of u8: frames without their checksum

    Outputs
    -------
    out : messages
        the same, with what they say in their metadata

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class wifi_demod(LibraryBlock):
    """Reads the frames of 802.11a, g and p that wifi_sync finds, and checks them.

    Inputs
    ------
    in : messages
        packets of C32: frames that wifi_sync has found

    Outputs
    -------
    out : messages
        packets of u8: frames whose checksum is right, without it

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        name: str | None = None,
    ) -> None: ...

class wifi_encode(LibraryBlock):
    """Makes samples of frames of 802.11a, g and p.

    Parameters
    ----------
    mbps : whole number from 6 to 54, Mbit/s, default 6
        The rate in a channel of 20 MHz: 6, 9, 12, 18, 24, 36, 48 or 54; half of it in 10 MHz, a quarter in 5 MHz.

    Inputs
    ------
    in : messages
        packets of u8: frames without their checksum

    Outputs
    -------
    out : messages
        packets of C32: their samples

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        mbps: int = 6,
        name: str | None = None,
    ) -> None: ...

class wifi_source(LibraryBlock):
    """Sends frames of 802.11a, g and p, one after the other.

    Parameters
    ----------
    mbps : whole number from 6 to 54, Mbit/s, default 6
        The rate in a channel of 20 MHz: 6, 9, 12, 18, 24, 36, 48 or 54; half of it in 10 MHz, a quarter in 5 MHz.
    length : whole number from 28 to 4095, bytes, default 100
        Bytes of a frame, with header and checksum.
    gap_samples : whole number from 0 to 16777216, samples, default 1000
        Samples before each frame.
    amplitude : number from 0 to 1000000, default 1.0
        The root of the mean power of a frame.
    frames : whole number ≥ 0, default 1
        How many frames are sent; 0: for ever.
    seed : whole number ≥ 0, default 0
        The same seed gives the same bodies.

    Outputs
    -------
    out : C32
        as many samples a second as the channel is wide

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        mbps: int = 6,
        length: int = 100,
        gap_samples: int = 1000,
        amplitude: float = 1.0,
        frames: int = 1,
        seed: int = 0,
        name: str | None = None,
    ) -> None: ...

class wifi_sync(LibraryBlock):
    """Finds frames of 802.11a, g and p (OFDM), and cuts their samples out.

    Parameters
    ----------
    rate_hz : number from 0 to 1000000000000, samples/s, default 20000000.0
        The sample rate, which is the bandwidth: 20e6, 10e6 or 5e6.

    Inputs
    ------
    in : C32
        as many samples a second as the channel is wide

    Outputs
    -------
    out : messages
        packets of C32: frames from their long training symbols on

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        rate_hz: float = 20000000.0,
        name: str | None = None,
    ) -> None: ...

class wmbus_deframer(LibraryBlock):
    """Finds frames of wireless M-Bus, modes T1, C1 and S1, in soft chips.

    Parameters
    ----------
    chips : one of tc, s, required
        tc: modes T1 and C1, 100 kchips/s; s: mode S1, 32.768 kchips/s.

    Inputs
    ------
    in : f32
        soft chips, about 1 for the higher frequency and −1 for the lower

    Outputs
    -------
    out : messages
        packets of u8: frames without their checksums

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        chips: Literal['tc', 's'],
        *,
        name: str | None = None,
    ) -> None: ...

class xor(LibraryBlock):
    """Bitwise exclusive or: y[n] = a[n] ^ b[n] ^ ….

    Parameters
    ----------
    item : one of u8, i32, i16, default 'u8'
        The type of the items.
    inputs : whole number from 1 to 64, default 2
        How many inputs there are: in0, in1, …; one alone passes as it is.

    Inputs
    ------
    in0 : items as `item` says
        a
    in1 : items as `item` says
        b; more or fewer as inputs says

    Outputs
    -------
    out : items as `item` says
        a ^ b ^ …

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        *,
        item: Literal['u8', 'i32', 'i16'] = 'u8',
        inputs: int = 2,
        name: str | None = None,
    ) -> None: ...

class zmq_pub_msg_sink(LibraryBlock):
    """Messages to a PUB socket of ZeroMQ, as PMTs.

    Parameters
    ----------
    address : text, required
        tcp://host:port, where * is every host, or a free port to listen at; or ipc://path.
    bind : true or false, default True
        Whether it listens at the address; otherwise it connects.
    high_water : whole number ≥ -1, messages, default -1
        How many wait at most, as far as the memory suffices; -1: 1000; 0: no number.
    memory_bytes : whole number from 8388608 to 1099511627776, bytes, default 67108864
        Memory for messages that peers send or do not take; the longest that comes in has an eighth of it.

    Inputs
    ------
    in : messages
        what is to be sent

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        address: str,
        *,
        bind: bool = True,
        high_water: int = -1,
        memory_bytes: int = 67108864,
        name: str | None = None,
    ) -> None: ...

class zmq_pub_sink(LibraryBlock):
    """Samples to a PUB socket of ZeroMQ.

    Parameters
    ----------
    item : one of C32, f32, u8, i8, i16, i32, cu8, cs8, cs16, default 'C32'
        The type of the items, which are sent as they lie in memory.
    address : text, required
        tcp://host:port, where * is every host, or a free port to listen at; or ipc://path.
    bind : true or false, default True
        Whether it listens at the address; otherwise it connects.
    high_water : whole number ≥ -1, messages, default -1
        How many wait at most, as far as the memory suffices; -1: 1000; 0: no number.
    memory_bytes : whole number from 8388608 to 1099511627776, bytes, default 67108864
        Memory for messages that peers send or do not take; the longest that comes in has an eighth of it.
    length : whole number ≥ 1, items, default 1
        Items that stay together: messages hold whole vectors, and count tags in them.
    pass_tags : true or false, default False
        Whether tags are sent, in a header before the items.
    key : text, default ''
        A part of its own before the items, for subscribers to choose by.
    waits : true or false, default False
        Waits for a subscriber whose queue is full, instead of dropping.

    Inputs
    ------
    in : items as `item` says
        the samples

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        address: str,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        bind: bool = True,
        high_water: int = -1,
        memory_bytes: int = 67108864,
        length: int = 1,
        pass_tags: bool = False,
        key: str = '',
        waits: bool = False,
        name: str | None = None,
    ) -> None: ...

class zmq_pull_msg_source(LibraryBlock):
    """Messages out of a PULL socket of ZeroMQ, as PMTs.

    Parameters
    ----------
    address : text, required
        tcp://host:port, where * is every host, or a free port to listen at; or ipc://path.
    bind : true or false, default False
        Whether it listens at the address; otherwise it connects.
    high_water : whole number ≥ -1, messages, default -1
        How many wait at most, as far as the memory suffices; -1: 1000; 0: no number.
    memory_bytes : whole number from 8388608 to 1099511627776, bytes, default 67108864
        Memory for messages that peers send or do not take; the longest that comes in has an eighth of it.

    Outputs
    -------
    out : messages
        what has come; packets where it is one

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        address: str,
        *,
        bind: bool = False,
        high_water: int = -1,
        memory_bytes: int = 67108864,
        name: str | None = None,
    ) -> None: ...

class zmq_pull_source(LibraryBlock):
    """Samples out of a PULL socket of ZeroMQ.

    Parameters
    ----------
    item : one of C32, f32, u8, i8, i16, i32, cu8, cs8, cs16, default 'C32'
        The type of the items, which are sent as they lie in memory.
    address : text, required
        tcp://host:port, where * is every host, or a free port to listen at; or ipc://path.
    bind : true or false, default False
        Whether it listens at the address; otherwise it connects.
    high_water : whole number ≥ -1, messages, default -1
        How many wait at most, as far as the memory suffices; -1: 1000; 0: no number.
    memory_bytes : whole number from 8388608 to 1099511627776, bytes, default 67108864
        Memory for messages that peers send or do not take; the longest that comes in has an eighth of it.
    length : whole number ≥ 1, items, default 1
        Items that stay together: messages hold whole vectors, and count tags in them.
    pass_tags : true or false, default False
        Whether tags are sent, in a header before the items.

    Outputs
    -------
    out : items as `item` says
        the samples

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        address: str,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        bind: bool = False,
        high_water: int = -1,
        memory_bytes: int = 67108864,
        length: int = 1,
        pass_tags: bool = False,
        name: str | None = None,
    ) -> None: ...

class zmq_push_msg_sink(LibraryBlock):
    """Messages to a PUSH socket of ZeroMQ, as PMTs.

    Parameters
    ----------
    address : text, required
        tcp://host:port, where * is every host, or a free port to listen at; or ipc://path.
    bind : true or false, default True
        Whether it listens at the address; otherwise it connects.
    high_water : whole number ≥ -1, messages, default -1
        How many wait at most, as far as the memory suffices; -1: 1000; 0: no number.
    memory_bytes : whole number from 8388608 to 1099511627776, bytes, default 67108864
        Memory for messages that peers send or do not take; the longest that comes in has an eighth of it.

    Inputs
    ------
    in : messages
        what is to be sent

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        address: str,
        *,
        bind: bool = True,
        high_water: int = -1,
        memory_bytes: int = 67108864,
        name: str | None = None,
    ) -> None: ...

class zmq_push_sink(LibraryBlock):
    """Samples to a PUSH socket of ZeroMQ.

    Parameters
    ----------
    item : one of C32, f32, u8, i8, i16, i32, cu8, cs8, cs16, default 'C32'
        The type of the items, which are sent as they lie in memory.
    address : text, required
        tcp://host:port, where * is every host, or a free port to listen at; or ipc://path.
    bind : true or false, default True
        Whether it listens at the address; otherwise it connects.
    high_water : whole number ≥ -1, messages, default -1
        How many wait at most, as far as the memory suffices; -1: 1000; 0: no number.
    memory_bytes : whole number from 8388608 to 1099511627776, bytes, default 67108864
        Memory for messages that peers send or do not take; the longest that comes in has an eighth of it.
    length : whole number ≥ 1, items, default 1
        Items that stay together: messages hold whole vectors, and count tags in them.
    pass_tags : true or false, default False
        Whether tags are sent, in a header before the items.

    Inputs
    ------
    in : items as `item` says
        the samples

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        address: str,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        bind: bool = True,
        high_water: int = -1,
        memory_bytes: int = 67108864,
        length: int = 1,
        pass_tags: bool = False,
        name: str | None = None,
    ) -> None: ...

class zmq_rep_msg_sink(LibraryBlock):
    """Messages to a REP socket of ZeroMQ, as PMTs.

    Parameters
    ----------
    address : text, required
        tcp://host:port, where * is every host, or a free port to listen at; or ipc://path.
    bind : true or false, default True
        Whether it listens at the address; otherwise it connects.
    high_water : whole number ≥ -1, messages, default -1
        How many wait at most, as far as the memory suffices; -1: 1000; 0: no number.
    memory_bytes : whole number from 8388608 to 1099511627776, bytes, default 67108864
        Memory for messages that peers send or do not take; the longest that comes in has an eighth of it.

    Inputs
    ------
    in : messages
        what is to be sent

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        address: str,
        *,
        bind: bool = True,
        high_water: int = -1,
        memory_bytes: int = 67108864,
        name: str | None = None,
    ) -> None: ...

class zmq_rep_sink(LibraryBlock):
    """Samples to a REP socket of ZeroMQ.

    Parameters
    ----------
    item : one of C32, f32, u8, i8, i16, i32, cu8, cs8, cs16, default 'C32'
        The type of the items, which are sent as they lie in memory.
    address : text, required
        tcp://host:port, where * is every host, or a free port to listen at; or ipc://path.
    bind : true or false, default True
        Whether it listens at the address; otherwise it connects.
    high_water : whole number ≥ -1, messages, default -1
        How many wait at most, as far as the memory suffices; -1: 1000; 0: no number.
    memory_bytes : whole number from 8388608 to 1099511627776, bytes, default 67108864
        Memory for messages that peers send or do not take; the longest that comes in has an eighth of it.
    length : whole number ≥ 1, items, default 1
        Items that stay together: messages hold whole vectors, and count tags in them.
    pass_tags : true or false, default False
        Whether tags are sent, in a header before the items.

    Inputs
    ------
    in : items as `item` says
        the samples

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        address: str,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        bind: bool = True,
        high_water: int = -1,
        memory_bytes: int = 67108864,
        length: int = 1,
        pass_tags: bool = False,
        name: str | None = None,
    ) -> None: ...

class zmq_req_msg_source(LibraryBlock):
    """Messages out of a REQ socket of ZeroMQ, as PMTs.

    Parameters
    ----------
    address : text, required
        tcp://host:port, where * is every host, or a free port to listen at; or ipc://path.
    bind : true or false, default False
        Whether it listens at the address; otherwise it connects.
    high_water : whole number ≥ -1, messages, default -1
        How many wait at most, as far as the memory suffices; -1: 1000; 0: no number.
    memory_bytes : whole number from 8388608 to 1099511627776, bytes, default 67108864
        Memory for messages that peers send or do not take; the longest that comes in has an eighth of it.

    Outputs
    -------
    out : messages
        what has come; packets where it is one

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        address: str,
        *,
        bind: bool = False,
        high_water: int = -1,
        memory_bytes: int = 67108864,
        name: str | None = None,
    ) -> None: ...

class zmq_req_source(LibraryBlock):
    """Samples out of a REQ socket of ZeroMQ.

    Parameters
    ----------
    item : one of C32, f32, u8, i8, i16, i32, cu8, cs8, cs16, default 'C32'
        The type of the items, which are sent as they lie in memory.
    address : text, required
        tcp://host:port, where * is every host, or a free port to listen at; or ipc://path.
    bind : true or false, default False
        Whether it listens at the address; otherwise it connects.
    high_water : whole number ≥ -1, messages, default -1
        How many wait at most, as far as the memory suffices; -1: 1000; 0: no number.
    memory_bytes : whole number from 8388608 to 1099511627776, bytes, default 67108864
        Memory for messages that peers send or do not take; the longest that comes in has an eighth of it.
    length : whole number ≥ 1, items, default 1
        Items that stay together: messages hold whole vectors, and count tags in them.
    pass_tags : true or false, default False
        Whether tags are sent, in a header before the items.

    Outputs
    -------
    out : items as `item` says
        the samples

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        address: str,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        bind: bool = False,
        high_water: int = -1,
        memory_bytes: int = 67108864,
        length: int = 1,
        pass_tags: bool = False,
        name: str | None = None,
    ) -> None: ...

class zmq_sub_msg_source(LibraryBlock):
    """Messages out of a SUB socket of ZeroMQ, as PMTs.

    Parameters
    ----------
    address : text, required
        tcp://host:port, where * is every host, or a free port to listen at; or ipc://path.
    bind : true or false, default False
        Whether it listens at the address; otherwise it connects.
    high_water : whole number ≥ -1, messages, default -1
        How many wait at most, as far as the memory suffices; -1: 1000; 0: no number.
    memory_bytes : whole number from 8388608 to 1099511627776, bytes, default 67108864
        Memory for messages that peers send or do not take; the longest that comes in has an eighth of it.

    Outputs
    -------
    out : messages
        what has come; packets where it is one

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        address: str,
        *,
        bind: bool = False,
        high_water: int = -1,
        memory_bytes: int = 67108864,
        name: str | None = None,
    ) -> None: ...

class zmq_sub_source(LibraryBlock):
    """Samples out of a SUB socket of ZeroMQ.

    Parameters
    ----------
    item : one of C32, f32, u8, i8, i16, i32, cu8, cs8, cs16, default 'C32'
        The type of the items, which are sent as they lie in memory.
    address : text, required
        tcp://host:port, where * is every host, or a free port to listen at; or ipc://path.
    bind : true or false, default False
        Whether it listens at the address; otherwise it connects.
    high_water : whole number ≥ -1, messages, default -1
        How many wait at most, as far as the memory suffices; -1: 1000; 0: no number.
    memory_bytes : whole number from 8388608 to 1099511627776, bytes, default 67108864
        Memory for messages that peers send or do not take; the longest that comes in has an eighth of it.
    length : whole number ≥ 1, items, default 1
        Items that stay together: messages hold whole vectors, and count tags in them.
    pass_tags : true or false, default False
        Whether tags are sent, in a header before the items.
    key : text, default ''
        What the key of a message begins with; empty: every message.

    Outputs
    -------
    out : items as `item` says
        the samples

    Raises
    ------
    superhet.errors.ParameterError
        For a value that the block does not take.
    """
    def __init__(
        self,
        address: str,
        *,
        item: Literal['C32', 'f32', 'u8', 'i8', 'i16', 'i32', 'cu8', 'cs8', 'cs16'] = 'C32',
        bind: bool = False,
        high_water: int = -1,
        memory_bytes: int = 67108864,
        length: int = 1,
        pass_tags: bool = False,
        key: str = '',
        name: str | None = None,
    ) -> None: ...
